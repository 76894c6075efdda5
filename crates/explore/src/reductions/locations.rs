//! What reductions find out about locations while exploring: a few bits for each, which are only ever set.
//!
//! All who explore a program add to one set ([`SharedBits`]); each of them remembers what it has told already
//! ([`Told`]), so that hardly anything is said twice and nobody waits for a lock on the way.

use selvedge_graph::Loc;
use std::sync::{Mutex, MutexGuard};

/// What all know.
#[derive(Debug, Default)]
pub(super) struct SharedBits(Mutex<Vec<u8>>);

impl SharedBits {
    /// Adds what was found out; returns all that is known of the location.
    pub(super) fn note(&self, loc: Loc, bits: u8) -> u8 {
        let (mut known, at) = (self.lock(), loc.0 as usize);
        if known.len() <= at {
            known.resize(at + 1, 0);
        }
        known[at] |= bits;
        known[at]
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The first location of which something is known that is not `in_order`.
    pub(super) fn first_not(&self, in_order: impl Fn(u8) -> bool) -> Option<Loc> {
        self.lock().iter().position(|&bits| !in_order(bits)).map(|at| Loc(at as u32))
    }

    /// What is known, to be remembered elsewhere.
    pub(super) fn save(&self) -> Vec<u8> {
        self.lock().clone()
    }

    /// Adds what was known before.
    pub(super) fn restore(&self, saved: &[u8]) {
        for (at, &bits) in saved.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            self.note(Loc(at as u32), bits);
        }
    }
}

/// What one explorer has told the others.
#[derive(Debug, Default)]
pub(super) struct Told(Vec<u8>);

impl Told {
    /// Whether there is something new to tell.
    #[inline]
    pub(super) fn is_news(&mut self, loc: Loc, bits: u8) -> bool {
        let at = loc.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        let news = self.0[at] & bits != bits;
        self.0[at] |= bits;
        news
    }

    /// Whether this was told.
    #[inline]
    pub(super) fn has(&self, loc: Loc, bit: u8) -> bool {
        self.0.get(loc.0 as usize).is_some_and(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_known_again_after_it_was_saved() {
        let shared = SharedBits::default();
        assert_eq!(shared.note(Loc(2), 1), 1);
        assert_eq!(shared.note(Loc(2), 4), 5);
        let other = SharedBits::default();
        other.note(Loc(2), 8);
        other.restore(&shared.save());
        assert_eq!(other.save(), [0, 0, 13]);
        assert_eq!(other.first_not(|bits| bits & 8 == 0), Some(Loc(2)));
    }

    #[test]
    fn nothing_is_told_twice() {
        let mut told = Told::default();
        assert!(told.is_news(Loc(1), 1));
        assert!(!told.is_news(Loc(1), 1));
        assert!(told.is_news(Loc(1), 3));
        assert!(told.has(Loc(1), 2) && !told.has(Loc(7), 1));
    }
}
