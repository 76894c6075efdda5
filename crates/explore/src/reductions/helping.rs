//! Helping: compare-and-exchanges that complete what another thread has begun are left to that thread.
//!
//! In a queue of Michael and Scott, a node is appended (`k`), and then the tail is moved on, by the thread
//! that appended the node (`o`) or by whoever sees that it has not done so yet (`h`). A machine that knows
//! such a step makes a read of it: where `h` would succeed, its thread waits. So executions that differ in
//! who moves the tail are explored once, with the owner moving it.
//!
//! *Every execution that is explored is one of the program*, but for waiting threads: `h` that fails is what
//! it is. *Nothing is lost*: take an execution `X` in which helpers succeed. Let `h` be the first that does,
//! in an order that causal order goes along with, and `s` what it reads. What causes it has no helper that
//! succeeds, so it is the beginning of an execution `G` that is explored, in which the thread of `h` stands
//! at it, or has it as a read. There it is asked ([`Explorer::is_left_to_owner`]) that
//!
//! * `s` is the only write of the value that `h` expects, and what follows `s` in coherence are
//!   read-modify-writes: the step is made once. Nor is the location accessed by plain accesses, which would
//!   race with `h` and may not with `o`;
//! * the read-modify-write that reads from `s` is a compare-and-exchange `o` of another thread, which
//!   expects, writes and is ordered as `h`, and whose outcome makes no difference to its thread;
//! * right before it the thread made a write `k`, which the thread of `h` has acquired from before `h`, and
//!   it had acquired from `s` before. Both are in `G` and in `X`, as they are among the causes of `h`.
//!
//! In `X`, then, `o` is what the thread does after `k`, and it fails, as what it expects was there only once
//! and is gone. In its place let `o` read from `s` and write, where `h` wrote, and let `h` read what it wrote
//! and fail. By `delegates-rmws` of the model that is consistent: all that `o` and who reads from it know
//! they knew before, through `h`. It is an execution of the program, as neither outcome makes a difference;
//! it has the same values and final states; whatever else was not ordered is not ordered now, so races are
//! still there. And it has one helper less that succeeds. A thread that looks at the location twice, or ends
//! in `h` although nobody comes to complete the step, is found out where it is explored.
//!
//! Where executions are interleavings, orderings do not matter: `o` is moved to right before `h`. That is
//! possible because its thread does nothing between `k` and `o`, and `k` is before `h`.
//!
//! If it does not hold, the program is explored again, and helpers do what they do.
//!
//! **Not in use** (`leave_out_help` of the machine is off, and nothing switches it on). There is a hole in
//! the argument: `G`, in which the thread of `h` stands at it, is explored up to reductions of its own, and
//! with them what causes `h` may be completed by others first, so that nobody ever sees `h` stand there. A
//! helper that saw a write of somebody who is no owner then goes unnoticed (`examples/c/ms-queue-bug.c` under
//! `sc` is verified).
//!
//! *Premises*: `po ∪ rf` has no cycle, the model forgets reads and delegates read-modify-writes; the program
//! has no atomic sections. *Watched*: every execution by itself.

use super::Hooks;
use crate::explorer::Explorer;
use crate::report::End;
use selvedge_graph::{EventId, Mode, Tid};
use selvedge_machine::{Again, Help, Machine, Op, Rmw};

/// Whether there is anything to ask for.
#[derive(Debug)]
pub(crate) struct Helping {
    on: bool,
}

impl Helping {
    pub(crate) fn new<M: Machine>(machine: &M) -> Helping {
        Helping { on: machine.has_help() }
    }
}

impl<M: Machine> Hooks<M> for Helping {
    #[inline(always)]
    fn is_noticed(x: &mut Explorer<'_, M>, end: End) -> Option<Again> {
        let needed = x.reducers.helping.on && end != End::Error && x.needs_help();
        needed.then_some(Again::HelpNeeded)
    }
}

/// A helper, in the graph or about to be added.
struct Helper {
    thread: Tid,
    /// How many events of the thread come before it.
    before: usize,
    help: Help,
}

