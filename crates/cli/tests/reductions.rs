//! Reductions make no difference: with and without them, generated programs with loops have the same final
//! states and the same errors.
//!
//! Both runs have the same bounds of loops, so this holds exactly: what is left out by a reduction has an
//! equivalent with fewer iterations. `SELVEDGE_FUZZ_PROGRAMS` says how many programs, `SELVEDGE_FUZZ_SEED`
//! which ones, `SELVEDGE_FUZZ_DISABLE` what is off in the first run, too.

use crate::loops;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use selvedge_check::{Attempt, settle};
use selvedge_explore::premises::{ProgramFacts, properties_by_clocks, sound};
use selvedge_explore::{Config, End, Execution, ExploreError, Watches, explore};
use selvedge_graph::Loc;
use selvedge_machine::{ErrorKind, Names, Reduction, Reductions};
use selvedge_model::{Model, Properties};
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const MODELS: [&str; 5] = ["sc", "tso", "pso", "ra", "rc11"];

/// How often the loops of generated programs go round.
const UNROLL: u32 = 2;

/// What a program does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Outcome {
    states: BTreeSet<Vec<String>>,
    errors: BTreeSet<ErrorKind>,
    /// Executions of all kinds.
    executions: u64,
    complete: u64,
}

/// A shipped model, and what is known of it.
struct Named {
    name: &'static str,
    model: Model,
    properties: Properties,
}

impl Named {
    fn load(name: &'static str) -> Named {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let model = Model::compile(&theory).expect("an admissible model");
        let properties = properties_by_clocks(&theory, &model);
        Named { name, model, properties }
    }

    /// The reductions that are sound under it, of some.
    fn sound(&self, reductions: Reductions) -> Reductions {
        sound(reductions, &self.properties, &ProgramFacts::unknown(true)).on
    }
}

/// `None` if there are too many executions.
fn outcome(
    module: &selvedge_ir::Module,
    model: &Model,
    unroll: u32,
    reductions: Reductions,
) -> Option<Outcome> {
    let options = Options { unroll, max_threads: 5, reductions, ..Options::default() };
    let mut machine = VmMachine::new(module.clone(), options).expect("a module that can run");
    let config = Config {
        inspect: true,
        max_executions: Some(60_000),
        reductions,
        watches: Watches { twins: None, ..Watches::all() },
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
                let value = |l: u32| {
                    let loc = Loc(l);
                    let last = *x.graph.co(loc).last()?;
                    let value = machine.value_name(loc, x.graph.value_of(last, loc));
                    Some(format!("{} = {value}", machine.location_name(loc)))
                };
                // Locations come up in another order, and objects that one run never sees.
                let mut state: Vec<String> = (0..x.graph.locations() as u32).filter_map(value).collect();
                state.retain(|entry| !entry.ends_with(" = 0"));
                state.sort();
                outcome.states.insert(state);
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        outcome.executions = stats.executions();
        outcome.complete = stats.complete;
        let result = stats.gave_up.is_none().then_some(outcome);
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result })
    })
    .expect("threads are ordered")
}

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn compile(file: &Path, reductions: Reductions) -> selvedge_ir::Module {
    let options = selvedge_llvm::Options { reductions, ..Default::default() };
    match selvedge_llvm::compile(&[PathBuf::from(file)], &options) {
        Ok(module) => module,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn generated_loops_have_the_same_outcome_with_and_without() {
    let (wanted, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 40u64), setting("SELVEDGE_FUZZ_SEED", 1u64));
    let disabled = setting("SELVEDGE_FUZZ_DISABLE", String::new());
    let on = Reductions::all_but(&disabled).expect("names of reductions");
    let models = MODELS.map(Named::load);
    let (mut compared, mut smaller, mut saved) = (0, 0, (0, 0));
    for number in 0..wanted {
        let mut rng = SmallRng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let text = loops::program(&mut rng);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("loops-{seed}-{number}.c"));
        std::fs::write(&file, &text).expect("the file can be written");
        let (with, without) = (compile(&file, on), compile(&file, Reductions::NONE));
        for known @ Named { name, model, .. } in &models {
            let Some(plain) = outcome(&without, model, UNROLL, Reductions::NONE) else { continue };
            let Some(reduced) = outcome(&with, model, UNROLL, known.sound(on)) else {
                panic!(
                    "program {number} of seed {seed} under {name}: more executions with reductions\n{text}"
                )
            };
            let racy = plain.errors.contains(&ErrorKind::DataRace);
            let same = plain.errors == reduced.errors && (racy || plain.states == reduced.states);
            assert!(
                same,
                "program {number} of seed {seed} under {name}\n{text}\nwithout: {:?} {:?}\nmissing: {:?}\nextra: {:?}\nwith: {:?}",
                plain.errors,
                plain.executions,
                plain.states.difference(&reduced.states).collect::<Vec<_>>(),
                reduced.states.difference(&plain.states).collect::<Vec<_>>(),
                reduced.errors,
            );
            // These only leave out blocked executions.
            for waiting in [Reduction::Annotations, Reduction::Futile, Reduction::Awaits] {
                let off = known.sound(on).without(waiting);
                let complete = outcome(&with, model, UNROLL, off).map(|o| o.complete);
                assert!(
                    complete.is_none_or(|complete| complete == reduced.complete),
                    "program {number} of seed {seed} under {name}: {complete:?} without {}, {} with\n{text}",
                    waiting.name(),
                    reduced.complete
                );
            }
            compared += 1;
            smaller += usize::from(reduced.executions < plain.executions);
            saved = (saved.0 + plain.executions, saved.1 + reduced.executions);
        }
        let _ = std::fs::remove_file(&file);
    }
    println!("{compared} compared, {smaller} of them smaller; {} executions became {}", saved.0, saved.1);
    assert!(wanted < 20 || (smaller > 10 && compared > wanted as usize));
}

