//! Runs a check: compile in a child process, explore, report.

use super::explain::{Finding, finding, printed};
use super::limits;
use super::{CutLoop, Report};
use crate::args::CheckArgs;
use crate::dot;
use crate::error::{ErrorKind, InputError};
use selvedge_explore::{Config, End, Execution, OUT_OF_FORM, Stats, explore, orders_by_rmw};
use selvedge_machine::{Reduction, Reductions};
use selvedge_model::Model;
use selvedge_vm::{LoopBound, Options, VmMachine};
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Lowers the sources in a child process, so that LLVM's memory is gone before the exploration starts,
/// and a crash of it is a message.
pub fn lower(args: &CheckArgs) -> Result<selvedge_vm::ir::Module, InputError> {
    let bad = |message: String, help| InputError::plain(ErrorKind::Compile, message, help);
    let me = std::env::current_exe().map_err(|e| bad(format!("cannot find this program: {e}"), None))?;
    let output = Command::new(me)
        .arg("lower")
        .arg(format!("--disable={}", args.disable))
        .args(&args.files)
        .arg("--")
        .args(&args.clang)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| bad(format!("cannot start the compiler: {e}"), None))?;
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        return selvedge_vm::text::parse(&text)
            .map_err(|e| bad(format!("the lowered program cannot be read back: {e}"), None));
    }
    let text = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
    Err(match output.status.code() {
        Some(_) => InputError::plain(ErrorKind::Compile, text, None),
        None => bad(
            format!("LLVM crashed on this input ({}) {text}", output.status),
            Some("try another clang flag"),
        ),
    })
}

/// Threads to make room for at first.
const FEW_THREADS: u32 = 4;

/// What a run under one model came to.
struct Run {
    stats: Stats,
    findings: Vec<Finding>,
    drawing: Option<String>,
    /// What the program printed.
    output: Option<String>,
}

