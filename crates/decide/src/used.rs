//! What a question mentions: predicates, declared names, built-in relations.

use selvedge_kat::ast::{Constraint, DefBody, DefId, Inclusion, Pred, Prim, Rel, Set, Theory};
use std::collections::HashSet;

#[derive(Default)]
pub struct Used {
    pub preds: Vec<Pred>,
    pub prims: Vec<Prim>,
    pub relations: Vec<String>,
    pub predicates: Vec<String>,
    /// Whether `rmw` is taken away from something.
    pub rmw_apart: bool,
}

fn note<T: PartialEq + Clone>(list: &mut Vec<T>, item: &T) {
    if !list.contains(item) {
        list.push(item.clone());
    }
}

/// Walks the terms of one theory.
pub struct Walk<'a, 'u> {
    theory: &'a Theory,
    seen: HashSet<DefId>,
    used: &'u mut Used,
}

impl<'a, 'u> Walk<'a, 'u> {
    pub fn new(theory: &'a Theory, used: &'u mut Used) -> Walk<'a, 'u> {
        Walk { theory, seen: HashSet::new(), used }
    }

    pub fn axioms(&mut self) {
        for axiom in &self.theory.axioms {
            match &axiom.constraint {
                Constraint::Acyclic(r)
                | Constraint::Irreflexive(r)
                | Constraint::Empty(r)
                | Constraint::Coherence(r) => self.rel(r),
                Constraint::Inclusion(i) => self.inclusion(i),
                Constraint::Error { .. } => {}
            }
        }
    }

    pub fn assumes(&mut self) {
        for (i, _) in &self.theory.assumes {
            self.inclusion(i);
        }
    }

    pub fn inclusion(&mut self, i: &Inclusion) {
        match i {
            Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => {
                self.rel(a);
                self.rel(b);
            }
            Inclusion::Total(a) => self.rel(a),
        }
    }

    fn def(&mut self, id: DefId) {
        if self.seen.insert(id) {
            match &self.theory.defs[id.0 as usize].body {
                DefBody::Rel(r) => self.rel(r),
                DefBody::Set(s) => self.set(s),
            }
        }
    }

    pub fn rel(&mut self, rel: &Rel) {
        match rel {
            Rel::Empty | Rel::Id => {}
            Rel::Prim(p) => note(&mut self.used.prims, p),
            Rel::Def(id) => self.def(*id),
            Rel::Declared(name) => note(&mut self.used.relations, name),
            Rel::Test(s) => self.set(s),
            Rel::Cross(a, b) => {
                self.set(a);
                self.set(b);
            }
            Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => {
                self.used.rmw_apart |= matches!(rel, Rel::Diff(..)) && **b == Rel::Prim(Prim::Rmw);
                self.rel(a);
                self.rel(b);
            }
            Rel::Star(a)
            | Rel::Plus(a)
            | Rel::Opt(a)
            | Rel::Inverse(a)
            | Rel::Not(a)
            | Rel::SameEnds(a)
            | Rel::Rot(a) => self.rel(a),
        }
    }

    pub fn set(&mut self, set: &Set) {
        match set {
            Set::Empty => {}
            Set::Pred(p) => note(&mut self.used.preds, p),
            Set::Def(id) => self.def(*id),
            Set::Declared(name) => note(&mut self.used.predicates, name),
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                self.set(a);
                self.set(b);
            }
            Set::Not(a) => self.set(a),
            Set::Domain(r) | Set::Range(r) => self.rel(r),
        }
    }
}
