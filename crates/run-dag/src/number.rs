//! The two forms of number that may be committed: safe integers and canonical decimals.

use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Largest magnitude that every JSON reader keeps exact: 2^53 − 1 (RFC 8785, RFC 7493).
pub const MAX_SAFE: i64 = 9_007_199_254_740_991;

/// An integer within ±(2^53 − 1).
///
/// There is no way from a floating-point number to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SafeInt(i64);

impl SafeInt {
    /// The integer.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The largest safe integer not above `value`: for counts and lengths of what is in memory.
    #[must_use]
    pub fn saturating(value: usize) -> Self {
        Self(i64::try_from(value).unwrap_or(MAX_SAFE).min(MAX_SAFE))
    }
}

impl TryFrom<i64> for SafeInt {
    type Error = Error;
    fn try_from(value: i64) -> Result<Self> {
        if (-MAX_SAFE..=MAX_SAFE).contains(&value) {
            Ok(Self(value))
        } else {
            Err(Error::IntegerOutOfRange {
                path: "$".into(),
                found: value.to_string(),
            })
        }
    }
}

impl TryFrom<u64> for SafeInt {
    type Error = Error;
    fn try_from(value: u64) -> Result<Self> {
        i64::try_from(value)
            .ok()
            .and_then(|v| Self::try_from(v).ok())
            .ok_or_else(|| Error::IntegerOutOfRange {
                path: "$".into(),
                found: value.to_string(),
            })
    }
}

impl From<u32> for SafeInt {
    fn from(value: u32) -> Self {
        Self(i64::from(value))
    }
}

impl From<i32> for SafeInt {
    fn from(value: i32) -> Self {
        Self(i64::from(value))
    }
}

impl fmt::Display for SafeInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for SafeInt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<'de> Deserialize<'de> for SafeInt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(i64::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A decimal number as text in its one canonical form: `-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?`, not `-0`.
///
/// ```
/// use run_dag::Decimal;
/// assert_eq!(Decimal::from_plain("0.500000").unwrap().as_str(), "0.5");
/// assert!(Decimal::new("0.50").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// Takes a text that is canonical already.
    ///
    /// # Errors
    /// [`Error::Decimal`] for any other text.
    pub fn new(text: &str) -> Result<Self> {
        match normalize(text) {
            Some(normal) if normal == text => Ok(Self(normal)),
            _ => Err(Error::Decimal {
                found: text.chars().take(80).collect(),
            }),
        }
    }

    /// Takes a plain decimal (`-?[0-9]+(\.[0-9]+)?`) and drops superfluous zeros and a `-` before zero.
    ///
    /// # Errors
    /// [`Error::Decimal`] for exponents, `+`, missing digits, spaces and anything else.
    pub fn from_plain(text: &str) -> Result<Self> {
        normalize(text).map(Self).ok_or_else(|| Error::Decimal {
            found: text.chars().take(80).collect(),
        })
    }

    /// `value` millionths: the fixed point with 6 decimals in which κ and scores are reported.
    #[must_use]
    pub fn from_millionths(value: i64) -> Self {
        let magnitude = value.unsigned_abs();
        let sign = if value < 0 { "-" } else { "" };
        let text = format!(
            "{sign}{}.{:06}",
            magnitude / 1_000_000,
            magnitude % 1_000_000
        );
        Self(normalize(&text).unwrap_or(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The canonical form of a plain decimal, `None` for any other text.
fn normalize(text: &str) -> Option<String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (digits, ""),
    };
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    };
    let fraction = fraction.trim_end_matches('0');
    let zero = whole == "0" && fraction.is_empty();
    let sign = if negative && !zero { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_have_one_form() {
        for good in [
            "0",
            "5",
            "-5",
            "0.5",
            "-0.05",
            "120",
            "10.01",
            "123456789012345678901234567890",
        ] {
            assert_eq!(Decimal::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "", "-", "-0", "+1", "01", "1.0", "0.50", ".5", "5.", "1e3", "1E3", "1,5", " 1", "1 ",
            "--1", "NaN", "inf", "0x1", "١", "-0.0", "1.2.3",
        ] {
            assert!(Decimal::new(bad).is_err(), "{bad}");
        }
        assert_eq!(Decimal::from_plain("-0.000").unwrap().as_str(), "0");
        assert_eq!(Decimal::from_plain("007.10").unwrap().as_str(), "7.1");
        assert_eq!(Decimal::from_millionths(-1_500_000).as_str(), "-1.5");
        assert_eq!(
            Decimal::from_millionths(i64::MIN).as_str(),
            "-9223372036854.775808"
        );
    }

    #[test]
    fn integers_stay_exact() {
        assert!(SafeInt::try_from(MAX_SAFE).is_ok());
        assert!(SafeInt::try_from(-MAX_SAFE).is_ok());
        assert!(SafeInt::try_from(MAX_SAFE + 1).is_err());
        assert!(SafeInt::try_from(u64::MAX).is_err());
        assert!(SafeInt::try_from(i64::MIN).is_err());
    }
}
