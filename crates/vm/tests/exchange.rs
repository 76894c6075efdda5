//! Attempts that store what they read, counters that do not matter, tests before and after: left out against
//! explored.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use crate::common;
mod following;
#[path = "exchange/outdated.rs"]
mod outdated;
mod overtaken;
mod twins;
mod wake_ups;

use common::generated::{MODELS, Random, State, final_state, model};
use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, ExploreError, Watches, explore};
use selvedge_ir::{passes, text};
use selvedge_machine::{Reduction, Reductions};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

const DECLARED: &str = "
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @d size 4 align 4 = zero 4
    global @out size 64 align 8 = zero 64
    global @t size 64 align 8 = zero 64
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &sched_yield() results 1 regs 0
    func &__VERIFIER_assume(r0) results 0 regs 1
    func &try(r0, r1) results 1 regs 4 {
        r2 = rmw.xchg.4.acq r0, r1
        r3 = cmp.ne.32 r2, 0
        return (r3)
    }
";

#[derive(Default, PartialEq, Debug)]
struct Found {
    states: BTreeSet<State>,
    kinds: BTreeSet<String>,
    complete: u64,
    blocked: u64,
    cut: u64,
    /// Some execution waits for ever.
    stuck: bool,
}

/// Threads, and what `main` does before and after them.
fn program(bodies: &[String], first: &str, last: &str) -> String {
    let mut text = String::from(DECLARED);
    let mut main = String::from(first);
    for (n, body) in bodies.iter().enumerate() {
        let _ = write!(text, "func &thread{n}(r0) results 1 regs 10 {{\n{body}\nreturn (0)\n}}\n");
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{n}, {n})", 8 * n);
    }
    for n in 0..bodies.len() {
        let _ = write!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    format!("file \"test.c\"\n{text}func &main() results 1 regs 8 {{\n{main}{last}\nreturn (0)\n}}\n")
}

/// `None` if there are too many executions.
fn explored(program: &str, model: &Model, reductions: Reductions, awaits: bool) -> Option<Found> {
    explored_with(program, model, reductions, awaits, true)
}

/// `races`: they are errors, at which an execution ends.
fn explored_with(
    program: &str,
    model: &Model,
    reductions: Reductions,
    awaits: bool,
    races: bool,
) -> Option<Found> {
    let needs_races = [Reduction::Escape, Reduction::LockOrder];
    let reductions = needs_races.into_iter().filter(|_| !races).fold(reductions, Reductions::without);
    let mut module = text::parse(program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    passes::run(&mut module, reductions);
    let options = Options { max_threads: 6, reductions, unroll: 2, ..Options::default() };
    let mut machine = VmMachine::new(module, options).unwrap_or_else(|e| panic!("{e}"));
    let config = Config {
        inspect: true,
        races,
        reductions,
        watches: Watches {
            chains: awaits.then(Arc::default),
            values: awaits.then(Arc::default),
            twins: model.has_prefix_apart().then(Arc::default),
            ..Watches::default()
        },
        max_executions: Some(20_000),
        ..Config::default()
    };
    settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some(failure) = x.failure() {
                found.kinds.insert(failure.kind.to_string());
            } else if let Some((_, error)) = x.program_error() {
                found.kinds.insert(error.kind.to_string());
            }
            found.stuck |= x.stuck().is_some();
            if x.end == End::Complete {
                // Locations that one run never comes to are as they were.
                let state = final_state(machine, x);
                found.states.insert(state.into_iter().filter(|(_, value)| *value != 0).collect());
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        (found.complete, found.blocked, found.cut) = (stats.complete, stats.blocked, stats.cut);
        let result = stats.gave_up.is_none().then_some(found);
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result })
    })
    .unwrap_or_else(|e| panic!("{e}"))
}

fn without(reductions: &[Reduction]) -> Reductions {
    reductions.iter().fold(Reductions::ALL, |all, reduction| all.without(*reduction))
}

fn with(text: &str, name: &str) -> Found {
    explored(text, &model(name), Reductions::ALL, true).expect("few executions")
}

/// Goes round as long as what the attempt gives in `r1` is not 0.
fn lock(attempt: &str, pause: &str) -> String {
    format!(
        "head:\n{attempt}\nr2 = cmp.ne.32 r1, 0\nbranch r2, pause, done\npause:\n{pause}\njump head\ndone:\n"
    )
}

const XCHG: &str = "r1 = rmw.xchg.4.acq @x, 1";
const UNLOCK: &str = "store.4.rel @x, 0\n";
const SECTION: &str = "r3 = load.4.na @d\nr3 = add.32 r3, 1\nstore.4.na @d, r3\n";

