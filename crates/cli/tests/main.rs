//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod architecture;
mod bad_input;
mod barriers;
mod benchmarks;
mod check;
mod checkpoints;
mod docs;
mod dotnet;
mod equivalence;
mod estimate;
mod examples_c;
mod features;
mod fix;
mod generated_c;
mod hostile;
mod languages;
mod lifetimes;
mod limits;
mod litmus;
#[path = "support/loops.rs"]
mod loops;
mod lowering;
mod model;
mod persistency;
mod reductions;
mod reports;
mod states;
mod support;
mod symmetry;
mod undefined;
mod undefined_behaviour;
mod undefined_flow;
mod verdicts;
mod workers;

/// Parts of the command that are tested from inside. As a test of its own, all of it would be built again.
#[allow(dead_code)]
#[path = "../src"]
mod command {
    mod escape;
    #[path = "check/layout.rs"]
    mod layout;
    mod meter;
}
