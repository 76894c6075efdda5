//! Terms as gates: a term of `n` bits is `n` literals, the lowest bit first, and clauses say how those of a
//! term follow from those of its parts.

use crate::sat::{Lit, Sat};
use crate::term::{Node, Term, Terms, whole};
use std::collections::HashMap;

type Bits = Vec<Lit>;

pub struct Blaster<'t> {
    terms: &'t Terms,
    pub sat: Sat,
    yes: Lit,
    done: HashMap<Term, Bits>,
    ands: HashMap<(Lit, Lit), Lit>,
    xors: HashMap<(Lit, Lit), Lit>,
}

impl<'t> Blaster<'t> {
    pub fn new(terms: &'t Terms) -> Blaster<'t> {
        let mut sat = Sat::new();
        let yes = sat.variable();
        sat.clause(&[yes]);
        Blaster { terms, sat, yes, done: HashMap::new(), ands: HashMap::new(), xors: HashMap::new() }
    }

    /// Says that a term of one bit holds.
    pub fn assert(&mut self, term: Term) {
        let bit = self.bits(term)[0];
        self.sat.clause(&[bit]);
    }

    /// What an unknown is, once a solution was found.
    pub fn value(&self, term: Term) -> u128 {
        let Some(bits) = self.done.get(&term) else { return 0 };
        bits.iter().enumerate().fold(0, |value, (i, bit)| value | (self.sat.is_true(*bit) as u128) << i)
    }

    // ---- gates ----

    fn no(&self) -> Lit {
        self.yes.not()
    }

    fn bit(&self, value: bool) -> Lit {
        if value { self.yes } else { self.no() }
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == self.no() || b == self.no() || a == b.not() {
            return self.no();
        }
        if a == self.yes || a == b {
            return b;
        }
        if b == self.yes {
            return a;
        }
        if let Some(known) = self.ands.get(&(a, b)) {
            return *known;
        }
        let out = self.sat.variable();
        self.sat.clause(&[out.not(), a]);
        self.sat.clause(&[out.not(), b]);
        self.sat.clause(&[out, a.not(), b.not()]);
        self.ands.insert((a, b), out);
        out
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.and(a.not(), b.not()).not()
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = (a.0 ^ b.0) & 1 == 1;
        let (a, b) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let out = if a == b {
            self.no()
        } else if a == self.yes {
            b.not()
        } else if b == self.yes {
            a.not()
        } else if let Some(known) = self.xors.get(&(a, b)) {
            *known
        } else {
            let out = self.sat.variable();
            self.sat.clause(&[out.not(), a, b]);
            self.sat.clause(&[out.not(), a.not(), b.not()]);
            self.sat.clause(&[out, a.not(), b]);
            self.sat.clause(&[out, a, b.not()]);
            self.xors.insert((a, b), out);
            out
        };
        if flip { out.not() } else { out }
    }

    fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (x, y) = (self.and(c, a), self.and(c.not(), b));
        self.or(x, y)
    }

    fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter().zip(b).map(|(a, b)| self.mux(c, *a, *b)).collect()
    }

    fn carry(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let either = self.or(a, b);
        let (both, through) = (self.and(a, b), self.and(either, c));
        self.or(both, through)
    }

    /// The sum, and what is carried out of it.
    fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Bits, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.carry(a, b, carry);
        }
        (sum, carry)
    }

    fn negated(bits: &[Lit]) -> Bits {
        bits.iter().map(|bit| bit.not()).collect()
    }

    fn sub(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Lit) {
        let yes = self.yes;
        self.add(a, &Self::negated(b), yes)
    }

    fn negative(&mut self, a: &[Lit]) -> Bits {
        let zero = vec![self.no(); a.len()];
        self.sub(&zero, a).0
    }

    fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let width = a.len();
        let mut sum = vec![self.no(); width];
        for (i, &bit) in b.iter().enumerate() {
            if bit == self.no() {
                continue;
            }
            let mut row = vec![self.no(); i];
            for &x in &a[..width - i] {
                row.push(self.and(x, bit));
            }
            let no = self.no();
            sum = self.add(&sum, &row, no).0;
        }
        sum
    }

    /// `a` times a number, by as few additions as there are ones, or runs of them, in it.
    fn times(&mut self, a: &[Lit], factor: u128) -> Bits {
        let width = a.len();
        let mut sum = vec![self.no(); width];
        let shifted = |no: Lit, by: usize| -> Bits {
            (0..width).map(|i| if i < by { no } else { a[i - by] }).collect()
        };
        let (no, mut i) = (self.no(), 0);
        while i < width {
            if factor >> i & 1 == 0 {
                i += 1;
                continue;
            }
            let mut end = i;
            while end < width && factor >> end & 1 == 1 {
                end += 1;
            }
            if end - i <= 2 {
                for at in i..end {
                    sum = self.add(&sum, &shifted(no, at), no).0;
                }
            } else {
                sum = self.sub(&sum, &shifted(no, i)).0;
                if end < width {
                    sum = self.add(&sum, &shifted(no, end), no).0;
                }
            }
            i = end;
        }
        sum
    }

    /// Quotient and remainder without signs; of a division by 0, 0.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let width = a.len();
        let no = self.no();
        let mut rest = vec![no; width];
        let mut quotient = vec![no; width];
        let wide: Bits = b.iter().copied().chain([no]).collect();
        for i in (0..width).rev() {
            let mut shifted = vec![a[i]];
            shifted.extend_from_slice(&rest);
            let (less, fits) = self.sub(&shifted, &wide);
            quotient[i] = fits;
            rest = self.choose(fits, &less[..width], &shifted[..width]);
        }
        let nonzero = b.iter().fold(no, |any, bit| self.or(any, *bit));
        let kept = |x: &mut Self, bits: Bits| bits.into_iter().map(|bit| x.and(bit, nonzero)).collect();
        (kept(self, quotient), kept(self, rest))
    }

    fn magnitude(&mut self, a: &[Lit]) -> Bits {
        let negative = self.negative(a);
        self.choose(a[a.len() - 1], &negative, a)
    }

    fn ult(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut carry = self.yes;
        for (&a, &b) in a.iter().zip(b) {
            carry = self.carry(a, b.not(), carry);
        }
        carry.not()
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut all = self.yes;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            all = self.and(all, differ.not());
        }
        all
    }

    fn shift(&mut self, node: &Node, a: &[Lit], b: &[Lit]) -> Bits {
        let width = a.len();
        let fill = if matches!(node, Node::AShr(..)) { a[width - 1] } else { self.no() };
        let mut now = a.to_vec();
        for (i, &bit) in b.iter().enumerate() {
            let by = if i < 8 { 1usize << i } else { width };
            let moved: Bits = (0..width)
                .map(|at| match node {
                    Node::Shl(..) => {
                        if at >= by {
                            now[at - by]
                        } else {
                            fill
                        }
                    }
                    _ => now.get(at + by).copied().unwrap_or(fill),
                })
                .collect();
            now = self.choose(bit, &moved, &now);
        }
        now
    }

    // ---- terms ----

    /// The bits of a term. Parts come first, so it does not recurse deeper than into what is there.
    pub fn bits(&mut self, term: Term) -> Bits {
        let mut todo = vec![term];
        while let Some(&next) = todo.last() {
            if self.done.contains_key(&next) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            self.terms.for_operands(next, |part| {
                if !self.done.contains_key(&part) {
                    todo.push(part);
                }
            });
            if todo.len() == before {
                todo.pop();
                let bits = self.gates(next);
                self.done.insert(next, bits);
            }
        }
        self.done[&term].clone()
    }

    fn gates(&mut self, term: Term) -> Bits {
        let width = self.terms.width(term) as usize;
        let no = self.no();
        let node = self.terms.node(term);
        let two = |done: &HashMap<Term, Bits>, a: &Term, b: &Term| (done[a].clone(), done[b].clone());
        match node {
            Node::Const { low, high, .. } => {
                (0..width).map(|i| self.bit(whole(*low, *high) >> i & 1 == 1)).collect()
            }
            Node::Unknown { .. } | Node::Opaque { .. } => (0..width).map(|_| self.sat.variable()).collect(),
            Node::Sum { parts, low, high, .. } => {
                let plus = whole(*low, *high);
                let mut sum: Bits = (0..width).map(|i| self.bit(plus >> i & 1 == 1)).collect();
                for (part, low, high) in parts {
                    let bits = self.done[part].clone();
                    let multiple = self.times(&bits, whole(*low, *high));
                    sum = self.add(&sum, &multiple, no).0;
                }
                sum
            }
            Node::Mul(a, b) => {
                let (a, b) = two(&self.done, a, b);
                self.mul(&a, &b)
            }
            Node::UDiv(a, b) | Node::URem(a, b) => {
                let (x, y) = two(&self.done, a, b);
                let (quotient, rest) = self.divide(&x, &y);
                if matches!(node, Node::UDiv(..)) { quotient } else { rest }
            }
            Node::SDiv(a, b) | Node::SRem(a, b) => {
                let (x, y) = two(&self.done, a, b);
                let (m, n) = (self.magnitude(&x), self.magnitude(&y));
                let (quotient, rest) = self.divide(&m, &n);
                let (bits, sign) = match node {
                    Node::SDiv(..) => (quotient, self.xor(x[width - 1], y[width - 1])),
                    _ => (rest, x[width - 1]),
                };
                let negative = self.negative(&bits);
                self.choose(sign, &negative, &bits)
            }
            Node::And(a, b) | Node::Or(a, b) | Node::Xor(a, b) => {
                let (a, b) = two(&self.done, a, b);
                let both = a.into_iter().zip(b);
                both.map(|(a, b)| match node {
                    Node::And(..) => self.and(a, b),
                    Node::Or(..) => self.or(a, b),
                    _ => self.xor(a, b),
                })
                .collect()
            }
            Node::Shl(a, b) | Node::LShr(a, b) | Node::AShr(a, b) => {
                let (a, b) = two(&self.done, a, b);
                self.shift(node, &a, &b)
            }
            Node::Extract { of, low, .. } => self.done[of][*low as usize..*low as usize + width].to_vec(),
            Node::Concat(high, low) => {
                let mut bits = self.done[low].clone();
                bits.extend_from_slice(&self.done[high]);
                bits
            }
            Node::Sext { of, .. } => {
                let mut bits = self.done[of].clone();
                let sign = bits.last().copied().unwrap_or(no);
                bits.resize(width, sign);
                bits
            }
            Node::Eq(a, b) => {
                let (a, b) = two(&self.done, a, b);
                vec![self.equal(&a, &b)]
            }
            Node::Ult(a, b) => {
                let (a, b) = two(&self.done, a, b);
                vec![self.ult(&a, &b)]
            }
            Node::Slt(a, b) => {
                let (mut a, mut b) = two(&self.done, a, b);
                // The order of numbers with a sign is that of others, with the highest bit turned around.
                let at = a.len() - 1;
                (a[at], b[at]) = (a[at].not(), b[at].not());
                vec![self.ult(&a, &b)]
            }
            Node::Ite(c, a, b) => {
                let c = self.done[c][0];
                let (a, b) = two(&self.done, a, b);
                self.choose(c, &a, &b)
            }
        }
    }
}
