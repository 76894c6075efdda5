//! The words that programs and graphs share.

use crate::barrier::Barrier;
use std::fmt;

/// A value read or written.
pub type Value = i64;

/// A memory location, by number; programs keep the names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Loc(pub u32);

/// A thread. Ids do not depend on the order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tid(pub u16);

impl Tid {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Loc {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ordering that a program asks of an access or a fence: in C11's words, and then what
/// instruction sets have beyond them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// Non-atomic ("plain").
    Na,
    Rlx,
    Acq,
    Rel,
    AcqRel,
    Sc,
    /// An acquire load that earlier release stores may be delayed past (ARMv8's `LDAPR`).
    AcqPc,
    /// Half of a pair of exclusive (linked, reserving) instructions, with its ordering.
    RlxEx,
    AcqEx,
    RelEx,
    AcqRelEx,
    /// A barrier instruction, for fences only.
    Barrier(Barrier),
}

impl Mode {
    /// The orderings of C11.
    pub const C11: [Mode; 6] = [Mode::Na, Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];

    /// All that are no barriers.
    pub const ACCESS: [Mode; 11] = [
        Mode::Na,
        Mode::Rlx,
        Mode::Acq,
        Mode::Rel,
        Mode::AcqRel,
        Mode::Sc,
        Mode::AcqPc,
        Mode::RlxEx,
        Mode::AcqEx,
        Mode::RelEx,
        Mode::AcqRelEx,
    ];

    /// The C11 ordering that models of C take it for. Most barriers have none: only the models of
    /// their own architecture know what they do.
    #[inline]
    pub fn as_c11(self) -> Option<Mode> {
        Some(match self {
            Mode::AcqPc | Mode::AcqEx => Mode::Acq,
            Mode::RlxEx => Mode::Rlx,
            Mode::RelEx => Mode::Rel,
            Mode::AcqRelEx => Mode::AcqRel,
            Mode::Barrier(
                Barrier::BeforeAtomic
                | Barrier::AfterAtomic
                | Barrier::SyncRcu
                | Barrier::AfterSpinlock
                | Barrier::AfterUnlockLock,
            ) => Mode::Sc,
            Mode::Barrier(_) => return None,
            c11 => c11,
        })
    }

    #[inline]
    pub fn is_acquire(self) -> bool {
        matches!(self.as_c11(), Some(Mode::Acq | Mode::AcqRel | Mode::Sc))
    }

    #[inline]
    pub fn is_release(self) -> bool {
        matches!(self.as_c11(), Some(Mode::Rel | Mode::AcqRel | Mode::Sc))
    }

    /// Of what stands for an end of a section of RCU or of a lock, which is no fence: without it, the section
    /// is another one.
    pub fn is_mark(self) -> bool {
        use Barrier::{Lock, RcuLock, RcuUnlock, Unlock};
        matches!(self, Mode::Barrier(RcuLock | RcuUnlock | Lock | Unlock))
    }

    /// Of a pair of exclusive instructions.
    pub fn is_exclusive(self) -> bool {
        matches!(self, Mode::RlxEx | Mode::AcqEx | Mode::RelEx | Mode::AcqRelEx)
    }

    /// The name in C, without its `memory_order_` prefix; plain accesses have none, and what C does
    /// not have is written alike.
    pub fn c_name(self) -> &'static str {
        match self {
            Mode::Na => "plain",
            Mode::Rlx => "relaxed",
            Mode::Acq => "acquire",
            Mode::Rel => "release",
            Mode::AcqRel => "acq_rel",
            Mode::Sc => "seq_cst",
            Mode::AcqPc => "acquire_pc",
            Mode::RlxEx => "relaxed_ex",
            Mode::AcqEx => "acquire_ex",
            Mode::RelEx => "release_ex",
            Mode::AcqRelEx => "acq_rel_ex",
            Mode::Barrier(b) => b.c_name(),
        }
    }

    /// What `c_name` calls so.
    pub fn by_c_name(name: &str) -> Option<Mode> {
        let barriers = Barrier::ALL.iter().map(|b| Mode::Barrier(*b));
        Mode::ACCESS.into_iter().chain(barriers).find(|m| m.c_name() == name)
    }

    /// A number that says which it is.
    pub fn code(self) -> u8 {
        match self {
            Mode::Barrier(b) => 0x20 | b.code() as u8,
            other => Mode::ACCESS.iter().position(|m| *m == other).unwrap_or(0) as u8,
        }
    }

    pub fn from_code(code: u8) -> Option<Mode> {
        match code.checked_sub(0x20) {
            Some(code) => {
                Barrier::ALL.iter().find(|b| b.code() == u32::from(code)).map(|b| Mode::Barrier(*b))
            }
            None => Mode::ACCESS.get(code as usize).copied(),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Na => "na",
            Mode::Rlx => "rlx",
            Mode::Acq => "acq",
            Mode::Rel => "rel",
            Mode::AcqRel => "ar",
            Mode::Sc => "sc",
            Mode::AcqPc => "acqpc",
            Mode::RlxEx => "rlx.x",
            Mode::AcqEx => "acq.x",
            Mode::RelEx => "rel.x",
            Mode::AcqRelEx => "ar.x",
            Mode::Barrier(b) => b.name(),
        })
    }
}
