//! The results of many tests, one line each.

use super::Entry;
use super::run::{Check, Outcome};
use crate::args::LitmusArgs;
use crate::error::Exit;
use crate::escape::{line, name};
use selvedge_litmus::{Test, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;

const HEAD: [&str; 8] =
    ["name", "model", "executions", "blocked", "states", "observation", "verdict", "time"];
/// Columns of numbers, which stand to the right.
const NUMBERS: [usize; 4] = [2, 3, 4, 7];

pub fn render(entries: &[Entry], args: &LitmusArgs) -> String {
    let checks = args.check || args.expect.is_some();
    let mut rows: Vec<Vec<String>> = vec![HEAD.map(String::from).to_vec()];
    rows[0].push(String::from(if checks { "check" } else { "" }));
    for entry in entries {
        if let Ok((test, outcome)) = &entry.result {
            rows.push(row(test, outcome).into_iter().map(|cell| line(&cell).into_owned()).collect());
        }
    }
    let mut out = String::new();
    if rows.len() > 1 {
        write_rows(&rows, &mut out);
        out.push('\n');
    }
    summary(entries, args, &mut out);
    out
}

fn row(test: &Test, outcome: &Outcome) -> Vec<String> {
    vec![
        test.name.clone(),
        outcome.model.clone(),
        outcome.stats.complete.to_string(),
        outcome.stats.blocked.to_string(),
        outcome.histogram.len().to_string(),
        outcome.observation().to_string(),
        outcome.verdict(test).to_string(),
        format!("{:.2}", outcome.seconds),
        remarks(outcome),
    ]
}

/// What the columns do not say.
fn remarks(outcome: &Outcome) -> String {
    let mut parts = Vec::new();
    match &outcome.check {
        Check::None => {}
        Check::AsExpected => parts.push(String::from("as expected")),
        Check::Differs { expected, .. } => parts.push(format!("expected {expected}")),
        Check::Unsettled => parts.push(String::from("not settled")),
    }
    parts.extend(outcome.flags.iter().map(|flag| flag.name.clone()));
    if let Some(failure) = &outcome.failure {
        parts.push(String::from(if failure.is_error { "assertion fails" } else { "an execution failed" }));
    }
    if outcome.stats.cut > 0 {
        parts.push(String::from("loops cut"));
    }
    if outcome.stats.gave_up.is_some() {
        parts.push(String::from("gave up"));
    }
    if outcome.histogram.is_empty() && outcome.is_whole() {
        parts.push(String::from("no execution"));
    }
    parts.join(", ")
}

fn write_rows(rows: &[Vec<String>], out: &mut String) {
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=HEAD.len()).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let wide = widths[column];
            let _ = match NUMBERS.contains(&column) {
                true => write!(line, "{cell:>wide$}  "),
                false => write!(line, "{cell:<wide$}  "),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn summary(entries: &[Entry], args: &LitmusArgs, out: &mut String) {
    let results = || entries.iter().filter_map(|e| e.result.as_ref().ok());
    let count = |verdict: Verdict| results().filter(|(t, o)| o.verdict(t) == verdict).count();
    let _ =
        write!(out, "{} results: {} Ok, {} No", results().count(), count(Verdict::Ok), count(Verdict::No));
    if count(Verdict::Undecided) > 0 {
        let _ = write!(out, ", {} Undecided", count(Verdict::Undecided));
    }
    if args.check || args.expect.is_some() {
        let count = |wanted: fn(&Check) -> bool| results().filter(|(_, o)| wanted(&o.check)).count();
        let _ = write!(
            out,
            "; {} as expected, {} not, {} without expectation",
            count(|c| *c == Check::AsExpected),
            count(|c| matches!(c, Check::Differs { .. })),
            count(|c| matches!(c, Check::None | Check::Unsettled))
        );
    }
    let bounded = results().filter(|(_, o)| !o.is_whole()).count();
    let violated = results()
        .filter(|(_, o)| o.exit() == Exit::Violated && !matches!(o.check, Check::Differs { .. }))
        .count();
    for (count, what) in [(bounded, "not seen whole"), (violated, "violated")] {
        if count > 0 {
            let _ = write!(out, "; {count} {what}");
        }
    }
    out.push('\n');
    let errors: Vec<&Entry> = entries.iter().filter(|e| e.result.is_err()).collect();
    if errors.is_empty() {
        return;
    }
    let _ = writeln!(out, "{} input error{}:", errors.len(), if errors.len() == 1 { "" } else { "s" });
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in errors {
        if let Err(error) = &entry.result {
            let at = error.diagnostic.span.as_ref().map_or(String::new(), |s| format!(":{}", s.line));
            let _ = writeln!(out, "  {}{at}: {}", name(&entry.file), line(&error.diagnostic.message));
            *reasons.entry(&error.diagnostic.message).or_default() += 1;
        }
    }
    // What is missing most, if something is missing often.
    let mut often: Vec<(&str, usize)> = reasons.into_iter().filter(|(_, count)| *count > 1).collect();
    often.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if !often.is_empty() {
        out.push_str("the same reasons:\n");
    }
    for (reason, count) in often {
        let _ = writeln!(out, "  {count} times: {}", line(reason));
    }
}
