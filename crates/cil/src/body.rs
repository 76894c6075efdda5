//! Method bodies: headers, instructions, and the clauses that protect them (ECMA-335 II.25.4).

use crate::bytes::Bytes;
use crate::opcode::{Encoding, decode};
use crate::{Error, Op, Token, bad};

/// What an instruction comes with.
#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    None,
    /// A constant, the number of a variable, or a branch's target as an offset.
    Int(i64),
    /// The bits of a float.
    Float(u64),
    Token(Token),
    /// Offsets.
    Switch(Vec<u32>),
}

impl Operand {
    pub fn int(&self) -> i64 {
        if let Operand::Int(number) = self { *number } else { 0 }
    }

    pub fn token(&self) -> Token {
        if let Operand::Token(token) = self { *token } else { Token(0) }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// In bytes from the beginning of the code.
    pub offset: u32,
    pub op: Op,
    pub operand: Operand,
}

/// What a clause does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseKind {
    /// Of this type.
    Catch(Token),
    /// Where the filter begins.
    Filter(u32),
    Finally,
    Fault,
}

/// A clause: what it protects and where its handler is, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clause {
    pub kind: ClauseKind,
    pub from: u32,
    pub to: u32,
    pub handler: u32,
    pub handler_end: u32,
}

/// The body of a method.
#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    pub insts: Vec<Inst>,
    /// Inner ones first.
    pub clauses: Vec<Clause>,
    /// The signature of the local variables, if there are any.
    pub locals: Option<Token>,
    pub max_stack: u16,
    /// Local variables, and memory of `localloc`, begin as zeros.
    pub init_locals: bool,
}

const TINY: u8 = 2;
const FAT: u8 = 3;
const MORE_SECTIONS: u16 = 8;
const INIT_LOCALS: u16 = 16;
/// No method of a person or a compiler is this long.
const LONGEST: u32 = 4 << 20;

impl Body {
    /// Reads the body at an offset of the file.
    pub fn read(file: &[u8], at: usize) -> Result<Body, Error> {
        let what = "a method body";
        let mut bytes = Bytes::new(file, at, what);
        let first = bytes.u8()?;
        let (size, locals, sections, max_stack, init_locals) = match first & 3 {
            TINY => (first as u32 >> 2, None, false, 8, false),
            FAT => {
                let flags = first as u16 | (bytes.u8()? as u16) << 8;
                let max_stack = bytes.u16()?;
                let (size, locals) = (bytes.u32()?, Token(bytes.u32()?));
                if flags >> 12 != 3 {
                    return bad("the header of a method body has an unknown size");
                }
                let locals = (locals.0 != 0).then_some(locals);
                (size, locals, flags & MORE_SECTIONS != 0, max_stack, flags & INIT_LOCALS != 0)
            }
            _ => return bad("a method body has an unknown format"),
        };
        if size > LONGEST {
            return bad("a method body is too long");
        }
        let code = bytes.take(size as usize)?;
        let insts = instructions(code)?;
        let mut body = Body { insts, clauses: Vec::new(), locals, max_stack, init_locals };
        let mut more = sections;
        while more {
            bytes.at = bytes.at.next_multiple_of(4);
            more = body.section(&mut bytes)?;
        }
        body.check(size)?;
        Ok(body)
    }

    /// A section after the code; whether there is another one.
    fn section(&mut self, bytes: &mut Bytes) -> Result<bool, Error> {
        let kind = bytes.u8()?;
        let fat = kind & 0x40 != 0;
        let size = match fat {
            true => bytes.u8()? as usize | (bytes.u16()? as usize) << 8,
            false => {
                let size = bytes.u8()? as usize;
                bytes.take(2)?;
                size
            }
        };
        if kind & 0x3f != 1 {
            return bad("a method body has a section of an unknown kind");
        }
        for _ in 0..size.saturating_sub(4) / if fat { 24 } else { 12 } {
            let (flags, from, len, handler, handler_len);
            if fat {
                (flags, from, len) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
                (handler, handler_len) = (bytes.u32()?, bytes.u32()?);
            } else {
                (flags, from, len) = (bytes.u16()? as u32, bytes.u16()? as u32, bytes.u8()? as u32);
                (handler, handler_len) = (bytes.u16()? as u32, bytes.u8()? as u32);
            }
            let extra = bytes.u32()?;
            let kind = match flags {
                0 => ClauseKind::Catch(Token(extra)),
                1 => ClauseKind::Filter(extra),
                2 => ClauseKind::Finally,
                4 => ClauseKind::Fault,
                _ => return bad("a clause of a method body is of an unknown kind"),
            };
            let end = |from: u32, len: u32| from.checked_add(len).ok_or(Error::Short("a clause"));
            let (to, handler_end) = (end(from, len)?, end(handler, handler_len)?);
            self.clauses.push(Clause { kind, from, to, handler, handler_end });
        }
        Ok(kind & 0x80 != 0)
    }

