//! C++ with the headers of libc++: what they leave to its library, and which of their functions have a
//! meaning of their own.
//!
//! `build.rs` compiles the library (`libcxx/library.cpp`) where the headers are installed.

use std::collections::{HashMap, HashSet};

/// The module; empty if there were no headers to compile it with.
pub(crate) const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcxx.bc"));

/// What its source is called in debug information.
pub(crate) const SOURCE: &str = "libcxx/library.cpp";

/// What all symbols of these headers have, but those that compilers know by name.
const NAMESPACE: &str = "St3__1";

/// Whether a symbol is of these headers.
pub(crate) fn is_of_headers(symbol: &str) -> bool {
    symbol.starts_with("_Z") && symbol.contains(NAMESPACE)
}

/// A symbol without what says how headers were compiled: `B9nqe220108`.
fn plain(symbol: &str) -> String {
    let mut rest = symbol;
    let mut out = String::with_capacity(rest.len());
    while let Some(at) = rest.find('B') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        match tag_length(tag) {
            Some(length) => rest = &tag[length..],
            None => {
                out.push('B');
                rest = &tag[1..];
            }
        }
    }
    out + rest
}

/// How long the tag is that a text begins with: a number, and so many letters, of which the last six are a
/// version.
fn tag_length(text: &str) -> Option<usize> {
    let digits = text[1..].find(|c: char| !c.is_ascii_digit())?;
    let count: usize = text[1..=digits].parse().ok().filter(|count| (7..=10).contains(count))?;
    let tag = text.get(1 + digits..1 + digits + count)?;
    let (letters, version) = tag.split_at(count - 6);
    let is_tag =
        letters.bytes().all(|b| b.is_ascii_lowercase()) && version.bytes().all(|b| b.is_ascii_digit());
    is_tag.then_some(1 + digits + count)
}

