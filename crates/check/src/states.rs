//! A check by searching all states instead of exploring all executions (`--engine states`).

use crate::adjacent;
use crate::check::{Check, UNSET};
use crate::error::{InputError, InputKind};
use crate::finder::{Passed, Then};
use crate::invariant::Invariant;
use crate::observer::{Observer, Phase};
use crate::options::Options;
use crate::outcome::Undecided;
use crate::prepare::machine;
use crate::stopped::Stopped;
use crate::verdict::{Facts, Verdict};
use crate::witness::Place;
use selvedge_explore::{GaveUp, Watch};
use selvedge_graph::{Loc, Value};
use selvedge_ir::Module;
use selvedge_kat::Theory;
use selvedge_machine::{Claims, ErrorKind, ErrorKinds, Machine, Reductions};
use selvedge_states::{Found, Graph, NotATable, Stop, Table, Walks, Wrong, search, walk};
use selvedge_vm::{VmMachine, VmState};
use std::time::Instant;

/// Steps of one interleaving that is taken at random, at most.
const LONGEST_WALK: u64 = 5_000;

/// How to search.
#[derive(Clone, Debug)]
pub struct Searching {
    /// What is to hold, as texts.
    pub invariants: Vec<String>,
    /// What makes no difference is left out.
    pub reduce: bool,
    /// Scheduling is no step of its own, even if nothing else is left out.
    pub eager: bool,
    /// States that differ only in what objects are called are one, unless that makes a difference.
    pub rename: bool,
    /// Gives up when there are more states.
    pub most_states: usize,
    /// Operations of a thread from the first incomplete one on, at most.
    pub window: usize,
    /// If races are looked for, refuses programs that may have others than the search can see.
    pub all_races: bool,
    /// Looks at interleavings taken at random instead, so many steps of them.
    pub walks: Option<u64>,
}

impl Default for Searching {
    fn default() -> Searching {
        Searching {
            invariants: Vec::new(),
            reduce: true,
            eager: true,
            rename: true,
            most_states: 20_000_000,
            window: 24,
            all_races: false,
            walks: None,
        }
    }
}

/// How large a search was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// States.
    pub states: usize,
    /// Steps between them.
    pub transitions: usize,
    /// The longest list of incomplete operations of a thread.
    pub longest: usize,
}

/// One step on the way to a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateStep {
    /// The thread, by its number.
    pub thread: u16,
    /// What it does.
    pub what: String,
    /// Where that is in the source.
    pub place: Option<Place>,
    /// Where the operations are that are earlier in the thread, and complete later.
    pub overtakes: Vec<Place>,
}

/// The way to a state.
pub type StatePath = Vec<StateStep>;

/// What is wrong in some states.
#[derive(Clone, Debug)]
pub struct StateViolation {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// What is wrong.
    pub message: String,
    /// In how many states.
    pub states: usize,
    /// The way to one of them.
    pub path: StatePath,
    /// Sequential consistency has no such state; `None` if that was not found out.
    pub only_weak: Option<bool>,
}

/// What a search came to.
#[derive(Debug)]
pub struct Searched {
    /// The answer.
    pub verdict: Verdict,
    /// The model's name.
    pub model: String,
    /// How large it was.
    pub count: Count,
    /// The same under sequential consistency, if that was searched.
    pub sc: Option<Count>,
    /// What is wrong.
    pub violations: Vec<StateViolation>,
    /// Why there is no answer.
    pub undecided: Option<Undecided>,
    /// Data races were looked for; where it is not known whether there are any, there is no verdict.
    pub races: bool,
    /// Why some results are weaker than they look, in words.
    pub notes: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

fn refuse(error: NotATable) -> InputError {
    match error {
        NotATable::Model(diagnostic) => InputError::of_model(diagnostic),
        shape => InputError::plain(
            InputKind::Model,
            shape.to_string(),
            Some(
                "`--engine states` works for `sc`, `tso`, `pso`, `dotnet`, `dotnet-ecma` and models of that form",
            ),
        ),
    }
}

impl Check {
    /// Searches all states.
    pub fn search(&self, how: &Searching, observer: &mut dyn Observer) -> Result<Searched, InputError> {
        let start = Instant::now();
        let watch = self.limits.start(&self.cancel);
        let mut searched = match self.search_under(how, &watch, observer) {
            Ok(searched) => searched,
            Err(Stopped::Error(error)) => return Err(error),
            Err(Stopped::GaveUp(why, phase)) => Searched {
                verdict: Verdict::Unknown,
                model: self.theory.name.clone(),
                count: Count::default(),
                sc: None,
                violations: Vec::new(),
                undecided: Some(Undecided::NotBegun(why, phase)),
                races: false,
                notes: Vec::new(),
                seconds: 0.0,
            },
        };
        searched.seconds = start.elapsed().as_secs_f64();
        Ok(searched)
    }

