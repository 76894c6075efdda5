//! Threads that do the same, beside all else that is left out: with `symmetry` and without.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use super::common::generated::{MODELS, Random, model};
use super::{DECLARED, Found, explored_with, outdated, overtaken, without};
use selvedge_machine::{Reduction, Reductions};
use std::fmt::Write;

/// One that others run, too; labels have its numbers. What comes of it may be told in a place that all share.
fn body(random: &mut Random) -> String {
    let mut body = String::from("r4 = move 0\nr5 = move 0\n");
    let kind = random.below(3);
    for k in 0..1 + random.below(2) {
        body += &match (random.below(4), kind) {
            (0, _) => overtaken::operation(random),
            (_, 0) => overtaken::attempt(random, k),
            (_, 1) => outdated::look(random, k),
            _ => super::waiting(random, 0, k),
        };
    }
    body + match random.below(4) {
        0 => "store.4.rlx @out, r4\n",
        1 => "r5 = rmw.add.4.rlx @out, r4\n",
        2 => "r5 = rmw.umax.4.ar @out+8, r4\n",
        _ => "",
    }
}

fn generated(random: &mut Random) -> String {
    let twins = 2 + random.below(2);
    let mut runs = vec![0; twins];
    let mut bodies = vec![body(random)];
    for _ in 0..random.below(3).min(4 - twins) {
        let at = if random.below(2) == 0 { 0 } else { runs.len() };
        runs.insert(at, bodies.len());
        bodies.push(format!("r4 = move 0\nr5 = move 0\n{}", overtaken::operation(random)));
    }
    let mut text = String::from(DECLARED);
    for (n, body) in bodies.iter().enumerate() {
        let _ = write!(text, "func &thread{n}(r0) results 1 regs 10 {{\n{body}\nreturn (0)\n}}\n");
    }
    let mut main = match random.below(3) {
        0 => format!("store.4.na @y, {}\n", random.below(4)),
        _ => String::new(),
    };
    for (at, run) in runs.iter().enumerate() {
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{run}, 0)", 8 * at);
    }
    if random.below(6) == 0 {
        main += "r4 = move 0\n";
        main += &overtaken::operation(random);
    }
    if random.below(3) != 0 {
        for at in 0..runs.len() {
            let _ = write!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * at);
        }
    }
    format!("file \"test.c\"\n{text}func &main() results 1 regs 8 {{\n{main}\nreturn (0)\n}}\n")
}

/// The same states, errors and waits for ever, whatever is left out; and what else is left out is as much of
/// the executions with `symmetry` as it is of those without.
#[test]
fn what_is_left_out_is_not_missed() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let (programs, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 300), setting("SELVEDGE_FUZZ_SEED", 1));
    let first = setting("SELVEDGE_FUZZ_FIRST", 0);
    let models = MODELS.map(|name| model(name).with_prefix_apart());
    let attempts = [Reduction::Overtaken, Reduction::Outdated];
    let (mut compared, mut smaller, mut fewer) = (0, 0, 0);
    for n in first..first + programs {
        let mut random = Random(seed.wrapping_mul(1_000_033).wrapping_add(n));
        let text = generated(&mut random);
        let at = random.below(models.len());
        let (model, name) = (&models[at], MODELS[at]);
        let races = random.below(2) == 0;
        let found = |reductions: Reductions| explored_with(&text, model, reductions, true, races);
        let Some(all) = found(Reductions::ALL) else { continue };
        let Some(single) = found(without(&[Reduction::Symmetry])) else { continue };
        let Some(tried) = found(without(&attempts)) else { continue };
        compared += 1;
        smaller += u64::from(all.complete + all.blocked < single.complete + single.blocked);
        fewer += u64::from(all.blocked < tried.blocked);
        let wrong = format!("program {n} of seed {seed} under {name}, races {races}\n{text}");
        let same = |other: &Found| {
            assert_eq!(all.kinds, other.kinds, "{wrong}");
            if all.kinds.is_empty() {
                assert_eq!((&all.states, all.stuck), (&other.states, other.stuck), "{wrong}");
            }
        };
        same(&single);
        same(&tried);
        if all.kinds.is_empty() {
            assert_eq!(all.complete, tried.complete, "{wrong}");
        }
    }
    println!("{compared} compared, {smaller} smaller by symmetry, {fewer} with fewer blocked executions");
    assert!(
        compared * 2 > programs && smaller * 3 > programs && fewer * 40 > programs,
        "the generator says nothing: {compared}, {smaller}, {fewer}"
    );
}
