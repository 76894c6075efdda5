//! Which loads of its thread each value was computed from (thesis alg. 2.2), and which of them have no value
//! yet.
//!
//! * What a load gives depends on that load and on nothing else.
//! * What is computed depends on what the operands depend on; a selection on its condition and on what it
//!   picks.
//! * A branch makes everything after it depend on its condition. So does an access to constants or to memory
//!   of the thread's own at an address that depends on a load: to hardware it is an access like any other,
//!   and writes after an access wait for its address. Such memory passes on what its contents depend on.
//! * A store of a reference publishes what its thread stored in the object before.
//! * What a read-modify-write writes depends on its operand; a compare-and-exchange has the value that it
//!   expects as a dependency of its read.

use super::state::Then;
use selvedge_graph::{DepSet, Deps};
use selvedge_ir::Reg;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct Tracking {
    /// Position of the operation that the thread stands at.
    pub at: u32,
    /// Loads of which it is not known what they read.
    pub unknown: DepSet,
    /// By depth of the call and register. Those of calls that have returned may still be there.
    frames: Vec<Rc<Vec<DepSet>>>,
    /// By slot and byte, where it is not empty.
    private: Rc<BTreeMap<(u32, u32), DepSet>>,
    /// Of the access of several cells that is under way.
    pub transfer: Transferring,
    /// The stores so far, by object; only where a program stores references.
    pub written: Rc<BTreeMap<u32, DepSet>>,
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
    pub bytes: Runs,
    pub then: Goal,
}

/// What each of many bytes depends on: by runs of bytes that depend on the same, with where each run ends.
#[derive(Clone, Debug, Default)]
pub struct Runs(Vec<(u32, DepSet)>);

impl Runs {
    pub fn all(len: u32, set: DepSet) -> Runs {
        if len == 0 { Runs::default() } else { Runs(vec![(len, set)]) }
    }

    fn len(&self) -> u32 {
        self.0.last().map_or(0, |(end, _)| *end)
    }

    /// The next bytes, up to `end`.
    pub fn push(&mut self, end: u32, set: DepSet) {
        if end <= self.len() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.1 == set => last.0 = end,
            _ => self.0.push((end, set)),
        }
    }

    /// Some bytes depend on this from now on.
    pub fn set(&mut self, at: u32, len: u32, set: DepSet) {
        if self.len() < at {
            self.push(at, DepSet::EMPTY);
        }
        let end = at + len;
        let first = self.0.partition_point(|(end, _)| *end <= at);
        let rest = self.0.split_off(first);
        if let Some((_, before)) = rest.first() {
            self.push(at, before.clone());
        }
        self.push(end, set);
        rest.into_iter().for_each(|(to, set)| self.push(to, set));
    }

    /// What some of them depend on.
    pub fn part(&self, at: u32, len: u32) -> DepSet {
        let first = self.0.partition_point(|(end, _)| *end <= at);
        let starts =
            self.0[first..].iter().scan(if first == 0 { 0 } else { self.0[first - 1].0 }, |at, run| {
                Some((std::mem::replace(at, run.0), &run.1))
            });
        union(starts.take_while(|(start, _)| *start < at + len).map(|(_, set)| set))
    }

    /// Where each run begins and ends, and what it depends on.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, &DepSet)> {
        let starts = std::iter::once(0).chain(self.0.iter().map(|(end, _)| *end));
        starts.zip(&self.0).map(|(start, (end, set))| (start, *end, set))
    }
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

    /// What was read so far is settled: positions are counted from the operation that the thread stands at.
    /// If that is a store, it is still to be published.
    pub fn forget_all(&mut self) {
        let own = self.written.iter().filter(|(_, set)| set.contains(self.at));
        let written = Rc::new(own.map(|(object, _)| (*object, DepSet::one(1))).collect());
        let Transferring { bytes, then, .. } = &self.transfer;
        let bytes = Runs::all(bytes.len(), DepSet::EMPTY);
        let transfer = Transferring { bytes, then: *then, ..Transferring::default() };
        *self = Tracking { at: 1, transfer, written, ..Tracking::default() };
    }

    /// The operation that the thread stands at is a store in this object.
    pub fn stored(&mut self, object: u32) {
        Rc::make_mut(&mut self.written).entry(object).or_default().insert(self.at);
    }

    pub fn next_instruction(&mut self) {
        let Deps { addr, data, cas, publishes, .. } = &mut self.deps;
        [addr, data, cas, publishes].into_iter().for_each(DepSet::clear);
    }

    // ---- registers ----

    pub fn get(&self, depth: u32, reg: Reg) -> DepSet {
        self.look(depth, reg).clone()
    }

    /// The same, to look at.
    pub fn look(&self, depth: u32, reg: Reg) -> &DepSet {
        let frame = self.frames.get(depth as usize);
        frame.and_then(|regs| regs.get(reg as usize)).unwrap_or(&DepSet::EMPTY)
    }

    pub fn set(&mut self, depth: u32, reg: Reg, set: DepSet) {
        let (depth, reg) = (depth as usize, reg as usize);
        if self.frames.len() <= depth {
            self.frames.resize(depth + 1, Rc::default());
        }
        match self.frames[depth].get(reg) {
            Some(old) if *old == set => return,
            None if set.is_empty() => return,
            _ => {}
        }
        let regs = Rc::make_mut(&mut self.frames[depth]);
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
        if set.is_empty() && self.private.range((slot, at)..(slot, at + len)).next().is_none() {
            return;
        }
        let private = Rc::make_mut(&mut self.private);
        for byte in at..at + len {
            if set.is_empty() {
                private.remove(&(slot, byte));
            } else {
                private.insert((slot, byte), set.clone());
            }
        }
    }

    /// Slots from this one on hold nothing any more.
    pub fn forget_slots(&mut self, from: u32) {
        if self.private.range((from, 0)..).next().is_some() {
            _ = Rc::make_mut(&mut self.private).split_off(&(from, 0));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_what_their_bytes_are() {
        let set = |n: usize| {
            (0..n % 3).fold(DepSet::EMPTY, |mut set, i| {
                set.insert(i as u32 + 1);
                set
            })
        };
        let mut runs = Runs::all(20, DepSet::EMPTY);
        let mut bytes = vec![DepSet::EMPTY; 20];
        for (at, len, n) in [(3, 4, 1), (5, 1, 2), (0, 2, 1), (18, 2, 2), (4, 9, 0), (1, 19, 1), (7, 3, 2)] {
            runs.set(at as u32, len as u32, set(n));
            bytes[at..at + len].fill(set(n));
            for from in 0..20 {
                for len in 1..=20 - from {
                    assert_eq!(runs.part(from as u32, len as u32), union(&bytes[from..from + len]));
                }
            }
            let flat = runs.iter().flat_map(|(start, end, set)| (start..end).map(move |_| set.clone()));
            assert_eq!(flat.collect::<Vec<_>>(), bytes);
        }
    }
}
