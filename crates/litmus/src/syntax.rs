//! The parser's core, and the statements of a thread.

use crate::lex::{Lexer, Mode, Tok, clip};
use crate::source::{Place, Source};
use crate::tree::{Declared, Name, Stmt};
use selvedge_diagnostic::Diagnostic;
use selvedge_graph::Value;
use std::collections::{HashMap, VecDeque};

/// Deeper nesting (blocks, parentheses, operators in a row) is refused.
pub const MAX_DEPTH: u16 = 150;

pub type Parsed<T> = Result<T, Diagnostic>;

pub struct Parser<'a> {
    pub source: &'a Source<'a>,
    pub lexer: Lexer<'a>,
    ahead: VecDeque<(Tok<'a>, Place)>,
    nesting: u16,
    last: Place,
    /// Names that stand for numbers where a number is expected: addresses, in assembly tests.
    pub pointers: Option<HashMap<String, Value>>,
}

impl<'a> Parser<'a> {
    pub fn new(source: &'a Source<'a>) -> Parser<'a> {
        Parser {
            source,
            lexer: Lexer::new(source),
            ahead: VecDeque::new(),
            nesting: 0,
            last: Place::default(),
            pointers: None,
        }
    }

    /// Takes effect on the tokens that nobody has looked at yet.
    pub fn set_mode(&mut self, mode: Mode) {
        self.lexer.set_mode(mode);
    }

    pub fn peek(&mut self) -> Parsed<Tok<'a>> {
        self.peek_at(0)
    }

    pub fn peek_at(&mut self, n: usize) -> Parsed<Tok<'a>> {
        while self.ahead.len() <= n {
            let token = self.lexer.next()?;
            self.ahead.push_back(token);
        }
        Ok(self.ahead[n].0)
    }

    pub fn next(&mut self) -> Parsed<(Tok<'a>, Place)> {
        let token = match self.ahead.pop_front() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        self.last = token.1;
        Ok(token)
    }

    /// The place of the next token.
    pub fn here(&mut self) -> Parsed<Place> {
        self.peek()?;
        Ok(self.ahead[0].1)
    }

    /// The place of the last token taken.
    pub fn last(&self) -> Place {
        self.last
    }

    pub fn is(&mut self, symbol: &str) -> Parsed<bool> {
        Ok(matches!(self.peek()?, Tok::Sym(s) if s == symbol))
    }

    pub fn is_word(&mut self, word: &str) -> Parsed<bool> {
        Ok(matches!(self.peek()?, Tok::Ident(s) if s == word))
    }

    pub fn eat(&mut self, symbol: &str) -> Parsed<bool> {
        let found = self.is(symbol)?;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    pub fn eat_word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.is_word(word)?;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    pub fn expect(&mut self, symbol: &str) -> Parsed<Place> {
        if self.is(symbol)? {
            return Ok(self.next()?.1);
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        match self.peek()? {
            Tok::Ident(text) => Ok(Name { text, place: self.next()?.1 }),
            _ => Err(self.unexpected(what)),
        }
    }

    /// An error about the next token, where `wanted` should be.
    pub fn unexpected(&mut self, wanted: &str) -> Diagnostic {
        let (found, place) = match (self.peek(), self.here()) {
            (Ok(found), Ok(place)) => (found, place),
            (Err(error), _) | (_, Err(error)) => return error,
        };
        let found = match found {
            Tok::Ident(s) => format!("`{}`", clip(s)),
            Tok::Int(v) => format!("`{v}`"),
            Tok::Str(_) => String::from("a string"),
            Tok::Sym(s) => format!("`{s}`"),
            Tok::Eof => String::from("the end of the file"),
        };
        self.source.error(place, format!("expected {wanted}, found {found}"))
    }

    /// Runs `parse` one level deeper.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_DEPTH {
            let place = self.here()?;
            return Err(self.too_deep(place));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    pub fn too_deep(&self, place: Place) -> Diagnostic {
        self.source.error(place, format!("this is nested more than {MAX_DEPTH} levels deep"))
    }

    /// `{ … }`, the brace not yet taken.
    pub fn block(&mut self) -> Parsed<Vec<Stmt<'a>>> {
        let open = self.expect("{")?;
        let mut body = Vec::new();
        while !self.is("}")? {
            if self.peek()? == Tok::Eof {
                return Err(self.source.error(open, "this `{` has no matching `}`"));
            }
            self.statement(&mut body)?;
        }
        // The closing brace may end a thread: nothing after it is looked at yet.
        self.next()?;
        Ok(body)
    }

    /// Adds the next statement to `out`; empty statements add nothing, a label adds itself alone.
    fn statement(&mut self, out: &mut Vec<Stmt<'a>>) -> Parsed<()> {
        match self.peek()? {
            Tok::Sym(";") => {
                self.next()?;
            }
            Tok::Sym("{") => out.push(Stmt::Block(self.nested(Self::block)?)),
            Tok::Ident(word) if self.peek_at(1)? == Tok::Sym(":") && word != "default" => {
                let label = self.name("a label")?;
                self.expect(":")?;
                out.push(Stmt::Label(label));
            }
            Tok::Ident(word) => out.push(self.worded(word)?),
            _ => {
                let expr = self.expression()?;
                self.expect(";")?;
                out.push(Stmt::Expr(expr));
            }
        }
        Ok(())
    }

    /// A statement that starts with a word.
    fn worded(&mut self, word: &str) -> Parsed<Stmt<'a>> {
        match word {
            "if" => self.nested(Self::if_statement),
            "while" => self.nested(|p| {
                p.next()?;
                let cond = p.parenthesised()?;
                Ok(Stmt::While(cond, p.body()?))
            }),
            "do" => self.nested(|p| {
                p.next()?;
                let body = p.body()?;
                if !p.eat_word("while")? {
                    return Err(p.unexpected("`while`"));
                }
                let cond = p.parenthesised()?;
                p.expect(";")?;
                Ok(Stmt::DoWhile(body, cond))
            }),
            "for" => self.nested(Self::for_statement),
            "goto" | "goto_unbounded" => {
                self.next()?;
                let label = self.name("a label")?;
                self.expect(";")?;
                Ok(Stmt::Goto { label, bounded: word == "goto" })
            }
            "break" | "continue" => {
                let place = self.next()?.1;
                self.expect(";")?;
                Ok(if word == "break" { Stmt::Break(place) } else { Stmt::Continue(place) })
            }
            "return" => {
                self.next()?;
                if !self.is(";")? {
                    self.expression()?;
                }
                self.expect(";")?;
                Ok(Stmt::Return)
            }
            "switch" | "case" | "default" | "else" | "struct" | "union" | "enum" | "typedef" | "asm" => {
                let place = self.next()?.1;
                Err(self.source.error(place, format!("`{word}` is not supported here")))
            }
            _ => {
                let stmt = self.simple()?;
                self.expect(";")?;
                Ok(stmt)
            }
        }
    }

    /// A declaration or an expression, without its `;`.
    fn simple(&mut self) -> Parsed<Stmt<'a>> {
        let Tok::Ident(word) = self.peek()? else { return Ok(Stmt::Expr(self.expression()?)) };
        if is_type_word(word) {
            return self.declaration();
        }
        if matches!(self.peek_at(1)?, Tok::Ident(_)) {
            let place = self.here()?;
            return Err(self.source.error(place, format!("`{}` is not a type that is known", clip(word))));
        }
        Ok(Stmt::Expr(self.expression()?))
    }

    fn declaration(&mut self) -> Parsed<Stmt<'a>> {
        while matches!(self.peek()?, Tok::Ident(word) if is_type_word(word)) {
            self.next()?;
        }
        let mut declared = Vec::new();
        loop {
            if self.is("*")? {
                let place = self.here()?;
                let error = self.source.error(place, "local pointers are not supported");
                return Err(
                    error.with_help("use the thread's parameters: each points to the location of its name")
                );
            }
            let name = self.name("a register to declare")?;
            if self.is("[")? {
                let place = self.here()?;
                return Err(self.source.error(place, "local arrays are not supported"));
            }
            let init = if self.eat("=")? { Some(self.assignment()?) } else { None };
            declared.push(Declared { name, init });
            if !self.eat(",")? {
                return Ok(Stmt::Declare(declared));
            }
        }
    }

    fn if_statement(&mut self) -> Parsed<Stmt<'a>> {
        self.next()?;
        let cond = self.parenthesised()?;
        let then = self.body()?;
        let other = if self.eat_word("else")? { Some(self.body()?) } else { None };
        Ok(Stmt::If(cond, then, other))
    }

    fn for_statement(&mut self) -> Parsed<Stmt<'a>> {
        self.next()?;
        self.expect("(")?;
        let init = if self.is(";")? { None } else { Some(Box::new(self.simple()?)) };
        self.expect(";")?;
        let cond = if self.is(";")? { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")")? { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok(Stmt::For { init, cond, step, body: self.body()? })
    }

    /// The statement that an `if` or a loop governs.
    fn body(&mut self) -> Parsed<Box<Stmt<'a>>> {
        let mut stmts = Vec::new();
        loop {
            let before = stmts.len();
            self.nested(|p| p.statement(&mut stmts))?;
            // A label is in the list by itself: the statement that it names comes next.
            let label = stmts.len() > before && matches!(stmts.last(), Some(Stmt::Label(_)));
            if !label || self.is("}")? {
                break;
            }
        }
        Ok(Box::new(Stmt::Block(stmts)))
    }
}

/// Words that types are made of. All of them mean a 64-bit integer here.
pub fn is_type_word(word: &str) -> bool {
    const WORDS: [&str; 19] = [
        "int", "unsigned", "signed", "long", "short", "char", "bool", "_Bool", "const", "volatile",
        "register", "static", "size_t", "u8", "u16", "u32", "u64", "atomic_t", "_Atomic",
    ];
    WORDS.contains(&word) || is_atomic_type(word) || (word.ends_with("_t") && word.contains("int"))
}

/// Types whose objects are atomic.
pub fn is_atomic_type(word: &str) -> bool {
    const KINDS: [&str; 12] = [
        "int", "uint", "long", "ulong", "llong", "ullong", "char", "uchar", "short", "ushort", "bool", "flag",
    ];
    match word.strip_prefix("atomic_") {
        Some(kind) => KINDS.contains(&kind) || kind == "t" || (kind.ends_with("_t") && kind.contains("int")),
        None => word == "_Atomic",
    }
}
