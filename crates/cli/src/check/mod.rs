//! `selvedge check`: C programs.

mod checkpoint;
pub mod compile;
pub mod dependencies;
mod explain;
pub mod explore;
pub mod find;
pub mod limits;
mod owned;
mod run;
mod text;
pub mod verdict;

use crate::args::{CheckArgs, Format};
use crate::error::{Exit, InputError, with_excerpt};
use crate::escape::{name, shown};
use crate::guard::{self, Phase};
use crate::output;
use explain::Finding;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use verdict::Verdict;

/// The outcome of one check, as `--format json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub verdict: Verdict,
    pub model: String,
    pub executions: u64,
    pub blocked: u64,
    /// Executions that differ only in which of up to so many threads does what count once.
    #[serde(rename = "symmetric_threads", skip_serializing_if = "Option::is_none")]
    pub alike: Option<u32>,
    pub seconds: f64,
    pub max_rss_kb: u64,
    pub bounded_loops: Vec<CutLoop>,
    pub errors: Vec<Finding>,
    pub warnings: Vec<String>,
    /// Why the error is possible under this model and not under SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What the program prints: with `--show-output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CutLoop {
    pub file: String,
    pub line: u32,
    pub bound: u32,
}

pub fn main(args: &CheckArgs) -> Exit {
    let (report, drawing) = match run::check(args) {
        Ok(done) => done,
        Err(error) => return refuse(args.format, &args.model, error),
    };
    guard::claim();
    tell(args.format, &report);
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
    match report.verdict {
        Verdict::Verified => Exit::Done,
        Verdict::Violated => Exit::Violated,
        Verdict::Bounded | Verdict::Unknown => Exit::Bounded,
    }
}

fn tell(format: Format, report: &Report) {
    match format {
        Format::Json => print_json(report),
        Format::Text => {
            let paint = text::Paint { on: std::io::stdout().is_terminal() };
            output::emit(&text::render(report, &paint));
        }
    }
}

/// Reports that there is no verdict, for a reason, where nothing else is known.
pub fn nothing(format: Format, model: &str, start: Instant) -> impl Fn(&str) + Send + Sync + use<> {
    let model = model.to_string();
    move |why| {
        tell(
            format,
            &Report {
                verdict: Verdict::Unknown,
                model: model.clone(),
                executions: 0,
                blocked: 0,
                alike: None,
                seconds: start.elapsed().as_secs_f64(),
                max_rss_kb: limits::peak_kib(),
                bounded_loops: Vec::new(),
                errors: Vec::new(),
                warnings: Vec::new(),
                why: None,
                unknown: Some(why.to_string()),
                output: None,
            },
        );
    }
}

pub fn print_json(value: &impl Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => output::print_json(&format!("{text}\n")),
        Err(error) => output::complain(&format!("error: {error}")),
    }
}

/// An input error, in the format that was asked for.
pub fn refuse(format: Format, model: &str, error: InputError) -> Exit {
    guard::claim();
    let error = InputError { diagnostic: with_excerpt(error.diagnostic), ..error };
    let diagnostic = &error.diagnostic;
    match format {
        // What clang says is shown as clang says it.
        Format::Text if diagnostic.message.contains(": error:") => output::complain(&diagnostic.message),
        Format::Text => output::complain(&error.to_string()),
        Format::Json => print_json(&serde_json::json!({
            "verdict": "error",
            "model": model,
            "error": {
                "kind": error.kind.name(),
                "message": diagnostic.message,
                "file": diagnostic.span.as_ref().map(|s| s.file.to_string()),
                "line": diagnostic.span.as_ref().map(|s| s.line),
            },
        })),
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
