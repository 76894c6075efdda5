//! Iterations that saw something old: left out against explored.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use super::common::generated::{MODELS, Random, model};
use super::{explored_with, program, with, without};
use selvedge_machine::{Reduction, Reductions};

/// The reader of a sequence lock, with two words of data.
const READER: &str = "head:\nr1 = load.4.acq @x\nr2 = and.32 r1, 1\nr2 = cmp.ne.32 r2, 0\nbranch r2, head, look\n\
                      look:\nr5 = load.4.rlx @y\nr6 = load.4.rlx @d\nfence.acq\nr7 = load.4.rlx @x\n\
                      r2 = cmp.ne.32 r7, r1\nbranch r2, head, done\ndone:\n\
                      r5 = shl.32 r5, 4\nr4 = add.32 r5, r6\nstore.4.na @out, r4\n";

fn writer(n: usize) -> String {
    format!(
        "head:\nr1 = load.4.rlx @x\nr2 = and.32 r1, 1\nr2 = cmp.ne.32 r2, 0\nbranch r2, head, try\n\
         try:\nr3 = add.32 r1, 1\nr5 = cmpxchg.4.acq.rlx @x, r1, r3\nbranch r6, in, head\n\
         in:\nfence.rel\nstore.4.rlx @y, {n}\nstore.4.rlx @d, {n}\nr3 = add.32 r1, 2\nstore.4.rel @x, r3\n"
    )
}

#[test]
fn readers_of_a_sequence_lock_wait_in_no_execution() {
    for (writers, orders) in [(1, 2), (2, 6), (3, 24)] {
        let mut bodies = vec![READER.to_string()];
        bodies.extend((1..=writers).map(writer));
        let text = program(&bodies, "", "");
        for name in ["sc", "tso", "ra", "rc11"] {
            let on = with(&text, name);
            assert_eq!((on.complete, on.blocked, on.stuck), (orders, 0, false), "{writers} under {name}");
            let off = explored_with(&text, &model(name), without(&[Reduction::Outdated]), true, true);
            let off = off.expect("few executions");
            assert!(off.blocked > 0, "{writers} under {name}");
            assert_eq!((on.states, on.complete), (off.states, off.complete), "{writers} under {name}");
        }
    }
}

/// The number is the same again: what was read in between need not go together.
#[test]
fn a_number_that_comes_again_is_seen() {
    let back = "store.4.rlx @y, 1\nstore.4.rel @x, 2\nstore.4.rlx @d, 1\nstore.4.rel @x, 0\n";
    let text = program(&[READER.to_string(), back.to_string()], "", "");
    for name in MODELS {
        let on = with(&text, name);
        let off = explored_with(&text, &model(name), without(&[Reduction::Outdated]), true, true);
        let off = off.expect("few executions");
        assert_eq!((&on.states, on.complete), (&off.states, off.complete), "{name}");
        assert!(
            on.states.iter().any(|s| s.get("out") == Some(&16) || s.get("out[0]") == Some(&16)),
            "{name}"
        );
    }
}

