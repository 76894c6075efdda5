//! From a theory to a model, if the theory can drive the exploration (thesis §5.1–5.4).
//!
//! What is asked, and how it is known:
//! * *No thin air* (§5.1): some `acyclic t` where `t` contains `po` and `rf` by themselves.
//! * *Prefix-closed* (§5.2): constraints are emptiness of closed paths of positive terms over relations
//!   that a restricted graph simply has fewer pairs of; leaving out events takes away paths.
//! * *Extensible* (§5.4): an event that is added last, reads from or is placed at the end of coherence,
//!   has no step out of it, as all steps go forward; so no new closed path goes through it.
//!
//! Constraints outside of these shapes are refused; what is asked for is named.

use crate::classes::Classes;
use crate::cycle::{CycleCheck, MAX_STATES};
use crate::glushkov::Positions;
use crate::guard::{Guard, Test};
use crate::letter::{Base, Letter, Pairs};
use crate::model::{CAUSAL, ErrorCheck, Model, Reach, Right};
use crate::strands::Strands;
use crate::term::{Term, Terms, not_admissible, refusal};
use crate::view::View;
use selvedge_graph::Attrs;
use selvedge_kat::{Axiom, Constraint, DefBody, Diagnostic, Inclusion, Prim, Rel, Set, Span, Theory};
use std::sync::Arc;

impl Model {
    /// Compiles a model, or says why it cannot drive the exploration.
    pub fn compile(theory: &Theory) -> Result<Model, Diagnostic> {
        check_size(theory)?;
        Compiler::new(theory, None).run()
    }

    /// Compiles a model for programs that have no events but those of `classes`. Whether it can drive the
    /// exploration at all is for `compile` to say.
    pub fn compile_for(theory: &Theory, classes: &Classes) -> Result<Model, Diagnostic> {
        check_size(theory)?;
        let mut model = Compiler::new(theory, Some(classes)).run()?;
        model.classes = Some(classes.clone());
        model.note_idle_views();
        Ok(model)
    }

    /// Compiles a model that follows dependencies for programs of which it is known otherwise that `po |
    /// rf` has no cycles in any of their executions. Dependencies are steps like others then.
    pub fn compile_in_order(theory: &Theory, classes: Option<&Classes>) -> Result<Model, Diagnostic> {
        check_size(theory)?;
        let compile = |strands: bool| {
            let mut compiler = Compiler::new(theory, classes);
            compiler.no_thin_air = true;
            compiler.terms.follows = true;
            compiler.terms.strands = strands.then(Strands::default);
            compiler.run()
        };
        // Letters that find what they lead to do without room; but some models need too many.
        let mut model = compile(false).or_else(|_| compile(true))?;
        model.classes = classes.cloned();
        Ok(model)
    }
}

/// Whether an event releases what came before it, and whether one acquires it; exclusive pairs of an
/// architecture and its weaker acquires are left out.
pub(crate) fn releases_and_acquires() -> (Guard, Guard) {
    let of = |kind: Attrs, order: Attrs| Guard::attr(kind).and(&Guard::attr(order));
    let usual = Guard::attr(Attrs::EXCLUSIVE).or(&Guard::attr(Attrs::ACQ_PC)).not();
    (of(Attrs::W, Attrs::REL).and(&usual), of(Attrs::R, Attrs::ACQ).and(&usual))
}

/// A model with coherence by what threads know of each other by releases and acquires, instead of by program
/// order alone. It has to be known that coherence agrees with that (`Relational::synchronises`).
pub(crate) fn synchronised(mut model: Model) -> Model {
    let step = |b| Term::letter(b);
    let (releases, acquires) = releases_and_acquires();
    let acquired = Term::seq(Term::test(releases), Term::seq(step(Base::Rf), Term::test(acquires)));
    let threads = Term::union(step(Base::Tc), step(Base::Tj));
    let term = Term::plus(Term::union(step(Base::PoImm), Term::union(threads, acquired)));
    let classes = model.classes.as_ref();
    let slot = if classes.is_some_and(|classes| is_causal_order(&term, classes)) {
        CAUSAL
    } else {
        match View::compile(&term, model.slots, classes) {
            Some(view) if view.slots() == 1 => match model.views.iter().find(|v| v.same_as(&view)) {
                Some(same) => same.main(),
                None => {
                    model.slots += 1;
                    model.views.push(view);
                    model.slots - 1
                }
            },
            _ => return model,
        }
    };
    model.coherence = vec![slot];
    model.coherence_view = model.views.iter().position(|v| v.main() == slot);
    model
}

