//! Ranks: that runs end is proved where they do, and nowhere else. What is proved of generated ranks is
//! looked for in small instances, where ranks are compared number by number, before and after each step.
//! `SELVEDGE_FORMULAS` is how many are generated of each family, `SELVEDGE_SEED` where generators begin.

mod support;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use selvedge_prove::counters::Counters;
use selvedge_prove::eval::{Env, Instance, State};
use selvedge_prove::expr::{SELF, Type};
use selvedge_prove::first_order::{self, Mode};
use selvedge_prove::obligation::{Obligation, Origin};
use selvedge_prove::prover::{Options, Report, Verdict, prove};
use selvedge_prove::ranks::{Fall, bounds, falls};
use selvedge_prove::reach::Bug;
use selvedge_prove::solver::{Answer, Solver, Solvers};
use selvedge_prove::structure::instances;
use selvedge_prove::system::{Kind, System};
use support::options;

fn report(text: &str) -> Report {
    let system = selvedge_prove::parse("ranks", text).unwrap_or_else(|e| panic!("{e}"));
    prove(&system, &Options { work: 2_000_000, ..options() }).expect("a solver")
}

/// The central barrier whose threads do not wait but look again and again.
const SPINNING: &str = "threads T; locations A, B, end C; shared count: int = #T;
    step A { count := count - 1; goto B; }
    step B { if (count == 0) { goto C; } else { goto B; } }
    invariant counted: count == #{t: T | t @ A};
    invariant passed: forall t: T. t @ C => count == 0;
    property barrier: (exists t: T. t @ C) => forall u: T. !(u @ A);
    rank left: 2 * #{t: T | t @ A} + #{t: T | t @ B};";

#[test]
fn whoever_looks_again_and_again_ends_if_all_others_go_on() {
    let fair = format!("{SPINNING} helpful(t: T): t @ A || count == 0;");
    assert_eq!(report(&fair).verdict, Verdict::Proved);
    // Without fairness, it is a run that goes on for ever.
    let unfair = report(SPINNING);
    assert_eq!(unfair.verdict, Verdict::Violated);
    let bug = unfair.bug.expect("a way to it");
    assert!(matches!(bug.bug, Bug::Forever(_)) && bug.states.len() == bug.steps.len() + 1);
    // Nobody helpful is there, or a helpful step does not make the rank smaller.
    for wrong in ["t @ B && count == 0", "t @ A", "true"] {
        let found = report(&format!("{SPINNING} helpful(t: T): {wrong};"));
        assert_eq!(found.verdict, Verdict::NotProved, "{wrong}");
    }
    // A fair run that goes on for ever is one: two threads hand a token on and on.
    let on_and_on = "threads T; locations A, B, end C; shared turn: bool = false;
        step A { await turn; turn := false; goto B; } step B { await !turn; turn := true; goto A; }
        property p: turn || !turn; rank none: 0; helpful(t: T): true;";
    assert!(report(on_and_on).verdict != Verdict::Proved);
}

/// Each is wrong in one way.
#[test]
fn a_rank_that_does_not_fall_is_no_proof() {
    let central = |rank: &str| {
        let text = support::text("central");
        let at = text.find("rank left").expect("a rank");
        report(&format!("{}{rank}", &text[..at])).verdict
    };
    assert_eq!(
        central("rank left(t: Thread): if t @ A then 2 else if t @ B then 1 else 0;"),
        Verdict::Proved
    );
    for wrong in [
        // It does not fall; falls below zero; grows; falls for nobody; rises somewhere else.
        "rank left(t: Thread): if t @ {A, B} then 1 else 0;",
        "rank left(t: Thread): if t @ A then 1 else if t @ B then 0 else -1;",
        "rank left(t: Thread): if t @ A then 0 else if t @ B then 1 else 2;",
        "rank left: #Thread;",
        "rank left: count;",
        "rank left(t: Thread): if t @ A then 2 else if t @ B then count + 1 else 0; rank none: 0;",
    ] {
        assert_eq!(central(wrong), Verdict::NotProved, "{wrong}");
    }
    // The first that changes counts.
    assert_eq!(central("rank a: #{t: Thread | t @ A}; rank b: #{t: Thread | t @ B};"), Verdict::Proved);
    assert_eq!(central("rank b: #{t: Thread | t @ B}; rank a: #{t: Thread | t @ A};"), Verdict::NotProved);
    // Steps of progress are free, and then there is less to say.
    let freed = "progress A; rank b: #{t: Thread | t @ B};";
    assert_eq!(central(freed), Verdict::Proved);
}

