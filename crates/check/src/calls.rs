//! What calls of the C library come to, in words.
//!
//! A lock that is taken is two halves of a read-modify-write on a word that the program never speaks of; a
//! wait for a condition a handful of accesses. Who reads a report has called `pthread_mutex_lock`, and is
//! told that the mutex was locked. So each step that a call of the library makes is told as what the call
//! does ([`Telling::Words`]), is left out because another step of the same call says it
//! ([`Telling::Nothing`]), or is told as it is.
//!
//! Steps are known by the functions of the library that they are in, which are those without a place at the
//! top of the stack (its own helpers are not in there), and by their neighbours in their thread. What does
//! not look as it should is told as it is.

use crate::witness::{Action, Event, Witness};
use std::collections::HashMap;

/// How a step is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Telling {
    /// As it is.
    Itself,
    /// Not at all.
    Nothing,
    /// As what the call does. Where a value comes from is of interest if another thread wrote it.
    Words(String),
}

/// What others of the library call to take a lock.
const LOCKS: [&str; 6] = [
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
];
/// They wait until the lock is free.
const LASTING: [&str; 6] = [
    "pthread_mutex_lock",
    "pthread_spin_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
];
const UNLOCKS: [&str; 3] = ["pthread_mutex_unlock", "mtx_unlock", "pthread_rwlock_unlock"];
const WAITS: [&str; 2] = ["pthread_cond_wait", "pthread_cond_timedwait"];
const SIGNALS: [&str; 2] = ["pthread_cond_signal", "pthread_cond_broadcast"];
const TAKES: [&str; 3] = ["sem_wait", "sem_trywait", "sem_timedwait"];
const INITS: [&str; 6] = [
    "pthread_mutex_init",
    "mtx_init",
    "pthread_spin_init",
    "pthread_rwlock_init",
    "pthread_cond_init",
    "pthread_barrier_init",
];
const DESTROYS: [&str; 4] =
    ["pthread_mutex_destroy", "pthread_rwlock_destroy", "pthread_cond_destroy", "pthread_barrier_destroy"];
const BARRIERS: [&str; 1] = ["pthread_barrier_wait"];

/// How the steps of an execution are told, by the numbers of their events.
pub struct Tellings(HashMap<usize, Telling>);

impl Tellings {
    /// `whole`: events that are told as they are, as somebody speaks of them.
    pub fn of(witness: &Witness, whole: &[usize]) -> Tellings {
        let mut threads: HashMap<u16, Vec<&Event>> = HashMap::new();
        for event in &witness.events {
            threads.entry(event.thread).or_default().push(event);
        }
        let pairs: HashMap<usize, usize> = witness.relations.rmw.iter().copied().collect();
        let mut tellings = HashMap::new();
        for events in threads.values_mut() {
            events.sort_by_key(|event| event.index);
            for at in 0..events.len() {
                let call = Calls { events, at, pairs: &pairs };
                let Some(telling) = call.telling() else { continue };
                // That a read sees something old is told in any case, and so is what somebody speaks of.
                let is_stale = matches!(events[at].action, Action::Read { stale: true, .. });
                let number = events[at].number;
                if !(whole.contains(&number) || is_stale && telling == Telling::Nothing) {
                    tellings.insert(number, telling);
                }
            }
        }
        Tellings(tellings)
    }

    /// How an event is told.
    pub fn get(&self, event: &Event) -> &Telling {
        self.0.get(&event.number).unwrap_or(&Telling::Itself)
    }
}

/// An event among those of its thread.
struct Calls<'a, 'w> {
    events: &'a [&'w Event],
    at: usize,
    /// The halves of read-modify-writes.
    pairs: &'a HashMap<usize, usize>,
}

