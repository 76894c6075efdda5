//! The report for people.

use super::layout::{cut, width, wrap};
use super::report::{CrashReport, CutLoop, Finding, Lacking, Report, Spot, Step};
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
        let Step { thread, name, file, line, action, from, stale, at, source } = step;
        let (thread, line, stale) = (*thread, *line, *stale);
        Step {
            thread,
            name: one(name),
            file: maybe(file),
            line,
            action: one(action),
            from: maybe(from),
            stale,
            at: maybe(at),
            source: maybe(source),
        }
    };
    let spot = |spot: &Spot| Spot {
        what: maybe(&spot.what),
        thread: maybe(&spot.thread),
        calls: spot.calls.iter().map(one).collect(),
        // The file as it is: the source is looked for there. The others are not shown.
        ..spot.clone()
    };
    let lacking = |lacking: &Lacking| Lacking { message: one(&lacking.message), what: lacking.what.clone() };
    let finding = |finding: &Finding| {
        let Finding { kind, message, file, line, column, thread, trace, interleaving, threads, .. } = finding;
        let Finding { points, missing, witness, .. } = finding;
        Finding {
            kind: one(kind),
            message: one(message),
            // Not shown.
            file: file.clone(),
            line: *line,
            column: *column,
            thread: maybe(thread),
            points: points.iter().map(spot).collect(),
            missing: missing.as_ref().map(lacking),
            trace: trace.iter().map(step).collect(),
            left_out: finding.left_out,
            interleaving: *interleaving,
            crash: finding.crash.as_ref().map(|crash| CrashReport {
                told: crash.told.iter().map(|(step, lost)| (one(step), one(lost))).collect(),
                advice: maybe(&crash.advice),
                // Not shown.
                ..crash.clone()
            }),
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
        persist: report.persist.as_ref().map(one),
        post_crash_states: report.post_crash_states,
        events: *events,
        alike: *alike,
        seconds: *seconds,
        max_rss_kb: *max_rss_kb,
        put_off: report.put_off.as_ref().map(one),
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

/// What is wrong alone.
pub fn render_findings(report: &Report, paint: &Paint, columns: usize) -> String {
    let report = &safe(report);
    report.errors.iter().map(|finding| show_finding(finding, paint, columns)).collect()
}

/// The report in lines of at most so many columns, but for what the program itself prints.
pub fn render(report: &Report, paint: &Paint, columns: usize) -> String {
    let report = &safe(report);
    let mut out = String::new();
    for finding in &report.errors {
        out += &show_finding(finding, paint, columns);
        if let Some(why) = &report.why {
            let _ = writeln!(out, "{}", wrap(why, columns, "", "  "));
        }
    }
    if let Some(output) = report.output.as_ref().filter(|o| !o.is_empty()) {
        let _ = writeln!(out, "Output:");
        output.lines().for_each(|line| _ = writeln!(out, "  {line}"));
        out.push('\n');
    }
    let verdict = report.verdict.name();
    let under = wrap(&format!("{verdict} under {}", report.model), columns, "", "  ");
    let painted = match report.verdict {
        Verdict::Verified => paint.green(verdict),
        Verdict::Violated => paint.red(verdict),
        _ => paint.yellow(verdict),
    };
    out += &painted;
    out += &under[verdict.len()..];
    let mut say = |text: &str| out += &wrap(text, columns, "  ", "    ");
    say(&format!(
        "{} complete execution{}{}, {} blocked, {:.2} s, {:.1} MB",
        report.executions,
        if report.executions == 1 { "" } else { "s" },
        report.alike.map_or(String::new(), |n| format!(" up to symmetry of {n} threads")),
        report.blocked,
        report.seconds,
        report.max_rss_kb as f64 / 1024.0
    ));
    if let (Some(model), Some(states)) = (&report.persist, report.post_crash_states) {
        let s = if states == 1 { "" } else { "s" };
        say(&format!("{states} post-crash state{s} under {model}"));
    }
    if let Some(why) = &report.put_off {
        say(&format!("explored with reads put off, which is slow: {why}"));
    }
    for cut in &report.bounded_loops {
        say(&format!(
            "up to {} iterations of the loop at {}:{}; use --unroll N for more",
            cut.bound,
            short(&cut.file),
            cut.line
        ));
    }
    report.unknown.iter().for_each(|why| say(why));
    report.warnings.iter().for_each(|warning| say(&format!("note: {warning}")));
    out
}

fn show_finding(finding: &Finding, paint: &Paint, columns: usize) -> String {
    let head = wrap(&format!("{}: {}", finding.kind, finding.message), columns, "", "  ");
    let mut out = match head.strip_prefix(&finding.kind) {
        Some(rest) => format!("{}{rest}", paint.red(&finding.kind)),
        None => head,
    };
    for (at, spot) in finding.points.iter().enumerate() {
        let is_known = finding.points[..at].iter().any(|p| (&p.file, p.line) == (&spot.file, spot.line));
        out += &show_spot(spot, !is_known, columns);
    }
    let how = if finding.crash.is_some() && finding.interleaving {
        "Before the crash, step by step, with what had persisted and what was lost:"
    } else if finding.interleaving {
        "How it comes about, step by step:"
    } else {
        "How it comes about. No interleaving explains it; `!` marks reads that do not see the latest write:"
    };
    if !finding.trace.is_empty() {
        let _ = writeln!(out, "\n{}", wrap(how, columns, "", ""));
        out += &trace(finding, paint, columns);
        if finding.left_out > 0 {
            let note = format!(
                "{} steps of one thread alone, or to create threads, are left out; `--format json` has them",
                finding.left_out
            );
            out += &wrap(&note, columns, "  ", "  ");
        }
    }
    if let Some(crash) = &finding.crash {
        out += &recovery(crash, paint, columns);
    }
    out.push('\n');
    if let Some(missing) = &finding.missing {
        let _ = writeln!(out, "{}", wrap(&missing.message, columns, "", "  "));
    }
    out
}

/// What recovery found.
fn recovery(crash: &CrashReport, paint: &Paint, columns: usize) -> String {
    let mut out = format!("\n{}\n", wrap("After the crash, recovery:", columns, "", ""));
    if crash.told.is_empty() {
        out += "  reads nothing durable\n";
    }
    for (step, lost) in &crash.told {
        out += &wrap(step, columns, "  ", "      ");
        if !lost.is_empty() {
            wrap(lost, columns, "      ", "        ").lines().for_each(|line| {
                let _ = writeln!(out, "{}", paint.yellow(line));
            });
        }
    }
    if let Some(advice) = &crash.advice {
        let _ = write!(out, "\n{}", wrap(advice, columns, "", "  "));
    }
    out
}

/// How many calls are shown of those that led to a step: the innermost ones, and the outermost.
const CALLS: (usize, usize) = (8, 2);

/// Where a step is in the source, and the calls that led there.
fn show_spot(spot: &Spot, quote: bool, columns: usize) -> String {
    let what = [spot.what.clone(), spot.thread.as_ref().map(|thread| format!("in {thread}"))];
    let what = what.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let colon = if what.is_empty() { "" } else { ": " };
    let mut out =
        wrap(&format!("{}:{}{colon}{what}", line(&spot.file), spot.line), columns, "  --> ", "      ");
    if let Some(text) = source_line(&spot.file, spot.line).filter(|_| quote) {
        let number = spot.line.to_string();
        let pad = " ".repeat(number.len());
        let room = columns.saturating_sub(number.len() + 6);
        // Where it does not fit, it may do without its indentation.
        let text = if width(&text) > room { text.trim_start() } else { &text };
        let _ = writeln!(out, "   {pad} |\n   {number} | {}\n   {pad} |", cut(text, room));
    }
    let calls = told(&spot.calls);
    let left_out = if calls.len() > CALLS.0 + CALLS.1 + 1 { CALLS.0..calls.len() - CALLS.1 } else { 0..0 };
    for (at, call) in calls.iter().enumerate() {
        if !left_out.contains(&at) {
            out += &wrap(call, columns, "      ", "        ");
        } else if at == left_out.start {
            let _ = writeln!(out, "      …");
        }
    }
    out
}

/// Calls in words. Those that repeat, as recursion does, are counted.
fn told(calls: &[String]) -> Vec<String> {
    let Some((innermost, callers)) = calls.split_first() else { return Vec::new() };
    let caller = |same: &[String]| match same.len() {
        1 => format!("called by {}", same[0]),
        times => format!("called by {} ({times} times)", same[0]),
    };
    let callers = callers.chunk_by(|one, next| one == next).map(caller);
    [format!("in {innermost}")].into_iter().chain(callers).collect()
}

fn source_line(file: &str, number: u32) -> Option<String> {
    let text = selvedge_check::source_line(file, number)?;
    Some(line(&text.trim_end().replace('\t', "    ")).into_owned())
}

fn cell(step: &Step) -> String {
    let at = step.at.as_ref().map_or(String::new(), |at| format!("{at}: "));
    let from = step.source.as_ref().map_or(String::new(), |from| format!(" <- {from}"));
    format!("{at}{}{from}", step.action)
}

fn name(finding: &Finding, thread: u16) -> &str {
    finding.threads.get(thread as usize).map_or("", String::as_str)
}

/// The steps: a column per thread that does something if they fit, else one below the other.
fn trace(finding: &Finding, paint: &Paint, columns: usize) -> String {
    let mut shown: Vec<u16> = finding.trace.iter().map(|s| s.thread).collect();
    shown.sort();
    shown.dedup();
    let cell = |s: &Step| format!("{}{}", if s.stale { "! " } else { "" }, cell(s));
    let width_of = |t: u16| {
        let cells = finding.trace.iter().filter(|s| s.thread == t).map(|s| width(&cell(s)));
        cells.max().unwrap_or(0).max(width(name(finding, t)))
    };
    let widths: Vec<usize> = shown.iter().map(|&t| width_of(t)).collect();
    if widths.iter().map(|width| width + 2).sum::<usize>() > columns {
        return list(finding, paint, columns);
    }
    let mut out = String::from("  ");
    for (t, column) in shown.iter().zip(&widths) {
        let name = name(finding, *t);
        let _ = write!(out, "{name}{}", " ".repeat(column + 2 - width(name)));
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

/// The steps one below the other, with the name of the thread where another one goes on.
fn list(finding: &Finding, paint: &Paint, columns: usize) -> String {
    let mut out = String::new();
    let mut last = None;
    for step in &finding.trace {
        if last != Some(step.thread) {
            last = Some(step.thread);
            let name = wrap(name(finding, step.thread), columns, "  ", "  ");
            name.lines().for_each(|line| _ = writeln!(out, "{}", paint.dim(line)));
        }
        let mark = if step.stale { "  ! " } else { "    " };
        for line in wrap(&cell(step), columns, mark, "        ").lines() {
            let line = if step.stale { paint.yellow(line) } else { line.to_string() };
            let _ = writeln!(out, "{line}");
        }
    }
    out
}
