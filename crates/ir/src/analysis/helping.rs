//! Compare-and-exchanges whose outcome is nothing to the thread that makes them: whether they found what they
//! expected or not, it goes on in the same way.
//!
//! Such are the steps by which a thread completes what another one has begun, and those of the other one that
//! may have been completed by somebody: `cas(&tail, last, next); continue;`.

use std::collections::BTreeMap;

use crate::bytecode::{BinOp, CastOp, CmpOp, Function, Instr, Operand, Reg, registers};

/// How far to follow the code.
const FAR: usize = 32;

/// By instruction, whether it is a compare-and-exchange whose outcome does not matter; empty if there is
/// none.
pub fn ignored_outcomes(function: &Function) -> Vec<bool> {
    let mut all = Vec::new();
    for (at, instr) in function.code.iter().enumerate() {
        if matches!(instr, Instr::Cmpxchg { bytes: ..=8, .. }) && is_ignored(function, at) {
            all.resize(function.code.len(), false);
            all[at] = true;
        }
    }
    all
}

/// What a register holds after some instructions.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// What this operand was before them, whatever it is now.
    Before(Operand),
    /// Something that has to do with the outcome, or is not followed.
    Other,
}

/// Where a thread comes to after some computations, and what the registers hold that they have set.
fn after(function: &Function, at: usize, hit: bool) -> Option<(usize, BTreeMap<Reg, Holds>)> {
    let Instr::Cmpxchg { dst, bytes, .. } = function.code[at] else { return None };
    let flag = dst + registers(bytes);
    let mut holds: BTreeMap<Reg, Holds> = (dst..flag).map(|reg| (reg, Holds::Other)).collect();
    holds.insert(flag, Holds::Before(Operand::Const(u64::from(hit))));
    let mut pc = at + 1;
    for _ in 0..FAR {
        let instr = function.code.get(pc)?;
        let before = |operand: &Operand| match operand {
            Operand::Reg(reg) => holds.get(reg).copied().unwrap_or(Holds::Before(*operand)),
            other => Holds::Before(*other),
        };
        let bit = |operand: &Operand| match before(operand) {
            Holds::Before(Operand::Const(value @ 0..=1)) => Some(value),
            _ => None,
        };
        let number = |value: u64| Holds::Before(Operand::Const(value));
        let (dst, held) = match instr {
            Instr::Move { dst, src } => (*dst, before(src)),
            Instr::Cast { op: CastOp::Zext | CastOp::Trunc, dst, src, .. } => {
                (*dst, bit(src).map_or(Holds::Other, number))
            }
            Instr::Bin { op: BinOp::Xor, dst, a, b, .. } => {
                (*dst, bit(a).zip(bit(b)).map_or(Holds::Other, |(a, b)| number(a ^ b)))
            }
            Instr::Cmp { op: op @ (CmpOp::Eq | CmpOp::Ne), dst, a, b, .. } => {
                let equal = bit(a).zip(bit(b)).map(|(a, b)| a == b);
                (*dst, equal.map_or(Holds::Other, |equal| number(u64::from(equal == (*op == CmpOp::Eq)))))
            }
            Instr::Select { dst, cond, a, b } => {
                (*dst, bit(cond).map_or(Holds::Other, |cond| before(if cond != 0 { a } else { b })))
            }
            Instr::Cmp { dst, .. } | Instr::Cast { dst, .. } => (*dst, Holds::Other),
            Instr::Jump { to } => {
                pc = *to as usize;
                continue;
            }
            Instr::Branch { cond, then, els } => match bit(cond) {
                Some(cond) => {
                    pc = if cond != 0 { *then as usize } else { *els as usize };
                    continue;
                }
                None => return Some((pc, holds)),
            },
            _ => return Some((pc, holds)),
        };
        holds.insert(dst, held);
        pc += 1;
    }
    None
}

fn is_ignored(function: &Function, at: usize) -> bool {
    let (Some((hit, a)), Some((miss, b))) = (after(function, at, true), after(function, at, false)) else {
        return false;
    };
    let mut regs = a.keys().chain(b.keys());
    let same = |reg: &Reg| {
        let held =
            |map: &BTreeMap<Reg, Holds>| map.get(reg).copied().unwrap_or(Holds::Before(Operand::Reg(*reg)));
        held(&a) != Holds::Other && held(&a) == held(&b)
    };
    hit == miss && regs.all(|reg| same(reg) || !is_live(function, hit, *reg))
}

/// Whether a function may read a register from an instruction on, before it writes it.
fn is_live(function: &Function, from: usize, reg: Reg) -> bool {
    let mut seen = vec![false; function.code.len() + 1];
    let mut todo = vec![from as u32];
    while let Some(at) = todo.pop() {
        let Some(instr) = function.code.get(at as usize) else { continue };
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        // What a header compares is read there.
        let looked_at = matches!(instr, Instr::LoopHead { live, .. } if live.contains(&reg));
        if looked_at || instr.reads(reg) {
            return true;
        }
        if !instr.written().contains(&reg) {
            instr.for_successors(at, |next| todo.push(next));
        }
    }
    false
}
