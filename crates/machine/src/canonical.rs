//! Canonical states: what a search that remembers states asks of a machine. An explorer of executions never
//! does, so this is no part of [`Machine`](crate::Machine).

use crate::Stateful;

/// A thread's state as a sequence of words, so that threads that go on alike have the same one.
pub trait Canonical: Stateful {
    /// Writes down what makes a difference to what the thread does from here on, and to what can be asked
    /// of it: where it stands and what it knows, but not how long it took to get there. Addresses are words
    /// of their own (see [`mentions`](Canonical::mentions)).
    fn write_down(&self, state: &Self::State, words: &mut Vec<u64>);

    /// Everything that the thread has read so far is settled: from here on, positions of operations are
    /// counted from the one that it stands at, and nothing depends on what was before.
    fn forget_deps(&self, state: &mut Self::State);

    /// The objects with a beginning of life that a word may be an address of, or have addresses in. Saying
    /// too much is always right.
    fn mentions(&self, _word: u64, _found: &mut dyn FnMut(u32)) {}
}
