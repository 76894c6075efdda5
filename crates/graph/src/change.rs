//! Changes of a graph, each with its inverse on the trail.
//!
//! What is not on the trail says nothing of the execution: room for locations, objects and rounds of barriers
//! (one without events is none), and two hints that may say too much but never too little (`Location::seen`,
//! `contested`). Notes of models and values of choices go with their events.

use crate::clock::ClockId;
use crate::deps::Deps;
use crate::event::{Attrs, Event, EventId, Kind, Part};
use crate::graph::{Change, ExecutionGraph, Location, Mark, Object, Rounds};
use crate::medium::PersistOp;
use crate::vocab::{Loc, Mode, Tid, Value};
use std::sync::OnceLock;

impl ExecutionGraph {
    /// Counts from now on the events that have these attributes. The graph must be empty.
    pub fn count(&mut self, attrs: Attrs) {
        debug_assert!(self.is_empty());
        self.counted = attrs;
    }

    pub fn track_deps(&mut self) {
        self.deps = Some(vec![Deps::NONE]);
    }

    pub fn set_deps(&mut self, e: EventId, deps: Deps) {
        if let Some(all) = &mut self.deps {
            if all.len() <= e.index() {
                all.resize(e.index() + 1, Deps::NONE);
            }
            all[e.index()] = deps;
        }
    }

    /// What is kept of an event's thread (`find_strands`) is to be found anew: it was added, or has another
    /// source.
    #[inline]
    pub fn forget_strands(&mut self, e: EventId) {
        match self.strands.get_mut(e.index()) {
            Some(sets) => drop(sets.take()),
            None => self.strands.resize_with(e.index() + 1, OnceLock::new),
        }
    }

    /// Makes room for one more location. This is not taken back: a location without accesses is none.
    pub fn add_location(&mut self, init: Value, object: Option<u32>) {
        let loc = Loc(self.locations.len() as u32);
        self.locations.push(Location {
            init,
            co: vec![EventId::INIT],
            init_readers: EventId::NONE,
            object,
            last: vec![EventId::NONE; self.threads.len()],
            seen: Attrs::NONE,
        });
        if let Some(object) = object {
            self.object_mut(object).locs.push(loc);
        }
    }

