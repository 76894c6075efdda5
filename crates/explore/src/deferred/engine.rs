//! This exploration as an engine: one worker, one unit of work, no snapshots in the middle.

use super::explore_deferred;
use crate::engine::Engine;
use crate::estimate::{Sampled, Sampling};
use crate::follow::explore_following;
use crate::path::Unit;
use crate::report::{Config, End, ExploreError, GaveUp, Stats, Watch};
use crate::team::{Director, Order, Progress, Snapshot, Visitor};
use crate::way::{Way, Why};
use selvedge_machine::{Again, Machine};
use selvedge_model::relational::Relational;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// Explores under a model that follows dependencies.
#[derive(Clone, Copy)]
pub struct Deferred<'a> {
    /// The model.
    pub model: &'a Relational,
    /// What is explored.
    pub config: &'a Config,
    /// How often the director is asked.
    pub tick: Duration,
}

impl<'a> Deferred<'a> {
    /// Asks its director as often as a [`Team`](crate::Team) does.
    pub fn new(model: &'a Relational, config: &'a Config) -> Deferred<'a> {
        Deferred { model, config, tick: Duration::from_millis(50) }
    }
}

impl<M: Machine, V: Visitor<M>> Engine<M, V> for Deferred<'_> {
    /// Where it gives up, all the work is left; what was found until then is found again by whoever begins
    /// anew.
    fn explore(
        &self,
        machine: &(dyn Fn() -> M + Sync),
        fresh: &V,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
    ) -> Result<Snapshot<V>, ExploreError> {
        let Snapshot { units, mut stats, mut visitor } = from;
        if units.is_empty() {
            return Ok(Snapshot { units, stats, visitor });
        }
        if units != [Unit::root()] {
            return Err(ExploreError::NoSuchPath);
        }
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
        let machine = machine();
        let note = |end: End| {
            let Progress { executions, blocked } = progress.get();
            progress.set(Progress {
                executions: executions + 1,
                blocked: blocked + u64::from(end == End::Blocked),
            });
        };
        let mut put_off = Why::Missing;
        let by_revisits = match Way::of(&machine, self.model, self.config) {
            Way::Revisits(local) => {
                Some(explore_following(&machine, self.model, local, self.config, &ask, &mut |x| {
                    note(x.end);
                    visitor.visit(x)
                })?)
            }
            Way::PutOff(why) => {
                put_off = why;
                None
            }
        };
        let missed = |found: &Stats| found.gave_up == Some(GaveUp::Again(Again::Dependencies));
        let found = match by_revisits {
            Some(found) if !missed(&found) => found,
            _ => {
                visitor = fresh.clone();
                let found = explore_deferred(&machine, self.model, self.config, &ask, &mut |x| {
                    note(x.end);
                    visitor.visit(x)
                })?;
                Stats { put_off: Some(put_off), ..found }
            }
        };
        stats.gave_up = None;
        stats.add(&found);
        let units = if found.gave_up.is_some() { units } else { Vec::new() };
        Ok(Snapshot { units, stats, visitor })
    }

    fn is_resumable(&self) -> bool {
        false
    }

    fn estimate(
        &self,
        _machine: &M,
        _sampling: &Sampling,
        _stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Sampled>, ExploreError> {
        Ok(None)
    }
}

/// What a configuration says of when to stop.
pub(crate) fn by_config(config: &Config) -> impl Fn() -> Option<GaveUp> {
    let watch = config.watch.clone();
    move || watch.as_ref().and_then(Watch::reason)
}
