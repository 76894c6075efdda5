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
    // A limit that no clock reaches is none.
    let deadline = seconds.and_then(|s| Instant::now().checked_add(Duration::try_from_secs_f64(s).ok()?));
    let _ = LIMITS.set(Limits { deadline, seconds, megabytes });
}

/// A limit of time: seconds, from 0 on.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        _ => Err(String::from("not a number of seconds")),
    }
}

/// The limit that is reached, if one is.
pub fn reached() -> Option<String> {
    let limits = LIMITS.get()?;
    if limits.deadline.is_some_and(|d| Instant::now() >= d) {
        return Some(format!("the time limit of {} s is reached", limits.seconds.unwrap_or_default()));
    }
    let most = limits.megabytes?;
    (peak_kib() / 1024 > most).then(out_of_memory)
}

/// What is said where there is not enough memory.
pub fn out_of_memory() -> String {
    match LIMITS.get().and_then(|limits| limits.megabytes) {
        Some(most) => format!("the memory limit of {most} MB is reached"),
        None => String::from("there is no more memory"),
    }
}

/// The limit of memory.
pub fn most_bytes() -> Option<u64> {
    Some(LIMITS.get()?.megabytes?.saturating_mul(1 << 20))
}

/// The memory that this process has now.
pub fn used_bytes() -> u64 {
    line_of("self", "VmRSS:") << 10
}

/// The most memory that another process had.
pub fn bytes_of(process: u32) -> u64 {
    line_of(&process.to_string(), "VmHWM:") << 10
}

pub use selvedge_system::children_bytes;

/// The largest amount of memory that this process ever had, in KiB.
pub fn peak_kib() -> u64 {
    line_of("self", "VmHWM:")
}

fn line_of(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(name));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
