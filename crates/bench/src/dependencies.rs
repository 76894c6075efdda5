//! What following dependencies costs (thesis Fig. 10.1): the same programs under rc11 and under imm, which
//! has more executions where load buffering is possible.

use crate::command::{Check, End, Report};
use crate::table::grouped;
use std::fmt::Write;

const PROGRAMS: &[(&str, &str, &str)] = &[
    ("readers(8)", "crates/bench/programs/readers.c", "-DN=8"),
    ("ainc(4)", "crates/bench/programs/incs.c", "-DN=4"),
    ("fib_bench(2), acquire and release", "crates/bench/programs/fib_bench.c", "-DN=2 -DWEAK"),
    ("peterson(2), acquire and release", "crates/bench/programs/peterson.c", "-DN=2 -DWEAK"),
    ("mcslock(2)", "examples/c/mcs.c", "-DN=2"),
    ("ttaslock(3)", "examples/c/ttas.c", "-DN=3"),
    ("treiber-stack, two pushes", "crates/bench/programs/treiber-stack.c", "-DT1=100 -DT2=100 -DT3=0"),
    ("seqlock(3)", "crates/bench/programs/seqlock.c", "-DN=3"),
    ("buf-ring(2)", "crates/bench/programs/buf-ring.c", "-DN=2"),
];

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## Dependencies (thesis Fig. 10.1) [dependencies]\n\n");
    text += "| program | rc11: executions | blocked | s | imm: executions | blocked | s | imm / rc11 |\n";
    text += "|---|--:|--:|--:|--:|--:|--:|--:|\n";
    for &(name, file, defines) in PROGRAMS {
        eprintln!("dependencies: {name}");
        let defines: Vec<String> = defines.split_whitespace().map(String::from).collect();
        let options = ["--time-limit", "30"].map(String::from);
        let run = |model| {
            Check { file, model, options: &options, defines: &defines, jobs: 1, symmetry: false }.run()
        };
        let (rc11, imm): (Report, Report) = (run("rc11")?, run("imm")?);
        let cut = if imm.end == End::Interrupted { " (not finished)" } else { "" };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {:.2} | {}{cut} | {} | {:.2} | {:.1} |",
            grouped(rc11.executions),
            grouped(rc11.blocked),
            rc11.seconds,
            grouped(imm.executions),
            grouped(imm.blocked),
            imm.seconds,
            imm.seconds / rc11.seconds,
        );
    }
    text += "\n";
    Ok(text)
}
