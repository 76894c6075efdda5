//! Which properties a model has, and how that is known.
//!
//! What is decided here is decided by shapes of the model's text, in far less time than it takes to compile
//! it. A shape that is not recognised decides nothing: the property is absent then, unless the model declares
//! it.

use crate::compiled::Compiled;
use crate::model::Model;
use selvedge_kat::{
    Axiom, Constraint, DefBody, DefId, Pred, Prim, Property, Rel, Set, Sign, Subterm, Theory, Walk,
};

/// How it is known that a model has a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It follows from the model's text: how.
    Decided(&'static str),
    /// The model says so: why.
    Declared(String),
    /// It is not known to hold.
    Absent,
}

/// The properties of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Properties {
    /// In the order of [`Property::ALL`].
    standings: Vec<Standing>,
}

impl Properties {
    /// What a model declares, and what can be told by looking at it. Whether it has [`Property::OrdersByRmw`]
    /// is found out by exploring: that is left open here.
    pub fn of(theory: &Theory, compiled: &Compiled) -> Properties {
        match compiled {
            Compiled::Clocks(model) => Properties::by_clocks(theory, model),
            Compiled::Matrices(_) => Properties::by_text(theory),
        }
    }

    /// The same of a model that was compiled to clocks.
    pub fn by_clocks(theory: &Theory, model: &Model) -> Properties {
        let mut properties = Properties::by_text(theory);
        properties.decide(Property::PorfAcyclic, "an axiom says so; it is explored by clocks");
        if model.has_coherent_races() {
            let why = "what is no error is ordered by a relation that coherence is asked of";
            properties.decide(Property::PublishesInOrderOrRaces, why);
        }
        if model.is_interleaving() {
            properties.decide_interleaving();
        }
        properties
    }

    /// The properties that a model may turn out to have when it is compiled: for what is prepared meanwhile,
    /// and asks again before it relies on them. Those that the text alone decides are not hoped for.
    pub fn hoped_for(theory: &Theory) -> Properties {
        let mut properties = Properties::by_text(theory);
        let by_compiling = [
            Property::PorfAcyclic,
            Property::RepeatsReads,
            Property::ForgetsRmws,
            Property::ForgetsAcquiringRmws,
            Property::ConfirmsReads,
            Property::DelegatesRmws,
            Property::PublishesInOrder,
            Property::PublishesInOrderOrRaces,
            Property::OrdersByRmw,
        ];
        // Models that follow dependencies have none of them, but the first one is watched while programs are
        // explored in program order.
        let hoped =
            if properties.has(Property::NoDependencies) { &by_compiling[..] } else { &by_compiling[..1] };
        hoped.iter().for_each(|&property| properties.decide(property, "it may turn out to hold"));
        properties
    }

    /// What the text alone tells.
    fn by_text(theory: &Theory) -> Properties {
        let mut properties = Properties { standings: vec![Standing::Absent; Property::ALL.len()] };
        for declared in theory.properties.iter().filter(|d| !d.property.is_always_decided()) {
            properties.standings[declared.property as usize] = Standing::Declared(declared.because.clone());
        }
        if properties.has(Property::ForgetsRmws) {
            properties.decide(Property::ForgetsAcquiringRmws, FORGETS_ALL);
        }
        let text = Text::new(theory);
        if !crate::follows_dependencies(theory) {
            properties.decide(Property::NoDependencies, "no axiom uses dependencies");
        }
        if text.is_coherent() {
            properties.decide(Property::Coherent, "an axiom says so");
        }
        if text.publishes_in_order() {
            properties.decide(Property::PublishesInOrder, "coherence is asked of causal order");
            properties.decide(Property::PublishesInOrderOrRaces, "it publishes in order");
        }
        if text.is_monotone() {
            let why = "axioms ask for orderings or stronger ones only, under no complement";
            properties.decide(Property::MonotoneInOrderings, why);
        }
        if text.forgets() {
            let why = "without an event, every path of an axiom is a path that was there";
            properties.decide(Property::ForgetsReads, why);
            properties.decide(Property::ForgetsWrites, why);
        }
        properties
    }

