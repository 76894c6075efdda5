//! `let rec`: systems of linear equations over regular terms (Arden).
//!
//! `x = a ; x | x ; b | c` has the least solution `a* ; c ; b*`, and `x = x ; x | c` is `c+`. Whoever compiles models has
//! terms of its own; here is what they have in common.

use crate::ast::DefId;

/// Regular terms, and how they are put together.
pub trait Algebra {
    /// What is to be solved for.
    type Term: Clone + PartialEq;

    /// The term that no path satisfies.
    fn empty(&self) -> Self::Term;
    /// An unknown.
    fn unknown(&self, x: DefId) -> Self::Term;
    /// `a | b`.
    fn union(&self, a: Self::Term, b: Self::Term) -> Self::Term;
    /// `a ; b`.
    fn seq(&self, a: Self::Term, b: Self::Term) -> Self::Term;
    /// `a*`.
    fn star(&self, a: Self::Term) -> Self::Term;
    /// `a+`.
    fn plus(&self, a: Self::Term) -> Self::Term;
    /// The sides of a union.
    fn sides<'t>(&self, term: &'t Self::Term) -> Option<(&'t Self::Term, &'t Self::Term)>;
    /// The parts of a composition.
    fn parts<'t>(&self, term: &'t Self::Term) -> Option<(&'t Self::Term, &'t Self::Term)>;
    /// Whether an unknown is part of a term.
    fn mentions(&self, term: &Self::Term, x: DefId) -> bool;
    /// The term with another one in place of an unknown.
    fn substitute(&self, term: &Self::Term, x: DefId, by: &Self::Term) -> Self::Term;
}

/// Solves `ids[i] = bodies[i]` by elimination, then substitutes back. If one is not linear: its number.
pub fn solve<A: Algebra>(
    algebra: &A,
    ids: &[DefId],
    mut bodies: Vec<A::Term>,
) -> Result<Vec<A::Term>, usize> {
    let mut solved: Vec<A::Term> = Vec::new();
    for (i, id) in ids.iter().enumerate() {
        let term = eliminate(algebra, &bodies[i], *id).ok_or(i)?;
        for body in bodies.iter_mut().skip(i + 1) {
            *body = algebra.substitute(body, *id, &term);
        }
        solved.push(term);
    }
    for i in (0..ids.len()).rev() {
        let term = solved[i].clone();
        for earlier in solved.iter_mut().take(i) {
            *earlier = algebra.substitute(earlier, ids[i], &term);
        }
    }
    Ok(solved)
}

/// Solves `x = body` for `x`, if `body` is linear in it.
fn eliminate<A: Algebra>(algebra: &A, body: &A::Term, x: DefId) -> Option<A::Term> {
    let (empty, unknown) = (algebra.empty(), algebra.unknown(x));
    let (mut left, mut right, mut rest) = (empty.clone(), empty.clone(), empty.clone());
    let mut square = false;
    let mut open = vec![body];
    while let Some(part) = open.pop() {
        if let Some((a, b)) = algebra.sides(part) {
            open.extend([a, b]);
        } else if *part == unknown {
            // `x = x | …` says nothing.
        } else if !algebra.mentions(part, x) {
            rest = algebra.union(part.clone(), rest);
        } else {
            match algebra.parts(part)? {
                (a, b) if *a == unknown && *b == unknown => square = true,
                (a, b) if *a == unknown && !algebra.mentions(b, x) => right = algebra.union(b.clone(), right),
                (a, b) if *b == unknown && !algebra.mentions(a, x) => left = algebra.union(a.clone(), left),
                _ => return None,
            }
        }
    }
    if square {
        return (left == empty && right == empty).then(|| algebra.plus(rest));
    }
    if left != empty {
        rest = algebra.seq(algebra.star(left), rest);
    }
    if right != empty {
        rest = algebra.seq(rest, algebra.star(right));
    }
    Some(rest)
}
