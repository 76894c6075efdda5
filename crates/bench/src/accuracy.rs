//! Estimates beside what they estimate: all executions, blocked ones included (seed 002 Fig. 4).

use crate::c_tables::{EXAMPLES, selvedge};
use crate::measure;
use selvedge_bench::programs;
use selvedge_explore::{Config, Estimate, Sampling, estimate};
use selvedge_model::Model;
use std::path::Path;
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

/// Programs of `examples/c`, with what defines their size.
const C_PROGRAMS: &[(&str, &str, &str)] = &[
    ("szymanski", "", "rc11"),
    ("peterson", "", "rc11"),
    ("lamport", "-DN=3", "sc"),
    ("fib_bench", "-DN=5", "rc11"),
    ("ms-queue", "", "rc11"),
    ("treiber", "", "rc11"),
    ("mpmc", "", "rc11"),
    ("chase-lev", "", "rc11"),
    ("seqlock", "", "rc11"),
    ("ttas", "-DN=5", "rc11"),
    ("linux-rwlock", "", "rc11"),
];

pub fn print() -> Result<(), String> {
    println!("## Estimates (seed 002 Fig. 4) [estimates]\n");
    println!("| program | model | executions | estimate | ratio | samples | sampling, s | exploration, s |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for &(program, n, model) in PROGRAMS {
        let truth = measure::run_apart(program, n, model, "co")?;
        let guess = sample(program, n, model)?;
        let name = format!("{program}({n})");
        print_row(&name, model, truth.executions + truth.blocked, &guess, truth.seconds);
    }
    for &(program, defines, model) in C_PROGRAMS {
        let truth = report("check", program, defines, model)?;
        let guess = report("estimate", program, defines, model)?;
        let number = |of: &serde_json::Value, field: &str| of[field].as_f64().unwrap_or(f64::NAN);
        let guess = Estimate {
            samples: number(&guess, "samples") as u64,
            mean: number(&guess, "mean"),
            seconds: number(&guess, "seconds"),
            ..Estimate::default()
        };
        let all = number(&truth, "executions") + number(&truth, "blocked");
        let name = format!("{program}.c {defines}");
        print_row(name.trim_end(), model, all as u64, &guess, number(&truth, "seconds"));
    }
    println!();
    Ok(())
}

fn print_row(name: &str, model: &str, all: u64, guess: &Estimate, seconds: f64) {
    println!(
        "| {name} | {model} | {all} | {:.0} | {:.2} | {} | {:.3} | {seconds:.3} |",
        guess.mean,
        guess.mean / all as f64,
        guess.samples,
        guess.seconds,
    );
}

fn sample(program: &str, n: usize, model: &str) -> Result<Estimate, String> {
    let machine = programs::by_name(program, n).ok_or("no such benchmark")?;
    let theory = selvedge_kat::load_named(model).map_err(|d| d.to_string())?;
    let model = Model::compile(&theory).map_err(|d| d.to_string())?;
    estimate(&machine, &model, &Config::default(), &Sampling::default(), &mut |_| false)
        .map_err(|e| e.to_string())
}

/// What a subcommand says of an example.
fn report(subcommand: &str, program: &str, defines: &str, model: &str) -> Result<serde_json::Value, String> {
    let file = Path::new(EXAMPLES).join(format!("{program}.c"));
    let mut command = Command::new(selvedge()?);
    command.arg(subcommand).arg(&file).args(["-m", model, "-j", "1", "--format", "json", "--"]);
    let out = command.args(defines.split_whitespace()).output().map_err(|e| e.to_string())?;
    serde_json::from_slice(&out.stdout).map_err(|_| String::from_utf8_lossy(&out.stderr).trim().to_string())
}
