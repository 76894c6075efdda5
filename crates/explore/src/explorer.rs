//! The exploration itself.

use crate::frame::{Frame, PlaceFrame, ReadFrame};
use crate::inspect::inspect;
use crate::process_end::process_over;
use crate::reductions::{Hooks, Reducers, Remembered};
use crate::report::{Config, End, Equivalence, Execution, ExploreError, Failure, GaveUp, Stats};
use crate::rmw::Rivalry;
use crate::sections::Outcome;
use crate::threads::{Standing, Status, Threads};
use crate::witness;
use selvedge_graph::{Attrs, ClockId, EventId, ExecutionGraph, Kind, Loc, Mark, Tid, Value};
use selvedge_machine::{Again, Machine, Op};
use selvedge_model::{Model, Scratch};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Explores every execution of `machine` under `model` and shows each to `visit`.
pub fn explore<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
) -> Result<Stats, ExploreError> {
    let left = config.max_executions.map(AtomicU64::new);
    let mut explorer = Explorer::new(machine, model, config, &NOBODY_CALLS, left.as_ref())?;
    explorer.run(visit)?;
    Ok(explorer.stats)
}

pub(crate) static NOBODY_CALLS: AtomicBool = AtomicBool::new(false);

/// Why `Explorer::run` returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pause {
    /// Everything was explored.
    Done,
    /// Somebody asked for attention; `run` goes on where it was.
    Called,
    /// It gave up, or the visitor did; `Stats::gave_up` says why.
    Stopped,
}

/// What ends an execution where it is.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// Inspection found something.
    Failure(Failure),
    /// The exploration is not as it should be.
    Again(Again),
}

/// Whoever walks through the graphs of an exploration.
pub(crate) trait Walker<M: Machine> {
    /// Whether to pause before the next event.
    fn before_event(&mut self, x: &mut Explorer<'_, M>) -> Option<Pause>;

    /// An event was added, and its first alternative was entered.
    #[inline(always)]
    fn after_event(&mut self, _x: &mut Explorer<'_, M>) {}

    /// Nothing can be added to the graph. Breaks if that is all.
    fn at_end(&mut self, x: &mut Explorer<'_, M>) -> ControlFlow<()>;

    /// Goes to the next graph; whether there is one.
    fn backtrack(&mut self, x: &mut Explorer<'_, M>) -> bool;
}

/// Goes everywhere, and shows executions to a function.
struct Visiting<'v, M: Machine>(&'v mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>);

impl<M: Machine> Walker<M> for Visiting<'_, M> {
    #[inline(always)]
    fn before_event(&mut self, x: &mut Explorer<'_, M>) -> Option<Pause> {
        x.out_of_bounds()
    }

    #[inline(always)]
    fn at_end(&mut self, x: &mut Explorer<'_, M>) -> ControlFlow<()> {
        x.finish(self.0)
    }

    #[inline(always)]
    fn backtrack(&mut self, x: &mut Explorer<'_, M>) -> bool {
        x.backtrack()
    }
}

/// What a final graph is.
pub(crate) enum Conclusion {
    /// No execution of its own.
    Nothing,
    /// Nothing more is to be explored.
    GaveUp(GaveUp),
    /// An execution, how it ends, and what is wrong: what inspection found, or of several threads that failed the one
    /// that counts.
    Execution(End, Option<Failure>, Option<Tid>),
}

pub(crate) struct Explorer<'a, M: Machine> {
    pub(crate) machine: &'a M,
    pub(crate) model: &'a Model,
    pub(crate) config: &'a Config,
    pub(crate) graph: ExecutionGraph,
    pub(crate) threads: Threads<M::State>,
    /// Threads as they were before a revisit that is under way.
    pub(crate) saved: Vec<(Tid, Standing)>,
    pub(crate) frames: Vec<Frame>,
    /// The causal prefix of a revisiting write, while the graph is cut.
    pub(crate) prefix: Vec<u32>,
    pub(crate) scratch: Scratch,
    /// What ends the execution at the graph that was just entered.
    pub(crate) trouble: Option<Trouble>,
    pub(crate) stats: Stats,
    /// Set by others who want `run` to return soon.
    calls: &'a AtomicBool,
    /// The call at this number of events was answered.
    answered: bool,
    /// How many executions may still be shown; shared with other explorers.
    left: Option<&'a AtomicU64>,
    /// Whether the program may have read-modify-writes.
    pub(crate) rmws: bool,
    /// What reductions remember.
    pub(crate) reducers: Remembered,
}

impl<'a, M: Machine> Explorer<'a, M> {
    /// An explorer at the empty graph.
    pub(crate) fn new(
        machine: &'a M,
        model: &'a Model,
        config: &'a Config,
        calls: &'a AtomicBool,
        left: Option<&'a AtomicU64>,
    ) -> Result<Explorer<'a, M>, ExploreError> {
        let threads = machine.threads();
        if threads >= u16::MAX as usize {
            return Err(ExploreError::TooManyThreads(u16::MAX as usize - 1));
        }
        let init: Vec<Value> = (0..machine.locations() as u32).map(|l| machine.init_value(Loc(l))).collect();
        let mut graph = ExecutionGraph::new(threads, &init, model.slots());
        graph.count(model.counted());
        let mut explorer = Explorer {
            machine,
            model,
            config,
            graph,
            threads: Threads::new(threads),
            saved: Vec::new(),
            frames: Vec::new(),
            prefix: Vec::new(),
            scratch: Scratch::default(),
            trouble: None,
            stats: Stats::default(),
            calls,
            answered: false,
            left,
            rmws: machine.event_classes().is_none_or(|classes| classes.has(Attrs::UR)),
            reducers: Remembered::new(machine, model, config),
        };
        for t in (0..threads as u16).map(Tid).filter(|t| machine.runs_from_start(*t)) {
            let twin = Reducers::twin_from_start(&explorer, t);
            explorer.threads.start(machine, t, twin);
        }
        Ok(explorer)
    }

