//! What recovery may find, by the definition: every set of durable writes that is closed under
//! persists-before, and the latest write of each location in it.

use super::Found;
use super::scripts::Script;
use selvedge_certify::eval::Stage;
use selvedge_certify::execution::{Event, INIT, Relations};
use selvedge_certify::{Judge, Matrix};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, MediumKind, PersistOp, Tid};
use selvedge_kat::Theory;
use std::collections::BTreeSet;

/// A persistency model that is evaluated by matrices.
pub struct Definition {
    judge: Judge,
}

/// An execution as matrices have it.
pub struct TakenDown {
    ids: Vec<EventId>,
    events: Vec<Event>,
    relations: Relations,
}

impl TakenDown {
    pub fn of(script: &Script, g: &ExecutionGraph) -> TakenDown {
        let threads = (0..g.threads() as u16).flat_map(|t| g.thread(Tid(t)).iter().copied());
        let ids: Vec<EventId> = [EventId::INIT].into_iter().chain(threads).collect();
        let (events, relations) = taken_down(script, g, &ids, &|e| index(&ids, e));
        TakenDown { ids, events, relations }
    }
}

fn index(ids: &[EventId], e: EventId) -> usize {
    ids.iter().position(|x| *x == e).expect("an event")
}

/// A set of durable writes: the bits of their numbers.
type Set = u32;

impl Definition {
    pub fn new(theory: &Theory) -> Definition {
        Definition { judge: Judge::new(theory).expect("a model that can be evaluated") }
    }

    /// `None` if persists-before is no order.
    pub fn post_crash(&self, script: &Script, g: &ExecutionGraph, x: &TakenDown) -> Option<BTreeSet<Found>> {
        let TakenDown { ids, events, relations } = x;
        let n = events.len();
        let mut scratch = self.judge.scratch();
        for stage in Stage::ALL {
            assert!(self.judge.admits(stage, events, relations, &mut scratch), "there are no axioms");
        }
        let pb: Matrix = self.judge.persists_before(n, &scratch);
        let durable = |x: &usize| events[*x].kind == Kind::Write && events[*x].medium.is_some();
        let writes: Vec<usize> = (1..n).filter(durable).collect();
        if writes.iter().any(|w| pb.has(*w, *w)) {
            return None;
        }
        let bit = |w: usize| writes.iter().position(|x| *x == w).map_or(0, |at| 1 << at);
        let before =
            |x: usize| -> Set { writes.iter().filter(|w| pb.has(**w, x)).fold(0, |set, w| set | bit(*w)) };
        let before_write: Vec<Set> = writes.iter().map(|w| before(*w)).collect();
        let barrier = |x: &usize| matches!(events[*x].persists, Some((PersistOp::Barrier, _)));
        let waited: Set = (1..n).filter(barrier).fold(0, |set, b| set | before(b));
        // By location, the writes in coherence, as sets of one; initial values are in every set.
        let coherence: Vec<Vec<Set>> = (0..g.locations() as u32)
            .map(|loc| g.co(Loc(loc)).iter().map(|w| bit(index(ids, *w))).collect())
            .collect();
        let mut found = BTreeSet::new();
        for set in 0..1 << writes.len() {
            let closed = (0..writes.len()).all(|at| set >> at & 1 == 0 || before_write[at] & !set == 0);
            if !closed || waited & !set != 0 {
                continue;
            }
            let frontier = |loc: Loc| {
                // Locations come up as the program runs.
                let Some(of) = coherence.get(loc.index()) else { return (0, 0) };
                let last = of.iter().rposition(|w| set & w != 0).unwrap_or(0);
                (last, g.value_of(g.co(loc)[last], loc))
            };
            found.insert(script.recover(frontier));
        }
        Some(found)
    }
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
