//! Attempts that others have overtaken: left out against explored.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use super::common::generated::{MODELS, Random, model};
use super::{Found, explored_with, program, with, without};
use selvedge_machine::{Reduction, Reductions};

/// Takes what is between two numbers, one of which others move on, too.
fn thief(n: usize) -> String {
    format!(
        "head:\nr1 = load.4.acq @x\nfence.sc\nr2 = load.4.acq @y\nr3 = cmp.sge.32 r1, r2\nbranch r3, none, try\n\
         try:\nr3 = add.32 r1, 1\nr5 = load.4.rlx @d\nr6 = cmpxchg.4.sc.rlx @x, r1, r3\nbranch r7, done, head\n\
         done:\nr3 = add.32 r1, 1\nstore.4.na @out+{}, r3\njump none\nnone:\n",
        8 * n
    )
}

fn without_it(text: &str, name: &str) -> Found {
    let off = explored_with(text, &model(name), without(&[Reduction::Overtaken]), true, true);
    off.expect("few executions")
}

#[test]
fn thieves_wait_in_no_execution() {
    for thieves in [2, 3] {
        let bodies: Vec<String> = (0..thieves).map(thief).collect();
        // As `atomic_init` has it, or atomically.
        let mode = ["na", "rlx"][thieves % 2];
        let text = program(&bodies, &format!("store.4.{mode} @y, 4\n"), "");
        for name in ["sc", "tso", "ra", "rc11"] {
            let (on, off) = (with(&text, name), without_it(&text, name));
            assert!(on.blocked == 0 && off.blocked > 0, "{thieves} under {name}: {on:?} {off:?}");
            assert_eq!((on.states, on.complete), (off.states, off.complete), "{thieves} under {name}");
        }
    }
}

/// The same with numbers that come again: a thief may succeed that saw an old one.
#[test]
fn a_number_that_comes_again_lets_an_attempt_succeed() {
    let back = "store.4.rel @x, 1\nstore.4.rel @d, 1\nstore.4.rel @x, 0\n";
    let text = program(&[thief(0), back.to_string()], "store.4.na @y, 4\n", "");
    for name in MODELS {
        let (on, off) = (with(&text, name), without_it(&text, name));
        assert_eq!((&on.states, on.complete), (&off.states, off.complete), "{name}");
    }
}

/// What is expected need not have been read.
#[test]
fn what_nobody_has_written_yet_is_waited_for() {
    let waits = "head:\nr1 = load.4.rlx @x\nr2 = load.4.rlx @d\nr6 = cmpxchg.4.ar.rlx @x, 2, 3\n\
                 branch r7, done, head\ndone:\nstore.4.na @out, r1\n";
    let writes = "store.4.rlx @x, 1\nstore.4.rlx @x, 2\n";
    for bodies in [[waits, writes], [writes, waits]] {
        let text = program(&bodies.map(String::from), "", "");
        for name in MODELS {
            let (on, off) = (with(&text, name), without_it(&text, name));
            assert_eq!((&on.states, on.complete, on.stuck), (&off.states, off.complete, off.stuck), "{name}");
        }
    }
}

const LOADS: [&str; 4] = ["rlx", "acq", "acq", "sc"];
const UPDATES: [&str; 5] = ["rlx", "acq", "rel", "ar", "sc"];

/// Looks at a number and at other things, tries to change it, and tries again or gives up. Labels have its
/// number.
pub(super) fn attempt(random: &mut Random, k: usize) -> String {
    let at = random.pick(&["@x", "@x", "@x", "@y"]);
    let other = if at == "@x" { "@y" } else { "@x" };
    let mut body = match random.below(12) {
        // What was read before the loop is expected, and then what the attempt has read.
        0 => format!("r1 = load.4.{} {at}\njump head{k}\nhead{k}:\n", random.pick(&LOADS)),
        _ => format!("head{k}:\nr1 = load.4.{} {at}\n", random.pick(&LOADS)),
    };
    let again = body.starts_with("r1");
    for r in 0..random.below(3) {
        if random.below(4) == 0 {
            body += &format!("fence.{}\n", random.pick(&["acq", "rel", "sc"]));
        }
        let looked = if random.below(8) == 0 { at } else { random.pick(&[other, "@d"]) };
        body += &format!("r{} = load.4.{} {looked}\n", 5 + r, random.pick(&LOADS));
        let compared = random.pick(&["r1", "r1", "0", "1", "2"]);
        let way = random.pick(&["out", "out", "out", "head"]);
        if random.below(3) != 0 {
            body += &format!(
                "r2 = cmp.{}.32 r{}, {compared}\nbranch r2, {way}{k}, go{k}{r}\ngo{k}{r}:\n",
                random.pick(&["eq", "ne", "slt", "sge"]),
                5 + r
            );
        }
    }
    let desired = match random.below(8) {
        0..5 => "add.32 r1, 1",
        5 => "add.32 r5, 1",
        6 => "and.32 r5, 1",
        _ => "xor.32 r1, 3",
    };
    let expected = match random.below(14) {
        0 => "0",
        1 => "1",
        2 => "r5",
        _ => "r1",
    };
    let fail = if random.below(8) == 0 { "out" } else { "fail" };
    let next = if again { "r1 = move r7\n" } else { "" };
    let kept = if random.below(10) == 0 { "r4 = add.32 r4, r7\n" } else { "" };
    let written = if random.below(16) == 0 { "store.4.rlx @d, 2\n" } else { "" };
    body += &format!(
        "r3 = {desired}\nr7 = cmpxchg.4.{}.{} {at}, {expected}, r3\nbranch r8, done{k}, {fail}{k}\n\
         fail{k}:\n{next}{kept}{written}jump head{k}\n\
         done{k}:\nr4 = mul.32 r4, 8\nr4 = add.32 r4, r3\n",
        random.pick(&UPDATES),
        random.pick(&["rlx", "rlx", "acq", "sc"])
    );
    if random.below(3) == 0 {
        body += &operation(random);
    }
    body + &format!("jump out{k}\nout{k}:\nr4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n")
}

