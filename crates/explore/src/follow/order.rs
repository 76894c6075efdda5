//! What an event is ordered after in its thread, by the model: kept with the event.

use super::web::{Ev, INIT, NONE, Slot, Web};
use crate::early::conditional;
use selvedge_graph::{Attrs, DepSet, Kind};
use selvedge_machine::{Op, Rmw};
use selvedge_model::relational::{Local, LocalEvent};
use smallvec::SmallVec;

/// What an event is ordered after in its thread. Positions.
#[derive(Debug, Default)]
pub struct Order {
    /// As far as that does not depend on what is read: what later events have of it.
    pub sure: Vec<DepSet>,
    /// The same without what leads through the write of a compare-and-swap, which may not be there, from an
    /// event before it to one after it; if there is such a write.
    pub without: Option<Vec<DepSet>>,
    /// Given what it reads, if that makes a difference.
    pub own: Option<Vec<DepSet>>,
    /// Given all that is read in its thread, if that makes a difference.
    pub full: Option<Vec<DepSet>>,
    /// Those that it is ordered right after, given all that is read: those that others of them are ordered
    /// after are left out.
    pub near: SmallVec<[u32; 6]>,
    /// All that it is ordered after, directly or not.
    pub past: DepSet,
    /// Those that it is ordered right after whatever is accessed and whatever others read: those that others
    /// of them are ordered after are left out.
    pub lean: SmallVec<[u32; 6]>,
    /// All that it is ordered after in this way, but for what leads through writes that may not be there.
    pub firm: DepSet,
}

/// Of an event that is not there yet.
pub static NO_ORDER: Order = Order {
    sure: Vec::new(),
    without: None,
    own: None,
    full: None,
    near: SmallVec::new_const(),
    past: DepSet::EMPTY,
    lean: SmallVec::new_const(),
    firm: DepSet::EMPTY,
};

impl Order {
    pub fn map(&self, of: impl Fn(&DepSet) -> DepSet + Copy) -> Order {
        let mapped = |list: &Vec<DepSet>| list.iter().map(of).collect();
        Order {
            sure: mapped(&self.sure),
            without: self.without.as_ref().map(mapped),
            own: self.own.as_ref().map(mapped),
            full: self.full.as_ref().map(mapped),
            near: self.near.iter().flat_map(|idx| of(&DepSet::one(*idx)).last()).collect(),
            past: of(&self.past),
            lean: self.lean.iter().flat_map(|idx| of(&DepSet::one(*idx)).last()).collect(),
            firm: of(&self.firm),
        }
    }
}

impl<S: Clone> Web<S> {
    /// What an event is ordered after in its thread, given all that is read there.
    pub fn full_sets(&self, e: Ev) -> &[DepSet] {
        let slot = self.at(e);
        slot.order().full.as_ref().unwrap_or(&slot.order().sure)
    }

    /// What an event is ordered after in its thread, whatever else is read there.
    pub fn sets(&self, e: Ev) -> &[DepSet] {
        let slot = self.at(e);
        slot.order().own.as_ref().unwrap_or(&slot.order().sure)
    }

    /// Takes note of what an event is ordered after in its thread.
    pub fn order(&mut self, local: &Local, e: Ev) {
        self.order_one(local, e);
        if local.looks_ahead()
            && let Some(r) = self.rmw_read(e)
        {
            self.order_one(local, r);
        }
    }

    fn order_one(&mut self, local: &Local, e: Ev) {
        let slot = self.at(e);
        let (mut same, mut written) = (DepSet::EMPTY, DepSet::EMPTY);
        if slot.is_read() || slot.is_write() {
            for &x in &self.line(slot.tid).events[..slot.idx as usize - 1] {
                let other = self.at(x);
                if (other.is_read() || other.is_write()) && other.face.loc == slot.face.loc {
                    same.insert(other.idx);
                    if other.is_write() {
                        written.insert(other.idx);
                    }
                }
            }
        }
        let source = slot.face.rf;
        let own = slot.is_read() && source != INIT && source != NONE && self.at(source).tid == slot.tid;
        let event = LocalEvent {
            idx: slot.idx,
            attrs: slot.face.attrs,
            deps: &slot.at.deps,
            same_location: &same,
            same_written: &written,
            own_source: own.then(|| self.at(source).idx),
            rereads: &DepSet::EMPTY,
            detours: &DepSet::EMPTY,
        };
        let mut out = Vec::with_capacity(local.width());
        let events = &self.line(slot.tid).events;
        let others = |idx: u32| match events.get(idx as usize - 1) {
            Some(&x) => &self.at(x).order().sure[..],
            None => &[],
        };
        local.compute(&event, &others, &mut out);
        let mut full = None;
        let other = other_outcome(slot);
        if other.is_some()
            || events[..slot.idx as usize - 1].iter().any(|&x| self.at(x).order().full.is_some())
        {
            let mut all = Vec::with_capacity(local.width());
            let others = |idx: u32| match events.get(idx as usize - 1) {
                Some(&x) => self.full_sets(x),
                None => &[],
            };
            local.compute(&event, &others, &mut all);
            full = Some(all);
        }
        let without = self.without(local, &event, other, e, &out);
        let mut own = None;
        if let Some(other) = other {
            let event = LocalEvent { attrs: other, ..event };
            let mut sure = Vec::with_capacity(local.width());
            local.compute(&event, &others, &mut sure);
            sure.iter_mut().zip(&out).for_each(|(a, b)| a.intersect(b));
            own = Some(std::mem::replace(&mut out, sure));
        }
        let known = full.as_ref().unwrap_or(&out);
        let (near, past) =
            self.near(e, local.firm(known).chain(local.located(known)), |slot| Some(&slot.order().past));
        // The write of a read-modify-write may not be there: what is before it is not before others then.
        let (lean, firm) = self.near(e, local.firm(own.as_ref().unwrap_or(&out)), |slot| {
            (!slot.is_rmw_write()).then_some(&slot.order().firm)
        });
        let (without, leads_through) = without.map_or((None, false), |(sets, differs)| (Some(sets), differs));
        self.leads_through |= leads_through;
        self.set_order(e, Order { sure: out, without, own, full, near, past, lean, firm });
    }

