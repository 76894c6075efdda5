//! Runs a check: compile in a child process, explore, report.

use super::checkpoint::{self, Identity, Writer};
use super::compile::{
    Lowering, environment, hoped_for, loop_bounds, machine, reductions_for, refuse_sections, simplified,
    with_races, with_symmetry,
};
use super::explain::Finding;
use super::explore::{Campaign, Run, SHORT};
use super::find::Results;
use super::limits;
use super::verdict::{Facts, VACUOUS, Verdict};
use super::{CutLoop, Report, dependencies};
use crate::args::CheckArgs;
use crate::error::{ErrorKind, InputError};
use crate::guard::{self, Phase};
use crate::meter::Meter;
use selvedge_explore::Sampling;
use selvedge_explore::premises::{properties_by_clocks, properties_of};
use selvedge_kat::Theory;
use selvedge_machine::Reduction;
use selvedge_model::{Compiled, Model, Property};
use selvedge_vm::{LoopBound, Options, VmMachine};
use std::time::Instant;

/// Threads to make room for at first.
const FEW_THREADS: u32 = 4;

pub fn check(args: &CheckArgs) -> Result<(Report, Option<String>), InputError> {
    let start = Instant::now();
    limits::set(args.time_limit, args.mem_limit);
    guard::start(args.checkpoint.is_some(), super::nothing(args.format, &args.model, start));
    guard::enter(Phase::Model);
    let theory = selvedge_kat::load_named(&args.model).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let reductions = hoped_for(&theory, args.disable, !args.no_race_detection);
    // The program is compiled while the model is.
    let lowering = Lowering::start(&args.files, reductions, args.strict_bounds, &args.clang)?;
    let compiled = Compiled::compile(&theory).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let unroll_some = loop_bounds(&args.unroll_loop)?;
    let explored = match &compiled {
        Compiled::Clocks(model) => explore_clocks(args, &theory, model, unroll_some, lowering)?,
        Compiled::Matrices(_) => explore_dependencies(args, &theory, &compiled, unroll_some, lowering)?,
    };
    report(args, compiled.name(), explored, start)
}

/// What an exploration came to.
struct Explored {
    machine: VmMachine,
    run: Run,
    /// Why barriers were explored with an order of arrivals.
    ordered_barriers: Option<String>,
    /// Time that was spent on it before it was taken up again.
    seconds_before: f64,
    /// Whether the model's executions are interleavings: then there is nothing to compare with.
    is_interleaving: bool,
}

fn explore_dependencies(
    args: &CheckArgs,
    theory: &Theory,
    model: &Compiled,
    unroll_some: Vec<LoopBound>,
    lowering: Lowering,
) -> Result<Explored, InputError> {
    dependencies::refuse_options(args, model.name())?;
    let properties = properties_of(theory, model);
    let module = lowering.finish()?;
    let reductions = reductions_for(&module, args, &properties);
    let mut room = FEW_THREADS.min(args.threads_max);
    guard::enter(Phase::Exploring);
    let (machine, run) = loop {
        let options = Options {
            track_deps: true,
            unordered_barriers: false,
            unroll: args.unroll,
            unroll_some: unroll_some.clone(),
            max_threads: room,
            weak_cas_failures: args.weak_cas,
            keep_output: args.show_output,
            reductions,
            args: args.args.clone(),
            env: environment(&args.env)?,
            ..Options::default()
        };
        let mut machine = machine(&module, options)?;
        refuse_sections(&machine, &properties, model.name())?;
        let run = dependencies::explore(model, args, &mut machine)?;
        if room == args.threads_max || !machine.ran_out_of_threads() {
            break (machine, run);
        }
        room = room.saturating_mul(2).min(args.threads_max);
    };
    let is_interleaving = properties.has(Property::Interleaving);
    Ok(Explored { machine, run, ordered_barriers: None, seconds_before: 0.0, is_interleaving })
}

