//! Reductions: what the exploration leaves out because it makes no difference, a file for each.
//!
//! A file opens with the idea and the argument, its premises, and what is watched while exploring because it
//! cannot be known before. Then come what it remembers, and its [`Hooks`]: the places of the algorithm at
//! which it has a say. `explorer`, `rmw`, `revisit` and `schedule` ask all of them at once ([`Reducers`]), in
//! the order of the list below, and know none of them by name.
//!
//! Hooks are functions of types, not of objects: what [`Reducers`] asks is put together when the explorer is
//! compiled for a machine. A reduction that has nothing to say at a hook leaves no trace there; one that is
//! switched off costs a test of a flag. Hooks on the way of every event are inlined up to that flag, and what
//! is behind it is a function of its own.
//!
//! # How to add a reduction
//!
//! `symmetry` as an example; the files are all that it takes:
//!
//! 1. `crates/machine/src/reduction.rs`: its name for `--disable`, and a line of documentation (`Symmetry`).
//! 2. `crates/explore/src/reductions/symmetry.rs`: idea and argument; `struct Symmetry` with what it
//!    remembers and `new`, which says whether it is on; `impl Hooks for Symmetry`. If its condition has to be
//!    watched by all workers together: a type like [`Twins`] with `broken`, `save` and `restore`, made of
//!    `locations::SharedBits`.
//! 3. `crates/explore/src/reductions/mod.rs`: a line in the list of [`Reducers`] and in [`Remembered`], and,
//!    if it is watched, in [`Watches`]: whoever explores again, or writes checkpoints, needs no more.
//! 4. `crates/explore/src/premises.rs`: what it needs of a model and of a program.
//! 5. `crates/machine/src/foresight.rs`: what it asks machines about, with a default that is always right
//!    (`alike`). A front end that knows better says so (`crates/vm/src/machine/interface/foresight.rs`).
//! 6. `crates/compare/tests/symmetry.rs`: what is left out makes no difference, on generated programs.

pub(crate) mod annotations;
pub(crate) mod assumptions;
pub(crate) mod awaits;
pub(crate) mod bam;
pub(crate) mod confirmation;
pub(crate) mod helping;
mod locations;
pub(crate) mod lock_order;
pub(crate) mod made_up;
pub(crate) mod net_effect;
pub(crate) mod outdated;
pub(crate) mod overtaken;
pub(crate) mod publication;
pub(crate) mod swaps;
pub(crate) mod symmetry;

pub use assumptions::Owners;
pub use awaits::Chains;
pub use bam::orders_by_rmw;
pub use helping::Steps;
pub use overtaken::Values;
pub use symmetry::Twins;

use crate::conclusion::Conclusion;
use crate::explorer::Explorer;
use crate::report::{Config, End, Equivalence, Failure};
use annotations::Annotations;
use assumptions::Assumptions;
use awaits::Awaits;
use bam::Bam;
use confirmation::Confirmation;
use helping::Helping;
use lock_order::LockOrder;
use made_up::MadeUp;
use net_effect::NetEffect;
use outdated::Outdated;
use overtaken::Overtaken;
use publication::Publication;
use selvedge_graph::{EventId, Mode, Tid, Value};
use selvedge_machine::{Again, Machine, Op, Reduction, Rmw};
use selvedge_model::Model;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use swaps::Swaps;
use symmetry::Symmetry;

/// Where conditions are watched that cannot be known before: for each reduction that has one what its workers
/// have seen of it. A reduction whose watch is missing is off.
#[derive(Clone, Debug, Default)]
pub struct Watches {
    /// Of `awaits`.
    pub chains: Option<Arc<Chains>>,
    /// Of `assumptions`.
    pub owners: Option<Arc<Owners>>,
    /// Of `helping`.
    pub steps: Option<Arc<Steps>>,
    /// Of `overtaken`.
    pub values: Option<Arc<Values>>,
    /// Of `symmetry`; models without a clock of their own for it
    /// ([`Model::with_prefix_apart`]) are explored without.
    pub twins: Option<Arc<Twins>>,
}

/// Watches as they are written to files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SavedWatches {
    chains: Option<Vec<u8>>,
    owners: Option<Vec<u8>>,
    steps: Option<Vec<u8>>,
    values: Option<Vec<u8>>,
    twins: Option<(u32, Vec<u8>)>,
}

