//! What has to be known of functions outside of the program by their names, in more than one place.
//!
//! A front end of another language declares such functions by these names to say the same.

/// Where an allocating function is told how large the new object is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allocation {
    /// By the argument with this number.
    Size(usize),
    /// By the product of its two arguments.
    Product,
}

/// Whether a function returns an object that nobody else knows, or null, and how.
pub fn allocation(name: &str) -> Option<Allocation> {
    match name {
        "malloc" | "valloc" | "__selvedge_new" | "__selvedge_new_array" => Some(Allocation::Size(0)),
        "aligned_alloc" | "memalign" => Some(Allocation::Size(1)),
        "calloc" => Some(Allocation::Product),
        _ => None,
    }
}

/// What allocates for Rust's library, given an alignment, a size, and whether to fill the memory with zeroes.
/// It returns the address and the size: of a new object, or of none, with the alignment for an address.
pub const RUST_ALLOCATION: &str = "__selvedge_rust_allocate";

/// Whether a function of Rust's library panics with a text about an address that it is given, and neither
/// keeps the address nor looks at what is there.
pub fn tells_address(name: &str) -> bool {
    name == "core::panicking::panic_misaligned_pointer_dereference"
}

/// Whether a function only tells what is known of an object of a managed language since it was made.
pub fn asks_object(name: &str) -> bool {
    matches!(
        name,
        "__selvedge_type"
            | "__selvedge_length"
            | "__selvedge_element"
            | "__selvedge_dimensions"
            | "__selvedge_string_known"
            | "__selvedge_string_built"
    )
}

/// Lets time pass: what a function of the library comes to that could do more.
pub const PAUSE: &str = "__selvedge_pause";

/// Functions that do nothing but let time pass, and whether they are told how long by an address.
const PAUSES: [(&str, bool); 12] = [
    (PAUSE, false),
    ("__selvedge_rust_backoff", false),
    ("__selvedge_rust_pause", false),
    ("__selvedge_rust_pause_ms", false),
    ("sched_yield", false),
    ("pthread_yield", false),
    ("thrd_yield", false),
    ("thrd_sleep", true),
    ("sleep", false),
    ("usleep", false),
    ("nanosleep", true),
    ("clock_nanosleep", true),
];

/// Functions that take a time by its address and do more than let it pass.
const TIMED: [&str; 18] = [
    "clock_gettime",
    "timespec_get",
    "gettimeofday",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock",
    "cnd_timedwait",
    "mtx_timedlock",
    "sem_timedwait",
    "sem_clockwait",
    "select",
    "pselect",
    "ppoll",
];

/// Whether a function that a program declares without insisting on it (`extern_weak`) is there.
pub fn is_there(name: &str) -> bool {
    name == "__cxa_thread_atexit_impl" || name.starts_with("pthread_") || name.starts_with("__pthread_")
}

/// Whether a function does nothing but let time pass.
pub fn only_pauses(name: &str) -> bool {
    PAUSES.iter().any(|(pause, _)| *pause == name)
}

/// Whether a function reads or sets a time by an address that it does not keep. Its other arguments may be
/// addresses, too, but of locks, which other functions are given as well.
pub fn takes_time(name: &str) -> bool {
    PAUSES.contains(&(name, true)) || TIMED.contains(&name)
}

/// Whether a function says which executions are of interest: those in which its argument is not 0.
pub fn assumes(name: &str) -> bool {
    matches!(name, "__VERIFIER_assume" | "selvedge_assume" | ASSUME_OR_END)
}

/// An assumption of a program's own, which ends the process where it does not hold (`passes::conventions`).
pub const ASSUME_OR_END: &str = "__selvedge_assume_or_end";

/// How the names of the functions begin that check an index. What follows is the largest one that is allowed,
/// a space, and what it is an index of.
pub const INDEX: &str = "__selvedge_index ";

/// Whether a function only checks an index.
pub fn checks_index(name: &str) -> bool {
    name.starts_with(INDEX)
}

/// Annotations of other tools that say nothing which is not found out here, or which can be left out: they do
/// nothing when they are called.
const ANNOTATIONS: [&str; 2] = ["__VERIFIER_loop_begin", LOOP_BOUND];

/// Says how often the loop that it is in, or that comes next, is to be run at most.
pub const LOOP_BOUND: &str = "__VERIFIER_loop_bound";

/// Whether a function is an annotation that does nothing.
pub fn only_annotates(name: &str) -> bool {
    ANNOTATIONS.contains(&name)
}

/// Whether a function marks an iteration of a loop that waits: it may wait there, and does nothing else.
pub fn marks_waiting(name: &str) -> bool {
    name == "selvedge_spin_begin" || ends_spin(name)
}

/// Whether a function marks the end of such an iteration.
pub fn ends_spin(name: &str) -> bool {
    matches!(name, "selvedge_spin_end" | "__VERIFIER_spin_end")
}

/// Functions of the C library that are not another name of what comes after their underscores.
const OWN_NAMES: [&str; 3] =
    ["__pthread_register_cancel", "__pthread_unregister_cancel", "__pthread_unwind_next"];

/// Names that other tools have for functions, and ours. `spin_end` is not among them: it is given the
/// opposite of what `selvedge_spin_end` is.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("__VERIFIER_spin_start", "selvedge_spin_begin"),
    ("verification_spin_start", "selvedge_spin_begin"),
    ("verification_spin_end", "__VERIFIER_spin_end"),
    ("verification_loop_begin", "__VERIFIER_loop_begin"),
    ("verification_loop_bound", LOOP_BOUND),
    ("verification_assume", "__VERIFIER_assume"),
    ("verification_assert", "__VERIFIER_assert"),
];

/// The name by which a function outside of the program is known, of several that it has: the C library and
/// its relatives have `_pthread_create` and `__pthread_create` for `pthread_create`.
pub fn canonical(name: &str) -> &str {
    if let Some((_, ours)) = OTHER_NAMES.iter().find(|(theirs, _)| *theirs == name) {
        return ours;
    }
    let bare = name.trim_start_matches('_');
    let other = bare.starts_with("pthread_") && name.len() - bare.len() <= 2 && !OWN_NAMES.contains(&name);
    if other { bare } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_of_a_function_lead_to_one() {
        for name in ["pthread_create", "_pthread_create", "__pthread_create"] {
            assert_eq!(canonical(name), "pthread_create");
        }
        for own in ["___pthread_create", "__pthread_unwind_next", "pthread", "_exit", "malloc"] {
            assert_eq!(canonical(own), own);
        }
        assert!(only_annotates(canonical("verification_loop_bound")));
    }
}
