//! The tables, and the published counts where there are any.

use crate::measure::{Measured, run_apart};

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

/// Seed 002 Table 2.
const FIB: &[Row] = &[
    row("fib_bench", 4, "sc", Some(19_605)),
    row("fib_bench", 5, "sc", Some(218_243)),
    row("fib_bench", 6, "sc", Some(2_363_803)),
    row("fib_bench", 5, "tso", Some(218_243)),
    row("fib_bench", 5, "rc11", Some(218_243)),
];

const TABLES: &[(&str, &str, &[Row])] = &[
    ("loads", "Loads and stores (thesis Table 10.2)", LOADS_STORES),
    ("rmw", "Read-modify-writes (thesis Table 10.4)", RMW),
    ("memory", "Memory (thesis Table 10.7)", MEMORY),
    ("fib", "fib_bench (seed 002 Table 2)", FIB),
];

pub fn list() {
    for (name, title, rows) in TABLES {
        println!("{name:8} {title}, {} rows", rows.len());
    }
}

/// Prints the tables of this name, `all` for all; whether there are any.
pub fn print(name: &str) -> Result<bool, String> {
    let mut found = false;
    for (key, title, rows) in TABLES.iter().filter(|(key, ..)| name == "all" || name == *key) {
        found = true;
        println!("## {title} [{key}]\n");
        println!(
            "| program | model | eq | executions | published | blocked | revisits | events | s | Minstr | RSS MiB | ns/event | ns/exec |"
        );
        println!("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for row in *rows {
            print_row(row, &run_apart(row.program, row.n, row.model, row.equivalence)?);
        }
        println!();
    }
    Ok(found)
}

fn print_row(row: &Row, m: &Measured) {
    let published = row
        .published
        .map_or(String::from("–"), |p| format!("{p}{}", if p == m.executions { "" } else { " (differs)" }));
    let minstr = m.instructions.map_or(String::from("–"), |n| format!("{:.1}", n as f64 / 1e6));
    let ns = m.seconds * 1e9;
    println!(
        "| {}({}) | {} | {} | {} | {published} | {} | {} | {} | {:.3} | {minstr} | {:.1} | {:.0} | {:.0} |",
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
    );
}
