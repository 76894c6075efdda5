//! Where races are not looked for, programs are explored as if they were, and atomic sections of one access
//! are taken apart (`race-free`, `sections`): the verdict is the same with and without.

use selvedge_check::{Check, Options, Verdict};
use selvedge_ir::{Module, passes};
use selvedge_machine::{ErrorKind, ErrorKinds, Reduction, Reductions};
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
}

const BEGIN: &str = "call.0 &__VERIFIER_atomic_begin ()\n";
const END: &str = "call.0 &__VERIFIER_atomic_end ()\n";
const LOCK: &str = "r0 = call.1 &pthread_mutex_lock (@m)\n";
const UNLOCK: &str = "r0 = call.1 &pthread_mutex_unlock (@m)\n";

fn access(dice: &mut Dice, mode: &str) -> String {
    let variable = ["x", "y"][dice.roll(2) as usize];
    match dice.roll(3) {
        0 => format!("store.4.{mode} @{variable}, {}\n", 1 + dice.roll(2)),
        1 => format!("r2 = load.4.{mode} @{variable}\nr1 = or.32 r1, r2\n"),
        _ => format!("store.4.{mode} @{variable}, r1\n"),
    }
}

/// What a thread does next: accesses alone, in sections, under a lock, or atomically.
fn piece(dice: &mut Dice, sections: bool) -> String {
    let accesses =
        |dice: &mut Dice, most| (0..1 + dice.roll(most)).map(|_| access(dice, "na")).collect::<String>();
    match dice.roll(if sections { 6 } else { 3 }) {
        0 => access(dice, "na"),
        1 => format!("{LOCK}{}{UNLOCK}", accesses(dice, 2)),
        2 => access(dice, "rlx"),
        3 => format!("{BEGIN}{}{END}", accesses(dice, 2)),
        _ => format!("{BEGIN}{}{END}", access(dice, "na")),
    }
}

fn program(dice: &mut Dice, sections: bool) -> String {
    let mut text = String::from(
        "global @x size 4 align 4 = zero 4
         global @y size 4 align 4 = zero 4
         global @m size 40 align 8 = zero 40
         global @t size 64 align 8 = zero 64
         func &pthread_create(r0, r1, r2, r3) results 1 regs 4
         func &pthread_join(r0, r1) results 1 regs 2
         func &pthread_mutex_lock(r0) results 1 regs 1
         func &pthread_mutex_unlock(r0) results 1 regs 1
         func &reach_error() results 0 regs 0\n",
    );
    if sections {
        text += "func &__VERIFIER_atomic_begin() results 0 regs 0\nfunc &__VERIFIER_atomic_end() results 0 regs 0\n";
    }
    let threads = 2 + dice.roll(2);
    for t in 0..threads {
        let body: String = (0..1 + dice.roll(3)).map(|_| piece(dice, sections)).collect();
        let wrong = dice.roll(4);
        let _ = write!(
            text,
            "func &t{t}(r3) results 1 regs 4 {{\nr1 = move 0\n{body}r0 = cmp.eq.32 r1, {wrong}\nr2 = cmp.ne.32 {wrong}, 0\n\
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
    text + "return (0)\n}\n"
}

fn verdict(module: &Module, model: &str, reductions: Reductions) -> (Verdict, Option<ErrorKind>) {
    let mut module = module.clone();
    passes::run(&mut module, reductions);
    let errors = ErrorKinds::named("assertion,deadlock,non-termination").expect("kinds");
    let options = Options { races: false, errors, reductions, ..Options::default() };
    let theory = selvedge_kat::load_named(model).expect("a model");
    let outcome = Check { options, ..Check::new(module, theory) }.run().expect("a program");
    (outcome.verdict, outcome.violations.first().map(|violation| violation.kind))
}

#[test]
fn generated_programs_have_the_same_verdicts() {
    let programs: u64 = std::env::var("RACE_FREE_PROGRAMS").map_or(150, |n| n.parse().expect("a number"));
    let off = Reductions::ALL.without(Reduction::RaceFree).without(Reduction::Sections);
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..programs {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let sections = seed % 2 == 0;
        let model = if sections { "sc" } else { ["rc11", "tso", "sc"][dice.roll(3) as usize] };
        let text = program(&mut dice, sections);
        let module = selvedge_ir::text::parse(&text).expect("a program");
        let expected = verdict(&module, model, off);
        for on in [
            Reductions::ALL,
            Reductions::ALL.without(Reduction::RaceFree),
            Reductions::ALL.without(Reduction::Sections),
        ] {
            assert_eq!(verdict(&module, model, on), expected, "seed {seed}, {model}\n{text}");
        }
        match expected.0 {
            Verdict::Violated => wrong += 1,
            _ => right += 1,
        }
    }
    assert!(wrong > programs / 10 && right > programs / 10, "{wrong} {right}");
}
