//! Which loads of its thread each value was computed from (thesis alg. 2.2), and which of them have no value
//! yet.
//!
//! * What a load gives depends on that load and on nothing else.
//! * What is computed depends on what the operands depend on; a selection on its condition and on what it
//!   picks.
//! * A branch makes everything after it depend on its condition. So does an access to constants or to memory of
//!   the thread's own at an address that depends on a load: to hardware it is an access like any other, and
//!   writes after an access wait for its address. Such memory passes on what its contents depend on.
//! * What a read-modify-write writes depends on its operand; a compare-and-exchange has the value that it
//!   expects as a dependency of its read.

use super::state::Then;
use crate::ir::Reg;
use selvedge_graph::{DepSet, Deps};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Tracking {
    /// Position of the operation that the thread stands at.
    pub at: u32,
    /// Loads of which it is not known what they read.
    pub unknown: DepSet,
    /// By depth of the call and register. Those of calls that have returned may still be there.
    frames: Vec<Vec<DepSet>>,
    /// By slot and byte, where it is not empty.
    private: BTreeMap<(u32, u32), DepSet>,
    /// Of the access of several cells that is under way.
    pub transfer: Transferring,
    /// Loops of a call whose header was passed, and what the state depended on then.
    headers: Vec<(u32, u32, DepSet)>,
    /// Of the operation that the thread stands at; `ctrl` is what the branches so far depend on.
    pub deps: Deps,
}

/// What bytes on their way depend on.
#[derive(Clone, Debug, Default)]
pub struct Transferring {
    pub from: DepSet,
    pub to: DepSet,
    pub bytes: Vec<DepSet>,
    pub then: Goal,
}

/// Where they go when all are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    #[default]
    Nowhere,
    Registers(Reg),
    Private {
        slot: u32,
        at: u32,
    },
}

impl From<Then> for Goal {
    fn from(then: Then) -> Goal {
        match then {
            Then::Nothing | Then::Result(..) => Goal::Nowhere,
            Then::Load(dst) => Goal::Registers(dst),
            Then::Private { slot, offset, .. } => Goal::Private { slot, at: offset },
        }
    }
}

impl Transferring {
    /// What a part of the bytes depends on.
    pub fn part(&self, at: usize, len: usize) -> DepSet {
        let end = (at + len).min(self.bytes.len());
        union(self.bytes.get(at..end).unwrap_or_default())
    }
}

pub fn union<'a>(sets: impl IntoIterator<Item = &'a DepSet>) -> DepSet {
    let mut all = DepSet::EMPTY;
    sets.into_iter().for_each(|set| all.union(set));
    all
}

impl Tracking {
    pub fn is_unknown(&self, set: &DepSet) -> bool {
        set.intersects(&self.unknown)
    }

    /// The thread leaves the operation that it stood at.
    pub fn go_on(&mut self) {
        self.next_instruction();
        self.deps.faults.clear();
    }

    pub fn next_instruction(&mut self) {
        let Deps { addr, data, cas, .. } = &mut self.deps;
        [addr, data, cas].into_iter().for_each(DepSet::clear);
    }

    // ---- registers ----

    pub fn get(&self, depth: u32, reg: Reg) -> DepSet {
        let frame = self.frames.get(depth as usize);
        frame.and_then(|regs| regs.get(reg as usize)).cloned().unwrap_or_default()
    }

    pub fn set(&mut self, depth: u32, reg: Reg, set: DepSet) {
        let (depth, reg) = (depth as usize, reg as usize);
        if self.frames.len() <= depth {
            self.frames.resize(depth + 1, Vec::new());
        }
        let regs = &mut self.frames[depth];
        if regs.len() <= reg {
            regs.resize(reg + 1, DepSet::EMPTY);
        }
        regs[reg] = set;
    }

    /// A call at `depth` begins.
    pub fn enter(&mut self, depth: u32) {
        self.frames.truncate(depth as usize);
        self.headers.retain(|(d, ..)| *d < depth);
    }

    // ---- memory of the thread's own ----

    /// What bytes depend on.
    pub fn contents(&self, slot: u32, at: u32, len: u32) -> DepSet {
        union(self.private.range((slot, at)..(slot, at + len)).map(|(_, set)| set))
    }

    pub fn all_contents(&self) -> DepSet {
        union(self.private.values())
    }

    pub fn write(&mut self, slot: u32, at: u32, len: u32, set: &DepSet) {
        for byte in at..at + len {
            if set.is_empty() {
                self.private.remove(&(slot, byte));
            } else {
                self.private.insert((slot, byte), set.clone());
            }
        }
    }

    /// Slots from this one on hold nothing any more.
    pub fn forget_slots(&mut self, from: u32) {
        _ = self.private.split_off(&(from, 0));
    }

    // ---- loops ----

    pub fn pass_header(&mut self, depth: u32, number: u32, set: DepSet) {
        self.headers.retain(|(d, n, _)| (*d, *n) != (depth, number));
        self.headers.push((depth, number, set));
    }

    pub fn at_header(&self, depth: u32, number: u32) -> Option<&DepSet> {
        self.headers.iter().find(|(d, n, _)| (*d, *n) == (depth, number)).map(|(.., set)| set)
    }
}
