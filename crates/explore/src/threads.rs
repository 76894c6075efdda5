//! Where the threads of the program are.
//!
//! A thread stands at its next visible operation, with its local state. Where it goes from there depends
//! only on what the operation gives it, so standings form a tree: a standing has a child for each value
//! that was given to it so far. A thread that comes to a place where it has been before, with the same
//! values read, is put there without running its code again. Events remember the standing that they came
//! from, so going back to an event, or deleting and restoring it, copies nothing.
//!
//! The tree is a cache: when it is full, standings that no thread and no event refers to are forgotten.
//! Memory stays linear in the size of one graph.

use crate::tid_set::TidSet;
use selvedge_graph::{EventId, Mode, Tid, Value};
use selvedge_machine::{Block, Machine, Op, Rmw};

/// A thread at its next operation; its local state is kept apart.
#[derive(Clone, Copy, Debug)]
struct Node {
    op: Op,
    /// What was given to the parent to come here; the first step of a thread is a child of its creation.
    input: Value,
    parent: Standing,
    child: Standing,
    sibling: Standing,
    status: Status,
    /// What `one_with` found.
    one_with: Option<Option<Mode>>,
    /// What `waits_if_it_fails` found.
    fails_idly: Option<bool>,
    /// The thread before it in its group, of which it must not get ahead (see `reductions/symmetry.rs`).
    twin: Option<Tid>,
    /// Whether its first read-modify-write is behind it.
    passed: bool,
    /// A compare-and-exchange right after a load of what it expects.
    confirms: bool,
    /// A load that begins an iteration of several reads.
    looks: bool,
}

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing(u32);

impl Standing {
    /// Of a thread that was not created; also, no node.
    pub const ABSENT: Standing = Standing(u32::MAX);

    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// How many plain writes there may be between a load and the compare-and-exchange that it is one with.
pub const FEW_WRITES: usize = 4;

/// How many standings are remembered, unless more are in use.
const ROOM: usize = 1 << 13;

/// The input that leads from a creation to the first standing of the thread that it creates. The creating
/// thread itself goes on with 0.
const CREATED: Value = 1;

/// What a thread's next operation means for scheduling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    Absent,
    Ended,
    Blocked,
    Cut,
    Failed,
    /// May have to wait: for the end of a thread, or at a barrier.
    Join,
    /// The first read-modify-write of a thread that has a twin: may have to wait until the twin made its own.
    Gate,
    Read,
    NonRead,
    /// A compare-and-exchange right after a load of what it expects.
    Confirm,
    /// A part of a read but the first, which goes before everything but writes that are begun.
    Part,
    /// The write half of a read-modify-write, or a part of a write but the first, which goes before
    /// everything else.
    RmwWrite,
}

impl Status {
    /// There may be something to do.
    #[inline]
    fn is_ready(self) -> bool {
        self >= Status::Join
    }

    /// It goes before everything else, or may do so.
    #[inline]
    fn is_urgent(self) -> bool {
        const URGENT: u32 = 1 << Status::Gate as u32
            | 1 << Status::Confirm as u32
            | 1 << Status::Part as u32
            | 1 << Status::RmwWrite as u32;
        URGENT >> self as u32 & 1 != 0
    }

    /// Which sets of threads it is in.
    #[inline]
    fn sets(self) -> (bool, bool) {
        (self.is_ready(), self.is_urgent())
    }
}

#[derive(Clone, Debug)]
pub struct Threads<S> {
    nodes: Vec<Node>,
    /// By node.
    states: Vec<S>,
    free: Vec<Standing>,
    /// How many nodes there may be before some are forgotten.
    room: usize,
    at: Vec<Standing>,
    status: Vec<Status>,
    /// The threads with these kinds of status.
    ready: TidSet,
    urgent: TidSet,
    /// By event: the standing that it came from.
    origin: Vec<Standing>,
}

