//! Two workers beside one (thesis Fig. 10.2). Here the time is that on the wall, so this says little on a
//! machine that has other things to do; the ratio of processor times shows what sharing the work costs.

use crate::command::{Check, Report};
use crate::table::grouped;
use std::fmt::Write;

const PROGRAMS: &[(&str, &str, &str, &str)] = &[
    ("fib_bench(6)", "crates/bench/programs/fib_bench.c", "sc", "-DN=6"),
    ("fib_bench(6)", "crates/bench/programs/fib_bench.c", "rc11", "-DN=6"),
    ("dekker_f(4)", "examples/c/dekker.c", "rc11", "-DN=4"),
    ("exp-mem(9)", "crates/bench/programs/exp-mem.c", "sc", "-DN=9"),
    ("lastzero(19)", "crates/bench/programs/lastzero.c", "sc", "-DN=19"),
    ("barrier-count(5)", "crates/bench/programs/barrier-count.c", "rc11", "-DN=5"),
];

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## Workers (thesis Fig. 10.2) [workers]\n\n");
    text +=
        "| program | model | executions | -j 1: s on the wall | -j 2 | ratio | processor s: -j 1 | -j 2 |\n";
    text += "|---|---|--:|--:|--:|--:|--:|--:|\n";
    for &(name, file, model, defines) in PROGRAMS {
        eprintln!("workers: {name} under {model}");
        let defines: Vec<String> = defines.split_whitespace().map(String::from).collect();
        let options = ["--unroll", "20"].map(String::from);
        let run =
            |jobs| Check { file, model, options: &options, defines: &defines, jobs, symmetry: false }.run();
        let (one, two): (Report, Report) = (run(1)?, run(2)?);
        if (one.executions, one.blocked) != (two.executions, two.blocked) {
            return Err(format!("{name} under {model} has other counts with two workers"));
        }
        let _ = writeln!(
            text,
            "| {name} | {model} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            grouped(one.executions),
            one.elapsed,
            two.elapsed,
            one.elapsed / two.elapsed,
            one.seconds,
            two.seconds,
        );
    }
    text += "\n";
    Ok(text)
}
