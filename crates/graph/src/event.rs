//! Events and what can be said of one event alone.

use crate::barrier::Barrier;
use crate::vocab::{Loc, Mode, Tid, Value};
use std::ops::{BitAnd, BitOr};

/// An event of a graph: an index into its arena. `EventId::INIT` writes the initial value of every
/// location; it is `po`-before every other event and first in every coherence list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EventId(pub u32);

impl EventId {
    pub const INIT: EventId = EventId(0);
    /// "No event", in the places where an `Option` would double the size of a link.
    pub const NONE: EventId = EventId(u32::MAX);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub fn is_init(self) -> bool {
        self == EventId::INIT
    }

    #[inline]
    pub fn is_none(self) -> bool {
        self == EventId::NONE
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Init,
    Read,
    Write,
    Fence,
    /// Creation of a thread (`Event::peer`).
    Spawn,
    /// Wait for the end of a thread (`Event::peer`).
    Join,
    /// Going on from a barrier: the round of the arrival, which is right before it, is complete.
    Depart,
    /// A thread comes to a barrier (`Event::value`).
    Arrive,
    /// Nobody is to wait for the end of a thread (`Event::peer`).
    Detach,
    /// A choice among finitely many values that the program makes.
    Choice,
    /// An object (`Event::value`) comes to life.
    Alloc,
    /// An object's life ends.
    Free,
    /// From here on an object (`Event::value`) is used by this thread alone, or so the program says.
    Local,
    /// Something is made to persist ([`Event::persists`]).
    Persist,
}

/// The predicates that hold of an event, as a bit set: what the tests `[P]` of a model look at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attrs(pub u32);

impl Attrs {
    pub const NONE: Attrs = Attrs(0);
    pub const R: Attrs = Attrs(1);
    pub const W: Attrs = Attrs(1 << 1);
    pub const F: Attrs = Attrs(1 << 2);
    /// The initialising write.
    pub const INIT: Attrs = Attrs(1 << 3);
    pub const TC: Attrs = Attrs(1 << 4);
    pub const TJ: Attrs = Attrs(1 << 5);
    /// The read of a read-modify-write that does write.
    pub const UR: Attrs = Attrs(1 << 6);
    /// The write of a read-modify-write.
    pub const UW: Attrs = Attrs(1 << 7);
    pub const CHOICE: Attrs = Attrs(1 << 8);
    // Exactly this ordering was asked for.
    pub const NA: Attrs = Attrs(1 << 9);
    pub const RLX: Attrs = Attrs(1 << 10);
    pub const EXACT_ACQ: Attrs = Attrs(1 << 11);
    pub const EXACT_REL: Attrs = Attrs(1 << 12);
    pub const EXACT_ACQREL: Attrs = Attrs(1 << 13);
    pub const SC: Attrs = Attrs(1 << 14);
    /// A read or fence that is acquire or stronger.
    pub const ACQ: Attrs = Attrs(1 << 15);
    /// A write or fence that is release or stronger.
    pub const REL: Attrs = Attrs(1 << 16);
    const BOTH: Attrs = Attrs(Attrs::ACQ.0 | Attrs::REL.0);

    pub const ALLOC: Attrs = Attrs(1 << 17);
    pub const FREE: Attrs = Attrs(1 << 18);
    /// A write that is never overwritten, or so the program says (thesis §7.3.2).
    pub const FINAL: Attrs = Attrs(1 << 26);

    // Which barrier instruction a fence is, as a number in five bits; 0 if it is none.
    const BARRIER_SHIFT: u32 = 19;
    pub const BARRIERS: Attrs = Attrs(0x1f << Attrs::BARRIER_SHIFT);
    /// An acquire load that earlier release stores may be delayed past.
    pub const ACQ_PC: Attrs = Attrs(1 << 24);
    /// Half of a pair of exclusive instructions.
    pub const EXCLUSIVE: Attrs = Attrs(1 << 25);

    /// The bits among `BARRIERS` of the fences that are this instruction.
    pub const fn barrier(barrier: Barrier) -> Attrs {
        Attrs(barrier.code() << Attrs::BARRIER_SHIFT)
    }

    #[inline]
    pub fn has(self, other: Attrs) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline]
    pub fn meets(self, other: Attrs) -> bool {
        self.0 & other.0 != 0
    }

    #[inline]
    pub fn minus(self, other: Attrs) -> Attrs {
        Attrs(self.0 & !other.0)
    }

