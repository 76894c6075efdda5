//! An execution in the making whose threads may have holes: events that are not there although later ones of
//! their thread are.
//!
//! A write is there in two steps. When it is *issued*, its thread can read it back; when it is *committed*,
//! it has a place in coherence, and others see it. Every change has its inverse on a trail.

use super::order::{NO_ORDER, Order};
use selvedge_graph::{Attrs, Deps, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Machine, Op, Rmw};
use selvedge_model::relational::Local;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// An event: a number that may be used again when it is gone. 0 initialises memory.
pub type Ev = u32;

pub const INIT: Ev = 0;
/// No event.
pub const NONE: Ev = u32::MAX;

/// A thread at an operation.
#[derive(Debug)]
pub struct Position<S>(Rc<At<S>>);

#[derive(Debug)]
pub struct At<S> {
    pub state: S,
    pub op: Op,
    pub deps: Rc<Deps>,
    /// Where it went on to last, and what it was given for that: events are taken back and added again, and
    /// what a thread does depends on nothing else. One, so that what is kept is a path.
    after: RefCell<Option<(Value, Position<S>)>>,
}

impl<S> Clone for Position<S> {
    fn clone(&self) -> Position<S> {
        Position(self.0.clone())
    }
}

impl<S> Deref for Position<S> {
    type Target = At<S>;

    fn deref(&self) -> &At<S> {
        &self.0
    }
}

/// Paths may be long.
impl<S> Drop for At<S> {
    fn drop(&mut self) {
        let mut after = self.after.take();
        while let Some((_, position)) = after {
            after = Rc::into_inner(position.0).and_then(|at| at.after.take());
        }
    }
}

impl<S: Clone> Position<S> {
    pub fn of<M: Machine<State = S>>(machine: &M, state: S, op: Op) -> Position<S> {
        let deps = Rc::new(machine.deps(&state));
        Position(Rc::new(At { state, op, deps, after: RefCell::new(None) }))
    }

    /// The same, with other dependencies.
    pub fn with_deps(&self, deps: Deps) -> Position<S> {
        let At { state, op, .. } = &*self.0;
        Position(Rc::new(At {
            state: state.clone(),
            op: *op,
            deps: Rc::new(deps),
            after: RefCell::new(None),
        }))
    }

    /// Where the thread goes on to.
    fn after<M: Machine<State = S>>(&self, machine: &M, input: Value) -> Position<S> {
        if let Some((given, position)) = &*self.after.borrow()
            && *given == input
        {
            return position.clone();
        }
        let mut state = self.state.clone();
        let op = machine.step(&mut state, input);
        let position = Position::of(machine, state, op);
        // What was kept may be a long path: it is dropped when nobody looks at it any more.
        let old = self.after.replace(Some((input, position.clone())));
        drop(old);
        position
    }
}

/// What changes of an event while it is there.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// When it was added; 0 if this is a hole.
    pub stamp: u32,
    /// Of a write: when it was committed; 0 if it was not.
    pub commit: u32,
    /// Of a read: its source.
    pub rf: Ev,
    /// Read, written or chosen.
    pub value: Value,
    pub mode: Mode,
    pub attrs: Attrs,
    pub kind: Kind,
    /// Of an access.
    pub loc: Loc,
    /// Another number each time that it is added or gets a source.
    pub serial: u64,
}

/// An event, or the hole where it will be.
#[derive(Debug)]
pub struct Slot<S> {
    pub tid: Tid,
    /// Position in its thread, from 1.
    pub idx: u32,
    /// The thread at this operation. Behind a hole it is what it was before.
    pub at: Position<S>,
    pub face: Face,
    /// What it is ordered after in its thread, by the model.
    pub(super) order: Option<Rc<Order>>,
}

impl<S> Slot<S> {
    /// What it is ordered after in its thread, by the model.
    #[inline]
    pub fn order(&self) -> &Order {
        self.order.as_deref().unwrap_or(&NO_ORDER)
    }

    pub fn is_there(&self) -> bool {
        self.face.stamp != 0
    }

    pub fn is_read(&self) -> bool {
        self.face.kind == Kind::Read
    }

    pub fn is_write(&self) -> bool {
        self.face.kind == Kind::Write
    }

    /// The read of a read-modify-write that writes.
    pub fn is_rmw_read(&self) -> bool {
        self.face.attrs.has(Attrs::UR)
    }

