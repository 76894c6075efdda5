//! One check, from the program to the outcome.

use crate::campaign::{Campaign, Run, Under, finder, sample, watching};
use crate::checkpoint::{self, Identity, Writer};
use crate::error::{InputError, InputKind};
use crate::finder::{Finder, Passed, Results, Then};
use crate::limits::{Cancel, Limits};
use crate::lowering::{Lowering, Sources};
use crate::observer::{Nobody, Observer, Phase};
use crate::options::Options;
use crate::outcome::{Bound, Comparison, Outcome, PostCrashStates, Undecided, Warning};
use crate::prepare::{
    FEW_THREADS, Ground, hoped_for, reductions_for, refuse_coherence, refuse_no_recovery, refuse_sections,
    simplified, simplified_in_order, with_races, with_symmetry,
};
use crate::stages::look;
use crate::stopped::Stopped;
use crate::verdict::{Facts, Verdict};
use crate::violation::Violation;
use selvedge_decide::compile;
use selvedge_explore::premises::{properties_by_clocks, properties_of};
use selvedge_explore::{Config, Deferred, Engine, Equivalence, GaveUp, OtherFormat, Sampling, Watch, Way};
use selvedge_ir::{Module, passes};
use selvedge_kat::Theory;
use selvedge_machine::{Again, ErrorKind, Reduction, Reductions};
use selvedge_model::relational::Relational;
use selvedge_model::{Compiled, Model, Properties, Property};
use selvedge_vm::VmMachine;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// For the estimate before a check.
const SHORT: Sampling = Sampling {
    seed: 0,
    least: 24,
    most: 1000,
    precision: 0.05,
    work: 150_000,
    time: Some(Duration::from_secs(3)),
};

/// What is wrong with using a value that was never set.
pub(crate) const UNSET: ErrorKind = ErrorKind::UninitialisedRead;

/// The part of a limit of time that is for scouts.
const SCOUTING: f64 = 0.1;

/// What is checked.
#[derive(Clone, Debug)]
pub enum Program {
    /// Files that are still to be compiled.
    Sources(Sources),
    /// The bytecode itself.
    Module(Box<Module>),
}

impl From<Sources> for Program {
    fn from(sources: Sources) -> Program {
        Program::Sources(sources)
    }
}

impl From<Module> for Program {
    fn from(module: Module) -> Program {
        Program::Module(Box::new(module))
    }
}

/// A program, a memory model, and how to check the one under the other. Nothing of it is shared with other
/// checks: several may run side by side.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is checked.
    pub program: Program,
    /// Under which model.
    pub theory: Theory,
    /// How.
    pub options: Options,
    /// What it may take.
    pub limits: Limits,
    /// Ends it.
    pub cancel: Cancel,
}

/// Kinds of errors that show as races, or as what else a model calls an error.
pub const FOUND_AS_RACES: [ErrorKind; 4] =
    [ErrorKind::DataRace, ErrorKind::OfModel, ErrorKind::LockMisuse, ErrorKind::BarrierMisuse];

impl Check {
    /// A check with the defaults of the command.
    pub fn new(program: impl Into<Program>, theory: Theory) -> Check {
        Check {
            program: program.into(),
            theory,
            options: Options::default(),
            limits: Limits::default(),
            cancel: Cancel::default(),
        }
    }

    /// Checks, unobserved.
    pub fn run(&self) -> Result<Outcome, InputError> {
        self.run_with(&mut Nobody)
    }

    /// Checks. An error means that there is nothing to check; that a limit was reached is an outcome.
    ///
    /// Where there is a limit of time, the last part of it is for executions that are taken at random: an
    /// exploration that will not come to its end has looked at executions which differ little from each
    /// other.
    pub fn run_with(&self, observer: &mut dyn Observer) -> Result<Outcome, InputError> {
        let start = Instant::now();
        if let Some(asked) = self.asked_for_unset() {
            let outcome = asked.run_in_time(observer)?;
            if !outcome.violations.iter().any(|violation| violation.kind == UNSET) {
                return Ok(outcome);
            }
            return self.any_values(start, observer)?.run_in_time(observer);
        }
        self.run_in_time(observer)
    }

