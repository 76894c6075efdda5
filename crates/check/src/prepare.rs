//! From a compiled program, a model and options to a machine and the model as far as it matters.

use crate::campaign::watching;
use crate::error::{InputError, InputKind};
use crate::options::Options;
use selvedge_explore::premises::{ProgramFacts, sound};
use selvedge_explore::{Config, Equivalence, Watch, Way};
use selvedge_graph::Attrs;
use selvedge_ir::Module;
use selvedge_ir::passes::sections;
use selvedge_kat::Theory;
use selvedge_machine::{Claims, EventClasses, Machine, Reduction, Reductions};
use selvedge_model::relational::Relational;
use selvedge_model::{Classes, Model, Properties, Property};
use selvedge_vm::VmMachine;
use std::borrow::Cow;

/// What reductions have to know of a program.
pub fn facts(module: &Module, options: &Options) -> ProgramFacts {
    let atomic_sections = module.functions.iter().any(|f| f.name.starts_with("__VERIFIER_atomic_"));
    let coherence_counts = options.equivalence == Equivalence::Co;
    ProgramFacts {
        races_are_errors: options.races,
        races_are_reported: options.races && !options.races_aside,
        atomic_sections,
        coherence_counts,
    }
}

/// The reductions that are sound for a program under a model.
pub fn reductions_for(module: &Module, options: &Options, properties: &Properties) -> Reductions {
    sound(options.reductions, properties, &facts(module, options)).on
}

/// Those that are worth preparing the program for, while the model is not compiled yet.
pub fn hoped_for(theory: &Theory, options: &Options) -> Reductions {
    let coherence_counts = options.equivalence == Equivalence::Co;
    let races_are_reported = options.races && !options.races_aside;
    let facts = ProgramFacts { coherence_counts, races_are_reported, ..ProgramFacts::unknown(options.races) };
    // Whoever looks for what is not freed is not to be shown what is never freed here.
    let wanted = options.reductions_beside_recovery();
    let wanted = match options.leaks {
        true => wanted.without(Reduction::Handles),
        false => wanted,
    };
    sound(wanted, &Properties::hoped_for(theory), &facts).on
}

/// Where coherence is not told apart, what a program says of it cannot be judged.
pub fn refuse_coherence(machine: &VmMachine, equivalence: Equivalence) -> Result<(), InputError> {
    let why = match equivalence {
        Equivalence::Co => return Ok(()),
        Equivalence::Rf if machine.has_sections() => "has atomic sections (`__VERIFIER_atomic_…`)",
        Equivalence::Rf if machine.has_final_writes() => {
            "says which writes are final (`selvedge_final_write`)"
        }
        Equivalence::Rf => return Ok(()),
    };
    let message =
        format!("this program {why}: that depends on coherence, which `--equivalence rf` leaves open");
    Err(InputError::plain(InputKind::Unsupported, message, Some("use `--equivalence co`")))
}

/// An atomic section is one step of an interleaving: models whose executions have none do not say what it is.
pub fn refuse_sections(
    module: &Module,
    machine: &VmMachine,
    properties: &Properties,
    name: &str,
) -> Result<(), InputError> {
    let had_sections = || module.functions.iter().any(|f| f.name == sections::TAKEN_APART);
    if properties.has(Property::Interleaving) || !(machine.has_sections() || had_sections()) {
        return Ok(());
    }
    let message = format!(
        "this program has atomic sections (`__VERIFIER_atomic_…`), which are one step of an interleaving; under the \
         model `{name}` an execution need not have one"
    );
    Err(InputError::plain(InputKind::Unsupported, message, Some("use `-m sc`")))
}

/// Who looks for crashes has a routine that runs after them.
pub fn refuse_no_recovery(machine: &VmMachine, options: &Options) -> Result<(), InputError> {
    let help = "write `void __VERIFIER_recovery_routine(void)`, or name one by `selvedge_recovery(routine)`";
    let refuse = |message: String| InputError::plain(InputKind::Unsupported, message, Some(help));
    match machine.recovery_routine() {
        Err(why) => Err(refuse(why)),
        Ok(None) if options.persist.is_some() && !machine.names_recovery() => Err(refuse(String::from(
            "this program has no recovery routine, so nothing is to be checked after a crash",
        ))),
        Ok(_) => Ok(()),
    }
}

/// Races are errors of the language: what C says of them counts under all models that do not say themselves
/// what an error is.
pub fn with_races(model: &Model, wanted: bool) -> Result<Cow<'_, Model>, InputError> {
    if model.defines_errors() || !(wanted || model.is_local()) {
        return Ok(Cow::Borrowed(model));
    }
    let refuse = InputError::of_model;
    let theory = selvedge_kat::races_of_c().map_err(refuse)?;
    let races = match model.classes() {
        Some(classes) => Model::compile_for(&theory, classes),
        None => Model::compile(&theory),
    };
    let races = races.map_err(refuse)?;
    // Lifetimes are the language's, too, whether or not races are errors.
    let model_and = if wanted { model.with_errors_of(&races) } else { model.with_happens_before_of(&races) };
    model_and.map(Cow::Owned).ok_or_else(|| {
        let message =
            format!("the model `{}` has too many views to look for data races as well", model.name());
        InputError::plain(InputKind::Model, message, Some("use `--no-race-detection`"))
    })
}

