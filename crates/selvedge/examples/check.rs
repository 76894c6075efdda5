//! Checks C files under a model, and says what is wrong:
//!
//!     cargo build -p selvedge-cli
//!     cargo run -p selvedge --example check -- rc11 examples/c/treiber-bug.c

use selvedge::{Check, Sources, Verdict, models};
use std::error::Error;

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let theory = models::load(&words.next().ok_or("give a model and C files")?)?;
    let sources = Sources { files: words.map(Into::into).collect(), ..Sources::default() };
    let outcome = Check::new(sources, theory).run()?;
    for violation in &outcome.violations {
        println!("{}: {}", violation.name, violation.message());
        for event in &violation.witness.events {
            let thread = violation.witness.thread(event.thread);
            println!("  {thread}: {}", violation.witness.action(event));
        }
    }
    match (outcome.verdict, outcome.undecided) {
        (Verdict::Unknown, Some(why)) => println!("unknown: {why}"),
        (verdict, _) => println!("{}: {} executions", verdict.name(), outcome.stats.complete),
    }
    Ok(())
}
