//! Barriers: the published numbers of executions, the fallback, and wrong use.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn check(file: &Path, options: &[&str], flags: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").arg(file).args(["--format", "json"]).args(options).arg("--").args(flags);
    let output = command.output().expect("the command runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Complete and blocked executions of a program that is right and needs no fallback.
fn counts(program: &str, options: &[&str], flags: &[&str]) -> (u64, u64) {
    let all = if options.contains(&"--disable") { &[][..] } else { &["--disable", "symmetry"] };
    let report = check(&root("crates/bench/programs").join(program), &[options, all].concat(), flags);
    assert_eq!(report["verdict"], "verified", "{program}: {report}");
    assert_eq!(report["warnings"], serde_json::json!([]), "{program}");
    let number = |key: &str| report[key].as_u64().expect("a number");
    (number("executions"), number("blocked"))
}

/// Kokologiannakis21, Tables 1 and 2.
#[test]
fn the_published_counts() {
    for rounds in ["-DROUNDS=1", "-DROUNDS=2", "-DROUNDS=3"] {
        for n in ["-DN=4", "-DN=6"] {
            assert_eq!(counts("barrier.c", &[], &[n, rounds]), (1, 0));
        }
    }
    let many = ["--threads-max", "65", "--unroll", "64"];
    assert_eq!(counts("barrier.c", &many, &["-DN=64"]), (1, 0));
    assert_eq!(counts("barrier-lock.c", &[], &["-DN=3"]).0, 36);
    assert_eq!(counts("barrier-lock.c", &[], &["-DN=4"]).0, 576);
    assert_eq!(counts("barrier-count.c", &[], &["-DN=3"]), (64, 0));
    assert_eq!(counts("barrier-count.c", &[], &["-DN=4"]), (4992, 0));
    assert_eq!(counts("barrier-det.c", &[], &["-DN=4"]), (1, 0));
    assert_eq!(counts("barrier-transc.c", &[], &["-DN=4"]), (1, 0));
}

#[test]
fn with_an_order_of_arrivals() {
    for option in [&["--no-bam"][..], &["--disable", "bam,symmetry"]] {
        let (executions, blocked) = counts("barrier.c", option, &["-DN=4"]);
        assert_eq!(executions, 24);
        assert!(blocked <= 552, "{blocked}");
    }
    let (executions, blocked) = counts("barrier.c", &["--no-bam"], &["-DN=4", "-DROUNDS=2"]);
    assert_eq!(executions, 576);
    assert!(blocked <= 36_816, "{blocked}");
}

/// A program that is not of the form that BAM needs is explored all the same, and the report says so.
#[test]
fn the_fallback_is_noted() {
    let dir = std::env::temp_dir().join(format!("selvedge-barriers-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let program = |threads: u32, count: u32, thread: &str| {
        let text = format!(
            "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n\
             pthread_barrier_t b; atomic_int serial;\n\
             void *thread(void *arg) {{ (void)arg; {thread} return 0; }}\n\
             int main(void) {{ pthread_t t[{threads}]; pthread_barrier_init(&b, 0, {count});\n\
             for (int i = 0; i < {threads}; i++) pthread_create(&t[i], 0, thread, 0);\n\
             for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);\n\
             assert(serial == 1); }}\n"
        );
        let file = dir.join("program.c");
        std::fs::write(&file, text).expect("a file");
        file
    };
    let note = |report: &Value| report["warnings"][0].as_str().unwrap_or_default().to_string();

    let elects = "if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;";
    for model in ["sc", "tso", "rc11"] {
        let report = check(&program(3, 3, elects), &["-m", model, "--disable", "symmetry"], &[]);
        assert_eq!((&report["verdict"], &report["executions"]), (&"verified".into(), &6.into()), "{report}");
        assert!(note(&report).contains("serial"), "{report}");
    }
    let report = check(&program(3, 2, "pthread_barrier_wait(&b);"), &[], &[]);
    assert_eq!(report["errors"][0]["kind"], "deadlock", "{report}");
    assert!(note(&report).contains("more threads"), "{report}");
    let report = check(&program(1, 1, "pthread_barrier_wait(&b); serial = 1;"), &["-m", "rlx"], &[]);
    assert!(note(&report).contains("rlx"), "{report}");
    // Without barriers there is nothing to note.
    let report = check(&program(1, 1, "serial = 1;").with_file_name("program.c"), &["-m", "rc11"], &[]);
    assert_eq!((&report["verdict"], &report["warnings"]), (&"verified".into(), &serde_json::json!([])));
    std::fs::remove_dir_all(&dir).expect("it was there");
}

/// With and without: the same verdicts.
#[test]
fn the_examples_with_and_without() {
    let mut compared = 0;
    for entry in std::fs::read_dir(root("examples/c")).expect("the examples") {
        let file = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if !text.contains("pthread_barrier_wait") {
            continue;
        }
        for model in ["sc", "tso", "rc11"] {
            let [with, without] =
                [&["-m", model][..], &["-m", model, "--no-bam"]].map(|o| check(&file, o, &[]));
            assert_eq!(with["verdict"], without["verdict"], "{} under {model}", file.display());
            assert_eq!(
                with["errors"][0]["kind"],
                without["errors"][0]["kind"],
                "{} under {model}",
                file.display()
            );
            compared += 1;
        }
    }
    assert!(compared >= 12);
}

#[test]
fn a_reduction_that_there_is_not() {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "x.c", "--disable", "bam,nothing"])
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no reduction `nothing`"));
}

