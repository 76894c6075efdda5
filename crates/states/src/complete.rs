//! Completing an operation: what becomes of its thread, and of memory.

use crate::thread::{Entry, Misguided, Status, Thread};
use crate::world::{Rules, Slot, Step, World};
use selvedge_graph::{DepSet, Loc, Value};
use selvedge_machine::{Block, Canonical, ErrorKind, Machine, Op, Rmw};
use std::rc::Rc;

pub(crate) enum Completed {
    /// What it has written.
    Yes(Option<Value>),
    Waits,
    Nothing,
}

/// Whether a thread that comes to this has to read something else first.
pub(crate) fn waits(op: Op) -> bool {
    matches!(op, Op::Block(block) if !matches!(block, Block::Assume | Block::Exit))
}

impl<M> Rules<'_, M>
where
    M: Machine + Canonical,
{
    /// Completes the operation at this place of a thread's list.
    pub(crate) fn complete(
        &self,
        world: &World<M::State>,
        next: &mut World<M::State>,
        thread: &mut Thread<M::State>,
        at: usize,
        k: usize,
        step: &mut Step,
    ) -> Result<Completed, Misguided> {
        let machine = self.machine;
        let mut wrote = None;
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
                self.note_access(next, at, loc);
                (step.what, step.access) = (format!("writes {}", self.shown(loc, value)), true);
                self.write(next, at, loc, value);
                wrote = Some(value);
                thread.entries[k].status = Status::Done(0);
            }
            Op::Load { loc, rmw: Rmw::No, .. } => {
                let value = match thread.own_source(k, loc) {
                    Some(w) => match thread.entries[w] {
                        Entry { op: Op::Store { value, .. }, ref deps, .. }
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
                self.note_access(next, at, loc);
                (step.what, step.access) = (format!("reads {}", self.shown(loc, value)), true);
                thread.entries[k].status = Status::Done(value);
                thread.rebuild(machine, k)?;
                if thread.next().is_some_and(|next| waits(next.op)) {
                    return Ok(Completed::Waits);
                }
            }
            Op::Load { loc, rmw, .. } => {
                // Both halves at once. One that fails may have read what its own thread is about to write.
                let forwarded = match (thread.own_source(k, loc).map(|w| &thread.entries[w]), rmw) {
                    (Some(own), Rmw::Cas { expected, .. }) => match own.op {
                        Op::Store { value, .. } if value != expected && !own.deps.data.intersects(&left) => {
                            let mut others = left.clone();
                            others.subtract(&DepSet::one(k as u32 + 1));
                            let order = thread.order(self.table, Some((k, false)));
                            (!order[k].intersects(&others)).then_some(value)
                        }
                        _ => None,
                    },
                    _ => None,
                };
                if forwarded.is_none() && pending_here(loc, true) || entry.deps.cas.intersects(&left) {
                    return Ok(Completed::Waits);
                }
                let earlier_here = pending_here(loc, false);
                let value = forwarded.unwrap_or_else(|| world.value(machine, loc));
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
                halves.clone().for_each(|half| others.subtract(&DepSet::one(half as u32 + 1)));
                let waits_for = halves.clone().any(|half| order[half].intersects(&others));
                if forwarded.is_none() && waits_for || writes && earlier_here {
                    return Ok(Completed::Waits);
                }
                self.note_access(next, at, loc);
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
                    self.write(next, at, loc, stored);
                    wrote = Some(stored);
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
        Ok(Completed::Yes(wrote))
    }

    pub(crate) fn write(&self, next: &mut World<M::State>, at: usize, loc: Loc, value: Value) {
        next.set(self.machine, loc, value);
        if !next.owns(self.machine, at, loc) {
            next.hand_over(self.machine, value as u64);
        }
    }

    fn shown(&self, loc: Loc, value: Value) -> String {
        format!("{} = {}", self.machine.location_name(loc), self.machine.value_name(loc, value))
    }

    /// An access is of an object that should be alive.
    pub(crate) fn note_access(&self, next: &mut World<M::State>, at: usize, loc: Loc) {
        let owner = self.machine.object(loc).and_then(|object| next.owners.get(&object));
        next.trespassed |= owner.is_some_and(|owner| usize::from(*owner) != at);
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
    pub(crate) fn is_held(&self, world: &World<M::State>, writer: usize, loc: Loc) -> bool {
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
}
