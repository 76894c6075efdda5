//! Locks that are not taken from threads which an assumption has ended: left out against explored.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use crate::common;

use common::generated::{MODELS, Random, State, final_state, model};
use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, GaveUp, Watches, explore};
use selvedge_machine::{Reduction, Reductions};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

const DECLARED: &str = "
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @g size 64 align 8 = zero 64
    global @out size 64 align 8 = zero 64
    global @t size 64 align 8 = zero 64
    global @m size 40 align 8 = zero 40
    global @n size 40 align 8 = zero 40
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &reach_error() results 0 regs 0
    func &__VERIFIER_assume(r0) results 0 regs 1
";

/// Not in all programs: then somebody looks at locks, or steps are those of interleavings.
const TRYLOCK: &str = "func &pthread_mutex_trylock(r0) results 1 regs 1\n";
const SECTIONS: &str =
    "func &__VERIFIER_atomic_begin() results 0 regs 0\nfunc &__VERIFIER_atomic_end() results 0 regs 0\n";

#[derive(Default, PartialEq, Debug)]
struct Found {
    states: BTreeSet<State>,
    kinds: BTreeSet<String>,
    complete: u64,
    blocked: u64,
    /// Some execution waits for ever, and no assumption is to blame.
    stuck: bool,
}

/// `None` if there are too many executions.
fn explored(text: &str, model: &Model, reductions: Reductions) -> Option<Found> {
    let options = Options { max_threads: 6, reductions, ..Options::default() };
    let mut machine = common::machine(text, options);
    let config = Config {
        inspect: true,
        races: false,
        reductions,
        watches: Watches { twins: None, ..Watches::all() },
        max_executions: Some(20_000),
        ..Config::default()
    };
    settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some(failure) = x.failure() {
                found.kinds.insert(failure.kind.to_string());
            } else if let Some((_, error)) = x.program_error() {
                found.kinds.insert(error.kind.to_string());
            }
            found.stuck |= x.stuck().is_some();
            if x.end == End::Complete {
                found.states.insert(final_state(machine, x));
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        (found.complete, found.blocked) = (stats.complete, stats.blocked);
        let too_many = matches!(stats.gave_up, Some(GaveUp::Executions(_)));
        let result = (!too_many).then_some(found);
        Ok::<_, selvedge_explore::ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result })
    })
    .expect("threads are ordered")
}

