//! Automata over guarded words: a step reads the facts of a pair of events, with tests on both.
//!
//! Thesis §3.2's normal form without its dummy transitions: tests between steps are folded into the
//! `from` of the step that leaves (and into `accepts`, at the end of a word).

use crate::class::Mask;
use crate::fact::{Facts, close};
use crate::simulation::{Move, simulation};
use crate::term::{Located, Term};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

pub type State = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    pub from: Mask,
    pub facts: Facts,
    pub to: Mask,
    pub target: State,
    /// A word ends and another one starts on the way: see [`Nfa::with_repetition`].
    pub closes: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Nfa {
    pub initial: Vec<State>,
    pub steps: Vec<Vec<Step>>,
    /// The events at which a word may end in a state.
    pub accepts: Vec<Mask>,
}

/// An automaton got larger than it may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    pub states: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its automaton has more than {} states", self.states)
    }
}

/// Before simplification.
#[derive(Default)]
struct Thompson {
    tests: Vec<Vec<(Mask, usize)>>,
    edges: Vec<Vec<(Facts, usize)>>,
    limit: usize,
}

impl Thompson {
    fn node(&mut self) -> Result<usize, TooLarge> {
        if self.tests.len() >= self.limit {
            return Err(TooLarge { states: self.limit });
        }
        self.tests.push(Vec::new());
        self.edges.push(Vec::new());
        Ok(self.tests.len() - 1)
    }

    /// Adds paths for the term between two nodes.
    fn build(&mut self, term: &Term, from: usize, to: usize, all: Mask) -> Result<(), TooLarge> {
        match term {
            Term::Empty | Term::Var(_) => {}
            Term::Test(m) => self.tests[from].push((*m, to)),
            Term::Edge(f) => self.edges[from].push((*f, to)),
            Term::Union(a, b) => {
                self.build(a, from, to, all)?;
                self.build(b, from, to, all)?;
            }
            Term::Seq(a, b) => {
                let middle = self.node()?;
                self.build(a, from, middle, all)?;
                self.build(b, middle, to, all)?;
            }
            Term::Star(a) => {
                let middle = self.node()?;
                self.tests[from].push((all, middle));
                self.build(a, middle, middle, all)?;
                self.tests[middle].push((all, to));
            }
            Term::Located(inner) => self.located(inner, from, to, all)?,
        }
        Ok(())
    }

    /// The walks of a term from an access to one of the same location. The anchor's location is told
    /// from others; the initialising event is of all of them.
    fn located(&mut self, inner: &Located, from: usize, to: usize, all: Mask) -> Result<(), TooLarge> {
        let Located { accesses, init, same_loc, .. } = *inner;
        let nfa = Nfa::of(&inner.term, all, self.limit)?;
        // Of events that are of the first one's location, and those that are not.
        let anchors = (accesses & same_loc, all & !same_loc);
        let others = (accesses & !same_loc & !init, all);
        self.located_at(&nfa, inner, from, to, anchors)?;
        self.located_at(&nfa, inner, from, to, others)?;
        self.located_at(&nfa, inner, from, to, (init, all))
    }

    /// Each state twice, for events that are of the first one's location and those that are not.
    fn located_at(
        &mut self,
        nfa: &Nfa,
        inner: &Located,
        from: usize,
        to: usize,
        (start, elsewhere): (Mask, Mask),
    ) -> Result<(), TooLarge> {
        let Located { accesses, init, .. } = *inner;
        let all = elsewhere | accesses;
        let within = if start == init { accesses } else { start | init };
        let mut nodes = Vec::new();
        for _ in 0..nfa.states() {
            nodes.push([self.node()?, self.node()?]);
        }
        for q in &nfa.initial {
            self.tests[from].push((start, nodes[*q as usize][0]));
        }
        for (q, [here, there]) in nodes.clone().into_iter().enumerate() {
            self.tests[here].push((nfa.accepts[q] & within, to));
            for s in &nfa.steps[q] {
                let [to_here, to_there] = nodes[s.target as usize];
                let f = s.facts;
                let (same, other) = (f.and(Facts::LOC), f.and(Facts::NOT_LOC));
                let never_same = f.meets(Facts::NOT_LOC);
                let never_other = close(f).meets(Facts::LOC);
                let mut lead = |x: usize, f: Facts, from: Mask, to: Mask, y: usize| -> Result<(), TooLarge> {
                    let to = to & if y == to_here { within } else { elsewhere };
                    if from & s.from != 0 && to & s.to != 0 {
                        let (a, b) = (self.node()?, self.node()?);
                        self.tests[x].push((s.from & from, a));
                        self.edges[a].push((f, b));
                        self.tests[b].push((s.to & to, y));
                    }
                    Ok(())
                };
                if !never_same {
                    let f = if never_other { f } else { same };
                    lead(here, f, all, all, to_here)?;
                    lead(there, f, all, all, to_there)?;
                }
                if !never_other {
                    lead(here, other, all, all, to_there)?;
                    lead(there, other, all, all, to_there)?;
                    lead(there, other, all, all, to_here)?;
                }
                // The initialising event is of the location of whatever comes after it.
                for (x, y) in [(here, to_there), (there, to_here)] {
                    lead(x, f, init, all, y)?;
                    lead(x, f, all, init, y)?;
                }
                lead(here, f, init, all, to_here)?;
            }
        }
        Ok(())
    }

