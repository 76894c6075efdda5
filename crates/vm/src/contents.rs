//! What cells hold, as the graph knows it.
//!
//! A value in the graph has 8 bytes, and the explorer asks only whether two are equal. A cell of up to 8
//! bytes that is wholly defined holds its number. Whatever does not fit that is known by its number in a
//! table: what has undefined bits, what has 16 bytes, and the long runs of bytes of bulk copies. A number of
//! up to 8 bytes that could be taken for a number of the table is in the table, too, so nothing is taken for
//! something else.

use crate::private::Byte;
use crate::undefined::{Origin, Word};
use selvedge_graph::Value;
use selvedge_ir::arith::mask;
use std::collections::HashMap;
use std::sync::Arc;

/// The upper half of what stands for an entry of the table, in cells of up to 8 bytes.
const MARK: u64 = 0xa5c3_7e19;

/// Many bytes, and which of their bits are undefined.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bytes {
    /// Undefined bits are 0.
    pub bits: Vec<u8>,
    /// By byte; empty if all are defined.
    pub undef: Vec<u8>,
    pub origin: Origin,
    /// By byte, where it comes from if that is outside; empty if none does.
    pub outside: Vec<Origin>,
}

impl Bytes {
    pub fn known(bits: Vec<u8>) -> Bytes {
        Bytes { bits, ..Bytes::default() }
    }

    pub fn undefined(len: usize, origin: Origin) -> Bytes {
        Bytes { bits: vec![0; len], undef: vec![0xff; len], origin, outside: Vec::new() }
    }

    /// Some of them were never set.
    pub fn forget(&mut self, at: usize, len: usize) {
        self.undef.resize(self.bits.len(), 0);
        self.undef[at..at + len].fill(0xff);
    }

    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether some of these bytes come from outside.
    pub fn is_outside(&self, at: usize, len: usize) -> bool {
        self.outside.get(at..at + len).is_some_and(|of| of.iter().any(|o| *o != Origin(0)))
    }

    /// One of them.
    pub fn byte(&self, at: usize) -> Byte {
        let origin = match self.outside.get(at) {
            Some(outside) if *outside != Origin(0) => *outside,
            _ => self.origin,
        };
        Byte { bits: self.bits[at], undef: self.undef.get(at).copied().unwrap_or(0), origin }
    }

    pub fn put_byte(&mut self, at: usize, byte: Byte) {
        let outside = byte.undef != 0 && byte.origin.is_outside();
        self.bits[at] = byte.bits;
        self.make_room(byte.undef != 0, if outside { self.origin } else { byte.origin });
        if let Some(undef) = self.undef.get_mut(at) {
            *undef = byte.undef;
        }
        if outside && self.outside.is_empty() {
            self.outside = vec![Origin(0); self.len()];
        }
        if let Some(of) = self.outside.get_mut(at) {
            *of = if outside { byte.origin } else { Origin(0) };
        }
    }

