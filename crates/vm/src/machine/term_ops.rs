//! The bytecode's operations on terms, where they have a result.

use selvedge_ir::arith::{mask, signed};
use selvedge_ir::{BinOp, BitOp, CmpOp};
use selvedge_symbolic::{Term, Terms};

pub fn cmp(t: &mut Terms, op: CmpOp, a: Term, b: Term) -> Term {
    match op {
        CmpOp::Eq => t.eq(a, b),
        CmpOp::Ne => {
            let is = t.eq(a, b);
            t.not(is)
        }
        CmpOp::Ult => t.ult(a, b),
        CmpOp::Ugt => t.ult(b, a),
        CmpOp::Slt => t.slt(a, b),
        CmpOp::Sgt => t.slt(b, a),
        CmpOp::Ule => {
            let is = t.ult(b, a);
            t.not(is)
        }
        CmpOp::Uge => {
            let is = t.ult(a, b);
            t.not(is)
        }
        CmpOp::Sle => {
            let is = t.slt(b, a);
            t.not(is)
        }
        CmpOp::Sge => {
            let is = t.slt(a, b);
            t.not(is)
        }
    }
}

/// An operation that has a result; it wraps.
pub fn bin(t: &mut Terms, op: BinOp, bits: u8, a: Term, b: Term) -> Term {
    let by_order = |t: &mut Terms, less: Term, smaller: bool| {
        if smaller { t.ite(less, a, b) } else { t.ite(less, b, a) }
    };
    match op {
        BinOp::Add => t.add(a, b),
        BinOp::Sub => t.sub(a, b),
        BinOp::Mul => t.mul(a, b),
        BinOp::UDiv => t.udiv(a, b),
        BinOp::SDiv => t.sdiv(a, b),
        BinOp::URem => t.urem(a, b),
        BinOp::SRem => t.srem(a, b),
        BinOp::And => t.and(a, b),
        BinOp::Or => t.or(a, b),
        BinOp::Xor => t.xor(a, b),
        BinOp::Shl => t.shl(a, b),
        BinOp::LShr => t.lshr(a, b),
        BinOp::AShr => t.ashr(a, b),
        BinOp::UMin | BinOp::UMax => {
            let less = t.ult(a, b);
            by_order(t, less, op == BinOp::UMin)
        }
        BinOp::SMin | BinOp::SMax => {
            let less = t.slt(a, b);
            by_order(t, less, op == BinOp::SMin)
        }
        BinOp::UAddSat => {
            let sum = t.add(a, b);
            let over = t.ult(sum, a);
            let most = t.constant(bits, mask(bits));
            t.ite(over, most, sum)
        }
        BinOp::USubSat => {
            let difference = t.sub(a, b);
            let (under, least) = (t.ult(a, b), t.constant(bits, 0));
            t.ite(under, least, difference)
        }
        BinOp::SAddSat | BinOp::SSubSat => {
            let plain = if op == BinOp::SAddSat { BinOp::Add } else { BinOp::Sub };
            let value = bin(t, plain, bits, a, b);
            let Some(over) = wraps_signed(t, plain, bits, a, b) else { return value };
            let (most, least) = (t.constant(bits, mask(bits) >> 1), t.constant(bits, 1 << (bits - 1)));
            let zero = t.constant(bits, 0);
            let negative = t.slt(a, zero);
            let bound = t.ite(negative, least, most);
            t.ite(over, bound, value)
        }
    }
}

/// Whether an operation on numbers with a sign leaves its range; `None` if that takes too many bits to say.
pub fn wraps_signed(t: &mut Terms, op: BinOp, bits: u8, a: Term, b: Term) -> Option<Term> {
    let (most, least) = ((mask(bits) >> 1) as i128, signed(1 << (bits - 1), bits));
    let number = |t: &mut Terms, value: i128| t.constant(bits, value as u128);
    Some(match op {
        BinOp::Add | BinOp::Sub => {
            // By a number: beyond some bound.
            let known = |t: &Terms, of: Term| t.as_const(of).map(|v| signed(v, bits));
            let by = match (op, known(t, a), known(t, b)) {
                (BinOp::Add, Some(by), _) => Some((b, by)),
                (BinOp::Add, _, Some(by)) => Some((a, by)),
                (_, _, Some(by)) if by != least => Some((a, -by)),
                _ => None,
            };
            match by {
                Some((_, 0)) => t.bool(false),
                Some((of, by)) if by > 0 => {
                    let bound = number(t, most - by);
                    t.slt(bound, of)
                }
                Some((of, by)) => {
                    let bound = number(t, least - by);
                    t.slt(of, bound)
                }
                None => {
                    let wide = bits.checked_add(1).filter(|w| *w <= 128)?;
                    let (x, y) = (t.sext(a, wide), t.sext(b, wide));
                    let exact = bin(t, op, wide, x, y);
                    is_beyond(t, exact, (least, most))
                }
            }
        }
        BinOp::Mul => {
            let wide = bits.checked_mul(2).filter(|w| *w <= 128)?;
            let (x, y) = (t.sext(a, wide), t.sext(b, wide));
            let exact = t.mul(x, y);
            is_beyond(t, exact, (least, most))
        }
        BinOp::Shl => {
            let shifted = t.shl(a, b);
            let back = t.ashr(shifted, b);
            let fits = t.eq(back, a);
            t.not(fits)
        }
        _ => t.bool(false),
    })
}

/// Whether a number is not between two others.
fn is_beyond(t: &mut Terms, number: Term, (least, most): (i128, i128)) -> Term {
    let width = t.width(number);
    let (least, most) = (t.constant(width, least as u128), t.constant(width, most as u128));
    let (below, above) = (t.slt(number, least), t.slt(most, number));
    t.or(below, above)
}

pub fn bit_op(t: &mut Terms, op: BitOp, bits: u8, a: Term) -> Term {
    let bit = |t: &mut Terms, at: u8| t.extract(a, at, 1);
    match op {
        BitOp::Bswap => {
            let parts: Vec<Term> = (0..bits / 8).map(|i| t.extract(a, bits - 8 * (i + 1), 8)).collect();
            parts[1..].iter().fold(parts[0], |low, high| t.concat(*high, low))
        }
        BitOp::BitReverse => {
            let parts: Vec<Term> = (0..bits).map(|i| bit(t, bits - 1 - i)).collect();
            parts[1..].iter().fold(parts[0], |low, high| t.concat(*high, low))
        }
        BitOp::Ctpop => (0..bits).fold(t.constant(bits, 0), |sum, at| {
            let one = bit(t, at);
            let one = t.zext(one, bits);
            t.add(sum, one)
        }),
        BitOp::Ctlz | BitOp::CtlzNonzero => (0..bits).fold(t.constant(bits, bits as u128), |rest, at| {
            let (one, count) = (bit(t, at), t.constant(bits, (bits - 1 - at) as u128));
            t.ite(one, count, rest)
        }),
        BitOp::Cttz | BitOp::CttzNonzero => {
            (0..bits).rev().fold(t.constant(bits, bits as u128), |rest, at| {
                let (one, count) = (bit(t, at), t.constant(bits, at as u128));
                t.ite(one, count, rest)
            })
        }
        BitOp::Abs => {
            let zero = t.constant(bits, 0);
            let (negative, other) = (t.slt(a, zero), t.sub(zero, a));
            t.ite(negative, other, a)
        }
    }
}
