//! Whether events may be added in the order of their threads although the model follows dependencies.
//!
//! Under such a model a write may be seen by others before a read that comes before it in its thread is
//! made, if nothing orders the two: the pair is *loose*. Only then may `po | rf` have a cycle. So where an
//! exploration that keeps to program order finds no loose pair that could be part of one, it has found
//! everything, and at the cost of a model without dependencies. `docs/dependencies.md` has the argument
//! ("In program order").
//!
//! What is watched for: a write `w` is added, another thread has a read `r` of its location, and `r` comes
//! before `w` in `po | rf`, by a path on which some pair is loose. Then `r` might read from `w`; what was
//! explored does not count, and is explored by following dependencies.
//!
//! What an event is ordered after in its thread is found as for causal prefixes (`follow/order.rs`): an
//! order that depends on the outcome of a compare-and-swap counts only if it is there with the other
//! outcome, too.

use crate::early::{Early, conditional};
use crate::explorer::Explorer;
use crate::report::GaveUp;
use crate::threads::{Standing, Threads};
use selvedge_graph::{Attrs, DepSet, Deps, EventId, ExecutionGraph, Kind, Tid};
use selvedge_machine::{Again, Machine, Op, Rmw};
use selvedge_model::relational::{Local, LocalEvent};
use selvedge_model::{Buffering, Model};

/// What is known of the order within threads.
#[derive(Debug, Default)]
pub(crate) struct InOrder {
    /// By thread and position, of events as they were when this was asked for last.
    threads: Vec<Vec<Entry>>,
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

#[derive(Debug)]
struct Entry {
    /// The event came from there, with this source and this outcome.
    standing: Standing,
    source: Source,
    attrs: Attrs,
    /// What later events have of its order.
    sure: Vec<DepSet>,
    /// All that it is ordered after, directly or not.
    past: DepSet,
    /// Whether what is before it is before whatever comes after it: it is there in any case.
    passes_on: bool,
    /// The order with the outcomes as they are, from the first compare-and-swap of the thread on.
    now: Option<Now>,
}

/// What an event is ordered after as compare-and-swaps have come out.
#[derive(Debug)]
struct Now {
    sets: Vec<DepSet>,
    past: DepSet,
}

/// Where a read gets its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// It is no read, or reads what was there at the beginning.
    None,
    /// From an event of its own thread.
    Own(u32),
    Other,
}

impl InOrder {
    /// Standings have other numbers from now on.
    pub(crate) fn forget(&mut self) {
        self.threads.iter_mut().for_each(Vec::clear);
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
        let (events, line) = (g.thread(ev.tid), &self.threads[ev.tid.index()]);
        loose.iter().any(|h| {
            let read = events[h as usize - 1];
            let write = g.rmw_write_of(read);
            let by_outcome = |at: usize| {
                let past = line[at].now.as_ref().map(|now| &now.past);
                past.is_some_and(|past| past.contains(h) || write.is_some() && past.contains(h + 1))
            };
            let exits = |at: &usize| is_exit(g.event(events[*at]).kind) && Some(events[*at]) != write;
            other(threads.op_of(read)).is_some()
                && (h as usize..ev.idx as usize).filter(exits).any(by_outcome)
        })
    }

