//! Maximal extensions (thesis §6.1, alg. 6.1), for graphs that track coherence.

use crate::agreement::is_first_choice;
use crate::explorer::Explorer;
use selvedge_graph::{Attrs, EventId, ExecutionGraph, Kind};
use selvedge_machine::{Machine, Op};
use selvedge_model::Scratch;

/// Whether `e` was added maximally: as `f_ext` prescribes, judged in the graph of the events added up to `e`
/// together with the causal prefix of a write that revisits, and not read by any of them. `e` is not in that
/// prefix itself, and the write has no place in coherence yet. The initialising event is not asked about. Of
/// choices, `first` tells whether it is the one that `f_ext` prescribes.
#[inline]
fn maximally_added_before(
    g: &ExecutionGraph,
    e: EventId,
    in_prefix: impl Fn(EventId) -> bool,
    first: impl Fn(EventId) -> bool,
) -> bool {
    let ev = g.event(e);
    let among_previous = |x: EventId| g.event(x).stamp <= ev.stamp || in_prefix(x);
    match ev.kind {
        Kind::Read => {
            let Some(source) = g.rf(e) else { return false };
            if g.has_won(e) || !among_previous(source) {
                return false;
            }
            let Some(pos) = g.co_pos(source) else { return false };
            !g.co(ev.loc)[pos + 1..].iter().any(|&x| among_previous(x))
        }
        Kind::Write => {
            // Readers in the prefix of `w` would have `e` in it, too.
            if g.readers(e, ev.loc).any(|r| g.event(r).stamp < ev.stamp) {
                return false;
            }
            if ev.is_rmw_write() {
                return true;
            }
            let Some(pos) = g.co_pos(e) else { return false };
            !g.co(ev.loc)[pos + 1..].iter().any(|&x| among_previous(x))
        }
        // A thread that cannot write is held up.
        Kind::Choice if ev.gate > 0 => (ev.value != 0) == g.rivals_at_gate(e).any(among_previous),
        Kind::Choice => ev.value == 0 || first(e),
        Kind::Init
        | Kind::Fence
        | Kind::Spawn
        | Kind::Join
        | Kind::Detach
        | Kind::Alloc
        | Kind::Free
        | Kind::Local
        | Kind::Persist
        | Kind::Arrive
        | Kind::Depart => true,
    }
}

impl<M: Machine> Explorer<'_, M> {
    /// The same for graphs with accesses of several locations (`selvedge_model`, `parts`). A part of a read
    /// whose parts before have read something old may have nothing to read at the end of coherence: then
    /// `f_ext` prescribes the latest write that it can read from. There is one, unless the access has no
    /// place in any graph that has the parts before.
    #[inline]
    pub(crate) fn is_maximal(&self, e: EventId, in_prefix: impl Fn(EventId) -> bool + Copy) -> bool {
        let first = |x: EventId| is_first_choice(self.machine, &self.threads, &self.graph, x, in_prefix);
        maximally_added_before(&self.graph, e, in_prefix, first)
            || (self.graph.event(e).part.before > 0 && self.is_latest_part(e, in_prefix))
    }

    #[cold]
    fn is_latest_part(&self, e: EventId, in_prefix: impl Fn(EventId) -> bool) -> bool {
        let g = &self.graph;
        let ev = g.event(e);
        let among_previous = |x: EventId| x.is_init() || g.event(x).stamp <= ev.stamp || in_prefix(x);
        let Some(source) = g.rf(e).filter(|&w| among_previous(w)) else { return false };
        let is_last = |part: EventId| {
            let pos = g.rf(part).and_then(|w| g.co_pos(w)).unwrap_or(0);
            !g.co(g.event(part).loc)[pos + 1..].iter().any(|&w| among_previous(w))
        };
        if ev.kind != Kind::Read || g.parts(e)[..ev.part.before as usize].iter().all(|&part| is_last(part)) {
            return false;
        }
        let Op::Load { mode, rmw, .. } = self.threads.op_of(e) else { return false };
        let (tid, loc, part) = (ev.tid, ev.loc, ev.part);
        let mut h = g.restricted(|x| x != e && among_previous(x));
        let mut scratch = Scratch::default();
        let from = h.co_pos(source).unwrap_or(0) + 1;
        let fresh = h.add_read(tid, mode, loc);
        h.set_part(fresh, part);
        let mark = h.mark();
        for at in from..h.co(loc).len() {
            let w = h.co(loc)[at];
            let (mode, writes) = self.load_outcome(e, mode, rmw, h.value_of(w, loc));
            h.read_from(fresh, w, mode, Attrs::of(Kind::Read, mode, writes));
            self.model.update_clocks(&mut h, fresh);
            if self.model.consistent_at(&h, fresh, &mut scratch) {
                return false;
            }
            h.undo_to(mark);
        }
        true
    }
}
