//! Terms as data: nodes that are shared, each with its width and the unknowns in it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A number of a table of terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Term(pub u32);

/// What a term is made of. Numbers are kept without their sign, within the width of the term.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Node {
    /// A number, as two halves.
    Const {
        width: u8,
        low: u64,
        high: u64,
    },
    /// Any number: number `number` of those that `owner` was told.
    Unknown {
        owner: u32,
        number: u32,
        width: u8,
    },
    /// Something that nobody can tell, and that nothing can be decided by.
    Opaque {
        owner: u32,
        number: u32,
        width: u8,
    },
    /// The sum of multiples of terms and a number, modulo a power of 2. Factors and number as two halves.
    Sum {
        width: u8,
        parts: Vec<(Term, u64, u64)>,
        low: u64,
        high: u64,
    },
    Mul(Term, Term),
    UDiv(Term, Term),
    URem(Term, Term),
    SDiv(Term, Term),
    SRem(Term, Term),
    And(Term, Term),
    Or(Term, Term),
    Xor(Term, Term),
    Shl(Term, Term),
    LShr(Term, Term),
    AShr(Term, Term),
    /// Some bits, from the one numbered `low` on.
    Extract {
        of: Term,
        low: u8,
        width: u8,
    },
    /// The first one is the upper part.
    Concat(Term, Term),
    Sext {
        of: Term,
        width: u8,
    },
    Eq(Term, Term),
    Ult(Term, Term),
    Slt(Term, Term),
    /// One of two by a condition.
    Ite(Term, Term, Term),
}

/// The lowest bits set.
pub(crate) fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The lowest bits as a number with a sign.
pub(crate) fn signed(value: u128, width: u8) -> i128 {
    let unused = 128 - width.clamp(1, 128) as u32;
    ((value << unused) as i128) >> unused
}

pub(crate) fn halves(value: u128) -> (u64, u64) {
    (value as u64, (value >> 64) as u64)
}

pub(crate) fn whole(low: u64, high: u64) -> u128 {
    (high as u128) << 64 | low as u128
}

/// A table of terms. Equal terms have equal numbers.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    widths: Vec<u8>,
    /// By term, the unknowns in it, in order.
    unknowns: Vec<Arc<[Term]>>,
    opaque: Vec<bool>,
    /// By term, a bound of what it is without a sign.
    largest: Vec<u128>,
    numbers: HashMap<Node, Term>,
}

impl Terms {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub fn width(&self, term: Term) -> u8 {
        self.widths[term.0 as usize]
    }

    /// The unknowns in a term, in order.
    pub fn unknowns(&self, term: Term) -> &[Term] {
        &self.unknowns[term.0 as usize]
    }

    /// Whether something is in a term that nothing can be decided by.
    pub fn is_opaque(&self, term: Term) -> bool {
        self.opaque[term.0 as usize]
    }

    /// The number that a term is, if it is one.
    pub fn as_const(&self, term: Term) -> Option<u128> {
        match *self.node(term) {
            Node::Const { low, high, .. } => Some(whole(low, high)),
            _ => None,
        }
    }

    /// Whether some number in a term is such; nobody looks into a term of more than `most` parts.
    pub fn has_number(&self, term: Term, most: usize, is: &dyn Fn(u128) -> bool) -> Option<bool> {
        let (mut todo, mut seen) = (vec![term], HashSet::new());
        while let Some(next) = todo.pop() {
            let found = match *self.node(next) {
                Node::Const { low, high, .. } => is(whole(low, high)),
                Node::Sum { low, high, ref parts, .. } => {
                    is(whole(low, high)) || parts.iter().any(|(_, low, high)| is(whole(*low, *high)))
                }
                _ => false,
            };
            if found {
                return Some(true);
            }
            if seen.len() > most {
                return None;
            }
            self.for_operands(next, |part| {
                if seen.insert(part) {
                    todo.push(part);
                }
            });
        }
        Some(false)
    }

    /// All nodes, in the order of their numbers.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The table that has these nodes; `None` if a node refers to one that is not before it, or widths do
    /// not fit.
    pub fn restore(nodes: Vec<Node>) -> Option<Terms> {
        let mut terms = Terms::default();
        for node in nodes {
            if !terms.fits(&node) {
                return None;
            }
            let next = Term(terms.nodes.len() as u32);
            if terms.intern(node) != next {
                return None;
            }
        }
        Some(terms)
    }

    /// Takes in what is new in a table of which this one is a beginning.
    pub fn follow(&mut self, common: &Terms) {
        for node in &common.nodes[self.nodes.len()..] {
            self.intern(node.clone());
        }
    }

    /// The number of a node, if it is there.
    pub(crate) fn known(&self, node: &Node) -> Option<Term> {
        self.numbers.get(node).copied()
    }

