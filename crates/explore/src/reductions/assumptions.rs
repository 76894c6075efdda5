//! Assumptions that fail after a lock was given back: nobody takes the lock from such a thread.
//!
//! In `lock(); done = count == 2; unlock(); assume(done);` it is decided inside of the section that the
//! thread comes to nothing, but others go on after it, in every order in which they would have gone on
//! without it. Such a section is *void*: its thread has taken the lock, has read, has written at most to
//! memory that nobody else uses, has given the lock back, and has come to an assumption that does not hold,
//! without another read that could still change.
//!
//! *Nothing is lost.* Take an execution in which others come after a void section, and leave the section out:
//! whoever read from the write that gave the lock back reads from what the section had read instead, which is
//! the same value. As taking the lock acquires and giving it back releases, that orders nothing that was not
//! ordered before. The thread stands before the section, as it would in an execution in which it is late, and
//! can take the lock when all others are done. What the others do, and what is wrong with it, stays; and an
//! execution that an assumption has ended is none that counts.
//!
//! *Who goes when.* A thread that would take a lock and come to nothing, given the latest values that there
//! are, goes last, like one that would wait (`Explorer::next_thread`): a schedule like any other. So void
//! sections come up mostly where a thread takes the lock in place of another one, which then comes after it:
//! it has won the lock (`awaits`), and no revisit will ever delete that. From there on, no read-modify-write
//! takes the lock from the void section ([`Hooks::skips_source`]), and nothing comes of the graph. What the
//! section has read may still be revisited, and then it may not be void any more, by writes that do not come
//! after it. These must not be missed: threads that would take the lock from a void section go last of all.
//! All writes that do not depend on them are in the graph by then. A void section of a thread that has not
//! won the lock is on the way to other graphs: others may take the lock in its place, and delete those that
//! came after it.
//!
//! Nobody may look at the lock but to take it: a thread that tries, and finds it taken by a void section,
//! would have seen something (`Foresight::takes_quietly`).
//!
//! *Premises*: `awaits` is on; the model forgets reads, writes and read-modify-writes that nobody sees.
//! *Watched*: that what void sections write, and what their threads read after them, is used by no other
//! thread ([`Owners`]). Other threads come to their use of it also where the section is left out.

use super::locations::{SharedBits, Told};
use super::{Hooks, reduces};
use crate::explorer::Explorer;
use crate::report::Config;
use crate::schedule::Prospect;
use crate::threads::Threads;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Again, Block, Machine, Op, Reduction, Rmw};
use smallvec::SmallVec;

/// A void section wrote to this location, or its thread read it afterwards.
const VOID: u8 = 0x80;
/// Threads with higher numbers share the last bit that is left.
const SEVERAL: u16 = 6;

/// The bit of a thread that accesses a location.
fn owner(t: Tid) -> u8 {
    1 << t.0.min(SEVERAL)
}

/// Whether what is known of a location is what the reduction needs: one thread uses it.
fn in_order(bits: u8) -> bool {
    let owners = bits & !VOID;
    bits & VOID == 0 || (owners.is_power_of_two() && owners != owner(Tid(SEVERAL)))
}

/// Which threads use which locations, as far as all who explore a program have seen.
#[derive(Debug, Default)]
pub struct Owners {
    seen: SharedBits,
}

impl Owners {
    /// Whether several threads use what one of them was thought to have for itself.
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
pub(crate) struct Assumptions {
    on: bool,
    told: Told,
    /// The condition was found not to hold.
    broken: bool,
}

impl Assumptions {
    pub(crate) fn new<M: Machine>(machine: &M, config: &Config) -> Assumptions {
        let on = config.watches.owners.is_some()
            && config.watches.chains.is_some()
            && machine.may_assume()
            && [Reduction::Assumptions, Reduction::Awaits].iter().all(|r| reduces(config, *r));
        Assumptions { on, told: Told::default(), broken: false }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }
}

impl<M: Machine> Hooks<M> for Assumptions {
    #[inline(always)]
    fn before_event(x: &mut Explorer<'_, M>, t: Tid, op: Op) {
        if x.reducers.assumptions.on
            && let Op::Load { loc, .. } | Op::Store { loc, .. } = op
        {
            x.note_owner(loc, owner(t));
        }
    }

    #[inline(always)]
    fn skips_source(x: &mut Explorer<'_, M>, e: EventId, w: EventId) -> bool {
        x.reducers.assumptions.on && x.takes_from_void(e, w)
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        x.reducers.assumptions.broken.then_some(Again::Unfounded(Reduction::Assumptions))
    }
}

impl<M: Machine> Explorer<'_, M> {
    #[inline]
    fn note_owner(&mut self, loc: Loc, bits: u8) {
        let assumptions = &mut self.reducers.assumptions;
        if assumptions.told.is_news(loc, bits) {
            let owners = self.config.watches.owners.as_ref();
            assumptions.broken |= owners.is_some_and(|owners| !in_order(owners.seen.note(loc, bits)));
        }
    }

