//! Formulas into equivalent formulas: negations inwards, cardinalities with small bounds into quantifiers.

use crate::expr::{Domain, Expr, Type, Var};
use crate::system::{Shape, System};

/// The same with new numbers for all bound variables.
pub fn renamed(e: &Expr, fresh: &mut Var) -> Expr {
    let again = e.map(&mut |part| renamed(part, fresh));
    let mut new = |v: &Var, ty: Type, body: &Expr| {
        *fresh += 1;
        (*fresh, Box::new(body.with(*v, &Expr::Var(*fresh, ty))))
    };
    match &again {
        Expr::All(v, d, body) => {
            let (v, body) = new(v, d.of(), body);
            Expr::All(v, d.clone(), body)
        }
        Expr::Any(v, d, body) => {
            let (v, body) = new(v, d.of(), body);
            Expr::Any(v, d.clone(), body)
        }
        Expr::Card(v, s, body) => {
            let (v, body) = new(v, Type::Sort(*s), body);
            Expr::Card(v, *s, body)
        }
        _ => again,
    }
}

/// Negations only in front of atoms; no `if` between formulas, no equivalence between formulas with
/// quantifiers.
pub fn nnf(system: &System, e: &Expr, positive: bool) -> Expr {
    let quantified = |e: &Expr| e.mentions(&|e| matches!(e, Expr::All(..) | Expr::Any(..)));
    match e {
        Expr::Not(e) => nnf(system, e, !positive),
        Expr::And(es) | Expr::Or(es) => {
            let parts = es.iter().map(|e| nnf(system, e, positive));
            if matches!(e, Expr::And(_)) == positive { Expr::and(parts) } else { Expr::or(parts) }
        }
        Expr::All(v, d, body) | Expr::Any(v, d, body) => {
            let body = Box::new(nnf(system, body, positive));
            if matches!(e, Expr::All(..)) == positive {
                Expr::All(*v, d.clone(), body)
            } else {
                Expr::Any(*v, d.clone(), body)
            }
        }
        Expr::Eq(a, b) if system.type_of(a) == Type::Bool && (quantified(a) || quantified(b)) => {
            let both = |x: bool, y: bool| Expr::and([nnf(system, a, x), nnf(system, b, y)]);
            Expr::or([both(true, positive), both(false, !positive)])
        }
        Expr::Ite(c, a, b) if system.type_of(a) == Type::Bool => {
            let way = |c: Expr, e: &Expr| Expr::and([c, nnf(system, e, positive)]);
            Expr::or([way(nnf(system, c, true), a), way(nnf(system, c, false), b)])
        }
        atom => {
            let atom = atom.clone();
            if positive { atom } else { atom.not() }
        }
    }
}

/// A sum as cardinalities and the rest: `Σ #sets + Σ k·terms + constant`, if it is one.
fn linear(e: &Expr, factor: i64, out: &mut Linear) -> bool {
    match e {
        Expr::Int(n) => match factor.checked_mul(*n).and_then(|n| out.constant.checked_add(n)) {
            Some(sum) => out.constant = sum,
            None => return false,
        },
        Expr::Add(es) => return es.iter().all(|e| linear(e, factor, out)),
        Expr::Mul(k, e) => return factor.checked_mul(*k).is_some_and(|k| linear(e, k, out)),
        Expr::Card(v, s, body) => out.cards.push((factor, *v, *s, (**body).clone())),
        e => out.terms.push((factor, e.clone())),
    }
    true
}

#[derive(Default)]
struct Linear {
    constant: i64,
    cards: Vec<(i64, Var, usize, Expr)>,
    terms: Vec<(i64, Expr)>,
}

/// How many sets of one sum, and how large they may be, until spelling them out is too much.
const MOST: i64 = 4;

/// `k` distinct elements of a set.
fn at_least(k: i64, (var, sort, body): (Var, usize, &Expr), fresh: &mut Var) -> Expr {
    let mut vars: Vec<Var> = Vec::new();
    let mut parts = Vec::new();
    for _ in 0..k {
        *fresh += 1;
        let v = *fresh;
        let this = Expr::Var(v, Type::Sort(sort));
        parts.extend(vars.iter().map(|u| this.clone().equals(Expr::Var(*u, Type::Sort(sort))).not()));
        parts.push(renamed(body, fresh).with(var, &this));
        vars.push(v);
    }
    let all = Expr::and(parts);
    vars.into_iter().rev().fold(all, |e, v| Expr::Any(v, Domain::Sort(sort), Box::new(e)))
}

