//! What the codes of the verifier mean, in words.

use grounded_answer::claim_lattice::{AnchorClass, Code, NoteKind, Violation};
use maud::{Markup, html};

use crate::text::{Shown, listed};

/// The most tokens and pointers that a violation lists.
const MOST_LISTED: usize = 24;

/// A violation in words, with what the decision hung on.
pub(crate) fn violation(found: &Violation) -> Markup {
    let kind = if found.code.is_demote() {
        "lowers the rung"
    } else {
        "not borne out"
    };
    html! {
        strong { (sentence(found.code)) }
        @if let Some(class) = found.class { " It hangs on " (anchor(class)) "." }
        @if !found.tokens.is_empty() {
            " Words concerned: " (Shown(&listed(&found.tokens, MOST_LISTED))) "."
        }
        @if !found.pointers.is_empty() {
            " Cited: " (Shown(&listed(&found.pointers, MOST_LISTED))) "."
        }
        @match (found.measured, found.threshold) {
            (Some(measured), Some(threshold)) => {
                " Measured " (measured) ", the policy asks for " (threshold) "."
            }
            (Some(measured), None) => { " Measured " (measured) "." }
            _ => {}
        }
        " " span.soft { "(" (found.code.wire_name()) ", " (kind) ")" }
    }
}

fn sentence(code: Code) -> &'static str {
    match code {
        Code::MalformedPointer => "Something like a pointer stands there and cannot be read.",
        Code::NoEvidencePointer => "It cites nothing.",
        Code::UnknownEvidence => "It cites a passage that was never offered.",
        Code::SourceRoleDenied => "It cites a source whose role the policy does not admit.",
        Code::EmptyClaim => "There are pointers and no claim.",
        Code::EvidenceEmpty => "The cited passage holds no words.",
        Code::LowCoverage => "Too few of its words stand in what it cites.",
        Code::SpanNotFound => "It stands in no source.",
        Code::PointerOverflowTrimmed => {
            "It cites more than the cap; the further pointers were cut."
        }
        Code::WarrantMissing => "The cited text does not bear what the claim hangs on.",
        Code::NotComparable => "The only number that could bear it reads in two ways.",
        Code::TitleMismatch => "No cited title shares a word with it.",
        Code::SubjectTokensAbsent => {
            "Words that question and claim share are not in the cited text."
        }
        Code::LazyAnchorDemoted => "Another offered passage covers it clearly better.",
        Code::TooManyClaims => "There are more claims than the policy's cap.",
        Code::BareNameClaim => "It is a bare name, not a statement.",
        Code::DeflectionDetected => "No claim takes up what the question is about.",
        Code::FormatCollapsed => "There are many lines of prose and not one pointer.",
        Code::DetailNotCovered => "Its words do not all stand together in the cited text.",
        Code::FrameMismatch => "It states one reference frame and cites another.",
        _ => "A check failed.",
    }
}

/// An anchor class in words.
pub(crate) fn anchor(class: AnchorClass) -> &'static str {
    match class {
        AnchorClass::ProperNouns => "names",
        AnchorClass::Dates => "dates",
        AnchorClass::EntityList => "the items of a list",
        AnchorClass::Counts => "counts",
        AnchorClass::Causes => "causes",
        AnchorClass::Modality => "possibility or fact",
        AnchorClass::Numbers => "numbers with units",
        AnchorClass::Negation => "affirmed or denied",
        AnchorClass::Comparatives => "the direction of a comparison",
        AnchorClass::Ordinals => "ordinals",
        AnchorClass::Quantifiers => "quantifiers",
        AnchorClass::Superlatives => "superlatives",
        AnchorClass::Substitution => "a word of a closed family",
        AnchorClass::Roles => "who does what to whom",
        _ => "a further class of words",
    }
}

/// What the parser noted, in words.
pub(crate) fn note(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::BracketStyle => "pointers in other brackets",
        NoteKind::MarkerStyle => "the pointer's letter in another case or width",
        NoteKind::DigitStyle => "digits of another script",
        NoteKind::SeparatorStyle => "another separator between pointers",
        NoteKind::RangeExpanded => "a range of pointers, written out",
        NoteKind::RangeAbbreviated => "an abbreviated range of pointers, written out",
        NoteKind::MalformedRange => "a range of pointers that runs backwards or too far",
        NoteKind::MalformedPointer => "something like a pointer that cannot be read",
        NoteKind::DuplicatePointer => "the same pointer twice",
        NoteKind::LeadingPointer => "pointers before their claim",
        NoteKind::InnerPointer => "pointers in the middle of a sentence",
        NoteKind::PointerOnOwnLine => "pointers on a line of their own",
        NoteKind::StrayPointer => "pointers that stand near no claim",
        NoteKind::PointerDecoration => "decoration of a pointer, dropped",
        NoteKind::ListMark => "a list mark, dropped",
        NoteKind::Heading => "a heading, no claim",
        NoteKind::TableFrame => "a table's header or rule, no claim",
        NoteKind::TableRow => "a table row, read as one claim",
        NoteKind::CodeFence => "the fence of a code block",
        NoteKind::LeadIn => "a line that introduces others, no claim",
        NoteKind::JsonInFence => "JSON inside a code fence",
        NoteKind::JsonInProse => "JSON between prose",
        NoteKind::JsonTruncated => "JSON that breaks off",
        NoteKind::JsonShape => "JSON of another shape than asked for",
        NoteKind::JsonMissing => "no JSON where JSON was asked for",
        NoteKind::JsonUnasked => "JSON where prose was asked for",
        NoteKind::UnpairedQuote => "a quotation mark that nothing closes",
        NoteKind::NoClaims => "nothing in the answer is a claim",
        NoteKind::Refusal => "the answer says that the sources do not answer",
        NoteKind::BrokeOff => "the model was cut off: what it did not finish was not read",
        _ => "a further remark",
    }
}

/// A tail of the audit line in words; none for a text that is no tail.
pub(crate) fn tail(words: &str) -> Option<&'static str> {
    Some(match words {
        "false premise" => {
            "The question presupposes something that the passages deny or do not hold. Its answer may be right and the question wrong."
        }
        "contradictory" => "The question asserts something and its opposite.",
        "stale risk" => {
            "The question asks for what may be newer than the documents. What they say may be outdated."
        }
        "out of corpus" => "None of the passages speaks of what the question is about.",
        "frame ambiguous" => {
            "A name in the question stands for several things in the documents; claims are sorted by which one they cite."
        }
        _ => return None,
    })
}
