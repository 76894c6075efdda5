//! Syntactic dependencies (thesis §2.4.1).

use std::fmt;

/// A set of events of one thread, by their position in it (from 1). The first 64 take no allocation.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct DepSet {
    low: u64,
    /// Those after them, if there are any: without trailing zeros, so that equal sets are equal. Most sets
    /// have none, and are copied often: behind a pointer that costs them the least.
    #[expect(clippy::box_collection, reason = "it is to be small where it is empty")]
    high: Option<Box<Vec<u64>>>,
}

impl DepSet {
    pub const EMPTY: DepSet = DepSet { low: 0, high: None };

    #[inline]
    pub fn one(idx: u32) -> DepSet {
        let mut set = DepSet::EMPTY;
        set.insert(idx);
        set
    }

    /// All positions before this one.
    #[inline]
    pub fn below(idx: u32) -> DepSet {
        let count = idx.saturating_sub(1) as usize;
        if count < 64 {
            return DepSet { low: (1 << count) - 1, high: None };
        }
        let mut high = vec![u64::MAX; (count - 64) / 64];
        if !count.is_multiple_of(64) {
            high.push((1 << (count % 64)) - 1);
        }
        DepSet { low: u64::MAX, high: (!high.is_empty()).then(|| Box::new(high)) }
    }

    #[inline]
    fn high(&self) -> &[u64] {
        self.high.as_ref().map_or(&[], |high| high)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_none()
    }

    pub fn clear(&mut self) {
        *self = DepSet::EMPTY;
    }

    #[inline]
    pub fn insert(&mut self, idx: u32) {
        debug_assert!(idx >= 1, "positions are counted from 1");
        let at = idx.saturating_sub(1);
        match (at / 64).checked_sub(1) {
            None => self.low |= 1u64 << at,
            Some(word) => self.insert_high(word as usize, 1u64 << (at % 64)),
        }
    }

    #[cold]
    fn insert_high(&mut self, word: usize, bit: u64) {
        let high = self.high.get_or_insert_default();
        if high.len() <= word {
            high.resize(word + 1, 0);
        }
        high[word] |= bit;
    }

    #[inline]
    pub fn contains(&self, idx: u32) -> bool {
        let at = idx.wrapping_sub(1);
        let word = match (at / 64).checked_sub(1) {
            None => self.low,
            Some(word) => self.high().get(word as usize).copied().unwrap_or(0),
        };
        word >> (at % 64) & 1 == 1
    }

    #[inline]
    pub fn intersects(&self, other: &DepSet) -> bool {
        self.low & other.low != 0 || self.high().iter().zip(other.high()).any(|(a, b)| a & b != 0)
    }

    #[inline]
    pub fn union(&mut self, other: &DepSet) {
        self.low |= other.low;
        if let Some(high) = &other.high {
            self.union_high(high);
        }
    }

    #[cold]
    fn union_high(&mut self, other: &[u64]) {
        let high = self.high.get_or_insert_default();
        if high.len() < other.len() {
            high.resize(other.len(), 0);
        }
        high.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
    }

    #[inline]
    pub fn intersect(&mut self, other: &DepSet) {
        self.low &= other.low;
        if let Some(high) = &mut self.high {
            let others = other.high();
            high.truncate(others.len());
            high.iter_mut().zip(others).for_each(|(a, b)| *a &= b);
            self.trim();
        }
    }

    #[inline]
    pub fn subtract(&mut self, other: &DepSet) {
        self.low &= !other.low;
        if let (Some(high), Some(others)) = (&mut self.high, &other.high) {
            high.iter_mut().zip(&**others).for_each(|(a, b)| *a &= !b);
            self.trim();
        }
    }

    /// The same events after one was put in at this position.
    pub fn with_room_at(&self, idx: u32) -> DepSet {
        let mut set = DepSet::EMPTY;
        self.iter().for_each(|i| set.insert(if i >= idx { i + 1 } else { i }));
        set
    }

