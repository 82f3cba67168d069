//! How long a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date
//! (RFC 9110, section 10.2.3).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ureq::http::HeaderMap;

/// The wish in milliseconds, from now.
pub(super) fn milliseconds(headers: &HeaderMap) -> Option<u64> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    text("retry-after-ms")
        .and_then(number)
        .or_else(|| text("retry-after").and_then(|v| after(v.trim(), now)))
}

fn number(text: &str) -> Option<u64> {
    let n: f64 = text.trim().parse().ok()?;
    // A cast saturates; what is not a number or negative is no wish.
    (n >= 0.0).then(|| n.ceil() as u64)
}

fn after(text: &str, now: Duration) -> Option<u64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return (seconds >= 0.0).then(|| (seconds * 1000.0).ceil() as u64);
    }
    let at = Duration::from_secs(date(text)?);
    u64::try_from(at.saturating_sub(now).as_millis()).ok()
}

/// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split_ascii_whitespace().skip(1);
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|m| *m == month)? as u64;
    let year: u64 = words.next()?.parse().ok()?;
    let mut time = words.next()?.split(':').map(str::parse::<u64>);
    let (hour, minute, second) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
    let sound = (1970..=9999).contains(&year) && (1..=31).contains(&day);
    if !sound || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days from the first of March of the year 0: leap days come last.
    let (y, m) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
    let since_1970 = days.checked_sub(719_468)?;
    Some(since_1970 * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_in_every_form() {
        let now = Duration::from_secs(784_111_700);
        assert_eq!(after("3", now), Some(3_000));
        assert_eq!(after("0.25", now), Some(250));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(77_000));
        assert_eq!(after("Thu, 01 Jan 1970 00:00:00 GMT", now), Some(0));
        for bad in [
            "-1",
            "soon",
            "NaN",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994",
            "",
        ] {
            assert_eq!(after(bad, now), None, "{bad}");
        }
        assert_eq!(date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        let headers: HeaderMap = [("retry-after-ms", "1500"), ("retry-after", "9")]
            .map(|(n, v)| (n.parse().unwrap(), v.parse().unwrap()))
            .into_iter()
            .collect();
        assert_eq!(milliseconds(&headers), Some(1500));
    }
}
