//! Values of which some bits are undefined, and what operations make of them.
//!
//! `u` has a bit for each undefined one of `b`, as in memcheck's V bits. Where the sanitizers are less exact
//! than the rules here, [`Inexact`] says so: what they report then is not comparable.

/// A value of up to 128 bits. Bits of `b` that are undefined are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    pub b: u128,
    pub u: u128,
}

/// Where the rules of a sanitizer give something else for the same operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inexact {
    pub msan: Option<&'static str>,
    pub memcheck: Option<&'static str>,
    /// The rules here do not say.
    pub nobody: Option<&'static str>,
}

impl Inexact {
    fn both(class: &'static str) -> Inexact {
        Inexact { msan: Some(class), memcheck: Some(class), nobody: None }
    }
}

pub fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn sign_extend(value: u128, bits: u32) -> u128 {
    ((value << (128 - bits)) as i128 >> (128 - bits)) as u128
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cmp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

impl Bits {
    pub fn of(b: u128) -> Bits {
        Bits { b, u: 0 }
    }

    pub fn undefined(bits: u32) -> Bits {
        Bits { b: 0, u: mask(bits) }
    }

    pub fn is_defined(self) -> bool {
        self.u == 0
    }

    fn new(b: u128, u: u128, bits: u32) -> Bits {
        let u = u & mask(bits);
        Bits { b: b & mask(bits) & !u, u }
    }

    /// The smallest and the largest of the values that this may be.
    fn range(self) -> (u128, u128) {
        (self.b, self.b | self.u)
    }

    fn signed_range(self, bits: u32) -> (i128, i128) {
        let sign = 1u128 << (bits - 1);
        let least = self.b | (self.u & sign);
        let most = self.b | (self.u & !sign);
        (sign_extend(least, bits) as i128, sign_extend(most, bits) as i128)
    }

    pub fn zext(self) -> Bits {
        self
    }

    pub fn trunc(self, bits: u32) -> Bits {
        Bits::new(self.b, self.u, bits)
    }

    pub fn sext(self, from: u32, to: u32) -> Bits {
        Bits::new(sign_extend(self.b, from), sign_extend(self.u, from), to)
    }

    /// One of two, by a condition that may be undefined.
    pub fn select(cond: Bits, a: Bits, b: Bits, bits: u32) -> Bits {
        match (cond.is_defined(), cond.b & 1) {
            (true, 1) => a,
            (true, _) => b,
            _ => Bits::new(a.b, a.u | b.u | (a.b ^ b.b), bits),
        }
    }
}

/// Both operands have this many bits. The divisor is defined and not 0.
pub fn apply(op: Op, x: Bits, y: Bits, bits: u32) -> (Bits, Inexact) {
    let any = x.u | y.u;
    let exact = Inexact::default();
    let ((x0, x1), (y0, y1)) = (x.range(), y.range());
    match op {
        Op::And => (Bits::new(x.b & y.b, x.u & y.u | x.u & y.b | y.u & x.b, bits), exact),
        Op::Or => (Bits::new(x.b | y.b, x.u & y.u | x.u & !y.b | y.u & !x.b, bits), exact),
        Op::Xor => (Bits::new(x.b ^ y.b, any, bits), itself(x, y)),
        Op::Add | Op::Sub => {
            let (least, most) = match op {
                Op::Add => (x0.wrapping_add(y0), x1.wrapping_add(y1)),
                _ => (x0.wrapping_sub(y1), x1.wrapping_sub(y0)),
            };
            let result = Bits::new(least, any | (least ^ most), bits);
            // MemorySanitizer ignores carries; memcheck does not look at them closely for fewer than 32 bits.
            let msan = (result.u != any).then_some("add");
            let narrow = (bits < 32 && any != 0).then_some("narrow add");
            let memcheck = itself(x, y).memcheck.filter(|_| op == Op::Sub).or(narrow);
            (result, Inexact { msan, memcheck, nobody: None })
        }
        Op::Mul => {
            let zeros = |v: Bits| (v.b | v.u | !mask(bits)).trailing_zeros();
            let lowest = |v: Bits, other: Bits| match v.u {
                0 => u32::MAX,
                _ if other.b | other.u == 0 => u32::MAX,
                u => u.trailing_zeros() + zeros(other),
            };
            let from = lowest(x, y).min(lowest(y, x));
            let undefined = if from >= bits { 0 } else { mask(bits) & !mask(from) };
            let result = Bits::new(x.b.wrapping_mul(y.b), undefined, bits);
            // All rules agree if nothing is left, and if nothing was undefined.
            let agree = any == 0 || any == mask(bits) && undefined == mask(bits);
            (result, if agree { exact } else { Inexact::both("mul") })
        }
        Op::Shl | Op::LShr | Op::AShr => {
            if y.u != 0 {
                let why = Inexact { nobody: Some("shift by an undefined amount"), ..exact };
                return (Bits::undefined(bits), why);
            }
            let by = y.b as u32;
            let shift = |v: u128| match op {
                Op::Shl => v << by,
                Op::LShr => v >> by,
                _ => (sign_extend(v, bits) as i128 >> by) as u128,
            };
            (Bits::new(shift(x.b), shift(x.u), bits), exact)
        }
        Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
            if x.u != 0 {
                let why = Inexact { nobody: Some("division of an undefined value"), ..exact };
                return (Bits::undefined(bits), why);
            }
            let (s, t) = (sign_extend(x.b, bits) as i128, sign_extend(y.b, bits) as i128);
            let value = match op {
                Op::UDiv => x.b / y.b,
                Op::URem => x.b % y.b,
                Op::SDiv => s.wrapping_div(t) as u128,
                _ => s.wrapping_rem(t) as u128,
            };
            (Bits::new(value, 0, bits), exact)
        }
    }
}