#[test]
fn locks_have_one_execution_for_each_order() {
    let tested = "test:\nr1 = load.4.rlx @x\nr2 = cmp.ne.32 r1, 0\nbranch r2, test, try\ntry:\n";
    let polled = "poll:\nr1 = load.4.rlx @x\nr2 = cmp.ne.32 r1, 0\nbranch r2, poll, over\nover:\n";
    let counted = "r6 = add.32.nsw r6, 1\nr7 = cmp.sgt.32 r6, 10\nbranch r7, yield, spin\n\
                   yield:\nr5 = call.1 &sched_yield ()\nr6 = move 0\njump spin\nspin:\n";
    let delay = "r8 = move 0\nwait:\nr7 = cmp.slt.32 r8, r6\nbranch r7, more, enough\n\
                 more:\nr8 = add.32.nsw r8, 1\njump wait\nenough:\nr6 = mul.32 r6, 2\n";
    for (what, attempt, pause) in [
        ("exchange", XCHG.to_string(), ""),
        ("or", "r1 = rmw.or.4.acq @x, 1".to_string(), "r5 = call.1 &sched_yield ()"),
        ("test and exchange", format!("{tested}{XCHG}"), ""),
        ("exchange and test", XCHG.to_string(), polled),
        ("a function", "r1 = call.1 &try (@x, 1)".to_string(), "r5 = call.1 &sched_yield ()"),
        ("a counter", XCHG.to_string(), counted),
        ("a delay", format!("{tested}{XCHG}"), delay),
    ] {
        let body = format!("r6 = move 1\n{}{SECTION}{UNLOCK}", lock(&attempt, pause));
        for name in MODELS {
            for (threads, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
                let found = with(&program(&vec![body.clone(); threads], "", ""), name);
                let counts = (found.complete, found.blocked, found.cut, found.stuck);
                assert_eq!(counts, (orders, 0, 0, false), "{what} under {name}");
                assert!(found.kinds.is_empty(), "{what} under {name}");
            }
        }
    }
}

#[test]
fn a_lock_that_is_never_free_is_waited_for() {
    for name in MODELS {
        let found = with(&program(&vec![lock(XCHG, ""); 2], "", ""), name);
        assert_eq!((found.complete, found.cut, found.stuck), (0, 0, true), "{name}");
    }
}

/// An attempt would succeed, but who has failed once looks on until there is something that never comes.
#[test]
fn who_looks_on_for_ever_is_found() {
    for attempt in ["rmw.xchg.4.ar @x, 0", "rmw.and.4.ar @x, 0"] {
        let body = format!(
            "head:\nr1 = {attempt}\nr2 = cmp.ne.32 r1, 1\nbranch r2, poll, done\n\
             poll:\nr1 = load.4.acq @x\nr2 = cmp.ne.32 r1, 0\nbranch r2, poll, head\ndone:\n"
        );
        let text = program(&[body, String::from("store.4.rel @x, 1\n")], "", "");
        for name in MODELS {
            assert!(with(&text, name).stuck, "{attempt} under {name}");
        }
    }
}

/// The attempt that fails writes, so it races with a plain read, although nobody sees what it writes.
#[test]
fn a_plain_read_races_with_an_attempt_that_fails() {
    let reader = format!("r3 = load.4.na @x\n{UNLOCK}");
    let text = program(&[lock(XCHG, ""), reader.clone()], "store.4.na @x, 1\n", "r3 = load.4.na @x\n");
    assert_eq!(with(&text, "rc11").kinds.len(), 1);
    // Before and after the threads it does not.
    let after = program(&vec![lock(XCHG, "") + UNLOCK; 2], "r3 = load.4.na @x\n", "r3 = load.4.na @x\n");
    let found = with(&after, "rc11");
    assert_eq!((found.kinds.len(), found.complete, found.cut), (0, 2, 0));
}

/// Locks that say who has them, values that come back, results that are used.
#[test]
fn attempts_that_change_something_are_made() {
    for (what, body, cut) in [
        // The second attempt finds it.
        ("a name that is not there", lock("r1 = rmw.xchg.4.acq @x, r9", ""), false),
        ("a result that is used", lock(XCHG, "r4 = add.32 r4, r1") + "store.4.na @out, r4\n", true),
        ("another effect", lock(XCHG, "r5 = rmw.add.4.rlx @y, 1"), true),
    ] {
        let bodies: Vec<String> =
            (0..2).map(|n| format!("r4 = move 0\nr9 = move {}\n{body}", n + 1)).collect();
        let text = program(&bodies, "", "");
        for name in MODELS {
            let on = with(&text, name);
            assert_eq!((on.cut > 0, on.stuck), (cut, !cut), "{what} under {name}");
        }
    }
}

