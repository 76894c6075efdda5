//! `let rec`: systems of linear equations over terms have regular solutions.

use crate::class::Mask;
use crate::term::Term;
use selvedge_kat::arden::{self, Algebra};
use selvedge_kat::ast::DefId;

/// Solves `ids[i] = bodies[i]`. `None` if a body is not linear.
pub fn solve(ids: &[DefId], bodies: Vec<Term>, all: Mask) -> Option<Vec<Term>> {
    arden::solve(&Walks { all }, ids, bodies).ok()
}

/// The term with another one in place of an unknown.
pub fn substitute(term: &Term, x: DefId, by: &Term, all: Mask) -> Term {
    Walks { all }.substitute(term, x, by)
}

/// Terms over facts about pairs of events.
struct Walks {
    /// All classes of events.
    all: Mask,
}

impl Algebra for Walks {
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
        Term::star(a, self.all)
    }

    fn plus(&self, a: Term) -> Term {
        Term::plus(a, self.all)
    }

    fn sides<'t>(&self, term: &'t Term) -> Option<(&'t Term, &'t Term)> {
        if let Term::Union(a, b) = term { Some((a, b)) } else { None }
    }

    fn parts<'t>(&self, term: &'t Term) -> Option<(&'t Term, &'t Term)> {
        if let Term::Seq(a, b) = term { Some((a, b)) } else { None }
    }

    fn mentions(&self, term: &Term, x: DefId) -> bool {
        match term {
            Term::Var(v) => *v == x,
            Term::Empty | Term::Test(_) | Term::Edge(_) => false,
            Term::Union(a, b) | Term::Seq(a, b) => self.mentions(a, x) || self.mentions(b, x),
            Term::Star(a) => self.mentions(a, x),
            Term::Located(a) => self.mentions(&a.term, x),
        }
    }

    fn substitute(&self, term: &Term, x: DefId, by: &Term) -> Term {
        let inside = |term: &Term| self.substitute(term, x, by);
        match term {
            Term::Var(v) if *v == x => by.clone(),
            Term::Seq(a, b) => Term::seq(inside(a), inside(b)),
            Term::Union(a, b) => Term::union(inside(a), inside(b)),
            Term::Star(a) => self.star(inside(a)),
            // Located terms have no unknowns.
            Term::Empty | Term::Test(_) | Term::Edge(_) | Term::Located(_) | Term::Var(_) => term.clone(),
        }
    }
}
