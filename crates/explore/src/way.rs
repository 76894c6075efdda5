//! How programs are explored under a model that follows dependencies: by revisits, or by putting reads off.

use crate::report::Config;
use selvedge_graph::Attrs;
use selvedge_machine::{Machine, Reduction};
use selvedge_model::Model;
use selvedge_model::relational::{Local, Relational};
use std::fmt;

/// A way to explore.
pub enum Way {
    /// By revisits, with the causal prefixes that this order within threads gives.
    Revisits(Local),
    /// Reads are put off until what they read from is there; for this reason.
    PutOff(Why),
}

/// Why revisits cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// They are switched off.
    Off,
    /// What they need of the model is not known to hold.
    Model,
    /// It is, but of programs without barriers and exclusive accesses of an architecture only.
    Architecture,
    /// The program has numbers that nobody knows.
    Unknowns,
    /// The program has exclusive pairs with something in between.
    Apart,
    /// Executions would be missed.
    Missing,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Off => "revisits are switched off",
            Why::Model => "what revisits need of the model is not known to hold (`selvedge model properties`)",
            Why::Architecture => "what revisits need of the model is known of programs in C only",
            Why::Apart => "the program has exclusive pairs with accesses or fences in between",
            Why::Unknowns => "the program has inputs that nobody knows",
            Why::Missing => {
                "revisits would miss executions: a read-modify-write's operand may depend on what it reads, or a \
                 thread may fail where no dependency tells"
            }
        })
    }
}

impl Way {
    /// Whether programs may be explored by revisits under a model; which ones depends on them.
    pub fn may_revisit(model: &Relational, config: &Config) -> bool {
        config.follow && is_known(model) && model.local().is_some()
    }

    /// The model for an exploration in the order of threads, as under models without dependencies, which
    /// watches whether that is right (`in_order.rs`). Where it turns out not to be, dependencies have to be
    /// followed.
    pub fn in_order<'m, M: Machine>(
        machine: &M,
        model: &'m Relational,
        config: &Config,
    ) -> Option<&'m Model> {
        let may = config.in_order
            && (matches!(Way::of(machine, model, config), Way::Revisits(_))
                || Way::may_go_on(machine, model, config));
        model.in_order().filter(|_| may)
    }

    /// Whether it is known of a model that what a write comes after by anything within its thread is in its
    /// past: then holes can be filled where they are, whatever else the model asks for.
    fn may_go_on<M: Machine>(machine: &M, model: &Relational, config: &Config) -> bool {
        let known = model.causality();
        config.follow
            && known.closed
            && model.is_extensible()
            && !machine.has_unknowns()
            && !machine.has_parts()
            && !machine.has_pairs_apart()
            && !(known.c_only && of_architectures(machine))
    }

    /// Whether a reduction leaves enough to tell whether a program may be explored in program order: what it
    /// leaves out are threads that wait, from which nothing leads to other threads, iterations that only
    /// read, without which every execution of the model is one as well, or executions that differ from others
    /// in the names of threads only (docs/dependencies.md, "Reductions").
    pub fn holds_in_order(reduction: Reduction) -> bool {
        use Reduction::*;
        matches!(
            reduction,
            SpinAssume
                | Rotation
                | Bisimilarity
                | Pef
                | Faint
                | Attempts
                | Annotations
                | Futile
                | Awaits
                | Symmetry
                | Simplification
                | RaceFree
                | Exchange
                | Zne
                | Sections
                | ProgramOrder
        )
    }

    pub fn of<M: Machine>(machine: &M, model: &Relational, config: &Config) -> Way {
        if !config.follow {
            return Way::PutOff(Why::Off);
        }
        if machine.has_unknowns() {
            return Way::PutOff(Why::Unknowns);
        }
        if machine.has_pairs_apart() {
            return Way::PutOff(Why::Apart);
        }
        let known = model.causality();
        let as_argued =
            known.is_local && known.forwards && known.skeleton && known.successors && known.rereads;
        // Where coherence is not part of the order, a hole can always be filled: nothing comes after it.
        let by_sources = known.skeleton && known.rereads && model.orders_by_sources_only();
        if !model.is_extensible() || !as_argued && !by_sources {
            return Way::PutOff(Why::Model);
        }
        if model.causality().c_only && of_architectures(machine) {
            return Way::PutOff(Why::Architecture);
        }
        match model.local() {
            Some(local) => Way::Revisits(local),
            None => Way::PutOff(Why::Model),
        }
    }
}

/// Whether a program may have barriers or exclusive accesses of an architecture.
fn of_architectures<M: Machine>(machine: &M) -> bool {
    let special = Attrs::BARRIERS | Attrs::EXCLUSIVE | Attrs::ACQ_PC;
    let classes = machine.event_classes().map(|classes| classes.into_attrs());
    classes.is_none_or(|classes| classes.iter().any(|attrs| attrs.meets(special)))
}

/// Whether what revisits need of a model is known to hold.
fn is_known(model: &Relational) -> bool {
    let known = model.causality();
    let as_argued = known.is_local && known.forwards && known.skeleton && known.successors && known.rereads;
    // Where coherence is not part of the order, a hole can always be filled: nothing comes after it.
    let by_sources = known.skeleton && known.rereads && model.orders_by_sources_only();
    model.is_extensible() && (as_argued || by_sources)
}
