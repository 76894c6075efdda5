//! What following dependencies costs (thesis §10.2.6, Fig. 10.1): the same programs under rc11 and under
//! models that follow dependencies, which have more executions where load buffering is possible.

use crate::command::{Check, End, Report};
use crate::table::grouped;
use std::fmt::Write;

const MODELS: [&str; 4] = ["imm", "armv8", "riscv", "power"];

const PROGRAMS: &[(&str, &str, &str)] = &[
    ("fib_bench(4)", "crates/bench/programs/fib_bench.c", "-DN=4"),
    ("fib_bench(4), acquire and release", "crates/bench/programs/fib_bench.c", "-DN=4 -DWEAK"),
    ("fib_bench(5)", "crates/bench/programs/fib_bench.c", "-DN=5"),
    ("lastzero(10)", "crates/bench/programs/lastzero.c", "-DN=10"),
    ("lastzero(15)", "crates/bench/programs/lastzero.c", "-DN=15"),
    ("casrot(8)", "crates/bench/programs/casrot.c", "-DN=8"),
    ("casrot(10)", "crates/bench/programs/casrot.c", "-DN=10"),
    ("ainc(5)", "crates/bench/programs/incs.c", "-DN=5"),
    ("binc(4)", "crates/bench/programs/incs.c", "-DN=4 -DCOUNTERS=2"),
    ("lockinc(5)", "crates/bench/programs/lockinc.c", "-DN=5"),
    ("lockinc(8)", "crates/bench/programs/lockinc.c", "-DN=8"),
    ("mutex(3)", "crates/bench/programs/mutex.c", "-DN=3"),
    ("treiber-stack", "crates/bench/programs/treiber-stack.c", ""),
    ("ms-queue", "examples/c/ms-queue.c", ""),
    ("chase-lev", "examples/c/chase-lev.c", ""),
    ("ttaslock(3)", "examples/c/ttas.c", "-DN=3"),
    ("mcslock(2)", "examples/c/mcs.c", "-DN=2"),
    ("indexer(13)", "crates/bench/programs/indexer.c", "-DN=13"),
    ("szymanski(2)", "examples/c/szymanski.c", "-DN=2"),
    ("readers(10)", "crates/bench/programs/readers.c", "-DN=10"),
    ("seqlock(3)", "crates/bench/programs/seqlock.c", "-DN=3"),
    ("matrix(16)", "crates/bench/programs/matrix.c", "-DN=16"),
];

/// A cell: executions and blocked ones, the time per execution against rc11's, and the memory.
fn cell(of: &Report, rc11: &Report) -> String {
    let per = |report: &Report| report.seconds / (report.executions + report.blocked).max(1) as f64;
    if of.end == End::Interrupted {
        return format!(
            "{}+{} in {:.0} s, not finished",
            grouped(of.executions),
            grouped(of.blocked),
            of.seconds
        );
    }
    let ratio = per(of) / per(rc11);
    let counts = format!("{}+{}", grouped(of.executions), grouped(of.blocked));
    format!("{counts}, {:.2} s, {:.0} MiB, {ratio:.1}×", of.seconds, of.mib)
}

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## Dependencies (thesis Fig. 10.1) [dependencies]\n\n");
    text += "Executions and blocked ones, processor time with start-up, memory, and the time per execution against that of\n\
             `rc11`. A minute for each.\n\n";
    text += "| program | rc11 | imm | armv8 | riscv | power |\n|---|--:|--:|--:|--:|--:|\n";
    for &(name, file, defines) in PROGRAMS {
        eprintln!("dependencies: {name}");
        let defines: Vec<String> = defines.split_whitespace().map(String::from).collect();
        let run = |model| {
            let options = ["--time-limit", "60"].map(String::from);
            Check { file, model, options: &options, defines: &defines, jobs: 1, symmetry: false }.run()
        };
        let rc11: Report = run("rc11")?;
        let counts = format!("{}+{}", grouped(rc11.executions), grouped(rc11.blocked));
        let _ = write!(text, "| {name} | {counts}, {:.2} s, {:.0} MiB |", rc11.seconds, rc11.mib);
        for model in MODELS {
            // What a model does not know, it says.
            let cell = run(model)
                .map_or_else(|why| why.lines().next().unwrap_or_default().to_string(), |of| cell(&of, &rc11));
            let _ = write!(text, " {cell} |");
        }
        text += "\n";
    }
    text += "\n";
    Ok(text)
}
