//! The `selvedge` command.
//!
//! Each subcommand is a module; `error` is the one reporter of what went wrong, `output` the one way
//! to standard output.

mod args;
mod check;
mod crashes;
mod dot;
mod error;
mod escape;
mod estimate;
mod files;
mod fix;
mod guard;
mod interrupt;
mod json;
mod litmus;
mod meter;
mod model;
mod models;
mod output;
mod prove;
mod test;

use clap::Parser;
use error::Exit;
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: selvedge_allocate::Accounting = selvedge_allocate::Accounting;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return explain(&message),
    };
    let code = match cli.command {
        args::Command::Check(args) => check::main(&args),
        args::Command::Estimate(args) => estimate::main(&args),
        args::Command::Fix(args) => fix::main(&args, selvedge_repair::Start::Given),
        args::Command::Relax(args) => fix::main(&args, selvedge_repair::Start::Weakest),
        args::Command::Litmus(args) => litmus::main(&args),
        args::Command::Models => models::main(),
        args::Command::Model(args) => model::main(&args),
        args::Command::Prove(args) => prove::main(&args),
        args::Command::Test(args) => test::main(&args),
    };
    end(code)
}

/// A verdict that nobody got is none.
fn end(code: Exit) -> ExitCode {
    ExitCode::from(if output::arrived() { code } else { Exit::BadInput } as u8)
}

/// Help, or what is wrong with the command line.
fn explain(message: &clap::Error) -> ExitCode {
    if message.use_stderr() {
        // Words of the command line are in it.
        let text = message.render();
        output::complain(text.to_string().trim_end());
        return end(Exit::BadInput);
    }
    output::check(message.print().and_then(|()| std::io::stdout().flush()));
    end(Exit::Done)
}
