//! Another tool, run on the same sources in the same run. `SELVEDGE_PEER` is its command line, in which
//! `{model}`, `{flags}`, `{file}` and `{n}` stand for what they say; the shell takes it apart.

use crate::command::timed;
use std::process::Command;

pub struct Peer {
    line: String,
}

impl Peer {
    pub fn from_environment() -> Option<Peer> {
        std::env::var("SELVEDGE_PEER").ok().filter(|line| !line.trim().is_empty()).map(|line| Peer { line })
    }

    /// Its processor time; nothing if it does not take the program.
    pub fn seconds(&self, file: &str, model: &str, flags: &str, n: u32) -> Result<Option<f64>, String> {
        let line = self
            .line
            .replace("{model}", model)
            .replace("{flags}", flags)
            .replace("{file}", file)
            .replace("{n}", &n.to_string());
        let (out, seconds, _) = timed(Command::new("sh").args(["-c", &line]))?;
        if out.status.success() {
            return Ok(Some(seconds.max(0.01)));
        }
        eprintln!("`{line}`: {}", String::from_utf8_lossy(&out.stderr).trim());
        Ok(None)
    }
}
