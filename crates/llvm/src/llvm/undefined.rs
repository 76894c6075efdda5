//! Keeps LLVM from seeing undefined values when it puts variables into registers.
//!
//! Where a variable has no value yet, LLVM's promotion takes one that suits it: of `int r; if (k) r = 1;` it
//! makes `r = 1`. So each variable that can be promoted is first given a value where its life begins, by a call
//! to a function that LLVM knows nothing of. The lowering makes an undefined value of the call.

use std::collections::HashMap;
use std::ffi::CString;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::value::{Block, Value};
use super::{Module, Opcode};

/// What the functions are called; the number of the variable follows.
const PREFIX: &str = "__selvedge_undefined.";

/// A variable that may be used before it has a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unset {
    pub(crate) name: Option<String>,
    /// File and line of the declaration.
    pub(crate) place: Option<(String, u32)>,
}

/// The number of the variable that a call gives a first value to.
pub(crate) fn unset(function: &str) -> Option<usize> {
    function.strip_prefix(PREFIX)?.parse().ok()
}

/// A variable to be promoted, as LLVM will decide: only ever read and written as a whole.
fn is_promotable(alloca: Value<'_>) -> bool {
    let ty = alloca.allocated();
    alloca.operand(0).bits() == Some(1)
        && alloca.users().into_iter().all(|user| match user.opcode() {
            Some(Opcode::LLVMLoad) => user.ty() == ty && !user.is_volatile(),
            Some(Opcode::LLVMStore) => {
                user.operand(0) != alloca && user.operand(0).ty() == ty && !user.is_volatile()
            }
            Some(Opcode::LLVMCall) => user.callee().name().starts_with("llvm.lifetime."),
            _ => false,
        })
}

fn begins_life(user: Value<'_>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall) && user.callee().name().starts_with("llvm.lifetime.start")
}

impl Module<'_> {
    /// Gives all variables that can be promoted a first value. Returns the variables.
    pub(crate) fn set_undefined(&mut self) -> Vec<Unset> {
        let mut variables = Vec::new();
        // Where to set which variable, and its type.
        let mut places: Vec<(LLVMValueRef, LLVMValueRef, LLVMTypeRef, usize)> = Vec::new();
        for function in self.functions() {
            let blocks = function.blocks();
            let Some(entry) = blocks.first() else { continue };
            let declared = declared(&blocks);
            for alloca in entry.instructions() {
                if alloca.opcode() != Some(Opcode::LLVMAlloca) || !is_promotable(alloca) {
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
        // SAFETY: instructions of this module, which are followed by others, since none of them ends a block; no handle
        // is in use while the module is changed.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(self.raw));
            for (place, alloca, ty, number) in places {
                let (function, signature) = *functions.entry(number).or_insert_with(|| {
                    let signature = LLVMFunctionType(ty, std::ptr::null_mut(), 0, 0);
                    let name = CString::new(format!("{PREFIX}{number}")).expect("no zero bytes");
                    (LLVMAddFunction(self.raw, name.as_ptr(), signature), signature)
                });
                // Allocations stay together at the beginning.
                let mut next = LLVMGetNextInstruction(place);
                while LLVMGetInstructionOpcode(next) == LLVMOpcode::LLVMAlloca {
                    next = LLVMGetNextInstruction(next);
                }
                LLVMPositionBuilderBefore(builder, next);
                let name = c"".as_ptr();
                let value = LLVMBuildCall2(builder, signature, function, std::ptr::null_mut(), 0, name);
                LLVMBuildStore(builder, value, alloca);
            }
            LLVMDisposeBuilder(builder);
        }
        variables
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
