//! A model in the form that fits it.

use crate::model::Model;
use crate::relational::Relational;
use selvedge_kat::{Diagnostic, Prim, Rel, Sign, Subterm, Theory, Walk};

/// A model, compiled: to clocks if `po | rf` has no cycles under it, to matrices if it follows dependencies
/// instead.
#[derive(Clone, Debug)]
pub enum Compiled {
    Clocks(Model),
    Matrices(Relational),
}

impl Compiled {
    /// Compiles a model, or says why it cannot drive the exploration.
    pub fn compile(theory: &Theory) -> Result<Compiled, Diagnostic> {
        let followed = Followed::by(theory);
        if followed.found {
            let mut model = Relational::compile(theory)?;
            model.has_arms = followed.arms;
            model.in_order = Model::compile_in_order(theory, None).ok().map(Box::new);
            return Ok(Compiled::Matrices(model));
        }
        Model::compile(theory).map(Compiled::Clocks)
    }

    pub fn name(&self) -> &str {
        match self {
            Compiled::Clocks(model) => model.name(),
            Compiled::Matrices(model) => model.name(),
        }
    }

    /// Whether programs have to keep track of their dependencies.
    pub fn follows_dependencies(&self) -> bool {
        matches!(self, Compiled::Matrices(_))
    }

    /// Whether programs have to tell where the arms of their branches end.
    pub fn has_arms(&self) -> bool {
        matches!(self, Compiled::Matrices(model) if model.has_arms)
    }
}

/// Whether an axiom of the model speaks of dependencies.
pub fn follows_dependencies(theory: &Theory) -> bool {
    Followed::by(theory).found
}

/// What the axioms of a model say of dependencies.
#[derive(Default)]
struct Followed {
    /// Something.
    found: bool,
    /// That control ends with the arms of branches.
    arms: bool,
}

impl Followed {
    fn by(theory: &Theory) -> Followed {
        let mut followed = Followed::default();
        let mut walk = Walk::new(theory);
        for axiom in theory.axioms.iter().filter(|a| !a.extra) {
            for rel in axiom.constraint.rels() {
                walk.visit(Subterm::Rel(rel), Sign::Positive, &mut |part, _| {
                    if let Subterm::Rel(Rel::Prim(prim)) = part {
                        use Prim::{Addr, CasDep, Ctrl, CtrlArm, Data, Publishes};
                        followed.found |= matches!(prim, Addr | Data | Ctrl | CtrlArm | CasDep | Publishes);
                        followed.arms |= *prim == CtrlArm;
                    }
                });
            }
        }
        followed
    }
}
