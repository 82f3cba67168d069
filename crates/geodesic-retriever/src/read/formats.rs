//! The built-in readers: text, Markdown, JSON lines, HTML.

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::{Document, Parsed, Reader, SkipReason};

/// Text, Markdown, JSON lines and HTML, in this order.
#[must_use]
pub fn built_in_readers() -> Vec<Box<dyn Reader>> {
    vec![
        Box::new(TextReader),
        Box::new(MarkdownReader),
        Box::new(JsonLinesReader),
        Box::new(HtmlReader),
    ]
}

/// Plain text; also files without an extension, such as `README`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextReader;

/// Markdown, kept as it is; its first heading is the title.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarkdownReader;

/// JSON lines: objects with `text` (or `content`, `body`, `abstract`) and optionally `title` and
/// `id`; a document a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonLinesReader;

/// HTML without its markup, scripts and styles.
#[derive(Debug, Clone, Copy, Default)]
pub struct HtmlReader;

fn utf8(bytes: &[u8]) -> Result<&str, SkipReason> {
    let text = std::str::from_utf8(bytes).map_err(|e| SkipReason::NotUtf8 {
        at: e.valid_up_to(),
    })?;
    if text.trim().is_empty() {
        Err(SkipReason::Empty)
    } else {
        Ok(text)
    }
}

fn one(id: &str, title: String, text: String) -> Parsed {
    let document = Document {
        id: id.to_owned(),
        title,
        text,
    };
    Parsed {
        documents: vec![document],
        skipped: Vec::new(),
    }
}

impl Reader for TextReader {
    fn extensions(&self) -> &[&str] {
        &["txt", "text", "rst", "adoc", ""]
    }

    fn read(&self, id: &str, stem: &str, bytes: &[u8]) -> Result<Parsed, SkipReason> {
        Ok(one(id, stem.to_owned(), utf8(bytes)?.to_owned()))
    }
}

impl Reader for MarkdownReader {
    fn extensions(&self) -> &[&str] {
        &["md", "markdown"]
    }

    fn read(&self, id: &str, stem: &str, bytes: &[u8]) -> Result<Parsed, SkipReason> {
        let text = utf8(bytes)?;
        let title = markdown_heading(text).unwrap_or_else(|| stem.to_owned());
        Ok(one(id, title, text.to_owned()))
    }
}

/// The first ATX heading outside a fenced block.
fn markdown_heading(text: &str) -> Option<String> {
    let mut fenced = false;
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        let inner = line.trim_start_matches('#');
        let level = line.len() - inner.len();
        if !fenced && (1..=6).contains(&level) && inner.starts_with(' ') {
            let heading = inner.trim().trim_end_matches('#').trim_end();
            if !heading.is_empty() {
                return Some(heading.to_owned());
            }
        }
    }
    None
}

impl Reader for JsonLinesReader {
    fn extensions(&self) -> &[&str] {
        &["jsonl", "ndjson"]
    }

    fn read(&self, id: &str, stem: &str, bytes: &[u8]) -> Result<Parsed, SkipReason> {
        let mut parsed = Parsed::default();
        for (n, line) in utf8(bytes)?.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            match record(line) {
                Ok((name, title, text)) => {
                    let name = name.unwrap_or_else(|| (n + 1).to_string());
                    let title = title.unwrap_or_else(|| stem.to_owned());
                    parsed.documents.push(Document {
                        id: format!("{id}#{name}"),
                        title,
                        text,
                    });
                }
                Err(reason) => parsed.skipped.push((format!("{id}#{}", n + 1), reason)),
            }
        }
        disambiguate(&mut parsed.documents);
        Ok(parsed)
    }
}

/// Records that share an id are told apart by how often it occurred before.
fn disambiguate(documents: &mut [Document]) {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for d in documents {
        let n = seen.entry(d.id.clone()).or_default();
        *n += 1;
        if *n > 1 {
            d.id = format!("{}~{n}", d.id);
        }
    }
}

type Record = (Option<String>, Option<String>, String);

fn record(line: &str) -> Result<Record, SkipReason> {
    let malformed = |what: String| SkipReason::Malformed { what };
    let value: serde_json::Value =
        serde_json::from_str(line).map_err(|e| malformed(e.to_string()))?;
    let field = |name: &str| match value.get(name) {
        Some(serde_json::Value::String(s)) => Some(s.clone()),
        Some(serde_json::Value::Number(n)) => Some(n.to_string()),
        _ => None,
    };
    let text = ["text", "content", "body", "abstract"]
        .iter()
        .find_map(|name| field(name))
        .ok_or_else(|| malformed("no string field text, content, body or abstract".into()))?;
    if text.trim().is_empty() {
        return Err(SkipReason::Empty);
    }
    Ok((field("id").or_else(|| field("_id")), field("title"), text))
}

