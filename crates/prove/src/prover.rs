//! The proof of a system: small instances first, then all obligations, each by the encoding that fits.

use crate::counters::Counters;
use crate::eval::{Instance, State};
use crate::expand::{Found, counterexample};
use crate::expr::Expr;
use crate::first_order::{self, Mode};
use crate::obligation::{
    Obligation, Origin, conjuncts, consequences, initial, known_in, phases, some_phase,
};
use crate::reach::{Bug, Reached, Taken, reach};
use crate::solver::{Answer, Script, Solver, SolverError};
use crate::structure::{instances, sizes};
use crate::system::{Shape, System};
use std::time::{Duration, Instant};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solver that is asked first.
    pub solver: Solver,
    /// Nothing is proved that the other solver does not confirm.
    pub certify: bool,
    /// For each question.
    pub limit: Duration,
    /// Deadlock-freedom is to be shown.
    pub deadlock: bool,
    /// Small instances have up to this many elements of each sort but trees, which have one more.
    pub small: usize,
    /// In each small instance so many states are looked at.
    pub states: usize,
    /// All questions that were asked are kept.
    pub keep_scripts: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            solver: Solver::Z3,
            certify: false,
            limit: Duration::from_secs(10),
            deadlock: true,
            small: 3,
            states: 20_000,
            keep_scripts: false,
        }
    }
}

/// How an obligation ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It holds for every size. By which solvers.
    Proved(Vec<Solver>),
    /// It does not: this state satisfies what is known, and the goal fails.
    Fails(Box<Found>),
    /// Neither was found out; why.
    Unknown(String),
}

/// An obligation that was looked at.
#[derive(Clone, Debug)]
pub struct Done {
    /// Which.
    pub obligation: Obligation,
    /// Its name.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// The question that decided it.
    pub script: Option<Script>,
    /// How long it took.
    pub seconds: f64,
}

/// A bug in a small instance.
#[derive(Clone, Debug)]
pub struct RealBug {
    /// The instance.
    pub instance: Instance,
    /// What is wrong.
    pub bug: Bug,
    /// The states on the way.
    pub states: Vec<State>,
    /// The steps between them.
    pub steps: Vec<Taken>,
}

/// All in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All obligations hold, for every size.
    Proved,
    /// There is a real bug.
    Violated,
    /// The invariant is not strong enough, or too strong: no proof, and no bug that is known.
    NotProved,
    /// Something could not be decided.
    Unknown,
}

impl Verdict {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Violated => "violated",
            Verdict::NotProved => "not-proved",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Report {
    /// All in all.
    pub verdict: Verdict,
    /// How obligations were encoded.
    pub encoding: &'static str,
    /// The obligations.
    pub done: Vec<Done>,
    /// A bug in a small instance.
    pub bug: Option<RealBug>,
    /// A conjunct of the invariant that is false in a reachable state of a small instance.
    pub false_conjunct: Option<(usize, Instance, State)>,
    /// Small instances, and their states, that were looked at.
    pub explored: (usize, usize),
    /// What may make the proof say less than it seems to.
    pub warnings: Vec<String>,
}

/// Sizes of small instances, in all.
fn totals(system: &System, options: &Options) -> std::ops::RangeInclusive<usize> {
    let tree = system.sorts.iter().any(|s| s.shape == Shape::Tree);
    let most: usize = match (system.sorts.len(), tree) {
        (1, true) => options.small + 1,
        (1, false) => options.small,
        (n, _) => options.small * n + 1,
    };
    system.sorts.len()..=most
}

struct Prover<'s> {
    system: &'s System,
    options: &'s Options,
    counters: Option<Counters<'s>>,
}

