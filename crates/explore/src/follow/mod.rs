//! TruSt for models that follow dependencies.
//!
//! As in the exploration with clocks, events are added one at a time, reads try the writes that are there,
//! and writes revisit reads that were added before them. What differs is the causal prefix of a write
//! (`prefix`): it is not all that is before it in its thread, so a revisit may leave *holes* in threads,
//! which are filled before anything else is added; and a write is there in two steps, since its thread may
//! read it back before others know it. `docs/dependencies.md` has the argument, and what it asks of a
//! model.

mod consistent;
mod doubt;
mod judge;
mod maximal;
mod order;
mod pair;
mod prefix;
mod result;
mod revisit;
mod rows;
mod set;
mod thinned;
mod web;
mod work;

use crate::early::{Early, conditional};
use crate::estimate::{Sampled, Sampling, estimate_by_walks};
use crate::explorer::{NOBODY_CALLS, Pause};
use crate::reductions::annotations::waits;
use crate::report::{Config, Execution, ExploreError, GaveUp, Stats, Watch};
use judge::Judge;
use maximal::splits;
use prefix::{Prefix, Prefixes};
use result::Complete;
use rows::Rows;
use selvedge_graph::{DepSet, Deps, Tid, Value};
use selvedge_machine::{Again, Machine, Op, Reduction, Rmw};
use selvedge_model::relational::{Local, Orders, Progress, Relational};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use web::{Ev, INIT, Web};

type Visit<'v, M> = dyn FnMut(&Execution<'_, M>) -> ControlFlow<()> + 'v;

pub(crate) use work::{Revisiting, path_of};

/// How many executions there are, about: by thinned explorations alone.
pub(crate) fn estimate_following<M: Machine>(
    machine: &M,
    model: &Relational,
    local: &Local,
    config: &Config,
    sampling: &Sampling,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Sampled, ExploreError> {
    estimate_by_walks(sampling, stop, &mut |keep, rng, bounds, stop| {
        Follow::new(machine, model, local, config, &NOBODY_CALLS, None)?.walk(keep, rng, bounds, stop)
    })
}

/// Explores every execution of `machine` under `model` and shows each to `visit`. Gives up with
/// [`Again::Dependencies`] where this way of exploring would miss executions; what was shown until then is
/// right, and will be found again by the other way.
pub fn explore_following<M: Machine>(
    machine: &M,
    model: &Relational,
    local: &Local,
    config: &Config,
    visit: &mut Visit<'_, M>,
) -> Result<Stats, ExploreError> {
    let left = config.max_executions.map(AtomicU64::new);
    let mut x = Follow::new(machine, model, local, config, &NOBODY_CALLS, left.as_ref())?;
    x.explore(visit)?;
    Ok(x.stats)
}

pub(crate) struct Follow<'a, M: Machine> {
    machine: &'a M,
    model: &'a Relational,
    local: &'a Local,
    config: &'a Config,
    web: Web<M::State>,
    frames: Vec<Frame>,
    judge: Judge,
    /// The model as orders, if it is of that kind.
    orders: Option<Orders>,
    rows: Rows,
    prefixes: Prefixes,
    prefix: Prefix,
    early: Early,
    stats: Stats,
    /// Set by others who want attention.
    calls: &'a AtomicBool,
    /// The call at this number of events was answered.
    answered: bool,
    /// How many executions may still be shown; shared with others.
    left: Option<&'a AtomicU64>,
}

/// An execution to go back to.
#[derive(Clone, Copy, Debug)]
struct Mark {
    web: web::Mark,
    rows: usize,
}

/// What is added next.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// The next event of a thread.
    Extend(Tid),
    /// A hole, or a write that is not committed.
    Settle(Ev),
}

/// A decision, and the graph that it was made in.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Before the event was added.
    mark: Mark,
    /// Before one of its alternatives was taken.
    inner: Mark,
    event: Ev,
    kind: Alternatives,
    /// Later alternatives are somebody else's.
    closed: bool,
    /// The executions that there were when the present alternative was entered.
    seen: u64,
}

