//! Statements of x86 that jump between their own labels: `1: xchg %1, %0; test %1, %1; jz 2f; pause; jmp
//! 1b; 2:`.
//!
//! Each label begins a block of the function. What a register holds depends on the way that led there, so
//! here each operand that is in a register has a register of the bytecode, which is written wherever the
//! operand is, and copied where it is read, as flags may be asked later what it held. At labels nobody
//! knows the flags.

use selvedge_ir::{Instr, Operand};

use super::step::Step;
use super::text::Arg;
use super::{Refusal, Run};

impl Run<'_, '_, '_> {
    /// All steps of a statement that has jumps.
    pub(super) fn with_jumps(&mut self, steps: &[Step]) -> Result<(), Refusal> {
        let others = |step: &Step| {
            matches!(
                step,
                Step::Linked { .. }
                    | Step::Conditional { .. }
                    | Step::UnlessEqual(_)
                    | Step::IfNonZero(..)
                    | Step::Leave(..)
            )
        };
        if steps.iter().any(others) {
            return Err(String::from("jumps of this kind in one statement are not known"));
        }
        for number in 0..self.slots.len() {
            let slot = &self.slots[number];
            if slot.is_own {
                return Err(String::from("a statement that jumps and has registers of its own is not known"));
            }
            if slot.address.is_some() || slot.label.is_some() || slot.tied.is_some() || slot.flag.is_some() {
                continue;
            }
            let (value, dst) = (slot.value.unwrap_or(Operand::Undef), self.body.fresh(1));
            self.body.emit(Instr::Move { dst, src: value });
            self.slots[number].cell = Some(dst);
            self.slots[number].value = Some(Operand::Reg(dst));
        }
        let label = |step: &Step| match step {
            Step::Label(number) => Some(*number),
            _ => None,
        };
        let blocks: Vec<Option<usize>> =
            steps.iter().map(|step| label(step).map(|_| self.body.new_block())).collect();
        let block_of = |at: usize, to: &Arg| {
            let Arg::Label(number, forward) = to else { return None };
            let is_it = |place: &usize| label(&steps[*place]) == Some(*number);
            let found = if *forward { (at..steps.len()).find(is_it) } else { (0..at).rev().find(is_it) };
            blocks[found?]
        };
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Label(_) => {
                    let Some(block) = blocks[at] else { continue };
                    self.body.emit(Instr::Jump { to: block as u32 });
                    self.body.go_to(block);
                    (self.equal, self.carry) = (None, None);
                }
                Step::Jump(test, to) => {
                    let then =
                        block_of(at, to).ok_or("a jump to what is no label of the statement is not known")?;
                    let next = self.body.new_block();
                    match test {
                        None => self.body.emit(Instr::Jump { to: then as u32 }),
                        Some(test) => {
                            let cond = self.flag(*test)?;
                            self.body.emit(Instr::Branch { cond, then: then as u32, els: next as u32 });
                        }
                    }
                    self.body.go_to(next);
                }
                step => self.step(step)?,
            }
        }
        Ok(())
    }
}
