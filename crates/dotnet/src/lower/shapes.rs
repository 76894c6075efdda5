//! Arrays of several dimensions. Elements are where those of other arrays are, in the order of the indices;
//! how long the dimensions are, but for the first, is with the machine ([`MOST`] says how long they may be).

use super::body::Body;
use super::stack::Val;
use crate::CompileError;
use crate::layout::{HEADER, Prim};
use crate::types::{Kind, Ty};
use crate::world::Sig;
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CastOp, CmpOp, Instr, Operand, Reg};

/// The length of a dimension but for the first, and 1 + the size of an element.
const MOST: u64 = 1 << 16;
/// Dimensions.
const DEEPEST: u32 = 4;

impl Body<'_> {
    fn wide(&mut self, val: &Val) -> Reg {
        let dst = self.b.reg();
        match val.kind() {
            Prim::I4 => {
                let src = val.one();
                self.b.push(Instr::Cast { op: CastOp::Sext, from: 32, to: 64, dst, src });
            }
            _ => self.b.set_to(dst, val.one()),
        }
        dst
    }

    /// The size of an element, if the machine can remember it.
    pub fn element_size(&mut self, element: Ty) -> Result<u64, CompileError> {
        let (size, _) = self.lower.layouts.size(&mut self.lower.world, element)?;
        match (size as u64) < MOST {
            true => Ok(size as u64),
            false => self.refuse("elements of an array that are this large are not supported"),
        }
    }

    fn shape_of(&self, ty: Ty) -> Result<(Ty, u32), CompileError> {
        match self.lower.world.types.kind(ty) {
            Kind::Array(element, rank) if *rank <= DEEPEST && *rank > 0 => Ok((*element, *rank)),
            _ => {
                self.refuse(&format!("{}: arrays of this shape are not supported", self.lower.world.name(ty)))
            }
        }
    }

    /// `new T[n, m]`.
    pub(super) fn new_shaped(&mut self, ty: Ty, sig: &Sig) -> Result<(), CompileError> {
        let (element, rank) = self.shape_of(ty)?;
        if sig.params.len() != rank as usize {
            return self.refuse("arrays with lower bounds are not supported");
        }
        let size = self.element_size(element)?;
        let lengths = self.pop_many(rank as usize)?;
        let (is, total, shape) = (self.b.reg(), self.b.reg(), self.b.reg());
        self.b.set_to(total, Operand::Const(1));
        self.b.set_to(shape, Operand::Const(size));
        for (n, length) in lengths.iter().enumerate() {
            let length = self.wide(length);
            self.b.cmp(CmpOp::Slt, 64, is, Operand::Reg(length), Operand::Const(0));
            self.throw_if(Operand::Reg(is), "System.OverflowException");
            self.b.bin(BinOp::Mul, 64, total, Operand::Reg(total), Operand::Reg(length));
            if n == 0 {
                continue;
            }
            // 0 would be no dimension.
            let (fine, wrong) = (self.b.label(), self.b.label());
            self.b.bin(BinOp::Sub, 64, is, Operand::Reg(length), Operand::Const(1));
            self.b.cmp(CmpOp::Uge, 64, is, Operand::Reg(is), Operand::Const(MOST - 1));
            self.b.branch(Operand::Reg(is), wrong, fine);
            self.b.set(wrong);
            self.b.unsupported("an array with a dimension of no length, or of more than 65535");
            self.b.set(fine);
            let by = Operand::Const(16 * n as u64);
            self.b.bin(BinOp::Shl, 64, length, Operand::Reg(length), by);
            self.b.bin(BinOp::Or, 64, shape, Operand::Reg(shape), Operand::Reg(length));
        }
        self.b.bin(BinOp::Mul, 64, total, Operand::Reg(total), Operand::Const(size));
        self.b.bin(BinOp::Add, 64, total, Operand::Reg(total), Operand::Const(HEADER as u64));
        let tag = self.lower.tag(ty)?;
        let new = self.lower.native("__selvedge_new_array", 3, 1);
        let dst = self.next();
        let args = vec![Operand::Reg(total), Operand::Const(tag as u64), Operand::Reg(shape)];
        self.b.call(Some(dst), new, args, 1);
        self.push(Val::object(Operand::Reg(dst)));
        Ok(())
    }

    /// `Get`, `Set` and `Address`.
    pub(super) fn shaped(&mut self, ty: Ty, name: &str, sig: &Sig) -> Result<(), CompileError> {
        let (element, rank) = self.shape_of(ty)?;
        let mut vals = self.pop_many(sig.params.len() + 1)?;
        let value = if name == "Set" { vals.pop() } else { None };
        if vals.len() != rank as usize + 1 {
            return self.refuse("an element of an array that has other dimensions");
        }
        self.null_check(&vals[0])?;
        let array = vals[0].one();
        let kept = self.b.reg();
        self.b.set_to(kept, array);
        let dims = self.library("__selvedge_dimensions", vec![Operand::Reg(kept)], 1);
        let length = self.library("__selvedge_length", vec![Operand::Reg(kept)], 1);
        let (is, at, dim) = (self.b.reg(), self.b.reg(), self.b.reg());
        for (n, index) in vals[1..].iter().enumerate() {
            let index = self.wide(index);
            if n == 0 {
                self.b.cmp(CmpOp::Uge, 64, is, Operand::Reg(index), length);
                self.throw_if(Operand::Reg(is), "System.IndexOutOfRangeException");
                self.b.set_to(at, Operand::Reg(index));
                continue;
            }
            let by = Operand::Const(16 * (n as u64 - 1));
            self.b.bin(BinOp::LShr, 64, dim, dims, by);
            self.b.bin(BinOp::And, 64, dim, Operand::Reg(dim), Operand::Const(MOST - 1));
            self.b.cmp(CmpOp::Uge, 64, is, Operand::Reg(index), Operand::Reg(dim));
            self.throw_if(Operand::Reg(is), "System.IndexOutOfRangeException");
            self.b.bin(BinOp::Mul, 64, at, Operand::Reg(at), Operand::Reg(dim));
            self.b.bin(BinOp::Add, 64, at, Operand::Reg(at), Operand::Reg(index));
        }
        self.b.cmp(CmpOp::Uge, 64, is, Operand::Reg(at), length);
        self.throw_if(Operand::Reg(is), "System.IndexOutOfRangeException");
        let scale = self.element_size(element)? as i64;
        let addr = self.b.reg();
        let (base, index) = (Operand::Reg(kept), Operand::Reg(at));
        self.b.push(Instr::Offset { dst: addr, base, index, scale, within: false });
        self.b.offset(addr, Operand::Reg(addr), HEADER as i64);
        match (name, value) {
            ("Get", _) => self.load_value(element, Operand::Reg(addr), Mode::Na, 0),
            ("Set", Some(value)) => {
                let value = self.fitted(value, element, 2)?;
                self.store_value(element, Operand::Reg(addr), &value, Mode::Na, 0)
            }
            ("Address", _) => {
                self.push_copy(Val::object(Operand::Reg(addr)));
                Ok(())
            }
            _ => self.refuse(&format!("{}.{name} is not supported", self.lower.world.name(ty))),
        }
    }
}
