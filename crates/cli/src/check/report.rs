//! An outcome in the words of the report, which is text or JSON.

use crate::dot::{in_library, is_journal};
use selvedge_check::{
    Action, Call, Crash, Event, Missing, Outcome, Place, Point, Telling, Tellings, Verdict, Violation,
    Witness, peak_kib,
};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The outcome of one check, as `--format json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub verdict: Verdict,
    pub model: String,
    pub executions: u64,
    pub blocked: u64,
    /// The persistency model, and how many ways there are for recovery to read what is durable: with
    /// `--persist`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_crash_states: Option<u64>,
    /// Events that were added on the way.
    pub events: u64,
    /// Executions that differ only in which of up to so many threads does what count once.
    #[serde(rename = "symmetric_threads", skip_serializing_if = "Option::is_none")]
    pub alike: Option<u32>,
    pub seconds: f64,
    pub max_rss_kb: u64,
    /// Under a model that follows dependencies: why the slower way was taken (`docs/dependencies.md`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_off: Option<String>,
    pub bounded_loops: Vec<CutLoop>,
    pub errors: Vec<Finding>,
    pub warnings: Vec<String>,
    /// Why the error is possible under this model and not under SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What the program prints: with `--show-output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CutLoop {
    pub file: String,
    pub line: u32,
    pub bound: u32,
}

/// Something that is wrong with the program, and the execution that shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// A stable name in kebab case; `docs/check.md` lists them.
    pub kind: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    pub thread: Option<String>,
    /// The steps that matter.
    pub points: Vec<Spot>,
    /// What would have forbidden it, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Lacking>,
    pub trace: Vec<Step>,
    /// So many steps are not in it, as there are many and only one thread has to do with them.
    #[serde(skip)]
    pub left_out: usize,
    /// Whether the steps can be read as an interleaving.
    pub interleaving: bool,
    /// What a crash left, and what recovery made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashReport>,
    /// Names of the threads, for the columns of the trace.
    #[serde(skip)]
    pub threads: Vec<String>,
    /// The execution itself.
    pub witness: Witness,
}

/// What a crash left, and what recovery made of it.
#[derive(Clone, Debug, Serialize)]
pub struct CrashReport {
    /// The durable writes of the witness, by number: whether each had persisted.
    pub writes: Vec<DurableWrite>,
    pub recovery: Vec<selvedge_check::CrashStep>,
    /// What would rule this out, if one thing alone does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<selvedge_check::Remedy>,
    /// The same in words.
    #[serde(skip)]
    pub told: Vec<(String, String)>,
    #[serde(skip)]
    pub advice: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct DurableWrite {
    pub event: usize,
    pub persisted: bool,
}

impl CrashReport {
    fn of(crash: &Crash, witness: &Witness) -> CrashReport {
        let of = |event: &usize, persisted| DurableWrite { event: *event, persisted };
        let persisted = crash.persisted.iter().map(|event| of(event, true));
        let mut writes: Vec<DurableWrite> =
            persisted.chain(crash.lost.iter().map(|event| of(event, false))).collect();
        writes.sort_by_key(|write| write.event);
        let files = witness.files();
        let at = |event: &usize| {
            let place = witness.event(*event).and_then(|e| e.place.as_ref());
            place.map_or(String::from("a write"), |place| files.at(place))
        };
        let several = crash.steps.iter().any(|step| step.crash > 1);
        let told = crash.steps.iter().map(|step| {
            let when = if several { format!("[crash {}] ", step.crash) } else { String::new() };
            let place = step.place.as_ref().map_or(String::new(), |place| format!("{}: ", files.at(place)));
            let verb = if step.writes { "writes" } else { "reads" };
            let what = format!("{when}{place}{verb} {} = {}", step.location, step.value);
            let from = match (step.writes, &step.from) {
                (true, _) => String::new(),
                (false, Some(event)) => format!(" <- {}", at(event)),
                (false, None) => String::from(" <- initial value"),
            };
            let missing: Vec<String> = step.missing.iter().map(at).collect();
            let lost =
                if missing.is_empty() { String::new() } else { format!("lost: {}", missing.join(", ")) };
            (format!("{what}{from}"), lost)
        });
        let told = told.collect();
        let advice = crash
            .remedy
            .as_ref()
            .map(|remedy| format!("Adding {} after {} removes this.", remedy.what, files.at(&remedy.place)));
        CrashReport { writes, recovery: crash.steps.clone(), remedy: crash.remedy.clone(), told, advice }
    }
}

/// A step that matters, with the calls that led to it.
#[derive(Clone, Debug, Serialize)]
pub struct Spot {
    /// Nothing where the message says it.
    pub what: Option<String>,
    /// Number of the event in the witness, if it is one.
    pub event: Option<usize>,
    pub thread: Option<String>,
    pub file: String,
    pub line: u32,
    /// The innermost first; nothing if there is only one.
    pub stack: Vec<Call>,
    /// The same in words: `f`, `g at q.c:12`.
    #[serde(skip)]
    pub calls: Vec<String>,
}

/// What is missing, in words and by numbers of events.
#[derive(Clone, Debug, Serialize)]
pub struct Lacking {
    pub message: String,
    #[serde(flatten)]
    pub what: Missing,
}

/// An event in words.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Number of the thread, and its name.
    pub thread: u16,
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub action: String,
    /// For a read: where the value came from.
    pub from: Option<String>,
    /// This read does not see the latest write of the steps before it.
    pub stale: bool,
    /// The place, and where the value came from, in few words.
    #[serde(skip)]
    pub at: Option<String>,
    #[serde(skip)]
    pub source: Option<String>,
}

