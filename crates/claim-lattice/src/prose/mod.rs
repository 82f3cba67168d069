//! Free prose: four strategies, the first to find evidence wins.

mod canon;
mod markdown;
mod quotes;
#[cfg(feature = "wikitext")]
mod wikitext;

use std::ops::Range;

use text_units::is_whole_token;

use crate::codes::Code;
use crate::evidence::EvidenceMap;
use crate::index::{Entries, Index, Overlay, prepare};
use crate::ladder::{AuditMode, Label, VerifierMethod};
use crate::language::{Class, Lexicon};
use crate::parse::{AnswerMode, Claim, NoteKind, ParseNote, Parsed, Pointer};
use crate::policy::{EntityRule, Policy};
use crate::verdict::{ClaimVerdict, CoverageReport, Verdict, Violation};
use crate::verify::{names, verify_claims};
pub use canon::{CANONICALIZATION_VERSION, canonicalize};
#[cfg(feature = "wikitext")]
pub use wikitext::strip_wikitext;

/// A source whose role the policy allows, in canonical form.
struct Source<'a> {
    number: usize,
    pointer: &'a str,
    canonical: String,
}

struct Prose<'a> {
    question: &'a str,
    evidence: &'a EvidenceMap,
    answer: &'a str,
    sentences: &'a [Claim],
    sources: Vec<Source<'a>>,
    index: &'a Index,
    lexicon: &'a Lexicon,
    policy: &'a Policy,
}

/// What a strategy makes of the answer: its spans, each found or not.
type Found = Vec<ClaimVerdict>;

/// Verifies free prose.
pub(crate) fn verify(
    question: &str,
    evidence: &EvidenceMap,
    index: &Index,
    answer: &str,
    parsed: Parsed,
    policy: &Policy,
) -> Verdict {
    let lexicon = policy.language.lexicon();
    let Parsed { claims, mut notes } = parsed;
    let refusals = claims
        .iter()
        .filter(|c| lexicon.is_refusal(&c.text))
        .count();
    for claim in claims.iter().filter(|c| lexicon.is_refusal(&c.text)) {
        notes.push(ParseNote {
            kind: NoteKind::Refusal,
            span: claim.span.clone(),
        });
    }
    if refusals > 0 && refusals == claims.len() {
        return finish(
            Label::HonestRefusal,
            VerifierMethod::None,
            Vec::new(),
            notes,
        );
    }
    let prose = Prose {
        question,
        evidence,
        answer,
        sentences: &claims,
        sources: sources(evidence, policy),
        index,
        lexicon,
        policy,
    };
    let (spans, odd) = quotes::quoted_spans(answer);
    if let Some(at) = odd {
        notes.push(ParseNote {
            kind: NoteKind::UnpairedQuote,
            span: at..at,
        });
    }
    let mut nothing = Vec::new();
    for method in [
        VerifierMethod::Quote,
        VerifierMethod::Span,
        VerifierMethod::Entity,
        VerifierMethod::Paraphrase,
    ] {
        let found = match method {
            VerifierMethod::Quote => prose.quote(&spans),
            VerifierMethod::Span => prose.span(),
            VerifierMethod::Entity => prose.entity(),
            _ => prose.paraphrase(),
        };
        let supported = found.iter().filter(|c| c.supported()).count();
        if supported > 0 {
            let mode = if supported == found.len() {
                AuditMode::Strict
            } else {
                AuditMode::Hybrid
            };
            return finish(Label::Prose(mode), method, found, notes);
        }
        if nothing.is_empty() {
            nothing = found;
        }
    }
    let label = if refusals > 0 {
        Label::HonestRefusal
    } else {
        Label::Prose(AuditMode::Ungrounded)
    };
    finish(label, VerifierMethod::None, nothing, notes)
}

fn finish(label: Label, method: VerifierMethod, claims: Found, notes: Vec<ParseNote>) -> Verdict {
    let mode = match label {
        Label::Prose(mode) => mode,
        _ => AuditMode::Ungrounded,
    };
    Verdict::new(
        label,
        mode,
        method,
        AnswerMode::Quote,
        claims,
        Vec::new(),
        notes,
    )
}

fn sources<'a>(evidence: &'a EvidenceMap, policy: &Policy) -> Vec<Source<'a>> {
    evidence
        .entries()
        .iter()
        .enumerate()
        .filter(|(_, e)| policy.allowed_roles.contains(&e.source_role))
        .map(|(number, e)| Source {
            number,
            pointer: &e.pointer_id,
            canonical: canonicalize(&e.text, policy.prose.markup),
        })
        .collect()
}

