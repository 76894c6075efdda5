//! Reads after which a thread waits, and which of them are worth a graph: annotations and futile graphs.
//!
//! **Annotations** (thesis §7.3.1, found by running instead of by analysis): a read that makes its thread
//! wait at once is explored only if it reads from the end of coherence. If it does not, it was not added
//! maximally, so no revisit will ever change or delete it: the thread waits in all executions that follow.
//! What the others do in those, they also do where the read comes last and is maximal; and nothing on the way
//! to that graph was left out, as only events that were added maximally are deleted on the way. The read from
//! the end of coherence has to stay even if it waits and others do not (ASM-SB-CYCLE). Nor does it help that
//! an earlier read of the iteration saw something old: a later one may still be revisited, and then see the
//! expected value again (ABA).
//!
//! **Futile graphs** (thesis §7.3.2) are the same for read-modify-writes that fail: they read something that
//! is not at the end of coherence, which is fixed from then on, and wait. Graphs in which a thread waits for
//! a write that is said to be the last (frozen reads) are not left out: all that a program does to the others
//! may be in such a graph, if all sources of a read make its thread wait. As such reads go last (`awaits`),
//! nothing is added to the graph after them anyway.
//!
//! *Premises*: what was added before causes what is added later (`po ∪ rf` has no cycle). Nothing is watched.

use super::{Hooks, Reducers, reduces};
use crate::explorer::Explorer;
use crate::report::Config;
use selvedge_graph::{Attrs, EventId, Kind, Value};
use selvedge_machine::{Block, Machine, Op, Reduction, Rmw};

/// Which reads are left out where they wait.
#[derive(Debug)]
pub(crate) struct Annotations {
    /// Plain ones.
    loads: bool,
    /// Those of read-modify-writes.
    rmws: bool,
}

impl Annotations {
    pub(crate) fn new(config: &Config) -> Annotations {
        Annotations {
            loads: reduces(config, Reduction::Annotations),
            rmws: reduces(config, Reduction::Futile),
        }
    }
}

impl<M: Machine> Hooks<M> for Annotations {
    #[inline]
    fn is_useless(x: &mut Explorer<'_, M>, e: EventId, value: Value) -> bool {
        let on = match x.threads.op_of(e) {
            Op::Load { rmw: Rmw::No, .. } => x.reducers.annotations.loads,
            _ => x.reducers.annotations.rmws,
        };
        on && (Reducers::gives_up(x, e, value) || waits(x.threads.peek(x.machine, e, value)))
    }

    #[inline]
    fn skips_old_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> bool {
        let Op::Load { loc, mode, rmw } = x.threads.op_of(e) else { return false };
        let value = x.graph.value_of(w, loc);
        let (mode, writes) = x.load_outcome(e, mode, rmw, value);
        let annotations = &x.reducers.annotations;
        let on = if rmw == Rmw::No { annotations.loads } else { annotations.rmws && !writes };
        on && x.threads.known_peek(e, value).is_some_and(waits)
            && x.trouble.is_none()
            && x.finds_nothing_at(loc, Attrs::of(Kind::Read, mode, false))
    }
}

/// Whether a thread that comes to this waits. One that ends the process does not.
pub(crate) fn waits(op: Op) -> bool {
    matches!(op, Op::Block(why) if why != Block::Exit)
}