    fn run_in_time(&self, observer: &mut dyn Observer) -> Result<Outcome, InputError> {
        let Some(given) = self.limits.seconds.filter(|_| self.may_scout()) else {
            return self.run_all(observer);
        };
        let start = Instant::now();
        let limits = Limits { seconds: Some(given * (1.0 - SCOUTING)), ..self.limits };
        let mut outcome = Check { limits, ..self.clone() }.run_all(observer)?;
        let is_late = matches!(outcome.undecided, Some(Undecided::GaveUp(GaveUp::Time(_))));
        if is_late && outcome.violations.is_empty() {
            let scouts = self.scouts(start);
            // What scouts come upon that is not supported was said already.
            if let Ok(found) = scouts.run_all(observer)
                && found.verdict == Verdict::Violated
            {
                let seconds = start.elapsed().as_secs_f64();
                return Ok(Outcome { seconds, stats: outcome.stats, ..found });
            }
        }
        outcome.seconds = start.elapsed().as_secs_f64();
        outcome.time_was(given);
        Ok(outcome)
    }

    /// The same check with uses of values that were never set as errors, where nobody asked for them: if
    /// there is none, this is all. If there is one, what comes after it depends on such a value.
    pub(crate) fn asked_for_unset(&self) -> Option<Check> {
        let one = self.options.checkpoint.is_some() || self.options.resume.is_some();
        if one || self.options.errors.has(UNSET) || !matches!(self.program, Program::Sources(_)) {
            return None;
        }
        let options = Options { errors: self.options.errors.with(UNSET), ..self.options.clone() };
        Some(Check { options, ..self.clone() })
    }

    /// The same check of the program with any value for what was never set, in the time that is left.
    pub(crate) fn any_values(
        &self,
        start: Instant,
        observer: &mut dyn Observer,
    ) -> Result<Check, InputError> {
        let left = |seconds: f64| (seconds - start.elapsed().as_secs_f64()).max(0.0);
        let limits = Limits { seconds: self.limits.seconds.map(left), ..self.limits };
        let rest = Check { limits, ..self.clone() };
        match rest.bytecode(observer) {
            Ok(mut module) => {
                passes::unset::fill(&mut module);
                Ok(rest.prepared(module))
            }
            Err(Stopped::Error(error)) => Err(error),
            // There is no time for that: whoever runs this says so.
            Err(Stopped::GaveUp(..)) => Ok(rest),
        }
    }

    /// Who asks for anything but a first error, or for the way there, has one exploration.
    fn may_scout(&self) -> bool {
        let Options { all_errors, output, record, deterministic, leaks, .. } = self.options;
        let options = &self.options;
        let one = options.checkpoint.is_some()
            || options.resume.is_some()
            || options.persist.is_some()
            || options.most_executions.or(options.at_first).is_some()
            || options.equivalence == Equivalence::Rf
            || options.scouts.is_some();
        !(all_errors || output || record || deterministic || leaks || one)
    }

    /// The same check by executions taken at random, in the time that is left. Reductions that leave out
    /// executions because others stand for them are of no use then.
    fn scouts(&self, start: Instant) -> Check {
        use Reduction::{LockOrder, RaceFree, Symmetry};
        let reductions = [LockOrder, RaceFree, Symmetry].into_iter();
        let reductions = reductions.fold(self.options.reductions, Reductions::without);
        let options = Options { scouts: Some(u64::MAX), reductions, ..self.options.clone() };
        let left = |seconds: f64| (seconds - start.elapsed().as_secs_f64()).max(0.0);
        let limits = Limits { seconds: self.limits.seconds.map(left), ..self.limits };
        Check { options, limits, ..self.clone() }
    }

    fn run_all(&self, observer: &mut dyn Observer) -> Result<Outcome, InputError> {
        let start = Instant::now();
        if let Some(observed) = self.observed()? {
            let watch = observed.limits.start(&observed.cancel);
            return observed.run_once(&watch, observer, start);
        }
        let watch = self.limits.start(&self.cancel);
        let mut race = None;
        if let Some(first) = self.as_if_race_free() {
            match first.run_under(&watch, observer, start)? {
                Ok(outcome) => return Ok(outcome),
                Err(found) => race = found.filter(|_| self.options.warn_of_races),
            }
        }
        let mut outcome = self.run_once(&watch, observer, start)?;
        outcome.warnings.extend(race.map(Warning::Race));
        Ok(outcome)
    }

