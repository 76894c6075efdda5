//! Memory that is accessed atomically in different sizes: what the explorer finds of generated programs is
//! what naive machines find, which have bytes and know nothing of parts.
//!
//! The machine for `sc` performs one access after the other on one memory. That for `tso` has a buffer of
//! stores for each thread: a store goes to memory at once, all of its bytes; a load takes each byte from the
//! latest store in the buffer that has it, or from memory. Both are run in every way there is, and the sets
//! of outcomes (all that was read, and what is left in memory) are compared. Weaker models have to have all
//! that `tso` has. No execution is found twice.
//!
//! `MIXED_PROGRAMS` is how many programs are compared, `MIXED_SEED` with which one to begin.

use crate::common;

use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, ExploreError, explore};
use selvedge_graph::{EventId, ExecutionGraph, Loc};
use selvedge_machine::{Names, Tid};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::ops::ControlFlow;

/// The memory: a word of 8 bytes, and another one.
const BYTES: usize = 16;

/// Ranges that are accessed, of both words.
const RANGES: [(usize, usize); 9] = [(0, 4), (0, 2), (2, 2), (0, 4), (0, 1), (1, 1), (0, 8), (4, 4), (8, 4)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Load { at: usize, len: usize },
    Store { at: usize, len: usize, value: u64, sc: bool },
    Add { at: usize, len: usize, value: u64 },
    Xchg { at: usize, len: usize, value: u64 },
    Cas { at: usize, len: usize, expected: u64, desired: u64 },
    Fence,
}

type Threads = Vec<Vec<Op>>;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

fn generate(seed: u64) -> Threads {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let shape = random.below(8);
    let (threads, most) = match shape {
        0 => (3, 2),
        1 => (4, 1),
        2 => (2, 4),
        _ => (2, 3),
    };
    // Few ranges overlap more often.
    let few: Vec<(usize, usize)> = (0..3).map(|_| RANGES[random.below(RANGES.len())]).collect();
    let mut next = 0;
    let mut thread = |random: &mut Random| {
        let ops = 1 + random.below(most);
        (0..ops).map(|_| operation(random, &few, &mut next)).collect()
    };
    (0..threads).map(|_| thread(&mut random)).collect()
}

fn operation(random: &mut Random, few: &[(usize, usize)], next: &mut u64) -> Op {
    let (at, len) = few[random.below(few.len())];
    let mask = if len == 8 { u64::MAX } else { (1 << (8 * len)) - 1 };
    *next += 1;
    // Every byte tells who wrote it.
    let value = (0x0101_0101_0101_0101 * *next) & mask;
    match random.below(16) {
        0..6 => Op::Load { at, len },
        6..10 => Op::Store { at, len, value, sc: false },
        10 => Op::Store { at, len, value, sc: true },
        11 => Op::Add { at, len, value },
        12 => Op::Xchg { at, len, value },
        13 | 14 => {
            let seen = 0x0101_0101_0101_0101 * random.below(*next as usize + 1) as u64;
            let expected = if random.below(2) == 0 { 0 } else { seen & mask };
            Op::Cas { at, len, expected, desired: value }
        }
        _ => Op::Fence,
    }
}

// ---- naive machines ----

type Outcome = Vec<u64>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    pcs: Vec<usize>,
    memory: [u8; BYTES],
    buffers: Vec<Vec<(usize, usize, u64)>>,
    results: Vec<Vec<u64>>,
}