impl<S: Clone> Threads<S> {
    pub fn new(threads: usize) -> Threads<S> {
        Threads {
            nodes: Vec::new(),
            states: Vec::new(),
            free: Vec::new(),
            room: ROOM,
            at: vec![Standing::ABSENT; threads],
            status: vec![Status::Absent; threads],
            ready: TidSet::new(threads),
            urgent: TidSet::new(threads),
            origin: vec![Standing::ABSENT], // of the initialising event
        }
    }

    #[inline]
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    /// The threads that may have something to do, in ascending order.
    #[inline]
    pub fn ready(&self) -> impl Iterator<Item = Tid> {
        self.ready.iter()
    }

    /// The first thread that may go before others that come before it: at the write of a read-modify-write,
    /// at a compare-and-exchange after its load, or at a gate.
    #[inline]
    pub fn first_urgent(&self) -> Option<Tid> {
        self.urgent.first()
    }

    /// Whether all threads that were created have come to their end.
    #[inline]
    pub fn have_ended(&self) -> bool {
        self.ready.first().is_none() && self.status.iter().all(|status| *status <= Status::Ended)
    }

    #[inline]
    pub fn op(&self, t: Tid) -> Option<Op> {
        self.nodes.get(self.at[t.index()].index()).map(|node| node.op)
    }

    pub fn state(&self, t: Tid) -> Option<&S> {
        self.states.get(self.at[t.index()].index())
    }

    #[inline]
    pub fn standing(&self, t: Tid) -> Standing {
        self.at[t.index()]
    }

    /// Puts a thread where it was.
    #[inline(always)]
    pub fn set(&mut self, t: Tid, standing: Standing) {
        self.at[t.index()] = standing;
        let new = match self.nodes.get(standing.index()) {
            Some(node) => node.status,
            None => Status::Absent,
        };
        let old = std::mem::replace(&mut self.status[t.index()], new);
        if old.sets() != new.sets() {
            self.ready.set(t, new.is_ready());
            self.urgent.set(t, new.is_urgent());
        }
    }

    pub fn start<M: Machine<State = S>>(&mut self, machine: &M, t: Tid, twin: Option<Tid>) {
        let mut state = machine.start(t);
        let op = machine.step(&mut state, 0);
        let standing = self.push_first(Standing::ABSENT, 0, state, op, twin);
        self.note_look(machine, standing);
        self.set(t, standing);
    }

    fn note_look<M: Machine<State = S>>(&mut self, machine: &M, standing: Standing) {
        let node = &mut self.nodes[standing.index()];
        node.looks = matches!(node.op, Op::Load { rmw: Rmw::No, .. })
            && machine.begins_look(&self.states[standing.index()]);
    }

    /// Whether the event `spawn` creates a thread that is not known yet.
    pub fn is_new(&mut self, spawn: EventId) -> bool {
        self.child(self.origin[spawn.index()], CREATED).is_none()
    }

    /// Starts the thread that the event `spawn` creates; its twin, if it is new.
    pub fn spawn<M: Machine<State = S>>(&mut self, machine: &M, spawn: EventId, t: Tid, twin: Option<Tid>) {
        let parent = self.origin[spawn.index()];
        let standing = self.child(parent, CREATED).unwrap_or_else(|| {
            let mut state = machine.spawned(&self.states[parent.index()], t);
            let op = machine.step(&mut state, 0);
            let standing = self.push_first(parent, CREATED, state, op, twin);
            self.note_look(machine, standing);
            standing
        });
        self.set(t, standing);
    }

    /// The thread before `t` in its group.
    #[inline]
    pub fn twin(&self, t: Tid) -> Option<Tid> {
        self.nodes.get(self.at[t.index()].index()).and_then(|node| node.twin)
    }

    /// Whether the first read-modify-write of `t` is behind it.
    #[inline]
    pub fn has_passed(&self, t: Tid) -> bool {
        self.nodes.get(self.at[t.index()].index()).is_some_and(|node| node.passed)
    }

