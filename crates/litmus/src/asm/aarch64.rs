//! AArch64: loads and stores of 32 and 64 bits, exclusive pairs, LSE, barriers, integer arithmetic.

use super::operand::{Line, Piece, inside, number, parts};
use super::thread::{BranchTest, Builder, pointer};
use super::width::{Width, at_an_offset, low, signed_low};
use crate::lex::clip;
use crate::syntax::Parsed;
use selvedge_graph::{Barrier, Mode};
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::program::{Addr, RmwOp};

/// A register name: `X3`, `W3`, `XZR`.
pub struct Aarch64Register {
    /// `None` is the zero register.
    pub number: Option<u8>,
    pub wide: bool,
}

pub fn register(name: &str) -> Option<Aarch64Register> {
    let name = name.to_ascii_lowercase();
    let (wide, rest) = match name.split_at_checked(1)? {
        ("x", rest) => (true, rest),
        ("w", rest) => (false, rest),
        _ => return None,
    };
    if rest == "zr" {
        return Some(Aarch64Register { number: None, wide });
    }
    let plain = rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit());
    let number = rest.parse().ok().filter(|n| plain && *n <= 30)?;
    Some(Aarch64Register { number: Some(number), wide })
}

impl Builder<'_> {
    fn a64(&self, piece: Piece<'_>) -> Parsed<Aarch64Register> {
        register(piece.text).ok_or_else(|| self.not_a_register(piece))
    }

    /// The size of an access that has this register.
    fn a64_width(&self, piece: Piece<'_>) -> Parsed<Width> {
        Ok(Width::of(self.a64(piece)?.wide))
    }

    /// Two registers of an access, of one size.
    fn a64_same_width(&self, a: Piece<'_>, b: Piece<'_>) -> Parsed<Width> {
        let width = self.a64_width(a)?;
        if self.a64_width(b)? != width {
            let message = format!("`{}` and `{}` are not of one size", clip(a.text), clip(b.text));
            return Err(self.source.error(b.place, message));
        }
        Ok(width)
    }

    /// The register as a destination; what goes to the zero register is lost.
    fn a64_dst(&mut self, piece: Piece<'_>) -> Parsed<Reg> {
        match self.a64(piece)?.number {
            Some(n) => self.reg(&format!("X{n}")),
            None => self.temp(),
        }
    }

    fn a64_value(&mut self, piece: Piece<'_>) -> Parsed<Expr> {
        let register = self.a64(piece)?;
        let Some(n) = register.number else { return Ok(Expr::Const(0)) };
        let value = Expr::Reg(self.reg(&format!("X{n}"))?);
        Ok(if register.wide { value } else { low(value) })
    }

    /// A register or an immediate.
    fn a64_operand(&mut self, piece: Piece<'_>) -> Parsed<Expr> {
        match number(piece.text) {
            Some(value) => Ok(Expr::Const(value)),
            None if register(piece.text).is_some() => self.a64_value(piece),
            None => Err(self.not_an_operand(piece)),
        }
    }

    /// `[Xn]`, `[Xn,#imm]`, `[Xn,Xm]`, `[Xn,Wm,SXTW]`.
    fn a64_address(&mut self, piece: Piece<'_>) -> Parsed<Addr> {
        let Some(inner) = inside(piece.text, '[', ']') else { return Err(self.not_an_address(piece)) };
        let parts = parts(inner);
        let base = parts.first().and_then(|p| register(p)).filter(|r| r.wide).and_then(|r| r.number);
        let Some(base) = base else { return Err(self.not_an_address(piece)) };
        let base = self.reg(&format!("X{base}"))?;
        let sub = |text| Piece { text, place: piece.place };
        let offset = match parts[1..] {
            [] => return Ok(pointer(base)),
            [offset] => match number(offset) {
                Some(0) => return Ok(pointer(base)),
                Some(_) => return Err(at_an_offset(self.source, piece)),
                None => match register(offset) {
                    Some(r) if r.wide => self.a64_value(sub(offset))?,
                    _ => return Err(self.not_an_address(piece)),
                },
            },
            [offset, extend] => {
                let wide = match register(offset) {
                    Some(r) => r.wide,
                    None => return Err(self.not_an_address(piece)),
                };
                let value = self.a64_value(sub(offset))?;
                match extend.to_ascii_lowercase().as_str() {
                    "sxtw" if !wide => signed_low(value),
                    "uxtw" if !wide => value,
                    "lsl #0" | "sxtx" | "uxtx" if wide => value,
                    _ => return Err(self.not_an_address(piece)),
                }
            }
            _ => return Err(self.not_an_address(piece)),
        };
        Ok(Addr::Pointer(Expr::bin(BinOp::Add, Expr::Reg(base), offset)))
    }

    fn a64_load(&mut self, line: &Line<'_>, mode: Mode) -> Parsed<()> {
        let [dst, addr] = line.take(self.source)?;
        let width = self.a64_width(dst)?;
        let (dst, addr) = (self.a64_dst(dst)?, self.a64_address(addr)?);
        self.load(dst, addr, mode, width, false);
        Ok(())
    }

    fn a64_store(&mut self, line: &Line<'_>, mode: Mode) -> Parsed<()> {
        let [value, addr] = line.take(self.source)?;
        let width = self.a64_width(value)?;
        let (value, addr) = (self.a64_value(value)?, self.a64_address(addr)?);
        self.store(addr, value, mode, width);
        Ok(())
    }

    fn a64_store_exclusive(&mut self, line: &Line<'_>, mode: Mode) -> Parsed<()> {
        let [status, value, addr] = line.take(self.source)?;
        let width = self.a64_width(value)?;
        let (value, addr) = (self.a64_value(value)?, self.a64_address(addr)?);
        let ok = self.temp()?;
        self.store_conditional(ok, addr, value, mode, width);
        let status = self.a64_dst(status)?;
        self.assign(status, Expr::un(UnOp::Not, Expr::Reg(ok)));
        Ok(())
    }

    /// `op dst, a, b`.
    fn a64_arithmetic(&mut self, line: &Line<'_>, op: BinOp, flags: bool) -> Parsed<()> {
        let [dst, a, b] = line.take(self.source)?;
        let wide = self.a64(dst)?.wide;
        let (a, b) = (self.a64_operand(a)?, self.a64_operand(b)?);
        let result = Expr::bin(op, a.clone(), b.clone());
        let result = if wide { result } else { low(result) };
        if flags {
            // `subs` compares its operands, the others their result with 0.
            match op {
                BinOp::Sub => self.compare(sized(a, wide), sized(b, wide))?,
                BinOp::And => self.compare(sized(result.clone(), wide), Expr::Const(0))?,
                _ => return Err(line.unsupported(self.source)),
            }
        }
        let dst = self.a64_dst(dst)?;
        self.assign(dst, result);
        Ok(())
    }
}

