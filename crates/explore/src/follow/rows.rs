//! Consistency while events are added: for each order of the model, the events before each event, as bits.
//!
//! An event that is added at the end of its thread only has events before it, but for coherence and
//! from-read, which may put it before writes that are there. So its row is made of the rows of those right
//! before it; a cycle shows if one of the writes is among them, and if not, they and all that comes after
//! them learn what is before the event. After a revisit, rows are computed anew. While there are holes,
//! nothing is kept.

use super::web::{Ev, INIT, NONE, Web};
use selvedge_graph::{Attrs, Kind, Loc};

use selvedge_machine::Op;
use selvedge_model::relational::{
    Agreement, EventSet, Order, Orders, Prim, Relational, Surroundings, events_of, insert, no_events, unite,
};

/// Rows of all orders, with a trail of their own.
#[derive(Debug, Default)]
pub struct Rows {
    /// Words per row.
    words: usize,
    /// By order: rows, by event. The order that coherence agrees with comes first, if it is not `po`.
    rows: Vec<Vec<u64>>,
    /// They are those of the execution as it is.
    pub valid: bool,
    trail: Vec<Saved>,
    scratch: Vec<u64>,
    events: Vec<Ev>,
    before: Vec<u64>,
    /// By order and event: what is right before it but for coherence and from-read, and when that was found.
    causes: Vec<Vec<Causes>>,
    /// Changes when something changes that came before other events.
    epoch: u64,
    epochs: u64,
}

#[derive(Clone, Debug, Default)]
struct Causes {
    serial: u64,
    epoch: u64,
    events: EventSet,
}

#[derive(Debug)]
enum Saved {
    Row(u32, Ev, Box<[u64]>),
    All(usize, Vec<Vec<u64>>, bool),
    Valid(bool),
    Epoch(u64),
}

/// What rows are made of.
pub struct View<'a, S> {
    pub web: &'a Web<S>,
    pub model: &'a Relational,
    pub orders: &'a Orders,
}