    /// Whether `t` stands at a compare-and-exchange right after a load of what it expects.
    pub fn confirms(&self, t: Tid) -> bool {
        self.nodes.get(self.at[t.index()].index()).is_some_and(|node| node.confirms)
    }

    /// Whether `t` is about to begin an iteration that only reads.
    pub fn looks(&self, t: Tid) -> bool {
        self.nodes.get(self.at[t.index()].index()).is_some_and(|node| node.looks)
    }

    /// The twin of the thread of `e`, if `e` is its first read-modify-write.
    #[inline]
    pub fn gate(&self, e: EventId) -> Option<Tid> {
        let node = &self.nodes[self.origin[e.index()].index()];
        if node.status == Status::Gate { node.twin } else { None }
    }

    /// The twin of the thread of `e`, if its first read-modify-write is `e` or later.
    pub fn gate_from(&self, e: EventId) -> Option<Tid> {
        let node = &self.nodes[self.origin[e.index()].index()];
        if node.passed { None } else { node.twin }
    }

    /// Where a thread that stands somewhere goes, and what it does there.
    pub fn ahead<M: Machine<State = S>>(
        &mut self,
        machine: &M,
        from: Standing,
        value: Value,
    ) -> (Standing, Op) {
        let standing = self.after(machine, from, value);
        (standing, self.nodes[standing.index()].op)
    }

    /// The state that an event came from.
    #[inline]
    pub fn state_of(&self, e: EventId) -> Option<&S> {
        let origin = self.origin.get(e.index())?;
        self.states.get(origin.index())
    }

    /// Lets the thread of `e` go on, given what `e` gave it.
    #[inline]
    pub fn advance<M: Machine<State = S>>(&mut self, machine: &M, e: EventId, t: Tid, value: Value) {
        let standing = self.after(machine, self.origin[e.index()], value);
        self.set(t, standing);
    }

    /// Where a thread comes to with this value: where it came to before, if it has been there. What was asked
    /// for last is at hand.
    #[inline(always)]
    fn after<M: Machine<State = S>>(&mut self, machine: &M, parent: Standing, value: Value) -> Standing {
        let first = self.nodes[parent.index()].child;
        match self.nodes.get(first.index()) {
            Some(node) if node.input == value => first,
            Some(_) => self.find(machine, parent, first, value),
            None => self.step(machine, parent, value),
        }
    }

    #[inline(never)]
    fn find<M: Machine<State = S>>(
        &mut self,
        machine: &M,
        parent: Standing,
        first: Standing,
        value: Value,
    ) -> Standing {
        match self.later_child(parent, first, value) {
            Some(known) => known,
            None => self.step(machine, parent, value),
        }
    }

    /// Runs the code from where nobody has gone on yet with this value.
    #[inline(never)]
    fn step<M: Machine<State = S>>(&mut self, machine: &M, parent: Standing, value: Value) -> Standing {
        // States are large: this one runs where it stays.
        let standing = self.keep(self.states[parent.index()].clone());
        let op = machine.step(&mut self.states[standing.index()], value);
        let standing = self.settle(standing, parent, value, op);
        self.note_look(machine, standing);
        if machine.has_parts() && machine.part(&self.states[standing.index()]).before > 0 {
            let read = matches!(op, Op::Load { .. } | Op::Choose { .. });
            self.nodes[standing.index()].status = if read { Status::Part } else { Status::RmwWrite };
        }
        standing
    }

    /// What a thread does next if its operation gives it this value.
    #[inline]
    pub fn peek_at<M: Machine<State = S>>(&mut self, machine: &M, t: Tid, value: Value) -> Op {
        let standing = self.after(machine, self.at[t.index()], value);
        self.nodes[standing.index()].op
    }

