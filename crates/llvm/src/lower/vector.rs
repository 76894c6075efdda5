//! Vectors: a register for each element, and operations on one after the other.

use selvedge_ir::{BinOp, CastOp, CmpOp, FloatOp, Instr, Operand};

use super::body::Body;
use super::intrinsic::binary;
use super::shape::{Scalar, shape};
use crate::llvm::{Opcode, TypeKind, Value};

impl<'m> Body<'_, 'm> {
    pub(super) fn is_vector(&self, value: Value<'m>) -> bool {
        self.lane.is_none() && value.ty().kind() == TypeKind::Vector
    }

    /// Whether an instruction is to be lowered element by element.
    pub(super) fn goes_by_lane(&self, value: Value<'m>, opcode: Opcode) -> bool {
        use Opcode::*;
        let element_wise = match opcode {
            LLVMSelect => value.operand(0).ty().kind() == TypeKind::Vector,
            LLVMGetElementPtr | LLVMInsertElement | LLVMShuffleVector | LLVMBitCast | LLVMFreeze
            | LLVMExtractValue | LLVMInsertValue => false,
            _ => true,
        };
        self.is_vector(value) && element_wise && self.element(value).is_some()
    }

    /// The scalar that the elements of a vector are, if one register has room for it.
    fn element(&self, vector: Value<'m>) -> Option<Scalar> {
        let element = shape(self.program.layout, vector.ty().elements().0).scalar()?;
        (element.bits().is_some() && element.registers() == 1).then_some(element)
    }

    /// Lowers something once for each element of its result.
    pub(super) fn by_lane(
        &mut self,
        value: Value<'m>,
        mut lower: impl FnMut(&mut Self) -> Vec<Operand>,
    ) -> Vec<Operand> {
        let (_, count) = value.ty().elements();
        let mut all = Vec::new();
        for lane in 0..count as usize {
            self.lane = Some(lane);
            all.push(lower(self).first().copied().unwrap_or(Operand::Undef));
        }
        self.lane = None;
        all
    }

    /// The element that a constant index picks.
    fn constant_lane(&self, index: Value<'m>, count: usize) -> Option<usize> {
        index.bits().and_then(|lane| usize::try_from(lane).ok()).filter(|lane| *lane < count)
    }

    /// Whether an index is this number.
    fn is_lane(&mut self, index: Value<'m>, lane: usize) -> Operand {
        let bits = self.scalar(index).and_then(Scalar::int_bits).unwrap_or(64);
        let (a, b, op) = (self.operand(index), Operand::Const(lane as u64), CmpOp::Eq);
        self.compute(|dst| Instr::Cmp { op, bits, dst, a, b })
    }

    pub(super) fn extract_element(&mut self, value: Value<'m>) -> Vec<Operand> {
        let all = self.operands(value.operand(0));
        let index = value.operand(1);
        if let Some(lane) = self.constant_lane(index, all.len()) {
            return vec![all[lane]];
        }
        let mut picked = Operand::Undef;
        for (lane, a) in all.into_iter().enumerate() {
            let (cond, b) = (self.is_lane(index, lane), picked);
            picked = self.compute(|dst| Instr::Select { dst, cond, a, b });
        }
        vec![picked]
    }

    pub(super) fn insert_element(&mut self, value: Value<'m>) -> Vec<Operand> {
        let mut all = self.operands(value.operand(0));
        let (new, index) = (self.operand(value.operand(1)), value.operand(2));
        if let Some(lane) = self.constant_lane(index, all.len()) {
            all[lane] = new;
            return all;
        }
        for (lane, element) in all.iter_mut().enumerate() {
            let (cond, b) = (self.is_lane(index, lane), *element);
            *element = self.compute(|dst| Instr::Select { dst, cond, a: new, b });
        }
        all
    }

    pub(super) fn shuffle(&mut self, value: Value<'m>) -> Vec<Operand> {
        let mut all = self.operands(value.operand(0));
        all.extend(self.operands(value.operand(1)));
        let pick = |lane: Option<usize>| lane.and_then(|at| all.get(at).copied()).unwrap_or(Operand::Undef);
        value.mask().into_iter().map(pick).collect()
    }

    /// A `bitcast` of or to a vector: bits stay where they are, but are spread over other registers.
    pub(super) fn repack(&mut self, value: Value<'m>) -> Vec<Operand> {
        let inner = value.operand(0);
        let (Some(from), Some(to)) = (self.packing(inner), self.packing(value)) else {
            return self.unknown(value);
        };
        if from == to {
            return self.operands(inner);
        }
        // First words of 64 bits, then the parts of those.
        let mut words: Vec<Operand> = Vec::new();
        for (at, part) in self.operands(inner).into_iter().enumerate() {
            let within = (at * from.0) % 64;
            if within == 0 {
                words.push(part);
            } else if let Some(low) = words.pop() {
                let part = self.bin(BinOp::Shl, 64, part, Operand::Const(within as u64));
                words.push(self.bin(BinOp::Or, 64, low, part));
            }
        }
        let (width, count) = to;
        let mut parts = Vec::new();
        for at in (0..count).map(|lane| lane * width) {
            let word = words.get(at / 64).copied().unwrap_or(Operand::Undef);
            let shifted = match at % 64 {
                0 => word,
                within => self.bin(BinOp::LShr, 64, word, Operand::Const(within as u64)),
            };
            parts.push(match width {
                64 => shifted,
                _ => self.convert(CastOp::Trunc, 64, width as u8, shifted),
            });
        }
        parts
    }

    /// How wide the registers of a value are that are all full, and how many there are.
    fn packing(&self, value: Value<'m>) -> Option<(usize, usize)> {
        let width = |scalar: Scalar| match scalar.bits()? {
            bits @ (1 | 2 | 4 | 8 | 16 | 32 | 64) => Some(usize::from(bits)),
            _ => None,
        };
        if value.ty().kind() == TypeKind::Vector {
            let (_, count) = value.ty().elements();
            return Some((width(self.element(value)?)?, count as usize));
        }
        match self.program.shape(value).scalar()? {
            Scalar::Int(128) => Some((64, 2)),
            scalar => Some((width(scalar)?, 1)),
        }
    }

    /// `llvm.vector.reduce.NAME`: all elements to one.
    pub(super) fn reduce(&mut self, value: Value<'m>, name: &str) -> Vec<Operand> {
        let arguments = value.arguments();
        let Some(&vector) = arguments.last() else { return self.unsupported_intrinsic(value) };
        let name = name.trim_start_matches("vector.reduce.");
        let mut rest = self.operands(vector).into_iter();
        let float = match name {
            "fadd" => Some(FloatOp::Add),
            "fmul" => Some(FloatOp::Mul),
            "fmax" => Some(FloatOp::Max),
            "fmin" => Some(FloatOp::Min),
            _ => None,
        };
        let element = self.element(vector);
        if let (Some(op), Some(bits)) =
            (float, element.and_then(Scalar::float_bits).filter(|bits| *bits <= 64))
        {
            // Sums and products have a value to start with.
            let start = if arguments.len() > 1 { Some(self.operand(arguments[0])) } else { rest.next() };
            let mut all = start.unwrap_or(Operand::Undef);
            for b in rest {
                let (a, c) = (all, Operand::Const(0));
                all = self.compute(|dst| Instr::Float { op, bits, dst, a, b, c });
            }
            return vec![all];
        }
        let op = match name {
            "add" => Some(BinOp::Add),
            "mul" => Some(BinOp::Mul),
            "and" => Some(BinOp::And),
            "or" => Some(BinOp::Or),
            "xor" => Some(BinOp::Xor),
            _ => binary(name),
        };
        let (Some(op), Some(bits)) = (op, element.and_then(Scalar::int_bits)) else {
            return self.unsupported_intrinsic(value);
        };
        let mut all = rest.next().unwrap_or(Operand::Undef);
        for b in rest {
            all = self.bin(op, bits, all, b);
        }
        vec![all]
    }
}
