//! Types of C++ at run time: whether an exception of one type is caught as another one.
//!
//! Type information is in constants, laid out by the Itanium C++ ABI (2.9.5): a table of virtual functions,
//! by which the kind of type is known, and a name; then what the kind has.

use super::VmMachine;
use selvedge_ir::pointer;

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
    Function,
}

/// Where a base is in an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    At(i64),
    /// Where its class is most derived, it is known.
    Virtual,
}

impl Base {
    pub(super) fn offset(self) -> i64 {
        match self {
            Base::At(offset) => offset,
            Base::Virtual => 0,
        }
    }
}

/// A part of an object: a class, and how far it is from the object's beginning, or from that of a virtual
/// base.
#[derive(Clone, Copy)]
struct Part {
    class: u64,
    of: Option<u64>,
    offset: i64,
    public: bool,
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
            () if is("::__function_type_info") => Some(Kind::Function),
            () => Some(Kind::Plain),
        }
    }

    /// Whether what is thrown as `thrown` is caught as `caught`.
    pub(super) fn is_of_type(&self, thrown: u64, caught: u64) -> bool {
        if thrown == caught {
            return true;
        }
        match (self.type_kind(thrown), self.type_kind(caught)) {
            (_, Some(Kind::Pointer(..))) if self.is_null_type(thrown) => true,
            (Some(Kind::Pointer(from, inner)), Some(Kind::Pointer(to, outer))) => {
                // Qualifiers may be added; every object is pointed to by `void *`.
                let qualified = from & !to & 7 == 0;
                let is_void = || self.exception_name(outer) == "void" && !self.is_function(inner);
                qualified && (inner == outer || is_void() || self.base_of(inner, outer).is_some())
            }
            _ => self.base_of(thrown, caught).is_some(),
        }
    }

    fn is_function(&self, ty: u64) -> bool {
        matches!(self.type_kind(ty), Some(Kind::Function))
    }

    /// The type of `nullptr`.
    fn is_null_type(&self, ty: u64) -> bool {
        matches!(self.exception_name(ty).as_str(), "decltype(nullptr)" | "std::nullptr_t")
    }

    /// What both of two types of pointers point to.
    pub(super) fn pointed_to(&self, one: u64, other: u64) -> Option<(u64, u64)> {
        match (self.type_kind(one), self.type_kind(other)) {
            (Some(Kind::Pointer(_, one)), Some(Kind::Pointer(_, other))) => Some((one, other)),
            _ => None,
        }
    }

    /// Of a pointer that was thrown, and caught as this type if it has one: 1, and twice how far from what it
    /// points to that is which the other type points to. 0 if it is none.
    pub(super) fn pointer_caught(&self, thrown: u64, caught: Option<u64>) -> u64 {
        if !matches!(self.type_kind(thrown), Some(Kind::Pointer(..))) {
            return u64::from(self.is_null_type(thrown));
        }
        let classes = caught.and_then(|caught| self.pointed_to(thrown, caught));
        let offset = classes.and_then(|(inner, outer)| self.base_of(inner, outer)).map_or(0, Base::offset);
        (2 * offset + 1) as u64
    }

    /// Where the only base of a type is in an object of a class, if it is public.
    pub(super) fn base_of(&self, class: u64, base: u64) -> Option<Base> {
        let mut parts = Vec::new();
        self.parts(Part { class, of: None, offset: 0, public: true }, base, &mut parts);
        let first = parts.first()?;
        let same = |part: &Part| (part.of, part.offset) == (first.of, first.offset);
        // Several are ambiguous: it is not caught that way.
        if !parts.iter().all(same) || !parts.iter().any(|part| part.public) {
            return None;
        }
        Some(first.of.map_or(Base::At(first.offset), |_| Base::Virtual))
    }

    /// All parts of a class within a part.
    fn parts(&self, part: Part, wanted: u64, found: &mut Vec<Part>) {
        if part.class == wanted {
            found.push(part);
            return;
        }
        match self.type_kind(part.class) {
            Some(Kind::OneBase(class)) => self.parts(Part { class, ..part }, wanted, found),
            Some(Kind::Bases(bases)) => {
                for (class, place) in bases {
                    let public = part.public && place & PUBLIC != 0;
                    let inner = match place & VIRTUAL {
                        0 => Part { class, public, offset: part.offset + (place >> 8), ..part },
                        _ => Part { class, public, of: Some(class), offset: 0 },
                    };
                    self.parts(inner, wanted, found);
                }
            }
            _ => {}
        }
    }
}