    /// What a thread comes to if its operations give it what `give` says, as long as that has an answer and
    /// for so many of them at most.
    pub fn look_ahead<M: Machine<State = S>>(
        &mut self,
        machine: &M,
        t: Tid,
        most: usize,
        mut give: impl FnMut(Op) -> Option<Value>,
    ) -> Op {
        let mut standing = self.at[t.index()];
        for _ in 0..most {
            let Some(value) = give(self.nodes[standing.index()].op) else { break };
            standing = self.after(machine, standing, value);
        }
        self.nodes[standing.index()].op
    }

    /// What the thread of `e` does next if `e` gives it this value.
    #[inline]
    pub fn peek<M: Machine<State = S>>(&mut self, machine: &M, e: EventId, value: Value) -> Op {
        let standing = self.after(machine, self.origin[e.index()], value);
        self.nodes[standing.index()].op
    }

    /// Whether that is to wait.
    #[inline]
    pub fn is_blocked_after<M: Machine<State = S>>(&mut self, machine: &M, e: EventId, value: Value) -> bool {
        let standing = self.after(machine, self.origin[e.index()], value);
        self.nodes[standing.index()].status == Status::Blocked
    }

    /// The same, with the state of the thread then.
    pub fn peek_with<M: Machine<State = S>>(&mut self, machine: &M, e: EventId, value: Value) -> (Op, &S) {
        let standing = self.after(machine, self.origin[e.index()], value);
        (self.nodes[standing.index()].op, &self.states[standing.index()])
    }

    /// The same, if that is known already.
    #[inline]
    pub fn known_peek(&mut self, e: EventId, value: Value) -> Option<Op> {
        let standing = self.child(self.origin[e.index()], value)?;
        Some(self.nodes[standing.index()].op)
    }

    /// The ordering of the compare-and-exchange that the load `e`, if it gives this value, is one with. `ask`
    /// finds that out from the next read; it is asked once.
    pub fn one_with<M: Machine<State = S>>(
        &mut self,
        machine: &M,
        e: EventId,
        value: Value,
        ask: impl FnOnce(Op, &S) -> Option<Mode>,
    ) -> Option<Mode> {
        let next = self.after(machine, self.origin[e.index()], value);
        if let Some(known) = self.nodes[next.index()].one_with {
            return known;
        }
        let found = self.next_read(machine, e, value).and_then(|(op, state)| ask(op, state));
        self.nodes[next.index()].one_with = Some(found);
        found
    }

    /// Whether the thread of `e` waits if that fails, a compare-and-exchange, whatever it reads
    /// ([`Foresight::waits_if_it_fails`](selvedge_machine::Foresight::waits_if_it_fails)); asked once.
    pub fn waits_if_it_fails<M: Machine<State = S>>(&mut self, machine: &M, e: EventId) -> bool {
        self.fails_idly(machine, self.origin[e.index()])
    }

    /// The same of where `t` stands.
    pub fn waits_if_it_fails_at<M: Machine<State = S>>(&mut self, machine: &M, t: Tid) -> bool {
        self.fails_idly(machine, self.at[t.index()])
    }

    fn fails_idly<M: Machine<State = S>>(&mut self, machine: &M, standing: Standing) -> bool {
        let state = &self.states[standing.index()];
        *self.nodes[standing.index()].fails_idly.get_or_insert_with(|| machine.waits_if_it_fails(state))
    }

    /// The next read of the thread of `e`, if `e` gives it this value and it makes no more than a few plain
    /// or relaxed writes before.
    fn next_read<M: Machine<State = S>>(
        &mut self,
        machine: &M,
        e: EventId,
        value: Value,
    ) -> Option<(Op, &S)> {
        let mut standing = self.after(machine, self.origin[e.index()], value);
        for _ in 0..FEW_WRITES {
            let Op::Store { mode: Mode::Na | Mode::Rlx, rmw: false, .. } = self.nodes[standing.index()].op
            else {
                break;
            };
            standing = self.after(machine, standing, 0);
        }
        match self.nodes[standing.index()].op {
            op @ Op::Load { .. } => Some((op, &self.states[standing.index()])),
            _ => None,
        }
    }

