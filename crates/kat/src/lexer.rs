//! Text to tokens, on demand: a token is made when the parser asks for it, so that a text that is
//! wrong at its start costs nothing further on, and looking ahead is copying the lexer.

use crate::source::{Pos, Source, quoted};
use selvedge_diagnostic::Diagnostic;

/// The two languages that models are written in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// `.kat`: Kleene algebra with tests, with views, coherence and program errors.
    Kat,
    /// The part of herd's `.cat` that stays inside Kleene algebra with tests.
    Cat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'a> {
    /// A name or a keyword, `file::name` included.
    Word(&'a str),
    /// A name in backquotes, never a keyword.
    Quoted(&'a str),
    Str(&'a str),
    Zero,
    Bar,
    Amp,
    Backslash,
    Semi,
    Star,
    Plus,
    Question,
    /// `^-1`.
    Inverse,
    /// `^=`.
    SameEnds,
    /// `~` or `!`.
    Tilde,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Comma,
    Equal,
    /// `<=`.
    Below,
    Hash,
    /// A character that only constructs outside of the languages use (`{`, `'`, `-`…).
    Other(char),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub tok: Tok<'a>,
    pub pos: Pos,
}

impl Token<'_> {
    /// How a message names the token.
    pub fn describe(&self) -> String {
        let symbol = match self.tok {
            Tok::Word(word) | Tok::Quoted(word) => return quoted(word),
            Tok::Str(_) => return "a string".to_string(),
            Tok::End => return "the end of the file".to_string(),
            Tok::Other(c) => return quoted(c.encode_utf8(&mut [0; 4])),
            Tok::Zero => "0",
            Tok::Bar => "|",
            Tok::Amp => "&",
            Tok::Backslash => "\\",
            Tok::Semi => ";",
            Tok::Star => "*",
            Tok::Plus => "+",
            Tok::Question => "?",
            Tok::Inverse => "^-1",
            Tok::SameEnds => "^=",
            Tok::Tilde => "~",
            Tok::LParen => "(",
            Tok::RParen => ")",
            Tok::LBracket => "[",
            Tok::RBracket => "]",
            Tok::Comma => ",",
            Tok::Equal => "=",
            Tok::Below => "<=",
            Tok::Hash => "#",
        };
        format!("`{symbol}`")
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a, 's> {
    source: &'s Source<'a>,
    dialect: Dialect,
    offset: usize,
    line: u32,
    col: u32,
}

pub(crate) fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(crate) fn continues_name(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '\'') || c.is_alphanumeric()
}

impl<'a, 's> Lexer<'a, 's> {
    /// The text must be shorter than 4 GiB.
    pub fn new(source: &'s Source<'a>, dialect: Dialect) -> Self {
        let offset = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { source, dialect, offset, line: 1, col: 1 }
    }

    fn rest(&self) -> &'a str {
        &self.source.text[self.offset..]
    }

    fn here(&self) -> Pos {
        Pos { offset: self.offset as u32, line: self.line, col: self.col, len: 1 }
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.offset += c.len_utf8();
        if c == '\n' {
            self.line += 1;
            self.col = 1;
        } else {
            self.col += 1;
        }
        Some(c)
    }

    fn bump_while(&mut self, mut holds: impl FnMut(char) -> bool) {
        while self.rest().chars().next().is_some_and(&mut holds) {
            self.bump();
        }
    }

    /// Skips white space and comments.
    fn skip_trivia(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.bump_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.bump_while(|c| c != '\n');
            } else if self.dialect == Dialect::Kat && self.rest().starts_with("/*") {
                self.skip_block("/*", "*/", false)?;
            } else if self.dialect == Dialect::Cat && self.rest().starts_with("(*") {
                self.skip_block("(*", "*)", true)?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_block(&mut self, open: &str, close: &str, nested: bool) -> Result<(), Diagnostic> {
        let start = Pos { len: 2, ..self.here() };
        let mut depth = 0u32;
        loop {
            if self.rest().starts_with(open) && (nested || depth == 0) {
                self.bump();
                depth += 1;
            } else if self.rest().starts_with(close) {
                self.bump();
                depth -= 1;
            }
            if self.bump().is_none() {
                return Err(self
                    .source
                    .error(start, "this comment has no end")
                    .with_help(format!("end it with `{close}`")));
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// The next token; [`Tok::End`] again and again at the end of the text.
    pub fn next(&mut self) -> Result<Token<'a>, Diagnostic> {
        self.skip_trivia()?;
        let start = self.here();
        let text = self.source.text;
        let tok = match self.bump() {
            None => Tok::End,
            Some(c) if starts_name(c) => {
                self.bump_while(continues_name);
                while let Some(after) = self.rest().strip_prefix("::") {
                    if !after.starts_with(starts_name) {
                        break;
                    }
                    self.bump();
                    self.bump();
                    self.bump_while(continues_name);
                }
                Tok::Word(&text[start.offset as usize..self.offset])
            }
            Some(c @ ('"' | '`')) => self.delimited(start, c)?,
            Some(c) => self.symbol(start, c)?,
        };
        // A token never spans lines, so columns measure it.
        Ok(Token { tok, pos: Pos { len: (self.col - start.col).max(1), ..start } })
    }

    /// A string or a name in backquotes, after its opening `quote`.
    fn delimited(&mut self, start: Pos, quote: char) -> Result<Tok<'a>, Diagnostic> {
        let begin = self.offset;
        self.bump_while(|c| c != quote && c != '\n');
        let inside = &self.source.text[begin..self.offset];
        if !self.rest().starts_with(quote) {
            let what = if quote == '"' { "this string" } else { "this name" };
            return Err(self
                .source
                .error(start, format!("{what} has no end"))
                .with_help(format!("end it with `{quote}` on the same line")));
        }
        self.bump();
        if quote == '"' {
            return Ok(Tok::Str(inside));
        }
        if inside.is_empty() {
            return Err(self.source.error(start, "a name in backquotes is empty"));
        }
        Ok(Tok::Quoted(inside))
    }

    fn symbol(&mut self, start: Pos, c: char) -> Result<Tok<'a>, Diagnostic> {
        Ok(match c {
            '0' => {
                self.bump_while(continues_name);
                if self.offset > start.offset as usize + 1 {
                    return Err(self.no_number(start));
                }
                Tok::Zero
            }
            '∅' => Tok::Zero,
            '|' | '∪' => Tok::Bar,
            '&' | '∩' => Tok::Amp,
            '\\' | '∖' => Tok::Backslash,
            ';' => Tok::Semi,
            '*' => Tok::Star,
            '+' => Tok::Plus,
            '?' => Tok::Question,
            '~' | '!' => Tok::Tilde,
            '(' => Tok::LParen,
            ')' => Tok::RParen,
            '[' => Tok::LBracket,
            ']' => Tok::RBracket,
            ',' => Tok::Comma,
            '=' => Tok::Equal,
            '⊆' => Tok::Below,
            '#' => Tok::Hash,
            '<' if self.rest().starts_with('=') => {
                self.bump();
                Tok::Below
            }
            '^' => self.caret(start)?,
            c if c.is_ascii_digit() => {
                self.bump_while(continues_name);
                return Err(self.no_number(start));
            }
            '{' | '}' | '\'' | '-' | '<' | '>' | ':' | '/' => Tok::Other(c),
            c => {
                let what = if c.is_control() || c == '\u{fffd}' {
                    format!("character U+{:04X}", c as u32)
                } else {
                    quoted(c.encode_utf8(&mut [0; 4]))
                };
                return Err(self.source.error(start, format!("{what} has no meaning here")));
            }
        })
    }

    fn no_number(&self, start: Pos) -> Diagnostic {
        let pos = Pos { len: self.col - start.col, ..start };
        self.source
            .error(pos, "names start with a letter, and `0` (the empty relation) is the only number")
            .with_help("a name in backquotes may start with anything")
    }

    /// What follows a `^`.
    fn caret(&mut self, start: Pos) -> Result<Tok<'a>, Diagnostic> {
        if self.rest().starts_with("-1") {
            self.bump();
            self.bump();
            return Ok(Tok::Inverse);
        }
        let tok = match self.rest().chars().next() {
            Some('+') => Tok::Plus,
            Some('*') => Tok::Star,
            Some('?') => Tok::Question,
            Some('=') if self.dialect == Dialect::Kat => Tok::SameEnds,
            _ => {
                let known = match self.dialect {
                    Dialect::Kat => "`^-1`, `^+`, `^*`, `^?` and `^=`",
                    Dialect::Cat => "`^-1`, `^+`, `^*` and `^?`",
                };
                return Err(self
                    .source
                    .error(start, "`^` starts no operator here")
                    .with_help(format!("the operators are {known}")));
            }
        };
        self.bump();
        Ok(tok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str, dialect: Dialect) -> Result<Vec<Tok<'_>>, Diagnostic> {
        let source = Source { file: "t".into(), text };
        let mut lexer = Lexer::new(&source, dialect);
        let mut toks = Vec::new();
        loop {
            match lexer.next()?.tok {
                Tok::End => return Ok(toks),
                tok => toks.push(tok),
            }
        }
    }

    #[test]
    fn names_take_dashes_dots_primes_and_qualifiers() {
        let toks = lex("po-loc a.b' rc11::hb _ `let x`", Dialect::Kat).unwrap();
        let word = Tok::Word;
        assert_eq!(toks, [word("po-loc"), word("a.b'"), word("rc11::hb"), word("_"), Tok::Quoted("let x")]);
    }

    #[test]
    fn comments_follow_the_dialect() {
        assert_eq!(lex("a // b\n/* c\n*/ 0", Dialect::Kat).unwrap(), [Tok::Word("a"), Tok::Zero]);
        assert_eq!(lex("a // b\n(* (* c *) \" *) 0", Dialect::Cat).unwrap(), [Tok::Word("a"), Tok::Zero]);
        assert_eq!(lex("/*/ 0 */", Dialect::Kat).unwrap(), []);
        assert_eq!(lex("(*) 0 *)", Dialect::Cat).unwrap(), []);
        assert!(lex("(* (* *)", Dialect::Cat).unwrap_err().message.contains("no end"));
    }

    #[test]
    fn carets_make_postfix_operators() {
        use Tok::*;
        let toks = lex("^-1 ^+ ^* ^? ^= ∪ ∩ ⊆ ∅ ∖ <=", Dialect::Kat).unwrap();
        assert_eq!(toks, [Inverse, Plus, Star, Question, SameEnds, Bar, Amp, Below, Zero, Backslash, Below]);
        assert!(lex("^=", Dialect::Cat).is_err());
        assert!(lex("a^2", Dialect::Kat).is_err());
        assert!(lex("10", Dialect::Kat).is_err());
    }

    #[test]
    fn places_count_characters() {
        let source = Source { file: "t".into(), text: "\u{feff}é\n  ψa b" };
        let mut lexer = Lexer::new(&source, Dialect::Kat);
        let mut place = || {
            let pos = lexer.next().unwrap().pos;
            (pos.line, pos.col, pos.len)
        };
        assert_eq!([place(), place(), place()], [(1, 1, 1), (2, 3, 2), (2, 6, 1)]);
    }
}
