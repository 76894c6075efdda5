//! What a machine learns while it runs: objects, locations, threads, messages.
//!
//! Everything here gets its number when it is met for the first time and keeps it. *Which* thing it is does
//! not depend on the order of exploration: an object is known by the thread that made it and how many
//! that thread had made before, a thread by its creator in the same way.
//!
//! Machines that explore the same program side by side must agree on these numbers. They have common
//! tables, and each has a copy of its own that is a beginning of the common ones: only what a machine does
//! not find in its copy does it look up, or add, there ([`Tables::follow`]).

use crate::contents::Contents;
use crate::layout::Layout;
use crate::lock_parts::SeenSections;
use crate::undefined::Origin;
use selvedge_graph::Tid;
use selvedge_ir::{FuncId, GlobalId, Module, Reg};
use selvedge_machine::ErrorKind;
use selvedge_symbolic::Terms;
use std::collections::HashMap;

/// An instruction of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    pub func: FuncId,
    pub pc: u32,
}

/// What is known of an object of a managed language since it was made: all zero for others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Managed {
    /// 1 + the number of its type among the module's.
    pub ty: u32,
    /// Of an array: how large an element is in the lower 16 bits, and above them the lengths of its
    /// dimensions but for the first, 16 bits each.
    pub element: u64,
}

/// What an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    Global(GlobalId),
    Code(FuncId),
    /// A thread's copy of a thread-local variable.
    ThreadLocal(Tid, GlobalId),
    /// Where a thread leaves what it returns.
    Result(Tid),
    /// The destructor of a key for thread-specific data.
    Destructor(u32),
    /// Which threads wait for what is at an address, by `futex`.
    Waiters(u64),
    /// What a barrier counts in: number `number` of this thread, for `count` threads, made at the address
    /// `home`.
    Barrier {
        thread: Tid,
        number: u32,
        count: u32,
        home: u64,
    },
    /// What orders a part of the critical sections of a lock, by the lock's address.
    LockPart {
        lock: u64,
        part: u32,
    },
    /// Persistent memory that is mapped from a file, by the number of its path.
    Mapped {
        path: u32,
        size: u64,
    },
    /// A string of a managed language that was put together, by the number of its bytes among the contents of
    /// cells. There is one for each text.
    Text {
        content: u32,
        size: u64,
    },
    /// Object number `number` of this thread, on the heap or on its stack.
    Made {
        thread: Tid,
        number: u32,
        site: Site,
        size: u64,
        heap: bool,
        zeroed: bool,
        managed: Managed,
    },
}

impl Object {
    /// Whether it comes into being and goes in the course of an execution.
    pub fn has_lifetime(self) -> bool {
        matches!(self, Object::Made { .. } | Object::ThreadLocal(..))
    }

    /// Whether it comes into being by an allocation. A thread's variables are there before it begins.
    pub fn is_allocated(self) -> bool {
        matches!(self, Object::Made { .. })
    }
}

/// A bound that kept a thread from going on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// A loop of a function, by number.
    Loop(FuncId, u32),
    /// The same of one that others do not decide about.
    Long(FuncId, u32),
    /// The depth of calls, when calling this function.
    Depth(FuncId),
    /// A thread ran too long without a visible operation, in this function.
    Silent(FuncId),
    /// Some of what a number may be was tried, at this place of a function.
    Sample(FuncId, u32),
}

#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// By allocation number.
    pub objects: Vec<Object>,
    ids: HashMap<Object, u32>,
    pub layout: Layout,
    errors: Vec<(ErrorKind, String)>,
    error_ids: HashMap<(ErrorKind, String), u32>,
    /// Threads but for the first, by their creators.
    pub(crate) children: Numbers,
    /// Keys of thread-specific data, by the thread that made them.
    pub(crate) keys: Numbers,
    pub(crate) contents: Contents,
    /// Numbers that come from outside, and what was computed from them.
    pub(crate) terms: Terms,
    /// Instructions that undefined values come from; an [`Origin`] is 1 + a number of this list.
    pub(crate) origins: Vec<Site>,
    pub limits: Vec<Limit>,
    /// A thread could not be made because there are as many as there may be.
    pub ran_out_of_threads: bool,
    /// A thread ended by an error that is not looked for: what would come after it was not seen.
    pub let_pass: bool,
    /// Why arrivals at barriers need an order after all.
    pub order_barriers: Option<String>,
    /// Somebody notices iterations without net effect.
    pub keep_undone: bool,
    /// Critical sections of locks that are divided.
    pub sections: SeenSections,
    /// Somebody may see what iterations wrote to objects before they were published.
    pub keep_unpublished: bool,
    /// Something is wrong with an execution in which attempts were repeated that may not be.
    pub keep_attempts: bool,
    /// Compare-and-exchanges, by function and place in it, whose outcome depends on what nobody knows.
    pub guessed: Vec<(FuncId, u32)>,
    /// Parts of objects that outlive a crash: the object, and from where to where.
    pub durable: Vec<(u32, u64, u64)>,
    /// The routine that runs after a crash, if the program has named one.
    pub recovery: Option<FuncId>,
    /// It creates threads.
    pub recovery_has_threads: bool,
    /// Whether a function reads a register from an instruction on, before it writes it.
    pub live: HashMap<(FuncId, u32, Reg), bool>,
}