fn put(memory: &mut [u8; BYTES], at: usize, len: usize, value: u64) {
    memory[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
}

impl State {
    fn read(&self, t: usize, at: usize, len: usize) -> u64 {
        let mut memory = self.memory;
        for &(at, len, value) in &self.buffers[t] {
            put(&mut memory, at, len, value);
        }
        memory[at..at + len].iter().rev().fold(0, |n, b| n << 8 | *b as u64)
    }

    fn drain(&mut self, t: usize) {
        let (at, len, value) = self.buffers[t].remove(0);
        put(&mut self.memory, at, len, value);
    }

    /// The state after the next operation of a thread; `None` if its buffer has to be empty first.
    fn step(&self, t: usize, op: Op, buffered: bool) -> Option<State> {
        let mut next = self.clone();
        next.pcs[t] += 1;
        let empty = self.buffers[t].is_empty();
        let result = match op {
            Op::Load { at, len } => self.read(t, at, len),
            Op::Store { at, len, value, sc } => {
                match buffered && !sc {
                    true => next.buffers[t].push((at, len, value)),
                    false if empty => put(&mut next.memory, at, len, value),
                    false => return None,
                }
                0
            }
            Op::Fence if empty => 0,
            Op::Add { at, len, value } if empty => {
                let old = self.read(t, at, len);
                put(&mut next.memory, at, len, old.wrapping_add(value));
                old
            }
            Op::Xchg { at, len, value } if empty => {
                put(&mut next.memory, at, len, value);
                self.read(t, at, len)
            }
            Op::Cas { at, len, expected, desired } => {
                let old = self.read(t, at, len);
                if old == expected {
                    if !empty {
                        return None;
                    }
                    put(&mut next.memory, at, len, desired);
                }
                old
            }
            _ => return None,
        };
        next.results[t].push(result);
        Some(next)
    }
}

fn naive(program: &Threads, buffered: bool) -> BTreeSet<Outcome> {
    let n = program.len();
    let start = State {
        pcs: vec![0; n],
        memory: [0; BYTES],
        buffers: vec![Vec::new(); n],
        results: vec![Vec::new(); n],
    };
    let (mut seen, mut open, mut outcomes) = (HashSet::from([start.clone()]), vec![start], BTreeSet::new());
    while let Some(state) = open.pop() {
        let mut next = Vec::new();
        for (t, ops) in program.iter().enumerate() {
            if let Some(&op) = ops.get(state.pcs[t]) {
                next.extend(state.step(t, op, buffered));
            }
            if !state.buffers[t].is_empty() {
                let mut drained = state.clone();
                drained.drain(t);
                next.push(drained);
            }
        }
        if next.is_empty() {
            let mut outcome: Outcome = state.results.concat();
            outcome.extend(state.memory.chunks(8).map(|w| w.iter().rev().fold(0, |n, b| n << 8 | *b as u64)));
            outcomes.insert(outcome);
        }
        for state in next {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
    }
    outcomes
}

// ---- the explorer ----

fn bytecode(program: &Threads) -> String {
    let mut text = String::from(
        "global @w size 16 align 16 = zero 16
         global @t size 64 align 8 = zero 64
         global @res size 512 align 8 = zero 512
         func &pthread_create(r0, r1, r2, r3) results 1 regs 4
         func &pthread_join(r0, r1) results 1 regs 2\n",
    );
    let mut main = String::new();
    let mut slot = 0;
    for (t, ops) in program.iter().enumerate() {
        let _ = writeln!(text, "func &thread{t}(r0) results 1 regs 8 {{");
        for op in ops {
            let _ = match *op {
                Op::Load { at, len } => writeln!(text, "r1 = load.{len}.rlx @w+{at}"),
                Op::Store { at, len, value, sc } => {
                    let mode = if sc { "sc" } else { "rlx" };
                    writeln!(text, "store.{len}.{mode} @w+{at}, {value}\nr1 = move 0")
                }
                Op::Add { at, len, value } => writeln!(text, "r1 = rmw.add.{len}.rlx @w+{at}, {value}"),
                Op::Xchg { at, len, value } => writeln!(text, "r1 = rmw.xchg.{len}.rlx @w+{at}, {value}"),
                Op::Cas { at, len, expected, desired } => {
                    writeln!(text, "r1 = cmpxchg.{len}.rlx.rlx @w+{at}, {expected}, {desired}")
                }
                Op::Fence => writeln!(text, "fence.sc\nr1 = move 0"),
            };
            let _ = writeln!(text, "store.8.na @res+{}, r1", 8 * slot);
            slot += 1;
        }
        text += "return (0) }\n";
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{t}, 0)", 8 * t);
    }
    for t in 0..program.len() {
        let _ = writeln!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)", 8 * t);
    }
    for at in [0, 8] {
        let _ = writeln!(main, "r1 = load.8.na @w+{at}\nstore.8.na @res+{}, r1", 8 * slot);
        slot += 1;
    }
    let _ = writeln!(text, "func &main() results 1 regs 8 {{ {main} return (0) }}");
    text
}

struct Found {
    outcomes: BTreeSet<Outcome>,
    complete: usize,
    twice: bool,
}

/// An event as it is known in all graphs: parts of a read come in any order.
fn name(g: &ExecutionGraph, e: EventId) -> (u16, u32, u32) {
    match e.is_init() {
        true => (u16::MAX, 0, 0),
        false => (g.event(e).tid.0, g.event(g.first_part(e)).idx, g.event(e).loc.0),
    }
}

