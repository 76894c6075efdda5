//! One execution, as data.
//!
//! A [`Witness`] is taken from the graph of an execution while that is at hand, and says nothing in words
//! but names: texts, drawings and JSON are made of it afterwards. Events are numbered from 1 in the order in
//! which they are told, which is an interleaving if there is one; number 0 stands for the initial values.

use crate::order::explaining_order;
use crate::reason::{Reason, reason};
use selvedge_explore::Execution;
use selvedge_graph::{EventId, Kind, Loc, Mode, Tid};
use selvedge_machine::{Block, Machine, SourcePlace, Usage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// An execution with all that is needed to explain it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// By number; threads that never were have no name.
    pub threads: Vec<Thread>,
    /// Initial values of the locations that are accessed.
    pub initial: Vec<Initial>,
    /// In the order in which they are told.
    pub events: Vec<Event>,
    /// Between events, by their numbers. Program order is the order of `index` in each thread.
    pub relations: Relations,
    /// Whether the order of the events is an interleaving.
    pub interleaving: bool,
    /// Threads that wait for ever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Waiting>,
    /// Why no interleaving explains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thread {
    /// What it runs.
    pub function: String,
    /// A name that no other thread has.
    pub name: String,
}

/// The initial value of a location.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Initial {
    /// In the program's own words.
    pub location: String,
    /// What is there at first.
    pub value: Value,
}

/// A value with its type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Value {
    /// In the program's own words.
    pub text: String,
    /// Its bits, where 64 are enough.
    pub bits: i64,
    /// What the program takes it for, as far as that is known: `i32`, `pointer`, `bytes`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub of_type: Option<String>,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// As the compiler was given it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; not there if it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: u32,
}

fn is_zero(column: &u32) -> bool {
    *column == 0
}

impl From<SourcePlace> for Place {
    fn from(SourcePlace { file, line, column }: SourcePlace) -> Place {
        Place { file, line, column }
    }
}

impl Place {
    /// `queue.c:42`.
    pub fn short(&self) -> String {
        format!("{}:{}", short(&self.file), self.line)
    }
}

/// The files of an execution.
#[derive(Clone, Debug)]
pub struct Files<'w> {
    all: BTreeSet<&'w str>,
    /// Those whose name others have as well, in other directories.
    alike: BTreeSet<&'w str>,
}

impl Files<'_> {
    /// Whether there are several.
    pub fn are_several(&self) -> bool {
        self.all.len() > 1
    }

    /// `queue.c:42`; the whole path where its last part is not enough.
    pub fn at(&self, place: &Place) -> String {
        match self.alike.contains(place.file.as_str()) {
            true => format!("{}:{}", place.file, place.line),
            false => place.short(),
        }
    }
}

/// The last part of a path.
pub fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// A function that was called and has not returned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Its name.
    pub function: String,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// Something that a thread did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// From 1.
    pub number: usize,
    /// Which thread did it.
    pub thread: u16,
    /// Its position in its thread, from 1.
    pub index: u32,
    /// What was done.
    #[serde(flatten)]
    pub action: Action,
    /// The ordering, as C calls it; plain accesses have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The program calls what it accesses volatile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub volatile: bool,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The calls that led there, the innermost first; nothing if there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Call>,
}

impl Event {
    /// Where it was called from, if that is another file: many events may be in the same line of a header.
    pub fn caller(&self) -> Option<&Place> {
        let own = self.place.as_ref()?;
        self.stack.iter().filter_map(|call| call.place.as_ref()).find(|place| place.file != own.file)
    }
}

