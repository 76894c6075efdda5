//! Attempts that store what they read under models that follow dependencies: left out against explored, in
//! program order and by dependencies.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs, `SELVEDGE_FUZZ_MODEL=armv8`
//! for one model.

use super::common::following::{FOLLOWING, Following, How, Seen};
use super::common::generated::Random;
use super::{SECTION, UNLOCK, XCHG, lock, operation, program, waiting, without};
use selvedge_machine::{Reduction, Reductions};

const ON: How = How { reductions: Reductions::ALL, in_order: true, go_on: true, unroll: 2, most: 20_000 };

fn with(text: &str, model: &str) -> Seen {
    Following::new(model).explore(text, ON).expect("few executions")
}

#[test]
fn locks_have_one_execution_for_each_order() {
    let tested = "test:\nr1 = load.4.rlx @x\nr2 = cmp.ne.32 r1, 0\nbranch r2, test, try\ntry:\n";
    for name in FOLLOWING {
        for (what, attempt) in [("exchange", XCHG.to_string()), ("or", XCHG.replace("xchg", "or"))] {
            let body = format!("{}{SECTION}{UNLOCK}", lock(&attempt, ""));
            for (threads, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
                let seen = with(&program(&vec![body.clone(); threads], "", ""), name);
                let counts = (seen.complete, seen.blocked, seen.cut, seen.stuck, seen.by_dependencies);
                assert_eq!(counts, (orders, 0, 0, false, false), "{what} under {name}");
                assert!(seen.kinds.is_empty(), "{what} under {name}");
            }
        }
        let body = format!("{}{SECTION}{UNLOCK}", lock(&format!("{tested}{XCHG}"), ""));
        let seen = with(&program(&vec![body; 2], "", ""), name);
        assert_eq!((seen.cut, seen.stuck, seen.by_dependencies), (0, false, false), "{name}");
    }
}

/// What is exchanged without acquiring may be read back early under `armv8` and `power`.
#[test]
fn attempts_that_do_not_acquire_are_made_where_that_could_be_seen() {
    let body = lock("r1 = rmw.xchg.4.rlx @x, 1", "") + UNLOCK;
    let text = program(&vec![body; 2], "", "");
    for (name, cut) in [("imm", false), ("riscv", false), ("armv8", true), ("power", true)] {
        assert_eq!(with(&text, name).cut > 0, cut, "{name}");
    }
}

/// An access of which the address, the value or the existence depends on what was read last.
fn dependent(random: &mut Random, label: &mut usize) -> String {
    let (load, store) = (random.pick(&["rlx", "rlx", "acq"]), random.pick(&["rlx", "rlx", "rel"]));
    let (from, to) = (random.pick(&["@x", "@y", "@d"]), random.pick(&["@x", "@y", "@d"]));
    let keep = "r4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n";
    let read = format!("r5 = load.4.{load} {from}\n{keep}r3 = xor.64 r5, r5\n");
    *label += 1;
    match random.below(6) {
        0 => format!("{read}r9 = offset {to}, r3, 4\nr5 = load.4.{load} r9\n{keep}"),
        1 => format!("{read}r9 = offset {to}, r3, 4\nstore.4.{store} r9, {}\n", 1 + random.below(2)),
        2 => format!("{read}r3 = add.32 r3, {}\nstore.4.{store} {to}, r3\n", random.below(3)),
        3 => format!("{read}store.4.{store} {to}, r5\n"),
        4 => format!(
            "{read}branch r5, a{label}, b{label}\na{label}:\nstore.4.{store} {to}, 1\njump b{label}\nb{label}:\n"
        ),
        _ => format!("{read}r5 = rmw.xchg.4.{load} {to}, r5\n{keep}"),
    }
}

/// A loop that gives up after some attempts; what it read last counts.
fn tries(random: &mut Random, label: &mut usize) -> String {
    *label += 1;
    let (l, limit) = (*label, 2 + random.below(2));
    let [first, second] = [0, 1].map(|_| random.pick(&["rlx", "rlx", "acq"]));
    let (at, other) = (random.pick(&["@x", "@y"]), random.pick(&["@x", "@y", "@d"]));
    let keep = "r4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n";
    let look = format!("r5 = load.4.{first} {at}\nbranch r5, sought{l}, first{l}\nfirst{l}:\n");
    let more = match random.below(3) {
        0 => String::new(),
        1 => format!("r5 = load.4.{second} {other}\nbranch r5, sought{l}, second{l}\nsecond{l}:\n"),
        _ => {
            format!("r5 = cmpxchg.4.ar.{second} {other}, 2, 3\nbranch r6, sought{l}, second{l}\nsecond{l}:\n")
        }
    };
    let count = "r9 = add.32 r3, 1\nr3 = move r9\n";
    let kept = if random.below(3) == 0 { "" } else { keep };
    format!(
        "r3 = move 0\njump seek{l}\nseek{l}:\n{look}{more}{count}r2 = cmp.ult.32 r9, {limit}\n\
         branch r2, seek{l}, sought{l}\nsought{l}:\n{kept}"
    )
}

fn generated(random: &mut Random) -> String {
    let (mut bodies, mut label) = (Vec::new(), 0);
    for n in 0..2 + random.below(2) {
        let mut body = String::from("r4 = move 0\n");
        let mut loops = 0;
        for _ in 0..1 + random.below(3) {
            body += &match random.below(8) {
                6.. => tries(random, &mut label),
                _ if loops == 0 && n == 0 => {
                    loops += 1;
                    waiting(random, n, loops - 1)
                }
                0..2 if loops < 2 => {
                    loops += 1;
                    waiting(random, n, loops - 1)
                }
                0..=4 => dependent(random, &mut label),
                _ => operation(random),
            };
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
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 120);
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let only = std::env::var("SELVEDGE_FUZZ_MODEL").ok();
    let names: Vec<&str> =
        FOLLOWING.into_iter().filter(|name| only.as_ref().is_none_or(|o| o == name)).collect();
    let models: Vec<Following> = names.iter().map(|name| Following::new(name)).collect();
    let off = without(&[Reduction::Exchange, Reduction::Faint, Reduction::Attempts]);
    let (mut compared, mut fewer, mut out_of_order) = (0, 0, 0);
    for n in 0..programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let text = generated(&mut random);
        let at = random.below(models.len());
        let (model, name) = (&models[at], names[at]);
        let Some(on) = model.explore(&text, How { most: 4_000, ..ON }) else { continue };
        // Some by another way altogether.
        let in_order = random.below(3) != 0;
        let Some(all) = model.explore(&text, How { reductions: off, in_order, most: 4_000, ..ON }) else {
            continue;
        };
        compared += 1;
        fewer += u64::from(on.complete < all.complete);
        out_of_order += u64::from(on.by_dependencies);
        let wrong =
            format!("program {n} of seed {seed} under {name}, compared with in_order {in_order}\n{text}");
        assert_eq!(on.kinds, all.kinds, "{wrong}");
        if on.kinds.is_empty() {
            // Attempts may be repeated that cannot be.
            let same = match text.contains("jump seek") {
                true => on.states.is_superset(&all.states),
                false => on.states == all.states,
            };
            assert!(same, "{wrong}\n{:?}\n{:?}", on.states, all.states);
        }
        assert!(!all.stuck || on.stuck, "{wrong}");
    }
    println!("{compared} compared, {fewer} with fewer executions, {out_of_order} by dependencies");
    assert!(
        compared * 3 > programs && fewer * 20 > programs,
        "the generator says nothing: {compared}, {fewer}"
    );
}
