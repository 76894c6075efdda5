//! What recovery may find after a crash (thesis §8.3, §8.4).
//!
//! The recovery routine runs after an execution, as an observer: each of its reads of a durable location
//! reads from some write of the execution, so that `[REC] ; rb ; pb? ; rf ; [REC]` is empty. That is kept by
//! two numbers per location: up to where in coherence writes *must* have persisted, because something that
//! was read persisted after them; and what was read, beyond which nothing has. All writes are there already,
//! so nothing is ever revisited, and the latest write that must have persisted can always be read: no way is
//! left in vain. Two ways differ in what some read reads from, so no post-crash state is found twice.
//!
//! Beyond the thesis, the routine may write; what it wrote is ordinary memory to it. It may then crash as
//! well: its own events are an execution, whose initial values are what the crash before left. So crashes are
//! a stack of *levels*, and a read that finds nothing newer in one asks the one below.
//!
//! Partial executions need no search of their own. What may have persisted when an execution is cut short is
//! what may have persisted when it goes on with reads of the latest writes, and writes at the end of
//! coherence: those are before nothing that was there.

mod threads;

use selvedge_graph::{EventId, ExecutionGraph, Loc, Mode, PersistOp, Tid, Value};
use selvedge_machine::{Agreement, Block, ErrorKind, Machine, Op};
use selvedge_model::{Compiled, PersistMemo, Persistency};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use crate::inserted::with_persist_after;
use crate::report::Execution;

/// How recovery is explored.
#[derive(Clone, Debug)]
pub struct Crashes {
    /// What persists before what.
    pub model: Persistency,
    /// How often there may be a crash: once, or again while recovery runs.
    pub most: u32,
    /// Whether recovery may write to what is durable.
    pub may_write: bool,
    /// Longer runs of recovery are given up.
    pub max_steps: usize,
    /// The memory model, for recovery that creates threads; and whether races are looked for there.
    pub memory: Option<Arc<Compiled>>,
    pub races: bool,
}

impl Crashes {
    pub fn new(model: Persistency) -> Crashes {
        Crashes { model, most: 1, may_write: true, max_steps: 1_000_000, memory: None, races: false }
    }
}

/// How a run of the recovery routine ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecoveryEnd {
    /// It has ended.
    Done,
    /// An assumption of its own does not hold.
    Assumed,
    /// A loop ran into its bound.
    Cut,
    /// It waits for ever.
    Stuck(Block),
    /// It failed by itself; the machine keeps the message.
    Failed(u32),
    /// It makes something wrong of memory, or what is not supported.
    Wrong(ErrorKind, String),
}

/// A step of the recovery routine that is about what is durable.
pub struct RecoveryStep<S> {
    /// Where the routine stands.
    pub state: S,
    /// Which run of the routine this is, from 0.
    pub crash: u32,
    pub what: RecoveryAction,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryAction {
    /// It reads; from which write of which level (0 is the program itself), if it is not the initial value.
    Read {
        loc: Loc,
        value: Value,
        from: Option<(u32, EventId)>,
    },
    Write {
        loc: Loc,
        value: Value,
    },
}

/// One run of recovery, and what it found.
pub struct PostCrash<'a, S> {
    pub end: RecoveryEnd,
    /// Where it ended.
    pub state: &'a S,
    pub steps: &'a [RecoveryStep<S>],
    /// How many crashes came before it.
    pub crash: u32,
    /// By location, up to where in coherence the program's writes have persisted, for a snapshot that
    /// explains what was read: as little as possible has.
    persisted: &'a HashMap<Loc, u32>,
}

impl<S> PostCrash<'_, S> {
    /// Whether a durable write of the program has persisted.
    pub fn has_persisted(&self, g: &ExecutionGraph, w: EventId) -> bool {
        let pos = g.co_pos(w).unwrap_or(usize::MAX);
        self.persisted.get(&g.event(w).loc).is_some_and(|up_to| pos <= *up_to as usize)
    }
}

