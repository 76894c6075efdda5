//! Numbers as .NET writes them, in the invariant culture.
//!
//! Runtimes disagree on floats: the older ones write 15 digits (7 of a `float`), today's as many as tell a
//! number from others. What they do not agree on is not known, and neither is what only a culture decides.

/// A number as it comes from a register.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// With its size in bytes, which hexadecimal digits depend on.
    Signed(i64, u32),
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

/// The text of a number by a standard format (`D5`, `X`, `N0`, `F2`, `G`, `R`) or one of zeros.
pub fn written(number: Number, format: &str) -> Option<String> {
    let zeros = !format.is_empty() && format.bytes().all(|b| b == b'0');
    let (kind, digits) = match zeros {
        true => ('D', Some(format.len())),
        false => {
            let mut letters = format.chars();
            let kind = letters.next().unwrap_or('G');
            let digits = letters.as_str();
            (kind, if digits.is_empty() { None } else { Some(digits.parse().ok()?) })
        }
    };
    if digits.is_some_and(|n: usize| n > 99) {
        return None;
    }
    let (negative, whole) = match number {
        Number::Signed(n, _) => (n < 0, n.unsigned_abs().to_string()),
        Number::Unsigned(n) => (false, n.to_string()),
        Number::Single(x) if !zeros => {
            return float(f64::from(x), format!("{x:e}"), 7, kind, digits);
        }
        Number::Double(x) if !zeros => return float(x, format!("{x:e}"), 15, kind, digits),
        _ => return None,
    };
    let sign = if negative { "-" } else { "" };
    match (kind, digits) {
        ('G' | 'g', None) => Some(format!("{sign}{whole}")),
        ('G' | 'g', Some(n)) if n >= whole.len() => Some(format!("{sign}{whole}")),
        ('D' | 'd', n) => {
            let width = n.unwrap_or(0);
            Some(format!("{sign}{whole:0>width$}"))
        }
        ('X' | 'x', n) => {
            let bits = match number {
                Number::Signed(n, bytes) => n as u64 & u64::MAX >> (64 - 8 * bytes.clamp(1, 8)),
                Number::Unsigned(n) => n,
                _ => return None,
            };
            let text = if kind == 'X' { format!("{bits:X}") } else { format!("{bits:x}") };
            let width = n.unwrap_or(0);
            Some(format!("{text:0>width$}"))
        }
        ('N' | 'n' | 'F' | 'f', Some(n)) => {
            let point = if n > 0 { format!(".{}", "0".repeat(n)) } else { String::new() };
            Some(format!("{sign}{}{point}", grouped(&whole, kind)))
        }
        _ => None,
    }
}

