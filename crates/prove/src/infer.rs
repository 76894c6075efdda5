//! Looking for an invariant: candidates from templates, those that fail are dropped until the rest is
//! inductive.
//!
//! For systems of threads that are told apart by finitely many local states (threshold-like barriers). The
//! templates: a shared number and linear sums of how many threads are in which locations (with a local truth
//! value compared to a shared one), what holds of locals at a location, what a location says about a shared
//! number. Houdini: all candidates that hold in small instances are assumed; those that a step does not keep
//! are dropped, until nothing changes. What stays is the strongest conjunction of candidates that is
//! inductive.

use crate::counters::Counters;
use crate::eval::{Instance, State};
use crate::expr::{Domain, Expr, Type};
use crate::obligation::{Obligation, Origin, initial};
use crate::prover::{Options, Report, Verdict, prove};
use crate::reach::reachable;
use crate::solver::{Answer, Solver, SolverError, Solvers};
use crate::structure::instances;
use crate::system::{Claim, Kind, PC, System};
use std::collections::HashSet;

/// What was found.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// How many candidates there were.
    pub candidates: usize,
    /// Those that are inductive together: a name, and a formula to paste.
    pub kept: Vec<(String, String)>,
    /// The proof with them.
    pub report: Report,
}

/// Why nothing can be looked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InferError {
    /// A solver cannot be asked.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The system is of another kind.
    #[error("invariants are looked for where threads are told apart by finitely many local states: {0}")]
    Kind(String),
}

/// How much work may be spent on whether a step keeps candidates.
const CANDIDATE: u64 = 4_000_000;

/// In so many states candidates are compared.
const SAMPLES: usize = 3_000;

struct Candidate {
    text: String,
    formula: Expr,
}

/// Looks for an invariant, with what the text has for a start, and proves the system with it.
///
/// # Errors
/// If the system is of another kind, or a solver cannot be asked.
pub fn infer(system: &System, options: &Options) -> Result<Inferred, InferError> {
    Counters::of(system).map_err(InferError::Kind)?;
    let mut candidates = candidates(system);
    let all = candidates.len();
    let bare = System { invariant: Vec::new(), phases: Vec::new(), ..system.clone() };
    // What does not hold in reachable states of small instances is no invariant.
    for n in 1..=options.small {
        for instance in instances(system, &[n]) {
            let states = reachable(&bare, &instance, options.states);
            candidates.retain(|c| states.iter().all(|state| instance.holds(system, state, &c.formula)));
        }
    }
    candidates = different(system, candidates);
    let mut with = system.clone();
    let mut solvers = Solvers::default();
    // These are easy, or not worth it.
    let work = options.work.min(CANDIDATE);
    // Until nothing changes.
    loop {
        with.invariant = system.invariant.iter().filter(|c| c.phase.is_none()).cloned().collect();
        with.invariant.extend(candidates.iter().map(|c| claim(&c.text, c.formula.clone())));
        let known: Vec<Expr> = with.invariant.iter().map(|c| c.formula.clone()).collect();
        let mut origins = vec![(Origin::Init, initial(&with))];
        origins.extend((0..with.steps.len()).map(|s| (Origin::Step(s), known.clone())));
        let before = candidates.len();
        for (origin, known) in origins {
            let goal = Expr::Bool(false);
            let o = Obligation { origin, phase: None, target: None, conjunct: None, known, goal };
            keep(system, &o, &mut candidates, (&mut solvers, options.solver, work))?;
        }
        if candidates.len() == before {
            break;
        }
    }
    // What follows from the others says nothing new; the longer ones come last.
    for i in (0..candidates.len()).rev() {
        let others = system.invariant.iter().filter(|c| c.phase.is_none()).map(|c| &c.formula);
        let rest = candidates.iter().enumerate().filter(|c| c.0 != i).map(|c| &c.1.formula);
        let known = others.chain(rest).cloned().collect();
        let goal = candidates[i].formula.clone();
        let (origin, conjunct) = (Origin::Deadlock, None);
        let o = Obligation { origin, phase: None, target: None, conjunct, known, goal };
        let counters = Counters::of(system).map_err(InferError::Kind)?;
        if let Ok(script) = counters.script(&o)
            && solvers.ask(options.solver, &script, work)? == Answer::Unsat
        {
            candidates.remove(i);
        }
    }
    with.invariant = system.invariant.clone();
    let kept: Vec<(String, String)> =
        candidates.iter().enumerate().map(|(i, c)| (format!("found{}", i + 1), c.text.clone())).collect();
    with.invariant.extend(candidates.iter().zip(&kept).map(|(c, k)| claim(&k.0, c.formula.clone())));
    let report = prove(&with, options)?;
    let mut result = Inferred { candidates: all, kept, report };
    if result.report.verdict == Verdict::Proved {
        shorten(&mut with, &mut result, options)?;
    }
    Ok(result)
}

