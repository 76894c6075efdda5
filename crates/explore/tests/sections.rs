//! Atomic sections against an interpreter that knows nothing of execution graphs: it runs every interleaving,
//! a section at a time. Final states and errors that can be reached have to be the same.

use selvedge_explore::{Config, End, Watches, explore};
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_machine::{
    Block, Claims, Dependencies, ErrorKind, Foresight, Lifetimes, Machine, Names, Op, ProgramError,
    Reductions, Rmw, Stateful,
};
use selvedge_model::Model;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const LOCATIONS: usize = 3;
const REGISTERS: usize = 2;
/// The lock of the sections comes after the program's own locations.
const LOCK: Loc = Loc(LOCATIONS as u32);

#[derive(Clone, Copy, Debug)]
enum Step {
    Load(usize, usize),
    Store(usize, Value),
    /// Stores a register plus something.
    StoreSum(usize, usize, Value),
    Add(usize, Value),
    Assume(usize, Value),
    FailIf(usize, Value),
    Begin,
    End,
}

#[derive(Clone, Debug)]
struct Tiny {
    threads: Vec<Vec<Step>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Local {
    thread: usize,
    pc: usize,
    regs: [Value; REGISTERS],
    inside: bool,
    /// What the operation that it stands at is half of.
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Next,
    Loading(usize),
    Adding,
    Added,
    Locking,
    Locked,
    Unlocking,
    Storing,
}

impl Stateful for Tiny {
    type State = Local;
}

impl Names for Tiny {}
impl Lifetimes for Tiny {}
impl Dependencies for Tiny {}

impl Foresight for Tiny {
    fn locations(&self) -> usize {
        LOCATIONS + 1
    }
}

impl selvedge_machine::Durability for Tiny {}

impl Claims for Tiny {
    fn has_sections(&self) -> bool {
        true
    }

    fn in_section(&self, state: &Local) -> bool {
        state.inside
    }
}

impl Machine for Tiny {
    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn runs_from_start(&self, _thread: Tid) -> bool {
        true
    }

    fn init_value(&self, _loc: Loc) -> Value {
        0
    }

    fn start(&self, thread: Tid) -> Local {
        let thread = thread.index();
        Local { thread, pc: 0, regs: [0; REGISTERS], inside: false, stage: Stage::Next }
    }

    fn step(&self, s: &mut Local, input: Value) -> Op {
        let code = &self.threads[s.thread];
        match s.stage {
            Stage::Next => {}
            Stage::Loading(r) => {
                s.regs[r] = input;
                s.pc += 1;
            }
            Stage::Adding => {
                let Step::Add(x, by) = code[s.pc] else { unreachable!() };
                s.stage = Stage::Added;
                return Op::Store { loc: Loc(x as u32), value: input + by, mode: Mode::Rlx, rmw: true };
            }
            Stage::Locking if input != 0 => return Op::Block(Block::Lock),
            Stage::Locking => {
                s.stage = Stage::Locked;
                return Op::Store { loc: LOCK, value: 1, mode: Mode::Acq, rmw: true };
            }
            Stage::Locked => {
                s.inside = true;
                s.pc += 1;
            }
            Stage::Added | Stage::Storing | Stage::Unlocking => s.pc += 1,
        }
        s.stage = Stage::Next;
        loop {
            let Some(step) = code.get(s.pc) else { return Op::End };
            let loc = |x: usize| Loc(x as u32);
            let store = |x: usize, value| Op::Store { loc: loc(x), value, mode: Mode::Na, rmw: false };
            match *step {
                Step::Load(r, x) => {
                    s.stage = Stage::Loading(r);
                    return Op::Load { loc: loc(x), mode: Mode::Na, rmw: Rmw::No };
                }
                Step::Store(x, value) => {
                    s.stage = Stage::Storing;
                    return store(x, value);
                }
                Step::StoreSum(x, r, by) => {
                    s.stage = Stage::Storing;
                    return store(x, s.regs[r] + by);
                }
                Step::Add(x, _) => {
                    s.stage = Stage::Adding;
                    return Op::Load { loc: loc(x), mode: Mode::Rlx, rmw: Rmw::Always };
                }
                Step::Begin => {
                    s.stage = Stage::Locking;
                    return Op::Load {
                        loc: LOCK,
                        mode: Mode::Acq,
                        rmw: Rmw::Cas { expected: 0, fail: Mode::Rlx },
                    };
                }
                Step::End => {
                    s.inside = false;
                    s.stage = Stage::Unlocking;
                    return Op::Store { loc: LOCK, value: 0, mode: Mode::Rel, rmw: false };
                }
                Step::Assume(r, value) if s.regs[r] != value => return Op::Block(Block::Assume),
                Step::FailIf(r, value) if s.regs[r] == value => return Op::Error(0),
                Step::Assume(..) | Step::FailIf(..) => s.pc += 1,
            }
        }
    }

