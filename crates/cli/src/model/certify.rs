//! `--certify`: verdicts checked again by brute force.
//!
//! A claim that holds must hold in every small execution; these are built without automata and judged
//! by the oracle's matrices. A claim that fails has been judged by them already.

use super::report::Claim;
use selvedge_decide::answer::Verdict;
use selvedge_decide::brute::{Bounds, Coverage};
use selvedge_decide::certify::{refutes, violates};
use selvedge_kat::Theory;

const BOUNDS: Bounds = Bounds { events: 4, locations: 2, executions: 300_000 };

fn settle(claim: &mut Claim, found: Result<(bool, Coverage), String>) {
    let limits: String = match found {
        Ok((true, _)) => {
            claim.answer.verdict =
                Verdict::Unknown("certification failed: a small execution contradicts the proof".into());
            return;
        }
        Ok((false, Coverage::All)) => "certified: all executions of up to 4 events".into(),
        Ok((false, _)) => "certified: 300000 executions of up to 4 events".into(),
        Err(why) => format!("not certified: {why}"),
    };
    claim.answer.claim = format!("{}   [{limits}]", claim.answer.claim);
}

pub fn asserts(theory: &Theory, claims: &mut [Claim]) {
    for (claim, (inclusion, _)) in claims.iter_mut().zip(&theory.asserts) {
        if claim.answer.verdict.holds() {
            settle(claim, refutes(theory, inclusion, BOUNDS).map_err(|e| e.to_string()));
        }
    }
}

/// Of the axioms that are proven, whether a small execution of the stronger model breaks one.
pub fn implication(strong: &Theory, weak: &Theory, scheme: &[&Theory], claims: &mut [Claim]) {
    let proven: Vec<usize> =
        claims.iter().enumerate().filter(|(_, c)| c.answer.verdict.holds()).map(|(at, _)| at).collect();
    for at in proven {
        let found = violates(strong, weak, at, scheme, BOUNDS).map_err(|e| e.to_string());
        settle(&mut claims[at], found);
    }
}
