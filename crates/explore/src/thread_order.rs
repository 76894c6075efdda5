//! What the events of a thread are ordered after within it, under a model that follows dependencies.
//!
//! An order that depends on the outcome of a compare-and-swap counts only if it is there with the other
//! outcome, too, as for causal prefixes (`follow/order.rs`).
//!
//! All this is a matter of one thread: where it stood before each of its events, and of reads, whether they
//! read from the thread itself. So what was found is kept in a tree, like standings (`threads.rs`), and is
//! there when the thread comes to the same again, which it does whenever another thread goes another way. The
//! tree is a cache, and is emptied when it has grown.

use crate::threads::{Standing, Threads};
use selvedge_graph::{Attrs, DepSet, Deps, EventId, ExecutionGraph, Kind, Mode, Tid};
use selvedge_machine::{Machine, Op, Rmw};
use selvedge_model::Buffering;
use selvedge_model::relational::{Local, LocalEvent};

/// How many events are remembered, unless more are in use.
const ROOM: usize = 1 << 11;

/// No node.
const NONE: u32 = u32::MAX;

/// What was found, and which of it is of the threads as they were asked for last.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    nodes: Vec<Node>,
    /// The last of the nodes without a parent.
    root: Option<u32>,
    /// By thread, the nodes of its events.
    lines: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Node {
    key: Key,
    order: Order,
    child: u32,
    sibling: u32,
}

/// What tells events apart that come after the same ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    standing: Standing,
    source: Source,
    attrs: Attrs,
    /// For the read of a read-modify-write in models that order it by what its write is: that, if it is
    /// there.
    write: Option<(Standing, Attrs)>,
}

/// What an event is ordered after.
#[derive(Debug)]
pub(crate) struct Order {
    /// What later events have of it.
    sure: Vec<DepSet>,
    /// What those have that read from it, if it is the write of a compare-and-swap, which may not be there.
    there: Option<Vec<DepSet>>,
    /// All that it is ordered after, directly or not.
    pub(crate) past: DepSet,
    /// Whether what is before it is before whatever comes after it: it is there in any case.
    passes_on: bool,
    /// The order with the outcomes as they are, from the first compare-and-swap of the thread on.
    pub(crate) now: Option<Now>,
}

/// What an event is ordered after as compare-and-swaps have come out.
#[derive(Debug)]
pub(crate) struct Now {
    sets: Vec<DepSet>,
    pub(crate) past: DepSet,
}

/// Where a read gets its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// It is no read, or reads what was there at the beginning.
    None,
    /// From an event of its own thread.
    Own(u32),
    Other,
}

/// The events of a thread, by their positions in it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'o> {
    nodes: &'o [Node],
    of: &'o [u32],
}

impl<'o> Line<'o> {
    fn get(self, idx: u32) -> Option<&'o Order> {
        let at = self.of.get((idx as usize).checked_sub(1)?)?;
        Some(&self.nodes[*at as usize].order)
    }

    pub(crate) fn at(self, idx: u32) -> &'o Order {
        &self.nodes[self.of[idx as usize - 1] as usize].order
    }
}

