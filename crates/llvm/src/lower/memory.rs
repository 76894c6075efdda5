//! Addresses, memory, atomic operations.

use std::collections::HashSet;

use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CastOp, Instr, Net, Operand, RmwOp, library, pointer, registers};

use super::Program;
use super::body::Body;
use super::constant::shift;
use super::shape::Scalar;
use super::variadic;
use crate::llvm::{Opcode, Ordering, RmwKind, TypeKind, Value, ValueKind, keeps};
use crate::rust;

/// What a `getelementptr` adds to its base.
pub(super) struct Steps<'m> {
    constant: i64,
    /// Indices that are not constant, with the size of what each counts.
    variable: Vec<(Value<'m>, i64)>,
}

impl Steps<'_> {
    pub(super) fn constant_offset(&self) -> Option<i64> {
        self.variable.is_empty().then_some(self.constant)
    }
}

impl<'m> Program<'m> {
    pub(super) fn steps(&self, value: Value<'m>) -> Steps<'m> {
        let mut steps = Steps { constant: 0, variable: Vec::new() };
        let mut ty = value.source_element();
        for position in 1..value.operand_count() {
            let index = value.operand(position);
            // The first index counts whole objects.
            if position > 1 {
                if ty.kind() == TypeKind::Struct {
                    let field = index.bits().unwrap_or(0) as u32;
                    steps.constant += self.layout.field_offset(ty, field) as i64;
                    ty = ty.fields()[field as usize];
                    continue;
                }
                ty = ty.elements().0;
            }
            let scale = self.layout.size(ty) as i64;
            match (index.bits(), index.ty().kind()) {
                (Some(bits), TypeKind::Int(width @ 1..=64)) => {
                    let index = ((bits as u64) << (64 - width)) as i64 >> (64 - width);
                    steps.constant = steps.constant.wrapping_add(index.wrapping_mul(scale));
                }
                _ => steps.variable.push((index, scale)),
            }
        }
        steps
    }
}

/// The mode that LLVM's ordering is. `unordered`, which C does not have, is at most relaxed.
fn mode(ordering: Ordering) -> Mode {
    match ordering {
        Ordering::LLVMAtomicOrderingNotAtomic => Mode::Na,
        Ordering::LLVMAtomicOrderingUnordered | Ordering::LLVMAtomicOrderingMonotonic => Mode::Rlx,
        Ordering::LLVMAtomicOrderingAcquire => Mode::Acq,
        Ordering::LLVMAtomicOrderingRelease => Mode::Rel,
        Ordering::LLVMAtomicOrderingAcquireRelease => Mode::AcqRel,
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => Mode::Sc,
    }
}

/// Offset and size of the accesses that a scalar of this many bytes takes.
fn chunks(bytes: u64) -> Vec<(u64, u8)> {
    let mut chunks = Vec::new();
    let mut offset = 0;
    for size in [16, 8, 4, 2, 1] {
        while bytes - offset >= size {
            chunks.push((offset, size as u8));
            offset += size;
        }
    }
    chunks
}

/// Whether an address is only ever dereferenced, directly or at constant offsets, by plain accesses.
pub(super) fn only_dereferenced(address: Value<'_>) -> bool {
    address.users().into_iter().all(|user| match user.opcode() {
        Some(Opcode::LLVMLoad) => mode(user.ordering()) == Mode::Na,
        Some(Opcode::LLVMStore) => user.operand(0) != address && mode(user.ordering()) == Mode::Na,
        Some(Opcode::LLVMGetElementPtr) => {
            (1..user.operand_count()).all(|i| user.operand(i).is_constant()) && only_dereferenced(user)
        }
        Some(Opcode::LLVMCall) => {
            let callee = user.callee();
            callee.name().starts_with("llvm.lifetime.")
                || is_initialised(user, address)
                || keeps(&callee.name())
                || variadic::only_looks_at_list(callee)
                || (library::takes_time(&callee.name()) && callee.blocks().is_empty())
        }
        _ => false,
    })
}

/// Whether a call fills a small variable with constants: `struct timespec pause = {0, 1000};`.
fn is_initialised(call: Value<'_>, address: Value<'_>) -> bool {
    let name = call.callee().name();
    let copies = name.starts_with("llvm.memcpy.");
    (copies || name.starts_with("llvm.memset."))
        && call.operand(0) == address
        && call.operand(1) != address
        && (!copies || is_constant(call.operand(1)))
        && call.operand(2).bits().is_some_and(|bytes| bytes <= u128::from(MOST_PRIVATE))
        && call.operand(3).bits() == Some(0)
}

fn is_constant(address: Value<'_>) -> bool {
    address.kind() == ValueKind::LLVMGlobalVariableValueKind && address.is_constant_global()
}

/// How many uses of an address are looked at, in functions that are called with it.
const MOST_USES: u32 = 2000;

/// Whether an address stays with its thread: plain accesses are all that is done with it, here and in
/// functions that it is given to, at any offset. Nobody stores it or returns it.
fn stays_with_thread(address: Value<'_>, left: &mut u32) -> bool {
    address.users().into_iter().all(|user| {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        match user.opcode() {
            Some(Opcode::LLVMLoad) => mode(user.ordering()) == Mode::Na,
            Some(Opcode::LLVMStore) => user.operand(0) != address && mode(user.ordering()) == Mode::Na,
            Some(Opcode::LLVMGetElementPtr) => {
                (1..user.operand_count()).all(|i| user.operand(i) != address) && stays_with_thread(user, left)
            }
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => stays_in_call(user, address, left),
            _ => false,
        }
    })
}

/// The same of an address that a call is given.
fn stays_in_call(call: Value<'_>, address: Value<'_>, left: &mut u32) -> bool {
    const HARMLESS: [&str; 4] = ["llvm.lifetime.", "llvm.memcpy.", "llvm.memset.", "llvm.memmove."];
    let callee = call.callee();
    if callee == address || callee.kind() != ValueKind::LLVMFunctionValueKind {
        return false;
    }
    let name = callee.name();
    if callee.blocks().is_empty() {
        return HARMLESS.iter().any(|begin| name.starts_with(begin))
            || keeps(&name)
            || library::only_pauses(&name)
            || call.only_sleeps()
            || name == rust::WHENEVER;
    }
    let given: Vec<Value<'_>> = call.arguments();
    let parameters = callee.parameters();
    let by_value = |at: usize| call.argument_by_value(at as u32).is_some();
    given.len() == parameters.len()
        && given.iter().enumerate().filter(|(_, argument)| **argument == address).all(|(at, _)| {
            // A copy is made of what is passed by value.
            by_value(at) || stays_with_thread(parameters[at], left)
        })
}

/// Functions of the library that store through one of their arguments, the ids of threads and what they
/// return, and do not keep its address.
const STORES: [(&str, u32); 4] =
    [("pthread_create", 0), ("thrd_create", 0), ("pthread_join", 1), ("thrd_join", 1)];

/// Larger variables are shared: private memory is copied when it is written.
const MOST_PRIVATE: u64 = 1024;

/// Whether an address is only used to keep ids of threads, or what they return, at any offset: arrays of
/// them. `given` is set if some function stores there.
fn keeps_threads(address: Value<'_>, given: &mut bool) -> bool {
    address.users().into_iter().all(|user| match user.opcode() {
        Some(Opcode::LLVMLoad) => mode(user.ordering()) == Mode::Na,
        Some(Opcode::LLVMStore) => user.operand(0) != address && mode(user.ordering()) == Mode::Na,
        Some(Opcode::LLVMGetElementPtr) => {
            (1..user.operand_count()).all(|i| user.operand(i) != address) && keeps_threads(user, given)
        }
        Some(Opcode::LLVMCall) => {
            let callee = user.callee();
            let name = callee.name();
            let stores = STORES.iter().any(|(function, at)| {
                *function == name
                    && callee.blocks().is_empty()
                    && (0..user.operand_count()).all(|i| (user.operand(i) == address) == (i == *at))
            });
            *given |= stores;
            stores || name.starts_with("llvm.lifetime.") || keeps(&name)
        }
        _ => false,
    })
}

/// Whether an `alloca` is only ever read and written as a whole, as a scalar of at most 64 bits.
///
/// LLVM keeps variables in memory that are accessed by several types (pointers that are exchanged
/// atomically go through integers); to a register, that is all the same.
///
/// `volatile_stays`: not if it is volatile. Nobody else sees it, but it keeps its value when `longjmp` comes
/// back to the function.
fn is_one_scalar<'m>(program: &Program<'m>, alloca: Value<'m>, volatile_stays: bool) -> bool {
    let size = program.layout.size(alloca.allocated());
    let short = program.out.short_pointers;
    let whole = |accessed: Value<'m>| {
        let scalar = program.shape(accessed).scalar();
        // Where pointers are short, they are not kept as integers are.
        let bits = scalar.and_then(Scalar::bits).filter(|_| !short || scalar != Some(Scalar::Pointer));
        matches!(bits, Some(8 | 16 | 32 | 64)) && bits.map(u64::from) == Some(size * 8)
    };
    alloca.operand(0).bits() == Some(1)
        && only_dereferenced(alloca)
        && alloca.users().into_iter().all(|user| match user.opcode() {
            Some(Opcode::LLVMLoad) => whole(user) && !(volatile_stays && user.is_volatile()),
            Some(Opcode::LLVMStore) => whole(user.operand(0)) && !(volatile_stays && user.is_volatile()),
            _ => is_lifetime(user),
        })
}

