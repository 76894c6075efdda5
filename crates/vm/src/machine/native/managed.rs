//! Objects of managed languages: what is known of them since they were made, and their strings.
//!
//! No memory holds it, so no model can have a thread see an object without its type, as no runtime does.
//! Strings that are put together of known ones are not in memory either: there is one object for each text
//! ([`Object::Text`]), which nobody writes.

use super::numerals::{self, Number};
use crate::contents::{Bytes, Content};
use crate::machine::{Halt, VmMachine, fail};
use crate::tables::{Managed, Object};
use selvedge_ir::{TypeInfo, pointer};
use selvedge_machine::{ErrorKind, Op};
use std::sync::Arc;

/// Bytes before the fields of an object, or the elements of an array.
const HEADER: u64 = 24;
/// Where an object that is there from the start has the number of its type.
const TYPE: usize = 16;
/// The length of a string whose contents nobody knows.
const UNKNOWN: u32 = u32::MAX;
/// In units of UTF-16.
const LONGEST_TEXT: usize = 1 << 16;

impl VmMachine {
    fn managed(&self, addr: u64) -> Result<Object, Halt> {
        let known = |(number, offset): (u32, i64)| {
            let object = self.tables.borrow().objects.get(number as usize).copied();
            object.filter(|_| offset == 0)
        };
        match pointer::split(addr).and_then(known) {
            Some(object) => Ok(object),
            None if addr == 0 => fail(ErrorKind::NullDereference, "the type of no object is asked for"),
            None => fail(ErrorKind::Unsupported, "the type of what is no object is asked for"),
        }
    }

