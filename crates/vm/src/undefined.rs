//! Values of which some bits are undefined, and what operations make of them.
//!
//! A bit is defined or not, independent of all others; the undefined bits of a value are kept as 0. A bit of
//! a result is undefined if it is not the same for all values that the undefined bits of the operands may
//! have. This is exact for what moves, masks, shifts, adds, subtracts and compares; other operations on
//! undefined bits leave more of their result undefined than need be, never less. Two uses of one value may
//! differ: `x ^ x` is as undefined as `x`.
//!
//! An [`Origin`] remembers where undefined bits come from. It is for messages, so it takes no part in
//! comparisons, and of two only one is kept.
//!
//! Bits that come from outside are not undefined, but nobody knows what they are: they have an origin of
//! their own, a term (`selvedge_symbolic`), and that is what they are. Nothing here calculates with terms
//! (`machine/symbolic.rs` does): what it makes of them is *lost*, and to use it is not supported.

use selvedge_ir::arith::{self, mask, signed};
use selvedge_ir::{BinOp, BitOp, CastOp, CmpOp, Overflow, RmwOp};
use selvedge_symbolic::Term;

/// Where undefined bits come from: a number of [`crate::tables::Tables`], or nothing that is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin(pub u32);

impl Origin {
    /// From outside, but nobody knows how.
    pub const LOST: Origin = Origin(u32::MAX);

    /// Origins from here on are terms.
    const TERMS: u32 = 1 << 31;

    pub fn of_term(term: Term) -> Origin {
        Origin(Origin::TERMS | term.0)
    }

    /// The term that bits of this origin are part of.
    #[inline]
    pub fn term(self) -> Option<Term> {
        (self.0 >= Origin::TERMS && self != Origin::LOST).then_some(Term(self.0 & !Origin::TERMS))
    }

    /// Whether it is outside.
    #[inline]
    pub fn is_outside(self) -> bool {
        self.0 >= Origin::TERMS
    }

    /// Of what comes of values of two origins. If one is outside, it is not known which bits are undefined.
    pub fn or(self, other: Origin) -> Origin {
        if self.is_outside() || other.is_outside() { Origin::LOST } else { self }
    }

    /// Of what comes of a value of this origin.
    pub fn lost(self) -> Origin {
        if self.is_outside() { Origin::LOST } else { self }
    }

    /// Where there is something to compare: what the term is.
    fn compared(self) -> u32 {
        if self.is_outside() { self.0 } else { 0 }
    }
}

/// A value in a register.
#[derive(Clone, Copy, Debug)]
pub struct Val {
    pub bits: u64,
    pub undef: u64,
    pub origin: Origin,
}

impl PartialEq for Val {
    fn eq(&self, other: &Val) -> bool {
        (self.bits, self.undef) == (other.bits, other.undef) && {
            self.undef == 0 || self.origin.compared() == other.origin.compared()
        }
    }
}

impl Eq for Val {}

impl Val {
    #[inline]
    pub fn known(bits: u64) -> Val {
        Val { bits, undef: 0, origin: Origin(0) }
    }

    pub fn undefined(origin: Origin) -> Val {
        Val { bits: 0, undef: u64::MAX, origin }
    }

    #[inline]
    pub fn is_defined(self) -> bool {
        self.undef == 0
    }

    /// Whether some of it comes from outside.
    #[inline]
    pub fn is_outside(self) -> bool {
        self.undef != 0 && self.origin.is_outside()
    }
}

/// A value of up to 128 bits, in one register or two.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub bits: u128,
    pub undef: u128,
    pub origin: Origin,
}

impl Word {
    pub fn known(bits: u128) -> Word {
        Word { bits, undef: 0, origin: Origin(0) }
    }

    pub fn undefined(width: u8, origin: Origin) -> Word {
        Word { bits: 0, undef: mask(width), origin }
    }

    pub fn of(low: Val, high: Val) -> Word {
        let origin = match (low.undef != 0, high.undef != 0) {
            (true, true) => low.origin.or(high.origin),
            (true, false) => low.origin,
            // A term stands for the lowest bits.
            _ => high.origin.lost(),
        };
        let wide = |low: u64, high: u64| (high as u128) << 64 | low as u128;
        Word { bits: wide(low.bits, high.bits), undef: wide(low.undef, high.undef), origin }
    }

    pub fn low(self) -> Val {
        Val { bits: self.bits as u64, undef: self.undef as u64, origin: self.origin }
    }

    pub fn high(self) -> Val {
        let undef = (self.undef >> 64) as u64;
        Val { bits: (self.bits >> 64) as u64, undef, origin: self.origin.lost() }
    }

