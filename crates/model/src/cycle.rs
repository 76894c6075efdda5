//! Acyclicity and irreflexivity as searches of the product of graph and automaton (thesis §4.2).
//!
//! The automaton reads the letters of a cycle. A state says which letter was read last; a move is a
//! test on the event where we are and a letter to the next event. A move that ends one word of the
//! term and begins the next is a *turn*. A cycle violates `acyclic t` if it makes at least one turn,
//! and `irreflexive t` if it makes exactly one.
//!
//! The graph was consistent before its last event was added, so only cycles through that event are
//! looked for (`search`); and an event that was added maximally has no step that leads out of it.

use crate::classes::Classes;
use crate::direct::Direct;
use crate::glushkov::Positions;
use crate::guard::{Guard, Test};
use crate::interleaving;
use crate::letter::{Base, Letter};
use selvedge_graph::Attrs;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Move {
    letter: Letter,
    to: usize,
    turn: bool,
    guard: Guard,
}

/// A move made for being tried often.
#[derive(Clone, Debug)]
pub struct CycleStep {
    pub letter: Letter,
    /// The same by its number.
    pub number: usize,
    pub to: usize,
    pub turn: bool,
    test: Test,
}

/// A compiled `acyclic` or `irreflexive` constraint.
#[derive(Clone, Debug)]
pub struct CycleCheck {
    /// Moves by state.
    moves: Vec<Vec<Move>>,
    /// The same for searches.
    steps: Vec<Vec<CycleStep>>,
    /// The letters of all moves, each once.
    letters: Vec<Letter>,
    /// Copies have the same; others have not.
    id: u64,
    /// Any number of turns (acyclic), or exactly one (irreflexive).
    pub(crate) repeat: bool,
    /// Any number of turns will do, and every closed walk makes one.
    pub(crate) turns: bool,
    /// Every word passes an event with this attribute: without one there is nothing to check.
    pub needs: Option<Attrs>,
    /// Acyclicity of a plain relation that contains causal order: whatever leads to an event in the
    /// causal past of another leads to that one.
    pub(crate) plain: bool,
    /// This relation is all that sequential consistency is made of.
    pub(crate) interleaving: bool,
    /// Of which events a cycle needs no search.
    pub(crate) direct: Option<Direct>,
}

/// Automata with more states than this are refused: states are kept in one machine word.
pub const MAX_STATES: usize = 64;

impl CycleCheck {
    /// The check of a term, for programs that have no events but those of `classes`.
    pub fn new(positions: &Positions, repeat: bool, classes: Option<&Classes>) -> CycleCheck {
        let direct = repeat.then(|| Direct::of(positions)).flatten();
        let simpler = classes.map(|classes| classes.simplify(positions));
        let positions = simpler.as_ref().unwrap_or(positions);
        let n = positions.letters.len();
        let mut moves: Vec<Vec<Move>> = vec![Vec::new(); n];
        for (p, guard, q) in &positions.follow {
            moves[*p].push(Move { letter: positions.letters[*q], to: *q, turn: false, guard: guard.clone() });
        }
        for (p, end) in &positions.last {
            for (begin, q) in &positions.first {
                let mut guard = end.and(begin);
                if let Some(classes) = classes {
                    let letter = |q: usize| Some(positions.letters[q]);
                    guard = classes.between(&guard, letter(*p), letter(*q));
                }
                if !guard.is_never() {
                    moves[*p].push(Move { letter: positions.letters[*q], to: *q, turn: true, guard });
                }
            }
        }
        static IDS: AtomicU64 = AtomicU64::new(0);
        let mut check = CycleCheck {
            moves,
            steps: Vec::new(),
            letters: Vec::new(),
            id: IDS.fetch_add(1, Ordering::Relaxed),
            repeat,
            turns: false,
            needs: None,
            plain: false,
            interleaving: false,
            direct,
        };
        if classes.is_some() {
            check.trim();
        }
        check.reduce();
        check.needs = check.needed_attribute();
        check.shorten();
        check.plain = check.is_plain();
        check.turns = repeat && check.always_turns();
        check.letters = check.moves.iter().flatten().map(|m| m.letter).collect();
        check.letters.sort();
        check.letters.dedup();
        check.interleaving = check.plain && interleaving::is_interleaving(check.letters.iter().copied());
        let number = |letter: Letter| check.letters.partition_point(|l| *l < letter);
        let step = |m: &Move| CycleStep {
            letter: m.letter,
            number: number(m.letter),
            to: m.to,
            turn: m.turn,
            test: Test::of(&m.guard),
        };
        check.steps = check.moves.iter().map(|moves| moves.iter().map(step).collect()).collect();
        check
    }

