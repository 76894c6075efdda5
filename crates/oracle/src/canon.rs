//! Executions in a form that does not depend on how they were found.
//!
//! A [`Canon`] is a string of bytes: thread by thread the events with their sources, then the
//! coherence orders. Two executions are the same exactly if their strings are; leaving the second
//! part out gives equality up to `rf`. How threads ended is no part of it: that follows from the
//! program and the values read.

use crate::execution::Execution;
use selvedge_certify::execution::{INIT, NO_LOC, NO_THREAD};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, Mode, Tid, Value};
use std::fmt;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Canon {
    /// Events first; from `co_at` on, the coherence orders.
    bytes: Vec<u8>,
    co_at: u32,
}

/// One event as written into a [`Canon`].
struct Entry {
    kind: Kind,
    mode: Mode,
    rmw: bool,
    loc: Option<u32>,
    value: Value,
    peer: Option<u16>,
    /// For reads; `None` is the initialising event.
    source: Option<Place>,
}

/// Thread and position of an event.
type Place = (u16, u32);

const KINDS: [Kind; 7] =
    [Kind::Init, Kind::Read, Kind::Write, Kind::Fence, Kind::Spawn, Kind::Join, Kind::Choice];

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn place(&mut self, place: Option<Place>) {
        match place {
            None => self.number(0),
            Some((tid, idx)) => {
                self.number(tid as u64 + 1);
                self.number(idx as u64);
            }
        }
    }

    fn entry(&mut self, e: &Entry) {
        let kind = KINDS.iter().position(|k| *k == e.kind).unwrap_or(0) as u8;
        self.bytes.extend([kind << 1 | e.rmw as u8, e.mode.code()]);
        if let Some(loc) = e.loc {
            self.number(loc as u64);
        }
        if matches!(e.kind, Kind::Read | Kind::Write | Kind::Choice) {
            self.number(((e.value << 1) ^ (e.value >> 63)) as u64);
        }
        if let Some(peer) = e.peer {
            self.number(peer as u64);
        }
        if e.kind == Kind::Read {
            self.place(e.source);
        }
    }

    fn finish(self, co_at: usize) -> Canon {
        Canon { bytes: self.bytes, co_at: co_at as u32 }
    }
}

impl Canon {
    /// The explorer's graph; without coherence for equality up to `rf`.
    pub fn from_graph(graph: &ExecutionGraph, with_co: bool) -> Canon {
        let same: Vec<Tid> = (0..graph.threads() as u16).map(Tid).collect();
        Canon::renamed(graph, with_co, &same)
    }

    /// The same after a permutation of threads: thread `t` does what `does[t]` did. Who creates threads and
    /// waits for them still does so by the old names.
    pub fn renamed(graph: &ExecutionGraph, with_co: bool, does: &[Tid]) -> Canon {
        let name = |t: Tid| does.iter().position(|x| *x == t).unwrap_or(t.index()) as u16;
        let place = |e: EventId| {
            let ev = graph.event(e);
            (!e.is_init()).then(|| (name(ev.tid), ev.idx))
        };
        let mut w = Writer { bytes: Vec::with_capacity(96) };
        for &t in does {
            let thread = graph.thread(t);
            w.number(thread.len() as u64);
            for &e in thread {
                let ev = graph.event(e);
                let access = ev.is_read() || ev.is_write();
                let peer = matches!(ev.kind, Kind::Spawn | Kind::Join).then_some(ev.peer.0);
                w.entry(&Entry {
                    kind: ev.kind,
                    mode: ev.mode,
                    rmw: ev.is_rmw_read() || ev.is_rmw_write(),
                    loc: access.then_some(ev.loc.0),
                    value: ev.value,
                    peer,
                    source: if ev.is_read() { graph.rf(e).and_then(place) } else { None },
                });
            }
        }
        let co_at = w.bytes.len();
        if with_co {
            for loc in 0..graph.locations() {
                let order = &graph.co(Loc(loc as u32))[1..];
                w.number(order.len() as u64);
                order.iter().for_each(|e| w.place(place(*e)));
            }
        }
        w.finish(co_at)
    }

