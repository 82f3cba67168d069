//! Checkpoints as signed notes (C2SP signed-note, tlog-checkpoint) with Ed25519 (feature `sign`).
//!
//! The checkpoint's text is the three lines of tlog-checkpoint: origin, size in decimal, root in
//! base64. The root is this crate's BLAKE3 log root, so a reader needs this crate (or
//! `docs/run-dag-format.md`) for proofs, and nothing but Ed25519 for the signature.

use super::Checkpoint;
use crate::error::{Error, Result};
use crate::hash::LogRoot;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use std::fmt;

/// Signature type of plain Ed25519 in the signed-note specification.
const ED25519: u8 = 0x01;
/// More lines than any reader should look through.
const MAX_SIGNATURES: usize = 100;
/// Largest note that is read.
const MAX_NOTE_BYTES: usize = 1 << 20;

fn refuse(reason: impl Into<String>) -> Error {
    Error::Note {
        reason: reason.into(),
    }
}

/// A key name: not empty, no white space, no `+`.
fn demand_name(name: &str) -> Result<()> {
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == '+';
    if name.is_empty() || name.contains(bad) {
        return Err(refuse(
            "a key name is not empty and holds no white space and no '+'",
        ));
    }
    Ok(())
}

/// `SHA-256(name ‖ 0x0A ‖ type ‖ public key)[..4]`.
fn key_id(name: &str, public: &[u8; 32]) -> [u8; 4] {
    let mut material = name.as_bytes().to_vec();
    material.push(b'\n');
    material.push(ED25519);
    material.extend_from_slice(public);
    let digest = crate::hash::Sha256Digest::of(&material);
    let [a, b, c, d, ..] = *digest.as_bytes();
    [a, b, c, d]
}

/// A name with the public key that checks its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteVerifier {
    name: String,
    key: VerifyingKey,
}

impl NoteVerifier {
    /// Reads `name+id+key`: the id in 8 hexadecimal digits, the key in base64 with its type byte.
    ///
    /// # Errors
    /// [`Error::Note`] for anything else, an id that is not the key's, or a key that is none.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(refuse("a verifier key is written name+id+key"));
        };
        demand_name(name)?;
        let bytes = STANDARD
            .decode(key)
            .map_err(|e| refuse(format!("key: {e}")))?;
        let Some((&ED25519, public)) = bytes.split_first() else {
            return Err(refuse("only keys of type 1 (Ed25519) are known"));
        };
        let public: [u8; 32] = public
            .try_into()
            .map_err(|_| refuse("an Ed25519 key has 32 bytes"))?;
        let verifier = Self::new(name, &public)?;
        if verifier.id_text() != id {
            return Err(refuse(format!("key id {id:?} is not that of the key")));
        }
        Ok(verifier)
    }

    /// The verifier of this name and public key.
    ///
    /// # Errors
    /// [`Error::Note`] for a malformed name or key.
    pub fn new(name: &str, public: &[u8; 32]) -> Result<Self> {
        demand_name(name)?;
        let key = VerifyingKey::from_bytes(public).map_err(|e| refuse(format!("key: {e}")))?;
        Ok(Self {
            name: name.to_owned(),
            key,
        })
    }

    /// The key's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn id(&self) -> [u8; 4] {
        key_id(&self.name, self.key.as_bytes())
    }

    fn id_text(&self) -> String {
        format!("{:08x}", u32::from_be_bytes(self.id()))
    }
}

impl fmt::Display for NoteVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut key = vec![ED25519];
        key.extend_from_slice(self.key.as_bytes());
        write!(
            f,
            "{}+{}+{}",
            self.name,
            self.id_text(),
            STANDARD.encode(key)
        )
    }
}

/// A name with the secret key that signs. Its `Debug` shows the name only.
#[derive(Clone)]
pub struct NoteSigner {
    name: String,
    key: SigningKey,
}

impl fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoteSigner({})", self.name)
    }
}

impl NoteSigner {
    /// The signer of this name and 32-byte seed. The caller brings the randomness.
    ///
    /// # Errors
    /// [`Error::Note`] for a malformed name.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self> {
        demand_name(name)?;
        Ok(Self {
            name: name.to_owned(),
            key: SigningKey::from_bytes(seed),
        })
    }

    /// The verifier to hand out.
    #[must_use]
    pub fn verifier(&self) -> NoteVerifier {
        NoteVerifier {
            name: self.name.clone(),
            key: self.key.verifying_key(),
        }
    }

    fn signature_line(&self, text: &str) -> String {
        let mut bytes = self.verifier().id().to_vec();
        bytes.extend_from_slice(&self.key.sign(text.as_bytes()).to_bytes());
        format!("\u{2014} {} {}\n", self.name, STANDARD.encode(bytes))
    }
}

/// Signs a text that ends in a newline: the text, an empty line, a line a signature.
///
/// # Errors
/// [`Error::Note`] for a text that does not end in a newline or holds control characters, or
/// without a signer.
pub fn sign_note(text: &str, signers: &[&NoteSigner]) -> Result<String> {
    demand_text(text)?;
    if signers.is_empty() {
        return Err(refuse("a note has at least one signature"));
    }
    let lines: String = signers.iter().map(|s| s.signature_line(text)).collect();
    Ok(format!("{text}\n{lines}"))
}