/// With commas, if the format has them.
fn grouped(digits: &str, kind: char) -> String {
    let commas = matches!(kind, 'N' | 'n');
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if commas && at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn float(x: f64, shortest: String, precision: usize, kind: char, digits: Option<usize>) -> Option<String> {
    match kind {
        'G' | 'g' | 'R' | 'r' | 'N' | 'n' | 'F' | 'f' if x.is_nan() => return Some(String::from("NaN")),
        'G' | 'g' | 'R' | 'r' | 'N' | 'n' | 'F' | 'f' if x.is_infinite() => {
            return Some(String::from(if x > 0.0 { "Infinity" } else { "-Infinity" }));
        }
        _ => {}
    }
    if x == 0.0 && x.is_sign_negative() {
        return None;
    }
    let (sign, size) = (if x < 0.0 { "-" } else { "" }, x.abs());
    let old = format!("{:.*e}", precision - 1, size);
    let text = match (kind, digits) {
        ('G' | 'g' | 'R' | 'r', None) => {
            let (old, new) =
                (general(&old, precision)?, general(shortest.trim_start_matches('-'), precision)?);
            (old == new).then_some(new)?
        }
        ('N' | 'n' | 'F' | 'f', Some(n)) => {
            let exact = rounded(&format!("{size:.1080}"), n)?;
            let of_old = rounded(&plain(&old)?, n)?;
            let same = (exact == of_old).then_some(exact)?;
            let (whole, rest) = same.split_at(same.find('.').unwrap_or(same.len()));
            format!("{}{rest}", grouped(whole, kind))
        }
        _ => return None,
    };
    // Less than nothing that is rounded to nothing: only today's runtimes write a sign.
    let nothing = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    if nothing && !sign.is_empty() { None } else { Some(format!("{sign}{text}")) }
}

/// Digits without a point, and the power of ten of the first.
fn parts(scientific: &str) -> Option<(String, i32)> {
    let (digits, power) = scientific.split_once('e')?;
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let kept = digits.trim_end_matches('0');
    Some((String::from(if kept.is_empty() { "0" } else { kept }), power.parse().ok()?))
}

/// As the general format has it: with a power of ten where that is large, or small.
fn general(scientific: &str, precision: usize) -> Option<String> {
    let (digits, power) = parts(scientific)?;
    if power >= precision as i32 || power < -5 {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if power < 0 { '-' } else { '+' };
        return Some(format!("{first}{point}{rest}E{sign}{:02}", power.abs()));
    }
    plain(scientific)
}

fn plain(scientific: &str) -> Option<String> {
    let (digits, power) = parts(scientific)?;
    if power < 0 {
        return Some(format!("0.{}{digits}", "0".repeat(usize::try_from(-power - 1).ok()?)));
    }
    let whole = usize::try_from(power).ok()? + 1;
    match digits.len() > whole {
        true => Some(format!("{}.{}", &digits[..whole], &digits[whole..])),
        false => Some(format!("{digits:0<whole$}")),
    }
}

/// So many digits after the point, halves away from nothing.
fn rounded(decimal: &str, places: usize) -> Option<String> {
    let (whole, rest) = decimal.split_once('.').unwrap_or((decimal, ""));
    let up = rest.as_bytes().get(places).is_some_and(|digit| *digit >= b'5');
    let kept: String = rest.chars().chain(std::iter::repeat('0')).take(places).collect();
    let mut digits: Vec<u8> = whole.bytes().chain(kept.bytes()).collect();
    if up {
        let nines = digits.iter().rev().take_while(|digit| **digit == b'9').count();
        let at = digits.len() - nines;
        digits[at..].fill(b'0');
        match at {
            0 => digits.insert(0, b'1'),
            _ => digits[at - 1] += 1,
        }
    }
    let text = String::from_utf8(digits).ok()?;
    let (whole, rest) = text.split_at(text.len() - places);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if places > 0 { format!("{whole}.{rest}") } else { String::from(whole) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(n: i32, format: &str) -> Option<String> {
        written(Number::Signed(n.into(), 4), format)
    }

    fn double(x: f64, format: &str) -> Option<String> {
        written(Number::Double(x), format)
    }

    #[test]
    fn whole_numbers() {
        for (number, format, text) in [
            (42, "", "42"),
            (42, "D5", "00042"),
            (-42, "D5", "-00042"),
            (255, "x4", "00ff"),
            (-1, "X", "FFFFFFFF"),
            (1_234_567, "N0", "1,234,567"),
            (-1_234, "N2", "-1,234.00"),
            (12, "F1", "12.0"),
            (7, "000", "007"),
            (-7, "000", "-007"),
        ] {
            assert_eq!(int(number, format).as_deref(), Some(text), "{number} {format}");
        }
        for format in ["N", "C", "P1", "#.#", "D100", "E2"] {
            assert_eq!(int(5, format), None, "{format}");
        }
        assert_eq!(written(Number::Signed(-1, 2), "X").as_deref(), Some("FFFF"));
        assert_eq!(written(Number::Unsigned(u64::MAX), "").as_deref(), Some("18446744073709551615"));
    }

    /// What all runtimes write; where they do not agree, nothing is known.
    #[test]
    fn floats() {
        for (number, format, text) in [
            (1.5, "", "1.5"),
            (0.1, "", "0.1"),
            (100.0, "", "100"),
            (-2.25, "", "-2.25"),
            (1e10, "", "10000000000"),
            (1e15, "", "1E+15"),
            (1.5e-7, "", "1.5E-07"),
            (0.0001, "", "0.0001"),
            (5.14159, "F2", "5.14"),
            (0.125, "F2", "0.13"),
            (2.5, "F0", "3"),
            (9.99, "F1", "10.0"),
            (1234.5, "N1", "1,234.5"),
            (f64::NAN, "", "NaN"),
            (f64::INFINITY, "", "Infinity"),
        ] {
            assert_eq!(double(number, format).as_deref(), Some(text), "{number} {format}");
        }
        assert_eq!(double(1.0 / 3.0, ""), None);
        assert_eq!(double(0.1 + 0.2, ""), None);
        assert_eq!(double(-0.0, ""), None);
        assert_eq!(double(2.675, "F2"), None);
        assert_eq!(written(Number::Single(0.1), "").as_deref(), Some("0.1"));
        assert_eq!(written(Number::Single(1.0 / 3.0), ""), None);
    }
}
