//! Loops that are retried with what was read last: what comes directly before them is a load, and what is
//! computed from it.
//!
//! In `e = load(&x); while (!cas(&x, &e, e + 1));` the state at the beginning of an iteration depends only
//! on the value that was read last: by the load, or by the compare-and-exchange that failed. The machine
//! uses this where the iteration turns out to have no effect (`Reduction::Retry`); here such loops are found.
//!
//! **Failures that are weaker than the load.** In `e = load_acquire(&x); while (!cas(&x, &e, e + 1, acq_rel,
//! relaxed));` a failure does not acquire, so it cannot take the place of the load. But if nothing that
//! others can tell happens between the header and the compare-and-exchange, and only its success leaves the
//! loop, the failures need not take any place: take an execution in which the last attempt succeeds, reading
//! from `w`, and leave out the others. With the load reading from `w`, too, it is still consistent, as a
//! model that confirms reads says, because the success acquires at least as much right after; and the thread
//! comes to it in its first iteration. If no attempt succeeds, but the thread fails with what it read, the
//! load may read that: it is the last thing that the thread does.

use selvedge_graph::Mode;

use crate::bytecode::{BinOp, CastOp, Function, Instr, Operand, OwnCell, Reg};
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

/// By loop, whether failures of its compare-and-exchange may be weaker than the acquire load before it.
pub fn confirmed_loops(function: &Function, loads_before: &[Option<u32>]) -> Vec<bool> {
    let confirmed = |(number, load): (usize, &Option<u32>)| {
        load.is_some_and(|load| is_confirmed(function, number, load).is_some())
    };
    loads_before.iter().enumerate().map(confirmed).collect()
}

/// Goes all ways from the header of a loop to the compare-and-exchange, and from there.
fn is_confirmed(function: &Function, number: usize, load: u32) -> Option<()> {
    let Instr::Load { mode: Mode::Acq, bytes: size, .. } = *function.code.get(load as usize)? else {
        return None;
    };
    let header = function.loops[number].header;
    let Instr::LoopHead { rewritten, .. } = function.code.get(header as usize)? else { return None };
    let (mut seen, mut pending, mut attempt) = (vec![false; function.code.len()], vec![header], None);
    while let Some(at) = pending.pop() {
        if std::mem::replace(seen.get_mut(at as usize)?, true) {
            continue;
        }
        match &function.code[at as usize] {
            Instr::LoopHead { .. } if at == header => pending.push(at + 1),
            Instr::Cmpxchg { success: Mode::Acq | Mode::AcqRel | Mode::Sc, bytes, .. }
                if *bytes == size && attempt.is_none_or(|other| other == at) =>
            {
                attempt = Some(at);
            }
            Instr::Store { addr: Operand::Reg(addr), bytes, mode: Mode::Na | Mode::Rlx, .. } => {
                let (base, offset) = own_address(function, *addr)?;
                rewritten.contains(&OwnCell { base, offset, bytes: *bytes }).then_some(())?;
                pending.push(at + 1);
            }
            Instr::Branch { then, els, .. } => pending.extend([*then, *els]),
            Instr::Jump { to } => pending.push(*to),
            instr => {
                is_plain(instr).then_some(())?;
                pending.push(at + 1);
            }
        }
    }
    let attempt = attempt?;
    let Instr::Cmpxchg { dst, bytes, .. } = function.code[attempt as usize] else { return None };
    // If it fails, the loop goes round, and if not, it is left.
    let flag = dst + crate::bytecode::registers(bytes);
    let goes_round = |hit: u64| {
        let (mut pc, mut known) = (attempt + 1, vec![(flag, hit)]);
        for _ in 0..LONGEST {
            let instr = function.code.get(pc as usize)?;
            let value = |operand: &Operand| match operand {
                Operand::Const(value) => Some(*value),
                Operand::Reg(reg) => known.iter().find(|(r, _)| r == reg).map(|(_, value)| *value),
                _ => None,
            };
            let bit = |operand: &Operand| value(operand).filter(|value| *value <= 1);
            let result = match instr {
                Instr::LoopBack { number: back } => return Some(*back as usize == number),
                Instr::Jump { to } => {
                    pc = *to;
                    continue;
                }
                Instr::Branch { cond, then, els } => {
                    match bit(cond) {
                        Some(cond) => pc = if cond != 0 { *then } else { *els },
                        None => return Some(false),
                    }
                    continue;
                }
                Instr::Move { src, .. } => value(src),
                Instr::Cast { op: CastOp::Zext | CastOp::Trunc, src, .. } => bit(src),
                Instr::Bin { op: BinOp::Xor, a, b, .. } => bit(a).zip(bit(b)).map(|(a, b)| a ^ b),
                instr if is_plain(instr) => None,
                _ => return Some(false),
            };
            known.retain(|(reg, _)| !instr.written().contains(reg));
            known.extend(result.map(|result| (instr.written().start, result)));
            pc += 1;
        }
        Some(false)
    };
    (goes_round(0)? && !goes_round(1)?).then_some(())
}

/// The register that an address is computed from, and by which offset, if each is set in one place.
fn own_address(function: &Function, mut reg: Reg) -> Option<(Reg, i64)> {
    let mut offset = 0i64;
    for _ in 0..LONGEST {
        let mut sources = function.code.iter().filter(|instr| instr.written().contains(&reg));
        let (Some(source), None) = (sources.next(), sources.next()) else { return None };
        match source {
            Instr::Offset { base: Operand::Reg(base), index: Operand::Const(index), scale, .. } => {
                offset = offset.wrapping_add((*index as i64).wrapping_mul(*scale));
                reg = *base;
            }
            Instr::Move { src: Operand::Reg(src), .. } => reg = *src,
            _ => return (!function.params.contains(&reg)).then_some((reg, offset)),
        }
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
