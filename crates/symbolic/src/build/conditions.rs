//! Conditions: one of two terms, equality, order.

use crate::term::{Node, Term, Terms, mask, signed, whole};

impl Terms {
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        if let Some(c) = self.as_const(c) {
            return if c != 0 { a } else { b };
        }
        // Conditions are not negated.
        if let Node::Xor(inner, one) = *self.node(c)
            && self.as_const(one).is_some()
        {
            return self.ite(inner, b, a);
        }
        if self.width(a) == 1 {
            match (self.as_const(a), self.as_const(b)) {
                (Some(1), Some(_)) => return c,
                (Some(_), Some(_)) => return self.not(c),
                (Some(1), None) => return self.or(c, b),
                (Some(_), None) => {
                    let c = self.not(c);
                    return self.and(c, b);
                }
                (None, Some(0)) => return self.and(c, a),
                (None, Some(_)) => {
                    let c = self.not(c);
                    return self.or(c, a);
                }
                _ => {}
            }
        }
        self.intern(Node::Ite(c, a, b))
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.bool(true);
        }
        let (a, b) = self.ordered(a, b);
        if let Some(y) = self.as_const(b) {
            if let Some(found) = self.eq_const(a, y) {
                return found;
            }
        } else if width > 1 {
            // What they differ by decides more.
            let difference = self.sub(a, b);
            let (parts, plus) = self.parts(difference);
            match parts[..] {
                [] => return self.bool(plus == 0),
                [(t, factor)] if factor & 1 == 1 => {
                    let value = plus.wrapping_neg().wrapping_mul(inverse(factor)) & mask(width);
                    let value = self.constant(width, value);
                    return self.eq(t, value);
                }
                // Of several ways to say it, one.
                [(x, 1), (y, minus)] if minus == mask(width) => return self.eq_sides(y, x, plus),
                [(x, minus), (y, 1)] if minus == mask(width) => return self.eq_sides(x, y, plus),
                _ => {}
            }
        }
        self.intern(Node::Eq(a, b))
    }

    /// `x == y + plus`.
    fn eq_sides(&mut self, x: Term, y: Term, plus: u128) -> Term {
        let other = self.sum(self.width(x), vec![(y, 1)], plus);
        let (a, b) = self.ordered(x, other);
        self.intern(Node::Eq(a, b))
    }

    /// Whether a term is a number, where that is simpler than it looks.
    fn eq_const(&mut self, a: Term, y: u128) -> Option<Term> {
        let width = self.width(a);
        if let Some(x) = self.as_const(a) {
            return Some(self.bool(x == y));
        }
        if width == 1 {
            return Some(if y == 1 { a } else { self.not(a) });
        }
        match *self.node(a) {
            Node::Concat(high, low) => {
                let at = self.width(low);
                let (upper, lower) = (self.constant(width - at, y >> at), self.constant(at, y));
                let (upper, lower) = (self.eq(high, upper), self.eq(low, lower));
                Some(self.and(upper, lower))
            }
            Node::Sext { of, .. } => {
                let own = self.width(of);
                if signed(y, own) as u128 & mask(width) != y {
                    return Some(self.bool(false));
                }
                let value = self.constant(own, y);
                Some(self.eq(of, value))
            }
            Node::Ite(c, p, q) if self.as_const(p).is_some() || self.as_const(q).is_some() => {
                let y = self.constant(width, y);
                let (p, q) = (self.eq(p, y), self.eq(q, y));
                Some(self.ite(c, p, q))
            }
            Node::Xor(x, z) if self.as_const(z).is_some() => {
                let value = self.constant(width, y ^ self.as_const(z)?);
                Some(self.eq(x, value))
            }
            Node::Sum { .. } => {
                let (parts, plus) = self.parts(a);
                let [(t, factor)] = parts[..] else {
                    if plus == 0 {
                        return None;
                    }
                    let left = self.sum(width, parts, 0);
                    let right = self.constant(width, y.wrapping_sub(plus));
                    return Some(self.eq(left, right));
                };
                if factor & 1 == 0 {
                    return None;
                }
                let value = y.wrapping_sub(plus).wrapping_mul(inverse(factor));
                let value = self.constant(width, value);
                Some(self.eq(t, value))
            }
            _ => None,
        }
    }

    /// The part of a term above which it only has zeros, and how long it is.
    fn without_zeros(&self, a: Term) -> Term {
        match *self.node(a) {
            Node::Concat(high, low) if self.as_const(high) == Some(0) => low,
            _ => a,
        }
    }

    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.bool(false);
        }
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => return self.bool(x < y),
            (_, Some(0)) => return self.bool(false),
            (Some(x), _) if self.all_ones(width, x) => return self.bool(false),
            (_, Some(1)) => {
                let zero = self.constant(width, 0);
                return self.eq(a, zero);
            }
            (Some(0), _) => {
                let is = self.eq(a, b);
                return self.not(is);
            }
            _ => {}
        }
        if width == 1 {
            let a = self.not(a);
            return self.and(a, b);
        }
        if self.as_const(b).is_some_and(|most| self.largest(a) < most) {
            return self.bool(true);
        }
        if self.as_const(a).is_some_and(|least| self.largest(b) <= least) {
            return self.bool(false);
        }
        // Zeros above both make no difference.
        let (x, y) = (self.without_zeros(a), self.without_zeros(b));
        let kept = match (self.as_const(a), self.as_const(b)) {
            (Some(c), _) if c > mask(self.width(y)) => return self.bool(false),
            (_, Some(c)) if c > mask(self.width(x)) => return self.bool(true),
            (Some(_), _) => self.width(y),
            (_, Some(_)) => self.width(x),
            _ => self.width(x).max(self.width(y)),
        };
        if kept < width {
            let (a, b) = (self.extract(a, 0, kept), self.extract(b, 0, kept));
            return self.ult(a, b);
        }
        self.intern(Node::Ult(a, b))
    }

    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.bool(false);
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.bool(signed(x, width) < signed(y, width));
        }
        if width == 1 {
            let b = self.not(b);
            return self.and(a, b);
        }
        if self.is_natural(a) && self.is_natural(b) {
            return self.ult(a, b);
        }
        // What both only repeat of their sign makes no difference.
        let own = |t: Term| match *self.node(t) {
            Node::Const { low, high, .. } => {
                let value = signed(whole(low, high), width);
                let magnitude = if value < 0 { !value } else { value };
                129 - magnitude.leading_zeros() as u8
            }
            Node::Sext { of, .. } => self.width(of),
            Node::Concat(high, low) if self.as_const(high) == Some(0) => self.width(low) + 1,
            _ => width,
        };
        let kept = own(a).max(own(b));
        if kept < width {
            let (a, b) = (self.extract(a, 0, kept), self.extract(b, 0, kept));
            return self.slt(a, b);
        }
        self.intern(Node::Slt(a, b))
    }
}

/// What an odd number is multiplied with to give 1.
fn inverse(odd: u128) -> u128 {
    // Each step doubles the number of bits that are right; the first three are.
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}
