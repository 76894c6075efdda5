//! The programs of `examples/c`, `c-deps`, `c-lkmm` and `barriers`, against what they say of themselves:
//! `// expect: MODEL VERDICT [KIND] [line=N] [executions=N] [errors=KIND] [disable=NAME] [engine=NAME]
//! [no-races] [-D…]`, with `// args:` for clang and `// unroll:`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Case {
    file: PathBuf,
    expectation: String,
    args: Vec<String>,
    unroll: Option<String>,
}

fn cases() -> Vec<Case> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = ["c", "c-deps", "c-lkmm", "barriers"]
        .iter()
        .flat_map(|dir| std::fs::read_dir(examples.join(dir)).expect("the examples"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let lines = |key: &str| -> Vec<String> {
            let prefix = format!("// {key}: ");
            text.lines().filter_map(|l| l.strip_prefix(&prefix)).map(|l| l.trim().to_string()).collect()
        };
        let args: Vec<String> = lines("args")
            .iter()
            .flat_map(|l| l.split_whitespace().map(String::from).collect::<Vec<_>>())
            .collect();
        let expectations = lines("expect");
        assert!(!expectations.is_empty(), "{} expects nothing", file.display());
        for expectation in expectations {
            let unroll = lines("unroll").first().cloned();
            cases.push(Case { file: file.clone(), expectation, args: args.clone(), unroll });
        }
    }
    cases
}

/// What is wrong, if something is. Executions are counted without symmetry.
fn run(case: &Case, symmetry: bool) -> Option<String> {
    let mut words = case.expectation.split_whitespace();
    let (model, verdict) = (words.next()?, words.next()?);
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").arg(&case.file).args(["-m", model, "--format", "json"]);
    let options: Vec<&str> = case.expectation.split_whitespace().skip(2).collect();
    let named = |key: &str| options.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let mut off: Vec<&str> = named("disable").into_iter().collect();
    if !symmetry {
        off.push("symmetry");
    }
    if !off.is_empty() {
        command.args(["--disable", &off.join(",")]);
    }
    if let Some(kinds) = named("errors") {
        command.args(["--errors", kinds]);
    }
    if let Some(engine) = named("engine") {
        command.args(["--engine", engine]);
    }
    if options.contains(&"no-races") {
        command.arg("--no-race-detection");
    }
    if let Some(unroll) = &case.unroll {
        command.args(["--unroll", unroll]);
    }
    command.arg("--").args(&case.args);
    command.args(options.iter().filter(|word| word.starts_with("-D")));
    let output = command.output().expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let fail = |what: String| Some(format!("{}: expected {}: {what}", case.file.display(), case.expectation));
    let Ok(report) = serde_json::from_str::<Value>(&text) else {
        return fail(format!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    };
    if report["verdict"] != verdict {
        let first = &report["errors"][0];
        return fail(format!("{} {} {}", report["verdict"], first["kind"], first["message"]));
    }
    let code = match verdict {
        "verified" => 0,
        "violated" => 1,
        _ => 3,
    };
    if output.status.code() != Some(code) {
        return fail(format!("exit code {:?}", output.status.code()));
    }
    for word in words.filter(|word| *word != "no-races" && !word.starts_with("-D")) {
        let error = &report["errors"][0];
        let ok = match word.split_once('=') {
            None => error["kind"] == word,
            Some(("errors" | "disable" | "engine", _)) => true,
            Some(("line", n)) => error["line"].as_u64() == n.parse().ok(),
            Some(("executions", n)) => {
                let most: Option<u64> = n.parse().ok();
                let got = report["executions"].as_u64();
                got == most || symmetry && report["symmetric_threads"].is_u64() && got < most
            }
            Some(_) => return fail(format!("`{word}` is not an expectation")),
        };
        if !ok {
            return fail(format!(
                "{} at line {}, {} executions",
                error["kind"], error["line"], report["executions"]
            ));
        }
    }
    None
}

#[test]
fn the_examples_are_what_they_say() {
    let cases = cases();
    assert!(cases.len() > 100);
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for symmetry in [true, false] {
                        if let Some(failure) = run(case, symmetry) {
                            failures.lock().expect("no panics").push(failure);
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panics");
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
