//! Arithmetic, comparisons and conversions (ECMA-335 III.1.5).

use super::body::Body;
use super::stack::Val;
use crate::CompileError;
use crate::layout::Prim;
use selvedge_cil::Op;
use selvedge_ir::{BinOp, CastOp, CmpOp, FloatCmp, FloatOp, Instr, Operand, Overflow};

impl Body<'_> {
    /// Two operands in the same width.
    fn pair(&mut self) -> Result<(Prim, Operand, Operand), CompileError> {
        let (b, a) = (self.pop()?, self.pop()?);
        let (ka, kb) = (a.kind(), b.kind());
        let kind = match (ka, kb) {
            _ if ka == kb => ka,
            (Prim::R4, Prim::R8) | (Prim::R8, Prim::R4) => Prim::R8,
            (Prim::I4, Prim::Ptr) | (Prim::Ptr, Prim::I4) => Prim::Ptr,
            (Prim::I8, Prim::Ptr) | (Prim::Ptr, Prim::I8) => Prim::Ptr,
            _ => return self.refuse("an operation on numbers of different kinds"),
        };
        let a = self.widened(a, kind, 6);
        let b = self.widened(b, kind, 7);
        Ok((kind, a, b))
    }

    fn widened(&mut self, val: Val, to: Prim, n: usize) -> Operand {
        let (op, from, bits) = match (val.kind(), to) {
            (Prim::I4, Prim::Ptr) => (CastOp::Sext, 32, 64),
            (Prim::R4, Prim::R8) => (CastOp::FloatToFloat, 32, 64),
            _ => return val.one(),
        };
        let dst = self.scratch(n);
        self.b.push(Instr::Cast { op, from, to: bits, dst, src: val.one() });
        Operand::Reg(dst)
    }

    /// Whether the instruction was one of these.
    pub fn arithmetic(&mut self, op: Op) -> Result<bool, CompileError> {
        use Op::*;
        match op {
            Add | Sub | Mul | Div | Rem | And | Or | Xor | DivUn | RemUn => self.binary(op)?,
            Shl | Shr | ShrUn => {
                let (by, val) = (self.pop()?, self.pop()?);
                let kind = val.kind();
                let dst = self.next();
                // By as many bits as there are, or more, it is not specified: as processors do it.
                let amount = self.scratch(6);
                self.b.bin(BinOp::And, 64, amount, by.one(), Operand::Const(kind.bits() as u64 - 1));
                let op = match op {
                    Shl => BinOp::Shl,
                    Shr => BinOp::AShr,
                    _ => BinOp::LShr,
                };
                self.b.bin(op, kind.bits(), dst, val.one(), Operand::Reg(amount));
                self.push_prim(kind, Operand::Reg(dst));
            }
            Neg | Not => {
                let val = self.pop()?;
                let (kind, dst) = (val.kind(), self.next());
                match (op, kind) {
                    (Neg, Prim::R4 | Prim::R8) => {
                        let zero = Operand::Const(0);
                        self.b.push(Instr::Float {
                            op: FloatOp::Neg,
                            bits: kind.bits(),
                            dst,
                            a: val.one(),
                            b: zero,
                            c: zero,
                        });
                    }
                    (Neg, _) => self.b.bin(BinOp::Sub, kind.bits(), dst, Operand::Const(0), val.one()),
                    _ => {
                        let ones = Operand::Const(if kind.bits() == 32 { u32::MAX as u64 } else { u64::MAX });
                        self.b.bin(BinOp::Xor, kind.bits(), dst, val.one(), ones);
                    }
                }
                self.push_prim(kind, Operand::Reg(dst));
            }
            AddOvf | AddOvfUn | SubOvf | SubOvfUn | MulOvf | MulOvfUn => {
                let (kind, a, b) = self.pair()?;
                let op = match op {
                    AddOvf => Overflow::SAdd,
                    AddOvfUn => Overflow::UAdd,
                    SubOvf => Overflow::SSub,
                    SubOvfUn => Overflow::USub,
                    MulOvf => Overflow::SMul,
                    _ => Overflow::UMul,
                };
                let both = self.b.block(2);
                self.b.push(Instr::Overflowing { op, bits: kind.bits(), dst: both, a, b });
                self.throw_if(Operand::Reg(both + 1), "System.OverflowException");
                self.push_copy(Val::prim(kind, Operand::Reg(both)));
            }
            Ceq | Cgt | CgtUn | Clt | CltUn => {
                let result = self.compare(op)?;
                let dst = self.next();
                self.b.set_to(dst, result);
                self.push_prim(Prim::I4, Operand::Reg(dst));
            }
            Ckfinite => return self.refuse("`ckfinite` is not supported"),
            _ => return self.conversion(op),
        }
        Ok(true)
    }

    fn binary(&mut self, op: Op) -> Result<(), CompileError> {
        use Op::*;
        let (kind, a, b) = self.pair()?;
        let dst = self.next();
        let bits = kind.bits();
        if matches!(kind, Prim::R4 | Prim::R8) {
            let op = match op {
                Add => FloatOp::Add,
                Sub => FloatOp::Sub,
                Mul => FloatOp::Mul,
                Div => FloatOp::Div,
                Rem => FloatOp::Rem,
                _ => return self.refuse("an operation on bits of a float"),
            };
            self.b.push(Instr::Float { op, bits, dst, a, b, c: Operand::Const(0) });
            self.push_prim(kind, Operand::Reg(dst));
            return Ok(());
        }
        if matches!(op, Div | Rem | DivUn | RemUn) {
            let is = self.scratch(5);
            if !matches!(b, Operand::Const(n) if n != 0) {
                self.b.cmp(CmpOp::Eq, bits, is, b, Operand::Const(0));
                self.throw_if(Operand::Reg(is), "System.DivideByZeroException");
            }
            let ones = if bits == 32 { u32::MAX as u64 } else { u64::MAX };
            let may_overflow = match b {
                Operand::Const(n) => n == ones,
                _ => true,
            };
            if matches!(op, Div | Rem) && may_overflow {
                // The least number by -1.
                let other = self.scratch(8);
                self.b.cmp(CmpOp::Eq, bits, is, b, Operand::Const(ones));
                self.b.cmp(CmpOp::Eq, bits, other, a, Operand::Const(1 << (bits - 1)));
                self.b.bin(BinOp::And, 32, is, Operand::Reg(is), Operand::Reg(other));
                self.throw_if(Operand::Reg(is), "System.OverflowException");
            }
        }
        let op = match op {
            Add => BinOp::Add,
            Sub => BinOp::Sub,
            Mul => BinOp::Mul,
            Div => BinOp::SDiv,
            DivUn => BinOp::UDiv,
            Rem => BinOp::SRem,
            RemUn => BinOp::URem,
            And => BinOp::And,
            Or => BinOp::Or,
            _ => BinOp::Xor,
        };
        self.b.bin(op, bits, dst, a, b);
        self.push_prim(kind, Operand::Reg(dst));
        Ok(())
    }

    /// A comparison of the two topmost values: 0 or 1, in a scratch register.
    fn compare(&mut self, op: Op) -> Result<Operand, CompileError> {
        use Op::*;
        let (kind, a, b) = self.pair()?;
        let dst = self.scratch(5);
        if matches!(kind, Prim::R4 | Prim::R8) {
            let none = FloatCmp { less: false, equal: false, greater: false, unordered: false };
            let cmp = match op {
                Ceq | Beq => FloatCmp { equal: true, ..none },
                BneUn => FloatCmp { less: true, greater: true, unordered: true, ..none },
                Cgt | Bgt => FloatCmp { greater: true, ..none },
                CgtUn | BgtUn => FloatCmp { greater: true, unordered: true, ..none },
                Clt | Blt => FloatCmp { less: true, ..none },
                CltUn | BltUn => FloatCmp { less: true, unordered: true, ..none },
                Bge => FloatCmp { greater: true, equal: true, ..none },
                BgeUn => FloatCmp { greater: true, equal: true, unordered: true, ..none },
                Ble => FloatCmp { less: true, equal: true, ..none },
                _ => FloatCmp { less: true, equal: true, unordered: true, ..none },
            };
            self.b.push(Instr::FloatCmp { cmp, bits: kind.bits(), dst, a, b });
            return Ok(Operand::Reg(dst));
        }
        if kind == Prim::Ptr && matches!(op, Ceq | Beq | BneUn) {
            self.same_string(a, b);
        }
        let cmp = match op {
            Ceq | Beq => CmpOp::Eq,
            BneUn => CmpOp::Ne,
            Cgt | Bgt => CmpOp::Sgt,
            CgtUn | BgtUn => CmpOp::Ugt,
            Clt | Blt => CmpOp::Slt,
            CltUn | BltUn => CmpOp::Ult,
            Bge => CmpOp::Sge,
            BgeUn => CmpOp::Uge,
            Ble => CmpOp::Sle,
            _ => CmpOp::Ule,
        };
        // A reference is greater than null iff it is another one.
        let cmp = if op == CgtUn && b == Operand::Const(0) { CmpOp::Ne } else { cmp };
        self.b.cmp(cmp, kind.bits(), dst, a, b);
        Ok(Operand::Reg(dst))
    }

    /// A branch that depends on something.
    pub fn conditional(&mut self, op: Op, to: u32) -> Result<(), CompileError> {
        let cond = match op {
            Op::Brtrue | Op::Brfalse => self.pop()?.one(),
            _ => self.compare(op)?,
        };
        // What decides may be in a register that settling writes.
        let cond = match cond {
            Operand::Reg(r) if !self.stack.is_empty() => {
                let kept = self.scratch(5);
                self.b.set_to(kept, Operand::Reg(r));
                Operand::Reg(kept)
            }
            other => other,
        };
        let label = self.meet(to)?;
        let next = self.b.label();
        match op {
            Op::Brfalse => self.b.branch(cond, next, label),
            _ => self.b.branch(cond, label, next),
        }
        self.b.set(next);
        Ok(())
    }

    fn conversion(&mut self, op: Op) -> Result<bool, CompileError> {
        use Op::*;
        // The width, whether the result is signed, whether the operand is taken as unsigned, and whether it
        // is
        // checked.
        let (bits, signed, from_unsigned, checked, ptr) = match op {
            ConvI1 => (8, true, false, false, false),
            ConvU1 => (8, false, false, false, false),
            ConvI2 => (16, true, false, false, false),
            ConvU2 => (16, false, false, false, false),
            ConvI4 => (32, true, false, false, false),
            ConvU4 => (32, false, false, false, false),
            ConvI8 => (64, true, false, false, false),
            ConvU8 => (64, false, true, false, false),
            ConvI => (64, true, false, false, true),
            ConvU => (64, false, true, false, true),
            ConvOvfI1 => (8, true, false, true, false),
            ConvOvfU1 => (8, false, false, true, false),
            ConvOvfI2 => (16, true, false, true, false),
            ConvOvfU2 => (16, false, false, true, false),
            ConvOvfI4 => (32, true, false, true, false),
            ConvOvfU4 => (32, false, false, true, false),
            ConvOvfI8 => (64, true, false, true, false),
            ConvOvfU8 => (64, false, false, true, false),
            ConvOvfI => (64, true, false, true, true),
            ConvOvfU => (64, false, false, true, true),
            ConvOvfI1Un => (8, true, true, true, false),
            ConvOvfU1Un => (8, false, true, true, false),
            ConvOvfI2Un => (16, true, true, true, false),
            ConvOvfU2Un => (16, false, true, true, false),
            ConvOvfI4Un => (32, true, true, true, false),
            ConvOvfU4Un => (32, false, true, true, false),
            ConvOvfI8Un => (64, true, true, true, false),
            ConvOvfU8Un => (64, false, true, true, false),
            ConvOvfIUn => (64, true, true, true, true),
            ConvOvfUUn => (64, false, true, true, true),
            ConvR4 | ConvR8 | ConvRUn => {
                self.convert_to_float(op)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let val = self.pop()?;
        let own = val.kind();
        let dst = self.next();
        let kind = match (bits, ptr) {
            (_, true) => Prim::Ptr,
            (64, _) => Prim::I8,
            _ => Prim::I4,
        };
        let mut src = val.one();
        if matches!(own, Prim::R4 | Prim::R8) {
            if checked {
                self.float_range_check(own, src, bits, signed);
            }
            // Via 64 bits, as far as they go; beyond, the result is not specified.
            let op = if signed || bits < 64 { CastOp::FloatToSigned } else { CastOp::FloatToUnsigned };
            self.b.push(Instr::Cast { op, from: own.bits(), to: 64, dst, src });
            src = Operand::Reg(dst);
            if bits < 64 {
                self.b.push(Instr::Cast { op: CastOp::Trunc, from: 64, to: bits, dst, src });
                if signed && bits < 32 {
                    self.b.push(Instr::Cast { op: CastOp::Sext, from: bits, to: 32, dst, src });
                }
            }
            self.push_prim(kind, Operand::Reg(dst));
            return Ok(true);
        }
        let wide = self.scratch(6);
        let all = match (own.bits(), from_unsigned) {
            (32, true) => CastOp::Zext,
            _ => CastOp::Sext,
        };
        if checked {
            // In 64 bits, between the bounds; of an unsigned one of 64 bits, the sign says that it is
            // large.
            if own.bits() == 32 {
                self.b.push(Instr::Cast { op: all, from: 32, to: 64, dst: wide, src });
                src = Operand::Reg(wide);
            }
            let large = own.bits() == 64 && from_unsigned;
            self.range_check(src, bits, signed, large)?;
        }
        match (own.bits(), bits) {
            (32, 64) if !checked => self.b.push(Instr::Cast { op: all, from: 32, to: 64, dst, src }),
            (_, 64) => self.b.set_to(dst, src),
            (32, 32) if !checked => self.b.set_to(dst, src),
            (_, 32) => self.b.push(Instr::Cast { op: CastOp::Trunc, from: 64, to: 32, dst, src }),
            (_, small) => {
                let mask = Operand::Const((1 << small) - 1);
                self.b.bin(BinOp::And, 32, dst, src, mask);
                if signed {
                    let src = Operand::Reg(dst);
                    self.b.push(Instr::Cast { op: CastOp::Sext, from: small, to: 32, dst, src });
                }
            }
        }
        self.push(Val { some: val.some && ptr, ..Val::prim(kind, Operand::Reg(dst)) });
        Ok(true)
    }

    /// Throws unless a number of 64 bits fits.
    fn range_check(&mut self, src: Operand, bits: u8, signed: bool, large: bool) -> Result<(), CompileError> {
        let is = self.scratch(5);
        let check = |body: &mut Self, op: CmpOp, bound: u64| {
            body.b.cmp(op, 64, is, src, Operand::Const(bound));
            body.throw_if(Operand::Reg(is), "System.OverflowException");
        };
        match (bits, signed, large) {
            (64, false, true) | (64, true, false) => {}
            (64, ..) => check(self, CmpOp::Slt, 0),
            (_, true, true) => check(self, CmpOp::Ugt, (1 << (bits - 1)) - 1),
            (_, true, false) => {
                check(self, CmpOp::Sgt, (1 << (bits - 1)) - 1);
                check(self, CmpOp::Slt, (-1i64 << (bits - 1)) as u64);
            }
            (_, false, _) => check(self, CmpOp::Ugt, (1 << bits) - 1),
        }
        Ok(())
    }

    /// Throws unless the whole part of a float fits. It is compared in 64 bits, in which all bounds are exact
    /// but for the one below the least number of 64 bits, beyond which the next float is far away.
    fn float_range_check(&mut self, own: Prim, src: Operand, bits: u8, signed: bool) {
        let (wide, is) = (self.scratch(6), self.scratch(5));
        match own {
            Prim::R4 => {
                self.b.push(Instr::Cast { op: CastOp::FloatToFloat, from: 32, to: 64, dst: wide, src });
            }
            _ => self.b.set_to(wide, src),
        }
        let none = FloatCmp { less: false, equal: false, greater: false, unordered: false };
        let above = 2f64.powi(bits as i32 - signed as i32);
        let (below, at_most) = match (signed, bits) {
            (false, _) => (-1.0, true),
            (true, 64) => (-above, false),
            (true, _) => (-above - 1.0, true),
        };
        let bounds = [
            (above, FloatCmp { greater: true, equal: true, unordered: true, ..none }),
            (below, FloatCmp { less: true, equal: at_most, ..none }),
        ];
        for (bound, cmp) in bounds {
            let b = Operand::Const(bound.to_bits());
            self.b.push(Instr::FloatCmp { cmp, bits: 64, dst: is, a: Operand::Reg(wide), b });
            self.throw_if(Operand::Reg(is), "System.OverflowException");
        }
    }

    fn convert_to_float(&mut self, op: Op) -> Result<(), CompileError> {
        let val = self.pop()?;
        let (to, kind) = if op == Op::ConvR4 { (32, Prim::R4) } else { (64, Prim::R8) };
        let dst = self.next();
        let own = val.kind();
        let cast = match own {
            Prim::R4 | Prim::R8 => CastOp::FloatToFloat,
            _ if op == Op::ConvRUn => CastOp::UnsignedToFloat,
            _ => CastOp::SignedToFloat,
        };
        match cast {
            CastOp::FloatToFloat if own.bits() == to => self.b.set_to(dst, val.one()),
            _ => self.b.push(Instr::Cast { op: cast, from: own.bits(), to, dst, src: val.one() }),
        }
        self.push_prim(kind, Operand::Reg(dst));
        Ok(())
    }
}
