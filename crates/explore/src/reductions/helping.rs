//! Helping: a compare-and-exchange that completes what another thread has begun is left to that thread.
//!
//! In a queue of Michael and Scott, a node is appended (`k`), and then the tail is moved on: by the thread
//! that appended the node (`o`, right after `k`), or by whoever sees that it has not done so yet (`h`).
//! Executions that differ in who moves the tail are alike, so one of them is explored, in which the owner
//! does: where `h` would succeed in its place, its thread waits. That is decided for one `h` and one source
//! at a time, by what is among their causes; so is what a thread does next, and the exploration goes through
//! all executions of the program in which such threads wait. There is nothing about a program that has to be
//! guessed and found out elsewhere.
//!
//! `h`, which would read from `s`, has an owner `o` if
//!
//! * both are compare-and-exchanges of the same location that expect and write the same values, not equal
//!   ones, with the same ordering, which releases; and it makes no difference to either thread whether it
//!   succeeds or fails ([`Foresight::completion`]);
//! * `o` is what its thread does right after a write `k`, which releases, and from which the thread of `h`
//!   has acquired before `h`. `o` itself is not among the causes of `h` and of `s`;
//! * the thread of `o` has acquired from `s` before `k`, and `s` releases; or `s` is an initial value, or was
//!   written before that thread was created, by the thread that created it.
//!
//! *Every execution that is explored is one of the program*, but for threads that wait; and if nothing else
//! can go on, the thread of `o` still can. *Nothing is lost*: take an execution `X` of the program, and an
//! order of its events that `po ∪ rf` goes along with. Let `h` be the first event that succeeds although it
//! has an owner `o`. As its thread knows of `s`, `o` does not read from before it; nor from `s`, which `h`
//! has replaced; nor does it succeed by another write, as no value is written twice (watched). So it fails,
//! after `h`, or does not come up. Let `o` read from `s` right before `h`, and write what `h` wrote, for all
//! who read that; and let `h` read it and fail. The threads do the same as before, as neither outcome makes
//! a difference.
//!
//! * It is consistent: that is `delegates-rmws` of the model. In an interleaving, `o` is moved to right
//!   before `h`, which is possible as its thread does nothing between `k` and `o`.
//! * Whatever is unordered stays unordered. Whoever acquires from `o` in place of `h` gets to know of `k` and
//!   what the owner knew then, which `h` knew, and of `o` itself; what it had learned of the thread of `h`,
//!   it does not learn any more. So races are still there, in models that look for them by release and
//!   acquire even if their executions are interleavings, but for races with `o`. These are none of other
//!   atomic accesses. That nothing else is done to the location while other threads run is watched: plain
//!   accesses, and the end of the life of its object. (If the thread of `h` frees the object afterwards, `o`
//!   may come too late in `X`, and does not if it is moved.)
//! * It comes to an end: events before `h` are as they were, and have what causes they had. `o` may itself
//!   have an owner; but what precedes that one, `k'`, is among the causes of `k`, as `k` was among those of
//!   what precedes `h`. So after a few moves the step is made by somebody who has no owner, and the next `h`
//!   is later in the order. Iterations of loops in which `h` fails may turn out to have no effect; they are
//!   left out like others (`spin-assume`), and then there are fewer events.
//!
//! *Premises*: `po ∪ rf` has no cycle, the model forgets reads and delegates read-modify-writes; the program
//! has no atomic sections, says of no objects that they are local and has no unknown inputs. Sequentially
//! consistent accesses are only allowed where executions are interleavings. *Watched*: [`Steps`]. Where a
//! value is written twice, or a location is accessed in another way, in `X` and not before, there is an
//! execution that is explored with the same events up to there, and it does so, too.

use super::locations::{SharedBits, Told};
use super::{Hooks, reduces};
use crate::explorer::Explorer;
use crate::report::Config;
use crate::threads::{Status, Threads};
use selvedge_graph::{Attrs, Event, EventId, ExecutionGraph, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Again, Completion, Machine, Op, Reduction, Rmw};
use selvedge_model::Model;

/// A step of this location was left to its owner.
const LEFT: u8 = 1;
/// A value was written to this location by two writes.
const REPEATED: u8 = 2;
/// Something else was done to this location while other threads may run.
const OTHERWISE: u8 = 4;

/// With more writes than this to a location, some value counts as repeated.
const MANY_WRITES: usize = 64;
/// How far to look back for where a helper has learned of a step.
const FAR: usize = 24;

/// Whether what is known of a location is what the reduction needs.
fn in_order(bits: u8) -> bool {
    bits & LEFT == 0 || bits == LEFT
}

/// What is known of the locations of a program, by all who explore it.
#[derive(Debug, Default)]
pub struct Steps {
    seen: SharedBits,
}

