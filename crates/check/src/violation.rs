//! What is wrong with a program, and how it is said.

use crate::crash::Crash;
use crate::finder::{Passed, Then};
use crate::missing::Missing;
use crate::reason::Reason;
use crate::recorded::{Recorded, Site};
use crate::witness::{
    Access, Action, Call, Event, Files, Place, Taken, Waiting, WaitsFor, Witness, function_of, stack_of,
    witness,
};
use selvedge_explore::{End, Execution, Failure};
use selvedge_graph::{EventId, Kind, Tid};
use selvedge_machine::{ErrorKind, ErrorKinds, Machine};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that is wrong with the program, and the execution that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// What kind of error it is.
    #[serde(serialize_with = "kind_out", deserialize_with = "kind_in")]
    pub kind: ErrorKind,
    /// The name of the kind, or the model's own for [`ErrorKind::OfModel`].
    pub name: String,
    /// What exactly.
    pub what: What,
    /// Where in the source.
    pub place: Option<Place>,
    /// The thread that did it.
    pub thread: Option<u16>,
    /// The calls that led to what the program or the machine says, the innermost first; nothing if there is
    /// only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Call>,
    /// What would have forbidden it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// What a crash left of the execution, if it is recovery that goes wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// How it comes about.
    pub witness: Witness,
    /// The execution as models see it: if that was asked for. It is not kept in files.
    #[serde(skip)]
    pub recorded: Option<Box<Recorded>>,
}

fn kind_out<S: Serializer>(kind: &ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

fn kind_in<'d, D: Deserializer<'d>>(deserializer: D) -> Result<ErrorKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(|_| serde::de::Error::custom("no kind of error"))
}

/// What an error is about, by numbers of events of its witness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The program, or the machine, says it.
    Said(String),
    /// An event, and the other one that it has to do with.
    Events(usize, Option<usize>),
    /// The model does not allow the first with the second.
    NotAllowed(usize, usize),
    /// What is allocated there is never freed.
    Leaked(usize),
    /// Threads wait for ever: [`Witness::waiting`].
    Stuck,
}

/// What to look for in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Objects that are never freed count.
    pub leaks: bool,
    /// All errors, not only one.
    pub all: bool,
    /// What the program prints in the first one, or else in the first complete execution.
    pub output: bool,
    /// Errors of the model count.
    pub races: bool,
    /// Only these kinds of errors count.
    pub kinds: ErrorKinds,
    /// The execution as models see it.
    pub record: bool,
}

/// What is wrong in an execution, before it is taken down.
pub struct Suspect {
    /// What kind of error it is.
    pub kind: ErrorKind,
    name: String,
    about: About,
    /// Where in the source.
    pub place: Option<Place>,
    thread: Option<Tid>,
}

enum About {
    Said(String),
    Events(EventId, Option<EventId>),
    NotAllowed(EventId, EventId),
    Leaked(EventId),
    Stuck,
}