    /// What is true of an event of this kind and ordering. `rmw` says that a read or a write is half
    /// of a read-modify-write that does write.
    #[inline]
    pub fn of(kind: Kind, mode: Mode, rmw: bool) -> Attrs {
        // Of reads, writes and fences; the first are never releases, nor the second acquires.
        let ordering = match mode {
            Mode::Na => Attrs::NA,
            Mode::Rlx => Attrs::RLX,
            Mode::Acq => Attrs(Attrs::EXACT_ACQ.0 | Attrs::ACQ.0),
            Mode::Rel => Attrs(Attrs::EXACT_REL.0 | Attrs::REL.0),
            Mode::AcqRel => Attrs(Attrs::EXACT_ACQREL.0 | Attrs::BOTH.0),
            Mode::Sc => Attrs(Attrs::SC.0 | Attrs::BOTH.0),
            Mode::AcqPc => Attrs(Attrs::EXACT_ACQ.0 | Attrs::ACQ_PC.0 | Attrs::ACQ.0),
            Mode::RlxEx => Attrs(Attrs::RLX.0 | Attrs::EXCLUSIVE.0),
            Mode::AcqEx => Attrs(Attrs::EXACT_ACQ.0 | Attrs::EXCLUSIVE.0 | Attrs::ACQ.0),
            Mode::RelEx => Attrs(Attrs::EXACT_REL.0 | Attrs::EXCLUSIVE.0 | Attrs::REL.0),
            Mode::AcqRelEx => Attrs(Attrs::EXACT_ACQREL.0 | Attrs::EXCLUSIVE.0 | Attrs::BOTH.0),
            Mode::Barrier(b) if mode.as_c11() == Some(Mode::Sc) => {
                Attrs::SC | Attrs::BOTH | Attrs::barrier(b)
            }
            Mode::Barrier(b) => Attrs::barrier(b),
        };
        let when = |cond: bool, attr: Attrs| if cond { attr } else { Attrs::NONE };
        match kind {
            Kind::Init => Attrs::W | Attrs::INIT,
            Kind::Read => Attrs::R | ordering.minus(Attrs::REL) | when(rmw, Attrs::UR),
            Kind::Write => Attrs::W | ordering.minus(Attrs::ACQ) | when(rmw, Attrs::UW),
            Kind::Fence => Attrs::F | ordering,
            Kind::Spawn => Attrs::TC,
            Kind::Join => Attrs::TJ,
            Kind::Choice => Attrs::CHOICE,
            Kind::Alloc => Attrs::ALLOC,
            Kind::Free => Attrs::FREE,
            Kind::Detach | Kind::Local | Kind::Persist => Attrs::NONE,
            // What an arrival and a departure order is what creating and joining threads orders.
            Kind::Arrive => Attrs::TC,
            Kind::Depart => Attrs::TJ,
        }
    }
}

impl BitOr for Attrs {
    type Output = Attrs;
    #[inline]
    fn bitor(self, other: Attrs) -> Attrs {
        Attrs(self.0 | other.0)
    }
}

impl BitAnd for Attrs {
    type Output = Attrs;
    #[inline]
    fn bitand(self, other: Attrs) -> Attrs {
        Attrs(self.0 & other.0)
    }
}

/// Which part of an access of several locations an event is. The parts of one access are all reads or all
/// writes, and next to each other in `po`. Most accesses have one part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// How many parts of the access come before this one.
    pub before: u8,
    /// How many come after it, or will once they are there.
    pub after: u8,
}

impl Part {
    pub const WHOLE: Part = Part { before: 0, after: 0 };
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    pub kind: Kind,
    pub mode: Mode,
    pub tid: Tid,
    /// Position in its thread, from 1.
    pub idx: u32,
    pub attrs: Attrs,
    /// For the model's own use; 0 at first.
    pub(crate) note: u8,
    /// For reads: see [`crate::ExecutionGraph::set_won`].
    pub(crate) won: bool,
    /// See [`crate::ExecutionGraph::set_part`].
    pub part: Part,
    /// For choices between the halves of a read-modify-write of several locations: of how many.
    pub gate: u8,
    /// Position in insertion order (`<_G`).
    pub stamp: u32,
    /// For reads and writes.
    pub loc: Loc,
    /// Read, written or chosen.
    pub value: Value,
    /// For spawn and join: the other thread.
    pub peer: Tid,
    /// For reads: the write read from.
    pub(crate) rf: EventId,
    /// For writes: position in the coherence list of `loc`; `u32::MAX` while not placed. For arrivals:
    /// the number of the round.
    pub(crate) co_pos: u32,
    /// The event before it in its thread.
    pub(crate) po_pred: EventId,
    /// For reads and writes: the access of the same location before this one in its thread.
    pub(crate) po_loc_pred: EventId,
    pub(crate) first_reader: EventId,
    pub(crate) next_reader: EventId,
    pub(crate) prev_reader: EventId,
}

impl Event {
    #[inline]
    pub fn is_read(&self) -> bool {
        self.kind == Kind::Read
    }

    #[inline]
    pub fn is_write(&self) -> bool {
        self.kind == Kind::Write
    }

    /// The write half of a read-modify-write.
    #[inline]
    pub fn is_rmw_write(&self) -> bool {
        self.attrs.has(Attrs::UW)
    }

    /// The read half of a read-modify-write that writes.
    #[inline]
    pub fn is_rmw_read(&self) -> bool {
        self.attrs.has(Attrs::UR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orderings_are_those_of_c11() {
        let barriers = Barrier::ALL.into_iter().map(Mode::Barrier);
        for mode in Mode::ACCESS.into_iter().chain(barriers) {
            let of = |kind| Attrs::of(kind, mode, false);
            assert_eq!(of(Kind::Read).has(Attrs::ACQ), mode.is_acquire(), "{mode}");
            assert_eq!(of(Kind::Write).has(Attrs::REL), mode.is_release(), "{mode}");
            assert_eq!(of(Kind::Fence).has(Attrs::ACQ), mode.is_acquire(), "{mode}");
            assert_eq!(of(Kind::Fence).has(Attrs::REL), mode.is_release(), "{mode}");
            assert!(!of(Kind::Read).has(Attrs::REL) && !of(Kind::Write).has(Attrs::ACQ));
            assert_eq!(of(Kind::Read).has(Attrs::SC), mode.as_c11() == Some(Mode::Sc), "{mode}");
        }
    }
}
