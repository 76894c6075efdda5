//! Iterations that take something and put it back (thesis §7.2.6), and who could notice them.
//!
//! A loop adds to a location, finds that it came too early, takes away what it added, and goes round. The
//! machine leaves such iterations out: what would be taken back is not added (`Rmw::Tentative`), and the
//! thread waits, as after a compare-and-exchange that failed. So the program that is explored has locks where
//! the real one has loops.
//!
//! *Nothing is lost* if nobody can tell. Take an execution of the real program, and leave out all iterations
//! that take back. What read from them now reads from the last write before them in coherence that is still
//! there. In between there were only read-modify-writes, each of which read from the one before; so whatever
//! the read learned through them of that write, it knew before, and neither happens-before nor `rf`, `mo` and
//! `fr`, as far as models use them, have an edge more than paths that were there. The execution is
//! consistent. It is one of the program if all threads do the same as before, although what they read from
//! the location is less by what had been added and not yet taken away when they read it.
//!
//! So at the end of every execution (`Explorer::is_noticed`) all reads of such a location are asked: would
//! the thread do the same if the value were shifted by what any of the other threads may have added at that
//! time? Those are the threads that are not yet through with their loop: their own write is later in
//! coherence than what was read, or they wait. Where all reads that wait have not been explored, because
//! nothing comes of it, it is asked for all values that they could have seen: none of them may end the wait
//! if it is shifted. Plain stores do not add up with what was added, so they must come before the threads in
//! question are created, or after they are joined.
//!
//! If somebody notices, the program is explored again with all iterations.
//!
//! *Premises*: `po ∪ rf` has no cycle, and the model forgets reads and read-modify-writes that nobody sees;
//! the program has no atomic sections. *Watched*: every execution by itself; there is nothing to remember but
//! whether it comes up.

use super::Hooks;
use super::annotations::waits;
use crate::explorer::Explorer;
use crate::report::End;
use selvedge_graph::{EventId, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Again, Machine, Op, Rmw};
use std::collections::BTreeSet;

/// Whether there is anything to ask for.
#[derive(Debug, Default)]
pub(crate) struct NetEffect {
    /// Some read was of the kind `Rmw::Tentative`.
    came_up: bool,
}

impl<M: Machine> Hooks<M> for NetEffect {
    #[inline(always)]
    fn before_load(x: &mut Explorer<'_, M>, rmw: Rmw) {
        x.reducers.net_effect.came_up |= matches!(rmw, Rmw::Tentative { .. });
    }

    #[inline(always)]
    fn is_noticed(x: &mut Explorer<'_, M>, end: End) -> Option<Again> {
        let noticed = x.reducers.net_effect.came_up && end != End::Error && x.is_noticed();
        noticed.then_some(Again::NetEffectNoticed)
    }
}

/// With more sums than this, somebody notices.
const MANY_SUMS: usize = 1024;

/// A thread in a loop that takes something tentatively.
struct Trial {
    thread: Tid,
    /// The last event before the iteration that is there.
    entry: Option<EventId>,
    /// Where its write is in coherence, if it made one.
    through: Option<usize>,
    amount: Value,
}

