//! Exceptions: panics of Rust, and what C++ throws.
//!
//! The two phases of the Itanium C++ ABI (level I, 1.3): first somebody is looked for who catches the
//! exception; if there is nobody, that is the error, and it is reported where the exception was thrown.
//! Then frames are left one by one; those that have something to do go on after the call that was left, and
//! take the exception up again when they are done (`_Unwind_Resume`).
//!
//! A call that lands has one more result, which says whether it was left that way (`Pad`).

use super::exception_types::Base;
use super::state::{Stage, Val, VmState};
use super::unwind::{Landing, forget_jumps};
use super::{Halt, VmMachine, fail};
use selvedge_ir::{FuncId, GlobalId, Instr, Operand, Pad};
use selvedge_machine::{ErrorKind, Op};
use std::rc::Rc;

/// An exception on its way, or caught.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flying {
    /// What landing pads are given.
    pub object: u64,
    /// The type information of what C++ threw; 0 for others.
    pub ty: u64,
    /// Which of the types of the landing pad it has; 0 if it only passes.
    pub selector: u32,
}

/// The number of "any type" among those of a landing pad.
const ANY: u32 = i32::MAX as u32;

/// What stands in for the address of a type that has none: `catch (...)`.
const EVERY: Operand = Operand::Const(0);

impl VmMachine {
    fn pad_at(&self, func: FuncId, pc: u32) -> Option<&Pad> {
        match self.function(func).code.get(pc as usize)? {
            Instr::Call { lands, .. } => lands.as_deref(),
            _ => None,
        }
    }

    /// The number of the first type of a landing pad that an exception has.
    fn caught_by(&self, pad: &Pad, exception: Flying) -> Result<Option<u32>, Halt> {
        for ty in &pad.catches {
            match *ty {
                EVERY => return Ok(Some(ANY)),
                Operand::Global(g, 0) => {
                    if exception.ty != 0 && self.is_of_type(exception.ty, self.address_of_global(g)) {
                        return Ok(Some(g.0 + 1));
                    }
                }
                _ => return fail(ErrorKind::Unsupported, "a type that is caught is no constant"),
            }
        }
        Ok(None)
    }

    /// `_Unwind_RaiseException`, `__cxa_throw`: looks for somebody who catches it first.
    pub(super) fn raise(&self, state: &mut VmState, exception: Flying) -> Result<Option<Op>, Halt> {
        let mut catcher = None;
        for (depth, frame) in state.frames().enumerate() {
            if let Some(pad) = self.pad_at(frame.func, frame.pc)
                && self.caught_by(pad, exception)?.is_some()
                && !self.goes_on_from(state, depth + 1)
            {
                catcher = Some(depth);
                break;
            }
        }
        let only_std = |depth: usize| state.frames().skip(depth).all(|f| self.info(f.func).is_folded());
        match catcher {
            Some(depth) if exception.ty != 0 || self.options.joined_panics || !only_std(depth) => {
                self.go_on_unwinding(state, exception)
            }
            _ if exception.ty != 0 => {
                let ty = self.exception_name(exception.ty);
                fail(ErrorKind::Abort, format!("an exception of type `{ty}` is caught by nobody"))
            }
            _ => self.panics(state),
        }
    }

    /// `std::thread::scope` catches what its closure panics with, waits for its threads and panics again:
    /// whoever asks about the panic asks about the first one.
    fn goes_on_from(&self, state: &VmState, depth: usize) -> bool {
        let caller = state.frames().nth(depth).map(|frame| self.function(frame.func).name.as_str());
        caller.is_some_and(|name| name.starts_with("std::thread::scoped::scope::<"))
    }

    /// A panic that is caught by nobody but the thread itself.
    pub(super) fn panics<T>(&self, state: &VmState) -> Result<T, Halt> {
        match &state.rare.panic {
            Some(text) => fail(ErrorKind::Panic, text.to_string()),
            None => fail(ErrorKind::Panic, "a panic"),
        }
    }

