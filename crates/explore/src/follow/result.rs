//! From an execution that is complete to the graph that the visitor is shown.

use super::judge::Judge;
use super::web::{Ev, INIT, Line, Web};
use super::{Frame, Visit};
use crate::deferred::result::{Found, Shown, add_event, end_at};
use crate::report::{Config, Decisions, End, Stats};
use crate::threads::Threads;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, Tid};
use selvedge_machine::{Machine, Op};
use selvedge_model::relational::Relational;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// An execution that is complete, with whoever knows of it.
pub struct Complete<'a, M: Machine> {
    pub machine: &'a M,
    pub web: &'a Web<M::State>,
    pub model: &'a Relational,
    pub judge: &'a Judge,
    pub config: &'a Config,
    pub frames: &'a [Frame],
}

impl<M: Machine> Complete<'_, M> {
    /// Whether nothing can be wrong with it: see [`Config::plain`].
    fn is_plain(&self) -> bool {
        let web = self.web;
        let mut joined: SmallVec<[Tid; 8]> = SmallVec::new();
        let mut is_first = |t: Tid| {
            let first = !joined.contains(&t);
            joined.push(t);
            first
        };
        web.lines.iter().all(|line| line.next.as_ref().is_none_or(|next| next.op == Op::End))
            && web.events().all(|e| {
                let slot = web.at(e);
                match slot.face.kind {
                    Kind::Read | Kind::Write | Kind::Fence | Kind::Spawn | Kind::Choice => true,
                    // Twice would be an error.
                    Kind::Join => matches!(slot.at.op, Op::Join { thread } if is_first(thread)),
                    _ => false,
                }
            })
            && (!self.model.has_errors()
                || self.model.errors(&vec![EventId::INIT; web.len + 1], self.judge.space()).is_empty())
    }
}

pub fn show<M: Machine>(x: &Complete<'_, M>, stats: &mut Stats, visit: &mut Visit<'_, M>) -> ControlFlow<()> {
    let Complete { machine, web, model, judge, config, frames } = *x;
    if !config.plain && x.is_plain() {
        stats.count(End::Complete);
        return ControlFlow::Continue(());
    }
    let mut graph = ExecutionGraph::new(web.lines.len(), &[], 0);
    for loc in (0..web.co.len() as u32).map(Loc) {
        graph.add_location(machine.init_value(loc), machine.object(loc));
    }
    let mut threads = Threads::new(web.lines.len());
    let mut ids = vec![EventId::INIT; web.bound()];
    let judged = model.has_errors();
    // In the numbers of the candidate that the model saw last.
    let mut shown = vec![EventId::INIT; web.len + 1];
    // In the order in which they came, but for holes, which were filled late: threads in their order.
    let mut order: Vec<(u32, Ev)> = Vec::with_capacity(web.len);
    for line in &web.lines {
        let mut latest = 0;
        for &e in &line.events {
            latest = latest.max(web.at(e).face.stamp);
            order.push((latest, e));
        }
    }
    order.sort_by_key(|(latest, _)| *latest);
    for &(_, e) in &order {
        let slot = web.at(e);
        let face = &slot.face;
        ids[e as usize] = add_event(&mut graph, slot.tid, slot.at.op, Some(face.loc), face.value);
        if judged {
            shown[judge.number(e)] = ids[e as usize];
        }
    }
    for e in web.events() {
        let face = &web.at(e).face;
        if face.kind == Kind::Read {
            let from = if face.rf == INIT { EventId::INIT } else { ids[face.rf as usize] };
            graph.read_from(ids[e as usize], from, face.mode, face.attrs);
        }
    }
    for co in &web.co {
        for (at, &w) in co.iter().enumerate() {
            graph.place(ids[w as usize], at + 1);
        }
    }
    let found = Found(if judged { model.errors(&shown, judge.space()) } else { Vec::new() });
    let failure = found.failure(machine, &graph, config);
    // Where events come from is asked if something is wrong, if objects may be left behind, or if who looks
    // at it says so.
    let ended = |line: &Line<M::State>| line.next.as_ref().is_none_or(|next| next.op == Op::End);
    if config.origins
        || failure.is_some()
        || !found.0.is_empty()
        || !web.lines.iter().all(ended)
        || order.iter().any(|(_, e)| matches!(web.at(*e).face.kind, Kind::Alloc))
    {
        for (_, e) in order {
            let slot = web.at(e);
            threads.record_final(slot.tid, M::State::clone(&slot.at.state), slot.at.op);
        }
    }
    let mut end = End::Complete;
    for (t, line) in web.lines.iter().enumerate() {
        let Some(next) = &line.next else { continue };
        threads.stand_final(Tid(t as u16), M::State::clone(&next.state), next.op);
        end = end.max(end_at(next.op));
    }
    let shown = Shown { machine, graph: &graph, threads: &threads, found: &found, failure };
    shown.visit(end, Decisions::Revisits(frames), stats, visit)
}
