//! What text extraction leaves behind: page furniture, noise of character recognition, debris of
//! citations.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What kind of debris a pattern finds (seed 003, "Per-entry artifact purge").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArtifactClass {
    /// Page numbers, running heads, tables of contents, rules.
    PageFurniture,
    /// Letters that no one wrote.
    OcrNoise,
    /// Reference lists, stray identifiers.
    CitationDebris,
}

/// How sure a pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactLevel {
    /// It may be meant.
    Possible,
    /// It is rarely meant.
    Likely,
    /// It cannot be meant.
    Certain,
}

/// Whether a line, trimmed and not empty, is an artifact.
type LineTest = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// A pattern: a test of one line.
#[derive(Clone)]
pub struct ArtifactPattern {
    /// Its name.
    pub name: String,
    /// What it finds.
    pub class: ArtifactClass,
    /// How sure it is.
    pub level: ArtifactLevel,
    test: LineTest,
}

impl std::fmt::Debug for ArtifactPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArtifactPattern")
            .field("name", &self.name)
            .field("class", &self.class)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

impl ArtifactPattern {
    /// A pattern of your own. `test` gets a line, trimmed and not empty.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        class: ArtifactClass,
        level: ArtifactLevel,
        test: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            class,
            level,
            test: Arc::new(test),
        }
    }

    /// Whether a line is an artifact of this pattern.
    #[must_use]
    pub fn matches(&self, line: &str) -> bool {
        let line = line.trim();
        !line.is_empty() && (self.test)(line)
    }
}

/// What a catalogue finds in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactFinding {
    /// The share of the text's characters, white space left out, in lines that match, in [0, 1].
    pub share: f64,
    /// The pattern that covers most characters; the first in the catalogue where several do.
    pub pattern: String,
    /// Its class.
    pub class: ArtifactClass,
}

/// Patterns, in order.
#[derive(Debug, Clone)]
pub struct ArtifactCatalogue {
    patterns: Vec<ArtifactPattern>,
}

impl Default for ArtifactCatalogue {
    /// The built-in patterns.
    fn default() -> Self {
        use ArtifactClass::{CitationDebris, OcrNoise, PageFurniture};
        use ArtifactLevel::{Certain, Likely, Possible};
        let one = |name, class, level, test: fn(&str) -> bool| {
            ArtifactPattern::new(name, class, level, test)
        };
        Self {
            patterns: vec![
                one("page_number", PageFurniture, Certain, page_number),
                one("rule", PageFurniture, Certain, rule),
                one("dot_leader", PageFurniture, Certain, dot_leader),
                one("running_notice", PageFurniture, Likely, running_notice),
                one("marker_row", CitationDebris, Likely, marker_row),
                one("spaced_letters", OcrNoise, Certain, spaced_letters),
                one("replacement_characters", OcrNoise, Certain, replacements),
                one("symbol_soup", OcrNoise, Likely, symbol_soup),
                one("vowelless", OcrNoise, Likely, vowelless),
                one("bare_identifier", CitationDebris, Certain, bare_identifier),
                one("reference_line", CitationDebris, Likely, reference_line),
                one("short_fragment", PageFurniture, Possible, short_fragment),
            ],
        }
    }
}

impl ArtifactCatalogue {
    /// Without patterns.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            patterns: Vec::new(),
        }
    }

    /// With one more pattern, the last.
    #[must_use]
    pub fn with(mut self, pattern: ArtifactPattern) -> Self {
        self.patterns.push(pattern);
        self
    }

    /// The patterns.
    #[must_use]
    pub fn patterns(&self) -> &[ArtifactPattern] {
        &self.patterns
    }

    /// What patterns of this level and above find in a text; none where no line matches.
    /// O(lines · patterns).
    #[must_use]
    pub fn find(&self, text: &str, level: ArtifactLevel) -> Option<ArtifactFinding> {
        let weight = |line: &str| line.chars().filter(|c| !c.is_whitespace()).count();
        let (mut all, mut covered) = (0, vec![0usize; self.patterns.len()]);
        for line in text.lines() {
            let w = weight(line);
            all += w;
            let first = self
                .patterns
                .iter()
                .position(|p| p.level >= level && p.matches(line));
            if let Some(c) = first.and_then(|i| covered.get_mut(i)) {
                *c += w;
            }
        }
        let total: usize = covered.iter().sum();
        let most = covered.iter().copied().max().filter(|&m| m > 0)?;
        let pattern = self
            .patterns
            .get(covered.iter().position(|&c| c == most)?)?;
        Some(ArtifactFinding {
            share: total as f64 / all.max(1) as f64,
            pattern: pattern.name.clone(),
            class: pattern.class,
        })
    }
}

