//! Where every data race is a race of two accesses that are next to each other in some interleaving.
//!
//! A search of states sees a race where two threads are about to make accesses that conflict. C's races are
//! by happens-before. Let `a` and `b` be the first two accesses of an interleaving that conflict and are not
//! ordered by it. Take what happens before one of them, in the order it had: that is an interleaving, if
//! every read of it reads what it read before. A plain read does, as the write that it read from happens
//! before it (or there were a race before this one), and what was left out of the interleaving only took
//! writes away. A sequentially consistent read of a sequentially consistent write synchronises with it, so
//! that the same holds; and taking a lock with whoever gave it up last. So both threads come to `a` and `b`,
//! next to each other.
//!
//! It fails where something is seen without synchronisation: relaxed and release–acquire accesses with their
//! fences, a lock that is only tried and found taken, a condition that is signalled by who does not hold the
//! lock. So all that a program may do beside plain accesses is in a list, and nothing else.

use selvedge_graph::Mode;
use selvedge_ir::{Instr, Module, Operand};

/// What may be called: it synchronises by everything that it sees, or has nothing to do with other threads.
const HARMLESS: [&str; 44] = [
    "pthread_create",
    "pthread_join",
    "pthread_exit",
    "pthread_detach",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_spin_lock",
    "pthread_spin_unlock",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__VERIFIER_assume",
    "__VERIFIER_error",
    "reach_error",
    "__assert_fail",
    "abort",
    "exit",
    "malloc",
    "calloc",
    "free",
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "strlen",
    "strcmp",
    "strcpy",
    "printf",
    "puts",
    "putchar",
    "sleep",
    "usleep",
];

/// Whether all races of a program are next to each other.
pub fn all_races(module: &Module) -> bool {
    let instrs = || module.functions.iter().flat_map(|function| &function.code);
    let declared = |callee: &Operand| match callee {
        Operand::Func(f) => {
            let function = &module.functions[f.0 as usize];
            !function.code.is_empty() || is_harmless(&function.name)
        }
        // Whoever may be called has its address taken, which is looked at below.
        _ => true,
    };
    let is_known = |instr: &Instr| match instr {
        Instr::Load { mode, volatile, .. } | Instr::Store { mode, volatile, .. } => {
            matches!(mode, Mode::Na | Mode::Sc) && !volatile
        }
        Instr::Rmw { mode, .. } => *mode == Mode::Sc,
        Instr::Cmpxchg { success, failure, weak, .. } => {
            (*success, *failure, *weak) == (Mode::Sc, Mode::Sc, false)
        }
        Instr::Fence { .. } | Instr::Unsupported { .. } | Instr::SpinBlock { .. } => false,
        Instr::Call { callee, .. } => declared(callee),
        _ => true,
    };
    let mut others = true;
    for instr in instrs() {
        instr.for_operands(|operand, _| others &= declared(operand));
    }
    module.globals.iter().flat_map(|g| &g.addresses).for_each(|(_, operand)| others &= declared(operand));
    others && instrs().all(is_known)
}

fn is_harmless(name: &str) -> bool {
    const BEGINNINGS: [&str; 3] = ["llvm.", "__selvedge_", "__VERIFIER_nondet_"];
    HARMLESS.contains(&name) || BEGINNINGS.into_iter().any(|beginning| name.starts_with(beginning))
}
