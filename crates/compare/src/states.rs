//! The explorer of executions against the search through states, on generated programs: the same final values
//! of registers and memory, and an error for the one if and only if for the other; with and without what the
//! search leaves out.

use rand::Rng;
use selvedge_explore::{Config, End, GaveUp, explore_compiled};
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_litmus::print_program;
use selvedge_machine::program::Instr;
use selvedge_machine::{ErrorKind, Program};
use selvedge_model::Compiled;
use selvedge_oracle::generate::{arch_program, program, rng_for, with_pointers};
use selvedge_oracle::generate_arch::Arch;
use selvedge_oracle::shrink::shrink_program;
use selvedge_states::{Options, Slot, Table, search};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// One in so many programs is searched with every step of its own.
const EVERY_STEP: u64 = 8;

/// Programs with more states are left out.
const MOST_STATES: usize = 400_000;

/// A model that is a reordering table.
pub struct Subject {
    name: String,
    model: Compiled,
    table: Table,
}

/// Registers of the threads that ran, one thread after the other, and memory.
type Outcome = (Vec<Vec<Value>>, Vec<Value>);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Outcomes {
    ends: BTreeSet<Outcome>,
    errors: bool,
}

/// How many states a program has, without and with what is left out.
#[derive(Clone, Copy, Debug)]
pub struct Same {
    pub states: usize,
    pub reduced: usize,
}

/// Why there is nothing to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// The explorer gave up.
    NotExplored,
    /// There are too many states.
    TooBig,
    /// A compare-and-exchange could fail before it is known what it expects: the search says that it does not
    /// have that.
    Early,
}

/// What the two disagree on.
#[derive(Clone, Debug)]
pub struct Differ(pub String);

impl Subject {
    pub fn named(name: &str) -> Result<Subject, String> {
        let theory = selvedge_kat::load_named(name).map_err(|d| d.to_string())?;
        let model = selvedge_decide::compile(&theory).map_err(|d| d.to_string())?;
        let table = Table::of(&theory).map_err(|why| why.to_string())?;
        Ok(Subject { name: name.to_string(), model, table })
    }

    /// The program with this number, for one seed.
    pub fn program(&self, seed: u64, number: u64) -> Program {
        let mut rng = rng_for(seed, number);
        let program = match number.is_multiple_of(2) {
            true => program(&mut rng),
            false => arch_program(&mut rng, Arch::Imm),
        };
        // Storing a pointer publishes what it points to, under `dotnet`.
        match self.name == "dotnet" && number % 4 > 1 {
            true => with_pointers(program, &mut |n| rng.random_range(0..n)),
            false => program,
        }
    }

    /// Compares all of one program. `every`: with a search in which issuing is a step, too.
    pub fn compare(&self, program: &Program, every: bool) -> Result<Result<Same, LeftOut>, Differ> {
        let Some(expected) = self.explored(program) else { return Ok(Err(LeftOut::NotExplored)) };
        let (found, states) = match self.searched(program, false, !every) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        // By the table, a later write may overtake a compare-and-exchange that fails, and what that reads may
        // depend on it. The exploration does not have this, nor has .NET: its compare-and-exchanges are
        // barriers.
        let fails = |instr: &Instr| matches!(instr, Instr::Cas { failure, .. } if *failure != Mode::Sc);
        let more = self.table.overtakes_reads && program.threads.iter().flat_map(|t| &t.code).any(fails);
        let expected = match more && found.ends.is_superset(&expected.ends) && found.errors >= expected.errors
        {
            true => found.clone(),
            false => expected,
        };
        if found != expected {
            return Err(differ("the search", &found, &expected));
        }
        let (with, reduced) = match self.searched(program, true, true) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        if with != expected {
            return Err(differ("the reduced search", &with, &expected));
        }
        Ok(Ok(Same { states, reduced }))
    }

    fn explored(&self, program: &Program) -> Option<Outcomes> {
        let model = &self.model;
        let program = program.tracking(model.follows_dependencies(), model.has_arms());
        let once = |config: &Config| {
            let mut outcomes = Outcomes::default();
            let stats = explore_compiled(&program, model, config, &mut |x| {
                match x.end {
                    End::Complete => {
                        let registers = (0..program.threads.len())
                            .map(|t| x.state(Tid(t as u16)).map_or(Vec::new(), |s| s.regs.to_vec()));
                        let last = |loc: usize| {
                            let write = x.graph.co(Loc(loc as u32)).last().copied();
                            write.map_or(program.locs[loc].1, |w| match w.is_init() {
                                true => program.locs[loc].1,
                                false => x.graph.event(w).value,
                            })
                        };
                        let memory = (0..program.locs.len()).map(last).collect();
                        outcomes.ends.insert((registers.collect(), memory));
                    }
                    End::Error => outcomes.errors = true,
                    _ => {}
                }
                ControlFlow::Continue(())
            });
            (stats, outcomes)
        };
        let (stats, outcomes) = once(&Config::default());
        match stats {
            Ok(stats) if stats.gave_up.is_none() => Some(outcomes),
            Ok(stats) if matches!(stats.gave_up, Some(GaveUp::Again(_))) => {
                let (stats, outcomes) = once(&Config { follow: false, ..Config::default() });
                stats.is_ok_and(|stats| stats.gave_up.is_none()).then_some(outcomes)
            }
            _ => None,
        }
    }

