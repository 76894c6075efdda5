//! What tests on generated programs have in common.

use selvedge_explore::Execution;
use selvedge_graph::Loc;
use selvedge_machine::{Names, Value};
use selvedge_model::Model;
use selvedge_vm::VmMachine;
use std::collections::BTreeMap;

pub const MODELS: [&str; 5] = ["sc", "tso", "pso", "ra", "rc11"];

pub fn model(name: &str) -> Model {
    let theory = selvedge_kat::load_named(name).unwrap_or_else(|e| panic!("{e:?}"));
    Model::compile(&theory).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The name of a global location, and what it holds at the end.
pub type State = BTreeMap<String, Value>;

pub fn final_state(machine: &VmMachine, x: &Execution<'_, VmMachine>) -> State {
    let locs = (0..x.graph.locations() as u32).map(Loc);
    let named = locs.map(|l| (machine.location_name(l), l));
    let ours = named.filter(|(name, _)| ["x", "y", "out"].iter().any(|g| name.starts_with(g)));
    ours.filter_map(|(name, l)| Some((name, x.graph.value_of(*x.graph.co(l).last()?, l)))).collect()
}

/// Small and repeatable.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}
