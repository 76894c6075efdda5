//! Where the threads of the program are.
//!
//! A thread stands at its next visible operation, with its local state. These standings are kept in a
//! pool that grows as events are added and is cut back on backtracking. Events remember the standing
//! that they came from, so going back to an event, or deleting and restoring it, copies nothing.

use selvedge_graph::{EventId, Tid, Value};
use selvedge_machine::{Machine, Op};

/// A thread at its next operation.
#[derive(Clone, Debug)]
struct Pending<S> {
    state: S,
    op: Op,
}

/// An entry of the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing(u32);

impl Standing {
    /// Of a thread that was not created.
    pub const ABSENT: Standing = Standing(u32::MAX);
}

/// What a thread's next operation means for scheduling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    Absent,
    Ended,
    Blocked,
    Cut,
    Failed,
    Join,
    Read,
    NonRead,
    /// The write half of a read-modify-write, which goes before everything else.
    RmwWrite,
}

#[derive(Clone, Debug)]
pub struct Threads<S> {
    pool: Vec<Pending<S>>,
    at: Vec<Standing>,
    status: Vec<Status>,
    /// By event: the standing that it came from.
    origin: Vec<Standing>,
}

impl<S: Clone> Threads<S> {
    pub fn new(threads: usize) -> Threads<S> {
        Threads {
            pool: Vec::new(),
            at: vec![Standing::ABSENT; threads],
            status: vec![Status::Absent; threads],
            origin: vec![Standing::ABSENT], // of the initialising event
        }
    }

    /// The size of the pool, for `cut_back`.
    pub fn mark(&self) -> u32 {
        self.pool.len() as u32
    }

    pub fn cut_back(&mut self, mark: u32) {
        self.pool.truncate(mark as usize);
    }

    #[inline]
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    pub fn op(&self, t: Tid) -> Option<Op> {
        self.pool.get(self.at[t.index()].0 as usize).map(|p| p.op)
    }

    pub fn state(&self, t: Tid) -> Option<&S> {
        self.pool.get(self.at[t.index()].0 as usize).map(|p| &p.state)
    }

    pub fn standing(&self, t: Tid) -> Standing {
        self.at[t.index()]
    }

    /// Puts a thread where it was.
    #[inline]
    pub fn set(&mut self, t: Tid, standing: Standing) {
        self.at[t.index()] = standing;
        self.status[t.index()] = match self.pool.get(standing.0 as usize) {
            Some(pending) => status_of(pending.op),
            None => Status::Absent,
        };
    }

    pub fn start<M: Machine<State = S>>(&mut self, machine: &M, t: Tid) {
        let mut state = machine.start(t);
        let op = machine.step(&mut state, 0);
        self.push(t, state, op);
    }

    /// Starts the thread that the event `spawn` creates.
    pub fn spawn<M: Machine<State = S>>(&mut self, machine: &M, spawn: EventId, t: Tid) {
        let mut state = machine.spawned(&self.pool[self.origin[spawn.index()].0 as usize].state, t);
        let op = machine.step(&mut state, 0);
        self.push(t, state, op);
    }

    /// The state that an event came from.
    pub fn state_of(&self, e: EventId) -> Option<&S> {
        let origin = self.origin.get(e.index())?;
        self.pool.get(origin.0 as usize).map(|p| &p.state)
    }

    /// Lets the thread of `e` go on, given what `e` gave it.
    #[inline]
    pub fn advance<M: Machine<State = S>>(&mut self, machine: &M, e: EventId, t: Tid, value: Value) {
        let mut state = self.pool[self.origin[e.index()].0 as usize].state.clone();
        let op = machine.step(&mut state, value);
        self.push(t, state, op);
    }

    #[inline]
    fn push(&mut self, t: Tid, state: S, op: Op) {
        self.at[t.index()] = Standing(self.pool.len() as u32);
        self.status[t.index()] = status_of(op);
        self.pool.push(Pending { state, op });
    }

    /// Records that the next event comes from where `t` stands.
    #[inline]
    pub fn record_event(&mut self, t: Tid) {
        self.origin.push(self.at[t.index()]);
    }

    /// Records an event that takes the place of `old`.
    pub fn record_copy(&mut self, old: EventId) {
        self.origin.push(self.origin[old.index()]);
    }

    /// Forgets the latest event.
    #[inline]
    pub fn forget_event(&mut self) -> Standing {
        self.origin.pop().unwrap_or(Standing::ABSENT)
    }

    pub fn origin(&self, e: EventId) -> Standing {
        self.origin[e.index()]
    }

    /// The operation that an event came from.
    #[inline]
    pub fn op_of(&self, e: EventId) -> Op {
        self.pool[self.origin[e.index()].0 as usize].op
    }
}

fn status_of(op: Op) -> Status {
    match op {
        Op::Load { .. } | Op::Choose { .. } => Status::Read,
        Op::Store { rmw: true, .. } => Status::RmwWrite,
        Op::Store { .. } | Op::Fence { .. } | Op::Spawn { .. } | Op::Alloc { .. } | Op::Free { .. } => {
            Status::NonRead
        }
        Op::Join { .. } => Status::Join,
        Op::Block(_) => Status::Blocked,
        Op::Cut => Status::Cut,
        Op::Error(_) => Status::Failed,
        Op::End => Status::Ended,
    }
}
