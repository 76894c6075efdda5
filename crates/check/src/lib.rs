//! The verifier as a library: a [`Check`] in, an [`Outcome`] out.
//!
//! Everything that makes a check *correct* is here and below: which reductions are sound for a model and a
//! program, when to explore again ([`settle()`]), what a verdict follows from ([`Verdict::of`]). What is
//! found is taken down as data ([`Violation`], [`Witness`]) and rendered by whoever asked. There is no state
//! of the process: any number of checks run side by side.
//!
//! Crate `selvedge` has this with everything else that a library user needs, and a guide.

mod adjacent;
mod calls;
mod campaign;
mod check;
mod checkpoint;
mod crash;
mod either;
mod error;
mod estimate;
mod files;
mod finder;
mod invariant;
mod limits;
mod litmus;
mod locks;
mod lowering;
mod missing;
mod observer;
mod options;
mod order;
mod outcome;
mod owned;
mod points;
mod prepare;
mod reason;
mod recorded;
mod settle;
mod stages;
mod states;
mod stopped;
mod verdict;
mod violation;
mod witness;

pub use calls::{Telling, Tellings};
pub use check::{Check, FOUND_AS_RACES, Program};
pub use crash::{Crash, CrashStep, Persist, Remedy};
pub use either::Answer;
pub use error::{InputError, InputKind};
pub use estimate::{Forecast, Pace, estimate_litmus};
pub use files::{open_regular, source_line};
pub use finder::{ModelWarning, Passed, Then};
pub use invariant::Invariant;
pub use limits::{Cancel, Limits, line_of, peak_kib};
pub use litmus::{AssertionFailure, Flag, LitmusOptions, LitmusOutcome, check_litmus};
pub use lowering::Sources;
pub use missing::{Missing, Passage};
pub use observer::{Nobody, Observer, Phase};
pub use options::{Checkpoints, Options, Workers};
pub use outcome::{Bound, Comparison, Outcome, PostCrashStates, Undecided, Warning};
pub use points::Point;
pub use reason::{Edge, Reason};
pub use recorded::{EventAt, Recorded, RecordedEvent, Site};
pub use selvedge_decide::compile;
pub use settle::{Attempt, Settling, settle};
pub use states::{Count, Searched, Searching, StatePath, StateStep, StateViolation};
pub use stopped::Stopped;
pub use verdict::{Facts, Verdict};
pub use violation::{Violation, What};
pub use witness::{
    Access, Action, Call, Event, Files, Initial, Place, Relations, Thread, Value, Waiting, WaitsFor, Witness,
    short, witness,
};
