//! `selvedge estimate`: how many executions, and how long exploring them would take.

use crate::args::{EstimateArgs, Volatile};
use crate::check::{Screen, loop_bounds, nothing, refuse};
use crate::error::{Exit, InputError, InputKind};
use crate::guard::Phase;
use crate::json::result_json;
use crate::meter::{about, duration};
use crate::{files, guard, output};
use selvedge_check::{
    Cancel, Check, Forecast, Limits, Options, Sources, Stopped, Undecided, compile, estimate_litmus,
};
use selvedge_explore::{Config, Sampling};
use selvedge_kat::Theory;
use serde::Serialize;
use std::time::{Duration, Instant};

/// As `--format json` prints it.
#[derive(Clone, Debug, Serialize)]
struct EstimateReport {
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
    /// Standard deviations of these two.
    executions_error: f64,
    blocked_error: f64,
    /// For exploring all of them with so many workers.
    estimated_seconds: f64,
    jobs: usize,
    /// Samples in which the program fails.
    failing_samples: u64,
    /// Where crashes are looked for: the persistency model, and what recovery may find, over all executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    persist: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_post_crash_states: Option<f64>,
}

pub fn main(args: &EstimateArgs) -> Exit {
    let unknown = nothing("estimate", args.format.format(), &args.model, Instant::now());
    let cancel = guard::start(
        false,
        Limits::default(),
        nothing("estimate", args.format.format(), &args.model, Instant::now()),
    );
    guard::enter(Phase::Model);
    let report = match run(args, cancel) {
        Ok(Ok(report)) => report,
        Ok(Err(why)) => {
            guard::claim();
            unknown(&why.to_string());
            return Exit::Bounded;
        }
        Err(error) => return refuse("estimate", args.format.format(), &args.model, error),
    };
    guard::claim();
    match args.format.is_json() {
        true => output::print_json(&result_json("estimate", &report)),
        false => output::print(&render(&report)),
    }
    if guard::reason_to_stop().is_some() { Exit::Bounded } else { Exit::Done }
}

fn render(report: &EstimateReport) -> String {
    let of_mean = report.executions_error.hypot(report.blocked_error);
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
    if let (Some(persist), Some(states)) = (&report.persist, report.estimated_post_crash_states) {
        text += &format!("  about {} post-crash states under {persist}\n", about(states));
    }
    if report.failing_samples > 0 {
        text += &format!(
            "  {} of the samples fail: `selvedge check` will stop at the first such execution\n",
            report.failing_samples
        );
    }
    text
}

fn run(args: &EstimateArgs, cancel: Cancel) -> Result<Result<EstimateReport, Undecided>, InputError> {
    let theory = selvedge_kat::load_named(&args.model).map_err(InputError::of_model)?;
    let sampling = Sampling {
        seed: args.seed,
        most: args.samples,
        work: args.work,
        time: args.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        ..Sampling::default()
    };
    let is_litmus = |file: &std::path::PathBuf| file.extension().is_some_and(|e| e == "litmus");
    let name = theory.name.clone();
    let forecast = match &args.files[..] {
        [file] if is_litmus(file) && args.crashes.persist.is_some() => {
            let message = format!("{}: litmus tests have no recovery routine", file.display());
            return Err(InputError::plain(InputKind::Unsupported, message, Some("leave out `--persist`")));
        }
        [file] if is_litmus(file) => of_litmus(file, args, &theory, &sampling)?,
        files if files.iter().any(is_litmus) => {
            let message = "litmus tests are estimated one at a time";
            return Err(InputError::plain(InputKind::Unsupported, message, Some("give one file")));
        }
        _ => match check_of(args, theory, cancel)?.estimate(&sampling, &mut Screen::new(0.0)) {
            Ok(forecast) => forecast,
            Err(Stopped::Error(error)) => return Err(error),
            Err(Stopped::GaveUp(why, phase)) => return Ok(Err(Undecided::NotBegun(why, phase))),
        },
    };
    let jobs = args.jobs.workers().number;
    let Forecast { estimate, pace } = forecast;
    Ok(Ok(EstimateReport {
        model: name,
        seed: args.seed,
        mean: estimate.mean,
        stddev: estimate.stddev,
        samples: estimate.samples,
        seconds: estimate.seconds,
        estimated_executions: estimate.complete().round(),
        estimated_blocked: estimate.blocked.round(),
        executions_error: estimate.complete_error,
        blocked_error: estimate.blocked_error,
        estimated_seconds: pace.seconds(estimate.mean, jobs),
        jobs,
        failing_samples: estimate.errors,
        persist: args.crashes.persist.clone(),
        estimated_post_crash_states: pace.states_per_execution().map(|each| (each * estimate.mean).round()),
    }))
}

fn of_litmus(
    file: &std::path::Path,
    args: &EstimateArgs,
    theory: &Theory,
    sampling: &Sampling,
) -> Result<Forecast, InputError> {
    let model = compile(theory).map_err(InputError::of_model)?;
    guard::enter(Phase::Reading);
    let text = files::read(file)?;
    let options = selvedge_litmus::Options { unroll: args.unroll.unwrap_or(8) };
    let test = selvedge_litmus::parse(&file.display().to_string(), &text, &options)
        .map_err(|d| InputError::new(InputKind::Litmus, d))?;
    guard::enter(Phase::Estimating);
    estimate_litmus(&test, &model, sampling, &guard::watch())
}

fn check_of(args: &EstimateArgs, theory: Theory, cancel: Cancel) -> Result<Check, InputError> {
    let options = Options {
        unroll: args.unroll.unwrap_or(16),
        unroll_some: loop_bounds(&args.unroll_loop)?,
        most_threads: args.threads_max,
        most_events: Config::default().max_events,
        reductions: args.reductions,
        races: !args.no_race_detection,
        persist: args.crashes.persist()?,
        disk: args.crashes.disk(),
        ..Options::default()
    };
    let sources = Sources {
        files: args.files.clone(),
        clang: args.clang.clone(),
        volatile_atomic: args.volatile == Volatile::Atomic,
        names: false,
        ..Sources::default()
    };
    Ok(Check { options, cancel, ..Check::new(sources, theory) })
}
