//! Foresight: what a machine knows of a thread beyond its next operation.
//!
//! Reductions live on it. Each answer that a machine gives without knowing (the defaults) is right, and costs
//! nothing but executions that could have been left out.

use crate::{EventClasses, Stateful};
use selvedge_graph::{Loc, Mode, Value};

/// Critical sections whose order is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOutOrders {
    /// There are none.
    None,
    /// Atomic sections only: an order of them is asked for where executions are judged.
    OfAtomicSections,
    /// Others.
    OfLocks,
}

/// What a compare-and-exchange does whose outcome makes no difference to its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Completion {
    pub loc: Loc,
    pub expected: Value,
    pub desired: Value,
    /// Its ordering if it succeeds.
    pub mode: Mode,
}

/// What may come, and what makes no difference to it.
pub trait Foresight: Stateful {
    /// What events the program may have, whatever the values that it reads: their attributes. Events that
    /// never come up do no harm. `None` if that is not known.
    fn event_classes(&self) -> Option<EventClasses> {
        None
    }

    /// How many locations there are before the program runs.
    fn locations(&self) -> usize {
        0
    }

    /// How many reads the iteration made that a thread waits in (`Block::Spin`).
    fn spin_reads(&self, _state: &Self::State) -> u32 {
        1
    }

    /// The stores to a location that a thread in this state may come to, the one at hand included: their
    /// orderings, and whether they are halves of read-modify-writes. `None` if that is not known.
    fn stores_to_come(&self, _state: &Self::State, _loc: Loc) -> Option<Vec<(Mode, bool)>> {
        None
    }

    /// Whether there are any. Saying yes is always right.
    fn may_write(&self, state: &Self::State, loc: Loc) -> bool {
        self.stores_to_come(state, loc).is_none_or(|stores| !stores.is_empty())
    }

    /// Whether some thread may wait because of an assumption (`Block::Assume`). Saying yes is always right.
    fn may_assume(&self) -> bool {
        true
    }

    /// Whether the read-modify-write at whose load the state stands takes a lock, which nobody looks at in
    /// this program but to take it, waiting for it if need be, or to give it back. Saying no is always right.
    fn takes_quietly(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether something visible may come between the halves of a read-modify-write (exclusive pairs).
    fn has_pairs_apart(&self) -> bool {
        false
    }

    /// If so: the linked load of which a thread in this state may still come to the other half, by its number
    /// among the thread's operations, from 1.
    fn link(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// If so: the load, counted likewise, of which the store that the state stands at is the other half.
    fn other_half(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// Whether a thread in this state may still create others. Saying yes is always right.
    fn may_spawn(&self, _state: &Self::State) -> bool {
        true
    }

    /// Whether what a read-modify-write writes, at whose load (of kind `Rmw::Always`) the state stands, is
    /// the same whatever it reads. Saying no is always right.
    fn writes_regardless(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether the thread waits if the compare-and-exchange fails, at whose load (of kind `Rmw::Cas`) the
    /// state stands, whatever it reads, and if so, whether the last read before it is part of what it would
    /// do again (or nothing is, as after an `assume`), and nobody can have seen what it wrote since. Saying
    /// no is always right.
    fn waits_if_it_fails(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether the load that the state stands at begins an iteration of a loop that does nothing but read,
    /// and more than once, before it goes on or waits. Any answer is right.
    fn begins_look(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether `is_unpublished` may hold of some state.
    fn has_unpublished(&self) -> bool {
        false
    }

    /// Whether the atomic store that the state stands at is to an object that no other thread knows yet, and
    /// the machine leaves out iterations with such stores before it.
    fn is_unpublished(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether `completion` may hold of some state.
    fn has_completions(&self) -> bool {
        false
    }

    /// What the compare-and-exchange does, at whose load (of kind `Rmw::Cas`) the state stands, if its thread
    /// goes on in the same way whether it succeeds or fails. Saying nothing is always right.
    fn completion(&self, _state: &Self::State) -> Option<Completion> {
        None
    }

    /// What a read-modify-write stores, at whose load (of kind `Rmw::Swap`) the state stands, if it reads
    /// `value`, and if so, the thread waits if that is what it reads, and the last read before it is part of
    /// what it would do again. Saying nothing is always right.
    fn swaps_for(&self, _state: &Self::State, _value: Value) -> Option<Value> {
        None
    }

    /// What a read-modify-write adds, at whose load (of kind `Rmw::Tentative`) the state stands.
    fn amount(&self, _state: &Self::State) -> Value {
        0
    }

    /// Whether the thread goes on in the same way if the load that the state stands at reads `value`, and if
    /// it reads the sum of `value` and `shift`; or waits in the second case. What the store half of a
    /// read-modify-write stores has to differ by `shift`, too. Saying no is always right.
    fn is_indifferent(&self, _state: &Self::State, _value: Value, _shift: Value) -> bool {
        false
    }

    /// Whether [`alike`](Foresight::alike) may hold of some threads.
    fn has_twins(&self) -> bool {
        false
    }

    /// Whether two threads that have not begun yet do the same: what they do is a function of what they read,
    /// and the same function but for the names of the threads and of the objects that they make. Nor does
    /// anything else in the program depend on such names, except that it may wait for the end of a thread.
    /// They create no threads and wait for none. Saying no is always right.
    fn alike(&self, _a: &Self::State, _b: &Self::State) -> bool {
        false
    }

    /// Where the thread left out read-modify-writes that store what they read without having come to them:
    /// not those that stand in the graph as reads of kind `Rmw::Swap`.
    fn left_swaps<'s>(&self, _state: &'s Self::State) -> &'s [Loc] {
        &[]
    }

    /// Whether it is only assumed that the thread could come to this state: it has failed so often that it
    /// gave up, and not all of that is in the graph.
    fn has_made_up(&self, _state: &Self::State) -> bool {
        false
    }

    /// Which orders of critical sections are left out where they could matter to what was explored so far.
    fn left_out_orders(&self) -> LeftOutOrders {
        LeftOutOrders::None
    }

    /// Whether the operation that a state stands at is part of a critical section that is not ordered with
    /// all others of its lock. Two such sections of a thread have an operation between them that is not.
    fn in_unordered_section(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether nothing is left out of the order of some lock, so that it might as well be explored as it is.
    fn orders_all_the_same(&self) -> bool {
        false
    }

    /// Where the locks are whose critical sections are not all ordered: the location with this number.
    fn unordered_lock(&self, _number: usize) -> Option<Loc> {
        None
    }

    /// Whether the access that a state stands at is that of a function that uses a lock as such.
    fn uses_as_lock(&self, _state: &Self::State) -> bool {
        true
    }
}
