//! Canonical states: what a search that remembers states asks of a machine. An explorer of executions never
//! does, so this is no part of [`Machine`](crate::Machine).

use crate::{Agreement, Stateful};
use selvedge_graph::Loc;

/// Takes down what a state is told by. Whoever only wants to know whether two states are the same takes all
/// of it for words; whoever asks whether they are the same but for what objects are called has to know which
/// words are about objects.
pub trait Words {
    /// Something that is the same whatever objects are called.
    fn word(&mut self, word: u64);

    /// A value of the program: it may be an address.
    fn value(&mut self, value: u64);

    fn object(&mut self, object: u32);

    fn location(&mut self, loc: Loc);

    /// How many objects the thread has made: what the next one is called, and nothing else.
    fn made(&mut self, objects: u32);

    /// Among what comes are objects, or numbers from outside, in a form in which nobody can tell them.
    fn opaque(&mut self);

    /// What something is that comes from outside.
    fn outside(&mut self, term: u32) {
        self.word(1 + u64::from(term));
    }

    fn words(&mut self, words: &[u64]) {
        words.iter().for_each(|word| self.word(*word));
    }
}

impl Words for Vec<u64> {
    fn word(&mut self, word: u64) {
        self.push(word);
    }

    fn value(&mut self, value: u64) {
        self.push(value);
    }

    fn object(&mut self, object: u32) {
        self.push(u64::from(object));
    }

    fn location(&mut self, loc: Loc) {
        self.push(u64::from(loc.0));
    }

    fn made(&mut self, objects: u32) {
        self.push(u64::from(objects));
    }

    fn opaque(&mut self) {}
}

/// A thread's state as a sequence of words, so that threads that go on alike have the same one.
pub trait Canonical: Stateful {
    /// Writes down what makes a difference to what the thread does from here on, and to what can be asked
    /// of it: where it stands and what it knows, but not how long it took to get there. Addresses are words
    /// of their own (see [`mentions`](Canonical::mentions)).
    fn write_down<W: Words>(&self, state: &Self::State, words: &mut W);

    /// Everything that the thread has read so far is settled: from here on, positions of operations are
    /// counted from the one that it stands at, and nothing depends on what was before.
    fn forget_deps(&self, state: &mut Self::State);

    /// The objects with a beginning of life that a word may be an address of, or have addresses in. Saying
    /// too much is always right.
    fn mentions(&self, _word: u64, _found: &mut dyn FnMut(u32)) {}

    /// The object that a value is an address of, and where in it, if the object could as well be called
    /// otherwise.
    fn address(&self, _value: u64) -> Option<(u32, u64)> {
        None
    }

    /// The same of a location; where in it is told with how large the location is.
    fn cell(&self, _loc: Loc) -> Option<(u32, u64)> {
        None
    }

    /// Writes down what an object is, but for what it is called.
    fn write_object(&self, _object: u32, _words: &mut Vec<u64>) {}

    /// Whether anything that threads have done so far could depend on what objects are called: an address was
    /// computed with or compared by size, or a number could be taken for an address. Asked again later, it
    /// may say so.
    fn names_matter(&self) -> bool {
        false
    }

    /// The unknown inputs that what comes from outside was made of ([`Words::outside`]).
    fn inputs_of(&self, _term: u32, _found: &mut dyn FnMut(u32)) {}

    /// The same of a value in memory, or on its way there.
    fn inputs_in(&self, _value: u64, _found: &mut dyn FnMut(u32)) {}

    /// The facts about inputs that a thread goes by.
    fn facts(&self, _state: &Self::State) -> Vec<u32> {
        Vec::new()
    }

    /// From here on, a thread goes by these facts, and an input that it is told may be called as one was that
    /// is none of those in use; without knowing which are, it is called as none ever was.
    fn inform(&self, _state: &mut Self::State, _facts: &[u32], _in_use: Option<&[u32]>) {}

    /// Whether there are inputs for which these facts hold.
    fn may_hold(&self, _facts: &[u32]) -> Agreement {
        Agreement::Yes
    }
}
