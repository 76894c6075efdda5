//! The programs of [Huynh07] Table 2 as .NET assemblies, by all executions and by all states, beside the
//! paper's own figures; and the class library's `Barrier`.

use crate::command::{selvedge, timed};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A program, whether ECMA's table breaks it, and of the paper: states and transitions with every step (Table
/// 3) and reduced (Table 4), seconds of the reduced search.
type Row = (&'static str, bool, (u64, u64), (u64, u64), f64);

const PAPER: [Row; 10] = [
    ("peterson", true, (903, 2_794), (881, 2_697), 0.90),
    ("tbarrier", true, (1_579, 5_812), (801, 2_641), 1.5),
    ("dc", true, (228, 479), (150, 272), 0.36),
    ("rw-vol", true, (1_646, 5_616), (1_613, 5_458), 2.06),
    ("rowo", true, (1_831, 4_413), (1_776, 4_231), 1.36),
    ("po", true, (6_143, 22_875), (6_091, 22_595), 7.64),
    ("iw1", false, (14_886, 67_589), (246, 557), 0.59),
    ("iw2", false, (92_613, 285_430), (353, 560), 0.63),
    ("rw", false, (7_762, 28_310), (6_851, 22_119), 7.48),
    ("bb", false, (16_072, 51_447), (1_704, 4_048), 2.08),
];

/// How many states a search with every step may have, and how often a short one is timed.
const MOST: u64 = 2_000_000;
const RUNS: u32 = 10;

const BEFORE: &str =
    "The programs of `examples/dotnet` under the table of ECMA-335, by all executions up to the first
counterexample, and by all states. **s** is processor time of the whole command, start-up included, the mean
of ten runs. States with transitions in parentheses; *every step* is `--all-steps`, with two million states at
most (> says that there are more). The programs are other ones by another compiler, so it is the effect of the
reduction that compares: *fewer* is every step over reduced, in states. The paper's seconds are those of its
reduced search.\n\n";

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## .NET programs ([Huynh07] Tables 3 and 4) [dotnet]\n\n");
    let scratch = std::env::temp_dir().join(format!("selvedge-bench-dotnet-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
    let rows = rows(&scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    match rows? {
        Some(rows) => text += &format!("{BEFORE}{rows}"),
        None => text += "Without mono's compiler (`mcs`), there are no rows for .NET.\n",
    }
    text += "\n";
    Ok(text)
}

fn rows(scratch: &Path) -> Result<Option<String>, String> {
    let mut text = String::from(
        "| program | `sc` | `dotnet-ecma` | executions, s | states, reduced | every step | s | fewer | \
         paper: reduced | every step | s | fewer | s, paper / ours |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (name, broken, every, reduced, seconds) in PAPER {
        eprintln!("dotnet: {name}");
        let Some(program) = compiled(scratch, name)? else { return Ok(None) };
        let verdict = |report: &Value| report["verdict"].as_str().unwrap_or("none").to_string();
        let sc = run(&program, &["-m", "sc"])?.0;
        let (found, of_executions) = often(&program, &["-m", "dotnet-ecma"])?;
        let states = ["--engine", "states", "-m", "dotnet-ecma"];
        let (few, of_states) = often(&program, &states)?;
        let limit = MOST.to_string();
        let all = [&states[..], &["--all-steps", "--max-states", &limit]].concat();
        let all = run(&program, &all)?.0;
        if (verdict(&found) == "violated", verdict(&few) == "violated") != (broken, broken) {
            return Err(format!("{name}: {} and {} under dotnet-ecma", verdict(&found), verdict(&few)));
        }
        let count = |report: &Value, key: &str| report[key].as_u64().unwrap_or(0);
        let (ours, most) = (count(&few, "states"), count(&all, "states"));
        let more = if most >= MOST { "> " } else { "" };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {of_executions:.3} | {} | {more}{} | {of_states:.3} | {more}{} | {} | {} \
             | {seconds} | {:.1} | {:.0} |",
            verdict(&sc),
            verdict(&found),
            pair(ours, count(&few, "transitions")),
            pair(most, count(&all, "transitions")),
            grouped(most / ours.max(1)),
            pair(reduced.0, reduced.1),
            pair(every.0, every.1),
            every.0 as f64 / reduced.0 as f64,
            seconds / of_states.max(0.001),
        );
    }
    eprintln!("dotnet: barrier-four");
    if let Some(program) = compiled(scratch, "barrier-four")? {
        let (report, seconds) = run(&program, &["--engine", "states", "-m", "sc"])?;
        let _ = writeln!(
            text,
            "\nThe library's `Barrier`, four threads and four rounds, under `sc`: {}, {} states, \
             {seconds:.1} s, {:.0} MB ([Malkis13]: Spin, 5,720 s, on a model made by hand).",
            report["verdict"].as_str().unwrap_or("none"),
            grouped(report["states"].as_u64().unwrap_or(0)),
            report["max_rss_kb"].as_f64().unwrap_or(0.0) / 1024.0
        );
    }
    Ok(Some(text))
}

/// The program, unless there is no compiler.
fn compiled(scratch: &Path, name: &str) -> Result<Option<String>, String> {
    let out = scratch.join(format!("{name}.exe")).display().to_string();
    let source = format!("examples/dotnet/{name}.cs");
    let mut compiler = Command::new("mcs");
    compiler.args(["-debug", "-d:DEBUG", &format!("-out:{out}"), &source]);
    let Ok(done) = compiler.output() else { return Ok(None) };
    match done.status.success() {
        true => Ok(Some(out)),
        false => Err(format!("{source}: {}", String::from_utf8_lossy(&done.stderr))),
    }
}

fn run(program: &str, args: &[&str]) -> Result<(Value, f64), String> {
    let mut command = Command::new(selvedge()?);
    command.args(["check", program, "--format", "json", "--time-limit", "400", "--progress-every", "0"]);
    let (out, seconds, _) = timed(command.args(args))?;
    let report = serde_json::from_slice(&out.stdout)
        .map_err(|_| format!("{program}: {}", String::from_utf8_lossy(&out.stderr).trim()))?;
    Ok((report, seconds))
}

/// The same with the mean of several runs: the clock has hundredths.
fn often(program: &str, args: &[&str]) -> Result<(Value, f64), String> {
    let (report, mut sum) = run(program, args)?;
    for _ in 1..RUNS {
        sum += run(program, args)?.1;
    }
    Ok((report, sum / f64::from(RUNS)))
}

fn pair(states: u64, transitions: u64) -> String {
    format!("{} ({})", grouped(states), grouped(transitions))
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
