//! Signatures (ECMA-335 II.23.2): what methods take and give, and what fields hold.

use crate::bytes::Bytes;
use crate::tables::{Metadata, TYPE_DEF_OR_REF};
use crate::{Error, Token, bad};

/// A type as a signature has it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeSig {
    Void,
    Bool,
    Char,
    I1,
    U1,
    I2,
    U2,
    I4,
    U4,
    I8,
    U8,
    R4,
    R8,
    String,
    Object,
    /// Native integers.
    I,
    U,
    TypedRef,
    /// A value type.
    Value(Token),
    Class(Token),
    Ptr(Box<TypeSig>),
    ByRef(Box<TypeSig>),
    /// A parameter of the type.
    Var(u32),
    /// A parameter of the method.
    MVar(u32),
    /// Arrays of one dimension from 0 on.
    SzArray(Box<TypeSig>),
    /// Others, by rank.
    Array(Box<TypeSig>, u32),
    /// An instance of a generic type.
    Generic(Box<TypeSig>, Vec<TypeSig>),
    FnPtr(Box<MethodSig>),
    /// A custom modifier (`volatile` is one), and what it modifies.
    Modified {
        by: Token,
        required: bool,
        of: Box<TypeSig>,
    },
}

impl TypeSig {
    /// Without modifiers.
    pub fn plain(&self) -> &TypeSig {
        match self {
            TypeSig::Modified { of, .. } => of.plain(),
            other => other,
        }
    }
}

/// The signature of a method.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MethodSig {
    /// It has a `this`, which is not among the parameters.
    pub has_this: bool,
    pub varargs: bool,
    /// How many type parameters of its own it has.
    pub generics: u32,
    pub result: TypeSig,
    pub params: Vec<TypeSig>,
}

/// The type of a field.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FieldSig(pub TypeSig);

/// Types may be nested as deep as somebody likes; nobody does.
const DEEPEST: u32 = 64;
const MOST: u32 = 4096;

pub fn method(blob: &[u8]) -> Result<MethodSig, Error> {
    method_at(&mut Bytes::new(blob, 0, "the signature of a method"), 0)
}

fn method_at(bytes: &mut Bytes, depth: u32) -> Result<MethodSig, Error> {
    let convention = bytes.u8()?;
    let generics = if convention & 0x10 != 0 { bytes.compressed()? } else { 0 };
    let count = bytes.compressed()?;
    if count > MOST {
        return bad("a signature has too many parameters");
    }
    let result = ty(bytes, depth)?;
    let mut params = Vec::new();
    for _ in 0..count {
        params.push(ty(bytes, depth)?);
    }
    Ok(MethodSig {
        has_this: convention & 0x20 != 0,
        varargs: convention & 0xf == 5,
        generics,
        result,
        params,
    })
}

pub fn field(blob: &[u8]) -> Result<FieldSig, Error> {
    let mut bytes = Bytes::new(blob, 0, "the signature of a field");
    if bytes.u8()? != 6 {
        return bad("the signature of a field is none");
    }
    Ok(FieldSig(ty(&mut bytes, 0)?))
}

/// Types of local variables; `true` for those that are pinned.
pub fn locals(blob: &[u8]) -> Result<Vec<TypeSig>, Error> {
    let mut bytes = Bytes::new(blob, 0, "the signature of local variables");
    if bytes.u8()? != 7 {
        return bad("the signature of local variables is none");
    }
    list(&mut bytes, 0)
}

/// The type arguments of an instance of a generic method.
pub fn arguments(blob: &[u8]) -> Result<Vec<TypeSig>, Error> {
    let mut bytes = Bytes::new(blob, 0, "the arguments of a generic method");
    if bytes.u8()? != 10 {
        return bad("the arguments of a generic method are none");
    }
    list(&mut bytes, 0)
}

pub fn type_spec(blob: &[u8]) -> Result<TypeSig, Error> {
    ty(&mut Bytes::new(blob, 0, "a type"), 0)
}

fn list(bytes: &mut Bytes, depth: u32) -> Result<Vec<TypeSig>, Error> {
    let count = bytes.compressed()?;
    if count > 0xffff {
        return bad("a signature is too long");
    }
    (0..count).map(|_| ty(bytes, depth)).collect()
}

fn token(bytes: &mut Bytes) -> Result<Token, Error> {
    Metadata::coded(&TYPE_DEF_OR_REF, bytes.compressed()?)
}

fn ty(bytes: &mut Bytes, depth: u32) -> Result<TypeSig, Error> {
    if depth > DEEPEST {
        return bad("a type is nested too deep");
    }
    let inner = |bytes: &mut Bytes| Ok::<_, Error>(Box::new(ty(bytes, depth + 1)?));
    Ok(match bytes.u8()? {
        0x01 => TypeSig::Void,
        0x02 => TypeSig::Bool,
        0x03 => TypeSig::Char,
        0x04 => TypeSig::I1,
        0x05 => TypeSig::U1,
        0x06 => TypeSig::I2,
        0x07 => TypeSig::U2,
        0x08 => TypeSig::I4,
        0x09 => TypeSig::U4,
        0x0a => TypeSig::I8,
        0x0b => TypeSig::U8,
        0x0c => TypeSig::R4,
        0x0d => TypeSig::R8,
        0x0e => TypeSig::String,
        0x0f => TypeSig::Ptr(inner(bytes)?),
        0x10 => TypeSig::ByRef(inner(bytes)?),
        0x11 => TypeSig::Value(token(bytes)?),
        0x12 => TypeSig::Class(token(bytes)?),
        0x13 => TypeSig::Var(bytes.compressed()?),
        0x14 => {
            let element = inner(bytes)?;
            let rank = bytes.compressed()?;
            for _ in 0..2 {
                for _ in 0..bytes.compressed()? {
                    bytes.compressed()?;
                }
            }
            TypeSig::Array(element, rank)
        }
        0x15 => {
            let of = inner(bytes)?;
            TypeSig::Generic(of, list(bytes, depth + 1)?)
        }
        0x16 => TypeSig::TypedRef,
        0x18 => TypeSig::I,
        0x19 => TypeSig::U,
        0x1b => TypeSig::FnPtr(Box::new(method_at(bytes, depth + 1)?)),
        0x1c => TypeSig::Object,
        0x1d => TypeSig::SzArray(inner(bytes)?),
        0x1e => TypeSig::MVar(bytes.compressed()?),
        modifier @ (0x1f | 0x20) => {
            let by = token(bytes)?;
            TypeSig::Modified { by, required: modifier == 0x1f, of: inner(bytes)? }
        }
        // Pinned, or the end of the fixed parameters: neither makes a difference.
        0x45 | 0x41 => ty(bytes, depth + 1)?,
        other => return bad(format!("a signature has the unknown element {other:#x}")),
    })
}
