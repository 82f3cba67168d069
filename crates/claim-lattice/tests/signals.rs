//! Rules that tell another wording from a missing detail: each passing, failing, and at its
//! boundary, English and Catalan.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use claim_lattice::{
    AnchorClass, AnswerMode, ClaimVerdict, EvidenceMap, Language, Passage, Policy, Verdict, verify,
};

fn judge(claim: &str, evidence: &str, policy: &Policy) -> Verdict {
    let mut map = EvidenceMap::builder(usize::MAX);
    map.push(Passage::whole("s", "", evidence)).unwrap();
    let answer = serde_json::json!({"claims": [{"text": claim, "evidence_ids": ["E1"]}]});
    verify(
        "",
        &map.build(),
        &answer.to_string(),
        AnswerMode::Json,
        policy,
    )
}

fn english(claim: &str, evidence: &str) -> Verdict {
    judge(claim, evidence, &Policy::strict())
}

fn catalan(claim: &str, evidence: &str) -> Verdict {
    judge(
        claim,
        evidence,
        &Policy::strict().with_language(Language::Catalan),
    )
}

fn misses(verdict: &Verdict, class: AnchorClass) -> bool {
    verdict
        .claims()
        .iter()
        .flat_map(ClaimVerdict::violations)
        .any(|v| v.class == Some(class))
}

/// Ten nouns of which the evidence lacks four: two and two is another wording, four in a row
/// and three in a row are details.
#[test]
fn a_short_gap_weighs_less_than_a_long_one() {
    let english_words = "anchor basket candle dragon engine feather garden hammer island jacket";
    let catalan_words = "àncora cistell espelma drac motor ploma jardí martell illa jaqueta";
    for (words, language) in [
        (english_words, Language::English),
        (catalan_words, Language::Catalan),
    ] {
        let all: Vec<&str> = words.split(' ').collect();
        let without = |gone: &[usize]| {
            let kept: Vec<&str> = (0..10)
                .filter(|i| !gone.contains(i))
                .map(|i| all[i])
                .collect();
            kept.join(" ")
        };
        let strict = Policy::strict().with_language(language);
        let says = |gone: &[usize], policy: &Policy| judge(words, &without(gone), policy).passes();
        // Half of the words: 5 of 5 + 5 / 4 with gaps of at most two, 5 of 10 with one of five.
        assert!(says(&[1, 2, 4, 5, 7], &strict));
        assert!(!says(&[3, 4, 5, 6, 7], &strict));
        // 5 of 5 + 2 / 4 + 3: the row of three weighs in full, 58 %.
        assert!(!says(&[1, 2, 5, 6, 7], &strict));
        // 3 of 10 in gaps of two is the least; two of ten never do.
        assert!(says(&[1, 2, 4, 5, 7, 8], &strict));
        assert!(!says(&[0, 1, 3, 4, 6, 7, 8, 9], &strict));
        // Without the rule all words weigh the same.
        let even = Policy {
            gap_words: 0,
            ..strict
        };
        assert!(!says(&[1, 2, 4, 5, 7], &even));
        assert!(says(&[1, 3, 5, 7], &even));
    }
}

#[test]
fn a_short_claim_has_no_short_gaps() {
    assert!(!english("anchor basket candle dragon", "anchor dragon").passes());
    assert!(english("anchor basket candle dragon engine", "anchor dragon engine").passes());
    assert!(!catalan("àncora cistell espelma drac", "àncora drac").passes());
    assert!(catalan("àncora cistell espelma drac motor", "àncora drac motor").passes());
}

#[test]
fn a_stated_cause_has_to_be_there() {
    let evidence = "The ferry to the island stopped because ice closed the harbour.";
    assert!(english("The ferry to the island stopped because of ice.", evidence).passes());
    let wrong = english(
        "The ferry to the island stopped because of strikes over wages.",
        evidence,
    );
    assert!(misses(&wrong, AnchorClass::Causes));
    // One word of the cause is enough.
    let partly = english(
        "The ferry to the island stopped due to ice and strikes.",
        evidence,
    );
    assert!(!misses(&partly, AnchorClass::Causes));
    let text = "El vaixell de l'illa va parar perquè el gel va tancar el port.";
    assert!(catalan("El vaixell de l'illa va parar a causa del gel.", text).passes());
    let altra = catalan("El vaixell de l'illa va parar a causa de la vaga.", text);
    assert!(misses(&altra, AnchorClass::Causes));
    // The base design asks for causes only where the question does.
    let seed = judge(
        "The ferry to the island stopped because of strikes over wages.",
        evidence,
        &Policy::seed(),
    );
    assert!(!misses(&seed, AnchorClass::Causes));
}

