//! Where threads came to lately.
//!
//! A standing has as many children as values were given to it, and the explorer asks for the same ones again
//! and again, in turns. They are found here by a hash of where from and with which value; the last one that
//! was asked for has a place.

use crate::threads::Standing;
use selvedge_graph::Value;

/// How many places there are, as a power of two.
const BITS: u32 = 10;

#[derive(Clone, Debug)]
pub struct Recent {
    /// From where, to where, and with which value.
    entries: Vec<(Standing, Standing, Value)>,
}

impl Recent {
    pub fn new() -> Recent {
        Recent { entries: vec![(Standing::ABSENT, Standing::ABSENT, 0); 1 << BITS] }
    }

    #[inline]
    fn place(from: Standing, value: Value) -> usize {
        // Fibonacci hashing: the high bits of the product depend on all of the key.
        let key = (value as u64) ^ (from.number() as u64) << 32 ^ from.number() as u64;
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS)) as usize
    }

    #[inline]
    pub fn get(&self, from: Standing, value: Value) -> Option<Standing> {
        let &(other, to, given) = self.entries.get(Recent::place(from, value))?;
        (other == from && given == value).then_some(to)
    }

    #[inline]
    pub fn set(&mut self, from: Standing, value: Value, to: Standing) {
        if let Some(entry) = self.entries.get_mut(Recent::place(from, value)) {
            *entry = (from, to, value);
        }
    }

    /// Standings have other numbers from now on.
    pub fn forget(&mut self) {
        self.entries.fill((Standing::ABSENT, Standing::ABSENT, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_what_was_put_in_last_or_nothing() {
        let mut recent = Recent::new();
        for n in 0..5000 {
            let (from, value) = (Standing::numbered(n), Value::from(n % 7) - 3);
            recent.set(from, value, Standing::numbered(n + 1));
            assert_eq!(recent.get(from, value), Some(Standing::numbered(n + 1)));
            assert_eq!(recent.get(from, value + 100), None);
        }
        let known = |n: &u32| {
            let found = recent.get(Standing::numbered(*n), Value::from(n % 7) - 3);
            assert!(found.is_none_or(|to| to == Standing::numbered(n + 1)));
            found.is_some()
        };
        let known = (0..5000).filter(known).count();
        assert!((500..=1 << BITS).contains(&known), "{known}");
        recent.forget();
        assert!((0..5000).all(|n| recent.get(Standing::numbered(n), Value::from(n % 7) - 3).is_none()));
    }
}
