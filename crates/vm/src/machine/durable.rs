//! What outlives a crash: persistent memory, and the disk that the library's files are on.
//!
//! Persistent memory is what the program says is (`selvedge_durable`), or maps from a file. It is durable
//! from the first time that any execution says so, in all of them. The disk is memory of the library
//! (`runtime/files.c`): bytes, sizes, names and journals are objects of their own, so that which one an
//! address is in says what is kept there.

use super::native::set_errno;
use super::state::{Stage, VmState};
use super::{Halt, VmMachine, fail, is_private};
use crate::layout::Piece;
use crate::tables::Object;
use selvedge_graph::{Loc, Medium, MediumKind, PersistOp, Tid};
use selvedge_ir::{FuncId, GlobalId, Module, pointer};
use selvedge_machine::{Durability, ErrorKind, Op};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// Bytes of a cache line.
const LINE: u64 = 64;

/// Bytes of memory that persist at once.
const WORD: u32 = 8;

/// A routine of this name runs after a crash.
pub const ROUTINE: &str = "__VERIFIER_recovery_routine";

const EFBIG: u64 = 27;

const NOT_CONSTANT: &str = "a file name that is not a constant text";
const TOO_LARGE: &str = "a file of more than";

/// Whether what is not supported is for whoever called to change: the program, or an option.
pub fn is_bad_input(message: &str) -> bool {
    [NOT_CONSTANT, TOO_LARGE].iter().any(|bad| message.contains(bad))
}

/// Threads are numbered from 0, and there are never so many.
const RECOVERY_THREAD: u16 = 2047;

/// How files are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskOptions {
    /// Bytes of a block.
    pub block_size: u32,
    /// Bytes that a file may have.
    pub max_file_size: u32,
    /// A system call that fails sets `errno`; if not, that is an error.
    pub syscall_errors: bool,
    /// A read or a write may do less than it was asked for.
    pub short_io: bool,
}

impl Default for DiskOptions {
    fn default() -> DiskOptions {
        DiskOptions { block_size: 2, max_file_size: 64, syscall_errors: false, short_io: false }
    }
}

/// How many files there may be, names that are reused and crashes included.
pub const INODES: u64 = 1024;

/// The disk, as memory of the library.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    data: Option<GlobalId>,
    sizes: Option<GlobalId>,
    names: Option<GlobalId>,
    journals: Option<GlobalId>,
    /// All constant texts of the program, sorted: a path is known by its number.
    paths: Vec<String>,
    /// By path: the number of the directory that it is in.
    parents: Vec<u32>,
    /// Cache lines, by object and first byte.
    lines: RefCell<HashMap<(u32, u64), u32>>,
}

impl Disk {
    /// Finds the disk of a program that is linked, and gives it its size.
    pub fn of(module: &mut Module, options: DiskOptions) -> Disk {
        let find = |name: &str, module: &Module| {
            module.globals.iter().position(|g| g.name == name).map(|g| GlobalId(g as u32))
        };
        let mut disk = Disk {
            data: find("__selvedge_disk_data", module),
            sizes: find("__selvedge_disk_sizes", module),
            names: find("__selvedge_disk_names", module),
            journals: find("__selvedge_disk_journals", module),
            ..Disk::default()
        };
        let maps = module.functions.iter().any(|f| f.name == "__selvedge_map");
        if disk.names.is_none() && !maps {
            return disk;
        }
        let mut paths: BTreeSet<String> = BTreeSet::from([String::from("/")]);
        for global in module.globals.iter().filter(|g| g.constant) {
            let end = global.bytes.iter().position(|b| *b == 0).unwrap_or(0);
            if let Ok(text) = std::str::from_utf8(&global.bytes[..end])
                && !text.is_empty()
            {
                paths.insert(normal(text));
            }
        }
        disk.paths = paths.into_iter().collect();
        let number = |path: &str, paths: &[String]| paths.binary_search_by(|p| p.as_str().cmp(path)).ok();
        let parents = disk.paths.iter().map(|path| {
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            let parent = if parent.is_empty() { "/" } else { parent };
            // A directory that the program has no name for is not told from the root.
            number(parent, &disk.paths).or_else(|| number("/", &disk.paths)).unwrap_or(0) as u32
        });
        disk.parents = parents.collect();
        let sizes = [
            (disk.data, INODES * options.max_file_size as u64),
            (disk.sizes, INODES * 8),
            (disk.journals, INODES * 8),
            (disk.names, disk.paths.len() as u64 * 8),
        ];
        for (global, size) in sizes {
            if let Some(global) = global.and_then(|g| module.globals.get_mut(g.0 as usize)) {
                global.size = size;
                global.bytes = vec![0; size as usize];
            }
        }
        disk
    }

