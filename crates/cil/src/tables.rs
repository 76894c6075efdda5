//! The metadata tables (ECMA-335 II.22, II.24): how wide columns are, and what stands in them.

use crate::bytes::Bytes;
use crate::{Error, bad};

/// A reference into a table: the table in the upper byte, a row from 1 on in the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Token(pub u32);

impl Token {
    pub fn new(table: Table, row: u32) -> Token {
        Token((table as u32) << 24 | row & 0xff_ffff)
    }

    /// The number of the table.
    pub fn table(self) -> u32 {
        self.0 >> 24
    }

    /// From 1 on; 0 for none.
    pub fn row(self) -> u32 {
        self.0 & 0xff_ffff
    }

    pub fn is(self, table: Table) -> bool {
        self.table() == table as u32
    }
}

/// Tables that are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Table {
    Module = 0,
    TypeRef = 1,
    TypeDef = 2,
    Field = 4,
    MethodDef = 6,
    Param = 8,
    InterfaceImpl = 9,
    MemberRef = 10,
    Constant = 11,
    CustomAttribute = 12,
    ClassLayout = 15,
    FieldLayout = 16,
    StandAloneSig = 17,
    MethodImpl = 25,
    ModuleRef = 26,
    TypeSpec = 27,
    ImplMap = 28,
    FieldRva = 29,
    Assembly = 32,
    AssemblyRef = 35,
    ExportedType = 39,
    NestedClass = 41,
    GenericParam = 42,
    MethodSpec = 43,
    GenericParamConstraint = 44,
    Document = 48,
    MethodDebugInformation = 49,
}

