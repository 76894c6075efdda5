//! Models, compiled, with what can be decided of them.

use selvedge_decide::premises::{self, Has, Premise, Premises};
use selvedge_decide::search::Limits;
use selvedge_kat::{Diagnostic, Theory};
use selvedge_model::Compiled;
use selvedge_model::relational::{Causality, ThinAir};

/// Compiles a model, or says why it cannot drive an exploration. Of one that follows dependencies, what an
/// exploration may rely on is decided.
pub fn compile(theory: &Theory) -> Result<Compiled, Diagnostic> {
    let mut compiled = Compiled::compile(theory)?;
    if let Compiled::Matrices(model) = &mut compiled {
        model.set_causality(causality(&premises::of_model(theory, Limits::for_loading())));
    }
    Ok(compiled)
}

fn causality(found: &Premises) -> Causality {
    let holds = |premise| matches!(found.of(premise), Has::Yes);
    Causality {
        is_local: matches!(found.form, Has::Yes),
        forwards: holds(Premise::Forwards),
        skeleton: holds(Premise::Skeleton),
        successors: holds(Premise::Successors),
        rereads: holds(Premise::Rereads),
        thin_air: match found.thin_air {
            premises::ThinAir::Forbidden => ThinAir::Forbidden,
            premises::ThinAir::ByRmws(_) => ThinAir::ByRmws,
            premises::ThinAir::Allowed(_) | premises::ThinAir::Unknown(_) => ThinAir::Open,
        },
        c_only: found.c_only,
    }
}
