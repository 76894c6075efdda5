//! From text to a module: everything but instructions.

use super::lex::{Lexer, Name, Token};
use crate::bytecode::{
    Contents, FuncId, Function, Global, GlobalId, Loop, Module, Note, Operand, Place, Reg, TypeInfo,
};
use std::collections::HashMap;

/// Where and why a text is not a module.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// From 1 on.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
}

/// Parses the text form of a module.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut tokens = Vec::new();
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next()? {
        tokens.push((token, lexer.line));
    }
    let (globals, functions) = declared(&tokens);
    let mut parser = Parser { tokens, at: 0, globals, functions };
    let mut module = Module::default();
    while parser.peek().is_some() {
        parser.item(&mut module)?;
    }
    Ok(module)
}

/// Names of globals or functions, with their numbers; `None` for a name with several.
type Names = HashMap<String, Option<u32>>;

/// What is declared where, before anything refers to it.
fn declared(tokens: &[(Token, u32)]) -> (Names, Names) {
    let (mut globals, mut functions) = (Names::new(), Names::new());
    let (mut count_g, mut count_f) = (0, 0);
    for pair in tokens.windows(2) {
        let (names, count, name) = match (&pair[0].0, &pair[1].0) {
            (Token::Word(w), Token::Global(Name::Text(name))) if w == "global" => {
                (&mut globals, &mut count_g, name)
            }
            (Token::Word(w), Token::Func(Name::Text(name))) if w == "func" => {
                (&mut functions, &mut count_f, name)
            }
            _ => continue,
        };
        names.entry(name.clone()).and_modify(|number| *number = None).or_insert(Some(*count));
        *count += 1;
    }
    (globals, functions)
}

pub struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
    globals: Names,
    functions: Names,
}

