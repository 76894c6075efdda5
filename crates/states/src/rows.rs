//! Rows of numbers that are kept once, each with a number of its own.
//!
//! They are compared whole, so that hashing costs time at worst. All are in one long list: there may be
//! millions.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

pub(crate) struct Rows<T> {
    all: Vec<T>,
    /// Where each of them ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows {
            all: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::with_seed(0x5e1_7ed6e),
        }
    }
}

impl<T: Copy + Eq + Hash> Rows<T> {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &[T] {
        row(&self.all, &self.ends, number)
    }

    pub fn find(&self, wanted: &[T]) -> Option<u32> {
        let is = |number: &u32| self.get(*number) == wanted;
        self.table.find(self.hasher.hash_one(wanted), is).copied()
    }

    /// The number of a row, and whether it is new.
    pub fn number(&mut self, wanted: &[T]) -> (u32, bool) {
        let hash = self.hasher.hash_one(wanted);
        let (all, ends, hasher) = (&self.all, &self.ends, &self.hasher);
        if let Some(known) = self.table.find(hash, |number| row(all, ends, *number) == wanted) {
            return (*known, false);
        }
        let number = ends.len() as u32;
        self.table.insert_unique(hash, number, |of| hasher.hash_one(row(all, ends, *of)));
        self.all.extend_from_slice(wanted);
        self.ends.push(self.all.len());
        (number, true)
    }
}

fn row<'a, T>(all: &'a [T], ends: &[usize], number: u32) -> &'a [T] {
    let number = number as usize;
    let from = if number == 0 { 0 } else { ends[number - 1] };
    &all[from..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::Rows;

    #[test]
    fn rows_keep_their_numbers() {
        let mut rows: Rows<u32> = Rows::default();
        let mut all = Vec::new();
        for n in 0..2000u32 {
            let row: Vec<u32> = (0..n % 7).map(|k| (n / 7) * k).collect();
            let (number, new) = rows.number(&row);
            assert_eq!(new, !all.contains(&row), "{row:?}");
            if new {
                all.push(row.clone());
            }
            assert_eq!(all[number as usize], row);
            assert_eq!(rows.find(&row), Some(number));
            assert_eq!(rows.get(number), &row[..]);
        }
        assert_eq!(rows.len(), all.len());
        assert_eq!(rows.find(&[1, 2, 3, 4, 5, 6, 7, 8]), None);
    }
}
