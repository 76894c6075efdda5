//! Types of C++ at run time: whether an exception of one type is caught as another one.
//!
//! Type information is in constants, laid out by the Itanium C++ ABI (2.9.5): a table of virtual functions,
//! by which the kind of type is known, and a name; then what the kind has.

use super::{Halt, VmMachine, fail};
use selvedge_ir::pointer;
use selvedge_machine::ErrorKind;

/// What type information says besides a name.
enum Kind {
    /// Fundamental types, enumerations, classes without bases.
    Plain,
    /// A class with one public base at its beginning.
    OneBase(u64),
    /// Any other class: bases, and where they are.
    Bases(Vec<(u64, i64)>),
    /// Qualifiers of what is pointed to, and its type.
    Pointer(u32, u64),
}

/// In the offset of a base.
const VIRTUAL: i64 = 1;
const PUBLIC: i64 = 2;

impl VmMachine {
    fn constant_word(&self, addr: u64) -> Option<u64> {
        let (allocation, offset) = pointer::split(addr)?;
        let bytes = &self.module.globals.get(allocation as usize)?.bytes;
        let at = usize::try_from(offset).ok()?;
        Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }

    /// How people call the type.
    pub(super) fn exception_name(&self, ty: u64) -> String {
        let global =
            pointer::split(ty).and_then(|(allocation, _)| self.module.globals.get(allocation as usize));
        let name = global.map_or("?", |global| global.name.as_str());
        name.strip_prefix("typeinfo for ").unwrap_or(name).to_string()
    }

    fn type_kind(&self, ty: u64) -> Option<Kind> {
        let (table, _) = pointer::split(self.constant_word(ty)?)?;
        let table = self.module.globals.get(table as usize)?.name.as_str();
        let word = |at: u64| self.constant_word(ty.wrapping_add(at));
        let is = |kind: &str| table.contains(kind);
        match () {
            () if is("::__si_class_type_info") => Some(Kind::OneBase(word(16)?)),
            () if is("::__vmi_class_type_info") => {
                let count = word(16)? >> 32;
                let base = |n: u64| Some((word(24 + 16 * n)?, word(32 + 16 * n)? as i64));
                (0..count).map(base).collect::<Option<Vec<_>>>().map(Kind::Bases)
            }
            () if is("::__pointer_type_info") => Some(Kind::Pointer(word(16)? as u32, word(24)?)),
            () => Some(Kind::Plain),
        }
    }

    /// Whether what is thrown as `thrown` is caught as `caught`.
    pub(super) fn is_of_type(&self, thrown: u64, caught: u64) -> Result<bool, Halt> {
        if thrown == caught {
            return Ok(true);
        }
        match (self.type_kind(thrown), self.type_kind(caught)) {
            (_, Some(Kind::Pointer(..))) if self.is_null_type(thrown) => Ok(true),
            (Some(Kind::Pointer(from, inner)), Some(Kind::Pointer(to, outer))) => {
                // Qualifiers may be added; everything is pointed to by `void *`.
                let qualified = from & !to & 7 == 0;
                let is_void = self.exception_name(outer) == "void";
                match inner == outer || is_void {
                    true => Ok(qualified),
                    false => Ok(qualified && self.base_offset(inner, outer)?.is_some()),
                }
            }
            _ => Ok(self.base_offset(thrown, caught)?.is_some()),
        }
    }

    /// The type of `nullptr`.
    fn is_null_type(&self, ty: u64) -> bool {
        matches!(self.exception_name(ty).as_str(), "decltype(nullptr)" | "std::nullptr_t")
    }

    /// Of a pointer that was thrown, and caught as this type if it has one: 1, and twice how far from what it
    /// points to that is which the other type points to. 0 if it is none.
    pub(super) fn pointer_caught(&self, thrown: u64, caught: Option<u64>) -> Result<u64, Halt> {
        let kind = self.type_kind(thrown);
        let Some(Kind::Pointer(_, inner)) = kind else { return Ok(u64::from(self.is_null_type(thrown))) };
        let offset = match caught.and_then(|caught| self.type_kind(caught)) {
            Some(Kind::Pointer(_, outer)) => self.base_offset(inner, outer)?.unwrap_or(0),
            _ => 0,
        };
        Ok((2 * offset + 1) as u64)
    }

    /// Where the only public base of a type is in an object of a class.
    pub(super) fn base_offset(&self, class: u64, base: u64) -> Result<Option<i64>, Halt> {
        if class == base {
            return Ok(Some(0));
        }
        match self.type_kind(class) {
            Some(Kind::OneBase(inner)) => self.base_offset(inner, base),
            Some(Kind::Bases(bases)) => {
                let mut found = None;
                for (inner, offset) in bases {
                    let Some(within) = self.base_offset(inner, base)?.filter(|_| offset & PUBLIC != 0) else {
                        continue;
                    };
                    if offset & VIRTUAL != 0 {
                        return fail(
                            ErrorKind::Unsupported,
                            "an exception is caught as a virtual base of its class",
                        );
                    }
                    if found.is_some() {
                        // Ambiguous: it is not caught that way.
                        return Ok(None);
                    }
                    found = Some((offset >> 8) + within);
                }
                Ok(found)
            }
            _ => Ok(None),
        }
    }
}
