//! Threads that wait are not part of a graph until there is something for them to read.
//!
//! **Waiting reads go last.** A thread whose next read would make it wait if it read from the end of
//! coherence is not scheduled as long as another one can go on. That is a schedule like any other.
//!
//! **Locks.** Let `r` be half of a read-modify-write that took a lock: it reads the write `s`, which says
//! that the lock is free. Another thread that wants the lock has its read `u` read from `s` as well; its
//! write `w` then revisits `r` (thesis §5.5), which now sees that the lock is taken and waits. Nothing that
//! waits is worth a graph here: `r` is deleted like the events after it, and its thread stands before it
//! again. It goes on when the lock is free. There is no execution in which `r` stays as it was while others
//! go on.
//!
//! In the plain algorithm `r` stays in the graph, and says that its thread came first: a second revisit, by
//! which `r` would take the lock from `u` again, has to be ruled out. So `u` is marked as the winner
//! (`set_won`). As long as `r` was there, no revisit could delete `u`: with `u` it would delete `w`, which
//! `r` reads from although it was added before it. Likewise, a winner does not count as added maximally.
//!
//! This needs that whatever `r` may read from later has `w` in its causal prefix; if it has not, the plain
//! algorithm comes to it from another graph, in which `r` still reads from `s`. So the writes to the location
//! must form a chain, each in the causal prefix of the next: as long as only the one who has the lock writes
//! to it, they do. Whether they do is watched during the exploration ([`Chains`]). If a location at which a
//! lock was taken away turns out to have writes that do not, what was explored is of no use, and has to be
//! explored again without this reduction.
//!
//! **Test and test-and-set.** A load `r` right before a compare-and-exchange `u` that expects what `r` read:
//! by confirmation both see the same write, so they are one: added one right after the other, and deleted
//! together if the lock is lost. What would make `u` see another write is left out. The same holds of loops
//! that try again, as in `do { n->next = load(top); } while (!cas(top, n->next, n))`: whoever loses starts
//! over. Here the load does not wait; what it could read again was all taken by others. An exchange
//! (`Rmw::Swap`) that follows such a load is one with it if it waits whenever it sees something else. That is
//! known of one value, which it stores itself; so there must be no third one: both have to be 0 and 1, and it
//! is watched that there are no others.
//!
//! *Premises*: `po ∪ rf` has no cycle; annotations and futile graphs are on, and what clocks say of coherence
//! is trusted. *Watched*: [`Chains`].

use super::annotations::waits;
use super::confirmation::acquires;
use super::locations::{SharedBits, Told};
use super::{Hooks, Reducers, reduces};
use crate::explorer::Explorer;
use crate::frame::{Frame, LostFrame};
use crate::report::Config;
use crate::threads::FEW_WRITES;
use selvedge_graph::{EventId, Loc, Mode, Tid};
use selvedge_machine::{Again, Machine, Op, Reduction, Rmw};

/// A lock at this location was taken away from a thread.
const LOST: u8 = 1;
/// There were writes to this location that form no chain.
const UNCHAINED: u8 = 2;
/// It mattered that no value is written to this location by two writes.
const DISTINCT: u8 = 4;
/// There was such a value.
const REPEATED: u8 = 8;
/// It mattered that all values of this location are 0 or 1.
const BINARY: u8 = 16;
/// There was another one.
const OTHER: u8 = 32;

/// Whether what is known of a location is what the reduction needs.
fn in_order(bits: u8) -> bool {
    [LOST | UNCHAINED, DISTINCT | REPEATED, BINARY | OTHER].into_iter().all(|both| bits & both != both)
}

/// With more writes than this to a location, some value counts as repeated.
const MANY_WRITES: usize = 64;

/// What is known of the locations of a program, by all who explore it.
#[derive(Debug, Default)]
pub struct Chains {
    seen: SharedBits,
}

impl Chains {
    /// Adds what was found out; returns whether the location is still in order.
    fn note(&self, loc: Loc, bit: u8) -> bool {
        in_order(self.seen.note(loc, bit))
    }

    /// A location at which a lock was lost although its writes form no chain: what was explored is not
    /// all there is.
    pub fn broken(&self) -> Option<Loc> {
        self.seen.first_not(in_order)
    }

    /// What is known, to be remembered elsewhere.
    pub fn save(&self) -> Vec<u8> {
        self.seen.save()
    }

    /// Adds what was known before.
    pub fn restore(&self, saved: &[u8]) {
        self.seen.restore(saved);
    }
}

/// What one explorer remembers of it.
#[derive(Debug)]
pub(crate) struct Awaits {
    on: bool,
    told: Told,
    /// The condition was found not to hold.
    broken: bool,
}

impl Awaits {
    pub(crate) fn new(config: &Config) -> Awaits {
        let on = config.watches.chains.is_some()
            && config.shortcuts
            && [Reduction::Awaits, Reduction::Annotations, Reduction::Futile]
                .iter()
                .all(|r| reduces(config, *r));
        Awaits { on, told: Told::default(), broken: false }
    }
}