    /// A path, by its number.
    pub fn path(&self, number: u32) -> &str {
        self.paths.get(number as usize).map_or("", String::as_str)
    }

    /// What is mapped: the file of a path, or a file by its number.
    pub fn mapped_name(&self, path: u32) -> String {
        match path.checked_sub(self.paths.len() as u32) {
            None => format!("\"{}\"", self.path(path)),
            Some(inode) => format!("memory of file {inode}"),
        }
    }

    /// What is kept at an offset of an object of the library, if that is a part of the disk: `byte 2 of file
    /// 1`.
    pub fn name(&self, global: GlobalId, at: u64, max_file_size: u32) -> Option<String> {
        let is = |of: Option<GlobalId>| of == Some(global);
        let size = max_file_size.max(1) as u64;
        if is(self.data) {
            return Some(format!("byte {} of file {}", at % size, at / size));
        }
        if is(self.sizes) {
            return Some(format!("size of file {}", at / 8));
        }
        if is(self.journals) {
            return Some(format!("journal of file {}", at / 8));
        }
        is(self.names).then(|| format!("name \"{}\"", self.path(at as u32 / 8)))
    }

    /// Bytes of a file are cells of their own.
    pub fn divide(&self, layout: &mut crate::layout::Layout) {
        self.data.iter().for_each(|data| layout.make_durable(data.0, 1));
    }

    /// The number of the line that begins with a byte.
    fn line(&self, object: u32, first: u64) -> u32 {
        let mut lines = self.lines.borrow_mut();
        let next = lines.len() as u32;
        *lines.entry((object, first)).or_insert(next)
    }
}

/// A path without `.`, `//` and what ends in `/`; relative ones are in the root.
fn normal(path: &str) -> String {
    let mut out = String::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        out.push('/');
        out.push_str(part);
    }
    if out.is_empty() { String::from("/") } else { out }
}

impl VmMachine {
    /// Memory that outlives a crash.
    pub(super) fn make_durable(&self, addr: u64, size: u64) -> Result<(), Halt> {
        let Some((object, from)) = pointer::split(addr) else {
            return fail(ErrorKind::NullDereference, "`selvedge_durable` of a null pointer");
        };
        if is_private(object) {
            return fail(ErrorKind::Unsupported, "`selvedge_durable` of a local variable");
        }
        let whole = self.tables.borrow().objects.get(object as usize).map(|o| self.size_of(*o));
        let end = from.checked_add_unsigned(size).filter(|_| from >= 0).map(|end| end as u64);
        let (Some(whole), Some(end)) = (whole, end) else {
            return fail(ErrorKind::OutOfBounds, "`selvedge_durable` of what is no object");
        };
        if end > whole {
            let message = format!("`selvedge_durable` of {size} bytes at offset {from} of {whole}");
            return fail(ErrorKind::OutOfBounds, message);
        }
        self.add_durable(object, from as u64, end)
    }

    fn add_durable(&self, object: u32, from: u64, end: u64) -> Result<(), Halt> {
        let range = (object, from, end);
        if self.tables.borrow().durable.contains(&range) {
            return Ok(());
        }
        let word = self.line_size(object).min(WORD.into()) as u32;
        self.learn(|common| {
            common.layout.make_durable(object, word);
            if !common.durable.contains(&range) {
                common.durable.push(range);
            }
            // What came before in this execution was done as if it were not durable.
            common.layout.ask_for_restart();
        });
        Err(Halt::Restart)
    }