/// Why the search ended before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecoveryStop {
    /// The visitor had seen enough, or all has to be explored again.
    Enough,
    /// `pb` is no order in this execution: the write given persists before itself.
    Cyclic(EventId),
    /// It is not known whether what threads found out of unknown inputs goes together.
    TooHard,
    /// A run takes too many steps.
    TooLong,
}

/// Shows every run of the recovery routine after this execution to `visit`, each once.
pub fn recover<M: Machine>(
    x: &Execution<'_, M>,
    crashes: &Crashes,
    visit: &mut dyn FnMut(&PostCrash<'_, M::State>) -> ControlFlow<()>,
) -> Result<(), RecoveryStop> {
    let machine = x.machine();
    let Some(start) = machine.recovery(0) else { return Ok(()) };
    if machine.recovery_has_threads() {
        return threads::recover(x, crashes, start, visit);
    }
    let media: RefCell<HashMap<Loc, Option<selvedge_graph::Medium>>> = RefCell::default();
    let medium = |loc: Loc| *media.borrow_mut().entry(loc).or_insert_with(|| machine.medium(loc));
    let levels = vec![Level::new(Graph::OfProgram, PersistMemo::new(x.graph, &medium))];
    let (steps, frames) = (Vec::new(), Vec::new());
    let mut search = Search { x, machine, crashes, medium: &medium, levels, steps, frames, visit };
    search.begin();
    search.run(start)
}

/// Whether recovery could still read from these writes (places in coherence, 0 for initial values) if the
/// thread of `after` made something persist right after it.
pub fn survives<M: Machine>(
    x: &Execution<'_, M>,
    crashes: &Crashes,
    reads: &[(Loc, u32)],
    after: EventId,
    ops: &[(PersistOp, Option<u32>)],
) -> bool {
    let machine = x.machine();
    let g = with_persist_after(x.graph, after, ops);
    let mut memo = PersistMemo::new(&g, &|loc| machine.medium(loc));
    let mut floor: HashMap<Loc, u32> = HashMap::new();
    let mut order = crashes.model.order(&g, &mut memo);
    let read = reads.iter().filter(|(_, pos)| *pos > 0).map(|(loc, pos)| g.co(*loc)[*pos as usize]);
    let mut pasts = order.surely();
    pasts.extend(read.collect::<Vec<_>>().into_iter().map(|w| order.past(w)));
    for &(loc, pos) in pasts.iter().flat_map(|past| &past.latest) {
        let known = floor.entry(loc).or_insert(0);
        *known = pos.max(*known);
    }
    reads.iter().all(|(loc, pos)| floor.get(loc).is_none_or(|least| least <= pos))
}

/// The execution that a crash cut short.
#[derive(Clone, Default)]
enum Graph {
    #[default]
    OfProgram,
    /// A run of recovery.
    OfRecovery(Rc<ExecutionGraph>),
}

/// What one crash left.
#[derive(Default)]
struct Level {
    graph: Graph,
    memo: PersistMemo,
    /// By location: up to where in coherence writes must have persisted.
    floor: HashMap<Loc, u32>,
    /// By location: what has persisted is up to here, exactly, as it was read.
    read: HashMap<Loc, u32>,
    undo: Vec<Undo>,
}

enum Undo {
    Floor(Loc, Option<u32>),
    Read(Loc),
}

impl Level {
    fn new(graph: Graph, memo: PersistMemo) -> Level {
        Level { graph, memo, floor: HashMap::new(), read: HashMap::new(), undo: Vec::new() }
    }

    fn raise(&mut self, loc: Loc, pos: u32) {
        let old = self.floor.get(&loc).copied();
        if old.is_none_or(|old| old < pos) {
            self.floor.insert(loc, pos);
            self.undo.push(Undo::Floor(loc, old));
        }
    }

    fn undo_to(&mut self, mark: usize) {
        for change in self.undo.drain(mark..).rev() {
            match change {
                Undo::Floor(loc, Some(old)) => _ = self.floor.insert(loc, old),
                Undo::Floor(loc, None) => _ = self.floor.remove(&loc),
                Undo::Read(loc) => _ = self.read.remove(&loc),
            }
        }
    }
}

/// Notes what has persisted in any case.
fn surely(model: &Persistency, g: &ExecutionGraph, level: &mut Level) {
    let pasts = model.order(g, &mut level.memo).surely();
    for &(loc, pos) in pasts.iter().flat_map(|past| &past.latest) {
        level.raise(loc, pos);
    }
}

/// Lets a location have persisted up to this write of it, exactly. Returns whether that is possible.
fn settle(
    model: &Persistency,
    g: &ExecutionGraph,
    level: &mut Level,
    loc: Loc,
    pos: u32,
) -> Result<bool, RecoveryStop> {
    if level.read.insert(loc, pos).is_none() {
        level.undo.push(Undo::Read(loc));
    }
    if pos == 0 {
        return Ok(true);
    }
    let w = g.co(loc)[pos as usize];
    let past = model.order(g, &mut level.memo).past(w);
    if past.cyclic {
        return Err(RecoveryStop::Cyclic(w));
    }
    for &(of, at) in &past.latest {
        if level.read.get(&of).is_some_and(|exactly| at > *exactly) {
            return Ok(false);
        }
        level.raise(of, at);
    }
    Ok(true)
}

/// The memory that the running routine has: all of it, as nobody else is there.
#[derive(Clone, Default)]
struct Own {
    values: HashMap<Loc, Value>,
    alive: HashSet<u32>,
    dead: HashSet<u32>,
}

struct Search<'a, 'x, M: Machine> {
    x: &'a Execution<'x, M>,
    machine: &'a M,
    crashes: &'a Crashes,
    medium: &'a dyn Fn(Loc) -> Option<selvedge_graph::Medium>,
    levels: Vec<Level>,
    steps: Vec<RecoveryStep<M::State>>,
    /// Decisions that have more alternatives. Routines may be long, so they are not on the stack of the
    /// process.
    frames: Vec<Frame<M::State>>,
    visit: &'a mut dyn FnMut(&PostCrash<'_, M::State>) -> ControlFlow<()>,
}

