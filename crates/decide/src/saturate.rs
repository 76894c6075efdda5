//! The right side of an inclusion, saturated by what holds in every execution and by assumptions.
//!
//! A step of the right side is also taken along any longer walk that implies it (thesis Prop. 2–4,
//! Prop. 12): `po ; po` is in `po`, `rf ; fr` in `co`, `fr ; co` in `fr`. For each kind of step there
//! is a regular set of such walks that is closed under all the rules, so one insertion suffices.

use crate::class::{Classes, Mask};
use crate::fact::{Facts, close};
use crate::nfa::{Nfa, State, Step, TooLarge};
use crate::term::Term;
use std::collections::HashMap;

/// Walks that imply a step, by the step's facts.
#[derive(Clone, Debug, Default)]
pub struct Implied {
    extra: HashMap<Facts, Vec<Nfa>>,
}

impl Implied {
    pub fn add(&mut self, facts: Facts, walks: Nfa) {
        self.extra.entry(facts).or_default().push(walks);
    }
}

/// An assumption `walks <= claim` where the claim is a finite union of words.
#[derive(Clone, Debug)]
pub struct Assumption {
    pub walks: Nfa,
    /// The walks one by one, if they are few.
    pub words: Vec<Word>,
    pub claim: Vec<Word>,
}

/// Tests and steps, alternating.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    pub first: Mask,
    pub steps: Vec<(Facts, Mask)>,
}

/// The words of a term without repetition, if there are few.
pub fn words(term: &Term, all: Mask) -> Option<Vec<Word>> {
    const MOST: usize = 64;
    let out = match term {
        Term::Empty => vec![],
        Term::Test(m) => vec![Word { first: *m, steps: vec![] }],
        Term::Edge(f) => vec![Word { first: all, steps: vec![(*f, all)] }],
        Term::Union(a, b) => {
            let mut out = words(a, all)?;
            out.extend(words(b, all)?);
            out
        }
        Term::Seq(a, b) => {
            let (a, b) = (words(a, all)?, words(b, all)?);
            let mut out = Vec::new();
            for x in &a {
                for y in &b {
                    let mut word = x.clone();
                    match word.steps.last_mut() {
                        Some((_, m)) => *m &= y.first,
                        None => word.first &= y.first,
                    }
                    word.steps.extend(y.steps.iter().copied());
                    out.push(word);
                }
            }
            out
        }
        Term::Star(_) | Term::Located(_) | Term::Var(_) => return None,
    };
    (out.len() <= MOST).then_some(out)
}

