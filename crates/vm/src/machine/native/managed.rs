//! Objects of managed languages: what is known of them by their allocation.
//!
//! No memory holds it, so no model can have a thread see an object without its type, as no runtime does.

use crate::machine::native::Native;
use crate::machine::{Frame, Halt, VmMachine, fail};
use crate::tables::Object;
use selvedge_ir::{Instr, Operand, TypeInfo, pointer};
use selvedge_machine::{ErrorKind, Op};

/// Bytes before the fields of an object, or the elements of an array.
const HEADER: u64 = 24;
/// Where an object that is there from the start has the number of its type.
const TYPE: usize = 16;

impl VmMachine {
    /// Whether a frame stands at a call that makes a managed object.
    pub(in crate::machine) fn makes_managed(&self, frame: &Frame) -> bool {
        let call = self.function(frame.func).code.get(frame.pc as usize);
        let Some(&Instr::Call { callee: Operand::Func(f), .. }) = call else { return false };
        matches!(self.info(f).native, Some(Native::New))
    }

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

    /// A constant argument of the call that made an object.
    fn told_at_making(&self, object: Object, number: usize) -> Option<u64> {
        let Object::Made { site, .. } = object else { return None };
        match self.function(site.func).code.get(site.pc as usize)? {
            Instr::Call { args, .. } => match args.get(number)? {
                Operand::Const(told) => Some(*told),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn type_number(&self, addr: u64) -> Result<u64, Halt> {
        let object = self.managed(addr)?;
        if let Object::Global(g) = object {
            let bytes = &self.module.globals[g.0 as usize].bytes;
            if let Some(Ok(told)) = bytes.get(TYPE..TYPE + 8).map(<[u8; 8]>::try_from) {
                return Ok(u64::from_le_bytes(told));
            }
        }
        match self.told_at_making(object, 1) {
            Some(number) => Ok(number),
            None => fail(ErrorKind::Unsupported, "the type of what is no object is asked for"),
        }
    }

    pub(super) fn element_size(&self, addr: u64) -> Result<u64, Halt> {
        let object = self.managed(addr)?;
        match self.told_at_making(object, 2) {
            Some(size) if size > 0 => Ok(size),
            _ => fail(ErrorKind::Unsupported, "the elements of what is no array are asked for"),
        }
    }

    pub(super) fn array_length(&self, addr: u64) -> Result<u64, Halt> {
        let size = self.size_of(self.managed(addr)?);
        Ok(size.saturating_sub(HEADER) / self.element_size(addr)?)
    }

    /// The type of an object, among the module's, if it was made as one of a managed language.
    pub(in crate::machine) fn type_of_managed(&self, object: Object) -> Option<u32> {
        let Object::Made { site, .. } = object else { return None };
        let made_by = match self.function(site.func).code.get(site.pc as usize)? {
            Instr::Call { callee: Operand::Func(f), .. } => &self.function(*f).name,
            _ => return None,
        };
        let number = self.told_at_making(object, 1).filter(|_| made_by.starts_with("__selvedge_new"))?;
        u32::try_from(number).ok()?.checked_sub(1)
    }

    /// The name of an object's type.
    fn type_name(&self, addr: u64) -> Option<&str> {
        let number = usize::try_from(self.type_number(addr).ok()?).ok()?.checked_sub(1)?;
        match self.module.types.get(number)? {
            TypeInfo::Struct { name, .. } | TypeInfo::Scalar { name, .. } => Some(name),
            _ => None,
        }
    }

    /// A string among the constants, in UTF-16 after its length.
    fn constant_string(&self, addr: u64) -> Option<String> {
        let (number, _) = pointer::split(addr)?;
        let bytes = &self.module.globals.get(number as usize)?.bytes;
        let at = HEADER as usize;
        let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
        let text = bytes.get(at + 4..at.checked_add(4)?.checked_add(length.checked_mul(2)?)?)?;
        let units = text.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
        Some(String::from_utf16_lossy(&units.collect::<Vec<_>>()))
    }

    pub(super) fn unhandled(&self, exception: u64, message: u64) -> Result<Option<Op>, Halt> {
        let name = self.type_name(exception).unwrap_or("an exception");
        let said = self.constant_string(message).map_or(String::new(), |text| format!(": {text}"));
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
