//! The words of an evidence map, prepared once: vocabulary, tokens, sentences.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::OnceLock;

use text_units::{Cleaned, clean, sentences, words};

use crate::evidence::EvidenceEntry;
use crate::language::{Class, Language, Lexicon};
use crate::numbers::{Quantity, quantities};

/// A hash map with fixed keys: nothing depends on a random seed. Never iterated into output.
pub(crate) type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// The id of a stem of a vocabulary.
pub(crate) type StemId = u32;

/// What is known of a distinct word of the vocabulary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordEntry {
    pub(crate) stem: StemId,
    /// The stem without its derivational ending, so that `director` meets `directed`.
    pub(crate) root: StemId,
    pub(crate) class: Class,
    pub(crate) value: u64,
}

/// How a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Form(u8);

impl Form {
    pub(crate) const CAPITAL: Self = Self(1);
    /// Two or more letters, all capitals.
    pub(crate) const ALL_CAPS: Self = Self(2);
    /// First word of its sentence.
    pub(crate) const INITIAL: Self = Self(4);
    /// A comma, semicolon, colon, bracket or dash stands between it and the word before.
    pub(crate) const AFTER_BREAK: Self = Self(8);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A word of a prepared text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) word: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) form: Form,
}

/// A sentence: its tokens and where it stands in the cleaned text.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    pub(crate) tokens: Range<usize>,
    pub(crate) span: Range<usize>,
}

/// A text as tokens of a vocabulary.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) cleaned: Cleaned,
    pub(crate) tokens: Vec<Token>,
    pub(crate) sentences: Vec<Sentence>,
    quantities: OnceLock<Vec<Quantity>>,
}

impl Prepared {
    pub(crate) fn text(&self) -> &str {
        self.cleaned.text()
    }

    /// The quantities of the text, read at the first use.
    pub(crate) fn quantities(&self, entries: &impl Entries) -> &[Quantity] {
        self.quantities
            .get_or_init(|| quantities(self.text(), &self.tokens, entries))
    }

    /// The sentence a token stands in.
    pub(crate) fn sentence_of(&self, token: usize) -> usize {
        self.sentences
            .partition_point(|s| s.tokens.end <= token)
            .min(self.sentences.len().saturating_sub(1))
    }
}

const UNKNOWN: WordEntry = WordEntry {
    stem: StemId::MAX,
    root: StemId::MAX,
    class: Class(0),
    value: 0,
};

/// The ids of words of at most sixteen bytes that were asked for lately, in front of the map: a
/// place for each of a few hash values, the last word that fell on it. Words that fall on the
/// same place cost a look into the map, no more.
#[derive(Debug, Default)]
struct ShortWords(Vec<(u128, u32)>);

impl ShortWords {
    const PLACES: usize = 1 << 10;

    /// The bytes of a word as a number; no two words have the same.
    fn key(word: &str) -> Option<u128> {
        let bytes = word.as_bytes();
        if bytes.is_empty() || bytes.len() > 16 || bytes.first() == Some(&0) {
            return None;
        }
        let mut padded = [0; 16];
        padded.get_mut(16 - bytes.len()..)?.copy_from_slice(bytes);
        Some(u128::from_be_bytes(padded))
    }

    fn place(key: u128) -> usize {
        let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
    }

    fn get(&self, key: u128) -> Option<u32> {
        let &(known, id) = self.0.get(Self::place(key))?;
        (known == key).then_some(id)
    }

    fn put(&mut self, key: u128, id: u32) {
        if self.0.is_empty() {
            self.0.resize(Self::PLACES, (0, 0));
        }
        if let Some(place) = self.0.get_mut(Self::place(key)) {
            *place = (key, id);
        }
    }
}

/// Distinct words and stems.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: FixedMap<Box<str>, u32>,
    short: ShortWords,
    entries: Vec<WordEntry>,
    stems: FixedMap<Box<str>, StemId>,
    stem_texts: Vec<Box<str>>,
}

