//! The `selvedge-lower` command: prints the bytecode of programs in C, C++ and Rust.
//!
//! `selvedge` runs it, so that LLVM's memory is gone before the exploration starts, a crash of LLVM is a
//! message, and nothing else has to load it.

#[expect(dead_code, reason = "not all of it is needed here")]
mod escape;
#[expect(dead_code, reason = "not all of it is needed here")]
mod output;

use clap::Parser;
use selvedge_llvm::{CompileError, Options};
use selvedge_machine::Reductions;
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints the bytecode of programs; `selvedge check` runs this.
#[derive(Parser, Debug)]
#[command(name = "selvedge-lower", version)]
struct LowerArgs {
    /// Leave out analyses of loops
    #[arg(long, value_name = "NAMES", value_parser = Reductions::all_but, default_value = "")]
    disable: Reductions,

    /// End when standard input does
    #[arg(long, hide = true)]
    leash: bool,

    /// The version that asks: bytecode of another one may mean something else
    #[arg(long, value_name = "VERSION", hide = true)]
    expects: Option<String>,

    /// Bytes of memory that may be used
    #[arg(long, value_name = "N", hide = true)]
    most_bytes: Option<u64>,
    /// Check indices against arrays that are parts of larger objects
    #[arg(long)]
    strict_bounds: bool,

    /// Take volatile accesses for relaxed atomic ones
    #[arg(long)]
    volatile_atomic: bool,

    /// Leave out the passes over loops
    #[arg(long, hide = true)]
    raw: bool,

    /// Name registers that hold variables
    #[arg(long, hide = true)]
    names: bool,

    /// C (.c, .i), C++ (.cpp, .cc, .cxx), Rust (.rs) or LLVM's intermediate language (.bc, .ll)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Flags for clang
    #[arg(last = true, value_name = "CLANG FLAGS")]
    clang: Vec<String>,
}

/// What `#include <selvedge.h>` finds, and headers of other tools that programs include.
const HEADERS: [(&str, &str); 4] = [
    ("selvedge.h", include_str!("../../../include/selvedge.h")),
    ("genmc.h", include_str!("../../../include/genmc.h")),
    ("lkmm.h", include_str!("../../../include/lkmm.h")),
    ("gnu/stubs-32.h", include_str!("../../../include/stubs-32.h")),
];

/// What is mapped but not used, in bytes: programs, libraries, stacks.
const SLACK: u64 = 2 << 30;

/// A directory of our own with the headers: nobody else's, even if somebody guessed its name.
fn headers() -> std::io::Result<PathBuf> {
    let mut number = std::process::id();
    let directory = loop {
        let directory = std::env::temp_dir().join(format!("selvedge-headers-{number}"));
        match std::fs::create_dir(&directory) {
            Ok(()) => break directory,
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) => number = number.wrapping_add(1 << 22),
        }
    };
    std::fs::create_dir(directory.join("gnu"))?;
    for (name, text) in HEADERS {
        std::fs::write(directory.join(name), text)?;
    }
    Ok(directory)
}

/// Whoever started this is gone or does not want the result, when its end of the pipe closes.
fn end_with_input(headers: &std::path::Path) {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    let _ = std::fs::remove_dir_all(headers);
    std::process::exit(BAD_INPUT.into());
}

/// Bytes of stack for the compiler.
const STACK: usize = 256 << 20;

/// The exit code for bad input, as that of `selvedge`.
const BAD_INPUT: u8 = 2;

/// The exit code where there is nothing wrong, but too much of it.
const TOO_LARGE: u8 = 3;

fn main() -> ExitCode {
    let args = LowerArgs::parse();
    let version = env!("CARGO_PKG_VERSION");
    if let Some(other) = args.expects.as_ref().filter(|expected| *expected != version) {
        output::complain(&format!(
            "error: selvedge-lower is of version {version}, and version {other} asks for it; install both together"
        ));
        return ExitCode::from(BAD_INPUT);
    }
    if let Some(most) = args.most_bytes {
        selvedge_llvm::process::limit_memory(most.saturating_add(SLACK));
    }
    let headers = match headers() {
        Ok(headers) => headers,
        Err(error) => {
            output::complain(&format!("error: cannot write to {}: {error}", std::env::temp_dir().display()));
            return ExitCode::from(BAD_INPUT);
        }
    };
    if args.leash {
        let headers = headers.clone();
        std::thread::spawn(move || end_with_input(&headers));
    }
    let options = Options {
        clang_args: args.clang,
        include_dirs: vec![headers.clone()],
        reductions: args.disable,
        strict_bounds: args.strict_bounds,
        volatile_atomic: args.volatile_atomic,
        names: args.names,
        raw: args.raw,
    };
    // Types, constants and expressions may be nested as deep as somebody likes.
    let compile = move || selvedge_llvm::compile(&args.files, &options);
    let running = std::thread::Builder::new().stack_size(STACK).spawn(compile);
    let result = running.map(|thread| thread.join());
    let _ = std::fs::remove_dir_all(&headers);
    match result {
        Err(error) => {
            output::complain(&format!("error: cannot start a thread: {error}"));
            ExitCode::from(BAD_INPUT)
        }
        // It has said what is wrong.
        Ok(Err(_)) => ExitCode::from(BAD_INPUT),
        Ok(Ok(Ok(module))) => {
            // Not shown: the text is what it is.
            output::emit(&selvedge_ir::text::print(&module));
            if output::arrived() { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) }
        }
        Ok(Ok(Err(error))) => {
            output::complain(&error.to_string());
            let too_large = matches!(error, CompileError::TooLarge { .. });
            ExitCode::from(if too_large { TOO_LARGE } else { BAD_INPUT })
        }
    }
}
