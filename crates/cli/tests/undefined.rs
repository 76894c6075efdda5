//! Undefined values in generated sequential programs: Selvedge finds the first use of one where a naive
//! evaluator of the unoptimised IR does, and nothing where there is none; and the evaluator agrees with
//! MemorySanitizer and memcheck, where they are installed. `make soak` has many more programs;
//! `SELVEDGE_FUZZ_PROGRAMS` and `SELVEDGE_FUZZ_SEED` set how many and which.

use selvedge_undef::compare::{Judges, compare};
use selvedge_undef::generate::{self, Program};
use selvedge_undef::native::{self, Workplace};
use selvedge_undef::ours;
use std::path::PathBuf;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn programs(seed: u64, number: u64) -> Vec<Program> {
    (0..number).map(|n| generate::program(seed, n)).collect()
}

#[test]
fn the_first_use_of_an_undefined_value_is_where_the_evaluator_finds_it() {
    let (wanted, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 300), setting("SELVEDGE_FUZZ_SEED", 11));
    let at = Workplace::new("test-ours").expect("a directory");
    let judges =
        Judges { ours: Some(PathBuf::from(env!("CARGO_BIN_EXE_selvedge-lower"))), sanitizers: false };
    let model = ours::model().expect("a shipped model");
    for batch in programs(seed, wanted).chunks(100) {
        let (counts, disagreements) = compare(batch, &judges, &model, &at).expect("all of them run");
        assert_eq!(disagreements, [], "of seed {seed}; selvedge-undef-fuzz prints them");
        // There is something to find, and not everywhere.
        assert!(counts.used > counts.programs / 4 && counts.used < counts.programs);
    }
}

#[test]
fn the_evaluator_agrees_with_the_sanitizers() {
    if !native::is_there() {
        return;
    }
    let at = Workplace::new("test-sanitizers").expect("a directory");
    let judges = Judges { ours: None, sanitizers: true };
    let model = ours::model().expect("a shipped model");
    let (counts, disagreements) = compare(&programs(12, 100), &judges, &model, &at).expect("all of them run");
    assert_eq!(disagreements, []);
    assert!(counts.msan > 40 && counts.memcheck > 40, "{counts:?}");
}