    /// The nodes that are reached by tests alone, and for which events.
    fn closure(&self, from: usize, all: Mask) -> HashMap<usize, Mask> {
        let mut reached = HashMap::from([(from, all)]);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            let mask = reached[&node];
            for (test, next) in &self.tests[node] {
                let old = reached.get(next).copied().unwrap_or(0);
                let new = old | (mask & test);
                if new != old {
                    reached.insert(*next, new);
                    open.push(*next);
                }
            }
        }
        reached
    }
}

impl Nfa {
    /// The automaton of a term. It has at most `limit` states.
    pub fn of(term: &Term, all: Mask, limit: usize) -> Result<Nfa, TooLarge> {
        let mut t = Thompson { limit: limit.saturating_mul(16), ..Thompson::default() };
        let (start, end) = (t.node()?, t.node()?);
        t.build(term, start, end, all)?;
        let mut nfa = Nfa::default();
        let mut numbers = HashMap::from([(start, 0)]);
        let mut order = vec![start];
        nfa.initial.push(0);
        let mut at = 0;
        while at < order.len() {
            if at > limit {
                return Err(TooLarge { states: limit });
            }
            let closure = t.closure(order[at], all);
            let mut steps = BTreeSet::new();
            for (node, mask) in &closure {
                for (facts, next) in &t.edges[*node] {
                    let target = *numbers.entry(*next).or_insert_with(|| {
                        order.push(*next);
                        order.len() as State - 1
                    });
                    if *mask != 0 {
                        steps.insert(Step { from: *mask, facts: *facts, to: all, target, closes: false });
                    }
                }
            }
            nfa.steps.push(steps.into_iter().collect());
            nfa.accepts.push(closure.get(&end).copied().unwrap_or(0));
            at += 1;
        }
        nfa.simplify();
        Ok(nfa)
    }

    pub fn states(&self) -> usize {
        self.steps.len()
    }

    pub fn add_state(&mut self) -> State {
        self.steps.push(Vec::new());
        self.accepts.push(0);
        self.steps.len() as State - 1
    }

    /// With steps that go on with another word at the end of one.
    pub fn with_repetition(&self) -> Nfa {
        let mut out = self.clone();
        for steps in &mut out.steps {
            for s in steps.clone() {
                let end = s.to & self.accepts[s.target as usize];
                if end != 0 {
                    let again = self.initial.iter().map(|q| Step { to: end, target: *q, closes: true, ..s });
                    steps.extend(again);
                }
            }
        }
        out.simplify();
        out
    }

    /// The events at which a state has a future.
    fn alive(&self, state: State) -> Mask {
        let at = state as usize;
        self.steps[at].iter().fold(self.accepts[at], |m, s| m | s.from)
    }

    /// Removes what no accepted word uses, and merges states with the same future.
    pub fn simplify(&mut self) {
        loop {
            let before = (self.states(), self.steps.iter().map(Vec::len).sum::<usize>());
            self.prune();
            self.merge();
            self.absorb();
            self.trim();
            let after = (self.states(), self.steps.iter().map(Vec::len).sum::<usize>());
            if before == after {
                return;
            }
        }
    }

