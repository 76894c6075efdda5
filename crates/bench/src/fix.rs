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
    ("clh-relaxed-bug.c", "rc11"),
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

/// Programs of [Huynh07] in C#, and how many barriers its Table 5 has for them.
const PUBLISHED: &[(&str, usize)] =
    &[("peterson", 3), ("tbarrier", 3), ("dc", 1), ("rw-vol", 4), ("rowo", 2), ("po", 6)];

/// Barriers for .NET programs by both methods, beside the published ones.
fn barriers(scratch: &std::path::Path) -> Result<String, String> {
    let mut text = String::from(
        "\nBarriers under `dotnet-ecma`, and those of [Huynh07], Table 5 (its programs were other bytecode):\n\n",
    );
    text += "| program | hitting set | s | minimum cut | s | published |\n|---|--:|--:|--:|--:|--:|\n";
    for &(name, published) in PUBLISHED {
        eprintln!("fix: {name}.cs");
        let out = scratch.join(format!("{name}.exe")).display().to_string();
        let source = format!("examples/dotnet/{name}.cs");
        let compiled =
            Command::new("mcs").args(["-debug", "-d:DEBUG", &format!("-out:{out}"), &source]).output();
        if !compiled.is_ok_and(|done| done.status.success()) {
            return Ok(String::from("\nWithout mono's compiler (`mcs`), there are no rows for .NET.\n"));
        }
        let run = |more: &[&str], field: &str| -> Result<(String, f64), String> {
            let mut command = Command::new(selvedge()?);
            command.args(["fix", &out, "-m", "dotnet-ecma", "--json", "--time-limit", "60"]).args(more);
            let (done, seconds, _) = timed(&mut command)?;
            let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
            let found = report[field].as_array().filter(|_| report["verdict"] == "repaired");
            Ok((found.map_or(String::from("–"), |all| all.len().to_string()), seconds))
        };
        let (hitting, of_hitting) = run(&["--with", "fences", "--static"], "changes")?;
        let (cut, of_cut) = run(&["--method", "min-cut"], "barriers")?;
        let _ =
            writeln!(text, "| {name} | {hitting} | {of_hitting:.2} | {cut} | {of_cut:.2} | {published} |");
    }
    Ok(text)
}

/// Four messages between two threads, or a ring of eight threads each of which writes and then reads.
fn many(messages: bool) -> String {
    let names: Vec<String> = (0..8).map(|i| format!("x{i}")).collect();
    let parameters: Vec<String> = names.iter().map(|name| format!("atomic_int* {name}")).collect();
    let mut threads: Vec<String> = Vec::new();
    let mut conditions: Vec<String> = Vec::new();
    let store = |x: &str| format!("  atomic_store_explicit({x}, 1, memory_order_relaxed);\n");
    let load = |r: usize, x: &str| format!("  int r{r} = atomic_load_explicit({x}, memory_order_relaxed);\n");
    if messages {
        let pairs = || names.chunks(2).enumerate();
        threads.push(pairs().map(|(_, pair)| store(&pair[0]) + &store(&pair[1])).collect());
        threads.push(pairs().map(|(i, pair)| load(2 * i, &pair[1]) + &load(2 * i + 1, &pair[0])).collect());
        conditions.extend((0..4).map(|i| format!("(1:r{}=1 /\\ 1:r{}=0)", 2 * i, 2 * i + 1)));
    } else {
        threads.extend((0..8).map(|i| store(&names[i]) + &load(0, &names[(i + 1) % 8])));
        conditions.push((0..8).map(|i| format!("{i}:r0=0")).collect::<Vec<_>>().join(" /\\ "));
    }
    let mut text = String::from("C many\n{}\n");
    for (number, body) in threads.iter().enumerate() {
        let _ = write!(text, "P{number}({}) {{\n{body}}}\n", parameters.join(", "));
    }
    text + &format!("exists ({})\n", conditions.join(" \\/ "))
}

/// What takes eight changes.
fn eight(scratch: &std::path::Path) -> Result<String, String> {
    let mut text = String::from("\nEight changes, of many candidates:\n\n");
    text += "| test | model | candidates | checks | clauses | changes | s |\n|---|---|--:|--:|--:|--:|--:|\n";
    for (name, messages) in [("MP, four times", true), ("SB, a ring of eight", false)] {
        let file = scratch.join("many.litmus");
        std::fs::write(&file, many(messages)).map_err(|e| e.to_string())?;
        let path = file.display().to_string();
        for model in ["rc11", "armv8", "power"] {
            let mut command = Command::new(selvedge()?);
            command.args(["fix", &path, "-m", model, "--json"]);
            let (out, seconds, _) = timed(&mut command)?;
            let report: serde_json::Value =
                serde_json::from_slice(&out.stdout).map_err(|e| format!("{name}: {e}"))?;
            let _ = writeln!(
                text,
                "| {name} | {model} | {} | {} | {} | {} | {seconds:.2} |",
                report["candidates"],
                report["checks"],
                report["clauses"],
                report["changes"].as_array().map_or(0, Vec::len),
            );
        }
    }
    Ok(text)
}

/// What the right versions can do without, for what they assert.
fn relaxed() -> Result<String, String> {
    let mut text = String::from("\n`selvedge relax`, under rc11:\n\n");
    text += "| program | choices | checks | cost | s |\n|---|--:|--:|--:|--:|\n";
    let mut names: Vec<String> = ROWS.iter().map(|(name, _)| name.replace("-bug", "")).collect();
    names.sort();
    names.dedup();
    for name in names {
        let path = format!("examples/c/{name}");
        if !std::path::Path::new(&path).exists() {
            continue;
        }
        eprintln!("relax: {name}");
        let mut command = Command::new(selvedge()?);
        command.args(["relax", &path, "-m", "rc11", "-j", "1", "--json", "--time-limit", "60"]);
        let (out, seconds, _) = timed(&mut command)?;
        let report: serde_json::Value =
            serde_json::from_slice(&out.stdout).map_err(|e| format!("{name}: {e}"))?;
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {seconds:.2} |",
            report["candidates"], report["checks"], report["cost"]
        );
    }
    Ok(text)
}

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
    text += &eight(&scratch)?;
    text += &relaxed()?;
    text += &barriers(&scratch)?;
    let _ = std::fs::remove_dir_all(&scratch);
    text += "\n";
    Ok(text)
}