/// A run that is taken round by others than those who make progress is found.
#[test]
fn an_episode_that_never_ends_is_a_bug() {
    // Whoever fails to swap tries again without looking again.
    let found = support::changed("dotnet", &[("} else { goto L; }", "} else { goto S; }")]);
    let found = prove(&found, &options()).expect("a solver");
    assert!(matches!(found.bug.map(|b| b.bug), Some(Bug::Forever(_) | Bug::Deadlock)));
}

#[test]
fn wrong_ranks_are_refused_with_their_lines() {
    let start = "threads T;\nlocations A, end B;\nsort";
    assert!(selvedge_prove::parse("bad", start).is_err());
    let start = "threads T;\nlocations A, end B;\nopaque local o: int = 0;\nstep A { goto B; }\n";
    for (rest, words) in [
        ("rank r: true;", "a number is expected"),
        ("rank r(t: U): 0;", "no sort"),
        ("rank r: o;", "whose `o`"),
        ("rank r: #{t: T | o[t] == 0};", "opaque"),
        ("rank r: 0; rank r: 1;", "already"),
        ("helpful(t: T): true;", "there is none"),
        ("progress A;", "there is none"),
        ("rank r: 0; progress C;", "no location"),
        ("rank r: 0; progress A, A;", "already"),
        ("rank r: 0; helpful(t: T): 1;", "a formula is expected"),
        ("rank r(t: T): o[t] * o[t];", "not linear"),
    ] {
        let error = selvedge_prove::parse("bad", &format!("{start}{rest}")).map(|_| ());
        let error = error.expect_err(rest).to_string();
        assert!(error.contains(words) && error.contains("bad:5:"), "{rest}: {error}");
    }
}

#[test]
fn lemmas_are_shown_and_do_not_show_each_other() {
    let with = |lemma: &str, invariant: &str| {
        report(&format!(
            "threads T; locations A, B, end C; shared x: int = 0;
             step A {{ x := x + 1; goto B; }} step B {{ goto C; }} {invariant} {lemma}
             property p: (exists t: T. t @ B) => x > 0;"
        ))
        .verdict
    };
    let counted = "invariant counted: x == #{t: T | !(t @ A)};";
    assert_eq!(with("lemma some: forall t: T. t @ B => x > 0;", counted), Verdict::Proved);
    let circle = "lemma one: forall t: T. t @ B => x > 0; lemma two: forall t: T. !(t @ B) || x >= 1;";
    assert_eq!(with(circle, "invariant nothing: x == x;"), Verdict::NotProved);
    assert_eq!(with("lemma wrong: x <= 1;", counted), Verdict::NotProved);
}

struct Gen(SmallRng);

impl Gen {
    fn pick(&mut self, of: &[&str]) -> String {
        of[self.0.random_range(0..of.len())].to_string()
    }

    fn condition(&mut self, t: &str, family: &str) -> String {
        let all: &[&str] = match family {
            "tree" => &["{t} @ A", "{t} @ B", "f", "g[{t}]", "{t} == root", "left({t}, root)", "x > 0"],
            "ring" => &["{t} @ A", "{t} @ B", "f", "g[{t}]", "{t} == 0", "x > 0", "o[{t}] == x"],
            _ => &["{t} @ A", "{t} @ B", "f", "g[{t}]", "o[{t}] == x", "o[{t}] <= 0", "x > 0"],
        };
        let one = self.pick(all);
        let text = if self.0.random_bool(0.4) { format!("({one} && !({}))", self.pick(all)) } else { one };
        text.replace("{t}", t)
    }

    /// A number for each thread: of opaque variables only its own.
    fn number(&mut self, t: &str, family: &str) -> String {
        let (a, b) = (self.pick(&["0", "1", "2", "x"]), self.pick(&["0", "1", "3"]));
        format!("if {} then {a} else {b}", self.condition(t, family))
    }

