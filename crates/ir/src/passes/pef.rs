//! Loops of which an iteration may turn out to have no effect (thesis §7.2.5).
//!
//! Whether it had one is found out when it is run (see the machine's `purity`); here the headers of the loops
//! in question get a [`Instr::LoopHead`] that says what to look at: registers that the loop changes and
//! that are live at the header.

use std::cell::OnceCell;

use crate::analysis::attempts::Flow;
use crate::analysis::escape::{Allocators, rewritten};
use crate::bytecode::{BinOp, Instr, Operand, Reg};
use crate::cfg::Graph;
use crate::liveness::RegSet;
use crate::passes::loops::LoopBlocks;

/// Marks the headers of the loops of a function. `live_in`: the registers that matter at the beginning of
/// each block. `with_escape`: they also say which cells of objects that nobody knows every iteration
/// rewrites.
pub fn mark(
    graph: &mut Graph,
    loops: &[LoopBlocks],
    allocators: &Allocators,
    live_in: impl Fn(&Graph) -> Vec<RegSet>,
    with_escape: bool,
) {
    let candidates: Vec<usize> = (0..loops.len()).filter(|&n| may_idle(graph, n, &loops[n])).collect();
    if candidates.is_empty() {
        return;
    }
    let live = live_in(graph);
    let flow = OnceCell::new();
    // What counts may only bound how often the loop tries (`Reduction::Attempts`).
    let tries = |found: &LoopBlocks| {
        let flow = flow.get_or_init(|| Flow::of(graph));
        !flow.counters(&found.blocks.iter().copied().collect()).is_empty()
    };
    let heads: Vec<(usize, Instr)> = candidates
        .into_iter()
        .filter(|&number| {
            let found = &loops[number];
            !counts(graph, found, &live[found.header]) || tries(found)
        })
        .map(|number| {
            let found = &loops[number];
            let code = found.blocks.iter().flat_map(|&block| &graph.blocks[block].code);
            let mut changed: Vec<Reg> =
                code.flat_map(Instr::written).filter(|reg| live[found.header].contains(*reg)).collect();
            changed.sort_unstable();
            changed.dedup();
            let rewritten = match with_escape {
                true => rewritten(graph, found, allocators),
                false => Vec::new(),
            };
            (found.header, Instr::LoopHead { number: number as u32, live: changed, rewritten })
        })
        .collect();
    for (block, head) in heads {
        graph.blocks[block].push_first(head);
    }
}

/// Whether a loop goes round at all, and reads.
fn may_idle(graph: &Graph, number: usize, found: &LoopBlocks) -> bool {
    let back = Instr::LoopBack { number: number as u32 };
    let goes_round = found.latches.iter().any(|&latch| graph.blocks[latch].code.contains(&back));
    let reads = |instr: &Instr| match instr {
        Instr::Load { .. } | Instr::Cmpxchg { .. } | Instr::Call { .. } => true,
        Instr::Rmw { op, operand, .. } => op.may_keep(*operand),
        _ => false,
    };
    goes_round && found.blocks.iter().any(|&block| graph.blocks[block].code.iter().any(reads))
}

/// Whether every iteration changes a register that matters by a constant: watching it would be in vain.
fn counts(graph: &Graph, found: &LoopBlocks, live: &RegSet) -> bool {
    let steps = |reg: Reg, from: Reg| {
        let code = found.blocks.iter().flat_map(|&block| &graph.blocks[block].code);
        let mut sources = code.filter(|instr| instr.written().contains(&reg));
        matches!(
            (sources.next(), sources.next()),
            (
                Some(
                    Instr::Bin { op: BinOp::Add | BinOp::Sub, a: Operand::Reg(a), b: Operand::Const(1..), .. }
                        | Instr::Offset { base: Operand::Reg(a), index: Operand::Const(1..), scale: 1.., .. }
                ),
                None
            ) if *a == from
        )
    };
    found.latches.iter().all(|&latch| {
        graph.blocks[latch].code.iter().any(|instr| match instr {
            Instr::Move { dst, src: Operand::Reg(src) } => live.contains(*dst) && steps(*src, *dst),
            _ => false,
        })
    })
}
