//! What would have to be there: the synchronisation that an execution comes close to.
//!
//! One event does not happen before another although it should: two accesses race, memory is freed while it
//! is still read, a read misses a write. Threads know of each other by what they read. So there may be a way
//! from the one event to the other along program order and reads-from, `po; rf; po; rf; …; po`, and if each
//! passage on it, from a write to a read, were a release and an acquire, then they would be ordered. The way
//! that lacks the fewest of those is shown, and where it lacks them: that is where to look, and often enough
//! the one memory order that has to be changed.
//!
//! What makes a passage synchronise is C's: the write, or a fence before it, releases; the read, or a fence
//! after it, acquires; read-modify-writes between the two pass on what was released. The creation and the end
//! of threads, and barriers, lack nothing. Locks are passages like others.
//!
//! If no read leads from one to the other there is nothing to be mended but something to be added, and the
//! execution is one of two kinds: nothing was meant to order them, or what was meant to is a fence between a
//! write and a read of the same thread (store buffering), which the cycle of [`Reason`] tells.

use crate::reason::Reason;
use crate::witness::{Action, Event, Witness};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Mode};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Larger executions are not searched.
const LARGEST: usize = 20_000;

/// Steps that a search may take, about.
const WORK: usize = 20_000_000;

/// Events that would have to be ordered, and what is lacking on the way from one to the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Missing {
    /// Number of the event that should come first.
    pub before: usize,
    /// Number of the one that should come after it.
    pub after: usize,
    /// The second one is a read that misses the first, a write.
    #[serde(default)]
    pub missed: bool,
    /// From writes to reads, in order; nothing if no read leads there.
    pub through: Vec<Passage>,
    /// Pairs of events of one thread that a fence would have to be between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fences: Vec<(usize, usize)>,
}

/// A write and a read by which a thread knows of another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Passage {
    /// Number of the write.
    pub write: usize,
    /// Number of the read, of this write or of one that passes it on.
    pub read: usize,
    /// Neither the write nor a fence before it releases.
    pub no_release: bool,
    /// Neither the read nor a fence after it acquires.
    pub no_acquire: bool,
}

impl Missing {
    /// What is missing for one event to happen before another.
    pub(crate) fn between(
        g: &ExecutionGraph,
        numbers: &[usize],
        before: EventId,
        after: EventId,
    ) -> Option<Missing> {
        if before.is_init() || after.is_init() || g.event(before).tid == g.event(after).tid {
            return None;
        }
        let number = |e: EventId| numbers[e.index()];
        let through = way(g, before, after)?;
        let passage = |p: Crossing| Passage {
            write: number(p.write),
            read: number(p.read),
            no_release: p.no_release,
            no_acquire: p.no_acquire,
        };
        let through: Vec<Passage> = through.into_iter().map(passage).collect();
        // If all is there, it is for another reason.
        let lacks = through.is_empty() || through.iter().any(|p| p.no_release || p.no_acquire);
        lacks.then_some(Missing {
            before: number(before),
            after: number(after),
            missed: false,
            through,
            fences: Vec::new(),
        })
    }

    /// What is missing for an execution to be one of sequential consistency.
    pub(crate) fn of_reason(g: &ExecutionGraph, numbers: &[usize], reason: &Reason) -> Option<Missing> {
        let mut events = vec![EventId::INIT; numbers.len() + 1];
        for &e in g.order() {
            events[numbers[e.index()]] = e;
        }
        let misses = reason.cycle.iter().filter(|edge| edge.relation == "fr");
        let ways = misses.filter_map(|edge| {
            let missing = Missing::between(g, numbers, events[edge.to], events[edge.from])?;
            (!missing.through.is_empty()).then_some(Missing { missed: true, ..missing })
        });
        let lacks = |missing: &Missing| {
            missing.through.iter().map(|p| u32::from(p.no_release) + u32::from(p.no_acquire)).sum::<u32>()
        };
        if let Some(best) = ways.min_by_key(lacks) {
            return Some(best);
        }
        // A write is delayed past a read that comes after it.
        let delayed = |&(a, b): &(usize, usize)| {
            let (one, other) = (events[a], events[b]);
            let both_sc = g.event(one).mode == Mode::Sc && g.event(other).mode == Mode::Sc;
            g.event(one).is_write() && g.event(other).is_read() && !both_sc && !has_full_fence(g, one, other)
        };
        let fences: Vec<(usize, usize)> = reason.orders.iter().copied().filter(delayed).collect();
        let &(before, after) = fences.first()?;
        Some(Missing { before, after, missed: false, through: Vec::new(), fences })
    }
}

