//! What can be said of floats that come from outside, by their bits (IEEE 754): comparisons, changes of the
//! sign, and conversions that do not round. Whatever rounds (sums, products, conversions to fewer bits) is
//! not calculated with: nothing can be decided by it.

use selvedge_ir::{CastOp, FloatCmp, FloatOp};
use selvedge_symbolic::{Term, Terms};

/// How many bits the exponent and the fraction of a float have.
#[derive(Clone, Copy)]
struct Form {
    bits: u8,
    exponent: u8,
    fraction: u8,
}

impl Form {
    fn of(bits: u8) -> Option<Form> {
        match bits {
            32 => Some(Form { bits, exponent: 8, fraction: 23 }),
            64 => Some(Form { bits, exponent: 11, fraction: 52 }),
            _ => None,
        }
    }

    fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }

    fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.fraction
    }
}

/// A float without its sign, and the sign.
fn parts(t: &mut Terms, float: Term, form: Form) -> (Term, Term) {
    let rest = t.extract(float, 0, form.bits - 1);
    (rest, t.extract(float, form.bits - 1, 1))
}

/// Whether a comparison holds.
pub fn cmp(t: &mut Terms, cmp: FloatCmp, bits: u8, a: Term, b: Term) -> Option<Term> {
    let form = Form::of(bits)?;
    let ((x, x_sign), (y, y_sign)) = (parts(t, a, form), parts(t, b, form));
    let infinity = t.constant(bits - 1, form.infinity());
    let (x_none, y_none) = (t.ult(infinity, x), t.ult(infinity, y));
    let unordered = t.or(x_none, y_none);
    let zero = t.constant(bits - 1, 0);
    let (x_zero, y_zero) = (t.eq(x, zero), t.eq(y, zero));
    let (zeros, same) = (t.and(x_zero, y_zero), t.eq(a, b));
    let equal = t.or(zeros, same);
    // Of numbers that are not equal: by the sign, then by the rest, which is the other way round below 0.
    let (below, above) = (t.ult(x, y), t.ult(y, x));
    let (positive, yes) = (t.not(y_sign), t.bool(true));
    let of_negative = t.ite(positive, yes, above);
    let (no, unlike) = (t.bool(false), t.not(equal));
    let of_positive = t.ite(y_sign, no, below);
    let less = t.ite(x_sign, of_negative, of_positive);
    let less = t.and(less, unlike);
    let at_least = t.or(less, equal);
    let greater = t.not(at_least);
    let ordered = t.not(unordered);
    let mut holds = t.bool(false);
    for (wanted, case) in [(cmp.less, less), (cmp.equal, equal), (cmp.greater, greater)] {
        if wanted {
            let case = t.and(case, ordered);
            holds = t.or(holds, case);
        }
    }
    Some(if cmp.unordered { t.or(holds, unordered) } else { holds })
}

/// An operation that only touches the sign.
pub fn op(t: &mut Terms, op: FloatOp, bits: u8, a: Term, b: Term) -> Option<Term> {
    let form = Form::of(bits)?;
    let (rest, sign) = parts(t, a, form);
    let sign = match op {
        FloatOp::Neg => t.not(sign),
        FloatOp::Abs => t.bool(false),
        FloatOp::CopySign => t.extract(b, bits - 1, 1),
        _ => return None,
    };
    Some(t.concat(sign, rest))
}

/// A conversion that does not round: of integers to floats that have all of them, and to floats of more bits.
pub fn cast(t: &mut Terms, op: CastOp, (from, to): (u8, u8), value: Term) -> Option<Term> {
    let form = Form::of(to)?;
    match op {
        CastOp::SignedToFloat if from - 1 <= form.fraction => {
            let zero = t.constant(from, 0);
            let (sign, opposite) = (t.slt(value, zero), t.sub(zero, value));
            let size = t.ite(sign, opposite, value);
            let rest = normal(t, size, form, 0);
            Some(t.concat(sign, rest))
        }
        CastOp::UnsignedToFloat if from <= form.fraction => {
            let rest = normal(t, value, form, 0);
            let sign = t.bool(false);
            Some(t.concat(sign, rest))
        }
        CastOp::FloatToFloat if from == 32 && to == 64 => Some(widened(t, value)),
        _ => None,
    }
}

/// A number without a sign times a power of two, as a float without its sign. The number has no more bits
/// than the fraction and one, and the exponent is that of a normal number.
fn normal(t: &mut Terms, number: Term, form: Form, power: i32) -> Term {
    let width = t.width(number);
    let whole = t.zext(number, form.bits - 1);
    let fraction = t.constant(form.bits - 1, (1 << form.fraction) - 1);
    // By the highest bit that is set.
    (0..width).fold(t.constant(form.bits - 1, 0), |lower, top| {
        let is = t.extract(number, top, 1);
        let by = t.constant(form.bits - 1, (form.fraction - top) as u128);
        let shifted = t.shl(whole, by);
        let shifted = t.and(shifted, fraction);
        let exponent = (form.bias() as i128 + i128::from(top) + i128::from(power)) as u128;
        let exponent = t.constant(form.bits - 1, exponent << form.fraction);
        let float = t.or(exponent, shifted);
        t.ite(is, float, lower)
    })
}

