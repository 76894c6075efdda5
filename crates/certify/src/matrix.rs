//! Relations over at most 32 events, one bit per pair.
//!
//! Row `x` holds the events that `x` is related to. The number of events is not kept here: rows and
//! columns of events that do not exist are 0, and the operations that need the number are given it.
//! A set of events is the diagonal relation on it.

/// The most events an execution may have, the initialising one included.
pub const MAX_EVENTS: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix {
    rows: [u32; MAX_EVENTS],
}

/// The events `0..n` as a bit set.
#[inline]
pub fn all_events(n: usize) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}

/// The positions of the bits that are set.
#[inline]
pub fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let at = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(at)
    })
}

impl Matrix {
    pub const EMPTY: Matrix = Matrix { rows: [0; MAX_EVENTS] };

    pub fn any(n: usize) -> Matrix {
        let mut m = Matrix::EMPTY;
        m.rows[..n].fill(all_events(n));
        m
    }

    pub fn id(n: usize) -> Matrix {
        Matrix::diagonal(all_events(n))
    }

    /// The identity on a set of events.
    pub fn diagonal(set: u32) -> Matrix {
        let mut m = Matrix::EMPTY;
        for (x, row) in m.rows.iter_mut().enumerate() {
            *row = set & (1 << x);
        }
        m
    }

    #[inline]
    pub fn has(&self, x: usize, y: usize) -> bool {
        self.rows[x] >> y & 1 == 1
    }

    #[inline]
    pub fn set(&mut self, x: usize, y: usize) {
        self.rows[x] |= 1 << y;
    }

    #[inline]
    pub fn row(&self, x: usize) -> u32 {
        self.rows[x]
    }

    #[inline]
    pub fn set_row(&mut self, x: usize, row: u32) {
        self.rows[x] = row;
    }

    pub fn is_empty(&self) -> bool {
        self.rows.iter().fold(0, |all, row| all | row) == 0
    }

    pub fn is_irreflexive(&self) -> bool {
        self.rows.iter().enumerate().all(|(x, row)| row >> x & 1 == 0)
    }

    /// Takes away events without successors until none is left, or a cycle is.
    pub fn is_acyclic(&self, n: usize) -> bool {
        let mut live = all_events(n);
        loop {
            let before = live;
            for x in bits(live) {
                if self.rows[x] & live == 0 {
                    live &= !(1 << x);
                }
            }
            if live == 0 {
                return true;
            }
            if live == before {
                return false;
            }
        }
    }

    pub fn is_subset(&self, other: &Matrix) -> bool {
        self.diff(other).is_empty()
    }

    #[inline]
    fn zip(&self, other: &Matrix, f: impl Fn(u32, u32) -> u32) -> Matrix {
        let mut m = *self;
        for (a, b) in m.rows.iter_mut().zip(&other.rows) {
            *a = f(*a, *b);
        }
        m
    }

    pub fn union(&self, other: &Matrix) -> Matrix {
        self.zip(other, |a, b| a | b)
    }

    pub fn inter(&self, other: &Matrix) -> Matrix {
        self.zip(other, |a, b| a & b)
    }

    pub fn diff(&self, other: &Matrix) -> Matrix {
        self.zip(other, |a, b| a & !b)
    }

    pub fn complement(&self, n: usize) -> Matrix {
        Matrix::any(n).diff(self)
    }

    pub fn compose(&self, other: &Matrix, n: usize) -> Matrix {
        let mut m = Matrix::EMPTY;
        for (to, from) in m.rows[..n].iter_mut().zip(&self.rows) {
            *to = bits(*from).fold(0, |row, y| row | other.rows[y]);
        }
        m
    }

    /// Transitive closure.
    pub fn plus(&self, n: usize) -> Matrix {
        let mut m = *self;
        for via in 0..n {
            let through = m.rows[via];
            for row in &mut m.rows[..n] {
                if *row >> via & 1 == 1 {
                    *row |= through;
                }
            }
        }
        m
    }

    pub fn opt(&self, n: usize) -> Matrix {
        self.union(&Matrix::id(n))
    }

    pub fn inverse(&self, n: usize) -> Matrix {
        let mut m = Matrix::EMPTY;
        for x in 0..n {
            for y in bits(self.rows[x]) {
                m.set(y, x);
            }
        }
        m
    }

    /// The identity on the events that are related to something.
    pub fn domain(&self) -> Matrix {
        let mut m = Matrix::EMPTY;
        for (x, row) in m.rows.iter_mut().enumerate() {
            *row = u32::from(self.rows[x] != 0) << x;
        }
        m
    }

    /// The identity on the events that something is related to.
    pub fn range(&self) -> Matrix {
        Matrix::diagonal(self.rows.iter().fold(0, |all, row| all | row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(pairs: &[(usize, usize)]) -> Matrix {
        let mut m = Matrix::EMPTY;
        for &(x, y) in pairs {
            m.set(x, y);
        }
        m
    }

    #[test]
    fn closure_and_cycles() {
        let chain = matrix(&[(0, 1), (1, 2), (2, 3)]);
        assert!(chain.is_acyclic(4));
        let closed = chain.plus(4);
        assert_eq!(closed, matrix(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]));
        let ring = chain.union(&matrix(&[(3, 1)]));
        assert!(!ring.is_acyclic(4));
        assert!(!ring.plus(4).is_irreflexive());
        assert!(ring.is_irreflexive());
        assert_eq!(ring.plus(4).row(0), 0b1110);
    }

    #[test]
    fn algebra() {
        let a = matrix(&[(0, 1), (2, 2)]);
        let b = matrix(&[(1, 3), (2, 0)]);
        assert_eq!(a.compose(&b, 4), matrix(&[(0, 3), (2, 0)]));
        assert_eq!(a.inverse(4), matrix(&[(1, 0), (2, 2)]));
        assert_eq!(a.domain(), matrix(&[(0, 0), (2, 2)]));
        assert_eq!(a.range(), matrix(&[(1, 1), (2, 2)]));
        assert_eq!(a.complement(4).complement(4), a);
        assert_eq!(Matrix::id(32).compose(&Matrix::any(32), 32), Matrix::any(32));
        assert!(a.is_subset(&a.opt(4)));
        assert_eq!(a.diff(&b).union(&b.inter(&a)), a);
    }
}
