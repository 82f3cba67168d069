//! Agreement with people on outside sets; see docs/agreement.md.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

#[path = "support/agreement.rs"]
mod agreement;

use std::path::PathBuf;

use claim_lattice::Policy;

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("CANDOR_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: CANDOR_DATA is not set, no outside data to read");
    }
    folder
}

#[test]
fn development_set() {
    let Some(data) = data() else { return };
    show(&agreement::scifact(&data));
}

#[test]
fn reporting_sets() {
    let Some(data) = data() else { return };
    for cases in [agreement::expertqa(&data), agreement::fm2(&data)] {
        println!("{} claims", cases.len());
        show(&cases);
    }
}

fn show(cases: &[agreement::Labelled]) {
    for (class, (caught, lost)) in agreement::alone(cases, &Policy::strict()) {
        println!("why {class:24} caught {caught:4} lost {lost:4}");
    }
    for (name, policy) in [("seed", Policy::seed()), ("strict", Policy::strict())] {
        let a = agreement::measure(cases, &policy);
        for (rung, c) in [
            ("supported", a.supported),
            ("PL", a.pointer_linked),
            ("AW", a.anchor_warranted),
            ("EW", a.evidence_warranted),
        ] {
            println!(
                "{name:8} {rung:10} P {:.3} R {:.3} F {:.1} {c:?}",
                c.precision(),
                c.recall(),
                100.0 * c.macro_f1()
            );
        }
    }
}
