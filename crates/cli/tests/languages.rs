//! The programs of `examples/rust` and `examples/cpp`, against what they say of themselves, as those of
//! `examples/c`:
//! `// expect: MODEL VERDICT [KIND] [line=N] [executions=N] [-DNAME=VALUE] [no-races]`, with `// args:` for
//! the compiler.

#[path = "languages/generated.rs"]
mod generated;
#[path = "languages/libcxx.rs"]
mod libcxx;
#[path = "languages/three.rs"]
mod three;
use crate::support;

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
    run_with(&[], file, text, expectation).map(|_| ())
}

/// The same with more flags for the compiler; how many executions there were.
fn run_with(flags: &[&str], file: &Path, text: &str, expectation: &str) -> Result<u64, String> {
    let mut words = expectation.split_whitespace();
    let (model, verdict) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let file = file.display().to_string();
    let mut args = vec!["check", &file, "-m", model, "--format", "json", "--disable", "symmetry"];
    if expectation.ends_with(" no-races") {
        args.push("--no-race-detection");
    }
    args.push("--");
    args.extend(text.lines().filter_map(|l| l.strip_prefix("// args: ")).flat_map(str::split_whitespace));
    args.extend(expectation.split_whitespace().filter(|word| word.starts_with("-D")));
    args.extend(flags);
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
        _ if word.starts_with("-D") => true,
        None => word == "no-races" || error["kind"] == word,
        Some(("line", n)) => error["line"].as_u64() == n.parse().ok(),
        Some(("executions", n)) => report["executions"].as_u64() == n.parse().ok(),
        Some(_) => false,
    };
    match report["verdict"] == verdict && words.all(wanted) {
        true => Ok(report["executions"].as_u64().unwrap_or(0)),
        false => fail(found),
    }
}

/// Whether all is to be checked, or what is enough to see that nothing is broken (`make test-languages`).
fn all() -> bool {
    std::env::var_os("SELVEDGE_LANGUAGES").is_some_and(|value| value == "all")
}

fn check_all(directory: &str, extension: &str, least: usize, every: usize) {
    let files = files(directory, extension);
    assert!(files.len() >= least);
    let mut failures = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a text");
        let expectations: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("// expect: ")).collect();
        assert!(!expectations.is_empty(), "{} expects nothing", file.display());
        let some = expectations.into_iter().step_by(if all() { 1 } else { every });
        failures.extend(some.filter_map(|e| run(file, &text, e.trim()).err()));
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// All of them are tests of one file, which rustc is run for once. `make test-languages` has each by itself.
#[test]
fn the_examples_in_rust_are_what_they_say() {
    if all() {
        return check_all("rust", "rs", 20, 1);
    }
    let (mut text, mut expected) = (String::new(), Vec::new());
    for file in files("rust", "rs") {
        let program = std::fs::read_to_string(&file).expect("a text");
        let name = file.file_stem().expect("a name").to_string_lossy().replace('-', "_");
        text += &format!("mod {name} {{ include!({file:?}); #[test] fn it() {{ main() }} }}\n");
        for line in program.lines().filter_map(|line| line.strip_prefix("// expect: ")) {
            match line.strip_prefix("rc11 ") {
                Some(wanted) => expected.push((format!("{name}::it"), wanted.to_owned())),
                None => run(&file, &program, line).expect("what it says"),
            }
        }
    }
    assert!(expected.len() >= 25, "{} examples", expected.len());
    let dir = Scratch::new("examples");
    check_tests(&support::write(&dir.0, "examples.rs", text), &expected);
}

#[test]
fn the_examples_in_cpp_are_what_they_say() {
    check_all("cpp", "cpp", 8, 1);
}

/// What the library of C++ has, each part by itself.
#[test]
fn the_library_of_cpp_is_what_it_says() {
    check_all("cpp/library", "cpp", 6, 12);
}

