//! Functions that take any number of arguments.
//!
//! On x86-64, clang has already turned `va_arg` into accesses of the `va_list`: how many of the registers for
//! arguments were used (`gp_offset`, `fp_offset`), where the registers were saved, and where the arguments
//! are that did not fit (`overflow_arg_area`). Here no argument is in a register: the counts say that all
//! were used, and the arguments are all in one area, 8 bytes each, laid out as the ABI has them on the stack.
//! So the code that clang made finds them there.

use selvedge_ir::{Instr, Operand};

use super::body::Body;
use super::memory::only_dereferenced;
use super::shape::Scalar;
use crate::llvm::{Opcode, Value};
use selvedge_graph::Mode;

/// Where the fields of a `va_list` are, and what they are when no register is left.
const GP_OFFSET: (i64, u64) = (0, 48);
const FP_OFFSET: (i64, u64) = (4, 176);
const OVERFLOW_AREA: i64 = 8;
const SAVE_AREA: i64 = 16;
const LIST_SIZE: i64 = 24;

/// Functions of the library that read a `va_list` and do not keep it.
const READERS: [&str; 6] =
    ["vprintf", "vfprintf", "vsprintf", "vsnprintf", "vdprintf", "__selvedge_text_list"];

/// Whether a function that is given a `va_list` leaves it in its thread.
pub(super) fn only_looks_at_list(callee: Value<'_>) -> bool {
    let name = callee.name();
    let intrinsic = matches!(name.as_str(), "llvm.va_start.p0" | "llvm.va_end.p0" | "llvm.va_copy.p0");
    intrinsic || (READERS.contains(&name.as_str()) && callee.blocks().is_empty())
}

