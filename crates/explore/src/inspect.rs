//! What can be wrong with one event: races, objects that are not alive, memory that was never written.

use crate::report::Failure;
use crate::still_inside::still_inside;
use selvedge_graph::{Attrs, EventId, ExecutionGraph, Kind, Loc};
use selvedge_machine::{ErrorKind, Machine};
use selvedge_model::{Model, ModelError};

/// Looks at an event that was just added, or whose source just changed.
#[inline]
pub fn inspect<M: Machine>(
    machine: &M,
    model: &Model,
    g: &ExecutionGraph,
    e: EventId,
    races: bool,
) -> Option<Failure> {
    // Most are accesses that nothing can be wrong with.
    let ev = g.event(e);
    let is_access = matches!(ev.kind, Kind::Read | Kind::Write);
    if is_access && is_harmless(machine, model, g, ev.loc, ev.attrs) {
        return None;
    }
    inspect_closely(machine, model, g, e, races)
}

/// Whether nothing can be wrong with an access of this location that has these attributes, whatever there is
/// in the graph.
#[inline]
pub fn is_harmless<M: Machine>(
    machine: &M,
    model: &Model,
    g: &ExecutionGraph,
    loc: Loc,
    attrs: Attrs,
) -> bool {
    g.object_of(loc).is_none()
        && !machine.has_local_objects()
        && !machine.has_final_writes()
        && !model.may_race_at(g, loc, attrs)
}

#[inline(never)]
fn inspect_closely<M: Machine>(
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
            if let Some(object) = g.object_of(ev.loc) {
                // Others learn of an object through synchronisation, not through time.
                match g.alloc_of(object) {
                    Some(alloc) if model.knows(g, e, alloc) => {}
                    None if !machine.is_allocated(object) => {}
                    alloc => return failure(ErrorKind::UnpublishedObject, alloc),
                }
                if let Some(free) = g.free_of(object) {
                    return failure(dead(machine, object), Some(free));
                }
            }
            if machine.has_local_objects()
                && let Some(claim) = claimed(machine, g, e)
            {
                return failure(ErrorKind::NotLocal, Some(claim));
            }
            if ev.kind == Kind::Write
                && machine.has_final_writes()
                && let Some((over, last)) = overwritten(g, ev.loc)
            {
                return Some(Failure { kind: ErrorKind::NotFinal, event: over, other: Some(last) });
            }
            let found = if races { model.race_at_latest(g, e) } else { None };
            race(found, e, races)
        }
        Kind::Free => {
            let object = ev.value as u32;
            match g.alloc_of(object) {
                Some(alloc) if model.knows(g, e, alloc) => {}
                None if !machine.is_allocated(object) => {}
                alloc => return failure(ErrorKind::UnpublishedObject, alloc),
            }
            if let Some(first) = g.free_of(object).filter(|&f| f != e) {
                return failure(ErrorKind::DoubleFree, Some(first));
            }
            let unordered = g.locations_of(object).iter().find_map(|&loc| unseen_access(model, g, loc, e));
            if let Some(x) = unordered {
                return failure(dead(machine, object), Some(x));
            }
            let x = still_inside(machine, g, object, |x| model.knows(g, e, x))?;
            Some(Failure { kind: dead(machine, object), event: x, other: Some(e) })
        }
        Kind::Join | Kind::Detach => {
            let first = g.claim_of(ev.peer).filter(|&first| first != e)?;
            failure(ErrorKind::InvalidJoin, Some(first))
        }
        Kind::Local => {
            let object = ev.value as u32;
            let others = (0..g.locations() as u32).map(Loc).filter(|&loc| machine.whole(loc) == object);
            let mut accesses = others.flat_map(|loc| accesses(g, loc));
            let x = accesses.find(|&x| g.event(x).tid != ev.tid && !model.knows(g, e, x))?;
            Some(Failure { kind: ErrorKind::NotLocal, event: x, other: Some(e) })
        }
        _ => None,
    }
}

