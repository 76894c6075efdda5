//! Attempts that another thread has overtaken are left out, and are not put off.
//!
//! A thread loads `v`, looks at other things, and makes a compare-and-exchange that expects `v`; if that
//! fails, it begins anew: `do { t = load(top); b = load(bottom); … } while (!cas(top, t, t + 1))`. Once
//! something else was written to `top`, the compare-and-exchange can only succeed by taking the place of the
//! one that was first. Where it fails, the iteration has only read.
//!
//! Let `u` be such a compare-and-exchange that has failed, so that its thread waits, and would whatever it
//! read but `v`; let no two writes to its location write the same value (watched). Let `p` be the read of
//! the iteration that gave `v`, and let it *last*: no graph in which the thread waits at `u` leads to one
//! without `p`, and so without the write that it reads from. Let no other thread come to a write to what was
//! read in the iteration after `p`, from where it stood when it did its first event after `p`, or stands
//! now, if there is none; `u` itself may be written to, but not by plain accesses. Threads that could be
//! created count. Then the thread waits in all executions that follow, and `p` in them is old.
//!
//! *What lasts.* A read that was not added maximally, as in `outdated`: something newer was there; so do
//! those before it. And `p`, if `u` was revisited by a write `w` that comes later in coherence than what `p`
//! reads from. A revisit that deletes `p` or changes it deletes `u`, too; both have to be maximal then, as
//! nobody reads from a thread that waits. `u` is only if the revisiting write has `w` in its causal prefix;
//! but then `p` is not, as `w` is among what it could have read from. (`u` may be revisited again, by a
//! write that has `w` in its prefix; then `p` lasts because of that one.) And `p`, if a read-modify-write
//! that was added later has won the write that `p` reads from (`awaits`): no revisit deletes a winner, and
//! what has it in its prefix has its write there, too, which is newer. (Prefixes that have more in them, for
//! `symmetry`, may have half of it: not with those.)
//!
//! So no thread goes back to before its first event that was added after `p`, and what was read in the
//! iteration after `p` stays as it is, but for `u`, which fails whatever it reads.
//!
//! *Nothing is lost*, by the argument for `outdated`. Take an execution that follows, leave out the reads
//! from `p` on, which nobody reads from, and let the thread then make its reads at the end of coherence. Do
//! the same for all threads that wait like that. On the way to that graph nothing was left out: events that
//! last stay, and what was left out has some that are not in it. That such a thread waits is no error, as it
//! may still see what is new. Reads after `p` are only of locations with which nothing can go wrong; `p`
//! itself is made again, and by the time that it is, what could be wrong with it has happened: only plain
//! accesses of the location of `u` are said to be wrong with it, and there are none to come.
//!
//! *That a value comes again is noticed*: take the first write, in an execution that follows, that writes
//! what was written before. Up to there nothing depends on the reads that were left out, so there is an
//! execution that is explored with the same two writes in it.
//!
//! *Who goes when.* A compare-and-exchange that would fail, as something else is there than what its thread
//! has read and expects, is not put off (`awaits`): there is nothing to wait for, and what others do until
//! then would be for nothing.
//!
//! *Premises*: those of `outdated`; `awaits` is on; the model keeps coherence; no unknown inputs, nothing is
//! added that would be taken away again (`zne`: whether somebody notices is asked in whole executions).
//! Threads that must not get ahead of their twin (`symmetry`) are not left out. *Watched*: [`Values`].

use super::locations::{SharedBits, Told};
use super::{Hooks, Reducers, reduces};
use crate::explorer::Explorer;
use crate::report::Config;
use crate::threads::{Status, Threads};
use selvedge_graph::{Event, EventId, ExecutionGraph, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Again, Block, Machine, Op, Reduction, Rmw};
use selvedge_model::Model;
use smallvec::SmallVec;

/// It mattered that no value of this location is written by two writes.
const DISTINCT: u8 = 1;
/// There was such a value.
const REPEATED: u8 = 2;

/// How far to look back for the read that an attempt expects.
const FAR: usize = 16;

/// Whether what is known of a location is what the reduction needs.
fn in_order(bits: u8) -> bool {
    bits != DISTINCT | REPEATED
}

/// What is known of the locations of a program, by all who explore it.
#[derive(Debug, Default)]
pub struct Values {
    seen: SharedBits,
}

