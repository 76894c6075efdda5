//! `let rec`: systems of linear equations over terms have regular solutions (Arden).

use crate::class::Mask;
use crate::term::Term;
use selvedge_kat::ast::DefId;

/// Solves `ids[i] = bodies[i]` by elimination. `None` if a body is not linear.
pub fn solve(ids: &[DefId], mut bodies: Vec<Term>, all: Mask) -> Option<Vec<Term>> {
    let mut solved: Vec<Term> = Vec::new();
    for (i, id) in ids.iter().enumerate() {
        let term = eliminate(&bodies[i], *id, all)?;
        for body in bodies.iter_mut().skip(i + 1) {
            *body = substitute(body, *id, &term, all);
        }
        solved.push(term);
    }
    for i in (0..ids.len()).rev() {
        let term = solved[i].clone();
        for earlier in solved.iter_mut().take(i) {
            *earlier = substitute(earlier, ids[i], &term, all);
        }
    }
    Some(solved)
}

fn mentions(term: &Term, x: DefId) -> bool {
    match term {
        Term::Var(v) => *v == x,
        Term::Empty | Term::Test(_) | Term::Edge(_) => false,
        Term::Union(a, b) | Term::Seq(a, b) => mentions(a, x) || mentions(b, x),
        Term::Star(a) => mentions(a, x),
        Term::Located(a) => mentions(&a.term, x),
    }
}

/// Solves `x = body`: `x = a ; x | x ; b | c` is `a* ; c ; b*`, and `x = x ; x | c` is `c+`.
fn eliminate(body: &Term, x: DefId, all: Mask) -> Option<Term> {
    let (mut left, mut right, mut square, mut rest) = (Term::Empty, Term::Empty, false, Term::Empty);
    let mut parts = vec![body];
    let is_x = |t: &Term| *t == Term::Var(x);
    while let Some(part) = parts.pop() {
        match part {
            Term::Union(a, b) => parts.extend([&**a, &**b]),
            t if is_x(t) => {}
            t if !mentions(t, x) => rest = Term::union(t.clone(), rest),
            Term::Seq(a, b) if is_x(a) && is_x(b) => square = true,
            Term::Seq(a, b) if is_x(a) && !mentions(b, x) => right = Term::union((**b).clone(), right),
            Term::Seq(a, b) if is_x(b) && !mentions(a, x) => left = Term::union((**a).clone(), left),
            _ => return None,
        }
    }
    let star = |t: Term| Term::star(t, all);
    match (left == Term::Empty, right == Term::Empty, square) {
        (true, true, true) => Some(Term::plus(rest, all)),
        (_, _, true) => None,
        _ => Some(Term::seq(Term::seq(star(left), rest), star(right))),
    }
}

pub fn substitute(term: &Term, x: DefId, by: &Term, all: Mask) -> Term {
    match term {
        Term::Var(v) if *v == x => by.clone(),
        Term::Seq(a, b) => Term::seq(substitute(a, x, by, all), substitute(b, x, by, all)),
        Term::Union(a, b) => Term::union(substitute(a, x, by, all), substitute(b, x, by, all)),
        Term::Star(a) => Term::star(substitute(a, x, by, all), all),
        // Located terms have no unknowns.
        Term::Empty | Term::Test(_) | Term::Edge(_) | Term::Located(_) | Term::Var(_) => term.clone(),
    }
}
