//! A function between LLVM and flat bytecode: blocks of bytecode, with block numbers for targets.

use crate::registers::{for_operands, written};
use selvedge_vm::ir::{Instr, Operand, Place, Reg, Target};
use std::collections::HashSet;

/// Ends with its only jump, branch, switch, return or [`Instr::Unreachable`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) code: Vec<Instr>,
    /// One per instruction.
    pub(crate) places: Vec<Place>,
}

/// Block 0 is the entry. Until [`Graph::flatten`], a [`Target`] is the number of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) blocks: Vec<Block>,
}

/// The targets of an instruction.
pub(crate) fn targets(instr: &Instr) -> Vec<Target> {
    match instr {
        Instr::Jump { to } => vec![*to],
        Instr::Branch { then, els, .. } => vec![*then, *els],
        Instr::Switch { cases, default, .. } => cases.iter().map(|(_, to)| *to).chain([*default]).collect(),
        _ => Vec::new(),
    }
}

fn map_targets(instr: &mut Instr, mut map: impl FnMut(Target) -> Target) {
    match instr {
        Instr::Jump { to } => *to = map(*to),
        Instr::Branch { then, els, .. } => {
            *then = map(*then);
            *els = map(*els);
        }
        Instr::Switch { cases, default, .. } => {
            for (_, to) in cases {
                *to = map(*to);
            }
            *default = map(*default);
        }
        _ => {}
    }
}

impl Block {
    pub(crate) fn push(&mut self, instr: Instr, place: Place) {
        self.code.push(instr);
        self.places.push(place);
    }

    /// Puts an instruction before the terminator.
    pub(crate) fn push_last(&mut self, instr: Instr) {
        let end = self.code.len() - 1;
        self.code.insert(end, instr);
        self.places.insert(end, self.places[end]);
    }

    /// Puts an instruction before all others.
    pub(crate) fn push_first(&mut self, instr: Instr) {
        self.code.insert(0, instr);
        self.places.insert(0, self.places.first().copied().unwrap_or_default());
    }

    /// Takes out an instruction, if it is there.
    pub(crate) fn remove(&mut self, instr: &Instr) {
        if let Some(position) = self.code.iter().position(|other| other == instr) {
            self.code.remove(position);
            self.places.remove(position);
        }
    }

    pub(crate) fn successors(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.code.last().map(targets).unwrap_or_default().into_iter().map(|to| to as usize).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Graph {
    /// Lets the terminator of `from` go to `new` instead of `old`.
    pub(crate) fn retarget(&mut self, from: usize, old: usize, new: usize) {
        if let Some(last) = self.blocks[from].code.last_mut() {
            map_targets(last, |to| if to as usize == old { new as Target } else { to });
        }
    }

    /// A new block on the edge that does nothing yet.
    fn split(&mut self, from: usize, to: usize) -> usize {
        let new = self.blocks.len();
        let place = self.blocks[from].places.last().copied().unwrap_or_default();
        self.blocks.push(Block { code: vec![Instr::Jump { to: to as Target }], places: vec![place] });
        self.retarget(from, to, new);
        new
    }

    /// The block to whose end instructions can be added that run when the edge is taken, and only then.
    pub(crate) fn on_edge(&mut self, from: usize, to: usize) -> usize {
        if self.blocks[from].successors().len() == 1 { from } else { self.split(from, to) }
    }

    pub(crate) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            for to in block.successors() {
                predecessors[to].push(number);
            }
        }
        predecessors
    }

    /// Where a switch decides by what the way to it has just set, goes on from there at once.
    ///
    /// When a block of C is left in several ways, clang lets all of them come together to end the lives of its variables,
    /// and part again by a number. Loops are easier to understand without that.
    pub(crate) fn part_early(&mut self) {
        const MOST: usize = 16;
        let mut todo: Vec<usize> = (0..self.blocks.len()).collect();
        let mut left = 4 * self.blocks.len();
        while let Some(from) = todo.pop() {
            let block = &self.blocks[from];
            let Some(&Instr::Jump { to }) = block.code.last() else { continue };
            let meeting = &self.blocks[to as usize];
            let Some((Instr::Switch { value: Operand::Reg(reg), cases, default }, body)) =
                meeting.code.split_last()
            else {
                continue;
            };
            let sets = |instr: &&Instr| written(instr).contains(reg);
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
            let block = &mut self.blocks[from];
            block.code.pop();
            block.places.pop();
            block.code.append(&mut code);
            block.places.append(&mut places);
            left -= 1;
            todo.push(from);
        }
        self.drop_numbers();
    }

    /// Takes out what sets registers to constants that nobody reads.
    fn drop_numbers(&mut self) {
        let order = self.reverse_postorder();
        let mut read = HashSet::new();
        for instr in order.iter().flat_map(|block| &self.blocks[*block].code) {
            for_operands(instr, |operand, pair| {
                if let Operand::Reg(reg) = operand {
                    read.extend(reg..=reg + pair as Reg);
                }
            });
        }
        for number in order {
            let block = &mut self.blocks[number];
            let dead = |instr: &Instr| matches!(instr, Instr::Move { dst, src: Operand::Const(_) } if !read.contains(dst));
            let mut places = block.code.iter().zip(&block.places);
            let places = places.by_ref().filter(|(instr, _)| !dead(instr)).map(|(_, place)| *place);
            block.places = places.collect();
            block.code.retain(|instr| !dead(instr));
        }
    }

