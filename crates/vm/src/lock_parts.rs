//! How the critical sections of locks are divided into parts, each of which has an order of its own, and what
//! was seen of them. Why that is sound: `reductions/lock_order.rs` of the explorer.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// After so many attempts, locks whose sections still turn out to conflict are not divided any more.
const MOST_ATTEMPTS: u32 = 6;

/// After so many attempts, for whatever reason, no lock is.
const MOST_ATTEMPTS_OF_ALL: u32 = 16;

/// Critical sections that are not told apart: of a lock, by its address, of a thread, and from where the
/// thread takes the lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Section {
    pub lock: u64,
    pub thread: u16,
    pub site: u64,
}

/// How locks are divided while an exploration is under way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockParts {
    /// Nothing is divided.
    off: bool,
    /// These are not.
    whole: BTreeSet<u64>,
    /// The parts of more than one section. Other sections are alone in theirs.
    parts: BTreeMap<Section, u32>,
    /// How often sections turned out to conflict, and how often there was any reason to begin anew.
    attempts: u32,
    attempts_of_all: u32,
}

/// What was seen of critical sections by all who explore a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeenSections {
    /// Of locks that are divided.
    sections: BTreeSet<Section>,
    /// Pairs that access the same memory and are in different parts.
    conflicts: BTreeSet<(Section, Section)>,
    /// Locks that must not be divided.
    whole: BTreeSet<u64>,
    /// No lock may be divided.
    off: bool,
    /// There were sections of locks other than the one of atomic sections.
    of_locks: bool,
}

/// Both as they are written to files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SavedLocks {
    off: bool,
    whole: Vec<u64>,
    parts: Vec<(Section, u32)>,
    attempts: u32,
    attempts_of_all: u32,
    seen: Vec<Section>,
    conflicts: Vec<(Section, Section)>,
    seen_whole: Vec<u64>,
    seen_off: bool,
    of_locks: bool,
}

/// What a thread has to do for a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Take the lock.
    Whole,
    /// Nothing: it is alone.
    Alone,
    /// Take the word of this part.
    Number(u32),
}

impl LockParts {
    /// How locks are to be divided if nothing is known of them.
    pub fn new(off: bool) -> LockParts {
        LockParts { off, ..LockParts::default() }
    }

    pub fn are_off(&self) -> bool {
        self.off
    }

    pub fn is_whole(&self, lock: u64) -> bool {
        self.off || self.whole.contains(&lock)
    }

    pub fn part_of(&self, section: Section) -> Part {
        if self.is_whole(section.lock) {
            return Part::Whole;
        }
        self.parts.get(&section).map_or(Part::Alone, |part| Part::Number(*part))
    }

    /// Whether two sections of a lock have an order.
    pub fn are_ordered(&self, a: Section, b: Section) -> bool {
        a.thread == b.thread || self.parts.get(&a).is_some_and(|part| self.parts.get(&b) == Some(part))
    }

    /// The locks of which not all sections are alone.
    pub fn locks(&self) -> impl Iterator<Item = u64> {
        self.whole.iter().copied().chain(self.parts.keys().map(|section| section.lock))
    }

    /// The parts that sections of a thread are in, but for those that are alone.
    pub fn of_thread(&self, thread: u16) -> impl Iterator<Item = (u64, u64, u32)> {
        let own = self.parts.iter().filter(move |(section, _)| section.thread == thread);
        own.map(|(section, part)| (section.lock, section.site, *part))
    }

    /// Divides anew by what was seen.
    pub fn give_in(&mut self, seen: &mut SeenSections) {
        self.attempts_of_all += 1;
        self.off |= std::mem::take(&mut seen.off) || self.attempts_of_all > MOST_ATTEMPTS_OF_ALL;
        self.whole.append(&mut seen.whole);
        let conflicts = std::mem::take(&mut seen.conflicts);
        self.attempts += u32::from(!conflicts.is_empty());
        let mut parts = self.parts.clone();
        let mut next = parts.values().max().map_or(0, |last| last + 1);
        for (a, b) in &conflicts {
            if self.attempts > MOST_ATTEMPTS {
                self.whole.insert(a.lock);
                continue;
            }
            let [one, other] = [a, b].map(|section| {
                *parts.entry(*section).or_insert_with(|| {
                    next += 1;
                    next
                })
            });
            parts.values_mut().filter(|part| **part == other).for_each(|part| *part = one);
        }
        parts.retain(|section, _| !self.whole.contains(&section.lock));
        // Numbers by the order of sections, whoever found the conflicts first.
        let mut numbers = BTreeMap::new();
        for part in parts.values_mut() {
            let next = numbers.len() as u32;
            *part = *numbers.entry(*part).or_insert(next);
        }
        self.parts = parts;
        seen.sections.clear();
        seen.of_locks = false;
    }

    /// The locks whose sections, as far as they were seen, are all in one part, and more than one.
    pub fn in_vain(&self, seen: &SeenSections) -> Vec<u64> {
        let mut locks: Vec<u64> = self.parts.keys().map(|section| section.lock).collect();
        locks.dedup();
        locks.retain(|lock| {
            let mut of_lock = seen.sections.iter().filter(|s| s.lock == *lock).map(|s| self.parts.get(s));
            let first = of_lock.next().flatten();
            first.is_some() && of_lock.all(|part| part == first)
        });
        locks
    }

