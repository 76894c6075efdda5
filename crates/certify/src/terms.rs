//! From the terms of a model to the list of operations that [`crate::eval`] runs.
//!
//! `selvedge_model::relational` has its own way, which looks much like this one. That is on purpose: one is
//! the test of the other, so they share nothing.

use crate::eval::{Check, Node, Op, Stage, Step, Test, Unsupported};
use selvedge_kat::ast::{DefBody, DefId, Inclusion, Prim, Rel, Set, Theory};
use std::collections::HashMap;
use std::ops::Range;

/// When a built-in relation is known.
fn stage_of(prim: Prim) -> Stage {
    match prim {
        Prim::Rf | Prim::Rfe | Prim::Rfi => Stage::Rf,
        Prim::Co | Prim::Coe | Prim::Coi | Prim::Fr | Prim::Fre | Prim::Fri | Prim::Detour => Stage::Co,
        _ => Stage::Events,
    }
}

pub(crate) struct Compiler<'a> {
    theory: &'a Theory,
    pub ops: Vec<Op>,
    stages: Vec<Stage>,
    known: HashMap<Op, Node>,
    defs: Vec<Option<Node>>,
    pub steps: [Vec<Step>; 3],
    /// The names that the model declares and uses.
    pub declared: Vec<String>,
    /// Inside of a recursive group: its stage. Nodes of that stage are computed by the group's step.
    group: Option<Stage>,
}

