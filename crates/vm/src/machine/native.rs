//! Library functions that the machine itself performs.

use super::access::checked_len;
use super::call::Args;
use super::state::{Buffer, Held, Stage, Val, VmState};
use super::{Halt, PRIVATE, VmMachine, fail};
use crate::float;
use crate::ir::{Reg, pointer};
use crate::layout::Pieces;
use crate::tables::Object;
use selvedge_graph::Tid;
use selvedge_machine::{Block, Op};
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub enum Native {
    /// A failed assertion; the argument with this number is what was asserted.
    AssertFail(usize),
    /// Reaching it is an error.
    ReachError,
    /// Its argument is a message.
    ErrorMessage,
    Assert,
    Abort,
    Assume,
    Choose,
    NondetBool,
    Nondet,
    /// The argument with this number is the size.
    Malloc(usize),
    Calloc,
    Free,
    Size,
    Copy,
    Fill,
    /// Gives 0 and does nothing.
    Nothing,
    /// The process ends.
    ExitProcess,
    ExitThread,
    ThisThread,
    NewThread,
    Spawn,
    Join,
    ResultOf,
    Errno,
    NewKey,
    GetSpecific,
    SetSpecific,
    LockEnter,
    LockTaken,
    LockLeave,
    MutexKind,
    Misuse,
    Wait,
    Spurious,
    SpinBegin,
    SpinEnd,
    Math(fn(f64, f64) -> f64),
    MathSingle(fn(f64, f64) -> f64),
}

impl Native {
    /// The function with this name, if the machine knows it.
    pub fn named(name: &str) -> Option<Native> {
        Some(match name {
            "__assert_fail" | "__assert" | "__assert_perror_fail" => Native::AssertFail(0),
            "__assert_rtn" => Native::AssertFail(3),
            "__VERIFIER_error" | "reach_error" => Native::ReachError,
            "selvedge_error" => Native::ErrorMessage,
            "__VERIFIER_assert" => Native::Assert,
            "abort" => Native::Abort,
            "__VERIFIER_assume" | "selvedge_assume" => Native::Assume,
            "selvedge_choose" | "__selvedge_choose" => Native::Choose,
            "__VERIFIER_nondet_bool" | "__VERIFIER_nondet__Bool" => Native::NondetBool,
            _ if name.starts_with("__VERIFIER_nondet_") => Native::Nondet,
            "malloc" | "valloc" => Native::Malloc(0),
            "aligned_alloc" | "memalign" => Native::Malloc(1),
            "calloc" => Native::Calloc,
            "free" | "cfree" => Native::Free,
            "__selvedge_size" | "malloc_usable_size" => Native::Size,
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Native::Copy,
            "memset" | "__memset_chk" => Native::Fill,
            "exit" | "_exit" | "_Exit" | "quick_exit" => Native::ExitProcess,
            "__selvedge_exit" => Native::ExitThread,
            "__selvedge_self" | "pthread_self" | "thrd_current" => Native::ThisThread,
            "__selvedge_new_thread" => Native::NewThread,
            "__selvedge_spawn" => Native::Spawn,
            "__selvedge_join" => Native::Join,
            "__selvedge_result" => Native::ResultOf,
            "__selvedge_errno" | "__errno_location" | "__error" => Native::Errno,
            "__selvedge_new_key" => Native::NewKey,
            "pthread_getspecific" | "tss_get" => Native::GetSpecific,
            "pthread_setspecific" | "tss_set" => Native::SetSpecific,
            "__selvedge_lock_enter" => Native::LockEnter,
            "__selvedge_lock_taken" => Native::LockTaken,
            "__selvedge_lock_leave" => Native::LockLeave,
            "__selvedge_mutex_kind" => Native::MutexKind,
            "__selvedge_misuse" => Native::Misuse,
            "__selvedge_block" => Native::Wait,
            "__selvedge_spurious" => Native::Spurious,
            "selvedge_spin_begin" => Native::SpinBegin,
            "selvedge_spin_end" => Native::SpinEnd,
            _ if NOTHING.contains(&name) => Native::Nothing,
            _ => return Native::math(name),
        })
    }

