//! x86: moves, arithmetic and locked instructions of 32 and 64 bits, fences, jumps.

use super::operand::{Line, Piece, inside, is_name, number};
use super::thread::{BranchTest, Builder};
use super::width::{Width, low, signed_low, stored};
use crate::syntax::Parsed;
use selvedge_graph::{Barrier, Mode, Value};
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};

/// How instructions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// `MOV EAX,[x]`: the destination comes first.
    Intel,
    /// `movl (x),%eax`: the destination comes last, and mnemonics have the size at their end.
    Att,
}

pub struct X86Register {
    /// Of 32 bits.
    pub short: &'static str,
    /// Of 64 bits.
    pub long: &'static str,
    pub wide: bool,
}

pub fn register(name: &str) -> Option<X86Register> {
    const NAMES: [(&str, &str); 16] = [
        ("EAX", "rax"),
        ("EBX", "rbx"),
        ("ECX", "rcx"),
        ("EDX", "rdx"),
        ("ESI", "rsi"),
        ("EDI", "rdi"),
        ("EBP", "rbp"),
        ("ESP", "rsp"),
        ("R8D", "r8"),
        ("R9D", "r9"),
        ("R10D", "r10"),
        ("R11D", "r11"),
        ("R12D", "r12"),
        ("R13D", "r13"),
        ("R14D", "r14"),
        ("R15D", "r15"),
    ];
    let name = name.strip_prefix('%').unwrap_or(name);
    let same = |known: &str| known.eq_ignore_ascii_case(name);
    let (short, long) = NAMES.iter().find(|(short, long)| same(short) || same(long))?;
    Some(X86Register { short, long, wide: same(long) })
}

enum Operand {
    X86Register { reg: Reg, wide: bool },
    Immediate(Value),
    Memory(Addr),
}

impl Builder<'_> {
    fn x86_register(&mut self, register: &X86Register) -> Parsed<Reg> {
        let name = if self.arch == super::Arch::X86 { register.short } else { register.long };
        self.reg(name)
    }

    fn x86_operand(&mut self, piece: Piece<'_>) -> Parsed<Operand> {
        if let Some(r) = register(piece.text) {
            return Ok(Operand::X86Register { reg: self.x86_register(&r)?, wide: r.wide });
        }
        if let Some(value) = number(piece.text) {
            return Ok(Operand::Immediate(value));
        }
        let inner = inside(piece.text, '[', ']').or_else(|| inside(piece.text, '(', ')'));
        let Some(inner) = inner else { return Err(self.not_an_operand(piece)) };
        let addr = match register(inner) {
            Some(r) => Addr::Pointer(Expr::Reg(self.x86_register(&r)?)),
            None if is_name(inner) => Addr::Loc(self.symbol(Piece { text: inner, place: piece.place })?),
            None => return Err(self.not_an_address(piece)),
        };
        Ok(Operand::Memory(addr))
    }

    /// A value of this size as a register holds it: the upper half of a larger register is 0.
    fn x86_sized(&self, e: Expr, width: Width) -> Expr {
        match width {
            Width::WORD if self.arch == super::Arch::X86 => signed_low(e),
            Width::WORD => low(e),
            _ => e,
        }
    }

    fn x86_load(&mut self, dst: Reg, addr: Addr, width: Width) {
        let signed = self.arch == super::Arch::X86;
        self.load(dst, addr, Mode::Rlx, width, signed);
    }

    /// The value of an operand; memory is loaded from.
    fn x86_value(&mut self, operand: &Operand, width: Width) -> Parsed<Expr> {
        Ok(match operand {
            Operand::X86Register { reg, .. } => Expr::Reg(*reg),
            Operand::Immediate(value) => Expr::Const(*value),
            Operand::Memory(addr) => {
                let dst = self.temp()?;
                self.x86_load(dst, addr.clone(), width);
                Expr::Reg(dst)
            }
        })
    }
}

/// One instruction with its operands, the destination first.
struct X86<'l, 'a> {
    line: &'l Line<'a>,
    operands: Vec<Piece<'a>>,
    locked: bool,
    /// 64 bits, if the mnemonic says so.
    wide: Option<bool>,
}

