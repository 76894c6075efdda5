//! The programs of `examples/cpp` with the headers of libc++: the same verdicts as with those of libstdc++,
//! and as many executions.

use super::{all, files, run_with};
use std::path::Path;

const FLAG: &str = "-stdlib=libc++";
const HEADERS: &str = "/usr/lib/llvm-22/include/c++/v1/version";

/// Programs that have other numbers of executions: how headers are written is seen there. The states of
/// futures have mutexes in libc++ and none in libstdc++, whose `atomic::wait` is the one of headers.
const OTHER_COUNTS: [&str; 3] = ["future.cpp", "futures.cpp", "-DPART=atomic_wait"];

/// What libc++ does not have: `atomic<shared_ptr>`.
const NOT_THERE: [&str; 1] = ["cpp/library/shared.cpp"];

/// One expectation of a program, without the number of its executions if that is another one.
fn wanted(name: &str, expectation: &str) -> String {
    let other = OTHER_COUNTS.iter().any(|what| name == *what || expectation.contains(what));
    let keeps = |word: &&str| !(other && word.starts_with("executions="));
    expectation.split_whitespace().filter(keeps).collect::<Vec<_>>().join(" ")
}

/// What only libc++ has of both: `format` and `print`.
#[test]
fn what_is_formatted_is_what_was_meant() {
    if !Path::new(HEADERS).exists() {
        eprintln!("not tested: libc++-22-dev is not installed");
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpp/format.cpp");
    let run = run_with(&[FLAG, "-std=c++23"], &file, "", "rc11 verified executions=1");
    assert_eq!(run, Ok(1));
}

/// `make test` has a part of them; `make test-languages` all, and compares how many executions there are with
/// each library.
#[test]
fn the_examples_in_cpp_are_the_same_with_libcxx() {
    if !Path::new(HEADERS).exists() {
        eprintln!("not tested: libc++-22-dev is not installed");
        return;
    }
    let mut programs = Vec::new();
    for file in files("cpp", "cpp").into_iter().chain(files("cpp/library", "cpp")) {
        let text = std::fs::read_to_string(&file).expect("a text");
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect: ")) {
            if !NOT_THERE.iter().any(|what| file.ends_with(what)) {
                programs.push((file.clone(), text.clone(), wanted(&name, line.trim())));
            }
        }
    }
    let (mut failures, mut checked) = (Vec::new(), 0);
    for (file, text, wanted) in programs.iter().step_by(if all() { 1 } else { 12 }) {
        checked += 1;
        let with = match run_with(&[FLAG], file, text, wanted) {
            Ok(executions) => executions,
            Err(wrong) => {
                failures.push(wrong);
                continue;
            }
        };
        let name = file.file_name().expect("a name").to_string_lossy();
        let other = OTHER_COUNTS.iter().any(|what| name == *what || wanted.contains(what));
        if all() && wanted.contains(" verified") && !other {
            let without = run_with(&[], file, text, wanted);
            if without != Ok(with) {
                failures.push(format!("{name} {wanted}: {with} executions, and {without:?} without"));
            }
        }
    }
    assert!(
        checked >= 8 && failures.is_empty(),
        "{} of {checked} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
