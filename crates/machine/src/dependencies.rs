//! Dependencies: what an operation depends on. Models that follow dependencies need a machine that keeps
//! track of them; others never ask.

use crate::Stateful;
use selvedge_graph::Deps;

/// Which reads an operation depends on.
pub trait Dependencies: Stateful {
    /// Whether `deps` has anything to say.
    fn tracks_deps(&self) -> bool {
        false
    }

    /// Dependencies of the operation that `step` returned last for this state (thesis alg. 2.2): the
    /// positions in its thread of the loads (and store-conditionals) that it depends on. Every operation that
    /// becomes an event counts, from 1.
    fn deps(&self, _state: &Self::State) -> Deps {
        Deps::NONE
    }

    /// What the load that the thread stands at reads is not known yet. The next `step` is given what it may
    /// be; what the operation has of it is of no meaning, and `deps` tells what that is.
    fn does_not_know(&self, _state: &mut Self::State) {}
}
