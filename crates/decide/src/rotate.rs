//! Rotations inside of terms, spelled out.
//!
//! `rot r` are the walks of `r`, beginning at any of their steps: for every way to cut a walk in two, the
//! second part and then the first. Of terms without intersections of longer walks the cuts are finitely many,
//! so that `rot r` is a union of compositions, which everything that looks at terms knows.
//!
//! At the top of a claim about walks that end where they start, `rot` is left alone: there it is a question
//! of its own (thesis §3.5).

use crate::answer::same_ends;
use selvedge_kat::ast::{DefBody, Inclusion, Rel, Theory};

/// Terms with more cuts keep their `rot`.
const MAX_CUTS: usize = 256;

/// The claim, and the theory whose definitions it uses, without `rot` but at the top.
pub fn spelled_out(theory: &Theory, claim: &Inclusion) -> (Theory, Inclusion) {
    let mut theory = theory.clone();
    for at in 0..theory.defs.len() {
        if let DefBody::Rel(rel) = &theory.defs[at].body
            && mentions(rel)
        {
            theory.defs[at].body = DefBody::Rel(everywhere(&theory, rel));
        }
    }
    let claim = match claim {
        Inclusion::Subset(a, b) => Inclusion::Subset(side(&theory, a, a), side(&theory, b, a)),
        // Either side is the left one, once.
        Inclusion::Equal(a, b) if same_ends(a).is_some() == same_ends(b).is_some() => {
            Inclusion::Equal(side(&theory, a, a), side(&theory, b, b))
        }
        Inclusion::Equal(a, b) => Inclusion::Equal(everywhere(&theory, a), everywhere(&theory, b)),
        Inclusion::Total(a) => Inclusion::Total(everywhere(&theory, a)),
    };
    (theory, claim)
}

fn mentions(rel: &Rel) -> bool {
    matches!(rel, Rel::Rot(_)) || rel.rels().any(mentions)
}

/// One side of a claim whose left side is `left`.
fn side(theory: &Theory, rel: &Rel, left: &Rel) -> Rel {
    match rel {
        Rel::Rot(inner) if same_ends(left).is_some() => Rel::Rot(Box::new(everywhere(theory, inner))),
        Rel::SameEnds(inner) => Rel::SameEnds(Box::new(side(theory, inner, left))),
        _ => everywhere(theory, rel),
    }
}

fn everywhere(theory: &Theory, rel: &Rel) -> Rel {
    let mut rel = rel.clone();
    for part in rel.rels_mut() {
        *part = everywhere(theory, part);
    }
    match rel {
        Rel::Rot(inner) => rotated(theory, &inner).unwrap_or(Rel::Rot(inner)),
        rel => rel,
    }
}

fn rotated(theory: &Theory, rel: &Rel) -> Option<Rel> {
    let all = cuts(theory, rel)?.into_iter().map(|(first, second)| then(second, first));
    Some(all.reduce(|a, b| Rel::Union(Box::new(a), Box::new(b))).unwrap_or(Rel::Empty))
}

/// The ways to cut a walk of `rel` in two.
fn cuts(theory: &Theory, rel: &Rel) -> Option<Vec<(Rel, Rel)>> {
    let around = |body: &Rel| {
        let star = Rel::Star(Box::new(body.clone()));
        let inner = cuts(theory, body)?.into_iter();
        Some(inner.map(|(a, b)| (then(star.clone(), a), then(b, star.clone()))).collect::<Vec<_>>())
    };
    let found = match rel {
        Rel::Empty => Vec::new(),
        Rel::Id => vec![(Rel::Id, Rel::Id)],
        Rel::Def(id) => match &theory.defs[id.0 as usize] {
            def if def.rec_group.is_some() => return None,
            def => match &def.body {
                DefBody::Rel(body) => cuts(theory, body)?,
                DefBody::Set(_) => return None,
            },
        },
        Rel::Union(a, b) => [cuts(theory, a)?, cuts(theory, b)?].concat(),
        Rel::Seq(a, b) => {
            let of_first = cuts(theory, a)?.into_iter().map(|(x, y)| (x, then(y, (**b).clone())));
            let of_second = cuts(theory, b)?.into_iter().map(|(x, y)| (then((**a).clone(), x), y));
            of_first.chain(of_second).collect()
        }
        Rel::Plus(a) => around(a)?,
        Rel::Star(a) => [vec![(Rel::Id, Rel::Id)], around(a)?].concat(),
        Rel::Opt(a) => [vec![(Rel::Id, Rel::Id)], cuts(theory, a)?].concat(),
        rel if is_step(theory, rel) => vec![(Rel::Id, rel.clone()), (rel.clone(), Rel::Id)],
        _ => return None,
    };
    (found.len() <= MAX_CUTS).then_some(found)
}

/// Whether walks of `rel` are single steps.
fn is_step(theory: &Theory, rel: &Rel) -> bool {
    match rel {
        Rel::Prim(_) | Rel::Declared(_) | Rel::Test(_) | Rel::Cross(..) => true,
        Rel::Inverse(a) => is_step(theory, a),
        Rel::Union(a, b) | Rel::Inter(a, b) => is_step(theory, a) && is_step(theory, b),
        // What is taken away does not matter to what is left of one step.
        Rel::Diff(a, _) => is_step(theory, a),
        Rel::Def(id) => match &theory.defs[id.0 as usize] {
            def if def.rec_group.is_some() => false,
            def => matches!(&def.body, DefBody::Rel(body) if is_step(theory, body)),
        },
        _ => false,
    }
}

fn then(a: Rel, b: Rel) -> Rel {
    match (a, b) {
        (Rel::Id, rel) | (rel, Rel::Id) => rel,
        (a, b) => Rel::Seq(Box::new(a), Box::new(b)),
    }
}
