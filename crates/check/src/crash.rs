//! What recovery finds after a crash, and how that is taken down.

use crate::violation::{Suspect, Violation, Wanted};
use crate::witness::{Call, Place, stack_of};
use selvedge_explore::{
    Crashes, Execution, PostCrash, RecoveryAction, RecoveryEnd, RecoveryStop, recover, survives,
};
use selvedge_graph::{EventId, Loc, MediumKind, PersistOp};
use selvedge_machine::{Block, Durability, ErrorKind, Machine, Names};
use selvedge_model::{Compiled, Persistency};
use selvedge_vm::VmMachine;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;

/// How crashes are looked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Persist {
    /// What persists before what.
    pub model: Persistency,
    /// How often there may be a crash.
    pub crashes: u32,
    /// Recovery may write to what is durable.
    pub may_write: bool,
}

impl Persist {
    pub(crate) fn crashes(&self, memory: Option<Arc<Compiled>>, races: bool) -> Crashes {
        let Persist { model, crashes, may_write } = self.clone();
        Crashes { most: crashes.max(1), may_write, memory, races, ..Crashes::new(model) }
    }

    /// All that makes a difference to what is explored.
    pub(crate) fn identity(&self) -> String {
        format!("{} {} {}", self.model.text(), self.crashes, self.may_write)
    }
}

/// What a crash left of an execution, and what recovery made of it. Events are numbered as in the witness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Crash {
    /// The persistency model.
    pub model: String,
    /// Durable writes that had persisted, and those that had not, in a state that explains what recovery
    /// read.
    pub persisted: Vec<usize>,
    /// Those that had not.
    pub lost: Vec<usize>,
    /// What recovery did with what is durable.
    pub steps: Vec<CrashStep>,
    /// What would rule this out, if one thing alone does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// What would make this crash harmless: this execution cannot end like this with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Remedy {
    /// In words: `fsync of file 2`.
    pub what: String,
    /// After the step there.
    pub place: Place,
}

/// More places are not tried.
const MOST_REMEDIES: usize = 500;

/// A place at which something that is lost could be made to persist, so that recovery does not read what it
/// read.
fn remedy(
    x: &Execution<'_, VmMachine>,
    crashes: &Crashes,
    post: &PostCrash<'_, <VmMachine as selvedge_machine::Stateful>::State>,
    lost: &[EventId],
) -> Option<Remedy> {
    let (g, machine) = (x.graph, x.machine());
    if post.crash > 0 {
        return None;
    }
    let reads = post.steps.iter().filter_map(|step| match step.what {
        RecoveryAction::Read { loc, from, .. } => {
            Some((loc, from.map_or(0, |(_, w)| g.co_pos(w).unwrap_or(0) as u32)))
        }
        RecoveryAction::Write { .. } => None,
    });
    let reads: Vec<(Loc, u32)> = reads.collect();
    let place = |e: EventId| x.state_of(e).and_then(|s| machine.place(s)).map(Place::from);
    // What recovery missed first.
    let missed = |w: &&EventId| reads.iter().any(|(loc, _)| *loc == g.event(**w).loc);
    let (first, rest): (Vec<&EventId>, Vec<&EventId>) = lost.iter().partition(missed);
    let mut tried: Vec<(EventId, u32)> = Vec::new();
    for &w in first.into_iter().chain(rest).take(MOST_REMEDIES) {
        let Some(medium) = machine.medium(g.event(w).loc) else { continue };
        let Some(at) = place(w) else { continue };
        // After all that the same step of the program does.
        let thread = g.thread(g.event(w).tid);
        let from = thread.iter().position(|e| *e == w)?;
        let same = thread[from..].iter().take_while(|e| place(**e).as_ref() == Some(&at));
        let after = same.copied().last().unwrap_or(w);
        if tried.contains(&(after, medium.unit)) {
            continue;
        }
        tried.push((after, medium.unit));
        let op = if medium.kind == MediumKind::Memory { PersistOp::Clwb } else { PersistOp::Fsync };
        let mut ops = vec![(op, Some(medium.unit))];
        if op.is_flush() {
            ops.push((PersistOp::StoreFence, None));
        }
        if !survives(x, crashes, &reads, after, &ops) {
            let fence = if op.is_flush() { ", and sfence," } else { "" };
            let what = format!("{}{fence}", machine.persisted_name(op, medium.unit));
            return Some(Remedy { what, place: at });
        }
    }
    None
}

/// A step of recovery.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CrashStep {
    /// After how many crashes, from 1.
    pub crash: u32,
    /// Where in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// It writes; if not, it reads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writes: bool,
    /// What is read or written.
    pub location: String,
    /// The value.
    pub value: String,
    /// For a read: the write that it finds, if the program made it before the crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// For a read: later writes of the program to the same location, which were lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<usize>,
}

/// What recovery came to after one execution.
#[derive(Default)]
pub struct Recovered {
    /// How many states there were.
    pub states: u64,
    /// A loop of recovery ran into its bound.
    pub cut: bool,
    /// Why not all was explored.
    pub stop: Option<String>,
    /// `pb` is no order.
    pub refused: Option<String>,
    /// What is wrong: of each kind, at each line, the first.
    pub found: Vec<Violation>,
}

