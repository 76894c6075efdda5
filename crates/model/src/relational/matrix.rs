//! Relations between the events of one execution, as bit matrices.

/// A square matrix of bits. Row `x` holds the events that `x` is related to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Matrix {
    n: usize,
    /// 64-bit words per row.
    words: usize,
    bits: Vec<u64>,
}

impl Matrix {
    pub fn empty(n: usize) -> Matrix {
        let words = n.div_ceil(64);
        Matrix { n, words, bits: vec![0; n * words] }
    }

    /// Makes this the empty relation on `n` events, keeping its memory.
    pub fn clear(&mut self, n: usize) {
        self.n = n;
        self.words = n.div_ceil(64);
        self.bits.clear();
        self.bits.resize(n * self.words, 0);
    }

    pub fn len(&self) -> usize {
        self.n
    }

    #[inline]
    pub fn row(&self, x: usize) -> &[u64] {
        &self.bits[x * self.words..(x + 1) * self.words]
    }

    #[inline]
    pub fn has(&self, x: usize, y: usize) -> bool {
        self.bits[x * self.words + y / 64] >> (y % 64) & 1 != 0
    }

    #[inline]
    pub fn set(&mut self, x: usize, y: usize) {
        self.bits[x * self.words + y / 64] |= 1 << (y % 64);
    }

    /// The events that `x` is related to.
    pub fn successors(&self, x: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(x))
    }

    pub fn assign(&mut self, other: &Matrix) {
        self.n = other.n;
        self.words = other.words;
        self.bits.clear();
        self.bits.extend_from_slice(&other.bits);
    }

    pub fn unite(&mut self, other: &Matrix) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a |= b);
    }

    pub fn intersect(&mut self, other: &Matrix) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a &= b);
    }

    pub fn subtract(&mut self, other: &Matrix) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a &= !b);
    }

    /// Keeps the pairs for which `keep` holds.
    pub fn retain(&mut self, keep: impl Fn(usize, usize) -> bool) {
        for x in 0..self.n {
            for y in 0..self.n {
                if self.has(x, y) && !keep(x, y) {
                    self.bits[x * self.words + y / 64] &= !(1 << (y % 64));
                }
            }
        }
    }

    pub fn add_identity(&mut self) {
        (0..self.n).for_each(|x| self.set(x, x));
    }

    pub fn fill(&mut self) {
        for x in 0..self.n {
            for y in 0..self.n {
                self.set(x, y);
            }
        }
    }

    /// Row `x` of this matrix takes in row `y` of `other`.
    fn take_row(&mut self, x: usize, other: &Matrix, y: usize) {
        let own = &mut self.bits[x * self.words..(x + 1) * self.words];
        own.iter_mut().zip(other.row(y)).for_each(|(a, b)| *a |= b);
    }

    /// `a ; b`; this must be empty.
    pub fn add_sequence(&mut self, a: &Matrix, b: &Matrix) {
        if a.words == 1 {
            // Nearly always: executions are small.
            for (own, &row) in self.bits.iter_mut().zip(&a.bits) {
                let (mut rest, mut all) = (row, 0);
                while rest != 0 {
                    all |= b.bits[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
                *own = all;
            }
            return;
        }
        for x in 0..a.n {
            for y in a.successors(x) {
                self.take_row(x, b, y);
            }
        }
    }

    /// `a ; set` for a relation `set` of events with themselves; this must be empty.
    pub fn add_restricted(&mut self, a: &Matrix, set: &Matrix) {
        let mut members = vec![0u64; a.words];
        (0..a.n).filter(|&x| set.has(x, x)).for_each(|x| members[x / 64] |= 1 << (x % 64));
        for (at, (own, row)) in self.bits.iter_mut().zip(&a.bits).enumerate() {
            *own = row & members[at % a.words];
        }
    }

    /// The transitive closure, in place.
    pub fn close(&mut self) {
        if self.words == 1 {
            for y in 0..self.n {
                let via = self.bits[y];
                if via != 0 {
                    self.bits.iter_mut().filter(|row| **row >> y & 1 != 0).for_each(|row| *row |= via);
                }
            }
            return;
        }
        let mut via = vec![0; self.words];
        for y in 0..self.n {
            via.copy_from_slice(self.row(y));
            if via.iter().all(|w| *w == 0) {
                continue;
            }
            for x in 0..self.n {
                if self.has(x, y) {
                    let own = &mut self.bits[x * self.words..(x + 1) * self.words];
                    own.iter_mut().zip(&via).for_each(|(a, b)| *a |= b);
                }
            }
        }
    }

    pub fn add_inverse(&mut self, a: &Matrix) {
        for x in 0..a.n {
            for y in a.successors(x) {
                self.set(y, x);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|w| *w == 0)
    }

    pub fn is_irreflexive(&self) -> bool {
        (0..self.n).all(|x| !self.has(x, x))
    }

    pub fn is_subset(&self, other: &Matrix) -> bool {
        self.bits.iter().zip(&other.bits).all(|(a, b)| a & !b == 0)
    }

    /// Whether there is no cycle: events without a step to a remaining event are taken away until
    /// nothing changes.
    pub fn is_acyclic(&self) -> bool {
        let mut left = vec![0u64; self.words];
        (0..self.n).for_each(|x| left[x / 64] |= 1 << (x % 64));
        loop {
            let mut changed = false;
            for x in 0..self.n {
                let alive = left[x / 64] >> (x % 64) & 1 != 0;
                if alive && self.row(x).iter().zip(&left).all(|(a, b)| a & b == 0) {
                    left[x / 64] &= !(1 << (x % 64));
                    changed = true;
                }
            }
            if left.iter().all(|w| *w == 0) {
                return true;
            }
            if !changed {
                return false;
            }
        }
    }
}

fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(64 * at + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: usize, pairs: &[(usize, usize)]) -> Matrix {
        let mut m = Matrix::empty(n);
        pairs.iter().for_each(|&(x, y)| m.set(x, y));
        m
    }

    #[test]
    fn closure_and_cycles() {
        // More events than bits in a word, and fewer.
        for n in [70, 20] {
            let mut chain = Matrix::empty(n);
            (0..n - 1).for_each(|x| chain.set(x, x + 1));
            assert!(chain.is_acyclic());
            let mut closed = chain.clone();
            closed.close();
            assert!((0..n).all(|x| (0..n).all(|y| closed.has(x, y) == (x < y))));
            chain.set(n - 1, 0);
            assert!(!chain.is_acyclic());
        }
    }

    #[test]
    fn sequences_and_inverses() {
        let (a, b) = (of(3, &[(0, 1), (1, 2)]), of(3, &[(1, 0), (2, 2)]));
        let mut ab = Matrix::empty(3);
        ab.add_sequence(&a, &b);
        assert_eq!(ab, of(3, &[(0, 0), (1, 2)]));
        let (set, mut restricted) = (of(3, &[(2, 2)]), Matrix::empty(3));
        restricted.add_restricted(&a, &set);
        assert_eq!(restricted, of(3, &[(1, 2)]));
        let mut inverse = Matrix::empty(3);
        inverse.add_inverse(&a);
        assert_eq!(inverse, of(3, &[(1, 0), (2, 1)]));
    }
}
