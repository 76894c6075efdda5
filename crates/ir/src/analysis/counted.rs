//! Loops that only count: they come to an end whatever the values that they start with.

use std::collections::HashSet;

use crate::bytecode::{BinOp, CmpOp, Instr, Operand, Reg};
use crate::cfg::Graph;

/// How far copies of a register are followed.
const FAR: usize = 8;

/// Whether every cycle within some blocks of a graph counts: a register takes one step of a constant size in
/// each round, and one test compares it with something that stays as it is, and leaves.
///
/// That such a loop ends is plain if the step is 1 and the test is not whether some number is at most as
/// large as another, which may be the largest one: all numbers are come to. If the test is for a constant, the
/// loop is run with the same constant each time it is come to, and it is seen that it ends.
pub fn all_cycles_count(graph: &Graph, blocks: &HashSet<usize>) -> bool {
    let within = cycles(graph, blocks, None);
    within.iter().all(|cycle| counts(graph, cycle))
}

/// The sets of blocks that can be reached from each other and are more than a way through, of those in
/// `blocks` but for one.
fn cycles(graph: &Graph, blocks: &HashSet<usize>, but: Option<usize>) -> Vec<HashSet<usize>> {
    let inside = |block: &usize| blocks.contains(block) && Some(*block) != but;
    let reach = |from: usize| {
        let mut seen = HashSet::new();
        let mut pending: Vec<usize> = graph.blocks[from].successors().into_iter().filter(inside).collect();
        while let Some(block) = pending.pop() {
            if seen.insert(block) {
                pending.extend(graph.blocks[block].successors().into_iter().filter(inside));
            }
        }
        seen
    };
    let mut found: Vec<HashSet<usize>> = Vec::new();
    let mut order: Vec<usize> = blocks.iter().copied().filter(inside).collect();
    order.sort_unstable();
    for block in order {
        if found.iter().any(|cycle| cycle.contains(&block)) {
            continue;
        }
        let forward = reach(block);
        if forward.contains(&block) {
            found.push(forward.iter().copied().filter(|&other| reach(other).contains(&block)).collect());
        }
    }
    found
}

fn counts(graph: &Graph, cycle: &HashSet<usize>) -> bool {
    // Every round goes through this block.
    let is_on_all = |block: usize| cycles(graph, cycle, Some(block)).is_empty();
    cycle.iter().any(|&test| {
        let block = &graph.blocks[test];
        let leaves = block.successors().iter().any(|next| !cycle.contains(next));
        let Some(Instr::Branch { cond: Operand::Reg(cond), .. }) = block.code.last() else { return false };
        leaves && is_on_all(test) && is_test(graph, cycle, *cond, &is_on_all)
    })
}

/// The only instruction of a cycle that writes a register, and its block.
fn only_source<'a>(graph: &'a Graph, cycle: &HashSet<usize>, reg: Reg) -> Option<(usize, &'a Instr)> {
    let all = cycle.iter().flat_map(|&block| graph.blocks[block].code.iter().map(move |i| (block, i)));
    let mut sources = all.filter(|(_, instr)| instr.written().contains(&reg));
    let first = sources.next()?;
    sources.next().is_none().then_some(first)
}

fn is_test(
    graph: &Graph,
    cycle: &HashSet<usize>,
    mut cond: Reg,
    is_on_all: &impl Fn(usize) -> bool,
) -> bool {
    for _ in 0..FAR {
        let Some((_, instr)) = only_source(graph, cycle, cond) else { return false };
        match *instr {
            Instr::Bin { op: BinOp::Xor, bits: 1, a: Operand::Reg(a), b: Operand::Const(1), .. } => cond = a,
            Instr::Cmp { op: CmpOp::Ne, a: Operand::Reg(a), b: Operand::Const(0), bits: 1, .. } => cond = a,
            Instr::Cmp { op, a, b, bits: ..=64, .. } => {
                let step = match (stays(graph, cycle, a), stays(graph, cycle, b)) {
                    (false, true) => step_of(graph, cycle, a, is_on_all),
                    (true, false) => step_of(graph, cycle, b, is_on_all),
                    _ => None,
                };
                let strict = matches!(op, CmpOp::Ult | CmpOp::Ugt | CmpOp::Slt | CmpOp::Sgt);
                let constant = matches!(a, Operand::Const(_)) || matches!(b, Operand::Const(_));
                let passes = match op {
                    CmpOp::Eq | CmpOp::Ne => step == Some(1),
                    _ => strict && step == Some(1) || constant && step.is_some(),
                };
                return passes;
            }
            _ => return false,
        }
    }
    false
}

/// Whether an operand has one value in all rounds.
fn stays(graph: &Graph, cycle: &HashSet<usize>, operand: Operand) -> bool {
    let Operand::Reg(mut reg) = operand else { return !matches!(operand, Operand::Undef) };
    for _ in 0..FAR {
        let written = |block: &usize| graph.blocks[*block].code.iter().any(|i| i.written().contains(&reg));
        if !cycle.iter().any(written) {
            return true;
        }
        match only_source(graph, cycle, reg) {
            Some((_, Instr::Move { src: Operand::Reg(src), .. })) => reg = *src,
            _ => return false,
        }
    }
    false
}

/// The size of the step that a register takes in each round.
fn step_of(
    graph: &Graph,
    cycle: &HashSet<usize>,
    operand: Operand,
    is_on_all: &impl Fn(usize) -> bool,
) -> Option<u64> {
    let Operand::Reg(mut reg) = operand else { return None };
    // Each register on the way, and the step from it to the one before.
    let mut way: Vec<(Reg, u64)> = Vec::new();
    for _ in 0..FAR {
        if let Some(start) = way.iter().position(|(before, _)| *before == reg) {
            let mut steps = way[start..].iter().map(|(_, step)| *step).filter(|step| *step != 0);
            return steps.next().filter(|_| steps.next().is_none());
        }
        let (block, instr) = only_source(graph, cycle, reg)?;
        if !is_on_all(block) {
            return None;
        }
        let (from, step) = match *instr {
            Instr::Move { src: Operand::Reg(src), .. } => (src, 0),
            Instr::Bin { op: BinOp::Add, a: Operand::Reg(a), b: Operand::Const(by), bits, .. } => {
                (a, magnitude(by, bits)?)
            }
            Instr::Bin { op: BinOp::Sub, a: Operand::Reg(a), b: Operand::Const(by), bits, .. } => {
                (a, magnitude(by, bits)?)
            }
            _ => return None,
        };
        way.push((reg, step));
        reg = from;
    }
    None
}

/// How far a step goes, up or down.
fn magnitude(by: u64, bits: u8) -> Option<u64> {
    if bits > 64 {
        return None;
    }
    let unused = 64 - u32::from(bits);
    let size = ((by << unused) as i64 >> unused).unsigned_abs();
    (1..=1 << 16).contains(&size).then_some(size)
}
