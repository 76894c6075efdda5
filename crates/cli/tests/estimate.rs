//! `selvedge estimate`.

mod support;

use serde_json::Value;
use std::path::Path;
use support::{directory, example, selvedge, write};

/// As many samples as there are to be, however long they take.
const UNTIMED: &str = "--seconds=1000000";

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
        let guess =
            estimate(&[&file, "--samples", "300", UNTIMED, "--", size])["mean"].as_f64().expect("a number");
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
    let report = estimate(&[&program("fib_bench.c"), UNTIMED, "--", "-DN=3"]);
    let check = selvedge(["check", "--format", "json", &program("fib_bench.c"), "--", "-DN=3"]);
    let truth: Value = serde_json::from_str(&check.out).expect("JSON");
    assert_eq!(report["mean"].as_f64(), truth["executions"].as_f64());
    assert_eq!(report["stddev"].as_f64(), Some(0.0));
}

#[test]
fn the_same_seed_gives_the_same_estimate() {
    let file = program("fib_bench.c");
    let with = |seed: &str| estimate(&[&file, "--seed", seed, UNTIMED, "--", "-DN=5"]);
    assert_eq!(with("7"), with("7"));
    assert_ne!(with("7")["mean"], with("8")["mean"]);
}

#[test]
fn litmus_tests_can_be_estimated() {
    // Four executions, and each sample says so.
    let report = estimate(&[&example("2+2W+rlx.litmus"), UNTIMED]);
    assert_eq!((report["mean"].as_f64(), report["stddev"].as_f64()), (Some(4.0), Some(0.0)));
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
