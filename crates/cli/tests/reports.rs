//! Reports as people see them: what they say of programs, in terminals of several widths.
//!
//! The texts in `tests/reports` are what is expected, `NAME.WIDTH.txt`; times and sizes are left out of them.
//! `SELVEDGE_BLESS=1` writes them anew, to be looked at before they are committed.

use crate::support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{directory, write};

/// What `selvedge check` prints, in a terminal of a width.
fn check<S: AsRef<std::ffi::OsStr>>(dir: &Path, columns: usize, args: impl IntoIterator<Item = S>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").args(args).current_dir(dir).env("COLUMNS", columns.to_string());
    let output = command.output().expect("the command runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && !err.contains("panicked"), "{:?} {err}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports")
}

/// Without the line that has the time and the memory, which may take several.
fn steady(text: &str) -> String {
    let end = text.lines().take_while(|line| !line.contains(" complete execution"));
    end.map(|line| format!("{line}\n")).collect()
}

fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn is_shown(name: &str, files: &[&str]) {
    for columns in [80, 160] {
        let found = steady(&check(&here(), columns, files));
        assert!(width(&found) <= columns, "{found}");
        let path = here().join(format!("{name}.{columns}.txt"));
        if std::env::var_os("SELVEDGE_BLESS").is_some() {
            std::fs::write(&path, &found).expect("written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, expected, "{}", path.display());
    }
}

#[test]
fn steps_in_several_files_have_the_names_of_their_files() {
    is_shown("two-files", &["two-files/main.c", "two-files/queue.c"]);
}

#[test]
fn what_is_on_the_heap_has_names_by_type_and_field() {
    is_shown("heap-list", &["heap-list.c"]);
}

#[test]
fn members_of_unions_have_names_by_the_access() {
    is_shown("union", &["union.c"]);
}

#[test]
fn calls_that_led_to_a_step_are_shown_inlined_ones_as_well() {
    is_shown("deep", &["deep.c"]);
}

#[test]
fn calls_of_the_library_are_told_as_what_they_do() {
    is_shown("calls", &["calls.c"]);
}

#[test]
fn calls_about_futexes_are_told_as_what_they_do() {
    is_shown("futex", &["../c/futex-requeue-lost.c"]);
}

/// All reports of the examples, in wide and narrow terminals.
#[test]
fn nothing_is_wider_than_the_terminal() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let files = std::fs::read_dir(&examples).expect("examples").map(|file| file.expect("a file").file_name());
    let files: Vec<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
    let is_wrong =
        |name: &&String| name.ends_with("-bug.c") || (name.starts_with("err-") && name.ends_with(".c"));
    let files: Vec<&String> = files.iter().filter(is_wrong).collect();
    assert!(files.len() > 60);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let text = std::fs::read_to_string(examples.join(file)).expect("a file");
            let lines = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("").trim();
            let wrong = text.lines().filter_map(|line| line.strip_prefix("// expect: "));
            let wrong = wrong.map(|line| line.split_whitespace().collect::<Vec<_>>());
            let Some(wrong) = wrong.into_iter().find(|words| words.get(1) == Some(&"violated")) else {
                panic!("{file} is never wrong")
            };
            let mut args = vec![file.as_str(), "-m", wrong[0]];
            if wrong.last() == Some(&"no-races") {
                args.push("--no-race-detection");
            }
            if !lines("// unroll: ").is_empty() {
                args.extend(["--unroll", lines("// unroll: ")]);
            }
            args.push("--");
            args.extend(lines("// args: ").split_whitespace());
            for columns in [20, 60, 80, 120, 160] {
                let found = check(&examples, columns, &args);
                assert!(width(&found) <= columns, "{file} at {columns}: {found}");
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| worker.join().expect("no program fails"));
    });
}

fn report(dir: &Path, args: &[&str]) -> Value {
    let mut args = args.to_vec();
    args.insert(args.iter().position(|arg| *arg == "--").unwrap_or(args.len()), "--json");
    serde_json::from_str(&check(dir, 80, args)).expect("JSON")
}