/// Looks at several things, and tries again or gives up. Labels have its number.
pub(super) fn look(random: &mut Random, k: usize) -> String {
    let mut body = format!("head{k}:\n");
    let first = random.pick(&["@x", "@x", "@y", "@d"]);
    body += &format!("r1 = load.4.{} {first}\n", random.pick(&["rlx", "acq", "sc"]));
    if random.below(3) == 0 {
        body += &format!("r2 = and.32 r1, 1\nr2 = cmp.ne.32 r2, 0\nbranch r2, head{k}, even{k}\neven{k}:\n");
    }
    for r in 0..random.below(3) {
        let at = random.pick(&["@x", "@y", "@d"]);
        body += &format!("r{} = load.4.{} {at}\n", 5 + r, random.pick(&["rlx", "acq", "sc"]));
        if random.below(4) == 0 {
            body += &format!("fence.{}\n", random.pick(&["acq", "rel", "sc"]));
        }
    }
    let last = if random.below(3) == 0 { random.pick(&["@x", "@y", "@d"]) } else { first };
    body += &format!("r7 = load.4.{} {last}\n", random.pick(&["rlx", "acq", "sc"]));
    body += &match random.below(8) {
        0..5 => String::from("r2 = cmp.ne.32 r7, r1\n"),
        5 => format!("r2 = cmp.ne.32 r7, {}\n", random.below(3)),
        6 => String::from("r2 = cmp.ult.32 r7, r1\n"),
        _ => String::from("r2 = add.32 r5, r7\nr2 = cmp.ne.32 r2, r1\n"),
    };
    body += &match random.below(4) {
        0 => String::from("r2 = xor.32 r2, 1\ncall.0 &__VERIFIER_assume (r2)\n"),
        _ => format!("branch r2, head{k}, done{k}\ndone{k}:\n"),
    };
    body + "r4 = mul.32 r4, 8\nr4 = add.32 r4, r7\nr4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n"
}

fn operation(random: &mut Random) -> String {
    let at = random.pick(&["@x", "@x", "@y", "@d"]);
    let store = random.pick(&["rlx", "rel", "sc"]);
    match random.below(12) {
        0..6 => format!("store.4.{store} {at}, {}\n", random.below(4)),
        6..8 => {
            format!("r5 = rmw.add.4.{} {at}, {}\n", random.pick(&["rlx", "ar", "sc"]), 1 + random.below(2))
        }
        8..10 => {
            format!(
                "r5 = load.4.{} {at}\nr4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n",
                random.pick(&["rlx", "acq"])
            )
        }
        10 => format!("fence.{}\n", random.pick(&["acq", "rel", "sc"])),
        _ => {
            format!("r5 = load.4.rlx {at}\nr6 = cmp.ne.32 r5, 0\nstore.4.{store} @d, r6\n")
        }
    }
}

fn generated(random: &mut Random) -> String {
    let mut bodies = Vec::new();
    let lookers = 1 + random.below(2);
    for n in 0..lookers + 1 + random.below(2) {
        let mut body = String::from("r4 = move 0\nr5 = move 0\n");
        for k in 0..1 + random.below(3) {
            body += &match n < lookers && random.below(3) != 0 {
                true => look(random, k),
                false => operation(random),
            };
        }
        bodies.push(body + &format!("store.4.na @out+{}, r4", 8 * n));
    }
    let by = random.below(bodies.len());
    bodies.rotate_left(by);
    program(&bodies, "", "")
}

/// With and without: as many complete executions, the same states and errors, and the same waits for ever.
#[test]
fn what_is_left_out_is_not_missed() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 300);
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let models = MODELS.map(model);
    let off = without(&[Reduction::Outdated]);
    let (mut compared, mut fewer) = (0, 0);
    for n in 0..programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let text = generated(&mut random);
        let at = random.below(models.len());
        let (model, name) = (&models[at], MODELS[at]);
        let (awaits, races) = (random.below(4) != 0, random.below(2) == 0);
        let Some(on) = explored_with(&text, model, Reductions::ALL, awaits, races) else { continue };
        let Some(all) = explored_with(&text, model, off, awaits, races) else { continue };
        compared += 1;
        fewer += u64::from(on.blocked < all.blocked);
        let wrong =
            format!("program {n} of seed {seed} under {name}, awaits {awaits}, races {races}\n{text}");
        assert_eq!(on.kinds, all.kinds, "{wrong}");
        if on.kinds.is_empty() {
            assert_eq!((&on.states, on.complete), (&all.states, all.complete), "{wrong}");
            assert_eq!(on.stuck, all.stuck, "{wrong}");
        }
    }
    println!("{compared} compared, {fewer} with fewer executions");
    assert!(
        compared * 2 > programs && fewer * 20 > programs,
        "the generator says nothing: {compared}, {fewer}"
    );
}
