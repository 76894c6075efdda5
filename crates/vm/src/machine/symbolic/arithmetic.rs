//! Operations on numbers from outside, and the errors that they may be.

use crate::machine::float_terms;
use crate::machine::state::{Val, VmState};
use crate::machine::term_ops::{bin, bit_op, cmp, wraps_signed};
use crate::machine::{Halt, VmMachine, fail};
use crate::undefined::{Origin, Word};
use selvedge_ir::arith::mask;
use selvedge_ir::{BinOp, BitOp, CastOp, CmpOp, FloatCmp, FloatOp, Overflow, RmwOp};
use selvedge_machine::ErrorKind;
use selvedge_symbolic::Term;

impl VmMachine {
    /// Terms of two operands.
    pub(in crate::machine) fn terms_of(&self, x: Word, y: Word, width: u8) -> Option<(Term, Term)> {
        Some((self.as_term(x, width)?, self.as_term(y, width)?))
    }

    pub(in crate::machine) fn bin_outside(
        &self,
        state: &VmState,
        (op, bits, no_signed_wrap): (BinOp, u8, bool),
        x: Word,
        y: Word,
    ) -> Result<Word, Halt> {
        let facts = &state.facts;
        let Some((a, b)) = self.terms_of(x, y, bits) else {
            return Ok(Word::undefined(bits, Origin::LOST));
        };
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        if divides {
            let nonzero = self.is_nonzero(y, bits, "a divisor")?;
            self.ensure(facts, nonzero, || (ErrorKind::DivisionByZero, String::from("division by zero")))?;
        }
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let fits = self.with_terms(|t| {
                let smallest = t.constant(bits, 1 << (bits - 1));
                let minus = t.constant(bits, mask(bits));
                let (low, by) = (t.eq(a, smallest), t.eq(b, minus));
                let both = t.and(low, by);
                t.not(both)
            });
            let message = "the smallest number is divided by -1, which overflows";
            self.ensure(facts, fits, || (ErrorKind::DivisionByZero, String::from(message)))?;
        }
        if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            let near = self.with_terms(|t| {
                let width = t.constant(bits, bits as u128);
                t.ult(b, width)
            });
            let message = || format!("a number of {bits} bits is shifted by as many or more");
            self.ensure(facts, near, || (ErrorKind::UndefinedBehaviour, message()))?;
        }
        if no_signed_wrap && self.options.check_signed_overflow {
            let wraps = self.with_terms(|t| wraps_signed(t, op, bits, a, b));
            let Some(wraps) = wraps else {
                return fail(ErrorKind::Unsupported, format!("arithmetic on unknown inputs of {bits} bits"));
            };
            let fits = self.with_terms(|t| t.not(wraps));
            let message =
                || format!("signed overflow: {op:?} of unknown inputs in {bits} bits").to_lowercase();
            self.ensure(facts, fits, || (ErrorKind::Overflow, message()))?;
        }
        let result = self.with_terms(|t| bin(t, op, bits, a, b));
        Ok(self.of_term(result))
    }

    pub(in crate::machine) fn cmp_outside(&self, op: CmpOp, bits: u8, x: Word, y: Word) -> Word {
        match self.terms_of(x, y, bits) {
            Some((a, b)) => self.of_term(self.with_terms(|t| cmp(t, op, a, b))),
            None => Word::undefined(1, Origin::LOST),
        }
    }

    pub(in crate::machine) fn cast_outside(
        &self,
        state: &mut VmState,
        (op, from, to): (CastOp, u8, u8),
        value: Word,
    ) -> Word {
        let Some(term) = self.as_term(value, from) else { return Word::undefined(to, Origin::LOST) };
        match op {
            CastOp::Zext | CastOp::Trunc => self.of_term(self.with_terms(|t| t.zext(term, to))),
            CastOp::Sext => self.of_term(self.with_terms(|t| t.sext(term, to))),
            _ => match self.with_terms(|t| float_terms::cast(t, op, (from, to), term)) {
                Some(exact) => self.of_term(exact),
                None => self.opaque(state, to),
            },
        }
    }

    /// A float that nothing is known of.
    pub(in crate::machine) fn any_float(&self, state: &mut VmState, bits: u8) -> Val {
        self.opaque(state, bits).low()
    }

    /// What a number is after an operation on floats.
    pub(in crate::machine) fn float_outside(
        &self,
        state: &mut VmState,
        op: FloatOp,
        bits: u8,
        [a, b]: [Val; 2],
    ) -> Val {
        let of = |v: Val| self.as_term(Word::of(v, Val::known(0)), bits);
        let exact = of(a).and_then(|x| {
            let y = of(b).unwrap_or(x);
            self.with_terms(|t| float_terms::op(t, op, bits, x, y))
        });
        exact.map_or_else(|| self.any_float(state, bits), |term| self.of_term(term).low())
    }

    /// A comparison of floats.
    pub(in crate::machine) fn float_cmp_outside(
        &self,
        state: &mut VmState,
        cmp: FloatCmp,
        bits: u8,
        [a, b]: [Val; 2],
    ) -> Val {
        let of = |v: Val| self.as_term(Word::of(v, Val::known(0)), bits);
        let exact =
            of(a).zip(of(b)).and_then(|(x, y)| self.with_terms(|t| float_terms::cmp(t, cmp, bits, x, y)));
        exact.map_or_else(|| self.any_float(state, 1), |term| self.of_term(term).low())
    }

    /// The result, and whether it overflowed.
    pub(in crate::machine) fn overflowing_outside(
        &self,
        op: Overflow,
        bits: u8,
        x: Word,
        y: Word,
    ) -> (Word, Word) {
        let lost = (Word::undefined(bits, Origin::LOST), Word::undefined(1, Origin::LOST));
        let Some((a, b)) = self.terms_of(x, y, bits) else { return lost };
        let made = self.with_terms(|t| {
            let (plain, over) = match op {
                Overflow::SAdd => (BinOp::Add, wraps_signed(t, BinOp::Add, bits, a, b)?),
                Overflow::SSub => (BinOp::Sub, wraps_signed(t, BinOp::Sub, bits, a, b)?),
                Overflow::SMul => (BinOp::Mul, wraps_signed(t, BinOp::Mul, bits, a, b)?),
                Overflow::USub => (BinOp::Sub, t.ult(a, b)),
                Overflow::UAdd => {
                    let sum = t.add(a, b);
                    (BinOp::Add, t.ult(sum, a))
                }
                Overflow::UMul => {
                    let double = bits.checked_mul(2).filter(|w| *w <= 128)?;
                    let (x, y) = (t.zext(a, double), t.zext(b, double));
                    let product = t.mul(x, y);
                    let upper = t.extract(product, bits, bits);
                    let zero = t.constant(bits, 0);
                    let fits = t.eq(upper, zero);
                    (BinOp::Mul, t.not(fits))
                }
            };
            Some((bin(t, plain, bits, a, b), over))
        });
        made.map_or(lost, |(value, over)| (self.of_term(value), self.of_term(over)))
    }

    pub(in crate::machine) fn bits_outside(
        &self,
        state: &mut VmState,
        op: BitOp,
        bits: u8,
        value: Word,
    ) -> Result<Word, Halt> {
        let Some(term) = self.as_term(value, bits) else { return Ok(Word::undefined(bits, Origin::LOST)) };
        if matches!(op, BitOp::CtlzNonzero | BitOp::CttzNonzero) {
            let nonzero = self.is_nonzero(value, bits, "a number")?;
            let message = "the zeros of 0 are counted, of which there is no number";
            self.ensure(&state.facts, nonzero, || (ErrorKind::UndefinedBehaviour, String::from(message)))?;
        }
        Ok(self.of_term(self.with_terms(|t| bit_op(t, op, bits, term))))
    }

    pub(in crate::machine) fn funnel_outside(
        &self,
        left: bool,
        bits: u8,
        a: Word,
        b: Word,
        amount: Word,
    ) -> Word {
        let lost = Word::undefined(bits, Origin::LOST);
        if bits > 64 || !amount.is_defined() {
            return lost;
        }
        let Some((a, b)) = self.terms_of(a, b, bits) else { return lost };
        let by = (amount.bits % bits as u128) as u8;
        let low = if left { bits - by } else { by };
        self.of_term(self.with_terms(|t| {
            let both = t.concat(a, b);
            t.extract(both, low, bits)
        }))
    }

    /// What a read-modify-write leaves behind.
    pub(in crate::machine) fn rmw_outside(&self, op: RmwOp, bits: u8, old: Word, operand: Word) -> Word {
        if op == RmwOp::Xchg {
            return operand.narrowed(bits);
        }
        let Some((a, b)) = self.terms_of(old, operand, bits) else {
            return Word::undefined(bits, Origin::LOST);
        };
        self.of_term(self.with_terms(|t| {
            let plain = match op {
                RmwOp::Xchg => return b,
                RmwOp::Nand => {
                    let both = t.and(a, b);
                    return t.not(both);
                }
                RmwOp::Add => BinOp::Add,
                RmwOp::Sub => BinOp::Sub,
                RmwOp::And => BinOp::And,
                RmwOp::Or => BinOp::Or,
                RmwOp::Xor => BinOp::Xor,
                RmwOp::Max => BinOp::SMax,
                RmwOp::Min => BinOp::SMin,
                RmwOp::UMax => BinOp::UMax,
                RmwOp::UMin => BinOp::UMin,
            };
            bin(t, plain, bits, a, b)
        }))
    }
}
