//! What recovery may find after a crash (thesis §8.3, §8.4).
//!
//! The recovery routine runs after an execution, as an observer: each of its reads of a durable location
//! reads from some write of the execution, so that `[REC] ; rb ; pb? ; rf ; [REC]` is empty. That is kept by
//! two numbers per location: up to where in coherence writes *must* have persisted, because something that
//! was read persisted after them; and what was read, beyond which nothing has. All writes are there already,
//! so nothing is ever revisited, and the latest write that must have persisted can always be read: no way is
//! left in vain. Two ways differ in what some read reads from, so no post-crash state is found twice.
//!
//! Beyond the thesis, the routine may write; what it wrote is ordinary memory to it. It may then crash as
//! well: its own events are an execution, whose initial values are what the crash before left. So crashes are
//! a stack of *levels*, and a read that finds nothing newer in one asks the one below.
//!
//! Partial executions need no search of their own. What may have persisted when an execution is cut short is
//! what may have persisted when it goes on with reads of the latest writes, and writes at the end of
//! coherence: those are before nothing that was there.

mod level;
mod search;
mod threads;

use search::Search;
use selvedge_graph::{EventId, ExecutionGraph, Loc, Medium, PersistOp, Value};
use selvedge_machine::{Block, ErrorKind, Machine};
use selvedge_model::{Compiled, PersistMemo, Persistency};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::inserted::with_persist_after;
use crate::report::Execution;

/// How recovery is explored.
#[derive(Clone, Debug)]
pub struct Crashes {
    /// What persists before what.
    pub model: Persistency,
    /// How often there may be a crash: once, or again while recovery runs.
    pub most: u32,
    /// Whether recovery may write to what is durable.
    pub may_write: bool,
    /// Longer runs of recovery are given up.
    pub max_steps: usize,
    /// The memory model, for recovery that creates threads; and whether races are looked for there.
    pub memory: Option<Arc<Compiled>>,
    pub races: bool,
}

impl Crashes {
    pub fn new(model: Persistency) -> Crashes {
        Crashes { model, most: 1, may_write: true, max_steps: 1_000_000, memory: None, races: false }
    }
}

/// How a run of the recovery routine ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecoveryEnd {
    /// It has ended.
    Done,
    /// An assumption of its own does not hold.
    Assumed,
    /// A loop ran into its bound.
    Cut,
    /// It waits for ever.
    Stuck(Block),
    /// It failed by itself; the machine keeps the message.
    Failed(u32),
    /// It makes something wrong of memory, or what is not supported.
    Wrong(ErrorKind, String),
}

/// A step of the recovery routine that is about what is durable.
pub struct RecoveryStep<S> {
    /// Where the routine stands.
    pub state: S,
    /// Which run of the routine this is, from 0.
    pub crash: u32,
    pub what: RecoveryAction,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryAction {
    /// It reads; from which write of which level (0 is the program itself), if it is not the initial value.
    Read {
        loc: Loc,
        value: Value,
        from: Option<(u32, EventId)>,
    },
    Write {
        loc: Loc,
        value: Value,
    },
}

/// One run of recovery, and what it found.
pub struct PostCrash<'a, S> {
    pub end: RecoveryEnd,
    /// Where it ended.
    pub state: &'a S,
    pub steps: &'a [RecoveryStep<S>],
    /// How many crashes came before it.
    pub crash: u32,
    /// By location, up to where in coherence the program's writes have persisted, for a snapshot that
    /// explains what was read: as little as possible has.
    persisted: &'a HashMap<Loc, u32>,
}

impl<S> PostCrash<'_, S> {
    /// Whether a durable write of the program has persisted.
    pub fn has_persisted(&self, g: &ExecutionGraph, w: EventId) -> bool {
        let pos = g.co_pos(w).unwrap_or(usize::MAX);
        self.persisted.get(&g.event(w).loc).is_some_and(|up_to| pos <= *up_to as usize)
    }
}

/// Why the search ended before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecoveryStop {
    /// The visitor had seen enough, or all has to be explored again.
    Enough,
    /// `pb` is no order in this execution: the write given persists before itself.
    Cyclic(EventId),
    /// It is not known whether what threads found out of unknown inputs goes together.
    TooHard,
    /// A run takes too many steps.
    TooLong,
}

/// Shows every run of the recovery routine after this execution to `visit`, each once.
pub fn recover<M: Machine>(
    x: &Execution<'_, M>,
    crashes: &Crashes,
    visit: &mut dyn FnMut(&PostCrash<'_, M::State>) -> ControlFlow<()>,
) -> Result<(), RecoveryStop> {
    let machine = x.machine();
    let Some(start) = machine.recovery(0) else { return Ok(()) };
    if machine.recovery_has_threads() {
        return threads::recover(x, crashes, start, visit);
    }
    let media: RefCell<HashMap<Loc, Option<Medium>>> = RefCell::default();
    let medium = |loc: Loc| *media.borrow_mut().entry(loc).or_insert_with(|| machine.medium(loc));
    Search::new(x, crashes, &medium, visit).run(start)
}

/// Whether recovery could still read from these writes (places in coherence, 0 for initial values) if the
/// thread of `after` made something persist right after it.
pub fn survives<M: Machine>(
    x: &Execution<'_, M>,
    crashes: &Crashes,
    reads: &[(Loc, u32)],
    after: EventId,
    ops: &[(PersistOp, Option<u32>)],
) -> bool {
    let machine = x.machine();
    let g = with_persist_after(x.graph, after, ops);
    let mut memo = PersistMemo::new(&g, &|loc| machine.medium(loc));
    let mut floor: HashMap<Loc, u32> = HashMap::new();
    let mut order = crashes.model.order(&g, &mut memo);
    let read = reads.iter().filter(|(_, pos)| *pos > 0).map(|(loc, pos)| g.co(*loc)[*pos as usize]);
    let mut pasts = order.surely();
    pasts.extend(read.collect::<Vec<_>>().into_iter().map(|w| order.past(w)));
    for &(loc, pos) in pasts.iter().flat_map(|past| &past.latest) {
        let known = floor.entry(loc).or_insert(0);
        *known = pos.max(*known);
    }
    reads.iter().all(|(loc, pos)| floor.get(loc).is_none_or(|least| least <= pos))
}
