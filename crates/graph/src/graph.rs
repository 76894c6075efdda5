//! The execution graph, changed in place.

use crate::clock::{ClockId, ClockPool};
use crate::deps::{DepSet, Deps};
use crate::event::{Attrs, Event, EventId, Kind, Part};
use crate::vocab::{Loc, Mode, Tid, Value};
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// A point in a graph's history that it can go back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub(crate) trail: u32,
    pub(crate) clocks: u32,
}

/// The inverse of one change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Added(EventId),
    Reads(EventId),
    Placed(EventId),
    /// A revisit: the last `len` entries of `stash` were deleted, the revisited read first, in whose place
    /// `order[from]` is.
    Cut {
        from: u32,
        len: u32,
    },
    /// The same, without a revisited read.
    Lost {
        len: u32,
    },
    /// The coherence list of a location was the last entries of `stash`.
    Reordered(Loc),
    /// A read was marked as the winner.
    Won(EventId),
}

#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) init: Value,
    /// Coherence order; `EventId::INIT` first.
    pub(crate) co: Vec<EventId>,
    pub(crate) init_readers: EventId,
    /// The object with a beginning and an end of life that it is part of.
    pub(crate) object: Option<u32>,
    /// The last access of each thread.
    pub(crate) last: Vec<EventId>,
    /// What was true of one of its accesses at some time. Not taken back.
    pub(crate) seen: Attrs,
}

/// An object with a beginning and an end of life.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) alloc: EventId,
    pub(crate) free: EventId,
    pub(crate) locs: Vec<Loc>,
}

/// A barrier: the arrivals of each round, by thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    pub(crate) rounds: Vec<Vec<EventId>>,
}

#[derive(Clone, Debug)]
pub struct ExecutionGraph {
    pub(crate) events: Vec<Event>,
    pub(crate) threads: Vec<Vec<EventId>>,
    pub(crate) order: Vec<EventId>,
    pub(crate) locations: Vec<Location>,
    pub(crate) objects: Vec<Object>,
    pub(crate) barriers: Vec<Rounds>,
    pub(crate) trail: Vec<Change>,
    pub(crate) stash: Vec<EventId>,
    /// Who created each thread; `NONE` for threads that run from the start.
    pub(crate) spawns: Vec<EventId>,
    /// By thread: the event that joined or detached it.
    pub(crate) claims: Vec<EventId>,
    /// At some time there were two of them. Not taken back.
    pub(crate) contested: bool,
    pub(crate) clocks: ClockPool,
    pub(crate) slots: usize,
    /// By event and slot; what is beyond the last event is of no meaning.
    pub(crate) slot_clocks: Vec<ClockId>,
    /// Some access may be of several locations.
    pub(crate) has_parts: bool,
    /// How many joins and departures there are.
    pub(crate) joins: u32,
    pub(crate) counted: Attrs,
    pub(crate) counts: [u32; 32],
    pub(crate) deps: Option<Vec<Deps>>,
    /// Writes and reads that are halves of read-modify-writes and not neighbours.
    pub(crate) apart: Vec<(EventId, EventId)>,
    /// By event, what a model says of its thread (`find_strands`); found when it is asked for.
    pub(crate) strands: Vec<OnceLock<Box<[DepSet]>>>,
}

impl ExecutionGraph {
    /// A graph of the initialising event alone. Each event has room for `slots` clocks.
    pub fn new(threads: usize, init: &[Value], slots: usize) -> ExecutionGraph {
        let init_event = Event {
            kind: Kind::Init,
            mode: Mode::Na,
            tid: Tid(u16::MAX),
            idx: 0,
            attrs: Attrs::of(Kind::Init, Mode::Na, false),
            note: 0,
            won: false,
            part: Part::WHOLE,
            gate: 0,
            stamp: 0,
            loc: Loc(u32::MAX),
            value: 0,
            peer: Tid(u16::MAX),
            rf: EventId::NONE,
            co_pos: 0,
            po_pred: EventId::NONE,
            po_loc_pred: EventId::NONE,
            first_reader: EventId::NONE,
            next_reader: EventId::NONE,
            prev_reader: EventId::NONE,
        };
        let mut graph = ExecutionGraph {
            events: vec![init_event],
            threads: vec![Vec::new(); threads],
            order: vec![EventId::INIT],
            locations: Vec::new(),
            objects: Vec::new(),
            barriers: Vec::new(),
            trail: Vec::new(),
            stash: Vec::new(),
            spawns: vec![EventId::NONE; threads],
            claims: vec![EventId::NONE; threads],
            contested: false,
            clocks: ClockPool::new(threads),
            slots,
            slot_clocks: vec![ClockId::EMPTY; slots],
            has_parts: false,
            joins: 0,
            counted: Attrs::NONE,
            counts: [0; 32],
            deps: None,
            apart: Vec::new(),
            strands: Vec::new(),
        };
        for &value in init {
            graph.add_location(value, None);
        }
        graph
    }

