//! Who accesses what, as far as searches have come.
//!
//! A location is one thread's own, or nobody writes it, until an access shows the contrary; whoever has
//! relied on it by then has searched in vain. Where states are one that differ in what objects are called, an
//! access of an object stands for accesses of all that it was taken for: objects that stand for each other
//! anywhere are one here.

use selvedge_graph::Loc;
use selvedge_machine::{Canonical, Machine};
use std::collections::{BTreeSet, HashMap};

/// An object and a place in it, or a location that is in none.
type Place = (Option<u32>, u64);

#[derive(Default)]
pub(crate) struct Accesses {
    by: HashMap<Place, Access>,
    frees: HashMap<u32, Free>,
    /// Of which it was taken for granted that no conflicting accesses come.
    relied: BTreeSet<Place>,
    /// Objects that stand for others, and which.
    same: HashMap<u32, u32>,
    /// Conflicting accesses came.
    pub surprised: bool,
}

#[derive(Clone, Copy)]
struct Access {
    thread: usize,
    /// Others, too.
    several: bool,
    written: bool,
}

impl Access {
    fn conflicts(self) -> bool {
        self.several && self.written
    }
}

/// Who frees an object.
#[derive(Clone, Copy)]
struct Free {
    thread: usize,
    /// Others, too.
    several: bool,
}

impl Free {
    /// Whether some thread frees what another one accesses.
    fn is_of_another(self, access: Access) -> bool {
        access.several || self.several || access.thread != self.thread
    }
}

impl Accesses {
    /// For another search that knows what this one has learned.
    pub fn go_on(self) -> Accesses {
        Accesses { relied: BTreeSet::new(), surprised: false, ..self }
    }

    fn root(&self, mut object: u32) -> u32 {
        while let Some(next) = self.same.get(&object) {
            object = *next;
        }
        object
    }

    fn place<M: Machine + Canonical>(&self, machine: &M, loc: Loc) -> Place {
        match machine.cell(loc) {
            Some((object, within)) => (Some(self.root(object)), within),
            None => (None, u64::from(loc.0)),
        }
    }

    /// Whether an access of a thread has to do with no other thread's, as far as is known.
    pub fn is_alone<M: Machine + Canonical>(&self, machine: &M, loc: Loc, at: usize) -> bool {
        let free = machine.object(loc).and_then(|object| self.frees.get(&self.root(object)));
        let access = self.by.get(&self.place(machine, loc));
        let is_freed =
            |free: &Free| free.several || free.thread != at || access.is_some_and(|a| free.is_of_another(*a));
        !free.is_some_and(is_freed) && !access.is_some_and(|access| access.conflicts())
    }

    pub fn rely<M: Machine + Canonical>(&mut self, machine: &M, loc: Loc) {
        let place = self.place(machine, loc);
        self.relied.insert(place);
    }

    /// A thread accesses a location while there are others.
    pub fn note<M: Machine + Canonical>(&mut self, machine: &M, loc: Loc, at: usize, writes: bool) {
        let place = self.place(machine, loc);
        let new = Access { thread: at, several: false, written: false };
        let access = self.by.entry(place).or_insert(new);
        if access.conflicts() {
            return;
        }
        access.several |= access.thread != at;
        access.written |= writes;
        self.surprised |= access.conflicts() && self.relied.contains(&place);
    }

    /// The same for an object that is freed.
    pub fn note_free<M: Machine + Canonical>(&mut self, machine: &M, object: u32, at: usize) {
        let object = self.root(object);
        let free = self.frees.entry(object).or_insert(Free { thread: at, several: false });
        free.several |= free.thread != at;
        self.look_at_free(machine, object);
    }

    /// Whether somebody has relied on it that an object is not freed by others.
    fn look_at_free<M: Machine + Canonical>(&mut self, machine: &M, object: u32) {
        let Some(free) = self.frees.get(&object) else { return };
        let by_another = |place: &Place| {
            let is_in = match *place {
                (Some(of), _) => of == object,
                (None, loc) => machine.object(Loc(loc as u32)) == Some(object),
            };
            is_in && self.by.get(place).is_some_and(|access| free.is_of_another(*access))
        };
        self.surprised |= self.relied.iter().any(by_another);
    }

    /// Objects stand for each other from now on.
    pub fn identify<M: Machine + Canonical>(&mut self, machine: &M, objects: &[(u32, u32)]) {
        for (a, b) in objects {
            let (a, b) = (self.root(*a), self.root(*b));
            if a != b {
                self.join(machine, a, b);
            }
        }
    }

    fn join<M: Machine + Canonical>(&mut self, machine: &M, to: u32, from: u32) {
        self.same.insert(from, to);
        let moved: Vec<(Place, Access)> = self.by.extract_if(|place, _| place.0 == Some(from)).collect();
        for ((_, within), access) in moved {
            let both = self.by.entry((Some(to), within)).or_insert(access);
            both.several |= access.several || access.thread != both.thread;
            both.written |= access.written;
        }
        let relied: Vec<u64> = self.relied.iter().filter(|p| p.0 == Some(from)).map(|p| p.1).collect();
        for within in relied {
            self.relied.remove(&(Some(from), within));
            self.relied.insert((Some(to), within));
        }
        let conflicts = |place: &Place| self.by.get(place).is_some_and(|access| access.conflicts());
        self.surprised |= self.relied.iter().filter(|place| place.0 == Some(to)).any(conflicts);
        if let Some(free) = self.frees.remove(&from) {
            let both = self.frees.entry(to).or_insert(free);
            both.several |= free.several || free.thread != both.thread;
        }
        self.look_at_free(machine, to);
    }
}
