//! Models that clocks cannot drive: those that follow dependencies.
//!
//! A model is a list of operations on bit matrices, run on the whole execution each time it changes.
//! Executions are judged while they are being made. What is not known yet (a read's source, an event
//! whose address or existence depends on it) is left out, so a relation that is computed is a part of
//! what it will be; a cycle that is there stays there. The only operation that takes pairs away is the
//! difference: of `a \ b` nothing is taken for granted unless `b` is known already (`fixed`).

mod causality;
mod chains;
mod local;
mod matrix;
mod orders;
mod plan;

pub use causality::{Causality, ThinAir};
pub(crate) use local::LocalOp;
pub use local::{Local, LocalEvent};
pub use matrix::Matrix;
pub use orders::{Agreement, Direct, EventSet, Inward, Order, Orders, Surroundings};
pub use orders::{events_of, insert, no_events, unite};
pub use selvedge_kat::Prim;

use crate::guard::Guard;
use crate::in_order::Buffering;
use crate::model::Model;
use crate::model::ModelError;
use selvedge_graph::{Attrs, EventId, Kind, Mode};
use selvedge_kat::{Diagnostic, Theory};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node(u32);

impl Node {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation. Sets are relations between events and themselves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Op {
    Empty,
    Id,
    Any,
    Prim(Prim),
    Set(Guard),
    /// A relation that a `let rec` defines, as far as it is known.
    Unknown,
    Union(Node, Node),
    Inter(Node, Node),
    Diff(Node, Node),
    Seq(Node, Node),
    Plus(Node),
    Opt(Node),
    Inverse(Node),
    Domain(Node),
    Range(Node),
}

#[derive(Clone, Debug)]
enum PlanStep {
    Compute(Node),
    /// Computes the nodes of `range` until each unknown equals its body.
    Fix {
        unknowns: Vec<(Node, Node)>,
        range: Range<u32>,
    },
    /// An axiom, with what it is asked unless.
    Check(Check, Option<PlanTest>),
}

#[derive(Clone, Copy, Debug)]
enum Check {
    Acyclic(Node),
    Irreflexive(Node),
    Empty(Node),
    Holds(PlanTest),
}

#[derive(Clone, Copy, Debug)]
enum PlanTest {
    Subset(Node, Node),
    Equal(Node, Node),
    Total(Node),
}

#[derive(Clone, Debug)]
struct Flag {
    name: String,
    warning: bool,
    test: PlanTest,
    guard: Option<PlanTest>,
}

/// A memory model as operations on matrices.
#[derive(Clone, Debug)]
pub struct Relational {
    name: String,
    ops: Vec<Op>,
    /// By node; see `plan::fixed`.
    fixed: Vec<bool>,
    /// By node: whether it is made of predicates alone.
    of_sets: Vec<bool>,
    /// By node: whether it relates events to themselves only.
    is_set: Vec<bool>,
    steps: Vec<PlanStep>,
    /// What only errors are made of; for executions that are complete.
    last_steps: Vec<PlanStep>,
    flags: Vec<Flag>,
    orders_threads: bool,
    /// It follows control as far as the arms of branches.
    pub(crate) has_arms: bool,
    causality: Causality,
    /// The same model for programs without cycles of `po | rf`, if it can be compiled for those.
    pub(crate) in_order: Option<Box<Model>>,
}

/// The basic relations of an execution; the others follow from them. Event 0 is the initialising one.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    pub attrs: Vec<Attrs>,
    /// Events of which more may be true than their attributes say.
    pub vague: Vec<bool>,
    pub po: Matrix,
    pub po_imm: Matrix,
    pub rf: Matrix,
    pub co: Matrix,
    pub fr: Matrix,
    pub rmw: Matrix,
    pub addr: Matrix,
    pub data: Matrix,
    pub ctrl: Matrix,
    pub arm: Matrix,
    /// From what the value that a compare-and-swap expects depends on to its read.
    pub casdep: Matrix,
    /// From writes to an object to writes of references to it.
    pub publishes: Matrix,
    pub tc: Matrix,
    pub tj: Matrix,
    /// Accesses of the same location, an event with itself included.
    pub loc: Matrix,
    /// Events of the same thread, an event with itself included.
    pub int: Matrix,
}

