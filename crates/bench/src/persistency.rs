//! What crashes cost: the examples with all that they expect, and how they grow.

use crate::command::{selvedge, timed};
use std::fmt::Write;
use std::process::Command;

/// Programs that take a size, the persistency and the memory model, and the sizes.
const SCALING: &[(&str, &str, &str, &[u32])] = &[
    ("scale-files.c", "ext4-ordered", "rc11", &[2, 20, 200]),
    ("scale-blocks.c", "ext4-ordered", "rc11", &[2, 20, 200]),
    ("scale-lines.c", "px86", "tso", &[10, 100, 1000]),
    ("scale-log.c", "px86", "tso", &[25, 50, 100, 200]),
];

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## What survives a crash: `selvedge check --persist` [persistency]\n\n");
    text += "| program | persistency | memory | N | verdict | post-crash states | executions | events | s | MiB |\n";
    text += "|---|---|---|--:|---|--:|--:|--:|--:|--:|\n";
    let mut files: Vec<String> = std::fs::read_dir("examples/persistency")
        .map_err(|e| format!("examples/persistency: {e}"))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".c") && !name.starts_with("scale-"))
        .collect();
    files.sort();
    for name in &files {
        let source =
            std::fs::read_to_string(format!("examples/persistency/{name}")).map_err(|e| e.to_string())?;
        for expected in source.lines().filter_map(|line| line.strip_prefix("// expect: ")) {
            let words: Vec<&str> = expected.split_whitespace().collect();
            let [persist, memory, ..] = words[..] else { return Err(format!("{name}: {expected}")) };
            let options: Vec<&str> =
                words.iter().copied().skip_while(|word| !word.starts_with("--")).collect();
            row(&mut text, name, persist, memory, None, &options)?;
        }
    }
    for (name, persist, memory, sizes) in SCALING {
        for n in *sizes {
            row(
                &mut text,
                name,
                persist,
                memory,
                Some(*n),
                &["--max-file-size", "1024", "--unroll", "1000"],
            )?;
        }
    }
    text += "\n";
    Ok(text)
}

fn row(
    text: &mut String,
    name: &str,
    persist: &str,
    memory: &str,
    n: Option<u32>,
    options: &[&str],
) -> Result<(), String> {
    eprintln!("persistency: {name} {persist}");
    let mut command = Command::new(selvedge()?);
    command.args(["check", &format!("examples/persistency/{name}"), "--persist", persist, "-m", memory]);
    command.args(["-j", "1", "--format", "json", "--time-limit", "400"]).args(options);
    if let Some(n) = n {
        command.args(["--", &format!("-DN={n}")]);
    }
    let (out, seconds, _) = timed(&mut command)?;
    let report: serde_json::Value = serde_json::from_slice(&out.stdout)
        .map_err(|_| format!("{name}: {}", String::from_utf8_lossy(&out.stderr).trim()))?;
    let n = n.map_or(String::new(), |n| n.to_string());
    let more = options.join(" ").replace("--max-file-size 1024 --unroll 1000", "");
    let _ = writeln!(
        text,
        "| {name} | {persist} {more} | {memory} | {n} | {} | {} | {} | {} | {seconds:.2} | {:.1} |",
        report["verdict"].as_str().unwrap_or("none"),
        report["post_crash_states"],
        report["executions"],
        report["events"],
        report["max_rss_kb"].as_f64().unwrap_or(0.0) / 1024.0
    );
    Ok(())
}
