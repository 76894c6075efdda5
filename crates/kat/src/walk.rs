//! Terms as trees: their parts, and walks through them.
//!
//! Whoever looks for something in a model names what it looks for and leaves the rest to [`Subterm::parts`]: a new operator
//! is added there, and not wherever terms are looked at.

use crate::ast::{Axiom, Constraint, DefBody, DefId, Inclusion, Rel, Set, Theory};
use std::collections::HashSet;

/// A term of either kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subterm<'t> {
    /// A relation.
    Rel(&'t Rel),
    /// A set of events.
    Set(&'t Set),
}

/// Whether what is around a term grows or shrinks with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    /// More of it is more of the whole.
    Positive,
    /// It is under a complement or on the right of a difference.
    Negative,
}

impl Sign {
    /// The other one.
    pub fn flipped(self) -> Sign {
        match self {
            Sign::Positive => Sign::Negative,
            Sign::Negative => Sign::Positive,
        }
    }

    /// Of a part that has the sign `inner` in a term that has this one.
    pub fn of(self, inner: Sign) -> Sign {
        if inner == Sign::Positive { self } else { self.flipped() }
    }
}

impl<'t> From<&'t DefBody> for Subterm<'t> {
    fn from(body: &'t DefBody) -> Subterm<'t> {
        match body {
            DefBody::Rel(rel) => Subterm::Rel(rel),
            DefBody::Set(set) => Subterm::Set(set),
        }
    }
}

impl<'t> Subterm<'t> {
    /// What the outermost operator is applied to, in order; nothing for names.
    pub fn parts(self) -> impl Iterator<Item = (Subterm<'t>, Sign)> {
        use Sign::{Negative, Positive};
        use Subterm::{Rel as R, Set as S};
        let two = |a, b, second| [Some((a, Positive)), Some((b, second))];
        let one = |a, sign| [Some((a, sign)), None];
        let parts = match self {
            R(Rel::Empty | Rel::Id | Rel::Prim(_) | Rel::Def(_) | Rel::Declared(_)) => [None, None],
            R(Rel::Test(a)) => one(S(a), Positive),
            R(Rel::Cross(a, b)) => two(S(a), S(b), Positive),
            R(Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b)) => two(R(a), R(b), Positive),
            R(Rel::Diff(a, b)) => two(R(a), R(b), Negative),
            R(Rel::Star(a) | Rel::Plus(a) | Rel::Opt(a) | Rel::Inverse(a)) => one(R(a), Positive),
            R(Rel::SameEnds(a) | Rel::Rot(a)) => one(R(a), Positive),
            R(Rel::Not(a)) => one(R(a), Negative),
            S(Set::Empty | Set::Pred(_) | Set::Def(_) | Set::Declared(_)) => [None, None],
            S(Set::Union(a, b) | Set::Inter(a, b)) => two(S(a), S(b), Positive),
            S(Set::Diff(a, b)) => two(S(a), S(b), Negative),
            S(Set::Not(a)) => one(S(a), Negative),
            S(Set::Domain(a) | Set::Range(a)) => one(R(a), Positive),
        };
        parts.into_iter().flatten()
    }

    /// The definition that the term is the name of.
    pub fn def(self) -> Option<DefId> {
        match self {
            Subterm::Rel(Rel::Def(id)) | Subterm::Set(Set::Def(id)) => Some(*id),
            _ => None,
        }
    }
}

impl Rel {
    /// The relations that the outermost operator is applied to; none that are inside of a set.
    pub fn rels(&self) -> impl Iterator<Item = &Rel> {
        Subterm::Rel(self).parts().filter_map(|(part, _)| match part {
            Subterm::Rel(rel) => Some(rel),
            Subterm::Set(_) => None,
        })
    }

    /// The same, to be changed.
    pub fn rels_mut(&mut self) -> impl Iterator<Item = &mut Rel> {
        let parts: [Option<&mut Rel>; 2] = match self {
            Rel::Empty | Rel::Id | Rel::Prim(_) | Rel::Def(_) | Rel::Declared(_) => [None, None],
            Rel::Test(_) | Rel::Cross(..) => [None, None],
            Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => [Some(a), Some(b)],
            Rel::Star(a) | Rel::Plus(a) | Rel::Opt(a) | Rel::Inverse(a) | Rel::Not(a) => [Some(a), None],
            Rel::SameEnds(a) | Rel::Rot(a) => [Some(a), None],
        };
        parts.into_iter().flatten()
    }
}

impl Inclusion {
    /// The relations that it is about.
    pub fn rels(&self) -> impl Iterator<Item = &Rel> {
        let rels: [Option<&Rel>; 2] = match self {
            Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => [Some(a), Some(b)],
            Inclusion::Total(a) => [Some(a), None],
        };
        rels.into_iter().flatten()
    }

