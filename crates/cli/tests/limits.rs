//! Limits and signals hold in every phase, and no process is left behind.

use crate::support;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{directory, selvedge, write};

const SHORT: &str = "int main(void) { return 0; }\n";

fn unknown(args: &[&str], why: &str) {
    for format in ["text", "json"] {
        let run = selvedge(["check", "--format", format].iter().chain(args));
        assert_eq!(run.code, 3, "{} {}", run.out, run.err);
        assert!(run.out.contains("unknown") && run.out.contains(why), "{why}: {}", run.out);
    }
}

#[test]
fn limits_hold_before_anything_is_explored() {
    let dir = directory("limits-early");
    let file = write(&dir, "v.c", SHORT);
    unknown(&[&file, "--time-limit", "0"], "the time limit of 0 s is reached while compiling the model");
    unknown(&[&file, "--mem-limit", "1"], "the memory limit of 1 MB is reached while compiling the model");
    // The compiler's memory counts.
    unknown(
        &[&file, "--mem-limit", "20"],
        "the memory limit of 20 MB is reached while compiling the program",
    );
    for wrong in ["-1", "nan", "soon"] {
        assert_eq!(selvedge(["check", &file, "--time-limit", wrong]).code, 2);
    }
    assert_eq!(
        selvedge(["check", &file, "--time-limit", "1e300", "--mem-limit", "18446744073709551615"]).code,
        0
    );
}

#[test]
fn what_is_too_large_is_no_crash() {
    let dir = directory("limits-large");
    let file = write(&dir, "global.c", "char big[1L << 40]; int main(void) { return big[5]; }\n");
    unknown(&[&file], "there is no memory for the global `big`");
    let array = "[100000000 x i32]";
    let text = format!(
        "@g = global {array} zeroinitializer\ndefine i32 @main() {{\n  %v = load {array}, ptr @g\n  \
         store {array} %v, ptr @g\n  ret i32 0\n}}\n"
    );
    unknown(&[&write(&dir, "value.ll", text)], "a value of 100000000 parts in `main`");
    let file =
        write(&dir, "local.c", "int main(void) { char p[1L << 36]; p[1L << 35] = 0; return p[1L << 35]; }\n");
    unknown(&[&file], "an object of 68719476736 bytes");
    // The small twin.
    let file = write(&dir, "small.c", "char big[1 << 20]; int main(void) { return big[5]; }\n");
    assert_eq!(selvedge(["check", &file, "--mem-limit", "2000"]).code, 0);
}

/// A compiler that says who it is, and who runs it, and does not end by itself.
fn endless(dir: &Path) -> (String, String) {
    let ids = dir.join("ids").display().to_string();
    let script = write(
        dir,
        "clang",
        format!("#!/bin/sh\necho $$ $PPID > {ids}.new\nmv {ids}.new {ids}\nexec sleep 600\n"),
    );
    assert!(Command::new("chmod").args(["+x", &script]).status().expect("chmod").success());
    (script, ids)
}

fn start(script: &str, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(args).env("SELVEDGE_CLANG", script);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("selvedge starts")
}

/// The compiler and whoever runs it, once they run.
fn wait_for(ids: &str) -> Vec<u32> {
    loop {
        if let Ok(text) = std::fs::read_to_string(ids) {
            return text.split_whitespace().map(|id| id.parse().expect("a number")).collect();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Ended, whether or not somebody has noticed.
fn is_gone(id: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{id}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')),
        Err(_) => true,
    }
}

fn all_end(ids: &[u32]) {
    let begin = Instant::now();
    while !ids.iter().all(|id| is_gone(*id)) {
        // Generous: what is not fixed by now lives for ten minutes.
        if begin.elapsed() > Duration::from_secs(60) {
            ids.iter().for_each(|id| drop(Command::new("kill").args(["-KILL", &id.to_string()]).status()));
            panic!("a child outlives its parent");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: Child, signal: &str) -> Output {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
    child.wait_with_output().expect("an output")
}

#[test]
fn signals_end_the_compilation_and_all_that_it_runs() {
    let dir = directory("limits-signals");
    let file = write(&dir, "v.c", SHORT);
    let (script, ids) = endless(&dir);
    for (name, code) in [("-TERM", Some(3)), ("-INT", Some(3)), ("-KILL", None)] {
        let _ = std::fs::remove_file(&ids);
        let child = start(&script, &["check", &file]);
        let running = wait_for(&ids);
        let output = signal(child, name);
        assert_eq!(output.status.code(), code, "{name}");
        if code.is_some() {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.contains("interrupted while compiling the program"), "{text}");
        }
        all_end(&running);
    }
    let _ = std::fs::remove_file(&ids);
    let child = start(&script, &["estimate", &file]);
    let running = wait_for(&ids);
    assert_eq!(signal(child, "-TERM").status.code(), Some(3));
    all_end(&running);
}

#[test]
fn the_time_limit_ends_the_compilation_and_all_that_it_runs() {
    let dir = directory("limits-time");
    let file = write(&dir, "v.c", SHORT);
    let (script, ids) = endless(&dir);
    let output =
        start(&script, &["check", &file, "--time-limit", "2"]).wait_with_output().expect("an output");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("the time limit of 2 s is reached while compiling"), "{text}");
    // On a machine that is very busy it may not have come to that.
    if Path::new(&ids).exists() {
        all_end(&wait_for(&ids));
    }
}

#[test]
fn a_model_that_is_refused_does_not_wait_for_the_compiler() {
    let dir = directory("limits-model");
    let file = write(&dir, "v.c", SHORT);
    let (script, _) = endless(&dir);
    let model = write(&dir, "m.kat", "export acyclic po\n");
    let output = start(&script, &["check", &file, "-m", &model]).wait_with_output().expect("an output");
    assert_eq!(output.status.code(), Some(2));
}
