//! Programs as lists of operations, with durable locations and a recovery that reads.

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_graph::{DepSet, Deps, Loc, Medium, MediumKind, PersistOp, Tid, Value};
use selvedge_machine::{
    Claims, Dependencies, Durability, ErrorKind, Foresight, Lifetimes, Machine, Mode, Names, Op,
    ProgramError, Rmw, Stateful,
};

#[derive(Clone, Copy, Debug)]
pub enum Visible {
    Load(Loc, Mode),
    Store(Loc, Value, Mode),
    Add(Loc, Mode),
    Fence(Mode),
    Persist(PersistOp, Option<u32>),
}

/// A read of recovery, after which it ends if it reads this.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub loc: Loc,
    pub stops_at: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub threads: Vec<Vec<Visible>>,
    pub media: Vec<Option<Medium>>,
    pub recovery: Vec<Reading>,
}

/// How many operations are done; the thread, or none for recovery; whether half of an addition is.
#[derive(Clone, Debug)]
pub struct At {
    thread: Option<usize>,
    done: usize,
    half: bool,
}

impl Script {
    pub fn random(rng: &mut SmallRng) -> Script {
        if rng.random_bool(0.2) {
            return Script::growing(rng);
        }
        let (files, both) = (rng.random_bool(0.6), rng.random_bool(0.1));
        let locations = rng.random_range(2..=4);
        let of_files = |rng: &mut SmallRng| if both { rng.random_bool(0.5) } else { files };
        let media: Vec<Option<Medium>> = (0..locations)
            .map(|_| {
                let files = of_files(rng);
                medium(rng, files)
            })
            .collect();
        let threads = rng.random_range(1..=3);
        let mut left = 7;
        let mut code = Vec::new();
        for _ in 0..threads {
            let own = rng.random_range(1..=4usize).min(left);
            left -= own;
            let code_of = |_| {
                let files = of_files(rng);
                visible(rng, &media, files)
            };
            code.push((0..own).map(code_of).collect());
        }
        let reads = rng.random_range(1..=4);
        let recovery = (0..reads)
            .map(|_| Reading {
                loc: Loc(rng.random_range(0..locations)),
                stops_at: rng.random_bool(0.3).then(|| rng.random_range(0..3)),
            })
            .collect();
        Script { threads: code, media, recovery }
    }

    /// A file that grows, from inside of a block or not, while another thread does something with it.
    fn growing(rng: &mut SmallRng) -> Script {
        let byte = |offset: u32| Some(Medium { kind: MediumKind::Data, unit: 0, block: offset / 2, offset });
        let first = rng.random_range(0..3);
        let size = Some(Medium { kind: MediumKind::Metadata, unit: 0, block: 0, offset: 2 });
        let mut media = vec![size, byte(first), byte(first + 1)];
        media.push(medium(rng, true));
        let old = rng.random_range(0..=i64::from(first) + 1);
        let mut code = Vec::new();
        if old > 0 {
            code.push(Visible::Store(Loc(0), old, Mode::Rlx));
        }
        for loc in [1, 2] {
            if rng.random_bool(0.8) {
                code.push(Visible::Store(Loc(loc), 1, Mode::Rlx));
            }
        }
        code.push(Visible::Store(Loc(0), rng.random_range(old + 1..6), Mode::Rlx));
        if rng.random_bool(0.4) {
            code.insert(rng.random_range(0..=code.len()), visible(rng, &media, true));
        }
        let beside = (0..rng.random_range(0..3)).map(|_| visible(rng, &media, true)).collect();
        let mut recovery: Vec<Reading> =
            (0..4).map(|loc| Reading { loc: Loc(loc), stops_at: None }).collect();
        recovery.truncate(rng.random_range(2..=4));
        Script { threads: vec![code, beside], media, recovery }
    }

    /// What recovery reads, where `find` says what is there.
    pub fn recover<T>(&self, mut find: impl FnMut(Loc) -> (T, Value)) -> Vec<(Loc, T)> {
        let mut found = Vec::new();
        let mut known: Vec<(Loc, Value)> = Vec::new();
        for Reading { loc, stops_at } in &self.recovery {
            // What was read once is known, and what is not durable is as at the beginning.
            let value = match known.iter().find(|(of, _)| of == loc) {
                Some((_, value)) => *value,
                None if self.media[loc.index()].is_none() => 0,
                None => {
                    let (from, value) = find(*loc);
                    found.push((*loc, from));
                    known.push((*loc, value));
                    value
                }
            };
            if *stops_at == Some(value) {
                break;
            }
        }
        found
    }
}

fn medium(rng: &mut SmallRng, files: bool) -> Option<Medium> {
    if rng.random_bool(0.1) {
        return None;
    }
    let unit = rng.random_range(0..2);
    if !files {
        return Some(Medium { kind: MediumKind::Memory, unit, block: 0, offset: 0 });
    }
    Some(match rng.random_range(0..8) {
        0..4 => {
            let offset = rng.random_range(0..5);
            Medium { kind: MediumKind::Data, unit, block: offset / 2, offset }
        }
        4 | 5 => Medium { kind: MediumKind::Metadata, unit, block: 0, offset: 2 },
        6 => Medium { kind: MediumKind::Directory, unit: 7, block: 0, offset: 0 },
        _ => Medium { kind: MediumKind::Journal, unit, block: 0, offset: 0 },
    })
}