impl Watches {
    /// Everything is watched, and nothing is known yet.
    pub fn all() -> Watches {
        Watches {
            chains: Some(Arc::default()),
            owners: Some(Arc::default()),
            steps: Some(Arc::default()),
            values: Some(Arc::default()),
            twins: Some(Arc::default()),
        }
    }

    /// The same conditions, of which nothing is known: locations have other numbers.
    pub fn anew(&self) -> Watches {
        Watches {
            chains: self.chains.as_ref().map(|_| Arc::default()),
            owners: self.owners.as_ref().map(|_| Arc::default()),
            steps: self.steps.as_ref().map(|_| Arc::default()),
            values: self.values.as_ref().map(|_| Arc::default()),
            twins: self.twins.as_ref().map(|_| Arc::default()),
        }
    }

    /// The first reduction whose condition does not hold.
    pub fn broken(&self) -> Option<Reduction> {
        let chains = self.chains.as_ref().is_some_and(|chains| chains.broken().is_some());
        let owners = self.owners.as_ref().is_some_and(|owners| owners.broken());
        let steps = self.steps.as_ref().is_some_and(|steps| steps.broken());
        let values = self.values.as_ref().is_some_and(|values| values.broken());
        let twins = self.twins.as_ref().is_some_and(|twins| twins.broken());
        let found = [
            (chains, Reduction::Awaits),
            (owners, Reduction::Assumptions),
            (steps, Reduction::Helping),
            (values, Reduction::Overtaken),
            (twins, Reduction::Symmetry),
        ];
        found.into_iter().find_map(|(broken, reduction)| broken.then_some(reduction))
    }

    /// Explores without a reduction from now on. Returns whether it was watched.
    pub fn leave(&mut self, reduction: Reduction) -> bool {
        match reduction {
            Reduction::Awaits => self.chains.take().is_some(),
            Reduction::Assumptions => self.owners.take().is_some(),
            Reduction::Helping => self.steps.take().is_some(),
            Reduction::Overtaken => self.values.take().is_some(),
            Reduction::Symmetry => self.twins.take().is_some(),
            _ => false,
        }
    }

    pub(crate) fn save(&self) -> SavedWatches {
        SavedWatches {
            chains: self.chains.as_ref().map(|chains| chains.save()),
            owners: self.owners.as_ref().map(|owners| owners.save()),
            steps: self.steps.as_ref().map(|steps| steps.save()),
            values: self.values.as_ref().map(|values| values.save()),
            twins: self.twins.as_ref().map(|twins| twins.save()),
        }
    }

    pub(crate) fn restore(saved: SavedWatches) -> Watches {
        Watches {
            chains: saved.chains.map(|saved| {
                let chains = Chains::default();
                chains.restore(&saved);
                Arc::new(chains)
            }),
            owners: saved.owners.map(|saved| {
                let owners = Owners::default();
                owners.restore(&saved);
                Arc::new(owners)
            }),
            steps: saved.steps.map(|saved| {
                let steps = Steps::default();
                steps.restore(&saved);
                Arc::new(steps)
            }),
            values: saved.values.map(|saved| {
                let values = Values::default();
                values.restore(&saved);
                Arc::new(values)
            }),
            twins: saved.twins.map(|saved| {
                let twins = Twins::default();
                twins.restore(&saved);
                Arc::new(twins)
            }),
        }
    }
}

/// Whether a reduction is wanted. Those that have hooks are all for executions that differ in coherence.
pub(crate) fn reduces(config: &Config, reduction: Reduction) -> bool {
    config.equivalence == Equivalence::Co && config.reductions.has(reduction)
}

/// Where reductions have a say. `x` is at the graph in question. Whoever has nothing to say leaves a hook
/// out.
pub(crate) trait Hooks<M: Machine> {
    // ---- schedule ----

    /// Whether reads that would make their thread wait go last.
    #[inline(always)]
    fn puts_off_waiting(_x: &Explorer<'_, M>) -> bool {
        false
    }

    /// The thread that `t`, which runs from the start, must not get ahead of.
    #[inline(always)]
    fn twin_from_start(_x: &Explorer<'_, M>, _t: Tid) -> Option<Tid> {
        None
    }

