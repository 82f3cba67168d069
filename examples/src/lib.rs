//! The programs of Candor: each is an example.