fn program(declared: &str, bodies: &[String], last: &str) -> String {
    let mut text = format!("{DECLARED}{declared}");
    let mut main = String::new();
    for (n, body) in bodies.iter().enumerate() {
        let _ = write!(text, "func &thread{n}(r0) results 1 regs 8 {{\n{body}\nreturn (0)\n}}\n");
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{n}, {n})", 8 * n);
    }
    let mut joins = String::new();
    for n in 0..bodies.len() {
        let _ = write!(joins, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    format!("file \"test.c\"\n{text}func &main() results 1 regs 8 {{\n{main}{last}\n{joins}return (0)\n}}\n")
}

/// How a section begins and ends.
#[derive(Clone, Copy)]
struct Brackets(&'static str, &'static str);

const M: Brackets =
    Brackets("r7 = call.1 &pthread_mutex_lock (@m)\n", "r7 = call.1 &pthread_mutex_unlock (@m)\n");
const N: Brackets =
    Brackets("r7 = call.1 &pthread_mutex_lock (@n)\n", "r7 = call.1 &pthread_mutex_unlock (@n)\n");
const ATOMIC: Brackets =
    Brackets("call.0 &__VERIFIER_atomic_begin ()\n", "call.0 &__VERIFIER_atomic_end ()\n");

fn section(brackets: Brackets, body: &str) -> String {
    format!("{}{body}{}", brackets.0, brackets.1)
}

const ADD: &str = "r2 = load.4.rlx @x\nr2 = add.32 r2, 1\nstore.4.rlx @x, r2\n";
const ASSUME: &str = "r3 = cmp.eq.32 r1, 2\ncall.0 &__VERIFIER_assume (r3)\n";

/// `main` assumes that both are done, having looked inside of a section.
#[test]
fn a_section_that_comes_to_nothing_has_no_place_among_the_others() {
    for (brackets, declared, models) in [(M, "", &MODELS[..]), (ATOMIC, SECTIONS, &["sc"][..])] {
        for name in models {
            let body = section(brackets, ADD);
            let last = section(brackets, "r1 = load.4.rlx @x\n") + ASSUME;
            let text = program(declared, &[body.clone(), body.clone()], &last);
            let on = explored(&text, &model(name), Reductions::ALL).expect("few executions");
            assert_eq!((on.complete, on.blocked, on.stuck), (2, 0, false), "{name}");
            let off = Reductions::ALL.without(Reduction::Assumptions);
            let off = explored(&text, &model(name), off).expect("few executions");
            assert_eq!((off.complete, off.blocked), (2, 4), "{name}");
        }
    }
}

/// What a section writes for its own thread is no effect; what another one reads is.
#[test]
fn what_a_void_section_writes_counts_if_somebody_reads_it() {
    let guarded = "r1 = load.4.rlx @x\nstore.4.rlx @g, r1\n";
    let after = "r1 = load.4.rlx @g\n";
    let last = section(M, guarded) + after + ASSUME;
    let spy = format!(
        "{}r4 = load.4.rlx @g\nr5 = cmp.eq.32 r4, 1\nbranch r5, seen, fine\nseen:\ncall.0 &reach_error ()\nfine:\n",
        section(M, ADD)
    );
    for name in MODELS {
        let quiet = program("", &[section(M, ADD), section(M, ADD)], &last);
        let on = explored(&quiet, &model(name), Reductions::ALL).expect("few executions");
        assert_eq!((on.complete, on.blocked), (2, 0), "{name}");
        // It is seen to have been 1 only between the two, where the assumption fails.
        let looking = program("", &[section(M, ADD), spy.clone()], &last);
        let on = explored(&looking, &model(name), Reductions::ALL).expect("few executions");
        assert!(on.kinds.contains("assertion"), "{name}: {on:?}");
    }
}

/// A write that does not wait for the lock may still make the assumption hold.
#[test]
fn what_was_read_in_a_void_section_may_be_read_again() {
    let late = "r1 = load.4.rlx @y\nr2 = add.32 r1, 2\nstore.4.rlx @x, r2\n";
    for name in MODELS {
        let last = section(M, "r1 = load.4.rlx @x\n") + ASSUME;
        let text = program("", &[section(M, "store.4.rlx @y, 1\n"), String::from(late)], &last);
        let on = explored(&text, &model(name), Reductions::ALL).expect("few executions");
        let off = Reductions::ALL.without(Reduction::Assumptions);
        let off = explored(&text, &model(name), off).expect("few executions");
        assert_eq!((on.complete, &on.states), (off.complete, &off.states), "{name}");
        assert!(on.complete > 0 && on.blocked <= off.blocked, "{name}: {on:?} {off:?}");
    }
}

/// A few accesses; what was read last is in `r1`.
fn accesses(random: &mut Random, own: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let (place, mode) = (random.pick(&["@x", "@x", "@y"]), random.pick(&["rlx", "rlx", "acq"]));
        let value = 1 + random.below(3);
        let _ = match random.below(8) {
            0..=3 => writeln!(text, "r1 = load.4.{mode} {place}"),
            4 => writeln!(text, "store.4.rlx {place}, {value}"),
            5 => writeln!(text, "r1 = load.4.rlx {place}\nr1 = add.32 r1, 1\nstore.4.rlx {place}, r1"),
            6 => writeln!(text, "store.4.rlx @g+{}, r1", 8 * own),
            _ => writeln!(text, "r1 = load.4.rlx @g+{}", 8 * own),
        };
    }
    text
}

