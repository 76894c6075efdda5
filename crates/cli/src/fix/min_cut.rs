//! `selvedge fix --method min-cut`.

use super::args::{FixArgs, FixFormat};
use super::check_of;
use crate::args::Format;
use crate::check::{Screen, columns, refuse, wrap};
use crate::error::{Exit, InputError, InputKind};
use crate::json::result_json;
use crate::{guard, output};
use selvedge_check::{Cancel, Limits, Place, Searching};
use selvedge_repair::{MinCut, MinCutEnd, Start, min_cut};
use selvedge_states::Capacities;
use serde::Serialize;
use std::time::Instant;

#[derive(Serialize)]
struct Report<'a> {
    method: &'static str,
    verdict: &'static str,
    barriers: &'a [Place],
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    states: usize,
    transitions: usize,
    white_states: usize,
    violating_states: usize,
    edges_cut: usize,
    rounds: usize,
    seconds: f64,
}

pub fn main(args: &FixArgs, start: Start, cancel: Cancel, limits: Limits, begin: Instant) -> Exit {
    let format = if args.format() == FixFormat::Text { Format::Text } else { Format::Json };
    let model = args.model();
    let refused = |message: &str| {
        let error = InputError::plain(InputKind::Unsupported, message, None);
        refuse("fix", format, model, error)
    };
    if start != Start::Given || args.apply || matches!(args.format(), FixFormat::Diff | FixFormat::Sarif) {
        return refused("`--method min-cut` names places of barriers, as text or JSON, for `fix` only");
    }
    if args.files.iter().any(|file| file.extension().is_some_and(|e| e == "litmus")) {
        return refused("`--method min-cut` is for programs, not for litmus tests");
    }
    let how = Searching { invariants: args.invariant.clone(), reduce: false, ..Searching::default() };
    let mut screen = Screen::new(0.0);
    let done = check_of(args, cancel, limits)
        .and_then(|check| min_cut(&check, &how, Capacities::Modified, &mut screen));
    screen.clear();
    let found = match done {
        Ok(found) => found,
        Err(error) if error.kind == InputKind::Interrupted => {
            guard::claim();
            output::complain(&format!("unknown: {error}"));
            return Exit::Bounded;
        }
        Err(error) => return refuse("fix", format, model, error),
    };
    guard::claim();
    print(&found, format, model, begin.elapsed().as_secs_f64());
    match found.end {
        MinCutEnd::WrongUnderSc(_) => Exit::Violated,
        _ => Exit::Done,
    }
}

fn print(found: &MinCut, format: Format, model: &str, seconds: f64) {
    let (verdict, barriers, message) = match &found.end {
        MinCutEnd::Barriers(places) => ("repaired", &places[..], None),
        MinCutEnd::Right => ("right", &[][..], None),
        MinCutEnd::WrongUnderSc(what) => ("no-repair", &[][..], Some(what.as_str())),
    };
    if format == Format::Json {
        let report = Report {
            method: "min-cut",
            verdict,
            barriers,
            message,
            states: found.states,
            transitions: found.transitions,
            white_states: found.white,
            violating_states: found.bad,
            edges_cut: found.edges,
            rounds: found.rounds,
            seconds,
        };
        return output::print_json(&result_json("fix", &report));
    }
    let mut out = String::new();
    for place in barriers {
        out.push_str(&format!("a barrier before {}:{}\n", place.short(), place.column));
    }
    let line = match &found.end {
        MinCutEnd::Barriers(places) => {
            let kind = if places.len() == 1 { "barrier" } else { "barriers" };
            format!("repaired under {model} by {} {kind}: all states were searched again", places.len())
        }
        MinCutEnd::Right => format!("right under {model} as it is"),
        MinCutEnd::WrongUnderSc(what) => format!("no barrier helps, as it is wrong under `sc`, too: {what}"),
    };
    out.push_str(&wrap(&line, columns(), "", "  "));
    let line = format!(
        "minimum cut: {} states ({} under sequential consistency, {} to be prevented), {} transitions, {} cut in \
         {} rounds, {seconds:.2} s",
        found.states, found.white, found.bad, found.transitions, found.edges, found.rounds
    );
    out.push_str(&wrap(&line, columns(), "  ", "    "));
    output::emit(&out);
}