/// A header in another directory, found by `-I`, and a file that uses it.
fn program(name: &str) -> PathBuf {
    let dir = directory(name);
    std::fs::create_dir_all(dir.join("include/lib")).expect("a directory");
    std::fs::create_dir_all(dir.join("src")).expect("a directory");
    write(
        &dir,
        "include/lib/fail.h",
        "#include <assert.h>\nstatic inline void fail(int x)\n{\n    assert(x);\n}\n",
    );
    write(&dir, "src/main.c", "#include <lib/fail.h>\n\nint main(void)\n{\n    fail(0);\n    return 0;\n}\n");
    dir
}

#[test]
fn paths_are_as_they_were_given() {
    let dir = program("reports-paths");
    let file = |report: &Value| report["errors"][0]["file"].as_str().unwrap_or_default().to_string();
    assert_eq!(file(&report(&dir, &["src/main.c", "--", "-Iinclude"])), "include/lib/fail.h");
    assert_eq!(file(&report(&dir.join("src"), &["main.c", "--", "-I../include"])), "../include/lib/fail.h");
    let whole = format!("-I{}", dir.join("include").display());
    let absolute = dir.join("src/main.c").display().to_string();
    let found = report(&dir.join("src"), &[&absolute, "--", &whole]);
    assert_eq!(file(&found), dir.join("include/lib/fail.h").display().to_string());
    let caller = &found["errors"][0]["points"][0]["stack"][1]["place"];
    assert_eq!(caller["file"], absolute);
    let relative = report(&dir.join("include"), &["../src/main.c", "--", "-I."]);
    assert_eq!(relative["errors"][0]["points"][0]["stack"][1]["place"]["file"], "../src/main.c");
}

/// The compiler ran somewhere else; debug information says where.
#[test]
fn sources_of_bitcode_are_found_where_it_was_compiled() {
    let dir = program("reports-bitcode");
    for (output, kind) in [("main.bc", "-c"), ("main.ll", "-S")] {
        let args = ["-emit-llvm", "-g", "-I../include", kind, "main.c", "-o", output];
        let done = Command::new("clang-22").args(args).current_dir(dir.join("src")).status();
        assert!(done.expect("clang runs").success());
        let elsewhere = dir.join("include");
        let text = check(&elsewhere, 80, [format!("../src/{output}")]);
        assert!(text.contains("--> lib/fail.h:4: in main#0"), "{text}");
        assert!(text.contains("4 |     assert(x);"), "{text}");
        assert!(text.contains("called by main at main.c:5"), "{text}");
    }
    // It went somewhere else, with its sources beside it.
    let moved = directory("reports-bitcode-moved");
    std::fs::remove_dir(&moved).expect("removed");
    std::fs::rename(&dir, &moved).expect("moved");
    let text = check(&moved, 80, ["src/main.bc"]);
    assert!(text.contains("4 |     assert(x);"), "{text}");
    assert!(text.contains("called by main at main.c:5"), "{text}");
}

#[test]
fn files_of_the_same_name_are_told_apart() {
    let dir = directory("reports-same");
    for part in ["a", "b"] {
        std::fs::create_dir_all(dir.join(part)).expect("a directory");
    }
    write(
        &dir,
        "a/f.c",
        "#include <pthread.h>\nint x;\nvoid *set(void *);\nint main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, set, 0);\n    x = 1;\n    return 0;\n}\n",
    );
    write(&dir, "b/f.c", "extern int x;\nvoid *set(void *a)\n{\n    x = 2;\n    return a;\n}\n");
    let text = check(&dir, 160, ["a/f.c", "b/f.c"]);
    assert!(
        text.contains("the write to x at b/f.c:4") && text.contains("the write to x at a/f.c:8"),
        "{text}"
    );
    assert!(text.contains(" a/f.c:8: writes x = 1"), "{text}");
}

