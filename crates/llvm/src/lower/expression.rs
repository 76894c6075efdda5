//! Instructions without effect, which may also be constant expressions.

use selvedge_ir::{CmpOp, FloatCmp, FloatOp, Instr, Operand};

use super::body::Body;
use super::shape::{Scalar, part};
use crate::llvm::{IntPredicate, Opcode, Value};

impl<'m> Body<'_, 'm> {
    /// Lowers an instruction or constant expression that neither touches memory nor jumps.
    pub(super) fn expression(&mut self, value: Value<'m>, opcode: Opcode) -> Vec<Operand> {
        use Opcode::*;
        if self.goes_by_lane(value, opcode) {
            return self.by_lane(value, |body| body.expression(value, opcode));
        }
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMAnd | LLVMOr
            | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr => self.binary(value, opcode),
            LLVMICmp => self.compare(value),
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFNeg => self.float(value, opcode),
            LLVMFCmp => self.float_compare(value),
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
            | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMPtrToAddr | LLVMIntToPtr | LLVMBitCast
            | LLVMAddrSpaceCast => self.cast(value, opcode),
            LLVMGetElementPtr => self.address(value),
            LLVMSelect => self.select(value),
            LLVMExtractValue => {
                let aggregate = value.operand(0);
                let range = part(self.program.layout, aggregate.ty(), &value.indices());
                self.operands(aggregate)[range].to_vec()
            }
            LLVMInsertValue => {
                let (aggregate, inner) = (value.operand(0), value.operand(1));
                let range = part(self.program.layout, aggregate.ty(), &value.indices());
                let mut operands = self.operands(aggregate);
                let inner = self.operands(inner);
                operands.splice(range, inner);
                operands
            }
            LLVMExtractElement => self.extract_element(value),
            LLVMInsertElement => self.insert_element(value),
            LLVMShuffleVector => self.shuffle(value),
            LLVMFreeze => {
                let sources = self.operands(value.operand(0));
                sources.into_iter().map(|src| self.compute(|dst| Instr::Move { dst, src })).collect()
            }
            _ => self.unknown(value),
        }
    }

    /// An instruction that is not lowered, named as LLVM writes it.
    pub(super) fn unknown(&mut self, value: Value<'m>) -> Vec<Operand> {
        let text = value.text();
        let text = text.split(", !dbg").next().unwrap_or_default().trim().to_owned();
        self.unsupported_value(value, text)
    }

    fn compare(&mut self, value: Value<'m>) -> Vec<Operand> {
        use IntPredicate::*;
        let op = match value.int_predicate() {
            LLVMIntEQ => CmpOp::Eq,
            LLVMIntNE => CmpOp::Ne,
            LLVMIntUGT => CmpOp::Ugt,
            LLVMIntUGE => CmpOp::Uge,
            LLVMIntULT => CmpOp::Ult,
            LLVMIntULE => CmpOp::Ule,
            LLVMIntSGT => CmpOp::Sgt,
            LLVMIntSGE => CmpOp::Sge,
            LLVMIntSLT => CmpOp::Slt,
            LLVMIntSLE => CmpOp::Sle,
        };
        let Some(bits) = self.scalar(value.operand(0)).and_then(Scalar::int_bits) else {
            return self.unknown(value);
        };
        let (a, b) = (self.whole(value.operand(0)), self.whole(value.operand(1)));
        vec![self.compute(|dst| Instr::Cmp { op, bits, dst, a, b })]
    }

    fn float(&mut self, value: Value<'m>, opcode: Opcode) -> Vec<Operand> {
        let op = match opcode {
            Opcode::LLVMFAdd => FloatOp::Add,
            Opcode::LLVMFSub => FloatOp::Sub,
            Opcode::LLVMFMul => FloatOp::Mul,
            Opcode::LLVMFDiv => FloatOp::Div,
            Opcode::LLVMFRem => FloatOp::Rem,
            _ => FloatOp::Neg,
        };
        let Some(bits) = self.scalar(value).and_then(Scalar::float_bits) else { return self.unknown(value) };
        let a = self.whole(value.operand(0));
        let b = if op == FloatOp::Neg { Operand::Const(0) } else { self.whole(value.operand(1)) };
        self.compute_int(bits, |dst| Instr::Float { op, bits, dst, a, b, c: Operand::Const(0) })
    }

    fn float_compare(&mut self, value: Value<'m>) -> Vec<Operand> {
        let predicate = value.float_predicate();
        let cmp = FloatCmp {
            equal: predicate & 1 != 0,
            greater: predicate & 2 != 0,
            less: predicate & 4 != 0,
            unordered: predicate & 8 != 0,
        };
        let Some(bits) = self.scalar(value.operand(0)).and_then(Scalar::float_bits) else {
            return self.unknown(value);
        };
        let (a, b) = (self.whole(value.operand(0)), self.whole(value.operand(1)));
        vec![self.compute(|dst| Instr::FloatCmp { cmp, bits, dst, a, b })]
    }

    fn select(&mut self, value: Value<'m>) -> Vec<Operand> {
        if self.scalar(value.operand(0)) != Some(Scalar::Int(1)) {
            return self.unknown(value);
        }
        let cond = self.operand(value.operand(0));
        let (then, els) = (self.operands(value.operand(1)), self.operands(value.operand(2)));
        then.into_iter()
            .zip(els)
            .map(|(a, b)| self.compute(|dst| Instr::Select { dst, cond, a, b }))
            .collect()
    }
}
