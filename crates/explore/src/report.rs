//! What goes into an exploration and what comes out of it.

use crate::follow::{self, path_of};
use crate::frame::Frame;
use crate::path::Path;
use crate::process_end::{Over, process_over};
use crate::reductions::Watches;
use crate::stuck::waiting;
use crate::threads::Threads;
use crate::way::Why;
use selvedge_graph::{EventId, ExecutionGraph, Tid};
use selvedge_machine::{Again, Block, ErrorKind, Machine, Op, ProgramError, Reductions};
use selvedge_model::{Model, ModelError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

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
    /// Leaves out checks that cannot fail and candidates that cannot lead anywhere. The result is the
    /// same without; only the time is not.
    pub shortcuts: bool,
    /// Looks at every access as it is made, for races, for reads of memory that was never written, and
    /// for objects that are not alive; an execution ends where one is found.
    pub inspect: bool,
    /// With `inspect`: whether races count. If not, plain accesses are explored like relaxed ones.
    pub races: bool,
    /// Whether what is in an atomic section races with plain accesses outside. If not, it races with nothing.
    pub sections_race: bool,
    /// What is left out because it makes no difference; only with [`Equivalence::Co`]. The
    /// annotations lower the number of blocked executions, confirmation that of complete ones.
    pub reductions: Reductions,
    /// Where conditions of reductions are watched; a reduction that has to be is off without. Whoever gives
    /// some has to look at [`Watches::broken`] afterwards.
    pub watches: Watches,
    /// Whether executions are shown in which nothing can be wrong: all threads came to their end, and there
    /// are no objects that could be left. If not, where that takes making a graph, they are only counted.
    pub plain: bool,
    /// Whether visitors ask where events come from also in executions in which nothing is wrong.
    pub origins: bool,
    /// Whether programs are first explored in the order of their threads under a model that follows
    /// dependencies, where that is known to be watched for rightly.
    pub in_order: bool,
    /// Whether dependencies are followed by revisits, where the model allows it.
    pub follow: bool,
    /// For models that follow dependencies: asked every few hundred events; gives up with the reason that
    /// it returns.
    pub watch: Option<Watch>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            equivalence: Equivalence::Co,
            schedule: Schedule::LeftToRight,
            max_executions: None,
            max_events: 100_000,
            shortcuts: true,
            inspect: false,
            races: true,
            sections_race: false,
            reductions: Reductions::NONE,
            watches: Watches::default(),
            plain: true,
            origins: false,
            in_order: true,
            follow: true,
            watch: None,
        }
    }
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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

/// What finds the errors in a graph that only a model knows.
pub(crate) trait ModelErrors {
    fn errors(&self, graph: &ExecutionGraph) -> Vec<ModelError>;

    /// Those that are not found when an access is made: errors of another shape than races, and warnings.
    fn unnoticed(&self, graph: &ExecutionGraph) -> Vec<ModelError>;

    /// The model's name for what is wrong with an access.
    fn name_at(&self, graph: &ExecutionGraph, e: EventId) -> Option<String>;
}

impl ModelErrors for Model {
    fn errors(&self, graph: &ExecutionGraph) -> Vec<ModelError> {
        Model::errors(self, graph)
    }

    fn unnoticed(&self, graph: &ExecutionGraph) -> Vec<ModelError> {
        self.unnoticed_errors(graph)
    }

    fn name_at(&self, graph: &ExecutionGraph, e: EventId) -> Option<String> {
        self.race_at(graph, e).map(|race| race.name)
    }
}

/// One final graph, shown to the visitor.
pub struct Execution<'a, M: Machine> {
    pub graph: &'a ExecutionGraph,
    pub end: End,
    pub(crate) machine: &'a M,
    pub(crate) model: &'a dyn ModelErrors,
    pub(crate) threads: &'a Threads<M::State>,
    pub(crate) failure: Option<&'a Failure>,
    /// Of several threads that failed, the one that counts.
    pub(crate) culprit: Option<Tid>,
    pub(crate) decisions: Decisions<'a>,
}

