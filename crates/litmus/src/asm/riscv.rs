//! RISC-V: loads and stores of 8 to 64 bits, LR and SC, AMOs, fences, integer arithmetic.

use super::operand::{Line, Piece, number};
use super::thread::{Builder, unsigned};
use super::width::{Width, shifted, signed_low};
use crate::syntax::Parsed;
use selvedge_graph::{Barrier, Mode};
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::program::{Addr, RmwOp};

/// `x5`, or its name in the calling convention.
pub fn register(name: &str) -> Option<u8> {
    const NAMES: [(&str, u8); 10] = [
        ("zero", 0),
        ("ra", 1),
        ("sp", 2),
        ("gp", 3),
        ("tp", 4),
        ("fp", 8),
        ("s0", 8),
        ("s1", 9),
        ("s10", 26),
        ("s11", 27),
    ];
    let name = name.to_ascii_lowercase();
    if let Some((_, n)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*n);
    }
    let (letter, rest) = name.split_at_checked(1)?;
    let plain = (1..=2).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_digit());
    let n: u8 = rest.parse().ok().filter(|_| plain)?;
    match (letter, n) {
        ("x", 0..=31) => Some(n),
        ("t", 0..=2) => Some(n + 5),
        ("t", 3..=6) => Some(n + 25),
        ("a", 0..=7) => Some(n + 10),
        ("s", 2..=9) => Some(n + 16),
        _ => None,
    }
}

impl Builder<'_> {
    /// A destination; what goes to `x0` is lost.
    fn rv(&mut self, piece: Piece<'_>) -> Parsed<Reg> {
        match register(piece.text) {
            Some(0) => self.temp(),
            Some(n) => self.reg(&format!("x{n}")),
            None => Err(self.not_a_register(piece)),
        }
    }

    fn rv_value(&mut self, piece: Piece<'_>) -> Parsed<Expr> {
        match register(piece.text) {
            Some(0) => Ok(Expr::Const(0)),
            _ => Ok(Expr::Reg(self.rv(piece)?)),
        }
    }

    fn rv_immediate(&self, piece: Piece<'_>) -> Parsed<Expr> {
        number(piece.text).map(Expr::Const).ok_or_else(|| self.not_an_operand(piece))
    }

    /// `0(x6)` or `(x6)`.
    fn rv_address(&mut self, piece: Piece<'_>) -> Parsed<Addr> {
        let parts = piece.text.strip_suffix(')').and_then(|t| t.split_once('('));
        let Some((offset, base)) = parts else { return Err(self.not_an_address(piece)) };
        let offset = if offset.trim().is_empty() { Some(0) } else { number(offset) };
        let (Some(offset), Some(1..=31)) = (offset, register(base.trim())) else {
            return Err(self.not_an_address(piece));
        };
        let base = self.rv(Piece { text: base.trim(), place: piece.place })?;
        self.displaced(base, offset, piece)
    }

    /// `word`: gives the lower 32 bits, sign-extended.
    fn rv_arithmetic(&mut self, line: &Line<'_>, op: BinOp, immediate: bool, word: bool) -> Parsed<()> {
        let [dst, a, b] = line.take(self.source)?;
        let a = self.rv_value(a)?;
        let b = if immediate { self.rv_immediate(b)? } else { self.rv_value(b)? };
        let result = Expr::bin(op, a, b);
        let dst = self.rv(dst)?;
        self.assign(dst, if word { signed_low(result) } else { result });
        Ok(())
    }
}

/// The annotation after the size of an atomic instruction: `.aq`.
fn annotation(text: &str) -> Option<(Mode, Mode)> {
    Some(match text {
        "" => (Mode::Rlx, Mode::RlxEx),
        ".aq" => (Mode::Acq, Mode::AcqEx),
        ".rl" => (Mode::Rel, Mode::RelEx),
        ".aqrl" | ".aq.rl" => (Mode::AcqRel, Mode::AcqRelEx),
        _ => return None,
    })
}

/// `lr.w.aq` as `lr`, its size, and its annotation as an AMO's and as an LR's or SC's.
fn atomic(mnemonic: &str) -> Option<(&str, Width, Mode, Mode)> {
    let (name, rest) = mnemonic.split_once('.')?;
    let (width, rest) = match (rest.strip_prefix('w'), rest.strip_prefix('d')) {
        (Some(rest), _) => (Width::WORD, rest),
        (_, Some(rest)) => (Width::DOUBLE, rest),
        _ => return None,
    };
    let (amo, exclusive) = annotation(rest)?;
    Some((name, width, amo, exclusive))
}

fn amo(name: &str) -> Option<RmwOp> {
    Some(match name {
        "amoswap" => RmwOp::Exchange,
        "amoadd" => RmwOp::Add,
        "amoand" => RmwOp::And,
        "amoor" => RmwOp::Or,
        "amoxor" => RmwOp::Xor,
        "amomin" => RmwOp::Min,
        "amomax" => RmwOp::Max,
        "amominu" => RmwOp::MinU,
        "amomaxu" => RmwOp::MaxU,
        _ => return None,
    })
}

