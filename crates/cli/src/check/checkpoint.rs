//! Explorations that are interrupted and go on later: `--checkpoint` and `--resume`.
//!
//! The first line of the file says what it is, whose it is and a checksum of the rest, which is JSON. A file
//! is written beside the old one and takes its place in one step, so there is a whole one at any time.

use super::explain::Finding;
use super::find::{Finder, Found, Printed};
use crate::error::{ErrorKind, InputError};
use selvedge_explore::{Chains, Path as Decisions, Snapshot, Stats, Twins, Unit};
use selvedge_vm::SavedTables;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MAGIC: &str = "selvedge-checkpoint";
/// Of the format. What the steps of a path mean is part of the program's own version.
const FORMAT: u32 = 3;

/// What an exploration is about. It goes on only if all of it is the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    parts: Vec<(&'static str, u64)>,
}

impl Identity {
    /// Of the texts that make up the program, the model and the options.
    pub fn new(program: &str, model: &str, options: &str) -> Identity {
        // Another build may take other decisions in the same order.
        let version =
            std::env::current_exe().and_then(File::open).and_then(checksum_of_file).unwrap_or_default()
                ^ checksum(env!("CARGO_PKG_VERSION").as_bytes());
        let of = |text: &str| checksum(text.as_bytes());
        let parts = vec![
            ("version", version),
            ("program", of(program)),
            ("model", of(model)),
            ("options", of(options)),
        ];
        Identity { parts }
    }

    fn header(&self, body: &str) -> String {
        let mut line = format!("{MAGIC} {FORMAT}");
        for (name, sum) in self.parts.iter().chain([&("body", checksum(body.as_bytes()))]) {
            line += &format!(" {name}={sum:016x}");
        }
        line
    }
}

/// FNV-1a. It finds damage, not malice.
fn checksum(bytes: &[u8]) -> u64 {
    add_to_checksum(0xcbf2_9ce4_8422_2325, bytes)
}

fn add_to_checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ *byte as u64).wrapping_mul(0x0100_0000_01b3))
}

fn checksum_of_file(mut file: File) -> std::io::Result<u64> {
    let mut sum = checksum(&[]);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(sum),
            n => sum = add_to_checksum(sum, &buffer[..n]),
        }
    }
}

/// The rest of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Body {
    /// Of all runs so far.
    seconds: f64,
    /// Threads that there is room for.
    room: u32,
    machine: SavedTables,
    counts: Counts,
    found: Vec<SavedFound>,
    /// Path and text of the first complete execution.
    printed: Option<(String, String)>,
    units: Vec<String>,
    /// What was known of the locations (`Chains`); nothing if that is not asked any more.
    chains: Option<Vec<u8>>,
    /// The same of threads that do the same (`Twins`).
    twins: Option<(u32, Vec<u8>)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Counts {
    complete: u64,
    blocked: u64,
    cut: u64,
    errors: u64,
    revisits: u64,
    events: u64,
    dropped_rmw: u64,
    aborted: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedFound {
    path: String,
    finding: Finding,
    threads: Vec<String>,
    drawing: Option<String>,
    output: Option<String>,
}

/// Where an exploration stood.
pub struct Saved {
    pub seconds: f64,
    pub room: u32,
    pub machine: SavedTables,
    pub chains: Option<Vec<u8>>,
    pub twins: Option<(u32, Vec<u8>)>,
    pub snapshot: Snapshot<Finder>,
}

/// Writes checkpoints of one run.
pub struct Writer {
    path: PathBuf,
    identity: Identity,
    every: Duration,
    next: Instant,
    begin: Instant,
    /// Of the runs before this one.
    seconds: f64,
    /// What is known of the locations.
    pub chains: Option<Arc<Chains>>,
    /// What is known of threads that do the same.
    pub twins: Option<Arc<Twins>>,
}

impl Writer {
    pub fn new(path: &Path, identity: Identity, every: f64, seconds: f64) -> Writer {
        let every = Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX);
        let begin = Instant::now();
        let path = path.to_path_buf();
        let mut writer =
            Writer { path, identity, every, next: begin, begin, seconds, chains: None, twins: None };
        writer.wait();
        writer
    }

    fn wait(&mut self) {
        let now = Instant::now();
        self.next = now.checked_add(self.every).unwrap_or(now + Duration::from_secs(1 << 30));
    }

    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    pub fn write(
        &mut self,
        snapshot: &Snapshot<Finder>,
        room: u32,
        machine: SavedTables,
    ) -> Result<(), InputError> {
        let Stats { complete, blocked, cut, errors, revisits, events, dropped_rmw, aborted, .. } =
            snapshot.stats;
        let found = snapshot.visitor.found().iter().map(|found| SavedFound {
            path: found.path.to_string(),
            finding: found.finding.clone(),
            threads: found.finding.threads.clone(),
            drawing: found.drawing.clone(),
            output: found.output.clone(),
        });
        let printed = snapshot.visitor.printed();
        let body = Body {
            seconds: self.seconds + self.begin.elapsed().as_secs_f64(),
            room,
            machine,
            counts: Counts { complete, blocked, cut, errors, revisits, events, dropped_rmw, aborted },
            found: found.collect(),
            printed: printed.map(|printed| (printed.path.to_string(), printed.text.clone())),
            units: snapshot.units.iter().map(Unit::to_string).collect(),
            chains: self.chains.as_ref().map(|chains| chains.save()),
            twins: self.twins.as_ref().map(|twins| twins.save()),
        };
        self.wait();
        let failed = |e: &dyn std::fmt::Display| {
            let message = format!("cannot write the checkpoint {}: {e}", self.path.display());
            InputError::plain(ErrorKind::Io, message, None)
        };
        let body = serde_json::to_string(&body).map_err(|e| failed(&e))?;
        let text = format!("{}\n{body}\n", self.identity.header(&body));
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            // The new name must not be on disk before the contents are.
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)
        };
        write().map_err(|e| {
            let _ = std::fs::remove_file(&beside);
            failed(&e)
        })
    }

    /// The exploration is finished: there is nothing to go on with.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Reads a checkpoint and makes sure that it belongs to this exploration.
