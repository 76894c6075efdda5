//! All reachable states of a small instance, breadth first: real bugs with the shortest way to them.

use crate::eval::{Env, Instance, State};
use crate::expr::{Expr, SELF};
use crate::forever::{self, Edge};
use crate::ranks::Fall;
use crate::system::System;
use std::collections::HashMap;

/// What is wrong with a reachable state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A property does not hold.
    Property(usize),
    /// An assertion of a step does not hold: the step, and which of its assertions.
    Assertion(usize, usize),
    /// Nobody can go on, and somebody has not ended.
    Deadlock,
    /// It goes on for ever, and a rank says that it does not: from this state of the way on it is repeated.
    Forever(usize),
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Which step.
    pub step: usize,
    /// By whom, with what was chosen.
    pub env: Env,
}

/// What was found out about an instance.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// How many states.
    pub states: usize,
    /// All of them were looked at.
    pub complete: bool,
    /// The first bug, with the states on the way and the steps between them.
    pub bug: Option<(Bug, Vec<State>, Vec<Taken>)>,
    /// Which steps were taken somewhere.
    pub taken: Vec<bool>,
    /// A conjunct of the invariant that does not hold in a reachable state, and that state; the whole
    /// invariant if there are phases and none holds.
    pub broken: Option<(usize, State)>,
    /// What is claimed of the rank and does not hold in a reachable state, and that state.
    pub unranked: Option<(Fall, State)>,
    /// Whether the left side of each property holds somewhere.
    pub premise: Vec<bool>,
    /// By phase and step: the phases that held after the step whenever it was taken in that phase, as bits.
    pub lands: Vec<Vec<Option<u64>>>,
}

/// The left side of `forall … . a => b`, as a formula that says that it holds for someone.
fn premise(e: &Expr) -> Expr {
    match e {
        Expr::All(v, d, body) => Expr::Any(*v, d.clone(), Box::new(premise(body))),
        // An implication is a disjunction whose last part is the right side.
        Expr::Or(parts) => Expr::and(parts[..parts.len() - 1].iter().map(|p| p.clone().not())),
        _ => Expr::Bool(true),
    }
}

/// Whether the invariant holds: all conjuncts of all phases, and of one phase (`phases`: those that hold); if
/// not, one that does not.
fn invariant_broken(system: &System, instance: &Instance, state: &State, phases: u64) -> Option<usize> {
    let fails = |c: &usize| !instance.holds(system, state, &system.invariant[*c].formula);
    let of = |phase: Option<usize>| {
        (0..system.invariant.len()).filter(move |c| system.invariant[*c].phase == phase).find(fails)
    };
    if let Some(c) = of(None) {
        return Some(c);
    }
    if phases != 0 {
        return None;
    }
    let broken: Vec<usize> = (0..system.phases.len()).map_while(|p| of(Some(p))).collect();
    if broken.len() < system.phases.len() { None } else { broken.last().copied() }
}

/// The phases whose conjuncts hold, as bits.
fn phases_of(system: &System, instance: &Instance, state: &State) -> u64 {
    let holds = |p: usize| {
        let mut of = system.invariant.iter().filter(|c| c.phase == Some(p));
        of.all(|c| instance.holds(system, state, &c.formula))
    };
    (0..system.phases.len().min(64)).filter(|p| holds(*p)).fold(0, |bits, p| bits | 1 << p)
}

/// Numbers of states that are looked at, at most. Systems with larger factors than a million are refused.
const LARGEST: i64 = 1 << 31;

/// Explores an instance up to a number of states.
pub fn reach(system: &System, instance: &Instance, most: usize, deadlock: bool) -> Reached {
    walk(system, instance, most, deadlock, &mut Vec::new())
}

/// The reachable states of an instance, up to a number, or up to a bug.
pub fn reachable(system: &System, instance: &Instance, most: usize) -> Vec<State> {
    let mut states = Vec::new();
    walk(system, instance, most, false, &mut states);
    states
}

