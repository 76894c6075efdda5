//! The barriers of `examples/barriers` and the mistakes in them: each line `// expect:` is a row.

use crate::command::{selvedge, timed};
use crate::table::grouped;
use std::fmt::Write;
use std::process::Command;

const FOLDER: &str = "examples/barriers";

pub fn markdown() -> Result<String, String> {
    let mut text = String::from("## Barriers and mistakes in them [barrier-suite]\n\n");
    text += "| barrier | | model | verdict | executions | blocked | s |\n|---|---|---|---|--:|--:|--:|\n";
    let mut files: Vec<_> = std::fs::read_dir(FOLDER)
        .map_err(|e| format!("{FOLDER}: {e}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let source = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        for expected in source.lines().filter_map(|line| line.strip_prefix("// expect: ")) {
            eprintln!("barrier-suite: {name} {expected}");
            text += &row(&name, &file.display().to_string(), expected)?;
        }
    }
    text += "\n";
    Ok(text)
}

fn row(name: &str, file: &str, expected: &str) -> Result<String, String> {
    let words: Vec<&str> = expected.split_whitespace().collect();
    let [model, verdict, options @ ..] = &words[..] else { return Err(format!("{file}: {expected}")) };
    let mut command = Command::new(selvedge()?);
    command.args(["check", file, "-m", model, "-j", "1", "--format", "json"]);
    let mut off = vec!["symmetry"];
    for option in options {
        match option.split_once('=') {
            Some(("disable", names)) => off.push(names),
            Some(("errors", kinds)) => _ = command.args(["--errors", kinds]),
            Some(("engine", engine)) => _ = command.args(["--engine", engine]),
            _ => {}
        }
    }
    let defines: Vec<&str> = options.iter().filter(|word| word.starts_with("-D")).copied().collect();
    command.args(["--disable", &off.join(","), "--"]).args(&defines);
    let (out, seconds, _) = timed(&mut command)?;
    let report: serde_json::Value = serde_json::from_slice(&out.stdout)
        .map_err(|_| format!("{name}: {}", String::from_utf8_lossy(&out.stderr).trim()))?;
    if report["verdict"] != *verdict {
        return Err(format!("{name} {expected}: {}", report["verdict"]));
    }
    let kind = report["errors"][0]["kind"].as_str().unwrap_or(verdict);
    let count = |key: &str| grouped(report[key].as_u64().unwrap_or_default());
    // What is looked for only, and by which engine, makes other rows of the same program.
    let short = |word: &&str| {
        let word: &str = word;
        let plain = word.strip_prefix("-D").or(word.strip_prefix("disable=")).map(String::from);
        plain
            .or(word.strip_prefix("errors=").map(|kinds| format!("(only {kinds})")))
            .or(word.strip_prefix("engine=").map(|engine| format!("(engine {engine})")))
    };
    let what: Vec<String> = options.iter().filter_map(short).collect();
    let mut line = String::new();
    let _ = writeln!(
        line,
        "| {name} | {} | {model} | {kind} | {} | {} | {seconds:.2} |",
        what.join(" "),
        count("executions"),
        count("blocked")
    );
    Ok(line)
}
