//! Runs bytecode without an explorer: one thread after the other, on a memory that is a map.
#![allow(dead_code)] // each test file uses its part

pub mod following;
pub mod generated;

use selvedge_ir::text;
use selvedge_machine::{Loc, Machine, Names, Op, ProgramError, Reduction, Reductions, Tid, Value};
use selvedge_vm::{Options, VmMachine, VmState};
use std::collections::HashMap;

/// What a run did.
pub struct Run {
    pub machine: VmMachine,
    pub ops: Vec<(Tid, Op)>,
    memory: HashMap<Loc, Value>,
    /// By thread: the operation that it stopped at, and its state.
    pub ends: HashMap<Tid, (Op, VmState)>,
    /// How often memory had to be divided anew.
    pub restarts: u32,
}

pub fn machine(program: &str, options: Options) -> VmMachine {
    let module = text::parse(program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    VmMachine::new(module, options).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a program; every choice picks 0.
pub fn run(program: &str) -> Run {
    // Locks as they are.
    let reductions = Reductions::ALL.without(Reduction::LockOrder);
    run_with(program, Options { reductions, ..Options::default() }, &[])
}

/// Runs a program; choices pick what is given, then 0.
pub fn run_with(program: &str, options: Options, choices: &[Value]) -> Run {
    let machine = machine(program, options);
    let mut run = Run { machine, ops: Vec::new(), memory: HashMap::new(), ends: HashMap::new(), restarts: 0 };
    loop {
        run.once(choices);
        match run.machine.again() {
            Some(again) => assert!(run.machine.give_in(again), "there was a reason"),
            None => return run,
        }
        run.restarts += 1;
        assert!(run.restarts < 50, "restarts for ever");
    }
}

impl Run {
    fn once(&mut self, choices: &[Value]) {
        (self.ops, self.memory, self.ends) = Default::default();
        let mut choices = choices.iter().copied();
        let mut waiting = vec![(Tid(0), self.machine.start(Tid(0)), 0)];
        let mut idle = 0;
        while let Some((t, mut state, mut input)) = waiting.pop() {
            loop {
                let before = (state.clone(), input);
                let op = self.machine.step(&mut state, input);
                input = 0;
                match op {
                    Op::Join { thread } if !matches!(self.ends.get(&thread), Some((Op::End, _))) => {
                        // Later, from the same state: saving and running again must give the same.
                        idle += 1;
                        if idle < 100 {
                            waiting.insert(0, (t, before.0, before.1));
                        } else {
                            self.ends.insert(t, (op, state));
                        }
                        break;
                    }
                    _ => idle = 0,
                }
                self.ops.push((t, op));
                match op {
                    Op::Load { loc, .. } => {
                        let machine = &self.machine;
                        input = *self.memory.entry(loc).or_insert_with(|| machine.init_value(loc));
                    }
                    Op::Store { loc, value, .. } => _ = self.memory.insert(loc, value),
                    Op::Choose { .. } => input = choices.next().unwrap_or(0),
                    Op::Spawn { thread } => {
                        waiting.insert(0, (thread, self.machine.spawned(&state, thread), 0))
                    }
                    Op::Block(_) | Op::Cut | Op::Error(_) | Op::End => {
                        self.ends.insert(t, (op, state));
                        break;
                    }
                    _ => {}
                }
            }
        }
    }

    pub fn end(&self, t: u16) -> Op {
        self.ends[&Tid(t)].0
    }

    /// The error that some thread came to.
    pub fn error(&self) -> Option<ProgramError> {
        self.ends.values().find_map(|(op, _)| match op {
            Op::Error(code) => Some(self.machine.error(*code)),
            _ => None,
        })
    }

    pub fn error_kind(&self) -> &'static str {
        self.error().map_or("none", |e| e.kind.name())
    }

    pub fn line_of(&self, t: u16) -> u32 {
        self.machine.place(&self.ends[&Tid(t)].1).map_or(0, |p| p.line)
    }

    /// The value of the location with this name.
    pub fn value(&self, name: &str) -> Value {
        let found = self.memory.iter().find(|(loc, _)| self.machine.location_name(**loc) == name);
        *found.unwrap_or_else(|| panic!("nothing happened to {name}")).1
    }

    /// The bytes that were stored to a global by the operations of the run.
    pub fn bytes(&self, global: &str, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        let mut stores: Vec<(usize, i64)> = Vec::new();
        for (_, op) in &self.ops {
            if let Op::Store { loc, value, .. } = op {
                let name = self.machine.location_name(*loc);
                match name.strip_prefix(global).map(|rest| rest.strip_prefix('+').unwrap_or("0")) {
                    Some(offset) => stores.push((offset.parse().unwrap_or(0), *value)),
                    None => continue,
                }
            }
        }
        // Cells are stored from the front; what a cell has beyond its size is 0 and overwritten.
        for (at, value) in stores {
            for (i, byte) in value.to_le_bytes().into_iter().enumerate().take(size - at) {
                bytes[at + i] = byte;
            }
        }
        bytes
    }

    /// The operations in words: `W x 1 rel`.
    pub fn trace(&self) -> Vec<String> {
        let name = |loc| self.machine.location_name(loc);
        let words = |(t, op): &(Tid, Op)| {
            let what = match *op {
                Op::Load { loc, mode, .. } => format!("R {} {mode}", name(loc)),
                Op::Store { loc, value, mode, .. } => format!("W {} {value} {mode}", name(loc)),
                Op::Fence { mode } => format!("F {mode}"),
                Op::Persist { .. } => String::from("persist"),
                Op::Spawn { thread } => format!("spawn {}", thread.0),
                Op::Join { thread } => format!("join {}", thread.0),
                Op::Arrive { .. } => String::from("arrive"),
                Op::Depart { .. } => String::from("depart"),
                Op::Choose { count } => format!("choose {count}"),
                Op::Decide { value } => format!("decide {value}"),
                Op::Detach { thread } => format!("detach {}", thread.0),
                Op::Local { .. } => String::from("local"),
                Op::Alloc { .. } => String::from("alloc"),
                Op::Free { .. } => String::from("free"),
                Op::Block(why) => format!("block {why:?}"),
                Op::Cut => String::from("cut"),
                Op::Error(code) => self.machine.error(code).kind.to_string(),
                Op::End => String::from("end"),
            };
            format!("{}: {what}", t.0)
        };
        self.ops.iter().map(words).collect()
    }
}

/// A program whose `main` has this body, with a few globals.
pub fn main_with(body: &str) -> String {
    format!(
        "global @x size 8 align 8 = zero 8\nglobal @y size 8 align 8 = zero 8\n\
         func &main() results 1 regs 16 {{\n{body}\nreturn (0)\n}}\n"
    )
}