    /// The same check with the reductions that leave recovery nothing to see, where crashes are looked for.
    pub(crate) fn observed(&self) -> Result<Option<Check>, InputError> {
        if self.options.persist.is_none() {
            return Ok(None);
        }
        if self.options.equivalence == Equivalence::Rf {
            let message = "what persists depends on coherence, which `--equivalence rf` leaves open";
            return Err(InputError::plain(InputKind::Unsupported, message, Some("use `--equivalence co`")));
        }
        let reductions = self.options.reductions_beside_recovery();
        Ok(Some(Check { options: Options { reductions, ..self.options.clone() }, ..self.clone() }))
    }

    /// The same check with races as errors, where nobody asked for them (`Reduction::RaceFree`).
    ///
    /// If there are none, this is all: plain accesses only see what happens before them then, as relaxed ones
    /// do that race with nothing, so the executions are the same, and there are more reductions. If there is
    /// one, what was explored does not count. Who wants all errors, or an exploration that can be
    /// interrupted, has one exploration.
    fn as_if_race_free(&self) -> Option<Check> {
        let Options { races, all_errors, reductions, .. } = self.options;
        let one = self.options.checkpoint.is_some() || self.options.resume.is_some() || self.options.output;
        if races || all_errors || one || !reductions.has(Reduction::RaceFree) {
            return None;
        }
        let errors = FOUND_AS_RACES.iter().fold(self.options.errors, |kinds, kind| kinds.with(*kind));
        let options = Options { races: true, races_aside: true, errors, ..self.options.clone() };
        Some(Check { options, ..self.clone() })
    }

    /// What comes of it, unless there are races; then one of them, in words.
    fn run_under(
        &self,
        watch: &Watch,
        observer: &mut dyn Observer,
        start: Instant,
    ) -> Result<Result<Outcome, Option<String>>, InputError> {
        let outcome = self.run_once(watch, observer, start)?;
        let is_race = |violation: &&Violation| FOUND_AS_RACES.contains(&violation.kind);
        let race = outcome.violations.iter().find(is_race).map(Violation::message);
        let refused =
            matches!(outcome.undecided, Some(Undecided::Unsupported(..) | Undecided::NotLookedFor(_)));
        Ok(if race.is_none() && !refused { Ok(outcome) } else { Err(race) })
    }

    fn run_once(
        &self,
        watch: &Watch,
        observer: &mut dyn Observer,
        start: Instant,
    ) -> Result<Outcome, InputError> {
        match self.explore(watch, observer) {
            Ok(explored) => self.outcome(explored, watch, start),
            Err(Stopped::Error(error)) => Err(error),
            Err(Stopped::GaveUp(why, phase)) => {
                let seconds = start.elapsed().as_secs_f64();
                Ok(Outcome::nothing(&self.theory.name, Undecided::NotBegun(why, phase), seconds))
            }
        }
    }

    fn explore(&self, watch: &Watch, observer: &mut dyn Observer) -> Result<Explored, Stopped> {
        observer.phase(Phase::Model);
        // Sources are compiled while the model is.
        let source = self.start_lowering(observer)?;
        let compiled = compile(&self.theory).map_err(InputError::of_model)?;
        match &compiled {
            Compiled::Clocks(model) => self.explore_clocks(model, source, watch, observer),
            Compiled::Matrices(model) => {
                let properties = properties_of(&self.theory, &compiled);
                if self.options.equivalence == Equivalence::Rf {
                    return Err(InputError::needs_coherence(model.name()).into());
                }
                let module = source.finish(watch, observer)?;
                match self.explore_in_order(model, &properties, &module, watch, observer)? {
                    InOrder::Explored(explored) => Ok(*explored),
                    InOrder::NotThisWay => {
                        self.explore_dependencies(model, &properties, &module, watch, observer)
                    }
                    InOrder::NotAll => {
                        // What was left of that way is nothing to go on from.
                        let fresh = Options { resume: None, ..self.options.clone() };
                        let fresh = Check { options: fresh, ..self.clone() };
                        fresh.explore_dependencies(model, &properties, &module, watch, observer)
                    }
                }
            }
        }
    }

    /// The program's bytecode before any pass has looked at its loops: to be changed, and then
    /// [`prepared`](Check::prepared).
    pub fn bytecode(&self, observer: &mut dyn Observer) -> Result<Module, Stopped> {
        match &self.program {
            Program::Module(module) => Ok(Module::clone(module)),
            Program::Sources(sources) => {
                let watch = self.limits.start(&self.cancel);
                let reductions = hoped_for(&self.theory, &self.options);
                Lowering::start(sources, reductions, true, self.limits, observer)?.finish(&watch, observer)
            }
        }
    }

