//! Where a read-modify-write ends differently in its hole than before, the place of its write comes or goes.

use super::web::{Change, Ev, Face, NONE, Slot, Web};
use selvedge_graph::{Attrs, DepSet, Kind, Mode, Tid};

impl<S: Clone> Web<S> {
    /// Positions from `idx` on are counted anew.
    pub(super) fn renumber(&mut self, t: Tid, idx: u32) {
        for at in idx as usize - 1..self.lines[t.index()].events.len() {
            let e = self.lines[t.index()].events[at];
            self.at_mut(e).idx = at as u32 + 1;
        }
    }

    /// What later events of a thread, and the events themselves, know of positions changes with them.
    fn shift(&mut self, t: Tid, idx: u32, of: impl Fn(&DepSet) -> DepSet + Copy) {
        self.renumber(t, idx);
        for at in idx as usize - 1..self.lines[t.index()].events.len() {
            let e = self.lines[t.index()].events[at];
            let slot = self.at(e);
            let position = slot.at.with_deps(slot.at.deps.map(of));
            let order = slot.order().map(of);
            self.set_at(e, position);
            self.set_order(e, order);
        }
    }

    /// Where a read is not the last event of its thread, the place of the write that would be one step with
    /// it is there if there is to be one. (Nothing that is there depends on that.)
    pub(super) fn fit_pair(&mut self, r: Ev) {
        let slot = self.at(r);
        let (t, idx) = (slot.tid, slot.idx + 1);
        let Some(&next) = self.lines[t.index()].events.get(idx as usize - 1) else { return };
        let (wanted, found) = (slot.is_rmw_read(), self.at(next).is_rmw_write());
        if wanted && !found {
            // What it is will be seen when the thread goes on.
            let at = slot.at.clone();
            let face = Face {
                attrs: Attrs::of(Kind::Write, Mode::Rlx, true),
                kind: Kind::Write,
                stamp: 0,
                ..slot.face
            };
            let slot = Slot { tid: t, idx, at, face: Face { commit: 0, rf: NONE, ..face }, order: None };
            let e = self.free_number();
            self.slots[e as usize] = Some(slot);
            self.lines[t.index()].events.insert(idx as usize - 1, e);
            self.lines[t.index()].open += 1;
            self.open += 1;
            self.len += 1;
            self.trail.push(Change::Inserted(t, idx));
            self.shift(t, idx + 1, |set: &DepSet| set.with_room_at(idx));
        } else if !wanted && found {
            let Some(slot) = self.slots[next as usize].take() else { unreachable!("it is there") };
            debug_assert!(!slot.is_there(), "what is kept does not depend on the read");
            self.lines[t.index()].events.remove(idx as usize - 1);
            self.lines[t.index()].open -= 1;
            self.open -= 1;
            self.free.push(next);
            self.len -= 1;
            self.trail.push(Change::Removed(t, idx, next, Box::new(slot)));
            self.shift(t, idx, |set: &DepSet| set.without_room_at(idx));
        }
    }
}
