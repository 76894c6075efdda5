//! The words that programs and graphs share.

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
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Loc {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ordering that a program asks of an access or a fence, in C11's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// Non-atomic ("plain").
    Na,
    Rlx,
    Acq,
    Rel,
    AcqRel,
    Sc,
}

impl Mode {
    pub const ALL: [Mode; 6] = [Mode::Na, Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];

    pub fn is_acquire(self) -> bool {
        matches!(self, Mode::Acq | Mode::AcqRel | Mode::Sc)
    }

    pub fn is_release(self) -> bool {
        matches!(self, Mode::Rel | Mode::AcqRel | Mode::Sc)
    }

    /// The name in C, without its `memory_order_` prefix; plain accesses have none.
    pub fn c_name(self) -> &'static str {
        match self {
            Mode::Na => "plain",
            Mode::Rlx => "relaxed",
            Mode::Acq => "acquire",
            Mode::Rel => "release",
            Mode::AcqRel => "acq_rel",
            Mode::Sc => "seq_cst",
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
        })
    }
}
