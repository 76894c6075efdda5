//! The parts of a test: header, initial state, the table of code, condition.

use super::Arch;
use super::operand::{Line, Piece, is_name};
use super::thread::{AsmLocations, Builder, Finished};
use super::width::{self, Reason, Width};
use crate::cond::{Cond, Observable, Quantifier};
use crate::lex::{Mode, Tok, clip};
use crate::source::{Place, Source};
use crate::syntax::{Parsed, Parser};
use crate::test::{Options, Test, expectations};
use crate::tree::{File, Prop, Subject, ThreadRef};
use selvedge_graph::{Loc, Tid, Value};
use selvedge_machine::Program;
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Instr, Thread, pointed_to, pointer_to};
use std::collections::BTreeMap;

const MAX_THREADS: usize = 1000;
/// Which element an address is of is found out by comparing it with all of them.
const MAX_ELEMENTS: usize = 8;

/// A register's initial value.
struct InitialRegister<'a> {
    thread: ThreadRef,
    name: Piece<'a>,
    value: Value,
    /// By its type, if it has one.
    width: Option<Width>,
}

pub fn parse<'a>(source: &'a Source<'a>, arch: Arch, options: &Options) -> Parsed<Test> {
    let mut parser = Parser::new(source);
    let (_, name) = parser.header()?;
    let mut locations = AsmLocations::default();
    let registers = init(&mut parser, arch, &mut locations)?;
    let start = parser.last().end();
    let (columns, end) = table(source, start)?;
    let mut threads = Vec::new();
    let mut places = Vec::new();
    for cells in &columns {
        let mut b = Builder::new(source, arch, &mut locations, options.unroll);
        for register in registers.iter().filter(|r| r.thread.number == threads.len() as Value) {
            let Some(canonical) = arch.register(register.name.text) else {
                return Err(b.not_a_register(register.name));
            };
            let reg = b.reg(&canonical)?;
            b.emit(Instr::Assign { dst: reg, expr: Expr::Const(register.value) });
        }
        for cell in cells {
            compile(&mut b, arch, *cell)?;
        }
        let Finished { regs, code, accesses, places: of_thread } = b.finish()?;
        places.push(of_thread);
        threads.push((Thread { name: format!("P{}", threads.len()), initial: true, regs, code }, accesses));
    }
    if let Some(r) = registers.iter().find(|r| !(0..threads.len() as Value).contains(&r.thread.number)) {
        return Err(source.error(r.thread.place, format!("there is no thread {}", r.thread.number)));
    }

    width::check(source, &mut locations, &threads)?;
    let mut threads: Vec<Thread> = threads.into_iter().map(|(thread, _)| thread).collect();

    // The condition, in which locations stand for their addresses.
    let mut parser = Parser::new(source);
    parser.lexer.advance(end);
    parser.set_mode(Mode::Condition);
    let cells = locations.cells.iter().map(|(name, _)| name.clone());
    parser.pointers = Some(cells.zip(0..).map(|(n, at)| (n, pointer_to(Loc(at)))).collect());
    let mut file = File {
        name,
        init: Vec::new(),
        threads: Vec::new(),
        locations: Vec::new(),
        filter: None,
        quantifier: Quantifier::Forall,
        prop: Prop::Const(true),
    };
    parser.after_threads(&mut file)?;
    let mut resolver = AsmResolver {
        source,
        arch,
        locations: &mut locations,
        threads: &mut threads,
        registers: &registers,
        shown: BTreeMap::new(),
    };
    let condition = resolver.prop(&file.prop)?;
    let filter = file.filter.as_ref().map(|f| resolver.prop(f)).transpose()?;
    let mut observed = Vec::new();
    for subject in &file.locations {
        observed.push(resolver.subject(subject)?);
    }
    condition.observables(&mut |o| observed.push(o.clone()));
    observed.sort();
    observed.dedup();

    let mut program = Program::new(name);
    program.locs = locations.cells;
    program.threads = threads;
    program.sc_depends = arch == Arch::Riscv;
    Ok(Test {
        name: name.to_string(),
        arch: arch.name().to_string(),
        kernel: false,
        quantifier: file.quantifier,
        condition_text: format!("{} ({})", file.quantifier.symbol(), with_names(&condition, &program)),
        program,
        condition,
        filter,
        observed,
        notes: Vec::new(),
        expectations: expectations(source)?,
        places,
    })
}

/// The condition's text, with addresses by name.
fn with_names(condition: &Cond, program: &Program) -> String {
    let mut text = condition.to_string();
    for (at, (name, _)) in program.locs.iter().enumerate() {
        text = text.replace(&format!("={}", pointer_to(Loc(at as u32))), &format!("={name}"));
    }
    text
}

