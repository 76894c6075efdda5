//! Functions that something else stands for, and what is left of a module then.
//!
//! A Rust program brings thousands of functions of its standard library along, most of which are only there
//! for start-up, for messages of panics and for their backtraces. Once those have another meaning, the rest
//! of them cannot be reached.

use std::ffi::{CStr, CString};

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode};

use super::value::Value;
use super::{Module, ValueKind};

impl Module<'_> {
    /// Gives functions another meaning: where `other` names a function for the name of a defined one, that
    /// function is used in its place. It is declared with the same type. Returns how many there were.
    pub(crate) fn replace_functions(&mut self, other: impl Fn(&str) -> Option<String>) -> usize {
        let mut found = Vec::new();
        for function in self.functions() {
            if function.blocks().is_empty() {
                continue;
            }
            if let Some(name) = other(&function.name()).and_then(|name| CString::new(name).ok()) {
                found.push((function.raw(), name));
            }
        }
        for (function, name) in &found {
            // SAFETY: a function of this module; the new one has its type, so that uses of both are the same.
            unsafe {
                let known = LLVMGetNamedFunction(self.raw, name.as_ptr());
                let declared = match known.is_null() {
                    true => LLVMAddFunction(self.raw, name.as_ptr(), LLVMGlobalGetValueType(*function)),
                    false => known,
                };
                if declared != *function {
                    LLVMReplaceAllUsesWith(*function, declared);
                }
            }
        }
        found.len()
    }

    /// What the compilers that made the module say of themselves.
    pub(crate) fn compilers(&self) -> Vec<String> {
        const IDENT: &CStr = c"llvm.ident";
        // SAFETY: named metadata of this module, whose operands are nodes of one text each.
        unsafe {
            let count = LLVMGetNamedMetadataNumOperands(self.raw, IDENT.as_ptr()) as usize;
            let mut nodes = vec![std::ptr::null_mut(); count];
            LLVMGetNamedMetadataOperands(self.raw, IDENT.as_ptr(), nodes.as_mut_ptr());
            let text_of = |node: LLVMValueRef| {
                if LLVMGetMDNodeNumOperands(node) != 1 {
                    return None;
                }
                let mut text = std::ptr::null_mut();
                LLVMGetMDNodeOperands(node, &mut text);
                let mut length = 0;
                let bytes = LLVMGetMDString(text, &mut length);
                if bytes.is_null() {
                    return None;
                }
                let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
                Some(String::from_utf8_lossy(bytes).into_owned())
            };
            nodes.into_iter().filter_map(text_of).collect()
        }
    }

    /// Where functions for which `caller` holds call `old`, they call `new` instead.
    pub(crate) fn replace_calls(&mut self, old: &str, new: &str, caller: impl Fn(&str) -> bool) {
        let all = self.functions();
        let Some(old) = all.iter().find(|function| function.name() == old) else { return };
        let Ok(new) = CString::new(new) else { return };
        let in_caller = |user: &Value<'_>| {
            user.opcode().is_some() && user.function_name().is_some_and(|name| caller(&name))
        };
        let users: Vec<_> = old.users().into_iter().filter(in_caller).map(|user| user.raw()).collect();
        let old = old.raw();
        for user in users {
            // SAFETY: an instruction of this module, and a function of the same type.
            unsafe {
                let known = LLVMGetNamedFunction(self.raw, new.as_ptr());
                let declared = match known.is_null() {
                    true => LLVMAddFunction(self.raw, new.as_ptr(), LLVMGlobalGetValueType(old)),
                    false => known,
                };
                for index in 0..LLVMGetNumOperands(user) as u32 {
                    if LLVMGetOperand(user, index) == old {
                        LLVMSetOperand(user, index, declared);
                    }
                }
            }
        }
    }

    /// Where functions for which `of` holds compare something with a number, they compare it with another.
    pub(crate) fn replace_bounds(&mut self, old: u64, new: u64, of: impl Fn(&str) -> bool) {
        let chosen: Vec<_> = self.functions().into_iter().filter(|f| of(&f.name())).collect();
        let instructions = chosen.iter().flat_map(|f| f.blocks()).flat_map(|block| block.instructions());
        let compared: Vec<_> = instructions.filter(|i| i.opcode() == Some(LLVMOpcode::LLVMICmp)).collect();
        for user in compared.into_iter().map(|user| user.raw()) {
            for index in 0..2 {
                // SAFETY: a comparison of this module, and a constant of the type of its operands.
                unsafe {
                    let operand = LLVMGetOperand(user, index);
                    if !LLVMIsAConstantInt(operand).is_null() && LLVMConstIntGetZExtValue(operand) == old {
                        LLVMSetOperand(user, index, LLVMConstInt(LLVMTypeOf(operand), new, 0));
                    }
                }
            }
        }
    }

    /// Has functions inlined wherever they are called.
    pub(crate) fn inline_always(&mut self, which: impl Fn(&str) -> bool) {
        const WORDS: [&str; 2] = ["alwaysinline", "noinline"];
        for function in self.functions() {
            if function.blocks().is_empty() || !which(&function.name()) {
                continue;
            }
            // SAFETY: attributes without a value, of a function of this module.
            unsafe {
                let [inline, never] =
                    WORDS.map(|w| LLVMGetEnumAttributeKindForName(w.as_ptr().cast(), w.len()));
                LLVMRemoveEnumAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, never);
                let attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(self.raw), inline, 0);
                LLVMAddAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, attribute);
            }
        }
    }

    /// Gives functions other names, by which others call them.
    pub(crate) fn rename_functions(&mut self, other: impl Fn(&str) -> Option<String>) {
        let all: Vec<_> = self.functions().iter().map(|f| (f.raw(), f.name())).collect();
        for (function, name) in all {
            if let Some(name) = other(&name) {
                // SAFETY: a function of this module; the text is copied. It is known outside from now on.
                unsafe {
                    LLVMSetValueName2(function, name.as_ptr().cast(), name.len());
                    LLVMSetLinkage(function, LLVMLinkage::LLVMExternalLinkage);
                }
            }
        }
    }

    /// What others define as well is theirs.
    pub(crate) fn yield_to_others(&mut self) {
        let functions = self.functions();
        let all: Vec<_> = functions.iter().filter(|f| !f.blocks().is_empty()).map(|f| f.raw()).collect();
        for function in all {
            // SAFETY: a function of this module that has a body.
            unsafe {
                if matches!(LLVMGetLinkage(function), LLVMLinkage::LLVMExternalLinkage) {
                    LLVMSetLinkage(function, LLVMLinkage::LLVMWeakAnyLinkage);
                }
            }
        }
    }

    /// Whether there is a function of this name that has a body.
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.functions().iter().any(|f| f.name() == name && !f.blocks().is_empty())
    }

    /// Drops all that cannot be reached from these functions, or from constructors.
    pub(crate) fn keep_reachable(&mut self, roots: &[&str]) -> Result<(), String> {
        let keep: Vec<String> = roots.iter().map(|root| format!("preserve-gv={root}")).collect();
        let pipeline = format!("internalize<{}>,globaldce", keep.join(";"));
        let pipeline = CString::new(pipeline).map_err(|_| String::from("a name with a zero byte"))?;
        self.run_passes(&pipeline)
    }
}

impl Value<'_> {
    /// The name of the function that an instruction is in.
    fn function_name(self) -> Option<String> {
        if self.kind() != ValueKind::LLVMInstructionValueKind {
            return None;
        }
        // SAFETY: an instruction that is in a block of a function.
        let function = unsafe { LLVMGetBasicBlockParent(LLVMGetInstructionParent(self.raw())) };
        Value::from_raw(function).map(Value::name)
    }

    /// Whether it need not be there: a declaration that is null if nobody defines it.
    pub(crate) fn is_extern_weak(self) -> bool {
        let is_global =
            matches!(self.kind(), ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalVariableValueKind);
        // SAFETY: a function or a global.
        is_global && matches!(unsafe { LLVMGetLinkage(self.raw()) }, LLVMLinkage::LLVMExternalWeakLinkage)
    }
}