    /// Blocks that can be reached, each after those it can only be reached through.
    pub(crate) fn reverse_postorder(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0, self.blocks[0].successors())];
        seen[0] = true;
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    stack.push((next, self.blocks[next].successors()));
                }
                Some(_) => {}
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// The immediate dominator of each block that can be reached; the entry is its own.
    pub(crate) fn dominators(&self) -> Vec<Option<usize>> {
        // Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm" (2001).
        let order = self.reverse_postorder();
        let mut rank = vec![usize::MAX; self.blocks.len()];
        for (position, &block) in order.iter().enumerate() {
            rank[block] = position;
        }
        let predecessors = self.predecessors();
        let mut idom: Vec<Option<usize>> = vec![None; self.blocks.len()];
        idom[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order[1..] {
                let mut new: Option<usize> = None;
                for &pred in &predecessors[block] {
                    if idom[pred].is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => pred,
                        Some(mut other) => {
                            let mut pred = pred;
                            while pred != other {
                                while rank[pred] > rank[other] {
                                    pred = idom[pred].expect("processed");
                                }
                                while rank[other] > rank[pred] {
                                    other = idom[other].expect("processed");
                                }
                            }
                            pred
                        }
                    });
                }
                if new != idom[block] {
                    idom[block] = new;
                    changed = true;
                }
            }
        }
        idom
    }

    /// Where a jump to each block ends up after blocks that only jump on.
    fn landings(&self) -> Vec<usize> {
        let mut landings: Vec<Option<usize>> = vec![None; self.blocks.len()];
        for start in 0..self.blocks.len() {
            let (mut block, mut path) = (start, Vec::new());
            let end = loop {
                match (landings[block], self.blocks[block].code.as_slice()) {
                    (Some(known), _) => break known,
                    (None, [Instr::Jump { to }]) => {
                        // Known until it is known better: a circle of jumps ends where it began.
                        landings[block] = Some(block);
                        path.push(block);
                        block = *to as usize;
                    }
                    _ => break block,
                }
            };
            path.into_iter().chain([block]).for_each(|block| landings[block] = Some(end));
        }
        landings.into_iter().enumerate().map(|(block, landing)| landing.unwrap_or(block)).collect()
    }

    /// A number for each block; those that can be reached from each other have the same.
    pub(crate) fn components(&self) -> Vec<usize> {
        // Tarjan: "Depth-first search and linear graph algorithms" (1972), without recursion.
        const NEW: usize = usize::MAX;
        let count = self.blocks.len();
        let (mut component, mut index, mut low) = (vec![NEW; count], vec![NEW; count], vec![NEW; count]);
        let (mut next, mut pending) = (0, Vec::new());
        for root in 0..count {
            if index[root] != NEW {
                continue;
            }
            let mut stack = vec![(root, None::<Vec<usize>>)];
            while let Some((block, rest)) = stack.last_mut() {
                let block = *block;
                let rest = rest.get_or_insert_with(|| {
                    (index[block], low[block]) = (next, next);
                    next += 1;
                    pending.push(block);
                    self.blocks[block].successors()
                });
                match rest.pop() {
                    Some(to) if index[to] == NEW => stack.push((to, None)),
                    Some(to) if component[to] == NEW => low[block] = low[block].min(index[to]),
                    Some(_) => {}
                    None => {
                        stack.pop();
                        if let Some((above, _)) = stack.last() {
                            low[*above] = low[*above].min(low[block]);
                        }
                        if low[block] == index[block] {
                            while let Some(member) = pending.pop() {
                                component[member] = block;
                                if member == block {
                                    break;
                                }
                            }
                        }
                    }
                }
            }
        }
        component
    }

    /// Lays the blocks out one after another. Also returns where each block begins.
    pub(crate) fn flatten(mut self) -> (Block, Vec<u32>) {
        let landings = self.landings();
        for block in &mut self.blocks {
            if let Some(last) = block.code.last_mut() {
                map_targets(last, |to| landings[to as usize] as Target);
            }
        }
        let order = self.reverse_postorder();
        let mut starts = vec![u32::MAX; self.blocks.len()];
        let mut flat = Block::default();
        for (position, &number) in order.iter().enumerate() {
            starts[number] = flat.code.len() as u32;
            let block = std::mem::take(&mut self.blocks[number]);
            flat.code.extend(block.code);
            flat.places.extend(block.places);
            let next = order.get(position + 1).map(|&next| next as Target);
            if matches!(flat.code.last(), Some(Instr::Jump { to }) if Some(*to) == next) {
                flat.code.pop();
                flat.places.pop();
            }
        }
        for instr in &mut flat.code {
            map_targets(instr, |to| starts[to as usize]);
        }
        let starts = landings.into_iter().map(|block| starts[block]).collect();
        (flat, starts)
    }
}
