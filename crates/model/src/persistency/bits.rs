//! Sets of events, as bits.

use selvedge_graph::EventId;

/// A set of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn empty(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)])
    }

    /// Returns whether it is new.
    pub fn add(&mut self, e: EventId) -> bool {
        let (word, bit) = (&mut self.0[e.index() / 64], 1 << (e.index() % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    pub fn remove(&mut self, e: EventId) {
        self.0[e.index() / 64] &= !(1 << (e.index() % 64));
    }

    pub fn has(&self, e: EventId) -> bool {
        self.0[e.index() / 64] >> (e.index() % 64) & 1 != 0
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = EventId> {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(EventId(at as u32 * 64 + bit))
            })
        })
    }

    pub fn unite(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn intersect(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    pub fn subtract(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }
}
