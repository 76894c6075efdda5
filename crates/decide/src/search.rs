//! Inclusion on the fly, breadth first, with antichains.
//!
//! The left side is walked state by state; for the right side, the set of what it can have done along
//! the walk is kept. For plain inclusion these are states. For cycles they are pairs of states (and
//! whether a cycle of the right side was closed in between): the right side may be anywhere when the
//! walk starts, and has to come back to there, if need be after several rounds. That makes the right
//! side closed under rotation and deduplication (thesis Prop. 9–11) without building the closures.
//!
//! A walk with more possibilities on the right than another one at the same state of the left is
//! not pursued (antichain); the first walk found uncovered is a shortest one.

use crate::class::{Classes, Mask};
use crate::fact::{Alternative, Facts, Known, alternatives};
use crate::nfa::{Nfa, State};
use crate::simulation::{Move, simulation};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A step of the right side.
#[derive(Clone, Copy, Debug)]
struct CoverStep {
    from: Mask,
    facts: Facts,
    to: Mask,
    target: State,
    /// A word of the right side ends and another one starts at the second event.
    closes: bool,
}

/// The right side of a question.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    steps: Vec<Vec<CoverStep>>,
    accepts: Vec<Mask>,
    initial: Vec<State>,
    /// States from here on are those of words, states before it those of cycles.
    first_word: Option<State>,
    /// Of states of acyclic relations: a cycle may consist of several words.
    repeats: Vec<bool>,
    /// Events that the constraints exclude as such: they are related to themselves by no step.
    excluded: Mask,
    /// The constraint that a state belongs to.
    constraint: Vec<u32>,
    /// The states that can do all that a state can.
    above: Vec<Vec<State>>,
    /// The same as a matrix of bits.
    above_bits: Vec<u64>,
    /// The states that a state can do all of.
    below: Vec<Vec<State>>,
    /// `returns[t * words + s / 64]`, bit `s`: from `t` one can come to `s`, or a state above it.
    returns: Vec<u64>,
}

impl Cover {
    /// For plain inclusion: adds the words of an automaton.
    pub fn add_words(&mut self, nfa: &Nfa) {
        let base = self.steps.len() as State;
        let step = |s: &crate::nfa::Step| CoverStep {
            from: s.from,
            facts: s.facts,
            to: s.to,
            target: s.target + base,
            closes: false,
        };
        self.steps.extend(nfa.steps.iter().map(|steps| steps.iter().map(step).collect()));
        self.accepts.extend(&nfa.accepts);
        self.initial.extend(nfa.initial.iter().map(|q| q + base));
        self.repeats.extend(vec![false; nfa.states()]);
        self.constraint.extend(vec![u32::MAX; nfa.states()]);
        self.first_word = Some(base);
    }

    /// For cycles: adds the cycles whose words are those of an automaton, or (`repeats`) sequences of
    /// its words.
    pub fn add_cycles(&mut self, nfa: &Nfa, repeats: bool) {
        let base = self.steps.len() as State;
        for q in &nfa.initial {
            self.excluded |= nfa.accepts[*q as usize];
        }
        let repeated = nfa.steps.iter().flatten().any(|s| s.closes);
        for steps in &nfa.steps {
            let mut out = Vec::new();
            for s in steps {
                let step = CoverStep {
                    from: s.from,
                    facts: s.facts,
                    to: s.to,
                    target: s.target + base,
                    closes: s.closes,
                };
                if !nfa.steps[s.target as usize].is_empty() {
                    out.push(step);
                }
                let end = s.to & nfa.accepts[s.target as usize];
                if end != 0 && !repeated {
                    for q in &nfa.initial {
                        out.push(CoverStep { to: end, target: q + base, closes: true, ..step });
                    }
                }
            }
            self.steps.push(out);
            self.accepts.push(0);
            self.repeats.push(repeats);
            self.constraint.push(base);
        }
    }

