//! What a program is to the explorer.
//!
//! A [`Machine`] runs one thread from one visible operation to the next. It knows nothing of memory
//! models: it is told the value of each read. A thread's local state is a value that can be saved
//! and run again from where it was saved, so that exploration never replays (engine decision 1).

mod again;
mod arms;
mod classes;
mod error;
pub mod expr;
pub mod interp;
pub mod program;
pub mod reduction;
mod track;

pub use again::Again;
pub use classes::EventClasses;
pub use error::{ErrorKind, NoSuchKind, ProgramError};
pub use interp::{Registers, ThreadState};
pub use program::Program;
pub use reduction::{Reduction, Reductions};
pub use selvedge_graph::{DepSet, Deps, Loc, Mode, Tid, Value};

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
    /// A branch goes the way of `value`, 1 or 0, which depends on the operation's data. Where that is not known yet, the
    /// way may be decided first, and the data has to fit.
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
    /// This thread does not go on, unless one of its reads is revisited.
    Block(Block),
    /// A loop ran into its bound: nothing is known of what would follow.
    Cut,
    /// A failed assertion or another error of the program; the machine keeps the message.
    Error(u32),
    End,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourcePlace {
    /// As the compiler was given it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
}

/// A barrier that is in some object's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// As in [`Op::Arrive`].
    pub barrier: u32,
    pub count: u32,
    /// Where its memory says which barrier it is, and what stands there until it is destroyed.
    pub word: Loc,
    pub alive: Value,
    /// Where arrivals are counted, if they are.
    pub counter: Option<Loc>,
}

/// A program, thread by thread.
pub trait Machine {
    type State: Clone;

    /// Threads are numbered from 0 up to this, exclusive.
    fn threads(&self) -> usize;

    /// What events the program may have, whatever the values that it reads: their attributes. Events that
    /// never come up do no harm. `None` if that is not known.
    fn event_classes(&self) -> Option<EventClasses> {
        None
    }

    /// Whether this thread runs from the start; the others wait to be spawned.
    fn runs_from_start(&self, thread: Tid) -> bool;

    /// How many locations there are before the program runs.
    fn locations(&self) -> usize {
        0
    }

    /// The initial value of a location. Locations may come up while the program runs.
    fn init_value(&self, loc: Loc) -> Value;

    /// The object with a beginning and an end of life that a location is part of.
    fn object(&self, _loc: Loc) -> Option<u32> {
        None
    }

    /// Whether an object is a local variable.
    fn is_local(&self, _object: u32) -> bool {
        false
    }

    /// Whether an object comes into being by an [`Op::Alloc`].
    fn is_allocated(&self, _object: u32) -> bool {
        true
    }

    /// The barriers in the memory of an object.
    fn waits_within(&self, _object: u32) -> Vec<Meeting> {
        Vec::new()
    }

    /// Whether some operation may be [`Op::Local`].
    fn has_local_objects(&self) -> bool {
        false
    }

    /// The object that a location is part of, as [`Op::Local`] names it.
    fn whole(&self, loc: Loc) -> u32 {
        loc.0
    }

    /// Whether `is_final` may hold of some state.
    fn has_final_writes(&self) -> bool {
        false
    }