enum Frame<S> {
    /// A read of a durable location, of what the crash of this level left. `next` is the next place in
    /// coherence to read from, if there is one: the latest first, down to `least`.
    Read {
        now: Running<S>,
        loc: Loc,
        mode: Mode,
        level: usize,
        next: Option<u32>,
        least: u32,
        mark: usize,
        steps: usize,
    },
    Choice {
        now: Running<S>,
        next: u32,
        count: u32,
        steps: usize,
    },
    /// Another crash.
    Crash,
}

/// A run of the routine under way.
struct Running<S> {
    state: S,
    crash: u32,
    own: Own,
    /// Its events, if there may be another crash.
    events: Option<ExecutionGraph>,
    count: usize,
}

impl<S: Clone> Clone for Running<S> {
    fn clone(&self) -> Running<S> {
        Running {
            state: self.state.clone(),
            crash: self.crash,
            own: self.own.clone(),
            events: self.events.clone(),
            count: self.count,
        }
    }
}

/// Where to go on, if that is known without another decision.
type Next<S> = Option<(Running<S>, Op)>;

/// The thread of the routine in the graph of its own.
const ROUTINE: Tid = Tid(0);

impl<M: Machine> Search<'_, '_, M> {
    fn graph<'g>(&'g self, graph: &'g Graph) -> &'g ExecutionGraph {
        match graph {
            Graph::OfProgram => self.x.graph,
            Graph::OfRecovery(events) => events,
        }
    }

    /// Puts a level back that was taken out.
    fn with_level<T>(&mut self, at: usize, f: impl FnOnce(&Self, &ExecutionGraph, &mut Level) -> T) -> T {
        let mut level = std::mem::take(&mut self.levels[at]);
        let graph = level.graph.clone();
        let result = f(self, self.graph(&graph), &mut level);
        self.levels[at] = level;
        result
    }

