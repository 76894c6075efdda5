//! Pointers of 4 bytes (`-m32`): addresses of 32 bits in memory and in integers, pointers as ever in
//! registers.
//!
//! What an address stands for is decided by its bits and by which globals are large
//! ([`address`]), so it is the same in every execution. What has no address is refused.

use super::state::VmState;
use super::{Halt, VmMachine, fail, is_private};
use crate::undefined::Word;
use selvedge_ir::{CastOp, Operand, Reg, address, pointer};
use selvedge_machine::ErrorKind;

impl VmMachine {
    fn is_large(&self, allocation: u32) -> bool {
        is_large(&self.module.globals, allocation)
    }

    /// The pointer that an address is of, where pointers are short; else the word itself.
    pub(super) fn pointer_at(&self, word: u64) -> u64 {
        match (self.module.short_pointers, u32::try_from(word)) {
            (true, Ok(address)) => address::pointer(address, |n| self.is_large(n)),
            _ => word,
        }
    }

    fn address_of(&self, pointer: u64) -> Result<u32, Halt> {
        if let Some((allocation, _)) = pointer::split(pointer)
            && !self.is_large(allocation)
        {
            let object = self.tables.borrow().objects.get(allocation as usize).copied();
            let size = object.map_or(0, |object| self.size_of(object));
            if is_private(allocation) || size >= address::LARGE_SIZE {
                let most = address::LARGE_SIZE - 1;
                let what = format!(
                    "with -m32, the address of an object of {size} bytes (more than {most} are supported \
                     for the first global variables only)"
                );
                return fail(ErrorKind::Unsupported, what);
            }
        }
        match address::of(pointer, |n| self.is_large(n)) {
            Some(address) => Ok(address),
            None => fail(
                ErrorKind::Unsupported,
                "with -m32, an address far outside of its object, or of one of more than 32,766 objects",
            ),
        }
    }

    /// From a pointer to an address, or back.
    #[cold]
    pub(super) fn cast_pointer(
        &self,
        state: &mut VmState,
        (op, from, to): (CastOp, u8, u8),
        dst: Reg,
        src: Operand,
    ) -> Result<(), Halt> {
        let value = self.wide(state, src, from);
        let result = match value.is_defined() {
            true if op == CastOp::ToAddress => Word::known(self.address_of(value.bits as u64)?.into()),
            true => Word::known(self.pointer_at(value.bits as u64).into()),
            false if value.is_outside() => {
                return fail(ErrorKind::Unsupported, "with -m32, an unknown input is used as an address");
            }
            false => Word::undefined(to, value.origin.lost()),
        };
        self.put(state, dst, to, result);
        Ok(())
    }
}

/// Whether an allocation is a global that has more addresses than other objects.
pub(super) fn is_large(globals: &[selvedge_ir::Global], allocation: u32) -> bool {
    globals.get(allocation as usize).is_some_and(|global| global.size >= address::LARGE_SIZE)
}