#[derive(Debug)]
enum Alternatives {
    /// None: there is one way.
    One,
    Choice {
        next: u32,
        count: u32,
    },
    /// Sources that were tried, the latest first; those before `floor` are out of the question.
    Read {
        next: u32,
        floor: u32,
        count: u32,
    },
    /// Places in coherence that are left.
    Place {
        left: u32,
        floor: u32,
    },
    /// Reads that are left to be revisited; and places that are left in the graph that was cut for the last.
    Revisit {
        reads: Vec<Ev>,
        cut: Option<(Mark, u32, u32)>,
    },
}

impl<'a, M: Machine> Follow<'a, M> {
    /// An explorer at the empty graph.
    fn new(
        machine: &'a M,
        model: &'a Relational,
        local: &'a Local,
        config: &'a Config,
        calls: &'a AtomicBool,
        left: Option<&'a AtomicU64>,
    ) -> Result<Follow<'a, M>, ExploreError> {
        if !machine.tracks_deps() || machine.has_final_writes() || machine.has_local_objects() {
            return Err(ExploreError::NotWithDependencies(model.name().to_string()));
        }
        let classes = machine.event_classes().map(|classes| classes.into_attrs());
        Ok(Follow {
            orders: model.orders(classes.as_deref()),
            rows: Rows::default(),
            machine,
            model,
            local,
            config,
            web: Web::start(machine),
            frames: Vec::new(),
            judge: Judge::default(),
            prefixes: Prefixes::new(model.causality().forwards),
            prefix: Prefix::default(),
            early: Early::default(),
            stats: Stats::default(),
            calls,
            answered: false,
            left,
        })
    }
}

