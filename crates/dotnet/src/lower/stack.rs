//! The evaluation stack, in registers.
//!
//! What is at depth `d` is a constant, a variable that was not written since, or in the registers that
//! belong to that depth; where ways meet it is always the last.

use super::body::Body;
use crate::CompileError;
use crate::layout::Prim;
use crate::types::Ty;
use selvedge_graph::Mode;
use selvedge_ir::{CastOp, Instr, Operand, Reg};

/// What a value on the stack is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `I4`, `I8`, `R4`, `R8` or `Ptr`.
    Prim(Prim),
    Value(Ty),
}

/// A value on the stack.
#[derive(Clone, Debug)]
pub struct Val {
    pub shape: Shape,
    /// One per part.
    pub parts: Vec<Operand>,
    /// It is no null reference.
    pub some: bool,
    /// What it is the address of, for reports: a field's note.
    pub note: u32,
}

impl Val {
    pub fn prim(prim: Prim, operand: Operand) -> Val {
        Val { shape: Shape::Prim(prim), parts: vec![operand], some: false, note: 0 }
    }

    pub fn object(operand: Operand) -> Val {
        Val { some: true, ..Val::prim(Prim::Ptr, operand) }
    }

    pub fn int(number: i32) -> Val {
        Val::prim(Prim::I4, Operand::Const(number as u32 as u64))
    }

    /// Of one part, or the first one.
    pub fn one(&self) -> Operand {
        self.parts.first().copied().unwrap_or(Operand::Const(0))
    }

    /// What it is without parts; a structure of one is what that is.
    pub fn kind(&self) -> Prim {
        match self.shape {
            Shape::Prim(prim) => prim,
            Shape::Value(_) => Prim::Ptr,
        }
    }
}

