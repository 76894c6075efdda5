//! Numbers from bytes, checked.

use crate::{Error, bad};

/// A place in some bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    all: &'a [u8],
    pub at: usize,
    /// What is being read, for messages.
    what: &'static str,
}

impl<'a> Bytes<'a> {
    pub fn new(all: &'a [u8], at: usize, what: &'static str) -> Bytes<'a> {
        Bytes { all, at, what }
    }

    pub fn is_empty(&self) -> bool {
        self.at >= self.all.len()
    }

    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(len).ok_or(Error::Short(self.what))?;
        let bytes = self.all.get(self.at..end).ok_or(Error::Short(self.what))?;
        self.at = end;
        Ok(bytes)
    }

    pub fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Error> {
        Ok(self.number(2)? as u16)
    }

    pub fn u32(&mut self) -> Result<u32, Error> {
        Ok(self.number(4)? as u32)
    }

    pub fn u64(&mut self) -> Result<u64, Error> {
        self.number(8)
    }

    fn number(&mut self, len: usize) -> Result<u64, Error> {
        Ok(self.take(len)?.iter().rev().fold(0, |number, byte| number << 8 | *byte as u64))
    }

    /// A compressed unsigned number (ECMA-335 II.23.2).
    pub fn compressed(&mut self) -> Result<u32, Error> {
        let first = self.u8()? as u32;
        match first {
            0..0x80 => Ok(first),
            0x80..0xc0 => Ok((first & 0x3f) << 8 | self.u8()? as u32),
            0xc0..0xe0 => {
                let rest = self.take(3)?;
                Ok((first & 0x1f) << 24 | (rest[0] as u32) << 16 | (rest[1] as u32) << 8 | rest[2] as u32)
            }
            _ => bad(format!("a compressed number in {} begins with {first:#x}", self.what)),
        }
    }

    /// A compressed signed number: rotated left by one, so that the sign comes last.
    pub fn compressed_signed(&mut self) -> Result<i32, Error> {
        let before = self.at;
        let raw = self.compressed()?;
        let bits = match self.at - before {
            1 => 7,
            2 => 14,
            _ => 29,
        };
        let magnitude = (raw >> 1) as i32;
        Ok(if raw & 1 == 0 { magnitude } else { magnitude - (1 << (bits - 1)) })
    }

    /// Seven bits at a time, the lowest first (mono's symbol files).
    pub fn leb(&mut self) -> Result<u32, Error> {
        let mut number = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()? as u32;
            number |= (byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        bad(format!("a number in {} does not end", self.what))
    }

    /// The same, signed.
    pub fn signed_leb(&mut self) -> Result<i32, Error> {
        let mut number = 0i64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()? as i64;
            number |= (byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                if byte & 0x40 != 0 {
                    number |= -1 << (shift + 7);
                }
                return Ok(number as i32);
            }
        }
        bad(format!("a number in {} does not end", self.what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_numbers_are_as_in_the_standard() {
        // The examples of ECMA-335 II.23.2.
        let unsigned: [(&[u8], u32); 6] = [
            (&[0x03], 3),
            (&[0x7f], 0x7f),
            (&[0x80, 0x80], 0x80),
            (&[0xae, 0x57], 0x2e57),
            (&[0xbf, 0xff], 0x3fff),
            (&[0xdf, 0xff, 0xff, 0xff], 0x1fff_ffff),
        ];
        for (bytes, number) in unsigned {
            assert_eq!(Bytes::new(bytes, 0, "a test").compressed(), Ok(number));
        }
        let signed: [(&[u8], i32); 6] = [
            (&[0x06], 3),
            (&[0x7b], -3),
            (&[0x80, 0x80], 64),
            (&[0x01], -64),
            (&[0xc0, 0x00, 0x40, 0x00], 8192),
            (&[0x80, 0x01], -8192),
        ];
        for (bytes, number) in signed {
            assert_eq!(Bytes::new(bytes, 0, "a test").compressed_signed(), Ok(number));
        }
    }
}
