//! One bad execution, in an order that explains it.

use super::find::Wanted;
use selvedge_explore::{End, Execution, Failure, ModelError};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Mode, Tid};
use selvedge_machine::{Block, ErrorKind, Machine, SourcePlace};
use selvedge_vm::VmMachine;
use serde::{Deserialize, Serialize};

/// Something that is wrong with the program, and the execution that shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// A stable name in kebab case; `docs/check.md` lists them.
    pub kind: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub thread: Option<String>,
    pub trace: Vec<Step>,
    /// Whether the steps can be read as an interleaving.
    pub interleaving: bool,
    /// Names of the threads, for the columns of the trace.
    #[serde(skip)]
    pub threads: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Number of the thread, and its name.
    pub thread: u16,
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub action: String,
    /// For a read: where the value came from.
    pub from: Option<String>,
    /// This read does not see the latest write of the steps before it.
    pub stale: bool,
}

/// What is wrong in this execution, if anything is.
pub fn finding<M: Machine>(machine: &M, x: &Execution<'_, M>, wanted: Wanted) -> Option<Finding> {
    let leaks = wanted.leaks;
    let broken = (wanted.races && x.end != End::Error).then(|| x.unnoticed_errors());
    let broken = broken.and_then(|errors| errors.into_iter().find(|error| !error.warning));
    if x.end == End::Complete && !leaks && broken.is_none() {
        return None;
    }
    let namer = Namer { machine, x };
    // What inspection found comes before what the program made of it.
    let (kind, message, place, thread) = if let Some(failure) = x.failure() {
        let event = failure.event;
        let message = namer.failure(failure.kind, event, failure.other);
        let kind = namer.misuse(failure).unwrap_or(failure.kind);
        let of_model = (kind == ErrorKind::OfModel).then(|| x.name_of_failure()).flatten();
        let kind = of_model.unwrap_or_else(|| kind.to_string());
        (kind, message, namer.place(event), Some(x.graph.event(event).tid))
    } else if let Some((t, error)) = x.program_error() {
        let place = x.state(t).and_then(|s| machine.place(s));
        (error.kind.to_string(), error.message, place, Some(t))
    } else if let Some(error) = broken {
        let event = if error.second.is_init() { error.first } else { error.second };
        let message = namer.error_of_model(&error);
        (error.name, message, namer.place(event), Some(x.graph.event(event).tid))
    } else if let Some(event) = (leaks && !x.exited()).then(|| namer.leaked()).flatten() {
        let message = format!("{} is never freed", namer.access(event));
        (ErrorKind::Leak.to_string(), message, namer.place(event), Some(x.graph.event(event).tid))
    } else {
        let (kind, message, place, thread) = namer.stuck()?;
        (kind, message, place, Some(thread))
    };
    let (order, interleaving) = explaining_order(machine, x);
    let trace = order.iter().enumerate().map(|(at, &e)| namer.step(e, &order[..at])).collect();
    let threads = (0..x.graph.threads() as u16).map(|t| namer.thread(Tid(t))).collect();
    Some(Finding {
        kind,
        message,
        file: place.as_ref().map(|p| p.file.clone()),
        line: place.as_ref().map(|p| p.line),
        thread: thread.map(|t| namer.thread(t)),
        trace,
        interleaving,
        threads,
    })
}

/// What the model warns of in an execution.
pub fn warnings<M: Machine>(machine: &M, x: &Execution<'_, M>) -> Vec<String> {
    let namer = Namer { machine, x };
    let errors = x.unnoticed_errors().into_iter().filter(|error| error.warning);
    errors.map(|error| format!("{}: {}", error.name, namer.error_of_model(&error))).collect()
}

/// What the program prints in an execution, in the order of the steps that explain it.
pub fn printed(x: &Execution<'_, VmMachine>) -> String {
    let g = x.graph;
    let mut texts: Vec<Vec<(u32, &[u8])>> = (0..g.threads() as u16)
        .map(|t| x.state(Tid(t)).map_or(Vec::new(), |s| s.printed().collect()))
        .collect();
    let mut out = Vec::new();
    let mut print = |t: Tid, before: u32| {
        let due = texts[t.index()].iter().take_while(|(after, _)| *after <= before).count();
        texts[t.index()].drain(..due).for_each(|(_, text)| out.extend_from_slice(text));
    };
    for e in explaining_order(x.machine(), x).0 {
        // What a thread prints on the way to an operation comes before it, and all that it prints before
        // it is joined.
        let ev = g.event(e);
        print(ev.tid, ev.idx);
        if ev.kind == Kind::Join {
            print(ev.peer, u32::MAX);
        }
    }
    (0..g.threads() as u16).for_each(|t| print(Tid(t), u32::MAX));
    String::from_utf8_lossy(&out).into_owned()
}

