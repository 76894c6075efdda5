//! Where races are not looked for, programs are explored as if they were, and atomic sections of one access
//! are taken apart (`race-free`, `sections`): the verdict is the same with and without.

use crate::generated;

use generated::{DECLARED, Dice, main_of, rich, setting, thread};
use selvedge_check::{Check, Nobody, Options, Searching, Verdict};
use selvedge_ir::{Module, passes};
use selvedge_machine::{ErrorKind, ErrorKinds, Reduction, Reductions};

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
    let mut text = String::from(DECLARED)
        + "global @m size 40 align 8 = zero 40
           func &pthread_mutex_lock(r0) results 1 regs 1
           func &pthread_mutex_unlock(r0) results 1 regs 1
";
    if sections {
        text += "func &__VERIFIER_atomic_begin() results 0 regs 0\nfunc &__VERIFIER_atomic_end() results 0 regs 0\n";
    }
    let threads = 2 + dice.roll(2);
    for t in 0..threads {
        let body: String = (0..1 + dice.roll(3)).map(|_| piece(dice, sections)).collect();
        text += &thread(t, &body, dice.roll(4));
    }
    text + &main_of(threads, "")
}

fn check(module: Module, model: &str, reductions: Reductions) -> Check {
    let errors = ErrorKinds::named("assertion,deadlock,non-termination").expect("kinds");
    let options = Options { races: false, errors, reductions, ..Options::default() };
    let theory = selvedge_kat::load_named(model).expect("a model");
    Check { options, ..Check::new(module, theory) }
}

fn verdict(module: &Module, model: &str, reductions: Reductions) -> (Verdict, Option<ErrorKind>) {
    let mut module = module.clone();
    passes::run(&mut module, reductions);
    let outcome = check(module, model, reductions).run().expect("a program");
    (outcome.verdict, outcome.violations.first().map(|violation| violation.kind))
}

/// Scouts report nothing that is not there, and find most of what is.
#[test]
fn executions_at_random_show_errors_that_there_are() {
    let programs: u64 = setting("SCOUT_PROGRAMS", 100);
    let (mut wrong, mut found) = (0, 0);
    for seed in 0..programs {
        let mut dice = Dice::new(seed);
        let sections = seed % 2 == 0;
        let model = if sections { "sc" } else { ["rc11", "tso", "sc"][dice.roll(3) as usize] };
        let text = program(&mut dice, sections);
        let module = selvedge_ir::text::parse(&text).expect("a program");
        let (explored, kind) = verdict(&module, model, Reductions::ALL);
        let mut prepared = module.clone();
        passes::run(&mut prepared, Reductions::ALL);
        let mut scouts = check(prepared, model, Reductions::ALL.without(Reduction::RaceFree));
        scouts.options.scouts = Some(50);
        let outcome = scouts.run().expect("a program");
        wrong += u64::from(kind == Some(ErrorKind::Assertion));
        match outcome.verdict {
            Verdict::Violated => {
                assert_eq!(explored, Verdict::Violated, "seed {seed}, {model}\n{text}");
                found += 1;
            }
            verdict => assert_eq!(verdict, Verdict::Unknown, "seed {seed}"),
        }
    }
    assert!(found > wrong / 2 && found > 0, "{found} of {wrong}");
}

/// Whether walking shows an error. It shows none that is not there.
fn walked(check: &Check) -> bool {
    let how = Searching { walks: Some(2_000), ..Searching::default() };
    let walked = check.search(&how, &mut Nobody).expect("a program");
    assert!(matches!(walked.verdict, Verdict::Violated | Verdict::Unknown), "{:?}", walked.verdict);
    walked.verdict == Verdict::Violated
}

/// What `Check::answer` relies on: both engines answer the same question.
#[test]
fn searching_the_states_comes_to_the_same() {
    let programs: u64 = setting("EITHER_PROGRAMS", 100);
    let (mut wrong, mut right, mut found) = (0, 0, 0);
    for seed in 0..programs {
        let mut dice = Dice::new(seed);
        let text = program(&mut dice, seed % 2 == 0);
        let module = selvedge_ir::text::parse(&text).expect("a program");
        let (explored, kind) = verdict(&module, "sc", Reductions::ALL);
        let check = check(module, "sc", Reductions::ALL);
        let searched = check.search(&Searching::default(), &mut Nobody).expect("a program");
        assert_eq!(searched.verdict, explored, "seed {seed}\n{text}");
        found += u64::from(walked(&check));
        assert!(explored == Verdict::Violated || !walked(&check), "seed {seed}\n{text}");
        let kinds: Vec<ErrorKind> = searched.violations.iter().map(|violation| violation.kind).collect();
        assert!(kind.is_none_or(|kind| kinds.contains(&kind)), "seed {seed} {kinds:?}\n{text}");
        match explored {
            Verdict::Violated => wrong += 1,
            _ => right += 1,
        }
    }
    assert!(wrong > programs / 10 && right > programs / 10, "{wrong} {right}");
    assert!(found > wrong / 2, "{found} of {wrong}");
}

