//! What is left on beside a recovery routine leaves out nothing that recovery could tell: generated programs
//! whose threads wait, take locks and assume while they write to what is durable, and a recovery that has an
//! assertion for each combination of values. Which of them fail is the same with and without.
//! `CRASHES_PROGRAMS` generates more programs, `CRASHES_SEED` says where they begin.

use crate::generated::{DECLARED, Dice, main_of, setting, thread};
use selvedge_check::{Check, Options, Persist, Verdict};
use selvedge_ir::Module;
use selvedge_machine::{ErrorKind, Reduction, Reductions};
use selvedge_model::Persistency;
use std::collections::BTreeSet;
use std::fmt::Write;

const KEEP: &str = "r1 = mul.32 r1, 3\nr1 = add.32 r1, r2\n";

/// Two variables in one line, and one in another; a volatile one, and a lock.
const DURABLE: [&str; 3] = ["@d", "@d+8", "@d+64"];
const ANY: [&str; 5] = ["@d", "@d+8", "@d+64", "@x", "@y"];

/// What makes something persist.
fn flush(dice: &mut Dice) -> String {
    match dice.roll(5) {
        0 => String::from("call.0 &__selvedge_sfence ()\n"),
        1 => String::from("fence.sc\n"),
        _ => {
            let how = dice.pick(&["clflush", "clflushopt", "clwb"]);
            format!("call.0 &__selvedge_{how} ({})\n", dice.pick(&DURABLE))
        }
    }
}

/// What a thread does next, the n-th.
fn piece(dice: &mut Dice, n: usize) -> String {
    let (any, durable) = (dice.pick(&ANY), dice.pick(&DURABLE));
    let (load, store) = (dice.pick(&["rlx", "acq", "sc"]), dice.pick(&["rlx", "rel", "sc"]));
    let update = dice.pick(&["acq", "ar", "rlx", "sc"]);
    let value = 1 + dice.roll(2);
    let compare = dice.pick(&["ne", "eq", "ugt"]);
    let with = dice.roll(2);
    // What an iteration that goes round does besides.
    let besides = match dice.roll(6) {
        0 => flush(dice),
        1 => format!("store.4.rlx {durable}, {value}\n"),
        2 => format!("r5 = load.4.{load} {any}\n"),
        _ => String::new(),
    };
    let keep = if dice.roll(2) == 0 { KEEP } else { "" };
    match dice.roll(14) {
        0..4 => format!("store.4.{store} {durable}, {value}\n"),
        4 => format!("store.4.{store} {any}, {value}\n"),
        5 => format!("r2 = load.4.{load} {any}\n{KEEP}"),
        6 => format!("r2 = rmw.add.4.{update} {durable}, 1\n"),
        7 => flush(dice),
        8 | 9 => format!(
            "wait{n}:\nr2 = load.4.{load} {any}\nr4 = cmp.{compare}.32 r2, {with}\nbranch r4, on{n}, again{n}\n\
             again{n}:\n{besides}jump wait{n}\non{n}:\n{keep}"
        ),
        // The load is before the loop, and at the end of an iteration.
        10 => format!(
            "r2 = load.4.{load} {any}\njump wait{n}\nwait{n}:\nr4 = cmp.{compare}.32 r2, {with}\n\
             branch r4, on{n}, again{n}\nagain{n}:\n{besides}r2 = load.4.{load} {any}\njump wait{n}\non{n}:\n{keep}"
        ),
        11 => format!(
            "r2 = load.4.{load} {any}\nr4 = cmp.{compare}.32 r2, {with}\ncall.0 &__VERIFIER_assume (r4)\n"
        ),
        // A lock that is taken, and what it protects is written.
        12 => format!(
            "take{n}:\nr5 = cmpxchg.4.{update}.rlx {}, 0, 1\nbranch r6, on{n}, again{n}\nagain{n}:\njump take{n}\n\
             on{n}:\nstore.4.rlx {durable}, {value}\n{}store.4.{store} {}, 0\n",
            if with == 0 { "@l" } else { "@d+64" },
            flush(dice),
            if with == 0 { "@l" } else { "@d+64" },
        ),
        // It tries until nobody has come between.
        _ => format!(
            "try{n}:\nr2 = load.4.{load} {durable}\nr4 = add.32 r2, 1\nr5 = cmpxchg.4.{update}.rlx {durable}, r2, r4\n\
             branch r6, on{n}, again{n}\nagain{n}:\njump try{n}\non{n}:\n"
        ),
    }
}

