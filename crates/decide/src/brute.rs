//! All small executions: the slow path that verdicts are checked against.
//!
//! Shares nothing with the automata: executions are built event by event, and both sides of a claim
//! are evaluated by the oracle's matrices.

use crate::class::Atom;
use crate::witness::Plan;
use selvedge_certify::execution::{Event, NO_LOC, Relations};
use selvedge_graph::Kind;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Events besides the initialising one.
    pub events: usize,
    pub locations: u32,
    /// Executions to look at.
    pub executions: u64,
}

/// Whether all executions within the bounds were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    All,
    /// The visitor stopped.
    Stopped,
    /// The limit of executions was reached.
    Limited,
}

/// Visits all well-formed executions with events of these sorts, until the visitor returns true.
/// Executions that differ in the names of threads and locations only are visited once, mostly.
pub fn executions(
    sorts: &[Atom],
    bounds: Bounds,
    visit: &mut dyn FnMut(&[Event], &Relations) -> bool,
) -> Coverage {
    let mut left = bounds.executions;
    for n in 1..=bounds.events {
        let mut events = vec![Event::init()];
        match extend(sorts, bounds, n, &mut events, &mut left, visit) {
            Coverage::All => {}
            other => return other,
        }
    }
    Coverage::All
}

fn extend(
    sorts: &[Atom],
    bounds: Bounds,
    n: usize,
    events: &mut Vec<Event>,
    left: &mut u64,
    visit: &mut dyn FnMut(&[Event], &Relations) -> bool,
) -> Coverage {
    if events.len() > n {
        return complete(events, left, visit);
    }
    let last = *events.last().unwrap_or(&Event::init());
    let first = events.len() == 1;
    let fresh = events.iter().filter(|e| e.loc != NO_LOC).map(|e| e.loc + 1).max().unwrap_or(0);
    // The read of a read-modify-write is followed by its write.
    let owed = last.rmw && last.kind == Kind::Read;
    for sort in sorts.iter().filter(|s| s.kind != Kind::Init) {
        let access = matches!(sort.kind, Kind::Read | Kind::Write);
        let half = sort.rmw && sort.kind == Kind::Write;
        if half != owed || (half && sort.mode != last.mode) || (sort.rmw && !half && events.len() == n) {
            continue;
        }
        let locs = if access { (fresh + 1).min(bounds.locations) } else { 1 };
        for loc in 0..locs {
            if half && loc != last.loc {
                continue;
            }
            for new_thread in [false, true] {
                if (first && !new_thread) || (half && new_thread) {
                    continue;
                }
                let (tid, idx) = match (first, new_thread) {
                    (true, _) => (0, 1),
                    (false, true) => (last.tid + 1, 1),
                    (false, false) => (last.tid, last.idx + 1),
                };
                let loc = if access { loc } else { NO_LOC };
                events.push(Event { tid, idx, loc, rmw: sort.rmw, ..Event::new(sort.kind, sort.mode) });
                let done = extend(sorts, bounds, n, events, left, visit);
                events.pop();
                if done != Coverage::All {
                    return done;
                }
            }
        }
    }
    Coverage::All
}

fn complete(
    events: &[Event],
    left: &mut u64,
    visit: &mut dyn FnMut(&[Event], &Relations) -> bool,
) -> Coverage {
    let plan = Plan { events, base: Relations::of(events), rf: vec![], co: vec![], fr: vec![] };
    let mut stopped = false;
    let mut limited = false;
    plan.each(&mut usize::MAX.clone(), &mut |r| {
        if *left == 0 {
            limited = true;
            return true;
        }
        *left -= 1;
        stopped = visit(events, &r);
        stopped
    });
    match (stopped, limited) {
        (true, _) => Coverage::Stopped,
        (false, true) => Coverage::Limited,
        (false, false) => Coverage::All,
    }
}