fn body(random: &mut Random, own: usize, kinds: &[Brackets], trylock: bool) -> String {
    let mut text = String::from("r1 = move 0\n");
    for item in 0..1 + random.below(2) {
        let brackets = kinds[random.below(kinds.len())];
        match random.below(10) {
            0..=6 => {
                let mut inner = accesses(random, own);
                if random.below(12) == 0 && kinds.len() > 1 {
                    inner.push_str(&section(N, &accesses(random, own)));
                }
                text.push_str(&section(brackets, &inner));
            }
            7 if trylock => {
                let _ = write!(
                    text,
                    "r7 = call.1 &pthread_mutex_trylock (@m)\nbranch r7, busy{item}, got{item}\ngot{item}:\n{}{}\
                     jump go{item}\nbusy{item}:\nr1 = move 3\njump go{item}\ngo{item}:\n",
                    accesses(random, own),
                    M.1
                );
            }
            _ => text.push_str(&accesses(random, own)),
        }
        // Another thread's, now and then.
        if random.below(8) == 0 {
            let _ = writeln!(text, "r1 = load.4.rlx @g+{}", 8 * random.below(3));
        }
        match random.below(6) {
            0..=2 => {
                let (test, value) = (random.pick(&["eq", "ne", "sgt"]), random.below(3));
                let _ = write!(text, "r3 = cmp.{test}.32 r1, {value}\ncall.0 &__VERIFIER_assume (r3)\n");
            }
            3 if random.below(3) == 0 => {
                let _ = write!(
                    text,
                    "r3 = cmp.eq.32 r1, 3\nbranch r3, bad{item}, good{item}\nbad{item}:\ncall.0 &reach_error ()\n\
                     good{item}:\n"
                );
            }
            _ => {}
        }
    }
    let _ = writeln!(text, "store.4.rlx @out+{}, r1", 8 * own);
    text
}

#[test]
fn generated_programs_do_the_same_with_and_without() {
    let setting =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (wanted, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 400), setting("SELVEDGE_FUZZ_SEED", 1));
    let models: Vec<(&str, Model)> = MODELS.iter().map(|name| (*name, model(name))).collect();
    let (mut compared, mut fewer) = (0, 0);
    let first = setting("SELVEDGE_FUZZ_FIRST", 0);
    for number in first..first + wanted {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let random = &mut random;
        let (sections, trylock) = (random.below(4) == 0, random.below(6) == 0);
        let kinds: &[Brackets] = match (sections, random.below(3)) {
            (true, _) => &[ATOMIC],
            (false, 0) => &[M, N],
            _ => &[M],
        };
        let declared = match (sections, trylock) {
            (true, _) => SECTIONS,
            (false, true) => TRYLOCK,
            _ => "",
        };
        let threads = 2 + random.below(2);
        let bodies: Vec<String> =
            (0..threads).map(|own| body(random, own, kinds, trylock && !sections)).collect();
        let last = if random.below(2) == 0 { body(random, threads, kinds, false) } else { String::new() };
        let text = program(declared, &bodies, &last);
        for (name, model) in models.iter().filter(|(name, _)| !sections || *name == "sc") {
            // How many executions there are depends on how locks are divided, and that on what was explored.
            let on = Reductions::ALL.without(Reduction::LockOrder);
            let Some(without) = explored(&text, model, on.without(Reduction::Assumptions)) else { continue };
            // Threads go in another order, so there may be more blocked executions than the test has time
            // for.
            let Some(with) = explored(&text, model, on) else { continue };
            let same = |f: &Found| (f.states.clone(), f.kinds.clone(), f.stuck);
            assert_eq!(same(&with), same(&without), "program {number} of seed {seed} under {name}\n{text}");
            if with.kinds.is_empty() {
                assert_eq!(
                    with.complete, without.complete,
                    "program {number} of {seed} under {name}\n{text}"
                );
            }
            compared += 1;
            fewer += u64::from(with.blocked < without.blocked);
        }
    }
    println!("{compared} compared, {fewer} of them with fewer blocked executions");
    assert!(wanted < 400 || fewer * 20 > compared);
}
