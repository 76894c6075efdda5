//! What is before some events, by the terms of a persistency model, in one execution.

use super::bits::Bits;
use super::{Node, Persistency};
use selvedge_graph::{Attrs, EventId, ExecutionGraph, Kind, Loc, Medium, MediumKind, Part, PersistOp, Tid};
use selvedge_kat::ast::{DefBody, Persist, Pred, Prim, Set};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Persists-before in one execution.
pub struct Order<'a> {
    model: &'a Persistency,
    g: &'a ExecutionGraph,
    memo: &'a mut Memo,
}

/// What was found out about one execution.
#[derive(Debug, Default)]
pub struct Memo {
    /// By event: where what it is about is kept.
    media: Vec<Option<Medium>>,
    /// Durable events by cache line, or by file.
    units: HashMap<(bool, u32), Unit>,
    /// What transitive closures and intersections relate to one event.
    known: HashMap<(u32, EventId), Rc<Bits>>,
    /// Of closures, for which events of a thread that is so, by their place in it.
    closed: HashMap<(u32, Tid), BTreeMap<u32, EventId>>,
    /// The events for which a test holds, by its node.
    tests: HashMap<u32, Rc<Bits>>,
    /// By thread: the events before a place in it, the place that was asked for last.
    prefixes: HashMap<Tid, (u32, Bits)>,
    /// By event: which copy, or access of several words, it is a piece of, from 1.
    pieces: Vec<u32>,
    pasts: HashMap<EventId, Rc<Past>>,
}

/// What is durable in a cache line, or in a file.
#[derive(Debug)]
struct Unit {
    events: Vec<EventId>,
    set: Bits,
    /// Accesses by kind and block.
    blocks: HashMap<(MediumKind, u32), Vec<EventId>>,
    /// Writes of bytes, by their offset.
    bytes: HashMap<u32, Vec<EventId>>,
}

/// What persists before something: by location, the latest durable write in coherence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Past {
    /// The location, and the place of the write in coherence.
    pub latest: Vec<(Loc, u32)>,
    /// A write persists before itself, which is not possible: `pb` is no order here.
    pub cyclic: bool,
}

impl Memo {
    /// Of an execution; `medium` says where durable locations are kept.
    pub fn new(g: &ExecutionGraph, medium: &dyn Fn(Loc) -> Option<Medium>) -> Memo {
        let mut memo = Memo { media: vec![None; g.arena_len()], pieces: pieces(g), ..Memo::default() };
        for &e in &g.order()[1..] {
            let ev = g.event(e);
            memo.media[e.index()] = match ev.kind {
                Kind::Read | Kind::Write => medium(ev.loc),
                Kind::Persist => {
                    ev.persists().filter(|(op, _)| *op != PersistOp::Copy).and_then(|(op, unit)| {
                        let kind = if op.is_flush() { MediumKind::Memory } else { MediumKind::Journal };
                        Some(Medium { kind, unit: unit?, block: 0, offset: 0 })
                    })
                }
                _ => None,
            };
            if let Some(of) = memo.media[e.index()] {
                let unit = memo.units.entry(unit(of)).or_insert_with(|| Unit {
                    events: Vec::new(),
                    set: Bits::empty(g.arena_len()),
                    blocks: HashMap::new(),
                    bytes: HashMap::new(),
                });
                unit.events.push(e);
                unit.set.add(e);
                if ev.kind != Kind::Persist {
                    unit.blocks.entry((of.kind, of.block)).or_default().push(e);
                }
                if of.kind == MediumKind::Data && ev.is_write() {
                    unit.bytes.entry(of.offset).or_default().push(e);
                }
            }
        }
        memo
    }

    fn are_of_one_copy(&self, a: EventId, b: EventId) -> bool {
        self.pieces[a.index()] != 0 && self.pieces[a.index()] == self.pieces[b.index()]
    }
}

