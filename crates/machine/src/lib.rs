//! What a program is to the explorer.
//!
//! A [`Machine`] runs one thread from one visible operation to the next. It knows nothing of memory
//! models: it is told the value of each read. A thread's local state is a value that can be saved
//! and run again from where it was saved, so that exploration never replays (engine decision 1).
//!
//! A front end implements [`Stateful`] and [`Machine`]. What else it can tell is in small traits of their
//! own, in which everything has a default: [`Names`] for reports, [`Lifetimes`] of objects, [`Claims`] of
//! the program that are to be checked, [`Foresight`], which reductions live on, [`Dependencies`], and
//! [`Durability`]: what outlives a crash. An
//! empty `impl` says that a front end has nothing of the kind. This one is complete; under sequential
//! consistency it has four executions:
//!
//! ```
#![doc = include_str!("../examples/small/machine.rs")]
//! ```

mod again;
mod arms;
mod canonical;
mod claims;
mod classes;
mod dependencies;
mod durability;
mod error;
pub mod expr;
mod foresight;
pub mod interp;
mod lifetimes;
mod names;
pub mod pairs;
pub mod program;
pub mod reduction;
mod track;

pub use again::Again;
pub use canonical::{Canonical, Words};
pub use claims::Claims;
pub use classes::EventClasses;
pub use dependencies::Dependencies;
pub use durability::Durability;
pub use error::{ErrorKind, ErrorKinds, NoSuchKind, ProgramError};
pub use foresight::{Completion, Foresight, LeftOutOrders};
pub use interp::{Registers, ThreadState};
pub use lifetimes::{Lifetimes, Meeting};
pub use names::{Names, Usage, Used};
pub use program::Program;
pub use reduction::{Reduction, Reductions};
pub use selvedge_graph::{DepSet, Deps, Loc, Medium, Mode, Part, PersistOp, Tid, Value};

/// Whether a load is the first half of a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rmw {
    /// A load and nothing else.
    No,
    /// The next operation of the thread is the store half, whatever is read.
    Always,
    /// The store half follows exactly if `expected` is read; if not, this is a load with ordering `fail`.
    Cas { expected: Value, fail: Mode },
    /// The store half follows exactly if the thread's next operation is a store with `rmw`, given the
    /// value that is read: the machine has to be asked (`Machine::writes_after`).
    Linked,
    /// What the store half adds is taken back at once, depending on what is read: then there is no store
    /// half, but the thread waits, and this is a load with ordering `fail`. Asked like `Linked`.
    Tentative { fail: Mode },
    /// What is read may be what the store half stores, and the thread may then go round a loop without any
    /// other effect: then there is no store half, but the thread waits, and this is a load with ordering
    /// `fail`. Asked like `Linked`.
    Swap { fail: Mode },
}

/// Why a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Block {
    /// An `assume` does not hold: the execution is of no interest.
    Assume,
    Lock,
    Condition,
    Semaphore,
    Barrier,
    /// An iteration of a loop had no effect.
    Spin,
    /// It has ended the process, and all other threads with it.
    Exit,
    Other,
}

/// What a thread does next, as far as others can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Load {
        loc: Loc,
        mode: Mode,
        rmw: Rmw,
    },
    Store {
        loc: Loc,
        value: Value,
        mode: Mode,
        rmw: bool,
    },
    Fence {
        mode: Mode,
    },
    Spawn {
        thread: Tid,
    },
    /// Possible once the thread has ended.
    Join {
        thread: Tid,
    },
    /// Nobody is to join the thread.
    Detach {
        thread: Tid,
    },
    /// From here on an object is used by this thread alone, or so the program says.
    Local {
        object: u32,
    },
    /// Comes to a barrier at which `count` threads meet; `Depart` follows.
    Arrive {
        barrier: u32,
        count: u32,
    },
    /// Possible once as many threads as meet at the barrier have arrived.
    Depart {
        count: u32,
    },
    /// The program picks one of `0..count`.
    Choose {
        count: u32,
    },
    /// A branch goes the way of `value`, 1 or 0, which depends on the operation's data. Where that is not
    /// known yet, the way may be decided first, and the data has to fit.
    Decide {
        value: Value,
    },
    /// The life of an object on the heap, or on the stack if others can see it, begins and ends.
    Alloc {
        object: u32,
    },
    Free {
        object: u32,
    },
    /// Makes something persist; other threads do not see it.
    Persist {
        op: PersistOp,
        /// Which line or file ([`Medium::unit`]), if not everything.
        unit: Option<u32>,
    },
    /// This thread does not go on, unless one of its reads is revisited.
    Block(Block),
    /// A loop ran into its bound: nothing is known of what would follow.
    Cut,
    /// A failed assertion or another error of the program; the machine keeps the message.
    Error(u32),
    End,
}