impl Rows {
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    pub fn undo_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                None => break,
                Some(Saved::Row(k, e, row)) => {
                    // There may be more room by now.
                    let at = e as usize * self.words;
                    let now = &mut self.rows[k as usize][at..at + self.words];
                    now.fill(0);
                    now[..row.len()].copy_from_slice(&row);
                }
                Some(Saved::All(words, rows, valid)) => {
                    self.words = words;
                    self.rows = rows;
                    self.valid = valid;
                }
                Some(Saved::Valid(valid)) => self.valid = valid,
                Some(Saved::Epoch(epoch)) => self.epoch = epoch,
            }
        }
    }

    /// They are not those of the execution any more.
    pub fn invalidate(&mut self) {
        if self.valid {
            self.trail.push(Saved::Valid(true));
            self.valid = false;
        }
    }

    /// Nothing that was known of the causes of events counts any more.
    pub fn forget_causes(&mut self) {
        self.trail.push(Saved::Epoch(self.epoch));
        self.epochs += 1;
        self.epoch = self.epochs;
    }

    fn row(&self, k: usize, e: Ev) -> &[u64] {
        let at = e as usize * self.words;
        &self.rows[k][at..at + self.words]
    }

    fn has(&self, k: usize, e: Ev, x: Ev) -> bool {
        self.rows[k][e as usize * self.words + x as usize / 64] >> (x % 64) & 1 != 0
    }

    fn set_row(&mut self, k: usize, e: Ev, row: &[u64]) {
        let at = e as usize * self.words;
        let old = &mut self.rows[k][at..at + self.words];
        self.trail.push(Saved::Row(k as u32, e, old.into()));
        old.copy_from_slice(row);
    }

    /// Finds out what is right before an event in an order, but for coherence and from-read.
    fn find_causes<S: Clone>(&mut self, v: &View<'_, S>, k: usize, e: Ev) {
        let serial = v.web.at(e).face.serial;
        let known = &self.causes[k][e as usize];
        if known.serial == serial && known.epoch == self.epoch {
            return;
        }
        let mut events = no_events(self.words);
        self.before_surely(v, k, e, &mut events);
        // What initialises memory comes before everything.
        events[0] &= !1;
        self.causes[k][e as usize] = Causes { serial, epoch: self.epoch, events };
    }

    /// Makes room for all numbers of events.
    fn make_room(&mut self, bound: usize, kinds: usize) {
        if self.causes.len() != kinds || self.causes.iter().any(|causes| causes.len() < bound) {
            self.causes.resize(kinds, Vec::new());
            self.causes.iter_mut().for_each(|causes| causes.resize(2 * bound, Causes::default()));
        }
        let words = bound.div_ceil(64);
        let fits = self.rows.len() == kinds
            && words <= self.words
            && self.rows.iter().all(|rows| rows.len() >= bound * self.words);
        if fits {
            return;
        }
        let words = words.max(self.words).next_power_of_two();
        let room = (words * 64).min(2 * bound.max(16));
        let mut rows = vec![vec![0; room * words]; kinds];
        for (new, old) in rows.iter_mut().zip(&self.rows) {
            if let Some(rows) = old.len().checked_div(self.words) {
                for e in 0..rows.min(room) {
                    new[e * words..e * words + self.words]
                        .copy_from_slice(&old[e * self.words..(e + 1) * self.words]);
                }
            }
        }
        self.rows = rows;
        self.words = words;
    }

    /// Computes all rows. Returns whether the execution is consistent. Where coherence agrees with program
    /// order alone, it is coherent but for this location. Where it agrees with more, what an event learns
    /// that is added in the middle of its thread, the later ones know, too, and they are of any location.
    pub fn rebuild<S: Clone>(&mut self, v: &View<'_, S>, loc: Loc) -> bool {
        let kinds = v.kinds();
        self.make_room(v.web.bound(), kinds);
        self.trail.push(Saved::All(self.words, self.rows.clone(), self.valid));
        self.valid = true;
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        events.extend(v.web.events());
        events.sort_unstable_by_key(|&e| v.web.at(e).face.stamp);
        let fine = (0..kinds).all(|k| self.rebuild_one(v, k, &events))
            && events.iter().all(|&x| {
                let of_others = matches!(v.orders.coherence, Agreement::Po) && v.web.at(x).face.loc != loc;
                of_others || self.is_coherent(v, x)
            });
        self.events = events;
        fine
    }

    /// Computes one order, from events to what comes after them, until nothing changes. Returns whether it is
    /// one.
    fn rebuild_one<S: Clone>(&mut self, v: &View<'_, S>, k: usize, events: &[Ev]) -> bool {
        let words = self.words;
        events.iter().for_each(|&e| self.rows[k][e as usize * words..(e as usize + 1) * words].fill(0));
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.resize(events.len() * words, 0);
        for (at, &e) in events.iter().enumerate() {
            self.find_causes(v, k, e);
            self.before(v, k, e, &mut before[at * words..(at + 1) * words]);
        }
        let mut row = std::mem::take(&mut self.scratch);
        loop {
            let mut changed = false;
            for (at, &e) in events.iter().enumerate() {
                let before = &before[at * words..(at + 1) * words];
                row.clear();
                row.extend_from_slice(before);
                events_of(before).for_each(|x| unite(&mut row, self.row(k, x)));
                let own = &mut self.rows[k][e as usize * words..(e as usize + 1) * words];
                if row[..] != *own {
                    changed = true;
                    own.copy_from_slice(&row);
                }
            }
            if !changed {
                break;
            }
        }
        (self.before, self.scratch) = (before, row);
        !events.iter().any(|&e| self.has(k, e, e))
    }

    /// The event `e` was added at the end of its thread, with its source or place. Returns whether that is
    /// consistent; rows are of use only if it is.
    pub fn add<S: Clone>(&mut self, v: &View<'_, S>, e: Ev) -> bool {
        debug_assert!(self.valid);
        let kinds = v.kinds();
        self.make_room(v.web.bound(), kinds);
        for k in 0..kinds {
            let mut row = std::mem::take(&mut self.scratch);
            row.clear();
            row.resize(self.words, 0);
            self.find_causes(v, k, e);
            self.before(v, k, e, &mut row);
            for x in events_of(&EventSet::from_slice(&row)) {
                unite(&mut row, self.row(k, x));
            }
            let mut after: Vec<Ev> = Vec::new();
            v.after(k, e, &mut |y| after.push(y));
            let cyclic = row[e as usize / 64] >> (e % 64) & 1 != 0
                || after.iter().any(|&y| row[y as usize / 64] >> (y % 64) & 1 != 0);
            if cyclic {
                self.scratch = row;
                return false;
            }
            self.set_row(k, e, &row);
            if !after.is_empty() {
                row[e as usize / 64] |= 1 << (e % 64);
                for y in v.web.events() {
                    if after.contains(&y) || y != e && after.iter().any(|&x| self.has(k, y, x)) {
                        let mut own = self.row(k, y).to_vec();
                        own.iter_mut().zip(&row).for_each(|(a, b)| *a |= b);
                        self.set_row(k, y, &own);
                    }
                }
            }
            self.scratch = row;
        }
        self.is_coherent(v, e)
    }

    /// Whether what comes before an access is before it in coherence, too.
    fn is_coherent<S: Clone>(&self, v: &View<'_, S>, e: Ev) -> bool {
        let web = v.web;
        let slot = web.at(e);
        let loc = slot.face.loc;
        let co = match slot.face.kind {
            Kind::Read | Kind::Write => &web.co[loc.index()],
            _ => return true,
        };
        // Positions: 0 is the initialising write.
        let place = |w: Ev| match w {
            INIT => 0,
            w => co.iter().position(|&x| x == w).map_or(usize::MAX, |at| at + 1),
        };
        let known = |x: Ev| {
            let other = web.at(x);
            (other.is_read() || other.is_write()) && other.face.loc == loc && x != e
        };
        let seen = |x: Ev| place(if web.at(x).is_read() { web.at(x).face.rf } else { x });
        let own = seen(e);
        // A write must come after all that is known of its location, a read not before.
        let fine = |x: Ev| {
            let other = seen(x);
            match (slot.is_write(), web.at(x).is_write()) {
                (true, _) => other < own,
                (false, _) => other <= own,
            }
        };
        match v.orders.coherence {
            Agreement::Po => {
                let earlier = &web.line(slot.tid).events[..slot.idx as usize - 1];
                earlier.iter().all(|&x| !known(x) || fine(x))
            }
            Agreement::Closure { .. } => events_of(self.row(0, e)).all(|x| !known(x) || fine(x)),
        }
    }

    /// The events right before `e` in an order, or more of those before it. Its causes have to be known.
    fn before<S: Clone>(&self, v: &View<'_, S>, k: usize, e: Ev, out: &mut [u64]) {
        unite(out, &self.causes[k][e as usize].events);
        let slot = v.web.at(e);
        if !slot.is_write() {
            return;
        }
        let by_sources = |p: Prim| matches!(p, Prim::Rf | Prim::Rfe | Prim::Rfi);
        let (order, _) = v.order(k);
        for direct in order.direct.iter().filter(|d| !by_sources(d.step) && v.model.ends(d, slot.face.attrs))
        {
            v.before_direct(direct.step, e, &mut |x| {
                if v.model.begins(direct, v.web.at(x).face.attrs) {
                    insert(out, x);
                }
            });
        }
    }

    /// Those of them that do not depend on coherence.
    fn before_surely<S: Clone>(&self, v: &View<'_, S>, k: usize, e: Ev, out: &mut [u64]) {
        let web = v.web;
        let mut add = |x: Ev| insert(out, x);
        let slot = web.at(e);
        let (order, closure) = v.order(k);
        if closure && slot.idx > 1 {
            // Program order is part of it.
            add(web.event(slot.tid, slot.idx - 1));
        }
        if order.local {
            slot.order().near.iter().for_each(|idx| add(web.event(slot.tid, *idx)));
        }
        let created = match slot.idx {
            1 => order.creation.nearest,
            _ => order.creation.others && !(closure && order.creation.nearest),
        };
        if created && let Some(spawn) = web.spawn_of(slot.tid) {
            add(spawn);
        }
        if let Op::Join { thread } = slot.at.op {
            // A thread without events ends where it is created.
            let (line, spawn) = (&web.line(thread).events, web.spawn_of(thread));
            let ends = line.last().copied().or(spawn);
            if order.join.nearest {
                ends.into_iter().for_each(&mut add);
            }
            if order.join.others
                && let Some(last) = ends
            {
                let last = web.at(last);
                let before = &web.line(last.tid).events[..last.idx as usize - 1];
                before.iter().for_each(|&x| add(x));
            }
        }
        let attrs = slot.face.attrs;
        let by_sources = |p: Prim| matches!(p, Prim::Rf | Prim::Rfe | Prim::Rfi);
        for direct in order.direct.iter().filter(|d| by_sources(d.step) && v.model.ends(d, attrs)) {
            v.before_direct(direct.step, e, &mut |x| {
                if v.model.begins(direct, web.at(x).face.attrs) {
                    add(x);
                }
            });
        }
        let agreed = match v.orders.coherence {
            Agreement::Closure { node, .. } => Some(node),
            Agreement::Po => None,
        };
        let around = Around { view: v, rows: self };
        v.model.before_by(&order.inward, agreed, &around, e, out);
    }
}

