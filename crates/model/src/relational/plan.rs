//! From the terms of a model to a list of operations on matrices, in the order in which they are run.
//!
//! The oracle's evaluator (`selvedge_certify`) has its own way, which looks much like this one. That is on
//! purpose: one is the test of the other, so they share nothing.

use super::{Check, Flag, Node, Op, PlanStep, PlanTest, Relational};
use crate::guard::Guard;
use crate::term::not_admissible;
use selvedge_kat::{
    Constraint, DefBody, DefId, Diagnostic, Inclusion, Prim, Rel, Set, Sign, Span, Subterm, Theory,
};
use std::collections::HashMap;
use std::ops::Range;

pub(super) fn compile(theory: &Theory) -> Result<Relational, Diagnostic> {
    let mut c = Planner {
        theory,
        ops: Vec::new(),
        known: HashMap::new(),
        defs: vec![None; theory.defs.len()],
        steps: Vec::new(),
        in_group: false,
        span: None,
    };
    c.definitions()?;
    let mut flags = Vec::new();
    let mut orders_threads = false;
    for axiom in theory.axioms.iter().filter(|a| !a.extra) {
        c.span = Some(axiom.span.clone());
        let guard = axiom.unless.as_ref().map(|i| c.inclusion(i)).transpose()?;
        let check = match &axiom.constraint {
            Constraint::Acyclic(r) => Check::Acyclic(c.rel(r)?),
            Constraint::Irreflexive(r) => Check::Irreflexive(c.rel(r)?),
            // That `r ; com+` is irreflexive says that no step of `r` leads back in coherence. So no cycle of
            // steps of `r` within a location and of `com` has one of `com`; this shows earlier, while
            // not all of `com` is known.
            Constraint::Coherence(r) => {
                let r = c.rel(r)?;
                let [rf, co, fr, loc] =
                    [Prim::Rf, Prim::Co, Prim::Fr, Prim::Loc].map(|p| c.node(Op::Prim(p)));
                let com = c.node(Op::Union(rf, co));
                let com = c.node(Op::Union(com, fr));
                let local = c.node(Op::Inter(r, loc));
                let both = c.node(Op::Union(local, com));
                let path = c.node(Op::Plus(both));
                let path = c.node(Op::Opt(path));
                Check::Irreflexive(c.node(Op::Seq(com, path)))
            }
            Constraint::Empty(r) => Check::Empty(c.rel(r)?),
            Constraint::Inclusion(i) => Check::Holds(c.inclusion(i)?),
            Constraint::Error { name, warning, unless } => {
                let test = c.inclusion(unless)?;
                flags.push(Flag { name: name.clone(), warning: *warning, test, guard });
                continue;
            }
        };
        c.steps.push(PlanStep::Check(check, guard));
    }
    orders_threads |= c.ops.iter().any(|op| matches!(op, Op::Prim(Prim::Tc | Prim::Tj)));
    // Errors before warnings.
    flags.sort_by_key(|f| f.warning);
    let (fixed, of_sets) = (fixed(&c.ops), of_sets(&c.ops));
    let sets = (0..c.ops.len() as u32).map(|node| is_set(&c.ops, Node(node))).collect();
    let (steps, last_steps) = schedule(&c.ops, c.steps, &flags);
    Ok(Relational {
        name: theory.name.clone(),
        ops: c.ops,
        fixed,
        of_sets,
        is_set: sets,
        steps,
        last_steps,
        flags,
        orders_threads,
        has_arms: false,
        in_order: None,
        causality: super::Causality::default(),
    })
}

