//! Word lists compiled for look-up.

use std::collections::HashMap;

use text_units::Stemmer;

use super::WordLists;

/// What a word is, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Class(pub(crate) u32);

impl Class {
    pub(crate) const STOP: Self = Self(1);
    pub(crate) const PRONOUN: Self = Self(1 << 1);
    pub(crate) const NEGATION: Self = Self(1 << 2);
    pub(crate) const HEDGE: Self = Self(1 << 3);
    pub(crate) const UNREAL: Self = Self(1 << 4);
    pub(crate) const MONTH: Self = Self(1 << 5);
    pub(crate) const NUMBER_WORD: Self = Self(1 << 6);
    pub(crate) const ORDINAL: Self = Self(1 << 7);
    pub(crate) const SUPERLATIVE: Self = Self(1 << 8);
    pub(crate) const UNIVERSAL: Self = Self(1 << 9);
    pub(crate) const EXCLUSIVE: Self = Self(1 << 10);
    pub(crate) const MAJORITY: Self = Self(1 << 11);
    pub(crate) const MANY: Self = Self(1 << 12);
    pub(crate) const SOME: Self = Self(1 << 13);
    pub(crate) const FEW: Self = Self(1 << 14);
    pub(crate) const NONE: Self = Self(1 << 15);
    /// Holds a digit.
    pub(crate) const DIGITS: Self = Self(1 << 16);
    pub(crate) const WEAK_CAUSE: Self = Self(1 << 17);
    /// Carries little of its own.
    pub(crate) const LIGHT: Self = Self(1 << 18);
    pub(crate) const ABILITY: Self = Self(1 << 19);
    /// Opens a clause.
    pub(crate) const CONJUNCTION: Self = Self(1 << 20);
    /// No content token.
    pub(crate) const EMPTY: Self = Self(1 | 1 << 18);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The shape of a question, by its phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Shape {
    pub(crate) relation: bool,
    pub(crate) date: bool,
    pub(crate) list: bool,
    pub(crate) count: bool,
    pub(crate) cause: bool,
}

/// What a word form is known as.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known {
    pub(crate) class: Class,
    /// Of number words, ordinals and months (1 to 12).
    pub(crate) value: u64,
}

/// Relations of a stem: the groups it is in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Relations {
    /// Stems that stand for it.
    pub(crate) synonyms: Vec<Box<str>>,
    /// Stems opposed to it.
    pub(crate) antonyms: Vec<Box<str>>,
    /// Stems that exclude it.
    pub(crate) rivals: Vec<Box<str>>,
}

/// Word lists compiled for look-up.
pub(crate) struct Lexicon {
    stemmer: Stemmer,
    english: bool,
    words: HashMap<Box<str>, Known>,
    lemmas: HashMap<Box<str>, Box<str>>,
    relations: HashMap<Box<str>, Relations>,
    not_superlative: Vec<Box<str>>,
    est: bool,
    relation_questions: Vec<String>,
    date_questions: Vec<String>,
    list_questions: Vec<String>,
    count_questions: Vec<String>,
    cause_questions: Vec<String>,
    refusals: Vec<String>,
}

impl Lexicon {
    pub(crate) fn new(lists: &WordLists) -> Self {
        let mut lexicon = Self {
            stemmer: Stemmer::new(lists.stemmer),
            english: lists.stemmer == text_units::Language::English,
            words: HashMap::new(),
            lemmas: lists
                .irregular
                .iter()
                .map(|(form, lemma)| (form.as_str().into(), lemma.as_str().into()))
                .collect(),
            relations: HashMap::new(),
            not_superlative: lists
                .not_superlatives
                .iter()
                .map(|w| w.as_str().into())
                .collect(),
            est: lists.est_is_superlative,
            relation_questions: between_spaces(&lists.relation_questions),
            date_questions: between_spaces(&lists.date_questions),
            list_questions: between_spaces(&lists.list_questions),
            count_questions: between_spaces(&lists.count_questions),
            cause_questions: between_spaces(&lists.cause_questions),
            refusals: between_spaces(&lists.refusals),
        };
        lexicon.not_superlative.sort_unstable();
        lexicon.add_words(lists);
        lexicon.add_relations(lists);
        lexicon
    }

    fn add_words(&mut self, lists: &WordLists) {
        let plain: [(&[String], Class); 10] = [
            (&lists.stop_words, Class::STOP),
            (&lists.pronouns, Class::PRONOUN),
            (&lists.negations, Class::NEGATION),
            (&lists.hedges, Class::HEDGE),
            (&lists.light_words, Class::LIGHT),
            (&lists.abilities, Class::ABILITY),
            (&lists.conjunctions, Class::CONJUNCTION),
            (&lists.unreal, Class::UNREAL),
            (&lists.superlatives, Class::SUPERLATIVE),
            (&lists.weak_causes, Class::WEAK_CAUSE),
        ];
        for (words, class) in plain {
            for word in words {
                self.add(word, class, None);
            }
        }
        let ranks = [
            Class::UNIVERSAL,
            Class::EXCLUSIVE,
            Class::MAJORITY,
            Class::MANY,
            Class::SOME,
            Class::FEW,
            Class::NONE,
        ];
        for (group, class) in lists.quantifiers.iter().zip(ranks) {
            for word in group {
                self.add(word, class, None);
            }
        }
        for (month, names) in (1_u64..).zip(&lists.months) {
            for name in names {
                self.add(name, Class::MONTH, Some(month));
            }
        }
        for (word, value) in &lists.numbers {
            self.add(word, Class::NUMBER_WORD, Some(*value));
        }
        for (word, value) in &lists.ordinals {
            self.add(word, Class::ORDINAL, Some(*value));
        }
    }

