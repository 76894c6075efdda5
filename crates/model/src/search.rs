//! Searches for a cycle through one event, in the product of graph and automaton.
//!
//! Where every closed walk makes a turn (`CycleCheck::turns`), and any number of turns will do, turns need
//! not be counted: a constraint is violated at `e` exactly if some state of `e` leads back to itself. One
//! search from all states that `e` can be in (`Row::entered`) finds the states in which one can come back.
//! If there are none, or none of them was a state to begin with, there is no cycle. If all states to begin
//! with come back, each of them is reached from one of them, and following that backwards ends in a circle:
//! a closed walk through `e`. Otherwise the same is asked again of those that came back. Most often it is
//! known earlier: a state that comes back, and that leads to everything that the search went to from `e`,
//! leads to itself.
//!
//! An event need not be left in a state that leads nowhere from such an event, nor in one that leads to no
//! more than one that it was left in (`Row::stuck`, `Row::covered`).
//!
//! A view leads from an event to the rest of each thread from some event on, and the earlier the event in its
//! thread, the more it leads to. So of each thread it is remembered which of its events was left along a
//! view, and from where on all was reached; what is after that is not looked at again (`Suffixes`).
//!
//! Other constraints are searched plainly, once for all states and then for each that comes back; so are
//! graphs with accesses of several locations (`parts`) and, where assertions are checked, all.

use crate::component::Component;
use crate::cycle::CycleCheck;
use crate::interleaving::{self, Reached};
use crate::letter::Base;
use crate::model::CAUSAL;
use crate::parts;
use crate::table::Table;
use selvedge_graph::{ClockId, EventId, ExecutionGraph, Kind, Tid};

/// Memory that a search uses, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Search {
    epoch: u32,
    /// By event.
    seen: Vec<Seen>,
    /// Events that have not been left in all states that they were reached in.
    open: Vec<EventId>,
    /// By letter, where it leads to from the event at hand, without and with a turn.
    next: Vec<u64>,
    turned: Vec<u64>,
    /// Letters, by number, and the states that they lead to: from the event at hand, and from the one in
    /// question.
    steps: Vec<(u16, u64)>,
    first: Vec<(u16, u64)>,
    tables: Vec<Table>,
    suffixes: Suffixes,
    reached: Reached,
    /// What cycles through the event in question can pass.
    component: Component,
}

/// What is known of whole rests of threads, by thread.
#[derive(Clone, Debug, Default)]
struct Suffixes {
    /// By thread and letter: an event that was left along the letter, if it is a view, and to which states.
    left: Vec<Suffix>,
    /// From this event on, all were reached in these states.
    reached: Vec<Suffix>,
}

#[derive(Clone, Copy, Debug)]
struct Suffix {
    from: u32,
    states: u64,
}

impl Suffix {
    const NONE: Suffix = Suffix { from: u32::MAX, states: 0 };

    /// The states that the events from `from` on are not known to have.
    fn lacks(self, from: u32, states: u64) -> u64 {
        if self.from <= from { states & !self.states } else { states }
    }

    /// What to remember if the events from `from` on have these states, too.
    fn with(self, from: u32, states: u64) -> Suffix {
        if from == self.from {
            return Suffix { from, states: self.states | states };
        }
        if from < self.from && self.states & !states == 0 { Suffix { from, states } } else { self }
    }
}

/// The states that an event was reached in.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The search that this is about.
    epoch: u32,
    /// The row of the table that is about such events.
    row: u16,
    /// Without a turn, or where turns do not matter.
    states: u64,
    turned: u64,
    /// Those of them that it has not been left in yet.
    open: u64,
    open_turned: u64,
}

