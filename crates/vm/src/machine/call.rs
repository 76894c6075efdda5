//! Calls, returns, and the ends of threads.

use super::memory::LARGEST_OBJECT;
use super::state::{Stage, Val, VmState};
use super::unwind::forget_jumps;
use super::{Halt, VmMachine, fail, is_private, private_slot};
use crate::tables::{Limit, Managed, Object, Site};
use crate::undefined::Origin;
use selvedge_graph::Mode;
use selvedge_ir::{FuncId, Operand, Reg, pointer};
use selvedge_machine::{ErrorKind, Op};
use smallvec::SmallVec;
use std::rc::Rc;

pub type Args = SmallVec<[Val; 4]>;

impl VmMachine {
    pub(super) fn call(
        &self,
        state: &mut VmState,
        dst: Option<Reg>,
        func: FuncId,
        args: &[Operand],
        results: u32,
    ) -> Result<Option<Op>, Halt> {
        let function = self.function(func);
        if function.code.is_empty() {
            let Some(native) = self.info(func).native.or_else(|| self.as_input(function)) else {
                let help = "a definition of it in the program, or in another file, is used if there is one; or \
                            `--unknown-functions input`";
                return fail(
                    ErrorKind::Unsupported,
                    format!("the function `{}` is not known; {help}", function.name),
                );
            };
            let args: Args = args.iter().map(|a| self.value(state, *a)).collect();
            let dst = if results == 0 { None } else { dst };
            return self.native(state, native, dst, &args, &function.name);
        }
        if state.depth >= self.options.max_call_depth {
            self.note(Limit::Depth(func));
            return Ok(Some(Op::Cut));
        }
        let mut frame = self.new_frame(func, state.private.len() as u32);
        // An argument that is not passed is undefined; one too many is not looked at.
        for (at, reg) in function.params.iter().enumerate() {
            frame.set_val(*reg, self.value(state, args.get(at).copied().unwrap_or(Operand::Undef)));
        }
        if function.varargs {
            let rest = args.get(function.params.len()..).unwrap_or_default();
            let rest: Args = rest.iter().map(|a| self.value(state, *a)).collect();
            self.pass_rest(state, &mut frame, function.params.len() as Reg, &rest);
        }
        state.push_frame(frame);
        Ok(None)
    }

    /// The function that an address stands for.
    pub(super) fn function_at(&self, addr: u64) -> Result<FuncId, Halt> {
        match pointer::split(addr) {
            None => fail(ErrorKind::NullDereference, "call of a null pointer"),
            Some((allocation, 0)) => match self.tables.borrow().objects.get(allocation as usize) {
                Some(Object::Code(f)) => Ok(*f),
                _ => fail(ErrorKind::WildPointer, "call of something that is no function"),
            },
            Some(_) => fail(ErrorKind::WildPointer, "call of something that is no function"),
        }
    }

    /// Objects of the frame die first, one by one: the instruction is run again after each.
    pub(super) fn return_from(&self, state: &mut VmState, values: &[Operand]) -> Result<Option<Op>, Halt> {
        if state.callers.is_none() {
            return self.return_from_thread(state, values);
        }
        if let Some(object) = state.frame.stack.pop() {
            return Ok(Some(Op::Free { object }));
        }
        let values: Args = values.iter().map(|v| self.value(state, *v)).collect();
        if state.pop_frame().is_none() {
            unreachable!("a caller that is there")
        }
        forget_jumps(state);
        let nowhere = if values.is_empty() { self.origin_here(state) } else { Origin(0) };
        let frame = &mut state.frame;
        let call = self.function(frame.func).code.get(frame.pc as usize);
        if let Some(selvedge_ir::Instr::Call { dst: Some(dst), results, lands, .. }) = call {
            for (at, reg) in (*dst..dst + results).enumerate() {
                frame.set_val(reg, values.get(at).copied().unwrap_or(Val::undefined(nowhere)));
            }
            if lands.is_some() {
                frame.set(dst + results - 1, 0);
            }
        }
        frame.pc = frame.pc.wrapping_add(1);
        Ok(None)
    }

