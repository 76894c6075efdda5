//! What can go wrong between a C file and bytecode.

use std::io;
use std::path::{Path, PathBuf};

/// Names of files may have several lines.
fn name(file: &Path) -> String {
    file.to_string_lossy()
        .chars()
        .flat_map(|c| match c.is_control() {
            true => c.escape_debug().collect::<Vec<char>>(),
            false => vec![c],
        })
        .collect()
}

#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error(
        "clang 22 was not found (tried {tried}); install it with `sudo apt install clang-22`, \
         or name it in the environment variable SELVEDGE_CLANG"
    )]
    NoClang { tried: String },
    #[error(
        "rustc was not found (tried {tried}); install it with `rustup`, or name it in the environment \
         variable SELVEDGE_RUSTC"
    )]
    NoRustc { tried: String },
    #[error(
        "rustc {release} makes modules of LLVM {llvm}, and this Selvedge reads those of LLVM 22 and older; \
         name another rustc in the environment variable SELVEDGE_RUSTC (`rustup install {known}`)",
        known = crate::rust::KNOWN
    )]
    NewerRustc { release: String, llvm: u32 },
    #[error(
        "the program was compiled with the headers of libc++, and this Selvedge was built without its library: \
         install the headers with `sudo apt install libc++-22-dev` and build Selvedge again, or compile the \
         program with those of libstdc++"
    )]
    NoLibcxx,
    /// What the compiler itself says, word for word.
    #[error("{}", stderr.trim_end())]
    Clang { file: PathBuf, stderr: String },
    #[error("{}: {source}", name(file))]
    Unreadable { file: PathBuf, source: io::Error },
    #[error(
        "{}: neither C (.c, .i), C++ (.cpp, .cc, .cxx, .ii) nor Rust (.rs), nor LLVM's intermediate language (.bc, .ll)",
        name(file)
    )]
    UnknownKind { file: PathBuf },
    #[error("no files to compile")]
    NoFiles,
    #[error("{}: {message}", name(file))]
    BadBitcode { file: PathBuf, message: String },
    #[error("the program has no function `main`")]
    NoMain,
    /// A diagnostic of LLVM: of its linker, its verifier or its passes.
    #[error("{message}")]
    Llvm { message: String },
    #[error("compiled for a machine that is neither 64-bit and little-endian nor i386 (`-m32`)")]
    Target,
    #[error("the initial value of `{global}` is not supported: {what}")]
    Initialiser { global: String, what: String },
    /// It is not wrong, but cannot be held.
    #[error("there is no memory for {what}")]
    TooLarge { what: String },
    #[error("clang cannot be started: {0}")]
    Start(io::Error),
}