/// What a column holds.
#[derive(Clone, Copy, Debug)]
enum Col {
    Two,
    Four,
    String,
    Guid,
    Blob,
    Row(u8),
    Coded(&'static Coded),
}

/// A reference to a row of one of several tables, told apart by the lowest bits.
#[derive(Debug)]
pub struct Coded {
    bits: u32,
    tables: &'static [u8],
}

const NONE: u8 = 0xff;

pub static TYPE_DEF_OR_REF: Coded = Coded { bits: 2, tables: &[2, 1, 27] };
pub static HAS_CONSTANT: Coded = Coded { bits: 2, tables: &[4, 8, 23] };
pub static HAS_CUSTOM_ATTRIBUTE: Coded = Coded {
    bits: 5,
    tables: &[6, 4, 1, 2, 8, 9, 10, 0, 14, 23, 20, 17, 26, 27, 32, 35, 38, 39, 40, 42, 44, 43],
};
static HAS_FIELD_MARSHAL: Coded = Coded { bits: 1, tables: &[4, 8] };
static HAS_DECL_SECURITY: Coded = Coded { bits: 2, tables: &[2, 6, 32] };
pub static MEMBER_REF_PARENT: Coded = Coded { bits: 3, tables: &[2, 1, 26, 6, 27] };
static HAS_SEMANTICS: Coded = Coded { bits: 1, tables: &[20, 23] };
pub static METHOD_DEF_OR_REF: Coded = Coded { bits: 1, tables: &[6, 10] };
static MEMBER_FORWARDED: Coded = Coded { bits: 1, tables: &[4, 6] };
pub static IMPLEMENTATION: Coded = Coded { bits: 2, tables: &[38, 35, 39] };
pub static CUSTOM_ATTRIBUTE_TYPE: Coded = Coded { bits: 3, tables: &[NONE, NONE, 6, 10, NONE] };
pub static RESOLUTION_SCOPE: Coded = Coded { bits: 2, tables: &[0, 26, 35, 1] };
pub static TYPE_OR_METHOD_DEF: Coded = Coded { bits: 1, tables: &[2, 6] };
static HAS_CUSTOM_DEBUG: Coded = Coded {
    bits: 5,
    tables: &[
        6, 4, 1, 2, 8, 9, 10, 0, 14, 23, 20, 17, 26, 27, 32, 35, 38, 39, 40, 42, 44, 43, 48, 50, 51, 52, 53,
    ],
};

use Col::*;

/// By number, the columns of each table.
static COLUMNS: [&[Col]; 56] = [
    &[Two, String, Guid, Guid, Guid],
    &[Coded(&RESOLUTION_SCOPE), String, String],
    &[Four, String, String, Coded(&TYPE_DEF_OR_REF), Row(4), Row(6)],
    &[Row(4)],
    &[Two, String, Blob],
    &[Row(6)],
    &[Four, Two, Two, String, Blob, Row(8)],
    &[Row(8)],
    &[Two, Two, String],
    &[Row(2), Coded(&TYPE_DEF_OR_REF)],
    &[Coded(&MEMBER_REF_PARENT), String, Blob],
    &[Two, Coded(&HAS_CONSTANT), Blob],
    &[Coded(&HAS_CUSTOM_ATTRIBUTE), Coded(&CUSTOM_ATTRIBUTE_TYPE), Blob],
    &[Coded(&HAS_FIELD_MARSHAL), Blob],
    &[Two, Coded(&HAS_DECL_SECURITY), Blob],
    &[Two, Four, Row(2)],
    &[Four, Row(4)],
    &[Blob],
    &[Row(2), Row(20)],
    &[Row(20)],
    &[Two, String, Coded(&TYPE_DEF_OR_REF)],
    &[Row(2), Row(23)],
    &[Row(23)],
    &[Two, String, Blob],
    &[Two, Row(6), Coded(&HAS_SEMANTICS)],
    &[Row(2), Coded(&METHOD_DEF_OR_REF), Coded(&METHOD_DEF_OR_REF)],
    &[String],
    &[Blob],
    &[Two, Coded(&MEMBER_FORWARDED), String, Row(26)],
    &[Four, Row(4)],
    &[Four, Four],
    &[Four],
    &[Four, Two, Two, Two, Two, Four, Blob, String, String],
    &[Four],
    &[Four, Four, Four],
    &[Two, Two, Two, Two, Four, Blob, String, String, Blob],
    &[Four, Row(35)],
    &[Four, Four, Four, Row(35)],
    &[Four, String, Blob],
    &[Four, Four, String, String, Coded(&IMPLEMENTATION)],
    &[Four, Four, String, Coded(&IMPLEMENTATION)],
    &[Row(2), Row(2)],
    &[Two, Two, Coded(&TYPE_OR_METHOD_DEF), String],
    &[Coded(&METHOD_DEF_OR_REF), Blob],
    &[Row(42), Coded(&TYPE_DEF_OR_REF)],
    &[],
    &[],
    &[],
    &[Blob, Guid, Blob, Guid],
    &[Row(48), Blob],
    &[Row(6), Row(53), Row(51), Row(52), Four, Four],
    &[Two, Two, String],
    &[String, Blob],
    &[Row(53), Blob],
    &[Row(6), Row(6)],
    &[Coded(&HAS_CUSTOM_DEBUG), Guid, Blob],
];

#[derive(Clone, Debug, Default)]
struct Layout {
    rows: u32,
    size: usize,
    start: usize,
    /// Offset and width of each column.
    columns: Vec<(usize, usize)>,
}

/// A stretch of the file.
pub type Span = (usize, usize);

/// The metadata of a file: its streams and tables.
#[derive(Clone, Debug)]
pub struct Metadata {
    layouts: Vec<Layout>,
    strings: Span,
    user_strings: Span,
    blobs: Span,
    guids: Span,
    /// The stream of a portable PDB.
    pub pdb: Option<Span>,
}

pub fn span<'a>(file: &'a [u8], (start, len): Span, what: &'static str) -> Result<&'a [u8], Error> {
    start.checked_add(len).and_then(|end| file.get(start..end)).ok_or(Error::Short(what))
}

impl Metadata {
    /// Reads the metadata at an offset of a file.
    pub fn read(file: &[u8], root: usize) -> Result<Metadata, Error> {
        let mut at = Bytes::new(file, root, "the metadata's header");
        if at.take(4)? != b"BSJB" {
            return bad("the metadata do not begin with `BSJB`");
        }
        at.take(8)?;
        let version = at.u32()? as usize;
        at.take(version)?;
        at.take(2)?;
        let streams = at.u16()?;
        let mut metadata = Metadata {
            layouts: Vec::new(),
            strings: (0, 0),
            user_strings: (0, 0),
            blobs: (0, 0),
            guids: (0, 0),
            pdb: None,
        };
        let mut tables = None;
        for _ in 0..streams {
            let (offset, len) = (at.u32()? as usize, at.u32()? as usize);
            let mut name = Vec::new();
            loop {
                let four = at.take(4)?;
                name.extend(four.iter().take_while(|b| **b != 0));
                if four.contains(&0) || name.len() > 32 {
                    break;
                }
            }
            let place = (root.checked_add(offset).ok_or(Error::Short("a stream"))?, len);
            span(file, place, "a stream of the metadata")?;
            match &name[..] {
                b"#~" => tables = Some(place),
                b"#-" => return bad("uncompressed metadata (`#-`) are not supported"),
                b"#Strings" => metadata.strings = place,
                b"#US" => metadata.user_strings = place,
                b"#Blob" => metadata.blobs = place,
                b"#GUID" => metadata.guids = place,
                b"#Pdb" => metadata.pdb = Some(place),
                _ => {}
            }
        }
        let Some(tables) = tables else { return bad("the metadata have no tables (`#~`)") };
        metadata.read_tables(file, tables)?;
        Ok(metadata)
    }

