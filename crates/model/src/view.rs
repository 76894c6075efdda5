//! Views: relations stored per event as vector clocks (Kokologiannakis24 §4.1, thesis §9.3.2).
//!
//! A view is `t+` where `t` contains program order and only uses causal steps (`po`, `rf`, `rmw`,
//! thread creation and joining). Then the events before `e` in the view are, in every thread, the
//! first so many, and a clock says how many. For words that are not finished yet (a release sequence
//! on its way to an acquire) there is a clock per state of the automaton: the events from which such a
//! word leads to `e`. All of them are computed from the clocks of `e`'s causal predecessors.

use crate::classes::Classes;
use crate::glushkov::Positions;
use crate::guard::{Guard, Test};
use crate::letter::{Base, Letter, Pairs, tj_source};
use crate::term::Term;
use selvedge_graph::{Attrs, ClockId, EventId, ExecutionGraph, Kind, Tid};

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
    /// The word that it continues is finished at every event that it leaves.
    after_finished: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    rules: Vec<Rule>,
    /// When the word is finished here.
    accept: Guard,
}

/// A compiled view. Slot `main` holds the clock of the view itself; it leaves out the events of the
/// own thread, which are all included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    main: usize,
    slots: usize,
    /// What an event takes over from a predecessor, by the kind of step that leads from there.
    from_po: Vec<Take>,
    /// Unfinished words that go on along `po` whatever the events are, and stay in their slot.
    carried: Vec<usize>,
    from_rf: Vec<Take>,
    from_rmw: Vec<Take>,
    from_tc: Vec<Take>,
    from_tj: Vec<Take>,
    /// Steps along `po` with conditions on the pair: all earlier events of the thread are looked at.
    from_far_po: Vec<Take>,
    /// Those of the same location only: each of these steps asks for that.
    far_at_location: bool,
    /// By slot of unfinished words: at which events they are of use.
    alive: Vec<Test>,
    /// Stored words that are finished at some events.
    finished: Vec<(usize, Test)>,
    /// Only through its source can a read learn more than the event before it in its thread knew.
    reads_learn_from_source_only: bool,
    /// Words begin only at events that have one of these attributes, or through the creation and the
    /// end of threads.
    beginners: Attrs,
    /// New words come along `rf`, from one rule, and with the creation and the end of threads only.
    learns_by_reading: bool,
    /// The same, whatever the read and the write are.
    learns_by_any_read: bool,
    /// What ends a thread is known to who waits for it, and what creates one to its first event, whatever
    /// they are.
    learns_by_waiting: bool,
    learns_from_creator: bool,
    /// The bit of an event's note that says that it has unfinished words of this view.
    pub(crate) bit: u8,
    /// Nobody asks for its clocks (`Model::note_idle_views`): there are none.
    pub(crate) idle: bool,
}

/// One thing that an event takes over.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Take {
    letter: Letter,
    /// On the predecessor.
    guard: Test,
    /// The slot of unfinished words, or `None` for words that begin at the predecessor.
    from: Option<usize>,
    /// The slot of unfinished words that it goes to, or the test on the event under which it goes to
    /// the main clock at once.
    to: Result<usize, Test>,
}

impl Take {
    /// Whether a word of this step alone is finished, whatever the two events are.
    fn is_whole(&self) -> bool {
        self.from.is_none()
            && self.letter.is_plain()
            && self.guard.is_always()
            && matches!(&self.to, Err(done) if done.is_always())
    }

    /// The slot of words that it takes over as they are from whatever event is before.
    fn carries(&self) -> Option<usize> {
        match (self.from, &self.to) {
            (Some(from), Ok(to)) if from == *to && self.letter.is_plain() && self.guard.is_always() => {
                Some(from)
            }
            _ => None,
        }
    }
}

impl View {
    /// Whether an event takes anything over from what it reads.
    pub fn goes_along_reads(&self) -> bool {
        !self.from_rf.is_empty()
    }