pub fn compare(cmp: Cmp, x: Bits, y: Bits, bits: u32) -> (Bits, Inexact) {
    let any = x.u | y.u;
    let answer = match cmp {
        Cmp::Eq | Cmp::Ne => {
            if (x.b ^ y.b) & !any != 0 {
                Some(cmp == Cmp::Ne)
            } else {
                (any == 0).then_some(cmp == Cmp::Eq)
            }
        }
        Cmp::Ult | Cmp::Uge => below(x.range(), y.range()).map(|r| r == (cmp == Cmp::Ult)),
        Cmp::Ugt | Cmp::Ule => below(y.range(), x.range()).map(|r| r == (cmp == Cmp::Ugt)),
        Cmp::Slt | Cmp::Sge => {
            below(x.signed_range(bits), y.signed_range(bits)).map(|r| r == (cmp == Cmp::Slt))
        }
        Cmp::Sgt | Cmp::Sle => {
            below(y.signed_range(bits), x.signed_range(bits)).map(|r| r == (cmp == Cmp::Sgt))
        }
    };
    let result = answer.map_or(Bits::undefined(1), |yes| Bits::of(yes as u128));
    let ordered = !matches!(cmp, Cmp::Eq | Cmp::Ne);
    let close = ordered && any != 0 && answer.is_some();
    (result, if close { Inexact::both("order of partly undefined values") } else { itself(x, y) })
}

/// memcheck runs on code in which `x ^ x`, `x - x` and `x == x` are known to be constant.
fn itself(x: Bits, y: Bits) -> Inexact {
    let same = x == y && x.u != 0;
    Inexact { memcheck: same.then_some("a value and itself"), ..Inexact::default() }
}

/// Whether every value of the first is below every value of the second, or none is.
fn below<T: Ord>(x: (T, T), y: (T, T)) -> Option<bool> {
    if x.1 < y.0 {
        Some(true)
    } else if x.0 >= y.1 {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values of so many bits, with all choices of undefined ones.
    fn all(bits: u32) -> Vec<Bits> {
        let n = 1u128 << bits;
        (0..n).flat_map(|u| (0..n).filter(move |b| b & u == 0).map(move |b| Bits { b, u })).collect()
    }

    fn values(v: Bits) -> Vec<u128> {
        (0..=v.u).filter(|w| w & !v.u == 0).map(|w| v.b | w).collect()
    }

    /// What bits all results agree on.
    fn join(results: impl Iterator<Item = u128>, bits: u32) -> Bits {
        let (mut ones, mut zeros) = (mask(bits), mask(bits));
        results.for_each(|r| (ones, zeros) = (ones & r, zeros & !r));
        Bits { b: ones, u: mask(bits) & !ones & !zeros }
    }

    #[test]
    fn operations_are_what_all_values_agree_on() {
        let n = 3;
        for x in all(n) {
            for y in all(n) {
                let pairs = || values(x).into_iter().flat_map(|a| values(y).into_iter().map(move |b| (a, b)));
                let truth = |f: fn(u128, u128) -> u128| join(pairs().map(|(a, b)| f(a, b) & mask(n)), n);
                assert_eq!(apply(Op::Add, x, y, n).0, truth(u128::wrapping_add), "{x:?} + {y:?}");
                assert_eq!(apply(Op::Sub, x, y, n).0, truth(u128::wrapping_sub), "{x:?} - {y:?}");
                assert_eq!(apply(Op::And, x, y, n).0, truth(|a, b| a & b));
                assert_eq!(apply(Op::Or, x, y, n).0, truth(|a, b| a | b));
                assert_eq!(apply(Op::Xor, x, y, n).0, truth(|a, b| a ^ b));
                // Products keep what is certain, and nothing that is not.
                let (product, certain) = (apply(Op::Mul, x, y, n).0, truth(u128::wrapping_mul));
                assert_eq!(
                    (product.u & certain.u, product.b & !product.u),
                    (certain.u, certain.b & !product.u)
                );
                let decided = |f: fn(u128, u128) -> bool| join(pairs().map(|(a, b)| f(a, b) as u128), 1);
                assert_eq!(compare(Cmp::Eq, x, y, n).0, decided(|a, b| a == b));
                assert_eq!(compare(Cmp::Ult, x, y, n).0, decided(|a, b| a < b), "{x:?} < {y:?}");
                assert_eq!(compare(Cmp::Ule, x, y, n).0, decided(|a, b| a <= b));
                assert_eq!(
                    compare(Cmp::Sgt, x, y, n).0,
                    decided(|a, b| sign_extend(a, 3) as i128 > sign_extend(b, 3) as i128)
                );
                assert_eq!(
                    compare(Cmp::Sle, x, y, n).0,
                    decided(|a, b| sign_extend(a, 3) as i128 <= sign_extend(b, 3) as i128)
                );
            }
        }
    }
}
