//! Arithmetic on floats, kept by their bits.

use crate::extended::{self, Whole};
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

/// The number that `bits` bits stand for, as a double; exact for up to 64 bits.
pub fn double(value: u128, bits: u8) -> f64 {
    match bits {
        32 => single(value as u64) as f64,
        80 => f64::from_bits(extended::to_float(value, 64)),
        _ => f64::from_bits(value as u64),
    }
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

/// The operations on 80 bits. There are no instructions for fused ones and powers: the compiler calls the
/// library for these.
pub fn extended(op: FloatOp, a: u128, b: u128) -> u128 {
    match op {
        FloatOp::Add => extended::add(a, b),
        FloatOp::Sub => extended::add(a, extended::neg(b)),
        FloatOp::Mul => extended::mul(a, b),
        FloatOp::Div => extended::div(a, b),
        FloatOp::Rem => extended::rem(a, b),
        FloatOp::Neg => extended::neg(a),
        FloatOp::Sqrt => extended::sqrt(a),
        FloatOp::Abs => extended::abs(a),
        FloatOp::Floor => extended::whole(a, Whole::Down),
        FloatOp::Ceil => extended::whole(a, Whole::Up),
        FloatOp::Trunc => extended::whole(a, Whole::ToZero),
        FloatOp::Round => extended::whole(a, Whole::Nearest),
        FloatOp::Min => extended::least(a, b, Ordering::Less),
        FloatOp::Max => extended::least(a, b, Ordering::Greater),
        FloatOp::CopySign => extended::copysign(a, b),
        FloatOp::Fma | FloatOp::Pow => unreachable!("the lowering refuses {op:?} of 80 bits"),
    }
}

pub fn cmp(cmp: FloatCmp, bits: u8, a: u64, b: u64) -> bool {
    ordered(cmp, double(a.into(), bits).partial_cmp(&double(b.into(), bits)))
}

pub fn cmp_extended(cmp: FloatCmp, a: u128, b: u128) -> bool {
    ordered(cmp, extended::cmp(a, b))
}

fn ordered(cmp: FloatCmp, order: Option<Ordering>) -> bool {
    match order {
        Some(Ordering::Less) => cmp.less,
        Some(Ordering::Equal) => cmp.equal,
        Some(Ordering::Greater) => cmp.greater,
        None => cmp.unordered,
    }
}

/// Whether a number without its fraction is one of an integer type.
pub fn fits(value: u128, from: u8, to: u8, signed: bool) -> bool {
    if from == 80 {
        return match extended::to_integer(value) {
            Some((size, true)) if signed => size <= 1 << (to - 1),
            Some((size, false)) if signed => size < 1 << (to - 1),
            Some((size, negative)) => size <= arith::mask(to) && !(negative && size > 0),
            None => false,
        };
    }
    let whole = double(value, from).trunc();
    // Powers of two are exact.
    match signed {
        true => whole >= -2f64.powi(to as i32 - 1) && whole < 2f64.powi(to as i32 - 1),
        false => whole >= 0.0 && whole < 2f64.powi(to as i32),
    }
}

/// A cast to or from a float. Numbers out of range become the nearest one, as Rust does.
pub fn cast(op: CastOp, from: u8, to: u8, value: u128) -> u128 {
    if from == 80 || to == 80 {
        return cast_extended(op, from, to, value);
    }
    let float = || double(value, from);
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
        // By whoever knows the objects; here they are numbers.
        CastOp::ToAddress | CastOp::ToPointer => value & arith::mask(to),
    }
}

/// A cast to or from 80 bits.
fn cast_extended(op: CastOp, from: u8, to: u8, value: u128) -> u128 {
    let limit = |negative: bool, signed: bool| match (negative, signed) {
        (false, true) => arith::mask(to - 1),
        (false, false) => arith::mask(to),
        (true, true) => 1 << (to - 1),
        (true, false) => 0,
    };
    let integer = |signed: bool| match extended::to_integer(value) {
        Some((size, true)) if fits(value, from, to, signed) => size.wrapping_neg() & arith::mask(to),
        Some((size, false)) if fits(value, from, to, signed) => size,
        Some((_, negative)) => limit(negative, signed),
        None if extended::cmp(value, value).is_none() => 0,
        None => limit(extended::cmp(value, 0) == Some(Ordering::Less), signed),
    };
    match op {
        CastOp::FloatToFloat if to == 80 => extended::of_double(double(value, from)),
        CastOp::FloatToFloat => extended::to_float(value, to).into(),
        CastOp::FloatToSigned => integer(true),
        CastOp::FloatToUnsigned => integer(false),
        CastOp::SignedToFloat => {
            let number = arith::signed(value, from);
            extended::of_integer(number.unsigned_abs(), number < 0)
        }
        CastOp::UnsignedToFloat => extended::of_integer(value & arith::mask(from), false),
        // Of integers of 80 bits.
        CastOp::Zext => value & arith::mask(from),
        CastOp::Sext => arith::signed(value, from) as u128 & arith::mask(to),
        CastOp::Trunc | CastOp::ToAddress | CastOp::ToPointer => value & arith::mask(to),
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
        "log1p" => |a, _| a.ln_1p(),
        "expm1" => |a, _| a.exp_m1(),
        "asinh" => |a, _| a.asinh(),
        "acosh" => |a, _| a.acosh(),
        "atanh" => |a, _| a.atanh(),
        "hypot" => |a, b| a.hypot(b),
        "copysign" => |a, b| a.copysign(b),
        "fdim" => |a, b| if a <= b { 0.0 } else { a - b },
        _ => return None,
    })
}

