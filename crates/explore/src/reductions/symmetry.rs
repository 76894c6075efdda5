//! Symmetry: threads that do the same are explored in one order.
//!
//! Let `t1, …, tk` be threads that one thread creates one right after the other and that do the same
//! (`Foresight::alike`). Renaming them in an execution gives an execution, and one with the same errors. So
//! one of each orbit is enough. Which one says the *gate* `g` of a thread, its first read-modify-write (or
//! compare-and-exchange, whether it succeeds or not): the gates come in the order of the threads. Every orbit
//! has such an execution: take a linear extension of `po ∪ rf` in which the halves of read-modify-writes are
//! adjacent, and number the threads by the order of their gates; those that never come to it go last.
//!
//! For the exploration that is one more way to wait: a thread stands at its gate until the gate of its
//! *twin*, the thread before it, is in the graph. As with a join, what it waits for is in its causal prefix,
//! so no revisit deletes the one without the other; but unlike a join it orders nothing for the model: the
//! edge is in a clock of its own ([`Model::with_prefix_apart`]). The graphs whose `po ∪ rf ∪ gates` is
//! acyclic are closed under prefixes, and such a graph stays one when an event is added at the end, so the
//! algorithm explores all of them, each once. Where threads stand at gates at the end, the twin will never
//! come to its own; that graph is not final, and nothing is said of it: its orbit has another one in which
//! they are the other way round.
//!
//! There may be more than one representative of an orbit: nothing is said of gates that no path of `po ∪ rf`
//! leads between, at different locations for example.
//!
//! **What reads that wait leave out** (`annotations`, `awaits`) stays out for the same reasons, with one
//! difference: what the other threads do while a thread waits at its gate, they do in the graph of the orbit
//! in which that thread comes last.
//!
//! **The creating thread** tells its children apart by the places of their creation and by the order in which
//! it waits for their end. Between these it may do nothing that others can see: plain accesses to locations
//! that no other thread accesses in conflict with it, in objects that it made itself and that no other thread
//! frees, and waiting for other threads. Then an execution in which it waits for a thread that does not end,
//! and the renamed one in which it waits for the next one, differ in nothing but that. All this is watched
//! while exploring ([`Twins`]). As the creating thread may not come to see the end of a thread in the
//! executions that are explored, it is looked ahead for what it would do then.
//!
//! *Premises*: `po ∪ rf` has no cycle, and the model has a clock of its own for causal prefixes. *Watched*:
//! [`Twins`].
//!
//! [`Model::with_prefix_apart`]: selvedge_model::Model::with_prefix_apart

use super::locations::{SharedBits, Told};
use super::{Hooks, Reducers, reduces};
use crate::conclusion::Conclusion;
use crate::explorer::Explorer;
use crate::report::{Config, GaveUp};
use crate::threads::{Status, is_rmw};
use selvedge_graph::{EventId, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Again, Machine, Op, Reduction, Rmw};
use selvedge_model::Model;
use std::sync::atomic::{AtomicU32, Ordering};

/// The thread that creates threads which are alike; others may, but are not asked.
const CREATOR: Tid = Tid(0);

/// The creator reads from this location where it may do nothing that others see.
const OWN_READ: u8 = 1;
const OWN_WRITE: u8 = 2;
/// Another thread reads from it.
const READ: u8 = 4;
const WRITE: u8 = 8;
/// What cannot hold of a location: stands for conditions that have nothing to do with locations.
const VIOLATED: u8 = 16;

/// Whether what is known of a location is what the reduction needs.
fn in_order(bits: u8) -> bool {
    let has = |bit: u8| bits & bit != 0;
    !(has(VIOLATED) || has(OWN_WRITE) && has(READ | WRITE) || has(OWN_READ) && has(WRITE))
}

/// The creator is not looked ahead for longer than this.
const FAR: usize = 10_000;

/// What is known of a program with threads that are alike, by all who explore it.
#[derive(Debug, Default)]
pub struct Twins {
    seen: SharedBits,
    /// The size of the largest group.
    largest: AtomicU32,
}

impl Twins {
    /// Adds what was found out; returns whether the location is still in order.
    fn note(&self, loc: Loc, bits: u8) -> bool {
        in_order(self.seen.note(loc, bits))
    }

