//! Citation markers as they stand after a full stop.

/// The length of the white space and citation markers at the start of `text` that belong to the
/// sentence before it, with the stops after them; 0 if there are none.
///
/// Markers belong backwards on their own line, and also when they fill the following line alone.
pub(crate) fn marker_run(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = text.get(end..).unwrap_or("");
        let space = rest.len() - rest.trim_start().len();
        let crossed = rest.get(..space).unwrap_or("").matches('\n').count();
        let here = rest.get(space..).unwrap_or("");
        let Some(width) = marker_len(here) else {
            return end;
        };
        if crossed > 1 || (crossed == 1 && !fills_line(here)) {
            return end;
        }
        end += space + width;
        let after = text.get(end..).unwrap_or("");
        end += after.len() - after.trim_start_matches(['.', '!', '?', ',', ';']).len();
    }
}

/// Whether nothing but markers stands on the first line of `text`.
fn fills_line(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or("");
    let mut rest = line.trim_start();
    while let Some(width) = marker_len(rest) {
        rest = rest.get(width..).unwrap_or("").trim_start();
        rest = rest.trim_start_matches(['.', ',', ';']).trim_start();
    }
    rest.is_empty()
}

/// The longest bracketed list of ids that counts as one marker, in bytes.
const LONGEST: usize = 120;

/// The length of the citation marker that `text` starts with: brackets around ids such as `E1`,
/// `3`, `^4`, joined by commas, semicolons, dashes, "and" or "i".
fn marker_len(text: &str) -> Option<usize> {
    let close = match text.chars().next()? {
        '[' => ']',
        '\u{3010}' => '\u{3011}',
        _ => return None,
    };
    let open = text.chars().next()?.len_utf8();
    let body_len = text
        .char_indices()
        .skip(1)
        .take_while(|&(at, _)| at <= LONGEST)
        .find(|&(_, c)| c == close)?
        .0;
    let body = text.get(open..body_len)?;
    let mut ids = 0;
    for part in body.split([',', ';', '-', '\u{2013}', ' ', '\u{A0}']) {
        if is_id(part) {
            ids += 1;
        } else if !matches!(part, "" | "and" | "i" | "&") {
            return None;
        }
    }
    // A Markdown link has its address right behind.
    let end = body_len + close.len_utf8();
    let link = text.get(end..).is_some_and(|rest| rest.starts_with('('));
    (ids > 0 && !link).then_some(end)
}

/// Up to three letters and then digits, or a Markdown footnote's `^` and digits.
fn is_id(part: &str) -> bool {
    let rest = part.strip_prefix('^').unwrap_or(part);
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    rest.len() - digits.len() <= 3
        && (1..=6).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}
