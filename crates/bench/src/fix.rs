//! What a repair costs: the examples that break only because memory is weak, against one check of the program
//! that comes out of it.

use crate::command::{Check, selvedge, timed};
use std::fmt::Write;
use std::process::Command;

/// Programs and models.
const ROWS: &[(&str, &str)] = &[
    ("mp-bug.c", "rc11"),
    ("dekker-bug.c", "tso"),
    ("dekker-bug.c", "rc11"),
    ("peterson-bug.c", "tso"),
    ("peterson-bug.c", "rc11"),
    ("lamport-bug.c", "tso"),
    ("lamport-bug.c", "rc11"),
    ("szymanski-bug.c", "tso"),
    ("szymanski-bug.c", "rc11"),
    ("chase-lev-bug.c", "tso"),
    ("chase-lev-bug.c", "rc11"),
    ("mcs-bug.c", "rc11"),
    ("ticket-bug.c", "rc11"),
    ("spinlock-bug.c", "rc11"),
    ("linux-rwlock-bug.c", "rc11"),
    ("seqlock-bug.c", "rc11"),
    ("spsc-bug.c", "rc11"),
    ("mpmc-bug.c", "rc11"),
    ("ms-queue-bug.c", "rc11"),
    ("treiber-bug.c", "rc11"),
    ("dcl-bug.c", "rc11"),
    ("once-bug.c", "rc11"),
    ("rcu-bug.c", "rc11"),
    ("hazard-bug.c", "rc11"),
    ("parker-bug.c", "rc11"),
    ("sense-barrier-relaxed-bug.c", "rc11"),
];

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## Repairs: `selvedge fix` [fix]\n\n");
    text += "| program | model | candidates | checks | clauses | changes | cost | s | one check: s | fix / check |\n";
    text += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    let scratch = std::env::temp_dir().join(format!("selvedge-bench-fix-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
    for &(name, model) in ROWS {
        eprintln!("fix: {name} {model}");
        let file = scratch.join(name);
        std::fs::copy(format!("examples/c/{name}"), &file).map_err(|e| format!("{name}: {e}"))?;
        let path = file.display().to_string();
        let mut command = Command::new(selvedge()?);
        command.args(["fix", &path, "-m", model, "-j", "1", "--json", "--apply", "--time-limit", "400"]);
        let (out, seconds, _) = timed(&mut command)?;
        let report: serde_json::Value = serde_json::from_slice(&out.stdout)
            .map_err(|_| format!("{name}: {}", String::from_utf8_lossy(&out.stderr).trim()))?;
        if report["verdict"] != "repaired" {
            return Err(format!("{name} under {model}: {}", report["verdict"]));
        }
        let check =
            Check { file: &path, model, options: &[], defines: &[], jobs: 1, symmetry: true }.run()?;
        let _ = writeln!(
            text,
            "| {name} | {model} | {} | {} | {} | {} | {} | {seconds:.2} | {:.2} | {:.1} |",
            report["candidates"],
            report["checks"],
            report["clauses"],
            report["changes"].as_array().map_or(0, Vec::len),
            report["cost"],
            check.seconds,
            seconds / check.seconds
        );
    }
    let _ = std::fs::remove_dir_all(&scratch);
    text += "\n";
    Ok(text)
}
