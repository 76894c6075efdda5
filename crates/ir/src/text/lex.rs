//! Tokens of the text form.

use super::parse::ParseError;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// Letters, digits, `_` and dots: keywords, registers, labels, mnemonics with their suffixes.
    Word(String),
    Number(u64),
    /// With a minus sign.
    Negative(i64),
    Text(String),
    /// `x"2a00"`.
    Bytes(Vec<u8>),
    /// `@name`, or `@#3`.
    Global(Name),
    /// `&name`, or `&#3`.
    Func(Name),
    /// `!file:line:column`.
    Place(u32, u32, u32, u32),
    Symbol(char),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name {
    Text(String),
    Number(u32),
}

pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    pub line: u32,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// Whether a name can be written without quotes.
pub fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| is_word(c) || c == '$')
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, line: 1 }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, message: message.into() })
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !holds(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The next token; `None` at the end of the text.
    pub fn next(&mut self) -> Result<Option<Token>, ParseError> {
        loop {
            match self.peek() {
                Some(c) if c.is_whitespace() => _ = self.bump(),
                Some(';') => _ = self.take_while(|c| c != '\n'),
                Some(_) => break,
                None => return Ok(None),
            }
        }
        let rest = &self.text[self.at..];
        if rest.starts_with("x\"") {
            self.at += 1;
            return self.bytes().map(Some);
        }
        let Some(c) = self.peek() else { return Ok(None) };
        Ok(Some(match c {
            '"' => Token::Text(self.quoted()?),
            '@' => {
                self.bump();
                Token::Global(self.name()?)
            }
            '&' => {
                self.bump();
                Token::Func(self.name()?)
            }
            '!' => {
                self.bump();
                let file = self.small()?;
                let line = self.after_colon()?;
                let column = self.after_colon()?;
                let note = if self.peek() == Some(':') { self.after_colon()? } else { 0 };
                Token::Place(file, line, column, note)
            }
            '-' => {
                self.bump();
                let magnitude = self.number()?;
                if magnitude > 1 << 63 {
                    return self.error(format!("-{magnitude} does not fit 64 bits"));
                }
                Token::Negative((magnitude as i64).wrapping_neg())
            }
            '0'..='9' => Token::Number(self.number()?),
            c if is_word(c) => Token::Word(self.take_while(is_word).to_string()),
            c => {
                self.bump();
                Token::Symbol(c)
            }
        }))
    }

    fn number(&mut self) -> Result<u64, ParseError> {
        let digits = self.take_while(|c| c.is_ascii_alphanumeric());
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        parsed.or_else(|_| self.error(format!("`{digits}` is not a number of 64 bits")))
    }

    fn small(&mut self) -> Result<u32, ParseError> {
        let value = self.number()?;
        u32::try_from(value).or_else(|_| self.error(format!("{value} is too large here")))
    }

    fn after_colon(&mut self) -> Result<u32, ParseError> {
        if self.bump() != Some(':') {
            return self.error("a place is written `!file:line:column`");
        }
        self.small()
    }

    fn name(&mut self) -> Result<Name, ParseError> {
        match self.peek() {
            Some('#') => {
                self.bump();
                self.small().map(Name::Number)
            }
            Some('"') => self.quoted().map(Name::Text),
            _ => {
                let name = self.take_while(|c| is_word(c) || c == '$');
                if name.is_empty() {
                    return self.error("a name is expected");
                }
                Ok(Name::Text(name.to_string()))
            }
        }
    }

    /// A string as Rust writes it: `\\`, `\"`, `\n` and the like, `\u{1f}`.
    fn quoted(&mut self) -> Result<String, ParseError> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                None => return self.error("a string does not end"),
                Some('"') => return Ok(text),
                Some('\\') => {
                    let c = self.escape()?;
                    text.push(c);
                }
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        match self.bump() {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some('0') => Ok('\0'),
            Some(c @ ('\\' | '"' | '\'')) => Ok(c),
            Some('u') if self.bump() == Some('{') => {
                let code = u32::from_str_radix(self.take_while(|c| c != '}'), 16);
                self.bump();
                match code.ok().and_then(char::from_u32) {
                    Some(c) => Ok(c),
                    None => self.error("no such character"),
                }
            }
            _ => self.error("unknown escape in a string"),
        }
    }

    fn bytes(&mut self) -> Result<Token, ParseError> {
        let digits = self.quoted()?;
        let digits = digits.as_bytes();
        let nibble = |d: u8| (d as char).to_digit(16).map(|v| v as u8);
        let pair = |p: &[u8]| Some(nibble(p[0])? << 4 | nibble(*p.get(1)?)?);
        match digits.chunks(2).map(pair).collect() {
            Some(bytes) => Ok(Token::Bytes(bytes)),
            None => self.error("bytes are written as pairs of hexadecimal digits"),
        }
    }
}