impl Report {
    /// `model` is what the user calls the model.
    pub fn of(outcome: Outcome, model: &str) -> Report {
        let bounded_loops = outcome.bounds.into_iter().map(|bound| CutLoop {
            file: bound.place.file,
            line: bound.place.line,
            bound: bound.iterations,
        });
        let first = outcome.violations.first();
        let marked = first.is_some_and(|violation| !violation.witness.interleaving);
        let told = first.is_some_and(|violation| violation.missing.is_some());
        let why = outcome.comparison.map(|sc| {
            let executions = if sc.executions == 1 { "execution" } else { "executions" };
            let marked = if marked { "; the reads marked above see older writes" } else { "" };
            let look = if told { "" } else { " Look for a missing release or acquire." };
            format!(
                "Why: this needs weak memory. Under sc the program does not fail like this ({} {executions}); \
                 under {model} it does{marked}.{look}",
                sc.executions
            )
        });
        Report {
            verdict: outcome.verdict,
            model: outcome.model,
            executions: outcome.stats.complete,
            blocked: outcome.stats.blocked,
            persist: outcome.post_crash.as_ref().map(|post| post.model.clone()),
            post_crash_states: outcome.post_crash.as_ref().map(|post| post.states),
            events: outcome.stats.events,
            alike: outcome.symmetric_threads,
            seconds: outcome.seconds,
            max_rss_kb: peak_kib(),
            bounded_loops: bounded_loops.collect(),
            errors: outcome.violations.into_iter().map(Finding::of).collect(),
            put_off: outcome.stats.put_off.map(|why| why.to_string()),
            warnings: outcome.warnings.iter().map(ToString::to_string).collect(),
            why,
            unknown: outcome.undecided.map(|why| why.to_string()),
            output: outcome.output,
        }
    }
}