const CALLED: &str = "
    file \"crash.ir\"
    global @d size 128 align 64 = zero 128
    global @l size 4 align 4 = zero 4
    global @f size 4 align 4 = zero 4
    global @b size 8 align 8 = zero 8
    global @name size 2 align 1 = x\"6600\"
    func &selvedge_durable(r0, r1) results 0 regs 2
    func &__selvedge_clflush(r0) results 0 regs 1
    func &__selvedge_clflushopt(r0) results 0 regs 1
    func &__selvedge_clwb(r0) results 0 regs 1
    func &__selvedge_sfence() results 0 regs 0
    func &__VERIFIER_assume(r0) results 0 regs 1
    func &open(r0, r1) results 1 regs 2 varargs
    func &pwrite(r0, r1, r2, r3) results 1 regs 4
    func &pread(r0, r1, r2, r3) results 1 regs 4
    func &fsync(r0) results 1 regs 1
";

/// An assertion for each combination of three values, which are in `r0`, `r1` and `r2`, on lines of their
/// own.
fn assertions() -> String {
    let mut text = String::new();
    for shift in ["r1", "r2"] {
        let _ = writeln!(text, "r0 = mul.32 r0, 4\n{shift} = and.32 {shift}, 3\nr0 = add.32 r0, {shift}");
    }
    for state in 0..64 {
        let _ = writeln!(
            text,
            "r3 = cmp.eq.32 r0, {state}\nbranch r3, bad{state}, good{state}\nbad{state}: call.0 &reach_error () \
             !0:{}:1\ngood{state}:",
            state + 1
        );
    }
    text + "return ()\n}\n"
}

fn recovery(dice: &mut Dice) -> String {
    let from = dice.roll(3) as usize;
    let mut text = String::from("func &__VERIFIER_recovery_routine() results 0 regs 6 {\n");
    // It may read fewer.
    let most = 2 + dice.roll(2) as usize;
    for register in 0..3 {
        let _ = match register < most {
            true => writeln!(text, "r{register} = load.4.acq {}", DURABLE[(from + register) % 3]),
            false => writeln!(text, "r{register} = move 0"),
        };
    }
    text + "r0 = and.32 r0, 3\n" + &assertions()
}

fn program(dice: &mut Dice) -> String {
    let threads = 2 + dice.roll(2);
    let mut text = String::from(CALLED) + DECLARED;
    for t in 0..threads {
        let most = if threads == 2 { 4 } else { 2 };
        let body: String = (0..1 + dice.roll(most) as usize).map(|n| piece(dice, n)).collect();
        text += &thread(t, &body, 0);
    }
    text += &recovery(dice);
    let main = main_of(threads, "");
    text + &main.replace("regs 2 {\n", "regs 2 {\ncall.0 &selvedge_durable (@d, 128)\n")
}