/// Proves a system, or says what stands in the way.
///
/// # Errors
/// If a solver cannot be asked.
pub fn prove(system: &System, options: &Options) -> Result<Report, SolverError> {
    let counters = Counters::of(system).ok();
    let encoding = match (&counters, system.sorts.iter().map(|s| s.shape).find(|s| *s != Shape::Plain)) {
        (Some(_), _) => "counters in linear arithmetic",
        (None, Some(Shape::Tree)) => "first-order formulas about trees",
        (None, Some(Shape::Ring)) => "first-order formulas about numbered threads",
        (None, Some(Shape::Bits)) => "first-order formulas about bit strings",
        (None, _) => "first-order formulas with regions",
    };
    let mut report = Report {
        verdict: Verdict::Proved,
        encoding,
        done: Vec::new(),
        bug: None,
        false_conjunct: None,
        explored: (0, 0),
        warnings: Vec::new(),
    };
    explore(system, options, &mut report);
    if report.bug.is_some() {
        report.verdict = Verdict::Violated;
        return Ok(report);
    }
    let prover = Prover { system, options, counters };
    prover.all(&mut report)?;
    let fails = |d: &Done| matches!(d.ending, Ending::Fails(_));
    let unknown = |d: &Done| matches!(d.ending, Ending::Unknown(_));
    report.verdict = if report.done.iter().any(fails) {
        Verdict::NotProved
    } else if report.done.iter().any(unknown) || report.explored.0 == 0 {
        Verdict::Unknown
    } else {
        Verdict::Proved
    };
    Ok(report)
}

/// Looks at small instances: bugs, and whether anything happens at all.
fn explore(system: &System, options: &Options, report: &mut Report) {
    let mut taken = vec![false; system.steps.len()];
    let mut premise = vec![false; system.properties.len()];
    let mut budget = options.states * 6;
    'sizes: for total in totals(system, options) {
        for sizes in sizes(system, total) {
            for instance in instances(system, &sizes) {
                if budget == 0 {
                    break 'sizes;
                }
                let found: Reached = reach(system, &instance, options.states.min(budget), options.deadlock);
                budget = budget.saturating_sub(found.states);
                report.explored.0 += 1;
                report.explored.1 += found.states;
                taken.iter_mut().zip(&found.taken).for_each(|(a, b)| *a |= b);
                premise.iter_mut().zip(&found.premise).for_each(|(a, b)| *a |= b);
                if report.false_conjunct.is_none()
                    && let Some((c, state)) = found.broken
                {
                    report.false_conjunct = Some((c, instance.clone(), state));
                }
                if let Some((bug, states, steps)) = found.bug {
                    report.bug = Some(RealBug { instance, bug, states, steps });
                    return;
                }
            }
        }
    }
    if report.explored.0 == 0 {
        report.warnings.push("no small instance satisfies the axioms: all that is said here may be about nothing".into());
        return;
    }
    for (s, step) in system.steps.iter().enumerate() {
        if !taken[s] {
            report.warnings.push(format!("the step {} is never taken in small instances", step.name));
        }
    }
    for (p, property) in system.properties.iter().enumerate() {
        if !premise[p] {
            let message = format!("the left side of {} never holds in small instances", property.name);
            report.warnings.push(message);
        }
    }
    if system.properties.is_empty() && system.steps.iter().all(|s| s.asserts.is_empty()) {
        report.warnings.push("no property is claimed, and nothing is asserted".into());
    }
}