impl Orders {
    /// Standings have other numbers from now on.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.root = None;
        self.lines.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn line(&self, t: Tid) -> Line<'_> {
        Line { nodes: &self.nodes, of: &self.lines[t.index()] }
    }

    /// Brings the thread of `e` up to date, `e` included.
    pub(crate) fn update<M: Machine>(
        &mut self,
        machine: &M,
        threads: &Threads<M::State>,
        g: &ExecutionGraph,
        model: &Buffering,
        e: EventId,
    ) {
        let ev = g.event(e);
        if self.lines.len() <= ev.tid.index() {
            self.lines.resize_with(ev.tid.index() + 1, Vec::new);
        }
        if self.nodes.len() > ROOM && self.nodes.len() > 2 * g.order().len() {
            self.clear();
        }
        let mut line = std::mem::take(&mut self.lines[ev.tid.index()]);
        let events = &g.thread(ev.tid)[..ev.idx as usize];
        let ahead = model.local.looks_ahead();
        let key = |at: usize| {
            let x = events[at];
            let write = events.get(at + 1).filter(|w| ahead && g.rmw_write_of(x) == Some(**w));
            let write = write.map(|w| (threads.origin(*w), g.event(*w).attrs));
            Key { standing: threads.origin(x), source: source(g, x), attrs: g.event(x).attrs, write }
        };
        let is_known =
            |(at, node): (usize, &u32)| at < events.len() && self.nodes[*node as usize].key == key(at);
        let known = line.iter().enumerate().take_while(|pair| is_known(*pair)).count();
        line.truncate(known);
        while line.len() < events.len() {
            let at = line.len();
            let parent = line.last().copied();
            let key = key(at);
            let find = |nodes: &[Node], line: &[u32], x| {
                order_of(machine, threads, g, model, Line { nodes, of: line }, x)
            };
            if let Some(node) = self.child(parent, key) {
                debug_assert!(
                    key.write.is_some()
                        || find(&self.nodes, &line, events[at]).past == self.nodes[node as usize].order.past,
                    "the same events have the same order"
                );
                line.push(node);
                continue;
            }
            let mut order = find(&self.nodes, &line, events[at]);
            if key.write.is_some() {
                // Of a read-modify-write, the halves tell about each other: first without, then with the
                // write.
                let kept = (self.nodes.len(), line.len());
                line.push(self.add(key, order));
                let write = find(&self.nodes, &line, events[at + 1]);
                line.push(self.add(key, write));
                order = find(&self.nodes, &line, events[at]);
                self.nodes.truncate(kept.0);
                line.truncate(kept.1);
            }
            let node = self.add(key, order);
            self.link(parent, node);
            line.push(node);
        }
        self.lines[ev.tid.index()] = line;
    }

    fn add(&mut self, key: Key, order: Order) -> u32 {
        self.nodes.push(Node { key, order, child: NONE, sibling: NONE });
        self.nodes.len() as u32 - 1
    }

    fn link(&mut self, parent: Option<u32>, node: u32) {
        self.nodes[node as usize].sibling = self.first(parent);
        match parent {
            Some(parent) => self.nodes[parent as usize].child = node,
            None => self.root = Some(node),
        }
    }

    fn first(&self, parent: Option<u32>) -> u32 {
        parent.map_or(self.root.unwrap_or(NONE), |parent| self.nodes[parent as usize].child)
    }

    fn child(&self, parent: Option<u32>, key: Key) -> Option<u32> {
        let mut at = self.first(parent);
        while let Some(node) = self.nodes.get(at as usize) {
            if node.key == key {
                return Some(at);
            }
            at = node.sibling;
        }
        None
    }
}

fn source(g: &ExecutionGraph, e: EventId) -> Source {
    match g.rf(e) {
        Some(w) if !w.is_init() => match g.event(w) {
            from if from.tid == g.event(e).tid => Source::Own(from.idx),
            _ => Source::Other,
        },
        _ => Source::None,
    }
}

