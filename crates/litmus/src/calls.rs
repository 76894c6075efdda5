//! The functions that a test may call.

use selvedge_graph::{Barrier, Mode};
use selvedge_machine::program::RmwOp;

/// What a call does. An ordering of `None` is given by the call's last arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// `f(pointer)`.
    Load(Option<Mode>),
    /// `f(pointer, value)`.
    Store(Option<Mode>),
    /// `f(pointer, operand)`; gives the old value.
    Rmw(RmwOp, Option<Mode>),
    /// `f(operand, pointer)`, or `f(pointer)` with operand 1: the kernel's order. `new`: gives the new
    /// value, not the old one.
    KernelRmw {
        op: RmwOp,
        one: bool,
        mode: Mode,
        new: bool,
    },
    /// `f(pointer, pointer to expected, desired)`; gives whether it succeeded.
    Cas {
        weak: bool,
        modes: Option<Mode>,
    },
    /// `f(pointer, expected, desired)`; gives the old value.
    CmpXchg(Mode, Mode),
    Fence(Option<Mode>),
    /// A store and a full fence.
    StoreMb,
    /// `READ_ONCE(*x)`, `WRITE_ONCE(*x, e)`: the argument is the object, not a pointer to it.
    ReadOnce,
    WriteOnce,
    /// The same, releasing.
    RcuAssign,
    /// The kernel's locks, and read-side sections of RCU.
    SpinLock,
    SpinUnlock,
    RcuLock,
    RcuUnlock,
    /// Orders nothing that a memory model sees.
    Nothing,
    Assume,
    Assert,
    // Selvedge's own, for what C cannot say.
    Spawn,
    Join,
    Cut,
    /// `f(pointer, &old, expected, desired, success, failure)`; gives whether it succeeded. Unlike C's,
    /// it takes the expected value apart from where the old one goes.
    RawCas {
        weak: bool,
    },
    /// `f(pointer, ordering)` and `f(pointer, value, ordering)`: a pair of exclusive instructions. The
    /// second one gives whether it succeeded.
    LoadLinked,
    StoreConditional,
    /// Division and remainder that give 0 for a divisor of 0.
    TotalDiv {
        remainder: bool,
    },
}

/// Looks a function up; the flag says that it is one of the Linux kernel's.
pub fn lookup(name: &str) -> Option<(Call, bool)> {
    let own = match name {
        "atomic_thread_fence" => Call::Fence(None),
        "atomic_signal_fence" => Call::Nothing,
        "atomic_init" => Call::Store(Some(Mode::Na)),
        "assert" => Call::Assert,
        "assume" | "__VERIFIER_assume" => Call::Assume,
        "spawn" => Call::Spawn,
        "join" => Call::Join,
        "cut" => Call::Cut,
        "raw_compare_exchange_strong" => Call::RawCas { weak: false },
        "raw_compare_exchange_weak" => Call::RawCas { weak: true },
        "load_linked" => Call::LoadLinked,
        "store_conditional" => Call::StoreConditional,
        "total_div" => Call::TotalDiv { remainder: false },
        "total_rem" => Call::TotalDiv { remainder: true },
        _ => return c11(name).map(|call| (call, false)).or_else(|| kernel(name).map(|call| (call, true))),
    };
    Some((own, false))
}

fn c11(name: &str) -> Option<Call> {
    let (name, mode) = match name.strip_suffix("_explicit") {
        Some(name) => (name, None),
        None => (name, Some(Mode::Sc)),
    };
    Some(match name.strip_prefix("atomic_")? {
        "load" => Call::Load(mode),
        "store" => Call::Store(mode),
        "exchange" => Call::Rmw(RmwOp::Exchange, mode),
        "fetch_add" => Call::Rmw(RmwOp::Add, mode),
        "fetch_sub" => Call::Rmw(RmwOp::Sub, mode),
        "fetch_and" => Call::Rmw(RmwOp::And, mode),
        "fetch_or" => Call::Rmw(RmwOp::Or, mode),
        "fetch_xor" => Call::Rmw(RmwOp::Xor, mode),
        "fetch_min" => Call::Rmw(RmwOp::Min, mode),
        "fetch_max" => Call::Rmw(RmwOp::Max, mode),
        "fetch_minu" => Call::Rmw(RmwOp::MinU, mode),
        "fetch_maxu" => Call::Rmw(RmwOp::MaxU, mode),
        "fetch_clear" => Call::Rmw(RmwOp::Clear, mode),
        "fetch_add_word" => Call::Rmw(RmwOp::AddWord, mode),
        "fetch_sub_word" => Call::Rmw(RmwOp::SubWord, mode),
        "compare_exchange_strong" => Call::Cas { weak: false, modes: mode },
        "compare_exchange_weak" => Call::Cas { weak: true, modes: mode },
        _ => return None,
    })
}