/// Whether no cycle that violates one of some constraints goes through `e`. All their steps go along those of
/// `interleaved`, if that is there. `prepare` is called before the others are looked at.
pub fn all_hold_at<'c>(
    checks: impl Iterator<Item = &'c CycleCheck>,
    interleaved: Option<&CycleCheck>,
    g: &ExecutionGraph,
    e: EventId,
    search: &mut Search,
    prepare: impl FnOnce(),
) -> bool {
    let mut asked = checks.filter(|c| c.needs.is_none_or(|a| g.count_of(a) != 0)).peekable();
    if asked.peek().is_none() || interleaved.is_some_and(|sc| sc.holds_at(g, e, search)) {
        return true;
    }
    prepare();
    if interleaved.is_none() || g.has_parts() {
        return asked.all(|c| {
            if c.turns {
                search.component.all(g);
            }
            c.holds_at(g, e, search)
        });
    }
    search.component.find(g, e, &mut search.reached);
    asked.all(|c| {
        if c.direct.as_ref().is_some_and(|direct| direct.is_all(g, &search.component)) {
            debug_assert!(!c.holds_plainly_at(g, e, search));
            return false;
        }
        let idle = c.needs.is_some_and(|a| !search.component.has_attribute(g, a));
        debug_assert!(!idle || c.holds_plainly_at(g, e, search));
        idle || c.holds_at(g, e, search)
    })
}

impl CycleCheck {
    /// Whether no violating cycle goes through `e`. Searches look at `search.component` only.
    fn holds_at(&self, g: &ExecutionGraph, e: EventId, search: &mut Search) -> bool {
        if g.has_parts() {
            return self.holds_plainly_at(g, g.first_part(e), search);
        }
        if nothing_leads_to(g, e) {
            return true;
        }
        if self.plain {
            return !if self.interleaving {
                interleaving::cycle_through(g, e, &mut search.reached)
            } else {
                self.plain_cycle_through(g, e, search)
            };
        }
        if self.turns {
            let holds = !self.closed_walk_through(g, e, search);
            debug_assert_eq!(holds, self.holds_plainly_at(g, e, search));
            return holds;
        }
        self.holds_plainly_at(g, e, search)
    }

    /// The same for any constraint.
    fn holds_plainly_at(&self, g: &ExecutionGraph, e: EventId, search: &mut Search) -> bool {
        // Whatever the state at `e`: in which states can one come back? Most often in none.
        let mut back = self.states_back_at(g, e, search);
        while back != 0 {
            let s = back.trailing_zeros() as usize;
            back &= back - 1;
            if self.cycle_through(g, e, s, search) {
                return false;
            }
        }
        true
    }

    /// Whether some state of `e` leads back to itself.
    fn closed_walk_through(&self, g: &ExecutionGraph, e: EventId, search: &mut Search) -> bool {
        let table = search.table_of(self);
        let mut states = search.tables[table].row(self, g.event(e).attrs).entered;
        while states != 0 {
            let Some(back) = self.back_from(g, e, states, table, search) else { return true };
            if back == states {
                return true;
            }
            states = back;
        }
        false
    }

    /// Those of some states of `e` that one can come back in from one of them; `None` if one of them was
    /// found to lead to itself.
    fn back_from(
        &self,
        g: &ExecutionGraph,
        e: EventId,
        states: u64,
        table: usize,
        search: &mut Search,
    ) -> Option<u64> {
        search.begin(g.arena_len());
        search.suffixes.begin(g.threads(), self.letters().len());
        let Search { epoch, seen, open, steps, first, tables, suffixes, component, .. } = search;
        let table = &mut tables[table];
        let own = table.number(self, g.event(e).attrs);
        let epoch = *epoch;
        let mut walk = Walk { check: self, table, g, e, component, epoch, seen, open, suffixes, back: 0 };
        let start = states;
        let (mut x, mut row, mut states) = (e, own, states);
        first.clear();
        loop {
            walk.table.at(row).steps(states, steps);
            for &(number, to) in &*steps {
                if walk.leave(x, number, to) && x == e {
                    first.push((number, to));
                }
            }
            let back = walk.back & start;
            if back != 0 && walk.table.at(own).leads_alike(back, first) {
                return None;
            }
            let Some(y) = walk.open.pop() else { return Some(back) };
            let entry = &mut walk.seen[y.index()];
            (x, row, states) = (y, entry.row, std::mem::take(&mut entry.open));
        }
    }

