//! Edge weights as unsigned fixed-point numbers with six decimals, so that sums are exact.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;

const SCALE: u64 = 1_000_000;

/// A positive weight in millionths (a confidence of 0.25 is 250 000 of them).
///
/// Sums and comparisons are integer operations, so a minimum-weight cut is exact. In JSON it
/// is a number: an integer when it is whole, otherwise a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u64);

impl Weight {
    /// The weight of an edge that was given none.
    pub const ONE: Self = Self(SCALE);
    pub(crate) const NONE: Self = Self(0);
    /// The largest weight, about 1.8 × 10¹³.
    pub const MAX: Self = Self(u64::MAX);

    /// A weight of `micros` millionths.
    ///
    /// # Errors
    /// [`Error::BadWeight`] for zero: an edge without weight is no edge.
    pub fn from_micros(micros: u64) -> Result<Self, Error> {
        if micros == 0 {
            return Err(bad("0"));
        }
        Ok(Self(micros))
    }

    /// The weight in millionths.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// A sum of weights; zero is the κ of a component without a cut.
    pub(crate) const fn sum(micros: u64) -> Self {
        Self(micros)
    }
}

fn bad(text: &str) -> Error {
    Error::BadWeight {
        text: text.chars().take(40).collect(),
    }
}

impl FromStr for Weight {
    type Err = Error;

    /// Reads a plain decimal (`3`, `0.25`, `.5`), exactly; no sign, no exponent.
    ///
    /// # Errors
    /// [`Error::BadWeight`] for anything else, for zero and for what does not fit.
    fn from_str(text: &str) -> Result<Self, Error> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let fraction = fraction.trim_end_matches('0');
        let empty = whole.is_empty() && !text.bytes().any(|b| b.is_ascii_digit());
        if empty || !digits(whole) || !digits(fraction) || fraction.len() > 6 {
            return Err(bad(text));
        }
        let whole: u64 = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| bad(text))?
        };
        let millionths: u64 = format!("{fraction:0<6}").parse().map_err(|_| bad(text))?;
        let micros = whole
            .checked_mul(SCALE)
            .and_then(|w| w.checked_add(millionths));
        micros.filter(|&m| m > 0).map(Self).ok_or_else(|| bad(text))
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / SCALE, self.0 % SCALE);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:06}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(SCALE) {
            serializer.serialize_u64(self.0 / SCALE)
        } else {
            // Below 2^53 millionths the nearest double prints as the very decimal.
            serializer.serialize_f64(self.0 as f64 / SCALE as f64)
        }
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Number {
            Whole(u64),
            Decimal(f64),
        }
        let micros = match Number::deserialize(deserializer)? {
            Number::Whole(w) => w.checked_mul(SCALE),
            Number::Decimal(d) if (0.0..9.0e12).contains(&d) => {
                Some((d * SCALE as f64 + 0.5) as u64)
            }
            Number::Decimal(_) => None,
        };
        let message = "a weight is a number from 0 to 1.8e13 with at most six decimals";
        micros
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        for (text, micros) in [
            ("1", 1_000_000),
            ("0.25", 250_000),
            (".5", 500_000),
            ("3.000001", 3_000_001),
        ] {
            assert_eq!(text.parse::<Weight>().unwrap().micros(), micros);
        }
        for text in [
            "",
            ".",
            "0",
            "0.0",
            "-1",
            "1e3",
            "0.0000001",
            "NaN",
            "1.2.3",
            "99999999999999999999",
        ] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
    }

    #[test]
    fn json_and_text_round_trip() {
        for micros in [1, 10, 250_000, 1_000_000, 1_500_000, 123_456_789_012] {
            let w = Weight::from_micros(micros).unwrap();
            assert_eq!(w.to_string().parse::<Weight>().unwrap(), w);
            let json = serde_json::to_string(&w).unwrap();
            assert!(json == w.to_string() || micros < 100, "{json}");
            assert_eq!(serde_json::from_str::<Weight>(&json).unwrap(), w);
        }
    }
}
