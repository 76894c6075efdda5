//! One thread: operations that were issued, in program order, of which some are complete.
//!
//! A thread goes on past reads that are not complete, up to what needs their values: a branch, an address, a
//! call of the library. What it computes from them meanwhile has no meaning, so when a read completes, the
//! thread is run again from there. The state that it is run from is that of the first read that is not
//! complete. What is before that and incomplete gives the thread nothing; what is complete is forgotten.

use crate::table::{Line, Table};
use selvedge_graph::{Attrs, DepSet, Deps, Kind, Loc, Value};
use selvedge_machine::{Block, Canonical, Machine, Op, Rmw};
use std::cell::Cell;

/// How far an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Pending,
    /// It will read this: the thread goes on as if it had, and it has to.
    Guessed(Value),
    /// It has read or chosen this; 0 if it does not read.
    Done(Value),
}

#[derive(Clone, Debug)]
pub struct Entry<S> {
    /// The thread, standing at the operation.
    pub state: S,
    pub op: Op,
    pub deps: Deps,
    pub status: Status,
}

#[derive(Clone, Debug)]
pub struct Thread<S> {
    /// Issued operations: incomplete ones without a value, all from the first incomplete read on, and then
    /// the next operation, if it is known.
    pub entries: Vec<Entry<S>>,
    pub issued: usize,
    /// How many of them are before the first incomplete read. The machine counts positions from there.
    pub(crate) buffered: usize,
    /// The reads that are to be complete before the next operation is known, by their places from 1.
    pub stopped: DepSet,
    /// Nothing is issued past an operation that is not complete: so it is where nothing is reordered.
    in_order: bool,
    /// What the thread is called in states, once it was asked for.
    pub(crate) part: Cell<Option<u32>>,
}

/// Something that is complete would not have happened, with what was read now: this is no execution.
#[derive(Debug)]
pub struct Misguided;

impl<S> Entry<S> {
    pub fn is_done(&self) -> bool {
        matches!(self.status, Status::Done(_))
    }

    pub fn loc(&self) -> Option<Loc> {
        match self.op {
            Op::Load { loc, .. } | Op::Store { loc, .. } => Some(loc),
            _ => None,
        }
    }

    pub fn is_load(&self) -> bool {
        matches!(self.op, Op::Load { .. })
    }

    pub fn is_store(&self) -> bool {
        matches!(self.op, Op::Store { .. })
    }

    pub fn is_fence(&self) -> bool {
        matches!(self.op, Op::Fence { .. })
    }

    pub fn is_rmw(&self) -> bool {
        matches!(self.op, Op::Load { rmw, .. } if rmw != Rmw::No)
    }

    /// What the operation gives its thread, as far as that is known.
    fn gives(&self) -> Option<Value> {
        match (self.op, self.status) {
            (_, Status::Done(value) | Status::Guessed(value)) => Some(value),
            (Op::Load { .. } | Op::Choose { .. }, Status::Pending) => None,
            _ => Some(0),
        }
    }
}

/// Whether an operation goes into the list of those that complete later, or is over at once.
pub fn is_issued(op: Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Fence { .. }
            | Op::Alloc { .. }
            | Op::Free { .. }
            | Op::Local { .. }
            | Op::Detach { .. }
            | Op::Persist { .. }
            | Op::Decide { .. }
    )
}

impl<S: Clone> Thread<S> {
    /// A thread before its first step.
    pub fn begin<M: Machine<State = S>>(machine: &M, mut state: S, in_order: bool) -> Thread<S> {
        let op = machine.step(&mut state, 0);
        let first = Entry { state, op, deps: Deps::NONE, status: Status::Pending };
        Thread {
            entries: vec![first],
            issued: 0,
            buffered: 0,
            stopped: DepSet::EMPTY,
            in_order,
            part: Cell::new(None),
        }
    }

    /// The next operation, if it is known.
    pub fn next(&self) -> Option<&Entry<S>> {
        self.entries.get(self.issued)
    }

    pub fn issued(&self) -> &[Entry<S>] {
        &self.entries[..self.issued]
    }

    /// The operation that the thread stands at, everything before it being complete.
    pub fn standing(&self) -> Option<&Entry<S>> {
        if self.issued == 0 { self.entries.first() } else { None }
    }

    /// How many operations are incomplete.
    pub fn incomplete(&self) -> usize {
        self.issued().iter().filter(|e| !e.is_done()).count()
    }

