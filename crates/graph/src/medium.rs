//! What outlives a crash: where a durable location is kept, and what makes it persist.

use crate::event::{Event, Kind};
use crate::vocab::Value;

/// What a durable location is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum MediumKind {
    /// Persistent memory.
    Memory,
    /// A byte of a file.
    Data,
    /// The size of a file.
    Metadata,
    /// A name in a directory.
    Directory,
    /// Where the journal says that a change of a file begins or ends.
    Journal,
}

/// Where a durable location is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Medium {
    pub kind: MediumKind,
    /// The cache line, or the file: its inode. Names of a directory are of the directory's inode.
    pub unit: u32,
    /// The block within the file.
    pub block: u32,
    /// The offset within the file; for the size of a file, how many bytes a block has.
    pub offset: u32,
}

/// What a thread does so that something persists. It orders nothing in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum PersistOp {
    /// `clflush` of a line.
    Clflush,
    ClflushOpt,
    Clwb,
    /// `fsync` of a file.
    Fsync,
    /// `sync`: of all files.
    SyncAll,
    /// All before it has persisted when recovery runs.
    Barrier,
    /// `sfence`: what flushes wait for is waited for.
    StoreFence,
    /// The next so many writes of the thread (in place of a unit) are pieces of one copy: who copies says
    /// nothing about their order.
    Copy,
}

impl PersistOp {
    pub const ALL: [PersistOp; 8] = [
        PersistOp::Clflush,
        PersistOp::ClflushOpt,
        PersistOp::Clwb,
        PersistOp::Fsync,
        PersistOp::SyncAll,
        PersistOp::Barrier,
        PersistOp::StoreFence,
        PersistOp::Copy,
    ];

    pub fn name(self) -> &'static str {
        match self {
            PersistOp::Clflush => "clflush",
            PersistOp::ClflushOpt => "clflushopt",
            PersistOp::Clwb => "clwb",
            PersistOp::Fsync => "fsync",
            PersistOp::SyncAll => "sync",
            PersistOp::Barrier => "pbarrier",
            PersistOp::StoreFence => "sfence",
            PersistOp::Copy => "copy",
        }
    }

    /// Whether it is about persistent memory, not about files.
    pub fn is_flush(self) -> bool {
        matches!(self, PersistOp::Clflush | PersistOp::ClflushOpt | PersistOp::Clwb)
    }

    /// The value of its event.
    pub(crate) fn coded(self, unit: Option<u32>) -> Value {
        (self as Value) << 33 | unit.map_or(0, |unit| 1 + unit as Value)
    }
}

impl Event {
    /// What it makes persist, if it does: by which means, and which line or file ([`Medium::unit`]).
    pub fn persists(&self) -> Option<(PersistOp, Option<u32>)> {
        if self.kind != Kind::Persist {
            return None;
        }
        let unit = self.value & ((1 << 33) - 1);
        let op = PersistOp::ALL.get((self.value >> 33) as usize)?;
        Some((*op, (unit > 0).then(|| (unit - 1) as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExecutionGraph;
    use crate::vocab::Tid;

    #[test]
    fn what_persists_is_kept_in_the_event() {
        let mut g = ExecutionGraph::new(1, &[0], 0);
        for op in PersistOp::ALL {
            for unit in [None, Some(0), Some(u32::MAX)] {
                let e = g.add_persist(Tid(0), op, unit);
                assert_eq!(g.event(e).persists(), Some((op, unit)));
            }
        }
    }
}
