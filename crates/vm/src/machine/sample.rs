//! Numbers from outside that have to be definite and may be very many: the size of an array, an index.
//!
//! Some of them are tried, the smallest ones first, since most of what goes wrong does so for few elements.
//! The rest is one alternative that is cut, like a loop that goes round too often: what is found is an error,
//! and if nothing is, the verdict is `bounded`.

use super::state::VmState;
use super::{Halt, VmMachine};
use crate::tables::Limit;
use crate::undefined::Word;
use selvedge_machine::Op;
use selvedge_symbolic::{Answer, Model, Term, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many are tried.
const TRIED: usize = 6;

/// How far from the first one they are looked for.
const NEAR: u128 = 128;

impl VmMachine {
    /// An alternative for some of the values of a term, those from `base` on, and one for all others.
    #[cold]
    pub(super) fn sample<T>(&self, facts: &[Term], term: Term, base: u128) -> Result<T, Halt> {
        let is = |t: &mut Terms, value: u128| {
            let width = t.width(term);
            let value = t.constant(width, value);
            t.eq(term, value)
        };
        let mut alternatives = Vec::new();
        for value in (0..NEAR).map(|by| base + by) {
            let fact = self.with_terms(|t| is(t, value));
            if self.can_hold(facts, fact)? {
                alternatives.push(fact);
            }
            if alternatives.len() == TRIED {
                break;
            }
        }
        let others = self.with_terms(|t| {
            alternatives.iter().fold(t.bool(true), |others, fact| {
                let not = t.not(*fact);
                t.and(others, not)
            })
        });
        alternatives.push(others);
        Err(Halt::Sample(Rc::new(alternatives)))
    }

    /// What was chosen is a fact; the instruction is run again, unless it is the last one.
    pub(super) fn sampled(
        &self,
        state: &mut VmState,
        alternatives: &[Term],
        way: u64,
    ) -> Result<Option<Op>, Halt> {
        let op = self.decided(state, alternatives, way)?;
        if op.is_none() && way as usize + 1 == alternatives.len() {
            if let Some(frame) = self.program_frame(state) {
                self.note(Limit::Sample(frame.func, frame.pc));
            }
            return Ok(Some(Op::Cut));
        }
        Ok(op)
    }

    /// Numbers of which all these facts hold, by term; nothing if there are none, or if that takes too long.
    pub(super) fn example_inputs(&self, mut facts: Vec<Term>) -> BTreeMap<u32, u128> {
        facts.sort_unstable();
        facts.dedup();
        match self.facts_go_together(&facts) {
            Answer::Yes(model) => model.iter().map(|(unknown, value)| (unknown.0, value)).collect(),
            Answer::No | Answer::NobodyKnows => BTreeMap::new(),
        }
    }

    /// What a value is for these numbers; any that nothing is known of is 0.
    pub(super) fn example_of(&self, examples: &BTreeMap<u32, u128>, word: Word, bytes: u32) -> Option<Word> {
        let term = self.as_term(word, 8 * bytes as u8)?;
        let tables = self.tables.borrow();
        if tables.terms.is_opaque(term) {
            return None;
        }
        let mut model = Model::default();
        examples.iter().for_each(|(unknown, value)| model.set(Term(*unknown), *value));
        Some(Word::known(tables.terms.eval(term, &model)))
    }
}