    // ---- looking ----

    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The events of a thread, in program order.
    #[inline]
    pub fn thread(&self, t: Tid) -> &[EventId] {
        &self.threads[t.index()]
    }

    #[inline]
    pub fn locations(&self) -> usize {
        self.locations.len()
    }

    #[inline]
    pub fn event(&self, e: EventId) -> &Event {
        &self.events[e.index()]
    }

    /// All events in insertion order, the initialising event first.
    #[inline]
    pub fn order(&self) -> &[EventId] {
        &self.order
    }

    /// Number of events, the initialising one not counted.
    pub fn len(&self) -> usize {
        self.order.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the largest event id in use, deleted events that may come back included.
    #[inline]
    pub fn arena_len(&self) -> usize {
        self.events.len()
    }

    /// The writes of a location in coherence order, `EventId::INIT` first.
    #[inline]
    pub fn co(&self, loc: Loc) -> &[EventId] {
        &self.locations[loc.index()].co
    }

    /// The end of coherence; `None` if the location has not come up yet.
    #[inline]
    pub fn co_last(&self, loc: Loc) -> Option<EventId> {
        self.locations.get(loc.index())?.co.last().copied()
    }

    /// Attributes that an access of this location has or has had, in this graph or in an earlier one; an
    /// access does not have any others.
    #[inline]
    pub fn attrs_at(&self, loc: Loc) -> Attrs {
        self.locations[loc.index()].seen
    }

    /// The object with a beginning and an end of life that a location is part of.
    #[inline]
    pub fn object_of(&self, loc: Loc) -> Option<u32> {
        self.locations[loc.index()].object
    }

    /// The event that began an object's life, if it has begun.
    pub fn alloc_of(&self, object: u32) -> Option<EventId> {
        self.objects.get(object as usize).map(|o| o.alloc).filter(|e| !e.is_none())
    }

    /// The event that ended an object's life, if it has ended.
    pub fn free_of(&self, object: u32) -> Option<EventId> {
        self.objects.get(object as usize).map(|o| o.free).filter(|e| !e.is_none())
    }

    /// The locations of an object that have come up so far.
    pub fn locations_of(&self, object: u32) -> &[Loc] {
        self.objects.get(object as usize).map_or(&[], |o| &o.locs)
    }

    /// The arrivals that are in the same round (`sbr`) as an arrival, itself included, or as the arrival
    /// of a departure.
    #[inline]
    pub fn round(&self, e: EventId) -> &[EventId] {
        let ev = &self.events[e.index()];
        let arrival = match ev.kind {
            Kind::Arrive => ev,
            Kind::Depart => &self.events[ev.po_pred.index()],
            _ => return &[],
        };
        &self.barriers[arrival.value as usize].rounds[arrival.co_pos as usize]
    }

    /// The round of a barrier before that of this arrival.
    pub fn round_before(&self, arrival: EventId) -> Option<&[EventId]> {
        let ev = &self.events[arrival.index()];
        let round = (ev.co_pos as usize).checked_sub(1)?;
        Some(&self.barriers[ev.value as usize].rounds[round])
    }

    pub fn init_value(&self, loc: Loc) -> Value {
        self.locations[loc.index()].init
    }

    /// Position in the coherence list of its location, if it has been placed.
    #[inline]
    pub fn co_pos(&self, w: EventId) -> Option<usize> {
        let pos = self.events[w.index()].co_pos;
        (pos != u32::MAX).then_some(pos as usize)
    }

    /// The write that a read reads from, if that is decided.
    #[inline]
    pub fn rf(&self, r: EventId) -> Option<EventId> {
        let w = self.events[r.index()].rf;
        (!w.is_none()).then_some(w)
    }

    /// The reads that read from `w` at `loc` (which only matters for the initialising event).
    #[inline]
    pub fn readers(&self, w: EventId, loc: Loc) -> Readers<'_> {
        let first = if w.is_init() {
            self.locations[loc.index()].init_readers
        } else {
            self.events[w.index()].first_reader
        };
        Readers { graph: self, next: first }
    }

