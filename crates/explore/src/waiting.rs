//! Reads after which a thread waits, and which of them are worth a graph.
//!
//! **Annotations** (thesis §7.3.1, found by running instead of by analysis): a read that makes its thread wait
//! at once is explored only if it reads from the end of coherence. If it does not, it was not added
//! maximally, so no revisit will ever change or delete it: the thread waits in all executions that follow.
//! What the others do in those, they also do where the read comes last and is maximal; and nothing on
//! the way to that graph was left out, as only events that were added maximally are deleted on the way.
//! The read from the end of coherence has to stay even if it waits and others do not (ASM-SB-CYCLE). Nor
//! does it help that an earlier read of the iteration saw something old: a later one may still be revisited,
//! and then see the expected value again (ABA).
//!
//! **Futile graphs** (thesis §7.3.2) are the same for read-modify-writes that fail: they read something that is not at the end of
//! coherence, which is fixed from then on, and wait. Graphs in which a thread waits for a write that is said to be
//! the last (frozen reads) are not left out: all that a program does to the others may be in such a graph, if all sources
//! of a read make its thread wait. As such reads go last (`awaits.rs`), nothing is added to the graph after
//! them anyway.
//!
//! **Confirmation**: in `while (load(x) != 0); cas(x, 0, 1)` the load may have seen an older 0 than the
//! compare-and-exchange. Let `r` be a read directly followed, in its thread, by a read-modify-write `u`
//! of the same location that reads the same value from another write `w`, and let `u` be at least as
//! strong an acquire as `r`. With `r` reading from `w` too, the thread does the same, and the graph is
//! still consistent: whatever leads to or from `r` then also leads to or from `u`, and no order is added but to
//! `r` itself. So executions in which they differ need not be explored; the thread waits. If the thread would try again
//! from `r` on where `u` fails, there may also be writes between `r` and `u` that nobody has seen (`Explorer::head`).

use crate::explorer::Explorer;
use crate::report::Equivalence;
use selvedge_graph::{EventId, Mode, Value};
use selvedge_machine::{Block, Machine, Op, Reduction, Rmw};

impl<M: Machine> Explorer<'_, M> {
    pub(crate) fn reduces(&self, reduction: Reduction) -> bool {
        self.config.equivalence == Equivalence::Co && self.config.reductions.has(reduction)
    }

    /// Whether the thread of `e`, which has read `value`, does nothing but wait from here on.
    pub(crate) fn waits_at_once(&mut self, e: EventId, value: Value) -> bool {
        let reduction = match self.threads.op_of(e) {
            Op::Load { rmw: Rmw::No, .. } => Reduction::Annotations,
            _ => Reduction::Futile,
        };
        self.reduces(reduction)
            && (self.rmws && self.gave_up(e, value) || waits(self.threads.peek(self.machine, e, value)))
    }

    /// Lets the thread of `e`, which has read `value`, go on.
    pub(crate) fn go_on_reading(&mut self, e: EventId, value: Value) {
        let t = self.graph.event(e).tid;
        match self.rmws && self.gave_up(e, value) {
            true => self.threads.block(e, t),
            false => self.threads.advance(self.machine, e, t, value),
        }
    }

    /// Whether `e` is not half of a read-modify-write only because it is not confirmed.
    fn gave_up(&self, e: EventId, value: Value) -> bool {
        let Op::Load { mode, rmw, .. } = self.threads.op_of(e) else { return false };
        !matches!(rmw, Rmw::No | Rmw::Linked)
            && !self.graph.event(e).is_rmw_read()
            && self.reduces(Reduction::Confirmation)
            && self.load_outcome(e, mode, rmw, value).1
    }

    /// Whether `u`, reading from `w`, would be a read-modify-write that sees another write than the read
    /// of the same value directly before it.
    pub(crate) fn unconfirmed(&self, u: EventId, w: EventId) -> bool {
        let Op::Load { loc, mode, rmw } = self.threads.op_of(u) else { return false };
        if matches!(rmw, Rmw::No | Rmw::Linked) || !self.reduces(Reduction::Confirmation) {
            return false;
        }
        let g = &self.graph;
        let value = g.value_of(w, loc);
        if !self.load_outcome(u, mode, rmw, value).1 {
            return false;
        }
        let before = g.po_pred(u).filter(|&r| g.event(r).is_read());
        let Some(r) = before.or_else(|| self.head(u)) else { return false };
        let read = g.event(r);
        let Some(source) = g.rf(r).filter(|_| read.is_read() && read.loc == loc) else { return false };
        source != w && acquires(read.mode, mode) && !read.is_rmw_read() && g.value_of(source, loc) == value
    }
}

/// Whether a thread that comes to this waits. One that ends the process does not.
pub(crate) fn waits(op: Op) -> bool {
    matches!(op, Op::Block(why) if why != Block::Exit)
}

/// Whether a read-modify-write acquires at least what a read does.
pub(crate) fn acquires(read: Mode, rmw: Mode) -> bool {
    match read {
        Mode::Rlx => true,
        Mode::Acq => matches!(rmw, Mode::Acq | Mode::AcqRel | Mode::Sc),
        Mode::Sc => rmw == Mode::Sc,
        _ => false,
    }
}