/// `12`, `- 12 -`, `Page 3`, `Page 3 of 12`, `pàg. 4`, `3 / 12`, `xiv`.
fn page_number(line: &str) -> bool {
    let bare = line.trim_matches(|c: char| c.is_whitespace() || "-–—|[]()*".contains(c));
    let lower = bare.to_lowercase();
    let rest = ["page", "pg.", "p.", "pàgina", "pàg."]
        .iter()
        .find_map(|w| lower.strip_prefix(w))
        .unwrap_or(&lower);
    let numeral = |w: &str| {
        (!w.is_empty() && w.len() <= 4 && w.bytes().all(|b| b.is_ascii_digit()))
            || (bare.len() <= 6 && w.len() > 1 && w.chars().all(|c| "ivxl".contains(c)))
    };
    let mut parts = rest.split(|c: char| c.is_whitespace() || c == '/');
    let mut numbers = 0;
    let fits = parts.all(|w| {
        numbers += usize::from(numeral(w));
        w.is_empty() || w == "of" || w == "de" || numeral(w)
    });
    fits && (1..=2).contains(&numbers)
}

/// `-----`, `* * *`, `=====`.
fn rule(line: &str) -> bool {
    line.chars().count() >= 3
        && line
            .chars()
            .all(|c| c.is_whitespace() || "-–—_=*~#.+|·•".contains(c))
}

/// `Introduction ........ 7`.
fn dot_leader(line: &str) -> bool {
    let Some(at) = line.find("....").or_else(|| line.find(". . . .")) else {
        return false;
    };
    let rest = line.get(at..).unwrap_or_default();
    let rest = rest.trim_start_matches(['.', ' ']);
    !rest.is_empty() && rest.len() <= 5 && rest.chars().all(|c| c.is_ascii_digit() || c == '-')
}

/// Notices that stand on every page.
fn running_notice(line: &str) -> bool {
    const NOTICES: &[&str] = &[
        "all rights reserved",
        "this page intentionally left blank",
        "this page is intentionally left blank",
        "tots els drets reservats",
        "confidential",
        "skip to content",
        "skip to main content",
        "back to top",
        "table of contents",
        "click here",
        "cookie policy",
    ];
    let lower = line.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    NOTICES.contains(&bare)
        || (bare.starts_with("copyright") && bare.ends_with("all rights reserved"))
}

/// `T h e  q u i c k`.
fn spaced_letters(line: &str) -> bool {
    let parts: Vec<&str> = line.split_whitespace().collect();
    let single = parts
        .iter()
        .filter(|p| p.chars().count() == 1 && p.chars().all(char::is_alphabetic))
        .count();
    parts.len() >= 6 && single * 10 >= parts.len() * 8
}

/// A tenth or more of the characters could not be read.
fn replacements(line: &str) -> bool {
    let all = line.chars().filter(|c| !c.is_whitespace()).count();
    let bad = line.chars().filter(|&c| c == '\u{fffd}').count();
    bad > 0 && bad * 10 >= all
}

/// Fewer letters and digits than other signs.
fn symbol_soup(line: &str) -> bool {
    let all = line.chars().filter(|c| !c.is_whitespace()).count();
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    all >= 8 && letters * 2 < all && !rule(line)
}

/// Mostly words of Latin letters without a vowel.
fn vowelless(line: &str) -> bool {
    let latin = |w: &&str| w.len() >= 3 && w.bytes().all(|b| b.is_ascii_lowercase());
    let words: Vec<&str> = line.split_whitespace().filter(latin).collect();
    let without = words
        .iter()
        .filter(|w| !w.contains(['a', 'e', 'i', 'o', 'u', 'y']));
    words.len() >= 4 && without.count() * 2 > words.len()
}

