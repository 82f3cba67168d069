//! 𝓕: how much a text names, counts, dates and cites, by its length.
//!
//! The kinds and weights are those of the reference, without its slips: names are two capitalized
//! words in a row, and a percent sign makes a quantity.

/// What a token looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `Bank`: one capital, then small letters.
    Title,
    /// `USA`: two to five capitals that are no code.
    Acronym,
    /// `1984`: four digits, 19 or 20 in front.
    Year,
    /// Any other run of digits.
    Number,
    /// A unit of measure.
    Unit,
    /// A word that may stand within a name.
    Connector,
    /// Anything else.
    Other,
}

impl Shape {
    pub(super) fn of(token: &[u8]) -> Self {
        let Some((first, rest)) = token.split_first() else {
            return Self::Other;
        };
        if first.is_ascii_lowercase() {
            return Self::Other;
        }
        if first.is_ascii_digit() {
            return Self::of_digits(token);
        }
        if first.is_ascii_uppercase() && !rest.is_empty() {
            if rest.iter().all(|b| b.is_ascii_lowercase() || !b.is_ascii()) {
                return Self::Title;
            }
            if rest.len() < 5 && rest.iter().all(u8::is_ascii_uppercase) {
                return Self::Acronym;
            }
        }
        Self::Other
    }

    fn of_digits(token: &[u8]) -> Self {
        if !token.iter().all(u8::is_ascii_digit) {
            return Self::Other;
        }
        match token {
            [b'1', b'9', _, _] | [b'2', b'0', _, _] => Self::Year,
            _ => Self::Number,
        }
    }
}

/// Counts of what makes a text factual.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facts {
    names: usize,
    acronyms: usize,
    citations: usize,
    quantities: usize,
    years: usize,
    /// What the last tokens may still become.
    open: Open,
    /// Where the last token that matters ended.
    end: usize,
}

/// What the last tokens may still become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Open {
    #[default]
    Nothing,
    /// Capitalized words: one is not a name yet.
    Name { words: usize },
    /// A name that goes on after `of`, `the` …
    Connected { words: usize },
    /// A number that a unit would make a quantity.
    Number,
}

impl Facts {
    /// Reads the next token of `text`.
    #[inline]
    pub(super) fn token(&mut self, text: &str, shape: Shape, span: std::ops::Range<usize>) {
        match shape {
            Shape::Other | Shape::Unit | Shape::Connector if self.open == Open::Nothing => {}
            Shape::Other => self.other(text, span),
            shape => self.shaped(text, shape, span),
        }
    }

    /// A code of the ontology: neither a name nor an acronym.
    #[inline]
    pub(super) fn code(&mut self) {
        self.open = Open::Nothing;
    }

    fn other(&mut self, text: &str, span: std::ops::Range<usize>) {
        // `Smith et al. (2020)`: the two words keep a name open.
        let keeps = matches!(text.get(span.clone()), Some("et" | "al"));
        match self.open {
            Open::Name { .. } if keeps => self.end = span.end,
            _ => self.open = Open::Nothing,
        }
    }

    fn shaped(&mut self, text: &str, shape: Shape, span: std::ops::Range<usize>) {
        let gap = text.get(self.end..span.start).unwrap_or_default();
        let adjacent = matches!(gap, " " | "\n");
        self.open = match (shape, self.open) {
            (Shape::Title, Open::Name { words } | Open::Connected { words }) if adjacent => {
                self.names += usize::from(words == 1);
                Open::Name { words: words + 1 }
            }
            (Shape::Title, _) => Open::Name { words: 1 },
            (Shape::Connector, Open::Name { words }) if adjacent => Open::Connected { words },
            (Shape::Acronym, _) => {
                self.acronyms += 1;
                Open::Nothing
            }
            (Shape::Year, open) => {
                self.years += 1;
                let named = matches!(open, Open::Name { .. });
                let cited = matches!(gap, " (" | ". (" | ", (" | "(") && closes(text, span.end);
                self.citations += usize::from(named && cited);
                self.number(text, &span)
            }
            (Shape::Number, _) => self.number(text, &span),
            (Shape::Unit, Open::Number) if adjacent || gap.is_empty() || gap == "\u{A0}" => {
                self.quantities += 1;
                Open::Nothing
            }
            _ => Open::Nothing,
        };
        self.end = span.end;
    }

    /// A number: a quantity at once if a percent or currency sign stands beside it.
    fn number(&mut self, text: &str, span: &std::ops::Range<usize>) -> Open {
        let before = text.get(..span.start).unwrap_or_default();
        let after = text.get(span.end..).unwrap_or_default();
        let after = after.strip_prefix([' ', '\u{A0}']).unwrap_or(after);
        let sign = |c: char| matches!(c, '%' | '‰' | '€' | '$' | '£');
        if before.ends_with(['€', '$', '£']) || after.starts_with(sign) {
            self.quantities += 1;
            return Open::Nothing;
        }
        Open::Number
    }

    /// References by hundred words over 8, at most 1 (the reference's scale).
    pub(super) fn density(&self, words: usize) -> f64 {
        if words == 0 {
            return 0.0;
        }
        let sum = 1.5 * self.names as f64
            + 0.8 * self.acronyms as f64
            + 2.5 * self.citations as f64
            + 1.5 * self.quantities as f64
            + self.years as f64;
        (sum / (words as f64 / 100.0) / 8.0).min(1.0)
    }
}

/// Whether a parenthesis closes at once, after at most one letter (`2020a`).
fn closes(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(')'))
}