    fn statement(&mut self, family: &str) -> String {
        match self.0.random_range(0..7) {
            0 => self.pick(&["x := x + 1;", "x := x - 1;", "x := 0;"]),
            1 => "f := !f;".into(),
            2 => format!("g := {};", self.condition("self", family)),
            3 if family != "tree" => self.pick(&["o := x;", "o := o + 1;"]),
            4 => format!("choose u: T where {}; g[u] := !g[u];", self.pick(&["g[u]", "u != self", "u @ B"])),
            5 => "forall v: T { g[v] := v @ A; }".into(),
            _ => format!("await {};", self.condition("self", family)),
        }
    }

    fn system(&mut self, family: &str) -> String {
        let shape = if matches!(family, "tree" | "ring") { format!(" = {family}") } else { String::new() };
        let own = match family {
            "counters" => "opaque local o: int = 0;",
            "tree" => "",
            _ => "local o: int = 0;",
        };
        let mut text = format!(
            "threads T{shape}; locations A, B, end C; shared x: 0..2 = 0; shared f: bool = false;
             local g: bool = false; {own}\n"
        );
        let ways = self.pick(&["A", "B", "C"]);
        for (from, to) in [("A", "B"), ("B", &ways)] {
            let body = [self.statement(family), self.statement(family)];
            let body = if self.0.random_bool(0.5) { body.join(" ") } else { body[0].clone() };
            text += &format!("step {from} {{ {body} goto {to}; }}\n");
        }
        for r in 0..self.0.random_range(1..4) {
            text += &match self.0.random_range(0..4) {
                0 => format!("rank r{r}: 2 * #{{c: T | c @ A}} + #{{c: T | c @ B}};\n"),
                1 => format!("rank r{r}(t: T): if t @ A then 2 else if t @ B then 1 else 0;\n"),
                _ => format!("rank r{r}(t: T): {};\n", self.number("t", family)),
            };
        }
        if self.0.random_bool(0.5) {
            text += &format!("helpful(t: T): {};\n", self.condition("t", family));
        }
        text
    }
}

/// All numbers of a rank in a state.
fn numbers(system: &System, i: &Instance, state: &State) -> Vec<Vec<i64>> {
    let of = |rank: &selvedge_prove::system::Rank| match rank.of {
        None => vec![i.eval(system, state, &mut Vec::new(), &rank.value)],
        Some((v, s)) => {
            (0..i.sizes[s] as i64).map(|x| i.eval(system, state, &mut vec![(v, x)], &rank.value)).collect()
        }
    };
    system.ranks.iter().map(of).collect()
}

fn not_more(before: &[i64], after: &[i64]) -> bool {
    before.iter().zip(after).all(|(b, a)| a <= b)
}

fn less(before: &[Vec<i64>], after: &[Vec<i64>]) -> bool {
    for (b, a) in before.iter().zip(after) {
        if !not_more(b, a) {
            return false;
        }
        if a != b {
            return true;
        }
    }
    false
}

/// A thread is helpful and can go on, by what it can do and not by a formula.
fn helps(system: &System, i: &Instance, state: &State, t: i64) -> bool {
    let Some(helpful) = &system.helpful else { return true };
    let its = |env: &Env| env.contains(&(SELF, t));
    i.eval(system, state, &mut vec![(helpful.var, t)], &helpful.formula) != 0
        && system.steps.iter().any(|s| i.ways(system, state, s).iter().any(its))
}

/// Whether what is to be shown does not hold in a state.
fn fails(system: &System, i: &Instance, state: &State, fall: Fall) -> bool {
    let before = numbers(system, i, state);
    let threads = 0..i.sizes[system.threads] as i64;
    let Some(step) = fall.step() else {
        return match fall {
            Fall::Bound(r) => before[r].iter().any(|n| *n < 0),
            _ => {
                let ended = |t: i64| system.ends[state.cells[0][t as usize] as usize];
                !threads.clone().all(ended) && !threads.clone().any(|t| helps(system, i, state, t))
            }
        };
    };
    let step = &system.steps[step];
    i.ways(system, state, step).iter().any(|env| {
        let this = env.iter().find(|e| e.0 == SELF).expect("a thread").1;
        let next = i.apply(system, state, step, env);
        let after = numbers(system, i, &next);
        let falls = less(&before, &after);
        let helpful = |t: i64| {
            let h = system.helpful.as_ref();
            h.is_none_or(|h| i.eval(system, state, &mut vec![(h.var, t)], &h.formula) != 0)
        };
        match fall {
            Fall::Less(_) => helpful(this) && !falls,
            Fall::NotMore(_) => !falls && !before.iter().zip(&after).all(|(b, a)| not_more(b, a)),
            _ => {
                let mut others = threads.clone().filter(|t| *t != this);
                !falls && others.any(|t| helps(system, i, state, t) && !helps(system, i, &next, t))
            }
        }
    })
}

