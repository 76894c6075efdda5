//! What a program is to the explorer.
//!
//! A [`Machine`] runs one thread from one visible operation to the next. It knows nothing of memory
//! models: it is told the value of each read. A thread's local state is a value that can be saved
//! and run again from where it was saved, so that exploration never replays (engine decision 1).

pub mod expr;
pub mod interp;
pub mod program;

pub use interp::{Registers, ThreadState};
pub use program::Program;
pub use selvedge_graph::{Deps, Loc, Mode, Tid, Value};

/// Whether a load is the first half of a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rmw {
    /// A load and nothing else.
    No,
    /// The next operation of the thread is the store half, whatever is read.
    Always,
    /// The store half follows exactly if `expected` is read; if not, this is a load with ordering `fail`.
    Cas { expected: Value, fail: Mode },
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
    /// The program picks one of `0..count`.
    Choose {
        count: u32,
    },
    /// An `assume` that does not hold: this thread never goes on.
    Block,
    /// A loop ran into its bound: nothing is known of what would follow.
    Cut,
    /// A failed assertion or another error of the program; the machine keeps the message.
    Error(u32),
    End,
}

/// A program, thread by thread.
pub trait Machine {
    type State: Clone;

    /// Threads are numbered from 0 up to this, exclusive.
    fn threads(&self) -> usize;

    /// Whether this thread runs from the start; the others wait to be spawned.
    fn runs_from_start(&self, thread: Tid) -> bool;

    /// The initial value of each location.
    fn init(&self) -> Vec<Value>;

    /// The state of a thread before its first step.
    fn start(&self, thread: Tid) -> Self::State;

    /// Runs a thread to its next visible operation. `input` is the value that its previous operation
    /// gave it: what a load read or a choice picked; other operations give 0.
    fn step(&self, state: &mut Self::State, input: Value) -> Op;

    /// The message of an error that `step` returned.
    fn error_text(&self, error: u32) -> String;

    /// Dependencies of the operation that `step` returned last for this state.
    fn deps(&self, _state: &Self::State) -> Deps {
        Deps::default()
    }
}