impl Values {
    /// Whether a value came again where that matters.
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
pub(crate) struct Overtaken {
    on: bool,
    told: Told,
    /// An access that is not plain is only in error together with a plain write.
    plain: bool,
    /// Some attempt adds what it may take away again.
    tentative: bool,
    /// The condition was found not to hold.
    broken: bool,
}

impl Overtaken {
    pub(crate) fn new<M: Machine>(machine: &M, model: &Model, config: &Config) -> Overtaken {
        let needed = [Reduction::Overtaken, Reduction::Awaits, Reduction::Annotations, Reduction::Futile];
        let on = config.watches.values.is_some()
            && config.watches.chains.is_some()
            && config.shortcuts
            && needed.iter().all(|r| reduces(config, *r))
            && !machine.has_sections()
            && !machine.has_unknowns();
        let plain = on
            && model.races_are_of_plain_accesses()
            && !machine.has_local_objects()
            && !machine.has_final_writes();
        Overtaken { on, told: Told::default(), plain, tentative: false, broken: false }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }
}

impl<M: Machine> Hooks<M> for Overtaken {
    #[inline(always)]
    fn before_load(x: &mut Explorer<'_, M>, rmw: Rmw) {
        x.reducers.overtaken.tentative |= matches!(rmw, Rmw::Tentative { .. });
    }

    #[inline(always)]
    fn comes_to_nothing(x: &mut Explorer<'_, M>, e: EventId, value: Value) -> bool {
        x.rmws && x.reducers.overtaken.on && x.is_overtaken(e, value)
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        x.reducers.overtaken.broken.then_some(Again::Unfounded(Reduction::Overtaken))
    }
}

impl<M: Machine> Explorer<'_, M> {
    fn note_values(&mut self, loc: Loc, bit: u8) {
        let overtaken = &mut self.reducers.overtaken;
        if overtaken.told.is_news(loc, bit) {
            let values = self.config.watches.values.as_ref();
            overtaken.broken |= values.is_some_and(|values| !in_order(values.seen.note(loc, bit)));
        }
    }

    /// Two writes of this location write the same value (`awaits` looks for that).
    pub(crate) fn note_repeated(&mut self, loc: Loc) {
        if self.reducers.overtaken.on {
            self.note_values(loc, REPEATED);
        }
    }

    /// Whether `e` is an attempt that fails by reading `value`, and will never succeed nor be made anew.
    fn is_overtaken(&mut self, e: EventId, value: Value) -> bool {
        let Op::Load { loc, rmw: Rmw::Cas { expected, .. }, .. } = self.threads.op_of(e) else {
            return false;
        };
        let overtaken = &self.reducers.overtaken;
        if value == expected || overtaken.tentative || overtaken.told.has(loc, REPEATED) {
            return false;
        }
        let most = match self.threads.peek_with(self.machine, e, value) {
            (Op::Block(Block::Spin), state) => self.machine.spin_reads(state),
            (Op::Block(Block::Assume), _) => u32::MAX,
            _ => return false,
        };
        if self.trouble.is_some() || self.graph.has_parts() || self.threads.gate_from(e).is_some() {
            return false;
        }
        let Some((p, others)) = self.lasting_read_before(e, (loc, expected), most) else { return false };
        if !self.threads.waits_if_it_fails(self.machine, e) || self.may_change(p, &others, loc) {
            return false;
        }
        self.note_values(loc, DISTINCT);
        true
    }

    /// The latest read before `e`, which is of `loc`, in its thread that is of this location and has given
    /// what `e` expects, if it lasts; and the locations that were read between the two. There must be only
    /// reads and fences from there on, at most so many reads, and nothing can be wrong with those after it.
    fn lasting_read_before(
        &self,
        e: EventId,
        (loc, expected): (Loc, Value),
        most: u32,
    ) -> Option<(EventId, SmallVec<[Loc; 8]>)> {
        let g = &self.graph;
        let (mut x, mut reads, mut lasts, mut others) = (e, 0, false, SmallVec::new());
        loop {
            let ev = g.event(x);
            match ev.kind {
                Kind::Fence => {}
                Kind::Read if !ev.is_rmw_read() => {
                    reads += 1;
                    if reads > most {
                        return None;
                    }
                    if x != e {
                        // Whoever deletes a read deletes those after it.
                        lasts |= self.is_fixed(x);
                        if ev.loc == loc && ev.value == expected {
                            let won = !Reducers::adds_to_prefixes(self) && self.is_won_over(x);
                            let lasts = lasts || won || self.is_kept_by(x, e);
                            return lasts.then_some((x, others));
                        }
                    }
                    if !self.stays_right(ev) {
                        return None;
                    }
                    if x != e && !others.contains(&ev.loc) {
                        others.push(ev.loc);
                    }
                }
                _ => return None,
            }
            x = g.po_pred(x)?;
        }
    }

