//! Making terms, in a normal form.
//!
//! Sums are kept as multiples of other terms, so that what is added and taken away again leaves no trace;
//! parts of parts are parts of the whole, and neighbouring parts of something are one part: a number that
//! goes through memory byte by byte comes out as it was. The rest is what compilers write for conditions.

mod conditions;

use crate::eval::fold;
use crate::term::{Node, Term, Terms, halves, mask, signed, whole};

impl Terms {
    pub fn constant(&mut self, width: u8, value: u128) -> Term {
        let (low, high) = halves(value & mask(width));
        self.intern(Node::Const { width, low, high })
    }

    pub fn bool(&mut self, value: bool) -> Term {
        self.constant(1, value as u128)
    }

    pub fn unknown(&mut self, owner: u32, number: u32, width: u8) -> Term {
        self.intern(Node::Unknown { owner, number, width })
    }

    pub fn opaque(&mut self, owner: u32, number: u32, width: u8) -> Term {
        self.intern(Node::Opaque { owner, number, width })
    }

    // ---- sums ----

    /// The number that something is added to, if a term is a sum.
    pub fn known_part(&self, term: Term) -> u128 {
        self.parts(term).1
    }

    /// What a term is as a sum.
    fn parts(&self, term: Term) -> (Vec<(Term, u128)>, u128) {
        match *self.node(term) {
            Node::Const { low, high, .. } => (Vec::new(), whole(low, high)),
            Node::Sum { ref parts, low, high, .. } => {
                (parts.iter().map(|&(t, low, high)| (t, whole(low, high))).collect(), whole(low, high))
            }
            _ => (vec![(term, 1)], 0),
        }
    }

