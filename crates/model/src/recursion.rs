//! `let rec`: systems of linear equations over terms.

use crate::term::{Term, Terms};
use selvedge_kat::arden::{self, Algebra};
use selvedge_kat::{DefBody, DefId, Diagnostic};

impl Terms<'_> {
    /// A group of recursive definitions, where each is linear.
    pub(crate) fn solve(&mut self, group: u32) -> Result<(), Diagnostic> {
        let theory = self.theory;
        let ids: Vec<DefId> = (0..theory.defs.len() as u32)
            .map(DefId)
            .filter(|id| theory.defs[id.0 as usize].rec_group == Some(group))
            .collect();
        for id in &ids {
            self.defs.insert(*id, Term::Var(*id));
        }
        let mut bodies = Vec::new();
        for id in &ids {
            let def = &theory.defs[id.0 as usize];
            let DefBody::Rel(rel) = &def.body else {
                return self.refuse(&def.span, "recursive sets are not supported", "write the set out");
            };
            bodies.push(self.rel(rel, &def.span)?);
        }
        match arden::solve(&Paths, &ids, bodies) {
            Ok(solved) => {
                self.defs.extend(ids.into_iter().zip(solved));
                Ok(())
            }
            Err(number) => {
                let def = &theory.defs[ids[number].0 as usize];
                self.refuse(
                    &def.span,
                    format!("the recursion of `{}` is not linear", def.name),
                    "only `x = a ; x | b`, `x = x ; a | b` and `x = x ; x | b` have a regular solution",
                )
            }
        }
    }
}

/// Terms over the steps of a graph.
struct Paths;

impl Algebra for Paths {
    type Term = Term;

    fn empty(&self) -> Term {
        Term::Empty
    }

    fn unknown(&self, x: DefId) -> Term {
        Term::Var(x)
    }

    fn union(&self, a: Term, b: Term) -> Term {
        Term::union(a, b)
    }

    fn seq(&self, a: Term, b: Term) -> Term {
        Term::seq(a, b)
    }

    fn star(&self, a: Term) -> Term {
        Term::star(a)
    }

    fn plus(&self, a: Term) -> Term {
        Term::plus(a)
    }

    fn sides<'t>(&self, term: &'t Term) -> Option<(&'t Term, &'t Term)> {
        if let Term::Union(a, b) = term { Some((a, b)) } else { None }
    }

    fn parts<'t>(&self, term: &'t Term) -> Option<(&'t Term, &'t Term)> {
        if let Term::Seq(a, b) = term { Some((a, b)) } else { None }
    }

    fn mentions(&self, term: &Term, x: DefId) -> bool {
        term.mentions(&[x])
    }

    fn substitute(&self, term: &Term, x: DefId, by: &Term) -> Term {
        let inside = |term: &Term| self.substitute(term, x, by);
        match term {
            Term::Var(v) if *v == x => by.clone(),
            Term::Seq(a, b) => Term::seq(inside(a), inside(b)),
            Term::Union(a, b) => Term::union(inside(a), inside(b)),
            Term::Plus(a) => Term::plus(inside(a)),
            Term::Opt(a) => Term::Opt(Box::new(inside(a))),
            Term::Empty | Term::Test(_) | Term::Letter(_) | Term::Var(_) => term.clone(),
        }
    }
}
