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

/// Distinct words and stems.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: FixedMap<Box<str>, u32>,
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
        if let Some(&id) = self.words.get(folded) {
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

/// Prepares a text: cleans it, splits it, and gives its words ids.
pub(crate) fn prepare(text: &str, interner: &mut impl Intern, lexicon: &Lexicon) -> Prepared {
    let cleaned = clean(text);
    let mut tokens = Vec::with_capacity(cleaned.text().len() / 6);
    let mut spans = Vec::new();
    {
        let body = cleaned.text();
        let mut bounds = sentences(body).into_iter().map(|s| s.span).peekable();
        let mut first = 0;
        let mut initial = true;
        let mut last_end = 0;
        for word in words(body) {
            while bounds.peek().is_some_and(|s| s.end <= word.span.start) {
                if let Some(span) = bounds.next() {
                    spans.push(Sentence {
                        tokens: first..tokens.len(),
                        span,
                    });
                }
                first = tokens.len();
                initial = true;
            }
            let (Ok(start), Ok(end)) =
                (u32::try_from(word.span.start), u32::try_from(word.span.end))
            else {
                break;
            };
            let gap = body.get(last_end..word.span.start).unwrap_or_default();
            let form = form_of(word.text, initial, gap);
            let id = interner.intern(&word.folded(), lexicon);
            tokens.push(Token {
                word: id,
                start,
                end,
                form,
            });
            initial = false;
            last_end = word.span.end;
        }
        for span in bounds {
            spans.push(Sentence {
                tokens: first..tokens.len(),
                span,
            });
            first = tokens.len();
        }
    }
    spans.retain(|s: &Sentence| !s.tokens.is_empty());
    Prepared {
        cleaned,
        tokens,
        sentences: spans,
        quantities: OnceLock::new(),
    }
}

fn form_of(word: &str, initial: bool, gap: &str) -> Form {
    let mut bits = 0;
    let mut chars = word.chars();
    if chars.next().is_some_and(char::is_uppercase) {
        bits |= Form::CAPITAL.0;
        let rest = chars.as_str();
        if !rest.is_empty() && !rest.chars().any(char::is_lowercase) {
            bits |= Form::ALL_CAPS.0;
        }
    }
    if initial {
        bits |= Form::INITIAL.0;
    }
    if gap.contains([',', ';', ':', '(', ')', '—', '–', '"', '“', '”', '|']) || gap.contains(" - ")
    {
        bits |= Form::AFTER_BREAK.0;
    }
    Form(bits)
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

/// The index of an evidence map under the word lists of one language.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) language: Language,
    pub(crate) vocabulary: Vocabulary,
    /// One a passage, in the map's order.
    pub(crate) passages: Vec<Prepared>,
    /// The titles, one a passage.
    pub(crate) titles: Vec<Prepared>,
    /// For each stem (and root) id the passages that hold it, in order.
    holders: Vec<Vec<u32>>,
}

impl Index {
    pub(crate) fn new(entries: &[EvidenceEntry], language: &Language) -> Self {
        let lexicon = language.lexicon();
        let mut vocabulary = Vocabulary::default();
        let passages: Vec<Prepared> = entries
            .iter()
            .map(|e| prepare(&e.text, &mut vocabulary, lexicon))
            .collect();
        let titles: Vec<Prepared> = entries
            .iter()
            .map(|e| prepare(&e.title, &mut vocabulary, lexicon))
            .collect();
        let mut holders: Vec<Vec<u32>> = vec![Vec::new(); vocabulary.stems.len()];
        for (number, passage) in (0_u32..).zip(&passages) {
            for token in &passage.tokens {
                let entry = vocabulary.entry(token.word);
                for id in [entry.stem, entry.root] {
                    if let Some(list) = holders.get_mut(id as usize)
                        && list.last() != Some(&number)
                    {
                        list.push(number);
                    }
                }
            }
        }
        Self {
            language: language.clone(),
            vocabulary,
            passages,
            titles,
            holders,
        }
    }

    /// The passages that hold a stem or root.
    pub(crate) fn holders(&self, id: StemId) -> &[u32] {
        self.holders.get(id as usize).map_or(&[], Vec::as_slice)
    }
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