    /// A model whose executions are interleavings asks for nothing else: every step of an axiom that is
    /// admitted goes along `po`, `rf`, `mo`, `fr`, `tc` or `tj`, so no axiom forbids an interleaving. The
    /// others are about changes that an interleaving survives. Reads, fences, writes that nobody reads, and
    /// read-modify-writes whose readers read what they read, can be taken out of a sequence of steps, each of
    /// which sees the latest write. A read can be made again at once. A read goes to right before the
    /// read-modify-write, along with the writes between the two: nobody else looks there before. And
    /// orderings do not matter.
    fn decide_interleaving(&mut self) {
        self.decide(Property::Interleaving, "an axiom says so, and no axiom of this shape forbids one");
        let of_all = [
            Property::Coherent,
            Property::MonotoneInOrderings,
            Property::ForgetsReads,
            Property::RepeatsReads,
            Property::ForgetsWrites,
            Property::ForgetsRmws,
            Property::ForgetsAcquiringRmws,
            Property::ConfirmsReads,
            Property::DelegatesRmws,
            Property::PublishesInOrder,
            Property::PublishesInOrderOrRaces,
        ];
        for property in of_all {
            self.decide(property, "executions are interleavings");
        }
    }

    /// Adds what was found out. What was decided before stays as it is.
    pub fn decide(&mut self, property: Property, why: &'static str) {
        let standing = &mut self.standings[property as usize];
        if !matches!(standing, Standing::Decided(_)) {
            *standing = Standing::Decided(why);
        }
    }

    /// How it is known that the model has the property.
    pub fn standing(&self, property: Property) -> &Standing {
        &self.standings[property as usize]
    }

    /// Whether the model has the property.
    pub fn has(&self, property: Property) -> bool {
        *self.standing(property) != Standing::Absent
    }
}

/// Why read-modify-writes that acquire may be left out.
const FORGETS_ALL: &str = "it forgets all read-modify-writes";

/// A model's text, to be looked at.
struct Text<'t> {
    theory: &'t Theory,
}

/// The steps of causal order.
const CAUSAL: [Prim; 4] = [Prim::Po, Prim::Rf, Prim::Tc, Prim::Tj];

impl<'t> Text<'t> {
    fn new(theory: &'t Theory) -> Text<'t> {
        Text { theory }
    }

    /// Axioms that count in all executions.
    fn unconditional(&self) -> impl Iterator<Item = &'t Axiom> {
        self.theory.demands().filter(|axiom| axiom.unless.is_none())
    }

    /// Everything that axioms are made of.
    fn visit(&self, see: &mut dyn FnMut(Subterm<'t>, Sign)) {
        let mut walk = Walk::new(self.theory);
        for axiom in self.theory.demands() {
            for (rel, sign) in axiom.constraint.signed() {
                walk.visit(Subterm::Rel(rel), sign, see);
            }
            // An axiom that is asked for in more cases asks for more: where its condition holds in fewer.
            for (rel, sign) in axiom.unless.iter().flat_map(|unless| unless.signed()) {
                walk.visit(Subterm::Rel(rel), sign, see);
            }
        }
    }

    /// The body of a definition that is no part of a recursion.
    fn body(&self, id: DefId) -> Option<&'t DefBody> {
        self.theory.defs.get(id.0 as usize).filter(|def| def.rec_group.is_none()).map(|def| &def.body)
    }

