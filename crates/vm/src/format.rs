//! What `printf` makes of a format and its arguments.
//!
//! The work is done here, but memory that threads share is read through the graph: [`Text::go_on`] stops
//! wherever it needs a byte or a word that it cannot have at once, and goes on when it is given.

/// A conversion: what is between `%` and its letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    hash: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of an integer, from `hh`, `h`, `l`, `ll`, `z`, `j`, `t`; 0 for none.
    length: u8,
    long_double: bool,
    in_precision: bool,
}

/// What is done next.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    Format,
    Spec(Spec),
    /// `*`: the next argument is a width or a precision.
    Star(Spec),
    /// The next argument is converted as this letter says.
    Argument(Spec, u8),
    /// Bytes are copied, `left` at most; up to a zero if `text`.
    Bytes {
        from: u64,
        left: u64,
        text: bool,
        pad: Option<Spec>,
        start: usize,
    },
    Done,
}

/// Why a text cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    Null,
    Unsupported(String),
}

/// What is needed to go on: this many bytes (1 or 8) at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needed {
    pub addr: u64,
    pub bytes: u8,
    /// It is only shown, as a number or a character.
    pub shown: bool,
}

/// A text in the making.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub out: Vec<u8>,
    format: u64,
    arguments: u64,
    stage: Step,
    given: Option<u64>,
    /// Something in it is not known: a 0 stands for it.
    pub unknown: bool,
}

/// Texts that are longer are taken for a mistake.
const LONGEST: usize = 1 << 20;

fn too_long() -> Trouble {
    Trouble::Unsupported(format!("a text of more than {LONGEST} bytes"))
}

impl Spec {
    /// Refuses what would be longer than texts may be, before it is made. A precision is a number of digits
    /// that are printed for some letters, and only the most that may be for others.
    fn check(self, letter: u8) -> Result<(), Trouble> {
        // C leaves open what these mean for a pointer.
        if letter == b'p' && (self.plus || self.space || self.hash || self.zero || self.precision.is_some()) {
            return Err(Trouble::Unsupported(String::from("flags of the conversion `%p` of printf")));
        }
        let digits = match letter {
            b's' | b'c' | b'p' => false,
            b'g' | b'G' => self.hash,
            _ => true,
        };
        let precision = self.precision.filter(|_| digits).unwrap_or(0);
        if self.width.max(precision) > LONGEST { Err(too_long()) } else { Ok(()) }
    }
}

impl Text {
    pub fn empty() -> Text {
        Text { out: Vec::new(), format: 0, arguments: 0, stage: Step::Done, given: None, unknown: false }
    }

    /// From a format, with arguments of 8 bytes each in a row.
    pub fn format(format: u64, arguments: u64) -> Text {
        Text { format, arguments, stage: Step::Format, ..Text::empty() }
    }

    /// From bytes in memory: `count`, or if it is `text` up to a zero.
    pub fn bytes(from: u64, count: u64, text: bool) -> Text {
        let stage = Step::Bytes { from, left: count, text, pad: None, start: 0 };
        Text { stage, ..Text::empty() }
    }

    /// Whether what is needed next is only shown.
    pub fn shows(&self) -> bool {
        matches!(self.stage, Step::Argument(_, letter) if letter != b's')
            || matches!(self.stage, Step::Bytes { .. })
    }

    /// What was asked for.
    pub fn give(&mut self, value: u64) {
        self.given = Some(value);
    }

    /// Goes on until something is needed that `read` does not give.
    pub fn go_on<E: From<Trouble>>(
        &mut self,
        mut read: impl FnMut(Needed) -> Result<Option<u64>, E>,
    ) -> Result<Option<Needed>, E> {
        loop {
            let needed = match self.stage {
                Step::Done => return Ok(None),
                Step::Bytes { left: 0, .. } => {
                    self.end_bytes();
                    continue;
                }
                Step::Format | Step::Spec(_) => Needed { addr: self.format, bytes: 1, shown: false },
                Step::Star(_) | Step::Argument(..) => {
                    Needed { addr: self.arguments, bytes: 8, shown: self.shows() }
                }
                Step::Bytes { from, .. } => Needed { addr: from, bytes: 1, shown: true },
            };
            if needed.addr == 0 {
                return Err(Trouble::Null.into());
            }
            let value = match self.given.take() {
                Some(value) => value,
                None => match read(needed)? {
                    Some(value) => value,
                    None => return Ok(Some(needed)),
                },
            };
            if self.out.len() > LONGEST {
                return Err(too_long().into());
            }
            self.take(value)?;
        }
    }

