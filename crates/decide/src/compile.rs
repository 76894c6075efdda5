//! Models, compiled, with what can be decided of them.

use crate::premises;
use crate::search::Limits;
use selvedge_kat::{Diagnostic, Theory};
use selvedge_model::Compiled;

/// Compiles a model, or says why it cannot drive an exploration. Of one that follows dependencies, what an
/// exploration may rely on is decided.
pub fn compile(theory: &Theory) -> Result<Compiled, Diagnostic> {
    let mut compiled = Compiled::compile(theory)?;
    if let Compiled::Matrices(model) = &mut compiled {
        model.set_causality(premises::of_model(theory, Limits::for_loading()).causality());
    }
    Ok(compiled)
}
