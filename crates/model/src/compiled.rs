//! A model in the form that fits it.

use crate::model::Model;
use crate::relational::Relational;
use selvedge_kat::{DefBody, Diagnostic, Inclusion, Prim, Rel, Set, Theory};

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
        let found = Finder::look(theory);
        if found.found {
            let mut model = Relational::compile(theory)?;
            model.has_arms = found.arms;
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
    Finder::look(theory).found
}

struct Finder<'a> {
    theory: &'a Theory,
    seen: Vec<bool>,
    found: bool,
    arms: bool,
}

impl Finder<'_> {
    fn look(theory: &Theory) -> Finder<'_> {
        let mut found = Finder { theory, seen: vec![false; theory.defs.len()], found: false, arms: false };
        for axiom in theory.axioms.iter().filter(|a| !a.extra) {
            use selvedge_kat::Constraint::*;
            match &axiom.constraint {
                Acyclic(r) | Irreflexive(r) | Empty(r) | Coherence(r) => found.rel(r),
                Inclusion(i) | Error { unless: i, .. } => found.inclusion(i),
            }
        }
        found
    }

    fn inclusion(&mut self, i: &Inclusion) {
        match i {
            Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => {
                self.rel(a);
                self.rel(b);
            }
            Inclusion::Total(r) => self.rel(r),
        }
    }

    fn def(&mut self, d: u32) {
        if !std::mem::replace(&mut self.seen[d as usize], true) {
            match &self.theory.defs[d as usize].body {
                DefBody::Rel(r) => self.rel(r),
                DefBody::Set(s) => self.set(s),
            }
        }
    }

    fn rel(&mut self, r: &Rel) {
        match r {
            Rel::Prim(Prim::CtrlArm) => {
                self.found = true;
                self.arms = true;
            }
            Rel::Prim(Prim::Addr | Prim::Data | Prim::Ctrl | Prim::CasDep) => self.found = true,
            Rel::Prim(_) | Rel::Empty | Rel::Id | Rel::Declared(_) => {}
            Rel::Def(d) => self.def(d.0),
            Rel::Test(s) => self.set(s),
            Rel::Cross(a, b) => {
                self.set(a);
                self.set(b);
            }
            Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => {
                self.rel(a);
                self.rel(b);
            }
            Rel::Star(a) | Rel::Plus(a) | Rel::Opt(a) | Rel::Inverse(a) | Rel::Not(a) => self.rel(a),
            Rel::SameEnds(a) | Rel::Rot(a) => self.rel(a),
        }
    }

    fn set(&mut self, s: &Set) {
        match s {
            Set::Empty | Set::Pred(_) | Set::Declared(_) => {}
            Set::Def(d) => self.def(d.0),
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                self.set(a);
                self.set(b);
            }
            Set::Not(a) => self.set(a),
            Set::Domain(r) | Set::Range(r) => self.rel(r),
        }
    }
}
