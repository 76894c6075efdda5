//! Whether events may be added in the order of their threads although the model follows dependencies.
//!
//! Under such a model a write may be seen by others before a read that comes before it in its thread is
//! made, if nothing orders the two: the pair is *loose*. Only then may `po | rf` have a cycle. So where an
//! exploration that keeps to program order finds no loose pair that could be part of one, it has found
//! everything, and at the cost of a model without dependencies. `docs/dependencies.md` has the argument
//! ("In program order").
//!
//! What is watched for: a write `w` is added, another thread has a read `r` of its location, and `r` comes
//! before `w` in `po | rf`, but by no path without a loose pair. Then `r` might read from `w`; what was
//! explored does not count, and is explored by following dependencies.
//!
//! What an event is ordered after in its thread is in `thread_order.rs`.

use crate::early::{Early, conditional};
use crate::explorer::Explorer;
use crate::report::GaveUp;
use crate::thread_order::{Orders, other, other_outcome};
use crate::threads::Threads;
use selvedge_graph::{Attrs, DepSet, Deps, EventId, ExecutionGraph, Kind, Tid};
use selvedge_machine::{Again, Machine};
use selvedge_model::Model;
use selvedge_model::relational::Local;
use std::collections::HashSet;

/// What is known of the order within threads.
#[derive(Debug, Default)]
pub(crate) struct InOrder {
    /// What the events of threads are ordered after.
    orders: Orders,
    /// By event, if it is a write or the creation of a thread.
    exits: Vec<Exit>,
    /// There was such an event.
    any: bool,
    /// One of them was in doubt.
    doubts: bool,
    /// By what is true of two events of a thread: whether the first is before the second whatever stands
    /// between them.
    firm: Vec<(Attrs, Attrs, bool)>,
    /// What is known of compare-and-swaps that are read back.
    early: Early,
}

/// A write, or the creation of a thread.
#[derive(Clone, Debug, Default)]
struct Exit {
    /// What comes before it in its thread, lets others in and is not ordered before it.
    loose: DepSet,
    /// There is nothing of that kind by what the events before it are alone. What is before it in its thread
    /// stays as it is as long as it is there.
    firm: bool,
    /// A compare-and-swap before it would not be ordered before it with the other outcome, and with this one
    /// orders more: executions with the other one may not be found (`docs/dependencies.md`, "Outcomes").
    doubtful: bool,
}

impl InOrder {
    /// Standings have other numbers from now on.
    pub(crate) fn forget(&mut self) {
        self.orders.clear();
    }

    /// Whether all reads before `e` in its thread are ordered before it by what they are alone: then nothing
    /// has to be known of the others.
    fn is_firm<M: Machine>(
        &mut self,
        threads: &Threads<M::State>,
        g: &ExecutionGraph,
        local: &Local,
        e: EventId,
    ) -> bool {
        let ev = g.event(e);
        for &x in g.thread(ev.tid)[..ev.idx as usize - 1].iter().rev() {
            let other = g.event(x);
            if is_exit(other.kind)
                && other.attrs == ev.attrs
                && self.exits.get(x.index()).is_some_and(|exit| exit.firm)
            {
                return true; // What is before that one was asked about the same.
            }
            let is_fine = !lets_in(other.kind)
                || self.is_before(local, other.attrs, ev.attrs)
                    && other_outcome(threads.op_of(x), other.attrs)
                        .is_none_or(|attrs| self.is_before(local, attrs, ev.attrs));
            if !is_fine {
                return false;
            }
        }
        true
    }

    /// Whether an event is ordered after each earlier one of its thread with these attributes.
    fn is_before(&mut self, local: &Local, first: Attrs, second: Attrs) -> bool {
        if let Some((.., is)) = self.firm.iter().find(|(a, b, _)| (*a, *b) == (first, second)) {
            return *is;
        }
        let is = local.orders(first, second);
        self.firm.push((first, second, is));
        is
    }