impl Parser {
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        let line = self.tokens.get(at).map_or(1, |(_, line)| *line);
        Err(ParseError { line, message: message.into() })
    }

    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    pub fn peek_second(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|(token, _)| token)
    }

    pub fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    pub fn position(&self) -> usize {
        self.at
    }

    pub fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    pub fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.at += found as usize;
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        self.at += found as usize;
        found
    }

    pub fn expect(&mut self, symbol: char) -> Result<(), ParseError> {
        if self.eat(symbol) { Ok(()) } else { self.error(format!("`{symbol}` is expected here")) }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { self.error(format!("`{word}` is expected here")) }
    }

    pub fn word(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => self.error("a word is expected here"),
        }
    }

    pub fn text(&mut self) -> Result<String, ParseError> {
        match self.next() {
            Some(Token::Text(text)) => Ok(text),
            _ => {
                self.at -= 1;
                self.error("a string is expected here")
            }
        }
    }

    pub fn number(&mut self) -> Result<u64, ParseError> {
        match self.next() {
            Some(Token::Number(n)) => Ok(n),
            Some(Token::Negative(n)) => Ok(n as u64),
            _ => {
                self.at -= 1;
                self.error("a number is expected here")
            }
        }
    }

    pub fn small(&mut self) -> Result<u32, ParseError> {
        let number = self.number()?;
        u32::try_from(number).or_else(|_| self.error(format!("{number} is too large here")))
    }

    pub fn place(&mut self) -> Place {
        match self.peek() {
            Some(&Token::Place(file, line, col, note)) => {
                self.at += 1;
                Place { file, line, col, note }
            }
            _ => Place::default(),
        }
    }

    /// The number in a word such as `r12`.
    pub fn as_reg(word: &str) -> Option<Reg> {
        word.strip_prefix('r')?.parse().ok()
    }

    pub fn reg(&mut self) -> Result<Reg, ParseError> {
        let word = self.word()?;
        match Parser::as_reg(&word) {
            Some(reg) => Ok(reg),
            None => self.error(format!("a register is expected instead of `{word}`")),
        }
    }

    fn resolve(&self, names: &Names, name: Name) -> Result<u32, ParseError> {
        match name {
            Name::Number(n) => Ok(n),
            Name::Text(text) => match names.get(&text) {
                Some(Some(number)) => Ok(*number),
                Some(None) => self.error(format!("`{text}` is defined more than once")),
                None => self.error(format!("`{text}` is not defined")),
            },
        }
    }

    pub fn operand(&mut self) -> Result<Operand, ParseError> {
        match self.next() {
            Some(Token::Number(n)) => Ok(Operand::Const(n)),
            Some(Token::Negative(n)) => Ok(Operand::Const(n as u64)),
            Some(Token::Global(name)) => {
                let global = GlobalId(self.resolve(&self.globals, name)?);
                let offset = if self.eat('+') { self.number()? as i64 } else { 0 };
                Ok(Operand::Global(global, offset))
            }
            Some(Token::Func(name)) => Ok(Operand::Func(FuncId(self.resolve(&self.functions, name)?))),
            Some(Token::Word(word)) if word == "undef" => Ok(Operand::Undef),
            Some(Token::Word(word)) if Parser::as_reg(&word).is_some() => {
                Ok(Operand::Reg(Parser::as_reg(&word).unwrap_or_default()))
            }
            _ => {
                self.at -= 1;
                self.error("an operand is expected here")
            }
        }
    }

    /// A list in parentheses, with commas.
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Parser) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        self.expect('(')?;
        while !self.eat(')') {
            if !items.is_empty() {
                self.expect(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn item(&mut self, module: &mut Module) -> Result<(), ParseError> {
        match self.word()?.as_str() {
            "file" => module.files.push(self.text()?),
            "shortpointers" => module.short_pointers = true,
            "type" => {
                let ty = self.ty()?;
                module.types.push(ty);
            }
            "note" => {
                let note = self.note()?;
                module.notes.push(note);
            }
            "signature" => module.signatures.push(self.text()?),
            "global" => {
                let global = self.global()?;
                module.globals.push(global);
            }
            "constructor" => match self.operand()? {
                Operand::Func(f) => module.constructors.push(f),
                _ => return self.error("a constructor is a function"),
            },
            "func" => {
                let function = self.function()?;
                module.functions.push(function);
            }
            other => {
                self.at -= 1;
                return self.error(format!("`{other}` does not start an item"));
            }
        }
        Ok(())
    }

    /// `note float of 3+8 inlined ("push" !0:12:3)`.
    fn note(&mut self) -> Result<Note, ParseError> {
        let kind = match self.word()?.as_str() {
            "number" => Contents::Number,
            "float" => Contents::Float,
            "pointer" => Contents::Pointer,
            other => return self.error(format!("`{other}` is no kind of contents")),
        };
        let mut note = Note { kind, ..Note::default() };
        if self.eat_word("of") {
            let ty = self.small()?;
            note.of = Some((ty, if self.eat('+') { Some(self.number()?) } else { None }));
        }
        if self.eat_word("inlined") {
            note.inlined = self.list(|p| Ok((p.text()?, p.place())))?;
        }
        Ok(note)
    }

    fn ty(&mut self) -> Result<TypeInfo, ParseError> {
        match self.word()?.as_str() {
            "scalar" => Ok(TypeInfo::Scalar { name: self.text()?, size: self.number()? }),
            "struct" => Ok(TypeInfo::Struct {
                name: self.text()?,
                size: self.number()?,
                fields: self.list(|p| Ok((p.text()?, p.number()?, p.small()?)))?,
            }),
            "array" => Ok(TypeInfo::Array {
                element: self.small()?,
                count: self.number()?,
                element_size: self.number()?,
            }),
            "pointer" if self.eat_word("_") => Ok(TypeInfo::Pointer { to: None }),
            "pointer" => Ok(TypeInfo::Pointer { to: Some(self.small()?) }),
            other => self.error(format!("`{other}` is no kind of type")),
        }
    }

    fn global(&mut self) -> Result<Global, ParseError> {
        let Some(Token::Global(Name::Text(name))) = self.next() else {
            self.at -= 1;
            return self.error("a global is written `@name`");
        };
        self.expect_word("size")?;
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.small()?;
        let thread_local = self.eat_word("threadlocal");
        let constant = self.eat_word("constant");
        let ty = if self.eat_word("type") { Some(self.small()?) } else { None };
        let place = self.place();
        let bytes = if !self.eat('=') {
            Vec::new()
        } else if self.eat_word("zero") {
            vec![0; self.small()? as usize]
        } else if let Some(Token::Bytes(bytes)) = self.next() {
            bytes
        } else {
            self.at -= 1;
            return self.error("the contents are written `zero 8` or x\"00ff\"");
        };
        let mut addresses = Vec::new();
        while self.eat_word("at") {
            addresses.push((self.number()?, self.operand()?));
        }
        let mut undefined = Vec::new();
        while self.eat_word("unset") {
            undefined.push((self.number()?, self.number()?));
        }
        Ok(Global { name, size, align, bytes, addresses, undefined, thread_local, constant, ty, place })
    }

    fn function(&mut self) -> Result<Function, ParseError> {
        let Some(Token::Func(Name::Text(name))) = self.next() else {
            self.at -= 1;
            return self.error("a function is written `&name`");
        };
        let params = self.list(Parser::reg)?;
        self.expect_word("results")?;
        let results = self.small()?;
        self.expect_word("regs")?;
        let regs = self.small()?;
        let varargs = self.eat_word("varargs");
        let signature = if self.eat_word("signature") { Some(self.small()?) } else { None };
        let place = self.place();
        let mut function = Function {
            name,
            params,
            results,
            varargs,
            signature,
            regs,
            code: Vec::new(),
            places: Vec::new(),
            loops: Vec::new(),
            place,
            locals: Vec::new(),
        };
        if self.eat('{') {
            self.body(&mut function)?;
        }
        Ok(function)
    }

    fn body(&mut self, function: &mut Function) -> Result<(), ParseError> {
        let labels = self.labels()?;
        while self.eat_word("loop") {
            let header = self.target(&labels)?;
            function.loops.push(Loop { header, place: self.place() });
        }
        while self.eat_word("local") {
            let (reg, name) = (self.reg()?, self.text()?);
            let ty = match self.peek() {
                Some(Token::Number(_)) => Some(self.small()?),
                _ => None,
            };
            function.locals.push((reg, name, ty));
        }
        while !self.eat('}') {
            if self.peek_second() == Some(&Token::Symbol(':')) {
                self.at += 2;
                continue;
            }
            let instr = self.instr(&labels)?;
            function.code.push(instr);
            let place = self.place();
            function.places.push(place);
        }
        Ok(())
    }
}
