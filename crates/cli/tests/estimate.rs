//! `selvedge estimate`.

use crate::support;

use serde_json::Value;
use std::path::Path;
use support::{directory, example, selvedge, write};

fn estimate(args: &[&str]) -> Value {
    let run = selvedge(["estimate", "--format", "json"].iter().chain(args));
    assert_eq!(run.code, 0, "{}", run.err);
    let mut report: Value = serde_json::from_str(&run.out).expect("JSON");
    for number in ["mean", "stddev", "samples", "seconds", "estimated_executions", "estimated_seconds"] {
        assert!(report[number].is_number(), "{number}: {report}");
    }
    report.as_object_mut().expect("an object").remove("estimated_seconds");
    report.as_object_mut().expect("an object").remove("seconds");
    report
}

fn program(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(name).display().to_string()
}

/// Within one order of magnitude of the truth, blocked executions included (Kokologiannakis24 §3.5).
#[test]
fn estimates_are_near_the_truth() {
    for (name, size) in [
        ("fib_bench.c", "-DN=4"),
        ("ms-queue.c", "-DN=3"),
        ("mpmc.c", "-DN=3"),
        ("chase-lev.c", "-DN=3"),
        ("lamport.c", "-DN=3"),
        ("szymanski-counted.c", "-DN=3"),
        ("peterson.c", "-DN=4"),
        ("dekker.c", "-DN=3"),
    ] {
        let file = program(name);
        let guess = estimate(&[&file, "--samples", "300", "--", size])["mean"].as_f64().expect("a number");
        let check = selvedge(["check", "--format", "json", &file, "--", size]);
        let truth: Value = serde_json::from_str(&check.out).expect("JSON");
        let all =
            truth["executions"].as_f64().expect("a number") + truth["blocked"].as_f64().expect("a number");
        assert!(guess / all < 10.0 && all / guess < 10.0, "{name}: {guess} for {all}");
    }
}

/// What is small is explored, not estimated.
#[test]
fn small_programs_are_counted() {
    let report = estimate(&[&program("fib_bench.c"), "--", "-DN=3"]);
    let check = selvedge(["check", "--format", "json", &program("fib_bench.c"), "--", "-DN=3"]);
    let truth: Value = serde_json::from_str(&check.out).expect("JSON");
    assert_eq!(report["mean"].as_f64(), truth["executions"].as_f64());
    assert_eq!(report["stddev"].as_f64(), Some(0.0));
}

#[test]
fn the_same_seed_gives_the_same_estimate() {
    let file = program("fib_bench.c");
    let with = |seed: &str| estimate(&[&file, "--seed", seed, "--", "-DN=5"]);
    assert_eq!(with("7"), with("7"));
    assert_ne!(with("7")["mean"], with("8")["mean"]);
}

/// Few executions have by far the most alternatives: the samples alone say too little.
#[test]
fn what_is_met_seldom_is_not_left_out() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/programs/lastzero.c").display().to_string();
    for seed in ["0", "1", "2", "3", "4"] {
        let report = estimate(&[&file, "-m", "sc", "--disable", "symmetry", "--seed", seed, "--", "-DN=15"]);
        let guess = report["mean"].as_f64().expect("a number") / 147_456.0;
        assert!((0.4..2.5).contains(&guess), "seed {seed}: {guess} of what there is");
    }
}

/// Each in its own way, with its own error.
#[test]
fn complete_and_blocked_executions_are_estimated_apart() {
    let report = estimate(&[&program("szymanski-counted.c"), "--", "-DN=3"]);
    for (field, error, truth) in
        [("estimated_executions", "executions_error", 1068.0), ("estimated_blocked", "blocked_error", 8527.0)]
    {
        let guess = report[field].as_f64().expect("a number");
        assert!((0.5..2.0).contains(&(guess / truth)), "{field}: {guess} for {truth}");
        assert!(report[error].as_f64().is_some_and(|error| error > 0.0), "{report}");
    }
}

/// Less work, another estimate, in less time; no work, and there is still one.
#[test]
fn the_budget_is_work() {
    let file = program("fib_bench.c");
    let with = |work: &str| estimate(&[&file, "--work", work, "--", "-DN=5"]);
    assert!(with("20000")["samples"].as_u64() < with("400000")["samples"].as_u64());
    assert!(with("1")["mean"].as_f64().is_some_and(|mean| mean > 0.0));
    assert_eq!(selvedge(["estimate", &file, "--work", "0"]).code, 2);
}

#[test]
fn checks_report_their_events() {
    let run = |jobs: &str| {
        let check =
            selvedge(["check", "--format", "json", "-j", jobs, &program("fib_bench.c"), "--", "-DN=3"]);
        let report: Value = serde_json::from_str(&check.out).expect("JSON");
        (report["executions"].as_u64(), report["events"].as_u64())
    };
    let (executions, events) = run("1");
    assert!(events > executions, "{events:?} events");
    assert_eq!(run("2").0, executions);
}

#[test]
fn litmus_tests_can_be_estimated() {
    // Four executions, and each sample says so.
    let report = estimate(&[&example("2+2W+rlx.litmus")]);
    assert_eq!((report["mean"].as_f64(), report["stddev"].as_f64()), (Some(4.0), Some(0.0)));
}

const BUFFERED: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *first(void *arg) {
    int r = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, first, 0);
    int r = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
}
";

#[test]
fn models_that_follow_dependencies_can_be_estimated() {
    let file = program("fib_bench.c");
    for model in ["armv8", "imm", "power"] {
        let guess = estimate(&[&file, "-m", model, "--", "-DN=4"])["mean"].as_f64().expect("a number");
        assert!((19605.0 / 3.0..19605.0 * 3.0).contains(&guess), "{guess} under {model}");
    }
    for model in ["armv8", "imm"] {
        let test = estimate(&[&example("2+2W+rlx.litmus"), "-m", model]);
        assert_eq!(test["mean"].as_f64(), Some(4.0), "{model}");
    }
    let few = estimate(&[&file, "-m", "armv8", "--samples", "20", "--", "-DN=4"]);
    assert_eq!(few["samples"].as_u64(), Some(20));
    // Where a write may be seen before an earlier read, there is another way, but not under all models.
    let buffered = write(&directory("estimate-buffered"), "buffered.c", BUFFERED);
    assert_eq!(estimate(&[&buffered, "-m", "armv8"])["mean"].as_f64(), Some(4.0));
    let refused = selvedge(["estimate", &buffered, "-m", "power"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("reads have to be put off"), "{}", refused.err);
}

#[test]
fn wrong_inputs_are_refused() {
    let dir = directory("estimate-wrong");
    let bad = write(&dir, "bad.litmus", "nothing");
    for args in [vec!["no-such-file.c"], vec![&bad], vec![&bad, &bad], vec![&bad, "-m", "no-such-model"]] {
        let run = selvedge(["estimate"].iter().chain(&args));
        assert_eq!(run.code, 2, "{args:?} {}", run.err);
        assert!(!run.err.is_empty());
    }
}
