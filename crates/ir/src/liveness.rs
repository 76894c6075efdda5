//! Which registers are live where.

use crate::bytecode::{Instr, Reg};
use crate::cfg::Graph;

/// A set of registers.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RegSet(Vec<u64>);

impl RegSet {
    fn with_room(regs: Reg) -> RegSet {
        RegSet(vec![0; (regs as usize).div_ceil(64)])
    }

    /// Whether a register is in it.
    pub fn contains(&self, reg: Reg) -> bool {
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

/// The registers whose value at the beginning of each block may be read later. To be moved to a register that
/// is not read does not count.
pub fn live_in(graph: &Graph, regs: Reg) -> Vec<RegSet> {
    live_in_if(graph, regs, |_, instr| !matches!(instr, Instr::Move { .. }))
}

/// The same if only what `matters` counts as reading, given the block that an instruction is in, and what
/// computes something that is read.
pub fn live_in_if(graph: &Graph, regs: Reg, matters: impl Fn(usize, &Instr) -> bool) -> Vec<RegSet> {
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
                if !matters(number, instr) && !instr.written().any(|reg| set.contains(reg)) {
                    continue;
                }
                instr.written().for_each(|reg| set.remove(reg));
                instr.for_registers(|reg| set.insert(reg));
            }
            if set != live[number] {
                live[number] = set;
                changed = true;
            }
        }
    }
    live
}