impl<M: Machine> Hooks<M> for Awaits {
    #[inline(always)]
    fn puts_off_waiting(x: &Explorer<'_, M>) -> bool {
        x.reducers.awaits.on
    }

    #[inline(always)]
    fn before_event(x: &mut Explorer<'_, M>, t: Tid, op: Op) {
        if matches!(op, Op::Load { rmw: Rmw::Swap { .. }, .. }) && x.reducers.awaits.on {
            x.watch_swap(t, op);
        }
    }

    #[inline(always)]
    fn after_store(x: &mut Explorer<'_, M>, w: EventId, places: u32) {
        if x.reducers.awaits.on && x.rmws {
            x.watch_value(w);
            if !x.graph.event(w).is_rmw_write() {
                x.watch_write(w, places);
            }
        }
    }

    #[inline(always)]
    fn stands_for_rmw(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> Option<Mode> {
        if x.reducers.awaits.on { x.is_head(e, w) } else { None }
    }

    fn relies_on_rmw(x: &mut Explorer<'_, M>, e: EventId, mode: Mode) {
        x.rely_on(e, mode);
    }

    #[inline(always)]
    fn skips_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> bool {
        x.rmws && x.reducers.awaits.on && x.left_out(e, w)
    }

    #[inline(always)]
    fn after_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId, is_last: bool) {
        if x.rmws && x.reducers.awaits.on && !is_last {
            x.watch_read(e, w);
        }
    }

    fn skips_revisit(x: &mut Explorer<'_, M>, r: EventId, w: EventId) -> bool {
        x.goes_with_loser(r, w)
    }

    fn in_place_of_revisit(x: &mut Explorer<'_, M>, r: EventId, w: EventId) -> bool {
        match x.loses(r, w) {
            Some(first) => x.lose(first, w),
            None => false,
        }
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        x.reducers.awaits.broken.then_some(Again::Unfounded(Reduction::Awaits))
    }
}

