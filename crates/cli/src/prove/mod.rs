//! `selvedge prove …`: parameterised systems, for every number of threads.

mod args;
mod derive;
mod report;

pub use args::ProveArgs;

use crate::error::{Exit, InputError, InputKind, shown_error};
use crate::escape::{name, shown};
use crate::json::error_json;
use crate::output::{complain, print, print_json};
use selvedge_prove::prover::{Options, Report, Verdict, prove};
use selvedge_prove::system::System;
use std::fs;
use std::path::Path;
use std::time::Instant;

pub fn main(args: &ProveArgs) -> Exit {
    match run(args) {
        Ok(exit) => exit,
        Err(error) => {
            if args.format.is_json() {
                print_json(&error_json("prove", None, &error));
            }
            complain(&shown_error(&error));
            // Without a solver nothing is wrong with the input: it is undecided.
            if error.kind == InputKind::Solver { Exit::Bounded } else { Exit::BadInput }
        }
    }
}

fn run(args: &ProveArgs) -> Result<Exit, InputError> {
    let start = Instant::now();
    let file = args.file.display().to_string();
    let (mut assumed, mut least) = (None, None);
    let (derived, system) = if derive::is_program(args)? {
        let derived = derive::derived(args)?;
        assumed = Some(derive::assumed(args, derived.seen));
        least = derived.least();
        (Some(derived.text), derived.system)
    } else {
        let text = crate::files::read(&args.file)?;
        (None, selvedge_prove::parse(&file, &text).map_err(|d| InputError::new(InputKind::System, d))?)
    };
    if let (Some(text), false) = (&derived, args.format.is_json()) {
        print(&format!("{text}\n"));
    }
    let options = Options {
        solver: args.solver.into(),
        certify: args.certify,
        work: args.work,
        deadlock: !args.no_deadlock,
        small: args.small,
        keep_scripts: args.emit_smt.is_some(),
        jobs: args.jobs.workers().number,
        ..Options::default()
    };
    if args.infer {
        return infer(args, &system, &options);
    }
    let found = prove(&system, &options).map_err(solver)?;
    if let Some(dir) = &args.emit_smt {
        emit(dir, &found)?;
    }
    let needed = if args.minimal && found.verdict == Verdict::Proved {
        Some(selvedge_prove::minimal::needed(&system, &options).map_err(solver)?)
    } else {
        None
    };
    let seconds = start.elapsed().as_secs_f64();
    let shown = report::Shown {
        system: &system,
        report: &found,
        needed: needed.as_deref(),
        seconds,
        derived: derived.as_deref(),
        assumed,
        least,
    };
    if args.format.is_json() {
        print_json(&shown.json(&file));
    } else {
        print(&shown.text(args.verbose));
        if let (Some(assumed), Verdict::Proved) = (&shown.assumed, found.verdict) {
            print(&derive::assumed_text(assumed));
        }
    }
    Ok(exit(found.verdict))
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Proved => Exit::Done,
        Verdict::Violated | Verdict::NotProved => Exit::Violated,
        Verdict::Unknown => Exit::Bounded,
    }
}

fn infer(args: &ProveArgs, system: &System, options: &Options) -> Result<Exit, InputError> {
    let found = selvedge_prove::infer::infer(system, options).map_err(|e| match e {
        selvedge_prove::infer::InferError::Solver(e) => solver(e),
        e => InputError::plain(InputKind::Unsupported, e.to_string(), None),
    })?;
    if args.format.is_json() {
        print_json(&report::inferred_json(system, &found));
    } else {
        print(&report::inferred_text(system, &found));
    }
    Ok(exit(found.report.verdict))
}

fn solver(error: selvedge_prove::solver::SolverError) -> InputError {
    let help = "`make test` installs z3 and cvc5; so does `apt-get install z3 cvc5`";
    InputError::plain(InputKind::Solver, error.to_string(), Some(help))
}

/// Writes every question to a file of its own.
fn emit(dir: &Path, found: &Report) -> Result<(), InputError> {
    let failed = |e: std::io::Error| {
        InputError::plain(InputKind::Io, format!("cannot write to {}: {e}", name(dir)), None)
    };
    fs::create_dir_all(dir).map_err(failed)?;
    for (n, done) in found.done.iter().enumerate() {
        let Some(script) = &done.script else { continue };
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let file = format!("{:03}-{}.smt2", n + 1, done.name.chars().map(plain).collect::<String>());
        fs::write(dir.join(file), &*shown(&script.text())).map_err(failed)?;
    }
    Ok(())
}
