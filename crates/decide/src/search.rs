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
use crate::cover::{Cover, CoverStep};
use crate::fact::{Alternative, Facts, Known, alternatives};
use crate::nfa::{Nfa, State};
use crate::pairs::{Marks, WORD, pair, present, signature};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

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
    /// Only events that programs in C have: no barriers and exclusive accesses of architectures.
    pub c_only: bool,
    /// How many of the ways to a proof to try, from cheap to expensive.
    pub levels: usize,
    /// Walks without a proof to look for executions in, per search.
    pub attempts: usize,
}

impl Limits {
    /// For questions that are asked before a program is explored: no more than what takes well under a
    /// second, and nobody looks at counterexamples.
    pub fn for_loading() -> Limits {
        Limits { states: 1_000, walks: 50_000, bytes: 64 << 20, levels: 1, attempts: 0, ..Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 4_000, walks: 3_000_000, bytes: 800 << 20, c_only: false, levels: 3, attempts: 24 }
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
                let wide = self.right.widen(&right, &mut weaker);
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
                            let wide = self.right.widen(&right, &mut weaker);
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
            let starts = (0..self.right.states()).filter(|q| self.right.starts[*q]);
            right.extend(starts.map(|q| pair(q as u64, q as State, false)));
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
                    mask &= !self.right.accepts[present(*p) as usize];
                }
                if mask != 0
                    && self.task == Task::ClosedWords
                    && !depth_zero
                    && self.right.closes(&node.right)
                {
                    return None;
                }
                (mask != 0).then_some(mask)
            }
            Task::Cycles if depth_zero => Some(mask),
            Task::Cycles => (!self.right.closes(&node.right)).then_some(mask),
        }
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
        let mut states: Vec<State> = right.iter().map(|p| present(*p)).collect();
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
                let set = self.right.image(right, &enabled, before, *after);
                match out[first..].iter_mut().find(|(_, _, old)| *old == set) {
                    Some((_, mask, _)) => *mask |= after,
                    None => out.push((before, *after, set)),
                }
            }
        }
        out
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
