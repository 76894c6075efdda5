//! From an execution that is complete to the graph that the visitor is shown.

use super::partial::{Ev, INIT, Partial, Source};
use super::{Visit, lifetimes};
use crate::inspect::kind_of;
use crate::report::{Config, Decisions, End, Execution, Failure, ModelErrors, Stats};
use crate::threads::Threads;
use selvedge_graph::{EventId, ExecutionGraph, Loc, Tid, Value};
use selvedge_machine::{Machine, Op};
use selvedge_model::ModelError;
use std::ops::ControlFlow;

pub fn show<M: Machine>(
    machine: &M,
    p: &Partial<M::State>,
    config: &Config,
    errors: impl FnOnce(&[EventId]) -> Vec<ModelError>,
    stats: &mut Stats,
    visit: &mut Visit<'_, M>,
) -> ControlFlow<()> {
    let mut graph = ExecutionGraph::new(p.lines.len(), &[], 0);
    for loc in (0..p.co.len() as u32).map(Loc) {
        graph.add_location(machine.init_value(loc), machine.object(loc));
    }
    let mut threads = Threads::new(p.lines.len());
    // By event of `p`; in the candidate that the model saw last, events have the same numbers.
    let mut ids = vec![EventId::INIT];
    for e in p.events() {
        ids.push(add(&mut graph, p, e));
        let standing = &p.at(e).standing;
        threads.record_final(p.at(e).tid, M::State::clone(&standing.state), standing.op);
    }
    for w in p.events() {
        if let Some(r) = p.rmw_read(w).filter(|_| p.at(w).standing.other_half.is_some()) {
            graph.set_apart(ids[w], ids[r]);
        }
    }
    for e in p.events() {
        if let Source::From(w) = p.at(e).source {
            let Some((mode, attrs)) = p.mode_and_attrs(e) else { unreachable!("all is known") };
            graph.read_from(ids[e], ids[w], mode, attrs);
        }
    }
    for co in &p.co {
        for (at, &w) in co.iter().enumerate() {
            graph.place(ids[w], at + 1);
        }
    }
    let mut end = End::Complete;
    for (t, line) in p.lines.iter().enumerate() {
        let Some(standing) = &line.standing else { continue };
        threads.stand_final(Tid(t as u16), M::State::clone(&standing.state), standing.op);
        end = end.max(end_at(standing.op));
    }
    let found = Found(errors(&ids));
    let failure = found.failure(machine, &graph, config);
    let shown = Shown { machine, graph: &graph, threads: &threads, found: &found, failure };
    shown.visit(end, Decisions::None, stats, visit)
}

fn add<S: Clone>(graph: &mut ExecutionGraph, p: &Partial<S>, e: Ev) -> EventId {
    debug_assert!(e != INIT);
    let h = p.at(e);
    add_event(graph, h.tid, h.standing.op, h.loc, h.value.unwrap_or(0))
}

/// Adds the event of an operation of a thread; if it is an access, of this location.
pub(crate) fn add_event(
    graph: &mut ExecutionGraph,
    t: Tid,
    op: Op,
    loc: Option<Loc>,
    value: Value,
) -> EventId {
    match (op, loc) {
        (Op::Load { mode, .. }, Some(loc)) => graph.add_read(t, mode, loc),
        (Op::Store { mode, rmw, .. }, Some(loc)) => graph.add_write(t, mode, loc, value, rmw),
        (Op::Fence { mode }, _) => graph.add_fence(t, mode),
        (Op::Spawn { thread }, _) => graph.add_spawn(t, thread),
        (Op::Join { thread }, _) => graph.add_join(t, thread),
        (Op::Detach { thread }, _) => graph.add_detach(t, thread),
        (Op::Alloc { object }, _) => graph.add_alloc(t, object),
        (Op::Free { object }, _) => graph.add_free(t, object),
        (Op::Persist { op, unit }, _) => graph.add_persist(t, op, unit),
        _ => graph.add_choice(t, value),
    }
}

/// How an execution ends of which a thread ends with this.
pub(crate) fn end_at(op: Op) -> End {
    match op {
        Op::End => End::Complete,
        Op::Cut => End::Cut,
        Op::Error(_) => End::Error,
        _ => End::Blocked,
    }
}

/// An execution that is complete, as a graph.
pub(crate) struct Shown<'x, M: Machine> {
    pub machine: &'x M,
    pub graph: &'x ExecutionGraph,
    pub threads: &'x Threads<M::State>,
    pub found: &'x Found,
    pub failure: Option<Failure>,
}

impl<M: Machine> Shown<'_, M> {
    /// Counts it and shows it. `end` is how its threads end.
    pub fn visit(
        self,
        end: End,
        decisions: Decisions<'_>,
        stats: &mut Stats,
        visit: &mut Visit<'_, M>,
    ) -> ControlFlow<()> {
        let Shown { machine, graph, threads, found, failure } = self;
        let end = if failure.is_some() { End::Error } else { end };
        stats.count(end);
        let failure = failure.as_ref();
        visit(&Execution { graph, end, machine, model: found, threads, failure, culprit: None, decisions })
    }
}

/// What the model found already.
pub(crate) struct Found(pub Vec<ModelError>);

impl Found {
    /// What inspection finds, or else a race.
    pub fn failure<M: Machine>(
        &self,
        machine: &M,
        graph: &ExecutionGraph,
        config: &Config,
    ) -> Option<Failure> {
        let race = || {
            let race = self.0.iter().find(|error| config.races && !error.warning)?;
            Some(Failure { kind: kind_of(race), event: race.second, other: Some(race.first) })
        };
        if config.inspect { lifetimes::inspect(machine, graph).or_else(race) } else { None }
    }
}

impl ModelErrors for Found {
    fn errors(&self, _graph: &ExecutionGraph) -> Vec<ModelError> {
        self.0.clone()
    }

    fn unnoticed(&self, _graph: &ExecutionGraph) -> Vec<ModelError> {
        self.0.clone()
    }

    fn name_at(&self, _graph: &ExecutionGraph, e: EventId) -> Option<String> {
        self.0.iter().find(|error| !error.warning && error.second == e).map(|error| error.name.clone())
    }
}
