//! How many executions there are, about, and how long exploring them would take.

use crate::campaign::{sample, watching};
use crate::check::Check;
use crate::error::InputError;
use crate::observer::{Observer, Phase};
use crate::prepare::{machine, reductions_for, refuse_sections, simplified, with_races, with_symmetry};
use crate::settle::{Attempt, settle};
use crate::stopped::Stopped;
use selvedge_explore::premises::properties_by_clocks;
use selvedge_explore::{
    Config, Director, Estimate, Execution, ExploreError, GaveUp, Order, Progress, Sampled, Sampling,
    Snapshot, Team, Visitor, Watch, estimate,
};
use selvedge_litmus::Test;
use selvedge_machine::{Machine, Reduction};
use selvedge_model::Model;
use selvedge_vm::VmMachine;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the exploration is tried.
const TRIAL: Duration = Duration::from_millis(250);

/// What is to be expected of an exploration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// How many executions.
    pub estimate: Estimate,
    /// How fast they are explored.
    pub pace: Pace,
}

/// How fast executions are explored, by one worker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// So many.
    pub executions: u64,
    /// In so many seconds.
    pub seconds: f64,
    /// These were all.
    pub finished: bool,
}

impl Pace {
    /// How long so many executions take with so many workers.
    pub fn seconds(self, executions: f64, workers: usize) -> f64 {
        if self.finished {
            return self.seconds;
        }
        executions * self.seconds / (self.executions.max(1) as f64 * workers as f64)
    }
}

impl Check {
    /// Estimates instead of checking.
    pub fn estimate(&self, sampling: &Sampling, observer: &mut dyn Observer) -> Result<Forecast, Stopped> {
        let watch = self.limits.start(&self.cancel);
        let options = &self.options;
        observer.phase(Phase::Model);
        let model = Model::compile(&self.theory).map_err(InputError::of_model)?;
        let module = self.start_lowering(observer)?.finish(&watch, observer)?;
        let properties = properties_by_clocks(&self.theory, &model);
        let reductions = reductions_for(&module, options, &properties);
        let of_machine = selvedge_vm::Options {
            unordered_barriers: reductions.has(Reduction::Bam),
            ..options.of_machine(reductions, options.most_threads)
        };
        let mut vm = machine(&module, of_machine)?;
        refuse_sections(&module, &vm, &properties, model.name())?;
        let simpler = simplified(&self.theory, options.reductions, &vm)?;
        let races = with_races(simpler.as_ref().unwrap_or(&model), options.races)?;
        let model = &*with_symmetry(&races, &vm);
        let config = watching(options.config(reductions, None));
        observer.phase(Phase::Estimating);
        let estimate = sample(&mut vm, model, &config, sampling, &watch)?;
        let pace = settle(&mut vm, config, |vm, config| {
            let first = Mutex::new(vm.colleague());
            let colleague =
                || -> VmMachine { first.lock().unwrap_or_else(PoisonError::into_inner).colleague() };
            let (result, gave_up) = pace(&colleague, model, config, &watch)?;
            Ok::<_, ExploreError>(Attempt { gave_up, found: false, result })
        });
        Ok(Forecast { estimate, pace: pace.map_err(InputError::unsupported)? })
    }
}

/// The same for a litmus test.
pub fn estimate_litmus(
    test: &Test,
    model: &Model,
    sampling: &Sampling,
    watch: &Watch,
) -> Result<Forecast, InputError> {
    let config = Config::default();
    let mut stop = || watch.reason().is_some();
    let sampled = estimate(&test.program, model, &config, sampling, &mut stop);
    let Sampled::Estimate(estimate) = sampled.map_err(InputError::unsupported)? else {
        unreachable!("such a machine learns nothing")
    };
    let pace = pace(&|| test.program.clone(), model, &config, watch).map_err(InputError::unsupported)?.0;
    Ok(Forecast { estimate, pace })
}

/// Only the time counts.
#[derive(Clone)]
struct Unmoved;

impl<M: Machine> Visitor<M> for Unmoved {
    fn visit(&mut self, _: &Execution<'_, M>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn merge(&mut self, _: Unmoved) {}
}

struct Until<'w>(Instant, &'w Watch);

impl Director<Unmoved> for Until<'_> {
    fn order(&mut self, _: Progress) -> Order {
        match self.1.reason() {
            Some(why) => Order::Stop(why),
            None if Instant::now() >= self.0 => Order::Stop(GaveUp::Time(TRIAL.as_secs_f64())),
            None => Order::GoOn,
        }
    }
}

/// Explores for a moment.
fn pace<M: Machine>(
    machine: &(dyn Fn() -> M + Sync),
    model: &Model,
    config: &Config,
    watch: &Watch,
) -> Result<(Pace, Option<GaveUp>), ExploreError> {
    let begin = Instant::now();
    let team = Team { tick: TRIAL / 10, ..Team::new(model, config, 1) };
    let mut until = Until(begin + TRIAL, watch);
    let end = team.explore(machine, &Unmoved, Snapshot::start(Unmoved), &mut until)?;
    let seconds = begin.elapsed().as_secs_f64();
    let pace = Pace { executions: end.stats.executions(), seconds, finished: end.units.is_empty() };
    Ok((pace, end.stats.gave_up))
}
