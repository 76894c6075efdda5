//! Lifetimes: objects that come into being and go, and the process itself. A machine that has none of this
//! says nothing: all locations are there from the beginning to the end, and the process ends when all threads
//! have.

use crate::Stateful;
use selvedge_graph::{Loc, Value};

/// A barrier that is in some object's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// As in [`Op::Arrive`](crate::Op::Arrive).
    pub barrier: u32,
    /// How many threads meet there.
    pub count: u32,
    /// Where its memory says which barrier it is, and what stands there until it is destroyed.
    pub word: Loc,
    /// What stands there.
    pub alive: Value,
    /// Where arrivals are counted, if they are.
    pub counter: Option<Loc>,
}

/// What has a beginning and an end.
pub trait Lifetimes: Stateful {
    /// The object with a beginning and an end of life that a location is part of.
    fn object(&self, _loc: Loc) -> Option<u32> {
        None
    }

    /// Whether an object is a local variable.
    fn is_local(&self, _object: u32) -> bool {
        false
    }

    /// Whether an object comes into being by an [`Op::Alloc`](crate::Op::Alloc).
    fn is_allocated(&self, _object: u32) -> bool {
        true
    }

    /// The barriers in the memory of an object.
    fn waits_within(&self, _object: u32) -> Vec<Meeting> {
        Vec::new()
    }

    /// Whether the process is over where this thread has come to its end.
    fn ends_process(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether the process is over when only this thread and others like it are left.
    fn is_background(&self, _state: &Self::State) -> bool {
        false
    }
}