    pub(super) fn set_recovery(&self, addr: u64) -> Result<(), Halt> {
        let routine = self.function_at(addr)?;
        if let Err(why) = self.is_routine(routine) {
            return fail(ErrorKind::Unsupported, why);
        }
        let known = self.tables.borrow().recovery;
        match known {
            Some(known) if known != routine => {
                fail(ErrorKind::Unsupported, "`selvedge_recovery` names two routines")
            }
            Some(_) => Ok(()),
            None => {
                self.learn(|common| _ = common.recovery.get_or_insert(routine));
                Ok(())
            }
        }
    }

    /// Whether a function can be the recovery routine.
    fn is_routine(&self, f: FuncId) -> Result<(), String> {
        let function = self.function(f);
        let name = &function.name;
        match function.params.len() {
            _ if function.code.is_empty() => Err(format!("the recovery routine `{name}` has no body")),
            0 => Ok(()),
            _ => Err(format!("the recovery routine `{name}` has parameters: it is called without arguments")),
        }
    }

    /// The recovery routine, or why what is called that cannot be one.
    pub fn recovery_routine(&self) -> Result<Option<FuncId>, String> {
        let named = || self.module.functions.iter().position(|f| f.name == ROUTINE && !f.code.is_empty());
        let routine = self.common().recovery.or_else(|| named().map(|f| FuncId(f as u32)));
        routine.map(|f| self.is_routine(f).map(|()| f)).transpose()
    }

    /// Whether the program may name a recovery routine while it runs.
    pub fn names_recovery(&self) -> bool {
        self.module.functions.iter().any(|f| f.name == "selvedge_recovery")
    }

    /// How many bytes of an object are surely in one cache line, at multiples of that: memory that is mapped
    /// begins with a line; of other objects, only their alignment is known.
    fn line_size(&self, object: u32) -> u64 {
        let align = match self.tables.borrow().objects.get(object as usize) {
            Some(Object::Mapped { .. }) => LINE,
            Some(Object::Global(g)) => self.module.globals[g.0 as usize].align.into(),
            Some(Object::Made { heap: true, .. }) => 16,
            _ => 0,
        };
        align.clamp(1, LINE)
    }

    /// How many pieces a copy to these cells has of which some persist in any order: those of one cache line,
    /// which the hardware would keep in order if the program wrote one after the other.
    pub(super) fn pieces_of_copy(&self, stores: &[Piece]) -> Option<u32> {
        let cell = |piece: &Piece| self.tables.borrow().layout.cell(piece.loc);
        let (first, _) = (cell(stores.first()?), stores.get(1)?);
        self.tables
            .borrow()
            .durable
            .iter()
            .any(|(of, _, _)| *of == first.object)
            .then_some(stores.len() as u32)
    }

    /// The same for what an address is of.
    pub(super) fn line_size_at(&self, addr: u64) -> u64 {
        pointer::split(addr).map_or(LINE, |(object, _)| self.line_size(object))
    }

    fn line_of(&self, object: u32, at: u64) -> u32 {
        let size = self.line_size(object);
        self.disk.line(object, at / size * size)
    }

    fn durable_part(&self, object: u32, at: u64) -> Option<(u32, u64, u64)> {
        let tables = self.tables.borrow();
        tables.durable.iter().copied().find(|(of, from, to)| *of == object && (*from..*to).contains(&at))
    }

    /// Writes back the line of an address, if it is of persistent memory.
    pub(super) fn flush(&self, state: &mut VmState, op: PersistOp, addr: u64) -> Option<Op> {
        let (object, at) = pointer::split(addr)?;
        let at = u64::try_from(at).ok()?;
        self.durable_part(object, at)?;
        let unit = Some(self.line_of(object, at));
        state.stage = Stage::Advance;
        Some(Op::Persist { op, unit })
    }