fn has_full_fence(g: &ExecutionGraph, from: EventId, to: EventId) -> bool {
    let (from, to) = (g.event(from), g.event(to));
    let between = &g.thread(from.tid)[from.idx as usize..to.idx.max(from.idx) as usize];
    between.iter().any(|&e| g.event(e).kind == Kind::Fence && g.event(e).mode == Mode::Sc)
}

#[derive(Clone, Copy)]
struct Crossing {
    write: EventId,
    read: EventId,
    no_release: bool,
    no_acquire: bool,
}

/// The way from one event to another that lacks the least, and of those the one with the fewest passages; no
/// passages if there is none, and nothing if that is not known.
fn way(g: &ExecutionGraph, before: EventId, after: EventId) -> Option<Vec<Crossing>> {
    if g.len() > LARGEST {
        return None;
    }
    let departs: Vec<EventId> =
        g.order().iter().copied().filter(|&e| !e.is_init() && g.event(e).kind == Kind::Depart).collect();
    let target = g.event(after);
    let mut cost = vec![(u32::MAX, u32::MAX); g.arena_len()];
    let mut from: Vec<Option<(EventId, Option<Crossing>)>> = vec![None; g.arena_len()];
    let mut open = BinaryHeap::from([(Reverse((0, 0)), before.index())]);
    let mut events = vec![EventId::INIT; g.arena_len()];
    g.order().iter().for_each(|e| events[e.index()] = *e);
    cost[before.index()] = (0, 0);
    let mut work = 0;
    // An event is come to where its thread begins to know of the first one.
    while let Some((Reverse(here), e)) = open.pop() {
        let e = events[e];
        let ev = g.event(e);
        if here > cost[e.index()] {
            continue;
        }
        if ev.tid == target.tid && ev.idx <= target.idx {
            return Some(back(&from, e));
        }
        let mut go = |to: EventId, crossing: Option<Crossing>| {
            let lacks = crossing.map_or(0, |c| u32::from(c.no_release) + u32::from(c.no_acquire));
            let there = (here.0 + lacks, here.1 + u32::from(crossing.is_some()));
            if there < cost[to.index()] {
                cost[to.index()] = there;
                from[to.index()] = Some((e, crossing));
                open.push((Reverse(there), to.index()));
            }
        };
        let mut released = false;
        for &at in &g.thread(ev.tid)[ev.idx as usize - 1..] {
            work += 1;
            let step = g.event(at);
            match step.kind {
                Kind::Fence => released |= step.mode.is_release(),
                Kind::Spawn => g.thread(step.peer).first().into_iter().for_each(|&first| go(first, None)),
                Kind::Arrive => {
                    let waits = departs.iter().filter(|&&depart| g.round(depart).contains(&at));
                    waits.for_each(|&depart| go(depart, None));
                }
                Kind::Write if step.mode != Mode::Na => {
                    let no_release = !released && !step.mode.is_release();
                    for read in readers(g, at) {
                        work += 1;
                        let acquires = g.event(read).mode.is_acquire();
                        let crossing = Crossing { write: at, read, no_release, no_acquire: !acquires };
                        go(read, Some(crossing));
                        if !acquires && let Some(fence) = acquire_fence_after(g, read) {
                            go(fence, Some(Crossing { no_acquire: false, ..crossing }));
                        }
                    }
                }
                _ => {}
            }
        }
        g.joins_of(ev.tid).for_each(|join| go(join, None));
        if work > WORK {
            return None;
        }
    }
    Some(Vec::new())
}

fn back(from: &[Option<(EventId, Option<Crossing>)>], end: EventId) -> Vec<Crossing> {
    let mut all = Vec::new();
    let mut at = end;
    while let Some((before, crossing)) = from[at.index()] {
        all.extend(crossing);
        at = before;
    }
    all.reverse();
    all
}

/// The atomic reads that read from a write, or from read-modify-writes that do.
fn readers(g: &ExecutionGraph, write: EventId) -> Vec<EventId> {
    let mut found = Vec::new();
    let mut open = vec![write];
    let mut seen = vec![write];
    while let Some(w) = open.pop() {
        for read in g.readers(w, g.event(w).loc).filter(|&r| g.event(r).mode != Mode::Na) {
            found.push(read);
            let half = g.po_succ(read).filter(|&next| g.rmw_read_of(next) == Some(read));
            if let Some(half) = half.filter(|half| !seen.contains(half)) {
                seen.push(half);
                open.push(half);
            }
        }
    }
    found
}

fn acquire_fence_after(g: &ExecutionGraph, read: EventId) -> Option<EventId> {
    let ev = g.event(read);
    let after = g.thread(ev.tid)[ev.idx as usize..].iter().copied();
    after.into_iter().find(|&e| g.event(e).kind == Kind::Fence && g.event(e).mode.is_acquire())
}

