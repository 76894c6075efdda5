//! What a relation says of threads by themselves.

use crate::premises::{Sort, sort};
use selvedge_kat::ast::{DefBody, Prim, Rel, Theory};
use selvedge_kat::{Sign, Subterm, Walk};

/// A relation without what is of the form `po-loc & (fre ; rfe)` or `po-loc & (moe ; rfe)`: order within a
/// thread that is told by sources. `None` if there is no such part.
pub(crate) fn without_sources(theory: &Theory, rel: &Rel) -> Option<Rel> {
    let inside = |a: &Rel, b: &Rel| match (without_sources(theory, a), without_sources(theory, b)) {
        (None, None) => None,
        (x, y) => Some((Box::new(x.unwrap_or_else(|| a.clone())), Box::new(y.unwrap_or_else(|| b.clone())))),
    };
    let one = |a: &Rel| without_sources(theory, a).map(Box::new);
    match rel {
        Rel::Inter(a, b) if is_sourced(a, b) || is_sourced(b, a) => Some(Rel::Empty),
        Rel::Def(id) => match &theory.defs[id.0 as usize] {
            def if def.rec_group.is_some() => None,
            def => match &def.body {
                DefBody::Rel(body) => without_sources(theory, body),
                DefBody::Set(_) => None,
            },
        },
        Rel::Union(a, b) => inside(a, b).map(|(a, b)| match (*a, *b) {
            (Rel::Empty, rel) | (rel, Rel::Empty) => rel,
            (a, b) => Rel::Union(Box::new(a), Box::new(b)),
        }),
        Rel::Seq(a, b) => inside(a, b).map(|(a, b)| match (*a, *b) {
            (Rel::Empty, _) | (_, Rel::Empty) => Rel::Empty,
            (a, b) => Rel::Seq(Box::new(a), Box::new(b)),
        }),
        Rel::Star(a) => one(a).map(Rel::Star),
        Rel::Plus(a) => one(a).map(Rel::Plus),
        Rel::Opt(a) => one(a).map(Rel::Opt),
        _ => None,
    }
}

fn is_sourced(step: &Rel, path: &Rel) -> bool {
    let Rel::Seq(a, b) = path else { return false };
    *step == Rel::Prim(Prim::PoLoc)
        && matches!((&**a, &**b), (Rel::Prim(Prim::Fre | Prim::Coe), Rel::Prim(Prim::Rfe)))
}

/// Adds the largest parts of a relation that speak of threads by themselves, but for what the creation and
/// the end of threads order. `None` if they cannot be told apart.
pub(crate) fn parts_within(theory: &Theory, rel: &Rel, out: &mut Option<Vec<Rel>>) {
    let Some(parts) = out else { return };
    let less = without_sources(theory, rel);
    let rel = less.as_ref().unwrap_or(rel);
    let mut steps = false;
    Walk::new(theory).visit(Subterm::Rel(rel), Sign::Positive, &mut |part, _| {
        steps |= matches!(part, Subterm::Rel(part) if !matches!(part, Rel::Test(_) | Rel::Id | Rel::Empty));
    });
    if !steps {
        return;
    }
    match sort(theory, rel) {
        Sort::Local if !parts.contains(rel) => parts.push(rel.clone()),
        Sort::Local | Sort::Threads | Sort::Observed(_) => {}
        Sort::BySources => *out = None,
        Sort::Mixed => match rel {
            Rel::Def(id) => match &theory.defs[id.0 as usize] {
                def if def.rec_group.is_some() => *out = None,
                def => match &def.body {
                    DefBody::Rel(body) => parts_within(theory, body, out),
                    DefBody::Set(_) => {}
                },
            },
            Rel::Union(a, b) | Rel::Seq(a, b) => {
                parts_within(theory, a, out);
                parts_within(theory, b, out);
            }
            Rel::Star(a) | Rel::Plus(a) | Rel::Opt(a) => parts_within(theory, a, out),
            _ => *out = None,
        },
    }
}
