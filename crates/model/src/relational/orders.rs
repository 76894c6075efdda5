//! A model as orders that can be kept while events are added.
//!
//! Most models say that some relations have no cycles, and that coherence agrees with one of them. If every
//! step of such a relation either leads to the event that was added last, or is a single step of coherence
//! or from-read, then all that is to be kept of it is, for each event, the events before it: one row of bits.
//! [`Relational::orders`] tells whether a model is of this kind, for programs with some kinds of events.

use super::Local;
use super::{Check, Node, Op, PlanStep, Relational};
use crate::compile::releases_and_acquires;
use selvedge_graph::{Attrs, Kind, Mode};
use selvedge_kat::Prim;
use smallvec::SmallVec;

/// A step that coherence, or a source, makes by itself, between events of which something is true.
#[derive(Clone, Debug)]
pub struct Direct {
    from: Vec<Node>,
    pub step: Prim,
    to: Vec<Node>,
}

/// Paths that end in the event that was added last, by what they have in common at their end.
#[derive(Clone, Debug)]
pub struct Inward {
    factor: Node,
    /// A path may begin here.
    begins: bool,
    /// What may come before.
    before: Vec<Inward>,
}

impl Inward {
    /// Adds a path, given by its factors from the last to the first.
    fn add(paths: &mut Vec<Inward>, mut factors: impl Iterator<Item = Node>) {
        let Some(factor) = factors.next() else { return };
        let at = paths.iter().position(|path| path.factor == factor).unwrap_or_else(|| {
            paths.push(Inward { factor, begins: false, before: Vec::new() });
            paths.len() - 1
        });
        let mut rest = factors.peekable();
        match rest.peek() {
            Some(_) => Inward::add(&mut paths[at].before, &mut rest as &mut dyn Iterator<Item = Node>),
            None => paths[at].begins = true,
        }
    }
}

/// Which events of a thread are ordered with its creation, or with joining it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// The one at that end of the thread.
    pub nearest: bool,
    /// All others.
    pub others: bool,
}

impl Ends {
    fn add(&mut self, nearest: bool) {
        self.nearest |= nearest;
        self.others |= !nearest;
    }
}

/// A relation without cycles.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The local order of the model is part of it.
    pub local: bool,
    pub direct: Vec<Direct>,
    pub inward: Vec<Inward>,
    /// Creating a thread comes before its first event (`tc`), and before the others (`tc ; po`).
    pub creation: Ends,
    /// The last event of a thread comes before joining it (`tj`), and so do the others (`po ; tj`).
    pub join: Ends,
}

/// What coherence agrees with.
#[derive(Clone, Debug)]
pub enum Agreement {
    /// Program order.
    Po,
    /// The closure of these; program order is one of them.
    Closure { node: u32, order: Order },
}

/// A model, for some kinds of events.
#[derive(Clone, Debug)]
pub struct Orders {
    pub coherence: Agreement,
    pub acyclic: Vec<Order>,
}

/// What can be asked about an execution to find the events before one.
pub trait Surroundings {
    /// How many words a set of events takes.
    fn words(&self) -> usize;
    /// Adds the events before `e` by one step.
    fn before(&self, prim: Prim, e: u32, out: &mut [u64]);
    /// Adds the events that read from `w`.
    fn readers(&self, w: u32, out: &mut [u64]);
    /// Adds the events before `e` in what coherence agrees with.
    fn agreed(&self, e: u32, out: &mut [u64]);
    fn attrs(&self, e: u32) -> Attrs;
    fn same_location(&self, x: u32, e: u32) -> bool;
    fn same_thread(&self, x: u32, e: u32) -> bool;
}

/// Too many ways through a term.
const MOST: usize = 512;

