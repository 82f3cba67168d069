//! Rendering: under each claim the literal passage, by density.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceMap;
use crate::index::{Entries, Index, Overlay, prepare};
use crate::language::Class;
use crate::policy::Policy;
use crate::verdict::Verdict;

/// The widest window of a passage that is quoted, in words, before it is widened to sentences.
const WINDOW_WORDS: usize = 60;
/// The most words that the window is widened by to reach the ends of its sentences.
const MAX_WIDENING: usize = 120;

/// A rendered answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendering {
    /// The audit line.
    pub audit_line: String,
    /// The claims, in order.
    pub claims: Vec<RenderedClaim>,
}

/// A claim with the passages it cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedClaim {
    /// The claim's prose.
    pub text: String,
    /// Its pointers.
    pub pointers: Vec<String>,
    /// Whether it is supported.
    pub supported: bool,
    /// The codes of what was found wrong, as they stand on the wire.
    pub codes: Vec<String>,
    /// What it cites, literally; pointers that name nothing have none.
    pub passages: Vec<RenderedPassage>,
}

/// The part of a cited passage that holds most of the claim's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedPassage {
    /// The pointer.
    pub pointer: String,
    /// The source's id.
    pub source_id: String,
    /// The source's title.
    pub title: String,
    /// Literally what stands there.
    pub text: String,
    /// Where it stands in the passage, in bytes.
    pub bytes: Range<usize>,
}

/// Renders a verdict with the literal text of what each claim cites.
///
/// Of all positions of the claim's content words in a cited passage, the window of at most 60
/// words with the most distinct ones (the first of equals) is taken and widened to the ends of
/// its sentences. Linear in the cited passages.
#[must_use]
pub fn render(verdict: &Verdict, evidence: &EvidenceMap, policy: &Policy) -> Rendering {
    evidence
        .index
        .with(evidence.entries(), &policy.language, |index| Rendering {
            audit_line: verdict.audit_line().to_owned(),
            claims: verdict
                .claims()
                .iter()
                .map(|claim| RenderedClaim {
                    text: claim.text().to_owned(),
                    pointers: claim.pointers().to_vec(),
                    supported: claim.supported(),
                    codes: claim
                        .violations()
                        .iter()
                        .map(|v| v.code.wire_name().to_owned())
                        .collect(),
                    passages: claim
                        .pointers()
                        .iter()
                        .filter_map(|p| passage(claim.text(), p, evidence, index, policy))
                        .collect(),
                })
                .collect(),
        })
}

fn passage(
    claim: &str,
    pointer: &str,
    evidence: &EvidenceMap,
    index: &Index,
    policy: &Policy,
) -> Option<RenderedPassage> {
    let at = evidence.position(pointer)?;
    let entry = evidence.entries().get(at)?;
    let bytes = densest(claim, at, index, policy)?;
    Some(RenderedPassage {
        pointer: pointer.to_owned(),
        source_id: entry.source_id.clone(),
        title: entry.title.clone(),
        text: entry.text.get(bytes.clone())?.to_owned(),
        bytes,
    })
}

fn densest(claim: &str, passage: usize, index: &Index, policy: &Policy) -> Option<Range<usize>> {
    let lexicon = policy.language.lexicon();
    let mut overlay = Overlay::new(&index.vocabulary);
    let words = prepare(claim, &mut overlay, lexicon);
    let mut wanted: Vec<u32> = words
        .tokens
        .iter()
        .map(|t| overlay.entry(t.word))
        .filter(|e| !e.class.has(Class::EMPTY))
        .map(|e| e.stem)
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    let text = index.passage(passage)?;
    let hits: Vec<(usize, usize)> = text
        .tokens
        .iter()
        .enumerate()
        .filter_map(|(i, t)| {
            let stem = index.vocabulary.entry(t.word).stem;
            wanted.binary_search(&stem).ok().map(|w| (i, w))
        })
        .collect();
    let (first, last) = best_span(&hits, wanted.len());
    let from = text.sentences.get(text.sentence_of(first))?;
    let to = text.sentences.get(text.sentence_of(last))?;
    // A sentence without end is cut, or what is written would grow with its length times claims.
    let start = if first.saturating_sub(from.tokens.start) > MAX_WIDENING {
        text.tokens.get(first - MAX_WIDENING)?.start as usize
    } else {
        from.span.start
    };
    let end = if to.tokens.end.saturating_sub(last) > MAX_WIDENING {
        text.tokens.get(last + MAX_WIDENING)?.start as usize
    } else {
        to.span.end
    };
    Some(text.cleaned.original_range(start..end))
}

/// The first and last token of the window with the most distinct words. Two pointers over the
/// hits: linear.
fn best_span(hits: &[(usize, usize)], words: usize) -> (usize, usize) {
    let mut counts = vec![0_usize; words];
    let mut distinct = 0;
    let mut left = 0;
    let mut best = (0, 0, 0);
    for &(token, word) in hits {
        if let Some(count) = counts.get_mut(word) {
            distinct += usize::from(*count == 0);
            *count += 1;
        }
        while let Some(&(first, old)) = hits.get(left)
            && token - first >= WINDOW_WORDS
        {
            if let Some(count) = counts.get_mut(old) {
                *count -= 1;
                distinct -= usize::from(*count == 0);
            }
            left += 1;
        }
        let start = hits.get(left).map_or(token, |h| h.0);
        if distinct > best.0 {
            best = (distinct, start, token);
        }
    }
    (best.1, best.2)
}

impl Rendering {
    /// As plain text.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let mut out = format!("{}\n", self.audit_line);
        for claim in &self.claims {
            out.push('\n');
            out.push_str(if claim.supported { "+ " } else { "- " });
            out.push_str(&claim.text);
            if !claim.pointers.is_empty() {
                out.push_str(&format!(" [{}]", claim.pointers.join(",")));
            }
            out.push('\n');
            if !claim.codes.is_empty() {
                out.push_str(&format!("    ({})\n", claim.codes.join(", ")));
            }
            for passage in &claim.passages {
                out.push_str(&format!("    {}", passage.pointer));
                if !passage.title.is_empty() {
                    out.push_str(&format!(", {}", passage.title));
                }
                out.push_str(&format!(": \"{}\"\n", one_line(&passage.text)));
            }
        }
        out
    }

    /// As Markdown. What claims and passages hold is escaped, so that it cannot turn into
    /// markup.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n", escape(&self.audit_line));
        for claim in &self.claims {
            out.push_str("\n- ");
            out.push_str(if claim.supported { "[x] " } else { "[ ] " });
            out.push_str(&escape(&claim.text));
            if !claim.pointers.is_empty() {
                out.push_str(&format!(" \\[{}\\]", escape(&claim.pointers.join(","))));
            }
            if !claim.codes.is_empty() {
                out.push_str(&format!(" `{}`", claim.codes.join("` `")));
            }
            out.push('\n');
            for passage in &claim.passages {
                out.push_str(&format!(
                    "\n  > {} ({} {})\n",
                    escape(&one_line(&passage.text)),
                    passage.pointer,
                    escape(&passage.title)
                ));
            }
        }
        out
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
