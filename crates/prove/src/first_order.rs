//! Obligations as questions about first-order formulas: trees, numbered threads, bit strings, locals of any
//! size.
//!
//! What is known stays universally quantified as long as this keeps solvers complete: no quantifier that says
//! "for every … there is …" may lead from a sort back to itself. Such formulas are used at the named elements
//! only (the thread that moves, what the goal speaks of, witnesses of induction), which forgets something but
//! adds nothing. In `ground` mode all formulas are used so.

use crate::expr::{Domain, Expr, Prim, SELF, Type, Var};
use crate::obligation::{Obligation, Origin};
use crate::regions;
use crate::rewrite::{nnf, renamed, spell_out};
use crate::solver::Script;
use crate::system::{Extreme, Hint, Kind, Shape, System};
use crate::theory::{self, NO_BOUND};
use std::collections::{BTreeMap, BTreeSet};

/// More instances of formulas are not made.
const MOST_INSTANCES: usize = 4_000;

/// How formulas are given to a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// All of them at named elements only.
    pub ground: bool,
    /// With what is known around all named nodes, not only those of the thread that moves.
    pub everywhere: bool,
    /// With formulas that say "for every … there is …", at named elements; otherwise they are forgotten.
    pub exists: bool,
    /// With the instances of induction that the text asks for.
    pub hints: bool,
    /// With terms that nobody asked for: lowest and highest nodes for each location, winners of named
    /// threads.
    pub more_induction: bool,
    /// Formulas are used again at what they have named themselves, once.
    pub again: bool,
    /// Only with what is known of variables that the step, the goal or the instances of induction speak of.
    pub relevant: bool,
}

impl Mode {
    /// Formulas that say "for every … there is …" at named elements, and nothing besides.
    pub const NAMED: Mode = Mode {
        ground: false,
        everywhere: false,
        exists: true,
        hints: false,
        more_induction: false,
        again: false,
        relevant: false,
    };
}

pub(crate) struct Question<'s> {
    pub system: &'s System,
    mode: Mode,
    fresh: Var,
    /// Elements that are named.
    pub constants: BTreeMap<Var, Type>,
    /// Terms at which formulas are used.
    pub terms: BTreeSet<(Type, Expr)>,
    /// Those of them that had names when this round of using formulas began. What a formula says to be there
    /// is not used in the same round: each would name more.
    now: BTreeSet<(Type, Expr)>,
    /// What was made of an instance of a formula: the same elements are named once.
    made: BTreeMap<Expr, Expr>,
    instances: usize,
    /// Extreme elements at which "for every … there is …" is not used: steps rarely need it there, and it
    /// names many.
    aside: BTreeSet<Var>,
    /// The variables that are spoken of, if nothing else is to be known.
    relevant: Option<BTreeSet<usize>>,
}

