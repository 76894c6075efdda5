//! A model, ready to answer.

use crate::classes::Classes;
use crate::cycle::CycleCheck;
use crate::epoch;
use crate::guard::Test;
use crate::in_order::Buffering;
use crate::parts;
use crate::relational::Local;
use crate::search::{self, Search};
use crate::strands;
use crate::view::View;
use selvedge_graph::{Attrs, ClockId, Event, EventId, ExecutionGraph, Kind, Loc, Mode, Tid};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The slot of the clock of causal order, `(po | rf | tc | tj)+`, which every graph has.
pub(crate) const CAUSAL: usize = 0;

/// A memory model compiled from its text.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) name: String,
    /// The events of the programs that it is for; `None` if it is for all.
    pub(crate) classes: Option<Classes>,
    /// The first is causal order.
    pub(crate) views: Vec<View>,
    pub(crate) slots: usize,
    /// Clock slots of the views that coherence is asked of.
    pub(crate) coherence: Vec<usize>,
    /// The view of the only entry of `coherence`.
    pub(crate) coherence_view: Option<usize>,
    pub(crate) cycles: Vec<CycleCheck>,
    /// Sequential consistency, if it is quicker to find out than the constraints of the model: all their
    /// steps go along `po`, `rf`, coherence and from-read, so where those have no cycles, they have none.
    pub(crate) interleaved: Option<CycleCheck>,
    /// Errors before warnings.
    pub(crate) errors: Vec<ErrorCheck>,
    pub(crate) orders_threads: bool,
    /// The slot of the clock that says what a revisit may not delete: `CAUSAL`, or one of its own.
    pub(crate) prefix: usize,
    /// It follows dependencies: what is to be watched for.
    pub(crate) buffering: Option<Arc<Buffering>>,
    /// What is found for each thread by itself.
    pub(crate) strands: Option<Arc<Local>>,
    /// The slot of the view that is the language's happens-before, if it is known.
    pub(crate) happens_before: Option<usize>,
}

/// An `error` or `warning` axiom: every pair of `left` must be in `right`, in one of its directions
/// if `left` has both.
#[derive(Clone, Debug)]
pub(crate) struct ErrorCheck {
    pub name: String,
    pub warning: bool,
    pub left: Reach,
    pub right: Right,
    pub needs: Option<Attrs>,
    /// Where `left` relates accesses of one location by what they are, and `right` is a view: the tests
    /// on the two, for checking one access at a time.
    pub conflicts: Vec<(Test, Test)>,
    /// Plain accesses of one location must be ordered if one of them is a write.
    pub orders_plain: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Right {
    View(usize),
    Reach(Reach),
}

/// The pairs that a term relates, by search from one end.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    pub positions: Arc<crate::glushkov::Positions>,
}

/// An error of the program that only the model knows, such as a data race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelError {
    pub name: String,
    pub warning: bool,
    pub first: EventId,
    pub second: EventId,
}

/// Memory for searches, one per explorer.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) search: Search,
    open: Vec<EventId>,
    seen: Vec<EventId>,
}

/// The causal prefix of an event; see [`Model::past`].
#[derive(Clone, Copy, Debug)]
pub struct Past<'g> {
    tid: Tid,
    idx: u32,
    known: &'g [u32],
}

impl<'g> Past<'g> {
    pub(crate) fn of(g: &'g ExecutionGraph, e: EventId, slot: usize) -> Past<'g> {
        let ev = g.event(e);
        Past { tid: ev.tid, idx: ev.idx, known: g.clocks().slice(g.clock(e, slot)) }
    }

    /// Whether an event, which is not the initialising one, is in it.
    #[inline]
    pub fn has(self, x: &Event) -> bool {
        if x.tid == self.tid { x.idx < self.idx } else { self.known[x.tid.index()] >= x.idx }
    }
}

impl Model {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the model may be asked about programs that have such events.
    pub fn is_for(&self, attrs: Attrs) -> bool {
        self.classes.as_ref().is_none_or(|classes| classes.has(attrs))
    }

    /// The events of the programs that it is for; `None` if it is for all.
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.as_ref()
    }

    /// How many clocks each event of a graph needs.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Whether a graph has to keep track of dependencies.
    pub fn needs_deps(&self) -> bool {
        self.cycles.iter().any(|check| check.letters().iter().any(|letter| letter.needs_deps()))
    }

