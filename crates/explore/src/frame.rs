//! What the explorer must remember to go back and try the next alternative.

use selvedge_graph::{EventId, Mark};

/// One decision on the current path.
#[derive(Clone, Copy, Debug)]
pub enum Frame {
    /// An event without alternatives, not entered yet or entered.
    Plain { e: EventId, entered: bool },
    /// A choice of the program; `next` is the next value to try.
    Choice { e: EventId, next: u32, count: u32 },
    /// A read: sources are tried from the end of coherence down; `next` is one above the next to try,
    /// `floor` the last.
    Read { e: EventId, mark: Mark, next: u32, floor: u32 },
    /// A write: its places, from the end of coherence down to after `floor`.
    Place { e: EventId, mark: Mark, next: u32, floor: u32 },
    /// The same write, after its places: revisits. `scan` is the stamp below which to look on.
    Revisit { e: EventId, scan: u32 },
    /// A revisit that is under way: `read` was revisited by `write`, whose places are tried.
    Revisited {
        read: EventId,
        write: EventId,
        before: Mark,
        mark: Mark,
        next: u32,
        floor: u32,
        /// How many saved threads there were before.
        saved: u32,
    },
}
