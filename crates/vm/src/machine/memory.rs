//! From addresses to memory.

use super::access::ADDRESS;
use super::state::{Val, VmState};
use super::{Halt, VmMachine, fail, is_private, private_address, private_slot};
use crate::contents::Content;
use crate::layout::Clash;
use crate::tables::Object;
use selvedge_ir::{GlobalId, Operand, pointer};
use selvedge_machine::ErrorKind;
use std::borrow::Cow;

/// What an address points to; offsets are within the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    Private { slot: usize, at: usize },
    Constant { of: Fixed, at: usize },
    Shared { object: u32, at: u32 },
}

/// What nobody ever writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixed {
    Global(GlobalId),
    /// A string that was put together, by its number among contents.
    Text(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Read,
    Write,
}

/// Offsets must stay within the lower half of a pointer.
pub const LARGEST_OBJECT: u64 = u32::MAX as u64 - (1 << 20);

impl VmMachine {
    #[inline]
    pub(super) fn value(&self, state: &VmState, operand: Operand) -> Val {
        match operand {
            Operand::Reg(r) => state.frame.get(r),
            Operand::Const(c) => Val::known(c),
            Operand::Global(g, by) => {
                if self.module.globals[g.0 as usize].thread_local {
                    if let Some(slot) = self.slots[g.0 as usize] {
                        return Val::known(private_address(state.thread, slot, by));
                    }
                    let own = self.intern(Object::ThreadLocal(state.thread, g));
                    return Val::known(pointer::make(own, by));
                }
                Val::known(pointer::make(g.0, by))
            }
            Operand::Func(f) => Val::known(pointer::make(self.module.globals.len() as u32 + f.0, 0)),
            Operand::Undef => Val::undefined(self.origin_here(state)),
        }
    }

    /// A value that must be defined.
    #[inline]
    pub(super) fn known(&self, state: &VmState, operand: Operand, what: &str) -> Result<u64, Halt> {
        let value = self.value(state, operand);
        match value.undef {
            0 => Ok(value.bits),
            _ if value.is_outside() => self.definite(&state.facts, value, what),
            _ => self.not_set(what, value.origin),
        }
    }

    /// The address of an access of so many bytes.
    #[inline]
    pub(super) fn address(&self, state: &VmState, operand: Operand, bytes: u8) -> Result<u64, Halt> {
        let value = self.value(state, operand);
        match value.undef {
            0 => Ok(value.bits),
            _ if value.is_outside() => self.definite_address(state, value, bytes as u64, ADDRESS),
            _ => self.not_set(ADDRESS, value.origin),
        }
    }

