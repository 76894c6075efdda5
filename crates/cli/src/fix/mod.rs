//! `selvedge fix` and `selvedge relax`: what to add, and what to leave out.

mod args;
mod min_cut;
mod report;
mod sarif;
mod text;

pub use args::FixArgs;

use crate::args::{Format, Volatile};
use crate::check::{Managed, Screen, assembly_of, bounds_of_library, errors_of_dotnet, nothing, refuse};
use crate::error::{Exit, InputError, InputKind};
use crate::guard::Phase;
use crate::json::result_json;
use crate::{files, guard, output};
use args::{FixFormat, MethodArg, WithArg};
use report::FixReport;
use selvedge_check::{Cancel, Check, Limits, Options, Program, Sources};
use selvedge_repair::{
    Costs, Dialect, Effort, Job, JobVerdict, Proposal, Request, Start, Verified, Wanted, Where, With, diff,
    repair_litmus, repair_program,
};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the command is called.
fn command(start: Start) -> &'static str {
    if start == Start::Given { "fix" } else { "relax" }
}

pub fn main(args: &FixArgs, start: Start) -> Exit {
    let begin = Instant::now();
    let plain = if args.format() == FixFormat::Text { Format::Text } else { Format::Json };
    let model = args.model().to_string();
    let limits = Limits { seconds: args.time_limit, megabytes: args.mem_limit };
    // What was found is to be printed, so there is some time for it.
    let cancel = guard::start(true, limits, nothing(command(start), plain, &model, begin));
    guard::enter(Phase::Model);
    if args.method == MethodArg::MinCut {
        return min_cut::main(args, start, cancel, limits, begin);
    }
    if !args.invariant.is_empty() && !args.is_managed() {
        let message = "`--invariant` is for .NET programs, or needs `--method min-cut`";
        return refuse(
            command(start),
            plain,
            &model,
            InputError::plain(InputKind::Unsupported, message, None),
        );
    }
    let job = match run(args, start, cancel, limits) {
        Ok(job) => job,
        Err(error) if error.kind == InputKind::Interrupted => {
            guard::claim();
            output::complain(&format!("unknown: {error}"));
            return Exit::Bounded;
        }
        Err(error) => return refuse(command(start), plain, &model, error),
    };
    guard::claim();
    if let Some(error) = job.proposals.first().and_then(|proposal| not_as_meant(&proposal.verified)) {
        output::complain(&error);
    }
    print(args, start, &job, begin);
    if args.apply
        && let Some(proposal) = job.proposals.first()
        && let Err(message) = apply(proposal)
    {
        output::complain(&format!("error: {message}"));
        return Exit::BadInput;
    }
    match job.verdict {
        JobVerdict::Found if job.proposals.iter().any(|p| p.bounded) => Exit::Bounded,
        JobVerdict::Right { bounded: true } => Exit::Bounded,
        JobVerdict::Found | JobVerdict::Right { .. } => Exit::Done,
        JobVerdict::Hopeless | JobVerdict::WrongAsGiven => Exit::Violated,
        JobVerdict::Stopped => Exit::Bounded,
    }
}

/// The text that was made is not what was meant: whoever applies it should know.
fn not_as_meant(verified: &Verified) -> Option<String> {
    match verified {
        Verified::Not(why) => {
            Some(format!("warning: the changed bytecode is right, but the changed text is not: {why}"))
        }
        _ => None,
    }
}

fn print(args: &FixArgs, start: Start, job: &Job, begin: Instant) {
    let seconds = begin.elapsed().as_secs_f64();
    match args.format() {
        FixFormat::Text => {
            let columns = crate::check::columns();
            output::emit(&text::render(job, start, &args.cost, columns, seconds));
        }
        FixFormat::Json => {
            output::print_json(&result_json(command(start), &FixReport::of(job, start, seconds)))
        }
        FixFormat::Sarif => output::print_json(&sarif::text(job, start)),
        FixFormat::Diff => {
            let Some(proposal) = job.proposals.first() else {
                return output::complain(&text::outcome(job, start));
            };
            let by_hand = proposal.items.iter().filter(|item| item.by_hand);
            for item in by_hand {
                let place = format!("{}:{}", item.place.file, item.place.line);
                output::complain(&format!("by hand: {place}: {} -> {}", item.from, item.to));
            }
            for (file, old, new) in &proposal.texts {
                match is_assembly(file, old) {
                    true => output::print(new),
                    false => output::print(&diff(file, old, new)),
                }
            }
        }
    }
}

/// A table of code is shown as a whole.
fn is_assembly(file: &str, text: &str) -> bool {
    file.ends_with(".litmus") && !text.trim_start().starts_with("C ")
}

/// Writes the sources, if they are what they were.
fn apply(proposal: &Proposal) -> Result<(), String> {
    if let Verified::Not(_) = proposal.verified {
        return Err(String::from("nothing was written: the changed text is not right"));
    }
    for (file, old, _) in &proposal.texts {
        let now = std::fs::read_to_string(file)
            .map_err(|e| format!("cannot read {file}: {e}; nothing was written"))?;
        if now != *old {
            return Err(format!("{file} has changed since it was read; nothing was written"));
        }
        let writable = std::fs::OpenOptions::new().append(true).open(file);
        writable.map_err(|e| format!("cannot write {file}: {e}; nothing was written"))?;
    }
    for (file, _, new) in &proposal.texts {
        std::fs::write(file, new).map_err(|e| format!("cannot write {file}: {e}"))?;
    }
    Ok(())
}

