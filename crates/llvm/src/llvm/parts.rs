//! Takes variables apart that are only accessed by their parts, each as a whole.
//!
//! rustc makes all variables arrays of bytes, and a structure of C++ is one variable in memory. What is
//! only ever read and written by numbers and pointers at known places, and whose address nobody gets, may
//! as well be several variables, one for each place: LLVM puts those into registers, and what follows sees
//! what a loop does with them. No access is left out that another thread could see, as nobody else knows
//! the variable. What is copied as a whole, or accessed at a place in different widths, stays as it is; but
//! what is only set by copying a constant, as clang does it for `struct s v = {1, 2};`, is set by its
//! parts.

use std::collections::BTreeMap;

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::alive::only_while_alive;
use super::undefined::{is_keep, is_lifetime};
use super::value::{Type, TypeKind, Value};
use super::{Layout, Module, Opcode, ValueKind};

/// A variable, and what is to become of it.
struct Whole {
    variable: LLVMValueRef,
    /// By its place, the type of a part, and the instructions that access it with the number of the operand
    /// that is the address.
    parts: BTreeMap<u64, (LLVMTypeRef, Vec<(LLVMValueRef, u32)>)>,
    lifetimes: Vec<LLVMValueRef>,
    /// Calls that keep it in memory.
    keeps: Vec<LLVMValueRef>,
    /// Computations of addresses; those that depend on others come after them.
    addresses: Vec<LLVMValueRef>,
    /// Copies of constants to it, as a whole.
    copies: Vec<LLVMValueRef>,
}

impl Module<'_> {
    /// Takes apart what can be, in functions for which `of` holds. Returns whether there was anything.
    pub(crate) fn split_variables(&mut self, of: impl Fn(&str) -> bool) -> bool {
        let layout = self.layout();
        let mut found = Vec::new();
        for function in self.functions() {
            let blocks = function.blocks();
            let Some(entry) = blocks.first().filter(|_| of(&function.name())) else { continue };
            let variables =
                entry.instructions().into_iter().filter(|i| i.opcode() == Some(Opcode::LLVMAlloca));
            found.extend(variables.filter_map(|variable| Whole::of(variable, layout)));
        }
        let any = !found.is_empty();
        // SAFETY: instructions of this module; no handle is in use while it is changed. All uses of what is
        // erased have been given another operand, or are erased before.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(self.raw));
            found.into_iter().for_each(|whole| whole.split(builder));
            LLVMDisposeBuilder(builder);
        }
        any
    }
}

