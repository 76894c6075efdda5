//! The exploration itself.

use crate::conclusion::Trouble;
use crate::frame::{Frame, ReadFrame};
use crate::in_order::InOrder;
use crate::inspect::{inspect, is_harmless};
use crate::reductions::{Hooks, Reducers, Remembered};
use crate::report::{Config, Execution, ExploreError, GaveUp, Stats};
use crate::threads::{Standing, Threads};
use selvedge_graph::{Attrs, EventId, ExecutionGraph, Loc, Part, Tid, Value};
use selvedge_machine::{Machine, Op};
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
    /// The events that are not in it, and go.
    pub(crate) lost: Vec<EventId>,
    pub(crate) scratch: Scratch,
    /// What ends the execution at the graph that was just entered.
    pub(crate) trouble: Option<Trouble>,
    /// All is to be explored again, and something is wrong already: nothing is looked for any more.
    in_vain: bool,
    pub(crate) stats: Stats,
    /// Set by others who want `run` to return soon.
    calls: &'a AtomicBool,
    /// The call at this number of events was answered.
    answered: bool,
    /// How many executions may still be shown; shared with other explorers.
    pub(crate) left: Option<&'a AtomicU64>,
    /// Whether the program may have read-modify-writes.
    pub(crate) rmws: bool,
    /// What reductions remember.
    pub(crate) reducers: Remembered,
    /// What is known of the order within threads, under a model that follows dependencies.
    pub(crate) in_order: InOrder,
    /// Dependencies are kept with the graph.
    deps: bool,
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
            lost: Vec::new(),
            scratch: Scratch::default(),
            trouble: None,
            in_vain: false,
            stats: Stats::default(),
            calls,
            answered: false,
            left,
            rmws: machine.event_classes().is_none_or(|classes| classes.has(Attrs::UR)),
            reducers: Remembered::new(machine, model, config),
            in_order: InOrder::default(),
            deps: model.needs_deps(),
        };
        if explorer.deps {
            explorer.graph.track_deps();
        }
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

    /// The exploration: one event after the other as long as there are any, then back to the latest decision
    /// that has another alternative. How far, and what becomes of executions, is up to the `walker`.
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
        if self.stats.gave_up.is_some() {
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

    /// Lets the thread of `e` go on, given what `e` gave it.
    #[inline]
    pub(crate) fn advance(&mut self, e: EventId, value: Value) {
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
            self.in_order.forget();
        }
        self.threads.record_event(t);
        self.stats.events += 1;
        let g = &mut self.graph;
        Ok(match op {
            Op::Load { loc, mode, rmw } => {
                Reducers::before_load(self, rmw);
                let g = &mut self.graph;
                let e = g.add_read(t, mode, loc);
                self.set_part(e);
                self.set_deps(e);
                self.watch_load(e);
                let g = &mut self.graph;
                let (floor, known) = self.model.floor_before_reading(g, e);
                Reducers::before_reading(self, e, floor);
                let floor = if self.trusts_floors() { floor as u32 } else { 0 };
                let g = &self.graph;
                let (next, mark) = (g.co(loc).len() as u32, g.mark());
                self.next_source(ReadFrame { e, mark, next, floor, known, seen: u64::MAX })
            }
            Op::Store { loc, value, mode, rmw } => {
                let e = g.add_write(t, mode, loc, value, rmw);
                debug_assert!(self.model.is_for(g.event(e).attrs), "{mode} {rmw}");
                self.set_part(e);
                let g = &mut self.graph;
                if self.machine.has_final_writes()
                    && self.threads.state_of(e).is_some_and(|s| self.machine.is_final(s))
                {
                    g.set_final(e);
                }
                self.set_deps(e);
                self.model.update_clocks(&mut self.graph, e);
                self.watch_order(e);
                let mark = self.graph.mark();
                let (next, floor) = self.places(e, rmw);
                Reducers::after_store(self, e, next - floor);
                // Where the write goes makes no difference to its thread.
                self.advance(e, 0);
                self.next_place(e, mark, next, floor, true)
            }
            Op::Choose { count } => {
                let e = g.add_choice(t, 0);
                self.set_deps(e);
                self.model.update_clocks(&mut self.graph, e);
                let count = if self.machine.has_parts() { self.ways_at(e, count) } else { count };
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
                let entered = self.enter_plain(e);
                self.watch_order(e);
                entered
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
            Op::Persist { op, unit } => {
                let e = g.add_persist(t, op, unit);
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

    /// Notes which part of its access an event is.
    #[inline]
    fn set_part(&mut self, e: EventId) {
        if self.machine.has_parts()
            && let Some(state) = self.threads.state_of(e)
        {
            let part = self.machine.part(state);
            self.graph.set_part(e, part);
        }
    }

    /// Notes what an event depends on.
    #[inline]
    pub(crate) fn set_deps(&mut self, e: EventId) {
        if self.deps
            && let Some(state) = self.threads.state_of(e)
        {
            let deps = self.machine.deps(state);
            self.graph.set_deps(e, deps);
        }
    }

    /// How many alternatives a choice has. Between the halves of a read-modify-write of several locations,
    /// the thread writes. If another read-modify-write is in the way at one of them, the write can only
    /// revisit that. But then a part may have to read what is still to come, so the exploration also goes on
    /// with the thread held up there.
    fn ways_at(&mut self, e: EventId, count: u32) -> u32 {
        let parts = self.threads.state_of(e).map_or(0, |state| self.machine.part(state).before);
        if parts == 0 {
            return count;
        }
        self.graph.set_gate(e, parts);
        1 + u32::from(self.graph.rivals_at_gate(e).next().is_some())
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
        if self.graph.has_parts() {
            return self.inspect_parts(e);
        }
        self.inspect_event(e);
    }

    /// Whether inspection of an access of this location that has these attributes finds nothing, whatever
    /// there is in the graph.
    #[inline]
    pub(crate) fn finds_nothing_at(&self, loc: Loc, attrs: Attrs) -> bool {
        !self.graph.has_parts() && is_harmless(self.machine, self.model, &self.graph, loc, attrs)
    }

    /// An access of several locations is looked at when it is complete: it may come to nothing before.
    #[cold]
    fn inspect_parts(&mut self, e: EventId) {
        let g = &self.graph;
        let incomplete = |x: EventId| g.event(x).part.after > 0 && g.po_succ(x).is_none();
        let ev = g.event(e);
        let held = ev.is_rmw_read() && ev.part != Part::WHOLE;
        if ev.part.after > 0 || held || g.rf(e).is_some_and(incomplete) {
            return;
        }
        let mut seen: Vec<EventId> = g.parts(e).to_vec();
        if ev.part.before > 0 && ev.is_write() {
            seen.extend(g.parts(e).iter().filter_map(|&w| g.rmw_read_of(w)));
            // What read from the parts before was not looked at.
            seen.extend(g.parts(e).iter().flat_map(|&w| g.readers(w, g.event(w).loc)));
            seen.retain(|&x| g.event(x).part.after == 0 || g.parts(x).len() > g.event(x).part.after as usize);
        }
        seen.into_iter().for_each(|x| self.inspect_event(x));
    }

    #[inline]
    fn inspect_event(&mut self, e: EventId) {
        // What a model that follows dependencies knows does not tell what is alive: that is for the end.
        if self.config.inspect
            && self.model.buffering().is_none()
            && self.trouble.is_none()
            && !self.in_vain
            && !self.machine.has_sections()
            && let Some(found) = inspect(self.machine, self.model, &self.graph, e, self.config.races)
        {
            // Where all is to be explored again, the machine may learn more from what comes next.
            match self.machine.again() {
                Some(_) => self.in_vain = true,
                None => self.trouble = Some(Trouble::Failure(found)),
            }
        }
    }

    fn enter_plain(&mut self, e: EventId) -> bool {
        debug_assert!(self.model.is_for(self.graph.event(e).attrs));
        self.set_deps(e);
        self.model.update_clocks(&mut self.graph, e);
        self.inspect(e);
        self.frames.push(Frame::Plain { e });
        self.advance(e, 0);
        true
    }
}
