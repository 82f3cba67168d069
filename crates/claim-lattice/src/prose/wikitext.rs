//! MediaWiki's markup, taken out (feature `wikitext`).

/// The prose of a wikitext: links as their labels; templates, references, comments, tables and
/// tags gone; emphasis and heading marks gone. Unclosed markup runs to the end of the text.
/// Linear.
///
/// ```
/// # use claim_lattice::strip_wikitext;
/// assert_eq!(strip_wikitext("'''Ada''' [[Lovelace|wrote]] it.<ref>x</ref>{{cite|a={{b}}}}"), "Ada wrote it.");
/// ```
#[must_use]
pub fn strip_wikitext(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '[', '<', '\'', '=']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        rest = if tail.starts_with("{{") {
            behind_nested(tail, "{{", "}}")
        } else if tail.starts_with("{|") {
            behind_nested(tail, "{|", "|}")
        } else if let Some(inner) = tail.strip_prefix("[[") {
            link(inner, &mut out)
        } else if tail.starts_with("<!--") {
            behind(tail, "-->")
        } else if tail.starts_with("<ref") {
            reference(tail)
        } else if tail.starts_with("''") {
            tail.trim_start_matches('\'')
        } else if tail.starts_with("==") && line_start(&out) {
            heading(tail, &mut out)
        } else if tail.starts_with('<')
            && tail[1..].starts_with(|c: char| c == '/' || c.is_ascii_alphabetic())
        {
            behind(tail, ">")
        } else {
            out.push_str(&tail[..1]);
            &tail[1..]
        };
    }
    out.push_str(rest);
    out
}

fn line_start(out: &str) -> bool {
    out.is_empty() || out.ends_with('\n')
}

fn behind<'t>(text: &'t str, close: &str) -> &'t str {
    text.find(close).map_or("", |i| &text[i + close.len()..])
}

fn behind_nested<'t>(text: &'t str, open: &str, close: &str) -> &'t str {
    let mut depth = 0_usize;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let here = &bytes[at..];
        if here.starts_with(open.as_bytes()) {
            depth += 1;
            at += open.len();
        } else if here.starts_with(close.as_bytes()) {
            depth -= 1;
            at += close.len();
            if depth == 0 {
                return &text[at..];
            }
        } else {
            at += 1;
        }
    }
    ""
}

/// `target|label]]`: files and categories go, other links leave their label.
fn link<'t>(inner: &'t str, out: &mut String) -> &'t str {
    let Some(end) = inner.find("]]") else {
        return "";
    };
    let body = &inner[..end];
    let hidden = [
        "File:",
        "Image:",
        "Category:",
        "Fitxer:",
        "Imatge:",
        "Categoria:",
    ];
    if !hidden.iter().any(|p| body.starts_with(p)) {
        out.push_str(body.rsplit('|').next().unwrap_or(body));
    }
    &inner[end + 2..]
}

fn reference(tail: &str) -> &str {
    let Some(end) = tail.find('>') else { return "" };
    if tail[..end].ends_with('/') {
        &tail[end + 1..]
    } else {
        behind(&tail[end..], "</ref>")
    }
}

fn heading<'t>(tail: &'t str, out: &mut String) -> &'t str {
    let line = tail.split('\n').next().unwrap_or(tail);
    out.push_str(line.trim().trim_matches('=').trim());
    &tail[line.len()..]
}

#[cfg(test)]
mod tests {
    use super::strip_wikitext;

    #[test]
    fn markup_goes_and_prose_stays() {
        let text = "== Life ==\nShe [[wrote]] ''Notes''. [[File:A.png|thumb|x]]{| a\n|}<br/>b <ref name=\"x\"/>c";
        assert_eq!(strip_wikitext(text), "Life\nShe wrote Notes. b c");
    }

    #[test]
    fn unclosed_markup_ends_the_text() {
        for text in ["a {{b", "a [[b", "a <!-- b", "a <ref>b"] {
            assert_eq!(strip_wikitext(text), "a ");
        }
        assert_eq!(strip_wikitext("1 < 2 = 3"), "1 < 2 = 3");
    }
}
