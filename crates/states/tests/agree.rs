//! The search through states and the exploration of executions come to the same: on generated programs, the
//! same final values of registers and memory, and an error for the one if and only if for the other. With
//! and without what the search leaves out.
//!
//! `SELVEDGE_STATES_PROGRAMS` says how many programs per model.

use rand::Rng;
use selvedge_explore::{Config, End, GaveUp, explore_compiled};
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_machine::Program;
use selvedge_machine::program::Instr;
use selvedge_model::Compiled;
use selvedge_oracle::generate::{arch_program, program, rng_for, with_pointers};
use selvedge_oracle::generate_arch::Arch;
use selvedge_states::{Options, Slot, Table, search};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

fn programs(few: u64) -> u64 {
    std::env::var("SELVEDGE_STATES_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(few)
}

fn seed() -> u64 {
    std::env::var("SELVEDGE_STATES_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(15)
}

/// Registers of the threads that ran, one thread after the other, and memory.
type Outcome = (Vec<Vec<Value>>, Vec<Value>);

#[derive(PartialEq, Eq, Debug, Default)]
struct Outcomes {
    ends: BTreeSet<Outcome>,
    errors: bool,
}

fn explored(program: &Program, model: &Compiled) -> Option<Outcomes> {
    let program = program.tracking(model.follows_dependencies(), model.has_arms());
    let once = |config: &Config| {
        let mut outcomes = Outcomes::default();
        let stats = explore_compiled(&program, model, config, &mut |x| {
            match x.end {
                End::Complete => {
                    let registers = (0..program.threads.len())
                        .map(|t| x.state(Tid(t as u16)).map_or(Vec::new(), |s| s.regs.to_vec()));
                    let last = |loc: usize| {
                        let write = x.graph.co(Loc(loc as u32)).last().copied();
                        write.map_or(program.locs[loc].1, |w| match w.is_init() {
                            true => program.locs[loc].1,
                            false => x.graph.event(w).value,
                        })
                    };
                    outcomes.ends.insert((registers.collect(), (0..program.locs.len()).map(last).collect()));
                }
                End::Error => outcomes.errors = true,
                _ => {}
            }
            ControlFlow::Continue(())
        });
        (stats, outcomes)
    };
    let (stats, outcomes) = once(&Config::default());
    match stats {
        Ok(stats) if stats.gave_up.is_none() => Some(outcomes),
        Ok(stats) if matches!(stats.gave_up, Some(GaveUp::Again(_))) => {
            let (stats, outcomes) = once(&Config { follow: false, ..Config::default() });
            stats.is_ok_and(|stats| stats.gave_up.is_none()).then_some(outcomes)
        }
        _ => None,
    }
}

/// What ends all states come to, and how many states there are; nothing if the search says that it is not
/// all.
fn searched(program: &Program, table: &Table, reduce: bool) -> Option<(Outcomes, usize)> {
    let program = program.tracking(true, false);
    let options =
        Options { reduce, eager: reduce, keep_ends: true, max_states: 400_000, ..Options::default() };
    let found = search(&program, table, &options);
    assert_eq!(found.stop, None, "{}", program.name);
    if found.early {
        return None;
    }
    let mut outcomes = Outcomes::default();
    for (_, world) in &found.ends {
        let registers = (0..program.threads.len()).map(|t| match world.threads.get(t) {
            Some(Slot::Ended(state)) => state.regs.to_vec(),
            _ => Vec::new(),
        });
        let memory = (0..program.locs.len()).map(|loc| world.value(&program, Loc(loc as u32)));
        outcomes.ends.insert((registers.collect(), memory.collect()));
    }
    let deadlock = selvedge_machine::ErrorKind::Deadlock;
    outcomes.errors = found.wrong.keys().any(|wrong| wrong.kind != deadlock);
    Some((outcomes, found.graph.states()))
}

/// Compares all of one program, and says how many states there are without and with what is left out.
fn same(name: &str, model: &Compiled, table: &Table, seed: u64, number: u64) -> Option<(usize, usize)> {
    let mut rng = rng_for(seed, number);
    let program =
        if number.is_multiple_of(2) { program(&mut rng) } else { arch_program(&mut rng, Arch::Imm) };
    // Storing a pointer publishes what it points to, under `dotnet`.
    let program = match name == "dotnet" && number % 4 > 1 {
        true => with_pointers(program, &mut |n| rng.random_range(0..n)),
        false => program,
    };
    let expected = explored(&program, model)?;
    let (found, states) = searched(&program, table, false)?;
    // By the table, a later write may overtake a compare-and-exchange that fails, and what that reads may
    // depend on it. The exploration does not have this, nor has .NET: its compare-and-exchanges are barriers.
    let fails = |instr: &Instr| matches!(instr, Instr::Cas { failure, .. } if *failure != Mode::Sc);
    let more = table.overtakes_reads && program.threads.iter().flat_map(|t| &t.code).any(fails);
    let expected = match more && found.ends.is_superset(&expected.ends) && found.errors >= expected.errors {
        true => Outcomes { ends: found.ends.clone(), errors: found.errors },
        false => expected,
    };
    assert_eq!(found, expected, "{name}, program {number}, search against exploration:\n{program:#?}");
    let (with, fewer) = searched(&program, table, true)?;
    assert_eq!(with, expected, "{name}, program {number}, reduced search:\n{program:#?}");
    Some((states, fewer))
}

fn subject(name: &str) -> (Compiled, Table) {
    let theory = selvedge_kat::load_named(name).unwrap();
    (selvedge_decide::compile(&theory).unwrap(), Table::of(&theory).unwrap())
}

fn agree(name: &str, few: u64) {
    let (model, table) = subject(name);
    let (mut compared, mut skipped, mut full, mut reduced) = (0, 0, 0, 0);
    for number in 0..programs(few) {
        match same(name, &model, &table, seed(), number) {
            Some((states, fewer)) => {
                (full, reduced, compared) = (full + states, reduced + fewer, compared + 1);
            }
            None => skipped += 1,
        }
    }
    println!("{name}: {compared} programs, {skipped} skipped; {full} states, {reduced} reduced");
    assert!(compared > skipped, "{skipped} skipped of {}", compared + skipped);
}

/// A thread that ends before others write what it read; one that stands at an operation or after it; values
/// that were not known yet when they were guessed; an error that others never come to change; a fence that
/// is complete between two writes; a pointer that is published after what came before is complete.
#[test]
fn what_was_wrong_once() {
    for (name, seed, number) in [
        ("sc", 15, 6),
        ("sc", 15, 52),
        ("dotnet-ecma", 77, 0),
        ("sc", 2026, 762),
        ("pso", 2026, 451),
        ("dotnet-ecma", 4242, 14439),
        ("dotnet", 772, 859),
    ] {
        let (model, table) = subject(name);
        assert!(same(name, &model, &table, seed, number).is_some(), "{name} {seed} {number}");
    }
}

/// A compare-and-exchange that fails weakly may read before it is known what it expects: the search says that
/// it does not have that.
#[test]
fn what_is_not_searched_is_said() {
    let (model, table) = subject("dotnet-ecma");
    assert!(same("dotnet-ecma", &model, &table, 771, 31181).is_none());
}

#[test]
fn under_sequential_consistency() {
    agree("sc", 120);
}

#[test]
fn under_total_store_order() {
    agree("tso", 120);
}

#[test]
fn under_partial_store_order() {
    agree("pso", 120);
}

#[test]
fn under_the_table_of_ecma() {
    agree("dotnet-ecma", 120);
}

#[test]
fn under_what_the_runtime_documents() {
    agree("dotnet", 120);
}

#[test]
fn models_that_are_no_tables_are_refused() {
    for name in ["armv8", "riscv", "imm", "rc11", "power"] {
        assert!(Table::of(&selvedge_kat::load_named(name).unwrap()).is_err(), "{name}");
    }
}