impl<M: Machine> Explorer<'_, M> {
    /// Whether a read could tell that iterations without net effect were left out, or a store does not go
    /// with them.
    #[cold]
    fn is_noticed(&mut self) -> bool {
        let tentative = |&e: &EventId| self.is_tentative(e).then(|| self.graph.event(e).loc);
        let locations: BTreeSet<Loc> = self.graph.order().iter().filter_map(tentative).collect();
        locations.into_iter().any(|loc| self.is_noticed_at(loc))
    }

    fn is_tentative(&self, e: EventId) -> bool {
        self.graph.event(e).kind == Kind::Read
            && matches!(self.threads.op_of(e), Op::Load { rmw: Rmw::Tentative { .. }, .. })
    }

    fn is_noticed_at(&mut self, loc: Loc) -> bool {
        let trials = self.trials(loc);
        let writes = self.graph.co(loc).to_vec();
        for (at, &w) in writes.iter().enumerate() {
            if !w.is_init()
                && !self.graph.event(w).is_rmw_write()
                && trials.iter().any(|trial| !self.are_apart(w, trial.thread))
            {
                return true;
            }
            let readers: Vec<EventId> = self.graph.readers(w, loc).collect();
            for e in readers {
                if !self.is_indifferent(e, at, w, &trials) {
                    return true;
                }
                for (other, &x) in writes.iter().enumerate().filter(|(other, _)| *other != at) {
                    let value = self.graph.value_of(x, loc);
                    if waits(self.threads.peek(self.machine, e, value))
                        && !self.is_indifferent(e, other, x, &trials)
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn trials(&self, loc: Loc) -> Vec<Trial> {
        let g = &self.graph;
        let all = g.order().iter().copied().filter(|&e| g.event(e).loc == loc && self.is_tentative(e));
        all.map(|read| {
            let thread = g.event(read).tid;
            let mut entry = g.po_pred(read);
            while let Some(before) = entry.filter(|&x| g.event(x).is_read()) {
                entry = g.po_pred(before);
            }
            let write = g.thread(thread).get(g.event(read).idx as usize).copied();
            let through = write.filter(|_| g.event(read).is_rmw_read()).and_then(|w| g.co_pos(w));
            let amount = self.threads.state_of(read).map_or(0, |state| self.machine.amount(state));
            Trial { thread, entry: entry.or_else(|| g.spawn_of(thread)), through, amount }
        })
        .collect()
    }

    /// Whether an access is ordered with all of a thread's attempts by the thread's creation or end, or is
    /// the thread's own.
    pub(super) fn are_apart(&self, w: EventId, other: Tid) -> bool {
        let g = &self.graph;
        let store = g.event(w);
        let mut thread = other;
        loop {
            if thread == store.tid {
                return thread == other;
            }
            let Some(spawn) = g.spawn_of(thread) else { break };
            if g.event(spawn).tid == store.tid && store.idx < g.event(spawn).idx {
                return true;
            }
            thread = g.event(spawn).tid;
            if thread == store.tid {
                break;
            }
        }
        let before = &g.thread(store.tid)[..store.idx as usize];
        before.iter().any(|&x| g.event(x).kind == Kind::Join && g.event(x).peer == other)
    }

    /// Whether `e` leads to the same, reading from `w` at the place `at` of coherence, whatever others have
    /// added there that they take back.
    fn is_indifferent(&self, e: EventId, at: usize, w: EventId, trials: &[Trial]) -> bool {
        let g = &self.graph;
        let ev = g.event(e);
        // Where writes may be seen before earlier reads of their thread are made, `po | rf` says nothing of
        // what was there first.
        let may_overtake = self.model.buffering().is_some();
        let comes_after = |trial: &Trial| {
            !may_overtake
                && trial.entry.is_some_and(|entry| entry == e || self.model.causally_before(g, e, entry))
        };
        let may_overlap = |trial: &&Trial| {
            trial.thread != ev.tid && trial.through.is_none_or(|place| place > at) && !comes_after(trial)
        };
        let open: Vec<&Trial> = trials.iter().filter(may_overlap).collect();
        let Some(sums) = sums(&open) else { return false };
        if sums.is_empty() {
            return true;
        }
        let value = g.value_of(w, ev.loc);
        let Some(state) = self.threads.state_of(e) else { return false };
        ev.mode != Mode::Na && sums.into_iter().all(|sum| self.machine.is_indifferent(state, value, sum))
    }
}

/// What some of the threads may have added together, each at most once; `None` if that is too many.
fn sums(trials: &[&Trial]) -> Option<BTreeSet<Value>> {
    let threads: BTreeSet<Tid> = trials.iter().map(|trial| trial.thread).collect();
    let mut sums = BTreeSet::from([0 as Value]);
    for thread in threads {
        let before = sums.clone();
        for trial in trials.iter().filter(|trial| trial.thread == thread) {
            sums.extend(before.iter().map(|sum| sum.wrapping_add(trial.amount)));
        }
        if sums.len() > MANY_SUMS {
            return None;
        }
    }
    // Together they may also have added nothing; but then it was nothing that they added.
    sums.remove(&0);
    Some(sums)
}