    /// Compiles the view of a term, with its clocks from slot `base` on, for programs that have no
    /// events but those of `classes`. `None` if the term is not of the shape that clocks can represent.
    pub fn compile(term: &Term, base: usize, classes: Option<&Classes>) -> Option<View> {
        let Term::Plus(body) = term else { return None };
        let p = Positions::of(body);
        if !p.letters.iter().all(|l| l.is_causal()) || !p.contains(Letter::plain(Base::PoImm)) {
            return None;
        }
        let p = classes.map_or_else(|| Positions::of(body), |classes| classes.simplify(&p));
        let mut states = states_of(&p, classes);
        simplify(&mut states);
        let used = continued(&states);
        let mut view = View {
            main: base,
            slots: 1,
            from_po: Vec::new(),
            carried: Vec::new(),
            from_rf: Vec::new(),
            from_rmw: Vec::new(),
            from_tc: Vec::new(),
            from_tj: Vec::new(),
            from_far_po: Vec::new(),
            far_at_location: false,
            alive: Vec::new(),
            finished: Vec::new(),
            reads_learn_from_source_only: false,
            beginners: Attrs::NONE,
            learns_by_reading: false,
            learns_by_any_read: false,
            learns_by_waiting: false,
            learns_from_creator: false,
            bit: 0,
            idle: false,
        };
        let mut slot_of = vec![None; states.len()];
        for (q, state) in states.iter().enumerate().filter(|(q, _)| used[*q]) {
            slot_of[q] = Some(base + view.slots);
            view.slots += 1;
            let onward = states.iter().flat_map(|s| &s.rules).filter(|r| r.from == From::State(q));
            let alive = onward.fold(state.accept.clone(), |any, r| any.or(&r.guard));
            view.alive.push(Test::of(&alive));
            if !state.accept.is_never() {
                view.finished.push((base + view.slots - 1, Test::of(&state.accept)));
            }
        }
        for (q, state) in states.iter().enumerate() {
            let to = slot_of[q].ok_or_else(|| Test::of(&state.accept));
            for rule in &state.rules {
                let from = match rule.from {
                    From::Start => None,
                    From::State(s) => slot_of[s],
                };
                let take = Take { letter: rule.letter, guard: Test::of(&rule.guard), from, to: to.clone() };
                match rule.letter.base {
                    Base::PoImm => match take.carries() {
                        Some(slot) => view.carried.push(slot),
                        None => view.from_po.push(take),
                    },
                    Base::Po => view.from_far_po.push(take),
                    Base::Rf => view.from_rf.push(take),
                    Base::Rmw => view.from_rmw.push(take),
                    Base::Tc => view.from_tc.push(take),
                    Base::Tj => view.from_tj.push(take),
                    _ => unreachable!("only causal letters"),
                }
            }
        }
        view.each_take().for_each(|takes| takes.sort_by_key(|take| take.from.is_some()));
        view.far_at_location = view.from_far_po.iter().all(|take| take.letter.must.has(Pairs::LOC));
        let at_read = |test: &Guard| !test.and(&Guard::attr(Attrs::R)).is_never();
        view.reads_learn_from_source_only = states.iter().all(|state| {
            !at_read(&state.accept)
                || state.rules.iter().all(|r| matches!(r.letter.base, Base::Rf | Base::Tc | Base::Tj))
        });
        view.learns_by_reading = view.slots == 1
            && view.from_rf.iter().all(|t| t.letter.is_plain() && t.from.is_none())
            && view.from_rf.len() <= 1
            && [&view.from_po, &view.from_rmw, &view.from_far_po].into_iter().all(Vec::is_empty);
        view.learns_by_any_read = view.learns_by_reading && view.from_rf.iter().any(Take::is_whole);
        let is_one = |takes: &[Take]| matches!(takes, [take] if take.is_whole());
        view.learns_by_waiting = view.learns_by_reading && is_one(&view.from_tj);
        view.learns_from_creator = view.learns_by_reading && is_one(&view.from_tc);
        let starts = [&view.from_po, &view.from_far_po, &view.from_rf, &view.from_rmw];
        let starts = starts.into_iter().flatten().filter(|t| t.from.is_none());
        view.beginners = starts.fold(Attrs::NONE, |all, t| all | t.guard.hints());
        Some(view)
    }

