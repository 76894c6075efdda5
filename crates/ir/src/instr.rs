//! What one instruction reads and writes, and where control goes after it.
//!
//! All analyses and the machine ask here, so that a new instruction is described in one place.

use std::ops::Range;

use crate::bytecode::{Instr, Operand, Reg, Target, registers, words};

/// Calls `$visit` with each operand of `$instr`, by reference or by mutable reference, and how many registers
/// in a row it stands for.
macro_rules! visit_operands {
    ($instr:expr, $visit:ident) => {
        match $instr {
            Instr::Move { src: a, .. }
            | Instr::Alloca { size: a, .. }
            | Instr::Life { addr: a, .. }
            | Instr::Load { addr: a, .. }
            | Instr::Branch { cond: a, .. }
            | Instr::Switch { value: a, .. } => $visit(a, 1),
            Instr::Cast { src: a, from: bits, .. } | Instr::Bits { a, bits, .. } => $visit(a, words(*bits)),
            Instr::Bin { a, b, bits, .. }
            | Instr::Cmp { a, b, bits, .. }
            | Instr::FloatCmp { a, b, bits, .. }
            | Instr::Overflowing { a, b, bits, .. } => {
                $visit(a, words(*bits));
                $visit(b, words(*bits));
            }
            Instr::Offset { base: a, index: b, .. } => {
                $visit(a, 1);
                $visit(b, 1);
            }
            Instr::Select { cond: a, a: b, b: c, .. } => {
                $visit(a, 1);
                $visit(b, 1);
                $visit(c, 1);
            }
            Instr::Float { a, b, c, bits, .. } | Instr::Funnel { a, b, amount: c, bits, .. } => {
                $visit(a, words(*bits));
                $visit(b, words(*bits));
                $visit(c, words(*bits));
            }
            Instr::Store { addr, value, bytes, .. } | Instr::Rmw { addr, operand: value, bytes, .. } => {
                $visit(addr, 1);
                $visit(value, registers(*bytes));
            }
            Instr::Cmpxchg { addr, expected, desired, bytes, .. } => {
                $visit(addr, 1);
                $visit(expected, registers(*bytes));
                $visit(desired, registers(*bytes));
            }
            Instr::Call { callee, args, .. } => {
                $visit(callee, 1);
                for arg in args {
                    $visit(arg, 1);
                }
            }
            Instr::Return { values } => {
                for value in values {
                    $visit(value, 1);
                }
            }
            Instr::Fence { .. }
            | Instr::Jump { .. }
            | Instr::LoopHead { .. }
            | Instr::LoopBack { .. }
            | Instr::SpinBlock { .. }
            | Instr::Unreachable
            | Instr::Unsupported { .. } => {}
        }
    };
}

/// The same for targets.
macro_rules! visit_targets {
    ($instr:expr, $visit:ident) => {
        match $instr {
            Instr::Jump { to } => $visit(to),
            Instr::Branch { then, els, .. } => {
                $visit(then);
                $visit(els);
            }
            Instr::Switch { cases, default, .. } => {
                for (_, to) in cases {
                    $visit(to);
                }
                $visit(default);
            }
            _ => {}
        }
    };
}

impl Instr {
    /// Calls `visit` with each operand, and how many registers in a row it stands for.
    pub fn for_operands(&self, mut visit: impl FnMut(&Operand, u32)) {
        visit_operands!(self, visit);
    }

    /// The same, to change them.
    pub fn for_operands_mut(&mut self, mut visit: impl FnMut(&mut Operand, u32)) {
        visit_operands!(self, visit);
    }

    /// Calls `visit` with each register that an operand stands for.
    pub fn for_registers(&self, mut visit: impl FnMut(Reg)) {
        self.for_operands(|operand, words| {
            if let Operand::Reg(reg) = operand {
                (*reg..*reg + words).for_each(&mut visit);
            }
        });
    }

    /// Whether an operand satisfies a condition.
    pub fn any_operand(&self, mut is: impl FnMut(&Operand) -> bool) -> bool {
        let mut found = false;
        self.for_operands(|operand, _| found |= is(operand));
        found
    }

