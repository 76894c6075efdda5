//! Where a switch decides by what the way to it has just set, control goes on from there at once.
//!
//! When a block of C is left in several ways, clang lets all of them come together to end the lives of its
//! variables, and part again by a number. Loops are easier to understand without that.

use std::collections::HashSet;

use crate::bytecode::{Instr, Operand};
use crate::cfg::Graph;

/// How many instructions there may be between where the ways meet and where they part.
const MOST: usize = 16;

/// Lets the ways of a function part early.
pub fn run(graph: &mut Graph) {
    let mut todo: Vec<usize> = (0..graph.blocks.len()).collect();
    let mut left = 4 * graph.blocks.len();
    while let Some(from) = todo.pop() {
        let block = &graph.blocks[from];
        let Some(&Instr::Jump { to }) = block.code.last() else { continue };
        let meeting = &graph.blocks[to as usize];
        let Some((Instr::Switch { value: Operand::Reg(reg), cases, default }, body)) =
            meeting.code.split_last()
        else {
            continue;
        };
        let sets = |instr: &&Instr| instr.written().contains(reg);
        if body.len() > MOST || body.iter().any(|instr| sets(&instr)) || left == 0 {
            continue;
        }
        let Some(&Instr::Move { src: Operand::Const(number), .. }) = block.code.iter().rev().find(sets)
        else {
            continue;
        };
        let case = cases.iter().find(|(case, _)| *case == number);
        let to = case.map_or(*default, |(_, to)| *to);
        let (mut code, mut places) = (body.to_vec(), meeting.places.clone());
        code.push(Instr::Jump { to });
        let block = &mut graph.blocks[from];
        block.code.pop();
        block.places.pop();
        block.code.append(&mut code);
        block.places.append(&mut places);
        left -= 1;
        todo.push(from);
    }
    drop_numbers(graph);
}

/// Takes out what sets registers to constants that nobody reads.
fn drop_numbers(graph: &mut Graph) {
    let order = graph.reverse_postorder();
    let mut read = HashSet::new();
    for instr in order.iter().flat_map(|block| &graph.blocks[*block].code) {
        instr.for_registers(|reg| _ = read.insert(reg));
    }
    for number in order {
        let block = &mut graph.blocks[number];
        let dead = |instr: &Instr| match instr {
            Instr::Move { dst, src: Operand::Const(_) } => !read.contains(dst),
            _ => false,
        };
        let mut places = block.code.iter().zip(&block.places);
        let places = places.by_ref().filter(|(instr, _)| !dead(instr)).map(|(_, place)| *place);
        block.places = places.collect();
        block.code.retain(|instr| !dead(instr));
    }
}
