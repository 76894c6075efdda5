//! For tests: one explorer that gives away what it can whenever it can, and takes it on later.

use crate::explorer::Pause;
use crate::follow::Revisiting;
use crate::path::Unit;
use crate::report::{Config, Execution, ExploreError, Stats};
use crate::team::{Clocks, Crew, Worker};
use crate::way::Way;
use selvedge_machine::Machine;
use selvedge_model::Model;
use selvedge_model::relational::Relational;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Explores everything, in units. Asks `divide` what to do whenever the explorer goes back.
pub fn explore_in_units<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    divide: &mut dyn FnMut() -> Division,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
) -> Result<Stats, ExploreError> {
    in_units(&Clocks(model), machine, config, divide, visit)
}

/// The same by revisits that follow dependencies; `None` if they cannot be used.
pub fn follow_in_units<M: Machine>(
    machine: &M,
    model: &Relational,
    config: &Config,
    divide: &mut dyn FnMut() -> Division,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
) -> Result<Option<Stats>, ExploreError> {
    match Way::of(machine, model, config) {
        Way::Revisits(local) => {
            in_units(&Revisiting { model, local }, machine, config, divide, visit).map(Some)
        }
        Way::PutOff(_) => Ok(None),
    }
}

fn in_units<C: Crew, M: Machine>(
    crew: &C,
    machine: &M,
    config: &Config,
    divide: &mut dyn FnMut() -> Division,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
) -> Result<Stats, ExploreError> {
    let calls = AtomicBool::new(true);
    let mut all = Stats::default();
    let mut units = VecDeque::from([Unit::root()]);
    while let Some(unit) = units.pop_front() {
        // Through its text, as in a file.
        let unit = unit.to_string().parse().map_err(|_| ExploreError::NoSuchPath)?;
        let mut explorer = crew.hire(machine, config, &calls, None)?;
        let mut more = explorer.take_on(&unit)?;
        while more && explorer.run(visit)? == Pause::Called {
            match divide() {
                Division::None => {}
                Division::Split => units.extend(explorer.split()),
                Division::Leave => {
                    units.push_back(explorer.rest());
                    more = false;
                }
            }
        }
        all.add(explorer.stats());
    }
    Ok(all)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    None,
    /// Gives away the oldest alternatives.
    Split,
    /// Goes away and leaves all that is left.
    Leave,
}
