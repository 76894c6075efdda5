//! Arrays of variable length: each of their dimensions must be positive.

use selvedge_ir::CastOp;

use super::body::Body;
use super::shape::Scalar;
use crate::llvm::{Opcode, Value};

impl<'m> Body<'_, 'm> {
    /// Checks the length of an array whose declaration is come to. Room that the program asks for by `alloca`
    /// may be of any size.
    pub(super) fn check_length(&mut self, alloca: Value<'m>, count: Value<'m>) {
        if is_variable(alloca) {
            self.check_dimensions(count);
        }
    }

    /// The product of the dimensions was computed from numbers that were made wider, all as if they had no
    /// sign.
    fn check_dimensions(&mut self, count: Value<'m>) {
        match count.opcode() {
            Some(Opcode::LLVMMul) => {
                self.check_dimensions(count.operand(0));
                self.check_dimensions(count.operand(1));
            }
            Some(Opcode::LLVMZExt | Opcode::LLVMSExt) => self.check_dimensions(count.operand(0)),
            _ if count.is_constant() => {}
            _ => {
                let Some(bits @ 1..=64) = self.scalar(count).and_then(Scalar::int_bits) else { return };
                let length = self.operand(count);
                let length = if bits < 64 { self.convert(CastOp::Sext, bits, 64, length) } else { length };
                self.call_library("__selvedge_vla_length", vec![length], 0);
            }
        }
    }
}

/// Whether debug information says that this is room for a variable.
fn is_variable(alloca: Value<'_>) -> bool {
    let Some(block) = alloca.parent() else { return false };
    let after = block.instructions().into_iter().skip_while(|i| *i != alloca);
    after.flat_map(Value::declarations).any(|(address, _)| address == alloca)
}
