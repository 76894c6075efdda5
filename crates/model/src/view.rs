//! Views: relations stored per event as vector clocks (seed 002 §4.1, thesis §9.3.2).
//!
//! A view is `t+` where `t` contains program order and only uses causal steps (`po`, `rf`, `rmw`,
//! thread creation and joining). Then the events before `e` in the view are, in every thread, the
//! first so many, and a clock says how many. For words that are not finished yet (a release sequence
//! on its way to an acquire) there is a clock per state of the automaton: the events from which such a
//! word leads to `e`. All of them are computed from the clocks of `e`'s causal predecessors.

use crate::glushkov::Positions;
use crate::guard::Guard;
use crate::letter::{Base, Letter};
use crate::term::Term;
use selvedge_graph::{ClockId, EventId, ExecutionGraph};

/// Where a word comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum From {
    /// A new word begins at the predecessor.
    Start,
    /// The unfinished words of this state.
    State(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    from: From,
    /// On the event that the step leaves.
    guard: Guard,
    letter: Letter,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    rules: Vec<Rule>,
    /// When the word is finished here.
    accept: Guard,
    /// Whether another state needs this one's clocks later: then they are stored.
    slot: Option<usize>,
}

/// A compiled view. Slot `main` holds the clock of the view itself; it leaves out the events of the
/// own thread, which are all included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    states: Vec<State>,
    main: usize,
    slots: usize,
}

impl View {
    /// Compiles the view of a term, with its clocks from slot `base` on. `None` if the term is not of
    /// the shape that clocks can represent.
    pub fn compile(term: &Term, base: usize) -> Option<View> {
        let Term::Plus(body) = term else { return None };
        let p = Positions::of(body);
        if !p.letters.iter().all(|l| l.is_causal()) || !p.contains(Letter::plain(Base::PoImm)) {
            return None;
        }
        let n = p.letters.len();
        let mut states: Vec<State> = (0..n)
            .map(|q| {
                let mut rules: Vec<Rule> = Vec::new();
                let letter = p.letters[q];
                for (guard, to) in &p.first {
                    if *to == q {
                        rules.push(Rule { from: From::Start, guard: guard.clone(), letter });
                    }
                }
                for (from, guard, to) in &p.follow {
                    if *to == q {
                        rules.push(Rule { from: From::State(*from), guard: guard.clone(), letter });
                    }
                }
                let accept = p.last.iter().find(|(s, _)| *s == q).map_or(Guard::never(), |(_, g)| g.clone());
                State { rules, accept, slot: None }
            })
            .collect();
        simplify(&mut states);
        // Unguarded neighbour steps that nothing continues only repeat what the thread's own clock says.
        let continued = |states: &[State], q: usize| {
            states.iter().flat_map(|s| &s.rules).any(|r| r.from == From::State(q))
        };
        for q in 0..states.len() {
            if states[q].accept.is_always() && !continued(&states, q) {
                let po = Letter::plain(Base::PoImm);
                states[q].rules.retain(|r| !(r.from == From::Start && r.letter == po && r.guard.is_always()));
            }
        }
        drop_unreached(&mut states);
        let mut used = vec![false; states.len()];
        for rule in states.iter().flat_map(|s| &s.rules) {
            if let From::State(s) = rule.from {
                used[s] = true;
            }
        }
        let mut slots = 1;
        for (state, used) in states.iter_mut().zip(used) {
            if used {
                state.slot = Some(base + slots);
                slots += 1;
            }
        }
        Some(View { states, main: base, slots })
    }

    pub fn main(&self) -> usize {
        self.main
    }

    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The same relation, computed the same way?
    pub fn same_as(&self, other: &View) -> bool {
        let plain = |v: &View| {
            let mut states = v.states.clone();
            for s in &mut states {
                s.slot = s.slot.map(|x| x - v.main);
            }
            states
        };
        plain(self) == plain(other)
    }

    /// Computes the clocks of `e` from those of its causal predecessors. While a read has no source,
    /// steps along `rf` contribute nothing.
    #[inline]
    pub fn update(&self, g: &mut ExecutionGraph, e: EventId) {
        let mut main = match g.po_pred(e) {
            Some(p) => g.clock(p, self.main),
            None => ClockId::EMPTY,
        };
        let attrs = g.event(e).attrs;
        for state in &self.states {
            let done = state.accept.holds(attrs);
            match state.slot {
                Some(slot) => {
                    let clock = self.fold(g, e, state, ClockId::EMPTY);
                    g.set_clock(e, slot, clock);
                    if done {
                        main = g.clocks_mut().join(main, clock);
                    }
                }
                None if done => main = self.fold(g, e, state, main),
                None => {}
            }
        }
        g.set_clock(e, self.main, main);
    }

