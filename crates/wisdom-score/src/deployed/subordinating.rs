//! Subordinating synthesis as the references count it: patterns without word boundaries, and
//! chains of three parentheses (deployed page §5).

use super::chars::{Dialect, by_first_letter, char_at, fold, skip};
use super::forms::is_pattern_letter;

/// The patterns: ` ` is one or more spaces, `W` a word. Of one stem the longest comes first.
const PATTERNS: [&str; 62] = [
    "subsumes",
    "subsumed",
    "subsume",
    "reframes",
    "reframed",
    "reframe",
    "reframing",
    "foregrounds",
    "foregroundd",
    "foreground",
    "dissolves",
    "dissolved",
    "dissolve",
    "integrates",
    "integrated",
    "integrate",
    "integrating",
    "reconciles",
    "reconciled",
    "reconcile",
    "reconciling",
    "absorbs",
    "absorbd",
    "absorb",
    "encompasses",
    "encompassed",
    "encompasse",
    "encompass",
    "enables",
    "enabled",
    "enable",
    "articulates",
    "articulated",
    "articulate",
    "articulating",
    "press harder",
    "presses harder",
    "makes possible",
    "maked possible",
    "make possible",
    "treats W as",
    "treat W as",
    "preserves W while",
    "preserves W by",
    "preserves W without",
    "preserved W while",
    "preserved W by",
    "preserved W without",
    "preserve W while",
    "preserve W by",
    "preserve W without",
    "answers the",
    "answerd the",
    "answer the",
    "addresses the",
    "addressed the",
    "addresse the",
    "address the",
    "composes across",
    "composed across",
    "compose across",
    "coexist as",
];

/// A pattern in the text.
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Every hit of a verb, then every chain; each kind without overlaps.
pub(super) fn hits(text: &str, dialect: Dialect) -> Vec<Hit> {
    let by_letter = by_first_letter(&PATTERNS);
    let verb = |at: usize| {
        let first = fold(char_at(text, at)?);
        let patterns = by_letter.get(first as usize)?.iter();
        let mut patterns = patterns.filter_map(|index| PATTERNS.get(*index));
        patterns.find_map(|pattern| pattern_at(text, at, pattern, dialect))
    };
    let mut hits = without_overlap(text, verb);
    hits.extend(without_overlap(text, |at| chain_at(text, at)));
    hits
}

fn without_overlap(text: &str, hit: impl Fn(usize) -> Option<usize>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut resume = 0;
    for (start, _) in text.char_indices() {
        if start >= resume
            && let Some(end) = hit(start)
        {
            hits.push(Hit { start, end });
            resume = end;
        }
    }
    hits
}

fn pattern_at(text: &str, start: usize, pattern: &str, dialect: Dialect) -> Option<usize> {
    let mut at = start;
    for letter in pattern.chars() {
        at = match letter {
            ' ' => run(text, at, |c| dialect.is_space(c))?,
            'W' => run(text, at, |c| dialect.is_word_folded(c))?,
            letter => {
                let c = char_at(text, at).filter(|c| fold(*c) == letter)?;
                at + c.len_utf8()
            }
        };
    }
    Some(at)
}

/// Past one or more characters of a class.
fn run(text: &str, at: usize, class: impl Fn(char) -> bool) -> Option<usize> {
    let end = skip(text, at, class);
    (end > at).then_some(end)
}

/// Three groups of letters in parentheses, 1 to 80 characters other than parentheses between.
fn chain_at(text: &str, start: usize) -> Option<usize> {
    let mut at = group(text, start)?;
    for _ in 0..2 {
        let gap = text.get(at..)?.char_indices().take(80);
        let mut outside = gap.take_while(|(_, c)| !matches!(c, '(' | ')')).peekable();
        outside.peek()?;
        let (last, c) = outside.last()?;
        at = group(text, at + last + c.len_utf8())?;
    }
    Some(at)
}

fn group(text: &str, at: usize) -> Option<usize> {
    let inside = text.get(at..)?.strip_prefix('(').map(|_| at + 1)?;
    let end = run(text, inside, is_pattern_letter)?;
    text.get(end..)?.starts_with(')').then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        hits(text, Dialect::Js).len()
    }

    #[test]
    fn verbs_have_no_boundaries() {
        for yes in [
            "foregrounding",
            "absorbent",
            "disintegrates",
            "expresses harder",
            "answers their",
        ] {
            assert_eq!(count(yes), 1, "{yes}");
        }
        for no in [
            "subsuming",
            "integration",
            "made possible",
            "answered the",
            "coexists as",
        ] {
            assert_eq!(count(no), 0, "{no}");
        }
        assert_eq!(hits("treats això as", Dialect::Php).len(), 1);
        assert_eq!(count("treats això as"), 0);
    }

    #[test]
    fn chains_take_three_groups_each() {
        assert_eq!(count("(a) x (b) x (c) x (d) x (e) x (f)"), 2);
        assert_eq!(count("(a) x (b) x (c) x (d) x (e)"), 1);
        assert_eq!(count("(a)(b)(c)"), 0);
        assert_eq!(count(&format!("(a){0}(b){0}(c)", "-".repeat(80))), 1);
        assert_eq!(count(&format!("(a){0}(b){0}(c)", "-".repeat(81))), 0);
    }
}