impl<'m> Body<'_, 'm> {
    /// The arguments of a call from number `fixed` on, word by word.
    pub(super) fn further_arguments(&mut self, call: Value<'m>, fixed: usize) -> Vec<Operand> {
        let mut words = Vec::new();
        for (index, argument) in call.arguments().into_iter().enumerate().skip(fixed) {
            if let Some(ty) = call.argument_by_value(index as u32) {
                let (size, align) = (self.program.layout.size(ty), self.program.layout.align(ty));
                if align > 8 && words.len() % 2 != 0 {
                    words.push(Operand::Undef);
                }
                let base = self.operand(argument);
                for at in (0..size).step_by(8) {
                    let word = self.word(base, at, (size - at).min(8));
                    words.push(word);
                }
                continue;
            }
            // 128 bits are aligned to 16 bytes; a `long double` takes as much.
            let shape = self.program.shape(argument);
            let double =
                matches!(shape.scalar(), Some(Scalar::Int(65..=128) | Scalar::Extended | Scalar::Other));
            if double && words.len() % 2 != 0 {
                words.push(Operand::Undef);
            }
            words.extend(self.operands(argument));
            if shape.scalar() == Some(Scalar::Other) {
                words.push(Operand::Undef);
            }
        }
        words
    }

    /// Up to 8 bytes of memory as one register.
    fn word(&mut self, base: Operand, at: u64, bytes: u64) -> Operand {
        let mut whole: Option<Operand> = None;
        let mut done = 0;
        for size in [8u64, 4, 2, 1] {
            while bytes - done >= size {
                let addr = self.displace(base, (at + done) as i64);
                let (bytes, mode, volatile) = (size as u8, Mode::Na, false);
                let part = self.compute(|dst| Instr::Load { dst, addr, bytes, mode, volatile });
                whole = Some(match whole {
                    None => part,
                    Some(low) => {
                        let op = selvedge_ir::BinOp::Shl;
                        let part = self.bin(op, 64, part, Operand::Const(8 * done));
                        self.bin(selvedge_ir::BinOp::Or, 64, low, part)
                    }
                });
                done += size;
            }
        }
        whole.unwrap_or(Operand::Undef)
    }

    /// `va_start`.
    pub(super) fn list_start(&mut self, list: Value<'m>) -> Vec<Operand> {
        let Some(rest) = self.rest else {
            self.unsupported("va_start in a function that takes no further arguments");
            return Vec::new();
        };
        if self.has_short_pointers() {
            return self.short_list_start(list, rest);
        }
        if !self.program.has_sysv_lists {
            self.unsupported("va_start on this target");
            return Vec::new();
        }
        let mut area = Operand::Reg(rest);
        if !is_own_list(list) {
            // Others may come to see the list, and through it the arguments.
            let (size, own) = (Operand::Reg(rest + 1), area);
            area = self.compute(|dst| Instr::Alloca { dst, size, align: 16, private: false });
            self.call_library("memcpy", vec![area, own, size], 1);
        }
        let list = self.operand(list);
        let set = |body: &mut Self, at: i64, value: Operand, bytes: u8| {
            let addr = body.displace(list, at);
            body.emit(Instr::Store { addr, value, bytes, mode: Mode::Na, volatile: false, reference: false });
        };
        set(self, GP_OFFSET.0, Operand::Const(GP_OFFSET.1), 4);
        set(self, FP_OFFSET.0, Operand::Const(FP_OFFSET.1), 4);
        set(self, OVERFLOW_AREA, area, 8);
        set(self, SAVE_AREA, Operand::Const(0), 8);
        Vec::new()
    }

    /// On i386, a `va_list` is the address of the next argument. It is not known who comes to see it.
    fn short_list_start(&mut self, list: Value<'m>, rest: u32) -> Vec<Operand> {
        let (size, own) = (Operand::Reg(rest + 1), Operand::Reg(rest));
        let area = self.compute(|dst| Instr::Alloca { dst, size, align: 16, private: false });
        self.call_library("memcpy", vec![area, own, size], 1);
        let (addr, value) = (self.operand(list), self.address_of_pointer(area));
        let (mode, volatile, reference) = (Mode::Na, false, false);
        self.emit(Instr::Store { addr, value, bytes: 4, mode, volatile, reference });
        Vec::new()
    }

    pub(super) fn list_copy(&mut self, to: Value<'m>, from: Value<'m>) -> Vec<Operand> {
        let (to, from) = (self.operand(to), self.operand(from));
        if self.has_short_pointers() {
            let (mode, volatile) = (Mode::Na, false);
            let value = self.compute(|dst| Instr::Load { dst, addr: from, bytes: 4, mode, volatile });
            self.emit(Instr::Store { addr: to, value, bytes: 4, mode, volatile, reference: false });
            return Vec::new();
        }
        for at in (0..LIST_SIZE).step_by(8) {
            let value = self.word(from, at as u64, 8);
            let addr = self.displace(to, at);
            self.emit(Instr::Store {
                addr,
                value,
                bytes: 8,
                mode: Mode::Na,
                volatile: false,
                reference: false,
            });
        }
        Vec::new()
    }
}

/// Whether a `va_list` is a local variable that stays in its function, and so do all copies of it.
fn is_own_list(list: Value<'_>) -> bool {
    let mut found = Vec::new();
    own_lists(list, &mut found)
}

fn own_lists<'m>(list: Value<'m>, found: &mut Vec<Value<'m>>) -> bool {
    match list.opcode() {
        Some(Opcode::LLVMGetElementPtr) => own_lists(list.operand(0), found),
        Some(Opcode::LLVMAlloca) if found.contains(&list) => true,
        Some(Opcode::LLVMAlloca) => {
            found.push(list);
            only_dereferenced(list) && copies_are_own(list, found)
        }
        _ => false,
    }
}

fn copies_are_own<'m>(address: Value<'m>, found: &mut Vec<Value<'m>>) -> bool {
    address.users().into_iter().all(|user| match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => copies_are_own(user, found),
        Some(Opcode::LLVMCall) if user.callee().name().starts_with("llvm.va_copy") => {
            let arguments = user.arguments();
            arguments[1] != address || own_lists(arguments[0], found)
        }
        _ => true,
    })
}
