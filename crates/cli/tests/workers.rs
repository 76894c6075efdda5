//! Any number of workers comes to the same result; runs that are killed go on where they stood.

use crate::support;

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{directory, examples, selvedge, write};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Programs of `examples/c` that are explored in a moment.
fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| !text.contains("// unroll:")))
        .filter(|path| !path.ends_with("dekker.c"))
        .collect();
    files.sort();
    files
}

/// What must be the same in two reports.
fn essence(report: &Value) -> Value {
    let mut report = report.clone();
    let fields = report.as_object_mut().expect("an object");
    fields.retain(|name, _| name != "seconds" && name != "max_rss_kb");
    if fields["verdict"] == "violated" {
        // Where an error ends it, others are still on their way.
        fields.retain(|name, _| !["executions", "blocked", "events"].contains(&name.as_str()));
    }
    report
}

fn check(args: &[&str], jobs: &str) -> Value {
    let common = ["check", "--format", "json", "--deterministic", "--alone", "0", "-j", jobs];
    json(&selvedge(common.iter().chain(args)).out)
}

#[test]
fn examples_have_the_same_verdict_counts_and_errors_for_any_number_of_workers() {
    for file in programs() {
        let file = file.display().to_string();
        let one = essence(&check(&[&file], "1"));
        assert_eq!(one, essence(&check(&[&file], "3")), "{file}");
    }
}

/// More than a moment's work: three read-modify-writes in each of four threads, 369,600 executions.
const COUNTER: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
void *work(void *arg) {
    for (int i = 0; i < 3; i++) atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    assert(atomic_load(&x) == 3 * N - WRONG);
    return 0;
}
";

#[test]
fn larger_programs_have_the_same_counts_for_any_number_of_workers() {
    let dir = directory("workers-counts");
    let file = write(&dir, "counter.c", COUNTER);
    // 9! / 3!^3, and up to the names of the threads.
    for (disable, executions) in [("symmetry", 1680), ("", 280)] {
        for jobs in ["1", "2", "3", "4"] {
            let report = check(&[&file, "--disable", disable, "--", "-DN=3", "-DWRONG=0"], jobs);
            assert_eq!(
                (report["verdict"].as_str(), report["executions"].as_u64()),
                (Some("verified"), Some(executions))
            );
        }
    }
}

/// Locks are handed over in any order, and nobody is explored waiting, whoever explores.
#[test]
fn locks_have_the_same_counts_for_any_number_of_workers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/ttas.c").display().to_string();
    for jobs in ["1", "2", "4"] {
        for (disable, executions) in [("symmetry", 120), ("", 1)] {
            let report = check(&[&file, "--disable", disable, "--", "-DN=5"], jobs);
            let counts = (report["executions"].as_u64(), report["blocked"].as_u64());
            assert_eq!(counts, (Some(executions), Some(0)), "{jobs} workers");
        }
    }
}

/// Two children each make one, so who is thread 4 and who 5 depends on who comes first.
const NESTED: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y;
void *leaf(void *arg) { atomic_fetch_add_explicit(&y, (int)(long)arg, memory_order_relaxed); return 0; }
void *node(void *arg) {
    pthread_t t;
    if (atomic_fetch_add(&x, 1) < 3) { pthread_create(&t, 0, leaf, arg); pthread_join(t, 0); }
    return 0;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, node, (void *)(1 << i));
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    assert(atomic_load(&y) != 13);
    return 0;
}
";

#[test]
fn the_reported_error_is_the_same_where_threads_make_threads() {
    let dir = directory("workers-nested");
    let file = write(&dir, "nested.c", NESTED);
    let one = essence(&check(&[&file], "1"));
    assert_eq!(one["verdict"], "violated");
    for jobs in ["2", "3", "4"] {
        assert_eq!(one, essence(&check(&[&file], jobs)), "{jobs} workers");
    }
}

#[test]
fn all_errors_are_the_same_for_any_number_of_workers() {
    let dir = directory("workers-all-errors");
    let file = write(&dir, "counter.c", COUNTER);
    let args = [&file, "--all-errors", "--", "-DN=3", "-DWRONG=1"];
    let one = check(&args, "1");
    assert_eq!(one["verdict"], "violated");
    let many = check(&args, "4");
    assert_eq!((&one["errors"], &one["executions"]), (&many["errors"], &many["executions"]));
}

