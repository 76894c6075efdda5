//! Arithmetic on the 80 bits that x86 calculates with, and that `long double` is there: a sign, 15 bits of
//! an exponent, and a significand of 64 bits whose uppermost bit is written down.
//!
//! Everything is computed in integers and rounded once, to the nearest number and to the even one of two, as
//! the machine does unless it is told otherwise. Patterns that the machine does not take for numbers (those
//! without their uppermost bit) are not numbers here.

use std::cmp::Ordering;

/// How floats of a format are written.
#[derive(Clone, Copy)]
struct Format {
    /// The bits of a significand.
    precision: i32,
    /// The power of two of the lowest bit of the smallest numbers.
    least: i32,
    /// What an exponent without meaning is, all of whose bits are set.
    special: i32,
}

const EXTENDED: Format = Format { precision: 64, least: 1 - BIAS - 63, special: 0x7fff };
const BIAS: i32 = 16383;
const UPPERMOST: u64 = 1 << 63;
const SIGN: u128 = 1 << 79;
const INFINITY: u128 = 0x7fff << 64 | UPPERMOST as u128;
const NONE: u128 = INFINITY | 1 << 62;

/// What 80 bits stand for.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Infinite,
    Zero,
    /// `significand` times two to the power of `exponent`.
    Finite,
}

#[derive(Clone, Copy)]
struct Number {
    kind: Kind,
    negative: bool,
    exponent: i32,
    significand: u64,
}

impl Number {
    fn of(bits: u128) -> Number {
        let (significand, written) = (bits as u64, (bits >> 64) as i32 & 0x7fff);
        let kind = match written {
            0 if significand == 0 => Kind::Zero,
            0 => Kind::Finite,
            _ if significand & UPPERMOST == 0 => Kind::None,
            0x7fff if significand == UPPERMOST => Kind::Infinite,
            0x7fff => Kind::None,
            _ => Kind::Finite,
        };
        let exponent = written.max(1) - 1 + EXTENDED.least;
        Number { kind, negative: bits & SIGN != 0, exponent, significand }
    }

    /// The same number with the uppermost bit of its significand set.
    fn normal(self) -> Number {
        let by = self.significand.leading_zeros();
        Number { significand: self.significand << by, exponent: self.exponent - by as i32, ..self }
    }
}

fn signed(negative: bool, size: u128) -> u128 {
    if negative { SIGN | size } else { size }
}

/// A number that is above 0, and what comes below its last bit, as the nearest one of a format: the written
/// exponent, and the significand with its uppermost bit.
fn nearest(format: Format, significand: u128, exponent: i32, sticky: bool) -> (i32, u64) {
    // The uppermost bit is left free, so that what is dropped as a whole is less than a half.
    let (significand, sticky, exponent) = match significand >> 127 {
        0 => (significand, sticky, exponent),
        _ => (significand >> 1, sticky || significand & 1 != 0, exponent + 1),
    };
    let width = 128 - significand.leading_zeros() as i32;
    let drop = (width - format.precision).max(format.least - exponent);
    let mut kept = match drop {
        ..=0 => significand << -drop,
        1..=127 => {
            let (kept, rest) = (significand >> drop, significand & ((1 << drop) - 1));
            let half = 1 << (drop - 1);
            let up = rest > half || rest == half && (sticky || kept & 1 == 1);
            kept + u128::from(up)
        }
        // Less than half of the smallest number.
        _ => 0,
    };
    let mut exponent = exponent + drop;
    if kept >> format.precision != 0 {
        (kept, exponent) = (kept >> 1, exponent + 1);
    }
    match kept >> (format.precision - 1) {
        0 => (0, kept as u64),
        _ => (exponent - format.least + 1, kept as u64),
    }
}

fn rounded(negative: bool, significand: u128, exponent: i32, sticky: bool) -> u128 {
    let size = match nearest(EXTENDED, significand, exponent, sticky) {
        (written, _) if written >= EXTENDED.special => INFINITY,
        (written, significand) => (written as u128) << 64 | u128::from(significand),
    };
    signed(negative, size)
}

pub fn add(x: u128, y: u128) -> u128 {
    let (a, b) = (Number::of(x), Number::of(y));
    match (a.kind, b.kind) {
        (Kind::None, _) | (_, Kind::None) => NONE,
        (Kind::Infinite, Kind::Infinite) if a.negative != b.negative => NONE,
        (Kind::Zero, Kind::Zero) => signed(a.negative && b.negative, 0),
        (Kind::Infinite, _) | (_, Kind::Zero) => x,
        (_, Kind::Infinite) | (Kind::Zero, _) => y,
        (Kind::Finite, Kind::Finite) => sum(a, b),
    }
}