    /// Whether an exit, which some reads are not ordered before in any case (`loose`), comes after a
    /// compare-and-swap of them that orders itself or its write before it, or before an earlier exit, by its
    /// outcome alone.
    fn is_doubtful<M: Machine>(
        &self,
        threads: &Threads<M::State>,
        g: &ExecutionGraph,
        e: EventId,
        loose: &DepSet,
    ) -> bool {
        let ev = g.event(e);
        let (events, line) = (g.thread(ev.tid), self.orders.line(ev.tid));
        loose.iter().any(|h| {
            let read = events[h as usize - 1];
            let write = g.rmw_write_of(read);
            let by_outcome = |at: usize| {
                let past = line.at(at as u32 + 1).now.as_ref().map(|now| &now.past);
                past.is_some_and(|past| past.contains(h) || write.is_some() && past.contains(h + 1))
            };
            let exits = |at: &usize| is_exit(g.event(events[*at]).kind) && Some(events[*at]) != write;
            other(threads.op_of(read)).is_some()
                && (h as usize..ev.idx as usize).filter(exits).any(by_outcome)
        })
    }
}

/// Whether other threads see such an event.
fn is_exit(kind: Kind) -> bool {
    matches!(kind, Kind::Write | Kind::Spawn)
}

/// Whether other threads are seen at such an event.
fn lets_in(kind: Kind) -> bool {
    matches!(kind, Kind::Read | Kind::Join | Kind::Depart)
}

impl<M: Machine> Explorer<'_, M> {
    /// A read was added, and has no source yet. It may see in other executions what a compare-and-swap of its
    /// thread stores before that is known to succeed (`early.rs`).
    #[inline]
    pub(crate) fn watch_load(&mut self, e: EventId) {
        if self.rmws && self.model.buffering().is_some() {
            self.watch_reading_back(e);
            let (g, watch) = (&self.graph, &self.in_order);
            let ev = g.event(e);
            let in_doubt =
                |w: &EventId| !w.is_init() && g.event(*w).tid != ev.tid && watch.exits[w.index()].doubtful;
            if watch.doubts && g.co(ev.loc).iter().any(in_doubt) {
                self.stats.gave_up = Some(GaveUp::Again(Again::LoadBuffering));
            }
        }
    }

    fn watch_reading_back(&mut self, e: EventId) {
        let Some(order) = self.model.buffering() else { return };
        let (g, threads, watch) = (&self.graph, &self.threads, &mut self.in_order);
        let op = threads.op_of(e);
        let deps = || threads.state_of(e).map_or(Deps::NONE, |state| self.machine.deps(state));
        if watch.early.may_succeed(&order.local, op, deps) {
            self.stats.gave_up = Some(GaveUp::Again(Again::LoadBuffering));
            return;
        }
        let mut before = g.po_loc_pred(e);
        while let Some(x) = before {
            before = g.po_loc_pred(x);
            let other = g.event(x);
            let is_sure = || g.rmw_read_of(x).is_none_or(|r| conditional(threads.op_of(r)).is_none());
            if other.is_write() && is_sure() {
                return; // That would be read.
            }
            if other.is_read() && watch.early.may_forward(&order.local, threads.op_of(x), op) {
                watch.orders.update(self.machine, threads, g, order, e);
                let ev = g.event(e);
                if !watch.orders.line(ev.tid).at(ev.idx).past.contains(other.idx) {
                    self.stats.gave_up = Some(GaveUp::Again(Again::LoadBuffering));
                    return;
                }
            }
        }
    }

    /// A write or the creation of a thread was added, and its clocks are known.
    pub(crate) fn watch_order(&mut self, e: EventId) {
        let Some(order) = self.model.buffering() else { return };
        let (g, watch) = (&self.graph, &mut self.in_order);
        let ev = g.event(e);
        let mut loose = DepSet::EMPTY;
        let firm = watch.is_firm::<M>(&self.threads, g, &order.local, e);
        if !firm || cfg!(debug_assertions) {
            watch.orders.update(self.machine, &self.threads, g, order, e);
            let line = watch.orders.line(ev.tid);
            let entry = line.at(ev.idx);
            for x in g.thread(ev.tid)[..ev.idx as usize - 1].iter().map(|&x| g.event(x)) {
                if lets_in(x.kind) && !entry.past.contains(x.idx) {
                    loose.insert(x.idx);
                }
            }
            // A compare-and-swap may be ordered by one thing if it succeeds and by another if it fails.
            let either = |h: u32| other(self.threads.op_of(g.thread(ev.tid)[h as usize - 1])).is_some();
            debug_assert!(!firm || loose.iter().all(either), "{ev:?} comes after {loose:?} by what they are");
            if firm {
                loose = DepSet::EMPTY;
            }
        }
        watch.any |= !loose.is_empty();
        if watch.exits.len() <= e.index() {
            watch.exits.resize(e.index() + 1, Exit::default());
        }
        let doubtful = !loose.is_empty() && watch.is_doubtful::<M>(&self.threads, g, e, &loose);
        watch.doubts |= doubtful;
        watch.exits[e.index()] = Exit { loose, firm, doubtful };
        let noticed = doubtful && ev.kind == Kind::Write && is_read_elsewhere(g, e)
            || watch.any && ev.kind == Kind::Write && may_close_cycle(self.model, g, &watch.exits, e);
        if noticed {
            self.stats.gave_up = Some(GaveUp::Again(Again::LoadBuffering));
        }
    }
}