impl Suspect {
    /// What is wrong in this execution, if anything is.
    pub fn in_execution<M: Machine>(x: &Execution<'_, M>, wanted: Wanted) -> Option<Suspect> {
        let broken = (wanted.races && x.end != End::Error).then(|| x.unnoticed_errors());
        let broken = broken.and_then(|errors| errors.into_iter().find(|error| !error.warning));
        if x.end == End::Complete && !wanted.leaks && broken.is_none() {
            return None;
        }
        let machine = x.machine();
        let at = |e: EventId| {
            let place = x.state_of(e).and_then(|s| machine.place(s)).map(Place::from);
            (place, Some(x.graph.event(e).tid))
        };
        let of_thread = |t: Tid| x.state(t).and_then(|s| machine.place(s)).map(Place::from);
        // What inspection found comes before what the program made of it.
        let (kind, name, about, (place, thread)) = if let Some(failure) = x.failure() {
            let kind = misuse(x, failure).unwrap_or(failure.kind);
            let name = (kind == ErrorKind::OfModel).then(|| x.name_of_failure()).flatten();
            let about = match (failure.kind, failure.other) {
                (ErrorKind::OfModel, Some(other)) => About::NotAllowed(failure.event, other),
                (_, other) => About::Events(failure.event, other),
            };
            (kind, name, about, at(failure.event))
        } else if let Some((t, error)) = x.program_error() {
            (error.kind, None, About::Said(error.message), (of_thread(t), Some(t)))
        } else if let Some(error) = broken {
            let event = if error.second.is_init() { error.first } else { error.second };
            let about = About::NotAllowed(error.first, error.second);
            (ErrorKind::OfModel, Some(error.name), about, at(event))
        } else if let Some(event) = (wanted.leaks && !x.exited()).then(|| leaked(x)).flatten() {
            (ErrorKind::Leak, None, About::Leaked(event), at(event))
        } else {
            let stuck = x.stuck()?;
            // Who waits for another thread to end does so because of that one.
            let first = stuck.iter().find(|(_, why)| why.is_some()).unwrap_or(&stuck[0]).0;
            let inside = |t: &Tid| x.state(*t).is_some_and(|s| machine.in_section(s));
            if let Some((t, _)) = stuck.iter().find(|(t, _)| inside(t)) {
                let message = "a thread waits inside of an atomic section, which is to be one step";
                (ErrorKind::Unsupported, None, About::Said(message.into()), (of_thread(*t), Some(*t)))
            } else {
                let spins = stuck.iter().any(|(_, why)| *why == Some(selvedge_machine::Block::Spin));
                let kind = if spins { ErrorKind::NonTermination } else { ErrorKind::Deadlock };
                (kind, None, About::Stuck, (of_thread(first), Some(first)))
            }
        };
        let name = name.unwrap_or_else(|| kind.name().to_string());
        Some(Suspect { kind, name, about, place, thread })
    }

    /// What is left to say of it if errors of its kind are not looked for.
    pub fn passed(self) -> Passed {
        let then = match self.about {
            About::Stuck | About::Leaked(_) => Then::Whole,
            About::Said(_) | About::Events(..) | About::NotAllowed(..) => Then::NotExplored,
        };
        Passed { name: self.name, place: self.place, then }
    }

    /// Whether it is the same error, in another execution.
    pub fn is_like(&self, other: &Violation) -> bool {
        let line = |place: &Option<Place>| place.as_ref().map(|place| place.line);
        self.name == other.name && line(&self.place) == line(&other.place)
    }

    /// Takes down the execution that it was found in.
    pub fn violation<M: Machine>(self, x: &Execution<'_, M>, record: bool) -> Violation {
        self.taken_down(x, record).0
    }

    /// What recovery does wrong after an execution.
    pub fn after_crash(kind: ErrorKind, message: String, place: Option<Place>) -> Suspect {
        Suspect { kind, name: kind.name().to_string(), about: About::Said(message), place, thread: None }
    }

    /// The violation, and the numbers of events in its witness.
    pub fn violation_with_numbers<M: Machine>(self, x: &Execution<'_, M>) -> (Violation, Vec<usize>) {
        self.taken_down(x, false)
    }

    fn taken_down<M: Machine>(self, x: &Execution<'_, M>, record: bool) -> (Violation, Vec<usize>) {
        let Taken { witness, numbers, usage } = witness(x, &|t| function_of(x, t));
        let missing = self.missing(x, &witness, &numbers);
        let number = |e: EventId| numbers[e.index()];
        let what = match self.about {
            About::Said(message) => What::Said(x.machine().message_in(&usage, message)),
            About::Events(event, other) => What::Events(number(event), other.map(number)),
            About::NotAllowed(first, second) => What::NotAllowed(number(first), number(second)),
            About::Leaked(event) => What::Leaked(number(event)),
            About::Stuck => What::Stuck,
        };
        let Suspect { kind, name, place, thread, .. } = self;
        let mut witness = witness;
        // Whatever the model, it is the language that forbids a race.
        if let (ErrorKind::DataRace, What::Events(event, Some(other))) = (kind, &what) {
            witness.reason = Some(Reason::race(*other, *event));
        }
        let state = thread.filter(|_| matches!(what, What::Said(_))).and_then(|t| x.state(t));
        let stack = state.map_or(Vec::new(), |state| stack_of(x.machine(), state));
        let site = |machine: &M, state: &M::State| machine.place(state).map(|at| Site::Source(at.into()));
        let by_model = matches!(kind, ErrorKind::DataRace | ErrorKind::OfModel);
        let recorded = record.then(|| Box::new(Recorded { by_model, ..Recorded::of(x, site) }));
        let thread = thread.map(|t| t.0);
        let crash = None;
        (Violation { kind, name, what, place, thread, stack, missing, crash, witness, recorded }, numbers)
    }