fn kernel(name: &str) -> Option<Call> {
    let plain = match name {
        "READ_ONCE" | "rcu_dereference" => Call::ReadOnce,
        "WRITE_ONCE" => Call::WriteOnce,
        "rcu_assign_pointer" => Call::RcuAssign,
        "rcu_read_lock" => Call::RcuLock,
        "rcu_read_unlock" => Call::RcuUnlock,
        "synchronize_rcu" | "synchronize_rcu_expedited" => Call::Fence(Some(Mode::Barrier(Barrier::SyncRcu))),
        "spin_lock" => Call::SpinLock,
        "spin_unlock" => Call::SpinUnlock,
        "smp_mb__after_spinlock" => Call::Fence(Some(Mode::Barrier(Barrier::AfterSpinlock))),
        "smp_mb__after_unlock_lock" => Call::Fence(Some(Mode::Barrier(Barrier::AfterUnlockLock))),
        "smp_mb" => Call::Fence(Some(Mode::Sc)),
        "smp_mb__before_atomic" => Call::Fence(Some(Mode::Barrier(Barrier::BeforeAtomic))),
        "smp_mb__after_atomic" => Call::Fence(Some(Mode::Barrier(Barrier::AfterAtomic))),
        "smp_rmb" => Call::Fence(Some(Mode::Acq)),
        "smp_wmb" => Call::Fence(Some(Mode::Rel)),
        "smp_load_acquire" | "atomic_read_acquire" => Call::Load(Some(Mode::Acq)),
        "smp_store_release" | "atomic_set_release" => Call::Store(Some(Mode::Rel)),
        "smp_store_mb" => Call::StoreMb,
        "barrier" => Call::Nothing,
        "atomic_read" => Call::Load(Some(Mode::Rlx)),
        "atomic_set" => Call::Store(Some(Mode::Rlx)),
        // They give no value, which the kernel's model cares about.
        "atomic_inc" => Call::KernelRmw { op: RmwOp::Add, one: true, mode: Mode::RlxEx, new: false },
        "atomic_dec" => Call::KernelRmw { op: RmwOp::Sub, one: true, mode: Mode::RlxEx, new: false },
        "atomic_add" => Call::KernelRmw { op: RmwOp::Add, one: false, mode: Mode::RlxEx, new: false },
        "atomic_sub" => Call::KernelRmw { op: RmwOp::Sub, one: false, mode: Mode::RlxEx, new: false },
        "atomic_and" => Call::KernelRmw { op: RmwOp::And, one: false, mode: Mode::RlxEx, new: false },
        "atomic_or" => Call::KernelRmw { op: RmwOp::Or, one: false, mode: Mode::RlxEx, new: false },
        "atomic_xor" => Call::KernelRmw { op: RmwOp::Xor, one: false, mode: Mode::RlxEx, new: false },
        "atomic_andnot" => Call::KernelRmw { op: RmwOp::Clear, one: false, mode: Mode::RlxEx, new: false },
        _ => return kernel_rmw(name),
    };
    Some(plain)
}

/// Those that come with a suffix for their ordering; without one they are fully ordered.
fn kernel_rmw(name: &str) -> Option<Call> {
    let suffixes = [("_relaxed", Mode::Rlx), ("_acquire", Mode::Acq), ("_release", Mode::Rel)];
    let (name, mode) = suffixes
        .iter()
        .find_map(|(suffix, mode)| name.strip_suffix(suffix).map(|name| (name, *mode)))
        .unwrap_or((name, Mode::Sc));
    let rmw = |op, one, new| Call::KernelRmw { op, one, mode, new };
    Some(match name {
        "xchg" | "atomic_xchg" => Call::Rmw(RmwOp::Exchange, Some(mode)),
        "cmpxchg" | "atomic_cmpxchg" => {
            // A failed one orders nothing. It is told from a load, for the fences around it.
            Call::CmpXchg(mode, Mode::RlxEx)
        }
        "atomic_add_return" => rmw(RmwOp::Add, false, true),
        "atomic_sub_return" => rmw(RmwOp::Sub, false, true),
        "atomic_inc_return" => rmw(RmwOp::Add, true, true),
        "atomic_dec_return" => rmw(RmwOp::Sub, true, true),
        "atomic_fetch_add" => rmw(RmwOp::Add, false, false),
        "atomic_fetch_sub" => rmw(RmwOp::Sub, false, false),
        "atomic_fetch_and" => rmw(RmwOp::And, false, false),
        "atomic_fetch_or" => rmw(RmwOp::Or, false, false),
        "atomic_fetch_xor" => rmw(RmwOp::Xor, false, false),
        "atomic_fetch_andnot" => rmw(RmwOp::Clear, false, false),
        "atomic_fetch_inc" => rmw(RmwOp::Add, true, false),
        "atomic_fetch_dec" => rmw(RmwOp::Sub, true, false),
        _ => return None,
    })
}
