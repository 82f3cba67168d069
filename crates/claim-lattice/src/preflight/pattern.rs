//! Phrase patterns over the tokens of a question: the form in which word lists are data.

use std::collections::BTreeMap;

use super::lexicon::LexiconError;
use super::token::Token;

/// The widest gap that `...` may bridge, in words.
const GAP: usize = 5;
/// The most gaps in one pattern: bounds the work at one position by a constant.
const MAX_GAPS: usize = 2;
/// The most elements in one pattern.
const MAX_ELEMENTS: usize = 16;

/// One element of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Element {
    /// One of these folded words.
    Words(Vec<String>),
    /// A word that starts with one of these.
    Prefix(String),
    /// A word that ends with this and is longer.
    Suffix(String),
    /// A number in digits or words.
    Number,
    /// A capitalised or quoted word.
    Proper,
    /// Any one word.
    Any,
    /// Up to [`GAP`] words of the same sentence.
    Gap,
    /// The word here is none of these (nothing is consumed).
    Not(Vec<String>),
    /// Start of a sentence.
    Start,
    /// End of the question.
    End,
}

/// A sequence of elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    elements: Vec<Element>,
}

impl Pattern {
    /// Reads one line: words, `a/b` alternatives, `pre*`, `*suf`, `#` a number, `@` a name,
    /// `_` any word, `...` a gap, `!a/b` not these, `^` start, `$` end.
    pub(crate) fn parse(line: &str, number: usize) -> Result<Self, LexiconError> {
        let elements: Vec<Element> = line.split_whitespace().map(element).collect();
        let gaps = elements.iter().filter(|e| **e == Element::Gap).count();
        let consumes = elements.iter().any(|e| {
            !matches!(
                e,
                Element::Gap | Element::Not(_) | Element::Start | Element::End
            )
        });
        if gaps > MAX_GAPS || elements.len() > MAX_ELEMENTS || !consumes {
            return Err(LexiconError::Pattern {
                line: number,
                pattern: line.to_owned(),
            });
        }
        Ok(Self { elements })
    }

    /// The words by which a match can begin, if they can be listed.
    fn first_words(&self) -> Option<&[String]> {
        let first = self.elements.iter().find(|e| **e != Element::Start)?;
        match first {
            Element::Words(words) => Some(words),
            _ => None,
        }
    }

    /// The end of a match that begins at `at`.
    pub(crate) fn match_at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        match_elements(&self.elements, tokens, at)
    }
}

fn element(part: &str) -> Element {
    let list = |s: &str| s.split('/').map(ToOwned::to_owned).collect();
    match part {
        "#" => Element::Number,
        "@" => Element::Proper,
        "_" => Element::Any,
        "..." => Element::Gap,
        "^" => Element::Start,
        "$" => Element::End,
        _ => {
            if let Some(words) = part.strip_prefix('!') {
                Element::Not(list(words))
            } else if let Some(suffix) = part.strip_prefix('*') {
                Element::Suffix(suffix.to_owned())
            } else if let Some(prefix) = part.strip_suffix('*') {
                Element::Prefix(prefix.to_owned())
            } else {
                Element::Words(list(part))
            }
        }
    }
}

/// Recursion depth is at most [`MAX_ELEMENTS`].
fn match_elements(elements: &[Element], tokens: &[Token], at: usize) -> Option<usize> {
    let Some((first, rest)) = elements.split_first() else {
        return Some(at);
    };
    let token = tokens.get(at);
    let one = |holds: bool| {
        if holds {
            match_elements(rest, tokens, at + 1)
        } else {
            None
        }
    };
    match first {
        Element::Words(words) => one(token.is_some_and(|t| words.contains(&t.folded))),
        Element::Prefix(p) => one(token.is_some_and(|t| t.folded.starts_with(p.as_str()))),
        Element::Suffix(s) => {
            one(token.is_some_and(|t| t.folded.len() > s.len() && t.folded.ends_with(s.as_str())))
        }
        Element::Number => one(token.is_some_and(|t| t.number.is_some())),
        Element::Proper => one(token.is_some_and(Token::is_name)),
        Element::Any => one(token.is_some()),
        Element::Not(words) => {
            let hit = token.is_some_and(|t| words.contains(&t.folded));
            if hit {
                None
            } else {
                match_elements(rest, tokens, at)
            }
        }
        Element::Start => {
            if token.is_some_and(|t| t.starts_sentence) {
                match_elements(rest, tokens, at)
            } else {
                None
            }
        }
        Element::End => {
            if token.is_none() {
                match_elements(rest, tokens, at)
            } else {
                None
            }
        }
        Element::Gap => (0..=GAP)
            .take_while(|&n| {
                n == 0
                    || tokens
                        .get(at + n - 1)
                        .is_some_and(|t| n == 1 || !t.starts_sentence)
            })
            .find_map(|n| match_elements(rest, tokens, at + n)),
    }
}

/// A match, as a range of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    /// First token.
    pub(crate) start: usize,
    /// One past the last token.
    pub(crate) end: usize,
}

impl Match {
    /// Length in tokens.
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether `inner` lies inside and is shorter.
    pub(crate) fn hides(self, inner: Self) -> bool {
        self.start <= inner.start && inner.end <= self.end && inner.len() < self.len()
    }

    /// Whether this reading of the words overrules another: they share a word, and this one is
    /// no shorter.
    pub(crate) fn overrules(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end && self.len() >= other.len()
    }
}

/// Patterns of one section, indexed by the first word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PatternSet {
    patterns: Vec<Pattern>,
    by_first: BTreeMap<String, Vec<usize>>,
    unindexed: Vec<usize>,
}

impl PatternSet {
    /// Adds a pattern.
    pub(crate) fn push(&mut self, pattern: Pattern) {
        let index = self.patterns.len();
        match pattern.first_words() {
            Some(words) => {
                for word in words {
                    self.by_first.entry(word.clone()).or_default().push(index);
                }
            }
            None => self.unindexed.push(index),
        }
        self.patterns.push(pattern);
    }

    /// The longest match that begins at `at`.
    pub(crate) fn longest_at(&self, tokens: &[Token], at: usize) -> Option<Match> {
        let token = tokens.get(at)?;
        let listed = self.by_first.get(&token.folded).into_iter().flatten();
        listed
            .chain(&self.unindexed)
            .filter_map(|&i| self.patterns.get(i)?.match_at(tokens, at))
            .filter(|&end| end > at)
            .max()
            .map(|end| Match { start: at, end })
    }

    /// The longest match at each token where one begins, in order.
    pub(crate) fn find_all<'a>(&'a self, tokens: &'a [Token]) -> impl Iterator<Item = Match> + 'a {
        (0..tokens.len()).filter_map(|at| self.longest_at(tokens, at))
    }

    /// The first match.
    pub(crate) fn find(&self, tokens: &[Token]) -> Option<Match> {
        self.find_all(tokens).next()
    }
}
