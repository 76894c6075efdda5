//! The moves of an automaton, for all its states at once.
//!
//! A search of graph and automaton comes to most events in many states, and most of them go on by the same
//! letters. So an event is left in all its states together: a row says, for the events with some attributes,
//! which states each letter leads to from each state.

use crate::classes::{may_end, may_start};
use crate::cycle::CycleCheck;
use selvedge_graph::Attrs;

/// How many rows can be found at once; a power of two.
const SLOTS: usize = 64;

/// The rows of one automaton, made when they are asked for.
#[derive(Clone, Debug)]
pub struct Table {
    /// `CycleCheck::id` of the automaton.
    pub of: u64,
    rows: Vec<Row>,
    /// By hash of the attributes, the row that was used last.
    slots: [u16; SLOTS],
}

#[derive(Clone, Debug)]
pub struct Row {
    attrs: Attrs,
    /// States that some letter leads on from.
    open: u64,
    /// States that some letter leads to, at such events.
    pub entered: u64,
    /// All moves.
    pub any: Moves,
    /// Those that are no turns.
    pub straight: Moves,
    pub turns: Moves,
    /// Letters of some move.
    live: Vec<u16>,
    /// States that no letter leads on from.
    pub stuck: u64,
    /// By state, those that lead to no more than it does.
    covers: Vec<u64>,
}

/// By state, then by letter: a set of states.
#[derive(Clone, Debug)]
pub struct Moves(Box<[u64]>);

impl Row {
    fn new(check: &CycleCheck, attrs: Attrs) -> Row {
        let letters = check.letters().len();
        let none = || Moves(vec![0; check.states() * letters].into_boxed_slice());
        let entered = |s: &usize| check.letters_into(*s).any(|l| may_end(l, attrs));
        let entered = (0..check.states()).filter(entered).fold(0, |all, s| all | 1 << s);
        let (any, straight, turns) = (none(), none(), none());
        let (live, covers) = (Vec::new(), Vec::new());
        let mut row = Row { attrs, open: 0, entered, any, straight, turns, live, stuck: 0, covers };
        for (state, m) in check.moves_at(attrs).filter(|(_, m)| may_start(m.letter, attrs)) {
            let at = state * letters + m.number;
            row.open |= 1 << state;
            row.any.0[at] |= 1 << m.to;
            let some = if m.turn { &mut row.turns } else { &mut row.straight };
            some.0[at] |= 1 << m.to;
        }
        let from = |s: usize| &row.any.0[s * letters..(s + 1) * letters];
        let covers = |s: usize, t: usize| from(s).iter().zip(from(t)).all(|(s, t)| t & !s == 0);
        let states = 0..check.states();
        let live = (0..letters).filter(|l| states.clone().any(|s| from(s)[*l] != 0)).map(|l| l as u16);
        let covered = |s| states.clone().filter(|t| covers(s, *t)).fold(0, |all, t| all | 1 << t);
        (row.live, row.covers) = (live.collect(), states.clone().map(covered).collect());
        row.stuck = !row.open;
        row
    }

    /// Lists the letters that lead on from some states, with the states that they lead to.
    #[inline]
    pub fn steps(&self, states: u64, steps: &mut Vec<(u16, u64)>) {
        steps.clear();
        let letters = self.any.0.len() / self.covers.len();
        for &letter in &self.live {
            let mut to = 0;
            let mut rest = states & self.open;
            while rest != 0 {
                to |= self.any.0[rest.trailing_zeros() as usize * letters + letter as usize];
                rest &= rest - 1;
            }
            if to != 0 {
                steps.push((letter, to));
            }
        }
    }

    /// The states that lead to no more than one of these.
    #[inline]
    pub fn covered(&self, states: u64) -> u64 {
        let (mut covered, mut rest) = (0, states);
        while rest != 0 {
            covered |= self.covers[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        covered
    }

    /// Whether one of these states leads to all of this.
    pub fn leads_alike(&self, states: u64, to: &[(u16, u64)]) -> bool {
        let letters = self.any.0.len() / self.covers.len();
        let mut rest = states & self.open;
        while rest != 0 {
            let from = &self.any.0[rest.trailing_zeros() as usize * letters..];
            rest &= rest - 1;
            if to.iter().all(|(letter, to)| to & !from[*letter as usize] == 0) {
                return true;
            }
        }
        false
    }

    /// Adds to `to`, by letter, the states that some of the moves lead to from a set of states.
    #[inline]
    pub fn follow(&self, moves: &Moves, states: u64, to: &mut [u64]) {
        let letters = to.len();
        let mut rest = states & self.open;
        while rest != 0 {
            let state = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            for (to, next) in to.iter_mut().zip(&moves.0[state * letters..]) {
                *to |= next;
            }
        }
    }
}

impl Table {
    pub fn new(check: &CycleCheck) -> Table {
        Table { of: check.id(), rows: vec![Row::new(check, Attrs::NONE)], slots: [0; SLOTS] }
    }

    /// The row for events with these attributes.
    #[inline]
    pub fn row(&mut self, check: &CycleCheck, attrs: Attrs) -> &Row {
        let number = self.number(check, attrs);
        self.at(number)
    }

    #[inline]
    pub fn at(&self, number: u16) -> &Row {
        &self.rows[number as usize]
    }

    /// Its number.
    #[inline]
    pub fn number(&mut self, check: &CycleCheck, attrs: Attrs) -> u16 {
        let hash = attrs.0.wrapping_mul(0x9e37_79b1) >> (32 - SLOTS.trailing_zeros());
        let slot = &mut self.slots[hash as usize];
        if self.rows[*slot as usize].attrs != attrs {
            let known = self.rows.iter().position(|row| row.attrs == attrs);
            let at = known.unwrap_or_else(|| {
                self.rows.push(Row::new(check, attrs));
                self.rows.len() - 1
            });
            *slot = at as u16;
        }
        *slot
    }
}
