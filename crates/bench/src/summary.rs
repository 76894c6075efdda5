//! What all rows together say.

use crate::command::{Check, End};
use crate::table::{Counts, Outcome, grouped};
use std::fmt::Write;

/// Published times up to this are the other tool's start-up: the smallest rows take it 0.04 to 0.06 s.
const START_UP: f64 = 0.1;
/// The ratio that is asked for.
const GOAL: f64 = 10.0;
/// The memory that is asked for, in MiB.
const MEMORY: f64 = 64.0;

/// What it takes to explore nothing.
pub fn start_up() -> Result<f64, String> {
    let mut sum = 0.0;
    for _ in 0..4 {
        let check = Check {
            file: "crates/bench/programs/empty.c",
            model: "rc11",
            options: &[],
            defines: &[],
            jobs: 1,
            symmetry: false,
        };
        sum += check.run()?.seconds;
    }
    Ok(sum / 4.0)
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<(f64, usize)> {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (!logs.is_empty()).then(|| ((logs.iter().sum::<f64>() / logs.len() as f64).exp(), logs.len()))
}

pub fn markdown(outcomes: &[Outcome], start_up: f64) -> String {
    let mut text = String::from("## All rows together [summary]\n\n");
    let mean = |of: &mut dyn Iterator<Item = f64>| {
        geometric_mean(of).map_or(String::from("–"), |(m, n)| format!("**{m:.1}** ({n} rows)"))
    };
    let timed = |o: &&Outcome| o.published_seconds.is_some_and(|s| s > START_UP);
    let _ = writeln!(
        text,
        "Starting up, with clang and without anything to explore, takes {start_up:.3} s of the processor.\n"
    );
    text += "Geometric mean of published / ours, whole commands:\n\n";
    for (is_other, whose) in [(false, "whose program is the published one"), (true, "with another program")] {
        let rows = || outcomes.iter().filter(move |o| o.series.other.is_some() == is_other);
        let _ = writeln!(
            text,
            "* over all rows {whose}, with a published time: {}\n\
             \x20 * over those whose published time is above {START_UP} s, that is, more than start-up: {}\n\
             \x20 * over the latter, without our start-up: {}",
            mean(&mut rows().filter_map(Outcome::ratio)),
            mean(&mut rows().filter(timed).filter_map(Outcome::ratio)),
            mean(&mut rows().filter(timed).filter_map(|o| beyond(o, start_up))),
        );
    }
    text += "\n";

    let slow: Vec<&Outcome> =
        outcomes.iter().filter(timed).filter(|o| o.ratio().is_some_and(|r| r < GOAL)).collect();
    let _ = writeln!(
        text,
        "Rows below {GOAL} whose published time is above {START_UP} s. Where nothing but start-up is left of ours, \
         the last column says so.\n"
    );
    text += "| table | program | model | published s | ours s | ratio | without start-up |\n";
    text += "|---|---|---|--:|--:|--:|--:|\n";
    for o in &slow {
        let rest = match beyond(o, start_up) {
            Some(_) if o.report.seconds - start_up < 0.03 => String::from("start-up"),
            Some(ratio) => format!("{ratio:.1}"),
            None => String::from("–"),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {:.3} | {:.1} | {rest} |",
            o.table,
            o.name(),
            o.model,
            o.published_seconds.unwrap_or(0.0),
            o.report.seconds,
            o.ratio().unwrap_or(0.0),
        );
    }
    text += "\n";

    list(&mut text, "Rows with other counts than published", outcomes, |o| {
        (o.counts() == Counts::Differs).then(|| {
            let published = o.size.executions.unwrap_or(0);
            format!("{}, published {}", grouped(o.report.executions), grouped(published))
        })
    });
    list(&mut text, "Rows with more blocked executions than published", outcomes, |o| {
        o.more_blocked().then(|| {
            let other = if o.series.other.is_some() { ", another program" } else { "" };
            let published = o.size.blocked.unwrap_or(0);
            format!("{}, published {}{other}", grouped(o.report.blocked), grouped(published))
        })
    });
    list(&mut text, "Rows that did not finish", outcomes, |o| {
        (o.report.end == End::Interrupted)
            .then(|| format!("{} executions in {:.0} s", grouped(o.report.executions), o.report.seconds))
    });
    list(&mut text, &format!("Rows with more than {MEMORY} MiB"), outcomes, |o| {
        (o.report.mib > MEMORY).then(|| format!("{:.0} MiB", o.report.mib))
    });
    if let Some(most) = outcomes.iter().max_by(|a, b| a.report.mib.total_cmp(&b.report.mib)) {
        let _ =
            writeln!(text, "Most memory: {:.0} MiB, {} [{}].\n", most.report.mib, most.name(), most.table);
    }
    text
}

/// The ratio without our start-up; what is left of ours is at least a hundredth of a second, which is as
/// fine as the clock is.
fn beyond(o: &Outcome, start_up: f64) -> Option<f64> {
    let published = o.published_seconds.filter(|s| s.is_finite())?;
    (o.report.end != End::Interrupted).then(|| published / (o.report.seconds - start_up).max(0.01))
}

fn list(text: &mut String, title: &str, outcomes: &[Outcome], what: impl Fn(&Outcome) -> Option<String>) {
    let rows: Vec<String> = outcomes
        .iter()
        .filter_map(|o| Some(format!("* {} under {} [{}]: {}\n", o.name(), o.model, o.table, what(o)?)))
        .collect();
    let _ = match rows.is_empty() {
        true => writeln!(text, "{title}: none.\n"),
        false => writeln!(text, "{title}:\n\n{}", rows.concat()),
    };
}

#[cfg(test)]
mod tests {
    use super::geometric_mean;

    #[test]
    fn means_are_geometric() {
        let (mean, rows) = geometric_mean([1.0, 100.0].into_iter()).expect("two rows");
        assert!((mean - 10.0).abs() < 1e-9 && rows == 2);
        assert!(geometric_mean(std::iter::empty()).is_none());
    }
}
