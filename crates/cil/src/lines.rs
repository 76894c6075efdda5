//! Where instructions come from in the source: portable PDBs, and the `.mdb` files of mono's compiler.

use crate::bytes::Bytes;
use crate::tables::{Metadata, Table, span};
use crate::{Assembly, Error, bad};
use std::collections::HashMap;

/// From this offset on, instructions are of this place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequencePoint {
    pub offset: u32,
    /// Among [`Lines::files`].
    pub file: u32,
    /// 0 where the compiler says that there is none.
    pub line: u32,
    /// 0 where it is not known.
    pub column: u32,
}

/// The lines of an assembly.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Names of sources.
    pub files: Vec<String>,
    /// By row of the method, in order of offsets.
    methods: HashMap<u32, Vec<SequencePoint>>,
}

const MDB_MAGIC: u64 = 0x45e8_2623_fd7f_a614;

impl Lines {
    /// Reads a symbol file that must belong to an assembly.
    pub fn read(file: &[u8], assembly: &Assembly) -> Result<Lines, Error> {
        match file.get(..4) {
            Some(b"BSJB") => portable(file, assembly),
            _ if Bytes::new(file, 0, "symbols").u64() == Ok(MDB_MAGIC) => mono(file, assembly),
            _ => bad("this is no portable PDB, and no symbol file of mono (.mdb)"),
        }
    }

    /// The points of a method.
    pub fn of(&self, method: u32) -> &[SequencePoint] {
        self.methods.get(&method).map_or(&[], |points| points)
    }
}

/// Symbols of another build would name the wrong lines.
fn same(id: &[u8], of: Option<[u8; 16]>) -> Result<(), Error> {
    match of {
        Some(of) if of != id => bad("the symbols belong to another build of the assembly"),
        _ => Ok(()),
    }
}

fn portable(file: &[u8], assembly: &Assembly) -> Result<Lines, Error> {
    let metadata = Metadata::read(file, 0)?;
    let Some(pdb) = metadata.pdb else { return bad("the portable PDB has no `#Pdb` stream") };
    let id = Bytes::new(span(file, pdb, "the PDB stream")?, 0, "the PDB stream").take(16)?;
    same(id, assembly.pdb_id()?)?;
    let mut lines = Lines::default();
    for row in 1..=metadata.rows(Table::Document) {
        let blob = metadata.blob(file, metadata.cell(file, Table::Document, row, 0)?)?;
        let mut bytes = Bytes::new(blob, 0, "the name of a document");
        let separator = bytes.u8()?;
        let mut parts = Vec::new();
        while !bytes.is_empty() {
            let part = metadata.blob(file, bytes.compressed()?)?;
            parts.push(String::from_utf8_lossy(part).into_owned());
        }
        let separator = if separator == 0 { String::new() } else { char::from(separator).to_string() };
        lines.files.push(parts.join(&separator));
    }
    for row in 1..=metadata.rows(Table::MethodDebugInformation) {
        let document = metadata.cell(file, Table::MethodDebugInformation, row, 0)?;
        let at = metadata.cell(file, Table::MethodDebugInformation, row, 1)?;
        if at != 0 {
            lines.methods.insert(row, points(metadata.blob(file, at)?, document)?);
        }
    }
    Ok(lines)
}

/// Sequence points as a portable PDB packs them.
fn points(blob: &[u8], document: u32) -> Result<Vec<SequencePoint>, Error> {
    let mut bytes = Bytes::new(blob, 0, "sequence points");
    bytes.compressed()?;
    let mut document = if document == 0 { bytes.compressed()? } else { document };
    let mut points: Vec<SequencePoint> = Vec::new();
    let (mut offset, mut place) = (0u32, None::<(i64, i64)>);
    while !bytes.is_empty() {
        let by = bytes.compressed()?;
        if by == 0 && !points.is_empty() {
            document = bytes.compressed()?;
            continue;
        }
        offset = offset.wrapping_add(by);
        let lines = bytes.compressed()?;
        let columns = if lines == 0 { bytes.compressed()? as i32 } else { bytes.compressed_signed()? };
        let file = document.saturating_sub(1);
        if lines == 0 && columns == 0 {
            points.push(SequencePoint { offset, file, line: 0, column: 0 });
            continue;
        }
        let (line, column) = match place {
            None => (bytes.compressed()? as i64, bytes.compressed()? as i64),
            Some((line, column)) => {
                (line + bytes.compressed_signed()? as i64, column + bytes.compressed_signed()? as i64)
            }
        };
        place = Some((line, column));
        let small = |number: i64| u32::try_from(number).unwrap_or(0);
        points.push(SequencePoint { offset, file, line: small(line), column: small(column) });
    }
    Ok(points)
}