    /// To be called when all is added.
    pub fn finish(&mut self) {
        let moves: Vec<Vec<Move>> = self
            .steps
            .iter()
            .map(|steps| {
                let of = |s: &CoverStep| Move {
                    from: s.from,
                    facts: s.facts,
                    to: s.to,
                    target: s.target,
                    tag: s.closes,
                };
                steps.iter().map(of).collect()
            })
            .collect();
        self.above = simulation(&moves, &self.accepts, &self.constraint);
        let n = self.states();
        self.below = vec![Vec::new(); n];
        for (t, above) in self.above.iter().enumerate() {
            for u in above {
                self.below[*u as usize].push(t as State);
            }
        }
        let words = n.div_ceil(64);
        self.above_bits = vec![0; n * words];
        for (t, above) in self.above.iter().enumerate() {
            for u in above {
                self.above_bits[t * words + *u as usize / 64] |= 1 << (u % 64);
            }
        }
        self.returns = vec![0; n * words];
        for s in 0..n {
            let row = &mut self.returns[s * words..(s + 1) * words];
            let mut open = vec![s];
            let mut reached = vec![false; n];
            while let Some(q) = open.pop() {
                for step in &self.steps[q] {
                    let t = step.target as usize;
                    if !std::mem::replace(&mut reached[t], true) {
                        open.push(t);
                        row[t / 64] |= 1 << (t % 64);
                        for x in &self.below[t] {
                            row[*x as usize / 64] |= 1 << (x % 64);
                        }
                    }
                }
            }
        }
    }

    fn is_above(&self, t: State, u: State) -> bool {
        let words = self.states().div_ceil(64);
        self.above_bits[t as usize * words + u as usize / 64] >> (u % 64) & 1 == 1
    }

    fn reaches(&self, t: State, s: State) -> bool {
        let words = self.states().div_ceil(64);
        self.returns[t as usize * words + s as usize / 64] >> (s % 64) & 1 == 1
    }

    pub fn states(&self) -> usize {
        self.steps.len()
    }
}

/// What is asked of the walks of the left side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Each is a word of the right side.
    Words,
    /// Each that ends where it starts is a word of the right side, or contains one of its cycles.
    ClosedWords,
    /// Each that ends where it starts contains a cycle of the right side.
    Cycles,
}

/// A walk: the classes of its events, and what is known between neighbours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    pub events: Vec<Mask>,
    pub facts: Vec<Facts>,
    /// The last event is the first one.
    pub closed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Every walk is covered.
    Covered,
    /// Walks that are not covered were seen.
    Uncovered,
    /// The visitor had enough.
    Stopped,
    /// There are more walks than the limit allows to look at.
    Limit,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States of one automaton.
    pub states: usize,
    /// Walks to look at in one search.
    pub walks: usize,
    /// Memory for one search, in bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 4_000, walks: 3_000_000, bytes: 800 << 20 }
    }
}

struct Node {
    left: State,
    /// The classes that the first event can be of.
    anchor: Mask,
    mask: Mask,
    right: Rc<[u64]>,
    parent: u32,
    facts: Facts,
    /// The classes of the event before from which the step can be taken.
    before: Mask,
}

/// What was seen at a state of the left side.
struct Seen {
    node: u32,
    anchor: Mask,
    mask: Mask,
    signature: u64,
    right: Rc<[u64]>,
}

pub struct Search<'a> {
    pub left: &'a Nfa,
    pub right: &'a Cover,
    pub classes: &'a Classes,
    pub known: Known,
    pub task: Task,
    /// Whether to follow which events are of the anchor's thread. Without it there are fewer walks to
    /// look at, but some of them cannot be.
    pub threads: bool,
    pub limits: Limits,
    /// How many walks were looked at.
    pub walks: usize,
}

/// In place of the state that the right side started in: it started a word with the walk.
const WORD: u64 = 0x7fff_ffff;

fn pair(s: u64, t: State, closed: bool) -> u64 {
    s << 32 | u64::from(t) << 1 | u64::from(closed)
}

fn signature(set: &[u64]) -> u64 {
    set.iter().fold(0, |sig, x| sig | 1 << (x.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58))
}

/// A set of pairs of states that is filled and emptied again and again.
struct Marks {
    bits: Vec<u64>,
    states: u64,
    touched: Vec<usize>,
}

