//! States as sequences of words, and numbers for them.
//!
//! A state is told by its threads and its memory. Each of these parts gets a number, and a state is the
//! sequence of its parts' numbers: nothing is left to chance, and states that have most in common take
//! little room.

use crate::thread::Status;
use crate::world::{Memory, Slot, World};
use selvedge_graph::{Attrs, Kind, Mode};
use selvedge_machine::{Canonical, Machine, Op};
use std::collections::HashMap;

#[derive(Default)]
pub struct States {
    parts: HashMap<Box<[u64]>, u32>,
    states: HashMap<Box<[u32]>, u32>,
    words: Vec<u64>,
}

impl States {
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The number of a state, and whether it is new.
    pub fn number<M>(&mut self, machine: &M, world: &World<M::State>, keep_ends: bool) -> (u32, bool)
    where
        M: Machine + Canonical,
    {
        let key = self.key(machine, world, keep_ends);
        let next = self.states.len() as u32;
        let number = *self.states.entry(key).or_insert(next);
        (number, number == next)
    }

    /// The number of a state that was met.
    pub fn known<M>(&mut self, machine: &M, world: &World<M::State>, keep_ends: bool) -> Option<u32>
    where
        M: Machine + Canonical,
    {
        let key = self.key(machine, world, keep_ends);
        self.states.get(&key).copied()
    }

    fn key<M>(&mut self, machine: &M, world: &World<M::State>, keep_ends: bool) -> Box<[u32]>
    where
        M: Machine + Canonical,
    {
        let mut key = Vec::with_capacity(world.threads.len() + 2);
        let mut words = std::mem::take(&mut self.words);
        key.push(self.memory(world.memory(), &mut words));
        words.clear();
        words.push(world.gone().len() as u64);
        words.extend(world.gone().iter().map(|object| u64::from(*object)));
        words.extend([u64::from(world.over), world.joined.len() as u64]);
        words.extend(world.joined.iter().map(|thread| u64::from(*thread)));
        if let Some((kind, message)) = &world.wrong {
            words.push(*kind as u64);
            words.extend(message.bytes().map(u64::from));
        }
        key.push(self.part(&words));
        for slot in &world.threads {
            if let Slot::Here(thread) = slot
                && let Some(part) = thread.part.get()
            {
                key.push(part);
                continue;
            }
            words.clear();
            match slot {
                Slot::Absent => words.push(0),
                Slot::Ended(state) => {
                    words.push(1);
                    if keep_ends {
                        machine.write_down(state, &mut words);
                    }
                }
                Slot::Here(thread) => {
                    words.extend([2, thread.issued as u64, thread.buffered as u64]);
                    for entry in &thread.issued()[..thread.buffered] {
                        match entry.op {
                            Op::Store { loc, value, mode, .. } => {
                                words.extend([
                                    0,
                                    u64::from(loc.0),
                                    value as u64,
                                    ordering(Kind::Write, mode),
                                ]);
                            }
                            Op::Fence { mode } => {
                                words.extend([1, ordering(Kind::Fence, mode), u64::from(entry.is_done())]);
                            }
                            Op::Free { object } => words.extend([2, u64::from(object)]),
                            other => unreachable!("{other:?} is complete when it is issued"),
                        }
                    }
                    for entry in &thread.issued()[thread.buffered..] {
                        let (tag, value) = match entry.status {
                            Status::Pending => (0, 0),
                            Status::Guessed(value) => (1, value),
                            Status::Done(value) => (2, value),
                        };
                        words.extend([tag, value as u64]);
                    }
                    // Where it stands may be the same before an operation and after it.
                    words.extend(told(thread.entries[thread.buffered].op));
                    machine.write_down(&thread.entries[thread.buffered].state, &mut words);
                }
            }
            let part = self.part(&words);
            if let Slot::Here(thread) = slot {
                thread.part.set(Some(part));
            }
            key.push(part);
        }
        self.words = words;
        key.into_boxed_slice()
    }

    /// What is in memory, object by object: most of them are as they were.
    fn memory(&mut self, memory: &Memory, words: &mut Vec<u64>) -> u32 {
        if let Some(part) = memory.part.get() {
            return part;
        }
        let mut all = Vec::with_capacity(memory.objects.len());
        for of in memory.objects.values() {
            let part = of.part.get().unwrap_or_else(|| {
                words.clear();
                words.extend(of.values.iter().flat_map(|(loc, value)| [u64::from(*loc), *value as u64]));
                let part = self.part(words);
                of.part.set(Some(part));
                part
            });
            all.push(u64::from(part));
        }
        let part = self.part(&all);
        memory.part.set(Some(part));
        part
    }

    fn part(&mut self, words: &[u64]) -> u32 {
        if let Some(number) = self.parts.get(words) {
            return *number;
        }
        let number = self.parts.len() as u32;
        self.parts.insert(words.into(), number);
        number
    }
}

/// What a model and a race can tell of an ordering.
fn ordering(kind: Kind, mode: Mode) -> u64 {
    u64::from(Attrs::of(kind, mode, false).0) << 1 | u64::from(mode == Mode::Na)
}

/// An operation, as far as it can be told from others at the same place of a program.
fn told(op: Op) -> [u64; 3] {
    match op {
        Op::Load { loc, .. } => [1, u64::from(loc.0), 0],
        Op::Store { loc, value, .. } => [2, u64::from(loc.0), value as u64],
        Op::Fence { mode } => [3, ordering(Kind::Fence, mode), 0],
        Op::End => [4, 0, 0],
        Op::Block(block) => [5, block as u64, 0],
        Op::Choose { count } => [6, u64::from(count), 0],
        Op::Spawn { thread } => [7, u64::from(thread.0), 0],
        Op::Join { thread } => [8, u64::from(thread.0), 0],
        Op::Error(number) => [9, u64::from(number), 0],
        Op::Cut => [10, 0, 0],
        Op::Alloc { object } => [11, u64::from(object), 0],
        Op::Free { object } => [12, u64::from(object), 0],
        _ => [13, 0, 0],
    }
}