    /// The clock of `e`, which is the first that its thread does, or has not read yet: what it knows
    /// without reading. `None` if that takes an update to find out.
    #[inline]
    pub fn before_reading(&self, g: &ExecutionGraph, e: EventId) -> Option<ClockId> {
        if !self.reads_learn_from_source_only {
            return None;
        }
        match g.po_pred(e) {
            Some(p) => Some(g.clock(p, self.main)),
            None => g.spawn_of(g.event(e).tid).is_none().then_some(ClockId::EMPTY),
        }
    }

    pub fn main(&self) -> usize {
        self.main
    }

    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The same relation, computed the same way?
    pub fn same_as(&self, other: &View) -> bool {
        self.rebased() == other.rebased()
    }

    fn rebased(&self) -> View {
        View { bit: 0, idle: false, ..self.moved_to(0) }
    }

    /// The same view with its clocks from another slot on.
    pub fn moved_to(&self, to: usize) -> View {
        let mut view = self.clone();
        let base = view.main;
        view.main = to;
        for take in view.each_take().flatten() {
            take.from = take.from.map(|s| s - base + to);
            take.to = take.to.clone().map(|s| s - base + to);
        }
        for slot in &mut view.carried {
            *slot = *slot - base + to;
        }
        for (slot, _) in &mut view.finished {
            *slot = *slot - base + to;
        }
        view
    }

    /// What is taken over along each kind of step.
    fn each_take(&mut self) -> impl Iterator<Item = &mut Vec<Take>> {
        let po = [&mut self.from_po, &mut self.from_far_po, &mut self.from_rmw];
        po.into_iter().chain([&mut self.from_rf, &mut self.from_tc, &mut self.from_tj])
    }

    /// Computes the clocks of `e` from those of its causal predecessors. While a read has no source,
    /// steps along `rf` contribute nothing.
    #[inline(always)]
    pub fn update(&self, g: &mut ExecutionGraph, e: EventId, pred: Option<EventId>) {
        match self.learns_by_reading {
            true => self.learn(g, e, pred),
            false => self.update_words(g, e, pred),
        }
    }

    /// The same where there are no unfinished words, and new ones come by reading, mostly.
    #[inline]
    fn learn(&self, g: &mut ExecutionGraph, e: EventId, pred: Option<EventId>) {
        let ev = g.event(e);
        let (kind, attrs, tid) = (ev.kind, ev.attrs, ev.tid);
        let mut main = match pred {
            Some(p) => g.clock(p, self.main),
            None => self.at_beginning(g, e, tid, attrs),
        };
        match kind {
            Kind::Read => {
                // What an earlier event of the own thread knows is known.
                let source = g.rf(e).filter(|&w| !w.is_init() && g.event(w).tid != tid);
                main = self.after_reading(g, attrs, source, main);
            }
            Kind::Join | Kind::Depart => main = self.take_waited(g, e, attrs, main),
            _ => {}
        }
        g.set_clock(e, self.main, main);
    }

    /// What the first event of a thread knows of what was before the thread's creation.
    #[inline(never)]
    fn at_beginning(&self, g: &mut ExecutionGraph, e: EventId, tid: Tid, attrs: Attrs) -> ClockId {
        match g.spawn_of(tid) {
            Some(x) if self.learns_from_creator => self.learn_all(g, x, e, ClockId::EMPTY),
            Some(x) => self.take(&self.from_tc, g, x, e, attrs, ClockId::EMPTY),
            None => ClockId::EMPTY,
        }
    }

    #[inline(never)]
    fn update_words(&self, g: &mut ExecutionGraph, e: EventId, pred: Option<EventId>) {
        let mut main = pred.map_or(ClockId::EMPTY, |p| g.clock(p, self.main));
        if g.note(e) & self.bit != 0 {
            self.forget_words(g, e);
        }
        if self.is_idle(g, e, pred) {
            return g.set_clock(e, self.main, main);
        }
        let ev = g.event(e);
        let (attrs, kind, tid) = (ev.attrs, ev.kind, ev.tid);
        if let Some(p) = pred {
            if g.note(p) & self.bit != 0 {
                self.carry_words(g, p, e);
            }
            if !self.from_po.is_empty() {
                main = self.take(&self.from_po, g, p, e, attrs, main);
            }
            if attrs.has(Attrs::UW) && !self.from_rmw.is_empty() {
                let read = g.rmw_read_of(e).unwrap_or(p);
                main = self.take(&self.from_rmw, g, read, e, attrs, main);
            }
            if !self.from_far_po.is_empty() {
                main = self.take_far(g, e, attrs, main);
            }
        } else if let Some(x) = g.spawn_of(tid) {
            main = self.take(&self.from_tc, g, x, e, attrs, main);
        }
        match kind {
            Kind::Read => {
                if let Some(w) = g.rf(e).filter(|w| !w.is_init()) {
                    main = self.take(&self.from_rf, g, w, e, attrs, main);
                }
            }
            Kind::Join | Kind::Depart => main = self.take_waited(g, e, attrs, main),
            _ => {}
        }
        // Without unfinished words, none is finished here.
        for (slot, test) in if g.note(e) & self.bit == 0 { &[] } else { &self.finished[..] } {
            if test.holds(attrs) {
                let clock = g.clock(e, *slot);
                main = g.clocks_mut().join(main, clock);
            }
        }
        g.set_clock(e, self.main, main);
    }