/// Whether a canonical span stands in a canonical text as whole tokens.
fn stands_in(text: &str, span: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|t| t.find(span)) {
        let start = from + at;
        if is_whole_token(text, start..start + span.len()) {
            return true;
        }
        from = start + span.chars().next().map_or(1, char::len_utf8);
    }
    false
}

impl Prose<'_> {
    fn verdict(&self, text: &str, span: Range<usize>, pointers: Vec<String>) -> ClaimVerdict {
        let supported = !pointers.is_empty();
        let mut verdict = ClaimVerdict::new(&Claim {
            text: text.to_owned(),
            span,
            pointers: Vec::new(),
            malformed_pointer: false,
        });
        verdict.set_pointers(pointers);
        if !supported {
            verdict.push(Violation::new(Code::SpanNotFound));
        }
        verdict.settle_prose(supported);
        verdict
    }

    fn verbatim(&self, text: &str) -> Vec<String> {
        let canonical = canonicalize(text, self.policy.prose.markup);
        let wanted = canonical.trim_matches(|c: char| c.is_whitespace() || ".,;:!?".contains(c));
        if wanted.is_empty() {
            return Vec::new();
        }
        self.sources
            .iter()
            .filter(|s| stands_in(&s.canonical, wanted))
            .map(|s| s.pointer.to_owned())
            .collect()
    }

    /// Each quoted span verbatim in a source.
    fn quote(&self, spans: &[Range<usize>]) -> Found {
        spans
            .iter()
            .map(|span| {
                let text = self.answer.get(span.clone()).unwrap_or_default();
                self.verdict(text, span.clone(), self.verbatim(text))
            })
            .collect()
    }

    /// Sentences and bullets verbatim in a source.
    fn span(&self) -> Found {
        self.sentences
            .iter()
            .map(|s| self.verdict(&s.text, s.span.clone(), self.verbatim(&s.text)))
            .collect()
    }

    /// Capitalised phrases of two words or more, found in a source.
    fn entity(&self) -> Found {
        let mut overlay = Overlay::new(&self.index.vocabulary);
        let prepared = prepare(self.answer, &mut overlay, self.lexicon);
        let mut phrases: Vec<(String, Range<usize>)> = Vec::new();
        for name in names(&prepared, &overlay) {
            let (Some(first), Some(last)) = (name.tokens.first(), name.tokens.last()) else {
                continue;
            };
            let bounds = (prepared.tokens.get(*first), prepared.tokens.get(*last));
            let (Some(first), Some(last), true) = (bounds.0, bounds.1, name.tokens.len() > 1)
            else {
                continue;
            };
            let span = first.start as usize..last.end as usize;
            let text = prepared.text().get(span.clone()).unwrap_or_default();
            if !phrases.iter().take(256).any(|(t, _)| t == text) {
                phrases.push((text.to_owned(), prepared.cleaned.original_range(span)));
            }
        }
        if !self.entities_pass(&phrases) {
            return Vec::new();
        }
        phrases
            .into_iter()
            .map(|(text, span)| {
                let pointers = self.verbatim(&text);
                self.verdict(&text, span, pointers)
            })
            .collect()
    }

    fn entities_pass(&self, phrases: &[(String, Range<usize>)]) -> bool {
        let policy = &self.policy.prose;
        let canonical: Vec<String> = phrases
            .iter()
            .map(|(t, _)| canonicalize(t, policy.markup))
            .collect();
        if canonical.is_empty() {
            return false;
        }
        self.sources.iter().any(|source| match policy.entity_rule {
            EntityRule::Strict => canonical.iter().all(|p| stands_in(&source.canonical, p)),
            EntityRule::Proximity => close_together(
                &source.canonical,
                &canonical,
                policy.proximity_entities as usize,
                policy.proximity_chars as usize,
            ),
        })
    }

    /// Sentences most of whose content tokens stand in one source.
    fn paraphrase(&self) -> Found {
        let policy = &self.policy.prose;
        let mut overlay = Overlay::new(&self.index.vocabulary);
        let mut out = Vec::new();
        for sentence in self.sentences {
            let prepared = prepare(&sentence.text, &mut overlay, self.lexicon);
            let mut wanted: Vec<u32> = Vec::new();
            for token in &prepared.tokens {
                let entry = overlay.entry(token.word);
                let letters = prepared
                    .text()
                    .get(token.start as usize..token.end as usize)
                    .map_or(0, |t| t.chars().filter(|c| c.is_alphabetic()).count());
                if !entry.class.has(Class::STOP)
                    && letters >= policy.paraphrase_min_letters as usize
                {
                    wanted.push(entry.stem);
                }
            }
            wanted.sort_unstable();
            wanted.dedup();
            if wanted.is_empty() || wanted.len() < policy.paraphrase_min_tokens as usize {
                continue;
            }
            out.push(self.paraphrase_verdict(sentence, &wanted));
        }
        out
    }

    fn paraphrase_verdict(&self, sentence: &Claim, wanted: &[u32]) -> ClaimVerdict {
        let threshold = self.policy.prose.paraphrase_percent;
        let held = |number: usize| {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            wanted
                .iter()
                .filter(|&&id| self.index.holders(id).binary_search(&number).is_ok())
                .count()
        };
        let most = self
            .sources
            .iter()
            .map(|s| held(s.number))
            .max()
            .unwrap_or(0);
        let enough = |count: usize| count * 100 >= usize::from(threshold) * wanted.len();
        let mut pointers: Vec<String> = self
            .sources
            .iter()
            .filter(|s| enough(held(s.number)))
            .map(|s| s.pointer.to_owned())
            .collect();
        let covered = !pointers.is_empty();
        let mut verdict = ClaimVerdict::new(sentence);
        if self.policy.prose.paraphrase_warrant {
            let mut refused = Vec::new();
            pointers.retain(|pointer| match self.refusals(sentence, pointer) {
                None => true,
                Some(violations) => {
                    refused.extend(violations);
                    false
                }
            });
            if pointers.is_empty() {
                refused.into_iter().for_each(|v| verdict.push(v));
            }
        }
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        verdict.set_coverage(
            CoverageReport {
                content_tokens: count(wanted.len()),
                in_passages: count(most),
                in_window: 0,
            },
            None,
        );
        let supported = !pointers.is_empty();
        if !covered {
            verdict.push(
                Violation::new(Code::LowCoverage)
                    .measured(count(most * 100 / wanted.len()), u32::from(threshold)),
            );
        }
        verdict.set_pointers(pointers);
        verdict.settle_prose(supported);
        verdict
    }
}

