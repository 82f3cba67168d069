//! One self-contained HTML page out of a sealed answer or a deliberation.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
