//! What a question mentions: predicates, declared names, built-in relations.

use crate::class::Test;
use selvedge_kat::ast::{Constraint, DefBody, Inclusion, Pred, Prim, Rel, Set, Theory};
use selvedge_kat::{Sign, Subterm, Walk};

#[derive(Default)]
pub struct Used {
    pub preds: Vec<Pred>,
    /// The sets as a whole: where they are all that is asked of events, fewer kinds of events are told apart.
    pub tests: Vec<Test>,
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

    /// Adds what its assumptions mention. Those which only keep declared predicates apart say nothing of
    /// predicates that nobody asks about, which may as well be empty.
    pub fn assumes(&mut self, theory: &Theory) {
        let claims = theory.assumes.iter().map(|(claim, _)| claim);
        let claims = claims.filter(|claim| kept_apart(claim).is_none());
        self.rels(theory, claims.flat_map(Inclusion::rels));
    }

    /// Adds what a claim mentions that is made with its definitions.
    pub fn inclusion(&mut self, theory: &Theory, claim: &Inclusion) {
        self.rels(theory, claim.rels());
    }

    fn rels<'t>(&mut self, theory: &'t Theory, rels: impl Iterator<Item = &'t Rel>) {
        let mut walk = Walk::new(theory);
        for rel in rels {
            // What is mentioned has no sign.
            walk.visit(Subterm::Rel(rel), Sign::Positive, &mut |part, _| self.see(theory, part));
        }
    }

    fn see(&mut self, theory: &Theory, part: Subterm<'_>) {
        match part {
            Subterm::Rel(Rel::Test(set)) => self.test(theory, set),
            Subterm::Rel(Rel::Cross(a, b)) => {
                self.test(theory, a);
                self.test(theory, b);
            }
            Subterm::Rel(Rel::Def(id)) => {
                if let DefBody::Set(set) = &theory.defs[id.0 as usize].body {
                    self.test(theory, set);
                }
            }
            Subterm::Rel(Rel::Prim(prim)) => note(&mut self.prims, prim),
            Subterm::Rel(Rel::Declared(name)) => note(&mut self.relations, name),
            Subterm::Rel(Rel::Diff(_, taken)) => self.rmw_apart |= **taken == Rel::Prim(Prim::Rmw),
            Subterm::Set(Set::Pred(pred)) => note(&mut self.preds, pred),
            Subterm::Set(Set::Declared(name)) => note(&mut self.predicates, name),
            _ => {}
        }
    }

    fn test(&mut self, theory: &Theory, set: &Set) {
        match resolved(theory, set) {
            Some(test) => note(&mut self.tests, &test),
            None => {
                let mut walk = Walk::new(theory);
                walk.visit(Subterm::Set(set), Sign::Positive, &mut |part, _| {
                    if let Subterm::Set(Set::Pred(pred)) = part {
                        note(&mut self.tests, &Test::Pred(*pred));
                    }
                });
            }
        }
    }
}

/// The two declared predicates of which a claim says that they do not hold of the same event.
pub fn kept_apart(claim: &Inclusion) -> Option<(&str, &str)> {
    let Inclusion::Subset(Rel::Test(Set::Inter(a, b)), Rel::Empty) = claim else { return None };
    match (&**a, &**b) {
        (Set::Declared(a), Set::Declared(b)) if a != b => Some((a, b)),
        _ => None,
    }
}

/// A set by built-in predicates alone; `None` if there is more to it.
fn resolved(theory: &Theory, set: &Set) -> Option<Test> {
    let of = |set: &Set| resolved(theory, set).map(Box::new);
    Some(match set {
        Set::Empty => Test::Pred(Pred::Never),
        Set::Pred(pred) => Test::Pred(*pred),
        Set::Def(id) => match &theory.defs[id.0 as usize] {
            def if def.rec_group.is_some() => return None,
            def => match &def.body {
                DefBody::Set(set) => resolved(theory, set)?,
                DefBody::Rel(_) => return None,
            },
        },
        Set::Union(a, b) => Test::Or(of(a)?, of(b)?),
        Set::Inter(a, b) => Test::And(of(a)?, of(b)?),
        Set::Diff(a, b) => Test::And(of(a)?, Box::new(Test::Not(of(b)?))),
        Set::Not(a) => Test::Not(of(a)?),
        Set::Declared(_) | Set::Domain(_) | Set::Range(_) => return None,
    })
}
