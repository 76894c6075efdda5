//! Recovery that creates threads.
//!
//! What is durable is then read by several threads, under the memory model, so a run of recovery is an
//! exploration like any other: of a program whose first thread is the routine, and whose durable locations
//! begin with what the crash left. Which write of a location has persisted last is decided when the first
//! thread comes to the location, the latest one first, so that `REC` holds of all that is decided; the
//! program is then explored whole. After that the last decision is changed that has another alternative, and
//! it is explored again. So every content of what is looked at comes up once, and all that recovery does with
//! it. Post-crash states are told apart by what was read, as ever: the same reads in another order of threads
//! are no other state.

use super::level::{Graph, Level, settle, surely};
use super::{Crashes, PostCrash, RecoveryAction, RecoveryEnd, RecoveryStep, RecoveryStop};
use crate::explore_compiled;
use crate::report::{Config, End, Execution, GaveUp};
use selvedge_graph::{Deps, EventId, ExecutionGraph, Kind, Loc, Medium, Part, Tid, Value};
use selvedge_machine::{
    Again, Block, Claims, Dependencies, Durability, ErrorKind, Foresight, Lifetimes, Machine, Meeting, Names,
    Op, ProgramError, SourcePlace, Stateful,
};
use selvedge_model::PersistMemo;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What the crash left, as far as it is decided.
struct Left<'a> {
    graph: &'a ExecutionGraph,
    crashes: &'a Crashes,
    level: Level,
    decided: Vec<Decided>,
    /// Locations that this exploration has given a value that nobody asked for.
    given: HashSet<Loc>,
    /// One of them was asked for: the exploration begins again.
    again: bool,
    stop: Option<RecoveryStop>,
}

/// Up to which write, by its place in coherence, a location has persisted; no less than `least`.
struct Decided {
    loc: Loc,
    next: u32,
    least: u32,
    mark: usize,
}

impl Left<'_> {
    /// Decides about a location that a thread is about to access.
    fn ask(&mut self, loc: Loc) {
        if self.stop.is_some() || self.level.read.contains_key(&loc) {
            return;
        }
        let known = self.graph.locations() > loc.index();
        let writes = if known { self.graph.co(loc).len() as u32 } else { 1 };
        let least = self.level.floor.get(&loc).copied().unwrap_or(0);
        self.decided.push(Decided { loc, next: writes, least, mark: self.level.undo.len() });
        self.lower();
        self.again |= self.given.contains(&loc);
    }

    /// Takes the next alternative of the last decision, if there is one.
    fn lower(&mut self) -> bool {
        let Some(last) = self.decided.last_mut() else { return false };
        loop {
            self.level.undo_to(last.mark);
            if last.next == last.least {
                return false;
            }
            last.next -= 1;
            match settle(&self.crashes.model, self.graph, &mut self.level, last.loc, last.next) {
                Ok(false) => {}
                Ok(true) => return true,
                Err(stop) => {
                    self.stop = Some(stop);
                    return true;
                }
            }
        }
    }

    /// Changes what was decided; `false` if everything was there.
    fn next(&mut self) -> bool {
        self.given.clear();
        // The same again, with what was asked for after it had been given.
        if std::mem::take(&mut self.again) {
            return true;
        }
        while !self.decided.is_empty() {
            if self.lower() {
                return true;
            }
            self.decided.pop();
        }
        false
    }

    fn write(&self, loc: Loc) -> Option<EventId> {
        let place = *self.level.read.get(&loc)?;
        (place > 0).then(|| self.graph.co(loc)[place as usize])
    }
}

/// The program after a crash.
struct After<'a, M: Machine> {
    inner: &'a M,
    start: M::State,
    left: &'a RefCell<Left<'a>>,
}