fn sum(a: Number, b: Number) -> u128 {
    let (a, b) = (a.normal(), b.normal());
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    // 62 bits more below, and one for the carry above.
    let (top, bottom) = (u128::from(high.significand) << 62, u128::from(low.significand) << 62);
    let apart = (high.exponent - low.exponent) as u32;
    let (shifted, lost) = match apart {
        0..=127 => (bottom >> apart, bottom & ((1 << apart) - 1) != 0),
        _ => (0, true),
    };
    let exponent = high.exponent - 62;
    if high.negative == low.negative {
        return rounded(high.negative, top + shifted, exponent, lost);
    }
    // What is lost is taken away too: one less, and something above it.
    let (size, negative) = match top.cmp(&shifted) {
        Ordering::Equal => return 0,
        Ordering::Greater => (top - shifted - u128::from(lost), high.negative),
        Ordering::Less => (shifted - top, low.negative),
    };
    rounded(negative, size, exponent, lost)
}

pub fn mul(x: u128, y: u128) -> u128 {
    let (a, b) = (Number::of(x), Number::of(y));
    let negative = a.negative != b.negative;
    match (a.kind, b.kind) {
        (Kind::None, _) | (_, Kind::None) => NONE,
        (Kind::Infinite, Kind::Zero) | (Kind::Zero, Kind::Infinite) => NONE,
        (Kind::Infinite, _) | (_, Kind::Infinite) => signed(negative, INFINITY),
        (Kind::Zero, _) | (_, Kind::Zero) => signed(negative, 0),
        (Kind::Finite, Kind::Finite) => {
            let product = u128::from(a.significand) * u128::from(b.significand);
            rounded(negative, product, a.exponent + b.exponent, false)
        }
    }
}

pub fn div(x: u128, y: u128) -> u128 {
    let (a, b) = (Number::of(x), Number::of(y));
    let negative = a.negative != b.negative;
    match (a.kind, b.kind) {
        (Kind::None, _) | (_, Kind::None) => NONE,
        (Kind::Infinite, Kind::Infinite) | (Kind::Zero, Kind::Zero) => NONE,
        (Kind::Infinite, _) | (_, Kind::Zero) => signed(negative, INFINITY),
        (Kind::Zero, _) | (_, Kind::Infinite) => signed(negative, 0),
        (Kind::Finite, Kind::Finite) => {
            let (a, b) = (a.normal(), b.normal());
            let by = u128::from(b.significand);
            let (whole, rest) =
                ((u128::from(a.significand) << 63) / by, (u128::from(a.significand) << 63) % by);
            // 63 or 64 bits, and four more.
            let (more, rest) = ((rest << 4) / by, (rest << 4) % by);
            rounded(negative, whole << 4 | more, a.exponent - b.exponent - 67, rest != 0)
        }
    }
}

/// What is left of `x` without whole `y`s; it has the sign of `x`.
pub fn rem(x: u128, y: u128) -> u128 {
    let (a, b) = (Number::of(x), Number::of(y));
    match (a.kind, b.kind) {
        (Kind::None, _) | (_, Kind::None) | (Kind::Infinite, _) | (_, Kind::Zero) => NONE,
        (Kind::Zero, _) | (_, Kind::Infinite) => x,
        (Kind::Finite, Kind::Finite) => {
            let (a, b) = (a.normal(), b.normal());
            if a.exponent < b.exponent {
                return x;
            }
            let by = u128::from(b.significand);
            let mut left = u128::from(a.significand) % by;
            for _ in 0..a.exponent - b.exponent {
                left = (left << 1) % by;
            }
            match left {
                0 => signed(a.negative, 0),
                _ => rounded(a.negative, left, b.exponent, false),
            }
        }
    }
}

pub fn sqrt(x: u128) -> u128 {
    let a = Number::of(x);
    match a.kind {
        Kind::Zero => x,
        Kind::None => NONE,
        _ if a.negative => NONE,
        Kind::Infinite => x,
        Kind::Finite => {
            let a = a.normal();
            // An even power of two below 128 bits, whose root has 64.
            let odd = a.exponent.rem_euclid(2);
            let square = u128::from(a.significand) << (64 - 1 + odd.abs_diff(1));
            let exponent = a.exponent - 63 - odd.abs_diff(1) as i32;
            let root = square.isqrt();
            let rest = square - root * root;
            // It never is in the middle between two numbers.
            rounded(false, root << 1 | u128::from(rest > root), exponent / 2 - 1, rest != 0)
        }
    }
}

/// How a number that is no integer becomes one.
#[derive(Clone, Copy, PartialEq)]
pub enum Whole {
    Down,
    Up,
    ToZero,
    /// To the nearest; of two, to the one away from 0.
    Nearest,
}

