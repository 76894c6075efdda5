//! Attempts that were made up (`attempts`).
//!
//! A thread that tries a number of times, and fails, goes on as if all attempts had ended like the one that
//! the graph has. Where an attempt reads more than once, or the model does not say that reads can be
//! repeated, there may be no execution in which it can: `while (n-- && !load(&waiters)) if (!load(&lock))
//! return;` may have learned from the lock that there are waiters. So the exploration has all executions of
//! the program, without attempts that make no difference, and maybe some that are none. Nothing is missed.
//! But if something is wrong with an execution in which that was assumed, or threads wait for ever in it,
//! then the program is explored again, with all these attempts.
//!
//! *Premises*: those of `attempts`. *Watched*: what is wrong in the end.

use super::Hooks;
use crate::explorer::Explorer;
use crate::report::{End, Failure};
use selvedge_graph::Tid;
use selvedge_machine::{Again, Machine};

/// Whether it is on is up to the machine.
#[derive(Debug, Default)]
pub(crate) struct MadeUp;

impl<M: Machine> Hooks<M> for MadeUp {
    #[inline(always)]
    fn is_doubtful(x: &Explorer<'_, M>, end: End, found: Option<&Failure>) -> Option<Again> {
        let wrong = found.is_some() || matches!(end, End::Error | End::Blocked);
        (wrong && x.may_be_made_up(end, found)).then_some(Again::MadeUp)
    }
}

impl<M: Machine> Explorer<'_, M> {
    #[inline(never)]
    fn may_be_made_up(&self, end: End, found: Option<&Failure>) -> bool {
        let threads = (0..self.graph.threads() as u16).map(Tid);
        let made_up = threads.filter_map(|t| self.threads.state(t)).any(|s| self.machine.has_made_up(s));
        let waits = || self.execution(end, found, None).stuck().is_some();
        made_up && (found.is_some() || end == End::Error || waits())
    }
}