    /// The write of a read-modify-write.
    pub fn is_rmw_write(&self) -> bool {
        self.face.attrs.has(Attrs::UW)
    }

    /// Nothing is missing: it is there, and committed if that is something to be.
    pub fn is_settled(&self) -> bool {
        self.is_there() && (!self.is_write() || self.face.commit != 0)
    }
}

#[derive(Debug)]
pub struct Line<S> {
    pub events: Vec<Ev>,
    /// Where the thread stands after all of its events; `None` if it was not created. Behind a hole it is of
    /// no meaning.
    pub next: Option<Position<S>>,
    /// Events that are not settled.
    pub open: u32,
    /// What created it, if it has been created by an event.
    pub creator: Option<Ev>,
}

#[derive(Debug)]
pub(super) enum Change<S> {
    /// An event was added at the end of a thread.
    Pushed(Tid),
    /// The last event of a thread was taken away.
    Popped(Ev, Box<Slot<S>>),
    Next(Tid, Option<Position<S>>),
    Creator(Tid, Option<Ev>),
    Face(Ev, Face),
    At(Ev, Position<S>),
    Order(Ev, Option<Rc<Order>>),
    /// A hole was put in at this position of a thread.
    Inserted(Tid, u32),
    /// The hole at this position was taken out.
    Removed(Tid, u32, Ev, Box<Slot<S>>),
    Placed(Loc, u32),
    Unplaced(Loc, u32, Ev),
}

/// A place on the trail.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    trail: usize,
    clock: u32,
}

#[derive(Debug)]
pub struct Web<S> {
    pub slots: Vec<Option<Slot<S>>>,
    pub(super) free: Vec<Ev>,
    pub lines: Vec<Line<S>>,
    /// By location: committed writes in coherence order, without the initialising one.
    pub co: Vec<Vec<Ev>>,
    pub(super) trail: Vec<Change<S>>,
    /// The stamp of the latest event.
    pub clock: u32,
    /// Events that are there, holes included.
    pub len: usize,
    /// Those of them that are not settled.
    pub open: u32,
    /// Some event was ordered after another one by what leads through the write of a compare-and-swap; never
    /// taken back.
    pub leads_through: bool,
    /// The latest serial number; never taken back.
    serial: u64,
}

impl<S: Clone> Web<S> {
    pub fn start<M: Machine<State = S>>(machine: &M) -> Web<S> {
        let mut lines = Vec::new();
        for t in (0..machine.threads() as u16).map(Tid) {
            let next = machine.runs_from_start(t).then(|| first_position(machine, machine.start(t)));
            lines.push(Line { events: Vec::new(), next, open: 0, creator: None });
        }
        Web {
            slots: vec![None],
            free: Vec::new(),
            lines,
            co: vec![Vec::new(); machine.locations()],
            trail: Vec::new(),
            clock: 0,
            len: 0,
            open: 0,
            leads_through: false,
            serial: 0,
        }
    }

    #[inline]
    pub fn at(&self, e: Ev) -> &Slot<S> {
        match &self.slots[e as usize] {
            Some(slot) => slot,
            None => unreachable!("event {e} is not there"),
        }
    }

    #[inline]
    pub(super) fn at_mut(&mut self, e: Ev) -> &mut Slot<S> {
        match &mut self.slots[e as usize] {
            Some(slot) => slot,
            None => unreachable!("event {e} is not there"),
        }
    }

    pub fn line(&self, t: Tid) -> &Line<S> {
        &self.lines[t.index()]
    }

    /// The event at a position of a thread, from 1.
    pub fn event(&self, t: Tid, idx: u32) -> Ev {
        self.lines[t.index()].events[idx as usize - 1]
    }

