//! Whether an execution that is wrong is still there, and still wrong, with changes made to it.
//!
//! The events, values, reads-from and coherence stay as they are; accesses get their new orderings, and
//! fences come where the program would put them. If the model allows that, then the changed program has this
//! very execution.

use crate::candidate::{Access, Change, Site};
use crate::strength::join;
use selvedge_check::{Recorded, RecordedEvent, Site as Key};
use selvedge_graph::{Attrs, EventId, Kind, Mode};
use selvedge_kat::{Diagnostic, Theory};
use selvedge_model::relational::{Candidate, Matrix, Progress, Relational, Workspace};
use std::collections::HashMap;

/// The initial values.
const INIT: usize = 0;

/// A model that judges single executions.
pub struct Judge {
    model: Relational,
    /// What C calls an error, if the model does not say it itself.
    races: Option<Relational>,
    space: Workspace,
    candidate: Candidate,
}

impl Judge {
    /// `races`: C's races are errors besides what the model calls one.
    pub fn new(theory: &Theory, races: Option<&Theory>) -> Result<Judge, Diagnostic> {
        Ok(Judge {
            model: Relational::compile(theory)?,
            races: races.map(Relational::compile).transpose()?,
            space: Workspace::default(),
            candidate: Candidate::default(),
        })
    }

    /// Whether the model allows the execution with these changes, and it is wrong then. `by_key` says which
    /// site made an event.
    pub fn is_still_wrong(
        &mut self,
        execution: &Recorded,
        sites: &[Site],
        by_key: &HashMap<Key, usize>,
        changes: &[Change],
    ) -> bool {
        show(execution, sites, by_key, changes, &mut self.candidate);
        if !self.model.admits(&self.candidate, Progress::Final, &mut self.space) {
            return false;
        }
        if !execution.by_model {
            return true;
        }
        let ids: Vec<EventId> = (0..self.candidate.attrs.len() as u32).map(EventId).collect();
        let is_error = |model: &Relational, space: &Workspace| {
            model.errors(&ids, space).iter().any(|error| !error.warning)
        };
        match &self.races {
            None => is_error(&self.model, &self.space),
            Some(races) => {
                races.admits(&self.candidate, Progress::Final, &mut self.space)
                    && is_error(races, &self.space)
            }
        }
    }
}

/// The site that made an event, if it is one of the program's own.
fn site_of<'s>(
    event: &RecordedEvent,
    sites: &'s [Site],
    by_key: &HashMap<Key, usize>,
) -> Option<(usize, &'s Site)> {
    let number = *by_key.get(event.site.as_ref()?)?;
    let site = &sites[number];
    let fits = match event.kind {
        Kind::Fence => site.access == Access::Fence,
        // The plain accesses of an instruction that has others, such as what a compare-and-exchange expects.
        Kind::Read | Kind::Write => {
            site.access != Access::Fence && (event.mode != Mode::Na || site.mode == Mode::Na)
        }
        Kind::Choice => site.access != Access::Fence,
        _ => false,
    };
    fits.then_some((number, site))
}

/// The events of a thread with fences added: each is an event that was there, or a fence after so many of
/// them that depends on what that event's branches depend on.
enum Shown {
    Old(usize),
    Fence(Mode, usize),
}