/// Shows what recovery does after one execution, with all its threads.
pub(super) fn recover<M: Machine>(
    x: &Execution<'_, M>,
    crashes: &Crashes,
    start: M::State,
    visit: &mut dyn FnMut(&PostCrash<'_, M::State>) -> ControlFlow<()>,
) -> Result<(), RecoveryStop> {
    let machine = x.machine();
    let medium = |loc: Loc| machine.medium(loc);
    let refuse = |why: &str| RecoveryEnd::Wrong(ErrorKind::Unsupported, why.to_string());
    let unable = match &crashes.memory {
        _ if crashes.most > 1 => Some(refuse("recovery that creates threads, and may crash once more")),
        _ if machine.has_unknowns() => Some(refuse("recovery that creates threads, and unknown inputs")),
        None => Some(refuse("recovery that creates threads, where no memory model is given")),
        Some(_) => None,
    };
    let mut level = Level::new(Graph::OfProgram, PersistMemo::new(x.graph, &medium));
    surely(&crashes.model, x.graph, &mut level);
    let (Some(memory), None) = (&crashes.memory, &unable) else {
        let end = unable.unwrap_or(RecoveryEnd::Done);
        let post = PostCrash { end, state: &start, steps: &[], crash: 0, persisted: &level.floor };
        return if visit(&post).is_break() { Err(RecoveryStop::Enough) } else { Ok(()) };
    };
    let left = RefCell::new(Left {
        graph: x.graph,
        crashes,
        level,
        decided: Vec::new(),
        given: HashSet::new(),
        again: false,
        stop: None,
    });
    let mut seen: HashSet<Vec<(Loc, u32)>> = HashSet::new();
    loop {
        let after = After { inner: machine, start: start.clone(), left: &left };
        let config = Config { inspect: true, races: crashes.races, ..Config::default() };
        let mut enough = false;
        let stats = explore_compiled(&after, memory, &config, &mut |run| {
            let left = left.borrow();
            if left.again || left.stop.is_some() {
                return ControlFlow::Break(());
            }
            let reads = reads_of(run, &left);
            let (end, at) = ended(run, crashes.may_write);
            let unwanted = matches!(end, RecoveryEnd::Assumed);
            let fine = matches!(end, RecoveryEnd::Done | RecoveryEnd::Cut);
            // Without an error, what was read before is no other state.
            if !unwanted && fine && !seen.insert(reads) && end == RecoveryEnd::Done {
                return ControlFlow::Continue(());
            }
            let steps = steps_of(run, &left);
            let state = run.state(at).unwrap_or(&start);
            let persisted = &left.level.floor;
            enough = visit(&PostCrash { end, state, steps: &steps, crash: 0, persisted }).is_break();
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(stop) = left.borrow_mut().stop.take() {
            return Err(stop);
        }
        if enough || machine.again().is_some() {
            return Err(RecoveryStop::Enough);
        }
        match stats.map(|stats| stats.gave_up) {
            Ok(None | Some(GaveUp::AtExecution)) => {}
            Ok(Some(GaveUp::Again(_))) => return Err(RecoveryStop::Enough),
            Ok(Some(_)) | Err(_) => return Err(RecoveryStop::TooLong),
        }
        if !left.borrow_mut().next() {
            return Ok(());
        }
    }
}

/// What was read of what the crash left: by location, the place in coherence.
fn reads_of<M: Machine>(run: &Execution<'_, After<'_, M>>, left: &Left<'_>) -> Vec<(Loc, u32)> {
    let g = run.graph;
    let initial = |e: &&EventId| g.event(**e).is_read() && g.rf(**e) == Some(EventId::INIT);
    let locs = g.order()[1..].iter().filter(initial).map(|e| g.event(*e).loc);
    let mut reads: Vec<(Loc, u32)> =
        locs.filter_map(|loc| Some((loc, *left.level.read.get(&loc)?))).collect();
    reads.sort();
    reads.dedup();
    reads
}

/// How it ends, and which thread is to be looked at.
fn ended<M: Machine>(run: &Execution<'_, After<'_, M>>, may_write: bool) -> (RecoveryEnd, Tid) {
    let g = run.graph;
    let machine = run.machine();
    let wrong = |kind: ErrorKind, what: &str, e: EventId| {
        (RecoveryEnd::Wrong(kind, format!("{what}, in recovery")), g.event(e).tid)
    };
    let events = &g.order()[1..];
    let allocated: HashSet<u32> = events
        .iter()
        .filter(|e| g.event(**e).kind == Kind::Alloc)
        .map(|e| g.event(*e).value as u32)
        .collect();
    for &e in events.iter().filter(|e| g.event(**e).is_read() || g.event(**e).is_write()) {
        let loc = g.event(e).loc;
        if let Some(object) = machine.object(loc)
            && machine.is_allocated(object)
            && !allocated.contains(&object)
        {
            let what = "volatile memory from before the crash is used through a pointer that was kept";
            return wrong(ErrorKind::WildPointer, what, e);
        }
        if !may_write && g.event(e).is_write() && machine.medium(loc).is_some() {
            return wrong(ErrorKind::RecoveryWrite, "a write to what is durable", e);
        }
    }
    if let Some(failure) = run.failure() {
        return wrong(failure.kind, failure.kind.name(), failure.event);
    }
    if let Some((t, _)) = run.program_error()
        && let Some(Op::Error(error)) = run.stands_at(t)
    {
        return (RecoveryEnd::Failed(error), t);
    }
    if let Some(error) = run.unnoticed_errors().into_iter().find(|error| !error.warning) {
        return wrong(ErrorKind::OfModel, &error.name, error.second);
    }
    match run.end {
        _ if run.exited() => (RecoveryEnd::Done, Tid(0)),
        End::Complete | End::Error => (RecoveryEnd::Done, Tid(0)),
        End::Cut => (RecoveryEnd::Cut, Tid(0)),
        End::Blocked => match run.stuck().as_deref().and_then(cause) {
            Some((t, why)) => (RecoveryEnd::Stuck(why.unwrap_or(Block::Other)), t),
            None => (RecoveryEnd::Assumed, Tid(0)),
        },
    }
}

/// Of threads that wait for ever, one that others wait for.
fn cause(stuck: &[(Tid, Option<Block>)]) -> Option<(Tid, Option<Block>)> {
    let spins = stuck.iter().find(|(_, why)| *why == Some(Block::Spin));
    spins.or_else(|| stuck.iter().find(|(_, why)| why.is_some())).or(stuck.first()).copied()
}

/// What was done with what is durable.
fn steps_of<M: Machine>(run: &Execution<'_, After<'_, M>>, left: &Left<'_>) -> Vec<RecoveryStep<M::State>> {
    let g = run.graph;
    let step = |e: &EventId| {
        let ev = g.event(*e);
        (ev.is_read() || ev.is_write()).then(|| run.machine().medium(ev.loc))??;
        let what = match ev.is_write() {
            true => RecoveryAction::Write { loc: ev.loc, value: ev.value },
            false => {
                let from = g.rf(*e)?;
                let first = from.is_init().then(|| left.write(ev.loc)).flatten();
                RecoveryAction::Read {
                    loc: ev.loc,
                    value: g.value_of(from, ev.loc),
                    from: first.map(|w| (0, w)),
                }
            }
        };
        Some(RecoveryStep { state: run.state_of(*e)?.clone(), crash: 0, what })
    };
    g.order()[1..].iter().filter_map(step).collect()
}

impl<M: Machine> Stateful for After<'_, M> {
    type State = M::State;
}

impl<M: Machine> Machine for After<'_, M> {
    fn threads(&self) -> usize {
        self.inner.threads()
    }

    fn runs_from_start(&self, thread: Tid) -> bool {
        thread == Tid(0)
    }

    fn init_value(&self, loc: Loc) -> Value {
        if self.inner.medium(loc).is_none() {
            return self.inner.init_value(loc);
        }
        let mut left = self.left.borrow_mut();
        if !left.level.read.contains_key(&loc) {
            left.given.insert(loc);
        }
        left.write(loc).map_or_else(|| self.inner.init_value(loc), |w| left.graph.value_of(w, loc))
    }

    fn start(&self, _: Tid) -> M::State {
        self.start.clone()
    }

    fn spawned(&self, parent: &M::State, child: Tid) -> M::State {
        self.inner.spawned(parent, child)
    }

    fn step(&self, state: &mut M::State, input: Value) -> Op {
        let op = self.inner.step(state, input);
        if let Op::Load { loc, .. } | Op::Store { loc, .. } = op
            && self.inner.medium(loc).is_some()
        {
            let mut left = self.left.borrow_mut();
            left.ask(loc);
            if left.again || left.stop.is_some() {
                return Op::Block(Block::Assume);
            }
        }
        op
    }

    fn writes_after(&self, state: &M::State, value: Value) -> bool {
        self.inner.writes_after(state, value)
    }

    fn has_parts(&self) -> bool {
        self.inner.has_parts()
    }

    fn part(&self, state: &M::State) -> Part {
        self.inner.part(state)
    }

    fn error(&self, error: u32) -> ProgramError {
        self.inner.error(error)
    }

    fn again(&self) -> Option<Again> {
        self.inner.again()
    }
}

impl<M: Machine> Durability for After<'_, M> {
    fn medium(&self, loc: Loc) -> Option<Medium> {
        self.inner.medium(loc)
    }
}

