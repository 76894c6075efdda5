//! Constants: operands that need no instructions, and initial values of globals.

use selvedge_ir::{self as ir, Operand};

use super::Program;
use super::shape::{Scalar, shape};
use crate::llvm::{Opcode, TypeKind, Value, ValueKind};

impl<'m> Program<'m> {
    /// A constant as operands, one for each register; `None` if computing it needs instructions.
    pub(super) fn constant(&self, value: Value<'m>) -> Option<Vec<Operand>> {
        let shape = self.shape(value);
        let registers = shape.registers() as usize;
        if matches!(value.kind(), ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind) {
            return Some(vec![Operand::Undef; registers]);
        }
        if value.is_zero() {
            return Some(vec![Operand::Const(0); registers]);
        }
        if shape.single {
            if let Some(bits) = value.bits() {
                let halves = [Operand::Const(bits as u64), Operand::Const((bits >> 64) as u64)];
                return Some(halves[..registers].to_vec());
            }
            // An address in a wider integer is zero-extended.
            let mut operands = vec![self.fold(value)?];
            operands.resize(registers, Operand::Const(0));
            return Some(operands);
        }
        let mut operands = Vec::new();
        for index in 0.. {
            match value.element(index) {
                Some(element) => operands.extend(self.constant(element)?),
                None => break,
            }
        }
        (operands.len() == registers).then_some(operands)
    }

    /// A constant address or integer of at most 64 bits, if it can be folded to one operand.
    pub(super) fn fold(&self, value: Value<'m>) -> Option<Operand> {
        if value.is_zero() {
            return Some(Operand::Const(0));
        }
        if let Some(bits) = value.bits() {
            return u64::try_from(bits).ok().map(Operand::Const);
        }
        if let Some(address) = self.address(value) {
            return Some(address);
        }
        if value.kind() != ValueKind::LLVMConstantExprValueKind {
            return None;
        }
        match value.opcode()? {
            Opcode::LLVMGetElementPtr => {
                let base = self.fold(value.operand(0))?;
                let steps = self.steps(value);
                let offset = steps.constant_offset()?;
                shift(base, offset)
            }
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => self.fold(value.operand(0)),
            Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr | Opcode::LLVMIntToPtr => {
                let inner = self.fold(value.operand(0))?;
                // Where pointers are short, only a number that is no address is the same as both.
                if self.out.short_pointers && !matches!(inner, Operand::Const(..=0xffff)) {
                    return None;
                }
                match (inner, self.shape(value).scalar()?.int_bits()?) {
                    (inner, 64..) => Some(inner),
                    (Operand::Const(bits), width) => Some(Operand::Const(bits & ((1 << width) - 1))),
                    _ => None,
                }
            }
            Opcode::LLVMTrunc => match (self.fold(value.operand(0))?, self.shape(value).scalar()?) {
                (Operand::Const(bits), Scalar::Int(width @ 1..64)) => {
                    Some(Operand::Const(bits & ((1 << width) - 1)))
                }
                _ => None,
            },
            Opcode::LLVMAdd => match (self.fold(value.operand(0))?, self.fold(value.operand(1))?) {
                (base, Operand::Const(by)) | (Operand::Const(by), base) if self.is_word(value) => {
                    shift(base, by as i64)
                }
                _ => None,
            },
            Opcode::LLVMSub => match (self.fold(value.operand(0))?, self.fold(value.operand(1))?) {
                (base, Operand::Const(by)) if self.is_word(value) => shift(base, (by as i64).wrapping_neg()),
                (Operand::Global(a, at), Operand::Global(b, from)) if a == b && self.is_word(value) => {
                    Some(Operand::Const(at.wrapping_sub(from) as u64))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_word(&self, value: Value<'m>) -> bool {
        self.shape(value).scalar() == Some(Scalar::Int(64))
    }

    /// Writes a constant into a global's initial contents.
    pub(super) fn initialise(
        &self,
        global: &mut ir::Global,
        value: Value<'m>,
        offset: u64,
    ) -> Result<(), String> {
        let unset =
            matches!(value.kind(), ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind);
        if unset && !global.constant {
            global.undefined.push((offset, self.layout.size(value.ty())));
        }
        if unset || value.is_zero() {
            return Ok(());
        }
        let ty = value.ty();
        match ty.kind() {
            TypeKind::Struct => {
                for field in 0..ty.fields().len() as u32 {
                    let element = value.element(field).ok_or_else(|| value.text())?;
                    self.initialise(global, element, offset + self.layout.field_offset(ty, field))?;
                }
                return Ok(());
            }
            TypeKind::Array | TypeKind::Vector => {
                let (element, count) = ty.elements();
                let size = self.layout.size(element);
                for index in 0..count {
                    let element = value.element(index as u32).ok_or_else(|| value.text())?;
                    self.initialise(global, element, offset + index * size)?;
                }
                return Ok(());
            }
            _ => {}
        }
        if let Some(bits) = value.bits() {
            let size = self.layout.size(ty).min(16) as usize;
            let at = offset as usize;
            global.bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            return Ok(());
        }
        match (self.fold(value), shape(self.layout, ty).scalar().and_then(Scalar::bits)) {
            (Some(Operand::Const(bits)), Some(width @ ..=64)) => {
                let size = usize::from(width.div_ceil(8)).min(self.layout.size(ty) as usize);
                let at = offset as usize;
                global.bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
                Ok(())
            }
            (Some(address), Some(64)) => {
                global.addresses.push((offset, address));
                Ok(())
            }
            _ if self.out.short_pointers => self.initialise_short(global, value, offset),
            _ => self.initialise_unknown(global, value, offset),
        }
    }

    /// Between pointers and integers of 4 bytes, the bits in memory are the same.
    fn initialise_short(&self, global: &mut ir::Global, value: Value<'m>, offset: u64) -> Result<(), String> {
        let cast = matches!(value.opcode(), Some(Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr));
        match value.kind() == ValueKind::LLVMConstantExprValueKind
            && cast
            && self.layout.size(value.ty()) == 4
        {
            true if self.layout.size(value.operand(0).ty()) == 4 => {
                self.initialise(global, value.operand(0), offset)
            }
            _ => Err(value.text()),
        }
    }

    /// A value that has no bytecode (the address of a label, a `long double`): an error once it is used.
    fn initialise_unknown(
        &self,
        global: &mut ir::Global,
        value: Value<'m>,
        offset: u64,
    ) -> Result<(), String> {
        let size = self.layout.size(value.ty());
        if size == 0 || !size.is_multiple_of(8) {
            return Err(value.text());
        }
        global.addresses.extend((0..size / 8).map(|word| (offset + word * 8, Operand::Undef)));
        Ok(())
    }
}

/// An operand plus a number of bytes.
pub(super) fn shift(base: Operand, by: i64) -> Option<Operand> {
    match base {
        _ if by == 0 => Some(base),
        Operand::Const(bits) => Some(Operand::Const(bits.wrapping_add(by as u64))),
        Operand::Global(global, offset) => Some(Operand::Global(global, offset.wrapping_add(by))),
        Operand::Undef => Some(Operand::Undef),
        Operand::Reg(_) | Operand::Func(_) => None,
    }
}
