//! C++: what the headers of libstdc++ leave to its library.
//!
//! `build.rs` compiles it (`libstdcxx/library.cpp`), so that checking a program does not.

use crate::names;

/// The module; empty if there was no libstdc++ to compile it with.
pub(crate) const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libstdcxx.bc"));

/// What its source is called in debug information.
pub(crate) const SOURCE: &str = "libstdcxx/library.cpp";

/// Where the sources of libraries are, in debug information.
const DIRECTORIES: [&str; 3] =
    ["crates/llvm/src/libstdcxx/", "crates/llvm/src/libcxx/", "crates/llvm/src/cxxabi/"];

/// A file of a library, by its path in debug information.
pub(crate) fn file_of_library(path: &str) -> Option<&str> {
    DIRECTORIES.iter().find_map(|directory| path.split_once(directory)).map(|(_, file)| file)
}

/// Functions of the headers of libstdc++, and what is called instead (`Reduction::Library`).
const WAITING: [(&str, &str); 9] = [
    ("_ZNKSt8__detail18__waiter_pool_base10_M_waitingEv", "__selvedge_cpp_waiting"),
    ("_ZNSt8__detail18__waiter_pool_base13_M_enter_waitEv", "__selvedge_cpp_count"),
    ("_ZNSt8__detail18__waiter_pool_base13_M_leave_waitEv", "__selvedge_cpp_count"),
    ("_ZNSt18__atomic_semaphore10_M_acquireEv", "__selvedge_cpp_acquire"),
    ("_ZNSt18__atomic_semaphore10_M_releaseEl", "__selvedge_cpp_release"),
    ("_ZNSt5latch10count_downEl", "__selvedge_cpp_count_down"),
    ("_ZNKSt5latch4waitEv", "__selvedge_cpp_latch"),
    (
        "_ZNSt23__atomic_futex_unsignedILj2147483648EE18_M_load_when_equalEjSt12memory_order",
        "__selvedge_cpp_ready",
    ),
    ("_ZSt4lockISt11unique_lockISt5mutexES2_JEEvRT_RT0_DpRT1_", "__selvedge_cpp_lock_both"),
];

/// Functions that look a number of times before they wait, and that number: once is enough.
pub(crate) const LOOKS: u64 = 16;

pub(crate) fn spins(symbol: &str) -> bool {
    symbol.starts_with("_ZNSt8__detail13__atomic_spinI")
}

/// The same of members of templates: how their symbols begin and end.
const OF_TEMPLATES: [(&str, &str, &str); 7] = [
    ("_ZNKSt10_Sp_atomicI", "13_Atomic_count4lockESt12memory_order", "__selvedge_cpp_count_lock"),
    ("_ZNKSt10_Sp_atomicI", "13_Atomic_count6unlockESt12memory_order", "__selvedge_cpp_count_unlock"),
    ("_ZNSt14__tree_barrierI", "9_M_arriveESt17__barrier_phase_tm", "__selvedge_cpp_arrive"),
    (
        "_ZSt21__atomic_wait_addressISt17__barrier_phase_tZNKSt14__tree_barrierI",
        "EvPKT_T0_",
        "__selvedge_cpp_meet",
    ),
    (
        "_ZNSt18condition_variable17__wait_until_implI",
        "10time_pointINS1_3_V212steady_clockET_EE",
        "__selvedge_cpp_wait_until",
    ),
    (
        "_ZNSt18condition_variable17__wait_until_implI",
        "10time_pointINS1_3_V212system_clockET_EE",
        "__selvedge_cpp_wait_until",
    ),
    ("_ZNSt18__atomic_semaphore18_M_try_acquire_forI", "durationIT_T0_EE", "__selvedge_cpp_try_acquire"),
];

/// Mutexes, all of which are POSIX's; those after the first may stand there by number.
const MUTEXES: [&str; 4] =
    ["St5mutex", "St15recursive_mutex", "St11timed_mutex", "St21recursive_timed_mutex"];

