//! The command line of `selvedge fix` and `selvedge relax`.

use crate::args::{Jobs, Volatile, seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes:
  0  there is a cheapest repair, or nothing to repair
  1  nothing that may be changed helps
  2  the input is wrong, or a file cannot be written
  3  it did not come to an end: the best that was found, and what any repair costs at least";

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct FixArgs {
    /// Sources in C, C++ or Rust, linked together; one .NET assembly; or one .litmus file
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// A built-in model, or a .kat or .cat file [default: rc11; dotnet for .NET programs; for a litmus test
    /// that of its architecture]
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,

    /// How changes are found: by the cheapest hitting set, or barriers by a minimum cut of the graph of
    /// states, for models that are reordering tables
    #[arg(long, value_enum, default_value_t = MethodArg::HittingSet)]
    pub method: MethodArg,

    /// An expression over static variables that is to hold, as for `check`: of .NET programs, or with
    /// --method min-cut
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub invariant: Vec<String>,

    /// What may be changed
    #[arg(long, value_enum, default_value_t = WithArg::Both)]
    pub with: WithArg,

    /// What changes cost: uniform, x86, armv8, power, riscv, or a file with lines NAME = NUMBER
    #[arg(long, value_name = "COST", default_value = "uniform")]
    pub cost: String,

    /// A change in a loop costs no more than elsewhere
    #[arg(long = "static")]
    pub flat: bool,

    /// Change only what is in this FUNCTION, or at this LINE or FILE:LINE; give it again for more
    #[arg(long, value_name = "PLACE")]
    pub at: Vec<String>,

    /// Do not touch this FUNCTION, LINE or FILE:LINE; give it again for more
    #[arg(long, value_name = "PLACE")]
    pub keep: Vec<String>,

    /// Give the N cheapest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with = "all_minimal")]
    pub list: Option<u16>,

    /// Give all of which nothing can be left out
    #[arg(long)]
    pub all_minimal: bool,

    /// Stop after this many seconds, with the best that was found
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub time_limit: Option<f64>,

    /// Stop when more memory than this is used
    #[arg(long, value_name = "MB")]
    pub mem_limit: Option<u64>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = FixFormat::Text)]
    pub format: FixFormat,

    /// Short for `--format json`
    #[arg(long)]
    pub json: bool,

    /// Write the changed sources
    #[arg(long)]
    pub apply: bool,

    /// Iterations of a loop after which an execution is cut [default: 16; 8 for litmus tests]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,

    /// What volatile accesses are: plain ones, or relaxed atomic ones
    #[arg(long, value_enum, default_value_t = Volatile::Plain)]
    pub volatile: Volatile,

    /// Do not take data races for errors
    #[arg(long)]
    pub no_race_detection: bool,

    #[command(flatten)]
    pub jobs: Jobs,

    /// Where standard error is not a terminal: say every so many seconds how far it is; 0 for never
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub progress_every: f64,

    /// Of a .NET program: look for assemblies there
    #[arg(long, value_name = "DIR")]
    pub reference: Vec<PathBuf>,

    /// Flags for clang
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang: Vec<String>,
}

impl FixArgs {
    /// The model that is asked for, or the default for what is changed.
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(if self.is_managed() { "dotnet" } else { "rc11" })
    }

    /// Whether it is a .NET program.
    pub fn is_managed(&self) -> bool {
        self.files.iter().any(|file| selvedge_dotnet::is_assembly(file))
    }

    pub fn format(&self) -> FixFormat {
        if self.json { FixFormat::Json } else { self.format }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MethodArg {
    HittingSet,
    MinCut,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum WithArg {
    Fences,
    Orderings,
    Both,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FixFormat {
    Text,
    /// See docs/json.md
    Json,
    /// For `patch -p1`; of a litmus test in assembly, the new test
    Diff,
    /// For editors and code review, with the changes as `fixes`
    Sarif,
}