/// How many complete executions a program has with some reductions off.
fn executions(name: &str, body: &str, threads: usize, model: &str, disabled: &str) -> u64 {
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\natomic_int x, y;\n{body}\n\
         static void *thread(void *arg) {{ f(); return NULL; }}\nint main(void) {{ pthread_t t[{threads}];\n\
         for (int i = 0; i < {threads}; i++) pthread_create(&t[i], NULL, thread, NULL);\n\
         for (int i = 0; i < {threads}; i++) pthread_join(t[i], NULL); }}\n"
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{model}-{disabled}.c"));
    std::fs::write(&file, text).expect("the file can be written");
    let reductions = Reductions::all_but(disabled).expect("names of reductions");
    let model = Model::compile(&selvedge_kat::load_named(model).expect("a model")).expect("admissible");
    outcome(&compile(&file, reductions), &model, 6, reductions).expect("few executions").complete
}

/// With each reduction, threads that do one operation each can only be told apart by their order.
#[test]
fn retries_are_not_counted() {
    const INCREMENT: &str = "static void f(void) { int e = atomic_load(&x);
        while (!atomic_compare_exchange_strong(&x, &e, e + 1)); }";
    const LOCK: &str = "static void f(void) { for (;;) { while (atomic_load(&x)); int e = 0;
        if (atomic_compare_exchange_strong(&x, &e, 1)) break; } atomic_store(&x, 0); }";
    const PUSH: &str = "struct node { struct node *next; }; _Atomic(struct node *) top;
        static void f(void) { struct node *n = malloc(sizeof *n), *old;
        do { old = atomic_load(&top); n->next = old; } while (!atomic_compare_exchange_strong(&top, &old, n)); }";
    const PUSH_OWN: &str = "struct node { int v; struct node *next; }; _Atomic(struct node *) top;
        static void f(void) { struct node *n = malloc(sizeof *n); n->v = 1; n->next = atomic_load(&top);
        while (!atomic_compare_exchange_strong(&top, &n->next, n)); }";
    for model in ["sc", "tso", "rc11"] {
        for threads in [2, 3, 4] {
            let orders = (1..=threads as u64).product::<u64>();
            assert_eq!(executions("increment", INCREMENT, threads, model, ""), orders);
            assert_eq!(executions("lock", LOCK, threads, model, ""), orders);
            assert_eq!(executions("push", PUSH, threads, model, ""), orders);
            assert_eq!(executions("push-own", PUSH_OWN, threads, model, ""), orders);
        }
        assert!(executions("increment", INCREMENT, 3, model, "retry") > 6);
        assert_eq!(executions("lock", LOCK, 3, model, "confirmation"), 36);
        assert!(executions("push", PUSH, 3, model, "escape") > 6);
        assert!(executions("push", PUSH, 3, model, "pef") > 6);
        assert!(executions("push-own", PUSH_OWN, 3, model, "carry") > 6);
    }
}