pub fn read(path: &Path, identity: &Identity, fresh: &Finder) -> Result<Saved, InputError> {
    let refuse = |why: &str, help: &str| {
        let message = format!("cannot resume from {}: {why}", path.display());
        InputError::plain(ErrorKind::Checkpoint, message, Some(help))
    };
    let restart = "run without --resume to start from the beginning";
    let text =
        std::fs::read(path).map_err(|e| refuse(&e.to_string(), "give a file that --checkpoint wrote"))?;
    let text = String::from_utf8_lossy(&text);
    let (header, body) = text.split_once('\n').unwrap_or((&text, ""));
    let body = body.strip_suffix('\n').unwrap_or(body);
    let mut words = header.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(refuse("it is not a checkpoint", "give a file that --checkpoint wrote"));
    }
    if words.next().and_then(|n| n.parse().ok()) != Some(FORMAT) {
        return Err(refuse("it was written by another version of selvedge", restart));
    }
    let sums: Vec<(&str, Option<u64>)> = words
        .map(|word| {
            let (name, sum) = word.split_once('=').unwrap_or((word, ""));
            (name, u64::from_str_radix(sum, 16).ok())
        })
        .collect();
    let is = |name: &str, sum: u64| sums.contains(&(name, Some(sum)));
    if !is("body", checksum(body.as_bytes())) {
        return Err(refuse("the file is damaged", restart));
    }
    for (name, sum) in &identity.parts {
        if !is(name, *sum) {
            let why = match *name {
                "version" => "it was written by another version of selvedge",
                "program" => "it is of another program, or the program has changed",
                "model" => "it is of another model",
                _ => "it was written with other options",
            };
            return Err(refuse(why, restart));
        }
    }
    let damaged = || refuse("the file is damaged", restart);
    let body: Body = serde_json::from_str(body).map_err(|_| damaged())?;
    saved(body, fresh).ok_or_else(damaged)
}

fn saved(mut body: Body, fresh: &Finder) -> Option<Saved> {
    let Counts { complete, blocked, cut, errors, revisits, events, dropped_rmw, aborted } = body.counts;
    let stats =
        Stats { complete, blocked, cut, errors, revisits, events, dropped_rmw, aborted, ..Stats::default() };
    let units: Option<Vec<Unit>> = body.units.iter().map(|text| text.parse().ok()).collect();
    let mut visitor = fresh.clone();
    for SavedFound { path, finding, threads, drawing, output } in std::mem::take(&mut body.found) {
        let path: Decisions = path.parse().ok()?;
        visitor.add(Found { path, finding: Finding { threads, ..finding }, drawing, output });
    }
    if let Some((path, text)) = body.printed.take() {
        visitor.print(Printed { path: path.parse().ok()?, text });
    }
    let snapshot = Snapshot { units: units?, stats, visitor };
    let Body { seconds, room, machine, chains, twins, .. } = body;
    Some(Saved { seconds, room, machine, chains, twins, snapshot })
}
