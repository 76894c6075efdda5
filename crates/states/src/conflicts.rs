//! Whether a program could have data races at all.
//!
//! C's races are by happens-before, which states do not have. What they do have is who accesses what. Two
//! accesses race only if they are of one location, by different threads, one of them writes, one of them is
//! plain, and neither thread was created after the other's access, or joined before it. A program in which no
//! two accesses are like that has no races, whatever synchronises with what. Where an object begins and ends
//! counts as a plain write to all of it.

use crate::world::World;
use selvedge_graph::{Loc, Mode};
use selvedge_machine::{Canonical, Machine, Op, Rmw};
use std::collections::HashMap;

/// Who accesses what, while there are others.
#[derive(Default)]
pub(crate) struct Conflicts {
    by: HashMap<u32, Who>,
    /// There are accesses that could race.
    pub any: bool,
}

struct Who {
    thread: usize,
    several: bool,
    written: bool,
    plain: bool,
}

impl Conflicts {
    /// An operation of a thread completes.
    pub fn note<M>(&mut self, machine: &M, world: &World<M::State>, at: usize, op: Op, state: &M::State)
    where
        M: Machine + Canonical,
    {
        if self.any || !world.has_unjoined(at) {
            return;
        }
        let (loc, mode, writes) = match op {
            Op::Load { loc, mode, rmw } => (loc, mode, rmw != Rmw::No),
            Op::Store { loc, mode, .. } => (loc, mode, true),
            Op::Free { object } => {
                self.any = world.owner(object) != Some(at);
                return;
            }
            _ => return,
        };
        match machine.object(loc) {
            // Who did not make the object may find it before it is there.
            Some(object) => self.any = world.owner(object) != Some(at),
            None => self.access(loc, at, writes, mode == Mode::Na && !machine.in_section(state)),
        }
    }

    fn access(&mut self, loc: Loc, at: usize, writes: bool, plain: bool) {
        let new = Who { thread: at, several: false, written: false, plain: false };
        let who = self.by.entry(loc.0).or_insert(new);
        who.several |= who.thread != at;
        who.written |= writes;
        who.plain |= plain;
        self.any = who.several && who.written && who.plain;
    }
}
