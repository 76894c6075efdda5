//! Sets of threads.

use selvedge_graph::Tid;

/// A bit per thread; those of the first 64 are at hand.
#[derive(Clone, Debug)]
pub struct TidSet {
    first: u64,
    others: Box<[u64]>,
}

impl TidSet {
    /// The empty set, with room for this many threads.
    pub fn new(threads: usize) -> TidSet {
        let others = threads.div_ceil(64).saturating_sub(1);
        TidSet { first: 0, others: vec![0; others].into_boxed_slice() }
    }

    #[inline]
    pub fn set(&mut self, t: Tid, is_in: bool) {
        let (at, bit) = (t.index() / 64, t.index() % 64);
        let word = if at == 0 { &mut self.first } else { &mut self.others[at - 1] };
        *word = *word & !(1 << bit) | (is_in as u64) << bit;
    }

    #[inline]
    pub fn first(&self) -> Option<Tid> {
        self.iter().next()
    }

    /// In ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Tid> {
        let (mut base, mut rest, mut others) = (0, self.first, self.others.iter());
        std::iter::from_fn(move || {
            while rest == 0 {
                rest = *others.next()?;
                base += 64;
            }
            let bit = rest.trailing_zeros() as u16;
            rest &= rest - 1;
            Some(Tid(base + bit))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterates_in_order_over_what_was_put_in() {
        let mut set = TidSet::new(130);
        assert!(set.first().is_none());
        for t in [129, 3, 64, 63, 0] {
            set.set(Tid(t), true);
            set.set(Tid(t), true);
        }
        set.set(Tid(0), false);
        set.set(Tid(1), false);
        assert_eq!(set.iter().map(|t| t.0).collect::<Vec<_>>(), [3, 63, 64, 129]);
        assert_eq!(set.first(), Some(Tid(3)));
    }
}
