//! Whether reads that wait for each other's values could be satisfied all the same.
//!
//! Where an execution in the making cannot go on, its deferred reads wait for writes that depend on them.
//! An execution in which they read from these has a cycle in `addr | data | ctrl | rf`. Whether the model forbids it can be
//! seen without knowing the values: sources are assumed, and the model is asked about the part that is there.
//! A write that depends on such a read by control is not even there; in its place stands one of which
//! nothing is assumed but that it comes at the end of its thread and depends on what the thread waits for.

use super::judge::{self, Assumed};
use super::partial::{Ev, Partial, Source};
use selvedge_model::relational::{Candidate, Progress, Relational, Workspace};

pub fn is_possible<S: Clone>(
    model: &Relational,
    p: &Partial<S>,
    c: &mut Candidate,
    space: &mut Workspace,
) -> bool {
    let numbers = judge::numbers(p, true);
    let mut assumed = Assumed::default();
    for (t, line) in p.lines.iter().enumerate() {
        let Some(standing) = &line.standing else { continue };
        let tid = selvedge_graph::Tid(t as u16);
        if !p.is_certain(tid, standing) {
            let unknown = |&&i: &&u32| !p.is_known(line.events[i as usize - 1]);
            let waits_for = standing.deps.ctrl.iter().filter(unknown);
            assumed.writes.push((t, waits_for.map(|&i| line.events[i as usize - 1]).collect()));
        }
    }
    let first_assumed = numbers.iter().flatten().count();
    let open: Vec<Ev> = p.events().filter(|&e| p.at(e).is_write() && p.at(e).value.is_none()).collect();
    let waiting: Vec<Ev> = p
        .events()
        .filter(|&e| p.at(e).is_read() && p.at(e).source == Source::Deferred && numbers[e].is_some())
        .collect();
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for &r in &waiting {
        let here = open.iter().filter(|&&w| p.at(w).loc.is_none() || p.at(w).loc == p.at(r).loc);
        let mut sources: Vec<usize> = here.filter_map(|&w| numbers[w]).collect();
        sources.extend((0..assumed.writes.len()).map(|at| first_assumed + at));
        choices.push(sources);
    }
    // A read that waits for something else than a value of this kind is of no account here.
    let mut at = vec![0; choices.len()];
    if choices.is_empty() || choices.iter().any(Vec::is_empty) {
        return false;
    }
    loop {
        let pairs = waiting.iter().zip(&choices).zip(&at);
        assumed.rf = pairs.filter_map(|((&r, from), &i)| numbers[r].map(|r| (from[i], r))).collect();
        judge::show(p, &numbers, &assumed, c);
        if model.admits(c, Progress::Partial, space) {
            return true;
        }
        let Some(next) = (0..at.len()).find(|&i| at[i] + 1 < choices[i].len()) else { return false };
        at[next] += 1;
        at[..next].fill(0);
    }
}
