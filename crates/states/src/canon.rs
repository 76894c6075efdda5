//! States as sequences of words, and numbers for them.
//!
//! A state is told by its threads and its memory. Each of these parts gets a number, and a state is the
//! sequence of its parts' numbers: nothing is left to chance, and states that have most in common take
//! little room. What objects are called makes no difference, if it is so wanted ([`crate::rename`]).

use crate::inputs::{InUse, Known};
use crate::rename::Shapes;
use crate::rows::Rows;
use crate::taken::Taken;
use crate::thread::Status;
use crate::world::{Memory, Slot, World};
use selvedge_graph::{Attrs, Kind, Loc, Mode};
use selvedge_machine::{Canonical, Machine, Op, Words};
use std::rc::Rc;

#[derive(Default)]
pub struct States {
    parts: Rows<u64>,
    /// What is in memory, by the parts of objects.
    memories: Rows<u32>,
    states: Rows<u32>,
    /// By row of `states`: the state's number.
    numbers: Vec<u32>,
    count: u32,
    /// If objects may be called otherwise.
    shapes: Option<Shapes>,
    /// If there are unknown inputs: which are in what part.
    in_use: Option<InUse>,
    taken: Taken,
    key: Vec<u32>,
}

/// What is known of a state.
pub struct Met {
    pub number: u32,
    pub new: bool,
    /// It is the same as another one but for what objects are called: those of the other, and its own.
    pub renamed: Option<Vec<(u32, u32)>>,
    /// What still matters of what is known of inputs.
    pub inputs: Known,
}