    /// How large an object is.
    pub(super) fn size_of(&self, object: Object) -> u64 {
        match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => self.module.globals[g.0 as usize].size,
            Object::Code(_) => 0,
            Object::Result(_) | Object::Destructor(_) => 8,
            // Which threads wait, and where those wait that were moved.
            Object::Waiters(_) => 16,
            Object::Barrier { .. } | Object::LockPart { .. } => 4,
            Object::Mapped { size, .. } | Object::Text { size, .. } | Object::Made { size, .. } => size,
        }
    }

    /// Where an access of `len` bytes goes.
    #[inline]
    pub(super) fn resolve(&self, state: &VmState, addr: u64, len: u64, what: Use) -> Result<Spot, Halt> {
        let Some((allocation, offset)) = pointer::split(addr) else { return self.no_object(addr) };
        if is_private(allocation) {
            let (thread, slot) = private_slot(allocation);
            if thread != state.thread.0 as u32 {
                return fail(
                    ErrorKind::Unsupported,
                    "an access to what another thread keeps for itself (`errno`)",
                );
            }
            let Some(object) = state.private.get(slot) else { return self.no_object(addr) };
            if offset < 0 || offset as u64 + len > object.size {
                let size = object.size;
                return fail(
                    ErrorKind::OutOfBounds,
                    format!("{len} bytes at offset {offset} of {size} bytes that only this thread uses"),
                );
            }
            if object.dead {
                return fail(ErrorKind::DeadStack, "access to a local variable whose block was left");
            }
            return Ok(Spot::Private { slot, at: offset as usize });
        }
        let object = self.tables.borrow().objects.get(allocation as usize).copied();
        let Some(object) = object else { return self.no_object(addr) };
        let size = self.size_of(object);
        if offset < 0 || offset as u64 + len > size {
            return self.out_of_bounds(object, offset, len);
        }
        if let Object::Global(g) = object
            && self.module.globals[g.0 as usize].constant
        {
            if let Some(spot) = self.monitor_of_literal(g, offset as u32, len)? {
                return Ok(spot);
            }
            if what == Use::Write {
                let name = &self.module.globals[g.0 as usize].name;
                return fail(ErrorKind::UndefinedBehaviour, format!("write to the constant `{name}`"));
            }
            return Ok(Spot::Constant { of: Fixed::Global(g), at: offset as usize });
        }
        if let Object::Text { content, .. } = object {
            if what == Use::Write {
                return fail(ErrorKind::Unsupported, "write to a string, or to its monitor");
            }
            return Ok(Spot::Constant { of: Fixed::Text(content), at: offset as usize });
        }
        Ok(Spot::Shared { object: allocation, at: offset as u32 })
    }

    /// A string constant of a managed language is never written, but may be locked: the words of its monitor,
    /// with which every object begins, are elsewhere. Strings of the same text are one object, as the
    /// language has it for constants.
    fn monitor_of_literal(&self, g: GlobalId, offset: u32, len: u64) -> Result<Option<Spot>, Halt> {
        const MONITOR: u64 = 16;
        let name = &self.module.globals[g.0 as usize].name;
        if u64::from(offset) + len > MONITOR || !name.starts_with('"') {
            return Ok(None);
        }
        // It stands for all texts that nobody knows.
        if name == "\"\u{fffd}\"" {
            return fail(ErrorKind::Unsupported, "the monitor of a string whose text is not known");
        }
        let object = self.intern(Object::Waiters(self.address_of_global(g)));
        Ok(Some(Spot::Shared { object, at: offset }))
    }

    #[cold]
    fn no_object<T>(&self, addr: u64) -> Result<T, Halt> {
        match addr {
            0 => fail(ErrorKind::NullDereference, "access through a null pointer"),
            _ if pointer::split(addr).is_none() => {
                fail(ErrorKind::NullDereference, format!("access through a null pointer, at offset {addr}"))
            }
            _ => fail(ErrorKind::WildPointer, format!("{addr:#x} does not point to any object")),
        }
    }

    #[cold]
    fn out_of_bounds<T>(&self, object: Object, offset: i64, len: u64) -> Result<T, Halt> {
        if let Object::Code(f) = object {
            let name = &self.function(f).name;
            return fail(ErrorKind::WildPointer, format!("access to the code of `{name}`"));
        }
        let (name, size) = (self.name_of_object(object), self.size_of(object));
        fail(ErrorKind::OutOfBounds, format!("{len} bytes at offset {offset} of {name}, which has {size}"))
    }

    pub(super) fn constant(&self, of: Fixed, at: usize, len: usize) -> Cow<'_, [u8]> {
        match of {
            Fixed::Global(g) => Cow::Borrowed(&self.module.globals[g.0 as usize].bytes[at..at + len]),
            Fixed::Text(content) => match self.tables.borrow().contents.get(content) {
                Some(Content::Bytes(bytes)) => Cow::Owned(bytes.bits[at..at + len].to_vec()),
                _ => unreachable!("the contents of a text are bytes"),
            },
        }
    }

    /// A text among the constants, for messages.
    pub(super) fn constant_text(&self, addr: u64) -> Option<String> {
        let (allocation, offset) = pointer::split(addr)?;
        let bytes = &self.module.globals.get(allocation as usize)?.bytes;
        let rest = bytes.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|b| *b == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    pub(super) fn clash(&self, clash: Clash, object: u32, at: u32) -> Halt {
        match clash {
            Clash::Restart => Halt::Restart,
            Clash::MixedSizes => {
                let name = self.name_of(self.tables.borrow().objects[object as usize], at as u64);
                let mut message = format!("accesses of different sizes to {name}, where some are atomic");
                if let Some(model) = &self.options.refuses_mixed_sizes {
                    message += &format!(", under the model `{model}`, which follows dependencies");
                }
                Halt::Error(ErrorKind::Unsupported, message)
            }
        }
    }
}
