//! How large and how deep terms are with their definitions in place of names.
//!
//! `let a1 = a0 ; a0  let a2 = a1 ; a1 …` is short to write and has no end when it is written out. Whoever writes terms out
//! asks before; nobody who follows definitions has to fear for the stack.

use crate::ast::{Axiom, Constraint, Def, DefBody, DefId, Inclusion, Rel, Set, Theory};
use selvedge_diagnostic::Span;

/// How deep terms may be, with definitions in place of names.
pub(crate) const MAX_DEPTH: u32 = 2000;

/// Operators of a term, and how many are inside of each other at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub size: u64,
    pub depth: u32,
}

const ONE: Extent = Extent { size: 1, depth: 1 };

impl Extent {
    fn above(parts: &[Extent]) -> Extent {
        Extent {
            size: parts.iter().fold(1, |sum: u64, part| sum.saturating_add(part.size)),
            depth: parts.iter().map(|part| part.depth).max().unwrap_or(0).saturating_add(1),
        }
    }
}

/// Of a body; `known` are those of the definitions before it. What is not known yet is being defined: it stays a name.
pub(crate) fn of_body(body: &DefBody, known: &[Extent]) -> Extent {
    match body {
        DefBody::Rel(r) => of_rel(r, known),
        DefBody::Set(s) => of_set(s, known),
    }
}

fn of_def(id: DefId, known: &[Extent]) -> Extent {
    let extent = known.get(id.0 as usize).copied().unwrap_or(ONE);
    Extent { depth: extent.depth.saturating_add(1), ..extent }
}

fn of_rel(r: &Rel, known: &[Extent]) -> Extent {
    let rel = |r: &Rel| of_rel(r, known);
    match r {
        Rel::Empty | Rel::Id | Rel::Prim(_) | Rel::Declared(_) => ONE,
        Rel::Def(id) => of_def(*id, known),
        Rel::Test(s) => Extent::above(&[of_set(s, known)]),
        Rel::Cross(a, b) => Extent::above(&[of_set(a, known), of_set(b, known)]),
        Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => {
            Extent::above(&[rel(a), rel(b)])
        }
        Rel::Star(a) | Rel::Plus(a) | Rel::Opt(a) | Rel::Inverse(a) | Rel::Not(a) => Extent::above(&[rel(a)]),
        Rel::SameEnds(a) | Rel::Rot(a) => Extent::above(&[rel(a)]),
    }
}

fn of_set(s: &Set, known: &[Extent]) -> Extent {
    let set = |s: &Set| of_set(s, known);
    match s {
        Set::Empty | Set::Pred(_) | Set::Declared(_) => ONE,
        Set::Def(id) => of_def(*id, known),
        Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => Extent::above(&[set(a), set(b)]),
        Set::Not(a) => Extent::above(&[set(a)]),
        Set::Domain(r) | Set::Range(r) => Extent::above(&[of_rel(r, known)]),
    }
}

fn of_inclusion(i: &Inclusion, known: &[Extent]) -> u64 {
    match i {
        Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => {
            of_rel(a, known).size.saturating_add(of_rel(b, known).size)
        }
        Inclusion::Total(r) => of_rel(r, known).size,
    }
}

/// Of all definitions, in order.
fn of_defs(defs: &[Def]) -> Vec<Extent> {
    let mut known = Vec::with_capacity(defs.len());
    for def in defs {
        let extent = of_body(&def.body, &known);
        known.push(extent);
    }
    known
}

impl Theory {
    /// Where the model is largest with definitions in place of names, and how many operators it has there: axioms
    /// that are part of the model, and definitions that are kept by event.
    pub fn largest(&self) -> Option<(u64, &Span)> {
        let known = of_defs(&self.defs);
        let of_axiom = |axiom: &Axiom| {
            let constraint = match &axiom.constraint {
                Constraint::Acyclic(r)
                | Constraint::Irreflexive(r)
                | Constraint::Empty(r)
                | Constraint::Coherence(r) => of_rel(r, &known).size,
                Constraint::Inclusion(i) | Constraint::Error { unless: i, .. } => of_inclusion(i, &known),
            };
            constraint.saturating_add(axiom.unless.as_ref().map_or(0, |i| of_inclusion(i, &known)))
        };
        let axioms = self.axioms.iter().filter(|a| !a.extra).map(|a| (of_axiom(a), &a.span));
        let views = self.defs.iter().zip(&known).filter(|(def, _)| def.view);
        axioms.chain(views.map(|(def, extent)| (extent.size, &def.span))).max_by_key(|(size, _)| *size)
    }
}