    /// What has persisted in any case at the latest crash.
    fn begin(&mut self) {
        let last = self.levels.len() - 1;
        self.with_level(last, |search, g, level| surely(&search.crashes.model, g, level));
    }

    fn settle(&mut self, level: usize, loc: Loc, pos: u32) -> Result<bool, RecoveryStop> {
        self.with_level(level, |search, g, level| settle(&search.crashes.model, g, level, loc, pos))
    }

    /// Runs the routine after another crash.
    fn start(&self, state: M::State, crash: u32) -> (Running<M::State>, Op) {
        let again = crash + 1 < self.crashes.most;
        let events = again.then(|| ExecutionGraph::new(1, &[], 0));
        let mut first = Running { state, crash, own: Own::default(), events, count: 0 };
        let op = self.machine.step(&mut first.state, 0);
        (first, op)
    }

    /// Runs the routine in every way.
    fn run(&mut self, start: M::State) -> Result<(), RecoveryStop> {
        let mut current = Some(self.start(start, 0));
        loop {
            current = match current {
                Some((now, op)) => self.go(now, op)?,
                None if self.frames.is_empty() => return Ok(()),
                None => self.next()?,
            };
        }
    }

    /// Goes on to the next decision, or to the end of the run; returns where to go on at once.
    fn go(&mut self, mut now: Running<M::State>, mut op: Op) -> Result<Next<M::State>, RecoveryStop> {
        loop {
            now.count += 1;
            if now.count > self.crashes.max_steps {
                return Err(RecoveryStop::TooLong);
            }
            if self.machine.again().is_some() {
                return Err(RecoveryStop::Enough);
            }
            let given = match op {
                Op::Load { loc, mode, .. } => {
                    if let Some(wrong) = self.dead(&now, loc) {
                        return self.end(now, wrong);
                    }
                    if let Some(value) = now.own.values.get(&loc).copied() {
                        self.note(&mut now, loc, |g| {
                            let last = g.co_last(loc).unwrap_or(EventId::INIT);
                            let r = g.add_read(ROUTINE, mode, loc);
                            let attrs = g.event(r).attrs;
                            g.read_from(r, last, mode, attrs);
                        });
                        value
                    } else if (self.medium)(loc).is_none() {
                        self.machine.init_value(loc)
                    } else {
                        return self.read(now, loc, mode);
                    }
                }
                Op::Store { loc, value, mode, rmw } => {
                    if let Some(wrong) = self.dead(&now, loc) {
                        return self.end(now, wrong);
                    }
                    if (self.medium)(loc).is_some() {
                        if !self.crashes.may_write {
                            let message = String::from("recovery writes to what is durable");
                            return self.end(now, RecoveryEnd::Wrong(ErrorKind::RecoveryWrite, message));
                        }
                        let what = RecoveryAction::Write { loc, value };
                        self.steps.push(RecoveryStep { state: now.state.clone(), crash: now.crash, what });
                    }
                    self.note(&mut now, loc, |g| {
                        let w = g.add_write(ROUTINE, mode, loc, value, rmw);
                        let end = g.co(loc).len();
                        g.place(w, end);
                    });
                    now.own.values.insert(loc, value);
                    0
                }
                Op::Fence { mode } => {
                    now.events.iter_mut().for_each(|g| _ = g.add_fence(ROUTINE, mode));
                    0
                }
                Op::Persist { op, unit } => {
                    now.events.iter_mut().for_each(|g| _ = g.add_persist(ROUTINE, op, unit));
                    0
                }
                Op::Alloc { object } => {
                    now.own.alive.insert(object);
                    0
                }
                Op::Free { object } => {
                    if !now.own.alive.remove(&object) {
                        let kind = match now.own.dead.contains(&object) {
                            true => ErrorKind::DoubleFree,
                            false => ErrorKind::InvalidFree,
                        };
                        let message =
                            String::from("recovery frees what it did not allocate, or no longer has");
                        return self.end(now, RecoveryEnd::Wrong(kind, message));
                    }
                    now.own.dead.insert(object);
                    0
                }
                Op::Detach { .. } | Op::Local { .. } => 0,
                Op::Decide { value } => value,
                Op::Choose { count } => {
                    self.frames.push(Frame::Choice { now, next: 0, count, steps: self.steps.len() });
                    return Ok(None);
                }
                Op::End | Op::Block(Block::Exit) => return self.end(now, RecoveryEnd::Done),
                Op::Block(Block::Assume) => return self.end(now, RecoveryEnd::Assumed),
                Op::Block(why) => return self.end(now, RecoveryEnd::Stuck(why)),
                Op::Cut => return self.end(now, RecoveryEnd::Cut),
                Op::Error(error) => return self.end(now, RecoveryEnd::Failed(error)),
                Op::Spawn { .. } | Op::Join { .. } | Op::Arrive { .. } | Op::Depart { .. } => {
                    self.machine.note_recovery_threads();
                    if self.machine.again().is_some() {
                        return Err(RecoveryStop::Enough);
                    }
                    let message = String::from("the recovery routine creates threads, or waits at a barrier");
                    return self.end(now, RecoveryEnd::Wrong(ErrorKind::Unsupported, message));
                }
            };
            op = self.machine.step(&mut now.state, given);
        }
    }

