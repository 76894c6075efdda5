//! Read-modify-writes: which loads are halves of one, and what becomes of two that want the same write.

use crate::explorer::Explorer;
use crate::reductions::{Hooks, Reducers};
use selvedge_graph::{EventId, Loc, Mode, Part, Value};
use selvedge_machine::{Machine, Op, Rmw};

/// See `Explorer::rivalry`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rivalry {
    /// No rival.
    None,
    /// It leads to no execution.
    Futile,
    /// It leads to a revisit, and the graph with the read is consistent.
    Fine,
}

impl<M: Machine> Explorer<'_, M> {
    /// What there is to say of a read that has not read from `w` yet, if it is half of a
    /// read-modify-write and another one, its rival, has read from `w` already. It is only good for
    /// revisits that delete the rival's write (thesis §5.5), and there are none if one of the events
    /// since then was not added maximally.
    pub(crate) fn rivalry(&mut self, e: EventId, w: EventId) -> Rivalry {
        let Op::Load { loc, mode, rmw } = self.threads.op_of(e) else { return Rivalry::None };
        // Most have none, which is quick to tell.
        let Some(rival) = self.rmw_reader(w, loc, e) else { return Rivalry::None };
        let head = Reducers::stands_for_rmw(self, e, w);
        let writes = match rmw {
            Rmw::No => head.is_some(),
            _ => {
                !Reducers::refuses_rmw(self, e, w)
                    && self.trusts_floors()
                    && self.load_outcome(e, mode, rmw, self.graph.value_of(w, loc)).1
            }
        };
        // Between the halves of one of several locations, others are read, which may be revisited.
        if !writes || self.graph.event(e).part != Part::WHOLE {
            return Rivalry::None;
        }
        // If there are, the read is consistent (thesis Cor. 1): in the graph of its causal prefix and
        // what was added before the rival, it would be maximal like the rival; and all that was added
        // since then was maximal in that graph and stays so.
        if !self.is_futile(e, w, rival) {
            return Rivalry::Fine;
        }
        if let Some(mode) = head {
            Reducers::relies_on_rmw(self, e, mode);
        }
        Rivalry::Futile
    }

    /// Whether something that was added since the rival, and is not in the causal prefix that `e` has if it
    /// reads from `w`, was not added maximally.
    fn is_futile(&mut self, e: EventId, w: EventId, rival: EventId) -> bool {
        let mut prefix = std::mem::take(&mut self.prefix);
        let g = &self.graph;
        prefix.clear();
        prefix.resize(g.threads(), 0);
        let before = g.po_pred(e).or_else(|| g.spawn_of(g.event(e).tid));
        let source = (!w.is_init()).then_some(w);
        let too = Reducers::in_prefix_too(self, e);
        for x in [before, source, too].into_iter().flatten() {
            self.model.add_past(g, x, &mut prefix);
        }
        let in_prefix = |x: EventId| {
            let ev = g.event(x);
            ev.idx <= prefix[ev.tid.index()]
        };
        let is_wrong = |x: EventId| !in_prefix(x) && !self.is_maximal(x, in_prefix);
        let since = g.event(rival).stamp as usize + 1..g.event(e).stamp as usize;
        // The rival may have won already, which is the quickest to tell.
        let futile = (Reducers::adds_to_prefixes(self) && in_prefix(rival))
            || is_wrong(rival)
            || g.order()[since].iter().rev().any(|&x| is_wrong(x));
        self.prefix = prefix;
        futile
    }

    /// The earliest read-modify-write other than `r` that reads from `w`.
    pub(crate) fn rmw_reader(&self, w: EventId, loc: Loc, r: EventId) -> Option<EventId> {
        let g = &self.graph;
        // A compare-and-exchange of several locations may not come to its write.
        let writes = |x: EventId| g.event(x).part == Part::WHOLE || g.rmw_write_of(x).is_some();
        let rivals = g.readers(w, loc).filter(|&x| x != r && g.event(x).is_rmw_read() && writes(x));
        rivals.min_by_key(|&x| g.event(x).stamp)
    }

    /// The ordering that a load has after reading `value`, and whether it is half of an RMW that writes.
    #[inline]
    pub(crate) fn load_outcome(&self, e: EventId, mode: Mode, rmw: Rmw, value: Value) -> (Mode, bool) {
        match rmw {
            Rmw::No => (mode, false),
            _ => self.rmw_outcome(e, mode, rmw, value),
        }
    }

    fn rmw_outcome(&self, e: EventId, mode: Mode, rmw: Rmw, value: Value) -> (Mode, bool) {
        match rmw {
            Rmw::No => (mode, false),
            Rmw::Always => (mode, true),
            Rmw::Cas { expected, .. } if value == expected => (mode, true),
            // Values that are not known may be equal without being the same.
            Rmw::Cas { .. } if self.machine.has_unknowns() && self.writes_after(e, value) => (mode, true),
            Rmw::Cas { fail, .. } => (fail, false),
            Rmw::Linked => (mode, self.writes_after(e, value)),
            Rmw::Tentative { .. } | Rmw::Swap { .. } if self.writes_after(e, value) => (mode, true),
            Rmw::Tentative { fail } | Rmw::Swap { fail } => (fail, false),
        }
    }

    fn writes_after(&self, e: EventId, value: Value) -> bool {
        self.threads.state_of(e).is_some_and(|state| self.machine.writes_after(state, value))
    }
}
