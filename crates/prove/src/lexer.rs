//! Words and marks of a `.par` text.

use selvedge_diagnostic::{Diagnostic, Excerpt, Span};

/// A word, a number or a mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number.
    Number(i64),
    /// Punctuation.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it is, in bytes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The token.
    pub token: Token,
    /// Where it begins.
    pub at: usize,
    /// How many bytes it has.
    pub len: usize,
}

/// Longer marks come before those that they begin with.
const MARKS: [&str; 32] = [
    "<=>", ":=", "==", "!=", "<=", ">=", "=>", "&&", "||", "..", "{", "}", "(", ")", "[", "]", ",", ";", ":",
    ".", "<", ">", "!", "+", "-", "*", "%", "#", "|", "@", "=", "/",
];

/// A message about a place in the text.
pub fn error_at(file: &str, text: &str, at: usize, len: usize, message: impl Into<String>) -> Diagnostic {
    let shown = text.get(at..at + len).map_or(1, |s| s.chars().count()) as u32;
    Diagnostic::at(Span::of(file, text, at, shown.max(1)), message).with_excerpt(Excerpt::of(text, at))
}

/// All tokens of a text.
pub fn tokens(file: &str, text: &str) -> Result<Vec<Placed>, Diagnostic> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let c = rest.chars().next().unwrap_or(' ');
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if c.is_ascii_alphabetic() || c == '_' {
            let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            found.push(Placed { token: Token::Word(rest[..len].to_string()), at, len });
            at += len;
        } else if c.is_ascii_digit() {
            let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..len].parse::<i64>().ok().filter(|n| *n <= 1_000_000);
            let number = number.ok_or_else(|| error_at(file, text, at, len, "numbers go up to 1000000"))?;
            found.push(Placed { token: Token::Number(number), at, len });
            at += len;
        } else if let Some(mark) = MARKS.iter().find(|m| rest.starts_with(**m)) {
            found.push(Placed { token: Token::Mark(mark), at, len: mark.len() });
            at += mark.len();
        } else {
            return Err(error_at(file, text, at, c.len_utf8(), "this character has no meaning here"));
        }
    }
    found.push(Placed { token: Token::End, at: text.len(), len: 0 });
    Ok(found)
}