/// The tests of `examples/rust/structures`, which one run of rustc makes all of: each has its expectation
/// above it, under `rc11`. Of those of the standard library, some.
#[test]
fn the_structures_in_rust_are_what_they_say() {
    let mut expected = Vec::new();
    for (directory, prefix, every) in [("", "", 1), ("/library", "library::", 8)] {
        let mut here = Vec::new();
        for file in files(&format!("rust/structures/src{directory}"), "rs") {
            let text = std::fs::read_to_string(&file).expect("a text");
            let module = file.file_stem().expect("a name").display();
            for after in text.split("// expect: rc11 ").skip(1) {
                let wanted = after.lines().next().unwrap_or("").to_owned();
                let name = after.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
                let name = name.expect("a test").0;
                // Macros make tests of their own.
                if !name.contains('$') {
                    here.push((format!("{prefix}{module}::{name}"), wanted));
                }
            }
        }
        expected.extend(here.into_iter().step_by(if all() { 1 } else { every }));
    }
    let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rust/structures/src/lib.rs");
    assert!(expected.len() >= 30, "{} tests", expected.len());
    check_tests(&main.display().to_string(), &expected);
}

/// Checks tests of a file in Rust against what is expected of them, under `rc11`, with one run of rustc.
fn check_tests(file: &str, expected: &[(String, String)]) {
    let mut args = vec!["test", file, "-m", "rc11", "--disable", "symmetry", "--exact"];
    args.extend(expected.iter().flat_map(|(name, _)| ["--filter", name]));
    args.extend(["--", "--test"]);
    let run = selvedge(args);
    let mut failures = Vec::new();
    for (name, expected) in expected {
        let mut words = expected.split_whitespace();
        let verdict = if words.next() == Some("verified") { "ok" } else { "FAILED" };
        let line = run.out.lines().find_map(|line| {
            let rest = line.strip_prefix(&format!("test {name}"))?;
            rest.trim_start_matches(" - should panic").strip_prefix(" ... ")
        });
        let report = run.out.split_once(&format!("---- {name} ----\n")).map_or("", |(_, rest)| rest);
        let holds = |word: &str| match word.split_once('=') {
            Some(("executions", n)) => line.is_some_and(|line| line.contains(&format!("({n} execution"))),
            Some(("line", n)) => report.lines().take(4).any(|line| line.contains(&format!(".rs:{n}"))),
            _ => report.starts_with(&format!("{word}: ")),
        };
        if !line.is_some_and(|line| line.starts_with(verdict)) || !words.all(holds) {
            let found = report.lines().next().unwrap_or("");
            failures.push(format!("{name}: expected {expected}: {} {found}", line.unwrap_or("not there")));
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.join("\n"), run.err);
}

/// A file in a directory of its own, which is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("selvedge-languages-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it.
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What became of each test of a file, by what `selvedge test` prints of it; executions are left out.
fn verdicts(file: &str, disable: &str) -> Vec<(String, String)> {
    let run = selvedge(["test", file, "--disable", disable, "--max-executions", "3000", "--", "--test"]);
    let of = |line: &str| {
        let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
        let name = name.trim_end_matches(" - should panic");
        Some((name.to_owned(), rest.split(' ').next().unwrap_or(rest).to_owned()))
    };
    let found: Vec<_> = run.out.lines().filter_map(of).collect();
    assert!(!found.is_empty(), "{}{}", run.out, run.err);
    found
}

/// What a variable of the environment asks for.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What stands for functions of Rust's library, against the library as it is. `SELVEDGE_RUST_PROGRAMS` and
/// `SELVEDGE_RUST_SEED` ask for more programs, and others.
#[test]
fn what_stands_for_the_library_of_rust_finds_what_the_library_itself_does() {
    let (seed, count) = (number("SELVEDGE_RUST_SEED", 1), number("SELVEDGE_RUST_PROGRAMS", 6));
    let dir = Scratch::new("library");
    let (mut compared, mut wrong) = (0, Vec::new());
    for part in 0..count.div_ceil(30) {
        let mut dice = generated::Dice::new(seed.wrapping_mul(1000) + part);
        let text = generated::tests(&mut dice, usize::try_from(count - 30 * part).unwrap_or(30).min(30));
        let file = support::write(&dir.0, "generated.rs", &text);
        let (on, off) = (verdicts(&file, ""), verdicts(&file, "library,handles"));
        for ((name, on), (_, off)) in on.iter().zip(&off) {
            let undecided = [on, off].into_iter().any(|verdict| verdict == "undecided");
            compared += usize::from(!undecided);
            if !undecided && on != off {
                let from = text.find(&format!("fn {name}()")).unwrap_or(0);
                let body = text[from..].split("#[test]").next().unwrap_or("");
                wrong.push(format!("{name} of part {part} is {on}, and {off} with the library:\n{body}"));
            }
        }
    }
    eprintln!("{compared} of {count} programs compared");
    assert!(compared > 0 && wrong.is_empty(), "{compared} compared:\n{}", wrong.join("\n"));
}

/// The same program in C, C++ and Rust: the same verdict, and as many executions. `SELVEDGE_THREE_PROGRAMS`
/// and `SELVEDGE_RUST_SEED` ask for more programs, and others.
#[test]
fn a_program_is_the_same_in_three_languages() {
    let (seed, count) = (number("SELVEDGE_RUST_SEED", 1), number("SELVEDGE_THREE_PROGRAMS", 12));
    let dir = Scratch::new("three");
    let (mut wrong, mut verified) = (Vec::new(), 0);
    for part in 0..count.div_ceil(50) {
        let mut dice = generated::Dice::new(seed.wrapping_mul(7919).wrapping_add(part));
        let programs: Vec<_> =
            (0..50.min(count - 50 * part)).map(|_| three::Program::new(&mut dice)).collect();
        let tests = programs.iter().enumerate().map(|(n, program)| program.test(n));
        let text: String = std::iter::once(three::RUST_HEAD.to_owned()).chain(tests).collect();
        let file = support::write(&dir.0, "tests.rs", text);
        let flags = ["--disable", "symmetry", "--max-executions", "20000"];
        let run = selvedge(["test", &file].into_iter().chain(flags).chain(["--", "--test"]));
        let in_rust = |n: usize| {
            let line = run.out.lines().find_map(|line| line.strip_prefix(&format!("test t{n} ... ")));
            let line = line.unwrap_or_else(|| panic!("{}{}", run.out, run.err));
            let report = run.out.split_once(&format!("---- t{n} ----\n")).map_or("", |(_, rest)| rest);
            match line.split_once(" (") {
                Some(("ok", count)) => format!("verified, {}", count.split(' ').next().unwrap_or("")),
                Some(("FAILED", _)) => {
                    format!(
                        "violated, {}",
                        report.split(':').next().unwrap_or("").replace("panic", "assertion")
                    )
                }
                _ => String::from("undecided"),
            }
        };
        for (n, program) in programs.iter().enumerate() {
            let of = |language, name: &str| {
                let file = support::write(&dir.0, name, program.text(language));
                let run = selvedge(["check", &file, "--format", "json"].into_iter().chain(flags));
                let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
                match report["verdict"].as_str() {
                    Some("verified") => format!("verified, {}", report["executions"]),
                    Some("violated") => {
                        format!("violated, {}", report["errors"][0]["kind"].as_str().unwrap_or(""))
                    }
                    _ => String::from("undecided"),
                }
            };
            let found = [of(three::Language::C, "c.c"), of(three::Language::Cpp, "cpp.cpp"), in_rust(n)];
            verified += usize::from(found[0].starts_with("verified"));
            if found.iter().any(|one| *one != found[0]) {
                let [c, cpp, rust] = &found;
                let text = program.text(three::Language::C);
                wrong.push(format!("{n} of part {part}: C {c}; C++ {cpp}; Rust {rust}\n{text}"));
            }
        }
    }
    eprintln!("{count} programs in three languages, {verified} verified");
    assert!(verified > 0 && wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// A program in Rust and C is one program: what a thread in one does is seen in the other, or is a race.
#[test]
fn rust_and_c_are_one_program() {
    let dir = Scratch::new("ffi");
    let c = "static int stored;\nvoid put(int value) { stored = value; }\nint get(void) { return stored; }\n";
    let c = support::write(&dir.0, "store.c", c);
    let right = support::write(&dir.0, "right.rs", FOREIGN);
    let run = selvedge(["check", &right, &c]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let wrong = support::write(&dir.0, "wrong.rs", FOREIGN.replace("Acquire", "Relaxed"));
    let run = selvedge(["check", &wrong, &c]);
    assert!(run.code == 1 && run.out.contains("data-race: the read of stored at store.c:3"), "{}", run.out);
    // What nobody defines is named, with the line that calls it.
    let run = selvedge(["check", &right]);
    assert!(run.code == 3 && run.out.contains("put"), "{}{}", run.out, run.err);
}

const FOREIGN: &str = "
use std::sync::atomic::{AtomicBool, Ordering};
unsafe extern \"C\" {
    safe fn put(value: i32);
    safe fn get() -> i32;
}
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = std::thread::spawn(|| {
        put(7);
        READY.store(true, Ordering::Release);
    });
    if READY.load(Ordering::Acquire) {
        assert_eq!(get(), 7);
    }
    thread.join().unwrap();
}
";

/// A test that is to panic does so in every execution.
#[test]
fn a_test_that_should_panic_does_in_every_execution() {
    let dir = Scratch::new("should-panic");
    let file = support::write(&dir.0, "tests.rs", SHOULD_PANIC);
    let found = verdicts(&file, "");
    for (name, verdict) in &found {
        let wanted = if name.contains("right") { "ok" } else { "FAILED" };
        assert_eq!(verdict, wanted, "{name}");
    }
    assert_eq!(found.len(), 8);
}

const SHOULD_PANIC: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);

#[test]
#[should_panic]
fn right_always() {
    panic!("boom");
}

#[test]
#[should_panic(expected = "oo")]
fn right_text() {
    panic!("b{}m", "oo");
}

#[test]
#[should_panic]
fn right_by_a_thread() {
    thread::spawn(|| panic!("in the thread")).join().unwrap();
}

#[test]
#[should_panic(expected = "of the scope")]
fn right_in_a_scope() {
    thread::scope(|scope| {
        scope.spawn(|| ());
        panic!("of the scope");
    });
}

#[test]
#[should_panic]
fn wrong_sometimes() {
    let thread = thread::spawn(|| X.store(1, Relaxed));
    assert_eq!(X.load(Relaxed), 0);
    thread.join().unwrap();
}

#[test]
#[should_panic]
fn wrong_never() {}

#[test]
#[should_panic(expected = "other")]
fn wrong_text() {
    panic!("boom");
}

#[test]
#[should_panic]
fn wrong_thread() {
    _ = thread::spawn(|| panic!("only the thread")).join();
}
"#;

/// What the library does with its own memory is not told; the execution itself has it.
#[test]
fn long_executions_are_told_without_what_one_thread_does_alone() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rust/message-passing-bug.rs");
    let file = file.display().to_string();
    let run = selvedge(["check", &file]);
    assert!(run.out.contains("are left out"), "{}", run.out);
    assert!(run.out.contains("MESSAGE.ready"), "{}", run.out);
    assert!(run.out.lines().count() < 80, "{} lines", run.out.lines().count());
    assert!(run.out.contains("creates program::main::{closure#0}#1"), "{}", run.out);
    assert!(!run.out.contains("std::thread::"), "{}", run.out);
    let report: Value = serde_json::from_str(&selvedge(["check", &file, "--json"]).out).expect("a report");
    let events = report["errors"][0]["witness"]["events"].as_array().expect("an execution");
    assert!(events.len() > 150, "{}", events.len());
}

