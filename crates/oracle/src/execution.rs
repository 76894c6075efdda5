//! One candidate execution: the events of every thread, and a choice of `rf` and `co`.

use selvedge_certify::execution::{Deps, Event};
use selvedge_certify::matrix::{MAX_EVENTS, Matrix};
use selvedge_graph::Kind;

/// How a thread came to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadEnd {
    /// Never created.
    Absent,
    Done,
    /// An `assume` failed.
    Blocked,
    /// Waits for a thread that never ends.
    Waiting {
        peer: u16,
    },
    /// A loop ran into its bound.
    Cut,
    /// An assertion failed, or an access was outside of its array.
    Error,
}

/// A consistent execution, as it is handed to the visitor of the enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// The initialising event, then thread by thread in program order.
    pub events: &'a [Event],
    /// The source of each event that is a read.
    pub rf: &'a [u8; MAX_EVENTS],
    /// The writes of each location in coherence order, the initialising one left out.
    pub co: &'a [Vec<u8>],
    pub ends: &'a [ThreadEnd],
    /// Bit `i`: the error or warning that the judge lists as number `i`.
    pub flags: u32,
}

/// How a whole execution came to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    Complete,
    Blocked,
    Cut,
    Error,
}

impl Execution<'_> {
    /// Whether there is a cycle of dependencies and reads: a value that depends on itself. A
    /// read-modify-write writes what depends on its read, and what a thread does depends on its creation.
    pub fn depends_on_itself(&self) -> bool {
        let mut on = Matrix::EMPTY;
        for (at, e) in self.events.iter().enumerate().skip(1) {
            let first = at + 1 - e.idx as usize;
            let Deps { addr, data, ctrl, cas, .. } = e.deps;
            let all = addr | data | ctrl | cas;
            (1..e.idx).filter(|i| all >> i & 1 != 0).for_each(|i| on.set(first + i as usize - 1, at));
            match e.kind {
                Kind::Read => on.set(self.rf[at] as usize, at),
                Kind::Write if e.rmw => on.set(first + e.other_half.unwrap_or(e.idx - 1) as usize - 1, at),
                Kind::Spawn => {
                    let created = |(_, x): &(usize, &Event)| x.tid == e.peer;
                    self.events.iter().enumerate().skip(1).filter(created).for_each(|(x, _)| on.set(at, x));
                }
                _ => {}
            }
        }
        !on.is_acyclic(self.events.len())
    }

    /// The gravest of what happened to its threads.
    pub fn end(&self) -> End {
        let of = |end: &ThreadEnd| match end {
            ThreadEnd::Absent | ThreadEnd::Done => End::Complete,
            ThreadEnd::Blocked | ThreadEnd::Waiting { .. } => End::Blocked,
            ThreadEnd::Cut => End::Cut,
            ThreadEnd::Error => End::Error,
        };
        self.ends.iter().map(of).max().unwrap_or(End::Complete)
    }
}
