//! Decisions by numbers that nobody knows, where several threads make some: whether they go together.
//!
//! A thread knows which of its decisions are still open as far as it is concerned. Whether the number that
//! one thread has found to be positive is the one that another has found to be negative, only the graph can
//! tell: it is asked of the machine ([`Machine::go_together`]) for the states that threads have come to.
//! What does not go together is no execution.
//!
//! That decisions go together is prefix-closed: there are no fewer numbers for fewer of them. It is
//! extensible, too: of a choice that comes next, some alternative goes with all that was decided. So it is
//! one more part of being consistent, and the argument of the algorithm holds as it is (thesis §5.4), with
//! the *first alternative that goes with what was there before* for the maximal one. That is what `f_ext`
//! adds, and what `IsMaximallyAdded` asks for: not among all alternatives, but among those that go with the
//! events that were added before the choice, or are in the causal prefix of the write that would delete it.
//! What a thread finds out by reading (that a compare-and-exchange found what it expected, where nobody knows
//! the numbers) is no part of this, as another value may always be read: it is an assumption, and counts
//! when all is there ([`Machine::agree`]).
//! Other choices have alternatives that always go together, and their first one is maximal as ever.

use crate::explorer::Explorer;
use crate::threads::Threads;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Tid, Value};
use selvedge_machine::{Agreement, Machine};

impl<M: Machine> Explorer<'_, M> {
    /// Whether a choice that was just added can go this way.
    #[inline]
    pub(crate) fn may_choose(&self, e: EventId, way: u32) -> bool {
        !self.machine.has_unknowns() || self.goes_with_others(e, way)
    }

    #[inline(never)]
    fn goes_with_others(&self, e: EventId, way: u32) -> bool {
        let chooser = self.graph.event(e).tid;
        let others = self.all_threads().filter(|&t| t != chooser);
        let others = others.filter_map(|t| Some((self.threads.state(t)?, None)));
        let own = self.threads.state_of(e).map(|state| (state, Some(way as Value)));
        self.machine.go_together(&mut own.into_iter().chain(others)) != Agreement::No
    }

    /// Whether all that was decided goes together.
    pub(crate) fn agreement(&self) -> Agreement {
        self.machine.agree(&mut self.all_threads().filter_map(|t| self.threads.state(t)))
    }

    fn all_threads(&self) -> impl Iterator<Item = Tid> + use<M> {
        (0..self.graph.threads() as u16).map(Tid)
    }
}

/// Whether a choice is the first of its alternatives that goes with the events up to it and those of a
/// causal prefix that it is not in.
pub(crate) fn is_first_choice<M: Machine>(
    machine: &M,
    threads: &Threads<M::State>,
    g: &ExecutionGraph,
    e: EventId,
    in_prefix: impl Fn(EventId) -> bool,
) -> bool {
    let ev = g.event(e);
    if ev.value == 0 || !machine.has_unknowns() {
        return ev.value == 0;
    }
    // Events of a thread that are there come before those that are not.
    let there = |x: EventId| g.event(x).stamp <= ev.stamp || in_prefix(x);
    let last = |t: Tid| g.thread(t).iter().rev().copied().find(|&x| there(x));
    let goes = |way: Value| {
        let lasts = (0..g.threads() as u16).map(Tid).filter_map(last);
        let mut standings = lasts.filter_map(|x| {
            let event = g.event(x);
            let chosen = if x == e { way } else { event.value };
            Some((threads.state_of(x)?, (event.kind == Kind::Choice).then_some(chosen)))
        });
        machine.go_together(&mut standings) != Agreement::No
    };
    !(0..ev.value).any(goes)
}
