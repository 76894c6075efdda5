//! Letters: steps from one event of a graph to another.
//!
//! A letter is a base relation, whose successors a graph can list, and conditions on the pair. So
//! `rfe` is `rf` with "not the same thread", and `po \ po-loc` is `po` with "not the same location".

use selvedge_graph::{DepSet, Deps, EventId, ExecutionGraph, Kind};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Base {
    PoImm,
    /// All of program order; without conditions it is written as steps of `PoImm`.
    Po,
    Rf,
    Co,
    /// Neighbours in coherence: only made from `Co`, where repeating the step gives the same.
    CoImm,
    Fr,
    /// To the first write after the source only: made from `Fr` as `CoImm` from `Co`.
    FrImm,
    Rmw,
    Tc,
    /// From the end of a thread to whoever joins it; from the arrivals of a round at a barrier to its
    /// departures.
    Tj,
    /// Different accesses of one location, the initialising event left out.
    LocOverlap,
    /// A view that is stored as a clock, the initialising event left out: in terms by its number among
    /// the views that the terms use, in automata by its slot.
    View(u16),
    /// A dependency, from a read to a later event of its thread; only in models that follow them.
    Dep(Dep),
    /// The same from the write of a read-modify-write, of what depends on its read: `rmw^-1 ; addr`.
    AmoDep(Dep),
    /// What a model says of one thread, by the number of its sets (`strands.rs`).
    Strand(u16),
}

/// A kind of dependency.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dep {
    Addr,
    Data,
    Ctrl,
    /// Of what a compare-and-swap expects.
    Cas,
    /// Of what the write of a reference publishes; this one is from writes.
    Publishes,
}

impl Dep {
    #[inline]
    pub fn of(self, deps: &Deps) -> &DepSet {
        match self {
            Dep::Addr => &deps.addr,
            Dep::Data => &deps.data,
            Dep::Ctrl => &deps.ctrl,
            Dep::Cas => &deps.cas,
            Dep::Publishes => &deps.publishes,
        }
    }

    pub(crate) fn pair(self) -> Pairs {
        match self {
            Dep::Addr => Pairs::ADDR,
            Dep::Data => Pairs::DATA,
            Dep::Ctrl => Pairs::CTRL,
            Dep::Cas => Pairs::CAS,
            Dep::Publishes => Pairs::PUBLISHES,
        }
    }

    fn relates(self, g: &ExecutionGraph, x: EventId, y: EventId) -> bool {
        let (a, b) = (g.event(x), g.event(y));
        !x.is_init() && a.tid == b.tid && g.deps(y).is_some_and(|deps| self.of(deps).contains(a.idx))
    }
}

/// Conditions on a pair of events, each O(1) to test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Pairs(pub u16);

impl Pairs {
    pub const NONE: Pairs = Pairs(0);
    pub const PO: Pairs = Pairs(1);
    pub const PO_IMM: Pairs = Pairs(1 << 1);
    pub const INT: Pairs = Pairs(1 << 2);
    pub const LOC: Pairs = Pairs(1 << 3);
    pub const RF: Pairs = Pairs(1 << 4);
    pub const CO: Pairs = Pairs(1 << 5);
    pub const FR: Pairs = Pairs(1 << 6);
    pub const RMW: Pairs = Pairs(1 << 7);
    pub const TC: Pairs = Pairs(1 << 8);
    pub const TJ: Pairs = Pairs(1 << 9);
    pub const DETOUR: Pairs = Pairs(1 << 10);
    pub const ADDR: Pairs = Pairs(1 << 11);
    pub const DATA: Pairs = Pairs(1 << 12);
    pub const CTRL: Pairs = Pairs(1 << 13);
    pub const CAS: Pairs = Pairs(1 << 14);
    pub const PUBLISHES: Pairs = Pairs(1 << 15);

    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    pub fn with(self, other: Pairs) -> Pairs {
        Pairs(self.0 | other.0)
    }

