//! Tables that are written to a file and read back: an exploration that goes on later must find the
//! same numbers.

use crate::contents::{Bytes, Content};
use crate::layout::SavedLayout;
use crate::lock_parts::{LockParts, SavedLocks, SeenSections};
use crate::tables::{Limit, Managed, Object, Site, Tables};
use crate::undefined::Origin;
use selvedge_graph::Tid;
use selvedge_ir::{FuncId, GlobalId, Module};
use selvedge_symbolic::{Node, Terms};
use std::sync::Arc;

/// Tables as plain data, but for what machines have each for themselves.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct SavedTables {
    objects: Vec<SavedObject>,
    layout: SavedLayout,
    children: Vec<(u16, u32)>,
    keys: Vec<(u16, u32)>,
    contents: Vec<SavedContent>,
    terms: Vec<Node>,
    origins: Vec<(u32, u32)>,
    limits: Vec<SavedLimit>,
    order_barriers: Option<String>,
    keep_undone: bool,
    keep_unpublished: bool,
    keep_attempts: bool,
    guessed: Vec<(u32, u32)>,
    #[serde(default)]
    durable: Vec<(u32, u64, u64)>,
    #[serde(default)]
    recovery: Option<u32>,
    #[serde(default)]
    recovery_has_threads: bool,
    #[serde(default)]
    let_pass: bool,
    how: How,
    /// How locks are divided, and what was seen of them.
    locks: SavedLocks,
}

/// How a program is explored: that is not what was learned, but what was done about it.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct How {
    /// Arrivals at barriers have no order.
    pub unordered_barriers: bool,
    /// Iterations without net effect are left out.
    pub leave_out_undone: bool,
    /// So are those that only write to objects that nobody knows, by atomic stores.
    pub leave_out_unpublished: bool,
    /// Attempts are repeated although it is not known that they can be.
    pub make_up_reads: bool,
}

impl SavedTables {
    /// How locks were divided, and what was seen of their sections.
    pub(crate) fn locks(&self) -> (LockParts, SeenSections) {
        self.locks.clone().restore()
    }