/// What an event does.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub enum Action {
    /// Reads a location.
    Read {
        /// Which one.
        location: String,
        /// What it reads.
        value: Value,
        /// It is half of a read-modify-write.
        #[serde(default)]
        rmw: bool,
        /// The event that wrote it, or 0.
        from: usize,
        /// It does not see the latest write of the events before it.
        #[serde(default)]
        stale: bool,
    },
    /// Writes a location.
    Write {
        /// Which one.
        location: String,
        /// What it writes.
        value: Value,
        /// It is half of a read-modify-write.
        #[serde(default)]
        rmw: bool,
    },
    /// A fence.
    Fence,
    /// Creates a thread.
    Create {
        /// Its number.
        peer: u16,
    },
    /// Joins a thread.
    Join {
        /// Its number.
        peer: u16,
    },
    /// Detaches a thread.
    Detach {
        /// Its number.
        peer: u16,
    },
    /// Picks one of several ways to go on.
    Choose {
        /// Which one.
        way: i64,
        /// It is decided by a number from outside, not by the program.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_input: bool,
    },
    /// An object begins to live.
    Allocate {
        /// Its number.
        object: u32,
        /// What it is called.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// It is a variable of a function.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        local: bool,
    },
    /// An object's life ends.
    Free {
        /// Its number.
        object: u32,
        /// What it is called.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// It is a variable of a function.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        local: bool,
    },
    /// Claims an object for its thread alone.
    Local {
        /// Its number.
        object: u32,
        /// What it is called.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Comes to a barrier.
    Arrive {
        /// Its number.
        barrier: i64,
    },
    /// Makes something persist.
    Persist {
        /// How, and what: `fsync of "log"`.
        what: String,
    },
    /// Goes on from a barrier.
    Depart,
}

/// Pairs of numbers of events.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Relations {
    /// Reads-from.
    pub rf: Vec<(usize, usize)>,
    /// Coherence: each write and the next one of its location, initial values left out.
    pub co: Vec<(usize, usize)>,
    /// From-reads: each read and the write after the one that it reads from.
    pub fr: Vec<(usize, usize)>,
    /// The halves of read-modify-writes.
    pub rmw: Vec<(usize, usize)>,
    /// The creation of a thread and its first event.
    pub create: Vec<(usize, usize)>,
    /// The last event of a thread and the join that waits for it.
    pub join: Vec<(usize, usize)>,
    /// Arrivals of the others and the departure that waits for them.
    pub barrier: Vec<(usize, usize)>,
}

/// A thread that waits for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiting {
    /// Its number.
    pub thread: u16,
    /// For what.
    pub reason: WaitsFor,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// It is inside of an atomic section.
    #[serde(default)]
    pub in_section: bool,
    /// The calls that led there, the innermost first; nothing if there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Call>,
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitsFor {
    /// A lock that is taken.
    Lock,
    /// A condition variable.
    Condition,
    /// A semaphore.
    Semaphore,
    /// Others at a barrier; its name, if that is known.
    Barrier(Option<String>),
    /// A loop that never ends.
    Loop,
    /// The end of another thread.
    Thread,
    /// Something else.
    Other,
}

/// What was taken down of an execution.
pub struct Taken {
    pub witness: Witness,
    /// Numbers of events, by event.
    pub numbers: Vec<usize>,
    /// What its names were made with.
    pub usage: Usage,
}

/// Takes an execution down. `thread_name` says what a thread runs.
pub fn witness<M: Machine>(x: &Execution<'_, M>, thread_name: &dyn Fn(Tid) -> String) -> Taken {
    let g = x.graph;
    let (order, interleaving) = explaining_order(x.machine(), x);
    let usage = usage_of(x, &order);
    let mut taker = Taker { x, usage, numbers: vec![0; g.arena_len()] };
    for (at, &e) in order.iter().enumerate() {
        taker.numbers[e.index()] = at + 1;
    }
    // There may be room for more than there are.
    let is_there = |t: &u16| x.stands_at(Tid(*t)).is_some() || !g.thread(Tid(*t)).is_empty();
    let last = (0..g.threads() as u16).rev().find(is_there).unwrap_or(0);
    let threads = (0..=last).map(|t| {
        let function = thread_name(Tid(t));
        Thread { name: unique_name(&function, Tid(t)), function }
    });
    let witness = Witness {
        threads: threads.collect(),
        initial: taker.initial(&order),
        events: taker.events(&order),
        relations: taker.relations(&order),
        interleaving,
        waiting: taker.waiting(),
        reason: if interleaving { None } else { reason(g, &taker.numbers) },
    };
    Taken { witness, numbers: taker.numbers, usage: taker.usage }
}

fn unique_name(function: &str, t: Tid) -> String {
    if function.is_empty() { format!("thread {}", t.0) } else { format!("{function}#{}", t.0) }
}

