//! Exploration by several workers (thesis §6.3.3).
//!
//! Workers share nothing but a queue of units of work. A worker that has nothing to do calls; the next
//! one that hears it gives away its oldest decision that has later alternatives, as a path. What a unit came
//! to is added to the common result when it is done, so at any moment at which no unit is in the middle
//! of a step, the result, the queue and the rests of the units under way are all there is to know: that
//! is a [`Snapshot`].
//!
//! The thread that started it all does not explore. It asks its [`Director`] now and then what to do.

use crate::explorer::{Explorer, Pause};
use crate::path::{Path, Unit};
use crate::report::{Config, End, Execution, ExploreError, GaveUp, Stats};
use selvedge_machine::Machine;
use selvedge_model::Model;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Takes in executions. Each unit of work has a visitor of its own.
pub trait Visitor<M: Machine>: Clone + Send {
    /// Breaks at an execution that settles everything.
    fn visit(&mut self, execution: &Execution<'_, M>) -> ControlFlow<()>;

    /// Takes in what another visitor has seen, earlier or later in the order of paths.
    fn merge(&mut self, other: Self);
}

/// What the director wants.
#[derive(Clone, PartialEq, Debug)]
pub enum Order {
    GoOn,
    /// Show me a snapshot.
    Snapshot,
    /// Give up, for this reason.
    Stop(GaveUp),
}

/// Watches over an exploration from outside.
pub trait Director<V> {
    /// Asked several times a second; the first time while the first worker is still alone. The numbers are
    /// those of the executions so far.
    fn order(&mut self, progress: Progress) -> Order;

    fn snapshot(&mut self, _snapshot: Snapshot<V>) {}
}

/// Lets everything go on.
pub struct Absent;

impl<V> Director<V> for Absent {
    fn order(&mut self, _: Progress) -> Order {
        Order::GoOn
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    pub executions: u64,
    pub blocked: u64,
}

/// An exploration that can go on from here.
#[derive(Clone, Debug)]
pub struct Snapshot<V> {
    /// What is left to explore; if nothing is, the exploration is finished.
    pub units: Vec<Unit>,
    pub stats: Stats,
    pub visitor: V,
}

impl<V> Snapshot<V> {
    /// The beginning.
    pub fn start(visitor: V) -> Snapshot<V> {
        Snapshot { units: vec![Unit::root()], stats: Stats::default(), visitor }
    }
}

/// How to explore.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    pub model: &'a Model,
    pub config: &'a Config,
    /// How many explore at the same time.
    pub workers: usize,
    /// When a visitor breaks, goes on until no execution is left that comes before that one, so that the
    /// first such execution is always among the results.
    pub deterministic: bool,
    /// One worker is alone at first, for this long. Most explorations are over before others could help,
    /// and what machines learn as they go, they learn in the same order every time.
    pub alone: Duration,
    /// How often the director is asked.
    pub tick: Duration,
}

impl<'a> Team<'a> {
    pub fn new(model: &'a Model, config: &'a Config, workers: usize) -> Team<'a> {
        Team {
            model,
            config,
            workers,
            deterministic: false,
            alone: Duration::from_millis(15),
            tick: Duration::from_millis(50),
        }
    }
}

/// Whoever explores one unit of work after the other.
pub(crate) trait Worker<M: Machine> {
    /// Goes to where a unit of work begins, from the empty graph. Returns whether there is something to
    /// explore.
    fn take_on(&mut self, unit: &Unit) -> Result<bool, ExploreError>;

    /// Explores until there is nothing left, or somebody calls.
    fn run(
        &mut self,
        visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
    ) -> Result<Pause, ExploreError>;

    /// All that is left to explore.
    fn rest(&self) -> Unit;

    /// Gives some of it away.
    fn split(&mut self) -> Option<Unit>;

    /// The decisions that led to where it is.
    fn path(&self) -> Path;