/// Whether another thread has read the location of `w`.
fn is_read_elsewhere(g: &ExecutionGraph, w: EventId) -> bool {
    let ev = g.event(w);
    let others = (0..g.threads() as u16).map(Tid).filter(|t| *t != ev.tid);
    others.flat_map(|t| g.accesses_after(ev.loc, t, 0)).any(|x| g.event(x).is_read())
}

/// Whether another thread's read of the location that `w` writes comes before `w` by a path with a loose
/// pair, and by none without.
fn may_close_cycle(model: &Model, g: &ExecutionGraph, watched: &[Exit], w: EventId) -> bool {
    let ev = g.event(w);
    let past = model.causes(g, w);
    let read = |r: &EventId| {
        let other = g.event(*r);
        other.is_read() && other.loc == ev.loc && other.tid != ev.tid && past.has(other)
    };
    let reads: Vec<EventId> = g.order().iter().copied().filter(read).collect();
    if reads.is_empty() {
        return false;
    }
    let is_before = |x: EventId, y: EventId| x == y || model.causes(g, y).has(g.event(x));
    let exits =
        g.order().iter().copied().filter(|&v| is_exit(g.event(v).kind) && (v == w || past.has(g.event(v))));
    let pairs = exits.flat_map(|v| {
        let thread = g.thread(g.event(v).tid);
        let loose = watched.get(v.index()).map(|exit| exit.loose.iter());
        loose.into_iter().flatten().map(|idx| thread[idx as usize - 1])
    });
    let late: Vec<EventId> = pairs.collect();
    let mut suspects = reads.iter().filter(|&&r| late.iter().any(|&h| is_before(r, h))).peekable();
    if suspects.peek().is_none() {
        return false;
    }
    let prefix = reads_in_prefix(g, watched, w);
    suspects.any(|r| !prefix.contains(r))
}

/// Reads that come before `w` by reading from other threads and by pairs that are not loose: they are part of
/// its causal prefix, whatever other reads come to.
fn reads_in_prefix(g: &ExecutionGraph, watched: &[Exit], w: EventId) -> HashSet<EventId> {
    let mut found = HashSet::new();
    let mut writes = vec![w];
    while let Some(v) = writes.pop() {
        let Some(exit) = watched.get(v.index()) else { continue };
        let ev = g.event(v);
        for &x in &g.thread(ev.tid)[..ev.idx as usize - 1] {
            let other = g.event(x);
            if other.kind != Kind::Read || exit.loose.contains(other.idx) || !found.insert(x) {
                continue;
            }
            let source = g.rf(x).filter(|s| !s.is_init() && g.event(*s).tid != ev.tid);
            writes.extend(source);
        }
    }
    found
}