    /// The start routine returns, or `main` does.
    fn return_from_thread(&self, state: &mut VmState, values: &[Operand]) -> Result<Option<Op>, Halt> {
        if let Some(object) = state.frame.stack.pop() {
            return Ok(Some(Op::Free { object }));
        }
        if state.thread.0 == 0 {
            // Any number will do.
            let status = values.first().filter(|status| !self.value(state, **status).is_outside());
            if let Some(status) = status {
                self.known(state, *status, "what `main` returns")?;
            }
            let exits = self.hooks.main_exits.filter(|_| !state.rare.exits.is_empty());
            let Some(returned) = exits.or(self.hooks.main_returned) else {
                return Ok(Some(self.exit(state)));
            };
            state.push_frame(self.new_frame(returned, state.private.len() as u32));
            return Ok(None);
        }
        let result = values.first().map_or(Val::known(0), |v| self.value(state, *v));
        Ok(self.end_of_thread(state, result))
    }

    /// Ends a thread; what it returns is left for whoever joins it, unless it is 0.
    pub(super) fn leave_thread(&self, state: &mut VmState, result: Val) -> Op {
        state.stage = Stage::Exiting;
        if state.thread.0 != 0 && (result.undef != 0 || result.bits != 0) && !state.left_result {
            state.left_result = true;
            let object = self.intern(Object::Result(state.thread));
            if let Ok(Ok(loc)) = self.atomic_cell(object, 0, 8) {
                let value = self.encode(result, 8);
                return Op::Store { loc, value, mode: Mode::Na, rmw: false };
            }
        }
        self.exit(state)
    }

    /// What is on the stack of a thread dies with it, and then its thread-local variables. When `main`
    /// returns, the other threads are still explored to their ends; its thread-local variables stay, as the
    /// process is what ends there, not the thread.
    pub(super) fn exit(&self, state: &mut VmState) -> Op {
        state.stage = Stage::Exiting;
        loop {
            if let Some(object) = state.frame.stack.pop() {
                return Op::Free { object };
            }
            if state.pop_frame().is_none() {
                break;
            }
        }
        if state.thread.0 == 0 && state.rare.result.is_none() {
            return Op::End;
        }
        match self.next_thread_local(state) {
            Some(object) => Op::Free { object },
            None => Op::End,
        }
    }

    /// The life of a variable ends before its function does, or begins again.
    pub(super) fn end_life(&self, state: &mut VmState, addr: u64, begins: bool) -> Option<Op> {
        let (allocation, _) = pointer::split(addr)?;
        if is_private(allocation) {
            let (_, slot) = private_slot(allocation);
            if let Some(object) = Rc::make_mut(&mut state.private).get_mut(slot) {
                Rc::make_mut(object).forget(begins);
            }
            return None;
        }
        let at = state.frame.stack.iter().rposition(|object| *object == allocation)?;
        state.frame.stack.remove(at);
        state.stage = Stage::Advance;
        Some(Op::Free { object: allocation })
    }

    /// Ends the lives of variables of this call until no more than so many are left, one by one.
    pub(super) fn restore_stack(&self, state: &mut VmState, left: u64) -> Option<Op> {
        if state.frame.stack.len() as u64 <= left {
            return None;
        }
        let object = state.frame.stack.pop()?;
        Some(Op::Free { object })
    }

    /// Makes a new object; its address goes to `dst`.
    pub(super) fn make(
        &self,
        state: &mut VmState,
        dst: Reg,
        size: u64,
        heap: bool,
        zeroed: bool,
        managed: Managed,
    ) -> Result<Op, Halt> {
        if size > LARGEST_OBJECT {
            return fail(ErrorKind::Unsupported, format!("an object of {size} bytes"));
        }
        // Managed objects are of the method that makes them, and variables of the function that has them.
        let own = || state.frames().find(|frame| !self.info(frame.func).runtime);
        let frame = match heap && managed == Managed::default() {
            true => self.program_frame(state),
            false => own(),
        };
        let frame = frame.unwrap_or(&state.frame);
        let site = Site { func: frame.func, pc: frame.pc };
        let (thread, number) = (state.thread, state.made.objects);
        let made = Object::Made { thread, number, site, size, heap, zeroed, managed };
        state.made.objects += 1;
        let object = self.intern(made);
        state.frame.set(dst, pointer::make(object, 0));
        state.stage = Stage::Advance;
        Ok(Op::Alloc { object })
    }
}
