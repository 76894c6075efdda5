//! Cycles of `po | tc | tj | rf | mo | fr`: sequential consistency, which is asked for more often than
//! everything else.
//!
//! Whatever is reached, the rest of its thread is reached, too; so what was reached is, in every thread, all
//! from some event on. And whoever comes to the causal past of an event comes to that event.

use crate::letter::{Base, Letter, tj_source};
use crate::model::CAUSAL;
use selvedge_graph::{Event, EventId, ExecutionGraph, Kind, Tid};

/// Memory that a search uses, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// By thread, the position from which on all was reached.
    from: Vec<u32>,
    /// Parts of threads whose steps have not been taken yet.
    open: Vec<(Tid, u32, u32)>,
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
    let known = g.clocks().slice(g.clock(e, CAUSAL));
    walk_from(g, e, reached, Some((g.event(e), known)))
}

/// All that is reached from `e`: by thread, the position from which on.
pub fn reach_all<'r>(g: &ExecutionGraph, e: EventId, reached: &'r mut Reached) -> &'r [u32] {
    walk_from(g, e, reached, None);
    &reached.from
}

/// Goes on from `e` until an event is reached that is `past`, or in its causal past; whether it was.
#[inline]
fn walk_from(g: &ExecutionGraph, e: EventId, reached: &mut Reached, past: Option<(&Event, &[u32])>) -> bool {
    let Reached { from, open } = reached;
    match from.len() == g.threads() {
        true => from.iter_mut().for_each(|from| *from = u32::MAX),
        false => *from = vec![u32::MAX; g.threads()],
    }
    open.clear();
    let mut walk = Walk { g, past, from, open };
    if walk.leave(e) {
        return true;
    }
    if let Some(y) = g.po_succ(e)
        && walk.reach(y)
    {
        return true;
    }
    while let Some((t, first, end)) = walk.open.pop() {
        let thread = g.thread(t);
        let end = thread.len().min(end as usize - 1);
        for &x in &thread[first as usize - 1..end] {
            if walk.leave(x) {
                return true;
            }
        }
    }
    false
}

struct Walk<'a> {
    g: &'a ExecutionGraph,
    /// The event to come back to, and what is in its causal past by thread, if that ends the search.
    past: Option<(&'a Event, &'a [u32])>,
    from: &'a mut [u32],
    open: &'a mut Vec<(Tid, u32, u32)>,
}

impl Walk<'_> {
    /// Comes to `y`; returns whether that closes a cycle.
    #[inline]
    fn reach(&mut self, y: EventId) -> bool {
        let ev = self.g.event(y);
        let t = ev.tid.index();
        if let Some((end, known)) = self.past
            && ev.idx <= if ev.tid == end.tid { end.idx } else { known[t] }
        {
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
        closed || (g.has_joins() && self.leave_waited(x, ev))
    }

    /// The same to whoever waits for `x`: for the end of a thread, or at a barrier.
    #[inline]
    fn leave_waited(&mut self, x: EventId, ev: &Event) -> bool {
        let is_last = self.g.thread(ev.tid).len() == ev.idx as usize;
        (is_last || matches!(ev.kind, Kind::Spawn | Kind::Arrive)) && self.leave_end(x, is_last)
    }

    fn leave_end(&mut self, x: EventId, is_last: bool) -> bool {
        let g = self.g;
        let ev = g.event(x);
        if ev.kind == Kind::Arrive {
            return g.round(x).iter().filter_map(|&a| g.po_succ(a)).any(|y| self.reach(y));
        }
        let mut joined = |t: Tid| g.joins_of(t).any(|y| tj_source(g, y) == Some(x) && self.reach(y));
        (is_last && joined(ev.tid)) || (ev.kind == Kind::Spawn && joined(ev.peer))
    }
}