    /// Brings the entries of the thread of `e` up to date, `e` included.
    fn update<M: Machine>(
        &mut self,
        machine: &M,
        threads: &Threads<M::State>,
        g: &ExecutionGraph,
        order: &Buffering,
        e: EventId,
    ) {
        let ev = g.event(e);
        if self.threads.len() <= ev.tid.index() {
            self.threads.resize_with(ev.tid.index() + 1, Vec::new);
        }
        let line = &mut self.threads[ev.tid.index()];
        let events = &g.thread(ev.tid)[..ev.idx as usize];
        let is_known = |(entry, x): (&Entry, &EventId)| {
            let same = entry.standing == threads.origin(*x) && entry.source == source(g, *x);
            same && entry.attrs == g.event(*x).attrs
        };
        let known = line.iter().zip(events).take_while(|pair| is_known(*pair)).count();
        // Of a read-modify-write, the halves tell about each other.
        line.truncate(known);
        for at in known..events.len() {
            let entry = order_of(machine, threads, g, order, line, events[at]);
            line.push(entry);
            if at > 0 && order.local.looks_ahead() && g.rmw_write_of(events[at - 1]) == Some(events[at]) {
                line[at - 1] = order_of(machine, threads, g, order, line, events[at - 1]);
                line[at] = order_of(machine, threads, g, order, line, events[at]);
            }
        }
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

fn source(g: &ExecutionGraph, e: EventId) -> Source {
    match g.rf(e) {
        Some(w) if !w.is_init() => match g.event(w) {
            from if from.tid == g.event(e).tid => Source::Own(from.idx),
            _ => Source::Other,
        },
        _ => Source::None,
    }
}

/// What an event is ordered after; `line` has what was known of its thread, of those before it at least.
fn order_of<M: Machine>(
    machine: &M,
    threads: &Threads<M::State>,
    g: &ExecutionGraph,
    order: &Buffering,
    line: &[Entry],
    e: EventId,
) -> Entry {
    let local: &Local = &order.local;
    let ev = g.event(e);
    let before = &g.thread(ev.tid)[..ev.idx as usize - 1];
    let (mut same, mut written) = (DepSet::EMPTY, DepSet::EMPTY);
    if ev.is_read() || ev.is_write() {
        for x in before.iter().map(|&x| g.event(x)) {
            if (x.is_read() || x.is_write()) && x.loc == ev.loc {
                same.insert(x.idx);
                if x.is_write() {
                    written.insert(x.idx);
                }
            }
        }
    }
    let deps = threads.state_of(e).map_or(Deps::NONE, |state| machine.deps(state));
    let source = source(g, e);
    let own_source = match source {
        Source::Own(idx) => Some(idx),
        _ => None,
    };
    let event = LocalEvent {
        idx: ev.idx,
        attrs: ev.attrs,
        deps: &deps,
        same_location: &same,
        same_written: &written,
        own_source,
    };
    let others = |idx: u32| line.get(idx as usize - 1).map_or(&[][..], |entry| &entry.sure[..]);
    let mut own = Vec::with_capacity(local.width());
    local.compute(&event, &others, &mut own);
    let mut past = DepSet::EMPTY;
    let add = |past: &mut DepSet, set: &DepSet| {
        for idx in set.iter().filter(|idx| *idx < ev.idx) {
            past.insert(idx);
            let entry = &line[idx as usize - 1];
            if entry.passes_on {
                past.union(&entry.past);
            }
        }
    };
    local.firm(&own).chain(local.located(&own)).for_each(|set| add(&mut past, set));
    // What decides what the event is, and whether it is there at all.
    [&deps.addr, &deps.data, &deps.ctrl].into_iter().for_each(|set| add(&mut past, set));
    if ev.is_rmw_write() {
        add(&mut past, &DepSet::one(ev.idx - 1));
    }
    match source {
        // It sees another thread's write, which is later in coherence than those of its own.
        Source::Other => add(&mut past, &written),
        // The value is forwarded, and with it what it was computed from.
        Source::Own(idx) if order.forwards => {
            let w = before[idx as usize - 1];
            let deps = threads.state_of(w).map_or(Deps::NONE, |state| machine.deps(state));
            [&deps.addr, &deps.data, &deps.ctrl].into_iter().for_each(|set| add(&mut past, set));
        }
        _ => {}
    }
    // If it cannot be there without the read of a compare-and-swap, what came of that is as it is.
    loop {
        let decided = |idx: &u32| !line[*idx as usize - 1].passes_on && past.contains(*idx - 1);
        let mut more = past.clone();
        past.iter().filter(decided).for_each(|idx| more.union(&line[idx as usize - 1].past));
        if more == past {
            break;
        }
        past = more;
    }
    let op = threads.op_of(e);
    let now = (other(op).is_some() || line[..before.len()].iter().any(|entry| entry.now.is_some()))
        .then(|| order_now(local, line, &event));
    let sure = match other_outcome(op, ev.attrs) {
        None => own,
        Some(attrs) => {
            let event = LocalEvent { attrs, ..event };
            let mut other = Vec::with_capacity(local.width());
            local.compute(&event, &others, &mut other);
            own.iter_mut().zip(&other).for_each(|(a, b)| a.intersect(b));
            own
        }
    };
    let read = |idx: usize| before.get(idx).map(|&x| threads.op_of(x));
    let passes_on = !ev.is_rmw_write() || read(ev.idx as usize - 2).is_some_and(|op| other(op).is_none());
    Entry { standing: threads.origin(e), source, attrs: ev.attrs, sure, past, passes_on, now }
}

fn order_now(local: &Local, line: &[Entry], event: &LocalEvent<'_>) -> Now {
    let others = |idx: u32| match line.get(idx as usize - 1) {
        None => &[][..],
        Some(Entry { now: Some(now), .. }) => &now.sets[..],
        Some(entry) => &entry.sure[..],
    };
    let mut sets = Vec::with_capacity(local.width());
    local.compute(event, &others, &mut sets);
    let mut past = DepSet::EMPTY;
    for idx in local.firm(&sets).chain(local.located(&sets)).flat_map(DepSet::iter) {
        if idx < event.idx {
            past.insert(idx);
            let entry = &line[idx as usize - 1];
            past.union(entry.now.as_ref().map_or(&entry.past, |now| &now.past));
        }
    }
    Now { sets, past }
}

/// How a read-modify-write would be a mere read.
fn other(op: Op) -> Option<selvedge_graph::Mode> {
    match op {
        Op::Load { rmw: Rmw::Cas { fail, .. } | Rmw::Tentative { fail } | Rmw::Swap { fail }, .. } => {
            Some(fail)
        }
        _ => None,
    }
}

/// What would be true of a read if it had read something else.
fn other_outcome(op: Op, attrs: Attrs) -> Option<Attrs> {
    let (Op::Load { mode, .. }, Some(fail)) = (op, other(op)) else { return None };
    Some(match attrs.has(Attrs::UR) {
        true => Attrs::of(Kind::Read, fail, false),
        false => Attrs::of(Kind::Read, mode, true),
    })
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
        if conditional(op).is_some() && watch.early.may_succeed(&order.local, op, &deps()) {
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
                watch.update(self.machine, threads, g, order, e);
                let ev = g.event(e);
                if !watch.threads[ev.tid.index()][ev.idx as usize - 1].past.contains(other.idx) {
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
            watch.update(self.machine, &self.threads, g, order, e);
            let entry = &watch.threads[ev.tid.index()][ev.idx as usize - 1];
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
/// pair.
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
    let mut pairs = exits.flat_map(|v| {
        let thread = g.thread(g.event(v).tid);
        let loose = watched.get(v.index()).map(|exit| exit.loose.iter());
        loose.into_iter().flatten().map(|idx| thread[idx as usize - 1])
    });
    pairs.any(|h| reads.iter().any(|&r| is_before(r, h)))
}