impl Candidate {
    /// Makes this an execution of `n` events of which nothing is known yet but the initialising one, which is
    /// before all others. Keeps its memory.
    pub fn begin(&mut self, n: usize) {
        for matrix in [
            &mut self.po,
            &mut self.po_imm,
            &mut self.rf,
            &mut self.co,
            &mut self.fr,
            &mut self.rmw,
            &mut self.addr,
            &mut self.data,
            &mut self.ctrl,
            &mut self.arm,
            &mut self.casdep,
            &mut self.publishes,
            &mut self.tc,
            &mut self.tj,
            &mut self.loc,
            &mut self.int,
        ] {
            matrix.clear(n);
        }
        self.attrs.clear();
        self.attrs.resize(n, Attrs::NONE);
        self.vague.clear();
        self.vague.resize(n, false);
        self.attrs[0] = Attrs::of(Kind::Init, Mode::Na, false);
        self.loc.add_identity();
        self.int.set(0, 0);
        (1..n).for_each(|y| self.po.set(0, y));
    }
}

/// Whether more events, sources and places are still to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Events are assumed of which not even all predicates are known.
    Assumed,
    /// Of the events that are there, all is known but the source of some reads and the place of some writes.
    Partial,
    /// This is a whole execution, as far as it goes: it is judged by what is there.
    Whole,
    /// Nothing more comes, and errors are asked for.
    Final,
}

impl Progress {
    fn is_whole(self) -> bool {
        matches!(self, Progress::Whole | Progress::Final)
    }
}

/// The matrices of one judgement, for reuse.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    values: Vec<Matrix>,
}