/// Puts every axiom as early as it can be asked, in the order in which the model has them: most of what is
/// forbidden is so by the first one. What only errors need comes last.
fn schedule(ops: &[Op], steps: Vec<PlanStep>, flags: &[Flag]) -> (Vec<PlanStep>, Vec<PlanStep>) {
    let (checks, mut computing): (Vec<PlanStep>, Vec<PlanStep>) =
        steps.into_iter().partition(|step| matches!(step, PlanStep::Check(..)));
    let mut order = Vec::new();
    for step in checks {
        let PlanStep::Check(check, guard) = &step else { unreachable!("these are checks") };
        let mut nodes = match *check {
            Check::Acyclic(r) | Check::Irreflexive(r) | Check::Empty(r) => vec![r],
            Check::Holds(test) => test.nodes(),
        };
        nodes.extend(guard.iter().flat_map(|guard| guard.nodes()));
        order.extend(take_needed(ops, &mut computing, nodes));
        order.push(step);
    }
    let of_flags = flags.iter().flat_map(|f| [Some(f.test), f.guard]).flatten();
    let last = take_needed(ops, &mut computing, of_flags.flat_map(PlanTest::nodes).collect());
    (order, last)
}

/// Takes the steps out of `computing` that compute some nodes and all that these are made of.
fn take_needed(ops: &[Op], computing: &mut Vec<PlanStep>, nodes: Vec<Node>) -> Vec<PlanStep> {
    let mut needed = vec![false; ops.len()];
    let mut todo = nodes;
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut needed[node.index()], true) {
            continue;
        }
        match &ops[node.index()] {
            Op::Empty | Op::Id | Op::Any | Op::Prim(_) | Op::Set(_) | Op::Unknown => {}
            Op::Union(a, b) | Op::Inter(a, b) | Op::Diff(a, b) | Op::Seq(a, b) => todo.extend([*a, *b]),
            Op::Plus(a) | Op::Opt(a) | Op::Inverse(a) | Op::Domain(a) | Op::Range(a) => todo.push(*a),
        }
        // A recursive definition is computed as a whole.
        let group = computing.iter().find_map(|step| match step {
            PlanStep::Fix { range, .. } if range.contains(&node.0) => Some(range.clone()),
            _ => None,
        });
        todo.extend(group.into_iter().flatten().map(Node));
    }
    let is_needed = |step: &PlanStep| match step {
        PlanStep::Compute(node) => needed[node.index()],
        PlanStep::Fix { range, .. } => range.clone().any(|at| needed[at as usize]),
        PlanStep::Check(..) => false,
    };
    let (taken, rest) = std::mem::take(computing).into_iter().partition(is_needed);
    *computing = rest;
    taken
}

/// By node: whether the pairs that it relates stay the same when events are added. Steps through other
/// events may come up with these events, and so may the source of a read and the place of a write.
fn fixed(ops: &[Op]) -> Vec<bool> {
    let mut fixed: Vec<bool> = Vec::new();
    for op in ops {
        let at = |n: &Node| fixed[n.0 as usize];
        let this = match op {
            Op::Empty | Op::Id | Op::Any | Op::Set(_) => true,
            Op::Prim(p) => !matches!(
                p,
                Prim::PoImm
                    | Prim::Rf
                    | Prim::Rfe
                    | Prim::Rfi
                    | Prim::Co
                    | Prim::Coe
                    | Prim::Coi
                    | Prim::Fr
                    | Prim::Fre
                    | Prim::Fri
                    | Prim::Detour
                    | Prim::Tc
                    | Prim::Tj
            ),
            Op::Union(a, b) | Op::Inter(a, b) | Op::Diff(a, b) => at(a) && at(b),
            Op::Opt(a) | Op::Inverse(a) => at(a),
            // Sets at one end keep it fixed.
            Op::Seq(a, b) => at(a) && at(b) && (is_set(ops, *a) || is_set(ops, *b)),
            Op::Unknown | Op::Plus(_) | Op::Domain(_) | Op::Range(_) => false,
        };
        fixed.push(this);
    }
    fixed
}

