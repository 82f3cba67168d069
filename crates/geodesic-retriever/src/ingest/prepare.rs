//! A source on its way: read, cut, judged, embedded. Nothing here touches the dictionary.

use std::path::Path;

use rayon::prelude::*;

use super::survey::embedding_text;
use super::sweep::{GONE, digest};
use crate::dictionary::{Candidate, ChunkRecord, DictionaryStore, Fate, IngestRecord, Validator};
use crate::read::{Found, parse, read_bytes};
use crate::{
    Chunker, Document, Embedder, EntryKind, EntryMeta, Error, GENERALIST, Passage, ReadOptions,
    Skipped, Vector,
};

/// A chunk with all that is known of it before it is offered to the dictionary.
pub(super) struct Piece {
    pub(super) passage: Passage,
    /// Its account; the fate is `Validated`, `Rejected` or `NothingToEmbed`.
    pub(super) record: ChunkRecord,
    pub(super) vector: Option<Vector>,
    /// The validator was asked just now, at a cost.
    pub(super) fresh: bool,
}

/// A source with its pieces.
pub(super) struct Source {
    pub(super) record: IngestRecord,
    pub(super) pieces: Vec<Piece>,
    pub(super) skipped: Vec<Skipped>,
    /// Why it cannot be gone on with, in words.
    pub(super) failure: Option<String>,
}

/// Reads and cuts a source of the log. It fails where its file is not what the sweep saw.
pub(super) fn read_source(
    record: IngestRecord,
    folder: &Path,
    read: &ReadOptions,
    settings: &str,
    chunker: &Chunker,
) -> Source {
    let mut out = Source {
        record,
        pieces: Vec::new(),
        skipped: Vec::new(),
        failure: None,
    };
    if out.record.digest == GONE {
        return out;
    }
    let file = Found {
        id: out.record.source.clone(),
        path: folder.join(&out.record.source),
        skip: None,
    };
    let bytes = match read_bytes(&file, read) {
        Ok(bytes) => bytes,
        Err(reason) => {
            out.failure = Some(format!("cannot be read: {}", reason.name()));
            return out;
        }
    };
    if digest(settings, &bytes) != out.record.digest {
        out.failure = Some("changed since the sweep; sweep again".into());
        return out;
    }
    match parse(&file, &bytes, read) {
        Ok(parsed) => {
            let parts = parsed.skipped.into_iter();
            out.skipped = parts
                .map(|(path, reason)| Skipped { path, reason })
                .collect();
            for document in &parsed.documents {
                out.pieces
                    .extend(cut(document, &out.record.source, EntryKind::Fact, chunker));
            }
        }
        // A file without a document gives no entries: that is a result, not a failure.
        Err(reason) => out.skipped.push(Skipped {
            path: out.record.source.clone(),
            reason,
        }),
    }
    out
}

/// Cuts a document into pieces.
pub(super) fn cut(
    document: &Document,
    source: &str,
    kind: EntryKind,
    chunker: &Chunker,
) -> Vec<Piece> {
    let piece = |chunk: crate::Chunk| {
        let text = document.text.get(chunk.bytes.clone())?;
        // U+0000 cannot come from a file, only from a caller's own document.
        let clean = |s: &str| s.replace('\0', "\u{fffd}");
        Some(Piece {
            record: ChunkRecord {
                id: chunk.id.clone(),
                source: source.to_owned(),
                kind,
                validator: String::new(),
                confidence: 1.0,
                fate: Fate::Validated,
            },
            passage: Passage {
                entry_id: chunk.id,
                source_id: clean(&document.id),
                title: clean(&document.title),
                text: clean(text),
                bytes: chunk.bytes,
                chars: chunk.chars,
                meta: EntryMeta {
                    cube: GENERALIST.to_owned(),
                    kind,
                    parent: clean(&document.id),
                },
            },
            vector: None,
            fresh: false,
        })
    };
    chunker
        .chunks(document)
        .into_iter()
        .filter_map(piece)
        .collect()
}

/// Judges pieces. Verdicts that the store has of the same validator are taken from there where
/// asking is costly.
pub(super) fn judge(
    pieces: &mut [Piece],
    validator: &dyn Validator,
    store: &dyn DictionaryStore,
) -> Result<(), Error> {
    let id = validator.id();
    let one = |piece: &mut Piece| -> Result<(), Error> {
        let p = &piece.passage;
        let verdict = validator.validate(&Candidate {
            document: &p.source_id,
            title: &p.title,
            text: &p.text,
            kind: p.meta.kind,
        })?;
        id.clone_into(&mut piece.record.validator);
        piece.record.confidence = if verdict.confidence.is_nan() {
            0.0
        } else {
            verdict.confidence.clamp(0.0, 1.0)
        };
        if !verdict.accepted() {
            let reasons = verdict.reasons;
            piece.record.fate = Fate::Rejected { reasons };
        }
        Ok(())
    };
    if !validator.is_costly() {
        return pieces.par_iter_mut().try_for_each(one);
    }
    for piece in pieces {
        let known = store.record(&piece.record.id)?;
        if let Some(known) = known.filter(|k| k.validator == id) {
            piece.record.validator = known.validator;
            piece.record.confidence = known.confidence;
            if let Fate::Rejected { .. } = known.fate {
                piece.record.fate = known.fate;
            }
            continue;
        }
        one(piece)?;
        piece.fresh = true;
    }
    Ok(())
}

/// Embeds the accepted pieces of some sources, in one call.
pub(super) fn embed(pieces: &mut [&mut Piece], embedder: &dyn Embedder) -> Result<(), Error> {
    let accepted: Vec<&mut &mut Piece> = pieces
        .iter_mut()
        .filter(|p| p.record.fate == Fate::Validated)
        .collect();
    let texts: Vec<String> = accepted
        .iter()
        .map(|p| embedding_text(&p.passage.title, &p.passage.text))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = embedder.embed_documents(&texts)?;
    for (piece, embedding) in accepted.into_iter().zip(found) {
        match embedding {
            Ok(e) => piece.vector = Some(e.vector.normalized(&piece.record.id)?),
            Err(Error::NothingToEmbed { .. }) => piece.record.fate = Fate::NothingToEmbed,
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
