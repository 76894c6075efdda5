//! Threads that wait for ever (thesis §9.2.3.4): what they last read is the latest there is, so nothing can
//! change that they wait.
//!
//! What is the latest is a matter of coherence. Where that is not told apart ([`Equivalence::Rf`]), a graph
//! has just some coherence that makes it consistent, in which a thread may have read something old, although
//! in another one it read the latest. So a coherence is looked for in which all of them did.

use crate::explorer::Explorer;
use crate::process_end::process_over;
use crate::report::{End, Equivalence};
use crate::threads::Threads;
use crate::witness;
use selvedge_graph::{EventId, ExecutionGraph, Tid};
use selvedge_machine::{Block, Machine, Op};
use smallvec::SmallVec;

/// A thread that has not ended.
pub(crate) struct Waiting {
    pub(crate) tid: Tid,
    /// What it waits for; `None` if that is the end of a thread.
    pub(crate) why: Option<Block>,
    /// The reads that make it wait. It is stuck if they are of the latest writes.
    pub(crate) reads: SmallVec<[EventId; 4]>,
}

/// The threads that wait; `None` if one of them does because of an `assume`, or of a read that is not
/// `latest`.
pub(crate) fn waiting<M: Machine>(
    machine: &M,
    threads: &Threads<M::State>,
    g: &ExecutionGraph,
    latest: impl Fn(EventId) -> bool,
) -> Option<SmallVec<[Waiting; 4]>> {
    let over = process_over(machine, threads);
    let mut found = SmallVec::new();
    for tid in (0..g.threads() as u16).map(Tid) {
        let (Some(op), Some(state)) = (threads.op(tid), threads.state(tid)) else { continue };
        let reads = match op {
            Op::End => continue,
            Op::Block(Block::Assume) => return None,
            _ if over.spares(g, tid, Some(op)) => continue,
            Op::Block(Block::Spin) => machine.spin_reads(state),
            Op::Block(_) => 1,
            _ => 0, // a join, or the way out of a barrier
        };
        let why = match op {
            Op::Block(why) => Some(why),
            Op::Depart { .. } => Some(Block::Barrier),
            _ => None,
        };
        let last = g.thread(tid).iter().rev().copied().filter(|&e| g.event(e).is_read()).take(reads as usize);
        // What a loop that waits takes, it has given back: a lock.
        let reads: SmallVec<_> = last.filter(|&e| !g.event(e).is_rmw_read()).collect();
        if !reads.iter().all(|&e| latest(e)) {
            return None;
        }
        found.push(Waiting { tid, why, reads });
    }
    Some(found)
}

impl<M: Machine> Explorer<'_, M> {
    /// Before an execution is shown that ends like this: gives it a coherence in which all threads that wait
    /// are stuck, if there is one. Only where coherence is not told apart.
    #[cold]
    pub(crate) fn make_stuck(&mut self, end: End) {
        if end != End::Blocked || self.config.equivalence != Equivalence::Rf {
            return;
        }
        let Some(waiting) = waiting(self.machine, &self.threads, &self.graph, |_| true) else { return };
        let g = &self.graph;
        let reads = waiting.iter().flat_map(|thread| &thread.reads);
        let last: Vec<_> = reads.filter_map(|&e| Some((g.event(e).loc, g.rf(e)?))).collect();
        witness::find_with_last(self.model, &mut self.graph, &last, &mut self.scratch);
    }
}
