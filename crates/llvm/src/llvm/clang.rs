//! clang as a library, where it was there to be linked (`build.rs`, `clang.cpp`).

use super::{Context, Module};
use std::ffi::OsString;

/// What came of a command line.
#[cfg_attr(not(clang_library), expect(dead_code, reason = "nothing is compiled here"))]
pub(crate) enum Compilation<'c> {
    Compiled(Module<'c>),
    /// With what clang prints.
    Refused(String),
    /// The command line has to be run.
    NotThisWay,
}

impl Context {
    /// What running clang with these arguments compiles, without running it.
    pub(crate) fn compile(&self, arguments: &[OsString]) -> Compilation<'_> {
        match library::compile(self, arguments) {
            Compilation::Compiled(module) => match module.verify() {
                Ok(()) => Compilation::Compiled(module),
                Err(message) => Compilation::Refused(message),
            },
            other => other,
        }
    }
}

#[cfg(not(clang_library))]
mod library {
    use super::{Compilation, Context, OsString};

    pub(super) fn compile<'c>(_: &'c Context, _: &[OsString]) -> Compilation<'c> {
        Compilation::NotThisWay
    }
}

#[cfg(clang_library)]
mod library {
    use super::{Compilation, Context, Module, OsString};
    use crate::llvm::take_message;
    use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
    use std::ffi::{CString, c_char, c_int};
    use std::os::unix::ffi::OsStrExt;
    use std::ptr;

    /// Says which installation it is: clang finds its headers from there.
    const CLANG: &str = env!("SELVEDGE_CLANG_PATH");

    unsafe extern "C" {
        /// See `clang.cpp`.
        fn selvedge_clang(
            context: LLVMContextRef,
            arguments: *const *const c_char,
            count: usize,
            module: *mut LLVMModuleRef,
            messages: *mut *mut c_char,
        ) -> c_int;
    }

    pub(super) fn compile<'c>(context: &'c Context, arguments: &[OsString]) -> Compilation<'c> {
        let words = std::iter::once(CLANG.as_bytes()).chain(arguments.iter().map(|word| word.as_bytes()));
        let Ok(words) = words.map(CString::new).collect::<Result<Vec<_>, _>>() else {
            // No command line has zero bytes.
            return Compilation::NotThisWay;
        };
        let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let (mut raw, mut messages) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the strings outlive the call, which keeps none of them. It sets the module, which is of
        // this context, and the messages exactly in the cases in which they are used, and gives them away.
        unsafe {
            match selvedge_clang(context.raw, pointers.as_ptr(), pointers.len(), &mut raw, &mut messages) {
                0 => Compilation::Compiled(Module { raw, context }),
                1 => Compilation::Refused(take_message(messages)),
                _ => Compilation::NotThisWay,
            }
        }
    }
}