    /// The same check with those reductions of the program's text only that a search through states may have.
    pub fn for_states(&self) -> Check {
        let reductions = self.options.reductions.for_states();
        Check { options: Options { reductions, ..self.options.clone() }, ..self.clone() }
    }

    fn search_under(
        &self,
        how: &Searching,
        watch: &Watch,
        observer: &mut dyn Observer,
    ) -> Result<Searched, Stopped> {
        observer.phase(Phase::Model);
        let table = Table::of(&self.theory).map_err(refuse)?;
        let mut module = self.for_states().bytecode(observer)?;
        if how.all_races && self.options.races && !adjacent::all_races(&module) {
            let message = "the program may have data races that a search of states does not see";
            return Err(InputError::plain(InputKind::Unsupported, message, None).into());
        }
        // What functions of such names mean does not depend on how a program is checked.
        selvedge_ir::passes::conventions::adopt(&mut module);
        observer.phase(Phase::Exploring);
        let run = self.run_search(how, &module, &table, watch)?;
        let races = self.races_of(how, &module, &table, &run, watch)?;
        // What is wrong here and not under sequential consistency is wrong because of the model.
        let compares = !table.in_order && !run.found.wrong.is_empty() && run.found.stop.is_none();
        let sc = match compares {
            true => {
                let theory: Theory = selvedge_kat::load_named("sc").map_err(InputError::of_model)?;
                let table = Table::of(&theory).map_err(refuse)?;
                let run = self.run_search(how, &module, &table, watch)?;
                run.found.stop.is_none().then_some(run)
            }
            false => None,
        };
        Ok(self.conclude(run, races, sc, &table, watch))
    }

    /// The graph of all states, with what is wrong in them, for a program that may have been changed.
    pub fn state_graph(&self, module: &Module, how: &Searching) -> Result<Found<VmState>, Stopped> {
        let watch = self.limits.start(&self.cancel);
        let table = Table::of(&self.theory).map_err(refuse)?;
        let run = self.run_search(how, module, &table, &watch)?;
        match run.found.stop {
            Some(_) => Err(Stopped::GaveUp(watch.reason().unwrap_or(GaveUp::AtExecution), Phase::Exploring)),
            None => Ok(run.found),
        }
    }

    /// What is known of data races. A search sees those that are next to each other where nothing is
    /// reordered. A program all of whose races are like that has them there, whatever the model: without any,
    /// it behaves as if nothing were reordered ([`adjacent`]).
    fn races_of(
        &self,
        how: &Searching,
        module: &Module,
        table: &Table,
        run: &Run,
        watch: &Watch,
    ) -> Result<Races, Stopped> {
        if !self.options.races {
            return Ok(Races::NotLookedFor);
        }
        if !run.found.conflicts && run.found.stop.is_none() {
            return Ok(Races::None);
        }
        if !adjacent::all_races(module) {
            return Ok(Races::Unknown);
        }
        if table.in_order {
            return Ok(Races::Seen);
        }
        let theory: Theory = selvedge_kat::load_named("sc").map_err(InputError::of_model)?;
        let in_order = Table::of(&theory).map_err(refuse)?;
        let run = self.run_search(how, module, &in_order, watch)?;
        Ok(match run.found.stop {
            None => Races::InOrder(Box::new(run)),
            Some(_) => Races::Unknown,
        })
    }