impl Relational {
    /// The model as orders, for programs whose events are of these `classes` if that is known; `None` if it
    /// is not of this kind.
    pub fn orders(&self, classes: Option<&[Attrs]>) -> Option<Orders> {
        let mut coherence = None;
        let mut acyclic = Vec::new();
        let mut irreflexive = Vec::new();
        let mut has_local = false;
        for step in &self.steps {
            let PlanStep::Check(check, guard) = step else { continue };
            if guard.is_some() {
                return None;
            }
            match *check {
                Check::Acyclic(r) => {
                    let terms = self.top_terms(r);
                    let sources = |n: &Node| matches!(self.ops[n.index()], Op::Prim(Prim::Rfe | Prim::Rf));
                    let first = !has_local && terms.iter().any(sources);
                    has_local |= first;
                    let order = self.order(&terms, first, classes)?;
                    if order.local || !order.direct.is_empty() || !order.inward.is_empty() {
                        acyclic.push(order);
                    }
                }
                Check::Irreflexive(r) => match self.agreement(r) {
                    Some(node) if coherence.is_none() => coherence = Some(node),
                    Some(_) => return None,
                    None => irreflexive.push(r),
                },
                Check::Empty(_) | Check::Holds(_) => return None,
            }
        }
        let node = coherence?;
        // That what coherence agrees with has no cycles is seen with it.
        if !irreflexive.iter().all(|r| *r == node) {
            return None;
        }
        let coherence = match &self.ops[node.index()] {
            Op::Prim(Prim::Po) => Agreement::Po,
            Op::Plus(base) => {
                let terms = self.top_terms(*base);
                let po = |n: &Node| self.ops[n.index()] == Op::Prim(Prim::Po);
                if !terms.iter().any(po) {
                    return None;
                }
                let order = self.order(&terms, false, classes)?;
                if order.direct.iter().any(|d| !matches!(d.step, Prim::Rf | Prim::Rfe | Prim::Rfi)) {
                    return None;
                }
                Agreement::Closure { node: node.0, order }
            }
            _ => return None,
        };
        Some(Orders { coherence, acyclic })
    }

    /// Whether the first relation without cycles in which threads read from each other has nothing else of
    /// what threads do to each other but the creation and the end of threads: no coherence by itself.
    pub fn orders_by_sources_only(&self) -> bool {
        let checks = self.steps.iter().filter_map(|step| match step {
            PlanStep::Check(Check::Acyclic(r), None) => Some(self.top_terms(*r)),
            _ => None,
        });
        let is = |n: &Node, prims: &[Prim]| matches!(&self.ops[n.index()], Op::Prim(p) if prims.contains(p));
        let order = checks.into_iter().find(|terms| terms.iter().any(|n| is(n, &[Prim::Rf, Prim::Rfe])));
        order.is_some_and(|terms| {
            let coherence = [Prim::Co, Prim::Coe, Prim::Coi, Prim::Fr, Prim::Fre, Prim::Fri];
            !terms.iter().any(|n| is(n, &coherence))
        })
    }

