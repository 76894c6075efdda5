//! Loops whose iterations may have no net effect (thesis §7.2.6): they add something to a location, see from
//! what was there that they came too early, take it away again and go round.
//!
//! Here the two read-modify-writes are marked ([`Net`]). The conditions are that an iteration that takes back
//! goes back to the header in any case, that in between nothing else is written, that nothing the iteration
//! sets is read in the next one, and that what it reads on its way back is the same location by atomic loads,
//! so that leaving them out hides no error. Whether an iteration takes back is found out when it is run, and
//! whether anybody notices, too.

use std::collections::HashMap;

use selvedge_graph::Mode;

use crate::analysis::effects::Effects;
use crate::analysis::escape::Definitions;
use crate::analysis::pauses::Pauses;
use crate::bytecode::{BinOp, Instr, Net, Operand, RmwOp};
use crate::cfg::Graph;
use crate::liveness::RegSet;
use crate::passes::loops::LoopBlocks;

/// How far an iteration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Before,
    Added,
    TakenBack,
}

/// A loop as it is looked at.
struct View<'a> {
    graph: &'a Graph,
    found: &'a LoopBlocks,
    defs: &'a Definitions,
    pauses: &'a Pauses,
    effects: &'a Effects,
}

impl View<'_> {
    fn code(&self) -> impl Iterator<Item = &Instr> {
        self.found.blocks.iter().flat_map(|&block| &self.graph.blocks[block].code)
    }
}

/// An address, and a number of bytes to add to it.
type Address = (Operand, i64);

/// What is added where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Addition {
    addr: Address,
    bytes: u8,
    amount: u64,
}

impl Addition {
    fn of(view: &View<'_>, instr: &Instr) -> Option<Addition> {
        let Instr::Rmw { op, addr, operand: Operand::Const(amount), bytes: bytes @ 1..=8, net, .. } = *instr
        else {
            return None;
        };
        if net != Net::Lasting {
            return None;
        }
        let amount = match op {
            RmwOp::Add => amount,
            RmwOp::Sub => amount.wrapping_neg(),
            _ => return None,
        };
        let unused = 64 - 8 * bytes as u32;
        let addr = view.defs.address(view.graph, addr);
        Some(Addition { addr, bytes, amount: amount << unused >> unused })
    }

    fn takes_back(self, other: Addition) -> bool {
        let unused = 64 - 8 * self.bytes as u32;
        (self.addr, self.bytes) == (other.addr, other.bytes)
            && self.amount.wrapping_add(other.amount) << unused == 0
    }
}

/// Marks what is added and taken back in the loops of a function. `live_in`: the registers that matter at the
/// beginning of each block.
pub fn mark(
    graph: &mut Graph,
    loops: &[LoopBlocks],
    effects: &Effects,
    pauses: &Pauses,
    live_in: impl Fn(&Graph) -> Vec<RegSet>,
) {
    let adds = |instr: &Instr| matches!(instr, Instr::Rmw { op: RmwOp::Add | RmwOp::Sub, .. });
    if loops.is_empty() || !graph.blocks.iter().any(|block| block.code.iter().any(adds)) {
        return;
    }
    let defs = Definitions::new(graph);
    let mut candidates: Vec<usize> = (0..loops.len())
        .filter(|&n| adds_twice(&View { graph, found: &loops[n], defs: &defs, pauses, effects }))
        .collect();
    if candidates.is_empty() {
        return;
    }
    // Inner loops first: what is marked for one loop is not marked for another.
    candidates.sort_by_key(|&n| loops[n].blocks.len());
    let live = live_in(graph);
    for number in candidates {
        let found = &loops[number];
        let view = View { graph, found, defs: &defs, pauses, effects };
        let carries = |instr: &Instr| instr.written().any(|reg| live[found.header].contains(reg));
        if view.code().any(carries) {
            continue;
        }
        let Some(marks) = marks(&view, number as u32) else { continue };
        for ((block, position), new) in marks {
            if let Instr::Rmw { net, .. } = &mut graph.blocks[block].code[position] {
                *net = new;
            }
        }
    }
}

