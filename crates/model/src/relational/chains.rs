//! Whether a model tells the creation of a thread only as part of a way through threads.
//!
//! Where nobody knows yet whether a thread creates another one itself, or one that does, it makes a
//! difference how creation is used: `[W] ; tc ; [R]` is of two events that stand side by side, while
//! `(po | tc | tj)* ; tc ; (po | tc | tj)*` says the same whatever comes in between.

use super::{Check, Node, Op, PlanStep, Relational};
use selvedge_kat::Prim;

/// What an operation says of the creation of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// Nothing, or as part of a way of any length.
    Way,
    /// It is one step, of those that lead from event to event in threads; with program order among them.
    Step { po: bool },
    /// A way of any length comes before such a step, and one has to come after it.
    Begun,
    /// The other way round.
    Ended,
}

impl Relational {
    /// Whether creation is used in the closure of relations that program order is one of, or with that
    /// before and after it, and nowhere else.
    pub fn creates_in_chains(&self) -> bool {
        let mut told: Vec<Telling> = Vec::new();
        for op in &self.ops {
            match self.telling(op, &told) {
                Some(telling) => told.push(telling),
                None => return false,
            }
        }
        let is_way = |n: Node| told[n.index()] == Telling::Way;
        let checks = |check: &Check| match *check {
            Check::Acyclic(n) => is_way(n) || told[n.index()] == Telling::Step { po: true },
            Check::Irreflexive(n) | Check::Empty(n) => is_way(n),
            Check::Holds(test) => test.nodes().into_iter().all(is_way),
        };
        self.steps.iter().chain(&self.last_steps).all(|step| match step {
            PlanStep::Compute(_) => true,
            PlanStep::Fix { unknowns, .. } => unknowns.iter().all(|(_, body)| is_way(*body)),
            PlanStep::Check(check, guard) => {
                checks(check) && guard.iter().flat_map(|guard| guard.nodes()).all(is_way)
            }
        })
    }

    /// `None` if creation is used in another way. `told` is of the operations before.
    fn telling(&self, op: &Op, told: &[Telling]) -> Option<Telling> {
        use Telling::*;
        let at = |n: &Node| told[n.index()];
        Some(match op {
            Op::Prim(Prim::Tc) => Step { po: false },
            Op::Empty | Op::Id | Op::Any | Op::Prim(_) | Op::Set(_) | Op::Unknown => Way,
            Op::Union(a, b) => match (at(a), at(b)) {
                (Way, Way) => Way,
                _ if self.is_step(*a) && self.is_step(*b) => {
                    Step { po: self.may_be_po(*a) || self.may_be_po(*b) }
                }
                _ => return None,
            },
            Op::Plus(a) => match at(a) {
                Way | Step { po: true } => Way,
                _ => return None,
            },
            Op::Seq(a, b) => match (at(a), at(b)) {
                (Way, Way) => Way,
                (Way, Step { .. }) if self.ends_in_way(*a) => Begun,
                (Step { .. }, Way) if self.begins_with_way(*b) => Ended,
                (Begun, Way) if self.begins_with_way(*b) => Way,
                (Way, Ended) if self.ends_in_way(*a) => Way,
                _ => return None,
            },
            Op::Inter(a, b) | Op::Diff(a, b) if at(a) == Way && at(b) == Way => Way,
            Op::Opt(a) | Op::Inverse(a) | Op::Domain(a) | Op::Range(a) if at(a) == Way => Way,
            _ => return None,
        })
    }

    /// Whether this is a step by program order, creation or end of threads.
    fn is_step(&self, n: Node) -> bool {
        match self.ops[n.index()] {
            Op::Prim(Prim::Po | Prim::Tc | Prim::Tj) => true,
            Op::Union(a, b) => self.is_step(a) && self.is_step(b),
            _ => false,
        }
    }

    /// Whether such a step may be by program order.
    fn may_be_po(&self, n: Node) -> bool {
        match self.ops[n.index()] {
            Op::Prim(prim) => prim == Prim::Po,
            Op::Union(a, b) => self.may_be_po(a) || self.may_be_po(b),
            _ => false,
        }
    }

    fn may_create(&self, n: Node) -> bool {
        match self.ops[n.index()] {
            Op::Prim(prim) => prim == Prim::Tc,
            Op::Union(a, b) => self.may_create(a) || self.may_create(b),
            _ => false,
        }
    }

    fn ends_in_way(&self, n: Node) -> bool {
        self.is_any_way(n) || matches!(self.ops[n.index()], Op::Seq(_, last) if self.ends_in_way(last))
    }

    fn begins_with_way(&self, n: Node) -> bool {
        self.is_any_way(n) || matches!(self.ops[n.index()], Op::Seq(first, _) if self.begins_with_way(first))
    }

    /// Any number of steps, program order and creation among them.
    fn is_any_way(&self, n: Node) -> bool {
        let Op::Opt(n) = self.ops[n.index()] else { return false };
        let Op::Plus(n) = self.ops[n.index()] else { return false };
        self.is_step(n) && self.may_be_po(n) && self.may_create(n)
    }
}