/// Whether an instruction says where the life of a variable begins or ends.
fn is_lifetime(user: Value<'_>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall) && user.callee().name().starts_with("llvm.lifetime.")
}

fn is_use(user: Value<'_>) -> bool {
    let kept = user.opcode() == Some(Opcode::LLVMCall) && keeps(&user.callee().name());
    !is_lifetime(user) && !kept
}

/// Whether some way leads to a use of a variable before its life has begun: optimisers compute addresses as
/// early as they can.
fn is_used_early<'m>(alloca: Value<'m>, users: &HashSet<Value<'m>>) -> bool {
    let mut seen = HashSet::from([alloca.block()]);
    let mut open = vec![alloca.block()];
    while let Some(block) = open.pop() {
        let here = block.instructions().into_iter().filter(|instruction| users.contains(instruction));
        let mut here = here.filter(|instruction| is_use(*instruction) || is_begin(*instruction));
        match here.next() {
            Some(first) if is_begin(first) => {}
            Some(_) => return true,
            None => open.extend(block.successors().into_iter().filter(|next| seen.insert(*next))),
        }
    }
    false
}

fn is_begin(user: Value<'_>) -> bool {
    is_lifetime(user) && begins(user)
}

/// Whether a variable has a life of its own, shorter than its function's: its life begins somewhere, and it
/// is not used before, as far as one block, or a way without its beginning, shows that.
fn has_scope(alloca: Value<'_>) -> bool {
    let users: HashSet<Value<'_>> = alloca.users().into_iter().collect();
    let starts = users.iter().filter(|user| is_lifetime(**user) && begins(**user));
    let too_early = |start: &Value<'_>| {
        let here = start.block().instructions().into_iter().filter(|other| users.contains(other));
        let here: Vec<Value<'_>> = here.filter(|other| is_use(*other) || is_lifetime(*other)).collect();
        let first = here.iter().find(|other| is_lifetime(**other));
        first.is_some_and(|first| begins(*first)) && here.first().is_some_and(|other| is_use(*other))
    };
    let mut starts = starts.peekable();
    starts.peek().is_some() && !starts.any(too_early) && !is_used_early(alloca, &users)
}