#[test]
fn a_word_or_a_list_bears_a_small_number() {
    let pair = "Both bridges over the river were built by the monks.";
    assert!(english("The monks built two bridges over the river.", pair).passes());
    assert!(!english("The monks built three bridges over the river.", pair).passes());
    let list = "The abbey trained the painters Ann Bell, Ruth Cole and Ida Marsh in its school.";
    assert!(english("The abbey trained three painters in its school.", list).passes());
    assert!(!english("The abbey trained four painters in its school.", list).passes());
    let oxford = "The abbey grows barley, oats, and rye in the valley.";
    assert!(
        english(
            "The abbey grows three grains, rye among them, in the valley.",
            oxford
        )
        .passes()
    );
    let two = "The abbey trained the painters Ann Bell and Ruth Cole in its school.";
    assert!(english("The abbey trained two painters in its school.", two).passes());
    // Two common nouns joined are no count of two.
    let nouns = "The abbey trained painters and dancers of the school in its garden.";
    assert!(
        !english(
            "The abbey trained two painters of the school in its garden.",
            nouns
        )
        .passes()
    );
    let ca = "L'abadia va formar els pintors Anna Bell, Rut Coll i Ida Mas a l'escola.";
    assert!(catalan("L'abadia va formar tres pintors a l'escola.", ca).passes());
    assert!(!catalan("L'abadia va formar quatre pintors a l'escola.", ca).passes());
    let ambdues = "Ambdues torres del castell són de pedra.";
    assert!(catalan("Les dues torres del castell són de pedra.", ambdues).passes());
}

#[test]
fn two_years_bear_the_time_between_them() {
    let evidence = "The mill ran from 1810 to 1835 under the miller.";
    assert!(english("The mill ran for 25 years under the miller.", evidence).passes());
    assert!(!english("The mill ran for 26 years under the miller.", evidence).passes());
    assert!(!english("The mill ran for 24 years under the miller.", evidence).passes());
    assert!(
        english(
            "The mill ran for more than 20 years under the miller.",
            evidence
        )
        .passes()
    );
    // An age may be a year less than the years are apart.
    let life = "Ida Marsh, born in 1901, died in 1950 in the harbour town.";
    assert!(english("Ida Marsh died in the harbour town aged 49.", life).passes());
    assert!(english("Ida Marsh died in the harbour town aged 48.", life).passes());
    assert!(!english("Ida Marsh died in the harbour town aged 47.", life).passes());
    let decade = "The mill ran for a decade under the miller.";
    assert!(english("The mill ran for ten years under the miller.", decade).passes());
    // More than four years in the windows bear no difference.
    let many = "The mill ran in 1810, 1812, 1819, 1827 and 1835 under the miller.";
    assert!(!english("The mill ran for 25 years under the miller.", many).passes());
    let ca = "El molí va funcionar de 1810 a 1835 amb el moliner.";
    assert!(catalan("El molí va funcionar 25 anys amb el moliner.", ca).passes());
    assert!(!catalan("El molí va funcionar 24 anys amb el moliner.", ca).passes());
}

#[test]
fn the_short_end_of_a_range_is_a_year() {
    let evidence = "The siege of the castle (1614–18) ruined the town.";
    assert!(english("The siege of the castle ended in 1618.", evidence).passes());
    assert!(!english("The siege of the castle ended in 1619.", evidence).passes());
    let ca = "El setge del castell (1614-18) va arruïnar el poble.";
    assert!(catalan("El setge del castell va acabar el 1618.", ca).passes());
    assert!(!catalan("El setge del castell va acabar el 1619.", ca).passes());
}