    #[inline]
    fn fold(&self, g: &mut ExecutionGraph, e: EventId, state: &State, clock: ClockId) -> ClockId {
        let mut clock = clock;
        for rule in &state.rules {
            // All but `po` with conditions have one predecessor at most.
            if rule.letter.base == Base::Po {
                let mut preds = Vec::new();
                rule.letter.causal_predecessors(g, e, |x| preds.push(x));
                clock = preds.into_iter().fold(clock, |c, x| self.add(g, x, rule, c));
            } else {
                let mut pred = None;
                rule.letter.causal_predecessors(g, e, |x| pred = Some(x));
                if let Some(x) = pred {
                    clock = self.add(g, x, rule, clock);
                }
            }
        }
        clock
    }

    /// Adds to `clock` what `rule` takes over from the predecessor `x`.
    #[inline]
    fn add(&self, g: &mut ExecutionGraph, x: EventId, rule: &Rule, clock: ClockId) -> ClockId {
        let ev = g.event(x);
        if !rule.guard.holds(ev.attrs) {
            return clock;
        }
        match rule.from {
            From::Start => {
                let (tid, idx) = (ev.tid, ev.idx);
                let before = g.clock(x, self.main);
                g.clocks_mut().join_with(clock, before, tid, idx)
            }
            From::State(s) => {
                let source = g.clock(x, self.states[s].slot.expect("a state that rules start from"));
                g.clocks_mut().join(clock, source)
            }
        }
    }
}

/// Drops rules that say nothing new, and joins states that are reached in the same ways.
fn simplify(states: &mut Vec<State>) {
    loop {
        // A word that is finished wherever it is may as well start again from there.
        let finished: Vec<bool> = states.iter().map(|s| s.accept.is_always()).collect();
        for state in states.iter_mut() {
            let starts: Vec<Rule> =
                state.rules.iter().filter(|r| r.from == From::Start).cloned().collect();
            state.rules.retain(|r| match r.from {
                From::Start => true,
                From::State(s) => {
                    !(finished[s]
                        && starts
                            .iter()
                            .any(|t| t.letter == r.letter && t.guard.or(&r.guard) == t.guard))
                }
            });
        }
        let mut twin = None;
        'search: for a in 0..states.len() {
            for b in a + 1..states.len() {
                if same_rules(&states[a].rules, &states[b].rules, a, b) {
                    twin = Some((a, b));
                    break 'search;
                }
            }
        }
        let Some((a, b)) = twin else {
            return drop_unreached(states);
        };
        let accept = states[b].accept.clone();
        states[a].accept = states[a].accept.or(&accept);
        states.remove(b);
        for rule in states.iter_mut().flat_map(|s| &mut s.rules) {
            if let From::State(s) = &mut rule.from {
                *s = if *s == b { a } else if *s > b { *s - 1 } else { *s };
            }
        }
        for state in states.iter_mut() {
            let mut seen: Vec<Rule> = Vec::new();
            state.rules.retain(|r| {
                let new = !seen.contains(r);
                seen.push(r.clone());
                new
            });
        }
    }
}

fn same_rules(x: &[Rule], y: &[Rule], a: usize, b: usize) -> bool {
    // Self-references count as equal: a loop on one is a loop on the other.
    let rename = |r: &Rule| {
        let from = match r.from {
            From::State(s) if s == b => From::State(a),
            f => f,
        };
        Rule { from, ..r.clone() }
    };
    let (xs, ys): (Vec<Rule>, Vec<Rule>) = (x.iter().map(rename).collect(), y.iter().map(rename).collect());
    xs.iter().all(|r| ys.contains(r)) && ys.iter().all(|r| xs.contains(r))
}

/// States without rules never have a clock.
fn drop_unreached(states: &mut Vec<State>) {
    while let Some(dead) = states.iter().position(|s| s.rules.is_empty()) {
        states.remove(dead);
        for state in states.iter_mut() {
            state.rules.retain(|r| r.from != From::State(dead));
            for rule in &mut state.rules {
                if let From::State(s) = &mut rule.from
                    && *s > dead
                {
                    *s -= 1;
                }
            }
        }
    }
}
