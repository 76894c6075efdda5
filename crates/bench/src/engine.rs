//! The explorer alone, without C: register programs, with the cost of an event and of an execution.

use crate::measure::{Measured, run_apart};
use std::fmt::Write;

struct Row {
    program: &'static str,
    n: usize,
    model: &'static str,
    equivalence: &'static str,
    published: Option<u64>,
}

const fn row(program: &'static str, n: usize, model: &'static str, published: Option<u64>) -> Row {
    Row { program, n, model, equivalence: "co", published }
}

const fn rf(program: &'static str, n: usize, model: &'static str, published: Option<u64>) -> Row {
    Row { program, n, model, equivalence: "rf", published }
}

/// Thesis Table 10.2: loads and stores. Published counts: §10.2.1.1 (2^N, N!, 1).
const LOADS_STORES: &[Row] = &[
    row("readers", 5, "rc11", Some(32)),
    row("readers", 10, "rc11", Some(1024)),
    row("readers", 15, "rc11", Some(32_768)),
    row("readers", 20, "rc11", Some(1_048_576)),
    row("readers", 20, "sc", Some(1_048_576)),
    row("nwrites-loc", 5, "rc11", Some(120)),
    row("nwrites-loc", 9, "rc11", Some(362_880)),
    rf("nwrites-loc", 10, "rc11", Some(1)),
    row("nwrites", 15, "rc11", Some(1)),
    row("mp", 10, "rc11", None),
    row("mp", 50, "rc11", None),
    row("mp", 100, "rc11", None),
];

/// Thesis Table 10.4: read-modify-writes.
const RMW: &[Row] = &[
    row("ainc", 5, "rc11", Some(120)),
    row("ainc", 9, "rc11", Some(362_880)),
    row("ainc", 9, "sc", Some(362_880)),
    row("binc", 3, "rc11", None),
    row("binc", 4, "rc11", None),
    row("binc", 5, "rc11", None),
];

/// Thesis Table 10.7: memory.
const MEMORY: &[Row] = &[
    row("nwrites", 1, "sc", Some(1)),
    row("lastzero", 10, "sc", Some(3328)),
    row("lastzero", 15, "sc", Some(147_456)),
    row("lastzero", 18, "sc", None),
    row("exp-mem", 7, "sc", Some(10_080)),
    row("exp-mem", 8, "sc", Some(80_640)),
    row("exp-mem2", 4, "sc", Some(20_736)),
    row("exp-mem2", 5, "sc", Some(705_600)),
];

/// Kokologiannakis24 Table 2.
const FIB: &[Row] = &[
    row("fib_bench", 4, "sc", Some(19_605)),
    row("fib_bench", 5, "sc", Some(218_243)),
    row("fib_bench", 6, "sc", Some(2_363_803)),
    row("fib_bench", 5, "tso", Some(218_243)),
    row("fib_bench", 5, "rc11", Some(218_243)),
];

const TABLES: &[(&str, &str, &[Row])] = &[
    ("explorer-loads", "The explorer alone: loads and stores", LOADS_STORES),
    ("explorer-rmw", "The explorer alone: read-modify-writes", RMW),
    ("explorer-memory", "The explorer alone: memory", MEMORY),
    ("explorer-fib", "The explorer alone: fib_bench", FIB),
];

pub fn list() {
    for (name, title, _) in TABLES {
        println!("{name:13} {title}");
    }
}

pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, ..)| *name)
}

/// The table of this name; empty if there is none.
pub fn markdown(name: &str) -> Result<String, String> {
    let mut text = String::new();
    for (key, title, rows) in TABLES.iter().filter(|(key, ..)| name == *key) {
        let _ = writeln!(
            text,
            "## {title} [{key}]\n\n\
             | program | model | eq | executions | published | blocked | revisits | events | s | Minstr | RSS MiB | ns/event | ns/exec |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
        );
        for row in *rows {
            eprintln!("{key}: {}({}) under {}", row.program, row.n, row.model);
            text += &line(row, &run_apart(row.program, row.n, row.model, row.equivalence)?);
        }
        text += "\n";
    }
    Ok(text)
}

fn line(row: &Row, m: &Measured) -> String {
    let published = row
        .published
        .map_or(String::from("–"), |p| format!("{p}{}", if p == m.executions { "" } else { " (differs)" }));
    let minstr = m.instructions.map_or(String::from("–"), |n| format!("{:.1}", n as f64 / 1e6));
    let ns = m.seconds * 1e9;
    format!(
        "| {}({}) | {} | {} | {} | {published} | {} | {} | {} | {:.3} | {minstr} | {:.1} | {:.0} | {:.0} |\n",
        row.program,
        row.n,
        row.model,
        row.equivalence,
        m.executions,
        m.blocked,
        m.revisits,
        m.events,
        m.seconds,
        m.peak_kib as f64 / 1024.0,
        ns / m.events.max(1) as f64,
        ns / (m.executions + m.blocked).max(1) as f64,
    )
}
