//! POWER: loads and stores of 8 to 64 bits, reservations, barriers, integer arithmetic.

use super::operand::{Line, Piece, number};
use super::thread::{BranchTest, Builder};
use super::width::{Width, signed_low};
use crate::syntax::Parsed;
use selvedge_graph::{Barrier, Mode};
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::program::Addr;

pub fn register(name: &str) -> Option<u8> {
    let rest = name.strip_prefix(['r', 'R'])?;
    let plain = (1..=2).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_digit());
    rest.parse().ok().filter(|n| plain && *n <= 31)
}

impl Builder<'_> {
    fn ppc(&mut self, piece: Piece<'_>) -> Parsed<Reg> {
        match register(piece.text) {
            Some(n) => self.reg(&format!("r{n}")),
            None => Err(self.not_a_register(piece)),
        }
    }

    fn ppc_value(&mut self, piece: Piece<'_>) -> Parsed<Expr> {
        Ok(Expr::Reg(self.ppc(piece)?))
    }

    fn ppc_immediate(&self, piece: Piece<'_>) -> Parsed<Expr> {
        number(piece.text).map(Expr::Const).ok_or_else(|| self.not_an_operand(piece))
    }

    /// `0(r2)`.
    fn ppc_displaced(&mut self, piece: Piece<'_>) -> Parsed<Addr> {
        let parts = piece.text.strip_suffix(')').and_then(|t| t.split_once('('));
        let Some((offset, base)) = parts else { return Err(self.not_an_address(piece)) };
        let base = base.trim();
        let Some(offset) = number(offset) else { return Err(self.not_an_address(piece)) };
        if register(base).is_none_or(|n| n == 0) {
            return Err(self.not_an_address(piece));
        }
        let base = self.ppc(Piece { text: base, place: piece.place })?;
        self.displaced(base, offset, piece)
    }

    /// `rA, rB`, where a first register of 0 is the number 0.
    fn ppc_indexed(&mut self, a: Piece<'_>, b: Piece<'_>) -> Parsed<Addr> {
        let index = self.ppc_value(b)?;
        if a.text == "0" || register(a.text) == Some(0) {
            return self.computed(index);
        }
        let base = self.ppc_value(a)?;
        self.computed(Expr::bin(BinOp::Add, base, index))
    }

    fn ppc_arithmetic(&mut self, line: &Line<'_>, op: BinOp, immediate: bool) -> Parsed<()> {
        let [dst, a, b] = line.take(self.source)?;
        let a = self.ppc_value(a)?;
        let b = if immediate { self.ppc_immediate(b)? } else { self.ppc_value(b)? };
        let dst = self.ppc(dst)?;
        self.assign(dst, Expr::bin(op, a, b));
        Ok(())
    }

    /// `cmpw [cr0,] a, b`.
    fn ppc_compare(&mut self, line: &Line<'_>, immediate: bool, wide: bool) -> Parsed<()> {
        let operands = match line.operands.as_slice() {
            [first, rest @ ..] if matches!(first.text, "cr0" | "CR0") => rest,
            all => all,
        };
        let [a, b] = *operands else {
            let message = format!("`{}` takes two operands, and may name cr0 first", line.mnemonic);
            return Err(line.error(self.source, message));
        };
        let a = self.ppc_value(a)?;
        let b = if immediate { self.ppc_immediate(b)? } else { self.ppc_value(b)? };
        let sized = |e| if wide || matches!(e, Expr::Const(_)) { e } else { signed_low(e) };
        self.compare(sized(a), sized(b))
    }
}

/// By the letter after `l` or `st`.
fn width(rest: &str) -> Width {
    match rest.as_bytes().first() {
        Some(b'b') => Width::BYTE,
        Some(b'h') => Width::HALF,
        Some(b'w') => Width::WORD,
        _ => Width::DOUBLE,
    }
}