    /// Explores from the current graph on, until there is nothing left or a reason to pause.
    pub(crate) fn run(
        &mut self,
        visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
    ) -> Result<Pause, ExploreError> {
        self.walk(&mut Visiting(visit))
    }

    /// The exploration: one event after the other as long as there are any, then back to the latest decision that has
    /// another alternative. How far, and what becomes of executions, is up to the `walker`.
    #[inline(always)] // into `run`, and into its like
    pub(crate) fn walk(&mut self, walker: &mut impl Walker<M>) -> Result<Pause, ExploreError> {
        loop {
            let next = match self.trouble {
                Some(_) => None,
                None => self.next_thread(),
            };
            let entered = match next {
                Some(t) => {
                    if let Some(pause) = walker.before_event(self) {
                        return Ok(pause);
                    }
                    self.extend(t)?
                }
                None => {
                    if walker.at_end(self).is_break() {
                        return Ok(Pause::Stopped);
                    }
                    false
                }
            };
            if entered {
                walker.after_event(self);
                continue;
            }
            if !walker.backtrack(self) {
                return Ok(Pause::Done);
            }
            if self.calls.load(Ordering::Relaxed) {
                return Ok(Pause::Called);
            }
        }
    }

    /// Goes to the next graph: the next alternative of the latest decision that has one. Returns
    /// whether there was one.
    pub(crate) fn backtrack(&mut self) -> bool {
        while !self.frames.is_empty() {
            if self.leave_latest() {
                return true;
            }
        }
        false
    }

    /// Whether to pause before the next event.
    #[inline]
    fn out_of_bounds(&mut self) -> Option<Pause> {
        if self.graph.len() >= self.config.max_events {
            self.stats.gave_up = Some(GaveUp::Events(self.config.max_events));
            return Some(Pause::Stopped);
        }
        if self.stats.events.is_multiple_of(4096) {
            return self.answers();
        }
        None
    }

    /// Executions can be long: calls are not only answered at their ends, but every few thousand
    /// events; once for each, so that a caller who goes on calling does not stop the exploration.
    #[cold]
    fn answers(&mut self) -> Option<Pause> {
        self.answered = !self.answered && self.calls.load(Ordering::Relaxed);
        self.answered.then_some(Pause::Called)
    }