fn run(args: &FixArgs, start: Start, cancel: Cancel, limits: Limits) -> Result<Job, InputError> {
    let mut costs = match Costs::named(&args.cost) {
        Some(costs) => costs,
        None => costs_in(Path::new(&args.cost))?,
    };
    costs.weighs_loops = !args.flat;
    let request = Request {
        start,
        with: match args.with {
            WithArg::Fences => With::Fences,
            WithArg::Orderings => With::Orderings,
            WithArg::Both => With::Both,
        },
        costs,
        at: args.at.iter().map(|text| Where::parse(text)).collect(),
        keep: args.keep.iter().map(|text| Where::parse(text)).collect(),
        wanted: match (args.list, args.all_minimal) {
            (_, true) => Wanted::AllMinimal,
            (list, false) => Wanted::Cheapest(list.map_or(1, usize::from)),
        },
        dialect: if args.is_managed() { Dialect::DotNet } else { Dialect::C },
    };
    let mut status = Status::new(args.progress_every);
    let is_litmus = |file: &PathBuf| file.extension().is_some_and(|e| e == "litmus");
    let job = match &args.files[..] {
        [file] if is_litmus(file) => of_litmus(file, args, &request, &mut status),
        files if files.iter().any(is_litmus) => {
            let message = "litmus tests are repaired one at a time";
            Err(InputError::plain(InputKind::Unsupported, message, Some("give one file")))
        }
        _ => of_program(args, &request, cancel, limits, &mut status),
    };
    status.clear();
    job
}

fn check_of(args: &FixArgs, cancel: Cancel, limits: Limits) -> Result<Check, InputError> {
    let theory = selvedge_kat::load_named(args.model()).map_err(InputError::of_model)?;
    let sources = Sources {
        files: args.files.clone(),
        clang: args.clang.clone(),
        volatile_atomic: args.volatile == Volatile::Atomic,
        names: false,
        ..Sources::default()
    };
    let options = Options {
        unroll: args.unroll.unwrap_or(16),
        races: !args.no_race_detection,
        workers: args.jobs.workers(),
        deterministic: true,
        ..Options::default()
    };
    let how = Managed {
        references: &args.reference,
        // A search through states looks at them itself.
        invariants: if args.method == MethodArg::MinCut { &[] } else { &args.invariant },
        ..Managed::default()
    };
    if let Some(module) = assembly_of(&args.files, &how)? {
        let options = Options {
            unroll_some: bounds_of_library(&module, options.unroll),
            races: false,
            errors: errors_of_dotnet(options.errors),
            ..options
        };
        return Ok(Check { program: Program::Module(Box::new(module)), theory, options, cancel, limits });
    }
    Ok(Check { options, cancel, limits, ..Check::new(sources, theory) })
}

fn of_program(
    args: &FixArgs,
    request: &Request,
    cancel: Cancel,
    limits: Limits,
    status: &mut Status,
) -> Result<Job, InputError> {
    let check = check_of(args, cancel, limits)?;
    repair_program(&check, request, &guard::watch(), &mut Screen::new(0.0), &mut |effort| status.show(effort))
}

fn of_litmus(file: &Path, args: &FixArgs, request: &Request, status: &mut Status) -> Result<Job, InputError> {
    guard::enter(Phase::Reading);
    let text = files::read(file)?;
    let options = selvedge_litmus::Options { unroll: args.unroll.unwrap_or(8) };
    let name = file.display().to_string();
    let test =
        selvedge_litmus::parse(&name, &text, &options).map_err(|d| InputError::new(InputKind::Litmus, d))?;
    let model = args.model.as_deref().unwrap_or_else(|| test.default_model());
    let theory = selvedge_kat::load_named(model).map_err(InputError::of_model)?;
    guard::enter(Phase::Exploring);
    repair_litmus(&test, &name, &text, &theory, request, &guard::watch(), &mut |effort| status.show(effort))
}

fn costs_in(path: &Path) -> Result<Costs, InputError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read the table of costs {}: {error}", crate::escape::name(path));
        let help = "a cost is uniform, x86, armv8, power, riscv, or the name of a file";
        InputError::plain(InputKind::Io, message, Some(help))
    })?;
    Costs::parse(&path.display().to_string(), &text).map_err(|error| {
        let message = format!("{}: {error}", crate::escape::name(path));
        InputError::plain(
            InputKind::Unsupported,
            message,
            Some("a line is NAME = NUMBER, as in fence.seq_cst = 20"),
        )
    })
}

/// Says how far it is: a line on the terminal that changes, or a line now and then.
struct Status {
    next: Instant,
    every: Duration,
    is_terminal: bool,
    shown: bool,
}

impl Status {
    fn new(seconds: f64) -> Status {
        let is_terminal = std::io::stderr().is_terminal();
        let lines = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let lines = if lines.is_zero() { Duration::from_secs(1 << 30) } else { lines };
        let every = if is_terminal { Duration::from_millis(200) } else { lines };
        let first = if is_terminal { Duration::from_millis(400) } else { every };
        let now = Instant::now();
        Status { next: now.checked_add(first).unwrap_or(now), every, is_terminal, shown: false }
    }

    fn show(&mut self, effort: &Effort) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + self.every;
        let best = effort.upper_bound.map_or(String::from("none"), |best| best.to_string());
        let text = format!(
            "best so far: {best}, at least {}; {} checks, {} clauses",
            effort.lower_bound, effort.checks, effort.clauses
        );
        let mut err = std::io::stderr().lock();
        let _ = match self.is_terminal {
            true => write!(err, "\r\x1b[K{text}").and_then(|()| err.flush()),
            false => writeln!(err, "{text}"),
        };
        self.shown = true;
    }

    fn clear(&self) {
        if self.is_terminal && self.shown {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}
