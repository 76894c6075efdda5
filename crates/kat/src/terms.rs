//! Expressions to terms: looks names up and tells sets from relations.
//!
//! In `.cat` the same operators serve sets and relations, and `[S]` makes a relation of a set. In
//! `.kat` sets live inside of `[ ]` (and in `domain`, `range` and `let predicate`); a set that stands
//! where a relation is needed is the relation of each of its events to itself, as in `[ ]`.

use crate::ast::{DefBody, Pred, Prim, Rel, Set};
use crate::lexer::Dialect;
use crate::names::{builtins, nearest};
use crate::resolve::{Bound, Builder, Scope};
use crate::source::{Pos, quoted};
use crate::syntax::{Expr, ExprKind, Infix, Unary};
use selvedge_diagnostic::Diagnostic;
use std::collections::HashMap;

/// A relation may be read as a set where its definition has at most this many operators, so that
/// definitions in terms of each other do not grow without bound.
const MAX_INLINED: usize = 256;

/// Names that look up built-ins even where a definition hides them start so.
pub(crate) const BUILTIN: &str = "builtin::";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Set,
    Rel,
}

/// A resolved expression. The literals `0` and `emptyset` are [`Rel::Empty`] or [`Set::Empty`] and
/// turn into each other as needed.
pub(crate) enum Term {
    Set(Set),
    Rel(Rel),
}

/// Whether an expression stands in `[ ]` of `.kat`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Brackets,
    Open,
}

