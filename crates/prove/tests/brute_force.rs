//! Every encoding against brute force: generated formulas, all states of all small instances. What fails in
//! one of them must not be proved. `SELVEDGE_FORMULAS` is how many are generated.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use selvedge_prove::counters::Counters;
use selvedge_prove::eval::{Instance, State};
use selvedge_prove::expr::{Expr, Type};
use selvedge_prove::first_order::{self, Mode};
use selvedge_prove::obligation::{Obligation, Origin};
use selvedge_prove::solver::{Answer, Solver, Solvers};
use selvedge_prove::structure::instances;
use selvedge_prove::system::System;
use std::time::Duration;

fn formulas(tree: bool) -> u64 {
    std::env::var("SELVEDGE_FORMULAS").ok().and_then(|n| n.parse().ok()).unwrap_or(if tree {
        40
    } else {
        150
    })
}

struct Gen {
    rng: SmallRng,
    tree: bool,
    next: usize,
}

impl Gen {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.rng.random_range(0..of.len())]
    }

    /// A condition on a variable.
    fn local(&mut self, v: &str, others: &[String], depth: u32) -> String {
        if depth > 0 && self.rng.random_bool(0.4) {
            let op = self.pick(&["&&", "||", "=>"]);
            return format!(
                "({} {op} {})",
                self.local(v, others, depth - 1),
                self.local(v, others, depth - 1)
            );
        }
        let other = if others.is_empty() {
            v.to_string()
        } else {
            others[self.rng.random_range(0..others.len())].clone()
        };
        let tree = self.tree;
        match self.rng.random_range(0..if tree { 9 } else { 6 }) {
            0 => format!("{v} @ A"),
            1 => format!("!({v} @ B)"),
            2 => format!("g[{v}]"),
            3 => format!("g[{v}] == f"),
            4 => format!("{v} != {other}"),
            5 => "f".into(),
            6 => format!("child({v}, {other})"),
            7 => format!("below({v}, {other})"),
            _ => format!("({v} == root || left({v}, {other}))"),
        }
    }

    fn number(&mut self, scope: &[String]) -> String {
        match self.rng.random_range(0..5) {
            0 => "x".into(),
            1 => self.rng.random_range(0..3).to_string(),
            2 if !self.tree => "#T".into(),
            _ => {
                self.next += 1;
                let v = format!("c{}", self.next);
                // Sets that depend on other variables are what some encodings refuse.
                let others = if self.rng.random_bool(0.3) { scope } else { &[] };
                format!("#{{{v}: T | {}}}", self.local(&v, others, 1))
            }
        }
    }

    fn formula(&mut self, scope: &mut Vec<String>, depth: u32) -> String {
        match self.rng.random_range(0..if depth == 0 { 2 } else { 5 }) {
            0 if !scope.is_empty() => {
                let v = scope[self.rng.random_range(0..scope.len())].clone();
                self.local(&v, &scope.clone(), 1)
            }
            0 | 1 => {
                let op = self.pick(&["<=", "==", "<"]);
                format!("{} {op} {}", self.number(scope), self.number(scope))
            }
            2 => {
                let op = self.pick(&["&&", "||", "=>"]);
                format!("({} {op} {})", self.formula(scope, depth - 1), self.formula(scope, depth - 1))
            }
            _ => {
                self.next += 1;
                let v = format!("v{}", self.next);
                scope.push(v.clone());
                let word = self.pick(&["forall", "exists"]);
                let body = self.formula(scope, depth - 1);
                scope.pop();
                format!("({word} {v}: T. {body})")
            }
        }
    }
}

/// All states of an instance: the numbers are small.
fn states(system: &System, instance: &Instance) -> Vec<State> {
    let mut found = vec![State::default()];
    for (i, symbol) in system.symbols.iter().enumerate() {
        let values: Vec<i64> = match symbol.ty {
            Type::Int => (-1..=3).collect(),
            Type::Enum(e) => (0..system.enums[e].values.len() as i64).collect(),
            _ => vec![0, 1],
        };
        found.iter_mut().for_each(|s| s.cells.push(Vec::new()));
        for _ in instance.cells(system, i) {
            found = found
                .iter()
                .flat_map(|s| {
                    values.iter().map(move |v| {
                        let mut more = s.clone();
                        more.cells[i].push(*v);
                        more
                    })
                })
                .collect();
        }
    }
    found
}

