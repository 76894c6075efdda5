//! Runs the built command.
#![allow(dead_code)]

pub mod twins;

use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs `selvedge` and insists that it ends by itself.
pub fn selvedge<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    // Nothing that is looked for is to be in two lines.
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge")).args(args).env("COLUMNS", "1000").output();
    let output = output.unwrap_or_else(|e| panic!("cannot run selvedge: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let run = Run {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    };
    assert!(!run.err.contains("panicked"), "{}", run.err);
    run
}

/// An empty directory of its own for a test.
pub fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    dir
}

pub fn write(dir: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    path.display().to_string()
}

/// The examples that come with the project.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/litmus")
}

pub fn example(name: &str) -> String {
    examples().join(name).display().to_string()
}

/// `Time` lines and columns vary: keeps what does not.
pub fn without_times(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Time ")).map(|line| format!("{line}\n")).collect()
}
