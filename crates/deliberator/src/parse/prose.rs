//! Prose with a stated confidence.

use std::collections::BTreeSet;

use super::{ParseFailure, ParseNote, Reply};

/// Reads prose: its lines but for the one that states the confidence are the conclusion.
pub(super) fn read(
    answer: &str,
    material: &[&str],
    mut notes: BTreeSet<ParseNote>,
) -> Result<Reply, ParseFailure> {
    if answer.starts_with(['{', '[']) || answer.starts_with("```") {
        return Err(ParseFailure::NoConclusion {
            reason: "it starts like JSON or code and is neither JSON nor prose".to_owned(),
        });
    }
    notes.insert(ParseNote::Prose);
    let material: Vec<String> = material.iter().map(|m| m.to_lowercase()).collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut stated = None;
    for line in answer.lines() {
        match stated_confidence(line) {
            Some(found) => {
                // A confidence that is copied from the material is nobody's.
                if !material.iter().any(|m| m.contains(&found.words)) {
                    stated = Some(found.number);
                }
                if !found.alone {
                    kept.push(line);
                }
            }
            None => kept.push(line),
        }
    }
    let text = kept.join("\n");
    let text = text.trim();
    let conclusion = strip_label(text).trim();
    let labelled = conclusion.len() != text.len();
    if labelled && material.iter().any(|m| m.contains(&text.to_lowercase())) {
        return Err(ParseFailure::Echo);
    }
    if conclusion.is_empty() {
        return Err(ParseFailure::NoConclusion {
            reason: "only a confidence".to_owned(),
        });
    }
    let confidence = match stated {
        Some((value, percent)) => in_range(value, percent, &mut notes),
        None => {
            notes.insert(ParseNote::ConfidenceMissing);
            0.0
        }
    };
    Ok(Reply {
        conclusion: conclusion.to_owned(),
        confidence,
        notes: notes.into_iter().collect(),
        ..Reply::default()
    })
}

/// A confidence that a line states.
struct Stated {
    /// The number, and whether it is a percentage.
    number: (f64, bool),
    /// The words that state it, in lower case.
    words: String,
    /// Whether the line states nothing else.
    alone: bool,
}

fn stated_confidence(line: &str) -> Option<Stated> {
    let lower = line.to_lowercase();
    let (at, word) = ["confidence", "confiança"]
        .iter()
        .find_map(|word| lower.rfind(word).map(|at| (at, *word)))?;
    let rest = lower.get(at + word.len()..)?;
    let number_at = rest.find(|c: char| c.is_ascii_digit())?;
    // The number follows at once: `: `, ` = `, ` of `, ` is `, `** `.
    if rest.get(..number_at)?.chars().count() > 6 || rest.get(..number_at)?.contains('.') {
        return None;
    }
    let number = number_in(rest)?;
    let before = lower.get(..at).unwrap_or_default();
    let alone = before.chars().all(|c| !c.is_alphanumeric());
    let digits = rest.get(number_at..)?;
    let end = digits
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .unwrap_or(digits.len());
    let stated = lower.get(at..at + word.len() + number_at + end)?;
    Some(Stated {
        number,
        words: stated.trim_end_matches(['.', ',']).to_owned(),
        alone,
    })
}

fn strip_label(text: &str) -> &str {
    for label in ["conclusion:", "conclusió:", "answer:", "resposta:"] {
        let start = text.trim_start_matches(['*', '#', ' ']);
        if let Some(head) = start.get(..label.len())
            && head.to_lowercase() == label
        {
            return start.get(label.len()..).unwrap_or_default();
        }
    }
    text
}

/// The first number of a text, with a point or a comma, and whether a percent sign follows.
pub(super) fn number_in(text: &str) -> Option<(f64, bool)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let negative = text.get(..start)?.ends_with(['-', '\u{2212}']);
    let rest = text.get(start..)?;
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .unwrap_or(rest.len());
    let digits = rest.get(..end)?.trim_end_matches(['.', ',']);
    let value: f64 = digits.replace(',', ".").parse().ok()?;
    let percent = rest.get(digits.len()..)?.trim_start().starts_with('%');
    Some((if negative { -value } else { value }, percent))
}

/// A confidence from 0 to 1. A percentage is divided; so is a bare number from 1 to 100, which
/// can only lower it; anything else counts as 0.
pub(super) fn in_range(value: f64, percent: bool, notes: &mut BTreeSet<ParseNote>) -> f64 {
    if !percent && (0.0..=1.0).contains(&value) {
        return value;
    }
    if (0.0..=100.0).contains(&value) {
        notes.insert(ParseNote::ConfidenceAsPercent);
        return value / 100.0;
    }
    notes.insert(ParseNote::ConfidenceOutOfRange);
    0.0
}