    /// Attributes whose events a graph must count.
    pub fn counted(&self) -> Attrs {
        let cycles = self.cycles.iter().filter_map(|c| c.needs);
        let errors = self.errors.iter().filter_map(|e| e.needs);
        cycles.chain(errors).fold(Attrs::NONE, |all, a| all | a)
    }

    /// Whether the model says how the creation and the end of threads order events.
    pub fn orders_threads(&self) -> bool {
        self.orders_threads
    }

    /// The same model, with a clock of its own for causal prefixes: an explorer may put more into it than the
    /// model is to know.
    pub fn with_prefix_apart(&self) -> Model {
        let mut model = self.clone();
        if !model.has_prefix_apart() {
            let view = model.views[0].moved_to(model.slots);
            model.prefix = model.slots;
            model.slots += view.slots();
            model.views.push(view);
        }
        model
    }

    /// Whether an execution of this model has an interleaving of its threads that explains it.
    pub fn is_interleaving(&self) -> bool {
        self.cycles.iter().any(CycleCheck::is_interleaving)
    }

    /// Whether a plain write and any other access of its location are an error, unless a relation orders
    /// them that coherence is asked of. Who reads from the past of such a write is not ordered after it: nor
    /// before it, as clocks are of relations inside of causal order.
    pub fn has_coherent_races(&self) -> bool {
        let modes = [Mode::Na, Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];
        let write = Attrs::of(Kind::Write, Mode::Na, false);
        let mut others = Vec::new();
        for mode in modes {
            for (kind, rmw) in
                [(Kind::Read, false), (Kind::Write, false), (Kind::Read, true), (Kind::Write, true)]
            {
                others.push(Attrs::of(kind, mode, rmw));
            }
        }
        self.errors.iter().any(|check| {
            let ordered = matches!(check.right, Right::View(slot) if self.coherence.contains(&slot));
            ordered && !check.warning && others.iter().all(|other| check.conflict(write, *other))
        })
    }

    /// Whether two accesses are only an error together if one of them is plain and one a write.
    pub fn races_are_of_plain_accesses(&self) -> bool {
        let modes = [Mode::Na, Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];
        let kinds = [(Kind::Read, false), (Kind::Write, false), (Kind::Read, true), (Kind::Write, true)];
        let all: Vec<(Kind, Mode, Attrs)> = modes
            .into_iter()
            .flat_map(|mode| kinds.map(|(kind, rmw)| (kind, mode, Attrs::of(kind, mode, rmw))))
            .collect();
        let is_race = |a: Kind, b: Kind, x: Mode, y: Mode| {
            (a == Kind::Write || b == Kind::Write) && (x == Mode::Na || y == Mode::Na)
        };
        self.errors.iter().filter(|check| !check.warning).all(|check| {
            !check.conflicts.is_empty()
                && all.iter().all(|(a, x, first)| {
                    all.iter()
                        .all(|(b, y, second)| is_race(*a, *b, *x, *y) || !check.conflict(*first, *second))
                })
        })
    }

    /// Whether the model says what an error is, be it that there is none.
    pub fn defines_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The same model, with what another one calls an error. The clocks that this takes come beside its own:
    /// what is consistent stays as it is. `None` if there are too many.
    pub fn with_errors_of(&self, other: &Model) -> Option<Model> {
        let mut model = self.clone();
        for check in &other.errors {
            let mut check = check.clone();
            if let Right::View(slot) = &mut check.right {
                let view = other.views.iter().find(|v| v.main() == *slot)?;
                *slot = model.add_view(view)?;
                model.happens_before = Some(*slot);
            }
            model.errors.push(check);
        }
        model.errors.sort_by_key(|check| check.warning);
        model.note_epochs();
        model.note_idle_views();
        Some(model)
    }

    /// The same model, which knows of another one's happens-before and takes nothing for an error because of
    /// it. `None` if there are too many clocks.
    pub fn with_happens_before_of(&self, other: &Model) -> Option<Model> {
        let mut model = self.with_errors_of(other)?;
        model.errors.clone_from(&self.errors);
        model.note_idle_views();
        Some(model)
    }