    /// What a read with these attributes knows that knew `main` before.
    #[inline]
    fn after_reading(
        &self,
        g: &mut ExecutionGraph,
        attrs: Attrs,
        source: Option<EventId>,
        main: ClockId,
    ) -> ClockId {
        let Some(w) = source else { return main };
        let ev = g.event(w);
        // An access of several locations happens at once: who knows of a part knows of all.
        let (tid, idx) = (ev.tid, ev.idx + ev.part.after as u32);
        if !self.learns_by_any_read {
            let Some(take) = self.from_rf.first() else { return main };
            let finished = matches!(&take.to, Err(done) if done.holds(attrs));
            if !finished || !take.guard.holds(ev.attrs) {
                return main;
            }
        }
        // A view is transitive: who knows of `w` knows all that `w` knows.
        if g.clocks().get(main, tid) >= idx {
            return main;
        }
        let known = g.clock(w, self.main);
        g.clocks_mut().join_with(main, known, tid, idx)
    }

    /// Takes over from what a join or a departure waited for.
    #[inline(never)]
    fn take_waited(&self, g: &mut ExecutionGraph, e: EventId, attrs: Attrs, main: ClockId) -> ClockId {
        let mut main = main;
        if g.event(e).kind == Kind::Join {
            if let Some(x) = tj_source(g, e) {
                if self.learns_by_waiting {
                    return self.learn_all(g, x, e, main);
                }
                main = self.take(&self.from_tj, g, x, e, attrs, main);
            }
            return main;
        }
        for at in 0..g.round(e).len() {
            let x = g.round(e)[at];
            main = self.take(&self.from_tj, g, x, e, attrs, main);
        }
        main
    }

    /// What `e` knows that comes after `x`, if it knew `main` before.
    #[inline]
    fn learn_all(&self, g: &mut ExecutionGraph, x: EventId, e: EventId, main: ClockId) -> ClockId {
        let ev = g.event(x);
        let after = if ev.tid == g.event(e).tid { 0 } else { ev.part.after as u32 };
        let (tid, idx) = (ev.tid, ev.idx + after);
        if g.clocks().get(main, tid) >= idx {
            return main;
        }
        let known = g.clock(x, self.main);
        g.clocks_mut().join_with(main, known, tid, idx)
    }

    /// Takes over from earlier events of the thread what steps with conditions lead on.
    fn take_far(&self, g: &mut ExecutionGraph, e: EventId, attrs: Attrs, main: ClockId) -> ClockId {
        let mut main = main;
        if self.far_at_location {
            let mut far = g.po_loc_pred(e);
            while let Some(x) = far {
                main = self.take(&self.from_far_po, g, x, e, attrs, main);
                far = g.po_loc_pred(x);
            }
            return main;
        }
        let (tid, idx) = (g.event(e).tid, g.event(e).idx as usize);
        for far in 0..idx - 1 {
            let x = g.thread(tid)[far];
            main = self.take(&self.from_far_po, g, x, e, attrs, main);
        }
        main
    }

    /// Takes over from the event before `e` what goes on along `po` as it is; `e` has no words yet.
    #[inline]
    fn carry_words(&self, g: &mut ExecutionGraph, p: EventId, e: EventId) {
        let mut any = false;
        for &slot in &self.carried {
            let words = g.clock(p, slot);
            debug_assert_eq!(g.clock(e, slot), ClockId::EMPTY);
            g.set_clock(e, slot, words);
            any |= words != ClockId::EMPTY;
        }
        if any {
            g.set_note(e, g.note(e) | self.bit);
        }
    }