fn widened(t: &mut Terms, value: Term) -> Term {
    let (narrow, wide) = (FORM_32, FORM_64);
    let (rest, sign) = parts(t, value, narrow);
    let (fraction, exponent) = (t.extract(rest, 0, narrow.fraction), t.extract(rest, narrow.fraction, 8));
    let by = wide.fraction - narrow.fraction;
    let rebased = {
        let more = t.constant(wide.bits - 1, (wide.bias() - narrow.bias()) << wide.fraction);
        let (rest, by) = (t.zext(rest, wide.bits - 1), t.constant(wide.bits - 1, by as u128));
        let rest = t.shl(rest, by);
        t.add(rest, more)
    };
    let (none, all) = (t.constant(8, 0), t.constant(8, 255));
    let (is_small, is_special) = (t.eq(exponent, none), t.eq(exponent, all));
    // Too small for an exponent of their own; they have one here.
    let small = normal(t, fraction, wide, -(narrow.bias() as i32) + 1 - narrow.fraction as i32);
    let special = {
        let (infinity, zero) = (t.constant(wide.bits - 1, wide.infinity()), t.constant(narrow.fraction, 0));
        let is_infinity = t.eq(fraction, zero);
        let (kept, by) = (t.zext(fraction, wide.bits - 1), t.constant(wide.bits - 1, by as u128));
        let quiet = t.constant(wide.bits - 1, 1 << (wide.fraction - 1));
        let none = t.shl(kept, by);
        let none = t.or(none, quiet);
        let none = t.or(none, infinity);
        t.ite(is_infinity, infinity, none)
    };
    let rest = t.ite(is_special, special, rebased);
    let rest = t.ite(is_small, small, rest);
    t.concat(sign, rest)
}

const FORM_32: Form = Form { bits: 32, exponent: 8, fraction: 23 };
const FORM_64: Form = Form { bits: 64, exponent: 11, fraction: 52 };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float;
    use selvedge_symbolic::Model;

    /// Floats of all kinds: zeros, small, normal, infinite and none, of both signs.
    fn floats(bits: u8) -> Vec<u64> {
        let form = Form::of(bits).unwrap();
        let (infinity, one) = (form.infinity() as u64, (form.bias() as u64) << form.fraction);
        let sizes = [0, 1, 2, 5, (1 << form.fraction) - 1, 1 << form.fraction, one, one + 1, one + (1 << 20)];
        let sizes = sizes.into_iter().chain([
            infinity - 1,
            infinity,
            infinity + 1,
            infinity + (1 << (form.fraction - 1)),
        ]);
        sizes.flat_map(|size| [size, size | 1 << (bits - 1)]).collect()
    }

    fn given(t: &mut Terms, width: u8, value: u64, model: &mut Model, number: u32) -> Term {
        let unknown = t.unknown(0, number, width);
        model.set(unknown, value as u128);
        unknown
    }

    #[test]
    fn comparisons_are_those_of_the_machine() {
        for bits in [32, 64] {
            for (a, b) in floats(bits).into_iter().flat_map(|a| floats(bits).into_iter().map(move |b| (a, b)))
            {
                let (mut t, mut model) = (Terms::default(), Model::default());
                let (x, y) = (given(&mut t, bits, a, &mut model, 0), given(&mut t, bits, b, &mut model, 1));
                for kind in 0..16u8 {
                    let has = |bit: u8| kind >> bit & 1 == 1;
                    let kind = FloatCmp { less: has(0), equal: has(1), greater: has(2), unordered: has(3) };
                    let term = cmp(&mut t, kind, bits, x, y).unwrap();
                    let expected = float::cmp(kind, bits, a, b) as u128;
                    assert_eq!(t.eval(term, &model), expected, "{kind:?} of {a:x} and {b:x}");
                }
                for kind in [FloatOp::Neg, FloatOp::Abs, FloatOp::CopySign] {
                    let term = op(&mut t, kind, bits, x, y).unwrap();
                    assert_eq!(
                        t.eval(term, &model),
                        float::op(kind, bits, a, b, 0) as u128,
                        "{kind:?} of {a:x}, {b:x}"
                    );
                }
            }
        }
    }

    #[test]
    fn conversions_are_those_of_the_machine() {
        let integers = [
            0,
            1,
            2,
            3,
            7,
            100,
            255,
            256,
            0x7fff,
            0x8000,
            0xffff,
            0x12_3456,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
        ];
        let mut cases: Vec<(CastOp, u8, u8, u64)> = Vec::new();
        for value in integers {
            for (from, to) in [(32, 64), (16, 64), (16, 32), (8, 32), (1, 64)] {
                cases.push((CastOp::SignedToFloat, from, to, value & ((1 << from) - 1)));
                cases.push((CastOp::UnsignedToFloat, from, to, value & ((1 << from) - 1)));
            }
        }
        cases.extend(floats(32).into_iter().map(|value| (CastOp::FloatToFloat, 32, 64, value)));
        for (kind, from, to, value) in cases {
            let (mut t, mut model) = (Terms::default(), Model::default());
            let unknown = given(&mut t, from, value, &mut model, 0);
            let term = cast(&mut t, kind, (from, to), unknown).unwrap();
            let expected = float::cast(kind, from, to, value as u128);
            assert_eq!(t.eval(term, &model), expected, "{kind:?} of {value:x}, {from} to {to} bits");
        }
    }

    #[test]
    fn what_rounds_is_left_alone() {
        let mut t = Terms::default();
        let (x, n) = (t.unknown(0, 0, 64), t.unknown(0, 1, 64));
        assert_eq!(op(&mut t, FloatOp::Add, 64, x, x), None);
        assert_eq!(cast(&mut t, CastOp::SignedToFloat, (64, 64), n), None);
        assert_eq!(cast(&mut t, CastOp::FloatToFloat, (64, 32), x), None);
        let m = t.unknown(0, 2, 32);
        assert_eq!(cast(&mut t, CastOp::SignedToFloat, (32, 32), m), None);
    }
}
