//! Loops that wait: an iteration that goes round without any effect need not be explored again.
//!
//! The simplest part of chapter 7.2 of the thesis: a loop waits if an iteration that reaches the back edge
//! wrote nothing to memory and left every register that the next iteration may read as it was. The next
//! iteration then starts in the same state, and can only go another way if it reads other values. Reads and
//! fences of the iterations that failed can be left out: without them, what follows is allowed all the more.
//!
//! Only loops are taken for which this is certain. A compare-and-exchange is fine if the loop is left
//! whenever it succeeds, also if it is in a function that the loop calls (`while (!try_lock());`). Every
//! path through the loop counts, so a nested loop is fine if its own registers are set anew.

use crate::analysis::effects::{Effect, Effects};
use crate::analysis::follow::{Known, Way, follow};
use crate::bytecode::{Instr, registers};
use crate::cfg::Graph;
use crate::liveness::RegSet;
use crate::passes::loops::LoopBlocks;
use crate::passes::rotation::{body_after_test, rotate};

/// Lets the back edges of loops that wait be [`Instr::SpinBlock`]s. `live_in`: the registers that matter at
/// the beginning of each block. `may_rotate`: loops that would wait if
/// they started after their test do so then.
pub fn mark(
    graph: &mut Graph,
    loops: &mut [LoopBlocks],
    effects: &Effects,
    live_in: impl Fn(&Graph) -> Vec<RegSet>,
    may_rotate: bool,
) {
    // Loops that are certain to write are most; the others need to know what is live.
    let candidates: Vec<usize> =
        (0..loops.len()).filter(|&number| may_wait(graph, &loops[number], effects)).collect();
    if candidates.is_empty() {
        return;
    }
    let live = live_in(graph);
    for number in candidates {
        let found = &loops[number];
        // Whether an iteration that starts with `start` leaves what it may read as it was.
        let waits = |start: usize| {
            let carries = |instr: &Instr| instr.written().any(|reg| live[start].contains(reg));
            !instructions(graph, found).any(|(_, _, instr)| carries(instr))
                && writing_leaves(graph, found, start, effects)
        };
        let rotated = body_after_test(graph, found).filter(|&body| may_rotate && waits(body));
        if waits(found.header) {
            wait(graph, found, number as u32);
        } else if let Some(body) = rotated {
            rotate(graph, loops, number, body);
            wait(graph, &loops[number], number as u32);
        }
    }
}

fn instructions<'a>(
    graph: &'a Graph,
    found: &'a LoopBlocks,
) -> impl Iterator<Item = (usize, usize, &'a Instr)> {
    found.blocks.iter().flat_map(|&block| {
        graph.blocks[block].code.iter().enumerate().map(move |(position, instr)| (block, position, instr))
    })
}

/// Whether a loop reads, and writes by compare-and-exchange at most.
fn may_wait(graph: &Graph, found: &LoopBlocks, effects: &Effects) -> bool {
    // A loop that does not read waits for nothing: it never ends, and is reported as such. Or it only lets
    // some time pass (`for (i = 0; i < 8; i++) pause();`): then what counts its rounds does not matter to
    // loops around it (`faint`), and it ends by itself all the same.
    let reads = |instr: &Instr| match instr {
        Instr::Load { .. } | Instr::Cmpxchg { .. } => true,
        Instr::Call { callee, .. } => !effects.only_passes_time(*callee),
        _ => false,
    };
    instructions(graph, found).any(|(_, _, instr)| reads(instr))
        && instructions(graph, found).all(|(_, _, instr)| match instr {
            Instr::Cmpxchg { .. } => true,
            Instr::Call { callee, .. } => effects.of(*callee) != Effect::Any,
            other => other.only_reads(),
        })
}

/// Whether everything that writes leads out of the loop before `start` comes again.
fn writing_leaves(graph: &Graph, found: &LoopBlocks, start: usize, effects: &Effects) -> bool {
    let way = |next: usize| match next {
        _ if next == start => Way::Forbidden,
        _ if found.blocks.contains(&next) => Way::On,
        _ => Way::Out,
    };
    instructions(graph, found).all(|(block, position, instr)| {
        let known = match instr {
            Instr::Cmpxchg { dst, bytes, .. } => Known::from([(*dst + registers(*bytes), 1)]),
            Instr::Call { dst, callee, .. } => match (effects.of(*callee), dst) {
                (Effect::WritesIfReturns(value), Some(dst)) => Known::from([(*dst, value)]),
                (Effect::None, _) => return true,
                _ => return false,
            },
            _ => return true,
        };
        follow(graph, (block, position), known, way, &mut Vec::new())
    })
}

fn wait(graph: &mut Graph, found: &LoopBlocks, number: u32) {
    for &latch in &found.latches {
        for instr in &mut graph.blocks[latch].code {
            if *instr == (Instr::LoopBack { number }) {
                *instr = Instr::SpinBlock { number };
            }
        }
    }
}