    /// All events and holes, thread by thread.
    pub fn events(&self) -> impl Iterator<Item = Ev> + '_ {
        self.lines.iter().flat_map(|line| line.events.iter().copied())
    }

    /// Numbers of events are below this.
    pub fn bound(&self) -> usize {
        self.slots.len()
    }

    /// The write of a read-modify-write, given its read, if its place in the thread is there.
    pub fn rmw_write(&self, r: Ev) -> Option<Ev> {
        let slot = self.at(r);
        let next = *self.line(slot.tid).events.get(slot.idx as usize)?;
        (slot.is_rmw_read() && self.at(next).is_rmw_write()).then_some(next)
    }

    /// The read of a read-modify-write, given its write.
    pub fn rmw_read(&self, w: Ev) -> Option<Ev> {
        let slot = self.at(w);
        slot.is_rmw_write().then(|| self.event(slot.tid, slot.idx - 1))
    }

    /// The event that created a thread.
    pub fn spawn_of(&self, t: Tid) -> Option<Ev> {
        self.lines[t.index()].creator
    }

    /// How many writes of its location, with the initialising one, an access must come after: those that its
    /// thread knows of by an earlier access, and what is before them.
    pub fn floor(&self, e: Ev) -> usize {
        let slot = self.at(e);
        let loc = slot.face.loc;
        let co = &self.co[loc.index()];
        let mut floor = 0;
        for &x in &self.line(slot.tid).events[..slot.idx as usize - 1] {
            let other = self.at(x);
            let seen = match other.face.kind {
                Kind::Write if other.face.loc == loc && other.face.commit != 0 => x,
                Kind::Read if other.face.loc == loc && other.is_there() => other.face.rf,
                _ => continue,
            };
            if seen != INIT {
                floor = floor.max(co.iter().position(|&w| w == seen).map_or(0, |at| at + 1));
            }
        }
        floor
    }

    /// What a write wrote to a location.
    pub fn value_of<M: Machine>(&self, machine: &M, w: Ev, loc: Loc) -> Value {
        if w == INIT { machine.init_value(loc) } else { self.at(w).face.value }
    }

    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), clock: self.clock }
    }

    pub fn undo_to(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail {
            match self.trail.pop() {
                None => break,
                Some(Change::Pushed(t)) => {
                    let Some(e) = self.lines[t.index()].events.pop() else { unreachable!("it was added") };
                    let Some(slot) = self.slots[e as usize].take() else { unreachable!("it was added") };
                    self.lines[t.index()].open -= u32::from(!slot.is_settled());
                    self.open -= u32::from(!slot.is_settled());
                    self.lines[t.index()].next = Some(slot.at);
                    self.free.push(e);
                    self.len -= 1;
                }
                Some(Change::Popped(e, slot)) => {
                    let line = &mut self.lines[slot.tid.index()];
                    line.open += u32::from(!slot.is_settled());
                    self.open += u32::from(!slot.is_settled());
                    line.events.push(e);
                    let taken = self.free.pop();
                    debug_assert_eq!(taken, Some(e));
                    self.slots[e as usize] = Some(*slot);
                    self.len += 1;
                }
                Some(Change::Creator(t, creator)) => self.lines[t.index()].creator = creator,
                Some(Change::Next(t, next)) => self.lines[t.index()].next = next,
                Some(Change::Face(e, face)) => self.put_face(e, face),
                Some(Change::At(e, at)) => self.at_mut(e).at = at,
                Some(Change::Order(e, order)) => self.at_mut(e).order = order,
                Some(Change::Inserted(t, idx)) => {
                    let e = self.lines[t.index()].events.remove(idx as usize - 1);
                    let slot = self.slots[e as usize].take();
                    debug_assert!(slot.is_some_and(|slot| !slot.is_there()));
                    self.lines[t.index()].open -= 1;
                    self.open -= 1;
                    self.free.push(e);
                    self.len -= 1;
                    self.renumber(t, idx);
                }
                Some(Change::Removed(t, idx, e, slot)) => {
                    let taken = self.free.pop();
                    debug_assert_eq!(taken, Some(e));
                    self.slots[e as usize] = Some(*slot);
                    self.lines[t.index()].events.insert(idx as usize - 1, e);
                    self.lines[t.index()].open += 1;
                    self.open += 1;
                    self.len += 1;
                    self.renumber(t, idx);
                }
                Some(Change::Placed(loc, at)) => {
                    self.co[loc.index()].remove(at as usize);
                }
                Some(Change::Unplaced(loc, at, e)) => self.co[loc.index()].insert(at as usize, e),
            }
        }
        self.clock = mark.clock;
    }

    pub(super) fn free_number(&mut self) -> Ev {
        match self.free.pop() {
            Some(e) => e,
            None => {
                self.slots.push(None);
                self.slots.len() as Ev - 1
            }
        }
    }

    fn put_face(&mut self, e: Ev, face: Face) {
        let slot = self.at_mut(e);
        let before = slot.is_settled();
        slot.face = face;
        let (after, t) = (slot.is_settled(), slot.tid);
        let open = &mut self.lines[t.index()].open;
        *open = *open + u32::from(before) - u32::from(after);
        self.open = self.open + u32::from(before) - u32::from(after);
    }

    pub fn set_face(&mut self, e: Ev, face: Face) {
        self.trail.push(Change::Face(e, self.at(e).face));
        self.put_face(e, face);
    }

    fn set_next(&mut self, t: Tid, next: Option<Position<S>>) {
        let old = std::mem::replace(&mut self.lines[t.index()].next, next);
        self.trail.push(Change::Next(t, old));
    }

    pub(super) fn set_at(&mut self, e: Ev, at: Position<S>) {
        let old = std::mem::replace(&mut self.at_mut(e).at, at);
        self.trail.push(Change::At(e, old));
    }

    pub(super) fn set_order(&mut self, e: Ev, order: Order) {
        let old = self.at_mut(e).order.replace(Rc::new(order));
        self.trail.push(Change::Order(e, old));
    }

    fn make_room(&mut self, loc: Loc) {
        if self.co.len() <= loc.index() {
            self.co.resize(loc.index() + 1, Vec::new());
        }
    }

    /// The next operation of a thread becomes a hole at its end.
    pub fn push(&mut self, t: Tid) -> Ev {
        let line = &mut self.lines[t.index()];
        let Some(at) = line.next.take() else { unreachable!("the thread is there") };
        let idx = line.events.len() as u32 + 1;
        let face = face_of(at.op);
        let slot = Slot { tid: t, idx, at, face, order: None };
        let e = self.free_number();
        let line = &mut self.lines[t.index()];
        line.events.push(e);
        line.open += 1;
        self.open += 1;
        if matches!(face.kind, Kind::Read | Kind::Write) {
            self.make_room(face.loc);
        }
        self.slots[e as usize] = Some(slot);
        self.len += 1;
        self.trail.push(Change::Pushed(t));
        e
    }

    /// Takes the last event of a thread away; the thread stands at it again.
    pub fn pop(&mut self, t: Tid) {
        let Some(e) = self.lines[t.index()].events.pop() else { unreachable!("there is one") };
        let Some(slot) = self.slots[e as usize].take() else { unreachable!("it is there") };
        self.lines[t.index()].open -= u32::from(!slot.is_settled());
        self.open -= u32::from(!slot.is_settled());
        let at = slot.at.clone();
        self.free.push(e);
        self.len -= 1;
        self.trail.push(Change::Popped(e, Box::new(slot)));
        self.set_next(t, Some(at));
    }

    /// An event leaves a hole, or a write is not committed any more.
    pub fn hollow(&mut self, e: Ev, commit_only: bool) {
        let mut face = self.at(e).face;
        if face.commit != 0 {
            let co = &mut self.co[face.loc.index()];
            let Some(at) = co.iter().position(|w| *w == e) else { unreachable!("it has a place") };
            co.remove(at);
            self.trail.push(Change::Unplaced(face.loc, at as u32, e));
        }
        face.commit = 0;
        if !commit_only {
            face.stamp = 0;
            face.rf = NONE;
        }
        self.set_face(e, face);
    }

    /// A thread goes back to before it was created.
    pub fn uncreate(&mut self, t: Tid) {
        debug_assert!(self.lines[t.index()].events.is_empty());
        self.set_next(t, None);
    }

    /// A write gets its place in coherence: `at` writes, without the initialising one, are before it.
    pub fn place(&mut self, w: Ev, at: usize) {
        let mut face = self.at(w).face;
        if face.commit == 0 {
            self.clock += 1;
            face.commit = self.clock;
            self.set_face(w, face);
        }
        self.co[face.loc.index()].insert(at, w);
        self.trail.push(Change::Placed(face.loc, at as u32));
    }

    /// An event is there that is no read and no write, or a write is issued.
    pub fn fill(&mut self, e: Ev, value: Option<Value>) {
        let mut face = self.at(e).face;
        self.clock += 1;
        self.serial += 1;
        face.stamp = self.clock;
        face.serial = self.serial;
        if let Some(value) = value {
            face.value = value;
        }
        self.set_face(e, face);
    }

    /// A read reads from `w`. What it does then may depend on it.
    pub fn read<M: Machine<State = S>>(&mut self, machine: &M, e: Ev, w: Ev) {
        let slot = self.at(e);
        let mut face = slot.face;
        let Op::Load { mode, rmw, loc } = slot.at.op else { unreachable!("it is a load") };
        face.value = self.value_of(machine, w, loc);
        let (mode, writes) = outcome(machine, &slot.at.state, mode, rmw, face.value);
        face.mode = mode;
        face.attrs = Attrs::of(Kind::Read, mode, writes);
        face.rf = w;
        self.serial += 1;
        face.serial = self.serial;
        if face.stamp == 0 {
            self.clock += 1;
            face.stamp = self.clock;
        }
        self.set_face(e, face);
    }

    /// Lets the thread of `e` go on, given what `e` gave it: up to the next hole.
    pub fn advance<M: Machine<State = S>>(&mut self, machine: &M, local: &Local, e: Ev) {
        if self.at(e).is_read() {
            self.fit_pair(e);
        }
        let (t, mut idx) = (self.at(e).tid, self.at(e).idx);
        if let Op::Spawn { thread } = self.at(e).at.op
            && self.lines[thread.index()].next.is_none()
        {
            let state = machine.spawned(&self.at(e).at.state, thread);
            self.set_next(thread, Some(first_position(machine, state)));
            let old = self.lines[thread.index()].creator.replace(e);
            self.trail.push(Change::Creator(thread, old));
        }
        let mut last = e;
        loop {
            let slot = self.at(last);
            let input = match slot.face.kind {
                Kind::Read | Kind::Choice => slot.face.value,
                _ => 0,
            };
            let position = slot.at.after(machine, input);
            let op = position.op;
            let Some(&next) = self.lines[t.index()].events.get(idx as usize) else {
                self.set_next(t, Some(position));
                return;
            };
            let there = self.at(next).is_there();
            self.set_at(next, position);
            if !there {
                // What it is may have changed with what was read.
                self.set_face(next, face_of(op));
                if let Op::Load { loc, .. } | Op::Store { loc, .. } = op {
                    self.make_room(loc);
                }
                return;
            }
            self.order(local, next);
            last = next;
            idx += 1;
        }
    }
}