    /// Shows a final graph to the visitor.
    fn finish(&mut self, visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>) -> ControlFlow<()> {
        let (end, failure, culprit) = match self.conclude() {
            Conclusion::Nothing => return ControlFlow::Continue(()),
            Conclusion::GaveUp(why) => {
                self.stats.gave_up = Some(why);
                return ControlFlow::Break(());
            }
            Conclusion::Execution(end, failure, culprit) => (end, failure, culprit),
        };
        let execution = Execution {
            graph: &self.graph,
            end,
            machine: self.machine,
            model: self.model,
            threads: &self.threads,
            failure: failure.as_ref(),
            culprit,
            frames: &self.frames,
        };
        if visit(&execution).is_break() {
            self.stats.gave_up = Some(GaveUp::AtExecution);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// What the final graph at hand is; counts it.
    #[inline(always)] // into `finish`
    pub(crate) fn conclude(&mut self) -> Conclusion {
        if let Some(conclusion) = Reducers::at_end(self) {
            return conclusion;
        }
        if let Some(left) = self.left
            && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err()
        {
            return Conclusion::GaveUp(GaveUp::Executions(self.config.max_executions.unwrap_or_default()));
        }
        if let Some(again) = Reducers::is_broken(self) {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        let mut end = self.end();
        let mut failure = match self.trouble.take() {
            Some(Trouble::Again(again)) => return Conclusion::GaveUp(GaveUp::Again(again)),
            Some(Trouble::Failure(failure)) => Some(failure),
            None => None,
        };
        if let Some(again) = self.machine.again() {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        if let Some(again) = Reducers::is_noticed(self, end) {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        let mut culprit = None;
        if self.machine.has_sections() && failure.is_none() {
            match self.judge_sections(end) {
                Outcome::Torn => {
                    self.stats.torn += 1;
                    return Conclusion::Nothing;
                }
                Outcome::Whole(now, found, by) => (end, failure, culprit) = (now, found, by),
            }
        }
        self.stats.count(end);
        Conclusion::Execution(end, failure, culprit)
    }

    /// How the execution at hand ends.
    #[inline(always)] // into `conclude`
    pub(crate) fn end(&self) -> End {
        let mut end = if self.trouble.is_some() { End::Error } else { End::Complete };
        if self.threads.have_ended() {
            return end;
        }
        let over = process_over(self.machine, &self.threads);
        for (t, status) in (0..).map(Tid).zip(self.threads.status()) {
            let this = match status {
                Status::Absent | Status::Ended => End::Complete,
                Status::Cut => End::Cut,
                Status::Failed => End::Error,
                _ if over.spares(&self.graph, t, self.threads.op(t)) => End::Complete,
                _ => End::Blocked,
            };
            end = end.max(this);
        }
        end
    }

    /// Lets the thread of `e` go on, given what `e` gave it.
    #[inline]
    fn advance(&mut self, e: EventId, value: Value) {
        let t = self.graph.event(e).tid;
        self.threads.advance(self.machine, e, t, value);
    }

    /// The same for a read that gave it `value`.
    pub(crate) fn go_on_reading(&mut self, e: EventId, value: Value) {
        let t = self.graph.event(e).tid;
        match Reducers::gives_up(self, e, value) {
            true => self.threads.block(e, t),
            false => self.threads.advance(self.machine, e, t, value),
        }
    }

    // ---- forward ----

    /// Adds the next event of thread `t` and enters its first alternative, if it has one.
    #[inline(always)] // into `run`, where it is on the path of every event
    pub(crate) fn extend(&mut self, t: Tid) -> Result<bool, ExploreError> {
        let Some(op) = self.threads.op(t) else { unreachable!("a thread that is there") };
        if matches!(op, Op::Spawn { .. } | Op::Join { .. } | Op::Arrive { .. })
            && !self.model.orders_threads()
        {
            return Err(ExploreError::ThreadsNotOrdered(self.model.name().to_string()));
        }
        if let Op::Load { loc, .. } | Op::Store { loc, .. } = op {
            self.make_room(loc);
        }
        Reducers::before_event(self, t, op);
        if self.threads.is_full() {
            self.threads.forget(self.saved.iter().map(|(_, standing)| *standing));
        }
        self.threads.record_event(t);
        self.stats.events += 1;
        let g = &mut self.graph;
        Ok(match op {
            Op::Load { loc, mode, rmw } => {
                Reducers::before_load(self, rmw);
                let g = &mut self.graph;
                let e = g.add_read(t, mode, loc);
                let (floor, known) = self.model.floor_before_reading(g, e);
                let floor = if self.trusts_floors() { floor as u32 } else { 0 };
                let g = &self.graph;
                let (next, mark) = (g.co(loc).len() as u32, g.mark());
                self.next_source(ReadFrame { e, mark, next, floor, known, seen: u64::MAX })
            }
            Op::Store { loc, value, mode, rmw } => {
                let e = g.add_write(t, mode, loc, value, rmw);
                debug_assert!(self.model.is_for(g.event(e).attrs), "{mode} {rmw}");
                if self.machine.has_final_writes()
                    && self.threads.state_of(e).is_some_and(|s| self.machine.is_final(s))
                {
                    g.set_final(e);
                }
                self.model.update_clocks(g, e);
                let mark = g.mark();
                let (next, floor) = self.places(e, rmw);
                Reducers::after_store(self, e, next - floor);
                // Where the write goes makes no difference to its thread.
                self.advance(e, 0);
                self.next_place(e, mark, next, floor, true)
            }
            Op::Choose { count } => {
                let e = g.add_choice(t, 0);
                self.model.update_clocks(g, e);
                self.next_choice(e, 0, count)
            }
            Op::Decide { .. } => unreachable!("branches are only decided where a model follows dependencies"),
            Op::Fence { mode } => {
                let e = g.add_fence(t, mode);
                self.enter_plain(e)
            }
            Op::Spawn { thread } => {
                let e = g.add_spawn(t, thread);
                let twin = Reducers::twin_of_spawned(self, e);
                self.threads.spawn(self.machine, e, thread, twin);
                self.enter_plain(e)
            }
            Op::Alloc { object } => {
                let e = g.add_alloc(t, object);
                self.enter_plain(e)
            }
            Op::Free { object } => {
                let e = g.add_free(t, object);
                self.enter_plain(e)
            }
            Op::Join { thread } => {
                let e = g.add_join(t, thread);
                self.enter_plain(e)
            }
            Op::Detach { thread } => {
                let e = g.add_detach(t, thread);
                self.enter_plain(e)
            }
            Op::Local { object } => {
                let e = g.add_local(t, object);
                self.enter_plain(e)
            }
            Op::Arrive { barrier, count } => self.arrive(t, barrier, count),
            Op::Depart { .. } => self.depart(t),
            Op::Block(_) | Op::Cut | Op::Error(_) | Op::End => unreachable!("nothing to add"),
        })
    }

    #[cold]
    fn arrive(&mut self, t: Tid, barrier: u32, count: u32) -> bool {
        let e = self.graph.add_arrive(t, barrier, count);
        let entered = self.enter_plain(e);
        Reducers::after_arrival(self, e);
        entered
    }

    #[cold]
    fn depart(&mut self, t: Tid) -> bool {
        let e = self.graph.add_depart(t);
        self.enter_plain(e)
    }

    /// Locations come up as the program runs.
    fn make_room(&mut self, loc: Loc) {
        for l in self.graph.locations() as u32..=loc.0 {
            let l = Loc(l);
            self.graph.add_location(self.machine.init_value(l), self.machine.object(l));
        }
    }

    #[inline]
    pub(crate) fn inspect(&mut self, e: EventId) {
        if self.config.inspect
            && self.trouble.is_none()
            && !self.machine.has_sections()
            && let Some(found) = inspect(self.machine, self.model, &self.graph, e, self.config.races)
        {
            self.trouble = Some(Trouble::Failure(found));
        }
    }

    fn enter_plain(&mut self, e: EventId) -> bool {
        debug_assert!(self.model.is_for(self.graph.event(e).attrs));
        self.model.update_clocks(&mut self.graph, e);
        self.inspect(e);
        self.frames.push(Frame::Plain { e });
        self.advance(e, 0);
        true
    }

    /// The places of a write in coherence: from `next` down to directly after `floor`. The write of a
    /// read-modify-write has one, after the source of its read; so has every write where coherence is
    /// not told apart, at the end.
    pub(crate) fn places(&self, w: EventId, rmw: bool) -> (u32, u32) {
        let g = &self.graph;
        if rmw {
            let source = g.rmw_read_of(w).and_then(|r| g.rf(r)).and_then(|s| g.co_pos(s));
            let Some(source) = source else { unreachable!("the read half has a source") };
            return (source as u32 + 1, source as u32);
        }
        let end = g.co(g.event(w).loc).len() as u32;
        let floor = match self.config.equivalence {
            Equivalence::Co if self.config.shortcuts => self.model.floor(g, w) as u32,
            Equivalence::Co => 0,
            Equivalence::Rf => end - 1,
        };
        (end, floor)
    }

    /// Whether what clocks say about coherence rules candidates out before they are tried.
    pub(crate) fn trusts_floors(&self) -> bool {
        self.config.shortcuts && self.config.equivalence == Equivalence::Co
    }

    /// Whether an addition at the end of coherence needs no check: extensibility.
    pub(crate) fn trusts(&self, maximal: bool) -> bool {
        maximal && self.config.shortcuts
    }

    /// Whether a place in coherence is between the source and the write of a read-modify-write.
    pub(crate) fn splits_rmw(&self, w: EventId, pos: usize) -> bool {
        let g = &self.graph;
        let co = g.co(g.event(w).loc);
        let Some(&after) = co.get(pos) else { return false };
        g.rmw_read_of(after).and_then(|r| g.rf(r)) == Some(co[pos - 1])
    }

    /// Whether the graph with the events that were just added is consistent. Where coherence is not
    /// told apart, another order may do.
    pub(crate) fn consistent(&mut self, events: &[EventId]) -> bool {
        events.iter().all(|&e| self.model.consistent_at(&self.graph, e, &mut self.scratch))
            || self.another_witness()
    }

    fn another_witness(&mut self) -> bool {
        self.config.equivalence == Equivalence::Rf
            && witness::find(self.model, &mut self.graph, &mut self.scratch)
    }

    // ---- alternatives ----

    /// Tries the next alternative of a decision. Leaves the graph in the state before the decision
    /// was made and returns false if there is none.
    pub(crate) fn next_alternative(&mut self, frame: Frame) -> bool {
        self.frames.push(frame);
        self.leave_latest()
    }

    /// The same for the latest decision.
    #[inline(always)] // into `backtrack`
    fn leave_latest(&mut self) -> bool {
        // It is taken apart where it is: a copy of the whole would have to be read right after it was written, in other
        // parts, which makes the processor wait.
        let latest = self.frames.len().wrapping_sub(1);
        match self.frames.get(latest) {
            None => false,
            Some(&Frame::Plain { e }) => {
                self.frames.truncate(latest);
                self.remove(e)
            }
            Some(&Frame::Choice { e, next, count }) => {
                self.frames.truncate(latest);
                self.next_choice(e, next, count)
            }
            Some(&Frame::Read(frame)) => {
                self.frames.truncate(latest);
                self.note_dead_end(frame.seen, self.graph.event(frame.e).is_rmw_read());
                self.graph.undo_to(frame.mark);
                self.next_source(frame)
            }
            Some(&Frame::Place(PlaceFrame { e, mark, next, floor, revisits })) => {
                self.frames.truncate(latest);
                self.graph.undo_to(mark);
                self.next_place(e, mark, next, floor, revisits)
            }
            Some(&Frame::Revisit { e, scan, first }) => {
                self.frames.truncate(latest);
                self.next_revisit(e, scan, first)
            }
            Some(&Frame::Lost(frame)) => {
                self.frames.truncate(latest);
                self.undo_loss(frame);
                false
            }
            Some(&Frame::Revisited(frame)) => {
                self.frames.truncate(latest);
                self.note_dead_end(frame.seen, self.graph.event(frame.read).is_rmw_read());
                self.graph.undo_to(frame.mark);
                self.next_revisited(frame)
            }
        }
    }

    /// Counts a graph that was entered when there were `seen` executions, if there still are no more.
    fn note_dead_end(&mut self, seen: u64, rmw: bool) {
        if seen == self.stats.executions() {
            if rmw {
                self.stats.dropped_rmw += 1;
            } else {
                self.stats.aborted += 1;
            }
        }
    }

    /// Takes back the latest event.
    pub(crate) fn remove(&mut self, e: EventId) -> bool {
        let ev = self.graph.event(e);
        let (tid, kind, peer) = (ev.tid, ev.kind, ev.peer);
        if kind == Kind::Spawn {
            self.threads.set(peer, Standing::ABSENT);
        }
        self.graph.remove_last(e);
        let standing = self.threads.forget_event();
        self.threads.set(tid, standing);
        false
    }

    fn next_choice(&mut self, e: EventId, next: u32, count: u32) -> bool {
        if next == count {
            return self.remove(e);
        }
        self.frames.push(Frame::Choice { e, next: next + 1, count });
        self.graph.set_choice(e, next as Value);
        self.advance(e, next as Value);
        true
    }

    #[inline]
    fn next_source(&mut self, frame: ReadFrame) -> bool {
        let ReadFrame { e, mark, next, floor, known, .. } = frame;
        let loc = self.graph.event(e).loc;
        let last = self.graph.co(loc).len() as u32 - 1;
        let mut next = next;
        while next > floor {
            next -= 1;
            let w = self.graph.co(loc)[next as usize];
            let rivalry = if self.rmws { self.rivalry(e, w) } else { Rivalry::None };
            if rivalry == Rivalry::Futile || Reducers::skips_source(self, e, w) {
                continue;
            }
            let value = self.read(e, w);
            if self.trusts(next == last) || rivalry == Rivalry::Fine || self.may_read(e, known) {
                self.inspect(e);
                if next == last || self.trouble.is_some() || !Reducers::is_useless(self, e, value) {
                    Reducers::after_source(self, e, w, next == last);
                    let seen = self.stats.executions();
                    self.frames.push(Frame::Read(ReadFrame { next, seen, ..frame }));
                    self.go_on_reading(e, value);
                    return true;
                }
            }
            self.graph.undo_to(mark);
        }
        self.remove(e)
    }

    /// Whether `e` may read what it reads; reading from the end of coherence it always may
    /// (extensibility). What it knew before it read (`known`) was taken into account already.
    fn may_read(&mut self, e: EventId, known: ClockId) -> bool {
        let learned = !self.model.knows_by_one_clock() || self.model.known(&self.graph, e) != known;
        let coherent = (self.trusts_floors() && !learned) || self.model.coherent_at(&self.graph, e);
        coherent && self.model.acyclic_at(&self.graph, e, &mut self.scratch) || self.another_witness()
    }

    /// Makes `e` read from `w`; the value read.
    #[inline]
    pub(crate) fn read(&mut self, e: EventId, w: EventId) -> Value {
        let Op::Load { loc, mode, rmw } = self.threads.op_of(e) else {
            unreachable!("a read comes from a load")
        };
        let value = self.graph.value_of(w, loc);
        let (mode, writes) = self.load_outcome(e, mode, rmw, value);
        let writes = writes && !Reducers::refuses_rmw(self, e, w);
        let attrs = Attrs::of(Kind::Read, mode, writes);
        debug_assert!(self.model.is_for(attrs), "{mode} {writes}");
        self.graph.read_from(e, w, mode, attrs);
        self.model.update_clocks(&mut self.graph, e);
        Reducers::after_reading(self, e);
        value
    }

    fn next_place(&mut self, e: EventId, mark: Mark, next: u32, floor: u32, revisits: bool) -> bool {
        let loc = self.graph.event(e).loc;
        let end = self.graph.co(loc).len() as u32;
        let mut pos = next;
        while pos > floor {
            let at = pos as usize;
            pos -= 1;
            if self.splits_rmw(e, at) {
                continue;
            }
            self.graph.place(e, at);
            if self.trusts(at as u32 == end) || self.consistent(&[e]) {
                self.frames.push(Frame::Place(PlaceFrame { e, mark, next: pos, floor, revisits }));
                self.inspect(e);
                return true;
            }
            self.graph.undo_to(mark);
        }
        if !revisits {
            return self.remove(e);
        }
        // Only revisits that delete the write of a rival leave a place for a read-modify-write.
        let rival = self.graph.rmw_read_of(e).and_then(|r| self.rmw_reader(self.graph.rf(r)?, loc, r));
        let scan = match rival {
            // With shortcuts this was found out when its read was added.
            Some(rival) if !self.trusts_floors() && !self.maximally_added_since(rival, e) => {
                return self.remove(e);
            }
            Some(rival) => self.graph.event(rival).stamp + 1,
            None => self.graph.event(e).stamp,
        };
        match self.model.first_revisitable(&self.graph, e) {
            Some(first) => self.next_revisit(e, scan, first),
            None => self.remove(e),
        }
    }
}
