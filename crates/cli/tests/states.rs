//! `check --engine states`: the programs of `examples/states` against what they say of themselves
//! (`// states: MODEL VERDICT`, with `// invariant:` and `// check:` lines), and those of `examples/c` under
//! `sc` against the explorer of executions: the two never contradict each other.
//!
//! `SELVEDGE_STATES_EXAMPLES=all` runs all of `examples/c`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples(dir: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(dir);
    let entries = std::fs::read_dir(dir).expect("the examples").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

fn lines(text: &str, key: &str) -> Vec<String> {
    let prefix = format!("// {key}: ");
    text.lines().filter_map(|l| l.strip_prefix(&prefix)).map(|l| l.trim().to_string()).collect()
}

fn json(file: &Path, args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let output =
        command.arg("check").arg(file).args(["--format", "json"]).args(args).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| {
        panic!("{} {args:?}: no report: {}", file.display(), String::from_utf8_lossy(&output.stderr))
    })
}

#[test]
fn examples_come_out_as_they_say_with_and_without_reduction() {
    for file in examples("states") {
        let text = std::fs::read_to_string(&file).expect("a text");
        let invariants = lines(&text, "invariant");
        for expectation in lines(&text, "states") {
            let (model, verdict) = expectation.split_once(' ').expect("a model and a verdict");
            let more = lines(&text, "check").join(" ");
            let mut args = vec!["--engine", "states", "-m", model];
            args.extend(more.split_whitespace());
            for invariant in &invariants {
                args.extend(["--invariant", invariant]);
            }
            let reduced = json(&file, &args);
            assert_eq!(reduced["verdict"], verdict, "{} {expectation}: {reduced:#}", file.display());
            if verdict == "verified" && model != "sc" {
                continue; // without reduction that takes too long
            }
            args.push("--all-steps");
            let full = json(&file, &args);
            let kinds = |report: &Value| -> Vec<(String, String)> {
                let of = |v: &Value| (v["kind"].to_string(), v["message"].to_string());
                report["violations"].as_array().expect("a list").iter().map(of).collect()
            };
            assert_eq!(kinds(&reduced), kinds(&full), "{} {expectation}", file.display());
            assert!(reduced["states"].as_u64() <= full["states"].as_u64(), "{}", file.display());
            println!(
                "{} {model}: {verdict}, {} states {} transitions, reduced {} {}; sc {}; list {}",
                file.file_stem().unwrap_or_default().to_string_lossy(),
                full["states"],
                full["transitions"],
                reduced["states"],
                reduced["transitions"],
                full["sc_states"],
                full["longest_list"]
            );
        }
    }
}

/// Small enough for every run; more take minutes.
const FEW: [&str; 12] = [
    "barrier.c",
    "dekker.c",
    "dekker-bug.c",
    "mp.c",
    "mp-bug.c",
    "peterson.c",
    "peterson-bug.c",
    "spinlock.c",
    "spinlock-bug.c",
    "ticket.c",
    "ticket-bug.c",
    "seqlock.c",
];

#[test]
fn no_example_is_verified_by_one_engine_and_violated_by_the_other() {
    let all = std::env::var("SELVEDGE_STATES_EXAMPLES").is_ok_and(|which| which == "all");
    let (mut agreed, mut open) = (0, Vec::new());
    for file in examples("c") {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_string();
        if !all && !FEW.contains(&&*name) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a text");
        let mut expected = lines(&text, "expect").into_iter().filter(|l| l.starts_with("sc "));
        let Some(expected) = expected.find(|l| !l.ends_with("no-races")) else { continue };
        let clang = lines(&text, "args").join(" ");
        // Whether there are data races, this engine often does not know.
        let mut args = vec!["--engine", "states", "-m", "sc", "--no-race-detection"];
        args.extend(["--max-states", "200000", "--time-limit", "20", "--"]);
        args.extend(clang.split_whitespace());
        let report = json(&file, &args);
        let verdict = report["verdict"].as_str().unwrap_or("error").to_string();
        let word = expected.split_whitespace().nth(1).unwrap_or_default();
        if expected.contains("data-race") {
            continue;
        }
        let contradiction = matches!((word, &*verdict), ("verified", "violated") | ("violated", "verified"));
        assert!(!contradiction, "{name}: expected {expected}, and all states say: {report:#}");
        if word == verdict { agreed += 1 } else { open.push(format!("{name}: {word}, {verdict}")) }
    }
    println!("{agreed} agree; without an answer by one of them: {open:#?}");
    assert!(agreed > 4, "{agreed} agree: {open:#?}");
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let file = &examples("states")[0];
    for args in [
        &["--engine", "states", "-m", "rc11"][..],
        &["--engine", "states", "-m", "armv8"],
        &["--engine", "states", "-m", "power"],
        &["--engine", "states", "-m", "sc", "--invariant", "no_such_variable == 1"],
        &["--engine", "states", "-m", "sc", "--invariant", "count =="],
        &["--engine", "states", "-m", "sc", "--leaks"],
        &["-m", "sc", "--invariant", "count == 1"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        let output = command.arg("check").arg(file).args(args).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}
