//! One test under one model.

use crate::args::{Equivalence, Expect, LitmusArgs, Schedule};
use crate::dot;
use crate::error::{ErrorKind, Exit, InputError};
use selvedge_explore::{Config, End, Execution, Stats, explore_compiled};
use selvedge_graph::{EventId, ExecutionGraph, Value};
use selvedge_litmus::{Histogram, Observable, Observation, Test, Verdict};
use selvedge_machine::Program;
use selvedge_model::Compiled;
use std::ops::ControlFlow;
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
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub model: String,
    pub histogram: Histogram,
    pub stats: Stats,
    pub flags: Vec<Flag>,
    pub failure: Option<Failure>,
    pub seconds: f64,
    /// A drawing of an execution that decides the verdict, if one was asked for and exists.
    pub drawing: Option<String>,
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
    /// The result is bounded, which settles nothing.
    Unsettled,
}

impl Outcome {
    pub fn verdict(&self, test: &Test) -> Verdict {
        self.histogram.verdict(test.quantifier)
    }

    pub fn observation(&self) -> Observation {
        self.histogram.observation()
    }

    pub fn is_bounded(&self) -> bool {
        self.stats.cut > 0 || self.stats.gave_up.is_some()
    }

    pub fn exit(&self) -> Exit {
        let wrong = matches!(self.check, Check::Differs { .. });
        if wrong || self.failure.is_some() || self.flags.iter().any(|f| !f.warning) {
            Exit::Violated
        } else if self.is_bounded() {
            Exit::Bounded
        } else {
            Exit::Done
        }
    }
}

pub fn run(test: &Test, model: &Compiled, args: &LitmusArgs) -> Result<Outcome, InputError> {
    if args.equivalence == Equivalence::Rf && test.observes_memory() {
        let message = format!(
            "{} looks at the final value of a location, which `--equivalence rf` does not determine",
            test.name
        );
        return Err(InputError::plain(ErrorKind::Unsupported, message, Some("use `--equivalence co`")));
    }
    if args.equivalence == Equivalence::Rf && model.follows_dependencies() {
        let message = format!("{} follows dependencies, which needs `--equivalence co`", model.name());
        return Err(InputError::plain(ErrorKind::Unsupported, message, Some("use `--equivalence co`")));
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
    let mut collector = Collector {
        test,
        draw: args.dot.is_some(),
        histogram: Histogram::new(),
        flags: Vec::new(),
        failure: None,
        drawing: None,
    };
    let start = Instant::now();
    let program = Program { tracks_deps: model.follows_dependencies(), ..test.program.clone() };
    let explored = explore_compiled(&program, model, &config, &mut |execution| {
        collector.visit(execution);
        ControlFlow::Continue(())
    });
    let seconds = start.elapsed().as_secs_f64();
    let stats =
        explored.map_err(|error| InputError::plain(ErrorKind::Unsupported, error.to_string(), None))?;
    let Collector { histogram, flags, failure, drawing, .. } = collector;
    let model = model.name().to_string();
    let mut outcome =
        Outcome { model, histogram, stats, flags, failure, seconds, drawing, check: Check::None };
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
    if outcome.is_bounded() {
        return Check::Unsettled;
    }
    match all.find(|(expected, found)| expected != found) {
        Some((expected, found)) => Check::Differs { expected, found },
        None => Check::AsExpected,
    }
}

/// Takes in the executions of one test.
struct Collector<'a> {
    test: &'a Test,
    draw: bool,
    histogram: Histogram,
    flags: Vec<Flag>,
    failure: Option<Failure>,
    drawing: Option<String>,
}

impl Collector<'_> {
    fn visit(&mut self, execution: &Execution<'_, Program>) {
        let decides = execution.end == End::Complete && {
            self.histogram.add(self.test, &|observable| final_value(execution, observable))
        };
        if decides && self.draw && self.drawing.is_none() {
            self.drawing = Some(dot::draw(&self.test.name, &self.test.program, execution.graph));
        }
        if let Some((thread, error)) = execution.program_error()
            && self.failure.is_none()
        {
            let thread = self.test.program.threads[thread.index()].name.clone();
            self.failure = Some(Failure { thread, message: error.message });
        }
        self.model_errors(execution);
    }

    fn model_errors(&mut self, execution: &Execution<'_, Program>) {
        let mut counted: Vec<String> = Vec::new();
        for error in execution.model_errors() {
            if counted.contains(&error.name) {
                continue;
            }
            counted.push(error.name.clone());
            match self.flags.iter_mut().find(|flag| flag.name == error.name) {
                Some(flag) => flag.executions += 1,
                None => self.flags.push(Flag {
                    first: self.access(execution.graph, error.first),
                    second: self.access(execution.graph, error.second),
                    name: error.name,
                    warning: error.warning,
                    executions: 1,
                }),
            }
        }
    }

    /// `P0: W[na] x=1`.
    fn access(&self, graph: &ExecutionGraph, event: EventId) -> String {
        let program = &self.test.program;
        let text = dot::label(program, graph, event);
        match program.threads.get(graph.event(event).tid.index()) {
            Some(thread) => format!("{}: {text}", thread.name),
            None => text,
        }
    }
}

/// The value that an execution leaves in a register or a location.
fn final_value(execution: &Execution<'_, Program>, observable: &Observable) -> Value {
    match observable {
        // A thread that never ran has all its registers at 0.
        Observable::Register { thread, reg, .. } => {
            execution.state(*thread).map_or(0, |state| state.regs[reg.0 as usize])
        }
        Observable::Location { loc, .. } => {
            let last = execution.graph.co(*loc).last().copied().unwrap_or(EventId::INIT);
            execution.graph.value_of(last, *loc)
        }
    }
}