// ---- generated programs ----

const RMW_MODES: [&str; 5] = ["rlx", "acq", "rel", "ar", "sc"];

fn attempt(random: &mut Random, n: usize, at: &str) -> String {
    let mode = random.pick(&RMW_MODES);
    match random.below(16) {
        0..8 => format!("r1 = rmw.xchg.4.{mode} {at}, 1"),
        8 => format!("r1 = rmw.xchg.4.{mode} {at}, 2"),
        9 => format!("r1 = rmw.xchg.4.{mode} {at}, {}", n + 1),
        10..12 => format!("r1 = rmw.or.4.{mode} {at}, {}", 1 + random.below(2)),
        12 => format!("r1 = rmw.umax.4.{mode} {at}, 1"),
        13 => format!("r1 = rmw.and.4.{mode} {at}, {}\nr1 = xor.32 r1, 1", random.below(2)),
        _ => format!("r1 = call.1 &try ({at}, 1)"),
    }
}

/// A loop that takes something, or waits for something. Labels have its number.
fn waiting(random: &mut Random, n: usize, k: usize) -> String {
    let at = random.pick(&["@x", "@x", "@y"]);
    let load = random.pick(&["rlx", "acq", "sc"]);
    let test = match random.below(8) {
        0 => format!("r2 = cmp.eq.32 r1, {}", random.below(3)),
        1 => String::from("r2 = cmp.sgt.32 r1, 1"),
        _ => String::from("r2 = cmp.ne.32 r1, 0"),
    };
    let mut body = String::from("r6 = move 1\n");
    let tries = match random.below(5) {
        0 => format!("r1 = load.4.{load} {at}"),
        _ => attempt(random, n, at),
    };
    let tested = match random.below(3) {
        0 => {
            format!(
                "test{k}:\nr1 = load.4.{load} {at}\nr2 = cmp.ne.32 r1, 0\n\
                 branch r2, test{k}, try{k}\ntry{k}:\n"
            )
        }
        _ => String::new(),
    };
    let mut pause = match random.below(14) {
        0..3 => String::new(),
        3 => String::from("r5 = call.1 &sched_yield ()\n"),
        4..6 => format!(
            "r6 = add.32.nsw r6, 1\nr7 = cmp.sgt.32 r6, 2\nbranch r7, yield{k}, spin{k}\n\
             yield{k}:\nr5 = call.1 &sched_yield ()\nr6 = move 0\njump spin{k}\nspin{k}:\n"
        ),
        6 => format!(
            "r8 = move 0\nwait{k}:\nr7 = cmp.slt.32 r8, r6\nbranch r7, more{k}, enough{k}\n\
             more{k}:\nr8 = add.32.nsw r8, 1\njump wait{k}\nenough{k}:\nr6 = mul.32 r6, 2\n"
        ),
        7 => String::from("r6 = add.32 r6, r1\n"),
        // Attempts are counted, and enough is enough.
        8 => format!("r6 = add.32.nsw r6, 1\nr7 = cmp.sgt.32 r6, 2\nbranch r7, done{k}, on{k}\non{k}:\n"),
        9 => format!(
            "poll{k}:\nr1 = load.4.{load} {at}\nr2 = cmp.ne.32 r1, 0\nbranch r2, poll{k}, over{k}\nover{k}:\n"
        ),
        10 => format!("r3 = load.4.{load} @d\nr7 = cmp.eq.32 r3, 1\nbranch r7, done{k}, on{k}\non{k}:\n"),
        11 => format!(
            "poll{k}:\nr1 = load.4.{load} {at}\nr2 = cmp.eq.32 r1, 2\nbranch r2, done{k}, over{k}\nover{k}:\n"
        ),
        12 => format!("store.4.{} @d, 1\n", random.pick(&["rlx", "rel"])),
        _ => format!("fence.{}\n", random.pick(&["acq", "rel", "sc"])),
    };
    if random.below(12) == 0 {
        pause += "r4 = mul.32 r4, 4\nr4 = add.32 r4, r1\n";
    }
    let _ = write!(
        body,
        "head{k}:\n{tested}{tries}\n{test}\nbranch r2, pause{k}, done{k}\n\
         pause{k}:\n{pause}jump head{k}\ndone{k}:\n"
    );
    match random.below(6) {
        0 => body += "r4 = mul.32 r4, 4\nr4 = add.32 r4, r1\n",
        1 if random.below(2) == 0 => body += "r4 = add.32 r4, r6\n",
        _ => {}
    }
    for _ in 0..random.below(3) {
        body += &operation(random);
    }
    let give = random.pick(&["rel", "rel", "rlx", "sc"]);
    body += &match random.below(10) {
        0 => String::new(),
        1 => format!("r5 = rmw.xchg.4.{give} {at}, 0\n"),
        _ => format!("store.4.{give} {at}, 0\n"),
    };
    body
}