    /// Whether what it asks coherence of does not go along reads: then it says nothing of what threads learn
    /// from each other, and only the language does.
    pub fn is_local(&self) -> bool {
        // What was added to it only finds sooner what it says.
        if self.buffering.as_ref().is_some_and(|b| b.synchronises) {
            return true;
        }
        self.coherence.first().is_some_and(|slot| *slot != CAUSAL)
            && self.coherence_view.is_some_and(|view| !self.views[view].goes_along_reads())
    }

    /// Finds out for which errors the latest accesses tell.
    pub(crate) fn note_epochs(&mut self) {
        let coherence = &self.coherence;
        for check in &mut self.errors {
            // Every view is part of causal order.
            let asked = |slot: usize| coherence.contains(&slot) || coherence.contains(&CAUSAL);
            let of_coherence = matches!(check.right, Right::View(slot) if asked(slot));
            check.orders_plain = epoch::orders_plain(check, of_coherence);
        }
    }

    /// Finds out which views nobody asks, with the events that there are: those of errors that take an event
    /// of a kind that does not come up, if nothing else is made of them. What happens before, by the
    /// language, is only asked for beyond what is seen, which may be all of causal order.
    pub(crate) fn note_idle_views(&mut self) {
        let sees_all = self.coherence.first() == Some(&CAUSAL);
        let never = |attr: Attrs| self.classes.as_ref().is_some_and(|classes| !classes.some_has(attr));
        let is_asked = |slot: usize| {
            let by_search = self.cycles.iter().chain(&self.interleaved).any(|check| check.asks(slot));
            let by_error = |check: &ErrorCheck| {
                check.asks(slot) && !check.needs.is_some_and(never) && check.left.has_words()
            };
            [CAUSAL, self.prefix].contains(&slot)
                || self.coherence.contains(&slot)
                || by_search
                || self.errors.iter().any(by_error)
                || !sees_all && self.happens_before == Some(slot)
        };
        let follows = self.buffering.is_some() || self.strands.is_some();
        let idle: Vec<bool> = self.views.iter().map(|view| !follows && !is_asked(view.main())).collect();
        self.views.iter_mut().zip(idle).for_each(|(view, idle)| view.idle = idle);
    }

    fn add_view(&mut self, view: &View) -> Option<usize> {
        if let Some(same) = self.views.iter().find(|v| v.same_as(view)) {
            return Some(same.main());
        }
        let mut view = view.moved_to(self.slots);
        if view.slots() > 1 {
            let used = self.views.iter().fold(0, |bits, v| bits | v.bit);
            view.bit = 1u8.checked_shl(u8::BITS - used.leading_zeros())?;
        }
        self.slots += view.slots();
        let slot = view.main();
        self.views.push(view);
        Some(slot)
    }

    pub fn has_prefix_apart(&self) -> bool {
        self.prefix != CAUSAL
    }

    // ---- clocks ----

    /// Adds `x` and all before it to the causal prefix of `e`, the latest event of another thread. The model
    /// must have a clock of its own for that.
    pub fn add_to_prefix(&self, g: &mut ExecutionGraph, x: EventId, e: EventId) {
        debug_assert!(self.has_prefix_apart());
        let ev = g.event(x);
        let (tid, idx) = (ev.tid, ev.idx);
        let (so_far, known) = (g.clock(e, self.prefix), g.clock(x, self.prefix));
        let clock = g.clocks_mut().join_with(so_far, known, tid, idx);
        g.set_clock(e, self.prefix, clock);
    }

    /// Computes the clocks of an event that was just added, or whose source just changed.
    #[inline]
    pub fn update_clocks(&self, g: &mut ExecutionGraph, e: EventId) {
        let pred = g.po_pred(e);
        let (causal, others) = self.views.split_first().expect("causal order is a view");
        causal.update(g, e, pred);
        if !others.is_empty() {
            self.update_others(g, e, pred);
        }
        if self.strands.is_some() {
            g.forget_strands(e);
        }
    }

    #[inline(never)]
    fn update_others(&self, g: &mut ExecutionGraph, e: EventId, pred: Option<EventId>) {
        for view in self.views[1..].iter().filter(|view| !view.idle) {
            view.update(g, e, pred);
        }
    }

    /// Whether `x` is in the causal prefix of `e`.
    #[inline]
    pub fn in_prefix(&self, g: &ExecutionGraph, x: EventId, e: EventId) -> bool {
        g.includes(e, self.prefix, x)
    }

