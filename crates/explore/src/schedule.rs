//! Which thread goes next: a function of the graph, never of the path that led to it.

use crate::report::{Pending, Schedule};
use selvedge_graph::Tid;
use selvedge_machine::Op;

/// The next thread, or `None` if the graph is final.
pub(crate) fn next_thread<S>(
    schedule: Schedule,
    threads: &[Option<Pending<S>>],
) -> Option<Tid> {
    let mut first = None;
    let mut first_non_read = None;
    for (t, pending) in threads.iter().enumerate() {
        let Some(pending) = pending else { continue };
        let tid = Tid(t as u16);
        match pending.op {
            // The halves of a read-modify-write are adjacent (thesis §5.8).
            Op::Store { rmw: true, .. } => return Some(tid),
            Op::Load { .. } | Op::Choose { .. } => first = first.or(Some(tid)),
            Op::Store { .. } | Op::Fence { .. } | Op::Spawn { .. } => {
                first = first.or(Some(tid));
                first_non_read = first_non_read.or(Some(tid));
            }
            Op::Join { thread } => {
                if has_ended(threads, thread) {
                    first = first.or(Some(tid));
                    first_non_read = first_non_read.or(Some(tid));
                }
            }
            Op::Block | Op::Cut | Op::Error(_) | Op::End => {}
        }
    }
    match schedule {
        Schedule::LeftToRight => first,
        Schedule::WritesFirst => first_non_read.or(first),
    }
}

pub(crate) fn has_ended<S>(threads: &[Option<Pending<S>>], t: Tid) -> bool {
    matches!(&threads[t.index()], Some(p) if p.op == Op::End)
}
