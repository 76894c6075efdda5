//! How the relations of a model become terms of the algebra.
//!
//! Intersection, difference and complement are outside of the algebra. Where they cannot be expressed
//! by facts about pairs, a term is approximated in the direction that keeps verdicts sound: the left
//! side of an inclusion from above, the right side from below ([`Side`]).

use crate::class::{Classes, Mask};
use crate::context::Context;
use crate::fact::{Facts, MAX_DECLARED};
use crate::term::{Located, Steps, Term, eco, has_var, step};
use selvedge_kat::ast::{DefBody, DefId, Pred, Prim, Rel, Set, Theory};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// From which direction a term may be approximated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// From above: what the left side of an inclusion may be.
    Above,
    /// From below: what the right side may be.
    Below,
}

impl Side {
    fn flip(self) -> Side {
        match self {
            Side::Above => Side::Below,
            Side::Below => Side::Above,
        }
    }

    /// `above` or `below`, by side.
    fn pick(self, above: Term, below: Term) -> Term {
        match self {
            Side::Above => above,
            Side::Below => below,
        }
    }
}

/// Relations that are a step and a composed relation at once, as `po-loc & (fre ; rfe)`: known by
/// both sides of a question under the same number.
#[derive(Clone, Debug, Default)]
pub struct Opaque(Rc<RefCell<Vec<(Facts, Term)>>>);

impl Opaque {
    /// The fact that stands for the composed relation. `None` if there are too many.
    fn fact(&self, facts: Facts, term: &Term, declared: usize) -> Option<Facts> {
        let mut list = self.0.borrow_mut();
        let at = match list.iter().position(|(f, t)| *f == facts && t == term) {
            Some(at) => at,
            None => {
                list.push((facts, term.clone()));
                list.len() - 1
            }
        };
        (declared + at < MAX_DECLARED).then(|| Facts::declared(declared + at))
    }
}

/// Which pairs of a relation within a location are said by `eco`, not by the relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByEco {
    Nothing,
    /// Those that end in a write.
    ToWrites,
    /// Those that start or end in a write, and of those between reads what ends with `rf`.
    All,
}

/// Turns the terms of one theory into terms of the algebra.
pub struct Lowering<'a> {
    pub theory: &'a Theory,
    pub classes: &'a Classes,
    /// Relations that the models of the question declare.
    pub relations: &'a [String],
    defs: HashMap<(DefId, Side), Rc<Term>>,
    solving: bool,
    /// Composed relations that were intersected with `loc`, from above.
    pub located: Vec<Term>,
    /// Those of them that are known to agree with `eco`: see [`crate::question::Given`].
    pub ordered: Vec<Term>,
    /// Which pairs of such a relation to say by `eco`.
    pub by_eco: ByEco,
    /// Intersections of a step with a composed relation that are kept as relations of their own.
    pub opaque: Opaque,
    /// What was approximated, for the reason of an "unknown".
    pub approximated: Vec<String>,
}

