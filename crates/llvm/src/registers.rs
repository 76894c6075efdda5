//! Which registers instructions read and write, and which are live where.

use std::ops::Range;

use selvedge_vm::ir::{Instr, Operand, Reg};

use crate::cfg::Graph;

/// Calls `visit` with each operand.
pub(crate) fn for_operands(instr: &Instr, mut visit: impl FnMut(Operand)) {
    use Instr::*;
    match instr {
        Move { src, .. } | Cast { src, .. } => visit(*src),
        Bin { a, b, .. } | Cmp { a, b, .. } | FloatCmp { a, b, .. } | Overflowing { a, b, .. } => {
            visit(*a);
            visit(*b);
        }
        Float { a, b, c, .. } | Funnel { a, b, amount: c, .. } | Select { cond: c, a, b, .. } => {
            visit(*a);
            visit(*b);
            visit(*c);
        }
        Bits { a, .. } => visit(*a),
        Offset { base, index, .. } => {
            visit(*base);
            visit(*index);
        }
        Alloca { size, .. } => visit(*size),
        Load { addr, .. } => visit(*addr),
        Store { addr, value, .. } | Rmw { addr, operand: value, .. } => {
            visit(*addr);
            visit(*value);
        }
        Cmpxchg { addr, expected, desired, .. } => {
            visit(*addr);
            visit(*expected);
            visit(*desired);
        }
        Branch { cond, .. } => visit(*cond),
        Switch { value, .. } => visit(*value),
        Call { callee, args, .. } => {
            visit(*callee);
            args.iter().copied().for_each(visit);
        }
        Return { values } => values.iter().copied().for_each(visit),
        Fence { .. }
        | Jump { .. }
        | LoopBack { .. }
        | SpinBlock { .. }
        | Unreachable
        | Unsupported { .. } => {}
    }
}

/// The registers that an instruction writes.
pub(crate) fn written(instr: &Instr) -> Range<Reg> {
    use Instr::*;
    match instr {
        Move { dst, .. }
        | Bin { dst, .. }
        | Cmp { dst, .. }
        | Float { dst, .. }
        | FloatCmp { dst, .. }
        | Cast { dst, .. }
        | Bits { dst, .. }
        | Funnel { dst, .. }
        | Select { dst, .. }
        | Offset { dst, .. }
        | Alloca { dst, .. }
        | Load { dst, .. }
        | Rmw { dst, .. } => *dst..*dst + 1,
        Overflowing { dst, .. } | Cmpxchg { dst, .. } => *dst..*dst + 2,
        Call { dst: Some(dst), results, .. } => *dst..*dst + *results,
        Call { dst: None, .. }
        | Store { .. }
        | Fence { .. }
        | Jump { .. }
        | Branch { .. }
        | Switch { .. }
        | LoopBack { .. }
        | SpinBlock { .. }
        | Return { .. }
        | Unreachable
        | Unsupported { .. } => 0..0,
    }
}

/// A set of registers.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct RegSet(Vec<u64>);

impl RegSet {
    fn with_room(regs: Reg) -> RegSet {
        RegSet(vec![0; (regs as usize).div_ceil(64)])
    }

    pub(crate) fn contains(&self, reg: Reg) -> bool {
        self.0[reg as usize / 64] >> (reg % 64) & 1 != 0
    }

    fn insert(&mut self, reg: Reg) {
        self.0[reg as usize / 64] |= 1 << (reg % 64);
    }

    fn remove(&mut self, reg: Reg) {
        self.0[reg as usize / 64] &= !(1 << (reg % 64));
    }

    fn union(&mut self, other: &RegSet) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }
}

/// The registers whose value at the beginning of each block may be read later.
pub(crate) fn live_in(graph: &Graph, regs: Reg) -> Vec<RegSet> {
    let mut live = vec![RegSet::with_room(regs); graph.blocks.len()];
    let mut order = graph.reverse_postorder();
    order.reverse();
    let mut changed = true;
    while changed {
        changed = false;
        for &number in &order {
            let block = &graph.blocks[number];
            let mut set = RegSet::with_room(regs);
            for next in block.successors() {
                set.union(&live[next]);
            }
            for instr in block.code.iter().rev() {
                written(instr).for_each(|reg| set.remove(reg));
                for_operands(instr, |operand| {
                    if let Operand::Reg(reg) = operand {
                        set.insert(reg);
                    }
                });
            }
            if set != live[number] {
                live[number] = set;
                changed = true;
            }
        }
    }
    live
}