/// `{ x=1; 0:X1=x; uint64_t y; }`.
fn init<'a>(
    parser: &mut Parser<'a>,
    arch: Arch,
    locations: &mut AsmLocations,
) -> Parsed<Vec<InitialRegister<'a>>> {
    let source = parser.source;
    let open = parser.expect("{")?;
    let mut registers = Vec::new();
    loop {
        // What stands before a thread's number or a location is its type.
        let mut words: Vec<Piece<'a>> = Vec::new();
        let mut pointer = false;
        loop {
            match parser.peek()? {
                Tok::Ident(text) => words.push(Piece { text, place: parser.next()?.1 }),
                Tok::Sym("*") => {
                    parser.next()?;
                    pointer = true;
                }
                _ => break,
            }
        }
        let name = words.last().copied();
        let addresses = if matches!(arch, Arch::X86 | Arch::Ppc) { None } else { Some(Width::DOUBLE) };
        let of_type = |words: &[Piece<'_>]| if pointer { addresses } else { Width::of_type(words) };
        match parser.peek()? {
            Tok::Eof => return Err(source.error(open, "this `{` has no matching `}`")),
            Tok::Sym("}") if name.is_none() => break,
            Tok::Sym(";") if name.is_none() => {
                parser.next()?;
                continue;
            }
            Tok::Int(_) => {
                let thread = parser.thread_number()?;
                parser.eat("%")?;
                let name = parser.name("a register")?;
                let name = Piece { text: name.text, place: name.place };
                let value = if parser.eat("=")? { value(parser, locations)? } else { 0 };
                registers.push(InitialRegister { thread, name, value, width: of_type(&words) });
            }
            Tok::Sym("[") if name.is_none() => {
                parser.next()?;
                let name = parser.name("a location")?;
                parser.expect("]")?;
                parser.expect("=")?;
                let value = value(parser, locations)?;
                set(source, locations, Piece { text: name.text, place: name.place }, value, addresses)?;
            }
            Tok::Sym("[") => {
                let Some(name) = name else { return Err(parser.unexpected("a location or a register")) };
                let width = of_type(&words[..words.len() - 1]).unwrap_or(Width::WORD);
                array(parser, locations, name, width)?;
            }
            _ => {
                let Some(name) = name else { return Err(parser.unexpected("a location or a register")) };
                let value = if parser.eat("=")? { value(parser, locations)? } else { 0 };
                let loc = set(source, locations, name, value, addresses)?;
                if let Some(width) = of_type(&words[..words.len() - 1]) {
                    locations.sizes[loc.index()] = Some((width, Reason::Declared));
                }
            }
        }
        if !parser.is("}")? {
            parser.expect(";")?;
        }
    }
    parser.next()?;
    parser.eat(";")?;
    Ok(registers)
}

/// `[2]={1,2}` after the name of an array, whose elements are locations of their own.
fn array<'a>(
    parser: &mut Parser<'a>,
    locations: &mut AsmLocations,
    name: Piece<'a>,
    width: Width,
) -> Parsed<()> {
    let source = parser.source;
    parser.expect("[")?;
    let place = parser.here()?;
    let len = usize::try_from(parser.value()?).ok().filter(|len| (1..=MAX_ELEMENTS).contains(len));
    let Some(len) = len else {
        return Err(source.error(place, format!("an array has 1 to {MAX_ELEMENTS} elements here")));
    };
    parser.expect("]")?;
    let elements = locations.array(source, name, len, width)?;
    if parser.eat("=")? {
        parser.expect("{")?;
        let mut rest = elements.iter();
        while !parser.is("}")? {
            let place = parser.here()?;
            let Some(loc) = rest.next() else {
                return Err(source.error(place, format!("the array has only {len} elements")));
            };
            locations.cells[loc.index()].1 = value(parser, locations)?;
            if !parser.is("}")? {
                parser.expect(",")?;
            }
        }
        parser.next()?;
    }
    Ok(())
}

/// `addresses`: the size of a location that holds one.
fn set(
    source: &Source<'_>,
    locations: &mut AsmLocations,
    name: Piece<'_>,
    value: Value,
    addresses: Option<Width>,
) -> Parsed<Loc> {
    let loc = locations.intern(source, name.text, name.place)?;
    locations.cells[loc.index()].1 = value;
    if let (Some(_), Some(width)) = (pointed_to(value), addresses) {
        locations.sizes[loc.index()] = Some((width, Reason::Address));
    }
    Ok(loc)
}

/// A number, or the address of a location.
fn value(parser: &mut Parser<'_>, locations: &mut AsmLocations) -> Parsed<Value> {
    let address = parser.eat("&")?;
    match parser.peek()? {
        Tok::Ident(name) => {
            let place = parser.next()?.1;
            let array = locations.array_of(name).map(|array| array.elements.clone());
            let Some(elements) = array else {
                return Ok(pointer_to(locations.intern(parser.source, name, place)?));
            };
            let mut index = Some(0);
            if parser.eat("[")? {
                index = usize::try_from(parser.value()?).ok();
                parser.expect("]")?;
            }
            let element = index.and_then(|index| elements.get(index));
            let error =
                || parser.source.error(place, format!("`{}` has {} elements", clip(name), elements.len()));
            element.map(|loc| pointer_to(*loc)).ok_or_else(error)
        }
        _ if address => Err(parser.unexpected("a location")),
        _ => parser.value(),
    }
}

