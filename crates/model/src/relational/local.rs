//! What a model says of one thread by itself: the part of its order that is made of program order,
//! dependencies and what a thread reads of its own.
//!
//! The explorer needs it for causal prefixes: which events an event cannot do without. It is taken from the
//! axiom that forbids cycles with `rfe`. Of each event, the earlier events of its thread that it is ordered
//! after are kept as sets; they are complete when the event is added.

use super::{Check, Node, Op, PlanStep, Relational};
use crate::guard::Guard;
use selvedge_graph::{Attrs, DepSet, Deps, Kind, Mode};
use selvedge_kat::Prim;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LocalOp {
    /// Something else, or not needed.
    Nothing,
    Id,
    Set(Guard),
    Prim(Prim),
    /// `po-loc & (fre ; rfe)`.
    Rereads,
    /// `po-loc & (moe ; rfe)`.
    Detours,
    /// From the write of a read-modify-write to its read.
    RmwInverse,
    Union(u32, u32),
    Inter(u32, u32),
    Diff(u32, u32),
    Seq(u32, u32),
    /// `a ; po`.
    ThenPo(u32),
    Plus(u32),
    Opt(u32),
}

/// The local order of a model.
#[derive(Clone, Debug)]
pub struct Local {
    ops: Vec<LocalOp>,
    /// Order that does not depend on which locations are accessed, by node.
    firm: Vec<u32>,
    /// Order that does.
    located: Vec<u32>,
    /// Whether there is order that depends on what reads read from: it counts in judgements only.
    pub by_source: bool,
    /// Something is ordered by way of the write of a read-modify-write that comes later.
    ahead: bool,
    /// A relation is taken away from another one: with more events around, there may be less order.
    takes_away: bool,
}

/// What is to be known of an event to find what it is ordered after.
pub struct LocalEvent<'a> {
    /// Position in its thread, from 1.
    pub idx: u32,
    pub attrs: Attrs,
    pub deps: &'a Deps,
    /// Earlier accesses of the same location.
    pub same_location: &'a DepSet,
    /// Those of them that write.
    pub same_written: &'a DepSet,
    /// The write of its own thread that it reads from.
    pub own_source: Option<u32>,
    /// If it reads from another thread: the earlier reads of the location that read another write.
    pub rereads: &'a DepSet,
    /// If it does: the earlier writes of the location.
    pub detours: &'a DepSet,
}

impl Relational {
    /// The local order; `None` if it cannot be told apart.
    pub fn local(&self) -> Option<Local> {
        let mut order = None;
        for step in self.steps.iter() {
            if let PlanStep::Check(Check::Acyclic(r), None) = step {
                let mut terms = Vec::new();
                self.terms(*r, &mut terms);
                let external = |n: &Node| matches!(self.ops[n.index()], Op::Prim(Prim::Rfe | Prim::Rf));
                if terms.iter().any(external) {
                    order = Some(terms);
                    break;
                }
            }
        }
        let order = order?;
        let (mut firm, mut located, mut by_source) = (Vec::new(), Vec::new(), false);
        let mut needed = vec![false; self.ops.len()];
        for term in order {
            if self.all_prims(term, &|p| is_external(p)) {
                continue;
            }
            if self.some_prim(term, &|p| matches!(p, Prim::Tc | Prim::Tj)) {
                continue; // threads are created and joined by a rule of their own
            }
            if !self.is_local(term, true) {
                by_source = true;
                continue;
            }
            by_source |= self.has_sourced(term);
            let by_location = |p: Prim| {
                use Prim::{Coi, Fri, Loc, LocOverlap, PoLoc, Publishes};
                matches!(p, PoLoc | Coi | Fri | Loc | LocOverlap | Publishes)
            };
            let list = if self.some_prim(term, &by_location) { &mut located } else { &mut firm };
            list.push(term.0);
            self.need(term, &mut needed);
        }
        let kept = (0..self.ops.len() as u32).filter(|n| needed[*n as usize]);
        let mut numbers = vec![u32::MAX; self.ops.len()];
        let mut ops = Vec::new();
        for n in kept {
            numbers[n as usize] = ops.len() as u32;
            ops.push(self.local_op(Node(n), &numbers));
        }
        let renumber = |list: Vec<u32>| list.into_iter().map(|n| numbers[n as usize]).collect();
        let ahead = ops.contains(&LocalOp::RmwInverse);
        let takes_away = takes_away(&ops);
        Some(Local { firm: renumber(firm), located: renumber(located), ops, by_source, ahead, takes_away })
    }

