//! Whether reads that wait for each other's values could be satisfied all the same.
//!
//! Where an execution in the making cannot go on, its deferred reads wait for writes that depend on them.
//! An execution in which they read from these has a cycle in `addr | data | ctrl | rf`. Whether the model
//! forbids it can be seen without knowing the values: sources are assumed, and the model is asked about the
//! part that is there. A write that depends on such a read by control is not even there; in its place stands
//! one of which nothing is assumed but that it comes at the end of its thread and depends on what the thread
//! waits for.

use super::judge::{self, Assumed, AssumedWrite};
use super::partial::{Ev, Partial, Source};
use selvedge_graph::{DepSet, Tid};
use selvedge_machine::Machine;
use selvedge_model::relational::{Candidate, Progress, Relational, Workspace};

pub fn is_possible<M: Machine>(
    machine: &M,
    model: &Relational,
    p: &Partial<M::State>,
    c: &mut Candidate,
    space: &mut Workspace,
) -> bool {
    let numbers = judge::numbers(p, true);
    let is_waiting =
        |&e: &Ev| p.at(e).is_read() && p.at(e).source == Source::Deferred && numbers[e].is_some();
    let waiting: Vec<Ev> = p.events().filter(is_waiting).collect();
    let stuck = stuck_threads(p);
    let mut assumed = Assumed::default();
    for write in &stuck {
        // One for each read: they need not be the same.
        assumed.writes.extend(std::iter::repeat_n(write.clone(), waiting.len()));
    }
    let first_assumed = numbers.iter().flatten().count();
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for (number, &r) in waiting.iter().enumerate() {
        let fits = |&w: &Ev| {
            let h = p.at(w);
            h.is_write() && (h.loc.is_none() || (h.loc == p.at(r).loc && h.value.is_none()))
        };
        let mut sources: Vec<usize> = p.events().filter(fits).filter_map(|w| numbers[w]).collect();
        let may_write = |&i: &usize| {
            let last = p.lines[stuck[i].thread].events.last();
            let loc = p.at(r).loc;
            last.zip(loc).is_none_or(|(&e, loc)| machine.may_write(&p.at(e).standing.state, loc))
        };
        let own = (0..stuck.len()).filter(may_write).map(|i| i * waiting.len() + number);
        sources.extend(own.map(|at| first_assumed + 2 * at + 1));
        choices.push(sources);
    }
    if choices.is_empty() || choices.iter().any(Vec::is_empty) {
        return false; // somebody waits for nothing at all
    }
    let mut at = vec![0; choices.len()];
    loop {
        let pairs = waiting.iter().zip(&choices).zip(&at);
        assumed.rf = pairs.map(|((&r, from), &i)| (from[i], r)).collect();
        let has_one_location = |(w, r): &(usize, Ev)| {
            assumed.rf.iter().all(|(v, other)| v != w || p.at(*r).loc == p.at(*other).loc)
        };
        if assumed.rf.iter().all(has_one_location) {
            judge::show(p, &numbers, &assumed, c);
            if model.admits(c, Progress::Assumed, space) {
                return true;
            }
        }
        let Some(next) = (0..at.len()).find(|&i| at[i] + 1 < choices[i].len()) else { return false };
        at[next] += 1;
        at[..next].fill(0);
    }
}

/// A write in each thread of which it is not certain how it goes on.
fn stuck_threads<S: Clone>(p: &Partial<S>) -> Vec<AssumedWrite> {
    let mut stuck = Vec::new();
    for (t, line) in p.lines.iter().enumerate() {
        let Some(standing) = &line.standing else { continue };
        if p.is_certain(Tid(t as u16), standing) {
            continue;
        }
        let unknown = |set: &DepSet| {
            let all = set.iter().map(|i| line.events[i as usize - 1]);
            all.filter(|&e| !p.is_known(e)).collect::<Vec<Ev>>()
        };
        let (ctrl, addr) = (unknown(&standing.deps.ctrl), unknown(&standing.deps.addr));
        stuck.push(AssumedWrite { thread: t, ctrl, addr });
    }
    stuck
}