/// Automata are made of terms with definitions in place of names: operators that one may have then.
const MAX_SIZE: u64 = 4096;

/// Refuses what is short to write but too long when it is written out, before it is.
fn check_size(theory: &Theory) -> Result<(), Diagnostic> {
    match theory.largest() {
        Some((size, span)) if size > MAX_SIZE => {
            let message = format!(
                "the model `{}` is too large: with definitions in place of names there are more than {MAX_SIZE} \
                 operators here",
                theory.name
            );
            Err(refusal(span, message, "definitions that use others twice double their size"))
        }
        _ => Ok(()),
    }
}

struct Compiler<'a> {
    theory: &'a Theory,
    classes: Option<&'a Classes>,
    terms: Terms<'a>,
    model: Model,
    /// Views by the term they compute.
    known: Vec<(Term, usize)>,
    no_thin_air: bool,
    mentions_threads: bool,
    next_bit: u8,
}

impl<'a> Compiler<'a> {
    fn new(theory: &'a Theory, classes: Option<&'a Classes>) -> Compiler<'a> {
        let step = |b| Term::letter(b);
        let causal = Term::plus(Term::union(
            Term::union(step(Base::PoImm), step(Base::Rf)),
            Term::union(step(Base::Tc), step(Base::Tj)),
        ));
        let view = View::compile(&causal, 0, classes).expect("causal order is a view");
        Compiler {
            theory,
            classes,
            terms: Terms::new(theory, classes),
            model: Model {
                name: theory.name.clone(),
                classes: None,
                slots: view.slots(),
                views: vec![view],
                coherence: Vec::new(),
                coherence_view: None,
                cycles: Vec::new(),
                interleaved: None,
                errors: Vec::new(),
                orders_threads: false,
                prefix: CAUSAL,
                happens_before: None,
                buffering: None,
                strands: None,
            },
            known: vec![(causal, 0)],
            no_thin_air: false,
            mentions_threads: false,
            next_bit: 1,
        }
    }

    fn run(mut self) -> Result<Model, Diagnostic> {
        let theory = self.theory;
        for axiom in theory.axioms.iter().filter(|a| !a.extra) {
            self.axiom(axiom)?;
        }
        if !self.no_thin_air {
            return Err(self.not_admissible(
                theory.axioms.first().map(|a| &a.span),
                "it does not say that `po | rf` is acyclic, so values could come out of thin air",
                "add `export acyclic (po | rf | tc | tj)`, or say with `addr`, `data` and `ctrl` which \
                 dependencies rule such values out; `selvedge model` answers questions about models like this one",
            ));
        }
        self.model.orders_threads = self.mentions_threads;
        self.model.errors.sort_by_key(|check| check.warning);
        self.model.note_epochs();
        if self.model.cycles.iter().any(|c| c.states() > 1 || c.letters().iter().any(|l| l.is_view())) {
            let steps = [Base::PoImm, Base::Rf, Base::Co, Base::Fr, Base::Tc, Base::Tj];
            let any = steps.into_iter().map(Term::letter).fold(Term::Empty, Term::union);
            self.model.interleaved = Some(CycleCheck::new(&Positions::of(&any), true, None));
        }
        if let [slot] = self.model.coherence[..] {
            self.model.coherence_view = self.model.views.iter().position(|v| v.main() == slot);
        }
        self.model.strands = self.terms.strands.take().and_then(Strands::finish);
        Ok(self.model)
    }

    fn not_admissible(&self, span: Option<&Span>, why: &str, help: &str) -> Diagnostic {
        not_admissible(self.theory, span, why, help)
    }

    fn axiom(&mut self, axiom: &Axiom) -> Result<(), Diagnostic> {
        let span = &axiom.span;
        match &axiom.constraint {
            Constraint::Acyclic(rel) => self.cycle(rel, true, axiom),
            Constraint::Irreflexive(rel) => self.cycle(rel, false, axiom),
            Constraint::Coherence(rel) => {
                if axiom.unless.is_some() {
                    return Err(self.not_admissible(
                        Some(span),
                        "`coherence … unless` is not supported",
                        "remove the `unless` clause",
                    ));
                }
                self.coherence(rel, axiom)
            }
            Constraint::Empty(rel) => {
                if self.is_atomicity(rel) {
                    return Ok(()); // part of what an execution is
                }
                Err(self.not_admissible(
                    Some(span),
                    "an `empty` constraint can make it impossible to add an event at all \
                     (the model is not extensible)",
                    "only the atomicity of read-modify-writes, `empty rmw & (fre ; coe)`, is accepted; \
                     state others as `error NAME unless r <= 0`, or as `irreflexive` or `acyclic`",
                ))
            }
            Constraint::Inclusion(_) => Err(self.not_admissible(
                Some(span),
                "an inclusion can make it impossible to add an event at all (the model is not extensible)",
                "state it as `error NAME unless a <= b`, or as `irreflexive` or `acyclic`",
            )),
            Constraint::Error { name, warning, unless } => self.error(name, *warning, unless, span),
        }
    }

    fn term(&mut self, rel: &Rel, span: &Span) -> Result<Term, Diagnostic> {
        let theory = self.theory;
        self.terms.of(rel, span).map_err(|mut d| {
            d.message = format!("the model `{}` cannot drive the exploration: {}", theory.name, d.message);
            d
        })
    }

    /// The automaton of a term, with clock slots for the views that it uses as steps.
    fn positions(&mut self, term: &Term) -> Result<Positions, Diagnostic> {
        let mut positions = Positions::of(term);
        for letter in &mut positions.letters {
            if let Base::View(at) = letter.base {
                let (view, span) = self.terms.views[at as usize].clone();
                let Some(slot) = self.view(&view) else {
                    return Err(self.not_admissible(
                        Some(&span),
                        "this view is not of a shape that clocks can represent, so it cannot be intersected",
                        "clocks represent `(po | …)+` over `po`, `rf`, `rmw`, `tc`, `tj` and tests",
                    ));
                };
                letter.base = Base::View(slot as u16);
            }
        }
        Ok(positions)
    }

    fn cycle(&mut self, rel: &Rel, repeat: bool, axiom: &Axiom) -> Result<(), Diagnostic> {
        let span = &axiom.span;
        let term = self.term(rel, span)?;
        let positions = self.positions(&term)?;
        self.mentions_threads |= mentions_threads(&positions);
        if !positions.empty.is_never() {
            return Err(self.not_admissible(
                Some(span),
                "this constraint relates an event with itself, so that the event could never be added",
                "every path of the relation must have at least one step: `r+` instead of `r*`, no bare tests",
            ));
        }
        if let Some(letter) = positions.letters.iter().find(|l| l.base == Base::LocOverlap) {
            return Err(self.not_admissible(
                Some(span),
                &format!("`{:?}` has no direction, so adding an event could close a cycle", letter.base),
                "`loc-overlap` can be used in `error … unless`",
            ));
        }
        let plain = |b| positions.contains(Letter::plain(b));
        if repeat && axiom.unless.is_none() && plain(Base::PoImm) && plain(Base::Rf) {
            self.no_thin_air = true;
        }
        let mut positions = positions;
        let mut check = CycleCheck::new(&positions, repeat, None);
        if let Some(unless) = axiom.unless.as_ref().filter(|_| self.classes.is_none()) {
            // Only a clause that changes nothing: without such events no path exists anyway.
            let attr = self.absent_attribute(unless, span)?;
            if check.states() > 0 && !check.needs_attribute(attr) {
                return Err(self.not_admissible(
                    Some(span),
                    "the `unless` clause could switch the constraint on for cycles that are there already",
                    "every path of the constraint must pass an event of the set that the clause is about",
                ));
            }
        }
        if check.states() > 1 {
            let abridged = self.abridged(term, span)?;
            let mut simpler = CycleCheck::new(&abridged, repeat, None);
            if simpler.states() < check.states() {
                simpler.needs = simpler.needs.or(check.needs);
                (check, positions) = (simpler, abridged);
            }
        }
        if check.states() > MAX_STATES {
            return Err(self.not_admissible(
                Some(span),
                &format!("the automaton of this constraint has {} states", check.states()),
                &format!("split the constraint; up to {MAX_STATES} states are supported"),
            ));
        }
        if self.classes.is_some() && check.states() > 1 {
            let mut simpler = CycleCheck::new(&positions, repeat, self.classes);
            if simpler.states() < check.states() {
                simpler.needs = simpler.needs.or(check.needs);
                check = simpler;
            }
        }
        if check.states() > 0 && !check.is_causal() {
            self.model.cycles.push(check);
        }
        Ok(())
    }

    /// The automaton of a term in which every view that there is a clock for is one step. On cycles that
    /// makes no difference: clocks leave out the initialising event only, and nothing leads there.
    fn abridged(&mut self, term: Term, span: &Span) -> Result<Positions, Diagnostic> {
        let views = &mut self.terms.views;
        for (view, _) in &self.known {
            if !views.iter().any(|(known, _)| known == view) {
                views.push((view.clone(), span.clone()));
            }
        }
        let is_known = |t: &Term| self.known.iter().any(|(view, _)| view == t);
        let number = |t: &Term| views.iter().position(|(view, _)| view == t).filter(|_| is_known(t));
        let term = term.abridged(&|t| number(t).map(|at| Letter::plain(Base::View(at as u16))));
        self.positions(&term)
    }

    /// `unless [P] = 0`: the attribute P.
    fn absent_attribute(&mut self, unless: &Inclusion, span: &Span) -> Result<Attrs, Diagnostic> {
        let (left, right) = match unless {
            Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => (a.clone(), b.clone()),
            Inclusion::Total(_) => (Rel::Id, Rel::Id),
        };
        if self.term(&right, span)? == Term::Empty
            && let Term::Test(guard) = self.term(&left, span)?
        {
            for bit in (0..32).map(|i| Attrs(1 << i)) {
                if guard == Guard::attr(bit) {
                    return Ok(bit);
                }
            }
        }
        Err(self.not_admissible(
            Some(span),
            "an `unless` clause on an axiom must say that there is no event of some kind",
            "write for instance `unless [SC] = 0`",
        ))
    }

    fn coherence(&mut self, rel: &Rel, axiom: &Axiom) -> Result<(), Diagnostic> {
        let term = self.term(rel, &axiom.span)?;
        self.mentions_threads |= mentions_threads(&Positions::of(&term));
        if let Some(slot) = self.view(&term) {
            if !self.model.coherence.contains(&slot) {
                self.model.coherence.push(slot);
            }
            return Ok(());
        }
        let eco = Rel::Plus(Box::new(Rel::Union(
            Box::new(Rel::Prim(Prim::Rf)),
            Box::new(Rel::Union(Box::new(Rel::Prim(Prim::Co)), Box::new(Rel::Prim(Prim::Fr)))),
        )));
        self.cycle(&Rel::Seq(Box::new(rel.clone()), Box::new(eco)), false, axiom)
    }

    /// The clock slot of a relation, if clocks can represent it.
    fn view(&mut self, term: &Term) -> Option<usize> {
        if let Some((_, slot)) = self.known.iter().find(|(t, _)| t == term) {
            return Some(*slot);
        }
        let mut view = View::compile(term, self.model.slots, None)?;
        if self.classes.is_some() {
            // What events can be where keeps some states apart that are alike otherwise.
            let simpler = View::compile(term, self.model.slots, self.classes);
            view = simpler.filter(|s| s.slots() <= view.slots()).unwrap_or(view);
        }
        // Nothing is outside of causal order; if all of it is in the view, there is a clock.
        if self.classes.is_some_and(|classes| is_causal_order(term, classes)) {
            self.known.push((term.clone(), CAUSAL));
            return Some(CAUSAL);
        }
        if view.slots() > 1 {
            // Views with unfinished words need a bit of the events' notes.
            view.bit = self.next_bit;
        }
        let slot = match self.model.views.iter().find(|v| v.same_as(&view)) {
            Some(same) => same.main(),
            None => {
                let slot = view.main();
                if view.slots() > 1 {
                    self.next_bit = self.next_bit.checked_shl(1).filter(|b| *b != 0)?;
                }
                self.model.slots += view.slots();
                self.model.views.push(view);
                slot
            }
        };
        self.known.push((term.clone(), slot));
        Some(slot)
    }

    fn error(
        &mut self,
        name: &str,
        warning: bool,
        unless: &Inclusion,
        span: &Span,
    ) -> Result<(), Diagnostic> {
        let (Inclusion::Subset(left, right) | Inclusion::Equal(left, right)) = unless else {
            return Err(self.not_admissible(Some(span), "`unless total` is not supported", "use `a <= b`"));
        };
        let left = self.term(left, span)?;
        let right = self.term(right, span)?;
        if matches!(unless, Inclusion::Equal(..)) && right != Term::Empty {
            return Err(self.not_admissible(
                Some(span),
                "`unless a = b` is only supported with `b` empty",
                "use `a <= b`",
            ));
        }
        let left = self.positions(&left)?;
        let needs = CycleCheck::of_words(&left);
        let right = match self.view(&right) {
            Some(slot) => Right::View(slot),
            None => {
                let positions = self.positions(&right)?;
                if !positions.letters.iter().all(|l| l.is_causal()) {
                    return Err(self.not_admissible(
                        Some(span),
                        "what makes an error harmless must not come about later: the right side of this \
                         inclusion uses coherence",
                        "use relations made of `po`, `rf` and `rmw` on the right",
                    ));
                }
                Right::Reach(Reach { positions: Arc::new(positions) })
            }
        };
        let conflicts = conflicts(&left);
        let left = Reach { positions: Arc::new(left) };
        let name = name.to_string();
        let orders_plain = false; // until it is known what coherence is asked of
        self.model.errors.push(ErrorCheck { name, warning, left, right, needs, conflicts, orders_plain });
        Ok(())
    }

    /// `rmw & (fre ; coe)` in its variants.
    fn is_atomicity(&self, rel: &Rel) -> bool {
        let Rel::Inter(a, b) = self.strip(rel) else { return false };
        [(&a, &b), (&b, &a)].into_iter().any(|(x, y)| {
            matches!(self.strip(x), Rel::Prim(Prim::Rmw))
                && matches!(self.strip(y), Rel::Seq(f, c)
                    if matches!(self.strip(&f), Rel::Prim(Prim::Fr | Prim::Fre))
                        && matches!(self.strip(&c), Rel::Prim(Prim::Co | Prim::Coe)))
        })
    }

    fn strip(&self, rel: &Rel) -> Rel {
        match rel {
            Rel::Def(id) => {
                let def = &self.theory.defs[id.0 as usize];
                match &def.body {
                    DefBody::Rel(r) if def.rec_group.is_none() => self.strip(r),
                    _ => rel.clone(),
                }
            }
            Rel::Seq(a, b) if matches!(**a, Rel::Test(Set::Empty)) => self.strip(b),
            other => other.clone(),
        }
    }
}

