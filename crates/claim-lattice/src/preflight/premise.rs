//! After retrieval: does the evidence deny what the question presupposes, or hold nothing of it?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::corpus::EvidenceView;
use super::lexicon::Lexicon;
use super::question::Question;
use super::token::{Token, tokenize};

/// In what way a presupposition fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PremiseFailure {
    /// A passage denies it.
    Denied,
    /// A passage says it of somebody else.
    AttributedElsewhere,
    /// The passages know subject and object, but nowhere together.
    Unattested,
}

/// A presupposition that the evidence does not bear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FalsePremise {
    /// In what way it fails.
    pub reason: PremiseFailure,
    /// Stems of what the presupposition is about.
    pub subject: Vec<String>,
    /// Stems of what is said of it.
    pub predicate: Vec<String>,
    /// The pointer of the passage that shows it; `None` when it is the lack of one.
    pub evidence_id: Option<String>,
}

/// A question about things that no passage names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutOfCorpus {
    /// Stems of the question's subject tokens.
    pub subject_tokens: Vec<String>,
}

/// What a question is about: stems of its names, or of its content words when it names nothing.
pub(crate) fn subject_tokens(question: &Question<'_>) -> Vec<String> {
    let content: Vec<&Token> = content(&question.tokens, question.lexicon).collect();
    let named: BTreeSet<String> = content
        .iter()
        .filter(|t| t.is_name() && t.number.is_none())
        .map(|t| stem(question.lexicon, t))
        .collect();
    if !named.is_empty() {
        return named.into_iter().collect();
    }
    let all: BTreeSet<String> = content.iter().map(|t| stem(question.lexicon, t)).collect();
    all.into_iter().collect()
}

fn content<'t>(tokens: &'t [Token], lexicon: &'t Lexicon) -> impl Iterator<Item = &'t Token> {
    tokens
        .iter()
        .filter(|t| t.folded.chars().count() > 1 && lexicon.is_content(&t.folded))
}

fn stem(lexicon: &Lexicon, token: &Token) -> String {
    let word = token.folded.strip_suffix("'s").unwrap_or(&token.folded);
    lexicon.stem(lexicon.base_form(word))
}

/// The presupposition of a question: its subject and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Presupposition {
    pub(crate) subject: BTreeSet<String>,
    pub(crate) predicate: BTreeSet<String>,
}

/// Reads "why did X verb Y": the words between the auxiliary and the verb are the subject, the
/// rest is the predicate.
pub(crate) fn presupposition(question: &Question<'_>) -> Option<Presupposition> {
    let lexicon = question.lexicon;
    let tokens = &question.tokens;
    let opening = lexicon.patterns("premise.opening").find(tokens)?;
    let rest = tokens.get(opening.end..)?;
    let is_aux = |t: &Token| lexicon.has_word("auxiliary", &t.folded);
    let skip = rest.iter().take_while(|t| is_aux(t)).count();
    let rest = rest.get(skip..)?;
    // The subject is the first run of names, or else the first content word.
    let first = rest.iter().position(|t| lexicon.is_content(&t.folded))?;
    let named = rest.get(first).is_some_and(Token::is_name);
    let mut end = first + 1;
    if named {
        while rest.get(end).is_some_and(|t| t.is_name() && !t.after_break) {
            end += 1;
        }
    }
    let stems = |part: &[Token]| -> BTreeSet<String> {
        content(part, lexicon).map(|t| stem(lexicon, t)).collect()
    };
    let subject = stems(rest.get(first..end)?);
    let predicate: BTreeSet<String> = stems(rest.get(end..)?)
        .difference(&subject)
        .cloned()
        .collect();
    (!subject.is_empty() && !predicate.is_empty()).then_some(Presupposition { subject, predicate })
}

/// A sentence of a passage, as stems.
struct Stated {
    stems: BTreeSet<String>,
    names: bool,
    denial: bool,
}

/// Looks for a denial, then for another bearer, then for any attestation.
pub(crate) fn false_premise(
    question: &Question<'_>,
    evidence: &[EvidenceView<'_>],
) -> Option<FalsePremise> {
    let given = presupposition(question)?;
    let mut attested = false;
    let mut elsewhere = None;
    let mut seen = BTreeSet::new();
    for view in evidence {
        let title = stems_of(view.title, question.lexicon);
        let sentences = stated(view.text, question.lexicon);
        let mut before = title.stems.clone();
        seen.extend(title.stems.iter().cloned());
        for sentence in &sentences {
            seen.extend(sentence.stems.iter().cloned());
            let near: BTreeSet<String> = before.union(&sentence.stems).cloned().collect();
            let says = covers(&sentence.stems, &given.predicate);
            if says && overlaps(&near, &given.subject) {
                if sentence.denial {
                    return Some(report(PremiseFailure::Denied, &given, Some(view.id)));
                }
                attested = true;
            } else if says && sentence.names && !sentence.denial && elsewhere.is_none() {
                elsewhere = Some(view.id);
            } else if overlaps(&near, &given.subject)
                && given.predicate.iter().filter(|p| near.contains(*p)).count() * 2
                    >= given.predicate.len()
            {
                attested = true;
            }
            before = sentence.stems.union(&title.stems).cloned().collect();
        }
    }
    if attested {
        return None;
    }
    if let Some(id) = elsewhere {
        return Some(report(
            PremiseFailure::AttributedElsewhere,
            &given,
            Some(id),
        ));
    }
    let known = overlaps(&seen, &given.subject);
    known.then(|| report(PremiseFailure::Unattested, &given, None))
}

fn report(reason: PremiseFailure, given: &Presupposition, id: Option<&str>) -> FalsePremise {
    FalsePremise {
        reason,
        subject: given.subject.iter().cloned().collect(),
        predicate: given.predicate.iter().cloned().collect(),
        evidence_id: id.map(ToOwned::to_owned),
    }
}

fn overlaps(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    b.iter().any(|s| a.contains(s))
}

fn covers(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    b.iter().all(|s| a.contains(s))
}

fn stated(text: &str, lexicon: &Lexicon) -> Vec<Stated> {
    text_units::sentences(text)
        .iter()
        .map(|s| stems_of(s.text, lexicon))
        .collect()
}

fn stems_of(text: &str, lexicon: &Lexicon) -> Stated {
    let tokens = tokenize(text, lexicon);
    Stated {
        stems: content(&tokens, lexicon)
            .map(|t| stem(lexicon, t))
            .collect(),
        names: tokens
            .iter()
            .any(|t| t.capitalised && lexicon.is_content(&t.folded)),
        denial: lexicon.patterns("denial").find(&tokens).is_some(),
    }
}

/// Whether no passage names anything that the question is about.
pub(crate) fn out_of_corpus(
    question: &Question<'_>,
    evidence: &[EvidenceView<'_>],
) -> Option<OutOfCorpus> {
    let subject = subject_tokens(question);
    if subject.is_empty() {
        return None;
    }
    let found = evidence.iter().any(|view| {
        [view.title, view.text].iter().any(|text| {
            let tokens = tokenize(text, question.lexicon);
            content(&tokens, question.lexicon).any(|t| subject.contains(&stem(question.lexicon, t)))
        })
    });
    (!found).then_some(OutOfCorpus {
        subject_tokens: subject,
    })
}
