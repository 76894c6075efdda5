//! Inputs that nobody knows, in a search that remembers states.
//!
//! A state with unknown inputs in it stands for one state for each choice of numbers for which its *facts*
//! hold: what was decided on the way there. Every decision is a choice with an alternative for each way that
//! is possible, and what was chosen is one more fact; so each step leads from all that a state stands for to
//! all that they lead to, and a state is an error if it is one for whatever its facts admit. Nothing is lost
//! by that: the alternatives of a choice leave nothing out.
//!
//! Facts are those of the whole program. A thread is told them before it takes a step, so what it finds out
//! is possible goes with what others have found out; and where others have found out something between a
//! decision and the choice of a way, or a read tells more, it is asked whether the facts still go together.
//!
//! So that a loop that asks for another number in every round comes back to where it was:
//!
//! * A fact is forgotten if no input in it is *in use*: in memory, or in what a thread goes on with, or
//!   together with one of those in another fact that is kept. What is forgotten is about other numbers than
//!   what is kept, and holds for some of them, as it was found to be possible: so the state stands for the
//!   same without it.
//! * An input that is not in use is gone, and a new one may have its name.
//!
//! What a part of a state has in it is known from the words that tell it ([`Words::outside`], values). If
//! something has no such form, nothing is forgotten there, and new inputs have new names. Two states are the
//! same if their words are, and facts, names and all: no input is renamed.
//!
//! That choosing touches nothing that others do, as the search has it where it leaves out steps, holds for
//! these choices, too: what others find possible after one of them is what they would have found before and
//! goes with it, and all of them together have everything.
//!
//! It is for models that reorder nothing, where no thread runs ahead of what it reads.

use crate::canon::States;
use crate::taken::Taken;
use crate::world::World;
use selvedge_machine::{Canonical, Machine, Words};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is known of inputs in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// What holds of them, in order.
    pub facts: Vec<u32>,
    /// Those that something still depends on, in order; nobody knows which if that cannot be told.
    pub in_use: Option<Vec<u32>>,
    /// Both, as the number of a part.
    pub number: u32,
    /// There is too much of it, or it is too large.
    pub is_involved: bool,
}

/// So many facts are kept at most.
const MOST_FACTS: usize = 300;

impl Inputs {
    /// All of it, in words that have no objects in them.
    pub fn write_down<W: Words>(&self, words: &mut W) {
        words.word(self.facts.len() as u64);
        self.facts.iter().for_each(|fact| words.word(u64::from(*fact)));
        match &self.in_use {
            Some(in_use) => in_use.iter().for_each(|input| words.word(1 + u64::from(*input))),
            None => words.word(0),
        }
    }

    /// With what a thread has found out.
    pub fn with(&self, mut facts: Vec<u32>) -> Inputs {
        facts.extend_from_slice(&self.facts);
        facts.sort_unstable();
        facts.dedup();
        Inputs { facts, ..self.clone() }
    }
}

/// By the number of a part, the inputs in it.
#[derive(Default)]
pub(crate) struct InUse {
    of: Vec<Option<Box<[u32]>>>,
}

impl InUse {
    /// A new part.
    pub fn add<M>(&mut self, machine: &M, taken: &Taken)
    where
        M: Machine + Canonical,
    {
        let mut found = BTreeSet::new();
        let mut add = |input: u32| {
            found.insert(input);
        };
        taken.outside.iter().for_each(|term| machine.inputs_of(*term, &mut add));
        taken.values().for_each(|value| machine.inputs_in(value, &mut add));
        self.of.push((!taken.is_opaque).then(|| found.into_iter().collect()));
    }

    fn of(&self, part: u32) -> Option<&[u32]> {
        self.of.get(part as usize)?.as_deref()
    }
}

impl States {
    /// What still matters of what is known of inputs, where these are all parts of a state.
    pub(crate) fn inputs<M>(
        &self,
        machine: &M,
        world: &World<M::State>,
        parts: impl Iterator<Item = u32>,
        in_parts: &InUse,
    ) -> Inputs
    where
        M: Machine + Canonical,
    {
        let before = &world.inputs;
        let mut in_use = BTreeSet::new();
        for part in parts {
            match in_parts.of(part) {
                Some(inputs) => in_use.extend(inputs.iter().copied()),
                None => return Inputs { in_use: None, ..Inputs::clone(before) },
            }
        }
        let mut left: Vec<(u32, Vec<u32>)> = Vec::new();
        for fact in &before.facts {
            let mut of = Vec::new();
            machine.inputs_of(*fact, &mut |input| of.push(input));
            left.push((*fact, of));
        }
        let mut facts = Vec::new();
        loop {
            let kept = facts.len();
            left.retain(|(fact, of)| {
                let counts = of.iter().any(|input| in_use.contains(input));
                if counts {
                    facts.push(*fact);
                    in_use.extend(of.iter().copied());
                }
                !counts
            });
            if facts.len() == kept {
                break;
            }
        }
        facts.sort_unstable();
        // What is too large has this in place of an input.
        let is_involved = facts.len() > MOST_FACTS || in_use.contains(&u32::MAX);
        Inputs { facts, in_use: Some(in_use.into_iter().collect()), number: 0, is_involved }
    }
}

/// What a state knows, to be shared.
pub(crate) type Known = Rc<Inputs>;
