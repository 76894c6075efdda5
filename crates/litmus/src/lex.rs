//! Tokens, one at a time.
//!
//! `(*` opens a comment around the threads and is a dereference inside them (`READ_ONCE(*x)`), so the
//! parser tells the lexer where it is. Tokens are made on demand: nothing is lexed in the wrong mode,
//! and a long text costs no memory.

use crate::source::{Place, Source};
use selvedge_diagnostic::Diagnostic;
use selvedge_graph::Value;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Header and initial state: `(*` opens a comment, which may contain others.
    Top,
    /// Inside a thread: `(*` is two tokens.
    Body,
    /// Condition: `(*` opens a comment if a `*)` follows.
    Condition,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tok<'a> {
    Ident(&'a str),
    Int(Value),
    /// Without its quotes; escapes stand as they are.
    Str(&'a str),
    Sym(&'static str),
    Eof,
}

/// Longest first.
const SYMBOLS: [&str; 46] = [
    "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "++", "--", "=>", "/\\", "\\/", "(", ")", "{", "}", "[", "]", ";", ",", ":", "?", "=", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", "<", ">",
];

pub struct Lexer<'a> {
    pub source: &'a Source<'a>,
    text: &'a str,
    at: usize,
    mode: Mode,
    /// Where the text's last `*)` is.
    last_close: Option<usize>,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a Source<'a>) -> Lexer<'a> {
        let text = source.text;
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { source, text, at, mode: Mode::Top, last_close: text.rfind("*)") }
    }

    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// What is left of the text, blanks and comments skipped.
    pub fn rest(&mut self) -> Result<&'a str, Diagnostic> {
        self.skip()?;
        Ok(&self.text[self.at..])
    }

    /// Moves over `len` bytes of `rest`.
    pub fn advance(&mut self, len: usize) -> Place {
        let start = self.at;
        self.at = (self.at + len).min(self.text.len());
        Place::new(start, self.at)
    }

    pub fn next(&mut self) -> Result<(Tok<'a>, Place), Diagnostic> {
        let rest = self.rest()?;
        let Some(first) = rest.chars().next() else {
            return Ok((Tok::Eof, Place::new(self.at, self.at)));
        };
        if first.is_ascii_alphabetic() || first == '_' {
            let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            return Ok((Tok::Ident(&rest[..len]), self.advance(len)));
        }
        if first.is_ascii_digit() {
            return self.number(rest);
        }
        if first == '"' {
            return self.string(rest);
        }
        for symbol in SYMBOLS {
            if rest.starts_with(symbol) {
                return Ok((Tok::Sym(symbol), self.advance(symbol.len())));
            }
        }
        let place = self.advance(first.len_utf8());
        let shown = first.escape_default();
        Err(self.source.error(place, format!("unexpected character `{shown}`")))
    }

    fn number(&mut self, rest: &'a str) -> Result<(Tok<'a>, Place), Diagnostic> {
        let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let place = self.advance(len);
        let word = &rest[..len];
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let (digits, radix) = hex.map_or((digits, 10), |d| (d, 16));
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(self.source.error(place, format!("`{}` is not a number", clip(word))));
        }
        // Reading hexadecimal beyond the signed range as C would read it back: modulo 2^64.
        let Ok(value) = u64::from_str_radix(digits, radix) else {
            return Err(self.source.error(place, "this number does not fit into 64 bits"));
        };
        if radix == 10 && digits.len() > 1 && digits.starts_with('0') && value >= 8 {
            let error = self.source.error(place, "a number that starts with 0 means another number in C");
            return Err(error.with_help("write it in decimal without the 0, or in hexadecimal"));
        }
        Ok((Tok::Int(value as Value), place))
    }

    fn string(&mut self, rest: &'a str) -> Result<(Tok<'a>, Place), Diagnostic> {
        let mut escaped = false;
        for (at, byte) in rest.bytes().enumerate().skip(1) {
            match byte {
                b'"' if !escaped => return Ok((Tok::Str(&rest[1..at]), self.advance(at + 1))),
                _ => escaped = byte == b'\\' && !escaped,
            }
        }
        let place = self.advance(1);
        Err(self.source.error(place, "this string has no end"))
    }

    fn skip(&mut self) -> Result<(), Diagnostic> {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            let rest = &bytes[self.at..];
            if rest.starts_with(b"//") {
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                self.block_comment(b"/*", b"*/", false)?;
            } else if rest.starts_with(b"(*") && self.opens_comment() {
                self.block_comment(b"(*", b"*)", self.mode == Mode::Top)?;
            } else {
                return Ok(());
            }
        }
    }

    fn opens_comment(&self) -> bool {
        match self.mode {
            Mode::Top => true,
            Mode::Body => false,
            Mode::Condition => self.last_close.is_some_and(|close| close > self.at + 1),
        }
    }

    fn block_comment(&mut self, open: &[u8], close: &[u8], nested: bool) -> Result<(), Diagnostic> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut depth = 1usize;
        let mut at = start + 2;
        while at < bytes.len() {
            if bytes[at..].starts_with(close) {
                at += 2;
                depth -= 1;
                if depth == 0 {
                    self.at = at;
                    return Ok(());
                }
            } else if nested && bytes[at..].starts_with(open) {
                at += 2;
                depth += 1;
            } else {
                at += 1;
            }
        }
        Err(self.source.error(Place::new(start, start + 2), "this comment has no end"))
    }
}

/// A name short enough for a message.
pub fn clip(name: &str) -> String {
    if name.chars().count() <= 60 {
        return name.to_string();
    }
    name.chars().take(60).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(mode: Mode, text: &str) -> Result<Vec<String>, String> {
        let source = Source::new("t", text);
        let mut lexer = Lexer::new(&source);
        lexer.set_mode(mode);
        let mut found = Vec::new();
        loop {
            match lexer.next().map_err(|d| d.message)? {
                (Tok::Eof, _) => return Ok(found),
                (Tok::Ident(s), _) | (Tok::Str(s), _) => found.push(s.to_string()),
                (Tok::Sym(s), _) => found.push(s.to_string()),
                (Tok::Int(v), _) => found.push(v.to_string()),
            }
        }
    }

    #[test]
    fn dereference_or_comment_depends_on_the_mode() {
        let toks = |mode, text| tokens(mode, text).map(|v| v.join(" "));
        assert_eq!(toks(Mode::Body, "(*x) /* c */ + y // z").as_deref(), Ok("( * x ) + y"));
        assert_eq!(toks(Mode::Top, "a (* b (* c *) d *) e").as_deref(), Ok("a e"));
        assert_eq!(toks(Mode::Condition, r"(*x=1 /\ y=2)").as_deref(), Ok(r"( * x = 1 /\ y = 2 )"));
        assert_eq!(toks(Mode::Condition, "(* c *) x").as_deref(), Ok("x"));
        assert!(toks(Mode::Top, "(* a").is_err());
    }

    #[test]
    fn numbers() {
        assert_eq!(
            tokens(Mode::Body, "0x10 12UL 0xffffffffffffffff"),
            Ok(vec!["16".into(), "12".into(), "-1".into()])
        );
        for bad in ["12ab", "0x", "010", "99999999999999999999999"] {
            assert!(tokens(Mode::Body, bad).is_err(), "{bad}");
        }
    }
}
