//! Questions made from passages.

use std::collections::BTreeSet;

use text_units::{Language, Stemmer, content_words, sentences, words};

use crate::{Error, Passage};

/// Makes a question that a passage answers. Object-safe; a language model may stand behind it.
///
/// Laws, checked by the suite behind the feature `conformance`: the id is constant and not empty;
/// a passage without words yields no question; a question is not empty and is not the passage.
pub trait QuestionGenerator: Send + Sync {
    /// Names the generator, for reports.
    fn id(&self) -> &str;

    /// A question, or none where the passage yields none.
    ///
    /// # Errors
    /// [`Error::Backend`] if the generator fails.
    fn question(&self, passage: &Passage) -> Result<Option<String>, Error>;
}

/// The built-in generator: no model, always the same question. It takes the sentence with the
/// most different content words (at most 60 words long) and asks what is said about
/// every other one of them, so that a question shares words with its passage but is no copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SalientQuestions {
    /// Content words in a question; default 5.
    pub words: usize,
    /// The stemmer's and stop words' language; default English.
    pub language: Language,
}

impl Default for SalientQuestions {
    fn default() -> Self {
        Self {
            words: 5,
            language: Language::English,
        }
    }
}

/// Sentences with more words are no sentences.
const LONGEST: usize = 60;

/// With fewer content words a sentence says too little to be asked about.
const FEWEST: usize = 3;

impl SalientQuestions {
    /// Different content words of a sentence, in their order, as written.
    fn salient(&self, sentence: &str, stemmer: &Stemmer) -> Vec<String> {
        if words(sentence).count() > LONGEST {
            return Vec::new();
        }
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for word in content_words(sentence, stemmer) {
            let text = word.word.text;
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            if letters >= 3 && seen.insert(word.stem) {
                out.push(text.to_owned());
            }
        }
        out
    }
}

impl QuestionGenerator for SalientQuestions {
    fn id(&self) -> &str {
        "salient-v1"
    }

    fn question(&self, passage: &Passage) -> Result<Option<String>, Error> {
        let stemmer = Stemmer::new(self.language);
        let mut best: Vec<String> = Vec::new();
        for sentence in sentences(&passage.text) {
            let salient = self.salient(sentence.content(), &stemmer);
            if salient.len() > best.len() {
                best = salient;
            }
        }
        if best.len() < FEWEST {
            return Ok(None);
        }
        let asked: Vec<String> = if best.len() > self.words {
            let every_other = best.iter().step_by(2).take(self.words);
            every_other.cloned().collect()
        } else {
            best
        };
        let start = match self.language {
            Language::Catalan => "Què es diu de",
            _ => "What is said about",
        };
        Ok(Some(format!("{start} {}?", asked.join(", "))))
    }
}
