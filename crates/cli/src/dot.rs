//! Drawings of executions, for Graphviz.
//!
//! The layout is ours, not Graphviz': a column per thread in program order from top to bottom, the
//! initial values above, so that two drawings of a test can be compared at a glance. `dot -Tpng` and
//! `neato -Tpng` both honour it, since the file asks for pinned positions.

use crate::escape::line;
use selvedge_explore::Execution;
use selvedge_graph::{Event, EventId, ExecutionGraph, Kind, Loc, Tid};
use selvedge_machine::{Machine, Program};
use std::fmt::Write;

/// Inches between the columns and between the rows.
const COLUMN: f64 = 2.6;
const ROW: f64 = 1.0;

const RF: &str = "#b3001e";
const CO: &str = "#1f4fbf";
const FR: &str = "#d97700";
const CREATE: &str = "#666666";

/// `W[rel] x=1`, `R[acq] x → 0`, `F[sc]`.
pub fn label(program: &Program, graph: &ExecutionGraph, e: EventId) -> String {
    let event = graph.event(e);
    let name = |loc: Loc| program.locs.get(loc.index()).map_or("?", |(name, _)| name.as_str());
    let (mode, value) = (event.mode, program.value_text(event.value));
    match event.kind {
        Kind::Read => format!("R[{mode}] {} → {value}", name(event.loc)),
        Kind::Write => format!("W[{mode}] {}={value}", name(event.loc)),
        _ => other_label(event),
    }
}

/// Of events that are not accesses.
fn other_label(event: &Event) -> String {
    match event.kind {
        Kind::Fence => format!("F[{}]", event.mode),
        Kind::Spawn => format!("spawn P{}", event.peer.0),
        Kind::Join => format!("join P{}", event.peer.0),
        Kind::Choice => format!("choose {}", event.value),
        Kind::Alloc => format!("alloc {}", event.value),
        Kind::Free => format!("free {}", event.value),
        Kind::Detach => format!("detach P{}", event.peer.0),
        Kind::Local => format!("local {}", event.value),
        Kind::Arrive => format!("arrive {}", event.value),
        Kind::Depart => String::from("depart"),
        Kind::Init | Kind::Read | Kind::Write => String::new(),
    }
}

/// The words of a drawing.
struct Words {
    name: String,
    initial: String,
    threads: Vec<String>,
}

/// The text of a `.dot` file that shows the execution of a litmus test.
pub fn draw(name: &str, program: &Program, graph: &ExecutionGraph) -> String {
    let values: Vec<String> =
        program.locs.iter().map(|(name, value)| format!("{name}={}", program.value_text(*value))).collect();
    let threads = program.threads.iter().map(|thread| thread.name.clone()).collect();
    let words = Words { name: name.to_string(), initial: values.join("  "), threads };
    draw_graph(&words, graph, &|e| label(program, graph, e))
}

/// The same for a program in C.
pub fn draw_execution<M: Machine>(machine: &M, x: &Execution<'_, M>) -> String {
    let graph = x.graph;
    let threads = (0..graph.threads() as u16).map(|t| x.state(Tid(t)).map(|s| machine.thread_name(s)));
    let words = Words {
        name: String::from("execution"),
        initial: String::from("initial values"),
        threads: threads.map(Option::unwrap_or_default).collect(),
    };
    draw_graph(&words, graph, &|e| {
        let ev = graph.event(e);
        let place = x.state_of(e).and_then(|s| machine.place(s));
        let line = place.map_or(String::new(), |p| format!("{}: ", p.line));
        let name = || machine.location_name(ev.loc);
        match ev.kind {
            Kind::Read => {
                format!("{line}R[{}] {} → {}", ev.mode, name(), machine.value_name(ev.loc, ev.value))
            }
            Kind::Write => {
                format!("{line}W[{}] {}={}", ev.mode, name(), machine.value_name(ev.loc, ev.value))
            }
            _ => format!("{line}{}", other_label(ev)),
        }
    })
}

fn draw_graph(words: &Words, graph: &ExecutionGraph, label: &dyn Fn(EventId) -> String) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph \"{}\" {{", escape(&words.name));
    out.push_str("  graph [layout=neato, splines=true, outputorder=edgesfirst, forcelabels=true];\n");
    out.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#999999\",\n");
    out.push_str("        fontname=\"Helvetica\", fontsize=13, margin=\"0.08,0.04\", height=0.3];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n");
    nodes(words, graph, label, &mut out);
    edges(graph, &mut out);
    out.push_str("}\n");
    out
}

