//! Links LLVM: its static libraries where they are installed and link, the shared one otherwise.
//!
//! What the static libraries save is most of the time of a short run: a process that loads the shared library spends
//! some 12 ms on its relocations, whatever it needs of it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The major version of LLVM that `llvm-sys` declares.
const VERSION: &str = "22";
/// What the crate calls, as components of `llvm-config`.
const COMPONENTS: [&str; 6] = ["core", "analysis", "irreader", "linker", "passes", "target"];
/// Where LLVM is installed, if not where `llvm-config` on the path says (the name is `llvm-sys`'s).
const PREFIX: &str = "LLVM_SYS_221_PREFIX";
/// `shared` links the shared library also where the static ones are installed.
const KIND: &str = "SELVEDGE_LLVM";

/// A function of each component; the linker has to find them, and all that they need.
const TRIAL: &str = "
    int LLVMContextCreate(), LLVMVerifyModule(), LLVMParseIRInContext2(), LLVMLinkModules2();
    int LLVMRunPasses(), LLVMABISizeOfType();
    int main(void)
    {
        return LLVMContextCreate() + LLVMVerifyModule() + LLVMParseIRInContext2() + LLVMLinkModules2()
            + LLVMRunPasses() + LLVMABISizeOfType();
    }
";

/// As the linker takes it: a name, or a file's name.
enum Library {
    Named(String),
    File(String),
}

fn main() {
    for variable in [PREFIX, KIND] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    let Some(config) = llvm_config() else {
        println!(
            "cargo::error=LLVM {VERSION} was not found: install it with `sudo apt install llvm-{VERSION}-dev`, \
             or say where it is in the environment variable {PREFIX}"
        );
        return;
    };
    let directory = text(Command::new(&config).arg("--libdir")).unwrap_or_default();
    println!("cargo::rustc-link-search=native={}", directory.trim());
    let shared_wanted = env::var_os(KIND).is_some_and(|kind| kind == "shared");
    match static_libraries(&config).filter(|_| !shared_wanted) {
        Some(libraries) if links(Path::new(directory.trim()), &libraries) => {
            for library in libraries.of_llvm {
                println!("cargo::rustc-link-lib=static:-bundle={library}");
            }
            for library in libraries.of_system {
                match library {
                    Library::Named(name) => println!("cargo::rustc-link-lib=dylib={name}"),
                    Library::File(name) => println!("cargo::rustc-link-lib=dylib:+verbatim={name}"),
                }
            }
        }
        _ => match names(&config, "--link-shared") {
            Some(libraries) => {
                for library in libraries {
                    println!("cargo::rustc-link-lib=dylib={library}");
                }
            }
            None => println!("cargo::error={} names no libraries", config.display()),
        },
    }
}

/// What a command prints, if it succeeds.
fn text(command: &mut Command) -> Option<String> {
    let Output { status, stdout, .. } = command.output().ok()?;
    status.success().then(|| String::from_utf8_lossy(&stdout).into_owned())
}

fn llvm_config() -> Option<PathBuf> {
    let candidates = match env::var_os(PREFIX) {
        Some(prefix) => vec![Path::new(&prefix).join("bin/llvm-config")],
        None => vec![PathBuf::from(format!("llvm-config-{VERSION}")), PathBuf::from("llvm-config")],
    };
    candidates.into_iter().find(|config| {
        let version = text(Command::new(config).arg("--version"));
        version.is_some_and(|version| version.trim().split('.').next() == Some(VERSION))
    })
}

/// The libraries of the components: `-lLLVMCore` is `LLVMCore`.
fn names(config: &Path, how: &str) -> Option<Vec<String>> {
    let libraries = text(Command::new(config).args([how, "--libs"]).args(COMPONENTS))?;
    let names: Option<Vec<String>> =
        libraries.split_whitespace().map(|word| word.strip_prefix("-l").map(str::to_owned)).collect();
    names.filter(|names| !names.is_empty())
}

struct Static {
    of_llvm: Vec<String>,
    of_system: Vec<Library>,
}

fn static_libraries(config: &Path) -> Option<Static> {
    let of_llvm = names(config, "--link-static")?;
    let wanted = text(Command::new(config).args(["--link-static", "--system-libs"]).args(COMPONENTS))?;
    let mut of_system: Vec<Library> =
        wanted.split_whitespace().filter_map(|word| word.strip_prefix("-l")).filter_map(installed).collect();
    of_system.push(Library::Named("stdc++".to_owned()));
    Some(Static { of_llvm, of_system })
}

/// The library, by the name that its development package gives it, or else by that of the version that LLVM's
/// own shared library uses; none of them if it is not there: most are for parts of LLVM that are not used.
fn installed(name: &str) -> Option<Library> {
    let is_there = |file: &str| {
        let path = text(Command::new(linker()).arg(format!("-print-file-name={file}")));
        path.is_some_and(|path| Path::new(path.trim()).is_absolute())
    };
    if is_there(&format!("lib{name}.so")) || is_there(&format!("lib{name}.a")) {
        return Some(Library::Named(name.to_owned()));
    }
    let versioned = format!("lib{name}.so.1");
    is_there(&versioned).then_some(Library::File(versioned))
}

/// The command that links, as a rule the one that rustc uses.
fn linker() -> String {
    env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned())
}

/// Whether a program that uses all components can be linked.
fn links(directory: &Path, libraries: &Static) -> bool {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (source, program) = (out.join("trial.c"), out.join("trial"));
    if fs::write(&source, TRIAL).is_err() {
        return false;
    }
    let mut command = Command::new(linker());
    command.arg("-w").arg("-std=gnu89").arg("-o").arg(&program).arg(&source).arg("-Wl,--gc-sections");
    command.arg("-L").arg(directory).args(libraries.of_llvm.iter().map(|name| format!("-l{name}")));
    command.arg("-Wl,--as-needed");
    command.args(libraries.of_system.iter().map(|library| match library {
        Library::Named(name) => format!("-l{name}"),
        Library::File(name) => format!("-l:{name}"),
    }));
    let linked = command.output().is_ok_and(|output| output.status.success());
    let _ = fs::remove_file(&program);
    linked
}
