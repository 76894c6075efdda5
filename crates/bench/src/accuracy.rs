//! Estimates beside what they estimate.

use crate::measure;
use selvedge_bench::programs;
use selvedge_explore::{Config, Estimate, Sampling, estimate};
use selvedge_model::Model;

const ROWS: &[(&str, usize, &str)] = &[
    ("readers", 15, "rc11"),
    ("nwrites-loc", 8, "rc11"),
    ("ainc", 8, "rc11"),
    ("binc", 5, "rc11"),
    ("mp", 50, "rc11"),
    ("lastzero", 15, "sc"),
    ("exp-mem", 7, "sc"),
    ("exp-mem2", 4, "sc"),
    ("fib_bench", 4, "sc"),
    ("fib_bench", 5, "sc"),
    ("fib_bench", 5, "rc11"),
];

pub fn print() -> Result<(), String> {
    println!("| program | model | executions | estimate | ratio | samples | sampling, s | exploration, s |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for &(program, n, model) in ROWS {
        let truth = measure::run_apart(program, n, model, "co")?;
        let guess = sample(program, n, model)?;
        let all = (truth.executions + truth.blocked) as f64;
        println!(
            "| {program}({n}) | {model} | {all} | {:.0} | {:.2} | {} | {:.3} | {:.3} |",
            guess.mean,
            guess.mean / all,
            guess.samples,
            guess.seconds,
            truth.seconds
        );
    }
    Ok(())
}

fn sample(program: &str, n: usize, model: &str) -> Result<Estimate, String> {
    let machine = programs::by_name(program, n).ok_or("no such benchmark")?;
    let theory = selvedge_kat::load_named(model).map_err(|d| d.to_string())?;
    let model = Model::compile(&theory).map_err(|d| d.to_string())?;
    estimate(&machine, &model, &Config::default(), &Sampling::default(), &mut |_| false)
        .map_err(|e| e.to_string())
}