    /// What is wrong with an access of memory that is not there after a crash.
    fn dead(&self, now: &Running<M::State>, loc: Loc) -> Option<RecoveryEnd> {
        let object = self.machine.object(loc)?;
        if !self.machine.is_allocated(object) || now.own.alive.contains(&object) {
            return None;
        }
        let (kind, message) = match now.own.dead.contains(&object) {
            true => (ErrorKind::UseAfterFree, "recovery uses memory that it has freed"),
            false => (
                ErrorKind::WildPointer,
                "recovery uses volatile memory from before the crash, through a pointer that was kept",
            ),
        };
        Some(RecoveryEnd::Wrong(kind, message.to_string()))
    }

    fn make_room(&self, now: &mut Running<M::State>, loc: Loc) {
        if let Some(g) = &mut now.events {
            while g.locations() <= loc.index() {
                g.add_location(0, None);
            }
        }
    }

    /// Adds an event of the routine to its own execution, if anybody will look at that.
    fn note(&self, now: &mut Running<M::State>, loc: Loc, add: impl FnOnce(&mut ExecutionGraph)) {
        if now.events.is_some() && (self.medium)(loc).is_some() {
            self.make_room(now, loc);
            if let Some(g) = &mut now.events {
                add(g);
            }
        }
    }

    /// A read of what is durable: from every write that may have persisted last.
    fn read(&mut self, now: Running<M::State>, loc: Loc, mode: Mode) -> Result<Next<M::State>, RecoveryStop> {
        let level = self.levels.len();
        Ok(self.read_below(now, loc, mode, level))
    }

    /// The same of what the crash of the level below left.
    fn read_below(&mut self, now: Running<M::State>, loc: Loc, mode: Mode, level: usize) -> Next<M::State> {
        let Some(level) = level.checked_sub(1) else {
            let value = self.machine.init_value(loc);
            return Some(self.go_on_reading(now, (loc, value, mode), None));
        };
        let left = &self.levels[level];
        let g = self.graph(&left.graph);
        let last = if g.locations() > loc.index() { g.co(loc).len() as u32 - 1 } else { 0 };
        let (least, most) = match left.read.get(&loc) {
            Some(exactly) => (*exactly, *exactly),
            None => (left.floor.get(&loc).copied().unwrap_or(0), last),
        };
        let (mark, steps) = (left.undo.len(), self.steps.len());
        debug_assert!(least <= most);
        self.frames.push(Frame::Read { now, loc, mode, level, next: Some(most), least, mark, steps });
        None
    }