    pub fn has(self, other: Pairs) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline]
    pub fn each(self) -> impl Iterator<Item = Pairs> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = rest & rest.wrapping_neg();
            rest ^= lowest;
            (lowest != 0).then_some(Pairs(lowest))
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Letter {
    pub base: Base,
    pub must: Pairs,
    pub mustnot: Pairs,
}

impl Letter {
    pub fn plain(base: Base) -> Letter {
        Letter { base, must: Pairs::default(), mustnot: Pairs::default() }
    }

    /// Whether it looks at the clocks of this slot.
    pub(crate) fn asks(self, slot: usize) -> bool {
        matches!(self.base, Base::View(view) if view as usize == slot)
    }

    pub fn is_plain(self) -> bool {
        self.must.is_none() && self.mustnot.is_none()
    }

    /// Whether the step goes from an event to one that has it in its causal past (`po`, `rf`, thread
    /// creation and joining), so that clocks can follow it.
    pub fn is_causal(self) -> bool {
        matches!(self.base, Base::PoImm | Base::Po | Base::Rf | Base::Rmw | Base::Tc | Base::Tj)
    }

    /// Whether the step goes along causal order: by a step of it, or by a view or a dependency, which are
    /// part of it.
    pub fn is_within_causal(self) -> bool {
        self.is_causal() || self.is_view() || self.is_dependency()
    }

    /// Whether the graph has to keep track of dependencies.
    pub fn needs_deps(self) -> bool {
        let all = Pairs::ADDR.with(Pairs::DATA).with(Pairs::CTRL).with(Pairs::CAS).with(Pairs::PUBLISHES);
        self.is_dependency() || self.must.with(self.mustnot).0 & all.0 != 0
    }

    fn is_dependency(self) -> bool {
        matches!(self.base, Base::Dep(_) | Base::AmoDep(_) | Base::Strand(_))
    }

    pub fn is_view(self) -> bool {
        matches!(self.base, Base::View(_))
    }

    /// Whether the step goes from a write to a reader of it, or to a write that is later in coherence than it
    /// or than what it reads.
    pub fn is_communication(self) -> bool {
        matches!(self.base, Base::Rf | Base::Co | Base::CoImm | Base::Fr | Base::FrImm)
    }

    pub fn allows(self, g: &ExecutionGraph, x: EventId, y: EventId) -> bool {
        self.must.each().all(|p| related(g, p, x, y)) && !self.mustnot.each().any(|p| related(g, p, x, y))
    }

    /// Calls `f` on every event that one step leads to.
    #[inline]
    pub fn successors(self, g: &ExecutionGraph, x: EventId, mut f: impl FnMut(EventId)) {
        if self.is_plain() {
            return self.base_successors(g, x, f);
        }
        let ev = g.event(x);
        let at_location = matches!(ev.kind, Kind::Read | Kind::Write);
        match (self.base, self.must, self.mustnot) {
            (Base::Po, Pairs::NONE, Pairs::LOC) if !x.is_init() => {
                let elsewhere = |y: EventId| {
                    let other = g.event(y);
                    !(at_location && other.loc == ev.loc && matches!(other.kind, Kind::Read | Kind::Write))
                };
                g.thread(ev.tid)[ev.idx as usize..].iter().filter(|&&y| elsewhere(y)).for_each(|&y| f(y));
            }
            (Base::View(slot), Pairs::LOC, Pairs::NONE) => {
                for t in (0..if at_location { g.threads() as u16 } else { 0 }).map(selvedge_graph::Tid) {
                    // What an event knows, later ones of its thread know, too.
                    let accesses = g.accesses_after(ev.loc, t, 0);
                    accesses.take_while(|&y| g.includes(y, slot as usize, x)).for_each(&mut f);
                }
            }
            _ => self.base_successors(g, x, |y| {
                if self.allows(g, x, y) {
                    f(y);
                }
            }),
        }
    }