/// `lw.aq` as whether it loads, its size, whether the value has a sign, and its ordering. An ordinary access
/// with an annotation is taken as herd takes it: like the read of an LR or the write of an SC, which is what
/// `RlxEx` and its kin say to the model.
fn access(mnemonic: &str) -> Option<(bool, Width, bool, Mode)> {
    let (name, suffix) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
    let (loads, width, signed) = match name {
        "lb" => (true, Width::BYTE, true),
        "lh" => (true, Width::HALF, true),
        "lw" => (true, Width::WORD, true),
        "ld" => (true, Width::DOUBLE, true),
        "lbu" => (true, Width::BYTE, false),
        "lhu" => (true, Width::HALF, false),
        "lwu" => (true, Width::WORD, false),
        "sb" => (false, Width::BYTE, true),
        "sh" => (false, Width::HALF, true),
        "sw" => (false, Width::WORD, true),
        "sd" => (false, Width::DOUBLE, true),
        _ => return None,
    };
    if suffix.is_empty() {
        return (name == mnemonic).then_some((loads, width, signed, Mode::Rlx));
    }
    let (_, exclusive) = annotation(&mnemonic[name.len()..])?;
    Some((loads, width, signed, exclusive))
}

/// The set of accesses that a fence names, as reads and writes. Input and output are not modelled.
fn accesses(text: &str) -> Option<(bool, bool)> {
    let text = text.to_ascii_lowercase();
    let known = !text.is_empty() && text.bytes().all(|b| b"iorw".contains(&b));
    known.then(|| (text.contains('r'), text.contains('w')))
}

fn fence(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    if line.operands.is_empty() {
        b.fence(Barrier::FenceRwRw);
        return Ok(());
    }
    let [before, after] = line.take(b.source)?;
    let from = accesses(before.text).ok_or_else(|| b.not_an_operand(before))?;
    let to = accesses(after.text).ok_or_else(|| b.not_an_operand(after))?;
    b.fence(match (from, to) {
        ((true, false), (true, false)) => Barrier::FenceRR,
        ((true, false), (false, true)) => Barrier::FenceRW,
        ((true, false), (true, true)) => Barrier::FenceRRw,
        ((false, true), (true, false)) => Barrier::FenceWR,
        ((false, true), (false, true)) => Barrier::FenceWW,
        ((false, true), (true, true)) => Barrier::FenceWRw,
        ((true, true), (true, false)) => Barrier::FenceRwR,
        ((true, true), (false, true)) => Barrier::FenceRwW,
        ((true, true), (true, true)) => Barrier::FenceRwRw,
        // Orders input and output only.
        _ => return Ok(()),
    });
    Ok(())
}

pub fn instruction(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    let mnemonic = line.mnemonic.as_str();
    match mnemonic {
        "nop" => Ok(()),
        "fence" => fence(b, line),
        "fence.tso" => {
            b.fence(Barrier::FenceTso);
            Ok(())
        }
        "fence.i" => {
            b.fence(Barrier::FenceI);
            Ok(())
        }
        "li" => {
            let [dst, value] = line.take(b.source)?;
            let value = b.rv_immediate(value)?;
            let dst = b.rv(dst)?;
            b.assign(dst, value);
            Ok(())
        }
        "mv" | "not" | "neg" | "sext.w" => {
            let [dst, value] = line.take(b.source)?;
            let value = b.rv_value(value)?;
            let value = match mnemonic {
                "not" => Expr::un(UnOp::BitNot, value),
                "neg" => Expr::un(UnOp::Neg, value),
                "sext.w" => signed_low(value),
                _ => value,
            };
            let dst = b.rv(dst)?;
            b.assign(dst, value);
            Ok(())
        }
        "add" => b.rv_arithmetic(line, BinOp::Add, false, false),
        "addw" => b.rv_arithmetic(line, BinOp::Add, false, true),
        "sub" => b.rv_arithmetic(line, BinOp::Sub, false, false),
        "subw" => b.rv_arithmetic(line, BinOp::Sub, false, true),
        "and" => b.rv_arithmetic(line, BinOp::And, false, false),
        "or" => b.rv_arithmetic(line, BinOp::Or, false, false),
        "xor" => b.rv_arithmetic(line, BinOp::Xor, false, false),
        "slt" => b.rv_arithmetic(line, BinOp::Lt, false, false),
        "mul" => b.rv_arithmetic(line, BinOp::Mul, false, false),
        "addi" => b.rv_arithmetic(line, BinOp::Add, true, false),
        "addiw" => b.rv_arithmetic(line, BinOp::Add, true, true),
        "andi" => b.rv_arithmetic(line, BinOp::And, true, false),
        "ori" => b.rv_arithmetic(line, BinOp::Or, true, false),
        "xori" => b.rv_arithmetic(line, BinOp::Xor, true, false),
        "sltu" | "slti" | "sltiu" | "seqz" | "snez" => comparison(b, line),
        "sll" | "srl" | "sra" | "slli" | "srli" | "srai" => shift(b, line),
        "j" => {
            let [label] = line.take(b.source)?;
            b.jump(None, label)
        }
        "beqz" | "bnez" => {
            let [value, label] = line.take(b.source)?;
            let op = if mnemonic == "beqz" { BinOp::Eq } else { BinOp::Ne };
            let cond = Expr::bin(op, b.rv_value(value)?, Expr::Const(0));
            b.jump(Some(cond), label)
        }
        "beq" | "bne" | "blt" | "ble" | "bgt" | "bge" | "bltu" | "bgeu" => {
            let [l, r, label] = line.take(b.source)?;
            let (l, r) = (b.rv_value(l)?, b.rv_value(r)?);
            let cond = match mnemonic {
                "beq" => Expr::bin(BinOp::Eq, l, r),
                "bne" => Expr::bin(BinOp::Ne, l, r),
                "blt" => Expr::bin(BinOp::Lt, l, r),
                "ble" => Expr::bin(BinOp::Le, l, r),
                "bgt" => Expr::bin(BinOp::Gt, l, r),
                "bge" => Expr::bin(BinOp::Ge, l, r),
                "bltu" => unsigned(BinOp::Lt, l, r),
                _ => unsigned(BinOp::Ge, l, r),
            };
            b.jump(Some(cond), label)
        }
        _ => atomic_instruction(b, line),
    }
}

