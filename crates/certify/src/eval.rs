//! A model as a judge of candidate executions: every term is a boolean matrix, computed as its
//! definition says.
//!
//! The terms of a [`Theory`] become one list of nodes in which equal terms are shared. A node is
//! computed as early as what it depends on is known: with the events, with `rf`, or with `co`, and as late as
//! the first axiom that needs it. That is all the cleverness there is; the explorer's automata and clocks are
//! tested against this.

use crate::execution::{Event, Relations};
use crate::matrix::{Matrix, bits};
use crate::schedule::{by_need, of_test};
use crate::terms::Compiler;
use selvedge_kat::ast::{Constraint, DefBody, Pred, Prim, Rel, Theory};
use std::fmt;
use std::ops::Range;

/// What has been chosen when a term can be computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Events,
    Rf,
    Co,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Events, Stage::Rf, Stage::Co];
}

/// Why a model cannot be judged by matrices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the oracle cannot evaluate {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node(pub(crate) u32);

/// One operation. Sets are diagonal relations, so that there is one kind of value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    Empty,
    Id,
    Any,
    Prim(Prim),
    Pred(Pred),
    /// A relation or predicate that the model declares, by its number in the judge.
    Declared(u32),
    /// The relation defined by a `let rec`, as far as it is known.
    Unknown(u32),
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
pub(crate) enum Step {
    Compute(Node),
    /// Computes the nodes of `range` until each unknown equals its body.
    Fix {
        unknowns: Vec<(Node, Node)>,
        range: Range<u32>,
    },
    Check(Check, Option<Test>),
}

/// What an axiom asks of the matrix of its term.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    Acyclic(Node),
    Irreflexive(Node),
    Holds(Test),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Subset(Node, Node),
    Equal(Node, Node),
    Total(Node),
}

/// An `error` or `warning` of a model.
#[derive(Clone, Debug)]
struct Flag {
    name: String,
    warning: bool,
    test: Test,
    guard: Option<Test>,
}

/// A model, ready to judge executions.
#[derive(Clone, Debug)]
pub struct Judge {
    ops: Vec<Op>,
    steps: [Vec<Step>; 3],
    flags: Vec<Flag>,
    declared: Vec<String>,
    /// What `recovery` says.
    recovery: Vec<Node>,
    coherent: bool,
}

/// The matrices of one execution in the making. Reused for every candidate.
#[derive(Clone, Debug)]
pub struct Scratch {
    values: Vec<Matrix>,
}

