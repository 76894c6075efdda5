//! How large and how deep terms are with their definitions in place of names.
//!
//! `let a1 = a0 ; a0  let a2 = a1 ; a1 …` is short to write and has no end when it is written out. Whoever writes terms out
//! asks before; nobody who follows definitions has to fear for the stack.

use crate::ast::{Axiom, Def, Rel, Theory};
use crate::walk::Subterm;
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
    fn above(parts: impl Iterator<Item = Extent>) -> Extent {
        let inside = parts.fold(Extent { size: 0, depth: 0 }, |all, part| Extent {
            size: all.size.saturating_add(part.size),
            depth: all.depth.max(part.depth),
        });
        Extent { size: inside.size.saturating_add(1), depth: inside.depth.saturating_add(1) }
    }
}

/// Of a term; `known` are those of the definitions before it. What is not known yet is being defined: it stays a name.
pub(crate) fn of(part: Subterm<'_>, known: &[Extent]) -> Extent {
    match part.def() {
        Some(id) => {
            let extent = known.get(id.0 as usize).copied().unwrap_or(ONE);
            Extent { depth: extent.depth.saturating_add(1), ..extent }
        }
        None => Extent::above(part.parts().map(|(below, _)| of(below, known))),
    }
}

fn of_all<'r>(rels: impl Iterator<Item = &'r Rel>, known: &[Extent]) -> u64 {
    rels.fold(0, |all: u64, rel| all.saturating_add(of(Subterm::Rel(rel), known).size))
}

/// Of all definitions, in order.
fn of_defs(defs: &[Def]) -> Vec<Extent> {
    let mut known = Vec::with_capacity(defs.len());
    for def in defs {
        let extent = of(Subterm::from(&def.body), &known);
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
            let condition = axiom.unless.iter().flat_map(|unless| unless.rels());
            of_all(axiom.constraint.rels().chain(condition), &known)
        };
        let axioms = self.axioms.iter().filter(|a| !a.extra).map(|a| (of_axiom(a), &a.span));
        let views = self.defs.iter().zip(&known).filter(|(def, _)| def.view);
        axioms.chain(views.map(|(def, extent)| (extent.size, &def.span))).max_by_key(|(size, _)| *size)
    }
}
