//! Which loops are within which.

use crate::bytecode::{Function, Instr};
use crate::cfg::predecessors;

/// For each loop, which others are within it: those whose header leads to its back edge without passing
/// its own header.
pub fn nesting(function: &Function) -> Vec<Vec<u32>> {
    if function.loops.is_empty() {
        return Vec::new();
    }
    let before = predecessors(function);
    let of_loop = |number: usize| {
        let header = function.loops[number].header;
        let mut inside = vec![false; function.code.len() + 1];
        let is_edge = |i: &Instr| matches!(i, Instr::LoopBack { number: n } if *n as usize == number);
        let mut todo: Vec<u32> =
            (0..).zip(&function.code).filter(|(_, i)| is_edge(i)).map(|(at, _)| at).collect();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut inside[at as usize], true) && at != header {
                todo.extend(&before[at as usize]);
            }
        }
        let others = (0..).zip(&function.loops).filter(|(n, _)| *n as usize != number);
        others.filter(|(_, l)| l.header != header && inside[l.header as usize]).map(|(n, _)| n).collect()
    };
    (0..function.loops.len()).map(of_loop).collect()
}
