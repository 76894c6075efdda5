//! The `selvedge-lower` command: prints the bytecode of C programs.
//!
//! `selvedge` runs it, so that LLVM's memory is gone before the exploration starts, a crash of LLVM is a message, and
//! nothing else has to load it.

mod output;

use clap::Parser;
use selvedge_llvm::Options;
use selvedge_machine::Reductions;
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints the bytecode of C programs; `selvedge check` runs this.
#[derive(Parser, Debug)]
#[command(name = "selvedge-lower", version)]
struct LowerArgs {
    /// Leave out analyses of loops
    #[arg(long, value_name = "NAMES", value_parser = Reductions::all_but, default_value = "")]
    disable: Reductions,

    /// Check indices against arrays that are parts of larger objects
    #[arg(long)]
    strict_bounds: bool,

    /// C files (.c) or LLVM's intermediate language (.bc, .ll)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Flags for clang
    #[arg(last = true, value_name = "CLANG FLAGS")]
    clang: Vec<String>,
}

/// What `#include <selvedge.h>` finds.
const HEADER: &str = include_str!("../../../include/selvedge.h");

/// The exit code for bad input, as that of `selvedge`.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let args = LowerArgs::parse();
    let headers = std::env::temp_dir().join(format!("selvedge-headers-{}", std::process::id()));
    let written =
        std::fs::create_dir_all(&headers).and_then(|()| std::fs::write(headers.join("selvedge.h"), HEADER));
    let result = match written {
        Err(error) => Err(format!("error: cannot write to {}: {error}", headers.display())),
        Ok(()) => {
            let options = Options {
                clang_args: args.clang,
                include_dirs: vec![headers.clone()],
                reductions: args.disable,
                strict_bounds: args.strict_bounds,
            };
            selvedge_llvm::compile(&args.files, &options).map_err(|e| e.to_string())
        }
    };
    let _ = std::fs::remove_dir_all(&headers);
    match result {
        Ok(module) => {
            output::print(&selvedge_vm::text::print(&module));
            ExitCode::SUCCESS
        }
        Err(message) => {
            output::complain(&message);
            ExitCode::from(BAD_INPUT)
        }
    }
}
