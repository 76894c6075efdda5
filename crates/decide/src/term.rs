//! Terms of Kleene algebra with tests.

use crate::class::Mask;
use crate::fact::Facts;
use selvedge_kat::ast::DefId;
use std::rc::Rc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Empty,
    /// The identity on a set of events.
    Test(Mask),
    /// One step between events with these facts.
    Edge(Facts),
    Union(Rc<Term>, Rc<Term>),
    Seq(Rc<Term>, Rc<Term>),
    Star(Rc<Term>),
    /// The walks of a term whose ends access the same location, as far as their steps tell.
    Located(Rc<Located>),
    /// A recursive definition that is being solved.
    Var(DefId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    pub term: Term,
    pub accesses: Mask,
    /// The initialising event is of every location.
    pub init: Mask,
    /// Of the anchor's location.
    pub same_loc: Mask,
}

/// `(rf | co | fr)+`, for right sides: there are more ways to match it.
pub fn closed_eco(all: Mask) -> Term {
    let com = [Facts::RF, Facts::CO, Facts::FR].map(Term::Edge).into_iter().reduce(Term::union);
    Term::plus(com.unwrap_or(Term::Empty), all)
}

/// `(rf | co | fr)+` without repetition (thesis §3.4.1). Equal, and better on the left side: there are
/// fewer walks to cover.
pub fn eco(all: Mask) -> Term {
    let (rf, co, fr) = (Term::Edge(Facts::RF), Term::Edge(Facts::CO), Term::Edge(Facts::FR));
    let more = Term::union(Term::Test(all), rf.clone());
    Term::union(rf, Term::seq(Term::union(co, fr), more))
}

impl Term {
    pub fn union(a: Term, b: Term) -> Term {
        match (a, b) {
            (Term::Empty, t) | (t, Term::Empty) => t,
            (Term::Test(x), Term::Test(y)) => Term::Test(x | y),
            (a, b) if a == b => a,
            (a, b) => Term::Union(Rc::new(a), Rc::new(b)),
        }
    }

    pub fn seq(a: Term, b: Term) -> Term {
        match (a, b) {
            (Term::Empty, _) | (_, Term::Empty) => Term::Empty,
            (Term::Test(x), Term::Test(y)) => Term::test(x & y),
            (a, b) => Term::Seq(Rc::new(a), Rc::new(b)),
        }
    }

    pub fn test(mask: Mask) -> Term {
        if mask == 0 { Term::Empty } else { Term::Test(mask) }
    }

    pub fn star(a: Term, all: Mask) -> Term {
        match a {
            Term::Empty | Term::Test(_) => Term::Test(all),
            Term::Star(_) => a,
            a => Term::Star(Rc::new(a)),
        }
    }

    pub fn plus(a: Term, all: Mask) -> Term {
        match a {
            Term::Empty => Term::Empty,
            Term::Test(m) => Term::Test(m),
            a => Term::seq(a.clone(), Term::star(a, all)),
        }
    }

    pub fn inverse(&self) -> Term {
        match self {
            Term::Empty | Term::Test(_) | Term::Var(_) => self.clone(),
            Term::Edge(f) => Term::Edge(f.inverse()),
            Term::Union(a, b) => Term::union(a.inverse(), b.inverse()),
            Term::Seq(a, b) => Term::seq(b.inverse(), a.inverse()),
            Term::Star(a) => Term::Star(Rc::new(a.inverse())),
            Term::Located(a) => Term::Located(Rc::new(Located { term: a.term.inverse(), ..(**a).clone() })),
        }
    }

    /// The events at which it has words without steps.
    fn without_steps(&self, all: Mask) -> Mask {
        match self {
            Term::Empty | Term::Edge(_) | Term::Var(_) => 0,
            Term::Test(m) => *m,
            Term::Union(a, b) => a.without_steps(all) | b.without_steps(all),
            Term::Seq(a, b) => a.without_steps(all) & b.without_steps(all),
            Term::Star(_) => all,
            Term::Located(a) => a.term.without_steps(all),
        }
    }

    /// The words that do not end with a step of `facts`, and some that do.
    pub fn ends_otherwise(&self, facts: Facts, all: Mask) -> Term {
        match self {
            Term::Edge(f) if f.has(facts) => Term::Empty,
            Term::Empty | Term::Test(_) | Term::Edge(_) | Term::Located(_) | Term::Var(_) => self.clone(),
            Term::Union(a, b) => Term::union(a.ends_otherwise(facts, all), b.ends_otherwise(facts, all)),
            Term::Seq(a, b) => {
                // Where the second part has no steps, the first one ends the word.
                let rest = Term::seq((**a).clone(), b.ends_otherwise_with_steps(facts, all));
                let whole = Term::seq(a.ends_otherwise(facts, all), Term::test(b.without_steps(all)));
                Term::union(rest, whole)
            }
            Term::Star(a) => {
                Term::union(Term::Test(all), Term::seq(self.clone(), a.ends_otherwise_with_steps(facts, all)))
            }
        }
    }