/// Functions whose symbols begin and end like this, and what is called instead (`Reduction::Library`). The
/// first one that fits counts.
const REPLACED: [(&str, &str, &str); 36] = [
    // What a thread keeps for its end.
    ("_ZNSt3__119__thread_local_dataE", "v", "__selvedge_libcxx_thread_data"),
    (
        "_ZNSt3__121__thread_specific_ptrINS_15__thread_structEE11set_pointerE",
        "",
        "__selvedge_libcxx_set_thread",
    ),
    ("_ZNKSt3__121__thread_specific_ptrINS_15__thread_structEE3getE", "", "__selvedge_libcxx_get_thread"),
    // Timed and shared mutexes.
    ("_ZNSt3__111timed_mutex4lockE", "v", "__selvedge_libcxx_lock"),
    ("_ZNSt3__111timed_mutex8try_lockE", "v", "__selvedge_libcxx_try_lock"),
    ("_ZNSt3__111timed_mutex12try_lock_forI", "", "__selvedge_libcxx_try_lock_in_time"),
    ("_ZNSt3__111timed_mutex14try_lock_untilI", "", "__selvedge_libcxx_try_lock_in_time"),
    ("_ZNSt3__111timed_mutex6unlockE", "v", "__selvedge_libcxx_unlock"),
    ("_ZNSt3__121recursive_timed_mutexC", "Ev", "__selvedge_libcxx_recursive"),
    ("_ZNSt3__121recursive_timed_mutex4lockE", "v", "__selvedge_libcxx_lock"),
    ("_ZNSt3__121recursive_timed_mutex8try_lockE", "v", "__selvedge_libcxx_try_lock"),
    ("_ZNSt3__121recursive_timed_mutex12try_lock_forI", "", "__selvedge_libcxx_try_lock_in_time"),
    ("_ZNSt3__121recursive_timed_mutex14try_lock_untilI", "", "__selvedge_libcxx_try_lock_in_time"),
    ("_ZNSt3__121recursive_timed_mutex6unlockE", "v", "__selvedge_libcxx_unlock"),
    ("_ZNSt3__119__shared_mutex_baseC", "Ev", "__selvedge_libcxx_shared"),
    ("_ZNSt3__119__shared_mutex_base4lockE", "v", "__selvedge_libcxx_write"),
    ("_ZNSt3__119__shared_mutex_base8try_lockE", "v", "__selvedge_libcxx_try_write"),
    ("_ZNSt3__119__shared_mutex_base6unlockE", "v", "__selvedge_libcxx_leave"),
    ("_ZNSt3__119__shared_mutex_base11lock_sharedE", "v", "__selvedge_libcxx_read"),
    ("_ZNSt3__119__shared_mutex_base15try_lock_sharedE", "v", "__selvedge_libcxx_try_read"),
    ("_ZNSt3__119__shared_mutex_base13unlock_sharedE", "v", "__selvedge_libcxx_leave"),
    ("_ZNSt3__118shared_timed_mutex12try_lock_forI", "", "__selvedge_libcxx_write_in_time"),
    ("_ZNSt3__118shared_timed_mutex14try_lock_untilI", "", "__selvedge_libcxx_write_in_time"),
    ("_ZNSt3__118shared_timed_mutex19try_lock_shared_forI", "", "__selvedge_libcxx_read_in_time"),
    ("_ZNSt3__118shared_timed_mutex21try_lock_shared_untilI", "", "__selvedge_libcxx_read_in_time"),
    // Waits whose time may be over; those with a predicate call these.
    ("_ZNSt3__118condition_variable8wait_forI", "durationIT_T0_EE", "__selvedge_cpp_wait_until"),
    ("_ZNSt3__118condition_variable10wait_untilI", "time_pointIT_T0_EE", "__selvedge_cpp_wait_until"),
    // Counts that threads wait for.
    ("_ZNSt3__123__atomic_semaphore_base7acquireE", "v", "__selvedge_libcxx_acquire"),
    ("_ZNSt3__123__atomic_semaphore_base7releaseE", "l", "__selvedge_libcxx_release"),
    ("_ZNSt3__123__atomic_semaphore_base15try_acquire_forI", "", "__selvedge_libcxx_try_acquire"),
    ("_ZNSt3__15latch10count_downE", "l", "__selvedge_libcxx_count_down"),
    ("_ZNKSt3__15latch4waitE", "v", "__selvedge_libcxx_latch"),
    // What is written to a stream.
    (
        "_ZNSt3__116__pad_and_outputIcNS_11char_traitsIcEEEENS_19ostreambuf_iterator",
        "",
        "__selvedge_libcxx_pad",
    ),
    ("_ZNSt3__113basic_istreamIcNS_11char_traitsIcEEE6sentryC1ERS3_b", "", "__selvedge_libcxx_sentry"),
    ("_ZNSt3__113basic_istreamIcNS_11char_traitsIcEEE6sentryC2ERS3_b", "", "__selvedge_libcxx_sentry"),
    // `std::lock` of two locks of mutexes.
    ("_ZNSt3__14lockINS_11unique_lockINS_5mutexEEES3_EEvRT_RT0_", "", "__selvedge_cpp_lock_both"),
];

/// Of which types `atomic::wait` and notifications have a meaning of their own, by the letters that symbols
/// have for them, and what waits. Both or none: they have to meet at the same place.
const WAITED: [(&str, &str); 6] = [
    ("b", "__selvedge_cpp_wait_b"),
    ("ach", "__selvedge_cpp_wait_1"),
    ("st", "__selvedge_cpp_wait_2"),
    ("ijw", "__selvedge_cpp_wait_4"),
    ("lmxy", "__selvedge_cpp_wait_8"),
    ("P", "__selvedge_cpp_wait_p"),
];

/// What stands for `atomic::wait`, `notify_one` and `notify_all`.
fn waited(symbol: &str) -> Option<&'static str> {
    let rest = symbol.strip_prefix("_ZNKSt3__1").or_else(|| symbol.strip_prefix("_ZNSt3__1"))?;
    match rest {
        "11atomic_flag4waitEbNS_12memory_orderE" => return Some("__selvedge_cpp_wait_b"),
        "11atomic_flag10notify_oneEv" => return Some("__selvedge_cpp_notify_one"),
        "11atomic_flag10notify_allEv" => return Some("__selvedge_cpp_notify_all"),
        _ => {}
    }
    let rest = rest.strip_prefix("13__atomic_baseI")?;
    let (_, waits) = WAITED.iter().find(|(letters, _)| rest.starts_with(|c| letters.contains(c)))?;
    match rest {
        _ if rest.ends_with("Lb0EE10notify_oneEv") => Some("__selvedge_cpp_notify_one"),
        _ if rest.ends_with("Lb0EE10notify_allEv") => Some("__selvedge_cpp_notify_all"),
        _ if rest.contains("Lb0EE4waitE") && rest.ends_with("NS_12memory_orderE") => Some(waits),
        _ => None,
    }
}