impl Steps {
    /// Whether steps of a location were left to their owners that is not as it has to be.
    pub fn broken(&self) -> bool {
        self.seen.first_not(in_order).is_some()
    }

    /// What is known, to be remembered elsewhere.
    pub fn save(&self) -> Vec<u8> {
        self.seen.save()
    }

    /// Adds what was known before.
    pub fn restore(&self, saved: &[u8]) {
        self.seen.restore(saved);
    }
}

/// What one explorer remembers of it.
#[derive(Debug)]
pub(crate) struct Helping {
    on: bool,
    /// The thread that the program starts with, if it is one.
    main: Option<Tid>,
    told: Told,
    /// The condition was found not to hold.
    broken: bool,
}

impl Helping {
    pub(crate) fn new<M: Machine>(machine: &M, model: &Model, config: &Config) -> Helping {
        let sc = |attrs: &Attrs| attrs.has(Attrs::SC) && (attrs.has(Attrs::R) || attrs.has(Attrs::W));
        let may_be_sc = || machine.event_classes().is_none_or(|c| c.into_attrs().iter().any(sc));
        let on = config.watches.steps.is_some()
            && reduces(config, Reduction::Helping)
            && machine.has_completions()
            && !machine.has_unknowns()
            && !machine.has_local_objects()
            && (model.is_interleaving() || !may_be_sc());
        let mut first = (0..machine.threads() as u16).map(Tid).filter(|t| machine.runs_from_start(*t));
        let main = first.next().filter(|_| first.next().is_none());
        Helping { on, main, told: Told::default(), broken: false }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }
}

impl<M: Machine> Hooks<M> for Helping {
    #[inline(always)]
    fn before_event(x: &mut Explorer<'_, M>, t: Tid, op: Op) {
        if x.reducers.helping.on {
            x.watch_other_use(t, op);
        }
    }

    #[inline(always)]
    fn after_store(x: &mut Explorer<'_, M>, w: EventId, _places: u32) {
        if x.reducers.helping.on {
            x.watch_repetition(w);
        }
    }

    #[inline(always)]
    fn refuses_rmw(x: &Explorer<'_, M>, u: EventId, w: EventId) -> bool {
        x.reducers.helping.on && x.is_left_to_owner(u, w)
    }

    #[inline(always)]
    fn after_reading(x: &mut Explorer<'_, M>, e: EventId) {
        if x.reducers.helping.on && x.would_complete(e) {
            let loc = x.graph.event(e).loc;
            x.note_step(loc, LEFT);
        }
    }

    #[inline(always)]
    fn gives_up(x: &Explorer<'_, M>, e: EventId, _value: Value) -> bool {
        x.reducers.helping.on && x.would_complete(e)
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        x.reducers.helping.broken.then_some(Again::Unfounded(Reduction::Helping))
    }
}

impl<M: Machine> Explorer<'_, M> {
    fn note_step(&mut self, loc: Loc, bits: u8) {
        let helping = &mut self.reducers.helping;
        if helping.told.is_news(loc, bits) {
            let steps = self.config.watches.steps.as_ref();
            helping.broken |= steps.is_some_and(|steps| !in_order(steps.seen.note(loc, bits)));
        }
    }

    /// Thread `t` is about to do something that is no atomic access.
    fn watch_other_use(&mut self, t: Tid, op: Op) {
        match op {
            Op::Load { loc, mode: Mode::Na, .. } | Op::Store { loc, mode: Mode::Na, .. }
                if !self.reducers.helping.told.has(loc, OTHERWISE) && !self.is_alone(t) =>
            {
                self.note_step(loc, OTHERWISE);
            }
            Op::Free { object } if !self.is_alone(t) => {
                for at in 0..self.graph.locations_of(object).len() {
                    let loc = self.graph.locations_of(object)[at];
                    self.note_step(loc, OTHERWISE);
                }
            }
            _ => {}
        }
    }

    /// Whether all that other threads do comes before or after what `t` does next: it is the one that the
    /// program starts with, and it has joined all others that there are.
    fn is_alone(&self, t: Tid) -> bool {
        let joined = |other: Tid| {
            let joins = |ev: &Event| ev.kind == Kind::Join && ev.peer == other;
            self.graph.thread(t).iter().any(|&e| joins(self.graph.event(e)))
        };
        let others = (0..).map(Tid).zip(self.threads.status());
        let mut others = others.filter(|(other, status)| *other != t && **status != Status::Absent);
        self.reducers.helping.main == Some(t) && others.all(|(other, _)| joined(other))
    }

    /// A write was added to the graph, and has no place in coherence yet.
    fn watch_repetition(&mut self, w: EventId) {
        let g = &self.graph;
        let (loc, value) = (g.event(w).loc, g.event(w).value);
        if self.reducers.helping.told.has(loc, REPEATED) {
            return;
        }
        let co = g.co(loc);
        if co.len() > MANY_WRITES || co.iter().any(|&x| g.value_of(x, loc) == value) {
            self.note_step(loc, REPEATED);
        }
    }

    /// Whether `u` would be a read-modify-write if it read from `w`, and is left to the thread whose step it
    /// completes.
    fn is_left_to_owner(&self, u: EventId, w: EventId) -> bool {
        let Op::Load { loc, rmw: Rmw::Cas { expected, .. }, .. } = self.threads.op_of(u) else {
            return false;
        };
        let g = &self.graph;
        let step = self.threads.state_of(u).and_then(|state| self.machine.completion(state));
        let earlier = || &g.thread(g.event(u).tid)[..g.event(u).idx as usize - 1];
        g.value_of(w, loc) == expected
            && step
                .is_some_and(|step| has_owner(self.machine, self.model, &self.threads, g, earlier(), step, w))
    }

    /// Whether `e` has read what it expects, but is not half of a read-modify-write.
    fn would_complete(&self, e: EventId) -> bool {
        let Op::Load { rmw: Rmw::Cas { expected, .. }, .. } = self.threads.op_of(e) else { return false };
        let ev = self.graph.event(e);
        ev.value == expected
            && !ev.is_rmw_read()
            && self.threads.state_of(e).is_some_and(|state| self.machine.completion(state).is_some())
    }
}