fn begins(lifetime: Value<'_>) -> bool {
    lifetime.callee().name().starts_with("llvm.lifetime.start")
}

impl<'m> Body<'_, 'm> {
    /// `base` plus a constant number of bytes.
    pub(super) fn displace(&mut self, base: Operand, by: i64) -> Operand {
        match shift(base, by) {
            Some(folded) => folded,
            None => {
                let index = Operand::Const(by as u64);
                self.compute(|dst| Instr::Offset { dst, base, index, scale: 1, within: false })
            }
        }
    }

    pub(super) fn address(&mut self, value: Value<'m>) -> Vec<Operand> {
        let vector = (0..value.operand_count()).any(|i| value.operand(i).ty().kind() == TypeKind::Vector);
        if vector {
            return self.unknown(value);
        }
        if self.program.strict_bounds {
            self.check_indices(value);
        }
        let steps = self.program.steps(value);
        let mut address = self.operand(value.operand(0));
        address = self.displace(address, steps.constant);
        // Where several steps are made, one of them may lead out of the object and the next one back.
        let near = steps.constant.unsigned_abs() < pointer::BASE;
        let within = near && steps.variable.len() == 1 && value.is_in_bounds();
        for (index, scale) in steps.variable {
            let bits = self.scalar(index).and_then(Scalar::int_bits);
            let index = match bits {
                Some(64) => self.operand(index),
                Some(bits @ ..64) => {
                    let narrow = self.operand(index);
                    self.convert(CastOp::Sext, bits, 64, narrow)
                }
                _ => return self.unknown(value),
            };
            let base = address;
            address = self.compute(|dst| Instr::Offset { dst, base, index, scale, within });
        }
        vec![address]
    }

    /// Room for a variable; a register if that is enough.
    pub(super) fn alloca(&mut self, value: Value<'m>) -> Vec<Operand> {
        if is_one_scalar(self.program, value, self.returns_twice) {
            let slot = self.fresh(1);
            self.slots.insert(value, slot);
            self.undefine(slot, self.slot_bits(value));
            return vec![Operand::Undef];
        }
        let ty = value.allocated();
        let one = self.program.layout.size(ty);
        let count = value.operand(0);
        let size = match count.bits() {
            Some(count) => Operand::Const(one.saturating_mul(count as u64)),
            None => {
                self.check_length(value, count);
                let count = self.operand(count);
                self.bin(BinOp::Mul, 64, count, Operand::Const(one))
            }
        };
        let align = match value.alignment() {
            0 => self.program.layout.align(ty),
            stated => stated,
        };
        let small = matches!(size, Operand::Const(bytes) if bytes <= MOST_PRIVATE);
        let mut given = false;
        let mut uses = MOST_USES;
        let private = only_dereferenced(value)
            || (small && keeps_threads(value, &mut given) && given)
            || (small && self.is_mangled && stays_with_thread(value, &mut uses));
        if !private && self.has_scope(value) {
            let dst = self.fresh(1);
            self.scoped.insert(value, Instr::Alloca { dst, size, align, private });
            return vec![Operand::Reg(dst)];
        }
        let address = self.compute(|dst| Instr::Alloca { dst, size, align, private });
        if private && self.is_mangled && self.has_scope(value) {
            // As it is whenever its block is left.
            self.emit(Instr::Life { addr: address, begins: false });
        }
        vec![address]
    }

    /// Of a variable that is in a register.
    fn slot_bits(&self, variable: Value<'m>) -> u8 {
        (self.program.layout.size(variable.allocated()) * 8).min(64) as u8
    }

    fn has_scope(&mut self, alloca: Value<'m>) -> bool {
        *self.scopes.entry(alloca).or_insert_with(|| has_scope(alloca))
    }

    /// The life of a variable begins: it has no contents yet.
    pub(super) fn life_begins(&mut self, variable: Value<'m>) {
        if let Some(&dst) = self.slots.get(&variable) {
            self.undefine(dst, self.slot_bits(variable));
        } else if let Some(make) = self.scoped.get(&variable).cloned() {
            self.emit(make);
        } else if variable.opcode() == Some(Opcode::LLVMAlloca) && self.has_scope(variable) {
            let addr = self.operand(variable);
            self.emit(Instr::Life { addr, begins: true });
        }
    }

    pub(super) fn life_ends(&mut self, variable: Value<'m>) {
        let is_slot = self.slots.contains_key(&variable);
        if !is_slot && variable.opcode() == Some(Opcode::LLVMAlloca) && self.has_scope(variable) {
            let addr = self.operand(variable);
            self.emit(Instr::Life { addr, begins: false });
        }
    }

    pub(super) fn load(&mut self, value: Value<'m>) -> Vec<Operand> {
        if let Some(&slot) = self.slots.get(&value.operand(0)) {
            // A copy: the variable may change while this value is in use.
            return vec![self.compute(|dst| Instr::Move { dst, src: Operand::Reg(slot) })];
        }
        let shape = self.program.shape(value);
        let (mode, volatile) = self.kind_of_access(value, value);
        if mode != Mode::Na && !self.is_atomic_size(value) {
            return self.unknown(value);
        }
        let base = self.operand(value.operand(0));
        let mut operands = Vec::new();
        for (scalar, offset) in shape.parts {
            if scalar == Scalar::Other {
                return self.unknown(value);
            }
            let width = self.bits_in_memory(scalar);
            let mut registers: Vec<Operand> = Vec::new();
            for (at, bytes) in chunks(u64::from(width.div_ceil(8))) {
                let addr = self.displace(base, (offset + at) as i64);
                if bytes == 16 {
                    let dst = self.fresh(2);
                    self.emit(Instr::Load { dst, addr, bytes, mode, volatile });
                    registers.extend(Self::row(dst, 2));
                    continue;
                }
                let part = self.compute(|dst| Instr::Load { dst, addr, bytes, mode, volatile });
                match (at % 8, registers.last().copied()) {
                    (0, _) | (_, None) => registers.push(part),
                    (within, Some(low)) => {
                        let part = self.bin(BinOp::Shl, 64, part, Operand::Const(within * 8));
                        let joined = self.bin(BinOp::Or, 64, low, part);
                        registers.pop();
                        registers.push(joined);
                    }
                }
            }
            // Bits that are in memory only to fill a byte.
            if !width.is_multiple_of(8)
                && let Some(top) = registers.pop()
            {
                registers.push(self.convert(CastOp::Trunc, 64, (width % 64) as u8, top));
            }
            operands.extend(registers.into_iter().map(|part| self.loaded_form(scalar, part)));
        }
        operands
    }

    /// The ordering of a load or a store, and whether it is volatile and nothing else. What machines access
    /// as a whole (at most eight bytes, aligned) can be atomic by being volatile.
    fn kind_of_access(&self, value: Value<'m>, accessed: Value<'m>) -> (Mode, bool) {
        let (mode, volatile) = (mode(value.ordering()), value.is_volatile());
        let bytes = self.program.layout.size(accessed.ty());
        let whole = || bytes <= 8 && self.is_atomic_size(accessed) && u64::from(value.alignment()) >= bytes;
        match mode == Mode::Na && volatile && self.program.volatile_atomic && whole() {
            true => (Mode::Rlx, false),
            false => (mode, volatile),
        }
    }

    /// Whether an atomic access has a size that there are atomic accesses of, in one part.
    fn is_atomic_size(&self, value: Value<'m>) -> bool {
        matches!(self.scalar(value).and_then(Scalar::bits), Some(1 | 8 | 16 | 32 | 64 | 128))
    }

    pub(super) fn store(&mut self, value: Value<'m>) -> Vec<Operand> {
        let (stored, address) = (value.operand(0), value.operand(1));
        if let Some(&dst) = self.slots.get(&address) {
            let src = self.operand(stored);
            self.emit(Instr::Move { dst, src });
            return Vec::new();
        }
        // Nothing but `sfence` orders it with other stores, and no model here knows such stores.
        if value.is_nontemporal() {
            self.unsupported("a non-temporal store (`_mm_stream_*`, `movnt*`)");
            return Vec::new();
        }
        let shape = self.program.shape(stored);
        let (mode, volatile) = self.kind_of_access(value, stored);
        if mode != Mode::Na && !self.is_atomic_size(stored) {
            return self.unknown(value);
        }
        let operands = self.operands(stored);
        let base = self.operand(address);
        let mut next = operands.into_iter();
        for (scalar, offset) in shape.parts {
            if scalar == Scalar::Other {
                return self.unknown(value);
            }
            let width = self.bits_in_memory(scalar);
            let registers = next.by_ref().take(scalar.registers() as usize);
            let registers: Vec<Operand> = registers.map(|part| self.stored_form(scalar, part)).collect();
            for (at, bytes) in chunks(u64::from(width.div_ceil(8))) {
                let addr = self.displace(base, (offset + at) as i64);
                if bytes == 16 {
                    let value = self.pair(registers[0], registers[1]);
                    self.emit(Instr::Store { addr, value, bytes, mode, volatile, reference: false });
                    continue;
                }
                let whole = registers[(at / 8) as usize];
                // A store writes the lower bytes of its operand.
                let value = match at % 8 {
                    0 => whole,
                    within => self.bin(BinOp::LShr, 64, whole, Operand::Const(within * 8)),
                };
                let value = self.low_bytes(value, width, at, bytes);
                self.emit(Instr::Store { addr, value, bytes, mode, volatile, reference: false });
            }
        }
        Vec::new()
    }

    /// Cuts a register to the bytes that are stored, where it has more.
    fn low_bytes(&mut self, value: Operand, width: u32, at: u64, bytes: u8) -> Operand {
        let left = u64::from(width.div_ceil(8)) - at;
        match left.min(8 - at % 8) > u64::from(bytes) {
            true => self.convert(CastOp::Trunc, 64, bytes * 8, value),
            false => value,
        }
    }

    pub(super) fn compare_exchange(&mut self, value: Value<'m>) -> Vec<Operand> {
        if !self.is_atomic_size(value.operand(1)) {
            return self.unknown(value);
        }
        let bytes = self.program.layout.size(value.operand(1).ty()) as u8;
        let addr = self.operand(value.operand(0));
        let scalar = self.scalar(value.operand(1)).unwrap_or(Scalar::Other);
        let (expected, desired) = (self.whole(value.operand(1)), self.whole(value.operand(2)));
        let (expected, desired) = (self.stored_form(scalar, expected), self.stored_form(scalar, desired));
        let (success, failure) = value.orderings();
        let count = registers(bytes) + 1;
        let dst = self.fresh(count);
        self.emit(Instr::Cmpxchg {
            dst,
            addr,
            expected,
            desired,
            bytes,
            success: mode(success),
            failure: mode(failure),
            weak: value.is_weak(),
        });
        let mut results = Self::row(dst, count);
        results[0] = self.loaded_form(scalar, results[0]);
        results
    }

    pub(super) fn read_modify_write(&mut self, value: Value<'m>) -> Vec<Operand> {
        let op = match value.rmw_kind() {
            RmwKind::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
            RmwKind::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
            RmwKind::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
            RmwKind::LLVMAtomicRMWBinOpAnd => RmwOp::And,
            RmwKind::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
            RmwKind::LLVMAtomicRMWBinOpOr => RmwOp::Or,
            RmwKind::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
            RmwKind::LLVMAtomicRMWBinOpMax => RmwOp::Max,
            RmwKind::LLVMAtomicRMWBinOpMin => RmwOp::Min,
            RmwKind::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
            RmwKind::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
            _ => return self.unknown(value),
        };
        if !self.is_atomic_size(value) {
            return self.unknown(value);
        }
        let bytes = self.program.layout.size(value.ty()) as u8;
        let (addr, operand) = (self.operand(value.operand(0)), self.whole(value.operand(1)));
        let scalar = self.scalar(value).unwrap_or(Scalar::Other);
        let operand = self.stored_form(scalar, operand);
        let mode = mode(value.ordering());
        let count = registers(bytes);
        let dst = self.fresh(count);
        self.emit(Instr::Rmw { op, dst, addr, operand, bytes, mode, net: Net::Lasting });
        let mut results = Self::row(dst, count);
        results[0] = self.loaded_form(scalar, results[0]);
        results
    }

    pub(super) fn fence(&mut self, value: Value<'m>) -> Vec<Operand> {
        // A fence against signal handlers orders nothing between threads.
        if !value.is_single_thread() {
            self.emit(Instr::Fence { mode: mode(value.ordering()) });
        }
        Vec::new()
    }
}
