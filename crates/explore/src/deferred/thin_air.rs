//! Whether reads that wait for each other's values could be satisfied all the same.
//!
//! Where an execution in the making cannot go on, its deferred reads wait for writes that depend on them. An
//! execution in which they read from these has a cycle in `addr | data | ctrl | rf`. Whether the model
//! forbids it can be seen without knowing the values: sources are assumed, and the model is asked about the
//! part that is there. A write that depends on such a read by control is not even there; in its place stands
//! one of which nothing is assumed but that it comes at the end of its thread and depends on what the thread
//! waits for.
//!
//! Most models forbid such cycles as such, in whatever program: [`is_ruled_out`] asks what is known of the
//! model first.

use super::has_ended;
use super::judge::{self, Assumed, AssumedWrite, By};
use super::partial::{Ev, INIT, Partial, Source};
use selvedge_graph::{Attrs, DepSet, Kind, Tid};
use selvedge_machine::{Machine, Op};
use selvedge_model::relational::{Candidate, Progress, Relational, ThinAir, Workspace};

/// Whether what is known of the model says that nothing can come of this.
///
/// Reads wait for writes whose values (`data`, or `rmw`) or addresses (`addr`) are not known, or that threads
/// have not come to because of branches (`ctrl`) or addresses (`addr ; po`) that are not known; and what a
/// compare-and-swap gives its thread is not known before what it expects is (`casdep`). So there is a cycle
/// of these and `rf`. A thread that is at its end, whatever comes of its reads, writes nothing more, even if
/// it may turn out to have failed before. Where a thread is stuck for another reason, as a division by what
/// is not known, no dependency says so.
pub fn is_ruled_out<S: Clone>(model: &Relational, p: &Partial<S>) -> bool {
    let known = model.causality();
    match known.thin_air {
        ThinAir::Open => false,
        ThinAir::Forbidden => !known.c_only && all_is_told(p),
        ThinAir::ByRmws => !known.c_only && all_is_told(p) && !waits_by_rmw(p),
    }
}

/// Whether dependencies tell why threads do not go on.
fn all_is_told<S: Clone>(p: &Partial<S>) -> bool {
    p.lines.iter().enumerate().all(|(t, line)| {
        let (tid, Some(standing)) = (Tid(t as u16), &line.standing) else { return true };
        p.is_certain(tid, standing)
            || matches!(standing.op, Op::End)
            || !p.are_known(tid, standing.deps.path())
            || !p.are_known(tid, &standing.deps.addr)
    })
}

/// Whether a read waits that may read what its own thread's read-modify-write is to write, or a
/// compare-and-swap that expects something that is not known.
fn waits_by_rmw<S: Clone>(p: &Partial<S>) -> bool {
    p.lines.iter().any(|line| {
        let unknown = |&e: &Ev| p.at(e).is_rmw_write() && p.at(e).value.is_none();
        let may_be =
            |w: Ev, r: Ev| p.at(w).loc.is_none() || p.at(r).loc.is_none() || p.at(w).loc == p.at(r).loc;
        line.events.iter().enumerate().any(|(at, &e)| {
            let h = p.at(e);
            let expects = h.is_read() && !p.are_known(h.tid, &h.standing.deps.cas);
            let forwards = h.is_read()
                && !matches!(h.source, Source::From(w) if w == INIT || p.at(w).value.is_some())
                && line.events[..at].iter().filter(|w| unknown(w)).any(|&w| may_be(w, e));
            expects || forwards
        })
    })
}

