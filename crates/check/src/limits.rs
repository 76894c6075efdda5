//! Limits of one check, and how to end it from outside.

use selvedge_explore::{GaveUp, Watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ends what it was given to. Clones are the same token.
///
/// ```
/// let cancel = selvedge_check::Cancel::default();
/// let other = cancel.clone();
/// std::thread::spawn(move || other.cancel()).join().unwrap();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that is set by whoever sets the flag, as signal handlers do.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Cancel {
        Cancel(flag)
    }

    /// Asks for the end. What was found so far is reported.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How much a check may take.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Limits {
    /// Seconds, from the start of the check.
    pub seconds: Option<f64>,
    /// Megabytes that the process may have, whatever it does besides; the compiler has as many for itself.
    pub megabytes: Option<u64>,
}

impl Limits {
    /// Starts the clock: a watch that tells when one of them is reached, or the end is asked for.
    pub fn start(self, cancel: &Cancel) -> Watch {
        let Limits { seconds, megabytes } = self;
        // A limit that no clock reaches is none.
        let deadline = seconds.and_then(|s| Instant::now().checked_add(Duration::try_from_secs_f64(s).ok()?));
        let cancel = cancel.clone();
        Watch::new(move || {
            if cancel.is_cancelled() {
                return Some(GaveUp::Interrupted);
            }
            if deadline.is_some_and(|d| Instant::now() >= d) {
                return Some(GaveUp::Time(seconds.unwrap_or_default()));
            }
            let most = megabytes?;
            (peak_kib() / 1024 > most).then_some(GaveUp::Memory(most))
        })
    }

    /// The limit of memory.
    pub fn most_bytes(self) -> Option<u64> {
        Some(self.megabytes?.saturating_mul(1 << 20))
    }

    /// What is said where there is not enough memory.
    pub fn out_of_memory(self) -> GaveUp {
        self.megabytes.map_or(GaveUp::OutOfMemory, GaveUp::Memory)
    }
}

/// The largest amount of memory that this process ever had, in KiB.
pub fn peak_kib() -> u64 {
    line_of("self", "VmHWM:")
}

/// A line of what the system says of a process's memory, in KiB; 0 if it says nothing.
pub fn line_of(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(name));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
