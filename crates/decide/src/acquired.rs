//! What threads know of each other by creating and joining them, and by releases that are acquired.

use crate::answer::stronger;
use crate::context::Refusal;
use crate::premises::{Has, has};
use crate::search::Limits;
use selvedge_kat::{Dialect, Theory, parse};

/// A model that says only that coherence agrees with what threads know of each other: as `selvedge_model` has
/// it in a clock. Exclusive pairs of an architecture and its weaker acquires are left out.
const KNOWN_BY_ACQUIRING: &str =
    "export coherence (po | tc | tj | [(W & REL) \\ X] ; rf ; [(R & ACQ) \\ (X | Q)])+";

/// Whether coherence agrees with what is acquired, in all executions of a model.
pub(crate) fn synchronises(theory: &Theory, limits: Limits) -> Result<Has, Refusal> {
    let none = |name: &str| Err(format!("no {name}"));
    let Ok(known) = parse("acquired.kat", KNOWN_BY_ACQUIRING, Dialect::Kat, &none) else {
        return Ok(Has::Unknown(String::new()));
    };
    let answers = stronger(theory, &known, &[], limits)?;
    Ok(answers
        .into_iter()
        .map(|answer| has(answer.verdict))
        .find(|has| !matches!(has, Has::Yes))
        .unwrap_or(Has::Yes))
}
