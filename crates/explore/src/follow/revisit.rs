//! Revisits: which reads a write may revisit, and what is left of the execution then.

use super::Follow;
use super::maximal::splits;
use super::prefix::{Operands, Scene};
use super::web::Ev;
use crate::report::GaveUp;
use selvedge_graph::Tid;
use selvedge_machine::{Again, Machine, Op};

impl<M: Machine> Follow<'_, M> {
    /// The reads that a write revisits, the one to begin with last.
    pub(super) fn revisitable(&mut self, e: Ev) -> Vec<Ev> {
        let slot = self.web.at(e);
        let (loc, tid) = (slot.face.loc, slot.tid);
        let is_other = |x: &Ev| {
            let other = self.web.at(*x);
            other.is_read() && other.is_there() && other.face.loc == loc && other.tid != tid
        };
        let reads: Vec<Ev> = self.web.events().filter(is_other).collect();
        let mut found = Vec::new();
        for (at, r) in reads.into_iter().enumerate() {
            if at == 0 || self.prefix.has_rmws {
                self.compute_prefix(e, r, Operands::Needed);
            }
            if self.prefix.has(r) {
                if self.prefix.by_operand {
                    let with = std::mem::take(&mut self.prefix);
                    self.compute_prefix(e, r, Operands::Free);
                    let needed = self.prefix.has(r);
                    self.prefix = with;
                    if !needed {
                        self.stats.gave_up = Some(GaveUp::Again(Again::Dependencies));
                        return Vec::new();
                    }
                }
                continue;
            }
            let prefix = std::mem::take(&mut self.prefix);
            let since = self.web.at(r).face.stamp;
            if self.all_maximal(since, &prefix, e) {
                found.push(r);
            }
            self.prefix = prefix;
        }
        found
    }

    /// The prefix of the write `e` that is to revisit `r`.
    fn compute_prefix(&mut self, e: Ev, r: Ev, operands: Operands) {
        let web = &self.web;
        let since = web.at(r).face.stamp;
        let before = |x: Ev, commit: bool| {
            let face = web.at(x).face;
            let stamp = if commit { face.commit } else { face.stamp };
            stamp != 0 && stamp < since
        };
        let scene = Scene { machine: self.machine, web, local: self.local, operands, before: &before };
        self.prefixes.of(&scene, e, &mut self.prefix);
    }

    /// Takes away what is not in the prefix of `e` and came after `r`, which reads from `e` then.
    pub(super) fn cut(&mut self, e: Ev, r: Ev) {
        self.stats.revisits += 1;
        self.compute_prefix(e, r, Operands::Needed);
        let since = self.web.at(r).face.stamp;
        let mut gone = Vec::new();
        for x in self.web.events() {
            let face = self.web.at(x).face;
            let stays = x == r || x == e || face.stamp < since || self.prefix.has(x);
            let commit_stays = face.commit < since || self.prefix.has_commit(x);
            if face.stamp != 0 && (!stays || !commit_stays) {
                gone.push((x, stays));
            }
        }
        for (x, stays) in gone {
            self.web.hollow(x, stays);
            if let Op::Spawn { thread } = self.web.at(x).at.op
                && !stays
            {
                debug_assert!(self.web.line(thread).events.iter().all(|&y| !self.prefix.has(y)));
            }
        }
        for t in (0..self.web.lines.len() as u16).map(Tid) {
            while let Some(&last) = self.web.line(t).events.last()
                && !self.web.at(last).is_there()
            {
                self.pop(t);
            }
        }
    }

    /// Takes the last event of a thread away; with its creation a whole thread.
    fn pop(&mut self, t: Tid) {
        let op = self.web.line(t).events.last().map(|&last| self.web.at(last).at.op);
        self.web.pop(t);
        if let Some(Op::Spawn { thread }) = op {
            while !self.web.line(thread).events.is_empty() {
                self.pop(thread);
            }
            self.web.uncreate(thread);
        }
    }

    /// After a cut: `e` gets a place, and `r` reads from it.
    pub(super) fn revisit_placed(&mut self, e: Ev, r: Ev, at: usize) -> bool {
        let loc = self.web.at(e).face.loc.index();
        if splits(&self.web, loc, at, &|_| true) || at + 1 < self.floor(r) as usize {
            return false;
        }
        self.rows.invalidate();
        let last = self.web.line(self.web.at(r).tid).events.len() == self.web.at(r).idx as usize;
        if !last {
            self.rows.forget_causes();
        }
        self.web.place(e, at);
        self.web.read(self.machine, r, e);
        self.web.order(self.local, r);
        // A write that others of its thread come after was not looked at in this place.
        let sure = self.web.line(self.web.at(e).tid).events.len() == self.web.at(e).idx as usize;
        if !self.is_consistent_at(r, sure) {
            return false;
        }
        self.web.advance(self.machine, self.local, r);
        true
    }
}