impl<M: Machine> Lifetimes for After<'_, M> {
    fn object(&self, loc: Loc) -> Option<u32> {
        self.inner.object(loc)
    }

    fn is_local(&self, object: u32) -> bool {
        self.inner.is_local(object)
    }

    fn is_allocated(&self, object: u32) -> bool {
        self.inner.is_allocated(object)
    }

    fn waits_within(&self, object: u32) -> Vec<Meeting> {
        self.inner.waits_within(object)
    }

    fn ends_process(&self, state: &M::State) -> bool {
        self.inner.ends_process(state)
    }

    fn is_background(&self, state: &M::State) -> bool {
        self.inner.is_background(state)
    }
}

impl<M: Machine> Claims for After<'_, M> {
    fn whole(&self, loc: Loc) -> u32 {
        self.inner.whole(loc)
    }

    fn has_sections(&self) -> bool {
        self.inner.has_sections()
    }

    fn in_section(&self, state: &M::State) -> bool {
        self.inner.in_section(state)
    }

    fn meets_once(&self, barrier: u32) -> bool {
        self.inner.meets_once(barrier)
    }
}

impl<M: Machine> Dependencies for After<'_, M> {
    fn tracks_deps(&self) -> bool {
        self.inner.tracks_deps()
    }

    fn deps(&self, state: &M::State) -> Deps {
        self.inner.deps(state)
    }

    fn does_not_know(&self, state: &mut M::State) {
        self.inner.does_not_know(state);
    }
}

impl<M: Machine> Names for After<'_, M> {
    fn place(&self, state: &M::State) -> Option<SourcePlace> {
        self.inner.place(state)
    }
}

// What is to come is not foreseen.
impl<M: Machine> Foresight for After<'_, M> {}
