//! A state of the whole program, and the steps out of it.

use crate::table::Table;
use crate::thread::{Misguided, Status, Thread, is_issued};
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_machine::{Block, Canonical, ErrorKind, Machine, Op, Rmw, SourcePlace};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Slot<S> {
    Absent,
    Here(Rc<Thread<S>>),
    /// The state that it ended in.
    Ended(Rc<S>),
}

#[derive(Clone, Debug)]
pub struct World<S> {
    pub threads: Vec<Slot<S>>,
    /// Where memory holds something else than at first.
    memory: Rc<BTreeMap<u32, Value>>,
    /// Objects whose life is over.
    gone: Rc<BTreeSet<u32>>,
    /// Objects that were made.
    born: Rc<BTreeSet<u32>>,
    /// The process has ended.
    pub over: bool,
    /// Something is wrong that no thread finds by itself.
    pub wrong: Option<(ErrorKind, String)>,
}

/// What may be done next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The next operation is issued.
    Issue,
    Choose(Value),
    /// The read at this place of the list is taken to read this.
    Guess(usize, Value),
    /// The operation at this place of the list completes.
    Complete(usize),
    /// A thread is created or joined.
    Thread,
    /// The process ends.
    Finish,
}

/// A step as a report tells it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    pub thread: u16,
    pub what: String,
    pub place: Option<SourcePlace>,
    /// Operations before it in its thread that are still incomplete: where they are.
    pub overtakes: Vec<Option<SourcePlace>>,
    /// The operation is an access, which a barrier may be put in front of.
    pub access: bool,
}

/// What comes of an action.
pub enum Done<S> {
    Next(World<S>, Step),
    /// The thread waits for something else to happen first.
    Waits,
    /// It is no execution.
    Nothing,
}

pub struct Rules<'a, M: Machine> {
    pub machine: &'a M,
    pub table: &'a Table,
    /// What can be issued is issued at once.
    pub eager: bool,
    /// Conflicting accesses, one of them plain, are an error.
    pub races: bool,
    /// Operations that may be in the list of a thread, at most.
    pub window: usize,
}

impl<S: Clone> World<S> {
    pub fn value<M: Machine<State = S>>(&self, machine: &M, loc: Loc) -> Value {
        self.memory.get(&loc.0).copied().unwrap_or_else(|| machine.init_value(loc))
    }

    fn set<M: Machine<State = S>>(&mut self, machine: &M, loc: Loc, value: Value) {
        let memory = Rc::make_mut(&mut self.memory);
        if value == machine.init_value(loc) {
            memory.remove(&loc.0);
        } else {
            memory.insert(loc.0, value);
        }
    }

    pub fn memory(&self) -> &BTreeMap<u32, Value> {
        &self.memory
    }

    pub fn thread(&self, at: usize) -> Option<&Rc<Thread<S>>> {
        match self.threads.get(at)? {
            Slot::Here(thread) => Some(thread),
            _ => None,
        }
    }

    pub fn gone(&self) -> &BTreeSet<u32> {
        &self.gone
    }

    pub fn born(&self) -> &BTreeSet<u32> {
        &self.born
    }

    /// The thread is about to issue its next operation.
    fn note_birth(&mut self, thread: &Thread<S>) {
        if let Some(Op::Alloc { object }) = thread.next().map(|next| next.op) {
            Rc::make_mut(&mut self.born).insert(object);
        }
    }

    /// All threads have come to their ends, or the process has.
    pub fn is_at_end(&self) -> bool {
        self.over || self.threads.iter().all(|slot| !matches!(slot, Slot::Here(_)))
    }
}

