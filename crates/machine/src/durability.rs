//! What outlives a crash, and what runs after it.

use crate::Stateful;
use selvedge_graph::{Loc, Medium, PersistOp};

/// Durable locations and the recovery routine. A machine that has none says nothing.
pub trait Durability: Stateful {
    /// Where a location is kept, if it outlives a crash.
    fn medium(&self, _loc: Loc) -> Option<Medium> {
        None
    }

    /// What is made to persist, in words: `fsync of "log"`.
    fn persisted_name(&self, op: PersistOp, _unit: u32) -> String {
        op.name().to_string()
    }

    /// The state in which the recovery routine begins after a crash, before its first step, if the program
    /// has one: after the first crash, or after so many. All but durable memory is as at the beginning of the
    /// program.
    fn recovery(&self, _crashes_before: u32) -> Option<Self::State> {
        None
    }

    /// Whether the recovery routine creates threads, as far as that came up.
    fn recovery_has_threads(&self) -> bool {
        false
    }

    /// It does: what was explored is explored again ([`again`](crate::Machine::again)), if the machine can
    /// run threads after a crash.
    fn note_recovery_threads(&self) {}
}