type Name = (u16, u32, u32);

/// Reads-from, coherence, and what was chosen.
type Shape = (Vec<(Name, Name)>, Vec<Vec<Name>>, Vec<u64>);

fn graph(g: &ExecutionGraph) -> Shape {
    let mut reads = Vec::new();
    let mut choices = Vec::new();
    for t in 0..g.threads() as u16 {
        for &e in g.thread(Tid(t)) {
            reads.extend(g.rf(e).map(|w| (name(g, e), name(g, w))));
            if g.event(e).kind == selvedge_graph::Kind::Choice {
                choices.push(g.event(e).value as u64);
            }
        }
    }
    reads.sort_unstable();
    let co = |l: u32| g.co(Loc(l)).iter().map(|&w| name(g, w)).collect();
    (reads, (0..g.locations() as u32).map(co).collect(), choices)
}

fn explored(program: &Threads, model: &Model, shortcuts: bool) -> Found {
    let mut machine = common::machine(&bytecode(program), Options { max_threads: 6, ..Options::default() });
    let slots = program.iter().map(Vec::len).sum::<usize>() + 2;
    let config = Config { shortcuts, ..Config::default() };
    let settled = settle(&mut machine, config, |machine, config| {
        let mut found = Found { outcomes: BTreeSet::new(), complete: 0, twice: false };
        let mut graphs = HashSet::new();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            assert_ne!(x.end, End::Error, "{program:?}");
            if x.end != End::Complete {
                return ControlFlow::Continue(());
            }
            found.complete += 1;
            found.twice |= !graphs.insert(graph(x.graph));
            let mut outcome = vec![0; slots];
            for l in (0..x.graph.locations() as u32).map(Loc) {
                let name = machine.location_name(l);
                if let Some(at) = name.strip_prefix("res") {
                    let at: usize = at.strip_prefix('+').map_or(0, |at| at.parse().expect("an offset"));
                    let last = x.graph.co(l).last().copied().expect("a write");
                    outcome[at / 8] = x.graph.value_of(last, l) as u64;
                }
            }
            found.outcomes.insert(outcome);
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up.clone(), found: false, result: found })
    });
    settled.unwrap_or_else(|e| panic!("{e}"))
}

fn model(name: &str) -> Model {
    let theory = selvedge_kat::load_named(name).unwrap_or_else(|e| panic!("{e:?}"));
    Model::compile(&theory).unwrap_or_else(|e| panic!("{e:?}"))
}

fn asked_for(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn generated_programs_have_the_outcomes_of_naive_machines() {
    let (sc, tso) = (model("sc"), model("tso"));
    let weaker: Vec<(&str, Model)> = ["pso", "ra", "rc11", "rlx"].map(|name| (name, model(name))).into();
    let (first, count) = (asked_for("MIXED_SEED", 1), asked_for("MIXED_PROGRAMS", 400));
    let (mut executions, mut outcomes) = (0, 0);
    for seed in first..first + count {
        let program = generate(seed);
        let by_interleaving = naive(&program, false);
        let buffered = naive(&program, true);
        for (name, model, expected) in [("sc", &sc, &by_interleaving), ("tso", &tso, &buffered)] {
            let found = explored(&program, model, true);
            let say = |what: &str| panic!("{what} under {name}, seed {seed}: {program:#?}");
            if let Some(missing) = expected.difference(&found.outcomes).next() {
                say(&format!("{missing:x?} is missed"));
            }
            if let Some(extra) = found.outcomes.difference(expected).next() {
                say(&format!("{extra:x?} is impossible"));
            }
            if found.twice {
                say("an execution was found twice");
            }
            if seed % 8 == 0 && explored(&program, model, false).complete != found.complete {
                say("without shortcuts, there are as many executions: not so");
            }
            executions += found.complete;
            outcomes += expected.len();
        }
        for (name, model) in weaker.iter().filter(|_| seed % 4 == 0) {
            let found = explored(&program, model, true);
            let missing = buffered.difference(&found.outcomes).next();
            assert!(missing.is_none(), "{missing:x?} is missed under {name}, seed {seed}: {program:#?}");
            assert!(!found.twice, "an execution was found twice under {name}, seed {seed}: {program:#?}");
        }
    }
    println!("{count} programs, {executions} executions, {outcomes} outcomes");
}
