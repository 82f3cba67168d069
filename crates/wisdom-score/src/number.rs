//! Shares, entropy and the rounding of numbers.

/// A share, 0 of nothing.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Counts over the quadrants and what follows from them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spread {
    pub(crate) counts: Vec<f64>,
    pub(crate) touched: usize,
    /// Shannon entropy in nats.
    pub(crate) entropy: f64,
}

impl Spread {
    /// Sums in the order of the counts.
    pub(crate) fn new(counts: Vec<f64>) -> Self {
        let total: f64 = counts.iter().sum();
        let mut entropy = 0.0;
        for count in counts.iter().filter(|c| **c > 0.0) {
            let p = count / total;
            entropy -= p * libm::log(p);
        }
        Self {
            touched: counts.iter().filter(|c| **c > 0.0).count(),
            counts,
            entropy,
        }
    }

    pub(crate) fn coverage(&self) -> f64 {
        share(self.touched, self.counts.len())
    }

    /// Entropy over its maximum, kept in [0, 1] against the last bit of the logarithms.
    pub(crate) fn entropy_normalized(&self) -> f64 {
        self.normalized_unclamped().clamp(0.0, 1.0)
    }

    pub(crate) fn normalized_unclamped(&self) -> f64 {
        if self.counts.len() < 2 {
            return 0.0;
        }
        self.entropy / libm::log(self.counts.len() as f64)
    }
}

/// Rounds to 6 decimals, half away from zero, on the exact binary value.
pub(crate) fn round6(value: f64) -> f64 {
    round_exact(value, 6)
}

/// Rounds a value in [0, 2^60) to at most 9 decimals, half up, on the exact binary value: what
/// ECMAScript's `toFixed` does.
pub(crate) fn round_exact(value: f64, places: u32) -> f64 {
    if value.is_nan() || value <= 0.0 || value >= 1e9 {
        return if value > 0.0 { value } else { 0.0 };
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7FF) as i32;
    let fraction = u128::from(bits & ((1 << 52) - 1));
    let (mantissa, exponent) = match exponent {
        0 => (fraction, -1074),
        e => (fraction | (1 << 52), e - 1075),
    };
    // value = mantissa · 2^exponent, and below 1e9 the exponent is negative.
    let power = 10_u128.pow(places.min(9));
    let scaled = mantissa * power;
    let shift = exponent.unsigned_abs();
    if shift > 120 {
        return 0.0;
    }
    let whole = scaled >> shift;
    let rest = scaled & ((1 << shift) - 1);
    let up = u128::from(rest >= 1 << (shift - 1));
    (whole + up) as f64 / power as f64
}

/// Rounds as PHP 5.3 to 8.3 do: to 15 significant digits first, then half away from zero.
pub(crate) fn round_php(value: f64, places: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let power = ten(places);
    let digits = 14 - libm::floor(libm::log10(libm::fabs(value))) as i32;
    let scaled = if digits > places && digits - 15 < places {
        let exact = half_away(value * ten(digits));
        exact / ten(digits - places)
    } else {
        value * power
    };
    half_away(scaled) / power
}

fn half_away(value: f64) -> f64 {
    if value >= 0.0 {
        libm::floor(value + 0.5)
    } else {
        libm::ceil(value - 0.5)
    }
}

/// A power of ten, exact up to 22.
fn ten(power: i32) -> f64 {
    (0..power).fold(1.0, |p, _| p * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_follows_the_binary_value() {
        assert_eq!(round_exact(0.123_456_5, 6), 0.123_456);
        assert_eq!(round_exact(0.000_000_5, 6), 0.0);
        assert_eq!(round_exact(0.007_812_5, 6), 0.007_813); // an exact tie goes up
        assert_eq!(round_exact(1.0, 6), 1.0);
        assert_eq!(round_exact(2.079_441_541_679_835_7, 6), 2.079_442);
    }

    #[test]
    fn php_rounds_to_fifteen_digits_first() {
        assert_eq!(round_php(0.123_456_5, 6), 0.123_457);
        assert_eq!(round_php(0.000_000_5, 6), 0.000_001);
        assert_eq!(round_php(0.333_333_333, 4), 0.3333);
    }

    #[test]
    fn rounding_is_idempotent_on_every_sixth_decimal() {
        for n in 0..=100_000_u32 {
            let value = f64::from(n * 10) / 1e6;
            assert_eq!(round_exact(value, 6), value);
        }
    }

    #[test]
    fn entropy_of_an_even_spread_is_one_and_of_nothing_zero() {
        assert_eq!(Spread::new(vec![1.0; 8]).entropy_normalized(), 1.0);
        assert_eq!(Spread::new(vec![0.0; 8]).entropy_normalized(), 0.0);
        assert_eq!(Spread::new(vec![3.0, 0.0]).entropy_normalized(), 0.0);
    }
}