/// Barriers of `examples/barriers` for every number of threads, from their programs; what is wrong with them
/// is found, and what cannot be derived is said.
#[test]
fn programs_are_proved_for_every_number_of_threads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let prove = |name: &str, function: &str, clang: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .arg("prove")
            .arg(root.join(format!("examples/barriers/{name}.c")))
            .args(["--threads", function, "--format", "json", "--invariant"])
            .arg(root.join(format!("proofs/c/{name}.inv")))
            .arg("--")
            .args(clang)
            .output()
            .expect("selvedge runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), report)
    };
    for name in ["central", "sense-reversing", "dissemination"] {
        let (code, report) = prove(name, "barrier", &[]);
        assert_eq!((code, &report["verdict"]), (Some(0), &"proved".into()), "{name}: {report}");
        assert_eq!(report["assumed"].as_array().map(Vec::len), Some(3), "{name}: {report}");
        assert!(report["system"].as_str().is_some_and(|text| text.contains("threads Thread")), "{report}");
    }
    for (name, mutant) in [
        ("central", "INIT_LOW"),
        ("central", "INIT_HIGH"),
        ("sense-reversing", "NO_TOGGLE"),
        ("dissemination", "FEW_ROUNDS"),
    ] {
        let (code, report) = prove(name, "barrier", &[&format!("-DMUTANT={mutant}")]);
        assert_eq!((code, &report["verdict"]), (Some(1), &"violated".into()), "{name} {mutant}: {report}");
    }
    assert_eq!(prove("central", "nothing", &[]).0, Some(2));
}

/// A solver that says yes to everything: what is false in a small instance is not proved by it, and with
/// `--certify` nothing is that the other one does not confirm.
#[test]
fn a_solver_that_lies_proves_nothing_that_is_false() {
    use std::os::unix::fs::PermissionsExt;
    let directory = std::env::temp_dir().join(format!("selvedge-liar-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("room");
    let liar = directory.join("z3");
    let text = "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n*end-of-answer*) echo unsat; echo end-of-answer;;\nesac; done\n";
    std::fs::write(&liar, text).expect("room");
    std::fs::set_permissions(&liar, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default());
    let prove = |claims: &str, more: &[&str]| {
        let file = directory.join("liar.par");
        let system = "threads T; locations A, end B; shared x: int = 0; step A { x := x + 1; goto B; }";
        std::fs::write(&file, format!("{system}\n{claims}\n")).expect("room");
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.env("PATH", &path).arg("prove").arg(&file).args(more).arg("--json");
        let output = command.output().expect("the command runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), report)
    };
    // False in the second state, though everything that was asked is said to hold.
    let (code, report) = prove("invariant wrong: x == 0; property p: x >= 0;", &[]);
    assert_eq!((code, &report["verdict"]), (Some(3), &"unknown".into()), "{report}");
    assert_eq!(report["false_conjunct"]["conjunct"], "wrong", "{report}");
    // True in all small instances, and not for 4 threads.
    let (code, report) = prove("property few: x < 4;", &["--certify"]);
    assert_eq!((code, &report["verdict"]), (Some(3), &"unknown".into()), "{report}");
    let _ = std::fs::remove_dir_all(directory);
}

/// With fewer than three threads it is another program: nothing is claimed of those.
#[test]
fn a_proof_says_from_how_many_threads_on() {
    let directory = std::env::temp_dir().join(format!("selvedge-least-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("room");
    let file = directory.join("worker.c");
    let text = "#include <stdatomic.h>\nstatic atomic_int a;\nvoid worker(void) { atomic_fetch_add(&a, N < LEAST ? 2 : 1); }\nint main(void) { worker(); return 0; }\n";
    std::fs::write(&file, text).expect("room");
    for (least, said) in [("1", "number of threads\n"), ("3", "number of threads from 3 on\n")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.arg("prove").arg(&file).args(["--threads", "worker", "--", &format!("-DLEAST={least}")]);
        let output = command.output().expect("the command runs");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains(&format!("proved for every {said}")), "{out}");
    }
    let _ = std::fs::remove_dir_all(directory);
}