/// `None` if it was told to stop.
pub fn is_possible<M: Machine>(
    machine: &M,
    model: &Relational,
    p: &Partial<M::State>,
    c: &mut Candidate,
    space: &mut Workspace,
    stop: &dyn Fn() -> bool,
) -> Option<bool> {
    let numbers = judge::numbers(p, true);
    let is_waiting =
        |&e: &Ev| p.at(e).is_read() && p.at(e).source == Source::Deferred && numbers[e].is_some();
    let waiting: Vec<Ev> = p.events().filter(is_waiting).collect();
    let stuck = stuck_threads(p);
    let mut assumed = Assumed::default();
    let first_assumed = numbers.iter().flatten().count();
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for &r in &waiting {
        let fits = |&w: &Ev| {
            let h = p.at(w);
            h.is_write() && (h.loc.is_none() || (h.loc == p.at(r).loc && h.value.is_none()))
        };
        let mut sources: Vec<usize> = p.events().filter(fits).filter_map(|w| numbers[w]).collect();
        for write in &stuck {
            if may_create(machine, p, write.thread) {
                let by = By::Created { told: model.creates_in_chains() };
                for attrs in all_writes(machine) {
                    sources.push(first_assumed + 2 * assumed.writes.len() + 1);
                    assumed.writes.push(AssumedWrite { by, attrs, ..write.clone() });
                }
            }
            for attrs in writes_to_come(machine, p, write.thread, r) {
                // Whatever the access is whose address is not known, it reads or it writes.
                let kinds: &[Attrs] =
                    if write.addr.is_empty() { &[Attrs::NONE] } else { &[Attrs::R, Attrs::W] };
                for &access in kinds {
                    sources.push(first_assumed + 2 * assumed.writes.len() + 1);
                    assumed.writes.push(AssumedWrite { attrs, access, ..write.clone() });
                }
            }
        }
        choices.push(sources);
    }
    if choices.is_empty() || choices.iter().any(Vec::is_empty) {
        return Some(false); // somebody waits for nothing at all
    }
    let mut at = vec![0; choices.len()];
    for tried in 0u64.. {
        if tried % 64 == 0 && stop() {
            return None;
        }
        let pairs = waiting.iter().zip(&choices).zip(&at);
        assumed.rf = pairs.map(|((&r, from), &i)| (from[i], r)).collect();
        let has_one_location = |(w, r): &(usize, Ev)| {
            assumed.rf.iter().all(|(v, other)| v != w || p.at(*r).loc == p.at(*other).loc)
        };
        if assumed.rf.iter().all(has_one_location) {
            judge::show(p, &numbers, &assumed, c);
            if model.admits(c, Progress::Assumed, space) {
                return Some(true);
            }
        }
        let Some(next) = (0..at.len()).find(|&i| at[i] + 1 < choices[i].len()) else { return Some(false) };
        at[next] += 1;
        at[..next].fill(0);
    }
    Some(false)
}

/// The kinds of writes that a thread may still come to and `r` may read from.
fn writes_to_come<M: Machine>(
    machine: &M,
    p: &Partial<M::State>,
    thread: usize,
    r: Ev,
) -> Vec<Option<Attrs>> {
    match (p.at(r).loc, goes_on_from(p, thread)) {
        (Some(loc), Some(state)) => match machine.stores_to_come(state, loc) {
            Some(stores) => {
                stores.iter().map(|&(mode, rmw)| Some(Attrs::of(Kind::Write, mode, rmw))).collect()
            }
            None => vec![None],
        },
        _ => vec![None],
    }
}

/// The kinds of writes that there may be in the program.
fn all_writes<M: Machine>(machine: &M) -> Vec<Option<Attrs>> {
    let Some(classes) = machine.event_classes() else { return vec![None] };
    let writes = classes.into_attrs().into_iter().filter(|attrs| attrs.has(Attrs::W));
    writes.map(Some).collect()
}

/// The last state of a thread that it is certain to come to, if there is one: where it waits to join another
/// one, or its last event.
fn goes_on_from<S: Clone>(p: &Partial<S>, thread: usize) -> Option<&S> {
    let line = &p.lines[thread];
    match (&line.standing, line.events.last()) {
        (Some(standing), _) if p.is_certain(Tid(thread as u16), standing) => Some(&standing.state),
        (_, Some(&last)) => Some(&p.at(last).standing.state),
        _ => None,
    }
}

/// Whether a thread may still create one that is not there. What that one writes depends on what its creation
/// depends on.
fn may_create<M: Machine>(machine: &M, p: &Partial<M::State>, thread: usize) -> bool {
    p.lines.iter().any(|line| line.standing.is_none() && line.events.is_empty())
        && goes_on_from(p, thread).is_none_or(|state| machine.may_spawn(state))
}

/// A write in each thread of which it is not certain how it goes on, by itself or because it joins another
/// one.
fn stuck_threads<S: Clone>(p: &Partial<S>) -> Vec<AssumedWrite> {
    let mut stuck = Vec::new();
    for (t, line) in p.lines.iter().enumerate() {
        let Some(standing) = &line.standing else { continue };
        let joins = matches!(standing.op, Op::Join { thread } if !has_ended(p, thread));
        if p.is_certain(Tid(t as u16), standing) && !joins {
            continue;
        }
        let unknown = |set: &DepSet| {
            let all = set.iter().map(|i| line.events[i as usize - 1]);
            all.filter(|&e| !p.is_known(e)).collect::<Vec<Ev>>()
        };
        let (ctrl, addr) = (unknown(standing.deps.path()), unknown(&standing.deps.addr));
        stuck.push(AssumedWrite { thread: t, by: By::Itself, ctrl, addr, access: Attrs::NONE, attrs: None });
    }
    stuck
}