impl Body<'_> {
    /// The registers of a depth, at least so many.
    pub fn home(&mut self, depth: usize, parts: usize) -> Vec<Reg> {
        while self.homes.len() <= depth {
            self.homes.push(Vec::new());
        }
        while self.homes[depth].len() < parts {
            let reg = self.b.reg();
            self.homes[depth].push(reg);
        }
        self.homes[depth][..parts].to_vec()
    }

    /// Where the result of an operation that is pushed next goes.
    pub fn next(&mut self) -> Reg {
        let depth = self.stack.len();
        self.home(depth, 1)[0]
    }

    pub fn push(&mut self, val: Val) {
        self.stack.push(val);
    }

    /// Pushes what is in other registers.
    pub fn push_copy(&mut self, val: Val) {
        let depth = self.stack.len();
        let homes = self.home(depth, val.parts.len());
        let mut parts = Vec::new();
        for (part, home) in val.parts.iter().zip(homes) {
            match part {
                Operand::Reg(_) => {
                    self.b.set_to(home, *part);
                    parts.push(Operand::Reg(home));
                }
                other => parts.push(*other),
            }
        }
        self.stack.push(Val { parts, ..val });
    }

    pub fn push_prim(&mut self, prim: Prim, operand: Operand) {
        self.push(Val::prim(prim, operand));
    }

    pub fn pop(&mut self) -> Result<Val, CompileError> {
        match self.stack.pop() {
            Some(val) => Ok(val),
            None => self.refuse("the evaluation stack is empty"),
        }
    }

    pub fn pop_many(&mut self, count: usize) -> Result<Vec<Val>, CompileError> {
        if self.stack.len() < count {
            return self.refuse("the evaluation stack has too few values");
        }
        Ok(self.stack.split_off(self.stack.len() - count))
    }

    /// Puts everything on the stack where it is expected where ways meet.
    pub fn settle(&mut self) {
        for depth in 0..self.stack.len() {
            self.settle_at(depth);
        }
    }

    pub fn settle_at(&mut self, depth: usize) {
        let count = self.stack[depth].parts.len();
        let homes = self.home(depth, count);
        for (at, home) in homes.into_iter().enumerate() {
            let part = self.stack[depth].parts[at];
            self.b.set_to(home, part);
            self.stack[depth].parts[at] = Operand::Reg(home);
        }
    }

    /// These registers are about to be written: what is on the stack is what they were.
    pub fn keep_from(&mut self, regs: std::ops::Range<Reg>) {
        for depth in 0..self.stack.len() {
            let uses = |part: &Operand| matches!(part, Operand::Reg(r) if regs.contains(r));
            if self.stack[depth].parts.iter().any(uses) {
                self.settle_at(depth);
            }
        }
    }

    /// The shape of values of a type on the stack.
    pub fn shape(&mut self, ty: Ty) -> Result<Shape, CompileError> {
        let prim = self.lower.layouts.prim(&mut self.lower.world, ty)?;
        Ok(prim.map_or(Shape::Value(ty), |prim| Shape::Prim(prim.stack())))
    }

    pub fn leaves(&mut self, ty: Ty) -> Result<Vec<(u32, Prim)>, CompileError> {
        self.lower.layouts.leaves(&mut self.lower.world, ty)
    }

    /// Loads a value of a type from an address and pushes it.
    pub fn load_value(&mut self, ty: Ty, addr: Operand, mode: Mode, note: u32) -> Result<(), CompileError> {
        let leaves = self.leaves(ty)?;
        let shape = self.shape(ty)?;
        let depth = self.stack.len();
        let homes = self.home(depth, leaves.len());
        // The address may be in the registers that the value goes to.
        let base = match (addr, leaves.len()) {
            (Operand::Reg(_), 2..) => {
                let base = self.scratch(0);
                self.b.set_to(base, addr);
                Operand::Reg(base)
            }
            _ => addr,
        };
        let before = self.b.place;
        self.b.place.note = note;
        for ((offset, prim), home) in leaves.iter().zip(&homes) {
            let at = self.at(base, *offset, 1);
            self.b.load(*home, at, prim.bytes(), mode);
            self.b.place.note = 0;
            self.extend(*prim, *home);
        }
        self.b.place = before;
        let parts = homes.into_iter().map(Operand::Reg).collect();
        self.push(Val { shape, parts, some: false, note: 0 });
        Ok(())
    }

    /// Small numbers are kept as 32 bits.
    pub fn extend(&mut self, prim: Prim, reg: Reg) {
        let from = match prim {
            Prim::I1 => 8,
            Prim::I2 => 16,
            _ => return,
        };
        self.b.push(Instr::Cast { op: CastOp::Sext, from, to: 32, dst: reg, src: Operand::Reg(reg) });
    }

    /// An address and an offset from it; `n` says which of the scratch registers may be used.
    pub fn at(&mut self, base: Operand, offset: u32, n: usize) -> Operand {
        match (base, offset) {
            (base, 0) => base,
            (Operand::Global(g, by), offset) => Operand::Global(g, by + offset as i64),
            (base, offset) => {
                let reg = self.scratch(n);
                self.b.offset(reg, base, offset as i64);
                Operand::Reg(reg)
            }
        }
    }

    /// Stores a value of a type.
    pub fn store_value(
        &mut self,
        ty: Ty,
        addr: Operand,
        val: &Val,
        mode: Mode,
        note: u32,
    ) -> Result<(), CompileError> {
        let leaves = self.leaves(ty)?;
        if leaves.len() != val.parts.len() {
            return self.refuse("a value is stored as what it is not");
        }
        let references = self.lower.layouts.references(&mut self.lower.world, ty)?;
        let before = self.b.place;
        for ((offset, prim), part) in leaves.iter().zip(&val.parts) {
            let part = self.as_stored(*prim, val.shape, *part);
            let at = self.at(addr, *offset, 1);
            self.b.place.note = note;
            match references.contains(offset) {
                true => self.b.store_reference(at, part, mode),
                false => self.b.store(at, part, prim.bytes(), mode),
            }
            self.b.place = before;
        }
        Ok(())
    }

    /// Floats are stored in the width of their place.
    fn as_stored(&mut self, prim: Prim, shape: Shape, part: Operand) -> Operand {
        match (prim, shape) {
            (Prim::R4, Shape::Prim(Prim::R8)) => self.float_to_float(64, 32, part),
            (Prim::R8, Shape::Prim(Prim::R4)) => self.float_to_float(32, 64, part),
            _ => part,
        }
    }

    fn float_to_float(&mut self, from: u8, to: u8, src: Operand) -> Operand {
        let dst = self.scratch(2);
        self.b.push(Instr::Cast { op: CastOp::FloatToFloat, from, to, dst, src });
        Operand::Reg(dst)
    }

    /// A value as one of a type is: numbers of other widths on the stack are made to fit.
    pub fn fitted(&mut self, val: Val, ty: Ty, n: usize) -> Result<Val, CompileError> {
        let Shape::Prim(prim) = self.shape(ty)? else { return Ok(val) };
        let Shape::Prim(own) = val.shape else {
            return Ok(val);
        };
        let (op, from, to) = match (own, prim) {
            // An `int32` where a native one is expected.
            (Prim::I4, Prim::Ptr | Prim::I8) => (CastOp::Sext, 32, 64),
            (Prim::Ptr | Prim::I8, Prim::I4) => (CastOp::Trunc, 64, 32),
            (Prim::R4, Prim::R8) => (CastOp::FloatToFloat, 32, 64),
            (Prim::R8, Prim::R4) => (CastOp::FloatToFloat, 64, 32),
            _ => return Ok(Val { shape: Shape::Prim(prim), ..val }),
        };
        let dst = self.scratch(n);
        self.b.push(Instr::Cast { op, from, to, dst, src: val.one() });
        Ok(Val::prim(prim, Operand::Reg(dst)))
    }

    /// A register for what is used at once.
    pub fn scratch(&mut self, n: usize) -> Reg {
        while self.scratches.len() <= n {
            let reg = self.b.reg();
            self.scratches.push(reg);
        }
        self.scratches[n]
    }
}
