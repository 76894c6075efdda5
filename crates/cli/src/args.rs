//! The command line.

use crate::crashes::CrashArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use selvedge_check::Workers;
use selvedge_machine::{ErrorKinds, Reductions};
use std::path::PathBuf;
use std::time::Duration;

const EXIT_CODES: &str = "Exit codes:
  0  done
  1  a verdict is not the expected one, or a property is violated (a failed assertion, a data race)
  2  the input is wrong: no verdict for that test
  3  the result is undecided: a loop was cut, an execution failed, the exploration gave up, or there is no execution";

/// Verifies concurrent programs under weak memory models.
#[derive(Parser, Debug)]
#[command(name = "selvedge", version, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Verify programs in C, C++, Rust, and compiled .NET programs
    Check(Box<CheckArgs>),
    /// Verify each test of a Rust program; `cargo selvedge test` builds it and runs this
    Test(Box<TestArgs>),
    /// Say how many executions a program or a litmus test has, about, and how long exploring them takes
    Estimate(EstimateArgs),
    /// Find the cheapest fences and orderings under which a program that breaks is right
    Fix(Box<crate::fix::FixArgs>),
    /// Find the fences and orderings that a program can do without
    Relax(Box<crate::fix::FixArgs>),
    /// Run litmus tests in herd's C dialect or in assembly
    Litmus(LitmusArgs),
    /// List the built-in memory models
    Models,
    /// Prove a parameterised system for every number of threads
    Prove(crate::prove::ProveArgs),
    /// Ask questions about memory models
    Model(crate::model::ModelArgs),
}

#[derive(Args, Debug)]
#[command(after_help = TEST_EXIT_CODES)]
pub struct TestArgs {
    #[command(flatten)]
    pub check: CheckArgs,

    /// Only tests whose names contain this; give it again for more
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Filters are whole names
    #[arg(long)]
    pub exact: bool,

    /// Only tests with `#[ignore]`
    #[arg(long)]
    pub ignored: bool,

    /// Tests with `#[ignore]`, too
    #[arg(long)]
    pub include_ignored: bool,

    /// Only say which tests there are
    #[arg(long)]
    pub list: bool,

    /// A program without tests is no error
    #[arg(long, hide = true)]
    pub or_none: bool,
}

const TEST_EXIT_CODES: &str = "Exit codes:
  0  all tests are verified
  1  a test is violated, or should panic and does not
  2  the input is wrong
  3  a test is undecided, and none is violated";

const CHECK_EXIT_CODES: &str = "Exit codes:
  0  verified
  1  violated
  2  the input is wrong, or the output cannot be written
  3  bounded or unknown: a loop was cut, a limit was reached, something is not supported, or nothing was checked";

/// How many explore at the same time.
#[derive(Args, Clone, Copy, Debug)]
pub struct Jobs {
    /// Workers that explore at the same time; all cores if it is not given
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Milliseconds that the first worker is alone
    #[arg(long, value_name = "MS", default_value_t = 15, hide = true)]
    alone: u64,
}

impl Jobs {
    pub fn workers(self) -> Workers {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let number = self.jobs.map_or_else(cores, |n| n as usize);
        Workers { number, alone: Duration::from_millis(self.alone) }
    }
}

#[derive(Args, Debug)]
#[command(after_help = CHECK_EXIT_CODES)]
pub struct CheckArgs {
    /// Sources in C (.c, .i), C++ (.cpp, .cc, .cxx, .ii) or Rust (.rs), LLVM bitcode (.bc) or assembly
    /// (.ll), linked together; or a compiled .NET program (.dll, .exe)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// A built-in model, or a .kat or .cat file [default: rc11; sc for .NET programs]
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,

    /// Where the assemblies are that a .NET program refers to, the class library among them; give it again
    /// for more
    #[arg(long, value_name = "DIR")]
    pub reference: Vec<PathBuf>,

    /// What must hold of static variables in every state, or, if it ends in `@end`, where the program ends,
    /// as in "Program.counter == 2 @end"; give it again for more. For .NET programs (in every state: of one
    /// field), or with
    /// --engine states
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub invariant: Vec<String>,

    /// Let the time limit of each thread's `Monitor.Wait` be over early, once. Without it, such waits have
    /// no limit
    #[arg(long)]
    pub timeouts: bool,

    /// Interpret all of .NET's class library, also how `ManualResetEventSlim` and `SpinLock` wait (slow).
    /// Without it, each of these is one wait
    #[arg(long)]
    pub whole_library: bool,

    #[command(flatten)]
    pub crashes: CrashArgs,

    /// What is gone through: all executions, or all states (for models that are reordering tables; loops
    /// need no bound; see docs/states.md)
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,

