//! `selvedge check`: programs.

mod arguments;
mod layout;
mod observe;
mod report;
mod states;
mod text;

use crate::args::{CheckArgs, Engine, Format};
use crate::dot;
use crate::error::{Exit, InputError, shown_error, with_excerpt};
use crate::escape::{name, shown};
use crate::guard::{self, Phase};
use crate::json::{error_json, result_json};
use crate::output;
pub use arguments::{
    Managed, assembly_of, bounds_of_library, check_of, errors_of_dotnet, limits_of, loop_bounds,
};
pub use layout::{columns, wrap};
pub use observe::Screen;
use report::Report;
use selvedge_check::{Answer, Outcome, Undecided, Verdict, Violation};
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub fn main(args: &CheckArgs) -> Exit {
    let limits = limits_of(args);
    let cancel = guard::start(
        args.checkpoint.is_some(),
        limits,
        nothing("check", args.format.format(), args.model(), Instant::now()),
    );
    let by_states = args.engine == Engine::States;
    if let Some(error) = states::unfitting(args, by_states) {
        return refuse("check", args.format.format(), args.model(), error);
    }
    if by_states {
        return states::main(args, cancel);
    }
    let mut screen = Screen::new(args.progress_every);
    // Drawings are of executions.
    let only_executions = args.engine == Engine::Executions
        || args.is_managed()
        || args.dot.is_some()
        || args.svg.is_some()
        || !args.invariant.is_empty();
    let done = check_of(args, cancel).and_then(|check| match only_executions {
        true => check.run_with(&mut screen).map(|outcome| Answer::Explored(Box::new(outcome))),
        false => check.answer(&mut screen),
    });
    screen.clear();
    let outcome = match done {
        Ok(Answer::Explored(outcome)) => *outcome,
        Ok(Answer::Searched(searched)) => return states::tell(*searched, args),
        Err(error) => return refuse("check", args.format.format(), args.model(), error),
    };
    guard::claim();
    let first = outcome.violations.first().filter(|_| args.dot.is_some() || args.svg.is_some());
    let drawing = first.map(|violation| match &violation.crash {
        Some(crash) => dot::draw_crash("execution", &violation.witness, crash),
        None => dot::draw("execution", &violation.witness, None),
    });
    let verdict = outcome.verdict;
    tell("check", args.format.format(), &Report::of(outcome, args.model()));
    if let Some(drawing) = drawing {
        guard::enter(Phase::Drawing);
        for (path, svg) in [(&args.dot, false), (&args.svg, true)] {
            if let Some(path) = path
                && let Err(message) = save(path, &drawing, svg)
            {
                output::complain(&format!("error: {message}"));
                return Exit::BadInput;
            }
        }
    }
    match verdict {
        Verdict::Verified => Exit::Done,
        Verdict::Violated => Exit::Violated,
        Verdict::Bounded | Verdict::Unknown => Exit::Bounded,
    }
}

fn tell(command: &'static str, format: Format, report: &Report) {
    match format {
        Format::Json => output::print_json(&result_json(command, report)),
        Format::Text => {
            let paint = text::Paint { on: std::io::stdout().is_terminal() };
            output::emit(&text::render(report, &paint, columns()));
        }
    }
}

/// An execution that breaks, for people.
pub fn shown_violation(violation: &Violation, model: &str) -> String {
    let nothing = Outcome::nothing(model, Undecided::Vacuous, 0.0);
    let outcome = Outcome { violations: vec![violation.clone()], undecided: None, ..nothing };
    let paint = text::Paint { on: std::io::stdout().is_terminal() };
    text::render_findings(&Report::of(outcome, model), &paint, columns())
}

/// Reports that there is no verdict, for a reason, where nothing else is known.
pub fn nothing(
    command: &'static str,
    format: Format,
    model: &str,
    start: Instant,
) -> impl Fn(&str) + Send + Sync + use<> {
    let model = model.to_string();
    move |why| {
        let mut report =
            Report::of(Outcome::nothing(&model, Undecided::Vacuous, start.elapsed().as_secs_f64()), &model);
        report.unknown = Some(why.to_string());
        tell(command, format, &report);
    }
}

/// An input error, in the format that was asked for.
pub fn refuse(command: &'static str, format: Format, model: &str, error: InputError) -> Exit {
    guard::claim();
    let error = InputError { diagnostic: with_excerpt(error.diagnostic), ..error };
    let diagnostic = &error.diagnostic;
    match format {
        // What clang says is shown as clang says it.
        Format::Text if diagnostic.message.contains(": error:") => output::complain(&diagnostic.message),
        Format::Text => output::complain(&shown_error(&error)),
        Format::Json => output::print_json(&error_json(command, Some(model), &error)),
    }
    Exit::BadInput
}

pub fn save(path: &Path, drawing: &str, svg: bool) -> Result<(), String> {
    let drawing = &*shown(drawing);
    let picture = if svg { svg_of(drawing)? } else { drawing.as_bytes().to_vec() };
    // Graphviz does not always notice that it cannot write, so it is not the one who does.
    std::fs::write(path, picture).map_err(|e| format!("cannot write {}: {e}", name(path)))
}

fn svg_of(drawing: &str) -> Result<Vec<u8>, String> {
    let mut child = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot run Graphviz' dot: {e}; use --dot, or install graphviz"))?;
    // It reads all before it writes anything.
    if let Some(mut input) = child.stdin.take() {
        use std::io::Write;
        input.write_all(drawing.as_bytes()).map_err(|e| e.to_string())?;
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(output.stdout) } else { Err(String::from("Graphviz' dot failed")) }
}