    /// The lowest `width` bits.
    pub fn narrowed(self, width: u8) -> Word {
        self.with(self.bits & mask(width), self.undef & mask(width))
    }

    fn with(self, bits: u128, undef: u128) -> Word {
        Word { bits: bits & !undef, undef, origin: self.origin }
    }

    pub fn is_defined(self) -> bool {
        self.undef == 0
    }

    /// Whether some of it comes from outside.
    #[inline]
    pub fn is_outside(self) -> bool {
        self.undef != 0 && self.origin.is_outside()
    }

    /// The largest value, read as a number without a sign; the smallest one is `bits`.
    fn max(self) -> u128 {
        self.bits | self.undef
    }

    /// The smallest and the largest value, read as numbers with a sign.
    fn signed_range(self, width: u8) -> (i128, i128) {
        let sign = (1 << (width - 1)) & self.undef;
        (signed(self.bits | sign, width), signed(self.max() & !sign, width))
    }
}

/// The origin of what comes of two values.
pub fn origin(a: Word, b: Word) -> Origin {
    match (a.is_defined(), b.is_defined()) {
        (false, false) => a.origin.or(b.origin),
        (false, true) => a.origin.lost(),
        _ => b.origin.lost(),
    }
}

/// `a op b`, where at least one of them is not wholly defined. Shifts are not too far and divisors are not 0.
pub fn bin(op: BinOp, width: u8, a: Word, b: Word) -> Word {
    let (a, b) = (a.narrowed(width), b.narrowed(width));
    let result = Word { bits: 0, undef: 0, origin: origin(a, b) };
    let all = result.with(0, mask(width));
    let m = mask(width);
    match op {
        BinOp::And => result.with(a.bits & b.bits, (a.undef | b.undef) & a.max() & b.max()),
        BinOp::Or => result.with(a.bits | b.bits, (a.undef | b.undef) & !a.bits & !b.bits),
        BinOp::Xor => result.with(a.bits ^ b.bits, a.undef | b.undef),
        BinOp::Add => sum(width, a, b, false, result),
        // `a - b` is `a + !b + 1`.
        BinOp::Sub => sum(width, a, b.with(!b.bits & m & !b.undef, b.undef), true, result),
        BinOp::Mul => {
            if (a.undef == 0 && a.bits == 0) || (b.undef == 0 && b.bits == 0) {
                return Word::known(0);
            }
            // An undefined bit matters from where the lowest bit of the other number moves it to.
            let from = |x: Word, y: Word| x.undef.trailing_zeros().saturating_add(y.max().trailing_zeros());
            let lowest = from(a, b).min(from(b, a));
            let undef = if lowest < width as u32 { m & (u128::MAX << lowest) } else { 0 };
            result.with(a.bits.wrapping_mul(b.bits) & m, undef)
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr if b.undef == 0 => {
            let moved = |bits: u128| arith::bin(op, width, bits, b.bits).unwrap_or(0);
            result.with(moved(a.bits), moved(a.undef))
        }
        BinOp::URem if b.undef == 0 && b.bits.is_power_of_two() => {
            result.with(a.bits & (b.bits - 1), a.undef & (b.bits - 1))
        }
        BinOp::URem if b.undef == 0 && b.bits != 0 => result.with(0, fill(b.bits - 1)),
        BinOp::UDiv if b.undef == 0 && b.bits != 0 => result.with(0, fill(a.max() / b.bits)),
        _ => all,
    }
}

/// All bits up to the highest one of a number.
fn fill(number: u128) -> u128 {
    u128::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

/// A bit of a sum is known if those of the summands are, and the carry into it is: it is where the smallest
/// and the largest sum have the same.
fn sum(width: u8, a: Word, b: Word, carry: bool, result: Word) -> Word {
    let carries = |x: u128, y: u128| x.wrapping_add(y).wrapping_add(carry as u128) ^ x ^ y;
    let unknown = carries(a.bits, b.bits) ^ carries(a.max(), b.max());
    let undef = (a.undef | b.undef | unknown) & mask(width);
    result.with(a.bits.wrapping_add(b.bits).wrapping_add(carry as u128) & mask(width), undef)
}

/// Whether a comparison holds; undefined if it depends on undefined bits.
pub fn cmp(op: CmpOp, width: u8, a: Word, b: Word) -> Word {
    let (a, b) = (a.narrowed(width), b.narrowed(width));
    let unknown = Word { bits: 0, undef: 1, origin: origin(a, b) };
    let decided = |known: Option<bool>| known.map_or(unknown, |holds| Word::known(holds as u128));
    // What is less for all values, or greater or equal for all.
    let less = |(a, b): ((i128, i128), (i128, i128))| {
        if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) }
    };
    // The order of numbers without a sign is that of numbers with one, moved.
    let unsigned = |w: Word| ((w.bits ^ 1 << 127) as i128, (w.max() ^ 1 << 127) as i128);
    let ordered = |a: Word, b: Word, is_signed: bool| {
        let range = |w: Word| if is_signed { w.signed_range(width) } else { unsigned(w) };
        less((range(a), range(b)))
    };
    let differ = (a.bits ^ b.bits) & !a.undef & !b.undef != 0;
    let equal = if differ { Some(false) } else { (a.undef | b.undef == 0).then_some(true) };
    let not = |known: Option<bool>| known.map(|holds| !holds);
    decided(match op {
        CmpOp::Eq => equal,
        CmpOp::Ne => not(equal),
        CmpOp::Ult => ordered(a, b, false),
        CmpOp::Uge => not(ordered(a, b, false)),
        CmpOp::Ugt => ordered(b, a, false),
        CmpOp::Ule => not(ordered(b, a, false)),
        CmpOp::Slt => ordered(a, b, true),
        CmpOp::Sge => not(ordered(a, b, true)),
        CmpOp::Sgt => ordered(b, a, true),
        CmpOp::Sle => not(ordered(b, a, true)),
    })
}

