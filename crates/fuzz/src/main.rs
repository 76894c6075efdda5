//! Throws random and damaged inputs at everything that reads: `selvedge-hostile TARGET [--seconds S] [--seed
//! N]`.
//!
//! Inputs are the examples of this repository with random changes. Models, tests and formats are read in
//! this process; bitcode, assemblies, checkpoints and command lines go to the `selvedge` that is built beside
//! this command. What is looked for are panics, crashes, runs without an end, exit codes that mean nothing
//! and, for formats, texts that the C library would not print. Programs in C are not damaged but generated,
//! and asked about in two ways: what is looked for are contradictions. Inputs that fail are kept in the
//! directory for temporary files; the exit code is 1 if there are any.

mod assemblies;
mod formats;
mod idioms;
mod mutate;
mod processes;
mod programs;
mod texts;

use clap::{Parser, ValueEnum};
use mutate::Mutator;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Parser, Debug)]
#[command(name = "selvedge-hostile", version)]
struct Args {
    #[arg(value_enum)]
    target: Target,

    /// How long
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    seconds: f64,

    /// Where the random choices begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The command to run [default: `selvedge` beside this one]
    #[arg(long, value_name = "FILE")]
    selvedge: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// Bitcode, through LLVM and the lowering
    Bitcode,
    /// .kat and .cat, read and compiled
    Models,
    /// Litmus tests, read and printed
    Litmus,
    /// Checkpoints whose checksums are right
    Checkpoints,
    /// Formats of printf, against those of the C library
    Formats,
    /// Command lines
    Arguments,
    /// .NET assemblies and their symbols
    Assemblies,
    /// C programs, asked about in two ways that must not contradict each other
    Programs,
}

/// What came of one input.
enum Outcome {
    Accepted,
    Refused,
    /// What is wrong.
    Failed(String),
}

/// Something that takes inputs.
trait Subject {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8>;
    fn run(&mut self, input: &[u8]) -> Outcome;
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> ExitCode {
    let args = Args::parse();
    let selvedge = args
        .selvedge
        .clone()
        .unwrap_or_else(|| std::env::current_exe().unwrap_or_default().with_file_name("selvedge"));
    let subject: Result<Box<dyn Subject>, String> = match args.target {
        Target::Models => Ok(Box::new(texts::Models::new())),
        Target::Litmus => Ok(Box::new(texts::Tests::new())),
        Target::Formats => Ok(Box::new(formats::Formats)),
        Target::Bitcode => processes::Bitcode::new(&selvedge).map(|s| Box::new(s) as Box<dyn Subject>),
        Target::Checkpoints => {
            processes::Checkpoints::new(&selvedge).map(|s| Box::new(s) as Box<dyn Subject>)
        }
        Target::Assemblies => assemblies::Assemblies::new(&selvedge).map(|s| Box::new(s) as Box<dyn Subject>),
        Target::Programs => programs::Programs::new(&selvedge).map(|s| Box::new(s) as Box<dyn Subject>),
        Target::Arguments => processes::Arguments::new(&selvedge).map(|s| Box::new(s) as Box<dyn Subject>),
    };
    let mut subject = match subject {
        Ok(subject) => subject,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    let mut mutator = Mutator::new(args.seed);
    let begin = Instant::now();
    let time = Duration::try_from_secs_f64(args.seconds).unwrap_or(Duration::MAX);
    let (mut accepted, mut refused, mut failed) = (0u64, 0u64, 0u64);
    while begin.elapsed() < time {
        let input = subject.input(&mut mutator);
        match subject.run(&input) {
            Outcome::Accepted => accepted += 1,
            Outcome::Refused => refused += 1,
            Outcome::Failed(why) => {
                failed += 1;
                let number = accepted + refused + failed;
                let name =
                    format!("selvedge-hostile-{:?}-{}-{number}", args.target, args.seed).to_lowercase();
                let kept = std::env::temp_dir().join(name);
                let _ = std::fs::write(&kept, &input);
                eprintln!("input {number}, kept as {}: {why}", kept.display());
            }
        }
    }
    println!(
        "{:?} (seed {}): {} inputs in {:.0} s: {accepted} accepted, {refused} refused, {failed} failed",
        args.target,
        args.seed,
        accepted + refused + failed,
        begin.elapsed().as_secs_f64()
    );
    ExitCode::from(u8::from(failed > 0))
}