impl<'a, M> Rules<'a, M>
where
    M: Machine + Canonical,
{
    pub fn start(&self) -> Result<World<M::State>, Misguided> {
        let machine = self.machine;
        let mut world = World {
            threads: Vec::new(),
            memory: Rc::default(),
            gone: Rc::default(),
            born: Rc::default(),
            over: false,
            wrong: None,
        };
        for at in 0..machine.threads() {
            let tid = Tid(at as u16);
            if machine.runs_from_start(tid) {
                world.threads.resize(at + 1, Slot::Absent);
                let thread = Thread::begin(machine, machine.start(tid));
                self.put(&mut world, at, thread)?;
            }
        }
        Ok(world)
    }

    /// Puts a thread in its place, as far as it goes by itself.
    fn put(
        &self,
        world: &mut World<M::State>,
        at: usize,
        mut thread: Thread<M::State>,
    ) -> Result<(), Misguided> {
        loop {
            thread.settle(self.machine, self.table)?;
            let goes_on = self.eager
                && thread.issued < self.window
                && thread.next().is_some_and(|next| is_issued(next.op));
            if !goes_on {
                break;
            }
            world.note_birth(&thread);
            thread.issue(self.machine)?;
        }
        world.threads[at] = match thread.standing() {
            Some(last) if last.op == Op::End && !self.machine.ends_process(&last.state) => {
                Slot::Ended(Rc::new(last.state.clone()))
            }
            _ => Slot::Here(Rc::new(thread)),
        };
        Ok(())
    }

    /// What a thread may do.
    pub fn actions(
        &self,
        world: &World<M::State>,
        at: usize,
        guesses: &dyn Fn(Loc) -> Vec<Value>,
    ) -> Vec<Action> {
        let Some(thread) = world.thread(at) else { return Vec::new() };
        let mut actions = Vec::new();
        let order = thread.order(self.table, None);
        let left = thread.not_done();
        for (k, entry) in thread.issued().iter().enumerate() {
            if entry.is_done() || matches!(entry.op, Op::Fence { .. }) {
                continue;
            }
            let goes_on = entry.is_rmw() && entry.status == Status::Pending;
            if goes_on || !order[k].intersects(&left) {
                actions.push(Action::Complete(k));
            }
        }
        if let Some(next) = thread.next() {
            match next.op {
                op if is_issued(op) && thread.issued < self.window => actions.push(Action::Issue),
                op if is_issued(op) => {}
                Op::Choose { count } => actions.extend((0..count).map(|v| Action::Choose(Value::from(v)))),
                Op::Spawn { .. } if thread.issued == 0 => actions.push(Action::Thread),
                Op::Join { thread: of } if thread.issued == 0 => {
                    if matches!(world.threads.get(of.index()), Some(Slot::Ended(_))) {
                        actions.push(Action::Thread);
                    }
                }
                Op::End | Op::Block(Block::Exit) if thread.issued == 0 => actions.push(Action::Finish),
                _ => {}
            }
        }
        // Reads whose values decide what comes next may be taken to read something.
        let mut guess = |k: usize, fails: Option<Value>| {
            if let Some(loc) = thread.entries[k].loc() {
                let values = guesses(loc).into_iter().filter(|v| Some(*v) != fails);
                actions.extend(values.map(|v| Action::Guess(k, v)));
            }
        };
        if self.table.speculates {
            thread.stopped.iter().for_each(|idx| guess(idx as usize - 1, None));
        }
        if self.table.overtakes_reads
            && let Some(last) = thread.issued().last()
            && last.status == Status::Pending
            && let Op::Load { rmw: Rmw::Cas { expected, .. }, .. } = last.op
            && !last.deps.cas.intersects(&left)
        {
            guess(thread.issued - 1, Some(expected));
        }
        actions
    }

    pub fn act(&self, world: &World<M::State>, at: usize, action: Action) -> Done<M::State> {
        self.try_to(world, at, action).unwrap_or(Done::Nothing)
    }

    fn try_to(
        &self,
        world: &World<M::State>,
        at: usize,
        action: Action,
    ) -> Result<Done<M::State>, Misguided> {
        let machine = self.machine;
        let Some(old) = world.thread(at) else { return Ok(Done::Waits) };
        let mut next = world.clone();
        let mut thread = Thread::clone(old);
        let entry = match action {
            Action::Complete(k) | Action::Guess(k, _) => &old.entries[k],
            _ => &old.entries[old.issued],
        };
        let mut step = Step {
            thread: at as u16,
            what: String::new(),
            place: machine.place(&entry.state),
            overtakes: Vec::new(),
            access: false,
        };
        match action {
            Action::Issue => {
                next.note_birth(&thread);
                thread.issue(machine)?;
            }
            Action::Choose(value) => {
                step.what = format!("chooses {value}");
                let place = thread.issued;
                thread.issued += 1;
                thread.entries[place].status = Status::Done(value);
                thread.rebuild(machine, place)?;
            }
            Action::Guess(k, value) => {
                thread.entries[k].status = Status::Guessed(value);
                thread.rebuild(machine, k)?;
                if thread.next().is_some_and(|next| waits(next.op)) {
                    return Ok(Done::Waits);
                }
            }
            Action::Thread => match entry.op {
                Op::Spawn { thread: child } => {
                    step.what = format!("creates thread {}", child.0);
                    let child = child.index();
                    if next.threads.len() <= child {
                        next.threads.resize(child + 1, Slot::Absent);
                    }
                    let begun = Thread::begin(machine, machine.spawned(&entry.state, Tid(child as u16)));
                    self.put(&mut next, child, begun)?;
                    self.pass(&mut thread)?;
                }
                Op::Join { thread: other } => {
                    step.what = format!("joins thread {}", other.0);
                    self.pass(&mut thread)?;
                }
                _ => return Ok(Done::Waits),
            },
            Action::Finish => {
                step.what = "ends the process".to_string();
                next.over = true;
                return Ok(Done::Next(next, step));
            }
            Action::Complete(k) => match self.complete(world, &mut next, &mut thread, at, k, &mut step)? {
                Completed::Yes => {}
                Completed::Waits => return Ok(Done::Waits),
                Completed::Nothing => return Ok(Done::Nothing),
            },
        }
        self.put(&mut next, at, thread)?;
        Ok(Done::Next(next, step))
    }

    /// The thread goes on from an operation that it stands at and that is over.
    fn pass(&self, thread: &mut Thread<M::State>) -> Result<(), Misguided> {
        thread.issued = 1;
        thread.entries[0].status = Status::Done(0);
        thread.rebuild(self.machine, 0)
    }

    fn complete(
        &self,
        world: &World<M::State>,
        next: &mut World<M::State>,
        thread: &mut Thread<M::State>,
        at: usize,
        k: usize,
        step: &mut Step,
    ) -> Result<Completed, Misguided> {
        let machine = self.machine;
        let left = thread.not_done();
        let entry = &thread.entries[k];
        let before = &thread.entries[..k];
        step.overtakes = before
            .iter()
            .filter(|e| !e.is_done() && e.loc().is_some())
            .map(|e| machine.place(&e.state))
            .collect();
        let pending_here = |loc: Loc, writes_only: bool| {
            before.iter().any(|e| !e.is_done() && e.loc() == Some(loc) && (e.is_store() || !writes_only))
        };
        match entry.op {
            Op::Free { object } => {
                let used = |loc: Loc| machine.object(loc) == Some(object);
                if before.iter().any(|e| !e.is_done() && e.loc().is_some_and(used)) {
                    return Ok(Completed::Waits);
                }
                step.what = "frees an object".to_string();
                if !Rc::make_mut(&mut next.gone).insert(object) {
                    next.wrong = Some((ErrorKind::DoubleFree, "an object is freed twice".to_string()));
                }
                thread.entries[k].status = Status::Done(0);
            }
            Op::Store { loc, value, .. } => {
                if pending_here(loc, false) || entry.deps.data.intersects(&left) {
                    return Ok(Completed::Waits);
                }
                if self.is_held(world, at, loc) {
                    return Ok(Completed::Nothing);
                }
                self.note_access(next, loc);
                (step.what, step.access) = (format!("writes {}", self.shown(loc, value)), true);
                next.set(machine, loc, value);
                thread.entries[k].status = Status::Done(0);
            }
            Op::Load { loc, rmw: Rmw::No, .. } => {
                let value = match thread.own_source(k, loc) {
                    Some(w) => match thread.entries[w] {
                        crate::thread::Entry { op: Op::Store { value, .. }, ref deps, .. }
                            if !deps.data.intersects(&left) =>
                        {
                            value
                        }
                        _ => return Ok(Completed::Waits),
                    },
                    None => world.value(machine, loc),
                };
                if matches!(entry.status, Status::Guessed(guessed) if guessed != value) {
                    return Ok(Completed::Nothing);
                }
                self.note_access(next, loc);
                (step.what, step.access) = (format!("reads {}", self.shown(loc, value)), true);
                thread.entries[k].status = Status::Done(value);
                thread.rebuild(machine, k)?;
                if thread.next().is_some_and(|next| waits(next.op)) {
                    return Ok(Completed::Waits);
                }
            }
            Op::Load { loc, .. } => {
                // Both halves at once.
                if pending_here(loc, true) || entry.deps.cas.intersects(&left) {
                    return Ok(Completed::Waits);
                }
                let earlier_here = pending_here(loc, false);
                let value = world.value(machine, loc);
                if matches!(entry.status, Status::Guessed(guessed) if guessed != value) {
                    return Ok(Completed::Nothing);
                }
                thread.entries[k].status = Status::Done(value);
                thread.rebuild(machine, k)?;
                let store = thread.entries.get(k + 1).filter(|_| k + 1 < thread.issued);
                let store = store.map(|e| (e.op, e.deps.data.clone()));
                let writes = matches!(store, Some((Op::Store { rmw: true, .. }, _)));
                let order = thread.order(self.table, Some((k, writes)));
                let halves = if writes { k..k + 2 } else { k..k + 1 };
                let mut others = left.clone();
                halves
                    .clone()
                    .for_each(|half| others.subtract(&selvedge_graph::DepSet::one(half as u32 + 1)));
                if halves.clone().any(|half| order[half].intersects(&others)) || writes && earlier_here {
                    return Ok(Completed::Waits);
                }
                self.note_access(next, loc);
                step.access = true;
                if let Some((Op::Store { value: stored, .. }, data)) = store
                    && writes
                {
                    if data.intersects(&others) {
                        return Ok(Completed::Waits);
                    }
                    if self.is_held(world, at, loc) {
                        return Ok(Completed::Nothing);
                    }
                    next.set(machine, loc, stored);
                    step.what = format!(
                        "reads {} and writes {}",
                        machine.value_name(loc, value),
                        self.shown(loc, stored)
                    );
                } else {
                    step.what = format!("reads {}", self.shown(loc, value));
                }
                if thread.next().is_some_and(|next| waits(next.op)) {
                    return Ok(Completed::Waits);
                }
            }
            _ => return Ok(Completed::Waits),
        }
        Ok(Completed::Yes)
    }

    fn shown(&self, loc: Loc, value: Value) -> String {
        format!("{} = {}", self.machine.location_name(loc), self.machine.value_name(loc, value))
    }

    /// An access is of an object that should be alive.
    fn note_access(&self, next: &mut World<M::State>, loc: Loc) {
        if let Some(object) = self.machine.object(loc)
            && next.gone.contains(&object)
        {
            let (kind, what) = match self.machine.is_local(object) {
                true => (ErrorKind::DeadStack, "a local variable whose block was left"),
                false => (ErrorKind::UseAfterFree, "an object that was freed"),
            };
            next.wrong = Some((kind, format!("access to {} of {what}", self.machine.location_name(loc))));
        }
    }

    /// Whether a location must not change: a thread has read it, and an earlier read of it is still to
    /// come, which then has to see the same.
    fn is_held(&self, world: &World<M::State>, writer: usize, loc: Loc) -> bool {
        self.table.overtakes_reads
            && world.threads.iter().enumerate().filter(|(at, _)| *at != writer).any(|(_, slot)| {
                let Slot::Here(thread) = slot else { return false };
                let entries = thread.issued();
                (0..entries.len()).any(|first| {
                    let early = &entries[first];
                    early.is_load()
                        && !early.is_done()
                        && early.loc() == Some(loc)
                        && thread.own_source(first, loc).is_none()
                        && entries[first + 1..]
                            .iter()
                            .take_while(|e| !(e.is_store() && e.loc() == Some(loc)))
                            .any(|e| e.is_load() && e.is_done() && e.loc() == Some(loc))
                })
            })
    }

    /// Two accesses that may be made at the same time, one of them plain, one a write.
    pub fn race(&self, world: &World<M::State>) -> Option<(Loc, [Option<SourcePlace>; 2])> {
        if !self.races {
            return None;
        }
        let mut ready = Vec::new();
        for at in 0..world.threads.len() {
            let Some(thread) = world.thread(at) else { continue };
            let order = thread.order(self.table, None);
            let left = thread.not_done();
            let entries = thread.issued().iter().enumerate();
            for (k, entry) in entries.filter(|(k, e)| !e.is_done() && !order[*k].intersects(&left)) {
                let (loc, mode, writes) = match entry.op {
                    Op::Load { loc, mode, rmw } => (loc, mode, rmw != Rmw::No),
                    Op::Store { loc, mode, .. } => (loc, mode, true),
                    _ => continue,
                };
                _ = k;
                ready.push((at, loc, mode, writes, self.machine.place(&entry.state)));
            }
        }
        for (i, a) in ready.iter().enumerate() {
            for b in &ready[i + 1..] {
                if a.0 != b.0 && a.1 == b.1 && (a.2 == Mode::Na || b.2 == Mode::Na) && (a.3 || b.3) {
                    return Some((a.1, [a.4.clone(), b.4.clone()]));
                }
            }
        }
        None
    }
}

enum Completed {
    Yes,
    Waits,
    Nothing,
}

/// Whether a thread that comes to this has to read something else first.
fn waits(op: Op) -> bool {
    matches!(op, Op::Block(block) if !matches!(block, Block::Assume | Block::Exit))
}
