//! A table of C programs as Markdown, with the published figures beside ours.

use crate::command::{Check, End, Report};
use crate::peer::Peer;
use selvedge_bench::catalogue::{Series, Size, Table};
use std::fmt::Write;

/// A row after it was run.
pub struct Outcome {
    pub table: &'static str,
    pub series: &'static Series,
    pub size: &'static Size,
    pub model: &'static str,
    pub published_seconds: Option<f64>,
    pub report: Report,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    Same,
    Differs,
    /// The program is another one, or it was cut off, or nothing was published.
    Incomparable,
}

impl Outcome {
    pub fn name(&self) -> String {
        self.series.label(self.size.n)
    }

    /// Published time by ours, where the published run ended.
    pub fn ratio(&self) -> Option<f64> {
        let published = self.published_seconds.filter(|s| s.is_finite())?;
        (self.report.end != End::Interrupted).then(|| published / self.report.seconds)
    }

    pub fn counts(&self) -> Counts {
        match self.size.executions {
            Some(n) if n == self.report.executions => Counts::Same,
            Some(_) if self.series.other.is_none() && self.report.end != End::Interrupted => Counts::Differs,
            _ => Counts::Incomparable,
        }
    }

    pub fn more_blocked(&self) -> bool {
        self.size.blocked.is_some_and(|n| n < self.report.blocked)
    }
}

/// Runs the rows of a table.
pub fn run(table: &'static Table) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for series in table.series {
        for size in series.sizes {
            for (at, model) in series.models.iter().enumerate() {
                eprintln!("{}: {} under {model}", table.key, series.label(size.n));
                let (options, defines) = (series.options_at(size.n), series.defines_at(size.n));
                let check = Check {
                    file: series.file,
                    model,
                    options: &options,
                    defines: &defines,
                    jobs: 1,
                    symmetry: false,
                };
                outcomes.push(Outcome {
                    table: table.key,
                    series,
                    size,
                    model,
                    published_seconds: size.seconds.get(at).copied(),
                    report: check.run()?,
                });
            }
        }
    }
    Ok(outcomes)
}

pub fn markdown(table: &Table, outcomes: &[Outcome]) -> Result<String, String> {
    let peer = Peer::from_environment();
    let mut text = format!("## {} [{}]\n\n", table.title, table.key);
    text += "| program | model | executions | blocked | s | MiB | published: executions | blocked | s \
             | published / ours | counts |";
    text += if peer.is_some() { " peer, s | peer / ours |\n" } else { "\n" };
    text += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|";
    text += if peer.is_some() { "--:|--:|\n" } else { "\n" };
    for o in outcomes {
        let r = &o.report;
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {:.3} | {:.0} | {} | {} | {} | {} | {} |",
            o.name(),
            o.model,
            grouped(r.executions),
            grouped(r.blocked),
            r.seconds,
            r.mib,
            o.size.executions.map_or(String::from("–"), grouped),
            o.size.blocked.map_or(String::from("–"), grouped),
            published(o.published_seconds),
            o.ratio().map_or(String::from("–"), |x| format!("{x:.1}")),
            verdict(o),
        );
        if let Some(peer) = &peer {
            let flags = o.series.defines_at(o.size.n).join(" ");
            match peer.seconds(o.series.file, o.model, &flags, o.size.n)? {
                Some(s) => {
                    let _ = write!(text, " {s:.2} | {:.1} |", s / r.seconds);
                }
                None => text += " failed | – |",
            }
        }
        text += "\n";
    }
    let mut explained: Vec<(&str, &str)> = Vec::new();
    for series in table.series {
        if let Some(why) = series.other
            && !explained.contains(&(series.name, why))
        {
            explained.push((series.name, why));
        }
    }
    if !explained.is_empty() {
        text += "\nOther programs:\n\n";
        for (name, why) in explained {
            let _ = writeln!(text, "* `{name}`: {why}.");
        }
    }
    text += "\n";
    Ok(text)
}

fn verdict(o: &Outcome) -> String {
    let counts = match o.counts() {
        Counts::Same => "same",
        Counts::Differs => "**differs**",
        Counts::Incomparable if o.series.other.is_some() => "other program",
        Counts::Incomparable => "–",
    };
    let mut text = String::from(counts);
    if o.more_blocked() {
        text += ", **more blocked**";
    }
    match o.report.end {
        End::Verified => {}
        End::Bounded => text += ", loops cut",
        End::Interrupted => text += ", **not finished**",
    }
    text
}

pub fn published(seconds: Option<f64>) -> String {
    match seconds {
        Some(s) if s.is_finite() => format!("{s:.2}"),
        Some(_) => String::from("never"),
        None => String::from("–"),
    }
}

/// 1234567 as 1,234,567.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_go_in_threes() {
        let texts: Vec<String> = [0, 12, 123, 1234, 123_456, 1_234_567].map(grouped).into();
        assert_eq!(texts, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }
}