pub fn whole(x: u128, how: Whole) -> u128 {
    let a = Number::of(x);
    if a.kind == Kind::None {
        return NONE;
    }
    if a.kind != Kind::Finite || a.exponent >= 0 {
        return x;
    }
    let drop = a.exponent.unsigned_abs();
    let (kept, rest, half) = match drop {
        0..=64 => {
            let all = u128::from(a.significand);
            (all >> drop, all & ((1 << drop) - 1), 1 << (drop - 1))
        }
        _ => (0, 1, 2),
    };
    let away = match how {
        Whole::Down => a.negative && rest != 0,
        Whole::Up => !a.negative && rest != 0,
        Whole::ToZero => false,
        Whole::Nearest => rest >= half,
    };
    match kept + u128::from(away) {
        0 => signed(a.negative, 0),
        size => rounded(a.negative, size, 0, false),
    }
}

pub fn neg(x: u128) -> u128 {
    x ^ SIGN
}

pub fn abs(x: u128) -> u128 {
    x & !SIGN
}

pub fn copysign(x: u128, y: u128) -> u128 {
    abs(x) | y & SIGN
}

pub fn cmp(x: u128, y: u128) -> Option<Ordering> {
    let (a, b) = (Number::of(x), Number::of(y));
    if a.kind == Kind::None || b.kind == Kind::None {
        return None;
    }
    let side = |n: Number| match (n.kind, n.negative) {
        (Kind::Zero, _) => 0,
        (_, true) => -1,
        (_, false) => 1,
    };
    let size = |n: Number| match n.kind {
        Kind::Zero => (i32::MIN, 0),
        Kind::Infinite => (i32::MAX, 0),
        _ => (n.normal().exponent, n.normal().significand),
    };
    let sizes = if a.negative { size(b).cmp(&size(a)) } else { size(a).cmp(&size(b)) };
    Some(side(a).cmp(&side(b)).then(sizes))
}

/// The smaller one, or the larger; a number rather than none.
pub fn least(x: u128, y: u128, wanted: Ordering) -> u128 {
    match cmp(x, y) {
        Some(order) if order == wanted || order == Ordering::Equal => x,
        Some(_) => y,
        None if Number::of(x).kind == Kind::None => y,
        None => x,
    }
}

pub fn of_integer(size: u128, negative: bool) -> u128 {
    if size == 0 { 0 } else { rounded(negative, size, 0, false) }
}

/// The whole part of a number, its sign, and whether it has fewer than 128 bits.
pub fn to_integer(x: u128) -> Option<(u128, bool)> {
    let a = Number::of(x);
    match a.kind {
        Kind::None | Kind::Infinite => None,
        Kind::Zero => Some((0, false)),
        Kind::Finite => match a.exponent {
            65.. => None,
            0..=64 => Some((u128::from(a.significand) << a.exponent, a.negative)),
            -63..=-1 => Some((u128::from(a.significand >> -a.exponent), a.negative)),
            _ => Some((0, a.negative)),
        },
    }
}