    /// A check of this bytecode instead, with the passes that are worth it under the model.
    pub fn prepared(&self, mut module: Module) -> Check {
        passes::run(&mut module, hoped_for(&self.theory, &self.options));
        Check { program: Program::Module(Box::new(module)), ..self.clone() }
    }

    pub(crate) fn start_lowering(&self, observer: &mut dyn Observer) -> Result<Source, Stopped> {
        match &self.program {
            Program::Module(module) => Ok(Source::Module(Module::clone(module))),
            Program::Sources(sources) => {
                let reductions = hoped_for(&self.theory, &self.options);
                let lowering = Lowering::start(sources, reductions, false, self.limits, observer)?;
                Ok(Source::Lowering(lowering))
            }
        }
    }

    /// A program under a model that follows dependencies, made ready to be explored as under a model without
    /// (`Reduction::ProgramOrder`), if that can be done.
    pub(crate) fn in_order(
        &self,
        model: &Relational,
        properties: &Properties,
        module: &Module,
        watch: &Watch,
    ) -> Result<Option<(Ground, VmMachine, Model)>, InputError> {
        let options = &self.options;
        if !options.reductions.has(Reduction::ProgramOrder) {
            return Ok(None);
        }
        let ground = Ground::in_order(model, properties, module, options, watch);
        let vm = ground.machine(module, FEW_THREADS)?;
        let Some(in_order) = Way::in_order(&vm, model, &ground.config) else { return Ok(None) };
        refuse_sections(module, &vm, properties, model.name())?;
        refuse_no_recovery(&vm, options)?;
        let simpler = simplified_in_order(&self.theory, in_order, options.reductions, &vm);
        let simpler = with_symmetry(simpler.as_ref().unwrap_or(in_order), &vm).into_owned();
        Ok(Some((ground, vm, simpler)))
    }

    /// Explores in program order, or goes on doing so.
    fn explore_in_order(
        &self,
        model: &Relational,
        properties: &Properties,
        module: &Module,
        watch: &Watch,
        observer: &mut dyn Observer,
    ) -> Result<InOrder, Stopped> {
        let options = &self.options;
        let other_way =
            |path: &PathBuf| checkpoint::is_of(path, &self.identity(module, Under::Matrices(model)));
        if options.resume.as_ref().is_some_and(other_way) {
            return Ok(InOrder::NotThisWay);
        }
        let Some((ground, vm, simpler)) = self.in_order(model, properties, module, watch)? else {
            return Ok(InOrder::NotThisWay);
        };
        let under = Under::Clocks(&simpler);
        let (machine, run, seconds_before) = self.conduct(ground, vm, module, under, watch, observer)?;
        if run.results.violations.is_empty() || options.all_errors {
            if run.stats.gave_up == Some(GaveUp::Again(Again::LoadBuffering)) {
                observer.again(Again::LoadBuffering);
                return Ok(InOrder::NotAll);
            }
            // A thread that fails and is let pass does not show what comes after.
            if is_cut_short(&machine, &run.results) {
                return Ok(InOrder::NotAll);
            }
        }
        let is_interleaving = properties.has(Property::Interleaving);
        let model = model.name().to_string();
        let explored =
            Explored { machine, run, ordered_barriers: None, seconds_before, model, is_interleaving };
        Ok(InOrder::Explored(Box::new(explored)))
    }

    fn explore_dependencies(
        &self,
        model: &Relational,
        properties: &Properties,
        module: &Module,
        watch: &Watch,
        observer: &mut dyn Observer,
    ) -> Result<Explored, Stopped> {
        let options = &self.options;
        let ground = Ground::with_dependencies(model, properties, module, options, watch);
        refuse_checkpoints(options, model, &ground.config)?;
        let vm = ground.machine(module, FEW_THREADS)?;
        refuse_sections(module, &vm, properties, model.name())?;
        refuse_no_recovery(&vm, options)?;
        let under = Under::Matrices(model);
        let (machine, run, seconds_before) = self.conduct(ground, vm, module, under, watch, observer)?;
        let is_interleaving = properties.has(Property::Interleaving);
        let model = model.name().to_string();
        Ok(Explored { machine, run, ordered_barriers: None, seconds_before, model, is_interleaving })
    }