/// What waits at values of other types that are as large as numbers, or at those that an `atomic_ref` refers
/// to, and what notifies: by symbol, what stands for it.
///
/// `value_of` says what a function takes for the value that it compares: how wide a number, or 0 for a
/// pointer. Functions of a type are replaced together, if any waits, since they have to meet at the same
/// place.
pub(crate) fn waits_by_size(
    symbols: &[String],
    value_of: impl Fn(&str) -> Option<u32>,
) -> HashMap<String, String> {
    let mut found = HashMap::new();
    let operations: Vec<_> = symbols.iter().filter_map(|s| Some((s, Operation::of(s)?))).collect();
    let mut waited = HashSet::new();
    for (symbol, Operation { by_reference, ty, name }) in &operations {
        if name != "wait" {
            continue;
        }
        let kind = match value_of(symbol) {
            Some(0) => "p",
            Some(1) => "b",
            Some(8) => "1",
            Some(16) => "2",
            Some(32) => "4",
            Some(64) => "8",
            _ => continue,
        };
        let at = if *by_reference { "at_" } else { "" };
        found.insert((*symbol).clone(), format!("__selvedge_cpp_wait_{at}{kind}"));
        waited.insert((*by_reference, ty.clone()));
    }
    for (symbol, Operation { by_reference, ty, name }) in operations {
        if name != "wait" && waited.contains(&(by_reference, ty)) {
            let at = if by_reference { "_at" } else { "" };
            found.insert(symbol.clone(), format!("__selvedge_cpp_{name}{at}"));
        }
    }
    found
}

/// A function of `atomic` or `atomic_ref` that waits, or notifies.
#[derive(PartialEq, Eq, Debug)]
struct Operation {
    by_reference: bool,
    /// As symbols have it.
    ty: String,
    name: String,
}

impl Operation {
    fn of(symbol: &str) -> Option<Operation> {
        if !is_of_headers(symbol) {
            return None;
        }
        // Volatile or not.
        let symbol = plain(symbol).replacen("_ZNV", "_ZN", 1);
        let rest = symbol.strip_prefix("_ZNKSt3__1").or_else(|| symbol.strip_prefix("_ZNSt3__1"))?;
        let (by_reference, rest, end) = match rest.strip_prefix("13__atomic_baseI") {
            Some(rest) => (false, rest, "Lb0EE"),
            None => (true, rest.strip_prefix("17__atomic_ref_baseI")?, "E"),
        };
        for (name, ends) in [("wait", "NS_12memory_orderE"), ("notify_one", "v"), ("notify_all", "v")] {
            let part = format!("{end}{}{name}E", name.len());
            if let Some((ty, rest)) = rest.rsplit_once(&part)
                && rest.ends_with(ends)
            {
                return Some(Operation { by_reference, ty: ty.to_owned(), name: name.to_owned() });
            }
        }
        None
    }
}

/// Mutexes, all of which are POSIX's or begin like one.
const MUTEXES: [&str; 4] =
    ["NS_5mutexE", "NS_15recursive_mutexE", "NS_11timed_mutexE", "NS_21recursive_timed_mutexE"];

