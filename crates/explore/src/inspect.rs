//! What can be wrong with one event: races, objects that are not alive, memory that was never written.

use crate::report::Failure;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc};
use selvedge_machine::Machine;
use selvedge_model::Model;

/// Looks at an event that was just added, or whose source just changed.
pub fn inspect<M: Machine>(
    machine: &M,
    model: &Model,
    g: &ExecutionGraph,
    e: EventId,
    races: bool,
) -> Option<Failure> {
    let ev = g.event(e);
    let failure = |kind, other| Some(Failure { kind, event: e, other });
    match ev.kind {
        Kind::Read | Kind::Write => {
            if let Some(object) = machine.object(ev.loc) {
                // Others learn of an object through synchronisation, not through time.
                match g.alloc_of(object) {
                    Some(alloc) if model.sees(g, e, alloc) => {}
                    alloc => return failure("unpublished-object", alloc),
                }
                if let Some(free) = g.free_of(object) {
                    return failure(dead(machine, object), Some(free));
                }
            }
            if ev.kind == Kind::Read && g.rf(e) == Some(EventId::INIT) && !machine.is_initialised(ev.loc) {
                return failure("uninitialised-read", None);
            }
            // A model's warnings are not errors of the program.
            let race = model.race_at(g, e).filter(|race| races && !race.warning)?;
            failure("data-race", Some(race.first))
        }
        Kind::Free => {
            let object = ev.value as u32;
            match g.alloc_of(object) {
                Some(alloc) if model.sees(g, e, alloc) => {}
                alloc => return failure("unpublished-object", alloc),
            }
            if let Some(first) = g.free_of(object).filter(|&f| f != e) {
                return failure("double-free", Some(first));
            }
            let unordered = g.locations_of(object).iter().find_map(|&loc| unseen_access(model, g, loc, e));
            unordered.and_then(|x| failure(dead(machine, object), Some(x)))
        }
        _ => None,
    }
}

fn dead<M: Machine>(machine: &M, object: u32) -> &'static str {
    if machine.is_local(object) { "dead-stack" } else { "use-after-free" }
}

/// An access of `loc` that `e` does not come after.
fn unseen_access(model: &Model, g: &ExecutionGraph, loc: Loc, e: EventId) -> Option<EventId> {
    let mut accesses = g.co(loc).iter().flat_map(|&w| std::iter::once(w).chain(g.readers(w, loc)));
    accesses.find(|&x| !x.is_init() && !model.sees(g, e, x))
}
