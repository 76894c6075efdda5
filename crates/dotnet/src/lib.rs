//! From compiled .NET programs to the bytecode of Selvedge: the program's own methods and those of the
//! class library that it can reach, generic ones by instance.
//!
//! * **Values.** The evaluation stack becomes registers. A value type is one register per primitive field.
//! * **Objects** come from the heap, begin with a [header](layout::HEADER) that holds the monitor, and are
//!   never freed. What type an object is of is not kept in memory: the machine knows it by the allocation
//!   (`__selvedge_new`), as a runtime guarantees that a type is seen with its object.
//! * **Variables** of a method whose address is taken live in private memory: the type system sees to it
//!   that no other thread gets hold of such an address.
//! * **Exceptions**: a function returns the exception that is under way first, or 0, and then its result.
//! * **Memory accesses**: plain ones are `na`, volatile ones `acq` and `rel`, interlocked ones `sc`.
//! * **What is not known** is an instruction that says so when it is reached, with the name of the method.
//!
//! [`compile`] is all there is to call.

mod layout;
mod lower;
mod types;
mod world;

use selvedge_ir::Module;
use std::path::{Path, PathBuf};

/// Where Debian's mono has its class library.
pub const CLASS_LIBRARY: &str = "/usr/lib/mono/4.5";

/// A module declares this if the program has barriers for all threads of the process.
pub const PROCESS_WIDE: &str = "__dotnet_process_wide";

/// What a module declares in which waits with a time limit have none.
pub const NO_LIMITS: &str = "__dotnet_no_limits";

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Directories with assemblies that a program refers to; without any, [`CLASS_LIBRARY`].
    pub references: Vec<PathBuf>,
    /// What must hold, over static fields: in every state, or with `@end` after it when `Main` has
    /// returned.
    pub invariants: Vec<String>,
    /// Explores that the time limit of a wait is over before somebody wakes the thread. Otherwise such
    /// waits have no limit, and the module says so by declaring [`NO_LIMITS`].
    pub timeouts: bool,
    /// Interprets all of the class library, also the waiting of `ManualResetEventSlim` and `SpinLock`, each
    /// of which is one wait otherwise.
    pub whole_library: bool,
}

/// Why there is nothing to run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// What is wrong, with the file if it is one that is.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl CompileError {
    fn of_file(path: &Path, error: &dyn std::fmt::Display) -> CompileError {
        CompileError { message: format!("{}: {error}", path.display()), help: None }
    }
}

impl From<selvedge_cil::Error> for CompileError {
    fn from(error: selvedge_cil::Error) -> CompileError {
        CompileError { message: error.to_string(), help: None }
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T, CompileError> {
    Err(CompileError { message: message.into(), help: None })
}

/// Whether a file is for this front end, by its name.
pub fn is_assembly(path: &Path) -> bool {
    const NAMES: [&str; 3] = ["dll", "exe", "netmodule"];
    path.extension().is_some_and(|e| NAMES.iter().any(|name| e.eq_ignore_ascii_case(name)))
}

/// The bytecode of a program, before any pass.
pub fn compile(program: &Path, options: &Options) -> Result<Module, CompileError> {
    let mut references = options.references.clone();
    if references.is_empty() {
        references.push(PathBuf::from(CLASS_LIBRARY));
    }
    let add = |error: CompileError| match error.message.contains(&*program.to_string_lossy()) {
        true => error,
        false => CompileError { message: format!("{}: {}", program.display(), error.message), ..error },
    };
    lower::program(program, &references, options).map_err(add)
}
