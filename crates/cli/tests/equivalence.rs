//! `--equivalence rf`: executions that differ in coherence alone count once, and what is wrong with one of
//! them is found.
//!
//! Generated programs are explored with coherence and without: there are as many executions without as there
//! are classes of those with that have the same events and reads-from, and they end in the same ways.
//! `SELVEDGE_FUZZ_PROGRAMS` says how many programs, `SELVEDGE_FUZZ_SEED` which ones.

use crate::loops;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use selvedge_check::{Attempt, Check, InputError, Options as CheckOptions, Sources, Verdict, settle};
use selvedge_explore::{Config, End, Equivalence, Execution, ExploreError, Watches, explore};
use selvedge_graph::EventId;
use selvedge_machine::{ErrorKind, Names, Reductions};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const MODELS: [&str; 4] = ["sc", "tso", "ra", "rc11"];

/// Where an event is: its thread, its number there, and the location that it accesses.
type Place = (u16, u32, Option<String>);

/// An execution without its coherence: each event, and what it reads from.
type Shape = Vec<(Place, Option<Place>)>;

/// What a program does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Outcome {
    complete: BTreeSet<Shape>,
    errors: BTreeSet<ErrorKind>,
    /// How threads that wait for ever do, in blocked executions.
    stuck: BTreeSet<(Shape, String)>,
    /// Complete and stuck executions that were shown.
    shown: usize,
}

fn shape(x: &Execution<'_, VmMachine>) -> Shape {
    let g = x.graph;
    let place = |e: EventId| {
        let ev = g.event(e);
        let loc = (ev.is_read() || ev.is_write()).then(|| x.machine().location_name(ev.loc));
        (ev.tid.0, ev.idx, loc)
    };
    let mut shape: Shape = g.order()[1..].iter().map(|&e| (place(e), g.rf(e).map(place))).collect();
    shape.sort();
    shape
}

/// `None` if there are too many executions.
fn outcome(module: &selvedge_ir::Module, model: &Model, equivalence: Equivalence) -> Option<Outcome> {
    let options = Options { unroll: 2, max_threads: 5, reductions: Reductions::NONE, ..Options::default() };
    let mut machine = VmMachine::new(module.clone(), options).expect("a module that can run");
    let config = Config {
        equivalence,
        inspect: true,
        max_executions: Some(4_000),
        watches: Watches::default(),
        ..Config::default()
    };
    settle(&mut machine, config, |machine, config| {
        let mut outcome = Outcome::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some((_, error)) = x.program_error() {
                outcome.errors.insert(error.kind);
            } else if let Some(failure) = x.failure() {
                outcome.errors.insert(failure.kind);
            } else if x.end == End::Complete {
                outcome.complete.insert(shape(x));
                outcome.shown += 1;
            } else if let Some(stuck) = x.stuck() {
                outcome.stuck.insert((shape(x), format!("{stuck:?}")));
                outcome.shown += 1;
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        let result = stats.gave_up.is_none().then_some(outcome);
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result })
    })
    .expect("threads are ordered")
}

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn file(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("the file can be written");
    file
}

#[test]
fn each_class_is_explored_once_and_ends_in_the_same_ways() {
    let (wanted, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 40u64), setting("SELVEDGE_FUZZ_SEED", 1u64));
    let models = MODELS.map(|name| {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        (name, Model::compile(&theory).expect("an admissible model"))
    });
    let (mut compared, mut fewer, mut stuck) = (0, 0, 0);
    for number in 0..wanted {
        let mut rng = SmallRng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let text = loops::program(&mut rng);
        let file = file(&format!("equivalence-{seed}-{number}.c"), &text);
        let options = selvedge_llvm::Options { reductions: Reductions::NONE, ..Default::default() };
        let module = selvedge_llvm::compile(std::slice::from_ref(&file), &options).expect("it compiles");
        for (name, model) in &models {
            let Some(fine) = outcome(&module, model, Equivalence::Co) else { continue };
            let Some(coarse) = outcome(&module, model, Equivalence::Rf) else {
                panic!("program {number} of seed {seed} under {name}: more executions\n{text}")
            };
            let said = format!("program {number} of seed {seed} under {name}\n{text}");
            assert_eq!(fine.errors, coarse.errors, "{said}");
            assert_eq!(fine.complete, coarse.complete, "{said}");
            assert_eq!(fine.stuck, coarse.stuck, "{said}");
            assert_eq!(coarse.shown, coarse.complete.len() + coarse.stuck.len(), "twice: {said}");
            compared += 1;
            fewer += usize::from(coarse.shown < fine.shown);
            stuck += coarse.stuck.len();
        }
        let _ = std::fs::remove_file(&file);
    }
    println!("{compared} compared, {fewer} of them with fewer executions, {stuck} stuck");
    assert!(wanted < 20 || (fewer > 10 && stuck > 10 && compared > wanted as usize));
}

fn check(name: &str, text: &str, model: &str) -> Result<(Verdict, u64), InputError> {
    let sources = Sources::file(file(name, text));
    let theory = selvedge_kat::load_named(model).expect("a shipped model");
    let mut check = Check::new(sources, theory);
    check.options = CheckOptions { equivalence: Equivalence::Rf, ..CheckOptions::default() };
    let outcome = check.run()?;
    Ok((outcome.verdict, outcome.stats.complete))
}

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <selvedge.h>\natomic_int x;\n";

/// The reader waits for 1 and sees 2: in the order of the threads that is old, in the other one it is the
/// latest.
#[test]
fn that_something_old_could_be_the_latest_is_not_missed() {
    let text = format!(
        "{HEAD}void *a(void *p) {{ x = 2; return 0; }}\nvoid *b(void *p) {{ x = 1; return 0; }}\n\
         int main(void) {{ pthread_t p, q; pthread_create(&p, 0, a, 0); pthread_create(&q, 0, b, 0);\n\
         while (x != 1); return 0; }}\n"
    );
    for model in MODELS {
        assert_eq!(check("equivalence-latest.c", &text, model).expect("a verdict").0, Verdict::Violated);
    }
}

#[test]
fn what_depends_on_coherence_is_refused_by_name() {
    let last = format!("{HEAD}int main(void) {{ selvedge_final_write(x = 1); return 0; }}\n");
    let refused = check("equivalence-final.c", &last, "rc11").expect_err("refused").to_string();
    assert!(refused.contains("selvedge_final_write"), "{refused}");
    let section = "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint x;\n\
        int main(void) { __VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end(); return 0; }\n";
    let refused = check("equivalence-section.c", section, "sc").expect_err("refused").to_string();
    assert!(refused.contains("atomic sections"), "{refused}");
    let plain = format!("{HEAD}int main(void) {{ x = 1; return 0; }}\n");
    let refused = check("equivalence-imm.c", &plain, "imm").expect_err("refused").to_string();
    assert!(refused.contains("imm") && refused.contains("--equivalence co"), "{refused}");
}