    /// The search for a plain relation: no states, and done as soon as the causal past is reached.
    fn plain_cycle_through(&self, g: &ExecutionGraph, e: EventId, search: &mut Search) -> bool {
        search.begin(g.arena_len());
        let Search { epoch, seen, open, .. } = search;
        open.clear();
        let mut x = e;
        loop {
            let mut found = false;
            for m in self.steps_of(0) {
                m.letter.successors(g, x, |y| {
                    let entry = &mut seen[y.index()];
                    if entry.epoch != *epoch {
                        entry.epoch = *epoch;
                        found |= y == e || g.includes(e, CAUSAL, y);
                        open.push(y);
                    }
                });
                if found {
                    return true;
                }
            }
            match open.pop() {
                Some(y) => x = y,
                None => return false,
            }
        }
    }

    /// The states in which `e` can be reached again from `e` in any state, turns not looked at.
    fn states_back_at(&self, g: &ExecutionGraph, e: EventId, search: &mut Search) -> u64 {
        search.begin(g.arena_len());
        let table = search.table_of(self);
        let Search { epoch, seen, open, next, tables, .. } = search;
        let (mut x, mut states) = (e, u64::MAX);
        let mut back = 0;
        loop {
            next.clear();
            next.resize(self.letters().len(), 0);
            let row = tables[table].row(self, g.event(x).attrs);
            row.follow(&row.any, states, next);
            for (letter, &to) in self.letters().iter().zip(&*next).filter(|(_, to)| **to != 0) {
                parts::successors(*letter, g, x, |y| {
                    if y == e {
                        back |= to; // every state was tried from here
                        return;
                    }
                    let entry = seen[y.index()].at(*epoch);
                    let new = to & !entry.states;
                    if new != 0 {
                        if entry.open == 0 {
                            open.push(y);
                        }
                        entry.states |= new;
                        entry.open |= new;
                    }
                });
            }
            let Some(y) = open.pop() else { return back };
            (x, states) = (y, std::mem::take(&mut seen[y.index()].open));
        }
    }

    /// Whether a violating cycle passes `e` in state `start`.
    fn cycle_through(&self, g: &ExecutionGraph, e: EventId, start: usize, search: &mut Search) -> bool {
        search.begin(g.arena_len());
        let table = search.table_of(self);
        let Search { epoch, seen, open, next, turned, tables, .. } = search;
        // States that `x` is left in now, without and with a turn before.
        let (mut x, mut before, mut after) = (e, 1u64 << start, 0u64);
        loop {
            next.clear();
            next.resize(self.letters().len(), 0);
            turned.clear();
            turned.resize(self.letters().len(), 0);
            let row = tables[table].row(self, g.event(x).attrs);
            row.follow(&row.straight, before, next);
            row.follow(&row.turns, before, turned);
            row.follow(if self.repeat { &row.any } else { &row.straight }, after, turned);
            let mut found = false;
            for ((letter, &to), &to_turned) in self.letters().iter().zip(&*next).zip(&*turned) {
                if to | to_turned == 0 {
                    continue;
                }
                parts::successors(*letter, g, x, |y| {
                    found |= y == e && to_turned >> start & 1 != 0;
                    let entry = seen[y.index()].at(*epoch);
                    let new_turned = to_turned & !entry.turned;
                    entry.turned |= new_turned;
                    // Where any number of turns will do, it is no use to come without one as well.
                    let known = entry.states | if self.repeat { entry.turned } else { 0 };
                    let new = to & !known;
                    entry.states |= new;
                    if new | new_turned != 0 {
                        if entry.open | entry.open_turned == 0 {
                            open.push(y);
                        }
                        entry.open |= new;
                        entry.open_turned |= new_turned;
                    }
                });
                if found {
                    return true;
                }
            }
            let Some(y) = open.pop() else { return false };
            let entry = &mut seen[y.index()];
            before = std::mem::take(&mut entry.open);
            after = std::mem::take(&mut entry.open_turned);
            x = y;
        }
    }
}

/// Whether `e` is a read that no step leads to: those that lead to reads go along causal order.
fn nothing_leads_to(g: &ExecutionGraph, e: EventId) -> bool {
    let ev = g.event(e);
    ev.kind == Kind::Read && ev.idx == 1 && g.clock(e, CAUSAL) == ClockId::EMPTY
}

