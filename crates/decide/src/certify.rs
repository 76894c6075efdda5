//! Verdicts checked against all small executions.

use crate::answer::{admits, claims_as_axioms, judge_assumptions, judge_of, same_ends};
use crate::brute::{Bounds, Coverage, executions};
use crate::context::{Context, Refusal, Scope};
use crate::rotate::spelled_out;
use crate::search::Limits;
use selvedge_kat::ast::{Constraint as Demand, Inclusion, Rel, Theory};

/// Whether a small execution contradicts an assertion.
pub fn refutes(theory: &Theory, claim: &Inclusion, bounds: Bounds) -> Result<(bool, Coverage), Refusal> {
    let (theory, claim) = &spelled_out(theory, claim);
    let sides: Vec<(&Rel, &Rel)> = match claim {
        Inclusion::Subset(a, b) => vec![(a, b)],
        Inclusion::Equal(a, b) => vec![(a, b), (b, a)],
        Inclusion::Total(_) => return Err(Refusal::Other("totality".into())),
    };
    let assumed = judge_assumptions(&[theory])?;
    let boxed = |r: &Rel| Box::new(r.clone());
    let looping = |r: &Rel| Inclusion::Subset(Rel::Inter(boxed(r), Box::new(Rel::Id)), Rel::Empty);
    let mut worst = Coverage::All;
    for (a, b) in sides {
        let whole = Inclusion::Subset(a.clone(), b.clone());
        let scope = Scope { models: vec![], assuming: vec![theory], claims: vec![(theory, &whole)] };
        let classes = Context::new(&scope, Limits::default())?.classes;
        let (left, right) = match same_ends(a) {
            Some(l) => (l, same_ends(b).unwrap_or(b)),
            None => (a, b),
        };
        let (broken, other) = match (same_ends(a).is_some(), right) {
            (true, Rel::Rot(r)) => (looping(left), Some(looping(r))),
            (true, r) => (Inclusion::Subset(Rel::Inter(boxed(left), Box::new(Rel::Id)), r.clone()), None),
            (false, r) => (Inclusion::Subset(left.clone(), r.clone()), None),
        };
        let broken = judge_of(&claims_as_axioms(theory, &[&broken]))?;
        let other = other.map(|o| judge_of(&claims_as_axioms(theory, &[&o]))).transpose()?;
        let mut found = false;
        let done = executions(&classes.sorts(), bounds, &mut |events, r| {
            found = !admits(&broken, events, r)
                && other.as_ref().is_none_or(|j| admits(j, events, r))
                && assumed.iter().all(|j| admits(j, events, r));
            found
        });
        if found {
            return Ok((true, done));
        }
        if done != Coverage::All {
            worst = done;
        }
    }
    Ok((false, worst))
}

/// Whether a small execution that `strong` allows breaks axiom number `at` of `weak` (of those that
/// `stronger` answers for).
pub fn violates(
    strong: &Theory,
    weak: &Theory,
    at: usize,
    scheme: &[&Theory],
    bounds: Bounds,
) -> Result<(bool, Coverage), Refusal> {
    let mut assuming = vec![strong, weak];
    assuming.extend(scheme);
    let scope = Scope { models: vec![strong, weak], assuming: assuming.clone(), claims: vec![] };
    let classes = Context::new(&scope, Limits::default())?.classes;
    let mut one = weak.clone();
    one.axioms = weak
        .axioms
        .iter()
        .filter(|a| !a.extra && !matches!(a.constraint, Demand::Error { .. }))
        .skip(at)
        .take(1)
        .cloned()
        .collect();
    let (strong, weak, assumed) = (judge_of(strong)?, judge_of(&one)?, judge_assumptions(&assuming)?);
    let mut found = false;
    let done = executions(&classes.sorts(), bounds, &mut |events, r| {
        found = !admits(&weak, events, r)
            && admits(&strong, events, r)
            && assumed.iter().all(|j| admits(j, events, r));
        found
    });
    Ok((found, done))
}
