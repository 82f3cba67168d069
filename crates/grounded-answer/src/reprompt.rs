//! When an argued answer is asked for again, and with which words.

use serde::{Deserialize, Serialize};
use wisdom_score::{FeedbackLanguage, Options, Report, RepromptPolicy, RepromptReason, Scorer};

use crate::{Error, SealedAnswer};

/// The most rounds that any policy gets.
const MOST_ROUNDS: u8 = 2;

/// An explicit policy of asking again, part of [`Settings`](crate::Settings) and so of the
/// governance hash. It concerns argued ([`dialectical`](crate::Settings::dialectical)) answers
/// only: that claims are not borne out is a verdict, and no reason to ask until one passes.
///
/// Floors are in millionths, so that they can be committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reprompt {
    /// How often the model is asked again; 2 at most, more is taken as 2.
    pub rounds: u8,
    /// 𝓦 under this goes back. `None`: the floor of the answer's
    /// [`Escope`](crate::prompt::Escope), 0.6 for `Balanced`.
    pub wisdom_floor: Option<u32>,
    /// 𝓗 under this goes back.
    pub harmonic_floor: u32,
    /// Whether every part–whole relation must be touched (𝓜 = 1).
    pub whole_mereology: bool,
    /// Whether 𝓕 must reach the floor of the answer's escope.
    pub factual_floor: bool,
}

impl Default for Reprompt {
    /// Two rounds; the escope's floor for 𝓦, 0.5 for 𝓗, 𝓜 whole.
    fn default() -> Self {
        Self {
            rounds: MOST_ROUNDS,
            wisdom_floor: None,
            harmonic_floor: 500_000,
            whole_mereology: true,
            factual_floor: false,
        }
    }
}

impl Reprompt {
    /// How often the model is asked again.
    #[must_use]
    pub fn rounds(&self) -> u8 {
        self.rounds.min(MOST_ROUNDS)
    }

    /// What is wrong with an argued answer, one sentence each, in the words of the scorer; empty
    /// if it may stand, and for answers that were not to argue.
    ///
    /// # Errors
    /// [`Error::Wisdom`] if the answer is longer than the scorer takes.
    pub fn feedback(&self, answer: &SealedAnswer) -> Result<Vec<String>, Error> {
        let (Some(escope), Some(text)) = (answer.settings.dialectical, &answer.raw_answer) else {
            return Ok(Vec::new());
        };
        let report = score(text, answer.preflight.classifier.language == "catalan")?;
        let policy = RepromptPolicy {
            wisdom_threshold: share(self.wisdom_floor.unwrap_or(escope.wisdom_floor_micros())),
            harmonic_floor: share(self.harmonic_floor),
            min_quadrants: 0,
            full_mereology: self.whole_mereology,
            expected_cycles: Vec::new(),
        };
        let reasons = report.reprompt_reasons(&policy);
        let mut lines: Vec<String> = reasons.iter().filter_map(words).collect();
        let density = report.extras.factual_density.unwrap_or(0.0);
        if self.factual_floor && density < escope.factual_floor() {
            lines.push(format!(
                "𝓕 is {density:.2}; at least {:.2} is asked for: name, count and date what the \
                 evidence holds.",
                escope.factual_floor()
            ));
        }
        if !lines.is_empty() {
            lines.extend(report.feedback);
        }
        Ok(lines)
    }
}

fn share(millionths: u32) -> f64 {
    f64::from(millionths) / 1e6
}

/// The scores of a text, whether it cites codes or not, with feedback in its language.
fn score(text: &str, catalan: bool) -> Result<Report, Error> {
    let feedback = if catalan {
        FeedbackLanguage::Catalan
    } else {
        FeedbackLanguage::English
    };
    let scorer = Scorer::new(Options {
        feedback,
        ..Options::default()
    })?;
    Ok(scorer.score(text)?)
}

fn words(reason: &RepromptReason) -> Option<String> {
    Some(match reason {
        RepromptReason::WisdomBelow { score, threshold } => {
            format!("𝓦 is {score:.2}; at least {threshold:.2} is asked for.")
        }
        RepromptReason::HarmonicBelow { score, floor } => {
            format!("𝓗 is {score:.2}; at least {floor:.2} is asked for.")
        }
        RepromptReason::MereologyPartial { coverage, .. } => {
            format!("𝓜 is {coverage:.2}: not every part–whole relation is touched.")
        }
        _ => return None,
    })
}
