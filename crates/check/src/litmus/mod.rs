//! Litmus tests: the final states that a test has under a model.
//!
//! ```
//! use selvedge_check::{Cancel, Limits, LitmusOptions, check_litmus, compile};
//!
//! let text = r#"C MP
//! {}
//! P0(atomic_int* x, atomic_int* y) {
//!   atomic_store_explicit(x, 1, memory_order_relaxed);
//!   atomic_store_explicit(y, 1, memory_order_release);
//! }
//! P1(atomic_int* x, atomic_int* y) {
//!   int r0 = atomic_load_explicit(y, memory_order_acquire);
//!   int r1 = atomic_load_explicit(x, memory_order_relaxed);
//! }
//! exists (1:r0=1 /\ 1:r1=0)
//! "#;
//! let test = selvedge_litmus::parse("MP.litmus", text, &selvedge_litmus::Options::default())?;
//! let theory = selvedge_kat::load_named("rc11")?;
//! let model = compile(&theory)?;
//! let watch = Limits::default().start(&Cancel::default());
//! let outcome = check_litmus(&test, &model, &LitmusOptions::default(), &watch, &mut |_| {})?;
//! assert_eq!(outcome.observation(), selvedge_litmus::Observation::Never);
//! assert_eq!(outcome.stats.complete, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod executions;

use crate::error::{InputError, InputKind};
use crate::options::Workers;
use crate::recorded::Recorded;
use crate::witness::Witness;
use executions::Collector;
use selvedge_explore::{
    Config, Deferred, Director, Engine, Equivalence, Order, Progress, Schedule, Snapshot, Stats, Watch,
};
use selvedge_litmus::{Histogram, Observation, Test, Verdict};
use selvedge_model::Compiled;
use std::time::Instant;

/// How a test is explored.
#[derive(Clone, Debug, Default)]
pub struct LitmusOptions {
    /// Which executions count as the same.
    pub equivalence: Equivalence,
    /// Which thread goes next.
    pub schedule: Schedule,
    /// Gives up after this many executions.
    pub most_executions: Option<u64>,
    /// Who explores.
    pub workers: Workers,
    /// Takes down an execution that decides the verdict.
    pub witness: bool,
    /// Keeps so many of the executions that decide the verdict, or are errors, as models see them.
    pub record: usize,
}

/// An error of the program that the model found, such as a data race.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The model's name for it.
    pub name: String,
    /// Worth knowing, but not an error.
    pub warning: bool,
    /// The first access in the first execution that had it.
    pub first: String,
    /// The second one.
    pub second: String,
    /// Executions that have it.
    pub executions: u64,
}

/// A failed assertion, as it happened first.
#[derive(Clone, Debug)]
pub struct AssertionFailure {
    /// The thread's name.
    pub thread: String,
    /// What failed.
    pub message: String,
    /// An error of the test, such as an assertion that fails. In assembly there are none, only accesses that
    /// are beyond what is modelled.
    pub is_error: bool,
}

/// What a test came to under one model.
#[derive(Clone, Debug)]
pub struct LitmusOutcome {
    /// The model's name.
    pub model: String,
    /// Final states, and how often each comes about.
    pub histogram: Histogram,
    /// How many executions there are, by their ends.
    pub stats: Stats,
    /// What the model calls an error.
    pub flags: Vec<Flag>,
    /// What the test itself calls one.
    pub failure: Option<AssertionFailure>,
    /// How long it took.
    pub seconds: f64,
    /// An execution that decides the verdict, if one was asked for and exists.
    pub witness: Option<Witness>,
    /// Executions that decide the verdict or are errors, as models see them.
    pub recorded: Vec<Recorded>,
}

impl LitmusOutcome {
    /// Whether the test's condition holds as its quantifier says.
    pub fn verdict(&self, test: &Test) -> Verdict {
        self.histogram.verdict(test.quantifier, self.is_whole())
    }

    /// Whether the condition holds always, sometimes or never.
    pub fn observation(&self) -> Observation {
        self.histogram.observation(self.is_whole())
    }

    /// Whether every execution was seen to its end. Those that failed have no final state either.
    pub fn is_whole(&self) -> bool {
        !self.is_bounded() && self.stats.errors == 0
    }

    /// Whether something is missing: executions, or, where there is no final state at all, a verdict.
    pub fn is_unsettled(&self) -> bool {
        !self.is_whole() || self.histogram.is_empty()
    }

    /// Whether executions were cut or given up.
    pub fn is_bounded(&self) -> bool {
        self.stats.cut > 0 || self.stats.gave_up.is_some()
    }
}

/// Runs a test. `progress` is told how far it is.
pub fn check_litmus(
    test: &Test,
    model: &Compiled,
    options: &LitmusOptions,
    watch: &Watch,
    progress: &mut dyn FnMut(Progress),
) -> Result<LitmusOutcome, InputError> {
    let needs_co = |message: String| {
        Err(InputError::plain(InputKind::Unsupported, message, Some("use `--equivalence co`")))
    };
    if options.equivalence == Equivalence::Rf && test.observes_memory() {
        return needs_co(format!(
            "{} looks at the final value of a location, which `--equivalence rf` does not determine",
            test.name
        ));
    }
    if !model.follows_dependencies() && test.program.has_pairs_apart() {
        return Err(InputError::pairs_apart(model.name()));
    }
    if options.equivalence == Equivalence::Rf && model.follows_dependencies() {
        return Err(InputError::needs_coherence(model.name()));
    }
    let config = Config {
        equivalence: options.equivalence,
        schedule: options.schedule,
        max_executions: options.most_executions,
        origins: options.record > 0,
        watch: Some(watch.clone()),
        ..Config::default()
    };
    let collector = Collector::new(test, options.witness, options.record);
    let start = Instant::now();
    let program = test.program.tracking(model.follows_dependencies(), model.has_arms());
    let engine: Box<dyn Engine<_, Collector<'_>>> = match model {
        Compiled::Clocks(model) => Box::new(options.workers.team(model, &config)),
        Compiled::Matrices(model) => Box::new(Deferred::new(model, &config, 1)),
    };
    let from = Snapshot::start(collector.clone());
    let explored = engine.explore(&|| program.clone(), &collector, from, &mut Lead { watch, progress });
    let seconds = start.elapsed().as_secs_f64();
    let Snapshot { stats, visitor, .. } = explored.map_err(InputError::unsupported)?;
    let (histogram, flags, failure, witness, recorded) = visitor.results();
    let model = model.name().to_string();
    Ok(LitmusOutcome { model, histogram, stats, flags, failure, seconds, witness, recorded })
}

/// Watches over the exploration of a test.
struct Lead<'w> {
    watch: &'w Watch,
    progress: &'w mut dyn FnMut(Progress),
}

impl<V> Director<V> for Lead<'_> {
    fn order(&mut self, progress: Progress) -> Order {
        if let Some(why) = self.watch.reason() {
            return Order::Stop(why);
        }
        (self.progress)(progress);
        Order::GoOn
    }
}
