//! Looking at variables from outside.

use super::VmMachine;
use crate::contents::{Content, entry};
use selvedge_graph::{Loc, Value};
use selvedge_ir::GlobalId;

impl VmMachine {
    /// Up to 8 bytes of a static variable as a number, given what is in memory. `None` if some are not
    /// defined.
    pub fn peek(&self, read: &dyn Fn(Loc) -> Value, global: GlobalId, offset: u64, size: u64) -> Option<u64> {
        let initial = &self.module.globals.get(global.0 as usize)?.bytes;
        let (from, to) = (offset as usize, (offset + size) as usize);
        let mut bytes = initial.get(from..to)?.to_vec();
        let tables = self.tables.borrow();
        for loc in tables.layout.cells_of(global.0) {
            let cell = tables.layout.cell(loc);
            let (start, end) = (cell.offset as usize, (cell.offset + cell.size) as usize);
            if start >= to || end <= from {
                continue;
            }
            let value = read(loc) as u64;
            let known = |at: usize| (at < 8).then(|| (value >> (8 * at)) as u8);
            let number = if cell.size > 8 { Some(value as u32) } else { entry(value) };
            let content = number.and_then(|number| tables.contents.get(number));
            for at in start.max(from)..end.min(to) {
                let byte = match content {
                    Some(Content::Word { bits, undef, .. }) => {
                        ((undef >> (8 * (at - start))) as u8 == 0).then(|| (bits >> (8 * (at - start))) as u8)
                    }
                    Some(Content::Bytes(of)) => {
                        let byte = of.byte(at - start);
                        (byte.undef == 0).then_some(byte.bits)
                    }
                    None => known(at - start),
                };
                bytes[at - from] = byte?;
            }
        }
        let mut word = [0; 8];
        word.get_mut(..bytes.len())?.copy_from_slice(&bytes);
        Some(u64::from_le_bytes(word))
    }
}
