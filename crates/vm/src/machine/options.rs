//! How a program is run.

use super::durable::DiskOptions;
use selvedge_machine::{ErrorKinds, Reductions};

/// Bounds, and what counts as an error.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often the back edge of a loop may be taken.
    pub unroll: u32,
    /// Iterations in which something is found out about an unknown number count for every loop, and no
    /// iteration waits because of its bound: to look at little of a program with many unknowns.
    pub brief: bool,
    /// A plain read has one source, or there is a data race, which is an error: how often a loop goes round
    /// does not depend on what others do meanwhile if it has no other reads.
    pub plain_reads_are_sure: bool,
    /// Functions that nobody knows give any value and do nothing else; if not, a call of one is not
    /// supported.
    pub unknown_functions: bool,
    /// Other bounds for some loops; the first that fits counts.
    pub unroll_some: Vec<LoopBound>,
    pub max_call_depth: u32,
    pub max_threads: u32,
    /// A thread that runs this many instructions without a visible operation is cut.
    pub silent_steps: u32,
    /// Signed overflow is an error; it wraps if not.
    pub check_signed_overflow: bool,
    /// How often a thread's weak compare-and-exchanges fail for no reason, at most.
    pub weak_cas_failures: u32,
    /// How often a thread's waits on condition variables end for no reason, at most.
    pub spurious_wakeups: u32,
    /// What is printed is remembered ([`VmState::printed`]).
    pub keep_output: bool,
    /// Those that are found when the program runs.
    pub reductions: Reductions,
    /// Arrivals at barriers are events without an order among them; if not, they are counted.
    pub unordered_barriers: bool,
    /// Iterations without net effect wait (`Reduction::Zne`) until somebody notices.
    pub leave_out_undone: bool,
    /// So do attempts that store what they read and do not acquire (`Reduction::Exchange`).
    pub leave_out_relaxed: bool,
    /// Atomic stores to objects that nobody knows yet are no effects (`Reduction::Escape`) until somebody may
    /// have seen them.
    pub leave_out_unpublished: bool,
    /// A read may be made again right after it, from the same write, as often as it takes.
    pub repeats_reads: bool,
    /// Attempts that are not known to be of this kind are repeated all the same (`Reduction::Attempts`) until
    /// something is wrong.
    pub make_up_reads: bool,
    /// Threads keep track of what their operations depend on.
    pub track_deps: bool,
    /// With `track_deps`: threads are explored in program order all the same.
    pub in_order: bool,
    /// Memory that is accessed atomically in different sizes is refused: the name of the model that has no
    /// meaning for it.
    pub refuses_mixed_sizes: Option<String>,
    /// The arguments of the command line, without the name of the program.
    pub args: Vec<String>,
    /// The environment.
    pub env: Vec<(String, String)>,
    /// Numbers that `__VERIFIER_nondet_int` and its kin give are within this range.
    pub nondet_range: Option<NondetRange>,
    /// A panic that ends a thread of Rust is no error by itself: whoever joins the thread is told.
    pub joined_panics: bool,
    /// Errors of other kinds end the process where they happen, as `exit` does.
    pub errors: ErrorKinds,
    /// How files are kept.
    pub disk: DiskOptions,
    /// Finds out whether what objects are called makes a difference ([`Canonical::names_matter`]).
    ///
    /// [`Canonical::names_matter`]: selvedge_machine::Canonical::names_matter
    pub watch_names: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            unroll: 16,
            brief: false,
            plain_reads_are_sure: false,
            unknown_functions: false,
            unroll_some: Vec::new(),
            max_call_depth: 256,
            max_threads: 32,
            silent_steps: 10_000_000,
            check_signed_overflow: true,
            weak_cas_failures: 0,
            spurious_wakeups: 1,
            keep_output: false,
            reductions: Reductions::ALL,
            unordered_barriers: true,
            leave_out_undone: true,
            leave_out_relaxed: true,
            leave_out_unpublished: true,
            repeats_reads: true,
            make_up_reads: true,
            track_deps: false,
            in_order: false,
            refuses_mixed_sizes: None,
            args: Vec::new(),
            env: Vec::new(),
            nondet_range: None,
            joined_panics: false,
            errors: ErrorKinds::ALL,
            disk: DiskOptions::default(),
            watch_names: false,
        }
    }
}

/// A range of numbers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NondetRange {
    pub low: i64,
    pub high: i64,
}

impl NondetRange {
    /// How many there are, or very many.
    pub fn count(self) -> usize {
        self.high
            .checked_sub(self.low)
            .and_then(|n| usize::try_from(n).ok())
            .map_or(0, |n| n.saturating_add(1))
    }
}

/// A bound for the loops of a function, or those in a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    pub function: Option<String>,
    pub line: Option<u32>,
    pub bound: u32,
}