    pub(crate) fn intern(&mut self, node: Node) -> Term {
        if let Some(known) = self.known(&node) {
            return known;
        }
        let term = Term(self.nodes.len() as u32);
        let mut unknowns: Vec<Term> = Vec::new();
        let mut opaque = matches!(node, Node::Opaque { .. });
        if matches!(node, Node::Unknown { .. } | Node::Opaque { .. }) {
            unknowns.push(term);
        }
        let of = self.operands(&node);
        for &part in &of {
            unknowns.extend_from_slice(self.unknowns(part));
            opaque |= self.is_opaque(part);
        }
        unknowns.sort_unstable();
        unknowns.dedup();
        // Most terms have the unknowns of one of their operands.
        let same = of.iter().find(|&&part| *self.unknowns(part) == *unknowns);
        let unknowns = match same {
            Some(part) => Arc::clone(&self.unknowns[part.0 as usize]),
            None => unknowns.into(),
        };
        self.largest.push(self.largest_of(&node));
        self.widths.push(self.width_of(&node));
        self.unknowns.push(unknowns);
        self.opaque.push(opaque);
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    /// A bound of what a term is, without a sign, whatever its unknowns are.
    pub(crate) fn largest(&self, term: Term) -> u128 {
        self.largest[term.0 as usize]
    }

    fn largest_of(&self, node: &Node) -> u128 {
        let most = mask(self.width_of(node));
        let all = |bits: u128| u128::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0);
        let bound = match *node {
            Node::Const { low, high, .. } => whole(low, high),
            Node::Sum { ref parts, low, high, .. } => {
                let sum = parts.iter().try_fold(whole(low, high), |sum, &(part, low, high)| {
                    sum.checked_add(self.largest(part).checked_mul(whole(low, high))?)
                });
                sum.filter(|sum| *sum <= most).unwrap_or(most)
            }
            Node::Mul(a, b) => {
                let product = self.largest(a).checked_mul(self.largest(b));
                product.filter(|p| *p <= most).unwrap_or(most)
            }
            Node::UDiv(a, _) | Node::LShr(a, _) => self.largest(a),
            Node::URem(a, b) => self.largest(a).min(self.largest(b).saturating_sub(1)),
            Node::And(a, b) => self.largest(a).min(self.largest(b)),
            Node::Or(a, b) | Node::Xor(a, b) => all(self.largest(a) | self.largest(b)),
            Node::Extract { of, low, .. } => (self.largest(of) >> low).min(most),
            Node::Concat(a, b) => self.largest(a) << self.width(b) | self.largest(b),
            Node::Ite(_, a, b) => self.largest(a).max(self.largest(b)),
            _ => most,
        };
        bound.min(most)
    }

    /// The terms that a term is made of.
    pub(crate) fn for_operands(&self, term: Term, each: impl FnMut(Term)) {
        self.operands(self.node(term)).into_iter().for_each(each);
    }

    fn operands(&self, node: &Node) -> Vec<Term> {
        use Node::*;
        match node {
            Const { .. } | Unknown { .. } | Opaque { .. } => Vec::new(),
            Sum { parts, .. } => parts.iter().map(|(part, ..)| *part).collect(),
            Mul(a, b)
            | UDiv(a, b)
            | URem(a, b)
            | SDiv(a, b)
            | SRem(a, b)
            | And(a, b)
            | Or(a, b)
            | Xor(a, b)
            | Shl(a, b)
            | LShr(a, b)
            | AShr(a, b)
            | Concat(a, b)
            | Eq(a, b)
            | Ult(a, b)
            | Slt(a, b) => vec![*a, *b],
            Extract { of, .. } | Sext { of, .. } => vec![*of],
            Ite(c, a, b) => vec![*c, *a, *b],
        }
    }

    fn width_of(&self, node: &Node) -> u8 {
        use Node::*;
        match *node {
            Const { width, .. }
            | Unknown { width, .. }
            | Opaque { width, .. }
            | Sum { width, .. }
            | Extract { width, .. }
            | Sext { width, .. } => width,
            Mul(a, _)
            | UDiv(a, _)
            | URem(a, _)
            | SDiv(a, _)
            | SRem(a, _)
            | And(a, _)
            | Or(a, _)
            | Xor(a, _)
            | Shl(a, _)
            | LShr(a, _)
            | AShr(a, _) => self.width(a),
            Concat(a, b) => self.width(a) + self.width(b),
            Eq(..) | Ult(..) | Slt(..) => 1,
            Ite(_, a, _) => self.width(a),
        }
    }

    /// Whether a node that comes from a file makes sense here.
    fn fits(&self, node: &Node) -> bool {
        use Node::*;
        let there = |t: &Term| (t.0 as usize) < self.nodes.len();
        if !self.operands(node).iter().all(there) {
            return false;
        }
        let sized = |width: u8| (1..=128).contains(&width);
        match *node {
            Const { width, low, high } => sized(width) && whole(low, high) <= mask(width),
            Unknown { width, .. } | Opaque { width, .. } => sized(width),
            Sum { width, ref parts, .. } => {
                sized(width) && parts.iter().all(|(part, ..)| self.width(*part) == width)
            }
            Mul(a, b)
            | UDiv(a, b)
            | URem(a, b)
            | SDiv(a, b)
            | SRem(a, b)
            | And(a, b)
            | Or(a, b)
            | Xor(a, b)
            | Shl(a, b)
            | LShr(a, b)
            | AShr(a, b)
            | Eq(a, b)
            | Ult(a, b)
            | Slt(a, b) => self.width(a) == self.width(b),
            Extract { of, low, width } => sized(width) && low as u32 + width as u32 <= self.width(of) as u32,
            Concat(a, b) => self.width(a) as u32 + self.width(b) as u32 <= 128,
            Sext { of, width } => sized(width) && width >= self.width(of),
            Ite(c, a, b) => self.width(c) == 1 && self.width(a) == self.width(b),
        }
    }
}
