//! What the right side can have done along a walk, as pairs of states: where it was when the walk
//! started, and where it is; and whether a cycle was closed in between.

use crate::class::Mask;
use crate::cover::{Cover, CoverStep};
use crate::nfa::State;
use crate::search::Walk;

/// In place of the state that the right side started in: it started a word with the walk.
pub const WORD: u64 = 0x7fff_ffff;

pub fn pair(s: u64, t: State, closed: bool) -> u64 {
    s << 32 | u64::from(t) << 1 | u64::from(closed)
}

/// Says of a set of pairs that it cannot be inside of another one.
pub fn signature(set: &[u64]) -> u64 {
    set.iter().fold(0, |sig, p| sig | 1 << (present(*p) % 64))
}

/// A set of pairs of states that is filled and emptied again and again: a row of bits for each start,
/// without and with a word closed.
pub struct Marks {
    bits: Vec<u64>,
    states: usize,
    words: usize,
    touched: Vec<usize>,
}

impl Marks {
    pub fn new(states: usize) -> Marks {
        let words = states.div_ceil(64);
        Marks { bits: vec![0; (states + 1) * 2 * words], states, words, touched: Vec::new() }
    }

    fn row(&self, start: u64, closed: bool) -> usize {
        ((start as usize).min(self.states) * 2 + usize::from(closed)) * self.words
    }

    fn set(&mut self, start: u64, closed: bool, states: &[u64]) {
        let row = self.row(start, closed);
        self.touched.push(row);
        self.bits[row..row + self.words].iter_mut().zip(states).for_each(|(a, b)| *a |= b);
    }

    pub fn has(&self, p: u64) -> bool {
        let (start, t, closed) = of(p);
        self.bits[self.row(start, closed) + t as usize / 64] >> (t % 64) & 1 == 1
    }

    pub fn clear(&mut self) {
        for row in self.touched.drain(..) {
            self.bits[row..row + self.words].fill(0);
        }
    }
}

/// Start, present state, whether closed.
fn of(p: u64) -> (u64, State, bool) {
    (p >> 32, (p >> 1 & 0x7fff_ffff) as State, p & 1 == 1)
}

/// The present state of a pair.
pub fn present(p: u64) -> State {
    (p >> 1 & 0x7fff_ffff) as State
}

impl Cover {
    /// Whether going round for some time closes exactly one word of the right side, or several where
    /// they may repeat.
    pub fn closes(&self, pairs: &[u64]) -> bool {
        pairs.iter().any(|p| self.closed_by(pairs, *p).is_some())
    }