/// Whether an obligation fails in a small instance.
fn fails(system: &System, all: &[(Instance, Vec<State>)], o: &Obligation) -> bool {
    all.iter().any(|(instance, states)| {
        states.iter().any(|state| {
            if !o.known.iter().all(|e| instance.holds(system, state, e)) {
                return false;
            }
            match o.origin {
                Origin::Step(s) => instance.ways(system, state, &system.steps[s]).iter().any(|env| {
                    let after = instance.apply(system, state, &system.steps[s], env);
                    !instance.holds(system, &after, &o.goal)
                }),
                _ => !instance.holds(system, state, &o.goal),
            }
        })
    })
}

fn compare(kind: &str, tree: bool, sizes: std::ops::RangeInclusive<usize>, seed: u64) {
    let text = format!(
        "threads T{kind}; locations A, B, end C; shared x: int = 0; shared f: bool = false; local g: bool = false;
         step A {{ x := x + 1; g := f; goto B; }}
         step B {{ await x > 0; either {{ f := !f; goto C; }} or {{ choose u: T where u != self; g[u] := !g[u]; goto A; }} }}"
    );
    let base = selvedge_prove::parse("base", &text).expect("a system");
    let all: Vec<(Instance, Vec<State>)> = sizes
        .flat_map(|n| instances(&base, &[n]))
        .map(|i| {
            let s = states(&base, &i);
            (i, s)
        })
        .collect();
    let mut solvers = Solvers::default();
    let mut generator = Gen { rng: SmallRng::seed_from_u64(seed), tree, next: 0 };
    let (mut proved, mut refuted) = (0, 0);
    for n in 0..formulas(tree) {
        let known = generator.formula(&mut Vec::new(), 2);
        let mut goal = generator.formula(&mut Vec::new(), 2);
        if generator.rng.random_bool(0.3) {
            // Often true.
            goal = format!("({known}) || {goal}");
        }
        let with = format!("{text} invariant k: {known}; property p: {goal};");
        let system = selvedge_prove::parse("generated", &with).unwrap_or_else(|e| panic!("{e}"));
        let step = generator.rng.random_range(0..=system.steps.len());
        let origin = if step == system.steps.len() { Origin::Property(0) } else { Origin::Step(step) };
        let known: Vec<Expr> = vec![system.invariant[0].formula.clone()];
        let goal = system.properties[0].formula.clone();
        let o = Obligation { origin, phase: None, target: None, conjunct: None, known, goal };
        let wrong = fails(&system, &all, &o);
        let mode = |ground, exists| Mode {
            ground,
            exists,
            everywhere: exists,
            hints: false,
            more_induction: exists,
        };
        let mut scripts = vec![
            ("first-order", first_order::script(&system, &o, mode(false, true))),
            ("light", first_order::script(&system, &o, mode(false, false))),
            ("ground", first_order::script(&system, &o, mode(true, true))),
        ];
        if let Ok(counters) = Counters::of(&system) {
            scripts.push(("counters", counters.script(&o)));
        }
        for (name, script) in scripts {
            let Ok(script) = script else { continue };
            let answer = solvers.ask(Solver::Z3, &script, Duration::from_secs(1)).expect("z3");
            assert!(
                !(wrong && answer == Answer::Unsat),
                "{n}, {name}: wrong proof of\n{with}\n{:?}",
                o.origin
            );
            proved += u32::from(answer == Answer::Unsat);
        }
        refuted += u32::from(wrong);
    }
    // The generator is worth something only if both happen. An answer that does not come in time is none.
    assert!(proved > 0 && refuted > 0, "{proved} proved, {refuted} refuted");
}

#[test]
fn nothing_about_threads_is_proved_that_fails_in_a_small_instance() {
    compare("", false, 1..=3, 1);
}

#[test]
fn nothing_about_trees_is_proved_that_fails_in_a_small_instance() {
    compare(" = tree", true, 1..=3, 2);
}
