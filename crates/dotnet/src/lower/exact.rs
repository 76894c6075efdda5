//! Functions of floats that are exact, and what is asked before parts of arrays are copied or cleared.

use super::body::Body;
use super::stack::Val;
use crate::CompileError;
use crate::layout::Prim;
use selvedge_ir::{BinOp, CmpOp, FloatCmp, FloatOp, Instr, Operand, Reg};

impl Body<'_> {
    /// Functions of floats that are exact.
    pub(super) fn mathematics(&mut self, member: &str, vals: &[Val]) -> Result<bool, CompileError> {
        // What runtimes leave to the library of C.
        const OF_C: [(&str, &str, usize); 14] = [
            ("Pow", "pow", 2),
            ("Atan2", "atan2", 2),
            ("Sin", "sin", 1),
            ("Cos", "cos", 1),
            ("Tan", "tan", 1),
            ("Asin", "asin", 1),
            ("Acos", "acos", 1),
            ("Atan", "atan", 1),
            ("Sinh", "sinh", 1),
            ("Cosh", "cosh", 1),
            ("Tanh", "tanh", 1),
            ("Exp", "exp", 1),
            ("Log10", "log10", 1),
            ("Log", "log", 1),
        ];
        if vals.is_empty() || !matches!(vals[0].kind(), Prim::R4 | Prim::R8) {
            return Ok(false);
        }
        if let Some((_, name, count)) = OF_C.iter().find(|(known, ..)| *known == member)
            && vals.len() == *count
            && vals.iter().all(|val| val.kind() == Prim::R8)
        {
            let out = self.library(name, vals.iter().map(Val::one).collect(), 1);
            self.push_copy(Val::prim(Prim::R8, out));
            return Ok(true);
        }
        if vals.len() != 1 {
            return Ok(false);
        }
        let op = match member {
            "Abs" => FloatOp::Abs,
            "Floor" => FloatOp::Floor,
            "Ceiling" => FloatOp::Ceil,
            "Truncate" => FloatOp::Trunc,
            "Sqrt" => FloatOp::Sqrt,
            "Round" if vals.len() == 1 && vals[0].kind() == Prim::R8 => return Ok(self.round(&vals[0])),
            _ => return Ok(false),
        };
        let kind = vals[0].kind();
        let out = self.float(op, kind.bits(), vals[0].one(), Operand::Const(0));
        self.give(kind, out);
        Ok(true)
    }

    fn float(&mut self, op: FloatOp, bits: u8, a: Operand, b: Operand) -> Reg {
        let dst = self.b.reg();
        self.b.push(Instr::Float { op, bits, dst, a, b, c: Operand::Const(0) });
        dst
    }

    /// To the nearest whole number, and to an even one from the middle: adding 2⁵² leaves no room for more.
    fn round(&mut self, val: &Val) -> bool {
        let x = val.one();
        let large = Operand::Const(4_503_599_627_370_496_f64.to_bits());
        let size = Operand::Reg(self.float(FloatOp::Abs, 64, x, Operand::Const(0)));
        let sum = Operand::Reg(self.float(FloatOp::Add, 64, size, large));
        let rounded = Operand::Reg(self.float(FloatOp::Sub, 64, sum, large));
        let signed = Operand::Reg(self.float(FloatOp::CopySign, 64, rounded, x));
        let (small, out) = (self.b.reg(), self.b.reg());
        let cmp = FloatCmp { less: true, equal: false, greater: false, unordered: false };
        self.b.push(Instr::FloatCmp { cmp, bits: 64, dst: small, a: size, b: large });
        self.b.push(Instr::Select { dst: out, cond: Operand::Reg(small), a: signed, b: x });
        self.give(Prim::R8, out);
        true
    }

    /// What `Array.Copy` asks of its arguments, and what it throws.
    pub(super) fn check_copy(
        &mut self,
        from: Operand,
        at: Operand,
        to: Operand,
        by: Operand,
        count: Operand,
    ) -> Result<(), CompileError> {
        for array in [from, to] {
            self.throw_at_null(array, "System.ArgumentNullException");
        }
        for number in [count, at, by] {
            self.throw_if_negative(number, "System.ArgumentOutOfRangeException");
        }
        for (array, first) in [(from, at), (to, by)] {
            self.throw_past_end(array, first, count, "System.ArgumentException")?;
        }
        Ok(())
    }

    /// The same of `Array.Clear`.
    pub(super) fn check_clear(
        &mut self,
        array: Operand,
        first: Operand,
        count: Operand,
    ) -> Result<(), CompileError> {
        self.throw_at_null(array, "System.ArgumentNullException");
        for number in [first, count] {
            self.throw_if_negative(number, "System.IndexOutOfRangeException");
        }
        self.throw_past_end(array, first, count, "System.IndexOutOfRangeException")
    }

    fn throw_at_null(&mut self, object: Operand, what: &'static str) {
        let is = self.b.reg();
        self.b.cmp(CmpOp::Eq, 64, is, object, Operand::Const(0));
        self.throw_if(Operand::Reg(is), what);
    }

    fn throw_if_negative(&mut self, number: Operand, what: &'static str) {
        let is = self.b.reg();
        self.b.cmp(CmpOp::Slt, 32, is, number, Operand::Const(0));
        self.throw_if(Operand::Reg(is), what);
    }

    /// Neither number is negative.
    fn throw_past_end(
        &mut self,
        array: Operand,
        first: Operand,
        count: Operand,
        what: &'static str,
    ) -> Result<(), CompileError> {
        let length = self.length(array)?;
        let (end, is) = (self.b.reg(), self.b.reg());
        self.b.bin(BinOp::Add, 64, end, first, count);
        self.b.cmp(CmpOp::Ugt, 64, is, Operand::Reg(end), length);
        self.throw_if(Operand::Reg(is), what);
        Ok(())
    }
}
