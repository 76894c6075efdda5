//! In which order the steps of a judge are taken: what an axiom needs right before it, so that an execution
//! that the first axiom rejects costs only that one; then what later stages and errors need; and nothing that
//! nobody asks for.

use crate::eval::{Check, Node, Op, Step, Test};

/// Puts the steps of each stage in order. `wanted` are the nodes that are looked at after all the steps.
pub(crate) fn by_need(ops: &[Op], steps: [Vec<Step>; 3], wanted: &[Node]) -> [Vec<Step>; 3] {
    // Who computes a node: stage and step.
    let mut makers: Vec<Option<(usize, usize)>> = vec![None; ops.len()];
    for (stage, list) in steps.iter().enumerate() {
        for (at, step) in list.iter().enumerate() {
            match step {
                Step::Compute(node) => makers[node.0 as usize] = Some((stage, at)),
                // Nodes of earlier stages that are computed again here were there before.
                Step::Fix { range, .. } => {
                    for node in range.clone() {
                        makers[node as usize].get_or_insert((stage, at));
                    }
                }
                Step::Check(..) => {}
            }
        }
    }
    let mut order = Order { ops, steps: &steps, makers, taken: Default::default(), out: Default::default() };
    order.taken = [0, 1, 2].map(|stage| vec![false; steps[stage].len()]);
    for (stage, list) in steps.iter().enumerate() {
        for step in list {
            if let Step::Check(check, guard) = step {
                order.need_all(&nodes_of(*check, *guard));
                order.out[stage].push(step.clone());
            }
        }
    }
    order.need_all(wanted);
    order.out
}

struct Order<'a> {
    ops: &'a [Op],
    steps: &'a [Vec<Step>; 3],
    makers: Vec<Option<(usize, usize)>>,
    taken: [Vec<bool>; 3],
    out: [Vec<Step>; 3],
}

impl Order<'_> {
    fn need_all(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.need(*node));
    }

    /// Takes the step that computes a node, after those that it needs.
    fn need(&mut self, node: Node) {
        let Some((stage, at)) = self.makers[node.0 as usize] else { return };
        if std::mem::replace(&mut self.taken[stage][at], true) {
            return;
        }
        let step = &self.steps[stage][at];
        match step {
            Step::Compute(node) => self.need_all(&operands(self.ops[node.0 as usize])),
            Step::Fix { range, .. } => {
                for node in range.clone() {
                    self.need_all(&operands(self.ops[node as usize]));
                    self.need(Node(node));
                }
            }
            Step::Check(..) => {}
        }
        self.out[stage].push(step.clone());
    }
}

fn nodes_of(check: Check, guard: Option<Test>) -> Vec<Node> {
    let mut all = match check {
        Check::Acyclic(r) | Check::Irreflexive(r) => vec![r],
        Check::Holds(test) => of_test(test),
    };
    all.extend(guard.into_iter().flat_map(of_test));
    all
}

pub(crate) fn of_test(test: Test) -> Vec<Node> {
    match test {
        Test::Subset(a, b) | Test::Equal(a, b) => vec![a, b],
        Test::Total(r) => vec![r],
    }
}

fn operands(op: Op) -> Vec<Node> {
    match op {
        Op::Empty | Op::Id | Op::Any | Op::Prim(_) | Op::Pred(_) | Op::Declared(_) | Op::Unknown(_) => vec![],
        Op::Union(a, b) | Op::Inter(a, b) | Op::Diff(a, b) | Op::Seq(a, b) => vec![a, b],
        Op::Plus(a) | Op::Opt(a) | Op::Inverse(a) | Op::Domain(a) | Op::Range(a) => vec![a],
    }
}