    /// The same for a thread that the event `spawn` creates.
    #[inline(always)]
    fn twin_of_spawned(_x: &mut Explorer<'_, M>, _spawn: EventId) -> Option<Tid> {
        None
    }

    // ---- events ----

    /// Thread `t` is about to do `op`.
    #[inline(always)]
    fn before_event(_x: &mut Explorer<'_, M>, _t: Tid, _op: Op) {}

    /// The next event is a load, which may be half of a read-modify-write.
    #[inline(always)]
    fn before_load(_x: &mut Explorer<'_, M>, _rmw: Rmw) {}

    /// The read `e` was added; it knows of the write at this place of coherence, and of none that comes
    /// later.
    #[inline(always)]
    fn before_reading(_x: &mut Explorer<'_, M>, _e: EventId, _floor: usize) {}

    /// The write `w` was added; it may go to so many places of coherence.
    #[inline(always)]
    fn after_store(_x: &mut Explorer<'_, M>, _w: EventId, _places: u32) {}

    /// A thread arrived at a barrier.
    fn after_arrival(_x: &mut Explorer<'_, M>, _e: EventId) {}

    // ---- sources ----

    /// The ordering of the read-modify-write that the load `e` stands for, if it reads from `w`.
    #[inline(always)]
    fn stands_for_rmw(_x: &mut Explorer<'_, M>, _e: EventId, _w: EventId) -> Option<Mode> {
        None
    }

    /// That `e` stands for a read-modify-write of this ordering was made use of.
    fn relies_on_rmw(_x: &mut Explorer<'_, M>, _e: EventId, _mode: Mode) {}

    /// Whether there is more in causal prefixes than what the model puts there.
    #[inline(always)]
    fn adds_to_prefixes(_x: &Explorer<'_, M>) -> bool {
        false
    }

    /// An event that is in the causal prefix of `e`, or will be in that of what it stands for.
    #[inline(always)]
    fn in_prefix_too(_x: &Explorer<'_, M>, _e: EventId) -> Option<EventId> {
        None
    }

    /// Whether `e` need not try to read from `w`.
    #[inline(always)]
    fn skips_source(_x: &mut Explorer<'_, M>, _e: EventId, _w: EventId) -> bool {
        false
    }

    /// The same of a write that is not at the end of coherence. Answers that take a consistent graph are for
    /// `is_useless`.
    #[inline(always)]
    fn skips_old_source(_x: &mut Explorer<'_, M>, _e: EventId, _w: EventId) -> bool {
        false
    }

    /// Whether `u` must not be a read-modify-write that reads from `w`, although it would be.
    #[inline(always)]
    fn refuses_rmw(_x: &Explorer<'_, M>, _u: EventId, _w: EventId) -> bool {
        false
    }

    /// `e` has its source, and its clocks were updated.
    #[inline(always)]
    fn after_reading(_x: &mut Explorer<'_, M>, _e: EventId) {}

    /// Whether nothing comes of a graph in which `e` reads `value` from a write that is not the last one.
    #[inline(always)]
    fn is_useless(_x: &mut Explorer<'_, M>, _e: EventId, _value: Value) -> bool {
        false
    }

    /// Whether nothing comes of the graph at hand, in which `e` reads `value`, be it from the last write.
    #[inline(always)]
    fn comes_to_nothing(_x: &mut Explorer<'_, M>, _e: EventId, _value: Value) -> bool {
        false
    }

    /// The graph in which `e` reads from `w` is entered; whether `w` is at the end of coherence.
    #[inline(always)]
    fn after_source(_x: &mut Explorer<'_, M>, _e: EventId, _w: EventId, _is_last: bool) {}

    /// Whether the thread of `e`, which has read `value`, waits whatever its code says.
    #[inline(always)]
    fn gives_up(_x: &Explorer<'_, M>, _e: EventId, _value: Value) -> bool {
        false
    }

    // ---- revisits ----

    /// Whether `w` need not revisit `r`.
    #[inline(always)]
    fn skips_revisit(_x: &mut Explorer<'_, M>, _r: EventId, _w: EventId) -> bool {
        false
    }

    /// Goes to another graph in place of the one in which `r` reads from `w`; whether it did.
    #[inline(always)]
    fn in_place_of_revisit(_x: &mut Explorer<'_, M>, _r: EventId, _w: EventId) -> bool {
        false
    }

    // ---- the end ----

    /// Whether the graph, to which nothing can be added, is no execution.
    #[inline(always)]
    fn is_held_up(_x: &mut Explorer<'_, M>) -> bool {
        false
    }

    /// What the final graph is, if not an execution; counts it.
    #[inline(always)]
    fn at_end(_x: &mut Explorer<'_, M>) -> Option<Conclusion> {
        None
    }

    /// A condition that was watched was found not to hold.
    #[inline(always)]
    fn is_broken(_x: &Explorer<'_, M>) -> Option<Again> {
        None
    }

    /// The execution at hand, which ends like this, shows that something must not be left out.
    #[inline(always)]
    fn is_noticed(_x: &mut Explorer<'_, M>, _end: End) -> Option<Again> {
        None
    }

    /// The execution at hand was judged to end like this, with what inspection found: whether that may be
    /// due to what was left out.
    #[inline(always)]
    fn is_doubtful(_x: &Explorer<'_, M>, _end: End, _found: Option<&Failure>) -> Option<Again> {
        None
    }
}

/// All reductions that have a say, in the order in which they are asked.
pub(crate) type Reducers = (
    Annotations,
    (Confirmation, (Awaits, (Assumptions, (NetEffect, (Swaps, (Outdated, (Overtaken, Rest))))))),
);

/// Those that only have a say at the end, and those that rename or leave out orders.
type Rest = (Publication, (Helping, (Symmetry, (Bam, (MadeUp, LockOrder)))));

/// What they remember, each its own.
#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) annotations: Annotations,
    pub(crate) confirmation: Confirmation,
    pub(crate) awaits: Awaits,
    pub(crate) assumptions: Assumptions,
    pub(crate) net_effect: NetEffect,
    pub(crate) outdated: Outdated,
    pub(crate) overtaken: Overtaken,
    pub(crate) publication: Publication,
    pub(crate) helping: Helping,
    pub(crate) swaps: Swaps,
    pub(crate) symmetry: Symmetry,
}

impl Remembered {
    pub(crate) fn new<M: Machine>(machine: &M, model: &Model, config: &Config) -> Remembered {
        Remembered {
            annotations: Annotations::new(config),
            confirmation: Confirmation::new(config),
            awaits: Awaits::new(config),
            assumptions: Assumptions::new(machine, config),
            net_effect: NetEffect::default(),
            outdated: Outdated::new(machine, config),
            overtaken: Overtaken::new(machine, model, config),
            publication: Publication::new(machine),
            helping: Helping::new(machine, model, config),
            swaps: Swaps::default(),
            symmetry: Symmetry::new(machine, model, config),
        }
    }
}

/// Asks one reduction, and then the others. Of an answer, the first that has one gives it.
impl<M: Machine, A: Hooks<M>, B: Hooks<M>> Hooks<M> for (A, B) {
    #[inline(always)]
    fn puts_off_waiting(x: &Explorer<'_, M>) -> bool {
        A::puts_off_waiting(x) || B::puts_off_waiting(x)
    }

    #[inline(always)]
    fn twin_from_start(x: &Explorer<'_, M>, t: Tid) -> Option<Tid> {
        A::twin_from_start(x, t).or_else(|| B::twin_from_start(x, t))
    }

    #[inline(always)]
    fn twin_of_spawned(x: &mut Explorer<'_, M>, spawn: EventId) -> Option<Tid> {
        A::twin_of_spawned(x, spawn).or_else(|| B::twin_of_spawned(x, spawn))
    }

    #[inline(always)]
    fn before_event(x: &mut Explorer<'_, M>, t: Tid, op: Op) {
        A::before_event(x, t, op);
        B::before_event(x, t, op);
    }

    #[inline(always)]
    fn before_load(x: &mut Explorer<'_, M>, rmw: Rmw) {
        A::before_load(x, rmw);
        B::before_load(x, rmw);
    }

    #[inline(always)]
    fn before_reading(x: &mut Explorer<'_, M>, e: EventId, floor: usize) {
        A::before_reading(x, e, floor);
        B::before_reading(x, e, floor);
    }

    #[inline(always)]
    fn after_store(x: &mut Explorer<'_, M>, w: EventId, places: u32) {
        A::after_store(x, w, places);
        B::after_store(x, w, places);
    }

    #[inline(always)]
    fn after_arrival(x: &mut Explorer<'_, M>, e: EventId) {
        A::after_arrival(x, e);
        B::after_arrival(x, e);
    }

    #[inline(always)]
    fn stands_for_rmw(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> Option<Mode> {
        A::stands_for_rmw(x, e, w).or_else(|| B::stands_for_rmw(x, e, w))
    }

    #[inline(always)]
    fn relies_on_rmw(x: &mut Explorer<'_, M>, e: EventId, mode: Mode) {
        A::relies_on_rmw(x, e, mode);
        B::relies_on_rmw(x, e, mode);
    }

    #[inline(always)]
    fn adds_to_prefixes(x: &Explorer<'_, M>) -> bool {
        A::adds_to_prefixes(x) || B::adds_to_prefixes(x)
    }

    #[inline(always)]
    fn in_prefix_too(x: &Explorer<'_, M>, e: EventId) -> Option<EventId> {
        A::in_prefix_too(x, e).or_else(|| B::in_prefix_too(x, e))
    }

    #[inline(always)]
    fn skips_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> bool {
        A::skips_source(x, e, w) || B::skips_source(x, e, w)
    }

    #[inline(always)]
    fn skips_old_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> bool {
        A::skips_old_source(x, e, w) || B::skips_old_source(x, e, w)
    }

    #[inline(always)]
    fn refuses_rmw(x: &Explorer<'_, M>, u: EventId, w: EventId) -> bool {
        A::refuses_rmw(x, u, w) || B::refuses_rmw(x, u, w)
    }

    #[inline(always)]
    fn after_reading(x: &mut Explorer<'_, M>, e: EventId) {
        A::after_reading(x, e);
        B::after_reading(x, e);
    }

    #[inline(always)]
    fn is_useless(x: &mut Explorer<'_, M>, e: EventId, value: Value) -> bool {
        A::is_useless(x, e, value) || B::is_useless(x, e, value)
    }

    #[inline(always)]
    fn comes_to_nothing(x: &mut Explorer<'_, M>, e: EventId, value: Value) -> bool {
        A::comes_to_nothing(x, e, value) || B::comes_to_nothing(x, e, value)
    }

    #[inline(always)]
    fn after_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId, is_last: bool) {
        A::after_source(x, e, w, is_last);
        B::after_source(x, e, w, is_last);
    }

    #[inline(always)]
    fn gives_up(x: &Explorer<'_, M>, e: EventId, value: Value) -> bool {
        A::gives_up(x, e, value) || B::gives_up(x, e, value)
    }

    #[inline(always)]
    fn skips_revisit(x: &mut Explorer<'_, M>, r: EventId, w: EventId) -> bool {
        A::skips_revisit(x, r, w) || B::skips_revisit(x, r, w)
    }

    #[inline(always)]
    fn in_place_of_revisit(x: &mut Explorer<'_, M>, r: EventId, w: EventId) -> bool {
        A::in_place_of_revisit(x, r, w) || B::in_place_of_revisit(x, r, w)
    }

    #[inline(always)]
    fn is_held_up(x: &mut Explorer<'_, M>) -> bool {
        A::is_held_up(x) || B::is_held_up(x)
    }

    #[inline(always)]
    fn at_end(x: &mut Explorer<'_, M>) -> Option<Conclusion> {
        A::at_end(x).or_else(|| B::at_end(x))
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        A::is_broken(x).or_else(|| B::is_broken(x))
    }

    #[inline(always)]
    fn is_noticed(x: &mut Explorer<'_, M>, end: End) -> Option<Again> {
        A::is_noticed(x, end).or_else(|| B::is_noticed(x, end))
    }

    #[inline(always)]
    fn is_doubtful(x: &Explorer<'_, M>, end: End, found: Option<&Failure>) -> Option<Again> {
        A::is_doubtful(x, end, found).or_else(|| B::is_doubtful(x, end, found))
    }
}
