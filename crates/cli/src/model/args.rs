//! The command line of `selvedge model`.

use crate::args::FormatArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes:
  0  every claim holds (compare: an answer was found)
  1  a claim fails; the counterexample is printed
  2  the input is wrong
  3  undecided";

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct ModelArgs {
    #[command(subcommand)]
    pub question: Question,

    #[command(flatten)]
    pub format: FormatArgs,

    /// Check verdicts again by brute force on small executions
    #[arg(long, global = true)]
    pub certify: bool,

    /// Draw the first counterexample (show: the automata), for Graphviz
    #[arg(long, value_name = "FILE", global = true)]
    pub dot: Option<PathBuf>,

    /// The same as a picture (needs Graphviz)
    #[arg(long, value_name = "FILE", global = true)]
    pub svg: Option<PathBuf>,

    /// Write the first counterexample as a litmus test
    #[arg(long, value_name = "FILE", global = true)]
    pub litmus: Option<PathBuf>,

    /// Look at programs in C only: without barriers and exclusive accesses of architectures
    #[arg(long, global = true)]
    pub c_only: bool,

    /// Give up on expressions whose automata have more states
    #[arg(long, value_name = "N", default_value_t = 4000, global = true)]
    pub max_states: usize,

    /// Give up on a claim after this many walks
    #[arg(long, value_name = "N", default_value_t = 3_000_000, global = true)]
    pub max_walks: usize,
}

#[derive(Subcommand, Debug)]
pub enum Question {
    /// Run the assertions of a model
    Check {
        #[arg(value_name = "FILE.kat")]
        file: String,
    },
    /// Is one model weaker than, stronger than or equal to another one?
    Compare {
        #[arg(value_name = "A")]
        first: String,
        #[arg(value_name = "B")]
        second: String,
    },
    /// Is compilation from one model to another one sound?
    Map {
        #[arg(value_name = "SRC")]
        source: String,
        #[arg(value_name = "DST")]
        target: String,
        /// What the compilation scheme guarantees: a file with `assume`
        #[arg(long, value_name = "SCHEME.kat")]
        scheme: Vec<String>,
    },
    /// Which adjacent accesses may be swapped?
    Reorder {
        #[arg(value_name = "MODEL")]
        model: String,
    },
    /// Thin air, prefixes, extension, monotonicity, admission to exploration, and what reductions rely on
    Properties {
        #[arg(value_name = "MODEL")]
        model: String,
    },
    /// Resolved definitions and the automata of the axioms
    Show {
        #[arg(value_name = "MODEL")]
        model: String,
    },
}