    /// What ends all states come to, and how many states there are.
    fn searched(&self, program: &Program, reduce: bool, eager: bool) -> Result<(Outcomes, usize), LeftOut> {
        let program = program.tracking(true, false);
        let options =
            Options { reduce, eager, keep_ends: true, max_states: MOST_STATES, ..Options::default() };
        let found = search(&program, &self.table, &options);
        if found.stop.is_some() {
            return Err(LeftOut::TooBig);
        }
        if found.early {
            return Err(LeftOut::Early);
        }
        let mut outcomes = Outcomes::default();
        for (_, world) in &found.ends {
            let registers = (0..program.threads.len()).map(|t| match world.threads.get(t) {
                Some(Slot::Ended(state)) => state.regs.to_vec(),
                _ => Vec::new(),
            });
            let memory = (0..program.locs.len()).map(|loc| world.value(&program, Loc(loc as u32)));
            outcomes.ends.insert((registers.collect(), memory.collect()));
        }
        outcomes.errors = found.wrong.keys().any(|wrong| wrong.kind != ErrorKind::Deadlock);
        Ok((outcomes, found.graph.states()))
    }
}

fn differ(what: &str, found: &Outcomes, expected: &Outcomes) -> Differ {
    let few = |of: &BTreeSet<Outcome>, without: &BTreeSet<Outcome>| -> Vec<String> {
        of.difference(without)
            .take(3)
            .map(|(registers, memory)| format!("{registers:?} {memory:?}"))
            .collect()
    };
    let missing = few(&expected.ends, &found.ends).join("; ");
    let extra = few(&found.ends, &expected.ends).join("; ");
    Differ(format!(
        "{what} has not: {missing}\n{what} alone has: {extra}\nerrors: {} by {what}, {} by the explorer",
        found.errors, expected.errors
    ))
}

/// Many comparisons.
pub struct Campaign {
    pub subjects: Vec<Subject>,
    pub programs: u64,
    pub seed: u64,
    pub jobs: usize,
    pub time: Option<Duration>,
}

/// What came out for one model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub compared: u64,
    pub states: u64,
    pub reduced: u64,
    pub not_explored: u64,
    pub too_big: u64,
    pub early: u64,
}

#[derive(Default)]
pub struct Compared {
    pub scores: Vec<(String, Score)>,
    /// Disagreements, with programs made small, as texts.
    pub failures: Vec<String>,
}

impl Campaign {
    /// Compares until all programs, the time or the first disagreement. `show` is told now and then how many
    /// programs were compared.
    pub fn run(&self, show: &mut dyn FnMut(u64, Duration)) -> Compared {
        let start = Instant::now();
        let (next, running) = (AtomicU64::new(0), AtomicU64::new(self.jobs as u64));
        let stop = AtomicBool::new(false);
        let names = self.subjects.iter().map(|s| (s.name.clone(), Score::default()));
        let all = Mutex::new(Compared { scores: names.collect(), failures: Vec::new() });
        let over = || stop.load(Ordering::Relaxed) || self.time.is_some_and(|t| start.elapsed() >= t);
        let work = || {
            while !over() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.programs {
                    break;
                }
                for (at, subject) in self.subjects.iter().enumerate() {
                    let program = subject.program(self.seed, number);
                    let every = number.is_multiple_of(EVERY_STEP);
                    let compared = subject.compare(&program, every);
                    let failure = compared.as_ref().err().map(|_| subject.told(&program, self.seed, number));
                    let mut all = all.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    if let Ok(compared) = compared {
                        all.scores[at].1.add(compared);
                    }
                    if let Some(failure) = failure {
                        stop.store(true, Ordering::Relaxed);
                        all.failures.push(failure);
                    }
                }
            }
            running.fetch_sub(1, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(work);
            }
            let mut shown = Instant::now();
            while running.load(Ordering::Relaxed) > 0 {
                std::thread::sleep(Duration::from_millis(20));
                if shown.elapsed() > Duration::from_secs(5) {
                    shown = Instant::now();
                    show(next.load(Ordering::Relaxed).min(self.programs), start.elapsed());
                }
            }
        });
        all.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Subject {
    /// A disagreement with the program made small.
    fn told(&self, program: &Program, seed: u64, number: u64) -> String {
        let small = shrink_program(program, &mut |p| self.compare(p, true).is_err());
        let why = self.compare(&small, true).err().or_else(|| self.compare(&small, false).err());
        format!(
            "model {}, program {number} of seed {seed}, made small:\n{}\n{}",
            self.name,
            print_program(&small, "exists (true)"),
            why.map_or(String::new(), |differ| differ.0)
        )
    }
}

impl Score {
    fn add(&mut self, compared: Result<Same, LeftOut>) {
        match compared {
            Ok(same) => {
                self.compared += 1;
                self.states += same.states as u64;
                self.reduced += same.reduced as u64;
            }
            Err(LeftOut::NotExplored) => self.not_explored += 1,
            Err(LeftOut::TooBig) => self.too_big += 1,
            Err(LeftOut::Early) => self.early += 1,
        }
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "model         compared       states      reduced   not explored   too big   early")?;
        for (name, s) in &self.scores {
            writeln!(
                f,
                "{name:12} {:>9} {:>12} {:>12} {:>14} {:>9} {:>7}",
                s.compared, s.states, s.reduced, s.not_explored, s.too_big, s.early
            )?;
        }
        self.failures.iter().try_for_each(|failure| writeln!(f, "{failure}"))
    }
}
