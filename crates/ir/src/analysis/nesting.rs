//! Which loops are within which.

use crate::bytecode::{Function, Instr, Loop};
use crate::cfg::predecessors;

/// For each loop, which others are within it: those whose header is part of it.
pub fn nesting(function: &Function) -> Vec<Vec<u32>> {
    let bodies = bodies(function);
    let of_loop = |number: usize| {
        let header = function.loops[number].header;
        let others = (0..).zip(&function.loops).filter(|(n, _)| *n as usize != number);
        let inside = |l: &Loop| l.header != header && bodies[number][l.header as usize];
        others.filter(|(_, l)| inside(l)).map(|(n, _)| n).collect()
    };
    (0..function.loops.len()).map(of_loop).collect()
}

/// For each loop, by instruction, whether it is part of it: whether it leads to the loop's back edge without
/// passing its header.
pub fn bodies(function: &Function) -> Vec<Vec<bool>> {
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
        inside
    };
    (0..function.loops.len()).map(of_loop).collect()
}