fn walk(
    system: &System,
    instance: &Instance,
    most: usize,
    deadlock: bool,
    states: &mut Vec<State>,
) -> Reached {
    let mut found = Reached {
        taken: vec![false; system.steps.len()],
        premise: vec![false; system.properties.len()],
        lands: vec![vec![None; system.steps.len()]; system.phases.len()],
        ..Reached::default()
    };
    let Some(initial) = instance.initial_states(system) else { return found };
    let premises: Vec<Expr> = system.properties.iter().map(|p| premise(&p.formula)).collect();
    let t = Expr::this(system.threads);
    let ended = system.ended(&t);
    let ranked = system.ends_are_claimed();
    let bounds = system.bounds();
    let falls: Vec<Vec<(Fall, Expr)>> = (0..system.steps.len()).map(|s| system.falls_of(s)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    let mut from: Vec<Option<(usize, Taken)>> = Vec::new();
    // The phases of each state: looked at once.
    let mut phases: Vec<u64> = Vec::new();
    let mut known: HashMap<State, usize> = HashMap::new();
    for state in initial {
        if !known.contains_key(&state) {
            known.insert(state.clone(), states.len());
            phases.push(phases_of(system, instance, &state));
            states.push(state);
            from.push(None);
        }
    }
    let trace = |states: &[State], from: &[Option<(usize, Taken)>], mut at: usize| {
        let (mut way, mut steps) = (vec![states[at].clone()], Vec::new());
        while let Some((before, taken)) = &from[at] {
            way.push(states[*before].clone());
            steps.push(taken.clone());
            at = *before;
        }
        way.reverse();
        steps.reverse();
        (way, steps)
    };
    let (mut next, mut large) = (0, false);
    while next < states.len() {
        let state = states[next].clone();
        for (p, property) in system.properties.iter().enumerate() {
            found.premise[p] = found.premise[p] || instance.holds(system, &state, &premises[p]);
            if !instance.holds(system, &state, &property.formula) {
                let (way, steps) = trace(states, &from, next);
                found.states = states.len();
                found.bug = Some((Bug::Property(p), way, steps));
                return found;
            }
        }
        if found.broken.is_none()
            && let Some(c) = invariant_broken(system, instance, &state, phases[next])
        {
            found.broken = Some((c, state.clone()));
        }
        if found.unranked.is_none()
            && let Some((fall, _)) = bounds.iter().find(|b| !instance.holds(system, &state, &b.1))
        {
            found.unranked = Some((*fall, state.clone()));
        }
        let mut moves = false;
        let before = phases[next];
        for (s, step) in system.steps.iter().enumerate() {
            for mut env in instance.ways(system, &state, step) {
                moves = true;
                found.taken[s] = true;
                for (a, assertion) in step.asserts.iter().enumerate() {
                    if instance.eval(system, &state, &mut env, &assertion.formula) == 0 {
                        let (mut way, mut steps) = trace(states, &from, next);
                        way.push(instance.apply(system, &state, step, &env));
                        steps.push(Taken { step: s, env });
                        found.states = states.len();
                        found.bug = Some((Bug::Assertion(s, a), way, steps));
                        return found;
                    }
                }
                if found.unranked.is_none()
                    && let Some((fall, _)) =
                        falls[s].iter().find(|f| instance.eval(system, &state, &mut env.clone(), &f.1) == 0)
                {
                    found.unranked = Some((*fall, state.clone()));
                }
                let new = instance.apply(system, &state, step, &env);
                // Terms are evaluated in 64 bits: states from which they could leave them are not looked at.
                if new.cells.iter().flatten().chain(new.beyond.values()).any(|v| v.abs() > LARGEST) {
                    large = true;
                    continue;
                }
                let thread = env.first().map_or(0, |e| e.1);
                let at = match known.get(&new) {
                    Some(at) => *at,
                    None => {
                        known.insert(new.clone(), states.len());
                        phases.push(phases_of(system, instance, &new));
                        states.push(new);
                        from.push(Some((next, Taken { step: s, env })));
                        states.len() - 1
                    }
                };
                if ranked {
                    edges.push(Edge { from: next, step: s, thread, to: at });
                }
                if before != 0 {
                    let after = phases[at];
                    for p in (0..system.phases.len()).filter(|p| before >> p & 1 == 1) {
                        let mask = &mut found.lands[p][s];
                        *mask = Some(mask.unwrap_or(u64::MAX) & after);
                    }
                }
            }
        }
        if !moves && deadlock {
            let threads = 0..instance.sizes[system.threads] as i64;
            let all_ended =
                threads.into_iter().all(|x| instance.eval(system, &state, &mut vec![(SELF, x)], &ended) != 0);
            if !all_ended {
                let (way, steps) = trace(states, &from, next);
                found.states = states.len();
                found.bug = Some((Bug::Deadlock, way, steps));
                return found;
            }
        }
        next += 1;
        if states.len() > most {
            break;
        }
    }
    found.states = states.len();
    found.complete = !large && next == states.len();
    if ranked
        && let Some(round) =
            forever::cycle(system, &edges, states.len(), next, instance.sizes[system.threads] as i64)
    {
        let (mut way, mut steps) = trace(states, &from, round[0].from);
        let begin = way.len() - 1;
        for edge in round {
            let step = &system.steps[edge.step];
            let ways = instance.ways(system, &states[edge.from], step);
            let goes = |env: &Env| {
                env.first().map_or(0, |e| e.1) == edge.thread
                    && instance.apply(system, &states[edge.from], step, env) == states[edge.to]
            };
            let Some(env) = ways.into_iter().find(goes) else { return found };
            way.push(states[edge.to].clone());
            steps.push(Taken { step: edge.step, env });
        }
        found.bug = Some((Bug::Forever(begin), way, steps));
    }
    found
}
