//! What recovery may find, by the definition: every set of durable writes that is closed under
//! persists-before, and the latest write of each location in it.

use crate::Found;
use crate::scripts::Script;
use selvedge_certify::eval::Stage;
use selvedge_certify::execution::{Event, INIT, Relations};
use selvedge_certify::{Judge, Matrix};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, MediumKind, PersistOp, Tid};
use selvedge_kat::Theory;
use std::collections::BTreeSet;

/// `None` if persists-before is no order.
pub fn post_crash(script: &Script, g: &ExecutionGraph, theory: &Theory) -> Option<BTreeSet<Found>> {
    let threads = (0..g.threads() as u16).flat_map(|t| g.thread(Tid(t)).iter().copied());
    let ids: Vec<EventId> = [EventId::INIT].into_iter().chain(threads).collect();
    let index = |e: EventId| ids.iter().position(|x| *x == e).expect("an event");
    let (events, relations) = taken_down(script, g, &ids, &index);
    let n = events.len();
    let judge = Judge::new(theory).expect("a model that can be evaluated");
    let mut scratch = judge.scratch();
    for stage in Stage::ALL {
        assert!(judge.admits(stage, &events, &relations, &mut scratch), "there are no axioms");
    }
    let pb: Matrix = judge.persists_before(n, &scratch);
    let durable = |x: &usize| events[*x].kind == Kind::Write && events[*x].medium.is_some();
    let writes: Vec<usize> = (1..n).filter(durable).collect();
    if writes.iter().any(|w| pb.has(*w, *w)) {
        return None;
    }
    let barrier = |x: &usize| matches!(events[*x].persists, Some((PersistOp::Barrier, _)));
    let barriers: Vec<usize> = (1..n).filter(barrier).collect();
    let mut found = BTreeSet::new();
    for set in 0..1u32 << writes.len() {
        let has = |w: usize| writes.iter().position(|x| *x == w).is_some_and(|at| set >> at & 1 == 1);
        let closed = writes.iter().all(|later| {
            !has(*later) || writes.iter().all(|earlier| !pb.has(*earlier, *later) || has(*earlier))
        });
        let waited = barriers.iter().all(|b| writes.iter().all(|w| !pb.has(*w, *b) || has(*w)));
        if !closed || !waited {
            continue;
        }
        let frontier = |loc: Loc| {
            // Locations come up as the program runs.
            if loc.index() >= g.locations() {
                return (0, 0);
            }
            let last =
                g.co(loc).iter().rposition(|w| w.is_init() || has(index(*w))).expect("the initial value");
            (last, g.value_of(g.co(loc)[last], loc))
        };
        found.insert(script.recover(frontier));
    }
    Some(found)
}

fn taken_down(
    script: &Script,
    g: &ExecutionGraph,
    ids: &[EventId],
    index: &dyn Fn(EventId) -> usize,
) -> (Vec<Event>, Relations) {
    let mut events: Vec<Event> = ids.iter().map(|&e| event(script, g, e)).collect();
    let mut r = Relations::of(&events);
    r.same_line = r.same_line.diff(&pieces(&events));
    for loc in (0..g.locations() as u32).map(Loc) {
        let co = g.co(loc);
        for (at, &w) in co.iter().enumerate() {
            for &later in &co[at + 1..] {
                r.co.set(index(w), index(later));
            }
            for reader in g.readers(w, loc) {
                r.rf.set(index(w), index(reader));
                co[at + 1..].iter().for_each(|later| r.fr.set(index(reader), index(*later)));
            }
        }
        let Some(of) = script.media[loc.index()].filter(|of| of.kind == MediumKind::Metadata) else {
            continue;
        };
        for pair in co.windows(2) {
            let (old, new) = (g.value_of(pair[0], loc), g.value_of(pair[1], loc));
            let m = index(pair[1]);
            let block = i64::from(of.offset);
            // From inside of a block, past its end.
            events[m].straddles = old % block != 0 && (new - 1) / block > (old - 1) / block;
            for (d, event) in events.iter().enumerate().take(ids.len()).skip(1) {
                let data = event.medium.filter(|m| m.kind == MediumKind::Data && m.unit == of.unit);
                if let Some(data) = data
                    && event.kind == Kind::Write
                    && i64::from(data.offset) >= old
                    && i64::from(data.offset) < new
                {
                    r.appends.set(d, m);
                }
            }
        }
    }
    debug_assert!(!r.co.has(INIT, INIT));
    (events, r)
}

/// Pairs of different writes that are pieces of one copy: `n` writes of a thread after it says so, or fewer
/// if it copies once more.
fn pieces(events: &[Event]) -> Matrix {
    let mut pairs = Matrix::EMPTY;
    for (copy, event) in events.iter().enumerate() {
        let Some((PersistOp::Copy, Some(count))) = event.persists else { continue };
        let rest = events
            .iter()
            .enumerate()
            .skip(copy + 1)
            .take_while(|(_, e)| e.tid == event.tid && !matches!(e.persists, Some((PersistOp::Copy, _))));
        let writes = rest.filter(|(_, e)| e.kind == Kind::Write).map(|(at, _)| at);
        let writes: Vec<usize> = writes.take(count as usize).collect();
        for &a in &writes {
            writes.iter().filter(|b| **b != a).for_each(|b| pairs.set(a, *b));
        }
    }
    pairs
}

fn event(script: &Script, g: &ExecutionGraph, e: EventId) -> Event {
    if e.is_init() {
        return Event::init();
    }
    let ev = g.event(e);
    let access = ev.is_read() || ev.is_write();
    Event {
        tid: ev.tid.0,
        idx: ev.idx,
        loc: if access { ev.loc.0 } else { selvedge_certify::execution::NO_LOC },
        value: ev.value,
        rmw: ev.is_rmw_read() || ev.is_rmw_write(),
        medium: script.media.get(ev.loc.index()).copied().flatten().filter(|_| access),
        persists: ev.persists(),
        ..Event::new(ev.kind, ev.mode)
    }
}
