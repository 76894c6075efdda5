//! `cargo selvedge test` and `cargo selvedge run`.
//!
//! cargo builds the crate and all that it depends on, as one module of LLVM with the standard library in it;
//! `selvedge` does the rest.

mod build;
mod compiler;
mod native;

use build::{Artifact, What};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Verifies Rust crates under weak memory models.
#[derive(Parser, Debug)]
#[command(name = "cargo selvedge", bin_name = "cargo selvedge", version)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Verify the tests of a crate, each for itself
    Test(TestArgs),
    /// Verify a program of a crate
    Run(RunArgs),
}

/// What is built, in cargo's own words.
#[derive(Args, Debug)]
struct Select {
    /// The package, if the workspace has several
    #[arg(short, long, value_name = "SPEC")]
    package: Vec<String>,

    /// Features to build with
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,

    /// Build without the default features
    #[arg(long)]
    no_default_features: bool,

    /// The manifest of the crate
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
}

impl Select {
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut option = |name: &str, value: &str| words.extend([name.to_string(), value.to_string()]);
        self.package.iter().for_each(|package| option("--package", package));
        self.features.iter().for_each(|features| option("--features", features));
        if let Some(path) = &self.manifest_path {
            option("--manifest-path", &path.to_string_lossy());
        }
        if self.no_default_features {
            words.push(String::from("--no-default-features"));
        }
        words
    }
}

#[derive(Args, Debug)]
struct TestArgs {
    /// Only tests whose names contain this
    filter: Vec<String>,

    #[command(flatten)]
    select: Select,

    /// The tests of the library
    #[arg(long)]
    lib: bool,

    /// The tests of this file in `tests/`
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,

    /// Options for `selvedge test`: --exact, --ignored, --list, --model, --unroll, ...
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

#[derive(Args, Debug)]
struct RunArgs {
    #[command(flatten)]
    select: Select,

    /// The program, if there are several
    #[arg(long, value_name = "NAME")]
    bin: Option<String>,

    /// The example
    #[arg(long, value_name = "NAME")]
    example: Option<String>,

    /// Options for `selvedge check`: --model, --unroll, --show-output, ...
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// The input is wrong: as `selvedge` says it.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    if let Some(code) = compiler::run() {
        return code;
    }
    // cargo gives the name of the subcommand as the first argument.
    let words = std::env::args_os().enumerate().filter(|(at, word)| *at != 1 || word != "selvedge");
    let cli = match Cli::try_parse_from(words.map(|(_, word)| word)) {
        Ok(cli) => cli,
        Err(message) => {
            let _ = message.print();
            return ExitCode::from(if message.use_stderr() { BAD_INPUT } else { 0 });
        }
    };
    let done = match &cli.command {
        Task::Test(args) => test(args),
        Task::Run(args) => run(args),
    };
    done.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        ExitCode::from(BAD_INPUT)
    })
}

fn test(args: &TestArgs) -> Result<ExitCode, String> {
    let mut words = args.select.words();
    if args.lib {
        words.push(String::from("--lib"));
    }
    args.test.iter().for_each(|name| words.extend([String::from("--test"), name.clone()]));
    let built = build::build(What::Tests, &words)?;
    if built.is_empty() {
        return Err(String::from("the crate has nothing with tests in it"));
    }
    let mut worst = 0;
    let several = built.len() > 1;
    for Artifact { name, modules } in built {
        println!("     Verifying {name}");
        let mut command = selvedge("test");
        if several {
            command.arg("--or-none");
        }
        command.args(&modules).args(args.filter.iter().flat_map(|filter| ["--filter", filter]));
        worst = worse(worst, start(command.args(&args.options))?);
    }
    Ok(ExitCode::from(worst))
}

fn run(args: &RunArgs) -> Result<ExitCode, String> {
    let mut words = args.select.words();
    for (option, name) in [("--bin", &args.bin), ("--example", &args.example)] {
        words.extend(name.iter().flat_map(|name| [option.to_string(), name.clone()]));
    }
    let built = build::build(What::Programs, &words)?;
    match built.as_slice() {
        [] => Err(String::from("the crate has no program; name an example with `--example`")),
        [Artifact { name, modules }] => {
            println!("     Verifying {name}");
            start(selvedge("check").args(modules).args(&args.options)).map(ExitCode::from)
        }
        several => {
            let names: Vec<&str> = several.iter().map(|artifact| artifact.name.as_str()).collect();
            Err(format!("there are several programs ({}); name one with `--bin`", names.join(", ")))
        }
    }
}

/// The command that is installed beside this one, or else anywhere.
fn selvedge(command: &str) -> Command {
    let beside = std::env::current_exe().ok().map(|me| me.with_file_name("selvedge"));
    let program = beside.filter(|path| path.is_file()).unwrap_or_else(|| "selvedge".into());
    let mut process = Command::new(program);
    process.arg(command);
    process
}

fn start(command: &mut Command) -> Result<u8, String> {
    let status = command.status().map_err(|error| {
        format!(
            "`selvedge` cannot be started: {error}; install it with `cargo install --path crates/cli`, \
             in the same directory as `cargo-selvedge`"
        )
    })?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(BAD_INPUT))
}

/// What says more: that something is violated, then that the input is wrong, then that it is undecided.
fn worse(one: u8, other: u8) -> u8 {
    let rank = |code: u8| match code {
        0 => 0,
        3 => 1,
        1 => 3,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}
