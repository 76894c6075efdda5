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
    /// An assumption has ended a thread.
    killed: bool,
    /// Something is taken to read what it has not read yet.
    guess: bool,
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

    /// An assumption does not hold in a state, nor in those after it: no execution goes through it.
    pub(crate) fn kill(&mut self, node: u32) {
        self.nodes[node as usize].killed = true;
    }

    /// There is a state in which an assumption does not hold.
    pub fn is_assumed_away(&self) -> bool {
        self.nodes.iter().any(|node| node.killed)
    }

    pub(crate) fn guess(&mut self, node: u32) {
        self.nodes[node as usize].guess = true;
    }

    /// States of executions: those with guesses that cannot all come true are none.
    pub(crate) fn possible(&self) -> Vec<bool> {
        let before = self.before();
        self.leading_to(&before, |at| !self.nodes[at].guess)
    }

    fn before(&self) -> Vec<Vec<u32>> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            before[edge.to as usize].push(edge.from);
        }
        before
    }

    /// Which states are such, or lead to some.
    fn leading_to(&self, before: &[Vec<u32>], is: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut lead = vec![false; self.nodes.len()];
        let mut todo: Vec<usize> = (0..self.nodes.len()).filter(|at| is(*at)).collect();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut lead[at], true) {
                todo.extend(before[at].iter().map(|from| *from as usize));
            }
        }
        lead
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

    /// States that lead to no end and to nothing wrong, and to others. What guesses lead to that do not come
    /// true is no way to anything.
    pub(crate) fn endless(&self) -> Vec<u32> {
        let before = self.before();
        let mut leaves = vec![false; self.nodes.len()];
        self.edges.iter().for_each(|edge| leaves[edge.from as usize] = true);
        let is_last = |at: usize| {
            let node = &self.nodes[at];
            node.end || node.bad || node.killed || !leaves[at] && !node.guess
        };
        let ends = self.leading_to(&before, is_last);
        let possible = self.leading_to(&before, |at| !self.nodes[at].guess);
        (0..self.nodes.len() as u32).filter(|at| !ends[*at as usize] && possible[*at as usize]).collect()
    }

    /// Whether there is a way round among the states that no assumption rules out.
    pub(crate) fn goes_on(&self) -> bool {
        let lives = |edge: &&Edge| !self.nodes[edge.to as usize].killed;
        let mut next = vec![Vec::new(); self.nodes.len()];
        let mut into = vec![0_usize; self.nodes.len()];
        for edge in self.edges.iter().filter(lives) {
            next[edge.from as usize].push(edge.to as usize);
            into[edge.to as usize] += 1;
        }
        // What is left when all that nothing leads to is taken away, again and again, is round.
        let mut todo: Vec<usize> = (0..self.nodes.len()).filter(|at| into[*at] == 0).collect();
        let mut left = self.nodes.len();
        while let Some(at) = todo.pop() {
            left -= 1;
            for to in &next[at] {
                into[*to] -= 1;
                if into[*to] == 0 {
                    todo.push(*to);
                }
            }
        }
        left > 0
    }
}
