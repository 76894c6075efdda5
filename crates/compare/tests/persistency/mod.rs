//! The recovery observer against the definition (thesis Def. 8.1.1–8.1.3): after every execution of generated
//! programs, recovery reads what it reads from the frontier of some set of durable writes that is closed
//! under persists-before, and every such set is found. Persists-before is evaluated by matrices there
//! (`certify`), which share no code with how the observer evaluates it.
//!
//! `SELVEDGE_PERSIST_PROGRAMS` is the number of programs for each pair of models; `SELVEDGE_PERSIST_SEED`
//! where they begin; `SELVEDGE_PERSIST_MEMORY` which memory models.

mod definition;
mod scripts;

use definition::Definition;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use scripts::{Reading, Script, Visible};
use selvedge_explore::{
    Config, Crashes, Execution, GaveUp, RecoveryAction, RecoveryEnd, RecoveryStop, explore_compiled, recover,
};
use selvedge_graph::{Loc, Medium, MediumKind, PersistOp};
use selvedge_machine::Mode;
use selvedge_model::{Compiled, Persistency};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// What the reads of one run of recovery read from: the place in coherence of each.
type Found = Vec<(Loc, usize)>;

/// A persistency model, as the observer has it and as the definition has it.
struct Persisting {
    persist: Persistency,
    definition: Definition,
}

impl Persisting {
    fn of(name: &str) -> Persisting {
        let theory = selvedge_kat::load_persistency(name).expect(name);
        Persisting { persist: persistency(name), definition: Definition::new(&theory) }
    }
}

fn persistency(name: &str) -> Persistency {
    Persistency::compile(&selvedge_kat::load_persistency(name).expect(name)).expect(name)
}

fn model(name: &str) -> Compiled {
    selvedge_decide::compile(&selvedge_kat::load_named(name).expect(name)).expect(name)
}

/// How many executions there are, of those with an order, and how many post-crash states in them.
#[derive(Clone, Copy, Default)]
struct Seen {
    executions: u64,
    states: u64,
}

fn compare(script: &Script, memory: &Compiled, name: &str) -> Seen {
    compare_with(script, memory, &[Persisting::of(name)])[0]
}