    fn take(&mut self, value: u64) -> Result<(), Trouble> {
        match self.stage {
            Step::Format => {
                self.format = self.format.wrapping_add(1);
                match value as u8 {
                    0 => self.stage = Step::Done,
                    b'%' => self.stage = Step::Spec(Spec::default()),
                    byte => self.out.push(byte),
                }
            }
            Step::Spec(spec) => {
                self.format = self.format.wrapping_add(1);
                self.stage = self.read_spec(spec, value as u8)?;
            }
            Step::Star(mut spec) => {
                self.arguments = self.arguments.wrapping_add(8);
                let number = value as i32;
                if spec.in_precision {
                    spec.precision = usize::try_from(number).ok();
                } else {
                    spec.minus |= number < 0;
                    spec.width = number.unsigned_abs() as usize;
                }
                self.stage = Step::Spec(spec);
            }
            Step::Argument(spec, letter) => {
                self.arguments = self.arguments.wrapping_add(8);
                self.stage = Step::Format;
                spec.check(letter)?;
                match letter {
                    b's' => {
                        let left = spec.precision.map_or(u64::MAX, |p| p as u64);
                        let (pad, start) = (Some(spec), self.out.len());
                        self.stage = Step::Bytes { from: value, left, text: true, pad, start };
                    }
                    b'c' => pad(&mut self.out, spec, &[value as u8]),
                    b'p' => {
                        let text = if value == 0 { String::from("(nil)") } else { format!("{value:#x}") };
                        pad(&mut self.out, spec, text.as_bytes());
                    }
                    b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                        let text = integer(spec, letter, value);
                        pad(&mut self.out, spec, text.as_bytes());
                    }
                    _ => {
                        let text = float(spec, letter, f64::from_bits(value));
                        pad(&mut self.out, spec, text.as_bytes());
                    }
                }
            }
            Step::Bytes { from, left, text, pad, start } => {
                let byte = value as u8;
                if text && byte == 0 {
                    self.end_bytes();
                } else {
                    self.out.push(byte);
                    let left = if left == u64::MAX { left } else { left - 1 };
                    self.stage = Step::Bytes { from: from.wrapping_add(1), left, text, pad, start };
                }
            }
            Step::Done => {}
        }
        Ok(())
    }

    fn end_bytes(&mut self) {
        let Step::Bytes { pad: spec, start, .. } = self.stage else { return };
        self.stage = match spec {
            Some(spec) => {
                let bytes = self.out.split_off(start);
                pad(&mut self.out, Spec { zero: false, ..spec }, &bytes);
                Step::Format
            }
            None => Step::Done,
        };
    }

    fn read_spec(&mut self, mut spec: Spec, byte: u8) -> Result<Step, Trouble> {
        let unsupported = |what: String| Err(Trouble::Unsupported(what));
        match byte {
            b'-' => spec.minus = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.hash = true,
            b'0' if spec.width == 0 && !spec.in_precision => spec.zero = true,
            b'0'..=b'9' => {
                let number = if spec.in_precision { spec.precision.unwrap_or(0) } else { spec.width };
                // One more than is allowed stands for all that is more.
                let number = (number * 10 + (byte - b'0') as usize).min(LONGEST + 1);
                if spec.in_precision {
                    spec.precision = Some(number);
                } else {
                    spec.width = number;
                }
            }
            b'.' => {
                spec.in_precision = true;
                spec.precision = Some(0);
            }
            b'*' => return Ok(Step::Star(spec)),
            b'h' => spec.length = if spec.length == 2 { 1 } else { 2 },
            b'l' | b'z' | b'j' | b't' | b'q' => spec.length = 8,
            b'L' => spec.long_double = true,
            b'%' => {
                self.out.push(b'%');
                return Ok(Step::Format);
            }
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => return Ok(Step::Argument(spec, byte)),
            b'c' | b's' if spec.length == 0 => return Ok(Step::Argument(spec, byte)),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' if !spec.long_double => {
                return Ok(Step::Argument(spec, byte));
            }
            0 => return unsupported(String::from("a format that ends within a conversion")),
            _ => return unsupported(format!("the conversion `%{}` of printf", byte as char)),
        }
        Ok(Step::Spec(spec))
    }
}

fn pad(out: &mut Vec<u8>, spec: Spec, text: &[u8]) {
    let fill = spec.width.saturating_sub(text.len());
    if spec.minus {
        out.extend_from_slice(text);
        out.resize(out.len() + fill, b' ');
    } else {
        out.resize(out.len() + fill, b' ');
        out.extend_from_slice(text);
    }
}

/// Zeros between the sign or prefix and the digits, where the width asks for them.
fn fill_zeros(spec: Spec, sign: &str, digits: String) -> String {
    let room = spec.width.saturating_sub(sign.len() + digits.len());
    let zeros = if spec.zero && !spec.minus { room } else { 0 };
    format!("{sign}{}{digits}", "0".repeat(zeros))
}

fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(spec: Spec, letter: u8, value: u64) -> String {
    let bits = 8 * if spec.length == 0 { 4 } else { spec.length as u32 };
    let value = value << (64 - bits) >> (64 - bits);
    let signed = (value << (64 - bits)) as i64 >> (64 - bits);
    let (prefix, mut digits) = match letter {
        b'd' | b'i' => (sign(spec, signed < 0), signed.unsigned_abs().to_string()),
        b'u' => ("", value.to_string()),
        b'x' => (if spec.hash && value != 0 { "0x" } else { "" }, format!("{value:x}")),
        b'X' => (if spec.hash && value != 0 { "0X" } else { "" }, format!("{value:X}")),
        _ => ("", format!("{value:o}")),
    };
    if let Some(precision) = spec.precision {
        // No digits at all for a zero with precision 0.
        if precision == 0 && value == 0 {
            digits.clear();
        }
        digits = "0".repeat(precision.saturating_sub(digits.len())) + &digits;
    }
    if letter == b'o' && spec.hash && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    match spec.precision {
        Some(_) => format!("{prefix}{digits}"),
        None => fill_zeros(spec, prefix, digits),
    }
}

/// Digits that a double can have after its point, or after its first digit: all others are zeros.
const DIGITS: usize = 1100;

/// With any number of digits after the point: Rust gives up at some.
fn fixed(value: f64, precision: usize) -> String {
    let digits = precision.min(DIGITS);
    format!("{value:.digits$}") + &"0".repeat(precision - digits)
}

/// `1.50e+03`: Rust writes exponents without sign and zeros.
fn scientific(value: f64, precision: usize, hash: bool) -> (String, i32) {
    let digits = precision.min(DIGITS);
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = mantissa.to_string() + &"0".repeat(precision - digits);
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let dot = if hash && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{mantissa}{dot}e{sign}{:02}", exponent.abs()), exponent)
}

fn float(spec: Spec, letter: u8, value: f64) -> String {
    let prefix = sign(spec, value.is_sign_negative());
    let size = value.abs();
    let precision = spec.precision.unwrap_or(6);
    let mut digits = String::new();
    if !value.is_finite() {
        digits.push_str(if value.is_nan() { "nan" } else { "inf" });
    } else {
        match letter.to_ascii_lowercase() {
            b'f' => {
                digits = fixed(size, precision);
                if spec.hash && precision == 0 {
                    digits.push('.');
                }
            }
            b'e' => digits = scientific(size, precision, spec.hash).0,
            _ => digits = shortest(size, precision.max(1), spec.hash),
        }
    }
    if letter.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
    }
    let spec = if value.is_finite() { spec } else { Spec { zero: false, ..spec } };
    fill_zeros(spec, prefix, digits)
}