/// Whether a thread is about to complete a step that it would leave to its owner.
pub(crate) fn waits_for_owner<M: Machine>(
    machine: &M,
    model: &Model,
    threads: &Threads<M::State>,
    g: &ExecutionGraph,
    t: Tid,
) -> bool {
    let Some(Op::Load { loc, rmw: Rmw::Cas { expected, .. }, .. }) = threads.op(t) else { return false };
    let Some(last) = g.co_last(loc).filter(|&last| g.value_of(last, loc) == expected) else { return false };
    let step = threads.state(t).and_then(|state| machine.completion(state));
    step.is_some_and(|step| has_owner(machine, model, threads, g, g.thread(t), step, last))
}

/// Whether a step that would read from `source`, after these events of its thread, is that of another thread.
fn has_owner<M: Machine>(
    machine: &M,
    model: &Model,
    threads: &Threads<M::State>,
    g: &ExecutionGraph,
    earlier: &[EventId],
    step: Completion,
    source: EventId,
) -> bool {
    let Some(&last) = earlier.last() else { return false };
    let helper = g.event(last).tid;
    let is_owners = |k: EventId| {
        let (begun, next) = (g.event(k), g.po_succ(k));
        let state = match next {
            Some(o) => threads.state_of(o),
            None => threads.state(begun.tid),
        };
        let caused = |o: EventId| {
            let before = |e: EventId| model.causally_before(g, o, e);
            before(last) || !source.is_init() && (o == source || before(source))
        };
        state.and_then(|state| machine.completion(state)) == Some(step)
            && !next.is_some_and(caused)
            && knows(g, &g.thread(begun.tid)[..begun.idx as usize - 1], begun.tid, source)
    };
    releases(step.mode)
        && step.expected != step.desired
        && earlier.iter().rev().take(FAR).any(|&r| {
            let read = g.event(r);
            let begun = g.rf(r).filter(|&k| read.is_read() && acquires(read.mode) && !k.is_init());
            begun.is_some_and(|k| g.event(k).tid != helper && releases(g.event(k).mode) && is_owners(k))
        })
}

/// Whether what comes after `earlier` in thread `t` is ordered after `write`, and after all that is ordered
/// before whoever acquires from it.
fn knows(g: &ExecutionGraph, earlier: &[EventId], t: Tid, write: EventId) -> bool {
    if write.is_init() {
        return true;
    }
    let ev = g.event(write);
    let acquired = |&e: &EventId| g.event(e).is_read() && g.rf(e) == Some(write) && acquires(g.event(e).mode);
    let created = g.spawn_of(t).is_some_and(|spawn| {
        let spawn = g.event(spawn);
        spawn.tid == ev.tid && ev.idx < spawn.idx && !ev.is_rmw_write()
    });
    created || releases(ev.mode) && earlier.iter().any(acquired)
}

fn acquires(mode: Mode) -> bool {
    matches!(mode, Mode::Acq | Mode::AcqRel | Mode::Sc)
}

fn releases(mode: Mode) -> bool {
    matches!(mode, Mode::Rel | Mode::AcqRel | Mode::Sc)
}