impl<'a> X86<'_, 'a> {
    fn take<const N: usize>(&self, b: &Builder<'_>) -> Parsed<[Piece<'a>; N]> {
        <[Piece<'a>; N]>::try_from(self.operands.as_slice()).map_err(|_| {
            let (name, found) = (&self.line.mnemonic, self.operands.len());
            self.line.error(b.source, format!("`{name}` takes {N} operands here, not {found}"))
        })
    }

    /// The size of the operands: what the mnemonic says, and the registers.
    fn width(&self, b: &Builder<'_>, operands: &[&Operand]) -> Parsed<Width> {
        let mut wide = self.wide;
        for operand in operands {
            if let Operand::X86Register { wide: own, .. } = operand
                && *wide.get_or_insert(*own) != *own
            {
                let message = format!("the operands of `{}` are not of one size", self.line.mnemonic);
                return Err(self.line.error(b.source, message));
            }
        }
        Ok(Width::of(wide.unwrap_or(false)))
    }

    fn mov(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [to, from] = self.take(b)?;
        let target = b.x86_operand(to)?;
        let source = b.x86_operand(from)?;
        let width = self.width(b, &[&target, &source])?;
        match (target, source) {
            (Operand::X86Register { reg, .. }, Operand::Memory(addr)) => b.x86_load(reg, addr, width),
            (Operand::X86Register { reg, .. }, source) => {
                let value = b.x86_value(&source, width)?;
                let value = b.x86_sized(value, width);
                b.assign(reg, value);
            }
            (Operand::Memory(_), Operand::Memory(_)) | (Operand::Immediate(_), _) => {
                return Err(b.not_an_operand(to));
            }
            (Operand::Memory(addr), source) => {
                let value = b.x86_value(&source, width)?;
                b.store(addr, value, Mode::Rlx, width);
            }
        }
        Ok(())
    }

    /// `op dst, src`, or `inc dst` with a source of 1.
    fn arithmetic(&self, b: &mut Builder<'_>, op: BinOp, rmw: RmwOp, one: bool) -> Parsed<()> {
        let (to, source) = if one {
            let [to] = self.take(b)?;
            (to, Operand::Immediate(1))
        } else {
            let [to, from] = self.take(b)?;
            (to, b.x86_operand(from)?)
        };
        let target = b.x86_operand(to)?;
        let width = self.width(b, &[&target, &source])?;
        match target {
            Operand::X86Register { .. } if self.locked => Err(b.not_an_operand(to)),
            Operand::X86Register { reg, .. } => {
                let value = b.x86_value(&source, width)?;
                let result = b.x86_sized(Expr::bin(op, Expr::Reg(reg), value), width);
                b.assign(reg, result);
                b.compare(stored(Expr::Reg(reg), width), Expr::Const(0))
            }
            Operand::Memory(addr) => {
                if matches!(source, Operand::Memory(_)) {
                    return Err(b.not_an_operand(to));
                }
                let value = b.x86_value(&source, width)?;
                let old = b.temp()?;
                let result = Expr::bin(op, Expr::Reg(old), value.clone());
                if self.locked {
                    b.rmw(old, addr, (rmw, value), Mode::Rlx, width, true);
                } else {
                    b.x86_load(old, addr.clone(), width);
                    b.store(addr, result.clone(), Mode::Rlx, width);
                }
                b.compare(stored(result, width), Expr::Const(0))
            }
            Operand::Immediate(_) => Err(b.not_an_operand(to)),
        }
    }

    /// Locked whether it says so or not.
    fn xchg(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [first, second] = self.take(b)?;
        let (first_operand, second_operand) = (b.x86_operand(first)?, b.x86_operand(second)?);
        let width = self.width(b, &[&first_operand, &second_operand])?;
        match (first_operand, second_operand) {
            (Operand::Memory(addr), Operand::X86Register { reg, .. })
            | (Operand::X86Register { reg, .. }, Operand::Memory(addr)) => {
                let what = (RmwOp::Exchange, Expr::Reg(reg));
                b.rmw(reg, addr, what, Mode::Rlx, width, b.arch == super::Arch::X86);
                Ok(())
            }
            (Operand::X86Register { reg, .. }, Operand::X86Register { reg: other, .. }) => {
                let keep = b.temp()?;
                b.assign(keep, Expr::Reg(reg));
                b.assign(reg, b.x86_sized(Expr::Reg(other), width));
                b.assign(other, b.x86_sized(Expr::Reg(keep), width));
                Ok(())
            }
            _ => Err(b.not_an_operand(first)),
        }
    }

    fn xadd(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [to, from] = self.take(b)?;
        let (target, source) = (b.x86_operand(to)?, b.x86_operand(from)?);
        let width = self.width(b, &[&target, &source])?;
        match (target, source) {
            (Operand::Memory(addr), Operand::X86Register { reg, .. }) if self.locked => {
                let what = (RmwOp::Add, Expr::Reg(reg));
                b.rmw(reg, addr, what, Mode::Rlx, width, b.arch == super::Arch::X86);
                Ok(())
            }
            _ => Err(self.line.error(b.source, "`xadd` is supported with `lock`, of memory and a register")),
        }
    }

    fn cmpxchg(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [to, from] = self.take(b)?;
        let (target, source) = (b.x86_operand(to)?, b.x86_operand(from)?);
        let width = self.width(b, &[&target, &source])?;
        let (Operand::Memory(addr), Operand::X86Register { reg, .. }) = (target, source) else {
            return Err(b.not_an_operand(to));
        };
        if !self.locked {
            return Err(self.line.error(b.source, "`cmpxchg` is supported with `lock` only"));
        }
        let Some(eax) = register("EAX") else { return Err(self.line.unsupported(b.source)) };
        let old = b.x86_register(&eax)?;
        let values = (Expr::Reg(old), Expr::Reg(reg));
        let ok = b.cas(old, addr, values, (Mode::Rlx, Mode::Rlx), width)?;
        b.assign(old, b.x86_sized(Expr::Reg(old), width));
        b.compare(Expr::Reg(ok), Expr::Const(1))
    }

    fn compare(&self, b: &mut Builder<'_>, test: bool) -> Parsed<()> {
        let [l, r] = self.take(b)?;
        let (l, r) = (b.x86_operand(l)?, b.x86_operand(r)?);
        let width = self.width(b, &[&l, &r])?;
        let (l, r) = (b.x86_value(&l, width)?, b.x86_value(&r, width)?);
        if test {
            return b.compare(stored(Expr::bin(BinOp::And, l, r), width), Expr::Const(0));
        }
        b.compare(stored(l, width), stored(r, width))
    }
}

