//! Threads that are still inside of a call when the memory goes that the call works on.
//!
//! A thread on its way out of a barrier may look at the barrier's memory once more. So the memory may go only
//! after all who arrived have left, or after the barrier was destroyed, which waits for them.

use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc};
use selvedge_machine::{Machine, Meeting};

/// A wait at a barrier in the memory of `object` that may not be over where `end`, the end of the object's
/// life, is reached. `sees` says whether an event comes before `end`.
pub fn still_inside<M: Machine>(
    machine: &M,
    g: &ExecutionGraph,
    object: u32,
    sees: impl Fn(EventId) -> bool,
) -> Option<EventId> {
    machine.waits_within(object).into_iter().find_map(|meeting| {
        let last = g.co(meeting.word).iter().rev().copied().find(|&w| w.is_init() || sees(w))?;
        if g.value_of(last, meeting.word) != meeting.alive {
            return None;
        }
        let mut arrivals = arrivals(g, &meeting).into_iter();
        arrivals.find(|&arrival| !departure(g, &meeting, arrival).is_some_and(&sees))
    })
}

fn arrivals(g: &ExecutionGraph, meeting: &Meeting) -> Vec<EventId> {
    let counted = meeting.counter.filter(|loc| loc.index() < g.locations());
    let counted = counted.map_or(&[][..], |loc| g.co(loc)).iter().copied().filter(|w| !w.is_init());
    let is_arrival =
        |e: &EventId| g.event(*e).kind == Kind::Arrive && g.event(*e).value as u32 == meeting.barrier;
    counted.chain(g.order().iter().copied().filter(is_arrival)).collect()
}

/// Where the thread that arrived knows that its round is complete.
fn departure(g: &ExecutionGraph, meeting: &Meeting, arrival: EventId) -> Option<EventId> {
    let ev = g.event(arrival);
    let next = g.thread(ev.tid).get(ev.idx as usize).copied();
    if ev.kind == Kind::Arrive {
        return next.filter(|&x| g.event(x).kind == Kind::Depart);
    }
    let (loc, count) = (ev.loc, i64::from(meeting.count));
    let complete = (g.value_of(arrival, loc) + count - 1) / count * count;
    if g.value_of(arrival, loc) == complete {
        return Some(arrival);
    }
    next.filter(|&x| read_value(g, x, loc) == Some(complete))
}

fn read_value(g: &ExecutionGraph, x: EventId, loc: Loc) -> Option<i64> {
    let ev = g.event(x);
    let source = g.rf(x).filter(|_| ev.kind == Kind::Read && ev.loc == loc)?;
    Some(g.value_of(source, loc))
}