fn explore_clocks(
    args: &CheckArgs,
    theory: &Theory,
    model: &Model,
    unroll_some: Vec<LoopBound>,
    lowering: Lowering,
) -> Result<Explored, InputError> {
    let module = lowering.finish()?;
    let properties = properties_by_clocks(theory, model);
    let reductions = reductions_for(&module, args, &properties);
    let bam = !args.no_bam && args.disable.has(Reduction::Bam);
    let mut ordered_barriers = (bam && !properties.has(Property::OrdersByRmw)).then(|| {
        format!("the model `{}` does not order what comes before and after a read-modify-write", model.name())
    });
    let env = environment(&args.env)?;
    let options = |room, unordered_barriers| Options {
        args: args.args.clone(),
        env: env.clone(),
        unordered_barriers,
        unroll: args.unroll,
        unroll_some: unroll_some.clone(),
        max_threads: room,
        weak_cas_failures: args.weak_cas,
        keep_output: args.show_output,
        reductions,
        ..Options::default()
    };
    let plan = (FEW_THREADS.min(args.threads_max), bam && ordered_barriers.is_none());
    let first = machine(&module, options(plan.0, plan.1))?;
    refuse_sections(&first, &properties, model.name())?;
    let simpler = simplified(theory, args.disable, &first)?;
    let simpler = with_races(simpler.as_ref().unwrap_or(model), args.no_race_detection)?;
    let simpler = with_symmetry(&simpler, &first);
    let mut first = Some(first);
    let mut campaign = Campaign::new(&simpler, args, reductions);
    let identity = (args.checkpoint.is_some() || args.resume.is_some()).then(|| {
        let wanted = format!(
            "{} {:?} {} {} {} {} {} {} {} {} {} {} {:?} {env:?}",
            args.unroll,
            unroll_some,
            args.leaks,
            args.threads_max,
            args.max_events,
            args.no_race_detection,
            args.all_errors,
            args.dot.is_some() || args.svg.is_some(),
            args.show_output,
            args.weak_cas,
            args.disable,
            args.no_bam,
            args.args
        );
        Identity::new(&selvedge_vm::text::print(&module), &theory.to_kat(), &wanted)
    });
    let mut saved = match (&args.resume, &identity) {
        (Some(path), Some(identity)) => checkpoint::read(path, identity, &campaign.finder())?,
        _ => None,
    };
    let seconds_before = saved.as_ref().map_or(0.0, |saved| saved.seconds);
    if let (Some(path), Some(identity)) = (&args.checkpoint, identity) {
        let resumed = args.resume.as_deref();
        let writer = Writer::new(path, identity, args.checkpoint_every, seconds_before, resumed)?;
        campaign.writer = Some(writer);
    }
    if Meter::is_on_terminal() {
        let mut machine = machine(&module, options(args.threads_max, bam && ordered_barriers.is_none()))?;
        guard::enter(Phase::Estimating);
        campaign.meter.expect(campaign.estimate(&mut machine, &Sampling { seed: args.seed, ..SHORT })?);
    }
    guard::enter(Phase::Exploring);
    // Room for threads costs time per event, and most programs have few: start small.
    let mut room = saved.as_ref().map_or(FEW_THREADS.min(args.threads_max), |saved| saved.room);
    let (machine, run) = loop {
        let now = (room, bam && ordered_barriers.is_none());
        let mut machine = match first.take() {
            Some(first) if now == plan => first,
            _ => machine(&module, options(now.0, now.1))?,
        };
        let from = match saved.take() {
            None => None,
            Some(saved) => {
                if !machine.restore(saved.machine) {
                    let message = "cannot resume: the checkpoint is of another program";
                    return Err(InputError::plain(ErrorKind::Checkpoint, message, None));
                }
                campaign.recall(saved.chains, saved.twins);
                Some(saved.snapshot)
            }
        };
        let run = campaign.explore(&mut machine, room, from)?;
        if machine.uses_barriers() {
            ordered_barriers = ordered_barriers.or(machine.why_ordered_barriers());
        }
        if room == args.threads_max || !machine.ran_out_of_threads() {
            break (machine, run);
        }
        room = room.saturating_mul(2).min(args.threads_max);
    };
    campaign.meter.clear();
    if let Some(writer) = campaign.writer.filter(|_| run.is_settled) {
        writer.remove();
    }
    let is_interleaving = properties.has(Property::Interleaving);
    Ok(Explored { machine, run, ordered_barriers, seconds_before, is_interleaving })
}

