//! Cutting documents into chunks, by the text-splitter crate.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

use crate::{Document, Error};

/// Sizes of chunks, in units of the sizer (characters by default, a model's tokens if the
/// caller counts them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkOptions {
    /// The most units in a chunk; default 1,000.
    pub max_size: usize,
    /// Units that a chunk may share with the one before; less than `max_size`, default 100.
    pub overlap: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self {
            max_size: 1_000,
            overlap: 100,
        }
    }
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// 32 hexadecimal digits out of the document's id, the chunk's place and its text: the same
    /// for the same chunk, always.
    pub id: String,
    /// Where it stands in the document's text, in bytes.
    pub bytes: Range<usize>,
    /// Where it stands in the document's text, in characters (Unicode scalar values).
    pub chars: Range<usize>,
}

/// Gives `(first byte, first character, bytes)` of each chunk of a text.
type Split = Box<dyn Fn(&str) -> Vec<(usize, usize, usize)> + Send + Sync>;

/// Cuts documents into chunks, at the coarsest boundary (section, paragraph, sentence, word)
/// that fits.
pub struct Chunker {
    splitter: Split,
    markdown: Split,
    options: ChunkOptions,
}

impl std::fmt::Debug for Chunker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chunker")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Chunker {
    /// A chunker that counts characters.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] if the maximum is 0 or the overlap is not less than it.
    pub fn characters(options: ChunkOptions) -> Result<Self, Error> {
        Self::with_sizer(options, text_splitter::Characters)
    }

    /// A chunker that counts tokens by a function, such as a model's tokenizer.
    ///
    /// # Errors
    /// As [`characters`](Self::characters).
    pub fn tokens<F>(options: ChunkOptions, count: F) -> Result<Self, Error>
    where
        F: Fn(&str) -> usize + Clone + Send + Sync + 'static,
    {
        Self::with_sizer(options, CountTokens(count))
    }

    fn with_sizer<S>(options: ChunkOptions, sizer: S) -> Result<Self, Error>
    where
        S: ChunkSizer + Clone + Send + Sync + 'static,
    {
        if options.max_size == 0 {
            return Err(Error::setting("max_size", 0, "1 or more"));
        }
        let config = || {
            ChunkConfig::new(options.max_size)
                .with_sizer(sizer.clone())
                .with_overlap(options.overlap)
                .map_err(|e| Error::setting("overlap", options.overlap, e.to_string()))
        };
        let text = TextSplitter::new(config()?);
        let markdown = MarkdownSplitter::new(config()?);
        let place =
            |c: text_splitter::ChunkCharIndex<'_>| (c.byte_offset, c.char_offset, c.chunk.len());
        Ok(Self {
            splitter: Box::new(move |t| text.chunk_char_indices(t).map(place).collect()),
            markdown: Box::new(move |t| markdown.chunk_char_indices(t).map(place).collect()),
            options,
        })
    }

    /// The sizes in force.
    #[must_use]
    pub fn options(&self) -> ChunkOptions {
        self.options
    }

    /// The chunks of a document, in order. Markdown files are cut along their structure.
    #[must_use]
    pub fn chunks(&self, document: &Document) -> Vec<Chunk> {
        let name = document.id.to_lowercase();
        let markdown = name.ends_with(".md") || name.ends_with(".markdown");
        let split = if markdown {
            &self.markdown
        } else {
            &self.splitter
        };
        split(&document.text)
            .into_iter()
            .filter_map(|(byte, char, len)| {
                let text = document.text.get(byte..byte + len)?;
                Some(Chunk {
                    id: chunk_id(&document.id, byte, text),
                    bytes: byte..byte + len,
                    chars: char..char + text.chars().count(),
                })
            })
            .collect()
    }
}

#[derive(Clone)]
struct CountTokens<F>(F);

impl<F: Fn(&str) -> usize> ChunkSizer for CountTokens<F> {
    fn size(&self, chunk: &str) -> usize {
        (self.0)(chunk)
    }
}

/// The deterministic id of a chunk: the first 16 bytes of BLAKE3 (`derive_key`) over the
/// length-prefixed document id, its place and its text, in hexadecimal.
#[must_use]
pub fn chunk_id(document: &str, byte_start: usize, text: &str) -> String {
    let mut hash = blake3::Hasher::new_derive_key("candor 2026 geodesic-retriever chunk id");
    for part in [
        document.as_bytes(),
        &(byte_start as u64).to_le_bytes(),
        text.as_bytes(),
    ] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let hex = hash.finalize().to_hex();
    hex.chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_the_words_and_slice_the_text() {
        let text = "Çà, one sentence. ".repeat(200);
        let document = Document {
            id: "a.txt".into(),
            title: "a".into(),
            text,
        };
        let chunker = Chunker::characters(ChunkOptions {
            max_size: 120,
            overlap: 20,
        })
        .unwrap();
        let chunks = chunker.chunks(&document);
        assert!(chunks.len() > 30);
        for c in &chunks {
            let by_bytes = &document.text[c.bytes.clone()];
            let by_chars: String = document
                .text
                .chars()
                .skip(c.chars.start)
                .take(c.chars.len())
                .collect();
            assert_eq!(by_bytes, by_chars);
            assert!(c.chars.len() <= 120);
        }
        assert_eq!(chunks, chunker.chunks(&document));
        assert!(chunks.windows(2).all(|w| w[0].id != w[1].id));
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for (max_size, overlap) in [(0, 0), (10, 10), (10, 11)] {
            assert!(Chunker::characters(ChunkOptions { max_size, overlap }).is_err());
        }
    }
}