/// Exact.
pub fn of_double(value: f64) -> u128 {
    let bits = value.to_bits();
    let (written, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let size = match (written, fraction) {
        (0, 0) => 0,
        (0x7ff, 0) => INFINITY,
        (0x7ff, _) => NONE,
        (0, _) => rounded(false, u128::from(fraction), -1074, false),
        _ => rounded(false, u128::from(fraction | 1 << 52), written - 1075, false),
    };
    signed(value.is_sign_negative(), size)
}

/// As a float of 32 or 64 bits.
pub fn to_float(x: u128, bits: u8) -> u64 {
    let a = Number::of(x);
    let (format, fraction) = match bits {
        32 => (Format { precision: 24, least: -149, special: 0xff }, 23),
        _ => (Format { precision: 53, least: -1074, special: 0x7ff }, 52),
    };
    let infinity = (format.special as u64) << fraction;
    let size = match a.kind {
        Kind::None => infinity | 1 << (fraction - 1),
        Kind::Infinite => infinity,
        Kind::Zero => 0,
        Kind::Finite => match nearest(format, u128::from(a.significand), a.exponent, false) {
            (written, _) if written >= format.special => infinity,
            (written, significand) => (written as u64) << fraction | significand & ((1 << fraction) - 1),
        },
    };
    u64::from(a.negative) << (bits - 1) | size
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn of(value: f32) -> u128 {
        of_double(value.into())
    }

    fn single(value: u128) -> u32 {
        to_float(value, 32) as u32
    }

    /// Whatever has 24 bits and is rounded to 64 first is rounded as if at once.
    #[test]
    fn numbers_of_single_precision_come_out_as_the_machine_has_them() {
        let mut random = SmallRng::seed_from_u64(1);
        for _ in 0..200_000 {
            let mut any = || {
                let bits: u32 = random.random();
                // Near to each other half of the time; small and special ones now and then.
                let bits = match random.random_range(0..8) {
                    0 => bits & 0x807f_ffff,
                    1 => bits | 0x7f80_0000,
                    2 => bits & 0xff80_0000,
                    3..=5 => bits & 0x83ff_ffff | 0x3c00_0000,
                    _ => bits,
                };
                f32::from_bits(bits)
            };
            let (x, y) = (any(), any());
            let (a, b) = (of(x), of(y));
            let results = [
                ("+", x + y, add(a, b)),
                ("-", x - y, add(a, neg(b))),
                ("*", x * y, mul(a, b)),
                ("/", x / y, div(a, b)),
                ("%", x % y, rem(a, b)),
                ("sqrt", x.sqrt(), sqrt(a)),
                ("floor", x.floor(), whole(a, Whole::Down)),
                ("ceil", x.ceil(), whole(a, Whole::Up)),
                ("trunc", x.trunc(), whole(a, Whole::ToZero)),
                ("round", x.round(), whole(a, Whole::Nearest)),
            ];
            for (name, wanted, got) in results {
                let same = wanted.is_nan() && cmp(got, got).is_none() || wanted.to_bits() == single(got);
                assert!(same, "{x:e} {name} {y:e}: {wanted:e}, not {:e}", f32::from_bits(single(got)));
            }
            assert_eq!(cmp(a, b), x.partial_cmp(&y), "{x:e} {y:e}");
            if !x.is_nan() {
                assert_eq!(single(a), x.to_bits());
                assert_eq!(to_float(of_double(f64::from(x) / 3.0), 64), (f64::from(x) / 3.0).to_bits());
            }
        }
    }

    /// Sums, products and quotients of integers, exactly, and rounded where they have more than 64 bits.
    #[test]
    fn integers_are_exact_up_to_64_bits_and_rounded_beyond() {
        let mut random = SmallRng::seed_from_u64(2);
        let nearest = |value: u128| {
            let by = (128 - value.leading_zeros()).saturating_sub(64);
            let (kept, rest, half) = (value >> by, value & ((1 << by) - 1), (1u128 << by) >> 1);
            let up = by > 0 && (rest > half || rest == half && kept & 1 == 1);
            (kept + u128::from(up)) << by
        };
        for _ in 0..100_000 {
            let mut any = || random.random::<u64>() >> random.random_range(0..64);
            let (x, y) = (any(), any());
            let (a, b) = (of_integer(x.into(), false), of_integer(y.into(), false));
            assert_eq!(to_integer(a), Some((x.into(), false)));
            assert_eq!(cmp(a, b), Some(x.cmp(&y)));
            assert_eq!(to_integer(add(a, b)), Some((nearest(u128::from(x) + u128::from(y)), false)));
            assert_eq!(to_integer(add(a, neg(b))).unwrap().0, x.abs_diff(y).into());
            let product = nearest(u128::from(x) * u128::from(y));
            assert_eq!(mul(a, b), of_integer(product, false));
            assert_eq!(of_integer(u128::from(x) * u128::from(y), false), of_integer(product, false));
            if y > 0 {
                assert_eq!(to_integer(rem(a, b)).unwrap().0, (x % y).into());
                // Too large by a rounding at most.
                let quotient = to_integer(whole(div(a, b), Whole::Down)).unwrap().0;
                assert!(
                    quotient == (x / y).into() || quotient == u128::from(x / y) + 1 && x.leading_zeros() == 0
                );
            }
            assert_eq!(to_integer(sqrt(mul(a, a))).unwrap().0, x.into());
        }
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let (one, zero) = (of_integer(1, false), 0);
        for none in
            [NONE, 1 << 64, INFINITY & !u128::from(UPPERMOST), add(INFINITY, neg(INFINITY)), div(zero, zero)]
        {
            assert_eq!(cmp(none, one), None);
            assert_eq!(cmp(add(none, one), one), None);
            assert_eq!(to_integer(none), None);
            assert_eq!(least(none, one, Ordering::Less), one);
        }
        assert_eq!(cmp(zero, neg(zero)), Some(Ordering::Equal));
        // The smallest number, and half of it; the largest one, twice.
        let (smallest, largest) = (1, INFINITY - (1 << 64) + u128::from(UPPERMOST - 1));
        assert_eq!(div(smallest, of_integer(2, false)), 0);
        assert_eq!(mul(largest, of_integer(2, false)), INFINITY);
        assert_eq!(add(smallest, smallest), 2);
        // The same number, written in two ways.
        assert_eq!(cmp(UPPERMOST.into(), 1 << 64 | u128::from(UPPERMOST)), Some(Ordering::Equal));
    }
}