    /// Whether a term is part of the local order.
    pub(super) fn is_local_term(&self, term: Node) -> bool {
        !self.all_prims(term, &|p| is_external(p))
            && !self.some_prim(term, &|p| matches!(p, Prim::Tc | Prim::Tj))
            && self.is_local(term, true)
    }

    fn terms(&self, node: Node, out: &mut Vec<Node>) {
        match self.ops[node.index()] {
            Op::Union(a, b) => {
                self.terms(a, out);
                self.terms(b, out);
            }
            _ => out.push(node),
        }
    }

    fn parts(&self, node: Node) -> Vec<Node> {
        match &self.ops[node.index()] {
            Op::Empty | Op::Id | Op::Any | Op::Prim(_) | Op::Set(_) | Op::Unknown => Vec::new(),
            Op::Union(a, b) | Op::Inter(a, b) | Op::Diff(a, b) | Op::Seq(a, b) => vec![*a, *b],
            Op::Plus(a) | Op::Opt(a) | Op::Inverse(a) | Op::Domain(a) | Op::Range(a) => vec![*a],
        }
    }

    fn need(&self, node: Node, needed: &mut [bool]) {
        if !std::mem::replace(&mut needed[node.index()], true) {
            self.parts(node).into_iter().for_each(|part| self.need(part, needed));
        }
    }

    fn some_prim(&self, node: Node, test: &dyn Fn(Prim) -> bool) -> bool {
        match &self.ops[node.index()] {
            Op::Prim(p) => test(*p),
            _ => self.parts(node).into_iter().any(|part| self.some_prim(part, test)),
        }
    }

    fn all_prims(&self, node: Node, test: &dyn Fn(Prim) -> bool) -> bool {
        self.some_prim(node, &|_| true) && !self.some_prim(node, &|p| !test(p))
    }

    /// Whether it is `po-loc & (fre ; rfe)` or the like: order within a thread that is told by sources.
    fn is_sourced(&self, node: Node) -> bool {
        let Op::Inter(a, b) = self.ops[node.index()] else { return false };
        let is = |n: Node, prims: &[Prim]| matches!(&self.ops[n.index()], Op::Prim(p) if prims.contains(p));
        let path = |n: Node| match self.ops[n.index()] {
            Op::Seq(x, y) => is(x, &[Prim::Fre, Prim::Coe]) && is(y, &[Prim::Rfe]),
            _ => false,
        };
        is(a, &[Prim::PoLoc]) && path(b) || is(b, &[Prim::PoLoc]) && path(a)
    }

    fn has_sourced(&self, node: Node) -> bool {
        self.is_sourced(node) || self.parts(node).into_iter().any(|part| self.has_sourced(part))
    }

    /// Whether a term speaks of one thread, and is known when its later event is there. What is taken away
    /// must not depend on sources (`positive`).
    fn is_local(&self, node: Node, positive: bool) -> bool {
        match &self.ops[node.index()] {
            // It is left out: there may be less order than there is.
            Op::Inter(..) if self.is_sourced(node) => positive,
            Op::Empty | Op::Id | Op::Set(_) => true,
            Op::Any | Op::Unknown | Op::Domain(_) | Op::Range(_) => false,
            Op::Prim(p) => match p {
                Prim::Po
                | Prim::PoImm
                | Prim::PoLoc
                | Prim::Coi
                | Prim::Fri
                | Prim::Rmw
                | Prim::Addr
                | Prim::Data
                | Prim::Ctrl
                | Prim::CasDep
                | Prim::Publishes => true,
                Prim::Rfi => positive,
                _ => false,
            },
            Op::Inverse(a) => matches!(self.ops[a.index()], Op::Prim(Prim::Rmw)),
            Op::Diff(a, b) => self.is_local(*a, positive) && self.is_local(*b, false),
            Op::Union(a, b) | Op::Inter(a, b) | Op::Seq(a, b) => {
                self.is_local(*a, positive) && self.is_local(*b, positive)
            }
            Op::Plus(a) | Op::Opt(a) => self.is_local(*a, positive),
        }
    }