    /// What would have forbidden this execution.
    fn missing<M: Machine>(
        &self,
        x: &Execution<'_, M>,
        witness: &Witness,
        numbers: &[usize],
    ) -> Option<Missing> {
        let g = x.graph;
        let between = |a: EventId, b: EventId| Missing::between(g, numbers, a, b);
        let in_order = |a: EventId, b: EventId| {
            if numbers[a.index()] < numbers[b.index()] { between(a, b) } else { between(b, a) }
        };
        let found = match (self.kind, &self.about) {
            (ErrorKind::DataRace, About::Events(a, Some(b))) => in_order(*a, *b),
            (ErrorKind::OfModel, About::NotAllowed(a, b)) if self.name.contains("race") => in_order(*a, *b),
            (ErrorKind::UseAfterFree | ErrorKind::DeadStack, About::Events(a, Some(b))) => {
                let is_end = g.event(*a).kind == Kind::Free;
                if is_end { between(*b, *a) } else { between(*a, *b) }
            }
            (ErrorKind::UnpublishedObject, About::Events(access, Some(made))) => between(*made, *access),
            _ => None,
        };
        // If no read leads from one to the other, it may be because one of them came too early.
        if found.as_ref().is_none_or(|missing| missing.through.is_empty()) && !witness.interleaving {
            let other = witness.reason.as_ref().and_then(|reason| Missing::of_reason(g, numbers, reason));
            return other.or(found);
        }
        found
    }
}

/// What wrong use of the library a failure is.
fn misuse<M: Machine>(x: &Execution<'_, M>, failure: &Failure) -> Option<ErrorKind> {
    let events = match failure.kind {
        ErrorKind::DataRace => [Some(failure.event), failure.other],
        ErrorKind::UninitialisedRead => [Some(failure.event), None],
        _ => return None,
    };
    events.into_iter().flatten().find_map(|e| x.machine().misuse(x.state_of(e)?))
}

/// An object on the heap that is alive when all threads have ended.
fn leaked<M: Machine>(x: &Execution<'_, M>) -> Option<EventId> {
    let g = x.graph;
    let alive = |e: EventId| {
        let ev = g.event(e);
        let object = ev.value as u32;
        ev.kind == Kind::Alloc && g.free_of(object).is_none() && !x.machine().is_local(object)
    };
    g.order().iter().copied().find(|&e| x.end == End::Complete && alive(e))
}

impl Violation {
    /// What is wrong, in a sentence.
    pub fn message(&self) -> String {
        let w = &self.witness;
        match &self.what {
            What::Said(message) => message.clone(),
            What::NotAllowed(first, second) => w.not_allowed(*first, *second),
            What::Leaked(event) => format!("{} is never freed", w.in_words(*event)),
            What::Stuck => {
                let spins = self.kind == ErrorKind::NonTermination;
                let what = if spins { "a loop never ends" } else { "no thread can go on" };
                let threads: Vec<String> = w.waiting.iter().map(|waiting| w.waits(waiting)).collect();
                format!("{what}: {}", threads.join("; "))
            }
            What::Events(event, other) => self.about_events(*event, *other),
        }
    }

