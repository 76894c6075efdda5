//! Where control may go from an instruction on, if some registers are known there.

use std::collections::{BTreeMap, HashMap};

use crate::arith;
use crate::bytecode::{BinOp, CastOp, Instr, Operand, Reg};
use crate::cfg::Graph;

/// Registers whose value is known.
pub type Known = BTreeMap<Reg, u64>;

/// What to do at an edge to a block.
pub enum Way {
    /// Follow it.
    On,
    /// Do not follow it.
    Out,
    /// It must not be taken.
    Forbidden,
}

/// Goes all ways that are possible after an instruction if `known` holds there. Whether no forbidden edge
/// was met; also collects what is returned.
pub fn follow(
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
            for reg in instr.written() {
                known.remove(&reg);
            }
            if let Some(value) = value {
                known.insert(instr.written().start, value);
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
            known_value(*cond, known).map(|value| if value != 0 { *then } else { *els })
        }
        Instr::Switch { value, cases, default } => known_value(*value, known)
            .map(|value| cases.iter().find(|case| case.0 == value).map_or(*default, |case| case.1)),
        _ => None,
    };
    let mut ways = Vec::new();
    match chosen {
        Some(to) => ways.push(to as usize),
        None => last.for_targets(|to| ways.push(*to as usize)),
    }
    ways
}

/// The result of an instruction, if what is known decides it.
pub fn evaluate(instr: &Instr, known: &Known) -> Option<u64> {
    let value = |operand: &Operand| known_value(*operand, known);
    match instr {
        Instr::Move { src, .. } => value(src),
        Instr::Select { cond, a, b, .. } => value(if value(cond)? != 0 { a } else { b }),
        Instr::Cast { op, from: from @ ..=64, to: to @ ..=64, src, .. } => match op {
            CastOp::Zext => value(src),
            CastOp::Trunc => Some(value(src)? & arith::mask(*to) as u64),
            CastOp::Sext => {
                let extended = arith::signed(value(src)?.into(), *from) as u128;
                Some((extended & arith::mask(*to)) as u64)
            }
            _ => None,
        },
        Instr::Bin { op, bits: bits @ ..=64, a, b, .. } => {
            use BinOp::*;
            let (a, b) = (value(a)?, value(b)?);
            let simple = matches!(op, And | Or | Xor | Add | Sub);
            let result = simple.then(|| arith::bin(*op, *bits, a.into(), b.into()).ok())?;
            result.map(|result| result as u64)
        }
        Instr::Cmp { op, bits: bits @ ..=64, a, b, .. } => {
            Some(u64::from(arith::cmp_narrow(*op, *bits, value(a)?, value(b)?)))
        }
        _ => None,
    }
}