/// Whether every step of causal order is a word of a view's term, for programs with events of these classes.
/// What a thread reads of its own comes earlier in it, so `rfe` will do for `rf`.
fn is_causal_order(term: &Term, classes: &Classes) -> bool {
    let Term::Plus(body) = term else { return false };
    let p = classes.simplify(&Positions::of(body));
    let is_word = |base: Base, mustnot: Pairs| {
        (0..p.letters.len()).any(|q| {
            let letter = p.letters[q];
            let fits = letter.base == base && letter.must.is_none() && letter.mustnot.0 & !mustnot.0 == 0;
            let begins = || p.first.iter().any(|(guard, at)| *at == q && guard.is_always());
            let ends = || p.last.iter().any(|(at, guard)| *at == q && guard.is_always());
            fits && begins() && ends()
        })
    };
    is_word(Base::Rf, Pairs::INT)
        && [Base::PoImm, Base::Tc, Base::Tj].into_iter().all(|base| is_word(base, Pairs::NONE))
}

/// The tests at the ends of `[a] ; loc-overlap ; [b]`, if a relation is a union of such.
fn conflicts(positions: &Positions) -> Vec<(Test, Test)> {
    let overlap = Letter::plain(Base::LocOverlap);
    if !positions.follow.is_empty()
        || !positions.empty.is_never()
        || positions.letters.iter().any(|l| *l != overlap)
    {
        return Vec::new();
    }
    let ends = |p: usize| positions.last.iter().filter(move |(q, _)| *q == p);
    let pairs =
        positions.first.iter().flat_map(|(a, p)| ends(*p).map(move |(_, b)| (Test::of(a), Test::of(b))));
    pairs.collect()
}

fn mentions_threads(positions: &Positions) -> bool {
    let has = |b| positions.letters.iter().any(|l| l.base == b);
    has(Base::Tc) && has(Base::Tj)
}