/// What stands for `std::lock` of mutexes.
fn lock(symbol: &str) -> Option<String> {
    let types = symbol.strip_prefix("_ZNSt3__14lockI")?;
    let (mut types, three) = match types.strip_suffix("EEEvRT_RT0_RT1_DpRT2_") {
        Some(types) => (types, true),
        None => (types.strip_suffix("EEvRT_RT0_")?, false),
    };
    let mut count = 0;
    while !types.is_empty() {
        if count == 3 {
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
    let name = match (three, count) {
        (false, 2) => "__selvedge_cpp_lock_two",
        (true, 3) => "__selvedge_cpp_lock_three",
        (true, 4) => "__selvedge_cpp_lock_four",
        (true, 5) => "__selvedge_cpp_lock_five",
        (true, 6) => "__selvedge_cpp_lock_six",
        _ => return None,
    };
    Some(name.to_owned())
}

/// What is called in place of a function.
pub(crate) fn replaced(symbol: &str) -> Option<String> {
    if !is_of_headers(symbol) {
        return None;
    }
    // Volatile or not.
    let symbol = plain(symbol).replacen("_ZNV", "_ZN", 1);
    let fits = |(begin, end, _): &&(&str, &str, &str)| {
        symbol.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end))
    };
    let named = REPLACED.iter().find(fits).map(|(_, _, by)| *by);
    named.or_else(|| waited(&symbol)).map(str::to_owned).or_else(|| lock(&symbol))
}

/// Calls that are other ones in some functions: how the caller begins, what it calls, and what it calls
/// instead. Whoever changes what these functions wait for always tells. What time it is matters to loops
/// that look a number of times, and then sleep, only in that it goes by.
const CALLS: [(&str, &str, &str); 6] = [
    (
        "_ZNKSt3__114__barrier_baseI",
        "_ZNKSt3__113__atomic_baseIhLb0EE4waitEhNS_12memory_orderE",
        "__selvedge_libcxx_change_1",
    ),
    ("_ZNSt3__114__barrier_baseI", "_ZNSt3__113__atomic_baseIhLb0EE10notify_allEv", "__selvedge_libcxx_tell"),
    (
        "_ZNSt3__120__atomic_unique_lockI",
        "_ZNKSt3__113__atomic_baseIjLb0EE4waitEjNS_12memory_orderE",
        "__selvedge_libcxx_change_4",
    ),
    (
        "_ZNSt3__120__atomic_unique_lockI",
        "_ZNSt3__113__atomic_baseIjLb0EE10notify_allEv",
        "__selvedge_libcxx_tell",
    ),
    (POLLS, "_ZNSt3__16chrono12steady_clock3nowEv", "__selvedge_libcxx_later"),
    (POLLS, "_ZNSt3__16chrono12system_clock3nowEv", "__selvedge_libcxx_later"),
];
const POLLS: &str = "_ZNSt3__134__libcpp_thread_poll_with_backoff";

/// How functions begin that call something else in place of this one, and what.
pub(crate) fn calls(called: &str) -> Vec<(&'static str, &'static str)> {
    let called = if is_of_headers(called) { plain(called) } else { return Vec::new() };
    CALLS.iter().filter(|(_, of, _)| called == *of).map(|(by, _, name)| (*by, *name)).collect()
}

/// How often a loop looks before it sleeps, which is nothing but looking.
pub(crate) const LOOKS: u64 = 64;

pub(crate) fn spins(symbol: &str) -> bool {
    symbol.starts_with(POLLS)
}

/// Where the headers have their atomic operations.
const ACCESSES: [&str; 12] = [
    "_ZNSt3__16atomicI",
    "_ZNKSt3__16atomicI",
    "_ZNSt3__111atomic_flag",
    "_ZNKSt3__111atomic_flag",
    "_ZNSt3__113__atomic_baseI",
    "_ZNKSt3__113__atomic_baseI",
    "_ZNSt3__117__atomic_ref_base",
    "_ZNKSt3__117__atomic_ref_base",
    "_ZNKSt3__110atomic_refI",
    "_ZNSt3__119atomic_thread_fence",
    "_ZNSt3__118__to_failure_order",
    "_ZNSt3__122__to_gcc_failure_order",
];