    fn explore_clocks(
        &self,
        model: &Model,
        source: Source,
        watch: &Watch,
        observer: &mut dyn Observer,
    ) -> Result<Explored, Stopped> {
        let options = &self.options;
        let module = source.finish(watch, observer)?;
        let properties = properties_by_clocks(&self.theory, model);
        let reductions = reductions_for(&module, options, &properties);
        let bam = options.reductions.has(Reduction::Bam);
        let mut ordered_barriers = (bam && !properties.has(Property::OrdersByRmw)).then(|| {
            format!(
                "the model `{}` does not order what comes before and after a read-modify-write",
                model.name()
            )
        });
        let ground = Ground::with_clocks(reductions, &properties, model, options);
        let vm = ground.machine(&module, FEW_THREADS)?;
        refuse_sections(&module, &vm, &properties, model.name())?;
        refuse_no_recovery(&vm, options)?;
        refuse_coherence(&vm, options.equivalence)?;
        let simpler = simplified(&self.theory, options.reductions, &vm)?;
        let simpler = with_races(simpler.as_ref().unwrap_or(model), options.races)?;
        let simpler = with_symmetry(&simpler, &vm);
        let under = Under::Clocks(&simpler);
        let (machine, run, seconds_before) = self.conduct(ground, vm, &module, under, watch, observer)?;
        if machine.uses_barriers() {
            ordered_barriers = ordered_barriers.or(machine.why_ordered_barriers());
        }
        let is_interleaving = properties.has(Property::Interleaving);
        let model = model.name().to_string();
        Ok(Explored { machine, run, ordered_barriers, seconds_before, model, is_interleaving })
    }

    /// Explores, from the beginning or from a checkpoint, and writes checkpoints. Returns also how many
    /// seconds earlier runs took.
    fn conduct(
        &self,
        ground: Ground,
        mut vm: VmMachine,
        module: &Module,
        under: Under<'_>,
        watch: &Watch,
        observer: &mut dyn Observer,
    ) -> Result<(VmMachine, Run, f64), Stopped> {
        let options = &self.options;
        let identity =
            (options.checkpoint.is_some() || options.resume.is_some()).then(|| self.identity(module, under));
        let saved = match (&options.resume, &identity) {
            (Some(path), Some(identity)) => checkpoint::read(path, identity, &finder(options, under))?,
            _ => None,
        };
        let seconds_before = saved.as_ref().map_or(0.0, |saved| saved.seconds);
        let mut campaign = Campaign { model: under, options, watch, writer: None };
        if let (Some(to), Some(identity)) = (&options.checkpoint, identity) {
            let resumed = options.resume.as_deref();
            campaign.writer = Some(Writer::new(&to.file, identity, to.every, seconds_before, resumed)?);
        }
        if observer.wants_estimate() && options.scouts.is_none() {
            let mut machine = ground.machine(module, options.most_threads)?;
            observer.phase(Phase::Estimating);
            let sampling = Sampling { seed: options.seed, ..SHORT };
            if let Some(estimate) = sample(&mut machine, under, &ground.config, &sampling, watch)? {
                observer.estimate(estimate);
            }
        }
        observer.phase(Phase::Exploring);
        if options.scouts.is_none()
            && let Some((machine, run)) = look(&ground, module, under, options, watch)?
        {
            return Ok((machine, run, seconds_before));
        }
        let mut config = ground.config;
        config.max_executions = options.at_first.or(config.max_executions);
        let mut from = None;
        if let Some(saved) = saved {
            vm.make_room(saved.room);
            if !vm.restore(saved.machine) {
                let message = "cannot resume: the checkpoint is of another program";
                return Err(InputError::plain(InputKind::Checkpoint, message, None).into());
            }
            let snapshot = saved.exploration.restore(saved.visitor, &mut config);
            let other = |why: OtherFormat| {
                let message = format!("cannot resume: {why}");
                InputError::plain(InputKind::Checkpoint, message, None)
            };
            from = Some(snapshot.map_err(other)?);
        }
        let run = campaign.explore(&mut vm, config, options.most_threads, from, observer)?;
        // Nor is there anything to go on with where it has to be done in another way.
        let other_way = || run.stats.gave_up == Some(GaveUp::Again(Again::LoadBuffering));
        if let Some(writer) = campaign.writer.filter(|_| run.is_settled || other_way()) {
            writer.remove();
        }
        Ok((vm, run, seconds_before))
    }

