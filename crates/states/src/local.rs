//! Which data is a thread's own: nobody else can come to it.
//!
//! An object of the heap is, if no address of it is in static variables, in objects that others come to, or
//! with other threads. Any word that could be an address counts as one.

use crate::thread::Status;
use crate::world::{Slot, World};
use selvedge_graph::Loc;
use selvedge_machine::{Canonical, Machine};
use std::collections::{BTreeMap, BTreeSet};

pub struct Locality {
    /// By thread: the objects that it can come to.
    reach: Vec<BTreeSet<u32>>,
    /// Those that static variables lead to.
    common: BTreeSet<u32>,
}

/// The objects that a thread has addresses of.
fn mentioned<M>(machine: &M, slot: &Slot<M::State>) -> BTreeSet<u32>
where
    M: Machine + Canonical,
{
    let mut found = BTreeSet::new();
    if let Slot::Here(thread) = slot {
        let mut words = Vec::new();
        for entry in &thread.entries {
            machine.write_down(&entry.state, &mut words);
            if let Status::Done(value) | Status::Guessed(value) = entry.status {
                words.push(value as u64);
            }
        }
        words.into_iter().for_each(|word| machine.mentions(word, &mut |object| _ = found.insert(object)));
    }
    found
}

impl Locality {
    pub fn of<M>(machine: &M, world: &World<M::State>) -> Locality
    where
        M: Machine + Canonical,
    {
        // What is in each object, and in no object.
        let mut inside: BTreeMap<Option<u32>, BTreeSet<u32>> = BTreeMap::new();
        for (loc, value) in world.memory() {
            let of = inside.entry(machine.object(Loc(*loc))).or_default();
            machine.mentions(*value as u64, &mut |object| _ = of.insert(object));
        }
        let close = |from: BTreeSet<u32>| {
            let mut all = BTreeSet::new();
            let mut todo: Vec<u32> = from.into_iter().collect();
            while let Some(object) = todo.pop() {
                if all.insert(object) {
                    todo.extend(inside.get(&Some(object)).into_iter().flatten());
                }
            }
            all
        };
        let common = close(inside.get(&None).cloned().unwrap_or_default());
        let reach = world.threads.iter().map(|slot| close(mentioned(machine, slot))).collect();
        Locality { reach, common }
    }

    /// Whether threads know no addresses after a step of one of them but those that it could come to, and
    /// those of objects that it made. If they do, addresses are computed from numbers, and nobody knows
    /// whose data is whose.
    pub fn explains<M>(&self, machine: &M, at: usize, world: &World<M::State>, next: &World<M::State>) -> bool
    where
        M: Machine + Canonical,
    {
        let known = |object: &u32| {
            self.common.contains(object)
                || self.reach[at].contains(object)
                || next.born().contains(object) && !world.born().contains(object)
        };
        next.threads.iter().enumerate().all(|(thread, slot)| {
            // Others are as they were, but for one that was just created.
            let is_new = !matches!(world.threads.get(thread), Some(Slot::Here(_)));
            (thread != at && !is_new) || mentioned(machine, slot).iter().all(known)
        })
    }

    /// Whether all that a thread may do next is about its own data: it has issued accesses of that only.
    pub fn is_own<M>(&self, machine: &M, world: &World<M::State>, at: usize) -> bool
    where
        M: Machine + Canonical,
    {
        let Some(thread) = world.thread(at) else { return false };
        let own = |loc: Loc| {
            machine.object(loc).is_some_and(|object| {
                let others = self.reach.iter().enumerate().filter(|(other, _)| *other != at);
                !self.common.contains(&object)
                    && !others.into_iter().any(|(_, reach)| reach.contains(&object))
            })
        };
        let entries = thread.issued();
        !entries.is_empty() && entries.iter().filter(|e| !e.is_done()).all(|e| e.loc().is_some_and(own))
    }
}
