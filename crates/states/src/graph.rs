//! The graph of all states and steps.

use crate::world::Step;
use std::collections::HashMap;
use std::rc::Rc;

/// A step from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    /// An operation completes before an earlier one of its thread: no step of sequential consistency.
    pub dashed: bool,
    /// The number of the step.
    pub what: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// 1 + the edge by which it was reached first.
    reached: u32,
    white: bool,
    end: bool,
    bad: bool,
}

/// States and steps.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    steps: Vec<Rc<Step>>,
    numbers: HashMap<Rc<Step>, u32>,
}

impl Graph {
    pub(crate) fn root(&mut self) {
        self.nodes.push(Node::default());
    }

    pub(crate) fn step(&mut self, step: &Rc<Step>) -> u32 {
        if let Some(number) = self.numbers.get(step) {
            return *number;
        }
        let number = self.steps.len() as u32;
        self.numbers.insert(Rc::clone(step), number);
        self.steps.push(Rc::clone(step));
        number
    }

    pub(crate) fn add(&mut self, edge: Edge, new: bool) {
        self.edges.push(edge);
        if new {
            debug_assert_eq!(edge.to as usize, self.nodes.len());
            self.nodes.push(Node { reached: self.edges.len() as u32, ..Node::default() });
        }
    }

    pub(crate) fn end(&mut self, node: u32) {
        self.nodes[node as usize].end = true;
    }

    pub(crate) fn bad(&mut self, node: u32) {
        self.nodes[node as usize].bad = true;
    }

    /// White is what can be reached without any dashed step.
    pub(crate) fn paint(&mut self) {
        let mut next = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| !edge.dashed) {
            next[edge.from as usize].push(edge.to);
        }
        let mut todo = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut self.nodes[at as usize].white, true) {
                todo.extend(&next[at as usize]);
            }
        }
    }

    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub fn what(&self, edge: &Edge) -> &Step {
        &self.steps[edge.what as usize]
    }

    /// States that sequential consistency has, too.
    pub fn white(&self) -> usize {
        self.nodes.iter().filter(|node| node.white).count()
    }

    pub fn is_white(&self, node: u32) -> bool {
        self.nodes[node as usize].white
    }

    pub fn is_bad(&self, node: u32) -> bool {
        self.nodes[node as usize].bad
    }

    /// The steps by which a state was reached first, from the start.
    pub fn path(&self, node: u32) -> Vec<&Edge> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(edge) = (self.nodes[at as usize].reached as usize).checked_sub(1) {
            path.push(&self.edges[edge]);
            at = self.edges[edge].from;
        }
        path.reverse();
        path
    }

    /// States that lead to no end and to nothing wrong, and to others.
    pub(crate) fn endless(&self) -> Vec<u32> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        let mut leaves = vec![false; self.nodes.len()];
        for edge in &self.edges {
            before[edge.to as usize].push(edge.from);
            leaves[edge.from as usize] = true;
        }
        let mut ends = vec![false; self.nodes.len()];
        let is_last = |at: &usize| self.nodes[*at].end || self.nodes[*at].bad || !leaves[*at];
        let mut todo: Vec<usize> = (0..self.nodes.len()).filter(is_last).collect();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut ends[at], true) {
                todo.extend(before[at].iter().map(|from| *from as usize));
            }
        }
        (0..self.nodes.len() as u32).filter(|at| !ends[*at as usize]).collect()
    }
}
