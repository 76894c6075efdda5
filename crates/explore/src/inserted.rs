//! An execution with something added in the middle of a thread, for questions of what would be then.

use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, PersistOp};

/// A copy in which the thread of `after` makes something persist right after it. It has no clocks; the places
/// of writes in coherence stay.
pub(crate) fn with_persist_after(
    g: &ExecutionGraph,
    after: EventId,
    ops: &[(PersistOp, Option<u32>)],
) -> ExecutionGraph {
    let locations = || (0..g.locations() as u32).map(Loc);
    let init: Vec<_> = locations().map(|loc| g.init_value(loc)).collect();
    let mut copy = ExecutionGraph::new(g.threads(), &init, 0);
    let mut now = vec![EventId::INIT; g.arena_len()];
    for &e in &g.order()[1..] {
        let ev = g.event(e);
        let t = ev.tid;
        now[e.index()] = match ev.kind {
            Kind::Read => copy.add_read(t, ev.mode, ev.loc),
            Kind::Write => copy.add_write(t, ev.mode, ev.loc, ev.value, ev.is_rmw_write()),
            Kind::Fence => copy.add_fence(t, ev.mode),
            Kind::Spawn => copy.add_spawn(t, ev.peer),
            Kind::Join => copy.add_join(t, ev.peer),
            // These order nothing but by their places in their threads; barriers order more, which can only
            // make less of what is asked possible.
            _ => match ev.persists() {
                Some((op, unit)) => copy.add_persist(t, op, unit),
                None => copy.add_choice(t, ev.value),
            },
        };
        if e == after {
            ops.iter().for_each(|(op, unit)| _ = copy.add_persist(t, *op, *unit));
        }
    }
    for loc in locations() {
        for (pos, w) in g.co(loc).iter().enumerate() {
            if !w.is_init() {
                copy.place(now[w.index()], pos);
            }
            for r in g.readers(*w, loc) {
                let ev = g.event(r);
                copy.read_from(now[r.index()], now[w.index()], ev.mode, ev.attrs);
            }
        }
    }
    copy
}
