//! The runs of the recovery routine: every read of what is durable reads from every write that may have
//! persisted last, and whatever the routine has done may be cut short by another crash.

use super::level::{Graph, Level, settle, surely};
use super::{Crashes, PostCrash, RecoveryAction, RecoveryEnd, RecoveryStep, RecoveryStop};
use crate::report::Execution;
use selvedge_graph::{EventId, ExecutionGraph, Loc, Medium, Mode, Tid, Value};
use selvedge_machine::{Agreement, Block, ErrorKind, Machine, Op};
use selvedge_model::PersistMemo;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The memory that the running routine has: all of it, as nobody else is there.
#[derive(Clone, Default)]
struct Own {
    values: HashMap<Loc, Value>,
    alive: HashSet<u32>,
    dead: HashSet<u32>,
}

pub struct Search<'a, 'x, M: Machine> {
    x: &'a Execution<'x, M>,
    machine: &'a M,
    crashes: &'a Crashes,
    medium: &'a dyn Fn(Loc) -> Option<Medium>,
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

impl<'a, 'x, M: Machine> Search<'a, 'x, M> {
    pub fn new(
        x: &'a Execution<'x, M>,
        crashes: &'a Crashes,
        medium: &'a dyn Fn(Loc) -> Option<Medium>,
        visit: &'a mut dyn FnMut(&PostCrash<'_, M::State>) -> ControlFlow<()>,
    ) -> Search<'a, 'x, M> {
        let levels = vec![Level::new(Graph::OfProgram, PersistMemo::new(x.graph, medium))];
        let (steps, frames) = (Vec::new(), Vec::new());
        let mut search = Search { x, machine: x.machine(), crashes, medium, levels, steps, frames, visit };
        search.begin();
        search
    }

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
    pub fn run(&mut self, start: M::State) -> Result<(), RecoveryStop> {
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