    /// Whether it is at the empty graph, with nothing left to explore.
    fn is_at_the_beginning(&self) -> bool;

    fn stats(&mut self) -> &mut Stats;
}

/// What workers have in common: a model, and a way to explore under it.
pub(crate) trait Crew: Sync {
    type Member<'s, M: Machine + 's>: Worker<M>
    where
        Self: 's;

    /// A worker. `calls` is set by others who want its attention; so many executions may be shown by all
    /// together as are `left`.
    fn hire<'s, M: Machine>(
        &'s self,
        machine: &'s M,
        config: &'s Config,
        calls: &'s AtomicBool,
        left: Option<&'s AtomicU64>,
    ) -> Result<Self::Member<'s, M>, ExploreError>;
}

/// Explores with clocks.
pub(crate) struct Clocks<'a>(pub &'a Model);

impl Crew for Clocks<'_> {
    type Member<'s, M: Machine + 's>
        = Explorer<'s, M>
    where
        Self: 's;

    fn hire<'s, M: Machine>(
        &'s self,
        machine: &'s M,
        config: &'s Config,
        calls: &'s AtomicBool,
        left: Option<&'s AtomicU64>,
    ) -> Result<Explorer<'s, M>, ExploreError> {
        Explorer::new(machine, self.0, config, calls, left)
    }
}

impl<M: Machine> Worker<M> for Explorer<'_, M> {
    fn take_on(&mut self, unit: &Unit) -> Result<bool, ExploreError> {
        Explorer::take_on(self, unit)
    }

    fn run(
        &mut self,
        visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
    ) -> Result<Pause, ExploreError> {
        Explorer::run(self, visit)
    }

    fn rest(&self) -> Unit {
        Explorer::rest(self)
    }

    fn split(&mut self) -> Option<Unit> {
        Explorer::split(self)
    }

    fn path(&self) -> Path {
        Path::of(&self.frames)
    }

    fn is_at_the_beginning(&self) -> bool {
        Explorer::is_at_the_beginning(self)
    }

    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

/// How a crew works.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    pub config: &'a Config,
    pub workers: usize,
    pub deterministic: bool,
    pub alone: Duration,
    pub tick: Duration,
}

/// Workers add to common counters after this many executions: not all the time.
const REPORT_EVERY: u64 = 256;

impl Team<'_> {
    /// Explores what is left at `from`. Each worker has its own machine; they must agree on the numbers
    /// of locations, objects and threads. `fresh` is a visitor that has seen nothing.
    pub fn explore<M, V>(
        &self,
        machine: &(dyn Fn() -> M + Sync),
        fresh: &V,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
    ) -> Result<Snapshot<V>, ExploreError>
    where
        M: Machine,
        V: Visitor<M> + Sync,
    {
        let Team { model, config, workers, deterministic, alone, tick } = *self;
        let how = How { config, workers, deterministic, alone, tick };
        how.explore(&Clocks(model), machine, fresh, from, director)
    }
}

impl How<'_> {
    /// Explores what is left at `from`.
    pub fn explore<C, M, V>(
        &self,
        crew: &C,
        machine: &(dyn Fn() -> M + Sync),
        fresh: &V,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
    ) -> Result<Snapshot<V>, ExploreError>
    where
        C: Crew,
        M: Machine,
        V: Visitor<M> + Sync,
    {
        let left = self.config.max_executions.map(|most| most.saturating_sub(from.stats.executions()));
        let Snapshot { units, mut stats, visitor } = from;
        stats.gave_up = None;
        let shared = Shared {
            how: *self,
            crew,
            machine,
            fresh,
            calls: AtomicBool::new(false),
            left: left.map(AtomicU64::new),
            executions: AtomicU64::new(stats.executions()),
            blocked: AtomicU64::new(stats.blocked),
            state: Mutex::new(State {
                queue: units.into(),
                busy: 0,
                waiting: 0,
                over: false,
                stats,
                visitor,
                bound: None,
                round: None,
                error: None,
            }),
            work: Condvar::new(),
            news: Condvar::new(),
        };
        std::thread::scope(|scope| {
            shared.hire(scope);
            shared.lead(scope, director);
        });
        let state = shared.state.into_inner().unwrap_or_else(|broken| broken.into_inner());
        match state.error {
            Some(error) => Err(error),
            None => Ok(Snapshot { units: state.queue.into(), stats: state.stats, visitor: state.visitor }),
        }
    }
}

