//! Which thread goes next: a function of the graph, never of the path that led to it.

use crate::explorer::Explorer;
use crate::reductions::annotations::waits;
use crate::reductions::assumptions::prospect_of_lock;
use crate::reductions::helping::waits_for_owner;
use crate::reductions::overtaken::is_late;
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
        let helps = awaits && self.reducers.helping.is_on();
        let looks = awaits && self.reducers.outdated.is_on();
        let hurries = awaits && self.reducers.overtaken.is_on();
        let (machine, model, g) = (self.machine, self.model, &self.graph);
        pick(self.config.schedule, &mut self.threads, g, (awaits, looks), |threads, t| {
            let Some(Op::Load { loc, rmw, .. }) = threads.op(t) else { return Prospect::GoesOn };
            if voids && rmw != Rmw::No {
                match prospect_of_lock(machine, threads, g, t) {
                    Prospect::GoesOn => {}
                    other => return other,
                }
            }
            if helps && waits_for_owner(machine, model, threads, g, t) {
                return Prospect::Waits;
            }
            let value = match g.co_last(loc) {
                Some(last) => g.value_of(last, loc),
                None => machine.init_value(loc),
            };
            match waits(threads.peek_at(machine, t, value)) {
                true if hurries && is_late(machine, threads, g, t) => Prospect::GoesOn,
                true => Prospect::Waits,
                false => Prospect::GoesOn,
            }
        })
    }
}

/// What would become of a thread if it read the latest value now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prospect {
    /// It goes on.
    GoesOn,
    /// It waits, or comes to nothing.
    Waits,
    /// It takes a lock from a section that came to nothing, which is not explored: all others go before.
    FromNothing,
}

/// The next thread. With `awaits`, reads go last that would only make their thread wait or come to nothing,
/// and a compare-and-exchange goes right after the load that it confirms. With `looks`, iterations that only
/// read begin after everything that does not wait.
#[inline]
fn pick<S: Clone>(
    schedule: Schedule,
    threads: &mut Threads<S>,
    g: &ExecutionGraph,
    (awaits, looks): (bool, bool),
    mut prospect: impl FnMut(&mut Threads<S>, Tid) -> Prospect,
) -> Option<Tid> {
    let urgent = threads.first_urgent();
    if let Some(t) = urgent {
        // The halves of a read-modify-write are adjacent (thesis §5.8).
        if threads.status()[t.index()] == Status::RmwWrite {
            return Some(t);
        }
        // So are the parts of an access of several locations; those of a write go first: who reads the first
        // part is to find the others.
        let begun = |status: Status| threads.ready().find(|t| threads.status()[t.index()] == status);
        if let Some(t) = begun(Status::RmwWrite).or_else(|| begun(Status::Part)) {
            return Some(t);
        }
    }
    let mut first = None;
    let mut first_non_read = None;
    let mut first_look = None;
    for t in threads.ready() {
        match threads.status()[t.index()] {
            Status::Read if looks && threads.looks(t) => first_look = first_look.or(Some(t)),
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
    }
    .or(first_look)?;
    let reads = matches!(threads.status()[next.index()], Status::Read | Status::Gate);
    let own = match awaits && reads {
        true => prospect(threads, next),
        false => Prospect::GoesOn,
    };
    if own == Prospect::GoesOn {
        return Some(next);
    }
    let mut waiting = (own == Prospect::Waits).then_some(next);
    let mut looking = None;
    let from = first_look.map_or(next.0 + 1, |t| t.0.min(next.0 + 1));
    let later = (from..threads.status().len() as u16).map(Tid).filter(|t| *t != next).find(|&t| {
        let reads = match threads.status()[t.index()] {
            Status::Read => true,
            Status::Join => return can_go_on(threads, g, t),
            Status::Gate => can_go_on(threads, g, t),
            status => return status > Status::Join,
        };
        let begins = reads && looks && threads.looks(t);
        if t < next && !begins {
            return false;
        }
        let prospect = if reads { prospect(threads, t) } else { Prospect::FromNothing };
        if begins && prospect == Prospect::GoesOn {
            looking = looking.or(Some(t));
            return false;
        }
        if prospect == Prospect::Waits {
            waiting = waiting.or(Some(t));
        }
        prospect == Prospect::GoesOn
    });
    later.or(looking).or(waiting).or(Some(next))
}

/// Whether the thread that `t` wants to join has ended, the round that it is in is complete, or its twin is
/// ahead of it.
#[inline]
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
