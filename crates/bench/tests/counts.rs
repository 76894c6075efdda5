//! The published numbers of executions, and the memory bound.

use selvedge_bench::programs::by_name;
use selvedge_explore::{Config, Equivalence, Schedule, Stats, explore};
use selvedge_model::Model;
use std::ops::ControlFlow;
use std::process::Command;

fn run(program: &str, n: usize, model: &str, config: &Config) -> Stats {
    let machine = by_name(program, n).expect("a benchmark of that name");
    let theory = selvedge_kat::load_named(model).expect("a shipped model");
    let model = Model::compile(&theory).expect("shipped models are admissible");
    explore(&machine, &model, config, &mut |_| ControlFlow::Continue(())).expect("the model orders threads")
}

/// Complete executions; nothing blocked, nothing in vain, under both schedules.
fn executions(program: &str, n: usize, model: &str) -> u64 {
    let left_to_right = run(program, n, model, &Config::default());
    let config = Config { schedule: Schedule::WritesFirst, ..Config::default() };
    let writes_first = run(program, n, model, &config);
    assert_eq!(left_to_right.complete, writes_first.complete, "{program}({n}) under {model}");
    for stats in [&left_to_right, &writes_first] {
        assert_eq!((stats.blocked, stats.cut, stats.errors, stats.aborted), (0, 0, 0, 0));
    }
    left_to_right.complete
}

#[test]
fn readers_have_two_to_the_n_executions() {
    for model in ["sc", "tso", "rc11", "ra", "rlx", "pso"] {
        assert_eq!(executions("readers", 10, model), 1024, "{model}");
    }
}

#[test]
fn writers_of_one_location_are_ordered_only_where_coherence_counts() {
    let rf = Config { equivalence: Equivalence::Rf, ..Config::default() };
    for model in ["sc", "rc11"] {
        assert_eq!(executions("nwrites-loc", 6, model), 720);
        assert_eq!(run("nwrites-loc", 6, model, &rf).complete, 1);
        assert_eq!(executions("nwrites", 8, model), 1);
    }
}

#[test]
fn increments_of_one_counter_have_n_factorial_executions() {
    for model in ["sc", "tso", "rc11"] {
        assert_eq!(executions("ainc", 6, model), 720);
        // Under weak memory the orders at two counters are independent of each other; the threads
        // increment x first, but that does not order y.
        assert_eq!(executions("binc", 3, model), 36);
    }
}

#[test]
fn message_passing_polls_up_to_its_bound() {
    let stats = run("mp", 10, "rc11", &Config::default());
    // The flag is seen at one of the ten polls, and then so is the data; or it is never seen.
    assert_eq!((stats.complete, stats.cut, stats.blocked), (10, 1, 0));
}

#[test]
fn lastzero_as_published() {
    assert_eq!(executions("lastzero", 10, "sc"), 3328);
    assert_eq!(run("lastzero", 15, "sc", &Config::default()).complete, 147_456);
}

#[test]
fn exp_mem_as_published() {
    assert_eq!(executions("exp-mem", 7, "sc"), 10_080);
    assert_eq!(executions("exp-mem2", 4, "sc"), 20_736);
}

#[test]
fn fib_bench_as_published() {
    // [Kokologiannakis24] Table 2 has one count for SC, TSO and RC11.
    for model in ["sc", "tso", "rc11"] {
        assert_eq!(executions("fib_bench", 4, model), 19_605, "{model}");
    }
    assert_eq!(run("fib_bench", 5, "sc", &Config::default()).complete, 218_243);
    assert_eq!(run("fib_bench", 6, "sc", &Config::default()).complete, 2_363_803);
}

#[test]
fn shortcuts_change_nothing_but_the_time() {
    let plain = Config { shortcuts: false, ..Config::default() };
    for (program, n) in [
        ("readers", 8),
        ("ainc", 5),
        ("binc", 3),
        ("lastzero", 7),
        ("exp-mem", 5),
        ("fib_bench", 3),
        ("mp", 5),
    ] {
        for model in ["sc", "tso", "pso", "ra", "rlx", "rc11"] {
            let with = run(program, n, model, &Config::default());
            let without = run(program, n, model, &plain);
            let counts = |s: &Stats| (s.complete, s.blocked, s.cut, s.errors, s.revisits, s.aborted);
            assert_eq!(counts(&with), counts(&without), "{program}({n}) under {model}");
        }
    }
}

/// Peak memory of the harness on one row, in KiB.
fn peak_kib(program: &str, n: usize) -> u64 {
    let out = Command::new(env!("CARGO_BIN_EXE_selvedge-bench"))
        .args(["run", program, &n.to_string(), "sc", "co"])
        .output()
        .expect("the harness runs");
    let text = String::from_utf8_lossy(&out.stdout);
    text.split_whitespace()
        .last()
        .and_then(|w| w.parse().ok())
        .unwrap_or_else(|| panic!("no figure in {text:?}"))
}

#[test]
fn memory_does_not_grow_with_the_number_of_executions() {
    let trivial = peak_kib("nwrites", 1);
    for (program, n) in [("exp-mem", 8), ("exp-mem2", 5), ("lastzero", 16)] {
        let peak = peak_kib(program, n);
        assert!(peak < trivial + 20 * 1024, "{program}({n}): {peak} KiB, a trivial program {trivial} KiB");
    }
}
