//! One test under one model.

use super::executions::Collector;
use crate::args::{Equivalence, Expect, LitmusArgs, Schedule};
use crate::error::{Exit, InputError, InputKind};
use crate::guard;
use crate::meter::Meter;
use selvedge_check::Witness;
use selvedge_explore::{Config, Director, Order, Progress, Snapshot, Stats, Visitor, explore_compiled};
use selvedge_litmus::{Histogram, Observation, Test, Verdict};
use selvedge_model::Compiled;
use std::time::Instant;

/// An error of the program that the model found, such as a data race.
#[derive(Clone, Debug)]
pub struct Flag {
    pub name: String,
    /// Worth knowing, but not an error.
    pub warning: bool,
    /// The two accesses in the first execution that had it.
    pub first: String,
    pub second: String,
    /// Executions that have it.
    pub executions: u64,
}

/// A failed assertion, as it happened first.
#[derive(Clone, Debug)]
pub struct Failure {
    pub thread: String,
    pub message: String,
    /// An error of the test, such as an assertion that fails. In assembly there are none, only accesses that
    /// are beyond what is modelled.
    pub is_error: bool,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub model: String,
    pub histogram: Histogram,
    pub stats: Stats,
    pub flags: Vec<Flag>,
    pub failure: Option<Failure>,
    pub seconds: f64,
    /// An execution that decides the verdict, if one was asked for and exists.
    pub witness: Option<Witness>,
    pub check: Check,
}

/// How a result compares with what was expected of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// Nothing was expected.
    None,
    AsExpected,
    /// What was expected, and what was found instead.
    Differs {
        expected: String,
        found: String,
    },
    /// The result is undecided, which settles nothing.
    Unsettled,
}

impl Outcome {
    pub fn verdict(&self, test: &Test) -> Verdict {
        self.histogram.verdict(test.quantifier, self.is_whole())
    }

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

    pub fn is_bounded(&self) -> bool {
        self.stats.cut > 0 || self.stats.gave_up.is_some()
    }

    pub fn exit(&self) -> Exit {
        let wrong = matches!(self.check, Check::Differs { .. });
        let fails = self.failure.as_ref().is_some_and(|f| f.is_error);
        if wrong || fails || self.flags.iter().any(|f| !f.warning) {
            Exit::Violated
        } else if self.is_unsettled() {
            Exit::Bounded
        } else {
            Exit::Done
        }
    }
}

/// Watches over the exploration of a test.
struct Lead<'m> {
    meter: &'m mut Meter,
}

impl<V> Director<V> for Lead<'_> {
    fn order(&mut self, progress: Progress) -> Order {
        if let Some(why) = guard::reason_to_stop() {
            return Order::Stop(why);
        }
        self.meter.show(progress);
        Order::GoOn
    }
}

pub fn run(test: &Test, model: &Compiled, args: &LitmusArgs) -> Result<Outcome, InputError> {
    if args.equivalence == Equivalence::Rf && test.observes_memory() {
        let message = format!(
            "{} looks at the final value of a location, which `--equivalence rf` does not determine",
            test.name
        );
        return Err(InputError::plain(InputKind::Unsupported, message, Some("use `--equivalence co`")));
    }
    if args.equivalence == Equivalence::Rf && model.follows_dependencies() {
        let message = format!("{} follows dependencies, which needs `--equivalence co`", model.name());
        return Err(InputError::plain(InputKind::Unsupported, message, Some("use `--equivalence co`")));
    }
    let config = Config {
        equivalence: match args.equivalence {
            Equivalence::Co => selvedge_explore::Equivalence::Co,
            Equivalence::Rf => selvedge_explore::Equivalence::Rf,
        },
        schedule: match args.schedule {
            Schedule::Ltr => selvedge_explore::Schedule::LeftToRight,
            Schedule::WritesFirst => selvedge_explore::Schedule::WritesFirst,
        },
        max_executions: args.max_executions,
        ..Config::default()
    };
    let collector = Collector::new(test, args.dot.is_some() || args.json);
    let start = Instant::now();
    let program = test.program.tracking(model.follows_dependencies(), model.has_arms());
    let explored = match model {
        Compiled::Clocks(model) => {
            let team = args.jobs.team(model, &config);
            let from = Snapshot::start(collector.clone());
            let mut meter = Meter::new(0.0);
            let explored =
                team.explore(&|| program.clone(), &collector, from, &mut Lead { meter: &mut meter });
            meter.clear();
            explored.map(|end| (end.stats, end.visitor))
        }
        // One worker, for now.
        Compiled::Matrices(_) => {
            let config = Config { watch: Some(guard::watch()), ..config };
            let mut collector = collector;
            explore_compiled(&program, model, &config, &mut |x| collector.visit(x))
                .map(|stats| (stats, collector))
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let (stats, collector) =
        explored.map_err(|error| InputError::plain(InputKind::Unsupported, error.to_string(), None))?;
    let (histogram, flags, failure, witness) = collector.results();
    let model = model.name().to_string();
    let mut outcome =
        Outcome { model, histogram, stats, flags, failure, seconds, witness, check: Check::None };
    outcome.check = check(test, &outcome, args);
    Ok(outcome)
}

fn check(test: &Test, outcome: &Outcome, args: &LitmusArgs) -> Check {
    let verdict = args.expect.map(|expect| {
        let expected = if expect == Expect::Ok { Verdict::Ok } else { Verdict::No };
        (expected.to_string(), outcome.verdict(test).to_string())
    });
    let claims = test.expectations.iter().filter(|e| args.check && e.model == outcome.model);
    let observations = claims.map(|e| (e.observation.to_string(), outcome.observation().to_string()));
    let mut all = verdict.into_iter().chain(observations).peekable();
    if all.peek().is_none() {
        return Check::None;
    }
    // What is undecided is neither as expected nor not; what is decided in spite of what is missing is either.
    if all.clone().any(|(_, found)| found == "Undecided") {
        return Check::Unsettled;
    }
    match all.find(|(expected, found)| expected != found) {
        Some((expected, found)) => Check::Differs { expected, found },
        None => Check::AsExpected,
    }
}