/// The walks that imply a step with these facts, by what holds in every execution.
fn closed_form(facts: Facts, c: &Classes, coherent: bool, limit: usize) -> Result<Option<Nfa>, TooLarge> {
    use Facts as F;
    let all = c.all;
    let edge = Term::Edge;
    let test = Term::test;
    let plus = |t: Term| Term::plus(t, all);
    let star = |t: Term| Term::star(t, all);
    let seq = |parts: Vec<Term>| parts.into_iter().reduce(Term::seq).unwrap_or(Term::Empty);
    let later = all & !c.init;
    // Between writes: `co`, and `fr` after `rf`.
    let co = || Term::union(edge(F::CO), Term::seq(edge(F::RF), edge(F::FR)));
    let fr = || {
        Term::union(
            seq(vec![edge(F::FR), star(co())]),
            seq(vec![edge(F::RF.inverse()), test(later), plus(co())]),
        )
    };
    // Where coherence holds, what leads to a write inside of a location is `co` or `fr`: `co` is total.
    let within = |from: Mask| {
        let steps = [F::PO.and(F::LOC), F::RF, F::CO, F::FR].map(edge);
        let any = steps.into_iter().reduce(Term::union).unwrap_or(Term::Empty);
        seq(vec![test(from & later), plus(any), test(c.writes)])
    };
    let (co_walks, fr_walks) = (
        || if coherent { Term::union(plus(co()), within(c.writes)) } else { plus(co()) },
        || if coherent { Term::union(fr(), within(c.reads)) } else { fr() },
    );
    let build = |t: Term| Nfa::of(&t, all, limit);
    let own = facts.minus(F::INT.and(F::EXT));
    let term = if facts == F::PO {
        plus(edge(F::PO))
    } else if facts == F::PO.and(F::LOC) {
        let within = plus(edge(F::PO.and(F::LOC)));
        let ends = seq(vec![test(c.same_loc), plus(edge(F::PO)), test(c.same_loc)]);
        Term::union(within, ends)
    } else if facts == F::PO.and(F::NOT_LOC) {
        let po = || plus(edge(F::PO));
        let (here, there) = (test(c.same_loc), test(c.accesses & !c.same_loc & later));
        let none = test(all & !c.accesses);
        [
            seq(vec![here.clone(), po(), there.clone()]),
            seq(vec![there, po(), here]),
            seq(vec![none.clone(), po()]),
            seq(vec![po(), none]),
        ]
        .into_iter()
        .reduce(Term::union)
        .unwrap_or(Term::Empty)
    } else if facts == F::PO.and(F::NOT_RMW) {
        // Nothing is between the accesses of a read-modify-write.
        Term::union(edge(facts), Term::seq(edge(F::PO), plus(edge(F::PO))))
    } else if own == F::CO || own == F::FR {
        let words = if own == F::CO { co_walks() } else { fr_walks() };
        if facts.meets(F::EXT) {
            // One step to another thread, or the ends are known to be the anchor's and another.
            let (mine, others) = (test(c.same_thread), test(later & !c.same_thread));
            let known = Term::union(
                seq(vec![mine.clone(), words.clone(), others.clone()]),
                seq(vec![others, words.clone(), mine]),
            );
            return Ok(Some(union(&one_external(&build(words)?), &build(known)?)));
        }
        if facts.meets(F::INT) {
            let mine = test(c.same_thread);
            let known = seq(vec![mine.clone(), words.clone(), mine]);
            Term::union(words.each_step(F::INT, all), known)
        } else {
            words
        }
    } else if facts == F::LOC {
        seq(vec![star(Term::seq(edge(F::LOC), test(later))), edge(F::LOC)])
    } else if facts == F::INT {
        plus(edge(F::INT))
    } else if facts == F::EXT {
        seq(vec![star(edge(F::INT)), edge(F::EXT), star(edge(F::INT))])
    } else if facts == F::NONE {
        plus(edge(F::NONE))
    } else {
        return Ok(None);
    };
    Ok(Some(build(term)?))
}

/// Walks in `co` or `fr` between events of the anchor's thread: where coherence holds, they follow
/// `po`.
pub fn within_thread(c: &Classes, limit: usize) -> Result<Nfa, TooLarge> {
    let all = c.all;
    let co = Term::union(Term::Edge(Facts::CO), Term::seq(Term::Edge(Facts::RF), Term::Edge(Facts::FR)));
    let words =
        Term::union(Term::plus(co.clone(), all), Term::seq(Term::Edge(Facts::FR), Term::star(co, all)));
    let mine = Term::test(c.same_thread);
    Nfa::of(&Term::seq(Term::seq(mine.clone(), words), mine), all, limit)
}

/// The words of both.
fn union(a: &Nfa, b: &Nfa) -> Nfa {
    let base = a.states() as State;
    let mut out = a.clone();
    for steps in &b.steps {
        out.steps.push(steps.iter().map(|s| Step { target: s.target + base, ..*s }).collect());
    }
    out.accepts.extend(&b.accepts);
    out.initial.extend(b.initial.iter().map(|q| q + base));
    out
}

