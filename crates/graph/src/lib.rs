//! Execution graphs (thesis ch. 2): the events of one execution and the relations between them.
//!
//! A graph knows nothing of programs and nothing of memory models. It stores `po` (one list per thread), `rf`
//! (one source per read, an intrusive list of readers per write), `co` (one list per location), `rmw`, thread
//! creation and joining, optional dependency edges, the insertion order `<_G`, and a pool of vector clocks
//! that a model may fill. Every change of the execution is recorded on a trail, so that exploration works in
//! place and backtracking costs what was changed (thesis §6.4). Room for locations that came up stays
//! (`change`).

mod barrier;
mod change;
mod clock;
mod deps;
mod event;
mod graph;
mod medium;
mod vocab;

pub use barrier::Barrier;
pub use clock::{ClockId, ClockPool};
pub use deps::{DepSet, Deps};
pub use event::{Attrs, Event, EventId, Kind, Part};
pub use graph::{ExecutionGraph, Mark, Readers};
pub use medium::{Medium, MediumKind, PersistOp};
pub use vocab::{Loc, Mode, Tid, Value};