impl Vocabulary {
    /// The id of a stem, where the vocabulary has it.
    pub(crate) fn stem_id(&self, stem: &str) -> Option<StemId> {
        self.stems.get(stem).copied()
    }

    fn intern_stem(&mut self, stem: &str) -> StemId {
        if let Some(&id) = self.stems.get(stem) {
            return id;
        }
        let id = StemId::try_from(self.stems.len()).unwrap_or(StemId::MAX);
        self.stems.insert(stem.into(), id);
        self.stem_texts.push(stem.into());
        id
    }

    /// How many stems there are; their ids are below.
    pub(crate) fn stem_count(&self) -> usize {
        self.stem_texts.len()
    }

    fn intern_word(&mut self, folded: &str, lexicon: &Lexicon) -> u32 {
        let key = ShortWords::key(folded);
        if let Some(id) = key.and_then(|k| self.short.get(k)) {
            return id;
        }
        if let Some(&id) = self.words.get(folded) {
            if let Some(key) = key {
                self.short.put(key, id);
            }
            return id;
        }
        let known = lexicon.known(folded);
        let stem = lexicon.stem(folded);
        let root = root(&stem).to_owned();
        let entry = WordEntry {
            stem: self.intern_stem(&stem),
            root: self.intern_stem(&root),
            class: known.class,
            value: known.value,
        };
        let id = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(entry);
        self.words.insert(folded.into(), id);
        id
    }
}

/// Where the words of prepared texts are looked up.
pub(crate) trait Entries {
    /// What is known of a word.
    fn entry(&self, word: u32) -> WordEntry;
}

/// What gives words their ids.
pub(crate) trait Intern {
    /// The id of a folded word.
    fn intern(&mut self, folded: &str, lexicon: &Lexicon) -> u32;
}

impl Entries for Vocabulary {
    fn entry(&self, word: u32) -> WordEntry {
        self.entries.get(word as usize).copied().unwrap_or(UNKNOWN)
    }
}

impl Intern for Vocabulary {
    fn intern(&mut self, folded: &str, lexicon: &Lexicon) -> u32 {
        self.intern_word(folded, lexicon)
    }
}

/// A vocabulary and, beside it, the words of a short text that it lacks. Their ids (words and
/// stems) lie above all of the vocabulary's.
#[derive(Debug)]
pub(crate) struct Overlay<'v> {
    base: &'v Vocabulary,
    words: FixedMap<Box<str>, u32>,
    entries: Vec<WordEntry>,
    stems: FixedMap<Box<str>, StemId>,
    stem_texts: Vec<Box<str>>,
}

impl<'v> Overlay<'v> {
    pub(crate) fn new(base: &'v Vocabulary) -> Self {
        Self {
            base,
            words: FixedMap::default(),
            entries: Vec::new(),
            stems: FixedMap::default(),
            stem_texts: Vec::new(),
        }
    }

    /// The text of a stem.
    pub(crate) fn stem_text(&self, id: StemId) -> &str {
        let base = self.base.stem_texts.len();
        let id = id as usize;
        if id < base {
            self.base.stem_texts.get(id)
        } else {
            self.stem_texts.get(id - base)
        }
        .map_or("", |s| &**s)
    }

    fn intern_stem(&mut self, stem: &str) -> StemId {
        if let Some(id) = self.base.stem_id(stem) {
            return id;
        }
        if let Some(&id) = self.stems.get(stem) {
            return id;
        }
        let next = self.base.stem_texts.len() + self.stem_texts.len();
        let id = StemId::try_from(next).unwrap_or(StemId::MAX);
        self.stems.insert(stem.into(), id);
        self.stem_texts.push(stem.into());
        id
    }
}

impl Entries for Overlay<'_> {
    fn entry(&self, word: u32) -> WordEntry {
        let base = self.base.entries.len();
        let at = word as usize;
        if at < base {
            return self.base.entry(word);
        }
        self.entries.get(at - base).copied().unwrap_or(UNKNOWN)
    }
}

