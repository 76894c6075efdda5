//! Undefined values: where they come from, and what is said where one is used.

use super::state::VmState;
use super::{Halt, VmMachine, fail};
use crate::contents::{Bytes, Content, entry, marked, plain};
use crate::tables::{Object, Site};
use crate::undefined::{self, Origin, Val, Word};
use selvedge_graph::{Loc, Value};
use selvedge_ir::{Instr, Operand, RmwOp};
use selvedge_machine::ErrorKind;
use std::sync::Arc;

impl VmMachine {
    /// The instruction that a thread is at, as an origin.
    #[cold]
    pub(super) fn origin_here(&self, state: &VmState) -> Origin {
        let frame = self.program_frame(state).unwrap_or(&state.frame);
        self.origin_at(Site { func: frame.func, pc: frame.pc })
    }

    pub(super) fn origin_at(&self, site: Site) -> Origin {
        let known = self.tables.borrow().known_origin(site);
        known.unwrap_or_else(|| self.learn(|common| common.origin(site)))
    }

    /// The error of using an undefined value.
    #[cold]
    pub(super) fn not_set<T>(&self, what: &str, origin: Origin) -> Result<T, Halt> {
        if origin.is_outside() {
            return fail(
                ErrorKind::Unsupported,
                format!("{what} depends on an unknown input in a way that is not followed"),
            );
        }
        let from = self.origin_text(origin).map_or(String::new(), |text| format!(": {text}"));
        fail(ErrorKind::UninitialisedRead, format!("{what} was never set{from}"))
    }

    /// `` `r`, declared at f.c:3, has no value yet ``.
    fn origin_text(&self, origin: Origin) -> Option<String> {
        let site = self.tables.borrow().site_of(origin)?;
        let function = self.function(site.func);
        let place = function.places.get(site.pc as usize).filter(|p| p.line != 0)?;
        let file = self.module.files.get(place.file as usize).map_or("", |f| f.as_str());
        let file = file.rsplit('/').next().unwrap_or(file);
        let at = format!("{file}:{}", place.line);
        let name = |reg| function.locals.iter().find(|(r, ..)| *r == reg).map(|(_, name, _)| name);
        Some(match function.code.get(site.pc as usize)? {
            Instr::Alloca { dst, .. } | Instr::Move { dst, .. } | Instr::Cast { dst, .. } => match name(*dst)
            {
                Some(name) => format!("it comes from `{name}`, declared at {at}"),
                None => format!("it comes from {at}"),
            },
            Instr::Call { callee: Operand::Func(f), .. } => {
                let made = match self.function(*f).name.as_str() {
                    "malloc" | "realloc" | "aligned_alloc" | "reallocarray" | "posix_memalign" => "allocated",
                    _ => "made",
                };
                format!("it comes from memory that was {made} at {at}")
            }
            _ => format!("it comes from {at}"),
        })
    }

    // ---- values as the graph knows them ----

    pub(super) fn intern_content(&self, content: Content) -> u32 {
        let known = self.tables.borrow().contents.known(&content);
        known.unwrap_or_else(|| self.learn(|common| common.contents.intern(content)))
    }

    /// A number of up to 8 bytes as the graph knows it.
    #[inline]
    pub(super) fn encode(&self, val: Val, bytes: u8) -> Value {
        match plain(val.bits, val.undef) {
            Some(value) => value,
            None => self.encode_word(Word::of(val, Val::known(0)), bytes as u32),
        }
    }

    /// A number of up to 16 bytes as the graph knows it.
    pub(super) fn encode_word(&self, word: Word, size: u32) -> Value {
        let word = if word.is_outside() { self.in_form(word, (8 * size) as u8) } else { word };
        let simple = if size <= 8 { plain(word.bits as u64, word.undef as u64) } else { None };
        simple.unwrap_or_else(|| marked(self.intern_content(Content::word(word, size)), size))
    }

