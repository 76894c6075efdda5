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

/// Entries are kept and joined in blocks of this many.
const BLOCK: usize = 4;
type Block = [u32; BLOCK];

#[derive(Clone, Debug)]
pub struct ClockPool {
    width: usize,
    /// How many blocks a clock takes.
    blocks: usize,
    /// How many clocks there are; at least the empty one.
    size: u32,
    /// What is beyond that many clocks is room for more.
    entries: Vec<Block>,
}

impl ClockPool {
    pub fn new(threads: usize) -> ClockPool {
        let width = threads.max(1);
        let blocks = width.div_ceil(BLOCK);
        ClockPool { width, blocks, size: 1, entries: vec![[0; BLOCK]; blocks] }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub fn get(&self, clock: ClockId, tid: Tid) -> u32 {
        let t = tid.index();
        self.entries[clock.0 as usize * self.blocks + t / BLOCK][t % BLOCK]
    }

    #[inline]
    pub fn slice(&self, clock: ClockId) -> &[u32] {
        let at = clock.0 as usize * self.blocks;
        &self.entries[at..at + self.blocks].as_flattened()[..self.width]
    }

    #[inline]
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    #[inline]
    pub fn truncate(&mut self, size: u32) {
        self.size = self.size.min(size);
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
        // It is made in any case, and kept only if it is a new one.
        let (id, older, newer, fresh) = self.make_room(a, b);
        let (mut more_than_a, mut more_than_b) = ([0; BLOCK], [0; BLOCK]);
        for (at, z) in fresh.iter_mut().enumerate() {
            let (x, y) = (&older[at], &newer[at]);
            *z = union(x, y);
            differ(&mut more_than_a, x, z);
            differ(&mut more_than_b, y, z);
        }
        if more_than_a == [0; BLOCK] {
            a
        } else if more_than_b == [0; BLOCK] {
            b
        } else {
            self.size += 1;
            id
        }
    }

    /// The union of `a`, `b` and the events of `tid` up to `idx`; `a` itself where it includes the rest.
    #[inline]
    pub fn join_with(&mut self, a: ClockId, b: ClockId, tid: Tid, idx: u32) -> ClockId {
        if self.blocks == 1 {
            return self.join_with_one_block(a, b, tid, idx);
        }
        let t = tid.index();
        let (id, older, newer, fresh) = self.make_room(a, b);
        let mut more = [0; BLOCK];
        for (at, z) in fresh.iter_mut().enumerate() {
            let x = &older[at];
            *z = union(x, &newer[at]);
            differ(&mut more, x, z);
        }
        let entry = &mut fresh[t / BLOCK][t % BLOCK];
        if more == [0; BLOCK] && *entry >= idx {
            return a;
        }
        *entry = (*entry).max(idx);
        self.size += 1;
        id
    }

    /// The same for few threads, as most programs have.
    #[inline]
    fn join_with_one_block(&mut self, a: ClockId, b: ClockId, tid: Tid, idx: u32) -> ClockId {
        let older = self.entries[a.0 as usize];
        let mut fresh = union(&older, &self.entries[b.0 as usize]);
        let entry = &mut fresh[tid.index() % BLOCK];
        *entry = (*entry).max(idx);
        if fresh == older {
            return a;
        }
        let id = ClockId(self.size);
        match self.entries.get_mut(self.size as usize) {
            Some(room) => *room = fresh,
            None => self.entries.push(fresh),
        }
        self.size += 1;
        id
    }

    /// The place for one more clock, and the entries of two that are there.
    #[inline(always)]
    fn make_room(&mut self, a: ClockId, b: ClockId) -> (ClockId, &[Block], &[Block], &mut [Block]) {
        let (blocks, end) = (self.blocks, self.size as usize * self.blocks);
        if self.entries.len() < end + blocks {
            self.grow();
        }
        let (head, fresh) = self.entries.split_at_mut(end);
        let entries = |clock: ClockId| &head[clock.0 as usize * blocks..][..blocks];
        (ClockId(self.size), entries(a), entries(b), &mut fresh[..blocks])
    }

    #[cold]
    fn grow(&mut self) {
        self.entries.resize(2 * self.entries.len(), [0; BLOCK]);
    }
}

/// The larger entry of each two. Positions in threads are far from the limit of the type, and machines
/// without further extensions compare signed numbers in one go only.
#[inline(always)]
fn union(x: &Block, y: &Block) -> Block {
    let mut all = *x;
    for (entry, other) in all.iter_mut().zip(y) {
        *entry = (*entry as i32).max(*other as i32) as u32;
    }
    all
}

/// Marks the entries in which two blocks differ.
#[inline(always)]
fn differ(mark: &mut Block, x: &Block, y: &Block) {
    for i in 0..BLOCK {
        mark[i] |= x[i] ^ y[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_threads_have_the_same_clocks_as_many() {
        let pools = [3, 9].map(|threads| {
            let mut pool = ClockPool::new(threads);
            let mut clocks = vec![ClockId::EMPTY];
            for i in 0..40u32 {
                let at = |n: u32| clocks[n as usize % clocks.len()];
                let clock = pool.join_with(at(i * 7), at(i * 3 + 1), Tid((i % 3) as u16), i * 5 % 11);
                clocks.push(clock);
            }
            let same = |a: &ClockId| clocks.iter().position(|b| a == b);
            let all: Vec<_> = clocks.iter().map(|c| (pool.slice(*c)[..3].to_vec(), same(c))).collect();
            (all, pool.size())
        });
        assert_eq!(pools[0], pools[1]);
    }

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
