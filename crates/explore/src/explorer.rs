//! The exploration itself.

use crate::frame::Frame;
use crate::maximal::maximally_added;
use crate::report::{Config, End, Equivalence, Execution, ExploreError, Pending, Stats};
use crate::schedule::next_thread;
use crate::witness;
use selvedge_graph::{Attrs, Event, EventId, ExecutionGraph, Kind, Mark, Mode, Tid, Value};
use selvedge_machine::{Machine, Op, Rmw};
use selvedge_model::{Model, Scratch};
use std::ops::ControlFlow;

/// Explores every execution of `machine` under `model` and shows each to `visit`.
pub fn explore<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
) -> Result<Stats, ExploreError> {
    let threads = machine.threads();
    if threads >= u16::MAX as usize {
        return Err(ExploreError::TooManyThreads(u16::MAX as usize - 1));
    }
    let all = || (0..threads as u16).map(Tid);
    if !model.orders_threads() && !all().all(|t| machine.runs_from_start(t)) {
        return Err(ExploreError::ThreadsNotOrdered(model.name().to_string()));
    }
    let starts: Vec<M::State> = all().map(|t| machine.start(t)).collect();
    let mut graph = ExecutionGraph::new(threads, &machine.init(), model.slots());
    graph.count(model.counted());
    let mut explorer = Explorer {
        machine,
        model,
        config,
        graph,
        threads: all().map(|_| None).collect(),
        starts,
        snapshots: Vec::new(),
        saved: Vec::new(),
        frames: Vec::new(),
        prefix: Vec::new(),
        scratch: Scratch::default(),
        stats: Stats::default(),
    };
    for t in all().filter(|t| machine.runs_from_start(*t)) {
        explorer.start(t);
    }
    explorer.run(visit);
    Ok(explorer.stats)
}

struct Explorer<'a, M: Machine> {
    machine: &'a M,
    model: &'a Model,
    config: &'a Config,
    graph: ExecutionGraph,
    /// Threads at their next operation; `None` while not created.
    threads: Vec<Option<Pending<M::State>>>,
    starts: Vec<M::State>,
    /// For every event of the arena but the initialising one: its thread, about to make it happen.
    snapshots: Vec<Pending<M::State>>,
    /// Threads as they were before a revisit that is under way.
    saved: Vec<(Tid, Option<Pending<M::State>>)>,
    frames: Vec<Frame>,
    /// The causal prefix of a revisiting write, while the graph is cut.
    prefix: Vec<u32>,
    scratch: Scratch,
    stats: Stats,
}

