//! Intersection and difference of single steps.
//!
//! These are not regular operations on paths; they are supported where both sides are unions of single
//! steps with tests (`po & loc`, `rf \ po`), or where one is a product of sets (`po \ (W * R)`).

use crate::guard::Guard;
use crate::letter::{Base, Letter, Pairs};
use crate::term::{Term, Terms};
use selvedge_kat::{DefBody, Diagnostic, Prim, Rel, Span};

/// One step with tests at both ends: `[pre] ; letter ; [post]`, or `[pre]` alone.
struct Step {
    pre: Guard,
    letter: Option<Letter>,
    post: Guard,
}

impl Terms<'_> {
    pub(crate) fn inter(&mut self, a: &Rel, b: &Rel, span: &Span) -> Result<Term, Diagnostic> {
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
        let is_view = |s: &Step| {
            matches!(s.letter, Some(Letter { base: Base::View(_) | Base::AmoDep(_) | Base::Strand(_), .. }))
        };
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
                    (Some(l), Some(m))
                        if matches!(m.base, Base::View(_) | Base::AmoDep(_) | Base::Strand(_)) =>
                    {
                        Term::Letter(Letter {
                            base: m.base,
                            must: l.must.with(m.must).with(base_pair(l.base)),
                            mustnot: l.mustnot.with(m.mustnot),
                        })
                    }
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

    pub(crate) fn diff(&mut self, a: &Rel, b: &Rel, span: &Span) -> Result<Term, Diagnostic> {
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
        if right.iter().any(|s| {
            matches!(s.letter, Some(Letter { base: Base::View(_) | Base::AmoDep(_) | Base::Strand(_), .. }))
        }) {
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
        Base::View(_) | Base::AmoDep(_) | Base::Strand(_) => Pairs::default(),
        Base::Dep(dep) => dep.pair(),
    }
}