    pub fn save(&self, seen: &SeenSections) -> SavedLocks {
        SavedLocks {
            off: self.off,
            whole: self.whole.iter().copied().collect(),
            parts: self.parts.iter().map(|(section, part)| (*section, *part)).collect(),
            attempts: self.attempts,
            attempts_of_all: self.attempts_of_all,
            seen: seen.sections.iter().copied().collect(),
            conflicts: seen.conflicts.iter().copied().collect(),
            seen_whole: seen.whole.iter().copied().collect(),
            seen_off: seen.off,
            of_locks: seen.of_locks,
        }
    }
}

impl SavedLocks {
    pub fn restore(self) -> (LockParts, SeenSections) {
        let parts = LockParts {
            off: self.off,
            whole: self.whole.into_iter().collect(),
            parts: self.parts.into_iter().collect(),
            attempts: self.attempts,
            attempts_of_all: self.attempts_of_all,
        };
        let seen = SeenSections {
            sections: self.seen.into_iter().collect(),
            conflicts: self.conflicts.into_iter().collect(),
            whole: self.seen_whole.into_iter().collect(),
            off: self.seen_off,
            of_locks: self.of_locks,
        };
        (parts, seen)
    }
}

impl SeenSections {
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    pub fn of_locks(&self) -> bool {
        self.of_locks
    }

    pub fn has(&self, section: Section) -> bool {
        self.sections.contains(&section)
    }

    /// `atomic`: it is an atomic section.
    pub fn add(&mut self, section: Section, atomic: bool) {
        self.sections.insert(section);
        self.of_locks |= !atomic;
    }

    pub fn conflict(&mut self, a: Section, b: Section) {
        self.conflicts.insert((a.min(b), a.max(b)));
    }

    pub fn is_to_be_whole(&self, lock: u64) -> bool {
        self.whole.contains(&lock)
    }

    pub fn keep_whole(&mut self, lock: u64) {
        self.whole.insert(lock);
    }

    pub fn keep_all_whole(&mut self) {
        self.off = true;
    }

    /// Whether there is a reason to divide locks anew.
    pub fn is_pending(&self) -> bool {
        self.off || !self.conflicts.is_empty() || !self.whole.is_empty()
    }

    /// Takes in what is new in those of all.
    pub fn follow(&mut self, common: &SeenSections) {
        let size = |s: &SeenSections| (s.sections.len(), s.conflicts.len(), s.whole.len(), s.off);
        if size(self) != size(common) {
            self.clone_from(common);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(lock: u64, thread: u16) -> Section {
        Section { lock, thread, site: 0 }
    }

    fn seen(sections: &[Section], conflicts: &[(Section, Section)]) -> SeenSections {
        let mut seen = SeenSections::default();
        sections.iter().for_each(|s| seen.add(*s, false));
        conflicts.iter().for_each(|(a, b)| seen.conflict(*a, *b));
        seen
    }

    #[test]
    fn what_conflicts_is_ordered_and_nothing_else() {
        let [a, b, c, d, e] = [1, 2, 3, 4, 5].map(|t| section(8, t));
        let mut parts = LockParts::new(false);
        parts.give_in(&mut seen(&[a, b, c, d, e], &[(a, b), (c, d)]));
        assert!(parts.are_ordered(a, b) && parts.are_ordered(c, d));
        assert!(!parts.are_ordered(a, c) && !parts.are_ordered(b, e));
        assert_eq!(parts.part_of(e), Part::Alone);
        parts.give_in(&mut seen(&[a, b, c, d, e], &[(b, d)]));
        assert!(parts.are_ordered(a, c) && !parts.are_ordered(a, e));
    }

    #[test]
    fn a_lock_whose_sections_are_all_ordered_is_divided_in_vain() {
        let (a, b, c, other) = (section(8, 1), section(8, 2), section(8, 3), section(16, 1));
        let mut parts = LockParts::new(false);
        parts.give_in(&mut seen(&[a, b], &[(a, b)]));
        assert_eq!(parts.in_vain(&seen(&[a, b, other], &[])), [8]);
        assert!(parts.in_vain(&seen(&[a, b, c, other], &[])).is_empty());
        assert_eq!((parts.part_of(a), parts.part_of(c)), (Part::Number(0), Part::Alone));
    }

    #[test]
    fn after_many_attempts_a_lock_is_whole() {
        let all: Vec<Section> = (0..20).map(|t| section(8, t)).collect();
        let mut parts = LockParts::new(false);
        for n in 0..MOST_ATTEMPTS as usize {
            parts.give_in(&mut seen(&all, &[(all[n], all[n + 1])]));
            assert!(!parts.is_whole(8));
        }
        parts.give_in(&mut seen(&all, &[(all[0], all[19])]));
        assert!(parts.is_whole(8));
    }

    #[test]
    fn parts_are_numbered_whoever_finds_them() {
        let [a, b, c, d, e] = [1, 2, 3, 4, 5].map(|t| section(8, t));
        let (mut one, mut other) = (LockParts::new(false), LockParts::new(false));
        one.give_in(&mut seen(&[a, b, c, d, e], &[(a, b), (c, d)]));
        other.give_in(&mut seen(&[a, b, c, d, e], &[(c, d)]));
        other.give_in(&mut seen(&[a, b, c, d, e], &[(a, b)]));
        assert_eq!(one.parts, other.parts);
    }
}
