//! Merging of bisimilar ends of blocks (thesis §7.2.4, §9.2.2.3).
//!
//! In `b = load(x); while (b) b = load(x);` the load before the loop and the one in it do the same and go on
//! in the same way. With one instead of the two, the loop is `do b = load(x); while (b);`, of which every
//! iteration that does not leave it is without effect. The same with a read-modify-write, as in
//! `p = sub(x); while (p <= 0) { add(x); p = sub(x); }`, makes a loop of which an iteration takes back what
//! it took (`zne`).
//!
//! Registers are assigned in one place, as a rule, so the two ends are the same only up to the names of
//! registers that are not used elsewhere: going forward, those that the one writes are matched with those
//! that the other does.

use std::collections::{BTreeMap, BTreeSet};

use crate::bytecode::{Instr, Operand, Reg, Target};
use crate::cfg::{Block, Graph};

/// Merges what is executed before a loop with what is executed at the end of its iterations.
pub fn merge(graph: &mut Graph) {
    let mut predecessors = graph.predecessors();
    let mut component = graph.components();
    for header in 0..graph.blocks.len() {
        let ends: Vec<usize> = predecessors[header]
            .iter()
            .copied()
            .filter(|&from| matches!(graph.blocks[from].code.last(), Some(Instr::Jump { .. })))
            .collect();
        // What can be reached from the header, and goes there.
        let (back, before): (Vec<usize>, Vec<usize>) =
            ends.into_iter().partition(|end| component[*end] == component[header]);
        let [entry] = before[..] else { continue };
        for end in back {
            let longest = graph.blocks[entry].code.len().min(graph.blocks[end].code.len()) - 1;
            let length = (1..=longest).rev().find(|&length| same(graph, entry, end, length));
            if let Some(length) = length.filter(|&length| reads(graph, entry, length)) {
                let new = join(graph, header, (entry, end), length);
                predecessors[header].retain(|from| *from != entry && *from != end);
                predecessors[header].push(new);
                predecessors.push(vec![entry.min(end), entry.max(end)]);
                component.push(component[header]);
                break;
            }
        }
    }
}

/// The last instructions of a block but for its terminator.
fn tail(graph: &Graph, block: usize, length: usize) -> &[Instr] {
    let code = &graph.blocks[block].code;
    &code[code.len() - 1 - length..code.len() - 1]
}

fn reads(graph: &Graph, block: usize, length: usize) -> bool {
    tail(graph, block, length)
        .iter()
        .any(|i| matches!(i, Instr::Load { .. } | Instr::Cmpxchg { .. } | Instr::Rmw { .. }))
}

/// Whether the ends of two blocks do the same, but for registers that nobody else uses.
fn same(graph: &Graph, first: usize, second: usize, length: usize) -> bool {
    // From the registers of the second to those of the first.
    let mut names: BTreeMap<Reg, Reg> = BTreeMap::new();
    for (a, b) in tail(graph, first, length).iter().zip(tail(graph, second, length)) {
        let Some(renamed) = renamed(b, &names) else { return false };
        // A register that only the first has written does not have the same contents in the second.
        let confused = b.any_operand(|operand| match operand {
            Operand::Reg(reg) => !names.contains_key(reg) && names.values().any(|own| own == reg),
            _ => false,
        });
        if confused || a.written().len() != b.written().len() {
            return false;
        }
        let with_dst = with_destination(renamed, a.written().start);
        if with_dst.as_ref() != Some(a) {
            return false;
        }
        for (to, from) in a.written().zip(b.written()) {
            names.retain(|_, own| *own != to);
            names.remove(&from);
            if to != from {
                names.insert(from, to);
            }
        }
    }
    let private = |block: usize, other: usize, pick: fn(&Instr, &Instr) -> Vec<Reg>| {
        let pairs = tail(graph, block, length).iter().zip(tail(graph, other, length));
        let regs: BTreeSet<Reg> = pairs.flat_map(|(a, b)| pick(a, b)).collect();
        !used_elsewhere(graph, block, length, &regs)
    };
    private(first, second, differing) && private(second, first, differing)
}

/// The registers that the first instruction writes and the second does not.
fn differing(a: &Instr, b: &Instr) -> Vec<Reg> {
    a.written().filter(|reg| !b.written().contains(reg)).collect()
}

/// Whether any of the registers is read or written outside of the end of this block.
fn used_elsewhere(graph: &Graph, block: usize, length: usize, regs: &BTreeSet<Reg>) -> bool {
    let touches = |instr: &Instr| {
        let mut found = instr.written().any(|reg| regs.contains(&reg));
        instr.for_registers(|reg| found |= regs.contains(&reg));
        found
    };
    graph.blocks.iter().enumerate().any(|(number, body)| {
        let end = if number == block { body.code.len() - 1 - length } else { body.code.len() };
        body.code[..end].iter().any(touches) || (number == block && body.code.last().is_some_and(touches))
    })
}

/// An instruction with other names for the registers that it reads; `None` for kinds that are not merged.
fn renamed(instr: &Instr, names: &BTreeMap<Reg, Reg>) -> Option<Instr> {
    let mut instr = instr.clone();
    let put = |operand: &mut Operand| {
        if let Operand::Reg(reg) = operand {
            *reg = names.get(reg).copied().unwrap_or(*reg);
        }
    };
    match &mut instr {
        Instr::Move { src, .. } => put(src),
        Instr::Cast { src, from: ..=64, to: ..=64, .. } => put(src),
        Instr::Bin { a, b, bits: ..=64, .. } | Instr::Cmp { a, b, bits: ..=64, .. } => {
            put(a);
            put(b);
        }
        Instr::Offset { base, index, .. } => {
            put(base);
            put(index);
        }
        Instr::Load { addr, bytes: ..=8, .. } => put(addr),
        Instr::Rmw { addr, operand, bytes: ..=8, .. } => {
            put(addr);
            put(operand);
        }
        Instr::Cmpxchg { addr, expected, desired, bytes: ..=8, .. } => {
            put(addr);
            put(expected);
            put(desired);
        }
        _ => return None,
    }
    Some(instr)
}

fn with_destination(mut instr: Instr, reg: Reg) -> Option<Instr> {
    match &mut instr {
        Instr::Move { dst, .. }
        | Instr::Cast { dst, .. }
        | Instr::Bin { dst, .. }
        | Instr::Cmp { dst, .. }
        | Instr::Offset { dst, .. }
        | Instr::Load { dst, .. }
        | Instr::Rmw { dst, .. }
        | Instr::Cmpxchg { dst, .. } => *dst = reg,
        _ => return None,
    }
    Some(instr)
}

/// Lets both blocks go to one that has their common end, and returns it.
fn join(graph: &mut Graph, header: usize, (entry, end): (usize, usize), length: usize) -> usize {
    let new = graph.blocks.len();
    let place = graph.blocks[end].places.last().copied().unwrap_or_default();
    let mut common = Block::default();
    for (from, keep) in [(end, false), (entry, true)] {
        let block = &mut graph.blocks[from];
        let at = block.code.len() - 1 - length;
        let code: Vec<Instr> = block.code.drain(at..).collect();
        let places: Vec<_> = block.places.drain(at..).collect();
        if keep {
            common = Block { code, places };
        }
        block.push(Instr::Jump { to: new as Target }, place);
    }
    debug_assert!(matches!(common.code.last(), Some(Instr::Jump { to }) if *to as usize == header));
    graph.blocks.push(common);
    new
}
