//! Critical sections of divided locks: what a thread has to take for one, and what is watched in them.
//!
//! The idea and the argument are in `reductions/lock_order.rs` of the explorer. Locks are taken and given back
//! by the library's bytecode, which asks here for the part that a section is in. What threads do in sections
//! is looked at when a thread is run to its next operation, whether or not that operation becomes an event:
//! what is noticed too much costs executions, not verdicts.

use super::state::{Held, VmState};
use super::{VmMachine, is_private};
use crate::lock_parts::{Part, Section};
use crate::tables::Object;
use selvedge_graph::{Loc, Tid};
use selvedge_ir::pointer;
use selvedge_machine::{Block, LeftOutOrders, Op, Reduction};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a section takes that is alone in its part.
const NOTHING: u64 = 1;

/// Functions that access the memory of locks as such, where the locks are divided.
const USE_LOCKS: [&str; 5] =
    [LOOK, "pthread_mutex_init", "pthread_mutex_destroy", "mtx_init", "pthread_spin_init"];

const LOOK: &str = "__selvedge_lock_look";

/// Whether a function of the library accesses the memory of locks as such.
pub fn uses_locks(name: &str) -> bool {
    USE_LOCKS.contains(&name)
}

/// What the sections of an exploration access, as far as this machine has run them.
#[derive(Clone, Debug, Default)]
pub struct Footprints {
    /// By lock and location: who accesses it, and whether by writing.
    accesses: HashMap<(u64, Loc), Vec<(Section, bool)>>,
    /// By lock and object: who ends its life.
    ends: HashMap<(u64, u32), Vec<Section>>,
    /// Where divided locks are.
    locks: Vec<Loc>,
}

impl VmMachine {
    /// Whether locks are divided at all.
    fn divides_locks(&self) -> bool {
        !self.parts.are_off()
            && self.options.reductions.has(Reduction::LockOrder)
            && !self.options.track_deps
            && !self.options.keep_output
    }

    /// The section that a thread is about to begin. From where it takes the lock is where its calls are.
    fn section(&self, state: &VmState, lock: u64) -> Section {
        let mut site = DefaultHasher::new();
        let calls = state.frames().filter(|frame| !self.info(frame.func).runtime);
        calls.for_each(|frame| (frame.func.0, frame.pc).hash(&mut site));
        Section { lock, thread: state.thread.0, site: site.finish() }
    }

    /// See `__selvedge_lock_part` in the library: 0 for the whole lock.
    pub(super) fn lock_part(&self, state: &VmState, lock: u64) -> u64 {
        if !self.divides_locks() {
            return 0;
        }
        // Whoever takes a further lock may have to wait for it.
        self.keep_held_whole(state);
        if !is_shared(lock) {
            return 0;
        }
        let section = self.section(state, lock);
        let part = self.parts.part_of(section);
        if part != Part::Whole && !self.tables.borrow().sections.has(section) {
            let atomic = self.hooks.section.is_some_and(|g| self.address_of_global(g) == lock);
            self.learn(|common| common.sections.add(section, atomic));
        }
        match part {
            Part::Whole => 0,
            Part::Alone => NOTHING,
            Part::Number(part) => pointer::make(self.intern(Object::LockPart { lock, part }), 0),
        }
    }

    /// The lock that a thread has just taken as [`VmMachine::lock_part`] says.
    pub(super) fn taken_in_part(&self, state: &VmState, lock: u64) -> Held {
        let word = self.lock_part(state, lock);
        Held { word, site: self.section(state, lock).site, ..Held::alone(lock) }
    }

    /// Whoever does what comes next sees whether the lock is taken. The thread goes on, as it may come to
    /// others; but this exploration is of no use.
    pub(super) fn needs_whole_lock(&self, lock: u64) {
        if self.divides_locks() && is_shared(lock) && !self.parts.is_whole(lock) {
            self.keep_whole(lock);
        }
    }

    /// The same, if the thread holds the lock.
    pub(super) fn needs_whole_if_held(&self, state: &VmState, lock: u64) {
        if state.rare.held.iter().any(|held| held.addr == lock && held.word != 0) {
            self.keep_whole(lock);
        }
    }

    fn keep_whole(&self, lock: u64) {
        if !self.tables.borrow().sections.is_to_be_whole(lock) {
            self.learn(|common| common.sections.keep_whole(lock));
        }
    }

    /// The locks whose sections a thread is in must not be divided.
    pub(super) fn keep_held_whole(&self, state: &VmState) {
        for held in state.rare.held.iter().filter(|held| held.word != 0) {
            self.keep_whole(held.addr);
        }
    }