struct Shared<'a, C, M, V> {
    how: How<'a>,
    crew: &'a C,
    machine: &'a (dyn Fn() -> M + Sync),
    fresh: &'a V,
    /// Somebody wants the attention of those who are busy.
    calls: AtomicBool,
    left: Option<AtomicU64>,
    executions: AtomicU64,
    blocked: AtomicU64,
    state: Mutex<State<V>>,
    /// For workers: there is work, a round is over, or all is.
    work: Condvar,
    /// For the leader: something is over.
    news: Condvar,
}

struct State<V> {
    queue: VecDeque<Unit>,
    /// Workers with a unit under way.
    busy: usize,
    /// Workers without.
    waiting: usize,
    /// No more units are taken.
    over: bool,
    /// Of the units that are done.
    stats: Stats,
    visitor: V,
    /// The first execution that a visitor broke at.
    bound: Option<Path>,
    /// A snapshot that is being made: rests of the units under way.
    round: Option<Round<V>>,
    error: Option<ExploreError>,
}

struct Round<V> {
    number: u64,
    rests: Vec<Snapshot<V>>,
}

/// A unit that is under way.
struct Job<'s, 'a, C: Crew, M: Machine, V> {
    explorer: C::Member<'s, M>,
    visitor: V,
    /// Executions that the leader does not know of yet.
    unreported: Progress,
    /// The last round that it was part of.
    round: u64,
    shared: &'s Shared<'a, C, M, V>,
}

