//! Compiles or reads each file, links the modules, and hands the result to the lowering.

use std::collections::HashSet;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_ir::{Module, harness};
use selvedge_machine::{Reduction, Reductions};

use crate::clang::{self, Clang};
use crate::cpp;
use crate::error::CompileError;
use crate::libcxx;
use crate::llvm::{self, Compilation, Context, TypeKind};
use crate::lower;
use crate::names;
use crate::rust;

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Given to clang after the options that Selvedge needs, in order (`-DN=3`, `-std=c17`, …).
    pub clang_args: Vec<String>,
    /// Searched for headers before the system's directories.
    pub include_dirs: Vec<PathBuf>,
    /// Which loops may be left out, or not run to their end, because it makes no difference.
    pub reductions: Reductions,
    /// Indices must stay within the array that they are of, also where that is a part of a larger object.
    pub strict_bounds: bool,
    /// Leaves out the passes that find loops: somebody runs them later.
    pub raw: bool,
    /// Volatile accesses of a size that machines access as a whole are relaxed atomic ones.
    pub volatile_atomic: bool,
    /// Registers that hold variables of the source have their names
    /// ([`Function::locals`](selvedge_ir::Function)).
    pub names: bool,
}

/// Only inlines what the program says must be, small functions of Rust and C++, and pauses of C, and keeps
/// in registers the local variables whose address is not used. Every other pass may remove or merge
/// accesses that another thread could see: even `instsimplify` drops a plain load whose result is not used,
/// `sroa` narrows copies of structures, and `simplifycfg` takes paths that dereference null to be
/// impossible.
const INLINE: &CStr = c"always-inline";
const PROMOTE: &CStr = c"function(mem2reg)";
/// How deep variables are followed whose addresses are in other variables.
const ROUNDS: usize = 5;
/// Makes functions of coroutines: one that begins, one that goes on and one that ends. What lives on from one
/// to the other is in an object that they share; nothing else is changed.
const COROUTINES: &CStr = c"coro-early,cgscc(coro-split),coro-cleanup";

/// Compiles C (`.c`, or `.i` if the preprocessor has been there), C++ (`.cpp`, `.cc`, `.cxx`, `.ii`) and
/// Rust (`.rs`), reads LLVM's intermediate language (`.bc`, `.ll`), and links all to one program.
///
/// Nothing is written to the working directory.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Module, CompileError> {
    if files.is_empty() {
        return Err(CompileError::NoFiles);
    }
    let context = Context::new();
    let mut program: Option<llvm::Module<'_>> = None;
    for module in modules_of(&context, files, options)? {
        match &mut program {
            None => program = Some(module),
            Some(program) => program.link(module).map_err(|message| CompileError::Llvm { message })?,
        }
    }
    let mut program = program.ok_or(CompileError::NoFiles)?;
    for (library, source) in libraries_of(&program, files)? {
        let parsed = context.parse(library, source);
        let linked = parsed.and_then(|mut library| {
            library.yield_to_others();
            program.link(library)
        });
        linked.map_err(|message| CompileError::Llvm { message })?;
    }
    let llvm = |message| CompileError::Llvm { message };
    if program.has_coroutines() {
        program.run_passes(COROUTINES).map_err(llvm)?;
    }
    if program.defines(MAIN) {
        keep_reachable(&mut program, options).map_err(llvm)?;
    }
    let own = own_that_catch(&program);
    program.inline_small(|name| names::is_mangled(name) && !own.contains(name));
    let lenders = program.inline_lent(|name| !names::is_mangled(name));
    program.run_passes(INLINE).map_err(llvm)?;
    let mut unset = Vec::new();
    let in_parts = |name: &str| names::is_mangled(name) || lenders.contains(name);
    // Once addresses are in registers, more variables are only accessed by their parts, or by nobody else.
    let rounds = if program.functions().iter().any(|f| in_parts(&f.name())) { ROUNDS } else { 1 };
    for _ in 0..rounds {
        program.access_alike(names::is_mangled);
        let (split, before) = (program.split_variables(in_parts), unset.len());
        program.set_undefined(&mut unset);
        if !split && unset.len() == before {
            break;
        }
        program.run_passes(PROMOTE).map_err(llvm)?;
    }
    lower::lower(&program, unset, options, lower::Paths::new(files, &options.include_dirs))
}