/// The same of a file, in which there is a lock that the library takes.
fn file_program(dice: &mut Dice) -> String {
    let mut text = String::from(CALLED) + DECLARED;
    for t in 0..2 {
        let mut body = String::new();
        for n in 0..1 + dice.roll(2) {
            body += &match dice.roll(5) {
                0 => String::from("r2 = load.4.rlx @f\nr0 = call.1 &fsync (r2)\n"),
                1 => format!(
                    "wait{n}:\nr2 = load.4.acq @x\nr4 = cmp.ne.32 r2, 0\nbranch r4, on{n}, again{n}\nagain{n}:\n\
                     jump wait{n}\non{n}:\n"
                ),
                2 => String::from("store.4.rel @x, 1\n"),
                _ => format!(
                    "r2 = load.4.rlx @f\nr0 = call.1 &pwrite (r2, @b+{}, 1, {})\n",
                    1 + dice.roll(2),
                    dice.roll(3)
                ),
            };
        }
        text += &thread(t, &body, 0);
    }
    text += "func &__VERIFIER_recovery_routine() results 0 regs 6 {\nr4 = call.1 &open (@name, 66, 384)\n";
    for register in 0..3 {
        let _ = writeln!(
            text,
            "r5 = call.1 &pread (r4, @b+{0}, 1, {register})\nr{register} = load.1.na @b+{0}",
            4 + register
        );
    }
    text += "r0 = and.32 r0, 3\n";
    text += &assertions();
    let main = main_of(2, "");
    text + &main.replace(
        "regs 2 {\n",
        "regs 2 {\nstore.1.na @b+1, 1\nstore.1.na @b+2, 2\nr0 = call.1 &open (@name, 66, 384)\nstore.4.na @f, r0\n",
    )
}

/// The lines of the assertions that fail; `None` if that is not known.
fn failing(
    module: &Module,
    (memory, persist): (&str, &str),
    reductions: Reductions,
) -> Option<BTreeSet<u32>> {
    let model =
        Persistency::compile(&selvedge_kat::load_persistency(persist).expect(persist)).expect(persist);
    let options = Options {
        reductions,
        all_errors: true,
        most_executions: Some(20_000),
        unroll: 3,
        grow: false,
        persist: Some(Persist { model, crashes: 1, may_write: true }),
        ..Options::default()
    };
    let theory = selvedge_kat::load_named(memory).expect(memory);
    let check = Check { options, ..Check::new(module.clone(), theory) }.prepared(module.clone());
    let outcome = check.run().ok()?;
    if outcome.verdict == Verdict::Unknown {
        return None;
    }
    let after = outcome.violations.iter().filter(|violation| violation.kind == ErrorKind::RecoveryAssertion);
    Some(after.map(|violation| violation.place.as_ref().expect("a place").line).collect())
}

#[test]
fn reductions_beside_recovery_leave_out_no_state() {
    let programs: u64 = setting("CRASHES_PROGRAMS", 60);
    let first: u64 = setting("CRASHES_SEED", 0);
    let all = Reduction::ALL.into_iter().filter(|reduction| reduction.is_sound_beside_recovery());
    let left_on: Vec<Reduction> = all.collect();
    let (mut compared, mut unknown, mut states) = (0, 0, 0);
    for seed in first..first + programs {
        let mut dice = Dice::new(seed);
        let pairs: &[(&str, &str)] = match dice.roll(8) {
            0 => &[("sc", "ext4-ordered"), ("rc11", "ext4-writeback"), ("sc", "ext4-journal")],
            _ => &[
                ("sc", "strict"),
                ("sc", "weakest"),
                ("tso", "px86"),
                ("tso", "epoch"),
                ("rc11", "weakest"),
                ("rc11", "px86"),
                ("imm", "px86"),
                ("armv8", "epoch"),
            ],
        };
        let text = match pairs[0].1.starts_with("ext4") {
            true => file_program(&mut dice),
            false => program(&mut dice),
        };
        let pair = pairs[dice.roll(pairs.len() as u64) as usize];
        let module = selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let one = left_on[dice.roll(left_on.len() as u64) as usize];
        let only =
            Reduction::ALL.into_iter().filter(|r| *r != one).fold(Reductions::ALL, Reductions::without);
        let ways = [Reductions::ALL, only, Reductions::NONE].map(|on| failing(&module, pair, on));
        let [Some(on), Some(only), Some(off)] = ways else {
            unknown += 1;
            continue;
        };
        assert_eq!(on, off, "seed {seed}, {pair:?}\n{text}");
        assert_eq!(only, off, "seed {seed}, {pair:?}, {one:?}\n{text}");
        compared += 1;
        states += off.len();
    }
    println!("{compared} compared, {unknown} not known, {states} failing assertions");
    assert!(compared > programs / 2 && states as u64 > 2 * compared, "{compared} {states}");
}
