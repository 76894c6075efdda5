//! AArch64: loads and stores of 8 to 64 bits, exclusive pairs, LSE, barriers, integer arithmetic.

use super::operand::{Line, Piece, inside, number, parts};
use super::thread::{BranchTest, Builder};
use super::width::{Width, low, shifted, sign_extended, signed_low};
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

    /// The size of an access that has this register; `narrow` is what the mnemonic says of it.
    fn a64_width(&self, piece: Piece<'_>, narrow: Option<Width>) -> Parsed<Width> {
        let wide = self.a64(piece)?.wide;
        match narrow {
            Some(_) if wide => {
                let message = format!("`{}` has 64 bits, this access fewer", clip(piece.text));
                Err(self.source.error(piece.place, message).with_help("write the register as W…"))
            }
            Some(width) => Ok(width),
            None => Ok(Width::of(wide)),
        }
    }

    /// Two registers of an access, of one size.
    fn a64_same_width(&self, a: Piece<'_>, b: Piece<'_>, narrow: Option<Width>) -> Parsed<Width> {
        let width = self.a64_width(a, narrow)?;
        if self.a64_width(b, narrow)? != width {
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

    /// A register with what is made of it: `W2,SXTW #3`, `X2,LSL #2`.
    fn a64_extended(&mut self, piece: Piece<'_>, extend: &str) -> Parsed<Expr> {
        let wide = self.a64(piece)?.wide;
        let value = self.a64_value(piece)?;
        let extend = extend.to_ascii_lowercase();
        let (how, amount) = extend.split_once(char::is_whitespace).unwrap_or((&extend, "0"));
        let unknown = || self.source.error(piece.place, format!("`{}` is not supported", clip(&extend)));
        let Some(amount @ 0..=63) = number(amount) else { return Err(unknown()) };
        let value = match how {
            "sxtw" if !wide => signed_low(value),
            "uxtw" if !wide => value,
            "sxtx" | "uxtx" if wide => value,
            "uxtb" => Expr::bin(BinOp::And, value, Expr::Const(0xff)),
            "uxth" => Expr::bin(BinOp::And, value, Expr::Const(0xffff)),
            "sxtb" => sign_extended(value, Width::BYTE),
            "sxth" => sign_extended(value, Width::HALF),
            "lsl" => value,
            "lsr" | "asr" => return Ok(shifted(value, how, Expr::Const(amount), wide)),
            _ => return Err(unknown()),
        };
        Ok(if amount == 0 { value } else { Expr::bin(BinOp::Shl, value, Expr::Const(amount)) })
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
            [] => return self.displaced(base, 0, piece),
            [offset] => match number(offset) {
                Some(distance) => return self.displaced(base, distance, piece),
                None => match register(offset) {
                    Some(r) if r.wide => self.a64_value(sub(offset))?,
                    _ => return Err(self.not_an_address(piece)),
                },
            },
            [offset, extend] if register(offset).is_some() => self.a64_extended(sub(offset), extend)?,
            _ => return Err(self.not_an_address(piece)),
        };
        self.computed(Expr::bin(BinOp::Add, Expr::Reg(base), offset))
    }

    fn a64_load(&mut self, line: &Line<'_>, mode: Mode, narrow: Option<Width>) -> Parsed<()> {
        let [dst, addr] = line.take(self.source)?;
        let width = self.a64_width(dst, narrow)?;
        let (dst, addr) = (self.a64_dst(dst)?, self.a64_address(addr)?);
        match mode.is_exclusive() {
            true => self.load_linked(dst, addr, mode, width, false),
            false => self.load(dst, addr, mode, width, false),
        }
        Ok(())
    }

    /// `ldrsw`, `ldrsb`, `ldrsh`: to a register of either size.
    fn a64_load_signed(&mut self, line: &Line<'_>, width: Width) -> Parsed<()> {
        let [dst, addr] = line.take(self.source)?;
        let wide = self.a64(dst)?.wide;
        if width == Width::WORD && !wide {
            return Err(line.unsupported(self.source));
        }
        let (dst, addr) = (self.a64_dst(dst)?, self.a64_address(addr)?);
        self.load(dst, addr, Mode::Rlx, width, true);
        if !wide {
            self.assign(dst, low(Expr::Reg(dst)));
        }
        Ok(())
    }

    fn a64_store(&mut self, line: &Line<'_>, mode: Mode, narrow: Option<Width>) -> Parsed<()> {
        let [value, addr] = line.take(self.source)?;
        let width = self.a64_width(value, narrow)?;
        let (value, addr) = (self.a64_value(value)?, self.a64_address(addr)?);
        self.store(addr, value, mode, width);
        Ok(())
    }

    fn a64_store_exclusive(&mut self, line: &Line<'_>, mode: Mode, narrow: Option<Width>) -> Parsed<()> {
        let [status, value, addr] = line.take(self.source)?;
        let width = self.a64_width(value, narrow)?;
        let (value, addr) = (self.a64_value(value)?, self.a64_address(addr)?);
        let ok = self.temp()?;
        self.store_conditional(ok, addr, value, mode, width);
        let status = self.a64_dst(status)?;
        self.assign(status, Expr::un(UnOp::Not, Expr::Reg(ok)));
        Ok(())
    }

    /// `op dst, a, b`, where the last operand may be extended or shifted.
    fn a64_arithmetic(&mut self, line: &Line<'_>, op: BinOp, flags: bool, inverted: bool) -> Parsed<()> {
        let (dst, a, b, extend) = match line.operands.as_slice() {
            [dst, a, b, extend] if register(b.text).is_some() => (*dst, *a, *b, Some(extend.text)),
            _ => {
                let [dst, a, b] = line.take(self.source)?;
                (dst, a, b, None)
            }
        };
        let wide = self.a64(dst)?.wide;
        let a = self.a64_operand(a)?;
        let b = match extend {
            Some(extend) => self.a64_extended(b, extend)?,
            None => self.a64_operand(b)?,
        };
        let b = if inverted { Expr::un(UnOp::BitNot, b) } else { b };
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

/// What a mnemonic says at its end of the size of an access below 32 bits, and the rest of it.
fn narrowed(mnemonic: &str) -> (&str, Option<Width>) {
    match mnemonic.split_at_checked(mnemonic.len().saturating_sub(1)) {
        Some((rest, "b")) => (rest, Some(Width::BYTE)),
        Some((rest, "h")) => (rest, Some(Width::HALF)),
        _ => (mnemonic, None),
    }
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
        "add" => b.a64_arithmetic(line, BinOp::Add, false, false),
        "sub" => b.a64_arithmetic(line, BinOp::Sub, false, false),
        "and" => b.a64_arithmetic(line, BinOp::And, false, false),
        "orr" => b.a64_arithmetic(line, BinOp::Or, false, false),
        "eor" => b.a64_arithmetic(line, BinOp::Xor, false, false),
        "bic" => b.a64_arithmetic(line, BinOp::And, false, true),
        "orn" => b.a64_arithmetic(line, BinOp::Or, false, true),
        "eon" => b.a64_arithmetic(line, BinOp::Xor, false, true),
        "subs" => b.a64_arithmetic(line, BinOp::Sub, true, false),
        "ands" => b.a64_arithmetic(line, BinOp::And, true, false),
        "mul" => b.a64_arithmetic(line, BinOp::Mul, false, false),
        "lsl" | "lsr" | "asr" => {
            let [dst, value, amount] = line.take(b.source)?;
            let wide = b.a64(dst)?.wide;
            let (value, amount) = (b.a64_value(value)?, b.a64_operand(amount)?);
            let dst = b.a64_dst(dst)?;
            let result = shifted(value, &line.mnemonic, amount, wide);
            b.assign(dst, if wide { result } else { low(result) });
            Ok(())
        }
        "mvn" | "neg" | "uxtb" | "uxth" | "sxtb" | "sxth" | "sxtw" => {
            let [dst, value] = line.take(b.source)?;
            let wide = b.a64(dst)?.wide;
            let value = match line.mnemonic.as_str() {
                "mvn" => Expr::un(UnOp::BitNot, b.a64_value(value)?),
                "neg" => Expr::un(UnOp::Neg, b.a64_value(value)?),
                how => b.a64_extended(value, how)?,
            };
            let dst = b.a64_dst(dst)?;
            b.assign(dst, if wide { value } else { low(value) });
            Ok(())
        }
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
        "ldrsw" | "ldursw" => b.a64_load_signed(line, Width::WORD),
        "ldrsb" | "ldursb" => b.a64_load_signed(line, Width::BYTE),
        "ldrsh" | "ldursh" => b.a64_load_signed(line, Width::HALF),
        "dmb" | "dsb" | "isb" => barrier(b, line),
        _ => sized_instruction(b, line),
    }
}

/// Accesses, whose mnemonics may end with their size, and conditional jumps.
fn sized_instruction(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    let (mnemonic, narrow) = narrowed(&line.mnemonic);
    match mnemonic {
        "ldr" | "ldur" => b.a64_load(line, Mode::Rlx, narrow),
        "ldar" => b.a64_load(line, Mode::Acq, narrow),
        "ldapr" | "ldapur" => b.a64_load(line, Mode::AcqPc, narrow),
        "ldxr" => b.a64_load(line, Mode::RlxEx, narrow),
        "ldaxr" => b.a64_load(line, Mode::AcqEx, narrow),
        "str" | "stur" => b.a64_store(line, Mode::Rlx, narrow),
        "stlr" | "stlur" => b.a64_store(line, Mode::Rel, narrow),
        "stxr" => b.a64_store_exclusive(line, Mode::RlxEx, narrow),
        "stlxr" => b.a64_store_exclusive(line, Mode::RelEx, narrow),
        "cas" | "casa" | "casl" | "casal" => {
            let [old, new, addr] = line.take(b.source)?;
            let success = ordering(&mnemonic[3..]).unwrap_or(Mode::AcqRel);
            let failure = if success.is_acquire() { Mode::Acq } else { Mode::Rlx };
            let width = b.a64_same_width(old, new, narrow)?;
            let values = (b.a64_value(old)?, b.a64_value(new)?);
            let (old, addr) = (b.a64_dst(old)?, b.a64_address(addr)?);
            b.cas(old, addr, values, (success, failure), width)?;
            if width == Width::WORD {
                b.assign(old, low(Expr::Reg(old)));
            }
            Ok(())
        }
        _ => {
            let other = line.mnemonic.as_str();
            // What is computed is computed in 32 or 64 bits.
            let is_bitwise = |op| matches!(op, RmwOp::Exchange | RmwOp::Clear | RmwOp::Xor | RmwOp::Or);
            if let Some((op, mode)) = lse(mnemonic).filter(|(op, _)| narrow.is_none() || is_bitwise(*op)) {
                let [operand, dst, addr] = line.take(b.source)?;
                if b.a64(dst)?.number.is_none() {
                    // Its read is not one that `dmb ld` orders.
                    let message = format!("`{other}` to the zero register is not supported");
                    return Err(b.source.error(dst.place, message));
                }
                let width = b.a64_same_width(operand, dst, narrow)?;
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