    /// Takes the next alternative of the latest decision.
    fn next(&mut self) -> Result<Next<M::State>, RecoveryStop> {
        match self.frames.pop() {
            None => Ok(None),
            Some(Frame::Crash) => {
                self.levels.pop();
                Ok(None)
            }
            Some(Frame::Read { now, loc, mode, level, next, least, mark, steps }) => {
                self.steps.truncate(steps);
                self.levels[level].undo_to(mark);
                let Some(pos) = next else { return Ok(None) };
                let next = (pos > least).then(|| pos - 1);
                // The frame stays for the last one, too: what is settled is undone when it is come back to.
                let kept = now.clone();
                self.frames.push(Frame::Read { now: kept, loc, mode, level, next, least, mark, steps });
                if !self.settle(level, loc, pos)? {
                    return Ok(None);
                }
                if pos == 0 {
                    return Ok(self.read_below(now, loc, mode, level));
                }
                let g = self.graph(&self.levels[level].graph);
                let w = g.co(loc)[pos as usize];
                let value = g.value_of(w, loc);
                Ok(Some(self.go_on_reading(now, (loc, value, mode), Some((level as u32, w)))))
            }
            Some(Frame::Choice { now, next, count, steps }) => {
                self.steps.truncate(steps);
                if next == count {
                    return Ok(None);
                }
                let mut this = now.clone();
                self.frames.push(Frame::Choice { now, next: next + 1, count, steps });
                if !self.is_possible(&this, next.into())? {
                    return Ok(None);
                }
                let op = self.machine.step(&mut this.state, next.into());
                Ok(Some((this, op)))
            }
        }
    }

    fn go_on_reading(
        &mut self,
        mut now: Running<M::State>,
        (loc, value, mode): (Loc, Value, Mode),
        from: Option<(u32, EventId)>,
    ) -> (Running<M::State>, Op) {
        let what = RecoveryAction::Read { loc, value, from };
        self.steps.push(RecoveryStep { state: now.state.clone(), crash: now.crash, what });
        self.note(&mut now, loc, |g| {
            let r = g.add_read(ROUTINE, mode, loc);
            let attrs = g.event(r).attrs;
            g.read_from(r, EventId::INIT, mode, attrs);
        });
        now.own.values.insert(loc, value);
        let op = self.machine.step(&mut now.state, value);
        (now, op)
    }

    /// Whether a choice goes together with what is known of unknown inputs.
    fn is_possible(&self, now: &Running<M::State>, way: Value) -> Result<bool, RecoveryStop> {
        if !self.machine.has_unknowns() {
            return Ok(true);
        }
        let threads = (0..self.x.graph.threads() as u16).map(Tid);
        let mut standings =
            threads.filter_map(|t| Some((self.x.state(t)?, None))).chain([(&now.state, Some(way))]);
        match self.machine.go_together(&mut standings) {
            Agreement::Yes => Ok(true),
            Agreement::No => Ok(false),
            Agreement::NobodyKnows => Err(RecoveryStop::TooHard),
        }
    }

    fn end(&mut self, now: Running<M::State>, end: RecoveryEnd) -> Result<Next<M::State>, RecoveryStop> {
        let post = PostCrash {
            end,
            state: &now.state,
            steps: &self.steps,
            crash: now.crash,
            persisted: &self.levels[0].floor,
        };
        if (self.visit)(&post).is_break() {
            return Err(RecoveryStop::Enough);
        }
        // Whatever became of the run, it may have been cut short.
        let Some(events) = now.events else { return Ok(None) };
        let Some(start) = self.machine.recovery(now.crash + 1) else { return Ok(None) };
        let memo = PersistMemo::new(&events, self.medium);
        self.levels.push(Level::new(Graph::OfRecovery(Rc::new(events)), memo));
        self.begin();
        self.frames.push(Frame::Crash);
        Ok(Some(self.start(start, now.crash + 1)))
    }
}