fn demand_text(text: &str) -> Result<()> {
    if !text.ends_with('\n') {
        return Err(refuse("a note's text ends in a newline"));
    }
    if text.chars().any(|c| c < ' ' && c != '\n') {
        return Err(refuse("a note holds no control characters"));
    }
    Ok(())
}

/// Verifies a note against known keys and gives its text and the names that signed it.
///
/// Signatures of unknown keys are passed over, as the specification asks; a false signature under a
/// known key refuses the note.
///
/// # Errors
/// [`Error::Note`] for malformed notes, false signatures, or when no known key signed.
pub fn open_note(note: &str, known: &[NoteVerifier]) -> Result<(String, Vec<String>)> {
    if note.len() > MAX_NOTE_BYTES {
        return Err(refuse(format!("a note has at most {MAX_NOTE_BYTES} bytes")));
    }
    let Some(at) = note.rfind("\n\n") else {
        return Err(refuse("an empty line divides text and signatures"));
    };
    let (text, lines) = (
        note.get(..=at).unwrap_or_default(),
        note.get(at + 2..).unwrap_or_default(),
    );
    demand_text(text)?;
    let Some(lines) = lines.strip_suffix('\n') else {
        return Err(refuse("the last signature line ends in a newline"));
    };
    let mut signed: Vec<String> = Vec::new();
    for (count, line) in lines.split('\n').enumerate() {
        if count >= MAX_SIGNATURES {
            return Err(refuse(format!(
                "a note has at most {MAX_SIGNATURES} signatures"
            )));
        }
        if let Some(name) = check_line(text, line, known)?.filter(|n| !signed.contains(n)) {
            signed.push(name);
        }
    }
    if signed.is_empty() {
        return Err(refuse("no known key signed it"));
    }
    Ok((text.to_owned(), signed))
}

/// The name of the known key whose signature this line is, if any.
fn check_line(text: &str, line: &str, known: &[NoteVerifier]) -> Result<Option<String>> {
    let parts = line
        .strip_prefix("\u{2014} ")
        .and_then(|rest| rest.split_once(' '));
    let Some((name, signature)) = parts else {
        return Err(refuse("a signature line is \"— name signature\""));
    };
    demand_name(name)?;
    let bytes = STANDARD
        .decode(signature)
        .map_err(|e| refuse(format!("signature: {e}")))?;
    let Some((id, signature)) = bytes.split_first_chunk::<4>() else {
        return Err(refuse("a signature holds more than its key id"));
    };
    if signature.is_empty() {
        return Err(refuse("a signature holds more than its key id"));
    }
    let Some(verifier) = known.iter().find(|v| v.name == name && v.id() == *id) else {
        return Ok(None);
    };
    let signature =
        Signature::from_slice(signature).map_err(|e| refuse(format!("signature: {e}")))?;
    match verifier.key.verify_strict(text.as_bytes(), &signature) {
        Ok(()) => Ok(Some(name.to_owned())),
        Err(_) => Err(refuse(format!("the signature of {name} is false"))),
    }
}

impl Checkpoint {
    /// The checkpoint's text: origin, size, root in base64, a line each.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!(
            "{}\n{}\n{}\n",
            self.origin,
            self.size,
            STANDARD.encode(self.root.as_bytes())
        )
    }

    /// Reads a checkpoint's text.
    ///
    /// # Errors
    /// [`Error::Note`] for anything but three lines in their one spelling.
    pub fn from_text(text: &str) -> Result<Self> {
        let mut lines = text.split('\n');
        let four = [lines.next(), lines.next(), lines.next(), lines.next()];
        let [Some(origin), Some(size), Some(root), Some("")] = four else {
            return Err(refuse("a checkpoint has three lines: origin, size, root"));
        };
        let bytes = STANDARD
            .decode(root)
            .map_err(|e| refuse(format!("root: {e}")))?;
        let root: [u8; 32] = bytes
            .try_into()
            .map_err(|_| refuse("a root has 32 bytes"))?;
        let checkpoint = Self {
            origin: origin.to_owned(),
            size: size.parse().map_err(|e| refuse(format!("size: {e}")))?,
            root: LogRoot::from_bytes(root),
        };
        if origin.is_empty() || checkpoint.to_text() != text {
            return Err(refuse("the checkpoint is not in its one spelling"));
        }
        Ok(checkpoint)
    }

    /// The checkpoint as a signed note.
    ///
    /// # Errors
    /// As [`sign_note`].
    pub fn sign(&self, signers: &[&NoteSigner]) -> Result<String> {
        let text = self.to_text();
        Self::from_text(&text)?;
        sign_note(&text, signers)
    }

    /// Opens a signed checkpoint with known keys.
    ///
    /// # Errors
    /// As [`open_note`] and [`Checkpoint::from_text`].
    pub fn open(note: &str, known: &[NoteVerifier]) -> Result<(Self, Vec<String>)> {
        let (text, names) = open_note(note, known)?;
        Ok((Self::from_text(&text)?, names))
    }
}
