//! What a term is, given what its unknowns are.

use crate::term::{Node, Term, Terms, mask, signed, whole};
use std::collections::HashMap;

/// What unknowns are; those that are not mentioned are 0.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) values: HashMap<Term, u128>,
}

impl Model {
    /// All that it says something of.
    pub fn iter(&self) -> impl Iterator<Item = (Term, u128)> {
        self.values.iter().map(|(unknown, value)| (*unknown, *value))
    }

    pub fn set(&mut self, unknown: Term, value: u128) {
        self.values.insert(unknown, value);
    }

    pub fn get(&self, unknown: Term) -> u128 {
        self.values.get(&unknown).copied().unwrap_or(0)
    }
}

/// Operations on numbers, as terms mean them. A division by 0 gives 0, and a shift too far what is left of
/// a number then: whoever makes such terms sees to it that it does not come to that.
pub(crate) fn fold(node: &Node, width: u8, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let by = |b: u128| if b >= width as u128 { None } else { Some(b as u32) };
    let value = match node {
        Node::Mul(..) => a.wrapping_mul(b),
        Node::UDiv(..) => a.checked_div(b).unwrap_or(0),
        Node::URem(..) => a.checked_rem(b).unwrap_or(0),
        Node::SDiv(..) => {
            if b == 0 {
                0
            } else {
                sa.wrapping_div(sb) as u128
            }
        }
        Node::SRem(..) => {
            if b == 0 {
                0
            } else {
                sa.wrapping_rem(sb) as u128
            }
        }
        Node::And(..) => a & b,
        Node::Or(..) => a | b,
        Node::Xor(..) => a ^ b,
        Node::Shl(..) => by(b).map_or(0, |by| a << by),
        Node::LShr(..) => by(b).map_or(0, |by| a >> by),
        Node::AShr(..) => (sa >> by(b).unwrap_or(width as u32 - 1)) as u128,
        Node::Eq(..) => return (a == b) as u128,
        Node::Ult(..) => return (a < b) as u128,
        Node::Slt(..) => return (sa < sb) as u128,
        _ => unreachable!("an operation on two numbers"),
    };
    value & mask(width)
}

impl Terms {
    /// What a term is, given what its unknowns are.
    pub fn eval(&self, term: Term, model: &Model) -> u128 {
        self.eval_with(term, model, &mut HashMap::new())
    }

    /// The same, where `known` keeps what was found before. Terms can be deep, so this does not recurse.
    pub(crate) fn eval_with(&self, term: Term, model: &Model, known: &mut HashMap<Term, u128>) -> u128 {
        let mut todo = vec![term];
        while let Some(&next) = todo.last() {
            if known.contains_key(&next) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let value = self.eval_node(next, model, |part| {
                let value = known.get(&part).copied();
                if value.is_none() {
                    todo.push(part);
                }
                value
            });
            if todo.len() == before {
                todo.pop();
                known.insert(next, value.unwrap_or(0));
            }
        }
        known[&term]
    }

    fn eval_node(
        &self,
        term: Term,
        model: &Model,
        mut get: impl FnMut(Term) -> Option<u128>,
    ) -> Option<u128> {
        let node = self.node(term);
        let width = self.width(term);
        Some(match *node {
            Node::Const { low, high, .. } => whole(low, high),
            Node::Unknown { .. } | Node::Opaque { .. } => model.get(term) & mask(width),
            Node::Sum { ref parts, low, high, .. } => {
                let mut sum = Some(whole(low, high));
                for &(part, low, high) in parts {
                    let part = get(part);
                    sum = sum.zip(part).map(|(s, p)| s.wrapping_add(p.wrapping_mul(whole(low, high))));
                }
                sum? & mask(width)
            }
            Node::Extract { of, low, .. } => get(of)? >> low & mask(width),
            Node::Concat(high, low) => {
                let (a, b) = (get(high), get(low));
                let by = self.width(low);
                (if by == 128 { 0 } else { a? << by }) | b?
            }
            Node::Sext { of, .. } => signed(get(of)?, self.width(of)) as u128 & mask(width),
            Node::Ite(c, a, b) => match get(c)? {
                0 => get(b)?,
                _ => get(a)?,
            },
            Node::Mul(a, b)
            | Node::UDiv(a, b)
            | Node::URem(a, b)
            | Node::SDiv(a, b)
            | Node::SRem(a, b)
            | Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b)
            | Node::Shl(a, b)
            | Node::LShr(a, b)
            | Node::AShr(a, b)
            | Node::Eq(a, b)
            | Node::Ult(a, b)
            | Node::Slt(a, b) => {
                let (x, y) = (get(a), get(b));
                fold(node, self.width(a), x?, y?)
            }
        })
    }
}
