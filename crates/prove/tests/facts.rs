//! Every fact that proofs trust, evaluated on all small structures.

use selvedge_prove::eval::{Instance, State};
use selvedge_prove::expr::{Expr, Prim, Type};
use selvedge_prove::structure::{Tree, instances};
use selvedge_prove::system::System;
use selvedge_prove::theory::{self, Fact, NO_BOUND};

fn system(threads: &str) -> System {
    let text = format!("threads T = {threads}; locations A, end B; step A {{ goto B; }}");
    selvedge_prove::parse("facts", &text).expect("a system")
}

/// Numbers without a bound, up to ten.
fn bounded(e: &Expr) -> Expr {
    if *e == NO_BOUND { Expr::Int(10) } else { e.map(&mut bounded) }
}

fn holds(system: &System, instance: &Instance, facts: &[Fact]) {
    for fact in facts {
        let formula = bounded(&fact.formula);
        assert!(instance.holds(system, &State::default(), &formula), "{}: {instance:?}", fact.name);
    }
}

#[test]
fn facts_about_trees_hold_in_all_trees_of_up_to_five_nodes() {
    let system = system("tree");
    let mut seen = 0;
    for size in 1..=5 {
        for instance in instances(&system, &[size]) {
            let mut fresh = 1000;
            holds(&system, &instance, &theory::tree(0, &mut fresh));
            let node = Expr::Var(900, Type::Sort(0));
            let around = theory::around(0, &node, &mut fresh);
            for x in 0..size as i64 {
                for fact in &around {
                    let value = instance.eval(&system, &State::default(), &mut vec![(900, x)], &fact.formula);
                    assert!(value != 0, "{} at {x}: {instance:?}", fact.name);
                }
            }
            seen += 1;
        }
    }
    // The Catalan numbers.
    assert_eq!(seen, 1 + 2 + 5 + 14 + 42);
    assert_eq!(Tree::all(6).len(), 132);
}

#[test]
fn facts_about_powers_hold() {
    let system = system("ring");
    holds(&system, &Instance::plain(&[3]), &theory::powers(&mut 1000));
}

#[test]
fn facts_about_bit_strings_hold_in_all_closed_sets_of_up_to_five() {
    let system = system("bits");
    let mut seen = 0;
    for size in 1..=5 {
        for instance in instances(&system, &[size]) {
            holds(&system, &instance, &theory::bits(0, &mut 1000));
            let (length, _) = instance.bits.clone().expect("bits");
            for t in 0..size as i64 {
                for i in -1..=i64::from(length) + 1 {
                    let (v, w) = (Expr::Var(900, Type::Sort(0)), Expr::Var(901, Type::Int));
                    let fact = theory::cleared(0, &v, &w);
                    let mut env = vec![(900, t), (901, i)];
                    let value = instance.eval(&system, &State::default(), &mut env, &fact.formula);
                    assert!(value != 0, "{} of {t} at {i}: {instance:?}", fact.name);
                }
            }
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn a_false_fact_would_be_noticed() {
    let system = system("tree");
    let both = |x: &Expr, y: &Expr| Expr::Prim(Prim::Below(0), vec![x.clone(), y.clone()]);
    let (x, y) = (Expr::Var(1, Type::Sort(0)), Expr::Var(2, Type::Sort(0)));
    let d = selvedge_prove::expr::Domain::Sort(0);
    let total = Expr::or([both(&x, &y), both(&y, &x)]);
    let total = Expr::All(1, d.clone(), Box::new(Expr::All(2, d, Box::new(total))));
    let fails = |i: &Instance| !i.holds(&system, &State::default(), &total);
    assert!(instances(&system, &[3]).iter().any(fails));
}
