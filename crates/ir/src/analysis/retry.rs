//! Loops that are retried with what was read last: what comes directly before them is a load, and what is
//! computed from it.
//!
//! In `e = load(&x); while (!cas(&x, &e, e + 1));` the state at the beginning of an iteration depends only
//! on the value that was read last: by the load, or by the compare-and-exchange that failed. The machine
//! uses this where the iteration turns out to have no effect (`Reduction::Retry`); here such loops are found.

use selvedge_graph::Mode;

use crate::bytecode::{Function, Instr};
use crate::cfg::predecessors;

/// For each loop, the load before it such that the registers in which the state at the header can differ
/// between iterations are computed from what it reads, and from nothing else that the loop changes.
pub fn loads_before_loops(function: &Function) -> Vec<Option<u32>> {
    let heads: Vec<Option<&Vec<u32>>> = function.loops.iter().map(|l| live_at(function, l.header)).collect();
    if heads.iter().all(Option::is_none) {
        return vec![None; function.loops.len()];
    }
    let before = predecessors(function);
    let find = |(number, live): (usize, Option<&Vec<u32>>)| load_before(function, number, live?, &before);
    heads.into_iter().enumerate().map(find).collect()
}

fn live_at(function: &Function, header: u32) -> Option<&Vec<u32>> {
    match function.code.get(header as usize)? {
        Instr::LoopHead { live, .. } => Some(live),
        _ => None,
    }
}

fn load_before(function: &Function, number: usize, live: &[u32], before: &[Vec<u32>]) -> Option<u32> {
    let header = function.loops[number].header;
    let body = body(function, number, before);
    let mut changed: Vec<u32> = Vec::new();
    for at in (0..function.code.len()).filter(|&at| body[at]) {
        changed.extend(function.code[at].written());
    }
    let entries: Vec<u32> =
        before[header as usize].iter().copied().filter(|at| !body[*at as usize]).collect();
    let [mut at] = entries[..] else { return None };
    // Backwards to the load; what the instructions read must be known when the loop is run.
    let (mut needed, mut computed): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for _ in 0..LONGEST {
        let instr = &function.code[at as usize];
        needed.retain(|reg| !instr.written().contains(reg));
        computed.extend(instr.written());
        let load = matches!(instr, Instr::Load { mode, bytes: ..=8, .. } if *mode != Mode::Na);
        if !load && !is_plain(instr) {
            return None;
        }
        instr.for_registers(|reg| needed.push(reg));
        if load {
            // As they were, when the loop is run: neither it nor the way to it changes them.
            let known = needed.iter().all(|reg| !changed.contains(reg) && !computed.contains(reg));
            return (known && live.iter().all(|reg| computed.contains(reg))).then_some(at);
        }
        let [only] = before[at as usize][..] else { return None };
        at = only;
    }
    None
}

/// Whether a read of one mode may take the place of an atomic load of another.
pub fn is_as_strong(read: Mode, load: Mode) -> bool {
    match load {
        Mode::Rlx => read != Mode::Na,
        Mode::Acq => matches!(read, Mode::Acq | Mode::Sc),
        Mode::Sc => read == Mode::Sc,
        _ => false,
    }
}

/// How many instructions there may be between the load and the loop.
pub const LONGEST: usize = 32;

/// Instructions that only compute.
fn is_plain(instr: &Instr) -> bool {
    match instr {
        Instr::Move { .. } | Instr::Offset { .. } | Instr::Select { .. } | Instr::Jump { .. } => true,
        Instr::Cast { from, to, .. } => *from <= 64 && *to <= 64,
        Instr::Cmp { bits, .. } | Instr::Bin { bits, .. } => *bits <= 64,
        _ => false,
    }
}

/// Which instructions are part of a loop.
fn body(function: &Function, number: usize, before: &[Vec<u32>]) -> Vec<bool> {
    let header = function.loops[number].header;
    let mut inside = vec![false; function.code.len() + 1];
    inside[header as usize] = true;
    let back = |i: &Instr| matches!(i, Instr::LoopBack { number: n } if *n as usize == number);
    let mut pending: Vec<u32> =
        (0..).zip(&function.code).filter(|(_, i)| back(i)).map(|(at, _)| at).collect();
    // What leads from the back edge to the header is part of it, too.
    for &at in &pending {
        let mut next = at + 1;
        while let Some(Instr::Jump { to }) = function.code.get(next as usize) {
            inside[next as usize] = true;
            if *to == header {
                break;
            }
            next = *to;
        }
    }
    while let Some(at) = pending.pop() {
        if !std::mem::replace(&mut inside[at as usize], true) {
            pending.extend(&before[at as usize]);
        }
    }
    inside
}