    /// With --engine states: leave nothing out
    #[arg(long)]
    pub all_steps: bool,

    /// With --engine states: states are different that differ only in what objects on the heap are called
    #[arg(long)]
    pub keep_names: bool,

    /// With --engine states: give up when there are more states than this
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub max_states: usize,

    /// Iterations of a loop after which an execution is cut, if what others write decides how many there are
    /// [default: 16, after having looked for errors with 2 and 4]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,

    /// The same for the loops of a function, or of a line: FUNCTION=N, LINE=N or FUNCTION:LINE=N
    #[arg(long, value_name = "LOOP=N")]
    pub unroll_loop: Vec<String>,

    /// Look only for these kinds of errors: a list of names (see docs/check.md)
    #[arg(long, value_name = "KINDS", value_parser = ErrorKinds::named)]
    pub errors: Option<ErrorKinds>,

    /// Report objects on the heap that are never freed
    #[arg(long)]
    pub leaks: bool,

    /// What calls of functions that are neither in the program nor in the library come to
    #[arg(long, value_enum, default_value_t = UnknownFunctions::Refuse)]
    pub unknown_functions: UnknownFunctions,

    /// What volatile accesses are: plain ones, or relaxed atomic ones
    #[arg(long, value_enum, default_value_t = Volatile::Plain)]
    pub volatile: Volatile,

    /// Report indices past the end of an array that is a part of a larger object
    #[arg(long)]
    pub strict_bounds: bool,

    /// A panic that ends a thread of Rust is no error by itself: `join` tells whoever calls it
    #[arg(long)]
    pub joined_panics: bool,

    /// Print what the program prints in the execution that breaks, or in the first one that is complete
    #[arg(long)]
    pub show_output: bool,

    /// An argument for the program, after its name; give it again for more. Without it, there are none
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub args: Vec<String>,

    /// A variable of the program's environment, which is empty without it
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,

    /// Try only numbers of this range for `__VERIFIER_nondet_int` and its kin, both ends included; nothing is
    /// known of others then
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub nondet_range: Option<String>,

    /// Let the weak compare-and-exchanges of each thread fail for no reason, N times at most
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub weak_cas: u32,

    /// More threads than this are an error
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub threads_max: u32,

    /// Give up when an execution has more events than this
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    pub max_events: usize,

    /// Give up after this many executions, blocked ones included
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,

    /// Give up after this many seconds, whatever is being done
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub time_limit: Option<f64>,

    /// Give up when more memory than this is used, by the exploration or by the compiler
    #[arg(long, value_name = "MB")]
    pub mem_limit: Option<u64>,

    #[command(flatten)]
    pub jobs: Jobs,

    /// Report the same error for any number of workers: the first in the order of exploration
    #[arg(long)]
    pub deterministic: bool,

    /// Write to FILE now and then where the exploration stands, and when it is interrupted. FILE must not
    /// exist yet, or be what --resume goes on from
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,

    /// How often, in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, requires = "checkpoint")]
    pub checkpoint_every: f64,

    /// Go on where the exploration stood that wrote FILE
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Where the random choices of the estimate begin that is made on a terminal
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Where standard error is not a terminal: say every so many seconds how far it is; 0 for never
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub progress_every: f64,

    /// Do not report data races
    #[arg(long)]
    pub no_race_detection: bool,

    /// Which executions count as the same
    #[arg(long, value_enum, default_value_t = Equivalence::Co)]
    pub equivalence: Equivalence,

    /// Explore without these reductions: a list of names, or `all` (see docs/check.md)
    #[arg(long = "disable", value_name = "NAMES", value_parser = Reductions::all_but, default_value = "")]
    pub reductions: Reductions,

    /// Count the arrivals at barriers one after the other: short for `--disable bam`
    #[arg(long)]
    pub no_bam: bool,

    /// Go on after the first error
    #[arg(long)]
    pub all_errors: bool,

    #[command(flatten)]
    pub format: FormatArgs,

    /// Draw the execution that breaks, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Draw the execution that breaks, as a picture (needs Graphviz)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Flags for clang
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang: Vec<String>,
}

/// The model for .NET programs where none is asked for.
const MODEL_OF_DOTNET: &str = "sc";

impl CheckArgs {
    /// The model that is asked for, or the default for what is checked.
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(if self.is_managed() { MODEL_OF_DOTNET } else { "rc11" })
    }

    /// Whether it is a .NET program.
    pub fn is_managed(&self) -> bool {
        self.files.iter().any(|file| selvedge_dotnet::is_assembly(file))
    }
}

