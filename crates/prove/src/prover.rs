//! The proof of a system: small instances first, then all obligations, each by the encoding that fits.

use crate::counters::{Counters, MOST_THREADS};
use crate::eval::{Instance, State};
use crate::expand::{Found, counterexample};
use crate::expr::Expr;
use crate::first_order::{self, Mode};
use crate::obligation::{Obligation, Origin, conjuncts, consequences, initial, known_in, phases, some_phase};
use crate::ranks::{Fall, falls};
use crate::reach::{Bug, Taken};
use crate::rewrite::{nnf, parts, spell_out};
use crate::small::{explore, explore_larger, totals};
use crate::solver::{Answer, Script, Solver, SolverError, Solvers};
use crate::structure::{instances, sizes};
use crate::system::{Shape, System};
use crate::ways::ways;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
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
    /// So many obligations are looked at at once.
    pub jobs: usize,
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
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
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
    /// Something that is claimed of the rank and is false in a reachable state of a small instance.
    pub false_rank: Option<(Fall, Instance, State)>,
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

/// The part that a conjunct is given which may be all that a step needs to keep it.
const ALONE: u64 = 1_440;

struct Prover<'s> {
    system: &'s System,
    options: &'s Options,
    counters: Option<&'s Counters<'s>>,
    /// Where steps led in small instances, as in a report.
    lands: &'s [Vec<Option<u64>>],
    /// The first obligation that is not shown is enough.
    quick: bool,
    solvers: RefCell<Solvers>,
}

