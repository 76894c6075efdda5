//! Cycles of `po | tc | tj | rf | mo | fr`: sequential consistency, which is asked for more often than
//! everything else.
//!
//! Whatever is reached, the rest of its thread is reached, too; so what was reached is, in every thread, all
//! from some event on. And whoever comes to the causal past of an event comes to that event.
//!
//! Of an event that is added last, one search tells all its alternatives ([`latest_before`]). A read leads
//! nowhere but to the write after its source, and a write, and whoever reads it then, to the write after its
//! place; call that `w`. What leads to the event, but for `p`, which is before it in its thread, are writes
//! that `w` comes after and their readers, which `w` overwrites: `w` does not lead to them, or there was a
//! cycle before. So there is a cycle exactly if `w` comes before `p`; and if it does, then so do all writes
//! before it.

use crate::letter::{Base, Letter, tj_source};
use crate::model::CAUSAL;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, Tid};

/// Memory that a search uses, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// By thread, the position from which on all was reached.
    from: Vec<u32>,
    /// Parts of threads whose steps have not been taken yet.
    open: Vec<(Tid, u32, u32)>,
    /// By thread, the last position that is in the causal past of what is looked for.
    past: Vec<u32>,
}

/// Whether acyclicity of all these steps is sequential consistency, given that `po`, `rf`, `tc` and `tj` are
/// among them.
pub fn is_interleaving(letters: impl Iterator<Item = Letter> + Clone) -> bool {
    let has = |all: Base, neighbours: Base| {
        letters.clone().any(|l| l.is_plain() && (l.base == all || l.base == neighbours))
    };
    let known = |l: Letter| {
        use Base::*;
        l.is_plain() && matches!(l.base, PoImm | Po | Rf | Co | CoImm | Fr | FrImm | Rmw | Tc | Tj)
    };
    has(Base::Co, Base::CoImm) && has(Base::Fr, Base::FrImm) && letters.clone().all(known)
}

/// Whether there is a cycle through `e`.
pub fn cycle_through(g: &ExecutionGraph, e: EventId, reached: &mut Reached) -> bool {
    let mut walk = Walk::begin(g, reached);
    walk.add_past(e);
    walk.go_from(e)
}

/// All that is reached from `e`: by thread, the position from which on.
pub fn reach_all<'r>(g: &ExecutionGraph, e: EventId, reached: &'r mut Reached) -> &'r [u32] {
    Walk::begin(g, reached).go_from(e);
    &reached.from
}

/// The place in coherence, but not before `floor`, of the last write of a location that comes before one of
/// `ends`, or is one of them.
pub fn latest_before(
    g: &ExecutionGraph,
    loc: Loc,
    floor: usize,
    ends: impl Iterator<Item = EventId>,
    reached: &mut Reached,
) -> usize {
    let mut walk = Walk::begin(g, reached);
    ends.for_each(|end| walk.add_past(end));
    // What is reached from a write is reached from those before it.
    let found = (floor + 1..g.co(loc).len()).rev().find(|&at| walk.reach(g.co(loc)[at]) || walk.go_on());
    found.unwrap_or(floor)
}

struct Walk<'a> {
    g: &'a ExecutionGraph,
    from: &'a mut [u32],
    open: &'a mut Vec<(Tid, u32, u32)>,
    past: &'a mut [u32],
}

impl<'a> Walk<'a> {
    fn begin(g: &'a ExecutionGraph, reached: &'a mut Reached) -> Walk<'a> {
        let Reached { from, open, past } = reached;
        from.clear();
        from.resize(g.threads(), u32::MAX);
        past.clear();
        past.resize(g.threads(), 0);
        open.clear();
        Walk { g, from, open, past }
    }

    /// Looks for `e`, too.
    fn add_past(&mut self, e: EventId) {
        for (past, known) in self.past.iter_mut().zip(self.g.clocks().slice(self.g.clock(e, CAUSAL))) {
            *past = (*past).max(*known);
        }
        let ev = self.g.event(e);
        let own = &mut self.past[ev.tid.index()];
        *own = (*own).max(ev.idx);
    }

    /// Goes on from `e` until an event is reached that is looked for, or in its causal past; whether it was.
    fn go_from(&mut self, e: EventId) -> bool {
        self.leave(e) || self.g.po_succ(e).is_some_and(|y| self.reach(y)) || self.go_on()
    }

    /// The same from what was reached.
    fn go_on(&mut self) -> bool {
        while let Some((t, first, end)) = self.open.pop() {
            let thread = self.g.thread(t);
            let end = thread.len().min(end as usize - 1);
            for &x in &thread[first as usize - 1..end] {
                if self.leave(x) {
                    return true;
                }
            }
        }
        false
    }

    /// Comes to `y`; returns whether that is the end.
    #[inline]
    fn reach(&mut self, y: EventId) -> bool {
        let ev = self.g.event(y);
        let t = ev.tid.index();
        if ev.idx <= self.past[t] {
            return true;
        }
        let from = &mut self.from[t];
        if ev.idx < *from {
            self.open.push((ev.tid, ev.idx, *from));
            *from = ev.idx;
        }
        false
    }

    /// Takes all steps from `x` but those within its thread; returns whether one closes a cycle.
    #[inline]
    fn leave(&mut self, x: EventId) -> bool {
        let g = self.g;
        let ev = g.event(x);
        let overwrites = |w: EventId| g.co_pos(w).and_then(|pos| g.co(ev.loc).get(pos + 1).copied());
        let closed = match ev.kind {
            Kind::Read => g.rf(x).and_then(overwrites).is_some_and(|w| self.reach(w)),
            Kind::Write => {
                overwrites(x).is_some_and(|w| self.reach(w)) || g.readers(x, ev.loc).any(|r| self.reach(r))
            }
            Kind::Spawn => g.thread(ev.peer).first().is_some_and(|&first| self.reach(first)),
            _ => false,
        };
        closed || (g.has_joins() && self.leave_waited(x))
    }

    /// The same to whoever waits for `x`.
    fn leave_waited(&mut self, x: EventId) -> bool {
        let g = self.g;
        let ev = g.event(x);
        if ev.kind == Kind::Arrive {
            return g.round(x).iter().filter_map(|&a| g.po_succ(a)).any(|y| self.reach(y));
        }
        let mut joined = |t: Tid| g.joins_of(t).any(|y| tj_source(g, y) == Some(x) && self.reach(y));
        (g.po_succ(x).is_none() && joined(ev.tid)) || (ev.kind == Kind::Spawn && joined(ev.peer))
    }
}
