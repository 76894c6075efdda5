//! The search through states and the exploration of executions come to the same on generated programs.
//! `make fuzz AGAINST=states` compares more of them.

use selvedge_compare::states::{Campaign, LeftOut, Subject};
use selvedge_states::Table;

fn subject(name: &str) -> Subject {
    Subject::named(name).unwrap()
}

fn agree(name: &str, programs: u64) {
    let campaign = Campaign { subjects: vec![subject(name)], programs, seed: 15, jobs: 1, time: None };
    let compared = campaign.run(&mut |_, _| {});
    println!("{compared}");
    assert!(compared.failures.is_empty());
    let score = compared.scores[0].1;
    assert!(score.compared > programs / 2, "{score:?}");
    assert!(score.reduced < score.states, "{score:?}");
}

/// A thread that ends before others write what it read; one that stands at an operation or after it; values
/// that were not known yet when they were guessed; an error that others never come to change; a fence that
/// is complete between two writes; a pointer that is published after what came before is complete; an error
/// of a thread that has read what another one wrote after a guess that does not come true.
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
        ("dotnet", 101, 14611),
    ] {
        let subject = subject(name);
        let compared = subject.compare(&subject.program(seed, number), true);
        assert!(matches!(compared, Ok(Ok(_))), "{name} {seed} {number}: {compared:?}");
    }
}

/// A compare-and-exchange that fails weakly may read before it is known what it expects: the search says that
/// it does not have that.
#[test]
fn what_is_not_searched_is_said() {
    let subject = subject("dotnet-ecma");
    let compared = subject.compare(&subject.program(771, 31181), true);
    assert!(matches!(compared, Ok(Err(LeftOut::Early))), "{compared:?}");
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
        assert!(Subject::named(name).is_err(), "{name}");
    }
}
