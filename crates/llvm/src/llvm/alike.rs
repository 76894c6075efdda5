//! Variables that hold pointers, and are read and written as numbers, too.
//!
//! clang compares and exchanges pointers as numbers of the same size: what is expected is read from its
//! variable as a number. Where all other accesses are of pointers, these become such, and what is read is
//! made a number. The bits are the same.

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;

use super::value::{Type, TypeKind, Value};
use super::{Module, Opcode};

impl Module<'_> {
    /// Has variables of pointers accessed as pointers, in functions for which `of` holds.
    pub(crate) fn access_alike(&mut self, of: impl Fn(&str) -> bool) {
        let size = 8 * self.layout().pointer_size();
        let is_number = |ty: Type<'_>| matches!(ty.kind(), TypeKind::Int(bits) if bits == size);
        let mut found = Vec::new();
        for function in self.functions() {
            let blocks = function.blocks();
            let Some(entry) = blocks.first().filter(|_| of(&function.name())) else { continue };
            for variable in entry.instructions() {
                let is_pointer = variable.opcode() == Some(Opcode::LLVMAlloca)
                    && variable.allocated().kind() == TypeKind::Pointer;
                if !is_pointer {
                    continue;
                }
                let accesses = variable.users().into_iter().filter(|user| match user.opcode() {
                    Some(Opcode::LLVMLoad) => is_number(user.ty()) && is_plain(*user),
                    Some(Opcode::LLVMStore) => {
                        user.operand(0) != variable && is_number(user.operand(0).ty()) && is_plain(*user)
                    }
                    _ => false,
                });
                found.extend(
                    accesses.map(|access| (variable.raw(), variable.allocated().raw(), access.raw())),
                );
            }
        }
        // SAFETY: plain loads and stores of this module at variables of pointers; no handle is in use while
        // it is changed, and all uses of a load are of its replacement before it is erased.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(self.raw));
            for (variable, pointer, access) in found {
                LLVMPositionBuilderBefore(builder, access);
                if LLVMGetInstructionOpcode(access) == llvm_sys::LLVMOpcode::LLVMLoad {
                    let load = LLVMBuildLoad2(builder, pointer, variable, c"".as_ptr());
                    LLVMSetAlignment(load, LLVMGetAlignment(access));
                    let number = LLVMBuildPtrToInt(builder, load, LLVMTypeOf(access), c"".as_ptr());
                    LLVMReplaceAllUsesWith(access, number);
                } else {
                    let number = LLVMGetOperand(access, 0);
                    let value = LLVMBuildIntToPtr(builder, number, pointer, c"".as_ptr());
                    let store = LLVMBuildStore(builder, value, variable);
                    LLVMSetAlignment(store, LLVMGetAlignment(access));
                }
                LLVMInstructionEraseFromParent(access);
            }
            LLVMDisposeBuilder(builder);
        }
    }
}

fn is_plain(access: Value<'_>) -> bool {
    access.ordering() == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic && !access.is_volatile()
}
