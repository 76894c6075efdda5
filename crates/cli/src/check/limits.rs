//! Limits of time and memory for a whole run.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

struct Limits {
    deadline: Option<Instant>,
    seconds: Option<f64>,
    megabytes: Option<u64>,
}

static LIMITS: OnceLock<Limits> = OnceLock::new();

/// Starts the clock.
pub fn set(seconds: Option<f64>, megabytes: Option<u64>) {
    let deadline = seconds.and_then(|s| Some(Instant::now() + Duration::try_from_secs_f64(s).ok()?));
    let _ = LIMITS.set(Limits { deadline, seconds, megabytes });
}

/// The limit that is reached, if one is.
pub fn reached() -> Option<String> {
    let limits = LIMITS.get()?;
    if limits.deadline.is_some_and(|d| Instant::now() >= d) {
        return Some(format!("the time limit of {} s is reached", limits.seconds.unwrap_or_default()));
    }
    let most = limits.megabytes?;
    (peak_kib() / 1024 > most).then(|| format!("the memory limit of {most} MB is reached"))
}

/// The largest amount of memory that this process ever had, in KiB.
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
