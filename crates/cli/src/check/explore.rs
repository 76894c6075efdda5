//! Explores a C program: by several workers, from the beginning or from a checkpoint, and again whenever
//! memory turned out to be accessed in smaller parts.

use super::checkpoint::Writer;
use super::find::{CROWDED, Finder, Results, Wanted};
use crate::args::CheckArgs;
use crate::error::{ErrorKind, InputError};
use crate::meter::Meter;
use crate::watch::reason_to_stop;
use selvedge_explore::{
    Chains, Config, Director, Estimate, ExploreError, OUT_OF_FORM, Order, Progress, Sampling, Snapshot,
    Stats, Team, Twins, estimate,
};
use selvedge_machine::Reductions;
use selvedge_model::Model;
use selvedge_vm::VmMachine;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// For the estimate before a check.
pub const SHORT: Sampling =
    Sampling { seed: 0, least: 24, most: 1000, precision: 0.05, time: Duration::from_millis(300) };

/// What a run under one model came to.
pub struct Run {
    pub stats: Stats,
    pub results: Results,
    /// There is nothing to go on with.
    pub is_settled: bool,
    /// So many threads at most that do the same were explored in one order; 0 if none were.
    pub alike: u32,
}

/// The exploration of one program under one model.
pub struct Campaign<'a> {
    model: &'a Model,
    args: &'a CheckArgs,
    config: Config,
    pub meter: Meter,
    pub writer: Option<Writer>,
}

fn unsupported(error: ExploreError) -> InputError {
    InputError::plain(ErrorKind::Unsupported, error.to_string(), None)
}

impl<'a> Campaign<'a> {
    pub fn new(model: &'a Model, args: &'a CheckArgs, reductions: Reductions) -> Campaign<'a> {
        let config = Config {
            inspect: true,
            races: !args.no_race_detection,
            reductions,
            max_events: args.max_events,
            max_executions: args.max_executions,
            chains: Some(Arc::default()),
            twins: Some(Arc::default()),
            ..Config::default()
        };
        Campaign { model, args, config, meter: Meter::new(args.progress_every), writer: None }
    }

    /// A visitor that has seen nothing.
    pub fn finder(&self) -> Finder {
        finder(self.args)
    }

    /// Explores what is left at `from`, or everything. `room` is for checkpoints.
    pub fn explore(
        &mut self,
        machine: &mut VmMachine,
        room: u32,
        mut from: Option<Snapshot<Finder>>,
    ) -> Result<Run, InputError> {
        loop {
            let from = from.take().unwrap_or_else(|| {
                // Locations are new.
                self.config.chains = self.config.chains.take().map(|_| Arc::default());
                self.config.twins = self.config.twins.take().map(|_| Arc::default());
                Snapshot::start(self.finder())
            });
            if let Some(writer) = &mut self.writer {
                writer.chains.clone_from(&self.config.chains);
                writer.twins.clone_from(&self.config.twins);
            }
            let end = self.explore_once(machine, room, from)?;
            if machine.refine() {
                continue;
            }
            let error = !end.visitor.found().is_empty() && !self.args.all_errors;
            if !error && self.config.chains.as_ref().is_some_and(|chains| chains.broken().is_some()) {
                self.config.chains = None;
                continue;
            }
            if !error && self.config.twins.as_ref().is_some_and(|twins| told_apart(twins, machine)) {
                self.config.twins = None;
                continue;
            }
            let is_settled = end.units.is_empty() || error;
            if let Some(writer) = self.writer.as_mut().filter(|_| !is_settled) {
                writer.write(&end, room, machine.save());
            }
            let alike = self.config.twins.as_ref().map_or(0, |twins| twins.largest());
            return Ok(Run { stats: end.stats, results: end.visitor.results(), is_settled, alike });
        }
    }

    fn explore_once(
        &mut self,
        machine: &mut VmMachine,
        room: u32,
        from: Snapshot<Finder>,
    ) -> Result<Snapshot<Finder>, InputError> {
        let workers = self.args.jobs.workers();
        let before = (self.args.deterministic && workers > 1).then(|| machine.separate());
        let again = before.is_some().then(|| from.clone());
        let (end, learned_together) = self.explore_with(machine, room, from, workers)?;
        // Threads and objects that several workers met got their numbers by chance, and the order of
        // exploration depends on them: one worker has to find the first error.
        match (before, again) {
            (Some(before), Some(from)) if learned_together && !end.visitor.found().is_empty() => {
                *machine = before;
                Ok(self.explore_with(machine, room, from, 1)?.0)
            }
            _ => Ok(end),
        }
    }

    /// Returns also whether anything was learned while there were several workers.
    fn explore_with(
        &mut self,
        machine: &VmMachine,
        room: u32,
        mut from: Snapshot<Finder>,
        workers: usize,
    ) -> Result<(Snapshot<Finder>, bool), InputError> {
        if let Some(why) = reason_to_stop() {
            from.stats.gave_up = Some(why);
            return Ok((from, false));
        }
        let finder = self.finder();
        let deterministic = self.args.deterministic;
        let team = Team { deterministic, workers, ..self.args.jobs.team(self.model, &self.config) };
        let first = Mutex::new(machine.colleague());
        let colleague = || first.lock().unwrap_or_else(PoisonError::into_inner).colleague();
        self.meter.restart(Progress { executions: from.stats.executions(), blocked: from.stats.blocked });
        let mut watch = Watch {
            meter: &mut self.meter,
            writer: self.writer.as_mut(),
            machine,
            room,
            learned_alone: None,
        };
        let end = team.explore(&colleague, &finder, from, &mut watch).map_err(unsupported)?;
        let together = watch.learned_alone.is_some_and(|alone| alone != machine.knowledge());
        Ok((end, together))
    }

    /// Goes on with what was known of the locations at a checkpoint.
    pub fn recall(&mut self, chains: Option<Vec<u8>>, twins: Option<(u32, Vec<u8>)>) {
        self.config.twins = twins.map(|saved| {
            let twins = Twins::default();
            twins.restore(&saved);
            Arc::new(twins)
        });
        self.config.chains = chains.map(|saved| {
            let chains = Chains::default();
            chains.restore(&saved);
            Arc::new(chains)
        });
    }

    /// How many executions there are, about.
    pub fn estimate(&self, machine: &mut VmMachine, sampling: &Sampling) -> Result<Estimate, InputError> {
        let (chains, twins) = (Some(Arc::default()), Some(Arc::default()));
        let config = Config { chains, twins, ..self.config.clone() };
        sample(machine, self.model, &config, sampling)
    }
}

