//! A corpus, its index and its embedder's learned state in one file.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::embed::lexical::LexicalState;
use crate::{
    Calibration, Corpus, Embedder, Error, ExactIndex, Fingerprint, GeodesicRetriever, IndexEntry,
    LexicalEmbedder, RetrieverOptions, VectorIndex,
};

/// Everything that a retriever over one folder needs, apart from a pretrained model.
///
/// On disk: the magic, the length of the body, the body, and the BLAKE3 digest of all before it,
/// which is checked before anything is parsed.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The documents and chunks.
    pub corpus: Corpus,
    /// The vectors.
    pub index: ExactIndex,
    /// What the lexical embedder learned, if it was the embedder.
    pub lexical: Option<LexicalState>,
    /// The numbers of the gate.
    pub calibration: Calibration,
}

#[derive(Serialize, Deserialize)]
struct Body {
    fingerprint: Fingerprint,
    corpus: Corpus,
    entries: Vec<IndexEntry>,
    lexical: Option<LexicalState>,
    /// JSON: its tagged form is not for postcard.
    calibration: String,
}

const MAGIC: &[u8; 16] = b"candor-geodesic1";
const DIGEST: usize = 32;

impl Snapshot {
    /// Writes the file, by way of a neighbour that is renamed when it is complete.
    ///
    /// # Errors
    /// [`Error::Io`] naming the file.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let unwritable = |e: String| Error::Io {
            path: path.to_owned(),
            message: e,
            kind: std::io::ErrorKind::InvalidData,
        };
        let body = Body {
            fingerprint: self.index.fingerprint().clone(),
            corpus: self.corpus.clone(),
            entries: self.index.entries().collect(),
            lexical: self.lexical.clone(),
            calibration: serde_json::to_string(&self.calibration)
                .map_err(|e| unwritable(e.to_string()))?,
        };
        let body = postcard::to_allocvec(&body).map_err(|e| unwritable(e.to_string()))?;
        let mut bytes = Vec::with_capacity(MAGIC.len() + 8 + body.len() + DIGEST);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&body);
        let digest = blake3::hash(&bytes);
        bytes.extend_from_slice(digest.as_bytes());
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let new = Path::new(&name);
        std::fs::write(new, &bytes).map_err(|e| Error::io(new, &e))?;
        std::fs::rename(new, path).map_err(|e| Error::io(path, &e))
    }

    /// Reads a file back.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::Damaged`] if it is not whole
    /// or holds an entry whose vector cannot be used, which is named.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, &e))?;
        let damaged = |what: &str| Error::damaged(path, what);
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| damaged("it does not begin as an index of this version does"))?;
        let (length, rest) = rest
            .split_first_chunk::<8>()
            .ok_or_else(|| damaged("it is cut short"))?;
        let (body, digest) = rest
            .split_last_chunk::<DIGEST>()
            .ok_or_else(|| damaged("it is cut short"))?;
        if u64::from_le_bytes(*length) != body.len() as u64 {
            return Err(damaged(
                "its length is not what it says; it was cut short or added to",
            ));
        }
        let whole = bytes.get(..bytes.len() - DIGEST).unwrap_or_default();
        if blake3::hash(whole).as_bytes() != digest {
            return Err(damaged("its digest does not match its content"));
        }
        let body: Body =
            postcard::from_bytes(body).map_err(|e| damaged(&format!("its body: {e}")))?;
        let calibration = serde_json::from_str(&body.calibration)
            .map_err(|e| damaged(&format!("its calibration: {e}")))?;
        let mut corpus = body.corpus;
        corpus.reindex();
        let mut index = ExactIndex::new(body.fingerprint);
        index
            .insert(body.entries)
            .map_err(|e| damaged(&e.to_string()))?;
        Ok(Self {
            corpus,
            index,
            lexical: body.lexical,
            calibration,
        })
    }

    /// A retriever over the snapshot. `embedder` is not needed if it was the lexical one.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] if the embedder given is another than the one that made it;
    /// [`Error::InvalidSetting`] if none is given and it was not the lexical one.
    pub fn into_retriever(
        self,
        embedder: Option<Arc<dyn Embedder>>,
        options: RetrieverOptions,
    ) -> Result<GeodesicRetriever, Error> {
        let embedder: Arc<dyn Embedder> = match (embedder, self.lexical) {
            (Some(embedder), _) => embedder,
            (None, Some(state)) => Arc::new(LexicalEmbedder::from_state(state)?),
            (None, None) => {
                let model = &self.index.fingerprint().model_id;
                return Err(Error::setting(
                    "the embedder",
                    "absent",
                    format!("model {model}"),
                ));
            }
        };
        let (index, corpus) = (Box::new(self.index), Box::new(self.corpus));
        GeodesicRetriever::new(embedder, index, corpus, self.calibration, options)
    }
}