fn operation(random: &mut Random) -> String {
    let rmw = random.pick(&RMW_MODES);
    let keep = "r4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n";
    let load = random.pick(&["rlx", "acq", "sc"]);
    let store = random.pick(&["rlx", "rel", "sc"]);
    match random.below(24) {
        0..6 => format!("r5 = load.4.{load} @d\n{keep}"),
        6..12 => format!("store.4.{store} @d, {}\n", 1 + random.below(2)),
        12..15 => format!("r5 = load.4.{load} @x\n{keep}"),
        15..17 => format!("store.4.{store} @x, {}\n", random.below(3)),
        17 => format!("r5 = rmw.xchg.4.{rmw} @x, {}\n{keep}", random.below(2)),
        18 => format!("r5 = rmw.add.4.{rmw} @y, 1\n"),
        19 => format!("r5 = load.4.na {}\n{keep}", random.pick(&["@x", "@d"])),
        20 => format!("store.4.{store} @y, {}\n", random.below(2)),
        21 => format!("r5 = load.4.{load} @y\n{keep}"),
        _ => format!("fence.{}\n", random.pick(&["acq", "rel", "sc"])),
    }
}

fn generated(random: &mut Random) -> String {
    let mut bodies = Vec::new();
    for n in 0..2 + random.below(2) {
        let mut body = String::from("r4 = move 0\n");
        let mut loops = 0;
        for _ in 0..1 + random.below(2) {
            if loops == 0 && n == 0 || random.below(3) != 0 {
                body += &waiting(random, n, loops);
                loops += 1;
            } else {
                body += &operation(random);
            }
        }
        bodies.push(body + &format!("store.4.na @out+{}, r4", 8 * n));
    }
    let first = match random.below(4) {
        0 => format!("store.4.na @x, {}\n", random.below(3)),
        _ => String::new(),
    };
    program(&bodies, &first, "")
}

/// With and without, the same final states and errors.
#[test]
fn generated_programs_end_in_the_same_states() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 250);
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let first = setting("SELVEDGE_FUZZ_FIRST", 0);
    let models = MODELS.map(model);
    let off = without(&[Reduction::Exchange, Reduction::Faint]);
    let (mut compared, mut fewer) = (0, 0);
    for n in first..first + programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let text = generated(&mut random);
        let at = random.below(models.len());
        let (model, name) = (&models[at], MODELS[at]);
        let awaits = random.below(3) != 0;
        let races = random.below(2) == 0;
        let Some(on) = explored_with(&text, model, Reductions::ALL, awaits, races) else { continue };
        let Some(all) = explored_with(&text, model, off, awaits, races) else { continue };
        compared += 1;
        fewer += u64::from(on.complete < all.complete);
        let wrong =
            format!("program {n} of seed {seed} under {name}, awaits {awaits}, races {races}\n{text}");
        assert_eq!(on.kinds, all.kinds, "{wrong}");
        // An execution ends where it is wrong, and what would be revisited from there depends on the
        // schedule.
        if on.kinds.is_empty() {
            assert_eq!(on.states, all.states, "{wrong}");
        }
        // Who waits for ever is found where nothing is cut; also where no execution ends early by a race.
        let misses = |on: &Found, all: &Found| all.stuck && !on.stuck;
        if misses(&on, &all) {
            assert!(races && !on.kinds.is_empty(), "{wrong}");
            let found = |reductions| explored_with(&text, model, reductions, awaits, false);
            if let (Some(on), Some(all)) = (found(Reductions::ALL), found(off)) {
                assert!(!misses(&on, &all), "without races: {wrong}");
            }
        }
    }
    println!("{compared} compared, {fewer} with fewer executions");
    assert!(
        compared * 3 > programs && fewer * 20 > programs,
        "the generator says nothing: {compared}, {fewer}"
    );
}
