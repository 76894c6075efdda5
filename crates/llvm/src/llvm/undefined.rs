//! Keeps LLVM from seeing undefined values when it puts variables into registers.
//!
//! Where a variable has no value yet, LLVM's promotion takes one that suits it: of `int r; if (k) r = 1;` it
//! makes `r = 1`. So each variable that can be promoted is first given a value where its life begins, by a
//! call to a function that LLVM knows nothing of. The lowering makes an undefined value of the call.

use std::collections::HashMap;
use std::ffi::CString;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::alive::only_while_alive;
use super::debug::File;
use super::value::{Block, Value};
use super::{Module, Opcode};

/// What the functions are called; the number of the variable follows.
const PREFIX: &str = "__selvedge_undefined.";

/// A function that is given the address of each variable that LLVM must leave in memory.
const KEEP: &str = "__selvedge_keep";

/// A variable that may be used before it has a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unset {
    pub(crate) name: Option<String>,
    /// File and line of the declaration.
    pub(crate) place: Option<(File, u32)>,
}

/// The number of the variable that a call gives a first value to.
pub(crate) fn unset(function: &str) -> Option<usize> {
    function.strip_prefix(PREFIX)?.parse().ok()
}

/// A variable to be promoted, as LLVM will decide: only ever read and written as a whole.
fn is_promotable(alloca: Value<'_>) -> bool {
    let ty = alloca.allocated();
    alloca.operand(0).bits() == Some(1)
        && alloca.users().into_iter().filter(|user| !is_keep(*user)).all(|user| match user.opcode() {
            Some(Opcode::LLVMLoad) => user.ty() == ty && !user.is_volatile(),
            Some(Opcode::LLVMStore) => {
                user.operand(0) != alloca && user.operand(0).ty() == ty && !user.is_volatile()
            }
            _ => is_lifetime(user),
        })
}

/// Whether a call only keeps LLVM from putting a variable into a register.
pub(crate) fn keeps(function: &str) -> bool {
    function == KEEP
}

/// Whether a variable's block may be left before its function is, and something else than loads and stores by
/// name knows its address. Once LLVM has put that something into a register, it would take no notice of the
/// end of the variable's life.
fn is_kept(alloca: Value<'_>) -> bool {
    let users = alloca.users();
    let by_name = |user: &Value<'_>| match user.opcode() {
        Some(Opcode::LLVMLoad) => true,
        Some(Opcode::LLVMStore) => user.operand(0) != alloca,
        _ => is_lifetime(*user),
    };
    let ends = |user: &&Value<'_>| is_lifetime(**user) && !begins_life(**user);
    !users.iter().all(by_name) && users.iter().filter(ends).any(|end| !is_at_the_end(*end))
}

/// Whether something is a call that only keeps a variable in memory.
pub(super) fn is_keep(user: Value<'_>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall) && user.callee().name() == KEEP
}

/// Takes a variable out of those that are kept in memory, if all of its accesses are known to be while it
/// lives. Whether it is none of them any more.
fn is_let_go(alloca: Value<'_>, let_go: &mut Vec<LLVMValueRef>) -> bool {
    let (keeps, others): (Vec<Value<'_>>, Vec<Value<'_>>) =
        alloca.users().into_iter().partition(|user| is_keep(*user));
    let accesses = || others.into_iter().filter(|user| !is_lifetime(*user)).collect();
    let done = keeps.is_empty() || only_while_alive(alloca, &accesses());
    let_go.extend(keeps.iter().filter(|_| done).map(|keep| keep.raw()));
    done
}

pub(super) fn is_lifetime(user: Value<'_>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall) && user.callee().name().starts_with("llvm.lifetime.")
}

/// Whether nothing but the function's end comes after an instruction.
fn is_at_the_end(instruction: Value<'_>) -> bool {
    let mut rest: Vec<Value<'_>> = instruction.block().instructions();
    let at = rest.iter().position(|other| *other == instruction).unwrap_or(0);
    rest.drain(..=at);
    let mut seen = 0;
    loop {
        let Some(last) = rest.pop() else { return false };
        let nothing = |other: &Value<'_>| {
            let loads = other.opcode() == Some(Opcode::LLVMLoad);
            is_lifetime(*other) || (loads && other.operand(0).opcode() == Some(Opcode::LLVMAlloca))
        };
        if !rest.iter().all(nothing) {
            return false;
        }
        match (last.opcode(), last.successors().as_slice()) {
            (Some(Opcode::LLVMRet), _) => return true,
            (Some(Opcode::LLVMBr), [next]) if seen < 4 => rest = next.instructions(),
            _ => return false,
        }
        seen += 1;
    }
}

