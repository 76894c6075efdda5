//! Generated claims against brute force: all executions of at most four events.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use selvedge_certify::Judge;
use selvedge_certify::execution::{Event, Relations};
use selvedge_decide::answer::{Verdict, admits, assertion};
use selvedge_decide::brute::{Bounds, Coverage, executions};
use selvedge_decide::class::Atom;
use selvedge_decide::search::Limits;
use selvedge_graph::{Kind, Mode};
use selvedge_kat::ast::{Axiom, Constraint, Inclusion};
use selvedge_kat::{Dialect, Theory, parse};

const EDGES: &[&str] = &[
    "po",
    "po",
    "po-loc",
    "rf",
    "rfe",
    "rfi",
    "co",
    "fr",
    "fre",
    "coe",
    "coi",
    "fri",
    "rmw",
    "loc-overlap",
    "(po & loc)",
    "(po \\ po-loc)",
    "(co & po)",
    "rf^-1",
    "(po \\ [W] * [R])",
    "int",
    "loc",
    "po^-1",
];
const TESTS: &[&str] = &["[R]", "[W]", "[F]", "[R | W]", "[~R]", "[UW]"];

fn term(rng: &mut StdRng, depth: u32) -> String {
    let pick = |rng: &mut StdRng, list: &[&str]| list[rng.random_range(0..list.len())].to_string();
    if depth == 0 {
        return if rng.random_bool(0.8) { pick(rng, EDGES) } else { pick(rng, TESTS) };
    }
    match rng.random_range(0..10) {
        0..=2 => format!("({} | {})", term(rng, depth - 1), term(rng, depth - 1)),
        3..=6 => format!("({} ; {})", term(rng, depth - 1), term(rng, depth - 1)),
        7 => format!("({})+", term(rng, depth - 1)),
        8 => format!("({})?", term(rng, depth - 1)),
        _ => format!("({} & {})", term(rng, depth - 1), pick(rng, &["loc", "int", "ext", "po"])),
    }
}

/// Claims that have a chance to hold: one side is the other, changed.
fn claim(rng: &mut StdRng) -> String {
    let left = term(rng, 2);
    let right = match rng.random_range(0..4) {
        0 => term(rng, 3),
        1 => format!("({left} | {}) ; ({})?", term(rng, 1), term(rng, 1)),
        2 => format!("({})+ | ({})+", term(rng, 1), term(rng, 2)),
        _ => format!("(po | rf | {} | fr)+", term(rng, 1)),
    };
    match rng.random_range(0..4) {
        0 => format!("({left})^= <= rot ({right})"),
        1 => format!("({left})^= <= {right}"),
        _ => format!("{left} <= {right}"),
    }
}

const ASSUMPTIONS: &[&str] = &[
    "[W] ; po ; [R] <= po ; [F] ; po",
    "po ; [W] <= po ; [F] ; po",
    "[R] ; po <= po ; [F] ; po",
    "[UR] ; po <= rmw | po ; [F] ; po",
    "rfe ; po <= 0",
    "po-loc <= co",
    "[W] ; po ; [W] <= co | po ; [F] ; po",
    "fr ; po <= fr",
    "po ; rf <= po",
];

fn theory(text: &str) -> Theory {
    parse("test.kat", text, Dialect::Kat, &|f| Err(format!("no file {f}"))).expect(text)
}

fn judge(t: &Theory, claim: Inclusion) -> Judge {
    let span = t.asserts[0].1.clone();
    let axiom =
        Axiom { constraint: Constraint::Inclusion(claim), name: None, unless: None, extra: false, span };
    Judge::new(&Theory { axioms: vec![axiom], ..t.clone() }).expect("the oracle knows all of it")
}

type Holds = Box<dyn Fn(&[Event], &Relations) -> bool>;

/// The claim on one execution, by the oracle alone.
fn oracle(text: &str) -> Holds {
    let (left, right) = text.split_once(" <= ").expect("a claim");
    let sub = |a: &str, b: &str| {
        let t = theory(&format!("assert {a} <= {b}"));
        let c = t.asserts[0].0.clone();
        judge(&t, c)
    };
    match (left.strip_suffix("^="), right.strip_prefix("rot ")) {
        (Some(l), Some(r)) => {
            let (l, r) = (sub(&format!("{l} & id"), "0"), sub(&format!("{r} & id"), "0"));
            Box::new(move |e, x| admits(&l, e, x) || !admits(&r, e, x))
        }
        (Some(l), None) => {
            let j = sub(&format!("{l} & id"), right);
            Box::new(move |e, x| admits(&j, e, x))
        }
        _ => {
            let j = sub(left, right);
            Box::new(move |e, x| admits(&j, e, x))
        }
    }
}

fn sorts() -> Vec<Atom> {
    let atom = |kind, mode, rmw| Atom { kind, mode, rmw, declared: 0 };
    vec![
        atom(Kind::Read, Mode::Rlx, false),
        atom(Kind::Write, Mode::Rlx, false),
        atom(Kind::Fence, Mode::Sc, false),
        atom(Kind::Read, Mode::Rlx, true),
        atom(Kind::Write, Mode::Rlx, true),
    ]
}

#[test]
fn generated_claims_against_all_small_executions() {
    campaign(4);
}

/// More of the same: `cargo test -p selvedge-decide --test generated -- --ignored`.
#[test]
#[ignore = "takes minutes; `make fuzz-models` runs it"]
fn many_generated_claims_against_all_small_executions() {
    for seed in 100..200 {
        campaign(seed);
    }
}

fn campaign(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut held, mut failed, mut unknown) = (0, 0, 0);
    let small = Bounds { events: 4, locations: 2, executions: u64::MAX };
    while held + failed + unknown < 100 {
        let text = claim(&mut rng);
        let assumed: Vec<&str> = (0..rng.random_range(0..3u32).saturating_sub(1))
            .map(|_| ASSUMPTIONS[rng.random_range(0..ASSUMPTIONS.len())])
            .collect();
        let assumes: String = assumed.iter().map(|a| format!("assume {a} ")).collect();
        let t = theory(&format!("{assumes} assert {text}"));
        let granted: Vec<Holds> = assumed.iter().map(|a| oracle(a)).collect();
        let answer = assertion(&t, &t.asserts[0].0, Limits::default()).expect("decidable");
        let good = oracle(&text);
        match answer.verdict {
            Verdict::Holds => {
                held += 1;
                let done = executions(&sorts(), small, &mut |e, r| {
                    let there = granted.iter().all(|a| a(e, r));
                    assert!(!there || good(e, r), "claimed to hold: {assumes}{text}\n{e:?}\n{r:?}");
                    false
                });
                assert_eq!(done, Coverage::All);
            }
            Verdict::Fails(c) => {
                failed += 1;
                let (e, r) = (&c.example.events, &c.example.relations);
                assert!(granted.iter().all(|a| a(e, r)) && !good(e, r), "{assumes}{text}: {}", c.word);
            }
            Verdict::Unknown(why) => {
                unknown += 1;
                println!("unknown: {text}: {why}");
            }
        }
    }
    println!("{held} hold, {failed} fail, {unknown} unknown");
    assert!(held >= 20, "too few hold: {held}");
    assert!(unknown <= 40, "too many unknown: {unknown}");
}
