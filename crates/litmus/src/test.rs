//! A whole test: parsing, and names brought together.

use crate::asm::Arch;
use crate::cond::{Cond, Observable, Quantifier};
use crate::histogram::Observation;
use crate::lex::clip;
use crate::lower::{self, Locations};
use crate::source::{Place, Source};
use crate::syntax::{Parsed, Parser};
use crate::tree::{File, Init, Prop, Subject};
use selvedge_diagnostic::Diagnostic;
use selvedge_graph::{Loc, Tid};
use selvedge_machine::Program;
use selvedge_machine::expr::Reg;
use selvedge_machine::program::Thread;

/// How a test is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Iterations of each loop (each time it is entered) and of each backward `goto` before the
    /// execution is cut.
    pub unroll: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { unroll: 8 }
    }
}

/// What a comment `(* expect MODEL: Always|Sometimes|Never *)` in the test claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub model: String,
    pub observation: Observation,
    pub line: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub name: String,
    /// `C`, or an instruction set.
    pub arch: String,
    /// A test in C that calls functions of the Linux kernel.
    pub kernel: bool,
    pub program: Program,
    pub quantifier: Quantifier,
    /// The condition without its quantifier.
    pub condition: Cond,
    /// The condition with its quantifier, in herd's notation.
    pub condition_text: String,
    /// Executions that end otherwise do not count.
    pub filter: Option<Cond>,
    /// What a state shows: everything in the condition and in `locations […]`, registers by thread,
    /// then locations.
    pub observed: Vec<Observable>,
    /// What a reader of the result should know about how the test was understood.
    pub notes: Vec<String>,
    /// In the order of the file.
    pub expectations: Vec<Expectation>,
    /// By thread and instruction: the call, or the instruction of assembly, that it is compiled from; of no
    /// length where there is none. Code that was added at the end has no entry.
    pub places: Vec<Vec<Place>>,
}

impl Test {
    /// The built-in model of the test's architecture.
    pub fn default_model(&self) -> &'static str {
        match self.arch.as_str() {
            "X86" | "X86_64" => "x86",
            "AArch64" => "armv8",
            "PPC" => "power",
            "RISCV" => "riscv",
            _ if self.kernel => "lkmm",
            _ => "rc11",
        }
    }

    /// Whether the result depends on the final value of some location, and not on registers alone.
    pub fn observes_memory(&self) -> bool {
        let mut found = false;
        let mut see = |o: &Observable| found |= matches!(o, Observable::Location { .. });
        self.observed.iter().for_each(&mut see);
        if let Some(filter) = &self.filter {
            filter.observables(&mut see);
        }
        found
    }
}

/// Parses a test and compiles it. `file_name` is for messages only.
pub fn parse(file_name: &str, text: &str, options: &Options) -> Result<Test, Diagnostic> {
    if text.len() >= u32::MAX as usize / 2 {
        return Err(Diagnostic::plain(format!("{file_name} is larger than two gigabytes")));
    }
    let source = Source::new(file_name, text);
    let (arch, _) = Parser::new(&source).header()?;
    if let Some(arch) = Arch::by_name(arch) {
        return crate::asm::parse(&source, arch, options);
    }
    let file = Parser::new(&source).file()?;
    let mut notes = Vec::new();
    let (locations, program, places) = program(&source, &file, options, &mut notes)?;

    let resolver = Resolver { source: &source, locations: &locations, program: &program };
    let condition = resolver.prop(&file.prop)?;
    let filter = file.filter.as_ref().map(|f| resolver.prop(f)).transpose()?;
    let mut observed = Vec::new();
    for subject in &file.locations {
        resolver.listed(subject, &mut observed)?;
    }
    condition.observables(&mut |o| observed.push(o.clone()));
    observed.sort();
    observed.dedup();

    let condition_text = format!("{} ({condition})", file.quantifier.symbol());
    let expectations = expectations(&source)?;
    Ok(Test {
        name: file.name.to_string(),
        arch: String::from("C"),
        kernel: notes.iter().any(|note| note == lower::LKMM_NOTE),
        program,
        quantifier: file.quantifier,
        condition,
        condition_text,
        filter,
        observed,
        notes,
        expectations,
        places,
    })
}

fn program(
    source: &Source<'_>,
    file: &File<'_>,
    options: &Options,
    notes: &mut Vec<String>,
) -> Parsed<(Locations, Program, Vec<Vec<Place>>)> {
    let locations = Locations::of(source, file)?;
    let mut program = Program::new(file.name);
    program.locs = locations.cells.clone();
    let mut spawns = Vec::new();
    let mut places = Vec::new();
    for (number, thread) in file.threads.iter().enumerate() {
        let compiled = lower::thread(source, file, &locations, number, options, notes)?;
        spawns.extend(compiled.spawns);
        places.push(compiled.places);
        program.threads.push(Thread {
            name: format!("P{number}"),
            initial: !thread.spawned,
            regs: compiled.regs,
            code: compiled.code,
        });
    }
    // Each spawned thread runs once: one statement here, outside of loops in `lower`.
    spawns.sort_by_key(|(tid, _)| *tid);
    for pair in spawns.windows(2) {
        if pair[0].0 == pair[1].0 {
            let message = format!("P{} is spawned a second time", pair[1].0.0);
            return Err(source.error(pair[1].1, message));
        }
    }
    for init in &file.init {
        if let Init::Register { thread, name, .. } = init {
            register(&program, thread.number, name.text).ok_or_else(|| {
                unknown_register(source, thread.number, name.text, thread.place.to(name.place))
            })?;
        }
    }
    Ok((locations, program, places))
}

