//! What the tests of proofs share.
#![allow(dead_code)]

use selvedge_prove::prover::Options;
use selvedge_prove::system::System;
use std::path::PathBuf;

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../proofs")
}

pub fn options() -> Options {
    Options::default()
}

pub fn text(name: &str) -> String {
    let path = folder().join(format!("{name}.par"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A proof with something replaced. What is not there cannot be.
pub fn changed(name: &str, replacements: &[(&str, &str)]) -> System {
    let mut text = text(name);
    for (from, to) in replacements {
        assert!(text.contains(from), "{name}: there is no {from:?}");
        text = text.replace(from, to);
    }
    selvedge_prove::parse(name, &text).unwrap_or_else(|e| panic!("{name}: {e}"))
}
