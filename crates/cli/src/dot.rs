//! Drawings of executions, for Graphviz.
//!
//! The layout is ours, not Graphviz': a column per thread in program order from top to bottom, the
//! initial values above, so that two drawings of a test can be compared at a glance. `dot -Tpng` and
//! `neato -Tpng` both honour it, since the file asks for pinned positions.

use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, Tid};
use selvedge_machine::Program;
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
    let (mode, value) = (event.mode, event.value);
    match event.kind {
        Kind::Init => String::from("initial values"),
        Kind::Read => format!("R[{mode}] {} → {value}", name(event.loc)),
        Kind::Write => format!("W[{mode}] {}={value}", name(event.loc)),
        Kind::Fence => format!("F[{mode}]"),
        Kind::Spawn => format!("spawn P{}", event.peer.0),
        Kind::Join => format!("join P{}", event.peer.0),
        Kind::Choice => format!("choose {value}"),
        Kind::Alloc => format!("alloc {value}"),
        Kind::Free => format!("free {value}"),
    }
}

/// The text of a `.dot` file that shows the graph.
pub fn draw(name: &str, program: &Program, graph: &ExecutionGraph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph \"{}\" {{", escape(name));
    out.push_str("  graph [layout=neato, splines=true, outputorder=edgesfirst, forcelabels=true];\n");
    out.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#999999\",\n");
    out.push_str("        fontname=\"Helvetica\", fontsize=13, margin=\"0.08,0.04\", height=0.3];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n");
    nodes(program, graph, &mut out);
    edges(graph, &mut out);
    out.push_str("}\n");
    out
}

fn nodes(program: &Program, graph: &ExecutionGraph, out: &mut String) {
    let threads = graph.threads();
    let middle = (threads.max(1) - 1) as f64 * COLUMN / 2.0;
    let values: Vec<String> = program.locs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let _ = writeln!(
        out,
        "  init [label=\"{}\", fillcolor=\"#eeeeee\", pos=\"{middle:.2},0!\"];",
        escape(&values.join("  "))
    );
    for t in 0..threads {
        let x = t as f64 * COLUMN;
        let thread = program.threads.get(t).map_or("", |thread| thread.name.as_str());
        let _ = writeln!(
            out,
            "  t{t} [label=\"{}\", shape=plaintext, style=\"\", fontname=\"Helvetica-Bold\", pos=\"{x:.2},{:.2}!\"];",
            escape(thread),
            -0.75 * ROW
        );
        for (row, &e) in graph.thread(Tid(t as u16)).iter().enumerate() {
            let text = escape(&label(program, graph, e));
            let y = -(row as f64 + 1.4) * ROW;
            let _ = writeln!(out, "  e{} [label=\"{text}\", pos=\"{x:.2},{y:.2}!\"];", e.0);
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
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