    /// Branches and clauses begin and end at instructions.
    fn check(&self, size: u32) -> Result<(), Error> {
        let begins = |offset: u32| self.at(offset).is_some();
        let bounds = |offset: u32| offset == size || begins(offset);
        for inst in &self.insts {
            let fine = match (&inst.operand, inst.op.is_branch()) {
                (Operand::Int(to), true) => u32::try_from(*to).is_ok_and(begins),
                (Operand::Switch(targets), _) => targets.iter().all(|to| begins(*to)),
                _ => true,
            };
            if !fine {
                return bad(format!("a branch at {:#x} leads into the middle of nothing", inst.offset));
            }
        }
        for clause in &self.clauses {
            let filter = if let ClauseKind::Filter(at) = clause.kind { begins(at) } else { true };
            let fine = begins(clause.from) && bounds(clause.to) && begins(clause.handler);
            if !fine || !bounds(clause.handler_end) || !filter || clause.from >= clause.to {
                return bad("a clause of a method body has impossible bounds");
            }
        }
        Ok(())
    }

    /// The instruction at an offset, by its number.
    pub fn at(&self, offset: u32) -> Option<usize> {
        self.insts.binary_search_by_key(&offset, |inst| inst.offset).ok()
    }
}

impl Op {
    /// Whether its operand is a place to go to.
    pub fn is_branch(self) -> bool {
        use Op::*;
        matches!(
            self,
            Br | Brfalse
                | Brtrue
                | Beq
                | Bge
                | Bgt
                | Ble
                | Blt
                | BneUn
                | BgeUn
                | BgtUn
                | BleUn
                | BltUn
                | Leave
        )
    }
}

fn instructions(code: &[u8]) -> Result<Vec<Inst>, Error> {
    let mut bytes = Bytes::new(code, 0, "an instruction");
    let mut insts = Vec::with_capacity(code.len() / 2);
    while !bytes.is_empty() {
        let offset = bytes.at as u32;
        let mut number = bytes.u8()? as u16;
        if number == 0xfe {
            number = 0xfe00 | bytes.u8()? as u16;
        }
        let Some((op, encoding)) = decode(number) else {
            return bad(format!("there is no instruction with the code {number:#x}"));
        };
        let to = |at: usize, by: i64| Operand::Int(at as i64 + by);
        let operand = match encoding {
            Encoding::None => Operand::None,
            Encoding::Fixed(number) => Operand::Int(number as i64),
            Encoding::Var1 | Encoding::U1 => Operand::Int(bytes.u8()? as i64),
            Encoding::Var2 => Operand::Int(bytes.u16()? as i64),
            Encoding::I1 => Operand::Int(bytes.u8()? as i8 as i64),
            Encoding::I4 => Operand::Int(bytes.u32()? as i32 as i64),
            Encoding::I8 => Operand::Int(bytes.u64()? as i64),
            Encoding::R4 => Operand::Float(bytes.u32()? as u64),
            Encoding::R8 => Operand::Float(bytes.u64()?),
            Encoding::Br1 => {
                let by = bytes.u8()? as i8;
                to(bytes.at, by as i64)
            }
            Encoding::Br4 => {
                let by = bytes.u32()? as i32;
                to(bytes.at, by as i64)
            }
            Encoding::Token => Operand::Token(Token(bytes.u32()?)),
            Encoding::Switch => {
                let count = bytes.u32()? as usize;
                let mut raw = Bytes::new(bytes.take(count.saturating_mul(4))?, 0, "a switch");
                let mut targets = Vec::new();
                for _ in 0..count {
                    let target = bytes.at as i64 + raw.u32()? as i32 as i64;
                    targets.push(u32::try_from(target).or_else(|_| bad("a switch leads out of its method"))?);
                }
                Operand::Switch(targets)
            }
        };
        insts.push(Inst { offset, op, operand });
    }
    Ok(insts)
}
