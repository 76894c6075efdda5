//! The report for people.

use super::report::{CutLoop, Finding, Report, Step};
use crate::escape::{line, shown};
use selvedge_check::{Verdict, short};
use std::fmt::Write;

/// Escape sequences, or nothing where the output is not a terminal.
pub struct Paint {
    pub on: bool,
}

impl Paint {
    fn wrap(&self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    fn red(&self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    fn green(&self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    fn yellow(&self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    fn dim(&self, text: &str) -> String {
        self.wrap("2", text)
    }
}

/// The report with all that comes from the program made safe to be shown. Whoever adds a field says here how
/// it is.
fn safe(report: &Report) -> Report {
    let one = |text: &String| line(text).into_owned();
    let maybe = |text: &Option<String>| text.as_ref().map(one);
    let step = |step: &Step| {
        let Step { thread, name, file, line, action, from, stale } = step;
        let (thread, line, stale) = (*thread, *line, *stale);
        Step {
            thread,
            name: one(name),
            file: maybe(file),
            line,
            action: one(action),
            from: maybe(from),
            stale,
        }
    };
    let finding = |finding: &Finding| {
        let Finding { kind, message, file, line, column, thread, trace, interleaving, threads, witness } =
            finding;
        Finding {
            kind: one(kind),
            message: one(message),
            // As it is: the source is looked for there.
            file: file.clone(),
            line: *line,
            column: *column,
            thread: maybe(thread),
            trace: trace.iter().map(step).collect(),
            interleaving: *interleaving,
            threads: threads.iter().map(one).collect(),
            // Not shown.
            witness: witness.clone(),
        }
    };
    let Report { verdict, model, executions, blocked, events, alike, seconds, max_rss_kb, .. } = report;
    let Report { bounded_loops, errors, warnings, why, unknown, output, .. } = report;
    Report {
        verdict: *verdict,
        model: one(model),
        executions: *executions,
        blocked: *blocked,
        events: *events,
        alike: *alike,
        seconds: *seconds,
        max_rss_kb: *max_rss_kb,
        bounded_loops: bounded_loops
            .iter()
            .map(|cut| CutLoop { file: one(&cut.file), ..cut.clone() })
            .collect(),
        errors: errors.iter().map(finding).collect(),
        warnings: warnings.iter().map(one).collect(),
        why: maybe(why),
        unknown: maybe(unknown),
        output: output.as_ref().map(|text| shown(text).into_owned()),
    }
}

pub fn render(report: &Report, paint: &Paint) -> String {
    let report = &safe(report);
    let mut out = String::new();
    for finding in &report.errors {
        out += &show_finding(finding, paint);
        if let Some(why) = &report.why {
            let _ = writeln!(out, "{why}\n");
        }
    }
    if let Some(output) = report.output.as_ref().filter(|o| !o.is_empty()) {
        let _ = writeln!(out, "Output:");
        output.lines().for_each(|line| _ = writeln!(out, "  {line}"));
        out.push('\n');
    }
    let verdict = match report.verdict {
        Verdict::Verified => paint.green("verified"),
        Verdict::Violated => paint.red("violated"),
        other => paint.yellow(other.name()),
    };
    let _ = writeln!(out, "{verdict} under {}", report.model);
    let _ = writeln!(
        out,
        "  {} complete execution{}{}, {} blocked, {:.2} s, {:.1} MB",
        report.executions,
        if report.executions == 1 { "" } else { "s" },
        report.alike.map_or(String::new(), |n| format!(" up to symmetry of {n} threads")),
        report.blocked,
        report.seconds,
        report.max_rss_kb as f64 / 1024.0
    );
    for cut in &report.bounded_loops {
        let _ = writeln!(
            out,
            "  up to {} iterations of the loop at {}:{}; use --unroll N for more",
            cut.bound,
            short(&cut.file),
            cut.line
        );
    }
    if let Some(why) = &report.unknown {
        let _ = writeln!(out, "  {why}");
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "  note: {warning}");
    }
    out
}

fn show_finding(finding: &Finding, paint: &Paint) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}: {}", paint.red(&finding.kind), finding.message);
    if let (Some(file), Some(number)) = (&finding.file, finding.line) {
        let _ = writeln!(out, "  --> {}:{number}", line(file));
        if let Some(text) = source_line(file, number) {
            let number = number.to_string();
            let pad = " ".repeat(number.len());
            let _ = writeln!(out, "   {pad} |\n   {number} | {text}\n   {pad} |");
        }
    }
    let how = if finding.interleaving {
        "How it comes about, step by step:"
    } else {
        "How it comes about. No interleaving explains it; `!` marks reads that do not see the latest write:"
    };
    let _ = writeln!(out, "\n{how}\n");
    out += &columns(finding, paint);
    out.push('\n');
    out
}

fn source_line(file: &str, number: u32) -> Option<String> {
    let text = selvedge_check::source_line(file, number)?;
    Some(line(&text.trim_end().replace('\t', "    ")).into_owned())
}

/// A column per thread that does something.
fn columns(finding: &Finding, paint: &Paint) -> String {
    let mut shown: Vec<u16> = finding.trace.iter().map(|s| s.thread).collect();
    shown.sort();
    shown.dedup();
    let cell = |s: &Step| {
        let line = s.line.map_or(String::new(), |l| format!("{l}: "));
        let from = s.from.as_ref().map_or(String::new(), |f| format!(" <- {f}"));
        format!("{}{line}{}{from}", if s.stale { "! " } else { "" }, s.action)
    };
    let width = |t: u16| {
        let name = finding.threads[t as usize].chars().count();
        let cells = finding.trace.iter().filter(|s| s.thread == t).map(|s| cell(s).chars().count());
        cells.max().unwrap_or(0).max(name)
    };
    let widths: Vec<usize> = shown.iter().map(|&t| width(t)).collect();
    let mut out = String::from("  ");
    for (t, width) in shown.iter().zip(&widths) {
        let _ = write!(out, "{:<width$}  ", finding.threads[*t as usize]);
    }
    out = format!("{}\n", paint.dim(out.trim_end()));
    for step in &finding.trace {
        let at = shown.iter().position(|&t| t == step.thread).unwrap_or(0);
        let indent: usize = widths[..at].iter().map(|w| w + 2).sum();
        let text = cell(step);
        let text = if step.stale { paint.yellow(&text) } else { text };
        let _ = writeln!(out, "  {}{text}", " ".repeat(indent));
    }
    out
}
