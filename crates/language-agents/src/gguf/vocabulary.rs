//! Text to tokens and back, from the metadata of a GGUF file.

use std::collections::HashMap;

use tokenizers::Tokenizer;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;

use super::GgufError;
use super::file::GgufFile;

/// What SmolLM's own template puts in front where a conversation has no system message.
const DEFAULT_SYSTEM: &str = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

/// A vocabulary with the marks of the ChatML format.
pub(super) struct Vocabulary {
    tokenizer: Tokenizer,
    /// The bytes of each token.
    pieces: Vec<Box<[u8]>>,
    start: u32,
    end: u32,
    /// Tokens that end a text: the mark of ChatML and what the file names.
    ends: Vec<u32>,
    /// The template names this when nothing else is said.
    default_system: Option<&'static str>,
    longest: usize,
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary")
            .field("tokens", &self.pieces.len())
            .finish_non_exhaustive()
    }
}

impl Vocabulary {
    pub(super) fn of(file: &GgufFile) -> Result<Self, GgufError> {
        let kind = file.text("tokenizer.ggml.model")?;
        if kind != Some("gpt2") {
            return Err(match kind {
                None => file.missing("the key tokenizer.ggml.model"),
                Some(other) => file.unsupported(
                    "tokenizer.ggml.model",
                    other.to_owned(),
                    "gpt2 (byte-level BPE)",
                ),
            });
        }
        if file.bool("tokenizer.ggml.add_bos_token")? == Some(true) {
            return Err(file.unsupported(
                "tokenizer.ggml.add_bos_token",
                "true".to_owned(),
                "false: ChatML opens each message itself",
            ));
        }
        let byte_level = ByteLevel::new(false, false, true);
        let pre: PreTokenizerWrapper = match file.text("tokenizer.ggml.pre")? {
            Some("smollm") => {
                Sequence::new(vec![Digits::new(true).into(), byte_level.into()]).into()
            }
            Some("gpt-2") => byte_level.into(),
            other => {
                return Err(file.unsupported(
                    "tokenizer.ggml.pre",
                    other.unwrap_or("absent").to_owned(),
                    "smollm or gpt-2",
                ));
            }
        };
        let tokens = file.texts("tokenizer.ggml.tokens")?.to_vec();
        let ids: HashMap<&str, u32> = tokens.iter().map(String::as_str).zip(0..).collect();
        if ids.len() != tokens.len() {
            return Err(file.unsupported(
                "tokenizer.ggml.tokens",
                "a list with a token twice".to_owned(),
                "distinct tokens",
            ));
        }
        let tokenizer = tokenizer(file, &tokens, pre)?;
        let mark = |mark: &str| {
            ids.get(mark)
                .copied()
                .ok_or_else(|| file.missing(format!("the token {mark} of the ChatML format")))
        };
        let (start, end) = (mark("<|im_start|>")?, mark("<|im_end|>")?);
        let template = file
            .text("tokenizer.chat_template")?
            .ok_or_else(|| file.missing("the key tokenizer.chat_template"))?;
        if !template.contains("<|im_start|>") || !template.contains("<|im_end|>") {
            let found: String = template.chars().take(80).collect();
            return Err(file.unsupported("tokenizer.chat_template", found, "a ChatML template"));
        }
        let default_system = template.contains(DEFAULT_SYSTEM).then_some(DEFAULT_SYSTEM);
        let mut ends = vec![end];
        for key in ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"] {
            if let Some(id) = file.unsigned(key)? {
                match u32::try_from(id) {
                    Ok(id) if (id as usize) < tokens.len() => ends.push(id),
                    _ => {
                        let most = format!("at most {}", tokens.len());
                        return Err(file.unsupported(key, id.to_string(), &most));
                    }
                }
            }
        }
        ends.extend(ids.get("<|endoftext|>"));
        drop(ids);
        let longest = tokens.iter().map(String::len).max().unwrap_or(1).max(1);
        Ok(Self {
            tokenizer,
            pieces: tokens.iter().map(|token| bytes_of(token)).collect(),
            start,
            end,
            ends,
            default_system,
            longest,
        })
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Bytes of the longest token, as a bound: a text of so many bytes a token may fit.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether a text ends with this token.
    pub(super) fn ends(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// The tokens of a text; a byte for which the vocabulary has none (SmolLM2 has none for some
    /// control characters) is left out, as the references do. Marks of the chat format in it are ordinary characters: no text can
    /// close its message or open another.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(text, false);
        encoding
            .map(|encoding| encoding.get_ids().to_vec())
            .map_err(|e| e.to_string())
    }

