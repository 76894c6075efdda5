//! From the relations of a model file to regular terms over letters and guards.
//!
//! Intersection, difference and complement are not regular operations on paths; they are supported
//! where one side says something about a single step (`po & loc`, `rf \ po`, `po \ (W * R)`), which
//! is where models use them. What does not fit is refused, never approximated.

use crate::guard::Guard;
use crate::letter::{Base, Letter, Pairs};
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

    fn mentions(&self, vars: &[DefId]) -> bool {
        match self {
            Term::Var(v) => vars.contains(v),
            Term::Empty | Term::Test(_) | Term::Letter(_) => false,
            Term::Seq(a, b) | Term::Union(a, b) => a.mentions(vars) || b.mentions(vars),
            Term::Plus(a) | Term::Opt(a) => a.mentions(vars),
        }
    }

    /// Program order without conditions becomes steps between neighbours.
    fn steps(self) -> Term {
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

/// One step with tests at both ends: `[pre] ; letter ; [post]`, or `[pre]` alone.
struct Step {
    pre: Guard,
    letter: Option<Letter>,
    post: Guard,
}

/// Translates the relations of one theory.
pub struct Terms<'a> {
    theory: &'a Theory,
    defs: HashMap<DefId, Term>,
    /// Views that are used as single steps, as in `hb & loc`.
    pub views: Vec<(Term, Span)>,
}

