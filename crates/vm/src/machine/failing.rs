//! Compare-and-exchanges whose thread waits if they fail, whatever it was that they read.

use crate::ir::{BinOp, CastOp, CmpOp, Function, Instr, Operand, Reg, registers};
use std::collections::HashMap;

/// How far to follow the code after a failure.
const FAR: usize = 32;

/// How a thread waits after a compare-and-exchange that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// The loop with this header waits.
    Always { header: u32 },
    /// The loop with this number waits if its iteration had no effect; what the failure gave does not matter to that.
    IfIdle { number: u32 },
}

/// By instruction; empty if there is none.
pub fn waiting_failures(function: &Function) -> Vec<Option<Waiting>> {
    let mut all = Vec::new();
    for (at, instr) in function.code.iter().enumerate() {
        if matches!(instr, Instr::Cmpxchg { weak: false, .. })
            && let Some(waiting) = leads_to_waiting(function, at)
        {
            all.resize(function.code.len(), None);
            all[at] = Some(waiting);
        }
    }
    all
}

/// Follows the code after a failed compare-and-exchange, with what is known of the registers: only that it
/// failed, and what follows from that.
fn leads_to_waiting(function: &Function, at: usize) -> Option<Waiting> {
    let Instr::Cmpxchg { dst, bytes, .. } = function.code[at] else { return None };
    let mut known: HashMap<Reg, u64> = HashMap::from([(dst + registers(bytes), 0)]);
    let mut changed = vec![dst, dst + registers(bytes)];
    changed.extend((registers(bytes) > 1).then_some(dst + 1));
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
            Instr::SpinBlock { number } => {
                return function.loops.get(*number as usize).map(|l| Waiting::Always { header: l.header });
            }
            Instr::LoopBack { number } => {
                let header = function.loops.get(*number as usize)?.header;
                let Instr::LoopHead { live, .. } = function.code.get(header as usize)? else { return None };
                let same = live.iter().all(|reg| !changed.contains(reg));
                return same.then_some(Waiting::IfIdle { number: *number });
            }
            _ => return None,
        };
        changed.push(dst);
        known.remove(&dst);
        known.extend(result.map(|result| (dst, result)));
    }
    None
}