    /// A system and a user message in ChatML, up to where the assistant's begins.
    pub(super) fn chat(&self, system: &str, user: &str) -> Result<Vec<u32>, String> {
        let system = match self.default_system {
            Some(default) if system.is_empty() => default,
            _ => system,
        };
        let mut tokens = Vec::new();
        for (role, text) in [("system", system), ("user", user)] {
            if role == "system" && text.is_empty() {
                continue;
            }
            tokens.push(self.start);
            tokens.extend(self.encode(&format!("{role}\n{text}"))?);
            tokens.push(self.end);
            tokens.extend(self.encode("\n")?);
        }
        tokens.push(self.start);
        tokens.extend(self.encode("assistant\n")?);
        Ok(tokens)
    }

    /// Appends the bytes of a token; a control token has none.
    pub(super) fn append(&self, token: u32, text: &mut Vec<u8>) {
        if token != self.start && !self.ends(token) {
            text.extend(self.pieces.get(token as usize).into_iter().flatten());
        }
    }
}

fn bytes_of(token: &str) -> Box<[u8]> {
    let mut bytes = Vec::new();
    for c in token.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            // A token that was added beside the byte-level ones stands for itself.
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes.into()
}

fn tokenizer(
    file: &GgufFile,
    tokens: &[String],
    pre: PreTokenizerWrapper,
) -> Result<Tokenizer, GgufError> {
    let vocabulary: Vocab = tokens.iter().cloned().zip(0..).collect();
    let merges = file
        .texts("tokenizer.ggml.merges")?
        .iter()
        .map(|merge| match merge.split_once(' ') {
            Some((left, right)) if !left.is_empty() && !right.is_empty() => {
                Ok((left.to_owned(), right.to_owned()))
            }
            _ => Err(file.unsupported(
                "a line of tokenizer.ggml.merges",
                format!("{merge:?}"),
                "two tokens with a space between",
            )),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let bpe = BPE::builder()
        .vocab_and_merges(vocabulary, merges)
        .build()
        .map_err(|e| file.model(format!("the tokenizer: {e}")))?;
    let mut tokenizer = Tokenizer::new(bpe);
    tokenizer.with_pre_tokenizer(Some(pre));
    Ok(tokenizer)
}

/// The byte for which byte-level vocabularies write this character (as GPT-2 does): printable ones
/// stand for themselves, the others take the code points from 256 on, in their order.
fn byte_of(c: char) -> Option<u8> {
    match u8::try_from(c) {
        Ok(byte) if stands_for_itself(byte) => Some(byte),
        Ok(_) => None,
        Err(_) => {
            let rank = (c as u32).checked_sub(256)? as usize;
            (0..=u8::MAX).filter(|b| !stands_for_itself(*b)).nth(rank)
        }
    }
}

fn stands_for_itself(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_ins_are_one_to_one_and_those_of_the_library() {
        let alphabet = ByteLevel::alphabet();
        let mut bytes: Vec<u8> = alphabet.iter().filter_map(|c| byte_of(*c)).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=u8::MAX).collect::<Vec<_>>());
        assert_eq!((byte_of('Ġ'), byte_of('Ċ')), (Some(b' '), Some(b'\n')));
        assert_eq!((byte_of(' '), byte_of('日')), (None, None));
    }
}
