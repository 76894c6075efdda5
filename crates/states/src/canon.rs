//! States as sequences of words, and numbers for them.
//!
//! A state is told by its threads and its memory. Each of these parts gets a number, and a state is the
//! sequence of its parts' numbers: nothing is left to chance, and states that have most in common take
//! little room.

use crate::thread::Status;
use crate::world::{Slot, World};
use selvedge_machine::{Canonical, Machine};
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
        words.clear();
        for (loc, value) in world.memory() {
            words.extend([u64::from(*loc), *value as u64]);
        }
        key.push(self.part(&words));
        words.clear();
        words.extend(world.gone().iter().map(|object| u64::from(*object)));
        words.push(u64::from(world.over));
        if let Some((kind, message)) = &world.wrong {
            words.push(*kind as u64);
            words.extend(message.bytes().map(u64::from));
        }
        key.push(self.part(&words));
        for slot in &world.threads {
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
                    words.extend([2, thread.issued as u64]);
                    for entry in thread.issued() {
                        let (tag, value) = match entry.status {
                            Status::Pending => (0, 0),
                            Status::Guessed(value) => (1, value),
                            Status::Done(value) => (2, value),
                        };
                        words.extend([tag, value as u64]);
                    }
                    machine.write_down(&thread.entries[0].state, &mut words);
                }
            }
            key.push(self.part(&words));
        }
        self.words = words;
        key.into_boxed_slice()
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
