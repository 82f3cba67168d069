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
    /// Whether the subject is a name, so that it can be missed, or another name bear the predicate.
    pub(crate) named: bool,
    /// Whether it is presupposed that something is not so.
    pub(crate) negated: bool,
}

/// Reads "why did X verb Y": the words between the auxiliary and the verb are the subject, the
/// rest is the predicate.
pub(crate) fn presupposition(question: &Question<'_>) -> Option<Presupposition> {
    let lexicon = question.lexicon;
    let tokens = &question.tokens;
    let opening = lexicon.patterns("premise.opening").find(tokens)?;
    let rest = tokens.get(opening.end..)?;
    let negated = rest.iter().any(|t| lexicon.has_word("negation", &t.folded));
    let is_aux = |t: &Token| lexicon.has_word("auxiliary", &t.folded);
    let skip = rest.iter().take_while(|t| is_aux(t)).count();
    let rest = rest.get(skip..)?;
    // The subject is the first run of names, wherever the language puts it; else the first
    // content word.
    let is_subject = |t: &Token| t.is_name() && lexicon.is_content(&t.folded);
    let named = rest.iter().position(is_subject);
    let first = named.or_else(|| rest.iter().position(|t| lexicon.is_content(&t.folded)))?;
    let mut end = first + 1;
    if named.is_some() {
        while rest.get(end).is_some_and(|t| t.is_name() && !t.after_break) {
            end += 1;
        }
    }
    let stems = |part: &[Token]| -> BTreeSet<String> {
        content(part, lexicon).map(|t| stem(lexicon, t)).collect()
    };
    let subject = stems(rest.get(first..end)?);
    let mut predicate = stems(rest.get(..first)?);
    predicate.extend(stems(rest.get(end..)?));
    let predicate: BTreeSet<String> = predicate.difference(&subject).cloned().collect();
    (!subject.is_empty() && !predicate.is_empty()).then_some(Presupposition {
        subject,
        predicate,
        named: named.is_some(),
        negated,
    })
}

/// A sentence of a passage, as stems.
struct Stated {
    stems: BTreeSet<String>,
    /// Stems of its capitalised words.
    names: BTreeSet<String>,
    /// Whether it opens with a pronoun, which points back.
    pronoun: bool,
    /// Whether a word such as "myth" denies all of it.
    denial: bool,
    /// Stems that a negation reaches: those of the next few words.
    negated: BTreeSet<String>,
}

/// What one sentence says about a presupposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bearing {
    Denies,
    Attests,
    Elsewhere,
    Silent,
}

/// How a sentence bears on a presupposition; `before` are the stems of the title and of the
/// sentence in front, to which a pronoun may point back.
fn bearing(given: &Presupposition, sentence: &Stated, before: &BTreeSet<String>) -> Bearing {
    let said = given
        .predicate
        .iter()
        .filter(|p| sentence.stems.contains(*p))
        .count();
    let here = overlaps(&sentence.stems, &given.subject);
    let near = here || overlaps(before, &given.subject);
    let whole = said == given.predicate.len();
    let another = sentence
        .names
        .iter()
        .any(|n| !given.subject.contains(n) && !given.predicate.contains(n));
    let denied = sentence.denial || overlaps(&sentence.negated, &given.predicate);
    match (whole, here, near) {
        (true, _, true) if denied && !given.negated => Bearing::Denies,
        (true, false, _) if another && !denied && !(near && sentence.pronoun) => Bearing::Elsewhere,
        (_, _, true) if said * 2 >= given.predicate.len() => Bearing::Attests,
        _ => Bearing::Silent,
    }
}

/// Looks for a denial, then for an attestation, then for another bearer.
pub(crate) fn false_premise(
    question: &Question<'_>,
    evidence: &[EvidenceView<'_>],
) -> Option<FalsePremise> {
    let given = presupposition(question)?;
    let mut evidence_for = Standing::default();
    for view in evidence {
        if let Some(failure) = weigh(&given, view, question.lexicon, &mut evidence_for) {
            return Some(failure);
        }
    }
    // A single word may be said in other words, and a common noun is no bearer: only a named
    // subject and two words or more can be missing, or be said of another name.
    if evidence_for.attested || given.predicate.len() < 2 || !given.named {
        return None;
    }
    match evidence_for.elsewhere {
        Some(id) => Some(report(
            PremiseFailure::AttributedElsewhere,
            &given,
            Some(&id),
        )),
        None => evidence_for
            .known
            .then(|| report(PremiseFailure::Unattested, &given, None)),
    }
}

/// What all passages together say of a presupposition.
#[derive(Debug, Default)]
struct Standing {
    /// Some passage knows the subject.
    known: bool,
    /// Some passage bears it.
    attested: bool,
    /// The first passage that says it of somebody else.
    elsewhere: Option<String>,
}

/// Weighs one passage; a denial ends the search.
fn weigh(
    given: &Presupposition,
    view: &EvidenceView<'_>,
    lexicon: &Lexicon,
    standing: &mut Standing,
) -> Option<FalsePremise> {
    let title = stems_of(view.title, lexicon).stems;
    let mut all = title.clone();
    let mut before = title.clone();
    for sentence in stated(view.text, lexicon) {
        match bearing(given, &sentence, &before) {
            Bearing::Denies => return Some(report(PremiseFailure::Denied, given, Some(view.id))),
            Bearing::Attests => standing.attested = true,
            Bearing::Elsewhere => {
                standing.elsewhere.get_or_insert_with(|| view.id.to_owned());
            }
            Bearing::Silent => {}
        }
        all.extend(sentence.stems.iter().cloned());
        before = title.union(&sentence.stems).cloned().collect();
    }
    let known = overlaps(&all, &given.subject);
    standing.known |= known;
    // Told in several sentences: the passage knows the subject and half of what is said of it.
    let said = given.predicate.iter().filter(|p| all.contains(*p)).count();
    let elsewhere_here = standing.elsewhere.as_deref() == Some(view.id);
    standing.attested |= known && !elsewhere_here && said * 2 >= given.predicate.len();
    None
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
        names: content(&tokens, lexicon)
            .filter(|t| t.capitalised)
            .map(|t| stem(lexicon, t))
            .collect(),
        pronoun: tokens
            .first()
            .is_some_and(|t| lexicon.has_word("pronoun", &t.folded)),
        denial: lexicon.patterns("denial").find(&tokens).is_some(),
        negated: negated(&tokens, lexicon),
    }
}

/// How many words behind a negation it reaches.
const NEGATION_REACH: usize = 5;

/// The stems behind each negation, up to the next break or [`NEGATION_REACH`] words.
fn negated(tokens: &[Token], lexicon: &Lexicon) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut reach = 0;
    for token in tokens {
        if token.after_break || token.starts_sentence {
            reach = 0;
        }
        if lexicon.has_word("negation", &token.folded) {
            reach = NEGATION_REACH;
        } else if reach > 0 {
            reach -= 1;
            out.insert(stem(lexicon, token));
        }
    }
    out
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
