//! `selvedge` run on a C program: what it reports, and what it cost.
//!
//! Seconds are of the processor and count everything, start-up and clang included: on a busy machine the
//! clock on the wall says little. Linux counts them in hundredths, so runs that are short are repeated.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Instant;

#[derive(Clone, Debug)]
pub struct Report {
    pub executions: u64,
    pub blocked: u64,
    pub seconds: f64,
    /// On the wall, of the first run.
    pub elapsed: f64,
    pub mib: f64,
    pub end: End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Verified,
    /// A loop was cut.
    Bounded,
    /// The time ran out.
    Interrupted,
}

/// Rows that take longer than this, in seconds, are cut off, unless they say otherwise.
const TIME_LIMIT: &str = "400";
/// Runs shorter than this are repeated a few times, those shorter than a tenth of it often: as the times are
/// counted in hundredths of a second, the mean is off by a thousandth at most then.
const SHORT: f64 = 0.5;
const FEW: u32 = 3;
const MANY: u32 = 10;

pub struct Check<'a> {
    pub file: &'a str,
    pub model: &'a str,
    pub options: &'a [String],
    pub defines: &'a [String],
    pub jobs: u32,
    /// Whether executions that differ only in the names of threads count once; not in published tables.
    pub symmetry: bool,
}

/// The command that was built beside this one.
pub fn selvedge() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("SELVEDGE") {
        return Ok(PathBuf::from(path));
    }
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let path = me.with_file_name("selvedge");
    if path.exists() {
        return Ok(path);
    }
    Err(format!("{} is not there: build it with `cargo build --release -p selvedge-cli`", path.display()))
}

impl Check<'_> {
    fn command(&self) -> Result<Command, String> {
        let mut command = Command::new(selvedge()?);
        command.args(["check", self.file, "-m", self.model, "-j", &self.jobs.to_string()]);
        command.args(["--format", "json", "--progress-every", "0"]);
        if !self.options.iter().any(|option| option == "--time-limit") {
            command.args(["--time-limit", TIME_LIMIT]);
        }
        let mut options = self.options.to_vec();
        if !self.symmetry {
            match options.iter().position(|option| option == "--disable") {
                Some(at) if at + 1 < options.len() => options[at + 1] += ",symmetry",
                _ => options.extend(["--disable", "symmetry"].map(String::from)),
            }
        }
        command.args(options).arg("--").args(self.defines);
        Ok(command)
    }

    pub fn run(&self) -> Result<Report, String> {
        let (out, seconds, elapsed) = timed(&mut self.command()?)?;
        let mut report = parse(&out, seconds, elapsed).map_err(|why| self.wrong(&why))?;
        if seconds < SHORT {
            let repetitions = if seconds < SHORT / 10.0 { MANY } else { FEW };
            let mut sum = seconds;
            for _ in 1..repetitions {
                sum += timed(&mut self.command()?)?.1;
            }
            report.seconds = sum / f64::from(repetitions);
        }
        report.seconds = report.seconds.max(0.001);
        Ok(report)
    }

    fn wrong(&self, what: &str) -> String {
        format!("{} {} under {}: {what}", self.file, self.defines.join(" "), self.model)
    }
}

fn parse(out: &Output, seconds: f64, elapsed: f64) -> Result<Report, String> {
    let report: serde_json::Value = serde_json::from_slice(&out.stdout)
        .map_err(|_| String::from_utf8_lossy(&out.stderr).trim().to_string())?;
    let end = match report["verdict"].as_str() {
        Some("verified") => End::Verified,
        Some("bounded") => End::Bounded,
        Some("unknown") => End::Interrupted,
        other => return Err(format!("the verdict is {}", other.unwrap_or("missing"))),
    };
    let number = |key: &str| report[key].as_u64().ok_or_else(|| format!("no `{key}` in the report"));
    let mib = number("max_rss_kb")? as f64 / 1024.0;
    Ok(Report { executions: number("executions")?, blocked: number("blocked")?, seconds, elapsed, mib, end })
}

/// The program's output, its processor time and its time.
pub fn timed(command: &mut Command) -> Result<(Output, f64, f64), String> {
    let (before, start) = (children_seconds(), Instant::now());
    let out = command.output().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    Ok((out, (children_seconds() - before).max(0.0), start.elapsed().as_secs_f64()))
}

/// Processor time of all processes that this one has waited for, and of theirs (`man 5 proc`, fields 16 and
/// 17, counted after the name in parentheses).
fn children_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(13).take(2).filter_map(|t| t.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
