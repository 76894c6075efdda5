//! The programs of `examples/rust` and `examples/cpp`, against what they say of themselves, as those of
//! `examples/c`:
//! `// expect: MODEL VERDICT [KIND] [line=N] [executions=N] [no-races]`, with `// args:` for the compiler.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use support::selvedge;

fn files(directory: &str, extension: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(directory);
    let entries = std::fs::read_dir(directory).expect("the examples");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// What is wrong, if something is. Executions are counted without symmetry.
fn run(file: &Path, text: &str, expectation: &str) -> Result<(), String> {
    let mut words = expectation.split_whitespace();
    let (model, verdict) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let file = file.display().to_string();
    let mut args = vec!["check", &file, "-m", model, "--format", "json", "--disable", "symmetry"];
    if expectation.ends_with(" no-races") {
        args.push("--no-race-detection");
    }
    args.push("--");
    args.extend(text.lines().filter_map(|l| l.strip_prefix("// args: ")).flat_map(str::split_whitespace));
    let run = selvedge(args);
    let fail = |what: String| Err(format!("{file}: expected {expectation}: {what}"));
    let Ok(report) = serde_json::from_str::<Value>(&run.out) else { return fail(run.err) };
    let error = &report["errors"][0];
    let found = format!(
        "{} {} {} at line {}, {} executions, {}",
        report["verdict"],
        error["kind"],
        error["message"],
        error["line"],
        report["executions"],
        report["unknown"]
    );
    let wanted = |word: &str| match word.split_once('=') {
        None => word == "no-races" || error["kind"] == word,
        Some(("line", n)) => error["line"].as_u64() == n.parse().ok(),
        Some(("executions", n)) => report["executions"].as_u64() == n.parse().ok(),
        Some(_) => false,
    };
    match report["verdict"] == verdict && words.all(wanted) {
        true => Ok(()),
        false => fail(found),
    }
}

fn check_all(directory: &str, extension: &str, least: usize) {
    let files = files(directory, extension);
    assert!(files.len() >= least);
    let mut failures = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a text");
        let expectations: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("// expect: ")).collect();
        assert!(!expectations.is_empty(), "{} expects nothing", file.display());
        failures.extend(expectations.into_iter().filter_map(|e| run(file, &text, e.trim()).err()));
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_examples_in_rust_are_what_they_say() {
    check_all("rust", "rs", 20);
}

#[test]
fn the_examples_in_cpp_are_what_they_say() {
    check_all("cpp", "cpp", 8);
}
