//! `selvedge check --engine states`.

use super::{columns, refuse, wrap};
use crate::args::{CheckArgs, Format};
use crate::check::arguments::check_of;
use crate::error::{Exit, InputError};
use crate::guard;
use crate::json::result_json;
use crate::output;
use selvedge_check::{
    Cancel, Count, InputKind, Place, Searched, Searching, StateStep, StateViolation, Verdict, peak_kib,
};
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    model: String,
    verdict: Verdict,
    states: usize,
    transitions: usize,
    longest_list: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sc_states: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sc_transitions: Option<usize>,
    races_looked_for: bool,
    /// The same as `violations`, as the other engine has them.
    errors: Vec<Brief>,
    violations: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    notes: Vec<String>,
    seconds: f64,
    max_rss_kb: u64,
}

#[derive(Serialize)]
struct Brief {
    kind: &'static str,
    message: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct Finding {
    kind: &'static str,
    message: String,
    states: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    only_weak: Option<bool>,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    thread: u16,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    /// Operations that are earlier in the program and complete later.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overtakes: Vec<Place>,
}

/// Options that only make sense with the one engine or the other.
pub fn unfitting(args: &CheckArgs, states: bool) -> Option<InputError> {
    let fits = [
        (
            !states && !args.invariant.is_empty() && !args.is_managed(),
            "`--invariant` needs `--engine states`, but for .NET programs",
        ),
        (!states && args.all_steps, "`--all-steps` needs `--engine states`"),
        (!states && args.keep_names, "`--keep-names` needs `--engine states`"),
        (states && args.checkpoint.is_some(), "`--engine states` writes no checkpoints"),
        (states && args.resume.is_some(), "`--engine states` writes no checkpoints"),
        (states && args.leaks, "`--engine states` does not look for leaks"),
        (states && args.show_output, "`--engine states` does not keep what a program prints"),
        (states && (args.dot.is_some() || args.svg.is_some()), "`--engine states` draws no executions"),
    ];
    let (_, message) = fits.into_iter().find(|(wrong, _)| *wrong)?;
    Some(InputError::plain(InputKind::Unsupported, message, None))
}

pub fn main(args: &CheckArgs, cancel: Cancel) -> Exit {
    let format = args.format.format();
    let how = Searching {
        invariants: args.invariant.clone(),
        reduce: !args.all_steps,
        eager: !args.all_steps,
        rename: !args.keep_names,
        most_states: args.max_states,
        ..Searching::default()
    };
    let mut screen = super::Screen::new(args.progress_every);
    let done = check_of(args, cancel).and_then(|check| check.search(&how, &mut screen));
    screen.clear();
    let searched = match done {
        Ok(searched) => searched,
        Err(error) => return refuse("check", format, args.model(), error),
    };
    tell(searched, args)
}

/// Says what a search came to.
pub fn tell(searched: Searched, args: &CheckArgs) -> Exit {
    guard::claim();
    let verdict = searched.verdict;
    match args.format.format() {
        Format::Json => output::print_json(&result_json("check", &Report::of(searched))),
        Format::Text => output::emit(&text(&searched, columns())),
    }
    match verdict {
        Verdict::Verified => Exit::Done,
        Verdict::Violated => Exit::Violated,
        Verdict::Bounded | Verdict::Unknown => Exit::Bounded,
    }
}

impl Report {
    fn of(searched: Searched) -> Report {
        let Searched { verdict, model, count, sc, violations, undecided, races, notes, seconds } = searched;
        Report {
            engine: "states",
            model,
            verdict,
            states: count.states,
            transitions: count.transitions,
            longest_list: count.longest,
            sc_states: sc.map(|sc| sc.states),
            sc_transitions: sc.map(|sc| sc.transitions),
            races_looked_for: races,
            errors: violations.iter().map(Brief::of).collect(),
            violations: violations.into_iter().map(Finding::of).collect(),
            unknown: undecided.map(|why| why.to_string()),
            notes,
            seconds,
            max_rss_kb: peak_kib(),
        }
    }
}

impl Brief {
    /// An error is where the last step is.
    fn of(violation: &StateViolation) -> Brief {
        let place = violation.path.iter().rev().find_map(|step| step.place.as_ref());
        Brief {
            kind: violation.kind.name(),
            message: violation.message.clone(),
            file: place.map(|place| place.file.clone()),
            line: place.map(|place| place.line),
        }
    }
}

impl Finding {
    fn of(violation: StateViolation) -> Finding {
        let StateViolation { kind, message, states, path, only_weak } = violation;
        let step = |StateStep { thread, what, place, overtakes }| Step { thread, what, place, overtakes };
        Finding { kind: kind.name(), message, states, only_weak, steps: path.into_iter().map(step).collect() }
    }
}

/// For people.
fn text(searched: &Searched, columns: usize) -> String {
    let mut out = String::new();
    let model = &searched.model;
    for violation in &searched.violations {
        let states = many(violation.states, "state");
        let line = format!("{}: {} ({states})", violation.kind, violation.message);
        out.push_str(&wrap(&line, columns, "", "    "));
        match violation.only_weak {
            Some(true) => {
                let line = format!(
                    "  only because `{model}` is weaker than sequential consistency: see the steps marked <"
                );
                out.push_str(&wrap(&line, columns, "", "    "));
            }
            Some(false) => out.push_str("  under sequential consistency, too\n"),
            None => {}
        }
        for step in &violation.path {
            out.push_str(&shown_step(step, columns));
        }
        out.push('\n');
    }
    let Count { states, transitions, longest } = searched.count;
    let found = match searched.verdict {
        Verdict::Verified => format!("verified under `{model}`"),
        Verdict::Violated => format!("violated under `{model}`"),
        Verdict::Bounded => format!("no error found under `{model}`, within bounds"),
        Verdict::Unknown => format!("no verdict under `{model}`"),
    };
    let line = format!(
        "{found}: {}, {}, up to {longest} incomplete operations in a thread, {:.2} s",
        many(states, "state"),
        many(transitions, "transition"),
        searched.seconds
    );
    out.push_str(&wrap(&line, columns, "", "    "));
    if let Some(sc) = searched.sc {
        let _ = writeln!(
            out,
            "  sequential consistency: {}, {}",
            many(sc.states, "state"),
            many(sc.transitions, "transition")
        );
    }
    if let Some(why) = &searched.undecided {
        out.push_str(&wrap(&format!("  {why}"), columns, "", "    "));
    }
    for note in &searched.notes {
        out.push_str(&wrap(&format!("note: {note}"), columns, "", "    "));
    }
    if !searched.races {
        out.push_str("note: data races were not looked for\n");
    }
    out
}

fn shown_step(step: &StateStep, columns: usize) -> String {
    let place = step.place.as_ref().map_or(String::new(), |place| format!("  {}", place.short()));
    let early = match step.overtakes.first() {
        Some(first) => format!("  < before {}", first.short()),
        None => String::new(),
    };
    let line = format!("thread {}: {}{place}{early}", step.thread, step.what);
    wrap(&line, columns, "  ", "      ")
}

fn many(count: usize, what: &str) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    format!("{out} {what}{}", if count == 1 { "" } else { "s" })
}
