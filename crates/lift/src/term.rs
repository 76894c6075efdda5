//! What is known of values: terms over the variables of the state before a step.

use crate::samples::Num;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rel {
    Eq,
    Le,
    Lt,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Term {
    Num(Num),
    /// The number of the thread.
    Me,
    /// A variable of the thread.
    Local(usize),
    /// A shared variable, at indices.
    Cell(usize, Vec<Term>),
    Add(Box<Term>, Box<Term>),
    Mul(i64, Box<Term>),
    Rem(Box<Term>, Num),
    Pow2(Box<Term>),
    Cmp(Rel, Box<Term>, Box<Term>),
    Not(Box<Term>),
    And(Box<Term>, Box<Term>),
    Ite(Box<Term>, Box<Term>, Box<Term>),
}

/// Which variables hold truth values only.
pub trait Truths {
    fn local(&self, local: usize) -> bool;
    fn cell(&self, global: usize) -> bool;
}

impl Term {
    pub fn int(n: i64) -> Term {
        Term::Num(Num::of(n))
    }

    pub fn truth(b: bool) -> Term {
        Term::int(i64::from(b))
    }

    /// Its value, if it is always the same.
    pub fn fixed(&self) -> Option<i64> {
        if let Term::Num(n) = self { n.fixed() } else { None }
    }

    /// It is the same for a thread all the time.
    pub fn is_constant(&self) -> bool {
        matches!(self, Term::Num(_) | Term::Me)
    }

    /// It is 0 or 1.
    pub fn is_truth(&self, of: &dyn Truths) -> bool {
        match self {
            Term::Num(n) => matches!(n.fixed(), Some(0 | 1)),
            Term::Local(l) => of.local(*l),
            Term::Cell(c, _) => of.cell(*c),
            Term::Cmp(..) | Term::Not(_) | Term::And(..) => true,
            Term::Ite(_, a, b) => a.is_truth(of) && b.is_truth(of),
            _ => false,
        }
    }

    /// It is certainly not negative.
    pub fn is_natural(&self, of: &dyn Truths) -> bool {
        match self {
            Term::Num(n) => n.is_natural(),
            Term::Me | Term::Pow2(_) | Term::Rem(..) => true,
            Term::Add(a, b) => a.is_natural(of) && b.is_natural(of),
            Term::Mul(k, a) => *k >= 0 && a.is_natural(of),
            Term::Ite(_, a, b) => a.is_natural(of) && b.is_natural(of),
            term => term.is_truth(of),
        }
    }

    pub fn plus(self, other: Term) -> Term {
        match (self, other) {
            (Term::Num(a), Term::Num(b)) => Term::Num(a.plus(b)),
            (a, Term::Num(b)) if b == Num::default() => a,
            (Term::Num(a), b) if a == Num::default() => b,
            // Numbers go last and are put together.
            (Term::Add(a, b), Term::Num(c)) if matches!(*b, Term::Num(_)) => a.plus(b.plus(Term::Num(c))),
            (Term::Num(a), b) => Term::Add(Box::new(b), Box::new(Term::Num(a))),
            (a, b) => Term::Add(Box::new(a), Box::new(b)),
        }
    }

    pub fn times(self, k: i64) -> Term {
        match (self, k) {
            (_, 0) => Term::int(0),
            (t, 1) => t,
            (Term::Num(a), k) => Term::Num(a.times(k)),
            (Term::Mul(j, t), k) => t.times(j * k),
            (t, k) => Term::Mul(k, Box::new(t)),
        }
    }

    pub fn not(self) -> Term {
        match self {
            Term::Num(n) if n.fixed().is_some() => Term::truth(n.fixed() == Some(0)),
            Term::Not(t) => *t,
            Term::Cmp(Rel::Le, a, b) => Term::Cmp(Rel::Lt, b, a),
            Term::Cmp(Rel::Lt, a, b) => Term::Cmp(Rel::Le, b, a),
            t => Term::Not(Box::new(t)),
        }
    }

    pub fn and(self, other: Term) -> Term {
        match (self.fixed(), other.fixed()) {
            (Some(0), _) | (_, Some(0)) => Term::truth(false),
            (Some(_), _) => other,
            (_, Some(_)) => self,
            _ => Term::And(Box::new(self), Box::new(other)),
        }
    }

    pub fn compare(rel: Rel, a: Term, b: Term, of: &dyn Truths) -> Term {
        if let (Some(x), Some(y)) = (a.fixed(), b.fixed()) {
            return Term::truth(match rel {
                Rel::Eq => x == y,
                Rel::Le => x <= y,
                Rel::Lt => x < y,
            });
        }
        if rel == Rel::Eq {
            if a == b {
                return Term::truth(true);
            }
            // A truth value is compared with 0 or 1.
            for (x, y) in [(&a, &b), (&b, &a)] {
                match (x.is_truth(of), y.fixed()) {
                    (true, Some(1)) => return x.clone(),
                    (true, Some(0)) => return x.clone().not(),
                    _ => {}
                }
            }
        }
        Term::Cmp(rel, Box::new(a), Box::new(b))
    }

    pub fn ite(cond: Term, a: Term, b: Term) -> Term {
        match (cond.fixed(), a.fixed(), b.fixed()) {
            (Some(0), ..) => b,
            (Some(_), ..) => a,
            (None, Some(1), Some(0)) => cond,
            (None, Some(0), Some(1)) => cond.not(),
            _ if a == b => a,
            _ => Term::Ite(Box::new(cond), Box::new(a), Box::new(b)),
        }
    }

    /// As a condition.
    pub fn holds(self, of: &dyn Truths) -> Term {
        if self.is_truth(of) { self } else { Term::compare(Rel::Eq, self, Term::int(0), of).not() }
    }

    /// Calls `visit` with it and all of its parts.
    pub fn each(&self, visit: &mut dyn FnMut(&Term)) {
        visit(self);
        match self {
            Term::Num(_) | Term::Me | Term::Local(_) => {}
            Term::Cell(_, all) => all.iter().for_each(|t| t.each(visit)),
            Term::Mul(_, a) | Term::Rem(a, _) | Term::Pow2(a) | Term::Not(a) => a.each(visit),
            Term::Add(a, b) | Term::Cmp(_, a, b) | Term::And(a, b) => {
                a.each(visit);
                b.each(visit);
            }
            Term::Ite(a, b, c) => {
                a.each(visit);
                b.each(visit);
                c.each(visit);
            }
        }
    }

    /// Whether it speaks of something.
    pub fn mentions(&self, test: &dyn Fn(&Term) -> bool) -> bool {
        let mut found = false;
        self.each(&mut |t| found |= test(t));
        found
    }
}