    /// Whether a relation contains a built-in one, by its shape.
    fn contains(&self, rel: &'t Rel, prim: Prim) -> bool {
        match rel {
            Rel::Prim(p) => *p == prim || *p == Prim::Po && prim == Prim::PoLoc,
            Rel::Union(a, b) => self.contains(a, prim) || self.contains(b, prim),
            Rel::Plus(a) | Rel::Star(a) | Rel::Opt(a) => self.contains(a, prim),
            Rel::Def(id) => match self.body(*id) {
                Some(DefBody::Rel(rel)) => self.contains(rel, prim),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a relation contains the transitive closure of built-in ones together, by its shape.
    fn contains_closure(&self, rel: &'t Rel, prims: &[Prim]) -> bool {
        match rel {
            Rel::Plus(a) | Rel::Star(a) => prims.iter().all(|prim| self.contains(a, *prim)),
            Rel::Union(a, b) => self.contains_closure(a, prims) || self.contains_closure(b, prims),
            Rel::Opt(a) => self.contains_closure(a, prims),
            Rel::Def(id) => match self.body(*id) {
                Some(DefBody::Rel(rel)) => self.contains_closure(rel, prims),
                _ => false,
            },
            _ => false,
        }
    }

    /// Coherence of what contains `po`, or acyclicity of what contains `po-loc`, `rf`, `mo` and `fr`: the
    /// last three stay at one location.
    fn is_coherent(&self) -> bool {
        self.unconditional().any(|axiom| match &axiom.constraint {
            Constraint::Coherence(rel) => self.contains(rel, Prim::Po),
            Constraint::Acyclic(rel) => {
                let all = [Prim::PoLoc, Prim::Rf, Prim::Co, Prim::Fr];
                all.into_iter().all(|prim| self.contains(rel, prim))
            }
            _ => false,
        })
    }

    /// Coherence of what contains causal order.
    fn publishes_in_order(&self) -> bool {
        self.unconditional().any(|axiom| match &axiom.constraint {
            Constraint::Coherence(rel) => self.contains_closure(rel, &CAUSAL),
            _ => false,
        })
    }

    /// A weaker ordering takes events out of `ACQ`, `REL` and `SC`; where these are nowhere under a
    /// complement, and no set has events of exactly one ordering, all relations become smaller, and
    /// constraints are about small ones.
    fn is_monotone(&self) -> bool {
        let mut monotone = true;
        self.visit(&mut |part, sign| {
            if let Subterm::Set(Set::Pred(pred)) = part {
                use Pred::*;
                monotone &= match pred {
                    Rel | Acq | Sc | Atomic => sign == Sign::Positive,
                    Rlx | Na | ExactRel | ExactAcq | ExactAcqRel | AcqPc => false,
                    All | R | W | F | Init | M | Ur | Uw | Tc | Tj | Exclusive | Barrier(_) | Persist(_)
                    | Never => true,
                };
            }
        });
        monotone
    }

    /// Without an event that nothing reads from, and that is neither first nor last of its thread, the
    /// built-in relations are what they were between those that are left; all but `po-imm`. So relations that
    /// are made of them become no larger, if what is under a complement becomes no smaller: which holds of
    /// what is not composed.
    fn forgets(&self) -> bool {
        let mut forgets = true;
        self.visit(&mut |part, sign| {
            let may_shrink = match part {
                Subterm::Rel(Rel::Prim(Prim::PoImm)) => return forgets = false,
                Subterm::Rel(rel) => match rel {
                    Rel::Seq(..) | Rel::Star(_) | Rel::Plus(_) | Rel::Rot(_) => true,
                    Rel::Prim(prim) => *prim == Prim::Detour,
                    Rel::Def(id) => self.body(*id).is_none(),
                    Rel::Empty | Rel::Id | Rel::Declared(_) | Rel::Test(_) | Rel::Cross(..) => false,
                    Rel::Union(..) | Rel::Inter(..) | Rel::Diff(..) | Rel::Not(_) => false,
                    Rel::Opt(_) | Rel::Inverse(_) | Rel::SameEnds(_) => false,
                },
                Subterm::Set(Set::Domain(_) | Set::Range(_)) => true,
                Subterm::Set(Set::Def(id)) => self.body(*id).is_none(),
                Subterm::Set(_) => false,
            };
            forgets &= !(may_shrink && sign == Sign::Negative);
        });
        forgets
    }
}