/// The words of an automaton in which exactly one step is between threads: their ends are in
/// different threads.
fn one_external(nfa: &Nfa) -> Nfa {
    let n = nfa.states() as State;
    let mut out = Nfa { initial: nfa.initial.clone(), ..Nfa::default() };
    for second in [false, true] {
        for q in 0..nfa.states() {
            let mut steps = Vec::new();
            for s in &nfa.steps[q] {
                let shift = if second { n } else { 0 };
                steps.push(Step { facts: s.facts.and(Facts::INT), target: s.target + shift, ..*s });
                if !second {
                    steps.push(Step { facts: s.facts.and(Facts::EXT), target: s.target + n, ..*s });
                }
            }
            out.steps.push(steps);
            out.accepts.push(if second { nfa.accepts[q] } else { 0 });
        }
    }
    out.simplify();
    out
}

/// What is left of the words that start with a step of these facts.
pub fn derivative(nfa: &Nfa, facts: Facts, from: Mask) -> Nfa {
    let mut out = nfa.clone();
    let start = out.add_state();
    for q in &nfa.initial {
        for s in &nfa.steps[*q as usize] {
            if s.facts == facts && s.from & from == from {
                for next in &nfa.steps[s.target as usize] {
                    out.steps[start as usize].push(Step { from: next.from & s.to, ..*next });
                }
                out.accepts[start as usize] |= nfa.accepts[s.target as usize] & s.to;
            }
        }
    }
    out.initial = vec![start];
    out.simplify();
    out
}

struct Builder<'a> {
    nfa: Nfa,
    limit: usize,
    /// Copies that were made: of which automaton, to which state, with which test.
    copies: HashMap<(usize, State, Mask, bool), State>,
    parts: Vec<Nfa>,
    classes: &'a Classes,
}

impl Builder<'_> {
    fn part(&mut self, nfa: Nfa) -> usize {
        self.parts.push(nfa);
        self.parts.len() - 1
    }

    /// Lets the words of a part lead from a state to where a step leads. Its first steps get the
    /// step's test `from`, its last ones all else of it.
    fn attach(&mut self, part: usize, q: State, end: &Step) -> Result<(), TooLarge> {
        let Step { from, to, target, closes, .. } = *end;
        let inner = self.parts[part].clone();
        let base = match self.copies.get(&(part, target, to, closes)) {
            Some(base) => *base,
            None => {
                let base = self.nfa.states() as State;
                self.copies.insert((part, target, to, closes), base);
                for _ in 0..inner.states() {
                    self.nfa.add_state();
                }
                for (i, steps) in inner.steps.iter().enumerate() {
                    for s in steps {
                        self.lead(
                            base + i as State,
                            base,
                            s,
                            &inner,
                            &Step { from: self.classes.all, ..*end },
                        );
                    }
                }
                base
            }
        };
        for i in &inner.initial {
            for s in &inner.steps[*i as usize] {
                self.lead(q, base, s, &inner, &Step { from, ..*end });
            }
        }
        if self.nfa.states() > self.limit {
            return Err(TooLarge { states: self.limit });
        }
        Ok(())
    }

    fn lead(&mut self, q: State, base: State, s: &Step, inner: &Nfa, last: &Step) {
        let from = s.from & last.from;
        if from == 0 {
            return;
        }
        let out = &mut self.nfa.steps[q as usize];
        if !inner.steps[s.target as usize].is_empty() {
            out.push(Step { from, target: base + s.target, ..*s });
        }
        let end = s.to & inner.accepts[s.target as usize] & last.to;
        if end != 0 {
            out.push(Step { from, facts: s.facts, to: end, target: last.target, closes: last.closes });
        }
    }
}