/// Comparisons other than `slt` whose outcome goes to a register.
fn comparison(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    let mnemonic = line.mnemonic.as_str();
    let (dst, result) = match mnemonic {
        "seqz" | "snez" => {
            let [dst, value] = line.take(b.source)?;
            let op = if mnemonic == "seqz" { BinOp::Eq } else { BinOp::Ne };
            (dst, Expr::bin(op, b.rv_value(value)?, Expr::Const(0)))
        }
        _ => {
            let [dst, l, r] = line.take(b.source)?;
            let l = b.rv_value(l)?;
            let r = if mnemonic == "sltu" { b.rv_value(r)? } else { b.rv_immediate(r)? };
            (dst, if mnemonic == "slti" { Expr::bin(BinOp::Lt, l, r) } else { unsigned(BinOp::Lt, l, r) })
        }
    };
    let dst = b.rv(dst)?;
    b.assign(dst, result);
    Ok(())
}

fn shift(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    let [dst, value, amount] = line.take(b.source)?;
    let value = b.rv_value(value)?;
    let amount = match line.mnemonic.strip_suffix('i') {
        Some(_) => b.rv_immediate(amount)?,
        None => b.rv_value(amount)?,
    };
    let result = shifted(value, &line.mnemonic[..3], amount, true);
    let dst = b.rv(dst)?;
    b.assign(dst, result);
    Ok(())
}

fn atomic_instruction(b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
    if let Some((loads, width, signed, mode)) = access(&line.mnemonic) {
        let [register, addr] = line.take(b.source)?;
        if loads {
            let addr = b.rv_address(addr)?;
            let dst = b.rv(register)?;
            b.load(dst, addr, mode, width, signed);
        } else {
            let (value, addr) = (b.rv_value(register)?, b.rv_address(addr)?);
            b.store(addr, value, mode, width);
        }
        return Ok(());
    }
    let Some((name, width, mode, exclusive)) = atomic(&line.mnemonic) else {
        return Err(line.unsupported(b.source));
    };
    match name {
        "lr" => {
            let [dst, addr] = line.take(b.source)?;
            let addr = b.rv_address(addr)?;
            let dst = b.rv(dst)?;
            b.load_linked(dst, addr, exclusive, width, true);
            Ok(())
        }
        "sc" => {
            let [status, value, addr] = line.take(b.source)?;
            let (value, addr) = (b.rv_value(value)?, b.rv_address(addr)?);
            let ok = b.temp()?;
            b.store_conditional(ok, addr, value, exclusive, width);
            let status = b.rv(status)?;
            b.assign(status, Expr::un(UnOp::Not, Expr::Reg(ok)));
            Ok(())
        }
        _ => {
            let Some(op) = amo(name) else { return Err(line.unsupported(b.source)) };
            let [dst, operand, addr] = line.take(b.source)?;
            let (operand, addr) = (b.rv_value(operand)?, b.rv_address(addr)?);
            let dst = b.rv(dst)?;
            b.rmw(dst, addr, (op, operand), mode, width, true);
            Ok(())
        }
    }
}
