//! What a check came to.

use crate::finder::{ModelWarning, Passed};
use crate::observer::Phase;
use crate::verdict::Verdict;
use crate::violation::{Violation, not_allowed};
use crate::witness::Place;
use selvedge_explore::{GaveUp, Stats};
use selvedge_machine::Again;
use std::fmt;

/// The answer to a [`Check`](crate::Check), with all that it rests on.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The model's name.
    pub model: String,
    /// How many executions there are, by their ends.
    pub stats: Stats,
    /// What recovery could find after crashes, where that was asked for: how many states, and under which
    /// persistency model.
    pub post_crash: Option<PostCrashStates>,
    /// Executions that differ only in which of up to so many threads does what count once.
    pub symmetric_threads: Option<u32>,
    /// How long it took, runs before a checkpoint included.
    pub seconds: f64,
    /// Loops that ran into their bounds.
    pub bounds: Vec<Bound>,
    /// What is wrong, the first in the order of exploration first.
    pub violations: Vec<Violation>,
    /// What is not wrong, but worth knowing.
    pub warnings: Vec<Warning>,
    /// What the same program does under sequential consistency, if it does not do what is wrong here.
    pub comparison: Option<Comparison>,
    /// Why there is no answer.
    pub undecided: Option<Undecided>,
    /// What the program prints: if that was asked for.
    pub output: Option<String>,
    /// Why the program was explored again, each time.
    pub again: Vec<Again>,
}

/// What recovery could find after crashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PostCrashStates {
    /// The persistency model's name.
    pub model: String,
    /// How many ways there are for recovery to read what is durable.
    pub states: u64,
}

/// A loop that ran into its bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Where it is.
    pub place: Place,
    /// Iterations up to which it was explored.
    pub iterations: u32,
}

/// An error is not there under sequential consistency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Executions there.
    pub executions: u64,
}

/// ` at queue.c:42`, or nothing.
fn at(place: Option<&Place>) -> String {
    place.map_or(String::new(), |place| format!(" at {}", place.short()))
}

/// Something worth knowing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// The machine does not do everything as the program may expect.
    Note(String),
    /// The model warns of two accesses.
    OfModel(ModelWarning),
    /// Two plain accesses race, which the language allows.
    Race(String),
    /// Arrivals at barriers were explored one after the other, for this reason.
    BarriersInOrder(String),
    /// An error that is not looked for ends the process.
    NotLookedFor(Passed),
    /// An unknown input may be too many numbers here, and the smallest were tried.
    Sampled(Place),
    /// All executions end at an assumption that the program itself makes.
    AllAssumedAway,
    /// The program has a recovery routine, and nobody asked for crashes.
    RecoveryNotRun,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Note(text) => f.write_str(text),
            Warning::OfModel(ModelWarning { name, first, second }) => {
                write!(f, "{name}: {}", not_allowed(first.as_ref(), second.as_ref()))
            }
            Warning::Race(what) => write!(f, "a race: {what}"),
            Warning::BarriersInOrder(why) => {
                write!(f, "barriers are explored with an order of arrivals: {why}")
            }
            Warning::NotLookedFor(Passed { name, place, .. }) => write!(
                f,
                "{name}{} is not looked for: what the thread would do after it is not explored",
                at(place.as_ref())
            ),
            Warning::RecoveryNotRun => f.write_str(
                "the program has a recovery routine, which was not run: `--persist MODEL` looks for crashes",
            ),
            Warning::AllAssumedAway => f.write_str(
                "every execution ends at an assumption of the program's own (`assume_abort_if_not`)",
            ),
            Warning::Sampled(Place { file, line, .. }) => write!(
                f,
                "{file}:{line}: an unknown input has to be a definite number here, and only the smallest ones \
                 are tried; `--nondet-range LOW..HIGH` tries those of a range"
            ),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Undecided {
    /// The program does something that is not supported.
    Unsupported(Option<Place>, String),
    /// The exploration did not come to its end.
    GaveUp(GaveUp),
    /// It did not even begin.
    NotBegun(GaveUp, Phase),
    /// Executions end with an error that is not looked for, before all threads have come to their ends.
    NotLookedFor(Passed),
    /// No execution is complete.
    Vacuous,
    /// A search of states does not know whether there are data races.
    Races,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Unsupported(Some(place), what) => {
                write!(f, "{}:{}: not supported: {what}", place.file, place.line)
            }
            Undecided::Unsupported(None, what) => write!(f, "not supported: {what}"),
            Undecided::GaveUp(why) => why.fmt(f),
            Undecided::NotBegun(why, phase) => write!(f, "{why} while {}", phase.name()),
            Undecided::NotLookedFor(Passed { name, place, .. }) => write!(
                f,
                "{name}{} is not looked for, and what comes after it is not explored",
                at(place.as_ref())
            ),
            Undecided::Races => f.write_str(
                "whether there are data races is not known: that goes by happens-before, which states do not \
                 have (`--engine executions` finds out; `--no-race-detection` if races do not matter)",
            ),
            Undecided::Vacuous => f.write_str(
                "nothing was checked: no execution is complete, as an assumption does not hold in any of them",
            ),
        }
    }
}

impl Outcome {
    /// What was over is the time that was given, where only a part of it was for this.
    pub(crate) fn time_was(&mut self, given: f64) {
        if let Some(Undecided::GaveUp(GaveUp::Time(part)) | Undecided::NotBegun(GaveUp::Time(part), _)) =
            &mut self.undecided
        {
            *part = given;
        }
    }

    /// Of a check that was given up before anything was explored.
    pub fn nothing(model: &str, why: Undecided, seconds: f64) -> Outcome {
        Outcome {
            verdict: Verdict::Unknown,
            model: model.to_string(),
            stats: Stats::default(),
            post_crash: None,
            symmetric_threads: None,
            seconds,
            bounds: Vec::new(),
            violations: Vec::new(),
            warnings: Vec::new(),
            comparison: None,
            undecided: Some(why),
            output: None,
            again: Vec::new(),
        }
    }
}
