//! Which thread goes next: a function of the graph, never of the path that led to it.

use crate::report::Schedule;
use crate::threads::{Status, Threads};
use selvedge_graph::{ExecutionGraph, Tid};
use selvedge_machine::Op;

/// The next thread, or `None` if the graph is final. Reads that `waits` says would only make their thread wait
/// go last.
#[inline]
pub fn next_thread<S: Clone>(
    schedule: Schedule,
    threads: &mut Threads<S>,
    g: &ExecutionGraph,
    awaits: bool,
    mut waits: impl FnMut(&mut Threads<S>, Tid) -> bool,
) -> Option<Tid> {
    // The halves of a read-modify-write are adjacent (thesis §5.8).
    if let Some(t) = threads.first_urgent()
        && (awaits || threads.status()[t.index()] == Status::RmwWrite)
    {
        return Some(t);
    }
    let mut first = None;
    let mut first_non_read = None;
    for t in threads.ready() {
        match threads.status()[t.index()] {
            Status::RmwWrite => return Some(t),
            Status::Read | Status::Confirm => first = first.or(Some(t)),
            Status::Join if !can_go_on(threads, g, t) => {}
            _ => {
                first = first.or(Some(t));
                first_non_read = first_non_read.or(Some(t));
            }
        }
        // Nothing but the write of a read-modify-write would change that.
        if schedule == Schedule::LeftToRight && first.is_some() && threads.first_urgent().is_none() {
            break;
        }
    }
    let next = match schedule {
        Schedule::LeftToRight => first,
        Schedule::WritesFirst => first_non_read.or(first),
    }?;
    if !awaits || threads.status()[next.index()] != Status::Read || !waits(threads, next) {
        return Some(next);
    }
    let later =
        (next.0 + 1..threads.status().len() as u16).map(Tid).find(|&t| match threads.status()[t.index()] {
            Status::Read => !waits(threads, t),
            Status::Join => can_go_on(threads, g, t),
            status => status > Status::Join,
        });
    later.or(Some(next))
}

/// Whether the thread that `t` wants to join has ended, or the round that it is in is complete.
#[inline(never)]
pub fn can_go_on<S: Clone>(threads: &Threads<S>, g: &ExecutionGraph, t: Tid) -> bool {
    match threads.op(t) {
        Some(Op::Join { thread }) => threads.status()[thread.index()] == Status::Ended,
        Some(Op::Depart { count }) => {
            g.thread(t).last().is_some_and(|&arrival| g.round(arrival).len() >= count as usize)
        }
        _ => false,
    }
}
