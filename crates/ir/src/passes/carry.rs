//! Cells of objects that nobody knows yet, carried round a loop in a register.
//!
//! ```text
//! node->next = load(&top); while (!cas(&top, &node->next, node));
//! ```
//!
//! The failed compare-and-exchange leaves what it saw in memory that no other thread can know before the
//! loop is left. It is the same as
//!
//! ```text
//! next = load(&top); do node->next = next; while (!cas(&top, &next, node));
//! ```
//!
//! which is a loop that is seen to depend on the value that was read last only (see `analysis::retry`).
//! Between two headers the thread does the same accesses of others' memory in the same order; of the cell,
//! the writes are the same as well, each at the beginning of an iteration instead of the end of the one
//! before; and the loads of it are gone, which could only have seen the latest of these writes.

use std::collections::BTreeSet;

use selvedge_graph::Mode;

use crate::analysis::escape::{Allocators, Definitions, derived, gives_away, is_in, is_kept};
use crate::analysis::follow::{Known, Way, follow};
use crate::bytecode::{Instr, Operand, OwnCell, Reg, registers};
use crate::cfg::Graph;
use crate::passes::loops::LoopBlocks;

/// Rewrites the loops of a function that has `regs` registers; how many it has then.
pub fn carry(graph: &mut Graph, loops: &[LoopBlocks], allocators: &Allocators, mut regs: Reg) -> Reg {
    for found in loops.iter().filter(|found| !found.blocks.is_empty()) {
        for cell in loaded_cells(graph, found) {
            if let Some(plan) = Plan::new(graph, found, allocators, cell) {
                plan.apply(graph, found, regs);
                regs += 1;
            }
        }
    }
    regs
}

/// A place in the code: block and position.
type At = (usize, usize);

/// What is to be changed for one cell.
struct Plan {
    cell: OwnCell,
    /// The store before the loop.
    entry: At,
    stores: Vec<At>,
    loads: Vec<At>,
}

/// The cells that a loop loads by plain accesses.
fn loaded_cells(graph: &Graph, found: &LoopBlocks) -> Vec<OwnCell> {
    let defs = Definitions::new(graph);
    let code = found.blocks.iter().flat_map(|&block| &graph.blocks[block].code);
    let cells: BTreeSet<OwnCell> = code
        .filter_map(|instr| match instr {
            Instr::Load { addr: Operand::Reg(addr), bytes: bytes @ ..=8, mode: Mode::Na, .. } => {
                let (base, offset) = defs.exact(graph, *addr)?;
                Some(OwnCell { base, offset, bytes: *bytes })
            }
            _ => None,
        })
        .collect();
    cells.into_iter().collect()
}

