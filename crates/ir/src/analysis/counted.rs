//! Loops that count: they come to an end whatever the values that they start with.
//!
//! A register takes one step of a constant size in each round, and one test, which every round makes,
//! compares it with something that stays as it is. That such a loop ends is plain if the step is 1 and the
//! test is not whether some number is at most as large as another, which may be the largest one: all numbers
//! are come to. If the test is for a constant, the loop ends or not whatever else there is, which is seen
//! when it is run.

use std::collections::HashSet;

use crate::arith;
use crate::bytecode::{BinOp, CmpOp, Function, Instr, Operand, Reg};
use crate::cfg::Graph;

/// How far copies of a register are followed.
const FAR: usize = 8;

/// Whether every cycle within some blocks of a graph counts. Loops that are nested are not looked into.
pub fn all_cycles_count(graph: &Graph, blocks: &HashSet<usize>) -> bool {
    let found = cycles(graph, blocks);
    found.iter().all(|cycle| {
        let once = |block: usize| {
            let others = cycle.iter().copied().filter(|other| *other != block).collect();
            cycles(graph, &others).is_empty()
        };
        counts(graph, cycle, &once, true)
    })
}

/// By loop of a function that went through the passes, whether there is a way out of it.
pub fn leaving_loops(function: &Function) -> Vec<bool> {
    loops(function).map_or(vec![true; function.loops.len()], |(graph, loops)| {
        let leaves = |blocks: &HashSet<usize>| {
            blocks.iter().any(|&block| {
                let next = graph.blocks[block].successors();
                next.is_empty() || next.iter().any(|next| !blocks.contains(next))
            })
        };
        loops.iter().map(|(_, blocks)| leaves(blocks)).collect()
    })
}

/// By loop of a function that went through the passes, whether it counts; others may be within it.
pub fn counted_loops(function: &Function) -> Vec<bool> {
    let Some((graph, loops)) = loops(function) else { return vec![false; function.loops.len()] };
    let counted = |(header, blocks): &(usize, HashSet<usize>)| {
        let once = |block: usize| {
            let again = |from: usize, left_out: usize| {
                let others = blocks.iter().copied().filter(|other| *other != left_out).collect();
                from != left_out && reach(&graph, from, &others).contains(&from)
            };
            !again(*header, block) && !again(block, *header)
        };
        counts(&graph, blocks, &once, false)
    };
    loops.iter().map(counted).collect()
}

/// Where a loop begins, and its blocks.
pub(super) type Cycle = (usize, HashSet<usize>);

/// The loops of a function, each by its header and its blocks; those without a back edge that is bounded
/// have none.
pub(super) fn loops(function: &Function) -> Option<(Graph, Vec<Cycle>)> {
    let graph = Graph::of(function).filter(|_| !function.loops.is_empty())?;
    let before = graph.predecessors();
    let mut loops = Vec::new();
    for number in 0..function.loops.len() as u32 {
        let goes_back = |block: &usize| graph.blocks[*block].code.contains(&Instr::LoopBack { number });
        let mut pending: Vec<usize> = (0..graph.blocks.len()).filter(goes_back).collect();
        let header = pending.first().and_then(|&latch| graph.blocks[latch].successors().first().copied());
        let mut blocks = HashSet::from_iter(header);
        while let Some(block) = pending.pop() {
            if blocks.insert(block) {
                pending.extend(&before[block]);
            }
        }
        loops.push((header.unwrap_or(0), blocks));
    }
    Some((graph, loops))
}

/// The blocks that can be reached from one, all within some.
fn reach(graph: &Graph, from: usize, blocks: &HashSet<usize>) -> HashSet<usize> {
    let mut seen = HashSet::new();
    let mut pending = graph.blocks[from].successors();
    while let Some(block) = pending.pop() {
        if blocks.contains(&block) && seen.insert(block) {
            pending.extend(graph.blocks[block].successors());
        }
    }
    seen
}

/// The sets of blocks that can be reached from each other and are more than a way through, of those in
/// `blocks`.
fn cycles(graph: &Graph, blocks: &HashSet<usize>) -> Vec<HashSet<usize>> {
    let mut found: Vec<HashSet<usize>> = Vec::new();
    let mut order: Vec<usize> = blocks.iter().copied().collect();
    order.sort_unstable();
    for block in order {
        if found.iter().any(|cycle| cycle.contains(&block)) {
            continue;
        }
        let forward = reach(graph, block, blocks);
        if forward.contains(&block) {
            let back = |other: &usize| reach(graph, *other, blocks).contains(&block);
            found.push(forward.iter().copied().filter(back).collect());
        }
    }
    found
}