    /// What is known of an object; nothing of one that is of no managed language.
    fn known_of(&self, object: Object) -> Option<Managed> {
        match object {
            Object::Made { managed, .. } => Some(managed).filter(|m| m.ty != 0),
            Object::Global(g) => {
                let bytes = self.module.globals[g.0 as usize].bytes.get(TYPE..TYPE + 8)?;
                let ty = u64::from_le_bytes(bytes.try_into().ok()?);
                Some(Managed { ty: u32::try_from(ty).ok()?, element: 0 })
            }
            Object::Text { content, .. } => match self.tables.borrow().contents.get(content)? {
                Content::Bytes(bytes) => {
                    let ty = u64::from_le_bytes(bytes.bits.get(TYPE..TYPE + 8)?.try_into().ok()?);
                    Some(Managed { ty: u32::try_from(ty).ok()?, element: 0 })
                }
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn type_number(&self, addr: u64) -> Result<u64, Halt> {
        match self.known_of(self.managed(addr)?) {
            Some(managed) => Ok(managed.ty as u64),
            None => fail(ErrorKind::Unsupported, "the type of what is no object is asked for"),
        }
    }

    fn elements(&self, addr: u64) -> Result<u64, Halt> {
        match self.known_of(self.managed(addr)?) {
            Some(managed) if managed.element != 0 => Ok(managed.element),
            _ => fail(ErrorKind::Unsupported, "the elements of what is no array are asked for"),
        }
    }

    pub(super) fn element_size(&self, addr: u64) -> Result<u64, Halt> {
        Ok(self.elements(addr)? & 0xffff)
    }

    pub(super) fn dimensions(&self, addr: u64) -> Result<u64, Halt> {
        Ok(self.elements(addr)? >> 16)
    }

    pub(super) fn array_length(&self, addr: u64) -> Result<u64, Halt> {
        let size = self.size_of(self.managed(addr)?);
        Ok(size.saturating_sub(HEADER) / self.element_size(addr)?)
    }

    /// The size of an object, and what is known of it, for another one of its kind.
    pub(super) fn managed_like(&self, addr: u64) -> Result<(u64, Managed), Halt> {
        let object = self.managed(addr)?;
        match self.known_of(object) {
            Some(managed) => Ok((self.size_of(object), managed)),
            None => fail(ErrorKind::Unsupported, "a copy of what is no object"),
        }
    }

    /// The type of an object, among the module's, if it was made as one of a managed language.
    pub(in crate::machine) fn type_of_managed(&self, object: Object) -> Option<u32> {
        match object {
            Object::Made { managed, .. } => managed.ty.checked_sub(1),
            _ => None,
        }
    }

    /// The name of an object's type.
    fn type_name(&self, addr: u64) -> Option<&str> {
        let number = usize::try_from(self.type_number(addr).ok()?).ok()?.checked_sub(1)?;
        match self.module.types.get(number)? {
            TypeInfo::Struct { name, .. } | TypeInfo::Scalar { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The bytes of a string that is in no memory.
    fn string_bytes(&self, addr: u64) -> Option<Vec<u8>> {
        let (number, 0) = pointer::split(addr)? else { return None };
        let tables = self.tables.borrow();
        match *tables.objects.get(number as usize)? {
            Object::Global(g) => {
                let global = &self.module.globals[g.0 as usize];
                global.constant.then(|| global.bytes.clone())
            }
            Object::Text { content, .. } => match tables.contents.get(content)? {
                Content::Bytes(bytes) => Some(bytes.bits.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The units of a string that is in no memory, in UTF-16 after its length.
    fn units(&self, addr: u64) -> Option<Vec<u16>> {
        let bytes = self.string_bytes(addr)?;
        let at = HEADER as usize;
        let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
        let text = bytes.get(at + 4..at.checked_add(4)?.checked_add((length as usize).checked_mul(2)?)?)?;
        Some(text.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect())
    }

    /// What such a string says.
    pub(in crate::machine) fn string_at(&self, addr: u64) -> Option<String> {
        Some(String::from_utf16_lossy(&self.units(addr)?))
    }

    /// Strings made of known ones: whether one is known (1), or that nobody knows what it says (2);
    /// two of them after each other, a part of one, a number as it is written.
    pub(super) fn string_made(&self, name: &str, args: &[u64]) -> Result<u64, Halt> {
        let known = |addr: u64| match self.units(addr) {
            Some(units) => Ok(units),
            None => fail(ErrorKind::Unsupported, "the contents of a string that nobody knows"),
        };
        let (like, units) = match (name, args) {
            ("__selvedge_string_known", [addr]) => {
                let at = HEADER as usize;
                let length = self.string_bytes(*addr).and_then(|b| Some(b.get(at..at + 4)?.to_vec()));
                return Ok(match length {
                    None => 0,
                    Some(length) if length == UNKNOWN.to_le_bytes() => 2,
                    Some(_) => 1,
                });
            }
            // What was put together may be one object of several that say the same, or several.
            ("__selvedge_string_built", [addr]) => {
                let object = pointer::split(*addr).map(|(number, _)| number as usize);
                let tables = self.tables.borrow();
                let object = object.and_then(|number| tables.objects.get(number).copied());
                return Ok(u64::from(matches!(object, Some(Object::Text { .. }))));
            }
            ("__selvedge_string_join", [a, b]) => match (known(*a)?, known(*b)?) {
                (_, second) if second.is_empty() => return Ok(*a),
                (first, _) if first.is_empty() => return Ok(*b),
                both => (*a, [both.0, both.1].concat()),
            },
            ("__selvedge_string_part", [of, from, length]) => {
                let units = known(*of)?;
                let (from, length) = (*from as u32 as usize, *length as u32 as usize);
                match units.get(from..from.saturating_add(length)) {
                    Some(part) => (*of, part.to_vec()),
                    None => return fail(ErrorKind::OutOfBounds, "a part of a string that it does not have"),
                }
            }
            // The first argument is any string: what it says that it is, the new one says, too. Where nobody
            // knows what the number looks like, the last argument is the answer.
            ("__selvedge_string_number", [like, number, kind, format, unknown]) => {
                let number = match kind {
                    0 => Number::Signed((*number as u32 as i32).into(), 4),
                    1 => Number::Unsigned((*number as u32).into()),
                    2 => Number::Signed(*number as i64, 8),
                    3 => Number::Unsigned(*number),
                    4 => return self.make_text(*like, &[*number as u16]),
                    5 => Number::Single(f32::from_bits(*number as u32)),
                    6 => Number::Double(f64::from_bits(*number)),
                    7 => Number::Signed((*number as u16 as i16).into(), 2),
                    _ => Number::Signed((*number as u8 as i8).into(), 1),
                };
                let format = if *format == 0 { Some(Vec::new()) } else { self.units(*format) };
                let format = format.and_then(|units| String::from_utf16(&units).ok());
                match format.and_then(|format| numerals::written(number, &format)) {
                    Some(said) => (*like, said.encode_utf16().collect()),
                    None => return Ok(*unknown),
                }
            }
            // Blanks before it, or after it if there are fewer than none.
            ("__selvedge_string_pad", [text, width, unknown]) => match self.units(*text) {
                Some(units) => {
                    let width = *width as u32 as i32;
                    let blanks = (width.unsigned_abs() as usize).saturating_sub(units.len());
                    let blanks = vec![u16::from(b' '); blanks.min(LONGEST_TEXT)];
                    (*text, if width < 0 { [units, blanks].concat() } else { [blanks, units].concat() })
                }
                None => return Ok(*unknown),
            },
            _ => return fail(ErrorKind::Unsupported, format!("`{name}` with {} arguments", args.len())),
        };
        self.make_text(like, &units)
    }

    fn make_text(&self, like: u64, units: &[u16]) -> Result<u64, Halt> {
        if units.len() > LONGEST_TEXT {
            return fail(ErrorKind::Unsupported, format!("a string of {} characters", units.len()));
        }
        let mut bytes = match self.string_bytes(like) {
            Some(bytes) if bytes.len() >= HEADER as usize => bytes[..HEADER as usize].to_vec(),
            _ => return fail(ErrorKind::Unsupported, "a string that nobody knows"),
        };
        bytes.extend((units.len() as u32).to_le_bytes());
        bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        bytes.extend([0, 0]);
        // There is one empty string. A constant of the program that says the same as another one is not it.
        let empty =
            self.module.globals.iter().position(|g| units.is_empty() && g.constant && g.bytes == bytes);
        if let Some(global) = empty {
            return Ok(pointer::make(global as u32, 0));
        }
        let size = bytes.len() as u64;
        let content = self.intern_content(Content::Bytes(Arc::new(Bytes::known(bytes))));
        Ok(pointer::make(self.intern(Object::Text { content, size }), 0))
    }

    /// A number that objects seldom share: by who made it, and how many that thread had made.
    pub(super) fn identity(&self, addr: u64) -> Result<u64, Halt> {
        Ok(match self.managed(addr)? {
            Object::Made { thread, number, .. } => u64::from(number) * 1021 + u64::from(thread.0) + 7,
            Object::Global(global) => u64::from(global.0) * 1021 + 1020,
            _ => 5,
        })
    }

    pub(super) fn unhandled(&self, exception: u64, message: u64) -> Result<Option<Op>, Halt> {
        let name = self.type_name(exception).unwrap_or("an exception");
        let said = self.string_at(message).map_or(String::new(), |text| format!(": {text}"));
        let mut place = String::new();
        if let Ok(Object::Made { site, .. }) = self.managed(exception) {
            let at = self.function(site.func).places.get(site.pc as usize).copied().unwrap_or_default();
            let file = self.module.files.get(at.file as usize).filter(|_| at.line > 0);
            let short = file.map(|file| file.rsplit('/').next().unwrap_or(file));
            place = short.map_or(String::new(), |file| format!(", made at {file}:{}", at.line));
        }
        fail(ErrorKind::UnhandledException, format!("unhandled {name}{said}{place}"))
    }
}