/// One of two values by an undefined condition: defined where they agree.
pub fn select(cond: Val, a: Val, b: Val) -> Val {
    let undef = a.undef | b.undef | (a.bits ^ b.bits);
    let of = |val: Val, other: Origin| if val.undef != 0 { other.or(val.origin) } else { other };
    Val { bits: a.bits & !undef, undef, origin: of(b, of(a, cond.origin.lost())) }
}

pub fn cast(op: CastOp, from: u8, to: u8, value: Word) -> Word {
    let value = Word { origin: value.origin.lost(), ..value.narrowed(from) };
    let moved = |bits: u128| crate::float::cast(op, from, to, bits);
    match op {
        CastOp::Zext | CastOp::Trunc | CastOp::Sext => value.with(moved(value.bits), moved(value.undef)),
        _ => Word::undefined(to, value.origin.lost()),
    }
}

pub fn bit_op(op: BitOp, width: u8, value: Word) -> Word {
    let value = Word { origin: value.origin.lost(), ..value.narrowed(width) };
    let moved = |bits: u128| arith::bit_op(op, width, bits);
    match op {
        BitOp::Bswap | BitOp::BitReverse => value.with(moved(value.bits), moved(value.undef)),
        // The first one may be known although bits behind it are not.
        BitOp::Ctlz if moved(value.bits) == moved(value.max()) => Word::known(moved(value.bits)),
        BitOp::Cttz if moved(value.bits) == moved(value.max()) => Word::known(moved(value.bits)),
        _ => Word::undefined(width, value.origin.lost()),
    }
}

pub fn funnel(left: bool, width: u8, a: Word, b: Word, amount: Word) -> Word {
    let (a, b) = (a.narrowed(width), b.narrowed(width));
    let amount = amount.narrowed(width);
    if amount.undef != 0 {
        return Word::undefined(width, amount.origin.lost());
    }
    let moved = |a: u128, b: u128| arith::funnel(left, width, a, b, amount.bits);
    let result = Word { bits: 0, undef: 0, origin: origin(a, b) };
    result.with(moved(a.bits, b.bits), moved(a.undef, b.undef))
}

/// The result of an operation that may overflow; whether it does is not known.
pub fn overflowing(op: Overflow, width: u8, a: Word, b: Word) -> Word {
    let op = match op {
        Overflow::SAdd | Overflow::UAdd => BinOp::Add,
        Overflow::SSub | Overflow::USub => BinOp::Sub,
        Overflow::SMul | Overflow::UMul => BinOp::Mul,
    };
    bin(op, width, a, b)
}

/// What a read-modify-write leaves behind.
pub fn rmw(op: RmwOp, width: u8, old: Word, operand: Word) -> Word {
    let (old, operand) = (old.narrowed(width), operand.narrowed(width));
    if old.undef | operand.undef == 0 {
        return Word::known(arith::rmw(op, width, old.bits, operand.bits));
    }
    let combined = |op| bin(op, width, old, operand);
    match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => combined(BinOp::Add),
        RmwOp::Sub => combined(BinOp::Sub),
        RmwOp::And => combined(BinOp::And),
        RmwOp::Or => combined(BinOp::Or),
        RmwOp::Xor => combined(BinOp::Xor),
        RmwOp::Nand => {
            let and = combined(BinOp::And);
            and.with(!and.bits & mask(width), and.undef)
        }
        RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => Word::undefined(width, origin(old, operand)),
    }
}