    /// Whether coherence agrees with `(po | tc | tj | [W & REL] ; rf ; [R & ACQ])+`, of models that ask for
    /// `coherence po`, have one acyclic order and order accesses before later writes of their location.
    ///
    /// That is so if what others see is part of the order (`rfe`, `co` and `fr` between threads), a release
    /// comes after all accesses before it in its thread, an acquire before all after it, and creating and
    /// joining threads is ordered with all that they do. Let `a` come before `b` by such a path through other
    /// threads, both of one location: then it does in the order. If coherence says otherwise, there is a
    /// cycle: `b` is before `a` in `co` or `fr`, or before what `a` reads. If that is a write of `a`'s
    /// thread, it comes before `b` like `a` does; if it is one of `b`'s, it comes after `b` there, and so it
    /// does in the order; else `co` or `fr` and `rfe` lead from `b` to `a`.
    pub(super) fn synchronises(&self, local: &Local) -> bool {
        let Some(Orders { coherence: Agreement::Po, acyclic }) = self.orders(None) else { return false };
        let [order] = &acyclic[..] else { return false };
        let sees = |steps: [Prim; 2]| {
            let all = |d: &&Direct| d.from.is_empty() && d.to.is_empty() && steps.contains(&d.step);
            order.direct.iter().any(|d| all(&d))
        };
        if ![[Prim::Rf, Prim::Rfe], [Prim::Co, Prim::Coe], [Prim::Fr, Prim::Fre]].into_iter().all(sees)
            || ![order.creation, order.join].iter().all(|ends| ends.nearest && ends.others)
        {
            return false;
        }
        let kinds = [Kind::Read, Kind::Write];
        let of = |kind: Kind| {
            let modes = Mode::ACCESS.into_iter();
            modes.flat_map(move |mode| [false, true].map(|rmw| Attrs::of(kind, mode, rmw)))
        };
        let all: Vec<Attrs> = kinds.into_iter().flat_map(of).collect();
        let (releases, acquires) = releases_and_acquires();
        let (created, joined) =
            (Attrs::of(Kind::Spawn, Mode::Na, false), Attrs::of(Kind::Join, Mode::Na, false));
        let before = |exit: Attrs| all.iter().chain([&joined]).all(|x| local.orders(*x, exit));
        let after = |entry: Attrs| all.iter().chain([&created]).all(|x| local.orders(entry, *x));
        all.iter().filter(|x| releases.holds(**x)).chain([&created]).all(|x| before(*x))
            && all.iter().filter(|x| acquires.holds(**x)).chain([&joined]).all(|x| after(*x))
    }

    /// Whether an event that is added at the end of its thread, with the latest source or the last place, is
    /// always consistent: every axiom forbids cycles, and no step leads from such an event to another one.
    pub fn is_extensible(&self) -> bool {
        self.steps.iter().all(|step| match step {
            PlanStep::Compute(_) => true,
            PlanStep::Fix { .. } => false,
            PlanStep::Check(Check::Acyclic(r) | Check::Irreflexive(r), None) => self.leads_on(*r),
            PlanStep::Check(..) => false,
        })
    }

    /// Whether steps lead to what came later only. What is taken away from a relation does not matter.
    fn leads_on(&self, node: Node) -> bool {
        match &self.ops[node.index()] {
            Op::Empty | Op::Id | Op::Set(_) => true,
            Op::Any | Op::Unknown | Op::Domain(_) | Op::Range(_) => false,
            Op::Prim(p) => !matches!(p, Prim::Loc | Prim::LocOverlap | Prim::Int | Prim::Ext | Prim::Any),
            // From the write of a read-modify-write back to its read, which stands right before it.
            Op::Inverse(a) => self.ops[a.index()] == Op::Prim(Prim::Rmw),
            Op::Inter(a, b) => self.leads_on(*a) || self.leads_on(*b),
            Op::Diff(a, _) | Op::Plus(a) | Op::Opt(a) => self.leads_on(*a),
            Op::Union(a, b) | Op::Seq(a, b) => self.leads_on(*a) && self.leads_on(*b),
        }
    }

    fn top_terms(&self, node: Node) -> Vec<Node> {
        match self.ops[node.index()] {
            Op::Union(a, b) => {
                let mut terms = self.top_terms(a);
                terms.extend(self.top_terms(b));
                terms
            }
            _ => vec![node],
        }
    }

    /// Of the check that `coherence` compiles to, what it is about: `com ; ((r & loc) | com)*`.
    pub(super) fn agreement(&self, node: Node) -> Option<Node> {
        let Op::Seq(com, path) = self.ops[node.index()] else { return None };
        let Op::Opt(path) = self.ops[path.index()] else { return None };
        let Op::Plus(both) = self.ops[path.index()] else { return None };
        let Op::Union(local, other) = self.ops[both.index()] else { return None };
        let Op::Inter(r, loc) = self.ops[local.index()] else { return None };
        (other == com && self.ops[loc.index()] == Op::Prim(Prim::Loc) && self.is_com(com)).then_some(r)
    }

