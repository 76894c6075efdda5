//! Which conjuncts of an invariant a proof needs.

use crate::prover::{Options, Verdict, prove_only};
use crate::solver::SolverError;
use crate::system::System;

/// Whether a conjunct is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// Which.
    pub conjunct: usize,
    /// Without it, the proof fails.
    pub needed: bool,
}

/// Tries the proof without each conjunct, one at a time. What a variable's range says is not left out.
///
/// # Errors
/// If a solver cannot be asked.
pub fn needed(system: &System, options: &Options) -> Result<Vec<Need>, SolverError> {
    let mut found = Vec::new();
    for conjunct in 0..system.invariant.len() {
        if system.invariant[conjunct].name.contains(' ') {
            continue;
        }
        let mut less = system.clone();
        less.invariant.remove(conjunct);
        let verdict = prove_only(&less, options)?;
        found.push(Need { conjunct, needed: verdict != Verdict::Proved });
    }
    Ok(found)
}
