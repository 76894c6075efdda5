//! A safe, read-only view of LLVM modules: the only place of this crate that calls LLVM.
//!
//! Why the calls are sound: handles borrow the module they come from, changes to the module
//! ([`Module::link`], [`Module::run_passes`]) need it mutably, so no handle survives them; and an accessor
//! that LLVM defines for one kind of value or type only asserts that kind first.

mod alike;
mod alive;
mod clang;
mod debug;
mod exceptions;
mod lent;
mod parts;
pub mod process;
mod reach;
mod small;
mod undefined;
mod value;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::transforms::pass_builder::*;

pub(crate) use clang::Compilation;
pub(crate) use debug::{File, Metadata, Spot};
pub(crate) use llvm_sys::LLVMAtomicOrdering as Ordering;
pub(crate) use llvm_sys::LLVMAtomicRMWBinOp as RmwKind;
pub(crate) use llvm_sys::LLVMIntPredicate as IntPredicate;
pub(crate) use llvm_sys::LLVMOpcode as Opcode;
pub(crate) use llvm_sys::LLVMValueKind as ValueKind;
pub(crate) use undefined::{Unset, keeps, unset};
pub(crate) use value::{Block, Type, TypeKind, Value};

/// Owns everything that modules share. Errors that LLVM reports on the side are collected in it.
pub(crate) struct Context {
    raw: LLVMContextRef,
    // Boxed: LLVM keeps its address.
    errors: Box<RefCell<Vec<String>>>,
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: `errors` is the box of the context that reports, which outlives the call.
    unsafe {
        let text = take_message(LLVMGetDiagInfoDescription(info));
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            (*errors.cast::<RefCell<Vec<String>>>()).borrow_mut().push(text);
        }
    }
}

/// SAFETY: `message` is null or a string that LLVM allocated for its caller.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

impl Context {
    pub(crate) fn new() -> Context {
        let errors = Box::<RefCell<Vec<String>>>::default();
        // SAFETY: the handler gets the box, which lives as long as the context.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let address = ptr::from_ref::<RefCell<Vec<String>>>(&errors).cast_mut();
            LLVMContextSetDiagnosticHandler(raw, Some(collect), address.cast());
            raw
        };
        Context { raw, errors }
    }

    /// What was reported since the last call, as one text; `otherwise` if nothing was.
    fn take_errors(&self, otherwise: &str) -> String {
        let errors = self.errors.take();
        if errors.is_empty() { otherwise.to_owned() } else { errors.join("\n") }
    }

    /// Reads bitcode or the textual form.
    pub(crate) fn parse(&self, contents: &[u8], name: &str) -> Result<Module<'_>, String> {
        let name = CString::new(name.replace('\0', "?")).expect("no zero bytes");
        let mut raw = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer is a copy, disposed of after its only use; the results are read on success only.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                contents.as_ptr().cast(),
                contents.len(),
                name.as_ptr(),
            );
            let failed = LLVMParseIRInContext2(self.raw, buffer, &mut raw, &mut message) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            let message = take_message(message);
            if failed {
                return Err(if message.is_empty() { self.take_errors("not LLVM IR") } else { message });
            }
        }
        let module = Module { raw, context: self };
        module.verify()?;
        Ok(module)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

pub(crate) struct Module<'c> {
    raw: LLVMModuleRef,
    context: &'c Context,
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: owned, and `link` forgets the modules that it consumes.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl<'c> Module<'c> {
    fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: a valid module; the message is ours.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.raw, action, &mut message) != 0;
            let message = take_message(message);
            if broken { Err(message) } else { Ok(()) }
        }
    }

    /// Adds everything of `other` to this module.
    pub(crate) fn link(&mut self, other: Module<'c>) -> Result<(), String> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: both modules are of one context; the linker destroys the second one, also when it fails.
        let failed = unsafe { LLVMLinkModules2(self.raw, raw) != 0 };
        if failed { Err(self.context.take_errors("modules cannot be linked")) } else { Ok(()) }
    }

    pub(crate) fn run_passes(&mut self, pipeline: &CStr) -> Result<(), String> {
        // SAFETY: no target machine is needed; options and error are disposed of here.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, pipeline.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    fn list(
        &self,
        first: unsafe extern "C" fn(LLVMModuleRef) -> LLVMValueRef,
        next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
    ) -> Vec<Value<'_>> {
        let mut values = Vec::new();
        // SAFETY: a list of the module, walked to its end without changes.
        let mut raw = unsafe { first(self.raw) };
        while let Some(value) = Value::from_raw(raw) {
            values.push(value);
            // SAFETY: as above.
            raw = unsafe { next(raw) };
        }
        values
    }

    pub(crate) fn functions(&self) -> Vec<Value<'_>> {
        self.list(LLVMGetFirstFunction, LLVMGetNextFunction)
    }

    pub(crate) fn globals(&self) -> Vec<Value<'_>> {
        self.list(LLVMGetFirstGlobal, LLVMGetNextGlobal)
    }

    /// The machine that the module is for: `x86_64-pc-linux-gnu`.
    pub(crate) fn target(&self) -> String {
        // SAFETY: a valid module; the text belongs to it.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw)).to_string_lossy().into_owned() }
    }

    pub(crate) fn layout(&self) -> Layout<'_> {
        // SAFETY: the layout belongs to the module.
        Layout { raw: unsafe { LLVMGetModuleDataLayout(self.raw) }, module: PhantomData }
    }
}

/// Sizes and offsets.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'m> {
    raw: LLVMTargetDataRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Layout<'m> {
    pub(crate) fn is_little_endian(self) -> bool {
        // SAFETY: a valid layout.
        unsafe { matches!(LLVMByteOrder(self.raw), LLVMByteOrdering::LLVMLittleEndian) }
    }

    /// In bytes.
    pub(crate) fn pointer_size(self) -> u32 {
        // SAFETY: a valid layout.
        unsafe { LLVMPointerSize(self.raw) }
    }

    /// Bytes from one element of an array to the next; 0 for types without a size.
    pub(crate) fn size(self, ty: Type<'m>) -> u64 {
        // SAFETY: the type is sized.
        if ty.is_sized() { unsafe { LLVMABISizeOfType(self.raw, ty.raw()) } } else { 0 }
    }

    pub(crate) fn align(self, ty: Type<'m>) -> u32 {
        // SAFETY: the type is sized.
        if ty.is_sized() { unsafe { LLVMABIAlignmentOfType(self.raw, ty.raw()) } } else { 1 }
    }

    pub(crate) fn field_offset(self, ty: Type<'m>, field: u32) -> u64 {
        assert!(matches!(ty.kind(), TypeKind::Struct) && (field as usize) < ty.fields().len());
        // SAFETY: a field of a struct.
        unsafe { LLVMOffsetOfElement(self.raw, ty.raw(), field) }
    }
}
