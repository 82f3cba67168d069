//! A model's folder: files read whole, checked against stored digests where there are some.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tokenizers::Tokenizer;

use crate::Error;

/// The name of the file that holds the digests of a model's files.
pub const DIGESTS: &str = "candor-digests.json";

/// A model's folder. Nothing is ever fetched.
#[derive(Debug, Clone)]
pub(crate) struct ModelFolder {
    path: PathBuf,
    digests: BTreeMap<String, String>,
}

/// Writes [`DIGESTS`] into a model's folder: the BLAKE3 digest of each of its files, which every
/// later load checks before it parses. Without it a flipped bit in a weight cannot be told from
/// another model; the index will still notice, since its fingerprint holds the weights' digest.
///
/// # Errors
/// [`Error::Io`] naming the file.
pub fn seal_model_folder(folder: &Path) -> Result<(), Error> {
    let mut digests = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
    {
        let entry = entry.map_err(|e| Error::io(folder, &std::io::Error::from(e)))?;
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name = below.to_string_lossy().replace('\\', "/");
        if !entry.file_type().is_file() || name.starts_with('.') || name == DIGESTS {
            continue;
        }
        let bytes = std::fs::read(entry.path()).map_err(|e| Error::io(entry.path(), &e))?;
        digests.insert(name, blake3::hash(&bytes).to_hex().to_string());
    }
    let path = folder.join(DIGESTS);
    let text = serde_json::to_string_pretty(&digests).map_err(|e| Error::Backend {
        operation: "writing digests".into(),
        message: e.to_string(),
    })?;
    std::fs::write(&path, text + "\n").map_err(|e| Error::io(&path, &e))
}

impl ModelFolder {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        std::fs::read_dir(path).map_err(|e| Error::io(path, &e))?;
        let file = path.join(DIGESTS);
        let digests = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|e| Error::damaged(&file, format!("not a table of digests: {e}")))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(e) => return Err(Error::io(&file, &e)),
        };
        Ok(Self {
            path: path.to_owned(),
            digests,
        })
    }

    /// The folder's name: the model's id unless the caller gives another.
    pub(crate) fn name(&self) -> String {
        let canonical = self
            .path
            .canonicalize()
            .unwrap_or_else(|_| self.path.clone());
        canonical
            .file_name()
            .map_or_else(|| "model".into(), |n| n.to_string_lossy().into_owned())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The bytes of a file and their digest.
    pub(crate) fn read(&self, name: &str) -> Result<(Vec<u8>, String), Error> {
        let path = self.file(name);
        let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, &e))?;
        let digest = blake3::hash(&bytes).to_hex().to_string();
        if self.digests.get(name).is_some_and(|d| *d != digest) {
            return Err(Error::damaged(
                &path,
                format!("its digest is not the one in {DIGESTS}"),
            ));
        }
        Ok((bytes, digest))
    }

    /// As [`read`](Self::read), `None` if the file is not there.
    pub(crate) fn read_if_there(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        match self.read(name) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(Error::Io {
                kind: std::io::ErrorKind::NotFound,
                ..
            }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// A file of JSON.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        let (bytes, _) = self.read(name)?;
        self.parse(name, &bytes)
    }

    /// A file of JSON that may be absent.
    pub(crate) fn json_if_there<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, Error> {
        self.read_if_there(name)?
            .map(|b| self.parse(name, &b))
            .transpose()
    }

    fn parse<T: serde::de::DeserializeOwned>(&self, name: &str, bytes: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(bytes).map_err(|e| self.unusable(name, format!("its JSON: {e}")))
    }

    pub(crate) fn unusable(&self, name: &str, what: impl Into<String>) -> Error {
        Error::Model {
            path: self.file(name),
            what: what.into(),
        }
    }

    /// `tokenizer.json`, without the truncation and padding baked into it, and its digest.
    pub(crate) fn tokenizer(&self) -> Result<(Tokenizer, String), Error> {
        let (bytes, digest) = self.read("tokenizer.json")?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes)
            .map_err(|e| self.unusable("tokenizer.json", e.to_string()))?;
        tokenizer
            .with_padding(None)
            .with_truncation(None)
            .map_err(|e| self.unusable("tokenizer.json", e.to_string()))?;
        Ok((tokenizer, digest))
    }
}
