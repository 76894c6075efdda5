//! How a program is checked.

use crate::crash::Persist;
use selvedge_explore::{Config, Equivalence, Team, Watch};
use selvedge_machine::{ErrorKinds, Reduction, Reductions};
use selvedge_model::Model;
use selvedge_vm::{DiskOptions, LoopBound, NondetRange};
use std::path::PathBuf;
use std::time::Duration;

/// Everything but the program and the model. The defaults are those of the command.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Iterations of a loop after which an execution is cut.
    pub unroll: u32,
    /// Looks for errors with smaller bounds first, where loops run into them.
    pub grow: bool,
    /// The same for some loops.
    pub unroll_some: Vec<LoopBound>,
    /// More threads than this are an error.
    pub most_threads: u32,
    /// Gives up when an execution has more events than this.
    pub most_events: usize,
    /// Gives up after this many executions, blocked ones included.
    pub most_executions: Option<u64>,
    /// The same, once errors were looked for with smaller bounds.
    pub at_first: Option<u64>,
    /// Which executions count as the same.
    pub equivalence: Equivalence,
    /// What is left out because it makes no difference, if what it needs holds.
    pub reductions: Reductions,
    /// Data races, and what else a model calls an error, are errors.
    pub races: bool,
    /// They are not reported, but looked for, to find out that there are none ([`Reduction::RaceFree`]).
    ///
    /// [`Reduction::RaceFree`]: selvedge_machine::Reduction::RaceFree
    pub races_aside: bool,
    /// Races are no errors, but worth a warning. Looking for them is part of [`Reduction::RaceFree`].
    ///
    /// [`Reduction::RaceFree`]: selvedge_machine::Reduction::RaceFree
    pub warn_of_races: bool,
    /// Objects on the heap that are never freed are errors.
    pub leaks: bool,
    /// Only these kinds of errors are looked for. Races are if [`races`](Options::races) says so, and leaks
    /// if [`leaks`](Options::leaks) does.
    pub errors: ErrorKinds,
    /// Goes on after the first error.
    pub all_errors: bool,
    /// Keeps what the program prints.
    pub output: bool,
    /// Keeps executions that break as models see them ([`Violation::recorded`](crate::Violation::recorded)).
    pub record: bool,
    /// The weak compare-and-exchanges of each thread may fail for no reason, so many times at most.
    pub weak_failures: u32,
    /// A panic that ends a thread is no error by itself: whoever joins the thread is told.
    pub joined_panics: bool,
    /// Arguments of the program, after its name.
    pub args: Vec<String>,
    /// The program's environment.
    pub env: Vec<(String, String)>,
    /// Functions that nobody knows give any value, and do nothing else.
    pub unknown_functions: bool,
    /// What `__VERIFIER_nondet_int` and its kin give is within this range.
    pub nondet_range: Option<NondetRange>,
    /// How many explore.
    pub workers: Workers,
    /// Reports the same error for any number of workers: the first in the order of exploration.
    pub deterministic: bool,
    /// Where the random choices of an estimate, or of scouts, begin.
    pub seed: u64,
    /// Takes up to so many executions at random instead, as long as there is time, and looks for errors in
    /// them. It verifies nothing.
    pub scouts: Option<u64>,
    /// Where the exploration is written down, now and then.
    pub checkpoint: Option<Checkpoints>,
    /// The checkpoint to go on from.
    pub resume: Option<PathBuf>,
    /// Looks for what recovery does wrong after a crash.
    pub persist: Option<Persist>,
    /// How files are kept.
    pub disk: DiskOptions,
}

impl Options {
    /// The reductions that are asked for, but for those that recovery could tell, where crashes are looked
    /// for.
    pub(crate) fn reductions_beside_recovery(&self) -> Reductions {
        let told = |reduction: &Reduction| self.persist.is_some() && !reduction.is_sound_beside_recovery();
        Reduction::ALL.into_iter().filter(told).fold(self.reductions, Reductions::without)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            unroll: 16,
            grow: true,
            unroll_some: Vec::new(),
            most_threads: 32,
            most_events: 4_000_000,
            most_executions: None,
            at_first: None,
            equivalence: Equivalence::Co,
            reductions: Reductions::ALL,
            races: true,
            races_aside: false,
            warn_of_races: false,
            leaks: false,
            errors: ErrorKinds::ALL,
            all_errors: false,
            output: false,
            record: false,
            weak_failures: 0,
            joined_panics: false,
            args: Vec::new(),
            env: Vec::new(),
            unknown_functions: false,
            nondet_range: None,
            workers: Workers::default(),
            deterministic: false,
            seed: 0,
            scouts: None,
            checkpoint: None,
            resume: None,
            persist: None,
            disk: DiskOptions::default(),
        }
    }
}

/// Where checkpoints go.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoints {
    /// A file that does not exist yet, or the one that is gone on from.
    pub file: PathBuf,
    /// How often, in seconds.
    pub every: f64,
}

/// Who explores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    /// How many.
    pub number: usize,
    /// For how long the first one is alone: most explorations are over before others could help.
    pub alone: Duration,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers { number: 1, alone: Duration::from_millis(15) }
    }
}

impl Workers {
    pub(crate) fn team<'a>(self, model: &'a Model, config: &'a Config) -> Team<'a> {
        Team { alone: self.alone, ..Team::new(model, config, self.number) }
    }
}

impl Options {
    /// What the explorer is to do, without what is watched on the way.
    pub(crate) fn config(&self, reductions: Reductions, watch: Option<Watch>) -> Config {
        Config {
            equivalence: self.equivalence,
            inspect: true,
            races: self.races,
            sections_race: self.errors != ErrorKinds::ALL && !self.races_aside,
            reductions,
            max_events: self.most_events,
            max_executions: self.most_executions,
            plain: self.output || self.persist.is_some() || self.errors != ErrorKinds::ALL,
            watch,
            ..Config::default()
        }
    }

    /// What the machine is to do.
    pub(crate) fn of_machine(&self, reductions: Reductions, threads: u32) -> selvedge_vm::Options {
        selvedge_vm::Options {
            unroll: self.unroll,
            unroll_some: self.unroll_some.clone(),
            max_threads: threads,
            weak_cas_failures: self.weak_failures,
            joined_panics: self.joined_panics,
            keep_output: self.output,
            reductions,
            args: self.args.clone(),
            env: self.env.clone(),
            unknown_functions: self.unknown_functions,
            nondet_range: self.nondet_range,
            errors: self.errors,
            disk: self.disk,
            // What is only assumed to be possible shows where threads fail or wait, not in what is left, or
            // in what is printed.
            make_up_reads: !(self.leaks || self.output || self.persist.is_some()),
            ..selvedge_vm::Options::default()
        }
    }

    /// All that makes a difference to what is explored, and in which order.
    pub(crate) fn identity(&self) -> String {
        format!(
            "{:?} {} {:?} {} {:?} {} {} {} {} {} {} {} {} {:?} {:?} {} {:?} {:?} {}",
            self.equivalence,
            self.unroll,
            self.unroll_some,
            self.leaks,
            self.errors,
            self.most_threads,
            self.most_events,
            self.races,
            self.all_errors,
            self.output,
            self.weak_failures,
            self.joined_panics,
            self.reductions,
            self.args,
            self.env,
            self.unknown_functions,
            self.nondet_range,
            self.disk,
            self.persist.as_ref().map_or(String::new(), Persist::identity)
        )
    }
}