/// All states of an instance whose numbers are small.
fn states(system: &System, i: &Instance) -> Vec<State> {
    let mut found = vec![State { cells: vec![Vec::new(); system.symbols.len()], ..State::default() }];
    for (s, symbol) in system.symbols.iter().enumerate() {
        let values: Vec<i64> = match (symbol.ty, symbol.kind) {
            (_, Kind::Const) => continue,
            (Type::Enum(_), _) => vec![0, 1, 2],
            (Type::Int, Kind::Local) => vec![0, 1],
            (Type::Int, _) => vec![0, 1, 2],
            _ => vec![0, 1],
        };
        for _ in i.cells(system, s) {
            let more = |state: &State, v: &i64| {
                let mut more = state.clone();
                more.cells[s].push(*v);
                more
            };
            found = found.iter().flat_map(|f| values.iter().map(move |v| more(f, v))).collect();
        }
    }
    found
}

fn compare(family: &str, seed: u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let count = number("SELVEDGE_FORMULAS").unwrap_or(60);
    let mut generator = Gen(SmallRng::seed_from_u64(seed + 1000 * number("SELVEDGE_SEED").unwrap_or(0)));
    let mut solvers = Solvers::default();
    let (mut compared, mut proved, mut refuted) = (0u32, 0u32, 0u32);
    let base = selvedge_prove::parse("base", &generator.system(family)).expect("a system");
    let mut all: Vec<(Instance, Vec<State>)> = Vec::new();
    for i in (1..=3).flat_map(|n| instances(&base, &[n])) {
        let found = states(&base, &i);
        all.push((i, found));
    }
    while u64::from(compared) < count {
        let text = generator.system(family);
        let Ok(system) = selvedge_prove::parse("generated", &text) else { continue };
        let mut obligations: Vec<Obligation> = bounds(&system);
        for s in 0..system.steps.len() {
            obligations.extend(falls(&system, &Origin::Step(s), None));
        }
        for o in obligations {
            let Origin::Rank(fall) = o.origin else { continue };
            compared += 1;
            let kept =
                |i: &Instance, s: &State| system.invariant.iter().all(|c| i.holds(&system, s, &c.formula));
            let wrong = all.iter().any(|(i, states)| {
                let apart = states.len().div_ceil(400);
                let some = states.iter().skip(compared as usize % apart).step_by(apart);
                some.into_iter().any(|s| kept(i, s) && fails(&system, i, s, fall))
            });
            if !wrong && !generator.0.random_bool(0.3) {
                continue;
            }
            let coin = |g: &mut Gen| g.0.random_bool(0.5);
            let mode = Mode {
                ground: family == "ring" && coin(&mut generator),
                everywhere: coin(&mut generator),
                exists: coin(&mut generator),
                hints: false,
                more_induction: false,
                again: coin(&mut generator),
                relevant: coin(&mut generator),
            };
            let script = match Counters::of(&system) {
                Ok(counters) if family == "counters" => counters.script(&o),
                _ => first_order::script(&system, &o, mode),
            };
            let Ok(script) = script else { continue };
            let answer = solvers.ask(Solver::Z3, &script, 100_000).expect("a solver");
            assert!(!(wrong && answer == Answer::Unsat), "{family}, wrong proof: {fall:?} of\n{text}");
            proved += u32::from(answer == Answer::Unsat);
            refuted += u32::from(wrong);
        }
    }
    println!("{family}: {compared} compared, {refuted} fail, {proved} proved of some others");
    assert!(proved > 0 && refuted > 0, "{proved} proved, {refuted} refuted");
}

#[test]
fn no_rank_of_counters_is_proved_that_does_not_fall() {
    compare("counters", 11);
}

#[test]
fn no_rank_of_regions_is_proved_that_does_not_fall() {
    compare("regions", 12);
}

#[test]
fn no_rank_of_trees_is_proved_that_does_not_fall() {
    compare("tree", 13);
}

#[test]
fn no_rank_of_rings_is_proved_that_does_not_fall() {
    compare("ring", 14);
}