    /// Whether nothing can be wrong with a read that was not wrong when it was made, unless somebody comes to
    /// a plain write to its location: a write that is there stays ordered before it.
    fn stays_right(&self, ev: &Event) -> bool {
        let is_told = self.reducers.overtaken.plain && ev.mode != Mode::Na;
        is_told && self.graph.object_of(ev.loc).is_none() || self.finds_nothing_at(ev.loc, ev.attrs)
    }

    /// Whether a read before `u` stays as long as `u`, which was revisited, is there.
    fn is_kept_by(&self, p: EventId, u: EventId) -> bool {
        let g = &self.graph;
        let (read, attempt) = (g.event(p), g.event(u));
        let places = |e: EventId| g.rf(e).and_then(|w| Some((w, g.co_pos(w)?)));
        read.loc == attempt.loc
            && matches!((places(p), places(u)), (Some((_, then)), Some((w, now)))
                if now > then && !w.is_init() && g.event(w).stamp > attempt.stamp)
    }

    /// Whether somebody has won what `p` reads from since `p` was added.
    fn is_won_over(&self, p: EventId) -> bool {
        let g = &self.graph;
        let (loc, since) = (g.event(p).loc, g.event(p).stamp);
        let winner = |w: EventId| self.rmw_reader(w, loc, p).filter(|&x| g.has_won(x));
        g.rf(p).and_then(winner).is_some_and(|x| g.event(x).stamp > since && g.rmw_write_of(x).is_some())
    }

    /// Whether a thread other than that of `p` may come to a write to one of these locations, from where it
    /// was when `p` was added, or to a plain one to `loc`.
    fn may_change(&self, p: EventId, others: &[Loc], loc: Loc) -> bool {
        let g = &self.graph;
        let (own, since) = (g.event(p).tid, g.event(p).stamp);
        (0..).map(Tid).zip(self.threads.status()).any(|(t, status)| {
            if t == own || *status == Status::Absent {
                return false;
            }
            let events = g.thread(t);
            let later = events.partition_point(|&x| g.event(x).stamp < since);
            let state = match events.get(later) {
                Some(&first) => self.threads.state_of(first),
                None if *status >= Status::Join => self.threads.state(t),
                None => return false,
            };
            state.is_none_or(|state| {
                self.machine.may_spawn(state)
                    || others.iter().any(|&other| self.machine.may_write(state, other))
                    || self
                        .machine
                        .stores_to_come(state, loc)
                        .is_none_or(|stores| stores.iter().any(|(mode, _)| *mode == Mode::Na))
            })
        })
    }
}

/// Whether a thread is about to make an attempt that was overtaken: there is nothing to wait for.
pub(crate) fn is_late<M: Machine>(
    machine: &M,
    threads: &mut Threads<M::State>,
    g: &ExecutionGraph,
    t: Tid,
) -> bool {
    let Some(Op::Load { loc, rmw: Rmw::Cas { expected, .. }, .. }) = threads.op(t) else { return false };
    let Some(last) = g.co_last(loc).filter(|&last| g.value_of(last, loc) != expected) else { return false };
    let reads = g.thread(t).iter().rev().map(|&e| g.event(e)).take(FAR).take_while(|ev| match ev.kind {
        Kind::Fence => true,
        Kind::Read => !ev.is_rmw_read() && g.object_of(ev.loc).is_none(),
        _ => false,
    });
    let expects = |ev: &Event| ev.loc == loc && ev.value == expected && ev.kind == Kind::Read;
    !last.is_init()
        && g.object_of(loc).is_none()
        && reads.into_iter().any(expects)
        && threads.waits_if_it_fails_at(machine, t)
}
