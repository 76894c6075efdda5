//! Iterations that take something and put it back: left out against explored.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use crate::common;

use common::following::{FOLLOWING, Following, How};
use common::generated::{MODELS, Random, State, final_state, model};
use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, GaveUp, Watches, explore};
use selvedge_machine::{Again, Reduction, Reductions};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

const DECLARED: &str = "
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @out size 64 align 8 = zero 64
    global @t size 64 align 8 = zero 64
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &reach_error() results 0 regs 0
    global @m size 40 align 8 = zero 40
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
";

#[derive(Default, PartialEq, Debug)]
struct Found {
    states: BTreeSet<State>,
    kinds: BTreeSet<String>,
    complete: u64,
    /// Some execution waits for ever.
    stuck: bool,
    noticed: bool,
    /// Some execution was cut at the bound.
    cut: bool,
    /// There were too many executions, or the condition of another reduction does not hold.
    useless: bool,
}

/// Threads, and what `main` does before and after them.
fn program(bodies: &[String], first: &str, last: &str) -> String {
    let mut text = String::from(DECLARED);
    let mut main = String::from(first);
    for (n, body) in bodies.iter().enumerate() {
        let loops: String =
            (0..).take_while(|k| body.contains(&format!("head{k}:"))).fold(String::new(), |mut all, k| {
                let _ = writeln!(all, "loop head{k} !0:{}:1", k + 1);
                all
            });
        let _ = write!(text, "func &thread{n}(r0) results 1 regs 8 {{\n{loops}{body}\nreturn (0)\n}}\n");
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{n}, {n})", 8 * n);
    }
    for n in 0..bodies.len() {
        let _ = write!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    format!("file \"test.c\"\n{text}func &main() results 1 regs 8 {{\n{main}{last}\nreturn (0)\n}}\n")
}

/// `unroll`: with all iterations, up to this many; without those that take back if there is no bound.
fn explored(text: &str, model: &Model, unroll: Option<u32>, awaits: bool) -> Found {
    let mut reductions = Reductions::ALL;
    if unroll.is_some() {
        reductions = reductions.without(Reduction::Zne);
    }
    let unroll = unroll.unwrap_or(4);
    let options = Options { max_threads: 6, reductions, unroll, ..Options::default() };
    let mut machine = common::machine(text, options);
    let config = Config {
        inspect: true,
        races: false,
        reductions,
        watches: Watches { chains: awaits.then(Arc::default), ..Watches::default() },
        max_executions: Some(60_000),
        ..Config::default()
    };
    let settled = settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some(failure) = x.failure() {
                found.kinds.insert(failure.kind.to_string());
            } else if let Some((_, error)) = x.program_error() {
                found.kinds.insert(error.kind.to_string());
            }
            found.stuck |= x.stuck().is_some();
            if x.end == End::Complete {
                found.states.insert(final_state(machine, x));
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit).unwrap_or_else(|e| panic!("{e}"));
        found.complete = stats.complete;
        found.noticed = stats.gave_up == Some(GaveUp::Again(Again::NetEffectNoticed));
        found.cut = stats.cut > 0;
        let broken = config.watches.broken().is_some();
        found.useless = broken || (stats.gave_up.is_some() && !found.noticed);
        // Whether that is so is what is asked for here.
        match found.noticed || broken {
            true => Err(found),
            false => Ok(Attempt { gave_up: stats.gave_up, found: false, result: found }),
        }
    });
    settled.unwrap_or_else(|found| found)
}

/// A loop that adds `amount` to `x` until what was there fulfils the test.
fn attempt(number: usize, amount: i64, test: &str, (add, sub): (&str, &str)) -> String {
    format!(
        "head{number}:
        r1 = rmw.add.4.{add}.tentative.{number} @x, {amount}
        r2 = cmp.{test}
        branch r2, done{number}, undo{number}
    undo{number}:
        r3 = rmw.sub.4.{sub}.undoes @x, {amount}
        loopback {number}
        jump head{number}
    done{number}:\n"
    )
}

fn add(amount: i64, mode: &str) -> String {
    format!("r3 = rmw.add.4.{mode} @x, {amount}\n")
}