    fn local_op(&self, node: Node, numbers: &[u32]) -> LocalOp {
        let of = |n: &Node| numbers[n.index()];
        match &self.ops[node.index()] {
            Op::Id => LocalOp::Id,
            Op::Set(guard) => LocalOp::Set(guard.clone()),
            Op::Prim(p) => LocalOp::Prim(*p),
            Op::Inverse(_) => LocalOp::RmwInverse,
            Op::Union(a, b) => LocalOp::Union(of(a), of(b)),
            Op::Inter(..) if self.is_sourced(node) => LocalOp::Nothing,
            Op::Inter(a, b) => LocalOp::Inter(of(a), of(b)),
            Op::Diff(a, b) => LocalOp::Diff(of(a), of(b)),
            Op::Seq(a, b) if self.ops[b.index()] == Op::Prim(Prim::Po) => LocalOp::ThenPo(of(a)),
            Op::Seq(a, b) => LocalOp::Seq(of(a), of(b)),
            Op::Plus(a) => LocalOp::Plus(of(a)),
            Op::Opt(a) => LocalOp::Opt(of(a)),
            Op::Empty | Op::Any | Op::Unknown | Op::Domain(_) | Op::Range(_) => LocalOp::Nothing,
        }
    }
}

fn is_external(p: Prim) -> bool {
    matches!(p, Prim::Rf | Prim::Rfe | Prim::Co | Prim::Coe | Prim::Fr | Prim::Fre)
}

/// Whether a relation is taken away from another one. Of sets of events that does not count: what an event is
/// does not depend on others.
fn takes_away(ops: &[LocalOp]) -> bool {
    let mut sets: Vec<bool> = Vec::with_capacity(ops.len());
    for op in ops {
        let of = |n: &u32| sets[*n as usize];
        let is_set = match op {
            LocalOp::Id | LocalOp::Set(_) => true,
            LocalOp::Union(a, b) | LocalOp::Inter(a, b) | LocalOp::Seq(a, b) => of(a) && of(b),
            LocalOp::Diff(a, b) if of(a) && of(b) => true,
            LocalOp::Diff(..) => return true,
            _ => false,
        };
        sets.push(is_set);
    }
    false
}

impl Local {
    /// Whether something is ordered by way of the write of a read-modify-write that comes later.
    pub fn looks_ahead(&self) -> bool {
        self.ahead
    }

    /// Whether an event is ordered after each earlier one of its thread by what is true of the two, whatever
    /// stands between them and they depend on.
    pub fn orders(&self, first: Attrs, second: Attrs) -> bool {
        // What is taken away could be more with others around.
        if self.takes_away {
            return false;
        }
        let event = |idx, attrs| LocalEvent {
            idx,
            attrs,
            deps: &Deps::NONE,
            same_location: &DepSet::EMPTY,
            same_written: &DepSet::EMPTY,
            own_source: None,
            rereads: &DepSet::EMPTY,
            detours: &DepSet::EMPTY,
        };
        let (mut earlier, mut own) = (Vec::new(), Vec::new());
        self.compute(&event(2, first), &|_| &[], &mut earlier);
        // They need not be neighbours: of what stands before and between them nothing is known.
        let of_first = |idx| if idx == 2 { &earlier[..] } else { &[] };
        self.compute(&event(4, second), &of_first, &mut own);
        self.firm(&own).any(|set| set.contains(2))
    }