/// The question whether an obligation can fail.
///
/// # Errors
/// If a formula has no place in this encoding.
pub fn script(system: &System, o: &Obligation, mode: Mode) -> Result<Script, String> {
    let mut q = Question {
        system,
        mode,
        fresh: system.fresh + 1_000_000,
        constants: BTreeMap::new(),
        terms: BTreeSet::new(),
        now: BTreeSet::new(),
        made: BTreeMap::new(),
        instances: 0,
        aside: BTreeSet::new(),
        relevant: mode.relevant.then(|| spoken_of(system, o, mode)),
    };
    let mut first = Vec::new();
    if let Some(s) = o.step() {
        let step = &system.steps[s];
        q.constants.insert(SELF, Type::Sort(system.threads));
        for (v, d, _) in &step.params {
            q.constants.insert(*v, d.of());
        }
    }
    let goal = match o.origin {
        Origin::Step(s) => {
            let step = &system.steps[s];
            first.push(q.skolem(&step.guard, true));
            // Where something is written, something may be known.
            for update in step.updates.iter().filter(|u| u.binders.is_empty()) {
                for (arg, d) in update.args.iter().zip(&system.symbols[update.symbol].args) {
                    q.terms.insert((d.of(), arg.clone()));
                }
            }
            let goal = spell_out(system, &o.goal, &mut q.fresh);
            system.after(&step.updates, &goal)
        }
        _ => spell_out(system, &o.goal, &mut q.fresh),
    };
    let before: BTreeSet<Var> = q.constants.keys().copied().collect();
    first.push(q.skolem(&goal, false));
    let goal_names: Vec<Var> = q.constants.keys().filter(|v| !before.contains(v)).copied().collect();
    let mut hints: Vec<Hint> = if mode.hints { system.hints.clone() } else { Vec::new() };
    if mode.more_induction {
        hints.extend(q.guessed());
    }
    let named: BTreeSet<Var> = q.constants.keys().copied().collect();
    for hint in &hints {
        first.push(q.witness(hint));
    }
    if !mode.everywhere && matches!(o.origin, Origin::Step(_)) {
        q.aside = q.constants.keys().filter(|v| !named.contains(v)).copied().collect();
    }
    for (s, sort) in system.sorts.iter().enumerate() {
        if sort.shape == Shape::Tree {
            q.terms.insert((Type::Sort(s), Expr::Prim(Prim::Root(s), Vec::new())));
        }
    }
    for e in &first {
        q.collect(e, &BTreeSet::new());
    }
    q.derived_terms();
    if mode.more_induction {
        q.cleared_terms();
    }
    let core = q.terms.clone();
    let mut known: Vec<Expr> = system.axioms.iter().map(|a| a.formula.clone()).collect();
    known.extend(o.known.iter().cloned());
    known.retain(|e| q.relevant.as_ref().is_none_or(|r| symbols(e).is_subset(r)));
    let mut hypotheses: Vec<Expr> = Vec::new();
    for e in known {
        let e = spell_out(system, &e, &mut q.fresh);
        hypotheses.push(q.skolem(&e, true));
    }
    for e in &hypotheses {
        q.collect_constants_only(e);
    }
    // Facts about the structure: everywhere, and around named nodes and strings.
    let mut facts: Vec<Expr> = theory::facts(system, &mut q.fresh).into_iter().map(|f| f.formula).collect();
    let uses = |p: &dyn Fn(&Expr) -> bool| {
        first.iter().chain(&hypotheses).any(|e| e.mentions(p))
            || hints.iter().any(|h| h.terms.iter().any(|t| t.mentions(p)))
    };
    let has_powers = uses(&|e| matches!(e, Expr::Prim(Prim::Pow2, _)));
    if has_powers {
        facts.extend(theory::powers(&mut q.fresh).into_iter().map(|f| f.formula));
    }
    // Around all named nodes, or only around those of the thread that moves and of witnesses.
    let goals: BTreeSet<Var> = goal_names.iter().copied().collect();
    let close = |t: &&(Type, Expr)| mode.everywhere || t.1.free().iter().all(|v| !goals.contains(v));
    let near: Vec<(Type, Expr)> = q.terms.iter().filter(close).cloned().collect();
    let mut about = Vec::new();
    for (ty, term) in &near {
        let Type::Sort(s) = ty else { continue };
        if system.sorts[*s].shape == Shape::Tree {
            about.extend(theory::around(*s, term, &mut q.fresh).into_iter().map(|f| f.formula));
        }
        if let Expr::Prim(Prim::Clear(s), args) = term {
            about.push(theory::cleared(*s, &args[0], &args[1]).formula);
        }
    }
    // Their elements are named, but nothing more is asked about those.
    let about: Vec<Expr> = about.iter().map(|e| q.skolem(e, true)).collect();
    let mut all = first;
    all.extend(hypotheses);
    all.extend(facts);
    // One round names elements that a second one may need: mostly where everybody is stuck, and at first.
    q.now = if mode.again || mode.ground { q.terms.clone() } else { core };
    let mut done = Vec::new();
    for _ in 0..if mode.again { 2 } else { 1 } {
        let before = q.terms.len();
        done = all.iter().map(|e| q.instantiate(e)).collect::<Result<Vec<_>, _>>()?;
        for e in &done {
            q.collect_constants_only(e);
        }
        if q.terms.len() == before {
            break;
        }
        q.now = q.terms.clone();
    }
    done.extend(about);
    regions::introduce(&mut q, &mut done)?;
    Ok(q.print(o, &done))
}