/// A lock that is taken by adding one to 0.
#[test]
fn a_lock_has_one_execution_for_each_order() {
    let body = attempt(0, 1, "eq.32 r1, 0", ("acq", "rlx")) + &add(-1, "rel");
    for name in MODELS {
        for (threads, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
            let text = program(&vec![body.clone(); threads], "", "");
            let found = explored(&text, &model(name), None, true);
            assert_eq!((found.complete, found.stuck, found.noticed), (orders, false, false), "{name}");
        }
        let text = program(&vec![body.clone(); 2], "", "");
        let (with, without) =
            (explored(&text, &model(name), None, true), explored(&text, &model(name), Some(2), true));
        assert_eq!(with.states, without.states, "{name}");
        assert!(without.complete > with.complete, "{name}");
    }
}

#[test]
fn a_lock_that_is_never_free_is_waited_for() {
    let body = attempt(0, 1, "eq.32 r1, 0", ("acq", "rlx"));
    for name in MODELS {
        let text = program(&vec![body.clone(); 2], "", "");
        let found = explored(&text, &model(name), None, true);
        assert_eq!((found.stuck, found.noticed, found.complete), (true, false, 0), "{name}");
    }
}

#[test]
fn who_looks_notices() {
    let waiter = attempt(0, 100, "eq.32 r1, 2", ("acq", "rlx"));
    let adds = |body: &str| format!("{body}r5 = rmw.add.4.rlx @x, 1\nr6 = rmw.add.4.rlx @x, 1\n");
    let silent = adds("");
    // Its two additions see the same, although one came before and one after the other thread's attempt.
    let looking = adds("") + "r5 = sub.32 r6, r5\nstore.4.na @out, r5\n";
    let storing = String::from("store.4.rlx @x, 2\n");
    let exchanging = String::from("r5 = rmw.xchg.4.rlx @x, 2\n");
    // A bit that nobody adds to is taken out, and one that somebody may have added to.
    let apart = String::from("r5 = rmw.and.4.rel @x, -5\n");
    let together = String::from("r5 = rmw.and.4.rel @x, -2\n");
    let taking = attempt(0, 1, "eq.32 r1, 4", ("acq", "rlx"));
    // Whoever comes at the right moment sees 2 if two others have added one.
    let three = vec![attempt(0, 1, "eq.32 r1, 2", ("acq", "rlx")); 3];
    for (what, bodies, noticed) in [
        ("silent", vec![waiter.clone(), silent], false),
        ("looking", vec![waiter.clone(), looking], true),
        ("storing", vec![waiter.clone(), storing], true),
        ("exchanging", vec![waiter.clone(), exchanging], true),
        ("three", three, true),
        ("apart", vec![taking.clone(), apart], false),
        ("together", vec![taking.clone(), together], true),
    ] {
        for name in MODELS {
            let text = program(&bodies, "", "");
            let found = explored(&text, &model(name), None, true);
            assert_eq!(found.noticed, noticed, "{what} under {name}");
        }
    }
}

/// What `main` stores before it creates the threads, and reads after they have ended, does not overlap with
/// anything.
#[test]
fn creation_and_end_of_threads_keep_apart() {
    let body = attempt(0, -1, "sgt.32 r1, 0", ("acq", "rlx")) + &add(1, "rel");
    let last = "r1 = load.4.na @x\nr2 = cmp.eq.32 r1, 2\nbranch r2, fine, wrong
        wrong: call.0 &reach_error ()
        fine: store.4.na @x, 0";
    for name in MODELS {
        let text = program(&vec![body.clone(); 3], "store.4.na @x, 2\n", last);
        let found = explored(&text, &model(name), None, true);
        assert_eq!((found.kinds.len(), found.stuck, found.noticed), (0, false, false), "{name}");
    }
}

/// Takes the lock and looks, until there is something to see; goes on with the lock.
fn poll(number: usize, test: &str) -> String {
    format!(
        "jump head{number}
    head{number}:
        loophead {number} () ()
        r3 = call.1 &pthread_mutex_lock (@m)
        r1 = load.4.na @y
        r2 = cmp.{test}
        branch r2, done{number}, again{number}
    again{number}:
        r3 = call.1 &pthread_mutex_unlock (@m)
        loopback {number}
        jump head{number}
    done{number}:\n"
    )
}

const LOCK: &str = "r3 = call.1 &pthread_mutex_lock (@m)\n";
const UNLOCK: &str = "r3 = call.1 &pthread_mutex_unlock (@m)\n";

