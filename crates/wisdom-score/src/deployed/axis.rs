//! Whether the opening names an axis, by the references' eight patterns (deployed page §5).

use super::chars::{Dialect, char_at, char_before, skip};

const POLES: [&str; 8] = ["PLA", "MON", "SUB", "OBJ", "TEO", "PRA", "FEN", "NOU"];
/// The opening, in units of the reference.
pub(super) const OPENING: usize = 600;

/// The opening: 600 UTF-16 units or code points.
pub(super) fn opening(text: &str, dialect: Dialect) -> &str {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += match dialect {
            Dialect::Js => c.len_utf16(),
            Dialect::Php => 1,
        };
        if units > OPENING {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// Whether any of the patterns is found.
pub(super) fn names_axis(text: &str, dialect: Dialect) -> bool {
    let matcher = Matcher {
        text: opening(text, dialect),
        dialect,
    };
    let mut starts = matcher.text.char_indices().map(|(at, _)| at);
    starts.any(|at| matcher.boundary(at) && matcher.pattern_at(at))
}

struct Matcher<'t> {
    text: &'t str,
    dialect: Dialect,
}

impl Matcher<'_> {
    fn pattern_at(&self, at: usize) -> bool {
        self.joined_poles(at)
            || self.axis_of(at)
            || self.tension(at)
            || self.sits_on(at)
            || self.presents(at)
            || self.counted(
                at,
                "two",
                &["readings", "views", "frames", "ways", "stances"],
            )
            || self.counted(at, "two", &["paradigms", "perspectives", "horns"])
            || self.counted(
                at,
                "competing",
                &["readings", "views", "frames", "paradigms"],
            )
            || self.counted(at, "competing", &["perspectives", "positions", "claims"])
    }

    /// Patterns 1 and 2: two poles joined by a sign, or side by side before `axis`.
    fn joined_poles(&self, at: usize) -> bool {
        let Some(first) = self.pole(at) else {
            return false;
        };
        let sign = self.spaces(first);
        let signs = ["\u{2194}", "--", "-", "\u{2013}", "\u{2014}", "/"];
        let joined = signs.iter().any(|s| {
            let after = self.literal(sign, s).map(|end| self.spaces(end));
            let second = after.and_then(|end| self.pole(end));
            second.is_some_and(|end| self.boundary(end))
        });
        let between = skip(self.text, first, |c| c == '-' || self.dialect.is_space(c));
        let beside = between > first
            && self.pole(between).is_some_and(|second| {
                let word = self.spaces(second);
                word > second && self.literal(word, "axis").is_some()
            });
        joined || beside
    }

    /// Pattern 3: `axis`, some punctuation and a preposition, up to 140 characters, a pole.
    fn axis_of(&self, at: usize) -> bool {
        let Some(after) = self.literal(at, "axis") else {
            return false;
        };
        let first = self.spaces(after);
        let sign = self
            .literal(first, ":")
            .or_else(|| self.literal(first, "-"));
        let second = sign.map(|end| self.spaces(end));
        let mut starts = vec![after, first];
        starts.extend(sign);
        starts.extend(second);
        for from in [Some(after), Some(first), sign, second]
            .into_iter()
            .flatten()
        {
            let words = ["between", "of", "on", "over", "do"];
            starts.extend(words.iter().filter_map(|word| self.literal(from, word)));
        }
        starts.into_iter().any(|start| self.pole_within(start, 140))
    }

    /// Pattern 4: `tension between`, up to 140 characters, a pole.
    fn tension(&self, at: usize) -> bool {
        let after = self.words(at, &[&["tension"], &["between", "in", "across"]]);
        after.is_some_and(|end| self.pole_within(end, 140))
    }

    /// Pattern 5: `sits on the`, up to 80 characters, `axis`.
    fn sits_on(&self, at: usize) -> bool {
        let articles: &[&str] = &["an", "a", "the"];
        let after = self.words(at, &[&["sits", "sit"], &["on", "at", "in"], articles]);
        let start = after.map(|end| (end, self.spaces(end)));
        let start = start.filter(|(end, start)| start > end);
        start.is_some_and(|(_, start)| {
            self.within(start, 80, |at| {
                let end = self.literal(at, "axis").filter(|_| self.boundary(at));
                end.is_some_and(|end| self.boundary(end))
            })
        })
    }

    /// Pattern 6: `presents a dialectic`.
    fn presents(&self, at: usize) -> bool {
        let articles: &[&str] = &["an", "a", "the"];
        let nouns: &[&str] = &["axis", "tension", "polarity", "dialectic"];
        self.words(at, &[&["presents", "present"], articles, nouns])
            .is_some()
    }

    /// Patterns 7 and 8: `two readings`, `competing claims`.
    fn counted(&self, at: usize, word: &str, nouns: &[&str]) -> bool {
        let end = self.words(at, &[&[word], nouns]);
        end.is_some_and(|end| self.boundary(end))
    }

    /// Words with spaces between, each one of several; the first that fits is taken, which is
    /// right because what follows must be a space.
    fn words(&self, at: usize, words: &[&[&str]]) -> Option<usize> {
        let mut at = at;
        for (index, options) in words.iter().enumerate() {
            if index > 0 {
                let start = self.spaces(at);
                if start == at {
                    return None;
                }
                at = start;
            }
            let last = index + 1 == words.len();
            let fits = |end: &usize| last || self.spaces(*end) > *end;
            let ends = options.iter().filter_map(|option| self.literal(at, option));
            at = ends.filter(fits).max()?;
        }
        Some(at)
    }

    fn pole_within(&self, from: usize, most: usize) -> bool {
        self.within(from, most, |at| {
            self.boundary(at) && self.pole(at).is_some()
        })
    }

    /// Whether `found` holds at `from` or after up to `most` characters that are no newline.
    fn within(&self, from: usize, most: usize, found: impl Fn(usize) -> bool) -> bool {
        let mut at = from;
        for _ in 0..=most {
            if found(at) {
                return true;
            }
            match char_at(self.text, at) {
                Some(c) if c != '\n' => at += c.len_utf8(),
                _ => return false,
            }
        }
        false
    }

    fn pole(&self, at: usize) -> Option<usize> {
        POLES.iter().find_map(|pole| self.literal(at, pole))
    }

    fn literal(&self, at: usize, literal: &str) -> Option<usize> {
        let rest = self.text.get(at..)?;
        rest.starts_with(literal).then_some(at + literal.len())
    }

    fn spaces(&self, at: usize) -> usize {
        skip(self.text, at, |c| self.dialect.is_space(c))
    }

    fn boundary(&self, at: usize) -> bool {
        let word = |c: Option<char>| c.is_some_and(|c| self.dialect.is_word(c));
        word(char_before(self.text, at)) != word(char_at(self.text, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_and_reach_are_those_of_the_reference() {
        for yes in [
            "FEN NOU axiswise",
            "axis of the FENOMENON",
            "axis      \n\n  : FEN",
            "tension inside FEN",
            "sits on the long axis",
            "presents a dialectical turn",
            "FEN--NOU",
        ] {
            assert!(names_axis(yes, Dialect::Js), "{yes}");
            assert!(names_axis(yes, Dialect::Php), "{yes}");
        }
        for no in [
            "FEN→NOU",
            "FEN---NOU",
            "axisFEN",
            "praxis FEN",
            "Axis FEN",
            "tensions in FEN",
            "Two views",
            "two claims",
            "competing ways",
        ] {
            assert!(!names_axis(no, Dialect::Js), "{no}");
            assert!(!names_axis(no, Dialect::Php), "{no}");
        }
        assert!(names_axis("éFEN-NOU", Dialect::Js));
        assert!(!names_axis("éFEN-NOU", Dialect::Php));
    }
}