    /// How the program was explored.
    pub fn how(&self) -> How {
        self.how
    }
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum SavedObject {
    Global(u32),
    Code(u32),
    ThreadLocal(u16, u32),
    Result(u16),
    Destructor(u32),
    Waiters(u64),
    Barrier {
        thread: u16,
        number: u32,
        count: u32,
        home: u64,
    },
    LockPart {
        lock: u64,
        part: u32,
    },
    Mapped {
        path: u32,
        size: u64,
    },
    Text {
        content: u32,
        size: u64,
    },
    Made {
        thread: u16,
        number: u32,
        site: (u32, u32),
        size: u64,
        heap: bool,
        zeroed: bool,
        managed: (u32, u64),
    },
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum SavedContent {
    /// Bits and undefined bits in two halves each, and the origin.
    Word([u64; 4], u32),
    Bytes(Vec<u8>, Vec<u8>, u32, Vec<u32>),
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum SavedLimit {
    Loop(u32, u32),
    Long(u32, u32),
    Depth(u32),
    Silent(u32),
    Sample(u32, u32),
}

impl Tables {
    pub fn save(&self, how: How, locks: SavedLocks) -> SavedTables {
        let object = |object: &Object| match *object {
            Object::Global(g) => SavedObject::Global(g.0),
            Object::Code(f) => SavedObject::Code(f.0),
            Object::ThreadLocal(t, g) => SavedObject::ThreadLocal(t.0, g.0),
            Object::Result(t) => SavedObject::Result(t.0),
            Object::Destructor(key) => SavedObject::Destructor(key),
            Object::Waiters(address) => SavedObject::Waiters(address),
            Object::Barrier { thread, number, count, home } => {
                SavedObject::Barrier { thread: thread.0, number, count, home }
            }
            Object::LockPart { lock, part } => SavedObject::LockPart { lock, part },
            Object::Mapped { path, size } => SavedObject::Mapped { path, size },
            Object::Text { content, size } => SavedObject::Text { content, size },
            Object::Made { thread, number, site, size, heap, zeroed, managed } => {
                let site = (site.func.0, site.pc);
                let managed = (managed.ty, managed.element);
                SavedObject::Made { thread: thread.0, number, site, size, heap, zeroed, managed }
            }
        };
        let content = |content: &Content| match content {
            Content::Word { bits, undef, origin } => {
                let halves = [*bits as u64, (bits >> 64) as u64, *undef as u64, (undef >> 64) as u64];
                SavedContent::Word(halves, origin.0)
            }
            Content::Bytes(b) => {
                let outside = b.outside.iter().map(|of| of.0).collect();
                SavedContent::Bytes(b.bits.clone(), b.undef.clone(), b.origin.0, outside)
            }
        };
        let limit = |limit: &Limit| match *limit {
            Limit::Loop(f, number) => SavedLimit::Loop(f.0, number),
            Limit::Long(f, number) => SavedLimit::Long(f.0, number),
            Limit::Depth(f) => SavedLimit::Depth(f.0),
            Limit::Silent(f) => SavedLimit::Silent(f.0),
            Limit::Sample(f, at) => SavedLimit::Sample(f.0, at),
        };
        SavedTables {
            objects: self.objects.iter().map(object).collect(),
            layout: self.layout.save(),
            children: self.children.met.iter().map(|(t, n)| (t.0, *n)).collect(),
            keys: self.keys.met.iter().map(|(t, n)| (t.0, *n)).collect(),
            contents: self.contents.all().iter().map(content).collect(),
            terms: self.terms.nodes().to_vec(),
            origins: self.origins.iter().map(|site| (site.func.0, site.pc)).collect(),
            limits: self.limits.iter().map(limit).collect(),
            order_barriers: self.order_barriers.clone(),
            keep_undone: self.keep_undone,
            locks,
            keep_unpublished: self.keep_unpublished,
            keep_attempts: self.keep_attempts,
            guessed: self.guessed.iter().map(|(f, at)| (f.0, *at)).collect(),
            durable: self.durable.clone(),
            recovery: self.recovery.map(|f| f.0),
            recovery_has_threads: self.recovery_has_threads,
            let_pass: self.let_pass,
            how,
        }
    }

    /// The tables of a module as they were; `None` if they are of another one.
    pub fn restore(module: &Module, saved: SavedTables) -> Option<Tables> {
        let mut tables = Tables::new(module);
        let known = |g: u32| ((g as usize) < module.globals.len()).then_some(GlobalId(g));
        let func = |f: u32| module.functions.get(f as usize).map(|_| FuncId(f));
        for (at, object) in saved.objects.into_iter().enumerate() {
            let object = match object {
                SavedObject::Global(g) => Object::Global(known(g)?),
                SavedObject::Code(f) => Object::Code(func(f)?),
                SavedObject::ThreadLocal(t, g) => Object::ThreadLocal(Tid(t), known(g)?),
                SavedObject::Result(t) => Object::Result(Tid(t)),
                SavedObject::Destructor(key) => Object::Destructor(key),
                SavedObject::Waiters(address) => Object::Waiters(address),
                SavedObject::Barrier { thread, number, count, home } => {
                    Object::Barrier { thread: Tid(thread), number, count, home }
                }
                SavedObject::LockPart { lock, part } => Object::LockPart { lock, part },
                SavedObject::Mapped { path, size } => Object::Mapped { path, size },
                SavedObject::Text { content, size } => Object::Text { content, size },
                SavedObject::Made { thread, number, site: (f, pc), size, heap, zeroed, managed } => {
                    let site = Site { func: func(f)?, pc };
                    let managed = Managed { ty: managed.0, element: managed.1 };
                    Object::Made { thread: Tid(thread), number, site, size, heap, zeroed, managed }
                }
            };
            if tables.intern(object) as usize != at {
                return None;
            }
        }
        tables.layout.restore(saved.layout)?;
        saved.children.into_iter().for_each(|(t, n)| _ = tables.children.number((Tid(t), n)));
        saved.keys.into_iter().for_each(|(t, n)| _ = tables.keys.number((Tid(t), n)));
        tables.terms = Terms::restore(saved.terms)?;
        let terms = tables.terms.len();
        let known_origin = |of: Origin| of.term().is_none_or(|term| (term.0 as usize) < terms);
        for content in saved.contents {
            let content = match content {
                SavedContent::Word([low, high, undef, undef_high], origin) => {
                    let wide = |low: u64, high: u64| (high as u128) << 64 | low as u128;
                    if !known_origin(Origin(origin)) {
                        return None;
                    }
                    Content::Word {
                        bits: wide(low, high),
                        undef: wide(undef, undef_high),
                        origin: Origin(origin),
                    }
                }
                SavedContent::Bytes(bits, undef, origin, outside) => {
                    let whole = |len: usize| len == 0 || len == bits.len();
                    let fits = whole(undef.len()) && whole(outside.len());
                    let outside: Vec<Origin> = outside.into_iter().map(Origin).collect();
                    if !fits || !outside.iter().all(|of| known_origin(*of)) {
                        return None;
                    }
                    let bytes = Bytes { bits, undef, origin: Origin(origin), outside };
                    Content::Bytes(Arc::new(bytes))
                }
            };
            tables.contents.intern(content);
        }
        for (f, pc) in saved.origins {
            tables.origins.push(Site { func: func(f)?, pc });
        }
        for limit in saved.limits {
            tables.note(match limit {
                SavedLimit::Loop(f, number) => {
                    module.functions.get(f as usize)?.loops.get(number as usize)?;
                    Limit::Loop(func(f)?, number)
                }
                SavedLimit::Long(f, number) => {
                    module.functions.get(f as usize)?.loops.get(number as usize)?;
                    Limit::Long(func(f)?, number)
                }
                SavedLimit::Depth(f) => Limit::Depth(func(f)?),
                SavedLimit::Silent(f) => Limit::Silent(func(f)?),
                SavedLimit::Sample(f, at) => Limit::Sample(func(f)?, at),
            });
        }
        tables.order_barriers = saved.order_barriers;
        tables.keep_undone = saved.keep_undone;
        tables.keep_unpublished = saved.keep_unpublished;
        tables.keep_attempts = saved.keep_attempts;
        tables.guessed = saved.guessed.iter().map(|(f, at)| (FuncId(*f), *at)).collect();
        tables.durable = saved.durable;
        tables.recovery_has_threads = saved.recovery_has_threads;
        tables.let_pass = saved.let_pass;
        tables.recovery = match saved.recovery {
            Some(f) => Some(func(f)?),
            None => None,
        };
        Some(tables)
    }
}