impl Intern for Overlay<'_> {
    fn intern(&mut self, folded: &str, lexicon: &Lexicon) -> u32 {
        if let Some(&id) = self.base.words.get(folded) {
            return id;
        }
        if let Some(&id) = self.words.get(folded) {
            return id;
        }
        let known = lexicon.known(folded);
        let stem = lexicon.stem(folded);
        let entry = WordEntry {
            stem: self.intern_stem(&stem),
            root: self.intern_stem(root(&stem)),
            class: known.class,
            value: known.value,
        };
        let next = self.base.entries.len() + self.entries.len();
        let id = u32::try_from(next).unwrap_or(u32::MAX);
        self.entries.push(entry);
        self.words.insert(folded.into(), id);
        id
    }
}

/// Prepares a text: cleans it, splits it, and gives its words ids. Linear.
pub(crate) fn prepare(text: &str, interner: &mut impl Intern, lexicon: &Lexicon) -> Prepared {
    let cleaned = clean(text);
    let tokens = tokens(cleaned.text(), interner, lexicon);
    settle(cleaned, tokens)
}

/// The words of a cleaned text; which of them open sentences is not known yet.
fn tokens(body: &str, interner: &mut impl Intern, lexicon: &Lexicon) -> Vec<Token> {
    let mut out = Vec::with_capacity(body.len() / 6);
    let mut last_end = 0;
    for word in words(body) {
        let (Ok(start), Ok(end)) = (u32::try_from(word.span.start), u32::try_from(word.span.end))
        else {
            break;
        };
        let gap = body.get(last_end..word.span.start).unwrap_or_default();
        out.push(Token {
            word: interner.intern(&word.folded(), lexicon),
            start,
            end,
            form: form_of(word.text, gap),
        });
        last_end = word.span.end;
    }
    out
}

/// Splits a text into sentences and marks the words that open them.
fn settle(cleaned: Cleaned, mut tokens: Vec<Token>) -> Prepared {
    let mut found = Vec::new();
    let mut first = 0;
    for span in sentences(cleaned.text()).into_iter().map(|s| s.span) {
        let mut next = first;
        while tokens
            .get(next)
            .is_some_and(|t| (t.start as usize) < span.end)
        {
            next += 1;
        }
        if next == first {
            continue;
        }
        if let Some(token) = tokens.get_mut(first) {
            token.form = Form(token.form.0 | Form::INITIAL.0);
        }
        found.push(Sentence {
            tokens: first..next,
            span,
        });
        first = next;
    }
    Prepared {
        cleaned,
        tokens,
        sentences: found,
        quantities: OnceLock::new(),
    }
}

fn form_of(word: &str, gap: &str) -> Form {
    let mut bits = 0;
    let mut chars = word.chars();
    let lower = word.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    if !lower && chars.next().is_some_and(char::is_uppercase) {
        bits |= Form::CAPITAL.0;
        let rest = chars.as_str();
        if !rest.is_empty() && !rest.chars().any(char::is_lowercase) {
            bits |= Form::ALL_CAPS.0;
        }
    }
    // Between most words stands one space.
    if gap != " " && breaks(gap) {
        bits |= Form::AFTER_BREAK.0;
    }
    Form(bits)
}

fn breaks(gap: &str) -> bool {
    gap.contains([',', ';', ':', '(', ')', '—', '–', '"', '“', '”', '|']) || gap.contains(" - ")
}