    fn about_events(&self, event: usize, other: Option<usize>) -> String {
        let w = &self.witness;
        let this = w.in_words(event);
        let another = other.map_or(String::from("another"), |o| w.in_words(o));
        match self.kind {
            ErrorKind::UseAfterFree | ErrorKind::DeadStack => self.after_its_end(event, other),
            ErrorKind::DoubleFree => format!("{this} comes after {another}"),
            ErrorKind::InvalidJoin => {
                let peer = match w.event(event).map(|e| &e.action) {
                    Some(Action::Join { peer } | Action::Detach { peer }) => *peer,
                    _ => 0,
                };
                let thread = w.thread(peer);
                format!("{this} is of {thread}, which nobody may join any more after {another}")
            }
            ErrorKind::NotFinal => {
                format!("{this} overwrites {another}, which was said to be the last one")
            }
            ErrorKind::NotLocal => {
                format!("{this} is of an object that another thread has for itself: {another}")
            }
            ErrorKind::UninitialisedRead => format!("{this} sees memory that was never written"),
            ErrorKind::UnpublishedObject => format!(
                "{this} touches an object whose allocation it does not see: nothing orders {another} before it"
            ),
            ErrorKind::OfModel => format!("the model does not allow {this} with {another}"),
            ErrorKind::DataRace => format!("{this} races with {another}{}", self.of_volatile(event, other)),
            // A race with what the library does is wrong use of the library.
            ErrorKind::LockMisuse | ErrorKind::BarrierMisuse => {
                format!("{this} races with {another}")
            }
            ErrorKind::Assertion
            | ErrorKind::Abort
            | ErrorKind::Panic
            | ErrorKind::OutOfBounds
            | ErrorKind::NullDereference
            | ErrorKind::WildPointer
            | ErrorKind::InvalidFree
            | ErrorKind::UnhandledException
            | ErrorKind::DivisionByZero
            | ErrorKind::Overflow
            | ErrorKind::UndefinedBehaviour
            | ErrorKind::Deadlock
            | ErrorKind::NonTermination
            | ErrorKind::Leak
            | ErrorKind::RecoveryAssertion
            | ErrorKind::RecoveryWrite
            | ErrorKind::SystemCall
            | ErrorKind::Unsupported => this,
        }
    }

    /// What to do about a race in which every plain access is volatile.
    fn of_volatile(&self, event: usize, other: Option<usize>) -> &'static str {
        let events = [Some(event), other].map(|number| number.and_then(|number| self.witness.event(number)));
        let [Some(this), Some(another)] = events else { return "" };
        let mut plain = [this, another].into_iter().filter(|event| event.order.is_none()).peekable();
        match plain.peek().is_some() && plain.all(|event| event.volatile) {
            true => "; `volatile` does not make them atomic: `--volatile atomic` takes it for that",
            false => "",
        }
    }

    /// An access of an object and the end of its life, in whichever order they were found.
    fn after_its_end(&self, event: usize, other: Option<usize>) -> String {
        let w = &self.witness;
        let Some(other) = other else { return w.in_words(event) };
        let is_end = |number: usize| matches!(w.event(number).map(|e| &e.action), Some(Action::Free { .. }));
        let (access, end) = if is_end(event) { (other, event) } else { (event, other) };
        // What is freed is what is accessed.
        let called = if self.kind == ErrorKind::DeadStack { "end of its life" } else { "free" };
        let named_end = w.access(end).map(|e| if is_end(end) { e.called(called) } else { e });
        let (access, end) = (w.in_words(access), named(named_end.as_ref()));
        match self.kind {
            ErrorKind::DeadStack => {
                let of = "is of a variable whose life may have ended";
                format!("{access} {of}: nothing orders it before {end}")
            }
            _ => {
                format!("{access} may be of memory that was freed already: nothing orders it before {end}")
            }
        }
    }
}

fn named(access: Option<&Access>) -> String {
    access.map_or(String::from("the initial value"), Access::to_string)
}