    /// Leaves frames until one has something to do.
    pub(super) fn go_on_unwinding(&self, state: &mut VmState, exception: Flying) -> Result<Option<Op>, Halt> {
        loop {
            if let Some(pad) = self.pad_at(state.frame.func, state.frame.pc) {
                let caught = self.caught_by(pad, exception)?;
                if caught.is_some() || pad.cleanup {
                    return Ok(self.land_on_pad(state, Flying { selector: caught.unwrap_or(0), ..exception }));
                }
            }
            if let Some(object) = state.frame.stack.pop() {
                state.stage = Stage::Landing(Box::new(Landing::Exception(exception)));
                return Ok(Some(Op::Free { object }));
            }
            if state.pop_frame().is_none() {
                return fail(
                    ErrorKind::UndefinedBehaviour,
                    "an exception leaves the first function of a thread",
                );
            }
        }
    }

    fn land_on_pad(&self, state: &mut VmState, exception: Flying) -> Option<Op> {
        forget_jumps(state);
        let flying = &mut Rc::make_mut(&mut state.rare).flying;
        // Panics that were caught are done with; C++ says when it takes an exception (`__cxa_begin_catch`).
        flying.retain(|other| other.object != exception.object && (other.ty != 0 || other.selector == 0));
        flying.push(exception);
        let origin = self.origin_here(state);
        let call = self.function(state.frame.func).code.get(state.frame.pc as usize);
        if let Some(&Instr::Call { dst: Some(dst), results, .. }) = call {
            for reg in dst..dst + results - 1 {
                state.frame.set_val(reg, Val::undefined(origin));
            }
            state.frame.set(dst + results - 1, 1);
        }
        state.frame.pc += 1;
        None
    }

    /// An exception of C++ that has landed, and the type that it was caught as if that is one of its own.
    /// Others may have come and gone since, in what was done on the way.
    fn landed(&self, state: &VmState, object: u64) -> Option<(u64, Option<u64>)> {
        let exception = state.rare.flying.iter().find(|e| e.object == object && e.ty != 0)?;
        let caught = match exception.selector {
            0 | ANY => None,
            number => Some(self.address_of_global(GlobalId(number - 1))),
        };
        Some((exception.ty, caught))
    }

    /// The address of what C++ threw, as the type that it was caught as: a pointer is caught by its value.
    pub(super) fn adjusted(&self, state: &VmState, object: u64) -> u64 {
        let offset = match self.landed(state, object) {
            Some((ty, Some(caught))) => self.base_of(ty, caught).map_or(0, Base::offset),
            _ => 0,
        };
        object.wrapping_add(offset as u64)
    }

    /// What is to be known of a pointer that was caught.
    pub(super) fn caught_pointer(&self, state: &VmState, object: u64) -> u64 {
        self.landed(state, object).map_or(0, |(ty, caught)| self.pointer_caught(ty, caught))
    }

    /// The class that an exception was caught as, or a pointer to it, if that is a virtual base: where that
    /// is, the object knows. Otherwise 0.
    pub(super) fn caught_virtually(&self, state: &VmState, object: u64) -> u64 {
        let Some((ty, Some(caught))) = self.landed(state, object) else { return 0 };
        let (class, base) = self.pointed_to(ty, caught).unwrap_or((ty, caught));
        if self.base_of(class, base) == Some(Base::Virtual) { base } else { 0 }
    }

    /// `__cxa_begin_catch`: nobody asks about it again, until it is thrown again.
    pub(super) fn taken(state: &mut VmState, object: u64) {
        Rc::make_mut(&mut state.rare).flying.retain(|exception| exception.object != object);
    }

    /// What `_Unwind_Resume` is given must be what has landed, and was not caught.
    pub(super) fn resume(&self, state: &mut VmState, object: u64) -> Result<Option<Op>, Halt> {
        match state.rare.flying.iter().find(|exception| exception.object == object).copied() {
            Some(exception) => self.go_on_unwinding(state, exception),
            None => fail(ErrorKind::UndefinedBehaviour, "an exception is resumed that is none"),
        }
    }
}