#[test]
fn fractions_are_shares() {
    let evidence = "In the survey 20 % of the farms keep bees.";
    assert!(
        english(
            "In the survey one in five of the farms keep bees.",
            evidence
        )
        .passes()
    );
    assert!(
        !english(
            "In the survey one in four of the farms keep bees.",
            evidence
        )
        .passes()
    );
    let half = "In the survey 48 % of the farms keep bees.";
    assert!(english("In the survey half of the farms keep bees.", half).passes());
    let less = "In the survey 44 % of the farms keep bees.";
    assert!(!english("In the survey half of the farms keep bees.", less).passes());
    let third = "In the survey a third of the farms keep bees.";
    assert!(english("In the survey 33.33 % of the farms keep bees.", third).passes());
    assert!(!english("In the survey two thirds of the farms keep bees.", third).passes());
    let ca = "Segons l'enquesta el 20 % de les granges tenen abelles.";
    assert!(
        catalan(
            "Segons l'enquesta una de cada cinc granges tenen abelles.",
            ca
        )
        .passes()
    );
    assert!(
        !catalan(
            "Segons l'enquesta la meitat de les granges tenen abelles.",
            ca
        )
        .passes()
    );
}

#[test]
fn a_round_number_is_borne_by_what_rounds_to_it() {
    let evidence = "The port handled 2,950,000 crates of fruit.";
    assert!(english("The port handled 3 million crates of fruit.", evidence).passes());
    assert!(!english("The port handled 2 million crates of fruit.", evidence).passes());
    let far = "The port handled 2,850,000 crates of fruit.";
    assert!(!english("The port handled 3 million crates of fruit.", far).passes());
    // Small whole numbers are counted.
    let small = "The port has 29 cranes on the quay.";
    assert!(!english("The port has 30 cranes on the quay.", small).passes());
    let share = "Fruit made up 47.3 % of the cargo.";
    assert!(english("Fruit made up 47 % of the cargo.", share).passes());
    assert!(!english("Fruit made up 48 % of the cargo.", share).passes());
    let ca = "El port va moure 2.950.000 caixes de fruita.";
    assert!(catalan("El port va moure 3 milions de caixes de fruita.", ca).passes());
    assert!(!catalan("El port va moure 2 milions de caixes de fruita.", ca).passes());
}

#[test]
fn the_number_of_a_designation_is_no_count() {
    let evidence = "The virus spread through the harbour town in winter.";
    let verdict = english(
        "The virus Covid-19 spread through the harbour town in winter.",
        evidence,
    );
    assert!(!misses(&verdict, AnchorClass::Counts));
    let other = "The virus Covid-20 spread through the harbour town in winter.";
    let swapped = english(
        "The virus Covid-19 spread through the harbour town in winter.",
        other,
    );
    assert!(misses(&swapped, AnchorClass::Counts));
    let ca = "El virus Covid-20 es va escampar pel port a l'hivern.";
    let canviat = catalan("El virus Covid-19 es va escampar pel port a l'hivern.", ca);
    assert!(misses(&canviat, AnchorClass::Counts));
}

#[test]
fn a_surname_stands_for_the_name_where_no_other_first_name_does() {
    let claim = "Ruth Marsh painted the chapel of the abbey.";
    for evidence in [
        "Marsh painted the chapel of the abbey.",
        "Professor Marsh painted the chapel of the abbey.",
        "Ida Marsh wrote. Later Marsh painted the chapel of the abbey, and Marsh was paid.",
    ] {
        assert!(english(claim, evidence).passes(), "{evidence}");
    }
    let sister = english(claim, "Ida Marsh painted the chapel of the abbey.");
    assert!(misses(&sister, AnchorClass::ProperNouns));
    let nom = "Rut Mas va pintar la capella de l'abadia.";
    assert!(catalan(nom, "La capella de l'abadia la va pintar Mas.").passes());
    let altra = catalan(nom, "La capella de l'abadia la va pintar Ida Mas.");
    assert!(misses(&altra, AnchorClass::ProperNouns));
}

#[test]
fn a_country_of_two_words_and_what_is_of_it() {
    let evidence = "The ferry line belongs to a company of the United States.";
    assert!(english("The ferry line belongs to an American company.", evidence).passes());
    assert!(!english("The ferry line belongs to a British company.", evidence).passes());
    let american = "The ferry line belongs to an American company.";
    assert!(
        english(
            "The ferry line belongs to a company of the United States.",
            american
        )
        .passes()
    );
    let ca = "La línia del vaixell és d'una empresa dels Estats Units.";
    assert!(catalan("La línia del vaixell és d'una empresa nord-americana.", ca).passes());
}
