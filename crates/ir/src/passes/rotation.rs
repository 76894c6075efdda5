//! Loops that start with their test, seen as if they started after it (thesis §7.2.4).
//!
//! In `v = load(); while (!v) v = load();` the state at the header depends on what was read before the loop.
//! But the test can be done at the end of an iteration as well, and where that is so, the iteration starts in
//! the same state each time.

use crate::bytecode::Instr;
use crate::cfg::Graph;
use crate::passes::loops::LoopBlocks;

/// The first block after the header, if the header only decides whether to go on: where an iteration is
/// better seen as to start.
pub fn body_after_test(graph: &Graph, found: &LoopBlocks) -> Option<usize> {
    let code = &graph.blocks[found.header].code;
    let (last, before) = code.split_last()?;
    let computes = before
        .iter()
        .all(|instr| instr.only_reads() && !matches!(instr, Instr::Load { .. } | Instr::Fence { .. }));
    let Instr::Branch { then, els, .. } = last else { return None };
    let body = match (found.blocks.contains(&(*then as usize)), found.blocks.contains(&(*els as usize))) {
        (true, false) => *then as usize,
        (false, true) => *els as usize,
        _ => return None,
    };
    let only_way = graph.predecessors()[body] == [found.header];
    (computes && only_way && body != found.header).then_some(body)
}

/// Lets a loop start with `body`: its back edges go to a copy of the test, and that to `body`.
pub fn rotate(graph: &mut Graph, loops: &mut [LoopBlocks], number: usize, body: usize) {
    let header = loops[number].header;
    let test = graph.blocks.len();
    let copy = graph.blocks[header].clone();
    graph.blocks.push(copy);
    for &latch in &loops[number].latches {
        graph.blocks[latch].remove(&Instr::LoopBack { number: number as u32 });
        graph.retarget(latch, header, test);
    }
    let back = graph.on_edge(test, body);
    graph.blocks[back].push_last(Instr::LoopBack { number: number as u32 });
    for other in loops.iter_mut().filter(|other| other.blocks.contains(&header)) {
        other.blocks.extend([test, back]);
    }
    // The first test is before the loop now, unless the loop is in another one.
    loops[number].blocks.remove(&header);
    loops[number].header = body;
    loops[number].latches = vec![back];
}
