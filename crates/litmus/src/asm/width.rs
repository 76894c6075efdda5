//! Sizes of accesses and of locations.
//!
//! A location is one cell, so every access to it has to be of the location's own size and at its beginning;
//! an array has a location for each element.
//! What is known of that before the test runs is refused here: for each access, the locations that its
//! address may be computed from are found (whatever the order of instructions), and all accesses to one
//! location have to agree, with one another and with the location's type. An address that lands elsewhere at
//! run time is no location's: pointers are so far apart that no offset leads from one to another, and the
//! execution fails.
//!
//! A cell of 32 bits holds its value as a signed number, whoever wrote it, and one of 8 or 16 bits as an
//! unsigned one: what instructions do with the sign is done on the way to and from registers.

use super::operand::Piece;
use super::thread::AsmLocations;
use crate::lex::clip;
use crate::source::{Place, Source};
use crate::syntax::Parsed;
use selvedge_graph::{Loc, Value};
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::program::{Addr, Instr, RmwOp, Thread, pointed_to};
use std::collections::BTreeSet;

/// Size of something in memory, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width(pub u8);

impl Width {
    pub const BYTE: Width = Width(1);
    pub const HALF: Width = Width(2);
    pub const WORD: Width = Width(4);
    pub const DOUBLE: Width = Width(8);

    pub fn of(wide: bool) -> Width {
        if wide { Width::DOUBLE } else { Width::WORD }
    }

    fn bits(self) -> u32 {
        8 * u32::from(self.0)
    }

    /// Of a size below 64 bits.
    pub fn mask(self) -> Value {
        (1 << self.bits()) - 1
    }

    /// Of a type of C, as far as its name tells.
    pub fn of_type(words: &[Piece<'_>]) -> Option<Width> {
        let last = words.last()?.text;
        let has = |name: &str| words.iter().any(|w| w.text == name);
        Some(match last {
            "int64_t" | "uint64_t" | "intptr_t" | "uintptr_t" | "size_t" => Width::DOUBLE,
            _ if has("long") => Width::DOUBLE,
            "int8_t" | "uint8_t" | "char" => Width(1),
            "int16_t" | "uint16_t" | "short" => Width(2),
            _ if has("short") => Width(2),
            "int" | "int32_t" | "uint32_t" | "unsigned" | "signed" => Width::WORD,
            "int128_t" | "uint128_t" => Width(16),
            _ => return None,
        })
    }
}

/// An instruction that accesses memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Its number in the thread's code.
    pub at: usize,
    pub width: Width,
    pub place: Place,
}

/// Why a location has its size.
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    Declared,
    /// It holds an address.
    Address,
    Access(Place),
}

/// Gives every location its size, or says which access does not fit.
pub fn check(
    source: &Source<'_>,
    locations: &mut AsmLocations,
    threads: &[(Thread, Vec<Access>)],
) -> Parsed<()> {
    let reach = Reach::of(locations, threads);
    for (t, (thread, accesses)) in threads.iter().enumerate() {
        for access in accesses {
            let Some(addr) = address(&thread.code[access.at]) else { continue };
            for loc in reach.targets(t, addr) {
                let size = &mut locations.sizes[loc as usize];
                let (width, reason) = *size.get_or_insert((access.width, Reason::Access(access.place)));
                if width != access.width {
                    return Err(misfit(source, &locations.cells[loc as usize].0, access, width, reason));
                }
            }
        }
    }
    for (cell, size) in locations.cells.iter_mut().zip(&locations.sizes) {
        cell.1 = held(cell.1, size.map_or(Width::WORD, |(width, _)| width));
    }
    Ok(())
}

fn misfit(
    source: &Source<'_>,
    name: &str,
    access: &Access,
    width: Width,
    reason: Reason,
) -> selvedge_diagnostic::Diagnostic {
    let why = match reason {
        Reason::Declared => String::from("is declared to be"),
        Reason::Address => String::from("holds an address, so it is"),
        Reason::Access(place) => format!("is accessed at line {} as if it were", source.line(place)),
    };
    let (own, of, name) = (access.width.bits(), width.bits(), clip(name));
    let message = format!("this access is of {own} bits, and `{name}` {why} of {of} bits");
    source.error(access.place, message).with_help(
        "accesses of mixed sizes are not supported yet: all accesses to a location have to be of its size",
    )
}

