//! The scorer: options and an ontology, ready to score any number of texts.

use crate::canonical;
use crate::deployed;
use crate::error::Error;
use crate::ontology::Ontology;
use crate::options::{Options, Semantics};
use crate::report::Report;

/// Scores texts. Cheap to clone, and free of any state that a text could change.
#[derive(Debug, Clone)]
pub struct Scorer {
    options: Options,
    ontology: Ontology,
}

impl Scorer {
    /// A scorer over the default ontology.
    ///
    /// # Errors
    /// As [`Scorer::with_ontology`].
    pub fn new(options: Options) -> Result<Self, Error> {
        Self::with_ontology(options, Ontology::meta_globalium()?)
    }

    /// A scorer over any ontology.
    ///
    /// # Errors
    /// [`Error::DeployedOntology`] for a deployed semantics with another ontology than the
    /// default.
    pub fn with_ontology(options: Options, ontology: Ontology) -> Result<Self, Error> {
        if options.semantics != Semantics::Canonical && !ontology.is_default() {
            return Err(Error::DeployedOntology);
        }
        Ok(Self { options, ontology })
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The ontology in force.
    #[must_use]
    pub fn ontology(&self) -> &Ontology {
        &self.ontology
    }

    /// Scores a text. Linear in its length, for every semantics.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`Options::max_bytes`]; [`Error::ReferenceThrows`] where
    /// [`Semantics::DeployedPhp`] has no score to reproduce.
    pub fn score(&self, text: &str) -> Result<Report, Error> {
        self.fits(text.len())?;
        let (ontology, options) = (self.ontology.compiled(), &self.options);
        match options.semantics {
            Semantics::Canonical => Ok(canonical::score(ontology, options, text)),
            Semantics::DeployedJs => deployed::score_js(ontology, options, text),
            Semantics::DeployedPhp => deployed::score_php(ontology, options, text),
        }
    }

    /// Scores bytes that may not be UTF-8, as the deployed semantics do: JavaScript reads each
    /// broken sequence as U+FFFD; in PHP every Unicode pattern fails quietly, which leaves the
    /// byte patterns of factual density, the implicit words, and the axis if the first 600
    /// characters are sound.
    ///
    /// # Errors
    /// As [`Scorer::score`], and [`Error::InvalidUtf8`] in [`Semantics::Canonical`].
    pub fn score_bytes(&self, bytes: &[u8]) -> Result<Report, Error> {
        let broken = match std::str::from_utf8(bytes) {
            Ok(text) => return self.score(text),
            Err(error) => error.valid_up_to(),
        };
        self.fits(bytes.len())?;
        let (ontology, options) = (self.ontology.compiled(), &self.options);
        match options.semantics {
            Semantics::Canonical => Err(Error::InvalidUtf8 { at: broken }),
            Semantics::DeployedJs => self.score(&String::from_utf8_lossy(bytes)),
            Semantics::DeployedPhp => Ok(deployed::score_php_bytes(ontology, options, bytes)),
        }
    }

    fn fits(&self, bytes: usize) -> Result<(), Error> {
        let limit = self.options.max_bytes.min(u32::MAX as usize);
        if bytes > limit {
            return Err(Error::TextTooLong { bytes, limit });
        }
        Ok(())
    }

    /// How many whole-token mentions of codes a text holds, listed or not.
    #[must_use]
    pub fn count_codes(&self, text: &str) -> usize {
        self.mentions(text).count()
    }

    /// Whether a text cites any code. Stops at the first.
    #[must_use]
    pub fn cites_codes(&self, text: &str) -> bool {
        self.mentions(text).next().is_some()
    }

    /// Tokens that are codes. Invisible characters inside a code hide it here, not in a score.
    fn mentions<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let table = &self.ontology.compiled().table;
        let tokens = text.split(|c: char| !text_units::is_token_char(c));
        tokens.filter(|token| table.find_str(token).is_some())
    }
}