    /// Whether `x` comes before `e` in causal order, whatever else was added to the prefix.
    pub fn causally_before(&self, g: &ExecutionGraph, x: EventId, e: EventId) -> bool {
        g.includes(e, CAUSAL, x)
    }

    /// What of `e`'s causal prefix is needed to ask about many events.
    #[inline]
    pub fn past<'g>(&self, g: &'g ExecutionGraph, e: EventId) -> Past<'g> {
        Past::of(g, e, self.prefix)
    }

    /// Adds `e` and its causal prefix to a clock, the entry of its own thread included.
    #[inline]
    pub fn add_past(&self, g: &ExecutionGraph, e: EventId, clock: &mut [u32]) {
        for (entry, known) in clock.iter_mut().zip(g.clocks().slice(g.clock(e, self.prefix))) {
            *entry = (*entry).max(*known);
        }
        let ev = g.event(e);
        let own = &mut clock[ev.tid.index()];
        *own = (*own).max(ev.idx + ev.part.after as u32);
    }

    /// The causal prefix of `e` as a clock; the own thread's entry is set.
    pub fn prefix(&self, g: &ExecutionGraph, e: EventId, out: &mut Vec<u32>) {
        out.clear();
        out.extend_from_slice(g.clocks().slice(g.clock(e, self.prefix)));
        let ev = g.event(e);
        out[ev.tid.index()] = ev.idx;
    }

    // ---- candidates ----

    /// The earliest write in the coherence list of `e`'s location that `e` may read from, or directly
    /// after which it may be placed: the latest one that it knows of, itself or through a read. In
    /// every thread the accesses of a location go up in coherence, so the last known one counts.
    #[inline]
    pub fn floor(&self, g: &ExecutionGraph, e: EventId) -> usize {
        self.coherence.iter().map(|&slot| known_floor(g, e, g.clock(e, slot))).max().unwrap_or(0)
    }

    /// The floor of a read that has no source yet, and what it knows (see `known`).
    #[inline]
    pub fn floor_before_reading(&self, g: &mut ExecutionGraph, e: EventId) -> (usize, ClockId) {
        if let [slot] = self.coherence[..]
            && let Some(clock) = self.coherence_view.and_then(|v| self.views[v].before_reading(g, e))
        {
            debug_assert!({
                self.update_clocks(g, e);
                g.clock(e, slot) == clock
            });
            return (known_floor(g, e, clock), clock);
        }
        self.update_clocks(g, e);
        (self.floor(g, e), self.known(g, e))
    }

    /// Whether coherence must put `a` before `b` because of what is known of them (`wb`, thesis §4.3):
    /// `b`, or a read of it, comes after `a`, or a read of it, in a view that coherence is asked of.
    pub fn writes_before(&self, g: &ExecutionGraph, a: EventId, b: EventId) -> bool {
        let loc = g.event(b).loc;
        let around = |w: EventId| std::iter::once(w).chain(g.readers(w, loc));
        self.coherence
            .iter()
            .any(|&slot| around(b).any(|y| around(a).any(|x| x != y && g.includes(y, slot, x))))
    }

    /// What `e` knows, as far as one clock says it: the clock of the first view that coherence is asked of.
    #[inline]
    pub fn known(&self, g: &ExecutionGraph, e: EventId) -> ClockId {
        self.coherence.first().map_or(ClockId::EMPTY, |&slot| g.clock(e, slot))
    }

    /// Whether `known` is all that coherence looks at.
    #[inline]
    pub fn knows_by_one_clock(&self) -> bool {
        self.coherence.len() <= 1
    }

    /// Whether the graph is consistent with `e`, given that it was so without `e` and, for a revisit,
    /// whatever else was added with it.
    pub fn consistent_at(&self, g: &ExecutionGraph, e: EventId, scratch: &mut Scratch) -> bool {
        self.coherent_at(g, e) && self.acyclic_at(g, e, scratch)
    }

    /// Coherence with respect to all that `e` knows, including what it learns by reading.
    pub fn coherent_at(&self, g: &ExecutionGraph, e: EventId) -> bool {
        match g.event(e).kind {
            Kind::Read | Kind::Write => {
                position(g, e).is_none_or(|pos| self.floor(g, e) <= pos)
                    && (!g.has_parts() || self.parts_are_coherent_at(g, e))
            }
            _ => true,
        }
    }

    pub fn acyclic_at(&self, g: &ExecutionGraph, e: EventId, scratch: &mut Scratch) -> bool {
        if g.has_parts() && !parts::performed_at_once(g, e, &mut scratch.open, &mut scratch.seen) {
            return false;
        }
        let prepare = || {
            if let Some(local) = &self.strands {
                g.find_strands(|e| strands::of(local, g, e));
            }
        };
        let (checks, interleaved) = (self.cycles.iter(), self.interleaved.as_ref());
        search::all_hold_at(checks, interleaved, g, e, &mut scratch.search, prepare)
    }

    /// Checks everything at every event: for graphs that were not built step by step.
    pub fn consistent(&self, g: &ExecutionGraph, scratch: &mut Scratch) -> bool {
        g.order()[1..].iter().all(|&e| self.consistent_at(g, e, scratch))
    }

    /// Of the reads of `w`'s location that are not in the causal prefix of `w` and have a stamp below `end`:
    /// the smallest stamp, and the one with the largest.
    #[inline]
    pub fn revisitable(&self, g: &ExecutionGraph, w: EventId, end: u32) -> Option<(u32, EventId)> {
        let ev = g.event(w);
        let (mut first, mut last, mut latest) = (u32::MAX, 0, None);
        g.unknown_accesses(ev.loc, g.clock(w, self.prefix), ev.tid, |x, read| {
            if read.is_read() && read.stamp < end {
                first = first.min(read.stamp);
                if read.stamp >= last {
                    (last, latest) = (read.stamp, Some(x));
                }
            }
        });
        latest.map(|latest| (first, latest))
    }

    // ---- errors ----

    /// What the model calls an error in this graph.
    pub fn errors(&self, g: &ExecutionGraph) -> Vec<ModelError> {
        self.errors.iter().filter_map(|check| check.found_in(g)).collect()
    }

    /// Those of them that `race_at` does not tell: errors of another shape, and warnings.
    pub fn unnoticed_errors(&self, g: &ExecutionGraph) -> Vec<ModelError> {
        let told = |check: &&ErrorCheck| {
            !check.warning && matches!(check.right, Right::View(_)) && !check.conflicts.is_empty()
        };
        let asked = self.errors.iter().filter(|check| !told(check));
        asked.filter_map(|check| check.found_in(g)).collect()
    }

    /// Whether there may be a race among the accesses of a location and one with these attributes, by what is
    /// known of them.
    #[inline]
    pub fn may_race_at(&self, g: &ExecutionGraph, loc: Loc, attrs: Attrs) -> bool {
        let among = g.attrs_at(loc) | attrs;
        let may = |check: &ErrorCheck| {
            matches!(check.right, Right::View(_)) && check.needs.is_none_or(|a| among.has(a))
        };
        self.errors.iter().any(may)
    }

    /// What becomes an error through the access `e`, as far as that can be told from the accesses of its
    /// location: data races.
    #[inline]
    pub fn race_at(&self, g: &ExecutionGraph, e: EventId) -> Option<ModelError> {
        self.race_unless(g, e, |_, _| false)
    }

    /// The same for the access that was added last, or the read that it revisits, to a graph that had no such
    /// error: the latest accesses tell (`epoch`).
    #[inline]
    pub fn race_at_latest(&self, g: &ExecutionGraph, e: EventId) -> Option<ModelError> {
        let race =
            self.race_unless(g, e, |check, slot| !check.warning && epoch::is_ordered(check, g, e, slot));
        debug_assert_eq!(race, self.race_at(g, e));
        race
    }

    #[inline]
    fn race_unless(
        &self,
        g: &ExecutionGraph,
        e: EventId,
        is_ordered: impl Fn(&ErrorCheck, usize) -> bool,
    ) -> Option<ModelError> {
        self.errors.iter().find_map(|check| {
            let Right::View(slot) = check.right else { return None };
            // Both accesses are of this location, and one of them has the attribute.
            let loc = g.event(e).loc;
            if check.needs.is_some_and(|a| !g.attrs_at(loc).has(a)) || is_ordered(check, slot) {
                return None;
            }
            if check.may_race(g, e, slot) { check.race_at(g, e, slot) } else { None }
        })
    }

    /// Whether `e` may rely on `x` having happened, by what the model asks coherence of.
    pub fn sees(&self, g: &ExecutionGraph, e: EventId, x: EventId) -> bool {
        g.includes(e, self.coherence.first().copied().unwrap_or(CAUSAL), x)
    }

    /// The same, or by what the language says: what makes and ends objects and who accesses them is ordered
    /// by that also where the model keeps each location in order by itself.
    pub fn knows(&self, g: &ExecutionGraph, e: EventId, x: EventId) -> bool {
        self.sees(g, e, x) || self.happens_before.is_some_and(|slot| g.includes(e, slot, x))
    }
}

