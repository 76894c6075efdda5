//! Control-flow graphs: a function as blocks of bytecode, with numbers of blocks for targets.
//!
//! Front ends may build a function as a [`Graph`], which is easier than to count instructions, and let
//! [`Graph::into_code`] put it into a [`Function`]. The passes take functions apart by [`Graph::of`], which
//! is its inverse, and put them together by [`Graph::flatten`], which also leaves out what is not needed.

use crate::bytecode::{Function, Instr, Place, Reg, Target};

/// Instructions that run one after the other.
///
/// Ends with its only jump, branch, switch, return or [`Instr::Unreachable`].
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The instructions.
    pub code: Vec<Instr>,
    /// One per instruction.
    pub places: Vec<Place>,
}

/// The blocks of a function.
///
/// Block 0 is the entry. Until [`Graph::flatten`], a [`Target`] is the number of a block.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By number.
    pub blocks: Vec<Block>,
    /// The registers that have a value from the start; [`Graph::of`] knows them.
    pub params: Vec<Reg>,
}

/// By instruction of a function, those that it may come after; the last entry is for its end.
pub fn predecessors(function: &Function) -> Vec<Vec<u32>> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); function.code.len() + 1];
    for (at, instr) in (0..).zip(&function.code) {
        instr.for_successors(at, |next| before[next as usize].push(at));
    }
    before
}

impl Block {
    /// Puts an instruction after all others.
    pub fn push(&mut self, instr: Instr, place: Place) {
        self.code.push(instr);
        self.places.push(place);
    }

    /// Puts an instruction before the terminator.
    pub fn push_last(&mut self, instr: Instr) {
        let end = self.code.len() - 1;
        self.code.insert(end, instr);
        self.places.insert(end, self.places[end]);
    }

    /// Puts an instruction before all others.
    pub fn push_first(&mut self, instr: Instr) {
        self.code.insert(0, instr);
        self.places.insert(0, self.places.first().copied().unwrap_or_default());
    }

    /// Takes out an instruction, if it is there.
    pub fn remove(&mut self, instr: &Instr) {
        if let Some(position) = self.code.iter().position(|other| other == instr) {
            self.code.remove(position);
            self.places.remove(position);
        }
    }

    /// The blocks that may come next, each once, in order.
    pub fn successors(&self) -> Vec<usize> {
        let mut all = Vec::new();
        if let Some(last) = self.code.last() {
            last.for_targets(|to| all.push(*to as usize));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Graph {
    /// Lets the terminator of `from` go to `new` instead of `old`.
    pub fn retarget(&mut self, from: usize, old: usize, new: usize) {
        if let Some(last) = self.blocks[from].code.last_mut() {
            last.for_targets_mut(|to| {
                if *to as usize == old {
                    *to = new as Target;
                }
            });
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
    pub fn on_edge(&mut self, from: usize, to: usize) -> usize {
        if self.blocks[from].successors().len() == 1 { from } else { self.split(from, to) }
    }

    /// By block, those that it may come after.
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            for to in block.successors() {
                predecessors[to].push(number);
            }
        }
        predecessors
    }

    /// Blocks that can be reached, each after those it can only be reached through.
    pub fn reverse_postorder(&self) -> Vec<usize> {
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
    pub fn dominators(&self) -> Vec<Option<usize>> {
        // [Cooper01].
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
    pub fn components(&self) -> Vec<usize> {
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

    /// The blocks of a well-formed function. `None` if it has no code, or if control could run past the end
    /// of it.
    pub fn of(function: &Function) -> Option<Graph> {
        let code = &function.code;
        let mut starts = vec![false; code.len() + 1];
        starts[0] = true;
        for (at, instr) in code.iter().enumerate() {
            starts[at + 1] |= instr.ends_block();
        }
        let mut inside = !code.is_empty();
        for instr in code {
            instr.for_targets(|to| match starts.get_mut(*to as usize) {
                Some(start) if (*to as usize) < code.len() => *start = true,
                _ => inside = false,
            });
        }
        let unsupported = |instr: &Instr| matches!(instr, Instr::Unsupported { .. });
        let ends = code.last().is_some_and(|last| last.ends_block() || unsupported(last));
        if !(inside && ends) {
            return None;
        }
        let mut params = function.params.clone();
        // The address and the size of further arguments.
        params.extend((params.len() as Reg..).take(2 * function.varargs as usize));
        let (mut graph, mut numbers) = (Graph { blocks: Vec::new(), params }, vec![0; code.len()]);
        for (at, instr) in code.iter().enumerate() {
            if starts[at] {
                numbers[at] = graph.blocks.len() as Target;
                graph.blocks.push(Block::default());
            }
            let place = function.places.get(at).copied().unwrap_or_default();
            if let Some(block) = graph.blocks.last_mut() {
                block.push(instr.clone(), place);
                if starts[at + 1] && !instr.ends_block() {
                    // It goes on with the next one.
                    block.push(Instr::Jump { to: at as Target + 1 }, place);
                } else if at + 1 == code.len() && !instr.ends_block() {
                    block.push(Instr::Unreachable, place);
                }
            }
        }
        for last in graph.blocks.iter_mut().filter_map(|block| block.code.last_mut()) {
            last.for_targets_mut(|to| *to = numbers[*to as usize]);
        }
        Some(graph)
    }

    /// The blocks one after the other, as they are: the inverse of [`Graph::of`].
    pub fn into_code(self) -> Block {
        let order: Vec<usize> = (0..self.blocks.len()).collect();
        self.in_order(&order, false).0
    }

    /// Lays out the blocks that can be reached, without jumps to jumps, nor to what comes next anyway. Also
    /// returns where each block begins.
    pub fn flatten(mut self) -> (Block, Vec<u32>) {
        let landings = self.landings();
        for block in &mut self.blocks {
            if let Some(last) = block.code.last_mut() {
                last.for_targets_mut(|to| *to = landings[*to as usize] as Target);
            }
        }
        let order = self.reverse_postorder();
        let (flat, starts) = self.in_order(&order, true);
        let starts = landings.into_iter().map(|block| starts[block]).collect();
        (flat, starts)
    }

    /// The blocks in an order, and where each begins. `falls_through`: a jump to the next one is left out.
    fn in_order(mut self, order: &[usize], falls_through: bool) -> (Block, Vec<u32>) {
        let mut starts = vec![u32::MAX; self.blocks.len()];
        let mut flat = Block::default();
        for (position, &number) in order.iter().enumerate() {
            starts[number] = flat.code.len() as u32;
            let block = std::mem::take(&mut self.blocks[number]);
            flat.code.extend(block.code);
            flat.places.extend(block.places);
            let next = order.get(position + 1).filter(|_| falls_through).map(|&next| next as Target);
            if matches!(flat.code.last(), Some(Instr::Jump { to }) if Some(*to) == next) {
                flat.code.pop();
                flat.places.pop();
            }
        }
        for instr in &mut flat.code {
            instr.for_targets_mut(|to| *to = starts[*to as usize]);
        }
        (flat, starts)
    }
}