/// An event in few words, without the execution that it is part of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Access {
    what: String,
    place: Option<Place>,
    thread: String,
    /// The file is not named by the last part of its path alone.
    whole: bool,
}

impl Access {
    /// Of an event that is not taken down; none for the initial values.
    pub fn of<M: Machine>(x: &Execution<'_, M>, e: EventId) -> Option<Access> {
        if e.is_init() {
            return None;
        }
        let ev = x.graph.event(e);
        let location = || x.machine().location_name(ev.loc);
        let what = match ev.kind {
            Kind::Read => format!("read of {}", location()),
            Kind::Write => format!("write to {}", location()),
            _ => String::from("operation"),
        };
        let place = x.state_of(e).and_then(|s| x.machine().place(s)).map(Place::from);
        Some(Access { what, place, thread: unique_name(&function_of(x, ev.tid), ev.tid), whole: false })
    }
}

impl Access {
    /// The same by another name.
    pub(crate) fn called(self, what: &str) -> Access {
        Access { what: what.to_string(), ..self }
    }

    /// `the write to x`.
    pub(crate) fn name(&self) -> String {
        format!("the {}", self.what)
    }

    /// `the write to x at queue.c:42`.
    pub(crate) fn without_thread(&self) -> String {
        match &self.place {
            Some(place) if self.whole => format!("the {} at {}:{}", self.what, place.file, place.line),
            Some(place) => format!("the {} at {}", self.what, place.short()),
            None => format!("the {}", self.what),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.without_thread(), self.thread)
    }
}

/// What the machine calls the function that a thread runs.
pub fn function_of<M: Machine>(x: &Execution<'_, M>, t: Tid) -> String {
    x.state(t).map(|s| x.machine().thread_name(s)).unwrap_or_default()
}

/// The calls that led to a state; nothing if there is only one.
pub(crate) fn stack_of<M: Machine>(machine: &M, state: &M::State) -> Vec<Call> {
    let stack = machine.stack(state).into_iter();
    let stack: Vec<Call> =
        stack.map(|(function, place)| Call { function, place: place.map(Place::from) }).collect();
    if stack.len() > 1 { stack } else { Vec::new() }
}

/// What an execution uses its objects as.
fn usage_of<M: Machine>(x: &Execution<'_, M>, order: &[EventId]) -> Usage {
    let g = x.graph;
    let events = || order.iter().map(|&e| (e, g.event(e)));
    let made: Vec<u32> =
        events().filter(|(_, ev)| ev.kind == Kind::Alloc).map(|(_, ev)| ev.value as u32).collect();
    let accesses = events().filter(|(_, ev)| ev.is_read() || ev.is_write());
    let accesses: Vec<_> = accesses.filter_map(|(e, ev)| Some((ev.loc, ev.value, x.state_of(e)?))).collect();
    let mut states = (0..g.threads() as u16).filter_map(|t| x.state(Tid(t)));
    let examples = x.machine().examples(&mut states);
    Usage { examples, ..x.machine().usage(&made, &accesses) }
}

struct Taker<'a, M: Machine> {
    x: &'a Execution<'a, M>,
    usage: Usage,
    /// By event.
    numbers: Vec<usize>,
}