    /// The states that going round starts in, if it starts with this pair and closes a word.
    fn closed_by(&self, pairs: &[u64], first: u64) -> Option<Vec<State>> {
        let (s, t, closed) = of(first);
        if !closed || s == WORD {
            return None;
        }
        let s = s as State;
        // A state that can do all that another can stands for it.
        let back = |t: State| t == s || self.is_above(s, t);
        if back(t) {
            return Some(vec![s]);
        }
        let repeats = self.repeats[s as usize];
        // States that are reached, from which one, and where the round started.
        let mut reached: Vec<(State, usize, State)> = vec![(t, usize::MAX, s)];
        let mut at = 0;
        while at < reached.len() {
            let here = reached[at].0;
            for from in std::iter::once(here).chain(self.below[here as usize].iter().copied()) {
                let start = pairs.partition_point(|p| (p >> 32) < u64::from(from));
                for p in pairs[start..].iter().take_while(|p| (**p >> 32) == u64::from(from)) {
                    let (_, next, closed) = of(*p);
                    if closed && !repeats {
                        continue;
                    }
                    if back(next) {
                        let mut starts = vec![from];
                        let mut i = at;
                        while i != usize::MAX {
                            starts.push(reached[i].2);
                            i = reached[i].1;
                        }
                        starts.sort_unstable();
                        starts.dedup();
                        return Some(starts);
                    }
                    if !reached.iter().any(|(q, ..)| *q == next) {
                        reached.push((next, at, from));
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// The sets of states of which one has to be started in to cover a closed walk.
    pub fn starts_for(&self, walk: &Walk) -> Vec<Vec<State>> {
        let anywhere = (0..self.states()).filter(|q| self.cyclic[*q]);
        let mut pairs: Vec<u64> = anywhere.map(|q| pair(q as u64, q as State, false)).collect();
        for (i, facts) in walk.facts.iter().enumerate() {
            let (before, after) = (walk.events[i], walk.events[i + 1]);
            let mut next = Vec::new();
            for p in &pairs {
                let (s, t, closed) = of(*p);
                for step in &self.steps[t as usize] {
                    let taken = facts.has(step.facts) && before & !step.from == 0 && after & !step.to == 0;
                    if taken && !(closed && step.closes && !self.repeats[t as usize]) {
                        next.push(pair(s, step.target, closed || step.closes));
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            next.retain(|p| self.reaches(present(*p), (p >> 32) as State));
            pairs = next;
        }
        let mut found: Vec<Vec<State>> = pairs.iter().filter_map(|p| self.closed_by(&pairs, *p)).collect();
        found.sort_by_key(|starts| starts.len());
        found.dedup();
        found
    }

    pub fn image(
        &self,
        right: &[u64],
        enabled: &[(State, CoverStep)],
        before: Mask,
        after: Mask,
    ) -> Vec<u64> {
        let mut out = Vec::new();
        for p in right {
            let (s, t, closed) = of(*p);
            let start = enabled.partition_point(|(q, _)| *q < t);
            for (_, step) in enabled[start..].iter().take_while(|(q, _)| *q == t) {
                if step.from & before != before || step.to & after != after {
                    continue;
                }
                if closed && step.closes && !self.repeats[t as usize] {
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
    pub fn widen(&self, right: &[u64], weaker: &mut Marks) -> u64 {
        let mut sig = 0;
        for p in right {
            let (s, t, closed) = of(*p);
            let repeats = s != WORD && self.repeats[t as usize];
            let above: &[State] = if s == WORD { &[] } else { &self.above[s as usize] };
            let row = self.below_row(t);
            sig |= row.iter().fold(0, |a, b| a | b);
            let started = above.iter().filter(|x| self.starts[**x as usize]).map(|x| u64::from(*x));
            for start in std::iter::once(s).chain(started) {
                weaker.set(start, closed, row);
                if closed && repeats {
                    weaker.set(start, false, row);
                }
            }
        }
        sig
    }

    /// Leaves out what cannot matter: states from which the start cannot be reached again, and states
    /// beside others that can do all that they can.
    fn thin(&self, mut out: Vec<u64>) -> Vec<u64> {
        out.retain(|p| {
            let (s, t, _) = of(*p);
            s == WORD || self.reaches(t, s as State)
        });
        let words = self.states().div_ceil(64);
        // What is reached from one start, without and with a word closed.
        let (mut open, mut closed) = (vec![0u64; words], vec![0u64; words]);
        let mut kept: Vec<u64> = Vec::with_capacity(out.len());
        for group in out.chunk_by(|p, q| p >> 32 == q >> 32) {
            open.fill(0);
            closed.fill(0);
            for p in group {
                let (_, t, is_closed) = of(*p);
                let set = if is_closed { &mut closed } else { &mut open };
                set[t as usize / 64] |= 1 << (t % 64);
            }
            kept.extend(group.iter().filter(|p| {
                let (s, t, is_closed) = of(**p);
                if is_closed {
                    return !self.has_better(t, &closed);
                }
                // Where words may repeat, having closed one is no worse than not.
                let repeats = s != WORD && self.repeats[t as usize];
                !(self.has_better(t, &open) || repeats && self.has_above(t, &closed))
            }));
        }
        kept
    }
}