    /// Lets the thread of `e` wait, whatever its code would do.
    pub fn block(&mut self, e: EventId, t: Tid) {
        let origin = self.origin[e.index()];
        let state = self.states[origin.index()].clone();
        let twin = self.nodes[origin.index()].twin;
        let standing = self.push_first(Standing::ABSENT, 0, state, Op::Block(Block::Assume), twin);
        // Only a read-modify-write comes here.
        self.nodes[standing.index()].passed = true;
        self.set(t, standing);
    }

    /// Where a thread came to when it was given this value before.
    #[inline]
    fn child(&mut self, parent: Standing, input: Value) -> Option<Standing> {
        let first = self.nodes[parent.index()].child;
        if first == Standing::ABSENT || self.nodes[first.index()].input == input {
            return (first != Standing::ABSENT).then_some(first);
        }
        self.later_child(parent, first, input)
    }

    /// The same for all children but the first one. It is the first one then, as it will be asked for again
    /// soon.
    fn later_child(&mut self, parent: Standing, first: Standing, input: Value) -> Option<Standing> {
        let mut before = first;
        loop {
            let at = self.nodes[before.index()].sibling;
            if at == Standing::ABSENT {
                return None;
            }
            let node = &mut self.nodes[at.index()];
            if node.input == input {
                let after = std::mem::replace(&mut node.sibling, first);
                self.nodes[before.index()].sibling = after;
                self.nodes[parent.index()].child = at;
                return Some(at);
            }
            before = at;
        }
    }

    /// The first standing of a thread.
    fn push_first(
        &mut self,
        parent: Standing,
        input: Value,
        state: S,
        op: Op,
        twin: Option<Tid>,
    ) -> Standing {
        let standing = self.push(parent, input, state, op);
        let node = &mut self.nodes[standing.index()];
        (node.twin, node.passed, node.confirms) = (twin, false, false);
        node.status = if twin.is_some() && is_rmw(op) { Status::Gate } else { status_of(op) };
        standing
    }

    fn push(&mut self, parent: Standing, input: Value, state: S, op: Op) -> Standing {
        let standing = self.keep(state);
        self.settle(standing, parent, input, op)
    }

    /// Finds a place for a state; what else there is to say of it is said by `settle`.
    #[inline]
    fn keep(&mut self, state: S) -> Standing {
        match self.free.pop() {
            Some(old) => {
                self.states[old.index()] = state;
                old
            }
            None => {
                self.states.push(state);
                Standing(self.states.len() as u32 - 1)
            }
        }
    }

    fn settle(&mut self, standing: Standing, parent: Standing, input: Value, op: Op) -> Standing {
        let sibling = self.nodes.get(parent.index()).map_or(Standing::ABSENT, |p| p.child);
        let (mut status, mut twin, mut passed, mut confirms) = (status_of(op), None, false, false);
        if let Some(parent) = self.nodes.get(parent.index()) {
            twin = parent.twin;
            passed = parent.passed || passes(parent.op, op);
            confirms = is_confirmation(parent.op, input, op);
            if confirms {
                status = Status::Confirm;
            }
            if twin.is_some() && !passed && is_rmw(op) {
                status = Status::Gate;
            }
        }
        let (child, one_with, fails_idly) = (Standing::ABSENT, None, None);
        let looks = false;
        let node = Node {
            op,
            input,
            parent,
            child,
            sibling,
            status,
            one_with,
            fails_idly,
            twin,
            passed,
            confirms,
            looks,
        };
        match self.nodes.get_mut(standing.index()) {
            Some(old) => *old = node,
            None => self.nodes.push(node),
        }
        if let Some(parent) = self.nodes.get_mut(parent.index()) {
            parent.child = standing;
        }
        standing
    }

    /// Whether it is time to [`forget`](Self::forget).
    #[inline]
    pub fn is_full(&self) -> bool {
        self.free.is_empty() && self.nodes.len() >= self.room
    }