fn show(
    execution: &Recorded,
    sites: &[Site],
    by_key: &HashMap<Key, usize>,
    changes: &[Change],
    c: &mut Candidate,
) {
    let lines: Vec<Vec<Shown>> = execution
        .threads
        .iter()
        .map(|events| {
            let mut line = Vec::with_capacity(events.len());
            for (at, event) in events.iter().enumerate() {
                let change = site_of(event, sites, by_key).map(|(number, _)| &changes[number]);
                if let Some(change) = change.filter(|_| !event.continues) {
                    line.extend(change.before.iter().map(|&mode| Shown::Fence(mode, at)));
                }
                line.push(Shown::Old(at));
                let is_last = events.get(at + 1).is_none_or(|next| !next.continues);
                // A choice alone is an instruction that was not carried out.
                if let Some(change) = change.filter(|_| is_last && event.kind != Kind::Choice) {
                    line.extend(change.after.iter().map(|&mode| Shown::Fence(mode, at)));
                }
            }
            line
        })
        .collect();
    let n = 1 + lines.iter().map(Vec::len).sum::<usize>();
    c.begin(n);
    // Numbers of the events that were there, and where each thread begins and ends.
    let mut numbers: Vec<Vec<usize>> = Vec::with_capacity(lines.len());
    let mut spans: Vec<(usize, usize)> = Vec::with_capacity(lines.len());
    let mut next = 1;
    for (line, events) in lines.iter().zip(&execution.threads) {
        let mut own = vec![0; events.len()];
        for (place, shown) in line.iter().enumerate() {
            if let Shown::Old(at) = shown {
                own[*at] = next + place;
            }
        }
        numbers.push(own);
        spans.push((next, next + line.len()));
        next += line.len();
    }
    for (thread, line) in lines.iter().enumerate() {
        let (first, end) = spans[thread];
        let events = &execution.threads[thread];
        for y in first..end {
            c.int.set(y, y);
            for x in first..y {
                c.po.set(x, y);
                c.int.set(x, y);
                c.int.set(y, x);
            }
            c.po_imm.set(if y == first { INIT } else { y - 1 }, y);
        }
        for (place, shown) in line.iter().enumerate() {
            let y = first + place;
            match *shown {
                Shown::Fence(mode, at) => {
                    c.attrs[y] = Attrs::of(Kind::Fence, mode, false);
                    // Nothing branches between an instruction and the fence beside it.
                    depends(&events[at].deps.ctrl, &mut c.ctrl, &numbers[thread], y);
                    depends(&events[at].deps.arm, &mut c.arm, &numbers[thread], y);
                }
                Shown::Old(at) => {
                    let event = &events[at];
                    c.attrs[y] = attrs_of(event, sites, by_key, changes);
                    let deps = &event.deps;
                    for (of, matrix) in [
                        (&deps.addr, &mut c.addr),
                        (&deps.data, &mut c.data),
                        (&deps.ctrl, &mut c.ctrl),
                        (&deps.arm, &mut c.arm),
                        (&deps.cas, &mut c.casdep),
                        (&deps.publishes, &mut c.publishes),
                    ] {
                        depends(of, matrix, &numbers[thread], y);
                    }
                    if let Some(read) = event.rmw_read {
                        c.rmw.set(numbers[thread][read as usize], y);
                    }
                    match (event.kind, event.peer) {
                        (Kind::Spawn, Some(peer)) => {
                            if let Some(&(start, end)) = spans.get(peer as usize)
                                && start < end
                            {
                                c.tc.set(y, start);
                            }
                        }
                        (Kind::Join, Some(peer)) => {
                            let last = spans.get(peer as usize).filter(|(start, end)| start < end);
                            let from =
                                last.map(|(_, end)| end - 1).or_else(|| spawn_of(execution, &numbers, peer));
                            if let Some(from) = from {
                                c.tj.set(from, y);
                            }
                        }
                        _ => {}
                    }
                    for arrival in &event.round {
                        c.tj.set(numbers[arrival.thread as usize][arrival.index as usize], y);
                    }
                }
            }
        }
    }
    memory(execution, &numbers, c);
}

fn spawn_of(execution: &Recorded, numbers: &[Vec<usize>], peer: u16) -> Option<usize> {
    execution.threads.iter().zip(numbers).find_map(|(events, numbers)| {
        let at = events.iter().position(|e| e.kind == Kind::Spawn && e.peer == Some(peer))?;
        Some(numbers[at])
    })
}

fn depends(of: &selvedge_graph::DepSet, matrix: &mut Matrix, numbers: &[usize], y: usize) {
    of.iter().filter_map(|at| numbers.get(at as usize - 1)).for_each(|&x| matrix.set(x, y));
}

