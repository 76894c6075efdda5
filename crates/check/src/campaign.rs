//! The exploration of one program under one model: by several workers, from the beginning or from a
//! checkpoint.

use crate::checkpoint::Writer;
use crate::error::InputError;
use crate::finder::{Finder, Results};
use crate::observer::Observer;
use crate::options::Options;
use crate::settle::{Attempt, Settling, settle};
use crate::violation::Wanted;
use selvedge_explore::{
    Config, Crashes, Deferred, Director, Engine, Estimate, GaveUp, Order, Progress, Sampled, Sampling,
    Snapshot, Stats, Team, Visitor, Watch, Watches, scout,
};
use selvedge_machine::Again;
use selvedge_model::relational::Relational;
use selvedge_model::{Compiled, Model};
use selvedge_vm::VmMachine;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a run under one model came to.
pub struct Run {
    pub stats: Stats,
    pub results: Results,
    /// There is nothing to go on with.
    pub is_settled: bool,
    /// So many threads at most that do the same were explored in one order; 0 if none were.
    pub alike: u32,
    /// Why it was explored again, each time.
    pub again: Vec<Again>,
}

/// The model, as far as it matters for a program.
#[derive(Clone, Copy)]
pub enum Under<'a> {
    /// Clocks.
    Clocks(&'a Model),
    /// It follows dependencies.
    Matrices(&'a Relational),
}

impl<'a> Under<'a> {
    /// How it is explored; the director is asked every `tick`.
    pub fn engine<V: Visitor<VmMachine> + Sync>(
        self,
        config: &'a Config,
        workers: usize,
        tick: Duration,
    ) -> Box<dyn Engine<VmMachine, V> + 'a> {
        match self {
            Under::Clocks(model) => Box::new(Team { tick, ..Team::new(model, config, workers) }),
            Under::Matrices(model) => Box::new(Deferred { tick, ..Deferred::new(model, config, workers) }),
        }
    }
}

/// The exploration of one program under one model.
pub struct Campaign<'a> {
    pub model: Under<'a>,
    pub options: &'a Options,
    pub watch: &'a Watch,
    pub writer: Option<Writer>,
}

impl Campaign<'_> {
    /// Explores what is left at `from`, or everything. `config` has what is known of the locations there.
    pub fn explore(
        &mut self,
        machine: &mut VmMachine,
        config: Config,
        most_threads: u32,
        mut from: Option<Snapshot<Finder>>,
        observer: &mut dyn Observer,
    ) -> Result<Run, InputError> {
        let mut settling = Settling::new(machine, config, most_threads);
        let mut known = 0;
        let end = settling.explore(|now| {
            now.reasons[known..].iter().for_each(|&why| observer.again(why));
            known = now.reasons.len();
            // Elsewhere, locations are new.
            let same = now.reasons.last().is_none_or(|why| *why == Again::Determinism);
            let begin = from.take().filter(|_| same);
            let begin = begin.unwrap_or_else(|| Snapshot::start(finder(self.options, self.model)));
            let workers = if now.alone { 1 } else { self.options.workers.number };
            if self.options.deterministic && workers > 1 {
                now.before = Some(now.machine.separate());
                from = Some(begin.clone());
            }
            let (end, learned_together) = self.once(now.machine, &now.config, begin, workers, observer)?;
            let found = !end.visitor.found().is_empty();
            let mut gave_up = end.stats.gave_up.clone();
            // Leaks and warnings are found when an execution is looked at.
            if (found || end.visitor.warns()) && now.machine.leaves_out_orders() {
                gave_up = GaveUp::first(gave_up, Some(GaveUp::Again(Again::LockOrder)));
            }
            // A thread that waits for a counter is to be seen doing that.
            if (found || end.visitor.warns() || !end.visitor.passed().is_empty()) && now.machine.gathers() {
                gave_up = GaveUp::first(gave_up, Some(GaveUp::Again(Again::BarriersOutOfForm)));
            }
            // Threads and objects that several workers met got their numbers by chance, and the order of
            // exploration depends on them: one worker has to find the first error.
            if now.before.is_some() && learned_together && found {
                gave_up = GaveUp::first(gave_up, Some(GaveUp::Again(Again::Determinism)));
            } else {
                (now.before, from) = (None, None);
            }
            Ok::<_, InputError>(Attempt { gave_up, found: found && !self.options.all_errors, result: end })
        })?;
        let Settling { machine, config, reasons, .. } = settling;
        let error = end.found;
        let end = end.result;
        let is_settled = end.units.is_empty() || error;
        if let Some(writer) = self.writer.as_mut().filter(|_| !is_settled) {
            writer.write(&end, &config, machine.room(), machine.save(), observer);
        }
        let alike = config.watches.twins.as_ref().map_or(0, |twins| twins.largest());
        Ok(Run { stats: end.stats, results: end.visitor.results(), is_settled, alike, again: reasons })
    }

    /// Returns also whether anything was learned while there were several workers.
    fn once(
        &mut self,
        machine: &VmMachine,
        config: &Config,
        mut from: Snapshot<Finder>,
        workers: usize,
        observer: &mut dyn Observer,
    ) -> Result<(Snapshot<Finder>, bool), InputError> {
        if let Some(why) = self.watch.reason() {
            from.stats.gave_up = Some(why);
            return Ok((from, false));
        }
        if let Some(most) = self.options.scouts {
            return self.scout(machine, config, from, most).map(|end| (end, false));
        }
        let finder = finder(self.options, self.model);
        let deterministic = self.options.deterministic;
        let engine: Box<dyn Engine<VmMachine, Finder>> = match self.model {
            Under::Clocks(model) => {
                Box::new(Team { deterministic, workers, ..self.options.workers.team(model, config) })
            }
            Under::Matrices(model) => {
                Box::new(Deferred { deterministic, ..Deferred::new(model, config, workers) })
            }
        };
        let first = Mutex::new(machine.colleague());
        let colleague = || first.lock().unwrap_or_else(PoisonError::into_inner).colleague();
        observer.begins(Progress { executions: from.stats.executions(), blocked: from.stats.blocked });
        let mut direct = Direct {
            watch: self.watch,
            observer,
            writer: self.writer.as_mut(),
            config,
            machine,
            learned_alone: None,
        };
        let end = engine.explore(&colleague, &finder, from, &mut direct).map_err(InputError::unsupported)?;
        let together = direct.learned_alone.is_some_and(|alone| alone != machine.knowledge());
        Ok((end, together))
    }
}

