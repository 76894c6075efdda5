//! How a value of LLVM is spread over registers.

use crate::llvm::{Layout, Type, TypeKind};

/// A part of a value that is not an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// At most 64 bits: one register; at most 128: two, the lower half first.
    Int(u32),
    Float,
    Double,
    /// `long double` of x86: 80 bits in two registers.
    Extended,
    Pointer,
    /// Floats of 16 and 128 bits, wider integers, …: takes a register, but nothing can be done with it.
    Other,
}

impl Scalar {
    pub(super) fn registers(self) -> u32 {
        match self {
            Scalar::Int(65..=128) | Scalar::Extended => 2,
            _ => 1,
        }
    }

    pub(super) fn bits(self) -> Option<u8> {
        match self {
            Scalar::Int(bits @ 1..=128) => Some(bits as u8),
            Scalar::Float => Some(32),
            Scalar::Double | Scalar::Pointer => Some(64),
            Scalar::Extended => Some(80),
            Scalar::Int(_) | Scalar::Other => None,
        }
    }

    /// The width of an integer or a pointer.
    pub(super) fn int_bits(self) -> Option<u8> {
        match self {
            Scalar::Float | Scalar::Double | Scalar::Extended => None,
            other => other.bits(),
        }
    }

    pub(super) fn float_bits(self) -> Option<u8> {
        matches!(self, Scalar::Float | Scalar::Double | Scalar::Extended).then(|| self.bits()).flatten()
    }
}

/// The scalars of a type in order, each with its offset in memory.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) parts: Vec<(Scalar, u64)>,
    /// Whether it is no aggregate.
    pub(super) single: bool,
}

impl Shape {
    pub(super) fn registers(&self) -> u32 {
        self.parts.iter().map(|(scalar, _)| scalar.registers()).sum()
    }

    /// The only scalar of a type that is no aggregate.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        match self.parts.as_slice() {
            [(scalar, _)] if self.single => Some(*scalar),
            _ => None,
        }
    }
}

pub(super) fn shape<'m>(layout: Layout<'m>, ty: Type<'m>) -> Shape {
    let mut parts = Vec::new();
    collect(layout, ty, 0, &mut parts);
    let single = !matches!(ty.kind(), TypeKind::Struct | TypeKind::Array | TypeKind::Vector);
    Shape { parts, single }
}

fn collect<'m>(layout: Layout<'m>, ty: Type<'m>, offset: u64, parts: &mut Vec<(Scalar, u64)>) {
    let scalar = match ty.kind() {
        TypeKind::Void => return,
        TypeKind::Int(bits @ 1..=128) => Scalar::Int(bits),
        TypeKind::Float => Scalar::Float,
        TypeKind::Double => Scalar::Double,
        TypeKind::Extended => Scalar::Extended,
        TypeKind::Pointer => Scalar::Pointer,
        TypeKind::Struct => {
            for (field, inner) in ty.fields().into_iter().enumerate() {
                collect(layout, inner, offset + layout.field_offset(ty, field as u32), parts);
            }
            return;
        }
        TypeKind::Array => {
            let (element, count) = ty.elements();
            for index in 0..count {
                collect(layout, element, offset + index * layout.size(element), parts);
            }
            return;
        }
        TypeKind::Vector => {
            let (element, count) = ty.elements();
            // Elements of a vector are packed: those that are not whole bytes have no address.
            match element.kind() {
                TypeKind::Int(8 | 16 | 32 | 64) | TypeKind::Float | TypeKind::Double | TypeKind::Pointer => {
                    for index in 0..count {
                        collect(layout, element, offset + index * layout.size(element), parts);
                    }
                }
                _ => parts.extend((0..count).map(|_| (Scalar::Other, offset))),
            }
            return;
        }
        TypeKind::Int(_) | TypeKind::Function | TypeKind::Other => Scalar::Other,
    };
    parts.push((scalar, offset));
}

/// Which registers of an aggregate the part at `indices` takes.
pub(super) fn part<'m>(layout: Layout<'m>, mut ty: Type<'m>, indices: &[u32]) -> std::ops::Range<usize> {
    let mut start = 0;
    for &index in indices {
        let inner = match ty.kind() {
            TypeKind::Struct => {
                let fields = ty.fields();
                let before = &fields[..index as usize];
                start += before.iter().map(|field| shape(layout, *field).registers()).sum::<u32>();
                fields[index as usize]
            }
            _ => {
                let (element, _) = ty.elements();
                start += index * shape(layout, element).registers();
                element
            }
        };
        ty = inner;
    }
    start as usize..(start + shape(layout, ty).registers()) as usize
}
