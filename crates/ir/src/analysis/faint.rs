//! Registers that do not matter: what is computed from them decides at most how a thread passes its time.
//!
//! `while (!load(&f)) if (++n > 10) { sched_yield(); n = 0; } else pause();` counts its rounds, but nothing
//! that others see, and nothing that the thread does after the loop, depends on the count. Such a register is
//! *faint*: two states that differ in it only lead to the same. So an iteration that changes nothing else has
//! no effect, and the loop waits (`Reduction::Faint`).
//!
//! A register is needed where an instruction reads it that does something; or that computes a register which
//! is needed; or a branch whose ways differ. The ways of a branch do not differ if they meet again, all that
//! is done until then is to compute and to let time pass, and no register that is written there is needed
//! where they meet. Loops on the way have to count (`counted`), so that they come to an end however long the
//! pause. Everything is taken not to matter until there is a reason.
//!
//! What may be an error is needed: a division, an index out of bounds, a product that overflows unless it
//! only grows to a limit (`limited`). The one exception is that signed numbers are counted up or down by
//! small steps: that they overflow, after some millions of iterations, is not looked for.

use std::collections::HashSet;

use crate::analysis::counted::all_cycles_count;
use crate::analysis::effects::Effects;
use crate::analysis::limited::limited;
use crate::bytecode::{BinOp, CastOp, Instr, Operand, Reg};
use crate::cfg::Graph;
use crate::liveness::{RegSet, live_in_if};

/// In functions with more blocks than this, all branches matter.
const MANY_BLOCKS: usize = 2048;

/// The largest step of a counter that is not taken to overflow.
const SMALL_STEP: u64 = 256;

/// The registers that matter at the beginning of each block.
pub fn needed_in(graph: &Graph, regs: Reg, effects: &Effects) -> Vec<RegSet> {
    let limited = limited(graph);
    let is_quiet = |block: usize, instr: &Instr| {
        is_quiet(instr, effects)
            || matches!(instr, Instr::Bin { dst, .. } if limited.contains(&(block, *dst)))
    };
    let mut detours = detours(graph, is_quiet);
    loop {
        let idle: HashSet<usize> = detours.iter().map(|detour| detour.branch).collect();
        let needed = live_in_if(graph, regs, |block, instr| match instr {
            Instr::Branch { .. } | Instr::Switch { .. } => !idle.contains(&block),
            _ => !is_quiet(block, instr),
        });
        let before = detours.len();
        detours.retain(|detour| {
            let there = &needed[detour.meeting];
            !detour.written.iter().any(|reg| there.contains(*reg))
        });
        if detours.len() == before {
            return needed;
        }
    }
}

/// Ways that part at a branch and meet again, between which nothing is done that others could see.
struct Detour {
    branch: usize,
    meeting: usize,
    written: HashSet<Reg>,
}

fn detours(graph: &Graph, is_quiet: impl Fn(usize, &Instr) -> bool) -> Vec<Detour> {
    if graph.blocks.len() > MANY_BLOCKS {
        return Vec::new();
    }
    let after = meetings(graph);
    let quiet: Vec<bool> = graph
        .blocks
        .iter()
        .enumerate()
        .map(|(number, block)| {
            block.code.iter().all(|instr| match instr {
                Instr::Jump { .. } | Instr::Branch { .. } | Instr::Switch { .. } => true,
                Instr::LoopBack { .. } => true,
                _ => is_quiet(number, instr),
            })
        })
        .collect();
    let order = graph.reverse_postorder();
    order.into_iter().filter_map(|branch| detour(graph, branch, after[branch]?, &quiet)).collect()
}

fn detour(graph: &Graph, branch: usize, meeting: usize, quiet: &[bool]) -> Option<Detour> {
    let ways = graph.blocks[branch].successors();
    let mut between: HashSet<usize> = HashSet::new();
    let mut pending: Vec<usize> = ways.iter().copied().filter(|&next| next != meeting).collect();
    while let Some(block) = pending.pop() {
        if !quiet[block] {
            return None;
        }
        if between.insert(block) {
            let next = graph.blocks[block].successors();
            if next.is_empty() {
                return None;
            }
            pending.extend(next.into_iter().filter(|&next| next != meeting));
        }
    }
    let code = between.iter().flat_map(|&block| &graph.blocks[block].code);
    let written: HashSet<Reg> = code.flat_map(Instr::written).collect();
    all_cycles_count(graph, &between).then_some(Detour { branch, meeting, written })
}

/// By block with several successors, the first one that all ways from there to the end of the function go
/// through; `None` if there is no such block, or no way to the end.
fn meetings(graph: &Graph) -> Vec<Option<usize>> {
    let count = graph.blocks.len();
    let words = count.div_ceil(64);
    let order = graph.reverse_postorder();
    // What each block's ways to the end all go through; everything until a way is found.
    let mut on_all: Vec<Vec<u64>> = vec![vec![u64::MAX; words]; count];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev() {
            let mut new = vec![u64::MAX; words];
            let next = graph.blocks[block].successors();
            if next.is_empty() {
                new.fill(0);
            }
            for to in next {
                new.iter_mut().zip(&on_all[to]).for_each(|(word, other)| *word &= other);
            }
            new[block / 64] |= 1 << (block % 64);
            if new != on_all[block] {
                on_all[block] = new;
                changed = true;
            }
        }
    }
    let size = |block: usize| on_all[block].iter().map(|word| word.count_ones()).sum::<u32>();
    let is_on_all = |block: usize, other: usize| on_all[block][other / 64] >> (other % 64) & 1 != 0;
    (0..count)
        .map(|block| {
            let several = graph.blocks[block].successors().len() > 1;
            let later = (0..count).filter(|&other| several && other != block && is_on_all(block, other));
            later.max_by_key(|&other| size(other))
        })
        .collect()
}

/// Whether an instruction only computes and cannot fail, or lets time pass.
fn is_quiet(instr: &Instr, effects: &Effects) -> bool {
    match instr {
        Instr::Call { callee, .. } => effects.only_passes_time(*callee),
        _ => only_computes(instr),
    }
}

/// Whether an instruction computes registers from registers, whatever they hold.
pub(super) fn only_computes(instr: &Instr) -> bool {
    use BinOp::*;
    match *instr {
        Instr::Move { .. } | Instr::Cmp { .. } | Instr::Select { .. } | Instr::Overflowing { .. } => true,
        Instr::Cast { op, .. } => matches!(op, CastOp::Zext | CastOp::Sext | CastOp::Trunc),
        Instr::Offset { within, .. } => !within,
        Instr::Bin {
            op: Add | Sub,
            no_signed_wrap: true,
            b: Operand::Const(by),
            bits: bits @ 32..=64,
            ..
        } => {
            let unused = 64 - u32::from(bits);
            ((by << unused) as i64 >> unused).unsigned_abs() <= SMALL_STEP
        }
        Instr::Bin { op: Add | Sub | Mul | And | Or | Xor, no_signed_wrap, .. } => !no_signed_wrap,
        Instr::Bin { op: Shl | LShr | AShr, no_signed_wrap: false, b: Operand::Const(by), bits, .. } => {
            by < u64::from(bits)
        }
        _ => false,
    }
}