    /// Looks at what a thread is about to do that holds locks.
    pub(super) fn watch_section(&self, state: &VmState, op: Op) {
        for held in state.rare.held.iter().filter(|held| held.word != 0) {
            match op {
                Op::Load { loc, .. } => self.watch_access(state, held, loc, false),
                Op::Store { loc, .. } => self.watch_access(state, held, loc, true),
                Op::Free { object } => self.watch_end(state, held, object),
                // A thread that an assumption stops is of no interest, and one that ends the process ends all.
                Op::Block(Block::Assume | Block::Exit) => {}
                Op::Block(_) | Op::Join { .. } | Op::Arrive { .. } | Op::Depart { .. } | Op::End => {
                    self.keep_whole(held.addr);
                }
                _ => {}
            }
        }
    }

    fn watch_access(&self, state: &VmState, held: &Held, loc: Loc, writes: bool) {
        let section = Section { lock: held.addr, thread: state.thread.0, site: held.site };
        let cell = self.tables.borrow().layout.cell(loc);
        if let Some((object, at)) = pointer::split(held.addr)
            && object == cell.object
            && at >= 0
            && (at as u64) < cell.offset as u64 + cell.size as u64
            && (cell.offset as u64) < at as u64 + 4
        {
            self.keep_whole(held.addr);
        }
        let mut footprints = self.footprints.borrow_mut();
        let accesses = footprints.accesses.entry((held.addr, loc)).or_default();
        if accesses.contains(&(section, writes)) {
            return;
        }
        let others = accesses.iter().filter(|(_, also)| writes || *also).map(|(other, _)| *other);
        let mut conflicting: Vec<Section> = others.collect();
        accesses.push((section, writes));
        conflicting.extend(footprints.ends.get(&(held.addr, cell.object)).into_iter().flatten());
        drop(footprints);
        self.note_conflicts(section, conflicting);
    }

    fn watch_end(&self, state: &VmState, held: &Held, object: u32) {
        let section = Section { lock: held.addr, thread: state.thread.0, site: held.site };
        let mut footprints = self.footprints.borrow_mut();
        let ends = footprints.ends.entry((held.addr, object)).or_default();
        if ends.contains(&section) {
            return;
        }
        let mut conflicting = ends.clone();
        ends.push(section);
        let tables = self.tables.borrow();
        let within = |lock: u64, loc: Loc| lock == held.addr && tables.layout.cell(loc).object == object;
        let accesses = footprints.accesses.iter().filter(|((lock, loc), _)| within(*lock, *loc));
        conflicting.extend(accesses.flat_map(|(_, by)| by.iter().map(|(other, _)| *other)));
        drop(tables);
        drop(footprints);
        self.note_conflicts(section, conflicting);
    }

    fn note_conflicts(&self, section: Section, mut others: Vec<Section>) {
        others.retain(|other| !self.parts.are_ordered(section, *other));
        if !others.is_empty() {
            self.learn(|common| others.iter().for_each(|other| common.sections.conflict(section, *other)));
        }
    }

    /// A thread looks at a divided lock.
    pub(super) fn note_divided_lock(&self, state: &VmState, loc: Loc) {
        let mut footprints = self.footprints.borrow_mut();
        if self.hooks.look == Some(state.frame.func) && !footprints.locks.contains(&loc) {
            footprints.locks.push(loc);
        }
    }

    pub(super) fn is_in_part(&self, state: &VmState) -> bool {
        state.rare.held.iter().any(|held| held.word != 0)
    }

    pub(super) fn divided_lock(&self, number: usize) -> Option<Loc> {
        self.footprints.borrow().locks.get(number).copied()
    }

    pub(super) fn orders_left_out(&self) -> LeftOutOrders {
        let tables = self.tables.borrow();
        match &tables.sections {
            seen if seen.is_empty() => LeftOutOrders::None,
            seen if seen.of_locks() => LeftOutOrders::OfLocks,
            _ => LeftOutOrders::OfAtomicSections,
        }
    }

    /// Locks of which all sections turn out to be in one part are not divided any more; whether there are such.
    pub(super) fn gathers_parts(&self) -> bool {
        let in_vain = self.parts.in_vain(&self.tables.borrow().sections);
        in_vain.iter().for_each(|lock| self.keep_whole(*lock));
        !in_vain.is_empty()
    }

    /// Whether the order of critical sections is left out such that what is found may be due to that.
    pub fn leaves_out_orders(&self) -> bool {
        self.common().sections.of_locks()
    }

    /// Whether locks are divided in the same way for two threads.
    pub(super) fn divides_alike(&self, a: Tid, b: Tid) -> bool {
        let own = |lock: u64| {
            let (object, _) = pointer::split(lock)?;
            match *self.tables.borrow().objects.get(object as usize)? {
                Object::Made { thread, .. } | Object::ThreadLocal(thread, _) => Some(thread),
                _ => None,
            }
        };
        self.parts.of_thread(a.0).eq(self.parts.of_thread(b.0))
            && !self.parts.locks().any(|lock| own(lock).is_some_and(|t| t == a || t == b))
    }
}

/// Whether there may be anything at an address that others see.
fn is_shared(lock: u64) -> bool {
    pointer::split(lock).is_some_and(|(object, _)| !is_private(object))
}

/// The function that looks at a divided lock.
pub fn is_look(name: &str) -> bool {
    name == LOOK
}
