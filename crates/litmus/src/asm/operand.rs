//! Instructions in pieces.

use crate::lex::clip;
use crate::source::{Place, Source};
use crate::syntax::Parsed;
use selvedge_diagnostic::Diagnostic;
use selvedge_graph::Value;

/// A stretch of text, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pub text: &'a str,
    pub place: Place,
}

impl<'a> Piece<'a> {
    /// `text` must be part of the source's text.
    pub fn new(source: &Source<'a>, text: &'a str) -> Piece<'a> {
        let start = (text.as_ptr() as usize).saturating_sub(source.text.as_ptr() as usize);
        Piece { text, place: Place::new(start, start + text.len()) }
    }
}

/// One instruction: a mnemonic in lower case and its operands.
pub struct Line<'a> {
    pub mnemonic: String,
    pub operands: Vec<Piece<'a>>,
    pub place: Place,
}

impl<'a> Line<'a> {
    pub fn new(source: &Source<'a>, text: &'a str) -> Line<'a> {
        let text = text.trim();
        let place = Piece::new(source, text).place;
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let operands = split(&text[end..]).into_iter().map(|t| Piece::new(source, t)).collect();
        Line { mnemonic: text[..end].to_ascii_lowercase(), operands, place }
    }

    /// The same instruction without the prefix that it starts with.
    pub fn without_prefix(&self, source: &Source<'a>) -> Line<'a> {
        let text = source.slice(self.place);
        let rest = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
        Line::new(source, rest)
    }

    pub fn error(&self, source: &Source<'_>, message: impl Into<String>) -> Diagnostic {
        source.error(self.place, message)
    }

    pub fn unsupported(&self, source: &Source<'_>) -> Diagnostic {
        let error = self.error(source, format!("instruction `{}` is not supported", clip(&self.mnemonic)));
        error.with_help("docs/litmus.md lists the instructions of each architecture")
    }

    /// Exactly `N` operands.
    pub fn take<const N: usize>(&self, source: &Source<'_>) -> Parsed<[Piece<'a>; N]> {
        <[Piece<'a>; N]>::try_from(self.operands.as_slice()).map_err(|_| {
            let found = self.operands.len();
            self.error(source, format!("`{}` takes {N} operands here, not {found}", clip(&self.mnemonic)))
        })
    }
}

/// At commas that are not inside of brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() || !parts.is_empty() {
        parts.push(last);
    }
    parts
}

/// A number, with or without a sign and the mark of an immediate value.
pub fn number(text: &str) -> Option<Value> {
    let text = text.trim().trim_start_matches(['#', '$']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((digits, 10), |d| (d, 16));
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()? as Value;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// What is inside of a pair of brackets that the text starts and ends with.
pub fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.trim().strip_prefix(open)?.strip_suffix(close).map(str::trim)
}

pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'))
}

/// The parts of an operand in brackets.
pub fn parts(text: &str) -> Vec<&str> {
    split(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_end_at_commas_outside_of_brackets() {
        assert_eq!(split(" w0, [x1, w2, sxtw] "), ["w0", "[x1, w2, sxtw]"]);
        assert_eq!(split("r1,0(r2)"), ["r1", "0(r2)"]);
        assert!(split("  ").is_empty());
        assert_eq!(split("a,"), ["a", ""]);
        assert_eq!(split("]],é,"), ["]]", "é", ""]);
    }

    #[test]
    fn numbers() {
        assert_eq!(number("#-1"), Some(-1));
        assert_eq!(number("$0x10"), Some(16));
        assert_eq!(number("7"), Some(7));
        for bad in ["", "#", "x", "1x", "--1", "+1", "0x", "99999999999999999999"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
