//! Arithmetic on floats, kept by their bits.

use selvedge_ir::arith;
use selvedge_ir::{CastOp, FloatCmp, FloatOp};
use std::cmp::Ordering;

macro_rules! compute {
    ($op:expr, $a:expr, $b:expr, $c:expr) => {
        match $op {
            FloatOp::Add => $a + $b,
            FloatOp::Sub => $a - $b,
            FloatOp::Mul => $a * $b,
            FloatOp::Div => $a / $b,
            FloatOp::Rem => $a % $b,
            FloatOp::Neg => -$a,
            FloatOp::Sqrt => $a.sqrt(),
            FloatOp::Abs => $a.abs(),
            FloatOp::Floor => $a.floor(),
            FloatOp::Ceil => $a.ceil(),
            FloatOp::Trunc => $a.trunc(),
            FloatOp::Round => $a.round(),
            FloatOp::Min => $a.min($b),
            FloatOp::Max => $a.max($b),
            FloatOp::CopySign => $a.copysign($b),
            FloatOp::Fma => $a.mul_add($b, $c),
            FloatOp::Pow => $a.powf($b),
        }
    };
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The number that `bits` bits stand for, as a double; exact.
pub fn double(value: u64, bits: u8) -> f64 {
    if bits == 32 { single(value) as f64 } else { f64::from_bits(value) }
}

fn to_bits(value: f64, bits: u8) -> u64 {
    if bits == 32 { (value as f32).to_bits() as u64 } else { value.to_bits() }
}

pub fn op(op: FloatOp, bits: u8, a: u64, b: u64, c: u64) -> u64 {
    if bits == 32 {
        let value: f32 = compute!(op, single(a), single(b), single(c));
        return value.to_bits() as u64;
    }
    let (a, b, c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let value: f64 = compute!(op, a, b, c);
    value.to_bits()
}

pub fn cmp(cmp: FloatCmp, bits: u8, a: u64, b: u64) -> bool {
    match double(a, bits).partial_cmp(&double(b, bits)) {
        Some(Ordering::Less) => cmp.less,
        Some(Ordering::Equal) => cmp.equal,
        Some(Ordering::Greater) => cmp.greater,
        None => cmp.unordered,
    }
}

/// Whether a number without its fraction is one of an integer type.
pub fn fits(value: u64, from: u8, to: u8, signed: bool) -> bool {
    let whole = double(value, from).trunc();
    // Powers of two are exact.
    match signed {
        true => whole >= -2f64.powi(to as i32 - 1) && whole < 2f64.powi(to as i32 - 1),
        false => whole >= 0.0 && whole < 2f64.powi(to as i32),
    }
}

/// A cast to or from a float. Numbers out of range become the nearest one, as Rust does.
pub fn cast(op: CastOp, from: u8, to: u8, value: u128) -> u128 {
    let float = || double(value as u64, from);
    match op {
        CastOp::FloatToFloat => to_bits(float(), to) as u128,
        CastOp::FloatToSigned => float() as i128 as u128 & arith::mask(to),
        CastOp::FloatToUnsigned => float() as u128 & arith::mask(to),
        CastOp::SignedToFloat if to == 32 => (arith::signed(value, from) as f32).to_bits() as u128,
        CastOp::SignedToFloat => (arith::signed(value, from) as f64).to_bits() as u128,
        CastOp::UnsignedToFloat if to == 32 => ((value & arith::mask(from)) as f32).to_bits() as u128,
        CastOp::UnsignedToFloat => ((value & arith::mask(from)) as f64).to_bits() as u128,
        CastOp::Zext => value & arith::mask(from),
        CastOp::Sext => arith::signed(value, from) as u128 & arith::mask(to),
        CastOp::Trunc => value & arith::mask(to),
    }
}

/// The functions of `<math.h>` on doubles; `None` for a name that is none. Those on floats have the same
/// names with an `f` at the end.
pub fn library(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "sqrt" => |a, _| a.sqrt(),
        "cbrt" => |a, _| a.cbrt(),
        "fabs" => |a, _| a.abs(),
        "floor" => |a, _| a.floor(),
        "ceil" => |a, _| a.ceil(),
        "trunc" => |a, _| a.trunc(),
        "round" => |a, _| a.round(),
        "rint" | "nearbyint" => |a, _| a.round_ties_even(),
        "sin" => |a, _| a.sin(),
        "cos" => |a, _| a.cos(),
        "tan" => |a, _| a.tan(),
        "asin" => |a, _| a.asin(),
        "acos" => |a, _| a.acos(),
        "atan" => |a, _| a.atan(),
        "atan2" => |a, b| a.atan2(b),
        "sinh" => |a, _| a.sinh(),
        "cosh" => |a, _| a.cosh(),
        "tanh" => |a, _| a.tanh(),
        "exp" => |a, _| a.exp(),
        "exp2" => |a, _| a.exp2(),
        "log" => |a, _| a.ln(),
        "log2" => |a, _| a.log2(),
        "log10" => |a, _| a.log10(),
        "pow" => |a, b| a.powf(b),
        "fmod" => |a, b| a % b,
        "fmin" => |a, b| a.min(b),
        "fmax" => |a, b| a.max(b),
        "hypot" => |a, b| a.hypot(b),
        "copysign" => |a, b| a.copysign(b),
        "fdim" => |a, b| if a > b { a - b } else { 0.0 },
        _ => return None,
    })
}
