//! Memory of one thread that no other thread sees: bytes, and which of them were written.
//!
//! It is part of a thread's state, which is saved at every visible operation, so it is shared between
//! copies of the state in chunks until one of them writes.

use std::rc::Rc;

const CHUNK: usize = 128;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Chunk {
    bytes: [u8; CHUNK],
    /// Bit `i`: byte `i` was written.
    written: u128,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrivateObject {
    pub size: u64,
    /// Grows as it is written to: what is beyond it was not written.
    chunks: Vec<Rc<Chunk>>,
}

impl PrivateObject {
    /// Memory that nothing was written to.
    pub fn fresh(size: u64) -> PrivateObject {
        PrivateObject { size, chunks: Vec::new() }
    }

    pub fn with_contents(bytes: &[u8]) -> PrivateObject {
        let mut object = PrivateObject::fresh(bytes.len() as u64);
        bytes.iter().enumerate().for_each(|(at, byte)| object.set(at, *byte));
        object
    }

    /// The byte at an offset; `None` if it was never written.
    pub fn get(&self, at: usize) -> Option<u8> {
        let chunk = self.chunks.get(at / CHUNK)?;
        (chunk.written >> (at % CHUNK) & 1 != 0).then(|| chunk.bytes[at % CHUNK])
    }

    /// Up to 8 bytes as a number, and which of them were not written.
    #[inline]
    pub fn load(&self, at: usize, bytes: usize) -> (u64, u8) {
        if let Some(chunk) = self.chunks.get(at / CHUNK)
            && at % CHUNK + bytes <= CHUNK
        {
            let from = at % CHUNK;
            let mut buffer = [0; 8];
            buffer[..bytes].copy_from_slice(&chunk.bytes[from..from + bytes]);
            let wanted = ((1u16 << bytes) - 1) as u8;
            return (u64::from_le_bytes(buffer), !((chunk.written >> from) as u8) & wanted);
        }
        let (mut value, mut undef) = (0, 0);
        for i in 0..bytes {
            match self.get(at + i) {
                Some(byte) => value |= (byte as u64) << (8 * i),
                None => undef |= 1 << i,
            }
        }
        (value, undef)
    }

    pub fn set(&mut self, at: usize, byte: u8) {
        let chunk = self.chunk(at);
        chunk.bytes[at % CHUNK] = byte;
        chunk.written |= 1 << (at % CHUNK);
    }

    /// Makes a byte undefined again.
    pub fn unset(&mut self, at: usize) {
        if at / CHUNK < self.chunks.len() {
            let chunk = self.chunk(at);
            chunk.bytes[at % CHUNK] = 0;
            chunk.written &= !(1 << (at % CHUNK));
        }
    }

    #[inline]
    pub fn store(&mut self, at: usize, bytes: usize, value: u64, undef: u8) {
        if undef == 0 && at % CHUNK + bytes <= CHUNK {
            let from = at % CHUNK;
            let chunk = self.chunk(at);
            chunk.bytes[from..from + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            chunk.written |= ((1u128 << bytes) - 1) << from;
            return;
        }
        for i in 0..bytes {
            if undef >> i & 1 != 0 {
                self.unset(at + i);
            } else {
                self.set(at + i, (value >> (8 * i)) as u8);
            }
        }
    }

    fn chunk(&mut self, at: usize) -> &mut Chunk {
        while self.chunks.len() <= at / CHUNK {
            self.chunks.push(Rc::new(Chunk { bytes: [0; CHUNK], written: 0 }));
        }
        Rc::make_mut(&mut self.chunks[at / CHUNK])
    }
}
