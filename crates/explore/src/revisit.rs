//! Backward revisits (thesis §5.5): a write makes a read that was added before it read from it.

use crate::agreement::is_first_choice;
use crate::explorer::Explorer;
use crate::frame::{Frame, RevisitFrame};
use crate::reductions::{Hooks, Reducers};
use crate::report::Equivalence;
use crate::threads::Standing;
use crate::witness;
use selvedge_graph::{EventId, Kind};
use selvedge_machine::Machine;

impl<M: Machine> Explorer<'_, M> {
    /// Whether all events from `x` on that are not in the causal prefix of `w` were added maximally.
    pub(crate) fn maximally_added_since(&mut self, x: EventId, w: EventId) -> bool {
        let (from, to) = (self.graph.event(x).stamp as usize, self.graph.event(w).stamp as usize);
        (from..to).rev().all(|at| {
            let y = self.graph.order()[at];
            self.model.in_prefix(&self.graph, y, w) || self.maximally_added(y, w)
        })
    }

    /// The smallest stamp below `scan` of a read that `w` may revisit, if there may be one. A read of the
    /// location that was not added maximally is not revisited, nor is what was added before it. If that is
    /// the latest one, nothing else has to be looked at.
    #[inline]
    pub(crate) fn first_revisitable(&self, w: EventId, scan: u32) -> Option<u32> {
        let (first, latest) = self.model.revisitable(&self.graph, w, scan)?;
        let (g, past) = (&self.graph, self.model.past(&self.graph, w));
        let may =
            self.config.equivalence == Equivalence::Rf || self.is_maximal(latest, |y| past.has(g.event(y)));
        may.then_some(first)
    }

    /// Goes to the next read that `w` revisits, from the latest one down to the one at `first`.
    pub(crate) fn next_revisit(&mut self, w: EventId, scan: u32, first: u32) -> bool {
        let mut scan = scan;
        while let Some(at) = self.latest_revisitable(w, scan, first) {
            scan = at;
            let x = self.graph.order()[at as usize];
            if Reducers::skips_revisit(self, x, w) {
                continue;
            }
            self.frames.push(Frame::Revisit { e: w, scan, first });
            if Reducers::in_place_of_revisit(self, x, w) || self.revisit(x, w) {
                return true;
            }
            self.frames.pop();
        }
        self.remove(w)
    }

    /// Where the latest read is that `w` may revisit, below `scan` and not below `first`. Whether an event
    /// was added maximally does not depend on the read in question, so the first one that was not ends it
    /// all.
    fn latest_revisitable(&mut self, w: EventId, scan: u32, first: u32) -> Option<u32> {
        let loc = self.graph.event(w).loc;
        if self.config.equivalence == Equivalence::Rf {
            for at in (first..scan).rev() {
                let x = self.graph.order()[at as usize];
                if self.model.in_prefix(&self.graph, x, w) {
                    continue;
                }
                if !self.maximally_added(x, w) {
                    return None;
                }
                let ev = self.graph.event(x);
                if ev.is_read() && ev.loc == loc {
                    return Some(at);
                }
            }
            return None;
        }
        let (g, past) = (&self.graph, self.model.past(&self.graph, w));
        for at in (first..scan).rev() {
            let x = g.order()[at as usize];
            let ev = g.event(x);
            if past.has(ev) {
                continue;
            }
            if !self.is_maximal(x, |y| past.has(g.event(y))) {
                return None;
            }
            if ev.is_read() && ev.loc == loc {
                return Some(at);
            }
        }
        None
    }

    pub(crate) fn maximally_added(&mut self, e: EventId, w: EventId) -> bool {
        let (model, g) = (self.model, &self.graph);
        let past = model.past(g, w);
        let in_prefix = |x: EventId| match self.config.equivalence {
            Equivalence::Co => past.has(g.event(x)),
            Equivalence::Rf => model.in_prefix(g, x, w),
        };
        let first = |x: EventId| is_first_choice(self.machine, &self.threads, g, x, in_prefix);
        match self.config.equivalence {
            Equivalence::Co => self.is_maximal(e, in_prefix),
            Equivalence::Rf => witness::maximally_added(model, g, e, w, &mut self.scratch, first),
        }
    }

    /// Cuts the graph so that `r` reads from `w`, and tries the places of `w`.
    fn revisit(&mut self, r: EventId, w: EventId) -> bool {
        let saved = self.saved.len() as u32;
        self.model.prefix(&self.graph, w, &mut self.prefix);
        self.rewind_threads(r);
        let before = self.graph.mark();
        let read = self.graph.revisit(r, w, &self.lost);
        self.threads.record_copy(r);
        self.set_deps(read);
        let (known, _) = self.model.floor_before_reading(&mut self.graph, read);

        let mark = self.graph.mark();
        let rmw = self.graph.event(w).is_rmw_write();
        let (next, floor) = self.places(w, rmw);
        let floor = if self.trusts_floors() { floor.max(known as u32) } else { floor };
        self.next_revisited(RevisitFrame { read, write: w, before, mark, next, floor, saved, seen: u64::MAX })
    }

    /// Finds the events that are lost if all from `r` on go that are not in the causal prefix at hand.
    /// Threads that lose events go back to before the first one; those that lose their creation, too, are
    /// gone. Remembers how they were.
    pub(crate) fn rewind_threads(&mut self, r: EventId) {
        let base = self.saved.len();
        self.graph.beyond(r, &self.prefix, &mut self.lost);
        let from = self.graph.event(r).stamp;
        for at in 0..self.lost.len() {
            let e = self.lost[at];
            let ev = self.graph.event(e);
            // The first one that the thread loses, unless it loses its creation as well.
            let (tid, kind, peer) = (ev.tid, ev.kind, ev.peer);
            let first = match self.graph.po_pred(e) {
                Some(p) => {
                    let p = self.graph.event(p);
                    p.stamp < from || p.idx <= self.prefix[tid.index()]
                }
                None => !self.saved[base..].iter().any(|(t, _)| *t == tid),
            };
            if first {
                self.saved.push((tid, self.threads.standing(tid)));
                self.threads.set(tid, self.threads.origin(e));
            }
            if kind == Kind::Spawn {
                self.saved.push((peer, self.threads.standing(peer)));
                self.threads.set(peer, Standing::ABSENT);
            }
        }
    }

    pub(crate) fn next_revisited(&mut self, frame: RevisitFrame) -> bool {
        let RevisitFrame { read, write, before, mark, next, floor, saved, .. } = frame;
        let end = self.graph.co(self.graph.event(write).loc).len() as u32;
        let mut pos = next;
        while pos > floor {
            let at = pos as usize;
            pos -= 1;
            if self.splits_rmw(write, at) {
                continue;
            }
            self.graph.place(write, at);
            let value = self.read(read, write);
            let first = self.graph.event(read).part.before == 0;
            if first && self.trusts_part(write, at as u32 == end) || self.consistent(&[write, read]) {
                self.inspect(write);
                self.inspect(read);
                if !Reducers::comes_to_nothing(self, read, value) {
                    self.stats.revisits += 1;
                    let seen = self.stats.executions();
                    self.frames.push(Frame::Revisited(RevisitFrame { next: pos, seen, ..frame }));
                    self.go_on_reading(read, value);
                    return true;
                }
            }
            self.graph.undo_to(mark);
        }
        self.graph.undo_to(before);
        self.threads.forget_event();
        self.restore_threads(saved);
        false
    }

    /// Puts the threads back that were saved since.
    pub(crate) fn restore_threads(&mut self, saved: u32) {
        for (t, standing) in self.saved.drain(saved as usize..) {
            self.threads.set(t, standing);
        }
    }
}
