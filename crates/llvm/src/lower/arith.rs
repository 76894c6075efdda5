//! Integer arithmetic and casts.

use selvedge_ir::{BinOp, CastOp, Instr, Operand};

use super::body::Body;
use super::shape::Scalar;
use crate::llvm::{Opcode, Value};

impl<'m> Body<'_, 'm> {
    /// Integer arithmetic that wraps around.
    pub(super) fn bin(&mut self, op: BinOp, bits: u8, a: Operand, b: Operand) -> Operand {
        self.compute(|dst| Instr::Bin { op, bits, dst, a, b, no_signed_wrap: false, no_unsigned_wrap: false })
    }

    pub(super) fn binary(&mut self, value: Value<'m>, opcode: Opcode) -> Vec<Operand> {
        use Opcode::*;
        let op = match opcode {
            LLVMAdd => BinOp::Add,
            LLVMSub => BinOp::Sub,
            LLVMMul => BinOp::Mul,
            LLVMUDiv => BinOp::UDiv,
            LLVMSDiv => BinOp::SDiv,
            LLVMURem => BinOp::URem,
            LLVMSRem => BinOp::SRem,
            LLVMAnd => BinOp::And,
            LLVMOr => BinOp::Or,
            LLVMXor => BinOp::Xor,
            LLVMShl => BinOp::Shl,
            LLVMLShr => BinOp::LShr,
            LLVMAShr => BinOp::AShr,
            _ => return self.unknown(value),
        };
        let Some(bits) = self.scalar(value).and_then(Scalar::int_bits) else { return self.unknown(value) };
        let (no_signed_wrap, no_unsigned_wrap) = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl => value.wrap_flags(),
            _ => (false, false),
        };
        let (a, b) = (self.whole(value.operand(0)), self.whole(value.operand(1)));
        self.compute_int(bits, |dst| Instr::Bin { op, bits, dst, a, b, no_signed_wrap, no_unsigned_wrap })
    }

    pub(super) fn convert(&mut self, op: CastOp, from: u8, to: u8, src: Operand) -> Operand {
        self.compute(|dst| Instr::Cast { op, from, to, dst, src })
    }

    pub(super) fn cast(&mut self, value: Value<'m>, opcode: Opcode) -> Vec<Operand> {
        use Opcode::*;
        let inner = value.operand(0);
        let (Some(from), Some(to)) = (self.scalar(inner), self.scalar(value)) else {
            return self.cast_aggregate(value, opcode);
        };
        let is_pointer = matches!(opcode, LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr);
        if is_pointer && self.has_short_pointers() {
            let operand = self.operand(inner);
            return match self.cast_short_pointer(from, to, operand) {
                Some(result) => vec![result],
                None => self.unknown(value),
            };
        }
        let (Some(from), Some(to)) = (from.bits(), to.bits()) else { return self.unknown(value) };
        let op = match opcode {
            // Registers hold integers zero-extended and floats by their bits: nothing to do.
            LLVMBitCast | LLVMAddrSpaceCast => return self.operands(inner),
            LLVMZExt | LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr if from <= to => {
                let mut operands = self.operands(inner);
                operands.resize(if to > 64 { 2 } else { 1 }, Operand::Const(0));
                return operands;
            }
            LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr | LLVMTrunc => CastOp::Trunc,
            LLVMSExt => CastOp::Sext,
            LLVMFPToUI => CastOp::FloatToUnsigned,
            LLVMFPToSI => CastOp::FloatToSigned,
            LLVMUIToFP => CastOp::UnsignedToFloat,
            LLVMSIToFP => CastOp::SignedToFloat,
            LLVMFPTrunc | LLVMFPExt => CastOp::FloatToFloat,
            _ => return self.unknown(value),
        };
        let src = self.whole(inner);
        self.compute_int(to, |dst| Instr::Cast { op, from, to, dst, src })
    }

    /// Vectors whose elements keep their widths keep their registers.
    fn cast_aggregate(&mut self, value: Value<'m>, opcode: Opcode) -> Vec<Operand> {
        match opcode {
            Opcode::LLVMBitCast => self.repack(value),
            _ => self.unknown(value),
        }
    }
}