    fn forget_words(&self, g: &mut ExecutionGraph, e: EventId) {
        for slot in self.main + 1..self.main + self.slots {
            g.set_clock(e, slot, ClockId::EMPTY);
        }
        g.set_note(e, g.note(e) & !self.bit);
    }

    /// Whether no word leads to `e`: none begins at its predecessors, and none is on its way there.
    #[inline]
    fn is_idle(&self, g: &ExecutionGraph, e: EventId, pred: Option<EventId>) -> bool {
        let quiet = |x: EventId| !g.event(x).attrs.meets(self.beginners) && g.note(x) & self.bit == 0;
        let ev = g.event(e);
        let far = || match self.far_at_location {
            true => std::iter::successors(g.po_loc_pred(e), |&x| g.po_loc_pred(x)).all(quiet),
            false => false,
        };
        !matches!(ev.kind, Kind::Join | Kind::Depart)
            && match pred {
                Some(p) => quiet(p) && (self.from_far_po.is_empty() || far()),
                None => g.spawn_of(ev.tid).is_none(),
            }
            && g.rf(e).is_none_or(|w| w.is_init() || quiet(w))
            // Other parts of the access are between the halves.
            && (!g.has_parts() || g.rmw_read_of(e).is_none_or(quiet))
    }

    /// Takes over from the predecessor `x` what it has; the main clock so far is passed through.
    fn take(
        &self,
        takes: &[Take],
        g: &mut ExecutionGraph,
        x: EventId,
        e: EventId,
        attrs: Attrs,
        main: ClockId,
    ) -> ClockId {
        let mut main = main;
        let (ev, own) = (g.event(x), g.event(e).tid);
        let all = if ev.tid == own { 0 } else { ev.part.after as u32 };
        let (before, tid, idx) = (ev.attrs, ev.tid, ev.idx + all);
        // No unfinished words are on their way through `x`.
        let quiet = g.note(x) & self.bit == 0;
        for take in takes {
            // Words that begin come first.
            if quiet && take.from.is_some() {
                break;
            }
            if !take.guard.holds(before) {
                continue;
            }
            let so_far = match &take.to {
                Ok(slot) if !self.alive[slot - self.main - 1].holds(attrs) => continue,
                Ok(slot) => g.clock(e, *slot),
                Err(done) if done.holds(attrs) => main,
                Err(_) => continue,
            };
            if !take.letter.is_plain() && !take.letter.allows(g, x, e) {
                continue;
            }
            let clock = match take.from {
                None if take.to.is_err() && g.clocks().get(main, tid) >= idx => continue,
                None => {
                    let known = g.clock(x, self.main);
                    g.clocks_mut().join_with(so_far, known, tid, idx)
                }
                Some(slot) => {
                    let words = g.clock(x, slot);
                    if words == ClockId::EMPTY || words == so_far {
                        continue;
                    }
                    g.clocks_mut().join(so_far, words)
                }
            };
            match &take.to {
                Ok(slot) => {
                    g.set_clock(e, *slot, clock);
                    if clock != ClockId::EMPTY {
                        g.set_note(e, g.note(e) | self.bit);
                    }
                }
                Err(_) => main = clock,
            }
        }
        main
    }
}

fn states_of(p: &Positions, classes: Option<&Classes>) -> Vec<State> {
    let accept = |q: usize| p.last.iter().find(|(s, _)| *s == q).map_or(Guard::never(), |(_, g)| g.clone());
    let is_finished = |from: usize, guard: &Guard, to: usize| {
        let finished = accept(from);
        let here = |g: &Guard| match classes {
            Some(classes) => classes.between(g, Some(p.letters[from]), Some(p.letters[to])),
            None => g.clone(),
        };
        here(&guard.or(&finished)) == here(&finished)
    };
    (0..p.letters.len())
        .map(|q| {
            let letter = p.letters[q];
            let starts = p.first.iter().filter(|(_, to)| *to == q);
            let follows = p.follow.iter().filter(|(_, _, to)| *to == q);
            let rules = starts
                .map(|(guard, _)| (From::Start, guard, true))
                .chain(follows.map(|(s, guard, _)| (From::State(*s), guard, is_finished(*s, guard, q))))
                .map(|(from, guard, done)| Rule { from, guard: guard.clone(), letter, after_finished: done })
                .collect();
            State { rules, accept: accept(q) }
        })
        .collect()
}

