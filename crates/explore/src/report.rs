//! What goes into an exploration and what comes out of it.

use selvedge_graph::{ExecutionGraph, Tid};
use selvedge_machine::{Machine, Op};
use selvedge_model::{Model, ModelError};

/// Which executions count as the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Equivalence {
    /// Same events, `rf` and `co` (Shasha–Snir).
    #[default]
    Co,
    /// Same events and `rf`; coherence exists but is not told apart (thesis §5.6).
    Rf,
}

/// Which thread goes next. Both are functions of the graph alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    #[default]
    LeftToRight,
    /// Threads whose next operation is not a read go first.
    WritesFirst,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub equivalence: Equivalence,
    pub schedule: Schedule,
    /// Gives up after this many executions, complete or not.
    pub max_executions: Option<u64>,
    /// Gives up when an execution has more events than this.
    pub max_events: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            equivalence: Equivalence::Co,
            schedule: Schedule::LeftToRight,
            max_executions: None,
            max_events: 100_000,
        }
    }
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Every thread came to its end.
    Complete,
    /// A thread waits for ever: an `assume` failed, or a join has nothing to wait for.
    Blocked,
    /// A loop ran into its bound.
    Cut,
    /// The program failed by itself (an assertion).
    Error,
}

/// One final graph, shown to the visitor.
pub struct Execution<'a, M: Machine> {
    pub graph: &'a ExecutionGraph,
    pub end: End,
    pub(crate) machine: &'a M,
    pub(crate) model: &'a Model,
    pub(crate) threads: &'a [Option<Pending<M::State>>],
    pub(crate) starts: &'a [M::State],
}

/// A thread at its next visible operation.
#[derive(Clone, Debug)]
pub(crate) struct Pending<S> {
    pub state: S,
    pub op: Op,
}

impl<M: Machine> Execution<'_, M> {
    /// The final local state of a thread; its first state if it never ran.
    pub fn state(&self, t: Tid) -> &M::State {
        self.threads[t.index()].as_ref().map_or(&self.starts[t.index()], |p| &p.state)
    }

    /// How a thread stands; `None` if it was never created.
    pub fn stands_at(&self, t: Tid) -> Option<Op> {
        self.threads[t.index()].as_ref().map(|p| p.op)
    }

    /// Errors that only the model knows, such as data races.
    pub fn model_errors(&self) -> Vec<ModelError> {
        self.model.errors(self.graph)
    }

    /// The first thread that failed, and its message.
    pub fn program_error(&self) -> Option<(Tid, String)> {
        self.threads.iter().enumerate().find_map(|(t, p)| match p.as_ref()?.op {
            Op::Error(error) => Some((Tid(t as u16), self.machine.error_text(error))),
            _ => None,
        })
    }
}

/// What an exploration did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub complete: u64,
    pub blocked: u64,
    pub cut: u64,
    /// Executions in which the program failed.
    pub errors: u64,
    /// Backward revisits that were carried out.
    pub revisits: u64,
    /// Events that were added to a graph.
    pub events: u64,
    /// Graphs that were entered and left again without an execution: read-modify-writes that read
    /// what another one had read already (thesis §5.5).
    pub dropped_rmw: u64,
    /// Other graphs that were entered and led nowhere. Optimality says that there are none.
    pub aborted: u64,
    /// Why the exploration stopped early.
    pub gave_up: Option<String>,
}

impl Stats {
    /// All executions that were shown to the visitor.
    pub fn executions(&self) -> u64 {
        self.complete + self.blocked + self.cut + self.errors
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    #[error("the model `{0}` does not say how creating and joining threads orders events (it does not use `tc` and `tj`), and this program creates threads")]
    ThreadsNotOrdered(String),
    #[error("more than {0} threads are not supported")]
    TooManyThreads(usize),
}