    /// The same events after the one at this position was taken out.
    pub fn without_room_at(&self, idx: u32) -> DepSet {
        let mut set = DepSet::EMPTY;
        self.iter().filter(|i| *i != idx).for_each(|i| set.insert(if i > idx { i - 1 } else { i }));
        set
    }

    fn trim(&mut self) {
        if let Some(high) = &mut self.high {
            while high.last() == Some(&0) {
                high.pop();
            }
            if high.is_empty() {
                self.high = None;
            }
        }
    }

    /// The latest event of the set.
    #[inline]
    pub fn last(&self) -> Option<u32> {
        match self.high().last() {
            Some(word) => Some(64 * self.high().len() as u32 + 64 - word.leading_zeros()),
            None if self.low == 0 => None,
            None => Some(64 - self.low.leading_zeros()),
        }
    }

    /// Positions, from the first to the last.
    #[inline]
    pub fn iter(&self) -> Positions<'_> {
        Positions { word: self.low, at: 0, high: self.high() }
    }
}

/// The positions of a set, from the first to the last.
#[derive(Clone, Debug)]
pub struct Positions<'s> {
    word: u64,
    at: u32,
    high: &'s [u64],
}

impl Iterator for Positions<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.word == 0 {
            let (first, rest) = self.high.split_first()?;
            (self.word, self.at, self.high) = (*first, self.at + 64, rest);
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.at + bit + 1)
    }
}

impl fmt::Debug for DepSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The reads of its own thread that an event depends on, and the writes that it publishes. Kept beside the
/// events, only for graphs that track them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Deps {
    /// What the location of an access was computed from.
    pub addr: DepSet,
    /// What the value of a write was computed from.
    pub data: DepSet,
    /// What the branches before the event were decided by.
    pub ctrl: DepSet,
    /// The same, as long as the branches' arms last: what decides whether the event happens at all.
    pub arm: DepSet,
    /// What decides which way the thread went, as far as it was not decided by events of its own
    /// (`Op::Decide`); `None` if it is `ctrl`. Models do not see it.
    pub path: Option<DepSet>,
    /// For the read of a compare-and-swap: what the value that it expects was computed from.
    pub cas: DepSet,
    /// For the write of a reference: the earlier writes of its thread to the object that it refers to.
    pub publishes: DepSet,
    /// What decides whether the thread came here, or failed on the way from its previous event: by a
    /// division, by an address. This is no dependency, and models do not see it.
    pub faults: DepSet,
}

impl Deps {
    pub const NONE: Deps = Deps {
        addr: DepSet::EMPTY,
        data: DepSet::EMPTY,
        ctrl: DepSet::EMPTY,
        arm: DepSet::EMPTY,
        path: None,
        cas: DepSet::EMPTY,
        publishes: DepSet::EMPTY,
        faults: DepSet::EMPTY,
    };

    /// The same, with other sets.
    pub fn map(&self, of: impl Fn(&DepSet) -> DepSet) -> Deps {
        Deps {
            addr: of(&self.addr),
            data: of(&self.data),
            ctrl: of(&self.ctrl),
            arm: of(&self.arm),
            path: self.path.as_ref().map(&of),
            cas: of(&self.cas),
            publishes: of(&self.publishes),
            faults: of(&self.faults),
        }
    }

    pub fn path(&self) -> &DepSet {
        self.path.as_ref().unwrap_or(&self.ctrl)
    }

    pub fn is_empty(&self) -> bool {
        [&self.addr, &self.data, &self.ctrl, &self.cas].iter().all(|set| set.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_any_size() {
        let mut set = DepSet::EMPTY;
        let members = [1, 5, 64, 65, 128, 129, 1000];
        for m in members {
            assert!(!set.contains(m));
            set.insert(m);
            assert!(set.contains(m));
            assert_eq!(set.last(), Some(m));
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), members);
        let mut other = DepSet::one(2);
        other.union(&set);
        assert_eq!(other.iter().count(), members.len() + 1);
        assert_eq!(other.last(), Some(1000));
        assert!(!DepSet::EMPTY.contains(1) && DepSet::EMPTY.last().is_none());
    }
}