/// Nothing but a DOI, a URL, an ISBN or an arXiv number.
fn bare_identifier(line: &str) -> bool {
    let lower = line.to_lowercase();
    let one = lower.split_whitespace().count() <= 2;
    let marks = [
        "doi:",
        "https://doi.org/",
        "http://",
        "https://",
        "isbn",
        "issn",
        "arxiv:",
        "10.",
    ];
    let digits = lower.bytes().any(|b| b.is_ascii_digit()) || lower.contains("://");
    one && digits
        && marks.iter().any(|m| lower.starts_with(m))
        && (!lower.starts_with("10.") || lower.contains('/'))
}

/// `[12] Smith, J. (1998). Title. Journal, 3(4), 12–17.`
fn reference_line(line: &str) -> bool {
    let numbered = line.starts_with('[')
        && line
            .get(1..)
            .and_then(|r| r.split_once(']'))
            .is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let year = line
        .split(|c: char| !c.is_ascii_digit())
        .any(|n| n.len() == 4 && (n.starts_with("19") || n.starts_with("20")));
    let lower = line.to_lowercase();
    let trade = ["et al", "pp.", "vol.", "doi", "journal", "proc.", "eds."];
    let marks = trade.iter().filter(|m| lower.contains(*m)).count();
    year && ((numbered && marks >= 1) || marks >= 2)
}

/// `[1] [2], [3]` and nothing else.
fn marker_row(line: &str) -> bool {
    line.matches('[').count() >= 2
        && line
            .chars()
            .all(|c| c.is_ascii_digit() || c.is_whitespace() || "[],;–-".contains(c))
}

/// One or two short words without an end: a heading's rest, a cell.
fn short_fragment(line: &str) -> bool {
    line.chars().count() <= 12 && !line.ends_with(['.', '!', '?', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_finds_its_own_and_spares_prose() {
        let catalogue = ArtifactCatalogue::default();
        let found = |line: &str| {
            let found = catalogue.find(line, ArtifactLevel::Likely);
            found.map(|f| f.pattern)
        };
        for (line, pattern) in [
            ("Page 3 of 12", "page_number"),
            ("- 12 -", "page_number"),
            ("xiv", "page_number"),
            ("pàg. 4", "page_number"),
            ("=========", "rule"),
            ("* * *", "rule"),
            ("Introduction ........ 7", "dot_leader"),
            ("© All rights reserved.", "running_notice"),
            ("T h e q u i c k fox", "spaced_letters"),
            ("b\u{fffd}dly r\u{fffd}ad", "replacement_characters"),
            ("|{}~^ %$ @@ ab", "symbol_soup"),
            ("thrgh bnd wtr nght fll", "vowelless"),
            ("doi:10.1000/182", "bare_identifier"),
            ("10.1000/182", "bare_identifier"),
            ("[12] Smith et al., 1998.", "reference_line"),
            (
                "Smith, J. (1998). Journal of Rain, vol. 3.",
                "reference_line",
            ),
            ("[1], [2] [3]", "marker_row"),
        ] {
            assert_eq!(found(line).as_deref(), Some(pattern), "{line}");
        }
        for line in [
            "The bridge has 12 spans and was built in 1998.",
            "I saw it.",
            "10.5 metres of rain fell in a year.",
            "See the journal for 1998.",
            "A page of three columns.",
            "let x = y + 2;",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn the_share_counts_characters_and_levels_filter() {
        let catalogue = ArtifactCatalogue::default();
        let text = "Page 3\nabcde\n";
        let found = catalogue.find(text, ArtifactLevel::Certain).unwrap();
        assert!((found.share - 0.5).abs() < 1e-12);
        let all = catalogue.find(text, ArtifactLevel::Possible).unwrap();
        assert!((all.share - 1.0).abs() < 1e-12);
        let own = ArtifactPattern::new(
            "stamp",
            ArtifactClass::PageFurniture,
            ArtifactLevel::Certain,
            |l| l == "DRAFT COPY",
        );
        let own = ArtifactCatalogue::empty().with(own);
        assert!(own.find("DRAFT COPY", ArtifactLevel::Certain).is_some());
        assert!(own.find("Page 3", ArtifactLevel::Possible).is_none());
    }
}