impl<M: Machine> Explorer<'_, M> {
    #[inline]
    fn note(&mut self, loc: Loc, bit: u8) {
        let awaits = &mut self.reducers.awaits;
        if awaits.told.is_news(loc, bit) {
            awaits.broken |= self.config.watches.chains.as_ref().is_some_and(|chains| !chains.note(loc, bit));
        }
    }

    /// A write was added to the graph.
    #[inline]
    fn watch_value(&mut self, w: EventId) {
        let g = &self.graph;
        let (loc, value) = (g.event(w).loc, g.event(w).value);
        if !matches!(value, 0 | 1) && !self.reducers.awaits.told.has(loc, OTHER) {
            self.note(loc, OTHER);
        }
        let g = &self.graph;
        if self.reducers.awaits.told.has(loc, REPEATED) {
            return;
        }
        let co = g.co(loc);
        let again = |x: EventId| g.value_of(x, loc) == value && !self.are_rivals(x, w);
        if co.len() > MANY_WRITES || co.iter().any(|&x| again(x)) {
            self.note(loc, REPEATED);
            self.note_repeated(loc);
        }
    }

    /// Whether two writes are of read-modify-writes that read from the same write: no execution has both.
    fn are_rivals(&self, x: EventId, w: EventId) -> bool {
        let g = &self.graph;
        let source = |e: EventId| g.rmw_read_of(e).and_then(|r| g.rf(r));
        source(x).is_some() && source(x) == source(w)
    }

    /// A write of its own was added to the graph; it may go to `places` places.
    #[inline]
    fn watch_write(&mut self, w: EventId, places: u32) {
        let g = &self.graph;
        let loc = g.event(w).loc;
        let chained = match g.co_last(loc) {
            Some(last) => places == 1 && (last.is_init() || self.model.in_prefix(g, last, w)),
            None => true,
        };
        if !chained {
            self.note(loc, UNCHAINED);
        }
    }

    /// A read-modify-write of kind `Rmw::Swap` is about to be added: it may be one with the load before it.
    fn watch_swap(&mut self, t: Tid, op: Op) {
        let Op::Load { loc, .. } = op else { return };
        if self.reducers.awaits.told.has(loc, BINARY) {
            return;
        }
        let before = self.graph.thread(t).last().map(|&r| self.graph.event(r));
        let Some(read) = before.filter(|ev| ev.is_read() && ev.loc == loc) else { return };
        if self.threads.state(t).is_some_and(|state| self.is_binary(state, read.value)) {
            self.rely_on_two_values(loc);
        }
    }

    /// From here on it matters that a location has no other values than 0 and 1.
    pub(crate) fn rely_on_two_values(&mut self, loc: Loc) {
        if !self.reducers.awaits.on {
            return;
        }
        self.note(loc, BINARY);
        let g = &self.graph;
        if g.co(loc).iter().any(|&w| !matches!(g.value_of(w, loc), 0 | 1)) {
            self.note(loc, OTHER);
        }
    }

    /// Half of a read-modify-write reads from a write that is not at the end of coherence.
    fn watch_read(&mut self, r: EventId, w: EventId) {
        let loc = self.graph.event(r).loc;
        if self.graph.event(r).is_rmw_read() && self.rmw_reader(w, loc, r).is_none() {
            self.note(loc, UNCHAINED);
        }
    }

    /// `r` and the read-modify-write after it, of ordering `strong`, are to be one. If they are not by
    /// confirmation, then because there is no other write with the value that they read.
    fn rely_on(&mut self, r: EventId, strong: Mode) {
        let Op::Load { loc, mode, .. } = self.threads.op_of(r) else { return };
        if !acquires(mode, strong) {
            self.note(loc, DISTINCT);
        }
    }

    /// Whether everything that was added from `first` to `last` is of one thread.
    fn are_adjacent(&self, first: EventId, last: EventId) -> bool {
        let g = &self.graph;
        let (from, to) = (g.event(first).stamp as usize, g.event(last).stamp as usize);
        from < to && g.order()[from..to].iter().all(|&x| g.event(x).tid == g.event(last).tid)
    }

    /// Whether it is no use that `u` reads from `w`, because it would wait, and the load that it is one with
    /// will never see another write: it was not added maximally.
    fn left_out(&mut self, u: EventId, w: EventId) -> bool {
        let Some(r) = self.head(u) else { return false };
        let g = &self.graph;
        if g.rf(r).is_none_or(|source| source == w) {
            return false;
        }
        let value = g.value_of(w, g.event(u).loc);
        let useless = self.is_fixed(r) && Reducers::is_useless(self, u, value);
        if useless && let Op::Load { mode, .. } = self.threads.op_of(u) {
            self.rely_on(r, mode);
        }
        useless
    }

    /// The first event that goes if `w` takes the lock away from `r`; `None` if it is no such thing.
    fn loses(&mut self, r: EventId, w: EventId) -> Option<EventId> {
        let g = &self.graph;
        let u = g.rmw_read_of(w)?;
        if !self.reducers.awaits.on || !g.event(r).is_rmw_read() || g.rf(r) != g.rf(u) {
            return None;
        }
        let (loc, value) = (g.event(w).loc, g.value_of(w, g.event(w).loc));
        if !waits(self.threads.peek(self.machine, r, value)) {
            return None;
        }
        let first = match self.head(r) {
            Some(first) if self.are_adjacent(first, r) => first,
            Some(_) => return None,
            None => r,
        };
        // It will come to its read again, and must not read then what it could have read now.
        let Op::Load { mode, rmw, .. } = self.threads.op_of(r) else { return None };
        let last = self.graph.rf(u).and_then(|source| self.graph.co_pos(source))?;
        for pos in 0..=last {
            let x = self.graph.co(loc)[pos];
            let value = self.graph.value_of(x, loc);
            let taken = self.rmw_reader(x, loc, u).is_some()
                && (self.load_outcome(r, mode, rmw, value).1 || self.is_head(first, x).is_some());
            if !taken && !waits(self.threads.peek(self.machine, first, value)) {
                return None;
            }
        }
        if first != r {
            self.rely_on(first, mode);
        }
        Some(first)
    }

    /// Whether a load goes with a read-modify-write that `w` takes the lock away from.
    fn goes_with_loser(&mut self, r: EventId, w: EventId) -> bool {
        let g = &self.graph;
        if !self.reducers.awaits.on || g.event(r).is_rmw_read() || !g.event(w).is_rmw_write() {
            return false;
        }
        let after = &g.thread(g.event(r).tid)[g.event(r).idx as usize..];
        let next = after.iter().take(FEW_WRITES + 1).copied().find(|&u| g.event(u).is_read());
        next.is_some_and(|u| self.loses(u, w) == Some(r))
    }

    /// `w` takes the lock from the thread of `first`, which goes back to before it.
    fn lose(&mut self, first: EventId, w: EventId) -> bool {
        let saved = self.saved.len() as u32;
        let loc = self.graph.event(w).loc;
        self.note(loc, LOST);
        self.model.prefix(&self.graph, w, &mut self.prefix);
        self.rewind_threads(first);
        let before = self.graph.mark();
        self.graph.cut(first, w, &self.lost);
        let (place, _) = self.places(w, true);
        self.graph.place(w, place as usize);
        let Some(winner) = self.graph.rmw_read_of(w) else { unreachable!("a read-modify-write") };
        self.graph.set_won(winner);
        self.stats.revisits += 1;
        self.frames.push(Frame::Lost(LostFrame { before, saved }));
        self.inspect(w);
        true
    }

    /// Takes that back.
    pub(crate) fn undo_loss(&mut self, frame: LostFrame) {
        self.graph.undo_to(frame.before);
        self.restore_threads(frame.saved);
    }
}