/// Pushes whose compare-and-exchange leaves what it saw in the node, and who looks at the nodes.
#[test]
fn carried_cells_make_no_difference() {
    const PUSHES: [&str; 4] = [
        "n->next = atomic_load(&top); while (!atomic_compare_exchange_strong(&top, &n->next, n));",
        "n->next = atomic_load_explicit(&top, memory_order_relaxed);
         while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
             memory_order_relaxed));",
        "n->next = NULL; while (!atomic_compare_exchange_strong(&top, &n->next, n)) n->v++;",
        "n->next = atomic_load(&top); do { n->v += 2; } while (!atomic_compare_exchange_strong(&top, &n->next, n));",
    ];
    let models = ["sc", "tso", "pso", "ra", "rlx", "rc11"].map(Named::load);
    let mut carried = 0;
    for (number, push) in PUSHES.iter().enumerate() {
        let text = format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n
             struct node {{ int v; struct node *next; }}; _Atomic(struct node *) top; atomic_int sum;\n
             static void *thread(void *arg) {{ struct node *n = malloc(sizeof *n); n->v = 1; {push} return NULL; }}\n
             int main(void) {{ pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, thread, NULL);
             struct node *n = atomic_load(&top); if (n) {{ sum = n->v + 10; if (n->next) sum = n->next->v + 20; }}
             for (int i = 0; i < 2; i++) pthread_join(t[i], NULL); }}\n"
        );
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("carried-{number}.c"));
        std::fs::write(&file, &text).expect("the file can be written");
        let others = Reduction::ALL.into_iter().filter(|r| *r != Reduction::Carry);
        let only = others.fold(Reductions::ALL, Reductions::without);
        let (with, without) = (compile(&file, only), compile(&file, Reductions::NONE));
        carried += u32::from(with != without);
        let all = compile(&file, Reductions::ALL);
        for known @ Named { name, model, .. } in &models {
            let expected = outcome(&without, model, 3, Reductions::NONE).expect("few executions");
            let found = outcome(&with, model, 3, Reductions::NONE).expect("few executions");
            // The very same executions, but for accesses that only one thread knows of.
            assert_eq!(found, expected, "{name}\n{text}");
            let reduced = outcome(&all, model, 3, known.sound(Reductions::ALL)).expect("few executions");
            assert_eq!((&reduced.states, &reduced.errors), (&found.states, &found.errors), "{name}\n{text}");
            assert!(reduced.executions <= found.executions);
        }
    }
    assert_eq!(carried, PUSHES.len() as u32);
}

/// What `selvedge check` says of an example: the verdict and the kinds of errors.
fn verdict(file: &Path, model: &str, more: &[&str]) -> (String, BTreeSet<String>) {
    let text = std::fs::read_to_string(file).expect("a text");
    let args = text.lines().filter_map(|l| l.strip_prefix("// args: ")).flat_map(str::split_whitespace);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg("check")
        .arg(file)
        .args(["-m", model, "--format", "json", "--unroll", "3", "--all-errors"])
        .args(more)
        .arg("--")
        .args(args)
        .output()
        .expect("the command runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let kinds = report["errors"].as_array().into_iter().flatten();
    let kinds = kinds.filter_map(|e| e["kind"].as_str()).map(String::from).collect();
    (report["verdict"].as_str().unwrap_or_default().to_string(), kinds)
}

/// Programs that a run without reductions does not get to the end of.
const TOO_LONG: [&str; 3] = ["szymanski.c", "parker.c", "sense-barrier.c"];

#[test]
fn examples_fail_alike_with_and_without() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("the examples").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.retain(|f| !TOO_LONG.iter().any(|name| f.ends_with(name)));
    files.sort();
    let limit = ["--max-executions", "20000"];
    let mut compared = 0;
    for file in &files {
        for model in ["sc", "rc11"] {
            let (off, mut expected) = verdict(file, model, &[&limit[..], &["--disable", "all"]].concat());
            let (on, mut kinds) = verdict(file, model, &limit);
            if off == "unknown" || on == "unknown" {
                continue;
            }
            // That a loop never ends shows only where it waits.
            expected.remove("non-termination");
            kinds.remove("non-termination");
            kinds.remove("deadlock");
            expected.remove("deadlock");
            assert_eq!(kinds, expected, "{} under {model}: {on} with, {off} without", file.display());
            compared += 1;
        }
    }
    assert!(compared > 120, "{compared}");
}