    /// What an exploration in one way is about.
    fn identity(&self, module: &Module, under: Under<'_>) -> Identity {
        let way = match under {
            Under::Clocks(_) => "clocks",
            Under::Matrices(_) => "dependencies",
        };
        let program = selvedge_ir::text::print(module);
        Identity::new(&program, &self.theory.to_kat(), &format!("{} {way}", self.options.identity()))
    }

    fn outcome(&self, explored: Explored, watch: &Watch, start: Instant) -> Result<Outcome, InputError> {
        let Explored { mut machine, run, ordered_barriers, seconds_before, model, is_interleaving } =
            explored;
        let Run { stats, results, alike, mut again, .. } = run;
        let Results { violations, warnings: of_model, passed, output, mut after_crashes } = results;
        if let Some(why) = after_crashes.refused {
            let help = "such a model says too much of the order in which things persist; under `-m sc` or `-m tso` \
                        there may be such an order";
            return Err(InputError::plain(InputKind::Model, why, Some(help)));
        }
        // Bounds are also reached on the way to executions that turn out not to exist: those do not count.
        let cut = if stats.cut > 0 || after_crashes.cut { machine.cut_loops() } else { Vec::new() };
        let bounds: Vec<Bound> =
            cut.into_iter().map(|(place, iterations)| Bound { place: place.into(), iterations }).collect();
        let everything = violations.is_empty() || self.options.all_errors;
        let gave_up = stats.gave_up.clone().filter(|_| everything);
        // Nothing was checked after a crash.
        if self.options.persist.is_some()
            && after_crashes.states == 0
            && gave_up.is_none()
            && violations.is_empty()
        {
            after_crashes.stop.get_or_insert_with(|| {
                String::from("no execution names a recovery routine, or all that it does is assumed away")
            });
        }
        let (unsupported, violations): (Vec<Violation>, Vec<Violation>) =
            violations.into_iter().partition(|v| v.kind == ErrorKind::Unsupported);
        if let Some(bad) = unsupported.iter().find(|v| selvedge_vm::is_bad_input(&v.message())) {
            let at = bad.place.as_ref().map_or(String::new(), |at| format!("{}:{}: ", at.file, at.line));
            return Err(InputError::plain(InputKind::Unsupported, at + &bad.message(), None));
        }
        // What a thread does with a value that was never set is not known: it may go on to any error.
        let is_open = |passed: &&Passed| passed.then == Then::NotExplored || passed.name == UNSET.name();
        let not_explored = passed.iter().find(is_open).cloned();
        // An execution whose threads wait for ever, where nobody asked about that, is all there.
        let whole = passed.iter().filter(|passed| passed.then == Then::Whole).count() as u64;
        let assumed = if machine.ends_by_assuming() { stats.blocked } else { 0 };
        let verdict = Verdict::of(Facts {
            errors: violations.len(),
            unfinished: !unsupported.is_empty()
                || gave_up.is_some()
                || not_explored.is_some()
                || after_crashes.stop.is_some(),
            cut: after_crashes.cut || stats.cut > 0 || !bounds.is_empty() || machine.leaves_out_inputs(),
            complete: stats.complete + whole + assumed,
        });
        let mut warnings: Vec<Warning> = machine.notes().iter().cloned().map(Warning::Note).collect();
        if verdict == Verdict::Verified && stats.complete + whole == 0 {
            warnings.push(Warning::AllAssumedAway);
        }
        if self.options.persist.is_none() && machine.recovery_routine() != Ok(None) {
            warnings.push(Warning::RecoveryNotRun);
        }
        let sampled = if stats.cut > 0 { machine.sampled_places() } else { Vec::new() };
        warnings.extend(sampled.into_iter().map(|place| Warning::Sampled(place.into())));
        warnings.extend(of_model.into_iter().map(Warning::OfModel));
        warnings.extend(ordered_barriers.filter(|_| machine.uses_barriers()).map(Warning::BarriersInOrder));
        let ends = passed
            .into_iter()
            .filter(|passed| passed.then == Then::ProcessEnds && passed.name != UNSET.name());
        warnings.extend(ends.map(Warning::NotLookedFor));
        let comparison = match violations.first() {
            // Whoever takes executions down to judge them again asks for many checks; scouts have no time.
            Some(first) if !is_interleaving && !self.options.record && self.options.scouts.is_none() => {
                self.compare_with_sc(&mut machine, first, watch, &mut again)?
            }
            _ => None,
        };
        let unsupported =
            unsupported.into_iter().next().map(|v| Undecided::Unsupported(v.place.clone(), v.message()));
        let vacuous = verdict == Verdict::Unknown && stats.complete == 0;
        let not_explored = not_explored.filter(|_| verdict == Verdict::Unknown);
        let undecided = unsupported
            .or(after_crashes.stop.map(|why| Undecided::GaveUp(GaveUp::TooLarge(why))))
            .or(gave_up.map(Undecided::GaveUp))
            .or(not_explored.map(Undecided::NotLookedFor))
            .or_else(|| vacuous.then_some(Undecided::Vacuous));
        Ok(Outcome {
            verdict,
            model,
            stats,
            post_crash: self.options.persist.as_ref().map(|persist| PostCrashStates {
                model: persist.model.name().to_string(),
                states: after_crashes.states,
            }),
            symmetric_threads: Some(alike).filter(|alike| *alike > 0),
            seconds: seconds_before + start.elapsed().as_secs_f64(),
            bounds,
            violations,
            warnings,
            comparison,
            undecided,
            output,
            again,
        })
    }