    fn is_com(&self, node: Node) -> bool {
        let mut prims: Vec<Prim> = Vec::new();
        for term in self.top_terms(node) {
            let Op::Prim(prim) = self.ops[term.index()] else { return false };
            prims.push(prim);
        }
        prims.len() == 3 && [Prim::Rf, Prim::Co, Prim::Fr].iter().all(|p| prims.contains(p))
    }

    fn order(&self, terms: &[Node], first: bool, classes: Option<&[Attrs]>) -> Option<Order> {
        let mut order = Order { local: first, ..Order::default() };
        for &term in terms {
            if first && self.is_local_term(term) {
                continue;
            }
            for way in self.ways(term)? {
                self.add_way(&mut order, way, classes)?;
            }
        }
        Some(order)
    }

    /// All ways through a term: unions are multiplied out.
    fn ways(&self, node: Node) -> Option<Vec<Vec<Node>>> {
        let ways = match self.ops[node.index()] {
            Op::Union(a, b) if !self.is_set_node(node) => {
                let mut ways = self.ways(a)?;
                ways.extend(self.ways(b)?);
                ways
            }
            Op::Seq(a, b) => {
                let (a, b) = (self.ways(a)?, self.ways(b)?);
                if a.len() * b.len() > MOST {
                    return None;
                }
                a.iter().flat_map(|x| b.iter().map(|y| [x.clone(), y.clone()].concat())).collect()
            }
            Op::Opt(a) => {
                let mut ways = self.ways(a)?;
                ways.push(Vec::new());
                ways
            }
            Op::Empty => Vec::new(),
            _ => vec![vec![node]],
        };
        (ways.len() <= MOST).then_some(ways)
    }

    fn is_set_node(&self, node: Node) -> bool {
        self.is_set[node.index()] && self.of_sets[node.index()]
    }

    fn add_way(&self, order: &mut Order, way: Vec<Node>, classes: Option<&[Attrs]>) -> Option<()> {
        // Events of which this can never be true.
        for node in &way {
            if self.is_set_node(*node) && !self.may_hold(*node, classes) {
                return Some(());
            }
        }
        let steps: Vec<usize> = (0..way.len()).filter(|&at| !self.is_set_node(way[at])).collect();
        if let &[at] = &steps[..]
            && let Op::Prim(step) = self.ops[way[at].index()]
            && matches!(
                step,
                Prim::Rf | Prim::Rfe | Prim::Co | Prim::Coe | Prim::Coi | Prim::Fr | Prim::Fre | Prim::Fri
            )
        {
            let (from, to) = (way[..at].to_vec(), way[at + 1..].to_vec());
            order.direct.push(Direct { from, step, to });
            return Some(());
        }
        let is =
            |at: usize, prim: Prim| steps.len() > at && self.ops[way[steps[at]].index()] == Op::Prim(prim);
        if steps.len() == way.len() {
            if is(0, Prim::Tc) && (steps.len() == 1 || steps.len() == 2 && is(1, Prim::Po)) {
                order.creation.add(steps.len() == 1);
                return Some(());
            }
            if is(steps.len() - 1, Prim::Tj) && (steps.len() == 1 || steps.len() == 2 && is(0, Prim::Po)) {
                order.join.add(steps.len() == 1);
                return Some(());
            }
        }
        if steps.is_empty() || !steps.iter().all(|&at| self.leads_to_the_last(way[at])) {
            return None;
        }
        Inward::add(&mut order.inward, way.into_iter().rev());
        Some(())
    }

    fn may_hold(&self, node: Node, classes: Option<&[Attrs]>) -> bool {
        classes.is_none_or(|classes| classes.iter().any(|attrs| self.member(node, *attrs)))
    }

