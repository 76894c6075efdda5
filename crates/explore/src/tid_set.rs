//! Sets of threads.

use selvedge_graph::Tid;

/// A bit per thread.
#[derive(Clone, Debug)]
pub struct TidSet(Vec<u64>);

impl TidSet {
    /// The empty set, with room for this many threads.
    pub fn new(threads: usize) -> TidSet {
        TidSet(vec![0; threads.div_ceil(64)])
    }

    #[inline]
    pub fn set(&mut self, t: Tid, is_in: bool) {
        let (word, bit) = (&mut self.0[t.index() / 64], t.index() % 64);
        *word = *word & !(1 << bit) | (is_in as u64) << bit;
    }

    #[inline]
    pub fn first(&self) -> Option<Tid> {
        let at = self.0.iter().position(|&word| word != 0)?;
        Some(Tid((64 * at) as u16 + self.0[at].trailing_zeros() as u16))
    }

    /// In ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Tid> {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Tid((64 * at) as u16 + bit as u16))
            })
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