impl Finding {
    fn of(violation: Violation) -> Finding {
        let message = violation.message();
        let points = violation.points().into_iter().filter_map(|point| Spot::of(&violation.witness, point));
        let points: Vec<Spot> = points.collect();
        let missing: Option<Lacking> = violation
            .missing
            .clone()
            .and_then(|what| violation.witness.missing(&what).map(|message| Lacking { message, what }));
        let crash = violation.crash.as_ref().map(|crash| CrashReport::of(crash, &violation.witness));
        let Violation { name: kind, place, thread, witness, crash: left, .. } = violation;
        let fate = |number: usize| match &left {
            Some(left) if left.persisted.contains(&number) => " [persisted]",
            Some(left) if left.lost.contains(&number) => " [lost]",
            _ => "",
        };
        let files = witness.files();
        let place_of = |place: &Place, word: &str| {
            if files.are_several() { files.at(place) } else { format!("{word}{}", place.line) }
        };
        let source_of = |event: &Event| {
            let Action::Read { from, .. } = event.action else { return None };
            let Some(write) = witness.event(from) else { return Some(String::from("initial value")) };
            let own = write.thread == event.thread;
            let place = write.place.as_ref().map(|place| place_of(place, "line "));
            let thread = (!own || place.is_none()).then(|| witness.thread(write.thread).to_string());
            Some([thread, place].into_iter().flatten().collect::<Vec<_>>().join(", "))
        };
        // Which way an input leads shows in what comes after.
        // What the library does for files is known by what becomes durable.
        let files_are_used = left.as_ref().is_some_and(|left| {
            let durable = left.persisted.iter().chain(&left.lost);
            durable.filter_map(|number| witness.event(*number)).any(|event| in_library(&event.action))
        });
        let private = Private::of(&witness);
        // What a crash decides on is told in any case.
        let is_private = |event: &Event| private.has(event) && fate(event.number).is_empty();
        let shown = |event: &&Event| match &event.action {
            _ if is_private(event) => false,
            Action::Choose { by_input, .. } => !by_input,
            Action::Read { location, .. } if is_section(location) => false,
            Action::Persist { .. } | Action::Create { .. } | Action::Join { .. } => true,
            action if files_are_used => !fate(event.number).is_empty() && !is_journal(action),
            _ => true,
        };
        // What the report speaks of is told as it is.
        let mut whole: Vec<usize> = points.iter().filter_map(|spot| spot.event).collect();
        whole.extend(missing.iter().flat_map(|lacking| lacking.what.events()));
        let tellings = Tellings::of(&witness, &whole);
        let shown = |event: &&Event| {
            let is_silent = *tellings.get(event) == Telling::Nothing && fate(event.number).is_empty();
            shown(event) && !is_silent
        };
        // What a call of the library finds that its own thread has left, or nobody has touched, is of no
        // interest.
        let is_told_of = |event: &Event| {
            let Action::Read { from, .. } = event.action else { return true };
            let of_other = witness.event(from).is_some_and(|write| write.thread != event.thread);
            of_other || !matches!(tellings.get(event), Telling::Words(_))
        };
        let trace = witness.events.iter().filter(shown).map(|event| Step {
            thread: event.thread,
            name: witness.thread(event.thread).to_string(),
            file: event.place.as_ref().map(|place| place.file.clone()),
            line: event.place.as_ref().map(|place| place.line),
            action: match section(&event.action) {
                Some(text) => text.to_string(),
                None => match tellings.get(event) {
                    Telling::Words(words) => format!("{words}{}", fate(event.number)),
                    _ => format!("{}{}", witness.action(event), fate(event.number)),
                },
            },
            from: witness.source_in(&files, event).filter(|_| is_told_of(event)),
            stale: matches!(event.action, Action::Read { stale: true, .. }),
            at: event.place.as_ref().map(|place| match event.caller() {
                Some(from) => format!("{} < {}", place_of(place, ""), place_of(from, "")),
                None => place_of(place, ""),
            }),
            source: source_of(event).filter(|_| is_told_of(event)),
        });
        Finding {
            kind,
            message,
            file: place.as_ref().map(|place| place.file.clone()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column).filter(|column| *column > 0),
            thread: thread.map(|t| witness.thread(t).to_string()),
            points,
            missing,
            trace: trace.collect(),
            left_out: witness.events.iter().filter(|event| is_private(event)).count(),
            interleaving: witness.interleaving,
            crash,
            threads: witness.threads.iter().map(|thread| thread.name.clone()).collect(),
            witness,
        }
    }
}

/// Whether a location is the lock that stands for atomic sections.
fn is_section(location: &str) -> bool {
    location.starts_with("__selvedge_atomic_section")
}

/// What is done about an atomic section, in words of the program.
fn section(action: &Action) -> Option<&'static str> {
    match action {
        Action::Write { location, rmw, .. } if is_section(location) => {
            Some(if *rmw { "begins an atomic section" } else { "ends an atomic section" })
        }
        _ => None,
    }
}

impl Spot {
    fn of(witness: &Witness, point: Point) -> Option<Spot> {
        let place = point.place?;
        // What the library does inside is known by where it is called.
        let of_library = point.stack.iter().take_while(|call| call.place.is_none()).count();
        let calls = if point.stack.len() > of_library + 1 { &point.stack[of_library..] } else { &[] };
        let call = |(at, call): (usize, &Call)| match call.place.as_ref().filter(|_| at > 0) {
            Some(place) => format!("{} at {}", call.function, witness.at(place)),
            None => call.function.clone(),
        };
        Some(Spot {
            what: point.what,
            event: point.event,
            thread: point.thread.map(|thread| witness.thread(thread).to_string()),
            file: place.file,
            line: place.line,
            calls: calls.iter().enumerate().map(call).collect(),
            stack: point.stack,
        })
    }
}

/// Executions with more steps than this are not told whole.
const MANY: usize = 60;
/// The same of one thread alone, where little would be left.
const MANY_OF_ONE: usize = 150;