/// An address at a distance from its register.
pub fn at_an_offset(source: &Source<'_>, piece: Piece<'_>) -> selvedge_diagnostic::Diagnostic {
    let message = format!("address `{}` is at an offset inside of a location", clip(piece.text));
    source.error(piece.place, message).with_help(
        "accesses of mixed sizes are not supported yet: an access has to be at the beginning of its location",
    )
}

fn address(instr: &Instr) -> Option<&Addr> {
    match instr {
        Instr::Load { addr, .. }
        | Instr::Store { addr, .. }
        | Instr::Rmw { addr, .. }
        | Instr::Cas { addr, .. }
        | Instr::LoadLinked { addr, .. }
        | Instr::StoreConditional { addr, .. } => Some(addr),
        _ => None,
    }
}

/// The locations whose addresses each register and each location may ever hold, or what is computed from
/// them.
struct Reach {
    regs: Vec<Vec<BTreeSet<u32>>>,
    memory: Vec<BTreeSet<u32>>,
    arrays: Vec<Vec<u32>>,
    grown: bool,
}

impl Reach {
    fn of(locations: &AsmLocations, threads: &[(Thread, Vec<Access>)]) -> Reach {
        let known = |value: Value| pointed_to(value).filter(|l| l.index() < locations.cells.len());
        let mut reach = Reach {
            regs: threads.iter().map(|(t, _)| vec![BTreeSet::new(); t.regs.len()]).collect(),
            memory: locations
                .cells
                .iter()
                .map(|(_, v)| known(*v).map(|l| l.0).into_iter().collect())
                .collect(),
            arrays: locations.arrays.iter().map(|a| a.elements.iter().map(|l| l.0).collect()).collect(),
            grown: true,
        };
        while std::mem::take(&mut reach.grown) {
            for (t, (thread, _)) in threads.iter().enumerate() {
                thread.code.iter().for_each(|instr| reach.see(t, instr));
            }
        }
        reach
    }

    fn see(&mut self, t: usize, instr: &Instr) {
        let (dst, addr, value) = match instr {
            Instr::Assign { dst, expr } => {
                let set = self.value(t, expr);
                return self.hold(t, *dst, &set);
            }
            Instr::Load { dst, addr, .. } | Instr::LoadLinked { dst, addr, .. } => (Some(dst), addr, None),
            Instr::Store { addr, value, .. } | Instr::StoreConditional { addr, value, .. } => {
                (None, addr, Some(value))
            }
            Instr::Rmw { dst, addr, operand, .. } => (Some(dst), addr, Some(operand)),
            Instr::Cas { old, addr, desired, .. } => (Some(old), addr, Some(desired)),
            _ => return,
        };
        let value = value.map(|value| self.value(t, value)).unwrap_or_default();
        for loc in self.targets(t, addr) {
            let memory = &mut self.memory[loc as usize];
            let before = memory.len();
            memory.extend(&value);
            self.grown |= memory.len() > before;
            if let Some(dst) = dst {
                let set = self.memory[loc as usize].clone();
                self.hold(t, *dst, &set);
            }
        }
    }

    fn hold(&mut self, t: usize, dst: Reg, set: &BTreeSet<u32>) {
        let reg = &mut self.regs[t][dst.0 as usize];
        let before = reg.len();
        reg.extend(set);
        self.grown |= reg.len() > before;
    }

    fn value(&self, t: usize, expr: &Expr) -> BTreeSet<u32> {
        let mut set = BTreeSet::new();
        self.collect(t, expr, &mut set);
        set
    }

    fn collect(&self, t: usize, expr: &Expr, set: &mut BTreeSet<u32>) {
        match expr {
            Expr::Const(value) => {
                set.extend(pointed_to(*value).filter(|l| l.index() < self.memory.len()).map(|l| l.0))
            }
            Expr::Reg(reg) => set.extend(&self.regs[t][reg.0 as usize]),
            Expr::Un(_, inner) => self.collect(t, inner, set),
            Expr::Bin(_, a, b) => {
                self.collect(t, a, set);
                self.collect(t, b, set);
            }
        }
    }

