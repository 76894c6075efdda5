//! `selvedge check`: inputs that are wrong, limits, and the fields of the report.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A directory of its own for each test, removed afterwards.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = std::env::temp_dir().join(format!("selvedge-check-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Dir(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("a file");
        name.to_string()
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.arg("check").args(args).current_dir(&self.0).output().expect("the command runs")
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .expect("the directory")
            .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const RACE: &str = r#"#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
int data;
atomic_int flag;
void *writer(void *arg) {
    (void)arg;
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}
void *reader(void *arg) {
    (void)arg;
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(data == 42);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"#;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stdout)))
}

#[test]
fn a_race_is_reported_on_the_programs_own_lines() {
    let dir = Dir::new("race");
    let file = dir.file("race.c", RACE);
    let output = dir.run(&[&file, "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["verdict"], "violated");
    for field in ["model", "executions", "blocked", "seconds", "max_rss_kb", "bounded_loops", "warnings"] {
        assert!(!report[field].is_null(), "{field}");
    }
    let error = &report["errors"][0];
    assert_eq!(error["kind"], "data-race");
    assert!(error["line"] == 15 || error["line"] == 8, "{error}");
    let steps = error["trace"].as_array().expect("a trace");
    let reads = steps.iter().find(|s| s["action"].as_str().is_some_and(|a| a.starts_with("reads flag = 1")));
    let from = reads.expect("the read of the flag")["from"].as_str().expect("where the value came from");
    assert!(from.contains("race.c:9"), "{from}");
    // The same in words, and nothing left behind.
    let words = text(&dir.run(&[&file]).stdout);
    assert!(words.contains("data-race: ") && words.contains("violated under rc11"), "{words}");
    assert_eq!(dir.names(), ["race.c"]);
    // Without race detection the plain accesses are explored like relaxed ones: the data may be old.
    let without = dir.run(&[&file, "--no-race-detection", "--format", "json"]);
    assert_eq!(json(&without)["errors"][0]["kind"], "assertion");
    let without = dir.run(&[&file, "--no-race-detection", "-m", "sc"]);
    assert_eq!(without.status.code(), Some(0), "{}", text(&without.stdout));
}

#[test]
fn wrong_input_has_its_own_exit_code() {
    let dir = Dir::new("input");
    let cases = [
        (vec![String::from("nowhere.c")], "nowhere.c"),
        (vec![dir.file("syntax.c", "int main(void) { return x; }\n")], "undeclared identifier"),
        (vec![dir.file("nomain.c", "int f(void) { return 1; }\n")], "main"),
        (vec![dir.file("bad.bc", "not bitcode")], "bad.bc"),
        (
            vec![dir.file("fine.c", "int main(void) { return 0; }\n"), "-m".into(), "nomodel".into()],
            "nomodel",
        ),
        (vec![String::from("fine.c"), "--unroll-loop".into(), "x".into()], "bound of a loop"),
    ];
    for (args, part) in cases {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = dir.run(&args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(part), "{args:?}: {message}");
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn what_cannot_be_decided_is_not_called_verified() {
    let dir = Dir::new("unknown");
    let external = dir.file("external.c", "int g(int);\nint main(void) {\n    return g(3);\n}\n");
    let output = dir.run(&[&external, "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    assert_eq!(report["verdict"], "unknown");
    let why = report["unknown"].as_str().expect("a reason");
    assert!(why.contains("`g`") && why.contains("external.c:3"), "{why}");

    let looping = dir.file(
        "loop.c",
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
         void *other(void *a) { x++; return a; }\nint main(void) {\n    pthread_t t;\n    \
         pthread_create(&t, 0, other, 0);\n    while (x < 20)\n        x++;\n    \
         pthread_join(t, 0);\n}\n",
    );
    let output = dir.run(&[&looping, "--unroll", "3", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    assert_eq!(report["verdict"], "bounded");
    assert_eq!(report["bounded_loops"][0]["line"], 8);
    assert_eq!(report["bounded_loops"][0]["bound"], 3);
    assert_eq!(dir.run(&[&looping, "--unroll-loop", "main=20"]).status.code(), Some(0));

    let race = dir.file("threads.c", RACE);
    assert_eq!(dir.run(&[&race, "--threads-max", "2"]).status.code(), Some(3));
    let output = dir.run(&[&race, "--time-limit", "0", "--format", "json", "-m", "sc"]);
    assert_eq!(json(&output)["verdict"], "unknown");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn leaks_are_an_option() {
    let dir = Dir::new("leak");
    let file = dir.file(
        "leak.c",
        "#include <stdlib.h>\nint main(void) {\n    int *p = malloc(4);\n    if (p) *p = 1;\n    return 0;\n}\n",
    );
    assert_eq!(dir.run(&[&file]).status.code(), Some(0));
    let report = json(&dir.run(&[&file, "--leaks", "--format", "json"]));
    assert_eq!(report["errors"][0]["kind"], "leak");
    assert_eq!(report["errors"][0]["line"], 3);
}

#[test]
fn a_drawing_of_the_execution() {
    let dir = Dir::new("dot");
    let file = dir.file("race.c", RACE);
    dir.run(&[&file, "--dot", "race.dot"]);
    let dot = std::fs::read_to_string(dir.0.join("race.dot")).expect("a drawing");
    assert!(dot.contains("W[na] data=42") && dot.contains("reader"), "{dot}");
}