    /// Up to 16 of them as a number; none comes from outside.
    pub fn word(&self, at: usize, len: usize) -> Word {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | *byte as u128);
        let undef = self.undef.get(at..at + len).map_or(0, number);
        let origin = if self.is_outside(at, len) { Origin::LOST } else { self.origin };
        Word { bits: number(&self.bits[at..at + len]), undef, origin }
    }

    pub fn part(&self, at: usize, len: usize) -> Bytes {
        let undef = self.undef.get(at..at + len).unwrap_or_default();
        let undef = if undef.iter().all(|u| *u == 0) { Vec::new() } else { undef.to_vec() };
        let origin = if undef.is_empty() { Origin(0) } else { self.origin };
        let outside = if self.is_outside(at, len) { self.outside[at..at + len].to_vec() } else { Vec::new() };
        Bytes { bits: self.bits[at..at + len].to_vec(), undef, origin, outside }
    }

    /// Before undefined bits of this origin are put in.
    fn make_room(&mut self, undefined: bool, origin: Origin) {
        if !undefined {
            return;
        }
        if self.undef.is_empty() {
            self.undef = vec![0; self.len()];
            self.origin = origin;
        } else if self.origin == Origin(0) {
            self.origin = origin;
        }
    }

    /// Puts in a number that does not come from outside.
    pub fn put_word(&mut self, at: usize, len: usize, word: Word) {
        if let Some(outside) = self.outside.get_mut(at..at + len) {
            outside.fill(Origin(0));
        }
        self.bits[at..at + len].copy_from_slice(&word.bits.to_le_bytes()[..len]);
        self.make_room(word.undef != 0, word.origin);
        if let Some(undef) = self.undef.get_mut(at..at + len) {
            undef.copy_from_slice(&word.undef.to_le_bytes()[..len]);
        }
    }

    pub fn put(&mut self, at: usize, other: &Bytes, from: usize, len: usize) {
        if !other.outside.is_empty() || !self.outside.is_empty() {
            (0..len).for_each(|i| self.put_byte(at + i, other.byte(from + i)));
            return;
        }
        self.bits[at..at + len].copy_from_slice(&other.bits[from..from + len]);
        self.make_room(!other.undef.is_empty(), other.origin);
        if let Some(undef) = self.undef.get_mut(at..at + len) {
            match other.undef.get(from..from + len) {
                Some(theirs) => undef.copy_from_slice(theirs),
                None => undef.fill(0),
            }
        }
    }
}

/// An entry of the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    Word { bits: u128, undef: u128, origin: Origin },
    Bytes(Arc<Bytes>),
}

impl Content {
    /// Values that are equal to the program are the same entry, so an origin is only kept where there is
    /// nothing to compare.
    pub fn word(word: Word, size: u32) -> Content {
        let all = mask((8 * size) as u8);
        let kept = word.undef & all == all || (word.undef & all != 0 && word.origin.is_outside());
        let origin = if kept { word.origin } else { Origin(0) };
        Content::Word { bits: word.bits & all, undef: word.undef & all, origin }
    }
}

/// What stands for a word in a cell of up to 8 bytes without looking it up.
#[inline]
pub fn plain(bits: u64, undef: u64) -> Option<Value> {
    (undef == 0 && bits >> 32 != MARK).then_some(bits as Value)
}

/// Whether a value of a cell of up to 8 bytes is an entry of the table.
#[inline]
pub fn entry(value: u64) -> Option<u32> {
    (value >> 32 == MARK).then_some(value as u32)
}

/// What stands for an entry in a cell of this size.
pub fn marked(entry: u32, size: u32) -> Value {
    if size <= 8 { (MARK << 32 | entry as u64) as Value } else { entry as Value }
}

#[derive(Clone, Debug, Default)]
pub struct Contents {
    entries: Vec<Content>,
    ids: HashMap<Content, u32>,
}

impl Contents {
    pub fn known(&self, content: &Content) -> Option<u32> {
        self.ids.get(content).copied()
    }

    pub fn intern(&mut self, content: Content) -> u32 {
        if let Some(id) = self.known(&content) {
            return id;
        }
        let id = self.entries.len() as u32;
        self.entries.push(content.clone());
        self.ids.insert(content, id);
        id
    }

    pub fn get(&self, entry: u32) -> Option<&Content> {
        self.entries.get(entry as usize)
    }

    pub fn all(&self) -> &[Content] {
        &self.entries
    }

    /// Takes in what is new in a table of which this one is a beginning.
    pub fn follow(&mut self, common: &Contents) {
        for content in &common.entries[self.entries.len()..] {
            self.intern(content.clone());
        }
    }

    /// What an entry is as a number.
    pub fn word(&self, entry: u32) -> Word {
        match self.get(entry) {
            Some(&Content::Word { bits, undef, origin }) => Word { bits, undef, origin },
            _ => Word::known(0),
        }
    }
}