impl<C: Crew, M: Machine, V: Visitor<M> + Sync> Shared<'_, C, M, V> {
    fn hire<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        scope.spawn(move || {
            // If this thread panics, nobody must wait for it.
            let guard = EndAll(self);
            self.work();
            std::mem::forget(guard);
        });
    }

    fn lock(&self) -> MutexGuard<'_, State<V>> {
        self.state.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    // ---- the leader ----

    fn lead<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, director: &mut dyn Director<V>) {
        let begin = Instant::now();
        let mut alone = self.how.workers > 1;
        let mut rounds = 0;
        let mut state = self.lock();
        while !(state.over && state.busy == 0) {
            let tick = if alone { self.how.alone } else { self.how.tick };
            (state, _) = self.news.wait_timeout(state, tick).unwrap_or_else(|broken| broken.into_inner());
            if state.over {
                continue;
            }
            drop(state);
            let order = director.order(self.progress());
            if alone && begin.elapsed() >= self.how.alone {
                alone = false;
                (1..self.how.workers).for_each(|_| self.hire(scope));
            }
            state = self.lock();
            match order {
                Order::GoOn => {}
                Order::Stop(why) => self.end(&mut state, Some(why)),
                Order::Snapshot => {
                    rounds += 1;
                    state = match self.round(state, rounds) {
                        (state, None) => state,
                        (state, Some(snapshot)) => {
                            drop(state);
                            director.snapshot(snapshot);
                            self.lock()
                        }
                    };
                }
            }
        }
    }

    /// Adds to the numbers that the director sees.
    fn report(&self, progress: &mut Progress) {
        let Progress { executions, blocked } = std::mem::take(progress);
        self.executions.fetch_add(executions, Ordering::Relaxed);
        self.blocked.fetch_add(blocked, Ordering::Relaxed);
    }

    fn progress(&self) -> Progress {
        Progress {
            executions: self.executions.load(Ordering::Relaxed),
            blocked: self.blocked.load(Ordering::Relaxed),
        }
    }

    /// Stops everybody between two steps and looks at what they have. `None` if all is over meanwhile.
    fn round<'g>(
        &'g self,
        mut state: MutexGuard<'g, State<V>>,
        number: u64,
    ) -> (MutexGuard<'g, State<V>>, Option<Snapshot<V>>) {
        state.round = Some(Round { number, rests: Vec::new() });
        self.call(&state);
        loop {
            let handed_in = state.round.as_ref().map_or(0, |round| round.rests.len());
            if state.over || handed_in == state.busy {
                break;
            }
            state = self.news.wait(state).unwrap_or_else(|broken| broken.into_inner());
        }
        let round = state.round.take();
        let snapshot = round.filter(|_| !state.over).map(|round| {
            let mut all = Snapshot {
                units: state.queue.iter().cloned().collect(),
                stats: state.stats.clone(),
                visitor: state.visitor.clone(),
            };
            for rest in round.rests {
                all.units.extend(rest.units);
                all.stats.add(&rest.stats);
                all.visitor.merge(rest.visitor);
            }
            all
        });
        self.call(&state);
        self.work.notify_all();
        (state, snapshot)
    }

    // ---- the workers ----

    /// Calls those who are busy, if there is reason to.
    fn call(&self, state: &State<V>) {
        let hungry = state.waiting > state.queue.len() && state.busy > 0;
        let calls = hungry || state.over || state.bound.is_some() || state.round.is_some();
        self.calls.store(calls, Ordering::Relaxed);
    }

    fn end(&self, state: &mut State<V>, why: Option<GaveUp>) {
        state.over = true;
        state.stats.gave_up = GaveUp::first(state.stats.gave_up.take(), why);
        self.call(state);
        self.work.notify_all();
        self.news.notify_all();
    }

    fn work(&self) {
        // Only those who get something to do need a machine.
        let Some(mut unit) = self.next_unit() else { return };
        let machine = (self.machine)();
        let mut explorer = None;
        loop {
            if let Err(error) = self.work_on(&machine, &mut explorer, &unit) {
                let mut state = self.lock();
                state.error.get_or_insert(error);
                self.end(&mut state, None);
            }
            let mut state = self.lock();
            state.busy -= 1;
            if state.busy == 0 && state.queue.is_empty() && !state.over {
                self.end(&mut state, None);
            }
            if state.round.is_some() || state.over {
                self.news.notify_all();
            }
            drop(state);
            match self.next_unit() {
                Some(next) => unit = next,
                None => return,
            }
        }
    }

    /// The next unit to work on; `None` if all is over.
    fn next_unit(&self) -> Option<Unit> {
        let mut state = self.lock();
        loop {
            if state.over {
                return None;
            }
            if state.round.is_none()
                && let Some(unit) = state.queue.pop_front()
            {
                // What comes after the first error is of no interest.
                if state.bound.as_ref().is_some_and(|bound| unit.path > *bound) {
                    continue;
                }
                state.busy += 1;
                return Some(unit);
            }
            if state.busy == 0 && state.queue.is_empty() {
                self.end(&mut state, None);
                continue;
            }
            state.waiting += 1;
            self.call(&state);
            state = self.work.wait(state).unwrap_or_else(|broken| broken.into_inner());
            state.waiting -= 1;
        }
    }

    /// Explores a unit with the explorer that is left from the one before, if there is one.
    fn work_on<'s>(
        &'s self,
        machine: &'s M,
        at_hand: &mut Option<C::Member<'s, M>>,
        unit: &Unit,
    ) -> Result<(), ExploreError> {
        let explorer = match at_hand.take() {
            Some(explorer) => explorer,
            None => self.crew.hire(machine, self.how.config, &self.calls, self.left.as_ref())?,
        };
        let unreported = Progress::default();
        let mut job: Job<'_, '_, C, M, V> =
            Job { explorer, visitor: self.fresh.clone(), unreported, round: 0, shared: self };
        let rest = if job.explorer.take_on(unit)? { job.run()? } else { None };
        self.report(&mut job.unreported);
        let stats = std::mem::take(job.explorer.stats());
        *at_hand = Some(job.explorer).filter(|explorer| explorer.is_at_the_beginning());
        // What was explored is added, and what was not goes back, in one step.
        let mut state = self.lock();
        state.queue.extend(rest);
        state.stats.add(&stats);
        state.visitor.merge(job.visitor);
        Ok(())
    }
}

