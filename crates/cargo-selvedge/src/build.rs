//! Building a crate with cargo to modules of LLVM.

use crate::{compiler, native};
use serde_json::Value;
use std::io::BufRead;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What of a crate is built.
pub enum What {
    Tests,
    Programs,
}

/// A program or a set of tests.
pub struct Artifact {
    pub name: String,
    /// The whole of it, as bitcode: the crate's own module, and those of C that build scripts compiled.
    pub modules: Vec<PathBuf>,
}

/// The newest LLVM whose modules are read.
const LLVM: u32 = 22;

/// Names what cargo runs in place of rustc.
const WRAPPER: &str = "RUSTC_WRAPPER";

/// How rustc makes one module of everything, as it is written: see `docs/rust.md`.
const FLAGS: &str = "--emit=llvm-bc,link -Cno-prepopulate-passes -Csymbol-mangling-version=v0 --cfg=selvedge --check-cfg=cfg(selvedge) \
                     -Clink-arg=-Wl,--unresolved-symbols=ignore-all";

/// How build scripts compile C: to bitcode, as it is written. The names are those that the crate `cc` looks
/// for.
const C_COMPILERS: [(&str, &str); 2] = [("CC", "clang-22"), ("CXX", "clang++-22")];
const C_FLAGS: &str = "-flto=full -g -O0 -Xclang -disable-O0-optnone";
/// Level 1 has rustc say where the lives of variables end; there are no passes (see [`compiler`]).
const PROFILE: [&str; 7] = [
    "lto=\"fat\"",
    "codegen-units=1",
    "opt-level=1",
    "debug=2",
    "incremental=false",
    "debug-assertions=true",
    "overflow-checks=true",
];

/// Builds, and says what there is. cargo prints its own messages.
pub fn build(what: What, words: &[String]) -> Result<Vec<Artifact>, String> {
    let llvm = check_compiler()?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    match what {
        What::Tests => command.args(["test", "--no-run"]),
        What::Programs => command.arg("build"),
    };
    command.args(["--message-format=json-render-diagnostics", "--target-dir"]);
    command.arg(target_directory(words)?);
    for setting in PROFILE {
        command.args(["--config", &format!("profile.dev.{setting}")]);
    }
    let with = |name: &str, more: &str| {
        let given = std::env::var(name).unwrap_or_default();
        format!("{given} {more}").trim().to_string()
    };
    command.env("RUSTFLAGS", with("RUSTFLAGS", FLAGS)).args(words).stdout(Stdio::piped());
    for (name, compiler) in C_COMPILERS.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()) {
        command.env(name, compiler);
    }
    for name in ["CFLAGS", "CXXFLAGS"] {
        command.env(name, with(name, C_FLAGS));
    }
    let myself = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    command.env(compiler::INSTEAD_OF, std::env::var_os(WRAPPER).unwrap_or_default());
    command.env(WRAPPER, myself).env(compiler::LLVM, llvm.to_string());
    let mut child = command.spawn().map_err(|error| format!("cargo cannot be started: {error}"))?;
    let output = child.stdout.take().ok_or("cargo says nothing")?;
    let lines = std::io::BufReader::new(output).lines().map_while(Result::ok);
    let messages: Vec<Value> = lines.filter_map(|line| serde_json::from_str(&line).ok()).collect();
    let status = child.wait().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(String::from("the crate does not build"));
    }
    let mut modules = Vec::new();
    for message in messages.iter().filter(|message| message["reason"] == "build-script-executed") {
        modules.extend(native::modules(message)?);
    }
    let mut found: Vec<Artifact> = messages.iter().filter_map(artifact).collect();
    found.iter_mut().for_each(|artifact| artifact.modules.extend(modules.iter().cloned()));
    Ok(found)
}

/// An executable, and the module beside it.
fn artifact(message: &Value) -> Option<Artifact> {
    let executable = PathBuf::from(message["executable"].as_str()?);
    // What a compiler runs is not verified.
    if message["target"]["kind"].as_array()?.iter().any(|kind| kind == "proc-macro") {
        return None;
    }
    let name = message["target"]["name"].as_str()?.to_string();
    let in_deps = |path: &PathBuf| path.is_file();
    let beside = executable.with_extension("bc");
    // Programs are linked from `deps`, where the module stays.
    let named = || {
        let directory = executable.parent()?.join("deps");
        let begin = format!("{}-", name.replace('-', "_"));
        let files = std::fs::read_dir(directory).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let fits = |path: &PathBuf| {
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            file.starts_with(&begin) && file.ends_with(".bc")
        };
        files.filter(fits).max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
    };
    let module = Some(beside).filter(in_deps).or_else(named)?;
    Some(Artifact { name, modules: vec![module] })
}

/// A directory of its own within the one that cargo builds in: other flags would build everything anew.
fn target_directory(words: &[String]) -> Result<PathBuf, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    if let Some(at) = words.iter().position(|word| word == "--manifest-path") {
        command.args(&words[at..at + 2]);
    }
    let output = command.output().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().trim_start_matches("error: ").to_string());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let target = metadata["target_directory"].as_str().ok_or("cargo does not say where it builds")?;
    Ok(PathBuf::from(target).join("selvedge"))
}

/// The version of the compiler's LLVM, if modules of it can be read.
fn check_compiler() -> Result<u32, String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&compiler).arg("-vV").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.map_err(|error| format!("rustc cannot be started: {error}"))?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let llvm: Option<u32> =
        field("LLVM version:").and_then(|version| version.split('.').next()?.parse().ok());
    match llvm {
        Some(llvm @ ..=LLVM) => Ok(llvm),
        Some(newer) => Err(format!(
            "rustc {} makes modules of LLVM {newer}, and Selvedge reads those of LLVM {LLVM} and older; \
             choose another one: `cargo +1.95 selvedge ...`",
            field("release:").unwrap_or("?")
        )),
        None => Err(String::from("rustc does not say which LLVM it has")),
    }
}