/// Whether a function is an atomic access, to be inlined: orderings are arguments, and constants only where
/// it is called. What waits, or has loops of its own, is left alone.
pub(crate) fn is_access(symbol: &str) -> bool {
    if !is_of_headers(symbol) {
        return false;
    }
    let symbol = symbol.replacen("_ZNV", "_ZN", 1);
    let is_operation = |symbol: &str| {
        let rest = symbol.strip_prefix("_ZNSt3__1")?;
        let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (name.starts_with("__cxx_atomic_") || name.starts_with("__to_gcc_order")).then_some(())
    };
    let waits = ["4wait", "10notify_"].iter().any(|word| symbol.contains(word));
    !waits && (is_operation(&symbol).is_some() || ACCESSES.iter().any(|begin| symbol.starts_with(begin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_left_out() {
        assert_eq!(plain("_ZNKSt3__15latch4waitB9nqe220108Ev"), "_ZNKSt3__15latch4waitEv");
        assert_eq!(plain("_ZNKSt3__15latch4waitB8ne190107Ev"), "_ZNKSt3__15latch4waitEv");
        assert_eq!(plain("_ZN3Box3BigEv"), "_ZN3Box3BigEv");
        assert_eq!(plain("_ZN1BB1B"), "_ZN1BB1B");
    }

    #[test]
    fn locks_of_mutexes_are_known() {
        let by = |types: &str| lock(&plain(&format!("_ZNSt3__14lockB9nqe220108I{types}")));
        assert_eq!(by("NS_5mutexES1_EEvRT_RT0_").as_deref(), Some("__selvedge_cpp_lock_two"));
        let three = "NS_5mutexES1_NS_15recursive_mutexEJEEEvRT_RT0_RT1_DpRT2_";
        assert_eq!(by(three).as_deref(), Some("__selvedge_cpp_lock_three"));
        assert_eq!(
            by("NS_5mutexES1_S1_JS1_EEEvRT_RT0_RT1_DpRT2_").as_deref(),
            Some("__selvedge_cpp_lock_four")
        );
        assert_eq!(by("3OwnS1_EEvRT_RT0_"), None);
    }

    #[test]
    fn who_waits_for_a_value_is_notified_of_it() {
        let wait = "_ZNKSt3__113__atomic_baseIlLb0EE4waitB9nqe220108ElNS_12memory_orderE";
        assert_eq!(replaced(wait).as_deref(), Some("__selvedge_cpp_wait_8"));
        let notify = "_ZNSt3__113__atomic_baseIlLb0EE10notify_oneB9nqe220108Ev";
        assert_eq!(replaced(notify).as_deref(), Some("__selvedge_cpp_notify_one"));
        // Of others, both are left to headers.
        assert_eq!(replaced("_ZNKSt3__113__atomic_baseI1SLb0EE4waitB9nqe220108ES1_NS_12memory_orderE"), None);
        assert_eq!(replaced("_ZNSt3__113__atomic_baseI1SLb0EE10notify_oneB9nqe220108Ev"), None);
    }

    #[test]
    fn waits_by_size_meet_their_notifications() {
        let symbols = [
            "_ZNKSt3__113__atomic_baseI1ELb0EE4waitB9nqe220108ES1_NS_12memory_orderE",
            "_ZNSt3__113__atomic_baseI1ELb0EE10notify_oneB9nqe220108Ev",
            "_ZNKSt3__113__atomic_baseI1BLb0EE4waitB9nqe220108ES1_NS_12memory_orderE",
            "_ZNSt3__113__atomic_baseI1BLb0EE10notify_oneB9nqe220108Ev",
            "_ZNKSt3__117__atomic_ref_baseIiE4waitB9nqe220108EiNS_12memory_orderE",
            "_ZNKSt3__117__atomic_ref_baseIiE10notify_allB9nqe220108Ev",
            "_ZNKSt3__117__atomic_ref_baseI1EE10notify_allB9nqe220108Ev",
        ];
        let symbols = symbols.map(String::from);
        // `B` has 16 bytes, and nobody waits through a reference to an `E`.
        let found = waits_by_size(&symbols, |symbol| (!symbol.contains("1B")).then_some(32));
        let by = |at: usize| found.get(&symbols[at]).map(String::as_str);
        assert_eq!(by(0), Some("__selvedge_cpp_wait_4"));
        assert_eq!(by(1), Some("__selvedge_cpp_notify_one"));
        assert_eq!((by(2), by(3)), (None, None));
        assert_eq!(by(4), Some("__selvedge_cpp_wait_at_4"));
        assert_eq!(by(5), Some("__selvedge_cpp_notify_all_at"));
        assert_eq!(by(6), None);
    }
}
