//! What `cargo selvedge` says of crates and compilers that it cannot use, and what it returns.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const CARGO_SELVEDGE: &str = env!("CARGO_BIN_EXE_cargo-selvedge");

/// A directory of its own, which is removed in the end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("cargo-selvedge-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Directory(path)
    }

    /// A crate with these files.
    fn with(files: &[(&str, &str)]) -> Directory {
        let made = Directory::new();
        made.write(
            "Cargo.toml",
            "[package]\nname = \"it\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n",
        );
        files.iter().for_each(|(name, text)| made.write(name, text));
        made
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    /// A program that says this, whatever it is asked.
    fn program(&self, name: &str, says: &str) -> PathBuf {
        let path = self.0.join("bin").join(name);
        self.write(&format!("bin/{name}"), &format!("#!/bin/sh\ncat <<'END'\n{says}\nEND\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Nothing depends on it.
        _ = fs::remove_dir_all(&self.0);
    }
}

/// What came of a command: its exit code, and all that it printed.
struct Said {
    code: Option<i32>,
    text: String,
}

impl Said {
    fn by(command: &mut Command) -> Said {
        let output = command.output().expect("it starts");
        let text = [output.stdout, output.stderr].concat();
        Said { code: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() }
    }

    #[track_caller]
    fn expect(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.text);
        for text in texts {
            assert!(self.text.contains(text), "no `{text}` in:\n{}", self.text);
        }
        for bug in ["internal error", "stack backtrace:"] {
            assert!(!self.text.contains(bug), "{}", self.text);
        }
    }
}

fn cargo_selvedge(directory: &Directory, words: &[&str]) -> Command {
    let mut command = Command::new(CARGO_SELVEDGE);
    command.arg("selvedge").args(words).current_dir(&directory.0).env("RUST_BACKTRACE", "0");
    for name in ["RUSTFLAGS", "CARGO_TARGET_DIR", "RUSTC", "RUSTC_WRAPPER"] {
        command.env_remove(name);
    }
    command
}

/// The same, where it comes to running `selvedge`, which is built if nobody has.
fn with_selvedge(directory: &Directory, words: &[&str]) -> Command {
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| {
        let here = Path::new(CARGO_SELVEDGE).parent().expect("a directory");
        if !here.join("selvedge").is_file() || !here.join("selvedge-lower").is_file() {
            let mut build = Command::new(env!("CARGO"));
            build.args(["build", "-q", "-p", "selvedge-cli", "--bins"]);
            if here.ends_with("release") {
                build.arg("--release");
            }
            assert!(build.status().expect("cargo").success());
        }
    });
    cargo_selvedge(directory, words)
}

#[test]
fn there_is_no_crate() {
    let nothing = Directory::new();
    for task in ["test", "run"] {
        Said::by(&mut cargo_selvedge(&nothing, &[task])).expect(2, &["could not find `Cargo.toml`"]);
    }
    let named = Said::by(&mut cargo_selvedge(&nothing, &["test", "--manifest-path", "nowhere/Cargo.toml"]));
    named.expect(2, &["error: ", "nowhere/Cargo.toml"]);
}

#[test]
fn the_manifest_is_none() {
    let crate_ = Directory::with(&[("Cargo.toml", "[package]\nname = \n"), ("src/lib.rs", "")]);
    Said::by(&mut cargo_selvedge(&crate_, &["test"])).expect(2, &["error: ", "Cargo.toml"]);
}

#[test]
fn the_crate_does_not_build() {
    let crate_ = Directory::with(&[("src/lib.rs", "pub fn f() -> u32 { nothing }\n")]);
    let said = Said::by(&mut cargo_selvedge(&crate_, &["test"]));
    said.expect(2, &["cannot find value `nothing`", "src/lib.rs:1", "error: the crate does not build"]);
}

#[test]
fn a_build_script_fails() {
    let script = "fn main() { eprintln!(\"no such thing here\"); std::process::exit(1) }\n";
    let crate_ = Directory::with(&[("build.rs", script), ("src/main.rs", "fn main() {}\n")]);
    let said = Said::by(&mut cargo_selvedge(&crate_, &["run"]));
    said.expect(2, &["no such thing here", "error: the crate does not build"]);
}

#[test]
fn there_are_no_tests() {
    let crate_ = Directory::with(&[("src/lib.rs", "pub fn f() {}\n")]);
    Said::by(&mut with_selvedge(&crate_, &["test"])).expect(2, &["the program has no tests"]);
}

#[test]
fn no_program_or_several() {
    let none = Directory::with(&[("src/lib.rs", "pub fn f() {}\n")]);
    Said::by(&mut cargo_selvedge(&none, &["run"])).expect(2, &["the crate has no program", "--example"]);
    let two = Directory::with(&[("src/bin/a.rs", "fn main() {}\n"), ("src/bin/b.rs", "fn main() {}\n")]);
    Said::by(&mut cargo_selvedge(&two, &["run"])).expect(2, &["there are several programs", "--bin"]);
}

