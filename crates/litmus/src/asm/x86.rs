//! x86: moves, arithmetic and locked instructions of 32 and 64 bits, fences, jumps.

use super::operand::{Line, Piece, inside, is_name, number};
use super::thread::{Builder, Test, signed_low};
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

pub struct Register {
    /// Of 32 bits.
    pub short: &'static str,
    /// Of 64 bits.
    pub long: &'static str,
    pub wide: bool,
}

pub fn register(name: &str) -> Option<Register> {
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
    Some(Register { short, long, wide: same(long) })
}

enum Operand {
    Register { reg: Reg, wide: bool },
    Immediate(Value),
    Memory(Addr),
}

impl Builder<'_> {
    fn x86_register(&mut self, register: &Register) -> Parsed<Reg> {
        let name = if self.arch == super::Arch::X86 { register.short } else { register.long };
        self.reg(name)
    }

    fn x86_operand(&mut self, piece: Piece<'_>) -> Parsed<Operand> {
        if let Some(r) = register(piece.text) {
            return Ok(Operand::Register { reg: self.x86_register(&r)?, wide: r.wide });
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

    /// The value of an operand; memory is loaded from.
    fn x86_value(&mut self, operand: &Operand) -> Parsed<Expr> {
        Ok(match operand {
            Operand::Register { reg, .. } => Expr::Reg(*reg),
            Operand::Immediate(value) => Expr::Const(*value),
            Operand::Memory(addr) => {
                let dst = self.temp()?;
                self.emit(Instr::Load { dst, addr: addr.clone(), mode: Mode::Rlx });
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

    fn mov(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [to, from] = self.take(b)?;
        let target = b.x86_operand(to)?;
        let source = b.x86_operand(from)?;
        match (target, source) {
            (Operand::Register { reg, .. }, Operand::Memory(addr)) => {
                b.emit(Instr::Load { dst: reg, addr, mode: Mode::Rlx });
            }
            (Operand::Register { reg, .. }, source) => {
                let value = b.x86_value(&source)?;
                b.assign(reg, value);
            }
            (Operand::Memory(_), Operand::Memory(_)) | (Operand::Immediate(_), _) => {
                return Err(b.not_an_operand(to));
            }
            (Operand::Memory(addr), source) => {
                let value = b.x86_value(&source)?;
                b.emit(Instr::Store { addr, value, mode: Mode::Rlx });
            }
        }
        Ok(())
    }

    fn sized(&self, e: Expr, wide: bool) -> Expr {
        if self.wide.unwrap_or(wide) { e } else { signed_low(e) }
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
        match b.x86_operand(to)? {
            Operand::Register { .. } if self.locked => Err(b.not_an_operand(to)),
            Operand::Register { reg, wide } => {
                let value = b.x86_value(&source)?;
                let result = self.sized(Expr::bin(op, Expr::Reg(reg), value), wide);
                b.assign(reg, result);
                b.compare(Expr::Reg(reg), Expr::Const(0))
            }
            Operand::Memory(addr) => {
                if matches!(source, Operand::Memory(_)) {
                    return Err(b.not_an_operand(to));
                }
                let value = b.x86_value(&source)?;
                let old = b.temp()?;
                let result = Expr::bin(op, Expr::Reg(old), value.clone());
                if self.locked {
                    b.emit(Instr::Rmw { dst: old, addr, op: rmw, operand: value, mode: Mode::Rlx });
                } else {
                    b.emit(Instr::Load { dst: old, addr: addr.clone(), mode: Mode::Rlx });
                    b.emit(Instr::Store { addr, value: result.clone(), mode: Mode::Rlx });
                }
                b.compare(result, Expr::Const(0))
            }
            Operand::Immediate(_) => Err(b.not_an_operand(to)),
        }
    }

    /// Locked whether it says so or not.
    fn xchg(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [first, second] = self.take(b)?;
        match (b.x86_operand(first)?, b.x86_operand(second)?) {
            (Operand::Memory(addr), Operand::Register { reg, .. })
            | (Operand::Register { reg, .. }, Operand::Memory(addr)) => {
                let operand = Expr::Reg(reg);
                b.emit(Instr::Rmw { dst: reg, addr, op: RmwOp::Exchange, operand, mode: Mode::Rlx });
                Ok(())
            }
            (Operand::Register { reg, .. }, Operand::Register { reg: other, .. }) => {
                let keep = b.temp()?;
                b.assign(keep, Expr::Reg(reg));
                b.assign(reg, Expr::Reg(other));
                b.assign(other, Expr::Reg(keep));
                Ok(())
            }
            _ => Err(b.not_an_operand(first)),
        }
    }

    fn xadd(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [to, from] = self.take(b)?;
        match (b.x86_operand(to)?, b.x86_operand(from)?) {
            (Operand::Memory(addr), Operand::Register { reg, .. }) if self.locked => {
                let operand = Expr::Reg(reg);
                b.emit(Instr::Rmw { dst: reg, addr, op: RmwOp::Add, operand, mode: Mode::Rlx });
                Ok(())
            }
            _ => Err(self.line.error(b.source, "`xadd` is supported with `lock`, of memory and a register")),
        }
    }

    fn cmpxchg(&self, b: &mut Builder<'_>) -> Parsed<()> {
        let [to, from] = self.take(b)?;
        let (Operand::Memory(addr), Operand::Register { reg, .. }) =
            (b.x86_operand(to)?, b.x86_operand(from)?)
        else {
            return Err(b.not_an_operand(to));
        };
        if !self.locked {
            return Err(self.line.error(b.source, "`cmpxchg` is supported with `lock` only"));
        }
        let Some(eax) = register("EAX") else { return Err(self.line.unsupported(b.source)) };
        let (old, ok) = (b.x86_register(&eax)?, b.temp()?);
        b.emit(Instr::Cas {
            ok,
            old,
            addr,
            expected: Expr::Reg(old),
            desired: Expr::Reg(reg),
            success: Mode::Rlx,
            failure: Mode::Rlx,
            weak: false,
        });
        b.compare(Expr::Reg(ok), Expr::Const(1))
    }

    fn compare(&self, b: &mut Builder<'_>, test: bool) -> Parsed<()> {
        let [l, r] = self.take(b)?;
        let (l, r) = (b.x86_operand(l)?, b.x86_operand(r)?);
        let (l, r) = (b.x86_value(&l)?, b.x86_value(&r)?);
        if test {
            return b.compare(Expr::bin(BinOp::And, l, r), Expr::Const(0));
        }
        b.compare(l, r)
    }
}

fn condition(code: &str) -> Option<Test> {
    Some(match code {
        "e" | "z" => Test::Signed(BinOp::Eq),
        "ne" | "nz" => Test::Signed(BinOp::Ne),
        "l" => Test::Signed(BinOp::Lt),
        "le" => Test::Signed(BinOp::Le),
        "g" => Test::Signed(BinOp::Gt),
        "ge" => Test::Signed(BinOp::Ge),
        "b" => Test::Unsigned(BinOp::Lt),
        "be" => Test::Unsigned(BinOp::Le),
        "a" => Test::Unsigned(BinOp::Gt),
        "ae" => Test::Unsigned(BinOp::Ge),
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