#[test]
fn json_has_the_steps_that_matter_and_what_is_missing() {
    let report = report(&here(), &["two-files/main.c", "two-files/queue.c"]);
    let error = &report["errors"][0];
    let functions = |point: &Value| -> Vec<String> {
        let stack = point["stack"].as_array().expect("a stack").iter();
        stack.map(|call| call["function"].as_str().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(functions(&error["points"][0]), ["front", "main"]);
    assert_eq!(functions(&error["points"][1]), ["make", "push", "producer"]);
    let missing = &error["missing"];
    assert!(missing["message"].as_str().is_some_and(|text| text.starts_with("No release between")));
    let passage = &missing["through"][0];
    assert_eq!((&passage["no_release"], &passage["no_acquire"]), (&Value::Bool(true), &Value::Bool(false)));
    let event = |number: &Value| &error["witness"]["events"][number.as_u64().expect("a number") as usize - 1];
    assert_eq!(event(&passage["write"])["location"], "queue#1->head");
    assert_eq!(event(&passage["write"])["order"], "relaxed");
    assert_eq!(event(&passage["read"])["order"], "acquire");
    assert_eq!(event(&missing["before"])["name"], "node#1");
}

/// What is missing, for every way of passing a message that lacks something; and nothing is where it does
/// not.
#[test]
fn the_order_that_is_missing_is_the_one_that_is_named() {
    let dir = directory("reports-missing");
    let program = |write: &str, read: &str, before: &str, after: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\nint data; atomic_int flag;\n\
             void *writer(void *a)\n{{\n    data = 1;\n    {before}\n    atomic_store_explicit(&flag, 1, {write});\n    return a;\n}}\n\
             int main(void)\n{{\n    pthread_t t;\n    pthread_create(&t, 0, writer, 0);\n    int result = 0;\n    \
             if (atomic_load_explicit(&flag, {read})) {{\n        {after}\n        result = data == 0;\n    }}\n    \
             pthread_join(t, 0);\n    return result;\n}}\n"
        )
    };
    let fence = |order: &str| format!("atomic_thread_fence(memory_order_{order});");
    let (relaxed, acquire, release) =
        ("memory_order_relaxed", "memory_order_acquire", "memory_order_release");
    for (write_order, read_order, before, after, expected) in [
        (relaxed, acquire, "", String::new(), "No release between"),
        (release, relaxed, "", String::new(), "No acquire between"),
        (relaxed, relaxed, "", String::new(), "No release and no acquire between"),
        (relaxed, relaxed, "", fence("acquire"), "No release between"),
        (relaxed, relaxed, &fence("release"), String::new(), "No acquire between"),
        (release, relaxed, "", fence("release"), "No acquire between"),
    ] {
        let file = write(&dir, "mp.c", program(write_order, read_order, before, &after));
        let found = report(&dir, &[&file]);
        let message = found["errors"][0]["missing"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(expected), "{write_order} {read_order} {before} {after}: {message}");
    }
}

/// A read-modify-write of a third thread passes on what was released.
#[test]
fn what_others_pass_on_is_not_missing() {
    let dir = directory("reports-sequence");
    let file = write(
        &dir,
        "sequence.c",
        "#include <pthread.h>\n#include <stdatomic.h>\nint data; atomic_int flag;\n\
         void *writer(void *a)\n{\n    data = 1;\n    atomic_store_explicit(&flag, 1, memory_order_release);\n    return a;\n}\n\
         void *middle(void *a)\n{\n    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);\n    return a;\n}\n\
         int main(void)\n{\n    pthread_t t, u;\n    pthread_create(&t, 0, writer, 0);\n    pthread_create(&u, 0, middle, 0);\n    \
         int result = 0;\n    if (atomic_load_explicit(&flag, memory_order_relaxed) == 2)\n        result = data == 0;\n    \
         pthread_join(t, 0);\n    pthread_join(u, 0);\n    return result;\n}\n",
    );
    let found = report(&dir, &[&file]);
    let missing = &found["errors"][0]["missing"];
    let message = missing["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("No acquire between"), "{message}");
    assert_eq!(missing["through"].as_array().map(Vec::len), Some(1));
}

/// What a program says is broken into lines as well, and none of them looks like a verdict.
#[test]
fn no_line_that_is_broken_looks_like_a_verdict() {
    let dir = directory("reports-hostile");
    let text = "#include <selvedge.h>\n#line 3 \"\\033[2J verified under rc11 \\n x.c\"\n\
        int main(void) { selvedge_error(\"verified under rc11 verified under rc11 \\033[2J\\n  verified under rc11\"); }\n";
    write(&dir, "verified.c", text);
    for columns in 20..80 {
        let text = check(&dir, columns, ["verified.c"]);
        let is_active = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(is_active) && width(&text) <= columns, "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("verified")), "{text}");
    }
}