    fn object_mut(&mut self, object: u32) -> &mut Object {
        while self.objects.len() <= object as usize {
            self.objects.push(Object { alloc: EventId::NONE, free: EventId::NONE, locs: Vec::new() });
        }
        &mut self.objects[object as usize]
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len() as u32, clocks: self.clocks.size() }
    }

    /// Adds an event at the end of its thread and of the insertion order. A read has no source and a
    /// write no place in coherence until `read_from` and `place` say so.
    #[inline]
    pub fn add(&mut self, tid: Tid, kind: Kind, mode: Mode, attrs: Attrs) -> EventId {
        let id = EventId(self.events.len() as u32);
        let thread = &mut self.threads[tid.index()];
        let po_pred = thread.last().copied().unwrap_or(EventId::NONE);
        thread.push(id);
        self.events.push(Event {
            kind,
            mode,
            tid,
            po_pred,
            idx: thread.len() as u32,
            attrs,
            note: 0,
            won: false,
            part: Part::WHOLE,
            gate: 0,
            stamp: self.order.len() as u32,
            loc: Loc(u32::MAX),
            value: 0,
            peer: Tid(u16::MAX),
            rf: EventId::NONE,
            co_pos: u32::MAX,
            po_loc_pred: EventId::NONE,
            first_reader: EventId::NONE,
            next_reader: EventId::NONE,
            prev_reader: EventId::NONE,
        });
        self.order.push(id);
        self.forget_clocks(id);
        self.tally(attrs, 1);
        self.trail.push(Change::Added(id));
        id
    }

    #[inline]
    pub fn add_read(&mut self, tid: Tid, mode: Mode, loc: Loc) -> EventId {
        let e = self.add(tid, Kind::Read, mode, Attrs::NONE);
        self.events[e.index()].loc = loc;
        self.push_access(e);
        e
    }

    #[inline(always)] // the event is written once, in place
    pub fn add_write(&mut self, tid: Tid, mode: Mode, loc: Loc, value: Value, rmw: bool) -> EventId {
        let e = self.add(tid, Kind::Write, mode, Attrs::of(Kind::Write, mode, rmw));
        let ev = &mut self.events[e.index()];
        ev.loc = loc;
        ev.value = value;
        let attrs = ev.attrs;
        self.locations[loc.index()].seen = self.attrs_at(loc) | attrs;
        self.push_access(e);
        e
    }

    pub fn add_fence(&mut self, tid: Tid, mode: Mode) -> EventId {
        self.add(tid, Kind::Fence, mode, Attrs::of(Kind::Fence, mode, false))
    }

    pub fn add_choice(&mut self, tid: Tid, value: Value) -> EventId {
        let e = self.add(tid, Kind::Choice, Mode::Na, Attrs::CHOICE);
        self.events[e.index()].value = value;
        e
    }

    pub fn add_alloc(&mut self, tid: Tid, object: u32) -> EventId {
        self.add_life(tid, Kind::Alloc, object)
    }

    pub fn add_free(&mut self, tid: Tid, object: u32) -> EventId {
        self.add_life(tid, Kind::Free, object)
    }

    fn add_life(&mut self, tid: Tid, kind: Kind, object: u32) -> EventId {
        let e = self.add(tid, kind, Mode::Na, Attrs::of(kind, Mode::Na, false));
        self.events[e.index()].value = object as Value;
        self.mark_life(e, e);
        e
    }

    /// Records `is` as the event of the kind of `e` in the life of its object. The first free counts: a
    /// second one is an error, and comes and goes after it.
    fn mark_life(&mut self, e: EventId, is: EventId) {
        let ev = &self.events[e.index()];
        let (kind, object) = (ev.kind, ev.value as u32);
        let object = self.object_mut(object);
        let entry = if kind == Kind::Alloc { &mut object.alloc } else { &mut object.free };
        if entry.is_none() || *entry == e {
            *entry = is;
        }
    }

    pub fn add_spawn(&mut self, tid: Tid, child: Tid) -> EventId {
        let e = self.add(tid, Kind::Spawn, Mode::Na, Attrs::TC);
        self.events[e.index()].peer = child;
        self.spawns[child.index()] = e;
        e
    }

    pub fn add_join(&mut self, tid: Tid, child: Tid) -> EventId {
        let e = self.add(tid, Kind::Join, Mode::Na, Attrs::TJ);
        self.joins += 1;
        self.events[e.index()].peer = child;
        self.mark_claim(e, e);
        e
    }

    pub fn add_detach(&mut self, tid: Tid, thread: Tid) -> EventId {
        let e = self.add(tid, Kind::Detach, Mode::Na, Attrs::NONE);
        self.events[e.index()].peer = thread;
        self.mark_claim(e, e);
        e
    }

    /// Records `is` as the event that joined or detached a thread, where that was, or is to be, `e`. The
    /// first one counts: a second one is an error, and comes and goes after it.
    fn mark_claim(&mut self, e: EventId, is: EventId) {
        let claim = &mut self.claims[self.events[e.index()].peer.index()];
        if claim.is_none() || *claim == e {
            *claim = is;
        } else {
            self.contested = true;
        }
    }

    pub fn add_local(&mut self, tid: Tid, object: u32) -> EventId {
        let e = self.add(tid, Kind::Local, Mode::Na, Attrs::NONE);
        self.events[e.index()].value = object as Value;
        e
    }

    /// A thread makes something persist.
    pub fn add_persist(&mut self, tid: Tid, op: PersistOp, unit: Option<u32>) -> EventId {
        let e = self.add(tid, Kind::Persist, Mode::Na, Attrs::NONE);
        self.events[e.index()].value = op.coded(unit);
        e
    }

    /// Says of a write that was just added that it is never overwritten.
    pub fn set_final(&mut self, w: EventId) {
        let ev = &mut self.events[w.index()];
        debug_assert!(ev.kind == Kind::Write);
        ev.attrs = ev.attrs | Attrs::FINAL;
        let loc = ev.loc;
        self.locations[loc.index()].seen = self.attrs_at(loc) | Attrs::FINAL;
        self.tally(Attrs::FINAL, 1);
    }

    /// Says of an access that was just added that it is part of one of several locations. The first part
    /// comes first, and nothing else is in its thread between two of them.
    pub fn set_part(&mut self, e: EventId, part: Part) {
        self.has_parts |= part != Part::WHOLE;
        self.events[e.index()].part = part;
    }

    /// Says of a choice that was just added that it is between the halves of a read-modify-write of so many
    /// locations: whether they are written, or the thread is held up.
    pub fn set_gate(&mut self, choice: EventId, locations: u8) {
        self.events[choice.index()].gate = locations;
    }

    /// A thread comes to a barrier at which `count` threads meet. It is in the first round that is not
    /// complete: a function of the arrivals that are in its past, if there are never more than `count`
    /// that nothing orders.
    pub fn add_arrive(&mut self, tid: Tid, barrier: u32, count: u32) -> EventId {
        let e = self.add(tid, Kind::Arrive, Mode::Na, Attrs::of(Kind::Arrive, Mode::Na, false));
        let at = barrier as usize;
        if self.barriers.len() <= at {
            self.barriers.resize(at + 1, Rounds::default());
        }
        let rounds = &self.barriers[at].rounds;
        let open = rounds.iter().rposition(|r| r.len() >= count as usize).map_or(0, |last| last + 1);
        let ev = &mut self.events[e.index()];
        ev.value = barrier as Value;
        ev.co_pos = open as u32;
        self.join_round(e);
        e
    }

    pub fn add_depart(&mut self, tid: Tid) -> EventId {
        self.joins += 1;
        self.add(tid, Kind::Depart, Mode::Na, Attrs::of(Kind::Depart, Mode::Na, false))
    }

    fn join_round(&mut self, e: EventId) {
        let ev = &self.events[e.index()];
        let (rounds, at) = (&mut self.barriers[ev.value as usize].rounds, ev.co_pos as usize);
        if rounds.len() <= at {
            rounds.resize(at + 1, Vec::new());
        }
        let events = &self.events;
        let place = rounds[at].partition_point(|x| events[x.index()].tid < ev.tid);
        rounds[at].insert(place, e);
    }

    fn leave_round(&mut self, e: EventId) {
        let ev = &self.events[e.index()];
        let round = &mut self.barriers[ev.value as usize].rounds[ev.co_pos as usize];
        round.retain(|&x| x != e);
    }

    /// Makes `r`, which has no source yet, read from `w`. The attributes are those that reading this
    /// value gives it: a compare-and-swap is an RMW or a plain read, depending on what it reads.
    #[inline]
    pub fn read_from(&mut self, r: EventId, w: EventId, mode: Mode, attrs: Attrs) {
        let loc = self.events[r.index()].loc;
        let value = self.value_of(w, loc);
        let ev = &mut self.events[r.index()];
        debug_assert!(ev.rf.is_none());
        ev.rf = w;
        ev.value = value;
        ev.mode = mode;
        ev.attrs = attrs;
        self.locations[loc.index()].seen = self.attrs_at(loc) | attrs;
        self.tally(attrs, 1);
        self.link_reader(r);
        self.trail.push(Change::Reads(r));
    }

    /// Puts `w` into the coherence list of its location at `pos` (1 is right after the initial value).
    #[inline]
    pub fn place(&mut self, w: EventId, pos: usize) {
        debug_assert!(pos >= 1 && self.events[w.index()].co_pos == u32::MAX);
        self.insert_co(w, pos);
        self.trail.push(Change::Placed(w));
    }

    /// Gives a location another coherence order of the same writes, the initialising event first.
    pub fn reorder(&mut self, loc: Loc, order: &[EventId]) {
        debug_assert!(order[0].is_init());
        let old = &mut self.locations[loc.index()].co;
        debug_assert_eq!(old.len(), order.len());
        self.stash.extend_from_slice(old);
        old.copy_from_slice(order);
        self.renumber(loc);
        self.trail.push(Change::Reordered(loc));
    }

    fn renumber(&mut self, loc: Loc) {
        self.renumber_from(loc, 1);
    }

    /// A copy that has only the events for which `keep` holds, without a history. What is kept must be
    /// closed under causal predecessors.
    pub fn restricted(&self, keep: impl Fn(EventId) -> bool) -> ExecutionGraph {
        let mut copy = self.clone();
        copy.trail.clear();
        copy.stash.clear();
        for at in (1..copy.order.len()).rev() {
            let e = copy.order[at];
            if !keep(e) {
                let ev = &copy.events[e.index()];
                let pending = match ev.kind {
                    Kind::Read => ev.rf.is_none(),
                    Kind::Write => ev.co_pos == u32::MAX,
                    _ => false,
                };
                if pending {
                    copy.pop_access(e);
                    copy.threads[copy.events[e.index()].tid.index()].pop();
                } else {
                    copy.detach(e);
                }
            }
        }
        copy.order.retain(|&e| keep(e) || e.is_init());
        for at in 0..copy.order.len() {
            let e = copy.order[at];
            copy.events[e.index()].stamp = at as u32;
        }
        copy
    }

    /// The events from `r` on, by insertion order and in it, that a causal prefix does not have. Of each
    /// thread, they are the last ones.
    pub fn beyond(&self, r: EventId, prefix: &[u32], out: &mut Vec<EventId>) {
        let since = self.events[r.index()].stamp;
        out.clear();
        let stamp = |e: &EventId| self.events[e.index()].stamp;
        let mut last = 0;
        let mut sorted = true;
        for (thread, &kept) in self.threads.iter().zip(prefix) {
            let mut from = thread.len();
            while from > kept as usize && stamp(&thread[from - 1]) >= since {
                from -= 1;
            }
            if from < thread.len() {
                sorted &= stamp(&thread[from]) >= last;
                last = stamp(&thread[thread.len() - 1]);
                thread[from..].iter().for_each(|&e| out.push(e));
            }
        }
        if !sorted {
            out.sort_unstable_by_key(stamp);
        }
    }

    /// Restricts the graph for a backward revisit of `r` by `w`, which was added last: `r` and the other
    /// `lost` events, which were added after it and are in insertion order, go. What stays must be closed
    /// under causal predecessors. `r` itself is replaced by a fresh event without a source, at the same
    /// place in `po` and in insertion order; its id is returned. `w` must not be in coherence.
    pub fn revisit(&mut self, r: EventId, w: EventId, lost: &[EventId]) -> EventId {
        let from = self.events[r.index()].stamp as usize;
        debug_assert_eq!((lost.first(), self.order.last()), (Some(&r), Some(&w)));
        self.delete(lost, 1);
        self.trail.push(Change::Cut { from: from as u32, len: lost.len() as u32 });

        let old = &self.events[r.index()];
        let (tid, mode, loc) = (old.tid, old.mode, old.loc);
        let fresh = EventId(self.events.len() as u32);
        let thread = &mut self.threads[tid.index()];
        thread.push(fresh);
        let mut event = self.events[r.index()].clone();
        event.idx = thread.len() as u32;
        event.stamp = from as u32;
        event.mode = mode;
        event.loc = loc;
        event.attrs = Attrs::NONE;
        event.note = 0;
        event.won = false;
        event.rf = EventId::NONE;
        event.next_reader = EventId::NONE;
        event.prev_reader = EventId::NONE;
        self.events.push(event);
        self.push_access(fresh);
        self.order[from] = fresh;
        self.forget_clocks(fresh);
        fresh
    }

    /// The same, but for `r`, which goes like the others and is not replaced.
    pub fn cut(&mut self, r: EventId, w: EventId, lost: &[EventId]) {
        debug_assert_eq!((lost.first(), self.order.last()), (Some(&r), Some(&w)));
        self.delete(lost, 0);
        self.trail.push(Change::Lost { len: lost.len() as u32 });
    }

    /// Deletes events, which are in insertion order. Leaves `gap` places for others where the first one was.
    fn delete(&mut self, lost: &[EventId], gap: usize) {
        self.stash.extend_from_slice(lost);
        lost.iter().rev().for_each(|&e| self.detach(e));
        // They know where they were; the others move up.
        let Some(first) = lost.first().map(|e| self.events[e.index()].stamp as usize) else { return };
        let (mut end, mut gone) = (first + gap, lost[1..].iter());
        let mut next = gone.next();
        for at in first + 1..self.order.len() {
            let e = self.order[at];
            if next == Some(&e) {
                next = gone.next();
                continue;
            }
            self.order[end] = e;
            self.events[e.index()].stamp = end as u32;
            end += 1;
        }
        self.order.truncate(end);
    }

    /// The value that a choice picked.
    pub fn set_choice(&mut self, e: EventId, value: Value) {
        debug_assert_eq!(self.events[e.index()].kind, Kind::Choice);
        self.events[e.index()].value = value;
    }

    /// Takes back the addition of `e`, which must be the latest change.
    pub fn remove_last(&mut self, e: EventId) {
        match self.trail.pop() {
            Some(Change::Added(last)) if last == e => self.undo_add(e),
            other => unreachable!("{e:?} is not the latest change but {other:?}"),
        }
    }

    /// Takes back every change since `mark`.
    #[inline]
    pub fn undo_to(&mut self, mark: Mark) {
        self.clocks.truncate(mark.clocks);
        while self.trail.len() > mark.trail as usize {
            match self.trail.last() {
                // Most often it is a source or a place, and nothing else.
                Some(&Change::Reads(r)) => {
                    self.trail.pop();
                    self.undo_read(r);
                }
                Some(&Change::Placed(w)) => {
                    self.trail.pop();
                    self.remove_co(w);
                    self.events[w.index()].co_pos = u32::MAX;
                }
                _ => return self.undo_more(mark),
            }
        }
    }

    #[inline]
    fn undo_read(&mut self, r: EventId) {
        self.unlink_reader(r);
        let ev = &mut self.events[r.index()];
        ev.rf = EventId::NONE;
        let attrs = std::mem::take(&mut ev.attrs);
        self.tally(attrs, u32::MAX);
    }

    #[inline(never)]
    fn undo_more(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail as usize {
            match self.trail.pop() {
                Some(Change::Added(e)) => self.undo_add(e),
                Some(Change::Reads(r)) => self.undo_read(r),
                Some(Change::Placed(w)) => {
                    self.remove_co(w);
                    self.events[w.index()].co_pos = u32::MAX;
                }
                Some(Change::Cut { from, len }) => {
                    self.remove_fresh(from as usize);
                    self.restore(len as usize, 1);
                }
                Some(Change::Lost { len }) => self.restore(len as usize, 0),
                Some(Change::Won(e)) => self.events[e.index()].won = false,
                Some(Change::Reordered(loc)) => {
                    let co = &mut self.locations[loc.index()].co;
                    let base = self.stash.len() - co.len();
                    co.copy_from_slice(&self.stash[base..]);
                    self.stash.truncate(base);
                    self.renumber(loc);
                }
                None => break,
            }
        }
    }

    fn undo_add(&mut self, e: EventId) {
        debug_assert_eq!(e.index() + 1, self.events.len());
        let ev = &self.events[e.index()];
        let (tid, attrs) = (ev.tid, ev.attrs);
        match ev.kind {
            Kind::Read | Kind::Write => self.pop_access(e),
            Kind::Spawn => self.spawns[ev.peer.index()] = EventId::NONE,
            Kind::Join => {
                self.joins -= 1;
                self.mark_claim(e, EventId::NONE);
            }
            Kind::Detach => self.mark_claim(e, EventId::NONE),
            Kind::Depart => self.joins -= 1,
            Kind::Alloc | Kind::Free => self.mark_life(e, EventId::NONE),
            Kind::Arrive => self.leave_round(e),
            _ => {}
        }
        self.tally(attrs, u32::MAX);
        self.threads[tid.index()].pop();
        self.order.pop();
        self.events.pop();
        if let Some(deps) = &mut self.deps {
            deps.truncate(e.index());
        }
    }

    /// Takes a deleted event out of everything that refers to it; the event itself stays as it is.
    fn detach(&mut self, e: EventId) {
        let ev = &self.events[e.index()];
        let (tid, attrs, kind, peer) = (ev.tid, ev.attrs, ev.kind, ev.peer);
        debug_assert_eq!(self.threads[tid.index()].last(), Some(&e));
        self.threads[tid.index()].pop();
        match kind {
            Kind::Read => {
                self.pop_access(e);
                self.unlink_reader(e);
            }
            Kind::Write => {
                self.pop_access(e);
                self.remove_co(e);
            }
            Kind::Spawn => self.spawns[peer.index()] = EventId::NONE,
            Kind::Join => {
                self.joins -= 1;
                self.mark_claim(e, EventId::NONE);
            }
            Kind::Detach => self.mark_claim(e, EventId::NONE),
            Kind::Depart => self.joins -= 1,
            Kind::Alloc | Kind::Free => self.mark_life(e, EventId::NONE),
            Kind::Arrive => self.leave_round(e),
            _ => {}
        }
        self.tally(attrs, u32::MAX);
    }

    fn attach(&mut self, e: EventId) {
        let ev = &self.events[e.index()];
        let (tid, attrs, kind, peer, pos) = (ev.tid, ev.attrs, ev.kind, ev.peer, ev.co_pos);
        self.threads[tid.index()].push(e);
        match kind {
            Kind::Read => {
                self.push_access(e);
                self.link_reader(e);
            }
            Kind::Write => {
                self.push_access(e);
                self.insert_co(e, pos as usize);
            }
            Kind::Spawn => self.spawns[peer.index()] = e,
            Kind::Join => {
                self.joins += 1;
                self.mark_claim(e, e);
            }
            Kind::Detach => self.mark_claim(e, e),
            Kind::Depart => self.joins += 1,
            Kind::Alloc | Kind::Free => self.mark_life(e, e),
            Kind::Arrive => self.join_round(e),
            _ => {}
        }
        self.tally(attrs, 1);
    }

    /// Takes back the fresh event that stood for a revisited read.
    fn remove_fresh(&mut self, from: usize) {
        let fresh = self.order[from];
        debug_assert_eq!(fresh.index() + 1, self.events.len());
        let tid = self.events[fresh.index()].tid;
        self.pop_access(fresh);
        self.threads[tid.index()].pop();
        self.events.pop();
    }

    /// Puts the last `len` events that were deleted back to where they were; `gap` places were left for
    /// others where the first one was.
    fn restore(&mut self, len: usize, gap: usize) {
        let base = self.stash.len() - len;
        // From the end on, the others make room.
        let mut from = self.order.len();
        self.order.resize(from + len - gap, EventId::NONE);
        let mut to = self.order.len();
        for at in (base..self.stash.len()).rev() {
            let e = self.stash[at];
            let place = self.events[e.index()].stamp as usize;
            while to > place + 1 {
                (from, to) = (from - 1, to - 1);
                let other = self.order[from];
                self.order[to] = other;
                self.events[other.index()].stamp = to as u32;
            }
            to = place;
            self.order[place] = e;
        }
        for at in base..self.stash.len() {
            self.attach(self.stash[at]);
        }
        self.stash.truncate(base);
    }

    /// A new event has no clocks yet.
    #[inline]
    fn forget_clocks(&mut self, e: EventId) {
        if self.slots == 1
            && let Some(clock) = self.slot_clocks.get_mut(e.index())
        {
            *clock = ClockId::EMPTY;
            return;
        }
        let (from, to) = (e.index() * self.slots, (e.index() + 1) * self.slots);
        if self.slot_clocks.len() < to {
            self.slot_clocks.resize(to, ClockId::EMPTY);
        }
        for clock in &mut self.slot_clocks[from..to] {
            *clock = ClockId::EMPTY;
        }
    }

    /// Makes `e` the last access of its thread and location.
    #[inline]
    fn push_access(&mut self, e: EventId) {
        let ev = &mut self.events[e.index()];
        let last = &mut self.locations[ev.loc.index()].last[ev.tid.index()];
        ev.po_loc_pred = std::mem::replace(last, e);
    }

    /// Takes back `push_access`.
    #[inline]
    fn pop_access(&mut self, e: EventId) {
        let ev = &self.events[e.index()];
        self.locations[ev.loc.index()].last[ev.tid.index()] = ev.po_loc_pred;
    }

    #[inline]
    fn insert_co(&mut self, w: EventId, pos: usize) {
        let loc = self.events[w.index()].loc;
        let co = &mut self.locations[loc.index()].co;
        if pos == co.len() {
            co.push(w);
            self.events[w.index()].co_pos = pos as u32;
            return;
        }
        co.insert(pos, w);
        self.renumber_from(loc, pos);
    }

    fn renumber_from(&mut self, loc: Loc, pos: usize) {
        for (at, &e) in self.locations[loc.index()].co.iter().enumerate().skip(pos) {
            self.events[e.index()].co_pos = at as u32;
        }
    }

    /// Leaves `co_pos` of `w` as it was: that is where it goes back to.
    #[inline]
    fn remove_co(&mut self, w: EventId) {
        let ev = &self.events[w.index()];
        let (loc, pos) = (ev.loc, ev.co_pos as usize);
        let co = &mut self.locations[loc.index()].co;
        debug_assert_eq!(co[pos], w);
        if pos + 1 == co.len() {
            co.pop();
            return;
        }
        co.remove(pos);
        self.renumber_from(loc, pos);
    }

    #[inline]
    fn head_of_readers(&mut self, w: EventId, loc: Loc) -> &mut EventId {
        if w.is_init() {
            &mut self.locations[loc.index()].init_readers
        } else {
            &mut self.events[w.index()].first_reader
        }
    }

    #[inline]
    fn link_reader(&mut self, r: EventId) {
        let ev = &self.events[r.index()];
        let (w, loc) = (ev.rf, ev.loc);
        let head = self.head_of_readers(w, loc);
        let next = std::mem::replace(head, r);
        let ev = &mut self.events[r.index()];
        ev.next_reader = next;
        ev.prev_reader = EventId::NONE;
        if !next.is_none() {
            self.events[next.index()].prev_reader = r;
        }
    }

    #[inline]
    fn unlink_reader(&mut self, r: EventId) {
        let ev = &self.events[r.index()];
        let (w, loc, next, prev) = (ev.rf, ev.loc, ev.next_reader, ev.prev_reader);
        if prev.is_none() {
            *self.head_of_readers(w, loc) = next;
        } else {
            self.events[prev.index()].next_reader = next;
        }
        if !next.is_none() {
            self.events[next.index()].prev_reader = prev;
        }
    }

    #[inline]
    fn tally(&mut self, attrs: Attrs, by: u32) {
        let mut bits = attrs.0 & self.counted.0;
        while bits != 0 {
            let at = bits.trailing_zeros() as usize;
            self.counts[at] = self.counts[at].wrapping_add(by);
            bits &= bits - 1;
        }
    }
}
