//! Numbers that grow up to a limit: `if (delay < 64) delay *= 2;` does not overflow.
//!
//! Let an addition or a product by a positive constant come right after a test that its operand is below a
//! limit, so that the result is in range if the operand is not negative. It is not if all that ever flows
//! into it is constants that are not, and results of such operations: by induction over the steps of the
//! program.
//!
//! Nor does a shift go too far by what was computed right before it and is small: `delay <<= delay < 64`,
//! `1 << (n & 15)`.

use std::collections::HashSet;

use crate::arith;
use crate::bytecode::{BinOp, CastOp, CmpOp, Instr, Operand, Reg};
use crate::cfg::Graph;

/// Larger factors are not looked at.
const LARGEST: u64 = 1 << 16;

/// The operations that cannot overflow, by block and the register that they write.
pub fn limited(graph: &Graph) -> HashSet<(usize, Reg)> {
    let before = graph.predecessors();
    let mut found: HashSet<(usize, Reg)> = HashSet::new();
    for (number, block) in graph.blocks.iter().enumerate() {
        for (at, instr) in block.code.iter().enumerate() {
            if let Some(dst) = is_tested(graph, &before, (number, at), instr) {
                found.insert((number, dst));
            }
        }
    }
    // Operands that may be negative after all.
    loop {
        let keep: HashSet<(usize, Reg)> =
            found.iter().copied().filter(|&one| is_never_negative(graph, one, &found)).collect();
        if keep.len() == found.len() {
            break;
        }
        found = keep;
    }
    for (number, block) in graph.blocks.iter().enumerate() {
        let shifts = (0..block.code.len()).filter_map(|at| is_small_shift(&block.code, at));
        found.extend(shifts.map(|dst| (number, dst)));
    }
    found
}

/// The register that a shift writes, if it is by less than there are bits, whatever comes before the block.
fn is_small_shift(code: &[Instr], at: usize) -> Option<Reg> {
    use BinOp::{AShr, LShr, Shl};
    match code[at] {
        Instr::Bin {
            op: Shl | LShr | AShr, dst, b: Operand::Reg(by), bits, no_signed_wrap: false, ..
        } => {
            let once = code.iter().filter(|other| other.written().contains(&dst)).count() == 1;
            (once && largest(&code[..at], by)? < u64::from(bits)).then_some(dst)
        }
        _ => None,
    }
}

/// The largest number that a register may hold after some code, by what is computed there.
fn largest(code: &[Instr], reg: Reg) -> Option<u64> {
    let at = code.iter().rposition(|instr| instr.written().contains(&reg))?;
    let of = |operand: &Operand| match operand {
        Operand::Const(value) => Some(*value),
        Operand::Reg(reg) => largest(&code[..at], *reg),
        _ => None,
    };
    match &code[at] {
        Instr::Cmp { .. } => Some(1),
        Instr::Move { src, .. } | Instr::Cast { op: CastOp::Zext, src, .. } => of(src),
        Instr::Bin { op: BinOp::And, a, b, .. } => of(a).into_iter().chain(of(b)).min(),
        Instr::Select { a, b, .. } => Some(of(a)?.max(of(b)?)),
        _ => None,
    }
}

/// The register that an operation writes, if its operand was found to be below a limit that is low enough.
fn is_tested(
    graph: &Graph,
    before: &[Vec<usize>],
    (block, at): (usize, usize),
    instr: &Instr,
) -> Option<Reg> {
    let &Instr::Bin { op, dst, a: Operand::Reg(x), b: Operand::Const(by), bits: bits @ 8..=64, .. } = instr
    else {
        return None;
    };
    let code = &graph.blocks[block].code;
    let writes = |instr: &Instr, reg: Reg| instr.written().contains(&reg);
    let once = code.iter().filter(|other| writes(other, dst)).count() == 1;
    let [test] = before[block][..] else { return None };
    let tested = &graph.blocks[test].code;
    let &Instr::Branch { cond: Operand::Reg(cond), then, els } = tested.last()? else { return None };
    let decided = tested.iter().rposition(|other| writes(other, cond))?;
    let &Instr::Cmp { op: cmp, bits: width, a: Operand::Reg(y), b: Operand::Const(limit), .. } =
        &tested[decided]
    else {
        return None;
    };
    let changed =
        code[..at].iter().chain(&tested[decided..]).any(|other| writes(other, x)) || (x, bits) != (y, width);
    let largest = arith::mask(bits) as u64 >> 1;
    let below = match (cmp, then as usize == block, then == els) {
        (CmpOp::Slt | CmpOp::Ult, true, false) | (CmpOp::Sge | CmpOp::Uge, false, false) => {
            limit.checked_sub(1)?
        }
        (CmpOp::Sle | CmpOp::Ule, true, false) | (CmpOp::Sgt | CmpOp::Ugt, false, false) => limit,
        _ => return None,
    };
    let most = match op {
        _ if by == 0 || by > LARGEST || below > largest => return None,
        BinOp::Add => below.checked_add(by)?,
        BinOp::Mul => below.checked_mul(by)?,
        _ => return None,
    };
    (once && !changed && most <= largest).then_some(dst)
}

/// Whether nothing negative flows into the operand of an operation, given which ones have results that are
/// not.
fn is_never_negative(graph: &Graph, (block, dst): (usize, Reg), limited: &HashSet<(usize, Reg)>) -> bool {
    let operand = graph.blocks[block].code.iter().find_map(|instr| match instr {
        Instr::Bin { dst: d, a: Operand::Reg(x), bits, .. } if *d == dst => Some((*x, *bits)),
        _ => None,
    });
    let Some((first, bits)) = operand else { return false };
    let (mut seen, mut pending) = (HashSet::new(), vec![first]);
    while let Some(reg) = pending.pop() {
        if !seen.insert(reg) {
            continue;
        }
        if graph.params.contains(&reg) {
            return false;
        }
        for (number, block) in graph.blocks.iter().enumerate() {
            for instr in block.code.iter().filter(|instr| instr.written().contains(&reg)) {
                let sources = match instr {
                    Instr::Move { src, .. } => vec![*src],
                    Instr::Select { a, b, .. } => vec![*a, *b],
                    Instr::Bin { a, bits: same, .. } if *same == bits && limited.contains(&(number, reg)) => {
                        vec![*a]
                    }
                    _ => return false,
                };
                for source in sources {
                    match source {
                        Operand::Reg(from) => pending.push(from),
                        Operand::Const(value) if value <= arith::mask(bits) as u64 >> 1 => {}
                        _ => return false,
                    }
                }
            }
        }
    }
    true
}
