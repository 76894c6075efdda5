//! The models of architectures.

use selvedge_oracle::Judge;

#[test]
fn every_shipped_model_can_be_evaluated() {
    for name in selvedge_kat::builtin_names() {
        let theory = selvedge_kat::load_named(name).unwrap_or_else(|d| panic!("{name}: {d}"));
        Judge::new(&theory).unwrap_or_else(|u| panic!("{name}: {u}"));
    }
}
