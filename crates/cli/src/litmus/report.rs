//! The result of one test, for people.

use super::run::{Check, Outcome};
use crate::args::LitmusArgs;
use selvedge_litmus::Test;
use std::fmt::Write;

/// herd's shape, then what herd does not have.
pub fn render(test: &Test, outcome: &Outcome, args: &LitmusArgs) -> String {
    let mut out = outcome.histogram.report(test, outcome.is_whole(), outcome.seconds);
    for note in &test.notes {
        let _ = writeln!(out, "Note {note}");
    }
    for flag in &outcome.flags {
        let kind = if flag.warning { "Warning" } else { "Flag" };
        let (executions, all) = (flag.executions, outcome.stats.executions());
        let _ = writeln!(
            out,
            "{kind} {}: {} and {} (in {executions} of {all} executions)",
            flag.name, flag.first, flag.second
        );
    }
    if let Some(failure) = &outcome.failure {
        let (errors, all) = (outcome.stats.errors, outcome.stats.executions());
        let _ =
            writeln!(out, "Error {}: {} (in {errors} of {all} executions)", failure.thread, failure.message);
    }
    if outcome.stats.blocked > 0 {
        let _ = writeln!(out, "Blocked {} executions, which have no final state", outcome.stats.blocked);
    }
    for reason in missing(outcome, args) {
        let _ = writeln!(out, "Undecided {reason}");
    }
    match &outcome.check {
        Check::None => {}
        Check::AsExpected => out.push_str("Check as expected\n"),
        Check::Differs { expected, found } => {
            let _ = writeln!(out, "Check expected {expected}, found {found}");
        }
        Check::Unsettled => out.push_str("Check not settled: the result is undecided\n"),
    }
    out
}

/// What is missing for a verdict on all executions.
pub fn missing(outcome: &Outcome, args: &LitmusArgs) -> Vec<String> {
    let stats = &outcome.stats;
    let mut reasons = Vec::new();
    if stats.cut > 0 {
        reasons.push(format!(
            "loops were cut at {} iterations in {} executions, which have no final state; use --unroll N",
            args.unroll, stats.cut
        ));
    }
    if let Some(reason) = &stats.gave_up {
        reasons.push(format!("the exploration gave up: {reason}"));
    }
    if stats.errors > 0 {
        reasons.push(format!("{} executions failed, which have no final state", stats.errors));
    }
    if outcome.histogram.is_empty() && outcome.is_whole() {
        let none = match (stats.complete, stats.blocked) {
            (0, 0) => "there is no execution",
            (0, _) => "all executions are blocked",
            _ => "the filter leaves no execution",
        };
        reasons.push(format!("{none}: nothing was checked"));
    }
    reasons
}
