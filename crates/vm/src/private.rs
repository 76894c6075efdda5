//! Memory of one thread that no other thread sees: bytes, and which of their bits are defined.
//!
//! It is part of a thread's state, which is saved at every visible operation, so it is shared between
//! copies of the state in chunks until one of them writes.

use crate::undefined::{Origin, Val};
use selvedge_machine::Words;
use std::rc::Rc;

const CHUNK: usize = 128;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Chunk {
    bytes: [u8; CHUNK],
    /// Bit `i`: byte `i` is wholly defined.
    defined: u128,
    /// Bytes that were written and have undefined bits, in order. The other ones that are not defined were
    /// never written.
    partly: Vec<Partly>,
}

/// A byte with undefined bits.
#[derive(Clone, Copy, Debug)]
struct Partly {
    at: u8,
    undef: u8,
    origin: Origin,
}

impl PartialEq for Partly {
    fn eq(&self, other: &Partly) -> bool {
        let outside = |p: &Partly| if p.origin.is_outside() { p.origin } else { Origin(0) };
        (self.at, self.undef, outside(self)) == (other.at, other.undef, outside(other))
    }
}

impl Eq for Partly {}

/// A byte, and which of its bits are undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Byte {
    pub bits: u8,
    pub undef: u8,
    pub origin: Origin,
}

impl Byte {
    pub fn known(bits: u8) -> Byte {
        Byte { bits, undef: 0, origin: Origin(0) }
    }
}

#[derive(Clone, Debug)]
pub struct PrivateObject {
    pub size: u64,
    /// The block of the variable was left.
    pub dead: bool,
    /// Where what was never written comes from.
    origin: Origin,
    /// Grows as it is written to: what is beyond it was not written.
    chunks: Vec<Rc<Chunk>>,
}

impl PartialEq for PrivateObject {
    fn eq(&self, other: &PrivateObject) -> bool {
        (self.size, self.dead, &self.chunks) == (other.size, other.dead, &other.chunks)
    }
}

impl Eq for PrivateObject {}

impl PrivateObject {
    /// Memory that nothing was written to.
    pub fn fresh(size: u64, origin: Origin) -> PrivateObject {
        PrivateObject { size, dead: false, origin, chunks: Vec::new() }
    }

    pub fn with_contents(bytes: &[u8]) -> PrivateObject {
        let mut object = PrivateObject::fresh(bytes.len() as u64, Origin(0));
        bytes.iter().enumerate().for_each(|(at, byte)| object.set(at, Byte::known(*byte)));
        object
    }

    /// Loses what was written, and its life, unless that begins.
    pub fn forget(&mut self, begins: bool) {
        self.chunks.clear();
        self.dead = !begins;
    }

