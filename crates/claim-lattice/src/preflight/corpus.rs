//! What preflight may know of a corpus and of passages, without depending on how they are kept.

use serde::{Deserialize, Serialize};

/// A calendar date, as coarse as it is known. No clock is read here: dates are handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CivilDate {
    /// Year of the Gregorian calendar.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: Option<u8>,
    /// Day, 1 to 31.
    pub day: Option<u8>,
}

impl CivilDate {
    /// A year.
    #[must_use]
    pub fn year(year: i32) -> Self {
        Self {
            year,
            month: None,
            day: None,
        }
    }

    /// A day.
    #[must_use]
    pub fn day(year: i32, month: u8, day: u8) -> Self {
        Self {
            year,
            month: Some(month),
            day: Some(day),
        }
    }

    /// Whether this date is certainly before another, at the precision both have.
    #[must_use]
    pub fn is_before(self, other: Self) -> bool {
        if self.year != other.year {
            return self.year < other.year;
        }
        let (Some(a), Some(b)) = (self.month, other.month) else {
            return false;
        };
        if a != b {
            return a < b;
        }
        matches!((self.day, other.day), (Some(a), Some(b)) if a < b)
    }
}

/// What is known of the corpus before retrieval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CorpusInfo<'c> {
    /// Up to when the corpus reports; `None`: unknown.
    pub as_of: Option<CivilDate>,
    /// When the question is asked; `None`: unknown. It is bound into the run where it decides.
    pub asked_on: Option<CivilDate>,
    /// Titles of the sources, for names that stand for several things ("Titanic (1997 film)").
    pub titles: &'c [&'c str],
}

/// A passage as the detectors see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceView<'e> {
    /// The pointer by which claims cite it.
    pub id: &'e str,
    /// The title of its source.
    pub title: &'e str,
    /// The passage.
    pub text: &'e str,
    /// The role of its source.
    pub role: &'e str,
}