impl<'a> Compiler<'a> {
    pub fn new(theory: &'a Theory) -> Compiler<'a> {
        Compiler {
            theory,
            ops: Vec::new(),
            stages: Vec::new(),
            known: HashMap::new(),
            defs: vec![None; theory.defs.len()],
            steps: Default::default(),
            declared: Vec::new(),
            group: None,
        }
    }

    fn declared(&mut self, name: &str) -> Op {
        let known = self.declared.iter().position(|d| d == name);
        Op::Declared(known.unwrap_or_else(|| {
            self.declared.push(name.to_string());
            self.declared.len() - 1
        }) as u32)
    }

    fn stage(&self, node: Node) -> Stage {
        self.stages[node.0 as usize]
    }

    pub fn node(&mut self, op: Op) -> Node {
        if let Some(node) = self.known.get(&op) {
            return *node;
        }
        let stage = match op {
            Op::Empty | Op::Id | Op::Any | Op::Pred(_) | Op::Declared(_) => Stage::Events,
            Op::Prim(prim) => stage_of(prim),
            Op::Unknown(_) => self.group.unwrap_or(Stage::Co),
            Op::Union(a, b) | Op::Inter(a, b) | Op::Diff(a, b) | Op::Seq(a, b) => {
                self.stage(a).max(self.stage(b))
            }
            Op::Plus(a) | Op::Opt(a) | Op::Inverse(a) | Op::Domain(a) | Op::Range(a) => self.stage(a),
        };
        let node = Node(self.ops.len() as u32);
        self.ops.push(op);
        self.stages.push(stage);
        self.known.insert(op, node);
        if self.group != Some(stage) {
            self.steps[stage as usize].push(Step::Compute(node));
        }
        node
    }

    pub fn check(&mut self, check: Check, guard: Option<Test>) {
        let of_test = |c: &Self, test: Test| match test {
            Test::Subset(a, b) | Test::Equal(a, b) => c.stage(a).max(c.stage(b)),
            Test::Total(r) => c.stage(r),
        };
        let own = match check {
            Check::Acyclic(r) | Check::Irreflexive(r) => self.stage(r),
            Check::Holds(test) => of_test(self, test),
        };
        let stage = guard.map_or(own, |g| own.max(of_test(self, g)));
        self.steps[stage as usize].push(Step::Check(check, guard));
    }

    pub fn definitions(&mut self) -> Result<(), Unsupported> {
        let theory = self.theory;
        let mut at = 0;
        while at < theory.defs.len() {
            let group = theory.defs[at].rec_group;
            if group.is_none() {
                let node = self.body(&theory.defs[at].body)?;
                self.defs[at] = Some(node);
                at += 1;
                continue;
            }
            let end = (at..theory.defs.len())
                .find(|&d| theory.defs[d].rec_group != group)
                .unwrap_or(theory.defs.len());
            self.recursive(at..end)?;
            at = end;
        }
        Ok(())
    }

    /// The unknowns of a group are computed at the latest stage that any of its bodies needs: found
    /// by compiling the group for each stage until no body comes out later.
    fn recursive(&mut self, defs: Range<usize>) -> Result<(), Unsupported> {
        let theory = self.theory;
        if theory.defs[defs.clone()].iter().any(|d| !is_monotone(&d.body, &defs)) {
            return Err(Unsupported(String::from("a recursive definition under a complement")));
        }
        for stage in Stage::ALL {
            let before = (self.ops.clone(), self.stages.clone(), self.known.clone(), self.steps.clone());
            self.group = Some(stage);
            let start = self.ops.len() as u32;
            for d in defs.clone() {
                self.defs[d] = Some(self.node(Op::Unknown(d as u32)));
            }
            let bodies: Vec<Node> =
                defs.clone().map(|d| self.body(&theory.defs[d].body)).collect::<Result<_, _>>()?;
            self.group = None;
            if bodies.iter().any(|b| self.stage(*b) > stage) {
                (self.ops, self.stages, self.known, self.steps) = before;
                continue;
            }
            let unknowns = defs
                .clone()
                .zip(&bodies)
                .filter_map(|(d, body)| self.defs[d].map(|unknown| (unknown, *body)))
                .collect();
            let range = start..self.ops.len() as u32;
            // Nodes of earlier stages in the range are computed again, to the same values.
            self.steps[stage as usize].push(Step::Fix { unknowns, range });
            return Ok(());
        }
        Err(Unsupported(String::from("a recursive definition")))
    }

    fn body(&mut self, body: &DefBody) -> Result<Node, Unsupported> {
        match body {
            DefBody::Rel(r) => self.rel(r),
            DefBody::Set(s) => self.set(s),
        }
    }

    fn def(&self, d: DefId) -> Result<Node, Unsupported> {
        let node = self.defs.get(d.0 as usize).copied().flatten();
        node.ok_or_else(|| Unsupported(String::from("a definition before it is made")))
    }

    pub fn rel(&mut self, r: &Rel) -> Result<Node, Unsupported> {
        let op = match r {
            Rel::Empty => Op::Empty,
            Rel::Declared(name) => self.declared(name),
            Rel::Id => Op::Id,
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
            Rel::SameEnds(_) => return Err(Unsupported(String::from("`^=`"))),
            Rel::Rot(_) => return Err(Unsupported(String::from("`rot`"))),
        };
        Ok(self.node(op))
    }

    fn set(&mut self, s: &Set) -> Result<Node, Unsupported> {
        let op = match s {
            Set::Empty => Op::Empty,
            Set::Declared(name) => self.declared(name),
            Set::Pred(p) => Op::Pred(*p),
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

    pub fn inclusion(&mut self, i: &Inclusion) -> Result<Test, Unsupported> {
        Ok(match i {
            Inclusion::Subset(a, b) => Test::Subset(self.rel(a)?, self.rel(b)?),
            Inclusion::Equal(a, b) => Test::Equal(self.rel(a)?, self.rel(b)?),
            Inclusion::Total(r) => Test::Total(self.rel(r)?),
        })
    }
}

/// Whether the definitions of `group` occur in `body` only where more of them means more of it.
fn is_monotone(body: &DefBody, group: &Range<usize>) -> bool {
    fn rel(r: &Rel, group: &Range<usize>, positive: bool) -> bool {
        let same = |r: &Rel| rel(r, group, positive);
        match r {
            Rel::Def(d) => positive || !group.contains(&(d.0 as usize)),
            Rel::Empty | Rel::Id | Rel::Prim(_) | Rel::Declared(_) => true,
            Rel::Test(s) => set(s, group, positive),
            Rel::Cross(a, b) => set(a, group, positive) && set(b, group, positive),
            Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b) => same(a) && same(b),
            Rel::Diff(a, b) => same(a) && rel(b, group, !positive),
            Rel::Star(a) | Rel::Plus(a) | Rel::Opt(a) | Rel::Inverse(a) => same(a),
            Rel::Not(a) => rel(a, group, !positive),
            Rel::SameEnds(a) | Rel::Rot(a) => same(a),
        }
    }
    fn set(s: &Set, group: &Range<usize>, positive: bool) -> bool {
        match s {
            Set::Def(d) => positive || !group.contains(&(d.0 as usize)),
            Set::Empty | Set::Pred(_) | Set::Declared(_) => true,
            Set::Union(a, b) | Set::Inter(a, b) => set(a, group, positive) && set(b, group, positive),
            Set::Diff(a, b) => set(a, group, positive) && set(b, group, !positive),
            Set::Not(a) => set(a, group, !positive),
            Set::Domain(r) | Set::Range(r) => rel(r, group, positive),
        }
    }
    match body {
        DefBody::Rel(r) => rel(r, group, true),
        DefBody::Set(s) => set(s, group, true),
    }
}
