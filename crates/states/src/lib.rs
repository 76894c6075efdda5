//! Explicit-state search under memory models that are reordering tables.
//!
//! The second opinion of Selvedge: it shares the machine that runs programs with the explorer of
//! executions, and nothing else. A thread issues its operations in program order, and completes them in any
//! order that the model's table allows (Huynh and Roychoudhury, *Memory Model Sensitive Bytecode
//! Verification*, §5 and §6); every state is visited once. So it comes to an end where threads wait in
//! loops without a bound, and it can be asked about all states that there are on the way. The graph of
//! states is kept, for the minimum cut of §7.

mod access;
mod canon;
mod complete;
mod conflicts;
mod cut;
mod graph;
mod inputs;
mod rename;
mod rows;
mod search;
mod table;
mod taken;
mod thread;
mod walks;
mod world;

pub use cut::{Capacities, Cut, cut};
pub use graph::{Edge, Graph};
pub use search::{Found, Invariant, Options, Stop, Wrong, search};
pub use table::{Line, NotATable, Table};
pub use thread::{Entry, Status, Thread};
pub use walks::{Walks, walk};
pub use world::{Slot, Step, World};