impl Reader for HtmlReader {
    fn extensions(&self) -> &[&str] {
        &["html", "htm", "xhtml"]
    }

    fn read(&self, id: &str, stem: &str, bytes: &[u8]) -> Result<Parsed, SkipReason> {
        let page = html_text(utf8(bytes)?);
        if page.text.trim().is_empty() {
            return Err(SkipReason::Empty);
        }
        let title = page
            .heading
            .or(page.title)
            .unwrap_or_else(|| stem.to_owned());
        Ok(one(id, title, page.text))
    }
}

#[derive(Default)]
struct Page {
    title: Option<String>,
    heading: Option<String>,
    text: String,
}

const BLOCKS: &[&[u8]] = &[
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"br",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"header",
    b"hr",
    b"li",
    b"main",
    b"nav",
    b"ol",
    b"p",
    b"pre",
    b"section",
    b"table",
    b"td",
    b"th",
    b"tr",
    b"ul",
];
const UNSEEN: &[&[u8]] = &[
    b"script",
    b"style",
    b"template",
    b"noscript",
    b"svg",
    b"head",
];

/// The text of a page: a line for each block, white space collapsed.
fn html_text(html: &str) -> Page {
    let mut page = Page::default();
    let mut unseen: Option<Vec<u8>> = None;
    let mut in_title = None::<String>;
    let mut in_heading = None::<String>;
    // Scripts and styles hold raw text: what looks like a tag in them is none.
    let mut emitter: DefaultEmitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name: &[u8] = &tag.name;
                if name == b"title" && page.title.is_none() {
                    in_title = Some(String::new());
                } else if unseen.is_none() && UNSEEN.contains(&name) && !tag.self_closing {
                    unseen = Some(name.to_vec());
                } else if name == b"h1" && page.heading.is_none() {
                    in_heading = Some(String::new());
                } else if name == b"body" {
                    // A head that was never closed ends here.
                    unseen = None;
                }
                break_line(&mut page.text, name);
            }
            Token::EndTag(tag) => {
                let name: &[u8] = &tag.name;
                if unseen.as_deref() == Some(name) {
                    unseen = None;
                }
                if name == b"title" {
                    page.title = page.title.or_else(|| in_title.take().and_then(tidy));
                } else if name == b"h1" {
                    page.heading = page.heading.or_else(|| in_heading.take().and_then(tidy));
                }
                break_line(&mut page.text, name);
            }
            Token::String(s) => {
                let s = String::from_utf8_lossy(&s);
                if let Some(title) = &mut in_title {
                    title.push_str(&s);
                } else if unseen.is_none() {
                    if let Some(heading) = &mut in_heading {
                        heading.push_str(&s);
                    }
                    append(&mut page.text, &s);
                }
            }
            _ => {}
        }
    }
    page.text.truncate(page.text.trim_end().len());
    page
}

fn tidy(s: String) -> Option<String> {
    let words: Vec<&str> = s.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn break_line(text: &mut String, tag: &[u8]) {
    if BLOCKS.contains(&tag) && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn append(text: &mut String, s: &str) {
    let mut space = s.starts_with(char::is_whitespace);
    for word in s.split_whitespace() {
        if space && !text.is_empty() && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
        text.push_str(word);
        space = true;
    }
    if s.ends_with(char::is_whitespace) && !text.is_empty() && !text.ends_with([' ', '\n']) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_loses_markup_and_keeps_blocks_apart() {
        let html = "<html><head><title>A &amp; B</title><style>p{}</style></head><body><script>x<y</script>\
                    <h1>First <b>one</b></h1><p>One\n two.</p><p>Three&nbsp;four.</p></body></html>";
        let page = html_text(html);
        assert_eq!(page.title.as_deref(), Some("A & B"));
        assert_eq!(page.heading.as_deref(), Some("First one"));
        assert_eq!(page.text, "First one\nOne two.\nThree four.");
    }

    #[test]
    fn markdown_titles_skip_fences() {
        let text = "```\n# not this\n```\n\n## The heading ##\n";
        assert_eq!(markdown_heading(text).as_deref(), Some("The heading"));
        assert_eq!(markdown_heading("#nospace\n"), None);
    }

    #[test]
    fn malformed_lines_are_skipped_and_named() {
        let lines =
            "{\"id\":\"a\",\"text\":\"one\"}\n{broken\n\n{\"text\":\"two\"}\n{\"title\":\"x\"}\n";
        let parsed = JsonLinesReader
            .read("f.jsonl", "f", lines.as_bytes())
            .unwrap();
        let ids: Vec<_> = parsed.documents.iter().map(|d| d.id.as_str()).collect();
        assert_eq!(ids, ["f.jsonl#a", "f.jsonl#4"]);
        let bad: Vec<_> = parsed.skipped.iter().map(|(p, _)| p.as_str()).collect();
        assert_eq!(bad, ["f.jsonl#2", "f.jsonl#5"]);
    }
}
