//! Places, locations, values and threads in the words of the program's source.

use crate::contents::entry;
use crate::machine::state::Frame;
use crate::machine::{VmMachine, VmState};
use crate::undefined::Word;
use selvedge_graph::{Loc, Value};
use selvedge_ir::{Instr, arith};
use selvedge_machine::{ErrorKind, Names, SourcePlace};

impl Names for VmMachine {
    fn place(&self, state: &VmState) -> Option<SourcePlace> {
        let known = |frame: &Frame| {
            let place = *self.function(frame.func).places.get(frame.pc as usize)?;
            (place.line != 0 && !self.info(frame.func).runtime).then(|| self.source_place(place))
        };
        state.frames().find_map(known)
    }

    fn stack(&self, state: &VmState) -> Vec<(String, Option<SourcePlace>)> {
        let call = |frame: &Frame| {
            let place = self.function(frame.func).places.get(frame.pc as usize).copied().unwrap_or_default();
            let known = place.line != 0 && !self.info(frame.func).runtime;
            (self.function(frame.func).name.clone(), known.then(|| self.source_place(place)))
        };
        state.frames().map(call).collect()
    }

    fn value_type(&self, loc: Loc, value: Value) -> Option<String> {
        let tables = self.tables.borrow();
        Some(match tables.layout.cell(loc).size {
            8 if self.pointer_name(&tables, value as u64).is_some() => String::from("pointer"),
            bytes @ 1..=8 => format!("i{}", 8 * bytes),
            bytes => format!("{bytes} bytes"),
        })
    }

    fn location_name(&self, loc: Loc) -> String {
        let tables = self.tables.borrow();
        let cell = tables.layout.cell(loc);
        self.name_of(tables.objects[cell.object as usize], cell.offset as u64)
    }

    fn value_name(&self, loc: Loc, value: Value) -> String {
        let tables = self.tables.borrow();
        let bytes = tables.layout.cell(loc).size;
        if bytes > 16 {
            return format!("{bytes} bytes");
        }
        let word = if bytes > 8 {
            tables.contents.word(value as u32)
        } else {
            entry(value as u64).map_or(Word::known(value as u64 as u128), |e| tables.contents.word(e))
        };
        if !word.is_defined() {
            let all = word.undef == arith::mask((8 * bytes) as u8);
            return String::from(if all { "undefined" } else { "partly undefined" });
        }
        if bytes > 8 {
            let half = |bits: u64| match self.pointer_name(&tables, bits) {
                Some(name) => name,
                None => (bits as i64).to_string(),
            };
            return format!("{{{}, {}}}", half(word.bits as u64), half((word.bits >> 64) as u64));
        }
        let value = word.bits as Value;
        if let Some(name) = self.pointer_name(&tables, value as u64).filter(|_| bytes == 8) {
            return name;
        }
        // Narrow values are kept zero-extended; small negative ones are meant to be read as such.
        let unused = 64 - 8 * bytes.clamp(1, 8);
        let signed = (value << unused) >> unused;
        if (-4096..0).contains(&signed) { signed.to_string() } else { (value as u64).to_string() }
    }

    fn thread_name(&self, state: &VmState) -> String {
        self.function(state.entry).name.clone()
    }

    fn is_volatile(&self, state: &VmState) -> bool {
        let instr = self.function(state.frame.func).code.get(state.frame.pc as usize);
        matches!(instr, Some(Instr::Load { volatile: true, .. } | Instr::Store { volatile: true, .. }))
    }

    fn misuse(&self, state: &VmState) -> Option<ErrorKind> {
        if !self.info(state.frame.func).runtime {
            return None;
        }
        match self.function(state.frame.func).name.as_str() {
            name if name.starts_with("pthread_barrier_") => Some(ErrorKind::BarrierMisuse),
            name if name.ends_with("_destroy") => Some(ErrorKind::LockMisuse),
            _ => None,
        }
    }
}