impl Builder<'_> {
    /// The expression as a relation.
    pub fn rel(&self, scope: &Scope<'_, '_>, e: &Expr<'_>) -> Result<Rel, Diagnostic> {
        let term = self.term(scope, e, Place::Open)?;
        self.to_rel(scope, e, term)
    }

    /// The expression as a set, as it stands inside of `[ ]`.
    pub fn set(&self, scope: &Scope<'_, '_>, e: &Expr<'_>) -> Result<Set, Diagnostic> {
        let term = self.term(scope, e, Place::Brackets)?;
        self.to_set(scope, e, term)
    }

    /// The expression as what it is; only `.cat` has sets outside of `[ ]`.
    pub fn either(&self, scope: &Scope<'_, '_>, e: &Expr<'_>) -> Result<Term, Diagnostic> {
        self.term(scope, e, Place::Open)
    }

    fn term(&self, scope: &Scope<'_, '_>, e: &Expr<'_>, place: Place) -> Result<Term, Diagnostic> {
        let in_brackets = place == Place::Brackets && scope.dialect == Dialect::Kat;
        match &e.kind {
            ExprKind::Zero if in_brackets => Ok(Term::Set(Set::Empty)),
            ExprKind::Zero => Ok(Term::Rel(Rel::Empty)),
            ExprKind::EmptyTest if in_brackets => Ok(Term::Set(Set::Pred(Pred::All))),
            ExprKind::EmptyTest => Ok(Term::Rel(Rel::Id)),
            ExprKind::Name(name) => self.name(scope, name, e.pos),
            ExprKind::Unary(op, e) => self.unary(scope, *op, e, place),
            ExprKind::Infix(Infix::Cross, a, b) => {
                let [a_set, b_set] = [a, b].map(|operand| {
                    let term = self.term(scope, operand, Place::Open)?;
                    self.to_set(scope, operand, term)
                });
                Ok(Term::Rel(Rel::Cross(a_set?, b_set?)))
            }
            ExprKind::Infix(op, a, b) => {
                let left = self.term(scope, a, place)?;
                let right = self.term(scope, b, place)?;
                let sets = match (scope.dialect, *op) {
                    (Dialect::Kat, _) => in_brackets,
                    (Dialect::Cat, Infix::Seq) => false,
                    (Dialect::Cat, _) => match (&left, &right) {
                        (Term::Set(Set::Empty), Term::Rel(_)) | (Term::Rel(_), Term::Set(Set::Empty)) => {
                            false
                        }
                        (Term::Rel(Rel::Empty), Term::Set(_)) | (Term::Set(_), Term::Rel(Rel::Empty)) => true,
                        (Term::Set(_), Term::Set(_)) => true,
                        (Term::Rel(_), Term::Rel(_)) => false,
                        _ => return Err(self.mixed(scope, e.pos)),
                    },
                };
                if sets {
                    let left = Box::new(self.to_set(scope, a, left)?);
                    let right = Box::new(self.to_set(scope, b, right)?);
                    Ok(Term::Set(match op {
                        Infix::Union => Set::Union(left, right),
                        Infix::Diff => Set::Diff(left, right),
                        // `[A ; B]` is `[A] ; [B]`.
                        Infix::Inter | Infix::Seq | Infix::Cross => Set::Inter(left, right),
                    }))
                } else {
                    let left = Box::new(self.to_rel(scope, a, left)?);
                    let right = Box::new(self.to_rel(scope, b, right)?);
                    Ok(Term::Rel(match op {
                        Infix::Union => Rel::Union(left, right),
                        Infix::Diff => Rel::Diff(left, right),
                        Infix::Inter => Rel::Inter(left, right),
                        Infix::Seq | Infix::Cross => Rel::Seq(left, right),
                    }))
                }
            }
        }
    }

    fn unary(
        &self,
        scope: &Scope<'_, '_>,
        op: Unary,
        e: &Expr<'_>,
        place: Place,
    ) -> Result<Term, Diagnostic> {
        let boxed = || self.rel(scope, e).map(Box::new);
        Ok(Term::Rel(match op {
            Unary::Star => Rel::Star(boxed()?),
            Unary::Plus => Rel::Plus(boxed()?),
            Unary::Opt => Rel::Opt(boxed()?),
            Unary::Inverse => Rel::Inverse(boxed()?),
            Unary::SameEnds => Rel::SameEnds(boxed()?),
            Unary::Rot => Rel::Rot(boxed()?),
            Unary::Domain => return Ok(Term::Set(Set::Domain(boxed()?))),
            Unary::Range => return Ok(Term::Set(Set::Range(boxed()?))),
            Unary::Test => {
                let set = self.set(scope, e)?;
                if place == Place::Brackets && scope.dialect == Dialect::Kat {
                    return Ok(Term::Set(set));
                }
                Rel::Test(set)
            }
            Unary::Not if scope.dialect == Dialect::Kat && place == Place::Brackets => {
                return Ok(Term::Set(Set::Not(Box::new(self.set(scope, e)?))));
            }
            Unary::Not => match self.term(scope, e, place)? {
                Term::Set(set) if scope.dialect == Dialect::Cat => {
                    return Ok(Term::Set(Set::Not(Box::new(set))));
                }
                // `~S` might be meant as `[~S]` or as `~[S]`.
                Term::Set(_) => return Err(self.no_relation(scope, e)),
                Term::Rel(rel) => Rel::Not(Box::new(rel)),
            },
        }))
    }

    fn mixed(&self, scope: &Scope<'_, '_>, pos: Pos) -> Diagnostic {
        scope
            .source
            .error(pos, "one side of this operator is a set, the other a relation")
            .with_help("`[S]` is the relation of each event of the set S to itself")
    }

    pub fn to_rel(&self, scope: &Scope<'_, '_>, e: &Expr<'_>, term: Term) -> Result<Rel, Diagnostic> {
        match term {
            Term::Rel(rel) => Ok(rel),
            Term::Set(Set::Empty) => Ok(Rel::Empty),
            Term::Set(set) if scope.dialect == Dialect::Kat => Ok(Rel::Test(set)),
            Term::Set(_) => Err(self.no_relation(scope, e)),
        }
    }

    fn no_relation(&self, scope: &Scope<'_, '_>, e: &Expr<'_>) -> Diagnostic {
        let what = set_word(scope.dialect);
        let (subject, test) = match e.kind {
            ExprKind::Name(name) => (quoted(name), format!("[{}]", quoted(name).trim_matches('`'))),
            _ => ("this".to_string(), "[…]".to_string()),
        };
        scope
            .source
            .error(e.pos, format!("{subject} is a {what}, but a relation is needed here"))
            .with_help(format!("`{test}` is the relation of each such event to itself"))
    }

    pub fn to_set(&self, scope: &Scope<'_, '_>, e: &Expr<'_>, term: Term) -> Result<Set, Diagnostic> {
        let rel = match term {
            Term::Set(set) => return Ok(set),
            Term::Rel(Rel::Empty) => return Ok(Set::Empty),
            // An operand of a product, `[A] * [B]`.
            Term::Rel(Rel::Test(set)) if scope.dialect == Dialect::Kat => return Ok(set),
            Term::Rel(rel) => rel,
        };
        let mut budget = MAX_INLINED;
        if scope.dialect == Dialect::Kat
            && let Some(set) = self.read_as_set(&rel, &mut budget)
        {
            return Ok(set);
        }
        let subject = match e.kind {
            ExprKind::Name(name) => quoted(name),
            _ => "this".to_string(),
        };
        let what = set_word(scope.dialect);
        Err(scope
            .source
            .error(e.pos, format!("{subject} is a relation, but a {what} is needed here"))
            .with_help("`domain(r)` and `range(r)` are the events that a relation starts and ends in"))
    }

    /// The set of the events that `rel` relates to themselves, if its form shows that it relates
    /// events to themselves only. `budget` counts operators down.
    fn read_as_set(&self, rel: &Rel, budget: &mut usize) -> Option<Set> {
        *budget = budget.checked_sub(1)?;
        let both = |a: &Rel, b: &Rel, budget: &mut usize| {
            Some((Box::new(self.read_as_set(a, budget)?), Box::new(self.read_as_set(b, budget)?)))
        };
        Some(match rel {
            Rel::Empty => Set::Empty,
            Rel::Id => Set::Pred(Pred::All),
            Rel::Test(set) => {
                *budget = budget.checked_sub(size(set, *budget)?)?;
                set.clone()
            }
            Rel::Def(id) => match &self.defs[id.0 as usize] {
                def if def.rec_group.is_some() => return None,
                def => match &def.body {
                    DefBody::Rel(body) => self.read_as_set(body, budget)?,
                    DefBody::Set(_) => return None,
                },
            },
            Rel::Union(a, b) => both(a, b, budget).map(|(a, b)| Set::Union(a, b))?,
            Rel::Seq(a, b) | Rel::Inter(a, b) => both(a, b, budget).map(|(a, b)| Set::Inter(a, b))?,
            Rel::Diff(a, b) => both(a, b, budget).map(|(a, b)| Set::Diff(a, b))?,
            _ => return None,
        })
    }

    /// What the name stands for, full names and definitions of the scope first.
    fn name(&self, scope: &Scope<'_, '_>, name: &str, pos: Pos) -> Result<Term, Diagnostic> {
        if name == "id" {
            return Ok(Term::Rel(Rel::Id));
        }
        if name == "emptyset" && scope.dialect == Dialect::Cat {
            return Ok(Term::Set(Set::Empty));
        }
        if let Some((full, bound)) = self.lookup(scope, name) {
            return Ok(match bound {
                Bound::Def(id) => match self.defs[id.0 as usize].body {
                    DefBody::Rel(_) => Term::Rel(Rel::Def(id)),
                    DefBody::Set(_) => Term::Set(Set::Def(id)),
                },
                Bound::Relation => Term::Rel(Rel::Declared(full)),
                Bound::Predicate => Term::Set(Set::Declared(full)),
            });
        }
        let plain = name.strip_prefix(BUILTIN).unwrap_or(name);
        if let Some(prim) = Prim::by_name(plain) {
            return Ok(Term::Rel(Rel::Prim(prim)));
        }
        if let Some(pred) = Pred::by_name(plain, scope.dialect) {
            return Ok(Term::Set(Set::Pred(pred)));
        }
        if plain == "RMW" && scope.dialect == Dialect::Cat {
            let half = |pred| Box::new(Set::Pred(pred));
            return Ok(Term::Set(Set::Union(half(Pred::Ur), half(Pred::Uw))));
        }
        Err(self.unknown(scope, name, pos))
    }

    fn unknown(&self, scope: &Scope<'_, '_>, name: &str, pos: Pos) -> Diagnostic {
        let error = scope.source.error(pos, format!("unknown name {}", quoted(name)));
        if self.defining.iter().any(|defining| defining == name) {
            return error.with_help("a definition that refers to itself starts with `let rec`");
        }
        let mine = self.names.keys().filter_map(|full| full.strip_prefix(&scope.prefix));
        let qualified = self.names.keys().map(String::as_str).filter(|full| full.contains("::"));
        let mut candidates: Vec<&str> = builtins(scope.dialect).collect();
        candidates.extend(mine.chain(qualified));
        // The order of a hash map must not show.
        candidates.sort_unstable();
        if let Some(near) = nearest(name, candidates.into_iter()) {
            return error.with_help(format!("did you mean `{near}`?"));
        }
        match name.rsplit_once("::") {
            Some((stem, _)) if !self.stems.contains_key(stem) => {
                let stem = quoted(stem);
                error.with_help(format!("include \"{}.kat\" first", stem.trim_matches('`')))
            }
            _ => error,
        }
    }

    /// What an expression of `.cat` is, given what is known of the definitions of its group. `None`
    /// where it depends on those that nothing is known of.
    pub fn kind(
        &self,
        scope: &Scope<'_, '_>,
        e: &Expr<'_>,
        group: &HashMap<&str, Option<Kind>>,
    ) -> Option<Kind> {
        match &e.kind {
            ExprKind::Zero => None,
            ExprKind::EmptyTest => Some(Kind::Rel),
            ExprKind::Name(name) => match group.get(name) {
                Some(kind) => *kind,
                None => match self.name(scope, name, e.pos) {
                    Ok(Term::Set(Set::Empty)) | Err(_) => None,
                    Ok(Term::Set(_)) => Some(Kind::Set),
                    Ok(Term::Rel(_)) => Some(Kind::Rel),
                },
            },
            ExprKind::Unary(Unary::Not, e) => self.kind(scope, e, group),
            ExprKind::Unary(Unary::Domain | Unary::Range, _) => Some(Kind::Set),
            ExprKind::Unary(..) | ExprKind::Infix(Infix::Seq | Infix::Cross, ..) => Some(Kind::Rel),
            ExprKind::Infix(_, a, b) => self.kind(scope, a, group).or_else(|| self.kind(scope, b, group)),
        }
    }
}

fn set_word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Kat => "predicate",
        Dialect::Cat => "set",
    }
}

/// The number of operators of a set, if it is at most `limit`. Sets that hold relations have no
/// size: they are not worth a copy.
fn size(set: &Set, limit: usize) -> Option<usize> {
    let limit = limit.checked_sub(1)?;
    match set {
        Set::Empty | Set::Pred(_) | Set::Def(_) | Set::Declared(_) => Some(1),
        Set::Union(a, b) | Set::Inter(a, b) | Set::Diff(a, b) => {
            let left = size(a, limit)?;
            Some(1 + left + size(b, limit - left)?)
        }
        Set::Not(a) => Some(1 + size(a, limit)?),
        Set::Domain(_) | Set::Range(_) => None,
    }
}