pub(super) fn operation(random: &mut Random) -> String {
    let at = random.pick(&["@x", "@y", "@y", "@d"]);
    let store = random.pick(&["rlx", "rel", "sc"]);
    match random.below(16) {
        0..5 => format!("store.4.{store} {at}, {}\n", random.below(5)),
        5..8 => format!("r5 = rmw.add.4.{} {at}, {}\n", random.pick(&UPDATES), 1 + random.below(2)),
        8..11 => {
            format!("r5 = load.4.{} {at}\nr4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n", random.pick(&LOADS))
        }
        11 => format!("fence.{}\n", random.pick(&["acq", "rel", "sc"])),
        12 => format!("r5 = load.4.rlx {at}\nr6 = cmp.ne.32 r5, 0\nstore.4.{store} @d, r6\n"),
        13 => format!("r5 = rmw.xchg.4.{} {at}, {}\n", random.pick(&UPDATES), 3 + random.below(3)),
        14 if random.below(2) == 0 => format!("store.4.na {at}, {}\n", random.below(4)),
        14 => format!("r5 = load.4.na {at}\n"),
        _ => format!("r6 = cmpxchg.4.ar.rlx {at}, {}, {}\n", random.below(3), random.below(4)),
    }
}

fn generated(random: &mut Random) -> String {
    let mut bodies = Vec::new();
    let trying = 2 + random.below(2);
    for n in 0..trying + random.below(2) {
        let mut body = String::from("r4 = move 0\nr5 = move 0\n");
        for k in 0..1 + random.below(2) {
            body += &match n < trying && random.below(4) != 0 {
                true => attempt(random, k),
                false => operation(random),
            };
        }
        bodies.push(body + &format!("store.4.na @out+{}, r4", 8 * n));
    }
    let by = random.below(bodies.len());
    bodies.rotate_left(by);
    let first = match random.below(3) {
        0 => format!("store.4.na @y, {}\n", random.below(4)),
        _ => String::new(),
    };
    program(&bodies, &first, "")
}

/// With and without: as many complete executions, the same states and errors, and the same waits for ever.
#[test]
fn what_is_left_out_is_not_missed() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 400);
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let models = MODELS.map(model);
    let off = without(&[Reduction::Overtaken]);
    let (mut compared, mut fewer, mut blocked) = (0, 0, [0; 2]);
    let first = setting("SELVEDGE_FUZZ_FIRST", 0);
    for n in first..first + programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let text = generated(&mut random);
        let at = random.below(models.len());
        let (model, name) = (&models[at], MODELS[at]);
        let races = random.below(2) == 0;
        let Some(on) = explored_with(&text, model, Reductions::ALL, true, races) else { continue };
        let Some(all) = explored_with(&text, model, off, true, races) else { continue };
        compared += 1;
        fewer += u64::from(on.blocked < all.blocked);
        blocked = [blocked[0] + on.blocked, blocked[1] + all.blocked];
        let wrong = format!("program {n} of seed {seed} under {name}, races {races}\n{text}");
        assert_eq!(on.kinds, all.kinds, "{wrong}");
        if on.kinds.is_empty() {
            assert_eq!((&on.states, on.complete), (&all.states, all.complete), "{wrong}");
            assert_eq!(on.stuck, all.stuck, "{wrong}");
        }
    }
    println!("{compared} compared, {fewer} with fewer executions, blocked {blocked:?}");
    assert!(
        compared * 2 > programs && fewer * 20 > programs,
        "the generator says nothing: {compared}, {fewer}"
    );
}