fn sized(e: Expr, wide: bool) -> Expr {
    match e {
        Expr::Const(v) => Expr::Const(v),
        e if wide => e,
        e => signed_low(e),
    }
}

fn condition(code: &str) -> Option<BranchTest> {
    Some(match code {
        "eq" => BranchTest::Signed(BinOp::Eq),
        "ne" => BranchTest::Signed(BinOp::Ne),
        "lt" => BranchTest::Signed(BinOp::Lt),
        "le" => BranchTest::Signed(BinOp::Le),
        "gt" => BranchTest::Signed(BinOp::Gt),
        "ge" => BranchTest::Signed(BinOp::Ge),
        "lo" | "cc" => BranchTest::Unsigned(BinOp::Lt),
        "ls" => BranchTest::Unsigned(BinOp::Le),
        "hi" => BranchTest::Unsigned(BinOp::Gt),
        "hs" | "cs" => BranchTest::Unsigned(BinOp::Ge),
        _ => return None,
    })
}

/// Orderings by the letters at the end of an LSE mnemonic.
fn ordering(suffix: &str) -> Option<Mode> {
    Some(match suffix {
        "" => Mode::Rlx,
        "a" => Mode::Acq,
        "l" => Mode::Rel,
        "al" => Mode::AcqRel,
        _ => return None,
    })
}

/// `swp`, `ldadd` and the like, with their ordering.
fn lse(mnemonic: &str) -> Option<(RmwOp, Mode)> {
    const OPS: [(&str, RmwOp); 9] = [
        ("swp", RmwOp::Exchange),
        ("ldadd", RmwOp::Add),
        ("ldclr", RmwOp::Clear),
        ("ldeor", RmwOp::Xor),
        ("ldset", RmwOp::Or),
        ("ldsmax", RmwOp::Max),
        ("ldsmin", RmwOp::Min),
        ("ldumax", RmwOp::MaxU),
        ("ldumin", RmwOp::MinU),
    ];
    OPS.iter().find_map(|(name, op)| Some((*op, ordering(mnemonic.strip_prefix(name)?)?)))
}

fn barrier(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    let option = match line.operands.as_slice() {
        [] if line.mnemonic == "isb" => String::from("sy"),
        [option] => option.text.to_ascii_lowercase(),
        _ => return Err(line.error(b.source, format!("`{}` takes one operand", line.mnemonic))),
    };
    if line.mnemonic == "isb" {
        b.fence(Barrier::Isb);
        return Ok(());
    }
    // A `dsb` lets nothing after it begin before what its option names is complete. For all accesses and for
    // loads the `dmb` does that as well; for stores, it only holds back other stores.
    b.fence(match option.as_str() {
        "sy" | "ish" | "osh" | "nsh" => Barrier::DmbSy,
        "ld" | "ishld" | "oshld" | "nshld" => Barrier::DmbLd,
        "st" | "ishst" | "oshst" | "nshst" if line.mnemonic == "dsb" => Barrier::DsbSt,
        "st" | "ishst" | "oshst" | "nshst" => Barrier::DmbSt,
        _ => return Err(b.not_an_operand(line.operands[0])),
    });
    Ok(())
}