pub(super) fn begins_life(user: Value<'_>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall) && user.callee().name().starts_with("llvm.lifetime.start")
}

impl Module<'_> {
    /// Gives all variables that can be promoted a first value, and adds them to the others.
    pub(crate) fn set_undefined(&mut self, variables: &mut Vec<Unset>) {
        // Where to set which variable, and its type.
        let mut places: Vec<(LLVMValueRef, LLVMValueRef, LLVMTypeRef, usize)> = Vec::new();
        let (mut kept, mut let_go) = (Vec::<LLVMValueRef>::new(), Vec::<LLVMValueRef>::new());
        for function in self.functions() {
            let blocks = function.blocks();
            let Some(entry) = blocks.first() else { continue };
            let declared = declared(&blocks);
            for alloca in entry.instructions() {
                if alloca.opcode() != Some(Opcode::LLVMAlloca) {
                    continue;
                }
                // An array of variable length is declared with a length even if it is not used.
                let is_dynamic = alloca.operand(0).bits().is_none();
                if is_dynamic || !is_promotable(alloca) || !is_let_go(alloca, &mut let_go) {
                    let is_known = alloca.users().into_iter().any(is_keep);
                    if !is_known && (is_dynamic || is_kept(alloca)) {
                        kept.push(alloca.raw());
                    }
                    continue;
                }
                let number = variables.len();
                variables.push(declared.get(&alloca).cloned().unwrap_or_default());
                let starts: Vec<Value<'_>> =
                    alloca.users().into_iter().filter(|user| begins_life(*user)).collect();
                // Whatever is before the beginning of its life is none of it, but harmless.
                for place in starts.into_iter().chain([alloca]) {
                    places.push((place.raw(), alloca.raw(), alloca.allocated().raw(), number));
                }
            }
        }
        let mut functions: HashMap<usize, (LLVMValueRef, LLVMTypeRef)> = HashMap::new();
        // SAFETY: instructions of this module, which are followed by others, since none of them ends a block;
        // no handle is in use while the module is changed.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(self.raw));
            let_go.into_iter().for_each(|keep| LLVMInstructionEraseFromParent(keep));
            for (place, alloca, ty, number) in places {
                let (function, signature) = *functions.entry(number).or_insert_with(|| {
                    let signature = LLVMFunctionType(ty, std::ptr::null_mut(), 0, 0);
                    let name = CString::new(format!("{PREFIX}{number}")).expect("no zero bytes");
                    (LLVMAddFunction(self.raw, name.as_ptr(), signature), signature)
                });
                LLVMPositionBuilderBefore(builder, after(place));
                let name = c"".as_ptr();
                let value = LLVMBuildCall2(builder, signature, function, std::ptr::null_mut(), 0, name);
                LLVMBuildStore(builder, value, alloca);
            }
            if let Some(&first) = kept.first() {
                let context = LLVMGetModuleContext(self.raw);
                let mut parameter = LLVMTypeOf(first);
                let signature = LLVMFunctionType(LLVMVoidTypeInContext(context), &mut parameter, 1, 0);
                let name = CString::new(KEEP).expect("no zero bytes");
                let known = LLVMGetNamedFunction(self.raw, name.as_ptr());
                let keep = match known.is_null() {
                    true => LLVMAddFunction(self.raw, name.as_ptr(), signature),
                    false => known,
                };
                for mut alloca in kept {
                    LLVMPositionBuilderBefore(builder, after(alloca));
                    LLVMBuildCall2(builder, signature, keep, &mut alloca, 1, c"".as_ptr());
                }
            }
            LLVMDisposeBuilder(builder);
        }
    }
}

/// The instruction after one, and after all allocations that follow it: they stay together at the beginning.
///
/// SAFETY: an instruction that does not end its block.
unsafe fn after(place: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: by the contract of this function, and as no allocation ends a block.
    unsafe {
        let mut next = LLVMGetNextInstruction(place);
        while LLVMGetInstructionOpcode(next) == LLVMOpcode::LLVMAlloca {
            next = LLVMGetNextInstruction(next);
        }
        next
    }
}

/// What the variables of a function are called.
fn declared<'m>(blocks: &[Block<'m>]) -> HashMap<Value<'m>, Unset> {
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    let found = instructions.flat_map(|instruction| instruction.declarations());
    let unset = found.map(|(address, variable)| {
        let place = variable.file.clone().map(|file| (file, variable.line));
        (address, Unset { name: Some(variable.name), place })
    });
    unset.collect()
}
