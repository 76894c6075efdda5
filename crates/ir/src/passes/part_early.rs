//! Where a switch or a branch decides by what the way to it has just set, control goes on from there at once.
//!
//! When a block of C is left in several ways, clang lets all of them come together to end the lives of its
//! variables, and part again by a number. A function of Rust that gives an `Option` is inlined as ways that
//! set it to one or the other, and what called it asks which. Loops are easier to understand without that.
//!
//! Known of a register is what it was set to, and that it is not 0 if it was an address that was accessed: it
//! would have been an error otherwise. Branches at the header of a loop stay where they are, so that a loop
//! keeps its one entry.

use std::collections::{BTreeSet, HashSet};

use crate::analysis::follow::{Known, evaluate};
use crate::bytecode::{CmpOp, Instr, Operand, Reg, Target};
use crate::cfg::Graph;

/// How many instructions there may be between where the ways meet and where they part.
const MOST: usize = 16;

/// How many blocks are looked at that control must have come through.
const FAR: usize = 8;

/// What is known of registers somewhere.
#[derive(Default)]
struct Facts {
    known: Known,
    not_zero: BTreeSet<Reg>,
}

impl Facts {
    /// At the end of a block, by what is in it and in those that control must have come through just before.
    fn at_end_of(graph: &Graph, predecessors: &[Vec<usize>], block: usize) -> Facts {
        let mut way = vec![block];
        // Control also comes to the first block from outside.
        while way.last() != Some(&0)
            && let [before] = predecessors[way[way.len() - 1]][..]
            && way.len() < FAR
            && !way.contains(&before)
        {
            way.push(before);
        }
        let mut facts = Facts::default();
        for block in way.into_iter().rev() {
            graph.blocks[block].code.iter().for_each(|instr| facts.pass(instr));
        }
        facts
    }

    fn pass(&mut self, instr: &Instr) {
        let value = self.value_of(instr);
        let is_address = match instr {
            Instr::Move { src: Operand::Reg(src), .. } => self.not_zero.contains(src),
            _ => false,
        };
        if let Instr::Load { addr, .. }
        | Instr::Store { addr, .. }
        | Instr::Rmw { addr, .. }
        | Instr::Cmpxchg { addr, .. } = instr
            && let Operand::Reg(addr) = addr
        {
            self.not_zero.insert(*addr);
        }
        for reg in instr.written() {
            self.known.remove(&reg);
            self.not_zero.remove(&reg);
        }
        if let Some(value) = value {
            self.known.insert(instr.written().start, value);
        }
        if is_address {
            self.not_zero.insert(instr.written().start);
        }
    }

    fn value_of(&self, instr: &Instr) -> Option<u64> {
        // Less than the whole of an address may be 0.
        if let Instr::Cmp { op, bits: 64, a: Operand::Reg(a), b: Operand::Const(0), .. } = instr
            && self.not_zero.contains(a)
        {
            match op {
                CmpOp::Eq => return Some(0),
                CmpOp::Ne => return Some(1),
                _ => {}
            }
        }
        evaluate(instr, &self.known)
    }

    /// Where control goes in the end of some code.
    fn way_out_of(mut self, code: &[Instr]) -> Option<Target> {
        let (last, body) = code.split_last()?;
        body.iter().for_each(|instr| self.pass(instr));
        let (&Instr::Branch { cond: Operand::Reg(reg), .. }
        | &Instr::Switch { value: Operand::Reg(reg), .. }) = last
        else {
            return None;
        };
        let value = *self.known.get(&reg)?;
        match last {
            Instr::Branch { then, els, .. } => Some(if value != 0 { *then } else { *els }),
            Instr::Switch { cases, default, .. } => {
                Some(cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, to)| *to))
            }
            _ => None,
        }
    }
}

/// Blocks that control comes back to.
fn headers(graph: &Graph) -> BTreeSet<usize> {
    let order = graph.reverse_postorder();
    let mut place = vec![usize::MAX; graph.blocks.len()];
    order.iter().enumerate().for_each(|(at, &block)| place[block] = at);
    let edges =
        order.iter().flat_map(|&from| graph.blocks[from].successors().into_iter().map(move |to| (from, to)));
    edges.filter(|&(from, to)| place[to] <= place[from]).map(|(_, to)| to).collect()
}

/// Lets the ways of a function part early.
pub fn run(graph: &mut Graph) {
    let mut todo: Vec<usize> = (0..graph.blocks.len()).collect();
    let mut left = 4 * graph.blocks.len();
    let mut headers = headers(graph);
    let mut predecessors = graph.predecessors();
    while let Some(from) = todo.pop() {
        let block = &graph.blocks[from];
        let Some(&Instr::Jump { to: meets }) = block.code.last() else { continue };
        let meeting = &graph.blocks[meets as usize];
        let decides = match meeting.code.last() {
            Some(Instr::Switch { .. }) => true,
            Some(Instr::Branch { .. }) => !headers.contains(&(meets as usize)),
            _ => false,
        };
        if !decides || meeting.code.len() > MOST + 1 || left == 0 {
            continue;
        }
        let Some(to) = Facts::at_end_of(graph, &predecessors, from).way_out_of(&meeting.code) else {
            continue;
        };
        let (mut code, mut places) = (meeting.code.clone(), meeting.places.clone());
        code.pop();
        code.push(Instr::Jump { to });
        let block = &mut graph.blocks[from];
        block.code.pop();
        block.places.pop();
        block.code.append(&mut code);
        block.places.append(&mut places);
        predecessors[meets as usize].retain(|&before| before != from);
        predecessors[to as usize].push(from);
        // Only then control may come back to another block than before.
        if headers.contains(&(meets as usize)) {
            headers.insert(to as usize);
        }
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