    /// The value that reading `loc` from `w` gives.
    #[inline]
    pub fn value_of(&self, w: EventId, loc: Loc) -> Value {
        if w.is_init() { self.locations[loc.index()].init } else { self.events[w.index()].value }
    }

    /// The event before `e` in its thread; `None` for a thread's first event.
    #[inline]
    pub fn po_pred(&self, e: EventId) -> Option<EventId> {
        let pred = self.events[e.index()].po_pred;
        (!pred.is_none()).then_some(pred)
    }

    #[inline]
    pub fn po_succ(&self, e: EventId) -> Option<EventId> {
        let ev = &self.events[e.index()];
        self.threads[ev.tid.index()].get(ev.idx as usize).copied()
    }

    /// The latest access of `loc` in thread `t` whose index is at most `idx`.
    #[inline]
    pub fn last_access(&self, loc: Loc, t: Tid, idx: u32) -> Option<EventId> {
        let mut e = self.locations[loc.index()].last[t.index()];
        while !e.is_none() && self.events[e.index()].idx > idx {
            e = self.events[e.index()].po_loc_pred;
        }
        (!e.is_none()).then_some(e)
    }

    /// Of every thread but one, the latest access of `loc` that a clock includes; stops where `each` says so.
    #[inline]
    pub fn known_accesses(
        &self,
        loc: Loc,
        clock: ClockId,
        but: Tid,
        mut each: impl FnMut(&Event) -> ControlFlow<()>,
    ) {
        let both = self.locations[loc.index()].last.iter().zip(self.clocks.slice(clock));
        for (t, (&last, &known)) in both.enumerate() {
            if known == 0 || t == but.index() {
                continue;
            }
            let mut e = last;
            while !e.is_none() {
                let ev = &self.events[e.index()];
                if ev.idx <= known {
                    if each(ev).is_break() {
                        return;
                    }
                    break;
                }
                e = ev.po_loc_pred;
            }
        }
    }

    /// The accesses of `loc` that a clock does not include, of all threads but one, those of each thread from
    /// the latest on.
    #[inline]
    pub fn unknown_accesses(
        &self,
        loc: Loc,
        clock: ClockId,
        but: Tid,
        mut each: impl FnMut(EventId, &Event),
    ) {
        let both = self.locations[loc.index()].last.iter().zip(self.clocks.slice(clock));
        for (t, (&last, &known)) in both.enumerate() {
            if t == but.index() {
                continue;
            }
            let mut e = last;
            while !e.is_none() {
                let ev = &self.events[e.index()];
                if ev.idx <= known {
                    break;
                }
                each(e, ev);
                e = ev.po_loc_pred;
            }
        }
    }

    /// Where in coherence an access is: a write's own place, or its source's; `None` if that is not decided.
    #[inline]
    pub fn place_of(&self, access: &Event) -> Option<usize> {
        let pos = match access.kind {
            Kind::Read if access.rf.is_none() => return None,
            Kind::Read => self.events[access.rf.index()].co_pos,
            _ => access.co_pos,
        };
        (pos != u32::MAX).then_some(pos as usize)
    }

    /// The accesses of `loc` in thread `t` whose index is larger than `idx`, latest first.
    #[inline]
    pub fn accesses_after(&self, loc: Loc, t: Tid, idx: u32) -> impl Iterator<Item = EventId> {
        let mut e = self.locations[loc.index()].last[t.index()];
        std::iter::from_fn(move || {
            let this = e;
            if this.is_none() || self.events[this.index()].idx <= idx {
                return None;
            }
            e = self.events[this.index()].po_loc_pred;
            Some(this)
        })
    }

