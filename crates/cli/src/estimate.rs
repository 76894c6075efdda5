//! `selvedge estimate`: how many executions, and how long exploring them would take.

use crate::args::{EstimateArgs, Format};
use crate::check::compile::{
    facts, hoped_for, loop_bounds, lower, machine, refuse_sections, simplified, with_races, with_symmetry,
};
use crate::check::explore::sample;
use crate::check::{nothing, print_json, refuse};
use crate::direct::reason_to_stop;
use crate::error::{ErrorKind, Exit, InputError};
use crate::guard::Phase;
use crate::meter::{about, duration};
use crate::{files, guard, output};
use selvedge_explore::premises::{properties_by_clocks, sound};
use selvedge_explore::{
    Config, Director, Estimate, Execution, ExploreError, Order, Progress, Sampling, Snapshot, Team, Visitor,
};
use selvedge_kat::Theory;
use selvedge_machine::{Machine, Reduction};
use selvedge_model::Model;
use selvedge_vm::VmMachine;
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// As `--format json` prints it.
#[derive(Clone, Debug, Serialize)]
struct Report {
    model: String,
    seed: u64,
    /// Of the samples: executions, blocked ones included.
    mean: f64,
    /// Of one sample.
    stddev: f64,
    samples: u64,
    /// Spent on sampling.
    seconds: f64,
    /// Complete ones.
    estimated_executions: f64,
    estimated_blocked: f64,
    /// For exploring all of them with so many workers.
    estimated_seconds: f64,
    jobs: usize,
    /// Samples in which the program fails.
    failing_samples: u64,
}

pub fn main(args: &EstimateArgs) -> Exit {
    guard::start(false, nothing(args.format, &args.model, Instant::now()));
    guard::enter(Phase::Model);
    let report = match run(args) {
        Ok(report) => report,
        Err(error) => return refuse(args.format, &args.model, error),
    };
    guard::claim();
    match args.format {
        Format::Json => print_json(&report),
        Format::Text => output::print(&render(&report)),
    }
    if reason_to_stop().is_some() { Exit::Bounded } else { Exit::Done }
}

fn render(report: &Report) -> String {
    let of_mean = report.stddev / (report.samples.max(1) as f64).sqrt();
    let mut text = format!(
        "about {} executions, {} blocked, under {}; about {} with {} worker{}\n",
        about(report.estimated_executions),
        about(report.estimated_blocked),
        report.model,
        duration(report.estimated_seconds),
        report.jobs,
        if report.jobs == 1 { "" } else { "s" },
    );
    text += &format!(
        "  {} samples in {:.2} s, mean {:.1} ± {:.1}, standard deviation {:.1}\n",
        report.samples, report.seconds, report.mean, of_mean, report.stddev
    );
    if report.failing_samples > 0 {
        text += &format!(
            "  {} of the samples fail: `selvedge check` will stop at the first such execution\n",
            report.failing_samples
        );
    }
    text
}

fn run(args: &EstimateArgs) -> Result<Report, InputError> {
    let theory = selvedge_kat::load_named(&args.model).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let model = Model::compile(&theory).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let sampling = Sampling {
        seed: args.seed,
        most: args.samples,
        time: Duration::try_from_secs_f64(args.seconds).unwrap_or(Duration::MAX),
        ..Sampling::default()
    };
    let is_litmus = |file: &std::path::PathBuf| file.extension().is_some_and(|e| e == "litmus");
    let (guess, pace) = match &args.files[..] {
        [file] if is_litmus(file) => of_litmus(file, args, &model, &sampling)?,
        files if files.iter().any(is_litmus) => {
            let message = "litmus tests are estimated one at a time";
            return Err(InputError::plain(ErrorKind::Unsupported, message, Some("give one file")));
        }
        _ => of_program(args, &theory, &model, &sampling)?,
    };
    let jobs = args.jobs.workers();
    Ok(Report {
        model: model.name().to_string(),
        seed: args.seed,
        mean: guess.mean,
        stddev: guess.stddev,
        samples: guess.samples,
        seconds: guess.seconds,
        estimated_executions: (guess.mean - guess.blocked).round(),
        estimated_blocked: guess.blocked.round(),
        estimated_seconds: pace.seconds(guess.mean, jobs),
        jobs,
        failing_samples: guess.errors,
    })
}

fn unsupported(error: ExploreError) -> InputError {
    InputError::plain(ErrorKind::Unsupported, error.to_string(), None)
}

