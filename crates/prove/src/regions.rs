//! Cardinalities of sets of elements, in first-order formulas.
//!
//! The sets that a question counts cut a sort into regions: one for each way to be in some of them and not in
//! the others. A region has as many elements as there are distinct named ones in it, and others. If there are
//! others, one of them is named; if there are none, nobody else is in it. Sets are sums of regions. Exact for
//! each region by itself; the paper's instantiation of comprehensions (which elements are in which set, which
//! set is in which) follows from it.

use crate::expr::{Domain, Expr, Type};
use crate::first_order::{Question, within};

/// More sets in one question are refused: their regions are too many.
const MOST_SETS: usize = 6;

/// Replaces cardinalities by constants, and says what they are.
pub(crate) fn introduce(q: &mut Question, asserts: &mut Vec<Expr>) -> Result<(), String> {
    let mut sets: Vec<(usize, Expr)> = Vec::new();
    for e in asserts.iter() {
        find(e, &mut sets);
    }
    if sets.is_empty() {
        return Ok(());
    }
    let mut more = Vec::new();
    let mut names: Vec<(Expr, Expr)> = Vec::new();
    let sorts: Vec<usize> = {
        let mut s: Vec<usize> = sets.iter().map(|s| s.0).collect();
        s.sort_unstable();
        s.dedup();
        s
    };
    for sort in sorts {
        let here: Vec<Expr> = sets.iter().filter(|s| s.0 == sort).map(|s| s.1.clone()).collect();
        if here.len() > MOST_SETS {
            return Err(format!("more than {MOST_SETS} sets are counted at once"));
        }
        let ty = Type::Sort(sort);
        for set in &here {
            let known = |v| q.constants.contains_key(v);
            if !set.free().iter().all(known) {
                return Err("a set is counted that depends on a variable of a quantifier; \
                            a bound with a small range would do"
                    .into());
            }
        }
        // The elements that have names.
        let named: Vec<Expr> = q.terms.iter().filter(|t| t.0 == ty).map(|t| t.1.clone()).collect();
        let member = |set: &Expr, x: &Expr| match set {
            Expr::Card(v, _, body) => body.with(*v, x),
            _ => Expr::Bool(false),
        };
        let mut sums: Vec<Vec<Expr>> = vec![Vec::new(); here.len()];
        let mut total = Vec::new();
        for region in 0u32..1 << here.len() {
            let others = q.name(Type::Int);
            let witness = q.name(ty);
            let v = q.fresh();
            let inside = |x: &Expr| {
                // Terms that stand for numbers of a ring need not be in it.
                let there = within(q.system, &Domain::Sort(sort), x);
                Expr::and([there].into_iter().chain(here.iter().enumerate().map(|(i, set)| {
                    let m = member(set, x);
                    if region >> i & 1 == 1 { m } else { m.not() }
                })))
            };
            let is_named = |x: &Expr| Expr::or(named.iter().map(|n| x.clone().equals(n.clone())));
            let x = Expr::Var(v, ty);
            let nobody =
                Expr::All(v, Domain::Sort(sort), Box::new(Expr::or([is_named(&x), inside(&x).not()])));
            let somebody = Expr::and([is_named(&witness).not(), inside(&witness)]);
            more.push(Expr::Int(0).at_most(others.clone()));
            more.push(Expr::or([
                Expr::and([others.clone().equals(Expr::Int(0)), nobody]),
                Expr::and([Expr::Int(1).at_most(others.clone()), somebody]),
            ]));
            let mut size = vec![others];
            for (i, n) in named.iter().enumerate() {
                let first = Expr::and(named[..i].iter().map(|m| m.clone().equals(n.clone()).not()));
                size.push(Expr::ite(Expr::and([first, inside(n)]), Expr::Int(1), Expr::Int(0)));
            }
            let size = Expr::Add(size);
            total.push(size.clone());
            for (i, sum) in sums.iter_mut().enumerate() {
                if region >> i & 1 == 1 {
                    sum.push(size.clone());
                }
            }
        }
        more.push(Expr::Size(sort).equals(Expr::Add(total)));
        for (set, sum) in here.into_iter().zip(sums) {
            let c = q.name(Type::Int);
            more.push(c.clone().equals(Expr::Add(sum)));
            names.push((set, c));
        }
    }
    for e in asserts.iter_mut() {
        *e = replaced(e, &names);
    }
    asserts.extend(more);
    if asserts.iter().any(|e| e.mentions(&|e| matches!(e, Expr::Card(..)))) {
        return Err("a set is counted inside another one".into());
    }
    Ok(())
}

fn find(e: &Expr, found: &mut Vec<(usize, Expr)>) {
    if let Expr::Card(_, s, _) = e {
        // Sets that differ in the name of their variable only are the same.
        if !found.iter().any(|f| same(&f.1, e)) {
            found.push((*s, e.clone()));
        }
        return;
    }
    for part in e.children() {
        find(part, found);
    }
}

fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Card(v, s, x), Expr::Card(w, t, y)) => {
            s == t && *x == Box::new(y.with(*w, &Expr::Var(*v, Type::Sort(*s))))
        }
        _ => a == b,
    }
}

fn replaced(e: &Expr, names: &[(Expr, Expr)]) -> Expr {
    if matches!(e, Expr::Card(..))
        && let Some((_, name)) = names.iter().find(|n| same(&n.0, e))
    {
        return name.clone();
    }
    e.map(&mut |part| replaced(part, names))
}