impl Marks {
    fn new(states: usize) -> Marks {
        let states = states as u64;
        Marks {
            bits: vec![0; ((states + 1) * states * 2).div_ceil(64) as usize],
            states,
            touched: Vec::new(),
        }
    }

    fn at(&self, p: u64) -> u64 {
        let s = (p >> 32).min(self.states);
        (s * self.states + (p >> 1 & 0x7fff_ffff)) * 2 + (p & 1)
    }

    fn set(&mut self, p: u64) {
        let at = self.at(p);
        let word = at as usize / 64;
        self.touched.push(word);
        self.bits[word] |= 1 << (at % 64);
    }

    fn has(&self, p: u64) -> bool {
        let at = self.at(p);
        self.bits[at as usize / 64] >> (at % 64) & 1 == 1
    }

    fn clear(&mut self) {
        for word in self.touched.drain(..) {
            self.bits[word] = 0;
        }
    }
}

/// Splits a mask so that each part is inside or outside of each cut.
fn parts(mask: Mask, cuts: &[Mask]) -> Vec<Mask> {
    let mut out = vec![mask];
    for cut in cuts {
        let before = out.len();
        for at in 0..before {
            let (inside, outside) = (out[at] & cut, out[at] & !cut);
            if inside != 0 && outside != 0 {
                out[at] = inside;
                out.push(outside);
            }
        }
    }
    out
}

