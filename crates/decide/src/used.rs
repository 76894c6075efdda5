//! What a question mentions: predicates, declared names, built-in relations.

use selvedge_kat::ast::{Constraint, Inclusion, Pred, Prim, Rel, Set, Theory};
use selvedge_kat::{Sign, Subterm, Walk};

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

impl Used {
    /// Adds what the axioms of a theory mention.
    pub fn axioms(&mut self, theory: &Theory) {
        let demands = theory.axioms.iter().map(|axiom| &axiom.constraint).filter(|c| !c.is_error());
        self.rels(theory, demands.flat_map(Constraint::rels));
    }

    /// Adds what its assumptions mention.
    pub fn assumes(&mut self, theory: &Theory) {
        self.rels(theory, theory.assumes.iter().flat_map(|(claim, _)| claim.rels()));
    }

    /// Adds what a claim mentions that is made with its definitions.
    pub fn inclusion(&mut self, theory: &Theory, claim: &Inclusion) {
        self.rels(theory, claim.rels());
    }

    fn rels<'t>(&mut self, theory: &'t Theory, rels: impl Iterator<Item = &'t Rel>) {
        let mut walk = Walk::new(theory);
        for rel in rels {
            // What is mentioned has no sign.
            walk.visit(Subterm::Rel(rel), Sign::Positive, &mut |part, _| self.see(part));
        }
    }

    fn see(&mut self, part: Subterm<'_>) {
        match part {
            Subterm::Rel(Rel::Prim(prim)) => note(&mut self.prims, prim),
            Subterm::Rel(Rel::Declared(name)) => note(&mut self.relations, name),
            Subterm::Rel(Rel::Diff(_, taken)) => self.rmw_apart |= **taken == Rel::Prim(Prim::Rmw),
            Subterm::Set(Set::Pred(pred)) => note(&mut self.preds, pred),
            Subterm::Set(Set::Declared(name)) => note(&mut self.predicates, name),
            _ => {}
        }
    }
}
