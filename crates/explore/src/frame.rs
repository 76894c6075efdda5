//! What the explorer must remember to go back and try the next alternative.

use selvedge_graph::{ClockId, EventId, Mark};

/// One decision on the current path.
#[derive(Clone, Copy, Debug)]
pub enum Frame {
    /// An event without alternatives, already entered.
    Plain {
        e: EventId,
    },
    /// A choice of the program; `next` is the next value to try.
    Choice {
        e: EventId,
        next: u32,
        count: u32,
    },
    Read(ReadFrame),
    Place(PlaceFrame),
    /// The same write, after its places: revisits. `scan` is the stamp below which to look on, down to
    /// `first`.
    Revisit {
        e: EventId,
        scan: u32,
        first: u32,
    },
    Revisited(RevisitFrame),
    /// Instead of `Revisited`, where the revisited thread would only wait.
    Lost(LostFrame),
}

/// A read: sources are tried from the end of coherence down; `next` is one above the next to try,
/// `floor` the last.
#[derive(Clone, Copy, Debug)]
pub struct ReadFrame {
    pub e: EventId,
    pub mark: Mark,
    pub next: u32,
    pub floor: u32,
    /// What the read knows of its location before it reads.
    pub known: ClockId,
    /// How many executions there were when the current source was tried; `u64::MAX` before the first.
    pub seen: u64,
}

/// A write: its places, from the end of coherence down to after `floor`.
#[derive(Clone, Copy, Debug)]
pub struct PlaceFrame {
    pub e: EventId,
    pub mark: Mark,
    pub next: u32,
    pub floor: u32,
    /// Whether revisits are tried after the places.
    pub revisits: bool,
}

/// A revisit that is under way: `read` was revisited by `write`, whose places are tried.
#[derive(Clone, Copy, Debug)]
pub struct RevisitFrame {
    pub read: EventId,
    pub write: EventId,
    pub before: Mark,
    pub mark: Mark,
    pub next: u32,
    pub floor: u32,
    /// How many saved threads there were before.
    pub saved: u32,
    /// How many executions there were when the current place was tried; `u64::MAX` before the first.
    pub seen: u64,
}

/// A read-modify-write took the place of another one, which was deleted.
#[derive(Clone, Copy, Debug)]
pub struct LostFrame {
    pub before: Mark,
    /// How many saved threads there were before.
    pub saved: u32,
}