/// The decisions that led to an execution, as whoever made them keeps them.
#[derive(Clone, Copy)]
pub(crate) enum Decisions<'a> {
    Clocks(&'a [Frame]),
    Revisits(&'a [follow::Frame]),
    /// They are not kept.
    None,
}

/// What is wrong with an access, found when it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind of error it is.
    pub kind: ErrorKind,
    pub event: EventId,
    /// The other event that it has to do with.
    pub other: Option<EventId>,
}

impl<M: Machine> Execution<'_, M> {
    /// The machine whose words this execution speaks: its locations, objects and states.
    pub fn machine(&self) -> &M {
        self.machine
    }

    /// The decisions that led to it. Of two executions, one worker finds the one with the smaller path
    /// first.
    pub fn path(&self) -> Path {
        match self.decisions {
            Decisions::Clocks(frames) => Path::of(frames),
            Decisions::Revisits(frames) => path_of(frames),
            Decisions::None => Path::default(),
        }
    }

    /// The final local state of a thread; `None` if it was never created.
    pub fn state(&self, t: Tid) -> Option<&M::State> {
        self.threads.state(t)
    }

    /// The operation that a thread stands at; `None` if it was never created.
    pub fn stands_at(&self, t: Tid) -> Option<Op> {
        self.threads.op(t)
    }

    /// Errors that only the model knows, such as data races.
    pub fn model_errors(&self) -> Vec<ModelError> {
        self.model.errors(self.graph)
    }

    /// Those of them that inspection leaves to the end: errors that are no races, and warnings.
    pub fn unnoticed_errors(&self) -> Vec<ModelError> {
        self.model.unnoticed(self.graph)
    }

    /// The model's own name for what inspection found.
    pub fn name_of_failure(&self) -> Option<String> {
        self.model.name_at(self.graph, self.failure?.event)
    }

    /// The first thread that failed by itself, and how.
    pub fn program_error(&self) -> Option<(Tid, ProgramError)> {
        self.culprit.into_iter().chain(self.tids()).find_map(|t| match self.threads.op(t)? {
            Op::Error(error) => Some((t, self.machine.error(error))),
            _ => None,
        })
    }

    /// What inspection found, if it ended this execution.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure
    }

    /// Whether a thread has ended the process.
    pub fn exited(&self) -> bool {
        process_over(self.machine, self.threads) == Over::Exited
    }

    /// The state that an event came from.
    pub fn state_of(&self, e: EventId) -> Option<&M::State> {
        self.threads.state_of(e)
    }

    fn tids(&self) -> impl Iterator<Item = Tid> {
        (0..self.graph.threads() as u16).map(Tid)
    }

    /// The threads that wait for ever, if this is a blocked execution in which nothing can change that:
    /// what they last read is the latest there is (thesis §9.2.3.4). `None` if a thread waits only
    /// because it read something old, or because of an `assume`.
    pub fn stuck(&self) -> Option<Vec<(Tid, Option<Block>)>> {
        if self.end != End::Blocked {
            return None;
        }
        let g = self.graph;
        let waiting = waiting(self.machine, self.threads, g, |e| g.rf(e) == g.co_last(g.event(e).loc))?;
        let stuck: Vec<_> = waiting.into_iter().map(|thread| (thread.tid, thread.why)).collect();
        (!stuck.is_empty()).then_some(stuck)
    }
}

/// Why an exploration stopped before its end.
#[derive(Clone, PartialEq, Debug)]
pub enum GaveUp {
    /// There were as many executions as there may be.
    Executions(u64),
    /// An execution has more events than it may have.
    Events(usize),
    /// The visitor had seen enough.
    AtExecution,
    /// So many seconds are over.
    Time(f64),
    /// So many megabytes are taken.
    Memory(u64),
    /// There is no more memory.
    OutOfMemory,
    /// Somebody wants it to end.
    Interrupted,
    /// The program is too large, for this reason.
    TooLarge(String),
    /// It has to begin anew.
    Again(Again),
}