    fn unknown(&self) -> DepSet {
        let mut set = DepSet::EMPTY;
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.is_load() && entry.status == Status::Pending {
                set.insert(at as u32 + 1);
            }
        }
        set
    }

    /// The last operation is a compare-and-exchange that waits for nothing but what it expects. If it fails,
    /// the table may let it read before that is known: nothing here does.
    pub fn may_fail_early(&self, table: &Table) -> bool {
        if !table.overtakes_reads {
            return false;
        }
        let Some((last, before)) = self.issued().split_last() else { return false };
        if last.status != Status::Pending || !matches!(last.op, Op::Load { rmw: Rmw::Cas { .. }, .. }) {
            return false;
        }
        let mut left = self.not_done();
        left.subtract(&DepSet::one(before.len() as u32 + 1));
        last.deps.cas.intersects(&left)
            && !self.order(table, Some((before.len(), false)))[before.len()].intersects(&left)
    }

    pub fn not_done(&self) -> DepSet {
        let mut set = DepSet::EMPTY;
        for (at, entry) in self.issued().iter().enumerate() {
            if !entry.is_done() {
                set.insert(at as u32 + 1);
            }
        }
        set
    }

    /// The next operation is issued.
    pub fn issue<M: Machine<State = S>>(&mut self, machine: &M) -> Result<(), Misguided> {
        self.issued += 1;
        if !matches!(
            self.entries[self.issued - 1].op,
            Op::Load { .. } | Op::Store { .. } | Op::Fence { .. } | Op::Free { .. }
        ) {
            self.entries[self.issued - 1].status = Status::Done(0);
        }
        self.rebuild(machine, self.issued - 1)
    }

    /// Runs the thread again from this operation on.
    pub fn rebuild<M: Machine<State = S>>(&mut self, machine: &M, from: usize) -> Result<(), Misguided> {
        let old = self.entries.split_off(from + 1);
        self.stopped = DepSet::EMPTY;
        let mut at = from;
        while at < self.issued {
            let entry = &self.entries[at];
            // Nothing overtakes a read-modify-write, so nobody has to know what comes after it.
            if entry.status == Status::Pending && (entry.is_rmw() || self.in_order && entry.is_load()) {
                break;
            }
            let mut state = entry.state.clone();
            let input = entry.gives().unwrap_or_else(|| {
                machine.does_not_know(&mut state);
                0
            });
            let completes_rmw = entry.is_rmw() && entry.is_done();
            let op = machine.step(&mut state, input);
            let deps = self.here(machine.deps(&state));
            let unknown = self.unknown();
            let mut needs = deps.path().clone();
            needs.union(&deps.ctrl);
            needs.union(&deps.addr);
            if !matches!(op, Op::Store { .. } | Op::Load { .. }) {
                needs.union(&deps.data);
            }
            needs.intersect(&unknown);
            if !needs.is_empty() {
                self.stopped = needs;
                break;
            }
            // What was issued is wrong with the value that is known now: the thread comes to no more.
            if at + 1 < self.issued && matches!(op, Op::Error(_)) {
                self.entries.push(Entry { state, op, deps, status: Status::Pending });
                self.issued = at + 1;
                return Ok(());
            }
            let mut status = match old.get(at - from) {
                Some(before) if before.is_done() => {
                    if before.op != op {
                        return Err(Misguided);
                    }
                    before.status
                }
                Some(before) if at + 1 < self.issued => before.status,
                _ => Status::Pending,
            };
            if completes_rmw && matches!(op, Op::Store { rmw: true, .. }) {
                status = Status::Done(0);
                self.issued = self.issued.max(at + 2);
            }
            self.entries.push(Entry { state, op, deps, status });
            at += 1;
        }
        let kept = self.entries.len() - from - 1;
        if old.iter().skip(kept).any(Entry::is_done) {
            return Err(Misguided);
        }
        self.issued = self.issued.min(self.entries.len());
        Ok(())
    }

    /// Completes what completes by itself, and forgets what is complete and has nothing incomplete before it.
    pub fn settle<M>(&mut self, machine: &M, table: &Table) -> Result<(), Misguided>
    where
        M: Machine<State = S> + Canonical,
    {
        if self.issued().iter().any(|e| matches!(e.op, Op::Fence { .. }) && !e.is_done()) {
            let order = self.order(table, None);
            let mut left = self.not_done();
            for (at, entry) in self.entries[..self.issued].iter_mut().enumerate() {
                if matches!(entry.op, Op::Fence { .. }) && !order[at].intersects(&left) {
                    entry.status = Status::Done(0);
                    left.subtract(&DepSet::one(at as u32 + 1));
                }
            }
        }
        let mut at = 0;
        while at < self.buffered {
            if self.entries[at].is_done() && (at == 0 || !self.entries[at].is_fence()) {
                self.forget(at);
                self.buffered -= 1;
            } else {
                at += 1;
            }
        }
        // The next operation is known once what gives the thread something is complete.
        let mut moved = false;
        while self.buffered < self.issued && self.buffered + 1 < self.entries.len() {
            let first = &mut self.entries[self.buffered];
            match first.status {
                Status::Done(_) if self.buffered == 0 || !first.is_fence() => self.forget(self.buffered),
                // A fence that is complete still stands between what is before it and what is after it.
                Status::Done(_) => {
                    first.deps = Deps::NONE;
                    self.buffered += 1;
                }
                Status::Pending if !first.is_load() && !table.remembers => {
                    first.deps = Deps::NONE;
                    self.buffered += 1;
                }
                _ => break,
            }
            moved = true;
        }
        if moved {
            let first = &mut self.entries[self.buffered];
            machine.forget_deps(&mut first.state);
            first.deps = Deps::NONE;
            if self.issued > self.buffered {
                self.rebuild(machine, self.buffered)?;
            }
        }
        Ok(())
    }

    /// Takes an operation out of the list.
    fn forget(&mut self, at: usize) {
        self.entries.remove(at);
        self.issued -= 1;
        let position = at as u32 + 1;
        for entry in &mut self.entries[at..] {
            entry.deps = entry.deps.map(|set| set.without_room_at(position));
        }
        self.stopped = self.stopped.without_room_at(position);
    }

    /// Dependencies by positions in the list.
    fn here(&self, deps: Deps) -> Deps {
        match self.buffered as u32 {
            0 => deps,
            by => deps.map(|set| {
                let mut moved = DepSet::EMPTY;
                set.iter().for_each(|idx| moved.insert(idx + by));
                moved
            }),
        }
    }

    /// Which operations each issued one waits for. A read-modify-write that is not complete is taken to read
    /// `outcome`: whether it writes, then.
    pub fn order(&self, table: &Table, outcome: Option<(usize, bool)>) -> Vec<DepSet> {
        if self.in_order {
            let more = usize::from(outcome.is_some_and(|(_, writes)| writes));
            return (0..self.issued + more).map(|at| DepSet::below(at as u32 + 1)).collect();
        }
        let none = Deps::NONE;
        let mut line: Vec<Line<'_>> = Vec::with_capacity(self.issued + 1);
        for (at, entry) in self.issued().iter().enumerate() {
            let own_source = match entry.op {
                Op::Load { loc, .. } if !entry.is_done() => self.own_source(at, loc),
                _ => None,
            };
            let writes = match self.entries.get(at + 1) {
                Some(next) if at + 1 < self.issued => matches!(next.op, Op::Store { rmw: true, .. }),
                _ => match outcome {
                    Some((of, writes)) if of == at => writes,
                    _ => entry.status == Status::Pending,
                },
            };
            let attrs = match entry.op {
                Op::Load { mode, rmw, .. } => match rmw {
                    Rmw::No => Attrs::of(Kind::Read, mode, false),
                    _ if writes => Attrs::of(Kind::Read, mode, true),
                    Rmw::Cas { fail, .. } | Rmw::Tentative { fail } | Rmw::Swap { fail } => {
                        Attrs::of(Kind::Read, fail, false)
                    }
                    _ => Attrs::of(Kind::Read, mode, false),
                },
                Op::Store { mode, rmw, .. } => Attrs::of(Kind::Write, mode, rmw),
                Op::Fence { mode } => Attrs::of(Kind::Fence, mode, false),
                _ => Attrs::NONE,
            };
            line.push(Line { attrs, deps: &entry.deps, loc: entry.loc().map(|loc| loc.0), own_source });
        }
        // The write that a read-modify-write is about to make.
        if let Some((at, true)) = outcome
            && at + 1 == self.issued
            && let Op::Load { loc, mode, .. } = self.entries[at].op
        {
            let attrs = Attrs::of(Kind::Write, mode, true);
            line.push(Line { attrs, deps: &none, loc: Some(loc.0), own_source: None });
        }
        table.order(&line)
    }

    /// The incomplete write of this thread that a read takes its value from, if it completes now.
    pub fn own_source(&self, at: usize, loc: Loc) -> Option<usize> {
        (0..at).rev().find(|w| {
            let entry = &self.entries[*w];
            !entry.is_done() && matches!(entry.op, Op::Store { loc: other, .. } if other == loc)
        })
    }

    /// Whether the thread waits for good, or the execution is of no interest, where it stands.
    pub fn blocked(&self) -> Option<Block> {
        match self.standing()?.op {
            Op::Block(block) => Some(block),
            _ => None,
        }
    }
}
