//! Which sentences of a passage read alone.

use text_units::{sentences, words};

/// Words that lean on the sentence before: a claim that opens with one says nothing by itself.
const LEANING: &[&str] = &[
    "it",
    "its",
    "they",
    "them",
    "their",
    "he",
    "she",
    "his",
    "her",
    "this",
    "these",
    "those",
    "that",
    "such",
    "but",
    "and",
    "or",
    "so",
    "however",
    "therefore",
    "thus",
    "hence",
    "also",
    "moreover",
    "furthermore",
    "instead",
    "otherwise",
    "then",
    "yet",
    "which",
    "who",
    "both",
    "això",
    "aquest",
    "aquesta",
    "aquests",
    "aquestes",
    "ell",
    "ella",
    "ells",
    "elles",
    "però",
    "tanmateix",
    "també",
    "així",
    "llavors",
    "doncs",
    "altrament",
    "aquell",
    "aquella",
    "i",
    "o",
    "amb això",
    "per això",
];

/// The sentences of a passage that may stand as a claim of their own, whitespace made single.
///
/// Left out: headings, list and table lines, questions, fragments without a final mark or with
/// fewer than three words, and sentences that carry a bracketed marker of their own (`[3]`),
/// which a reader of pointers would take for a citation.
pub(super) fn standalone(text: &str) -> Vec<String> {
    blocks(text)
        .iter()
        .flat_map(|block| sentences(block))
        .map(|s| s.text.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|s| reads_alone(s))
        .collect()
}

/// Whether a sentence leans on one before it.
pub(super) fn leans(sentence: &str) -> bool {
    words(sentence)
        .next()
        .is_some_and(|w| LEANING.contains(&w.folded().as_ref()))
}

/// The runs of prose lines: blank lines, headings, list items, tables, quotes and code part them.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut current: Vec<&str> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        let fence = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= fence;
        if line.is_empty() || fence || in_code || is_marked(line) {
            flush(&mut current, &mut blocks);
            continue;
        }
        // A list item starts a block of its own, without its bullet.
        match line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            Some(item) => {
                flush(&mut current, &mut blocks);
                current.push(item.trim_start());
            }
            None => current.push(line),
        }
    }
    flush(&mut current, &mut blocks);
    blocks
}

fn flush(current: &mut Vec<&str>, blocks: &mut Vec<String>) {
    if !current.is_empty() {
        blocks.push(current.join(" "));
        current.clear();
    }
}

/// Lines that are layout, not prose.
fn is_marked(line: &str) -> bool {
    line.starts_with(['#', '|', '=', '>', '<'])
        || line
            .chars()
            .all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '))
}

fn reads_alone(sentence: &str) -> bool {
    let starts = sentence
        .chars()
        .find(|c| !matches!(c, '"' | '“' | '«' | '(' | '\'' | '‘' | '¿' | '¡'))
        .is_some_and(|c| c.is_uppercase() || c.is_numeric() || !(c.is_lowercase() || c == '['));
    let ends = sentence
        .trim_end_matches(['"', '”', '»', ')', '\'', '’'])
        .ends_with(['.', '!', '…', '。']);
    starts
        && ends
        && words(sentence).count() >= 3
        && !has_marker(sentence)
        && balanced(sentence)
        && sentence.len() <= 1_000
}

/// Whether there is something like `[3]` or `[E12]`.
fn has_marker(sentence: &str) -> bool {
    let mut rest = sentence;
    while let Some(at) = rest.find(['[', '【']) {
        let inner = rest[at..].trim_start_matches(['[', '【']);
        let end = inner.find([']', '】']).unwrap_or(inner.len());
        let inside = inner.get(..end).unwrap_or_default();
        if inside.chars().any(char::is_numeric) && inside.chars().count() <= 12 {
            return true;
        }
        rest = inner;
    }
    false
}

fn balanced(sentence: &str) -> bool {
    let count = |c: char| sentence.matches(c).count();
    count('(') == count(')')
        && count('[') == count(']')
        && count('"') % 2 == 0
        && count('“') == count('”')
        && count('«') == count('»')
}