/// What a program is linked with besides: the library of the headers that it was compiled with, if it is in
/// C++.
fn libraries_of(
    program: &llvm::Module<'_>,
    files: &[PathBuf],
) -> Result<Vec<(&'static [u8], &'static str)>, CompileError> {
    let missing: Vec<String> =
        program.functions().iter().filter(|f| f.blocks().is_empty()).map(|f| f.name()).collect();
    let needs_libcxx = missing.iter().any(|name| libcxx::is_of_headers(name));
    let needs_library = files.iter().any(|file| is_cpp(file))
        || missing.iter().any(|name| cpp::is_of_library(name) && !libcxx::is_of_headers(name));
    if needs_libcxx {
        if libcxx::LIBRARY.is_empty() {
            return Err(CompileError::NoLibcxx);
        }
        return Ok(vec![(libcxx::LIBRARY, libcxx::SOURCE)]);
    }
    let known = needs_library && !cpp::LIBRARY.is_empty();
    Ok(if known { vec![(cpp::LIBRARY, cpp::SOURCE)] } else { Vec::new() })
}

const MAIN: &str = "main";

/// Functions that the lowering calls, or a machine, and so may not be dropped if the program has them.
const LIBRARY: [&str; 8] =
    ["memcpy", "memmove", "memset", "abort", "atexit", "malloc", "free", "__VERIFIER_recovery_routine"];

/// What waits for some time has times that only it knows.
fn replace_times(program: &mut llvm::Module<'_>) {
    let names: Vec<String> = program.functions().iter().map(|f| f.name()).collect();
    let waits = |caller: &str| rust::TIMED.iter().any(|path| rust::is_at(path, caller));
    // Both, or none: the one tells what the other is given.
    let found: Vec<_> = rust::TIMES
        .iter()
        .filter_map(|(path, by)| Some((names.iter().find(|name| rust::is_at(path, name))?, by)))
        .collect();
    if found.len() == rust::TIMES.len() && names.iter().any(|name| waits(name)) {
        found.into_iter().for_each(|(name, by)| program.replace_calls(name, by, waits));
    }
}

/// Drops what cannot be reached, once functions of Rust's library have their own meaning here.
fn keep_reachable(program: &mut llvm::Module<'_>, options: &Options) -> Result<(), String> {
    program.rename_functions(rust::called);
    // What is known of the library's memory is that of one release.
    let known = program.compilers().iter().all(|compiler| rust::is_known(compiler));
    let library = known && options.reductions.has(Reduction::Library);
    let handles = library && options.reductions.has(Reduction::Handles);
    if library {
        replace_times(program);
    }
    program.replace_functions(|symbol| rust::replaced(symbol, known, library, handles));
    program.replace_functions(cpp::always_replaced);
    if library {
        for (caller, name) in rust::PARKING {
            program.replace_calls(rust::PARK, name, |symbol| rust::is_at(caller, symbol));
        }
        program.replace_functions(cpp::replaced);
        program.replace_bounds(cpp::LOOKS, 1, cpp::spins);
        let names: Vec<String> = program.functions().iter().map(|f| f.name()).collect();
        for called in &names {
            for (begin, name) in libcxx::calls(called) {
                program.replace_calls(called, name, |caller| caller.starts_with(begin));
            }
        }
        program.replace_functions(libcxx::replaced);
        let functions = program.functions();
        let value_of = |symbol: &str| {
            let function = functions.iter().find(|f| f.name() == symbol)?;
            match function.parameters()[..] {
                [_, value, _] => match value.ty().kind() {
                    TypeKind::Int(bits) => Some(bits),
                    TypeKind::Pointer => Some(0),
                    _ => None,
                },
                _ => None,
            }
        };
        let by_size = libcxx::waits_by_size(&names, value_of);
        program.replace_functions(|symbol| by_size.get(symbol).cloned());
        program.replace_bounds(libcxx::LOOKS, 0, libcxx::spins);
    }
    let is_access = |s: &str| rust::is_access(s) || cpp::is_access(s) || libcxx::is_access(s);
    program.inline_always(is_access);
    let called = LIBRARY.into_iter().chain(rust::CALLED.map(|(_, name)| name));
    let defined = called.filter(|name| program.defines(name));
    let roots: Vec<&str> = defined.chain([MAIN]).collect();
    program.keep_reachable(&roots)?;
    let tries = |symbol: &str| rust::TRIES.iter().any(|path| rust::is_at(path, symbol));
    if library && program.functions().iter().any(|f| tries(&f.name())) {
        program.rename_functions(rust::is_told);
    }
    // By parking, a thread that waits at a channel may use up a token that was meant for something else.
    let parks = harness::PARKS.iter().any(|name| program.functions().iter().any(|f| f.name() == *name));
    if library && !parks && program.replace_functions(rust::waits_at_a_channel) > 0 {
        program.keep_reachable(&roots)?;
    }
    Ok(())
}

