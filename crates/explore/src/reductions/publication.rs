//! Atomic stores to objects that nobody knows yet (thesis §9.2.2.4), and who could see those that are left
//! out.
//!
//! A push like
//!
//! ```text
//! do { top = load(&stack); store(&node->next, top, relaxed); } while (!cas(&stack, top, node));
//! ```
//!
//! is explored as if iterations that fail wrote nothing (`escape`): the machine lets the thread wait after
//! them. What is left out is an execution `X` with such iterations. Without them, it is consistent, if the
//! model forgets reads and writes; and it is one of the program, if no other thread reads what they wrote.
//!
//! Let `v` be such a write, `w` the one to the same cell in the last iteration, after which the object is
//! published, and `e` a read of the cell by another thread. Who reads the cell has its address from the
//! publication, so `w` is in the causal prefix of `e`, and `v` comes before `w` in coherence. If `e` knows of
//! `w`, in the sense of what the model asks coherence of, before it reads, it cannot read from `v`. Plain
//! reads and writes know of it, or there is a race. In models that publish in order, so do all reads. In
//! others it depends on how the object is published and found: here every read is asked when it is added
//! ([`Hooks::before_reading`]). If one does not know of `w`, the program is explored again, with these stores
//! as the effects that they are.
//!
//! *Nothing goes unnoticed*: take the first read `e` of `X`, in an order that causal order goes along with,
//! that reads from such a `v`. What is before it in causal order, without iterations that are left out, is
//! the beginning of an execution that is explored, and so it is with `e` reading from the last write. In `X`,
//! `e` does not know of `w`; with fewer events it knows no more. So it is found not to, there.
//!
//! *Premises*: those of `escape`. *Watched*: every read by itself.

use super::Hooks;
use crate::explorer::Explorer;
use crate::report::Equivalence;
use selvedge_graph::{EventId, Mode};
use selvedge_machine::{Again, Machine};

/// Whether there is anything to look at, and whether it was seen.
#[derive(Debug)]
pub(crate) struct Publication {
    on: bool,
    /// A read did not know of a store that others like it were left out before.
    seen: bool,
}

impl Publication {
    pub(crate) fn new<M: Machine>(machine: &M) -> Publication {
        Publication { on: machine.has_unpublished(), seen: false }
    }
}

impl<M: Machine> Hooks<M> for Publication {
    #[inline(always)]
    fn before_reading(x: &mut Explorer<'_, M>, e: EventId, floor: usize) {
        if x.reducers.publication.on && x.misses_unpublished(e, floor) {
            x.reducers.publication.seen = true;
        }
    }

    #[inline(always)]
    fn is_broken(x: &Explorer<'_, M>) -> Option<Again> {
        x.reducers.publication.seen.then_some(Again::UnpublishedSeen)
    }
}

impl<M: Machine> Explorer<'_, M> {
    /// Whether `e`, which knows of no write after `floor` in coherence, may read what was there before an
    /// object was published.
    #[inline(never)]
    fn misses_unpublished(&self, e: EventId, floor: usize) -> bool {
        let g = &self.graph;
        // Where coherence is not told apart, nothing is known of it.
        let (co, tells) = (g.co(g.event(e).loc), self.config.equivalence == Equivalence::Co);
        co.iter().skip(if tells { floor + 1 } else { 0 }).any(|&w| {
            let store = !w.is_init() && g.event(w).mode != Mode::Na && !g.event(w).is_rmw_write();
            let store = store && g.event(w).tid != g.event(e).tid;
            store && self.threads.state_of(w).is_some_and(|state| self.machine.is_unpublished(state))
        })
    }
}