impl Question<'_> {
    pub fn name(&mut self, ty: Type) -> Expr {
        self.fresh += 1;
        self.constants.insert(self.fresh, ty);
        Expr::Var(self.fresh, ty)
    }

    pub fn fresh(&mut self) -> Var {
        self.fresh += 1;
        self.fresh
    }

    /// A formula, or its negation, with negations inside and names for what there is.
    fn skolem(&mut self, e: &Expr, positive: bool) -> Expr {
        let e = renamed(&nnf(self.system, e, positive), &mut self.fresh);
        self.named(&e)
    }

    fn named(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::And(es) => Expr::and(es.iter().map(|e| self.named(e)).collect::<Vec<_>>()),
            Expr::Or(es) => Expr::or(es.iter().map(|e| self.named(e)).collect::<Vec<_>>()),
            Expr::Any(v, d, body) => {
                let c = self.name(d.of());
                let body = self.named(&body.with(*v, &c));
                self.terms.insert((d.of(), c.clone()));
                Expr::and([within(self.system, d, &c), body])
            }
            e => e.clone(),
        }
    }

    /// If someone satisfies a formula, then one that is extreme.
    fn witness(&mut self, hint: &Hint) -> Expr {
        let w = self.name(Type::Sort(hint.sort));
        self.terms.insert((Type::Sort(hint.sort), w.clone()));
        for t in &hint.terms {
            let ty = match self.system.type_of(t) {
                // Numbers that are written as elements of a ring.
                Type::Int if matches!(t, Expr::Mod(..)) => Type::Sort(hint.sort),
                ty => ty,
            };
            self.terms.insert((ty, t.with(hint.var, &w)));
        }
        let d = Domain::Sort(hint.sort);
        let u = self.fresh();
        let other = Expr::Var(u, Type::Sort(hint.sort));
        let p = |x: &Expr| hint.formula.with(hint.var, x);
        let better = match &hint.extreme {
            Extreme::Lowest(s) => Expr::and([
                Expr::Prim(Prim::Below(*s), vec![other.clone(), w.clone()]),
                other.clone().equals(w.clone()).not(),
            ]),
            Extreme::Highest(s) => Expr::and([
                Expr::Prim(Prim::Below(*s), vec![w.clone(), other.clone()]),
                other.clone().equals(w.clone()).not(),
            ]),
            Extreme::Least(m) => m.with(hint.var, &w).at_most(m.with(hint.var, &other)).not(),
            Extreme::Greatest(m) => m.with(hint.var, &other).at_most(m.with(hint.var, &w)).not(),
        };
        let none_better = Expr::All(u, d.clone(), Box::new(p(&other).implies(better.not())));
        let v = self.fresh();
        let nobody = Expr::All(v, d.clone(), Box::new(p(&Expr::Var(v, Type::Sort(hint.sort))).not()));
        let fact = Expr::or([nobody, Expr::and([within(self.system, &d, &w), p(&w), none_better])]);
        self.skolem(&fact, true)
    }

    /// The lowest and the highest node whose thread is at a location, for each where threads wait.
    fn guessed(&mut self) -> Vec<Hint> {
        let s = self.system;
        if s.sorts[s.threads].shape != Shape::Tree {
            return Vec::new();
        }
        let mut found = Vec::new();
        for l in (0..s.ends.len()).filter(|l| !s.ends[*l]) {
            for extreme in [Extreme::Lowest(s.threads), Extreme::Highest(s.threads)] {
                let var = self.fresh();
                let formula = s.pc(Expr::Var(var, Type::Sort(s.threads))).equals(Expr::Lit(0, l));
                let name = String::new();
                found.push(Hint { var, name, sort: s.threads, formula, extreme, terms: Vec::new() });
            }
        }
        found
    }

    /// Terms without bound variables at which formulas are used.
    fn collect(&mut self, e: &Expr, bound: &BTreeSet<Var>) {
        let closed = |e: &Expr| e.free().iter().all(|v| !bound.contains(v));
        match e {
            Expr::All(v, d, body) | Expr::Any(v, d, body) => {
                let mut bound = bound.clone();
                bound.insert(*v);
                if let Domain::Range(lo, hi) = d {
                    self.collect(lo, &bound);
                    self.collect(hi, &bound);
                }
                self.collect(body, &bound);
                return;
            }
            Expr::Card(v, _, body) => {
                let mut bound = bound.clone();
                bound.insert(*v);
                self.collect(body, &bound);
                return;
            }
            Expr::App(s, args) => {
                for (arg, d) in args.iter().zip(&self.system.symbols[*s].args) {
                    if closed(arg) {
                        self.terms.insert((d.of(), arg.clone()));
                    }
                }
                let ty = self.system.symbols[*s].ty;
                if closed(e)
                    && matches!(ty, Type::Sort(_) | Type::Int)
                    && self.system.symbols[*s].kind != Kind::Shared
                {
                    self.terms.insert((ty, e.clone()));
                }
            }
            Expr::Prim(Prim::Clear(s), _) if closed(e) => _ = self.terms.insert((Type::Sort(*s), e.clone())),
            Expr::Prim(Prim::Pow2 | Prim::Bit(_) | Prim::Zero(_) | Prim::Agree(_), args) => {
                if let Some(i) = args.last()
                    && closed(i)
                {
                    self.terms.insert((Type::Int, i.clone()));
                }
            }
            Expr::Var(v, ty) if self.constants.contains_key(v) => _ = self.terms.insert((*ty, e.clone())),
            _ => {}
        }
        for part in e.children() {
            self.collect(part, bound);
        }
    }

    fn collect_constants_only(&mut self, e: &Expr) {
        for v in e.free() {
            if let Some(ty) = self.constants.get(&v) {
                self.terms.insert((*ty, Expr::Var(v, *ty)));
            }
        }
    }

    /// Nodes where named threads are, and their numbers with the next ones.
    fn derived_terms(&mut self) {
        let s = self.system;
        let threads: Vec<Expr> =
            self.terms.iter().filter(|t| t.0 == Type::Sort(s.threads)).map(|t| t.1.clone()).collect();
        for (i, symbol) in s.symbols.iter().enumerate() {
            if symbol.args.len() != 1 || symbol.args[0] != Domain::Sort(s.threads) || symbol.opaque {
                continue;
            }
            if self.relevant.as_ref().is_some_and(|r| !r.contains(&i)) {
                continue;
            }
            for t in &threads {
                let here = Expr::App(i, vec![t.clone()]);
                match symbol.ty {
                    Type::Sort(_) => _ = self.terms.insert((symbol.ty, here)),
                    Type::Int if symbol.range.is_none() => {
                        self.terms.insert((Type::Int, here.clone().plus(Expr::Int(1))));
                        self.terms.insert((Type::Int, here));
                    }
                    _ => {}
                }
            }
        }
        if self.mode.ground {
            self.terms.insert((Type::Int, Expr::Int(0)));
            for (i, symbol) in s.symbols.iter().enumerate() {
                if symbol.kind == Kind::Const && symbol.args.is_empty() && symbol.ty == Type::Int {
                    self.terms.insert((Type::Int, Expr::App(i, Vec::new())));
                }
            }
        }
    }

    /// Whom a named thread has lost to, before the round of the thread that moves.
    fn cleared_terms(&mut self) {
        let s = self.system;
        if s.sorts[s.threads].shape != Shape::Bits || !self.constants.contains_key(&SELF) {
            return;
        }
        let ty = Type::Sort(s.threads);
        let this = Expr::this(s.threads);
        let named: Vec<Expr> = self
            .constants
            .iter()
            .filter(|c| *c.1 == ty && *c.0 != SELF)
            .map(|c| Expr::Var(*c.0, ty))
            .collect();
        for (i, symbol) in s.symbols.iter().enumerate() {
            if symbol.ty == Type::Int && symbol.args == [Domain::Sort(s.threads)] {
                for t in &named {
                    let here = Expr::App(i, vec![this.clone()]);
                    self.terms.insert((ty, Expr::Prim(Prim::Clear(s.threads), vec![t.clone(), here])));
                }
            }
        }
    }

    /// Whether "for every element of `from` there is one of …" could lead back to where it began.
    fn leads_back(&self, from: &Domain, body: &Expr) -> bool {
        let Domain::Sort(from) = from else { return false };
        let s = self.system;
        if s.sorts[*from].shape == Shape::Ring {
            return false;
        }
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for symbol in &s.symbols {
            if let Type::Sort(to) = symbol.ty {
                edges.extend(symbol.args.iter().filter_map(|d| match d {
                    Domain::Sort(a) => Some((*a, to)),
                    Domain::Range(..) => None,
                }));
            }
        }
        let mut inner = BTreeSet::new();
        existential(body, &mut inner);
        let mut reached: Vec<usize> = inner.into_iter().collect();
        let mut at = 0;
        while at < reached.len() {
            for (a, b) in &edges {
                if *a == reached[at] && !reached.contains(b) {
                    reached.push(*b);
                }
            }
            at += 1;
        }
        reached.contains(from)
    }

    fn instantiate(&mut self, e: &Expr) -> Result<Expr, String> {
        Ok(match e {
            Expr::And(es) => {
                Expr::and(es.iter().map(|e| self.instantiate(e)).collect::<Result<Vec<_>, _>>()?)
            }
            Expr::Or(es) => Expr::or(es.iter().map(|e| self.instantiate(e)).collect::<Result<Vec<_>, _>>()?),
            Expr::All(_, d, body) if !self.mode.exists && self.leads_back(d, body) => Expr::Bool(true),
            Expr::All(v, d, body) if self.mode.ground || self.leads_back(d, body) => {
                let here = |t: &&(Type, Expr)| t.0 == d.of() && t.1.free().is_disjoint(&self.aside);
                let terms: Vec<Expr> = self.now.iter().filter(here).map(|t| t.1.clone()).collect();
                let mut parts = Vec::new();
                for term in terms {
                    self.instances += 1;
                    if self.instances > MOST_INSTANCES {
                        return Err("there are too many instances of formulas".into());
                    }
                    let instance = within(self.system, d, &term).implies(body.with(*v, &term));
                    let named = match self.made.get(&instance) {
                        Some(known) => known.clone(),
                        None => {
                            let named = self.skolem(&instance, true);
                            self.made.insert(instance, named.clone());
                            named
                        }
                    };
                    parts.push(self.instantiate(&named)?);
                }
                Expr::and(parts)
            }
            e => e.clone(),
        })
    }

    fn print(&self, o: &Obligation, asserts: &[Expr]) -> Script {
        let s = self.system;
        let mut script = Script { comment: o.name(s), ..Script::default() };
        let smt = crate::print::Printer { system: s };
        let uses = |p: &dyn Fn(&Expr) -> bool| asserts.iter().any(|e| e.mentions(p));
        let over_numbers = uses(&|e| {
            let number = |d: &Domain| match d {
                Domain::Range(..) => true,
                Domain::Sort(t) => s.sorts[*t].shape == Shape::Ring,
            };
            matches!(e, Expr::All(_, d, _) | Expr::Any(_, d, _) if number(d))
        });
        script.finite = !over_numbers;
        smt.declarations(&mut script, &uses);
        for (v, ty) in &self.constants {
            script.line(format!("(declare-const {} {})", smt.var(*v), smt.sort(*ty)));
            if let Type::Sort(t) = ty
                && s.sorts[*t].shape == Shape::Ring
            {
                script.assert(&smt.term(&within(s, &Domain::Sort(*t), &Expr::Var(*v, *ty))));
            }
        }
        for e in asserts {
            for part in conjuncts(e) {
                script.assert(&smt.term(part));
            }
        }
        script
    }
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(es) => es.iter().flat_map(conjuncts).collect(),
        Expr::Bool(true) => Vec::new(),
        e => vec![e],
    }
}