/// What stands for `std::lock` of mutexes.
fn lock(symbol: &str) -> Option<String> {
    let mut types = symbol.strip_prefix("_ZSt4lockI")?.strip_suffix("EEvRT_RT0_DpRT1_")?;
    let mut count = 0;
    while !types.is_empty() {
        if count == 2 {
            types = types.strip_prefix('J')?;
            if types.is_empty() {
                break;
            }
        }
        let by_number = || {
            let rest = types.strip_prefix('S')?.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix('_').filter(|rest| types.len() - rest.len() > 2)
        };
        types = MUTEXES.iter().find_map(|name| types.strip_prefix(name)).or_else(by_number)?;
        count += 1;
    }
    let count = ["two", "three", "four", "five", "six"].get(usize::checked_sub(count, 2)?)?;
    Some(format!("__selvedge_cpp_lock_{count}"))
}

/// The same whether or not the library's waiting is run. What a coroutine that does nothing is resumed by is
/// called with an argument that it does not have: compilers know that this does no harm.
pub(crate) fn always_replaced(symbol: &str) -> Option<String> {
    let is_idle = symbol.starts_with("_ZNSt7__n486116coroutine_handleI")
        && symbol.ends_with("22__dummy_resume_destroyEv");
    is_idle.then(|| String::from("__selvedge_cpp_nothing"))
}

/// What is called in place of a function.
pub(crate) fn replaced(symbol: &str) -> Option<String> {
    let whole = WAITING.iter().find(|(of, _)| *of == symbol).map(|(_, by)| (*by).to_owned());
    let is_member =
        |(begin, end, _): &&(&str, &str, &str)| symbol.starts_with(begin) && symbol.ends_with(end);
    whole
        .or_else(|| lock(symbol))
        .or_else(|| OF_TEMPLATES.iter().find(is_member).map(|(_, _, by)| (*by).to_owned()))
}

/// Whether a function that a module does not define is one of C++'s library.
pub(crate) fn is_of_library(symbol: &str) -> bool {
    symbol == "__gxx_personality_v0"
        || ["_ZS", "_ZNS", "_ZNKS", "_Zn", "_Zd"].iter().any(|begin| symbol.starts_with(begin))
}

/// Where the headers have their atomic operations.
const ACCESSES: [&str; 7] = [
    "std::atomic<",
    "std::atomic_flag::",
    "std::atomic_ref<",
    "std::atomic_thread_fence(",
    "std::__atomic_base<",
    "std::__atomic_ref<",
    "std::__cmpexch_failure_order",
];

/// Whether a function is an atomic access, to be inlined: orderings are arguments, and constants only where
/// it is called. What waits, or has loops of its own, is left alone.
pub(crate) fn is_access(symbol: &str) -> bool {
    if !symbol.starts_with("_ZNSt") && !symbol.starts_with("_ZNKSt") && !symbol.starts_with("_ZSt") {
        return false;
    }
    let Some(name) = names::cpp(symbol) else { return false };
    ACCESSES.iter().any(|begin| name.starts_with(begin))
        && !["::wait(", "::notify_"].iter().any(|w| name.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_of_mutexes_are_known() {
        let by = |types: &str| lock(&format!("_ZSt4lockI{types}EEvRT_RT0_DpRT1_"));
        assert_eq!(by("St5mutexS0_J").as_deref(), Some("__selvedge_cpp_lock_two"));
        assert_eq!(by("St15recursive_mutexSt5mutexJ").as_deref(), Some("__selvedge_cpp_lock_two"));
        assert_eq!(by("St5mutexS0_JS0_").as_deref(), Some("__selvedge_cpp_lock_three"));
        assert_eq!(by("St5mutexS0_JS0_S0_").as_deref(), Some("__selvedge_cpp_lock_four"));
        assert_eq!(by("St5mutexS0_JS0_S0_S0_").as_deref(), Some("__selvedge_cpp_lock_five"));
        assert_eq!(by("St5mutexS0_JS0_S0_S0_S0_S0_"), None);
        assert_eq!(by("St5mutex3OwnJ"), None);
        assert_eq!(by("3OwnS0_J"), None);
        assert_eq!(by("St11unique_lockISt5mutexES2_J"), None);
    }
}
