//! Asking again and polishing: several runs for one question, each sealed, each naming the one
//! before it.

use crate::pipeline::Earlier;
use crate::polish::lost_in_polish;
use crate::{Answerer, Error, Outcome, SealedAnswer, Settings};

/// The runs that a question took.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// All of them, in order. Never empty.
    pub runs: Vec<SealedAnswer>,
    /// The place of the one that stands.
    pub accepted: usize,
    /// What the second pass lost, where it was therefore not accepted.
    pub lost_in_polish: Vec<String>,
}

impl Rounds {
    /// The run that stands.
    #[must_use]
    pub fn accepted(&self) -> Option<&SealedAnswer> {
        self.runs.get(self.accepted)
    }

    pub(crate) fn into_accepted(mut self) -> SealedAnswer {
        self.runs.swap_remove(self.accepted)
    }
}

impl Answerer {
    /// Asks as [`ask`](Self::ask) does, without looking the answer up, and hands out every run.
    ///
    /// Without [`Settings::reprompt`] and [`Settings::two_pass`] that is one. All are kept in the
    /// memory, the accepted one last, so that it is the one that is found again.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn ask_rounds(&self, question: &str) -> Result<Rounds, Error> {
        self.rounds(question, &self.dated_settings()).await
    }

    pub(crate) async fn rounds(
        &self,
        question: &str,
        settings: &Settings,
    ) -> Result<Rounds, Error> {
        let mut rounds = Rounds {
            runs: vec![self.run(question, settings, Earlier::default()).await?],
            accepted: 0,
            lost_in_polish: Vec::new(),
        };
        if settings.dialectical.is_some() {
            self.ask_again(question, settings, &mut rounds).await?;
            self.polish(question, settings, &mut rounds).await?;
        }
        let others = rounds.runs.iter().enumerate();
        let others = others.filter(|(i, _)| *i != rounds.accepted);
        for run in others.map(|(_, run)| run).chain(rounds.accepted()) {
            self.keep(run)?;
        }
        Ok(rounds)
    }

    /// Asks again while the policy has something to say. The first run with which it is content
    /// stands; if none is, the one with the highest 𝓦, the earlier of two.
    async fn ask_again(
        &self,
        question: &str,
        settings: &Settings,
        rounds: &mut Rounds,
    ) -> Result<(), Error> {
        let Some(policy) = &settings.reprompt else {
            return Ok(());
        };
        for round in 0..=policy.rounds() {
            let Some(last) = rounds.runs.last() else {
                return Ok(());
            };
            let feedback = policy.feedback(last)?;
            if feedback.is_empty() {
                rounds.accepted = rounds.runs.len() - 1;
                return Ok(());
            }
            if round < policy.rounds() {
                let earlier = Earlier {
                    predecessor: Some(last.run_dag_root),
                    feedback: &feedback,
                    ..Earlier::default()
                };
                let again = self.run(question, settings, earlier).await?;
                rounds.runs.push(again);
            }
        }
        let wisdom = |run: &SealedAnswer| run.wisdom.as_ref().map_or(0.0, |w| w.wisdom_score);
        let mut best = 0.0;
        for (place, run) in rounds.runs.iter().enumerate() {
            if wisdom(run) > best {
                (best, rounds.accepted) = (wisdom(run), place);
            }
        }
        Ok(())
    }

    /// The second pass: accepted where every claim came through it.
    async fn polish(
        &self,
        question: &str,
        settings: &Settings,
        rounds: &mut Rounds,
    ) -> Result<(), Error> {
        let Some(draft) = rounds.accepted().filter(|_| settings.two_pass) else {
            return Ok(());
        };
        let (Outcome::Grounded, Some(text)) = (draft.outcome, &draft.raw_answer) else {
            return Ok(());
        };
        let earlier = Earlier {
            predecessor: Some(draft.run_dag_root),
            draft: Some(text),
            ..Earlier::default()
        };
        let polished = self.run(question, settings, earlier).await?;
        let lost = lost_in_polish(draft, &polished)?;
        rounds.runs.push(polished);
        if lost.is_empty() {
            rounds.accepted = rounds.runs.len() - 1;
        }
        rounds.lost_in_polish = lost;
        Ok(())
    }
}