    #[inline]
    fn base_successors(self, g: &ExecutionGraph, x: EventId, mut f: impl FnMut(EventId)) {
        let ev = g.event(x);
        match self.base {
            Base::PoImm => {
                if x.is_init() {
                    firsts(g).for_each(f);
                } else if let Some(y) = g.po_succ(x) {
                    f(y);
                }
            }
            Base::Po => {
                if x.is_init() {
                    g.order()[1..].iter().copied().for_each(f);
                } else {
                    g.thread(ev.tid)[ev.idx as usize..].iter().copied().for_each(f);
                }
            }
            Base::Rf => match ev.kind {
                Kind::Write => g.readers(x, ev.loc).for_each(f),
                Kind::Init => locs(g).for_each(|l| g.readers(x, l).for_each(&mut f)),
                _ => {}
            },
            Base::Co | Base::CoImm => {
                let most = if self.base == Base::CoImm { 1 } else { usize::MAX };
                match ev.kind {
                    Kind::Write => {
                        if let Some(pos) = g.co_pos(x) {
                            g.co(ev.loc)[pos + 1..].iter().copied().take(most).for_each(f);
                        }
                    }
                    Kind::Init => {
                        locs(g).for_each(|l| g.co(l)[1..].iter().copied().take(most).for_each(&mut f))
                    }
                    _ => {}
                }
            }
            Base::Fr | Base::FrImm => {
                let most = if self.base == Base::FrImm { 1 } else { usize::MAX };
                if let Some(pos) =
                    (ev.kind == Kind::Read).then(|| g.rf(x)).flatten().and_then(|w| g.co_pos(w))
                {
                    g.co(ev.loc)[pos + 1..].iter().copied().take(most).for_each(f);
                }
            }
            Base::Rmw => {
                g.rmw_write_of(x).into_iter().for_each(f);
            }
            Base::Tc => {
                if ev.kind == Kind::Spawn {
                    g.thread(ev.peer).first().copied().into_iter().for_each(f);
                }
            }
            Base::Tj => {
                if !g.has_joins() || x.is_init() {
                    return;
                }
                if ev.kind == Kind::Arrive {
                    let departures = g.round(x).iter().filter_map(|&a| g.po_succ(a));
                    return departures.for_each(f);
                }
                if ev.kind == Kind::Spawn || g.po_succ(x).is_none() {
                    waiting_for(g, x).for_each(f);
                }
            }
            Base::View(slot) => {
                if x.is_init() {
                    return;
                }
                for t in (0..g.threads() as u16).map(selvedge_graph::Tid) {
                    // What an event knows, later ones of its thread know, too.
                    let thread = g.thread(t);
                    let first = thread.partition_point(|&y| !g.includes(y, slot as usize, x));
                    thread[first..].iter().copied().for_each(&mut f);
                }
            }
            Base::Dep(dep) => {
                if !x.is_init() {
                    dependents(g, x, dep).for_each(f);
                }
            }
            Base::AmoDep(dep) => {
                if let Some(r) = g.po_pred(x).filter(|&r| g.rmw_write_of(r) == Some(x)) {
                    dependents(g, r, dep).filter(|&y| y != x).for_each(f);
                }
            }
            Base::Strand(node) => {
                if !x.is_init() {
                    let later = &g.thread(ev.tid)[ev.idx as usize..];
                    let related = |y: &EventId| {
                        g.strands(*y).get(node as usize).is_some_and(|set| set.contains(ev.idx))
                    };
                    later.iter().copied().filter(related).for_each(f);
                }
            }
            Base::LocOverlap => {
                if matches!(ev.kind, Kind::Read | Kind::Write) {
                    for &w in g.co(ev.loc) {
                        for y in std::iter::once(w).chain(g.readers(w, ev.loc)) {
                            if y != x && !y.is_init() {
                                f(y);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What depends on a read.
fn dependents(g: &ExecutionGraph, x: EventId, dep: Dep) -> impl Iterator<Item = EventId> {
    let ev = g.event(x);
    let later = g.thread(ev.tid)[ev.idx as usize..].iter().copied();
    later.filter(move |&y| g.deps(y).is_some_and(|deps| dep.of(deps).contains(ev.idx)))
}

fn locs(g: &ExecutionGraph) -> impl Iterator<Item = selvedge_graph::Loc> {
    (0..g.locations() as u32).map(selvedge_graph::Loc)
}

fn firsts(g: &ExecutionGraph) -> impl Iterator<Item = EventId> {
    (0..g.threads() as u16).filter_map(|t| g.thread(selvedge_graph::Tid(t)).first().copied())
}

/// What a join waits for: the last event of the thread, or its creation if it has none.
pub fn tj_source(g: &ExecutionGraph, join: EventId) -> Option<EventId> {
    let ev = g.event(join);
    if ev.kind != Kind::Join {
        return None;
    }
    g.thread(ev.peer).last().copied().or_else(|| g.spawn_of(ev.peer))
}

/// The joins that wait for `x`: the last event of its thread, or the creation of a thread without events.
pub fn waiting_for(g: &ExecutionGraph, x: EventId) -> impl Iterator<Item = EventId> {
    let ev = g.event(x);
    let own = g.po_succ(x).is_none().then_some(ev.tid);
    let created = (ev.kind == Kind::Spawn).then_some(ev.peer);
    let ended = own.into_iter().chain(created);
    ended.flat_map(|t| g.joins_of(t)).filter(move |&y| tj_source(g, y) == Some(x))
}

fn related(g: &ExecutionGraph, pair: Pairs, x: EventId, y: EventId) -> bool {
    let (a, b) = (g.event(x), g.event(y));
    let is_access = |k: Kind| matches!(k, Kind::Read | Kind::Write);
    let pos = |e: EventId| g.co_pos(e);
    match pair {
        Pairs::PO => (x.is_init() && x != y) || (a.tid == b.tid && a.idx < b.idx),
        Pairs::PO_IMM => (x.is_init() && b.idx == 1) || (a.tid == b.tid && a.idx + 1 == b.idx),
        Pairs::INT => a.tid == b.tid,
        Pairs::LOC => {
            (x.is_init() && (y.is_init() || is_access(b.kind)))
                || (y.is_init() && is_access(a.kind))
                || (is_access(a.kind) && is_access(b.kind) && a.loc == b.loc)
        }
        Pairs::RF => g.rf(y) == Some(x),
        Pairs::CO => {
            b.kind == Kind::Write
                && (x.is_init() || (a.kind == Kind::Write && a.loc == b.loc && pos(x) < pos(y)))
        }
        Pairs::FR => {
            a.kind == Kind::Read
                && b.kind == Kind::Write
                && a.loc == b.loc
                && g.rf(x).is_some_and(|w| pos(w) < pos(y))
        }
        Pairs::RMW => g.rmw_write_of(x) == Some(y),
        Pairs::TC => a.kind == Kind::Spawn && b.tid == a.peer && b.idx == 1,
        Pairs::TJ => match b.kind {
            Kind::Join => tj_source(g, y) == Some(x),
            Kind::Depart => g.round(y).contains(&x),
            _ => false,
        },
        Pairs::DETOUR => {
            b.kind == Kind::Read
                && related(g, Pairs::PO, x, y)
                && g.rf(y).is_some_and(|w| {
                    let ew = g.event(w);
                    ew.tid != b.tid && ew.tid != a.tid && related(g, Pairs::CO, x, w)
                })
        }
        Pairs::ADDR => Dep::Addr.relates(g, x, y),
        Pairs::DATA => Dep::Data.relates(g, x, y),
        Pairs::CTRL => Dep::Ctrl.relates(g, x, y),
        Pairs::CAS => Dep::Cas.relates(g, x, y),
        Pairs::PUBLISHES => Dep::Publishes.relates(g, x, y),
        _ => unreachable!("one condition at a time"),
    }
}