/// What is true of an event with the ordering that its site has now.
fn attrs_of(
    event: &RecordedEvent,
    sites: &[Site],
    by_key: &HashMap<Key, usize>,
    changes: &[Change],
) -> Attrs {
    let Some((number, site)) = site_of(event, sites, by_key) else { return event.attrs };
    if !matches!(event.kind, Kind::Read | Kind::Write) {
        return event.attrs;
    }
    let rmw = event.attrs.meets(Attrs::UR | Attrs::UW);
    let change = &changes[number];
    let failed = site.access == Access::CompareExchange && !rmw;
    let Some(mode) = (if failed { change.failure } else { change.order }) else { return event.attrs };
    let other = event.attrs & Attrs::FINAL;
    Attrs::of(event.kind, join(event.mode, mode), rmw) | other
}

/// Locations, sources, coherence.
fn memory(execution: &Recorded, numbers: &[Vec<usize>], c: &mut Candidate) {
    let all = || {
        let threads = execution.threads.iter().zip(numbers);
        threads.flat_map(|(events, numbers)| events.iter().zip(numbers.iter().copied()))
    };
    let number = |at: &selvedge_check::EventAt| numbers[at.thread as usize][at.index as usize];
    for (event, x) in all() {
        let Some(loc) = event.loc else { continue };
        c.loc.set(INIT, x);
        c.loc.set(x, INIT);
        for (other, y) in all() {
            if other.loc == Some(loc) {
                c.loc.set(x, y);
            }
        }
    }
    let mut place: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut of_loc: HashMap<u32, usize> = HashMap::new();
    for (list, writes) in execution.co.iter().enumerate() {
        for (at, w) in writes.iter().enumerate() {
            let x = number(w);
            place.insert(x, (list, at));
            if let Some(loc) = execution.threads[w.thread as usize][w.index as usize].loc {
                of_loc.insert(loc, list);
            }
            c.co.set(INIT, x);
            writes[at + 1..].iter().for_each(|later| c.co.set(x, number(later)));
        }
    }
    for (event, x) in all() {
        if event.kind != Kind::Read {
            continue;
        }
        let (list, from) = match &event.source {
            Some(w) => {
                c.rf.set(number(w), x);
                match place.get(&number(w)) {
                    Some(&(list, at)) => (Some(list), at + 1),
                    None => (None, 0),
                }
            }
            None => {
                c.rf.set(INIT, x);
                (event.loc.and_then(|loc| of_loc.get(&loc).copied()), 0)
            }
        };
        if let Some(list) = list {
            execution.co[list][from..].iter().for_each(|later| c.fr.set(x, number(later)));
        }
    }
}

/// Leaves events out: `kept` has the new position of each event of each thread that stays.
pub fn retain(execution: &mut Recorded, kept: &[Vec<Option<u32>>]) {
    let moved = |at: &mut selvedge_check::EventAt| {
        if let Some(new) = kept[at.thread as usize][at.index as usize] {
            at.index = new;
        }
    };
    for (thread, events) in execution.threads.iter_mut().enumerate() {
        let numbers = &kept[thread];
        let mut at = 0;
        events.retain_mut(|event| {
            at += 1;
            if numbers[at - 1].is_none() {
                return false;
            }
            if let Some(source) = &mut event.source {
                moved(source);
            }
            if let Some(read) = &mut event.rmw_read {
                *read = numbers[*read as usize].unwrap_or(*read);
            }
            event.round.iter_mut().for_each(moved);
            let sets = [
                &mut event.deps.addr,
                &mut event.deps.data,
                &mut event.deps.ctrl,
                &mut event.deps.arm,
                &mut event.deps.cas,
                &mut event.deps.publishes,
            ];
            for set in sets {
                let mut new = selvedge_graph::DepSet::EMPTY;
                for index in set.iter().filter_map(|index| numbers[index as usize - 1]) {
                    new.insert(index + 1);
                }
                *set = new;
            }
            true
        });
    }
    execution.co.iter_mut().flatten().for_each(moved);
}