/// Of candidates that are true in the same states, the first: they mostly say the same. What is left out is
/// not used, so nothing depends on whether they do.
fn different(system: &System, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let states = some_states(system);
    let mut seen = HashSet::new();
    let mut found = candidates;
    found.retain(|c| {
        let holds: Vec<bool> = states.iter().map(|(i, s)| i.holds(system, s, &c.formula)).collect();
        // What holds everywhere says nothing.
        !holds.iter().all(|h| *h) && seen.insert(holds)
    });
    found
}

/// States of small instances, reachable or not, drawn by a generator of our own: always the same ones.
fn some_states(system: &System) -> Vec<(Instance, State)> {
    let mut seed = 1u64;
    let mut draw = |low: i64, high: i64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + ((seed >> 33) as i64) % (high - low + 1)
    };
    let mut found = Vec::new();
    for n in 0..SAMPLES {
        let threads = 1 + n % 4;
        let instance = Instance::plain(&[threads]);
        let mut state = State { cells: vec![Vec::new(); system.symbols.len()], ..State::default() };
        for (i, symbol) in system.symbols.iter().enumerate() {
            let cells = if symbol.args.is_empty() { 1 } else { threads };
            let (low, high) = match (symbol.ty, symbol.range) {
                (_, Some(range)) => range,
                (Type::Bool, _) => (0, 1),
                (Type::Enum(e), _) => (0, system.enums[e].values.len() as i64 - 1),
                _ => (-1, threads as i64 + 1),
            };
            state.cells[i] = (0..cells).map(|_| draw(low, high)).collect();
        }
        found.push((instance, state));
    }
    found
}

/// Drops the candidates that an obligation's step does not keep. A solver is asked whether it can fail to
/// keep one of them; the state that it shows drops all that are false in it.
fn keep(
    system: &System,
    o: &Obligation,
    candidates: &mut Vec<Candidate>,
    (solvers, solver, work): (&mut Solvers, Solver, u64),
) -> Result<(), InferError> {
    let counters = Counters::of(system).map_err(InferError::Kind)?;
    let after = matches!(o.origin, Origin::Step(_));
    let Ok(question) = counters.script(o) else {
        candidates.clear();
        return Ok(());
    };
    loop {
        let all = Expr::and(candidates.iter().map(|c| c.formula.clone()));
        let before = candidates.len();
        if let Ok(mut script) = counters.with_goal(&question, &all, after) {
            script.values = counters.names(after);
            match solvers.ask(solver, &script, work)? {
                Answer::Unsat => return Ok(()),
                Answer::Sat(text) => {
                    if let Some((instance, state)) = counters.state(&text) {
                        candidates.retain(|c| instance.holds(system, &state, &c.formula));
                    }
                }
                Answer::Unknown(_) => {}
            }
        }
        if candidates.len() < before {
            continue;
        }
        // It does not know, or its state is too large to look at: one by one.
        let mut kept = Vec::new();
        for c in candidates.drain(..) {
            let script = counters.with_goal(&question, &c.formula, after);
            if let Ok(script) = script
                && solvers.ask(solver, &script, work)? == Answer::Unsat
            {
                kept.push(c);
            }
        }
        *candidates = kept;
        return Ok(());
    }
}

