//! Compare-and-exchanges whose outcome depends on what nobody knows.
//!
//! Whether one succeeds is decided between its halves, where there is no place for a choice: what it reads
//! comes with what it does then. So where it turns out that both may be, the program is explored again
//! ([`Again::OutcomeUnknown`](selvedge_machine::Again::OutcomeUnknown)), and that instruction first guesses
//! whether it will succeed, then reads, and waits for ever where it finds that it was wrong: such an
//! execution is none. If it may have been right, that it was becomes a fact.
//!
//! Such a fact is found out by reading, not decided by a choice, and facts of several threads may not go
//! together although each of them goes with all choices. To the exploration it is an assumption: what the
//! algorithm relies on, that some alternative of the next choice goes with what was decided before, is said
//! of choices alone (`Machine::go_together`), and executions in which the facts do not go together are left
//! out when they are complete (`Machine::agree`). So that a choice always has an alternative that goes with
//! the others' choices, the thread's own alternatives leave nothing out even where what it has read does:
//! then the last one is that none of the others holds, and who takes it waits for ever, too.

use super::state::VmState;
use super::{Halt, VmMachine, fail};
use crate::undefined::{Origin, Word};
use selvedge_ir::Operand;
use selvedge_machine::{Block, ErrorKind, Op};
use selvedge_symbolic::Term;
use std::rc::Rc;

impl VmMachine {
    /// Whether the outcome of the compare-and-exchange that a thread stands at is guessed.
    #[inline]
    pub(super) fn is_guessed(&self, state: &VmState) -> bool {
        !self.guessing.is_empty() && self.guessing.contains(&(state.frame.func, state.frame.pc))
    }

    /// Asks for the outcome to be guessed, from the next start on.
    #[cold]
    pub(super) fn begin_to_guess(&self, state: &VmState) -> Result<Option<Op>, Halt> {
        let at = (state.frame.func, state.frame.pc);
        self.learn(|common| {
            if !common.guessed.contains(&at) {
                common.guessed.push(at);
            }
        });
        Err(Halt::Restart)
    }

    /// Whether a compare-and-exchange may have the outcome that was guessed; then it is a fact.
    pub(super) fn guessed_rightly(
        &self,
        state: &mut VmState,
        old: Word,
        expected: Operand,
        bytes: u8,
        succeeds: bool,
    ) -> Result<bool, Halt> {
        let expected = self.expected(state, expected, bytes)?;
        if !old.is_outside() && !expected.is_outside() {
            return Ok(self.found_words(old, expected, bytes)? == succeeds);
        }
        let width = 8 * bytes;
        let (Some(a), Some(b)) = (self.as_term(old, width), self.as_term(expected, width)) else {
            return self.not_set("what a compare and exchange finds", Origin::LOST);
        };
        let fact = self.with_terms(|t| {
            let same = t.eq(a, b);
            if succeeds { same } else { t.not(same) }
        });
        if let Some(known) = self.tables.borrow().terms.as_const(fact) {
            return Ok(known == 1);
        }
        if !self.can_hold(&state.facts, fact)? {
            return Ok(false);
        }
        let before = state.facts.len();
        self.learn_fact(&mut state.facts, fact);
        let found: Vec<Term> = state.facts[before..].to_vec();
        Rc::make_mut(&mut state.rare).found.extend(found);
        Ok(true)
    }

    /// Alternatives of which one holds, whatever the thread has read.
    #[cold]
    pub(super) fn exhaustive(&self, state: &VmState, mut alternatives: Rc<Vec<Term>>) -> Rc<Vec<Term>> {
        if !state.rare.found.is_empty() {
            let (none, never) = self.with_terms(|t| {
                let none = alternatives.iter().fold(t.bool(true), |none, alternative| {
                    let not = t.not(*alternative);
                    t.and(none, not)
                });
                (none, t.as_const(none) == Some(0))
            });
            if !never {
                Rc::make_mut(&mut alternatives).push(none);
            }
        }
        alternatives
    }

    /// What was chosen is a fact; the instruction is run again. If it does not go with what was read, there
    /// is no such execution.
    pub(super) fn decided(
        &self,
        state: &mut VmState,
        alternatives: &[Term],
        way: u64,
    ) -> Result<Option<Op>, Halt> {
        if let Some(fact) = alternatives.get(way as usize) {
            if !state.rare.found.is_empty() && !self.can_hold(&state.facts, *fact)? {
                return Ok(Some(Op::Block(Block::Assume)));
            }
            self.learn_fact(&mut state.facts, *fact);
        }
        Ok(None)
    }

    /// Where an access of several locations would have to be decided between its halves.
    pub(super) fn no_place_to_decide<T>(&self, halt: Halt) -> Result<T, Halt> {
        match halt {
            Halt::Split(_) => fail(
                ErrorKind::Unsupported,
                "whether a compare and exchange finds what it expects depends on an unknown input, in memory \
                 that is accessed in different sizes",
            ),
            halt => Err(halt),
        }
    }
}