    /// Whether what a compare-and-swap stores may be read back, and other threads told of it, before it is
    /// made: `later`, a read that comes after it in its thread, is not ordered after its `read` although it
    /// reads what is written, and nor are writes after that.
    pub fn forwards_early(&self, read: Attrs, write: Attrs, later: Attrs) -> bool {
        let (first, second) = (DepSet::one(1), DepSet::one(2));
        let mut both = first.clone();
        both.union(&second);
        let event = |idx, attrs, same_location, same_written, own_source| LocalEvent {
            idx,
            attrs,
            deps: &Deps::NONE,
            same_location,
            same_written,
            own_source,
            rereads: &DepSet::EMPTY,
            detours: &DepSet::EMPTY,
        };
        let none = &DepSet::EMPTY;
        // Neighbours only where they always are.
        let events = [
            event(1, read, none, none, None),
            event(2, write, &first, none, None),
            event(4, later, &both, &second, Some(2)),
            event(6, Attrs::of(Kind::Write, Mode::Rlx, false), none, none, None),
        ];
        let mut sets: [Vec<DepSet>; 6] = Default::default();
        let mut past: [DepSet; 6] = Default::default();
        for e in &events {
            let mut own = Vec::with_capacity(self.width());
            self.compute(e, &|idx| sets.get(idx as usize - 1).map_or(&[][..], |sets| sets), &mut own);
            let mut before = DepSet::EMPTY;
            for idx in self.firm(&own).chain(self.located(&own)).flat_map(DepSet::iter) {
                if idx < e.idx {
                    before.insert(idx);
                    before.union(&past[idx as usize - 1]);
                }
            }
            (sets[e.idx as usize - 1], past[e.idx as usize - 1]) = (own, before);
        }
        self.takes_away || !past[3].contains(1) && !past[5].contains(1)
    }

    /// Whether the write of such a compare-and-swap is ordered after what it expects was computed from.
    pub fn orders_expected(&self, read: Attrs, write: Attrs) -> bool {
        let expected = Deps { cas: DepSet::one(1), ..Deps::NONE };
        let third = DepSet::one(3);
        let mut sets: [Vec<DepSet>; 4] = Default::default();
        let mut past: [DepSet; 4] = Default::default();
        let plain = Attrs::of(Kind::Read, Mode::Rlx, false);
        for (idx, attrs) in [(1, plain), (3, read), (4, write)] {
            let e = LocalEvent {
                idx,
                attrs,
                deps: if idx == 3 { &expected } else { &Deps::NONE },
                same_location: if idx == 4 { &third } else { &DepSet::EMPTY },
                same_written: &DepSet::EMPTY,
                own_source: None,
                rereads: &DepSet::EMPTY,
                detours: &DepSet::EMPTY,
            };
            let mut own = Vec::with_capacity(self.width());
            self.compute(&e, &|idx| sets.get(idx as usize - 1).map_or(&[][..], |sets| sets), &mut own);
            let mut before = DepSet::EMPTY;
            for x in self.firm(&own).chain(self.located(&own)).flat_map(DepSet::iter) {
                if x < idx {
                    before.insert(x);
                    before.union(&past[x as usize - 1]);
                }
            }
            (sets[idx as usize - 1], past[idx as usize - 1]) = (own, before);
        }
        !self.takes_away && past[3].contains(1)
    }

    /// How many sets are kept of each event.
    pub fn width(&self) -> usize {
        self.ops.len()
    }