    pub fn from_execution(x: &Execution<'_>, with_co: bool) -> Canon {
        let place = |e: usize| (e != INIT).then(|| (x.events[e].tid, x.events[e].idx));
        let mut w = Writer { bytes: Vec::with_capacity(96) };
        for t in 0..x.ends.len() {
            let own = || x.events.iter().enumerate().filter(|(_, e)| e.tid as usize == t);
            w.number(own().count() as u64);
            for (at, e) in own() {
                w.entry(&Entry {
                    kind: e.kind,
                    mode: e.mode,
                    rmw: e.rmw,
                    loc: (e.loc != NO_LOC).then_some(e.loc),
                    value: e.value,
                    peer: (e.peer != NO_THREAD).then_some(e.peer),
                    source: if e.kind == Kind::Read { place(x.rf[at] as usize) } else { None },
                });
            }
        }
        let co_at = w.bytes.len();
        if with_co {
            for order in x.co {
                w.number(order.len() as u64);
                order.iter().for_each(|e| w.place(place(*e as usize)));
            }
        }
        w.finish(co_at)
    }

    /// The same execution up to `rf`.
    pub fn without_co(&self) -> Canon {
        Canon { bytes: self.bytes[..self.co_at as usize].to_vec(), co_at: self.co_at }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            value |= ((byte & 0x7f) as u64) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }

    fn place(&mut self) -> Option<Place> {
        let tid = self.number();
        (tid > 0).then(|| (tid as u16 - 1, self.number() as u32))
    }

    fn entry(&mut self) -> Entry {
        let (head, mode) = (self.bytes[self.at], self.bytes[self.at + 1]);
        self.at += 2;
        let kind = KINDS[(head >> 1) as usize];
        let access = matches!(kind, Kind::Read | Kind::Write);
        let loc = access.then(|| self.number() as u32);
        let value = if access || kind == Kind::Choice {
            let raw = self.number();
            (raw >> 1) as Value ^ -((raw & 1) as Value)
        } else {
            0
        };
        let peer = matches!(kind, Kind::Spawn | Kind::Join).then(|| self.number() as u16);
        let source = if kind == Kind::Read { self.place() } else { None };
        Entry {
            kind,
            mode: Mode::from_code(mode).unwrap_or(Mode::Na),
            rmw: head & 1 == 1,
            loc,
            value,
            peer,
            source,
        }
    }
}

/// A thread per line: `T0: R.acq x0=1 <- T1.2; F.sc`, then the coherence orders. Events of a thread
/// are counted from 1.
impl fmt::Display for Canon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |place: Option<Place>| match place {
            None => String::from("init"),
            Some((tid, idx)) => format!("T{tid}.{idx}"),
        };
        let mut r = Reader { bytes: &self.bytes[..self.co_at as usize], at: 0 };
        let mut tid = 0;
        while r.at < r.bytes.len() {
            let count = r.number();
            write!(f, "  T{tid}:")?;
            for i in 0..count {
                let e = r.entry();
                f.write_str(if i == 0 { " " } else { "; " })?;
                let half = if e.rmw { "U" } else { "" };
                let loc = e.loc.unwrap_or(0);
                match e.kind {
                    Kind::Init => f.write_str("init")?,
                    Kind::Read => write!(f, "{half}R.{} m{loc}={} <- {}", e.mode, e.value, place(e.source))?,
                    Kind::Write => write!(f, "{half}W.{} m{loc}={}", e.mode, e.value)?,
                    Kind::Fence => write!(f, "F.{}", e.mode)?,
                    Kind::Spawn => write!(f, "spawn T{}", e.peer.unwrap_or(0))?,
                    Kind::Join => write!(f, "join T{}", e.peer.unwrap_or(0))?,
                    Kind::Choice => write!(f, "choose {}", e.value)?,
                    Kind::Alloc
                    | Kind::Free
                    | Kind::Local
                    | Kind::Detach
                    | Kind::Arrive
                    | Kind::Depart
                    | Kind::Persist => {
                        unreachable!("generated programs have no objects and no barriers")
                    }
                }
            }
            writeln!(f)?;
            tid += 1;
        }
        let mut r = Reader { bytes: &self.bytes, at: self.co_at as usize };
        let mut loc = 0;
        while r.at < r.bytes.len() {
            let count = r.number();
            let order: Vec<String> = (0..count).map(|_| place(r.place())).collect();
            if order.len() > 1 {
                writeln!(f, "  co m{loc}: {}", order.join(" -> "))?;
            }
            loc += 1;
        }
        Ok(())
    }
}
