//! A state of the whole program, and the steps out of it.

use crate::complete::{Completed, waits};
use crate::inputs::{Inputs, Known};
use crate::table::Table;
use crate::thread::{Misguided, Status, Thread, is_issued};
use selvedge_graph::{DepSet, Loc, Mode, Tid, Value};
use selvedge_machine::{Agreement, Block, Canonical, ErrorKind, Machine, Op, Rmw, SourcePlace};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Slot<S> {
    Absent,
    Here(Rc<Thread<S>>),
    /// The state that it ended in.
    Ended(Rc<S>),
}

/// Where memory holds something else than at first: by object, and for what is in none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub objects: BTreeMap<Option<u32>, Rc<Cells>>,
    /// What it is called in states, once it was asked for.
    pub part: Cell<Option<u32>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub values: BTreeMap<u32, Value>,
    pub part: Cell<Option<u32>>,
}

impl Memory {
    pub fn get(&self, object: Option<u32>, loc: u32) -> Option<Value> {
        self.objects.get(&object)?.values.get(&loc).copied()
    }

    /// All that is there.
    pub fn cells(&self) -> impl Iterator<Item = (Option<u32>, u32, Value)> {
        self.objects.iter().flat_map(|(object, of)| of.values.iter().map(|(loc, v)| (*object, *loc, *v)))
    }
}

#[derive(Clone, Debug)]
pub struct World<S> {
    pub threads: Vec<Slot<S>>,
    memory: Rc<Memory>,
    /// Objects whose life is over.
    pub(crate) gone: Rc<BTreeSet<u32>>,
    /// Objects that only the thread knows that made them.
    pub(crate) owners: Rc<BTreeMap<u32, u16>>,
    /// A thread has accessed an object that it does not know: addresses are computed.
    pub(crate) trespassed: bool,
    /// Threads that were joined.
    pub(crate) joined: Rc<BTreeSet<u16>>,
    /// Threads that were detached.
    pub(crate) detached: Rc<BTreeSet<u16>>,
    /// The process has ended.
    pub over: bool,
    /// The first thread has come to its end: the process does not wait for those that were detached.
    pub(crate) returned: bool,
    /// Something is wrong that no thread finds by itself.
    pub wrong: Option<(ErrorKind, String)>,
    /// What is known of inputs.
    pub(crate) inputs: Known,
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
    /// The process ends, or its first thread.
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
    Next(World<S>, Rc<Step>),
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
    /// Also where one of them is in an atomic section.
    pub sections_race: bool,
    /// Joining a thread twice is an error.
    pub joins_once: bool,
    /// Operations that may be in the list of a thread, at most.
    pub window: usize,
    /// There are unknown inputs.
    pub inputs: bool,
    /// What came of actions.
    pub before: RefCell<HashMap<Before, Again<M::State>>>,
    /// Which operations may complete, by thread and the number that it has in states.
    pub ready: RefCell<Ready>,
}

/// Places in the list of a thread, by its number and the one that it has in states.
pub type Ready = HashMap<(usize, u32), Rc<[usize]>>;

/// What a thread does by issuing an operation.
#[derive(Clone, Copy)]
pub enum News {
    /// It makes an object.
    Born(u32),
    /// It detaches a thread.
    Detached(u16),
}

/// What comes of an action, what was issued, and what was written.
type Tried<S> = (Done<S>, Vec<News>, Option<Value>);

/// A thread, its number in states, the place of an operation, what is in memory there, and the number of
/// what is known of inputs.
pub type Before = (u16, u32, u16, Value, u32);

/// What comes of an action for the thread itself.
pub enum Again<S> {
    Next { slot: Slot<S>, news: Vec<News>, wrote: Option<Value>, step: Rc<Step>, inputs: Known },
    Waits,
}

/// What the thread does by issuing its next operation.
fn news<S: Clone>(thread: &Thread<S>) -> Option<News> {
    match thread.next()?.op {
        Op::Alloc { object } => Some(News::Born(object)),
        Op::Detach { thread } => Some(News::Detached(thread.0)),
        _ => None,
    }
}

impl<S: Clone> World<S> {
    pub fn value<M: Machine<State = S>>(&self, machine: &M, loc: Loc) -> Value {
        let value = self.memory.get(machine.object(loc), loc.0);
        value.unwrap_or_else(|| machine.init_value(loc))
    }