fn report(
    args: &CheckArgs,
    model: &str,
    explored: Explored,
    start: Instant,
) -> Result<(Report, Option<String>), InputError> {
    let Explored { mut machine, run, ordered_barriers, seconds_before, is_interleaving } = explored;
    let Results { findings, warnings: model_warnings, drawing, output } = run.results;
    // Bounds are also reached on the way to executions that turn out not to exist: those do not count.
    let cut_loops = if run.stats.cut > 0 { machine.cut_loops() } else { Vec::new() };
    let bounded_loops: Vec<CutLoop> = cut_loops
        .into_iter()
        .map(|(place, bound)| CutLoop { file: place.file, line: place.line, bound })
        .collect();
    let gave_up = run.stats.gave_up.clone().filter(|_| findings.is_empty() || args.all_errors);
    let (unsupported, errors): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|f| f.kind == "unsupported");
    let verdict = Verdict::of(Facts {
        errors: errors.len(),
        unfinished: !unsupported.is_empty() || gave_up.is_some(),
        cut: run.stats.cut > 0 || !bounded_loops.is_empty(),
        complete: run.stats.complete,
    });
    let mut warnings = machine.notes().to_vec();
    warnings.extend(model_warnings);
    if let Some(why) = ordered_barriers.filter(|_| machine.uses_barriers()) {
        warnings.push(format!("barriers are explored with an order of arrivals: {why}"));
    }
    let why = match errors.first() {
        Some(first) if !is_interleaving => compare_with_sc(&mut machine, args, first)?,
        _ => None,
    };
    let unknown = unsupported.first().map(|f| {
        let place = f.file.as_ref().map_or(String::new(), |file| format!("{file}:{}: ", f.line.unwrap_or(0)));
        format!("{place}not supported: {}", f.message)
    });
    let report = Report {
        verdict,
        model: model.to_string(),
        executions: run.stats.complete,
        blocked: run.stats.blocked,
        alike: Some(run.alike).filter(|alike| *alike > 0),
        seconds: seconds_before + start.elapsed().as_secs_f64(),
        max_rss_kb: limits::peak_kib(),
        bounded_loops,
        errors,
        warnings,
        why,
        unknown: unknown.or(gave_up).or_else(|| {
            let vacuous = verdict == Verdict::Unknown && run.stats.complete == 0;
            vacuous.then(|| VACUOUS.to_string())
        }),
        output,
    };
    Ok((report, drawing))
}

/// Whether sequential consistency would rule the error out.
fn compare_with_sc(
    machine: &mut VmMachine,
    args: &CheckArgs,
    found: &Finding,
) -> Result<Option<String>, InputError> {
    let theory = selvedge_kat::load_named("sc").map_err(|d| InputError::new(ErrorKind::Model, d))?;
    let sc = Model::compile(&theory).map_err(|d| InputError::new(ErrorKind::Model, d))?;
    // Races are judged by C's own rules, under whichever model.
    if found.kind == "data-race" {
        return Ok(None);
    }
    machine.forget_limits();
    let reductions = reductions_for(machine.module(), args, &properties_by_clocks(&theory, &sc));
    let run = Campaign::new(&sc, args, reductions).explore(machine, u32::MAX, None)?;
    let complete = run.stats.gave_up.is_none();
    let same = run.results.findings.iter().any(|f| f.kind == found.kind);
    Ok((complete && !same).then(|| {
        format!(
            "Why: this needs weak memory. Under sc the program does not fail like this ({} executions); \
             under {} the reads marked above may see older writes. Look for a missing release or acquire.",
            run.stats.complete, args.model
        )
    }))
}
