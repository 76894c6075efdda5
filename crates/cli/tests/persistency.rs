//! The programs of `examples/persistency`, against what they say of themselves: `// expect: PERSISTENCY-MODEL
//! MODEL VERDICT [KIND] [line=N] [states=N] [OPTION …]`; and what is said of input that makes no sense.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn selvedge(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selvedge")).args(args).output().expect("the command runs")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/persistency")
}

/// What is wrong, if something is.
fn run(file: &Path, expectation: &str, more: &[&str]) -> Option<String> {
    let mut words = expectation.split_whitespace();
    let (persist, model, verdict) = (words.next()?, words.next()?, words.next()?);
    let words: Vec<&str> = words.collect();
    let options = words.iter().position(|word| word.starts_with("--")).unwrap_or(words.len());
    let file_name = file.to_str().expect("a name");
    let mut args = vec!["check", file_name, "--persist", persist, "-m", model, "--format", "json"];
    args.extend(&words[options..]);
    args.extend(more);
    let output = selvedge(&args);
    let fail = |what: String| Some(format!("{file_name}: expected {expectation}: {what}"));
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        return fail(format!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    };
    let first = &report["errors"][0];
    if report["verdict"] != verdict {
        let unknown = &report["unknown"];
        let error = &report["error"]["message"];
        return fail(format!(
            "{} {} {} {unknown} {error}",
            report["verdict"], first["kind"], first["message"]
        ));
    }
    if report["persist"] != persist && !words.contains(&"--no-delalloc") {
        return fail(format!("under {}", report["persist"]));
    }
    for word in &words[..options] {
        let right = match word.split_once('=') {
            None => first["kind"] == *word,
            Some(("line", line)) => first["line"].as_u64() == line.parse().ok(),
            Some(("states", states)) => report["post_crash_states"].as_u64() == states.parse().ok(),
            Some(_) => false,
        };
        if !right {
            let states = &report["post_crash_states"];
            return fail(format!("{word}: {} at line {}, {states} states", first["kind"], first["line"]));
        }
    }
    if verdict == "violated" && first["crash"]["recovery"].as_array().is_none_or(|steps| steps.is_empty()) {
        return fail(String::from("recovery is not told"));
    }
    None
}

fn cases() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(examples())
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// expect: ")).collect();
        assert!(!expected.is_empty(), "{} expects nothing", file.display());
        cases.extend(expected.iter().map(|expected| (file.clone(), expected.to_string())));
    }
    cases
}

#[test]
fn examples_are_as_they_say() {
    let wrong: Vec<String> =
        cases().iter().filter_map(|(file, expected)| run(file, expected, &["-j", "1"])).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn several_workers_and_no_reductions_find_the_same() {
    let some = cases().into_iter().step_by(5);
    let wrong: Vec<String> = some
        .flat_map(|(file, expected)| {
            let ways: [&[&str]; 2] = [&["-j", "2", "--alone", "0"], &["--disable", "all"]];
            ways.into_iter().filter_map(|more| run(&file, &expected, more)).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Exit code 2, and these words.
fn refused(text: &str, args: &[&str], words: &str) {
    let dir = std::env::temp_dir().join(format!("selvedge-persistency-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let name: String = words.chars().filter(char::is_ascii_alphanumeric).collect();
    let file = dir.join(format!("{name}.c"));
    std::fs::write(&file, text).expect("a file");
    let mut all = vec!["check", file.to_str().expect("a name")];
    all.extend(args);
    let output = selvedge(&all);
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(words), "{said}");
    std::fs::remove_dir_all(&dir).expect("it was there");
}

const ROUTINE: &str = "void __VERIFIER_recovery_routine(void) {} int main(void) { return 0; }";

#[test]
fn input_that_makes_no_sense_is_refused() {
    refused("int main(void) { return 0; }", &["--persist", "px86"], "no recovery routine");
    refused(
        "void __VERIFIER_recovery_routine(int n) {} int main(void) { return 0; }",
        &["--persist", "px86"],
        "has parameters",
    );
    refused(ROUTINE, &["--persist", "px87"], "did you mean `px86`");
    refused(ROUTINE, &["--persist", "px86", "--block-size", "0"], "--block-size");
    refused(ROUTINE, &["--persist", "px86", "--no-delalloc"], "is about ext4");
    refused(ROUTINE, &["--persist", "px86", "--equivalence", "rf"], "depends on coherence");
    let dir = std::env::temp_dir();
    let model = dir.join(format!("selvedge-pb-{}.kat", std::process::id()));
    std::fs::write(&model, "export recovery [DATA] ; co ; [DATA]").expect("a file");
    let name = model.to_str().expect("a name").to_string();
    refused(ROUTINE, &["--persist", &name], "coherence of all durable writes");
    std::fs::write(&model, "export acyclic po | rf").expect("a file");
    refused(ROUTINE, &["--persist", &name], "what persists before what");
    std::fs::remove_file(&model).expect("it was there");
}
