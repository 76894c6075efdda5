//! An outcome in the words of the report, which is text or JSON.

use selvedge_check::{Action, Outcome, Verdict, Violation, Witness, peak_kib};
use serde::Serialize;

/// The outcome of one check, as `--format json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub verdict: Verdict,
    pub model: String,
    pub executions: u64,
    pub blocked: u64,
    /// Events that were added on the way.
    pub events: u64,
    /// Executions that differ only in which of up to so many threads does what count once.
    #[serde(rename = "symmetric_threads", skip_serializing_if = "Option::is_none")]
    pub alike: Option<u32>,
    pub seconds: f64,
    pub max_rss_kb: u64,
    pub bounded_loops: Vec<CutLoop>,
    pub errors: Vec<Finding>,
    pub warnings: Vec<String>,
    /// Why the error is possible under this model and not under SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What the program prints: with `--show-output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CutLoop {
    pub file: String,
    pub line: u32,
    pub bound: u32,
}

/// Something that is wrong with the program, and the execution that shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// A stable name in kebab case; `docs/check.md` lists them.
    pub kind: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    pub thread: Option<String>,
    pub trace: Vec<Step>,
    /// Whether the steps can be read as an interleaving.
    pub interleaving: bool,
    /// Names of the threads, for the columns of the trace.
    #[serde(skip)]
    pub threads: Vec<String>,
    /// The execution itself.
    pub witness: Witness,
}

/// An event in words.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Number of the thread, and its name.
    pub thread: u16,
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub action: String,
    /// For a read: where the value came from.
    pub from: Option<String>,
    /// This read does not see the latest write of the steps before it.
    pub stale: bool,
}

impl Report {
    /// `model` is what the user calls the model.
    pub fn of(outcome: Outcome, model: &str) -> Report {
        let bounded_loops = outcome.bounds.into_iter().map(|bound| CutLoop {
            file: bound.place.file,
            line: bound.place.line,
            bound: bound.iterations,
        });
        let why = outcome.comparison.map(|sc| {
            format!(
                "Why: this needs weak memory. Under sc the program does not fail like this ({} executions); \
                 under {model} the reads marked above may see older writes. Look for a missing release or acquire.",
                sc.executions
            )
        });
        Report {
            verdict: outcome.verdict,
            model: outcome.model,
            executions: outcome.stats.complete,
            blocked: outcome.stats.blocked,
            events: outcome.stats.events,
            alike: outcome.symmetric_threads,
            seconds: outcome.seconds,
            max_rss_kb: peak_kib(),
            bounded_loops: bounded_loops.collect(),
            errors: outcome.violations.into_iter().map(Finding::of).collect(),
            warnings: outcome.warnings.iter().map(ToString::to_string).collect(),
            why,
            unknown: outcome.undecided.map(|why| why.to_string()),
            output: outcome.output,
        }
    }
}

impl Finding {
    fn of(violation: Violation) -> Finding {
        let message = violation.message();
        let Violation { name: kind, place, thread, witness, .. } = violation;
        let trace = witness.events.iter().map(|event| Step {
            thread: event.thread,
            name: witness.thread(event.thread).to_string(),
            file: event.place.as_ref().map(|place| place.file.clone()),
            line: event.place.as_ref().map(|place| place.line),
            action: witness.action(event),
            from: witness.source(event),
            stale: matches!(event.action, Action::Read { stale: true, .. }),
        });
        Finding {
            kind,
            message,
            file: place.as_ref().map(|place| place.file.clone()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column).filter(|column| *column > 0),
            thread: thread.map(|t| witness.thread(t).to_string()),
            trace: trace.collect(),
            interleaving: witness.interleaving,
            threads: witness.threads.iter().map(|thread| thread.name.clone()).collect(),
            witness,
        }
    }
}
