//! Drawings of executions, for Graphviz.
//!
//! The layout is ours, not Graphviz': a column per thread in program order from top to bottom, the
//! initial values above, so that two drawings of a test can be compared at a glance. `dot -Tpng` and
//! `neato -Tpng` both honour it, since the file asks for pinned positions.

use crate::escape::line;
use selvedge_check::{Action, Crash, Event, Files, Thread, Witness};
use selvedge_graph::Mode;
use std::fmt::Write;

/// Inches between the columns and between the rows.
const COLUMN: f64 = 2.6;
const ROW: f64 = 1.0;

const RF: &str = "#b3001e";
const CO: &str = "#1f4fbf";
const FR: &str = "#d97700";
const CREATE: &str = "#666666";

/// What had persisted at a crash, and what was lost.
const PERSISTED: &str = "fillcolor=\"#d5efd5\"";
const LOST: &str = "fillcolor=\"#f9dcdc\", style=\"rounded,filled,dashed\"";

/// `12: W[rel] x=1`, `R[acq] x → 0`, `F[sc]`; `queue.h:12: …` if there are several files.
fn label(witness: &Witness, files: &Files<'_>, event: &Event) -> String {
    let line = event.place.as_ref().map_or(String::new(), |place| match files.are_several() {
        true => format!("{}: ", files.at(place)),
        false => format!("{}: ", place.line),
    });
    let mode = event.order.as_deref().and_then(Mode::by_c_name).unwrap_or(Mode::Na);
    let what = match &event.action {
        Action::Read { location, value, .. } => format!("R[{mode}] {location} → {}", value.text),
        Action::Write { location, value, .. } => format!("W[{mode}] {location}={}", value.text),
        Action::Fence => format!("F[{mode}]"),
        Action::Create { peer } => format!("spawn {}", witness.thread(*peer)),
        Action::Join { peer } => format!("join {}", witness.thread(*peer)),
        Action::Choose { way, .. } => format!("choose {way}"),
        Action::Allocate { object, name, .. } => format!("alloc {}", object_name(*object, name)),
        Action::Free { object, name, local: true } => format!("end {}", object_name(*object, name)),
        Action::Free { object, name, .. } => format!("free {}", object_name(*object, name)),
        Action::Detach { peer } => format!("detach {}", witness.thread(*peer)),
        Action::Local { object, name } => format!("local {}", object_name(*object, name)),
        Action::Arrive { barrier } => format!("arrive {barrier}"),
        Action::Persist { what } => what.clone(),
        Action::Depart => String::from("depart"),
    };
    line + &what
}

fn object_name(number: u32, name: &Option<String>) -> String {
    name.clone().unwrap_or_else(|| number.to_string())
}

/// The text of a `.dot` file that shows an execution. `initial` is what is said of the initial values.
pub fn draw(name: &str, witness: &Witness, initial: Option<&str>) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph \"{}\" {{", escape(name));
    out.push_str("  graph [layout=neato, splines=true, outputorder=edgesfirst, forcelabels=true];\n");
    out.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#999999\",\n");
    out.push_str("        fontname=\"Helvetica\", fontsize=13, margin=\"0.08,0.04\", height=0.3];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n");
    nodes(witness, initial.unwrap_or("initial values"), &mut out);
    edges(witness, &mut out);
    out.push_str("}\n");
    out
}

/// The same for an execution that a crash has cut short: what had persisted and what was lost, and recovery
/// in a column of its own, with what it found and what it missed. Of what the library does for files, only
/// that is shown.
pub fn draw_crash(name: &str, witness: &Witness, crash: &Crash) -> String {
    let durable = |number: usize| crash.persisted.contains(&number) || crash.lost.contains(&number);
    let files = witness.events.iter().any(|event| durable(event.number) && in_library(&event.action));
    let mut shown = witness.clone();
    shown.events.retain(|event| match &event.action {
        Action::Persist { .. } | Action::Create { .. } | Action::Join { .. } => true,
        action => !files || durable(event.number) && !is_journal(action),
    });
    let kept = |number: usize| number == 0 || shown.events.iter().any(|event| event.number == number);
    let r = &mut shown.relations;
    for pairs in [&mut r.rf, &mut r.co, &mut r.fr, &mut r.rmw, &mut r.create, &mut r.join, &mut r.barrier] {
        pairs.retain(|(from, to)| kept(*from) && kept(*to));
    }
    let mut text = draw(name, &shown, Some("what was there"));
    text.truncate(text.trim_end().len() - 1);
    for (fates, look) in [(&crash.persisted, PERSISTED), (&crash.lost, LOST)] {
        for number in fates.iter().filter(|number| kept(**number)) {
            let _ = writeln!(text, "  {} [{look}];", node(*number));
        }
    }
    recovery(&shown, crash, &mut text);
    text.push_str("}\n");
    text
}

