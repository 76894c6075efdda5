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
        "malloc" | "valloc" => Some(Allocation::Size(0)),
        "aligned_alloc" | "memalign" => Some(Allocation::Size(1)),
        "calloc" => Some(Allocation::Product),
        _ => None,
    }
}

/// Functions that do nothing but let time pass, and whether they are told how long by an address.
const PAUSES: [(&str, bool); 8] = [
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
const TIMED: [&str; 13] = [
    "clock_gettime",
    "timespec_get",
    "gettimeofday",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "cnd_timedwait",
    "mtx_timedlock",
    "sem_timedwait",
    "sem_clockwait",
];

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
    matches!(name, "__VERIFIER_assume" | "selvedge_assume")
}

/// How the names of the functions begin that check an index. What follows is the largest one that is allowed,
/// a space, and what it is an index of.
pub const INDEX: &str = "__selvedge_index ";

/// Whether a function only checks an index.
pub fn checks_index(name: &str) -> bool {
    name.starts_with(INDEX)
}
