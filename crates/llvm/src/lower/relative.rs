//! Tables of addresses relative to themselves.
//!
//! Optimised code keeps tables of texts as differences of 32 bits between each text's address and the
//! table's, and reads them by `llvm.load.relative`. Here such a difference is no number that would fit:
//! addresses of different objects are far from each other. So there is a second table, of whole addresses,
//! which is read instead.

use selvedge_graph::Mode;
use selvedge_ir::{self as ir, BinOp, CastOp, CmpOp, GlobalId, Instr, Operand};

use super::Program;
use super::body::Body;
use super::constant::shift;
use super::shape::Scalar;
use crate::llvm::{Opcode, TypeKind, Value, ValueKind};

/// Whether a global is such a table, and is read as one and in no other way.
pub(super) fn is_table(global: Value<'_>) -> bool {
    let is_difference = |entry: Value<'_>| {
        entry.kind() == ValueKind::LLVMConstantExprValueKind && entry.opcode() == Some(Opcode::LLVMTrunc)
    };
    let Some(entries) = global.initialiser().filter(|_| global.is_constant_global()) else { return false };
    let of_32_bits =
        entries.ty().kind() == TypeKind::Array && entries.ty().elements().0.kind() == TypeKind::Int(32);
    of_32_bits
        && entries.element(0).is_some_and(is_difference)
        && global.users().into_iter().all(|user| is_read_relative(user, global))
}

/// A load from it, or a part of its own contents.
fn is_read_relative(user: Value<'_>, global: Value<'_>) -> bool {
    match user.opcode() {
        Some(Opcode::LLVMCall) => {
            user.callee().name().starts_with("llvm.load.relative") && user.arguments()[1] != global
        }
        Some(Opcode::LLVMPtrToInt) => true,
        _ => false,
    }
}

impl<'m> Program<'m> {
    /// The table of whole addresses.
    fn absolute(&mut self, table: Value<'m>) -> Option<GlobalId> {
        let relative = *self.globals.get(&table)?;
        if let Some(known) = self.absolute.get(&relative) {
            return Some(*known);
        }
        let entries = table.initialiser()?;
        let mut addresses = Vec::new();
        for index in 0..entries.ty().elements().1 {
            let difference = entries.element(index as u32)?.operand(0);
            if difference.opcode() != Some(Opcode::LLVMSub) {
                return None;
            }
            let (to, from) = (self.fold(difference.operand(0))?, self.fold(difference.operand(1))?);
            // It is added to the address of the table.
            let Operand::Global(base, offset) = from else { return None };
            let address = shift(to, offset.wrapping_neg()).filter(|_| base == relative)?;
            addresses.push((index * 8, address));
        }
        let size = 8 * addresses.len() as u64;
        let id = GlobalId(self.out.globals.len() as u32);
        self.out.globals.push(ir::Global {
            name: format!("{} (addresses)", table.name()),
            size,
            align: 8,
            bytes: vec![0; size as usize],
            addresses,
            undefined: Vec::new(),
            thread_local: false,
            constant: true,
            ty: None,
            place: ir::Place::default(),
        });
        self.absolute.insert(relative, id);
        Some(id)
    }
}

impl<'m> Body<'_, 'm> {
    /// `llvm.load.relative(table, offset)`.
    pub(super) fn load_relative(&mut self, value: Value<'m>) -> Vec<Operand> {
        let arguments = value.arguments();
        let table = arguments[0];
        let is_known = table.kind() == ValueKind::LLVMGlobalVariableValueKind && is_table(table);
        let Some(table) = is_known.then(|| self.program.absolute(table)).flatten() else {
            return self.unsupported_intrinsic(value);
        };
        let mut index = self.operand(arguments[1]);
        if let Some(bits @ ..64) = self.scalar(arguments[1]).and_then(Scalar::int_bits) {
            index = self.convert(CastOp::Sext, bits, 64, index);
        }
        let base = Operand::Global(table, 0);
        let addr = self.compute(|dst| Instr::Offset { dst, base, index, scale: 2, within: true });
        vec![self.compute(|dst| Instr::Load { dst, addr, bytes: 8, mode: Mode::Na, volatile: false })]
    }

    /// `llvm.ucmp` and `llvm.scmp`: -1, 0 or 1.
    pub(super) fn three_way(&mut self, value: Value<'m>, signed: bool) -> Vec<Operand> {
        let arguments = value.arguments();
        let bits = self.scalar(arguments[0]).and_then(Scalar::int_bits);
        let result = self.scalar(value).and_then(Scalar::int_bits);
        let (Some(bits), Some(result @ ..=64)) = (bits, result) else {
            return self.unsupported_intrinsic(value);
        };
        let (a, b) = (self.whole(arguments[0]), self.whole(arguments[1]));
        let (more, less) = if signed { (CmpOp::Sgt, CmpOp::Slt) } else { (CmpOp::Ugt, CmpOp::Ult) };
        let more = self.compute(|dst| Instr::Cmp { op: more, bits, dst, a, b });
        let less = self.compute(|dst| Instr::Cmp { op: less, bits, dst, a, b });
        vec![self.bin(BinOp::Sub, result, more, less)]
    }
}
