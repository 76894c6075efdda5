//! Arithmetic on integers of up to 128 bits, kept zero-extended.

use crate::bytecode::{BinOp, BitOp, CmpOp, Overflow, RmwOp};

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoResult {
    DivisionByZero,
    /// The smallest number divided by -1.
    DivisionOverflow,
    ShiftTooFar,
}

/// The lowest `bits` bits set.
#[inline]
pub fn mask(bits: u8) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// Reads the lowest `bits` bits as a signed number.
#[inline]
pub fn signed(value: u128, bits: u8) -> i128 {
    let unused = 128 - bits.clamp(1, 128) as u32;
    ((value << unused) as i128) >> unused
}

fn smallest(bits: u8) -> i128 {
    signed(1 << (bits - 1), bits)
}

fn largest(bits: u8) -> i128 {
    (mask(bits) >> 1) as i128
}

/// `a op b` on numbers of `bits` bits; wraps.
#[inline]
pub fn bin(op: BinOp, bits: u8, a: u128, b: u128) -> Result<u128, NoResult> {
    let m = mask(bits);
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        _ => return rare(op, bits, a & m, b & m).map(|v| v & m),
    };
    Ok(value & m)
}

fn rare(op: BinOp, bits: u8, a: u128, b: u128) -> Result<u128, NoResult> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let divisible = |value: Option<u128>| value.ok_or(NoResult::DivisionByZero);
    if matches!(op, BinOp::SDiv | BinOp::SRem) {
        if b == 0 {
            return Err(NoResult::DivisionByZero);
        }
        if sa == smallest(bits) && sb == -1 {
            return Err(NoResult::DivisionOverflow);
        }
    }
    if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) && b >= bits as u128 {
        return Err(NoResult::ShiftTooFar);
    }
    let clamp = |value: i128| value.clamp(smallest(bits), largest(bits)) as u128;
    Ok(match op {
        BinOp::UDiv => divisible(a.checked_div(b))?,
        BinOp::URem => divisible(a.checked_rem(b))?,
        BinOp::SDiv => (sa / sb) as u128,
        BinOp::SRem => (sa % sb) as u128,
        BinOp::Shl => a << b,
        BinOp::LShr => a >> b,
        BinOp::AShr => (sa >> b) as u128,
        BinOp::UMin => a.min(b),
        BinOp::UMax => a.max(b),
        BinOp::SMin => sa.min(sb) as u128,
        BinOp::SMax => sa.max(sb) as u128,
        BinOp::UAddSat => a.checked_add(b).map_or(mask(bits), |v| v.min(mask(bits))),
        BinOp::USubSat => a.saturating_sub(b),
        BinOp::SAddSat => clamp(sa.saturating_add(sb)),
        BinOp::SSubSat => clamp(sa.saturating_sub(sb)),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => {
            return bin(op, bits, a, b);
        }
    })
}

/// The wrapped result, and whether it differs from the true one.
pub fn overflowing(op: Overflow, bits: u8, a: u128, b: u128) -> (u128, bool) {
    let m = mask(bits);
    let (a, b) = (a & m, b & m);
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let in_range = |(value, over): (i128, bool)| {
        (value as u128 & m, over || value < smallest(bits) || value > largest(bits))
    };
    let fits = |(value, over): (u128, bool)| (value & m, over || value > m);
    match op {
        Overflow::SAdd => in_range(sa.overflowing_add(sb)),
        Overflow::SSub => in_range(sa.overflowing_sub(sb)),
        Overflow::SMul => in_range(sa.overflowing_mul(sb)),
        Overflow::UAdd => fits(a.overflowing_add(b)),
        Overflow::USub => (a.wrapping_sub(b) & m, a < b),
        Overflow::UMul => fits(a.overflowing_mul(b)),
    }
}

/// Whether a signed operation leaves the range of its width.
pub fn wraps_signed(op: BinOp, bits: u8, a: u128, b: u128) -> bool {
    match op {
        BinOp::Add => overflowing(Overflow::SAdd, bits, a, b).1,
        BinOp::Sub => overflowing(Overflow::SSub, bits, a, b).1,
        BinOp::Mul => overflowing(Overflow::SMul, bits, a, b).1,
        BinOp::Shl => {
            let shifted = bin(op, bits, a, b).unwrap_or(0);
            b < bits as u128 && signed(shifted, bits) >> b != signed(a & mask(bits), bits)
        }
        _ => false,
    }
}

/// Whether a comparison holds of two numbers, given both without and with their sign.
#[inline]
fn holds<U: Ord, S: Ord>(op: CmpOp, (a, b): (U, U), (sa, sb): (S, S)) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => sa < sb,
        CmpOp::Sle => sa <= sb,
        CmpOp::Sgt => sa > sb,
        CmpOp::Sge => sa >= sb,
    }
}

/// [`cmp`] on at most 64 bits, which is what programs do most.
#[inline]
pub fn cmp_narrow(op: CmpOp, bits: u8, a: u64, b: u64) -> bool {
    // What is beyond the width does not count; the order stays the same.
    let unused = 64 - bits as u32;
    let (a, b) = (a << unused, b << unused);
    holds(op, (a, b), (a as i64, b as i64))
}

/// Whether a comparison of numbers of `bits` bits holds.
#[inline]
pub fn cmp(op: CmpOp, bits: u8, a: u128, b: u128) -> bool {
    let (a, b) = (a & mask(bits), b & mask(bits));
    holds(op, (a, b), (signed(a, bits), signed(b, bits)))
}

/// The result of an intrinsic of one operand.
pub fn bit_op(op: BitOp, bits: u8, a: u128) -> u128 {
    let a = a & mask(bits);
    let unused = 128 - bits as u32;
    let value = match op {
        BitOp::Ctpop => a.count_ones() as u128,
        BitOp::Ctlz | BitOp::CtlzNonzero => (a.leading_zeros() - unused) as u128,
        BitOp::Cttz | BitOp::CttzNonzero => a.trailing_zeros().min(bits as u32) as u128,
        BitOp::Bswap => a.swap_bytes() >> unused,
        BitOp::BitReverse => a.reverse_bits() >> unused,
        BitOp::Abs => signed(a, bits).wrapping_abs() as u128,
    };
    value & mask(bits)
}

/// The upper (`left`) or lower half of `a:b` shifted by `amount` modulo the width.
pub fn funnel(left: bool, bits: u8, a: u128, b: u128, amount: u128) -> u128 {
    let m = mask(bits);
    let (a, b, by) = (a & m, b & m, (amount & m) % bits as u128);
    let rest = bits as u128 - by;
    let value = match (left, by) {
        (true, 0) => a,
        (false, 0) => b,
        (true, _) => a << by | b >> rest,
        (false, _) => a << rest | b >> by,
    };
    value & m
}

/// What a read-modify-write writes.
pub fn rmw(op: RmwOp, bits: u8, a: u128, b: u128) -> u128 {
    let by_signed = |max: bool| if (signed(a, bits) > signed(b, bits)) == max { a } else { b };
    let value = match op {
        RmwOp::Xchg => b,
        RmwOp::Add => a.wrapping_add(b),
        RmwOp::Sub => a.wrapping_sub(b),
        RmwOp::And => a & b,
        RmwOp::Nand => !(a & b),
        RmwOp::Or => a | b,
        RmwOp::Xor => a ^ b,
        RmwOp::Max => by_signed(true),
        RmwOp::Min => by_signed(false),
        RmwOp::UMax => a.max(b),
        RmwOp::UMin => a.min(b),
    };
    value & mask(bits)
}
