//! The parts of a test around its threads: header, initial state, condition.

use crate::asm::Arch;
use crate::cond::Quantifier;
use crate::lex::{Mode, Tok, clip};
use crate::source::Place;
use crate::syntax::{Parsed, Parser, is_atomic_type};
use crate::tree::{File, Init, Name, Param, Prop, Subject, Thread, ThreadRef};
use selvedge_graph::Value;

/// Arrays are a few shared cells, not data.
const MAX_ARRAY: usize = 4096;
/// The machine numbers the threads of its errors in eleven bits.
const MAX_THREADS: usize = 1000;

const POINTER_VALUES: &str = "addresses as values are not supported";

impl<'a> Parser<'a> {
    pub fn file(&mut self) -> Parsed<File<'a>> {
        let (_, name) = self.header()?;
        let init = self.init_block()?;
        let mut threads = Vec::new();
        while self.at_thread()? {
            let number = threads.len();
            let thread = self.thread(number)?;
            threads.push(thread);
            if threads.len() > MAX_THREADS {
                let place = self.last();
                return Err(self.source.error(place, format!("more than {MAX_THREADS} threads")));
            }
        }
        if threads.is_empty() {
            return Err(self.unexpected("a thread `P0 (…) { … }`"));
        }
        let mut file = File {
            name,
            init,
            threads,
            locations: Vec::new(),
            filter: None,
            quantifier: Quantifier::Forall,
            prop: Prop::Const(true),
        };
        self.after_threads(&mut file)?;
        Ok(file)
    }

    /// The architecture and the name (`C NAME`), then documentation that is not for us: strings, comments
    /// and `Key=text` lines.
    pub fn header(&mut self) -> Parsed<(&'a str, &'a str)> {
        let rest = self.lexer.rest()?;
        let len = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        let arch = &rest[..len];
        let place = self.lexer.advance(len);
        if arch != "C" && Arch::by_name(arch).is_none() {
            let known = ["ARM", "MIPS", "LISA", "Bell", "ASL", "BPF", "JAVA", "PTX", "CPP", "KVM"];
            let message = if known.contains(&arch) {
                format!("{arch} litmus tests are not supported")
            } else {
                String::from("a litmus test starts with its architecture, such as `C`, and its name")
            };
            let help = "the architectures are C, X86, X86_64, AArch64, PPC and RISCV";
            return Err(self.source.error(place, message).with_help(help));
        }
        let rest = &self.source.text[place.end()..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let name = line.split_whitespace().next().unwrap_or("");
        if name.is_empty() {
            return Err(self
                .source
                .error(place, "the test has no name")
                .with_help(format!("write `{arch} NAME`")));
        }
        let blank = line.len() - line.trim_start().len();
        self.lexer.advance(blank + name.len());
        // Some tests have their name once more there, in parentheses, and an empty text.
        let after = line[blank + name.len()..].trim_start();
        if after.starts_with('(') && !after.starts_with("(*") {
            self.lexer.advance(line.len() - blank - name.len());
        }
        loop {
            let rest = self.lexer.rest()?;
            if rest.starts_with('"') {
                self.next()?;
                continue;
            }
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let key = line.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            if key == 0 || line.as_bytes().get(key) != Some(&b'=') {
                return Ok((arch, name));
            }
            self.lexer.advance(line.len());
        }
    }

    fn init_block(&mut self) -> Parsed<Vec<Init<'a>>> {
        let open = match self.is("{")? {
            true => self.next()?.1,
            false => return Err(self.unexpected("the initial state `{ … }`")),
        };
        let mut entries = Vec::new();
        loop {
            match self.peek()? {
                Tok::Sym("}") => break,
                Tok::Sym(";") => {
                    self.next()?;
                    continue;
                }
                Tok::Eof => return Err(self.source.error(open, "this `{` has no matching `}`")),
                _ => entries.push(self.init_entry()?),
            }
            if !self.is("}")? {
                self.expect(";")?;
            }
        }
        self.next()?;
        self.eat(";")?;
        Ok(entries)
    }

    fn init_entry(&mut self) -> Parsed<Init<'a>> {
        if self.eat("[")? {
            let name = self.name("a location")?;
            self.expect("]")?;
            self.expect("=")?;
            return Ok(Init::Location { name, value: self.value()?, atomic: false });
        }
        let mut atomic = false;
        let mut name: Option<Name<'a>> = None;
        loop {
            match self.peek()? {
                Tok::Ident(text) => {
                    atomic |= is_atomic_type(name.as_ref().map_or("", |n| n.text));
                    name = Some(Name { text, place: self.next()?.1 });
                }
                Tok::Sym("*") => {
                    self.next()?;
                }
                _ => break,
            }
        }
        if let Tok::Int(_) = self.peek()? {
            let thread = self.thread_number()?;
            let name = self.name("a register")?;
            self.expect("=")?;
            return Ok(Init::Register { thread, name, value: self.value()? });
        }
        let Some(name) = name else { return Err(self.unexpected("a location or a register")) };
        if self.is("[")? {
            return self.array(name, atomic);
        }
        let value = if self.eat("=")? { self.value()? } else { 0 };
        Ok(Init::Location { name, value, atomic })
    }

    fn array(&mut self, name: Name<'a>, atomic: bool) -> Parsed<Init<'a>> {
        self.expect("[")?;
        let place = self.here()?;
        let len = self.value()?;
        let len = usize::try_from(len).ok().filter(|len| (1..=MAX_ARRAY).contains(len));
        let Some(len) = len else {
            return Err(self.source.error(place, format!("an array has 1 to {MAX_ARRAY} elements")));
        };
        self.expect("]")?;
        let mut values = Vec::new();
        if self.eat("=")? {
            self.expect("{")?;
            while !self.is("}")? {
                let place = self.here()?;
                values.push(self.value()?);
                if values.len() > len {
                    return Err(self.source.error(place, format!("the array has only {len} elements")));
                }
                if !self.is("}")? {
                    self.expect(",")?;
                }
            }
            self.next()?;
        }
        values.resize(len, 0);
        Ok(Init::Array { name, values, atomic })
    }

    /// A constant, possibly with a sign.
    pub fn value(&mut self) -> Parsed<Value> {
        let negative = self.eat("-")?;
        match self.peek()? {
            Tok::Int(value) => {
                self.next()?;
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            Tok::Ident("ATOMIC_INIT" | "ATOMIC_VAR_INIT") => {
                self.next()?;
                self.expect("(")?;
                let value = self.nested(Self::value)?;
                self.expect(")")?;
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            Tok::Ident(name) if self.pointers.as_ref().is_some_and(|p| p.contains_key(name)) => {
                self.next()?;
                Ok(self.pointers.as_ref().and_then(|p| p.get(name)).copied().unwrap_or(0))
            }
            Tok::Ident(_) | Tok::Sym("&") => {
                let place = self.here()?;
                Err(self.source.error(place, POINTER_VALUES).with_help("give an integer"))
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// `0:`.
    pub fn thread_number(&mut self) -> Parsed<ThreadRef> {
        let place = self.here()?;
        let number = self.value()?;
        self.expect(":")?;
        Ok(ThreadRef { number, place })
    }

    fn at_thread(&mut self) -> Parsed<bool> {
        Ok(match self.peek()? {
            Tok::Ident("spawned") => true,
            Tok::Ident(word) => {
                word.len() > 1 && word.starts_with('P') && word[1..].bytes().all(|b| b.is_ascii_digit())
            }
            _ => false,
        })
    }

    fn thread(&mut self, number: usize) -> Parsed<Thread<'a>> {
        let spawned = self.eat_word("spawned")?;
        let name = self.name("a thread")?;
        if name.text != format!("P{number}") {
            let message = format!("expected thread P{number}, found `{}`", clip(name.text));
            return Err(self
                .source
                .error(name.place, message)
                .with_help("threads are P0, P1, … in this order"));
        }
        self.set_mode(Mode::Body);
        self.expect("(")?;
        let mut params = Vec::new();
        if self.is_word("void")? && self.peek_at(1)? == Tok::Sym(")") {
            self.next()?;
        }
        while !self.is(")")? {
            params.push(self.param()?);
            if !self.is(")")? {
                self.expect(",")?;
            }
        }
        self.next()?;
        let body = self.block()?;
        self.set_mode(Mode::Condition);
        Ok(Thread { spawned, params, body })
    }

    fn param(&mut self) -> Parsed<Param<'a>> {
        let start = self.here()?;
        let (mut atomic, mut pointer) = (false, false);
        let mut name: Option<Name<'a>> = None;
        loop {
            match self.peek()? {
                Tok::Ident(text) => {
                    atomic |= is_atomic_type(text);
                    name = Some(Name { text, place: self.next()?.1 });
                }
                Tok::Sym("*") => {
                    self.next()?;
                    pointer = true;
                }
                Tok::Sym("(") if atomic => {
                    // `_Atomic(int)`.
                    self.next()?;
                    self.name("a type")?;
                    self.expect(")")?;
                }
                Tok::Sym("[") => {
                    self.next()?;
                    if !self.is("]")? {
                        self.value()?;
                    }
                    self.expect("]")?;
                    pointer = true;
                }
                _ => break,
            }
        }
        let Some(name) = name else { return Err(self.unexpected("a parameter")) };
        if !pointer {
            let place = start.to(name.place);
            let error = self.source.error(place, format!("parameter `{}` is not a pointer", clip(name.text)));
            return Err(error.with_help("each parameter points to the shared location of its name: `int* x`"));
        }
        Ok(Param { name, atomic })
    }

    /// `locations`, `filter` and the condition, up to the end of the file.
    pub fn after_threads(&mut self, file: &mut File<'a>) -> Parsed<()> {
        loop {
            match self.peek()? {
                Tok::Ident("locations") => {
                    self.next()?;
                    self.expect("[")?;
                    while !self.is("]")? {
                        let subject = self.subject()?;
                        file.locations.push(subject);
                        if !self.is("]")? {
                            self.expect(";")?;
                        }
                    }
                    self.next()?;
                }
                Tok::Ident("filter") => {
                    let place = self.next()?.1;
                    if file.filter.is_some() {
                        return Err(self.source.error(place, "a second filter"));
                    }
                    file.filter = Some(self.prop()?);
                }
                Tok::Ident("exists") => break self.quantified(file, Quantifier::Exists)?,
                Tok::Ident("forall") => break self.quantified(file, Quantifier::Forall)?,
                Tok::Sym("~") | Tok::Ident("not") => {
                    self.next()?;
                    if !self.is_word("exists")? {
                        return Err(self.unexpected("`exists`"));
                    }
                    break self.quantified(file, Quantifier::NotExists)?;
                }
                Tok::Eof => break,
                _ => return Err(self.unexpected("a thread, `exists`, `~exists` or `forall`")),
            }
        }
        self.eat(";")?;
        match self.peek()? {
            Tok::Eof => Ok(()),
            _ => Err(self.unexpected("the end of the test")),
        }
    }

    fn quantified(&mut self, file: &mut File<'a>, quantifier: Quantifier) -> Parsed<()> {
        self.next()?;
        file.quantifier = quantifier;
        file.prop = self.prop()?;
        Ok(())
    }

    /// `=>` binds weakest, then `\/`, then `/\`.
    fn prop(&mut self) -> Parsed<Prop<'a>> {
        self.nested(|p| {
            let left = p.disjunction()?;
            if !p.eat("=>")? {
                return Ok(left);
            }
            Ok(Prop::Or(vec![Prop::Not(Box::new(left)), p.prop()?]))
        })
    }

    fn disjunction(&mut self) -> Parsed<Prop<'a>> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("\\/")? || self.eat("||")? {
            parts.push(self.conjunction()?);
        }
        Ok(alone_or(parts, Prop::Or))
    }

    fn conjunction(&mut self) -> Parsed<Prop<'a>> {
        let mut parts = vec![self.negation()?];
        while self.eat("/\\")? || self.eat("&&")? {
            parts.push(self.negation()?);
        }
        Ok(alone_or(parts, Prop::And))
    }

    fn negation(&mut self) -> Parsed<Prop<'a>> {
        if self.eat("~")? || self.eat_word("not")? {
            let inner = self.nested(Self::negation)?;
            return Ok(Prop::Not(Box::new(inner)));
        }
        if self.eat_word("true")? {
            return Ok(Prop::Const(true));
        }
        if self.eat_word("false")? {
            return Ok(Prop::Const(false));
        }
        if self.eat("(")? {
            let inner = self.prop()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let subject = self.subject()?;
        let equal = if self.eat("=")? || self.eat("==")? {
            true
        } else if self.eat("!=")? || self.eat("<")? && self.eat(">")? {
            false
        } else {
            return Err(self.unexpected("`=` or `!=`"));
        };
        Ok(Prop::Atom { subject, equal, value: self.value()? })
    }

    /// `P0:`, which is `0:`.
    fn thread_name(&mut self) -> Parsed<Option<ThreadRef>> {
        let Tok::Ident(word) = self.peek()? else { return Ok(None) };
        let number = word.strip_prefix('P').filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = number.and_then(|n| n.parse().ok()) else { return Ok(None) };
        if self.peek_at(1)? != Tok::Sym(":") {
            return Ok(None);
        }
        let place = self.next()?.1;
        self.next()?;
        Ok(Some(ThreadRef { number, place }))
    }

    /// `0:r0`, `P0:r0`, `x`, `[x]`, `*x`, `a[1]`.
    fn subject(&mut self) -> Parsed<Subject<'a>> {
        let start = self.here()?;
        let thread = match self.peek()? {
            Tok::Int(_) => Some(self.thread_number()?),
            _ => self.thread_name()?,
        };
        if let Some(thread) = thread {
            let name = self.name("a register")?;
            let place = start.to(name.place);
            return Ok(Subject { thread: Some(thread), name, index: None, place });
        }
        let bracket = self.eat("[")?;
        if !bracket {
            self.eat("*")?;
        }
        let name = self.name("a register `0:r0` or a location")?;
        let index = if self.eat("[")? {
            let index = self.value()?;
            self.expect("]")?;
            Some(index)
        } else {
            None
        };
        if bracket {
            self.expect("]")?;
        }
        let place: Place = start.to(self.last());
        Ok(Subject { thread: None, name, index, place })
    }
}

fn alone_or<'a>(mut parts: Vec<Prop<'a>>, many: fn(Vec<Prop<'a>>) -> Prop<'a>) -> Prop<'a> {
    match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    }
}
