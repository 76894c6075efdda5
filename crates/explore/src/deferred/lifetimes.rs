//! What inspection finds in an execution that is complete: objects that are not alive, threads that are
//! joined twice.
//!
//! What decides is not the model but the language that the program is in: an access comes before the end of
//! its object's life if it happens before it by C's rules (creation and end of threads, release and acquire).

use crate::report::Failure;
use crate::still_inside::still_inside;
use selvedge_graph::{Attrs, EventId, ExecutionGraph, Kind, Tid};
use selvedge_machine::{ErrorKind, Machine};
use selvedge_model::relational::Matrix;

pub fn inspect<M: Machine>(machine: &M, g: &ExecutionGraph) -> Option<Failure> {
    let mut before = None;
    for &e in g.order() {
        let ev = g.event(e);
        let failure = |kind, other| Some(Failure { kind, event: e, other });
        match ev.kind {
            Kind::Join | Kind::Detach => {
                if let Some(first) = g.claim_of(ev.peer).filter(|&first| first != e) {
                    return failure(ErrorKind::InvalidJoin, Some(first));
                }
            }
            Kind::Free => {
                let object = ev.value as u32;
                if let Some(first) = g.free_of(object).filter(|&first| first != e) {
                    return failure(ErrorKind::DoubleFree, Some(first));
                }
                let hb = before.get_or_insert_with(|| happens_before(g));
                let of_object = |x: &EventId| {
                    let other = g.event(*x);
                    matches!(other.kind, Kind::Read | Kind::Write)
                        && machine.object(other.loc) == Some(object)
                };
                let late = |x: &EventId| !hb.has(x.index(), e.index());
                if let Some(x) = g.order().iter().copied().filter(of_object).find(late) {
                    let kind =
                        if machine.is_local(object) { ErrorKind::DeadStack } else { ErrorKind::UseAfterFree };
                    return Some(Failure { kind, event: x, other: Some(e) });
                }
                let inside = still_inside(machine, g, object, |x| hb.has(x.index(), e.index()));
                if let Some(x) = inside {
                    let kind =
                        if machine.is_local(object) { ErrorKind::DeadStack } else { ErrorKind::UseAfterFree };
                    return Some(Failure { kind, event: x, other: Some(e) });
                }
            }
            _ => {}
        }
    }
    None
}

/// As in RC11: program order, creation and end of threads, and what a release write or fence is read by.
fn happens_before(g: &ExecutionGraph) -> Matrix {
    let mut hb = Matrix::empty(g.arena_len());
    let thread = |t: u16| g.thread(Tid(t));
    for t in 0..g.threads() as u16 {
        for pair in thread(t).windows(2) {
            hb.set(pair[0].index(), pair[1].index());
        }
        if let (Some(spawn), Some(first)) = (g.spawn_of(Tid(t)), thread(t).first()) {
            hb.set(spawn.index(), first.index());
        }
    }
    for &e in g.order() {
        let ev = g.event(e);
        match ev.kind {
            Kind::Join => {
                let last = g.thread(ev.peer).last().copied().or(g.spawn_of(ev.peer));
                last.into_iter().for_each(|last| hb.set(last.index(), e.index()));
            }
            Kind::Read => {
                let Some(source) = g.rf(e) else { continue };
                for from in releases(g, source) {
                    acquires(g, e).for_each(|to| hb.set(from.index(), to.index()));
                }
            }
            _ => {}
        }
    }
    hb.close();
    hb
}

/// The events that whoever reads `w` may synchronise with: release writes and fences before a write that `w`
/// continues.
fn releases(g: &ExecutionGraph, w: EventId) -> Vec<EventId> {
    let mut found = Vec::new();
    let mut next = Some(w);
    while let Some(w) = next.filter(|w| !w.is_init()) {
        let ev = g.event(w);
        if ev.attrs.has(Attrs::REL) {
            found.push(w);
        }
        let earlier = &g.thread(ev.tid)[..ev.idx as usize - 1];
        let fence = |x: &&EventId| g.event(**x).kind == Kind::Fence && g.event(**x).attrs.has(Attrs::REL);
        if !ev.attrs.has(Attrs::NA) {
            found.extend(earlier.iter().filter(fence));
        }
        next = g.rmw_read_of(w).and_then(|r| g.rf(r));
    }
    found
}

fn acquires(g: &ExecutionGraph, r: EventId) -> impl Iterator<Item = EventId> {
    let ev = g.event(r);
    let later = &g.thread(ev.tid)[ev.idx as usize..];
    let fence = |x: &EventId| g.event(*x).kind == Kind::Fence && g.event(*x).attrs.has(Attrs::ACQ);
    let own = Some(r).filter(|_| ev.attrs.has(Attrs::ACQ));
    let atomic = !ev.attrs.has(Attrs::NA);
    own.into_iter().chain(later.iter().copied().filter(move |x| atomic && fence(x)))
}