fn condition(code: &str) -> Option<BranchTest> {
    Some(match code {
        "e" | "z" => BranchTest::Signed(BinOp::Eq),
        "ne" | "nz" => BranchTest::Signed(BinOp::Ne),
        "l" => BranchTest::Signed(BinOp::Lt),
        "le" => BranchTest::Signed(BinOp::Le),
        "g" => BranchTest::Signed(BinOp::Gt),
        "ge" => BranchTest::Signed(BinOp::Ge),
        "b" => BranchTest::Unsigned(BinOp::Lt),
        "be" => BranchTest::Unsigned(BinOp::Le),
        "a" => BranchTest::Unsigned(BinOp::Gt),
        "ae" => BranchTest::Unsigned(BinOp::Ge),
        _ => return None,
    })
}

pub fn instruction(b: &mut Builder<'_>, line: &Line<'_>, syntax: Syntax) -> Parsed<()> {
    match line.mnemonic.as_str() {
        "lock" => {
            let inner = line.without_prefix(b.source);
            if inner.mnemonic == "lock" {
                return Err(line.unsupported(b.source));
            }
            return simple(b, &inner, syntax, true);
        }
        "mfence" => b.emit(Instr::Fence { mode: Mode::Sc }),
        "sfence" => b.fence(Barrier::Sfence),
        "lfence" => b.fence(Barrier::Lfence),
        "nop" => {}
        "jmp" => {
            let [label] = line.take(b.source)?;
            b.jump(None, label)?;
        }
        other => match other.strip_prefix('j').and_then(condition) {
            Some(test) => {
                let [label] = line.take(b.source)?;
                let cond = b.outcome(test)?;
                b.jump(Some(cond), label)?;
            }
            None => return simple(b, line, syntax, false),
        },
    }
    Ok(())
}

fn simple(b: &mut Builder<'_>, line: &Line<'_>, syntax: Syntax, locked: bool) -> Parsed<()> {
    const KNOWN: [&str; 14] = [
        "mov", "add", "sub", "and", "or", "xor", "inc", "dec", "xchg", "xadd", "cmpxchg", "cmp", "test",
        "lea",
    ];
    let mut name = line.mnemonic.as_str();
    let mut wide = None;
    if syntax == Syntax::Att && !KNOWN.contains(&name) {
        (name, wide) = match (name.strip_suffix('l'), name.strip_suffix('q')) {
            (Some(name), _) => (name, Some(false)),
            (_, Some(name)) => (name, Some(true)),
            _ => (name, None),
        };
    }
    let mut operands = line.operands.clone();
    if syntax == Syntax::Att {
        operands.reverse();
    }
    let x = X86 { line, operands, locked, wide };
    match name {
        "xchg" => x.xchg(b),
        "xadd" => x.xadd(b),
        "cmpxchg" => x.cmpxchg(b),
        "add" => x.arithmetic(b, BinOp::Add, RmwOp::Add, false),
        "sub" => x.arithmetic(b, BinOp::Sub, RmwOp::Sub, false),
        "and" => x.arithmetic(b, BinOp::And, RmwOp::And, false),
        "or" => x.arithmetic(b, BinOp::Or, RmwOp::Or, false),
        "xor" => x.arithmetic(b, BinOp::Xor, RmwOp::Xor, false),
        "inc" => x.arithmetic(b, BinOp::Add, RmwOp::Add, true),
        "dec" => x.arithmetic(b, BinOp::Sub, RmwOp::Sub, true),
        "mov" if !locked => x.mov(b),
        "cmp" if !locked => x.compare(b, false),
        "test" if !locked => x.compare(b, true),
        _ => Err(line.unsupported(b.source)),
    }
}
