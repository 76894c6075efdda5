//! Threads that wait, under models that follow dependencies: the verdict and the kinds of errors are the
//! same in program order and by following dependencies, with and without leaving out reads that wait in
//! vain. `WAITS_PROGRAMS=100000` generates more programs. `crashes` are such threads beside recovery.

mod crashes;
use crate::generated;

use generated::{DECLARED, Dice, main_of, setting, thread};
use selvedge_check::{Check, Options, Verdict};
use selvedge_ir::Module;
use selvedge_machine::{ErrorKind, Reduction, Reductions};

const KEEP: &str = "r1 = mul.32 r1, 3\nr1 = add.32 r1, r2\n";

/// What a thread does next, the n-th.
fn piece(dice: &mut Dice, n: usize) -> String {
    let variable = dice.pick(&["x", "y"]);
    let (load, store) = (dice.pick(&["rlx", "acq", "sc"]), dice.pick(&["rlx", "rel", "sc"]));
    let update = dice.pick(&["acq", "ar", "rlx", "sc"]);
    match dice.roll(9) {
        0 | 1 => format!("store.4.{store} @{variable}, {}\n", 1 + dice.roll(2)),
        2 => format!("store.4.{store} @{variable}, r1\n"),
        3 => format!("r2 = load.4.{load} @{variable}\n{KEEP}"),
        4 => format!("fence.{}\n", dice.pick(&["acq", "rel", "sc"])),
        // It waits until something is there, or no longer there.
        5 | 6 => format!(
            "wait{n}:\nr2 = load.4.{load} @{variable}\nr4 = cmp.{}.32 r2, {}\nbranch r4, on{n}, again{n}\n\
             again{n}:\njump wait{n}\non{n}:\n{}",
            dice.pick(&["ne", "eq", "ugt"]),
            dice.roll(2),
            if dice.roll(2) == 0 { KEEP } else { "" }
        ),
        7 => format!(
            "take{n}:\nr5 = cmpxchg.4.{update}.rlx @l, 0, 1\nbranch r6, on{n}, again{n}\nagain{n}:\njump take{n}\non{n}:\n\
             r2 = load.4.rlx @{variable}\n{KEEP}store.4.{store} @l, 0\n"
        ),
        _ => format!(
            "take{n}:\nr5 = rmw.xchg.4.{update} @l, 1\nr4 = cmp.eq.32 r5, 0\nbranch r4, on{n}, again{n}\nagain{n}:\n\
             jump take{n}\non{n}:\nstore.4.rlx @{variable}, 2\nstore.4.{store} @l, 0\n"
        ),
    }
}

fn program(dice: &mut Dice) -> String {
    let threads = 2 + dice.roll(2);
    let mut text = format!(
        "{DECLARED}global @l size 4 align 4 = zero 4
"
    );
    for t in 0..threads {
        let body: String = (0..1 + dice.roll(3) as usize).map(|n| piece(dice, n)).collect();
        text += &thread(t, &body, dice.roll(6));
    }
    text + &main_of(threads, "")
}

struct Said {
    verdict: Verdict,
    kinds: Vec<ErrorKind>,
    complete: u64,
    blocked: u64,
}

fn said(module: &Module, model: &str, reductions: Reductions) -> Said {
    let options = Options {
        reductions,
        all_errors: true,
        most_executions: Some(20_000),
        unroll: 3,
        ..Options::default()
    };
    let theory = selvedge_kat::load_named(model).expect("a model");
    let check = Check { options, ..Check::new(module.clone(), theory) }.prepared(module.clone());
    let outcome = check.run().expect("a program");
    let mut kinds: Vec<ErrorKind> = outcome.violations.iter().map(|violation| violation.kind).collect();
    kinds.sort();
    Said { verdict: outcome.verdict, kinds, complete: outcome.stats.complete, blocked: outcome.stats.blocked }
}

#[test]
fn generated_programs_have_the_same_verdicts() {
    let programs: u64 = setting("WAITS_PROGRAMS", 60);
    let first: u64 = setting("WAITS_SEED", 0);
    let following = Reductions::ALL.without(Reduction::ProgramOrder);
    let off = following.without(Reduction::Annotations).without(Reduction::Futile);
    let (mut wrong, mut right, mut fewer) = (0, 0, 0);
    for seed in first..first + programs {
        let mut dice = Dice::new(seed);
        let model = dice.pick(&["armv8", "imm", "riscv"]);
        let text = program(&mut dice);
        let module = selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (on, off) = (said(&module, model, following), said(&module, model, off));
        if off.verdict == Verdict::Unknown {
            continue;
        }
        let in_order = said(&module, model, Reductions::ALL);
        for on in [&on, &in_order] {
            assert_eq!(on.kinds, off.kinds, "seed {seed}, {model}\n{text}");
            // Locks by exchange are waits in program order, and loops that are cut elsewhere.
            let is_whole = (on.verdict, off.verdict) == (Verdict::Verified, Verdict::Bounded);
            assert!(on.verdict == off.verdict || is_whole, "seed {seed}, {model}\n{text}");
        }
        if on.kinds.is_empty() {
            assert_eq!(on.complete, off.complete, "seed {seed}, {model}\n{text}");
            // There, attempts in vain are left out.
            assert!(in_order.complete <= off.complete, "seed {seed}, {model}\n{text}");
        }
        fewer += u64::from(on.blocked < off.blocked);
        match on.verdict {
            Verdict::Violated => wrong += 1,
            _ => right += 1,
        }
    }
    println!("{wrong} wrong, {right} right, {fewer} with fewer blocked executions");
    assert!(wrong > programs / 10 && right > programs / 10 && fewer > 0, "{wrong} {right} {fewer}");
}
