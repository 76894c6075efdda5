//! Names of memory, in the program's own words.

use super::VmMachine;
use crate::tables::{Object, Site};
use selvedge_ir::{Instr, TypeInfo, pointer};
use std::fmt::Write;

/// How many parts a name may have.
const DEEPEST: usize = 64;

impl VmMachine {
    /// The name of what is at an offset of an object: `q.nodes[2].next`.
    pub(super) fn name_of(&self, object: Object, offset: u64) -> String {
        let (mut name, ty) = match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => {
                let global = &self.module.globals[g.0 as usize];
                (global.name.clone(), global.ty)
            }
            Object::Code(f) => (self.function(f).name.clone(), None),
            Object::Result(thread) => (format!("the result of thread {}", thread.0), None),
            Object::Destructor(key) => (format!("the destructor of key {key}"), None),
            Object::Waiters(address) => {
                let (object, offset) = pointer::split(address).unwrap_or((u32::MAX, 0));
                let of = self.tables.borrow().objects.get(object as usize).copied();
                let of = of.map_or(String::from("nothing"), |of| self.name_of(of, offset.max(0) as u64));
                (format!("the waiters of {of}"), None)
            }
            Object::Barrier { thread, number, .. } => (format!("barrier {}.{number}", thread.0), None),
            Object::Made { site, heap: false, .. } => self.local_name(site),
            Object::Made { thread, number, site, .. } => (self.heap_name(thread.0, number, site), None),
        };
        self.path(&mut name, ty, offset);
        name
    }

    /// The name of an object as a whole, for sentences.
    pub(super) fn name_of_object(&self, object: Object) -> String {
        match object {
            Object::Made { heap: true, .. }
            | Object::Result(_)
            | Object::Destructor(_)
            | Object::Waiters(_)
            | Object::Barrier { .. } => self.name_of(object, 0),
            Object::Global(g) | Object::ThreadLocal(_, g) => {
                format!("`{}`", self.module.globals[g.0 as usize].name)
            }
            Object::Code(f) => format!("`{}`", self.function(f).name),
            Object::Made { site, .. } => format!("`{}`", self.local_name(site).0),
        }
    }

    fn local_name(&self, site: Site) -> (String, Option<u32>) {
        let function = self.function(site.func);
        if let Some(Instr::Alloca { dst, .. }) = function.code.get(site.pc as usize)
            && let Some((_, name, ty)) = function.locals.iter().find(|(reg, ..)| reg == dst)
        {
            return (name.clone(), *ty);
        }
        (format!("a variable of {}", function.name), None)
    }

    fn heap_name(&self, thread: u16, number: u32, site: Site) -> String {
        let function = self.function(site.func);
        let place = function.places.get(site.pc as usize).copied().unwrap_or_default();
        match place.line {
            0 => format!("heap object {thread}.{number}"),
            line => format!("heap object {thread}.{number} (line {line})"),
        }
    }

    /// Follows the type from the whole to the part at an offset.
    fn path(&self, name: &mut String, ty: Option<u32>, offset: u64) {
        let (mut ty, mut offset) = (ty, offset);
        // Types that contain themselves are no types, but may be written down.
        for _ in 0..DEEPEST {
            let Some(info) = ty.and_then(|ty| self.module.types.get(ty as usize)) else { break };
            match info {
                TypeInfo::Struct { fields, .. } => {
                    let Some((field, at, of)) =
                        fields.iter().filter(|(_, at, _)| *at <= offset).max_by_key(|f| f.1)
                    else {
                        break;
                    };
                    // Reserved names are inside of the library's own types.
                    if field.starts_with("__") {
                        break;
                    }
                    let _ = write!(name, ".{field}");
                    (ty, offset) = (Some(*of), offset - at);
                }
                TypeInfo::Array { element, element_size, count } if *element_size > 0 => {
                    let index = offset / element_size;
                    if index >= *count {
                        break;
                    }
                    let _ = write!(name, "[{index}]");
                    (ty, offset) = (Some(*element), offset % element_size);
                }
                _ => break,
            }
        }
        if offset != 0 {
            let _ = write!(name, "+{offset}");
        }
    }
}