/// The stem without its derivational endings, as long as at least four letters remain.
pub(crate) fn root(stem: &str) -> &str {
    const ENDINGS: [&str; 30] = [
        "ational", "ization", "isation", "ation", "ition", "ment", "ness", "ship", "hood", "ance",
        "ence", "ist", "ism", "ian", "ion", "ive", "ity", "ant", "ent", "ous", "ate", "ize", "ise",
        "ify", "ful", "er", "or", "al", "ic", "y",
    ];
    let mut rest = stem;
    for _ in 0..3 {
        let shorter = ENDINGS
            .iter()
            .find_map(|ending| rest.strip_suffix(ending).filter(|r| r.chars().count() >= 4));
        match shorter {
            Some(r) => rest = r,
            None => break,
        }
    }
    rest.strip_suffix(['i', 'e', 't'])
        .filter(|r| r.chars().count() >= 4)
        .unwrap_or(rest)
}

/// A passage: its words from the start, its sentences once a claim cites it.
#[derive(Debug)]
struct Passage {
    cleaned: Cleaned,
    tokens: Vec<Token>,
    prepared: OnceLock<Prepared>,
}

/// The index of an evidence map under the word lists of one language.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) language: Language,
    pub(crate) vocabulary: Vocabulary,
    /// One a passage, in the map's order.
    passages: Vec<Passage>,
    /// The titles, one a passage.
    pub(crate) titles: Vec<Prepared>,
    /// For each stem (and root) id the passages that hold it, in order.
    holders: Vec<Vec<u32>>,
}

impl Index {
    pub(crate) fn new(entries: &[EvidenceEntry], language: &Language) -> Self {
        let lexicon = language.lexicon();
        let mut vocabulary = Vocabulary::default();
        let passages: Vec<Passage> = entries
            .iter()
            .map(|e| {
                let cleaned = clean(&e.text);
                Passage {
                    tokens: tokens(cleaned.text(), &mut vocabulary, lexicon),
                    cleaned,
                    prepared: OnceLock::new(),
                }
            })
            .collect();
        let titles: Vec<Prepared> = entries
            .iter()
            .map(|e| prepare(&e.title, &mut vocabulary, lexicon))
            .collect();
        let holders = holders(&vocabulary, &passages);
        Self {
            language: language.clone(),
            vocabulary,
            passages,
            titles,
            holders,
        }
    }

    /// How many passages there are.
    pub(crate) fn len(&self) -> usize {
        self.passages.len()
    }

    /// A passage with its sentences.
    pub(crate) fn passage(&self, at: usize) -> Option<&Prepared> {
        let passage = self.passages.get(at)?;
        Some(
            passage
                .prepared
                .get_or_init(|| settle(passage.cleaned.clone(), passage.tokens.clone())),
        )
    }

    /// The passages that hold a stem or root.
    pub(crate) fn holders(&self, id: StemId) -> &[u32] {
        self.holders.get(id as usize).map_or(&[], Vec::as_slice)
    }
}

/// For each stem and root the passages that hold it, in order.
fn holders(vocabulary: &Vocabulary, passages: &[Passage]) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); vocabulary.stems.len()];
    let mut seen = vec![u32::MAX; vocabulary.entries.len()];
    for (number, passage) in (0_u32..).zip(passages) {
        for token in &passage.tokens {
            let Some(last) = seen.get_mut(token.word as usize).filter(|l| **l != number) else {
                continue;
            };
            *last = number;
            let entry = vocabulary.entry(token.word);
            for id in [entry.stem, entry.root] {
                if let Some(list) = out.get_mut(id as usize)
                    && list.last() != Some(&number)
                {
                    list.push(number);
                }
            }
        }
    }
    out
}

/// An index made at the first use. A clone starts empty; it never takes part in equality.
#[derive(Debug, Default)]
pub(crate) struct IndexCell(OnceLock<Index>);

impl Clone for IndexCell {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl IndexCell {
    /// Runs `f` over the index for a language: the kept one, or one of its own when the kept
    /// one was made for another language.
    pub(crate) fn with<T>(
        &self,
        entries: &[EvidenceEntry],
        language: &Language,
        f: impl FnOnce(&Index) -> T,
    ) -> T {
        let kept = self.0.get_or_init(|| Index::new(entries, language));
        if kept.language == *language {
            f(kept)
        } else {
            f(&Index::new(entries, language))
        }
    }
}
