//! Markdown's marks, taken out.

/// The text without emphasis, code marks, link targets, heading, list and quote marks, and
/// table bars. What the marks enclose stays. Linear.
pub(super) fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        inline(line_body(line), &mut out);
    }
    out
}

fn line_body(line: &str) -> &str {
    let mut body = line.trim_start();
    while let Some(rest) = body.strip_prefix('>') {
        body = rest.trim_start();
    }
    let hashes = body.len() - body.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && body[hashes..].starts_with(' ') {
        return body[hashes..].trim_start();
    }
    for mark in ["- ", "* ", "+ ", "• "] {
        if let Some(rest) = body.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    body
}

fn inline(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['*', '_', '`', '[', '|', '\\']) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let mark = tail.chars().next().unwrap_or(' ');
        let after = &tail[mark.len_utf8()..];
        rest = match mark {
            '\\' => match after.chars().next() {
                Some(c) if c.is_ascii_punctuation() => {
                    out.push(c);
                    &after[c.len_utf8()..]
                }
                _ => {
                    out.push('\\');
                    after
                }
            },
            '[' => match link(after) {
                Some((label, behind)) => {
                    inline_label(label, out);
                    behind
                }
                None => {
                    out.push('[');
                    after
                }
            },
            '|' => {
                out.push(' ');
                after
            }
            // An underscore or a star inside a word is no emphasis: snake_case, 2*3.
            '_' | '*' => {
                let inside = out.chars().next_back().is_some_and(char::is_alphanumeric)
                    && after.chars().next().is_some_and(char::is_alphanumeric);
                if inside {
                    out.push(mark);
                }
                after
            }
            _ => after,
        };
    }
    out.push_str(rest);
}

/// The label and what is behind the target of `label](target)`.
fn link(after: &str) -> Option<(&str, &str)> {
    let window = bounded(after, 500);
    let close = window.find(']')?;
    if window[..close].contains('[') {
        return None;
    }
    let tail = after[close + 1..].strip_prefix('(')?;
    let end = bounded(tail, 2_000).find(')')?;
    Some((&after[..close], &tail[end + 1..]))
}

/// A label holds no link, so that this does not go deeper.
fn inline_label(label: &str, out: &mut String) {
    out.extend(label.chars().filter(|c| !matches!(c, '*' | '`')));
}

/// The first bytes of a text, up to a character's end.
fn bounded(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn marks_go_and_words_stay() {
        assert_eq!(strip("# Head\n- **bold** and _so_"), "Head\nbold and so");
        assert_eq!(strip("[label](https://x.y/z) `code`"), "label code");
        assert_eq!(strip("snake_case 2*3 \\*lit\\*"), "snake_case 2*3 *lit*");
        assert_eq!(strip("[E1] stays"), "[E1] stays");
    }
}
