//! Programs in C, as bytecode: changed without being compiled again.

use crate::candidate::{Access, Change, Dialect, Site};
use crate::job::Verified;
use crate::judge::{Judge, retain};
use crate::scratch::Scratch;
use crate::search::{Answer, Subject};
use crate::sites::{Sites, Spot, access_of};
use crate::strength::join;
use crate::text::Calls;
use selvedge_check::{
    Check, InputError, Limits, Observer, Options, Outcome, Recorded, Site as Key, Stopped, Undecided,
    Verdict, Violation, What,
};
use selvedge_graph::{Barrier, Kind, Mode};
use selvedge_ir::{Instr, Module, Place};
use selvedge_model::Compiled;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Stands where a fence was that was taken out: an instruction that no model but that of x86 knows, and that
/// orders nothing there.
pub const NOTHING: Mode = Mode::Barrier(Barrier::Lfence);

/// Where a search begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// With the program as it is.
    Given,
    /// With all orderings relaxed, and without fences.
    Weakest,
}

/// A program that can be changed.
pub struct Program {
    check: Check,
    module: Module,
    sites: Vec<Site>,
    /// By file, line and column of the bytecode.
    at: HashMap<Spot, usize>,
    /// The sources, as they were when they were compiled.
    texts: BTreeMap<String, Calls>,
    /// When time is over.
    deadline: Option<Instant>,
    /// Fences that nobody knows the column of cannot be told from those that are added.
    odd_fences: bool,
}

impl Program {
    /// The program of a check. What `keep` says stays as it is. `plain`: plain accesses count, as races are
    /// no errors.
    pub fn new(
        check: &Check,
        start: Start,
        (plain, dialect): (bool, Dialect),
        keep: &dyn Fn(&Site) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<Program, Stopped> {
        let seconds = check.limits.seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let deadline = seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        let mut module = check.bytecode(observer)?;
        // To begin with the weakest program, plain accesses have nothing to lose.
        let plain = plain && start == Start::Given;
        let Sites { sites, at, texts, odd_fences } = Sites::of(&mut module, plain, dialect);
        let mut program = Program { check: check.clone(), module, sites, at, texts, deadline, odd_fences };
        program.sites.iter_mut().for_each(|site| site.kept |= keep(site));
        program.check.options = Options { record: true, all_errors: false, ..check.options.clone() };
        if start == Start::Weakest {
            program.weaken();
        }
        Ok(program)
    }

    /// All orderings become relaxed; fences order nothing.
    fn weaken(&mut self) {
        for function in &mut self.module.functions {
            for (instr, place) in function.code.iter_mut().zip(&function.places) {
                let Some(&number) = self.at.get(&(place.file, place.line, place.col)) else { continue };
                if self.sites[number].kept {
                    continue;
                }
                match instr {
                    Instr::Load { mode, .. } | Instr::Store { mode, .. } | Instr::Rmw { mode, .. }
                        if *mode != Mode::Na =>
                    {
                        *mode = Mode::Rlx;
                    }
                    Instr::Cmpxchg { success, failure, .. } => (*success, *failure) = (Mode::Rlx, Mode::Rlx),
                    Instr::Fence { mode } => *mode = NOTHING,
                    _ => {}
                }
            }
        }
        for site in self.sites.iter_mut().filter(|site| !site.kept) {
            site.given = Some((site.mode, site.failure));
            site.mode = if site.access == Access::Fence { NOTHING } else { Mode::Rlx };
            site.failure = site.failure.map(|_| Mode::Rlx);
        }
    }

    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// By what makes the events of a site.
    pub fn keys(&self) -> HashMap<Key, usize> {
        let key = |(file, line, column): &(u32, u32, u32)| {
            let file = self.module.files.get(*file as usize).cloned().unwrap_or_default();
            Key::Source(selvedge_check::Place { file, line: *line, column: *column })
        };
        self.at.iter().map(|(place, site)| (key(place), *site)).collect()
    }

    /// What judges single executions of it, if anything can.
    pub fn judge(&self, compiled: &Compiled) -> Option<Judge> {
        if self.odd_fences {
            return None;
        }
        let races = match compiled {
            Compiled::Clocks(model) if self.check.options.races && !model.defines_errors() => {
                Some(selvedge_kat::races_of_c().ok()?)
            }
            _ => None,
        };
        Judge::new(&self.check.theory, races.as_ref()).ok()
    }

    /// The bytecode with changes.
    pub fn changed(&self, changes: &[Change]) -> Module {
        let mut module = self.module.clone();
        for function in &mut module.functions {
            let site = |place: &Place| self.at.get(&(place.file, place.line, place.col)).copied();
            let touched = |place: &Place| site(place).is_some_and(|number| !changes[number].is_empty());
            if !function.places.iter().any(touched) {
                continue;
            }
            let (mut code, mut places) = (Vec::new(), Vec::new());
            let mut starts: Vec<u32> = Vec::with_capacity(function.code.len() + 1);
            for (instr, place) in function.code.iter().zip(&function.places) {
                starts.push(code.len() as u32);
                let number = site(place).filter(|number| fits(instr, &self.sites[*number]));
                let Some(change) = number.map(|number| &changes[number]) else {
                    code.push(instr.clone());
                    places.push(*place);
                    continue;
                };
                let added = Place { col: 0, ..*place };
                for mode in &change.before {
                    code.push(Instr::Fence { mode: *mode });
                    places.push(added);
                }
                code.push(raised(instr, change));
                places.push(*place);
                for mode in &change.after {
                    code.push(Instr::Fence { mode: *mode });
                    places.push(added);
                }
            }
            starts.push(code.len() as u32);
            for instr in &mut code {
                instr.for_targets_mut(|target| *target = starts[*target as usize]);
            }
            for header in function.loops.iter_mut().map(|l| &mut l.header) {
                *header = starts[*header as usize];
            }
            function.code = code;
            function.places = places;
        }
        module
    }

    /// Checks the program with changes.
    pub fn run(&self, changes: &[Change]) -> Result<Outcome, InputError> {
        self.timed(self.check.prepared(self.changed(changes))).run()
    }

    /// A check that takes no longer than what is left.
    fn timed(&self, check: Check) -> Check {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let limits = Limits { seconds: left.map(|left| left.as_secs_f64()), ..check.limits };
        Check { limits, ..check }
    }

    /// The sources, as they were when they were compiled.
    pub fn texts(&self) -> BTreeMap<String, Calls> {
        self.texts.clone()
    }

    /// Whether the program fails under sequential consistency as well; `None` if that is not known.
    pub fn is_wrong_under_sc(&self) -> Option<bool> {
        let theory = selvedge_kat::load_named("sc").ok()?;
        let check = Check { theory, ..self.check.clone() };
        let outcome = self.timed(check.prepared(self.module.clone())).run().ok()?;
        match outcome.verdict {
            Verdict::Violated => Some(true),
            Verdict::Verified | Verdict::Bounded => Some(false),
            Verdict::Unknown => None,
        }
    }

    /// Compiles changed texts and checks the program that they make.
    pub fn verify_text(&self, texts: &[(String, String, String)]) -> Result<Verified, InputError> {
        let selvedge_check::Program::Sources(sources) = &self.check.program else {
            return Ok(Verified::Bytecode(String::from("it is for you to compile")));
        };
        if texts.is_empty() {
            return Ok(Verified::Bytecode(String::from("nothing changes in the text")));
        }
        let scratch = match Scratch::new() {
            Ok(scratch) => scratch,
            Err(error) => return Ok(Verified::Bytecode(format!("there is no room for a copy: {error}"))),
        };
        let sources = match scratch.with(sources, texts) {
            Ok(sources) => sources,
            Err(error) => return Ok(Verified::Bytecode(format!("there is no room for a copy: {error}"))),
        };
        let options = Options { record: false, ..self.check.options.clone() };
        let check = Check { program: sources.into(), options, ..self.check.clone() };
        let outcome = match self.timed(check).run() {
            Ok(outcome) => outcome,
            Err(error) => {
                let first = error.diagnostic.message.lines().next().unwrap_or("").to_string();
                return Ok(Verified::Not(format!("the changed text does not compile: {first}")));
            }
        };
        Ok(match (outcome.verdict, outcome.violations.first()) {
            (Verdict::Verified | Verdict::Bounded, _) => Verified::Text,
            (_, Some(violation)) => Verified::Not(violation.message()),
            _ => {
                let why = outcome.undecided.as_ref().map(Undecided::to_string);
                Verified::Bytecode(why.unwrap_or_else(|| String::from("there is no verdict")))
            }
        })
    }
}

impl Subject for Program {
    type Wrong = Violation;