    /// Whether a path by this relation to an event is there when the event is, and does not change.
    fn leads_to_the_last(&self, node: Node) -> bool {
        match &self.ops[node.index()] {
            Op::Empty | Op::Id | Op::Set(_) => true,
            Op::Any | Op::Unknown | Op::Domain(_) | Op::Range(_) => false,
            Op::Prim(p) => matches!(
                p,
                Prim::Po
                    | Prim::PoImm
                    | Prim::PoLoc
                    | Prim::Rf
                    | Prim::Rfe
                    | Prim::Rfi
                    | Prim::Rmw
                    | Prim::Addr
                    | Prim::Data
                    | Prim::Ctrl
                    | Prim::CasDep
                    | Prim::Publishes
                    | Prim::Detour
                    | Prim::Tc
                    | Prim::Tj
            ),
            Op::Inverse(a) => matches!(self.ops[a.index()], Op::Prim(Prim::Rf)),
            // Locations and threads only tell events apart.
            Op::Inter(a, b) => {
                let filters = |n: &Node| matches!(self.ops[n.index()], Op::Prim(Prim::Loc | Prim::Int));
                (filters(a) || self.leads_to_the_last(*a))
                    && (filters(b) || self.leads_to_the_last(*b))
                    && !(filters(a) && filters(b))
            }
            Op::Diff(a, b) => self.leads_to_the_last(*a) && self.leads_to_the_last(*b),
            Op::Union(a, b) | Op::Seq(a, b) => self.leads_to_the_last(*a) && self.leads_to_the_last(*b),
            Op::Plus(a) | Op::Opt(a) => self.leads_to_the_last(*a),
        }
    }

    fn member(&self, node: Node, attrs: Attrs) -> bool {
        match &self.ops[node.index()] {
            Op::Id => true,
            Op::Set(guard) => guard.holds(attrs),
            Op::Union(a, b) => self.member(*a, attrs) || self.member(*b, attrs),
            Op::Inter(a, b) => self.member(*a, attrs) && self.member(*b, attrs),
            Op::Diff(a, b) => self.member(*a, attrs) && !self.member(*b, attrs),
            _ => false,
        }
    }

    /// Whether a direct step may lead from an event with these attributes.
    pub fn begins(&self, direct: &Direct, attrs: Attrs) -> bool {
        direct.from.iter().all(|n| self.member(*n, attrs))
    }

    /// Whether it may lead to an event with these attributes.
    pub fn ends(&self, direct: &Direct, attrs: Attrs) -> bool {
        direct.to.iter().all(|n| self.member(*n, attrs))
    }

    /// Adds the events from which a path leads to `e`.
    pub fn before_by(
        &self,
        paths: &[Inward],
        agreed: Option<u32>,
        s: &impl Surroundings,
        e: u32,
        out: &mut [u64],
    ) {
        let mut one = no_events(s.words());
        insert(&mut one, e);
        self.before_all_by(paths, agreed, s, &one, out);
    }

    fn before_all_by(
        &self,
        paths: &[Inward],
        agreed: Option<u32>,
        s: &impl Surroundings,
        to: &[u64],
        out: &mut [u64],
    ) {
        for path in paths {
            let from = self.all_before(path.factor, agreed, s, to);
            if is_empty(&from) {
                continue;
            }
            if path.begins {
                unite(out, &from);
            }
            self.before_all_by(&path.before, agreed, s, &from, out);
        }
    }

    /// The events from which a step leads to some of `to`.
    fn all_before(&self, node: Node, agreed: Option<u32>, s: &impl Surroundings, to: &[u64]) -> EventSet {
        let mut out = no_events(to.len());
        self.before(node, agreed, s, to, &mut out);
        out
    }

