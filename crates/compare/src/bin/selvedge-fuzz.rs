//! Compares explorer and oracle, or explorer and the search through states, on random programs until told to
//! stop.

use clap::{Parser, ValueEnum};
use selvedge_compare::campaign::{Campaign, Models, Progress, run};
use selvedge_compare::compare::Options;
use selvedge_compare::states::{self, Subject};
use selvedge_explore::Equivalence;
use selvedge_oracle::Limits;
use selvedge_oracle::generate_arch::Arch;
use std::process::ExitCode;
use std::time::Duration;

/// Explorer against oracle, or against the search through states, on random programs
#[derive(Parser)]
#[command(name = "selvedge-fuzz")]
struct Args {
    /// A shipped model, `random` for a fresh model every few programs, or `all` for everything
    #[arg(long, default_value = "all")]
    model: String,
    /// Programs to generate; each is run under every model that was asked for
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Begin with the program of this number, as failures are reported
    #[arg(long, default_value_t = 0)]
    from: u64,
    #[arg(long, value_enum, default_value_t = Which::Both)]
    equivalence: Which,
    /// Stop after this many seconds
    #[arg(long)]
    seconds: Option<u64>,
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Leave out programs for which the oracle has to look at more candidates than this: most programs are
    /// small and take little time, few take nearly all of it
    #[arg(long, default_value_t = Limits::default().candidates)]
    candidates: u64,
    /// Programs of an architecture (armv8, power, riscv, x86, lkmm, imm); else, of the model's own
    #[arg(long)]
    arch: Option<String>,
    /// What the explorer is compared with. States: for models that are reordering tables, `all` is those
    #[arg(long, value_enum, default_value_t = Against::Oracle)]
    against: Against,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Against {
    Oracle,
    States,
}

/// Models that are reordering tables.
const TABLES: [&str; 5] = ["sc", "tso", "pso", "dotnet", "dotnet-ecma"];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Co,
    Rf,
    Both,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.against == Against::States {
        return against_states(&args);
    }
    let models = match args.model.as_str() {
        "all" => Models::all(),
        "random" => Ok(Models::random()),
        name => Models::named(&[name]),
    };
    let models = match models {
        Ok(models) => models,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let equivalences = match args.equivalence {
        Which::Co => vec![Equivalence::Co],
        Which::Rf => vec![Equivalence::Rf],
        Which::Both => vec![Equivalence::Co, Equivalence::Rf],
    };
    let arch = match args.arch.as_deref().map(|name| Arch::of_model(name).ok_or(name)).transpose() {
        Ok(arch) => arch,
        Err(name) => {
            eprintln!("no architecture is called {name}");
            return ExitCode::from(2);
        }
    };
    let campaign = Campaign {
        from: args.from,
        programs: args.programs,
        seed: args.seed,
        jobs: args.jobs.max(1),
        time: args.seconds.map(Duration::from_secs),
        options: Options {
            equivalences,
            limits: Limits { candidates: args.candidates, ..Limits::default() },
            ..Options::default()
        },
        arch,
    };
    let mut show = |p: &Progress| {
        let rate = p.compared as f64 / p.elapsed.as_secs_f64().max(1e-9);
        eprintln!(
            "{:>8} programs, {:>10} comparisons, {:>12} executions, {rate:.0} comparisons/s",
            p.programs, p.compared, p.executions
        );
    };
    let outcome = run(&models, &campaign, &mut show);
    print!("{outcome}");
    if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn against_states(args: &Args) -> ExitCode {
    let names = match args.model.as_str() {
        "all" => TABLES.to_vec(),
        name => vec![name],
    };
    let subjects = match names.into_iter().map(Subject::named).collect::<Result<Vec<_>, _>>() {
        Ok(subjects) => subjects,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let campaign = states::Campaign {
        subjects,
        programs: args.programs,
        seed: args.seed,
        jobs: args.jobs.max(1),
        time: args.seconds.map(Duration::from_secs),
    };
    let compared = campaign.run(&mut |programs, elapsed| {
        let rate = programs as f64 / elapsed.as_secs_f64().max(1e-9);
        eprintln!("{programs:>8} programs, {rate:.0} programs/s");
    });
    print!("{compared}");
    if compared.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