impl States {
    pub fn new(renames: bool, inputs: bool) -> States {
        let in_use = inputs.then(InUse::default);
        States { shapes: renames.then(Shapes::default), in_use, ..States::default() }
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// The number of a state.
    pub fn number<M>(&mut self, machine: &M, world: &World<M::State>, keep_ends: bool) -> Met
    where
        M: Machine + Canonical,
    {
        let inputs = self.tell(machine, world, keep_ends);
        let (row, new) = self.states.number(&self.key);
        if !new {
            return Met { number: self.numbers[row as usize], new: false, renamed: None, inputs };
        }
        let mut met = Met { number: self.count, new: true, renamed: None, inputs };
        if let Some(shapes) = &mut self.shapes {
            let like = shapes.like(&self.states, row);
            if let Some((other, objects)) = like {
                met.number = self.numbers[other as usize];
                (met.new, met.renamed) = (false, Some(objects));
            }
        }
        self.count += u32::from(met.new);
        self.numbers.push(met.number);
        met
    }

    /// The number of a state that was met.
    pub fn known<M>(&mut self, machine: &M, world: &World<M::State>, keep_ends: bool) -> Option<u32>
    where
        M: Machine + Canonical,
    {
        self.tell(machine, world, keep_ends);
        if let Some(row) = self.states.find(&self.key) {
            return Some(self.numbers[row as usize]);
        }
        let row = self.shapes.as_mut()?.known(&self.states, &self.key)?;
        Some(self.numbers[row as usize])
    }

    /// Puts down the numbers of a state's parts: its memory, what is over, its threads.
    fn tell<M>(&mut self, machine: &M, world: &World<M::State>, keep_ends: bool) -> Known
    where
        M: Machine + Canonical,
    {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push(self.memory(machine, world.memory()));
        self.taken.clear(0);
        let words = &mut self.taken;
        words.words(&[u64::from(world.over) | u64::from(world.returned) << 1]);
        for threads in [&world.joined, &world.detached] {
            words.word(threads.len() as u64);
            threads.iter().for_each(|thread| words.word(u64::from(*thread)));
        }
        match &world.wrong {
            Some((kind, message)) => {
                words.words(&[1 + *kind as u64, message.len() as u64]);
                message.bytes().for_each(|byte| words.word(u64::from(byte)));
            }
            None => words.word(0),
        }
        // Objects whose lives are over come last, so that they can be left out.
        words.rest();
        world.gone().iter().for_each(|object| words.object(*object));
        key.push(self.part(machine));
        for slot in &world.threads {
            if let Slot::Here(thread) = slot
                && let Some(part) = thread.part.get()
            {
                key.push(part);
                continue;
            }
            self.taken.clear(1);
            self.thread(machine, slot, keep_ends);
            let part = self.part(machine);
            if let Slot::Here(thread) = slot {
                thread.part.set(Some(part));
            }
            key.push(part);
        }
        let mut inputs = Rc::clone(&world.inputs);
        if let Some(in_use) = &self.in_use {
            let of_memory = self.memories.get(key[0]).iter().copied();
            let mut left = self.inputs(machine, world, of_memory.chain(key[1..].iter().copied()), in_use);
            self.taken.clear(3);
            left.write_down(&mut self.taken);
            left.number = self.part(machine);
            key.push(left.number);
            inputs = Rc::new(left);
        }
        self.key = key;
        inputs
    }

    fn thread<M>(&mut self, machine: &M, slot: &Slot<M::State>, keep_ends: bool)
    where
        M: Machine + Canonical,
    {
        let words = &mut self.taken;
        let thread = match slot {
            Slot::Absent => return words.word(0),
            Slot::Ended(state) => {
                words.word(1);
                if keep_ends {
                    machine.write_down(state, words);
                }
                return;
            }
            Slot::Here(thread) => thread,
        };
        words.words(&[2, thread.issued as u64, thread.buffered as u64]);
        for entry in &thread.issued()[..thread.buffered] {
            match entry.op {
                Op::Store { loc, value, mode, .. } => {
                    words.word(0);
                    words.location(loc);
                    words.value(value as u64);
                    words.word(ordering(Kind::Write, mode));
                }
                Op::Fence { mode } => {
                    words.words(&[1, ordering(Kind::Fence, mode), u64::from(entry.is_done())]);
                }
                Op::Free { object } => {
                    words.word(2);
                    words.object(object);
                }
                other => unreachable!("{other:?} is complete when it is issued"),
            }
        }
        for entry in &thread.issued()[thread.buffered..] {
            let (tag, value) = match entry.status {
                Status::Pending => (0, 0),
                Status::Guessed(value) => (1, value),
                Status::Done(value) => (2, value),
            };
            words.word(tag);
            words.value(value as u64);
        }
        // Where it stands may be the same before an operation and after it.
        tell_op(thread.entries[thread.buffered].op, words);
        machine.write_down(&thread.entries[thread.buffered].state, words);
    }

    /// What is in memory, object by object: most of them are as they were.
    fn memory<M>(&mut self, machine: &M, memory: &Memory) -> u32
    where
        M: Machine + Canonical,
    {
        if let Some(part) = memory.part.get() {
            return part;
        }
        let mut all = Vec::with_capacity(memory.objects.len());
        for of in memory.objects.values() {
            let part = of.part.get().unwrap_or_else(|| {
                self.taken.clear(2);
                let mut cells: Vec<(Loc, u64)> =
                    of.values.iter().map(|(loc, value)| (Loc(*loc), *value as u64)).collect();
                // Cells of one object may have been met in another order than those of another one.
                cells.sort_by_cached_key(|(loc, _)| machine.cell(*loc).map(|(_, within)| within));
                for (loc, value) in cells {
                    self.taken.location(loc);
                    self.taken.value(value);
                }
                let part = self.part(machine);
                of.part.set(Some(part));
                part
            });
            all.push(part);
        }
        let (number, new) = self.memories.number(&all);
        if let (true, Some(shapes)) = (new, &mut self.shapes) {
            shapes.add_memory(&all);
        }
        memory.part.set(Some(number));
        number
    }

    /// The number of the part that was taken down.
    fn part<M>(&mut self, machine: &M) -> u32
    where
        M: Machine + Canonical,
    {
        let (part, new) = self.parts.number(self.taken.all());
        if let (true, Some(in_use)) = (new, &mut self.in_use) {
            in_use.add(machine, &self.taken);
        }
        if let (true, Some(shapes)) = (new, &mut self.shapes) {
            shapes.add(machine, &self.taken);
        }
        part
    }
}

/// What a model and a race can tell of an ordering.
fn ordering(kind: Kind, mode: Mode) -> u64 {
    u64::from(Attrs::of(kind, mode, false).0) << 1 | u64::from(mode == Mode::Na)
}

/// An operation, as far as it can be told from others at the same place of a program.
fn tell_op(op: Op, words: &mut Taken) {
    match op {
        Op::Load { loc, .. } => {
            words.word(1);
            words.location(loc);
        }
        Op::Store { loc, value, .. } => {
            words.word(2);
            words.location(loc);
            words.value(value as u64);
        }
        Op::Fence { mode } => words.words(&[3, ordering(Kind::Fence, mode)]),
        Op::End => words.word(4),
        Op::Block(block) => words.words(&[5, block as u64]),
        Op::Choose { count } => words.words(&[6, u64::from(count)]),
        Op::Spawn { thread } => words.words(&[7, u64::from(thread.0)]),
        Op::Join { thread } => words.words(&[8, u64::from(thread.0)]),
        Op::Error(number) => words.words(&[9, u64::from(number)]),
        Op::Cut => words.word(10),
        Op::Alloc { object } => {
            words.word(11);
            words.object(object);
        }
        Op::Free { object } => {
            words.word(12);
            words.object(object);
        }
        _ => words.word(13),
    }
}