/// Whether some blocks, which go round, count. `once`: whether every round comes to a block, and only once.
/// `surely`: they must come to an end.
fn counts(graph: &Graph, cycle: &HashSet<usize>, once: &impl Fn(usize) -> bool, surely: bool) -> bool {
    cycle.iter().any(|&test| {
        let Some(&Instr::Branch { cond: Operand::Reg(cond), then, els }) = graph.blocks[test].code.last()
        else {
            return false;
        };
        let leaves = [els, then].map(|next| !cycle.contains(&(next as usize)));
        let is_test = || match test_of(graph, cycle, cond, once) {
            Some(Test::Decided(value)) => leaves[usize::from(value)],
            Some(Test::Counted { op, step, constant }) => {
                let strict = matches!(op, CmpOp::Ult | CmpOp::Ugt | CmpOp::Slt | CmpOp::Sgt);
                let equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
                !surely || step == 1 && (strict || equality) || constant && !equality
            }
            None => false,
        };
        (leaves[0] || leaves[1]) && is_test() && once(test)
    })
}

/// What is tested in each round.
enum Test {
    /// A register that takes steps of this size; whether with a constant.
    Counted { op: CmpOp, step: u64, constant: bool },
    /// A register that is set anew each time, so that it is known what comes of it.
    Decided(bool),
}

/// The only instruction of a cycle that writes a register, and its block.
fn only_source<'a>(graph: &'a Graph, cycle: &HashSet<usize>, reg: Reg) -> Option<(usize, &'a Instr)> {
    let all = cycle.iter().flat_map(|&block| graph.blocks[block].code.iter().map(move |i| (block, i)));
    let mut sources = all.filter(|(_, instr)| instr.written().contains(&reg));
    let first = sources.next()?;
    sources.next().is_none().then_some(first)
}

fn test_of(
    graph: &Graph,
    cycle: &HashSet<usize>,
    mut cond: Reg,
    once: &impl Fn(usize) -> bool,
) -> Option<Test> {
    let mut negated = false;
    for _ in 0..FAR {
        match *only_source(graph, cycle, cond)?.1 {
            Instr::Bin { op: BinOp::Xor, bits: 1, a: Operand::Reg(a), b: Operand::Const(1), .. } => {
                (cond, negated) = (a, !negated);
            }
            Instr::Cmp { op: CmpOp::Ne, a: Operand::Reg(a), b: Operand::Const(0), bits: 1, .. } => cond = a,
            Instr::Cmp { op, a, b, bits: bits @ ..=64, .. } => {
                if let (Some(x), Operand::Const(y)) = (set_to(graph, cycle, a, once), b) {
                    return Some(Test::Decided(arith::cmp_narrow(op, bits, x, y) != negated));
                }
                let step = match (stays(graph, cycle, a), stays(graph, cycle, b)) {
                    (false, true) => step_of(graph, cycle, a, once),
                    (true, false) => step_of(graph, cycle, b, once),
                    _ => None,
                }?;
                let constant = matches!(a, Operand::Const(_)) || matches!(b, Operand::Const(_));
                return Some(Test::Counted { op, step, constant });
            }
            _ => return None,
        }
    }
    None
}

/// The constant that a register is set to in each round, and nothing else.
fn set_to(
    graph: &Graph,
    cycle: &HashSet<usize>,
    operand: Operand,
    once: &impl Fn(usize) -> bool,
) -> Option<u64> {
    let Operand::Reg(mut reg) = operand else { return None };
    for _ in 0..FAR {
        match only_source(graph, cycle, reg)? {
            (block, Instr::Move { src: Operand::Const(value), .. }) => return once(block).then_some(*value),
            (_, Instr::Move { src: Operand::Reg(src), .. }) => reg = *src,
            _ => return None,
        }
    }
    None
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
    once: &impl Fn(usize) -> bool,
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
        if !once(block) {
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
            Instr::Offset { base: Operand::Reg(base), index: Operand::Const(index), scale, .. } => {
                (base, magnitude(index.wrapping_mul(scale as u64), 64)?)
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