impl ErrorCheck {
    /// Whether it looks at the clocks of this slot.
    fn asks(&self, slot: usize) -> bool {
        let right = match &self.right {
            Right::View(view) => *view == slot,
            Right::Reach(reach) => reach.asks(slot),
        };
        right || self.left.asks(slot)
    }

    /// Whether an access that is not ordered with `e` conflicts with it.
    fn may_race(&self, g: &ExecutionGraph, e: EventId, slot: usize) -> bool {
        let ev = g.event(e);
        let among = g.attrs_at(ev.loc);
        let (a, b) = (ev.attrs, |test: &Test| test.may_hold(among));
        self.conflicts.iter().any(|(x, y)| x.holds(a) && b(y) || y.holds(a) && b(x))
            && self.has_race(g, e, slot)
    }

    pub(crate) fn conflict(&self, x: Attrs, y: Attrs) -> bool {
        self.conflicts.iter().any(|(a, b)| a.holds(x) && b.holds(y) || a.holds(y) && b.holds(x))
    }

    /// Looks at the accesses of other threads that `e` does not come after.
    fn has_race(&self, g: &ExecutionGraph, e: EventId, slot: usize) -> bool {
        let ev = g.event(e);
        let races = |x: EventId| self.conflict(g.event(x).attrs, ev.attrs) && !g.includes(x, slot, e);
        let known =
            g.clocks().slice(g.clock(e, slot)).iter().enumerate().filter(|(t, _)| *t != ev.tid.index());
        known.into_iter().any(|(t, &idx)| g.accesses_after(ev.loc, Tid(t as u16), idx).any(races))
    }

