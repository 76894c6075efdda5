//! Which events a program may have, by kind and ordering: what its text says before it runs.

use selvedge_graph::{Attrs, Kind, Mode};

/// A list of the attributes of events, made operation by operation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventClasses(Vec<Attrs>);

impl EventClasses {
    fn add(&mut self, kind: Kind, mode: Mode, rmw: bool) {
        let attrs = Attrs::of(kind, mode, rmw);
        if !self.0.contains(&attrs) {
            self.0.push(attrs);
        }
    }

    pub fn read(&mut self, mode: Mode) {
        self.add(Kind::Read, mode, false);
    }

    pub fn write(&mut self, mode: Mode) {
        self.add(Kind::Write, mode, false);
    }

    /// A read-modify-write that may turn out to write nothing.
    pub fn rmw(&mut self, mode: Mode) {
        self.add(Kind::Read, mode, true);
        self.add(Kind::Read, mode, false);
        self.add(Kind::Write, mode, true);
    }

    pub fn fence(&mut self, mode: Mode) {
        self.add(Kind::Fence, mode, false);
    }

    /// Creation and end of threads, or barriers.
    pub fn threads(&mut self) {
        for kind in [Kind::Spawn, Kind::Join, Kind::Detach, Kind::Arrive, Kind::Depart] {
            self.add(kind, Mode::Na, false);
        }
    }

    pub fn choice(&mut self) {
        self.add(Kind::Choice, Mode::Na, false);
    }

    /// Objects with a beginning and an end of life.
    pub fn objects(&mut self) {
        for kind in [Kind::Alloc, Kind::Free, Kind::Local, Kind::Persist] {
            self.add(kind, Mode::Na, false);
        }
    }

    /// Whether some event may have this attribute.
    pub fn has(&self, attr: Attrs) -> bool {
        self.0.iter().any(|attrs| attrs.has(attr))
    }

    pub fn into_attrs(self) -> Vec<Attrs> {
        self.0
    }
}