/// By node: whether it is made of predicates alone.
fn of_sets(ops: &[Op]) -> Vec<bool> {
    let mut made: Vec<bool> = Vec::new();
    for op in ops {
        let at = |n: &Node| made[n.0 as usize];
        made.push(match op {
            Op::Empty | Op::Id | Op::Any | Op::Set(_) => true,
            Op::Union(a, b) | Op::Inter(a, b) | Op::Diff(a, b) => at(a) && at(b),
            _ => false,
        });
    }
    made
}

/// Whether a node relates events to themselves only.
fn is_set(ops: &[Op], node: Node) -> bool {
    match &ops[node.0 as usize] {
        Op::Empty | Op::Id | Op::Set(_) | Op::Domain(_) | Op::Range(_) => true,
        Op::Union(a, b) | Op::Seq(a, b) => is_set(ops, *a) && is_set(ops, *b),
        Op::Inter(a, b) => is_set(ops, *a) || is_set(ops, *b),
        Op::Diff(a, _) | Op::Opt(a) | Op::Plus(a) | Op::Inverse(a) => is_set(ops, *a),
        Op::Any | Op::Prim(_) | Op::Unknown => false,
    }
}

struct Planner<'a> {
    theory: &'a Theory,
    ops: Vec<Op>,
    known: HashMap<Op, Node>,
    defs: Vec<Option<Node>>,
    steps: Vec<PlanStep>,
    /// Nodes of a recursive group are computed by the group's step.
    in_group: bool,
    span: Option<Span>,
}