    fn run_search(
        &self,
        how: &Searching,
        module: &Module,
        table: &Table,
        watch: &Watch,
    ) -> Result<Run, Stopped> {
        let races = self.options.races && table.in_order;
        let of_machine = selvedge_vm::Options {
            track_deps: !table.in_order,
            refuses_mixed_sizes: Some(table.name.clone()),
            unordered_barriers: false,
            leave_out_undone: false,
            leave_out_unpublished: false,
            make_up_reads: false,
            unroll: u32::MAX,
            unroll_some: Vec::new(),
            watch_names: how.rename,
            // Where it is not looked for, what comes after it is not known.
            errors: self.options.errors.with(UNSET),
            ..self.options.of_machine(Reductions::NONE, self.options.most_threads)
        };
        let mut vm: VmMachine = machine(module, of_machine)?;
        if vm.has_unknowns() && !table.in_order {
            let message = "`--engine states` knows programs with unknown inputs (`__VERIFIER_nondet_…`, standard \
                           input) only under models that reorder nothing";
            return Err(InputError::plain(InputKind::Unsupported, message, None).into());
        }
        if vm.has_local_objects() || vm.has_final_writes() {
            let message = "`--engine states` does not check `selvedge_local` and `selvedge_final_write`";
            return Err(InputError::plain(InputKind::Unsupported, message, None).into());
        }
        if self.options.leaks {
            let message = "`--engine states` does not look for leaks";
            return Err(InputError::plain(InputKind::Unsupported, message, None).into());
        }
        let invariants: Vec<Invariant> =
            how.invariants.iter().map(|text| Invariant::parse(text, module)).collect::<Result<_, _>>()?;
        loop {
            let found = {
                let vm = &vm;
                let ask = |read: &dyn Fn(Loc) -> Value, end: bool| {
                    let mut asked = invariants.iter().filter(|i| end || !i.at_end);
                    asked.find_map(|i| match i.holds(vm, read) {
                        Some(true) => None,
                        Some(false) => Some(format!("the invariant `{}` does not hold", i.text)),
                        None => Some(format!("the invariant `{}` has no value", i.text)),
                    })
                };
                let go_on = || watch.reason().is_none();
                let options = selvedge_states::Options {
                    reduce: how.reduce,
                    eager: how.eager,
                    rename: how.rename,
                    races,
                    sections_race: self.options.errors != ErrorKinds::ALL,
                    joins_once: true,
                    conflicts: self.options.races,
                    keep_ends: false,
                    window: how.window,
                    max_states: how.most_states,
                    go_on: &go_on,
                    invariant: (!invariants.is_empty()).then_some(&ask),
                };
                match how.walks {
                    None => search(vm, table, &options),
                    Some(steps) => {
                        let wanted = |kind| self.options.errors.has(kind);
                        let (seed, longest) = (self.options.seed, LONGEST_WALK);
                        walk(vm, table, &options, &Walks { seed, steps, longest, wanted: &wanted })
                    }
                }
            };
            match &found.stop {
                Some(Stop::Again(again)) if vm.give_in(*again) => continue,
                _ => {
                    let assumed = vm.ends_by_assuming() && found.graph.is_assumed_away();
                    return Ok(Run { found, assumed, narrowed: vm.leaves_out_inputs() });
                }
            }
        }
    }