/// `%g`: as `%e` or `%f`, whichever the exponent asks for, without zeros at the end.
fn shortest(size: f64, precision: usize, hash: bool) -> String {
    // Zeros at the end go anyway, unless they were asked for.
    let precision = if hash { precision } else { precision.min(DIGITS) };
    let (text, exponent) = scientific(size, precision - 1, hash);
    let is_fixed = exponent >= -4 && i64::from(exponent) < precision as i64;
    let text = match is_fixed {
        true => fixed(size, (precision as i64 - 1 - i64::from(exponent)) as usize),
        false => text,
    };
    if hash {
        // The point stays where nothing is after it.
        return if text.contains('.') { text } else { text + "." };
    }
    let (number, rest) = match text.split_once('e') {
        Some((number, exponent)) => (number.to_string(), format!("e{exponent}")),
        None => (text, String::new()),
    };
    if !number.contains('.') {
        return number + &rest;
    }
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats as if the format were at address 1000, strings at 2000 and the arguments at 3000.
    fn printed(format: &str, text: &str, arguments: &[u64]) -> String {
        let byte = |of: &str, at: u64| of.as_bytes().get(at as usize).copied().unwrap_or(0) as u64;
        let mut made = Text::format(1000, 3000);
        let read = |needed: Needed| -> Result<Option<u64>, Trouble> {
            Ok(Some(match needed.addr {
                3000.. => arguments[(needed.addr as usize - 3000) / 8],
                2000.. => byte(text, needed.addr - 2000),
                _ => byte(format, needed.addr - 1000),
            }))
        };
        match made.go_on(read) {
            Ok(None) => String::from_utf8_lossy(&made.out).into_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn conversions_are_those_of_c() {
        let minus = (-42i64) as u64;
        let cases = [
            ("%d|%5d|%-5d|%05d", vec![42, 42, 42, minus], "42|   42|42   |-0042"),
            ("%+d % d %.4d %.0d|", vec![7, 7, 7, 0], "+7  7 0007 |"),
            ("%u %hhd %hd %ld", vec![0xffff_ffff, 0xff, 0x8000, minus], "4294967295 -1 -32768 -42"),
            ("%x %#X %#o %08x", vec![255, 255, 8, 255], "ff 0XFF 010 000000ff"),
            ("%s|%10s|%-10s|%.2s", vec![2000; 4], "hello|     hello|hello     |he"),
            ("%c%%%p %p", vec![65, 0, 0x1234], "A%(nil) 0x1234"),
            ("%*d|%-*d|%.*d", vec![5, 1, 3, 2, 3, 3], "    1|2  |003"),
            (
                "%f %.2f %e %.0e",
                vec![1.5f64.to_bits(), 2.345f64.to_bits(), 1234.5f64.to_bits(), 1500f64.to_bits()],
                "1.500000 2.35 1.234500e+03 2e+03",
            ),
            (
                "%g %g %g %g",
                vec![100000f64.to_bits(), 1e6f64.to_bits(), 0.0001f64.to_bits(), 1e-5f64.to_bits()],
                "100000 1e+06 0.0001 1e-05",
            ),
            (
                "%08.2f|%+.1f|%G",
                vec![(-1.5f64).to_bits(), 2f64.to_bits(), 1e-10f64.to_bits()],
                "-0001.50|+2.0|1E-10",
            ),
            ("%f %5.1F", vec![f64::INFINITY.to_bits(), f64::NAN.to_bits()], "inf   NAN"),
        ];
        for (format, arguments, expected) in cases {
            assert_eq!(printed(format, "hello", &arguments), expected, "{format}");
        }
        assert!(printed("%n", "", &[0]).contains("Unsupported"));
        assert!(printed("%Lf", "", &[0]).contains("Unsupported"));
        assert!(printed("%s", "", &[0]).contains("Null"));
    }

    #[test]
    fn widths_and_precisions_are_of_any_size() {
        let one = 1f64.to_bits();
        let long = |format: &str, arguments: &[u64]| {
            let text = printed(format, "hello", arguments);
            assert!(text.contains("a text of more than"), "{format}: {} bytes", text.len());
        };
        for format in ["%1000000000d", "%.1000000000d", "%1048577s", "%99999999999999999999c", "%.1048577f"] {
            long(format, &[2000]);
        }
        for star in [i32::MIN, i32::MAX, -i32::MAX, 2_000_000_000] {
            long("%*d", &[star as u32 as u64, 1]);
        }
        long("%.*f", &[2_000_000_000, one]);
        long("%.*e", &[2_000_000_000, one]);
        long("%#.*g", &[2_000_000_000, one]);
        // Twice half of it.
        long("%600000d%600000d.", &[1, 1]);
        // Not a number of digits, but the most that there may be; a negative one is none.
        assert_eq!(printed("%.2000000000s", "hello", &[2000]), "hello");
        assert_eq!(printed("%.*g", "", &[2_000_000_000, one]), "1");
        assert_eq!(printed("%#.1g|%#.0e|%#.3g", "", &[one; 3]), "1.|1.e+00|1.00");
        assert_eq!(printed("%.*f", "", &[i32::MIN as u32 as u64, one]), "1.000000");
        // As long as it may be, all digits are there.
        assert_eq!(printed("%1048576d", "", &[7]).len(), 1 << 20);
        let text = printed("%.70000f", "", &[0.1f64.to_bits()]);
        assert!(
            text.starts_with("0.1000000000000000055511151231257827021181583404541015625000")
                && text.len() == 70002
        );
        let text = printed("%.70000e", "", &[0.1f64.to_bits()]);
        assert!(text.starts_with("1.000000000000000055511151231257827") && text.ends_with("000e-01"));
        assert_eq!(printed("%.1200f", "", &[1]).trim_end_matches('0').len(), 1076);
    }

    #[test]
    fn what_is_not_at_hand_is_asked_for() {
        let mut text = Text::format(1000, 3000);
        let none = |_: Needed| -> Result<Option<u64>, Trouble> { Ok(None) };
        let mut given = [b'x' as u64, b'%' as u64, b'd' as u64, 12, 0].into_iter();
        let mut asked = Vec::new();
        while let Ok(Some(needed)) = text.go_on(none) {
            asked.push((needed.addr, needed.bytes));
            text.give(given.next().unwrap_or(0));
        }
        assert_eq!(asked, [(1000, 1), (1001, 1), (1002, 1), (3000, 8), (1003, 1)]);
        assert_eq!(text.out, b"x12");
    }
}
