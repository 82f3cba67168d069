//! What is missing, as sentences for a writer or a model.

use crate::label::Label;
use crate::missing::{Missing, Unanchored};
use crate::options::FeedbackLanguage;

/// One sentence for each component that falls short.
pub(crate) fn sentences(missing: &[Missing], language: FeedbackLanguage) -> Vec<String> {
    let sentence = |missing: &Missing| match language {
        FeedbackLanguage::English => english(missing),
        FeedbackLanguage::Catalan => catalan(missing),
    };
    missing.iter().map(sentence).collect()
}

fn english(missing: &Missing) -> String {
    match missing {
        Missing::Quadrants { quadrants } => {
            let verb = if quadrants.len() == 1 { "is" } else { "are" };
            format!("{} {verb} never touched: cite a code of each.", list(quadrants, "and"))
        }
        Missing::Evenness { most, share } => format!(
            "{most} holds {}% of the codes: spread them more evenly over the quadrants.",
            percent(*share)
        ),
        Missing::Pairs { axes } => {
            let axis = |[a, b]: &[Label; 2]| format!("{a} and {b} never meet in one paragraph");
            joined(axes, axis, "bring each pair together")
        }
        Missing::Tension { found, wanted } => format!(
            "Poles are put in tension {found} of {wanted} times: say where they disagree, with words such as \"yet\" or \"in tension with\" beside codes of two quadrants."
        ),
        Missing::Mediators => {
            "No mediator is used: let a code such as SIN or AMO work on the cardinals it joins."
                .to_owned()
        }
        Missing::Anchors { mediators } => {
            let anchor = |m: &Unanchored| {
                let other = m.lacks_another.then_some("another cardinal");
                format!("{} is named without {}", m.mediator, lacks(m, other, "and"))
            };
            joined(mediators, anchor, "put them in one paragraph")
        }
        Missing::Axis => {
            "The opening names no axis: begin with the two poles that the question sets against each other.".to_owned()
        }
        Missing::Subordination { found, wanted } => format!(
            "One frame works on another {found} of {wanted} times: let frames integrate, reframe or absorb each other beside codes of two quadrants, not stand in a row."
        ),
        Missing::Relations { relations } => {
            let names: Vec<Label> = relations.iter().map(|r| relation(r, false)).collect();
            let (word, verb) = if names.len() == 1 {
                ("relation", "is")
            } else {
                ("relations", "are")
            };
            let names = list(&names, "and");
            format!("The part\u{2013}whole {word} of {names} {verb} not touched: say how part and whole stand there.")
        }
    }
}

fn catalan(missing: &Missing) -> String {
    match missing {
        Missing::Quadrants { quadrants } => {
            let verb = if quadrants.len() == 1 { "no es toca" } else { "no es toquen" };
            format!("{} {verb} mai: cita un codi de cada.", list(quadrants, "i"))
        }
        Missing::Evenness { most, share } => format!(
            "{most} té el {}% dels codis: reparteix-los millor entre els quadrants.",
            percent(*share)
        ),
        Missing::Pairs { axes } => {
            let axis = |[a, b]: &[Label; 2]| format!("{a} i {b} no es troben mai en un paràgraf");
            joined(axes, axis, "ajunta cada parella")
        }
        Missing::Tension { found, wanted } => format!(
            "Els pols es posen en tensió {found} de {wanted} vegades: digues on discrepen, amb mots com «però» o «en canvi» al costat de codis de dos quadrants."
        ),
        Missing::Mediators => {
            "No hi ha cap mediador: fes que un codi com SIN o AMO treballi sobre els cardinals que uneix."
                .to_owned()
        }
        Missing::Anchors { mediators } => {
            let anchor = |m: &Unanchored| {
                let other = m.lacks_another.then_some("un altre cardinal");
                format!("{} s'anomena sense {}", m.mediator, lacks(m, other, "i"))
            };
            joined(mediators, anchor, "posa'ls en un mateix paràgraf")
        }
        Missing::Axis => {
            "L'obertura no anomena cap eix: comença amb els dos pols que la pregunta enfronta.".to_owned()
        }
        Missing::Subordination { found, wanted } => format!(
            "Un marc actua sobre un altre {found} de {wanted} vegades: fes que els marcs s'integrin, es reformulin o s'absorbeixin al costat de codis de dos quadrants, no que facin fila."
        ),
        Missing::Relations { relations } => {
            let names: Vec<Label> = relations.iter().map(|r| relation(r, true)).collect();
            let verb = if names.len() == 1 { "no es toca" } else { "no es toquen" };
            let names = list(&names, "i");
            format!("De les relacions part\u{2013}tot {verb} {names}: digues com hi són la part i el tot.")
        }
    }
}

/// `A; B: remedy.`
fn joined<T>(items: &[T], phrase: impl Fn(&T) -> String, remedy: &str) -> String {
    let phrases: Vec<String> = items.iter().map(phrase).collect();
    format!("{}: {remedy}.", phrases.join("; "))
}

/// `A, B and C`.
fn list(names: &[Label], and: &str) -> String {
    let names: Vec<&str> = names.iter().map(Label::as_str).collect();
    words(&names, and)
}

fn words(names: &[&str], and: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [init @ .., last] => format!("{} {and} {last}", init.join(", ")),
    }
}

fn lacks(mediator: &Unanchored, other: Option<&str>, and: &str) -> String {
    let mut names: Vec<&str> = mediator.lacks.iter().map(Label::as_str).collect();
    names.extend(other);
    words(&names, and)
}

fn percent(share: f64) -> u32 {
    libm::round(share * 100.0) as u32
}

/// A relation with its sign, as the writer knows it.
fn relation(name: &Label, catalan: bool) -> Label {
    let known = [
        ("identity", "identity (A=A)", "la identitat (A=A)"),
        (
            "inclusion",
            "inclusion (A\u{2282}T)",
            "la inclusió (A\u{2282}T)",
        ),
        (
            "containment",
            "containment (T\u{2282}A)",
            "la contenció (T\u{2282}A)",
        ),
        (
            "correlation",
            "correlation (A\u{2282}B)",
            "la correlació (A\u{2282}B)",
        ),
    ];
    match known.iter().find(|(key, _, _)| *name == *key) {
        Some((_, _, ca)) if catalan => (*ca).into(),
        Some((_, en, _)) => (*en).into(),
        None => name.clone(),
    }
}