/// Whether what threads have found out about numbers that nobody knows goes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// There are such numbers.
    Yes,
    /// There are none: what was explored is no execution.
    No,
    /// It takes too long to find out.
    NobodyKnows,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourcePlace {
    /// As the compiler was given it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
}

/// What a thread keeps to itself, in the words of a machine.
pub trait Stateful {
    /// The local state of one thread. It is cloned once for every operation that is explored, so that
    /// should be cheap.
    type State: Clone;
}

/// A program, thread by thread.
pub trait Machine: Names + Lifetimes + Claims + Foresight + Dependencies + Durability {
    /// Threads are numbered from 0 up to this, exclusive.
    fn threads(&self) -> usize;

    /// Whether this thread runs from the start; the others wait to be spawned.
    fn runs_from_start(&self, thread: Tid) -> bool;

    /// The initial value of a location. Locations may come up while the program runs.
    fn init_value(&self, loc: Loc) -> Value;

    /// The state of a thread that runs from the start, before its first step.
    fn start(&self, thread: Tid) -> Self::State;

    /// The state of a thread that `parent` has just spawned, before its first step.
    fn spawned(&self, _parent: &Self::State, child: Tid) -> Self::State {
        self.start(child)
    }

    /// Runs a thread to its next visible operation. `input` is the value that its previous operation
    /// gave it: what a load read or a choice picked; other operations give 0.
    fn step(&self, state: &mut Self::State, input: Value) -> Op;

    /// Whether a load of kind `Rmw::Linked`, `Rmw::Tentative` or `Rmw::Swap`, at which `state` stands, is
    /// followed by its store half if it reads `value`.
    fn writes_after(&self, state: &Self::State, value: Value) -> bool {
        let mut state = state.clone();
        matches!(self.step(&mut state, value), Op::Store { rmw: true, .. })
    }

    /// Whether some access may be of several locations at once: one operation after the other, for each of
    /// them, and nothing between.
    fn has_parts(&self) -> bool {
        false
    }

    /// Which part of its access the operation is that `state` stands at.
    fn part(&self, _state: &Self::State) -> Part {
        Part::WHOLE
    }

    /// An error that `step` returned.
    fn error(&self, error: u32) -> ProgramError;

    /// Whether some choices are decisions by numbers that nobody knows
    /// ([`go_together`](Machine::go_together)).
    fn has_unknowns(&self) -> bool {
        false
    }

    /// Whether different values of a location may stand for the same number, as nobody knows what they are.
    fn may_be_equal(&self, _loc: Loc, _one: Value, _other: Value) -> bool {
        true
    }

    /// Whether numbers exist for which each thread comes to the state given here, and its choice there, if
    /// it stands at one, is this. Of a choice that comes next in states that go together, some alternative
    /// always goes with them.
    fn go_together(&self, _standings: &mut dyn Iterator<Item = (&Self::State, Option<Value>)>) -> Agreement {
        Agreement::Yes
    }

    /// The same, with what threads have found out by reading: an execution in which that does not go together
    /// is none. It is asked of executions that are complete only, as it need not hold of some value that
    /// comes next.
    fn agree(&self, standings: &mut dyn Iterator<Item = &Self::State>) -> Agreement {
        self.go_together(&mut standings.map(|state| (state, None)))
    }

    /// Why what is being explored is not explored as it should be, if something of that kind has come up.
    fn again(&self) -> Option<Again> {
        None
    }
}