    fn add(&mut self, word: &str, class: Class, value: Option<u64>) {
        let known = self.words.entry(word.into()).or_default();
        known.class = known.class.with(class);
        if let Some(value) = value {
            known.value = value;
        }
    }

    fn add_relations(&mut self, lists: &WordLists) {
        for group in &lists.synonyms {
            let stems = self.stems(group);
            for stem in &stems {
                self.relate(stem, |r| &mut r.synonyms, &stems);
            }
        }
        for (left, right) in &lists.antonyms {
            let (left, right) = (self.stems(left), self.stems(right));
            for stem in &left {
                self.relate(stem, |r| &mut r.antonyms, &right);
            }
            for stem in &right {
                self.relate(stem, |r| &mut r.antonyms, &left);
            }
        }
        for family in &lists.families {
            let stems = self.stems(family);
            for stem in &stems {
                self.relate(stem, |r| &mut r.rivals, &stems);
            }
        }
    }

    fn stems(&self, words: &[String]) -> Vec<Box<str>> {
        words.iter().map(|w| self.stem(w).into()).collect()
    }

    fn relate(
        &mut self,
        stem: &str,
        field: impl Fn(&mut Relations) -> &mut Vec<Box<str>>,
        others: &[Box<str>],
    ) {
        let relations = self.relations.entry(stem.into()).or_default();
        let list = field(relations);
        for other in others {
            if &**other != stem && !list.contains(other) {
                list.push(other.clone());
            }
        }
    }

    /// What a folded word is known as, by list and by form.
    pub(crate) fn known(&self, word: &str) -> Known {
        let mut known = self.words.get(word).copied().unwrap_or_default();
        if word.bytes().any(|b| b.is_ascii_digit()) {
            known.class = known.class.with(Class::DIGITS);
            if let Some(value) = ordinal_digits(word) {
                known.class = known.class.with(Class::ORDINAL);
                known.value = value;
            }
        } else if self.est
            && word.len() >= 6
            && word.ends_with("est")
            && self
                .not_superlative
                .binary_search_by(|w| (**w).cmp(word))
                .is_err()
        {
            known.class = known.class.with(Class::SUPERLATIVE);
        } else if self.english && word.ends_with("n't") {
            known.class = known.class.with(Class::NEGATION).with(Class::STOP);
        }
        known
    }

    /// The stem of a folded word, by its lemma where it is irregular.
    pub(crate) fn stem(&self, word: &str) -> String {
        let bare = word
            .strip_suffix("'s")
            .or_else(|| word.strip_suffix('\''))
            .unwrap_or(word);
        let lemma = self.lemmas.get(bare).map_or(bare, |l| &**l);
        self.stemmer.stem(lemma).into_owned()
    }

    /// Whether a folded word looks like a form of a verb: `-ed`, `-ing` (English), `-ar`, `-at`,
    /// `-ant`, `-ava` (Catalan), or an irregular form.
    pub(crate) fn is_verb_form(&self, word: &str) -> bool {
        let endings: &[&str] = if self.english {
            &[
                "ed", "ing", "izes", "ises", "ly", "al", "ive", "ous", "ful", "able", "ible", "ic",
                "less", "ary", "ant", "ent",
            ]
        } else {
            &[
                "ar", "ir", "ant", "ava", "aven", "at", "ada", "ats", "ades", "it", "ida",
            ]
        };
        self.lemmas.contains_key(word)
            || word.len() >= 5 && endings.iter().any(|e| word.ends_with(e))
    }

    pub(crate) fn relations(&self, stem: &str) -> Option<&Relations> {
        self.relations.get(stem)
    }

    /// The shape of a question.
    pub(crate) fn shape(&self, question: &str) -> Shape {
        if question.is_empty() {
            return Shape::default();
        }
        let text = spaced(question);
        let has = |list: &[String]| list.iter().any(|p| text.contains(p.as_str()));
        Shape {
            relation: has(&self.relation_questions),
            date: has(&self.date_questions),
            list: has(&self.list_questions),
            count: has(&self.count_questions),
            cause: has(&self.cause_questions),
        }
    }

    /// Whether a sentence says that the sources do not answer.
    pub(crate) fn is_refusal(&self, sentence: &str) -> bool {
        let text = spaced(sentence);
        self.refusals.iter().any(|p| text.contains(p.as_str()))
    }
}

/// Phrases with the spaces between which they are looked for.
fn between_spaces(phrases: &[String]) -> Vec<String> {
    phrases.iter().map(|p| format!(" {p} ")).collect()
}

/// The folded words of a text, each between spaces.
fn spaced(text: &str) -> String {
    let mut out = String::from(" ");
    for word in text_units::words(text) {
        out.push_str(&word.folded());
        if !word.text.ends_with(['\'', '\u{2019}']) {
            out.push(' ');
        }
    }
    out
}

/// `3rd`, `21st`, `5è`, `2n`: an ordinal in digits.
fn ordinal_digits(word: &str) -> Option<u64> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = word.split_at_checked(digits)?;
    let ordinal = matches!(
        suffix,
        "st" | "nd" | "rd" | "th" | "r" | "n" | "t" | "è" | "a" | "é"
    );
    (ordinal && digits > 0 && digits <= 9).then(|| number.parse().ok())?
}