    /// What is in it, as words: the same for equal objects.
    pub fn write_down<W: Words>(&self, words: &mut W) {
        words.words(&[self.size << 1 | u64::from(self.dead), self.chunks.len() as u64]);
        for chunk in &self.chunks {
            // What was never written is 0, but not once it is written.
            words.words(&[chunk.defined as u64, (chunk.defined >> 64) as u64, chunk.partly.len() as u64]);
            for bytes in chunk.bytes.chunks(8) {
                words.value(u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
            }
            for p in &chunk.partly {
                words.word(u64::from(p.at) << 8 | u64::from(p.undef));
                match p.origin.term() {
                    Some(term) => words.outside(term.0),
                    None => words.word(if p.origin.is_outside() { u64::MAX } else { 0 }),
                }
            }
        }
    }

    pub fn get(&self, at: usize) -> Byte {
        let never = Byte { bits: 0, undef: 0xff, origin: self.origin };
        let Some(chunk) = self.chunks.get(at / CHUNK) else { return never };
        let within = at % CHUNK;
        if chunk.defined >> within & 1 != 0 {
            return Byte::known(chunk.bytes[within]);
        }
        match chunk.partly.binary_search_by_key(&(within as u8), |p| p.at) {
            Ok(found) => {
                let Partly { undef, origin, .. } = chunk.partly[found];
                Byte { bits: chunk.bytes[within], undef, origin }
            }
            Err(_) => never,
        }
    }

    pub fn set(&mut self, at: usize, byte: Byte) {
        let within = at % CHUNK;
        let chunk = self.chunk(at);
        chunk.bytes[within] = byte.bits;
        let known = chunk.partly.binary_search_by_key(&(within as u8), |p| p.at);
        if byte.undef == 0 {
            chunk.defined |= 1 << within;
            if let Ok(found) = known {
                chunk.partly.remove(found);
            }
            return;
        }
        chunk.defined &= !(1 << within);
        let partly = Partly { at: within as u8, undef: byte.undef, origin: byte.origin };
        match known {
            Ok(found) => chunk.partly[found] = partly,
            Err(place) => chunk.partly.insert(place, partly),
        }
    }

    /// Up to 8 bytes as a number. What comes from outside is lost: see `VmMachine::load_private`.
    #[inline]
    pub fn load(&self, at: usize, bytes: usize) -> Val {
        if let Some(chunk) = self.chunks.get(at / CHUNK)
            && at % CHUNK + bytes <= CHUNK
        {
            let from = at % CHUNK;
            let wanted = (1u128 << bytes) - 1;
            if chunk.defined >> from & wanted == wanted {
                let mut buffer = [0; 8];
                buffer[..bytes].copy_from_slice(&chunk.bytes[from..from + bytes]);
                return Val::known(u64::from_le_bytes(buffer));
            }
        }
        let mut value = Val::known(0);
        for i in 0..bytes {
            let byte = self.get(at + i);
            if byte.undef != 0 {
                let origin = if byte.origin.is_outside() { Origin::LOST } else { byte.origin };
                value.origin = if value.undef == 0 { origin } else { value.origin.or(origin) };
            }
            value.bits |= (byte.bits as u64) << (8 * i);
            value.undef |= (byte.undef as u64) << (8 * i);
        }
        value
    }

    /// The same of a number. Terms go into it byte by byte: see `VmMachine::store_private`.
    #[inline]
    pub fn store(&mut self, at: usize, bytes: usize, value: Val) {
        let from = at % CHUNK;
        if value.undef == 0 && from + bytes <= CHUNK {
            let chunk = self.chunk(at);
            if chunk.partly.is_empty() {
                chunk.bytes[from..from + bytes].copy_from_slice(&value.bits.to_le_bytes()[..bytes]);
                chunk.defined |= ((1u128 << bytes) - 1) << from;
                return;
            }
        }
        for i in 0..bytes {
            let part = |bits: u64| (bits >> (8 * i)) as u8;
            let origin = if value.origin.is_outside() { Origin::LOST } else { value.origin };
            let byte = Byte { bits: part(value.bits), undef: part(value.undef), origin };
            self.set(at + i, byte);
        }
    }

    fn chunk(&mut self, at: usize) -> &mut Chunk {
        while self.chunks.len() <= at / CHUNK {
            let fresh = Chunk { bytes: [0; CHUNK], defined: 0, partly: Vec::new() };
            self.chunks.push(Rc::new(fresh));
        }
        Rc::make_mut(&mut self.chunks[at / CHUNK])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stay_as_undefined_as_they_were_written() {
        let mut object = PrivateObject::fresh(300, Origin(1));
        assert_eq!(object.load(126, 4).undef, 0xffff_ffff);
        object.store(126, 4, Val { bits: 0x1234_5600, undef: 0xff, origin: Origin(2) });
        let loaded = object.load(126, 4);
        assert_eq!((loaded.bits, loaded.undef, loaded.origin), (0x1234_5600, 0xff, Origin(2)));
        object.store(126, 1, Val::known(0x78));
        assert_eq!(object.load(126, 4), Val::known(0x1234_5678));
        assert_eq!(object.load(130, 1).origin, Origin(1));
        object.store(128, 2, Val { bits: 0x8001, undef: 0x0100, origin: Origin(3) });
        assert_eq!(object.load(128, 2), Val { bits: 0x8001, undef: 0x0100, origin: Origin(3) });
    }
}
