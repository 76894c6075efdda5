//! Explorations that are interrupted and go on later: `--checkpoint` and `--resume`.
//!
//! The first line of the file says what it is, whose it is and a checksum of the rest, which is JSON, or
//! nothing if nothing was explored yet: a run takes hold of its file before it starts (`owned`).

use crate::error::{InputError, InputKind};
use crate::finder::{AfterCrashes, Finder, Found, Passed, Printed};
use crate::observer::Observer;
use crate::owned::{Owned, Refusal, open_regular};
use crate::violation::Violation;
use selvedge_explore::{Config, Path as Decisions, Saved, Snapshot};
use selvedge_vm::SavedTables;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MAGIC: &str = "selvedge-checkpoint";
/// Of the file. What the steps of a path mean has a number of its own ([`selvedge_explore::FORMAT`]).
const FORMAT: u32 = 6;

/// What an exploration is about. It goes on only if all of it is the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    parts: Vec<(&'static str, u64)>,
}

impl Identity {
    /// Of the texts that make up the program, the model and the options.
    pub fn new(program: &str, model: &str, options: &str) -> Identity {
        let of = |text: &str| checksum(text.as_bytes());
        let parts = vec![
            ("version", selvedge_explore::FORMAT as u64),
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

    /// A whole file.
    fn text(&self, body: &str) -> String {
        let end = if body.is_empty() { "" } else { "\n" };
        format!("{}\n{body}{end}", self.header(body))
    }
}

/// FNV-1a. It finds damage, not malice.
fn checksum(bytes: &[u8]) -> u64 {
    let add = |sum: u64, byte: &u8| (sum ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}

/// The rest of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Body {
    /// Of all runs so far.
    seconds: f64,
    /// Threads that there is room for.
    room: u32,
    machine: SavedTables,
    exploration: Saved,
    found: Vec<SavedFound>,
    /// Path and text of the first complete execution.
    printed: Option<(Decisions, String)>,
    /// Errors that are not looked for.
    passed: Vec<Passed>,
    /// What recovery came to.
    #[serde(default)]
    after_crashes: AfterCrashes,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedFound {
    path: Decisions,
    violation: Violation,
    output: Option<String>,
}

/// Where an exploration stood.
pub struct Left {
    pub seconds: f64,
    pub room: u32,
    pub machine: SavedTables,
    pub exploration: Saved,
    pub visitor: Finder,
}

/// Writes checkpoints of one run.
pub struct Writer {
    /// As it was named.
    path: PathBuf,
    file: Option<Owned>,
    identity: Identity,
    /// There is nothing in the file to go on with.
    empty: bool,
    /// A checkpoint could not be written, which is said once.
    failed: bool,
    every: Duration,
    next: Instant,
    begin: Instant,
    /// Of the runs before this one.
    seconds: f64,
}

impl Writer {
    /// Takes hold of the file. Only a file that a run like this one wrote may be there, and what is in it is
    /// only lost if the run goes on from it: that is where `resumed` is the same file.
    pub fn new(
        path: &Path,
        identity: Identity,
        every: f64,
        seconds: f64,
        resumed: Option<&Path>,
    ) -> Result<Writer, InputError> {
        let every = Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX);
        let begin = Instant::now();
        let (file, is_new) = Owned::take(path, identity.text("").as_bytes()).map_err(|why| match why {
            Refusal::Locked => {
                let why = "another run writes its checkpoints there";
                refuse("write", path, why, "give another name")
            }
            Refusal::Io(e) => refuse("write", path, &e.to_string(), ANOTHER),
        })?;
        let mut empty = true;
        if !is_new {
            let read = |most| file.read(most).map_err(|e| refuse("write", path, &e.to_string(), ANOTHER));
            // Other files may be of any size.
            if read(MAGIC.len() as u64)? != MAGIC.as_bytes() {
                return Err(refuse("write", path, NOT_ONE, ANOTHER));
            }
            let contents = read(u64::MAX)?;
            let contents = String::from_utf8_lossy(&contents);
            let body = belongs(&contents, &identity).map_err(|why| refuse("write", path, why, ANOTHER))?;
            empty = body.is_empty();
            let same = |other: &Path| std::fs::canonicalize(other).ok() == std::fs::canonicalize(path).ok();
            if !empty && !resumed.is_some_and(same) {
                let why = "a run like this one, which did not come to its end, left a checkpoint there";
                let help = format!("--resume {} goes on from it; or give another name", path.display());
                return Err(refuse("write", path, why, &help));
            }
        }
        let path = path.to_path_buf();
        let mut writer = Writer {
            path,
            file: Some(file),
            identity,
            empty,
            failed: false,
            every,
            next: begin,
            begin,
            seconds,
        };
        writer.wait();
        Ok(writer)
    }

    fn wait(&mut self) {
        let now = Instant::now();
        self.next = now.checked_add(self.every).unwrap_or(now + Duration::from_secs(1 << 30));
    }

    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Writes a checkpoint. If it cannot be written, the exploration goes on without.
    pub fn write(
        &mut self,
        snapshot: &Snapshot<Finder>,
        config: &Config,
        room: u32,
        machine: SavedTables,
        observer: &mut dyn Observer,
    ) {
        let found = snapshot.visitor.found().iter().map(|found| SavedFound {
            path: found.path.clone(),
            violation: found.violation.clone(),
            output: found.output.clone(),
        });
        let printed = snapshot.visitor.printed();
        let body = Body {
            seconds: self.seconds + self.begin.elapsed().as_secs_f64(),
            room,
            machine,
            exploration: Saved::new(snapshot, config),
            found: found.collect(),
            printed: printed.map(|printed| (printed.path.clone(), printed.text.clone())),
            passed: snapshot.visitor.passed().iter().cloned().collect(),
            after_crashes: snapshot.visitor.after_crashes().clone(),
        };
        self.wait();
        let written = serde_json::to_string(&body).map_err(std::io::Error::from).and_then(|body| {
            let file = self.file.as_mut().ok_or(std::io::ErrorKind::NotFound)?;
            file.replace(self.identity.text(&body).as_bytes())
        });
        match written {
            Ok(()) => self.empty = false,
            Err(_) if self.failed => {}
            Err(e) => {
                self.failed = true;
                let path = self.path.display();
                observer.warning(&format!("cannot write the checkpoint {path}: {e}; going on without"));
            }
        }
    }

    /// The exploration is finished: there is nothing to go on with.
    pub fn remove(mut self) {
        self.empty = true;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(file) = self.file.take().filter(|_| self.empty) {
            file.remove();
        }
    }
}

const ANOTHER: &str = "give a file that does not exist yet, or one that --checkpoint wrote";

fn refuse(what: &str, path: &Path, why: &str, help: &str) -> InputError {
    let message = match what {
        "write" => format!("cannot write checkpoints to {}: {why}", path.display()),
        _ => format!("cannot resume from {}: {why}", path.display()),
    };
    InputError::plain(InputKind::Checkpoint, message, Some(help))
}

const NOT_ONE: &str = "it is not a checkpoint";

/// The rest of a checkpoint after its first line, if it is whole and belongs to this exploration.
fn belongs<'t>(text: &'t str, identity: &Identity) -> Result<&'t str, &'static str> {
    let (header, body) = text.split_once('\n').unwrap_or((text, ""));
    let body = body.strip_suffix('\n').unwrap_or(body);
    let mut words = header.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(NOT_ONE);
    }
    if words.next().and_then(|n| n.parse().ok()) != Some(FORMAT) {
        return Err("it was written by another version of selvedge");
    }
    let sums: Vec<(&str, Option<u64>)> = words
        .map(|word| {
            let (name, sum) = word.split_once('=').unwrap_or((word, ""));
            (name, u64::from_str_radix(sum, 16).ok())
        })
        .collect();
    let is = |name: &str, sum: u64| sums.contains(&(name, Some(sum)));
    if !is("body", checksum(body.as_bytes())) {
        return Err("the file is damaged");
    }
    match identity.parts.iter().find(|(name, sum)| !is(name, *sum)) {
        None => Ok(body),
        Some(("version", _)) => Err("it was written by another version of selvedge"),
        Some(("program", _)) => Err("it is of another program, or the program has changed"),
        Some(("model", _)) => Err("it is of another model"),
        Some(_) => Err("it was written with other options"),
    }
}