impl Relational {
    /// Compiles a model, or says which of its constructs cannot be evaluated.
    pub fn compile(theory: &Theory) -> Result<Relational, Diagnostic> {
        plan::compile(theory)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is known of the causes that the model tells: nothing, if nobody has said so.
    pub fn causality(&self) -> Causality {
        self.causality
    }

    /// Writes down what was found out about the model.
    pub fn set_causality(&mut self, known: Causality) {
        self.causality = known;
        let buffering = self.local().map(|local| {
            let synchronises = known.synchronises && self.is_coherent_by_po()
                || known.is_local && known.successors && self.synchronises(&local);
            Arc::new(Buffering { local, forwards: known.forwards, synchronises })
        });
        self.in_order = match (self.in_order.take(), buffering) {
            (Some(model), Some(buffering)) => Some(Box::new(model.watching_for(&buffering))),
            _ => None,
        };
    }

    /// Whether what the model asks of coherence by itself is that it agrees with program order.
    fn is_coherent_by_po(&self) -> bool {
        let agreed = self.steps.iter().filter_map(|step| match step {
            PlanStep::Check(Check::Irreflexive(r), None) => self.agreement(*r),
            _ => None,
        });
        let agreed: Vec<Node> = agreed.collect();
        matches!(agreed[..], [node] if self.ops[node.index()] == Op::Prim(Prim::Po))
    }

    /// The same model for programs of which it is watched that `po | rf` has no cycles, if it can be
    /// compiled for those.
    pub fn in_order(&self) -> Option<&Model> {
        self.in_order.as_deref().filter(|model| model.buffering().is_some() && !self.has_errors())
    }

    /// Whether the model calls something an error.
    pub fn has_errors(&self) -> bool {
        !self.flags.is_empty()
    }

    /// Whether the model says how the creation and the end of threads order events.
    pub fn orders_threads(&self) -> bool {
        self.orders_threads
    }

    /// Whether the execution satisfies the axioms; if it is partial, whether one that it grows into could.
    pub fn admits(&self, c: &Candidate, progress: Progress, space: &mut Workspace) -> bool {
        let n = c.attrs.len();
        space.values.resize(self.ops.len(), Matrix::default());
        let v = &mut space.values;
        let last = if progress == Progress::Final { &self.last_steps[..] } else { &[] };
        for step in self.steps.iter().chain(last) {
            match step {
                PlanStep::Compute(node) => self.compute(*node, c, progress, v),
                PlanStep::Fix { unknowns, range } => {
                    for (unknown, _) in unknowns {
                        v[unknown.index()].clear(n);
                    }
                    loop {
                        for at in range.clone() {
                            self.compute(Node(at), c, progress, v);
                        }
                        let mut stable = true;
                        for (unknown, body) in unknowns {
                            if v[unknown.index()] != v[body.index()] {
                                stable = false;
                                let value = v[body.index()].clone();
                                v[unknown.index()].assign(&value);
                            }
                        }
                        if stable {
                            break;
                        }
                    }
                }
                PlanStep::Check(check, guard) => {
                    if !self.passes(*check, progress, v) && !guard.is_some_and(|g| self.lifts(g, progress, v))
                    {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn passes(&self, check: Check, progress: Progress, v: &[Matrix]) -> bool {
        match check {
            Check::Acyclic(r) => v[r.index()].is_acyclic(),
            Check::Irreflexive(r) => v[r.index()].is_irreflexive(),
            Check::Empty(r) => v[r.index()].is_empty(),
            Check::Holds(test) => !progress.is_whole() || test.holds(v),
        }
    }

    /// Whether a guard lifts its axiom, or may come to lift it.
    fn lifts(&self, guard: PlanTest, progress: Progress, v: &[Matrix]) -> bool {
        !progress.is_whole() || guard.holds(v)
    }

    fn compute(&self, node: Node, c: &Candidate, progress: Progress, v: &mut [Matrix]) {
        let n = c.attrs.len();
        let mut value = std::mem::take(&mut v[node.index()]);
        let at = |x: &Node| &v[x.index()];
        match &self.ops[node.index()] {
            Op::Unknown => {}
            Op::Empty => value.clear(n),
            Op::Id => {
                value.clear(n);
                value.add_identity();
            }
            Op::Any => {
                value.clear(n);
                value.fill();
            }
            Op::Prim(prim) => primitive(*prim, c, &mut value),
            Op::Set(guard) => {
                value.clear(n);
                let members = c.attrs.iter().enumerate().filter(|(_, attrs)| guard.holds(**attrs));
                members.for_each(|(x, _)| value.set(x, x));
            }
            Op::Union(a, b) => {
                value.assign(at(a));
                value.unite(at(b));
            }
            Op::Inter(a, b) => {
                value.assign(at(a));
                value.intersect(at(b));
            }
            Op::Diff(a, b) => {
                let known = match progress {
                    Progress::Assumed => self.of_sets[b.index()],
                    Progress::Partial => self.fixed[b.index()],
                    Progress::Whole | Progress::Final => true,
                };
                if !known {
                    value.clear(n);
                } else {
                    value.assign(at(a));
                    value.subtract(at(b));
                    if progress == Progress::Assumed {
                        value.retain(|x, y| !c.vague[x] && !c.vague[y]);
                    }
                }
            }
            Op::Seq(a, b) => {
                value.clear(n);
                if self.is_set[b.index()] {
                    value.add_restricted(at(a), at(b));
                } else {
                    value.add_sequence(at(a), at(b));
                }
            }
            Op::Plus(a) => {
                value.assign(at(a));
                value.close();
            }
            Op::Opt(a) => {
                value.assign(at(a));
                value.add_identity();
            }
            Op::Inverse(a) => {
                value.clear(n);
                value.add_inverse(at(a));
            }
            Op::Domain(a) => {
                value.clear(n);
                let some = |x: &usize| at(a).successors(*x).next().is_some();
                (0..n).filter(some).for_each(|x| value.set(x, x));
            }
            Op::Range(a) => {
                value.clear(n);
                for x in 0..n {
                    at(a).successors(x).for_each(|y| value.set(y, y));
                }
            }
        }
        v[node.index()] = value;
    }

    /// What the model calls an error in a final execution that `admits` has just been asked about. `ids`
    /// says which events of the graph the candidate's are.
    pub fn errors(&self, ids: &[EventId], space: &Workspace) -> Vec<ModelError> {
        let v = &space.values;
        let mut found = Vec::new();
        for flag in &self.flags {
            if flag.guard.is_some_and(|g| g.holds(v)) {
                continue;
            }
            if let Some((x, y)) = flag.test.violation(v) {
                let (first, second) = (ids[x], ids[y]);
                found.push(ModelError { name: flag.name.clone(), warning: flag.warning, first, second });
            }
        }
        found
    }
}

impl PlanTest {
    fn nodes(self) -> Vec<Node> {
        match self {
            PlanTest::Subset(a, b) | PlanTest::Equal(a, b) => vec![a, b],
            PlanTest::Total(r) => vec![r],
        }
    }

    fn holds(self, v: &[Matrix]) -> bool {
        let at = |x: Node| &v[x.index()];
        match self {
            PlanTest::Subset(a, b) => at(a).is_subset(at(b)),
            PlanTest::Equal(a, b) => at(a) == at(b),
            PlanTest::Total(r) => {
                let r = at(r);
                let n = r.len();
                (0..n).all(|x| (0..n).all(|y| x == y || r.has(x, y) || r.has(y, x)))
            }
        }
    }

    /// Two events for which the test of an error fails. A pair that the left side relates in both
    /// directions only needs the right side in one of them; an event is not in conflict with itself.
    fn violation(self, v: &[Matrix]) -> Option<(usize, usize)> {
        let PlanTest::Subset(a, b) = self else { return (!self.holds(v)).then_some((0, 0)) };
        let (a, b) = (&v[a.index()], &v[b.index()]);
        (0..a.len()).find_map(|x| {
            let open = |y: &usize| x != *y && !b.has(x, *y) && !(a.has(*y, x) && b.has(*y, x));
            a.successors(x).find(open).map(|y| (x, y))
        })
    }
}

fn primitive(prim: Prim, c: &Candidate, out: &mut Matrix) {
    let n = c.attrs.len();
    let internal = |r: &Matrix, out: &mut Matrix| {
        out.assign(r);
        out.intersect(&c.int);
    };
    let external = |r: &Matrix, out: &mut Matrix| {
        out.assign(r);
        out.subtract(&c.int);
    };
    match prim {
        Prim::Po => out.assign(&c.po),
        Prim::PoImm => out.assign(&c.po_imm),
        Prim::PoLoc => {
            out.assign(&c.po);
            out.intersect(&c.loc);
        }
        Prim::Rf => out.assign(&c.rf),
        Prim::Rfe => external(&c.rf, out),
        Prim::Rfi => internal(&c.rf, out),
        Prim::Co => out.assign(&c.co),
        Prim::Coe => external(&c.co, out),
        Prim::Coi => internal(&c.co, out),
        Prim::Fr => out.assign(&c.fr),
        Prim::Fre => external(&c.fr, out),
        Prim::Fri => internal(&c.fr, out),
        Prim::Rmw => out.assign(&c.rmw),
        Prim::Addr => out.assign(&c.addr),
        Prim::Data => out.assign(&c.data),
        Prim::Ctrl => out.assign(&c.ctrl),
        Prim::CtrlArm => out.assign(&c.arm),
        Prim::CasDep => out.assign(&c.casdep),
        Prim::Publishes => out.assign(&c.publishes),
        Prim::Detour => {
            let (mut coe, mut rfe) = (c.co.clone(), c.rf.clone());
            coe.subtract(&c.int);
            rfe.subtract(&c.int);
            out.clear(n);
            out.add_sequence(&coe, &rfe);
            out.intersect(&c.po);
        }
        Prim::Tc => out.assign(&c.tc),
        Prim::Tj => out.assign(&c.tj),
        Prim::Loc => out.assign(&c.loc),
        Prim::LocOverlap => {
            out.clear(n);
            for x in 1..n {
                c.loc.successors(x).filter(|&y| y != x && y != 0).for_each(|y| out.set(x, y));
            }
        }
        Prim::Int => out.assign(&c.int),
        Prim::Ext => {
            out.clear(n);
            out.fill();
            out.subtract(&c.int);
        }
        Prim::Any => {
            out.clear(n);
            out.fill();
        }
        Prim::Alloc | Prim::Free => out.clear(n),
        // Not in axioms: `plan` refuses them.
        Prim::SameInode | Prim::SameBlock | Prim::SameLine | Prim::Appends => out.clear(n),
    }
}