    /// The states from which a word can end.
    fn ends(&self) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.states()];
        for (q, steps) in self.steps.iter().enumerate() {
            for s in steps {
                before[s.target as usize].push(q);
            }
        }
        let mut ends: Vec<bool> = self.accepts.iter().map(|m| *m != 0).collect();
        let mut open: Vec<usize> = (0..self.states()).filter(|q| ends[*q]).collect();
        while let Some(q) = open.pop() {
            for p in &before[q] {
                if !std::mem::replace(&mut ends[*p], true) {
                    open.push(*p);
                }
            }
        }
        ends
    }

    /// Narrows the tests of steps to events at which their targets go on.
    fn prune(&mut self) {
        let ends = self.ends();
        for steps in &mut self.steps {
            steps.retain(|s| ends[s.target as usize]);
        }
        loop {
            let alive: Vec<Mask> = (0..self.states()).map(|q| self.alive(q as State)).collect();
            let mut changed = false;
            for steps in &mut self.steps {
                let before = steps.len();
                for step in steps.iter_mut() {
                    let narrowed = step.to & alive[step.target as usize];
                    changed |= narrowed != step.to;
                    step.to = narrowed;
                }
                steps.retain(|s| s.from != 0 && s.to != 0);
                changed |= steps.len() != before;
            }
            if !changed {
                return;
            }
        }
    }

    /// Drops steps that another step of the same state covers, and joins those that differ in one
    /// test only.
    fn absorb(&mut self) {
        for steps in &mut self.steps {
            steps.sort();
            steps.dedup();
            let mut i = 0;
            while i < steps.len() {
                let covered = (0..steps.len()).any(|j| {
                    let (a, b) = (&steps[i], &steps[j]);
                    i != j
                        && a.target == b.target
                        && a.closes == b.closes
                        && a.facts.has(b.facts)
                        && b.from & a.from == a.from
                        && b.to & a.to == a.to
                        && (a != b || j < i)
                });
                if covered {
                    steps.remove(i);
                    continue;
                }
                let twin = (i + 1..steps.len()).find(|&j| {
                    let (a, b) = (&steps[i], &steps[j]);
                    let same = a.target == b.target && a.facts == b.facts && a.closes == b.closes;
                    same && (a.from == b.from || a.to == b.to)
                });
                match twin {
                    Some(j) => {
                        let b = steps.remove(j);
                        steps[i].from |= b.from;
                        steps[i].to |= b.to;
                    }
                    None => i += 1,
                }
            }
        }
    }

    /// Merges bisimilar states.
    fn merge(&mut self) {
        let mut block: Vec<usize> = {
            let mut known = HashMap::new();
            self.accepts
                .iter()
                .map(|m| {
                    let next = known.len();
                    *known.entry(*m).or_insert(next)
                })
                .collect()
        };
        let mut blocks = block.iter().collect::<BTreeSet<_>>().len();
        loop {
            let mut known: BTreeMap<(usize, Vec<Step>), usize> = BTreeMap::new();
            let next: Vec<usize> = (0..self.states())
                .map(|q| {
                    let mut out: Vec<_> = self.steps[q]
                        .iter()
                        .map(|s| Step { target: block[s.target as usize] as State, ..*s })
                        .collect();
                    out.sort();
                    out.dedup();
                    let fresh = known.len();
                    *known.entry((block[q], out)).or_insert(fresh)
                })
                .collect();
            block = next;
            if known.len() == blocks {
                break;
            }
            blocks = known.len();
        }
        let mut nfa = Nfa { initial: vec![], steps: vec![vec![]; blocks], accepts: vec![0; blocks] };
        let mut done = vec![false; blocks];
        for q in 0..self.states() {
            if std::mem::replace(&mut done[block[q]], true) {
                continue;
            }
            nfa.accepts[block[q]] = self.accepts[q];
            let mut out: Vec<Step> = self.steps[q]
                .iter()
                .map(|s| Step { target: block[s.target as usize] as State, ..*s })
                .collect();
            out.sort();
            out.dedup();
            nfa.steps[block[q]] = out;
        }
        nfa.initial = self.initial.iter().map(|q| block[*q as usize] as State).collect();
        nfa.initial.sort();
        nfa.initial.dedup();
        *self = nfa;
    }

    /// Keeps the states that are reached.
    fn trim(&mut self) {
        let mut number = vec![State::MAX; self.states()];
        let mut order: Vec<State> = Vec::new();
        for q in &self.initial {
            if number[*q as usize] == State::MAX {
                number[*q as usize] = order.len() as State;
                order.push(*q);
            }
        }
        let mut at = 0;
        while at < order.len() {
            for s in &self.steps[order[at] as usize] {
                let t = s.target as usize;
                if number[t] == State::MAX {
                    number[t] = order.len() as State;
                    order.push(s.target);
                }
            }
            at += 1;
        }
        let steps = order
            .iter()
            .map(|q| {
                self.steps[*q as usize]
                    .iter()
                    .map(|s| Step { target: number[s.target as usize], ..*s })
                    .collect()
            })
            .collect();
        let accepts = order.iter().map(|q| self.accepts[*q as usize]).collect();
        let initial = self.initial.iter().map(|q| number[*q as usize]).collect();
        *self = Nfa { initial, steps, accepts };
    }

    /// The same words with fewer states and steps: states that can do the same are merged, and steps
    /// to states beside others that can do more are dropped; then the same for the words backwards.
    pub fn reduce(&mut self, all: Mask) {
        loop {
            let before = (self.states(), self.steps.iter().map(Vec::len).sum::<usize>());
            self.reduce_forward();
            let mut back = self.reversed(all);
            back.reduce_forward();
            let mut again = back.reversed(all);
            again.reduce_forward();
            let after = (again.states(), again.steps.iter().map(Vec::len).sum::<usize>());
            if after >= before {
                return;
            }
            *self = again;
        }
    }

    /// For each state, the others that can do all that it can.
    pub fn above(&self) -> Vec<Vec<State>> {
        let moves: Vec<Vec<Move>> = self
            .steps
            .iter()
            .map(|steps| {
                let of = |s: &Step| Move {
                    from: s.from,
                    facts: s.facts,
                    to: s.to,
                    target: s.target,
                    tag: s.closes,
                };
                steps.iter().map(of).collect()
            })
            .collect();
        simulation(&moves, &self.accepts)
    }

    fn reduce_forward(&mut self) {
        let above = self.above();
        // The first of those that are alike stands for them.
        let like = |t: State| -> State {
            let twins = above[t as usize].iter().filter(|u| above[**u as usize].contains(&t));
            twins.copied().min().map_or(t, |u| u.min(t))
        };
        let stands: Vec<State> = (0..self.states() as State).map(like).collect();
        for steps in &mut self.steps {
            for s in steps.iter_mut() {
                s.target = stands[s.target as usize];
            }
            steps.sort();
            steps.dedup();
            let old = steps.clone();
            steps.retain(|a| {
                !old.iter().any(|b| {
                    b.target != a.target
                        && a.closes == b.closes
                        && a.facts.has(b.facts)
                        && a.from & !b.from == 0
                        && a.to & !b.to == 0
                        && above[a.target as usize].contains(&b.target)
                })
            });
        }
        for q in &mut self.initial {
            *q = stands[*q as usize];
        }
        self.initial.sort();
        self.initial.dedup();
        self.simplify();
    }

    /// The words of the automaton backwards, each pair seen from its other end.
    pub fn reversed(&self, all: Mask) -> Nfa {
        let mut r =
            Nfa { initial: vec![], steps: vec![vec![]; self.states()], accepts: vec![0; self.states()] };
        for (q, steps) in self.steps.iter().enumerate() {
            for s in steps {
                r.steps[s.target as usize].push(Step {
                    from: s.to,
                    facts: s.facts.inverse(),
                    to: s.from,
                    target: q as State,
                    closes: s.closes,
                });
            }
        }
        for q in &self.initial {
            r.accepts[*q as usize] = all;
        }
        // A start state with tests cannot be said otherwise than by a state of its own.
        let start = r.add_state();
        for (q, mask) in self.accepts.iter().enumerate() {
            if *mask == 0 {
                continue;
            }
            for s in r.steps[q].clone() {
                r.steps[start as usize].push(Step { from: s.from & mask, ..s });
            }
            r.accepts[start as usize] |= r.accepts[q] & mask;
        }
        r.initial.push(start);
        r.simplify();
        r
    }
}
