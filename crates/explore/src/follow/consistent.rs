//! Whether the execution is consistent with what was added last: by rows if they are kept, else by matrices.

use super::Follow;
use super::judge::Part;
use super::maximal::rival;
use super::rows::View;
use super::web::{Ev, INIT};
use selvedge_machine::{Machine, Op};
use selvedge_model::relational::Progress;

impl<M: Machine> Follow<'_, M> {
    /// Whether a read that has a source is consistent; if it is half of a read-modify-write, so must be the
    /// other half, unless another one has read the same: that is for revisits only (thesis §5.5). `sure`:
    /// without the read, the execution is known to be consistent.
    pub(super) fn is_consistent_at(&mut self, e: Ev, sure: bool) -> bool {
        let web = &self.web;
        let there = |y: Ev| web.at(y).is_there();
        let slot = web.at(e);
        let source = slot.face.rf;
        let pairs = slot.is_rmw_read() && !rival(web, e, source, &there);
        let last = web.line(slot.tid).events.len() == slot.idx as usize;
        if self.orders.is_some() && web.open == 0 && (last || !pairs) {
            let latest = web.co[slot.face.loc.index()].last().copied().unwrap_or(INIT) == source;
            return self.is_consistent(e, sure && last && latest) && (!pairs || latest || self.pair_fits(e));
        }
        self.rows.invalidate();
        self.rows.forget_causes();
        self.is_admitted(e, pairs)
    }

    /// The same, by matrices.
    fn is_admitted(&mut self, e: Ev, pairs: bool) -> bool {
        let web = &self.web;
        let there = |y: Ev| web.at(y).is_there();
        let committed = |y: Ev| web.at(y).face.commit != 0;
        let mut instead = self.instead(e, web.at(e).face.rf);
        if !pairs {
            instead.pair = None;
        }
        let part = Part { there: &there, committed: &committed, instead: Some(instead), placed: None };
        self.judge.admits::<M>(self.model, web, &part, Progress::Whole)
    }

    /// Whether the write that follows a read is consistent right behind what that reads.
    fn pair_fits(&mut self, e: Ev) -> bool {
        let mark = self.mark();
        self.web.advance(self.machine, self.local, e);
        let t = self.web.at(e).tid;
        let follows = self.web.line(t).next.as_ref();
        if !follows.is_some_and(|next| matches!(next.op, Op::Store { rmw: true, .. })) {
            self.undo_to(mark);
            return true;
        }
        let w = self.web.push(t);
        self.web.fill(w, None);
        self.web.order(self.local, w);
        let (left, _) = self.range_of_places(w);
        self.web.place(w, left as usize - 1);
        let fits = self.is_consistent(w, false);
        self.undo_to(mark);
        fits
    }

    /// Whether the execution is consistent in which `e` was added or changed last. If it is `latest`, at the
    /// end of its thread and of coherence, it is.
    pub(super) fn is_consistent(&mut self, e: Ev, latest: bool) -> bool {
        if self.orders.is_none() {
            return (latest && self.web.open == 0 && self.config.shortcuts)
                || self.judge.admits_all::<M>(self.model, &self.web, Progress::Whole);
        }
        if self.web.open > 0 {
            self.rows.invalidate();
            self.rows.forget_causes();
            return self.judge.admits_all::<M>(self.model, &self.web, Progress::Whole);
        }
        self.renew_after(e);
        let Some(orders) = &self.orders else { unreachable!("it was there") };
        let web = &self.web;
        let slot = web.at(e);
        let view = View { web, model: self.model, orders };
        let last = web.line(slot.tid).events.len() == slot.idx as usize;
        let fine = if self.rows.valid && last {
            self.rows.add(&view, e)
        } else if latest && self.config.shortcuts {
            self.rows.invalidate();
            true
        } else {
            self.rows.rebuild(&view, slot.face.loc)
        };
        debug_assert!(fine || !latest, "what is added last of all is consistent");
        debug_assert_eq!(fine, self.judge.admits_all::<M>(self.model, web, Progress::Whole));
        fine
    }

    /// A hole was filled: what comes after it in its thread is ordered by what is there now, such as a
    /// compare-and-swap that fails where one succeeded.
    fn renew_after(&mut self, e: Ev) {
        let slot = self.web.at(e);
        let (t, idx) = (slot.tid, slot.idx as usize);
        let count = self.web.line(t).events.len();
        if idx == count {
            return;
        }
        for at in idx..count {
            let later = self.web.line(t).events[at];
            self.web.order(self.local, later);
        }
        self.rows.invalidate();
        self.rows.forget_causes();
    }

    /// An event was added that is always consistent.
    pub(super) fn note(&mut self, e: Ev) {
        let web = &self.web;
        let last = web.line(web.at(e).tid).events.len() == web.at(e).idx as usize;
        match &self.orders {
            Some(orders) if self.rows.valid && web.open == 0 && last => {
                let fine = self.rows.add(&View { web, model: self.model, orders }, e);
                debug_assert!(fine);
            }
            Some(_) => {
                self.rows.invalidate();
                if web.open > 0 || !last {
                    self.rows.forget_causes();
                }
            }
            None => {}
        }
    }
}