/// For each persistency model, what it comes to.
fn compare_with(script: &Script, memory: &Compiled, models: &[Persisting]) -> Vec<Seen> {
    // Where dependencies are followed, the explorer may say that another way has to be taken.
    let ways = [
        Config::default(),
        Config { in_order: false, ..Config::default() },
        Config { in_order: false, follow: false, ..Config::default() },
    ];
    for config in &ways {
        let mut seen = vec![Seen::default(); models.len()];
        let stats = explore_compiled(script, memory, config, &mut |x| {
            let taken_down = definition::TakenDown::of(script, x.graph);
            for (seen, model) in seen.iter_mut().zip(models) {
                if let Some(states) = compare_one(script, x, &taken_down, model) {
                    seen.executions += 1;
                    seen.states += states;
                }
            }
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|error| panic!("{error}: {script:?}"));
        match stats.gave_up {
            None => return seen,
            Some(GaveUp::Again(_)) => {}
            other => panic!("{other:?}: {script:?}"),
        }
    }
    panic!("no way explores this under {}: {script:?}", memory.name());
}

/// How many post-crash states one execution has, if there is an order.
fn compare_one(
    script: &Script,
    x: &Execution<'_, Script>,
    taken_down: &definition::TakenDown,
    Persisting { persist, definition }: &Persisting,
) -> Option<u64> {
    let crashes = Crashes::new(persist.clone());
    let shown = |what: &str| format!("{what} under {}: {script:?}", persist.name());
    let mut observed = BTreeSet::new();
    let outcome = recover(x, &crashes, &mut |post| {
        assert_eq!(post.end, RecoveryEnd::Done);
        let reads: Found = post
            .steps
            .iter()
            .map(|step| match step.what {
                RecoveryAction::Read { loc, from, .. } => {
                    (loc, from.map_or(0, |(_, w)| x.graph.co_pos(w).expect("a place")))
                }
                RecoveryAction::Write { .. } => unreachable!("it only reads"),
            })
            .collect();
        assert!(observed.insert(reads), "{}", shown("twice"));
        ControlFlow::Continue(())
    });
    match (outcome, definition.post_crash(script, x.graph, taken_down)) {
        (Ok(()), Some(defined)) => {
            assert_eq!(observed, defined, "{}", shown("not the same"));
            Some(observed.len() as u64)
        }
        // A write that recovery does not come to may be the one that persists before itself.
        (Ok(()) | Err(RecoveryStop::Cyclic(_)), None) => None,
        (outcome, _) => panic!("{outcome:?}, {}", shown("but there is an order")),
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn recovery_finds_the_frontiers_of_closed_sets_and_nothing_else() {
    let (programs, seed) = (number("SELVEDGE_PERSIST_PROGRAMS", 40), number("SELVEDGE_PERSIST_SEED", 1));
    let names: Vec<&str> = selvedge_kat::persistency_models().iter().map(|(name, _)| *name).collect();
    assert!(names.len() >= 8);
    let wanted =
        std::env::var("SELVEDGE_PERSIST_MEMORY").unwrap_or_else(|_| String::from("sc tso rc11 imm armv8"));
    let memories: Vec<Compiled> = wanted.split_whitespace().map(model).collect();
    let compared: Vec<Persisting> = names.iter().map(|name| Persisting::of(name)).collect();
    let mut all: BTreeMap<(&str, &str), Seen> = BTreeMap::new();
    for at in 0..programs {
        let script = Script::random(&mut SmallRng::seed_from_u64(seed.wrapping_mul(1_000_003) + at));
        for memory in &memories {
            for (name, seen) in names.iter().zip(compare_with(&script, memory, &compared)) {
                let sum = all.entry((memory.name(), name)).or_default();
                sum.executions += seen.executions;
                sum.states += seen.states;
            }
        }
        if (at + 1) % 10_000 == 0 {
            eprintln!("{} programs", at + 1);
        }
    }
    for ((memory, name), Seen { executions, states }) in &all {
        eprintln!(
            "{memory:6} {name:26} {programs} programs, {executions} executions, {states} post-crash states"
        );
    }
    let executions: u64 = all.values().map(|seen| seen.executions).sum();
    let states: u64 = all.values().map(|seen| seen.states).sum();
    assert!(states > executions && executions > programs);
}

fn memory_at(unit: u32) -> Option<Medium> {
    Some(Medium { kind: MediumKind::Memory, unit, block: 0, offset: 0 })
}

fn store(loc: u32, value: i64) -> Visible {
    Visible::Store(Loc(loc), value, Mode::Rlx)
}

fn of(threads: Vec<Vec<Visible>>, media: Vec<Option<Medium>>, reads: &[u32]) -> Script {
    let recovery = reads.iter().map(|loc| Reading { loc: Loc(*loc), stops_at: None }).collect();
    Script { threads, media, recovery }
}

#[test]
fn rec_ww_rr_has_four_states_or_three() {
    let media = vec![memory_at(0), memory_at(1)];
    let script = of(vec![vec![store(0, 1), store(1, 1)]], media, &[1, 0]);
    let sc = model("sc");
    assert_eq!(compare(&script, &sc, "weakest").states, 4);
    assert_eq!(compare(&script, &sc, "strict").states, 3);
    assert_eq!(compare(&script, &sc, "px86").states, 4);
}

#[test]
fn only_what_recovery_reads_branches() {
    // REC-OB of thesis §8.3: 16 by snapshots, 2 by the observer.
    let media: Vec<_> = (0..4).map(memory_at).collect();
    let script = of((0..4).map(|loc| vec![store(loc, 1)]).collect(), media, &[3]);
    let Seen { executions, states } = compare(&script, &model("sc"), "weakest");
    assert_eq!((executions, states), (1, 2));
}

#[test]
fn n_writes_of_which_m_are_read_have_two_to_the_m_states() {
    for n in [10, 100, 1000] {
        for m in [1, 4, 8] {
            let media: Vec<_> = (0..n).map(memory_at).collect();
            let reads: Vec<u32> = (0..m).map(|i| i * (n / m)).collect();
            let script = of(vec![(0..n).map(|loc| store(loc, 1)).collect()], media, &reads);
            for name in ["weakest", "px86"] {
                let crashes = Crashes::new(persistency(name));
                let mut states = 0;
                explore_compiled(&script, &model("sc"), &Config::default(), &mut |x| {
                    let outcome = recover(x, &crashes, &mut |_| {
                        states += 1;
                        ControlFlow::Continue(())
                    });
                    outcome.expect("an order");
                    ControlFlow::Continue(())
                })
                .expect("an exploration");
                assert_eq!(states, 1 << m, "{n} {m} {name}");
            }
        }
    }
}

#[test]
fn flushes_need_the_fence_that_waits_for_them() {
    let flush = |op| Visible::Persist(op, Some(0));
    let fence = Visible::Persist(PersistOp::StoreFence, None);
    let tso = model("tso");
    let states = |between: &[Visible]| {
        let code: Vec<Visible> =
            [store(0, 1)].into_iter().chain(between.iter().copied()).chain([store(1, 1)]).collect();
        compare(&of(vec![code], vec![memory_at(0), memory_at(1)], &[1, 0]), &tso, "px86").states
    };
    assert_eq!(states(&[]), 4);
    assert_eq!(states(&[fence]), 4);
    assert_eq!(states(&[flush(PersistOp::Clflush)]), 3);
    assert_eq!(states(&[flush(PersistOp::ClflushOpt)]), 4);
    assert_eq!(states(&[flush(PersistOp::ClflushOpt), fence]), 3);
    assert_eq!(states(&[flush(PersistOp::Clwb), fence]), 3);
    assert_eq!(states(&[flush(PersistOp::Clwb), Visible::Fence(Mode::Sc)]), 3);
    // Another line is none of its business.
    assert_eq!(states(&[Visible::Persist(PersistOp::Clflush, Some(1))]), 4);
}

#[test]
fn a_line_persists_in_order() {
    let script = of(vec![vec![store(0, 1), store(1, 1)]], vec![memory_at(0), memory_at(0)], &[1, 0]);
    assert_eq!(compare(&script, &model("tso"), "px86").states, 3);
}

#[test]
fn pieces_of_a_copy_persist_in_any_order() {
    let copy = Visible::Persist(PersistOp::Copy, Some(2));
    let media = vec![memory_at(0), memory_at(0), memory_at(0)];
    let code = vec![copy, store(0, 1), store(1, 1), store(2, 1)];
    let script = of(vec![code], media, &[2, 1, 0]);
    // Both pieces before what follows, neither before the other.
    assert_eq!(compare(&script, &model("tso"), "px86").states, 5);
}

#[test]
fn a_barrier_leaves_one_state() {
    let code = vec![store(0, 1), store(1, 1), Visible::Persist(PersistOp::Barrier, None)];
    let script = of(vec![code], vec![memory_at(0), memory_at(1)], &[0, 1]);
    for (name, _) in selvedge_kat::persistency_models() {
        assert_eq!(compare(&script, &model("sc"), name).states, 1, "{name}");
    }
}

#[test]
fn an_order_that_is_none_is_refused() {
    // Both writes of each location last in program order, and first in coherence: rc11 allows it.
    let threads = vec![vec![store(0, 1), store(1, 2)], vec![store(1, 1), store(0, 2)]];
    let script = of(threads, vec![memory_at(0), memory_at(1)], &[0, 1]);
    let crashes = Crashes::new(persistency("strict"));
    let mut refused = 0;
    explore_compiled(&script, &model("rc11"), &Config::default(), &mut |x| {
        let outcome = recover(x, &crashes, &mut |_| ControlFlow::Continue(()));
        refused += u32::from(matches!(outcome, Err(RecoveryStop::Cyclic(_))));
        ControlFlow::Continue(())
    })
    .expect("an exploration");
    assert_eq!(refused, 1);
}