/// Whether the program can be run at all.
pub fn require_main(module: &Module) -> Result<(), CompileError> {
    let defined = module.functions.iter().any(|f| f.name == "main" && !f.code.is_empty());
    if defined { Ok(()) } else { Err(CompileError::NoMain) }
}

/// The module of each file. Where clang has to be run, files are compiled side by side.
fn modules_of<'c>(
    context: &'c Context,
    files: &[PathBuf],
    options: &Options,
) -> Result<Vec<llvm::Module<'c>>, CompileError> {
    let parse = |file: &Path, contents: &[u8]| {
        let bad = |message| CompileError::BadBitcode { file: file.to_owned(), message };
        context.parse(contents, &file.to_string_lossy()).map_err(bad)
    };
    let mut modules = Vec::new();
    for file in files {
        let compiled = if is_c_or_cpp(file) { compile_here(context, file, options)? } else { None };
        modules.push(compiled);
    }
    let left = || files.iter().zip(&modules).filter(|(_, module)| module.is_none()).map(|(file, _)| file);
    let clang = if left().any(|file| is_c_or_cpp(file)) { Some(Clang::find()?) } else { None };
    let contents_of = |file: &Path| match &clang {
        Some(clang) if is_c_or_cpp(file) => clang.bitcode_of(file, options),
        _ if extension(file) == "rs" => {
            fs::File::open(regular(file)?).map_err(|source| unreadable(file, source))?;
            rust::bitcode_of(file, options)
        }
        _ => read(file),
    };
    let contents: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = left().map(|file| scope.spawn(|| contents_of(file))).collect();
        running.into_iter().map(|thread| thread.join().expect("compiling does not panic")).collect()
    });
    let mut contents = contents.into_iter();
    let in_order = files.iter().zip(modules).map(|(file, compiled)| match compiled {
        Some(module) => Ok(module),
        None => parse(file, &contents.next().expect("one for each file that is left")?),
    });
    in_order.collect()
}

/// Compiles without running clang, where that is possible.
fn compile_here<'c>(
    context: &'c Context,
    file: &Path,
    options: &Options,
) -> Result<Option<llvm::Module<'c>>, CompileError> {
    // clang's own message for a missing file does not look like an error of the file system.
    fs::File::open(regular(file)?).map_err(|source| unreadable(file, source))?;
    if clang::is_chosen() {
        return Ok(None);
    }
    match context.compile(&clang::arguments(file, options)) {
        Compilation::Compiled(module) => Ok(Some(module)),
        Compilation::Refused(stderr) => Err(CompileError::Clang { file: file.to_owned(), stderr }),
        Compilation::NotThisWay => Ok(None),
    }
}

/// Bitcode or the textual form.
fn read(file: &Path) -> Result<Vec<u8>, CompileError> {
    match extension(file) {
        "bc" | "ll" => fs::read(regular(file)?).map_err(|source| unreadable(file, source)),
        _ => Err(CompileError::UnknownKind { file: file.to_owned() }),
    }
}

/// Devices, pipes and directories are not read: some never end.
fn regular(file: &Path) -> Result<&Path, CompileError> {
    match fs::metadata(file) {
        Ok(found) if found.is_file() => Ok(file),
        Ok(_) => Err(unreadable(file, std::io::Error::other("not a regular file"))),
        Err(source) => Err(unreadable(file, source)),
    }
}

fn unreadable(file: &Path, source: std::io::Error) -> CompileError {
    CompileError::Unreadable { file: file.to_owned(), source }
}

fn is_c_or_cpp(file: &Path) -> bool {
    is_c(file) || is_cpp(file)
}

/// Whether a file is C.
pub(crate) fn is_c(file: &Path) -> bool {
    matches!(extension(file), "c" | "i")
}

/// Whether a file is C++.
pub(crate) fn is_cpp(file: &Path) -> bool {
    matches!(extension(file), "cpp" | "cc" | "cxx" | "ii")
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(OsStr::to_str).unwrap_or("")
}

/// The program's own functions that catch panics, or call what does. They are not inlined into the standard
/// library's, which ends threads that panic by catching, too: a panic that the program catches is no error.
fn own_that_catch(program: &llvm::Module<'_>) -> HashSet<String> {
    let is_own = |function: &llvm::Value<'_>| {
        function.definition().is_some_and(|(file, _)| !lower::is_of_library(&file))
    };
    program.catching().into_iter().filter(is_own).map(|function| function.name()).collect()
}