struct Namer<'a, M: Machine> {
    machine: &'a M,
    x: &'a Execution<'a, M>,
}

impl<M: Machine> Namer<'_, M> {
    fn thread(&self, t: Tid) -> String {
        let state = self.x.state(t).map(|s| self.machine.thread_name(s)).unwrap_or_default();
        if state.is_empty() { format!("thread {}", t.0) } else { format!("{state}#{}", t.0) }
    }

    fn place(&self, e: EventId) -> Option<SourcePlace> {
        self.x.state_of(e).and_then(|s| self.machine.place(s))
    }

    /// What wrong use of the library a failure is.
    fn misuse(&self, failure: &Failure) -> Option<ErrorKind> {
        let event = match failure.kind {
            ErrorKind::DataRace => [Some(failure.event), failure.other],
            ErrorKind::UninitialisedRead => [Some(failure.event), None],
            _ => return None,
        };
        event.into_iter().flatten().find_map(|e| self.machine.misuse(self.x.state_of(e)?))
    }

    /// `queue.c:42`, or nothing.
    fn at(&self, e: EventId) -> String {
        self.place(e).map_or(String::new(), |p| format!(" at {}:{}", short(&p.file), p.line))
    }

    fn access(&self, e: EventId) -> String {
        let ev = self.x.graph.event(e);
        let what = match ev.kind {
            Kind::Read => "read of ",
            Kind::Write => "write to ",
            Kind::Free => "free",
            Kind::Alloc => "allocation",
            Kind::Join => "join",
            Kind::Detach => "detaching",
            Kind::Local => "claim to an object",
            Kind::Arrive => "wait at a barrier",
            _ => "operation",
        };
        let name = match ev.kind {
            Kind::Read | Kind::Write => self.machine.location_name(ev.loc),
            _ => String::new(),
        };
        format!("the {what}{name}{} in {}", self.at(e), self.thread(ev.tid))
    }

    fn error_of_model(&self, error: &ModelError) -> String {
        let name = |e: EventId| match e.is_init() {
            true => String::from("the initial value"),
            false => self.access(e),
        };
        format!("the model does not allow {} with {}", name(error.first), name(error.second))
    }

    fn failure(&self, kind: ErrorKind, e: EventId, other: Option<EventId>) -> String {
        let this = self.access(e);
        let end = other;
        let other = other.map_or(String::from("another"), |o| self.access(o));
        match kind {
            ErrorKind::DataRace => format!("{this} races with {other}"),
            ErrorKind::OfModel => format!("the model does not allow {this} with {other}"),
            ErrorKind::UseAfterFree | ErrorKind::DeadStack => self.after_its_end(kind, e, end),
            ErrorKind::DoubleFree => format!("{this} comes after {other}"),
            ErrorKind::InvalidJoin => {
                let thread = self.thread(self.x.graph.event(e).peer);
                format!("{this} is of {thread}, which nobody may join any more after {other}")
            }
            ErrorKind::NotFinal => format!("{this} overwrites {other}, which was said to be the last one"),
            ErrorKind::NotLocal => {
                format!("{this} is of an object that another thread has for itself: {other}")
            }
            ErrorKind::UninitialisedRead => format!("{this} sees memory that was never written"),
            ErrorKind::UnpublishedObject => format!(
                "{this} touches an object whose allocation it does not see: nothing orders {other} before it"
            ),
            _ => this,
        }
    }

    /// An access of an object and the end of its life, in whichever order they were found.
    fn after_its_end(&self, kind: ErrorKind, e: EventId, other: Option<EventId>) -> String {
        let g = self.x.graph;
        let Some(other) = other else { return self.access(e) };
        let (access, end) = if g.event(e).kind == Kind::Free { (other, e) } else { (e, other) };
        let of = match kind {
            ErrorKind::DeadStack => " is of a variable whose life may have ended",
            _ => " may be of memory that was freed already",
        };
        let (access, end) = (self.access(access), self.access(end));
        let end = if kind == ErrorKind::DeadStack {
            end.replacen("the free", "the end of its life", 1)
        } else {
            end
        };
        format!("{access}{of}: nothing orders it before {end}")
    }

    /// An object on the heap that is alive when all threads have ended.
    fn leaked(&self) -> Option<EventId> {
        let g = self.x.graph;
        let alive = |e: EventId| {
            let ev = g.event(e);
            let object = ev.value as u32;
            ev.kind == Kind::Alloc && g.free_of(object).is_none() && !self.machine.is_local(object)
        };
        g.order().iter().copied().find(|&e| self.x.end == End::Complete && alive(e))
    }

    /// A deadlock, or a loop that cannot end.
    fn stuck(&self) -> Option<(String, String, Option<SourcePlace>, Tid)> {
        let stuck = self.x.stuck()?;
        // Who waits for another thread to end does so because of that one.
        let first = stuck.iter().find(|(_, why)| why.is_some()).unwrap_or(&stuck[0]).0;
        if let Some((t, _)) =
            stuck.iter().find(|(t, _)| self.x.state(*t).is_some_and(|s| self.machine.in_section(s)))
        {
            let place = self.x.state(*t).and_then(|s| self.machine.place(s));
            let message = String::from("a thread waits inside of an atomic section, which is to be one step");
            return Some((ErrorKind::Unsupported.to_string(), message, place, *t));
        }
        let spins = stuck.iter().any(|(_, why)| *why == Some(Block::Spin));
        let threads: Vec<String> = stuck
            .iter()
            .map(|(t, why)| {
                let place = self.x.state(*t).and_then(|s| self.machine.place(s));
                let place = place.map_or(String::new(), |p| format!(" at {}:{}", short(&p.file), p.line));
                let why = match why {
                    Some(Block::Lock) => "for a lock",
                    Some(Block::Condition) => "for a condition",
                    Some(Block::Semaphore) => "for a semaphore",
                    Some(Block::Barrier) => return self.waits_at_barrier(*t, &place),
                    Some(Block::Spin) => "in a loop",
                    None => "for another thread to end",
                    _ => "",
                };
                format!("{} waits {why}{place}", self.thread(*t))
            })
            .collect();
        let place = self.x.state(first).and_then(|s| self.machine.place(s));
        let (kind, what) = if spins {
            (ErrorKind::NonTermination, "a loop never ends")
        } else {
            (ErrorKind::Deadlock, "no thread can go on")
        };
        Some((kind.to_string(), format!("{what}: {}", threads.join("; ")), place, first))
    }

    /// Which barrier it is, the last plain read tells: it was the barrier's own word.
    fn waits_at_barrier(&self, t: Tid, place: &str) -> String {
        let g = self.x.graph;
        let plain = |e: &&EventId| g.event(**e).kind == Kind::Read && g.event(**e).mode == Mode::Na;
        let barrier = g.thread(t).iter().rev().find(plain);
        let name = barrier.map_or(String::from("a barrier"), |&e| {
            format!("the barrier {}", self.machine.location_name(g.event(e).loc))
        });
        format!("{} waits at {name}{place}", self.thread(t))
    }

    fn step(&self, e: EventId, before: &[EventId]) -> Step {
        let g = self.x.graph;
        let ev = g.event(e);
        let mode = if ev.mode == Mode::Na { String::new() } else { format!(" ({})", ev.mode.c_name()) };
        let name = || self.machine.location_name(ev.loc);
        let value = || self.machine.value_name(ev.loc, ev.value);
        let half = |rmw: bool| if rmw { " [rmw]" } else { "" };
        let action = match ev.kind {
            Kind::Read => format!("reads {} = {}{mode}{}", name(), value(), half(ev.is_rmw_read())),
            Kind::Write => format!("writes {} = {}{mode}{}", name(), value(), half(ev.is_rmw_write())),
            Kind::Fence => format!("fence{mode}"),
            Kind::Spawn => format!("creates {}", self.thread(ev.peer)),
            Kind::Join => format!("joins {}", self.thread(ev.peer)),
            Kind::Choice => format!("chooses {}", ev.value),
            Kind::Alloc => String::from("allocates"),
            Kind::Free => String::from("frees"),
            Kind::Detach => format!("detaches {}", self.thread(ev.peer)),
            Kind::Local => String::from("says that an object is local"),
            Kind::Arrive => String::from("arrives at a barrier"),
            Kind::Depart => String::from("goes on from a barrier"),
            Kind::Init => String::new(),
        };
        let source = (ev.kind == Kind::Read).then(|| g.rf(e)).flatten();
        let from = source.map(|w| {
            if w.is_init() {
                return String::from("initial value");
            }
            format!("from {}{}", self.thread(g.event(w).tid), self.at(w))
        });
        let stale = source.is_some_and(|w| {
            let latest = before.iter().rev().find(|&&y| g.event(y).is_write() && g.event(y).loc == ev.loc);
            latest.is_some_and(|&y| y != w)
        });
        let place = self.place(e);
        Step {
            thread: ev.tid.0,
            name: self.thread(ev.tid),
            file: place.as_ref().map(|p| p.file.clone()),
            line: place.as_ref().map(|p| p.line),
            action,
            from,
            stale,
        }
    }
}

