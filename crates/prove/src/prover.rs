//! The proof of a system: small instances first, then all obligations, each by the encoding that fits.

use crate::counters::Counters;
use crate::eval::{Instance, State};
use crate::expand::{Found, counterexample};
use crate::expr::Expr;
use crate::first_order::{self, Mode};
use crate::obligation::{Obligation, Origin, conjuncts, consequences, initial, known_in, phases, some_phase};
use crate::reach::{Bug, Reached, Taken, reach};
use crate::rewrite::{nnf, parts, spell_out};
use crate::solver::{Answer, Script, Solver, SolverError, Solvers};
use crate::structure::{instances, sizes};
use crate::system::{Shape, System};
use std::cell::RefCell;
use std::time::Instant;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solver that is asked first.
    pub solver: Solver,
    /// Nothing is proved that the other solver does not confirm.
    pub certify: bool,
    /// How much work a question may take, in what z3 counts; about a million in half a second.
    pub work: u64,
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
            work: 60_000_000,
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
    /// Where steps led in small instances: by phase and step, the phases that always held after it, as bits.
    pub lands: Vec<Vec<Option<u64>>>,
    /// What may make the proof say less than it seems to.
    pub warnings: Vec<String>,
}

/// Not more small instances are searched for a state in which an obligation fails.
const MOST_LOOKED_AT: usize = 250;

/// The part of the limit that the question whether a step is possible in a phase is given.
const IMPOSSIBLE: u64 = 240;

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
    solvers: RefCell<Solvers>,
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
        lands: vec![vec![None; system.steps.len()]; system.phases.len()],
        warnings: Vec::new(),
    };
    explore(system, options, &mut report);
    if report.bug.is_some() {
        report.verdict = Verdict::Violated;
        return Ok(report);
    }
    discharge(system, options, counters, report)
}

/// The same without looking at small instances.
///
/// # Errors
/// If a solver cannot be asked.
pub fn prove_only(system: &System, options: &Options) -> Result<Verdict, SolverError> {
    let report = Report {
        verdict: Verdict::Proved,
        encoding: "",
        done: Vec::new(),
        bug: None,
        false_conjunct: None,
        explored: (1, 0),
        lands: vec![vec![None; system.steps.len()]; system.phases.len()],
        warnings: Vec::new(),
    };
    Ok(discharge(system, options, Counters::of(system).ok(), report)?.verdict)
}

