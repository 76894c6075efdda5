//! Loops that try a number of times: `for (i = 0; i < 100; i++) if (load(&f)) break;`.
//!
//! What counts the rounds decides how many there are at most, and nothing else. Such registers are found by
//! where they go: from one that takes a step of constant size in each round, through all that is computed
//! from it, to branches out of the loop. If they go anywhere else in the function, they are not looked at any
//! further. Nor does anything come into them in the loop but what stays as it is there: how many rounds there
//! are must not depend on what is read.

use std::collections::HashSet;

use crate::analysis::counted::loops;
use crate::analysis::faint::only_computes;
use crate::bytecode::{BinOp, Function, Instr, Operand, Reg};
use crate::cfg::Graph;

/// By loop of a function that went through the passes, the registers that only bound its rounds.
pub fn counters_of(function: &Function) -> Vec<Vec<Reg>> {
    let Some((graph, loops)) = loops(function) else { return vec![Vec::new(); function.loops.len()] };
    let sorted = |blocks: &HashSet<usize>| {
        let mut all: Vec<Reg> = counters(&graph, blocks).into_iter().collect();
        all.sort_unstable();
        all
    };
    loops.iter().map(|(_, blocks)| sorted(blocks)).collect()
}

/// The registers that only bound the rounds of a loop that consists of these blocks.
pub fn counters(graph: &Graph, blocks: &HashSet<usize>) -> HashSet<Reg> {
    let code = || blocks.iter().flat_map(|&block| &graph.blocks[block].code);
    let stepped = code().filter_map(|instr| match instr {
        Instr::Bin { op: BinOp::Add | BinOp::Sub, a: Operand::Reg(from), b: Operand::Const(1..), .. } => {
            Some(*from)
        }
        _ => None,
    });
    let changed: HashSet<Reg> = code().flat_map(Instr::written).collect();
    stepped.filter_map(|reg| computed_from(graph, blocks, reg, &changed)).flatten().collect()
}

/// All registers that are computed from one, if they only decide when the loop is left. `changed`: those that
/// the loop writes.
fn computed_from(
    graph: &Graph,
    blocks: &HashSet<usize>,
    first: Reg,
    changed: &HashSet<Reg>,
) -> Option<HashSet<Reg>> {
    let (mut found, mut pending, mut bounds) = (HashSet::from([first]), vec![first], false);
    while let Some(reg) = pending.pop() {
        for (number, block) in graph.blocks.iter().enumerate() {
            for instr in block.code.iter().filter(|instr| instr.reads(reg)) {
                match instr {
                    Instr::Branch { .. } if blocks.contains(&number) => {
                        let out = block.successors().iter().filter(|next| !blocks.contains(next)).count();
                        if out != 1 || block.successors().len() != 2 {
                            return None;
                        }
                        bounds = true;
                    }
                    _ if only_computes(instr) => {
                        pending.extend(instr.written().filter(|dst| found.insert(*dst)));
                    }
                    _ => return None,
                }
            }
        }
    }
    let in_loop = blocks.iter().flat_map(|&block| &graph.blocks[block].code);
    let mut writing = in_loop.filter(|instr| instr.written().any(|reg| found.contains(&reg)));
    let steady = writing.all(|instr| {
        let other = |reg: &Reg| !found.contains(reg) && instr.reads(*reg);
        only_computes(instr) && !changed.iter().any(|reg| other(reg))
    });
    (bounds && steady && changed.contains(&first)).then_some(found)
}