impl<M: Machine> Taker<'_, M> {
    fn number(&self, e: EventId) -> usize {
        self.numbers[e.index()]
    }

    fn value(&self, loc: Loc, value: i64, state: Option<&M::State>) -> Value {
        let machine = self.x.machine();
        let text = machine.value_in(&self.usage, loc, value, state);
        Value { text, bits: value, of_type: machine.value_type(loc, value) }
    }

    fn initial(&self, order: &[EventId]) -> Vec<Initial> {
        let (g, machine) = (self.x.graph, self.x.machine());
        let accesses = order.iter().map(|&e| g.event(e)).filter(|ev| ev.is_read() || ev.is_write());
        let locations: BTreeMap<u32, Loc> = accesses.map(|ev| (ev.loc.0, ev.loc)).collect();
        let initial = |loc: Loc| Initial {
            location: machine.location_in(&self.usage, loc, None),
            value: self.value(loc, g.value_of(EventId::INIT, loc), None),
        };
        locations.into_values().map(initial).collect()
    }

    fn events(&self, order: &[EventId]) -> Vec<Event> {
        let g = self.x.graph;
        let mut latest: HashMap<u32, EventId> = HashMap::new();
        let mut take = |(at, &e): (usize, &EventId)| {
            let loc = g.event(e).loc.0;
            let event = self.event(at, e, latest.get(&loc).copied());
            if g.event(e).is_write() {
                latest.insert(loc, e);
            }
            event
        };
        order.iter().enumerate().map(&mut take).collect()
    }

    /// `latest` is the latest write of its location before it.
    fn event(&self, at: usize, e: EventId, latest: Option<EventId>) -> Event {
        let (g, machine) = (self.x.graph, self.x.machine());
        let ev = g.event(e);
        let state = self.x.state_of(e);
        let location = || machine.location_in(&self.usage, ev.loc, state);
        let value = || self.value(ev.loc, ev.value, state);
        let object = ev.value as u32;
        let name = || machine.object_in(&self.usage, object);
        let action = match ev.kind {
            Kind::Read => {
                let source = g.rf(e).unwrap_or(EventId::INIT);
                Action::Read {
                    location: location(),
                    value: value(),
                    rmw: ev.is_rmw_read(),
                    from: self.number(source),
                    stale: latest.is_some_and(|write| write != source),
                }
            }
            Kind::Write => Action::Write { location: location(), value: value(), rmw: ev.is_rmw_write() },
            Kind::Fence => Action::Fence,
            Kind::Spawn => Action::Create { peer: ev.peer.0 },
            Kind::Join => Action::Join { peer: ev.peer.0 },
            Kind::Detach => Action::Detach { peer: ev.peer.0 },
            Kind::Choice => Action::Choose {
                way: ev.value,
                by_input: state.is_some_and(|state| machine.decides_by_input(state)),
            },
            Kind::Alloc => Action::Allocate { object, name: name(), local: machine.is_local(object) },
            Kind::Free => Action::Free { object, name: name(), local: machine.is_local(object) },
            Kind::Local => Action::Local { object, name: name() },
            Kind::Persist => {
                let what = match ev.persists() {
                    Some((op, Some(unit))) => machine.persisted_name(op, unit),
                    other => other.map_or("", |(op, _)| op.name()).to_string(),
                };
                Action::Persist { what }
            }
            Kind::Arrive => Action::Arrive { barrier: ev.value },
            Kind::Depart => Action::Depart,
            Kind::Init => unreachable!("initial values are no event of a thread"),
        };
        let stack = state.map_or(Vec::new(), |s| stack_of(machine, s));
        Event {
            number: at + 1,
            thread: ev.tid.0,
            index: ev.idx,
            action,
            order: (ev.mode != Mode::Na).then(|| ev.mode.c_name().to_string()),
            volatile: state.is_some_and(|s| machine.is_volatile(s)),
            place: state.and_then(|s| machine.place(s)).map(Place::from),
            stack,
        }
    }

    fn relations(&self, order: &[EventId]) -> Relations {
        let g = self.x.graph;
        let pair = |a: EventId, b: EventId| (self.number(a), self.number(b));
        let mut relations = Relations::default();
        for &e in order {
            let ev = g.event(e);
            match ev.kind {
                Kind::Read => {
                    let Some(source) = g.rf(e) else { continue };
                    relations.rf.push(pair(source, e));
                    let next = g.co_pos(source).and_then(|at| g.co(ev.loc).get(at + 1));
                    // To the write half of its own read-modify-write would only repeat `rmw`.
                    if let Some(&next) = next.filter(|&&next| g.rmw_read_of(next) != Some(e)) {
                        relations.fr.push(pair(e, next));
                    }
                }
                Kind::Write => {
                    relations.rmw.extend(g.rmw_read_of(e).map(|read| pair(read, e)));
                    let before = g.co_pos(e).map(|at| g.co(ev.loc)[at - 1]);
                    relations.co.extend(before.filter(|before| !before.is_init()).map(|w| pair(w, e)));
                }
                Kind::Spawn => {
                    relations.create.extend(g.thread(ev.peer).first().map(|&first| pair(e, first)))
                }
                Kind::Join => relations.join.extend(g.thread(ev.peer).last().map(|&last| pair(last, e))),
                Kind::Depart => {
                    // Its own arrival is next to it.
                    let others = g.round(e).iter().filter(|&&a| g.event(a).tid != ev.tid);
                    relations.barrier.extend(others.map(|&arrival| pair(arrival, e)));
                }
                _ => {}
            }
        }
        relations
    }

    fn waiting(&self) -> Vec<Waiting> {
        let machine = self.x.machine();
        let stuck = self.x.stuck().unwrap_or_default().into_iter();
        let waits = stuck.map(|(t, why)| {
            let state = self.x.state(t);
            Waiting {
                thread: t.0,
                reason: match why {
                    Some(Block::Lock) => WaitsFor::Lock,
                    Some(Block::Condition) => WaitsFor::Condition,
                    Some(Block::Semaphore) => WaitsFor::Semaphore,
                    Some(Block::Barrier) => WaitsFor::Barrier(self.barrier_of(t)),
                    Some(Block::Spin) => WaitsFor::Loop,
                    None => WaitsFor::Thread,
                    Some(Block::Assume | Block::Exit | Block::Other) => WaitsFor::Other,
                },
                place: state.and_then(|s| machine.place(s)).map(Place::from),
                in_section: state.is_some_and(|s| machine.in_section(s)),
                stack: state.map_or(Vec::new(), |s| stack_of(machine, s)),
            }
        });
        waits.collect()
    }

    /// Which barrier a thread waits at, the last plain read tells: it was the barrier's own word.
    fn barrier_of(&self, t: Tid) -> Option<String> {
        let g = self.x.graph;
        let plain = |e: &&EventId| g.event(**e).kind == Kind::Read && g.event(**e).mode == Mode::Na;
        let barrier = g.thread(t).iter().rev().find(plain);
        barrier.map(|&e| self.x.machine().location_in(&self.usage, g.event(e).loc, None))
    }
}