    pub(super) fn path_number(&self, addr: u64) -> Result<u64, Halt> {
        let Some(text) = self.constant_text(addr).filter(|_| self.is_constant(addr)) else {
            return fail(ErrorKind::Unsupported, NOT_CONSTANT);
        };
        match self.disk.paths.binary_search(&normal(&text)) {
            Ok(number) => Ok(number as u64),
            Err(_) => fail(ErrorKind::Unsupported, format!("a part of a text as a file name (\"{text}\")")),
        }
    }

    fn is_constant(&self, addr: u64) -> bool {
        let global = pointer::split(addr).and_then(|(at, _)| self.module.globals.get(at as usize));
        global.is_some_and(|g| g.constant)
    }

    /// The memory of a file of persistent memory, which has so many bytes; 0 bytes if it is there already.
    pub(super) fn map(&self, path: u64, size: u64) -> Result<u64, Halt> {
        let path = path as u32;
        let known = self.mapping(path);
        let object = match known {
            Some((_, has)) if size != 0 && has != size => {
                let message = format!("a file is mapped twice, as {has} bytes and as {size}");
                return fail(ErrorKind::Unsupported, message);
            }
            Some((object, _)) => object,
            None if size == 0 => return Ok(0),
            None => self.intern(Object::Mapped { path, size }),
        };
        let size = self.size_of(self.tables.borrow().objects[object as usize]);
        self.add_durable(object, 0, size)?;
        Ok(pointer::make(object, 0))
    }

    /// The memory of a path, or, beyond paths, of a file: the object, and its size.
    fn mapping(&self, of: u32) -> Option<(u32, u64)> {
        self.tables.borrow().objects.iter().zip(0..).find_map(|(object, number)| match object {
            Object::Mapped { path, size } if *path == of => Some((number, *size)),
            _ => None,
        })
    }

    /// What the library asks of the disk: 0 the largest size of a file, 1 how many files there may be, 2
    /// after how many crashes this is, 3 how many paths there are, 4 which is the root, 5 whether reads and
    /// writes may be short; from 16 on, the directory of a path; from 2^40 on, the size of what is mapped.
    pub(super) fn disk_fact(&self, state: &VmState, what: u64) -> u64 {
        match what {
            0 => self.options.disk.max_file_size as u64,
            1 => INODES,
            2 => self.crashes_before(state.thread),
            3 => self.disk.paths.len() as u64,
            4 => self.disk.paths.iter().position(|path| path == "/").unwrap_or(0) as u64,
            5 => self.options.disk.short_io.into(),
            _ if what >> 40 != 0 => self.mapping(what as u32).map_or(0, |(_, size)| size),
            _ => self.disk.parents.get(what.saturating_sub(16) as usize).copied().unwrap_or(0) as u64,
        }
    }

    /// Whether an error of this thread is looked for. Assertions of recovery are a kind of their own.
    pub(super) fn looks_for(&self, state: &VmState, kind: ErrorKind) -> bool {
        let errors = self.options.errors;
        match kind {
            ErrorKind::Assertion if !errors.has(kind) => {
                errors.has(ErrorKind::RecoveryAssertion) && self.crashes_before(state.thread) > 0
            }
            kind => errors.has(kind),
        }
    }

    /// After how many crashes a thread runs: those that recovery creates are numbered like any other.
    fn crashes_before(&self, thread: Tid) -> u64 {
        let tables = self.tables.borrow();
        let mut at = thread;
        while at.0 > 0 && at.0 <= RECOVERY_THREAD / 2 {
            let Some((parent, _)) = tables.children.met.get(at.index() - 1) else { return 0 };
            at = *parent;
        }
        if at.0 == 0 { 0 } else { (RECOVERY_THREAD + 1 - at.0).into() }
    }

    pub(super) fn call_failed(&self, state: &mut VmState, call: &str, errno: u64) -> Result<u64, Halt> {
        if !self.options.disk.syscall_errors && errno == EFBIG {
            let most = self.options.disk.max_file_size;
            return fail(
                ErrorKind::Unsupported,
                format!("{TOO_LARGE} {most} bytes (`{call}`): see `--max-file-size`"),
            );
        }
        if !self.options.disk.syscall_errors {
            let name = ERRORS.iter().find(|(number, _)| *number == errno).map_or("", |(_, name)| name);
            let message = format!("`{call}` fails: {name}; `--syscall-errors` lets the program see it");
            return fail(ErrorKind::SystemCall, message);
        }
        set_errno(state, errno);
        Ok(u64::MAX)
    }
}

