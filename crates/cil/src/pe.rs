//! The PE file around an assembly: where addresses are in the file, and where the metadata begin.
//!
//! All that is needed of it is the table of sections and one directory, so there is no dependency for it.

use crate::bytes::Bytes;
use crate::{Error, bad};

#[derive(Clone, Debug, Default)]
struct Section {
    address: u32,
    size: u32,
    file: u32,
    file_size: u32,
}

/// What the headers say.
#[derive(Clone, Debug)]
pub struct Pe {
    sections: Vec<Section>,
    /// Address and size of the metadata.
    pub metadata: (u32, u32),
    /// Address and size of the debug directory.
    debug: (u32, u32),
    /// The entry point, a token; 0 if there is none.
    pub entry: u32,
}

const CLI_DIRECTORY: u32 = 14;
const DEBUG_DIRECTORY: u32 = 6;
const IL_ONLY: u32 = 1;
const NATIVE_ENTRY: u32 = 0x10;

impl Pe {
    pub fn read(file: &[u8]) -> Result<Pe, Error> {
        if file.get(..2) != Some(b"MZ") {
            return bad("this is not a PE file (.dll or .exe): it does not begin with `MZ`");
        }
        let what = "the headers of a PE file";
        let new = Bytes::new(file, 0x3c, what).u32()? as usize;
        let mut at = Bytes::new(file, new, what);
        if at.take(4)? != b"PE\0\0" {
            return bad("this is not a PE file: the signature `PE` is missing");
        }
        at.take(2)?;
        let sections = at.u16()?;
        at.take(12)?;
        let optional_size = at.u16()? as usize;
        at.take(2)?;
        let optional = at.at;
        let magic = at.u16()?;
        let directories = optional
            + match magic {
                0x10b => 96,
                0x20b => 112,
                _ => return bad(format!("the PE header has the unknown magic number {magic:#x}")),
            };
        let count = Bytes::new(file, directories - 4, what).u32()?;
        let mut cli = Bytes::new(file, directories + 8 * CLI_DIRECTORY as usize, what);
        let (cli_address, cli_size) = match count > CLI_DIRECTORY {
            true => (cli.u32()?, cli.u32()?),
            false => (0, 0),
        };
        if cli_address == 0 || cli_size == 0 {
            return bad("this is a native image: it has no .NET metadata");
        }
        let mut table = Bytes::new(file, optional + optional_size, what);
        let mut debug = Bytes::new(file, directories + 8 * DEBUG_DIRECTORY as usize, what);
        let debug = if count > DEBUG_DIRECTORY { (debug.u32()?, debug.u32()?) } else { (0, 0) };
        let mut pe = Pe { sections: Vec::new(), metadata: (0, 0), debug, entry: 0 };
        for _ in 0..sections {
            table.take(8)?;
            let (size, address) = (table.u32()?, table.u32()?);
            let (file_size, start) = (table.u32()?, table.u32()?);
            table.take(16)?;
            if start as usize + file_size as usize > file.len() {
                return bad("the file is cut short: it ends within a section");
            }
            pe.sections.push(Section { address, size, file: start, file_size });
        }
        let mut header = Bytes::new(file, pe.offset(cli_address)?, "the CLI header");
        header.take(8)?;
        pe.metadata = (header.u32()?, header.u32()?);
        let flags = header.u32()?;
        pe.entry = header.u32()?;
        if flags & IL_ONLY == 0 {
            return bad("this is a mixed-mode assembly: it has native code in it");
        }
        if flags & NATIVE_ENTRY != 0 {
            return bad("the entry point of this assembly is native code");
        }
        Ok(pe)
    }

    /// Where an address is in the file.
    pub fn offset(&self, address: u32) -> Result<usize, Error> {
        let within = |s: &&Section| {
            address.checked_sub(s.address).is_some_and(|by| by < s.size.max(s.file_size) && by < s.file_size)
        };
        match self.sections.iter().find(within) {
            Some(s) => Ok((address - s.address) as usize + s.file as usize),
            None => bad(format!("the address {address:#x} is in no section of the file")),
        }
    }

    /// The identity of the PDB that belongs to this file, if a CodeView entry has one.
    pub fn pdb_id(&self, file: &[u8]) -> Result<Option<[u8; 16]>, Error> {
        const CODE_VIEW: u32 = 2;
        if self.debug.0 == 0 {
            return Ok(None);
        }
        let what = "the debug directory";
        let mut at = Bytes::new(file, self.offset(self.debug.0)?, what);
        for _ in 0..self.debug.1 / 28 {
            at.take(12)?;
            let (kind, _size, _address, start) = (at.u32()?, at.u32()?, at.u32()?, at.u32()?);
            if kind == CODE_VIEW {
                let mut entry = Bytes::new(file, start as usize, what);
                if entry.take(4)? == b"RSDS" {
                    return Ok(<[u8; 16]>::try_from(entry.take(16)?).ok());
                }
            }
        }
        Ok(None)
    }
}
