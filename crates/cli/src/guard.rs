//! Limits and signals hold in every phase of a run.
//!
//! Explorations ask for themselves whether they have to stop, and report how far they came. Everything else
//! (models, compilers, drawings) runs to its end, however far that is. So a thread of its own watches: where
//! a phase does not ask, or does not listen, it reports that there is no verdict and ends the process.
//! Children end with it: they watch a pipe that closes then (`selvedge-lower`), or the system ends them.

use crate::error::Exit;
use crate::{interrupt, output};
use selvedge_allocate as allocate;
use selvedge_check::{Cancel, Limits, line_of};
use selvedge_explore::{GaveUp, Watch};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Phase {
    Model,
    Reading,
    Compiling,
    Preparing,
    Estimating,
    Exploring,
    Reporting,
    Drawing,
}

const PHASES: [(Phase, &str); 8] = [
    (Phase::Model, "compiling the model"),
    (Phase::Reading, "reading the test"),
    (Phase::Compiling, "compiling the program"),
    (Phase::Preparing, "preparing the exploration"),
    (Phase::Estimating, "estimating"),
    (Phase::Exploring, "exploring"),
    (Phase::Reporting, "reporting"),
    (Phase::Drawing, "drawing"),
];

impl Phase {
    /// Phases that ask for themselves get some time to come to an end.
    fn asks(self) -> bool {
        matches!(self, Phase::Reading | Phase::Estimating | Phase::Exploring) || self.is_reported()
    }

    /// The report is out, or on its way.
    fn is_reported(self) -> bool {
        matches!(self, Phase::Reporting | Phase::Drawing)
    }
}

/// How often it is looked.
const TICK: Duration = Duration::from_millis(10);
/// How long an exploration may take to notice that it has to stop; and with a checkpoint or a report to
/// write.
const PATIENCE: Duration = Duration::from_secs(1);
const LONG_PATIENCE: Duration = Duration::from_secs(15);
/// What memory an exploration may take on its way to the end, in bytes.
const SLACK: u64 = 64 << 20;
/// Kept for the report, in bytes.
const RESERVE: usize = 1 << 20;

static PHASE: AtomicU8 = AtomicU8::new(Phase::Model as u8);
/// Changes of the phase: a new one has all its time before it.
static CHANGES: AtomicU32 = AtomicU32::new(0);
/// Whoever sets it says how the run ended.
static ENDED: AtomicBool = AtomicBool::new(false);
/// The process that lowers the program; 0 if there is none.
static CHILD: AtomicU32 = AtomicU32::new(0);
static REPORT: OnceLock<Guarded> = OnceLock::new();
static ROOM: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Guarded {
    /// Says that there is no verdict, and why.
    tell: Box<dyn Fn(&str) + Send + Sync>,
    patience: Duration,
    limits: Limits,
    watch: Watch,
}

/// Watches over the process from now on. `tell` reports that there is no verdict. Returns what ends a check
/// when the process is asked to end.
pub fn start(has_checkpoint: bool, limits: Limits, tell: impl Fn(&str) + Send + Sync + 'static) -> Cancel {
    let cancel = interrupt::listen();
    let patience = if has_checkpoint { LONG_PATIENCE } else { PATIENCE };
    let watch = limits.start(&cancel);
    if REPORT.set(Guarded { tell: Box::new(tell), patience, limits, watch }).is_err() {
        return cancel;
    }
    *ROOM.lock().unwrap_or_else(PoisonError::into_inner) = vec![1; RESERVE];
    let watching = std::thread::Builder::new().name(String::from("guard")).spawn(keep_watch);
    if watching.is_ok() {
        allocate::guard(limits.most_bytes());
    }
    cancel
}

fn limits() -> Limits {
    REPORT.get().map(|report| report.limits).unwrap_or_default()
}

/// Why no more is to be done.
pub fn reason_to_stop() -> Option<GaveUp> {
    REPORT.get().and_then(|report| report.watch.reason())
}

/// What explorations are to ask.
pub fn watch() -> Watch {
    Watch::new(reason_to_stop)
}

/// The next phase begins.
pub fn enter(phase: Phase) {
    PHASE.store(phase as u8, Ordering::Relaxed);
    CHANGES.fetch_add(1, Ordering::Relaxed);
    if !phase.asks()
        && let Some(why) = reason_to_stop()
    {
        end(&why.to_string());
    }
}

/// The report is made now, and by nobody else.
pub fn claim() {
    if ENDED.swap(true, Ordering::Relaxed) {
        // The other one ends the process.
        loop {
            std::thread::park();
        }
    }
    enter(Phase::Reporting);
}

/// Memory of this process counts as well.
pub fn watch_child(id: u32) {
    CHILD.store(id, Ordering::Relaxed);
}

fn phase() -> (Phase, &'static str) {
    let now = PHASE.load(Ordering::Relaxed);
    PHASES.into_iter().find(|(phase, _)| *phase as u8 == now).unwrap_or(PHASES[0])
}

/// Ends the process: no verdict.
pub fn end(why: &str) -> ! {
    let (phase, doing) = phase();
    let why = format!("{why} while {doing}");
    if phase.is_reported() {
        output::complain(&format!("error: {why}"));
        leave(Exit::BadInput);
    }
    if ENDED.swap(true, Ordering::Relaxed) {
        loop {
            std::thread::park();
        }
    }
    // Whoever waits for memory does not get it; this has to be enough for the report.
    *ROOM.lock().unwrap_or_else(PoisonError::into_inner) = Vec::new();
    match REPORT.get() {
        Some(report) => (report.tell)(&why),
        None => output::complain(&why),
    }
    leave(Exit::Bounded)
}

fn leave(exit: Exit) -> ! {
    std::process::exit(if output::arrived() { exit } else { Exit::BadInput } as i32)
}

fn keep_watch() {
    // The change of phase and the time at which a phase that asks was first seen to have to stop.
    let mut since: Option<(u32, Instant)> = None;
    loop {
        std::thread::sleep(TICK);
        let used = line_of("self", "VmRSS:") << 10;
        allocate::used(used);
        if allocate::refused() {
            end(&limits().out_of_memory().to_string());
        }
        if limits().most_bytes().is_some_and(|most| child_bytes() > most) {
            end(&limits().out_of_memory().to_string());
        }
        let now = phase().0;
        // A reader may take its time.
        let why = if now == Phase::Reporting {
            interrupt::asked().then_some(GaveUp::Interrupted)
        } else {
            reason_to_stop()
        };
        let Some(why) = why else { continue };
        let slack = |most: u64| most.saturating_add(most / 4 + SLACK);
        if !now.asks() || limits().most_bytes().is_some_and(|most| used > slack(most)) {
            end(&why.to_string());
        }
        let change = CHANGES.load(Ordering::Relaxed);
        let begin = match since {
            Some((seen, begin)) if seen == change => begin,
            _ => since.insert((change, Instant::now())).1,
        };
        let patience = REPORT.get().map_or(PATIENCE, |report| report.patience);
        if begin.elapsed() > if now.is_reported() { LONG_PATIENCE } else { patience } {
            end(&why.to_string());
        }
    }
}

/// The memory of the child, and of what it runs itself.
fn child_bytes() -> u64 {
    let child = CHILD.load(Ordering::Relaxed);
    if child == 0 {
        return 0;
    }
    let threads = std::fs::read_dir(format!("/proc/{child}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let below: Vec<u32> = lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect();
    below.into_iter().chain([child]).map(|process| line_of(&process.to_string(), "VmHWM:") << 10).sum()
}