impl Planner<'_> {
    fn refuse<T>(&self, message: &str, help: &str) -> Result<T, Diagnostic> {
        Err(not_admissible(self.theory, self.span.as_ref(), message, help))
    }

    fn node(&mut self, op: Op) -> Node {
        if let Some(node) = self.known.get(&op) {
            return *node;
        }
        let node = Node(self.ops.len() as u32);
        self.ops.push(op.clone());
        if op != Op::Unknown {
            self.known.insert(op, node);
        }
        if !self.in_group {
            self.steps.push(PlanStep::Compute(node));
        }
        node
    }

    fn definitions(&mut self) -> Result<(), Diagnostic> {
        let theory = self.theory;
        let mut at = 0;
        while at < theory.defs.len() {
            self.span = Some(theory.defs[at].span.clone());
            let group = theory.defs[at].rec_group;
            if group.is_none() {
                let node = self.body(&theory.defs[at].body)?;
                self.defs[at] = Some(node);
                at += 1;
                continue;
            }
            let end = (at..theory.defs.len()).find(|&d| theory.defs[d].rec_group != group);
            let end = end.unwrap_or(theory.defs.len());
            self.recursive(at..end)?;
            at = end;
        }
        Ok(())
    }

    fn recursive(&mut self, group: Range<usize>) -> Result<(), Diagnostic> {
        let theory = self.theory;
        if !theory.defs[group.clone()].iter().all(|d| grows(Subterm::from(&d.body), &group, Sign::Positive)) {
            return self.refuse(
                "a recursive definition refers to itself under a complement",
                "write it without `\\` and `~` around the names that it defines",
            );
        }
        self.in_group = true;
        let start = self.ops.len() as u32;
        for d in group.clone() {
            self.defs[d] = Some(self.node(Op::Unknown));
        }
        let bodies: Vec<Node> =
            group.clone().map(|d| self.body(&theory.defs[d].body)).collect::<Result<_, _>>()?;
        self.in_group = false;
        let pairs = group.zip(&bodies);
        let unknowns = pairs.filter_map(|(d, body)| self.defs[d].map(|unknown| (unknown, *body))).collect();
        self.steps.push(PlanStep::Fix { unknowns, range: start..self.ops.len() as u32 });
        Ok(())
    }

    fn body(&mut self, body: &DefBody) -> Result<Node, Diagnostic> {
        match body {
            DefBody::Rel(r) => self.rel(r),
            DefBody::Set(s) => self.set(s),
        }
    }

    fn def(&self, d: DefId) -> Result<Node, Diagnostic> {
        match self.defs.get(d.0 as usize).copied().flatten() {
            Some(node) => Ok(node),
            None => self.refuse("a definition is used before it is made", "put the definition first"),
        }
    }

    fn rel(&mut self, r: &Rel) -> Result<Node, Diagnostic> {
        let op = match r {
            Rel::Empty | Rel::Declared(_) => Op::Empty,
            Rel::Id => Op::Id,
            Rel::Prim(Prim::SameInode | Prim::SameBlock | Prim::SameLine | Prim::Appends) => {
                return self.refuse(
                    "`same-inode`, `same-block`, `same-line` and `appends` say what persists before what",
                    "use them in `recovery` only",
                );
            }
            Rel::Prim(p) => Op::Prim(*p),
            Rel::Def(d) => return self.def(*d),
            Rel::Test(s) => return self.set(s),
            Rel::Cross(a, b) => {
                let (a, b, any) = (self.set(a)?, self.set(b)?, self.node(Op::Any));
                let left = self.node(Op::Seq(a, any));
                Op::Seq(left, b)
            }
            Rel::Union(a, b) => Op::Union(self.rel(a)?, self.rel(b)?),
            Rel::Seq(a, b) => Op::Seq(self.rel(a)?, self.rel(b)?),
            Rel::Inter(a, b) => Op::Inter(self.rel(a)?, self.rel(b)?),
            Rel::Diff(a, b) => Op::Diff(self.rel(a)?, self.rel(b)?),
            Rel::Star(a) => {
                let a = self.rel(a)?;
                Op::Opt(self.node(Op::Plus(a)))
            }
            Rel::Plus(a) => Op::Plus(self.rel(a)?),
            Rel::Opt(a) => Op::Opt(self.rel(a)?),
            Rel::Inverse(a) => Op::Inverse(self.rel(a)?),
            Rel::Not(a) => Op::Diff(self.node(Op::Any), self.rel(a)?),
            Rel::SameEnds(_) => return self.refuse("it uses `^=`", "`^=` is for `assert` only"),
            Rel::Rot(_) => return self.refuse("it uses `rot`", "`rot` is for `assert` only"),
        };
        Ok(self.node(op))
    }

    fn set(&mut self, s: &Set) -> Result<Node, Diagnostic> {
        let op = match s {
            Set::Empty | Set::Declared(_) => Op::Empty,
            Set::Pred(p) => Op::Set(Guard::of(*p)),
            Set::Def(d) => return self.def(*d),
            Set::Union(a, b) => Op::Union(self.set(a)?, self.set(b)?),
            Set::Inter(a, b) => Op::Inter(self.set(a)?, self.set(b)?),
            Set::Diff(a, b) => Op::Diff(self.set(a)?, self.set(b)?),
            Set::Not(a) => Op::Diff(self.node(Op::Id), self.set(a)?),
            Set::Domain(r) => Op::Domain(self.rel(r)?),
            Set::Range(r) => Op::Range(self.rel(r)?),
        };
        Ok(self.node(op))
    }

    fn inclusion(&mut self, i: &Inclusion) -> Result<PlanTest, Diagnostic> {
        Ok(match i {
            Inclusion::Subset(a, b) => PlanTest::Subset(self.rel(a)?, self.rel(b)?),
            Inclusion::Equal(a, b) => PlanTest::Equal(self.rel(a)?, self.rel(b)?),
            Inclusion::Total(r) => PlanTest::Total(self.rel(r)?),
        })
    }
}

/// Whether more of the definitions of `group` means more of a whole in which a term has this sign.
fn grows(part: Subterm<'_>, group: &Range<usize>, sign: Sign) -> bool {
    match part.def() {
        Some(id) => sign == Sign::Positive || !group.contains(&(id.0 as usize)),
        None => part.parts().all(|(below, inner)| grows(below, group, sign.of(inner))),
    }
}