    fn conclude(&self, run: Run, races: Races, sc: Option<Run>, table: &Table, watch: &Watch) -> Searched {
        let Run { found, assumed, narrowed } = run;
        let mut notes = Vec::new();
        let mut undecided = match &found.stop {
            None => None,
            Some(Stop::States(most)) => {
                notes.push(format!("there are more than {most} states (`--max-states`)"));
                Some(Undecided::GaveUp(GaveUp::AtExecution))
            }
            Some(_) => Some(Undecided::GaveUp(watch.reason().unwrap_or(GaveUp::Interrupted))),
        };
        let mut violations = Vec::new();
        for (wrong, states) in &found.wrong {
            let Wrong { kind, message, .. } = wrong;
            if *kind == ErrorKind::Unsupported {
                undecided = undecided.or(Some(Undecided::Unsupported(None, message.clone())));
                continue;
            }
            if !self.options.errors.has(*kind) {
                // Where the process ends, or waits for ever, nothing comes after it.
                if !(is_waiting(*kind) || *kind == ErrorKind::Abort) {
                    let passed = Passed { name: kind.name().into(), place: None, then: Then::NotExplored };
                    undecided = undecided.or(Some(Undecided::NotLookedFor(passed)));
                }
                continue;
            }
            violations.push(StateViolation {
                kind: *kind,
                message: message.clone(),
                states: states.len(),
                path: path(&found.graph, states[0]),
                only_weak: sc.as_ref().map(|sc| !sc.found.wrong.contains_key(wrong)),
            });
        }
        if let Races::InOrder(run) = &races {
            let of_races = run.found.wrong.iter().filter(|(wrong, _)| wrong.kind == ErrorKind::DataRace);
            violations.extend(of_races.map(|(wrong, states)| StateViolation {
                kind: wrong.kind,
                message: wrong.message.clone(),
                states: states.len(),
                path: path(&run.found.graph, states[0]),
                only_weak: Some(false),
            }));
        }
        if violations.is_empty()
            && matches!(races, Races::Unknown)
            && self.options.errors.has(ErrorKind::DataRace)
        {
            undecided = undecided.or(Some(Undecided::Races));
        }
        let endless = if found.stop.is_none() { found.endless() } else { Vec::new() };
        if let Some(&first) = endless.first()
            && self.options.errors.has(ErrorKind::NonTermination)
        {
            violations.push(StateViolation {
                kind: ErrorKind::NonTermination,
                message: "threads go on for ever, and nothing that others do can change that".to_string(),
                states: endless.len(),
                path: path(&found.graph, first),
                only_weak: sc.as_ref().map(|sc| sc.found.endless().is_empty()),
            });
        }
        // Who waits for a thread that has failed does not wait in a program that goes on.
        if matches!(undecided, Some(Undecided::NotLookedFor(_))) {
            violations.retain(|violation| !is_waiting(violation.kind));
        }
        if found.window_reached {
            notes.push("a thread had as many incomplete operations as are looked at".to_string());
        }
        if found.early {
            let why =
                "a compare-and-exchange could fail before it is known what it expects: this is not searched";
            notes.push(why.to_string());
        }
        if found.hidden {
            notes.push("addresses are computed: no steps were left out".to_string());
        }
        // A program that serves for ever has no end, and all that it does was looked at.
        let serves = found.ends.is_empty() && found.stop.is_none() && found.goes_on();
        if serves {
            notes.push("the program has no end: it goes on for ever".to_string());
        }
        let ends = found.ends.len() as u64 + u64::from(!found.wrong.is_empty() || serves);
        if ends == 0 && assumed {
            notes.push(crate::outcome::Warning::AllAssumedAway.to_string());
        }
        let cut = found.cut || found.window_reached || found.early || narrowed;
        let verdict = Verdict::of(Facts {
            errors: violations.len(),
            unfinished: undecided.is_some(),
            cut,
            complete: ends + u64::from(assumed),
        });
        if verdict == Verdict::Unknown && undecided.is_none() {
            undecided = Some(Undecided::Vacuous);
        }
        Searched {
            verdict,
            model: table.name.clone(),
            count: count(&found),
            sc: sc.as_ref().map(|sc| count(&sc.found)),
            violations,
            undecided,
            races: !matches!(races, Races::NotLookedFor),
            notes,
            seconds: 0.0,
        }
    }
}

/// What is known of data races.
enum Races {
    NotLookedFor,
    /// No two accesses could race.
    None,
    /// What the search found is all.
    Seen,
    /// What this search found is all: of the same program, where nothing is reordered.
    InOrder(Box<Run>),
    Unknown,
}

fn is_waiting(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Deadlock | ErrorKind::NonTermination)
}

struct Run {
    found: Found<VmState>,
    /// There is an end in which an assumption does not hold, where the program is written to end then.
    assumed: bool,
    /// Inputs are left out.
    narrowed: bool,
}

fn count(found: &Found<VmState>) -> Count {
    Count { states: found.graph.states(), transitions: found.graph.edges().len(), longest: found.longest }
}

fn path(graph: &Graph, to: u32) -> StatePath {
    let steps = graph.path(to).into_iter().map(|edge| graph.what(edge)).filter(|step| !step.what.is_empty());
    let steps = steps.map(|step| StateStep {
        thread: step.thread,
        what: step.what.clone(),
        place: step.place.clone().map(Place::from),
        overtakes: step.overtakes.iter().flatten().cloned().map(Place::from).collect(),
    });
    steps.collect()
}