#[test]
fn polling_with_a_lock_ends() {
    let consumer = poll(0, "eq.32 r1, 1") + UNLOCK;
    let producer = format!("{LOCK}store.4.na @y, 1\n{UNLOCK}");
    for name in MODELS {
        let text = program(&[consumer.clone(), producer.clone()], "", "");
        let found = explored(&text, &model(name), None, true);
        assert_eq!((found.complete, found.stuck, found.cut), (1, false, false), "{name}");
        let without = explored(&text, &model(name), Some(2), true);
        assert_eq!((without.complete, without.cut), (3, true), "{name}");
        assert_eq!(found.states, without.states, "{name}");
        // Nobody comes.
        let text = program(&[consumer.clone(), consumer.clone()], "", "");
        let found = explored(&text, &model(name), None, true);
        assert_eq!((found.complete, found.stuck), (0, true), "{name}");
        // Somebody can see from the lock how often it was taken.
        let looking = "r3 = call.1 &pthread_mutex_trylock (@m)\nstore.4.na @out, r3\n".to_string();
        let text = "func &pthread_mutex_trylock(r0) results 1 regs 1\n".to_string()
            + &program(&[consumer.clone(), producer.clone(), looking], "", "");
        let found = explored(&text, &model(name), None, true);
        assert!(found.cut, "{name}");
    }
}

// ---- generated programs ----

const RMW_MODES: [&str; 5] = ["rlx", "acq", "rel", "ar", "sc"];

fn generated(random: &mut Random) -> String {
    let threads = 2 + random.below(2);
    let amounts = [1, 1, 2, -1, 4];
    let shared = random.below(5);
    let mut bodies = Vec::new();
    for n in 0..threads {
        let mut body = String::from("r4 = move 0\n");
        let mut loops = 0;
        for _ in 0..random.below(2) {
            body += &operation(random);
        }
        for _ in 0..1 + random.below(2) {
            if n == 0 && loops == 0 || random.below(2) == 0 && loops < 2 {
                let amount = if random.below(4) == 0 { amounts[random.below(5)] } else { amounts[shared] };
                let test = match random.below(4) {
                    // A lock, or something that is free as long as there is enough of it.
                    0..2 if amount > 0 => format!("slt.32 r1, {}", 1 + random.below(2)),
                    0..2 => format!("sgt.32 r1, {}", random.below(2)),
                    2 => format!("eq.32 r1, {}", random.below(4)),
                    _ => format!("{}.32 r1, {}", random.pick(&["ne", "sle", "sge"]), random.below(4)),
                };
                let modes = (random.pick(&RMW_MODES), random.pick(&RMW_MODES));
                body += &attempt(loops, amount, &test, modes);
                loops += 1;
                for _ in 0..random.below(2) {
                    body += &operation(random);
                }
                match random.below(8) {
                    0 if random.below(4) == 0 => body += "r4 = add.32 r4, r1\n",
                    0..7 => body += &add(-amount, random.pick(&RMW_MODES)),
                    _ => {}
                }
            } else {
                body += &operation(random);
            }
        }
        bodies.push(body + &format!("store.4.na @out+{}, r4", 8 * n));
    }
    let first = match random.below(3) {
        0 => format!("store.4.na @x, {}\n", random.below(4)),
        _ => String::new(),
    };
    program(&bodies, &first, "")
}

/// Threads that wait for what others do with the same lock.
fn pollers(random: &mut Random) -> String {
    let mut bodies = Vec::new();
    for n in 0..2 + random.below(2) {
        let mut body = String::from("r4 = move 0\n");
        let mut loops = 0;
        for _ in 0..1 + random.below(2) {
            let keep = "r4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n";
            let (value, place) = (random.below(3), random.pick(&["@x", "@y"]));
            body += &match random.below(6) {
                0..2 => {
                    let test = random.pick(&["eq", "ne", "sge"]);
                    let seen =
                        random.pick(&["", "", "r5 = move r1\nr4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n"]);
                    loops += 1;
                    poll(loops - 1, &format!("{test}.32 r1, {value}"))
                        + seen
                        + &format!("store.4.na @y, {}\n{UNLOCK}", random.below(3))
                }
                2..4 => format!("{LOCK}store.4.na @y, {value}\n{UNLOCK}"),
                4 => format!("{LOCK}r5 = load.4.na {place}\n{keep}store.4.na @x, {value}\n{UNLOCK}"),
                _ => format!("r5 = load.4.na {place}\n{keep}"),
            };
        }
        bodies.push(body + &format!("store.4.na @out+{}, r4", 8 * n));
    }
    program(&bodies, "", "")
}

