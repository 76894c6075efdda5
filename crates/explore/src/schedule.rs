//! Which thread goes next: a function of the graph, never of the path that led to it.

use crate::explorer::Explorer;
use crate::reductions::annotations::waits;
use crate::reductions::assumptions::comes_to_nothing;
use crate::reductions::{Hooks, Reducers};
use crate::report::Schedule;
use crate::threads::{Status, Threads};
use selvedge_graph::{ExecutionGraph, Tid};
use selvedge_machine::{Machine, Op, Rmw};

impl<M: Machine> Explorer<'_, M> {
    /// The next thread, or `None` if the graph is final.
    #[inline]
    pub(crate) fn next_thread(&mut self) -> Option<Tid> {
        let awaits = Reducers::puts_off_waiting(self);
        let voids = awaits && self.reducers.assumptions.is_on();
        let (machine, g) = (self.machine, &self.graph);
        pick(self.config.schedule, &mut self.threads, g, awaits, |threads, t| {
            let Some(Op::Load { loc, rmw, .. }) = threads.op(t) else { return false };
            if voids && rmw != Rmw::No && comes_to_nothing(machine, threads, g, t) {
                return true;
            }
            let value = match g.co_last(loc) {
                Some(last) => g.value_of(last, loc),
                None => machine.init_value(loc),
            };
            waits(threads.peek_at(machine, t, value))
        })
    }
}

/// The next thread. With `awaits`, reads that `waits` says would only make their thread wait, or come to nothing, go
/// last, and a
/// compare-and-exchange goes right after the load that it confirms.
#[inline]
fn pick<S: Clone>(
    schedule: Schedule,
    threads: &mut Threads<S>,
    g: &ExecutionGraph,
    awaits: bool,
    mut waits: impl FnMut(&mut Threads<S>, Tid) -> bool,
) -> Option<Tid> {
    // The halves of a read-modify-write are adjacent (thesis §5.8).
    let urgent = threads.first_urgent();
    if let Some(t) = urgent
        && threads.status()[t.index()] == Status::RmwWrite
    {
        return Some(t);
    }
    // So are the parts of an access of several locations; those of a write go first: who reads the first part
    // is to find the others.
    let begun = |status: Status| threads.ready().find(|t| threads.status()[t.index()] == status);
    if urgent.is_some()
        && let Some(t) = begun(Status::RmwWrite).or_else(|| begun(Status::Part))
    {
        return Some(t);
    }
    let mut first = None;
    let mut first_non_read = None;
    for t in threads.ready() {
        match threads.status()[t.index()] {
            Status::Part | Status::RmwWrite => return Some(t),
            Status::Confirm if awaits => return Some(t),
            Status::Read | Status::Confirm => first = first.or(Some(t)),
            Status::Join | Status::Gate if !can_go_on(threads, g, t) => {}
            Status::Gate if awaits && threads.confirms(t) => return Some(t),
            Status::Gate => first = first.or(Some(t)),
            _ => {
                first = first.or(Some(t));
                first_non_read = first_non_read.or(Some(t));
            }
        }
        if schedule == Schedule::LeftToRight && first.is_some() && urgent.is_none() {
            break;
        }
    }
    let next = match schedule {
        Schedule::LeftToRight => first,
        Schedule::WritesFirst => first_non_read.or(first),
    }?;
    let reads = matches!(threads.status()[next.index()], Status::Read | Status::Gate);
    if !awaits || !reads || !waits(threads, next) {
        return Some(next);
    }
    let later =
        (next.0 + 1..threads.status().len() as u16).map(Tid).find(|&t| match threads.status()[t.index()] {
            Status::Read => !waits(threads, t),
            Status::Join => can_go_on(threads, g, t),
            Status::Gate => can_go_on(threads, g, t) && !waits(threads, t),
            status => status > Status::Join,
        });
    later.or(Some(next))
}

/// Whether the thread that `t` wants to join has ended, the round that it is in is complete, or its twin is
/// ahead of it.
#[inline(never)]
pub fn can_go_on<S: Clone>(threads: &Threads<S>, g: &ExecutionGraph, t: Tid) -> bool {
    match threads.op(t) {
        Some(Op::Join { thread }) => threads.status()[thread.index()] == Status::Ended,
        Some(Op::Depart { count }) => {
            g.thread(t).last().is_some_and(|&arrival| g.round(arrival).len() >= count as usize)
        }
        Some(Op::Load { .. }) => threads.twin(t).is_none_or(|twin| threads.has_passed(twin)),
        _ => false,
    }
}
