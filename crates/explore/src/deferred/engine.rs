//! The engine for models that follow dependencies: revisits by several workers, or one that puts reads off.
//! The latter makes no snapshots in the middle.

use super::explore_deferred;
use crate::engine::Engine;
use crate::estimate::{Sampled, Sampling};
use crate::follow::{Revisiting, estimate_following};
use crate::path::Unit;
use crate::report::{Config, End, ExploreError, GaveUp, Watch};
use crate::team::{Director, How, Order, Progress, Snapshot, Visitor};
use crate::way::{Way, Why};
use selvedge_machine::{Again, Machine};
use selvedge_model::relational::Relational;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// Where reads are put off, executions are copied and judged as a whole at every step.
const MOST_EVENTS: usize = 1_000;

/// Explores under a model that follows dependencies: by revisits and several workers where that is known to
/// be right, else by putting reads off.
#[derive(Clone, Copy)]
pub struct Deferred<'a> {
    /// The model.
    pub model: &'a Relational,
    /// What is explored.
    pub config: &'a Config,
    /// How many explore at the same time.
    pub workers: usize,
    /// Of executions that settle everything, the first is found.
    pub deterministic: bool,
    /// How often the director is asked.
    pub tick: Duration,
}

impl<'a> Deferred<'a> {
    /// Asks its director as often as a [`Team`](crate::Team) does.
    pub fn new(model: &'a Relational, config: &'a Config, workers: usize) -> Deferred<'a> {
        Deferred { model, config, workers, deterministic: false, tick: Duration::from_millis(50) }
    }

    /// Explores by putting reads off.
    fn put_off<M: Machine, V: Visitor<M>>(
        &self,
        machine: &M,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
        why: Why,
    ) -> Result<Snapshot<V>, ExploreError> {
        let Snapshot { units, mut stats, mut visitor } = from;
        let progress = Cell::new(Progress::default());
        let director = RefCell::new(director);
        let next = Cell::new(Instant::now());
        // A reason to stop stays one.
        let reason = RefCell::new(None);
        let ask = || {
            if reason.borrow().is_some() {
                return reason.borrow().clone();
            }
            let mut why = self.config.watch.as_ref().and_then(Watch::reason);
            if why.is_none() && Instant::now() >= next.get() {
                next.set(Instant::now() + self.tick);
                why = match director.borrow_mut().order(progress.get()) {
                    Order::Stop(why) => Some(why),
                    Order::GoOn | Order::Snapshot => None,
                };
            }
            reason.borrow_mut().clone_from(&why);
            why
        };
        let config = Config { max_events: self.config.max_events.min(MOST_EVENTS), ..self.config.clone() };
        let found = explore_deferred(machine, self.model, &config, &ask, &mut |x| {
            let Progress { executions, blocked } = progress.get();
            progress.set(Progress {
                executions: executions + 1,
                blocked: blocked + u64::from(x.end == End::Blocked),
            });
            visitor.visit(x)
        })?;
        stats.gave_up = None;
        stats.add(&found);
        stats.put_off = Some(why);
        let units = if found.gave_up.is_some() { units } else { Vec::new() };
        Ok(Snapshot { units, stats, visitor })
    }
}

impl<M: Machine, V: Visitor<M> + Sync> Engine<M, V> for Deferred<'_> {
    /// Where reads are put off and it gives up, all the work is left; what was found until then is found
    /// again by whoever begins anew.
    fn explore(
        &self,
        machine: &(dyn Fn() -> M + Sync),
        fresh: &V,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
    ) -> Result<Snapshot<V>, ExploreError> {
        if from.units.is_empty() {
            return Ok(from);
        }
        let first = machine();
        let local = match Way::of(&first, self.model, self.config) {
            Way::Revisits(local) => local,
            Way::PutOff(_) if from.units != [Unit::root()] => return Err(ExploreError::NoSuchPath),
            Way::PutOff(why) => return self.put_off(&first, from, director, why),
        };
        drop(first);
        let Deferred { model, config, workers, deterministic, tick } = *self;
        let how = How { config, workers, deterministic, alone: Duration::from_millis(15), tick };
        let found = how.explore(&Revisiting { model, local }, machine, fresh, from, director)?;
        match found.stats.gave_up {
            Some(GaveUp::Again(Again::Dependencies)) => {
                // Whatever was found is found again.
                self.put_off(&machine(), Snapshot::start(fresh.clone()), director, Why::Missing)
            }
            _ => Ok(found),
        }
    }

    fn is_resumable(&self) -> bool {
        Way::may_revisit(self.model, self.config)
    }

    fn estimate(
        &self,
        machine: &M,
        sampling: &Sampling,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Sampled>, ExploreError> {
        let local = match Way::of(machine, self.model, self.config) {
            Way::Revisits(local) => local,
            Way::PutOff(_) => return Ok(None),
        };
        match estimate_following(machine, self.model, &local, self.config, sampling, stop)? {
            // It will be explored in the other way.
            Sampled::Again(Again::Dependencies) => Ok(None),
            sampled => Ok(Some(sampled)),
        }
    }
}

/// What a configuration says of when to stop.
pub(crate) fn by_config(config: &Config) -> impl Fn() -> Option<GaveUp> {
    let watch = config.watch.clone();
    move || watch.as_ref().and_then(Watch::reason)
}