/// Saturates a right side.
pub fn saturate(
    raw: &Nfa,
    assumptions: &[Assumption],
    loops: &[Nfa],
    implied: &Implied,
    classes: &Classes,
    coherent: bool,
    limit: usize,
) -> Result<Nfa, TooLarge> {
    let mut b =
        Builder { nfa: raw.clone(), limit: limit * 8, copies: HashMap::new(), parts: Vec::new(), classes };
    assume(&mut b, assumptions)?;
    detours(&mut b.nfa, classes);
    let mut forms: HashMap<Facts, Vec<usize>> = HashMap::new();
    for q in 0..b.nfa.states() {
        for s in b.nfa.steps[q].clone() {
            let list = match forms.get(&s.facts) {
                Some(list) => list.clone(),
                None => {
                    let back = s.facts.looks_back();
                    let facts = if back { s.facts.inverse() } else { s.facts };
                    let mut found: Vec<Nfa> =
                        closed_form(facts, classes, coherent, limit)?.into_iter().collect();
                    found.extend(implied.extra.get(&facts).into_iter().flatten().cloned());
                    if back {
                        found = found.iter().map(|n| n.reversed(classes.all)).collect();
                    }
                    let list: Vec<usize> = found.into_iter().map(|n| b.part(n)).collect();
                    forms.insert(s.facts, list.clone());
                    list
                }
            };
            for part in list {
                b.attach(part, q as State, &s)?;
            }
        }
    }
    // Walks that assumptions speak of may start or end inside of such a longer walk.
    if !assumptions.is_empty() {
        b.nfa.reduce(classes.all);
        b.copies.clear();
        let closed: Vec<Assumption> = assumptions
            .iter()
            .map(|a| {
                let walks = saturate(&a.walks, &[], &[], implied, classes, coherent, limit)?;
                Ok(Assumption { walks, words: a.words.clone(), claim: a.claim.clone() })
            })
            .collect::<Result<_, TooLarge>>()?;
        assume(&mut b, &closed)?;
    }
    // What is contained in the identity can happen anywhere.
    let states = b.nfa.states() as State;
    for walks in loops {
        let walks = saturate(walks, assumptions, &[], implied, classes, coherent, limit)?;
        let part = b.part(walks);
        for q in 0..states {
            // No test beyond those of the loop itself: the event stays the same.
            let here =
                Step { from: classes.all, facts: Facts::NONE, to: classes.all, target: q, closes: false };
            b.attach(part, q, &here)?;
        }
    }
    b.nfa.simplify();
    if b.nfa.states() > limit {
        return Err(TooLarge { states: limit });
    }
    b.nfa.reduce(classes.all);
    Ok(b.nfa)
}

/// A detour is a step of `coe` and one of `rfe`: where the right side has these, it has the detour.
fn detours(nfa: &mut Nfa, c: &Classes) {
    let (coe, rfe) = (close(Facts::CO.and(Facts::EXT)), close(Facts::RF.and(Facts::EXT)));
    let between = c.writes & !c.init;
    for q in 0..nfa.states() {
        let mut found = Vec::new();
        for first in nfa.steps[q].iter().filter(|s| coe.has(s.facts) && between & !s.to == 0) {
            for second in &nfa.steps[first.target as usize] {
                // Only words that may repeat follow each other.
                let closes = first.closes || second.closes;
                if rfe.has(second.facts) && between & !second.from == 0 {
                    let facts = Facts::DETOUR;
                    found.push(Step {
                        from: first.from,
                        facts,
                        to: second.to,
                        target: second.target,
                        closes,
                    });
                }
            }
        }
        nfa.steps[q].extend(found);
    }
}

/// Thesis §3.7: where the right side has every word of an assumption's claim between two states, it
/// also gets the words that the assumption puts inside of the claim. Until nothing changes.
fn assume(b: &mut Builder<'_>, assumptions: &[Assumption]) -> Result<(), TooLarge> {
    let parts: Vec<usize> = assumptions.iter().map(|a| b.part(a.walks.clone())).collect();
    let mut done: Vec<(usize, State, Step)> = Vec::new();
    for _round in 0..4 {
        let mut found = Vec::new();
        let above = b.nfa.above();
        for (a, part) in assumptions.iter().zip(&parts) {
            for q in 0..b.nfa.states() as State {
                for end in reached_by_all(&b.nfa, q, &a.claim, b.classes.all, &above) {
                    let entry = (*part, q, end);
                    if !done.contains(&entry)
                        && !found.contains(&entry)
                        && !has_already(&b.nfa, a, q, &end, b.classes.all, &above)
                    {
                        found.push(entry);
                    }
                }
            }
        }
        if found.is_empty() {
            break;
        }
        for (part, q, end) in &found {
            b.attach(*part, *q, end)?;
        }
        if assumptions.iter().all(|a| !a.words.is_empty()) {
            // What was found is recognised by its words, so that states may be merged meanwhile.
            b.nfa.reduce(b.classes.all);
            b.copies.clear();
        } else {
            done.extend(found);
        }
    }
    Ok(())
}