/// The cells of each thread's column, from top to bottom.
type Columns<'a> = Vec<Vec<Piece<'a>>>;

/// The table that starts at `start`: the cells of each thread's column, and where the table ends.
fn table<'a>(source: &'a Source<'a>, start: usize) -> Parsed<(Columns<'a>, usize)> {
    let text = source.text;
    let mut at = start;
    let mut columns: Option<Columns<'a>> = None;
    loop {
        at = skip_blank(text, at);
        if ends_table(&text[at..]) {
            break;
        }
        let Some((cells, end)) = row(text, at) else {
            let place = Place::new(at, at + text[at..].find('\n').unwrap_or(text.len() - at));
            return Err(source.error(place, "this row has no `;` at its end"));
        };
        let cells: Vec<Piece<'a>> = cells.into_iter().map(|cell| Piece::new(source, bare(cell))).collect();
        match &mut columns {
            None => columns = Some(head(source, &cells)?),
            Some(columns) if cells.len() > columns.len() => {
                let place = cells[columns.len()].place;
                return Err(source.error(place, format!("there are only {} threads", columns.len())));
            }
            Some(columns) => columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell)),
        }
        at = end + 1;
    }
    match columns {
        Some(columns) => Ok((columns, at)),
        None => {
            let error = source.error(Place::new(start, start + 1), "the test has no code");
            Err(error.with_help("the table of code starts with ` P0 | P1 ;`"))
        }
    }
}

/// The cells of the row that starts at `at`, and where it ends. Comments may have any characters in them.
fn row(text: &str, at: usize) -> Option<(Vec<&str>, usize)> {
    let (mut cells, mut start, mut here) = (Vec::new(), at, at);
    loop {
        let rest = &text[here..];
        let stop = rest.find(['|', ';', '('])?;
        here += stop;
        match rest.as_bytes()[stop] {
            b'(' if rest[stop..].starts_with("(*") => here += comment(&rest[stop..])?,
            b'(' => here += 1,
            end => {
                cells.push(&text[start..here]);
                if end == b';' {
                    return Some((cells, here));
                }
                here += 1;
                start = here;
            }
        }
    }
}

/// How long the comment is that the text starts with.
fn comment(text: &str) -> Option<usize> {
    text.strip_prefix("(*")?.find("*)").map(|len| len + 4)
}

/// A cell without blanks and comments around its instruction.
fn bare(cell: &str) -> &str {
    let mut cell = cell.trim();
    while let Some(len) = comment(cell) {
        cell = cell[len..].trim_start();
    }
    while let Some(start) = cell.strip_suffix("*)").and_then(|_| cell.rfind("(*")) {
        cell = cell[..start].trim_end();
    }
    cell
}

/// The first row: the names of the threads.
fn head<'a>(source: &Source<'a>, cells: &[Piece<'a>]) -> Parsed<Columns<'a>> {
    for (number, cell) in cells.iter().enumerate() {
        if cell.text != format!("P{number}") {
            let message = format!("expected thread P{number}, found `{}`", clip(cell.text));
            return Err(source.error(cell.place, message).with_help("threads are P0, P1, … in this order"));
        }
    }
    if cells.len() > MAX_THREADS {
        return Err(source.error(cells[MAX_THREADS].place, format!("more than {MAX_THREADS} threads")));
    }
    Ok(vec![Vec::new(); cells.len()])
}

/// After blanks and comments.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        match comment(&text[at..]) {
            Some(len) => at += len,
            None => return at,
        }
    }
}

/// Whether the condition, or what may stand before it, starts here.
fn ends_table(rest: &str) -> bool {
    let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    rest.is_empty()
        || rest.starts_with('~')
        || matches!(&rest[..len], "exists" | "forall" | "locations" | "filter" | "not" | "observed")
}

/// A cell: labels, and then an instruction.
fn compile(b: &mut Builder<'_>, arch: Arch, cell: Piece<'_>) -> Parsed<()> {
    let mut text = cell.text;
    while let Some((label, rest)) = text.split_once(':') {
        let label = label.trim();
        if !is_name(label) {
            break;
        }
        b.label(Piece::new(b.source, b.source.slice(place_of(b.source, label))))?;
        text = rest.trim();
    }
    if text.is_empty() {
        return Ok(());
    }
    let place = place_of(b.source, text);
    b.place = place;
    let line = Line::new(b.source, b.source.slice(place));
    arch.instruction(b, &line)
}