/// Whether the file is a checkpoint of this exploration.
pub fn is_of(path: &Path, identity: &Identity) -> bool {
    let mut text = Vec::new();
    let whole = open_regular(path).and_then(|mut file| {
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut text)?;
        // Other files may be of any size.
        if text == MAGIC.as_bytes() { file.read_to_end(&mut text) } else { Ok(0) }
    });
    whole.is_ok() && belongs(&String::from_utf8_lossy(&text), identity).is_ok()
}

/// Reads a checkpoint and makes sure that it belongs to this exploration; nothing if that had not begun.
pub fn read(path: &Path, identity: &Identity, fresh: &Finder) -> Result<Option<Left>, InputError> {
    let restart = "run without --resume to start from the beginning";
    let give = "give a file that --checkpoint wrote";
    let unreadable = |e: std::io::Error| refuse("resume", path, &e.to_string(), give);
    let mut file = open_regular(path).map_err(unreadable)?;
    let mut text = Vec::new();
    // Other files may be of any size.
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut text).map_err(unreadable)?;
    if text != MAGIC.as_bytes() {
        return Err(refuse("resume", path, NOT_ONE, give));
    }
    file.read_to_end(&mut text).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&text);
    let help = |why| if why == NOT_ONE { give } else { restart };
    let body = belongs(&text, identity).map_err(|why| refuse("resume", path, why, help(why)))?;
    if body.is_empty() {
        return Ok(None);
    }
    let damaged = || refuse("resume", path, "the file is damaged", restart);
    let body: Body = serde_json::from_str(body).map_err(|_| damaged())?;
    Ok(Some(left(body, fresh)))
}

fn left(body: Body, fresh: &Finder) -> Left {
    let Body { seconds, room, machine, exploration, found, printed, passed, after_crashes } = body;
    let mut visitor = fresh.clone();
    visitor.pass(passed);
    visitor.add_crashes(after_crashes);
    for SavedFound { path, violation, output } in found {
        visitor.add(Found { path, violation, output });
    }
    if let Some((path, text)) = printed {
        visitor.print(Printed { path, text });
    }
    Left { seconds, room, machine, exploration, visitor }
}
