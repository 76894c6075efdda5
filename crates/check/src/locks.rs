//! Who holds which locks of the library's, as the steps of an execution tell it.
//!
//! A lock is known by where its word is: what `pthread_mutex_lock` and its like write is that it is taken,
//! what `…_unlock` writes that it is free. Locks that a program makes itself are not known as such.

use crate::witness::{Action, Event, Waiting, WaitsFor, Witness};

/// The function of the library that an event is of.
fn library(event: &Event) -> Option<&str> {
    let inner = event.stack.first().filter(|call| call.place.is_none())?;
    Some(&inner.function)
}

/// A part of a lock, without its offset.
fn whole(location: &str) -> &str {
    location.split_once('+').map_or(location, |(lock, _)| lock)
}

impl Witness {
    /// The locks that the thread of an event holds there, with the events that took them.
    pub(crate) fn held(&self, number: usize) -> Vec<(&str, &Event)> {
        let Some(at) = self.event(number) else { return Vec::new() };
        let mut held: Vec<(&str, &Event)> = Vec::new();
        let before = self.events.iter().filter(|e| e.thread == at.thread && e.index < at.index);
        for event in before {
            let (Some(function), Action::Write { location, value, .. }) = (library(event), &event.action)
            else {
                continue;
            };
            let lock = whole(location);
            // A recursive lock that is still held keeps its word; others may still hold one for reading.
            let frees = value.bits == 0 || function.contains("rwlock");
            if function.ends_with("unlock") {
                held.retain(|(other, _)| *other != lock || !frees);
            } else if function.ends_with("lock") && held.iter().all(|(other, _)| *other != lock) {
                held.push((lock, event));
            }
        }
        held
    }

    /// What two accesses that nothing orders hold: `; a#1 holds m, b#2 no lock`. Nothing if they hold none.
    pub(crate) fn locks_at(&self, one: usize, other: usize) -> Option<String> {
        let named = |number: usize| {
            let locks: Vec<&str> = self.held(number).into_iter().map(|(lock, _)| lock).collect();
            (self.event(number).map_or("", |event| self.thread(event.thread)), locks.join(", "))
        };
        let holds = |(thread, locks): &(&str, String)| match locks.is_empty() {
            true => format!("{thread} holds no lock there"),
            false => format!("{thread} holds {locks}"),
        };
        let (one, other) = (named(one), named(other));
        let any = !one.1.is_empty() || !other.1.is_empty();
        any.then(|| format!("{}, {}", holds(&one), holds(&other)))
    }

    /// The lock that a thread waits for, and the event that took it: the thread has just seen that it is.
    pub(crate) fn awaited(&self, waiting: &Waiting) -> Option<(&str, &Event)> {
        if waiting.reason != WaitsFor::Lock {
            return None;
        }
        let last = self.events.iter().rfind(|event| event.thread == waiting.thread)?;
        let Action::Read { location, from, .. } = &last.action else { return None };
        library(last)?;
        Some((whole(location), self.event(*from)?))
    }
}