    /// Whether `e` would take a lock from a void section that gave it back by `w`.
    fn takes_from_void(&mut self, e: EventId, w: EventId) -> bool {
        let Op::Load { loc, mode, rmw } = self.threads.op_of(e) else { return false };
        if rmw == Rmw::No || !self.load_outcome(e, mode, rmw, self.graph.value_of(w, loc)).1 {
            return false;
        }
        let Some(own) = void_section(self.machine, &mut self.threads, &self.graph, w) else { return false };
        for loc in own {
            self.note_owner(loc, VOID);
        }
        true
    }
}

/// How far to look ahead.
const FAR: usize = 64;

/// What would become of `t`, which stands at a read-modify-write, if that took a lock: it may take it from a
/// void section, or come to nothing.
pub(crate) fn prospect_of_lock<M: Machine>(
    machine: &M,
    threads: &mut Threads<M::State>,
    g: &ExecutionGraph,
    t: Tid,
) -> Prospect {
    let Some(Op::Load { loc: lock, .. }) = threads.op(t) else { return Prospect::GoesOn };
    if !threads.state(t).is_some_and(|state| machine.takes_quietly(state)) {
        return Prospect::GoesOn;
    }
    if g.co_last(lock).is_some_and(|w| void_section(machine, threads, g, w).is_some()) {
        return Prospect::FromNothing;
    }
    let latest = |loc: Loc| match g.co_last(loc) {
        Some(last) => g.value_of(last, loc),
        None => machine.init_value(loc),
    };
    let free = latest(lock);
    // What it would write itself.
    let mut own: SmallVec<[(Loc, Value); 8]> = SmallVec::new();
    let end = threads.look_ahead(machine, t, FAR, |op| match op {
        Op::Load { loc, .. } => {
            let written = own.iter().rev().find(|(of, _)| *of == loc);
            Some(written.map_or_else(|| latest(loc), |(_, value)| *value))
        }
        Op::Store { loc, value, .. } => {
            own.push((loc, value));
            Some(0)
        }
        Op::Fence { .. } => Some(0),
        _ => None,
    });
    let given_back = own.iter().rev().find(|(of, _)| *of == lock).is_some_and(|(_, value)| *value == free);
    match given_back && end == Op::Block(Block::Assume) {
        true => Prospect::Waits,
        false => Prospect::GoesOn,
    }
}

/// The locations, but for the lock's, that the thread of `w` was taken to use alone, if `w` ends a section
/// that is void.
fn void_section<M: Machine>(
    machine: &M,
    threads: &mut Threads<M::State>,
    g: &ExecutionGraph,
    w: EventId,
) -> Option<SmallVec<[Loc; 4]>> {
    let last = g.event(w);
    if w.is_init() || last.is_rmw_write() || !matches!(last.mode, Mode::Rel | Mode::AcqRel | Mode::Sc) {
        return None;
    }
    let own = |loc: Loc| {
        let all = g.co(loc).iter().flat_map(|&w| std::iter::once(w).chain(g.readers(w, loc)));
        loc != last.loc && all.filter(|x| !x.is_init()).all(|x| g.event(x).tid == last.tid)
    };
    let mut used = SmallVec::new();
    let end = match threads.op(last.tid)? {
        // It would wait, so it goes last; but it can only read what it wrote itself.
        Op::Load { loc, rmw: Rmw::No, .. } if loc.index() < g.locations() && own(loc) => {
            used.push(loc);
            threads.peek_at(machine, last.tid, g.value_of(g.co_last(loc)?, loc))
        }
        op => op,
    };
    if end != Op::Block(Block::Assume) {
        return None;
    }
    let mut ended = false;
    for &e in g.thread(last.tid).iter().rev() {
        let ev = g.event(e);
        match ev.kind {
            _ if e == w => ended = true,
            Kind::Fence => {}
            Kind::Read if ended && !ev.is_rmw_read() => {}
            // After the section, or written in it.
            Kind::Read | Kind::Write if !ev.is_rmw_read() && !ev.is_rmw_write() && own(ev.loc) => {
                used.push(ev.loc);
            }
            Kind::Write if ended && ev.is_rmw_write() && ev.loc == last.loc => {
                let taken = g.rmw_read_of(e)?;
                let acquires = matches!(g.event(taken).mode, Mode::Acq | Mode::AcqRel | Mode::Sc);
                let same = g.value_of(g.rf(taken)?, last.loc) == last.value;
                let quietly = threads.state_of(taken).is_some_and(|state| machine.takes_quietly(state));
                return (acquires && same && quietly && g.has_won(taken)).then_some(used);
            }
            _ => return None,
        }
    }
    None
}
