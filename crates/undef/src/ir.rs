//! The part of LLVM's IR that clang makes of the generated programs, without optimisations.

use crate::bits::{Bits, Cmp, Op};
use std::collections::HashMap;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Void,
    Int(u32),
    Ptr,
    Array(u64, Box<Ty>),
    Struct(Vec<Ty>, bool),
}

impl Ty {
    /// Bytes that a store writes.
    pub fn store_size(&self) -> u64 {
        match self {
            Ty::Int(bits) => bits.div_ceil(8) as u64,
            _ => self.size(),
        }
    }

    /// Bytes from one element of an array to the next.
    pub fn size(&self) -> u64 {
        match self {
            Ty::Void => 0,
            Ty::Int(_) => self.store_size().next_multiple_of(self.align()),
            Ty::Ptr => 8,
            Ty::Array(n, of) => n * of.size(),
            Ty::Struct(members, _) => self.offset_of(members.len()).next_multiple_of(self.align()),
        }
    }

    pub fn align(&self) -> u64 {
        match self {
            Ty::Void => 1,
            Ty::Int(bits) => (bits.div_ceil(8) as u64).next_power_of_two().min(8),
            Ty::Ptr => 8,
            Ty::Array(_, of) => of.align(),
            Ty::Struct(_, true) => 1,
            Ty::Struct(members, false) => members.iter().map(Ty::align).max().unwrap_or(1),
        }
    }

    /// Where a member begins; for one past the last, where the last ends.
    pub fn offset_of(&self, member: usize) -> u64 {
        let Ty::Struct(members, packed) = self else { return 0 };
        let mut at = 0;
        for (number, ty) in members.iter().enumerate() {
            let align = if *packed { 1 } else { ty.align() };
            at = u64::next_multiple_of(at, align);
            if number == member {
                return at;
            }
            at += ty.size();
        }
        at
    }

    pub fn bits(&self) -> u32 {
        match self {
            Ty::Int(bits) => *bits,
            _ => 64,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Bits(Bits),
    Many(Vec<Value>),
}

#[derive(Clone, Debug)]
pub enum Operand {
    Slot(usize),
    Const(Value),
    Global(String, i64),
}

#[derive(Clone, Debug)]
pub enum What {
    Alloca(Ty, u64),
    Load(Ty, Operand),
    Store(Ty, Operand, Operand),
    Gep(Ty, Operand, Vec<(u32, Operand)>),
    Bin(Op, u32, Operand, Operand),
    Cmp(Cmp, u32, Operand, Operand),
    Zext(Operand),
    Sext(u32, u32, Operand),
    Trunc(u32, Operand),
    Copy(Operand),
    Select(Ty, Operand, Operand, Operand),
    Phi(Vec<(Operand, String)>),
    Extract(Operand, Vec<usize>),
    Insert(Ty, Operand, Operand, Vec<usize>),
    Call(String, Vec<Argument>),
    Ret(Option<Operand>),
    Jump(String),
    Branch(Operand, String, String),
    Switch(Operand, String, Vec<(u128, String)>),
    Unreachable,
}

#[derive(Clone, Debug)]
pub struct Argument {
    pub value: Operand,
    /// A copy of this is what the callee gets.
    pub by_value: Option<Ty>,
}

#[derive(Clone, Debug)]
pub struct Instr {
    pub what: What,
    pub to: Option<usize>,
    pub line: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    pub params: Vec<usize>,
    pub slots: usize,
    /// The first is the entry.
    pub blocks: Vec<(String, Vec<Instr>)>,
    pub labels: HashMap<String, usize>,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub ty: Ty,
    pub init: Value,
}

#[derive(Clone, Debug, Default)]
pub struct Module {
    pub functions: HashMap<String, Function>,
    pub globals: Vec<(String, Global)>,
}

pub fn zero(ty: &Ty) -> Value {
    filled(ty, &|_| Bits::of(0))
}

pub fn undefined(ty: &Ty) -> Value {
    filled(ty, &Bits::undefined)
}

fn filled(ty: &Ty, with: &dyn Fn(u32) -> Bits) -> Value {
    match ty {
        Ty::Array(n, of) => Value::Many((0..*n).map(|_| filled(of, with)).collect()),
        Ty::Struct(members, _) => Value::Many(members.iter().map(|m| filled(m, with)).collect()),
        _ => Value::Bits(with(ty.bits())),
    }
}

/// What indices add to an address.
pub fn offset(of: &Ty, indices: &[(u32, Operand)], value: &mut dyn FnMut(&Operand) -> Bits) -> Bits {
    let mut at = Bits::of(0);
    let mut ty = of.clone();
    for (number, (bits, index)) in indices.iter().enumerate() {
        let index = value(index).sext(*bits, 64);
        let (scale, next) = if number == 0 {
            (ty.size(), ty.clone())
        } else {
            match &ty {
                Ty::Array(_, of) => (of.size(), (**of).clone()),
                Ty::Struct(members, _) => {
                    let member = index.b as usize;
                    at = crate::bits::apply(Op::Add, at, Bits::of(ty.offset_of(member) as u128), 64).0;
                    ty = members[member].clone();
                    continue;
                }
                other => (other.size(), other.clone()),
            }
        };
        let step = crate::bits::apply(Op::Mul, index, Bits::of(scale as u128), 64).0;
        at = crate::bits::apply(Op::Add, at, step, 64).0;
        ty = next;
    }
    at
}
