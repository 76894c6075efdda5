//! The command line for clang, and running it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::driver::{Options, is_c, is_cpp};
use crate::error::CompileError;

/// Names a compiler to run in place of any other.
const CHOICE: &str = "SELVEDGE_CLANG";

/// Errors of present compilers that were warnings of older ones, which said nothing about what such a program
/// does: functions that are not declared, types that are left out, conversions without a cast.
const OLD_C: [&str; 7] = [
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "return-mismatch",
    "return-type",
];

/// Compiles a file to bitcode on standard output.
pub(crate) fn arguments(file: &Path, options: &Options) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let fixed = ["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c", "-D__SELVEDGE__"];
    words.extend(fixed.map(OsString::from));
    // Says where the lives of local variables begin and end; this is all that it does by itself.
    words.extend(["-Xclang", "-fsanitize-address-use-after-scope"].map(OsString::from));
    // Functions like `sqrt` become instructions instead of calls that might set `errno`.
    words.push("-fno-math-errno".into());
    words.push("-fno-builtin-modf".into());
    if is_c(file) {
        // What C had until C89 or compilers let pass for decades: programs that are older than the errors.
        words.extend(OLD_C.map(|name| format!("-Wno-error={name}").into()));
    }
    if is_cpp(file) {
        // libstdc++ reads two counters of a `shared_ptr` at once, as one number, unless a tool looks on.
        words.push("-D_GLIBCXX_TSAN=1".into());
    }
    for directory in &options.include_dirs {
        words.extend(["-I".into(), directory.into()]);
    }
    if options.clang_args.iter().any(|word| word == "-m32") {
        // The C library's headers are for both, and stand where clang looks for those of 64 bits only.
        words.extend(["-idirafter", "/usr/include/x86_64-linux-gnu"].map(OsString::from));
    }
    if options.names {
        words.push("-fno-discard-value-names".into());
    }
    words.extend(options.clang_args.iter().map(OsString::from));
    // Whatever level of optimisation is asked for: what clang makes of the program is what is checked.
    // Optimisers choose values for what is undefined, and drop accesses.
    words.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
    // At -O0, clang leaves out what C99 calls an inline definition (`inline` without `static` or `extern`),
    // and calls a function that need not be there. From -O1 on it is there, marked as one that yields to any
    // other (`available_externally`). Apart from that, what clang makes without passes is the same.
    words.extend(["-Xclang", "-O1"].map(OsString::from));
    if !options.clang_args.iter().any(|word| word.starts_with("-O") && word != "-O0") {
        words.push("-U__OPTIMIZE__".into());
    }
    words.extend(["-o".into(), "-".into(), file.into()]);
    words
}

/// Whether a compiler is named that has to be run.
pub(crate) fn is_chosen() -> bool {
    chosen().is_some()
}

fn chosen() -> Option<OsString> {
    env::var_os(CHOICE).filter(|name| !name.is_empty())
}

/// A compiler to run.
pub(crate) struct Clang {
    name: OsString,
}

impl Clang {
    /// `$SELVEDGE_CLANG`, else `clang-22`, else `clang` if that is version 22. Asking a clang for its version
    /// takes almost as long as compiling a small program, so nobody asks one whose name says it.
    pub(crate) fn find() -> Result<Clang, CompileError> {
        if let Some(name) = chosen() {
            return Ok(Clang { name });
        }
        let path = env::var_os("PATH").unwrap_or_default();
        if env::split_paths(&path).any(|directory| directory.join("clang-22").is_file()) {
            return Ok(Clang { name: "clang-22".into() });
        }
        if version_of(OsStr::new("clang")) == Some(22) {
            return Ok(Clang { name: "clang".into() });
        }
        Err(CompileError::NoClang { tried: "`clang-22` and `clang`".to_owned() })
    }

    pub(crate) fn bitcode_of(&self, file: &Path, options: &Options) -> Result<Vec<u8>, CompileError> {
        let mut command = Command::new(&self.name);
        command.args(arguments(file, options)).stdin(Stdio::null());
        crate::llvm::process::end_together(&mut command);
        let result = command.output().map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => CompileError::Start(source),
            _ => CompileError::NoClang { tried: self.name.to_string_lossy().into_owned() },
        })?;
        if result.status.success() {
            return Ok(result.stdout);
        }
        let mut stderr = String::from_utf8_lossy(&result.stderr).into_owned();
        if stderr.trim().is_empty() {
            stderr = format!("error: {} ended with {}", self.name.to_string_lossy(), result.status);
        }
        Err(CompileError::Clang { file: file.to_owned(), stderr })
    }
}

/// The major version that a compiler tells, if it can be run and says one.
fn version_of(clang: &OsStr) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split("clang version ").nth(1)?.split('.').next()?.parse().ok()
}
