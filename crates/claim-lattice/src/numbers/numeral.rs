//! Numerals: digits with grouping and decimal marks, signs, exponents.

use text_units::is_token_char;

use super::Decimal;

/// A numeral as it is read off the text.
pub(super) struct Numeral {
    pub(super) value: Decimal,
    pub(super) other: Option<Decimal>,
    pub(super) end: usize,
}

/// Reads a numeral that starts at a byte.
pub(super) fn numeral(text: &str, start: usize) -> Option<Numeral> {
    let rest = text.get(start..)?;
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bytes = rest.as_bytes();
    let head = digits_at(bytes, 0);
    let mut groups: Vec<std::ops::Range<usize>> = std::iter::once(0..head).collect();
    let mut at = head;
    let mut separator = None;
    while let Some((mark, len)) = separator_at(rest, at) {
        let count = digits_at(bytes, at + len);
        if count == 0
            || separator.is_some_and(|s| s != mark)
            || (mark == ' ' && (count != 3 || groups.first().is_some_and(|g| g.len() > 3)))
        {
            break;
        }
        separator = Some(mark);
        groups.push(at + len..at + len + count);
        at += len + count;
        if count != 3 {
            break;
        }
    }
    let group_like = groups.iter().skip(1).all(|g| g.len() == 3)
        && groups.first().is_some_and(|g| g.len() <= 3)
        && !rest.starts_with('0');
    let join = |skip_point: usize| -> Option<i128> {
        let mut value: i128 = 0;
        for (i, group) in groups.iter().enumerate() {
            if i >= skip_point {
                break;
            }
            for b in rest.get(group.clone())?.bytes() {
                value = value.checked_mul(10)?.checked_add(i128::from(b - b'0'))?;
            }
        }
        Some(value)
    };
    let whole = join(groups.len())?;
    if groups.len() == 1 {
        return superscript(rest, at, whole).map(|(value, end)| Numeral {
            value,
            other: None,
            end: start + end,
        });
    }
    if group_like && (groups.len() > 2 || separator == Some(' ')) {
        // A decimal part behind grouping by another mark.
        let (value, end) = match separator_at(rest, at) {
            Some((mark, len)) if mark != ' ' && Some(mark) != separator => {
                let count = digits_at(bytes, at + len);
                decimal_tail(rest, whole, at + len, count).unwrap_or((Decimal::new(whole, 0), at))
            }
            _ => (Decimal::new(whole, 0), at),
        };
        return Some(Numeral {
            value,
            other: None,
            end: start + end,
        });
    }
    if group_like {
        if let Some((mark, len)) = separator_at(rest, at)
            && mark != ' '
            && let Some((value, end)) =
                decimal_tail(rest, whole, at + len, digits_at(bytes, at + len))
        {
            return Some(Numeral {
                value,
                other: None,
                end: start + end,
            });
        }
        return Some(Numeral {
            value: Decimal::new(whole, 0),
            other: Some(Decimal::new(whole, 3)),
            end: start + at,
        });
    }
    // One mark and a tail that is no group: a decimal part. Several: dates, versions.
    if groups.len() == 2 {
        let tail = u8::try_from(groups.get(1)?.len())
            .ok()
            .filter(|&n| n <= 18)?;
        return Some(Numeral {
            value: Decimal::new(whole, tail),
            other: None,
            end: start + at,
        });
    }
    let first = join(1)?;
    Some(Numeral {
        value: Decimal::new(first, 0),
        other: None,
        end: start + head,
    })
}

fn decimal_tail(rest: &str, whole: i128, from: usize, count: usize) -> Option<(Decimal, usize)> {
    if count == 0 || count > 18 {
        return None;
    }
    let mut value = whole;
    for b in rest.get(from..from + count)?.bytes() {
        value = value.checked_mul(10)?.checked_add(i128::from(b - b'0'))?;
    }
    Some((Decimal::new(value, u8::try_from(count).ok()?), from + count))
}

fn digits_at(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).map_or(0, |b| {
        b.iter().take(32).take_while(|b| b.is_ascii_digit()).count()
    })
}

/// A mark that can group digits or set off decimals, and its length.
fn separator_at(rest: &str, at: usize) -> Option<(char, usize)> {
    let c = rest.get(at..)?.chars().next()?;
    let mark = match c {
        '.' | ',' => c,
        '\'' | '\u{2019}' => '\'',
        ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}' => ' ',
        _ => return None,
    };
    Some((mark, c.len_utf8()))
}

/// Superscript digits right behind a numeral are an exponent.
fn superscript(rest: &str, at: usize, base: i128) -> Option<(Decimal, usize)> {
    let mut exponent: u32 = 0;
    let mut end = at;
    for c in rest.get(at..)?.chars().take(3) {
        let Some(d) = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|s| s == c) else {
            break;
        };
        exponent = exponent * 10 + u32::try_from(d).ok()?;
        end += c.len_utf8();
    }
    if end == at {
        return Some((Decimal::new(base, 0), at));
    }
    Some((Decimal::new(base.checked_pow(exponent)?, 0), end))
}

/// Whether a minus sign stands before a numeral.
pub(super) fn is_negative(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let Some(mark) = before.chars().next_back() else {
        return false;
    };
    if !matches!(mark, '-' | '\u{2212}') {
        return false;
    }
    before
        .get(..before.len() - mark.len_utf8())
        .and_then(|b| b.chars().next_back())
        .is_none_or(|c| !is_token_char(c) && c != '%' && c != ')')
}