fn discharge(
    system: &System,
    options: &Options,
    counters: Option<Counters<'_>>,
    mut report: Report,
) -> Result<Report, SolverError> {
    let prover = Prover { system, options, counters, solvers: RefCell::default() };
    prover.all(&mut report)?;
    let fails = |d: &Done| matches!(d.ending, Ending::Fails(_));
    let unknown = |d: &Done| matches!(d.ending, Ending::Unknown(_));
    report.verdict = if report.done.iter().any(fails) {
        Verdict::NotProved
    } else if report.false_conjunct.is_some() {
        // No proof of what is false is believed.
        Verdict::Unknown
    } else if report.done.is_empty() || report.done.iter().any(unknown) || report.explored.0 == 0 {
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
                for (all, here) in report.lands.iter_mut().flatten().zip(found.lands.iter().flatten()) {
                    if let Some(bits) = here {
                        *all = Some(all.unwrap_or(u64::MAX) & bits);
                    }
                }
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
        report.warnings.push(
            "no small instance satisfies the axioms: all that is said here may be about nothing".into(),
        );
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

    /// The invariant holds at first, or after a step: what always holds, and then the conjuncts of some
    /// phase.
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
        if let (Origin::Step(step), Some(p)) = (&origin, phase)
            && report.lands[p][*step].is_none()
            && let Some(done) = self.impossible(make(None, None, Expr::Bool(false)))?
        {
            report.done.push(done);
            return Ok(());
        }
        for c in conjuncts(s, None) {
            report.done.push(self.one(make(None, Some(c), s.invariant[c].formula.clone()), true)?);
        }
        if s.phases.is_empty() {
            return Ok(());
        }
        // The phase where it led in small instances, the one that it was in, then the others; the way that
        // works is the one that counts.
        let mut targets: Vec<usize> = (0..s.phases.len()).collect();
        let seen = match (&origin, phase) {
            (Origin::Step(step), Some(p)) => report.lands[p][*step],
            _ => None,
        };
        let surprising = |t: usize| seen.is_some_and(|bits| bits >> t & 1 == 0);
        targets.sort_by_key(|t| (surprising(*t), Some(*t) != phase));
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

    fn ask(&self, solver: Solver, script: &Script, work: u64) -> Result<Answer, SolverError> {
        self.solvers.borrow_mut().ask(solver, script, work)
    }

    /// All ways to ask, the most promising first, and the part of the limit that each is given.
    fn ways(&self, o: &Obligation) -> Vec<(Option<Mode>, u64)> {
        let base = Mode {
            ground: false,
            everywhere: true,
            exists: true,
            hints: false,
            more_induction: false,
            again: o.origin == Origin::Init,
            relevant: false,
        };
        let light = Mode { everywhere: false, exists: false, ..base };
        let shape = |shape| self.system.sorts.iter().any(|s| s.shape == shape);
        if let Some(counters) = &self.counters {
            return vec![if counters.script(o).is_ok() { (None, 1) } else { (Some(base), 1) }];
        }
        let hinted = Mode { hints: true, ..base };
        let more = Mode { more_induction: true, ..base };
        let ground = Mode { ground: true, ..base };
        let deadlock = o.origin == Origin::Deadlock;
        let found = match (deadlock, shape(Shape::Ring), shape(Shape::Bits), shape(Shape::Tree)) {
            (true, true, ..) => vec![(Mode { ground: true, again: true, ..hinted }, 1)],
            (true, _, _, true) => {
                let again = Mode { again: true, ..hinted };
                let more = Mode { more_induction: true, ..again };
                let round = |part: u64| [(hinted, part), (again, part), (more, part)];
                [round(60), round(2)].concat()
            }
            (true, ..) => vec![(Mode { again: true, ..hinted }, 1)],
            (false, true, ..) => vec![(base, 10), (ground, 1), (base, 1)],
            (false, _, true, _) => vec![(base, 2), (more, 1)],
            (false, _, _, true) => {
                // A little of each, then more: which one works differs, and most of them soon do. What says
                // that there is somebody mostly follows from others that do.
                let named = Mode { exists: true, ..light };
                let close = Mode { hints: true, ..named };
                let wide = Mode { hints: true, everywhere: true, ..light };
                let there = nnf(self.system, &o.goal, true).mentions(&|e| matches!(e, Expr::Any(..)));
                let (a, b) = if there { (named, light) } else { (light, named) };
                let few = |mode: Mode| Mode { relevant: true, ..mode };
                let mut ways = vec![(few(a), 80), (few(b), 240), (a, 240), (b, 240)];
                ways.extend([(few(wide), 120), (few(close), 120)]);
                for part in [80, 24, 3] {
                    ways.extend([a, b, close, wide, hinted].map(|mode| (mode, part)));
                }
                ways
            }
            _ => vec![(base, 1)],
        };
        found.into_iter().map(|(mode, part)| (Some(mode), part)).collect()
    }

    fn script(&self, o: &Obligation, mode: Option<Mode>) -> Result<Script, String> {
        match (mode, &self.counters) {
            (None, Some(counters)) => counters.script(o),
            (mode, _) => {
                let mode = mode.unwrap_or(Mode {
                    ground: false,
                    everywhere: true,
                    exists: true,
                    hints: false,
                    more_induction: false,
                    again: false,
                    relevant: false,
                });
                first_order::script(self.system, o, mode)
            }
        }
    }

    fn one(&self, o: Obligation, search: bool) -> Result<Done, SolverError> {
        let start = Instant::now();
        let name = o.name(self.system);
        let (mut why, mut kept) = (String::new(), None);
        let mut ending: Option<Ending> = None;
        for part in self.parts(&o) {
            ending = self.part(&part, &mut why, &mut kept)?;
            if !matches!(ending, Some(Ending::Proved(_))) {
                break;
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

    /// That a step cannot be taken in a phase, if this is easily seen: then there is nothing else to show of
    /// it.
    fn impossible(&self, o: Obligation) -> Result<Option<Done>, SolverError> {
        let start = Instant::now();
        let ways = self.ways(&o);
        // All of the invariant says where threads can be in a phase.
        let Some((mode, _)) = ways.iter().find(|w| w.0.is_none_or(|mode| !mode.relevant)) else {
            return Ok(None);
        };
        let Ok(script) = self.script(&o, *mode) else { return Ok(None) };
        let first = self.options.solver;
        if self.ask(first, &script, self.options.work / IMPOSSIBLE)? != Answer::Unsat {
            return Ok(None);
        }
        let ending = self.confirmed(first, &o, &ways)?;
        if !matches!(ending, Ending::Proved(_)) {
            return Ok(None);
        }
        let script = self.options.keep_scripts.then_some(script);
        let (name, seconds) = (o.name(self.system), start.elapsed().as_secs_f64());
        Ok(Some(Done { obligation: o, name, ending, script, seconds }))
    }

    /// The same obligation in parts; first-order questions are easier one by one.
    fn parts(&self, o: &Obligation) -> Vec<Obligation> {
        if self.counters.is_some() {
            return vec![o.clone()];
        }
        let mut fresh = self.system.fresh + 2_000_000;
        let goal = nnf(self.system, &spell_out(self.system, &o.goal, &mut fresh), true);
        parts(&goal).into_iter().map(|goal| Obligation { goal, ..o.clone() }).collect()
    }

    /// Shows a part, if one of the ways to ask does.
    fn part(
        &self,
        o: &Obligation,
        why: &mut String,
        kept: &mut Option<Script>,
    ) -> Result<Option<Ending>, SolverError> {
        if let Some(alone) = self.alone(o)
            && let Ok(script) = self.script(&alone, Some(Mode::NAMED))
            && self.ask(self.options.solver, &script, self.options.work / 720)? == Answer::Unsat
        {
            if self.options.keep_scripts {
                *kept = Some(script);
            }
            return Ok(Some(self.confirmed(self.options.solver, &alone, &[(Some(Mode::NAMED), 24)])?));
        }
        let ways = self.ways(o);
        let mut in_vain: Vec<Option<Mode>> = Vec::new();
        for (n, (mode, part)) in ways.iter().enumerate() {
            if in_vain.contains(mode) {
                continue;
            }
            let script = match self.script(o, *mode) {
                Ok(script) => script,
                Err(message) => {
                    *why = message;
                    continue;
                }
            };
            let work = self.options.work / *part;
            let first = self.options.solver;
            let answer = self.ask(first, &script, work)?;
            let mut by = (answer == Answer::Unsat).then_some(first);
            if let Answer::Unknown(text) = &answer {
                why.clone_from(text);
                // Where it is not known, the other one may know.
                if n + 1 == ways.len() && self.ask(first.other(), &script, work)? == Answer::Unsat {
                    by = Some(first.other());
                }
            } else {
                // More work would change nothing.
                in_vain.push(*mode);
                *why = "what is known at the named elements does not suffice".into();
            }
            if self.options.keep_scripts {
                *kept = Some(script);
            }
            if let Some(by) = by {
                // The other solver is asked the same way first.
                let ways: Vec<_> = [(*mode, *part)].into_iter().chain(ways.iter().copied()).collect();
                return Ok(Some(self.confirmed(by, o, &ways)?));
            }
        }
        Ok(None)
    }

    /// The same with nothing known but the conjunct itself: many steps are of no concern to many conjuncts.
    fn alone(&self, o: &Obligation) -> Option<Obligation> {
        let claim = &self.system.invariant[o.conjunct?].formula;
        if self.counters.is_some() || !o.known.contains(claim) || !matches!(o.origin, Origin::Step(_)) {
            return None;
        }
        Some(Obligation { known: vec![claim.clone()], ..o.clone() })
    }

    /// Asks the other solver, if this is wanted.
    fn confirmed(
        &self,
        by: Solver,
        o: &Obligation,
        ways: &[(Option<Mode>, u64)],
    ) -> Result<Ending, SolverError> {
        if !self.options.certify {
            return Ok(Ending::Proved(vec![by]));
        }
        let other = by.other();
        for (mode, part) in ways {
            let Ok(script) = self.script(o, *mode) else { continue };
            if self.ask(other, &script, self.options.work / *part)? == Answer::Unsat {
                return Ok(Ending::Proved(vec![by, other]));
            }
        }
        let message = format!("{} says that it holds, and {} does not confirm it", by.name(), other.name());
        Ok(Ending::Unknown(message))
    }

    /// A small instance in which an obligation fails.
    fn counterexample(&self, o: &Obligation) -> Result<Option<Found>, SolverError> {
        let mut left = MOST_LOOKED_AT;
        let work = (self.options.work / 20).max(500_000);
        let more = Options { small: self.options.small + 1, ..self.options.clone() };
        for total in totals(self.system, &more) {
            for sizes in sizes(self.system, total) {
                for instance in instances(self.system, &sizes) {
                    if left == 0 {
                        return Ok(None);
                    }
                    left -= 1;
                    // z3 decides these; cvc5 is asked if it is the one that was chosen.
                    let solvers = &mut *self.solvers.borrow_mut();
                    let solver = (solvers, self.options.solver);
                    let found = counterexample(self.system, &instance, o, solver, work)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }
}
