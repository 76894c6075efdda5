//! .NET programs: those of `examples/dotnet` and `tests/dotnet`, compiled by mono's compiler, against what they
//! say of themselves.
//!
//!     // expect: MODEL VERDICT [KIND] [line=N]
//!     // check: --unroll 4       flags for `selvedge check`
//!     // message: TEXT           a part of the error, or of why there is no verdict

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of our own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("selvedge-dotnet-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        Scratch(dir)
    }

    fn compile(&self, source: &Path, library: bool) -> PathBuf {
        let name = source.file_stem().expect("a name").to_string_lossy();
        let extension = if library { "dll" } else { "exe" };
        let out = self.0.join(format!("{name}.{extension}"));
        let mut command = Command::new("mcs");
        command.args(["-debug", "-d:DEBUG"]).arg(format!("-out:{}", out.display()));
        if library {
            command.arg("-target:library");
        }
        let done = command.arg(source).output().expect("mono's compiler (Debian: mono-mcs) is installed");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        out
    }

    fn source(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn check(file: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").arg(file).args(args).output().expect("the command runs")
}

fn sources(dir: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("the programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cs"))
        .collect();
    files.sort();
    files
}

/// What is wrong with what a program says of itself.
fn wrong(scratch: &Scratch, source: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(source).expect("a text");
    let lines = |key: &str| {
        let prefix = format!("// {key}: ");
        text.lines().filter_map(|l| l.strip_prefix(&prefix).map(String::from)).collect::<Vec<_>>()
    };
    let program = scratch.compile(source, false);
    let expectations = lines("expect");
    assert!(!expectations.is_empty(), "{} expects nothing", source.display());
    let mut wrong = Vec::new();
    for expectation in expectations {
        let mut words = expectation.split_whitespace();
        let (Some(model), Some(verdict)) = (words.next(), words.next()) else {
            panic!("{}: a model and a verdict are missing", source.display())
        };
        let flags = lines("check").join(" ");
        let mut args = vec!["-m", model, "--format", "json"];
        args.extend(flags.split_whitespace());
        let result = check(&program, &args);
        let report: Value = serde_json::from_slice(&result.stdout).unwrap_or_default();
        let error = &report["errors"][0];
        let code = match verdict {
            "verified" => 0,
            "violated" => 1,
            _ => 3,
        };
        let got = format!(
            "{} {} at line {}: {} {} {}",
            report["verdict"],
            error["kind"],
            error["line"],
            error["message"],
            report["unknown"],
            String::from_utf8_lossy(&result.stderr)
        );
        let mut fine = report["verdict"] == verdict && result.status.code() == Some(code);
        for word in words {
            fine &= match word.split_once('=') {
                None => error["kind"] == word,
                Some(("line", n)) => error["line"].as_u64() == n.parse().ok(),
                Some(_) => panic!("`{word}` is not an expectation"),
            };
        }
        fine &= lines("message").iter().all(|part| got.contains(part));
        if !fine {
            wrong.push(format!("{}: expected {expectation}: {got}", source.display()));
        }
    }
    wrong
}

fn all_hold(name: &str, dir: &str) {
    let scratch = Scratch::new(name);
    let wrong: Vec<String> = sources(dir).iter().flat_map(|source| wrong(&scratch, source)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_examples_are_what_they_say() {
    all_hold("examples", "../../examples/dotnet");
}

#[test]
fn the_programs_are_what_they_say() {
    all_hold("programs", "tests/dotnet");
}

/// Bad input is an error with exit code 2 that says what to do.
#[test]
fn bad_input_is_refused() {
    let scratch = Scratch::new("bad");
    let refused = |file: &Path, args: &[&str], why: &str| {
        let result = check(file, args);
        let said = String::from_utf8_lossy(&result.stderr);
        assert_eq!(result.status.code(), Some(2), "{}: {said}", file.display());
        assert!(said.contains(why), "{}: {said}", file.display());
    };
    refused(&scratch.source("text.dll", "not an assembly"), &[], "not a PE file");
    refused(&scratch.source("empty.dll", ""), &[], "not a PE file");
    let library = scratch.source("library.cs", "public class Library { public static void Run() {} }");
    let library = scratch.compile(&library, true);
    refused(&library, &[], "no entry point");
    refused(&scratch.0.join("none.exe"), &[], "No such file");
    let program = scratch.source("program.cs", "class Program { static void Main() {} }");
    let program = scratch.compile(&program, false);
    let nothing = scratch.0.to_string_lossy().into_owned();
    refused(&program, &["--reference", &nothing], "mscorlib");
    // The symbols of another build.
    let mut symbols = library.clone().into_os_string();
    symbols.push(".mdb");
    let mut own = program.clone().into_os_string();
    own.push(".mdb");
    std::fs::copy(symbols, &own).expect("symbols");
    refused(&program, &[], "another build");
    std::fs::remove_file(&own).expect("symbols");
    // Native, or half of it: the flag that says that there is nothing but bytecode.
    let mut bytes = std::fs::read(&program).expect("the program");
    let new = u32::from_le_bytes(bytes[0x3c..0x40].try_into().expect("four")) as usize;
    let directories = new + 24 + 96;
    bytes[directories + 8 * 14..directories + 8 * 15].fill(0);
    std::fs::write(&program, &bytes).expect("the program");
    refused(&program, &[], "native image");
}

/// Whatever is in a file, it is read or refused: bytes are changed, and files cut short.
#[test]
fn damaged_files_do_no_harm() {
    let scratch = Scratch::new("damaged");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/dotnet/dc.cs");
    let program = scratch.compile(&source, false);
    let bytes = std::fs::read(&program).expect("the program");
    let options = selvedge_dotnet::Options::default();
    let rounds = std::env::var("SELVEDGE_DOTNET_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let damaged = scratch.0.join("damaged.exe");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % most
    };
    for round in 0..rounds {
        let mut copy = bytes.clone();
        if round % 4 == 0 {
            copy.truncate(next(bytes.len()));
        }
        for _ in 0..=next(8) {
            if !copy.is_empty() {
                let at = next(copy.len());
                copy[at] = next(256) as u8;
            }
        }
        std::fs::write(&damaged, &copy).expect("a file");
        if let Ok(module) = selvedge_dotnet::compile(&damaged, &options) {
            for function in &module.functions {
                selvedge_ir::check::function(&module, function).expect("well-formed");
            }
        }
    }
}
