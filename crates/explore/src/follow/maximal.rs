//! Whether an event was added as the latest there can be: the condition for deleting it.

use super::Follow;
use super::judge::{Instead, Pair, Part};
use super::prefix::Prefix;
use super::web::{Ev, INIT, Web, outcome};
use selvedge_graph::{Attrs, Kind};
use selvedge_machine::{Machine, Op};
use selvedge_model::relational::Progress;
use std::rc::Rc;

impl<M: Machine> Follow<'_, M> {
    /// Whether every step since `since`, `since` included, that is not in the prefix was maximal.
    pub(super) fn all_maximal(&mut self, since: u32, prefix: &Prefix, new: Ev) -> bool {
        let events: Vec<Ev> = self.web.events().collect();
        events.into_iter().all(|x| {
            let slot = self.web.at(x);
            let face = slot.face;
            if face.stamp == 0 {
                return true;
            }
            let fine = face.stamp < since
                || prefix.has(x)
                || match face.kind {
                    Kind::Read => self.is_maximal_read(x, prefix),
                    // Of a choice, the first alternative.
                    Kind::Choice => face.value == 0,
                    _ => true,
                };
            fine && (face.commit < since
                || x == new
                || prefix.has_commit(x)
                || self.is_maximal_commit(x, prefix))
        })
    }

    /// A read reads the latest write of which it could, given what was there then and the prefix.
    fn is_maximal_read(&mut self, x: Ev, prefix: &Prefix) -> bool {
        let web = &self.web;
        let slot = web.at(x);
        let (stamp, source, loc, tid) = (slot.face.stamp, slot.face.rf, slot.face.loc, slot.tid);
        let there = |y: Ev| y != x && is_in(web, y, stamp, prefix);
        let committed = |y: Ev| is_committed(web, y, stamp, prefix);
        // The latest of its own writes that is not committed then.
        let events = &web.line(tid).events;
        let own = |y: &&Ev| {
            let other = web.at(**y);
            other.is_write() && other.face.loc == loc && there(**y) && !committed(**y)
        };
        let pending = events[..slot.idx as usize - 1].iter().rev().find(own).copied();
        let candidates = pending
            .into_iter()
            .chain(web.co[loc.index()].iter().rev().copied().filter(|&w| committed(w)))
            .chain([INIT]);
        if !events[slot.idx as usize..].iter().any(|&y| there(y)) {
            return candidates.into_iter().next() == Some(source);
        }
        let candidates: Vec<Ev> = candidates.collect();
        let own_write = self.web.rmw_write(x).unwrap_or(super::web::NONE);
        for w in candidates {
            let instead = self.instead(x, w);
            let web = &self.web;
            let there = |y: Ev| y != x && is_in(web, y, stamp, prefix);
            let committed = |y: Ev| is_committed(web, y, stamp, prefix);
            if instead.attrs.has(Attrs::UR)
                && is_taken(web, loc.index(), w, &|y| y != own_write && committed(y))
            {
                continue;
            }
            let part = Part { there: &there, committed: &committed, instead: Some(instead), placed: None };
            if self.judge.admits::<M>(self.model, web, &part, Progress::Whole) {
                return w == source;
            }
        }
        false
    }

    /// A write is last in coherence, or as late as it can be, and nobody else knows it.
    fn is_maximal_commit(&mut self, x: Ev, prefix: &Prefix) -> bool {
        let web = &self.web;
        let slot = web.at(x);
        let (stamp, loc, tid) = (slot.face.commit, slot.face.loc, slot.tid);
        if stamp == 0 {
            return true;
        }
        let there = |y: Ev| is_in(web, y, stamp, prefix);
        let committed = |y: Ev| y != x && is_committed(web, y, stamp, prefix);
        let reads_it = |y: Ev| {
            let other = web.at(y);
            other.is_read() && other.face.rf == x && other.tid != tid && there(y)
        };
        if web.events().any(reads_it) {
            return false;
        }
        if slot.is_rmw_write() {
            return true;
        }
        let co = &web.co[loc.index()];
        let Some(own) = co.iter().position(|&w| w == x) else { unreachable!("it has a place") };
        let last = !co[own + 1..].iter().any(|&w| committed(w));
        let events = &web.line(tid).events;
        if !events[slot.idx as usize..].iter().any(|&y| there(y)) {
            return last;
        }
        // Places as it could have had them, the last first.
        let kept: Vec<usize> = (0..co.len()).filter(|&at| committed(co[at])).collect();
        let places: Vec<usize> = kept.iter().rev().map(|at| at + 1).chain([0]).collect();
        let before = kept.iter().rev().copied().find(|&at| at < own).map_or(0, |at| at + 1);
        for place in places {
            let web = &self.web;
            let there = |y: Ev| is_in(web, y, stamp, prefix);
            let committed = |y: Ev| y != x && is_committed(web, y, stamp, prefix);
            if splits(web, loc.index(), place, &committed) {
                continue;
            }
            let part = Part { there: &there, committed: &committed, instead: None, placed: Some((x, place)) };
            if self.judge.admits::<M>(self.model, web, &part, Progress::Whole) {
                return place == before;
            }
        }
        false
    }

    /// What becomes of a read if it reads from `w`.
    pub(super) fn instead(&self, read: Ev, w: Ev) -> Instead {
        let slot = self.web.at(read);
        let Op::Load { loc, mode, rmw } = slot.at.op else { unreachable!("it is a load") };
        let value = self.web.value_of(self.machine, w, loc);
        let (mode, writes) = outcome(self.machine, &slot.at.state, mode, rmw, value);
        let attrs = Attrs::of(Kind::Read, mode, writes);
        let pair = if writes { self.pair(read, value) } else { None };
        Instead { read, source: w, attrs, pair }
    }

    fn pair(&self, read: Ev, value: selvedge_graph::Value) -> Option<Pair> {
        let mut state = M::State::clone(&self.web.at(read).at.state);
        let op = self.machine.step(&mut state, value);
        let Op::Store { mode, rmw: true, .. } = op else { return None };
        let deps = Rc::new(self.machine.deps(&state));
        Some(Pair { attrs: Attrs::of(Kind::Write, mode, true), deps })
    }
}