impl<C: Crew, M: Machine, V: Visitor<M> + Sync> Job<'_, '_, C, M, V> {
    /// Explores until there is nothing left, or something ends it all; then the rest is returned.
    fn run(&mut self) -> Result<Option<Unit>, ExploreError> {
        loop {
            let Job { explorer, visitor, unreported, shared, .. } = self;
            let mut broke = None;
            let pause = explorer.run(&mut |x| {
                unreported.executions += 1;
                unreported.blocked += (x.end == End::Blocked) as u64;
                if unreported.executions == REPORT_EVERY {
                    shared.report(unreported);
                }
                let flow = visitor.visit(x);
                if flow.is_break() {
                    broke = Some(x.path());
                }
                flow
            })?;
            match (pause, broke) {
                (Pause::Done, _) => return Ok(None),
                (Pause::Stopped, Some(path)) => {
                    self.broken_at(path);
                    return Ok(None);
                }
                (Pause::Stopped, None) => {
                    let why = self.explorer.stats().gave_up.take();
                    let mut state = self.shared.lock();
                    self.shared.end(&mut state, why);
                    return Ok(Some(self.explorer.rest()));
                }
                (Pause::Called, _) => {
                    if let ControlFlow::Break(rest) = self.answer() {
                        return Ok(rest);
                    }
                }
            }
        }
    }

    /// The visitor broke at this execution; later ones are of no interest.
    fn broken_at(&mut self, path: Path) {
        let why = self.explorer.stats().gave_up.take();
        let mut state = self.shared.lock();
        if self.shared.how.deterministic {
            // Whatever the others find, the result is not about all executions.
            state.stats.gave_up = GaveUp::first(state.stats.gave_up.take(), why);
            state.bound = Some(state.bound.take().map_or(path.clone(), |bound| bound.min(path)));
            self.shared.call(&state);
        } else {
            self.shared.end(&mut state, why);
        }
    }

    /// Does what others ask for. Breaks with the rest if this unit is not to go on.
    fn answer(&mut self) -> ControlFlow<Option<Unit>> {
        let mut state = self.shared.lock();
        if state.over {
            return ControlFlow::Break(Some(self.explorer.rest()));
        }
        if state.bound.as_ref().is_some_and(|bound| self.explorer.path() > *bound) {
            return ControlFlow::Break(None);
        }
        while !state.over {
            let Some(round) = &mut state.round else { break };
            if round.number > self.round {
                self.round = round.number;
                round.rests.push(Snapshot {
                    units: vec![self.explorer.rest()],
                    stats: self.explorer.stats().clone(),
                    visitor: self.visitor.clone(),
                });
                self.shared.news.notify_all();
            }
            state = self.shared.work.wait(state).unwrap_or_else(|broken| broken.into_inner());
        }
        if state.waiting > state.queue.len()
            && let Some(unit) = self.explorer.split()
        {
            state.queue.push_back(unit);
            self.shared.work.notify_one();
        }
        self.shared.call(&state);
        ControlFlow::Continue(())
    }
}

/// Ends everything when it is dropped.
struct EndAll<'s, 'a, C: Crew, M: Machine, V: Visitor<M> + Sync>(&'s Shared<'a, C, M, V>);

impl<C: Crew, M: Machine, V: Visitor<M> + Sync> Drop for EndAll<'_, '_, C, M, V> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.busy = state.busy.saturating_sub(1);
        self.0.end(&mut state, None);
    }
}
