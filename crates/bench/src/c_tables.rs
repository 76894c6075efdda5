//! Tables of C programs: each row is one `selvedge check`, start-up and clang included, with one worker.
//! Seconds are of the processor, in whole hundredths: on a busy machine the clock on the wall says little.
//!
//! `SELVEDGE_PEER`, if it is set, is a command that is run on the same source in the same run: in it,
//! `{model}`, `{flags}` and `{file}` stand for what they say. Its processor time is shown, and the ratio.

use std::path::{Path, PathBuf};
use std::process::Command;

struct Row {
    name: &'static str,
    file: &'static str,
    model: &'static str,
    /// For `check`, separated by spaces.
    options: &'static str,
    defines: &'static str,
    executions: Option<u64>,
    /// Published, on another machine.
    seconds: Option<f64>,
}

const fn row(
    name: &'static str,
    file: &'static str,
    model: &'static str,
    (options, defines): (&'static str, &'static str),
    executions: Option<u64>,
    seconds: Option<f64>,
) -> Row {
    Row { name, file, model, options, defines, executions, seconds }
}

pub const EXAMPLES: &str = "examples/c";
const PROGRAMS: &str = "crates/bench/programs";

/// Seed 002 Table 2, column "New".
const CLASSICS: &[Row] = &[
    row("szymanski(3)", "szymanski-counted.c", "sc", ("", "-DN=3"), Some(1068), Some(1.36)),
    row("szymanski(3)", "szymanski-counted.c", "tso", ("", "-DN=3"), Some(1068), Some(1.89)),
    row("szymanski(3)", "szymanski-counted.c", "rc11", ("", "-DN=3"), Some(1068), Some(3.34)),
    row("peterson(4)", "peterson.c", "sc", ("", "-DN=4"), Some(7360), Some(0.97)),
    row("peterson(4)", "peterson.c", "tso", ("", "-DN=4"), Some(7360), Some(1.40)),
    row("peterson(4)", "peterson.c", "rc11", ("", "-DN=4"), Some(7360), Some(2.80)),
    row("dekker_f(4)", "dekker.c", "sc", ("", "-DN=4"), Some(26_797), Some(6.78)),
    row("dekker_f(4)", "dekker.c", "tso", ("", "-DN=4"), Some(26_797), Some(10.23)),
    row("dekker_f(4)", "dekker.c", "rc11", ("", "-DN=4"), Some(26_797), Some(16.74)),
    row("fib_bench(5)", "fib_bench.c", "sc", ("", "-DN=5"), Some(218_243), Some(1.97)),
    row("fib_bench(5)", "fib_bench.c", "tso", ("", "-DN=5"), Some(218_243), Some(2.45)),
    row("fib_bench(5)", "fib_bench.c", "rc11", ("", "-DN=5"), Some(218_243), Some(4.08)),
    row("fib_bench(6)", "fib_bench.c", "sc", ("", "-DN=6"), Some(2_363_803), Some(21.38)),
    row("lamport(3)", "lamport.c", "sc", ("", "-DN=3"), Some(9216), Some(1.35)),
    row("lamport(3)", "lamport.c", "tso", ("", "-DN=3"), Some(9216), Some(1.74)),
    row("lamport(3)", "lamport.c", "rc11", ("", "-DN=3"), Some(9216), Some(3.26)),
];

/// Seed 000 Tables 1 and 2: BAM's own figures, and GenMC's for the rows without.
const BARRIERS: &[Row] = &[
    row("barrier(6)", "barrier.c", "rc11", ("", "-DN=6"), Some(1), Some(0.01)),
    row("barrier2(6)", "barrier.c", "rc11", ("", "-DN=6 -DROUNDS=2"), Some(1), Some(0.01)),
    row("barrier3(6)", "barrier.c", "rc11", ("", "-DN=6 -DROUNDS=3"), Some(1), Some(0.01)),
    row("barrier(64)", "barrier.c", "rc11", ("--threads-max 128 --unroll 64", "-DN=64"), Some(1), None),
    row("barrier(6), no BAM", "barrier.c", "rc11", ("--no-bam", "-DN=6"), Some(720), Some(7.03)),
    row("barrier2(4), no BAM", "barrier.c", "rc11", ("--no-bam", "-DN=4 -DROUNDS=2"), Some(576), Some(0.74)),
    row(
        "barrier2(5), no BAM",
        "barrier.c",
        "rc11",
        ("--no-bam", "-DN=5 -DROUNDS=2"),
        Some(14_400),
        Some(114.63),
    ),
    row("barrier-lock(3)", "barrier-lock.c", "rc11", ("", "-DN=3"), Some(36), Some(0.03)),
    row("barrier-lock(4)", "barrier-lock.c", "rc11", ("", "-DN=4"), Some(576), Some(0.42)),
    row("barrier-lock(5)", "barrier-lock.c", "rc11", ("", "-DN=5"), Some(14_400), Some(18.99)),
    row("barrier-count(3)", "barrier-count.c", "rc11", ("", "-DN=3"), Some(64), Some(0.04)),
    row("barrier-count(4)", "barrier-count.c", "rc11", ("", "-DN=4"), Some(4992), Some(2.57)),
    row("barrier-det(4), 4x4", "barrier-det.c", "rc11", ("", "-DN=4 -DSIZE=4"), Some(1), None),
    row("barrier-det(4), 7x7", "barrier-det.c", "rc11", ("", "-DN=4 -DSIZE=7"), Some(1), Some(17.87)),
    row("barrier-transc(5)", "barrier-transc.c", "rc11", ("", "-DN=5"), Some(1), Some(0.02)),
];

