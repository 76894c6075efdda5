//! The `selvedge` command.
//!
//! Each subcommand is a module; `error` is the one reporter of what went wrong, `output` the one way
//! to standard output.

mod args;
mod check;
mod collect;
mod direct;
mod dot;
mod error;
mod estimate;
mod files;
mod interrupt;
mod json;
mod litmus;
mod meter;
mod model;
mod models;
mod output;
mod report;
mod run;
mod table;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let code = match args::Cli::parse().command {
        args::Command::Check(args) => check::main(&args),
        args::Command::Estimate(args) => estimate::main(&args),
        args::Command::Litmus(args) => litmus::main(&args),
        args::Command::Models => models::main(),
        args::Command::Model(args) => model::main(&args),
    };
    ExitCode::from(code as u8)
}