    fn before(&self, node: Node, agreed: Option<u32>, s: &impl Surroundings, to: &[u64], out: &mut [u64]) {
        if agreed == Some(node.0) {
            return events_of(to).for_each(|e| s.agreed(e, out));
        }
        if self.is_set_node(node) {
            return events_of(to).filter(|e| self.member(node, s.attrs(*e))).for_each(|e| insert(out, e));
        }
        // Of single events: what two relations have in common depends on where both lead.
        let of_one = |n: Node, e: u32| {
            let mut one = no_events(to.len());
            insert(&mut one, e);
            self.all_before(n, agreed, s, &one)
        };
        match &self.ops[node.index()] {
            Op::Id => unite(out, to),
            Op::Set(_) => {
                events_of(to).filter(|e| self.member(node, s.attrs(*e))).for_each(|e| insert(out, e));
            }
            Op::Prim(p) => events_of(to).for_each(|e| s.before(*p, e, out)),
            Op::Inverse(_) => events_of(to).for_each(|e| s.readers(e, out)),
            Op::Union(a, b) => {
                self.before(*a, agreed, s, to, out);
                self.before(*b, agreed, s, to, out);
            }
            Op::Inter(a, b) => {
                let filter = |n: Node| match self.ops[n.index()] {
                    Op::Prim(p @ (Prim::Loc | Prim::Int)) => Some(p),
                    _ => None,
                };
                for e in events_of(to) {
                    let (all, by) = match (filter(*a), filter(*b)) {
                        (_, Some(by)) => (of_one(*a, e), by),
                        (Some(by), None) => (of_one(*b, e), by),
                        (None, None) => {
                            let both = of_one(*a, e);
                            out.iter_mut()
                                .zip(both.iter().zip(&of_one(*b, e)))
                                .for_each(|(o, (a, b))| *o |= a & b);
                            continue;
                        }
                    };
                    let fits = |x: &u32| match by {
                        Prim::Loc => s.same_location(*x, e),
                        _ => s.same_thread(*x, e),
                    };
                    events_of(&all).filter(fits).for_each(|x| insert(out, x));
                }
            }
            Op::Diff(a, b) => {
                for e in events_of(to) {
                    let all = of_one(*a, e);
                    out.iter_mut().zip(all.iter().zip(&of_one(*b, e))).for_each(|(o, (a, b))| *o |= a & !b);
                }
            }
            Op::Seq(a, b) => {
                let between = self.all_before(*b, agreed, s, to);
                if !is_empty(&between) {
                    self.before(*a, agreed, s, &between, out);
                }
            }
            Op::Opt(a) => {
                unite(out, to);
                self.before(*a, agreed, s, to, out);
            }
            Op::Plus(a) => {
                let mut found = self.all_before(*a, agreed, s, to);
                let mut new = found.clone();
                while !is_empty(&new) {
                    let mut next = self.all_before(*a, agreed, s, &new);
                    next.iter_mut().zip(&found).for_each(|(n, f)| *n &= !f);
                    unite(&mut found, &next);
                    new = next;
                }
                unite(out, &found);
            }
            Op::Empty | Op::Any | Op::Unknown | Op::Domain(_) | Op::Range(_) => {}
        }
    }
}

/// Events as bits. Executions of up to 256 events take no allocation.
pub type EventSet = SmallVec<[u64; 4]>;

/// The empty set.
#[inline]
pub fn no_events(words: usize) -> EventSet {
    if words <= 4 {
        return SmallVec::from_buf_and_len([0; 4], words);
    }
    SmallVec::from_elem(0, words)
}

#[inline]
pub fn insert(set: &mut [u64], e: u32) {
    set[e as usize / 64] |= 1 << (e % 64);
}

#[inline]
pub fn unite(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

#[inline]
fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|word| *word == 0)
}

/// The events of a set.
#[inline]
pub fn events_of(set: &[u64]) -> Events<'_> {
    let (word, rest) = set.split_first().map_or((0, set), |(first, rest)| (*first, rest));
    Events { word, at: 0, rest }
}

/// The events of a set, from the first to the last.
#[derive(Clone, Debug)]
pub struct Events<'s> {
    word: u64,
    at: u32,
    rest: &'s [u64],
}

impl Iterator for Events<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.word == 0 {
            let (first, rest) = self.rest.split_first()?;
            (self.word, self.at, self.rest) = (*first, self.at + 64, rest);
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.at + bit)
    }
}