impl Search<'_> {
    /// Shows the visitor the walks that are not covered, shortest first, until it breaks.
    pub fn run(&mut self, mut visit: impl FnMut(&Walk) -> ControlFlow<()>) -> End {
        let mut nodes: Vec<Node> = Vec::new();
        let mut seen: Vec<Vec<Seen>> = (0..self.left.states()).map(|_| Vec::new()).collect();
        // States of the left side that can do all that a state can: what was seen there counts.
        let above = self.left.above();
        let mut weaker = Marks::new(self.right.states());
        let mut cache: HashMap<Facts, Rc<Vec<Alternative>>> = HashMap::new();
        let mut uncovered = false;
        let closed = self.task != Task::Words;
        let mut bytes = 0usize;
        self.start(&mut nodes);
        let mut at = 0;
        while at < nodes.len() {
            let depth_zero = nodes[at].parent == u32::MAX;
            if let Some(mask) = self.uncovered(&nodes[at], depth_zero) {
                uncovered = true;
                let walk = self.walk(&nodes, at, mask);
                if visit(&walk).is_break() {
                    self.walks += nodes.len();
                    return End::Stopped;
                }
            }
            let (left, anchor, mut mask) = (nodes[at].left, nodes[at].anchor, nodes[at].mask);
            let right = Rc::clone(&nodes[at].right);
            if !depth_zero {
                // A harder walk may have been found meanwhile. It did not give way to this one, so
                // that there is always one that is looked at.
                let wide = self.widen(&right, &mut weaker);
                'late: for q in std::iter::once(&left).chain(&above[left as usize]) {
                    for new in seen[*q as usize].iter().rev().take_while(|new| new.node > at as u32) {
                        if mask & new.mask != 0
                            && anchor & !new.anchor == 0
                            && new.signature & !wide == 0
                            && new.right.iter().all(|p| weaker.has(*p))
                        {
                            mask &= !new.mask;
                            if mask == 0 {
                                break 'late;
                            }
                        }
                    }
                }
                weaker.clear();
                if mask != nodes[at].mask {
                    let list = &mut seen[left as usize];
                    match list.binary_search_by_key(&(at as u32), |old| old.node) {
                        Ok(own) if mask == 0 => {
                            list.remove(own);
                        }
                        Ok(own) => list[own].mask = mask,
                        Err(_) => {}
                    }
                }
            }
            for step in &self.left.steps[left as usize] {
                if step.from & mask == 0 {
                    continue;
                }
                let alts = cache
                    .entry(step.facts)
                    .or_insert_with(|| Rc::new(alternatives(step.facts, &self.known, self.classes)));
                let alts = Rc::clone(alts);
                for alt in alts.iter() {
                    let from = mask & step.from & alt.dom;
                    let to = step.to & alt.ran & self.allowed();
                    if from == 0 || to == 0 {
                        continue;
                    }
                    for (from, to) in self.anchored(alt.facts, from, to) {
                        for (before, after, right) in self.advance(&right, alt.facts, from, to) {
                            let anchor = if depth_zero && closed { before } else { anchor };
                            let mut mask = after;
                            let wide = self.widen(&right, &mut weaker);
                            let here = std::iter::once(&step.target).chain(&above[step.target as usize]);
                            'prune: for q in here {
                                for old in &seen[*q as usize] {
                                    if mask & old.mask != 0
                                        && anchor & !old.anchor == 0
                                        && old.signature & !wide == 0
                                        && old.right.iter().all(|p| weaker.has(*p))
                                    {
                                        mask &= !old.mask;
                                        if mask == 0 {
                                            break 'prune;
                                        }
                                    }
                                }
                            }
                            weaker.clear();
                            if mask == 0 {
                                continue;
                            }
                            let sig = signature(&right);
                            let list = &mut seen[step.target as usize];
                            let right: Rc<[u64]> = right.into();
                            bytes += right.len() * 8 + 160;
                            list.push(Seen {
                                node: nodes.len() as u32,
                                anchor,
                                mask,
                                signature: sig,
                                right: Rc::clone(&right),
                            });
                            nodes.push(Node {
                                left: step.target,
                                anchor,
                                mask,
                                right,
                                parent: at as u32,
                                facts: alt.facts,
                                before,
                            });
                        }
                    }
                }
            }
            if nodes.len() > self.limits.walks || bytes > self.limits.bytes {
                self.walks += nodes.len();
                return End::Limit;
            }
            at += 1;
        }
        self.walks += nodes.len();
        if uncovered { End::Uncovered } else { End::Covered }
    }

    fn start(&self, nodes: &mut Vec<Node>) {
        let mut anchor = self.classes.anchor_mask();
        if !self.threads {
            anchor = self.classes.forget_thread(anchor);
        }
        let anchor = anchor & self.allowed();
        if anchor == 0 {
            return;
        }
        let mut right: Vec<u64> = Vec::new();
        if self.task != Task::Words {
            let cycles = self.right.first_word.unwrap_or(self.right.states() as State);
            right.extend((0..cycles).map(|q| pair(u64::from(q), q, false)));
        }
        right.extend(self.right.initial.iter().map(|q| pair(WORD, *q, false)));
        right.sort_unstable();
        let right: Rc<[u64]> = right.into();
        for q in &self.left.initial {
            nodes.push(Node {
                left: *q,
                anchor,
                mask: anchor,
                right: Rc::clone(&right),
                parent: u32::MAX,
                facts: Facts::NONE,
                before: 0,
            });
        }
    }

    /// The events that there can be.
    fn allowed(&self) -> Mask {
        match self.task {
            Task::Words => self.thread_classes(),
            Task::ClosedWords | Task::Cycles => self.thread_classes() & !self.right.excluded,
        }
    }

    fn thread_classes(&self) -> Mask {
        if self.threads { !0 } else { !self.classes.same_thread }
    }

    /// The events at which a walk that ends here is not covered.
    fn uncovered(&self, node: &Node, depth_zero: bool) -> Option<Mask> {
        let mut mask = self.left.accepts[node.left as usize] & node.mask;
        match self.task {
            Task::Words => {}
            Task::ClosedWords | Task::Cycles => mask &= node.anchor,
        }
        if mask == 0 {
            return None;
        }
        match self.task {
            Task::Words | Task::ClosedWords => {
                for p in node.right.iter().filter(|p| **p >> 32 == WORD) {
                    mask &= !self.right.accepts[(p >> 1 & 0x7fff_ffff) as usize];
                }
                if mask != 0 && self.task == Task::ClosedWords && !depth_zero && self.closes(&node.right) {
                    return None;
                }
                (mask != 0).then_some(mask)
            }
            Task::Cycles if depth_zero => Some(mask),
            Task::Cycles => (!self.closes(&node.right)).then_some(mask),
        }
    }

    /// Whether going round for some time closes exactly one word of the right side, or several where
    /// they may repeat.
    fn closes(&self, pairs: &[u64]) -> bool {
        let of = |p: u64| ((p >> 32) as State, (p >> 1 & 0x7fff_ffff) as State, p & 1 == 1);
        for p in pairs {
            let (s, t, closed) = of(*p);
            if !closed || u64::from(s) == WORD {
                continue;
            }
            // A state that can do all that another can stands for it.
            let back = |t: State| t == s || self.right.above[s as usize].contains(&t);
            if back(t) {
                return true;
            }
            let repeats = self.right.repeats[s as usize];
            let mut reached = vec![t];
            let mut at = 0;
            while at < reached.len() {
                let here = reached[at];
                for from in std::iter::once(here).chain(self.right.below[here as usize].iter().copied()) {
                    let start = pairs.partition_point(|p| (p >> 32) < u64::from(from));
                    for p in pairs[start..].iter().take_while(|p| (**p >> 32) == u64::from(from)) {
                        let (_, next, closed) = of(*p);
                        if closed && !repeats {
                            continue;
                        }
                        if back(next) {
                            return true;
                        }
                        if !reached.contains(&next) {
                            reached.push(next);
                        }
                    }
                }
                at += 1;
            }
        }
        false
    }

    /// Splits a step by how its ends relate to the anchor.
    fn anchored(&self, facts: Facts, from: Mask, to: Mask) -> Vec<(Mask, Mask)> {
        let c = self.classes;
        let mut out = Vec::new();
        let (init, from) = (from & c.init, from & !c.init);
        for loc in [c.same_loc, !c.same_loc] {
            for thread in [c.same_thread, !c.same_thread] {
                let from = from & loc & thread;
                let thread = if self.threads { thread } else { !0 };
                if from == 0 {
                    continue;
                }
                let mut allowed = !0;
                let here = loc == c.same_loc;
                if facts.meets(Facts::LOC) {
                    allowed &= loc | c.init;
                } else if facts.meets(Facts::NOT_LOC) && here {
                    allowed &= !c.same_loc;
                }
                let mine = self.threads && thread == c.same_thread;
                if facts.meets(Facts::INT) {
                    allowed &= thread;
                } else if facts.meets(Facts::EXT) && mine {
                    allowed &= !c.same_thread;
                }
                if to & allowed != 0 {
                    out.push((from, to & allowed));
                }
            }
        }
        // Nothing is claimed of the initialising event.
        if init != 0 {
            out.push((init, to));
        }
        out
    }

    /// What the right side can do along a step: by events before and after.
    fn advance(&self, right: &[u64], facts: Facts, from: Mask, to: Mask) -> Vec<(Mask, Mask, Vec<u64>)> {
        let mut enabled: Vec<(State, CoverStep)> = Vec::new();
        let (mut cuts_from, mut cuts_to): (Vec<Mask>, Vec<Mask>) = (Vec::new(), Vec::new());
        let mut states: Vec<State> = right.iter().map(|p| (p >> 1 & 0x7fff_ffff) as State).collect();
        states.sort_unstable();
        states.dedup();
        for q in &states {
            for s in &self.right.steps[*q as usize] {
                if !facts.has(s.facts) || s.from & from == 0 || s.to & to == 0 {
                    continue;
                }
                enabled.push((*q, *s));
                for (cuts, cut, whole) in [(&mut cuts_from, s.from, from), (&mut cuts_to, s.to, to)] {
                    if cut & whole != whole && !cuts.contains(&(cut & whole)) {
                        cuts.push(cut & whole);
                    }
                }
            }
        }
        let mut out: Vec<(Mask, Mask, Vec<u64>)> = Vec::new();
        let afters = parts(to, &cuts_to);
        for before in parts(from, &cuts_from) {
            let first = out.len();
            for after in &afters {
                let set = self.image(right, &enabled, before, *after);
                match out[first..].iter_mut().find(|(_, _, old)| *old == set) {
                    Some((_, mask, _)) => *mask |= after,
                    None => out.push((before, *after, set)),
                }
            }
        }
        out
    }

    fn image(&self, right: &[u64], enabled: &[(State, CoverStep)], before: Mask, after: Mask) -> Vec<u64> {
        let mut out = Vec::new();
        for p in right {
            let (s, t, closed) = (p >> 32, (p >> 1 & 0x7fff_ffff) as State, p & 1 == 1);
            let start = enabled.partition_point(|(q, _)| *q < t);
            for (_, step) in enabled[start..].iter().take_while(|(q, _)| *q == t) {
                if step.from & before != before || step.to & after != after {
                    continue;
                }
                if closed && step.closes && !self.right.repeats[t as usize] {
                    continue;
                }
                out.push(pair(s, step.target, closed || step.closes));
            }
        }
        out.sort_unstable();
        out.dedup();
        self.thin(out)
    }

    /// Marks the pairs that are no better than one of the given ones: they go less far, or have to
    /// come back to more. Returns the signature of them all.
    fn widen(&self, right: &[u64], weaker: &mut Marks) -> u64 {
        let mut sig = 0;
        let one = |p: u64| 1u64 << (p.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        for p in right {
            let (s, t, closed) = (p >> 32, (p >> 1 & 0x7fff_ffff) as State, p & 1 == 1);
            let repeats = s != WORD && self.right.repeats[t as usize];
            let above: &[State] = if s == WORD { &[] } else { &self.right.above[s as usize] };
            for start in std::iter::once(s).chain(above.iter().map(|x| u64::from(*x))) {
                for at in std::iter::once(&t).chain(&self.right.below[t as usize]) {
                    let q = pair(start, *at, closed);
                    weaker.set(q);
                    sig |= one(q);
                    if closed && repeats {
                        weaker.set(q & !1);
                        sig |= one(q & !1);
                    }
                }
            }
        }
        sig
    }

    /// Leaves out what cannot matter: states from which the start cannot be reached again, and states
    /// beside others that can do all that they can.
    fn thin(&self, mut out: Vec<u64>) -> Vec<u64> {
        let of = |p: u64| (p >> 32, (p >> 1 & 0x7fff_ffff) as State, p & 1 == 1);
        out.retain(|p| {
            let (s, t, _) = of(*p);
            s == WORD || self.right.reaches(t, s as State)
        });
        if self.right.above.is_empty() {
            return out;
        }
        let mut kept: Vec<u64> = Vec::with_capacity(out.len());
        for (i, p) in out.iter().enumerate() {
            let (s, t, closed) = of(*p);
            // Where words may repeat, having closed one is no worse than not.
            let repeats = s != WORD && self.right.repeats[t as usize];
            let same_start = |q: &&u64| **q >> 32 == s;
            let others = out[..i]
                .iter()
                .rev()
                .take_while(same_start)
                .chain(out[i + 1..].iter().take_while(same_start));
            let mut worse = false;
            for q in others {
                let (_, u, other_closed) = of(*q);
                if other_closed != closed && !(repeats && other_closed) {
                    continue;
                }
                let above = u == t || self.right.is_above(t, u);
                // Of two that are alike, the first stays.
                let alike = other_closed == closed && (u == t || self.right.is_above(u, t));
                if above && !(alike && q > p) {
                    worse = true;
                    break;
                }
            }
            if !worse {
                kept.push(*p);
            }
        }
        kept
    }

    /// The walk that led to a node and ends at one of the events of `mask`.
    fn walk(&self, nodes: &[Node], at: usize, mask: Mask) -> Walk {
        let last = mask & mask.wrapping_neg();
        let mut events = vec![last];
        let mut facts = Vec::new();
        let mut node = &nodes[at];
        while node.parent != u32::MAX {
            facts.push(node.facts);
            // A class that the step can have been taken from; of a closed walk, the first is the last.
            let first = nodes[node.parent as usize].parent == u32::MAX && self.task != Task::Words;
            let before = if first { last } else { node.before };
            events.push(before & before.wrapping_neg());
            node = &nodes[node.parent as usize];
        }
        events.reverse();
        facts.reverse();
        Walk { events, facts, closed: self.task != Task::Words }
    }
}
