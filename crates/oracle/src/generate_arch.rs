//! What generated programs of each architecture are made of.

use selvedge_graph::{Barrier, Mode};

/// An architecture, or a model like one, that dependencies matter for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arch {
    Armv8,
    Power,
    Riscv,
    X86,
    Lkmm,
    Imm,
}

/// Something with its weight.
type Weighted<T> = &'static [(T, u32)];

impl Arch {
    pub const ALL: [Arch; 6] = [Arch::Armv8, Arch::Power, Arch::Riscv, Arch::X86, Arch::Lkmm, Arch::Imm];

    /// The architecture that a model of this name is of.
    pub fn of_model(name: &str) -> Option<Arch> {
        Some(match name {
            "armv8" | "armv8-2018" => Arch::Armv8,
            "power" => Arch::Power,
            "riscv" => Arch::Riscv,
            "x86" => Arch::X86,
            "lkmm" => Arch::Lkmm,
            "imm" | "imm-cxx20" => Arch::Imm,
            _ => return None,
        })
    }

    /// How many of four programs are in C.
    pub(crate) fn in_c(self) -> u32 {
        match self {
            Arch::Armv8 | Arch::Power => 1,
            // Only those are explored by revisits.
            Arch::Riscv => 2,
            Arch::X86 | Arch::Lkmm | Arch::Imm => 0,
        }
    }

    /// Weights of: load, store, read-modify-write, compare-and-swap, exclusive pair (number 5).
    pub(crate) fn accesses(self) -> Weighted<u32> {
        match self {
            Arch::Armv8 => &[(0, 40), (1, 40), (2, 6), (3, 3), (5, 6)],
            Arch::Power => &[(0, 42), (1, 42), (5, 8)],
            Arch::Riscv => &[(0, 40), (1, 40), (2, 8), (5, 7)],
            Arch::X86 | Arch::Lkmm | Arch::Imm => &[(0, 40), (1, 40), (2, 9), (3, 6)],
        }
    }

    /// The same for programs with many read-modify-writes.
    pub(crate) fn rmw_heavy(self) -> Weighted<u32> {
        match self {
            Arch::Armv8 => &[(0, 25), (1, 20), (2, 30), (3, 15), (5, 10)],
            Arch::Power => &[(0, 30), (1, 25), (5, 45)],
            Arch::Riscv => &[(0, 25), (1, 20), (2, 35), (5, 20)],
            Arch::X86 | Arch::Lkmm | Arch::Imm => &[(0, 25), (1, 20), (2, 35), (3, 20)],
        }
    }

    pub(crate) fn reads(self) -> Weighted<Mode> {
        match self {
            Arch::Armv8 => &[(Mode::Rlx, 7), (Mode::Acq, 2), (Mode::AcqPc, 1)],
            Arch::Power | Arch::Riscv | Arch::X86 => &[(Mode::Rlx, 1)],
            Arch::Lkmm => &[(Mode::Rlx, 8), (Mode::Acq, 2), (Mode::Na, 3)],
            Arch::Imm => &[(Mode::Rlx, 6), (Mode::Acq, 2), (Mode::Sc, 1)],
        }
    }

    pub(crate) fn writes(self) -> Weighted<Mode> {
        match self {
            Arch::Armv8 => &[(Mode::Rlx, 4), (Mode::Rel, 1)],
            Arch::Lkmm => &[(Mode::Rlx, 8), (Mode::Rel, 2), (Mode::Na, 3)],
            Arch::Power | Arch::Riscv | Arch::X86 => &[(Mode::Rlx, 1)],
            Arch::Imm => &[(Mode::Rlx, 6), (Mode::Rel, 2), (Mode::Sc, 1)],
        }
    }

