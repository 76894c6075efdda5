//! Reasons to explore a program again.

use crate::reduction::Reduction;
use std::fmt;

/// Why an exploration is not the last one: something that it took for granted does not hold. What was found
/// so far is dropped, whoever runs the machine gives in (`crates/check`: `Campaign`), and everything is
/// explored anew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Again {
    /// Memory is accessed in smaller parts than before: locations are divided.
    CellsRefined,
    /// Arrivals at barriers have to be explored in their order.
    BarriersOutOfForm,
    /// Somebody can tell whether iterations without net effect were left out.
    NetEffectNoticed,
    /// The order of critical sections that was left out may matter: some of them conflict, one of them waits
    /// for something, or an execution in which it was left out is wrong.
    LockOrder,
    /// Somebody may read what iterations that were left out wrote to an object before it was published.
    UnpublishedSeen,
    /// Something is wrong with an execution in which attempts were repeated, and it is not known that they
    /// can be.
    MadeUp,
    /// Whether a compare-and-exchange succeeds depends on what nobody knows.
    OutcomeUnknown,
    /// What a reduction needs, and is watched for, does not hold: chains are broken (`awaits`: a lock is also
    /// written by threads that do not have it), twins are told apart (`symmetry`), a step may be made twice
    /// (`helping`).
    Unfounded(Reduction),
    /// Executions may be missed by following dependencies: what a read-modify-write writes is computed from a
    /// read that waits for it, or a thread may fail where no dependency tells.
    Dependencies,
    /// Under a model that follows dependencies, a read may read from a write that comes after it in `po |
    /// rf`: threads are not to be explored in program order.
    LoadBuffering,
    /// There are more threads than there was room for.
    MoreRoom,
    /// Several workers found an error, in an order of their own: one worker has to find the first.
    Determinism,
    /// The same program under sequential consistency, to tell whether an error needs weak memory.
    ComparisonWithSc,
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Again::CellsRefined => "memory is accessed in smaller parts than before",
            Again::BarriersOutOfForm => "arrivals at barriers need an order",
            Again::NetEffectNoticed => "iterations without net effect are noticed",
            Again::LockOrder => "the order of critical sections matters",
            Again::UnpublishedSeen => "what was written to an object before it was published may be seen",
            Again::MadeUp => "attempts that were made up may not be possible",
            Again::OutcomeUnknown => "the outcome of a compare-and-exchange depends on an unknown input",
            Again::Unfounded(reduction) => {
                return write!(f, "what `{}` needs does not hold", reduction.name());
            }
            Again::Dependencies => "dependencies do not tell all that an operation waits for",
            Again::LoadBuffering => "a write may be seen before a read that comes before it in its thread",
            Again::MoreRoom => "there are more threads than there was room for",
            Again::Determinism => "the first error has to be found by one worker",
            Again::ComparisonWithSc => "an error is looked for under sequential consistency",
        };
        f.write_str(text)
    }
}