fn explore_all(machine: &VmMachine, model: &Model, args: &CheckArgs) -> Result<Run, InputError> {
    let config = Config {
        inspect: true,
        races: !args.no_race_detection,
        reductions: reductions(args),
        max_events: args.max_events,
        watch: Some(limits::reached),
        ..Config::default()
    };
    let mut run = Run { stats: Stats::default(), findings: Vec::new(), drawing: None, output: None };
    let draw = args.dot.is_some() || args.svg.is_some();
    let mut visit = |x: &Execution<'_, VmMachine>| {
        if machine.wants_restart() {
            return ControlFlow::Break(());
        }
        if x.failure().is_some_and(|f| f.kind == OUT_OF_FORM) {
            machine.order_barriers("more threads may be at a barrier than meet there");
            return ControlFlow::Break(());
        }
        let found = finding(machine, x, args.leaks);
        let first_error = found.is_some() && run.findings.is_empty();
        if args.show_output && (first_error || (run.output.is_none() && x.end == End::Complete)) {
            run.output = Some(printed(x));
        }
        let Some(found) = found else { return ControlFlow::Continue(()) };
        let known = run.findings.iter().any(|f: &Finding| f.kind == found.kind && f.line == found.line);
        if !known {
            if draw && run.drawing.is_none() {
                run.drawing = Some(dot::draw_execution(machine, x));
            }
            run.findings.push(found);
        }
        if args.all_errors { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    run.stats = explore(machine, model, &config, &mut visit)
        .map_err(|e| InputError::plain(ErrorKind::Unsupported, e.to_string(), None))?;
    Ok(run)
}

/// Explores, again from the start whenever memory turned out to be accessed in smaller parts.
fn explore_refined(machine: &mut VmMachine, model: &Model, args: &CheckArgs) -> Result<Run, InputError> {
    loop {
        let run = explore_all(machine, model, args)?;
        if !machine.refine() {
            return Ok(run);
        }
    }
}

pub fn check(args: &CheckArgs) -> Result<(Report, Option<String>), InputError> {
    let start = Instant::now();
    limits::set(args.time_limit, args.mem_limit);
    let theory = selvedge_kat::load_named(&args.model).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let model = Model::compile(&theory).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let module = lower(args)?;
    let unroll_some: Vec<LoopBound> =
        args.unroll_loop.iter().map(|text| loop_bound(text)).collect::<Result<_, _>>()?;
    let bam = !args.no_bam && args.disable.has(Reduction::Bam);
    let mut ordered_barriers = (bam && !orders_by_rmw(&model)).then(|| {
        format!("the model `{}` does not order what comes before and after a read-modify-write", model.name())
    });
    // Room for threads costs time per event, and most programs have few: start small.
    let mut room = FEW_THREADS.min(args.threads_max);
    let (mut machine, run) = loop {
        let options = Options {
            unroll: args.unroll,
            unroll_some: unroll_some.clone(),
            max_threads: room,
            weak_cas_failures: args.weak_cas,
            keep_output: args.show_output,
            reductions: reductions(args),
            unordered_barriers: bam && ordered_barriers.is_none(),
            ..Options::default()
        };
        let mut machine = VmMachine::new(module.clone(), options)
            .map_err(|e| InputError::plain(ErrorKind::Compile, e.to_string(), None))?;
        let run = explore_refined(&mut machine, &model, args)?;
        if machine.uses_barriers() {
            ordered_barriers = ordered_barriers.or(machine.why_ordered_barriers());
        }
        if room == args.threads_max || !machine.ran_out_of_threads() {
            break (machine, run);
        }
        room = room.saturating_mul(2).min(args.threads_max);
    };
    let bounded_loops: Vec<CutLoop> = machine
        .cut_loops()
        .into_iter()
        .map(|(place, bound)| CutLoop { file: place.file, line: place.line, bound })
        .collect();
    let gave_up = run.stats.gave_up.clone().filter(|_| run.findings.is_empty() || args.all_errors);
    let (unsupported, errors): (Vec<Finding>, Vec<Finding>) =
        run.findings.into_iter().partition(|f| f.kind == "unsupported");
    let verdict = if !errors.is_empty() {
        "violated"
    } else if !unsupported.is_empty() || gave_up.is_some() {
        "unknown"
    } else if run.stats.cut > 0 {
        "bounded"
    } else {
        "verified"
    };
    let mut warnings = Vec::new();
    if let Some(why) = ordered_barriers.filter(|_| machine.uses_barriers()) {
        warnings.push(format!("barriers are explored with an order of arrivals: {why}"));
    }
    let why = match errors.first() {
        Some(first) if args.model != "sc" => compare_with_sc(&mut machine, args, first)?,
        _ => None,
    };
    let unknown = unsupported.first().map(|f| {
        let place = f.file.as_ref().map_or(String::new(), |file| format!("{file}:{}: ", f.line.unwrap_or(0)));
        format!("{place}not supported: {}", f.message)
    });
    let report = Report {
        verdict,
        model: model.name().to_string(),
        executions: run.stats.complete,
        blocked: run.stats.blocked,
        seconds: start.elapsed().as_secs_f64(),
        max_rss_kb: limits::peak_kib(),
        bounded_loops,
        errors,
        warnings,
        why,
        unknown: unknown.or(gave_up),
        output: run.output,
    };
    Ok((report, run.drawing))
}

/// The reductions that are sound here. That a write to an object is not seen before the object is passed on
/// may fail to hold where it can overtake the write that passes it on, unless that is a race, and so an error
/// of its own. What confirmation needs was shown for the models that come with Selvedge.
fn reductions(args: &CheckArgs) -> Reductions {
    let mut reductions = args.disable;
    let model = args.model.as_str();
    let in_order = matches!(model, "sc" | "tso" | "ra");
    if !in_order && (model != "rc11" || args.no_race_detection) {
        reductions = reductions.without(Reduction::Escape);
    }
    if !in_order && !matches!(model, "pso" | "rc11") {
        reductions = reductions.without(Reduction::Confirmation);
    }
    reductions
}

/// `FUNCTION=N`, `LINE=N` or `FUNCTION:LINE=N`.
fn loop_bound(text: &str) -> Result<LoopBound, InputError> {
    let parsed = text.split_once('=').and_then(|(which, bound)| {
        let bound = bound.parse().ok()?;
        let (function, line) = match which.split_once(':') {
            Some((function, line)) => (Some(function), Some(line.parse().ok()?)),
            None => match which.parse() {
                Ok(line) => (None, Some(line)),
                Err(_) => (Some(which), None),
            },
        };
        Some(LoopBound { function: function.map(String::from), line, bound })
    });
    parsed.ok_or_else(|| {
        let help = "write FUNCTION=N, LINE=N or FUNCTION:LINE=N";
        InputError::plain(ErrorKind::Unsupported, format!("`{text}` is not a bound of a loop"), Some(help))
    })
}

/// Whether sequential consistency would rule the error out.
fn compare_with_sc(
    machine: &mut VmMachine,
    args: &CheckArgs,
    found: &Finding,
) -> Result<Option<String>, InputError> {
    let theory = selvedge_kat::load_named("sc").map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let sc = Model::compile(&theory).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    // SC has no data races of its own, so the question is about the others.
    if found.kind == "data-race" {
        return Ok(None);
    }
    machine.forget_limits();
    let run = explore_refined(machine, &sc, args)?;
    let complete = run.stats.gave_up.is_none();
    let same = run.findings.iter().any(|f| f.kind == found.kind);
    Ok((complete && !same).then(|| {
        format!(
            "Why: this needs weak memory. Under sc the program does not fail like this ({} executions); \
             under {} the reads marked above may see older writes. Look for a missing release or acquire.",
            run.stats.complete, args.model
        )
    }))
}