impl Tables {
    /// Globals come first, then functions.
    pub fn new(module: &Module) -> Tables {
        let mut tables = Tables::default();
        for g in 0..module.globals.len() as u32 {
            tables.intern(Object::Global(GlobalId(g)));
        }
        for f in 0..module.functions.len() as u32 {
            tables.intern(Object::Code(FuncId(f)));
        }
        tables
    }

    /// The allocation number of an object.
    pub fn intern(&mut self, object: Object) -> u32 {
        if let Some(id) = self.ids.get(&object) {
            return *id;
        }
        let id = self.objects.len() as u32;
        self.objects.push(object);
        self.ids.insert(object, id);
        // Copies of a thread-local variable are used alike, and so are objects made at the same place.
        self.layout.add_object(match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => (u32::MAX, g.0, 0),
            Object::Code(_) | Object::Result(_) | Object::Destructor(_) => (u32::MAX - 1, 0, 0),
            Object::Barrier { .. } => (u32::MAX - 2, 0, 0),
            Object::LockPart { .. } => (u32::MAX - 3, 0, 0),
            Object::Waiters(_) => (u32::MAX - 4, 0, 0),
            Object::Mapped { path, .. } => (u32::MAX - 5, path, 0),
            Object::Text { .. } => (u32::MAX - 6, 0, 0),
            Object::Made { site, size, .. } => (site.func.0, site.pc, size),
        });
        id
    }

    pub fn error(&mut self, kind: ErrorKind, message: String) -> u32 {
        let key = (kind, message);
        if let Some(id) = self.error_ids.get(&key) {
            return *id;
        }
        let id = self.errors.len() as u32;
        self.errors.push(key.clone());
        self.error_ids.insert(key, id);
        id
    }

    pub fn error_text(&self, code: u32) -> Option<(ErrorKind, String)> {
        self.errors.get(code as usize).cloned()
    }

    /// The thread that `parent` creates after `number` others, if it is known.
    pub fn known_child(&self, parent: Tid, number: u32) -> Option<Tid> {
        self.children.known((parent, number)).map(|n| Tid(n as u16))
    }

    /// The same, known or not; `None` if there are too many.
    pub fn child(&mut self, parent: Tid, number: u32, most: usize) -> Option<Tid> {
        if self.known_child(parent, number).is_none() && self.threads() >= most {
            self.ran_out_of_threads = true;
            return None;
        }
        Some(Tid(self.children.number((parent, number)) as u16))
    }

    /// How many threads were met so far.
    pub fn threads(&self) -> usize {
        self.children.met.len() + 1
    }

    pub fn known_key(&self, thread: Tid, number: u32) -> Option<u32> {
        self.keys.known((thread, number))
    }

    pub fn key(&mut self, thread: Tid, number: u32) -> u32 {
        self.keys.number((thread, number))
    }

    /// How much was met so far.
    pub fn size(&self) -> usize {
        self.objects.len() + self.layout.cell_count() + self.threads() + self.keys.met.len()
    }

    pub fn known_object(&self, object: Object) -> Option<u32> {
        self.ids.get(&object).copied()
    }

    pub fn known_origin(&self, site: Site) -> Option<Origin> {
        // There are few, and they are asked for where something is already wrong or odd.
        self.origins.iter().position(|s| *s == site).map(|at| Origin(at as u32 + 1))
    }

    pub fn origin(&mut self, site: Site) -> Origin {
        self.known_origin(site).unwrap_or_else(|| {
            self.origins.push(site);
            Origin(self.origins.len() as u32)
        })
    }

    pub fn site_of(&self, origin: Origin) -> Option<Site> {
        self.origins.get((origin.0 as usize).checked_sub(1)?).copied()
    }

    pub fn note(&mut self, limit: Limit) {
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
        }
    }

    /// Takes in what is new in the common tables.
    pub fn follow(&mut self, common: &Tables) {
        for &object in &common.objects[self.objects.len()..] {
            self.intern(object);
        }
        self.layout.follow(&common.layout);
        self.children.follow(&common.children);
        self.keys.follow(&common.keys);
        self.contents.follow(&common.contents);
        self.terms.follow(&common.terms);
        self.origins.extend_from_slice(&common.origins[self.origins.len()..]);
        for &limit in &common.limits {
            self.note(limit);
        }
        self.ran_out_of_threads = common.ran_out_of_threads;
        self.let_pass = common.let_pass;
        self.order_barriers.clone_from(&common.order_barriers);
        self.keep_undone = common.keep_undone;
        self.sections.follow(&common.sections);
        self.keep_unpublished = common.keep_unpublished;
        self.keep_attempts = common.keep_attempts;
        self.guessed.clone_from(&common.guessed);
        self.durable.extend_from_slice(&common.durable[self.durable.len()..]);
        self.recovery = common.recovery;
        self.recovery_has_threads = common.recovery_has_threads;
    }
}

/// What threads make gets numbers from 1 on; each such thing is known by its thread and how many of the
/// kind that thread had made before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) met: Vec<(Tid, u32)>,
    numbers: HashMap<(Tid, u32), u32>,
}

impl Numbers {
    fn known(&self, what: (Tid, u32)) -> Option<u32> {
        self.numbers.get(&what).copied()
    }

    pub(crate) fn number(&mut self, what: (Tid, u32)) -> u32 {
        let next = self.met.len() as u32 + 1;
        let number = *self.numbers.entry(what).or_insert(next);
        if number == next {
            self.met.push(what);
        }
        number
    }

    fn follow(&mut self, common: &Numbers) {
        for &what in &common.met[self.met.len()..] {
            self.number(what);
        }
    }
}