    /// The access of the same location that comes before this one in its thread.
    #[inline]
    pub fn po_loc_pred(&self, e: EventId) -> Option<EventId> {
        let before = self.events[e.index()].po_loc_pred;
        (!before.is_none()).then_some(before)
    }

    /// The event that created this thread.
    #[inline]
    pub fn spawn_of(&self, t: Tid) -> Option<EventId> {
        let s = self.spawns[t.index()];
        (!s.is_none()).then_some(s)
    }

    /// The event that joined this thread or detached it. There is one at most, but for programs that go
    /// wrong; it is the first one then.
    pub fn claim_of(&self, t: Tid) -> Option<EventId> {
        let claim = self.claims[t.index()];
        (!claim.is_none()).then_some(claim)
    }

    /// The events that join this thread.
    pub fn joins_of(&self, t: Tid) -> impl Iterator<Item = EventId> {
        let (one, all) = match self.contested {
            false => (self.claim_of(t), &[][..]),
            true => (None, &self.order[..]),
        };
        let is_join = move |e: &EventId| self.event(*e).kind == Kind::Join && self.event(*e).peer == t;
        one.into_iter().chain(all.iter().copied()).filter(is_join)
    }

    pub fn is_detached(&self, t: Tid) -> bool {
        self.claim_of(t).is_some_and(|e| self.event(e).kind == Kind::Detach)
    }

    /// Whether some thread has joined another, or gone on from a barrier.
    #[inline]
    pub fn has_joins(&self) -> bool {
        self.joins != 0
    }

    /// The read half of the read-modify-write whose write half is `w`.
    #[inline]
    pub fn rmw_read_of(&self, w: EventId) -> Option<EventId> {
        let ev = &self.events[w.index()];
        if ev.part == Part::WHOLE && self.apart.is_empty() {
            return if ev.is_rmw_write() { self.po_pred(w) } else { None };
        }
        self.rmw_read_in_parts(w)
    }

    #[inline(never)]
    fn rmw_read_in_parts(&self, w: EventId) -> Option<EventId> {
        let ev = &self.events[w.index()];
        if let Some((_, r)) = self.apart.iter().find(|(other, _)| *other == w) {
            return Some(*r);
        }
        match ev.is_rmw_write() {
            true if ev.part == Part::WHOLE => self.po_pred(w),
            // All parts are read before any is written.
            true => Some(ev.po_loc_pred).filter(|r| !r.is_none()),
            false => None,
        }
    }

    /// The halves of a read-modify-write that are not neighbours.
    pub fn set_apart(&mut self, w: EventId, r: EventId) {
        self.apart.push((w, r));
    }

    /// The write half of the read-modify-write whose read half is `r`, if it is there.
    pub fn rmw_write_of(&self, r: EventId) -> Option<EventId> {
        let ev = &self.events[r.index()];
        if !ev.is_rmw_read() {
            return None;
        }
        if let Some((w, _)) = self.apart.iter().find(|(_, other)| *other == r) {
            return Some(*w);
        }
        if ev.part == Part::WHOLE {
            return self.po_succ(r);
        }
        let rest = &self.threads[ev.tid.index()][ev.idx as usize..];
        let parts = ev.part.before as usize + ev.part.after as usize + 1;
        rest.iter().copied().take(2 * parts + 1).find(|&w| self.rmw_read_of(w) == Some(r))
    }

    /// The writes of other read-modify-writes that are in the way of the one that a choice is between the
    /// halves of: they have read the same.
    pub fn rivals_at_gate(&self, choice: EventId) -> impl Iterator<Item = EventId> {
        let ev = &self.events[choice.index()];
        let at = ev.idx as usize - 1;
        let reads = &self.threads[ev.tid.index()][at - ev.gate as usize..at];
        reads.iter().filter_map(|&r| {
            let source = self.rf(r)?;
            let &next = self.co(self.events[r.index()].loc).get(self.co_pos(source)? + 1)?;
            let rival = self.rmw_read_of(next)?;
            (rival != r && self.rf(rival) == Some(source)).then_some(next)
        })
    }

    /// Whether some access is of several locations; if not, every event is the first part of an access.
    #[inline]
    pub fn has_parts(&self) -> bool {
        self.has_parts
    }