/// Leaves out what the proof does not need.
fn shorten(with: &mut System, result: &mut Inferred, options: &Options) -> Result<(), SolverError> {
    let mut at = result.kept.len();
    while at > 0 {
        at -= 1;
        let mut less = with.clone();
        let place = less.invariant.iter().position(|c| c.name == result.kept[at].0);
        let Some(place) = place else { continue };
        less.invariant.remove(place);
        if crate::prover::prove_only(&less, options)? == Verdict::Proved {
            *with = less;
            result.kept.remove(at);
        }
    }
    Ok(())
}

fn claim(name: &str, formula: Expr) -> Claim {
    Claim { name: name.to_string(), line: 0, phase: None, formula }
}

/// Sets of locations that templates speak of: one, and from the first to one.
fn location_sets(system: &System) -> Vec<Vec<usize>> {
    let n = system.ends.len();
    let mut found: Vec<Vec<usize>> = (0..n).map(|l| vec![l]).collect();
    found.extend((1..n.saturating_sub(1)).map(|last| (0..=last).collect()));
    found.extend((0..n).flat_map(|a| (a + 1..n).map(move |b| vec![a, b])).filter(|s| *s != [0, 1]));
    found
}

fn candidates(system: &System) -> Vec<Candidate> {
    let mut found = Vec::new();
    let thread = |v: u32| Expr::Var(v, Type::Sort(system.threads));
    let sort = &system.sorts[system.threads].name;
    let (t, u) = (system.fresh + 500_001, system.fresh + 500_002);
    let names = &system.enums[0].values;
    let at = |v: u32, set: &[usize]| {
        Expr::or(set.iter().map(|l| Expr::App(PC, vec![thread(v)]).equals(Expr::Lit(0, *l))))
    };
    let at_text = |v: &str, set: &[usize]| {
        let all: Vec<&str> = set.iter().map(|l| names[*l].as_str()).collect();
        if all.len() == 1 { format!("{v} @ {}", all[0]) } else { format!("{v} @ {{{}}}", all.join(", ")) }
    };
    let shared = |ty: Type| {
        (0..system.symbols.len()).filter(move |s| {
            let x = &system.symbols[*s];
            x.kind == Kind::Shared && x.args.is_empty() && x.ty == ty
        })
    };
    let flags: Vec<usize> = (1..system.symbols.len())
        .filter(|s| system.symbols[*s].kind == Kind::Local && system.symbols[*s].ty == Type::Bool)
        .collect();
    let every = |e: Expr| Expr::All(t, Domain::Sort(system.threads), Box::new(e));
    // Conditions on one thread: where it is, perhaps with a flag that is, or is not, a shared one.
    let mut conditions: Vec<(String, Expr)> =
        location_sets(system).iter().map(|set| (at_text("t", set), at(t, set))).collect();
    let mut facts: Vec<(String, Expr)> = Vec::new();
    for flag in &flags {
        let own = Expr::App(*flag, vec![thread(t)]);
        let name = &system.symbols[*flag].name;
        facts.push((format!("{name}[t]"), own.clone()));
        facts.push((format!("!{name}[t]"), own.clone().not()));
        for s in shared(Type::Bool) {
            let same = own.clone().equals(Expr::App(s, vec![]));
            facts.push((format!("{name}[t] == {}", system.symbols[s].name), same.clone()));
            facts.push((format!("{name}[t] != {}", system.symbols[s].name), same.not()));
        }
    }
    for (l, name) in names.iter().enumerate() {
        for (text, fact) in &facts {
            // A location implies a fact about its threads.
            let here = at(t, &[l]);
            found.push(Candidate {
                text: format!("forall t: {sort}. t @ {} => {text}", name),
                formula: every(here.clone().implies(fact.clone())),
            });
            conditions.push((format!("t @ {} && {text}", name), Expr::and([here, fact.clone()])));
        }
    }
    // Locals with few values have one at a location, perhaps with a fact.
    for (i, symbol) in system.symbols.iter().enumerate() {
        let (Kind::Local, Some((low, high))) = (symbol.kind, symbol.range) else { continue };
        for value in (low..=high).take(4) {
            let is = Expr::App(i, vec![thread(t)]).equals(Expr::Int(value));
            for (text, here) in &conditions {
                found.push(Candidate {
                    text: format!("forall t: {sort}. {text} => {}[t] == {value}", symbol.name),
                    formula: every(here.clone().implies(is.clone())),
                });
            }
        }
    }
    let ints: Vec<usize> = shared(Type::Int).collect();
    let size = Expr::Size(system.threads);
    for x in &ints {
        let name = &system.symbols[*x].name;
        let value = Expr::App(*x, vec![]);
        let card = |c: &Expr| Expr::Card(t, system.threads, Box::new(c.clone()));
        let mut sums: Vec<(String, Expr)> = Vec::new();
        for (i, (text, c)) in conditions.iter().enumerate() {
            sums.push((format!("#{{t: {sort} | {text}}}"), card(c)));
            // And the rest: all but those that are here or there.
            for (other, d) in &conditions[..i] {
                let both = Expr::or([c.clone(), d.clone()]);
                let text = format!("#{sort} - #{{t: {sort} | {other} || {text}}}");
                sums.push((text, size.clone().plus(card(&both).times(-1))));
            }
            sums.push((format!("#{sort} - #{{t: {sort} | {text}}}"), size.clone().plus(card(c).times(-1))));
        }
        for (text, sum) in &sums {
            found.push(Candidate {
                text: format!("{name} == {text}"),
                formula: value.clone().equals(sum.clone()),
            });
        }
        // The same while nobody is at a location, and something else while somebody is.
        for l in 0..names.len() {
            let somebody = Expr::Any(u, Domain::Sort(system.threads), Box::new(at(u, &[l])));
            for (text, sum) in sums.iter().filter(|_| names.len() > 3) {
                found.push(Candidate {
                    text: format!("!(exists u: {sort}. u @ {}) => {name} == {text}", names[l]),
                    formula: somebody.clone().not().implies(value.clone().equals(sum.clone())),
                });
            }
            let whole = value.clone().equals(size.clone());
            found.push(Candidate {
                text: format!("(exists u: {sort}. u @ {}) => {name} == #{sort}", names[l]),
                formula: somebody.clone().implies(whole),
            });
            found.push(Candidate {
                text: format!("(exists u: {sort}. u @ {}) => {name} == 0", names[l]),
                formula: somebody.implies(value.clone().equals(Expr::Int(0))),
            });
        }
        found.push(Candidate { text: format!("{name} >= 0"), formula: Expr::Int(0).at_most(value.clone()) });
        for set in location_sets(system) {
            let nobody = every(at(t, &set).not());
            found.push(Candidate {
                text: format!("(forall t: {sort}. !({})) => {name} >= 1", at_text("t", &set)),
                formula: nobody.implies(Expr::Int(1).at_most(value.clone())),
            });
        }
    }
    // Who is alone, and where the others are then.
    for set in location_sets(system) {
        let distinct = thread(u).equals(thread(t)).not();
        for (text, fact) in conditions.iter().filter(|_| set.len() <= 2) {
            let others = Expr::and([at(u, &set), distinct.clone()]).implies(fact.clone());
            found.push(Candidate {
                text: format!("forall u, t: {sort}. {} && u != t => {text}", at_text("u", &set)),
                formula: Expr::All(u, Domain::Sort(system.threads), Box::new(every(others))),
            });
        }
    }
    found
}
