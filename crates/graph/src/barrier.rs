//! The barrier instructions of the architectures.
//!
//! A barrier is a name; what it does is the business of the models of its architecture, in which it is
//! a built-in set of that name. x86's `MFENCE` and the kernel's `smp_mb` are not among them: they are
//! fences of the strongest ordering of C11.

/// A barrier instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Barrier {
    /// ARMv8 `DMB SY`, `DMB ISH` and the like.
    DmbSy,
    DmbLd,
    DmbSt,
    Isb,
    /// `DSB ST`, the one that is more than the `DMB` of its option.
    DsbSt,
    /// POWER.
    Sync,
    Lwsync,
    Isync,
    Eieio,
    /// x86, where they order nothing that is not ordered anyway.
    Sfence,
    Lfence,
    /// RISC-V: from the accesses named first to the accesses named second.
    FenceRR,
    FenceRW,
    FenceRRw,
    FenceWR,
    FenceWW,
    FenceWRw,
    FenceRwR,
    FenceRwW,
    FenceRwRw,
    FenceTso,
    FenceI,
    /// The kernel's `smp_mb__before_atomic` and `smp_mb__after_atomic`.
    BeforeAtomic,
    AfterAtomic,
    /// The beginning and the end of a read-side section of RCU, and a grace period.
    RcuLock,
    RcuUnlock,
    SyncRcu,
    /// What stands right after a lock is taken and right before it is given back, which the kernel's model
    /// tells from other acquiring and releasing accesses.
    Lock,
    Unlock,
    /// The kernel's `smp_mb__after_spinlock` and `smp_mb__after_unlock_lock`.
    AfterSpinlock,
    AfterUnlockLock,
}

impl Barrier {
    pub const ALL: [Barrier; 31] = [
        Barrier::DmbSy,
        Barrier::DmbLd,
        Barrier::DmbSt,
        Barrier::Isb,
        Barrier::DsbSt,
        Barrier::Sync,
        Barrier::Lwsync,
        Barrier::Isync,
        Barrier::Eieio,
        Barrier::Sfence,
        Barrier::Lfence,
        Barrier::FenceRR,
        Barrier::FenceRW,
        Barrier::FenceRRw,
        Barrier::FenceWR,
        Barrier::FenceWW,
        Barrier::FenceWRw,
        Barrier::FenceRwR,
        Barrier::FenceRwW,
        Barrier::FenceRwRw,
        Barrier::FenceTso,
        Barrier::FenceI,
        Barrier::BeforeAtomic,
        Barrier::AfterAtomic,
        Barrier::RcuLock,
        Barrier::RcuUnlock,
        Barrier::SyncRcu,
        Barrier::Lock,
        Barrier::Unlock,
        Barrier::AfterSpinlock,
        Barrier::AfterUnlockLock,
    ];

    /// As models call it.
    pub fn name(self) -> &'static str {
        match self {
            Barrier::DmbSy => "DMB.SY",
            Barrier::DmbLd => "DMB.LD",
            Barrier::DmbSt => "DMB.ST",
            Barrier::Isb => "ISB",
            Barrier::DsbSt => "DSB.ST",
            Barrier::Sync => "SYNC",
            Barrier::Lwsync => "LWSYNC",
            Barrier::Isync => "ISYNC",
            Barrier::Eieio => "EIEIO",
            Barrier::Sfence => "SFENCE",
            Barrier::Lfence => "LFENCE",
            Barrier::FenceRR => "Fence.r.r",
            Barrier::FenceRW => "Fence.r.w",
            Barrier::FenceRRw => "Fence.r.rw",
            Barrier::FenceWR => "Fence.w.r",
            Barrier::FenceWW => "Fence.w.w",
            Barrier::FenceWRw => "Fence.w.rw",
            Barrier::FenceRwR => "Fence.rw.r",
            Barrier::FenceRwW => "Fence.rw.w",
            Barrier::FenceRwRw => "Fence.rw.rw",
            Barrier::FenceTso => "Fence.tso",
            Barrier::FenceI => "Fence.i",
            Barrier::BeforeAtomic => "Before-atomic",
            Barrier::AfterAtomic => "After-atomic",
            Barrier::RcuLock => "Rcu-lock",
            Barrier::RcuUnlock => "Rcu-unlock",
            Barrier::SyncRcu => "Sync-rcu",
            Barrier::Lock => "Lock",
            Barrier::Unlock => "Unlock",
            Barrier::AfterSpinlock => "After-spinlock",
            Barrier::AfterUnlockLock => "After-unlock-lock",
        }
    }

    pub fn by_name(name: &str) -> Option<Barrier> {
        Barrier::ALL.into_iter().find(|b| b.name() == name)
    }

    /// What stands for its ordering in the C dialect of litmus tests: `memory_order_dmb_sy`.
    pub(crate) fn c_name(self) -> &'static str {
        match self {
            Barrier::DmbSy => "dmb_sy",
            Barrier::DmbLd => "dmb_ld",
            Barrier::DmbSt => "dmb_st",
            Barrier::Isb => "isb",
            Barrier::DsbSt => "dsb_st",
            Barrier::Sync => "sync",
            Barrier::Lwsync => "lwsync",
            Barrier::Isync => "isync",
            Barrier::Eieio => "eieio",
            Barrier::Sfence => "sfence",
            Barrier::Lfence => "lfence",
            Barrier::FenceRR => "fence_r_r",
            Barrier::FenceRW => "fence_r_w",
            Barrier::FenceRRw => "fence_r_rw",
            Barrier::FenceWR => "fence_w_r",
            Barrier::FenceWW => "fence_w_w",
            Barrier::FenceWRw => "fence_w_rw",
            Barrier::FenceRwR => "fence_rw_r",
            Barrier::FenceRwW => "fence_rw_w",
            Barrier::FenceRwRw => "fence_rw_rw",
            Barrier::FenceTso => "fence_tso",
            Barrier::FenceI => "fence_i",
            Barrier::BeforeAtomic => "before_atomic",
            Barrier::AfterAtomic => "after_atomic",
            Barrier::RcuLock => "rcu_lock",
            Barrier::RcuUnlock => "rcu_unlock",
            Barrier::SyncRcu => "sync_rcu",
            Barrier::Lock => "lock",
            Barrier::Unlock => "unlock",
            Barrier::AfterSpinlock => "after_spinlock",
            Barrier::AfterUnlockLock => "after_unlock_lock",
        }
    }

    /// A number from 1 up to 31.
    pub(crate) const fn code(self) -> u32 {
        self as u32 + 1
    }
}
