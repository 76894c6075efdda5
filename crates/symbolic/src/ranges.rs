//! What facts say of the size of terms: a quick look before anything is solved.
//!
//! A term of `n` bits has a range as a number without a sign and one as a number with a sign. Facts that
//! compare a term with a number bound it; those of a term follow from those of its parts. Whether a sum or
//! a product fits is decided by this in almost all programs, where gates would have to be counted through.
//!
//! Ranges are never too small: what is decided here is decided. They may be too large, and then this says
//! nothing.

use crate::term::{Node, Term, Terms, mask, signed, whole};
use std::collections::HashMap;

/// Bounds, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    low: u128,
    high: u128,
    least: i128,
    most: i128,
}

impl Range {
    fn all(width: u8) -> Range {
        let sign = 1u128 << (width - 1);
        let (least, most) = (signed(sign, width), signed(sign - 1, width));
        let most = if width == 1 { 0 } else { most };
        Range { low: 0, high: mask(width), least, most }
    }

    fn one(value: u128, width: u8) -> Range {
        let number = signed(value, width);
        Range { low: value, high: value, least: number, most: number }
    }

    /// From bounds of true results, where they fit.
    fn unsigned(width: u8, bounds: Option<(u128, u128)>) -> Range {
        let mut range = Range::all(width);
        if let Some((low, high)) = bounds.filter(|(low, high)| low <= high && *high <= mask(width)) {
            (range.low, range.high) = (low, high);
        }
        range
    }

    fn with_sign(width: u8, bounds: Option<(i128, i128)>) -> Range {
        let mut range = Range::all(width);
        let fits =
            |(least, most): &(i128, i128)| least <= most && *least >= range.least && *most <= range.most;
        if let Some((least, most)) = bounds.filter(fits) {
            (range.least, range.most) = (least, most);
        }
        range
    }

    /// What both say; nothing if they contradict each other.
    fn and(self, other: Range) -> Range {
        let both = Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        };
        if both.low > both.high || both.least > both.most { self } else { both }
    }

    /// Where the sign is known, one range follows from the other.
    fn settled(mut self, width: u8) -> Range {
        let sign = 1u128 << (width - 1);
        for _ in 0..2 {
            if self.high < sign {
                self = self.and(Range { least: self.low as i128, most: self.high as i128, ..self });
            } else if self.low >= sign {
                let (least, most) = (signed(self.low, width), signed(self.high, width));
                self = self.and(Range { least, most, ..self });
            }
            if self.least >= 0 {
                self = self.and(Range { low: self.least as u128, high: self.most as u128, ..self });
            } else if self.most < 0 {
                let m = mask(width);
                self = self.and(Range { low: self.least as u128 & m, high: self.most as u128 & m, ..self });
            }
        }
        self
    }
}

/// What is known of terms.
pub struct Ranges<'t> {
    terms: &'t Terms,
    known: HashMap<Term, Range>,
    bounds: HashMap<Term, Range>,
}

