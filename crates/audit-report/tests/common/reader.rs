//! A reader of pages that trusts nothing: used here and by the tests of the examples.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use html5gum::{Token, Tokenizer};

const TAGS: &[&str] = &[
    "a",
    "bdi",
    "blockquote",
    "body",
    "br",
    "circle",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "head",
    "header",
    "html",
    "li",
    "main",
    "mark",
    "meta",
    "nav",
    "ol",
    "p",
    "path",
    "pre",
    "rect",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "text",
    "title",
    "ul",
];
const ATTRIBUTES: &[&str] = &[
    "aria-current",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "d",
    "height",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "r",
    "reversed",
    "role",
    "rx",
    "stroke-dasharray",
    "stroke-width",
    "style",
    "tabindex",
    "text-anchor",
    "viewbox",
    "width",
    "x",
    "xmlns",
    "y",
];
const VOID: &[&str] = &["br", "meta"];

/// Reads a page as a browser's tokenizer does and refuses whatever our templates do not hold: other
/// tags and attributes, tags that do not close in order, links that lead elsewhere or nowhere.
/// Returns the text.
pub(crate) fn read(page: &str) -> String {
    let name = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (mut open, mut text) = (Vec::new(), String::new());
    let (mut ids, mut links) = (BTreeSet::new(), BTreeSet::new());
    for token in Tokenizer::new(page) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let tag_name = name(&tag.name);
                assert!(TAGS.contains(&tag_name.as_str()), "a tag <{tag_name}>");
                for (key, value) in &tag.attributes {
                    let (key, value) = (name(key), name(value));
                    assert!(ATTRIBUTES.contains(&key.as_str()), "an attribute {key}");
                    match key.as_str() {
                        "id" => assert!(ids.insert(value.clone()), "the id {value} twice"),
                        "href" => {
                            let to = value.strip_prefix('#').expect("links stay on the page");
                            links.insert(to.to_owned());
                        }
                        "style" => assert!(value.starts_with("width:"), "a style {value}"),
                        _ => {}
                    }
                }
                if !VOID.contains(&tag_name.as_str()) {
                    open.push(tag_name);
                }
            }
            Token::EndTag(tag) => {
                let tag_name = name(&tag.name);
                assert_eq!(open.pop().as_deref(), Some(tag_name.as_str()), "tags nest");
            }
            Token::String(_) if open.last().is_some_and(|tag| tag == "style") => {}
            Token::String(run) => text.push_str(&name(&run)),
            Token::Comment(_) => panic!("a comment"),
            Token::Doctype(_) => {}
            Token::Error(error) => panic!("not well-formed: {error:?}"),
        }
    }
    assert!(open.is_empty(), "unclosed: {open:?}");
    let nowhere: Vec<_> = links.difference(&ids).collect();
    assert!(nowhere.is_empty(), "links to nowhere: {nowhere:?}");
    text
}