/// Which copy, or atomic access of several words, each write is a piece of; 0 for those that are of none.
fn pieces(g: &ExecutionGraph) -> Vec<u32> {
    let mut pieces = vec![0; g.arena_len()];
    let mut last = 0;
    for t in (0..g.threads() as u16).map(Tid) {
        let mut left = 0;
        for &e in g.thread(t) {
            let ev = g.event(e);
            if let Some((PersistOp::Copy, Some(writes))) = ev.persists() {
                left = writes;
                last += 1;
            } else if ev.is_write() && left > 0 {
                left -= 1;
                pieces[e.index()] = last;
            } else if ev.is_write() && ev.part != Part::WHOLE {
                last += u32::from(ev.part.before == 0);
                pieces[e.index()] = last;
            }
        }
    }
    pieces
}

impl<'a> Order<'a> {
    pub(super) fn new(model: &'a Persistency, g: &'a ExecutionGraph, memo: &'a mut Memo) -> Order<'a> {
        Order { model, g, memo }
    }

    /// What has to have persisted if `e` has, `e` included if it is a write.
    pub fn past(&mut self, e: EventId) -> Rc<Past> {
        if let Some(known) = self.memo.pasts.get(&e) {
            return Rc::clone(known);
        }
        let mut start = self.nothing();
        start.add(e);
        let before = self.before(self.model.root, &start);
        let mut latest: HashMap<Loc, u32> = HashMap::new();
        let cyclic = self.g.event(e).is_write() && before.has(e);
        for w in before.iter().chain([e]) {
            let ev = self.g.event(w);
            if ev.is_write()
                && self.memo.media[w.index()].is_some()
                && let Some(pos) = self.g.co_pos(w)
            {
                let entry = latest.entry(ev.loc).or_insert(0);
                *entry = (*entry).max(pos as u32);
            }
        }
        let mut latest: Vec<(Loc, u32)> = latest.into_iter().collect();
        latest.sort();
        let past = Rc::new(Past { latest, cyclic });
        self.memo.pasts.insert(e, Rc::clone(&past));
        past
    }

    /// What has persisted in any case: what is before a barrier that was passed.
    pub fn surely(&mut self) -> Vec<Rc<Past>> {
        let barrier = |e: &EventId| matches!(self.g.event(*e).persists(), Some((PersistOp::Barrier, _)));
        let barriers: Vec<EventId> = self.g.order()[1..].iter().copied().filter(barrier).collect();
        barriers.into_iter().map(|e| self.past(e)).collect()
    }

    fn nothing(&self) -> Bits {
        Bits::empty(self.g.arena_len())
    }

    /// The events from which a term leads to one of `to`. The initialising event is left out: nothing is
    /// before it, and it has always persisted.
    fn before(&mut self, at: u32, to: &Bits) -> Bits {
        let model = self.model;
        match model.node(at) {
            Node::Empty => self.nothing(),
            Node::Id => to.clone(),
            Node::Test(set) => {
                let mut out = to.clone();
                out.intersect(&self.test(at, set));
                out
            }
            Node::Cross(a, b) => {
                let mut out = self.nothing();
                if to.iter().any(|e| self.holds(b, e)) {
                    let g = self.g;
                    g.order()[1..].iter().filter(|e| self.holds(a, **e)).for_each(|e| _ = out.add(*e));
                }
                out
            }
            Node::Prim(prim) => self.step(*prim, to),
            Node::Union(a, b) => {
                let mut out = self.before(*a, to);
                out.unite(&self.before(*b, to));
                out
            }
            Node::Seq(a, b) => {
                let middle = self.before(*b, to);
                if middle.is_empty() { middle } else { self.before(*a, &middle) }
            }
            Node::Opt(a) => {
                let mut out = self.before(*a, to);
                out.unite(to);
                out
            }
            Node::Plus(a) => self.closure(at, *a, to),
            Node::Inter(a, b) => self.one_by_one(at, (*a, *b), to, |one, other| one.intersect(other)),
            Node::Diff(a, b) => self.one_by_one(at, (*a, *b), to, |one, other| one.subtract(other)),
        }
    }

    fn closure(&mut self, at: u32, step: u32, to: &Bits) -> Bits {
        let mut ends = to.iter();
        // Intersections ask for the same again and again.
        let single = ends.next().filter(|_| ends.next().is_none());
        if let Some(known) = single.and_then(|e| self.memo.known.get(&(at, e))) {
            return Bits::clone(known);
        }
        let mut out = self.before(step, to);
        let mut new = out.clone();
        if let Some(e) = single {
            // What is before an event of the same thread that is before this one is known, maybe.
            let ev = self.g.event(e);
            let earlier = self.memo.closed.get(&(at, ev.tid)).and_then(|all| all.range(..ev.idx).next_back());
            if let Some((_, &p)) = earlier.filter(|(_, p)| out.has(**p))
                && let Some(known) = self.memo.known.get(&(at, p))
            {
                new.subtract(known);
                new.remove(p);
                out.unite(known);
            }
        }
        while !new.is_empty() {
            let mut next = self.before(step, &new);
            next.subtract(&out);
            out.unite(&next);
            new = next;
        }
        if let Some(e) = single {
            self.memo.known.insert((at, e), Rc::new(out.clone()));
            let ev = self.g.event(e);
            self.memo.closed.entry((at, ev.tid)).or_default().insert(ev.idx, e);
        }
        out
    }

    /// The events for which a test holds.
    fn test(&mut self, at: u32, set: &Set) -> Rc<Bits> {
        if let Some(known) = self.memo.tests.get(&at) {
            return Rc::clone(known);
        }
        let mut all = self.nothing();
        self.g.order()[1..].iter().filter(|e| self.holds(set, **e)).for_each(|e| _ = all.add(*e));
        let all = Rc::new(all);
        self.memo.tests.insert(at, Rc::clone(&all));
        all
    }

    /// The events of a thread before a place in it.
    fn prefix(&mut self, t: Tid, place: u32) -> &Bits {
        let g = self.g;
        let (known, events) = self.memo.prefixes.entry(t).or_insert_with(|| (0, Bits::empty(g.arena_len())));
        if *known > place {
            *known = 0;
            *events = Bits::empty(g.arena_len());
        }
        let thread = g.thread(t);
        let from = thread.partition_point(|e| g.event(*e).idx < *known);
        thread[from..].iter().take_while(|e| g.event(**e).idx < place).for_each(|e| _ = events.add(*e));
        *known = place;
        events
    }

    /// For terms that look at both ends of a pair.
    fn one_by_one(&mut self, at: u32, (a, b): (u32, u32), to: &Bits, both: fn(&mut Bits, &Bits)) -> Bits {
        let mut out = self.nothing();
        for e in to.iter() {
            if let Some(known) = self.memo.known.get(&(at, e)) {
                out.unite(known);
                continue;
            }
            let mut this = self.nothing();
            this.add(e);
            let mut left = self.before(a, &this);
            if !left.is_empty() {
                let right = self.before(b, &this);
                both(&mut left, &right);
            }
            out.unite(&left);
            self.memo.known.insert((at, e), Rc::new(left));
        }
        out
    }

    fn step(&mut self, prim: Prim, to: &Bits) -> Bits {
        let g = self.g;
        let mut out = self.nothing();
        if prim == Prim::Po {
            let mut last = vec![0; g.threads()];
            for e in to.iter() {
                let ev = g.event(e);
                let last = &mut last[ev.tid.index()];
                *last = ev.idx.max(*last);
            }
            for (t, last) in last.into_iter().enumerate().filter(|(_, last)| *last > 0) {
                out.unite(self.prefix(Tid(t as u16), last));
            }
            return out;
        }
        if prim == Prim::SameInode {
            let units = to.iter().filter_map(|e| self.memo.media[e.index()]);
            let files = units.filter(|of| of.kind != MediumKind::Memory).map(unit);
            files.filter_map(|of| self.memo.units.get(&of)).for_each(|unit| out.unite(&unit.set));
            return out;
        }
        for e in to.iter() {
            self.step_to(prim, e, &mut |x| {
                if !x.is_init() {
                    out.add(x);
                }
            });
        }
        out
    }

    fn step_to(&self, prim: Prim, e: EventId, found: &mut dyn FnMut(EventId)) {
        let g = self.g;
        let ev = g.event(e);
        let is_access = matches!(ev.kind, Kind::Read | Kind::Write);
        let own = |x: EventId| g.event(x).tid == ev.tid && !x.is_init();
        match prim {
            Prim::Po | Prim::SameInode => unreachable!("taken together"),
            Prim::PoImm => g.po_pred(e).into_iter().for_each(found),
            Prim::PoLoc if is_access => {
                let thread = g.thread(ev.tid).iter().take_while(|x| **x != e);
                let same = |x: &&EventId| {
                    let x = g.event(**x);
                    (x.is_read() || x.is_write()) && x.loc == ev.loc
                };
                thread.filter(same).for_each(|x| found(*x));
            }
            Prim::Rf | Prim::Rfe | Prim::Rfi => {
                let wanted = |x: &EventId| match prim {
                    Prim::Rfe => !own(*x),
                    Prim::Rfi => own(*x),
                    _ => true,
                };
                if ev.is_read() {
                    g.rf(e).into_iter().filter(wanted).for_each(found);
                }
            }
            Prim::Co | Prim::Coe | Prim::Coi | Prim::Fr | Prim::Fre | Prim::Fri if ev.is_write() => {
                let Some(pos) = g.co_pos(e) else { return };
                let before = &g.co(ev.loc)[..pos];
                match prim {
                    Prim::Co => before.iter().for_each(|x| found(*x)),
                    Prim::Coe => before.iter().filter(|x| !own(**x)).for_each(|x| found(*x)),
                    Prim::Coi => before.iter().filter(|x| own(**x)).for_each(|x| found(*x)),
                    _ => {
                        for r in before.iter().flat_map(|w| g.readers(*w, ev.loc)) {
                            let wanted = match prim {
                                Prim::Fre => !own(r),
                                Prim::Fri => own(r),
                                _ => true,
                            };
                            if wanted {
                                found(r);
                            }
                        }
                    }
                }
            }
            Prim::Rmw if ev.is_rmw_write() => g.rmw_read_of(e).into_iter().for_each(found),
            Prim::Tc if ev.idx == 1 => g.spawn_of(ev.tid).into_iter().for_each(found),
            Prim::Tj if ev.kind == Kind::Join => {
                g.thread(ev.peer).last().copied().or_else(|| g.spawn_of(ev.peer)).into_iter().for_each(found);
            }
            // Threads that meet at a barrier: arrivals are before departures.
            Prim::Tj if ev.kind == Kind::Depart => {
                let arrival = g.po_pred(e).filter(|x| g.event(*x).kind == Kind::Arrive);
                let round = arrival.map_or(&[][..], |arrival| g.round(arrival));
                round.iter().for_each(|x| found(*x));
            }
            Prim::Loc | Prim::LocOverlap if is_access => {
                for &x in &g.order()[1..] {
                    let other = g.event(x);
                    let same = (other.is_read() || other.is_write()) && other.loc == ev.loc;
                    if same && (prim == Prim::Loc || x != e) {
                        found(x);
                    }
                }
            }
            Prim::Int => g.thread(ev.tid).iter().for_each(|x| found(*x)),
            Prim::Ext => g.order()[1..].iter().filter(|x| !own(**x)).for_each(|x| found(*x)),
            Prim::Any => g.order()[1..].iter().for_each(|x| found(*x)),
            Prim::SameLine => {
                let Some(unit) = self.unit_of(e).filter(|(of, _)| of.kind == MediumKind::Memory) else {
                    return;
                };
                let pieces = |x: &EventId| *x != e && self.memo.are_of_one_copy(*x, e);
                unit.1.events.iter().filter(|x| !pieces(x)).for_each(|x| found(*x));
            }
            Prim::SameBlock if ev.kind != Kind::Persist => {
                let Some((of, unit)) = self.unit_of(e).filter(|(of, _)| of.kind != MediumKind::Memory) else {
                    return;
                };
                unit.blocks.get(&(of.kind, of.block)).into_iter().flatten().for_each(|x| found(*x));
            }
            Prim::Appends if ev.is_write() => {
                let Some((of, old, new)) = self.growth(e) else { return };
                let Some(unit) = self.memo.units.get(&unit(of)) else { return };
                let offsets = old.max(0)..new.min(i64::from(u32::MAX));
                offsets.filter_map(|at| unit.bytes.get(&(at as u32))).flatten().for_each(|x| found(*x));
            }
            _ => {}
        }
    }

    /// What an event is about, and what else is.
    fn unit_of(&self, e: EventId) -> Option<(Medium, &Unit)> {
        let of = self.memo.media[e.index()]?;
        Some((of, self.memo.units.get(&unit(of))?))
    }

    /// The write of a size: of which file, and from how much to how much.
    fn growth(&self, e: EventId) -> Option<(Medium, i64, i64)> {
        let ev = self.g.event(e);
        let of = self.memo.media[e.index()].filter(|of| ev.is_write() && of.kind == MediumKind::Metadata)?;
        let before = self.g.co(ev.loc).get(self.g.co_pos(e)?.checked_sub(1)?)?;
        Some((of, self.g.value_of(*before, ev.loc), ev.value))
    }

    fn holds(&self, set: &Set, e: EventId) -> bool {
        match set {
            Set::Empty | Set::Declared(_) => false,
            Set::Def(id) => match &self.model.theory.defs[id.0 as usize].body {
                DefBody::Set(set) => self.holds(set, e),
                DefBody::Rel(_) => false,
            },
            Set::Union(a, b) => self.holds(a, e) || self.holds(b, e),
            Set::Inter(a, b) => self.holds(a, e) && self.holds(b, e),
            Set::Diff(a, b) => self.holds(a, e) && !self.holds(b, e),
            Set::Not(a) => !self.holds(a, e),
            Set::Domain(_) | Set::Range(_) => false,
            Set::Pred(Pred::Persist(persist)) => self.persists(*persist, e),
            Set::Pred(pred) => {
                let ev = self.g.event(e);
                crate::guard::Guard::of(*pred).holds(ev.attrs.minus(Attrs::INIT))
            }
        }
    }

    fn persists(&self, what: Persist, e: EventId) -> bool {
        let ev = self.g.event(e);
        let access = matches!(ev.kind, Kind::Read | Kind::Write);
        let kind = self.memo.media[e.index()].filter(|_| access).map(|of| of.kind);
        let op = ev.persists().map(|(op, _)| op);
        match what {
            Persist::Durable => kind.is_some(),
            Persist::Recovery => false,
            Persist::NotRecovery => true,
            Persist::Memory => kind == Some(MediumKind::Memory),
            Persist::Data => kind == Some(MediumKind::Data),
            Persist::Metadata => kind == Some(MediumKind::Metadata),
            Persist::Directory => kind == Some(MediumKind::Directory),
            Persist::Journal => kind == Some(MediumKind::Journal),
            Persist::Straddles => self.growth(e).is_some_and(|(of, old, new)| {
                let block = of.offset.max(1) as i64;
                old % block != 0 && new > (old / block + 1) * block
            }),
            Persist::Clflush => op == Some(PersistOp::Clflush),
            Persist::ClflushOpt => matches!(op, Some(PersistOp::ClflushOpt | PersistOp::Clwb)),
            Persist::Flush => {
                matches!(op, Some(PersistOp::Clflush | PersistOp::ClflushOpt | PersistOp::Clwb))
            }
            Persist::Fsync => op == Some(PersistOp::Fsync),
            Persist::SyncAll => op == Some(PersistOp::SyncAll),
            Persist::Barrier => op == Some(PersistOp::Barrier),
            Persist::StoreFence => op == Some(PersistOp::StoreFence),
        }
    }
}

/// Lines of memory and files are numbered apart.
fn unit(of: Medium) -> (bool, u32) {
    (of.kind == MediumKind::Memory, of.unit)
}