    /// Whether it looks at the clocks of this slot.
    pub(crate) fn asks(&self, slot: usize) -> bool {
        self.letters.iter().any(|letter| letter.asks(slot))
            || self.direct.as_ref().is_some_and(|direct| direct.slot() == slot)
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The moves from events with these attributes, each with the state that it leaves.
    pub fn moves_at(&self, attrs: Attrs) -> impl Iterator<Item = (usize, &CycleStep)> {
        let all = self.steps.iter().enumerate().flat_map(|(s, steps)| steps.iter().map(move |m| (s, m)));
        all.filter(move |(_, m)| m.test.holds(attrs))
    }

    /// The moves from a state.
    pub(crate) fn steps_of(&self, state: usize) -> &[CycleStep] {
        &self.steps[state]
    }

    /// The letters by which a state is entered.
    pub(crate) fn letters_into(&self, state: usize) -> impl Iterator<Item = Letter> {
        self.moves.iter().flatten().filter(move |m| m.to == state).map(|m| m.letter)
    }

    pub fn states(&self) -> usize {
        self.moves.len()
    }

    /// Whether no cycle can violate the constraint because its steps all go along `po`, `rf` and
    /// thread creation, which the explorer keeps acyclic by construction.
    pub fn is_causal(&self) -> bool {
        self.moves.iter().flatten().all(|m| m.letter.is_within_causal())
    }

    /// Whether every closed walk makes a turn: moves without one that lead in a circle all go along causal
    /// order, or all from writes to writes that are later in coherence and to their readers, and there is no
    /// circle in either.
    fn always_turns(&self) -> bool {
        let reach = self.reach(|m| !m.turn);
        (0..self.moves.len()).all(|p| {
            let here = |q: usize| q == p || (reach[p][q] && reach[q][p]);
            let states = (0..self.moves.len()).filter(|q| here(*q));
            let circle = states.flat_map(|q| &self.moves[q]).filter(|m| !m.turn && here(m.to));
            let circle: Vec<Letter> = circle.map(|m| m.letter).collect();
            circle.iter().all(|l| l.is_within_causal()) || circle.iter().all(|l| l.is_communication())
        })
    }

    /// Drops moves that are on no cycle with a turn, and the states that have no moves then.
    fn trim(&mut self) {
        let n = self.moves.len();
        let reach = self.reach(|_| true);
        let back = |p: usize, m: &Move| m.to == p || reach[m.to][p];
        let mut turns: Vec<bool> =
            (0..n).map(|p| self.moves[p].iter().any(|m| m.turn && back(p, m))).collect();
        turns = (0..n).map(|p| turns[p] || (0..n).any(|q| turns[q] && reach[p][q] && reach[q][p])).collect();
        let mut moves: Vec<Vec<Move>> = std::mem::take(&mut self.moves);
        for (p, moves) in moves.iter_mut().enumerate() {
            moves.retain(|m| turns[p] && back(p, m));
        }
        let kept: Vec<usize> = (0..n).filter(|p| !moves[*p].is_empty()).collect();
        let number = |p: usize| kept.iter().position(|k| *k == p);
        self.moves = kept
            .iter()
            .map(|p| moves[*p].iter().filter_map(|m| Some(Move { to: number(m.to)?, ..m.clone() })).collect())
            .collect();
    }

    /// Which states can be reached from which by moves of this kind.
    fn reach(&self, open: impl Fn(&Move) -> bool) -> Vec<Vec<bool>> {
        let n = self.moves.len();
        let mut reach = vec![vec![false; n]; n];
        for (s, row) in reach.iter_mut().enumerate() {
            let mut stack = vec![s];
            while let Some(p) = stack.pop() {
                for m in self.moves[p].iter().filter(|m| open(m)) {
                    if !row[m.to] {
                        row[m.to] = true;
                        stack.push(m.to);
                    }
                }
            }
        }
        reach
    }

    /// Merges states that have the very same moves, until there are no two. Most go here, and quickly.
    fn merge_alike(&mut self) {
        loop {
            for moves in &mut self.moves {
                *moves = tidy(std::mem::take(moves), self.repeat);
            }
            let first = |s: usize| self.moves[..s].iter().position(|m| *m == self.moves[s]).unwrap_or(s);
            let alike: Vec<usize> = (0..self.moves.len()).map(first).collect();
            let kept: Vec<usize> = (0..self.moves.len()).filter(|s| alike[*s] == *s).collect();
            if kept.len() == self.moves.len() {
                return;
            }
            let number = |s: usize| kept.partition_point(|k| *k < alike[s]);
            let moves = |s: &usize| self.moves[*s].iter().map(|m| Move { to: number(m.to), ..m.clone() });
            self.moves = kept.iter().map(|s| moves(s).collect()).collect();
        }
    }

    /// Merges states that have the same moves, until nothing changes.
    fn reduce(&mut self) {
        loop {
            self.merge_alike();
            let mut class: Vec<usize> = Vec::new();
            let mut reps: Vec<usize> = Vec::new();
            // Coarsest partition in which equal classes have equal moves.
            let mut of: Vec<usize> = vec![0; self.moves.len()];
            loop {
                let signature = |s: usize| -> Vec<Move> {
                    let moves = self.moves[s].iter().map(|m| Move { to: of[m.to], ..m.clone() }).collect();
                    tidy(moves, self.repeat)
                };
                let mut known: Vec<Vec<Move>> = Vec::new();
                let mut next = Vec::with_capacity(of.len());
                for s in 0..self.moves.len() {
                    let sig = signature(s);
                    // Split classes, never join them again.
                    let at = known
                        .iter()
                        .enumerate()
                        .position(|(i, k)| *k == sig && of[reps_of(&next, i)] == of[s])
                        .unwrap_or_else(|| {
                            known.push(sig);
                            known.len() - 1
                        });
                    next.push(at);
                }
                if next == of {
                    break;
                }
                of = next;
            }
            let count = of.iter().max().map_or(0, |m| m + 1);
            if count == self.moves.len() {
                return;
            }
            for c in 0..count {
                reps.push(of.iter().position(|x| *x == c).expect("every class has a member"));
            }
            class.extend(&of);
            self.moves = reps
                .iter()
                .map(|r| self.moves[*r].iter().map(|m| Move { to: class[m.to], ..m.clone() }).collect())
                .collect();
        }
    }

    /// Where coherence steps can be repeated without leaving the state, a step to the neighbour is
    /// enough; likewise for the coherence part of from-read.
    fn shorten(&mut self) {
        let co = Letter::plain(Base::Co);
        let loops: Vec<bool> = (0..self.moves.len())
            .map(|s| {
                self.moves[s]
                    .iter()
                    .any(|m| m.letter == co && m.to == s && m.guard.is_always() && (self.repeat || !m.turn))
            })
            .collect();
        for m in self.moves.iter_mut().flatten() {
            if loops[m.to] {
                if m.letter == co {
                    m.letter = Letter::plain(Base::CoImm);
                } else if m.letter == Letter::plain(Base::Fr) {
                    m.letter = Letter::plain(Base::FrImm);
                }
            }
        }
    }

    fn is_plain(&self) -> bool {
        let has = |b| self.moves[0].iter().any(|m| m.turn && m.letter == Letter::plain(b));
        self.repeat
            && self.moves.len() == 1
            && self.moves[0].iter().all(|m| m.guard.is_always())
            && [Base::PoImm, Base::Rf, Base::Tc, Base::Tj].into_iter().all(has)
    }

    /// An attribute such that no accepted cycle avoids events that have it.
    fn needed_attribute(&self) -> Option<Attrs> {
        let mentioned = self.moves.iter().flatten().fold(0, |all, m| all | m.guard.mentions().0);
        worth_counting(Attrs(mentioned)).find(|a| self.needs_attribute(*a))
    }

    /// Whether every accepted cycle passes an event that has this attribute: without the moves that
    /// need it, no turn lies on a cycle.
    pub fn needs_attribute(&self, attr: Attrs) -> bool {
        let open = |m: &Move| !m.guard.requires(attr);
        let reach = self.reach(open);
        let closes = |p: usize, m: &Move| open(m) && m.turn && (m.to == p || reach[m.to][p]);
        !(0..self.moves.len()).any(|p| self.moves[p].iter().any(|m| closes(p, m)))
    }

    /// Whether it asks for an interleaving.
    pub fn is_interleaving(&self) -> bool {
        self.interleaving
    }

    /// An attribute that some event on every word of a term has. A word closed to a cycle by one more
    /// step, without a test, has it exactly if the word does.
    pub fn of_words(positions: &Positions) -> Option<Attrs> {
        let mentioned = positions
            .first
            .iter()
            .map(|(g, _)| g)
            .chain(positions.last.iter().map(|(_, g)| g))
            .chain(positions.follow.iter().map(|(_, g, _)| g))
            .fold(positions.empty.mentions().0, |all, g| all | g.mentions().0);
        worth_counting(Attrs(mentioned)).find(|a| {
            if !positions.empty.requires(*a) {
                return false;
            }
            let open = |g: &Guard| !g.requires(*a);
            let mut reached: Vec<usize> =
                positions.first.iter().filter(|(g, _)| open(g)).map(|(_, q)| *q).collect();
            let mut at = 0;
            while at < reached.len() {
                let p = reached[at];
                at += 1;
                for (from, g, to) in &positions.follow {
                    if *from == p && open(g) && !reached.contains(to) {
                        reached.push(*to);
                    }
                }
            }
            !positions.last.iter().any(|(p, g)| reached.contains(p) && open(g))
        })
    }
}

/// Attributes that are rare enough for counting their events to pay.
fn worth_counting(mentioned: Attrs) -> impl Iterator<Item = Attrs> {
    let common = Attrs::R | Attrs::W | Attrs::ACQ | Attrs::REL;
    let worth = mentioned.minus(common).0;
    (0..32).map(|i| Attrs(1 << i)).filter(move |a| worth & a.0 != 0)
}

fn reps_of(classes: &[usize], class: usize) -> usize {
    classes.iter().position(|c| *c == class).unwrap_or(0)
}

/// Joins moves that differ in their guard only. Where any number of turns is allowed, a move without
/// a turn is not needed beside the same move with one. The result is sorted.
fn tidy(moves: Vec<Move>, repeat: bool) -> Vec<Move> {
    let mut out: Vec<Move> = Vec::new();
    for m in moves {
        match out.iter_mut().find(|o| o.letter == m.letter && o.to == m.to && o.turn == m.turn) {
            Some(o) => o.guard = o.guard.or(&m.guard),
            None => out.push(m),
        }
    }
    if repeat {
        let (turns, mut others): (Vec<Move>, Vec<Move>) = out.into_iter().partition(|m| m.turn);
        others.retain(|m| {
            !turns.iter().any(|t| t.letter == m.letter && t.to == m.to && t.guard.or(&m.guard) == t.guard)
        });
        out = turns;
        out.append(&mut others);
    }
    out.sort_unstable();
    out
}
