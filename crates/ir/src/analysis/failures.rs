//! Compare-and-exchanges whose thread waits if they fail, whatever it was that they read.

use std::collections::{HashMap, HashSet};

use crate::analysis::retry::is_as_strong;
use crate::bytecode::{BinOp, CastOp, CmpOp, Function, Instr, Operand, Reg, registers};

/// How far to follow the code after a failure.
const FAR: usize = 32;

/// How a thread waits after a compare-and-exchange that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// The loop with this header waits.
    Always { header: u32 },
    /// The loop with this number waits if its iteration had no effect; what the failure gave does not matter
    /// to that.
    IfIdle { number: u32 },
    /// The first iteration of the loop with this number waits if it had no effect, because what it read takes
    /// the place of what was loaded before (see `retry`).
    IfRetry { number: u32, load: u32 },
}

/// By instruction, whether and how a thread waits after this compare-and-exchange failed; empty if there is
/// none. `loads_before` is what [`loads_before_loops`](super::retry::loads_before_loops) says, `confirmed`
/// for which loops the order of a failure does not matter.
pub fn waiting_failures(
    function: &Function,
    loads_before: &[Option<u32>],
    confirmed: &[bool],
) -> Vec<Option<Waiting>> {
    let mut all = Vec::new();
    for (at, instr) in function.code.iter().enumerate() {
        if matches!(instr, Instr::Cmpxchg { weak: false, .. })
            && let Some(waiting) = leads_to_waiting(function, at, loads_before, confirmed)
        {
            all.resize(function.code.len(), None);
            all[at] = Some(waiting);
        }
    }
    all
}

/// Follows the code after a failed compare-and-exchange, with what is known of the registers: only that it
/// failed, and what follows from that.
fn leads_to_waiting(
    function: &Function,
    at: usize,
    loads_before: &[Option<u32>],
    confirmed: &[bool],
) -> Option<Waiting> {
    let Instr::Cmpxchg { dst, bytes, .. } = function.code[at] else { return None };
    let mut known: HashMap<Reg, u64> = HashMap::from([(dst + registers(bytes), 0)]);
    let mut changed = vec![dst, dst + registers(bytes)];
    changed.extend((registers(bytes) > 1).then_some(dst + 1));
    // Registers that hold what it read, and those that hold what another one held before, or they
    // themselves.
    let mut read = vec![dst];
    let mut copies: HashMap<Reg, Reg> = HashMap::new();
    let mut pc = at + 1;
    for _ in 0..FAR {
        let instr = function.code.get(pc)?;
        let value = |operand: &Operand| match operand {
            Operand::Reg(reg) => known.get(reg).copied(),
            Operand::Const(value) => Some(*value),
            _ => None,
        };
        pc += 1;
        let (dst, result) = match instr {
            Instr::Move { dst, src } => (*dst, value(src)),
            Instr::Cast { op: CastOp::Zext | CastOp::Trunc, dst, src, .. } => {
                (*dst, value(src).filter(|v| *v <= 1))
            }
            Instr::Bin { op: BinOp::Xor, dst, a, b, .. } => {
                (*dst, value(a).zip(value(b)).filter(|(a, b)| a | b <= 1).map(|(a, b)| a ^ b))
            }
            Instr::Cmp { op, dst, a, b, .. } => {
                let equal = value(a).zip(value(b)).filter(|(a, b)| a | b <= 1).map(|(a, b)| a == b);
                let result = match op {
                    CmpOp::Eq => equal,
                    CmpOp::Ne => equal.map(|equal| !equal),
                    _ => None,
                };
                (*dst, result.map(u64::from))
            }
            Instr::Jump { to } => {
                pc = *to as usize;
                continue;
            }
            Instr::Branch { cond, then, els } => {
                pc = match value(cond) {
                    Some(cond) if cond != 0 => *then as usize,
                    Some(_) => *els as usize,
                    None if then == els => *then as usize,
                    None => return None,
                };
                continue;
            }
            Instr::Switch { value: by, cases, default } => {
                let by = value(by)?;
                pc = cases.iter().find(|(case, _)| *case == by).map_or(*default, |(_, to)| *to) as usize;
                continue;
            }
            Instr::SpinBlock { number } => {
                return function.loops.get(*number as usize).map(|l| Waiting::Always { header: l.header });
            }
            Instr::LoopBack { number } => {
                let header = function.loops.get(*number as usize)?.header;
                let Instr::LoopHead { live, .. } = function.code.get(header as usize)? else { return None };
                let kept = |reg: &Reg| !changed.contains(reg) || copies.get(reg) == Some(reg);
                if live.iter().all(kept) {
                    return Some(Waiting::IfIdle { number: *number });
                }
                let load = loads_before.get(*number as usize).copied().flatten()?;
                let weaker = confirmed.get(*number as usize).copied().unwrap_or(false);
                let alike = stands_for(function, load, at, weaker)
                    && loaded(function, load, header).is_some_and(|l| live.iter().all(|reg| l.contains(reg)))
                    && live.iter().all(|reg| read.contains(reg));
                return alike.then_some(Waiting::IfRetry { number: *number, load });
            }
            _ => return None,
        };
        let moved = matches!(instr, Instr::Move { src: Operand::Reg(src), .. } if read.contains(src));
        read.retain(|reg| *reg != dst);
        read.extend(moved.then_some(dst));
        let copied = match instr {
            Instr::Move { src: Operand::Reg(src), .. } if changed.contains(src) => copies.get(src).copied(),
            Instr::Move { src: Operand::Reg(src), .. } => Some(*src),
            _ => None,
        };
        copies.remove(&dst);
        copies.extend(copied.map(|from| (dst, from)));
        changed.push(dst);
        known.remove(&dst);
        known.extend(result.map(|result| (dst, result)));
    }
    None
}

/// Whether a compare-and-exchange that fails is at least as strong a read as a load of as many bytes, or may
/// be weaker.
fn stands_for(function: &Function, load: u32, at: usize, weaker: bool) -> bool {
    let (Some(Instr::Load { bytes: a, mode, .. }), Instr::Cmpxchg { bytes: b, failure, .. }) =
        (function.code.get(load as usize), &function.code[at])
    else {
        return false;
    };
    a == b && (weaker || is_as_strong(*failure, *mode))
}

/// The registers that hold what was loaded when the loop is come to.
fn loaded(function: &Function, load: u32, header: u32) -> Option<HashSet<Reg>> {
    let Instr::Load { dst, .. } = function.code.get(load as usize)? else { return None };
    let mut holders = HashSet::from([*dst]);
    let mut pc = load + 1;
    for _ in 0..FAR {
        if pc == header {
            return Some(holders);
        }
        match function.code.get(pc as usize)? {
            Instr::Move { dst, src: Operand::Reg(src) } if holders.contains(src) => {
                holders.insert(*dst);
            }
            Instr::Jump { to } => {
                pc = *to;
                continue;
            }
            instr => {
                if instr.written().is_empty() {
                    return None;
                }
                instr.written().for_each(|reg| _ = holders.remove(&reg));
            }
        }
        pc += 1;
    }
    None
}
