//! One splitter for all of Candor: cleaning with a map back to the original, words, sentences
//! and stems, English and Catalan.
//!
//! ```
//! use text_units::{clean, Language, Stemmer, words};
//!
//! let cleaned = clean("L\u{2019}amor d\u{2019}hivern");
//! let found: Vec<String> = words(cleaned.text()).map(|w| w.folded().into_owned()).collect();
//! assert!(found.contains(&"amor".to_owned()));
//! assert_eq!(Stemmer::new(Language::English).stem("running"), "run");
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod abbreviations;
mod blocks;
mod clean;
mod excerpt;
mod fold;
mod ignorable;
mod markers;
mod scalars;
mod sentence_bounds;
mod sentences;
mod stem;
mod stop;
mod tokens;
mod word_bounds;
mod words;

pub use blocks::BlockKind;
pub use clean::{Cleaned, clean};
pub use excerpt::{excerpt, excerpt_at_word};
pub use fold::fold;
pub use ignorable::is_default_ignorable;
pub use scalars::ScalarIndex;
pub use sentences::{Sentence, sentences, sentences_uax29};
pub use stem::{Language, Stemmer};
pub use stop::{ContentWord, content_words, is_stop_word};
pub use tokens::{is_token_char, is_whole_token, whole_tokens};
pub use words::{Word, words, words_uax29};
