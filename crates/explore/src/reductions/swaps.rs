//! Read-modify-writes that store what they read and go round a loop (`exchange`), and who could notice them.
//!
//! Such an iteration only reads (`Rmw::Swap`), and its thread waits. Why that makes no difference to the
//! values that anybody reads is said where it is done, in the machine (`exchange.rs`). But there is no race
//! between a plain read and an atomic read, as there would be with a write. So at the end of every execution
//! all plain reads of locations with such read-modify-writes are looked at: they have to come before the
//! thread in question is created, or after it is joined. If one does not, the program is explored again with
//! all writes.
//!
//! *Premises*: those of `zne`. *Watched*: every execution by itself.

use super::Hooks;
use crate::explorer::Explorer;
use crate::report::End;
use selvedge_graph::{EventId, Kind, Loc, Mode, Tid};
use selvedge_machine::{Again, Machine, Op, Rmw};
use std::collections::BTreeSet;

/// Whether there is anything to ask for.
#[derive(Debug, Default)]
pub(crate) struct Swaps {
    /// Some read was of the kind `Rmw::Swap`.
    came_up: bool,
}

impl<M: Machine> Hooks<M> for Swaps {
    #[inline(always)]
    fn before_load(x: &mut Explorer<'_, M>, rmw: Rmw) {
        x.reducers.swaps.came_up |= matches!(rmw, Rmw::Swap { .. });
    }

    #[inline(always)]
    fn is_noticed(x: &mut Explorer<'_, M>, end: End) -> Option<Again> {
        let left =
            |x: &Explorer<'_, M>| x.all_states().any(|(_, state)| !x.machine.left_swaps(state).is_empty());
        let noticed = end != End::Error && (x.reducers.swaps.came_up || left(x)) && x.sees_swaps();
        noticed.then_some(Again::NetEffectNoticed)
    }
}

impl<M: Machine> Explorer<'_, M> {
    fn all_states(&self) -> impl Iterator<Item = (Tid, &M::State)> {
        let threads = (0..self.graph.threads() as u16).map(Tid);
        threads.filter_map(|t| Some((t, self.threads.state(t)?)))
    }

    /// Whether there is a plain read that would race with what was not written.
    #[cold]
    fn sees_swaps(&self) -> bool {
        let g = &self.graph;
        let mut swaps: BTreeSet<(Loc, Tid)> = g
            .order()
            .iter()
            .filter(|&&e| g.event(e).kind == Kind::Read && self.is_swap(e))
            .map(|&e| (g.event(e).loc, g.event(e).tid))
            .collect();
        for (thread, state) in self.all_states() {
            swaps.extend(self.machine.left_swaps(state).iter().map(|loc| (*loc, thread)));
        }
        g.order().iter().any(|&e| {
            let ev = g.event(e);
            ev.kind == Kind::Read
                && ev.mode == Mode::Na
                && swaps
                    .range((ev.loc, Tid(0))..)
                    .take_while(|(loc, _)| *loc == ev.loc)
                    .any(|&(_, thread)| !self.are_apart(e, thread))
        })
    }

    fn is_swap(&self, e: EventId) -> bool {
        matches!(self.threads.op_of(e), Op::Load { rmw: Rmw::Swap { .. }, .. })
    }
}
