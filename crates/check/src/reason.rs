//! Why an execution is none of sequential consistency: a cycle of program order and communication.
//!
//! Under every model an execution is one that its constraints allow; what a reader wants to know is which
//! constraint of the model that they have in mind it breaks. Sequential consistency forbids cycles of `po |
//! rf | co | fr`, and an execution that has no interleaving has one. The shortest is shown, counted in steps
//! from one thread to another; and the steps of it that are program order are where something may be
//! missing.

use selvedge_graph::{EventId, ExecutionGraph, Kind};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Events that are looked at, about: in large executions, cycles are looked for from some of them only.
const WORK: usize = 4_000_000;

/// What forbids an execution elsewhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// The model that forbids it.
    pub forbidden_by: String,
    /// Its constraint.
    pub constraint: String,
    /// The events that break it, each with the next one; the last leads back to the first.
    pub cycle: Vec<Edge>,
    /// Pairs of events that would have to be ordered, all of them: on a cycle, those of one thread.
    pub orders: Vec<(usize, usize)>,
}

impl Reason {
    /// Of two accesses that race.
    pub(crate) fn race(one: usize, other: usize) -> Reason {
        Reason {
            forbidden_by: String::from("C"),
            constraint: String::from(
                "of two conflicting accesses, one of them plain, one happens before the other",
            ),
            cycle: Vec::new(),
            orders: vec![(one, other)],
        }
    }
}

/// A step of a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// Number of an event.
    pub from: usize,
    /// `po`, `rf`, `co` or `fr`.
    pub relation: String,
    /// Number of an event.
    pub to: usize,
}

/// The reason, by the numbers of events, if there is one.
pub fn reason(g: &ExecutionGraph, numbers: &[usize]) -> Option<Reason> {
    let cycle = shortest(g)?;
    let edge = |&(from, relation, to): &(EventId, &str, EventId)| Edge {
        from: numbers[from.index()],
        relation: relation.to_string(),
        to: numbers[to.index()],
    };
    let cycle: Vec<Edge> = cycle.iter().map(edge).collect();
    let orders = cycle.iter().filter(|edge| edge.relation == "po").map(|edge| (edge.from, edge.to)).collect();
    let constraint = String::from("acyclic (po | rf | co | fr)");
    Some(Reason { forbidden_by: String::from("sc"), constraint, cycle, orders })
}

type Step = (EventId, &'static str, EventId);

/// Steps from an event to others; initial values begin no cycle.
fn communicates(g: &ExecutionGraph, e: EventId) -> Vec<(&'static str, EventId)> {
    let ev = g.event(e);
    let mut next = Vec::new();
    match ev.kind {
        Kind::Write => {
            next.extend(g.readers(e, ev.loc).map(|r| ("rf", r)));
            next.extend(g.co_pos(e).and_then(|at| g.co(ev.loc).get(at + 1)).map(|&w| ("co", w)));
        }
        Kind::Read => {
            let source = g.rf(e).and_then(|source| g.co_pos(source));
            let after = source.and_then(|at| g.co(ev.loc).get(at + 1)).filter(|&&w| w != e);
            next.extend(after.filter(|&&w| g.rmw_read_of(w) != Some(e)).map(|&w| ("fr", w)));
        }
        _ => {}
    }
    next
}

fn shortest(g: &ExecutionGraph) -> Option<Vec<Step>> {
    let mut best: Option<Vec<Step>> = None;
    let starts = g.order().iter().copied().filter(|e| !e.is_init());
    let most = WORK / g.len().max(1) + 1;
    // A cycle leaves a thread somewhere.
    let leaves = |e: EventId| communicates(g, e).iter().any(|(_, to)| g.event(*to).tid != g.event(e).tid);
    for start in starts.filter(|&e| leaves(e)).take(most) {
        let found = cycle_from(g, start, best.as_ref().map_or(usize::MAX, |best| crossings(best)));
        if let Some(found) = found {
            best = Some(found);
        }
    }
    best.map(|cycle| joined(&cycle))
}

fn crossings(cycle: &[Step]) -> usize {
    cycle.iter().filter(|(_, relation, _)| *relation != "po").count()
}

/// The cycle through `start` with the fewest steps of communication, if it has fewer than `fewer`. Steps of
/// program order cost nothing, so they are taken first.
fn cycle_from(g: &ExecutionGraph, start: EventId, fewer: usize) -> Option<Vec<Step>> {
    let mut before: Vec<Option<Step>> = vec![None; g.arena_len()];
    let mut cost = vec![usize::MAX; g.arena_len()];
    let mut open = VecDeque::from([(start, 0)]);
    cost[start.index()] = 0;
    let mut closing: Option<(usize, Step)> = None;
    while let Some((e, at)) = open.pop_front() {
        if at > cost[e.index()] || at + 1 >= fewer {
            continue;
        }
        let ev = g.event(e);
        let next = g.thread(ev.tid).get(ev.idx as usize).map(|&next| ("po", next, 0));
        let others = communicates(g, e).into_iter().map(|(relation, to)| (relation, to, 1));
        for (relation, to, price) in next.into_iter().chain(others) {
            if to == start {
                if closing.as_ref().is_none_or(|(known, _)| at + price < *known) {
                    closing = Some((at + price, (e, relation, to)));
                }
            } else if at + price < cost[to.index()] {
                cost[to.index()] = at + price;
                before[to.index()] = Some((e, relation, to));
                if price == 0 { open.push_front((to, at)) } else { open.push_back((to, at + price)) }
            }
        }
    }
    let (price, last) = closing.filter(|(price, _)| *price < fewer && *price > 0)?;
    debug_assert!(price > 0, "program order has no cycle");
    let mut cycle = vec![last];
    let mut at = last.0;
    while at != start {
        let step = before[at.index()]?;
        cycle.push(step);
        at = step.0;
    }
    cycle.reverse();
    Some(cycle)
}

/// Steps of program order that follow each other become one, also where the cycle begins.
fn joined(cycle: &[Step]) -> Vec<Step> {
    let begin = cycle.iter().position(|(_, relation, _)| *relation != "po").unwrap_or(0);
    let mut all: Vec<Step> = Vec::new();
    for &(from, relation, to) in cycle[begin..].iter().chain(&cycle[..begin]) {
        match all.last_mut() {
            Some(last) if last.1 == "po" && relation == "po" => last.2 = to,
            _ => all.push((from, relation, to)),
        }
    }
    all
}
