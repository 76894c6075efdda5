//! Loops in which what a thread chooses makes no difference to whether it goes round.
//!
//! A thread that comes back to a loop's beginning as it was, and has chosen something on the way, need not
//! wait for ever: another choice may lead out of the loop (`while (!flag && !nondet());`), or to something
//! that others see. In `while (!flag) if (rand() % 2) pause();` none does. That is certain here if the loop
//! only loads, calculates, lets time pass and chooses; if no test by which it is left depends on what was
//! chosen; and if the same tests are come to whatever was chosen. What depends on a choice is found in
//! registers: nothing is stored, and a register that is set at several places may be set by either of them.

use std::collections::HashSet;

use super::counted::loops;
use crate::bytecode::{FuncId, Function, Instr, Operand, Reg};
use crate::cfg::Graph;

/// By loop, whether that is certain. `chooses` and `pauses` say what functions that are called do.
pub fn idle_choices(
    function: &Function,
    chooses: impl Fn(FuncId) -> bool,
    pauses: impl Fn(FuncId) -> bool,
) -> Vec<bool> {
    let Some((graph, loops)) = loops(function) else { return vec![false; function.loops.len()] };
    let calls = |instr: &Instr, what: &dyn Fn(FuncId) -> bool| match instr {
        Instr::Call { callee: Operand::Func(f), .. } => what(*f),
        _ => false,
    };
    let is_choice = |instr: &Instr| calls(instr, &chooses);
    let is_known = |instr: &Instr| only_looks(instr) || is_choice(instr) || calls(instr, &pauses);
    let certain = |blocks: &HashSet<usize>| {
        let code = || blocks.iter().flat_map(|&block| &graph.blocks[block].code);
        code().any(is_choice) && code().all(is_known) && !leads_on(&graph, blocks, &is_choice)
    };
    loops.iter().map(|(_, blocks)| certain(blocks)).collect()
}

/// Whether a function that has no loops only looks, calculates, lets time pass and chooses, itself and what
/// it calls: to call it is to choose.
pub fn only_chooses<'m>(
    function: &'m Function,
    called: &dyn Fn(FuncId) -> Option<&'m Function>,
    is_harmless: &dyn Fn(FuncId) -> bool,
    depth: u32,
) -> bool {
    let is_known = |instr: &Instr| match instr {
        Instr::Return { .. } => true,
        Instr::Call { callee: Operand::Func(f), .. } => {
            is_harmless(*f)
                || depth > 0 && called(*f).is_some_and(|f| only_chooses(f, called, is_harmless, depth - 1))
        }
        other => only_looks(other),
    };
    !function.code.is_empty() && function.loops.is_empty() && function.code.iter().all(is_known)
}

fn only_looks(instr: &Instr) -> bool {
    use Instr::*;
    let computes = matches!(
        instr,
        Move { .. } | Bin { .. } | Cmp { .. } | Cast { .. } | Bits { .. } | Select { .. } | Offset { .. }
    );
    let goes = matches!(instr, Jump { .. } | Branch { .. } | LoopHead { .. } | LoopBack { .. });
    computes || goes || matches!(instr, Load { .. } | Fence { .. })
}

/// Whether a choice may lead out of a loop.
fn leads_on(graph: &Graph, blocks: &HashSet<usize>, is_choice: &dyn Fn(&Instr) -> bool) -> bool {
    let code = || blocks.iter().flat_map(|&block| &graph.blocks[block].code);
    let mut chosen: HashSet<Reg> = code().filter(|i| is_choice(i)).flat_map(Instr::written).collect();
    let depends = |instr: &Instr, chosen: &HashSet<Reg>| chosen.iter().any(|reg| instr.reads(*reg));
    loop {
        let before = chosen.len();
        let splits = code().any(|i| matches!(i, Instr::Branch { .. }) && depends(i, &chosen));
        let by_hand: Vec<Reg> = code()
            .filter(|i| depends(i, &chosen))
            .flat_map(Instr::written)
            .chain(code().flat_map(Instr::written).filter(|reg| {
                splits && code().filter(|other| other.written().contains(reg)).nth(1).is_some()
            }))
            .collect();
        chosen.extend(by_hand);
        if chosen.len() == before {
            break;
        }
    }
    let leaves = |block: usize| graph.blocks[block].successors().iter().any(|next| !blocks.contains(next));
    let ways_out = |from: usize| {
        let mut seen = HashSet::new();
        let mut pending = vec![from];
        while let Some(block) = pending.pop() {
            if blocks.contains(&block) && seen.insert(block) && !goes_back(graph, block) {
                pending.extend(graph.blocks[block].successors());
            }
        }
        seen.into_iter().filter(|block| leaves(*block)).collect::<HashSet<usize>>()
    };
    blocks.iter().any(|&block| {
        let decided = graph.blocks[block].code.last().is_some_and(|last| depends(last, &chosen));
        let next = graph.blocks[block].successors();
        decided && (leaves(block) || next.iter().any(|way| ways_out(*way) != ways_out(next[0])))
    })
}

fn goes_back(graph: &Graph, block: usize) -> bool {
    graph.blocks[block].code.iter().any(|instr| matches!(instr, Instr::LoopBack { .. }))
}