    /// Whether the program tells threads apart after all: what was explored is not all there is.
    pub fn broken(&self) -> bool {
        self.seen.first_not(in_order).is_some()
    }

    /// How many threads the largest group has; 0 if there is none.
    pub fn largest(&self) -> u32 {
        self.largest.load(Ordering::Relaxed)
    }

    /// What is known, to be remembered elsewhere.
    pub fn save(&self) -> (u32, Vec<u8>) {
        (self.largest(), self.seen.save())
    }

    /// Adds what was known before.
    pub fn restore(&self, (largest, saved): &(u32, Vec<u8>)) {
        self.largest.fetch_max(*largest, Ordering::Relaxed);
        self.seen.restore(saved);
    }
}

/// What one explorer remembers of it.
#[derive(Debug)]
pub(crate) struct Symmetry {
    on: bool,
    told: Told,
    /// The condition was found not to hold.
    told_apart: bool,
}

impl Symmetry {
    pub(crate) fn new<M: Machine>(machine: &M, model: &Model, config: &Config) -> Symmetry {
        let on = config.watches.twins.is_some()
            && reduces(config, Reduction::Symmetry)
            && model.has_prefix_apart()
            && machine.has_twins();
        Symmetry { on, told: Told::default(), told_apart: false }
    }
}

impl<M: Machine> Hooks<M> for Symmetry {
    #[inline(always)]
    fn twin_from_start(x: &Explorer<'_, M>, t: Tid) -> Option<Tid> {
        x.twin_before(t)
    }

    #[inline(always)]
    fn twin_of_spawned(x: &mut Explorer<'_, M>, spawn: EventId) -> Option<Tid> {
        if x.reducers.symmetry.on && x.threads.is_new(spawn) { x.twin_created_before(spawn) } else { None }
    }

    #[inline(always)]
    fn before_event(x: &mut Explorer<'_, M>, t: Tid, op: Op) {
        if x.reducers.symmetry.on {
            x.watch_twins(t, op);
        }
    }

    #[inline(always)]
    fn skips_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> bool {
        x.reducers.symmetry.on && x.comes_too_late(e, w)
    }

    #[inline(always)]
    fn after_reading(x: &mut Explorer<'_, M>, e: EventId) {
        if x.reducers.symmetry.on {
            x.follow_twin(e);
        }
    }

    #[inline(always)]
    fn adds_to_prefixes(x: &Explorer<'_, M>) -> bool {
        x.reducers.symmetry.on
    }

    /// The read-modify-write that a load stands for may be a gate.
    #[inline(always)]
    fn in_prefix_too(x: &Explorer<'_, M>, e: EventId) -> Option<EventId> {
        if x.reducers.symmetry.on { x.gate_from(e) } else { None }
    }

    #[inline(always)]
    fn is_held_up(x: &mut Explorer<'_, M>) -> bool {
        x.reducers.symmetry.on && x.stands_at_gate()
    }

    #[inline(always)]
    fn at_end(x: &mut Explorer<'_, M>) -> Option<Conclusion> {
        let held_up = Self::is_held_up(x);
        if let Some(again) = Self::is_broken(x) {
            return Some(Conclusion::GaveUp(GaveUp::Again(again)));
        }
        if held_up {
            x.stats.held_up += 1;
        }
        held_up.then_some(Conclusion::Nothing)
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        x.reducers.symmetry.told_apart.then_some(Again::Unfounded(Reduction::Symmetry))
    }
}

