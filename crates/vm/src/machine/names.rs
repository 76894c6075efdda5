//! Names of memory, in the program's own words.
//!
//! A variable has its name from the source. What comes from the heap has none: on its own it is known by the
//! thread that made it and how many that thread had made before. In a report of one execution it has a name
//! by what it is used as ([`Usage`], see `usage`): `node#1->next`.

use super::VmMachine;
use super::state::{Frame, VmState};
use crate::contents::entry;
use crate::tables::{Object, Site, Tables};
use crate::undefined::Word;
use selvedge_graph::{Loc, Value};
use selvedge_ir::{Contents, Instr, Note, TypeInfo, arith, pointer};
use selvedge_machine::{Usage, Used};
use std::fmt::Write;

/// How many parts a name may have.
const DEEPEST: usize = 64;

/// What a name is for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct How {
    /// What an access takes the contents for, and how many bytes it is of: it says which member of a union
    /// is meant.
    pub(super) access: Option<(Contents, u64)>,
    /// It is the address that is named: that of a structure is not the one of its first member.
    pub(super) address: bool,
}

impl VmMachine {
    /// The name of what is at an offset of an object: `q.nodes[2].next`.
    pub(super) fn name_of(&self, object: Object, offset: u64) -> String {
        self.plain_name(object, offset, How::default())
    }