/// What a check goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// Executions; and states where those are fewer, under `sc`, if data races are not looked for
    Auto,
    /// Executions, as graphs
    Executions,
    /// States, each once
    States,
}

/// What is done about functions that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum UnknownFunctions {
    /// There is no verdict if one is called
    Refuse,
    /// They give any value, and do nothing else
    Input,
}

/// What an access of a volatile object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Volatile {
    /// What C says: it may be in a race
    Plain,
    /// What old programs mean: a relaxed atomic access
    Atomic,
}

#[derive(Args, Debug)]
pub struct EstimateArgs {
    /// C sources, LLVM bitcode (.bc) or assembly (.ll), linked together; or one .litmus file
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// A built-in model, or a .kat or .cat file
    #[arg(short, long, value_name = "MODEL", default_value = "rc11")]
    pub model: String,

    /// Where the random choices begin: the same number gives the same estimate
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Take at most this many samples
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub samples: u64,

    /// Stop sampling after this much work: events that are added and alternatives that are tried
    #[arg(long, value_name = "N", default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub work: u64,

    /// Stop sampling after this many seconds, too; the estimate depends on the machine then
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,

    #[command(flatten)]
    pub crashes: CrashArgs,

    #[command(flatten)]
    pub jobs: Jobs,

    /// Iterations of a loop after which an execution is cut [default: 16; 8 for litmus tests]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,

    /// The same for the loops of a function, or of a line: FUNCTION=N, LINE=N or FUNCTION:LINE=N
    #[arg(long, value_name = "LOOP=N")]
    pub unroll_loop: Vec<String>,

    /// More threads than this are an error
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub threads_max: u32,

    /// What volatile accesses are: plain ones, or relaxed atomic ones
    #[arg(long, value_enum, default_value_t = Volatile::Plain)]
    pub volatile: Volatile,

    /// Do not report data races
    #[arg(long)]
    pub no_race_detection: bool,

    /// Explore without these reductions: a list of names, or `all` (see docs/check.md)
    #[arg(long = "disable", value_name = "NAMES", value_parser = Reductions::all_but, default_value = "")]
    pub reductions: Reductions,

    #[command(flatten)]
    pub format: FormatArgs,

    /// Flags for clang
    #[arg(last = true, value_name = "CLANG FLAGS")]
    pub clang: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// How results are printed.
#[derive(Args, Clone, Copy, Debug)]
pub struct FormatArgs {
    /// How results are printed; JSON is described in docs/json.md
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,

    /// Short for `--format json`
    #[arg(long, global = true)]
    json: bool,
}

impl FormatArgs {
    pub fn format(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    pub fn is_json(self) -> bool {
        self.format() == Format::Json
    }
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct LitmusArgs {
    /// Tests, or directories that are searched for *.litmus files
    #[arg(required = true, value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,

    /// A built-in model, or a .kat or .cat file; give it again to run the tests under several. Without it,
    /// each test runs under the model of its architecture: rc11, lkmm, x86, armv8, power or riscv
    #[arg(short, long = "model", value_name = "MODEL")]
    pub models: Vec<String>,

    #[command(flatten)]
    pub format: FormatArgs,

    /// Draw an execution that decides the verdict to DIR/NAME.dot
    #[arg(long, value_name = "DIR")]
    pub dot: Option<PathBuf>,

    /// Which executions count as the same
    #[arg(long, value_enum, default_value_t = Equivalence::Co)]
    pub equivalence: Equivalence,

    /// Which thread goes next
    #[arg(long, value_enum, default_value_t = Schedule::Ltr)]
    pub schedule: Schedule,

    /// Iterations of a loop after which an execution is cut
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub unroll: u32,

    /// Give up after this many executions of a test
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,

    #[command(flatten)]
    pub jobs: Jobs,

    /// The verdict that every test must have
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub expect: Option<Expect>,

    /// Check the claims in the tests: (* expect MODEL: Always|Sometimes|Never *)
    #[arg(long)]
    pub check: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Equivalence {
    /// Same reads-from and coherence
    Co,
    /// Same reads-from
    Rf,
}

impl From<Equivalence> for selvedge_explore::Equivalence {
    fn from(equivalence: Equivalence) -> selvedge_explore::Equivalence {
        match equivalence {
            Equivalence::Co => selvedge_explore::Equivalence::Co,
            Equivalence::Rf => selvedge_explore::Equivalence::Rf,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Schedule {
    /// The leftmost thread that can
    Ltr,
    /// Threads whose next operation is not a read
    WritesFirst,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Expect {
    Ok,
    No,
}

/// A limit of time: seconds, from 0 on.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        _ => Err(String::from("not a number of seconds")),
    }
}