    fn sum(&mut self, width: u8, mut parts: Vec<(Term, u128)>, plus: u128) -> Term {
        let m = mask(width);
        parts.sort_unstable_by_key(|(term, _)| *term);
        let mut merged: Vec<(Term, u128)> = Vec::with_capacity(parts.len());
        for (term, factor) in parts {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.wrapping_add(factor) & m,
                _ => merged.push((term, factor & m)),
            }
        }
        merged.retain(|(_, factor)| *factor != 0);
        let plus = plus & m;
        match merged[..] {
            [] => return self.constant(width, plus),
            [(term, 1)] if plus == 0 => return term,
            _ => {}
        }
        let parts = merged.into_iter().map(|(term, factor)| (term, halves(factor).0, halves(factor).1));
        let (low, high) = halves(plus);
        let parts = parts.collect();
        self.intern(Node::Sum { width, parts, low, high })
    }

    /// `a + factor * b`.
    fn add_multiple(&mut self, a: Term, factor: u128, b: Term) -> Term {
        let (mut parts, plus) = self.parts(a);
        let (more, and) = self.parts(b);
        parts.extend(more.into_iter().map(|(term, by)| (term, by.wrapping_mul(factor))));
        self.sum(self.width(a), parts, plus.wrapping_add(and.wrapping_mul(factor)))
    }

    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_multiple(a, 1, b)
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.add_multiple(a, u128::MAX, b)
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        for (factor, of) in [(a, b), (b, a)] {
            if let Some(factor) = self.as_const(factor) {
                let zero = self.constant(self.width(of), 0);
                return self.add_multiple(zero, factor, of);
            }
        }
        let kept = self.bits_of(self.largest(a)) + self.bits_of(self.largest(b));
        self.in_width(kept, a, b, |t, a, b| t.intern(Node::Mul(a.min(b), a.max(b))))
    }

    /// How many bits a number has.
    fn bits_of(&self, number: u128) -> u8 {
        (128 - number.leading_zeros() as u8).max(1)
    }

    /// An operation without signs that needs no more than so many bits, done with those.
    fn in_width(
        &mut self,
        kept: u8,
        a: Term,
        b: Term,
        make: impl FnOnce(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        let width = self.width(a);
        if kept >= width {
            return make(self, a, b);
        }
        let (a, b) = (self.extract(a, 0, kept), self.extract(b, 0, kept));
        let narrow = make(self, a, b);
        self.zext(narrow, width)
    }

    /// Whether a term is never negative.
    fn is_natural(&self, a: Term) -> bool {
        self.largest(a) >> (self.width(a) - 1) == 0
    }

    // ---- parts ----

    pub fn extract(&mut self, of: Term, low: u8, width: u8) -> Term {
        let whole_width = self.width(of);
        debug_assert!(width >= 1 && low + width <= whole_width);
        if width == whole_width {
            return of;
        }
        match *self.node(of) {
            Node::Const { low: l, high: h, .. } => self.constant(width, whole(l, h) >> low),
            Node::Extract { of, low: from, .. } => self.extract(of, from + low, width),
            Node::Concat(high, lower) => {
                let at = self.width(lower);
                if low >= at {
                    self.extract(high, low - at, width)
                } else if low + width <= at {
                    self.extract(lower, low, width)
                } else {
                    let upper = self.extract(high, 0, low + width - at);
                    let rest = self.extract(lower, low, at - low);
                    self.concat(upper, rest)
                }
            }
            Node::Sext { of: inner, .. } if low + width <= self.width(inner) => {
                self.extract(inner, low, width)
            }
            Node::Sext { of: inner, .. } if low == 0 && width > self.width(inner) => self.sext(inner, width),
            // The lowest bits of a sum are the sum of the lowest bits.
            Node::Sum { .. } if low == 0 => {
                let (parts, plus) = self.parts(of);
                let parts = parts.into_iter().map(|(t, by)| (self.extract(t, 0, width), by)).collect();
                let parts = self.flat(parts);
                self.sum(width, parts.0, plus.wrapping_add(parts.1))
            }
            Node::Ite(c, a, b) if self.as_const(a).is_some() || self.as_const(b).is_some() => {
                let (a, b) = (self.extract(a, low, width), self.extract(b, low, width));
                self.ite(c, a, b)
            }
            Node::And(a, b) | Node::Or(a, b) | Node::Xor(a, b)
                if self.as_const(a).is_some() || self.as_const(b).is_some() =>
            {
                let node = self.node(of).clone();
                let (a, b) = (self.extract(a, low, width), self.extract(b, low, width));
                match node {
                    Node::And(..) => self.and(a, b),
                    Node::Or(..) => self.or(a, b),
                    _ => self.xor(a, b),
                }
            }
            _ => self.intern(Node::Extract { of, low, width }),
        }
    }

    /// Multiples of terms that may be sums themselves.
    fn flat(&self, parts: Vec<(Term, u128)>) -> (Vec<(Term, u128)>, u128) {
        let (mut flat, mut plus) = (Vec::new(), 0u128);
        for (term, by) in parts {
            let (inner, and) = self.parts(term);
            flat.extend(inner.into_iter().map(|(t, factor)| (t, factor.wrapping_mul(by))));
            plus = plus.wrapping_add(and.wrapping_mul(by));
        }
        (flat, plus)
    }

    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (a, b) = (self.width(high), self.width(low));
        debug_assert!(a as u32 + b as u32 <= 128);
        if let (Some(x), Some(y)) = (self.as_const(high), self.as_const(low)) {
            return self.constant(a + b, x << b | y);
        }
        // Two numbers in front of something.
        if let Node::Concat(next, rest) = *self.node(low)
            && self.as_const(high).is_some()
            && self.as_const(next).is_some()
        {
            let high = self.concat(high, next);
            return self.concat(high, rest);
        }
        // Two neighbouring parts of the same.
        if let Node::Extract { of, low: at, .. } = *self.node(high)
            && at >= b
            && self.extract(of, at - b, b) == low
        {
            return self.extract(of, at - b, a + b);
        }
        self.intern(Node::Concat(high, low))
    }

    pub fn zext(&mut self, of: Term, width: u8) -> Term {
        let own = self.width(of);
        if own >= width {
            return self.extract(of, 0, width);
        }
        let zeros = self.constant(width - own, 0);
        self.concat(zeros, of)
    }

    pub fn sext(&mut self, of: Term, width: u8) -> Term {
        let own = self.width(of);
        if own >= width {
            return self.extract(of, 0, width);
        }
        match *self.node(of) {
            Node::Const { low, high, .. } => self.constant(width, signed(whole(low, high), own) as u128),
            Node::Sext { of, .. } => self.sext(of, width),
            // The highest bit is 0.
            _ if self.is_natural(of) => self.zext(of, width),
            _ => self.intern(Node::Sext { of, width }),
        }
    }

    // ---- bits ----

    fn all_ones(&self, width: u8, value: u128) -> bool {
        value == mask(width)
    }

    fn is_not(&self, a: Term, b: Term) -> bool {
        let of = |t: Term| match *self.node(t) {
            Node::Xor(x, y) if self.as_const(y).is_some_and(|y| self.all_ones(self.width(t), y)) => Some(x),
            _ => None,
        };
        of(a) == Some(b) || of(b) == Some(a)
    }

    /// Numbers come second.
    fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        let width = self.width(a);
        if a == b {
            return a;
        }
        if self.is_not(a, b) {
            return self.constant(width, 0);
        }
        if let Some(y) = self.as_const(b) {
            if let Some(x) = self.as_const(a) {
                return self.constant(width, x & y);
            }
            if y == 0 || self.all_ones(width, y) {
                return if y == 0 { b } else { a };
            }
            // The bits from one number on, below another.
            let (from, to) = (y.trailing_zeros() as u8, 128 - y.leading_zeros() as u8);
            if y == mask(to) & !mask(from) {
                let kept = self.extract(a, from, to - from);
                let upper = self.zext(kept, width - from);
                return if from == 0 {
                    upper
                } else {
                    let zeros = self.constant(from, 0);
                    self.concat(upper, zeros)
                };
            }
        }
        self.intern(Node::And(a, b))
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        let width = self.width(a);
        if a == b {
            return a;
        }
        if self.is_not(a, b) {
            return self.constant(width, mask(width));
        }
        if let Some(y) = self.as_const(b) {
            if let Some(x) = self.as_const(a) {
                return self.constant(width, x | y);
            }
            if y == 0 || self.all_ones(width, y) {
                return if y == 0 { a } else { b };
            }
        }
        self.intern(Node::Or(a, b))
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        let width = self.width(a);
        if a == b {
            return self.constant(width, 0);
        }
        if let Some(y) = self.as_const(b) {
            if let Some(x) = self.as_const(a) {
                return self.constant(width, x ^ y);
            }
            if y == 0 {
                return a;
            }
            if let Node::Xor(x, z) = *self.node(a)
                && let Some(z) = self.as_const(z)
            {
                let both = self.constant(width, y ^ z);
                return self.xor(x, both);
            }
        }
        self.intern(Node::Xor(a, b))
    }

    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let ones = self.constant(width, mask(width));
        self.xor(a, ones)
    }

    fn shift(&mut self, node: Node, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let Some(by) = self.as_const(b) else { return self.intern(node) };
        if let Some(x) = self.as_const(a) {
            let value = fold(&node, width, x, by);
            return self.constant(width, value);
        }
        if by == 0 {
            return a;
        }
        let by = by.min(width as u128) as u8;
        match node {
            Node::Shl(..) if by < width => {
                let kept = self.extract(a, 0, width - by);
                let zeros = self.constant(by, 0);
                self.concat(kept, zeros)
            }
            Node::LShr(..) if by < width => {
                let kept = self.extract(a, by, width - by);
                self.zext(kept, width)
            }
            Node::AShr(..) => {
                let by = by.min(width - 1);
                let kept = self.extract(a, by, width - by);
                self.sext(kept, width)
            }
            _ => self.constant(width, 0),
        }
    }

    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        self.shift(Node::Shl(a, b), a, b)
    }

    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        self.shift(Node::LShr(a, b), a, b)
    }

    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        self.shift(Node::AShr(a, b), a, b)
    }

    // ---- division ----

    fn divide(&mut self, node: Node, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => {
                let value = fold(&node, width, x, y);
                self.constant(width, value)
            }
            (None, Some(y)) if y.is_power_of_two() && matches!(node, Node::UDiv(..)) => {
                let by = self.constant(width, y.trailing_zeros() as u128);
                self.lshr(a, by)
            }
            (None, Some(y)) if y.is_power_of_two() && matches!(node, Node::URem(..)) => {
                let below = self.constant(width, y - 1);
                self.and(a, below)
            }
            (None, Some(1)) if matches!(node, Node::SDiv(..)) => a,
            _ if matches!(node, Node::SDiv(..) | Node::SRem(..)) => {
                if !self.is_natural(a) || !self.is_natural(b) {
                    return self.intern(node);
                }
                if matches!(node, Node::SDiv(..)) { self.udiv(a, b) } else { self.urem(a, b) }
            }
            _ => {
                let quotient = matches!(node, Node::UDiv(..));
                let kept = self.bits_of(self.largest(a)).max(self.bits_of(self.largest(b)));
                let result = self.in_width(kept, a, b, |t, a, b| {
                    t.intern(if quotient { Node::UDiv(a, b) } else { Node::URem(a, b) })
                });
                // A remainder is less than what it is divided by.
                let fits = self.bits_of(self.largest(result));
                if fits == width {
                    return result;
                }
                let low = self.extract(result, 0, fits);
                self.zext(low, width)
            }
        }
    }

    /// Quotients and remainders; the divisor is not 0.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        self.divide(Node::UDiv(a, b), a, b)
    }

    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        self.divide(Node::URem(a, b), a, b)
    }

    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        self.divide(Node::SDiv(a, b), a, b)
    }

    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        self.divide(Node::SRem(a, b), a, b)
    }
}
