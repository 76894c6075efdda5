//! That `pb` contains the coherence of durable writes, by the shape of its text.

use super::{Node, Persistency};
use selvedge_graph::MediumKind;
use selvedge_kat::ast::{DefBody, Persist, Pred, Prim, Set, Theory};

const KINDS: [MediumKind; 5] =
    [MediumKind::Memory, MediumKind::Data, MediumKind::Metadata, MediumKind::Directory, MediumKind::Journal];

impl Persistency {
    /// Whether it can be seen that coherence between any two durable writes of one kind is part of it.
    pub(super) fn contains_coherence(&self) -> bool {
        KINDS.iter().all(|kind| self.covers(self.root, *kind))
    }

    /// Whether the term relates any two writes of a durable location that coherence does.
    fn covers(&self, at: u32, kind: MediumKind) -> bool {
        let covers = |at: u32| self.covers(at, kind);
        let passes = |at: u32| self.passes(at, kind);
        match self.node(at) {
            Node::Prim(Prim::Co | Prim::Loc | Prim::LocOverlap | Prim::Any) => true,
            Node::Prim(Prim::SameLine) => kind == MediumKind::Memory,
            Node::Prim(Prim::SameInode | Prim::SameBlock) => kind != MediumKind::Memory,
            Node::Cross(a, b) => {
                holds(&self.theory, a, kind) == Some(true) && holds(&self.theory, b, kind) == Some(true)
            }
            Node::Union(a, b) => covers(*a) || covers(*b),
            Node::Inter(a, b) => covers(*a) && covers(*b),
            Node::Seq(a, b) => covers(*a) && passes(*b) || passes(*a) && covers(*b),
            Node::Plus(a) | Node::Opt(a) => covers(*a),
            Node::Empty | Node::Id | Node::Prim(_) | Node::Test(_) | Node::Diff(..) => false,
        }
    }

    /// Whether it relates every write of a durable location with itself.
    fn passes(&self, at: u32, kind: MediumKind) -> bool {
        let passes = |at: u32| self.passes(at, kind);
        match self.node(at) {
            Node::Id | Node::Opt(_) | Node::Prim(Prim::Loc | Prim::Int | Prim::Any) => true,
            Node::Test(set) => holds(&self.theory, set, kind) == Some(true),
            Node::Union(a, b) => passes(*a) || passes(*b),
            Node::Seq(a, b) | Node::Inter(a, b) => passes(*a) && passes(*b),
            Node::Plus(a) => passes(*a),
            Node::Empty | Node::Prim(_) | Node::Cross(..) | Node::Diff(..) => false,
        }
    }
}

/// Whether a set holds of every durable write of a kind (`Some(true)`) or of none.
fn holds(theory: &Theory, set: &Set, kind: MediumKind) -> Option<bool> {
    let of = |set: &Set| holds(theory, set, kind);
    match set {
        Set::Empty | Set::Declared(_) => Some(false),
        Set::Def(id) => match &theory.defs[id.0 as usize].body {
            DefBody::Set(set) => of(set),
            DefBody::Rel(_) => None,
        },
        Set::Union(a, b) => match (of(a), of(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Set::Inter(a, b) => match (of(a), of(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Set::Diff(a, b) => match (of(a), of(b)) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            _ => None,
        },
        Set::Not(a) => of(a).map(|held| !held),
        Set::Pred(pred) => match pred {
            Pred::All | Pred::W | Pred::M => Some(true),
            Pred::R | Pred::F | Pred::Init | Pred::Ur | Pred::Tc | Pred::Tj | Pred::Never => Some(false),
            Pred::Acq | Pred::AcqPc | Pred::Barrier(_) => Some(false),
            Pred::Persist(persist) => match persist {
                Persist::Durable | Persist::NotRecovery => Some(true),
                Persist::Memory => Some(kind == MediumKind::Memory),
                Persist::Data => Some(kind == MediumKind::Data),
                Persist::Metadata => Some(kind == MediumKind::Metadata),
                Persist::Directory => Some(kind == MediumKind::Directory),
                Persist::Journal => Some(kind == MediumKind::Journal),
                Persist::Straddles if kind == MediumKind::Metadata => None,
                _ => Some(false),
            },
            _ => None,
        },
        Set::Domain(_) | Set::Range(_) => None,
    }
}