/// The last part of a path.
pub fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// The events in an order that is an interleaving, if there is one; else in one that respects program
/// order and reads-from. Atomic sections stay together: one begins when nothing is left that it has to wait for.
fn explaining_order<M: Machine>(machine: &M, x: &Execution<'_, M>) -> (Vec<EventId>, bool) {
    let g = x.graph;
    let inside =
        |e: EventId| machine.has_sections() && x.state_of(e).is_some_and(|state| machine.in_section(state));
    let one = |g: &ExecutionGraph, e: EventId| {
        let mut before = causes(g, e);
        let ev = g.event(e);
        if ev.kind == Kind::Write
            && let Some(pos) = g.co_pos(e)
        {
            let previous = g.co(ev.loc)[pos - 1];
            before.push(previous);
            before.extend(g.readers(previous, ev.loc).filter(|&r| r != e));
        }
        before
    };
    let all = |g: &ExecutionGraph, e: EventId| {
        if !inside(e) || g.po_pred(e).is_some_and(inside) {
            return one(g, e);
        }
        let thread = g.thread(g.event(e).tid);
        let rest = &thread[g.event(e).idx as usize - 1..];
        let section = &rest[..rest.iter().position(|&x| !inside(x)).unwrap_or(rest.len())];
        let before = section.iter().flat_map(|&x| one(g, x));
        before.filter(|x| !section.contains(x)).collect()
    };
    match sorted(g, all) {
        Some(order) => (order, true),
        None => (sorted(g, causes).unwrap_or_else(|| g.order()[1..].to_vec()), false),
    }
}

