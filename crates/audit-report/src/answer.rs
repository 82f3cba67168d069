//! The answer with each claim linked to its passage, and the passages.

use std::collections::BTreeMap;
use std::ops::Range;

use grounded_answer::claim_lattice::{EvidenceEntry, ParseNote, Violation};
use grounded_answer::{SealedAnswer, SealedClaim};
use maud::{Markup, html};

use crate::page::hash;
use crate::text::{Marked, Prose, Shown, counted};
use crate::words;

/// An answer as its claims and passages are shown, wherever it comes from.
#[derive(Clone, Copy)]
pub(crate) struct Shape<'a> {
    /// Stands before every id, so that several answers fit on one page.
    pub(crate) prefix: &'a str,
    pub(crate) answer: &'a str,
    pub(crate) raw: Option<&'a str>,
    pub(crate) claims: &'a [SealedClaim],
    pub(crate) evidence: &'a [EvidenceEntry],
    pub(crate) violations: &'a [Violation],
    pub(crate) notes: &'a [ParseNote],
}

impl<'a> From<&'a SealedAnswer> for Shape<'a> {
    fn from(sealed: &'a SealedAnswer) -> Self {
        Self {
            prefix: "",
            answer: &sealed.answer,
            raw: sealed.raw_answer.as_deref(),
            claims: &sealed.claims,
            evidence: &sealed.evidence,
            violations: &sealed.violations,
            notes: &sealed.notes,
        }
    }
}

/// Which passage a pointer stands for, and who cites it.
pub(crate) struct Links<'a> {
    prefix: &'a str,
    number: BTreeMap<&'a str, usize>,
    cited_by: Vec<Vec<usize>>,
    cited_bytes: Vec<Vec<Range<usize>>>,
}

impl<'a> Links<'a> {
    pub(crate) fn new(sealed: &Shape<'a>) -> Self {
        let mut number = BTreeMap::new();
        for (n, entry) in sealed.evidence.iter().enumerate() {
            number.entry(entry.pointer_id.as_str()).or_insert(n);
        }
        let mut cited_by = vec![Vec::new(); sealed.evidence.len()];
        let mut cited_bytes = vec![Vec::new(); sealed.evidence.len()];
        for (c, claim) in sealed.claims.iter().enumerate() {
            for pointer in &claim.pointers {
                let slot = number
                    .get(pointer.as_str())
                    .and_then(|n| cited_by.get_mut(*n));
                if let Some(claims) = slot.filter(|claims| claims.last() != Some(&c)) {
                    claims.push(c);
                }
            }
            for passage in &claim.passages {
                let found = number.get(passage.pointer.as_str());
                if let Some(slot) = found.and_then(|n| cited_bytes.get_mut(*n)) {
                    slot.push(passage.bytes.clone());
                }
            }
        }
        Self {
            prefix: sealed.prefix,
            number,
            cited_by,
            cited_bytes,
        }
    }

    /// A pointer as a link to its passage, or as text where there is none.
    fn pointer(&self, pointer: &str) -> Markup {
        match self.number.get(pointer) {
            Some(n) => {
                html! { a href=(format!("#{}e{}", self.prefix, n + 1)) { (Shown(pointer)) } }
            }
            None => html! { span.bad { (Shown(pointer)) " (no such passage)" } },
        }
    }
}

/// The answer: its claims, or its words where it makes none.
pub(crate) fn answer(sealed: &Shape<'_>, links: &Links<'_>) -> Markup {
    html! {
        @if sealed.claims.is_empty() {
            p.text { (Shown(sealed.answer)) }
            p.soft { "There is no claim in it that could be verified." }
        } @else {
            (tally(sealed))
            @for (c, one) in sealed.claims.iter().enumerate() {
                @if let Some(heading) = heading(sealed.claims, c) { h3 { (Shown(heading)) } }
                (claim(c, one, links))
            }
        }
        @if !sealed.violations.is_empty() {
            h3 { "About the answer as a whole" }
            ul { @for found in sealed.violations { li { (words::violation(found)) } } }
        }
        @if !sealed.notes.is_empty() { (notes(sealed)) }
        @if let Some(raw) = sealed.raw {
            details {
                summary { "The model's text as it came" }
                pre tabindex="0" { (Shown(raw)) }
            }
        }
    }
}

