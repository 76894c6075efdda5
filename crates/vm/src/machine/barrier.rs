//! Barriers: making, arriving, leaving, and what the program makes of the value that it leaves with.
//!
//! One of the threads that leave a round is told that it is the serial one. Where arrivals have no order it
//! could be any of them, so the two possible values are both tried up to the next visible operation. A
//! program that has forgotten the difference by then, as all do that ignore the value or only look for
//! errors in it, makes no use of it.

use super::state::{Caller, Frame, Stage, Val, VmState};
use super::{BEFORE_FIRST, Halt, VmMachine, fail};
use crate::tables::Object;
use selvedge_graph::{Tid, Value};
use selvedge_ir::passes::arrivals::GATHERING;
use selvedge_ir::{FuncId, GlobalId, Instr, Operand, Reg, pointer};
use selvedge_machine::{ErrorKind, Meeting, Op};
use std::rc::Rc;

/// `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL: u64 = u32::MAX as u64;

/// The number of barriers that nobody made: they are known by their addresses.
const BY_ADDRESS: u32 = u32::MAX;

impl VmMachine {
    /// `home` is the address that it is initialised at.
    pub(super) fn new_barrier(&self, state: &mut VmState, count: u32, home: u64) -> Result<u64, Halt> {
        if count == 0 {
            return fail(
                ErrorKind::BarrierMisuse,
                "`pthread_barrier_init` with a count of 0: no thread could wait",
            );
        }
        if count > i32::MAX as u32 {
            return fail(ErrorKind::BarrierMisuse, format!("`pthread_barrier_init` with a count of {count}"));
        }
        let object = Object::Barrier { thread: state.thread, number: state.made.barriers, count, home };
        state.made.barriers += 1;
        Ok(pointer::make(self.intern(object), 0))
    }

    /// The barrier at an address, for so many threads: it is there with the first that asks for it.
    pub(super) fn barrier_at(&self, count: u32, home: u64) -> u64 {
        let object = Object::Barrier { thread: Tid(0), number: BY_ADDRESS, count, home };
        pointer::make(self.intern(object), 0)
    }

    /// The barrier that a word stands for, and how many threads meet there.
    pub(super) fn barrier(&self, word: u64) -> Option<(u32, u32)> {
        let (number, offset) = pointer::split(word)?;
        match self.tables.borrow().objects.get(number as usize) {
            Some(Object::Barrier { count, .. }) if offset == 0 => Some((number, *count)),
            _ => None,
        }
    }

    /// Memory that is to become a barrier must not be one. What it holds may be undefined.
    pub(super) fn no_barrier_yet(&self, word: Val) -> Result<u64, Halt> {
        if word.undef == 0 && self.barrier(word.bits).is_some() {
            let message = "a barrier is initialised again that was not destroyed before";
            return fail(ErrorKind::BarrierMisuse, message);
        }
        Ok(0)
    }

    /// The barriers that were ever made in the memory of an object.
    pub(super) fn barriers_within(&self, object: u32) -> Vec<Meeting> {
        if !self.hooks.barriers {
            return Vec::new();
        }
        let tables = self.tables.borrow();
        let meeting = |(number, of): (u32, &Object)| {
            let Object::Barrier { count, home, number: made, .. } = *of else { return None };
            if made == BY_ADDRESS {
                return None;
            }
            let (_, at) = pointer::split(home).filter(|(within, _)| *within == object)?;
            let word = tables.layout.exact(object, u32::try_from(at).ok()?, 8)?;
            let counter = tables.layout.exact(number, 0, 4);
            let alive = pointer::make(number, 0) as Value;
            Some(Meeting { barrier: number, count, word, alive, counter })
        };
        (0..).zip(&tables.objects).filter_map(meeting).collect()
    }

    pub(super) fn check_barrier(&self, word: u64, destroy: u64) -> Result<u64, Halt> {
        if self.barrier(word).is_some() {
            return Ok(0);
        }
        let what = if destroy == 0 { "a wait at" } else { "destruction of" };
        fail(
            ErrorKind::BarrierMisuse,
            format!("{what} a barrier that was not initialised, or is destroyed already"),
        )
    }

    /// Whether a variable is the barrier that a counter is taken for.
    pub(super) fn is_gathering(&self, global: GlobalId) -> bool {
        self.module.globals[global.0 as usize].name.starts_with(GATHERING)
    }