pub fn instruction(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    let mnemonic = line.mnemonic.as_str();
    match mnemonic {
        "nop" => Ok(()),
        "sync" | "hwsync" => {
            b.fence(Barrier::Sync);
            Ok(())
        }
        "lwsync" => {
            b.fence(Barrier::Lwsync);
            Ok(())
        }
        "isync" => {
            b.fence(Barrier::Isync);
            Ok(())
        }
        "eieio" => {
            b.fence(Barrier::Eieio);
            Ok(())
        }
        "li" => {
            let [dst, value] = line.take(b.source)?;
            let value = b.ppc_immediate(value)?;
            let dst = b.ppc(dst)?;
            b.assign(dst, value);
            Ok(())
        }
        "mr" => {
            let [dst, value] = line.take(b.source)?;
            let value = b.ppc_value(value)?;
            let dst = b.ppc(dst)?;
            b.assign(dst, value);
            Ok(())
        }
        "not" | "neg" => {
            let [dst, value] = line.take(b.source)?;
            let op = if mnemonic == "not" { UnOp::BitNot } else { UnOp::Neg };
            let value = Expr::un(op, b.ppc_value(value)?);
            let dst = b.ppc(dst)?;
            b.assign(dst, value);
            Ok(())
        }
        "add" => b.ppc_arithmetic(line, BinOp::Add, false),
        "sub" => b.ppc_arithmetic(line, BinOp::Sub, false),
        "and" => b.ppc_arithmetic(line, BinOp::And, false),
        "or" => b.ppc_arithmetic(line, BinOp::Or, false),
        "xor" => b.ppc_arithmetic(line, BinOp::Xor, false),
        "mullw" | "mulld" => b.ppc_arithmetic(line, BinOp::Mul, false),
        "addi" => b.ppc_arithmetic(line, BinOp::Add, true),
        "subi" => b.ppc_arithmetic(line, BinOp::Sub, true),
        "ori" => b.ppc_arithmetic(line, BinOp::Or, true),
        "xori" => b.ppc_arithmetic(line, BinOp::Xor, true),
        "subf" => {
            // Subtracts from.
            let [dst, a, c] = line.take(b.source)?;
            let (a, c) = (b.ppc_value(a)?, b.ppc_value(c)?);
            let dst = b.ppc(dst)?;
            b.assign(dst, Expr::bin(BinOp::Sub, c, a));
            Ok(())
        }
        "cmpw" => b.ppc_compare(line, false, false),
        "cmpd" => b.ppc_compare(line, false, true),
        "cmpwi" => b.ppc_compare(line, true, false),
        "cmpdi" => b.ppc_compare(line, true, true),
        "lbz" | "lhz" | "lwz" | "lwa" | "ld" => {
            let [dst, addr] = line.take(b.source)?;
            let addr = b.ppc_displaced(addr)?;
            let dst = b.ppc(dst)?;
            b.load(dst, addr, Mode::Rlx, width(&mnemonic[1..]), mnemonic == "lwa");
            Ok(())
        }
        "lbzx" | "lhzx" | "lwzx" | "ldx" => {
            let [dst, base, index] = line.take(b.source)?;
            let addr = b.ppc_indexed(base, index)?;
            let dst = b.ppc(dst)?;
            b.load(dst, addr, Mode::Rlx, width(&mnemonic[1..]), false);
            Ok(())
        }
        "stb" | "sth" | "stw" | "std" => {
            let [value, addr] = line.take(b.source)?;
            let (value, addr) = (b.ppc_value(value)?, b.ppc_displaced(addr)?);
            b.store(addr, value, Mode::Rlx, width(&mnemonic[2..]));
            Ok(())
        }
        "stbx" | "sthx" | "stwx" | "stdx" => {
            let [value, base, index] = line.take(b.source)?;
            let (value, addr) = (b.ppc_value(value)?, b.ppc_indexed(base, index)?);
            b.store(addr, value, Mode::Rlx, width(&mnemonic[2..]));
            Ok(())
        }
        "lwarx" | "ldarx" => {
            let [dst, base, index] = line.take(b.source)?;
            let addr = b.ppc_indexed(base, index)?;
            let dst = b.ppc(dst)?;
            b.load_linked(dst, addr, Mode::RlxEx, Width::of(mnemonic == "ldarx"), false);
            Ok(())
        }
        "stwcx." | "stdcx." => {
            let [value, base, index] = line.take(b.source)?;
            let (value, addr) = (b.ppc_value(value)?, b.ppc_indexed(base, index)?);
            let ok = b.temp()?;
            b.store_conditional(ok, addr, value, Mode::RlxEx, Width::of(mnemonic == "stdcx."));
            // Success is "equal".
            b.compare(Expr::Reg(ok), Expr::Const(1))
        }
        "b" => {
            let [label] = line.take(b.source)?;
            b.jump(None, label)
        }
        _ => {
            let test = match mnemonic.trim_end_matches(['+', '-']) {
                "beq" => BinOp::Eq,
                "bne" => BinOp::Ne,
                "blt" => BinOp::Lt,
                "ble" => BinOp::Le,
                "bgt" => BinOp::Gt,
                "bge" => BinOp::Ge,
                _ => return Err(line.unsupported(b.source)),
            };
            let label = match line.operands.as_slice() {
                [label] => *label,
                [cr, label] if matches!(cr.text, "cr0" | "CR0") => *label,
                _ => return Err(line.error(b.source, format!("`{mnemonic}` takes a label"))),
            };
            let cond = b.outcome(BranchTest::Signed(test))?;
            b.jump(Some(cond), label)
        }
    }
}