impl<M: Machine> Explorer<'_, M> {
    fn run(&mut self, visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>) {
        loop {
            match next_thread(self.config.schedule, &self.threads) {
                Some(t) => {
                    if self.graph.len() >= self.config.max_events {
                        let most = self.config.max_events;
                        self.stats.gave_up = Some(format!("an execution has more than {most} events"));
                        return;
                    }
                    self.extend(t);
                }
                None => {
                    if self.finish(visit).is_break() {
                        return;
                    }
                }
            }
            // Go to the next graph: the next alternative of the latest decision that has one.
            loop {
                let Some(frame) = self.frames.pop() else { return };
                if self.next_alternative(frame) {
                    break;
                }
            }
        }
    }

    /// Shows a final graph to the visitor.
    fn finish(&mut self, visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>) -> ControlFlow<()> {
        let ends = || self.threads.iter().flatten().map(|p| p.op);
        let end = if ends().any(|op| matches!(op, Op::Error(_))) {
            End::Error
        } else if ends().any(|op| op == Op::Cut) {
            End::Cut
        } else if ends().any(|op| op != Op::End) {
            End::Blocked
        } else {
            End::Complete
        };
        match end {
            End::Complete => self.stats.complete += 1,
            End::Blocked => self.stats.blocked += 1,
            End::Cut => self.stats.cut += 1,
            End::Error => self.stats.errors += 1,
        }
        let execution = Execution {
            graph: &self.graph,
            end,
            machine: self.machine,
            model: self.model,
            threads: &self.threads,
            starts: &self.starts,
        };
        if visit(&execution).is_break() {
            self.stats.gave_up = Some(String::from("stopped at an execution"));
            return ControlFlow::Break(());
        }
        if self.config.max_executions.is_some_and(|most| self.stats.executions() >= most) {
            self.stats.gave_up = Some(format!("{} executions were explored", self.stats.executions()));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    // ---- threads ----

    fn start(&mut self, t: Tid) {
        let mut state = self.starts[t.index()].clone();
        let op = self.machine.step(&mut state, 0);
        self.threads[t.index()] = Some(Pending { state, op });
    }

    /// Lets the thread of `e` go on, given what `e` gave it.
    fn advance(&mut self, e: EventId, value: Value) {
        let mut state = self.snapshots[e.index() - 1].state.clone();
        let op = self.machine.step(&mut state, value);
        let tid = self.graph.event(e).tid;
        self.threads[tid.index()] = Some(Pending { state, op });
    }

    // ---- forward ----

    /// Adds the next event of thread `t`, with its alternatives still to be tried.
    fn extend(&mut self, t: Tid) {
        let Some(pending) = self.threads[t.index()].take() else { unreachable!("a thread that is there") };
        let op = pending.op;
        self.snapshots.push(pending);
        self.stats.events += 1;
        let g = &mut self.graph;
        let e = match op {
            Op::Load { loc, mode, .. } => g.add_read(t, mode, loc),
            Op::Store { loc, value, mode, rmw } => g.add_write(t, mode, loc, value, rmw),
            Op::Fence { mode } => g.add_fence(t, mode),
            Op::Spawn { thread } => g.add_spawn(t, thread),
            Op::Join { thread } => g.add_join(t, thread),
            Op::Choose { .. } => g.add_choice(t, 0),
            Op::Block | Op::Cut | Op::Error(_) | Op::End => unreachable!("nothing to add"),
        };
        debug_assert_eq!(e.index(), self.snapshots.len());
        self.model.update_clocks(g, e);
        let mark = g.mark();
        let frame = match op {
            Op::Load { loc, .. } => {
                let floor = match self.config.equivalence {
                    Equivalence::Co => self.model.floor(g, e) as u32,
                    Equivalence::Rf => 0,
                };
                let next = g.co(loc).len() as u32;
                Frame::Read { e, mark, next, floor }
            }
            Op::Store { rmw, .. } => {
                // Where the write goes makes no difference to its thread.
                self.advance(e, 0);
                let (next, floor) = self.places(e, rmw);
                Frame::Place { e, mark, next, floor }
            }
            Op::Choose { count } => Frame::Choice { e, next: 0, count },
            _ => Frame::Plain { e, entered: false },
        };
        self.frames.push(frame);
    }

    /// The places of a write in coherence: from `next` down to directly after `floor`. Where coherence
    /// is not told apart there is one: the end, or after the source of a read-modify-write.
    fn places(&self, w: EventId, rmw: bool) -> (u32, u32) {
        let g = &self.graph;
        let end = g.co(g.event(w).loc).len() as u32;
        let floor = match self.config.equivalence {
            Equivalence::Co => self.model.floor(g, w) as u32,
            Equivalence::Rf if rmw => 0,
            Equivalence::Rf => end - 1,
        };
        if !rmw {
            return (end, floor);
        }
        // Right after what its read half read.
        let source = g.rmw_read_of(w).and_then(|r| g.rf(r)).and_then(|s| g.co_pos(s));
        let Some(source) = source else { unreachable!("the read half has a source") };
        let source = source as u32;
        if source < floor { (source, source) } else { (source + 1, source) }
    }

    /// Whether the graph with the events that were just added is consistent, where an addition at the
    /// end of coherence always is. Where coherence is not told apart, another order may do.
    fn consistent(&mut self, maximal: bool, events: &[EventId]) -> bool {
        if maximal || events.iter().all(|&e| self.model.consistent_at(&self.graph, e, &mut self.scratch)) {
            return true;
        }
        self.config.equivalence == Equivalence::Rf
            && witness::find(self.model, &mut self.graph, &mut self.scratch)
    }

    /// Whether a place in coherence is between the source and the write of a read-modify-write.
    fn splits_rmw(&self, w: EventId, pos: usize) -> bool {
        let g = &self.graph;
        let co = g.co(g.event(w).loc);
        let Some(&after) = co.get(pos) else { return false };
        g.rmw_read_of(after).and_then(|r| g.rf(r)) == Some(co[pos - 1])
    }

    // ---- alternatives ----

    /// Tries the next alternative of a decision. Leaves the graph in the state before the decision
    /// was made and returns false if there is none.
    fn next_alternative(&mut self, frame: Frame) -> bool {
        match frame {
            Frame::Plain { e, entered } => {
                if entered {
                    self.remove(e);
                    return false;
                }
                self.frames.push(Frame::Plain { e, entered: true });
                let ev = self.graph.event(e);
                let (kind, peer) = (ev.kind, ev.peer);
                self.advance(e, 0);
                if kind == Kind::Spawn {
                    self.start(peer);
                }
                true
            }
            Frame::Choice { e, next, count } => {
                if next == count {
                    self.remove(e);
                    return false;
                }
                self.frames.push(Frame::Choice { e, next: next + 1, count });
                self.graph.set_choice(e, next as Value);
                self.advance(e, next as Value);
                true
            }
            Frame::Read { e, mark, next, floor } => self.next_source(e, mark, next, floor),
            Frame::Place { e, mark, next, floor } => self.next_place(e, mark, next, floor),
            Frame::Revisit { e, scan } => self.next_revisit(e, scan),
            Frame::Revisited { .. } => self.next_revisited(frame),
        }
    }

    /// Takes back the latest event.
    fn remove(&mut self, e: EventId) {
        let ev = self.graph.event(e);
        let (tid, kind, peer) = (ev.tid, ev.kind, ev.peer);
        if kind == Kind::Spawn {
            self.threads[peer.index()] = None;
        }
        self.graph.remove_last(e);
        self.threads[tid.index()] = self.snapshots.pop();
    }

    fn next_source(&mut self, e: EventId, mark: Mark, next: u32, floor: u32) -> bool {
        self.graph.undo_to(mark);
        let loc = self.graph.event(e).loc;
        let last = self.graph.co(loc).len() as u32 - 1;
        let mut next = next;
        while next > floor {
            next -= 1;
            let w = self.graph.co(loc)[next as usize];
            let value = self.read(e, w);
            // Reading from the end of coherence keeps consistency: extensibility.
            if self.consistent(next == last, &[e]) {
                self.frames.push(Frame::Read { e, mark, next, floor });
                self.advance(e, value);
                return true;
            }
            self.graph.undo_to(mark);
        }
        self.remove(e);
        false
    }

    /// Makes `e` read from `w`; the value read.
    fn read(&mut self, e: EventId, w: EventId) -> Value {
        let Op::Load { loc, mode, rmw } = self.snapshots[e.index() - 1].op else {
            unreachable!("a read comes from a load")
        };
        let value = self.graph.value_of(w, loc);
        let (mode, writes) = load_outcome(mode, rmw, value);
        self.graph.read_from(e, w, mode, Attrs::of(Kind::Read, mode, writes));
        self.model.update_clocks(&mut self.graph, e);
        value
    }

    fn next_place(&mut self, e: EventId, mark: Mark, next: u32, floor: u32) -> bool {
        self.graph.undo_to(mark);
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
            if self.consistent(at as u32 == end, &[e]) {
                self.frames.push(Frame::Place { e, mark, next: pos, floor });
                return true;
            }
            self.graph.undo_to(mark);
        }
        let scan = self.graph.event(e).stamp;
        self.next_revisit(e, scan)
    }

    // ---- backward revisits ----

    /// Looks for the next read that `w` revisits, from the latest one down. Whether an event was added
    /// maximally does not depend on the read in question, so the first one that was not ends it all.
    fn next_revisit(&mut self, w: EventId, scan: u32) -> bool {
        let loc = self.graph.event(w).loc;
        let mut at = scan;
        while at > 1 {
            at -= 1;
            let x = self.graph.order()[at as usize];
            if self.model.in_prefix(&self.graph, x, w) {
                continue;
            }
            if !self.maximally_added(x, w) {
                break;
            }
            let ev = self.graph.event(x);
            if ev.is_read() && ev.loc == loc {
                self.frames.push(Frame::Revisit { e: w, scan: at });
                if self.revisit(x, w) {
                    return true;
                }
                self.frames.pop();
            }
        }
        self.remove(w);
        false
    }

    fn maximally_added(&mut self, e: EventId, w: EventId) -> bool {
        match self.config.equivalence {
            Equivalence::Co => maximally_added(self.model, &self.graph, e, w),
            Equivalence::Rf => witness::maximally_added(self.model, &self.graph, e, w, &mut self.scratch),
        }
    }

    /// Cuts the graph so that `r` reads from `w`, and tries the places of `w`.
    fn revisit(&mut self, r: EventId, w: EventId) -> bool {
        let saved = self.saved.len();
        self.model.prefix(&self.graph, w, &mut self.prefix);
        self.rewind_threads(r);
        let before = self.graph.mark();
        let prefix = &self.prefix;
        let keep = |ev: &Event| ev.idx <= prefix[ev.tid.index()];
        let read = self.graph.revisit(r, w, keep);
        self.snapshots.push(self.snapshots[r.index() - 1].clone());
        debug_assert_eq!(read.index(), self.snapshots.len());
        self.model.update_clocks(&mut self.graph, read);

        let mark = self.graph.mark();
        let rmw = self.graph.event(w).is_rmw_write();
        let (next, floor) = self.places(w, rmw);
        let known = match self.config.equivalence {
            Equivalence::Co => self.model.floor(&self.graph, read) as u32,
            Equivalence::Rf => 0,
        };
        self.stats.revisits += 1;
        self.next_revisited(Frame::Revisited {
            read,
            write: w,
            before,
            mark,
            next,
            floor: floor.max(known),
            saved: saved as u32,
        })
    }

    /// Threads that lose events go back to before the first one; those that lose their creation, too,
    /// are gone. Remembers how they were.
    fn rewind_threads(&mut self, r: EventId) {
        let base = self.saved.len();
        let from = self.graph.event(r).stamp as usize;
        for at in from..self.graph.order().len() - 1 {
            let e = self.graph.order()[at];
            let ev = self.graph.event(e);
            if e != r && ev.idx <= self.prefix[ev.tid.index()] {
                continue;
            }
            let (tid, kind, peer) = (ev.tid, ev.kind, ev.peer);
            if !self.saved[base..].iter().any(|(t, _)| *t == tid) {
                let snapshot = self.snapshots[e.index() - 1].clone();
                let old = self.threads[tid.index()].replace(snapshot);
                self.saved.push((tid, old));
            }
            if kind == Kind::Spawn && !self.saved[base..].iter().any(|(t, _)| *t == peer) {
                let old = self.threads[peer.index()].take();
                self.saved.push((peer, old));
            }
        }
    }

    fn next_revisited(&mut self, frame: Frame) -> bool {
        let Frame::Revisited { read, write, before, mark, next, floor, saved } = frame else {
            unreachable!("a revisit")
        };
        self.graph.undo_to(mark);
        let end = self.graph.co(self.graph.event(write).loc).len() as u32;
        let mut pos = next;
        while pos > floor {
            let at = pos as usize;
            pos -= 1;
            if self.splits_rmw(write, at) {
                continue;
            }
            self.graph.place(write, at);
            let value = self.read(read, write);
            if self.consistent(at as u32 == end, &[write, read]) {
                self.frames.push(Frame::Revisited { read, write, before, mark, next: pos, floor, saved });
                self.advance(read, value);
                return true;
            }
            self.graph.undo_to(mark);
        }
        self.graph.undo_to(before);
        self.snapshots.pop();
        for (t, old) in self.saved.drain(saved as usize..).rev() {
            self.threads[t.index()] = old;
        }
        false
    }
}

/// The ordering that a load has after reading `value`, and whether it is half of an RMW that writes.
fn load_outcome(mode: Mode, rmw: Rmw, value: Value) -> (Mode, bool) {
    match rmw {
        Rmw::No => (mode, false),
        Rmw::Always => (mode, true),
        Rmw::Cas { expected, .. } if value == expected => (mode, true),
        Rmw::Cas { fail, .. } => (fail, false),
    }
}