impl<'t> Ranges<'t> {
    pub fn of(terms: &'t Terms, facts: &[Term]) -> Ranges<'t> {
        let mut ranges = Ranges { terms, known: HashMap::new(), bounds: HashMap::new() };
        facts.iter().for_each(|fact| ranges.bound(*fact, true));
        ranges
    }

    /// Takes in a condition that holds, or does not.
    fn bound(&mut self, fact: Term, holds: bool) {
        let terms = self.terms;
        let number = |t: Term| terms.as_const(t);
        match *terms.node(fact) {
            Node::Xor(inner, one) if number(one).is_some() => self.bound(inner, !holds),
            Node::And(a, b) if holds => [a, b].into_iter().for_each(|part| self.bound(part, true)),
            Node::Or(a, b) if !holds => [a, b].into_iter().for_each(|part| self.bound(part, false)),
            Node::Eq(a, b) if holds => {
                if let Some(value) = number(b) {
                    self.narrow(a, Range::one(value, terms.width(a)));
                }
            }
            Node::Ult(a, b) => {
                let all = |t: Term| Range::all(terms.width(t));
                match (number(a), number(b), holds) {
                    (_, Some(y), true) if y > 0 => self.narrow(a, Range { high: y - 1, ..all(a) }),
                    (_, Some(y), false) => self.narrow(a, Range { low: y, ..all(a) }),
                    (Some(x), _, true) if x < all(b).high => self.narrow(b, Range { low: x + 1, ..all(b) }),
                    (Some(x), _, false) => self.narrow(b, Range { high: x, ..all(b) }),
                    _ => {}
                }
            }
            Node::Slt(a, b) => {
                let all = |t: Term| Range::all(terms.width(t));
                let sign = |t: Term| number(t).map(|v| signed(v, terms.width(t)));
                match (sign(a), sign(b), holds) {
                    (_, Some(y), true) if y > all(a).least => self.narrow(a, Range { most: y - 1, ..all(a) }),
                    (_, Some(y), false) => self.narrow(a, Range { least: y, ..all(a) }),
                    (Some(x), _, true) if x < all(b).most => self.narrow(b, Range { least: x + 1, ..all(b) }),
                    (Some(x), _, false) => self.narrow(b, Range { most: x, ..all(b) }),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn narrow(&mut self, term: Term, range: Range) {
        let before = self.bounds.get(&term).copied().unwrap_or(Range::all(self.terms.width(term)));
        self.bounds.insert(term, before.and(range));
    }

    /// Whether a condition holds for sure, or not for sure.
    pub fn decides(&mut self, condition: Term) -> Option<bool> {
        let range = self.range(condition);
        (range.low == range.high).then_some(range.low == 1)
    }

    fn range(&mut self, term: Term) -> Range {
        let mut todo = vec![term];
        while let Some(&next) = todo.last() {
            if self.known.contains_key(&next) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            self.terms.for_operands(next, |part| {
                if !self.known.contains_key(&part) {
                    todo.push(part);
                }
            });
            if todo.len() == before {
                todo.pop();
                let width = self.terms.width(next);
                let mut range = self.of_node(next).settled(width);
                if let Some(bound) = self.bounds.get(&next) {
                    range = range.and(*bound).settled(width);
                }
                self.known.insert(next, range);
            }
        }
        self.known[&term]
    }

    /// What bits are, if those that they are made of are known.
    fn of_known_parts(&self, term: Term) -> Option<u128> {
        let known = |t: &Term| Some(self.known[t]).filter(|r| r.low == r.high).map(|r| r.low);
        match self.terms.node(term) {
            Node::And(a, b) => Some(known(a)? & known(b)?),
            Node::Or(a, b) => Some(known(a)? | known(b)?),
            Node::Xor(a, b) => Some(known(a)? ^ known(b)?),
            _ => None,
        }
    }

    fn of_node(&self, term: Term) -> Range {
        let width = self.terms.width(term);
        if let Some(value) = self.of_known_parts(term) {
            return Range::one(value, width);
        }
        let all = Range::all(width);
        let of = |t: &Term| self.known[t];
        let decided = |holds: Option<bool>| holds.map_or(Range::all(1), |holds| Range::one(holds as u128, 1));
        match self.terms.node(term) {
            Node::Const { low, high, .. } => Range::one(whole(*low, *high), width),
            Node::Sum { parts, low, high, .. } => {
                // Each factor with or without a sign, whichever is smaller.
                let plus = whole(*low, *high);
                let mut exact = Some((signed(plus, width), signed(plus, width)));
                let mut without = Some((plus, plus));
                for (part, low, high) in parts {
                    let (factor, range) = (whole(*low, *high), of(part));
                    let by = signed(factor, width);
                    let ends = (range.least.checked_mul(by), range.most.checked_mul(by));
                    exact = exact.and_then(|(least, most)| {
                        let (a, b) = (ends.0?, ends.1?);
                        Some((least.checked_add(a.min(b))?, most.checked_add(a.max(b))?))
                    });
                    without = without.and_then(|(low, high)| {
                        let (a, b) = (range.low.checked_mul(factor)?, range.high.checked_mul(factor)?);
                        Some((low.checked_add(a)?, high.checked_add(b)?))
                    });
                }
                Range::with_sign(width, exact).and(Range::unsigned(width, without))
            }
            Node::Mul(a, b) => {
                let (x, y) = (of(a), of(b));
                let ends = [(x.least, y.least), (x.least, y.most), (x.most, y.least), (x.most, y.most)];
                let products: Option<Vec<i128>> = ends.iter().map(|(x, y)| x.checked_mul(*y)).collect();
                let exact = products.and_then(|p| Some((*p.iter().min()?, *p.iter().max()?)));
                let without = x.low.checked_mul(y.low).zip(x.high.checked_mul(y.high));
                Range::with_sign(width, exact).and(Range::unsigned(width, without))
            }
            Node::UDiv(a, b) => {
                let (x, y) = (of(a), of(b));
                let least = x.low.checked_div(y.high).filter(|_| y.low > 0).unwrap_or(0);
                Range::unsigned(width, Some((least, x.high.checked_div(y.low).unwrap_or(x.high))))
            }
            Node::URem(a, b) => {
                let (x, y) = (of(a), of(b));
                Range::unsigned(width, Some((0, x.high.min(y.high.saturating_sub(1)))))
            }
            Node::SDiv(a, b) => {
                let (x, y) = (of(a), of(b));
                // No quotient is larger than what is divided, but for the smallest number by -1.
                let far = x.least.unsigned_abs().max(x.most.unsigned_abs());
                let by = if y.least > 0 { y.least.unsigned_abs() } else { 1 };
                let far = i128::try_from(far / by).ok();
                Range::with_sign(width, far.map(|far| (-far, far)))
            }
            Node::SRem(a, b) => {
                let (x, y) = (of(a), of(b));
                let most = y.least.unsigned_abs().max(y.most.unsigned_abs()).saturating_sub(1);
                let far = |end: i128| i128::try_from(most.min(end.unsigned_abs())).unwrap_or(i128::MAX);
                let least = if x.least < 0 { -far(x.least) } else { 0 };
                Range::with_sign(width, Some((least, if x.most > 0 { far(x.most) } else { 0 })))
            }
            Node::And(a, b) => Range::unsigned(width, Some((0, of(a).high.min(of(b).high)))),
            Node::Or(a, b) | Node::Xor(a, b) => {
                let (x, y) = (of(a), of(b));
                let zeros = (x.high | y.high).leading_zeros();
                let low = if matches!(self.terms.node(term), Node::Or(..)) { x.low.max(y.low) } else { 0 };
                Range::unsigned(width, Some((low, u128::MAX.checked_shr(zeros).unwrap_or(0))))
            }
            Node::LShr(a, _) => Range::unsigned(width, Some((0, of(a).high))),
            Node::AShr(a, _) => {
                let x = of(a);
                Range::with_sign(width, Some((x.least.min(0), x.most.max(-1))))
            }
            Node::Extract { of: whole, low, .. } => {
                let x = of(whole);
                let fits = *low == 0 && x.high <= mask(width);
                let narrow = Range::unsigned(width, fits.then_some((x.low, x.high)));
                let exact = (*low == 0).then_some((x.least, x.most));
                narrow.and(Range::with_sign(width, exact))
            }
            Node::Concat(a, b) => {
                let (x, y, by) = (of(a), of(b), self.terms.width(*b));
                Range::unsigned(width, Some((x.low << by | y.low, x.high << by | y.high)))
            }
            Node::Sext { of: inner, .. } => {
                let x = of(inner);
                Range::with_sign(width, Some((x.least, x.most)))
            }
            Node::Eq(a, b) => {
                let (x, y) = (of(a), of(b));
                let apart = x.high < y.low || y.high < x.low || x.most < y.least || y.most < x.least;
                let same = x.low == x.high && y.low == y.high && x.low == y.low;
                decided(if apart { Some(false) } else { same.then_some(true) })
            }
            Node::Ult(a, b) => {
                let (x, y) = (of(a), of(b));
                decided(if x.high < y.low { Some(true) } else { (x.low >= y.high).then_some(false) })
            }
            Node::Slt(a, b) => {
                let (x, y) = (of(a), of(b));
                decided(if x.most < y.least { Some(true) } else { (x.least >= y.most).then_some(false) })
            }
            Node::Ite(c, a, b) => {
                let (c, x, y) = (of(c), of(a), of(b));
                match (c.low, c.high) {
                    (1, 1) => x,
                    (0, 0) => y,
                    _ => Range {
                        low: x.low.min(y.low),
                        high: x.high.max(y.high),
                        least: x.least.min(y.least),
                        most: x.most.max(y.most),
                    },
                }
            }
            Node::Unknown { .. } | Node::Opaque { .. } | Node::Shl(..) => all,
        }
    }
}