    /// The same without the words that have no steps.
    fn ends_otherwise_with_steps(&self, facts: Facts, all: Mask) -> Term {
        match self {
            Term::Test(_) => Term::Empty,
            Term::Union(a, b) => {
                Term::union(a.ends_otherwise_with_steps(facts, all), b.ends_otherwise_with_steps(facts, all))
            }
            Term::Seq(a, b) => {
                let rest = Term::seq((**a).clone(), b.ends_otherwise_with_steps(facts, all));
                let whole =
                    Term::seq(a.ends_otherwise_with_steps(facts, all), Term::test(b.without_steps(all)));
                Term::union(rest, whole)
            }
            Term::Star(a) => Term::seq(self.clone(), a.ends_otherwise_with_steps(facts, all)),
            Term::Empty | Term::Edge(_) | Term::Located(_) | Term::Var(_) => self.ends_otherwise(facts, all),
        }
    }

    /// Whether it is `rf | co | fr`, in any order.
    pub fn is_com(&self) -> bool {
        fn gather(t: &Term, seen: &mut Facts) -> bool {
            let com = Facts::RF.and(Facts::CO).and(Facts::FR);
            match t {
                Term::Union(a, b) => gather(a, seen) && gather(b, seen),
                Term::Edge(f) if com.has(*f) => {
                    *seen = seen.and(*f);
                    f.0.count_ones() == 1
                }
                _ => false,
            }
        }
        let mut seen = Facts::NONE;
        gather(self, &mut seen) && seen == Facts::RF.and(Facts::CO).and(Facts::FR)
    }

    /// Each step has these facts, too, and the events between are in `middle`. Of what is not known
    /// yet, nothing.
    pub fn each_step(&self, facts: Facts, middle: Mask) -> Term {
        let of = |t: &Term| t.each_step(facts, middle);
        match self {
            Term::Var(_) => Term::Empty,
            Term::Empty | Term::Test(_) => self.clone(),
            Term::Edge(f) => Term::Edge(f.and(facts)),
            Term::Union(a, b) => Term::union(of(a), of(b)),
            Term::Seq(a, b) => Term::seq(Term::seq(of(a), Term::Test(middle)), of(b)),
            Term::Star(a) => Term::Star(Rc::new(Term::seq(of(a), Term::Test(middle)))),
            // Only on the left side.
            Term::Located(_) => Term::Empty,
        }
    }
}

/// At most one step, with tests around it: `(from, facts, to)` for the steps, and the events that are
/// related to themselves by no step.
pub struct Steps {
    pub id: Mask,
    pub steps: Vec<(Mask, Facts, Mask)>,
}

impl Steps {
    pub fn of(term: &Term, all: Mask) -> Option<Steps> {
        Some(match term {
            Term::Empty => Steps { id: 0, steps: vec![] },
            Term::Test(m) => Steps { id: *m, steps: vec![] },
            Term::Edge(f) => Steps { id: 0, steps: vec![(all, *f, all)] },
            Term::Union(a, b) => {
                let (mut a, b) = (Steps::of(a, all)?, Steps::of(b, all)?);
                a.id |= b.id;
                a.steps.extend(b.steps);
                a
            }
            Term::Seq(a, b) => {
                let (a, b) = (Steps::of(a, all)?, Steps::of(b, all)?);
                if !a.steps.is_empty() && !b.steps.is_empty() {
                    return None;
                }
                let mut steps: Vec<_> = a.steps.iter().map(|(s, f, t)| (*s, *f, t & b.id)).collect();
                steps.extend(b.steps.iter().map(|(s, f, t)| (s & a.id, *f, *t)));
                Steps { id: a.id & b.id, steps }
            }
            Term::Star(_) | Term::Located(_) | Term::Var(_) => return None,
        })
    }

    pub fn any_declared(&self) -> bool {
        self.steps.iter().any(|(_, f, _)| f.is_declared())
    }

    pub fn term(&self, all: Mask) -> Term {
        let mut out = Term::test(self.id);
        for (s, f, t) in &self.steps {
            out = Term::union(out, step(*s, *f, *t, all));
        }
        out
    }
}

/// Whether a term depends on a definition that is being solved.
pub fn has_var(term: &Term) -> bool {
    match term {
        Term::Var(_) => true,
        Term::Empty | Term::Test(_) | Term::Edge(_) => false,
        Term::Union(a, b) | Term::Seq(a, b) => has_var(a) || has_var(b),
        Term::Star(a) => has_var(a),
        Term::Located(a) => has_var(&a.term),
    }
}

pub fn step(from: Mask, facts: Facts, to: Mask, all: Mask) -> Term {
    if from == 0 || to == 0 {
        return Term::Empty;
    }
    let mut t = Term::Edge(facts);
    if from != all {
        t = Term::seq(Term::Test(from), t);
    }
    if to != all {
        t = Term::seq(t, Term::Test(to));
    }
    t
}