fn visible(rng: &mut SmallRng, media: &[Option<Medium>], files: bool) -> Visible {
    let loc = Loc(rng.random_range(0..media.len() as u32));
    let mode = |rng: &mut SmallRng, modes: &[Mode]| modes[rng.random_range(0..modes.len())];
    match rng.random_range(0..20) {
        0..8 => {
            // Sizes go far.
            let most =
                if media[loc.index()].is_some_and(|of| of.kind == MediumKind::Metadata) { 6 } else { 3 };
            let value = rng.random_range(1..most);
            Visible::Store(loc, value, mode(rng, &[Mode::Rlx, Mode::Rel, Mode::Sc]))
        }
        8..11 => Visible::Load(loc, mode(rng, &[Mode::Rlx, Mode::Acq, Mode::Sc])),
        11..13 => Visible::Add(loc, mode(rng, &[Mode::Rlx, Mode::AcqRel, Mode::Sc])),
        13 => Visible::Fence(Mode::Sc),
        14 => Visible::Persist(PersistOp::Barrier, None),
        _ => {
            let unit = Some(rng.random_range(0..2));
            let ops = match files {
                true => {
                    &[(PersistOp::Fsync, unit), (PersistOp::Fsync, Some(7)), (PersistOp::SyncAll, None)][..]
                }
                false => &[
                    (PersistOp::Clflush, unit),
                    (PersistOp::ClflushOpt, unit),
                    (PersistOp::Clwb, unit),
                    (PersistOp::StoreFence, None),
                    (PersistOp::Copy, Some(2)),
                ],
            };
            let (op, unit) = ops[rng.random_range(0..ops.len())];
            Visible::Persist(op, unit)
        }
    }
}

impl Stateful for Script {
    type State = At;
}

impl Machine for Script {
    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn runs_from_start(&self, _: Tid) -> bool {
        true
    }

    fn init_value(&self, _: Loc) -> Value {
        0
    }

    fn start(&self, thread: Tid) -> At {
        At { thread: Some(thread.index()), done: 0, half: false }
    }

    fn step(&self, at: &mut At, input: Value) -> Op {
        let Some(thread) = at.thread else {
            let stops = at.done.checked_sub(1).and_then(|last| self.recovery[last].stops_at) == Some(input);
            at.done += 1;
            return match self.recovery.get(at.done - 1) {
                Some(read) if !stops => Op::Load { loc: read.loc, mode: Mode::Na, rmw: Rmw::No },
                _ => Op::End,
            };
        };
        if at.half
            && let Some(Visible::Add(loc, mode)) = self.threads[thread].get(at.done - 1).copied()
        {
            at.half = false;
            return Op::Store { loc, value: input + 1, mode, rmw: true };
        }
        at.done += 1;
        match self.threads[thread].get(at.done - 1).copied() {
            None => Op::End,
            Some(Visible::Load(loc, mode)) => Op::Load { loc, mode, rmw: Rmw::No },
            Some(Visible::Store(loc, value, mode)) => Op::Store { loc, value, mode, rmw: false },
            Some(Visible::Add(loc, mode)) => {
                at.half = true;
                Op::Load { loc, mode, rmw: Rmw::Always }
            }
            Some(Visible::Fence(mode)) => Op::Fence { mode },
            Some(Visible::Persist(op, unit)) => Op::Persist { op, unit },
        }
    }

    fn error(&self, _: u32) -> ProgramError {
        ProgramError { kind: ErrorKind::Assertion, message: String::from("it does not fail") }
    }
}

impl Durability for Script {
    fn medium(&self, loc: Loc) -> Option<Medium> {
        self.media[loc.index()]
    }

    fn recovery(&self, _: u32) -> Option<At> {
        Some(At { thread: None, done: 0, half: false })
    }
}

impl Names for Script {}
impl Lifetimes for Script {}
impl Claims for Script {}
impl Foresight for Script {}
impl Dependencies for Script {
    fn tracks_deps(&self) -> bool {
        true
    }

    /// What an addition stores is computed from what it loaded, right before.
    fn deps(&self, at: &At) -> Deps {
        let Some(thread) = at.thread else { return Deps::NONE };
        let done = &self.threads[thread][..at.done.min(self.threads[thread].len())];
        let adds = done.iter().filter(|visible| matches!(visible, Visible::Add(..))).count();
        match done.last() {
            // The load is what was done before the store half.
            Some(Visible::Add(..)) if !at.half => {
                Deps { data: DepSet::one((done.len() + adds - 1) as u32), ..Deps::NONE }
            }
            _ => Deps::NONE,
        }
    }
}
