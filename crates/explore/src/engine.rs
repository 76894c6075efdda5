//! One way to explore, whatever the model: what a caller needs of an exploration.
//!
//! An engine takes a [`Snapshot`] of what is left, and comes back with another one: with nothing left, or
//! with what there was when it gave up. On the way it asks a [`Director`] now and then, who may want to see
//! how far it is, a snapshot, or the end. Work is in [`Unit`](crate::Unit)s, which are named by texts;
//! [`Saved`](crate::Saved) is a snapshot as it is written to files.
//!
//! There are two: [`Team`] explores with clocks, by several workers; [`Deferred`](crate::Deferred) follows
//! dependencies, and knows one unit of work, which is all of it. [`engine`] has the one for a model.

use crate::deferred::Deferred;
use crate::estimate::{Sampled, Sampling, estimate};
use crate::report::{Config, ExploreError};
use crate::team::{Director, Snapshot, Team, Visitor};
use selvedge_machine::Machine;
use selvedge_model::Compiled;

/// Explores programs of one kind of machine for one kind of visitor.
pub trait Engine<M: Machine, V: Visitor<M>> {
    /// Explores what is left at `from`. `machine` is asked for a machine by each worker that has something to
    /// do; they must agree on the numbers of locations, objects and threads. `fresh` is a visitor that has
    /// seen nothing.
    ///
    /// What was found, and how many executions there were, is in the snapshot that is returned; if
    /// [`Stats::gave_up`](crate::Stats::gave_up) has a reason, that is not all there is.
    fn explore(
        &self,
        machine: &(dyn Fn() -> M + Sync),
        fresh: &V,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
    ) -> Result<Snapshot<V>, ExploreError>;

    /// Whether it can go on from a snapshot that is neither the beginning nor the end. If it cannot, it makes
    /// none: who asks for one gets no answer.
    fn is_resumable(&self) -> bool;

    /// How many executions there are, about; `stop` is asked now and then whether that is enough. `None` if
    /// this engine cannot tell without exploring them.
    fn estimate(
        &self,
        machine: &M,
        sampling: &Sampling,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Sampled>, ExploreError>;
}

impl<M: Machine, V: Visitor<M> + Sync> Engine<M, V> for Team<'_> {
    fn explore(
        &self,
        machine: &(dyn Fn() -> M + Sync),
        fresh: &V,
        from: Snapshot<V>,
        director: &mut dyn Director<V>,
    ) -> Result<Snapshot<V>, ExploreError> {
        Team::explore(self, machine, fresh, from, director)
    }

    fn is_resumable(&self) -> bool {
        true
    }

    fn estimate(
        &self,
        machine: &M,
        sampling: &Sampling,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Sampled>, ExploreError> {
        estimate(machine, self.model, self.config, sampling, stop).map(Some)
    }
}

/// The engine for a model. `workers` explore at the same time, if it can be divided.
pub fn engine<'a, M: Machine, V: Visitor<M> + Sync>(
    model: &'a Compiled,
    config: &'a Config,
    workers: usize,
) -> Box<dyn Engine<M, V> + 'a> {
    match model {
        Compiled::Clocks(model) => Box::new(Team::new(model, config, workers)),
        Compiled::Matrices(model) => Box::new(Deferred::new(model, config, workers)),
    }
}
