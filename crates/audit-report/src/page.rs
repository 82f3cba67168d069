//! The frame of every page: head, style, contents, sections.

use std::borrow::Cow;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::text::{Shown, short};

const STYLE: &str = include_str!("style.css");

/// Nothing may be loaded or run, whatever slips into the page.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A section with its heading.
pub(crate) struct Section {
    pub(crate) id: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) body: Markup,
}

/// A section of the page. `id` is ours; `title` may be untrusted.
pub(crate) fn section(
    id: impl Into<Cow<'static, str>>,
    title: impl Into<Cow<'static, str>>,
    body: Markup,
) -> Section {
    Section {
        id: id.into(),
        title: title.into(),
        body,
    }
}

/// The whole page.
pub(crate) fn page(kind: &str, question: &str, head: &Markup, sections: &[Section]) -> String {
    let language = "en";
    html! {
        (DOCTYPE)
        html lang=(language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(CONTENT_POLICY);
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (kind) ": " (plain(&short(question.trim(), 80))) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    p.kind { (kind) }
                    h1 { (Shown(&short(question.trim(), 2000))) }
                    (head)
                }
                nav aria-label="Contents" {
                    ul { @for s in sections { li { a href={ "#" (s.id) } { (Shown(&short(&s.title, 60))) } } } }
                }
                main id="main" {
                    @for s in sections {
                        section id=(s.id) aria-labelledby={ (s.id) "-title" } {
                            h2 id={ (s.id) "-title" } { (Shown(&s.title)) }
                            (s.body)
                        }
                    }
                }
                footer {
                    p { "This page is one file. It loads nothing and runs nothing." }
                }
            }
        }
    }
    .into_string()
}

/// A title bar shows no markup: what is hidden there is replaced.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{61c}' | '\u{feff}')
            {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// A hash that one click selects.
pub(crate) fn hash(text: &str) -> Markup {
    html! { code.hash { (text) } }
}

/// A bar from 0 to 1; what is not a number is empty.
pub(crate) fn bar(value: f64) -> Markup {
    let percent = if value.is_finite() {
        value.clamp(0.0, 1.0) * 100.0
    } else {
        0.0
    };
    html! {
        span.bar aria-hidden="true" { span style=(format!("width:{percent:.2}%")) {} }
    }
}

/// Rows of a name and a value.
pub(crate) fn figures(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl.figures { @for (name, value) in rows { div { dt { (name) } dd { (value) } } } }
    }
}
