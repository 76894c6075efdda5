//! Steps within a thread that are made of several: `ppo`, fences.
//!
//! A part of a model that speaks of one thread at a time can be a step by itself: which earlier events of its
//! thread an event is related to is found when a search needs it first, and kept with the event as sets of
//! positions (*strands*). Automata are as small then as what threads have to do with each other.
//!
//! What depends on coherence is told by sources. Of two reads of a location in a thread, the second of which
//! reads from another thread, another write than the first, the first comes before that write in coherence
//! (`fre ; rfe`); and so does a write of the thread before the read (`moe ; rfe`): otherwise the execution
//! is not coherent, which is found first.

use crate::letter::{Base, Letter};
use crate::relational::{Local, LocalEvent, LocalOp};
use crate::term::{Term, Terms};
use selvedge_graph::{DepSet, Deps, EventId, ExecutionGraph};
use selvedge_kat::{DefBody, DefId, Diagnostic, Prim, Rel, Set, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// The parts of a model that are found for each thread by itself.
#[derive(Debug, Default)]
pub(crate) struct Strands {
    ops: Vec<LocalOp>,
    defs: HashMap<DefId, Option<u32>>,
}

impl Strands {
    fn node(&mut self, op: LocalOp) -> u32 {
        let known = self.ops.iter().position(|o| *o == op);
        known.unwrap_or_else(|| {
            self.ops.push(op);
            self.ops.len() - 1
        }) as u32
    }

    /// For computing them; `None` if there are none.
    pub(crate) fn finish(self) -> Option<Arc<Local>> {
        (!self.ops.is_empty()).then(|| Arc::new(Local::of_ops(self.ops)))
    }
}

impl Terms<'_> {
    /// A relation, or a part of it, as a step within threads, if it speaks of threads by themselves and is
    /// made of several steps.
    pub(crate) fn stranded(&mut self, rel: &Rel, span: &Span) -> Result<Option<Term>, Diagnostic> {
        if self.strands.is_none() {
            return Ok(None);
        }
        match rel {
            Rel::Union(..) => {
                let mut members = Vec::new();
                self.members(rel, &mut members);
                let (mut nodes, mut others, mut worth) = (Vec::new(), Vec::new(), false);
                for member in members {
                    match if self.is_reflexive(&member) { None } else { self.strand(&member, span)? } {
                        Some(node) => {
                            worth |= self.is_composed(&member);
                            nodes.push((node, member));
                        }
                        None => others.push(member),
                    }
                }
                if !worth && nodes.len() < 2 {
                    return Ok(None);
                }
                let Some(strands) = &mut self.strands else { return Ok(None) };
                let nodes = nodes.into_iter().map(|(node, _)| node);
                let Some(node) = nodes.reduce(|a, b| strands.node(LocalOp::Union(a, b))) else {
                    return Ok(None);
                };
                let mut term = strand_of(node);
                for other in others {
                    term = Term::union(term, self.rel(&other, span)?);
                }
                Ok(Some(term))
            }
            Rel::Star(a) if !self.is_reflexive(a) => {
                let all = Rel::Plus(a.clone());
                Ok(self.strand(&all, span)?.map(|node| Term::Opt(Box::new(strand_of(node)))))
            }
            Rel::Seq(..) | Rel::Plus(_) | Rel::Inter(..) | Rel::Diff(..)
                if self.is_composed(rel) && !self.is_reflexive(rel) =>
            {
                Ok(self.strand(rel, span)?.map(strand_of))
            }
            _ => Ok(None),
        }
    }

    fn members(&self, rel: &Rel, out: &mut Vec<Rel>) {
        match rel {
            Rel::Union(a, b) => {
                self.members(a, out);
                self.members(b, out);
            }
            Rel::Def(id) => match &self.theory.defs[id.0 as usize] {
                def if def.rec_group.is_none() && !def.view => match &def.body {
                    DefBody::Rel(body @ (Rel::Union(..) | Rel::Def(_))) => self.members(body, out),
                    _ => out.push(rel.clone()),
                },
                _ => out.push(rel.clone()),
            },
            _ => out.push(rel.clone()),
        }
    }

    /// Whether it may relate an event with itself.
    fn is_reflexive(&self, rel: &Rel) -> bool {
        match rel {
            Rel::Empty | Rel::Declared(_) | Rel::Prim(_) => false,
            Rel::Id | Rel::Test(_) | Rel::Star(_) | Rel::Opt(_) | Rel::Cross(..) | Rel::Not(_) => true,
            Rel::Def(id) => match &self.theory.defs[id.0 as usize].body {
                DefBody::Rel(body) if self.theory.defs[id.0 as usize].rec_group.is_none() => {
                    self.is_reflexive(body)
                }
                _ => true,
            },
            Rel::Union(a, b) => self.is_reflexive(a) || self.is_reflexive(b),
            Rel::Seq(a, b) | Rel::Inter(a, b) => self.is_reflexive(a) && self.is_reflexive(b),
            Rel::Diff(a, _) | Rel::Plus(a) => self.is_reflexive(a),
            Rel::Inverse(_) | Rel::SameEnds(_) | Rel::Rot(_) => true,
        }
    }

    /// Whether it is more than single steps with tests.
    fn is_composed(&self, rel: &Rel) -> bool {
        match rel {
            Rel::Def(id) => match &self.theory.defs[id.0 as usize].body {
                DefBody::Rel(body) => self.is_composed(body),
                DefBody::Set(_) => false,
            },
            Rel::Seq(a, b) => {
                let steps = |rel: &Rel| !self.is_set(rel);
                steps(a) && steps(b) || self.is_composed(a) || self.is_composed(b)
            }
            Rel::Union(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => {
                self.is_composed(a) || self.is_composed(b)
            }
            Rel::Plus(_) | Rel::Star(_) => true,
            Rel::Opt(a) => self.is_composed(a),
            _ => false,
        }
    }

    fn is_set(&self, rel: &Rel) -> bool {
        match rel {
            Rel::Id | Rel::Test(_) => true,
            Rel::Def(id) => matches!(self.theory.defs[id.0 as usize].body, DefBody::Set(_)),
            _ => false,
        }
    }

    /// The sets of a relation, if it speaks of one thread.
    fn strand(&mut self, rel: &Rel, span: &Span) -> Result<Option<u32>, Diagnostic> {
        let op = match rel {
            Rel::Empty | Rel::Declared(_) => LocalOp::Nothing,
            Rel::Id => LocalOp::Id,
            Rel::Test(set) => self.strand_test(set, span)?,
            Rel::Prim(Prim::Detour) => LocalOp::Detours,
            Rel::Prim(p) => match p {
                Prim::Po
                | Prim::PoImm
                | Prim::PoLoc
                | Prim::Coi
                | Prim::Fri
                | Prim::Rfi
                | Prim::Rmw
                | Prim::Addr
                | Prim::Data
                | Prim::Ctrl
                | Prim::CasDep
                | Prim::Publishes => LocalOp::Prim(*p),
                _ => return Ok(None),
            },
            Rel::Def(id) => return self.strand_of_def(*id),
            Rel::Inter(a, b) if let Some(op) = by_sources(self.theory, a, b) => op,
            Rel::Seq(a, b) if **b == Rel::Prim(Prim::Po) => match self.strand(a, span)? {
                Some(a) => LocalOp::ThenPo(a),
                None => return Ok(None),
            },
            Rel::Union(a, b) | Rel::Seq(a, b) | Rel::Inter(a, b) | Rel::Diff(a, b) => {
                let Some(x) = self.strand(a, span)? else { return Ok(None) };
                let Some(y) = self.strand(b, span)? else { return Ok(None) };
                match rel {
                    Rel::Union(..) => LocalOp::Union(x, y),
                    Rel::Seq(..) => LocalOp::Seq(x, y),
                    Rel::Inter(..) => LocalOp::Inter(x, y),
                    _ => LocalOp::Diff(x, y),
                }
            }
            Rel::Plus(a) | Rel::Star(a) | Rel::Opt(a) => {
                let Some(mut node) = self.strand(a, span)? else { return Ok(None) };
                if !matches!(rel, Rel::Opt(_)) {
                    node = self.strand_node(LocalOp::Plus(node));
                }
                if matches!(rel, Rel::Plus(_)) {
                    return Ok(Some(node));
                }
                LocalOp::Opt(node)
            }
            Rel::Cross(..) | Rel::Inverse(_) | Rel::Not(_) | Rel::SameEnds(_) | Rel::Rot(_) => {
                return Ok(None);
            }
        };
        Ok(Some(self.strand_node(op)))
    }

    fn strand_node(&mut self, op: LocalOp) -> u32 {
        self.strands.get_or_insert_default().node(op)
    }

    fn strand_test(&mut self, set: &Set, span: &Span) -> Result<LocalOp, Diagnostic> {
        Ok(LocalOp::Set(self.set(set, span)?))
    }

    fn strand_of_def(&mut self, id: DefId) -> Result<Option<u32>, Diagnostic> {
        if let Some(known) = self.strands.as_ref().and_then(|s| s.defs.get(&id)) {
            return Ok(*known);
        }
        let theory = self.theory;
        let def = &theory.defs[id.0 as usize];
        let node = match &def.body {
            _ if def.rec_group.is_some() => None,
            DefBody::Rel(rel) => self.strand(rel, &def.span)?,
            DefBody::Set(set) => {
                let op = self.strand_test(set, &def.span)?;
                Some(self.strand_node(op))
            }
        };
        self.strands.get_or_insert_default().defs.insert(id, node);
        Ok(node)
    }
}

fn strand_of(node: u32) -> Term {
    Term::Letter(Letter::plain(Base::Strand(node as u16)))
}

/// `po-loc & (fre ; rfe)` and `po-loc & (moe ; rfe)`.
pub(crate) fn by_sources(theory: &selvedge_kat::Theory, a: &Rel, b: &Rel) -> Option<LocalOp> {
    let bare = |rel: &Rel| match rel {
        Rel::Def(id) => match &theory.defs[id.0 as usize].body {
            DefBody::Rel(body) => body.clone(),
            DefBody::Set(_) => rel.clone(),
        },
        _ => rel.clone(),
    };
    let (a, b) = (bare(a), bare(b));
    let (path, step) = match (&a, &b) {
        (Rel::Seq(..), step) => (&a, step),
        (step, Rel::Seq(..)) => (&b, step),
        _ => return None,
    };
    let (Rel::Seq(first, second), Rel::Prim(Prim::PoLoc)) = (path, step) else { return None };
    match (&**first, &**second) {
        (Rel::Prim(Prim::Fre), Rel::Prim(Prim::Rfe)) => Some(LocalOp::Rereads),
        (Rel::Prim(Prim::Coe), Rel::Prim(Prim::Rfe)) => Some(LocalOp::Detours),
        _ => None,
    }
}

/// The sets of an event, given those of the events before it in its thread.
pub(crate) fn of(local: &Local, g: &ExecutionGraph, e: EventId) -> Vec<DepSet> {
    let mut sets = Vec::with_capacity(local.width());
    let ev = g.event(e);
    let (mut same, mut written) = (DepSet::EMPTY, DepSet::EMPTY);
    let (mut rereads, mut detours) = (DepSet::EMPTY, DepSet::EMPTY);
    let mut own_source = None;
    if ev.is_read() || ev.is_write() {
        let source = g.rf(e);
        let from_other = source.is_some_and(|w| !w.is_init() && g.event(w).tid != ev.tid);
        own_source = source.filter(|w| !w.is_init() && !from_other).map(|w| g.event(w).idx);
        let mut before = g.po_loc_pred(e);
        while let Some(x) = before {
            before = g.po_loc_pred(x);
            let other = g.event(x);
            same.insert(other.idx);
            if other.is_write() {
                written.insert(other.idx);
            } else if from_other && g.rf(x) != source {
                rereads.insert(other.idx);
            }
        }
        if from_other {
            detours = written.clone();
        }
    }
    let event = LocalEvent {
        idx: ev.idx,
        attrs: ev.attrs,
        deps: g.deps(e).unwrap_or(&Deps::NONE),
        same_location: &same,
        same_written: &written,
        own_source,
        rereads: &rereads,
        detours: &detours,
    };
    let thread = g.thread(ev.tid);
    local.compute(&event, &|idx| g.strands(thread[idx as usize - 1]), &mut sets);
    sets
}