#[test]
fn options_that_nobody_knows() {
    let crate_ = Directory::with(&[("src/lib.rs", "")]);
    Said::by(&mut cargo_selvedge(&crate_, &["test", "--nonsense"])).expect(2, &["--nonsense"]);
    Said::by(&mut cargo_selvedge(&crate_, &["verify"])).expect(2, &["verify"]);
    Said::by(&mut cargo_selvedge(&crate_, &["test", "-F", "absent"])).expect(2, &["absent"]);
}

#[test]
fn rustc_is_missing() {
    let crate_ = Directory::with(&[("src/lib.rs", "")]);
    let said = Said::by(cargo_selvedge(&crate_, &["test"]).env("RUSTC", "/nowhere/rustc"));
    said.expect(2, &["error: rustc cannot be started"]);
}

/// Found on the path, or named.
#[test]
fn rustc_has_a_newer_llvm() {
    let crate_ = Directory::with(&[("src/lib.rs", "")]);
    let says = "rustc 1.150.0 (0123 2031-01-01)\nrelease: 1.150.0\nLLVM version: 31.1.0";
    let rustc = crate_.program("rustc", says);
    let wanted = ["rustc 1.150.0 makes modules of LLVM 31", "cargo +1.95 selvedge"];
    Said::by(cargo_selvedge(&crate_, &["test"]).env("RUSTC", &rustc)).expect(2, &wanted);
    let before = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{before}", crate_.0.join("bin").display());
    Said::by(cargo_selvedge(&crate_, &["run"]).env("PATH", path)).expect(2, &wanted);
}

#[test]
fn rustc_is_something_else() {
    let crate_ = Directory::with(&[("src/lib.rs", "")]);
    let rustc = crate_.program("rustc", "hello");
    let said = Said::by(cargo_selvedge(&crate_, &["test"]).env("RUSTC", rustc));
    said.expect(2, &["rustc does not say which LLVM it has"]);
}

#[test]
fn selvedge_is_not_installed() {
    let crate_ = Directory::with(&[("src/lib.rs", "#[test]\nfn it() {}\n")]);
    let alone = crate_.0.join("bin").join("cargo-selvedge");
    fs::create_dir_all(crate_.0.join("bin")).expect("a directory");
    fs::copy(CARGO_SELVEDGE, &alone).expect("a copy");
    let known = cargo_selvedge(&crate_, &["test"]);
    let mut command = Command::new(&alone);
    command.args(known.get_args()).current_dir(&crate_.0);
    // cargo and rustc are found where they are, and nothing else.
    let cargo = Path::new(env!("CARGO"));
    let path = format!("{}:/usr/bin:/bin", cargo.parent().expect("a directory").display());
    command.env("PATH", path).env("CARGO", cargo).env_remove("RUSTC").env_remove("RUSTFLAGS");
    Said::by(&mut command).expect(2, &["`selvedge` cannot be started", "cargo install --path crates/cli"]);
}

/// What is not supported is named with the line that comes to it; other tests are verified.
#[test]
fn what_is_not_supported_is_reached() {
    let text = "unsafe extern \"C\" { fn syscall(number: i64, ...) -> i64; }\n\
                #[test]\nfn calls() { assert!(unsafe { syscall(319, c\"x\".as_ptr(), 0) } >= 0) }\n\
                #[test]\nfn socket() { std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap(); }\n\
                #[test]\nfn file() { assert!(std::fs::read(\"/nowhere\").is_err()) }\n\
                #[test]\nfn fine() { assert_eq!(1 + 1, 2) }\n";
    let crate_ = Directory::with(&[("src/lib.rs", text)]);
    let said = Said::by(&mut with_selvedge(&crate_, &["test"]));
    let wanted = [
        "test calls ... undecided",
        "src/lib.rs:3: not supported: a system call other than",
        "test socket ... undecided",
        "src/lib.rs:5: not supported",
        "test file ... undecided",
        "src/lib.rs:7",
        "test fine ... ok",
    ];
    said.expect(3, &wanted);
}

/// A program without the standard library is one like any other.
#[test]
fn there_is_no_standard_library() {
    let manifest = "[package]\nname = \"it\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
                    [profile.dev]\npanic = \"abort\"\n[workspace]\n";
    let program = |returns: &str| {
        format!(
            "#![no_std]\n#![no_main]\n\
             #[panic_handler]\nfn on_panic(_: &core::panic::PanicInfo<'_>) -> ! {{ loop {{}} }}\n\
             unsafe extern \"C\" {{ fn abort() -> !; }}\n\
             #[unsafe(no_mangle)]\nextern \"C\" fn main() -> i32 {{ {returns} }}\n"
        )
    };
    let fine = Directory::with(&[("Cargo.toml", manifest), ("src/main.rs", &program("0"))]);
    Said::by(&mut with_selvedge(&fine, &["run"])).expect(0, &["verified"]);
    let wrong = program("unsafe { abort() }");
    let wrong = Directory::with(&[("Cargo.toml", manifest), ("src/main.rs", &wrong)]);
    Said::by(&mut with_selvedge(&wrong, &["run"])).expect(1, &["main.rs:7"]);
    // cargo's own words, where the profile lets panics unwind.
    let unwinds = Directory::with(&[("src/main.rs", &program("0"))]);
    let said = Said::by(&mut cargo_selvedge(&unwinds, &["run"]));
    said.expect(2, &["panic=\"abort\"", "error: the crate does not build"]);
}
