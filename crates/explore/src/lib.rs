//! TruSt (thesis alg. 5.3 with 6.1, in place as in §6.4): every consistent execution of a program
//! under a model, each exactly once, in memory linear in one execution.
//!
//! The explorer adds events one at a time. A read tries the writes that are there; a write tries its
//! places in coherence, and then *revisits* reads that were added before it. Uniqueness comes from the
//! revisit condition: everything that a revisit deletes must have been added maximally.
//!
//! Models that follow dependencies have their own way, `deferred`.

mod agreement;
mod alternatives;
mod conclusion;
mod deferred;
mod early;
mod engine;
mod estimate;
mod explorer;
mod follow;
mod frame;
mod in_order;
#[doc(hidden)]
pub mod in_units;
mod inserted;
mod inspect;
mod maximal;
mod path;
pub mod premises;
mod process_end;
mod recovery;
mod reductions;
mod report;
mod revisit;
mod rmw;
mod saved;
mod schedule;
mod sections;
mod split;
mod still_inside;
mod stuck;
mod team;
mod thinning;
mod thread_order;
mod threads;
mod tid_set;
mod way;
mod witness;

pub use deferred::Deferred;
pub use engine::{Engine, engine};
pub use estimate::{Estimate, Sampled, Sampling, estimate, scout};
pub use explorer::explore;
pub use path::{FORMAT, NoUnit, Path, Unit};
pub use recovery::{
    Crashes, PostCrash, RecoveryAction, RecoveryEnd, RecoveryStep, RecoveryStop, recover, survives,
};
pub use reductions::{Chains, Owners, Twins, Values, Watches, orders_by_rmw};
pub use report::{
    Config, End, Equivalence, Execution, ExploreError, Failure, GaveUp, Schedule, Stats, Watch,
};
pub use saved::{OtherFormat, Saved};
pub use selvedge_model::ModelError;
pub use team::{Absent, Director, Order, Progress, Snapshot, Team, Visitor};

use selvedge_machine::Machine;
use selvedge_model::Compiled;
use std::ops::ControlFlow;
pub use way::{Way, Why};

/// Explores every execution of `machine` under a model of either kind and shows each to `visit`. Under one
/// that follows dependencies, the machine has to keep track of them.
pub fn explore_compiled<M: Machine>(
    machine: &M,
    model: &Compiled,
    config: &Config,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
) -> Result<Stats, ExploreError> {
    match model {
        Compiled::Clocks(model) => explore(machine, model, config, visit),
        Compiled::Matrices(model) => {
            if let Some(model) = Way::in_order(machine, model, config) {
                return explore(machine, model, config, visit);
            }
            let ask = deferred::by_config(config);
            match Way::of(machine, model, config) {
                Way::Revisits(local) => follow::explore_following(machine, model, &local, config, visit),
                Way::PutOff(why) => {
                    let mut stats = deferred::explore_deferred(machine, model, config, &ask, visit)?;
                    stats.put_off = Some(why);
                    Ok(stats)
                }
            }
        }
    }
}