    /// What an event is ordered after, and later events have of it, without what leads through writes of
    /// compare-and-swaps, if there is one; and whether it is ordered after more by what does. `sets` are
    /// those with it, and `other` is what would be true of the event with another outcome. What is read back
    /// is there.
    fn without(
        &self,
        local: &Local,
        event: &LocalEvent<'_>,
        other: Option<Attrs>,
        e: Ev,
        sets: &[DepSet],
    ) -> Option<(Vec<DepSet>, bool)> {
        let slot = self.at(e);
        let events = &self.line(slot.tid).events[..slot.idx as usize - 1];
        let may_not_be = self.rmw_read(e).is_some_and(|r| conditional(self.at(r).at.op).is_some());
        if !may_not_be && !events.iter().any(|&x| self.at(x).order().without.is_some()) {
            return None;
        }
        let others = |idx: u32| match events.get(idx as usize - 1) {
            Some(&x) => {
                let order = self.at(x).order();
                let bare = order.without.as_ref().filter(|_| event.own_source != Some(idx));
                bare.map_or(&order.sure[..], |sets| &sets[..])
            }
            None => &[],
        };
        let mut bare = Vec::with_capacity(local.width());
        local.compute(event, &others, &mut bare);
        let before = DepSet::below(event.idx);
        let more = |(with, without): (&DepSet, &DepSet)| {
            let mut more = with.clone();
            more.intersect(&before);
            more.subtract(without);
            !more.is_empty()
        };
        let leads_through = local.firm(sets).zip(local.firm(&bare)).any(more)
            || local.located(sets).zip(local.located(&bare)).any(more);
        if let Some(attrs) = other {
            let mut sure = Vec::with_capacity(local.width());
            local.compute(&LocalEvent { attrs, ..*event }, &others, &mut sure);
            bare.iter_mut().zip(&sure).for_each(|(a, b)| a.intersect(b));
        }
        if may_not_be {
            let passed = local.absent(others(event.idx - 1));
            let own = DepSet::one(event.idx);
            for (set, passed) in bare.iter_mut().zip(&passed) {
                set.intersect(&own);
                set.union(passed);
            }
        }
        Some((bare, leads_through))
    }

    /// Of the events in some sets, those that are not before others of them; and all that is before these.
    /// `past` tells what is before an event.
    fn near<'w>(
        &'w self,
        e: Ev,
        sets: impl Iterator<Item = &'w DepSet>,
        past: impl Fn(&'w Slot<S>) -> Option<&'w DepSet>,
    ) -> (SmallVec<[u32; 6]>, DepSet) {
        let slot = self.at(e);
        let events = &self.line(slot.tid).events;
        let mut all = DepSet::EMPTY;
        sets.for_each(|set| all.union(set));
        all.intersect(&DepSet::below(slot.idx));
        let mut rest = all.clone();
        let mut near = SmallVec::new();
        while let Some(idx) = rest.last() {
            near.push(idx);
            if let Some(past) = past(self.at(events[idx as usize - 1])) {
                all.union(past);
                rest.subtract(past);
            }
            rest.subtract(&DepSet::one(idx));
        }
        (near, all)
    }
}

/// What would be true of a read if it had read something else.
fn other_outcome<S>(slot: &Slot<S>) -> Option<Attrs> {
    let Op::Load { mode, rmw, .. } = slot.at.op else { return None };
    let (Rmw::Cas { fail, .. } | Rmw::Tentative { fail } | Rmw::Swap { fail }) = rmw else { return None };
    Some(match slot.is_rmw_read() {
        true => Attrs::of(Kind::Read, fail, false),
        false => Attrs::of(Kind::Read, mode, true),
    })
}