/// What only one thread has to do with, in an execution that is too long to tell: its variables, and accesses
/// of what no other thread accesses; and what Rust's library does to create threads. But for the last step
/// of each thread, which is where things go wrong.
struct Private<'w> {
    /// Who accesses a location; nobody in particular if there are several.
    users: HashMap<&'w str, Option<u16>>,
    /// How many steps each thread has.
    ends: HashMap<u16, u32>,
    /// Objects by which Rust's library creates threads and lets them end.
    machinery: HashSet<&'w str>,
    is_long: bool,
}

/// The object that a location is in.
fn object_of(location: &str) -> &str {
    let end = ["->", "[", "+"].iter().filter_map(|sign| location.find(sign)).min();
    &location[..end.unwrap_or(location.len())]
}

/// Whether it is a variable of a function of Rust's or C++'s library, or one that Rust's counts panics with.
fn is_inner(name: &str) -> bool {
    const LIBRARIES: [&str; 7] =
        ["std::", "core::", "alloc::", "__rustc::", "panic_unwind::", "__selvedge", "__gnu_cxx::"];
    let of = name.strip_prefix("a variable of ").map(|rest| rest.trim_start_matches('<'));
    of.is_some_and(|of| LIBRARIES.iter().any(|library| of.starts_with(library)))
        || name.starts_with("std::panicking::")
}

/// What Rust's library keeps of threads has names of its own; what else it makes for them on the heap is only
/// touched by the library itself, and where a thread is created.
fn machinery(witness: &Witness) -> HashSet<&str> {
    let line = |event: &'_ Event| event.place.as_ref().map(|place| (place.file.clone(), place.line));
    let creates = |event: &&Event| matches!(event.action, Action::Create { .. });
    let created: HashSet<_> = witness.events.iter().filter(creates).filter_map(line).collect();
    let mut objects: HashMap<&str, bool> = HashMap::new();
    for event in &witness.events {
        let Some(location) = accessed(&event.action) else { continue };
        let object = object_of(location);
        let in_library = event.place.as_ref().is_none_or(|place| place.file.starts_with("<rust>/"));
        let by_library = in_library || line(event).is_some_and(|line| created.contains(&line));
        *objects.entry(object).or_insert(true) &= by_library;
    }
    let is_of_library = |(object, by_library): &(&str, bool)| {
        object.contains("std::thread::") || (*by_library && object.starts_with("heap#"))
    };
    objects.into_iter().filter(is_of_library).map(|(object, _)| object).collect()
}

/// The location, or the object, that a step has to do with.
fn accessed(action: &Action) -> Option<&str> {
    match action {
        Action::Read { location, .. } | Action::Write { location, .. } => Some(location),
        Action::Allocate { name, .. } | Action::Free { name, .. } => name.as_deref(),
        _ => None,
    }
}

impl<'w> Private<'w> {
    fn of(witness: &'w Witness) -> Private<'w> {
        let mut users: HashMap<&str, Option<u16>> = HashMap::new();
        let mut ends: HashMap<u16, u32> = HashMap::new();
        for event in &witness.events {
            let end = ends.entry(event.thread).or_default();
            *end = event.index.max(*end);
            if let Action::Read { location, .. } | Action::Write { location, .. } = &event.action {
                let user = Some(event.thread);
                let of_all = users.entry(location).or_insert(user);
                if *of_all != user {
                    *of_all = None;
                }
            }
        }
        let is_long = witness.events.len() > if ends.len() > 1 { MANY } else { MANY_OF_ONE };
        let machinery = if is_long { machinery(witness) } else { HashSet::new() };
        Private { users, ends, machinery, is_long }
    }

    fn has(&self, event: &Event) -> bool {
        let of_library = || accessed(&event.action).is_some_and(|at| self.machinery.contains(object_of(at)));
        let is_stale = matches!(event.action, Action::Read { stale: true, .. });
        if self.ends.get(&event.thread) == Some(&event.index) || is_stale {
            return false;
        }
        if !self.is_long {
            // What functions of the library keep for themselves says nothing to anybody.
            let name = accessed(&event.action).filter(|name| is_inner(name));
            let alone = |name| self.users.get(name).is_none_or(|user| *user == Some(event.thread));
            return name.is_some_and(alone);
        }
        of_library()
            || match &event.action {
                Action::Read { location, .. } | Action::Write { location, .. } => {
                    self.users.get(location.as_str()) == Some(&Some(event.thread))
                }
                Action::Allocate { local, .. } | Action::Free { local, .. } => *local,
                _ => false,
            }
    }
}
