//! The benchmark harness: `table NAME` prints a table, `report DIR` writes all of them, `report DIR NAME…`
//! measures some of them again, `run …` measures one row of the tables of the explorer alone.
//!
//! Every row runs in a process of its own, so that peak memory is that row's.

mod accuracy;
mod barrier_suite;
mod command;
mod dependencies;
mod dotnet;
mod engine;
mod fix;
mod languages;
mod measure;
mod peer;
mod persistency;
mod plot;
mod report;
mod scaling;
mod summary;
mod switches;
mod table;

use selvedge_bench::catalogue::TABLES;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str =
    "usage: selvedge-bench table NAME | report DIR [NAME…] | run PROGRAM N MODEL co|rf | list";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["table", name] => print(name),
        ["report", dir] => report::write(Path::new(dir)),
        ["report", dir, tables @ ..] => report::refresh(Path::new(dir), tables),
        ["list"] => {
            list();
            Ok(())
        }
        ["run", program, n, model, equivalence] => {
            measure::run(program, n, model, equivalence).map(|m| println!("{}", m.to_line()))
        }
        _ => Err(USAGE.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn list() {
    for table in TABLES {
        println!("{:13} {}", table.key, table.title);
    }
    println!("reductions    Each reduction on and off\nestimates     Estimates ([Kokologiannakis24] Fig. 4)");
    println!("workers       Workers (thesis Fig. 10.2)\ndependencies  Dependencies (thesis Fig. 10.1)");
    println!("fix           Repairs: `selvedge fix`\nbarrier-suite Barriers and mistakes in them");
    println!("persistency   What survives a crash: `--persist`");
    println!("dotnet        .NET programs ([Huynh07] Tables 3 and 4)");
    println!("rust          The same programs in C, C++ and Rust");
    engine::list();
}

fn print(name: &str) -> Result<(), String> {
    let (text, outcomes) = report::section(name, None)?;
    print!("{text}");
    if !outcomes.is_empty() {
        print!("{}", summary::markdown(&outcomes, summary::start_up()?));
    }
    Ok(())
}