impl GaveUp {
    /// Of two reasons the one that counts: that it has to begin anew, or the first.
    pub fn first(one: Option<GaveUp>, other: Option<GaveUp>) -> Option<GaveUp> {
        match (&one, &other) {
            (Some(GaveUp::Again(_)), _) | (_, None) => one,
            (None, _) | (_, Some(GaveUp::Again(_))) => other,
            _ => one,
        }
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GaveUp::Executions(most) => write!(f, "{most} executions were explored"),
            GaveUp::Events(most) => write!(f, "an execution has more than {most} events"),
            GaveUp::AtExecution => f.write_str("stopped at an execution"),
            GaveUp::Time(seconds) => write!(f, "the time limit of {seconds} s is reached"),
            GaveUp::Memory(megabytes) => write!(f, "the memory limit of {megabytes} MB is reached"),
            GaveUp::OutOfMemory => f.write_str("there is no more memory"),
            GaveUp::Interrupted => f.write_str("interrupted"),
            GaveUp::TooLarge(why) => f.write_str(why),
            GaveUp::Again(again) => again.fmt(f),
        }
    }
}

/// Says whether there is a reason to stop.
#[derive(Clone)]
pub struct Watch(Arc<dyn Fn() -> Option<GaveUp> + Send + Sync>);

impl Watch {
    /// A watch that is asked by calling a function.
    pub fn new(ask: impl Fn() -> Option<GaveUp> + Send + Sync + 'static) -> Watch {
        Watch(Arc::new(ask))
    }

    /// The reason, if there is one.
    pub fn reason(&self) -> Option<GaveUp> {
        (self.0)()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// What an exploration did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Graphs that were entered and left again without an execution of their own: a read-modify-write
    /// read what another one had read already (the one-step rule, thesis §5.5).
    pub dropped_rmw: u64,
    /// Other graphs that were entered and led nowhere. Optimality says that there are none.
    pub aborted: u64,
    /// Graphs that led nowhere because a thread waits for its twin; with symmetry only.
    pub held_up: u64,
    /// Graphs that no interleaving explains in which atomic sections are one step.
    pub torn: u64,
    /// Under a model that follows dependencies: why reads were put off instead of being revisited; not kept
    /// in files.
    #[serde(skip)]
    pub put_off: Option<Why>,
    /// Why the exploration stopped early; not kept in files.
    #[serde(skip)]
    pub gave_up: Option<GaveUp>,
}

impl Stats {
    pub(crate) fn count(&mut self, end: End) {
        match end {
            End::Complete => self.complete += 1,
            End::Blocked => self.blocked += 1,
            End::Cut => self.cut += 1,
            End::Error => self.errors += 1,
        }
    }

    /// Adds what another explorer did.
    pub fn add(&mut self, other: &Stats) {
        let Stats {
            complete,
            blocked,
            cut,
            errors,
            revisits,
            events,
            dropped_rmw,
            aborted,
            held_up,
            torn,
            put_off,
            gave_up,
        } = other;
        self.put_off = self.put_off.or(*put_off);
        self.complete += complete;
        self.blocked += blocked;
        self.cut += cut;
        self.errors += errors;
        self.revisits += revisits;
        self.events += events;
        self.dropped_rmw += dropped_rmw;
        self.aborted += aborted;
        self.held_up += held_up;
        self.torn += torn;
        self.gave_up = GaveUp::first(self.gave_up.take(), gave_up.clone());
    }

    /// All executions that were shown to the visitor.
    pub fn executions(&self) -> u64 {
        self.complete + self.blocked + self.cut + self.errors
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    #[error(
        "the model `{0}` does not say how creating and joining threads orders events (it does not use `tc` and `tj`), and this program creates threads"
    )]
    ThreadsNotOrdered(String),
    #[error(
        "under the model `{0}` this program may have executions in which a value depends on itself (a cycle of dependencies and reads-from: out of thin air); such programs cannot be explored"
    )]
    ThinAir(String),
    #[error(
        "the model `{0}` follows dependencies, which is not supported for this program: it uses `selvedge_local` or `selvedge_final_write`, or is not run by a machine that tracks them"
    )]
    NotWithDependencies(String),
    #[error("more than {0} threads are not supported")]
    TooManyThreads(usize),
    /// A unit of work that does not belong to this program, model and configuration.
    #[error("the work that was left does not belong to this program")]
    NoSuchPath,
}
