//! Estimates beside what they estimate: all executions, blocked ones included (Kokologiannakis24 Fig. 4).

use crate::command::selvedge;
use crate::measure;
use crate::table::grouped;
use selvedge_bench::programs;
use selvedge_explore::{Config, Estimate, Sampled, Sampling, estimate};
use selvedge_model::Model;
use std::fmt::Write;
use std::process::Command;

const PROGRAMS: &[(&str, usize, &str)] = &[
    ("readers", 15, "rc11"),
    ("ainc", 8, "rc11"),
    ("binc", 5, "rc11"),
    ("mp", 50, "rc11"),
    ("lastzero", 15, "sc"),
    ("exp-mem", 7, "sc"),
    ("exp-mem2", 4, "sc"),
    ("fib_bench", 5, "sc"),
    ("fib_bench", 5, "rc11"),
];

/// C programs, with what defines their size.
const C_PROGRAMS: &[(&str, &str, &str)] = &[
    ("examples/c/szymanski-counted.c", "-DN=3", "rc11"),
    ("crates/bench/programs/peterson.c", "-DN=4", "rc11"),
    ("crates/bench/programs/peterson.c", "-DN=3 -DWEAK", "rc11"),
    ("examples/c/lamport.c", "-DN=3", "sc"),
    ("examples/c/dekker.c", "-DN=4", "rc11"),
    ("crates/bench/programs/fib_bench.c", "-DN=5", "rc11"),
    ("crates/bench/programs/ms-queue.c", "-DN=4 -DT1=110 -DT2=110 -DT3=100 -DT4=10", "rc11"),
    ("crates/bench/programs/treiber-stack.c", "-DN=4 -DT1=110 -DT2=110 -DT3=10 -DT4=10", "rc11"),
    ("examples/c/mpmc.c", "-DN=3", "rc11"),
    ("crates/bench/programs/chase-lev.c", "-DOWNER=120 -DTHIEVES=4", "rc11"),
    ("crates/bench/programs/seqlock.c", "-DN=4", "rc11"),
    ("examples/c/ttas.c", "-DN=5", "rc11"),
    ("examples/c/mcs.c", "-DN=4", "rc11"),
    ("crates/bench/programs/twalock.c", "-DN=4", "rc11"),
    ("crates/bench/programs/buf-ring.c", "-DN=3", "rc11"),
    ("crates/bench/programs/linuxrwlock.c", "-DN=3", "rc11"),
    ("crates/bench/programs/barrier-count.c", "-DN=4", "rc11"),
];

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## Estimates ([Kokologiannakis24] Fig. 4) [estimates]\n\n");
    text += "| program | model | executions, blocked included | estimate | ratio | samples | sampling, s | exploration, s |\n";
    text += "|---|---|--:|--:|--:|--:|--:|--:|\n";
    for &(program, n, model) in PROGRAMS {
        let truth = measure::run_apart(program, n, model, "co")?;
        let guess = sample(program, n, model)?;
        let name = format!("{program}({n})");
        text += &line(&name, model, truth.executions + truth.blocked, &guess, truth.seconds);
    }
    for &(file, defines, model) in C_PROGRAMS {
        eprintln!("estimates: {file} {defines} under {model}");
        let truth = report("check", file, defines, model)?;
        let guess = report("estimate", file, defines, model)?;
        let number = |of: &serde_json::Value, field: &str| of[field].as_f64().unwrap_or(f64::NAN);
        let guess = Estimate {
            samples: number(&guess, "samples") as u64,
            mean: number(&guess, "mean"),
            seconds: number(&guess, "seconds"),
            ..Estimate::default()
        };
        let all = number(&truth, "executions") + number(&truth, "blocked");
        let name = format!("`{} {defines}`", file.rsplit('/').next().unwrap_or(file));
        text += &line(&name, model, all as u64, &guess, number(&truth, "seconds"));
    }
    text += "\n";
    Ok(text)
}

fn line(name: &str, model: &str, all: u64, guess: &Estimate, seconds: f64) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "| {name} | {model} | {} | {} | {:.2} | {} | {:.3} | {seconds:.3} |",
        grouped(all),
        grouped(guess.mean.round() as u64),
        guess.mean / all as f64,
        guess.samples,
        guess.seconds,
    );
    text
}

fn sample(program: &str, n: usize, model: &str) -> Result<Estimate, String> {
    let machine = programs::by_name(program, n).ok_or("no such benchmark")?;
    let theory = selvedge_kat::load_named(model).map_err(|d| d.to_string())?;
    let model = Model::compile(&theory).map_err(|d| d.to_string())?;
    let sampled = estimate(&machine, &model, &Config::default(), &Sampling::default(), &mut || false);
    match sampled.map_err(|e| e.to_string())? {
        Sampled::Estimate(estimate) => Ok(estimate),
        Sampled::Again(again) => Err(again.to_string()),
    }
}

/// What a subcommand says of a program.
fn report(subcommand: &str, file: &str, defines: &str, model: &str) -> Result<serde_json::Value, String> {
    let mut command = Command::new(selvedge()?);
    command.args([subcommand, file, "-m", model, "-j", "1", "--format", "json", "--unroll", "43"]);
    command.args(["--disable", "symmetry", "--"]);
    let out = command.args(defines.split_whitespace()).output().map_err(|e| e.to_string())?;
    serde_json::from_slice(&out.stdout).map_err(|_| String::from_utf8_lossy(&out.stderr).trim().to_string())
}