fn operation(random: &mut Random) -> String {
    let amount = [1, 1, 2, -1][random.below(4)];
    let rmw = random.pick(&RMW_MODES);
    let kept = if random.below(16) == 0 { "r4 = mul.32 r4, 16\nr4 = add.32 r4, r5\n" } else { "" };
    match random.below(40) {
        0..12 => format!("r5 = rmw.add.4.{rmw} @x, {amount}\n{kept}"),
        // Bits that may be those that others add to, or not.
        12..16 => {
            let (op, mask) =
                [("and", -2), ("and", -5), ("and", 1), ("or", 1), ("or", 4), ("xor", 1), ("xor", 8)]
                    [random.below(7)];
            format!("r5 = rmw.{op}.4.{rmw} @x, {mask}\n{kept}")
        }
        16..18 => format!("r5 = load.4.{} @x\n{kept}", random.pick(&["rlx", "acq", "sc"])),
        18 => format!("store.4.{} @x, {}\n", random.pick(&["rlx", "rel", "sc"]), random.below(3)),
        19 => format!("r5 = rmw.xchg.4.{rmw} @x, {}\n{kept}", random.below(3)),
        20..28 => format!("store.4.{} @y, {}\n", random.pick(&["rlx", "rel", "sc"]), 1 + random.below(2)),
        28..36 => {
            let keep = "r4 = mul.32 r4, 16\nr4 = add.32 r4, r5\n";
            format!("r5 = load.4.{} @y\n{keep}", random.pick(&["rlx", "acq", "sc"]))
        }
        36..38 => format!("r5 = rmw.add.4.{rmw} @y, {amount}\nr4 = add.32 r4, r5\n"),
        _ => format!("fence.{}\n", random.pick(&["acq", "rel", "sc"])),
    }
}

/// With and without, the same final states and errors.
#[test]
fn generated_programs_end_in_the_same_states() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 250);
    let mut random = Random(setting("SELVEDGE_FUZZ_SEED", 1));
    let models = MODELS.map(model);
    let (mut compared, mut noticed, mut fewer) = (0, 0, 0);
    for n in 0..programs {
        let text = if random.below(4) == 0 { pollers(&mut random) } else { generated(&mut random) };
        let at = random.below(models.len());
        let (model, name) = (&models[at], MODELS[at]);
        let awaits = random.below(3) != 0;
        let with = explored(&text, model, None, awaits);
        noticed += u64::from(with.noticed);
        if with.noticed || with.useless {
            continue;
        }
        let without = explored(&text, model, Some(2), awaits);
        if without.useless {
            continue;
        }
        compared += 1;
        fewer += u64::from(with.complete < without.complete);
        let wrong = format!("program {n} under {name}\n{text}");
        assert_eq!((&with.states, &with.kinds), (&without.states, &without.kinds), "{wrong}");
    }
    println!("{compared} compared, {fewer} with fewer executions, {noticed} noticed");
    assert!(
        compared * 4 > programs && fewer * 20 > programs,
        "the generator says nothing: {compared}, {fewer}"
    );
}

/// The same under models that follow dependencies.
#[test]
fn generated_programs_end_in_the_same_states_where_dependencies_count() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 120);
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let models = FOLLOWING.map(Following::new);
    let on = How { reductions: Reductions::ALL, in_order: true, unroll: 2, most: 4_000 };
    let off = on.reductions.without(Reduction::Zne);
    let (mut compared, mut fewer) = (0, 0);
    for n in 0..programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let text = if random.below(6) == 0 { pollers(&mut random) } else { generated(&mut random) };
        let at = random.below(models.len());
        let Some(with) = models[at].explore(&text, on) else { continue };
        let in_order = random.below(3) != 0;
        let Some(without) = models[at].explore(&text, How { reductions: off, in_order, ..on }) else {
            continue;
        };
        compared += 1;
        fewer += u64::from(with.complete < without.complete);
        let wrong =
            format!("program {n} of seed {seed} under {}, in order {in_order}\n{text}", FOLLOWING[at]);
        assert_eq!((&with.states, &with.kinds), (&without.states, &without.kinds), "{wrong}");
    }
    println!("{compared} compared, {fewer} with fewer executions");
    assert!(compared * 4 > programs && fewer > 0, "the generator says nothing: {compared}, {fewer}");
}