    fn check(&mut self, changes: &[Change]) -> Result<Answer<Violation>, InputError> {
        let outcome = self.run(changes)?;
        Ok(match outcome.verdict {
            Verdict::Verified => Answer::Right { bounded: false },
            Verdict::Bounded => Answer::Right { bounded: true },
            Verdict::Unknown => {
                let why = outcome.undecided.as_ref().map(Undecided::to_string);
                Answer::Unknown(why.unwrap_or_else(|| String::from("there is no verdict")))
            }
            Verdict::Violated => Answer::Wrong(
                outcome
                    .violations
                    .into_iter()
                    .map(|mut violation| {
                        let usable = can_be_judged(&violation);
                        let recorded = violation.recorded.take().filter(|_| usable);
                        let recorded = recorded.map(|mut recorded| {
                            without_added(&mut recorded);
                            *recorded
                        });
                        (violation, recorded)
                    })
                    .collect(),
            ),
        })
    }
}

/// Whether it is known by its events, or by what the model says of them, that it is wrong. What has to do
/// with the life of objects is not: that is a question of what happens before what.
fn can_be_judged(violation: &Violation) -> bool {
    let by_model = violation.recorded.as_ref().is_some_and(|recorded| recorded.by_model);
    by_model || matches!(violation.what, What::Said(_) | What::Stuck | What::Leaked(_))
}

/// Leaves out the fences that were added.
fn without_added(execution: &mut Recorded) {
    let mut kept: Vec<Vec<Option<u32>>> = Vec::new();
    for events in &execution.threads {
        let mut next = 0;
        let numbers = events.iter().map(|event| {
            let added = event.kind == Kind::Fence
                && matches!(&event.site, Some(Key::Source(place)) if place.column == 0);
            (!added).then(|| {
                next += 1;
                next - 1
            })
        });
        kept.push(numbers.collect());
    }
    retain(execution, &kept);
}

/// Whether an instruction at the place of a site is what the site is.
fn fits(instr: &Instr, site: &Site) -> bool {
    access_of(instr).is_some_and(|(of_instr, mode, _)| {
        of_instr == site.access && (mode == Mode::Na) == (site.mode == Mode::Na)
    })
}

fn raised(instr: &Instr, change: &Change) -> Instr {
    let mut instr = instr.clone();
    let raise = |mode: &mut Mode, by: Option<Mode>| {
        if let Some(by) = by {
            *mode = join(*mode, by);
        }
    };
    match &mut instr {
        Instr::Load { mode, .. } | Instr::Store { mode, .. } | Instr::Rmw { mode, .. } => {
            raise(mode, change.order);
        }
        Instr::Cmpxchg { success, failure, .. } => {
            raise(success, change.order);
            raise(failure, change.failure);
        }
        _ => {}
    }
    instr
}
