//! The benchmark harness: `table NAME` prints the rows of a table, `run …` measures one row.
//!
//! Every row runs in a process of its own, so that peak memory is that row's.

mod accuracy;
mod c_tables;
mod measure;
mod tables;

use std::process::ExitCode;

const USAGE: &str = "usage: selvedge-bench table NAME|all | run PROGRAM N MODEL co|rf | list";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["table", "estimates"] => accuracy::print(),
        ["table", name] => tables::print(name).and_then(|own| match c_tables::print(name)? || own {
            true => Ok(()),
            false => Err(format!("no table `{name}`; see `list`")),
        }),
        ["list"] => {
            tables::list();
            c_tables::list();
            println!("estimates Estimates (seed 002 Fig. 4)");
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
