//! Compare-and-exchanges whose thread waits if they fail, whatever it was that they read.

use crate::ir::{BinOp, CastOp, CmpOp, Function, Instr, Operand, Reg, registers};
use std::collections::HashMap;

/// How far to follow the code after a failure.
const FAR: usize = 32;

/// By instruction, the header of the loop that the thread waits in; empty if there is none.
pub fn waiting_failures(function: &Function) -> Vec<Option<u32>> {
    let mut all = Vec::new();
    for (at, instr) in function.code.iter().enumerate() {
        if matches!(instr, Instr::Cmpxchg { weak: false, .. })
            && let Some(number) = leads_to_waiting(function, at)
        {
            all.resize(function.code.len(), None);
            all[at] = function.loops.get(number as usize).map(|l| l.header);
        }
    }
    all
}

/// Follows the code after a failed compare-and-exchange, with what is known of the registers: only that it
/// failed, and what follows from that. Returns the loop that it waits in, if it does.
fn leads_to_waiting(function: &Function, at: usize) -> Option<u32> {
    let Instr::Cmpxchg { dst, bytes, .. } = function.code[at] else { return None };
    let mut known: HashMap<Reg, u64> = HashMap::from([(dst + registers(bytes), 0)]);
    let mut pc = at + 1;
    for _ in 0..FAR {
        let Some(instr) = function.code.get(pc) else { return None };
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
            Instr::SpinBlock { number } => return Some(*number),
            _ => return None,
        };
        known.remove(&dst);
        known.extend(result.map(|result| (dst, result)));
    }
    None
}