    /// Whether it reads a register as an operand. What a [`Instr::LoopHead`] looks at does not count.
    pub fn reads(&self, reg: Reg) -> bool {
        let mut found = false;
        self.for_registers(|read| found |= read == reg);
        found
    }

    /// The registers that it writes.
    ///
    /// A call writes as many as it says that there are results, whatever the function gives; if it says none,
    /// its place for them stays as it is.
    pub fn written(&self) -> Range<Reg> {
        let (first, count) = self.result();
        first..first.saturating_add(count)
    }

    /// The first register that it writes, and how many there are from there on.
    pub(crate) fn result(&self) -> (Reg, u32) {
        use Instr::*;
        match self {
            Move { dst, .. }
            | Cmp { dst, .. }
            | FloatCmp { dst, .. }
            | Select { dst, .. }
            | Offset { dst, .. }
            | Alloca { dst, .. } => (*dst, 1),
            Load { dst, bytes, .. } | Rmw { dst, bytes, .. } => (*dst, registers(*bytes)),
            Bin { dst, bits, .. }
            | Float { dst, bits, .. }
            | Bits { dst, bits, .. }
            | Funnel { dst, bits, .. }
            | Cast { dst, to: bits, .. } => (*dst, words(*bits)),
            Overflowing { dst, bits, .. } => (*dst, words(*bits) + 1),
            Cmpxchg { dst, bytes, .. } => (*dst, registers(*bytes) + 1),
            Call { dst: Some(dst), results, .. } => (*dst, *results),
            Call { dst: None, .. }
            | Life { .. }
            | Store { .. }
            | Fence { .. }
            | Jump { .. }
            | Branch { .. }
            | Switch { .. }
            | LoopHead { .. }
            | LoopBack { .. }
            | SpinBlock { .. }
            | Return { .. }
            | Unreachable
            | Unsupported { .. } => (0, 0),
        }
    }

    /// Calls `visit` with each target.
    pub fn for_targets(&self, mut visit: impl FnMut(&Target)) {
        visit_targets!(self, visit);
    }

    /// The same, to change them.
    pub fn for_targets_mut(&mut self, mut visit: impl FnMut(&mut Target)) {
        visit_targets!(self, visit);
    }

    /// Whether it is the last one of a block of a control-flow graph.
    pub fn ends_block(&self) -> bool {
        use Instr::*;
        matches!(self, Jump { .. } | Branch { .. } | Switch { .. } | Return { .. } | Unreachable)
    }

    /// Calls `visit` with the numbers of the instructions that may come after it, if it is the one with
    /// number `at`.
    pub fn for_successors(&self, at: u32, mut visit: impl FnMut(u32)) {
        match self {
            Instr::Return { .. }
            | Instr::Unreachable
            | Instr::Unsupported { .. }
            | Instr::SpinBlock { .. } => {}
            _ if self.ends_block() => self.for_targets(|to| visit(*to)),
            _ => visit(at + 1),
        }
    }

    /// Whether it neither writes to memory nor calls anything, nor ends a section.
    pub fn only_reads(&self) -> bool {
        use Instr::*;
        match self {
            Store { .. } | Rmw { .. } | Cmpxchg { .. } | Alloca { .. } | Life { .. } | Call { .. } => false,
            Unsupported { .. } => false,
            Fence { mode } => !mode.is_mark(),
            Move { .. }
            | Bin { .. }
            | Cmp { .. }
            | Float { .. }
            | FloatCmp { .. }
            | Cast { .. }
            | Overflowing { .. }
            | Bits { .. }
            | Funnel { .. }
            | Select { .. }
            | Offset { .. }
            | Load { .. }
            | Jump { .. }
            | Branch { .. }
            | Switch { .. }
            | LoopHead { .. }
            | LoopBack { .. }
            | SpinBlock { .. }
            | Return { .. }
            | Unreachable => true,
        }
    }
}