impl<S: Clone> View<'_, S> {
    fn kinds(&self) -> usize {
        self.orders.acyclic.len() + usize::from(matches!(self.orders.coherence, Agreement::Closure { .. }))
    }

    /// An order by its number, and whether it is the one that coherence agrees with.
    fn order(&self, k: usize) -> (&Order, bool) {
        match &self.orders.coherence {
            Agreement::Closure { order, .. } if k == 0 => (order, true),
            Agreement::Closure { .. } => (&self.orders.acyclic[k - 1], false),
            Agreement::Po => (&self.orders.acyclic[k], false),
        }
    }

    fn is_external(&self, x: Ev, e: Ev) -> bool {
        self.web.at(x).tid != self.web.at(e).tid
    }

    fn before_direct(&self, step: Prim, e: Ev, add: &mut impl FnMut(Ev)) {
        let web = self.web;
        let slot = web.at(e);
        let fits = |x: Ev| match step {
            Prim::Rfe | Prim::Coe | Prim::Fre => self.is_external(x, e),
            Prim::Rfi | Prim::Coi | Prim::Fri => !self.is_external(x, e),
            _ => true,
        };
        match step {
            Prim::Rf | Prim::Rfe | Prim::Rfi => {
                if slot.is_read() && slot.face.rf != INIT && slot.face.rf != NONE && fits(slot.face.rf) {
                    add(slot.face.rf);
                }
            }
            _ if !slot.is_write() => {}
            Prim::Co | Prim::Coe | Prim::Coi => {
                let co = &web.co[slot.face.loc.index()];
                co.iter().take_while(|&&x| x != e).filter(|&&x| fits(x)).for_each(|&x| add(x));
            }
            _ => {
                let co = &web.co[slot.face.loc.index()];
                let earlier = |w: Ev| w == INIT || co.iter().take_while(|&&x| x != e).any(|&x| x == w);
                for x in web.events() {
                    let other = web.at(x);
                    if other.is_read()
                        && other.face.loc == slot.face.loc
                        && other.is_there()
                        && fits(x)
                        && earlier(other.face.rf)
                    {
                        add(x);
                    }
                }
            }
        }
    }

    /// The events right after `e` in an order: by coherence and from-read alone.
    fn after(&self, k: usize, e: Ev, add: &mut dyn FnMut(Ev)) {
        let (order, closure) = self.order(k);
        if closure {
            return;
        }
        let web = self.web;
        let slot = web.at(e);
        let from = match slot.face.kind {
            Kind::Read => slot.face.rf,
            Kind::Write => e,
            _ => return,
        };
        let co = &web.co[slot.face.loc.index()];
        let place =
            if from == INIT { 0 } else { co.iter().position(|&x| x == from).map_or(co.len(), |at| at + 1) };
        let later = &co[place..];
        if later.is_empty() {
            return;
        }
        for direct in order.direct.iter().filter(|d| self.model.begins(d, slot.face.attrs)) {
            let external = match (direct.step, slot.is_read()) {
                (Prim::Co, false) | (Prim::Fr, true) => None,
                (Prim::Coe, false) | (Prim::Fre, true) => Some(true),
                (Prim::Coi, false) | (Prim::Fri, true) => Some(false),
                _ => continue,
            };
            for &y in later {
                if external.is_none_or(|wanted| self.is_external(y, e) == wanted)
                    && self.model.ends(direct, web.at(y).face.attrs)
                {
                    add(y);
                }
            }
        }
    }
}

