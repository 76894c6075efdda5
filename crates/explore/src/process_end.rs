//! When the process ends before its threads do.
//!
//! A thread that calls `exit` ends all the others. What they do is explored to the end all the same: nothing
//! that they do depends on the call, so they may have done it before. But where one of them waits, that is
//! no deadlock: it would not have waited for ever. The same holds of detached threads once `main` has
//! returned; a thread that could be joined and was not is taken for one that somebody means to end. Where
//! only threads are left for which the process does not wait, it is over, too.

use crate::threads::{Status, Threads};
use selvedge_graph::{ExecutionGraph, Tid};
use selvedge_machine::{Block, Machine, Op};

/// Whether a thread is there that goes on or waits, and all such threads are ones that the process does not
/// wait for.
pub fn only_background<M: Machine>(machine: &M, threads: &Threads<M::State>) -> bool {
    let ended = |status: &Status| matches!(status, Status::Absent | Status::Ended);
    let mut left = (0..).map(Tid).zip(threads.status()).filter(|(_, status)| !ended(status)).peekable();
    left.peek().is_some()
        && left.all(|(t, status)| {
            let waits = !matches!(status, Status::Cut | Status::Failed);
            waits && threads.state(t).is_some_and(|state| machine.is_background(state))
        })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// The process goes on.
    No,
    /// The first thread has come to its end.
    MainReturned,
    /// A thread has ended the process.
    Exited,
}

pub fn process_over<M: Machine>(machine: &M, threads: &Threads<M::State>) -> Over {
    let exits = |t: usize| threads.op(Tid(t as u16)) == Some(Op::Block(Block::Exit));
    let blocked = |(t, status): (usize, &Status)| *status == Status::Blocked && exits(t);
    if threads.status().iter().enumerate().any(blocked) {
        Over::Exited
    } else if threads.status().first() == Some(&Status::Ended)
        && threads.state(Tid(0)).is_some_and(|s| machine.ends_process(s))
    {
        Over::MainReturned
    } else {
        Over::No
    }
}

impl Over {
    /// Whether the end of the process is what a thread that waits with `op` comes to.
    pub fn spares(self, g: &ExecutionGraph, t: Tid, op: Option<Op>) -> bool {
        op != Some(Op::Block(Block::Assume))
            && match self {
                Over::No => false,
                Over::MainReturned => g.is_detached(t),
                Over::Exited => true,
            }
    }
}
