//! How many executions there are, about, and how long exploring them would take.

use crate::campaign::{Under, crashes, sample};
use crate::check::Check;
use crate::error::{InputError, InputKind};
use crate::observer::{Observer, Phase};
use crate::prepare::{
    Ground, reductions_for, refuse_no_recovery, refuse_sections, simplified, with_races, with_symmetry,
};
use crate::settle::{Attempt, settle};
use crate::stopped::Stopped;
use selvedge_decide::compile;
use selvedge_explore::premises::{properties_by_clocks, properties_of};
use selvedge_explore::{
    Config, Crashes, Deferred, Director, Engine, Estimate, Execution, ExploreError, GaveUp, Order, Progress,
    Sampled, Sampling, Snapshot, Team, Visitor, Watch, recover,
};
use selvedge_litmus::Test;
use selvedge_machine::{Again, Machine};
use selvedge_model::Compiled;
use selvedge_vm::VmMachine;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
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
    /// What recovery found after them, where crashes are looked for.
    pub post_crash_states: Option<u64>,
}

impl Pace {
    /// How many post-crash states an execution has, where crashes are looked for.
    pub fn states_per_execution(self) -> Option<f64> {
        Some(self.post_crash_states? as f64 / self.executions.max(1) as f64)
    }

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
        if let Some(observed) = self.observed()? {
            return observed.estimate_once(sampling, observer);
        }
        self.estimate_once(sampling, observer)
    }

    fn estimate_once(&self, sampling: &Sampling, observer: &mut dyn Observer) -> Result<Forecast, Stopped> {
        let watch = self.limits.start(&self.cancel);
        let options = &self.options;
        observer.phase(Phase::Model);
        let compiled = compile(&self.theory).map_err(InputError::of_model)?;
        let module = self.start_lowering(observer)?.finish(&watch, observer)?;
        match &compiled {
            Compiled::Clocks(model) => {
                let properties = properties_by_clocks(&self.theory, model);
                let reductions = reductions_for(&module, options, &properties);
                let ground = Ground::with_clocks(reductions, &properties, model, options);
                let vm = ground.machine(&module, options.most_threads)?;
                refuse_sections(&module, &vm, &properties, model.name())?;
                let simpler = simplified(&self.theory, options.reductions, &vm)?;
                let races = with_races(simpler.as_ref().unwrap_or(model), options.races)?;
                let model = &*with_symmetry(&races, &vm);
                refuse_no_recovery(&vm, options)?;
                let trial = Trial::new(crashes(options, Under::Clocks(model)));
                let under = Under::Clocks(model);
                let forecast = forecast(vm, under, trial, ground.config, sampling, &watch, observer)?;
                Ok(forecast.ok_or_else(no_samples)?)
            }
            Compiled::Matrices(model) => {
                let properties = properties_of(&self.theory, &compiled);
                if let Some((ground, vm, model)) = self.in_order(model, &properties, &module, &watch)? {
                    let under = Under::Clocks(&model);
                    let trial = Trial::new(crashes(options, under));
                    if let Some(forecast) =
                        forecast(vm, under, trial, ground.config, sampling, &watch, observer)?
                    {
                        return Ok(forecast);
                    }
                }
                let ground = Ground::with_dependencies(model, &properties, &module, options, &watch);
                let vm = ground.machine(&module, options.most_threads)?;
                refuse_sections(&module, &vm, &properties, model.name())?;
                refuse_no_recovery(&vm, options)?;
                let trial = Trial::new(crashes(options, Under::Matrices(model)));
                let under = Under::Matrices(model);
                let forecast = forecast(vm, under, trial, ground.config, sampling, &watch, observer)?;
                Ok(forecast.ok_or_else(no_estimate)?)
            }
        }
    }
}

