//! Persistency models (thesis §8.1): what persists before what.
//!
//! A `.kat` file says `recovery r`. Persists-before, `pb`, is the transitive closure of `r`, so it is
//! transitive by construction; that it contains coherence of durable writes is shown from the text
//! ([`contains`]), or the model is refused; that it is irreflexive is asked in every execution, of every
//! write that matters ([`Past::cyclic`]): no memory model is assumed, so `r` may be cyclic under one and not
//! under another.
//!
//! Recovery asks about few writes of an execution. So nothing is computed before it is asked for: terms are
//! evaluated backwards, from sets of events to what is before them ([`eval`]). The cost is that of the part
//! of the execution that is before what recovery reads, not that of the execution.

mod bits;
mod contains;
mod eval;

pub use eval::{Memo, Order, Past};

use selvedge_graph::ExecutionGraph;
use selvedge_kat::ast::{DefBody, Prim, Rel, Set, Theory};
use selvedge_kat::{Diagnostic, Span};
use std::sync::Arc;

/// A persistency model, ready to be asked about executions.
#[derive(Clone, PartialEq, Debug)]
pub struct Persistency {
    theory: Arc<Theory>,
    nodes: Vec<Node>,
    root: u32,
}

/// A term. Definitions are in place of their names, each once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Empty,
    Id,
    Prim(Prim),
    Test(Set),
    Cross(Set, Set),
    Union(u32, u32),
    Seq(u32, u32),
    Inter(u32, u32),
    Diff(u32, u32),
    Plus(u32),
    Opt(u32),
}

/// More nodes are no model that a person wrote.
const MAX_NODES: usize = 20_000;

impl Persistency {
    /// Compiles what `recovery` says, or refuses it.
    pub fn compile(theory: &Theory) -> Result<Persistency, Diagnostic> {
        let refuse = |span: Option<&Span>, why: &str, help: &str| {
            let mut error = Diagnostic::plain(format!("`{}` is no persistency model: {why}", theory.name))
                .with_help(help);
            error.span = span.cloned();
            error
        };
        let Some((first, span)) = theory.recovery.first() else {
            return Err(refuse(
                None,
                "it does not say what persists before what",
                "add `export recovery pb`, where `pb` contains `[D] ; co ; [D]`",
            ));
        };
        let all = theory.recovery[1..]
            .iter()
            .fold(first.clone(), |all, (rel, _)| Rel::Union(Box::new(all), Box::new(rel.clone())));
        let mut compiler = Compiler { theory, nodes: Vec::new(), defs: vec![None; theory.defs.len()] };
        let fail = |(why, help): Refusal| refuse(Some(span), why, help);
        let body = compiler.rel(&all).map_err(fail)?;
        let root = compiler.node(Node::Plus(body)).map_err(fail)?;
        let persistency = Persistency { theory: Arc::new(theory.clone()), nodes: compiler.nodes, root };
        if !persistency.contains_coherence() {
            return Err(refuse(
                Some(span),
                "it cannot be seen that `pb` contains the coherence of all durable writes",
                "make `[D] ; co ; [D]` one of its alternatives",
            ));
        }
        Ok(persistency)
    }

    /// What the model is called.
    pub fn name(&self) -> &str {
        &self.theory.name
    }

    /// The model as it was written.
    pub fn text(&self) -> String {
        self.theory.to_kat()
    }

    /// Persists-before in one execution, of which `memo` is.
    pub fn order<'a>(&'a self, g: &'a ExecutionGraph, memo: &'a mut Memo) -> Order<'a> {
        Order::new(self, g, memo)
    }

    pub(crate) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }
}

type Refusal = (&'static str, &'static str);

struct Compiler<'a> {
    theory: &'a Theory,
    nodes: Vec<Node>,
    defs: Vec<Option<u32>>,
}

impl Compiler<'_> {
    fn node(&mut self, node: Node) -> Result<u32, Refusal> {
        if self.nodes.len() >= MAX_NODES {
            return Err(("it is too large", "make it smaller"));
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as u32 - 1)
    }

    fn rel(&mut self, rel: &Rel) -> Result<u32, Refusal> {
        let node = match rel {
            Rel::Empty | Rel::Declared(_) => Node::Empty,
            Rel::Id => Node::Id,
            Rel::Prim(prim) => self.prim(*prim)?,
            Rel::Test(set) => {
                self.set(set)?;
                Node::Test(set.clone())
            }
            Rel::Cross(a, b) => {
                self.set(a)?;
                self.set(b)?;
                Node::Cross(a.clone(), b.clone())
            }
            Rel::Def(id) => {
                let at = id.0 as usize;
                if let Some(known) = self.defs[at] {
                    return Ok(known);
                }
                let def = &self.theory.defs[at];
                if def.rec_group.is_some() {
                    return Err(("recursive definitions are not supported in it", "use `+` and `*`"));
                }
                let node = match &def.body {
                    DefBody::Rel(rel) => self.rel(rel)?,
                    DefBody::Set(set) => self.rel(&Rel::Test(set.clone()))?,
                };
                self.defs[at] = Some(node);
                return Ok(node);
            }
            Rel::Union(a, b) => Node::Union(self.rel(a)?, self.rel(b)?),
            Rel::Seq(a, b) => Node::Seq(self.rel(a)?, self.rel(b)?),
            Rel::Inter(a, b) => Node::Inter(self.rel(a)?, self.rel(b)?),
            Rel::Diff(a, b) => Node::Diff(self.rel(a)?, self.rel(b)?),
            Rel::Plus(a) => Node::Plus(self.rel(a)?),
            Rel::Opt(a) => Node::Opt(self.rel(a)?),
            Rel::Star(a) => {
                let a = self.rel(a)?;
                let plus = self.node(Node::Plus(a))?;
                Node::Opt(plus)
            }
            Rel::Inverse(_) => {
                return Err((
                    "inverses are not supported in it: what persists first must have come about first",
                    "`rf^-1 ; co` is `fr`",
                ));
            }
            Rel::Not(_) => return Err(("complements are not supported in it", "use `\\`")),
            Rel::SameEnds(_) | Rel::Rot(_) => {
                return Err(("`^=` and `rot` are for questions about models", "leave them out"));
            }
        };
        self.node(node)
    }

    fn prim(&self, prim: Prim) -> Result<Node, Refusal> {
        match prim {
            Prim::Addr
            | Prim::Data
            | Prim::Ctrl
            | Prim::CtrlArm
            | Prim::CasDep
            | Prim::Publishes
            | Prim::Detour => {
                Err(("dependencies do not order what persists", "use `po`, `rf`, `co` and `fr`"))
            }
            Prim::Alloc | Prim::Free => Ok(Node::Empty),
            prim => Ok(Node::Prim(prim)),
        }
    }

    /// Whether the sets that it is made of can be evaluated.
    fn set(&self, set: &Set) -> Result<(), Refusal> {
        match set {
            Set::Empty | Set::Pred(_) | Set::Declared(_) => Ok(()),
            Set::Def(id) => match &self.theory.defs[id.0 as usize] {
                def if def.rec_group.is_some() => {
                    Err(("recursive definitions are not supported in it", "name the events otherwise"))
                }
                def => match &def.body {
                    DefBody::Set(set) => self.set(set),
                    DefBody::Rel(_) => Err(("a relation is used as a set", "use a predicate")),
                },
            },
            Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
                self.set(a)?;
                self.set(b)
            }
            Set::Not(a) => self.set(a),
            Set::Domain(_) | Set::Range(_) => {
                Err(("`domain` and `range` are not supported in it", "name the events by predicates"))
            }
        }
    }
}