/// Lock-free structures and locks, one operation per thread.
const STRUCTURES: &[Row] = &[
    row("ttas(5)", "ttas.c", "rc11", ("", "-DN=5"), Some(120), None),
    row("ttas(6)", "ttas.c", "rc11", ("", "-DN=6"), Some(720), None),
    row("treiber-stack(6), pushes", "treiber.c", "rc11", ("", "-DN=6 -DP=0"), Some(720), None),
    row("treiber-stack(7), pushes", "treiber.c", "rc11", ("", "-DN=7 -DP=0"), Some(5040), None),
    row("ms-queue(3), enqueues", "ms-queue.c", "rc11", ("", "-DN=3 -DD=0"), None, None),
];

const TABLES: &[(&str, &str, &str, &[Row])] = &[
    ("classics", "Mutual exclusion and fib_bench in C (seed 002 Table 2)", EXAMPLES, CLASSICS),
    ("barriers", "Barriers (seed 000 Tables 1 and 2)", PROGRAMS, BARRIERS),
    ("structures", "Locks and lock-free structures (thesis §10.2.3)", EXAMPLES, STRUCTURES),
];

pub fn list() {
    for (name, title, _, rows) in TABLES {
        println!("{name:8} {title}, {} rows", rows.len());
    }
}

/// Prints the tables of this name, `all` for all; whether there are any.
pub fn print(name: &str) -> Result<bool, String> {
    let peer = std::env::var("SELVEDGE_PEER").ok();
    let mut found = false;
    for (key, title, dir, rows) in TABLES.iter().filter(|(key, ..)| name == "all" || name == *key) {
        found = true;
        println!("## {title} [{key}]\n");
        print!(
            "| program | model | executions | published | blocked | s | RSS MiB | published s | published / s |"
        );
        println!("{}", if peer.is_some() { " peer s | peer / s |" } else { "" });
        print!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
        println!("{}", if peer.is_some() { "--:|--:|" } else { "" });
        for row in *rows {
            let path = Path::new(dir).join(row.file);
            let m = measure(row, &path)?;
            let published = match row.executions {
                Some(p) if p == m.executions => p.to_string(),
                Some(p) => format!("{p} (differs)"),
                None => String::from("–"),
            };
            let (seconds, ratio) = match row.seconds {
                Some(s) => (format!("{s:.2}"), format!("{:.1}", s / m.seconds)),
                None => (String::from("–"), String::from("–")),
            };
            print!(
                "| {} | {} | {} | {published} | {} | {:.2} | {:.0} | {seconds} | {ratio} |",
                row.name, row.model, m.executions, m.blocked, m.seconds, m.mib
            );
            match peer.as_deref().map(|command| time_peer(command, row, &path)).transpose()? {
                Some(s) => println!(" {s:.2} | {:.1} |", s / m.seconds),
                None => println!(),
            }
        }
        println!();
    }
    Ok(found)
}

struct Measured {
    executions: u64,
    blocked: u64,
    /// Processor time of the whole command, clang included.
    seconds: f64,
    mib: f64,
}

/// The command that was built beside this one.
pub fn selvedge() -> Result<PathBuf, String> {
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let path = me.with_file_name("selvedge");
    if path.exists() {
        return Ok(path);
    }
    Err(format!("{} is not there: build it with `cargo build --release -p selvedge-cli`", path.display()))
}

fn measure(row: &Row, path: &Path) -> Result<Measured, String> {
    let mut command = Command::new(selvedge()?);
    command.arg("check").arg(path).args(["-m", row.model, "-j", "1", "--format", "json"]);
    command.args(row.options.split_whitespace()).arg("--").args(row.defines.split_whitespace());
    let before = children_seconds();
    let out = command.output().map_err(|e| e.to_string())?;
    let seconds = (children_seconds() - before).max(0.01);
    let wrong = |what: &str| format!("{} under {}: {what}", row.name, row.model);
    let report: serde_json::Value = serde_json::from_slice(&out.stdout)
        .map_err(|_| wrong(String::from_utf8_lossy(&out.stderr).trim()))?;
    if report["verdict"] != "verified" {
        return Err(wrong(&format!("the verdict is {}", report["verdict"])));
    }
    let number = |key: &str| report[key].as_u64().ok_or_else(|| wrong(&format!("no `{key}` in the report")));
    Ok(Measured {
        executions: number("executions")?,
        blocked: number("blocked")?,
        seconds,
        mib: number("max_rss_kb")? as f64 / 1024.0,
    })
}

fn time_peer(command: &str, row: &Row, path: &Path) -> Result<f64, String> {
    let command = command
        .replace("{model}", row.model)
        .replace("{flags}", row.defines)
        .replace("{file}", &path.display().to_string());
    let before = children_seconds();
    let out = Command::new("sh").args(["-c", &command]).output().map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(format!("`{command}`: {}", String::from_utf8_lossy(&out.stderr).trim()));
    }
    Ok((children_seconds() - before).max(0.01))
}

/// Processor time of all processes that this one has waited for, and of theirs; Linux counts it in
/// hundredths of a second (`man 5 proc`, fields 16 and 17, counted after the name in parentheses).
fn children_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(13).take(2).filter_map(|t| t.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