impl<M: Machine> Explorer<'_, M> {
    /// The thread before `t` among those that run from the start, if the two are alike.
    fn twin_before(&self, t: Tid) -> Option<Tid> {
        let before = Tid(t.0.checked_sub(1)?);
        let alike = self.reducers.symmetry.on
            && self.machine.runs_from_start(before)
            && self.machine.alike(&self.machine.start(before), &self.machine.start(t));
        let twin = alike.then_some(before)?;
        self.note_group(twin);
        Some(twin)
    }

    /// There is a group that has another thread after `t`.
    fn note_group(&self, t: Tid) {
        if let Some(twins) = &self.config.watches.twins {
            let others = std::iter::successors(Some(t), |&t| self.threads.twin(t)).count();
            twins.largest.fetch_max(others as u32 + 1, Ordering::Relaxed);
        }
    }

    /// The thread that was created right before the one that `spawn` creates, if the two are alike.
    fn twin_created_before(&mut self, spawn: EventId) -> Option<Tid> {
        let g = &self.graph;
        if g.event(spawn).tid != CREATOR {
            return None;
        }
        let mut own = Vec::new();
        let mut x = g.po_pred(spawn)?;
        loop {
            let ev = g.event(x);
            match ev.kind {
                Kind::Read | Kind::Write if is_plain(g.event(x)) => {
                    own.push((ev.loc, own_access(ev.is_write())))
                }
                Kind::Spawn => break,
                _ => return None,
            }
            x = g.po_pred(x)?;
        }
        let (before, this) = (g.event(x).peer, g.event(spawn).peer);
        let (a, b) = (self.threads.state_of(x)?, self.threads.state_of(spawn)?);
        if !self.machine.alike(&self.machine.spawned(a, before), &self.machine.spawned(b, this)) {
            return None;
        }
        for (loc, bits) in own {
            self.note_own(loc, bits);
        }
        self.note_group(before);
        Some(before)
    }

    #[inline]
    fn note_twins(&mut self, loc: Loc, bits: u8) {
        let symmetry = &mut self.reducers.symmetry;
        if symmetry.told.is_news(loc, bits) {
            symmetry.told_apart |=
                self.config.watches.twins.as_ref().is_some_and(|twins| !twins.note(loc, bits));
        }
    }

    /// The creator accesses a location where it may do nothing that others see. What others made is theirs.
    fn note_own(&mut self, loc: Loc, bits: u8) {
        let made_by = |object: u32| self.graph.alloc_of(object).map(|e| self.graph.event(e).tid);
        match self.machine.object(loc) {
            Some(object) if made_by(object) != Some(CREATOR) => self.violated(),
            _ => self.note_twins(loc, bits),
        }
    }

    fn violated(&mut self) {
        self.note_twins(Loc(0), VIOLATED);
    }

    /// Watches over what thread `t` is about to do.
    #[inline]
    fn watch_twins(&mut self, t: Tid, op: Op) {
        if t != CREATOR {
            match op {
                Op::Load { loc, .. } => return self.note_twins(loc, READ),
                Op::Store { loc, .. } => return self.note_twins(loc, WRITE),
                Op::Free { object } => {
                    let made = self.graph.alloc_of(object);
                    if made.is_some_and(|e| self.graph.event(e).tid == CREATOR) {
                        self.violated();
                    }
                }
                _ => {}
            }
        }
        self.watch_creator(t, op);
    }

    fn watch_creator(&mut self, t: Tid, op: Op) {
        match op {
            Op::Join { thread } | Op::Detach { thread } => {
                let waits = matches!(op, Op::Join { .. }) && t == CREATOR;
                if self.in_group(thread) && !(waits && self.graph.spawn_of(thread).is_some()) {
                    self.violated();
                }
            }
            _ if t != CREATOR || !self.is_between_joins() => {}
            Op::Load { loc, mode: Mode::Na, rmw: Rmw::No } => self.note_own(loc, OWN_READ),
            Op::Store { loc, mode: Mode::Na, rmw: false, .. } => self.note_own(loc, OWN_WRITE),
            _ => self.violated(),
        }
    }

    fn in_group(&self, t: Tid) -> bool {
        self.threads.twin(t).is_some() || self.tids().any(|x| self.threads.twin(x) == Some(t))
    }

    fn tids(&self) -> impl Iterator<Item = Tid> + use<M> {
        (0..self.graph.threads() as u16).map(Tid)
    }

    /// Whether some threads of a group were waited for, and others were not.
    fn is_between_joins(&self) -> bool {
        self.is_between(|_| false)
    }

    /// The same, if those threads were waited for as well.
    fn is_between(&self, more: impl Fn(Tid) -> bool) -> bool {
        let joined = |t: Tid| self.graph.claim_of(t).is_some() || more(t);
        self.tids().any(|t| self.threads.twin(t).is_some_and(|twin| joined(t) != joined(twin)))
    }

    /// Adds what the gate `e` waited for to its causal prefix.
    #[inline]
    fn follow_twin(&mut self, e: EventId) {
        if let Some(x) = self.gate_before(e) {
            self.model.add_to_prefix(&mut self.graph, x, e);
        }
    }

    /// What the event `e` waited for, if it is a gate: the last event of the gate of the twin.
    fn gate_before(&self, e: EventId) -> Option<EventId> {
        self.last_of_gate(self.threads.gate(e)?)
    }

    /// The same for the gate that `e` is, or that comes after it.
    fn gate_from(&self, e: EventId) -> Option<EventId> {
        self.last_of_gate(self.threads.gate_from(e)?)
    }

    fn last_of_gate(&self, twin: Tid) -> Option<EventId> {
        let g = &self.graph;
        let events = g.thread(twin);
        let at = events.iter().position(|&x| is_rmw(self.threads.op_of(x)))?;
        let last = if g.event(events[at]).is_rmw_read() { at + 1 } else { at };
        events.get(last).copied()
    }

    /// Whether `e`, a gate that has not read from `w` yet, cannot do so: a read-modify-write that is in its
    /// causal prefix did.
    fn comes_too_late(&self, e: EventId, w: EventId) -> bool {
        let Some(gate) = self.gate_before(e) else { return false };
        let Op::Load { loc, mode, rmw } = self.threads.op_of(e) else { return false };
        let g = &self.graph;
        let Some(rival) = self.rmw_reader(w, loc, e) else { return false };
        (rival == gate || g.po_succ(rival) == Some(gate) || self.model.in_prefix(g, rival, gate))
            && !Reducers::refuses_rmw(self, e, w)
            && self.load_outcome(e, mode, rmw, g.value_of(w, loc)).1
    }

    /// Whether the graph, to which nothing can be added, is not an execution: a thread stands at its gate,
    /// and its twin never comes to its own. Also watches over what the creator would do next.
    fn stands_at_gate(&mut self) -> bool {
        self.look_ahead();
        let failed = self.trouble.is_some() || self.threads.status().contains(&Status::Failed);
        !failed && self.threads.status().contains(&Status::Gate)
    }

    /// Once it waits for threads of a group, the creator must wait for all of them before it does anything
    /// else. Looks at what it would do if they ended.
    fn look_ahead(&mut self) {
        let Some(mut op) = self.threads.op(CREATOR) else { return };
        let starts = matches!(op, Op::Join { thread } if self.in_group(thread));
        if !starts && !self.is_between_joins() {
            return;
        }
        let mut at = self.threads.standing(CREATOR);
        let mut joined: Vec<Tid> = Vec::new();
        let mut written: Vec<(Loc, Value)> = Vec::new();
        for _ in 0..FAR {
            let value = match op {
                Op::Join { thread } => {
                    joined.push(thread);
                    if !self.is_between(|t| joined.contains(&t)) {
                        return;
                    }
                    0
                }
                Op::Load { loc, mode: Mode::Na, rmw: Rmw::No } => {
                    self.note_own(loc, OWN_READ);
                    let own = written.iter().rfind(|(l, _)| *l == loc).map(|(_, value)| *value);
                    own.unwrap_or_else(|| self.latest(loc))
                }
                Op::Store { loc, value, mode: Mode::Na, rmw: false } => {
                    self.note_own(loc, OWN_WRITE);
                    written.push((loc, value));
                    0
                }
                _ => break,
            };
            (at, op) = self.threads.ahead(self.machine, at, value);
        }
        self.violated();
    }

    fn latest(&self, loc: Loc) -> Value {
        if loc.0 as usize >= self.graph.locations() {
            return self.machine.init_value(loc);
        }
        match self.graph.co_last(loc) {
            Some(last) => self.graph.value_of(last, loc),
            None => self.machine.init_value(loc),
        }
    }
}

fn is_plain(ev: &selvedge_graph::Event) -> bool {
    ev.mode == Mode::Na && !ev.is_rmw_read() && !ev.is_rmw_write()
}

fn own_access(is_write: bool) -> u8 {
    if is_write { OWN_WRITE } else { OWN_READ }
}