/// Runs recovery after an execution, until something is wrong, or to the end if all errors are looked for.
pub fn recovered(x: &Execution<'_, VmMachine>, crashes: &Crashes, wanted: Wanted) -> Recovered {
    let mut came_to = Recovered::default();
    let name = crashes.model.name();
    let stopped = recover(x, crashes, &mut |post| {
        match &post.end {
            RecoveryEnd::Assumed => return ControlFlow::Continue(()),
            RecoveryEnd::Cut => came_to.cut = true,
            _ => {}
        }
        came_to.states += 1;
        let Some((kind, message)) = wrong(x, post) else { return ControlFlow::Continue(()) };
        if !wanted.kinds.has(kind) {
            return ControlFlow::Continue(());
        }
        let line = x.machine().place(post.state).map(|place| place.line);
        let same = |old: &Violation| old.kind == kind && old.place.as_ref().map(|place| place.line) == line;
        if !came_to.found.iter().any(same) {
            came_to.found.push(take_down(x, post, (kind, message), crashes));
        }
        if wanted.all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match stopped {
        Ok(()) | Err(RecoveryStop::Enough) => {}
        Err(RecoveryStop::Cyclic(w)) => {
            let place = x.state_of(w).and_then(|s| x.machine().place(s));
            let at = place.map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
            let what = x.machine().location_name(x.graph.event(w).loc);
            came_to.refused = Some(format!(
                "the persistency model `{name}` is no order here: the write to {what}{at} would have to persist \
                 before itself in an execution of this program"
            ));
        }
        Err(RecoveryStop::TooHard) => {
            came_to.stop =
                Some(String::from("what recovery does with unknown inputs takes too long to find out"));
        }
        Err(RecoveryStop::TooLong) => {
            came_to.stop = Some(format!("recovery takes more than {} steps", crashes.max_steps));
        }
    }
    came_to
}

/// What is wrong with a run of recovery.
fn wrong<M: Machine>(x: &Execution<'_, M>, post: &PostCrash<'_, M::State>) -> Option<(ErrorKind, String)> {
    Some(match &post.end {
        RecoveryEnd::Done | RecoveryEnd::Assumed | RecoveryEnd::Cut => return None,
        RecoveryEnd::Failed(error) => {
            let error = x.machine().error(*error);
            match error.kind {
                ErrorKind::Assertion => {
                    (ErrorKind::RecoveryAssertion, format!("after a crash, {}", error.message))
                }
                kind => (kind, format!("after a crash: {}", error.message)),
            }
        }
        RecoveryEnd::Stuck(Block::Spin) => {
            (ErrorKind::NonTermination, String::from("after a crash, a loop of recovery never ends"))
        }
        RecoveryEnd::Stuck(_) => {
            (ErrorKind::Deadlock, String::from("after a crash, recovery waits for ever"))
        }
        RecoveryEnd::Wrong(kind, message) => (*kind, format!("after a crash: {message}")),
    })
}

fn take_down(
    x: &Execution<'_, VmMachine>,
    post: &PostCrash<'_, <VmMachine as selvedge_machine::Stateful>::State>,
    (kind, message): (ErrorKind, String),
    crashes: &Crashes,
) -> Violation {
    let (g, machine) = (x.graph, x.machine());
    let place = machine.place(post.state).map(Place::from);
    let stack: Vec<Call> = stack_of(machine, post.state);
    let (mut violation, numbers) = Suspect::after_crash(kind, message, place).violation_with_numbers(x);
    violation.stack = stack;
    let number = |e: EventId| numbers[e.index()];
    let durable = |e: &EventId| g.event(*e).is_write() && machine.medium(g.event(*e).loc).is_some();
    let writes: Vec<EventId> = g.order()[1..].iter().copied().filter(durable).collect();
    let (persisted, lost): (Vec<EventId>, Vec<EventId>) =
        writes.into_iter().partition(|w| post.has_persisted(g, *w));
    let missing = |loc: Loc| -> Vec<usize> {
        lost.iter().filter(|w| g.event(**w).loc == loc).map(|w| number(*w)).collect()
    };
    let steps = post.steps.iter().map(|step| {
        let place = machine.place(&step.state).map(Place::from);
        let (loc, value, writes, from) = match step.what {
            RecoveryAction::Read { loc, value, from } => (loc, value, false, from),
            RecoveryAction::Write { loc, value } => (loc, value, true, None),
        };
        CrashStep {
            crash: step.crash + 1,
            place,
            writes,
            location: machine.location_name(loc),
            value: machine.value_name(loc, value),
            from: from.filter(|(level, _)| *level == 0).map(|(_, w)| number(w)),
            missing: if writes || step.crash > 0 { Vec::new() } else { missing(loc) },
        }
    });
    let steps = steps.collect();
    let numbered = |writes: &[EventId]| {
        let mut all: Vec<usize> = writes.iter().map(|w| number(*w)).collect();
        all.sort();
        all
    };
    let remedy = remedy(x, crashes, post, &lost);
    let (persisted, lost) = (numbered(&persisted), numbered(&lost));
    let model = crashes.model.name().to_string();
    violation.crash = Some(Crash { model, persisted, lost, steps, remedy });
    violation
}