#[test]
fn litmus_tests_have_the_same_histograms_for_any_number_of_workers() {
    let dir = examples().display().to_string();
    let run = |jobs: &str| {
        let run = selvedge(["litmus", &dir, "--json", "--alone", "0", "-j", jobs, "-m", "rc11", "-m", "sc"]);
        let mut all = json(&run.out);
        for test in all.as_array_mut().expect("an array") {
            test.as_object_mut().expect("an object").remove("seconds");
        }
        (run.code, all)
    };
    let one = run("1");
    assert_eq!(one, run("2"));
    assert_eq!(one, run("4"));
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

/// Kills a run whenever it has written a few checkpoints, until one comes to its end. How far a run gets
/// before it is killed is up to the machine; one that ended before it was killed twice says nothing, and
/// there is another.
fn killed(name: &str, disable: &str, size: &str) -> Value {
    let dir = directory(name);
    let file = write(&dir, "counter.c", COUNTER);
    let checkpoint = dir.join("checkpoint").display().to_string();
    let mut kills = 0;
    loop {
        let every = ["--checkpoint", &checkpoint, "--checkpoint-every", "0.03", "--alone", "0"];
        let mut args = vec!["check", "--format", "json", "-j", ["1", "2", "3"][kills % 3], &file];
        args.extend(every);
        if Path::new(&checkpoint).exists() {
            args.extend(["--resume", &checkpoint]);
        }
        args.extend(["--disable", disable, "--", size, "-DWRONG=0"]);
        let mut child = start(&args);
        // Not before it got anywhere, and not always at the same moment.
        let mut checkpoints = 1 + kills % 4;
        let mut latest = std::fs::read(&checkpoint).unwrap_or_default();
        while checkpoints > 0 && child.try_wait().expect("a status").is_none() {
            std::thread::sleep(Duration::from_millis(2));
            let now = std::fs::read(&checkpoint).unwrap_or_default();
            checkpoints -= (now != latest) as usize;
            latest = now;
        }
        if kills < 12 && child.try_wait().expect("a status").is_none() {
            child.kill().expect("it is there");
            let _ = child.wait();
            kills += 1;
            continue;
        }
        let output = child.wait_with_output().expect("an output");
        let report = json(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(report["verdict"], "verified");
        assert!(!Path::new(&checkpoint).exists(), "what is finished needs no checkpoint");
        if kills >= 2 {
            return report;
        }
        kills = 0;
    }
}

#[test]
fn a_run_that_is_killed_goes_on_and_ends_with_the_same_counts() {
    let report = killed("workers-kill", "symmetry", "-DN=4");
    assert_eq!((&report["executions"], &report["symmetric_threads"]), (&369_600.into(), &Value::Null)); // 12! / 3!^4
    let report = killed("workers-kill-twins", "", "-DN=5");
    assert_eq!((&report["executions"], &report["symmetric_threads"]), (&1_401_400.into(), &5.into())); // 15! / 3!^5 / 5!
}

#[test]
fn what_is_interrupted_reports_what_it_has_and_can_go_on() {
    let dir = directory("workers-interrupt");
    let file = write(&dir, "counter.c", COUNTER);
    let checkpoint = dir.join("checkpoint").display().to_string();
    // 190,590,400 executions: nobody waits for the end.
    let size = ["--", "-DN=6", "-DWRONG=0"];
    let check = ["check", "--format", "json", "-j", "2", &file];
    let every = ["--checkpoint", &checkpoint, "--progress-every", "0.05"];
    let mut child = start(&[&check[..], &every, &size].concat());
    // It explores when it says so.
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.starts_with(|digit: char| ('1'..='9').contains(&digit)) {
        line.clear();
        assert!(err.read_line(&mut line).expect("a line") > 0, "it ended without a word");
    }
    assert!(line.contains("executions"), "{line}");
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    std::thread::spawn(move || std::io::copy(&mut err, &mut std::io::sink()));
    let output = child.wait_with_output().expect("an output");
    assert_eq!(output.status.code(), Some(3));
    let report = json(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(
        (report["verdict"].as_str(), report["unknown"].as_str()),
        (Some("unknown"), Some("interrupted"))
    );
    let so_far = report["executions"].as_u64().expect("a number");
    assert!(so_far > 0);
    let more = (so_far + 1000).to_string();
    let resume = ["--resume", &checkpoint, "--max-executions", &more];
    let again = selvedge([&check[..], &resume, &size].concat());
    let report = json(&again.out);
    assert_eq!((again.code, report["verdict"].as_str()), (3, Some("unknown")));
    assert_eq!(report["executions"].as_u64(), Some(so_far + 1000), "{report}");
}

/// Two threads count, and may each see what the other one writes later.
const BUFFERED: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, count;
void *first(void *arg) {
    int r = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    for (int i = 0; i < 4; i++) atomic_fetch_add(&count, r);
    return arg;
}
void *second(void *arg) {
    for (int i = 0; i < 4; i++) atomic_fetch_add(&count, 2);
    int r = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, r, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
}
";

/// Also under models that follow dependencies: in program order, and by revisits.
#[test]
fn what_follows_dependencies_can_go_on() {
    let dir = directory("workers-dependencies");
    let counter = write(&dir, "counter.c", COUNTER);
    let buffered = write(&dir, "buffered.c", BUFFERED);
    let checkpoint = dir.join("checkpoint").display().to_string();
    let clang = ["--", "-DN=2", "-DWRONG=0"];
    let programs = [("armv8", &counter), ("imm", &counter), ("power", &counter), ("armv8", &buffered)];
    for (model, file) in programs {
        let check = ["check", "--format", "json", "-m", model, file];
        let whole = json(&selvedge([&check[..], &clang].concat()).out);
        assert_eq!(whole["verdict"], "verified", "{whole}");
        let executions = whole["executions"].as_u64().expect("a number");
        let run = |limit: u64, resume: &[&str]| {
            let most = limit.to_string();
            let some = ["-j", "2", "--checkpoint", &checkpoint, "--max-executions", &most];
            selvedge([&check[..], &some, resume, &clang].concat())
        };
        assert_eq!(run(executions / 3, &[]).code, 3);
        let resume = ["--resume", &checkpoint];
        assert_eq!(run(executions / 2, &resume).code, 3);
        let report = json(&run(u64::MAX, &resume).out);
        assert_eq!(report["verdict"], "verified", "{report}");
        assert_eq!(report["executions"].as_u64(), Some(executions), "{model}");
    }
    // What was left in one way is not gone on with in the other.
    let most = ["--checkpoint", &checkpoint, "--max-executions", "2"];
    let check = ["check", &counter, "-m", "armv8"];
    assert_eq!(selvedge([&check[..], &most, &clang].concat()).code, 3);
    let other = ["--disable", "program-order", "--resume", &checkpoint];
    let refused = selvedge([&check[..], &other, &clang].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("other options"), "{}", refused.err);
    std::fs::remove_file(&checkpoint).expect("a checkpoint");
    let power = ["check", &buffered, "-m", "power", "--checkpoint", &checkpoint];
    let refused = selvedge([&power[..], &clang].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("reads have to be put off"), "{}", refused.err);
}

#[test]
fn checkpoints_of_something_else_are_refused() {
    let dir = directory("workers-refused");
    let file = write(&dir, "counter.c", COUNTER);
    let checkpoint = dir.join("checkpoint").display().to_string();
    let clang = ["--", "-DN=5", "-DWRONG=0"];
    let run = |args: &[&str], clang: &[&str]| selvedge(["check", &file].iter().chain(args).chain(clang));
    let first = run(&["--checkpoint", &checkpoint, "--max-executions", "1000"], &clang);
    assert_eq!(first.code, 3, "{}", first.err);
    let refused = |run: support::Run, why: &str| {
        assert_eq!(run.code, 2, "{} {}", run.out, run.err);
        assert!(run.err.contains(why), "{why}: {}", run.err);
        assert!(run.err.contains("checkpoint"), "{}", run.err);
    };
    let resume = ["--resume", &checkpoint, "--max-executions", "2000"];
    assert_eq!(run(&resume, &clang).code, 3);
    refused(run(&resume, &["--", "-DN=4", "-DWRONG=0"]), "another program");
    refused(run(&[&resume[..], &["-m", "sc"]].concat(), &clang), "another model");
    refused(run(&[&resume[..], &["--unroll", "5"]].concat(), &clang), "other options");
    let good = std::fs::read_to_string(&checkpoint).expect("a checkpoint");
    let with = |text: &str, why: &str| {
        let bad = write(&dir, "bad-checkpoint", text);
        refused(run(&["--resume", &bad], &clang), why);
    };
    with("", "not a checkpoint");
    with("int main;", "not a checkpoint");
    with(&good[..good.len() / 2], "damaged");
    with(&good.replace("\"complete\":", "\"complete\":1"), "damaged");
    let later = good.replacen("selvedge-checkpoint ", "selvedge-checkpoint 9", 1);
    assert_ne!(later, good);
    with(&later, "another version");
    let version = good.find("version=").expect("a version") + "version=".len();
    with(&format!("{}ffff{}", &good[..version], &good[version + 4..]), "another version");
    refused(run(&["--resume", &dir.join("no-checkpoint").display().to_string()], &clang), "No such file");
    let nowhere = dir.join("no/such/checkpoint").display().to_string();
    let run = run(&["--checkpoint", &nowhere, "--max-executions", "1000"], &clang);
    refused(run, "cannot write checkpoints");
}
