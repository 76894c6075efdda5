//! One test under one model, and what was expected of it.

use crate::args::{Expect, LitmusArgs, Schedule};
use crate::error::{Exit, InputError};
use crate::guard;
use crate::meter::Meter;
use selvedge_check::{LitmusOptions, LitmusOutcome, check_litmus};
use selvedge_litmus::{Test, Verdict};
use selvedge_model::Compiled;
use std::ops::Deref;

/// A result.
#[derive(Clone, Debug)]
pub struct Outcome {
    found: LitmusOutcome,
    pub check: Check,
}

impl Deref for Outcome {
    type Target = LitmusOutcome;

    fn deref(&self) -> &LitmusOutcome {
        &self.found
    }
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

pub fn run(test: &Test, model: &Compiled, args: &LitmusArgs) -> Result<Outcome, InputError> {
    let options = LitmusOptions {
        equivalence: args.equivalence.into(),
        schedule: match args.schedule {
            Schedule::Ltr => selvedge_explore::Schedule::LeftToRight,
            Schedule::WritesFirst => selvedge_explore::Schedule::WritesFirst,
        },
        most_executions: args.max_executions,
        workers: args.jobs.workers(),
        witness: args.dot.is_some() || args.format.is_json(),
        record: 0,
    };
    let mut meter = Meter::new(0.0);
    let found = check_litmus(test, model, &options, &guard::watch(), &mut |progress| meter.show(progress));
    meter.clear();
    let mut outcome = Outcome { found: found?, check: Check::None };
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
    // What is undecided is neither as expected nor not; what is decided in spite of what is missing is
    // either.
    if all.clone().any(|(_, found)| found == "Undecided") {
        return Check::Unsettled;
    }
    match all.find(|(expected, found)| expected != found) {
        Some((expected, found)) => Check::Differs { expected, found },
        None => Check::AsExpected,
    }
}
