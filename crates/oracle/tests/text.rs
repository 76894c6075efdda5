//! Generated programs survive being written as litmus tests and read again: what a report of
//! disagreement prints is the program that failed.

use selvedge_kat::load_named;
use selvedge_litmus::{Options, parse, print_program};
use selvedge_machine::Program;
use selvedge_oracle::generate::{program, rng_for};
use selvedge_oracle::{Canon, Detail, End, Judge, Limits, enumerate};
use std::collections::BTreeSet;

fn executions(p: &Program, judge: &Judge) -> Option<BTreeSet<(Canon, End)>> {
    let mut found = BTreeSet::new();
    let visit = &mut |x: &selvedge_oracle::Execution<'_>| {
        found.insert((Canon::from_execution(x, true), x.end()));
    };
    enumerate(p, judge, Detail::Co, Limits::default(), visit).ok()?;
    Some(found)
}

#[test]
fn printed_programs_have_the_same_executions() {
    let judge = Judge::new(&load_named("rc11").expect("a shipped model")).expect("supported");
    for number in 0..2_000 {
        let p = program(&mut rng_for(11, number));
        let text = print_program(&p, "exists (true)");
        let read = parse("generated", &text, &Options::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        let (before, after) = (executions(&p, &judge), executions(&read.program, &judge));
        assert!(before == after, "program {number}:\n{text}");
    }
}