    fn math(name: &str) -> Option<Native> {
        let single = || name.strip_suffix('f').and_then(float::library).map(Native::MathSingle);
        float::library(name).map(Native::Math).or_else(single)
    }
}

/// Functions that print, let time pass, or set what makes no difference here.
const NOTHING: [&str; 50] = [
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "__printf_chk",
    "__fprintf_chk",
    "dprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "fwrite",
    "fflush",
    "perror",
    "setbuf",
    "setvbuf",
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "thrd_sleep",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "srand",
    "srandom",
    "pthread_detach",
    "thrd_detach",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_attr_setscope",
    "pthread_setconcurrency",
    "pthread_setname_np",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_setprotocol",
    "pthread_mutexattr_setpshared",
    "pthread_mutexattr_setrobust",
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_condattr_setclock",
    "pthread_condattr_setpshared",
    "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy",
    "pthread_key_delete",
    "tss_delete",
    "selvedge_final_write",
    "selvedge_local",
];

impl VmMachine {
    pub(super) fn native(
        &self,
        state: &mut VmState,
        native: Native,
        dst: Option<Reg>,
        args: &Args,
        name: &str,
    ) -> Result<Option<Op>, Halt> {
        let known = |number: usize| match args.get(number) {
            Some(Val { bits, undef: 0 }) => Ok(*bits),
            Some(_) => fail("uninitialised-read", format!("an argument of `{name}` was never set")),
            None => fail("undefined-behaviour", format!("`{name}` is called with too few arguments")),
        };
        let result = match native {
            Native::AssertFail(number) => {
                let text = self.constant_text(known(number)?).unwrap_or_default();
                return fail("assertion", format!("assertion `{text}` failed"));
            }
            Native::ReachError => return fail("assertion", format!("`{name}` is reached")),
            Native::ErrorMessage => {
                let text = self.constant_text(known(0)?);
                return fail("assertion", text.unwrap_or_else(|| format!("`{name}` is reached")));
            }
            Native::Assert if known(0)? as u32 == 0 => return fail("assertion", "an assertion failed"),
            Native::Abort => return fail("abort", "`abort` is called"),
            Native::Assume if known(0)? as u32 == 0 => return Ok(Some(Op::Block(Block::Assume))),
            Native::Assert | Native::Assume | Native::Nothing => 0,
            Native::Nondet => {
                let help = "any value is possible; use `selvedge_choose(n)` for one of finitely many";
                return fail("unsupported", format!("`{name}`: {help}"));
            }
            Native::NondetBool => return Ok(Some(choose(state, dst, 2))),
            Native::Choose => match known(0)? as i32 {
                ..=0 => return fail("undefined-behaviour", format!("`{name}` has nothing to choose from")),
                1 => 0,
                count => return Ok(Some(choose(state, dst, count as u32))),
            },
            Native::Malloc(number) => return self.allocate(state, dst, known(number)?, false),
            Native::Calloc => {
                let size = known(0)?.checked_mul(known(1)?);
                return self.allocate(state, dst, size.unwrap_or(u64::MAX), true);
            }
            Native::Free => match known(0)? {
                0 => 0,
                addr => {
                    state.stage = Stage::Advance;
                    return Ok(Some(Op::Free { object: self.heap_object(addr, name)?.0 }));
                }
            },
            Native::Size => self.heap_object(known(0)?, name)?.1,
            Native::Copy => return self.copy(state, (known(0)?, known(1)?, known(2)?), dst),
            Native::Fill => {
                let (to, byte) = (known(0)?, known(1)? as u8);
                let len = checked_len(known(2)?)?;
                let buffer = Buffer { bytes: vec![byte; len], undef: vec![false; len] };
                return self.fill(state, to, Pieces::new(), buffer, dst);
            }
            // Whoever would join it does not go on, either.
            Native::ExitProcess if state.thread.0 != 0 => return Ok(Some(Op::Block(Block::Assume))),
            Native::ExitProcess => return Ok(Some(self.exit(state))),
            Native::ExitThread => {
                let result = args.first().copied().unwrap_or(Val::UNDEF);
                return Ok(Some(self.leave_thread(state, result)));
            }
            Native::ThisThread => state.thread.0 as u64 + 1,
            Native::NewThread => {
                let most = self.options.max_threads;
                let mut tables = self.tables.borrow_mut();
                match tables.child(state.thread, state.made.threads, most as usize) {
                    Some(child) => {
                        state.made.threads += 1;
                        child.0 as u64 + 1
                    }
                    None => {
                        tables.ran_out_of_threads = true;
                        return fail("unsupported", format!("more than {most} threads"));
                    }
                }
            }
            Native::Spawn => {
                let entry = self.function_at(known(1)?)?;
                let arg = args.get(2).map_or(0, |v| v.bits);
                state.stage = Stage::Spawning(entry, arg);
                return Ok(Some(Op::Spawn { thread: Tid(known(0)? as u16 - 1) }));
            }
            Native::Join => return self.join(state, known(0)?).map(Some),
            Native::ResultOf => {
                let thread = Tid(known(0)? as u16 - 1);
                pointer::make(self.tables.borrow_mut().intern(Object::Result(thread)), 0)
            }
            Native::Errno => pointer::make(PRIVATE, 0),
            Native::NewKey => {
                state.made.keys += 1;
                self.tables.borrow_mut().key(state.thread, state.made.keys) as u64
            }
            Native::GetSpecific => {
                let key = known(0)? as u32;
                state.rare.specific.iter().find(|(k, _)| *k == key).map_or(0, |(_, value)| *value)
            }
            Native::SetSpecific => {
                let (key, value) = (known(0)? as u32, known(1)?);
                let specific = &mut Rc::make_mut(&mut state.rare).specific;
                specific.retain(|(k, _)| *k != key);
                specific.push((key, value));
                0
            }
            Native::LockEnter => self.lock_enter(state, known(0)?),
            Native::LockTaken => {
                let held = Held { addr: known(0)?, count: 1, shared: known(1)? != 0 };
                Rc::make_mut(&mut state.rare).held.push(held);
                0
            }
            Native::LockLeave => self.lock_leave(state, known(0)?)?,
            Native::MutexKind => {
                self.tables.borrow_mut().mutex_kinds.insert(known(0)?, known(1)? as u32);
                0
            }
            Native::Misuse => return fail("lock-misuse", "a lock is destroyed while it is held"),
            Native::Wait => {
                return Ok(Some(Op::Block(match known(0)? {
                    0 => Block::Assume,
                    1 => Block::Lock,
                    2 => Block::Condition,
                    3 => Block::Semaphore,
                    _ => Block::Other,
                })));
            }
            Native::Spurious if state.made.spurious_wakeups < self.options.spurious_wakeups => {
                state.stage = Stage::Spurious(dst);
                return Ok(Some(Op::Choose { count: 2 }));
            }
            Native::Spurious => 0,
            Native::SpinBegin => {
                state.loads_at_header = state.loads;
                state.effects_at_header = state.effects;
                0
            }
            Native::SpinEnd => {
                let again = known(0)?;
                if again as u32 != 0 && state.effects == state.effects_at_header {
                    return Ok(Some(Op::Block(Block::Spin)));
                }
                again
            }
            Native::Math(f) => {
                let second = args.get(1).map_or(0.0, |v| f64::from_bits(v.bits));
                f(f64::from_bits(known(0)?), second).to_bits()
            }
            Native::MathSingle(f) => {
                let number = |bits: u64| f32::from_bits(bits as u32) as f64;
                let second = args.get(1).map_or(0.0, |v| number(v.bits));
                (f(number(known(0)?), second) as f32).to_bits() as u64
            }
        };
        if let Some(dst) = dst {
            state.frame.set(dst, result);
        }
        state.frame.pc += 1;
        Ok(None)
    }

