//! Sets of steps: of each event that it is there, and of each write that it is committed.

use super::web::Ev;

/// A set of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    bits: Vec<u64>,
}

impl Steps {
    pub fn clear(&mut self, bound: usize) {
        self.bits.clear();
        self.bits.resize((2 * bound).div_ceil(64), 0);
    }

    #[inline]
    fn insert(&mut self, bit: usize) -> bool {
        let word = &mut self.bits[bit / 64];
        let before = *word;
        *word |= 1 << (bit % 64);
        *word != before
    }

    /// That `e` is there; whether that is new.
    #[inline]
    pub fn add(&mut self, e: Ev) -> bool {
        self.insert(2 * e as usize)
    }

    /// That the write `e` is committed; whether that is new.
    #[inline]
    pub fn add_commit(&mut self, e: Ev) -> bool {
        self.insert(2 * e as usize + 1)
    }

    #[inline]
    pub fn has(&self, e: Ev) -> bool {
        self.bits[e as usize / 32] >> (2 * e as usize % 64) & 1 != 0
    }

    #[inline]
    pub fn has_commit(&self, e: Ev) -> bool {
        self.bits[e as usize / 32] >> (2 * e as usize % 64 + 1) & 1 != 0
    }
}