impl<M: Machine> Explorer<'_, M> {
    /// Whether some helper is not seen to be one whose step its owner makes.
    #[inline(never)]
    fn needs_help(&self) -> bool {
        let g = &self.graph;
        let helpers = g.order().iter().filter_map(|&e| {
            let ev = g.event(e);
            let read = !e.is_init() && ev.is_read() && !ev.is_rmw_read();
            let help = self.threads.state_of(e).filter(|_| read).and_then(|s| self.machine.help(s))?;
            Some(Helper { thread: ev.tid, before: ev.idx as usize - 1, help })
        });
        let standing = (0..self.threads.status().len() as u16).map(Tid).filter_map(|thread| {
            let Some(Op::Load { rmw: Rmw::No, .. } | Op::Block(_)) = self.threads.op(thread) else {
                return None;
            };
            let help = self.machine.help(self.threads.state(thread)?)?;
            Some(Helper { thread, before: g.thread(thread).len(), help })
        });
        let mut all = helpers.chain(standing);
        all.any(|helper| self.is_left_to_owner(&helper).is_none())
    }

    /// What a helper would do is the next step of a thread that it knows of, and was made by that thread.
    fn is_left_to_owner(&self, helper: &Helper) -> Option<()> {
        let &Helper { thread, before, help } = helper;
        let loc = help.loc;
        let g = &self.graph;
        let co = g.co(loc);
        let mut expected = (0..co.len()).filter(|&at| g.value_of(co[at], loc) == help.expected);
        // What is not there cannot be found.
        let Some(at) = expected.next() else { return Some(()) };
        let source = co[at];
        let rmws = co[at + 1..].iter().all(|&w| g.event(w).is_rmw_write());
        let is_plain = |e: &EventId| !e.is_init() && g.event(*e).loc == loc && g.event(*e).mode == Mode::Na;
        let plain =
            g.order().iter().any(|e| is_plain(e) && (g.event(*e).is_read() || g.event(*e).is_write()));
        if expected.next().is_some() || !rmws || plain {
            return None;
        }
        let write = *co.get(at + 1)?;
        let owner = g.rmw_read_of(write)?;
        let Op::Load { mode, rmw: Rmw::Cas { expected, .. }, .. } = self.threads.op_of(owner) else {
            return None;
        };
        let alike = (expected, g.value_of(write, loc), mode) == (help.expected, help.desired, help.mode);
        let ignored = self.machine.ignores_outcome(self.threads.state_of(owner)?);
        if !alike || !ignored || g.event(owner).tid == thread {
            return None;
        }
        let begun = g.po_pred(owner).filter(|&k| g.event(k).is_write())?;
        let earlier = &g.thread(thread)[..before];
        let owners = &g.thread(g.event(owner).tid)[..g.event(begun).idx as usize - 1];
        let known = match self.model.is_interleaving() {
            true => earlier.last().is_some_and(|&last| self.model.causally_before(g, begun, last)),
            false => {
                releases(help.mode)
                    && self.acquires_from(earlier, begun)
                    && (source.is_init() || self.acquires_from(owners, source))
                    && !self.has_sc_access()
            }
        };
        known.then_some(())
    }

    /// Whether one of the events acquires from a write that releases.
    fn acquires_from(&self, events: &[EventId], write: EventId) -> bool {
        let g = &self.graph;
        let acquires = |e: EventId| matches!(g.event(e).mode, Mode::Acq | Mode::AcqRel | Mode::Sc);
        releases(g.event(write).mode)
            && events.iter().any(|&e| g.event(e).is_read() && g.rf(e) == Some(write) && acquires(e))
    }

    fn has_sc_access(&self) -> bool {
        let g = &self.graph;
        let access = |e: EventId| g.event(e).is_read() || g.event(e).is_write();
        g.order().iter().any(|&e| !e.is_init() && g.event(e).mode == Mode::Sc && access(e))
    }
}

fn releases(mode: Mode) -> bool {
    matches!(mode, Mode::Rel | Mode::AcqRel | Mode::Sc)
}