fn causes(g: &ExecutionGraph, e: EventId) -> Vec<EventId> {
    let ev = g.event(e);
    let mut before: Vec<EventId> = g.po_pred(e).into_iter().collect();
    before.extend(g.rf(e));
    match ev.kind {
        Kind::Join => before.extend(g.thread(ev.peer).last()),
        Kind::Depart => before.extend(g.round(e)),
        _ if ev.idx == 1 => before.extend(g.spawn_of(ev.tid)),
        _ => {}
    }
    before
}

/// A topological order that stays in a thread as long as it can; `None` if there is a cycle.
fn sorted(
    g: &ExecutionGraph,
    before: impl Fn(&ExecutionGraph, EventId) -> Vec<EventId>,
) -> Option<Vec<EventId>> {
    let mut next = vec![0usize; g.threads()];
    let mut done = vec![false; g.arena_len()];
    done[EventId::INIT.index()] = true;
    let mut order = Vec::with_capacity(g.len());
    let mut current = 0;
    while order.len() < g.len() {
        let threads = (0..g.threads()).map(|i| (current + i) % g.threads());
        let ready = threads.into_iter().find_map(|t| {
            let &e = g.thread(Tid(t as u16)).get(next[t])?;
            before(g, e).iter().all(|x| done[x.index()]).then_some((t, e))
        });
        let (t, e) = ready?;
        next[t] += 1;
        done[e.index()] = true;
        order.push(e);
        current = t;
    }
    Some(order)
}