/// `None` if samples show that there is another way to go, or it has none.
fn forecast(
    mut vm: VmMachine,
    under: Under<'_>,
    trial: Trial,
    config: Config,
    sampling: &Sampling,
    watch: &Watch,
    observer: &mut dyn Observer,
) -> Result<Option<Forecast>, Stopped> {
    observer.phase(Phase::Estimating);
    let Some(estimate) = sample(&mut vm, under, &config, sampling, watch)? else { return Ok(None) };
    let tried = settle(&mut vm, config, |vm, config| {
        let first = Mutex::new(vm.colleague());
        let colleague = || -> VmMachine { first.lock().unwrap_or_else(PoisonError::into_inner).colleague() };
        let engine = under.engine(config, 1, TRIAL / 10);
        let (pace, gave_up) = pace(&*engine, &colleague, &trial, watch)?;
        let result = (gave_up != Some(GaveUp::Again(Again::LoadBuffering))).then_some(pace);
        Ok::<_, ExploreError>(Attempt { gave_up, found: false, result })
    });
    let pace = tried.map_err(InputError::unsupported)?;
    Ok(pace.map(|pace| Forecast { estimate, pace }))
}

/// The same for a litmus test.
pub fn estimate_litmus(
    test: &Test,
    model: &Compiled,
    sampling: &Sampling,
    watch: &Watch,
) -> Result<Forecast, InputError> {
    if !model.follows_dependencies() && test.program.has_pairs_apart() {
        return Err(InputError::pairs_apart(model.name()));
    }
    let config = Config { watch: Some(watch.clone()), ..Config::default() };
    let mut stop = || watch.reason().is_some();
    let engine: Box<dyn Engine<_, Trial>> = match model {
        Compiled::Clocks(model) => Box::new(Team { tick: TRIAL / 10, ..Team::new(model, &config, 1) }),
        Compiled::Matrices(model) => {
            Box::new(Deferred { tick: TRIAL / 10, ..Deferred::new(model, &config, 1) })
        }
    };
    let program = test.program.tracking(model.follows_dependencies(), model.has_arms());
    let sampled = engine.estimate(&program, sampling, &mut stop);
    let estimate = match sampled.map_err(InputError::unsupported)? {
        Some(Sampled::Estimate(estimate)) => estimate,
        // Such a machine learns nothing.
        Some(Sampled::Again(_)) | None => return Err(no_estimate()),
    };
    let pace =
        pace(&*engine, &|| program.clone(), &Trial::new(None), watch).map_err(InputError::unsupported)?.0;
    Ok(Forecast { estimate, pace })
}

fn no_estimate() -> InputError {
    let message = "there is no estimate of this program under this model, for which reads have to be put off";
    InputError::plain(InputKind::Unsupported, message, Some("run it with `--time-limit`"))
}

fn no_samples() -> InputError {
    let message =
        "there is no estimate of this program: samples show that it has to be explored in another way";
    InputError::plain(InputKind::Unsupported, message, Some("run it with `--time-limit`"))
}

/// Only the time counts, and how much recovery may find.
#[derive(Clone)]
struct Trial {
    crashes: Option<Arc<Crashes>>,
    states: u64,
}

impl Trial {
    fn new(crashes: Option<Arc<Crashes>>) -> Trial {
        Trial { crashes, states: 0 }
    }
}

impl<M: Machine> Visitor<M> for Trial {
    fn visit(&mut self, x: &Execution<'_, M>) -> ControlFlow<()> {
        if let Some(crashes) = &self.crashes {
            // Whatever is wrong with recovery is for a check to say.
            let _ = recover(x, crashes, &mut |_| {
                self.states += 1;
                ControlFlow::Continue(())
            });
        }
        ControlFlow::Continue(())
    }

    fn merge(&mut self, other: Trial) {
        self.states += other.states;
    }
}

struct Until<'w>(Instant, &'w Watch);

impl Director<Trial> for Until<'_> {
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
    engine: &dyn Engine<M, Trial>,
    machine: &(dyn Fn() -> M + Sync),
    trial: &Trial,
    watch: &Watch,
) -> Result<(Pace, Option<GaveUp>), ExploreError> {
    let begin = Instant::now();
    let mut until = Until(begin + TRIAL, watch);
    let end = engine.explore(machine, trial, Snapshot::start(trial.clone()), &mut until)?;
    let seconds = begin.elapsed().as_secs_f64();
    let executions = end.stats.executions();
    let post_crash_states = trial.crashes.as_ref().map(|_| end.visitor.states);
    let pace = Pace { executions, seconds, finished: end.units.is_empty(), post_crash_states };
    Ok((pace, end.stats.gave_up))
}
