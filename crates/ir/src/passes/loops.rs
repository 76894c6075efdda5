//! Finds loops and marks their back edges.

use std::collections::BTreeSet;

use crate::bytecode::{Instr, Place};
use crate::cfg::Graph;

/// A loop of a [`Graph`]; its number is its position in the list that [`mark`] returns.
#[derive(Clone, Debug)]
pub struct LoopBlocks {
    /// Where iterations begin.
    pub header: usize,
    /// All blocks of the loop with the header. Empty if the loop can be entered elsewhere, too
    /// (by a `goto`): such a loop is only bounded.
    pub blocks: BTreeSet<usize>,
    /// Blocks that go back to the header: they end with `LoopBack` and a jump.
    pub latches: Vec<usize>,
    /// Where it is in the source.
    pub place: Place,
}

/// Puts a [`Instr::LoopBack`] on every edge that closes a cycle.
pub fn mark(graph: &mut Graph) -> Vec<LoopBlocks> {
    let order = graph.reverse_postorder();
    let mut rank = vec![usize::MAX; graph.blocks.len()];
    for (position, &block) in order.iter().enumerate() {
        rank[block] = position;
    }
    let idom = graph.dominators();
    let dominates = |above: usize, mut below: usize| {
        // Dominators come first in the order.
        while rank[below] > rank[above] {
            match idom[below] {
                Some(next) => below = next,
                None => return false,
            }
        }
        above == below
    };

    // Every cycle contains an edge that goes back in the order: bounding those bounds everything.
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); graph.blocks.len()];
    for &from in &order {
        for to in graph.blocks[from].successors() {
            if rank[from] >= rank[to] {
                sources[to].push(from);
            }
        }
    }
    let with_sources = order.iter().map(|&header| (header, std::mem::take(&mut sources[header])));
    let headers: Vec<(usize, Vec<usize>)> = with_sources.filter(|(_, sources)| !sources.is_empty()).collect();

    let mut loops = Vec::new();
    for (header, sources) in headers {
        let natural = sources.iter().all(|&from| dominates(header, from));
        let number = loops.len() as u32;
        let place = place_of(graph, header, &sources);
        let latches: Vec<usize> = sources
            .iter()
            .map(|&from| {
                let latch = graph.on_edge(from, header);
                graph.blocks[latch].push_last(Instr::LoopBack { number });
                latch
            })
            .collect();
        loops.push(LoopBlocks { header, blocks: BTreeSet::new(), latches, place });
        if !natural {
            loops.last_mut().expect("just added").latches.clear();
        }
    }
    // Only now are all blocks there.
    let predecessors = graph.predecessors();
    for found in &mut loops {
        if found.latches.is_empty() {
            continue;
        }
        found.blocks.insert(found.header);
        let mut pending = found.latches.clone();
        while let Some(block) = pending.pop() {
            if found.blocks.insert(block) {
                pending.extend(&predecessors[block]);
            }
        }
    }
    loops
}

/// The first place that is known in the header, else in a source of a back edge.
fn place_of(graph: &Graph, header: usize, sources: &[usize]) -> Place {
    std::iter::once(header)
        .chain(sources.iter().copied())
        .flat_map(|block| graph.blocks[block].places.iter().copied())
        .find(|place| place.line != 0)
        .unwrap_or_default()
}