impl<'w> Calls<'_, 'w> {
    fn event(&self) -> &'w Event {
        self.events[self.at]
    }

    fn is_in(&self, names: &[&str]) -> bool {
        is_in(self.event(), names)
    }

    /// The event before this one, and the one after it, in the same call.
    fn before(&self) -> Option<&'w Event> {
        self.events.get(self.at.checked_sub(1)?).copied().filter(|event| is_same_call(event, self.event()))
    }

    fn after(&self) -> Option<&'w Event> {
        self.events.get(self.at + 1).copied().filter(|event| is_same_call(event, self.event()))
    }

    /// The steps of the same call before this one, the latest first.
    fn earlier(&self) -> impl Iterator<Item = &'w Event> {
        let of_call = |event: &&&Event| is_same_call(event, self.event());
        self.events[..self.at].iter().rev().take_while(of_call).copied()
    }

    fn is_last(&self) -> bool {
        self.at + 1 == self.events.len()
    }

    fn telling(&self) -> Option<Telling> {
        let event = self.event();
        // The lock that stands for atomic sections is told in words of its own.
        let of_library = event.stack.first().is_some_and(|call| call.place.is_none());
        if !of_library || self.is_in(&["__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"]) {
            return None;
        }
        let words = |text: String| Some(Telling::Words(text));
        match &event.action {
            // The first half speaks for both.
            Action::Write { rmw: true, .. } => {
                let read =
                    self.before().filter(|read| self.pairs.get(&read.number) == Some(&event.number))?;
                Calls { at: self.at - 1, ..*self }.change(read, event).map(|_| Telling::Nothing)
            }
            Action::Read { rmw: true, .. } => {
                let write =
                    self.after().filter(|write| self.pairs.get(&event.number) == Some(&write.number))?;
                self.change(event, write)
            }
            Action::Read { location, value, .. } => self.look(location, value.bits),
            Action::Write { location, .. } if self.is_in(&UNLOCKS) => words(format!("unlocks {location}")),
            Action::Write { location, .. } if self.is_in(&INITS) || self.is_in(&DESTROYS) => {
                let verb = if self.is_in(&INITS) { "initialises" } else { "destroys" };
                // The object is said once; further words of it come before or after.
                match location.strip_suffix("+8").or(location.strip_suffix("+16")) {
                    Some(object) if self.is_in(&["pthread_cond_destroy"]) => {
                        words(format!("{verb} {object}"))
                    }
                    Some(_) => Some(Telling::Nothing),
                    None => words(format!("{verb} {location}")),
                }
            }
            Action::Choose { way, .. } => self.choice(*way),
            Action::Fence if self.is_in(&["syscall"]) => Some(Telling::Nothing),
            Action::Arrive { .. } if self.is_in(&BARRIERS) => {
                words(format!("arrives at {}", self.earlier().find_map(location)?))
            }
            Action::Depart if self.is_in(&BARRIERS) => {
                words(format!("goes on from {}", self.earlier().find_map(location)?))
            }
            _ => None,
        }
    }

    /// What a read-modify-write does.
    fn change(&self, read: &Event, write: &Event) -> Option<Telling> {
        let at = location(read)?;
        let (Action::Read { value: old, .. }, Action::Write { value: new, .. }) =
            (&read.action, &write.action)
        else {
            return None;
        };
        if let Some(at) = at.strip_prefix(WAITERS).filter(|_| self.is_in(&["syscall"])) {
            return Some(self.change_of_waiters(at, old.bits, new.bits));
        }
        Some(Telling::Words(match () {
            () if self.is_in(&["pthread_rwlock_tryrdlock"]) => format!("locks {at} for reading"),
            () if self.is_in(&["pthread_rwlock_trywrlock"]) => format!("locks {at} for writing"),
            () if self.is_in(&LOCKS) => format!("locks {at}"),
            () if self.is_in(&UNLOCKS) => format!("unlocks {at}"),
            () if self.is_in(&WAITS) => format!("waits at {at}"),
            () if self.is_in(&["pthread_cond_signal"]) => format!("signals {at}"),
            () if self.is_in(&["pthread_cond_broadcast"]) => format!("wakes all at {at}"),
            () if self.is_in(&TAKES) => format!("takes one of {at}, {} left", new.text),
            () if self.is_in(&["sem_post"]) => format!("posts {at}, now {}", new.text),
            () => return None,
        }))
    }

    /// The same of a futex. Each thread that waits has a bit; those above are of threads that were moved
    /// elsewhere, and the next word says where to.
    fn change_of_waiters(&self, at: &str, old: i64, new: i64) -> Telling {
        let (old, new) = (old as u32, new as u32);
        let earlier =
            self.events[..self.at].iter().rev().take_while(|event| is_same_call(event, self.event()));
        let is_second = earlier.into_iter().any(|event| is_half(event));
        Telling::Words(match () {
            () if at.ends_with("+8") => return Telling::Nothing,
            () if old & !new != 0 && self.moves() => format!("wakes or moves who waits at {at}"),
            () if old & !new != 0 => format!("wakes who waits at {at}"),
            () if new & !old != 0 && is_second => format!("moves who waits to {at}"),
            () if new & !old != 0 => format!("waits at {at}"),
            () if old == 0 && !is_second => format!("wakes at {at}, where nobody waits"),
            // It looks who waits, and wakes them next; or who was moved sees where to.
            () => return Telling::Nothing,
        })
    }

    /// Whether the call has moved threads from one futex to another.
    fn moves(&self) -> bool {
        self.earlier().filter_map(location).any(|at| at.ends_with("+8"))
    }

    /// What a read does that is no half.
    fn look(&self, at: &str, value: i64) -> Option<Telling> {
        let (nothing, is_moved) = (value == 0, value >> 32 != 0);
        let is_plain = self.event().order.is_none();
        let words = |text: String| Some(Telling::Words(text));
        // The next step changes what this one has looked at.
        let is_followed = || self.after().is_some_and(|event| is_half(event) && location(event) == Some(at));
        // The kind of a mutex, whether a condition variable is there, which barrier it is.
        let is_inner = [&LOCKS[..], &UNLOCKS, &WAITS, &SIGNALS, &BARRIERS, &INITS, &DESTROYS]
            .iter()
            .any(|names| self.is_in(names));
        if is_plain {
            return is_inner.then_some(Telling::Nothing);
        }
        if self.is_in(&LOCKS) {
            return match () {
                () if is_followed() => Some(Telling::Nothing),
                () if !self.is_in(&LASTING) => words(format!("finds {at} locked")),
                () if self.is_last() => words(format!("waits for {at}")),
                () => None,
            };
        }
        if self.is_in(&SIGNALS) {
            let verb = if self.is_in(&["pthread_cond_signal"]) { "signals" } else { "wakes all at" };
            return match () {
                () if nothing => words(format!("{verb} {at}, where nobody waits")),
                () if self.is_last() => None,
                () => Some(Telling::Nothing),
            };
        }
        if self.is_in(&WAITS) {
            return words(if self.is_last() {
                format!("sleeps at {at}")
            } else {
                format!("is woken at {at}")
            });
        }
        if self.is_in(&TAKES) {
            return match () {
                () if is_followed() => Some(Telling::Nothing),
                () if !nothing => None,
                () if self.is_in(&["sem_wait"]) => words(format!("waits for {at}, which is 0")),
                () => words(format!("finds {at} at 0")),
            };
        }
        if self.is_in(&["syscall"]) {
            return match at.strip_prefix(WAITERS) {
                // What it compares is told, but not that it is still so.
                None => self.before().filter(|event| is_half(event)).map(|_| Telling::Nothing),
                Some(at) if self.is_last() => words(format!("sleeps at {at}")),
                Some(at) if at.ends_with("+8") || is_moved => Some(Telling::Nothing),
                Some(at) => words(format!("is woken at {at}")),
            };
        }
        None
    }

    /// What a choice says.
    fn choice(&self, way: i64) -> Option<Telling> {
        let is_choice = |event: &&Event| matches!(event.action, Action::Choose { .. });
        let wakes = || self.before().and_then(location).is_some_and(|at| at.starts_with(WAITERS));
        let why = match () {
            // Which one it is shows in who goes on.
            () if self.is_in(&["pthread_cond_signal"]) => return Some(Telling::Nothing),
            () if self.is_in(&["pthread_cond_timedwait"]) && self.before().filter(is_choice).is_none() => {
                "time runs out"
            }
            () if self.is_in(&WAITS) => "wakes up for no reason",
            () if !self.is_in(&["syscall"]) => return None,
            () if wakes() => return Some(Telling::Nothing),
            () => "goes on without being woken",
        };
        // An earlier step has looked whether the condition variable is there, or at the word.
        let at = self.earlier().find_map(location);
        let at = at.map_or(String::new(), |at| format!(" at {}", at.strip_suffix("+8").unwrap_or(at)));
        Some(if way == 0 { Telling::Nothing } else { Telling::Words(format!("waits{at}, and {why}")) })
    }
}

/// What the words are called in which the machine keeps who waits at a futex.
const WAITERS: &str = "the waiters of ";

/// The functions of the library that a step is in, the innermost first.
fn library(event: &Event) -> impl Iterator<Item = &str> {
    event.stack.iter().take_while(|call| call.place.is_none()).map(|call| call.function.as_str())
}

fn is_in(event: &Event, names: &[&str]) -> bool {
    library(event).any(|name| names.contains(&name))
}

/// Whether two steps that follow each other are of one call that the program makes, as far as can be told.
fn is_same_call(a: &Event, b: &Event) -> bool {
    library(a).last() == library(b).last() && a.place == b.place
}

fn is_half(event: &Event) -> bool {
    matches!(event.action, Action::Read { rmw: true, .. } | Action::Write { rmw: true, .. })
}

fn location(event: &Event) -> Option<&str> {
    match &event.action {
        Action::Read { location, .. } | Action::Write { location, .. } => Some(location),
        _ => None,
    }
}