/// The same of programs with memory from the heap, condition variables and the other locks of the library.
/// The explorer goes by happens-before, so an access of what was freed may be an error there although no
/// interleaving has it: all accesses of pointers are sequentially consistent here.
#[test]
fn searching_the_states_of_richer_programs_comes_to_the_same() {
    let programs: u64 = setting("RICH_PROGRAMS", 150);
    let first: u64 = setting("RICH_SEED", 0);
    let kinds = "assertion,deadlock,non-termination,use-after-free,double-free,null-dereference";
    let errors = ErrorKinds::named(kinds).expect("kinds");
    let (mut wrong, mut right, mut freed) = (0, 0, 0);
    for seed in first..first + programs {
        let text = rich::program(&mut Dice::new(seed));
        let module = selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        let with = |module: Module| {
            let check = check(module, "sc", Reductions::ALL);
            // Few have more, and those take for ever.
            let most_executions = Some(20_000);
            Check { options: Options { errors, most_executions, ..check.options.clone() }, ..check }
        };
        let mut prepared = module.clone();
        passes::run(&mut prepared, Reductions::ALL);
        let explored = with(prepared).run().expect("a program");
        let how = Searching { most_states: 100_000, ..Searching::default() };
        let asked = with(module);
        let searched = asked.search(&how, &mut Nobody).expect("a program");
        let is_answer = |verdict| matches!(verdict, Verdict::Verified | Verdict::Violated);
        if !is_answer(explored.verdict) || !is_answer(searched.verdict) {
            continue;
        }
        assert_eq!(searched.verdict, explored.verdict, "seed {seed}\n{text}");
        assert!(explored.verdict == Verdict::Violated || !walked(&asked), "seed {seed}\n{text}");
        freed += u64::from(searched.violations.iter().any(|v| v.kind == ErrorKind::UseAfterFree));
        match explored.verdict {
            Verdict::Violated => wrong += 1,
            _ => right += 1,
        }
    }
    println!("{programs} programs: {wrong} wrong ({freed} after a free), {right} right");
    assert!(wrong > programs / 10 && right > programs / 10, "{wrong} {right}");
    assert!(wrong + right > programs * 3 / 4 && freed > 0, "{wrong} {right} {freed}");
}

/// Where the search claims to see all data races (`adjacent.rs`), it finds one just if there is one.
#[test]
fn searching_the_states_finds_the_races() {
    let programs: u64 = setting("RACING_PROGRAMS", 300);
    let first: u64 = setting("RACING_SEED", 0);
    let errors = ErrorKinds::named("data-race").expect("a kind");
    let how = Searching { all_races: true, ..Searching::default() };
    let (mut racy, mut free) = (0, 0);
    for seed in first..first + programs {
        let mut dice = Dice::new(seed);
        let text = if seed % 3 == 0 { rich::program(&mut dice) } else { program(&mut dice, seed % 3 == 1) };
        let module = selvedge_ir::text::parse(&text).expect("a program");
        let with = |module: Module| {
            let check = check(module, "sc", Reductions::ALL);
            Check { options: Options { errors, races: true, ..check.options.clone() }, ..check }
        };
        let mut prepared = module.clone();
        passes::run(&mut prepared, Reductions::ALL);
        let explored = with(prepared).run().expect("a program");
        // A race that is walked into is one in any program.
        let asked = with(module);
        assert!(explored.verdict != Verdict::Verified || !walked(&asked), "seed {seed}\n{text}");
        let Ok(searched) = asked.search(&how, &mut Nobody) else { continue };
        let is_answer = |verdict| matches!(verdict, Verdict::Verified | Verdict::Violated);
        if !is_answer(explored.verdict) || !is_answer(searched.verdict) {
            continue;
        }
        assert_eq!(searched.verdict, explored.verdict, "seed {seed}\n{text}");
        match explored.verdict {
            Verdict::Violated => racy += 1,
            _ => free += 1,
        }
    }
    println!("{programs} programs: {racy} race, {free} do not");
    assert!(racy > programs / 20 && free > programs / 40, "{racy} {free}");
}

#[test]
fn generated_programs_have_the_same_verdicts() {
    let programs: u64 = setting("RACE_FREE_PROGRAMS", 150);
    let off = Reductions::ALL.without(Reduction::RaceFree).without(Reduction::Sections);
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..programs {
        let mut dice = Dice::new(seed);
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
