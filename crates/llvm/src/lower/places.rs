//! Places and types, from debug information.

use selvedge_ir::{Place, TypeInfo};

use super::Program;
use crate::llvm::{File, Metadata, Value};

// DWARF 5, section 7.5.3.
const ARRAY: u16 = 0x01;
const CLASS: u16 = 0x02;
const POINTER: u16 = 0x0f;
const REFERENCE: u16 = 0x10;
const STRUCTURE: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
const UNION: u16 = 0x17;
const MEMBER: u16 = 0x0d;
const CONST: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RESTRICT: u16 = 0x37;
const RVALUE_REFERENCE: u16 = 0x42;
const ATOMIC: u16 = 0x47;

/// How deep types are looked into, for names: no program's own types are nested deeper, nor are its names.
const DEEPEST: u32 = 1000;

impl<'m> Program<'m> {
    pub(super) fn place(&mut self, file: &File, line: u32, col: u32) -> Place {
        let file = match self.files.get(file) {
            Some(number) => *number,
            None => {
                // Debug information may have several nodes for a file.
                let shown = self.paths.shown(file);
                let known = self.out.files.iter().position(|other| *other == shown);
                let number = known.unwrap_or(self.out.files.len()) as u32;
                if known.is_none() {
                    self.out.files.push(shown);
                }
                self.files.insert(file.clone(), number);
                number
            }
        };
        Place { file, line, col, note: 0 }
    }

    pub(super) fn place_of(&mut self, instruction: Value<'m>) -> Place {
        match instruction.location() {
            Some(spot) => {
                let note = self.note_of(instruction, &spot);
                Place { note, ..self.place(&spot.file, spot.line, spot.column) }
            }
            None => Place::default(),
        }
    }

    /// Gives a structure a name, if it has none.
    pub(super) fn name_type(&mut self, number: u32, new: &str) {
        if let TypeInfo::Struct { name, .. } = &mut self.out.types[number as usize]
            && name.is_empty()
            && !new.starts_with("anon")
        {
            *name = new.to_owned();
        }
    }

    /// The number of a type in the program's list.
    pub(super) fn type_info(&mut self, ty: Metadata<'m>) -> u32 {
        let bare = unqualified(ty);
        if let Some(number) = self.types.get(&bare) {
            return *number;
        }
        let number = self.out.types.len() as u32;
        // The number is taken before the parts are looked at: they may point back.
        self.types.insert(bare, number);
        self.out.types.push(TypeInfo::Pointer { to: None });
        if self.type_depth == DEEPEST {
            return number;
        }
        self.type_depth += 1;
        let info = match bare.tag() {
            STRUCTURE | UNION | CLASS => {
                let fields = bare
                    .members()
                    .into_iter()
                    .filter(|member| member.tag() == MEMBER)
                    .filter_map(|member| {
                        let inner = self.type_info(member.base()?);
                        Some((member.type_name(), member.offset(), inner))
                    })
                    .collect();
                TypeInfo::Struct { name: bare.type_name(), size: bare.size(), fields }
            }
            ARRAY => self.array(bare),
            POINTER | REFERENCE | RVALUE_REFERENCE => {
                TypeInfo::Pointer { to: bare.base().map(|to| self.type_info(to)) }
            }
            _ => TypeInfo::Scalar { name: bare.type_name(), size: bare.size() },
        };
        self.type_depth -= 1;
        self.out.types[number as usize] = info;
        number
    }

    /// An array of several dimensions is an array of arrays.
    fn array(&mut self, ty: Metadata<'m>) -> TypeInfo {
        let Some(base) = ty.base() else { return TypeInfo::Pointer { to: None } };
        let mut element = self.type_info(base);
        let mut element_size = self.size_of(element);
        let dimensions = ty.dimensions();
        for &count in dimensions.iter().skip(1).rev() {
            let number = self.out.types.len() as u32;
            self.out.types.push(TypeInfo::Array { element, count, element_size });
            element = number;
            element_size = element_size.saturating_mul(count);
        }
        TypeInfo::Array { element, count: dimensions.first().copied().unwrap_or(0), element_size }
    }

    fn size_of(&self, ty: u32) -> u64 {
        match &self.out.types[ty as usize] {
            TypeInfo::Scalar { size, .. } | TypeInfo::Struct { size, .. } => *size,
            TypeInfo::Array { count, element_size, .. } => count.saturating_mul(*element_size),
            TypeInfo::Pointer { .. } => 8,
        }
    }
}

/// Without names and qualifiers around it.
pub(super) fn unqualified(ty: Metadata<'_>) -> Metadata<'_> {
    let mut bare = ty;
    // Debug information that nobody has checked may go round in circles.
    for _ in 0..DEEPEST {
        match bare.base() {
            Some(base) if matches!(bare.tag(), TYPEDEF | CONST | VOLATILE | RESTRICT | ATOMIC) => bare = base,
            _ => break,
        }
    }
    bare
}

/// Whether a type has members.
pub(super) fn is_record(ty: Metadata<'_>) -> bool {
    matches!(ty.tag(), STRUCTURE | UNION | CLASS)
}

pub(super) fn is_typedef(ty: Metadata<'_>) -> bool {
    ty.tag() == TYPEDEF
}