impl Campaign<'_> {
    /// Looks at executions that are taken at random.
    fn scout(
        &self,
        machine: &VmMachine,
        config: &Config,
        mut from: Snapshot<Finder>,
        most: u64,
    ) -> Result<Snapshot<Finder>, InputError> {
        if let Under::Clocks(model) = self.model {
            let finder = &mut from.visitor;
            let mut taken = 0;
            let mut stop = || {
                taken += 1;
                taken > most || self.watch.reason().is_some()
            };
            let scouted =
                scout(machine, model, config, self.options.seed, &mut |x| finder.visit(x), &mut stop);
            from.stats.gave_up = scouted.map_err(InputError::unsupported)?;
        }
        from.stats.gave_up = from.stats.gave_up.or(Some(GaveUp::Executions(most)));
        Ok(from)
    }
}

/// With what is watched on the way; nothing is known of the locations yet.
pub fn watching(config: Config) -> Config {
    Config { watches: Watches::all(), ..config }
}

/// Samples executions of a machine of its own: what it learns comes in a random order. `None` if there is no
/// way to tell without exploring them.
pub fn sample(
    machine: &mut VmMachine,
    under: Under<'_>,
    config: &Config,
    sampling: &Sampling,
    watch: &Watch,
) -> Result<Option<Estimate>, InputError> {
    let config = match under {
        Under::Clocks(_) => watching(config.clone()),
        Under::Matrices(_) => config.clone(),
    };
    settle(machine, config, |machine, config| {
        let mut stop = || watch.reason().is_some();
        let engine = under.engine::<Finder>(config, 1, Duration::from_millis(50));
        let sampled = engine.estimate(machine, sampling, &mut stop);
        let (result, gave_up) = match sampled.map_err(InputError::unsupported)? {
            Some(Sampled::Estimate(estimate)) => (Some(estimate), None),
            Some(Sampled::Again(again)) => (None, Some(GaveUp::Again(again))),
            None => (None, None),
        };
        Ok(Attempt { gave_up, found: false, result })
    })
}

/// A visitor that has seen nothing.
pub fn finder(options: &Options, under: Under<'_>) -> Finder {
    let Options { leaks, all_errors: all, output, races, errors: kinds, record, .. } = *options;
    Finder::new(Wanted { leaks, all, output, races, kinds, record }, crashes(options, under))
}

/// How crashes are looked for.
pub fn crashes(options: &Options, under: Under<'_>) -> Option<Arc<Crashes>> {
    options.persist.as_ref().map(|persist| {
        let memory = match under {
            Under::Clocks(model) => Compiled::Clocks(model.clone()),
            Under::Matrices(model) => Compiled::Matrices(model.clone()),
        };
        Arc::new(persist.crashes(Some(Arc::new(memory)), options.races))
    })
}

/// Watches over one exploration.
struct Direct<'w> {
    watch: &'w Watch,
    observer: &'w mut dyn Observer,
    writer: Option<&'w mut Writer>,
    config: &'w Config,
    machine: &'w VmMachine,
    /// What the first worker had learned before the others came.
    learned_alone: Option<usize>,
}

impl Director<Finder> for Direct<'_> {
    fn order(&mut self, progress: Progress) -> Order {
        self.learned_alone.get_or_insert_with(|| self.machine.knowledge());
        if let Some(why) = self.watch.reason() {
            return Order::Stop(why);
        }
        self.observer.progress(progress);
        let due = self.writer.as_ref().is_some_and(|writer| writer.is_due());
        if due { Order::Snapshot } else { Order::GoOn }
    }

    fn snapshot(&mut self, snapshot: Snapshot<Finder>) {
        if let Some(writer) = &mut self.writer {
            let machine = self.machine.save();
            writer.write(&snapshot, self.config, self.machine.room(), machine, self.observer);
        }
    }
}