    /// Some bytes as the graph knows them.
    pub(super) fn encode_bytes(&self, bytes: &Bytes, at: usize, len: usize) -> Value {
        if len <= 16 {
            return self.encode_word(self.word_in(bytes, at, len), len as u32);
        }
        marked(self.intern_content(Content::Bytes(Arc::new(bytes.part(at, len)))), len as u32)
    }

    /// What a value of the graph is, in a cell of up to 8 bytes.
    #[inline]
    pub(super) fn decode(&self, value: u64) -> Val {
        match entry(value) {
            None => Val::known(value),
            Some(entry) => self.tables.borrow().contents.word(entry).low(),
        }
    }

    /// The same in a cell of up to 16 bytes.
    pub(super) fn decode_word(&self, value: u64, bytes: u8) -> Word {
        match bytes {
            ..=8 => Word::of(self.decode(value), Val::known(0)),
            _ => self.tables.borrow().contents.word(value as u32),
        }
    }

    /// Puts a part of what a cell holds into a buffer.
    pub(super) fn decode_part(&self, loc: Loc, value: u64, from: u32, to: &mut Bytes, at: u32, len: u32) {
        let size = self.tables.borrow().layout.cell(loc).size;
        let (from, at, len) = (from as usize, at as usize, len as usize);
        if size <= 16 {
            let word = self.decode_word(value, size as u8);
            if word.is_outside() {
                (0..len).for_each(|i| to.put_byte(at + i, self.byte_of(word, from + i)));
                return;
            }
            let (bits, undef) = (word.bits >> (8 * from), word.undef >> (8 * from));
            return to.put_word(at, len, Word { bits, undef, origin: word.origin });
        }
        if let Some(Content::Bytes(bytes)) = self.tables.borrow().contents.get(value as u32) {
            to.put(at, bytes, from, len);
        }
    }

    /// Some bytes of a buffer as a number.
    pub(super) fn word_in(&self, bytes: &Bytes, at: usize, len: usize) -> Word {
        if !bytes.is_outside(at, len) {
            return bytes.word(at, len);
        }
        self.of_bytes(&(at..at + len).map(|at| bytes.byte(at)).collect::<Vec<_>>())
    }

    /// Puts a number into a buffer.
    pub(super) fn put_in(&self, bytes: &mut Bytes, at: usize, len: usize, word: Word) {
        match word.is_outside() {
            true => (0..len).for_each(|i| bytes.put_byte(at + i, self.byte_of(word, i))),
            false => bytes.put_word(at, len, word),
        }
    }

    /// What a read-modify-write leaves behind.
    pub(super) fn modified(&self, op: RmwOp, bits: u8, old: Word, operand: Word) -> Word {
        let new = match old.is_outside() || operand.is_outside() {
            true => self.rmw_outside(op, bits, old, operand),
            false => undefined::rmw(op, bits, old, operand),
        };
        self.watch_modified(op, bits, [old, operand, new]);
        new
    }

    /// What a cell holds before anything is written to it.
    pub(super) fn initial(&self, loc: Loc) -> Value {
        let (cell, object) = {
            let tables = self.tables.borrow();
            let cell = tables.layout.cell(loc);
            (cell, tables.objects[cell.object as usize])
        };
        let (from, len) = (cell.offset as usize, cell.size as usize);
        let bytes = match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => {
                let global = &self.module.globals[g.0 as usize];
                let mut bytes = Bytes::known(global.bytes[from..from + len].to_vec());
                for &(begin, length) in &global.undefined {
                    let (begin, end) =
                        (begin.max(cell.offset.into()), (begin + length).min((from + len) as u64));
                    if begin < end {
                        bytes.forget(begin as usize - from, (end - begin) as usize);
                    }
                }
                bytes
            }
            Object::Made { zeroed: false, site, .. } => Bytes::undefined(len, self.origin_at(site)),
            _ if len <= 8 => return 0,
            _ => Bytes::known(vec![0; len]),
        };
        self.encode_bytes(&bytes, 0, len)
    }
}
