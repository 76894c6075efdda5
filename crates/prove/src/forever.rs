//! Runs of a small instance that go on for ever: cycles among its states, without steps of `progress`;
//! where there is something `helpful`, only such in which nobody who could go on all the time does not.

use crate::system::System;
use std::collections::VecDeque;

/// A step between two states, and whose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub from: usize,
    pub step: usize,
    pub thread: i64,
    pub to: usize,
}

/// Edges by the state where they begin, and the component of each state.
struct Graph<'e> {
    edges: &'e [Edge],
    /// Where the edges of each state begin; they are in the order of their states.
    first: Vec<usize>,
    /// Whether an edge counts.
    counts: Vec<bool>,
    component: Vec<usize>,
}

impl Graph<'_> {
    fn of(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        (self.first[state]..self.first[state + 1]).filter(|e| self.counts[*e])
    }

    /// Strongly connected components, without recursion.
    fn components(&mut self) {
        let n = self.first.len() - 1;
        let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
        let (mut stack, mut on, mut next, mut count) = (Vec::new(), vec![false; n], 0, 0);
        for root in 0..n {
            if index[root] != usize::MAX {
                continue;
            }
            let mut work = vec![(root, self.first[root])];
            while let Some((v, e)) = work.pop() {
                if e == self.first[v] {
                    (index[v], low[v]) = (next, next);
                    next += 1;
                    stack.push(v);
                    on[v] = true;
                }
                let mut at = e;
                let mut down = None;
                while at < self.first[v + 1] {
                    let to = self.edges[at].to;
                    at += 1;
                    if !self.counts[at - 1] {
                        continue;
                    }
                    if index[to] == usize::MAX {
                        down = Some(to);
                        break;
                    }
                    if on[to] {
                        low[v] = low[v].min(index[to]);
                    }
                }
                if let Some(to) = down {
                    // An edge is looked at again when what is behind it is done: its number is known then.
                    work.push((v, at));
                    work.push((to, self.first[to]));
                    continue;
                }
                if low[v] == index[v] {
                    while let Some(w) = stack.pop() {
                        on[w] = false;
                        self.component[w] = count;
                        if w == v {
                            break;
                        }
                    }
                    count += 1;
                }
                if let Some((parent, _)) = work.last() {
                    low[*parent] = low[*parent].min(low[v]);
                }
            }
        }
    }

    /// A way within a component, from a state to one for which `there` holds: edges, none if it holds here.
    fn way(&self, from: usize, there: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
        let mut by: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
        let mut queue = VecDeque::from([from]);
        let mut at = from;
        if !there(from) {
            at = loop {
                let state = queue.pop_front()?;
                let inside =
                    self.of(state).filter(|e| self.component[self.edges[*e].to] == self.component[state]);
                let mut found = None;
                for e in inside {
                    let to = self.edges[e].to;
                    if to != from && !by.contains_key(&to) {
                        by.insert(to, e);
                        queue.push_back(to);
                        if there(to) {
                            found = Some(to);
                            break;
                        }
                    }
                }
                if let Some(to) = found {
                    break to;
                }
            };
        }
        let mut way = Vec::new();
        while at != from {
            let e = by[&at];
            way.push(e);
            at = self.edges[e].from;
        }
        way.reverse();
        Some(way)
    }
}

/// A cycle: the edges, in order. `edges` are all edges of the first `expanded` states, in the order of where
/// they begin.
pub(crate) fn cycle(
    system: &System,
    edges: &[Edge],
    states: usize,
    expanded: usize,
    threads: i64,
) -> Option<Vec<Edge>> {
    let counts = edges.iter().map(|e| !system.progress.contains(&system.steps[e.step].from)).collect();
    let mut first = vec![0; states + 1];
    for e in edges {
        first[e.from + 1] += 1;
    }
    for s in 0..states {
        first[s + 1] += first[s];
    }
    let mut graph = Graph { edges, first, counts, component: vec![0; states] };
    graph.components();
    let mut tried = vec![false; states];
    for e in 0..edges.len() {
        let Edge { from, to, .. } = edges[e];
        let component = graph.component[from];
        if !graph.counts[e] || graph.component[to] != component || tried[component] {
            continue;
        }
        let mut all = vec![e];
        if system.helpful.is_some() {
            tried[component] = true;
            let Some(tour) = fair(&graph, to, expanded, threads) else { continue };
            all.extend(tour);
        }
        let end = all.last().map_or(to, |e| edges[*e].to);
        all.extend(graph.way(end, &|s| s == from)?);
        return Some(all.into_iter().map(|e| edges[e]).collect());
    }
    None
}

/// A way on within a component on which every thread takes a step or could not at some time.
fn fair(graph: &Graph, mut at: usize, expanded: usize, threads: i64) -> Option<Vec<usize>> {
    let component = graph.component[at];
    let inside = |s: usize| graph.component[s] == component;
    let mut all = Vec::new();
    for t in 0..threads {
        let moves =
            |s: usize| graph.of(s).find(|e| graph.edges[*e].thread == t && inside(graph.edges[*e].to));
        let stuck = |s: usize| {
            s < expanded && (graph.first[s]..graph.first[s + 1]).all(|e| graph.edges[e].thread != t)
        };
        let way = graph.way(at, &|s| stuck(s) || moves(s).is_some())?;
        at = way.last().map_or(at, |e| graph.edges[*e].to);
        all.extend(way);
        if !stuck(at)
            && let Some(e) = moves(at)
        {
            all.push(e);
            at = graph.edges[e].to;
        }
    }
    Some(all)
}