fn nodes(words: &Words, graph: &ExecutionGraph, label: &dyn Fn(EventId) -> String, out: &mut String) {
    // Columns as wide as their labels need, and none for threads that never were.
    let labels: Vec<Vec<String>> = (0..graph.threads() as u16)
        .map(|t| graph.thread(Tid(t)).iter().map(|&e| label(e)).collect())
        .collect();
    let width = |texts: &[String]| {
        let longest = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        COLUMN.max(longest as f64 * 0.11 + 1.2)
    };
    let mut x = 0.0;
    let mut columns = Vec::new();
    for (t, texts) in labels.iter().enumerate() {
        if !texts.is_empty() || words.threads.get(t).is_some_and(|name| !name.is_empty()) {
            columns.push((t, x));
            x += width(texts);
        }
    }
    let middle = columns.last().map_or(0.0, |(_, last)| last / 2.0);
    let _ = writeln!(
        out,
        "  init [label=\"{}\", fillcolor=\"#eeeeee\", pos=\"{middle:.2},0!\"];",
        escape(&words.initial)
    );
    for (t, x) in columns {
        let thread = words.threads.get(t).map_or("", String::as_str);
        let _ = writeln!(
            out,
            "  t{t} [label=\"{}\", shape=plaintext, style=\"\", fontname=\"Helvetica-Bold\", pos=\"{x:.2},{:.2}!\"];",
            escape(thread),
            -0.75 * ROW
        );
        for (row, (&e, text)) in graph.thread(Tid(t as u16)).iter().zip(&labels[t]).enumerate() {
            let y = -(row as f64 + 1.4) * ROW;
            let _ = writeln!(out, "  e{} [label=\"{}\", pos=\"{x:.2},{y:.2}!\"];", e.0, escape(text));
        }
    }
}

fn edges(graph: &ExecutionGraph, out: &mut String) {
    for t in (0..graph.threads()).map(|t| Tid(t as u16)) {
        for pair in graph.thread(t).windows(2) {
            let rmw = graph.rmw_read_of(pair[1]) == Some(pair[0]);
            edge(out, node(pair[0]), node(pair[1]), Side::Middle, if rmw { "rmw" } else { "po" }, "black");
        }
        for &e in graph.thread(t) {
            relations_of(graph, e, out);
        }
    }
    for loc in (0..graph.locations()).map(|l| Loc(l as u32)) {
        // That the initial value is first goes without saying.
        for pair in graph.co(loc).windows(2).skip(1) {
            edge(out, node(pair[0]), node(pair[1]), Side::Tail, "co", CO);
        }
    }
}

/// `rf` into, `fr` out of, and creation and joining at one event.
fn relations_of(graph: &ExecutionGraph, e: EventId, out: &mut String) {
    let event = graph.event(e);
    match event.kind {
        Kind::Read => {
            let Some(source) = graph.rf(e) else { return };
            edge(out, node(source), node(e), Side::Head, "rf", RF);
            let next = graph.co_pos(source).and_then(|at| graph.co(event.loc).get(at + 1));
            // To the write half of its own read-modify-write would only repeat `rmw`.
            if let Some(&next) = next
                && graph.rmw_read_of(next) != Some(e)
            {
                edge(out, node(e), node(next), Side::Tail, "fr", FR);
            }
        }
        Kind::Spawn => {
            if let Some(&first) = graph.thread(event.peer).first() {
                edge(out, node(e), node(first), Side::Middle, "create", CREATE);
            }
        }
        Kind::Join => {
            if let Some(&last) = graph.thread(event.peer).last() {
                edge(out, node(last), node(e), Side::Middle, "join", CREATE);
            }
        }
        Kind::Depart => {
            // Its own arrival is next to it.
            for &arrival in graph.round(e).iter().filter(|&&a| graph.event(a).tid != event.tid) {
                edge(out, node(arrival), node(e), Side::Middle, "barrier", CREATE);
            }
        }
        _ => {}
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

fn node(e: EventId) -> String {
    if e.is_init() { String::from("init") } else { format!("e{}", e.0) }
}

fn escape(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('"', "\\\"")
}
