//! What a program has that the machine has to know of.

use super::{lock_order, native, zne};
use crate::runtime;
use selvedge_ir::{FuncId, GlobalId, Module};

/// Functions of the library that the machine itself calls, where a program has need of them.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Runs destructors of keys at the end of a thread.
    pub leave: Option<FuncId>,
    /// Runs what a thread has to run at its end besides; the same for `main`.
    pub thread_exits: Option<FuncId>,
    pub main_exits: Option<FuncId>,
    /// The variable in which threads of Rust keep their handles.
    pub rust_current: Option<GlobalId>,
    /// Whether threads of a Rust program park by themselves, and not only where its library does it.
    pub rust_parks: bool,
    /// Runs what `atexit` was given when `main` returns.
    pub main_returned: Option<FuncId>,
    /// Whether the program says of writes that they are final, or of objects that they are local.
    pub final_writes: bool,
    pub local_objects: bool,
    /// Whether nobody looks whether a lock is taken but to take it.
    pub quiet_locks: bool,
    /// Looks at a lock that is divided.
    pub look: Option<FuncId>,
    /// Whether it makes barriers.
    pub barriers: bool,
    /// Whether it assumes anything.
    pub assumes: bool,
    /// Whether it does so by ending the process.
    pub ends_by_assuming: bool,
    /// Whether the program has `errno`.
    pub errno: bool,
    /// The lock that a thread has in an atomic section, if there are such.
    pub section: Option<GlobalId>,
}

impl Hooks {
    pub fn of(module: &Module) -> Hooks {
        let named = |name: &str| {
            let found = module.functions.iter().position(|f| f.name == name && !f.code.is_empty());
            found.map(|f| FuncId(f as u32))
        };
        let declared = |name: &str| module.functions.iter().any(|f| f.name == name);
        Hooks {
            leave: named("__selvedge_leave"),
            thread_exits: named("__selvedge_thread_exits"),
            main_exits: named("__selvedge_main_exits"),
            rust_current: module
                .globals
                .iter()
                .position(|g| g.name == "std::thread::current::CURRENT" && g.thread_local)
                .map(|g| GlobalId(g as u32)),
            main_returned: named("__selvedge_main_returned"),
            final_writes: declared(native::FINAL_BEGIN),
            local_objects: declared(native::LOCAL),
            barriers: declared("pthread_barrier_init") || declared("__selvedge_rust_barrier"),
            rust_parks: declared("__selvedge_rust_park") || declared("__selvedge_rust_park_timeout"),
            assumes: module
                .functions
                .iter()
                .any(|f| matches!(native::Native::named(&f.name), Some(native::Native::Assume))),
            ends_by_assuming: declared(selvedge_ir::library::ASSUME_OR_END),
            errno: declared("__errno_location") || declared("__error"),
            section: module
                .globals
                .iter()
                .position(|g| g.name == runtime::SECTION_LOCK)
                .map(|g| GlobalId(g as u32)),
            look: module
                .functions
                .iter()
                .position(|f| lock_order::is_look(&f.name))
                .map(|f| FuncId(f as u32)),
            quiet_locks: !zne::LOOK_AT_LOCKS.iter().any(|name| declared(name)),
        }
    }
}
