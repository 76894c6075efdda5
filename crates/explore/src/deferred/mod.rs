//! Exploration for models that follow dependencies, in which a read may read from a write that comes later in
//! its own thread or waits for it (`po | rf` may have cycles; `addr | data | ctrl | rf` may not).
//!
//! An event is added as soon as it is certain that it happens: a thread goes on past a read that has no
//! source yet, up to what depends on it. When nothing more can be added, a read is asked for its source: one
//! of the writes that are there, or a later one (it is *deferred*, and asked again when new writes come up
//! that it did not turn down before). An execution decides every question that it is asked on the way, so
//! there is exactly one way to each: none is missed, none is found twice, and nothing has to be remembered
//! but the way. Nothing is assumed of the model but that what it forbids in a part it forbids in the whole;
//! in particular, no extensibility (thesis §5.4.1). The price is that a deferred read may wait in vain;
//! `may_write` avoids the greater part of that.
//!
//! Executions in which a value depends on itself have no such way. `thin_air` finds out whether the model
//! has any for this program; if so, the exploration is given up.

mod engine;
mod judge;
pub(crate) mod lifetimes;
mod partial;
pub(crate) mod result;
mod thin_air;

pub use engine::Deferred;
pub(crate) use engine::by_config;

use crate::conclusion::TOO_HARD;
use crate::report::{Config, Execution, ExploreError, GaveUp, Stats};
use partial::{Ev, INIT, Partial, Source};
use selvedge_graph::{Loc, Tid, Value};
use selvedge_machine::{Agreement, Machine, Op, Rmw};
use selvedge_model::relational::{Candidate, Progress, Relational, Workspace};
use std::ops::ControlFlow;

type Visit<'v, M> = dyn FnMut(&Execution<'_, M>) -> ControlFlow<()> + 'v;

/// Says why to stop, if there is a reason.
type Ask<'w> = dyn Fn() -> Option<GaveUp> + 'w;

/// Explores every execution of `machine` under `model` and shows each to `visit`. `ask` is asked every few
/// hundred events whether to stop.
pub fn explore_deferred<M: Machine>(
    machine: &M,
    model: &Relational,
    config: &Config,
    ask: &Ask<'_>,
    visit: &mut Visit<'_, M>,
) -> Result<Stats, ExploreError> {
    // Nobody would check what the program says there.
    if !machine.tracks_deps() || machine.has_final_writes() || machine.has_local_objects() {
        return Err(ExploreError::NotWithDependencies(model.name().to_string()));
    }
    let mut explorer = Deferral {
        machine,
        model,
        config,
        ask,
        stats: Stats::default(),
        candidate: Candidate::default(),
        space: Workspace::default(),
        error: None,
    };
    let _ = explorer.go(Partial::start(machine), visit);
    match explorer.error {
        Some(error) => Err(error),
        None => Ok(explorer.stats),
    }
}

struct Deferral<'a, M: Machine> {
    machine: &'a M,
    model: &'a Relational,
    config: &'a Config,
    ask: &'a Ask<'a>,
    stats: Stats,
    candidate: Candidate,
    space: Workspace,
    error: Option<ExploreError>,
}

