//! One execution with all that a model looks at, to be judged again after it was changed.
//!
//! A [`Witness`](crate::Witness) is for readers; this is for whoever asks what would have become of the very
//! same execution if an access had been stronger, or a fence had been there.

use crate::witness::Place;
use selvedge_explore::Execution;
use selvedge_graph::{Attrs, Deps, EventId, Kind, Mode, Tid};
use selvedge_machine::Machine;

/// An event, by its thread and its position in it, from 0. The initial values are nobody's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventAt {
    /// The thread's number.
    pub thread: u16,
    /// From 0.
    pub index: u32,
}

/// What in the program's text made an event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Site {
    /// A place of a source.
    Source(Place),
    /// An instruction of a thread's code.
    Code(u32),
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedEvent {
    /// What it is.
    pub kind: Kind,
    /// The ordering.
    pub mode: Mode,
    /// What is true of it.
    pub attrs: Attrs,
    /// For reads and writes.
    pub loc: Option<u32>,
    /// For reads: where the value comes from; none for the initial one.
    pub source: Option<EventAt>,
    /// For the write of a read-modify-write: the position of its read.
    pub rmw_read: Option<u32>,
    /// For spawn and join: the other thread.
    pub peer: Option<u16>,
    /// For departures from a barrier: the arrivals that it waits for.
    pub round: Vec<EventAt>,
    /// The reads that it depends on, by their positions from 1.
    pub deps: Deps,
    /// What made it, if that is known.
    pub site: Option<Site>,
    /// It is a later step of the same instruction as the event before it.
    pub continues: bool,
}

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// Events in program order, by thread.
    pub threads: Vec<Vec<RecordedEvent>>,
    /// Coherence: the writes of each location that has some, in order.
    pub co: Vec<Vec<EventAt>>,
    /// It is wrong because the model says so; otherwise whatever the model says of it.
    pub by_model: bool,
}

impl Recorded {
    /// Takes an execution down.
    pub fn of<M: Machine>(x: &Execution<'_, M>, site: impl Fn(&M, &M::State) -> Option<Site>) -> Recorded {
        let g = x.graph;
        let at = |e: EventId| {
            let ev = g.event(e);
            EventAt { thread: ev.tid.0, index: ev.idx - 1 }
        };
        let thread = |t: u16| {
            let mut events: Vec<RecordedEvent> = Vec::new();
            for &e in g.thread(Tid(t)) {
                let ev = g.event(e);
                let access = matches!(ev.kind, Kind::Read | Kind::Write);
                let site = x.state_of(e).and_then(|state| site(x.machine(), state));
                // Of the machine: graphs that are shown need not have them.
                let machine = x.machine();
                let state = x.state_of(e).filter(|_| machine.tracks_deps());
                let deps = state.map_or(Deps::NONE, |state| machine.deps(state));
                let continues = events.last().is_some_and(|before| {
                    let halves = before.attrs.has(Attrs::UR) && ev.attrs.has(Attrs::UW);
                    let chosen = before.kind == Kind::Choice && access;
                    before.site == site && (halves || chosen || ev.part.before > 0)
                });
                let mut round: Vec<EventAt> = Vec::new();
                if ev.kind == Kind::Depart {
                    round.extend(g.round(e).iter().map(|&arrival| at(arrival)));
                }
                events.push(RecordedEvent {
                    kind: ev.kind,
                    mode: ev.mode,
                    attrs: ev.attrs,
                    loc: access.then_some(ev.loc.0),
                    source: g.rf(e).filter(|w| ev.is_read() && !w.is_init()).map(at),
                    rmw_read: g.rmw_read_of(e).filter(|_| ev.is_write()).map(|r| g.event(r).idx - 1),
                    peer: matches!(ev.kind, Kind::Spawn | Kind::Join).then_some(ev.peer.0),
                    round,
                    deps,
                    site,
                    continues,
                });
            }
            events
        };
        let co = |loc: u32| {
            let writes = g.co(selvedge_graph::Loc(loc)).iter().filter(|w| !w.is_init());
            writes.map(|&w| at(w)).collect::<Vec<_>>()
        };
        Recorded {
            threads: (0..g.threads() as u16).map(thread).collect(),
            co: (0..g.locations() as u32).map(co).filter(|writes| !writes.is_empty()).collect(),
            by_model: false,
        }
    }
}