    /// Forgets the standings that nobody refers to. `others` are referred to from elsewhere.
    pub fn forget(&mut self, others: impl Iterator<Item = Standing>) {
        let mut used = vec![false; self.nodes.len()];
        for standing in self.at.iter().chain(&self.origin).copied().chain(others) {
            if let Some(used) = used.get_mut(standing.index()) {
                *used = true;
            }
        }
        for (i, used) in used.iter().enumerate() {
            self.nodes[i].child = Standing::ABSENT;
            if !used {
                self.free.push(Standing(i as u32));
            }
        }
        for i in (0..self.nodes.len()).filter(|&i| used[i]) {
            let parent = self.nodes[i].parent;
            if used.get(parent.index()) == Some(&true) {
                self.nodes[i].sibling = self.nodes[parent.index()].child;
                self.nodes[parent.index()].child = Standing(i as u32);
            } else {
                self.nodes[i].parent = Standing::ABSENT;
                self.nodes[i].sibling = Standing::ABSENT;
            }
        }
        self.room = self.room.max(2 * (self.nodes.len() - self.free.len()));
    }

    /// For executions that were made elsewhere: the next event comes from this state.
    pub fn record_final(&mut self, t: Tid, state: S, op: Op) {
        self.stand_final(t, state, op);
        self.record_event(t);
    }

    /// For executions that were made elsewhere: where a thread came to.
    pub fn stand_final(&mut self, t: Tid, state: S, op: Op) {
        let standing = self.push(Standing::ABSENT, 0, state, op);
        self.set(t, standing);
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

    #[inline]
    pub fn origin(&self, e: EventId) -> Standing {
        self.origin[e.index()]
    }

    /// The operation that an event came from.
    #[inline]
    pub fn op_of(&self, e: EventId) -> Op {
        self.nodes[self.origin[e.index()].index()].op
    }
}

/// Whether an operation is the first half of a read-modify-write, or would be.
pub(crate) fn is_rmw(op: Op) -> bool {
    matches!(op, Op::Load { rmw, .. } if rmw != Rmw::No)
}

/// Whether a thread that comes from one operation to the next has a read-modify-write behind it.
fn passes(before: Op, next: Op) -> bool {
    match before {
        Op::Load { .. } => is_rmw(before) && !matches!(next, Op::Store { rmw: true, .. }),
        Op::Store { rmw, .. } => rmw,
        _ => false,
    }
}

/// Whether an operation is a compare-and-exchange right after a load that gave `value`, which it expects; or
/// another read-modify-write of a loop that tests before.
fn is_confirmation(before: Op, value: Value, op: Op) -> bool {
    match (before, op) {
        (Op::Load { loc: a, rmw: Rmw::No, .. }, Op::Load { loc: b, rmw: Rmw::Cas { expected, .. }, .. }) => {
            a == b && expected == value
        }
        (Op::Load { loc: a, rmw: Rmw::No, .. }, Op::Load { loc: b, rmw: Rmw::Swap { .. }, .. }) => a == b,
        _ => false,
    }
}

fn status_of(op: Op) -> Status {
    match op {
        Op::Load { .. } | Op::Choose { .. } | Op::Decide { .. } => Status::Read,
        Op::Store { rmw: true, .. } => Status::RmwWrite,
        Op::Store { .. }
        | Op::Fence { .. }
        | Op::Spawn { .. }
        | Op::Detach { .. }
        | Op::Alloc { .. }
        | Op::Free { .. }
        | Op::Local { .. }
        | Op::Persist { .. }
        | Op::Arrive { .. } => Status::NonRead,
        Op::Join { .. } | Op::Depart { .. } => Status::Join,
        Op::Block(_) => Status::Blocked,
        Op::Cut => Status::Cut,
        Op::Error(_) => Status::Failed,
        Op::End => Status::Ended,
    }
}
