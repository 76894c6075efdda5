//! `let rec`: systems of linear equations over terms.

use crate::term::{Term, Terms};
use selvedge_kat::{DefBody, DefId, Diagnostic};

impl Terms<'_> {
    /// A group of recursive definitions, where each is linear: `x = a ; x | b` has the least solution
    /// `a* ; b` (Arden), and `x = x ; x | b` is `b+`.
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
        // Eliminate the definitions one after the other, then substitute back.
        let mut solved: Vec<Term> = Vec::new();
        for (i, id) in ids.iter().enumerate() {
            let body = bodies[i].clone();
            let span = &theory.defs[id.0 as usize].span;
            let Some(term) = eliminate(&body, *id) else {
                return self.refuse(
                    span,
                    format!("the recursion of `{}` is not linear", theory.defs[id.0 as usize].name),
                    "only `x = a ; x | b`, `x = x ; a | b` and `x = x ; x | b` have a regular solution",
                );
            };
            for body in bodies.iter_mut().skip(i + 1) {
                *body = substitute(body, *id, &term);
            }
            solved.push(term);
        }
        for i in (0..ids.len()).rev() {
            let term = solved[i].clone();
            for earlier in solved.iter_mut().take(i) {
                *earlier = substitute(earlier, ids[i], &term);
            }
            self.defs.insert(ids[i], term);
        }
        Ok(())
    }
}

/// Solves `x = body` for `x`, if `body` is linear in it.
fn eliminate(body: &Term, x: DefId) -> Option<Term> {
    let (mut left, mut right, mut square, mut rest) = (Term::Empty, Term::Empty, false, Term::Empty);
    let mut parts = vec![body];
    while let Some(part) = parts.pop() {
        match part {
            Term::Union(a, b) => parts.extend([&**a, &**b]),
            Term::Var(v) if *v == x => {}
            t if !t.mentions(&[x]) => rest = Term::union(t.clone(), rest),
            Term::Seq(a, b) if **a == Term::Var(x) && **b == Term::Var(x) => square = true,
            Term::Seq(a, b) if **a == Term::Var(x) && !b.mentions(&[x]) => {
                right = Term::union((**b).clone(), right)
            }
            Term::Seq(a, b) if **b == Term::Var(x) && !a.mentions(&[x]) => {
                left = Term::union((**a).clone(), left)
            }
            _ => return None,
        }
    }
    match (left, right, square) {
        (Term::Empty, Term::Empty, false) => Some(rest),
        (Term::Empty, Term::Empty, true) => Some(Term::plus(rest)),
        (left, Term::Empty, false) => Some(Term::seq(Term::star(left), rest)),
        (Term::Empty, right, false) => Some(Term::seq(rest, Term::star(right))),
        (left, right, false) => Some(Term::seq(Term::seq(Term::star(left), rest), Term::star(right))),
        _ => None,
    }
}

fn substitute(term: &Term, x: DefId, by: &Term) -> Term {
    match term {
        Term::Var(v) if *v == x => by.clone(),
        Term::Seq(a, b) => Term::seq(substitute(a, x, by), substitute(b, x, by)),
        Term::Union(a, b) => Term::union(substitute(a, x, by), substitute(b, x, by)),
        Term::Plus(a) => Term::plus(substitute(a, x, by)),
        Term::Opt(a) => Term::Opt(Box::new(substitute(a, x, by))),
        other => other.clone(),
    }
}