/// A search that is under way.
struct Walk<'a> {
    check: &'a CycleCheck,
    table: &'a mut Table,
    g: &'a ExecutionGraph,
    /// The event to come back to.
    e: EventId,
    /// What is not in it does not lead back.
    component: &'a Component,
    epoch: u32,
    seen: &'a mut [Seen],
    open: &'a mut Vec<EventId>,
    suffixes: &'a mut Suffixes,
    /// The states that one came back in.
    back: u64,
}

impl Walk<'_> {
    /// Comes to `y` in these states.
    #[inline]
    fn reach(&mut self, y: EventId, to: u64) {
        if y == self.e {
            self.back |= to;
            return;
        }
        let entry = &mut self.seen[y.index()];
        if entry.epoch != self.epoch {
            let row = self.table.number(self.check, self.g.event(y).attrs);
            let states = self.table.at(row).stuck;
            *entry = Seen { epoch: self.epoch, row, states, ..Seen::default() };
        }
        let new = to & !entry.states;
        if new != 0 {
            if entry.open == 0 {
                self.open.push(y);
            }
            entry.open |= new;
            entry.states |= self.table.at(entry.row).covered(new);
        }
    }

    /// Goes from `x` by the letter of this number. Returns whether it leads anywhere, unless that was looked
    /// at before.
    #[inline]
    fn leave(&mut self, x: EventId, number: u16, to: u64) -> bool {
        let letter = self.check.letters()[number as usize];
        if let Base::View(slot) = letter.base
            && letter.is_plain()
        {
            return self.leave_along(slot as usize, number as usize, x, to);
        }
        let mut found = false;
        letter.successors(self.g, x, |y| {
            if self.component.has(self.g.event(y)) {
                found = true;
                self.reach(y, to);
            }
        });
        found
    }

    /// The same for a view.
    fn leave_along(&mut self, slot: usize, number: usize, x: EventId, to: u64) -> bool {
        let g = self.g;
        let ev = g.event(x);
        let left = &mut self.suffixes.left[ev.tid.index() * self.check.letters().len() + number];
        let to = left.lacks(ev.idx, to);
        if to == 0 {
            return false;
        }
        *left = left.with(ev.idx, to);
        let mut found = false;
        for t in (0..g.threads() as u16).map(Tid) {
            // What an event knows, later ones of its thread know, too.
            let rest = self.component.rest(g, t, if t == ev.tid { ev.idx + 1 } else { 1 });
            if rest.last().is_none_or(|&y| !g.includes(y, slot, x)) {
                continue;
            }
            found = true;
            let before = rest.partition_point(|&y| !g.includes(y, slot, x));
            let rest = &rest[before..];
            let reached = &mut self.suffixes.reached[t.index()];
            let from = g.event(rest[0]).idx;
            let end = match reached.lacks(reached.from, to) {
                0 => rest.len().min(reached.from.saturating_sub(from) as usize),
                _ => rest.len(),
            };
            *reached = reached.with(from, to);
            for &y in &rest[..end] {
                self.reach(y, to);
            }
        }
        found
    }
}

impl Suffixes {
    fn begin(&mut self, threads: usize, letters: usize) {
        self.left.clear();
        self.left.resize(threads * letters, Suffix::NONE);
        self.reached.clear();
        self.reached.resize(threads, Suffix::NONE);
    }
}

impl Seen {
    /// What was seen in this search.
    #[inline]
    fn at(&mut self, epoch: u32) -> &mut Seen {
        if self.epoch != epoch {
            *self = Seen { epoch, ..Seen::default() };
        }
        self
    }
}

impl Search {
    fn begin(&mut self, events: usize) {
        self.open.clear();
        if self.seen.len() < events {
            self.seen.resize(events, Seen::default());
        }
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.seen.fill(Seen::default());
            self.epoch = 1;
        }
    }

    /// The number of the table of an automaton.
    fn table_of(&mut self, check: &CycleCheck) -> usize {
        self.tables.iter().position(|t| t.of == check.id()).unwrap_or_else(|| {
            self.tables.push(Table::new(check));
            self.tables.len() - 1
        })
    }
}
