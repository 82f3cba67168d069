//! Currencies, magnitudes and units of measure.

use text_units::is_token_char;

use super::Unit;

/// The currency whose sign ends a text.
pub(super) fn currency_before(before: &str) -> Option<&'static str> {
    let last = before.chars().next_back()?;
    Some(match last {
        '$' => "USD",
        '€' => "EUR",
        '£' => "GBP",
        '¥' => "JPY",
        '₹' => "INR",
        _ => return None,
    })
}

/// `k`, `M`, `bn` right behind a numeral.
pub(super) fn magnitude_suffix(rest: &str) -> Option<(i128, usize)> {
    let letters: String = rest
        .chars()
        .take_while(|c| c.is_alphabetic())
        .take(4)
        .collect();
    let factor = match letters.as_str() {
        "k" | "K" => 1_000,
        "M" | "mn" | "mln" => 1_000_000,
        "bn" | "B" => 1_000_000_000,
        "tn" | "T" => 1_000_000_000_000,
        _ => return None,
    };
    let after = rest.get(letters.len()..).and_then(|r| r.chars().next());
    after
        .is_none_or(|c| !is_token_char(c))
        .then_some((factor, letters.len()))
}

/// The unit behind a number, and how many bytes it takes.
pub(super) fn unit_after(rest: &str) -> Option<(Unit, usize)> {
    let skip = rest.len()
        - rest
            .trim_start_matches([' ', '\u{A0}', '\u{202F}', '\u{2009}', '-', '\u{2011}'])
            .len();
    if skip > 4 {
        return None;
    }
    let tail = rest.get(skip..)?;
    let first = tail.chars().next()?;
    match first {
        '%' | '％' => return Some((Unit::Percent, skip + first.len_utf8())),
        '€' | '$' | '£' if skip <= 2 => {
            return currency_before(&first.to_string())
                .map(|c| (Unit::Currency(c), skip + first.len_utf8()));
        }
        _ => {}
    }
    let mut len = 0;
    for c in tail.chars().take(24) {
        if !(c.is_alphabetic() || matches!(c, '/' | '°' | '²' | '³' | 'µ')) {
            break;
        }
        len += c.len_utf8();
    }
    let word = tail.get(..len)?.trim_end_matches('/');
    if matches!(word, "per" | "Per") {
        let cent = tail.get(len..)?.trim_start();
        let gap = tail.len() - len - cent.len();
        return cent
            .starts_with("cent")
            .then_some((Unit::Percent, skip + len + gap + 4));
    }
    named_unit(word).map(|unit| (unit, skip + word.len()))
}

fn named_unit(word: &str) -> Option<Unit> {
    // Symbols are case-sensitive, words are not.
    let symbol = match word {
        "m" => "m",
        "km" => "km",
        "cm" => "cm",
        "mm" => "mm",
        "g" => "g",
        "kg" => "kg",
        "mg" => "mg",
        "µg" | "mcg" => "µg",
        "l" | "L" => "l",
        "ml" | "mL" => "ml",
        "km/h" | "kph" | "kmh" => "km/h",
        "mph" => "mi/h",
        "m/s" => "m/s",
        "km²" => "km²",
        "°C" => "°C",
        "°F" => "°F",
        "ft" => "ft",
        "lb" | "lbs" => "lb",
        "kW" => "kW",
        "MW" => "MW",
        "GW" => "GW",
        "Hz" => "Hz",
        "kHz" => "kHz",
        "MHz" => "MHz",
        "GHz" => "GHz",
        "GB" => "GB",
        "MB" => "MB",
        "TB" => "TB",
        "h" => "hour",
        "min" => "minute",
        _ => "",
    };
    if !symbol.is_empty() {
        return Some(Unit::Measure(symbol));
    }
    let lower = word.to_lowercase();
    Some(match lower.as_str() {
        "percent" | "pct" => Unit::Percent,
        "dollar" | "dollars" | "usd" | "dòlar" | "dòlars" => Unit::Currency("USD"),
        "euro" | "euros" | "eur" => Unit::Currency("EUR"),
        "pounds" | "gbp" | "lliures" => Unit::Currency("GBP"),
        "yen" | "jpy" | "iens" => Unit::Currency("JPY"),
        "rupees" | "rupee" => Unit::Currency("INR"),
        "metre" | "metres" | "meter" | "meters" | "mètre" => Unit::Measure("m"),
        "kilometre" | "kilometres" | "kilometer" | "kilometers" | "quilòmetre" | "quilòmetres" => {
            Unit::Measure("km")
        }
        "centimetre" | "centimetres" | "centimeter" | "centimeters" | "centímetres" => {
            Unit::Measure("cm")
        }
        "mile" | "miles" | "milles" => Unit::Measure("mi"),
        "foot" | "feet" | "peus" => Unit::Measure("ft"),
        "inch" | "inches" | "polzades" => Unit::Measure("in"),
        "kilogram" | "kilograms" | "kilo" | "kilos" | "quilos" => Unit::Measure("kg"),
        "gram" | "grams" | "grammes" => Unit::Measure("g"),
        "tonne" | "tonnes" | "ton" | "tons" | "tones" => Unit::Measure("t"),
        "litre" | "litres" | "liter" | "liters" => Unit::Measure("l"),
        "second" | "seconds" | "segons" => Unit::Measure("second"),
        "minute" | "minutes" | "minut" | "minuts" => Unit::Measure("minute"),
        "hour" | "hours" | "hora" | "hores" => Unit::Measure("hour"),
        "day" | "days" | "dia" | "dies" => Unit::Measure("day"),
        "week" | "weeks" | "setmana" | "setmanes" => Unit::Measure("week"),
        "month" | "months" | "mes" | "mesos" => Unit::Measure("month"),
        "year" | "years" | "any" | "anys" => Unit::Measure("year"),
        "decades" | "dècades" => Unit::Measure("decade"),
        "centuries" | "segles" => Unit::Measure("century"),
        _ => return None,
    })
}