/// The variables and constants of a formula.
fn symbols(e: &Expr) -> BTreeSet<usize> {
    fn add(e: &Expr, found: &mut BTreeSet<usize>) {
        if let Expr::App(s, _) = e {
            found.insert(*s);
        }
        for part in e.children() {
            add(part, found);
        }
    }
    let mut found = BTreeSet::new();
    add(e, &mut found);
    found
}

/// What the goal, the step and the instances of induction speak of, and where threads are.
fn spoken_of(system: &System, o: &Obligation, mode: Mode) -> BTreeSet<usize> {
    let mut found = symbols(&o.goal);
    found.insert(0);
    if let Some(s) = o.step() {
        let step = &system.steps[s];
        found.extend(symbols(&step.guard));
        for update in &step.updates {
            found.insert(update.symbol);
            found.extend(update.args.iter().chain([&update.value]).flat_map(symbols));
        }
    }
    if mode.hints {
        found.extend(system.hints.iter().flat_map(|h| symbols(&h.formula)));
    }
    found
}

/// Sorts of which a formula says that there is an element. Negations are inside already.
fn existential(e: &Expr, found: &mut BTreeSet<usize>) {
    if let Expr::Any(_, Domain::Sort(s), _) = e {
        found.insert(*s);
    }
    for part in e.children() {
        existential(part, found);
    }
}

/// A term is in a domain; elements of a sort are, but numbers of a ring have to be.
pub(crate) fn within(system: &System, d: &Domain, term: &Expr) -> Expr {
    match d {
        Domain::Sort(s) if system.sorts[*s].shape == Shape::Ring => Expr::and([
            Expr::Int(0).at_most(term.clone()),
            term.clone().plus(Expr::Int(1)).at_most(Expr::Size(*s)),
        ]),
        Domain::Sort(_) => Expr::Bool(true),
        Domain::Range(lo, hi) => {
            let low = (**lo).clone().at_most(term.clone());
            if **hi == NO_BOUND { low } else { Expr::and([low, term.clone().at_most((**hi).clone())]) }
        }
    }
}