    /// Computes the sets of an event, given those of other events of its thread: `earlier(idx)`, which is
    /// empty for an event that is not there. Those of the read of a read-modify-write are complete when its
    /// write is there: they have to be computed again.
    pub fn compute<'e>(
        &self,
        e: &LocalEvent<'_>,
        earlier: &dyn Fn(u32) -> &'e [DepSet],
        out: &mut Vec<DepSet>,
    ) {
        out.clear();
        let own = DepSet::one(e.idx);
        for op in &self.ops {
            let at = |n: &u32| &out[*n as usize];
            let set = match op {
                LocalOp::Nothing => DepSet::EMPTY,
                LocalOp::Id => own.clone(),
                LocalOp::Set(guard) => match guard.holds(e.attrs) {
                    true => own.clone(),
                    false => DepSet::EMPTY,
                },
                LocalOp::Rereads => e.rereads.clone(),
                LocalOp::Detours => e.detours.clone(),
                LocalOp::RmwInverse => match e.attrs.has(Attrs::UR) {
                    true => DepSet::one(e.idx + 1),
                    false => DepSet::EMPTY,
                },
                LocalOp::Prim(p) => match p {
                    Prim::Po => DepSet::below(e.idx),
                    Prim::PoImm if e.idx > 1 => DepSet::one(e.idx - 1),
                    Prim::PoLoc => e.same_location.clone(),
                    Prim::Coi if e.attrs.has(Attrs::W) => e.same_written.clone(),
                    Prim::Fri if e.attrs.has(Attrs::W) => {
                        let mut reads = e.same_location.clone();
                        reads.subtract(e.same_written);
                        reads
                    }
                    Prim::Rmw if e.attrs.has(Attrs::UW) => DepSet::one(e.idx - 1),
                    Prim::Rfi => e.own_source.map_or(DepSet::EMPTY, DepSet::one),
                    Prim::Addr => e.deps.addr.clone(),
                    Prim::Data => e.deps.data.clone(),
                    Prim::Ctrl => e.deps.ctrl.clone(),
                    Prim::CasDep => e.deps.cas.clone(),
                    Prim::Publishes => e.deps.publishes.clone(),
                    _ => DepSet::EMPTY,
                },
                LocalOp::Union(a, b) => {
                    let mut set = at(a).clone();
                    set.union(at(b));
                    set
                }
                LocalOp::Inter(a, b) => {
                    let mut set = at(a).clone();
                    set.intersect(at(b));
                    set
                }
                LocalOp::Diff(a, b) => {
                    let mut set = at(a).clone();
                    set.subtract(at(b));
                    set
                }
                LocalOp::Seq(a, b) => {
                    let mut set = DepSet::EMPTY;
                    for y in at(b).iter() {
                        if y == e.idx {
                            set.union(at(a));
                        } else if let Some(other) = earlier(y).get(*a as usize) {
                            set.union(other);
                        }
                    }
                    set
                }
                LocalOp::ThenPo(a) => {
                    // What the event before has, and what it is itself. Of some places nothing is known.
                    let this = out.len();
                    let before = (1..e.idx).rev().map(earlier).find(|sets| !sets.is_empty());
                    before.map_or(DepSet::EMPTY, |before| {
                        let mut set = before[this].clone();
                        set.union(&before[*a as usize]);
                        set
                    })
                }
                LocalOp::Plus(a) => {
                    // Steps lead back, so what an earlier event has is complete.
                    let this = out.len();
                    let mut set = at(a).clone();
                    for y in at(a).iter().filter(|y| *y < e.idx) {
                        earlier(y).get(this).into_iter().for_each(|other| set.union(other));
                    }
                    set
                }
                LocalOp::Opt(a) => {
                    let mut set = at(a).clone();
                    set.insert(e.idx);
                    set
                }
            };
            out.push(set);
        }
    }

    /// The sets of an event that may not be there, as later events see them: nothing is known of it, and what
    /// leads to all later events is passed on. `before` has the sets of the event before it.
    pub fn absent(&self, before: &[DepSet]) -> Vec<DepSet> {
        let passed_on = |(this, op): (usize, &LocalOp)| match op {
            LocalOp::ThenPo(a) if !before.is_empty() => {
                let mut set = before[this].clone();
                set.union(&before[*a as usize]);
                set
            }
            _ => DepSet::EMPTY,
        };
        self.ops.iter().enumerate().map(passed_on).collect()
    }

    /// What these compute, and nothing is said of an order.
    pub(crate) fn of_ops(ops: Vec<LocalOp>) -> Local {
        let takes_away = takes_away(&ops);
        Local { ops, firm: Vec::new(), located: Vec::new(), by_source: false, ahead: false, takes_away }
    }

    /// The earlier events that an event with these sets is ordered after, whatever is accessed.
    pub fn firm<'s>(&'s self, sets: &'s [DepSet]) -> impl Iterator<Item = &'s DepSet> {
        self.firm.iter().map(|n| &sets[*n as usize])
    }

    /// Those that it is ordered after because of the locations that are accessed.
    pub fn located<'s>(&'s self, sets: &'s [DepSet]) -> impl Iterator<Item = &'s DepSet> {
        self.located.iter().map(|n| &sets[*n as usize])
    }
}