impl<M: Machine> Deferral<'_, M> {
    /// Explores what an execution in the making can become.
    fn go(&mut self, mut p: Partial<M::State>, visit: &mut Visit<'_, M>) -> ControlFlow<()> {
        loop {
            if let Some(t) = self.next_thread(&p) {
                self.check_limits(&p)?;
                self.stats.events += 1;
                let Some(standing) = &p.lines[t.index()].standing else { unreachable!("it goes on") };
                if !p.knows_next(t, standing) {
                    // The address may turn out not to be one, or something before it to fail.
                    let mut q = p.clone();
                    q.lines[t.index()].fails = true;
                    self.go(q, visit)?;
                }
                match standing.op {
                    Op::Choose { count } => {
                        for value in 0..count as Value {
                            let mut q = p.clone();
                            q.issue(self.machine, t, Some(value), None);
                            self.go(q, visit)?;
                        }
                        return ControlFlow::Continue(());
                    }
                    Op::Decide { value } => {
                        p.issue(self.machine, t, Some(value), None);
                        continue;
                    }
                    Op::Load { rmw: Rmw::Cas { .. }, .. } => {
                        for succeeds in [true, false] {
                            let mut q = p.clone();
                            q.issue(self.machine, t, None, Some(succeeds));
                            self.go(q, visit)?;
                        }
                        return ControlFlow::Continue(());
                    }
                    Op::Local { .. } | Op::Arrive { .. } | Op::Depart { .. } => {
                        return self.fail(ExploreError::NotWithDependencies(self.model.name().to_string()));
                    }
                    Op::Spawn { .. } | Op::Join { .. } if !self.model.orders_threads() => {
                        return self.fail(ExploreError::ThreadsNotOrdered(self.model.name().to_string()));
                    }
                    _ => {
                        p.issue(self.machine, t, None, None);
                        continue;
                    }
                }
            }
            if let Some(w) = p.events().find(|&e| is_placeable(&p, e)) {
                return self.place(&p, w, visit);
            }
            if p.events().any(|e| self.waits_in_vain(&p, e)) {
                return ControlFlow::Continue(());
            }
            if let Some(r) = p.events().find(|&e| self.can_decide(&p, e)) {
                return self.decide(p, r, visit);
            }
            // A branch on a read that waits for a later write: that may be one that the thread comes to
            // either way.
            if let Some(t) = self.next_branch(&p) {
                self.check_limits(&p)?;
                self.stats.events += 1;
                for value in [1, 0] {
                    let mut q = p.clone();
                    q.issue(self.machine, t, Some(value), None);
                    self.go(q, visit)?;
                }
                return ControlFlow::Continue(());
            }
            let settled = |t: usize| match &p.lines[t].standing {
                Some(standing) => p.knows_next(Tid(t as u16), standing),
                None => true,
            };
            if p.events().all(|e| p.is_known(e)) && (0..p.lines.len()).all(settled) {
                p.is_over = true;
                return self.finish(&p, visit);
            }
            if !self.machine.has_pairs_apart() && thin_air::is_ruled_out(self.model, &p) {
                return ControlFlow::Continue(());
            }
            let stop = || (self.ask)().is_some();
            return match thin_air::is_possible(
                self.machine,
                self.model,
                &p,
                &mut self.candidate,
                &mut self.space,
                &stop,
            ) {
                Some(true) => self.fail(ExploreError::ThinAir(self.model.name().to_string())),
                Some(false) => ControlFlow::Continue(()),
                None => {
                    self.is_over();
                    ControlFlow::Break(())
                }
            };
        }
    }

    fn fail(&mut self, error: ExploreError) -> ControlFlow<()> {
        self.error = Some(error);
        ControlFlow::Break(())
    }

    /// Whether it is time to stop.
    fn is_over(&mut self) -> bool {
        if self.stats.gave_up.is_none() {
            self.stats.gave_up = (self.ask)();
        }
        self.stats.gave_up.is_some()
    }

    fn check_limits(&mut self, p: &Partial<M::State>) -> ControlFlow<()> {
        let why = if p.events().end > self.config.max_events {
            Some(GaveUp::Events(self.config.max_events))
        } else {
            let due = self.stats.events.is_multiple_of(256);
            if due { (self.ask)() } else { None }
        };
        match why {
            Some(why) => {
                self.stats.gave_up = Some(why);
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// A thread whose next event is certain.
    fn next_thread(&self, p: &Partial<M::State>) -> Option<Tid> {
        (0..p.lines.len() as u16).map(Tid).find(|&t| {
            let line = &p.lines[t.index()];
            let Some(standing) = line.standing.as_ref().filter(|_| !line.fails) else { return false };
            match standing.op {
                Op::Block(_) | Op::Cut | Op::Error(_) | Op::End => false,
                Op::Join { thread } => has_ended(p, thread) && p.is_certain(t, standing),
                Op::Decide { .. } => p.is_certain(t, standing) && p.are_known(t, &standing.deps.data),
                _ => p.is_certain(t, standing),
            }
        })
    }

    /// A thread that is certain to come to a branch of which the way is not known.
    fn next_branch(&self, p: &Partial<M::State>) -> Option<Tid> {
        (0..p.lines.len() as u16).map(Tid).find(|&t| {
            let line = &p.lines[t.index()];
            let standing = line.standing.as_ref().filter(|_| !line.fails);
            standing.is_some_and(|s| matches!(s.op, Op::Decide { .. }) && p.is_certain(t, s))
        })
    }

    /// Tries all places of a write in coherence. The write of a read-modify-write has one, directly after the
    /// source of its read; but its own thread may have written in between, if there is room.
    fn place(&mut self, p: &Partial<M::State>, w: Ev, visit: &mut Visit<'_, M>) -> ControlFlow<()> {
        let Some(loc) = p.at(w).loc else { unreachable!("its address is known") };
        let co = &p.co[loc.index()];
        let tid = p.at(w).tid;
        let places = match p.rmw_read(w).map(|r| p.at(r).source) {
            Some(Source::From(source)) => {
                let after = after(co, source);
                let own = |v: &&Ev| p.is_apart(w) && p.at(**v).tid == tid;
                let own = co[after..].iter().take_while(own).count();
                after..after + own + 1
            }
            _ => 0..co.len() + 1,
        };
        for at in places.rev() {
            let splits = |&next: &Ev| match p.rmw_read(next).map(|r| p.at(r).source) {
                Some(Source::From(source)) => {
                    (p.at(next).tid != tid || !p.is_apart(next)) && after(co, source) <= at
                }
                _ => false,
            };
            // What is after it belongs to what is before it, and others' writes may not come in between.
            if co[at..].iter().any(splits) {
                continue;
            }
            let mut q = p.clone();
            q.co[loc.index()].insert(at, w);
            q.at_mut(w).placed = true;
            if self.admits(&q, Progress::Partial) {
                self.go(q, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The writes that `r` may read from now and has not turned down.
    fn sources(&self, p: &Partial<M::State>, r: Ev, loc: Loc) -> Vec<Ev> {
        let there = |w: Ev| p.at(w).is_write() && p.at(w).loc == Some(loc) && p.at(w).value.is_some();
        let all = std::iter::once(INIT).chain(p.events().filter(|&w| there(w)));
        all.filter(|w| !p.at(r).turned_down.contains(w)).collect()
    }

    /// Whether there may be another write to read from later.
    fn may_come(&self, p: &Partial<M::State>, loc: Loc) -> bool {
        let open = |e: Ev| {
            let h = p.at(e);
            h.is_write() && h.loc.is_none_or(|l| l == loc) && (h.value.is_none() || h.loc.is_none())
        };
        // Where it is not certain that a thread stands, it is that it came to its last event.
        let to_come = |t: usize| {
            let line = &p.lines[t];
            let Some(s) = &line.standing else { return self.may_be_created(p) };
            if p.is_certain(Tid(t as u16), s) {
                let over = matches!(s.op, Op::Block(_) | Op::Cut | Op::Error(_) | Op::End);
                return !over && self.machine.may_write(&s.state, loc);
            }
            let last = line.events.last();
            last.is_none_or(|&e| self.machine.may_write(&p.at(e).standing.state, loc))
        };
        p.events().any(open) || (0..p.lines.len()).any(to_come)
    }

    /// Whether a thread may still be created.
    fn may_be_created(&self, p: &Partial<M::State>) -> bool {
        p.lines.iter().zip(0..).any(|(line, t)| {
            let Some(s) = &line.standing else { return false };
            if p.is_certain(Tid(t), s) {
                let over = matches!(s.op, Op::Block(_) | Op::Cut | Op::Error(_) | Op::End);
                return !over && self.machine.may_spawn(&s.state);
            }
            line.events.last().is_none_or(|&e| self.machine.may_spawn(&p.at(e).standing.state))
        })
    }

    fn waits_in_vain(&self, p: &Partial<M::State>, r: Ev) -> bool {
        let h = p.at(r);
        match (h.source, h.loc) {
            (Source::Deferred, Some(loc)) => self.sources(p, r, loc).is_empty() && !self.may_come(p, loc),
            _ => false,
        }
    }

    fn can_decide(&self, p: &Partial<M::State>, r: Ev) -> bool {
        let h = p.at(r);
        match (h.source, h.loc) {
            (Source::Undecided, Some(_)) => h.is_read(),
            (Source::Deferred, Some(loc)) => !self.sources(p, r, loc).is_empty(),
            _ => false,
        }
    }

    /// Tries all sources of a read.
    fn decide(&mut self, mut p: Partial<M::State>, r: Ev, visit: &mut Visit<'_, M>) -> ControlFlow<()> {
        let Some(loc) = p.at(r).loc else { unreachable!("its address is known") };
        let sources = self.sources(&p, r, loc);
        for &w in &sources {
            let mut q = p.clone();
            let value = q.value_of(self.machine, w, loc);
            let h = q.at_mut(r);
            h.source = Source::From(w);
            h.value = value;
            q.rerun(self.machine, r);
            if q.goes_as_decided(q.at(r).tid) && self.admits(&q, Progress::Partial) {
                self.go(q, visit)?;
            }
            // Between two events there may be much to try.
            if self.is_over() {
                return ControlFlow::Break(());
            }
        }
        if self.may_come(&p, loc) {
            let h = p.at_mut(r);
            h.source = Source::Deferred;
            h.turned_down.extend(sources);
            self.go(p, visit)?;
        }
        ControlFlow::Continue(())
    }

    fn admits(&mut self, p: &Partial<M::State>, progress: Progress) -> bool {
        let numbers = judge::numbers(p, false);
        judge::show(p, &numbers, &judge::Assumed::default(), &mut self.candidate);
        self.model.admits(&self.candidate, progress, &mut self.space)
    }

    fn finish(&mut self, p: &Partial<M::State>, visit: &mut Visit<'_, M>) -> ControlFlow<()> {
        if !self.admits(p, Progress::Final) {
            return ControlFlow::Continue(());
        }
        if let Some(again) = self.machine.again() {
            self.stats.gave_up = Some(GaveUp::Again(again));
            return ControlFlow::Break(());
        }
        if self.machine.has_unknowns() {
            let mut states = p.lines.iter().filter_map(|line| Some((&*line.standing.as_ref()?.state, None)));
            match self.machine.go_together(&mut states) {
                Agreement::Yes => {}
                Agreement::No => return ControlFlow::Continue(()),
                Agreement::NobodyKnows => {
                    self.stats.gave_up = Some(GaveUp::TooLarge(TOO_HARD.to_string()));
                    return ControlFlow::Break(());
                }
            }
        }
        let errors = |ids: &[_]| self.model.errors(ids, &self.space);
        let broken = result::show(self.machine, p, self.config, errors, &mut self.stats, visit);
        if broken.is_break() {
            self.stats.gave_up = Some(GaveUp::AtExecution);
            return ControlFlow::Break(());
        }
        if self.config.max_executions.is_some_and(|most| self.stats.executions() >= most) {
            self.stats.gave_up = Some(GaveUp::Executions(self.stats.executions()));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The place in coherence right behind a write.
fn after(co: &[Ev], w: Ev) -> usize {
    co.iter().position(|&v| v == w).map_or(0, |at| at + 1)
}

/// Whether a write that has no place yet can be given one.
fn is_placeable<S: Clone>(p: &Partial<S>, e: Ev) -> bool {
    let h = p.at(e);
    let sourced = |r: Ev| matches!(p.at(r).source, Source::From(w) if w == INIT || p.at(w).placed);
    h.is_write() && !h.placed && h.loc.is_some() && p.rmw_read(e).is_none_or(sourced)
}

fn has_ended<S: Clone>(p: &Partial<S>, t: Tid) -> bool {
    let standing = p.lines[t.index()].standing.as_ref();
    standing.is_some_and(|s| s.op == Op::End && p.is_certain(t, s))
}
