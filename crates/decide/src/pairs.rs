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

pub fn signature(set: &[u64]) -> u64 {
    set.iter().fold(0, |sig, x| sig | 1 << (x.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58))
}

/// A set of pairs of states that is filled and emptied again and again.
pub struct Marks {
    bits: Vec<u64>,
    states: u64,
    touched: Vec<usize>,
}

impl Marks {
    pub fn new(states: usize) -> Marks {
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

    pub fn has(&self, p: u64) -> bool {
        let at = self.at(p);
        self.bits[at as usize / 64] >> (at % 64) & 1 == 1
    }

    pub fn clear(&mut self) {
        for word in self.touched.drain(..) {
            self.bits[word] = 0;
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

    pub fn image(&self, right: &[u64], enabled: &[(State, CoverStep)], before: Mask, after: Mask) -> Vec<u64> {
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
        let one = |p: u64| 1u64 << (p.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        for p in right {
            let (s, t, closed) = of(*p);
            let repeats = s != WORD && self.repeats[t as usize];
            let above: &[State] = if s == WORD { &[] } else { &self.above[s as usize] };
            for start in std::iter::once(s).chain(above.iter().map(|x| u64::from(*x))) {
                for at in std::iter::once(&t).chain(&self.below[t as usize]) {
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
        out.retain(|p| {
            let (s, t, _) = of(*p);
            s == WORD || self.reaches(t, s as State)
        });
        let mut kept: Vec<u64> = Vec::with_capacity(out.len());
        for (i, p) in out.iter().enumerate() {
            let (s, t, closed) = of(*p);
            // Where words may repeat, having closed one is no worse than not.
            let repeats = s != WORD && self.repeats[t as usize];
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
                let above = u == t || self.is_above(t, u);
                // Of two that are alike, the first stays.
                let alike = other_closed == closed && (u == t || self.is_above(u, t));
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
}
