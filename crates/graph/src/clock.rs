//! Vector clocks in one flat pool.
//!
//! A clock says, per thread, up to which `po` index the events of that thread are included. Clocks
//! are immutable once made, so events share them: along a thread without new information no clock is
//! copied. The pool only grows at its end and is cut back when the graph backtracks.

use crate::vocab::Tid;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockId(u32);

impl ClockId {
    /// The clock that includes nothing.
    pub const EMPTY: ClockId = ClockId(0);
}

#[derive(Clone, Debug)]
pub struct ClockPool {
    width: usize,
    /// How many clocks there are; at least the empty one.
    size: u32,
    entries: Vec<u32>,
}

impl ClockPool {
    pub fn new(threads: usize) -> ClockPool {
        let width = threads.max(1);
        ClockPool { width, size: 1, entries: vec![0; width] }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub fn get(&self, clock: ClockId, tid: Tid) -> u32 {
        self.entries[clock.0 as usize * self.width + tid.index()]
    }

    pub fn slice(&self, clock: ClockId) -> &[u32] {
        let at = clock.0 as usize * self.width;
        &self.entries[at..at + self.width]
    }

    #[inline]
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    #[inline]
    pub fn truncate(&mut self, size: u32) {
        if size < self.size {
            self.size = size;
            self.entries.truncate(size as usize * self.width);
        }
    }

    /// The union of two clocks; one of them where it includes the other.
    #[inline]
    pub fn join(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if a == b || b == ClockId::EMPTY {
            return a;
        }
        if a == ClockId::EMPTY {
            return b;
        }
        let (wide_a, wide_b) = self
            .slice(a)
            .iter()
            .zip(self.slice(b))
            .fold((true, true), |(wa, wb), (x, y)| (wa & (x >= y), wb & (y >= x)));
        if wide_a {
            return a;
        }
        if wide_b {
            return b;
        }
        let id = self.copy(a);
        let (head, fresh) = self.entries.split_at_mut(id.0 as usize * self.width);
        let other = &head[b.0 as usize * self.width..][..self.width];
        for (x, y) in fresh.iter_mut().zip(other) {
            *x = (*x).max(*y);
        }
        id
    }

    /// The union of `a`, `b` and the events of `tid` up to `idx`; `a` itself where it includes the rest.
    #[inline]
    pub fn join_with(&mut self, a: ClockId, b: ClockId, tid: Tid, idx: u32) -> ClockId {
        let wide = self.get(a, tid) >= idx
            && (a == b
                || b == ClockId::EMPTY
                || self.slice(a).iter().zip(self.slice(b)).fold(true, |wide, (x, y)| wide & (x >= y)));
        if wide {
            return a;
        }
        let id = self.copy(a);
        let (head, fresh) = self.entries.split_at_mut(id.0 as usize * self.width);
        if b != ClockId::EMPTY {
            let other = &head[b.0 as usize * self.width..][..self.width];
            for (x, y) in fresh.iter_mut().zip(other) {
                *x = (*x).max(*y);
            }
        }
        let entry = &mut fresh[tid.index()];
        *entry = (*entry).max(idx);
        id
    }

    fn copy(&mut self, clock: ClockId) -> ClockId {
        let id = ClockId(self.size);
        let at = clock.0 as usize * self.width;
        self.entries.extend_from_within(at..at + self.width);
        self.size += 1;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_share_when_one_side_includes_the_other() {
        let mut pool = ClockPool::new(3);
        let a = pool.join_with(ClockId::EMPTY, ClockId::EMPTY, Tid(0), 2);
        let b = pool.join_with(a, ClockId::EMPTY, Tid(1), 5);
        assert_eq!(pool.join(a, b), b);
        assert_eq!(pool.join(b, a), b);
        let c = pool.join_with(ClockId::EMPTY, ClockId::EMPTY, Tid(2), 1);
        let j = pool.join(b, c);
        assert_eq!(pool.slice(j), &[2, 5, 1]);
        let len = pool.size();
        assert_eq!(pool.join(j, c), j);
        assert_eq!(pool.size(), len);
    }
}