fn place_of(source: &Source<'_>, text: &str) -> Place {
    let start = (text.as_ptr() as usize).saturating_sub(source.text.as_ptr() as usize);
    Place::new(start, start + text.len())
}

struct AsmResolver<'a> {
    source: &'a Source<'a>,
    arch: Arch,
    locations: &'a mut AsmLocations,
    threads: &'a mut Vec<Thread>,
    registers: &'a [InitialRegister<'a>],
    /// By thread and register: the hidden one that has its value as conditions see it.
    shown: BTreeMap<(usize, Reg), Reg>,
}

impl AsmResolver<'_> {
    fn prop(&mut self, prop: &Prop<'_>) -> Parsed<Cond> {
        Ok(match prop {
            Prop::Const(value) => Cond::Const(*value),
            Prop::Atom { subject, equal, value } => {
                let (subject, width) = self.sized_subject(subject)?;
                let value = match width {
                    Some(Width::DOUBLE) => *value,
                    Some(width) if matches!(subject, Observable::Location { .. }) => {
                        width::held(*value, width)
                    }
                    _ => width::as_word(*value),
                };
                Cond::Atom { subject, equal: *equal, value }
            }
            Prop::Not(inner) => Cond::Not(Box::new(self.prop(inner)?)),
            Prop::And(parts) => Cond::And(parts.iter().map(|p| self.prop(p)).collect::<Parsed<_>>()?),
            Prop::Or(parts) => Cond::Or(parts.iter().map(|p| self.prop(p)).collect::<Parsed<_>>()?),
        })
    }

    fn subject(&mut self, subject: &Subject<'_>) -> Parsed<Observable> {
        Ok(self.sized_subject(subject)?.0)
    }

    /// A register or a location, and its size, if that is known. What has 32 bits is a signed number, as herd
    /// prints it; so is what has no type and fits into them.
    fn sized_subject(&mut self, subject: &Subject<'_>) -> Parsed<(Observable, Option<Width>)> {
        let name = subject.name.text;
        let error = |message: String| self.source.error(subject.place, message);
        let Some(thread) = subject.thread else {
            if let Some(array) = self.locations.array_of(name) {
                let Some(index) = subject.index else {
                    let error = error(format!("`{}` is an array", clip(name)));
                    return Err(error.with_help(format!("name one of its elements: `{}[0]`", clip(name))));
                };
                let loc = usize::try_from(index).ok().and_then(|at| array.elements.get(at));
                let Some(loc) = loc else {
                    return Err(error(format!("`{}` has {} elements", clip(name), array.elements.len())));
                };
                return Ok((
                    Observable::Location { name: format!("{name}[{index}]"), loc: *loc },
                    Some(array.width),
                ));
            }
            if subject.index.is_some() {
                return Err(error(format!("`{}` is not an array", clip(name))));
            }
            let Some(loc) = self.locations.find(name) else {
                let error = error(format!("no location is called `{}`", clip(name)));
                return Err(error.with_help("a register is written with its thread: `0:X0`"));
            };
            let width = self.locations.sizes[loc.index()].map(|(width, _)| width);
            return Ok((Observable::Location { name: name.to_string(), loc }, width));
        };
        let at = usize::try_from(thread.number).ok().filter(|at| *at < self.threads.len());
        let Some(at) = at else { return Err(error(format!("there is no thread {}", thread.number))) };
        let Some(canonical) = self.arch.register(name) else {
            return Err(error(format!("`{}` is not a register of {}", clip(name), self.arch.name())));
        };
        // A register that the code does not mention keeps its initial value.
        let regs = &mut self.threads[at].regs;
        let found = regs.iter().position(|r| *r == canonical).unwrap_or_else(|| {
            regs.push(canonical.clone());
            regs.len() - 1
        });
        let reg = Reg(found as u16);
        let declared = |r: &&InitialRegister<'_>| {
            r.thread.number == thread.number && self.arch.register(r.name.text).as_deref() == Some(&canonical)
        };
        let width = self.registers.iter().filter(declared).find_map(|r| r.width);
        let reg = if width == Some(Width::DOUBLE) { reg } else { self.shown(at, reg) };
        Ok((Observable::Register { thread: Tid(at as u16), name: canonical, reg }, width))
    }

    /// At the end of a thread: a copy of a register with its value as a number of 32 bits, if it is one.
    fn shown(&mut self, at: usize, reg: Reg) -> Reg {
        let thread = &mut self.threads[at];
        *self.shown.entry((at, reg)).or_insert_with(|| {
            let dst = Reg(thread.regs.len() as u16);
            thread.regs.push(format!("${}", thread.regs.len()));
            thread.code.push(Instr::Assign { dst, expr: width::shown_as_word(reg) });
            dst
        })
    }
}