/// The machine that runs a program.
pub fn machine(module: &Module, options: selvedge_vm::Options) -> Result<VmMachine, InputError> {
    VmMachine::new(module.clone(), options)
        .map_err(|e| InputError::plain(InputKind::Compile, e.to_string(), None))
}

/// The model as far as it matters for the orderings that a program uses.
pub fn simplified(
    theory: &Theory,
    wanted: Reductions,
    machine: &impl Machine,
) -> Result<Option<Model>, InputError> {
    let classes = machine.event_classes().filter(|_| wanted.has(Reduction::Simplification));
    let compile = |classes: EventClasses| Model::compile_for(theory, &Classes::new(classes.into_attrs()));
    classes.map(compile).transpose().map_err(InputError::of_model)
}

/// The same of a model that follows dependencies, for an exploration in program order.
pub fn simplified_in_order(
    theory: &Theory,
    model: &Model,
    wanted: Reductions,
    machine: &impl Machine,
) -> Option<Model> {
    let classes = machine.event_classes().filter(|_| wanted.has(Reduction::Simplification))?;
    let simpler = Model::compile_in_order(theory, Some(&Classes::new(classes.into_attrs()))).ok()?;
    Some(simpler.watching_as(model))
}

/// The model with what symmetry needs, if the program has threads that may do the same, and
/// read-modify-writes, by which they are put in order.
pub fn with_symmetry<'m>(model: &'m Model, machine: &impl Machine) -> Cow<'m, Model> {
    let rmws = || machine.event_classes().is_none_or(|classes| classes.has(Attrs::UR));
    if machine.has_twins() && rmws() { Cow::Owned(model.with_prefix_apart()) } else { Cow::Borrowed(model) }
}

/// Threads to make room for at first. Room costs time per event, and most programs have few.
pub const FEW_THREADS: u32 = 4;

/// Whether a thread can fail as often as it takes. Reads that are left out may be what later ones depend on.
fn repeats_reads(properties: &Properties) -> bool {
    properties.has(Property::RepeatsReads) && properties.has(Property::NoDependencies)
}

/// What machines are made with, and what is explored of them.
pub struct Ground {
    of_machine: selvedge_vm::Options,
    pub config: Config,
}

impl Ground {
    /// Under a model of clocks.
    pub fn with_clocks(
        reductions: Reductions,
        properties: &Properties,
        model: &Model,
        options: &Options,
    ) -> Ground {
        // What happens before a plain read comes before it in an interleaving, too.
        let sure =
            model.has_coherent_races() || properties.has(Property::Interleaving) && !model.defines_errors();
        let of_machine = selvedge_vm::Options {
            plain_reads_are_sure: options.races && sure,
            unordered_barriers: reductions.has(Reduction::Bam),
            leave_out_relaxed: properties.has(Property::ForgetsRmws),
            repeats_reads: repeats_reads(properties),
            ..options.of_machine(reductions, options.most_threads)
        };
        Ground { of_machine, config: watching(options.config(reductions, None)) }
    }

    /// Under a model that follows dependencies.
    pub fn with_dependencies(
        model: &Relational,
        properties: &Properties,
        module: &Module,
        options: &Options,
        watch: &Watch,
    ) -> Ground {
        let of_machine = selvedge_vm::Options {
            track_deps: true,
            refuses_mixed_sizes: Some(model.name().to_string()),
            unordered_barriers: false,
            ..options.of_machine(reductions_for(module, options, properties), options.most_threads)
        };
        // Where they are explored by revisits, these are sound for other reasons than elsewhere.
        let others =
            Reduction::ALL.into_iter().filter(|r| !matches!(r, Reduction::Annotations | Reduction::Futile));
        let reductions = others.fold(options.reductions, Reductions::without);
        Ground { of_machine, config: options.config(reductions, Some(watch.clone())) }
    }

    /// Under a model that follows dependencies, in program order.
    pub fn in_order(
        model: &Relational,
        properties: &Properties,
        module: &Module,
        options: &Options,
        watch: &Watch,
    ) -> Ground {
        let mut properties = properties.clone();
        properties.decide(Property::PorfAcyclic, "it is watched");
        let on = reductions_for(module, options, &properties);
        let reductions =
            Reduction::ALL.into_iter().filter(|r| !Way::holds_in_order(*r)).fold(on, Reductions::without);
        let mut ground = Ground::with_dependencies(model, &properties, module, options, watch);
        ground.of_machine.reductions = reductions;
        ground.of_machine.in_order = true;
        ground.of_machine.leave_out_relaxed = properties.has(Property::ForgetsRmws);
        ground.of_machine.repeats_reads = repeats_reads(&properties);
        ground.config = watching(options.config(reductions, None));
        ground
    }

    /// The same with loops that are cut early, and so many executions at most.
    pub fn briefly(&self, bound: u32, executions: u64) -> Ground {
        let of_machine = selvedge_vm::Options { unroll: bound, brief: true, ..self.of_machine.clone() };
        let watches = self.config.watches.anew();
        Ground {
            of_machine,
            config: Config { max_executions: Some(executions), watches, ..self.config.clone() },
        }
    }

    /// A machine with room for so many threads, if there may be as many.
    pub fn machine(&self, module: &Module, threads: u32) -> Result<VmMachine, InputError> {
        let max_threads = threads.min(self.of_machine.max_threads);
        machine(module, selvedge_vm::Options { max_threads, ..self.of_machine.clone() })
    }
}
