//! Between cargo and rustc: what cargo cannot be told to tell it.
//!
//! rustc says where the lives of variables begin and end only where it optimises, and then has passes of its
//! own that may drop accesses. The option that keeps these out is one for which it has to be told that this
//! is meant (`RUSTC_BOOTSTRAP`). Build scripts and what they try out must not see that: they would take the
//! compiler for another one, and use what it does not have. And no machine code is made of programs that
//! nobody runs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Set where cargo runs this program in place of rustc; what it would have run otherwise, if anything.
pub const INSTEAD_OF: &str = "CARGO_SELVEDGE_INSTEAD_OF";

/// See `FLAGS` of `crates/llvm/src/rust.rs`.
const NO_PASSES: [&str; 2] = ["-Zmir-opt-level=1", "-Zallow-features="];
const BOOTSTRAP: &str = "RUSTC_BOOTSTRAP";
/// The version of LLVM, whose passes have this name, is told by [`LLVM`].
const NO_MACHINE_CODE: [&str; 3] =
    ["-Cllvm-args=-stop-before=pre-isel-intrinsic-lowering", "-Clinker=true", "-Clinker-flavor=gcc"];
pub const LLVM: &str = "CARGO_SELVEDGE_LLVM";

/// Runs rustc, if cargo asks for that.
pub fn run() -> Option<ExitCode> {
    let outer = std::env::var_os(INSTEAD_OF)?;
    let mut words = std::env::args_os().skip(1);
    let rustc = words.next()?;
    let words: Vec<OsString> = words.collect();
    let mut command = if outer.is_empty() {
        Command::new(rustc)
    } else {
        let mut command = Command::new(outer);
        command.arg(rustc);
        command
    };
    command.args(&words);
    let asked = Asked::of(&words);
    if asked.by_cargo && !asked.for_itself {
        if std::env::var_os(BOOTSTRAP).is_none() {
            command.env(BOOTSTRAP, "1").args(NO_PASSES);
        } else {
            command.arg(NO_PASSES[0]);
        }
    }
    let bare = asked.program().filter(|_| std::env::var_os(LLVM).is_some_and(|llvm| llvm == "22"));
    if bare.is_some() {
        command.args(NO_MACHINE_CODE);
    }
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("error: rustc cannot be started: {error}");
            return Some(ExitCode::FAILURE);
        }
    };
    // cargo gives the file another name, and so must find one.
    if let Some(file) = bare.filter(|file| status.success() && !file.exists())
        && let Err(error) = std::fs::write(&file, "")
    {
        eprintln!("error: {}: {error}", file.display());
        return Some(ExitCode::FAILURE);
    }
    Some(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// What rustc is asked to do.
#[derive(Default)]
struct Asked {
    /// By cargo, and not by a build script that tries something out.
    by_cargo: bool,
    /// A build script, or a macro: what is run.
    for_itself: bool,
    makes_program: bool,
    name: String,
    suffix: String,
    directory: Option<PathBuf>,
}

impl Asked {
    fn of(words: &[OsString]) -> Asked {
        let mut asked = Asked::default();
        let texts: Vec<&str> = words.iter().map(|word| word.to_str().unwrap_or("")).collect();
        for (at, text) in texts.iter().enumerate() {
            let next = texts.get(at + 1).copied().unwrap_or("");
            match *text {
                "--crate-name" => asked.name = next.to_owned(),
                "--crate-type" if next == "proc-macro" => asked.for_itself = true,
                "--crate-type" if next == "bin" => asked.makes_program = true,
                "--test" => asked.makes_program = true,
                "--out-dir" => asked.directory = Some(PathBuf::from(next)),
                "-C" if next.starts_with("metadata=") => asked.by_cargo = true,
                "-C" => {
                    if let Some(suffix) = next.strip_prefix("extra-filename=") {
                        asked.suffix = suffix.to_owned();
                    }
                }
                _ => {}
            }
        }
        asked.for_itself |= asked.name.starts_with("build_script_");
        asked
    }

    /// The program that is made, if nobody runs it.
    fn program(&self) -> Option<PathBuf> {
        let directory = self.directory.as_ref()?;
        let ours = self.by_cargo && !self.for_itself && self.makes_program;
        ours.then(|| directory.join(format!("{}{}", self.name, self.suffix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Asked {
        Asked::of(&text.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn programs_are_told_from_what_is_run() {
        let cargo = "-C metadata=0 -C extra-filename=-0 --out-dir /d";
        let program = asked(&format!("--crate-name a --crate-type bin {cargo}")).program();
        assert_eq!(program, Some(PathBuf::from("/d/a-0")));
        assert!(asked(&format!("--crate-name a --test {cargo}")).program().is_some());
        assert!(asked(&format!("--crate-name a --crate-type lib {cargo}")).program().is_none());
        let script = asked(&format!("--crate-name build_script_build --crate-type bin {cargo}"));
        assert!(script.for_itself && script.program().is_none());
        assert!(asked(&format!("--crate-name m --crate-type proc-macro {cargo}")).for_itself);
        assert!(!asked("--crate-name probe --crate-type lib --out-dir /d").by_cargo);
    }
}