    /// The same with their signs. One that has to be equal to another has both.
    pub fn signed(&self) -> impl Iterator<Item = (&Rel, Sign)> {
        use Sign::{Negative, Positive};
        let rels: [Option<(&Rel, Sign)>; 4] = match self {
            Inclusion::Subset(a, b) => [Some((a, Positive)), Some((b, Negative)), None, None],
            Inclusion::Equal(a, b) => {
                [Some((a, Positive)), Some((b, Negative)), Some((a, Negative)), Some((b, Positive))]
            }
            Inclusion::Total(a) => [Some((a, Negative)), None, None, None],
        };
        rels.into_iter().flatten()
    }

    /// The relations that it is about, to be changed.
    pub fn rels_mut(&mut self) -> impl Iterator<Item = &mut Rel> {
        let rels: [Option<&mut Rel>; 2] = match self {
            Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => [Some(a), Some(b)],
            Inclusion::Total(a) => [Some(a), None],
        };
        rels.into_iter().flatten()
    }
}

impl Constraint {
    /// The relations that it is about.
    pub fn rels(&self) -> impl Iterator<Item = &Rel> {
        let (one, inclusion) = match self {
            Constraint::Acyclic(r)
            | Constraint::Irreflexive(r)
            | Constraint::Empty(r)
            | Constraint::Coherence(r) => (Some(r), None),
            Constraint::Inclusion(i) | Constraint::Error { unless: i, .. } => (None, Some(i)),
        };
        one.into_iter().chain(inclusion.into_iter().flat_map(Inclusion::rels))
    }

    /// The same with their signs: where there is more of a positive one, more is asked for.
    pub fn signed(&self) -> impl Iterator<Item = (&Rel, Sign)> {
        let (one, inclusion) = match self {
            Constraint::Inclusion(i) | Constraint::Error { unless: i, .. } => (None, Some(i)),
            _ => (Some(self), None),
        };
        let positive = one.into_iter().flat_map(Constraint::rels).map(|rel| (rel, Sign::Positive));
        positive.chain(inclusion.into_iter().flat_map(Inclusion::signed))
    }

    /// The relations that it is about, to be changed.
    pub fn rels_mut(&mut self) -> impl Iterator<Item = &mut Rel> {
        let (one, inclusion) = match self {
            Constraint::Acyclic(r)
            | Constraint::Irreflexive(r)
            | Constraint::Empty(r)
            | Constraint::Coherence(r) => (Some(r), None),
            Constraint::Inclusion(i) | Constraint::Error { unless: i, .. } => (None, Some(i)),
        };
        one.into_iter().chain(inclusion.into_iter().flat_map(Inclusion::rels_mut))
    }

    /// Whether it says what an error is, and not what an execution is.
    pub fn is_error(&self) -> bool {
        matches!(self, Constraint::Error { .. })
    }
}

impl Theory {
    /// What executions must satisfy: the axioms of the model proper that are not about errors.
    pub fn demands(&self) -> impl Iterator<Item = &Axiom> {
        self.axioms.iter().filter(|axiom| !axiom.extra && !axiom.constraint.is_error())
    }
}

/// A walk through terms of a theory that follows definitions, each once for each sign.
pub struct Walk<'t> {
    theory: &'t Theory,
    seen: HashSet<(DefId, Sign)>,
}

impl<'t> Walk<'t> {
    /// One that has seen nothing yet.
    pub fn new(theory: &'t Theory) -> Walk<'t> {
        Walk { theory, seen: HashSet::new() }
    }

    /// Shows a term and all that it is made of, outside first.
    pub fn visit(&mut self, part: Subterm<'t>, sign: Sign, see: &mut dyn FnMut(Subterm<'t>, Sign)) {
        see(part, sign);
        if let Some(id) = part.def()
            && self.seen.insert((id, sign))
            && let Some(def) = self.theory.defs.get(id.0 as usize)
        {
            self.visit(Subterm::from(&def.body), sign, see);
        }
        for (below, inner) in part.parts() {
            self.visit(below, sign.of(inner), see);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Prim, parse};

    fn prims(text: &str) -> Vec<(Prim, Sign)> {
        let theory = parse("m.kat", text, Dialect::Kat, &|_| Err(String::new())).expect("a model");
        let mut found = Vec::new();
        let mut walk = Walk::new(&theory);
        for (rel, sign) in theory.axioms.iter().flat_map(|axiom| axiom.constraint.signed()) {
            walk.visit(Subterm::Rel(rel), sign, &mut |part, sign| {
                if let Subterm::Rel(Rel::Prim(prim)) = part {
                    found.push((*prim, sign));
                }
            });
        }
        found
    }

    #[test]
    fn signs_follow_differences_and_definitions() {
        use Sign::{Negative, Positive};
        let text = "let a = po \\ rf  export acyclic a ; a | mo \\ a";
        let expected = [
            (Prim::Po, Positive),
            (Prim::Rf, Negative),
            (Prim::Co, Positive),
            (Prim::Po, Negative),
            (Prim::Rf, Positive),
        ];
        assert_eq!(prims(text), expected);
        assert_eq!(prims("export po <= rf"), [(Prim::Po, Positive), (Prim::Rf, Negative)]);
    }

    #[test]
    fn recursive_definitions_are_walked_once() {
        assert_eq!(prims("let rec a = po | a ; a  export acyclic a"), [(Prim::Po, Sign::Positive)]);
    }
}
