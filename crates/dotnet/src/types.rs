//! Types of a running program: instances, not definitions. Every type is interned once, so that types are equal
//! iff their numbers are.

use std::collections::HashMap;

/// A type, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ty(pub u32);

/// A definition: the assembly, by number, and the row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefId {
    pub assembly: u32,
    pub row: u32,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
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
    I,
    U,
    String,
    Object,
    /// A class, an interface or a value type, with its arguments.
    Def(DefId, Vec<Ty>),
    SzArray(Ty),
    Array(Ty, u32),
    Ptr(Ty),
    ByRef(Ty),
    FnPtr,
    /// A parameter of a method, where signatures are compared.
    MVar(u32),
}

#[derive(Debug, Default)]
pub struct Types {
    kinds: Vec<Kind>,
    numbers: HashMap<Kind, Ty>,
}

impl Types {
    pub fn intern(&mut self, kind: Kind) -> Ty {
        if let Some(ty) = self.numbers.get(&kind) {
            return *ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.numbers.insert(kind, ty);
        ty
    }

    pub fn kind(&self, ty: Ty) -> &Kind {
        &self.kinds[ty.0 as usize]
    }
}

/// What generic parameters stand for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context {
    pub class: Vec<Ty>,
    /// `None` where methods are compared by their parameters.
    pub method: Option<Vec<Ty>>,
}