const ERRORS: [(u64, &str); 15] = [
    (2, "there is no such file (ENOENT)"),
    (9, "the descriptor is not open, or not for this (EBADF)"),
    (11, "try again (EAGAIN)"),
    (16, "it is in use (EBUSY)"),
    (17, "the file exists (EEXIST)"),
    (18, "it would be on another file system (EXDEV)"),
    (20, "it is not a directory (ENOTDIR)"),
    (21, "it is a directory (EISDIR)"),
    (22, "an argument is not valid (EINVAL)"),
    (24, "too many files are open (EMFILE)"),
    (27, "the file would be too large (EFBIG): `--max-file-size` is how large it may be"),
    (28, "there is no room for another file (ENOSPC)"),
    (29, "it has no place to seek to (ESPIPE)"),
    (39, "the directory is not empty (ENOTEMPTY)"),
    (95, "this is not supported (EOPNOTSUPP)"),
];

impl Durability for VmMachine {
    fn medium(&self, loc: Loc) -> Option<Medium> {
        let cell = self.tables.borrow().layout.cell(loc);
        let (object, at) = (cell.object, cell.offset);
        let is = |global: Option<GlobalId>| global.is_some_and(|g| g.0 == object);
        let block_size = self.options.disk.block_size;
        let disk = &self.disk;
        if is(disk.data) {
            let (unit, offset) = (at / self.options.disk.max_file_size, at % self.options.disk.max_file_size);
            return Some(Medium { kind: MediumKind::Data, unit, block: offset / block_size, offset });
        }
        if is(disk.sizes) {
            return Some(Medium { kind: MediumKind::Metadata, unit: at / 8, block: 0, offset: block_size });
        }
        if is(disk.journals) {
            return Some(Medium { kind: MediumKind::Journal, unit: at / 8, block: 0, offset: 0 });
        }
        if is(disk.names) {
            let unit = INODES as u32 + disk.parents.get(at as usize / 8).copied().unwrap_or(0);
            return Some(Medium { kind: MediumKind::Directory, unit, block: 0, offset: at / 8 });
        }
        self.durable_part(object, at as u64)?;
        let unit = self.line_of(object, at as u64);
        Some(Medium { kind: MediumKind::Memory, unit, block: 0, offset: at })
    }

    fn persisted_name(&self, op: PersistOp, unit: u32) -> String {
        if op == PersistOp::Copy {
            return format!("copies {unit} pieces, in any order");
        }
        if op.is_flush() {
            let lines = self.disk.lines.borrow();
            let line = lines.iter().find(|(_, number)| **number == unit).map(|(line, _)| *line);
            let name = line.and_then(|(object, first)| {
                let object = *self.tables.borrow().objects.get(object as usize)?;
                Some(self.name_of(object, first))
            });
            return format!("{} of the line of {}", op.name(), name.unwrap_or_default());
        }
        match (unit as u64).checked_sub(INODES) {
            Some(directory) => {
                format!("{} of the directory \"{}\"", op.name(), self.disk.path(directory as u32))
            }
            None => format!("{} of file {unit}", op.name()),
        }
    }

    fn recovery_has_threads(&self) -> bool {
        self.tables.borrow().recovery_has_threads
    }

    fn note_recovery_threads(&self) {
        self.learn(|common| {
            common.recovery_has_threads = true;
            common.layout.ask_for_restart();
        });
    }

    fn recovery(&self, crashes_before: u32) -> Option<VmState> {
        let routine = self.recovery_routine().ok().flatten()?;
        let thread = Tid(RECOVERY_THREAD.saturating_sub(crashes_before as u16));
        Some(self.new_state(thread, routine, &[]))
    }
}