/// Whether a compare-and-exchange finds what it expects. `None` if that depends on bits of which only one is
/// defined. Bits that neither value has ever set are taken for padding, which agrees.
pub fn found(width: u8, old: Word, expected: Word) -> Option<bool> {
    let (old, expected) = (old.narrowed(width), expected.narrowed(width));
    if (old.bits ^ expected.bits) & !old.undef & !expected.undef != 0 {
        return Some(false);
    }
    (old.undef == expected.undef && old.undef != mask(width)).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values that the undefined bits may make of a word.
    fn values(w: Word, width: u8) -> Vec<u128> {
        (0..1u128 << width).filter(|v| v & !w.undef == w.bits).collect()
    }

    /// Every value of `width` bits with every set of undefined bits.
    fn words(width: u8) -> Vec<Word> {
        let all = 0..1u128 << width;
        let word =
            |undef: u128, bits: u128| (bits & undef == 0).then_some(Word { bits, undef, origin: Origin(7) });
        all.clone().flat_map(|undef| all.clone().filter_map(move |bits| word(undef, bits))).collect()
    }

    /// The bits that all results agree on, and the others.
    fn join(results: impl Iterator<Item = u128>) -> (u128, u128) {
        let (all, any) = results.fold((u128::MAX, 0), |(all, any), r| (all & r, any | r));
        (all, any & !all)
    }

    fn for_pairs(width: u8, mut check: impl FnMut(Word, Word)) {
        for a in words(width) {
            for b in words(width) {
                check(a, b);
            }
        }
    }

    #[test]
    fn what_is_exact_leaves_undefined_just_the_bits_that_may_differ() {
        const W: u8 = 4;
        use BinOp::*;
        for_pairs(W, |a, b| {
            for op in [And, Or, Xor, Add, Sub, Shl, LShr, AShr] {
                if matches!(op, Shl | LShr | AShr) && (b.undef != 0 || b.bits >= W as u128) {
                    continue;
                }
                let of = |x| values(b, W).into_iter().map(move |y| arith::bin(op, W, x, y).unwrap());
                let (bits, undef) = join(values(a, W).into_iter().flat_map(of));
                let got = bin(op, W, a, b);
                assert_eq!((got.bits, got.undef), (bits, undef), "{op:?} {a:?} {b:?}");
            }
        });
    }

    #[test]
    fn other_operations_define_no_bit_that_may_differ() {
        const W: u8 = 4;
        use BinOp::*;
        for_pairs(W, |a, b| {
            for op in [Mul, UDiv, URem, SDiv, SRem, UMin, SMax, UAddSat, SSubSat] {
                let of = |x| values(b, W).into_iter().filter_map(move |y| arith::bin(op, W, x, y).ok());
                let results: Vec<u128> = values(a, W).into_iter().flat_map(of).collect();
                let got = bin(op, W, a, b);
                let fits = |r: &u128| r & !got.undef == got.bits;
                if a.undef | b.undef != 0 && b.bits != 0 {
                    assert!(results.iter().all(fits), "{op:?} {a:?} {b:?}: {got:?}");
                }
            }
        });
    }

    #[test]
    fn comparisons_are_undefined_just_if_they_may_go_both_ways() {
        const W: u8 = 4;
        use CmpOp::*;
        for_pairs(W, |a, b| {
            for op in [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge] {
                let of = |x| values(b, W).into_iter().map(move |y| arith::cmp(op, W, x, y) as u128);
                let (bits, undef) = join(values(a, W).into_iter().flat_map(of));
                let got = cmp(op, W, a, b);
                assert_eq!((got.bits, got.undef), (bits, undef), "{op:?} {a:?} {b:?}");
            }
        });
    }

    #[test]
    fn casts_and_bit_operations_move_undefined_bits_along() {
        for a in words(8) {
            for (op, to) in [(CastOp::Zext, 16), (CastOp::Sext, 16), (CastOp::Trunc, 3)] {
                let (bits, undef) = join(values(a, 8).into_iter().map(|v| crate::float::cast(op, 8, to, v)));
                let got = cast(op, 8, to, a);
                assert_eq!((got.bits, got.undef), (bits, undef), "{op:?} {a:?}");
            }
            for op in [BitOp::Bswap, BitOp::BitReverse, BitOp::Ctlz, BitOp::Cttz, BitOp::Ctpop] {
                let got = bit_op(op, 8, a);
                let fits = |v: u128| arith::bit_op(op, 8, v) & !got.undef == got.bits;
                assert!(values(a, 8).into_iter().all(fits), "{op:?} {a:?}");
            }
        }
    }
}