impl<'a> Lowering<'a> {
    pub fn new(theory: &'a Theory, context: &'a Context) -> Lowering<'a> {
        Lowering {
            theory,
            classes: &context.classes,
            relations: &context.relations,
            opaque: context.opaque.clone(),
            defs: HashMap::new(),
            solving: false,
            located: Vec::new(),
            ordered: Vec::new(),
            by_eco: ByEco::Nothing,
            approximated: Vec::new(),
        }
    }

    fn all(&self) -> Mask {
        self.classes.all
    }

    fn rough(&mut self, what: &str) {
        if !self.approximated.iter().any(|w| w == what) {
            self.approximated.push(what.to_string());
        }
    }

    pub fn rel(&mut self, rel: &Rel, side: Side) -> Term {
        let all = self.all();
        match rel {
            Rel::Empty => Term::Empty,
            Rel::Id => Term::Test(all),
            Rel::Prim(p) => match p {
                Prim::Loc => Term::union(Term::Test(all), Term::Edge(Facts::LOC)),
                Prim::Int => Term::union(Term::Test(all), Term::Edge(Facts::INT)),
                Prim::Any => Term::union(Term::Test(all), Term::Edge(Facts::NONE)),
                // Which events are of one file, block or line, executions do not say.
                Prim::SameInode | Prim::SameBlock | Prim::SameLine | Prim::Appends => {
                    self.rough("what persists");
                    match side {
                        Side::Above => Term::union(Term::Test(all), Term::Edge(Facts::NONE)),
                        Side::Below => Term::Empty,
                    }
                }
                // Built-in relations that relate no events in the programs of today may do so later.
                p => Term::Edge(Facts::of(*p)),
            },
            Rel::Def(id) => self.def(*id, side),
            Rel::Declared(name) => match self.relations.iter().position(|r| r == name) {
                Some(at) => Term::Edge(Facts::declared(at)),
                None => side.pick(Term::union(Term::Test(all), Term::Edge(Facts::NONE)), Term::Empty),
            },
            Rel::Test(set) => Term::test(self.set(set, side)),
            Rel::Cross(a, b) => {
                let (a, b) = (self.set(a, side), self.set(b, side));
                Term::union(Term::test(a & b), step(a, Facts::NONE, b, all))
            }
            Rel::Union(a, b) => Term::union(self.rel(a, side), self.rel(b, side)),
            Rel::Seq(a, b) => Term::seq(self.rel(a, side), self.rel(b, side)),
            Rel::Inter(a, b) => {
                let (x, y) = (self.rel(a, side), self.rel(b, side));
                // Exact, if approximation from both sides comes out the same.
                let exact = x == self.rel(a, side.flip()) && y == self.rel(b, side.flip());
                self.inter(x, y, side, exact)
            }
            Rel::Diff(a, b) => {
                let first = self.rel(a, side);
                // `r \ (A * B)` leaves what starts outside of A or ends outside of B.
                if let Rel::Cross(x, y) = &**b {
                    let (x, y) = (self.set(x, side.flip()), self.set(y, side.flip()));
                    return Term::union(
                        Term::seq(Term::test(all & !x), first.clone()),
                        Term::seq(first, Term::test(all & !y)),
                    );
                }
                let second = self.rel(b, side.flip());
                self.diff(first, second, side)
            }
            Rel::Star(a) => match self.rel(a, side) {
                a if side == Side::Above && a.is_com() => Term::union(Term::Test(all), eco(all)),
                a => Term::star(a, all),
            },
            Rel::Plus(a) => match self.rel(a, side) {
                a if side == Side::Above && a.is_com() => eco(all),
                a => Term::plus(a, all),
            },
            Rel::Opt(a) => Term::union(Term::Test(all), self.rel(a, side)),
            Rel::Inverse(a) => self.rel(a, side).inverse(),
            Rel::Not(a) => {
                let any = Term::union(Term::Test(all), Term::Edge(Facts::NONE));
                let a = self.rel(a, side.flip());
                self.diff(any, a, side)
            }
            // At the top of a claim these are taken care of there.
            Rel::SameEnds(a) => match side {
                Side::Above => self.rel(a, side),
                Side::Below => Term::Empty,
            },
            Rel::Rot(a) => match side {
                Side::Above => {
                    self.rough("`rot` inside of a term");
                    Term::union(Term::Test(all), Term::Edge(Facts::NONE))
                }
                // Every word is a rotation of itself.
                Side::Below => self.rel(a, side),
            },
        }
    }

    pub fn set(&mut self, set: &Set, side: Side) -> Mask {
        let all = self.all();
        match set {
            Set::Empty => 0,
            Set::Pred(p) => self.classes.of(*p),
            Set::Def(id) => match &self.theory.defs[id.0 as usize].body {
                DefBody::Set(s) if self.theory.defs[id.0 as usize].rec_group.is_none() => self.set(s, side),
                _ => {
                    self.rough("a recursive set");
                    if side == Side::Above { all } else { 0 }
                }
            },
            Set::Declared(name) => self.classes.of_declared(name),
            Set::Union(a, b) => self.set(a, side) | self.set(b, side),
            Set::Inter(a, b) => self.set(a, side) & self.set(b, side),
            Set::Diff(a, b) => self.set(a, side) & !self.set(b, side.flip()),
            Set::Not(a) => all & !self.set(a, side.flip()),
            // Every half of a read-modify-write that writes has its other half.
            Set::Domain(r) if **r == Rel::Prim(Prim::Rmw) => self.classes.of(Pred::Ur),
            Set::Range(r) if **r == Rel::Prim(Prim::Rmw) => self.classes.of(Pred::Uw),
            Set::Domain(_) | Set::Range(_) => {
                self.rough("`domain` or `range` of a relation");
                if side == Side::Above { all } else { 0 }
            }
        }
    }

    fn def(&mut self, id: DefId, side: Side) -> Term {
        if let Some(t) = self.defs.get(&(id, side)) {
            return (**t).clone();
        }
        let def = &self.theory.defs[id.0 as usize];
        let term = match (&def.body, def.rec_group) {
            (DefBody::Rel(r), None) => self.rel(r, side),
            (DefBody::Rel(_), Some(group)) => {
                self.solve(group, side);
                return self.defs.get(&(id, side)).map_or(Term::Empty, |t| (**t).clone());
            }
            (DefBody::Set(s), _) => Term::test(self.set(s, side)),
        };
        self.defs.insert((id, side), Rc::new(term.clone()));
        term
    }

    /// A group of recursive definitions: by elimination where each is linear, else from below by
    /// unfolding a few times, or from above by everything.
    fn solve(&mut self, group: u32, side: Side) {
        let theory = self.theory;
        let ids: Vec<DefId> = (0..theory.defs.len() as u32)
            .map(DefId)
            .filter(|id| theory.defs[id.0 as usize].rec_group == Some(group))
            .collect();
        let any = Term::union(Term::Test(self.all()), Term::Edge(Facts::NONE));
        if self.solving {
            // A group inside of a group cannot be: definitions refer backwards.
            for id in &ids {
                self.defs.insert((*id, side), Rc::new(side.pick(any.clone(), Term::Empty)));
            }
            return;
        }
        self.solving = true;
        let start = if side == Side::Above { None } else { Some(Term::Empty) };
        for id in &ids {
            for s in [Side::Above, Side::Below] {
                self.defs.insert((*id, s), Rc::new(Term::Var(*id)));
            }
        }
        let bodies: Vec<Option<Term>> = ids
            .iter()
            .map(|id| match &theory.defs[id.0 as usize].body {
                DefBody::Rel(r) => Some(self.rel(r, side)),
                DefBody::Set(_) => None,
            })
            .collect();
        let solved = bodies
            .iter()
            .cloned()
            .collect::<Option<Vec<Term>>>()
            .and_then(|bodies| crate::recursion::solve(&ids, bodies, self.all()));
        for id in &ids {
            for s in [Side::Above, Side::Below] {
                self.defs.remove(&(*id, s));
            }
        }
        match (solved, start) {
            (Some(terms), _) => {
                for (id, t) in ids.iter().zip(terms) {
                    self.defs.insert((*id, side), Rc::new(t));
                }
            }
            (None, start) => {
                self.rough("a recursive definition that is not linear");
                let mut values: Vec<Term> =
                    ids.iter().map(|_| start.clone().unwrap_or(any.clone())).collect();
                if side == Side::Below {
                    for _ in 0..2 {
                        values = bodies
                            .iter()
                            .map(|b| {
                                let mut t = b.clone().unwrap_or(Term::Empty);
                                for (id, v) in ids.iter().zip(&values) {
                                    t = crate::recursion::substitute(&t, *id, v, self.all());
                                }
                                t
                            })
                            .collect();
                    }
                }
                for (id, t) in ids.iter().zip(values) {
                    self.defs.insert((*id, side), Rc::new(t));
                }
            }
        }
        self.solving = false;
    }

    fn inter(&mut self, a: Term, b: Term, side: Side, exact: bool) -> Term {
        let all = self.all();
        if a == b {
            return a;
        }
        match (Steps::of(&a, all), Steps::of(&b, all)) {
            (Some(x), Some(y)) => {
                let mut steps = Vec::new();
                for (s, f, t) in &x.steps {
                    for (s2, f2, t2) in &y.steps {
                        steps.push((s & s2, f.and(*f2), t & t2));
                    }
                }
                // A step of one with the identity of the other: no built-in step is a loop, except
                // where the identity stands beside it anyway. Declared relations may be anything.
                let mut id = x.id & y.id;
                if side == Side::Above {
                    id |= if y.any_declared() { x.id } else { 0 };
                    id |= if x.any_declared() { y.id } else { 0 };
                }
                Steps { id, steps }.term(all)
            }
            (Some(x), None) => self.inter_steps(b, x, side, exact),
            (None, Some(y)) => self.inter_steps(a, y, side, exact),
            (None, None) => {
                self.rough("an intersection of composed relations");
                side.pick(a, Term::Empty)
            }
        }
    }

    /// A composed relation, where its ends are also related by one step.
    fn inter_steps(&mut self, e: Term, y: Steps, side: Side, exact: bool) -> Term {
        let all = self.all();
        let mut out = Term::Empty;
        let inner = e.clone();
        if side == Side::Above
            && y.steps.iter().any(|(_, f, _)| *f == Facts::LOC)
            && !self.located.contains(&inner)
        {
            self.located.push(inner.clone());
        }
        let ordered = self.ordered.contains(&inner);
        for (s, f, t) in &y.steps {
            let e = Term::seq(Term::seq(Term::test(*s), e.clone()), Term::test(*t));
            let symmetric = Facts::LOC.and(Facts::INT).and(Facts::EXT).and(Facts::NOT_LOC);
            if exact
                && !symmetric.has(*f)
                && let Some(own) = self.opaque.fact(*f, &inner, self.relations.len())
            {
                out = Term::union(out, step(*s, f.and(own), *t, all));
                continue;
            }
            let below = if *f == Facts::NONE {
                e.clone()
            } else if symmetric.has(*f) && !f.meets(Facts::EXT.and(Facts::NOT_LOC)) {
                // Every step stays in the location (the thread); or both ends are the anchor's.
                let mut kept = e.each_step(*f, all & !self.classes.init);
                let (c, mut both) = (self.classes, all);
                if f.meets(Facts::LOC) {
                    both &= c.same_loc;
                    kept = Term::seq(Term::seq(Term::test(c.accesses), kept), Term::test(c.accesses));
                }
                if f.meets(Facts::INT) {
                    both &= c.same_thread;
                }
                Term::union(kept, Term::seq(Term::seq(Term::test(both), e.clone()), Term::test(both)))
            } else {
                Term::Empty
            };
            let above = match f {
                f if *f == Facts::LOC && ordered => {
                    let eco = self.within_location(&inner);
                    Term::seq(Term::seq(Term::test(*s), eco), Term::test(*t))
                }
                f if *f == Facts::LOC && !has_var(&inner) => {
                    let located = self.located_term(&inner);
                    Term::seq(Term::seq(Term::test(*s), located), Term::test(*t))
                }
                f if f.meets(Facts::LOC) => {
                    let access = Term::test(self.classes.accesses);
                    Term::seq(Term::seq(access.clone(), e), access)
                }
                // A directed relation says more than the composed one, most of the time.
                f if !symmetric.has(*f) => step(*s, *f, *t, all),
                _ => e,
            };
            if *f != Facts::NONE {
                self.rough("an intersection with a composed relation");
            }
            out = Term::union(out, side.pick(above, below));
        }
        // The identity of the one with loops of the other.
        if y.id != 0 && side == Side::Above && !ordered {
            out = Term::union(out, Term::Test(y.id));
        }
        out
    }

    fn located_term(&self, h: &Term) -> Term {
        let Classes { accesses, init, same_loc, .. } = *self.classes;
        Term::Located(Rc::new(Located { term: h.clone(), accesses, init, same_loc }))
    }

    /// `h & loc`, where neither `h` nor `h ; eco` has loops: since `co` is total, two accesses of a
    /// location are in `eco` one way or the other, or read the same write. What is better to know, `h`
    /// or `eco`, depends on the question.
    fn within_location(&self, h: &Term) -> Term {
        let c = self.classes;
        let between = |a: Mask, t: Term, b: Mask| Term::seq(Term::seq(Term::test(a), t), Term::test(b));
        let (r, w) = (c.reads, c.writes);
        let co_rf = Term::seq(Term::union(Term::Test(c.all), Term::Edge(Facts::CO)), Term::Edge(Facts::RF));
        let (co, fr) = (Term::Edge(Facts::CO), Term::Edge(Facts::FR));
        let (to_reads, of_reads) = match self.by_eco {
            ByEco::Nothing => return self.located_term(h),
            ByEco::ToWrites => (self.located_term(h), self.located_term(h)),
            // Two reads of the same write: if `h` got to the second one by `rf`, from that write, it would
            // get to the first one, too, and had a loop.
            ByEco::All => {
                let same = self.located_term(&h.ends_otherwise(Facts::RF, c.all));
                (co_rf, Term::union(Term::seq(fr.clone(), Term::Edge(Facts::RF)), same))
            }
        };
        [between(w, co, w), between(r, fr, w), between(w, to_reads, r), between(r, of_reads, r)]
            .into_iter()
            .reduce(Term::union)
            .unwrap_or(Term::Empty)
    }

    fn diff(&mut self, a: Term, b: Term, side: Side) -> Term {
        let all = self.all();
        if b == Term::Empty {
            return a;
        }
        let (Some(x), Some(y)) = (Steps::of(&a, all), Steps::of(&b, all)) else {
            self.rough("a difference with a composed relation");
            return side.pick(a, Term::Empty);
        };
        let mut left = x.steps.clone();
        for (s, f, t) in &y.steps {
            let mut next = Vec::new();
            for (s1, f1, t1) in left {
                next.push((s1 & !s, f1, t1));
                next.push((s1 & s, f1, t1 & !t));
                let (s2, t2) = (s1 & s, t1 & t);
                let missing = f.minus(f1);
                let without = [
                    (Facts::LOC, Facts::NOT_LOC),
                    (Facts::NOT_LOC, Facts::LOC),
                    (Facts::INT, Facts::EXT),
                    (Facts::EXT, Facts::INT),
                    (Facts::RMW, Facts::NOT_RMW),
                ];
                if missing == Facts::NONE {
                    continue;
                }
                // `rf` inside of a thread is in `po`.
                let missing = if missing == Facts::PO && f1.meets(Facts::RF) { Facts::INT } else { missing };
                match without.iter().find(|(m, _)| *m == missing) {
                    Some((_, other)) => next.push((s2, f1.and(*other), t2)),
                    None if side == Side::Above => {
                        self.rough("a difference");
                        next.push((s2, f1, t2));
                    }
                    None => self.rough("a difference"),
                }
            }
            left = next.into_iter().filter(|(s, _, t)| *s != 0 && *t != 0).collect();
        }
        if y.id != 0 && side == Side::Below {
            left.retain(|(_, f, _)| !f.is_declared());
        }
        // `\ id` takes nothing from steps that are no loops; the others have their identity apart.
        Steps { id: x.id & !y.id, steps: left }.term(all)
    }
}