impl Witness {
    /// The event of a number; none for the initial values.
    pub fn event(&self, number: usize) -> Option<&Event> {
        self.events.get(number.checked_sub(1)?)
    }

    /// An event in few words; none for the initial values.
    pub fn access(&self, number: usize) -> Option<Access> {
        let event = self.event(number)?;
        let what = match &event.action {
            Action::Read { location, .. } => format!("read of {location}"),
            Action::Write { location, .. } => format!("write to {location}"),
            Action::Free { name: Some(name), local: true, .. } => format!("end of the life of {name}"),
            Action::Free { name: Some(name), .. } => format!("free of {name}"),
            Action::Free { .. } => String::from("free"),
            Action::Allocate { name: Some(name), local: true, .. } => format!("declaration of {name}"),
            Action::Allocate { name: Some(name), .. } => format!("allocation of {name}"),
            Action::Allocate { .. } => String::from("allocation"),
            Action::Join { .. } => String::from("join"),
            Action::Detach { .. } => String::from("detaching"),
            Action::Local { .. } => String::from("claim to an object"),
            Action::Arrive { .. } => String::from("wait at a barrier"),
            Action::Persist { what } => what.clone(),
            Action::Fence | Action::Create { .. } | Action::Choose { .. } | Action::Depart => {
                String::from("operation")
            }
        };
        let files = self.files();
        let whole = event.place.as_ref().is_some_and(|place| files.alike.contains(place.file.as_str()));
        let thread = self.thread(event.thread).to_string();
        Some(Access { what, place: event.place.clone(), thread, whole })
    }

    /// All files that it is about.
    pub fn files(&self) -> Files<'_> {
        let waiting = self.waiting.iter().filter_map(|waiting| waiting.place.as_ref());
        let places = self.events.iter().filter_map(|event| event.place.as_ref()).chain(waiting);
        let all: BTreeSet<&str> = places.map(|place| place.file.as_str()).collect();
        let is_alike = |file: &&str| all.iter().any(|other| other != file && short(other) == short(file));
        let alike = all.iter().copied().filter(is_alike).collect();
        Files { all, alike }
    }

    /// `queue.c:42`; the whole path where its last part is not enough.
    pub fn at(&self, place: &Place) -> String {
        self.files().at(place)
    }

    /// A thread's name.
    pub fn thread(&self, number: u16) -> &str {
        self.threads.get(number as usize).map_or("", |thread| &thread.name)
    }
}