    /// Whether counters are taken for barriers, so that whatever is wrong has to be looked at without.
    pub fn gathers(&self) -> bool {
        self.options.unordered_barriers && self.module.globals.iter().any(|g| g.name.starts_with(GATHERING))
    }

    pub(super) fn arrive(&self, state: &mut VmState, word: u64) -> Op {
        let Some((barrier, count)) = self.barrier(word) else { unreachable!("it was checked") };
        state.stage = Stage::Advance;
        Op::Arrive { barrier, count }
    }

    pub(super) fn depart(&self, state: &mut VmState, word: u64, dst: Option<Reg>) -> Op {
        let Some((_, count)) = self.barrier(word) else { unreachable!("it was checked") };
        state.stage = Stage::Departing(dst);
        Op::Depart { count }
    }

    /// Runs a thread that leaves a barrier to its next operation.
    pub(super) fn go_on_from_barrier(&self, state: &mut VmState) -> Result<Op, Halt> {
        if !self.result_is_live(state) {
            return self.go_on(state, 0);
        }
        let mut serial = state.clone();
        let one = self.go_on(state, 0);
        let other = self.go_on(&mut serial, SERIAL);
        match (&one, &other) {
            (Err(Halt::Restart), _) | (_, Err(Halt::Restart)) => Err(Halt::Restart),
            _ if one == other && self.same(state, &serial) => one,
            _ => {
                self.order_barriers("the program looks at which thread `pthread_barrier_wait` calls serial");
                Err(Halt::Restart)
            }
        }
    }

    /// Whether the caller of `pthread_barrier_wait` reads what it returns. Functions of the library in
    /// between hand it on.
    fn result_is_live(&self, state: &VmState) -> bool {
        let mut caller = state.callers.as_deref().filter(|_| state.rare.jumps.is_empty());
        while let Some(Caller { frame, next }) = caller {
            let code = &self.function(frame.func).code;
            let Some(Instr::Call { dst: Some(dst), .. }) = code.get(frame.pc as usize) else { return true };
            let hands_on = match code.get(frame.pc as usize + 1) {
                Some(Instr::Return { values }) => {
                    self.info(frame.func).runtime && values[..] == [Operand::Reg(*dst)]
                }
                _ => false,
            };
            if !hands_on {
                return self.is_live(frame.func, frame.pc + 1, *dst);
            }
            caller = next.as_deref();
        }
        true
    }

    /// Whether two states of a thread differ in nothing that it could still notice.
    pub(super) fn same(&self, a: &VmState, b: &VmState) -> bool {
        let own = |s: &VmState| (s.depth, s.made, s.loads, s.loads_at_header, s.effects, s.left_result);
        own(a) == own(b)
            && a.stage == b.stage
            && a.facts == b.facts
            && a.rare == b.rare
            && (Rc::ptr_eq(&a.private, &b.private) || a.private == b.private)
            && a.frames().zip(b.frames()).all(|(x, y)| self.same_frame(x, y, a.rare.jumps.is_empty()))
    }

    /// `forward`: no `longjmp` brings the thread back to where it was.
    fn same_frame(&self, a: &Frame, b: &Frame, forward: bool) -> bool {
        let start = if a.pc == BEFORE_FIRST { 0 } else { a.pc };
        (a.func, a.pc, a.private) == (b.func, b.pc, b.private)
            && a.rounds == b.rounds
            && a.headers == b.headers
            && a.stack == b.stack
            && (0..a.regs.len() as Reg)
                .all(|r| a.get(r) == b.get(r) || (forward && !self.is_live(a.func, start, r)))
    }

    /// Whether a function may read a register from here on, before it writes it.
    pub(super) fn is_live(&self, func: FuncId, pc: u32, reg: Reg) -> bool {
        if let Some(known) = self.tables.borrow().live.get(&(func, pc, reg)) {
            return *known;
        }
        let code = &self.function(func).code;
        let mut seen = vec![false; code.len() + 1];
        let mut todo = vec![pc];
        let mut live = false;
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at as usize], true) || at as usize == code.len() {
                continue;
            }
            let instr = &code[at as usize];
            live |= instr.reads(reg);
            if live {
                break;
            }
            if !instr.written().contains(&reg) {
                instr.for_successors(at, |next| todo.push(next));
            }
        }
        self.tables.borrow_mut().live.insert((func, pc, reg), live);
        live
    }
}