    /// The race of `e` with an access that is first in coherence, if there is one.
    #[cold]
    fn race_at(&self, g: &ExecutionGraph, e: EventId, slot: usize) -> Option<ModelError> {
        let ev = g.event(e);
        let races = |x: EventId| {
            x != e
                && !x.is_init()
                && self.conflict(g.event(x).attrs, ev.attrs)
                && !g.includes(e, slot, x)
                && !g.includes(x, slot, e)
        };
        // Writes conflict with all accesses, reads with writes only.
        let with_readers = ev.kind == Kind::Write;
        let first = g.co(ev.loc).iter().find_map(|&w| {
            let mut readers = g.readers(w, ev.loc).take(if with_readers { usize::MAX } else { 0 });
            if races(w) { Some(w) } else { readers.find(|&r| races(r)) }
        })?;
        Some(ModelError { name: self.name.clone(), warning: self.warning, first, second: e })
    }

    fn found_in(&self, g: &ExecutionGraph) -> Option<ModelError> {
        if self.needs.is_some_and(|a| g.count_of(a) == 0) {
            return None;
        }
        let (first, second) = self.violation(g)?;
        Some(ModelError { name: self.name.clone(), warning: self.warning, first, second })
    }

    fn violation(&self, g: &ExecutionGraph) -> Option<(EventId, EventId)> {
        let events: Vec<EventId> = by_thread(g).collect();
        let left: Vec<Vec<EventId>> = events.iter().map(|&x| self.left.from(g, x)).collect();
        let has = |x: EventId, y: EventId| {
            events.iter().position(|&e| e == x).is_some_and(|i| left[i].contains(&y))
        };
        for (i, &x) in events.iter().enumerate() {
            for &y in &left[i] {
                if x == y || self.right.has(g, x, y) || (has(y, x) && self.right.has(g, y, x)) {
                    continue;
                }
                return Some((x, y));
            }
        }
        None
    }
}