impl<'a> Terms<'a> {
    pub fn new(theory: &'a Theory) -> Terms<'a> {
        Terms { theory, defs: HashMap::new(), views: Vec::new() }
    }

    /// The term of a relation that is used at `span`.
    pub fn of(&mut self, rel: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        Ok(self.rel(rel, span)?.steps())
    }

    fn refuse<T>(&self, span: &Span, message: impl Into<String>, help: &str) -> Result<T, Diagnostic> {
        Err(refusal(span, message, help))
    }

    fn rel(&mut self, rel: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        Ok(match rel {
            Rel::Empty | Rel::Declared(_) => Term::Empty,
            Rel::Id => Term::id(),
            Rel::Prim(p) => self.prim(*p, span)?,
            Rel::Def(id) => self.def(*id)?,
            Rel::Test(set) => Term::test(self.set(set, span)?),
            Rel::Union(a, b) => Term::union(self.rel(a, span)?, self.rel(b, span)?),
            Rel::Seq(a, b) => {
                // fr, spelt out. Elsewhere an inverse is not a step forward.
                if is_plain_inverse_rf(a) {
                    if let Rel::Seq(first, rest) = &**b
                        && let Rel::Prim(p @ (Prim::Co | Prim::Coe | Prim::Coi)) = &**first
                    {
                        let fr = self.fr_of(*p, span)?;
                        return Ok(Term::seq(fr, self.rel(rest, span)?));
                    }
                    if let Rel::Prim(Prim::Co) = &**b {
                        return self.fr_of(Prim::Co, span);
                    }
                }
                Term::seq(self.rel(a, span)?, self.rel(b, span)?)
            }
            Rel::Star(a) => Term::star(self.rel(a, span)?),
            Rel::Plus(a) => Term::plus(self.rel(a, span)?),
            Rel::Opt(a) => Term::Opt(Box::new(self.rel(a, span)?)),
            Rel::Inter(a, b) => self.inter(a, b, span)?,
            Rel::Diff(a, b) => self.diff(a, b, span)?,
            Rel::Inverse(a) => match &**a {
                Rel::Empty | Rel::Declared(_) | Rel::Id | Rel::Test(_) => self.rel(a, span)?,
                Rel::Inverse(a) => self.rel(a, span)?,
                _ => self.refuse(
                    span,
                    "this constraint goes against the direction of a relation (`^-1`)",
                    "an explorer needs constraints that only look forward; `rf^-1 ; co` is available as `fr`",
                )?,
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

    fn fr_of(&self, co: Prim, span: &Span) -> Result<Term, Diagnostic> {
        match co {
            Prim::Co => Ok(Term::letter(Base::Fr)),
            _ => self.refuse(span, "`rf^-1 ; coe` is not a single step", "use `fr`, `fre` or `fri`"),
        }
    }

    fn def(&mut self, id: DefId) -> Result<Term, Diagnostic> {
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

    /// A group of recursive definitions, where each is linear: `x = a ; x | b` has the least solution
    /// `a* ; b` (Arden), and `x = x ; x | b` is `b+`.
    fn solve(&mut self, group: u32) -> Result<(), Diagnostic> {
        let theory = self.theory;
        let ids: Vec<DefId> = (0..theory.defs.len() as u32)
            .map(DefId)
            .filter(|id| theory.defs[id.0 as usize].rec_group == Some(group))
            .collect();
        for id in &ids {
            self.defs.insert(*id, Term::Var(*id));
        }
        let mut bodies = Vec::new();
        for id in &ids {
            let def = &theory.defs[id.0 as usize];
            let DefBody::Rel(rel) = &def.body else {
                return self.refuse(&def.span, "recursive sets are not supported", "write the set out");
            };
            bodies.push(self.rel(rel, &def.span)?);
        }
        // Eliminate the definitions one after the other, then substitute back.
        let mut solved: Vec<Term> = Vec::new();
        for (i, id) in ids.iter().enumerate() {
            let body = bodies[i].clone();
            let span = &theory.defs[id.0 as usize].span;
            let Some(term) = eliminate(&body, *id) else {
                return self.refuse(
                    span,
                    format!("the recursion of `{}` is not linear", theory.defs[id.0 as usize].name),
                    "only `x = a ; x | b`, `x = x ; a | b` and `x = x ; x | b` have a regular solution",
                );
            };
            for body in bodies.iter_mut().skip(i + 1) {
                *body = substitute(body, *id, &term);
            }
            solved.push(term);
        }
        for i in (0..ids.len()).rev() {
            let term = solved[i].clone();
            for earlier in solved.iter_mut().take(i) {
                *earlier = substitute(earlier, ids[i], &term);
            }
            self.defs.insert(ids[i], term);
        }
        Ok(())
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
            Prim::Addr | Prim::Data | Prim::Ctrl => self.refuse(
                span,
                "the model depends on syntactic dependencies (`addr`, `data`, `ctrl`), which are not tracked yet",
                "use a model without dependencies, such as rc11, tso or sc",
            )?,
            Prim::Loc | Prim::Int | Prim::Ext | Prim::Any => self.refuse(
                span,
                "`loc`, `int`, `ext` and `any` are only supported inside an intersection or a difference",
                "write for instance `po & loc`",
            )?,
        })
    }

    fn set(&mut self, set: &Set, span: &Span) -> Result<Guard, Diagnostic> {
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
    fn domain(&self, rel: &Rel, span: &Span, range: bool) -> Result<Guard, Diagnostic> {
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

    fn inter(&mut self, a: &Rel, b: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        for (one, other) in [(a, b), (b, a)] {
            match self.strip(other) {
                Rel::Cross(from, to) => {
                    let (from, to) = (self.set(&from, span)?, self.set(&to, span)?);
                    let term = self.rel(one, span)?;
                    return Ok(Term::seq(Term::test(from), Term::seq(term, Term::test(to))));
                }
                Rel::Prim(Prim::Any) => return self.rel(one, span),
                Rel::Not(r) => return self.diff(one, &r, span),
                Rel::Prim(p @ (Prim::Ext | Prim::Int | Prim::Loc)) => {
                    let steps = self.step_list(one, span)?;
                    let (pair, wanted) = pair_of(p);
                    return self.filter(
                        steps,
                        |letter| {
                            if wanted {
                                vec![Letter { must: letter.must.with(pair), ..letter }]
                            } else {
                                vec![Letter { mustnot: letter.mustnot.with(pair), ..letter }]
                            }
                        },
                        wanted,
                    );
                }
                _ => {}
            }
        }
        let (left, right) = (self.step_list(a, span)?, self.step_list(b, span)?);
        let is_view = |s: &Step| matches!(s.letter, Some(Letter { base: Base::View(_), .. }));
        if left.iter().any(is_view) && right.iter().any(is_view) {
            return self.refuse(span, "two views cannot be intersected", "use one of them");
        }
        let mut all = Term::Empty;
        for x in &left {
            for y in &right {
                let pre = x.pre.and(&y.pre);
                let post = x.post.and(&y.post);
                let middle = match (x.letter, y.letter) {
                    (None, None) => Term::test(post.clone()),
                    (None, Some(_)) | (Some(_), None) => Term::Empty, // no step leads back at once
                    // Whether a view relates two events is not among the conditions on a pair, but it
                    // can be what is listed.
                    (Some(l), Some(m)) if matches!(m.base, Base::View(_)) => Term::Letter(Letter {
                        base: m.base,
                        must: l.must.with(m.must).with(base_pair(l.base)),
                        mustnot: l.mustnot.with(m.mustnot),
                    }),
                    (Some(l), Some(m)) => Term::Letter(Letter {
                        base: l.base,
                        must: l.must.with(m.must).with(base_pair(m.base)),
                        mustnot: l.mustnot.with(m.mustnot),
                    }),
                };
                all = Term::union(all, Term::seq(Term::test(pre), Term::seq(middle, Term::test(post))));
            }
        }
        Ok(all)
    }

    fn diff(&mut self, a: &Rel, b: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        match self.strip(b) {
            Rel::Cross(from, to) => {
                let (from, to) = (self.set(&from, span)?, self.set(&to, span)?);
                let term = self.rel(a, span)?;
                return Ok(Term::union(
                    Term::seq(Term::test(from.not()), term.clone()),
                    Term::seq(term, Term::test(to.not())),
                ));
            }
            Rel::Empty => return self.rel(a, span),
            Rel::Prim(Prim::Any) => return Ok(Term::Empty),
            Rel::Not(r) => return self.inter(a, &r, span),
            Rel::Union(x, y) => {
                let less = Rel::Diff(Box::new(a.clone()), x);
                return self.diff(&less, &y, span);
            }
            Rel::Prim(p @ (Prim::Ext | Prim::Int | Prim::Loc)) => {
                let steps = self.step_list(a, span)?;
                let (pair, wanted) = pair_of(p);
                return self.filter(
                    steps,
                    |letter| {
                        if wanted {
                            vec![Letter { mustnot: letter.mustnot.with(pair), ..letter }]
                        } else {
                            vec![Letter { must: letter.must.with(pair), ..letter }]
                        }
                    },
                    !wanted,
                );
            }
            _ => {}
        }
        let (left, right) = (self.step_list(a, span)?, self.step_list(b, span)?);
        if right.iter().any(|s| matches!(s.letter, Some(Letter { base: Base::View(_), .. }))) {
            return self.refuse(
                span,
                "a view cannot be subtracted",
                "subtract `po`, `loc` or another single step",
            );
        }
        let mut remaining = left;
        for y in right {
            let mut next = Vec::new();
            for x in remaining {
                next.extend(subtract(&x, &y));
            }
            remaining = next;
        }
        Ok(remaining.into_iter().fold(Term::Empty, |all, s| Term::union(all, s.term())))
    }

    /// Looks through definitions to the shape of a relation.
    fn strip(&self, rel: &Rel) -> Rel {
        match rel {
            Rel::Def(id) => match &self.theory.defs[id.0 as usize] {
                d if d.rec_group.is_none() => match &d.body {
                    DefBody::Rel(r) => self.strip(r),
                    DefBody::Set(s) => Rel::Test(s.clone()),
                },
                _ => rel.clone(),
            },
            _ => rel.clone(),
        }
    }

    fn filter(
        &self,
        steps: Vec<Step>,
        on_letter: impl Fn(Letter) -> Vec<Letter>,
        keep_loops: bool,
    ) -> Result<Term, Diagnostic> {
        let mut all = Term::Empty;
        for step in steps {
            match step.letter {
                Some(letter) => {
                    for letter in on_letter(letter) {
                        let s = Step { pre: step.pre.clone(), letter: Some(letter), post: step.post.clone() };
                        all = Term::union(all, s.term());
                    }
                }
                None if keep_loops => all = Term::union(all, step.term()),
                None => {}
            }
        }
        Ok(all)
    }

    /// A relation as a union of single steps, if it is one.
    fn step_list(&mut self, rel: &Rel, span: &Span) -> Result<Vec<Step>, Diagnostic> {
        let mut term = self.rel(rel, span)?;
        if let Rel::Def(id) = rel
            && self.theory.defs[id.0 as usize].view
        {
            // A clock answers for the whole of it.
            term = term.steps();
            let at = self.views.iter().position(|(t, _)| *t == term).unwrap_or_else(|| {
                self.views.push((term, span.clone()));
                self.views.len() - 1
            });
            term = Term::letter(Base::View(at as u16));
        }
        let mut steps = Vec::new();
        if collect_steps(&term, &mut steps) {
            Ok(steps)
        } else {
            self.refuse(
                span,
                "an intersection or difference of composed relations is outside of what can be checked on paths",
                "intersect or subtract single relations, such as `po & loc` or `rf \\ po`",
            )
        }
    }
}

impl Step {
    fn term(self) -> Term {
        let middle = self.letter.map_or(Term::id(), Term::Letter);
        Term::seq(Term::test(self.pre), Term::seq(middle, Term::test(self.post)))
    }
}

fn is_plain_inverse_rf(rel: &Rel) -> bool {
    matches!(rel, Rel::Inverse(r) if matches!(**r, Rel::Prim(Prim::Rf)))
}

fn collect_steps(term: &Term, out: &mut Vec<Step>) -> bool {
    let always = Guard::always;
    match term {
        Term::Empty => true,
        Term::Test(g) => {
            out.push(Step { pre: g.clone(), letter: None, post: always() });
            true
        }
        Term::Letter(l) => {
            out.push(Step { pre: always(), letter: Some(*l), post: always() });
            true
        }
        Term::Union(a, b) => collect_steps(a, out) && collect_steps(b, out),
        Term::Opt(a) => {
            out.push(Step { pre: always(), letter: None, post: always() });
            collect_steps(a, out)
        }
        Term::Seq(a, b) => {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            if !collect_steps(a, &mut left) || !collect_steps(b, &mut right) {
                return false;
            }
            for x in &left {
                for y in &right {
                    let step = match (x.letter, y.letter) {
                        (Some(_), Some(_)) => return false,
                        (None, letter) => {
                            Step { pre: x.pre.and(&x.post).and(&y.pre), letter, post: y.post.clone() }
                        }
                        (letter, None) => {
                            Step { pre: x.pre.clone(), letter, post: x.post.and(&y.pre).and(&y.post) }
                        }
                    };
                    out.push(step);
                }
            }
            true
        }
        Term::Plus(_) | Term::Var(_) => false,
    }
}

/// The steps of `x` that are not steps of `y`.
fn subtract(x: &Step, y: &Step) -> Vec<Step> {
    let mut out = Vec::new();
    let mut push = |pre: Guard, letter: Option<Letter>, post: Guard| {
        if !pre.is_never() && !post.is_never() {
            out.push(Step { pre, letter, post });
        }
    };
    match (x.letter, y.letter) {
        (None, None) => {
            let g = x.pre.and(&x.post).and(&y.pre.and(&y.post).not());
            push(g, None, Guard::always());
        }
        // A step never leads back to where it started.
        (None, Some(_)) | (Some(_), None) => push(x.pre.clone(), x.letter, x.post.clone()),
        (Some(l), Some(m)) => {
            push(x.pre.and(&y.pre.not()), x.letter, x.post.clone());
            push(x.pre.and(&y.pre), x.letter, x.post.and(&y.post.not()));
            let (pre, post) = (x.pre.and(&y.pre), x.post.and(&y.post));
            let base = base_pair(m.base);
            let mut asked: Vec<(Pairs, bool)> = m.must.each().map(|p| (p, true)).collect();
            asked.extend(m.mustnot.each().map(|p| (p, false)));
            if base.is_none() || l.base != m.base {
                asked.push((base, true));
            }
            for (pair, wanted) in asked {
                if pair.is_none() {
                    continue;
                }
                let letter = if wanted {
                    Letter { mustnot: l.mustnot.with(pair), ..l }
                } else {
                    Letter { must: l.must.with(pair), ..l }
                };
                push(pre.clone(), Some(letter), post.clone());
            }
        }
    }
    out
}

fn pair_of(prim: Prim) -> (Pairs, bool) {
    match prim {
        Prim::Ext => (Pairs::INT, false),
        Prim::Int => (Pairs::INT, true),
        _ => (Pairs::LOC, true),
    }
}

fn base_pair(base: Base) -> Pairs {
    match base {
        Base::PoImm => Pairs::PO_IMM,
        Base::Po => Pairs::PO,
        Base::Rf => Pairs::RF,
        Base::Co | Base::CoImm => Pairs::CO,
        Base::Fr | Base::FrImm => Pairs::FR,
        Base::Rmw => Pairs::RMW,
        Base::Tc => Pairs::TC,
        Base::Tj => Pairs::TJ,
        // Different accesses of one location; letters never relate an event with itself.
        Base::LocOverlap => Pairs::LOC,
        Base::View(_) => Pairs::default(),
    }
}

/// Solves `x = body` for `x`, if `body` is linear in it.
fn eliminate(body: &Term, x: DefId) -> Option<Term> {
    let (mut left, mut right, mut square, mut rest) = (Term::Empty, Term::Empty, false, Term::Empty);
    let mut parts = vec![body];
    while let Some(part) = parts.pop() {
        match part {
            Term::Union(a, b) => parts.extend([&**a, &**b]),
            Term::Var(v) if *v == x => {}
            t if !t.mentions(&[x]) => rest = Term::union(t.clone(), rest),
            Term::Seq(a, b) if **a == Term::Var(x) && **b == Term::Var(x) => square = true,
            Term::Seq(a, b) if **a == Term::Var(x) && !b.mentions(&[x]) => {
                right = Term::union((**b).clone(), right)
            }
            Term::Seq(a, b) if **b == Term::Var(x) && !a.mentions(&[x]) => {
                left = Term::union((**a).clone(), left)
            }
            _ => return None,
        }
    }
    match (left, right, square) {
        (Term::Empty, Term::Empty, false) => Some(rest),
        (Term::Empty, Term::Empty, true) => Some(Term::plus(rest)),
        (left, Term::Empty, false) => Some(Term::seq(Term::star(left), rest)),
        (Term::Empty, right, false) => Some(Term::seq(rest, Term::star(right))),
        (left, right, false) => Some(Term::seq(Term::seq(Term::star(left), rest), Term::star(right))),
        _ => None,
    }
}

fn substitute(term: &Term, x: DefId, by: &Term) -> Term {
    match term {
        Term::Var(v) if *v == x => by.clone(),
        Term::Seq(a, b) => Term::seq(substitute(a, x, by), substitute(b, x, by)),
        Term::Union(a, b) => Term::union(substitute(a, x, by), substitute(b, x, by)),
        Term::Plus(a) => Term::plus(substitute(a, x, by)),
        Term::Opt(a) => Term::Opt(Box::new(substitute(a, x, by))),
        other => other.clone(),
    }
}

pub fn refusal(span: &Span, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic {
        message: message.into(),
        span: Some(span.clone()),
        excerpt: None,
        excerpt_col: 0,
        help: Some(help.to_string()),
    }
}