/// A model's warnings are not errors of the program.
fn race(race: Option<ModelError>, e: EventId, races: bool) -> Option<Failure> {
    let race = race.filter(|race| races && !race.warning)?;
    Some(Failure { kind: kind_of(&race), event: e, other: Some(race.first) })
}

/// What an error of a model is called. Races have a name that does not depend on the model; others have their
/// own, which the model is asked for.
pub fn kind_of(error: &ModelError) -> ErrorKind {
    if error.name == "RaceNotAtomic" { ErrorKind::DataRace } else { ErrorKind::OfModel }
}

/// What is wrong in a final graph of a program whose errors are not looked for on the way: every event is
/// looked at as if it had come last.
pub fn inspect_at_end<M: Machine>(
    machine: &M,
    model: &Model,
    g: &ExecutionGraph,
    races: bool,
) -> Vec<Failure> {
    let wrong = |e: EventId| {
        let ev = g.event(e);
        let failure = |kind, other| Some(Failure { kind, event: e, other });
        match ev.kind {
            Kind::Read | Kind::Write => {
                if let Some(object) = g.object_of(ev.loc) {
                    match g.alloc_of(object) {
                        Some(alloc) if model.knows(g, e, alloc) => {}
                        alloc => return failure(ErrorKind::UnpublishedObject, alloc),
                    }
                    if let Some(free) = g.free_of(object).filter(|&free| !model.knows(g, free, e)) {
                        return failure(dead(machine, object), Some(free));
                    }
                }
                if let Some((over, last)) = overwritten(g, ev.loc).filter(|(over, _)| *over == e) {
                    return Some(Failure { kind: ErrorKind::NotFinal, event: over, other: Some(last) });
                }
                race(model.race_at(g, e), e, races)
            }
            // The accesses above are compared with it.
            Kind::Free => match (g.alloc_of(ev.value as u32), g.free_of(ev.value as u32)) {
                (Some(alloc), _) if !model.knows(g, e, alloc) => {
                    failure(ErrorKind::UnpublishedObject, Some(alloc))
                }
                (None, _) => failure(ErrorKind::UnpublishedObject, None),
                (_, first) => {
                    first.filter(|&f| f != e).and_then(|first| failure(ErrorKind::DoubleFree, Some(first)))
                }
            },
            _ => inspect_closely(machine, model, g, e, races),
        }
    };
    g.order()[1..].iter().filter_map(|&e| wrong(e)).collect()
}

fn dead<M: Machine>(machine: &M, object: u32) -> ErrorKind {
    if machine.is_local(object) { ErrorKind::DeadStack } else { ErrorKind::UseAfterFree }
}

/// Where another thread has said that what `e` accesses is used by it alone. It cannot come after `e`: it
/// was there first.
fn claimed<M: Machine>(machine: &M, g: &ExecutionGraph, e: EventId) -> Option<EventId> {
    let ev = g.event(e);
    let object = machine.whole(ev.loc);
    let claims = |x: EventId| {
        let other = g.event(x);
        other.kind == Kind::Local && other.tid != ev.tid && other.value as u32 == object
    };
    g.order().iter().copied().find(|&x| claims(x))
}

/// A write of `loc` that comes after one that is said to be the last, and that one.
fn overwritten(g: &ExecutionGraph, loc: Loc) -> Option<(EventId, EventId)> {
    let co = g.co(loc);
    let at = co.iter().position(|&w| g.event(w).attrs.has(Attrs::FINAL))?;
    co.get(at + 1).map(|&over| (over, co[at]))
}

/// All reads and writes of `loc`.
pub(crate) fn accesses(g: &ExecutionGraph, loc: Loc) -> impl Iterator<Item = EventId> {
    let all = g.co(loc).iter().flat_map(move |&w| std::iter::once(w).chain(g.readers(w, loc)));
    all.filter(|x| !x.is_init())
}

/// An access of `loc` that `e` does not come after.
fn unseen_access(model: &Model, g: &ExecutionGraph, loc: Loc, e: EventId) -> Option<EventId> {
    accesses(g, loc).find(|&x| !model.knows(g, e, x))
}