    fn allocate(
        &self,
        state: &mut VmState,
        dst: Option<Reg>,
        size: u64,
        zeroed: bool,
    ) -> Result<Option<Op>, Halt> {
        match dst {
            Some(dst) => self.make(state, dst, size, true, zeroed).map(Some),
            None => {
                state.frame.pc += 1;
                Ok(None)
            }
        }
    }

    /// The object on the heap that starts at an address, and its size.
    fn heap_object(&self, addr: u64, name: &str) -> Result<(u32, u64), Halt> {
        let object = |number: u32| self.tables.borrow().objects.get(number as usize).copied();
        match pointer::split(addr).map(|(number, offset)| (number, offset, object(number))) {
            Some((number, 0, Some(Object::Made { heap: true, size, .. }))) => Ok((number, size)),
            Some((_, _, Some(object))) => {
                let what = self.name_of_object(object);
                fail(
                    "invalid-free",
                    format!("`{name}` of an address that `malloc` did not return, in {what}"),
                )
            }
            _ => fail("invalid-free", format!("`{name}` of an address that `malloc` did not return")),
        }
    }

    fn join(&self, state: &mut VmState, id: u64) -> Result<Op, Halt> {
        let threads = self.tables.borrow().threads() as u64;
        if id == 0 || id > threads || id == state.thread.0 as u64 + 1 {
            return fail("invalid-join", "join of something that is no other thread");
        }
        let thread = Tid(id as u16 - 1);
        if state.rare.joined.contains(&thread) {
            return fail("invalid-join", "a thread is joined twice");
        }
        Rc::make_mut(&mut state.rare).joined.push(thread);
        state.stage = Stage::Advance;
        Ok(Op::Join { thread })
    }

