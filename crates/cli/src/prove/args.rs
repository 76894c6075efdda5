//! The command line of `selvedge prove`.

use crate::args::{FormatArgs, Jobs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes:
  0  proved, for every number of threads
  1  violated in a small instance, or the invariant is not inductive or too weak; what fails is printed
  2  the input is wrong
  3  undecided: a solver is missing, gives up, or does not confirm";

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct ProveArgs {
    /// A system (docs/prove.md has the language), or a program in C with `--threads`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Derive the system from this function of a program, run by all threads, with their numbers
    #[arg(long, value_name = "FUNCTION")]
    pub threads: Option<String>,

    /// The macro that says how many threads there are
    #[arg(long, value_name = "MACRO", default_value = "N", requires = "threads")]
    pub size: String,

    /// What is claimed of a derived system: invariants and properties, in words of its variables and lines
    #[arg(long, value_name = "FILE", requires = "threads")]
    pub invariant: Option<PathBuf>,

    /// The solver that is asked first
    #[arg(long, value_enum, default_value_t = Which::Z3)]
    pub solver: Which,

    /// Take nothing for proved that only one of the solvers says
    #[arg(long)]
    pub certify: bool,

    /// How much work a question may take, as z3 counts it: about a million in half a second. Answers do not
    /// depend on how fast or busy a machine is
    #[arg(long, value_name = "N", default_value_t = 60_000_000, value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub work: u64,

    /// Do not ask whether everybody can be stuck
    #[arg(long)]
    pub no_deadlock: bool,

    /// Look at all states of instances with up to so many elements of each sort first
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = small)]
    pub small: usize,

    /// Say of each conjunct of the invariant whether the proof needs it
    #[arg(long)]
    pub minimal: bool,

    /// Look for an invariant: for threads that are told apart by finitely many local states
    #[arg(long)]
    pub infer: bool,

    /// Write each question to a solver to a file in DIR
    #[arg(long, value_name = "DIR")]
    pub emit_smt: Option<PathBuf>,

    #[command(flatten)]
    pub jobs: Jobs,

    /// Print all obligations
    #[arg(short, long)]
    pub verbose: bool,

    #[command(flatten)]
    pub format: FormatArgs,

    /// Flags for clang
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang: Vec<String>,
}

/// Instances with more elements have too many states.
fn small(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (1..=8).contains(&n) => Ok(n),
        _ => Err(String::from("from 1 to 8")),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Which {
    Z3,
    Cvc5,
}

impl From<Which> for selvedge_prove::solver::Solver {
    fn from(which: Which) -> selvedge_prove::solver::Solver {
        match which {
            Which::Z3 => selvedge_prove::solver::Solver::Z3,
            Which::Cvc5 => selvedge_prove::solver::Solver::Cvc5,
        }
    }
}