impl Prose<'_> {
    /// What is wrong with a sentence as a claim that cites one source; none where nothing is.
    fn refusals(&self, sentence: &Claim, pointer: &str) -> Option<Vec<Violation>> {
        let pointers = vec![Pointer {
            id: pointer.to_owned(),
            span: sentence.span.clone(),
        }];
        let claims = vec![Claim {
            pointers,
            ..sentence.clone()
        }];
        let parsed = Parsed {
            claims,
            notes: Vec::new(),
        };
        let (mode, index) = (AnswerMode::Pointer, self.index);
        let verdict = verify_claims(
            self.question,
            self.evidence,
            index,
            parsed,
            mode,
            self.policy,
        );
        let claim = verdict.claims().first()?;
        if claim.supported() {
            return None;
        }
        let hard = claim.violations().iter().filter(|v| !v.code.is_demote());
        Some(hard.cloned().collect())
    }
}

/// Whether enough distinct phrases stand within so many characters of one text, from the start
/// of the first to the end of the last. Two pointers over the places: linear in them.
fn close_together(text: &str, phrases: &[String], enough: usize, chars: usize) -> bool {
    let mut places: Vec<(usize, usize, usize)> = Vec::new();
    for (number, phrase) in phrases.iter().enumerate() {
        for (at, _) in text.match_indices(phrase.as_str()) {
            if is_whole_token(text, at..at + phrase.len()) {
                places.push((at, at + phrase.len(), number));
            }
        }
    }
    places.sort_unstable();
    let mut counts = vec![0_usize; phrases.len()];
    let mut distinct = 0;
    let mut left = 0;
    for &(_, end, number) in &places {
        if let Some(count) = counts.get_mut(number) {
            distinct += usize::from(*count == 0);
            *count += 1;
        }
        while let Some(&(start, _, old)) = places.get(left)
            && farther_than(text, start..end, chars)
        {
            if let Some(count) = counts.get_mut(old) {
                *count -= 1;
                distinct -= usize::from(*count == 0);
            }
            left += 1;
        }
        if distinct >= enough.max(1) {
            return true;
        }
    }
    false
}

/// Whether a range is longer than so many characters; long ranges are not counted out.
fn farther_than(text: &str, range: Range<usize>, chars: usize) -> bool {
    range.len() > chars.saturating_mul(4)
        || text.get(range).is_some_and(|t| t.chars().count() > chars)
}
