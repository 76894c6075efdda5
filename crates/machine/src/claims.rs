//! Claims: what a program says of itself, and the explorer holds it to.
//!
//! For each kind of claim there is a question of the whole program and one of a place in it. The first is
//! cheap, and where it is answered with no, the second is never asked.

use crate::Stateful;
use selvedge_graph::Loc;

/// What a program says of its objects, its writes and its atomic sections.
pub trait Claims: Stateful {
    /// Whether some operation may be [`Op::Local`](crate::Op::Local).
    fn has_local_objects(&self) -> bool {
        false
    }

    /// The object that a location is part of, as [`Op::Local`](crate::Op::Local) names it.
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

    /// Whether the operation that a state stands at is part of an atomic section: of one step of an
    /// interleaving. Two sections of a thread have an operation between them that is not.
    fn in_section(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether a barrier stands for something that has one round only.
    fn meets_once(&self, _barrier: u32) -> bool {
        false
    }
}