/// What the header of mono's files says of the program of line numbers.
struct Machine {
    base: i32,
    range: i32,
    opcode: i32,
}

fn mono(file: &[u8], assembly: &Assembly) -> Result<Lines, Error> {
    let what = "mono's symbols";
    let mut at = Bytes::new(file, 8, what);
    let (major, _minor) = (at.u32()?, at.u32()?);
    if major != 50 {
        return bad(format!("symbols of mono's version {major} are not supported"));
    }
    let id = at.take(16)?;
    same(id, assembly.mvid().ok())?;
    let mut header = [0u32; 19];
    for number in &mut header {
        *number = at.u32()?;
    }
    let machine = Machine { base: header[16] as i32, range: header[17] as i32, opcode: header[18] as i32 };
    if machine.range <= 0 || !(1..=255).contains(&machine.opcode) {
        return bad("mono's symbols have an impossible line table");
    }
    let mut lines = Lines::default();
    for number in 0..header[6].min(0xffff) {
        let mut entry = Bytes::new(file, header[7] as usize + 8 * number as usize, what);
        entry.u32()?;
        let mut data = Bytes::new(file, entry.u32()? as usize, what);
        let len = data.leb()? as usize;
        lines.files.push(String::from_utf8_lossy(data.take(len)?).into_owned());
    }
    for number in 0..header[9].min(0xff_ffff) {
        let mut entry = Bytes::new(file, header[10] as usize + 12 * number as usize, what);
        let (token, _data, table) = (entry.u32()?, entry.u32()?, entry.u32()?);
        let points = statements(Bytes::new(file, table as usize, what), &machine)?;
        lines.methods.insert(token & 0xff_ffff, points);
    }
    Ok(lines)
}

/// The statement machine of mono's symbol files, which is a small DWARF.
fn statements(mut bytes: Bytes, machine: &Machine) -> Result<Vec<SequencePoint>, Error> {
    const LONGEST: usize = 1 << 20;
    let mut points = Vec::new();
    let (mut line, mut offset, mut file, mut hidden, mut pending) = (1i32, 0u32, 1u32, false, false);
    while points.len() < LONGEST {
        let code = bytes.u8()? as i32;
        let mut add = false;
        if code == 0 {
            let size = bytes.u8()? as usize;
            let end = bytes.at + size;
            match bytes.u8()? {
                1 => {
                    if pending {
                        points.push(point(offset, file, line, hidden));
                    }
                    return Ok(points);
                }
                0x40 => (hidden, pending) = (!hidden, true),
                0x41..=0x7f => {}
                other => return bad(format!("mono's line table has the unknown extension {other:#x}")),
            }
            bytes.at = end;
            continue;
        } else if code < machine.opcode {
            match code {
                1 => add = true,
                2 => offset = offset.wrapping_add(bytes.leb()?),
                3 => line = line.wrapping_add(bytes.signed_leb()?),
                4 => file = bytes.leb()?,
                8 => offset = offset.wrapping_add(((255 - machine.opcode) / machine.range) as u32),
                other => return bad(format!("mono's line table has the unknown code {other:#x}")),
            }
            pending = true;
        } else {
            let code = code - machine.opcode;
            offset = offset.wrapping_add((code / machine.range) as u32);
            line = line.wrapping_add(machine.base).wrapping_add(code % machine.range);
            add = true;
        }
        if add {
            points.push(point(offset, file, line, hidden));
            pending = false;
        }
    }
    bad("mono's line table does not end")
}

fn point(offset: u32, file: u32, line: i32, hidden: bool) -> SequencePoint {
    let line = if hidden { 0 } else { u32::try_from(line).unwrap_or(0) };
    SequencePoint { offset, file: file.saturating_sub(1), line, column: 0 }
}