/// The frame of a claim where it begins.
fn heading(claims: &[SealedClaim], c: usize) -> Option<&str> {
    let before = c
        .checked_sub(1)
        .and_then(|b| claims.get(b)?.frame.as_deref());
    let here = claims.get(c)?.frame.as_deref();
    here.filter(|frame| before != Some(*frame))
}

fn tally(sealed: &Shape<'_>) -> Markup {
    let borne = sealed.claims.iter().filter(|c| c.supported).count();
    html! {
        p { (counted(sealed.claims.len(), "claim", "claims")) ", " (borne) " borne out by what they cite." }
    }
}

fn claim(c: usize, claim: &SealedClaim, links: &Links<'_>) -> Markup {
    let coverage = &claim.coverage;
    html! {
        div.card.claim id=(format!("{}c{}", links.prefix, c + 1)) {
            p.text { (Shown(&claim.text)) }
            p {
                @if claim.supported { strong.good { "✓ borne out" } }
                @else { strong.bad { "✗ not borne out" } }
                @if claim.pointers.is_empty() { ", cites nothing" } @else {
                    ", cites "
                    @for (i, pointer) in claim.pointers.iter().enumerate() {
                        @if i > 0 { ", " } (links.pointer(pointer))
                    }
                }
            }
            @if !claim.violations.is_empty() {
                ul { @for found in &claim.violations { li { (words::violation(found)) } } }
            }
            @for passage in &claim.passages {
                blockquote { (Prose(&passage.text)) }
                p.soft { (links.pointer(&passage.pointer)) ": " (Shown(&passage.source)) }
            }
            p.soft {
                @if coverage.content_tokens > 0 {
                    (coverage.in_passages) " of " (coverage.content_tokens)
                    " content words stand in the cited text, "
                    (coverage.in_window) " together. "
                }
                @if claim.warrant_fired {
                    "Checked against the cited text: "
                    (claim.warrant_classes.iter().map(|c| words::anchor(*c)).collect::<Vec<_>>().join(", "))
                    "."
                } @else if coverage.content_tokens > 0 { "Nothing in it called for a further check: it holds no name, number, date or the like." }
            }
        }
    }
}

fn notes(sealed: &Shape<'_>) -> Markup {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for note in sealed.notes {
        *counts.entry(words::note(note.kind)).or_default() += 1;
    }
    html! {
        details {
            summary { "What the parser noted (" (sealed.notes.len()) ")" }
            ul { @for (what, times) in counts {
                li { (what) @if times > 1 { ", " (times) " times" } }
            } }
        }
    }
}

/// The passages that the model could cite, the cited words marked.
pub(crate) fn passages(sealed: &Shape<'_>, links: &Links<'_>) -> Markup {
    let cited = links.cited_by.iter().filter(|c| !c.is_empty()).count();
    html! {
        @if sealed.evidence.is_empty() { p { "No passage was offered to a model." } } @else {
            p { (counted(sealed.evidence.len(), "passage was", "passages were")) " offered, " (cited) " cited. Cited words are marked." }
        }
        @for (n, entry) in sealed.evidence.iter().enumerate() {
            @let by = links.cited_by.get(n).map_or(&[][..], Vec::as_slice);
            @let ranges = links.cited_bytes.get(n).cloned().unwrap_or_default();
            div.card id=(format!("{}e{}", links.prefix, n + 1)) {
                @let name = html! { (Shown(&entry.pointer_id)) ": " (Shown(if entry.title.is_empty() { &entry.source_id } else { &entry.title })) };
                // Among several answers the passages stand one level deeper.
                @if links.prefix.is_empty() { h3 { (name) } } @else { h4 { (name) } }
                @if by.is_empty() { p.soft { "Cited by no claim." } } @else {
                    p { @if by.len() == 1 { "Cited by claim " } @else { "Cited by claims " } @for (i, c) in by.iter().enumerate() {
                        @if i > 0 { ", " } a href=(format!("#{}c{}", links.prefix, c + 1)) { (c + 1) }
                    } }
                }
                details open[!by.is_empty()] {
                    summary { "Text" }
                    blockquote { (Marked { text: &entry.text, ranges }) }
                    p.soft {
                        (Shown(&entry.source_id)) ", bytes " (entry.location.bytes.start) "–" (entry.location.bytes.end)
                        br; "evidence " (hash(&entry.evidence_id.to_string()))
                        @if let Some(root) = &entry.document_root { br; "document root " code.hash { (Shown(root)) } }
                    }
                }
            }
        }
    }
}