impl<M: Machine> Follow<'_, M> {
    /// Explores from the current graph on, until there is nothing left or a reason to pause.
    fn explore(&mut self, visit: &mut Visit<'_, M>) -> Result<Pause, ExploreError> {
        loop {
            let entered = match self.next() {
                Some(task) => {
                    if self.web.len >= self.config.max_events {
                        self.stats.gave_up = Some(GaveUp::Events(self.config.max_events));
                        return Ok(Pause::Stopped);
                    }
                    if self.stats.events.is_multiple_of(1024) {
                        if let Some(why) = self.config.watch.as_ref().and_then(Watch::reason) {
                            self.stats.gave_up = Some(why);
                            return Ok(Pause::Stopped);
                        }
                        // Once for each call, so that whoever goes on calling does not stop everything.
                        self.answered = !self.answered && self.calls.load(Ordering::Relaxed);
                        if self.answered {
                            return Ok(Pause::Called);
                        }
                    }
                    self.begin(task)?
                }
                None => {
                    if self.finish(visit).is_break() {
                        return Ok(Pause::Stopped);
                    }
                    false
                }
            };
            // Prefixes take such orders for sure.
            if self.web.leads_through {
                self.stats.gave_up = Some(GaveUp::Again(Again::Dependencies));
            }
            if self.stats.gave_up.is_some() {
                return Ok(Pause::Stopped);
            }
            if !entered {
                if !self.backtrack() {
                    return Ok(Pause::Done);
                }
                if self.calls.load(Ordering::Relaxed) {
                    return Ok(Pause::Called);
                }
            }
        }
    }

    fn mark(&self) -> Mark {
        Mark { web: self.web.mark(), rows: self.rows.mark() }
    }

    fn undo_to(&mut self, mark: Mark) {
        self.web.undo_to(mark.web);
        self.rows.undo_to(mark.rows);
    }

    // ---- what comes next ----

    /// Holes first: the first of the leftmost thread that has one. Both halves of a read-modify-write go
    /// together.
    fn next(&self) -> Option<Task> {
        for (t, line) in self.web.lines.iter().enumerate() {
            if line.open > 0 {
                let open = line.events.iter().copied().find(|&e| !self.web.at(e).is_settled());
                return open.map(Task::Settle);
            }
            if let Some(next) = &line.next
                && matches!(next.op, Op::Store { rmw: true, .. })
            {
                return Some(Task::Extend(Tid(t as u16)));
            }
        }
        let mut threads = (0..self.web.lines.len() as u16).map(Tid);
        threads.find(|&t| self.can_go_on(t)).map(Task::Extend)
    }

    fn can_go_on(&self, t: Tid) -> bool {
        match self.web.line(t).next.as_ref().map(|next| next.op) {
            None | Some(Op::Block(_) | Op::Cut | Op::Error(_) | Op::End) => false,
            Some(Op::Join { thread }) => {
                self.web.line(thread).next.as_ref().is_some_and(|next| next.op == Op::End)
            }
            Some(_) => true,
        }
    }

    /// Adds what comes next, and enters its first alternative, if it has one.
    fn begin(&mut self, task: Task) -> Result<bool, ExploreError> {
        let mark = self.mark();
        let e = match task {
            Task::Extend(t) => self.web.push(t),
            Task::Settle(e) => e,
        };
        self.stats.events += 1;
        let slot = self.web.at(e);
        if hangs_on_faults(&slot.at.deps) || self.web.leads_through {
            self.stats.gave_up = Some(GaveUp::Again(Again::Dependencies));
        }
        let kind = match slot.at.op {
            Op::Load { loc, .. } => {
                let floor = self.floor(e);
                let count = self.web.co[loc.index()].len() as u32 + 1 - floor;
                Alternatives::Read { next: 0, floor, count }
            }
            Op::Store { .. } => {
                if !slot.is_there() {
                    self.web.fill(e, None);
                    self.web.order(self.local, e);
                    self.web.advance(self.machine, self.local, e);
                }
                if self.is_doubtful(e) && self.is_read_elsewhere(e) {
                    self.stats.gave_up = Some(GaveUp::Again(Again::Dependencies));
                }
                self.places(e)
            }
            Op::Choose { count } => Alternatives::Choice { next: 0, count },
            Op::Local { .. } | Op::Arrive { .. } | Op::Depart { .. } | Op::Decide { .. } => {
                return Err(ExploreError::NotWithDependencies(self.model.name().to_string()));
            }
            Op::Spawn { .. } | Op::Join { .. } if !self.model.orders_threads() => {
                return Err(ExploreError::ThreadsNotOrdered(self.model.name().to_string()));
            }
            _ => {
                self.web.fill(e, None);
                self.web.order(self.local, e);
                self.note(e);
                self.web.advance(self.machine, self.local, e);
                Alternatives::One
            }
        };
        let inner = self.mark();
        let one = matches!(kind, Alternatives::One);
        let frame = Frame { mark, inner, event: e, kind, closed: false, seen: self.stats.executions() };
        if one {
            self.frames.push(frame);
            return Ok(true);
        }
        Ok(self.try_next(frame))
    }

    /// Goes back to the latest decision that has another alternative, and enters that.
    fn backtrack(&mut self) -> bool {
        while let Some(frame) = self.frames.pop() {
            if frame.seen == self.stats.executions() && !matches!(frame.kind, Alternatives::One) {
                let slot = self.web.at(frame.event);
                match slot.is_rmw_read() || slot.is_rmw_write() {
                    true => self.stats.dropped_rmw += 1,
                    false => self.stats.aborted += 1,
                }
            }
            if frame.closed {
                self.undo_to(frame.mark);
                continue;
            }
            if self.try_next(frame) {
                return true;
            }
        }
        false
    }

    // ---- alternatives ----

    /// Enters the next alternative of a decision, or takes its event back.
    fn try_next(&mut self, mut frame: Frame) -> bool {
        let e = frame.event;
        loop {
            let entered = match &mut frame.kind {
                Alternatives::One => None,
                Alternatives::Choice { next, count } => {
                    self.undo_to(frame.inner);
                    if next >= count {
                        None
                    } else {
                        let value = *next as Value;
                        *next += 1;
                        self.web.fill(e, Some(value));
                        self.web.order(self.local, e);
                        self.note(e);
                        self.web.advance(self.machine, self.local, e);
                        Some(true)
                    }
                }
                Alternatives::Read { next, count, .. } => {
                    self.undo_to(frame.inner);
                    if next >= count {
                        None
                    } else {
                        let co = &self.web.co[self.web.at(e).face.loc.index()];
                        let place = co.len() - *next as usize;
                        *next += 1;
                        let w = if place == 0 { INIT } else { co[place - 1] };
                        Some(self.read(e, w))
                    }
                }
                Alternatives::Place { left, floor } => {
                    self.undo_to(frame.inner);
                    if *left > *floor {
                        *left -= 1;
                        let at = *left as usize;
                        Some(self.place(e, at))
                    } else {
                        frame.kind = Alternatives::Revisit { reads: self.revisitable(e), cut: None };
                        continue;
                    }
                }
                Alternatives::Revisit { reads, cut } => match cut {
                    Some((mark, left, floor)) => {
                        self.undo_to(*mark);
                        if *left > *floor {
                            *left -= 1;
                            let at = *left as usize;
                            let Some(&r) = reads.last() else { unreachable!("it was cut for a read") };
                            Some(self.revisit_placed(e, r, at))
                        } else {
                            *cut = None;
                            reads.pop();
                            continue;
                        }
                    }
                    None => {
                        self.undo_to(frame.inner);
                        match reads.last() {
                            None => None,
                            Some(&r) => {
                                self.cut(e, r);
                                let (left, floor) = self.range_of_places(e);
                                *cut = Some((self.mark(), left, floor));
                                continue;
                            }
                        }
                    }
                },
            };
            match entered {
                Some(true) => {
                    frame.seen = self.stats.executions();
                    self.frames.push(frame);
                    return true;
                }
                Some(false) => {}
                None => {
                    self.undo_to(frame.mark);
                    return false;
                }
            }
        }
    }

    /// A read reads from `w`, if it may.
    fn read(&mut self, e: Ev, w: Ev) -> bool {
        self.web.read(self.machine, e, w);
        self.web.order(self.local, e);
        let external = w != INIT && self.web.at(w).tid != self.web.at(e).tid;
        if self.may_be_forwarded_early(e) || external && self.is_doubtful(w) {
            self.stats.gave_up = Some(GaveUp::Again(Again::Dependencies));
        }
        if !self.is_consistent_at(e, true) {
            return false;
        }
        self.web.advance(self.machine, self.local, e);
        !self.waits_in_vain(e, w)
    }

    /// Whether a read may see in other executions what a compare-and-swap of its thread stores before it is
    /// known to succeed, or is that of one that may be seen before (`early.rs`).
    fn may_be_forwarded_early(&mut self, e: Ev) -> bool {
        let (web, early) = (&self.web, &mut self.early);
        let slot = web.at(e);
        let deps = &slot.at.deps;
        if early.may_succeed(self.local, slot.at.op, || Deps::clone(deps)) {
            return true;
        }
        for &x in web.line(slot.tid).events[..slot.idx as usize - 1].iter().rev() {
            let other = web.at(x);
            if other.face.loc != slot.face.loc {
                continue;
            }
            if other.is_write() && web.rmw_read(x).is_none_or(|r| conditional(web.at(r).at.op).is_none()) {
                return false; // That would be read.
            }
            let is_before =
                || [&deps.addr, &deps.ctrl, &slot.order().firm].iter().any(|s| s.contains(other.idx));
            if other.is_read() && early.may_forward(self.local, other.at.op, slot.at.op) && !is_before() {
                return true;
            }
        }
        false
    }

    /// Whether a read that was just added makes its thread wait for ever although it could have seen a later
    /// write. It was not added maximally, so no revisit will ever change or delete it; what the others do in
    /// executions with it, they also do where it sees the last write (`reductions/annotations.rs`, whose
    /// argument is about maximality and not about causes). There it is last in its thread, as here: a model
    /// of orders admits the last write then.
    fn waits_in_vain(&self, e: Ev, w: Ev) -> bool {
        let slot = self.web.at(e);
        let Op::Load { loc, rmw, .. } = slot.at.op else { return false };
        let reduction = match rmw {
            Rmw::No => Reduction::Annotations,
            _ => Reduction::Futile,
        };
        let line = self.web.line(slot.tid);
        self.config.reductions.has(reduction)
            && self.orders.is_some()
            && self.web.open == 0
            && line.events.len() == slot.idx as usize
            && self.web.co[loc.index()].last().is_some_and(|last| *last != w)
            && line.next.as_ref().is_some_and(|next| waits(next.op))
    }

    fn places(&self, e: Ev) -> Alternatives {
        let (left, floor) = self.range_of_places(e);
        Alternatives::Place { left, floor }
    }

    /// Places from `left - 1` down to `floor`. The write of a read-modify-write has one, after what it read.
    fn range_of_places(&self, e: Ev) -> (u32, u32) {
        let web = &self.web;
        let co = &web.co[web.at(e).face.loc.index()];
        match web.rmw_read(e).map(|r| web.at(r).face.rf) {
            None => (co.len() as u32 + 1, self.floor(e)),
            Some(source) => {
                let at = match source {
                    INIT => Some(0),
                    source => co.iter().position(|&w| w == source).map(|at| at as u32 + 1),
                };
                at.map_or((0, 0), |at| (at + 1, at))
            }
        }
    }

    /// How many writes an access comes after in any case, if the model has coherence.
    fn floor(&self, e: Ev) -> u32 {
        match self.config.shortcuts && self.orders.is_some() {
            true => self.web.floor(e) as u32,
            false => 0,
        }
    }

    fn place(&mut self, e: Ev, at: usize) -> bool {
        let web = &self.web;
        let loc = web.at(e).face.loc.index();
        if splits(web, loc, at, &|_| true) {
            return false;
        }
        let latest = at == self.web.co[loc].len()
            && self.web.line(web.at(e).tid).events.len() == web.at(e).idx as usize;
        self.web.place(e, at);
        self.is_consistent(e, latest)
    }

    // ---- ends ----

    fn finish(&mut self, visit: &mut Visit<'_, M>) -> ControlFlow<()> {
        if (self.model.has_errors() || cfg!(debug_assertions))
            && !self.judge.admits_all::<M>(self.model, &self.web, Progress::Final)
        {
            debug_assert!(false, "what was added is consistent");
            return ControlFlow::Continue(());
        }
        if let Some(again) = self.machine.again() {
            self.stats.gave_up = Some(GaveUp::Again(again));
            return ControlFlow::Break(());
        }
        if let Some(left) = self.left
            && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err()
        {
            self.stats.gave_up = Some(GaveUp::Executions(self.config.max_executions.unwrap_or_default()));
            return ControlFlow::Break(());
        }
        let complete = Complete {
            machine: self.machine,
            web: &self.web,
            model: self.model,
            judge: &self.judge,
            config: self.config,
            frames: &self.frames,
        };
        let broken = result::show(&complete, &mut self.stats, visit);
        if broken.is_break() {
            self.stats.gave_up = Some(GaveUp::AtExecution);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Whether it depends on more than its dependencies that a thread gets to an operation: it may fail before.
fn hangs_on_faults(deps: &Deps) -> bool {
    if deps.faults.is_empty() {
        return false;
    }
    let mut rest: DepSet = deps.faults.clone();
    for set in [&deps.addr, &deps.data, &deps.ctrl] {
        rest.subtract(set);
    }
    !rest.is_empty()
}