/// What is looked at by itself, with nothing left in a solver from before: so answers do not depend on how
/// many work at once.
enum Task {
    /// The invariant holds at first, or after a step in a phase.
    Changes(Origin, Option<usize>),
    /// Something follows from it.
    One(Box<Obligation>),
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
        false_rank: None,
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

/// The same without looking at small instances, up to the first obligation that is not shown; of that it is
/// not asked why.
///
/// # Errors
/// If a solver cannot be asked.
pub fn prove_only(system: &System, options: &Options) -> Result<Verdict, SolverError> {
    let lands = vec![vec![None; system.steps.len()]; system.phases.len()];
    let counters = Counters::of(system).ok();
    let done = all(system, options, counters.as_ref(), &lands, true)?;
    let fine = !done.is_empty() && done.iter().all(|d| matches!(d.ending, Ending::Proved(_)));
    Ok(if fine { Verdict::Proved } else { Verdict::Unknown })
}

fn discharge(
    system: &System,
    options: &Options,
    counters: Option<Counters<'_>>,
    mut report: Report,
) -> Result<Report, SolverError> {
    report.done = all(system, options, counters.as_ref(), &report.lands, false)?;
    let looked_at = report.explored.0 > 0;
    explore_larger(system, options, &mut report);
    let fails = |d: &Done| matches!(d.ending, Ending::Fails(_));
    let unknown = |d: &Done| matches!(d.ending, Ending::Unknown(_));
    report.verdict = if report.bug.is_some() {
        Verdict::Violated
    } else if report.done.iter().any(fails) {
        Verdict::NotProved
    } else if report.false_conjunct.is_some() || report.false_rank.is_some() {
        // No proof of what is false is believed.
        Verdict::Unknown
    } else if report.done.is_empty() || report.done.iter().any(unknown) || !looked_at {
        Verdict::Unknown
    } else {
        Verdict::Proved
    };
    Ok(report)
}

/// All obligations, by several workers with solvers of their own, in one order.
fn all(
    system: &System,
    options: &Options,
    counters: Option<&Counters>,
    lands: &[Vec<Option<u64>>],
    quick: bool,
) -> Result<Vec<Done>, SolverError> {
    let mut tasks = vec![Task::Changes(Origin::Init, None)];
    for phase in phases(system) {
        tasks.extend((0..system.steps.len()).map(|s| Task::Changes(Origin::Step(s), phase)));
    }
    tasks.extend(consequences(system, options.deadlock).into_iter().map(|o| Task::One(Box::new(o))));
    let next = AtomicUsize::new(0);
    let found: Vec<Mutex<Vec<Done>>> = tasks.iter().map(|_| Mutex::default()).collect();
    let work = || -> Result<(), SolverError> {
        let prover = Prover { system, options, counters, lands, quick, solvers: RefCell::default() };
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(n) else { return Ok(()) };
            prover.solvers.borrow_mut().forget();
            match prover.task(task) {
                Ok(done) => {
                    if quick && done.iter().any(|d| !matches!(d.ending, Ending::Proved(_))) {
                        next.store(tasks.len(), Ordering::Relaxed);
                    }
                    *found[n].lock().unwrap_or_else(PoisonError::into_inner) = done;
                }
                Err(error) => {
                    // What the others would find out is of no use.
                    next.store(tasks.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let workers = options.jobs.clamp(1, tasks.len());
    let ends: Vec<Result<(), SolverError>> = std::thread::scope(|scope| {
        let running: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut ends = vec![work()];
        for worker in running {
            ends.push(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        ends
    });
    ends.into_iter().collect::<Result<(), _>>()?;
    Ok(found.into_iter().flat_map(|f| f.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
}

impl Prover<'_> {
    fn task(&self, task: &Task) -> Result<Vec<Done>, SolverError> {
        match task {
            Task::Changes(Origin::Init, _) => self.changes(Origin::Init, None, initial(self.system)),
            Task::Changes(origin, phase) => {
                let mut done = self.changes(origin.clone(), *phase, known_in(self.system, *phase))?;
                // What is never done in a phase needs no rank there.
                let never = |d: &Done| {
                    d.obligation.goal == Expr::Bool(false) && matches!(d.ending, Ending::Proved(_))
                };
                if !done.iter().any(never) {
                    for o in falls(self.system, origin, *phase) {
                        done.push(self.one(o, true)?);
                    }
                }
                Ok(done)
            }
            Task::One(o) => Ok(vec![self.one((**o).clone(), true)?]),
        }
    }

    /// The invariant holds at first, or after a step: what always holds, and then the conjuncts of some
    /// phase.
    fn changes(
        &self,
        origin: Origin,
        phase: Option<usize>,
        known: Vec<Expr>,
    ) -> Result<Vec<Done>, SolverError> {
        let s = self.system;
        let mut all = Vec::new();
        let make = |target, conjunct: Option<usize>, goal| Obligation {
            origin: origin.clone(),
            phase,
            target,
            conjunct,
            known: known.clone(),
            goal,
        };
        if let (Origin::Step(step), Some(p)) = (&origin, phase)
            && self.lands[p][*step].is_none()
            && let Some(done) = self.impossible(make(None, None, Expr::Bool(false)))?
        {
            return Ok(vec![done]);
        }
        for c in conjuncts(s, None) {
            all.push(self.one(make(None, Some(c), s.invariant[c].formula.clone()), true)?);
            if self.quick && all.iter().any(|d| !matches!(d.ending, Ending::Proved(_))) {
                return Ok(all);
            }
        }
        if s.phases.is_empty() {
            return Ok(all);
        }
        // The phase where it led in small instances, the one that it was in, then the others; the way that
        // works is the one that counts.
        let mut targets: Vec<usize> = (0..s.phases.len()).collect();
        let seen = match (&origin, phase) {
            (Origin::Step(step), Some(p)) => self.lands[p][*step],
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
                all.extend(done);
                return Ok(all);
            }
        }
        // Perhaps sometimes one, sometimes another.
        let whole = self.one(make(None, None, some_phase(s)), true)?;
        all.push(whole);
        Ok(all)
    }

    fn ask(&self, solver: Solver, script: &Script, work: u64) -> Result<Answer, SolverError> {
        self.solvers.borrow_mut().ask(solver, script, work)
    }

    fn script(&self, o: &Obligation, mode: Option<Mode>) -> Result<Script, String> {
        match (mode, self.counters) {
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
        // What one part needs, the others mostly do.
        let mut alone = true;
        for part in self.parts(&o) {
            ending = self.part(&part, &mut alone, &mut why, &mut kept)?;
            if !matches!(ending, Some(Ending::Proved(_))) {
                break;
            }
        }
        let ending = match ending {
            Some(ending) => ending,
            None if search && !self.quick => match self.counterexample(&o)? {
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
        let ways = ways(self.system, self.counters, &o);
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
        try_alone: &mut bool,
        why: &mut String,
        kept: &mut Option<Script>,
    ) -> Result<Option<Ending>, SolverError> {
        if *try_alone
            && let Some(alone) = self.alone(o)
            && let Ok(script) = self.script(&alone, Some(Mode::NAMED))
        {
            if self.ask(self.options.solver, &script, self.options.work / ALONE)? == Answer::Unsat {
                if self.options.keep_scripts {
                    *kept = Some(script);
                }
                return Ok(Some(self.confirmed(self.options.solver, &alone, &[(Some(Mode::NAMED), 24)])?));
            }
            *try_alone = false;
        }
        let ways = ways(self.system, self.counters, o);
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
        match self.counters {
            Some(counters) => self.with_more_threads(counters, o),
            None => Ok(None),
        }
    }

    /// An instance of counters in which an obligation fails, with as few threads as possible: their models
    /// are states, of any number of threads, and for any constants.
    fn with_more_threads(&self, counters: &Counters, o: &Obligation) -> Result<Option<Found>, SolverError> {
        let Ok(mut script) = counters.script(o) else { return Ok(None) };
        script.values = counters.names(false);
        let work = (self.options.work / 20).max(500_000);
        if !matches!(self.ask(self.options.solver, &script, work)?, Answer::Sat(_)) {
            return Ok(None);
        }
        for threads in 1..=MOST_THREADS {
            let question = counters.with_threads(&script, threads);
            let Answer::Sat(text) = self.ask(self.options.solver, &question, work)? else { continue };
            let Some((instance, _)) = counters.state(&text) else { continue };
            let solvers = &mut *self.solvers.borrow_mut();
            return counterexample(self.system, &instance, o, (solvers, self.options.solver), work);
        }
        Ok(None)
    }
}