    fn targets(&self, t: usize, addr: &Addr) -> BTreeSet<u32> {
        match addr {
            Addr::Loc(Loc(loc)) => BTreeSet::from([*loc]),
            Addr::Element { base, len, .. } => (base.0..base.0 + len).collect(),
            Addr::Pointer(pointer) => {
                let mut set = self.value(t, pointer);
                // What is computed from the address of an element may be that of another one.
                for array in &self.arrays {
                    if array.iter().any(|loc| set.contains(loc)) {
                        set.extend(array);
                    }
                }
                set
            }
        }
    }
}

/// A number of 32 bits, with a sign or without, as the signed number that a cell holds. Others stay what
/// they are.
pub fn as_word(value: Value) -> Value {
    u32::try_from(value).map_or(value, |value| Value::from(value as i32))
}

/// A number as a cell of this size holds it: signed if it has 32 bits, unsigned if it has fewer. Addresses
/// stay what they are.
pub fn held(value: Value, width: Width) -> Value {
    match width {
        Width::BYTE | Width::HALF => value & width.mask(),
        Width::WORD => as_word(value),
        _ => value,
    }
}

/// The lower 32 bits.
pub fn low(e: Expr) -> Expr {
    match e {
        Expr::Const(value) => Expr::Const(value & 0xffff_ffff),
        e => Expr::bin(BinOp::And, e, Expr::Const(0xffff_ffff)),
    }
}

/// The lower 32 bits as a signed number.
pub fn signed_low(e: Expr) -> Expr {
    match e {
        Expr::Const(value) => Expr::Const(Value::from(value as i32)),
        e => {
            let shifted = Expr::bin(BinOp::Shl, e, Expr::Const(32));
            Expr::bin(BinOp::Shr, shifted, Expr::Const(32))
        }
    }
}

/// The lower bits of a size below 64 as a signed number.
pub fn sign_extended(e: Expr, width: Width) -> Expr {
    let distance = || Expr::Const(Value::from(64 - width.bits()));
    Expr::bin(BinOp::Shr, Expr::bin(BinOp::Shl, e, distance()), distance())
}

/// `value` shifted as `lsl`, `lsr` or `asr` says (`sll`, `srl`, `sra`), by an amount modulo the size.
pub fn shifted(value: Expr, how: &str, amount: Expr, wide: bool) -> Expr {
    let amount = Expr::bin(BinOp::And, amount, Expr::Const(if wide { 63 } else { 31 }));
    match how {
        "lsl" | "sll" => Expr::bin(BinOp::Shl, value, amount),
        "asr" | "sra" if wide => Expr::bin(BinOp::Shr, value, amount),
        "asr" | "sra" => low(Expr::bin(BinOp::Shr, signed_low(value), amount)),
        // The upper half of what has 32 bits is zero.
        _ if !wide => Expr::bin(BinOp::Shr, value, amount),
        _ => {
            // Without the copies of the sign; of all bits in two steps, as there may be 64 of them.
            let ones = Expr::bin(BinOp::Sub, Expr::Const(63), amount.clone());
            let mask = Expr::bin(BinOp::Shl, Expr::bin(BinOp::Shl, Expr::Const(-1), ones), Expr::Const(1));
            let shifted = Expr::bin(BinOp::Shr, value, amount);
            Expr::bin(BinOp::And, shifted, Expr::un(UnOp::BitNot, mask))
        }
    }
}

/// What an access of this size writes to its cell.
pub fn stored(e: Expr, width: Width) -> Expr {
    match width {
        Width::BYTE | Width::HALF => Expr::bin(BinOp::And, e, Expr::Const(width.mask())),
        Width::WORD => signed_low(e),
        _ => e,
    }
}

/// [`as_word`] of a value that is not known yet.
pub fn shown_as_word(reg: Reg) -> Expr {
    let value = || Expr::Reg(reg);
    let fits = || Expr::bin(BinOp::Eq, low(value()), value());
    let when = |cond, e| Expr::bin(BinOp::Mul, cond, e);
    let otherwise = Expr::bin(BinOp::Ne, low(value()), value());
    Expr::bin(BinOp::Add, when(fits(), signed_low(value())), when(otherwise, value()))
}

/// The operation on cells of this size.
pub fn sized_op(op: RmwOp, width: Width) -> RmwOp {
    match op {
        RmwOp::Add if width == Width::WORD => RmwOp::AddWord,
        RmwOp::Sub if width == Width::WORD => RmwOp::SubWord,
        op => op,
    }
}
