//! `--checkpoint FILE`: nothing is lost, neither what was explored nor what was in the file.

use crate::support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{directory, selvedge, write};

/// Hours of work.
const LONG: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *work(void *arg) {
    for (int i = 0; i < 4; i++) x += i;
    return arg;
}
int main(void) {
    pthread_t t[8];
    for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, work, &t[i]);
    for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
}
";
const SHORT: &str = "int main(void) { return 0; }\n";

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("selvedge starts")
}

/// Waits until a checkpoint has more than its first line.
fn wait_for(checkpoint: &str) {
    while !std::fs::read_to_string(checkpoint).is_ok_and(|text| text.contains("\n{")) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: Child) -> std::process::Output {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    child.wait_with_output().expect("an output")
}

/// Leaves a checkpoint of the long program.
fn interrupted(file: &str, checkpoint: &str) {
    let child = start(&[file, "--checkpoint", checkpoint, "--checkpoint-every", "0.01", "-j", "2"]);
    wait_for(checkpoint);
    assert_eq!(interrupt(child).status.code(), Some(3));
}

fn refused(args: &[&str], why: &str) {
    let run = selvedge(["check"].iter().chain(args));
    assert_eq!(run.code, 2, "{} {}", run.out, run.err);
    assert!(run.err.contains(why), "{why}: {}", run.err);
    assert_eq!(run.out, "");
}

#[test]
fn files_that_are_no_checkpoints_are_left_alone() {
    let dir = directory("checkpoint-others");
    let file = write(&dir, "v.c", SHORT);
    for contents in ["precious", "", "selvedge-checkpoint", "selvedge-checkpoint 3 version=0\n{}\n"] {
        let notes = write(&dir, "notes.txt", contents);
        refused(&[&file, "--checkpoint", &notes], "cannot write checkpoints to");
        assert_eq!(std::fs::read_to_string(&notes).expect("the notes"), contents);
    }
    refused(&[&file, "--checkpoint", &file], "it is not a checkpoint");
    assert_eq!(std::fs::read_to_string(&file).expect("the program"), SHORT);
    refused(&[&file, "--checkpoint", &dir.display().to_string()], "not a regular file");
    refused(&[&file, "--checkpoint", "/dev/null"], "not a regular file");
    assert!(Path::new("/dev/null").exists());
    let pipe = dir.join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    refused(&[&file, "--checkpoint", &pipe], "not a regular file");
    refused(&[&file, "--resume", &pipe], "not a regular file");
    refused(&[&file, "--resume", "/dev/zero"], "not a regular file");
    std::os::unix::fs::symlink("/dev/null", dir.join("link")).expect("a link");
    refused(&[&file, "--checkpoint", &dir.join("link").display().to_string()], "not a regular file");
    std::os::unix::fs::symlink("nowhere", dir.join("dangling")).expect("a link");
    refused(&[&file, "--checkpoint", &dir.join("dangling").display().to_string()], "No such file");
    refused(&[&file, "--checkpoint", &dir.join("no/such").display().to_string()], "No such file");
}

#[test]
fn a_verdict_leaves_nothing_behind() {
    let dir = directory("checkpoint-verdict");
    let file = write(&dir, "v.c", SHORT);
    let checkpoint = dir.join("checkpoint").display().to_string();
    for _ in 0..2 {
        assert_eq!(selvedge(["check", &file, "--checkpoint", &checkpoint]).code, 0);
        let left: Vec<_> = std::fs::read_dir(&dir).expect("a directory").collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn what_another_run_left_is_not_lost() {
    let dir = directory("checkpoint-left");
    let file = write(&dir, "long.c", LONG);
    let checkpoint = dir.join("checkpoint").display().to_string();
    interrupted(&file, &checkpoint);
    let before = std::fs::read(&checkpoint).expect("a checkpoint");
    refused(&[&file, "--checkpoint", &checkpoint], "--resume");
    let other = write(&dir, "other.c", SHORT);
    refused(&[&other, "--checkpoint", &checkpoint], "another program");
    refused(&[&file, "--checkpoint", &checkpoint, "-m", "sc"], "another model");
    refused(&[&file, "--checkpoint", &checkpoint, "--unroll", "9"], "other options");
    assert_eq!(std::fs::read(&checkpoint).expect("a checkpoint"), before);
    // Going on from it is what it is for.
    goes_on(&file, &checkpoint);
}

/// Whether a run goes on from a checkpoint, and writes others.
fn goes_on(file: &str, checkpoint: &str) {
    let before = std::fs::read(checkpoint).expect("a checkpoint");
    let child =
        start(&[file, "--checkpoint", checkpoint, "--resume", checkpoint, "--checkpoint-every", "0.01"]);
    while std::fs::read(checkpoint).expect("a checkpoint") == before {
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = interrupt(child);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn two_runs_do_not_share_a_file() {
    let dir = directory("checkpoint-two");
    let file = write(&dir, "long.c", LONG);
    let checkpoint = dir.join("checkpoint").display().to_string();
    let first = start(&[&file, "--checkpoint", &checkpoint, "--checkpoint-every", "0.01"]);
    wait_for(&checkpoint);
    refused(&[&file, "--checkpoint", &checkpoint], "another run writes its checkpoints there");
    refused(&[&file, "--checkpoint", &checkpoint, "--resume", &checkpoint], "another run");
    let mut first = first;
    // The lock ends with the process.
    first.kill().expect("killed");
    first.wait().expect("ended");
    goes_on(&file, &checkpoint);
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_a_warning() {
    let dir = directory("checkpoint-gone");
    let file = write(&dir, "long.c", LONG);
    std::fs::create_dir(dir.join("there")).expect("a directory");
    let checkpoint = dir.join("there/checkpoint").display().to_string();
    let mut child =
        start(&[&file, "--checkpoint", &checkpoint, "--checkpoint-every", "0.01", "--format", "json"]);
    wait_for(&checkpoint);
    std::fs::remove_dir_all(dir.join("there"))
        .or_else(|_| std::fs::remove_dir_all(dir.join("there")))
        .expect("gone");
    // The warning comes, and the run goes on: it can be interrupted.
    let mut err = child.stderr.take().expect("a pipe");
    let mut text = Vec::new();
    while !text.contains(&b'\n') {
        let mut byte = [0];
        assert_eq!(std::io::Read::read(&mut err, &mut byte).expect("a message"), 1);
        text.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.contains("warning: cannot write the checkpoint"), "{text}");
    let output = interrupt(child);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("interrupted"));
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut err, &mut rest).expect("messages");
    assert!(!rest.contains("warning"), "it is said once: {rest}");
}