/// What an event is ordered after; `line` has what was known of its thread, of those before it at least.
fn order_of<M: Machine>(
    machine: &M,
    threads: &Threads<M::State>,
    g: &ExecutionGraph,
    model: &Buffering,
    line: Line<'_>,
    e: EventId,
) -> Order {
    let local: &Local = &model.local;
    let ev = g.event(e);
    let before = &g.thread(ev.tid)[..ev.idx as usize - 1];
    let (mut same, mut written) = (DepSet::EMPTY, DepSet::EMPTY);
    if ev.is_read() || ev.is_write() {
        for x in before.iter().map(|&x| g.event(x)) {
            if (x.is_read() || x.is_write()) && x.loc == ev.loc {
                same.insert(x.idx);
                if x.is_write() {
                    written.insert(x.idx);
                }
            }
        }
    }
    let deps = threads.state_of(e).map_or(Deps::NONE, |state| machine.deps(state));
    let source = source(g, e);
    let own_source = match source {
        Source::Own(idx) => Some(idx),
        _ => None,
    };
    let event = LocalEvent {
        idx: ev.idx,
        attrs: ev.attrs,
        deps: &deps,
        same_location: &same,
        same_written: &written,
        own_source,
        rereads: &DepSet::EMPTY,
        detours: &DepSet::EMPTY,
    };
    // What a thread reads back of a compare-and-swap's write is there.
    let others = |idx: u32| match line.get(idx) {
        Some(Order { there: Some(sets), .. }) if own_source == Some(idx) => &sets[..],
        Some(order) => &order.sure[..],
        None => &[],
    };
    let mut own = Vec::with_capacity(local.width());
    local.compute(&event, &others, &mut own);
    let mut past = DepSet::EMPTY;
    let add = |past: &mut DepSet, set: &DepSet| {
        for idx in set.iter().filter(|idx| *idx < ev.idx) {
            past.insert(idx);
            let order = line.at(idx);
            if order.passes_on {
                past.union(&order.past);
            }
        }
    };
    local.firm(&own).chain(local.located(&own)).for_each(|set| add(&mut past, set));
    // What decides what the event is, and whether it is there at all.
    [&deps.addr, &deps.data, &deps.ctrl].into_iter().for_each(|set| add(&mut past, set));
    if ev.is_rmw_write() {
        add(&mut past, &DepSet::one(ev.idx - 1));
    }
    match source {
        // It sees another thread's write, which is later in coherence than those of its own.
        Source::Other => add(&mut past, &written),
        // The value is forwarded, and with it what it was computed from.
        Source::Own(idx) if model.forwards => {
            let w = before[idx as usize - 1];
            let deps = threads.state_of(w).map_or(Deps::NONE, |state| machine.deps(state));
            [&deps.addr, &deps.data, &deps.ctrl].into_iter().for_each(|set| add(&mut past, set));
        }
        _ => {}
    }
    // If it cannot be there without the read of a compare-and-swap, what came of that is as it is.
    loop {
        let decided = |idx: &u32| !line.at(*idx).passes_on && past.contains(*idx - 1);
        let mut more = past.clone();
        past.iter().filter(decided).for_each(|idx| more.union(&line.at(idx).past));
        if more == past {
            break;
        }
        past = more;
    }
    let op = threads.op_of(e);
    let is_after_one = line.get(ev.idx - 1).is_some_and(|order| order.now.is_some());
    let now = (other(op).is_some() || is_after_one).then(|| order_now(local, line, &event));
    let sure = match other_outcome(op, ev.attrs) {
        None => own,
        Some(attrs) => {
            let event = LocalEvent { attrs, ..event };
            let mut other = Vec::with_capacity(local.width());
            local.compute(&event, &others, &mut other);
            own.iter_mut().zip(&other).for_each(|(a, b)| a.intersect(b));
            own
        }
    };
    let read = |idx: usize| before.get(idx).map(|&x| threads.op_of(x));
    let passes_on = !ev.is_rmw_write() || read(ev.idx as usize - 2).is_some_and(|op| other(op).is_none());
    let (sure, there) = match passes_on {
        true => (sure, None),
        false => (local.absent(others(ev.idx - 1)), Some(sure)),
    };
    Order { sure, there, past, passes_on, now }
}

fn order_now(local: &Local, line: Line<'_>, event: &LocalEvent<'_>) -> Now {
    let others = |idx: u32| match line.get(idx) {
        None => &[][..],
        Some(Order { now: Some(now), .. }) => &now.sets[..],
        Some(order) => order.there.as_ref().unwrap_or(&order.sure),
    };
    let mut sets = Vec::with_capacity(local.width());
    local.compute(event, &others, &mut sets);
    let mut past = DepSet::EMPTY;
    for idx in local.firm(&sets).chain(local.located(&sets)).flat_map(DepSet::iter) {
        if idx < event.idx {
            past.insert(idx);
            let order = line.at(idx);
            past.union(order.now.as_ref().map_or(&order.past, |now| &now.past));
        }
    }
    Now { sets, past }
}

/// How a read-modify-write would be a mere read.
pub(crate) fn other(op: Op) -> Option<Mode> {
    match op {
        Op::Load { rmw: Rmw::Cas { fail, .. } | Rmw::Tentative { fail } | Rmw::Swap { fail }, .. } => {
            Some(fail)
        }
        _ => None,
    }
}

/// What would be true of a read if it had read something else.
pub(crate) fn other_outcome(op: Op, attrs: Attrs) -> Option<Attrs> {
    let (Op::Load { mode, .. }, Some(fail)) = (op, other(op)) else { return None };
    Some(match attrs.has(Attrs::UR) {
        true => Attrs::of(Kind::Read, fail, false),
        false => Attrs::of(Kind::Read, mode, true),
    })
}
