//! Irreflexivity implications and inclusions, from terms to answers.

use crate::class::Mask;
use crate::context::{Context, Refusal};
use crate::cover::{Cover, Part};
use crate::fact::{Alternative, Facts, alternatives};
use crate::nfa::{Nfa, State, Step};
use crate::saturate::{Implied, derivative, saturate, within_thread};
use crate::search::{End, Search, Task, Walk};
use crate::term::{Term, closed_eco, eco};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// States of an automaton that is small.
const SMALL: usize = 12;

/// A relation without loops (or without cycles, if `acyclic`).
#[derive(Clone, Debug)]
pub struct Constraint {
    pub term: Term,
    pub acyclic: bool,
    /// How messages call it.
    pub name: String,
}

/// How a search went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    Holds,
    /// The visitor accepted a walk as a counterexample.
    Refuted,
    /// There are walks that are not covered, but none was accepted.
    Open,
    /// Gave up.
    Limit,
}

/// What is known in the executions that are looked at: the constraints of the stronger model,
/// saturated.
pub struct Given<'c> {
    pub context: &'c Context,
    /// With what the constraints imply about single steps.
    pub known: crate::fact::Known,
    raw: Vec<(Nfa, bool, String)>,
    /// The same, saturated.
    full: Vec<(Nfa, bool)>,
    implied: Implied,
    pub walks: usize,
}