/// The latest place in coherence of `e`'s location that is known to the own thread before `e`, or by a
/// clock.
#[inline]
pub(crate) fn known_floor(g: &ExecutionGraph, e: EventId, clock: ClockId) -> usize {
    let ev = g.event(e);
    let last = g.co(ev.loc).len() - 1;
    if last == 0 {
        return 0;
    }
    let mut floor = g.po_loc_pred(e).and_then(|x| position(g, x)).unwrap_or(0);
    if clock == ClockId::EMPTY || floor == last {
        return floor;
    }
    g.known_accesses(ev.loc, clock, ev.tid, |x| {
        floor = floor.max(g.place_of(x).unwrap_or(0));
        if floor == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    floor
}

/// Where in coherence an access is: a write's own place, or its source's.
#[inline]
pub(crate) fn position(g: &ExecutionGraph, e: EventId) -> Option<usize> {
    g.place_of(g.event(e))
}

/// All events, thread by thread: an order that does not depend on how the graph was made.
fn by_thread(g: &ExecutionGraph) -> impl Iterator<Item = EventId> {
    let threads = (0..g.threads() as u16).flat_map(|t| g.thread(Tid(t)).iter().copied());
    std::iter::once(EventId::INIT).chain(threads)
}

impl Right {
    fn has(&self, g: &ExecutionGraph, x: EventId, y: EventId) -> bool {
        match self {
            Right::View(slot) => !y.is_init() && x != y && g.includes(y, *slot, x),
            Right::Reach(reach) => reach.from(g, x).contains(&y),
        }
    }
}

impl Reach {
    /// Whether there is anything that it may relate.
    fn has_words(&self) -> bool {
        let p = &self.positions;
        !p.empty.is_never() || p.first.iter().any(|(guard, _)| !guard.is_never())
    }

    fn asks(&self, slot: usize) -> bool {
        self.positions.letters.iter().any(|letter| letter.asks(slot))
    }

    /// The events that a word of the term leads to from `x`.
    fn from(&self, g: &ExecutionGraph, x: EventId) -> Vec<EventId> {
        let p = &self.positions;
        let mut seen: Vec<(EventId, usize)> = Vec::new();
        let mut out: Vec<EventId> = Vec::new();
        if p.empty.holds(g.event(x).attrs) {
            out.push(x);
        }
        let reach = |seen: &mut Vec<(EventId, usize)>, from: EventId, q: usize| {
            p.letters[q].successors(g, from, |y| {
                if !seen.contains(&(y, q)) {
                    seen.push((y, q));
                }
            });
        };
        for (guard, q) in &p.first {
            if guard.holds(g.event(x).attrs) {
                reach(&mut seen, x, *q);
            }
        }
        let mut at = 0;
        while at < seen.len() {
            let (y, q) = seen[at];
            at += 1;
            let attrs = g.event(y).attrs;
            if p.last.iter().any(|(s, guard)| *s == q && guard.holds(attrs)) && !out.contains(&y) {
                out.push(y);
            }
            for (s, guard, t) in &p.follow {
                if *s == q && guard.holds(attrs) {
                    reach(&mut seen, y, *t);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Happens-before of the language, beside a model that sees all of causal order, is for races; without
    /// plain accesses there are none.
    #[test]
    fn clocks_are_kept_where_somebody_asks_for_them() {
        let races = selvedge_kat::races_of_c().expect("it parses");
        let is_idle = |name: &str, mode: Mode| {
            let theory = selvedge_kat::load_named(name).expect("a shipped model parses");
            let accesses = [Kind::Read, Kind::Write].map(|kind| Attrs::of(kind, mode, false));
            let atomic = Attrs::of(Kind::Write, Mode::Rel, false);
            let classes = Classes::new(accesses.into_iter().chain([atomic]));
            let model = Model::compile_for(&theory, &classes).expect("it has clocks");
            let races = Model::compile_for(&races, &classes).expect("it has clocks");
            let model = model.with_errors_of(&races).expect("there is room");
            let slot = model.happens_before.expect("it is known");
            model.views.iter().any(|view| view.main() == slot && view.idle)
        };
        assert!(is_idle("sc", Mode::Rlx));
        assert!(!is_idle("sc", Mode::Na));
    }
}