    /// The first part of the access that `e` is part of.
    #[inline]
    pub fn first_part(&self, e: EventId) -> EventId {
        let ev = &self.events[e.index()];
        match ev.part.before {
            0 => e,
            before => self.threads[ev.tid.index()][ev.idx as usize - 1 - before as usize],
        }
    }

    /// The parts, as far as they are there, of the access that `e` is part of; itself if it is whole.
    pub fn parts(&self, e: EventId) -> &[EventId] {
        let ev = &self.events[e.index()];
        let Some(thread) = self.threads.get(ev.tid.index()) else { return &[EventId::INIT] };
        let at = ev.idx as usize - 1;
        let end = thread.len().min(at + 1 + ev.part.after as usize);
        &thread[at - ev.part.before as usize..end]
    }

    /// How many events have this attribute; it must be among those given to `count`.
    #[inline]
    pub fn count_of(&self, attr: Attrs) -> u32 {
        debug_assert!(self.counted.has(attr));
        self.counts[attr.0.trailing_zeros() as usize]
    }

    pub fn deps(&self, e: EventId) -> Option<&Deps> {
        self.deps.as_ref().and_then(|d| d.get(e.index()))
    }

    /// Sets of earlier events of its thread that a model keeps of an event, if they were found.
    #[inline]
    pub fn strands(&self, e: EventId) -> &[DepSet] {
        self.strands.get(e.index()).and_then(OnceLock::get).map_or(&[], |sets| sets)
    }

    /// Finds those of all events that have none, of each thread from the first to the last.
    pub fn find_strands(&self, find: impl Fn(EventId) -> Vec<DepSet>) {
        for thread in &self.threads {
            let lacks = |e: &EventId| self.strands.get(e.index()).is_some_and(|sets| sets.get().is_none());
            // Who has them has them of all before.
            let from = thread.iter().rposition(|e| !lacks(e)).map_or(0, |at| at + 1);
            for &e in &thread[from..] {
                let _ = self.strands[e.index()].set(find(e).into_boxed_slice());
            }
        }
    }

    // ---- clocks ----

    #[inline]
    pub fn clock(&self, e: EventId, slot: usize) -> ClockId {
        self.slot_clocks[e.index() * self.slots + slot]
    }

    #[inline]
    pub fn set_clock(&mut self, e: EventId, slot: usize, clock: ClockId) {
        self.slot_clocks[e.index() * self.slots + slot] = clock;
    }

    /// A byte per event that only the model looks at.
    #[inline]
    pub fn note(&self, e: EventId) -> u8 {
        self.events[e.index()].note
    }

    #[inline]
    pub fn set_note(&mut self, e: EventId, note: u8) {
        self.events[e.index()].note = note;
    }

    /// Whether a read took the place of one that came first.
    #[inline]
    pub fn has_won(&self, e: EventId) -> bool {
        self.events[e.index()].won
    }

    /// Marks a read that takes the place of one that came first.
    pub fn set_won(&mut self, e: EventId) {
        debug_assert!(!self.events[e.index()].won);
        self.events[e.index()].won = true;
        self.trail.push(Change::Won(e));
    }

    #[inline]
    pub fn clocks(&self) -> &ClockPool {
        &self.clocks
    }

    #[inline]
    pub fn clocks_mut(&mut self) -> &mut ClockPool {
        &mut self.clocks
    }

    /// Whether clock `slot` of `e` includes `x`. Clocks that events carry include the events before
    /// them in their own thread without storing it.
    #[inline]
    pub fn includes(&self, e: EventId, slot: usize, x: EventId) -> bool {
        let (ev, other) = (&self.events[e.index()], &self.events[x.index()]);
        if other.tid == ev.tid {
            other.idx < ev.idx
        } else {
            x.is_init() || self.clocks.get(self.clock(e, slot), other.tid) >= other.idx
        }
    }
}

/// The readers of a write, latest first.
pub struct Readers<'a> {
    graph: &'a ExecutionGraph,
    next: EventId,
}

impl Iterator for Readers<'_> {
    type Item = EventId;

    #[inline]
    fn next(&mut self) -> Option<EventId> {
        if self.next.is_none() {
            return None;
        }
        let r = self.next;
        self.next = self.graph.events[r.index()].next_reader;
        Some(r)
    }
}