impl<'c> Given<'c> {
    /// Executions in which the constraints hold.
    pub fn new(context: &'c Context, constraints: &[Constraint]) -> Result<Given<'c>, Refusal> {
        let all = context.all();
        let mut given = Given {
            context,
            known: context.known.clone(),
            raw: Vec::new(),
            full: Vec::new(),
            implied: context.implied.clone(),
            walks: 0,
        };
        let order =
            Term::union(Term::Edge(Facts::PO), Term::union(Term::Edge(Facts::TC), Term::Edge(Facts::TJ)));
        let mut always = vec![
            Constraint { term: order, acyclic: true, name: "po".into() },
            Constraint { term: Term::Edge(Facts::CO), acyclic: true, name: "co".into() },
            // Read-modify-writes are atomic in every execution.
            Constraint {
                term: [Facts::FR, Facts::CO, Facts::RMW.inverse()]
                    .map(Term::Edge)
                    .into_iter()
                    .reduce(Term::seq)
                    .unwrap_or(Term::Empty),
                acyclic: false,
                name: "the atomicity of read-modify-writes".into(),
            },
        ];
        for walks in &context.impossible {
            let any = Term::union(Term::Test(all), Term::Edge(Facts::NONE));
            let term = Term::seq(walks.clone(), any);
            always.push(Constraint { term, acyclic: false, name: "an assumption".into() });
        }
        for facts in &context.total {
            always.push(Constraint { term: Term::Edge(*facts), acyclic: true, name: "a total order".into() });
        }
        for c in always.iter().chain(constraints) {
            given.add_raw(c)?;
        }
        // Whether coherence holds is a question to small constraints most of the time, and all of them
        // are saturated by the answer.
        given.saturate(given.raw.iter().any(|(nfa, ..)| nfa.states() > SMALL))?;
        if !given.find_coherence()? && given.full.len() < given.raw.len() {
            given.saturate(false)?;
            given.find_coherence()?;
        }
        if given.known.coherent {
            let po = Term::Edge(Facts::PO);
            let term = Term::seq(po, closed_eco(all));
            given.add_raw(&Constraint { term, acyclic: false, name: "po ; eco".into() })?;
            given.saturate(false)?;
        }
        Ok(given)
    }

    fn add_raw(&mut self, c: &Constraint) -> Result<(), Refusal> {
        let (all, limit) = (self.context.all(), self.context.limits.states);
        let nfa = Nfa::of(&c.term, all, limit).map_err(|e| Refusal::too_large(&c.name, &e))?;
        let back = nfa.steps.iter().flatten().any(|s| s.facts.looks_back());
        if back {
            self.raw.push((nfa.reversed(all), c.acyclic, c.name.clone()));
        }
        self.raw.push((nfa, c.acyclic, c.name.clone()));
        Ok(())
    }

    /// Saturates the constraints, or those that are small.
    fn saturate(&mut self, small: bool) -> Result<(), Refusal> {
        self.full.clear();
        for (nfa, acyclic, name) in &self.raw {
            if small && nfa.states() > SMALL {
                continue;
            }
            let full = self.saturated(&self.repeated(nfa, *acyclic));
            self.full.push((full.map_err(|e| Refusal::too_large(name, &e))?, *acyclic));
        }
        Ok(())
    }

    /// What an assumption claims may be spread over several words of an acyclic relation, and so may be
    /// the two steps of a detour: the words follow each other in the automaton, then.
    fn repeated(&self, nfa: &Nfa, acyclic: bool) -> Nfa {
        let spread = !self.context.assumptions.is_empty() || self.context.detours;
        if acyclic && spread { nfa.with_repetition() } else { nfa.clone() }
    }

    fn saturated(&self, nfa: &Nfa) -> Result<Nfa, crate::nfa::TooLarge> {
        let c = self.context;
        saturate(
            nfa,
            &c.assumptions,
            &c.loops,
            &self.implied,
            &c.classes,
            self.known.coherent,
            c.limits.states,
        )
    }

    /// States of the automata of all constraints.
    pub fn states(&self) -> usize {
        self.full.iter().map(|(nfa, _)| nfa.states()).sum()
    }

    /// A constraint without what no walk can match whose steps have these facts; nothing if nothing is
    /// left.
    fn part(&self, alts: &[Alternative], at: usize) -> Option<Part> {
        let (nfa, acyclic) = &self.full[at];
        let mut nfa = nfa.clone();
        for s in nfa.steps.iter_mut().flatten() {
            let matching = alts.iter().filter(|a| a.facts.has(s.facts));
            let (from, to) = matching.fold((0, 0), |(d, r), a| (d | a.dom, r | a.ran));
            s.from &= from;
            s.to &= to;
        }
        nfa.simplify();
        nfa.reduce(self.context.all());
        let some = nfa.steps.iter().any(|steps| !steps.is_empty()) || nfa.accepts.iter().any(|m| *m != 0);
        some.then(|| Part::cycles(&nfa, *acyclic))
    }

    /// What the steps of an automaton can be.
    fn alternatives(&self, left: &Nfa) -> Vec<Alternative> {
        let mut facts: Vec<Facts> = left.steps.iter().flatten().map(|s| s.facts).collect();
        facts.sort();
        facts.dedup();
        facts.into_iter().flat_map(|f| alternatives(f, &self.known, &self.context.classes)).collect()
    }

    /// Whether every loop of a term contains a cycle of the constraints.
    fn excludes(&mut self, term: &Term) -> Result<bool, Refusal> {
        let nfa = Nfa::of(term, self.context.all(), self.context.limits.states)
            .map_err(|e| Refusal::too_large("a lemma", &e))?;
        Ok(self.search(&nfa, &mut |_| ControlFlow::Break(())) == Found::Holds)
    }

    /// Starts with the simple constraints, and with the others where they help: of walks that are not
    /// covered it is found out which constraint covers them, and where it has to start.
    fn search(&mut self, left: &Nfa, visit: &mut dyn FnMut(&Walk) -> ControlFlow<()>) -> Found {
        const SIMPLE: usize = 4;
        /// Walks to collect before the search starts again.
        const GAPS: usize = 24;
        let alts = self.alternatives(left);
        let mut cover = Cover::default();
        let mut rest: Vec<usize> = Vec::new();
        for at in 0..self.full.len() {
            if self.full[at].0.states() > SIMPLE {
                rest.push(at);
            } else if let Some(part) = self.part(&alts, at) {
                cover.add(&part);
            }
        }
        cover.start_anywhere();
        let mut parts: HashMap<usize, Option<(Part, Cover)>> = HashMap::new();
        let mut threads = false;
        // Walks that nothing covers, and were shown.
        let mut shown: Vec<Walk> = Vec::new();
        loop {
            let mut gaps: Vec<Vec<Vec<State>>> = Vec::new();
            let mut useful = None;
            let mut search = Search {
                left,
                right: &cover,
                classes: &self.context.classes,
                known: self.known.clone(),
                task: Task::Cycles,
                threads,
                limits: self.context.limits,
                walks: 0,
            };
            let mut hopeless = false;
            let end = search.run(|walk| {
                let starts = cover.starts_for(walk);
                if !starts.is_empty() {
                    gaps.push(starts);
                    return if gaps.len() < GAPS {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    };
                }
                if gaps.is_empty() {
                    useful = rest.iter().copied().find_map(|at| {
                        let part = parts.entry(at).or_insert_with(|| {
                            let part = self.part(&alts, at)?;
                            let mut own = Cover::default();
                            own.add(&part);
                            Some((part, own))
                        });
                        let starts = part.as_ref()?.1.starts_for(walk);
                        (!starts.is_empty()).then_some((at, starts))
                    });
                    if useful.is_some() {
                        return ControlFlow::Break(());
                    }
                }
                if !gaps.is_empty() {
                    // Another walk, then.
                    return ControlFlow::Continue(());
                }
                if !threads {
                    hopeless = true;
                    return ControlFlow::Break(());
                }
                if shown.contains(walk) {
                    return ControlFlow::Continue(());
                }
                shown.push(walk.clone());
                visit(walk)
            });
            self.walks += search.walks;
            if let Some((at, mut starts)) = useful {
                rest.retain(|other| *other != at);
                if let Some(Some((part, _))) = parts.get(&at) {
                    let base = cover.states() as State;
                    starts.iter_mut().flatten().for_each(|q| *q += base);
                    cover.add(part);
                    activate(&mut cover, vec![starts]);
                }
            } else if !gaps.is_empty() {
                activate(&mut cover, gaps);
            } else if hopeless {
                threads = true;
            } else {
                return match end {
                    End::Covered => Found::Holds,
                    End::Stopped => Found::Refuted,
                    End::Uncovered => Found::Open,
                    End::Limit => Found::Limit,
                };
            }
        }
    }

    /// Thesis §3.6.1: whether `po ; eco` has no loops.
    fn find_coherence(&mut self) -> Result<bool, Refusal> {
        let term = Term::seq(Term::Edge(Facts::PO), eco(self.context.all()));
        self.known.coherent = self.excludes(&term)?;
        Ok(self.known.coherent)
    }

    /// Lets walks in `co` and `fr` that stay in a thread stand for `po`. Larger automata, so not by
    /// default. Returns whether something was learnt.
    pub fn use_threads(&mut self) -> Result<bool, Refusal> {
        if !self.known.coherent {
            return Ok(false);
        }
        let context = self.context;
        let large = |e| Refusal::too_large("co | fr", &e);
        let walks = within_thread(&context.classes, context.limits.states).map_err(large)?;
        self.implied.add(Facts::PO, walks.clone());
        self.implied.add(Facts::PO.and(Facts::LOC), walks);
        self.saturate(false)?;
        Ok(true)
    }

    /// Whether `h` and `h ; eco` have no loops: then events of the same location that `h` orders are
    /// in `eco`, or both read.
    pub fn orders_locations(&mut self, h: &Term) -> Result<bool, Refusal> {
        let all = self.context.all();
        let term = Term::seq(h.clone(), Term::union(Term::Test(all), eco(all)));
        self.excludes(&term)
    }

    /// Whether the constraints imply that a term has no loops (no cycles, if `acyclic`). Walks that
    /// are not covered are shown to the visitor.
    pub fn implies(
        &mut self,
        goal: &Constraint,
        visit: &mut dyn FnMut(&Walk) -> ControlFlow<()>,
    ) -> Result<Found, Refusal> {
        let all = self.context.all();
        let term = if goal.acyclic { Term::plus(goal.term.clone(), all) } else { goal.term.clone() };
        let mut nfa = Nfa::of(&term, all, self.context.limits.states)
            .map_err(|e| Refusal::too_large(&goal.name, &e))?;
        nfa.reduce(all);
        Ok(self.search(&nfa, visit))
    }

    /// Thesis Prop. 12, by what totality says of single steps: a walk from `a` to `b` that makes a
    /// cycle with `co` (or another total order) from `b` to `a` implies that the order has `a` before
    /// `b`, unless they are the same event. The latter is ruled out, too, since such walks are only
    /// used if none of them can be a loop. Returns whether something was learnt.
    pub fn use_totality(&mut self) -> Result<bool, Refusal> {
        let context = self.context;
        // `co` orders the writes of a location.
        let mut orders = vec![(Facts::CO, true, context.classes.writes)];
        orders.extend(context.total.iter().map(|f| (*f, false, context.classes.all)));
        let mut found = Vec::new();
        for (order, same_loc, ends) in orders {
            let mut parts = Vec::new();
            for (nfa, acyclic, _) in &self.raw {
                if nfa.states() > SMALL {
                    continue;
                }
                for (q, steps) in nfa.steps.iter().enumerate() {
                    for s in steps.iter().filter(|s| s.facts == order) {
                        parts.push(around(nfa, *acyclic, q as State, s, same_loc, ends));
                    }
                }
            }
            for part in parts {
                if part.steps.iter().all(Vec::is_empty) {
                    continue;
                }
                if self.search(&part, &mut |_| ControlFlow::Break(())) != Found::Holds {
                    continue;
                }
                let Ok(part) = self.saturated(&part) else { continue };
                found.push((order, part));
            }
        }
        let learnt = !found.is_empty();
        for (order, part) in found {
            if order == Facts::CO {
                // What comes after `rf` in a walk that implies `co` implies `fr`.
                self.implied.add(Facts::FR, derivative(&part, Facts::RF, context.classes.writes));
            }
            self.implied.add(order, part);
        }
        if learnt {
            self.saturate(false)?;
        }
        Ok(learnt)
    }
}

/// Starts in states so that each of the walks is covered: first in those that cover most of them.
fn activate(cover: &mut Cover, mut gaps: Vec<Vec<Vec<State>>>) {
    while !gaps.is_empty() {
        let mut votes: HashMap<&Vec<State>, usize> = HashMap::new();
        for starts in gaps.iter().flatten() {
            *votes.entry(starts).or_default() += 1;
        }
        let best = votes.iter().max_by_key(|(starts, n)| (**n, std::cmp::Reverse(*starts)));
        let Some(best) = best.map(|(starts, _)| (*starts).clone()) else { return };
        for q in &best {
            cover.starts[*q as usize] = true;
        }
        gaps.retain(|starts| !starts.contains(&best));
    }
}

/// The walks that make a cycle of the automaton together with one of its steps: from the step's
/// target to the end of a word, and from the start of a word to the step. They start and end at the
/// events of `ends`, and stay in their location if `same_loc`.
fn around(nfa: &Nfa, acyclic: bool, q: State, step: &Step, same_loc: bool, ends: Mask) -> Nfa {
    let n = nfa.states() as State;
    let facts = |f: Facts| {
        let com = Facts::RF.and(Facts::CO).and(Facts::FR);
        if !same_loc || f.meets(com) || f.meets(com.inverse()) { f } else { f.and(Facts::LOC) }
    };
    let mut out = Nfa::default();
    for second in [false, true] {
        for p in 0..nfa.states() {
            let mut steps = Vec::new();
            for s in &nfa.steps[p] {
                let f = facts(s.facts);
                let shift = if second { n } else { 0 };
                steps.push(Step { facts: f, target: s.target + shift, ..*s });
                let end = s.to & nfa.accepts[s.target as usize];
                if end != 0 && (!second || acyclic) {
                    for i in &nfa.initial {
                        steps.push(Step { facts: f, to: end, target: i + n, ..*s });
                    }
                }
            }
            out.steps.push(steps);
            out.accepts.push(if second && p as State == q { step.from & ends } else { 0 });
        }
    }
    let start = out.add_state();
    let entered = step.to & ends;
    let mut first: Vec<Step> =
        out.steps[step.target as usize].iter().map(|s| Step { from: s.from & entered, ..*s }).collect();
    let ends = nfa.accepts[step.target as usize] & entered;
    if ends != 0 {
        for i in &nfa.initial {
            let more = out.steps[(i + n) as usize].iter();
            first.extend(more.map(|s| Step { from: s.from & ends, ..*s }));
        }
    }
    out.steps[start as usize] = first;
    out.initial = vec![start];
    out.simplify();
    out
}

/// A plain inclusion. `closed`: only of walks that end where they start.
pub fn included(
    context: &Context,
    left: &Term,
    right: &Term,
    closed: bool,
    visit: &mut dyn FnMut(&Walk) -> ControlFlow<()>,
) -> Result<(Found, usize), Refusal> {
    let all = context.all();
    let limit = context.limits.states;
    let large = |what: &'static str| move |e| Refusal::too_large(what, &e);
    let mut right = right.clone();
    // A walk that cannot be is in every relation (thesis Prop. 1).
    let any = Term::union(Term::Test(all), Term::Edge(Facts::NONE));
    for walks in &context.impossible {
        let around = Term::seq(Term::seq(any.clone(), walks.clone()), any.clone());
        right = Term::union(right, around);
    }
    let left = Nfa::of(left, all, limit).map_err(large("the left side"))?;
    let raw = Nfa::of(&right, all, limit).map_err(large("the right side"))?;
    let full = saturate(
        &raw,
        &context.assumptions,
        &context.loops,
        &context.implied,
        &context.classes,
        false,
        limit,
    )
    .map_err(large("the right side"))?;
    let mut cover = Cover::default();
    if closed {
        let given = Given::new(context, &[])?;
        let alts = given.alternatives(&left);
        for part in (0..given.full.len()).filter_map(|at| given.part(&alts, at)) {
            cover.add(&part);
        }
    }
    cover.add(&Part::words(&full));
    cover.start_anywhere();
    let mut search = Search {
        left: &left,
        right: &cover,
        classes: &context.classes,
        known: context.known.clone(),
        task: if closed { Task::ClosedWords } else { Task::Words },
        threads: true,
        limits: context.limits,
        walks: 0,
    };
    let found = match search.run(visit) {
        End::Covered => Found::Holds,
        End::Stopped => Found::Refuted,
        End::Uncovered => Found::Open,
        End::Limit => Found::Limit,
    };
    Ok((found, search.walks))
}
