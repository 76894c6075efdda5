//! Iterations that saw something old and wait are left out, once nobody can change what they saw after that.
//!
//! The reader of a sequence lock reads the number, then the data, then the number again, and tries again if
//! it has changed: it waits. That it has is decided by the last read, which reads from the end of coherence
//! and so is not left out by `annotations`: a write that is still to come may revisit it, or another read
//! after the old one, and then the thread does not wait.
//!
//! Let `s` be a read of a thread that was not added maximally, let its thread do nothing but read and fence
//! from `s` on, and wait after `e`. Nothing that was added up to `s` is ever revisited, as `s` would have to
//! go. If no other thread can come to a write to the location of a read that was added from there to `e`,
//! then none of these is revisited either: the thread waits in all executions that follow, and `s` in them is
//! old. Threads come to writes from where they stand now, since nothing before is revisited; and those that
//! could be created count.
//!
//! *Nothing is lost*, by the argument for `annotations`. Take an execution that follows, and leave out the
//! reads from `s` on, from which nobody reads: the others do the same in it. Let the thread then make its
//! reads at the end of coherence. On the way to that graph nothing was left out: events that were not added
//! maximally stay, so what was left out for `s` would have `s` in it, which has read something older. That
//! the thread waits is no error, either: it waits because of an assumption, or in an iteration with `s` in
//! it, which may still see what is new. Where it reads after `s` may depend on what it read; nothing may be
//! wrong with such a read, whatever else there is in the graph.
//!
//! *Who goes when.* A thread that is about to begin an iteration that only reads, and more than once, goes
//! after those that are not: a schedule like any other. All writes are there then, most often.
//!
//! *Premises*: `po ∪ rf` has no cycle; `annotations`, `futile` and `awaits` are on; no atomic sections.
//! Nothing is watched.

use super::{Hooks, Reducers, reduces};
use crate::explorer::Explorer;
use crate::report::Config;
use crate::threads::Status;
use selvedge_graph::{EventId, Kind, Loc, Tid, Value};
use selvedge_machine::{Block, Machine, Op, Reduction};
use smallvec::SmallVec;

/// Whether it is on.
#[derive(Debug)]
pub(crate) struct Outdated {
    on: bool,
}

impl Outdated {
    pub(crate) fn new<M: Machine>(machine: &M, config: &Config) -> Outdated {
        let needed = [Reduction::Outdated, Reduction::Annotations, Reduction::Futile, Reduction::Awaits];
        let wanted = needed.iter().all(|r| reduces(config, *r)) && config.watches.chains.is_some();
        Outdated { on: wanted && config.shortcuts && !machine.has_sections() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }
}

impl<M: Machine> Hooks<M> for Outdated {
    #[inline(always)]
    fn comes_to_nothing(x: &mut Explorer<'_, M>, e: EventId, value: Value) -> bool {
        x.reducers.outdated.on
            && x.threads.is_blocked_after(x.machine, e, value)
            && x.waits_with_old(e, value)
    }
}

impl<M: Machine> Explorer<'_, M> {
    /// Whether the thread of `e` waits if that reads `value`, as it does, and will wait whatever comes,
    /// because of what it read before.
    fn waits_with_old(&mut self, e: EventId, value: Value) -> bool {
        let most = match self.threads.peek_with(self.machine, e, value) {
            (Op::Block(Block::Spin), state) => self.machine.spin_reads(state),
            (Op::Block(Block::Assume), _) => u32::MAX,
            _ => return false,
        };
        if self.trouble.is_some() || self.graph.has_parts() || Reducers::gives_up(self, e, value) {
            return false;
        }
        let Some(s) = self.old_read_before(e, most) else { return false };
        let g = &self.graph;
        let mut locs: SmallVec<[Loc; 8]> = SmallVec::new();
        for &x in &g.order()[g.event(s).stamp as usize + 1..=g.event(e).stamp as usize] {
            let ev = g.event(x);
            if ev.is_read() && !locs.contains(&ev.loc) {
                locs.push(ev.loc);
            }
        }
        !self.may_be_written(g.event(e).tid, &locs)
    }

    /// The latest read before `e` in its thread that was not added maximally, if there are only reads and
    /// fences from there on, at most so many reads, and nothing can be wrong with those after it.
    fn old_read_before(&self, e: EventId, most: u32) -> Option<EventId> {
        let g = &self.graph;
        let (mut x, mut reads) = (e, 0);
        loop {
            let ev = g.event(x);
            match ev.kind {
                Kind::Fence => {}
                Kind::Read if !ev.is_rmw_read() => {
                    reads += 1;
                    if reads > most {
                        return None;
                    }
                    if x != e && self.is_fixed(x) {
                        return Some(x);
                    }
                    if !self.finds_nothing_at(ev.loc, ev.attrs) {
                        return None;
                    }
                }
                _ => return None,
            }
            x = g.po_pred(x)?;
        }
    }

    /// Whether a read will never be revisited, nor deleted, as there was something newer when it was added.
    pub(crate) fn is_fixed(&self, r: EventId) -> bool {
        let g = &self.graph;
        let stamp = g.event(r).stamp;
        let before = |x: EventId| g.event(x).stamp < stamp;
        let Some((source, pos)) = g.rf(r).and_then(|w| Some((w, g.co_pos(w)?))) else { return false };
        (source.is_init() || before(source)) && g.co(g.event(r).loc)[pos + 1..].iter().any(|&x| before(x))
    }

    /// Whether a thread other than `t` may come to a write to one of these locations. One that waits does
    /// not, unless one of its reads is revisited.
    fn may_be_written(&self, t: Tid, locs: &[Loc]) -> bool {
        (0..).map(Tid).zip(self.threads.status()).any(|(other, status)| {
            other != t
                && *status >= Status::Join
                && self.threads.state(other).is_none_or(|state| {
                    self.machine.may_spawn(state)
                        || locs.iter().any(|&loc| self.machine.may_write(state, loc))
                })
        })
    }
}