/// What an operation is before anything is decided.
fn face_of(op: Op) -> Face {
    let (kind, mode, rmw, loc, value) = match op {
        Op::Load { loc, mode, .. } => (Kind::Read, mode, false, loc, 0),
        Op::Store { loc, value, mode, rmw } => (Kind::Write, mode, rmw, loc, value),
        Op::Fence { mode } => (Kind::Fence, mode, false, Loc(0), 0),
        Op::Spawn { .. } => (Kind::Spawn, Mode::Na, false, Loc(0), 0),
        Op::Join { .. } => (Kind::Join, Mode::Na, false, Loc(0), 0),
        Op::Detach { .. } => (Kind::Detach, Mode::Na, false, Loc(0), 0),
        Op::Alloc { .. } => (Kind::Alloc, Mode::Na, false, Loc(0), 0),
        Op::Free { .. } => (Kind::Free, Mode::Na, false, Loc(0), 0),
        Op::Persist { .. } => (Kind::Persist, Mode::Na, false, Loc(0), 0),
        _ => (Kind::Choice, Mode::Na, false, Loc(0), 0),
    };
    Face {
        serial: 0,
        stamp: 0,
        commit: 0,
        rf: NONE,
        value,
        mode,
        attrs: Attrs::of(kind, mode, rmw),
        kind,
        loc,
    }
}

/// The ordering of a load that reads `value`, and whether a store follows that is one step with it.
pub fn outcome<M: Machine>(
    machine: &M,
    state: &M::State,
    mode: Mode,
    rmw: Rmw,
    value: Value,
) -> (Mode, bool) {
    match rmw {
        Rmw::No => (mode, false),
        Rmw::Always => (mode, true),
        Rmw::Cas { expected, .. } if value == expected => (mode, true),
        Rmw::Cas { .. } if machine.has_unknowns() && machine.writes_after(state, value) => (mode, true),
        Rmw::Cas { fail, .. } => (fail, false),
        Rmw::Linked => (mode, machine.writes_after(state, value)),
        Rmw::Tentative { .. } | Rmw::Swap { .. } if machine.writes_after(state, value) => (mode, true),
        Rmw::Tentative { fail } | Rmw::Swap { fail } => (fail, false),
    }
}

fn first_position<M: Machine>(machine: &M, mut state: M::State) -> Position<M::State> {
    let op = machine.step(&mut state, 0);
    Position::of(machine, state, op)
}