impl Whole {
    fn of<'m>(variable: Value<'m>, layout: Layout<'m>) -> Option<Whole> {
        let ty = variable.allocated();
        if !matches!(ty.kind(), TypeKind::Array | TypeKind::Struct) || variable.operand(0).bits() != Some(1) {
            return None;
        }
        let mut whole = Whole {
            variable: variable.raw(),
            parts: BTreeMap::new(),
            lifetimes: Vec::new(),
            keeps: Vec::new(),
            addresses: Vec::new(),
            copies: Vec::new(),
        };
        let mut pending = vec![(variable, 0)];
        while let Some((address, at)) = pending.pop() {
            for user in address.users() {
                match user.opcode()? {
                    Opcode::LLVMLoad => whole.access(user, user.ty(), 0, at, variable, layout)?,
                    Opcode::LLVMStore if user.operand(0) != address => {
                        whole.access(user, user.operand(0).ty(), 1, at, variable, layout)?;
                    }
                    Opcode::LLVMGetElementPtr => {
                        whole.addresses.push(user.raw());
                        pending.push((user, at + offset(user, layout)?));
                    }
                    _ if is_lifetime(user) && address == variable => whole.lifetimes.push(user.raw()),
                    _ if is_keep(user) => whole.keeps.push(user.raw()),
                    _ if address == variable && sets_to_constant(user, variable, layout.size(ty)) => {
                        whole.copies.push(user.raw());
                    }
                    _ => return None,
                }
            }
        }
        let size = layout.size(ty);
        let mut free = 0;
        for (&at, &(ty, _)) in &whole.parts {
            let end = at + layout.size(Type::from_raw(ty));
            if at < free || end > size {
                return None;
            }
            free = end;
        }
        let accesses = || whole.parts.values().flat_map(|(_, accesses)| accesses);
        let accesses = || accesses().filter_map(|(access, _)| Value::from_raw(*access)).collect();
        (whole.keeps.is_empty() || only_while_alive(variable, &accesses())).then_some(whole)
    }

    /// Notes an access; nothing if it keeps the variable from being taken apart.
    fn access<'m>(
        &mut self,
        user: Value<'m>,
        ty: Type<'m>,
        operand: u32,
        at: u64,
        variable: Value<'m>,
        layout: Layout<'m>,
    ) -> Option<()> {
        let is_number = match ty.kind() {
            TypeKind::Int(bits) => bits.is_multiple_of(8) && bits <= 64,
            TypeKind::Float | TypeKind::Double | TypeKind::Pointer => true,
            _ => false,
        };
        let is_plain =
            user.ordering() == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic && !user.is_volatile();
        let aligned = u64::from(user.alignment()) <= u64::from(variable.alignment())
            && at.is_multiple_of(u64::from(user.alignment().max(1)));
        if !is_number || !is_plain || !aligned || layout.size(ty) == 0 {
            return None;
        }
        let (known, accesses) = self.parts.entry(at).or_insert_with(|| (ty.raw(), Vec::new()));
        accesses.push((user.raw(), operand));
        (*known == ty.raw()).then_some(())
    }

    /// SAFETY: the variable and its uses are as they were found.
    unsafe fn split(self, builder: LLVMBuilderRef) {
        // SAFETY: by the contract of this function.
        unsafe {
            let mut first = None;
            for (&at, (ty, accesses)) in &self.parts {
                LLVMPositionBuilderBefore(builder, self.variable);
                let part = LLVMBuildAlloca(builder, *ty, c"".as_ptr());
                first.get_or_insert(part);
                for &(access, operand) in accesses {
                    LLVMSetOperand(access, operand, part);
                }
                for &copy in &self.copies {
                    LLVMPositionBuilderBefore(builder, copy);
                    let context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetCalledValue(copy)));
                    let byte = LLVMInt8TypeInContext(context);
                    let at = LLVMConstInt(LLVMInt64TypeInContext(context), at, 0);
                    let from = LLVMBuildGEP2(
                        builder,
                        byte,
                        LLVMGetOperand(copy, 1),
                        [at].as_mut_ptr(),
                        1,
                        c"".as_ptr(),
                    );
                    let value = LLVMBuildLoad2(builder, *ty, from, c"".as_ptr());
                    LLVMSetAlignment(value, 1);
                    LLVMBuildStore(builder, value, part);
                }
                for &lifetime in &self.lifetimes {
                    let copy = LLVMInstructionClone(lifetime);
                    LLVMPositionBuilderBefore(builder, lifetime);
                    LLVMInsertIntoBuilder(builder, copy);
                    LLVMSetOperand(copy, 0, part);
                }
            }
            self.keeps.iter().for_each(|&keep| LLVMInstructionEraseFromParent(keep));
            self.copies.iter().for_each(|&copy| LLVMInstructionEraseFromParent(copy));
            self.lifetimes.iter().for_each(|&lifetime| LLVMInstructionEraseFromParent(lifetime));
            self.addresses.iter().rev().for_each(|&address| LLVMInstructionEraseFromParent(address));
            // What is known of the variable's name is that of its first part.
            if let Some(part) = first {
                LLVMReplaceAllUsesWith(self.variable, part);
            }
            LLVMInstructionEraseFromParent(self.variable);
        }
    }
}

/// Whether an instruction copies a constant to a variable, all of it.
fn sets_to_constant(user: Value<'_>, variable: Value<'_>, size: u64) -> bool {
    if user.opcode() != Some(Opcode::LLVMCall) || !user.callee().name().starts_with("llvm.memcpy.") {
        return false;
    }
    let [to, from, length, volatile] = user.arguments()[..] else { return false };
    to == variable
        && from.kind() == ValueKind::LLVMGlobalVariableValueKind
        && from.is_constant_global()
        && length.bits() == Some(u128::from(size))
        && volatile.is_zero()
}

/// How far an address is from its base, if that is known.
fn offset<'m>(address: Value<'m>, layout: Layout<'m>) -> Option<u64> {
    let mut ty = address.source_element();
    let mut offset = 0u64;
    for index in 1..address.operand_count() {
        let by = u64::try_from(address.operand(index).bits()?).ok().filter(|by| *by < 1 << 32)?;
        let step = match (index, ty.kind()) {
            (1, _) => by * layout.size(ty),
            (_, TypeKind::Struct) => {
                let field = u32::try_from(by).ok()?;
                let offset = layout.field_offset(ty, field);
                ty = ty.fields()[field as usize];
                offset
            }
            (_, TypeKind::Array) => {
                ty = ty.elements().0;
                by * layout.size(ty)
            }
            _ => return None,
        };
        offset = offset.checked_add(step)?;
    }
    Some(offset)
}
