//! Cleaning against its plain definition, and the table of ignorable characters against ICU's.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use text_units::{ScalarIndex, clean, excerpt, is_default_ignorable};
use unicode_normalization::UnicodeNormalization;

/// The definition, step by step.
fn naive(text: &str) -> String {
    let kept: String = text
        .chars()
        .filter(|&c| !is_default_ignorable(c))
        .nfc()
        .collect();
    let mut out = String::new();
    let mut returns = 0;
    for c in kept.chars() {
        match c {
            '\r' => returns += 1,
            _ => {
                if c != '\n' {
                    out.extend(std::iter::repeat_n('\r', returns));
                }
                returns = 0;
                out.push(c);
            }
        }
    }
    out.extend(std::iter::repeat_n('\r', returns));
    out
}

/// Text rich in what cleaning touches.
fn rough() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{1,12}",
        2 => Just("\r".to_owned()),
        2 => Just("\n".to_owned()),
        2 => prop::sample::select(vec!["\u{200B}", "\u{AD}", "\u{FEFF}", "\u{34F}", "\u{E0001}"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["\u{301}", "\u{327}", "\u{302}", "\u{344}", "\u{338}", "\u{93E}"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\u{1100}", "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{115F}"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["é", "ç", "·", "’", "\u{212B}", "\u{2000}", "\u{FB1D}", "\u{1F71}"]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn equals_the_plain_definition(text in rough()) {
        let cleaned = clean(&text);
        prop_assert_eq!(cleaned.text(), naive(&text));
        prop_assert_eq!(cleaned.is_identity(), cleaned.text() == text);
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(text in rough()) {
        let once = clean(&text).into_text();
        prop_assert!(clean(&once).is_identity(), "{:?} {:?}", text, once);
    }

    #[test]
    fn every_span_slices_the_original_and_cleans_to_what_it_maps(
        text in rough(), a in 0..400usize, b in 0..400usize,
    ) {
        let cleaned = clean(&text);
        let range = a.min(b)..a.max(b);
        let original = cleaned.original_range(range.clone());
        let slice = text.get(original.clone());
        prop_assert!(slice.is_some());
        prop_assert!(original.end <= text.len());
        // Whole text to whole text, but for what was removed at the ends.
        let whole = cleaned.original_range(0..cleaned.text().len());
        let again = clean(text.get(whole).unwrap());
        prop_assert_eq!(again.text(), cleaned.text());
        // A span on character boundaries is in the cleaned form of what it maps to.
        if let Some(part) = cleaned.text().get(range)
            && !part.contains('\r') {
            prop_assert!(clean(slice.unwrap()).text().contains(part), "{:?} {:?}", slice, part);
        }
        let index = ScalarIndex::new(&text);
        prop_assert_eq!(
            index.range(original.clone()),
            text[..original.start].chars().count()..text[..original.end].chars().count()
        );
    }

    #[test]
    fn ranges_follow_their_order(text in rough(), cuts in prop::collection::vec(0..300usize, 2..6)) {
        let cleaned = clean(&text);
        let mut cuts = cuts;
        cuts.sort_unstable();
        for pair in cuts.windows(2) {
            let left = cleaned.original_range(0..pair[0]);
            let right = cleaned.original_range(0..pair[1]);
            prop_assert!(left.end <= right.end);
        }
    }

    #[test]
    fn excerpts_are_starts_within_the_limit(text in rough(), limit in 0..100usize) {
        let cut = excerpt(&text, limit);
        prop_assert!(cut.len() <= limit);
        prop_assert!(text.starts_with(cut));
    }
}

#[test]
fn the_table_is_the_one_of_the_character_database() {
    use icu_properties::{CodePointSetData, props::DefaultIgnorableCodePoint};
    let theirs = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let mut members = 0;
    for c in '\0'..=char::MAX {
        assert_eq!(
            is_default_ignorable(c),
            theirs.contains(c),
            "U+{:04X}",
            u32::from(c)
        );
        members += usize::from(is_default_ignorable(c));
    }
    assert_eq!(members, 4174);
}

#[test]
fn long_runs_of_one_character_stay_linear() {
    // Quadratic work on any of these would take minutes.
    for piece in [
        "\r",
        "\r\u{200B}",
        "e\u{301}",
        "\u{301}",
        "\u{200B}",
        "\r\n",
        "a\u{327}\u{301}",
    ] {
        let text = piece.repeat(200_000);
        assert_eq!(clean(&text).text(), naive(&text));
    }
}