    /// Whether the program says that the store that a state stands at is never overwritten.
    fn is_final(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether `in_section` may hold of some state.
    fn has_sections(&self) -> bool {
        false
    }

    /// Whether the operation that a state stands at is part of an atomic section: of one step of an interleaving. Two
    /// sections of a thread have an operation between them that is not.
    fn in_section(&self, _state: &Self::State) -> bool {
        false
    }

    /// The state of a thread that runs from the start, before its first step.
    fn start(&self, thread: Tid) -> Self::State;

    /// The state of a thread that `parent` has just spawned, before its first step.
    fn spawned(&self, _parent: &Self::State, child: Tid) -> Self::State {
        self.start(child)
    }

    /// Runs a thread to its next visible operation. `input` is the value that its previous operation
    /// gave it: what a load read or a choice picked; other operations give 0.
    fn step(&self, state: &mut Self::State, input: Value) -> Op;

    /// The same where what the load that the thread stands at reads is not known yet; `guess` is what it
    /// may be. What the operation has of it is of no meaning, and `deps` tells what that is.
    fn step_not_knowing(&self, state: &mut Self::State, guess: Value) -> Op {
        self.step(state, guess)
    }

    /// An error that `step` returned.
    fn error(&self, error: u32) -> ProgramError;

    /// Why what is being explored is not explored as it should be, if something of that kind has come up.
    fn again(&self) -> Option<Again> {
        None
    }

    /// How many reads the iteration made that a thread waits in (`Block::Spin`).
    fn spin_reads(&self, _state: &Self::State) -> u32 {
        1
    }

    /// Where in the source a state stands.
    fn place(&self, _state: &Self::State) -> Option<SourcePlace> {
        None
    }

    /// The calls that led to a state, the innermost first: functions, and where each stands.
    fn stack(&self, _state: &Self::State) -> Vec<(String, Option<SourcePlace>)> {
        Vec::new()
    }

    /// What the program takes a value of a location for, as far as that is known: `i32`, `pointer`.
    fn value_type(&self, _loc: Loc, _value: Value) -> Option<String> {
        None
    }

    /// A location in the program's own words.
    fn location_name(&self, loc: Loc) -> String {
        format!("location {}", loc.0)
    }

    /// A value that a location holds, in the program's own words.
    fn value_name(&self, _loc: Loc, value: Value) -> String {
        value.to_string()
    }

    /// What a race, or a read of memory that was never written, is called at this state: wrong use of what
    /// the library does there.
    fn misuse(&self, _state: &Self::State) -> Option<ErrorKind> {
        None
    }

    fn thread_name(&self, _state: &Self::State) -> String {
        String::new()
    }

    /// The stores to a location that a thread in this state may come to: their orderings, and whether they
    /// are halves of read-modify-writes. `None` if that is not known.
    fn stores_to_come(&self, _state: &Self::State, _loc: Loc) -> Option<Vec<(Mode, bool)>> {
        None
    }

    /// Whether there are any. Saying yes is always right.
    fn may_write(&self, state: &Self::State, loc: Loc) -> bool {
        self.stores_to_come(state, loc).is_none_or(|stores| !stores.is_empty())
    }

    /// Whether a thread in this state may still create others. Saying yes is always right.
    fn may_spawn(&self, _state: &Self::State) -> bool {
        true
    }

    /// Whether the process is over where this thread has come to its end.
    fn ends_process(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether a load of kind `Rmw::Linked` or `Rmw::Tentative`, at which `state` stands, is followed by its store
    /// half if it reads `value`.
    fn writes_after(&self, state: &Self::State, value: Value) -> bool {
        let mut state = state.clone();
        matches!(self.step(&mut state, value), Op::Store { rmw: true, .. })
    }

    /// What a read-modify-write adds, at whose load (of kind `Rmw::Tentative`) the state stands.
    fn amount(&self, _state: &Self::State) -> Value {
        0
    }

    /// Whether the thread goes on in the same way if the load that the state stands at reads `value`, and if it reads the
    /// sum of `value` and `shift`; or waits in the second case. What the store half of a read-modify-write stores
    /// has to differ by `shift`, too. Saying no is always right.
    fn is_indifferent(&self, _state: &Self::State, _value: Value, _shift: Value) -> bool {
        false
    }

    /// Whether what a read-modify-write writes, at whose load (of kind `Rmw::Always`) the state stands, is
    /// the same whatever it reads. Saying no is always right.
    fn writes_regardless(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether the thread waits if the compare-and-exchange fails, at whose load (of kind `Rmw::Cas`) the
    /// state stands, whatever it reads, and if so, whether the last read before it is part of what it would do
    /// again (or nothing is, as after an `assume`), and nobody can have seen what it wrote since. Saying no is always
    /// right.
    fn waits_if_it_fails(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether [`alike`](Machine::alike) may hold of some threads.
    fn has_twins(&self) -> bool {
        false
    }

    /// Whether two threads that have not begun yet do the same: what they do is a function of what they read, and
    /// the same function but for the names of the threads and of the objects that they make. Nor does
    /// anything else in the program depend on such names, except that it may wait for the end of a thread. They
    /// create no threads and wait for none. Saying no is always right.
    fn alike(&self, _a: &Self::State, _b: &Self::State) -> bool {
        false
    }

    /// Whether `deps` has anything to say.
    fn tracks_deps(&self) -> bool {
        false
    }

    /// Dependencies of the operation that `step` returned last for this state (thesis alg. 2.2): the
    /// positions in its thread of the loads (and store-conditionals) that it depends on. Every operation that becomes an event
    /// counts, from 1.
    fn deps(&self, _state: &Self::State) -> Deps {
        Deps::NONE
    }
}