    fn error(&self, _error: u32) -> ProgramError {
        ProgramError { kind: ErrorKind::Assertion, message: String::new() }
    }
}

/// Registers by thread, then memory.
type Final = Vec<Value>;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Outcome {
    finals: BTreeSet<Final>,
    fails: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    pcs: Vec<usize>,
    regs: Vec<[Value; REGISTERS]>,
    memory: [Value; LOCATIONS],
}

fn interleave(program: &Tiny) -> Outcome {
    let n = program.threads.len();
    let start = World { pcs: vec![0; n], regs: vec![[0; REGISTERS]; n], memory: [0; LOCATIONS] };
    let (mut seen, mut open, mut out) = (BTreeSet::new(), vec![start], Outcome::default());
    while let Some(world) = open.pop() {
        if !seen.insert(world.clone()) {
            continue;
        }
        if (0..n).all(|t| world.pcs[t] == program.threads[t].len()) {
            let regs = world.regs.iter().flatten().copied();
            out.finals.insert(regs.chain(world.memory).collect());
        }
        for t in 0..n {
            open.extend(one_step(program, &world, t, &mut out.fails));
        }
    }
    out
}

/// One step of thread `t`; none if it has none, or the run is of no interest.
fn one_step(program: &Tiny, world: &World, t: usize, fails: &mut bool) -> Option<World> {
    let mut w = world.clone();
    let mut inside = false;
    loop {
        let step = *program.threads[t].get(w.pcs[t])?;
        w.pcs[t] += 1;
        let regs = &mut w.regs[t];
        match step {
            Step::Load(r, x) => regs[r] = w.memory[x],
            Step::Store(x, value) => w.memory[x] = value,
            Step::StoreSum(x, r, by) => w.memory[x] = regs[r] + by,
            Step::Add(x, by) => w.memory[x] += by,
            Step::Assume(r, value) if regs[r] != value => return None,
            Step::FailIf(r, value) if regs[r] == value => {
                *fails = true;
                return None;
            }
            Step::Assume(..) | Step::FailIf(..) => {}
            Step::Begin => inside = true,
            Step::End => inside = false,
        }
        if !inside {
            return Some(w);
        }
    }
}

fn explored(program: &Tiny, model: &Model, reductions: Reductions) -> (Outcome, u64) {
    let config = Config { reductions, watches: Watches::all(), ..Config::default() };
    let mut out = Outcome::default();
    let stats = explore(program, model, &config, &mut |x| {
        match x.end {
            End::Complete => {
                let regs =
                    (0..program.threads.len() as u16).filter_map(|t| x.state(Tid(t))).flat_map(|s| s.regs);
                let last = (0..LOCATIONS as u32).map(|l| {
                    let &w = x.graph.co(Loc(l)).last().expect("the initial value");
                    x.graph.value_of(w, Loc(l))
                });
                out.finals.insert(regs.chain(last).collect());
            }
            End::Error => out.fails = true,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    assert_eq!(config.watches.broken(), None);
    (out, stats.expect("explored").torn)
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn generate(random: &mut Random) -> Tiny {
    let thread = |random: &mut Random| {
        let mut code = Vec::new();
        let mut inside = false;
        for _ in 0..2 + random.below(4) {
            if random.below(3) == 0 {
                code.push(if inside { Step::End } else { Step::Begin });
                inside = !inside;
            }
            let (r, x, value) =
                (random.below(REGISTERS), random.below(LOCATIONS), 1 + random.below(2) as Value);
            code.push(match random.below(12) {
                0..4 => Step::Load(r, x),
                4..7 => Step::Store(x, value),
                7..9 => Step::StoreSum(x, r, value),
                9 => Step::Add(x, value),
                10 => Step::Assume(r, random.below(2) as Value),
                _ => Step::FailIf(r, 2),
            });
        }
        if inside {
            code.push(Step::End);
        }
        code
    };
    Tiny { threads: (0..2 + random.below(2)).map(|_| thread(random)).collect() }
}

fn sc() -> Model {
    Model::compile(&selvedge_kat::load_named("sc").expect("a model")).expect("an admissible model")
}

#[test]
fn sections_are_single_steps_of_an_interleaving() {
    let (model, mut random, mut torn, mut fails) = (sc(), Random(0x9e37_79b9_7f4a_7c15), 0, 0);
    for number in 0..4000 {
        let program = generate(&mut random);
        let expected = interleave(&program);
        fails += u32::from(expected.fails);
        for reductions in [Reductions::NONE, Reductions::ALL] {
            let (found, left_out) = explored(&program, &model, reductions);
            assert_eq!(found, expected, "program {number} with {reductions}: {program:?}");
            torn += left_out;
        }
    }
    // The programs are of use.
    assert!(torn > 1000 && fails > 100, "{torn} {fails}");
}

#[test]
fn a_read_outside_does_not_see_the_middle_of_a_section() {
    use Step::*;
    let writer = vec![Begin, Store(0, 1), Store(0, 2), End];
    let whole = Tiny { threads: vec![writer, vec![Load(0, 0), FailIf(0, 1)]] };
    assert!(!explored(&whole, &sc(), Reductions::NONE).0.fails);
    let loose = Tiny { threads: vec![vec![Store(0, 1), Store(0, 2)], vec![Load(0, 0), FailIf(0, 1)]] };
    assert!(explored(&loose, &sc(), Reductions::NONE).0.fails);
}

#[test]
fn an_assumption_inside_of_a_section_chooses_when_it_is_taken() {
    use Step::*;
    let take = [Begin, Load(0, 0), Assume(0, 0), Store(0, 1), End];
    let give = [Store(0, 0)];
    let critical = [Load(1, 1), FailIf(1, 1), Store(1, 1), Store(1, 0)];
    let thread: Vec<Step> = take.into_iter().chain(critical).chain(give).collect();
    let program = Tiny { threads: vec![thread.clone(), thread] };
    let (found, _) = explored(&program, &sc(), Reductions::ALL);
    assert!(!found.fails && !found.finals.is_empty());
    assert_eq!(found, interleave(&program));
}