/// Which states' words are continued by others.
fn continued(states: &[State]) -> Vec<bool> {
    let mut used = vec![false; states.len()];
    for rule in states.iter().flat_map(|s| &s.rules) {
        if let From::State(s) = rule.from {
            used[s] = true;
        }
    }
    used
}

/// Drops rules that say nothing new, and joins states that are reached in the same ways.
fn simplify(states: &mut Vec<State>) {
    loop {
        // A word of which the events before are before anyway may as well start again where it is.
        let covered = covered(states);
        for state in states.iter_mut() {
            let starts: Vec<Rule> = state.rules.iter().filter(|r| r.from == From::Start).cloned().collect();
            state.rules.retain(|r| match r.from {
                From::Start => true,
                From::State(s) => {
                    !((covered[s] || r.after_finished)
                        && starts.iter().any(|t| t.letter == r.letter && t.guard.or(&r.guard) == t.guard))
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
            drop_own_thread(states);
            return drop_unreached(states);
        };
        let accept = states[b].accept.clone();
        states[a].accept = states[a].accept.or(&accept);
        states.remove(b);
        for rule in states.iter_mut().flat_map(|s| &mut s.rules) {
            if let From::State(s) = &mut rule.from {
                *s = if *s == b {
                    a
                } else if *s > b {
                    *s - 1
                } else {
                    *s
                };
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

/// The states whose words are all in the view already: those that are finished wherever they are, and those
/// that go on from such words along `po`, of which the view is made.
fn covered(states: &[State]) -> Vec<bool> {
    let mut covered = vec![true; states.len()];
    loop {
        let from_covered = |r: &Rule| match r.from {
            From::Start => true,
            From::State(s) => covered[s] || r.after_finished,
        };
        let along_po = |r: &Rule| matches!(r.letter.base, Base::PoImm | Base::Po | Base::Rmw);
        let fewer = states.iter().zip(&covered).position(|(state, covered)| {
            *covered
                && !state.accept.is_always()
                && !state.rules.iter().all(|r| along_po(r) && from_covered(r))
        });
        match fewer {
            Some(state) => covered[state] = false,
            None => return covered,
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

/// Unguarded neighbour steps that nothing continues only repeat what the thread's own clock says.
fn drop_own_thread(states: &mut [State]) {
    let used = continued(states);
    let po = Letter::plain(Base::PoImm);
    for (state, used) in states.iter_mut().zip(used) {
        if state.accept.is_always() && !used {
            state.rules.retain(|r| !(r.from == From::Start && r.letter == po && r.guard.is_always()));
        }
    }
}

/// States that no word leads to never have a clock, and the clocks of those from which no word is ever
/// finished are not asked for.
fn drop_unreached(states: &mut Vec<State>) {
    let n = states.len();
    let (mut reached, mut useful) = (vec![false; n], vec![false; n]);
    for _ in 0..n {
        for (q, state) in states.iter().enumerate() {
            reached[q] |= state.rules.iter().any(|r| match r.from {
                From::Start => true,
                From::State(s) => reached[s],
            });
            useful[q] |= !state.accept.is_never();
            for rule in &state.rules {
                if let From::State(s) = rule.from {
                    useful[s] |= useful[q];
                }
            }
        }
    }
    let kept: Vec<usize> = (0..n).filter(|q| reached[*q] && useful[*q]).collect();
    let number = |s: usize| kept.iter().position(|k| *k == s);
    let all = std::mem::take(states);
    for state in kept.iter().map(|q| &all[*q]) {
        let rules = state.rules.iter().filter_map(|r| {
            let from = match r.from {
                From::Start => From::Start,
                From::State(s) => From::State(number(s)?),
            };
            Some(Rule { from, ..r.clone() })
        });
        states.push(State { rules: rules.collect(), accept: state.accept.clone() });
    }
}