impl Witness {
    /// What is missing, in a sentence or two.
    pub fn missing(&self, missing: &Missing) -> Option<String> {
        if !missing.fences.is_empty() {
            let pair = |(a, b): &(usize, usize)| {
                let thread = self.thread(self.event(*a)?.thread);
                Some(format!("{} and {} in {thread}", self.named(*a, &[*a, *b])?, self.named(*b, &[*a, *b])?))
            };
            let pairs: Vec<String> = missing.fences.iter().filter_map(pair).collect();
            return Some(format!(
                "No seq_cst fence between {}: nothing keeps a write from being delayed past the reads \
                 after it.",
                pairs.join(", nor between ")
            ));
        }
        let (before, after) = (self.event(missing.before)?, self.event(missing.after)?);
        let beside = missing.events();
        let (first, second) = (self.named(missing.before, &beside)?, self.named(missing.after, &beside)?);
        let (one, other) = (self.thread(before.thread), self.thread(after.thread));
        let what = match (
            missing.through.iter().any(|p| p.no_release),
            missing.through.iter().any(|p| p.no_acquire),
        ) {
            (true, true) => "No release and no acquire",
            (true, false) => "No release",
            (false, true) => "No acquire",
            (false, false) => {
                let locks = self.locks_at(missing.before, missing.after);
                let locks = locks.map_or(String::new(), |locks| format!(" {locks}."));
                return Some(format!(
                    "Nothing between {first} in {one} and {second} in {other}: {other} has read nothing \
                     by then that {one} wrote after it, and there is no lock, join or barrier between \
                     them.{locks}"
                ));
            }
        };
        let misses = if missing.missed { ", which does not see it" } else { "" };
        let lacking = missing.through.iter().filter(|p| p.no_release || p.no_acquire);
        let passages: Vec<String> = lacking.filter_map(|p| self.passage(p, &beside)).collect();
        Some(format!("{what} between {first} and {second}{misses}. {}.", passages.join(". ")))
    }

    /// `main#0 learns of what pusher#2 did by reading top at q.c:35 (acquire); the write that it reads, at
    /// q.c:28 in pusher#2, is relaxed, and no release fence is before it`.
    fn passage(&self, passage: &Passage, beside: &[usize]) -> Option<String> {
        let (write, read) = (self.event(passage.write)?, self.event(passage.read)?);
        let order = |event: &Event| event.order.clone().unwrap_or_else(|| String::from("plain"));
        let (reader, writer) = (self.thread(read.thread), self.thread(write.thread));
        let at = |event: &Event, before: &str| {
            let place = event.place.as_ref();
            place.map_or(String::new(), |place| {
                format!("{before}at {}{}", self.at(place), self.called(event, beside))
            })
        };
        let Action::Read { location, .. } = &read.action else { return None };
        let learns = format!("{reader} learns of what {writer} did by reading {location}{}", at(read, " "));
        let which = format!("the write that it reads,{} in {writer},", at(write, " "));
        let no_release = format!("{which} is {}, and no release fence is before it", order(write));
        Some(match (passage.no_release, passage.no_acquire) {
            (true, false) => format!("{learns} ({}); {no_release}", order(read)),
            (_, false) => format!("{learns} ({}), {}", order(read), order(write)),
            (false, true) => {
                format!(
                    "{learns}, which {writer} wrote{} ({}); that read is {}, and no acquire fence is after it",
                    at(write, " "),
                    order(write),
                    order(read)
                )
            }
            (true, true) => format!(
                "{learns}; that read is {}, and no acquire fence is after it; {no_release}",
                order(read)
            ),
        })
    }

    /// An event without its thread: `the write to x at q.c:12`.
    fn named(&self, number: usize, beside: &[usize]) -> Option<String> {
        let called = self.event(number).map_or(String::new(), |event| self.called(event, beside));
        self.access(number).map(|access| access.without_thread() + &called)
    }

    /// Where something was called, if it is in the same line of another file as what it is told together
    /// with: ` < q.c:12`, as steps have it.
    fn called(&self, event: &Event, beside: &[usize]) -> String {
        let line = |event: &Event| event.place.as_ref().map(|place| (place.file.clone(), place.line));
        let is_there = |number: &usize| {
            *number != event.number && self.event(*number).is_some_and(|other| line(other) == line(event))
        };
        match event.caller().filter(|_| beside.iter().any(is_there)) {
            Some(place) => format!(" < {}", self.at(place)),
            None => String::new(),
        }
    }
}

impl Missing {
    /// The events that are told of.
    pub fn events(&self) -> Vec<usize> {
        let of_passage = |passage: &Passage| [passage.write, passage.read];
        [self.before, self.after].into_iter().chain(self.through.iter().flat_map(of_passage)).collect()
    }
}