/// The number that a text begins with, as bits of a float of this width, and how long it is: 0 if there is
/// none.
pub fn parse(text: &[u8], bits: u8) -> (u64, usize) {
    let is = |at: usize, what: &[u8]| text.get(at).is_some_and(|c| what.contains(c));
    let sign = usize::from(is(0, b"+-"));
    let word =
        |name: &[u8]| text.get(sign..sign + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
    let negative = is(0, b"-");
    let result = |value: f64, used: usize| (to_bits(if negative { -value } else { value }, bits), used);
    for (name, value) in
        [(&b"infinity"[..], f64::INFINITY), (&b"inf"[..], f64::INFINITY), (&b"nan"[..], f64::NAN)]
    {
        if word(name) {
            return result(value, sign + name.len());
        }
    }
    let digits = |from: usize, radix: u32| {
        text.get(from..).unwrap_or_default().iter().take_while(|c| char::from(**c).is_digit(radix)).count()
    };
    let is_hex =
        word(b"0x") && (digits(sign + 2, 16) > 0 || (is(sign + 2, b".") && digits(sign + 3, 16) > 0));
    let (begin, radix, marks) = if is_hex { (sign + 2, 16, b"pP") } else { (sign, 10, b"eE") };
    let whole = digits(begin, radix);
    let mut end = begin + whole;
    let mut fraction = 0;
    if is(end, b".") {
        fraction = digits(end + 1, radix);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return (0, 0);
    }
    let mantissa_end = end;
    let mut exponent = 0i32;
    if is(end, marks) {
        let signed = end + 1 + usize::from(is(end + 1, b"+-"));
        let length = digits(signed, 10);
        if length > 0 {
            end = signed + length;
            let text = std::str::from_utf8(&text[mantissa_end + 1..end]).unwrap_or_default();
            // One that does not fit is as large as any.
            exponent =
                text.parse().unwrap_or(if is(mantissa_end + 1, b"-") { -1_000_000 } else { 1_000_000 });
        }
    }
    if radix == 10 {
        let text = std::str::from_utf8(&text[..end]).unwrap_or_default();
        let number = match bits {
            32 => text.parse::<f32>().map(|number| u64::from(number.to_bits())),
            _ => text.parse::<f64>().map(f64::to_bits),
        };
        return (number.unwrap_or_default(), end);
    }
    let mut value = 0.0f64;
    for c in text[begin..mantissa_end].iter().filter(|c| **c != b'.') {
        value = value * 16.0 + f64::from(char::from(*c).to_digit(16).unwrap_or_default());
    }
    let power = exponent.saturating_sub(4 * fraction as i32).clamp(-4000, 4000);
    // In two steps, each of which is within range.
    result(value * 2f64.powi(power / 2) * 2f64.powi(power - power / 2), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        let read = |text: &str| {
            let (bits, used) = parse(text.as_bytes(), 64);
            (f64::from_bits(bits), used)
        };
        assert_eq!(read("1.5e3x"), (1500.0, 5));
        assert_eq!(read("-2."), (-2.0, 3));
        assert_eq!(read(".5e"), (0.5, 2));
        assert_eq!(read("1e+"), (1.0, 1));
        assert_eq!(read("0x1.8p1"), (3.0, 7));
        assert_eq!(read("0x"), (0.0, 1));
        assert_eq!(read("-inf"), (f64::NEG_INFINITY, 4));
        assert_eq!(read("1e999999999999"), (f64::INFINITY, 14));
        assert_eq!(read("0x1p-9999"), (0.0, 9));
        for nothing in ["", "+", ".", "-.", "e5", "x"] {
            assert_eq!(read(nothing), (0.0, 0), "{nothing}");
        }
        assert!(read("nan").0.is_nan());
    }
}