impl Plan {
    fn new(graph: &Graph, found: &LoopBlocks, allocators: &Allocators, cell: OwnCell) -> Option<Plan> {
        let defs = Definitions::new(graph);
        if !is_kept(graph, found, &defs, cell.base, allocators) {
            return None;
        }
        let derived = derived(graph, cell.base);
        let (mut stores, mut loads, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for &block in &found.blocks {
            for (position, instr) in graph.blocks[block].code.iter().enumerate() {
                let at = (block, position);
                match access(graph, &defs, &derived, cell, instr) {
                    Access::None => {}
                    Access::Load => loads.push(at),
                    Access::Store => stores.push(at),
                    Access::Other => return None,
                }
                if gives_away(instr, &derived) {
                    given.push(at);
                }
            }
        }
        let plan = Plan { cell, entry: entry_store(graph, found, &defs, &derived, cell)?, stores, loads };
        let settled = given.iter().all(|&at| plan.is_over_after(graph, found, &derived, at))
            && plan.stores.iter().all(|&at| plan.comes_round(graph, found, at));
        let values = plan.stores.iter().chain([&plan.entry]);
        let known = values.into_iter().all(|&at| is_read(graph, &defs, at));
        (settled && known && !plan.stores.is_empty()).then_some(plan)
    }

    fn touches(&self, block: usize, after: Option<usize>) -> bool {
        let all = self.loads.iter().chain(&self.stores);
        all.into_iter().any(|&(b, position)| b == block && after.is_none_or(|p| position > p))
    }

    /// Whether the loop does not access the cell any more once the address was given away at `at`.
    fn is_over_after(&self, graph: &Graph, found: &LoopBlocks, derived: &BTreeSet<Reg>, at: At) -> bool {
        let known = match &graph.blocks[at.0].code[at.1] {
            Instr::Cmpxchg { dst, expected, bytes: bytes @ ..=8, .. } if !is_in(*expected, derived) => {
                Known::from([(*dst + registers(*bytes), 1)])
            }
            _ => Known::new(),
        };
        let way = |next: usize| match next {
            _ if next == found.header || self.touches(next, None) => Way::Forbidden,
            _ if !found.blocks.contains(&next) => Way::Out,
            _ => Way::On,
        };
        !self.touches(at.0, Some(at.1)) && follow(graph, at, known, way, &mut Vec::new())
    }

    /// Whether the loop always comes back to its header after this store, and does not access the cell on
    /// the way.
    fn comes_round(&self, graph: &Graph, found: &LoopBlocks, at: At) -> bool {
        let way = |next: usize| match next {
            _ if next == found.header => Way::Out,
            _ if !found.blocks.contains(&next) || self.touches(next, None) => Way::Forbidden,
            _ => Way::On,
        };
        !self.touches(at.0, Some(at.1)) && follow(graph, at, known_at(graph, at), way, &mut Vec::new())
    }

    fn apply(self, graph: &mut Graph, found: &LoopBlocks, register: Reg) {
        let (block, position) = self.entry;
        let entry = graph.blocks[block].code[position].clone();
        let place = graph.blocks[block].places[position];
        for &at in self.stores.iter().chain([&self.entry]) {
            let src = stored(graph, at);
            graph.blocks[at.0].code[at.1] = Instr::Move { dst: register, src };
        }
        for &(block, position) in &self.loads {
            let instr = &mut graph.blocks[block].code[position];
            if let Instr::Load { dst, .. } = *instr {
                *instr = Instr::Move { dst, src: Operand::Reg(register) };
            }
        }
        if let Instr::Store { addr, bytes, mode, volatile, reference, .. } = entry {
            let value = Operand::Reg(register);
            let header = &mut graph.blocks[found.header];
            header.code.insert(0, Instr::Store { addr, value, bytes, mode, volatile, reference });
            header.places.insert(0, place);
        }
        debug_assert!(self.cell.bytes <= 8);
    }
}

enum Access {
    None,
    Load,
    Store,
    /// Not one that can be replaced.
    Other,
}

/// How an instruction accesses the cell.
fn access(
    graph: &Graph,
    defs: &Definitions,
    derived: &BTreeSet<Reg>,
    cell: OwnCell,
    instr: &Instr,
) -> Access {
    let (addr, bytes, plain) = match instr {
        Instr::Load { addr, bytes, mode, volatile, .. }
        | Instr::Store { addr, bytes, mode, volatile, .. } => (*addr, *bytes, *mode == Mode::Na && !volatile),
        Instr::Rmw { addr, bytes, .. } | Instr::Cmpxchg { addr, bytes, .. } => (*addr, *bytes, false),
        _ => return Access::None,
    };
    let Operand::Reg(addr) = addr else { return Access::None };
    if !derived.contains(&addr) {
        return Access::None;
    }
    match (defs.exact(graph, addr), instr) {
        (Some((base, offset)), _) if base == cell.base && cell.is_apart(offset, bytes) => Access::None,
        (Some((base, offset)), _) if !plain || (OwnCell { base, offset, bytes }) != cell => Access::Other,
        (Some(_), Instr::Load { .. }) => Access::Load,
        (Some(_), Instr::Store { .. }) => Access::Store,
        _ => Access::Other,
    }
}

/// The store to the cell that is the last thing but for computations before the loop begins.
fn entry_store(
    graph: &Graph,
    found: &LoopBlocks,
    defs: &Definitions,
    derived: &BTreeSet<Reg>,
    cell: OwnCell,
) -> Option<At> {
    let before = &graph.predecessors()[found.header];
    let mut outside = before.iter().copied().filter(|block| !found.blocks.contains(block));
    let (Some(block), None) = (outside.next(), outside.next()) else { return None };
    if graph.blocks[block].successors() != [found.header] {
        return None;
    }
    let computes = |instr: &Instr| {
        matches!(
            instr,
            Instr::Move { .. }
                | Instr::Offset { .. }
                | Instr::Select { .. }
                | Instr::Jump { .. }
                | Instr::Cast { .. }
                | Instr::Cmp { .. }
        )
    };
    let code = &graph.blocks[block].code;
    let position = code.iter().rposition(|instr| !computes(instr))?;
    matches!(access(graph, defs, derived, cell, &code[position]), Access::Store).then_some((block, position))
}

fn stored(graph: &Graph, (block, position): At) -> Operand {
    match graph.blocks[block].code[position] {
        Instr::Store { value, .. } => value,
        _ => unreachable!("a store"),
    }
}

/// Whether what is stored at `at` was read, or is a constant: all its bits are known.
fn is_read(graph: &Graph, defs: &Definitions, at: At) -> bool {
    let mut at = at;
    let mut value = stored(graph, at);
    for _ in 0..64 {
        let Operand::Reg(reg) = value else { return matches!(value, Operand::Const(_)) };
        let (block, position) = at;
        let code = &graph.blocks[block].code;
        let nearest = code[..position].iter().rposition(|instr| instr.written().contains(&reg));
        let Some(def) = nearest.map(|p| (block, p)).or_else(|| defs.only(reg)) else { return false };
        at = def;
        value = match &graph.blocks[def.0].code[def.1] {
            Instr::Move { src, .. } => *src,
            Instr::Load { mode, .. } => return *mode != Mode::Na,
            Instr::Cmpxchg { dst, .. } => return *dst == reg,
            _ => return false,
        };
    }
    false
}

/// What the branch into a block says, if there is only one, as far as it still holds.
fn known_at(graph: &Graph, (block, position): At) -> Known {
    let before_it = &graph.blocks[block].code[..position];
    let predecessors = &graph.predecessors()[block];
    if let [before] = predecessors[..]
        && let Some(Instr::Branch { cond: Operand::Reg(cond), then, els }) = graph.blocks[before].code.last()
        && then != els
        && !before_it.iter().any(|instr| instr.written().contains(cond))
    {
        return Known::from([(*cond, u64::from(*then as usize == block))]);
    }
    Known::new()
}