/// The sizes of the sets have a sum of at least `k`: one case for each way to split `k` between them.
fn sum_at_least(k: i64, sets: &[(i64, Var, usize, Expr)], fresh: &mut Var) -> Expr {
    if k <= 0 {
        return Expr::Bool(true);
    }
    let Some(((_, v, s, body), rest)) = sets.split_first() else { return Expr::Bool(false) };
    if rest.is_empty() {
        return at_least(k, (*v, *s, body), fresh);
    }
    let mut cases = Vec::new();
    for first in 0..=k {
        let here = at_least(first, (*v, *s, body), fresh);
        cases.push(Expr::and([here, sum_at_least(k - first, rest, fresh)]));
    }
    Expr::or(cases)
}

/// Compares cardinalities with a variable whose range is small, or with a number, by quantifiers. Exact where
/// the variable is in its range, which is a part of the invariant of its own.
pub fn spell_out(system: &System, e: &Expr, fresh: &mut Var) -> Expr {
    let again = e.map(&mut |part| spell_out(system, part, fresh));
    let (a, b, equality) = match &again {
        Expr::Le(a, b) => (a, b, false),
        Expr::Eq(a, b) if matches!(system.type_of(a), Type::Int) => (a, b, true),
        _ => return again,
    };
    // b - a, which is to be at least zero.
    let mut sum = Linear::default();
    if !linear(b, 1, &mut sum) || !linear(a, -1, &mut sum) || sum.cards.is_empty() || sum.cards.len() > 4 {
        return again;
    }
    let sign = sum.cards[0].0;
    if sum.cards.iter().any(|c| c.0 != sign) || sign.abs() != 1 || sum.terms.len() > 1 {
        return again;
    }
    // sign·Σ + k·x + constant >= 0, x in a range or not there.
    let (k, x, range) = match sum.terms.first() {
        None => (1, Expr::Int(0), (0, 0)),
        Some((k, x)) => {
            let Expr::App(s, _) = x else { return again };
            let Some(range) = system.symbols[*s].range else { return again };
            // Its range is known at indices that are declared only: those of numbers may be others.
            let plain = |d: &Domain| matches!(d, Domain::Sort(t) if system.sorts[*t].shape != Shape::Ring);
            if !system.symbols[*s].args.iter().all(plain) {
                return again;
            }
            (*k, x.clone(), range)
        }
    };
    if range.1 - range.0 > 3 {
        return again;
    }
    let mut parts = Vec::new();
    for value in range.0..=range.1 {
        let Some(rest) = k.checked_mul(value).and_then(|n| n.checked_add(sum.constant)) else { return again };
        // sign = 1: Σ >= -rest; sign = -1: Σ <= rest.
        if !(-MOST..MOST).contains(&rest) {
            return again;
        }
        let mut fact = if sign == 1 {
            sum_at_least(-rest, &sum.cards, fresh)
        } else {
            sum_at_least(rest + 1, &sum.cards, fresh).not()
        };
        if equality {
            // Both directions: Σ = ∓rest.
            let other = if sign == 1 {
                sum_at_least(-rest + 1, &sum.cards, fresh).not()
            } else {
                sum_at_least(rest, &sum.cards, fresh)
            };
            fact = Expr::and([fact, other]);
        }
        let here = if sum.terms.is_empty() { Expr::Bool(true) } else { x.clone().equals(Expr::Int(value)) };
        parts.push(here.implies(fact));
    }
    Expr::and(parts)
}

/// Formulas that hold together exactly if this one does: conjunctions taken apart, also below quantifiers and
/// beside one disjunction. Each of them names fewer elements when it fails.
pub fn parts(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::And(es) => es.iter().flat_map(parts).collect(),
        Expr::All(v, d, body) => {
            parts(body).into_iter().map(|part| Expr::All(*v, d.clone(), Box::new(part))).collect()
        }
        Expr::Or(es) => {
            let several: Vec<usize> = (0..es.len()).filter(|i| parts(&es[*i]).len() > 1).collect();
            let [one] = several.as_slice() else { return vec![e.clone()] };
            let rest: Vec<Expr> = (0..es.len()).filter(|i| i != one).map(|i| es[i].clone()).collect();
            let with = |part: Expr| Expr::or(rest.iter().cloned().chain([part]));
            parts(&es[*one]).into_iter().map(with).collect()
        }
        e => vec![e.clone()],
    }
}