impl Prover<'_> {
    fn all(&self, report: &mut Report) -> Result<(), SolverError> {
        let s = self.system;
        self.changes(Origin::Init, None, initial(s), report)?;
        for phase in phases(s) {
            for step in 0..s.steps.len() {
                self.changes(Origin::Step(step), phase, known_in(s, phase), report)?;
            }
        }
        for o in consequences(s, self.options.deadlock) {
            let done = self.one(o, true)?;
            report.done.push(done);
        }
        Ok(())
    }

    /// The invariant holds at first, or after a step: what always holds, and then the conjuncts of some phase.
    fn changes(
        &self,
        origin: Origin,
        phase: Option<usize>,
        known: Vec<Expr>,
        report: &mut Report,
    ) -> Result<(), SolverError> {
        let s = self.system;
        let make = |target, conjunct: Option<usize>, goal| Obligation {
            origin: origin.clone(),
            phase,
            target,
            conjunct,
            known: known.clone(),
            goal,
        };
        for c in conjuncts(s, None) {
            report.done.push(self.one(make(None, Some(c), s.invariant[c].formula.clone()), true)?);
        }
        if s.phases.is_empty() {
            return Ok(());
        }
        // The phase that it was in, then the others; the way that works is the one that counts.
        let mut targets: Vec<usize> = (0..s.phases.len()).collect();
        targets.sort_by_key(|t| Some(*t) != phase);
        for target in &targets {
            let mut done = Vec::new();
            let mut fine = true;
            for c in conjuncts(s, Some(*target)) {
                let o = make(Some(*target), Some(c), s.invariant[c].formula.clone());
                let d = self.one(o, false)?;
                fine = matches!(d.ending, Ending::Proved(_));
                done.push(d);
                if !fine {
                    break;
                }
            }
            if fine {
                report.done.extend(done);
                return Ok(());
            }
        }
        // Perhaps sometimes one, sometimes another.
        let whole = self.one(make(None, None, some_phase(s)), true)?;
        report.done.push(whole);
        Ok(())
    }

    /// All ways to ask, the most promising first.
    fn scripts(&self, o: &Obligation) -> Vec<Result<Script, String>> {
        if let Some(counters) = &self.counters {
            match counters.script(o) {
                Ok(script) => return vec![Ok(script)],
                Err(_) => return vec![first_order::script(self.system, o, Mode { ground: false, more_induction: false })],
            }
        }
        let mode = |ground, more_induction| first_order::script(self.system, o, Mode { ground, more_induction });
        let shape = |shape| self.system.sorts.iter().any(|s| s.shape == shape);
        let mut found = Vec::new();
        if shape(Shape::Ring) {
            found.push(mode(true, false));
        }
        found.push(mode(false, false));
        if shape(Shape::Tree) && o.origin == Origin::Deadlock {
            found.push(mode(false, true));
        }
        if shape(Shape::Bits) {
            found.push(mode(true, false));
        }
        found
    }

    fn one(&self, o: Obligation, search: bool) -> Result<Done, SolverError> {
        let start = Instant::now();
        let name = o.name(self.system);
        let (mut why, mut kept) = (String::new(), None);
        let scripts = self.scripts(&o);
        let mut ending = None;
        for script in &scripts {
            let script = match script {
                Ok(script) => script,
                Err(message) => {
                    why = message.clone();
                    continue;
                }
            };
            if self.options.keep_scripts {
                kept = Some(script.clone());
            }
            let answer = self.options.solver.ask(script, self.options.limit)?;
            if answer == Answer::Unsat {
                ending = Some(self.confirmed(vec![self.options.solver], &scripts)?);
                break;
            }
            if let Answer::Unknown(text) = answer {
                why = text;
                // Where it is not known, the other one may know.
                if self.options.solver.other().ask(script, self.options.limit)? == Answer::Unsat {
                    ending = Some(self.confirmed(vec![self.options.solver.other()], &scripts)?);
                    break;
                }
            } else {
                why = "what is known at the named elements does not suffice".into();
            }
        }
        let ending = match ending {
            Some(ending) => ending,
            None if search => match self.counterexample(&o)? {
                Some(found) => Ending::Fails(Box::new(found)),
                None => Ending::Unknown(why),
            },
            None => Ending::Unknown(why),
        };
        Ok(Done { obligation: o, name, ending, script: kept, seconds: start.elapsed().as_secs_f64() })
    }

    /// Asks the other solver, if this is wanted.
    fn confirmed(&self, mut by: Vec<Solver>, scripts: &[Result<Script, String>]) -> Result<Ending, SolverError> {
        if !self.options.certify {
            return Ok(Ending::Proved(by));
        }
        let other = by[0].other();
        for script in scripts.iter().flatten() {
            if other.ask(script, self.options.limit)? == Answer::Unsat {
                by.push(other);
                return Ok(Ending::Proved(by));
            }
        }
        Ok(Ending::Unknown(format!("{} says that it holds, and {} does not confirm it", by[0].name(), other.name())))
    }

    /// A small instance in which an obligation fails.
    fn counterexample(&self, o: &Obligation) -> Result<Option<Found>, SolverError> {
        let start = Instant::now();
        let more = Options { small: self.options.small + 1, ..self.options.clone() };
        for total in totals(self.system, &more) {
            for sizes in sizes(self.system, total) {
                for instance in instances(self.system, &sizes) {
                    if start.elapsed() > self.options.limit * 2 {
                        return Ok(None);
                    }
                    // z3 decides these; cvc5 is asked if it is the one that was chosen.
                    let found = counterexample(self.system, &instance, o, self.options.solver, self.options.limit)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }
}
