//! Where control may go from an instruction on, if some registers are known there.

use std::collections::{BTreeMap, HashMap};

use selvedge_vm::ir::{BinOp, CastOp, CmpOp, Instr, Operand, Reg};

use crate::cfg::{Graph, targets};
use crate::registers::written;

/// Registers whose value is known.
pub(crate) type Known = BTreeMap<Reg, u64>;

/// What to do at an edge to a block.
pub(crate) enum Way {
    On,
    Out,
    Forbidden,
}

/// Goes all ways that are possible after an instruction if `known` holds there. Whether no forbidden edge
/// was met; also collects what is returned.
pub(crate) fn follow(
    graph: &Graph,
    (block, position): (usize, usize),
    known: Known,
    way: impl Fn(usize) -> Way,
    returned: &mut Vec<Option<u64>>,
) -> bool {
    let mut entry: HashMap<usize, Known> = HashMap::new();
    let mut pending = vec![(block, position + 1, known)];
    while let Some((number, from, mut known)) = pending.pop() {
        let code = &graph.blocks[number].code;
        for instr in &code[from..] {
            let value = evaluate(instr, &known);
            for reg in written(instr) {
                known.remove(&reg);
            }
            if let Some(value) = value {
                known.insert(written(instr).start, value);
            }
        }
        let Some(last) = code.last() else { return false };
        if let Instr::Return { values } = last {
            returned.push(values.first().and_then(|value| known_value(*value, &known)));
        }
        for next in ways(last, &known) {
            match way(next) {
                Way::Forbidden => return false,
                Way::Out => continue,
                Way::On => {}
            }
            // What holds on all ways into a block; it only shrinks, so this ends.
            let merged: Known = match entry.get(&next) {
                None => known.clone(),
                Some(old) => {
                    let same = old.iter().filter(|(reg, value)| known.get(reg) == Some(value));
                    same.map(|(reg, value)| (*reg, *value)).collect()
                }
            };
            if entry.get(&next) != Some(&merged) {
                entry.insert(next, merged.clone());
                pending.push((next, 0, merged));
            }
        }
    }
    true
}

fn known_value(operand: Operand, known: &Known) -> Option<u64> {
    match operand {
        Operand::Const(value) => Some(value),
        Operand::Reg(reg) => known.get(&reg).copied(),
        _ => None,
    }
}

/// Where a terminator may go.
fn ways(last: &Instr, known: &Known) -> Vec<usize> {
    let chosen = match last {
        Instr::Branch { cond, then, els } => {
            known_value(*cond, known).map(|value| if value & 1 != 0 { *then } else { *els })
        }
        Instr::Switch { value, cases, default } => known_value(*value, known)
            .map(|value| cases.iter().find(|case| case.0 == value).map_or(*default, |case| case.1)),
        _ => None,
    };
    chosen.map_or_else(|| targets(last), |to| vec![to]).into_iter().map(|to| to as usize).collect()
}

/// The result of an instruction, if what is known decides it.
fn evaluate(instr: &Instr, known: &Known) -> Option<u64> {
    let value = |operand: &Operand| known_value(*operand, known);
    let mask = |bits: u8| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let signed = |value: u64, bits: u8| ((value << (64 - bits.min(64))) as i64) >> (64 - bits.min(64));
    match instr {
        Instr::Move { src, .. } => value(src),
        Instr::Select { cond, a, b, .. } => value(if value(cond)? & 1 != 0 { a } else { b }),
        Instr::Cast { op, from: from @ ..=64, to: to @ ..=64, src, .. } => match op {
            CastOp::Zext => value(src),
            CastOp::Trunc => Some(value(src)? & mask(*to)),
            CastOp::Sext => Some(signed(value(src)?, *from) as u64 & mask(*to)),
            _ => None,
        },
        Instr::Bin { op, bits: bits @ ..=64, a, b, .. } => {
            let (a, b) = (value(a)?, value(b)?);
            let result = match op {
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                _ => return None,
            };
            Some(result & mask(*bits))
        }
        Instr::Cmp { op, bits: bits @ ..=64, a, b, .. } => {
            let (a, b) = (value(a)?, value(b)?);
            let (s, t) = (signed(a, *bits), signed(b, *bits));
            Some(u64::from(match op {
                CmpOp::Eq => a == b,
                CmpOp::Ne => a != b,
                CmpOp::Ult => a < b,
                CmpOp::Ule => a <= b,
                CmpOp::Ugt => a > b,
                CmpOp::Uge => a >= b,
                CmpOp::Slt => s < t,
                CmpOp::Sle => s <= t,
                CmpOp::Sgt => s > t,
                CmpOp::Sge => s >= t,
            }))
        }
        _ => None,
    }
}
