//! The alternatives of a decision, one after the other: sources of a read, places of a write, what a program
//! chose.

use crate::explorer::Explorer;
use crate::frame::{Frame, PlaceFrame, ReadFrame};
use crate::reductions::{Hooks, Reducers};
use crate::report::Equivalence;
use crate::rmw::Rivalry;
use crate::threads::Standing;
use crate::witness;
use selvedge_graph::{Attrs, ClockId, EventId, Kind, Mark, Part, Value};
use selvedge_machine::{Machine, Op};

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
            Some(&Frame::Place(PlaceFrame { e, mark, next, floor, revisits })) => {
                self.frames.truncate(latest);
                self.graph.undo_to(mark);
                self.next_place(e, mark, next, floor, revisits)
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
        let ReadFrame { e, mark, next, floor, known, .. } = frame;
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
            let value = self.read(e, w);
            let fine = rivalry == Rivalry::Fine && self.graph.event(e).part.before == 0;
            if self.trusts_part(e, next == last) || fine || self.may_read(e, known) {
                self.inspect(e);
                let useless = next != last && self.trouble.is_none() && Reducers::is_useless(self, e, value);
                if !useless && !Reducers::comes_to_nothing(self, e, value) {
                    Reducers::after_source(self, e, w, next == last);
                    let seen = self.stats.executions();
                    self.frames.push(Frame::Read(ReadFrame { next, seen, ..frame }));
                    self.go_on_reading(e, value);
                    return true;
                }
            }
            self.graph.undo_to(mark);
        }
        self.remove(e)
    }

    /// Whether `e` may read what it reads; reading from the end of coherence it always may
    /// (extensibility). What it knew before it read (`known`) was taken into account already.
    fn may_read(&mut self, e: EventId, known: ClockId) -> bool {
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

    pub(crate) fn next_place(
        &mut self,
        e: EventId,
        mark: Mark,
        next: u32,
        floor: u32,
        revisits: bool,
    ) -> bool {
        let loc = self.graph.event(e).loc;
        let end = self.graph.co(loc).len() as u32;
        let mut pos = next;
        while pos > floor {
            let at = pos as usize;
            pos -= 1;
            let is_last = at as u32 == end;
            if !is_last && self.splits_rmw(e, at) {
                continue;
            }
            self.graph.place(e, at);
            if self.trusts_part(e, is_last) || self.consistent(&[e]) {
                self.frames.push(Frame::Place(PlaceFrame { e, mark, next: pos, floor, revisits }));
                self.inspect(e);
                return true;
            }
            self.graph.undo_to(mark);
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