/// An execution, to ask for what is before an event.
struct Around<'a, 'v, S> {
    view: &'a View<'v, S>,
    rows: &'a Rows,
}

impl<S: Clone> Surroundings for Around<'_, '_, S> {
    fn words(&self) -> usize {
        self.rows.words
    }

    fn before(&self, prim: Prim, e: u32, out: &mut [u64]) {
        if e == INIT {
            return;
        }
        let web = self.view.web;
        let slot = web.at(e);
        let events = &web.line(slot.tid).events;
        let earlier = &events[..slot.idx as usize - 1];
        let at = |idx: u32| events[idx as usize - 1];
        let is_access = |x: Ev| web.at(x).is_read() || web.at(x).is_write();
        let same = |x: &&Ev| is_access(**x) && is_access(e) && web.at(**x).face.loc == slot.face.loc;
        let mut add = |x: Ev| insert(out, x);
        match prim {
            Prim::Po => earlier.iter().for_each(|&x| add(x)),
            Prim::PoImm => earlier.last().into_iter().for_each(|&x| add(x)),
            Prim::PoLoc => earlier.iter().filter(same).for_each(|&x| add(x)),
            Prim::Rf | Prim::Rfe if slot.is_read() && slot.face.rf == INIT => add(INIT),
            Prim::Rf | Prim::Rfe | Prim::Rfi => self.view.before_direct(prim, e, &mut add),
            Prim::Rmw if slot.is_rmw_write() => add(at(slot.idx - 1)),
            Prim::Addr => slot.at.deps.addr.iter().for_each(|idx| add(at(idx))),
            Prim::Data => slot.at.deps.data.iter().for_each(|idx| add(at(idx))),
            Prim::Ctrl => slot.at.deps.ctrl.iter().for_each(|idx| add(at(idx))),
            Prim::CasDep => slot.at.deps.cas.iter().for_each(|idx| add(at(idx))),
            Prim::Publishes => slot.at.deps.publishes.iter().for_each(|idx| add(at(idx))),
            Prim::Detour => {
                let source = slot.face.rf;
                if slot.is_read() && source != INIT && source != NONE && web.at(source).tid != slot.tid {
                    let own = |x: &&Ev| same(x) && web.at(**x).is_write();
                    earlier.iter().filter(own).for_each(|&x| add(x));
                }
            }
            Prim::Tc if slot.idx == 1 => web.spawn_of(slot.tid).into_iter().for_each(add),
            Prim::Tj => {
                if let Op::Join { thread } = slot.at.op {
                    let last = web.line(thread).events.last().copied();
                    last.or_else(|| web.spawn_of(thread)).into_iter().for_each(add);
                }
            }
            _ => {}
        }
    }

    fn readers(&self, w: u32, out: &mut [u64]) {
        let web = self.view.web;
        let reads = |x: &Ev| web.at(*x).is_read() && web.at(*x).face.rf == w && web.at(*x).is_there();
        web.events().filter(reads).for_each(|x| insert(out, x));
    }

    fn agreed(&self, e: u32, out: &mut [u64]) {
        if e != INIT {
            unite(out, self.rows.row(0, e));
        }
    }

    fn attrs(&self, e: u32) -> Attrs {
        match e {
            INIT => Attrs::of(Kind::Init, selvedge_graph::Mode::Na, false),
            e => self.view.web.at(e).face.attrs,
        }
    }

    fn same_location(&self, x: u32, e: u32) -> bool {
        if x == INIT || e == INIT {
            return true;
        }
        let (x, e) = (self.view.web.at(x), self.view.web.at(e));
        let is_access = |k: Kind| matches!(k, Kind::Read | Kind::Write);
        is_access(x.face.kind) && is_access(e.face.kind) && x.face.loc == e.face.loc
    }

    fn same_thread(&self, x: u32, e: u32) -> bool {
        x == e || x != INIT && e != INIT && self.view.web.at(x).tid == self.view.web.at(e).tid
    }
}