    fn read_tables(&mut self, file: &[u8], (start, len): Span) -> Result<(), Error> {
        let stream = span(file, (start, len), "the stream of tables")?;
        let mut at = Bytes::new(stream, 4, "the header of the tables");
        at.take(2)?;
        let heaps = at.u8()?;
        at.take(1)?;
        let valid = at.u64()?;
        at.take(8)?;
        let mut rows = [0u32; 64];
        for (table, count) in rows.iter_mut().enumerate() {
            if valid >> table & 1 != 0 {
                *count = at.u32()?;
                if COLUMNS.get(table).is_none_or(|columns| columns.is_empty()) {
                    return bad(format!("the metadata have a table of the unknown kind {table:#x}"));
                }
                if *count > 0xff_ffff {
                    return bad(format!("table {table:#x} has too many rows"));
                }
            }
        }
        let mut counts = rows;
        if let Some(pdb) = self.pdb {
            // A PDB has its own tables only; how many rows the others have is told apart.
            let mut at = Bytes::new(span(file, pdb, "the PDB stream")?, 24, "the PDB stream");
            let referenced = at.u64()?;
            for (table, count) in counts.iter_mut().enumerate() {
                if referenced >> table & 1 != 0 {
                    *count = at.u32()?;
                }
            }
        }
        let wide = |bit: u8| if heaps & bit != 0 { 4 } else { 2 };
        let of_rows = |rows: u32| if rows > 0xffff { 4 } else { 2 };
        let width = |col: &Col| match col {
            Two => 2,
            Four => 4,
            String => wide(1),
            Guid => wide(2),
            Blob => wide(4),
            Row(table) => of_rows(counts[*table as usize]),
            Coded(coded) => {
                let most = coded.tables.iter().filter(|t| **t != NONE).map(|t| counts[*t as usize]).max();
                if most.unwrap_or(0) >= 1 << (16 - coded.bits) { 4 } else { 2 }
            }
        };
        let mut begin = start + at.at;
        for (table, columns) in COLUMNS.iter().enumerate() {
            let mut layout = Layout { rows: rows[table], start: begin, ..Layout::default() };
            for col in *columns {
                layout.columns.push((layout.size, width(col)));
                layout.size += width(col);
            }
            begin += layout.rows as usize * layout.size;
            self.layouts.push(layout);
        }
        if begin > start + len {
            return Err(Error::Short("the metadata tables"));
        }
        Ok(())
    }

    /// How many rows a table has.
    pub fn rows(&self, table: Table) -> u32 {
        self.layouts[table as usize].rows
    }

    /// What stands in a column of a row.
    pub fn cell(&self, file: &[u8], table: Table, row: u32, column: usize) -> Result<u32, Error> {
        let layout = &self.layouts[table as usize];
        if row == 0 || row > layout.rows {
            return bad(format!("there is no row {row} in the table {table:?}"));
        }
        let (offset, width) = layout.columns[column];
        let at = layout.start + (row as usize - 1) * layout.size + offset;
        let mut bytes = Bytes::new(file, at, "a metadata table");
        if width == 2 { Ok(bytes.u16()? as u32) } else { bytes.u32() }
    }

    /// What a coded reference refers to.
    pub fn coded(coded: &Coded, value: u32) -> Result<Token, Error> {
        let tag = value & ((1 << coded.bits) - 1);
        match coded.tables.get(tag as usize) {
            Some(table) if *table != NONE => Ok(Token((*table as u32) << 24 | value >> coded.bits)),
            _ => bad(format!("a coded reference has the unknown tag {tag}")),
        }
    }

    /// The number that refers to a row.
    pub fn encode(coded: &Coded, token: Token) -> Option<u32> {
        let tag = coded.tables.iter().position(|t| *t as u32 == token.table())?;
        Some(token.row() << coded.bits | tag as u32)
    }

    pub fn string<'a>(&self, file: &'a [u8], at: u32) -> Result<&'a str, Error> {
        let heap = span(file, self.strings, "the names")?;
        let rest = heap.get(at as usize..).ok_or(Error::Short("the names"))?;
        let end = rest.iter().position(|b| *b == 0).ok_or(Error::Short("a name"))?;
        std::str::from_utf8(&rest[..end]).or_else(|_| bad("a name is not UTF-8"))
    }

    pub fn blob<'a>(&self, file: &'a [u8], at: u32) -> Result<&'a [u8], Error> {
        let mut bytes = Bytes::new(span(file, self.blobs, "the blobs")?, at as usize, "a blob");
        let len = bytes.compressed()?;
        bytes.take(len as usize)
    }

    pub fn guid(&self, file: &[u8], number: u32) -> Result<[u8; 16], Error> {
        let heap = span(file, self.guids, "the GUIDs")?;
        let at = (number as usize).checked_sub(1).map_or(usize::MAX, |n| n.saturating_mul(16));
        let bytes = Bytes::new(heap, at, "a GUID").take(16)?;
        <[u8; 16]>::try_from(bytes).map_err(|_| Error::Short("a GUID"))
    }

    /// A string of the program, in UTF-16.
    pub fn user_string(&self, file: &[u8], at: u32) -> Result<Vec<u16>, Error> {
        let mut bytes = Bytes::new(span(file, self.user_strings, "the strings")?, at as usize, "a string");
        let len = bytes.compressed()? as usize;
        let text = bytes.take(len)?;
        Ok(text.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect())
    }
}
