//! Which registers instructions read and write, and which are live where.

use std::ops::Range;

use selvedge_vm::ir::{Instr, Operand, Reg, registers};

use crate::cfg::Graph;

/// Calls `visit` with each operand, and whether its second register is meant, too.
pub(crate) fn for_operands(instr: &Instr, mut visit: impl FnMut(Operand, bool)) {
    use Instr::*;
    let mut all = |operands: &[Operand], bits: u8| {
        for operand in operands {
            visit(*operand, bits > 64);
        }
    };
    match instr {
        Move { src, .. } => all(&[*src], 64),
        Cast { src, from, .. } => all(&[*src], *from),
        Bin { a, b, bits, .. } | Cmp { a, b, bits, .. } | Overflowing { a, b, bits, .. } => {
            all(&[*a, *b], *bits);
        }
        FloatCmp { a, b, .. } => all(&[*a, *b], 64),
        Float { a, b, c, .. } | Select { cond: c, a, b, .. } => all(&[*a, *b, *c], 64),
        Funnel { a, b, amount, bits, .. } => all(&[*a, *b, *amount], *bits),
        Bits { a, bits, .. } => all(&[*a], *bits),
        Offset { base, index, .. } => all(&[*base, *index], 64),
        Alloca { size, .. } => all(&[*size], 64),
        Life { addr, .. } => all(&[*addr], 64),
        Load { addr, .. } => all(&[*addr], 64),
        Store { addr, value, bytes, .. } | Rmw { addr, operand: value, bytes, .. } => {
            all(&[*addr], 64);
            all(&[*value], 8 * bytes);
        }
        Cmpxchg { addr, expected, desired, bytes, .. } => {
            all(&[*addr], 64);
            all(&[*expected, *desired], 8 * bytes);
        }
        Branch { cond, .. } => all(&[*cond], 64),
        Switch { value, .. } => all(&[*value], 64),
        Call { callee, args, .. } => {
            all(&[*callee], 64);
            all(args, 64);
        }
        Return { values } => all(values, 64),
        Fence { .. }
        | Jump { .. }
        | LoopHead { .. }
        | LoopBack { .. }
        | SpinBlock { .. }
        | Unreachable
        | Unsupported { .. } => {}
    }
}

/// The registers that an instruction writes.
pub(crate) fn written(instr: &Instr) -> Range<Reg> {
    use Instr::*;
    let words = |bits: u8| if bits > 64 { 2 } else { 1 };
    match instr {
        Move { dst, .. }
        | Cmp { dst, .. }
        | Float { dst, .. }
        | FloatCmp { dst, .. }
        | Select { dst, .. }
        | Offset { dst, .. }
        | Alloca { dst, .. } => *dst..*dst + 1,
        Load { dst, bytes, .. } | Rmw { dst, bytes, .. } => *dst..*dst + registers(*bytes),
        Bin { dst, bits, .. }
        | Bits { dst, bits, .. }
        | Funnel { dst, bits, .. }
        | Cast { dst, to: bits, .. } => *dst..*dst + words(*bits),
        Overflowing { dst, bits, .. } => *dst..*dst + words(*bits) + 1,
        Cmpxchg { dst, bytes, .. } => *dst..*dst + registers(*bytes) + 1,
        Call { dst: Some(dst), results, .. } => *dst..*dst + *results,
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

/// The registers whose value at the beginning of each block may be read later. To be moved to a register that is not read
/// does not count.
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
                if matches!(instr, Instr::Move { dst, .. } if !set.contains(*dst)) {
                    continue;
                }
                written(instr).for_each(|reg| set.remove(reg));
                for_operands(instr, |operand, pair| {
                    if let Operand::Reg(reg) = operand {
                        set.insert(reg);
                        if pair {
                            set.insert(reg + 1);
                        }
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
