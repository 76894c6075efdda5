//! Explorer and oracle agree on generated programs, under every shipped model and under generated
//! ones: same executions, each once, with the same ends and errors.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of programs per model.

use selvedge_compare::campaign::{Campaign, Models, run};
use selvedge_compare::compare::Options;
use selvedge_oracle::generate_arch::Arch;

fn programs(default: u64) -> u64 {
    let wanted = std::env::var("SELVEDGE_FUZZ_PROGRAMS").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(default)
}

fn agree(models: Models, seed: u64, default: u64) {
    agree_on(models, seed, default, None);
}

fn agree_on(models: Models, seed: u64, default: u64, arch: Option<Arch>) {
    let programs = programs(default);
    let campaign =
        Campaign { from: 0, programs, seed, jobs: 1, time: None, options: Options::default(), arch };
    let outcome = run(&models, &campaign, &mut |_| {});
    assert!(outcome.failures.is_empty(), "{outcome}");
    // Agreement on nothing would not mean much.
    for (model, score) in &outcome.scores {
        let skipped = score.too_big as f64 / (score.too_big + score.compared).max(1) as f64;
        assert!(skipped < 0.05, "{model}: the oracle gave up on {skipped} of the programs");
    }
}

fn agree_under(model: &str, seed: u64) {
    agree(Models::named(&[model]).expect("a shipped model"), seed, 3_000);
}

/// Exclusive pairs, barriers and dependencies under models that do not look at them.
#[test]
fn programs_of_architectures() {
    for (arch, seed) in Arch::ALL.into_iter().zip(120..) {
        agree_on(Models::named(&["sc", "tso", "rc11"]).expect("shipped models"), seed, 400, Some(arch));
    }
}

#[test]
fn sc() {
    agree_under("sc", 101);
}

#[test]
fn tso() {
    agree_under("tso", 102);
}

#[test]
fn pso() {
    agree_under("pso", 103);
}

#[test]
fn ra() {
    agree_under("ra", 104);
}

#[test]
fn rc11() {
    agree_under("rc11", 105);
}

#[test]
fn rlx() {
    agree_under("rlx", 106);
}

#[test]
fn random_models() {
    agree(Models::random(), 107, 6_000);
}