/// Samples executions of a machine of its own: what it learns comes in a random order.
pub fn sample(
    machine: &mut VmMachine,
    model: &Model,
    config: &Config,
    sampling: &Sampling,
) -> Result<Estimate, InputError> {
    loop {
        let mut stop = |failure: Option<&'static str>| {
            if failure == Some(OUT_OF_FORM) {
                machine.order_barriers(CROWDED);
            }
            machine.wants_restart() || reason_to_stop().is_some()
        };
        let guess = estimate(machine, model, config, sampling, &mut stop).map_err(unsupported)?;
        if !machine.refine() {
            return Ok(guess);
        }
    }
}

/// Whether threads that were taken to do the same are told apart by the program.
fn told_apart(twins: &Twins, machine: &VmMachine) -> bool {
    twins.broken() || twins.largest() > 0 && machine.names_show()
}

pub fn finder(args: &CheckArgs) -> Finder {
    let drawing = args.dot.is_some() || args.svg.is_some();
    let CheckArgs { leaks, all_errors: all, show_output: output, .. } = *args;
    Finder::new(Wanted { leaks, all, drawing, output, races: !args.no_race_detection })
}

/// Watches over one exploration.
struct Watch<'w> {
    meter: &'w mut Meter,
    writer: Option<&'w mut Writer>,
    machine: &'w VmMachine,
    room: u32,
    /// What the first worker had learned before the others came.
    learned_alone: Option<usize>,
}

impl Director<Finder> for Watch<'_> {
    fn order(&mut self, progress: Progress) -> Order {
        self.learned_alone.get_or_insert_with(|| self.machine.knowledge());
        if let Some(why) = reason_to_stop() {
            return Order::Stop(why);
        }
        self.meter.show(progress);
        let due = self.writer.as_ref().is_some_and(|writer| writer.is_due());
        if due { Order::Snapshot } else { Order::GoOn }
    }

    fn snapshot(&mut self, snapshot: Snapshot<Finder>) {
        if let Some(writer) = &mut self.writer {
            writer.write(&snapshot, self.room, self.machine.save());
        }
    }
}