/// What cannot be compiled, or not be run, is said with what to do, and by the exit code.
#[test]
fn bad_programs_in_rust_are_refused() {
    let dir = Scratch::new("bad");
    let file = |name: &str, text: &str| support::write(&dir.0, name, text);
    let refused = |file: &str, code: i32, needles: &[&str]| {
        let run = selvedge(["check", file]);
        assert_eq!(run.code, code, "{file}: {}{}", run.out, run.err);
        let said = format!("{}{}", run.out, run.err);
        needles.iter().for_each(|needle| assert!(said.contains(needle), "{file}: {needle}: {said}"));
    };
    let broken = file("broken.rs", "fn main() { let x: u32 = \"text\"; }\n");
    refused(&broken, 2, &["mismatched types", "broken.rs:1:26"]);
    let bare =
        "#![no_std]\n#![no_main]\n#[panic_handler]\nfn f(_: &core::panic::PanicInfo) -> ! { loop {} }\n";
    refused(&file("bare.rs", bare), 2, &["not supported without std"]);
    let call = "unsafe extern \"C\" { fn syscall(n: i64, ...) -> i64; }\nfn main() {\n    \
                assert_ne!(unsafe { syscall(165, 0) }, 1);\n}\n";
    refused(&file("call.rs", call), 3, &["call.rs:3: not supported: a system call"]);
    // No tests, and no compiler.
    let run = selvedge(["test", &broken.replace("broken", "call")]);
    assert!(run.code == 2 && run.err.contains("no tests"), "{}{}", run.out, run.err);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let missing = command.args(["check", &broken]).env("SELVEDGE_RUSTC", "/nowhere/rustc").output();
    let missing = missing.expect("the command");
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(missing.status.code() == Some(2) && said.contains("rustc was not found"), "{said}");
}
