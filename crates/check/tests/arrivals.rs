//! Counters that are taken for barriers (`arrivals`): the verdict and the kinds of errors are the same with
//! and without. `ARRIVALS_PROGRAMS=100000` generates more programs.

use selvedge_check::{Check, Options, Verdict};
use selvedge_ir::Module;
use selvedge_machine::{ErrorKind, Reduction, Reductions};
use std::fmt::Write;

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.roll(of.len() as u64) as usize]
    }
}

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
        "global @x size 4 align 4 = zero 4
         global @y size 4 align 4 = zero 4
         global @count size 4 align 4 = x\"0{init}000000\"
         global @t size 64 align 8 = zero 64
         func &pthread_create(r0, r1, r2, r3) results 1 regs 4
         func &pthread_join(r0, r1) results 1 regs 2
         func &reach_error() results 0 regs 0\n"
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
        let wrong = dice.roll(6);
        let _ = write!(
            text,
            "func &t{t}(r3) results 1 regs 7 {{\nr1 = move 0\n{body}r0 = cmp.eq.32 r1, {wrong}\nr2 = cmp.ne.32 {wrong}, 0\n\
             r0 = and.32 r0, r2\nbranch r0, wrong, right\nwrong: call.0 &reach_error ()\nright: return (0)\n}}\n"
        );
    }
    text += "func &main() results 1 regs 2 {\n";
    for t in 0..threads {
        let _ = writeln!(text, "r0 = call.1 &pthread_create (@t+{}, 0, &t{t}, 0)", 8 * t);
    }
    for t in 0..threads {
        let _ = writeln!(text, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)", 8 * t);
    }
    if dice.roll(12) == 0 {
        text += "r0 = load.4.acq @count\n";
    }
    text + "return (0)\n}\n"
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
    let programs: u64 = std::env::var("ARRIVALS_PROGRAMS").map_or(200, |n| n.parse().expect("a number"));
    let first: u64 = std::env::var("ARRIVALS_SEED").map_or(0, |n| n.parse().expect("a number"));
    let off = Reductions::ALL.without(Reduction::Arrivals);
    let (mut wrong, mut right, mut fewer) = (0, 0, 0);
    for seed in first..first + programs {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
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