    /// Whether sequential consistency would rule an error out.
    fn compare_with_sc(
        &self,
        machine: &mut VmMachine,
        found: &Violation,
        watch: &Watch,
        again: &mut Vec<Again>,
    ) -> Result<Option<Comparison>, InputError> {
        // Races are judged by C's own rules, under whichever model.
        if found.kind == ErrorKind::DataRace {
            return Ok(None);
        }
        let theory = selvedge_kat::load_named("sc").map_err(InputError::of_model)?;
        let sc = Model::compile(&theory).map_err(InputError::of_model)?;
        again.push(Again::ComparisonWithSc);
        machine.forget_limits();
        let options = &Options {
            workers: self.options.workers,
            checkpoint: None,
            resume: None,
            ..self.options.clone()
        };
        let properties = properties_by_clocks(&theory, &sc);
        let reductions = reductions_for(machine.module(), options, &properties);
        let config = watching(options.config(reductions, None));
        let mut campaign = Campaign { model: Under::Clocks(&sc), options, watch, writer: None };
        let room = machine.room();
        let run = campaign.explore(machine, config, room, None, &mut Nobody)?;
        let complete = run.stats.gave_up.is_none();
        let same = run.results.violations.iter().any(|v| v.name == found.name);
        Ok((complete && !same).then_some(Comparison { executions: run.stats.complete }))
    }
}

/// A program on its way.
pub(crate) enum Source {
    Module(Module),
    Lowering(Lowering),
}

impl Source {
    pub(crate) fn finish(self, watch: &Watch, observer: &mut dyn Observer) -> Result<Module, Stopped> {
        match self {
            Source::Module(module) => Ok(module),
            Source::Lowering(lowering) => lowering.finish(watch, observer),
        }
    }
}

/// What came of exploring in program order.
enum InOrder {
    Explored(Box<Explored>),
    /// It cannot be done.
    NotThisWay,
    /// There may be more executions than were explored.
    NotAll,
}

/// Whether a thread did not go on, because of an error that is not looked for.
fn is_cut_short(machine: &VmMachine, results: &Results) -> bool {
    machine.let_errors_pass() || results.passed.iter().any(|passed| passed.then != Then::Whole)
}

/// What an exploration came to.
struct Explored {
    machine: VmMachine,
    run: Run,
    /// Why barriers were explored with an order of arrivals.
    ordered_barriers: Option<String>,
    /// Time that was spent on it before it was taken up again.
    seconds_before: f64,
    model: String,
    /// Whether the model's executions are interleavings: then there is nothing to compare with.
    is_interleaving: bool,
}

/// Where reads are put off there is nothing to go on from.
fn refuse_checkpoints(options: &Options, model: &Relational, config: &Config) -> Result<(), InputError> {
    let option = match () {
        () if options.checkpoint.is_some() => "--checkpoint",
        () if options.resume.is_some() => "--resume",
        () => return Ok(()),
    };
    if Engine::<VmMachine, Finder>::is_resumable(&Deferred::new(model, config, 1)) {
        return Ok(());
    }
    let message = format!(
        "`{option}` is not supported under the model `{}`, for which reads have to be put off",
        model.name()
    );
    Err(InputError::plain(InputKind::Unsupported, message, None))
}