/// Whether an automaton has the walks of an assumption from `q` to where `end` leads.
fn has_already(nfa: &Nfa, a: &Assumption, q: State, end: &Step, all: Mask, above: &[Vec<State>]) -> bool {
    !a.words.is_empty()
        && a.words.iter().all(|word| {
            let last = word.steps.last().map_or(all, |(_, m)| *m);
            let (from, to) = (end.from & word.first, end.to & last);
            let one = std::slice::from_ref(word);
            from == 0
                || to == 0
                || reached_by_all(nfa, q, one, all, above).iter().any(|r| {
                    let target = r.target == end.target
                        || above.get(end.target as usize).is_some_and(|u| u.contains(&r.target));
                    target && r.closes == end.closes && from & !r.from == 0 && to & !r.to == 0
                })
        })
}

/// The states that every word leads to from `q`, with the tests on the first and the last event that
/// make it so. What is between is in the tests of the word, whatever it is. A state counts as reached
/// where one is that can do all that it can.
fn reached_by_all(nfa: &Nfa, q: State, words: &[Word], all: Mask, above: &[Vec<State>]) -> Vec<Step> {
    let mut out: Option<Vec<Step>> = None;
    for word in words {
        if word.steps.is_empty() {
            return vec![];
        }
        let mut ends = Vec::new();
        // How far the word was followed, as one step.
        let start = Step { from: all, facts: Facts::NONE, to: all, target: q, closes: false };
        let mut open: Vec<(usize, Step)> = vec![(0, start)];
        while let Some((i, so_far)) = open.pop() {
            let Some((facts, mask)) = word.steps.get(i) else {
                ends.push(so_far);
                continue;
            };
            for s in &nfa.steps[so_far.target as usize] {
                if !close(*facts).has(s.facts) {
                    continue;
                }
                // The event before this step: the first one may be restricted, others are as the
                // word says.
                let from = if i == 0 {
                    so_far.from & s.from
                } else if word.steps[i - 1].1 & !s.from == 0 {
                    so_far.from
                } else {
                    continue;
                };
                let last = i + 1 == word.steps.len();
                if !last && mask & !s.to != 0 {
                    continue;
                }
                if from != 0 {
                    let closes = so_far.closes || s.closes;
                    open.push((i + 1, Step { from, facts: Facts::NONE, to: s.to, target: s.target, closes }));
                }
            }
        }
        ends.sort();
        ends.dedup();
        out = Some(match out {
            None => ends,
            Some(old) => old.iter().flat_map(|a| ends.iter().filter_map(|b| least(a, b, above))).collect(),
        });
    }
    out.unwrap_or_default()
}

/// A step that is inside of two others.
fn least(a: &Step, b: &Step, above: &[Vec<State>]) -> Option<Step> {
    let target = if a.target == b.target || above[a.target as usize].contains(&b.target) {
        a.target
    } else if above[b.target as usize].contains(&a.target) {
        b.target
    } else {
        return None;
    };
    let (from, to) = (a.from & b.from, a.to & b.to);
    // Having closed a word counts only if both have.
    let closes = a.closes && b.closes;
    (from != 0 && to != 0).then_some(Step { from, facts: Facts::NONE, to, target, closes })
}
