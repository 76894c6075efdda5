//! From the relations of a model file to regular terms over letters and guards.
//!
//! Intersection, difference and complement are not regular operations on paths; they are supported
//! where one side says something about a single step (`po & loc`, `rf \ po`, `po \ (W * R)`), which
//! is where models use them. What does not fit is refused, never approximated.

use crate::classes::Classes;
use crate::guard::Guard;
use crate::letter::{Base, Dep, Letter, Pairs};
use crate::strands::Strands;
use selvedge_kat::{DefBody, DefId, Diagnostic, Pred, Prim, Rel, Set, Span, Theory};
use std::collections::HashMap;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    Empty,
    Test(Guard),
    Letter(Letter),
    Seq(Box<Term>, Box<Term>),
    Union(Box<Term>, Box<Term>),
    Plus(Box<Term>),
    Opt(Box<Term>),
    /// A definition of the recursive group being solved.
    Var(DefId),
}

impl Term {
    pub fn letter(base: Base) -> Term {
        Term::Letter(Letter::plain(base))
    }

    pub fn id() -> Term {
        Term::Test(Guard::always())
    }

    pub fn seq(a: Term, b: Term) -> Term {
        match (a, b) {
            (Term::Empty, _) | (_, Term::Empty) => Term::Empty,
            (Term::Test(g), b) if g.is_always() => b,
            (a, Term::Test(g)) if g.is_always() => a,
            (Term::Test(g), Term::Test(h)) => Term::test(g.and(&h)),
            (a, b) => Term::Seq(Box::new(a), Box::new(b)),
        }
    }

    pub fn union(a: Term, b: Term) -> Term {
        match (a, b) {
            (Term::Empty, x) | (x, Term::Empty) => x,
            (a, b) if a == b => a,
            (a, b) => Term::Union(Box::new(a), Box::new(b)),
        }
    }

    pub fn plus(a: Term) -> Term {
        match a {
            Term::Empty => Term::Empty,
            a @ Term::Plus(_) => a,
            a => Term::Plus(Box::new(a)),
        }
    }

    pub fn star(a: Term) -> Term {
        Term::Opt(Box::new(Term::plus(a)))
    }

    pub fn test(g: Guard) -> Term {
        if g.is_never() { Term::Empty } else { Term::Test(g) }
    }

    pub(crate) fn mentions(&self, vars: &[DefId]) -> bool {
        match self {
            Term::Var(v) => vars.contains(v),
            Term::Empty | Term::Test(_) | Term::Letter(_) => false,
            Term::Seq(a, b) | Term::Union(a, b) => a.mentions(vars) || b.mentions(vars),
            Term::Plus(a) | Term::Opt(a) => a.mentions(vars),
        }
    }

    /// The same with `letter(t)` in place of every part `t` that it is known for.
    pub(crate) fn abridged(self, letter: &impl Fn(&Term) -> Option<Letter>) -> Term {
        if let Some(letter) = letter(&self) {
            return Term::Letter(letter);
        }
        match self {
            Term::Seq(a, b) => Term::seq(a.abridged(letter), b.abridged(letter)),
            Term::Union(a, b) => Term::union(a.abridged(letter), b.abridged(letter)),
            Term::Plus(a) => Term::plus(a.abridged(letter)),
            Term::Opt(a) => Term::Opt(Box::new(a.abridged(letter))),
            other => other,
        }
    }

    /// Program order without conditions becomes steps between neighbours.
    pub(crate) fn steps(self) -> Term {
        match self {
            Term::Letter(l) if l == Letter::plain(Base::Po) => Term::plus(Term::letter(Base::PoImm)),
            Term::Seq(a, b) => Term::seq(a.steps(), b.steps()),
            Term::Union(a, b) => Term::union(a.steps(), b.steps()),
            Term::Plus(a) => Term::plus(a.steps()),
            Term::Opt(a) => Term::Opt(Box::new(a.steps())),
            other => other,
        }
    }
}

