//! Barriers by a minimum cut of the graph of states (Huynh and Roychoudhury, §7).
//!
//! What is to be prevented is reached by dashed steps only, so some of them have to go. A barrier in front
//! of an operation takes away every step in which that operation overtakes another one: these steps are a
//! *part*. All parts weigh the same, shared among their steps (the modified formulation), so that a cut of
//! little weight needs few places; solid steps cannot be cut.

use crate::graph::{Edge, Graph};
use crate::world::Step;
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};

/// How steps weigh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capacities {
    /// Each dashed step the same.
    Basic,
    /// Each place the same, shared among its steps.
    Modified,
}

/// Places in the text, and how they were found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Steps whose operations need a barrier in front of them.
    pub before: Vec<Step>,
    /// Dashed steps that were cut.
    pub edges: usize,
    /// The flow, in shares of a place (or in steps, for basic capacities).
    pub flow: u64,
}

/// What each place weighs.
const WHOLE: u64 = 1 << 20;

/// The place in the text that a barrier would be in front of.
fn place(step: &Step) -> (Option<&selvedge_machine::SourcePlace>, &str) {
    // Where the source is not known, what is done has to do.
    (step.place.as_ref(), if step.place.is_some() { "" } else { &step.what })
}

/// Barriers that keep the program from these states; `None` if they can be reached without overtaking.
pub fn cut(graph: &Graph, sinks: &[u32], capacities: Capacities) -> Option<Cut> {
    if sinks.iter().any(|sink| graph.is_white(*sink)) {
        return None;
    }
    let mut sizes: BTreeMap<_, u64> = BTreeMap::new();
    for edge in graph.edges().iter().filter(|edge| edge.dashed) {
        *sizes.entry(place(graph.what(edge))).or_default() += 1;
    }
    let share = |edge: &Edge| match capacities {
        Capacities::Basic => 1,
        Capacities::Modified => (WHOLE / sizes[&place(graph.what(edge))]).max(1),
    };
    let infinite = graph.edges().iter().filter(|e| e.dashed).map(share).sum::<u64>() + 1;
    let mut network: DiGraph<(), u64> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..graph.states()).map(|_| network.add_node(())).collect();
    let sink = network.add_node(());
    for edge in graph.edges() {
        let capacity = if edge.dashed { share(edge) } else { infinite };
        network.add_edge(nodes[edge.from as usize], nodes[edge.to as usize], capacity);
    }
    for bad in sinks {
        network.add_edge(nodes[*bad as usize], sink, infinite);
    }
    let (flow, flows) = dinics(&network, nodes[0], sink);
    // What can still be reached where there is room left.
    let mut reached = vec![false; network.node_count()];
    let mut room: Vec<Vec<usize>> = vec![Vec::new(); network.node_count()];
    for edge in network.edge_indices() {
        if let Some((from, to)) = network.edge_endpoints(edge) {
            if flows[edge.index()] < network[edge] {
                room[from.index()].push(to.index());
            }
            if flows[edge.index()] > 0 {
                room[to.index()].push(from.index());
            }
        }
    }
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            todo.extend(&room[at]);
        }
    }
    let crosses = |e: &&Edge| e.dashed && reached[e.from as usize] && !reached[e.to as usize];
    let edges: Vec<&Edge> = graph.edges().iter().filter(crosses).collect();
    let mut seen = BTreeSet::new();
    let mut before = Vec::new();
    for edge in &edges {
        let step = graph.what(edge);
        if seen.insert(place(step)) {
            before.push(step.clone());
        }
    }
    Some(Cut { before, edges: edges.len(), flow })
}