pub fn instruction(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    match line.mnemonic.as_str() {
        "nop" => Ok(()),
        "mov" | "movz" => {
            let [dst, value] = line.take(b.source)?;
            let wide = b.a64(dst)?.wide;
            let value = match number(value.text) {
                Some(v) if !wide => Expr::Const(v & 0xffff_ffff),
                _ => b.a64_operand(value)?,
            };
            let dst = b.a64_dst(dst)?;
            b.assign(dst, value);
            Ok(())
        }
        "add" => b.a64_arithmetic(line, BinOp::Add, false),
        "sub" => b.a64_arithmetic(line, BinOp::Sub, false),
        "and" => b.a64_arithmetic(line, BinOp::And, false),
        "orr" => b.a64_arithmetic(line, BinOp::Or, false),
        "eor" => b.a64_arithmetic(line, BinOp::Xor, false),
        "subs" => b.a64_arithmetic(line, BinOp::Sub, true),
        "ands" => b.a64_arithmetic(line, BinOp::And, true),
        "mul" => b.a64_arithmetic(line, BinOp::Mul, false),
        "cmp" => {
            let [l, r] = line.take(b.source)?;
            let wide = b.a64(l)?.wide;
            let (l, r) = (b.a64_value(l)?, b.a64_operand(r)?);
            b.compare(sized(l, wide), sized(r, wide))
        }
        "tst" => {
            let [l, r] = line.take(b.source)?;
            let wide = b.a64(l)?.wide;
            let both = Expr::bin(BinOp::And, b.a64_value(l)?, b.a64_operand(r)?);
            b.compare(sized(both, wide), Expr::Const(0))
        }
        "b" => {
            let [label] = line.take(b.source)?;
            b.jump(None, label)
        }
        "cbz" | "cbnz" => {
            let [value, label] = line.take(b.source)?;
            let op = if line.mnemonic == "cbz" { BinOp::Eq } else { BinOp::Ne };
            let cond = Expr::bin(op, b.a64_value(value)?, Expr::Const(0));
            b.jump(Some(cond), label)
        }
        "tbz" | "tbnz" => {
            let [value, bit, label] = line.take(b.source)?;
            let Some(at @ 0..=63) = number(bit.text) else { return Err(b.not_an_operand(bit)) };
            let op = if line.mnemonic == "tbz" { BinOp::Eq } else { BinOp::Ne };
            let masked = Expr::bin(BinOp::And, b.a64_value(value)?, Expr::Const(1 << at));
            b.jump(Some(Expr::bin(op, masked, Expr::Const(0))), label)
        }
        "ldr" | "ldur" => b.a64_load(line, Mode::Rlx),
        "ldar" => b.a64_load(line, Mode::Acq),
        "ldapr" | "ldapur" => b.a64_load(line, Mode::AcqPc),
        "ldxr" => b.a64_load(line, Mode::RlxEx),
        "ldaxr" => b.a64_load(line, Mode::AcqEx),
        "str" | "stur" => b.a64_store(line, Mode::Rlx),
        "stlr" | "stlur" => b.a64_store(line, Mode::Rel),
        "stxr" => b.a64_store_exclusive(line, Mode::RlxEx),
        "stlxr" => b.a64_store_exclusive(line, Mode::RelEx),
        "dmb" | "dsb" | "isb" => barrier(b, line),
        "cas" | "casa" | "casl" | "casal" => {
            let [old, new, addr] = line.take(b.source)?;
            let success = ordering(&line.mnemonic[3..]).unwrap_or(Mode::AcqRel);
            let failure = if success.is_acquire() { Mode::Acq } else { Mode::Rlx };
            let width = b.a64_same_width(old, new)?;
            let values = (b.a64_value(old)?, b.a64_value(new)?);
            let (old, addr) = (b.a64_dst(old)?, b.a64_address(addr)?);
            b.cas(old, addr, values, (success, failure), width)?;
            if width == Width::WORD {
                b.assign(old, low(Expr::Reg(old)));
            }
            Ok(())
        }
        other => {
            if let Some((op, mode)) = lse(other) {
                let [operand, dst, addr] = line.take(b.source)?;
                if b.a64(dst)?.number.is_none() {
                    // Its read is not one that `dmb ld` orders.
                    let message = format!("`{other}` to the zero register is not supported");
                    return Err(b.source.error(dst.place, message));
                }
                let width = b.a64_same_width(operand, dst)?;
                let (operand, addr) = (b.a64_value(operand)?, b.a64_address(addr)?);
                let dst = b.a64_dst(dst)?;
                b.rmw(dst, addr, (op, operand), mode, width, false);
                return Ok(());
            }
            let code = other.strip_prefix("b.").or_else(|| other.strip_prefix('b'));
            if let Some(test) = code.and_then(condition) {
                let [label] = line.take(b.source)?;
                let cond = b.outcome(test)?;
                return b.jump(Some(cond), label);
            }
            Err(line.unsupported(b.source))
        }
    }
}