    fn plain_name(&self, object: Object, offset: u64, how: How) -> String {
        if let Object::Global(g) = object
            && let Some(name) = self.disk.name(g, offset, self.options.disk.max_file_size)
        {
            return name;
        }
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
            Object::LockPart { lock, part } => {
                let home = pointer::split(lock).and_then(|(object, at)| {
                    Some((*self.tables.borrow().objects.get(object as usize)?, u64::try_from(at).ok()?))
                });
                let name = home.map_or_else(String::new, |(object, at)| self.name_of(object, at));
                (format!("{name} (part {part})"), None)
            }
            Object::Mapped { path, .. } => (self.disk.mapped_name(path), None),
            Object::Text { .. } => {
                let number = self.tables.borrow().known_object(object).unwrap_or(u32::MAX);
                let text = self.string_at(pointer::make(number, 0)).unwrap_or_default();
                (format!("{text:?}"), None)
            }
            Object::Made { site, heap: false, .. } => self.local_name(site),
            Object::Made { thread, number, site, .. } => (self.heap_name(thread.0, number, site), None),
        };
        self.path(&mut name, ".", ty, offset, how);
        name
    }

    /// The same in an execution.
    pub(super) fn name_in(
        &self,
        tables: &Tables,
        usage: &Usage,
        number: u32,
        offset: u64,
        how: How,
    ) -> String {
        let Some(&object) = tables.objects.get(number as usize) else { return String::from("nothing") };
        let Some(used) = usage.objects.get(&number) else {
            let name = self.plain_name(object, offset, how);
            return if how.address { format!("&{name}") } else { name };
        };
        let whole = used.element == 0 || self.size_of(object) < 2 * used.element;
        let index = if whole { 0 } else { offset / used.element };
        let mut name = used.name.clone();
        let is_start = how.address && offset == 0;
        if !whole && !is_start {
            let _ = write!(name, "[{index}]");
        }
        let within = offset - index * used.element;
        let is_whole_element = within == 0 && how.address;
        if used.of_type.is_some() && !is_whole_element {
            self.path(&mut name, if whole { "->" } else { "." }, used.of_type, within, how);
        } else if within != 0 {
            let _ = write!(name, "+{within}");
        } else if whole && !how.address {
            name.insert(0, '*');
        }
        // The name of what is on the heap stands for its address.
        if how.address && offset != 0 { format!("&{name}") } else { name }
    }

    /// A value of the graph in an execution.
    pub(super) fn value_of(&self, usage: &Usage, loc: Loc, value: Value, kind: Contents) -> String {
        let bytes = self.tables.borrow().layout.cell(loc).size;
        if bytes > 16 {
            return format!("{bytes} bytes");
        }
        let word = {
            let tables = self.tables.borrow();
            match bytes > 8 {
                true => tables.contents.word(value as u32),
                false => {
                    entry(value as u64).map_or(Word::known(value as u64 as u128), |e| tables.contents.word(e))
                }
            }
        };
        if !word.is_outside() {
            return self.word_of(usage, word, bytes, kind);
        }
        match self.example_of(&usage.examples, word, bytes) {
            Some(example) => format!("{} (e.g.)", self.word_of(usage, example, bytes, kind)),
            None => String::from("unknown"),
        }
    }

    fn word_of(&self, usage: &Usage, word: Word, bytes: u32, kind: Contents) -> String {
        let tables = self.tables.borrow();
        if !word.is_defined() {
            let all = word.undef == arith::mask((8 * bytes) as u8);
            return String::from(if all { "undefined" } else { "partly undefined" });
        }
        if bytes > 8 {
            let half = |bits: u64| match self.pointer_name(&tables, usage, bits) {
                Some(name) => name,
                None => (bits as i64).to_string(),
            };
            return format!("{{{}, {}}}", half(word.bits as u64), half((word.bits >> 64) as u64));
        }
        let value = word.bits as Value;
        match (kind, bytes) {
            (Contents::Float, 4) => return format!("{:?}", f32::from_bits(value as u32)),
            (Contents::Float, 8) => return format!("{:?}", f64::from_bits(value as u64)),
            _ => {}
        }
        let is_short = self.module.short_pointers && bytes == 4 && kind == Contents::Pointer;
        let pointer = if is_short { self.pointer_at(value as u64) } else { value as u64 };
        if let Some(name) = self.pointer_name(&tables, usage, pointer).filter(|_| bytes == 8 || is_short) {
            return name;
        }
        // Narrow values are kept zero-extended; small negative ones are meant to be read as such.
        let unused = 64 - 8 * bytes.clamp(1, 8);
        let signed = (value << unused) >> unused;
        if (-4096..0).contains(&signed) { signed.to_string() } else { (value as u64).to_string() }
    }

    /// `&x`, if a value is an address.
    pub(super) fn pointer_name(&self, tables: &Tables, usage: &Usage, value: u64) -> Option<String> {
        let (allocation, offset) = pointer::split(value)?;
        tables.objects.get(allocation as usize)?;
        let offset = u64::try_from(offset).ok()?;
        Some(self.name_in(tables, usage, allocation, offset, How { access: None, address: true }))
    }

    /// The name of an object as a whole, for sentences.
    pub(super) fn name_of_object(&self, object: Object) -> String {
        match object {
            Object::Made { heap: true, .. }
            | Object::Result(_)
            | Object::Destructor(_)
            | Object::Waiters(_)
            | Object::Barrier { .. }
            | Object::Mapped { .. }
            | Object::Text { .. }
            | Object::LockPart { .. } => self.name_of(object, 0),
            Object::Global(g) | Object::ThreadLocal(_, g) => {
                format!("`{}`", self.module.globals[g.0 as usize].name)
            }
            Object::Code(f) => format!("`{}`", self.function(f).name),
            Object::Made { site, .. } => format!("`{}`", self.local_name(site).0),
        }
    }

    /// A message with the names of an execution instead of those that it was made with.
    pub(super) fn renamed(&self, usage: &Usage, message: String) -> String {
        let tables = self.tables.borrow();
        let names = |(number, used): (&u32, &Used)| {
            let object = *tables.objects.get(*number as usize)?;
            Some((self.name_of(object, 0), *number, used.name.clone()))
        };
        let mut names: Vec<_> = usage.objects.iter().filter_map(names).collect();
        // `heap object 0.1` is also how `heap object 0.12` begins.
        names.sort_by_key(|(old, ..)| std::cmp::Reverse(old.len()));
        let mut message = message;
        for (old, number, new) in names {
            let parts: Vec<&str> = message.split(&old).collect();
            let mut out = String::from(parts[0]);
            for part in &parts[1..] {
                // `heap object 0.1+8` is a part of it.
                let digits = part
                    .strip_prefix('+')
                    .map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
                match part.get(1..1 + digits).and_then(|digits| digits.parse::<u64>().ok()) {
                    Some(offset) => {
                        out += &self.name_in(&tables, usage, number, offset, How::default());
                        out += &part[1 + digits..];
                    }
                    None => {
                        out += &new;
                        out += part;
                    }
                }
            }
            message = out;
        }
        message
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

    /// What is said of the instruction that a frame stands at.
    pub(super) fn note_at(&self, frame: &Frame) -> Option<&Note> {
        let place = self.function(frame.func).places.get(frame.pc as usize)?;
        self.module.notes.get((place.note as usize).checked_sub(1)?)
    }

    /// What the access that a thread is at takes the contents for.
    pub(super) fn contents_at(&self, state: Option<&VmState>) -> Contents {
        state.and_then(|state| self.note_at(&state.frame)).map_or(Contents::Number, |note| note.kind)
    }

    pub(super) fn size_of_type(&self, ty: u32) -> u64 {
        match self.module.types.get(ty as usize) {
            Some(TypeInfo::Scalar { size, .. } | TypeInfo::Struct { size, .. }) => *size,
            Some(TypeInfo::Array { count, element_size, .. }) => count.saturating_mul(*element_size),
            Some(TypeInfo::Pointer { .. }) => 8,
            None => 0,
        }
    }

    /// Follows the type from the whole to the part at an offset. `joint` stands before the first member.
    fn path(&self, name: &mut String, joint: &str, ty: Option<u32>, offset: u64, how: How) {
        let (mut ty, mut offset, mut joint) = (ty, offset, joint);
        // Types that contain themselves are no types, but may be written down.
        for _ in 0..DEEPEST {
            match self.inner(ty, offset, how) {
                Some(Inner::Member(member, of, rest)) => {
                    // Members of a structure without a name are members of what it is in.
                    if !member.is_empty() {
                        let _ = write!(name, "{joint}{member}");
                        joint = ".";
                    }
                    (ty, offset) = (Some(of), rest);
                }
                Some(Inner::Element(index, of, rest)) => {
                    let _ = write!(name, "[{index}]");
                    (ty, offset) = (Some(of), rest);
                    joint = ".";
                }
                None => break,
            }
        }
        if offset != 0 {
            let _ = write!(name, "+{offset}");
        }
    }

    /// The part of a type that is at an offset.
    fn inner(&self, ty: Option<u32>, offset: u64, how: How) -> Option<Inner<'_>> {
        match self.module.types.get(ty? as usize)? {
            TypeInfo::Struct { fields, .. } if !(how.address && offset == 0) => {
                let begun = || fields.iter().filter(|(_, at, _)| *at <= offset);
                let holds = |(_, at, of): &&(String, u64, u32)| offset - at < self.size_of_type(*of);
                let last = begun().filter(holds).map(|field| field.1).max();
                // Nothing is said of what is between members; flexible arrays have no size.
                let last = last.or_else(|| begun().map(|field| field.1).max())?;
                let score = |(_, at, of): &(String, u64, u32)| self.fit(*of, offset - at, how, DEEPEST);
                // The first one of those that fit alike.
                let there = begun().filter(|(_, at, _)| *at == last).rev();
                let (field, at, of) = there.max_by_key(|field| score(field))?;
                // Reserved names are inside of the library's own types.
                (!field.starts_with("__")).then_some(Inner::Member(field, *of, offset - at))
            }
            TypeInfo::Array { element, element_size, count } if *element_size > 0 => {
                let index = offset / element_size;
                let there = index < *count || *count == 0;
                there.then_some(Inner::Element(index, *element, offset % element_size))
            }
            _ => None,
        }
    }

    /// How well an access fits what is at an offset of a type.
    fn fit(&self, ty: u32, offset: u64, how: How, deepest: usize) -> u32 {
        let Some((kind, bytes)) = how.access else { return 0 };
        let of = |found: Contents, size: u64| match (offset, found == kind, size == bytes) {
            (0, true, true) => 3,
            (0, false, true) => 2,
            _ => u32::from(offset + bytes <= size),
        };
        match self.module.types.get(ty as usize) {
            Some(TypeInfo::Scalar { name, size }) => {
                let floats = ["float", "double", "_Float"].iter().any(|float| name.contains(float));
                of(if floats { Contents::Float } else { Contents::Number }, *size)
            }
            Some(TypeInfo::Pointer { .. }) => of(Contents::Pointer, 8),
            _ if deepest == 0 => 0,
            _ => match self.inner(Some(ty), offset, How { access: None, ..how }) {
                Some(Inner::Member(_, of, rest) | Inner::Element(_, of, rest)) => {
                    self.fit(of, rest, how, deepest - 1)
                }
                None => 0,
            },
        }
    }

    /// The type of the pointers that are at an offset of a type, if there are any.
    pub(super) fn points_to(&self, ty: Option<u32>, offset: u64) -> Option<u32> {
        let (mut ty, mut offset) = (ty?, offset);
        let how = How { access: Some((Contents::Pointer, 8)), address: false };
        for _ in 0..DEEPEST {
            if let Some(TypeInfo::Pointer { to }) = self.module.types.get(ty as usize) {
                return to.filter(|_| offset == 0);
            }
            let (Inner::Member(_, of, rest) | Inner::Element(_, of, rest)) =
                self.inner(Some(ty), offset, how)?;
            (ty, offset) = (of, rest);
        }
        None
    }

    /// The type of a variable.
    pub(super) fn type_of(&self, object: Object) -> Option<u32> {
        match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => self.module.globals[g.0 as usize].ty,
            Object::Made { site, heap: false, .. } => self.local_name(site).1,
            _ => None,
        }
    }
}

/// A part of a type: its type, and what is left of the offset.
enum Inner<'a> {
    Member(&'a str, u32, u64),
    Element(u64, u32, u64),
}