fn of_litmus(
    file: &std::path::Path,
    args: &EstimateArgs,
    model: &Model,
    sampling: &Sampling,
) -> Result<(Estimate, Pace), InputError> {
    guard::enter(Phase::Reading);
    let text = files::read(file)?;
    let options = selvedge_litmus::Options { unroll: args.unroll.unwrap_or(8) };
    let test = selvedge_litmus::parse(&file.display().to_string(), &text, &options)
        .map_err(|d| InputError::new(ErrorKind::Litmus, d))?;
    guard::enter(Phase::Estimating);
    let config = Config::default();
    let mut stop = |_: Option<&'static str>| reason_to_stop().is_some();
    let guess = selvedge_explore::estimate(&test.program, model, &config, sampling, &mut stop)
        .map_err(unsupported)?;
    let pace = pace(&|| test.program.clone(), model, &config).map_err(unsupported)?;
    Ok((guess, pace))
}

fn of_program(
    args: &EstimateArgs,
    theory: &Theory,
    model: &Model,
    sampling: &Sampling,
) -> Result<(Estimate, Pace), InputError> {
    let unroll_some = loop_bounds(&args.unroll_loop)?;
    let hoped = hoped_for(theory, args.disable, !args.no_race_detection);
    let module = lower(&args.files, hoped, &args.clang)?;
    let properties = properties_by_clocks(theory, model);
    let reductions = sound(args.disable, &properties, &facts(&module, !args.no_race_detection)).on;
    let options = selvedge_vm::Options {
        reductions,
        unordered_barriers: reductions.has(Reduction::Bam),
        unroll: args.unroll.unwrap_or(16),
        unroll_some,
        max_threads: args.threads_max,
        ..selvedge_vm::Options::default()
    };
    let races = !args.no_race_detection;
    let (chains, twins) = (Some(Arc::default()), Some(Arc::default()));
    let mut config = Config { inspect: true, races, reductions, chains, twins, ..Config::default() };
    let mut vm = machine(&module, options)?;
    refuse_sections(&vm, &properties, model.name())?;
    let simpler = simplified(theory, args.disable, &vm)?;
    let races = with_races(simpler.as_ref().unwrap_or(model), args.no_race_detection)?;
    let model = &*with_symmetry(&races, &vm);
    guard::enter(Phase::Estimating);
    let guess = sample(&mut vm, model, &config, sampling)?;
    loop {
        let first = Mutex::new(vm.colleague());
        let colleague = || -> VmMachine { first.lock().unwrap_or_else(PoisonError::into_inner).colleague() };
        let pace = pace(&colleague, model, &config).map_err(unsupported)?;
        let refined = vm.refine();
        let broken = config.chains.as_ref().is_some_and(|chains| chains.broken().is_some());
        let told_apart = config.twins.as_ref().is_some_and(|twins| twins.broken());
        if !refined && !broken && !told_apart {
            return Ok((guess, pace));
        }
        // Locations are new; or awaits cannot be left out, or threads are told apart.
        config.twins = config.twins.filter(|_| !told_apart).map(|_| Arc::default());
        config.chains = config.chains.filter(|_| !broken).map(|_| Arc::default());
    }
}

/// How fast executions are explored.
#[derive(Clone, Copy, Debug)]
struct Pace {
    executions: u64,
    seconds: f64,
    /// These were all.
    finished: bool,
}

impl Pace {
    fn seconds(self, executions: f64, jobs: usize) -> f64 {
        if self.finished {
            return self.seconds;
        }
        executions * self.seconds / (self.executions.max(1) as f64 * jobs as f64)
    }
}

/// Only the time counts.
#[derive(Clone)]
struct Unmoved;

impl<M: Machine> Visitor<M> for Unmoved {
    fn visit(&mut self, _: &Execution<'_, M>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn merge(&mut self, _: Unmoved) {}
}

struct Until(Instant);

impl Director<Unmoved> for Until {
    fn order(&mut self, _: Progress) -> Order {
        let over = Instant::now() >= self.0 || reason_to_stop().is_some();
        if over { Order::Stop(String::from("enough")) } else { Order::GoOn }
    }
}

/// How long the exploration is tried.
const TRIAL: Duration = Duration::from_millis(250);

/// Explores for a moment.
fn pace<M: Machine>(
    machine: &(dyn Fn() -> M + Sync),
    model: &Model,
    config: &Config,
) -> Result<Pace, ExploreError> {
    let begin = Instant::now();
    let team = Team { tick: TRIAL / 10, ..Team::new(model, config, 1) };
    let end = team.explore(machine, &Unmoved, Snapshot::start(Unmoved), &mut Until(begin + TRIAL))?;
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Pace { executions: end.stats.executions(), seconds, finished: end.units.is_empty() })
}
