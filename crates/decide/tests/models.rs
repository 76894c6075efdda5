//! Generated pairs of models against brute force: where one is said to be stronger, no execution of at
//! most four events shows the contrary.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use selvedge_certify::Judge;
use selvedge_decide::answer::{Verdict, admits, stronger};
use selvedge_decide::brute::{Bounds, Coverage, executions};
use selvedge_decide::class::Atom;
use selvedge_decide::context::Refusal;
use selvedge_decide::search::Limits;
use selvedge_graph::{Kind, Mode};
use selvedge_kat::ast::{Axiom, Constraint};
use selvedge_kat::{Dialect, Theory, parse};

const EDGES: &[&str] = &[
    "po",
    "po",
    "po-loc",
    "rf",
    "rfe",
    "rfi",
    "co",
    "coe",
    "coi",
    "fr",
    "fre",
    "fri",
    "rmw",
    "detour",
    "(po \\ po-loc)",
    "(po \\ rmw)",
    "(po & loc)",
    "(po ; [F] ; po)",
];
const TESTS: &[&str] = &["[R]", "[W]", "[F]", "[R | W]", "[~R]", "[UW]", "[UR]"];
const COHERENCE: &[&str] =
    &["acyclic (po-loc | rf | co | fr)", "irreflexive (po ; (rf | co | fr)+)", "coherence (po | rf)+"];
const ASSUMPTIONS: &[&str] = &[
    "[R] ; (po \\ rmw) ; [~F] <= po ; [F] ; po",
    "[~F] ; (po \\ rmw) ; [W] <= po ; [F] ; po",
    "[W] ; po ; [R] <= po ; [F] ; po",
    "[UR] ; po <= rmw | po ; [F] ; po",
];

fn pick<'a>(rng: &mut StdRng, list: &[&'a str]) -> &'a str {
    list[rng.random_range(0..list.len())]
}

fn term(rng: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        let list = if rng.random_bool(0.8) { EDGES } else { TESTS };
        return pick(rng, list).to_string();
    }
    match rng.random_range(0..10) {
        0..=3 => format!("({} | {})", term(rng, depth - 1), term(rng, depth - 1)),
        4..=6 => format!("({} ; {})", term(rng, depth - 1), term(rng, depth - 1)),
        7 => format!("({})+", term(rng, depth - 1)),
        8 => format!("({})?", term(rng, depth - 1)),
        // What intersections with `loc` are asked for: orders.
        _ => format!("((po | {})+ & loc)", term(rng, depth - 1)),
    }
}

fn axiom(rng: &mut StdRng, depth: u32) -> String {
    // The identity is no part of an axiom that can hold.
    let t = format!("{} ; {}", pick(rng, EDGES), term(rng, depth));
    match rng.random_range(0..3) {
        0 => format!("irreflexive ({t})"),
        1 => format!("acyclic ({t} | {})", pick(rng, EDGES)),
        _ => format!("acyclic (po-loc | {t} | {})", pick(rng, EDGES)),
    }
}

fn theory(text: &str) -> Theory {
    parse("test.kat", text, Dialect::Kat, &|f| Err(format!("no file {f}"))).expect(text)
}

fn judge(t: &Theory) -> Judge {
    Judge::new(t).expect("the oracle knows all of it")
}

fn assumed(t: &Theory) -> Judge {
    let axiom = |(claim, span): &(selvedge_kat::ast::Inclusion, selvedge_kat::Span)| Axiom {
        constraint: Constraint::Inclusion(claim.clone()),
        name: None,
        unless: None,
        extra: false,
        span: span.clone(),
    };
    judge(&Theory { axioms: t.assumes.iter().map(axiom).collect(), ..t.clone() })
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

fn campaign(seed: u64, pairs: usize) -> (usize, usize, usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut held, mut failed, mut unknown) = (0, 0, 0);
    let small = Bounds { events: 4, locations: 2, executions: u64::MAX };
    while held + failed + unknown < pairs {
        let mut strong: Vec<String> = (0..rng.random_range(1..3)).map(|_| axiom(&mut rng, 1)).collect();
        if rng.random_bool(0.8) {
            strong.push(pick(&mut rng, COHERENCE).to_string());
        }
        let weak = match rng.random_range(0..3) {
            0 => axiom(&mut rng, 2),
            1 => format!("irreflexive (({})+ ; (rf | co | fr)+)", term(&mut rng, 1)),
            _ => axiom(&mut rng, 1),
        };
        // The weak model starts with the coherence that lets it speak of orders within locations.
        let weak = format!("irreflexive (po ; (rf | co | fr)+) {weak}");
        let mut all = strong.join(" ");
        if rng.random_bool(0.4) {
            all = format!("assume {} {all}", pick(&mut rng, ASSUMPTIONS));
        }
        let (s, w) = (theory(&all), theory(&weak));
        let limits = Limits { walks: 100_000, ..Limits::default() };
        let answers = match stronger(&s, &w, &[], limits) {
            Ok(answers) => answers,
            Err(Refusal::TooLarge(_)) => {
                unknown += 1;
                continue;
            }
            Err(why) => panic!("{why}"),
        };
        let (strong, granted) = (judge(&s), assumed(&s));
        for (at, answer) in answers.iter().enumerate() {
            let one = judge(&Theory { axioms: vec![w.axioms[at].clone()], ..w.clone() });
            match &answer.verdict {
                Verdict::Holds => {
                    held += 1;
                    let done = executions(&sorts(), small, &mut |e, r| {
                        let there = admits(&granted, e, r) && admits(&strong, e, r);
                        let claim = &answer.claim;
                        assert!(!there || admits(&one, e, r), "{all}\nimplies {claim}?\n{e:?}\n{r:?}");
                        false
                    });
                    assert_eq!(done, Coverage::All);
                }
                Verdict::Fails(c) => {
                    failed += 1;
                    let (e, r) = (&c.example.events, &c.example.relations);
                    assert!(admits(&granted, e, r) && admits(&strong, e, r), "{all}: {}", c.word);
                }
                Verdict::Unknown(_) => unknown += 1,
            }
        }
    }
    println!("{held} hold, {failed} fail, {unknown} unknown");
    (held, failed, unknown)
}

#[test]
fn generated_models_against_all_small_executions() {
    let (held, failed, unknown) = campaign(7, 100);
    assert!(held >= 30 && failed >= 10 && unknown <= 40, "{held} hold, {failed} fail, {unknown} unknown");
}

/// More of the same: `cargo test --release -p selvedge-decide --test models -- --ignored`.
#[test]
#[ignore = "takes minutes; `make fuzz-models` runs it"]
fn many_generated_models_against_all_small_executions() {
    for seed in 100..140 {
        campaign(seed, 100);
    }
}
