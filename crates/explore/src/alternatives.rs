//! The alternatives of a decision, one after the other: sources of a read, places of a write, what a program
//! chose.

use crate::explorer::Explorer;
use crate::frame::{Frame, PlaceFrame, ReadFrame, UNSETTLED};
use crate::reductions::{Hooks, Reducers};
use crate::report::Equivalence;
use crate::rmw::Rivalry;
use crate::threads::Standing;
use crate::witness;
use selvedge_graph::{Attrs, ClockId, EventId, Kind, Part, Value};
use selvedge_machine::{Machine, Op, Rmw};
use selvedge_model::Verdict;

impl<M: Machine> Explorer<'_, M> {
    /// Tries the next alternative of a decision. Leaves the graph in the state before the decision
    /// was made and returns false if there is none.
    pub(crate) fn next_alternative(&mut self, frame: Frame) -> bool {
        self.frames.push(frame);
        self.leave_latest()
    }

    /// The same for the latest decision.
    #[inline(always)] // into `backtrack`
    pub(crate) fn leave_latest(&mut self) -> bool {
        // It is taken apart where it is: a copy of the whole would have to be read right after it was
        // written, in other parts, which makes the processor wait.
        let latest = self.frames.len().wrapping_sub(1);
        match self.frames.get(latest) {
            None => false,
            Some(&Frame::Plain { e }) => {
                self.frames.truncate(latest);
                self.remove(e)
            }
            Some(&Frame::Choice { e, next, count }) => {
                self.frames.truncate(latest);
                self.next_choice(e, next, count)
            }
            Some(&Frame::Read(frame)) => {
                self.frames.truncate(latest);
                self.note_dead_end(frame.seen, self.graph.event(frame.e).is_rmw_read());
                self.graph.undo_to(frame.mark);
                self.next_source(frame)
            }
            Some(&Frame::Place(frame)) => {
                self.frames.truncate(latest);
                self.graph.undo_to(frame.mark);
                self.next_place(frame)
            }
            Some(&Frame::Revisit { e, scan, first }) => {
                self.frames.truncate(latest);
                self.next_revisit(e, scan, first)
            }
            Some(&Frame::Lost(frame)) => {
                self.frames.truncate(latest);
                self.undo_loss(frame);
                false
            }
            Some(&Frame::Revisited(frame)) => {
                self.frames.truncate(latest);
                self.note_dead_end(frame.seen, self.graph.event(frame.read).is_rmw_read());
                self.graph.undo_to(frame.mark);
                self.next_revisited(frame)
            }
        }
    }

    /// Counts a graph that was entered when there were `seen` executions, if there still are no more.
    fn note_dead_end(&mut self, seen: u64, rmw: bool) {
        if seen == self.stats.executions() {
            if rmw {
                self.stats.dropped_rmw += 1;
            } else {
                self.stats.aborted += 1;
            }
        }
    }

    /// Takes back the latest event.
    pub(crate) fn remove(&mut self, e: EventId) -> bool {
        let ev = self.graph.event(e);
        let (tid, kind, peer) = (ev.tid, ev.kind, ev.peer);
        if kind == Kind::Spawn {
            self.threads.set(peer, Standing::ABSENT);
        }
        self.graph.remove_last(e);
        let standing = self.threads.forget_event();
        self.threads.set(tid, standing);
        false
    }

    pub(crate) fn next_choice(&mut self, e: EventId, next: u32, count: u32) -> bool {
        let Some(next) = (next..count).find(|&way| self.may_choose(e, way)) else { return self.remove(e) };
        self.frames.push(Frame::Choice { e, next: next + 1, count });
        self.graph.set_choice(e, next as Value);
        self.advance(e, next as Value);
        true
    }

    #[inline]
    pub(crate) fn next_source(&mut self, frame: ReadFrame) -> bool {
        let ReadFrame { e, mark, next, floor, mut settled, .. } = frame;
        let loc = self.graph.event(e).loc;
        let last = self.graph.co(loc).len() as u32 - 1;
        let mut next = next;
        while next > floor {
            next -= 1;
            let w = self.graph.co(loc)[next as usize];
            if next != last && Reducers::skips_old_source(self, e, w) {
                continue;
            }
            let rivalry = if self.rmws { self.rivalry(e, w) } else { Rivalry::None };
            if rivalry == Rivalry::Futile || Reducers::skips_source(self, e, w) {
                continue;
            }
            let fine = rivalry == Rivalry::Fine && self.graph.event(e).part.before == 0;
            let trusted = fine || self.trusts_part(e, next == last);
            if !trusted && self.is_too_old(e, next, floor, &mut settled) {
                break;
            }
            let value = self.read(e, w);
            let verdict = match trusted {
                true => Verdict::Consistent,
                false => self.may_read(&frame, next, &mut settled),
            };
            if verdict == Verdict::Consistent {
                self.inspect(e);
                let useless = next != last && self.trouble.is_none() && Reducers::is_useless(self, e, value);
                if !useless && !Reducers::comes_to_nothing(self, e, value) {
                    Reducers::after_source(self, e, w, next == last);
                    let seen = self.stats.executions();
                    self.frames.push(Frame::Read(ReadFrame { next, seen, settled, ..frame }));
                    self.go_on_reading(e, value);
                    return true;
                }
            }
            self.graph.undo_to(mark);
            if verdict == Verdict::InconsistentFromHere {
                break;
            }
        }
        self.remove(e)
    }

    /// Whether nothing is consistent that has `e`, which was just added, at this place of coherence or before
    /// it.
    #[inline]
    fn is_too_old(&mut self, e: EventId, at: u32, floor: u32, settled: &mut u32) -> bool {
        self.trusts_floors()
            && self.model.asks_for_interleaving_only(&self.graph)
            && at < self.settled_from(e, floor, settled)
    }

    /// Whether it is worth asking from where on an interleaving explains the graph.
    #[inline]
    pub(crate) fn settles(&self) -> bool {
        self.trusts_floors() && self.model.searches(&self.graph) && self.model.settles(&self.graph)
    }

    /// From which place of coherence on an interleaving explains the graph with `e`, which was just added.
    #[inline]
    fn settled_from(&mut self, e: EventId, floor: u32, settled: &mut u32) -> u32 {
        if *settled == UNSETTLED {
            let found = self.model.settled_from(&self.graph, &[e], floor as usize, &mut self.scratch);
            *settled = found as u32;
        }
        *settled
    }

    /// Whether `e` may read what it reads, which is at this place of coherence; at the end it always may
    /// (extensibility). What it knew before it read was taken into account already.
    fn may_read(&mut self, frame: &ReadFrame, at: u32, settled: &mut u32) -> Verdict {
        let ReadFrame { e, known, floor, .. } = *frame;
        if self.settles() {
            let plain = matches!(self.threads.op_of(e), Op::Load { rmw: Rmw::No, .. });
            let verdict = self.judge(e, at, floor, plain, settled);
            debug_assert_eq!(verdict == Verdict::Consistent, self.is_consistent(e, known));
            return verdict;
        }
        match self.is_consistent(e, known) {
            true => Verdict::Consistent,
            false => Verdict::Inconsistent,
        }
    }

    /// The same for any access whose attributes may always be the same.
    #[inline]
    fn judge(&mut self, e: EventId, at: u32, floor: u32, always: bool, settled: &mut u32) -> Verdict {
        match at >= self.settled_from(e, floor, settled) {
            true => Verdict::Consistent,
            false => self.model.verdict_beyond(&self.graph, e, always, &mut self.scratch),
        }
    }

    /// Whether the graph is consistent in which `e` reads what it reads. What it knew before was taken into
    /// account already.
    fn is_consistent(&mut self, e: EventId, known: ClockId) -> bool {
        let learned = !self.model.knows_by_one_clock() || self.model.known(&self.graph, e) != known;
        let whole = self.graph.event(e).part.before == 0;
        let coherent = (self.trusts_floors() && !learned && whole) || self.model.coherent_at(&self.graph, e);
        coherent && self.model.acyclic_at(&self.graph, e, &mut self.scratch) || self.another_witness()
    }

    /// Makes `e` read from `w`; the value read.
    #[inline]
    pub(crate) fn read(&mut self, e: EventId, w: EventId) -> Value {
        let Op::Load { loc, mode, rmw } = self.threads.op_of(e) else {
            unreachable!("a read comes from a load")
        };
        let value = self.graph.value_of(w, loc);
        let (mode, writes) = self.load_outcome(e, mode, rmw, value);
        let writes = writes && !Reducers::refuses_rmw(self, e, w);
        let attrs = Attrs::of(Kind::Read, mode, writes);
        debug_assert!(self.model.is_for(attrs), "{mode} {writes}");
        self.graph.read_from(e, w, mode, attrs);
        self.model.update_clocks(&mut self.graph, e);
        Reducers::after_reading(self, e);
        value
    }

    pub(crate) fn next_place(&mut self, frame: PlaceFrame) -> bool {
        let PlaceFrame { e, mark, next, floor, mut settled, revisits } = frame;
        let loc = self.graph.event(e).loc;
        let end = self.graph.co(loc).len() as u32;
        let mut pos = next;
        while pos > floor {
            let at = pos as usize;
            pos -= 1;
            if self.splits_rmw(e, at) {
                continue;
            }
            let trusted = self.trusts_part(e, at as u32 == end);
            let settles = !trusted && self.settles();
            if settles {
                // Found out before it is in the list.
                self.settled_from(e, floor, &mut settled);
            }
            if !trusted && self.is_too_old(e, pos, floor, &mut settled) {
                break;
            }
            self.graph.place(e, at);
            let verdict = if trusted {
                Verdict::Consistent
            } else if settles {
                let verdict = self.judge(e, pos, floor, true, &mut settled);
                debug_assert_eq!(verdict == Verdict::Consistent, self.consistent(&[e]));
                verdict
            } else if self.consistent(&[e]) {
                Verdict::Consistent
            } else {
                Verdict::Inconsistent
            };
            if verdict == Verdict::Consistent {
                self.frames.push(Frame::Place(PlaceFrame { next: pos, settled, ..frame }));
                self.inspect(e);
                return true;
            }
            self.graph.undo_to(mark);
            if verdict == Verdict::InconsistentFromHere {
                break;
            }
        }
        if !revisits {
            return self.remove(e);
        }
        // Only revisits that delete the write of a rival leave a place for a read-modify-write.
        let rival = self.graph.rmw_read_of(e).and_then(|r| self.rmw_reader(self.graph.rf(r)?, loc, r));
        let scan = match rival {
            // With shortcuts this was found out when its read was added, unless there are other parts.
            Some(rival)
                if (!self.trusts_floors() || self.graph.event(e).part != Part::WHOLE)
                    && !self.maximally_added_since(rival, e) =>
            {
                return self.remove(e);
            }
            Some(rival) => self.graph.event(rival).stamp + 1,
            None => self.graph.event(e).stamp,
        };
        match self.first_revisitable(e, scan) {
            Some(first) => self.next_revisit(e, scan, first),
            None => self.remove(e),
        }
    }

    // ---- candidates ----

    /// The places of a write in coherence: from `next` down to directly after `floor`. The write of a
    /// read-modify-write has one, after the source of its read; so has every write where coherence is
    /// not told apart, at the end.
    pub(crate) fn places(&self, w: EventId, rmw: bool) -> (u32, u32) {
        let g = &self.graph;
        if rmw {
            let source = g.rmw_read_of(w).and_then(|r| g.rf(r)).and_then(|s| g.co_pos(s));
            let Some(source) = source else { unreachable!("the read half has a source") };
            return (source as u32 + 1, source as u32);
        }
        let end = g.co(g.event(w).loc).len() as u32;
        let floor = match self.config.equivalence {
            Equivalence::Co if self.config.shortcuts => self.model.floor(g, w) as u32,
            Equivalence::Co => 0,
            Equivalence::Rf => end - 1,
        };
        (end, floor)
    }

    /// Whether what clocks say about coherence rules candidates out before they are tried.
    pub(crate) fn trusts_floors(&self) -> bool {
        self.config.shortcuts && self.config.equivalence == Equivalence::Co
    }

    /// Whether an addition at the end of coherence needs no check: extensibility.
    pub(crate) fn trusts(&self, maximal: bool) -> bool {
        maximal && self.config.shortcuts
    }

    /// The same for an event that may be part of an access: only at its beginning, where nothing that the
    /// access has read or overwritten is old.
    #[inline]
    pub(crate) fn trusts_part(&self, e: EventId, maximal: bool) -> bool {
        self.trusts(maximal) && self.graph.event(e).part.before == 0
    }

    /// Whether a place in coherence is between the source and the write of a read-modify-write.
    pub(crate) fn splits_rmw(&self, w: EventId, pos: usize) -> bool {
        let g = &self.graph;
        let co = g.co(g.event(w).loc);
        let Some(&after) = co.get(pos) else { return false };
        g.rmw_read_of(after).and_then(|r| g.rf(r)) == Some(co[pos - 1])
    }

    /// Whether the graph with the events that were just added is consistent. Where coherence is not
    /// told apart, another order may do.
    pub(crate) fn consistent(&mut self, events: &[EventId]) -> bool {
        events.iter().all(|&e| self.model.consistent_at(&self.graph, e, &mut self.scratch))
            || self.another_witness()
    }

    pub(crate) fn another_witness(&mut self) -> bool {
        self.config.equivalence == Equivalence::Rf
            && witness::find(self.model, &mut self.graph, &mut self.scratch)
    }
}