/// Translates the relations of one theory.
pub struct Terms<'a> {
    pub(crate) theory: &'a Theory,
    pub(crate) defs: HashMap<DefId, Term>,
    /// Views that are used as single steps, as in `hb & loc`.
    pub views: Vec<(Term, Span)>,
    /// The events that can occur; `None` for any.
    classes: Option<&'a Classes>,
    /// Dependencies are steps.
    pub(crate) follows: bool,
    /// What is found for each thread by itself, if such parts are to be steps.
    pub(crate) strands: Option<Strands>,
}

impl<'a> Terms<'a> {
    pub fn new(theory: &'a Theory, classes: Option<&'a Classes>) -> Terms<'a> {
        Terms { theory, defs: HashMap::new(), views: Vec::new(), classes, follows: false, strands: None }
    }

    /// The term of a relation that is used at `span`.
    pub fn of(&mut self, rel: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        Ok(self.rel(rel, span)?.steps())
    }

    pub(crate) fn refuse<T>(
        &self,
        span: &Span,
        message: impl Into<String>,
        help: &str,
    ) -> Result<T, Diagnostic> {
        Err(refusal(span, message, help))
    }

    pub(crate) fn rel(&mut self, rel: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        if let Some(term) = self.stranded(rel, span)? {
            return Ok(term);
        }
        Ok(match rel {
            Rel::Empty | Rel::Declared(_) => Term::Empty,
            Rel::Id => Term::id(),
            Rel::Prim(p) => self.prim(*p, span)?,
            Rel::Def(id) => self.def(*id)?,
            Rel::Test(set) => Term::test(self.set(set, span)?),
            Rel::Union(a, b) => Term::union(self.rel(a, span)?, self.rel(b, span)?),
            Rel::Seq(..) => {
                let mut parts = Vec::new();
                self.flatten(rel, &mut parts);
                let mut term = Term::id();
                let mut at = 0;
                while at < parts.len() {
                    // fr, spelt out. Elsewhere an inverse is not a step forward.
                    let next = match &parts[at..] {
                        [a, Rel::Prim(Prim::Co), ..] if is_inverse_rf(a) => {
                            at += 1;
                            Term::letter(Base::Fr)
                        }
                        // What depends on the read of a read-modify-write, from its write.
                        [a, Rel::Prim(prim), ..] if self.follows && is_inverse_rmw(a) => {
                            let Some(dep) = dependency(*prim) else { return self.against(span) };
                            at += 1;
                            Term::letter(Base::AmoDep(dep))
                        }
                        _ => self.rel(&parts[at], span)?,
                    };
                    term = Term::seq(term, next);
                    at += 1;
                }
                term
            }
            Rel::Star(a) => Term::star(self.rel(a, span)?),
            Rel::Plus(a) => Term::plus(self.rel(a, span)?),
            Rel::Opt(a) => Term::Opt(Box::new(self.rel(a, span)?)),
            Rel::Inter(a, b) => self.inter(a, b, span)?,
            Rel::Diff(a, b) => self.diff(a, b, span)?,
            Rel::Inverse(a) => match &**a {
                Rel::Empty | Rel::Declared(_) | Rel::Id | Rel::Test(_) => self.rel(a, span)?,
                Rel::Inverse(a) => self.rel(a, span)?,
                _ => self.against(span)?,
            },
            Rel::Cross(..) => self.refuse(
                span,
                "a product of sets is only supported inside an intersection or a difference",
                "write `[A] ; r ; [B]` or `r & (A * B)`",
            )?,
            Rel::Not(_) => self.refuse(
                span,
                "the complement `~r` is only supported inside an intersection",
                "write `a \\ r`",
            )?,
            Rel::SameEnds(_) | Rel::Rot(_) => self.refuse(
                span,
                "`^=` and `rot` belong to questions about models, not to executions",
                "remove it",
            )?,
        })
    }

    fn against(&self, span: &Span) -> Result<Term, Diagnostic> {
        self.refuse(
            span,
            "this constraint goes against the direction of a relation (`^-1`)",
            "an explorer needs constraints that only look forward; `rf^-1 ; co` is available as `fr`",
        )
    }

    /// The parts of a composition, from left to right; definitions that are compositions, too, in parts where
    /// they end against the direction of a relation.
    fn flatten(&self, rel: &Rel, parts: &mut Vec<Rel>) {
        match rel {
            Rel::Seq(a, b) => {
                self.flatten(a, parts);
                self.flatten(b, parts);
            }
            Rel::Def(id) if self.follows => match &self.theory.defs[id.0 as usize] {
                def if def.rec_group.is_none() => match &def.body {
                    DefBody::Rel(body @ Rel::Seq(_, last)) if is_inverse_rmw(last) => {
                        self.flatten(body, parts)
                    }
                    _ => parts.push(rel.clone()),
                },
                _ => parts.push(rel.clone()),
            },
            other => parts.push(other.clone()),
        }
    }

    pub(crate) fn def(&mut self, id: DefId) -> Result<Term, Diagnostic> {
        if let Some(term) = self.defs.get(&id) {
            return Ok(term.clone());
        }
        let theory = self.theory;
        let def = &theory.defs[id.0 as usize];
        if let Some(group) = def.rec_group {
            self.solve(group)?;
            return Ok(self.defs[&id].clone());
        }
        let term = match &def.body {
            DefBody::Rel(rel) => self.rel(rel, &def.span)?,
            DefBody::Set(set) => Term::test(self.set(set, &def.span)?),
        };
        self.defs.insert(id, term.clone());
        Ok(term)
    }

    fn prim(&self, prim: Prim, span: &Span) -> Result<Term, Diagnostic> {
        let filtered = |base, must, mustnot| Term::Letter(Letter { base, must, mustnot });
        let none = Pairs::default();
        Ok(match prim {
            Prim::Po => Term::letter(Base::Po),
            Prim::PoImm => Term::letter(Base::PoImm),
            Prim::PoLoc => filtered(Base::Po, Pairs::LOC, none),
            Prim::Rf => Term::letter(Base::Rf),
            Prim::Rfe => filtered(Base::Rf, none, Pairs::INT),
            Prim::Rfi => filtered(Base::Rf, Pairs::INT, none),
            Prim::Co => Term::letter(Base::Co),
            Prim::Coe => filtered(Base::Co, none, Pairs::INT),
            Prim::Coi => filtered(Base::Co, Pairs::INT, none),
            Prim::Fr => Term::letter(Base::Fr),
            Prim::Fre => filtered(Base::Fr, none, Pairs::INT),
            Prim::Fri => filtered(Base::Fr, Pairs::INT, none),
            Prim::Rmw => Term::letter(Base::Rmw),
            Prim::Tc => Term::letter(Base::Tc),
            Prim::Tj => Term::letter(Base::Tj),
            Prim::Detour => filtered(Base::Po, Pairs::DETOUR, none),
            Prim::LocOverlap => {
                let other = || Term::test(Guard::of(Pred::Init).not());
                Term::seq(other(), Term::seq(Term::letter(Base::LocOverlap), other()))
            }
            Prim::Alloc | Prim::Free => Term::Empty,
            Prim::SameInode | Prim::SameBlock | Prim::SameLine | Prim::Appends => self.refuse(
                span,
                "`same-inode`, `same-block`, `same-line` and `appends` say what persists before what, and nothing \
                 about memory",
                "use them in `recovery` only",
            )?,
            Prim::Addr | Prim::Data | Prim::Ctrl | Prim::CasDep | Prim::Publishes if self.follows => {
                dependency(prim).map_or(Term::Empty, |dep| Term::letter(Base::Dep(dep)))
            }
            Prim::Addr | Prim::Data | Prim::Ctrl | Prim::CtrlArm | Prim::CasDep | Prim::Publishes => self.refuse(
                span,
                "the model depends on syntactic dependencies (`addr`, `data`, `ctrl`), which `check` and `litmus` follow, but nothing else does",
                "use a model without dependencies here, such as rc11, tso or sc",
            )?,
            Prim::Loc | Prim::Int | Prim::Ext | Prim::Any => self.refuse(
                span,
                "`loc`, `int`, `ext` and `any` are only supported inside an intersection or a difference",
                "write for instance `po & loc`",
            )?,
        })
    }

    pub(crate) fn set(&mut self, set: &Set, span: &Span) -> Result<Guard, Diagnostic> {
        let guard = self.set_as_written(set, span)?;
        Ok(self.classes.map_or(guard.clone(), |classes| classes.anywhere(&guard)))
    }

    fn set_as_written(&mut self, set: &Set, span: &Span) -> Result<Guard, Diagnostic> {
        Ok(match set {
            Set::Empty | Set::Declared(_) => Guard::never(),
            Set::Pred(p) => Guard::of(*p),
            Set::Def(id) => {
                let theory = self.theory;
                let def = &theory.defs[id.0 as usize];
                match &def.body {
                    DefBody::Set(set) if def.rec_group.is_none() => self.set(set, &def.span)?,
                    _ => {
                        self.refuse(span, format!("`{}` is not a plain set", def.name), "write the set out")?
                    }
                }
            }
            Set::Union(a, b) => self.set(a, span)?.or(&self.set(b, span)?),
            Set::Inter(a, b) => self.set(a, span)?.and(&self.set(b, span)?),
            Set::Diff(a, b) => self.set(a, span)?.and(&self.set(b, span)?.not()),
            Set::Not(a) => self.set(a, span)?.not(),
            Set::Domain(r) => self.domain(r, span, false)?,
            Set::Range(r) => self.domain(r, span, true)?,
        })
    }

    /// The domain (or range) of `rmw`, the only relation whose domain a single event knows.
    pub(crate) fn domain(&self, rel: &Rel, span: &Span, range: bool) -> Result<Guard, Diagnostic> {
        match rel {
            Rel::Prim(Prim::Rmw) => Ok(Guard::of(if range { Pred::Uw } else { Pred::Ur })),
            Rel::Inverse(r) => self.domain(r, span, !range),
            _ => self.refuse(
                span,
                "`domain` and `range` are only supported of `rmw`",
                "whether an event is in the domain of another relation is not known when it is added",
            ),
        }
    }
}

fn dependency(prim: Prim) -> Option<Dep> {
    Some(match prim {
        Prim::Addr => Dep::Addr,
        Prim::Data => Dep::Data,
        Prim::Ctrl => Dep::Ctrl,
        Prim::CasDep => Dep::Cas,
        Prim::Publishes => Dep::Publishes,
        _ => return None,
    })
}

fn is_inverse_rmw(rel: &Rel) -> bool {
    matches!(rel, Rel::Inverse(r) if matches!(**r, Rel::Prim(Prim::Rmw)))
}

fn is_inverse_rf(rel: &Rel) -> bool {
    matches!(rel, Rel::Inverse(r) if matches!(**r, Rel::Prim(Prim::Rf)))
}

pub fn refusal(span: &Span, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::at(span.clone(), message).with_help(help)
}

/// Says why a model cannot drive the exploration, and where, if that is known.
pub(crate) fn not_admissible(theory: &Theory, span: Option<&Span>, why: &str, help: &str) -> Diagnostic {
    let message = format!("the model `{}` cannot drive the exploration: {why}", theory.name);
    match span {
        Some(span) => refusal(span, message, help),
        None => Diagnostic::plain(message).with_help(help),
    }
}