    pub(crate) fn set<M: Machine<State = S>>(&mut self, machine: &M, loc: Loc, value: Value) {
        let memory = Rc::make_mut(&mut self.memory);
        memory.part.set(None);
        let object = machine.object(loc);
        let cells = Rc::make_mut(memory.objects.entry(object).or_default());
        cells.part.set(None);
        if value == machine.init_value(loc) {
            cells.values.remove(&loc.0);
            if cells.values.is_empty() {
                memory.objects.remove(&object);
            }
        } else {
            cells.values.insert(loc.0, value);
        }
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whether only this thread knows the object of a location.
    pub fn owns<M: Machine<State = S>>(&self, machine: &M, at: usize, loc: Loc) -> bool {
        machine.object(loc).is_some_and(|object| self.owners.get(&object) == Some(&(at as u16)))
    }

    /// Others may come by this word: by what it is an address of, and by what is there.
    pub(crate) fn hand_over<M>(&mut self, machine: &M, word: u64)
    where
        M: Machine<State = S> + Canonical,
    {
        let mut todo = Vec::new();
        machine.mentions(word, &mut |object| todo.push(object));
        while let Some(object) = todo.pop() {
            if !self.owners.contains_key(&object) {
                continue;
            }
            Rc::make_mut(&mut self.owners).remove(&object);
            for value in self.memory.objects.get(&Some(object)).iter().flat_map(|of| of.values.values()) {
                machine.mentions(*value as u64, &mut |inside| todo.push(inside));
            }
        }
    }

    /// Whether another thread was ever there than this one. Those that are still to come are created by it,
    /// so all that it has done by then comes first.
    pub fn has_others(&self, at: usize) -> bool {
        let was_here = |(other, slot): (usize, &Slot<S>)| other != at && !matches!(slot, Slot::Absent);
        self.threads.iter().enumerate().any(was_here)
    }

    /// Whether another thread is there that was not joined. Those that were have ended before, and so have
    /// all that they joined.
    pub(crate) fn has_unjoined(&self, at: usize) -> bool {
        let is_there = |(other, slot): (usize, &Slot<S>)| {
            other != at && !matches!(slot, Slot::Absent) && !self.joined.contains(&(other as u16))
        };
        self.threads.iter().enumerate().any(is_there)
    }

    /// The only thread that knows an object.
    pub(crate) fn owner(&self, object: u32) -> Option<usize> {
        self.owners.get(&object).map(|owner| usize::from(*owner))
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

    /// A thread has issued something.
    fn note(&mut self, news: News, at: usize) {
        match news {
            // Only this thread knows it.
            News::Born(object) => _ = Rc::make_mut(&mut self.owners).insert(object, at as u16),
            News::Detached(thread) => {
                self.claim(thread);
                Rc::make_mut(&mut self.detached).insert(thread);
            }
        }
    }

    /// A thread is joined or detached, which may happen once.
    fn claim(&mut self, thread: u16) {
        if self.joined.contains(&thread) || self.detached.contains(&thread) {
            let message = format!("thread {thread} is joined or detached, which nobody may do any more");
            self.wrong = Some((ErrorKind::InvalidJoin, message));
        }
    }

    /// Whether the process does not wait for a thread.
    pub(crate) fn is_left_behind(&self, at: usize) -> bool {
        self.returned && self.detached.contains(&(at as u16))
    }

    /// All threads have come to their ends, or the process has.
    pub fn is_at_end(&self) -> bool {
        self.over || self.threads.iter().all(|slot| !matches!(slot, Slot::Here(_)))
    }

    /// Only threads are left that the process does not wait for: it may be over here, and they may go on.
    pub fn may_be_over<M: Machine<State = S>>(&self, machine: &M) -> bool {
        let left = (0..self.threads.len()).filter_map(|at| Some((at, self.thread(at)?)));
        let mut left = left.peekable();
        let is_background = |(at, thread): (usize, &Rc<Thread<S>>)| {
            thread.entries.last().is_some_and(|last| {
                last.op != Op::Block(Block::Assume)
                    && (machine.is_background(&last.state) || self.is_left_behind(at))
            })
        };
        !self.over && left.peek().is_some() && left.all(is_background)
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
            owners: Rc::default(),
            trespassed: false,
            joined: Rc::default(),
            detached: Rc::default(),
            over: false,
            returned: false,
            wrong: None,
            inputs: Known::default(),
        };
        for at in 0..machine.threads() {
            let tid = Tid(at as u16);
            if machine.runs_from_start(tid) {
                world.threads.resize(at + 1, Slot::Absent);
                let mut state = machine.start(tid);
                if self.inputs {
                    machine.inform(&mut state, &[], Some(&[]));
                }
                let thread = Thread::begin(machine, state, self.table.in_order);
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
    ) -> Result<Vec<News>, Misguided> {
        let mut issued = Vec::new();
        thread.part.set(None);
        loop {
            thread.settle(self.machine, self.table)?;
            let goes_on = self.eager
                && thread.issued < self.window
                && thread.next().is_some_and(|next| is_issued(next.op));
            if !goes_on {
                break;
            }
            issued.extend(news(&thread));
            thread.issue(self.machine)?;
        }
        issued.iter().for_each(|news| world.note(*news, at));
        if self.inputs
            && let Some(last) = thread.entries.last()
        {
            let facts = self.machine.facts(&last.state);
            if facts.iter().any(|fact| world.inputs.facts.binary_search(fact).is_err()) {
                world.inputs = Rc::new(world.inputs.with(facts));
            }
        }
        world.threads[at] = match thread.standing() {
            Some(last) if last.op == Op::End && !self.machine.ends_process(&last.state) => {
                Slot::Ended(Rc::new(last.state.clone()))
            }
            _ => Slot::Here(Rc::new(thread)),
        };
        Ok(issued)
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
        let left = thread.not_done();
        actions.extend(self.ready(at, thread, &left).iter().map(|k| Action::Complete(*k)));
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
            for k in thread.stopped.iter().map(|idx| idx as usize - 1) {
                if matches!(thread.entries[k].op, Op::Load { mode, .. } if self.table.is_speculated(mode)) {
                    guess(k, None);
                }
            }
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

    /// Which operations of a thread may complete.
    fn ready(&self, at: usize, thread: &Thread<M::State>, left: &DepSet) -> Rc<[usize]> {
        let part = thread.part.get().map(|part| (at, part));
        if let Some(known) = part.and_then(|part| self.ready.borrow().get(&part).map(Rc::clone)) {
            return known;
        }
        let order = thread.order(self.table, None);
        let is_ready = |k: &usize| {
            let entry = &thread.entries[*k];
            let goes_on = entry.is_rmw() && entry.status == Status::Pending;
            let waits = entry.is_done() || matches!(entry.op, Op::Fence { .. });
            !waits && (goes_on || !order[*k].intersects(left))
        };
        let ready: Rc<[usize]> = (0..thread.issued).filter(is_ready).collect();
        if let Some(part) = part {
            self.ready.borrow_mut().insert(part, Rc::clone(&ready));
        }
        ready
    }

    pub fn act(&self, world: &World<M::State>, at: usize, action: Action) -> Done<M::State> {
        let Some(known) = self.known(world, at, action) else {
            return self.try_to(world, at, action).map_or(Done::Nothing, |(done, ..)| done);
        };
        if let Some(before) = self.before.borrow().get(&known) {
            return self.repeat(world, at, action, before);
        }
        let Ok((done, news, wrote)) = self.try_to(world, at, action) else { return Done::Nothing };
        let again = match &done {
            Done::Next(next, step) => {
                let slot = next.threads[at].clone();
                let inputs = Rc::clone(&next.inputs);
                Again::Next { slot, news, wrote, step: Rc::clone(step), inputs }
            }
            Done::Waits => Again::Waits,
            Done::Nothing => return done,
        };
        self.before.borrow_mut().insert(known, again);
        done
    }

    /// What decides all that comes of an action for the thread itself: the thread, by the number that it has
    /// in states, the operation, and what is in memory there.
    fn known(&self, world: &World<M::State>, at: usize, action: Action) -> Option<Before> {
        let Action::Complete(k) = action else { return None };
        let thread = world.thread(at)?;
        let entry = &thread.entries[k];
        let (part, loc) = (thread.part.get()?, entry.loc()?);
        let value = if entry.is_load() { world.value(self.machine, loc) } else { 0 };
        Some((at as u16, part, k as u16, value, world.inputs.number))
    }

    /// The same as before, in another world.
    fn repeat(
        &self,
        world: &World<M::State>,
        at: usize,
        action: Action,
        before: &Again<M::State>,
    ) -> Done<M::State> {
        let Again::Next { slot, news, wrote, step, inputs } = before else { return Done::Waits };
        let mut next = world.clone();
        let loc = match (action, world.thread(at)) {
            (Action::Complete(k), Some(thread)) => thread.entries[k].loc(),
            _ => None,
        };
        if let Some(loc) = loc {
            if wrote.is_some() && self.is_held(world, at, loc) {
                return Done::Nothing;
            }
            self.note_access(&mut next, at, loc);
            if let Some(value) = wrote {
                self.write(&mut next, at, loc, *value);
            }
        }
        news.iter().for_each(|news| next.note(*news, at));
        next.threads[at] = slot.clone();
        next.inputs = Rc::clone(inputs);
        Done::Next(next, Rc::clone(step))
    }

    fn try_to(
        &self,
        world: &World<M::State>,
        at: usize,
        action: Action,
    ) -> Result<Tried<M::State>, Misguided> {
        let machine = self.machine;
        let nothing_new = |done| Ok((done, Vec::new(), None));
        let Some(old) = world.thread(at) else { return nothing_new(Done::Waits) };
        let mut next = world.clone();
        let mut thread = Thread::clone(old);
        if self.inputs {
            let Inputs { facts, in_use, .. } = &*world.inputs;
            for entry in &mut thread.entries {
                machine.inform(&mut entry.state, facts, in_use.as_deref());
            }
        }
        let entry = match action {
            Action::Complete(k) | Action::Guess(k, _) => &old.entries[k],
            _ => &old.entries[old.issued],
        };
        let mut wrote = None;
        let mut step = Step {
            thread: at as u16,
            what: String::new(),
            place: machine.place(&entry.state),
            overtakes: Vec::new(),
            access: false,
        };
        match action {
            Action::Issue => {
                news(&thread).into_iter().for_each(|news| next.note(news, at));
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
                    return nothing_new(Done::Waits);
                }
            }
            Action::Thread => match entry.op {
                Op::Spawn { thread: child } => {
                    step.what = format!("creates thread {}", child.0);
                    let child = child.index();
                    if next.threads.len() <= child {
                        next.threads.resize(child + 1, Slot::Absent);
                    }
                    let mut state = machine.spawned(&entry.state, Tid(child as u16));
                    if self.inputs {
                        machine.inform(&mut state, &world.inputs.facts, world.inputs.in_use.as_deref());
                    }
                    let mut words = Vec::new();
                    machine.write_down(&state, &mut words);
                    words.into_iter().for_each(|word| next.hand_over(machine, word));
                    let begun = Thread::begin(machine, state, self.table.in_order);
                    self.put(&mut next, child, begun)?;
                    self.pass(&mut thread)?;
                }
                Op::Join { thread: other } => {
                    step.what = format!("joins thread {}", other.0);
                    if self.joins_once {
                        next.claim(other.0);
                    }
                    Rc::make_mut(&mut next.joined).insert(other.0);
                    self.pass(&mut thread)?;
                }
                _ => return nothing_new(Done::Waits),
            },
            Action::Finish if entry.op == Op::End => {
                step.what = "comes to its end".to_string();
                next.returned = true;
                next.threads[at] = Slot::Ended(Rc::new(entry.state.clone()));
                return nothing_new(Done::Next(next, Rc::new(step)));
            }
            Action::Finish => {
                step.what = "ends the process".to_string();
                next.over = true;
                return nothing_new(Done::Next(next, Rc::new(step)));
            }
            Action::Complete(k) => match self.complete(world, &mut next, &mut thread, at, k, &mut step)? {
                Completed::Yes(value) => wrote = value,
                Completed::Waits => return nothing_new(Done::Waits),
                Completed::Nothing => return nothing_new(Done::Nothing),
            },
        }
        let news = self.put(&mut next, at, thread)?;
        if next.inputs.facts.len() > world.inputs.facts.len() {
            match machine.may_hold(&next.inputs.facts) {
                Agreement::Yes => {}
                Agreement::No => return nothing_new(Done::Nothing),
                Agreement::NobodyKnows => {
                    let message =
                        "whether decisions by unknown inputs go together takes too long to find out";
                    next.wrong = Some((ErrorKind::Unsupported, message.to_string()));
                }
            }
        }
        Ok((Done::Next(next, Rc::new(step)), news, wrote))
    }

    /// The thread goes on from an operation that it stands at and that is over.
    fn pass(&self, thread: &mut Thread<M::State>) -> Result<(), Misguided> {
        thread.issued = 1;
        thread.entries[0].status = Status::Done(0);
        thread.rebuild(self.machine, 0)
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
            for (_, entry) in entries.filter(|(k, e)| !e.is_done() && !order[*k].intersects(&left)) {
                let (loc, mode, writes) = match entry.op {
                    Op::Load { loc, mode, rmw } => (loc, mode, rmw != Rmw::No),
                    Op::Store { loc, mode, .. } => (loc, mode, true),
                    _ => continue,
                };
                // What is in an atomic section is atomic.
                let inside = self.machine.in_section(&entry.state);
                if inside && !self.sections_race {
                    continue;
                }
                let plain = mode == Mode::Na && !inside;
                ready.push((at, loc, plain, writes, self.machine.place(&entry.state)));
            }
        }
        for (i, a) in ready.iter().enumerate() {
            for b in &ready[i + 1..] {
                if a.0 != b.0 && a.1 == b.1 && (a.2 || b.2) && (a.3 || b.3) {
                    return Some((a.1, [a.4.clone(), b.4.clone()]));
                }
            }
        }
        None
    }
}
