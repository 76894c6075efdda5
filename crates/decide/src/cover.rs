//! The right side of a question: the cycles of constraints, or the words of a relation.

use crate::class::Mask;
use crate::fact::Facts;
use crate::nfa::{Nfa, State, Step};
use crate::simulation::{Move, simulation};

/// A step of the right side.
#[derive(Clone, Copy, Debug)]
pub struct CoverStep {
    pub from: Mask,
    pub facts: Facts,
    pub to: Mask,
    pub target: State,
    /// A word of the right side ends and another one starts at the second event.
    pub closes: bool,
}

/// One automaton of a right side.
#[derive(Clone, Debug)]
pub struct Part {
    steps: Vec<Vec<CoverStep>>,
    accepts: Vec<Mask>,
    initial: Vec<State>,
    words: bool,
    repeats: bool,
    excluded: Mask,
    /// The states that can do all that a state can.
    above: Vec<Vec<State>>,
}

impl Part {
    fn simulated(mut self) -> Part {
        let of =
            |s: &CoverStep| Move { from: s.from, facts: s.facts, to: s.to, target: s.target, tag: s.closes };
        let moves: Vec<Vec<Move>> = self.steps.iter().map(|steps| steps.iter().map(of).collect()).collect();
        self.above = simulation(&moves, &self.accepts);
        self
    }

    /// The words of an automaton.
    pub fn words(nfa: &Nfa) -> Part {
        let step =
            |s: &Step| CoverStep { from: s.from, facts: s.facts, to: s.to, target: s.target, closes: false };
        Part {
            steps: nfa.steps.iter().map(|steps| steps.iter().map(step).collect()).collect(),
            accepts: nfa.accepts.clone(),
            initial: nfa.initial.clone(),
            words: true,
            repeats: false,
            excluded: 0,
            above: Vec::new(),
        }
        .simulated()
    }

    /// The cycles whose words are those of an automaton, or (`repeats`) sequences of its words.
    pub fn cycles(nfa: &Nfa, repeats: bool) -> Part {
        let excluded = nfa.initial.iter().fold(0, |m, q| m | nfa.accepts[*q as usize]);
        let repeated = nfa.steps.iter().flatten().any(|s| s.closes);
        let mut all = Vec::new();
        for steps in &nfa.steps {
            let mut out = Vec::new();
            for s in steps {
                let step =
                    CoverStep { from: s.from, facts: s.facts, to: s.to, target: s.target, closes: s.closes };
                if !nfa.steps[s.target as usize].is_empty() {
                    out.push(step);
                }
                let end = s.to & nfa.accepts[s.target as usize];
                if end != 0 && !repeated {
                    for q in &nfa.initial {
                        out.push(CoverStep { to: end, target: *q, closes: true, ..step });
                    }
                }
            }
            all.push(out);
        }
        let accepts = vec![0; all.len()];
        let part =
            Part { steps: all, accepts, initial: vec![], words: false, repeats, excluded, above: vec![] };
        part.simulated()
    }

    pub fn states(&self) -> usize {
        self.steps.len()
    }
}

/// The right side of a question.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    pub steps: Vec<Vec<CoverStep>>,
    pub accepts: Vec<Mask>,
    /// Where words start.
    pub initial: Vec<State>,
    /// Of states of cycles: whether a walk may start when the right side is there. Few such states
    /// make a search fast, and those that are needed are found from walks that are not covered.
    pub starts: Vec<bool>,
    /// Of states of acyclic relations: a cycle may consist of several words.
    pub repeats: Vec<bool>,
    /// Events that the constraints exclude as such: they are related to themselves by no step.
    pub excluded: Mask,
    /// Of states of cycles, not words.
    pub cyclic: Vec<bool>,
    /// The states that can do all that a state can.
    pub above: Vec<Vec<State>>,
    /// The same as a matrix of bits.
    above_bits: Vec<u64>,
    /// The same without those that are alike and come later: beside these, a state is not needed.
    better_bits: Vec<u64>,
    /// The states that a state can do all of.
    pub below: Vec<Vec<State>>,
    /// The same with the state itself, as a matrix of bits.
    below_bits: Vec<u64>,
    /// `returns[t * words + s / 64]`, bit `s`: from `t` one can come to `s`, or a state above it.
    returns: Vec<u64>,
}

impl Cover {
    pub fn add(&mut self, part: &Part) {
        let base = self.steps.len() as State;
        let shift = |s: &CoverStep| CoverStep { target: s.target + base, ..*s };
        self.steps.extend(part.steps.iter().map(|steps| steps.iter().map(shift).collect()));
        self.accepts.extend(&part.accepts);
        self.initial.extend(part.initial.iter().map(|q| q + base));
        self.excluded |= part.excluded;
        let n = part.states();
        self.starts.extend(vec![false; n]);
        self.repeats.extend(vec![part.repeats; n]);
        self.cyclic.extend(vec![!part.words; n]);
        self.above.extend(part.above.iter().map(|list| list.iter().map(|q| q + base).collect()));
        self.index();
    }

    /// Lets walks start anywhere.
    pub fn start_anywhere(&mut self) {
        self.starts.clone_from(&self.cyclic);
    }

    fn index(&mut self) {
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
        let mut better = self.above_bits.clone();
        for t in 0..n as State {
            for u in self.above[t as usize].iter().filter(|u| **u > t && self.is_above(**u, t)) {
                better[t as usize * words + *u as usize / 64] &= !(1 << (u % 64));
            }
        }
        self.better_bits = better;
        self.below_bits = vec![0; n * words];
        for t in 0..n {
            for u in self.below[t].iter().chain([&(t as State)]) {
                self.below_bits[t * words + *u as usize / 64] |= 1 << (u % 64);
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

    /// Whether one of a set of states makes `t` superfluous.
    pub fn has_better(&self, t: State, set: &[u64]) -> bool {
        let words = self.states().div_ceil(64);
        let row = &self.better_bits[t as usize * words..][..words];
        row.iter().zip(set).any(|(a, b)| a & b != 0)
    }

    /// Whether one of a set of states can do all that `t` can.
    pub fn has_above(&self, t: State, set: &[u64]) -> bool {
        let words = self.states().div_ceil(64);
        let row = &self.above_bits[t as usize * words..][..words];
        set[t as usize / 64] >> (t % 64) & 1 == 1 || row.iter().zip(set).any(|(a, b)| a & b != 0)
    }

    /// The states that `t` can do all of, and itself.
    pub fn below_row(&self, t: State) -> &[u64] {
        let words = self.states().div_ceil(64);
        &self.below_bits[t as usize * words..][..words]
    }

    /// Whether `u` can do all that `t` can.
    pub fn is_above(&self, t: State, u: State) -> bool {
        let words = self.states().div_ceil(64);
        self.above_bits[t as usize * words + u as usize / 64] >> (u % 64) & 1 == 1
    }

    pub fn reaches(&self, t: State, s: State) -> bool {
        let words = self.states().div_ceil(64);
        self.returns[t as usize * words + s as usize / 64] >> (s % 64) & 1 == 1
    }

    pub fn states(&self) -> usize {
        self.steps.len()
    }
}
