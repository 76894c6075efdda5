//! The moves of an automaton, for all its states at once.
//!
//! A search of graph and automaton comes to most events in many states, and most of them go on by the same
//! letters. So an event is left in all its states together: a row says, for the events with some attributes,
//! which states each letter leads to from each state.

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
    /// All moves.
    pub any: Moves,
    /// Those that are no turns.
    pub straight: Moves,
    pub turns: Moves,
}

/// By state, then by letter: a set of states.
#[derive(Clone, Debug)]
pub struct Moves(Box<[u64]>);

impl Row {
    fn new(check: &CycleCheck, attrs: Attrs) -> Row {
        let letters = check.letters().len();
        let none = || Moves(vec![0; check.states() * letters].into_boxed_slice());
        let mut row = Row { attrs, open: 0, any: none(), straight: none(), turns: none() };
        for (state, m) in check.moves_at(attrs) {
            let at = state * letters + m.number;
            row.open |= 1 << state;
            row.any.0[at] |= 1 << m.to;
            let some = if m.turn { &mut row.turns } else { &mut row.straight };
            some.0[at] |= 1 << m.to;
        }
        row
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
        &self.rows[*slot as usize]
    }
}
