//! Runs clang, links what it wrote, and hands the result to the lowering.

use std::env;
use std::ffi::{CStr, OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selvedge_machine::Reductions;
use selvedge_vm::ir::Module;

use crate::error::CompileError;
use crate::llvm::Context;
use crate::lower;

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Given to clang after the options that Selvedge needs, in order (`-DN=3`, `-std=c17`, …).
    pub clang_args: Vec<String>,
    /// Searched for headers before the system's directories.
    pub include_dirs: Vec<PathBuf>,
    /// Which loops may be left out, or not run to their end, because it makes no difference.
    pub reductions: Reductions,
}

/// Only inlines what the program says must be, and keeps in registers the local variables whose address is
/// not used. Every other pass may remove or merge accesses that another thread could see: even
/// `instsimplify` drops a plain load whose result is not used, `sroa` narrows copies of structures, and
/// `simplifycfg` takes paths that dereference null to be impossible.
const PASSES: &CStr = c"always-inline,function(mem2reg)";

/// Compiles C files (`.c`), reads LLVM's intermediate language (`.bc`, `.ll`), and links them to one program.
///
/// Nothing is written to the working directory.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Module, CompileError> {
    if files.is_empty() {
        return Err(CompileError::NoFiles);
    }
    let bitcode = bitcode_of(files, options)?;
    let context = Context::new();
    let mut program: Option<crate::llvm::Module<'_>> = None;
    for (file, contents) in files.iter().zip(&bitcode) {
        let module = context
            .parse(contents, &file.to_string_lossy())
            .map_err(|message| CompileError::BadBitcode { file: file.clone(), message })?;
        match &mut program {
            None => program = Some(module),
            Some(program) => program.link(module).map_err(|message| CompileError::Llvm { message })?,
        }
    }
    let mut program = program.ok_or(CompileError::NoFiles)?;
    program.run_passes(PASSES).map_err(|message| CompileError::Llvm { message })?;
    lower::lower(&program, options.reductions)
}

/// Whether the program can be run at all.
pub fn require_main(module: &Module) -> Result<(), CompileError> {
    let defined = module.functions.iter().any(|f| f.name == "main" && !f.code.is_empty());
    if defined { Ok(()) } else { Err(CompileError::NoMain) }
}

/// The contents of each file as bitcode or text, compiled where necessary. Compilations run side by side.
fn bitcode_of(files: &[PathBuf], options: &Options) -> Result<Vec<Vec<u8>>, CompileError> {
    let clang = match files.iter().any(|file| extension(file) == "c") {
        true => Some(find_clang()?),
        false => None,
    };
    let one = |file: &PathBuf| -> Result<Vec<u8>, CompileError> {
        let unreadable = |source| CompileError::Unreadable { file: file.clone(), source };
        match (extension(file), &clang) {
            ("c", Some(clang)) => {
                // clang's own message for a missing file does not look like an error of the file system.
                fs::File::open(file).map_err(unreadable)?;
                run_clang(clang, file, options)
            }
            ("bc" | "ll", _) => fs::read(file).map_err(unreadable),
            _ => Err(CompileError::UnknownKind { file: file.clone() }),
        }
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = files.iter().map(|file| scope.spawn(move || one(file))).collect();
        running.into_iter().map(|thread| thread.join().expect("compiling does not panic")).collect()
    })
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(OsStr::to_str).unwrap_or("")
}

/// The bitcode of a C file.
fn run_clang(clang: &OsStr, file: &Path, options: &Options) -> Result<Vec<u8>, CompileError> {
    let mut command = Command::new(clang);
    command.args(["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c", "-D__SELVEDGE__"]);
    // Functions like `sqrt` become instructions instead of calls that might set `errno`.
    command.arg("-fno-math-errno");
    for directory in &options.include_dirs {
        command.arg("-I").arg(directory);
    }
    command.args(&options.clang_args).arg("-o").arg("-").arg(file).stdin(Stdio::null());
    let result = command.output().map_err(|source| match source.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => CompileError::Start(source),
        _ => CompileError::NoClang { tried: clang.to_string_lossy().into_owned() },
    })?;
    if result.status.success() {
        return Ok(result.stdout);
    }
    let stderr = String::from_utf8_lossy(&result.stderr).into_owned();
    Err(CompileError::Clang { file: file.to_owned(), stderr })
}

/// `$SELVEDGE_CLANG`, else `clang-22`, else `clang` if that is version 22. Asking a clang for its version takes almost
/// as long as compiling a small program, so nobody asks one whose name says it.
fn find_clang() -> Result<OsString, CompileError> {
    if let Some(chosen) = env::var_os("SELVEDGE_CLANG").filter(|name| !name.is_empty()) {
        return Ok(chosen);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|directory| directory.join("clang-22").is_file()) {
        return Ok("clang-22".into());
    }
    if version_of(OsStr::new("clang")) == Some(22) {
        return Ok("clang".into());
    }
    Err(CompileError::NoClang { tried: "`clang-22` and `clang`".to_owned() })
}

/// The major version that a compiler tells, if it can be run and says one.
fn version_of(clang: &OsStr) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split("clang version ").nth(1)?.split('.').next()?.parse().ok()
}
