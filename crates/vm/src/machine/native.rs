//! Library functions that the machine itself performs.

mod known;
mod managed;
mod numerals;

pub use known::{FINAL_BEGIN, LOCAL, Native};

use known::SPIN_END_UNLESS;

use super::call::Args;
use super::exceptions::Flying;
use super::input::NONDET_MEMORY;
use super::memory::Use;
use super::misuse;
use super::print;
use super::state::{Held, Stage, Val, VmState};
use super::threads::{held_alone, lock_leave, next_key, set_specific};
use super::unwind::set_jump;
use super::{Halt, VmMachine, fail, is_private, private_address};
use crate::float;
use crate::format::Text;
use crate::layout::Pieces;
use crate::tables::{Managed, Object};
use crate::undefined::Word;
use selvedge_graph::{PersistOp, Tid};
use selvedge_ir::{Operand, Reg, pointer};
use selvedge_machine::{Block, ErrorKind, Op, Reduction};
use std::rc::Rc;

impl VmMachine {
    pub(super) fn native(
        &self,
        state: &mut VmState,
        native: Native,
        dst: Option<Reg>,
        args: &Args,
        name: &str,
    ) -> Result<Option<Op>, Halt> {
        let facts = Rc::clone(&state.facts);
        let known = |number: usize| match args.get(number) {
            Some(Val { bits, undef: 0, .. }) => Ok(*bits),
            Some(val) if val.is_outside() => self.definite(&facts, *val, &format!("an argument of `{name}`")),
            Some(val) => self.not_set(&format!("an argument of `{name}`"), val.origin),
            None => fail(ErrorKind::UndefinedBehaviour, format!("`{name}` is called with too few arguments")),
        };
        let result = match native {
            Native::AssertFail(number) => {
                let text = self.constant_text(known(number)?).unwrap_or_default();
                return fail(ErrorKind::Assertion, format!("assertion `{text}` failed"));
            }
            Native::ReachError => return fail(ErrorKind::Assertion, format!("`{name}` is reached")),
            Native::ErrorMessage => {
                let text = self.constant_text(known(0)?);
                return fail(ErrorKind::Assertion, text.unwrap_or_else(|| format!("`{name}` is reached")));
            }
            Native::Assert | Native::Assume if args.first().is_some_and(|v| v.is_outside()) => {
                let assumes = matches!(native, Native::Assume);
                return self.demand(state, assumes, args[0], name);
            }
            Native::Assert if known(0)? as u32 == 0 => {
                return fail(ErrorKind::Assertion, "an assertion failed");
            }
            // A panic that cannot unwind ends that way.
            Native::Abort if state.rare.panic.is_some() => return self.panics(state),
            Native::Abort => return fail(ErrorKind::Abort, "`abort` is called"),
            Native::Assume if known(0)? as u32 == 0 => return Ok(Some(Op::Block(Block::Assume))),
            Native::Assert | Native::Assume | Native::Nothing => 0,
            Native::Nondet if name == NONDET_MEMORY => {
                let (to, len) = (known(0)?, known(1)?);
                if len > 0 {
                    self.resolve(state, to, len, Use::Write)?;
                }
                let bytes = self.any_bytes(state, len);
                return self.fill(state, to, Pieces::new(), bytes, None);
            }
            Native::Nondet | Native::Input => {
                let (value, bits) = match native {
                    Native::Nondet => self.any(state, name)?,
                    _ => (Word::of(self.told(state, name), Val::known(0)), 64),
                };
                if let Some(dst) = dst {
                    self.put(state, dst, bits, value);
                }
                state.frame.pc += 1;
                return Ok(None);
            }
            Native::Environment => {
                let text = Rc::make_mut(&mut state.rare).text.take();
                self.environment(&text.map_or(Vec::new(), |text| text.out))
            }
            Native::ProcessId => self.process_id(state, name),
            Native::Undefine => {
                let (to, len, most) = (known(0)?, known(1)?, known(2)?);
                if len > 0 {
                    self.resolve(state, to, len, Use::Write)?;
                }
                let time = self.time_in_memory(state, len, most);
                return self.fill(state, to, Pieces::new(), time, None);
            }
            Native::Choose => match known(0)? as i32 {
                ..=0 => {
                    return fail(
                        ErrorKind::UndefinedBehaviour,
                        format!("`{name}` has nothing to choose from"),
                    );
                }
                1 => 0,
                count => return Ok(Some(choose(state, dst, count as u32))),
            },
            Native::Malloc(_) if name == "aligned_alloc" && !known(0)?.is_power_of_two() => {
                set_errno(state, EINVAL);
                0
            }
            Native::Malloc(number) => return self.allocate(state, dst, known(number)?, false),
            Native::New => {
                let element = if args.len() > 2 { known(2)? } else { 0 };
                let managed = Managed { ty: known(1)? as u32, element };
                return self.allocate_managed(state, dst, known(0)?, managed);
            }
            Native::NewLike => {
                let (size, managed) = self.managed_like(known(0)?)?;
                return self.allocate_managed(state, dst, size, managed);
            }
            Native::Dimensions => self.dimensions(known(0)?)?,
            Native::StringMade => {
                let given: Result<Vec<u64>, Halt> = (0..args.len()).map(&known).collect();
                self.string_made(name, &given?)?
            }
            Native::TypeOf => self.type_number(known(0)?)?,
            Native::Identity => self.identity(known(0)?)?,
            Native::Length => self.array_length(known(0)?)?,
            Native::Element => self.element_size(known(0)?)?,
            Native::Unhandled => return self.unhandled(known(0)?, known(1)?),
            Native::Calloc => {
                let size = known(0)?.checked_mul(known(1)?);
                return self.allocate(state, dst, size.unwrap_or(u64::MAX), true);
            }
            Native::Free => match known(0)? {
                0 => 0,
                addr => {
                    let (object, _) = self.heap_object(addr, name)?;
                    let within = |held: &Held| pointer::split(held.addr).is_some_and(|(o, _)| o == object);
                    if state.rare.held.iter().any(within) {
                        return fail(
                            ErrorKind::LockMisuse,
                            "memory is freed with a lock in it that this thread holds",
                        );
                    }
                    state.stage = Stage::Advance;
                    return Ok(Some(Op::Free { object }));
                }
            },
            Native::Size if name == "malloc_usable_size" && known(0)? == 0 => 0,
            Native::Size => self.heap_object(known(0)?, name)?.1,
            Native::Apart => {
                misuse::apart(known(0)?, known(1)?, known(2)?, "a string")?;
                0
            }
            Native::Index if args.first().is_some_and(|v| v.is_outside()) => {
                let (largest, what) = misuse::largest_index(name);
                self.index_outside(&facts, args[0], largest, what)?;
                0
            }
            Native::Index => {
                misuse::index(known(0)? as i64, name)?;
                0
            }
            Native::VlaLength => {
                misuse::vla_length(known(0)? as i64)?;
                0
            }
            Native::Copy => {
                let (to, from, len) = (known(0)?, known(1)?, known(2)?);
                // A structure that is assigned to itself is copied by `memcpy`, too.
                if name.contains("memcpy") && to != from {
                    misuse::apart(to, from, len, &format!("`{name}`"))?;
                }
                return self.copy(state, (to, from, len), dst);
            }
            Native::Fill => {
                let byte = args.get(1).copied().unwrap_or(Val::known(0));
                return self.set_all(state, (known(0)?, byte, known(2)?), dst);
            }
            Native::ExitProcess => {
                // Any number will do.
                if args.first().is_some_and(|status| !status.is_outside()) {
                    known(0)?;
                }
                return Ok(Some(Op::Block(Block::Exit)));
            }
            Native::Unwind => {
                // Between handlers, it is the result that `pthread_exit` was given that counts.
                let result = args.first().copied().unwrap_or(Val::known(0));
                return self.unwind(state, (name == "__selvedge_unwind").then_some(result));
            }
            Native::EndThread => {
                let result = args.first().copied().unwrap_or(Val::known(0));
                return Ok(Some(self.leave_thread(state, result)));
            }
            Native::SetJump => {
                set_jump(state, known(0)?, dst);
                0
            }
            Native::LongJump => return self.long_jump(state, known(0)?, known(1)? as u32),
            Native::Raise => {
                let ty = if name == "__selvedge_throw" { known(1)? } else { 0 };
                return self.raise(state, Flying { object: known(0)?, ty, selector: 0 });
            }
            Native::Resume => return self.resume(state, known(0)?),
            Native::Exception => state.rare.flying.last().map_or(0, |flying| flying.object),
            Native::Selector => state.rare.flying.last().map_or(0, |flying| flying.selector.into()),
            Native::Adjusted => self.adjusted(state, known(0)?),
            Native::CaughtPointer => self.caught_pointer(state, known(0)?),
            Native::CaughtVirtually => self.caught_virtually(state, known(0)?),
            Native::Taken => {
                Self::taken(state, known(0)?);
                0
            }
            Native::PanicText => {
                let rare = Rc::make_mut(&mut state.rare);
                let text = rare.text.take().map_or(Vec::new(), |text| text.out);
                rare.panic = Some(String::from_utf8_lossy(&text).into());
                0
            }
            Native::Panic => {
                let text = self.constant_text(known(0)?).unwrap_or_default();
                return fail(ErrorKind::Panic, text);
            }
            Native::PanicExpected => {
                let rare = Rc::make_mut(&mut state.rare);
                let text = rare.text.take().map_or(Vec::new(), |text| text.out);
                let (expected, said) = (String::from_utf8_lossy(&text), rare.panic.as_deref().unwrap_or(""));
                match said {
                    _ if known(0)? == 0 => {
                        return fail(ErrorKind::Assertion, "the test is to panic, and returns");
                    }
                    said if !said.contains(&*expected) => {
                        let message = format!(
                            "the test is to panic with a message that contains `{expected}`; it says `{said}`"
                        );
                        return fail(ErrorKind::Assertion, message);
                    }
                    _ => 0,
                }
            }
            Native::RustParks => self.hooks.rust_parks as u64,
            Native::RustCurrent => match self.hooks.rust_current {
                Some(global) => self.value(state, Operand::Global(global, 0)).bits,
                None => 0,
            },
            Native::LastRead => state.last_read.map_or(0, |read| read.value),
            Native::AtThreadExit => {
                Rc::make_mut(&mut state.rare).exits.push((known(0)?, known(1)?));
                0
            }
            Native::NextExit => {
                let rare = Rc::make_mut(&mut state.rare);
                let (function, argument) = rare.exits.pop().unwrap_or_default();
                rare.exit_argument = argument;
                function
            }
            Native::ExitArgument => state.rare.exit_argument,
            Native::CleanupPush => {
                Rc::make_mut(&mut state.rare).cleanups.push(known(0)?);
                0
            }
            Native::CleanupPop => {
                let buffer = known(0)?;
                Rc::make_mut(&mut state.rare).cleanups.retain(|b| *b != buffer);
                0
            }
            Native::ThreadBit => match state.thread.0 {
                thread @ 0..64 => 1 << thread,
                _ => return fail(ErrorKind::Unsupported, "condition variables with more than 64 threads"),
            },
            Native::NthBit => {
                let (mut bits, n) = (known(0)?, known(1)?);
                for _ in 0..n {
                    bits &= bits.wrapping_sub(1);
                }
                bits & bits.wrapping_neg()
            }
            Native::ThisThread => state.thread.0 as u64 + 1,
            Native::NewThread => {
                let most = self.options.max_threads;
                let (parent, number) = (state.thread, state.made.threads);
                let known = self.tables.borrow().known_child(parent, number);
                match known.or_else(|| self.learn(|common| common.child(parent, number, most as usize))) {
                    Some(child) => {
                        state.made.threads += 1;
                        child.0 as u64 + 1
                    }
                    None => return fail(ErrorKind::Unsupported, format!("more than {most} threads")),
                }
            }
            Native::Spawn => {
                let entry = self.function_at(known(1)?)?;
                self.is_start_routine(state, entry)?;
                let arg = args.get(2).copied().unwrap_or(Val::known(0));
                state.stage = Stage::Spawning(entry, arg);
                return Ok(Some(Op::Spawn { thread: Tid(known(0)? as u16 - 1) }));
            }
            Native::Join => return self.join(state, known(0)?).map(Some),
            Native::Detach => return self.detach(state, known(0)?).map(Some),
            Native::ResultOf => {
                let thread = Tid(known(0)? as u16 - 1);
                pointer::make(self.intern(Object::Result(thread)), 0)
            }
            Native::Errno => private_address(state.thread, 0, 0),
            Native::NewKey => {
                state.made.keys += 1;
                let (thread, number) = (state.thread, state.made.keys);
                let known = self.tables.borrow().known_key(thread, number);
                known.unwrap_or_else(|| self.learn(|common| common.key(thread, number))) as u64
            }
            Native::GetSpecific => {
                let key = known(0)? as u32;
                state.rare.specific.iter().find(|(k, _)| *k == key).map_or(0, |(_, value)| *value)
            }
            Native::SetSpecific => {
                let (key, value) = (known(0)? as u32, known(1)?);
                set_specific(state, key, value);
                0
            }
            Native::NextKey => next_key(state, known(0)? as u32) as u64,
            Native::Destructor => {
                let key = known(0)? as u32;
                pointer::make(self.intern(Object::Destructor(key)), 0)
            }
            Native::Futex => pointer::make(self.intern(Object::Waiters(known(0)?)), 0),
            Native::LockHeld => {
                let held = held_alone(state, known(0)?).is_some();
                if !held && let Some(wait) = self.waits_without(state) {
                    return Ok(Some(Op::Block(wait)));
                }
                held as u64
            }
            Native::LockAgain => {
                if let Some(at) = held_alone(state, known(0)?) {
                    Rc::make_mut(&mut state.rare).held[at].count += 1;
                }
                0
            }
            Native::LockTaken => {
                let addr = known(0)?;
                let held = match known(1)? {
                    0 => Held::alone(addr),
                    1 => Held { shared: true, ..Held::alone(addr) },
                    _ => self.taken_in_part(state, addr),
                };
                let since = state.made.steps;
                Rc::make_mut(&mut state.rare).held.push(Held { since, ..held });
                0
            }
            Native::LockLeave => lock_leave(state, known(0)?),
            Native::LockPart => self.lock_part(state, known(0)?),
            Native::LockKept => {
                let addr = known(0)?;
                state.rare.held.iter().rfind(|held| held.addr == addr).map_or(0, |held| held.word)
            }
            Native::LockWhole => {
                self.needs_whole_lock(known(0)?);
                0
            }
            Native::LockUnheld => {
                self.needs_whole_if_held(state, known(0)?);
                0
            }
            Native::Background => {
                Rc::make_mut(&mut state.rare).background = true;
                0
            }
            Native::Misuse => {
                let message = match known(0)? {
                    0 => "a lock is destroyed while it is held",
                    1 => "a lock is released that this thread does not hold",
                    2 => "a lock is used after it was destroyed",
                    3 => "a condition variable is destroyed while a thread waits for it",
                    4 => "a condition variable is used after it was destroyed",
                    _ => "a semaphore is used after it was destroyed",
                };
                return fail(ErrorKind::LockMisuse, message);
            }
            Native::BarrierNew => self.new_barrier(state, known(0)? as u32, known(1)?)?,
            Native::BarrierAt => self.barrier_at(known(0)? as u32, known(1)?),
            Native::BarrierLooks => !self.options.track_deps as u64,
            Native::BarrierNone => self.no_barrier_yet(args.first().copied().unwrap_or(Val::known(0)))?,
            Native::BarrierCheck => self.check_barrier(known(0)?, known(1)?)?,
            Native::BarrierCount => self.barrier(known(0)?).map_or(0, |(_, count)| count as u64),
            Native::BarrierUnordered => self.options.unordered_barriers as u64,
            Native::BarrierArrive => return Ok(Some(self.arrive(state, known(0)?))),
            Native::BarrierDepart => return Ok(Some(self.depart(state, known(0)?, dst))),
            Native::Wait => {
                return Ok(Some(Op::Block(match known(0)? {
                    0 => Block::Assume,
                    1 => Block::Lock,
                    2 => Block::Condition,
                    3 => Block::Semaphore,
                    4 => Block::Barrier,
                    _ => Block::Other,
                })));
            }
            Native::Spurious if state.made.spurious_wakeups < self.options.spurious_wakeups => {
                state.stage = Stage::Spurious(dst);
                return Ok(Some(Op::Choose { count: 2 }));
            }
            Native::FutexWakes
                if state.made.spurious_wakeups < self.options.spurious_wakeups
                    && !self.wakes_in_vain(state, known(0)?, known(1)? as u32, dst) =>
            {
                state.stage = Stage::Spurious(dst);
                return Ok(Some(Op::Choose { count: 2 }));
            }
            Native::Spurious | Native::FutexWakes => 0,
            Native::SpinBegin => {
                let began = (state.loads, state.effects);
                let spins = &mut Rc::make_mut(&mut state.rare).spins;
                // Loops may be left without coming to the end of an iteration.
                if spins.len() == DEEPEST_SPIN {
                    spins.remove(0);
                }
                spins.push(began);
                0
            }
            Native::SpinEnd => {
                // Without an argument, it stands where the loop goes round.
                let again = match (name == SPIN_END_UNLESS, args.is_empty()) {
                    (true, true) => 1,
                    (true, false) => u64::from(known(0)? as u32 == 0),
                    (false, _) => known(0)?,
                };
                let began = Rc::make_mut(&mut state.rare).spins.pop();
                // An iteration that read nothing waits for nothing, whatever is said of it. A search
                // through states goes round: what it has read may be something else by then.
                if let Some((loads, effects)) = began
                    && self.options.reductions.has(Reduction::SpinAssume)
                    && again as u32 != 0
                    && state.loads != loads
                    && state.effects == effects
                {
                    state.loads_at_header = loads;
                    return Ok(Some(Op::Block(state.spin())));
                }
                again
            }
            Native::OptionalBegin => 1,
            Native::StackSave => state.frame.stack.len() as u64,
            Native::StackRestore => match self.restore_stack(state, known(0)?) {
                // The call is made again after each.
                Some(op) => return Ok(Some(op)),
                None => 0,
            },
            Native::FinalBegin => {
                state.made.final_writes += 1;
                0
            }
            Native::FinalEnd => {
                state.made.final_writes = state.made.final_writes.saturating_sub(1);
                0
            }
            Native::Local => match pointer::split(known(0)?) {
                Some((object, _)) if !is_private(object) => {
                    state.stage = Stage::Advance;
                    return Ok(Some(Op::Local { object }));
                }
                _ => 0,
            },
            Native::Durable => {
                self.make_durable(known(0)?, known(1)?)?;
                0
            }
            Native::Recovery => {
                self.set_recovery(known(0)?)?;
                0
            }
            Native::Flush(op) => match self.flush(state, op, known(0)?) {
                Some(op) => return Ok(Some(op)),
                None => 0,
            },
            Native::Sync(op) => {
                let unit = if op == PersistOp::Fsync { Some(known(0)? as u32) } else { None };
                state.stage = Stage::Advance;
                return Ok(Some(Op::Persist { op, unit }));
            }
            Native::Path => self.path_number(known(0)?)?,
            Native::Map => self.map(known(0)?, known(1)?)?,
            Native::Line => self.line_size_at(known(0)?),
            Native::Disk => self.disk_fact(state, known(0)?),
            Native::CallFailed => {
                let text = self.constant_text(known(0)?).unwrap_or_default();
                self.call_failed(state, &text, known(1)?)?
            }
            Native::TextFormat => {
                print::begin(state, Text::format(known(0)?, known(1)?));
                0
            }
            Native::TextBytes => {
                print::begin(state, Text::bytes(known(0)?, known(1)?, known(2)? != 0));
                0
            }
            Native::TextNext => self.text_next(state)?,
            Native::TextWidth => state.rare.text_needs as u64,
            Native::TextGive if args.first().is_some_and(|v| self.text_give(state, *v)) => 0,
            Native::TextGive => {
                print::text(state).give(known(0)?);
                0
            }
            Native::TextChar => {
                print::text(state).out.push(known(0)? as u8);
                0
            }
            Native::TextLength | Native::TextPrint if state.rare.text.as_ref().is_some_and(|t| t.unknown) => {
                let length = self.unknown_length(state);
                if matches!(native, Native::TextPrint) {
                    self.text_print(state);
                }
                if let (Some(dst), Some(length)) = (dst, length) {
                    state.frame.set_val(dst, length);
                }
                state.frame.pc += 1;
                return Ok(None);
            }
            Native::TextLength => print::text(state).out.len() as u64,
            Native::TextPrint => self.text_print(state),
            Native::TextCopy => return self.text_copy(state, known(0)?, known(1)?, dst),
            Native::TextNumber => float::parse(&print::text(state).out, known(0)? as u8).0,
            Native::TextUsed => {
                let used = float::parse(&print::text(state).out, 64).1 as u64;
                Rc::make_mut(&mut state.rare).text = None;
                used
            }
            Native::Math(f) => {
                let second = if args.len() > 1 { f64::from_bits(known(1)?) } else { 0.0 };
                f(f64::from_bits(known(0)?), second).to_bits()
            }
            Native::MathSingle(f) => {
                let number = |bits: u64| f32::from_bits(bits as u32) as f64;
                let second = if args.len() > 1 { number(known(1)?) } else { 0.0 };
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
            Some(dst) => self.make(state, dst, size, true, zeroed, Managed::default()).map(Some),
            None => {
                state.frame.pc += 1;
                Ok(None)
            }
        }
    }

    fn allocate_managed(
        &self,
        state: &mut VmState,
        dst: Option<Reg>,
        size: u64,
        managed: Managed,
    ) -> Result<Option<Op>, Halt> {
        match dst {
            Some(dst) => self.make(state, dst, size, true, true, managed).map(Some),
            None => self.allocate(state, dst, size, true),
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
                    ErrorKind::InvalidFree,
                    format!("`{name}` of an address that `malloc` did not return, in {what}"),
                )
            }
            _ => fail(ErrorKind::InvalidFree, format!("`{name}` of an address that `malloc` did not return")),
        }
    }
}

/// How many marked loops may be within each other.
const DEEPEST_SPIN: usize = 8;

const EINVAL: u64 = 22;

pub(super) fn set_errno(state: &mut VmState, number: u64) {
    let errno = &mut Rc::make_mut(&mut state.private)[0];
    Rc::make_mut(errno).store(0, 4, Val::known(number));
}

fn choose(state: &mut VmState, dst: Option<Reg>, count: u32) -> Op {
    state.stage = Stage::Give(dst);
    Op::Choose { count }
}