    /// See `__selvedge_lock_enter` in the library.
    fn lock_enter(&self, state: &mut VmState, addr: u64) -> u64 {
        let Some(held) = state.rare.held.iter().position(|h| h.addr == addr && !h.shared) else { return 0 };
        match self.mutex_kind(addr) {
            1 => {
                Rc::make_mut(&mut state.rare).held[held].count += 1;
                1
            }
            2 => 2,
            _ => 0,
        }
    }

    fn lock_leave(&self, state: &mut VmState, addr: u64) -> Result<u64, Halt> {
        let Some(at) = state.rare.held.iter().rposition(|h| h.addr == addr) else {
            return fail("lock-misuse", "a lock is released that this thread does not hold");
        };
        let held = &mut Rc::make_mut(&mut state.rare).held;
        if held[at].count > 1 {
            held[at].count -= 1;
            return Ok(1);
        }
        Ok(if held.remove(at).shared { 2 } else { 0 })
    }

    /// What `pthread_mutex_init` said, or else the initial contents: glibc has the kind at offset 16.
    fn mutex_kind(&self, addr: u64) -> u32 {
        if let Some(kind) = self.tables.borrow().mutex_kinds.get(&addr) {
            return *kind;
        }
        let contents = || {
            let (allocation, offset) = pointer::split(addr)?;
            let bytes = &self.module.globals.get(allocation as usize)?.bytes;
            let kind = bytes.get(usize::try_from(offset).ok()?..)?.get(16..20)?;
            Some(u32::from_le_bytes([kind[0], kind[1], kind[2], kind[3]]))
        };
        contents().unwrap_or(0)
    }
}

fn choose(state: &mut VmState, dst: Option<Reg>, count: u32) -> Op {
    state.stage = Stage::Give(dst);
    Op::Choose { count }
}