impl Judge {
    /// Whether the model follows control as far as the arms of branches only.
    pub fn has_arms(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Prim(Prim::CtrlArm)))
    }

    pub fn new(theory: &Theory) -> Result<Judge, Unsupported> {
        let mut c = Compiler::new(theory);
        c.definitions()?;
        // Errors last: they are only looked for in executions that all the axioms admit.
        for axiom in theory.axioms.iter().filter(|a| !a.extra) {
            let guard = axiom.unless.as_ref().map(|i| c.inclusion(i)).transpose()?;
            let check = match &axiom.constraint {
                Constraint::Acyclic(r) => Check::Acyclic(c.rel(r)?),
                Constraint::Irreflexive(r) => Check::Irreflexive(c.rel(r)?),
                Constraint::Coherence(r) => {
                    let r = c.rel(r)?;
                    let [rf, co, fr] = [Prim::Rf, Prim::Co, Prim::Fr].map(|p| c.node(Op::Prim(p)));
                    let step = c.node(Op::Union(rf, co));
                    let step = c.node(Op::Union(step, fr));
                    let eco = c.node(Op::Plus(step));
                    Check::Irreflexive(c.node(Op::Seq(r, eco)))
                }
                Constraint::Empty(r) => {
                    let (r, empty) = (c.rel(r)?, c.node(Op::Empty));
                    Check::Holds(Test::Subset(r, empty))
                }
                Constraint::Inclusion(i) => Check::Holds(c.inclusion(i)?),
                Constraint::Error { .. } => continue,
            };
            c.check(check, guard);
        }
        let mut flags = Vec::new();
        for axiom in theory.axioms.iter().filter(|a| !a.extra) {
            if let Constraint::Error { name, warning, unless } = &axiom.constraint {
                let guard = axiom.unless.as_ref().map(|i| c.inclusion(i)).transpose()?;
                let test = c.inclusion(unless)?;
                flags.push(Flag { name: name.clone(), warning: *warning, test, guard });
            }
        }
        if flags.len() > 32 {
            return Err(Unsupported(String::from("more than 32 errors")));
        }
        let recovery: Vec<Node> =
            theory.recovery.iter().map(|(rel, _)| c.rel(rel)).collect::<Result<_, _>>()?;
        let mut wanted = recovery.clone();
        for flag in &flags {
            wanted.extend(of_test(flag.test).into_iter().chain(flag.guard.into_iter().flat_map(of_test)));
        }
        let coherent = theory.axioms.iter().any(|axiom| {
            let says = matches!(&axiom.constraint, Constraint::Coherence(r) if contains_po(theory, r));
            says && !axiom.extra && axiom.unless.is_none()
        });
        let steps = by_need(&c.ops, c.steps, &wanted);
        Ok(Judge { ops: c.ops, steps, flags, declared: c.declared, recovery, coherent })
    }

    /// Whether an axiom says that each location by itself is coherent: `coherence` of something that is seen
    /// to contain `po`.
    pub fn is_coherent(&self) -> bool {
        self.coherent
    }

    /// What persists before what, in an execution that passed every stage: the closure of what `recovery`
    /// says.
    pub fn persists_before(&self, n: usize, scratch: &Scratch) -> Matrix {
        let all = self.recovery.iter().map(|node| scratch.values[node.0 as usize]);
        all.fold(Matrix::EMPTY, |all, one| all.union(&one)).plus(n)
    }

    /// The names of the errors and warnings, by their bit in the flags of an execution.
    pub fn flag_names(&self) -> impl Iterator<Item = (&str, bool)> {
        self.flags.iter().map(|f| (f.name.as_str(), f.warning))
    }

    pub fn scratch(&self) -> Scratch {
        Scratch { values: vec![Matrix::EMPTY; self.ops.len()] }
    }

    /// Computes what can be computed at this stage. False if an axiom fails already.
    pub fn admits(&self, stage: Stage, events: &[Event], base: &Relations, scratch: &mut Scratch) -> bool {
        let v = &mut scratch.values;
        for step in &self.steps[stage as usize] {
            match step {
                Step::Compute(node) => self.compute(*node, events, base, v),
                Step::Fix { unknowns, range } => {
                    for (unknown, _) in unknowns {
                        v[unknown.0 as usize] = Matrix::EMPTY;
                    }
                    loop {
                        for at in range.clone() {
                            self.compute(Node(at), events, base, v);
                        }
                        let mut stable = true;
                        for (unknown, body) in unknowns {
                            stable &= v[unknown.0 as usize] == v[body.0 as usize];
                            v[unknown.0 as usize] = v[body.0 as usize];
                        }
                        if stable {
                            break;
                        }
                    }
                }
                Step::Check(check, guard) => {
                    let n = base.n;
                    let passes = match check {
                        Check::Acyclic(r) => v[r.0 as usize].is_acyclic(n),
                        Check::Irreflexive(r) => v[r.0 as usize].is_irreflexive(),
                        Check::Holds(test) => test.holds(v, n),
                    };
                    if !passes && !guard.is_some_and(|g| g.holds(v, n)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The errors and warnings of an execution that passed every stage.
    pub fn flags(&self, n: usize, scratch: &Scratch) -> u32 {
        let v = &scratch.values;
        let mut found = 0;
        for (at, flag) in self.flags.iter().enumerate() {
            if flag.test.is_violated(v, n) && !flag.guard.is_some_and(|g| g.holds(v, n)) {
                found |= 1 << at;
            }
        }
        found
    }

    fn compute(&self, node: Node, events: &[Event], base: &Relations, v: &mut [Matrix]) {
        let n = base.n;
        let at = |x: Node| &v[x.0 as usize];
        let value = match self.ops[node.0 as usize] {
            Op::Empty => Matrix::EMPTY,
            Op::Id => Matrix::id(n),
            Op::Any => Matrix::any(n),
            Op::Prim(prim) => primitive(prim, base),
            Op::Pred(pred) => {
                let holds = |(x, e): (usize, &Event)| u32::from(e.satisfies(pred)) << x;
                Matrix::diagonal(events.iter().enumerate().map(holds).fold(0, |a, b| a | b))
            }
            Op::Declared(name) => {
                let name = &self.declared[name as usize];
                base.declared.iter().find(|(known, _)| known == name).map_or(Matrix::EMPTY, |(_, m)| *m)
            }
            Op::Unknown(_) => return,
            Op::Union(a, b) => at(a).union(at(b)),
            Op::Inter(a, b) => at(a).inter(at(b)),
            Op::Diff(a, b) => at(a).diff(at(b)),
            Op::Seq(a, b) => at(a).compose(at(b), n),
            Op::Plus(a) => at(a).plus(n),
            Op::Opt(a) => at(a).opt(n),
            Op::Inverse(a) => at(a).inverse(n),
            Op::Domain(a) => at(a).domain(),
            Op::Range(a) => at(a).range(),
        };
        v[node.0 as usize] = value;
    }
}

/// Whether a term contains `po` by the way it is written.
fn contains_po(theory: &Theory, r: &Rel) -> bool {
    match r {
        Rel::Prim(Prim::Po) => true,
        Rel::Union(a, b) => contains_po(theory, a) || contains_po(theory, b),
        Rel::Plus(a) | Rel::Star(a) | Rel::Opt(a) => contains_po(theory, a),
        Rel::Def(d) => match theory.defs.get(d.0 as usize) {
            Some(def) if def.rec_group.is_none() => {
                matches!(&def.body, DefBody::Rel(body) if contains_po(theory, body))
            }
            _ => false,
        },
        _ => false,
    }
}

impl Test {
    fn holds(self, v: &[Matrix], n: usize) -> bool {
        let at = |x: Node| &v[x.0 as usize];
        match self {
            Test::Subset(a, b) => at(a).is_subset(at(b)),
            Test::Equal(a, b) => at(a) == at(b),
            Test::Total(r) => {
                let both = at(r).union(&at(r).inverse(n)).union(&Matrix::id(n));
                both == Matrix::any(n)
            }
        }
    }

    /// As `holds` fails, but a pair that the left side relates in both directions only needs the
    /// right side in one of them, and an event is not in conflict with itself.
    fn is_violated(self, v: &[Matrix], n: usize) -> bool {
        let Test::Subset(a, b) = self else { return !self.holds(v, n) };
        let (a, b) = (&v[a.0 as usize], &v[b.0 as usize]);
        (0..n).any(|x| {
            let missing = a.row(x) & !b.row(x) & !(1 << x);
            bits(missing).any(|y| !(a.has(y, x) && b.has(y, x)))
        })
    }
}

fn primitive(prim: Prim, r: &Relations) -> Matrix {
    match prim {
        Prim::Po => r.po,
        Prim::PoImm => r.po_imm,
        Prim::PoLoc => r.po.inter(&r.loc),
        Prim::Rf => r.rf,
        Prim::Rfe => r.rf.inter(&r.ext),
        Prim::Rfi => r.rf.inter(&r.int),
        Prim::Co => r.co,
        Prim::Coe => r.co.inter(&r.ext),
        Prim::Coi => r.co.inter(&r.int),
        Prim::Fr => r.fr,
        Prim::Fre => r.fr.inter(&r.ext),
        Prim::Fri => r.fr.inter(&r.int),
        Prim::Rmw => r.rmw,
        Prim::Detour => {
            let (coe, rfe) = (r.co.inter(&r.ext), r.rf.inter(&r.ext));
            coe.compose(&rfe, r.n).inter(&r.po)
        }
        Prim::Tc => r.tc,
        Prim::Tj => r.tj,
        Prim::LocOverlap => r.loc_overlap,
        Prim::Loc => r.loc,
        Prim::Int => r.int,
        Prim::Ext => r.ext,
        Prim::Any => Matrix::any(r.n),
        Prim::Addr => r.addr,
        Prim::Data => r.data,
        Prim::Ctrl => r.ctrl,
        Prim::CtrlArm => r.arm,
        Prim::CasDep => r.casdep,
        Prim::Publishes => r.publishes,
        // The programs here have no allocation.
        Prim::Alloc | Prim::Free => Matrix::EMPTY,
        Prim::SameInode => r.same_inode,
        Prim::SameBlock => r.same_block,
        Prim::SameLine => r.same_line,
        Prim::Appends => r.appends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::INIT;
    use selvedge_graph::{Kind, Mode};
    use selvedge_kat::Span;
    use selvedge_kat::ast::{Axiom, Def, DefBody, DefId, Inclusion, Rel, Set};

    fn span() -> Span {
        Span { file: "test".into(), line: 1, col: 1, len: 1 }
    }

    fn prim(p: Prim) -> Box<Rel> {
        Box::new(Rel::Prim(p))
    }

    fn theory(defs: Vec<Def>, constraint: Constraint, unless: Option<Inclusion>) -> Theory {
        let axiom = Axiom { constraint, name: None, unless, extra: false, span: span() };
        Theory {
            name: "test".into(),
            defs,
            axioms: vec![axiom],
            assumes: vec![],
            asserts: vec![],
            properties: vec![],
            recovery: vec![],
        }
    }

    /// Store buffering with both reads from the initialising event.
    fn store_buffering() -> (Vec<Event>, Relations) {
        let event = |kind, tid, idx, loc| Event { tid, idx, loc, ..Event::new(kind, Mode::Sc) };
        let events = vec![
            Event::init(),
            event(Kind::Write, 0, 1, 0),
            event(Kind::Read, 0, 2, 1),
            event(Kind::Write, 1, 1, 1),
            event(Kind::Read, 1, 2, 0),
        ];
        let mut base = Relations::of(&events);
        for (read, other) in [(2, 3), (4, 1)] {
            base.rf.set(INIT, read);
            base.fr.set(read, other);
        }
        base.co.set_row(INIT, 0b01010);
        (events, base)
    }

    fn admits(theory: &Theory) -> bool {
        let judge = Judge::new(theory).expect("supported");
        let (events, base) = store_buffering();
        let mut scratch = judge.scratch();
        Stage::ALL.iter().all(|s| judge.admits(*s, &events, &base, &mut scratch))
    }

    fn po_fr() -> Rel {
        Rel::Union(prim(Prim::Po), prim(Prim::Fr))
    }

    #[test]
    fn axioms() {
        assert!(!admits(&theory(vec![], Constraint::Acyclic(po_fr()), None)));
        assert!(admits(&theory(vec![], Constraint::Irreflexive(po_fr()), None)));
        assert!(admits(&theory(vec![], Constraint::Coherence(Rel::Prim(Prim::Po)), None)));
        assert!(admits(&theory(vec![], Constraint::Empty(Rel::Prim(Prim::Rfi)), None)));
        assert!(!admits(&theory(vec![], Constraint::Empty(Rel::Prim(Prim::Rfe)), None)));
    }

    #[test]
    fn a_guard_that_holds_lifts_the_axiom() {
        let none = |pred| Inclusion::Equal(Rel::Test(Set::Pred(pred)), Rel::Empty);
        assert!(admits(&theory(vec![], Constraint::Acyclic(po_fr()), Some(none(Pred::Na)))));
        assert!(!admits(&theory(vec![], Constraint::Acyclic(po_fr()), Some(none(Pred::Sc)))));
    }

    /// `let rec c = r | c ; r`.
    fn closure(r: Rel) -> Def {
        let step = Rel::Seq(Box::new(Rel::Def(DefId(0))), Box::new(r.clone()));
        let body = DefBody::Rel(Rel::Union(Box::new(r), Box::new(step)));
        Def { name: "c".into(), body, view: false, rec_group: Some(0), span: span() }
    }

    #[test]
    fn recursion_is_the_least_fixed_point() {
        for r in [Rel::Prim(Prim::PoImm), Rel::Prim(Prim::Rf), po_fr()] {
            let same = Inclusion::Equal(Rel::Def(DefId(0)), Rel::Plus(Box::new(r.clone())));
            assert!(admits(&theory(vec![closure(r.clone())], Constraint::Inclusion(same), None)));
        }
    }

    #[test]
    fn recursion_through_a_complement_is_refused() {
        let mut def = closure(Rel::Prim(Prim::Po));
        def.body = DefBody::Rel(Rel::Not(Box::new(Rel::Def(DefId(0)))));
        assert!(Judge::new(&theory(vec![def], Constraint::Acyclic(Rel::Id), None)).is_err());
    }

    #[test]
    fn a_conflict_is_ordered_in_one_direction() {
        let flag = |right: Rel| {
            let unless = Inclusion::Subset(Rel::Prim(Prim::LocOverlap), right);
            theory(vec![], Constraint::Error { name: "race".into(), warning: false, unless }, None)
        };
        let flags = |t: &Theory| {
            let judge = Judge::new(t).expect("supported");
            let (events, base) = store_buffering();
            let mut scratch = judge.scratch();
            assert!(Stage::ALL.iter().all(|s| judge.admits(*s, &events, &base, &mut scratch)));
            judge.flags(base.n, &scratch)
        };
        assert_eq!(flags(&flag(Rel::Prim(Prim::Po))), 1);
        assert_eq!(flags(&flag(Rel::Prim(Prim::Fr))), 0);
    }
}