    pub(crate) fn rmws(self) -> Weighted<Mode> {
        match self {
            Arch::Armv8 | Arch::Riscv => &[(Mode::Rlx, 2), (Mode::Acq, 1), (Mode::Rel, 1), (Mode::AcqRel, 1)],
            Arch::Power | Arch::X86 => &[(Mode::Rlx, 1)],
            Arch::Lkmm => &[(Mode::Rlx, 3), (Mode::RlxEx, 1), (Mode::Acq, 1), (Mode::Rel, 1), (Mode::Sc, 2)],
            Arch::Imm => &[(Mode::Rlx, 4), (Mode::Acq, 1), (Mode::Rel, 1), (Mode::AcqRel, 1), (Mode::Sc, 1)],
        }
    }

    /// The load and the store of exclusive pairs.
    pub(crate) fn exclusives(self) -> (Weighted<Mode>, Weighted<Mode>) {
        match self {
            Arch::Armv8 => (&[(Mode::RlxEx, 2), (Mode::AcqEx, 1)], &[(Mode::RlxEx, 2), (Mode::RelEx, 1)]),
            Arch::Riscv => (
                &[(Mode::RlxEx, 3), (Mode::AcqEx, 1), (Mode::AcqRelEx, 1)],
                &[(Mode::RlxEx, 3), (Mode::RelEx, 1), (Mode::AcqRelEx, 1)],
            ),
            _ => (&[(Mode::RlxEx, 1)], &[(Mode::RlxEx, 1)]),
        }
    }

    pub(crate) fn fences(self) -> &'static [(Mode, u32)] {
        match self {
            Arch::Armv8 => &[
                (Mode::Barrier(Barrier::DmbSy), 2),
                (Mode::Barrier(Barrier::DmbLd), 2),
                (Mode::Barrier(Barrier::DmbSt), 2),
                (Mode::Barrier(Barrier::DsbSt), 1),
                (Mode::Barrier(Barrier::Isb), 3),
            ],
            Arch::Power => &[
                (Mode::Barrier(Barrier::Sync), 2),
                (Mode::Barrier(Barrier::Lwsync), 3),
                (Mode::Barrier(Barrier::Isync), 3),
                (Mode::Barrier(Barrier::Eieio), 1),
            ],
            Arch::Riscv => &[
                (Mode::Barrier(Barrier::FenceRR), 1),
                (Mode::Barrier(Barrier::FenceRW), 1),
                (Mode::Barrier(Barrier::FenceRRw), 2),
                (Mode::Barrier(Barrier::FenceWR), 1),
                (Mode::Barrier(Barrier::FenceWW), 2),
                (Mode::Barrier(Barrier::FenceWRw), 1),
                (Mode::Barrier(Barrier::FenceRwR), 1),
                (Mode::Barrier(Barrier::FenceRwW), 2),
                (Mode::Barrier(Barrier::FenceRwRw), 2),
                (Mode::Barrier(Barrier::FenceTso), 2),
            ],
            Arch::X86 => {
                &[(Mode::Sc, 8), (Mode::Barrier(Barrier::Sfence), 1), (Mode::Barrier(Barrier::Lfence), 1)]
            }
            Arch::Lkmm => &[
                (Mode::Sc, 2),
                (Mode::Acq, 2),
                (Mode::Rel, 2),
                (Mode::Barrier(Barrier::BeforeAtomic), 1),
                (Mode::Barrier(Barrier::AfterAtomic), 1),
                (Mode::Barrier(Barrier::RcuLock), 1),
                (Mode::Barrier(Barrier::RcuUnlock), 1),
                (Mode::Barrier(Barrier::SyncRcu), 1),
                (Mode::Barrier(Barrier::Lock), 1),
                (Mode::Barrier(Barrier::Unlock), 1),
                (Mode::Barrier(Barrier::AfterSpinlock), 1),
                (Mode::Barrier(Barrier::AfterUnlockLock), 1),
            ],
            Arch::Imm => &[(Mode::Sc, 2), (Mode::AcqRel, 1), (Mode::Acq, 2), (Mode::Rel, 2)],
        }
    }
}