/// What is said of two events that a model does not allow together.
pub fn not_allowed(first: Option<&Access>, second: Option<&Access>) -> String {
    format!("the model does not allow {} with {}", named(first), named(second))
}

impl Witness {
    fn in_words(&self, number: usize) -> String {
        named(self.access(number).as_ref())
    }

    /// What a model says of two events that it does not allow together.
    pub fn not_allowed(&self, first: usize, second: usize) -> String {
        not_allowed(self.access(first).as_ref(), self.access(second).as_ref())
    }

    /// `worker#1 waits for a lock at queue.c:42`.
    fn waits(&self, waiting: &Waiting) -> String {
        let place = waiting.place.as_ref().map_or(String::new(), |place| format!(" at {}", self.at(place)));
        if let Some((lock, taken)) = self.awaited(waiting) {
            let at = taken.place.as_ref().map_or(String::new(), |place| format!(" at {}", self.at(place)));
            let (thread, holder) = (self.thread(waiting.thread), self.thread(taken.thread));
            return format!("{thread} waits for the lock {lock}{place}, which {holder} took{at}");
        }
        let why = match &waiting.reason {
            WaitsFor::Lock => "for a lock",
            WaitsFor::Condition => "for a condition",
            WaitsFor::Semaphore => "for a semaphore",
            WaitsFor::Barrier(name) => {
                let name =
                    name.as_ref().map_or(String::from("a barrier"), |name| format!("the barrier {name}"));
                return format!("{} waits at {name}{place}", self.thread(waiting.thread));
            }
            WaitsFor::Loop => "in a loop",
            WaitsFor::Thread => "for another thread to end",
            WaitsFor::Other => "for nothing that could come",
        };
        format!("{} waits {why}{place}", self.thread(waiting.thread))
    }

    /// What an event does, in words: `reads x = 1 (acquire) [rmw]`.
    pub fn action(&self, event: &Event) -> String {
        let order = event.order.as_ref().map_or(String::new(), |order| format!(" ({order})"));
        let half = |rmw: &bool| if *rmw { " [rmw]" } else { "" };
        let words = match &event.action {
            Action::Read { location, value, rmw, .. } => {
                format!("reads {location} = {}{order}{}", value.text, half(rmw))
            }
            Action::Write { location, value, rmw } => {
                format!("writes {location} = {}{order}{}", value.text, half(rmw))
            }
            Action::Fence => format!("fence{order}"),
            Action::Create { peer } => format!("creates {}", self.thread(*peer)),
            Action::Join { peer } => format!("joins {}", self.thread(*peer)),
            Action::Choose { way, .. } => format!("chooses {way}"),
            Action::Allocate { name, local, .. } => {
                let verb = if *local { "declares" } else { "allocates" };
                format!("{verb} {}", name.as_deref().unwrap_or_default())
            }
            Action::Free { name, local, .. } => {
                let verb = if *local { "ends the life of" } else { "frees" };
                format!("{verb} {}", name.as_deref().unwrap_or_default())
            }
            Action::Detach { peer } => format!("detaches {}", self.thread(*peer)),
            Action::Local { name, .. } => {
                format!("says that {} is local", name.as_deref().unwrap_or("an object"))
            }
            Action::Persist { what } => what.clone(),
            Action::Arrive { .. } => String::from("arrives at a barrier"),
            Action::Depart => String::from("goes on from a barrier"),
        };
        words.trim_end().to_string()
    }

    /// Where the value of a read came from, in words.
    pub fn source(&self, event: &Event) -> Option<String> {
        self.source_in(&self.files(), event)
    }

    /// The same, for many events.
    pub fn source_in(&self, files: &Files<'_>, event: &Event) -> Option<String> {
        let Action::Read { from, .. } = event.action else { return None };
        Some(match self.event(from) {
            None => String::from("initial value"),
            Some(w) => {
                let place =
                    w.place.as_ref().map_or(String::new(), |place| format!(" at {}", files.at(place)));
                format!("from {}{place}", self.thread(w.thread))
            }
        })
    }
}
