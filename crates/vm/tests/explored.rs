//! Bytecode under the explorer: counts and verdicts that can be worked out by hand.

use crate::common;

use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, Execution, ExploreError, Stats, explore};
use selvedge_machine::{Machine, Op, Tid};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const DECLARED: &str = "
    global @m size 40 align 8 = zero 40
    global @x size 8 align 8 = zero 8
    global @y size 8 align 8 = zero 8
    global @words size 16 align 8 = zero 16
    global @t size 32 align 8 = zero 32
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &malloc(r0) results 1 regs 1
    func &free(r0) results 0 regs 1
    func &memset(r0, r1, r2) results 1 regs 3
    func &reach_error() results 0 regs 0
";

struct Found {
    stats: Stats,
    kinds: BTreeSet<&'static str>,
    restarts: u32,
}

/// Explores a program with `threads` threads that run `thread`, each given its number; then `last`.
fn explored(model: &str, threads: u32, thread: &str, last: &str) -> Found {
    let mut main = String::new();
    for n in 0..threads {
        main += &format!("r0 = call.1 &pthread_create (@t+{}, 0, &thread, {n})\n", 8 * n);
    }
    for n in 0..threads {
        main += &format!("r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    let text = format!(
        "{DECLARED} func &thread(r0) results 1 regs 8 {{ {thread} return (0) }}
         func &main() results 1 regs 8 {{ {main} {last} return (0) }}"
    );
    let theory = selvedge_kat::load_named(model).unwrap_or_else(|e| panic!("{e:?}"));
    let model = Model::compile(&theory).unwrap_or_else(|e| panic!("{e:?}"));
    let mut machine = common::machine(&text, Options { max_threads: 6, ..Options::default() });
    let mut restarts = 0;
    let settled = settle(&mut machine, Config { inspect: true, ..Config::default() }, |machine, config| {
        let mut kinds = BTreeSet::new();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            kinds.extend(x.failure().map(|f| f.kind.name()));
            for t in 0..machine.threads() as u16 {
                if let Some(Op::Error(code)) = x.stands_at(Tid(t)) {
                    kinds.insert(machine.error(code).kind.name());
                }
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, &model, config, &mut visit)?;
        let attempt =
            Attempt { gave_up: stats.gave_up.clone(), found: false, result: (stats, kinds, restarts) };
        restarts += 1;
        Ok::<_, ExploreError>(attempt)
    });
    let (stats, kinds, restarts) = settled.unwrap_or_else(|e| panic!("{e}"));
    Found { stats, kinds, restarts }
}

const MODELS: [&str; 3] = ["sc", "tso", "rc11"];

/// A critical section each: as many executions as orders.
#[test]
fn critical_sections_run_in_every_order() {
    let thread = "
        r1 = call.1 &pthread_mutex_lock (@m)
        r1 = load.4.na @x
        r1 = add.32 r1, 1
        store.4.na @x, r1
        r1 = call.1 &pthread_mutex_unlock (@m)";
    let last = "
        r1 = load.4.na @x
        r1 = cmp.eq.32 r1, 3
        branch r1, right, wrong
    wrong: call.0 &reach_error ()
    right:";
    for model in MODELS {
        let found = explored(model, 3, thread, last);
        assert_eq!((found.stats.complete, found.stats.errors), (6, 0), "{model}");
        assert_eq!(found.kinds, BTreeSet::new(), "{model}");
    }
}

#[test]
fn without_the_lock_it_is_a_race() {
    let found = explored("rc11", 2, "r1 = load.4.na @x\nr1 = add.32 r1, 1\nstore.4.na @x, r1", "");
    assert_eq!(found.kinds, BTreeSet::from(["data-race"]));
}

/// Each thread writes its own word and reads the other's: only sc rules out that both read 0.
#[test]
fn store_buffering() {
    let thread = "
        r1 = offset @words, r0, 8
        r2 = sub.64 1, r0
        r2 = offset @words, r2, 8
        store.4.rlx r1, 1
        r3 = load.4.rlx r2";
    for (model, count) in [("sc", 3), ("tso", 4), ("rc11", 4)] {
        assert_eq!(explored(model, 2, thread, "").stats.complete, count, "{model}");
    }
}

/// A flag that is set without release does not publish an object.
#[test]
fn objects_must_be_published() {
    let body = |store: &str, load: &str| {
        format!(
            "branch r0, reader, writer
        writer:
            r1 = call.1 &malloc (8)
            r2 = call.1 &memset (r1, 0, 8)
            r2 = offset r1, 4, 1
            store.4.na r2, 1
            store.8.{store} @x, r1
            return (0)
        reader:
            r1 = load.8.{load} @x
            branch r1, there, done
        there:
            r1 = offset r1, 4, 1
            r1 = load.4.na r1
        done:"
        )
    };
    let right = explored("rc11", 2, &body("rel", "acq"), "");
    assert_eq!((right.kinds, right.stats.complete, right.restarts), (BTreeSet::new(), 2, 1));
    let wrong = explored("rc11", 2, &body("rlx", "rlx"), "");
    assert_eq!(wrong.kinds, BTreeSet::from(["unpublished-object"]));
}