fn recovery(witness: &Witness, crash: &Crash, out: &mut String) {
    let wide = |event: &Event| label(witness, &witness.files(), event).chars().count() as f64 * 0.11 + 1.6;
    let widths = columns(witness).into_iter().filter(|column| !column.is_empty());
    let x: f64 = widths.map(|column| column.into_iter().map(wide).fold(COLUMN, f64::max)).sum();
    let _ = writeln!(
        out,
        "  recovery [label=\"recovery\", shape=plaintext, style=\"\", fontname=\"Helvetica-Bold\", pos=\"{x:.2},{:.2}!\"];",
        -0.75 * ROW
    );
    for (at, step) in crash.steps.iter().enumerate() {
        let line = step.place.as_ref().map_or(String::new(), |place| format!("{}: ", place.line));
        let what = match step.writes {
            true => format!("{line}W {}={}", step.location, step.value),
            false => format!("{line}R {} → {}", step.location, step.value),
        };
        let y = -(at as f64 + 1.4) * ROW;
        let _ = writeln!(out, "  r{at} [label=\"{}\", pos=\"{x:.2},{y:.2}!\"];", escape(&what));
        if at > 0 {
            edge(out, format!("r{}", at - 1), format!("r{at}"), Side::Middle, "po", "black");
        }
        if !step.writes {
            edge(out, node(step.from.unwrap_or(0)), format!("r{at}"), Side::Head, "rf", RF);
        }
        for lost in &step.missing {
            edge(out, format!("r{at}"), node(*lost), Side::Tail, "lost", FR);
        }
    }
}

/// Whether it is what the library does with the disk.
pub fn in_library(action: &Action) -> bool {
    let Action::Write { location, .. } = action else { return false };
    ["byte ", "size of file ", "name ", "journal of file "].iter().any(|of| location.starts_with(of))
}

/// Marks in the journal mean nothing to readers.
pub fn is_journal(action: &Action) -> bool {
    matches!(action, Action::Write { location, .. } if location.starts_with("journal of file "))
}

/// By thread, in program order.
fn columns(witness: &Witness) -> Vec<Vec<&Event>> {
    let mut columns: Vec<Vec<&Event>> = vec![Vec::new(); witness.threads.len()];
    for event in &witness.events {
        if let Some(column) = columns.get_mut(event.thread as usize) {
            column.push(event);
        }
    }
    columns
}

fn nodes(witness: &Witness, initial: &str, out: &mut String) {
    // Columns as wide as their labels need, and none for threads that never were.
    let width = |texts: &[String]| {
        let longest = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        COLUMN.max(longest as f64 * 0.11 + 1.2)
    };
    let files = witness.files();
    let names = witness.threads.iter().map(|thread| &thread.function);
    let is_alone = |thread: &Thread| names.clone().filter(|name| **name == thread.function).count() == 1;
    let mut x = 0.0;
    let mut placed = Vec::new();
    for (t, (events, thread)) in columns(witness).into_iter().zip(&witness.threads).enumerate() {
        let texts: Vec<String> = events.iter().map(|event| label(witness, &files, event)).collect();
        if !texts.is_empty() || !thread.function.is_empty() {
            let here = x;
            x += width(&texts);
            placed.push((t, here, thread, events, texts));
        }
    }
    let middle = placed.last().map_or(0.0, |(_, last, ..)| last / 2.0);
    let _ = writeln!(
        out,
        "  init [label=\"{}\", fillcolor=\"#eeeeee\", pos=\"{middle:.2},0!\"];",
        escape(initial)
    );
    for (t, x, thread, events, texts) in placed {
        let _ = writeln!(
            out,
            "  t{t} [label=\"{}\", shape=plaintext, style=\"\", fontname=\"Helvetica-Bold\", pos=\"{x:.2},{:.2}!\"];",
            escape(if is_alone(thread) { &thread.function } else { &thread.name }),
            -0.75 * ROW
        );
        for (row, (event, text)) in events.iter().zip(&texts).enumerate() {
            let y = -(row as f64 + 1.4) * ROW;
            let _ = writeln!(
                out,
                "  {} [label=\"{}\", pos=\"{x:.2},{y:.2}!\"];",
                node(event.number),
                escape(text)
            );
        }
    }
}

fn edges(witness: &Witness, out: &mut String) {
    let relations = &witness.relations;
    for column in columns(witness) {
        for pair in column.windows(2) {
            let (from, to) = (pair[0].number, pair[1].number);
            let name = if relations.rmw.contains(&(from, to)) { "rmw" } else { "po" };
            edge(out, node(from), node(to), Side::Middle, name, "black");
        }
    }
    for (pairs, side, name, color) in [
        (&relations.rf, Side::Head, "rf", RF),
        (&relations.fr, Side::Tail, "fr", FR),
        (&relations.co, Side::Tail, "co", CO),
        (&relations.create, Side::Middle, "create", CREATE),
        (&relations.join, Side::Middle, "join", CREATE),
        (&relations.barrier, Side::Middle, "barrier", CREATE),
    ] {
        for &(from, to) in pairs {
            edge(out, node(from), node(to), side, name, color);
        }
    }
}

/// Where an edge carries its name: edges that cross do so in their middle.
#[derive(Clone, Copy)]
enum Side {
    Tail,
    Middle,
    Head,
}

fn edge(out: &mut String, from: String, to: String, side: Side, name: &str, color: &str) {
    let place = match side {
        Side::Tail => "labeldistance=2.6, labelangle=14, taillabel",
        Side::Middle => "label",
        Side::Head => "labeldistance=2.6, labelangle=14, headlabel",
    };
    let _ = writeln!(out, "  {from} -> {to} [{place}=\"{name}\", color=\"{color}\", fontcolor=\"{color}\"];");
}

fn node(number: usize) -> String {
    if number == 0 { String::from("init") } else { format!("e{number}") }
}

fn escape(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('"', "\\\"")
}