/// Whether a loop has more than one addition, writes nothing but by them, reads only atomically, and calls
/// only what lets time pass or says which executions are of interest.
fn adds_twice(view: &View<'_>) -> bool {
    let is_addition = |instr: &Instr| Addition::of(view, instr).is_some();
    let is_quiet =
        |instr: &Instr| instr.only_reads() || view.pauses.is_call(instr) || assumes(instr, view.effects);
    view.code().filter(|instr| is_addition(instr)).count() > 1
        && view.code().all(|instr| is_addition(instr) || is_quiet(instr))
        && !view.code().any(|instr| matches!(instr, Instr::Load { mode: Mode::Na, .. }))
}

/// What to mark in a loop, if it is one. Goes all ways through an iteration.
fn marks(view: &View<'_>, number: u32) -> Option<Vec<((usize, usize), Net)>> {
    let View { graph, found, effects, .. } = view;
    let mut added: Option<Addition> = None;
    let mut marks = HashMap::new();
    let mut phases = HashMap::from([(found.header, Phase::Before)]);
    let mut pending = vec![found.header];
    while let Some(block) = pending.pop() {
        let mut phase = *phases.get(&block)?;
        for (position, instr) in graph.blocks[block].code.iter().enumerate() {
            let net = match (phase, Addition::of(view, instr)) {
                (Phase::Before, Some(new)) if added.is_none_or(|before| before == new) => {
                    added = Some(new);
                    phase = Phase::Added;
                    Net::Tentative(number)
                }
                (Phase::Added, Some(new)) if added.is_some_and(|before| before.takes_back(new)) => {
                    phase = Phase::TakenBack;
                    Net::Undoes
                }
                (_, Some(_)) => return None,
                (Phase::TakenBack, None)
                    if !may_be_skipped(view, instr, added?) && !assumes(instr, effects) =>
                {
                    return None;
                }
                (_, None) => continue,
            };
            marks.insert((block, position), net);
        }
        for next in graph.blocks[block].successors() {
            // An iteration that goes round must not have added anything for good.
            if next == found.header {
                if phase == Phase::Added {
                    return None;
                }
                continue;
            }
            if !found.blocks.contains(&next) {
                if phase == Phase::TakenBack {
                    return None;
                }
                continue;
            }
            match phases.insert(next, phase) {
                None => pending.push(next),
                Some(before) if before == phase => {}
                Some(_) => return None,
            }
        }
    }
    let has = |net: Net| marks.values().any(|other| *other == net);
    let address_stays = match added?.addr {
        (Operand::Reg(reg), _) => !view.code().any(|instr| instr.written().contains(&reg)),
        _ => true,
    };
    let complete = has(Net::Undoes) && has(Net::Tentative(number)) && address_stays;
    complete.then(|| marks.into_iter().collect())
}

/// Whether an instruction says which executions are of interest. What is left out of an execution together
/// with it may be an iteration after which the thread goes no further; it does not where it waits, either.
fn assumes(instr: &Instr, effects: &Effects) -> bool {
    matches!(instr, Instr::Call { callee, .. } if effects.assumes(*callee))
}

/// Whether leaving out an instruction after what was added is taken back hides no error.
fn may_be_skipped(view: &View<'_>, instr: &Instr, added: Addition) -> bool {
    use Instr::*;
    let same = |addr: Operand| view.defs.address(view.graph, addr) == added.addr;
    match *instr {
        Load { addr, bytes, mode, .. } => same(addr) && bytes == added.bytes && mode != Mode::Na,
        // The way to the same address.
        Offset { dst, .. } => same(Operand::Reg(dst)),
        Call { .. } => view.pauses.is_call(instr),
        Bin { op, no_signed_wrap, .. } => {
            use BinOp::*;
            !no_signed_wrap && matches!(op, Add | Sub | Mul | And | Or | Xor)
        }
        Move { .. }
        | Cmp { .. }
        | Cast { .. }
        | Select { .. }
        | Fence { .. }
        | Jump { .. }
        | Branch { .. }
        | Switch { .. }
        | LoopHead { .. }
        | LoopBack { .. }
        | SpinBlock { .. } => true,
        _ => false,
    }
}