fn is_in<S: Clone>(web: &Web<S>, y: Ev, stamp: u32, prefix: &Prefix) -> bool {
    let own = web.at(y).face.stamp;
    own != 0 && (own <= stamp || prefix.has(y))
}

fn is_committed<S: Clone>(web: &Web<S>, y: Ev, stamp: u32, prefix: &Prefix) -> bool {
    let own = web.at(y).face.commit;
    own != 0 && (own <= stamp || prefix.has_commit(y))
}

/// Whether the write of a read-modify-write that reads `w` is right behind it.
fn is_taken<S: Clone>(web: &Web<S>, loc: usize, w: Ev, committed: &dyn Fn(Ev) -> bool) -> bool {
    let co = &web.co[loc];
    let place = if w == INIT { 0 } else { co.iter().position(|&x| x == w).map_or(co.len(), |at| at + 1) };
    let next = co[place..].iter().find(|&&x| committed(x));
    next.and_then(|&next| web.rmw_read(next)).is_some_and(|r| web.at(r).face.rf == w)
}

/// Whether another read-modify-write has read `w` already.
pub fn rival<S: Clone>(web: &Web<S>, x: Ev, w: Ev, there: &dyn Fn(Ev) -> bool) -> bool {
    let loc = web.at(x).face.loc;
    web.events().any(|y| {
        let other = web.at(y);
        y != x && other.is_rmw_read() && other.face.rf == w && other.face.loc == loc && there(y)
    })
}

/// Whether a place in coherence is between what a read-modify-write reads and what it writes.
pub fn splits<S: Clone>(web: &Web<S>, loc: usize, place: usize, committed: &dyn Fn(Ev) -> bool) -> bool {
    let co = &web.co[loc];
    let Some(&next) = co[place..].iter().find(|&&w| committed(w)) else { return false };
    let before = co[..place].iter().rev().find(|&&w| committed(w)).copied().unwrap_or(INIT);
    web.rmw_read(next).is_some_and(|r| web.at(r).face.rf == before)
}
