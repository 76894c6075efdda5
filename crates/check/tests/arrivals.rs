//! Counters that are taken for barriers (`arrivals`): the verdict and the kinds of errors are the same with
//! and without. `ARRIVALS_PROGRAMS=100000` generates more programs.

use crate::generated;

use generated::{DECLARED, Dice, main_of, setting, thread};
use selvedge_check::{Check, Options, Verdict};
use selvedge_ir::Module;
use selvedge_machine::{ErrorKind, Reduction, Reductions};

/// Something that others may see.
fn access(dice: &mut Dice) -> String {
    let variable = dice.pick(&["x", "y"]);
    match dice.roll(4) {
        0 | 1 => {
            format!("store.4.{} @{variable}, {}\n", dice.pick(&["rlx", "rlx", "rel", "sc"]), 1 + dice.roll(2))
        }
        2 => format!(
            "r2 = load.4.{} @{variable}\nr1 = mul.32 r1, 3\nr1 = add.32 r1, r2\n",
            dice.pick(&["rlx", "acq", "sc"])
        ),
        _ => format!("fence.{}\n", dice.pick(&["acq", "rel", "sc"])),
    }
}

/// How everybody counts.
struct Counter {
    take: String,
    look: &'static str,
    test: String,
}

/// An arrival, the n-th of a thread.
fn arrival(dice: &mut Dice, counter: &Counter, n: usize) -> String {
    let Counter { take, look, test } = counter;
    let between = if dice.roll(12) == 0 { access(dice) } else { String::new() };
    let used = if dice.roll(16) == 0 { "r1 = add.32 r1, r4\n" } else { "" };
    let wait = format!(
        "again{n}:\nr5 = load.4.{look} @count\nr6 = cmp.{test}\nbranch r6, round{n}, on{n}\n\
         round{n}:\njump again{n}\non{n}:\n"
    );
    let wait = if dice.roll(10) == 0 { String::new() } else { wait };
    format!("r4 = {take}\n{used}{between}{wait}")
}

fn program(dice: &mut Dice) -> String {
    let threads = 2 + dice.roll(2);
    let (op, init) = match dice.roll(2) {
        0 => ("sub", (threads + dice.roll(5) / 2).saturating_sub(u64::from(dice.roll(6) == 0))),
        _ => ("add", dice.roll(2)),
    };
    let end = if op == "sub" { 0 } else { init + threads };
    let test = match (op, dice.roll(4)) {
        ("sub", 0) => String::from("sgt.32 r5, 0"),
        ("sub", 1) => String::from("ugt.32 r5, 1"),
        ("add", 0) => format!("slt.32 r5, {end}"),
        _ => format!("ne.32 r5, {end}"),
    };
    let take = format!("rmw.{op}.4.{} @count, 1", dice.pick(&["rel", "ar", "ar", "sc", "rlx"]));
    let counter = Counter { take, look: dice.pick(&["acq", "acq", "sc", "rlx"]), test };
    let mut text = format!(
        "{DECLARED}global @count size 4 align 4 = x\"0{init}000000\"
"
    );
    for t in 0..threads {
        let mut body = String::new();
        for n in 0..1 + usize::from(dice.roll(8) == 0) {
            for _ in 0..dice.roll(3) {
                body += &access(dice);
            }
            if dice.roll(10) > 0 {
                body += &arrival(dice, &counter, n);
            }
        }
        for _ in 0..dice.roll(3) {
            body += &access(dice);
        }
        text += &thread(t, &body, dice.roll(6));
    }
    let last = if dice.roll(12) == 0 { "r0 = load.4.acq @count\n" } else { "" };
    text + &main_of(threads, last)
}

struct Said {
    verdict: Verdict,
    kinds: Vec<ErrorKind>,
    executions: u64,
}

fn said(module: &Module, model: &str, reductions: Reductions) -> Said {
    let options = Options { reductions, all_errors: true, ..Options::default() };
    let theory = selvedge_kat::load_named(model).expect("a model");
    let check = Check { options, ..Check::new(module.clone(), theory) }.prepared(module.clone());
    let outcome = check.run().expect("a program");
    let mut kinds: Vec<ErrorKind> = outcome.violations.iter().map(|violation| violation.kind).collect();
    kinds.sort();
    Said { verdict: outcome.verdict, kinds, executions: outcome.stats.executions() }
}

#[test]
fn generated_programs_have_the_same_verdicts() {
    let programs: u64 = setting("ARRIVALS_PROGRAMS", 200);
    let first: u64 = setting("ARRIVALS_SEED", 0);
    let off = Reductions::ALL.without(Reduction::Arrivals);
    let (mut wrong, mut right, mut fewer) = (0, 0, 0);
    for seed in first..first + programs {
        let mut dice = Dice::new(seed);
        let model = dice.pick(&["rc11", "tso", "sc", "pso", "ra"]);
        let text = program(&mut dice);
        let module = selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (on, off) = (said(&module, model, Reductions::ALL), said(&module, model, off));
        assert_eq!((on.verdict, &on.kinds), (off.verdict, &off.kinds), "seed {seed}, {model}\n{text}");
        fewer += u64::from(on.executions < off.executions);
        match on.verdict {
            Verdict::Violated => wrong += 1,
            _ => right += 1,
        }
    }
    println!("{wrong} wrong, {right} right, {fewer} with fewer executions");
    assert!(
        wrong > programs / 10 && right > programs / 10 && fewer > programs / 20,
        "{wrong} {right} {fewer}"
    );
}
