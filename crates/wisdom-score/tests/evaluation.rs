//! The validation kit on scored texts.
#![allow(clippy::unwrap_used)]

use wisdom_score::evaluation::{EvaluationOptions, RatedText, evaluate};
use wisdom_score::{Component, Error, Options, Scorer};

const TEXTS: [&str; 8] = [
    "No code at all.",
    "FEN is here.",
    "OBJ, SUB, TEO and PRA are four codes.",
    "OBJ stands there. SUB stands there.",
    "OBJ measures, yet SUB feels.",
    "On the OBJ–SUB axis, OBJ measures, yet SUB reframes what it measures.",
    "TEO says, but PRA does; ANA takes FEN apart, yet NOU absorbs FEN.",
    "On the TEO–PRA axis, TEO says, but PRA does, while OBJ waits; SIN integrates TEO with PRA.",
];

fn rated(raters: &[[f64; 8]]) -> Vec<RatedText> {
    let scorer = Scorer::new(Options::default()).unwrap();
    let rated = TEXTS.iter().enumerate().map(|(i, text)| {
        let ratings = raters.iter().map(|rater| Some(rater[i])).collect();
        RatedText::new(&scorer.score(text).unwrap(), ratings)
    });
    rated.collect()
}

#[test]
fn ratings_that_follow_the_score_need_no_refit() {
    let raters = [
        [1.0, 1.0, 2.0, 2.0, 3.0, 5.0, 4.0, 5.0],
        [1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0],
    ];
    let result = evaluate(&rated(&raters), &EvaluationOptions::default()).unwrap();
    let r = result.wisdom.pearson.unwrap();
    let [low, high] = result.wisdom.pearson_interval.unwrap();
    assert!(r > 0.9 && low <= r && r <= high, "{result:#?}");
    assert!(result.agreement.krippendorff_alpha.unwrap() > 0.9);
    assert_eq!(result.components.len(), Component::ALL.len());
    assert_eq!(result.refit, None);
}

#[test]
fn ratings_that_follow_one_component_are_refitted_to_it() {
    // What people reward here is coverage alone.
    let scorer = Scorer::new(Options::default()).unwrap();
    let coverage: Vec<f64> = TEXTS
        .iter()
        .map(|text| scorer.score(text).unwrap().components.coverage)
        .collect();
    let raters = [std::array::from_fn(|i| 1.0 + 4.0 * coverage[i])];
    let always = EvaluationOptions {
        refit_under: 1.1,
        ..EvaluationOptions::default()
    };
    let result = evaluate(&rated(&raters), &always).unwrap();
    let refit = result.refit.unwrap();
    assert!(refit.fitted_pearson > 0.999, "{refit:?}");
    assert!(refit.weights.values()[0] > 0.9, "{refit:?}");
    let sum: f64 = refit.weights.values().iter().sum();
    assert!((sum - 1.0).abs() < 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_intervals() {
    let raters = [[1.0, 1.0, 2.0, 2.0, 3.0, 5.0, 4.0, 5.0]];
    let run = |seed| {
        let options = EvaluationOptions {
            seed,
            ..EvaluationOptions::default()
        };
        serde_json::to_string(&evaluate(&rated(&raters), &options).unwrap()).unwrap()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let options = EvaluationOptions::default();
    assert!(matches!(
        evaluate(&[], &options),
        Err(Error::Evaluation { .. })
    ));
    let mut texts = rated(&[[1.0; 8]]);
    texts[3].ratings.push(Some(2.0));
    assert!(matches!(
        evaluate(&texts, &options),
        Err(Error::Evaluation { .. })
    ));
    texts[3].ratings = vec![Some(f64::NAN)];
    assert!(matches!(
        evaluate(&texts, &options),
        Err(Error::Evaluation { .. })
    ));
}