fn register(program: &Program, thread: i64, name: &str) -> Option<(Tid, Reg)> {
    let index = usize::try_from(thread).ok()?;
    let reg = program.threads.get(index)?.regs.iter().position(|r| r == name)?;
    Some((Tid(index as u16), Reg(reg as u16)))
}

fn unknown_register(source: &Source<'_>, thread: i64, name: &str, place: Place) -> Diagnostic {
    source.error(place, format!("thread {thread} has no register `{}`", clip(name)))
}

struct Resolver<'a> {
    source: &'a Source<'a>,
    locations: &'a Locations,
    program: &'a Program,
}

impl Resolver<'_> {
    fn prop(&self, prop: &Prop<'_>) -> Parsed<Cond> {
        Ok(match prop {
            Prop::Const(value) => Cond::Const(*value),
            Prop::Atom { subject, equal, value } => {
                Cond::Atom { subject: self.subject(subject)?, equal: *equal, value: *value }
            }
            Prop::Not(inner) => Cond::Not(Box::new(self.prop(inner)?)),
            Prop::And(parts) => Cond::And(parts.iter().map(|p| self.prop(p)).collect::<Parsed<_>>()?),
            Prop::Or(parts) => Cond::Or(parts.iter().map(|p| self.prop(p)).collect::<Parsed<_>>()?),
        })
    }

    fn subject(&self, subject: &Subject<'_>) -> Parsed<Observable> {
        let name = subject.name.text;
        if let Some(thread) = subject.thread {
            let Some((tid, reg)) = register(self.program, thread.number, name) else {
                return Err(unknown_register(self.source, thread.number, name, subject.place));
            };
            return Ok(Observable::Register { thread: tid, name: name.to_string(), reg });
        }
        let Some(found) = self.locations.find(name) else {
            let error = self.source.error(subject.place, format!("no location is called `{}`", clip(name)));
            return Err(error.with_help("a register is written with its thread: `0:r0`"));
        };
        let at = match (found.array, subject.index) {
            (true, Some(index)) if (0..found.len as i64).contains(&index) => index as u32,
            (true, Some(_)) => {
                let message = format!("`{}` has {} elements", clip(name), found.len);
                return Err(self.source.error(subject.place, message));
            }
            (true, None) => {
                let message = format!("`{}` is an array", clip(name));
                return Err(self.source.error(subject.place, message).with_help("name one element: `a[0]`"));
            }
            (false, Some(_)) => {
                return Err(self.source.error(subject.place, format!("`{}` is not an array", clip(name))));
            }
            (false, None) => 0,
        };
        let loc = Loc(found.base.0 + at);
        Ok(Observable::Location { name: self.program.locs[loc.index()].0.clone(), loc })
    }

    /// An entry of `locations […]`: an array stands for its elements.
    fn listed(&self, subject: &Subject<'_>, out: &mut Vec<Observable>) -> Parsed<()> {
        let array = match (subject.thread, subject.index) {
            (None, None) => self.locations.find(subject.name.text).filter(|found| found.array),
            _ => None,
        };
        let Some(found) = array else {
            out.push(self.subject(subject)?);
            return Ok(());
        };
        for loc in (found.base.0..found.base.0 + found.len).map(Loc) {
            out.push(Observable::Location { name: self.program.locs[loc.index()].0.clone(), loc });
        }
        Ok(())
    }
}

/// The claims in the file's comments, each on a line of its own.
pub(crate) fn expectations(source: &Source<'_>) -> Parsed<Vec<Expectation>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (text, line) in source.text.split_inclusive('\n').zip(1..) {
        let place = Place::new(start, start + text.trim_end().len());
        start += text.len();
        let inside = text.trim().strip_prefix("(*").and_then(|t| t.strip_suffix("*)"));
        let Some(claim) = inside.and_then(|t| t.trim().strip_prefix("expect ")) else { continue };
        let observation = match claim.split_once(':').map(|(model, what)| (model.trim(), what.trim())) {
            Some((model, "Always")) => (model, Observation::Always),
            Some((model, "Sometimes")) => (model, Observation::Sometimes),
            Some((model, "Never")) => (model, Observation::Never),
            _ => {
                let error = source.error(place, "this expectation cannot be read");
                return Err(error.with_help("write `(* expect MODEL: Always *)`, or `Sometimes`, or `Never`"));
            }
        };
        found.push(Expectation { model: observation.0.to_string(), observation: observation.1, line });
    }
    Ok(found)
}
